//! `caller`: where the function or script that runs was called. Bash manual 4.2.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::is_digits;
use super::row::{Act, Builtin, Flow};
use crate::machine::variable::plain_integer;
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static CALLER: Builtin = Builtin {
    name: "caller",
    special: false,
    synopsis: "caller [expr]",
    help: "Return the context of the current subroutine call.",
    options: &[],
    act: Act::Shell(caller),
};

fn caller(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let calls = ctx.shell.state.calls.innermost.clone();
    let main = ctx.shell.main_script.clone();
    let Some(operand) = ctx.operands(&options).first() else {
        let Some(call) = calls else {
            if main.is_empty() {
                return Ok(Flow::Status(1));
            }
            ctx.out.bytes(b"0 NULL\n");
            return Ok(Flow::Status(0));
        };
        let source = call.parent.as_ref().map_or(main, |parent| parent.source.clone());
        let source = if source.is_empty() { Text::from_static(b"NULL") } else { source };
        let _ = write!(ctx.out, "{} ", call.line);
        ctx.out.line(&source);
        return Ok(Flow::Status(0));
    };
    let level = plain_integer(operand)
        .filter(|_| is_digits(operand))
        .ok_or_else(|| BuiltinError::InvalidOperandNumber(operand.clone()))?;
    let mut call = calls.as_ref();
    for _ in 0..level {
        let Some(inner) = call else { break };
        call = inner.parent.as_ref();
    }
    let Some(call) = call else { return Ok(Flow::Status(1)) };
    let (name, source) = match &call.parent {
        Some(parent) => (parent.name.clone(), parent.source.clone()),
        // A command string has no outermost entry.
        None if main.is_empty() => return Ok(Flow::Status(1)),
        None => (Text::from_static(b"main"), main),
    };
    let _ = write!(ctx.out, "{} ", call.line);
    ctx.out.text(&name);
    ctx.out.bytes(b" ");
    ctx.out.line(&source);
    Ok(Flow::Status(0))
}
