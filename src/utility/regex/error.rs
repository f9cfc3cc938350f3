//! What can be wrong with a regular expression, in glibc's words.
use crate::memory::String;

/// Why a regular expression was not compiled, or a match not finished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RegexError {
    /// A bracket expression of which there is no more than its beginning.
    #[error("Invalid regular expression")]
    Pattern,
    /// A collating element of more than one character.
    #[error("Invalid collation character")]
    CollationCharacter,
    /// A name in `[:name:]` that is not a class.
    #[error("Invalid character class name")]
    ClassName,
    /// A backslash at the end.
    #[error("Trailing backslash")]
    TrailingBackslash,
    /// A reference to a group that is not complete before it.
    #[error("Invalid back reference")]
    BackReference,
    /// A bracket expression without its end.
    #[error("Unmatched [, [^, [:, [., or [=")]
    UnmatchedBracket,
    /// A group without its end.
    #[error("Unmatched ( or \\(")]
    UnmatchedOpen,
    /// An interval without its end.
    #[error("Unmatched \\{{")]
    UnmatchedInterval,
    /// An interval that holds no count, or whose counts are in the wrong order.
    #[error("Invalid content of \\{{\\}}")]
    IntervalContent,
    /// An interval with an escaped comma, which only one of GNU's two engines reads.
    #[error("invalid content of \\{{\\}}")]
    EscapedComma,
    /// A range whose end comes before its start, or is a class.
    #[error("Invalid range end")]
    RangeEnd,
    /// A repetition of nothing.
    #[error("Invalid preceding regular expression")]
    Repetition,
    /// A count is larger than `RE_DUP_MAX`.
    #[error("Regular expression too big")]
    TooBig,
    /// What it compiles to is larger than its size limit. With a meter that is `regex_bytes`, and ends the run.
    #[error("Regular expression too big")]
    Size,
    /// Groups are nested deeper than `options::GREATEST_DEPTH`. With a meter that ends the run.
    #[error("Regular expression too big")]
    Depth,
    /// The end of a group that was not begun.
    #[error("Unmatched ) or \\)")]
    UnmatchedClose,
    /// A match with back-references took more steps than are allowed.
    #[error("exceeded the limit of {limit} steps for back-references")]
    Backtracking {
        /// The steps that are allowed.
        limit: u64,
    },
    /// What is wrong in Perl syntax, in PCRE's words.
    #[error("{0}")]
    Perl(String),
    /// The match was stopped by its ticker.
    #[error(transparent)]
    Stopped(#[from] crate::pattern::Stopped),
}
