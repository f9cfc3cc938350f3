//! `exit`, `return`: the ends of a shell and of a function. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::{Act, Builtin, Flow, options};
use crate::machine::frame::{Frame, ScriptKind};
use crate::machine::halt::Halt;
use crate::machine::process::Process;

pub(super) static EXIT: Builtin = Builtin {
    name: "exit",
    special: true,
    synopsis: "exit [n]",
    help: "Exit the shell.",
    options: &[],
    act: Act::Machine(|ctx| Err(Halt::Exit(status(ctx)?).into())),
};

pub(super) static RETURN: Builtin = Builtin {
    name: "return",
    special: true,
    synopsis: "return [n]",
    help: "Return from a shell function.",
    options: &[],
    act: Act::Machine(return_),
};

/// The status that is asked for; that of the last command by default.
fn status(ctx: &mut Context<'_, '_>) -> Result<u8, BuiltinError> {
    match ctx.plain_operands() {
        [] => Ok(status_before_trap(ctx.process).unwrap_or(ctx.process.shell.state.status)),
        [status, rest @ ..] => match options::number(status) {
            Some(number) if rest.is_empty() => Ok(number as u8),
            Some(_) => {
                ctx.complain(BuiltinError::TooManyArguments);
                Err(Halt::Abandon(1).into())
            }
            None => {
                ctx.complain(BuiltinError::NumberRequired(status.clone()));
                Ok(2)
            }
        },
    }
}

/// Within a trap's action: the status from before it.
fn status_before_trap(process: &Process) -> Option<u8> {
    if process.shell.in_trap == 0 {
        return None;
    }
    process.control.frames.iter().rev().find_map(|frame| match frame {
        Frame::Script(frame) if !matches!(frame.kind, ScriptKind::Eval | ScriptKind::Source) => {
            Some(frame.status)
        }
        _ => None,
    })
}

fn return_(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let status = status(ctx)?;
    if !ctx.process.control.can_return() && ctx.process.shell.state.calls.innermost.is_none() {
        ctx.complain(BuiltinError::NothingToReturnFrom);
        return Ok(Flow::Status(2));
    }
    ctx.process.shell.release(ctx.invocation);
    ctx.process.return_from_function(ctx.run, status)?;
    Ok(Flow::Switched)
}
