//! `test` and `[`. Bash manual 4.1; the expressions are those of [`crate::utility::test_expression`].

use super::context::Context;
use super::error::BuiltinError;
use super::row::{Act, Builtin, Flow};
use crate::limit::Limit;
use crate::machine::halt::Halt;
use crate::machine::process::Process;
use crate::machine::run::Run;
use crate::syntax::ast::ConditionalOperator;
use crate::text::Text;
use crate::utility::test_expression::{Facts, TestError, evaluate};

pub(super) static TEST: Builtin = Builtin {
    name: "test",
    special: false,
    synopsis: "test [expr]",
    help: "Evaluate conditional expression.",
    options: &[],
    act: Act::Machine(|ctx| test(ctx, ctx.arguments())),
};

pub(super) static BRACKET: Builtin = Builtin {
    name: "[",
    special: false,
    synopsis: "[ arg... ]",
    help: "Evaluate conditional expression. The last argument is a literal `]'.",
    options: &[],
    act: Act::Machine(|ctx| match ctx.arguments().split_last() {
        Some((last, args)) if last.as_bytes() == b"]" => test(ctx, args),
        _ => Err(BuiltinError::MissingBracket),
    }),
};

fn test(ctx: &mut Context<'_, '_>, args: &[Text]) -> Result<Flow, BuiltinError> {
    let mut shell = ShellOfTest { process: ctx.process, run: ctx.run, halt: None };
    let answer = evaluate(args, &mut shell);
    if let Some(halt) = shell.halt {
        return Err(halt.into());
    }
    Err(match answer {
        Ok(answer) => return Ok(Flow::Status(u8::from(!answer))),
        Err(TestError::Depth) => ctx.run.services.meter.fail(Limit::SyntaxDepth).into(),
        Err(TestError::IntegerExpected(text)) => BuiltinError::IntegerExpected(text),
        Err(TestError::UnaryExpected(text, _)) => BuiltinError::UnaryExpected(text),
        Err(TestError::BinaryExpected(text)) => BuiltinError::BinaryExpected(text),
        Err(TestError::ArgumentExpected(_)) => BuiltinError::ArgumentExpected,
        Err(TestError::CloseExpected) => BuiltinError::CloseExpected,
        Err(TestError::CloseExpectedFound(text)) => BuiltinError::CloseExpectedFound(text),
        Err(TestError::TooMany(_)) => {
            ctx.complain(BuiltinError::TooManyArguments);
            BuiltinError::Reported(2)
        }
    })
}

/// What a test sees of the shell.
struct ShellOfTest<'s> {
    process: &'s mut Process,
    run: &'s mut Run,
    /// After an error in a subscript the whole command is not run.
    halt: Option<Halt>,
}

impl Facts for ShellOfTest<'_> {
    fn is_unary(&self, operator: u8) -> bool {
        memchr::memchr(operator, b"abcdefghkLnNopOGrRsStuvwxz").is_some()
    }

    fn unary(&mut self, operator: u8, operand: &Text) -> bool {
        let answer = self.process.shell.test_unary(self.run, operator, operand);
        answer.unwrap_or_else(|halt| {
            self.halt = self.halt.or(Some(halt));
            false
        })
    }

    fn compare_files(&mut self, operator: u8, left: &Text, right: &Text) -> bool {
        let operator = match operator {
            b'n' => ConditionalOperator::Newer,
            b'o' => ConditionalOperator::Older,
            _ => ConditionalOperator::SameFile,
        };
        self.process.shell.state.compare_files(self.run, operator, left, right)
    }
}
