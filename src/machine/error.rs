//! What goes wrong while a script runs, in bash's words. [`Shell::report`](super::shell::Shell::report) puts `bash: line N: `
//! before them; how far an error reaches is decided where it arises.

use super::halt::Halt;
use crate::syntax;
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use std::fmt::Display;

/// What can be reported: a type that has the words.
pub(crate) trait Message: Display {}

impl<M: Message + ?Sized> Message for &M {}
impl Message for ExpansionError {}
impl Message for EvaluationError {}
impl Message for AssignmentError {}
impl Message for CommandError {}

/// Why a word could not be expanded, and what is said of an expansion.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ExpansionError {
    #[error("{0}: unbound variable")]
    Unbound(Text),
    /// `${x?}`
    #[error("{0}: parameter not set")]
    Unset(Text),
    /// `${x:?}`
    #[error("{0}: parameter null or not set")]
    UnsetOrNull(Text),
    /// `${x?message}`
    #[error("{parameter}: {message}")]
    Refused { parameter: Text, message: Text },
    #[error("{0}: invalid indirect expansion")]
    InvalidIndirection(Text),
    #[error("{0}: invalid variable name")]
    InvalidName(Text),
    #[error("{0}: expression recursion level exceeded")]
    TooManyReferences(Text),
    #[error("warning: {0}: circular name reference")]
    CircularReference(Text),
    #[error("{0}: bad array subscript")]
    BadSubscript(Text),
    #[error("{0}: bad substitution")]
    BadSubstitution(Text),
    #[error("bad substitution: no closing \"`\" in {0}")]
    OpenBackquote(Text),
    #[error("bad substitution: no closing `}}' in {0}")]
    OpenBrace(Text),
    #[error("{0}: substring expression < 0")]
    NegativeLength(Text),
    #[error("${0}: cannot assign in this way")]
    NotAssignable(Text),
    #[error("no match: {0}")]
    NoMatch(Text),
    /// `$(< file)`
    #[error("{0}: {1}")]
    File(Text, FsError),
    #[error("warning: command substitution: ignored null byte in input")]
    NullByte,
    #[error("cannot make pipe for process substitution: Too many open files")]
    NoDescriptor,
}

/// Why an arithmetic expression has no value. What it is part of may be put before it.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum EvaluationError {
    #[error("{0}: expression recursion level exceeded (error token is \"{0}\")")]
    TooDeep(Text),
    #[error("{expression}: {error}")]
    Syntax { expression: Text, error: syntax::ArithmeticError },
    #[error("{expression}: syntax error: invalid arithmetic operator (error token is \"{token}\")")]
    InvalidOperator { expression: Text, token: Text },
    #[error("{expression}: {fault} (error token is \"{token}\")")]
    Operand { expression: Text, fault: OperandFault, token: Text },
}

/// What is wrong with a right operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OperandFault {
    #[error("division by 0")]
    Zero,
    #[error("exponent less than 0")]
    Negative,
}

/// Why a variable could not be assigned, and what is said of an assignment.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum AssignmentError {
    #[error("{0}: readonly variable")]
    ReadOnly(Text),
    #[error("{0}: bad array subscript")]
    BadSubscript(Text),
    #[error("{name}[{subscript}]: bad array subscript")]
    NoElement { name: Text, subscript: Text },
    /// In `name=( ... )`.
    #[error("[{key}]={value}: bad array subscript")]
    BadElement { key: Text, value: Text },
    #[error("{name}: {value}: must use subscript when assigning associative array")]
    NoKey { name: Text, value: Text },
    #[error("{0}: cannot assign list to array member")]
    ListToElement(Text),
    #[error("warning: {0}: removing nameref attribute")]
    NamerefRemoved(Text),
    #[error("BASH_XTRACEFD: {0}: invalid value for trace file descriptor")]
    NoTraceDescriptor(Text),
    #[error("BASH_COMPAT: {0}: compatibility value out of range")]
    NoSuchCompatibility(Text),
}

/// Why a command was not run, or a function not defined.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("{0}: command not found")]
    NotFound(Text),
    #[error("{0}: cannot execute: required file not found")]
    NoInterpreter(Text),
    #[error("{0}: cannot execute binary file: Exec format error")]
    Binary(Text),
    #[error("{}: {}", .0, .1.message())]
    File(Text, Errno),
    /// The host's gate said so, in its own words.
    #[error("{name}: {reason}")]
    Denied { name: Text, reason: Text },
    /// `FUNCNEST`
    #[error("{name}: maximum function nesting level exceeded ({most})")]
    NestedTooDeep { name: Text, most: u32 },
    #[error("{0}: readonly function")]
    ReadOnlyFunction(Text),
    #[error("{0}: restricted: cannot specify `/' in command names")]
    Restricted(Text),
    #[error("`{0}': is a special builtin")]
    SpecialBuiltin(Text),
    #[error("`{0}': not a valid identifier")]
    InvalidIdentifier(Text),
    #[error("TIMEFORMAT: `{0}': invalid format character")]
    TimeFormat(char),
}

impl CommandError {
    /// A name that no search found, as it is shown.
    pub(crate) fn not_found(name: &Text) -> Self {
        let is_plain = !super::quote::needs_ansi_c(name);
        Self::NotFound(if is_plain { name.clone() } else { Text::from(super::quote::ansi_c(name)) })
    }

    /// `$?` of the command.
    pub(crate) const fn status(&self) -> u8 {
        match self {
            Self::NotFound(_) | Self::NoInterpreter(_) | Self::File(_, Errno::NotFound) => 127,
            Self::Binary(_) | Self::File(..) | Self::Denied { .. } => 126,
            Self::NestedTooDeep { .. }
            | Self::ReadOnlyFunction(_)
            | Self::Restricted(_)
            | Self::SpecialBuiltin(_)
            | Self::InvalidIdentifier(_)
            | Self::TimeFormat(_) => 1,
        }
    }
}

/// An assignment failed; the message was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignError {
    /// The variable is read-only.
    ReadOnly,
    /// The value or the subscript is not valid.
    Invalid,
    /// The value could not be evaluated: the command is abandoned.
    Halt(Halt),
}

impl From<crate::limit::LimitError> for AssignError {
    fn from(error: crate::limit::LimitError) -> Self {
        Self::Halt(error.into())
    }
}

impl From<Halt> for AssignError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}
