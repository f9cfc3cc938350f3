//! `let`. Bash manual 4.2.

use super::context::Context;
use super::error::BuiltinError;
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;
use crate::program::ArithmeticContext;

pub(super) static LET: Builtin = Builtin {
    name: "let",
    special: false,
    synopsis: "let arg [arg ...]",
    help: "Evaluate arithmetic expressions; the status is 1 if the last one is 0.",
    options: &[],
    act: Act::Machine(let_),
};

fn let_(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let operands = ctx.plain_operands();
    if operands.is_empty() {
        return Err(BuiltinError::ExpressionExpected);
    }
    let outer = ctx.process.shell.arithmetic.prefix.replace("let");
    let mut last = Ok(0);
    while let Some(operand) = ctx.next(operands) {
        let result = ctx.process.shell.evaluate_text(ctx.run, operand, 0);
        last = ctx.process.shell.arithmetic.result(ArithmeticContext::Plain, result);
        match last {
            Ok(number) => ctx.set_status(u8::from(number == 0)),
            Err(_) => break,
        }
    }
    ctx.process.shell.arithmetic.prefix = outer;
    match last {
        Ok(_) => Ok(ctx.flow()),
        Err(Halt::Discard(status)) => Ok(Flow::Status(status)),
        Err(halt) => Err(halt.into()),
    }
}
