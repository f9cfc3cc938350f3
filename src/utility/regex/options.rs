//! The words of the engines: syntaxes, options, and what a match is.

use super::error::RegexError;
use crate::limit::{Limit, Meter};
use crate::pattern::Stopped;
use std::sync::Arc;

/// Groups of a POSIX expression that are open at once, at most: putting code around code costs its length.
pub(super) const GREATEST_DEPTH: usize = 250;

/// A match's `[start, end)` in bytes.
pub(crate) type Span = (usize, usize);

/// The syntax of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// POSIX BRE: `grep`, `sed`, `expr`.
    Basic,
    /// POSIX ERE: `grep -E`, `sed -E`, `awk`, `[[ =~ ]]`.
    Extended,
    /// `grep -P`.
    Perl,
    /// Alternatives of texts, whose special characters are escaped; the first that matches is taken.
    Texts,
    /// The syntax of the `regex` crate: `rg`.
    Rust,
}

/// Whose treatment of what POSIX leaves undefined is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// bash, `expr`, `find -regex`: `*a` and `a{x` are errors, `)` alone is literal.
    #[default]
    Posix,
    /// As `Posix`, with `)` alone an error, and `\n`, `\t`, `\f`, `\v`, `\a`, `\r` in and out of brackets.
    Sed,
    /// As `Sed` without GNU's operators (`\+`, `\w`, `\<` ...) and without escapes in brackets; `)` alone is literal.
    SedPosix,
    /// `*` with nothing to repeat is skipped (ERE), an interval that is none is literal.
    Grep,
    /// `*` with nothing to repeat is literal, as is an interval that is none; a backslash escapes in brackets; C's
    /// escapes and octal numbers in place of back-references; `\y` for a word's boundary.
    Awk,
}

/// How an expression is compiled.
#[derive(Clone, Debug)]
pub(crate) struct RegexOptions {
    /// Upper and lower case are the same.
    pub(crate) ignore_case: bool,
    /// `^` and `$` match at newlines too, `.` and negated brackets match none (`REG_NEWLINE`, sed's `M`).
    pub(crate) newline_sensitive: bool,
    /// The match is the whole text, or with `newline_sensitive` a whole line (`grep -x`).
    pub(crate) whole_line: bool,
    /// No word character stands before or after the match (`grep -w`).
    pub(crate) whole_word: bool,
    /// Whose rules apply where POSIX has none.
    pub(crate) dialect: Dialect,
    /// Instructions a program may have; in Perl's syntax 64 bytes each.
    pub(crate) size_limit: usize,
    /// Steps that one search with back-references may take.
    pub(crate) backtrack_limit: u64,
    /// What the memory of an expression in Perl's syntax is charged to as long as it lives; that of the others is charged by
    /// its containers.
    pub(crate) meter: Option<Arc<Meter>>,
    /// Whoever asks knows another way when the expression is too large.
    pub(crate) is_attempt: bool,
}

impl RegexOptions {
    /// An error as whoever asked gets it: a size past the limit ends the run.
    pub(super) fn refusal(&self, error: RegexError) -> RegexError {
        let (limit, allowed) = match error {
            RegexError::Size => {
                (Limit::RegexBytes, (self.size_limit as u64).saturating_mul(BYTES_PER_INSTRUCTION))
            }
            RegexError::Depth => (Limit::SyntaxDepth, GREATEST_DEPTH as u64),
            error => return error,
        };
        match &self.meter {
            Some(meter) if !self.is_attempt => {
                meter.fail_with(limit, allowed);
                RegexError::Stopped(Stopped)
            }
            _ => error,
        }
    }
}

impl Default for RegexOptions {
    fn default() -> Self {
        Self {
            ignore_case: false,
            newline_sensitive: false,
            whole_line: false,
            whole_word: false,
            dialect: Dialect::Posix,
            size_limit: 1 << 16,
            backtrack_limit: 10_000_000,
            meter: None,
            is_attempt: false,
        }
    }
}

/// Bytes that an instruction stands for, with its share of the simulation's memory.
pub(crate) const BYTES_PER_INSTRUCTION: u64 = 64;

/// What lies between a group's two slots.
pub(super) fn span(slots: &[Option<usize>], group: usize) -> Option<Span> {
    Some(((*slots.get(2 * group)?)?, (*slots.get(2 * group + 1)?)?))
}
