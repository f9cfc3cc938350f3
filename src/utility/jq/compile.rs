//! Filter text to a compiled filter that can be kept and shared.

use super::parse::{Parser, Shared};
use super::term::{Id, Program, Term};
use super::text::Text;
use super::value::Value;
use crate::limit::gauge;
use crate::memory::{String, ToMeteredString, Vec, vec};
use std::fmt;

/// The longest filter in bytes.
const LONGEST: usize = 1 << 20;

/// A filter that could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("jq: error: {problem} at <top-level>, line {line}:\n{text}{}\njq: 1 compile error", Spaces(*.column))]
pub(crate) struct CompileError {
    /// What is wrong, in jq's words.
    pub(crate) problem: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The line's text.
    pub(crate) text: String,
    /// Bytes before the error in its line; jq prints as many spaces behind the line.
    pub(crate) column: usize,
}

impl CompileError {
    /// An error at a byte of the filter's text.
    pub(super) fn new(problem: &str, text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find('\n').unwrap_or(rest.len());
        CompileError {
            problem: problem.to_metered_string(),
            line: before.matches('\n').count() + 1,
            text: rest.get(..end).unwrap_or_default().to_metered_string(),
            column: at.min(text.len().saturating_sub(1)).saturating_sub(start),
        }
    }
}

/// So many spaces; a width of the formatter's own ends at 65,535.
struct Spaces(usize);

impl fmt::Display for Spaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str(" "))
    }
}

/// A filter such as `.a.b`, `.a // "x"` or `.a // empty`.
#[derive(Debug)]
pub(crate) struct Member {
    /// The keys, outermost first; at least one.
    pub(crate) path: Vec<Text>,
    /// What stands for false and null: themselves, another value, or nothing.
    pub(crate) otherwise: Otherwise,
}

/// See [`Member`].
#[derive(Debug)]
pub(crate) enum Otherwise {
    Itself,
    Value(Value),
    Nothing,
}

impl Member {
    fn of(program: &Program, main: Id) -> Option<Self> {
        let (path, otherwise) = match program.term(main) {
            Term::Alternative(left, right) => match program.term(*right) {
                Term::Constant(value) => (*left, Otherwise::Value(value.clone())),
                Term::Empty => (*left, Otherwise::Nothing),
                _ => return None,
            },
            _ => (main, Otherwise::Itself),
        };
        let path = program.field_path(path).filter(|path| !path.is_empty())?;
        Some(Member { path, otherwise })
    }
}

/// A compiled filter.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) program: Program,
    pub(super) main: Id,
    member: Option<Member>,
}

impl Compiled {
    /// The filter as a member of its input, where it is nothing else: its output can be read without building the input
    /// (`member.rs`).
    pub(crate) fn member(&self) -> Option<&Member> {
        self.member.as_ref()
    }

    /// Whether the filter uses the variable with this number: `$ENV` is 0, those given to [`compile`] follow.
    pub(crate) fn uses_global(&self, number: usize) -> bool {
        self.program.terms.iter().any(|term| matches!(term, Term::Global(used) if *used == number))
    }
}

/// Compiles `filter`, in which the variables `globals` (without `$`) are defined besides `$ENV`.
///
/// # Errors
/// The first thing wrong with it; jq prints the error's text and exits 3.
pub(crate) fn compile(filter: &str, globals: &[&str]) -> Result<Compiled, CompileError> {
    if filter.len() > LONGEST {
        return Err(CompileError::new("filter is too long", "", 0));
    }
    let mut names = vec!["ENV"];
    names.extend(globals);
    let mut shared = Shared { globals: &names, ..Shared::default() };
    let main = Parser::new(filter, &mut shared).filter()?;
    if gauge::is_refused() {
        // Terms are missing, and others may stand in their places: it is another filter.
        return Err(CompileError::new("filter is too long", "", 0));
    }
    let program = shared.program;
    let member = Member::of(&program, main);
    Ok(Compiled { program, main, member })
}
