//! Pattern source → tokens: units with their quoting. An unquoted backslash quotes the unit after it, inside brackets
//! too, and one at the end of the pattern stands for itself.

use super::PatternOptions;
use crate::character::Unit;
use crate::limit::gauge;
use crate::memory::Vec;

/// One unit of a pattern; a quoted one stands for itself everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) unit: Unit,
    pub(super) is_quoted: bool,
}

impl Token {
    /// Whether this is the unquoted special character `byte`.
    pub(super) fn is(self, byte: u8) -> bool {
        !self.is_quoted && self.unit == Unit::from(byte)
    }
}

/// Tokens of `source`; `quoted` says for each byte whether quoting makes it literal, and is false past its end. A unit
/// is quoted when its first byte is.
pub(super) fn tokens(source: &[u8], quoted: &[bool], options: PatternOptions) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(source.len());
    if gauge::is_refused() {
        return tokens;
    }
    let mut at = 0;
    let mut escaped = false;
    while let Some((unit, length)) = options.unit_at(source, at) {
        let is_quoted = quoted.get(at).copied().unwrap_or(false);
        at += length;
        if escaped {
            escaped = false;
            tokens.push(Token { unit, is_quoted: true });
        } else if unit == Unit::from(b'\\') && !is_quoted && at < source.len() {
            escaped = true;
        } else {
            tokens.push(Token { unit, is_quoted: is_quoted || unit == Unit::from(b'\\') });
        }
    }
    tokens
}
