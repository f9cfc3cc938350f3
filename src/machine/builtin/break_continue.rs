//! `break`, `continue`. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::options;
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;

pub(super) static BREAK: Builtin = Builtin {
    name: "break",
    special: true,
    synopsis: "break [n]",
    help: "Exit for, while, or until loops.",
    options: &[],
    act: Act::Machine(|ctx| leave(ctx, false)),
};

pub(super) static CONTINUE: Builtin = Builtin {
    name: "continue",
    special: true,
    synopsis: "continue [n]",
    help: "Resume for, while, or until loops.",
    options: &[],
    act: Act::Machine(|ctx| leave(ctx, true)),
};

/// Leaves loops; `again`: the last of them goes on with its next round.
fn leave(ctx: &mut Context<'_, '_>, again: bool) -> Result<Flow, BuiltinError> {
    let depth = ctx.process.control.loop_depth();
    if depth == 0 {
        ctx.remark(BuiltinError::NotInLoop);
        return Ok(Flow::Status(0));
    }
    let (count, status) = match ctx.plain_operands() {
        [] => (1, 0),
        [count] => match options::number(count) {
            Some(number) if number > 0 => (usize::try_from(number).unwrap_or(usize::MAX), 0),
            Some(_) => {
                ctx.complain(BuiltinError::LoopCount(count.clone()));
                (depth, 1)
            }
            None => {
                ctx.complain(BuiltinError::NumberRequired(count.clone()));
                return Err(Halt::Exit(128).into());
            }
        },
        _ => {
            ctx.complain(BuiltinError::TooManyArguments);
            return Err(Halt::Abandon(1).into());
        }
    };
    ctx.process.shell.release(ctx.invocation);
    // A count that is out of range leaves all loops.
    let left = ctx.process.leave_loops(ctx.run, count, again && status == 0)?;
    ctx.process.shell.state.set_status(if status == 0 { left } else { status });
    Ok(Flow::Switched)
}
