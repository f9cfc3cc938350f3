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

/// A filter that could not be compiled: what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Listed(.0))]
pub(crate) struct CompileError(pub(crate) Vec<Fault>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What is wrong, in jq's words.
    pub(crate) problem: String,
    /// Where; `None` for what concerns the whole filter.
    pub(crate) place: Option<Place>,
}

/// A part of a filter's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// `<top-level>`, or the file of a module.
    pub(crate) source: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The line's text.
    pub(crate) text: String,
    /// Bytes before the part in its line.
    pub(crate) column: usize,
    /// Bytes of the part in that line.
    pub(crate) length: usize,
}

/// The faults as jq prints them, and their number.
struct Listed<'f>(&'f [Fault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Fault { problem, place } in self.0 {
            write!(f, "jq: error: {problem}")?;
            if let Some(Place { source, line, text, column, length }) = place {
                write!(f, " at {source}, line {line}, column {}:\n    {text}\n    ", column + 1)?;
                write!(f, "{}{}", Repeated(" ", *column), Repeated("^", *length))?;
            }
            f.write_str("\n")?;
        }
        let count = self.0.len();
        write!(f, "jq: {count} compile error{}", if count > 1 { "s" } else { "" })
    }
}

impl Fault {
    /// Something about the bytes `[start, end)` of a text.
    pub(super) fn new(problem: &str, source: &str, text: &str, (start, end): (usize, usize)) -> Self {
        let start = start.min(text.len().saturating_sub(1));
        let before = text.get(..start).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = text.get(line_start..).unwrap_or_default();
        let line = rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or_default();
        let column = start.saturating_sub(line_start);
        let length = end.saturating_sub(start).min(line.len().saturating_sub(column)).max(1);
        let (source, text) = (source.to_metered_string(), line.to_metered_string());
        let line = before.matches('\n').count() + 1;
        Fault {
            problem: problem.to_metered_string(),
            place: Some(Place { source, line, text, column, length }),
        }
    }

    /// Something about the whole filter.
    pub(super) fn of_all(problem: &str) -> Self {
        Fault { problem: problem.to_metered_string(), place: None }
    }
}

impl From<Fault> for CompileError {
    fn from(fault: Fault) -> Self {
        CompileError(vec![fault])
    }
}

/// A text so many times; a width of the formatter's own ends at 65,535.
struct Repeated(&'static str, usize);

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.1).try_for_each(|_| f.write_str(self.0))
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
        return Err(Fault::of_all("filter is too long").into());
    }
    let mut names = vec!["ENV"];
    names.extend(globals);
    let mut shared = Shared { globals: &names, ..Shared::default() };
    let main = Parser::new(filter, &mut shared).filter()?;
    let undefined = shared.undefined_from(main);
    if !undefined.is_empty() {
        return Err(CompileError(undefined));
    }
    if gauge::is_refused() {
        // Terms are missing, and others may stand in their places: it is another filter, or one that refers to itself.
        return Err(Fault::of_all("filter is too long").into());
    }
    let program = shared.program;
    let member = Member::of(&program, main);
    if gauge::is_refused() {
        // Names are missing.
        return Err(Fault::of_all("filter is too long").into());
    }
    Ok(Compiled { program, main, member })
}
