//! Arithmetic: runs compiled expressions; text is parsed first. Bash manual 6.5.

mod operator;
mod place;
mod prefix;
mod steps;
mod subscript;
mod tree;

use crate::limit::{Limit, gauge};
use crate::machine::error::EvaluationError;
use crate::machine::halt::{Halt, Step};
use crate::machine::link::Link;
use crate::machine::name::NameId;
use crate::machine::run::Run;
use crate::machine::shell::{ArithmeticState, Shell};
use crate::machine::variable::plain_integer;
use crate::memory::Vec;
use crate::program::{ArithmeticCode, ArithmeticContext, ArithmeticOp, Index, compile_arithmetic};
use crate::syntax::ArithmeticErrorKind;
use crate::text::Text;
use steps::Resolve;

/// Values that are expressions, inside of each other.
const MAX_DEPTH: u32 = 128;
/// Bytes of an expression that are read for one unit of fuel.
const BYTES_PER_FUEL: usize = 8;

/// What each text counts for beside its bytes.
const VALUE_BYTES: usize = 16;

/// An expression that is evaluated.
struct Evaluation<'e> {
    shell: &'e mut Shell,
    run: &'e mut Run,
    /// Its text, where it is not one of the program's.
    source: Option<&'e [u8]>,
    /// How many values that are expressions are around it.
    depth: u32,
}

impl ArithmeticState {
    /// What an evaluation comes to: how far an error reaches depends on what the expression is part of.
    pub(crate) fn result(&mut self, context: ArithmeticContext, result: Step<i64>) -> Step<i64> {
        let failed_in = std::mem::take(&mut self.context);
        match (result, context) {
            (Err(Halt::Discard(status)), _) if failed_in == ArithmeticContext::Subscript => {
                Err(Halt::Abandon(status))
            }
            (Err(Halt::Discard(_) | Halt::Abandon(_)), ArithmeticContext::Command) => {
                self.failed = true;
                Ok(0)
            }
            (Err(Halt::Discard(status)), ArithmeticContext::Subscript) => Err(Halt::Abandon(status)),
            (result, _) => result,
        }
    }
}

impl Shell {
    /// Evaluates a compiled expression.
    pub(crate) fn evaluate(&mut self, run: &mut Run, code: &ArithmeticCode, link: &Link) -> Step<i64> {
        self.arithmetic.context = code.context;
        self.arithmetic.bytes = 0;
        let mut evaluation = Evaluation { shell: self, run, source: None, depth: 0 };
        match evaluation.steps(code, Resolve(link.names())) {
            Ok(number) => {
                self.arithmetic.context = ArithmeticContext::Plain;
                Ok(number)
            }
            result => self.arithmetic.result(code.context, result),
        }
    }

    /// Whether every `$parameter` of an expression is a plain integer.
    pub(crate) fn has_plain_operands(&mut self, run: &mut Run, code: &ArithmeticCode, link: &Link) -> bool {
        let mut evaluation = Evaluation { shell: self, run, source: None, depth: 0 };
        code.ops.iter().all(|op| match op {
            ArithmeticOp::Parameter(operand) => evaluation.operand(operand, Resolve(link.names())).is_some(),
            _ => true,
        })
    }

    /// Expands nothing: parses a text and evaluates it.
    pub(crate) fn evaluate_text(&mut self, run: &mut Run, text: &[u8], depth: u32) -> Step<i64> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
        let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
        let trimmed = text.get(start..end).unwrap_or(text);
        if trimmed.is_empty() {
            return Ok(0);
        }
        if let Some(number) = plain_integer(trimmed) {
            return Ok(number);
        }
        if depth > MAX_DEPTH {
            return Err(self.arithmetic_error(EvaluationError::TooDeep(Text::from(text))));
        }
        // Values that name values can make one expression an endless work: `a=b+b b=c+c ...`; and a long text is long work.
        if gauge::burn(1 + (text.len() / BYTES_PER_FUEL) as i64) {
            run.services.meter.check()?;
        }
        let limits = run.services.meter.limits();
        let (depth_limit, bytes_limit) = (limits.syntax_depth.min(200) as u32, limits.expression_bytes);
        if depth == 0 {
            self.arithmetic.bytes = 0;
        }
        let rest = usize::try_from(bytes_limit.saturating_sub(self.arithmetic.bytes)).unwrap_or(usize::MAX);
        let bytes = text.len().saturating_add(VALUE_BYTES) as u64;
        self.arithmetic.bytes = self.arithmetic.bytes.saturating_add(bytes);
        let expression = match crate::syntax::parse_arithmetic(text, depth_limit, rest) {
            Ok(expression) => expression,
            Err(error) if matches!(error.kind, ArithmeticErrorKind::TooLong(_)) => {
                return Err(run.services.meter.fail_with(Limit::ExpressionBytes, bytes_limit).into());
            }
            Err(error) => {
                if let Some(limit) = error.limit() {
                    return Err(run.services.meter.fail_with(limit.limit, limit.allowed).into());
                }
                Evaluation { shell: self, run, source: Some(text), depth }.before_error(text)?;
                let expression = Text::from(blanks_trimmed(text.get(..error.shown).unwrap_or(text)));
                return Err(self.arithmetic_error(EvaluationError::Syntax { expression, error }));
            }
        };
        let mut names: Vec<NameId> = Vec::new();
        let code = compile_arithmetic(&expression, &mut |name: &Text| {
            names.add(run.services.names.intern(name)) as Index
        });
        let mut evaluation = Evaluation { shell: self, run, source: Some(text), depth };
        match code {
            Some(code) => evaluation.steps(&code, Resolve(&names)),
            None => evaluation.tree(&expression),
        }
    }

    /// Reports an arithmetic error: the command is abandoned.
    pub(crate) fn arithmetic_error(&mut self, error: EvaluationError) -> Halt {
        let place = match (self.arithmetic.prefix, self.arithmetic.context) {
            (_, ArithmeticContext::Subscript) | (None, ArithmeticContext::Plain) => None,
            (Some(prefix), _) => Some(Text::from(prefix)),
            (None, ArithmeticContext::Command) => Some(Text::from_static(b"((")),
            (None, ArithmeticContext::Substring(parameter)) => Some(self.code.program.text(parameter)),
        };
        match place {
            Some(place) => self.report_for(&place, error),
            None => self.report(error),
        }
        Halt::Discard(1)
    }
}

/// A text without the blanks and tabs at its start: newlines stay in bash's messages.
fn blanks_trimmed(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    text.get(blanks..).unwrap_or(&[])
}
