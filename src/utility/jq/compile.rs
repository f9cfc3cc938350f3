//! Filter text to a compiled filter that can be kept and shared.

use super::binding::Id;
use super::parse::{Definition, Imported, Meaning, Parser, Shared, TOP_LEVEL};
use super::term::{Program, Term};
use super::text::Text;
use super::value::Value;
use crate::limit::gauge;
use crate::memory::{String, ToMeteredString, Vec, format, vec};
use std::fmt;

/// Fuel of a name that comes from a module.
const NAME: i64 = 10;

/// The longest filter in bytes.
const LONGEST: usize = 1 << 20;

/// A filter that could not be compiled: what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", Listed(.0))]
pub(crate) struct CompileError(pub(crate) Vec<Fault>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What stands between `jq: error` and the problem.
    pub(crate) separator: &'static str,
    /// What is wrong, in jq's words.
    pub(crate) problem: String,
    /// Where; `None` for what concerns the whole filter.
    pub(crate) place: Option<FilterPlace>,
}

/// A part of a filter's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilterPlace {
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
        for Fault { separator, problem, place } in self.0 {
            write!(f, "jq: error{separator}{problem}")?;
            if let Some(FilterPlace { source, line, text, column, length }) = place {
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
            separator: ": ",
            problem: problem.to_metered_string(),
            place: Some(FilterPlace { source, line, text, column, length }),
        }
    }

    /// Something about the whole filter.
    pub(super) fn of_all(problem: &str) -> Self {
        Fault { separator: ": ", problem: problem.to_metered_string(), place: None }
    }

    /// Something about a file that could not be loaded.
    pub(super) fn of_loading(problem: &str) -> Self {
        Fault { separator: " ", ..Self::of_all(problem) }
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
    link(&[], filter, &[], globals)
}

/// A module that is compiled together with a filter.
#[derive(Debug)]
pub(crate) struct Module {
    /// Its file.
    pub(crate) source: String,
    pub(crate) text: String,
    pub(crate) links: Vec<Link>,
}

/// What a text takes from elsewhere.
#[derive(Debug)]
pub(crate) struct Link {
    /// The name before `::`.
    pub(crate) alias: Option<String>,
    pub(crate) target: Target,
}

/// See [`Link`].
#[derive(Debug)]
pub(crate) enum Target {
    /// The functions of the module with that number, which stands before.
    Module(usize),
    Data(Value),
}

/// As [`compile`], with the modules that the filter takes from by `links`; a module takes only from those before it.
///
/// # Errors
/// As [`compile`].
pub(crate) fn link(
    modules: &[Module],
    filter: &str,
    links: &[Link],
    globals: &[&str],
) -> Result<Compiled, CompileError> {
    if filter.len() > LONGEST || modules.iter().any(|module| module.text.len() > LONGEST) {
        return Err(Fault::of_all("filter is too long").into());
    }
    let mut names = vec!["ENV"];
    names.extend(globals);
    let mut shared = Shared { globals: &names, ..Shared::default() };
    let mut defined: Vec<Vec<Definition>> = Vec::new();
    for module in modules {
        let imported = imported(&module.links, &defined, &mut shared);
        let library = Parser::of(&module.text, &module.source, &imported, &mut shared).library()?;
        defined.push(library.definitions);
    }
    let imported = imported(links, &defined, &mut shared);
    let main = Parser::of(filter, TOP_LEVEL, &imported, &mut shared).filter()?;
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

/// The names that a text has by its links; of two that are the same the last one counts.
fn imported(links: &[Link], defined: &[Vec<Definition>], shared: &mut Shared<'_>) -> Vec<Imported> {
    let mut names = Vec::new();
    for Link { alias, target } in links {
        let prefix = alias.as_deref().unwrap_or_default();
        match target {
            Target::Module(number) => {
                for Definition { name, arity, number } in defined.get(*number).into_iter().flatten() {
                    gauge::burn(NAME);
                    if gauge::is_refused() {
                        return names;
                    }
                    let name = if alias.is_some() { format!("{prefix}::{name}") } else { name.clone() };
                    names
                        .push(Imported { name, means: Meaning::Function { number: *number, arity: *arity } });
                }
            }
            Target::Data(value) => {
                let means = Meaning::Data(shared.data.len());
                shared.data.push(value.clone());
                names.push(Imported { name: prefix.to_metered_string(), means });
                names.push(Imported { name: format!("{prefix}::{prefix}"), means });
            }
        }
    }
    names
}
