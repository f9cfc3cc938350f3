//! CEL, an expression language that configs have conditions in, as far as they need it: variables, the standard operators, macros and functions of text, lists and maps.
//!
//! `lexer.rs` makes tokens, `parser.rs` an [`expression::Expression`] whose names are resolved to slots, `check.rs` finds types that cannot
//! fit, `evaluate.rs` runs
//! it over [`value::Value`]s that borrow from the event, `convert.rs` has its numbers, `time.rs` its times. There is nothing here that could reach the host.
//!
//! Bounds: a source of 32 KiB, 64 levels of brackets, and at evaluation a cost (one for each node, more for long texts and
//! lists). Operators of one level and chains of members are lists, so only brackets nest. A crate was looked at: `cel`
//! 0.15.0 has no bound on the cost of an evaluation and brings an ANTLR run time.
//!
//! Left out, each an error when the expression is compiled: messages, extension libraries. Numbers
//! of JSON are doubles, as CEL has it; unlike there, arithmetic takes a double and an integer together.

mod check;
mod convert;
mod evaluate;
mod expression;
mod lexer;
mod parser;
#[cfg(test)]
mod tests;
mod time;
mod value;

pub(super) use check::Kind;
pub(super) use evaluate::EvaluationError;
pub(super) use value::Value;

use crate::hook::matcher::RegexCompiler;
use expression::Expression;

/// Longest source, in bytes.
const LONGEST_SOURCE: usize = 32 << 10;

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Program {
    root: Expression,
    kind: Kind,
    source: String,
}

impl Program {
    /// Compiles `source`, which may use `variables`; the error is one line with the place in it.
    pub(super) fn compile(
        source: &str,
        variables: &[(&'static str, Kind)],
        regexes: &mut RegexCompiler,
    ) -> Result<Self, String> {
        if source.len() > LONGEST_SOURCE {
            return Err(format!("the expression is longer than {LONGEST_SOURCE} bytes"));
        }
        let tokens = lexer::tokens(source)?;
        let root = parser::parse(source, &tokens, variables.iter().map(|(name, _)| *name), regexes)?;
        let kind = check::check(&root, &mut variables.iter().map(|(_, kind)| *kind).collect())?;
        Ok(Self { root, kind, source: source.to_owned() })
    }

    /// The type of its value, as far as it is known before it runs.
    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    /// The value for the variables, in the order of [`Program::compile`].
    ///
    /// # Errors
    /// The expression has none for these, or costs more than `cost`.
    pub(super) fn evaluate<'a>(
        &'a self,
        variables: Vec<Value<'a>>,
        cost: u64,
    ) -> Result<Value<'a>, EvaluationError> {
        evaluate::Evaluation::new(variables, cost).value(&self.root)
    }

    /// The source.
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }
}
