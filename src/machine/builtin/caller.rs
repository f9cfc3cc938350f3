//! `caller`: where the function or sourced file that runs was called. Bash manual 4.2.

use crate::memory::format;
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::task::Context;

pub(super) static CALLER: Builtin = Builtin {
    name: "caller",
    special: false,
    synopsis: "caller [expr]",
    help: "Return the context of the current subroutine call.",
    run,
};

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let calls = process.shell.state.calls.clone();
    let main = process.main_script.clone();
    let Some(operand) = invocation.args.get(letters.first) else {
        let Some(call) = calls else {
            if main.is_empty() {
                return Ok(Flow::Status(1));
            }
            process.out.extend_from_slice(b"0 NULL\n");
            return Ok(Flow::Status(0));
        };
        let source = call.parent.as_ref().map_or(main, |parent| parent.source.clone());
        let source = if source.is_empty() { Text::from_static(b"NULL") } else { source };
        process.out.extend_from_slice(format!("{} {source}\n", call.line).as_bytes());
        return Ok(Flow::Status(0));
    };
    let level =
        crate::machine::variable::plain_integer(operand).filter(|_| operand.iter().all(u8::is_ascii_digit));
    let Some(level) = level else {
        process.report_for(&invocation.name(), format_args!("{operand}: invalid number"));
        return Ok(letter_options::usage(process, invocation));
    };
    let mut call = calls;
    for _ in 0..level {
        call = match call {
            Some(call) => call.parent.clone(),
            None => break,
        };
    }
    let Some(call) = call else { return Ok(Flow::Status(1)) };
    let (name, source) = match &call.parent {
        Some(parent) => (parent.name.clone(), parent.source.clone()),
        // A command string has no outermost entry.
        None if main.is_empty() => return Ok(Flow::Status(1)),
        None => (Text::from_static(b"main"), main),
    };
    process.out.extend_from_slice(format!("{} {name} {source}\n", call.line).as_bytes());
    Ok(Flow::Status(0))
}
