//! `history`, `fc` and `bind` in a shell that is not interactive: the list of commands is empty, and no line is edited.
//! Bash manual 9.2.

use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static HISTORY: Builtin = Builtin {
    name: "history",
    special: false,
    synopsis: "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    help: "Display or manipulate the history list.",
    run: run_history,
};

pub(super) static FC: Builtin = Builtin {
    name: "fc",
    special: false,
    synopsis: "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    help: "Display or execute commands from the history list.",
    run: run_fc,
};

pub(super) static BIND: Builtin = Builtin {
    name: "bind",
    special: false,
    synopsis: "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] \
               [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
    help: "Set Readline key bindings and variables.",
    run: run_bind,
};

fn run_history(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"cd:p") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    if letters.has(b'p') {
        for operand in operands {
            process.out.extend_from_slice(operand);
            process.out.push(b'\n');
        }
        return Ok(Flow::Status(0));
    }
    if let Some(offset) = letters.value(b'd') {
        process.report_for(&own, format_args!("{offset}: history position out of range"));
        return Ok(Flow::Status(1));
    }
    if letters.has(b'c') {
        return Ok(Flow::Status(0));
    }
    match operands.first() {
        Some(count) if !count.iter().all(u8::is_ascii_digit) => {
            process.report_for(&own, format_args!("{count}: numeric argument required"));
            Ok(Flow::Status(1))
        }
        _ => Ok(Flow::Status(0)),
    }
}

fn run_fc(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"e:lnrs") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    if letters.has(b'l') && !letters.has(b's') {
        return Ok(Flow::Status(0));
    }
    process.report_for(&invocation.name(), "no command found");
    Ok(Flow::Status(1))
}

fn run_bind(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    process.report_for(&invocation.name(), "warning: line editing not enabled");
    match letter_options::parse(process, invocation, b"sm:u:r:x:") {
        Ok(_) => Ok(Flow::Status(0)),
        Err(flow) => Ok(flow),
    }
}
