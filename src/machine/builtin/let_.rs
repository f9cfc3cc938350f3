//! `let`. Bash manual 4.2.

use super::{Builtin, Flow, Invocation};
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::program::ArithmeticContext;
use std::task::Context;

pub(super) static LET: Builtin = Builtin {
    name: "let",
    special: false,
    synopsis: "let arg [arg ...]",
    help: "Evaluate arithmetic expressions; the status is 1 if the last one is 0.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let operands = invocation.operands();
    let operands = match operands.split_first() {
        Some((first, rest)) if first.as_bytes() == b"--" => rest,
        _ => operands,
    };
    if operands.is_empty() {
        process.report_for(b"let", "expression expected");
        return Ok(Flow::Status(1));
    }
    let outer = process.arithmetic_prefix.replace("let");
    let mut last = Ok(0);
    for operand in operands {
        let result = process.evaluate_text(run, operand, 0);
        last = process.arithmetic_result(ArithmeticContext::Plain, result);
        if last.is_err() {
            break;
        }
    }
    process.arithmetic_prefix = outer;
    match last {
        Ok(number) => Ok(Flow::Status(u8::from(number == 0))),
        Err(Halt::Discard(status)) => Ok(Flow::Status(status)),
        Err(halt) => Err(halt),
    }
}
