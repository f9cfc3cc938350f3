//! `exit`, `return`: the ends of a shell and of a function. Bash manual 4.1.

use crate::memory::format;
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::frame::{Frame, ScriptKind};
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static EXIT: Builtin = Builtin {
    name: "exit",
    special: true,
    synopsis: "exit [n]",
    help: "Exit the shell.",
    run: exit,
};

pub(super) static RETURN: Builtin = Builtin {
    name: "return",
    special: true,
    synopsis: "return [n]",
    help: "Return from a shell function.",
    run: return_,
};

/// The status that is asked for; that of the last command by default.
fn status(process: &mut Process, invocation: &Invocation) -> Step<u8> {
    let operands = match invocation.operands() {
        [first, rest @ ..] if first.as_bytes() == b"--" => rest,
        operands => operands,
    };
    match operands {
        [] => Ok(status_before_trap(process).unwrap_or(process.shell.state.status)),
        [status, rest @ ..] => match letters::number(status) {
            Some(number) if rest.is_empty() => Ok(number as u8),
            Some(_) => {
                process.report_for(&invocation.name(), "too many arguments");
                Err(Halt::Abandon(1))
            }
            None => {
                let message = format!("{status}: numeric argument required");
                process.report_for(&invocation.name(), message);
                Ok(2)
            }
        },
    }
}

/// Within a trap's action: the status from before it.
fn status_before_trap(process: &Process) -> Option<u8> {
    if process.in_trap == 0 {
        return None;
    }
    process.frames.iter().rev().find_map(|frame| match frame {
        Frame::Script(frame) if !matches!(frame.kind, ScriptKind::Eval | ScriptKind::Source) => Some(frame.status),
        _ => None,
    })
}

fn exit(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    Err(Halt::Exit(status(process, invocation)?))
}

fn return_(
    process: &mut Process,
    run: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let status = status(process, invocation)?;
    if !process.can_return() && process.shell.state.calls.is_none() {
        process.report_for(b"return", "can only `return' from a function or sourced script");
        return Ok(Flow::Status(2));
    }
    process.release(invocation);
    process.return_from_function(run, status)?;
    Ok(Flow::Switched)
}
