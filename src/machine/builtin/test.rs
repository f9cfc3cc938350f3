//! `test` and `[`. Bash manual 4.1; the expressions are those of [`crate::utility::test_expression`].

use crate::memory::{ToMetered, format};
use super::{Builtin, Flow, Invocation};
use crate::limit::Limit;
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::syntax::ast::ConditionalOperator;
use crate::text::Text;
use crate::utility::test_expression::{Facts, TestError, evaluate};
use std::task::Context;

pub(super) static TEST: Builtin = Builtin {
    name: "test",
    special: false,
    synopsis: "test [expr]",
    help: "Evaluate conditional expression.",
    run,
};

pub(super) static BRACKET: Builtin = Builtin {
    name: "[",
    special: false,
    synopsis: "[ arg... ]",
    help: "Evaluate conditional expression. The last argument is a literal `]'.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let name = invocation.builtin.name;
    let mut args = invocation.operands();
    if name == "[" {
        match args.split_last() {
            Some((last, rest)) if last.as_bytes() == b"]" => args = rest,
            _ => {
                process.report_for(b"[", "missing `]'");
                return Ok(Flow::Status(2));
            }
        }
    }
    let answer = evaluate(args, &mut Shell { process, run });
    let message = match answer {
        Ok(answer) => return Ok(Flow::Status(u8::from(!answer))),
        Err(TestError::Halt(halt)) => return Err(halt),
        Err(TestError::Depth) => return Err(run.services.meter.fail(Limit::SyntaxDepth).into()),
        Err(TestError::IntegerExpected(text)) => format!("{text}: integer expression expected"),
        Err(TestError::UnaryExpected(text)) => format!("{text}: unary operator expected"),
        Err(TestError::BinaryExpected(text)) => format!("{text}: binary operator expected"),
        Err(TestError::ArgumentExpected(_)) => "argument expected".to_metered(),
        Err(TestError::CloseExpected) => "`)' expected".to_metered(),
        Err(TestError::CloseExpectedFound(text)) => format!("`)' expected, found {text}"),
        Err(TestError::TooMany(_)) => "too many arguments".to_metered(),
    };
    process.report_for(name.as_bytes(), message);
    Ok(Flow::Status(2))
}

/// What a test sees of the shell.
struct Shell<'s> {
    process: &'s mut Process,
    run: &'s mut Run,
}

impl Facts for Shell<'_> {
    type Halt = Halt;

    fn is_unary(&self, operator: u8) -> bool {
        memchr::memchr(operator, b"abcdefghkLnNopOGrRsStuvwxz").is_some()
    }

    fn unary(&mut self, operator: u8, operand: &Text) -> Result<bool, Halt> {
        self.process.test_unary(self.run, operator, operand)
    }

    fn compare_files(&mut self, operator: u8, left: &Text, right: &Text) -> bool {
        let operator = match operator {
            b'n' => ConditionalOperator::Newer,
            b'o' => ConditionalOperator::Older,
            _ => ConditionalOperator::SameFile,
        };
        self.process.compare_files(self.run, operator, left, right)
    }
}
