//! Key sequences as they are written (`\C-x\e`, `Control-q`) and as bytes. Readline manual 1.3.1.

use crate::character::escaped_byte;
use crate::memory::{String, Vec};
use std::fmt::Write as _;

/// The bytes of a sequence that is written with escapes.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        if byte != b'\\' {
            out.push(byte);
            rest = after;
            continue;
        }
        let (control, meta, inner) = modifiers(after);
        if meta {
            out.push(0x1b);
        }
        let (byte, after) = match inner.split_first() {
            // A plain character after a modifier.
            Some((&byte, after)) if (control || meta) && byte != b'\\' => (byte, after),
            Some((_, after)) if control || meta => escape(after),
            _ => escape(inner),
        };
        out.push(if control { controlled(byte) } else { byte });
        rest = after;
    }
    out
}

/// `C-` and `M-` after a backslash, with those that follow.
fn modifiers(mut rest: &[u8]) -> (bool, bool, &[u8]) {
    let (mut control, mut meta) = (false, false);
    loop {
        match rest {
            [b'C', b'-', after @ ..] => (control, rest) = (true, after),
            [b'M', b'-', after @ ..] => (meta, rest) = (true, after),
            _ => return (control, meta, rest),
        }
        if let [b'\\', b'C' | b'M', b'-', ..] = rest {
            rest = rest.get(1..).unwrap_or(&[]);
        } else {
            return (control, meta, rest);
        }
    }
}

/// What stands after a backslash: its byte, and the rest.
fn escape(text: &[u8]) -> (u8, &[u8]) {
    let Some((&byte, after)) = text.split_first() else { return (b'\\', text) };
    let value = match byte {
        b'd' => 0x7f,
        b'E' => byte,
        b'x' => return number(after, 16, 2),
        b'0'..=b'7' => return number(text, 8, 3),
        other => escaped_byte(other).unwrap_or(other),
    };
    (value, after)
}

fn number(text: &[u8], base: u32, most: usize) -> (u8, &[u8]) {
    let digits = text.iter().take(most).take_while(|byte| char::from(**byte).is_digit(base)).count();
    let value = text
        .iter()
        .take(digits)
        .fold(0_u32, |value, byte| value * base + char::from(*byte).to_digit(base).unwrap_or(0));
    (value as u8, text.get(digits..).unwrap_or(&[]))
}

/// The key with Control.
fn controlled(byte: u8) -> u8 {
    if byte == b'?' { 0x7f } else { byte.to_ascii_uppercase() & 0x1f }
}

/// A sequence as Readline shows it.
pub(super) fn encode(keys: &[u8]) -> String {
    let mut out = String::new();
    for &byte in keys {
        match byte {
            0x1b => out.push_str("\\e"),
            0x7f => out.push_str("\\C-?"),
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            0..=0x1f => {
                out.push_str("\\C-");
                let shown = char::from(byte + 0x40).to_ascii_lowercase();
                out.extend((shown == '\\').then_some('\\'));
                out.push(shown);
            }
            0x80.. => {
                let _ = write!(out, "\\{byte:o}");
            }
            byte => out.push(char::from(byte)),
        }
    }
    out
}

/// Splits `"keys": rest`.
pub(super) fn split(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let inner = text.trim_ascii_start().strip_prefix(b"\"")?;
    let mut escaped = false;
    let end = inner.iter().position(|&byte| {
        let found = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        found
    })?;
    let rest = inner.get(end + 1..)?.trim_ascii_start().strip_prefix(b":")?;
    Some((decode(inner.get(..end)?), rest.trim_ascii()))
}

/// Keys that have names.
const NAMED: [(&str, u8); 11] = [
    ("del", 0x7f),
    ("rubout", 0x7f),
    ("esc", 0x1b),
    ("escape", 0x1b),
    ("lfd", b'\n'),
    ("newline", b'\n'),
    ("ret", b'\r'),
    ("return", b'\r'),
    ("spc", b' '),
    ("space", b' '),
    ("tab", b'\t'),
];

/// Splits `Control-Meta-key: rest`.
pub(super) fn split_named(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let at = memchr::memchr(b':', text)?;
    let (mut name, rest) = text.split_at(at);
    let (mut control, mut meta) = (false, false);
    while let Some(dash) = name.iter().skip(1).position(|&byte| byte == b'-') {
        let (modifier, after) = name.split_at(dash + 1);
        let is = |known: &str| modifier.eq_ignore_ascii_case(known.as_bytes());
        if ["control", "ctrl", "c"].into_iter().any(is) {
            control = true;
        } else if ["meta", "m"].into_iter().any(is) {
            meta = true;
        } else {
            return None;
        }
        name = after.get(1..)?;
    }
    let known = NAMED.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
    let byte = match known {
        Some((_, byte)) => *byte,
        None => *name.first()?,
    };
    let mut keys = Vec::with_capacity(2);
    keys.extend(meta.then_some(0x1b));
    keys.push(if control { controlled(byte) } else { byte });
    Some((keys, rest.get(1..)?.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_round_trip() {
        for text in ["\\C-o\\C-s\\C-h", "\\e[1;3D", "\\C-x\\C-?", "a\\\"b", "\\C-\\\\"] {
            assert_eq!(encode(&decode(text.as_bytes())), text);
        }
        assert_eq!(decode(b"\\M-x"), b"\x1bx");
        assert_eq!(decode(b"\\x20\\t"), b" \t");
        assert_eq!(decode(b"\\"), b"\\");
        assert_eq!(split(b"\"\\C-o\": yank"), Some((crate::memory::vec![15], b"yank".as_slice())));
        assert_eq!(split_named(b"Control-q: yank"), Some((crate::memory::vec![17], b"yank".as_slice())));
    }
}
