//! The regular expressions of `-regex`, of whatever `-regextype` says.

use super::parse::fail;
use crate::limit::Meter;
use crate::memory::{JoinText, String, Vec, format};
use crate::utility::UtilityError;
use crate::utility::context::ticker::regex_options;
use crate::utility::format::quote::quote;
use crate::utility::regex::{Regex, RegexOptions, Syntax};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RegexSyntax {
    Emacs,
    Basic,
    Extended,
}

/// Compiles an expression of `-regex`.
pub(super) fn regex(
    meter: &Arc<Meter>,
    syntax: RegexSyntax,
    source: &[u8],
    ignore_case: bool,
) -> Result<Regex, UtilityError> {
    let emacs;
    let (text, syntax) = match syntax {
        RegexSyntax::Emacs => {
            emacs = extended_from_emacs(source);
            (emacs.as_slice(), Syntax::Extended)
        }
        RegexSyntax::Basic => (source, Syntax::Basic),
        RegexSyntax::Extended => (source, Syntax::Extended),
    };
    let options = RegexOptions { ignore_case, whole_line: true, ..regex_options(meter) };
    Regex::new(text, syntax, &options).map_err(|error| {
        let source = String::from_utf8_lossy(source);
        UtilityError::failed(format!("failed to compile regular expression '{source}': {error}"))
    })
}

/// What `-regextype` names.
pub(super) fn regex_syntax(name: &[u8]) -> Result<RegexSyntax, UtilityError> {
    Ok(match name {
        b"findutils-default" | b"emacs" => RegexSyntax::Emacs,
        b"ed" | b"grep" | b"posix-basic" | b"posix-minimal-basic" | b"sed" => RegexSyntax::Basic,
        b"awk" | b"gnu-awk" | b"posix-awk" | b"posix-egrep" | b"egrep" | b"posix-extended" => {
            RegexSyntax::Extended
        }
        _ => {
            let known = [
                "findutils-default",
                "ed",
                "emacs",
                "gnu-awk",
                "grep",
                "posix-awk",
                "awk",
                "posix-basic",
                "posix-egrep",
                "egrep",
                "posix-extended",
                "posix-minimal-basic",
                "sed",
            ];
            return fail(format!(
                "Unknown regular expression type {}; valid types are ‘{}’.",
                quote(name),
                known.join_text("’, ‘")
            ));
        }
    })
}

/// Emacs' expressions as extended ones: `\(`, `\)` and `\|` are operators, `(`, `)`, `|`, `{` and `}` are themselves.
pub(in crate::utility) fn extended_from_emacs(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() * 2);
    let mut rest = source;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'\\' => match tail.split_first() {
                Some((operator @ (b'(' | b')' | b'|'), tail)) => {
                    out.push(*operator);
                    rest = tail;
                }
                Some((other, tail)) => {
                    out.extend_from_slice(&[b'\\', *other]);
                    rest = tail;
                }
                None => out.push(b'\\'),
            },
            b'(' | b')' | b'|' | b'{' | b'}' => out.extend_from_slice(&[b'\\', byte]),
            b'[' => {
                let length = bracket_length(tail);
                out.push(b'[');
                out.extend_from_slice(tail.get(..length).unwrap_or(tail));
                rest = tail.get(length..).unwrap_or(&[]);
            }
            _ => out.push(byte),
        }
    }
    out
}

/// How long a bracket expression is after its `[`; everything when it does not end.
pub(in crate::utility) fn bracket_length(text: &[u8]) -> usize {
    let mut at = usize::from(text.first() == Some(&b'^'));
    if text.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(&byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b']', _) => return at + 1,
            (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                let inner = text.get(at + 2..).unwrap_or(&[]);
                match memchr::memmem::find(inner, &[*kind, b']']) {
                    Some(end) => at += end + 4,
                    None => return text.len(),
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}
