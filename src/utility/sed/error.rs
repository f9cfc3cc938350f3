//! What can be wrong with a `sed` script, in GNU sed's words, and where.

use crate::memory::{String, format};
use crate::utility::UtilityError;
use crate::utility::regex::RegexError;

/// A fault of a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("multiple `!'s")]
    SeveralNegations,
    #[error("unexpected `,'")]
    UnexpectedComma,
    #[error("invalid usage of line address 0")]
    LineZero,
    #[error("unmatched `{{'")]
    UnmatchedOpen,
    #[error("unexpected `}}'")]
    UnexpectedClose,
    #[error("extra characters after command")]
    ExtraCharacters,
    #[error("expected \\ after `a', `c' or `i'")]
    ExpectedBackslash,
    #[error("`}}' doesn't want any addresses")]
    CloseWithAddress,
    #[error(": doesn't want any addresses")]
    LabelWithAddress,
    #[error("comments don't accept any addresses")]
    CommentWithAddress,
    #[error("missing command")]
    MissingCommand,
    #[error("command only uses one address")]
    OneAddress,
    #[error("unterminated address regex")]
    UnterminatedAddress,
    #[error("unterminated `s' command")]
    UnterminatedSubstitute,
    #[error("unterminated `y' command")]
    UnterminatedTranslate,
    #[error("unknown option to `s'")]
    UnknownSubstituteOption,
    #[error("multiple `p' options to `s' command")]
    SeveralPrints,
    #[error("multiple `g' options to `s' command")]
    SeveralGlobals,
    #[error("multiple number options to `s' command")]
    SeveralNumbers,
    #[error("number option to `s' command may not be zero")]
    ZeroNumber,
    #[error("strings for `y' command are different lengths")]
    DifferentLengths,
    #[error("delimiter character is not a single-byte character")]
    WideDelimiter,
    #[error("expected newer version of sed")]
    NewerVersion,
    #[error("unknown command: `{}'", shown(*.0))]
    UnknownCommand(u8),
    #[error("incomplete command")]
    IncompleteCommand,
    #[error("invalid usage of +N or ~N as first address")]
    RelativeFirst,
    #[error("no previous regular expression")]
    NoPreviousRegex,
    #[error("\":\" lacks a label")]
    MissingLabel,
    #[error("missing filename in r/R/w/W commands")]
    MissingFileName,
    #[error("cannot specify modifiers on empty regexp")]
    ModifierOnEmptyRegex,
    #[error("invalid reference \\{0} on `s' command's RHS")]
    InvalidReference(usize),
    #[error("e/r/w commands disabled in sandbox mode")]
    Disabled,
    #[error("recursive escaping after \\c not allowed")]
    RecursiveEscape,
    #[error(transparent)]
    Regex(#[from] RegexError),
}

/// The letter of a command, or what stands for a byte that is none.
fn shown(letter: u8) -> char {
    if letter.is_ascii() { char::from(letter) } else { char::REPLACEMENT_CHARACTER }
}

/// A fault and how far the script had been read.
#[derive(Clone, Debug)]
pub(super) enum ScriptError {
    /// In an expression or file.
    At { place: FaultPlace, fault: Fault },
    /// A label that no `:` sets.
    Label(String),
    /// `[:alpha:]` without the second brackets.
    BareClass,
    /// What GNU sed's second engine finds, which knows of no place.
    SecondEngine(RegexError),
    /// A file that cannot be written.
    Output(UtilityError),
}

impl ScriptError {
    /// The byte that is not a command, where it is not ASCII.
    pub(super) fn unknown_byte(&self) -> Option<u8> {
        match self {
            Self::At { fault: Fault::UnknownCommand(byte), .. } if !byte.is_ascii() => Some(*byte),
            _ => None,
        }
    }
}

/// Where a fault was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FaultPlace {
    /// The number of the `-e`, from 1, and the characters read of it; 0 where it is the whole.
    Expression(usize, usize),
    /// File and line.
    File(String, usize),
}

impl Default for FaultPlace {
    fn default() -> Self {
        Self::Expression(1, 0)
    }
}

impl From<ScriptError> for UtilityError {
    fn from(error: ScriptError) -> Self {
        match error {
            ScriptError::At { place: FaultPlace::Expression(number, character), fault } => {
                Self::failed(format!("-e expression #{number}, char {character}: {fault}"))
            }
            ScriptError::At { place: FaultPlace::File(name, line), fault } => {
                Self::failed(format!("file {name} line {line}: {fault}"))
            }
            ScriptError::BareClass => Self::Failed {
                message: "character class syntax is [[:space:]], not [:space:]".into(),
                status: 4,
            },
            ScriptError::SecondEngine(error) => Self::Failed { message: format!("{error}"), status: 4 },
            ScriptError::Output(error) => error,
            ScriptError::Label(label) => {
                Self::Failed { message: format!("can't find label for jump to `{label}'"), status: 4 }
            }
        }
    }
}
