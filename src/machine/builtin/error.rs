//! What goes wrong in a builtin, in bash's words. `bash: line N: NAME: ` is put before it where it is reported.

use crate::limit::LimitError;
use crate::machine::error::AssignError;
use crate::machine::halt::Halt;
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use bstr::BStr;

/// Why a builtin, or one of its operands, failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BuiltinError {
    /// `--help` was given.
    #[error("help")]
    Help,
    /// Only the usage line is printed.
    #[error("usage")]
    Usage,
    /// The command, the shell or the run ends; what is to be said was said.
    #[error("halted")]
    Halt(Halt),
    /// What is to be said was said.
    #[error("status {0}")]
    Reported(u8),

    #[error("{}{}: invalid option", if *plus { '+' } else { '-' }, BStr::new(&[*letter]))]
    InvalidOption { plus: bool, letter: u8 },
    #[error("-{}: option requires an argument", BStr::new(&[*letter]))]
    ArgumentRequired { letter: u8 },
    /// As [`BuiltinError::ArgumentRequired`] where operands are the arguments: no usage line follows.
    #[error("-{}: option requires an argument", BStr::new(&[*letter]))]
    NamesRequired { letter: u8 },
    #[error("{0}: option requires an argument")]
    ValueRequired(Text),
    #[error("{0}: invalid option")]
    InvalidArgument(Text),
    #[error("{0}: invalid option name")]
    InvalidOptionName(Text),
    #[error("{0}: invalid shell option name")]
    InvalidShellOptionName(Text),
    #[error("{0}: invalid action name")]
    InvalidAction(Text),
    #[error("too many arguments")]
    TooManyArguments,
    #[error("{0}: numeric argument required")]
    NumberRequired(Text),
    #[error("{0}: invalid number")]
    InvalidNumber(Text),
    /// As [`BuiltinError::InvalidNumber`], followed by the usage line.
    #[error("{0}: invalid number")]
    InvalidOperandNumber(Text),

    #[error("`{0}': not a valid identifier")]
    InvalidName(Text),
    #[error("{0}: not found")]
    NotFound(Text),
    #[error("{0}: readonly variable")]
    ReadOnlyVariable(Text),
    #[error("{0}: cannot unset: readonly variable")]
    UnsetReadOnlyVariable(Text),
    #[error("{0}: cannot unset: readonly function")]
    UnsetReadOnlyFunction(Text),
    #[error("cannot simultaneously unset a function and a variable")]
    UnsetBoth,
    #[error("{0}: not an array variable")]
    NotAnArray(Text),
    #[error("{0}: not an indexed array")]
    NotAnIndexedArray(Text),
    #[error("[{0}]: bad array subscript")]
    BadSubscript(Text),
    #[error("{0}: cannot convert indexed to associative array")]
    IndexedToAssociative(Text),
    #[error("{0}: cannot convert associative to indexed array")]
    AssociativeToIndexed(Text),
    #[error("{0}: cannot destroy array variables in this way")]
    ArrayDestroyed(Text),
    #[error("{0}: reference variable cannot be an array")]
    ArrayReference(Text),
    #[error("{0}: nameref variable self references not allowed")]
    SelfReference(Text),
    #[error("warning: {0}: circular name reference")]
    CircularReference(Text),
    #[error("`{0}': invalid variable name for name reference")]
    InvalidReference(Text),
    #[error("can only be used in a function")]
    NotInFunction,
    #[error("{0}: not a function")]
    NotAFunction(Text),
    #[error("empty array variable name")]
    EmptyArrayName,

    #[error("`{0}': invalid alias name")]
    InvalidAliasName(Text),
    #[error("{0}: not a shell builtin")]
    NotABuiltin(Text),
    #[error("{0}: not dynamically loaded")]
    NotLoaded(Text),
    #[error("cannot open shared object {0}: {0}: cannot open shared object file: No such file or directory")]
    NoSharedObject(Text),
    #[error("{0}: no completion specification")]
    NoCompletion(Text),
    #[error("hashing disabled")]
    HashingDisabled,
    #[error("not currently executing completion function")]
    NotCompleting,
    #[error("warning: -{} option may not work as you expect", char::from(*.0))]
    NotACompletion(u8),
    #[error("no help topics match `{0}'.  Try `help help' or `man -k {0}' or `info {0}'.")]
    NoHelp(Text),
    #[error("cannot set and unset shell options simultaneously")]
    SetAndUnset,
    /// In a restricted shell.
    #[error("restricted")]
    Restricted,
    #[error("{0}: restricted")]
    RestrictedOperand(Text),

    #[error("only meaningful in a `for', `while', or `until' loop")]
    NotInLoop,
    #[error("{0}: loop count out of range")]
    LoopCount(Text),
    #[error("{0}: shift count out of range")]
    ShiftCount(Text),
    #[error("can only `return' from a function or sourced script")]
    NothingToReturnFrom,
    #[error("not login shell: use `exit'")]
    NotALoginShell,

    #[error("{0}: no such job")]
    NoSuchJob(Text),
    #[error("{0}: ambiguous job spec")]
    AmbiguousJob(Text),
    #[error("no job control")]
    NoJobControl,
    #[error("job {0} already in background")]
    InBackground(u32),
    #[error("job has terminated")]
    Terminated,
    #[error("cannot suspend: no job control")]
    CannotSuspend,
    #[error("`{0}': not a pid or valid job spec")]
    NotAJob(Text),
    #[error("pid {0} is not a child of this shell")]
    NotAChild(Text),
    #[error("{0}: invalid signal specification")]
    InvalidSignal(Text),
    #[error("{0}: arguments must be process or job IDs")]
    NotAProcess(Text),
    #[error("({0}) - No such process")]
    NoSuchProcess(i64),

    #[error("{0} not set")]
    NotSet(&'static str),
    #[error("no other directory")]
    NoOtherDirectory,
    #[error("directory stack empty")]
    StackEmpty,
    #[error("{0}: directory stack index out of range")]
    StackIndex(Text),
    #[error("{0}: invalid argument")]
    InvalidStackArgument(Text),

    #[error("cannot use more than one of -anrw")]
    OneHistoryFile,
    #[error("{0}: history position out of range")]
    HistoryPosition(Text),
    #[error("{0}: history expansion failed")]
    NoHistoryExpansion(Text),
    #[error("no command found")]
    NoCommandFound,

    #[error("{0}: limit out of range")]
    LimitOutOfRange(Text),
    #[error("{0}: cannot modify limit: Operation not permitted")]
    LimitRefused(&'static str),
    #[error("{0}: octal number out of range")]
    OctalOutOfRange(Text),
    #[error("`{}': invalid symbolic mode operator", BStr::new(&[*.0]))]
    ModeOperator(u8),
    #[error("`{}': invalid symbolic mode character", BStr::new(&[*.0]))]
    ModeCharacter(u8),

    #[error("warning: line editing not enabled")]
    NoLineEditing,
    #[error("`{0}': invalid keymap name")]
    InvalidKeymap(Text),
    #[error("`{0}': unknown function name")]
    UnknownFunction(Text),
    #[error("{0}: first non-whitespace character is not `\"'")]
    NoKeySequence(Text),
    #[error("readline: {0}: no key sequence terminator")]
    NoTerminator(Text),
    #[error("{name}: cannot read: {}", errno.message())]
    CannotRead { name: Text, errno: Errno },

    #[error("expression expected")]
    ExpressionExpected,
    #[error("missing `]'")]
    MissingBracket,
    #[error("{0}: integer expression expected")]
    IntegerExpected(Text),
    #[error("{0}: unary operator expected")]
    UnaryExpected(Text),
    #[error("{0}: binary operator expected")]
    BinaryExpected(Text),
    #[error("argument expected")]
    ArgumentExpected,
    #[error("`)' expected")]
    CloseExpected,
    #[error("`)' expected, found {0}")]
    CloseExpectedFound(Text),

    #[error("read error: {descriptor}: {}", errno.message())]
    ReadError { descriptor: u32, errno: Errno },
    #[error("{0}: invalid file descriptor: Bad file descriptor")]
    BadDescriptor(u32),
    #[error("{0}: invalid file descriptor specification")]
    InvalidDescriptor(Text),
    #[error("{0}: invalid timeout specification")]
    InvalidTimeout(Text),
    #[error("{0}: invalid array origin")]
    InvalidOrigin(Text),
    #[error("{0}: invalid callback quantum")]
    InvalidQuantum(Text),
    #[error("{0}: invalid line count")]
    InvalidLineCount(Text),

    #[error("write error: {}", .0.message())]
    WriteError(Errno),
    #[error("filename argument required")]
    FileRequired,
    #[error("{0}: file not found")]
    FileNotFound(Text),
    #[error("{0}: is a directory")]
    IsADirectory(Text),
    #[error("{0}: cannot execute binary file")]
    BinaryFile(Text),
    #[error("{name}: cannot execute: {}", errno.message())]
    CannotExecute { name: Text, errno: Errno },
    #[error("{name}: {}", errno.message())]
    File { name: Text, errno: Errno },
    /// As [`BuiltinError::File`]; bash does not say which builtin it was.
    #[error("{name}: {}", errno.message())]
    Script { name: Text, errno: Errno },
}

impl crate::machine::error::Message for BuiltinError {}

impl BuiltinError {
    /// Whether the usage line follows.
    pub(crate) const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::Usage
                | Self::InvalidOption { .. }
                | Self::ArgumentRequired { .. }
                | Self::ValueRequired(_)
                | Self::InvalidArgument(_)
                | Self::InvalidOperandNumber(_)
                | Self::InvalidStackArgument(_)
                | Self::FileRequired
        )
    }

    /// Whether there is something to say before a usage line.
    pub(crate) const fn is_message(&self) -> bool {
        !matches!(self, Self::Usage | Self::Help | Self::Halt(_) | Self::Reported(_))
    }

    /// Whether the builtin's name stands before it.
    pub(crate) const fn names_builtin(&self) -> bool {
        !matches!(self, Self::Script { .. } | Self::NoTerminator(_))
    }

    /// Whether it stands alone, without the shell's name and the line.
    pub(crate) const fn is_bare(&self) -> bool {
        matches!(self, Self::NoTerminator(_))
    }

    /// The exit status of a builtin that it ends.
    pub(crate) const fn status(&self) -> u8 {
        match self {
            Self::Reported(status) => *status,
            Self::Help
            | Self::InvalidAction(_)
            | Self::InvalidOptionName(_)
            | Self::MissingBracket
            | Self::IntegerExpected(_)
            | Self::UnaryExpected(_)
            | Self::BinaryExpected(_)
            | Self::ArgumentExpected
            | Self::CloseExpected
            | Self::CloseExpectedFound(_) => 2,
            Self::BinaryFile(_) => 126,
            _ if self.is_usage() => 2,
            _ => 1,
        }
    }

    /// An error of the file system about `name`.
    pub(crate) fn file(name: &Text, error: FsError) -> Self {
        match error {
            FsError::Errno(errno) => Self::File { name: name.clone(), errno },
            FsError::Limit(limit) => limit.into(),
        }
    }
}

impl From<Halt> for BuiltinError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl From<LimitError> for BuiltinError {
    fn from(error: LimitError) -> Self {
        Self::Halt(error.into())
    }
}

impl From<AssignError> for BuiltinError {
    fn from(error: AssignError) -> Self {
        match error {
            AssignError::Halt(halt) => Self::Halt(halt),
            AssignError::ReadOnly | AssignError::Invalid => Self::Reported(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_those_of_bash() {
        // bash 5.2: alias -q; hash -p; umask z; kill -s
        let shown = |error: BuiltinError| error.to_string();
        assert_eq!(shown(BuiltinError::InvalidOption { plus: false, letter: b'q' }), "-q: invalid option");
        assert_eq!(shown(BuiltinError::ArgumentRequired { letter: b'p' }), "-p: option requires an argument");
        assert_eq!(shown(BuiltinError::ModeOperator(b'z')), "`z': invalid symbolic mode operator");
        assert_eq!(shown(BuiltinError::ValueRequired(Text::from("-s"))), "-s: option requires an argument");
    }
}
