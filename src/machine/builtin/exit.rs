//! `exit`, `return`: the ends of a shell and of a function. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::options;
use super::row::{Act, Builtin, Flow};
use crate::machine::frame::{Frame, ScriptFrame, ScriptKind};
use crate::machine::halt::Halt;
use crate::machine::process::Process;

pub(super) static EXIT: Builtin = Builtin {
    name: "exit",
    special: true,
    synopsis: "exit [n]",
    help: "Exit the shell.",
    options: &[],
    act: Act::Machine(exit),
};

pub(super) static RETURN: Builtin = Builtin {
    name: "return",
    special: true,
    synopsis: "return [n]",
    help: "Return from a shell function.",
    options: &[],
    act: Act::Machine(return_),
};

fn exit(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let before = trap_around(ctx.process).filter(|frame| frame.kind == ScriptKind::ExitTrap);
    let before = before.map(|frame| frame.status);
    Err(Halt::Exit(status(ctx, before)?).into())
}

/// The status that is asked for. By default that of the last command, or `before`, the status from before a trap.
fn status(ctx: &mut Context<'_, '_>, before: Option<u8>) -> Result<u8, BuiltinError> {
    match ctx.plain_operands() {
        [] => Ok(before.unwrap_or(ctx.process.shell.state.status)),
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

/// The trap whose action runs, if it was started in this shell and not around a subshell.
fn trap_around(process: &Process) -> Option<&ScriptFrame> {
    if process.shell.in_trap == 0 {
        return None;
    }
    let own = process.control.frames.iter().rev().take_while(|frame| !matches!(frame, Frame::Subshell(_)));
    own.into_iter().find_map(|frame| match frame {
        Frame::Script(frame) if frame.kind.is_trap() => Some(&**frame),
        _ => None,
    })
}

fn return_(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    // What a `DEBUG` trap's function returns is for the shell to look at: there the last command counts.
    let is_debug = |kind| matches!(kind, ScriptKind::DebugTrap | ScriptKind::EntryTrap);
    let before = trap_around(ctx.process).filter(|frame| !is_debug(frame.kind)).map(|frame| frame.status);
    let status = status(ctx, before)?;
    if !ctx.process.control.can_return() && ctx.process.shell.state.calls.innermost.is_none() {
        ctx.complain(BuiltinError::NothingToReturnFrom);
        return Ok(Flow::Status(2));
    }
    ctx.process.shell.release(ctx.invocation);
    ctx.process.return_from_function(ctx.run, status)?;
    Ok(Flow::Switched)
}
