//! Filter text to a compiled filter that can be kept and shared.

use super::parse::{Parser, Shared};
use super::term::{Id, Program, Term};
use super::text::Text;

/// The longest filter in bytes.
const LONGEST: usize = 1 << 20;

/// A filter that could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("jq: error: {problem} at <top-level>, line {line}:\n{text}\njq: 1 compile error")]
pub(crate) struct CompileError {
    /// What is wrong, in jq's words.
    pub(crate) problem: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The line's text.
    pub(crate) text: String,
}

impl CompileError {
    /// An error at a byte of the filter's text.
    pub(super) fn new(problem: &str, text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.find('\n').unwrap_or(rest.len());
        CompileError {
            problem: problem.to_string(),
            line: before.matches('\n').count() + 1,
            text: rest.get(..end).unwrap_or_default().to_string(),
        }
    }
}

/// A compiled filter.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(super) program: Program,
    pub(super) main: Id,
    /// The keys of `.a.b.c`, where the filter is nothing else.
    field_path: Option<Vec<Text>>,
}

impl Compiled {
    /// The keys of `.a.b.c`, where the filter is nothing else: its output can be read without building the input
    /// (`Reader::read_member`).
    pub(crate) fn field_path(&self) -> Option<&[Text]> {
        self.field_path.as_deref()
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
    let program = shared.program;
    let field_path = program.field_path(main);
    Ok(Compiled { program, main, field_path })
}
