//! Patterns of names in archives.

use crate::memory::Vec;
use crate::pattern::{Pattern, PatternOptions};

/// A pattern, of which a `*` stops at a slash where the options say so; `**` never does.
pub(crate) fn pattern(text: &[u8], options: PatternOptions) -> Pattern {
    if options.pathname && memchr::memmem::find(text, b"**").is_some() {
        let options = PatternOptions { extglob: true, ..options };
        return Pattern::parse(&with_double_stars(text), options);
    }
    Pattern::parse(text, options)
}

/// The same with extended operators: `**` is any number of units, slashes among them; a parenthesis is no operator.
fn with_double_stars(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match (byte, behind.split_first()) {
            (b'\\', Some((&escaped, behind))) => {
                out.extend_from_slice(&[byte, escaped]);
                rest = behind;
            }
            (b'*', Some((b'*', _))) => {
                let end = behind.iter().position(|byte| *byte != b'*').unwrap_or(behind.len());
                rest = behind.get(end..).unwrap_or_default();
                out.extend_from_slice(b"*(?|/)");
            }
            (b'(', _) => out.extend_from_slice(b"\\("),
            _ => out.push(byte),
        }
    }
    out
}
