//! The value of `$'...'`, and how a value is printed in single quotes. Bash manual 3.1.2.2 and 3.1.2.4.

use crate::character::{digits, escaped_byte};
use crate::memory::Vec;

/// The value of the text of `$'...'`. Bash manual 3.1.2.4. A NUL ends it.
pub(super) fn decode_ansi(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = text.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        if let Some(byte) = escaped_byte(escape) {
            out.push(byte);
            continue;
        }
        match escape {
            b'\\' | b'\'' | b'"' | b'?' => out.push(escape),
            b'0'..=b'7' => {
                let (value, length) = digits(text, at - 1, 8, 3);
                at = at - 1 + length;
                if value.trailing_zeros() >= 8 {
                    break;
                }
                out.push(value as u8);
            }
            b'x' | b'u' | b'U' => {
                let most = match escape {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                let braces = escape == b'x' && text.get(at) == Some(&b'{');
                let (value, length) =
                    digits(text, at + usize::from(braces), 16, if braces { 8 } else { most });
                if length == 0 {
                    out.extend_from_slice(&[b'\\', escape]);
                    continue;
                }
                at += length + usize::from(braces);
                if braces && text.get(at) == Some(&b'}') {
                    at += 1;
                }
                if escape == b'x' && value.trailing_zeros() >= 8 || value == 0 {
                    break;
                }
                if escape == b'x' { out.push(value as u8) } else { push_utf8(&mut out, value) }
            }
            b'c' => {
                let Some(&control) = text.get(at) else {
                    out.extend_from_slice(b"\\c");
                    break;
                };
                at += 1;
                // `\c\\` is one control character.
                if control == b'\\' && text.get(at) == Some(&b'\\') {
                    at += 1;
                }
                let value = if control == b'?' { 0x7f } else { control.to_ascii_uppercase() & 0x1f };
                if value == 0 {
                    break;
                }
                out.push(value);
            }
            _ => out.extend_from_slice(&[b'\\', escape]),
        }
    }
    out
}

/// Bash encodes every 31-bit number in UTF-8's original scheme, surrogates too.
pub(super) fn push_utf8(out: &mut Vec<u8>, value: u32) {
    if value < 0x80 {
        out.push(value as u8);
        return;
    }
    let (first, more) = match value {
        0..0x800 => (0xc0, 1),
        0x800..0x1_0000 => (0xe0, 2),
        0x1_0000..0x20_0000 => (0xf0, 3),
        0x20_0000..0x400_0000 => (0xf8, 4),
        _ => (0xfc, 5),
    };
    out.push(first | (value.checked_shr(6 * more).unwrap_or(0) as u8 & 0x3f));
    for index in (0..more).rev() {
        out.push(0x80 | ((value >> (6 * index)) as u8 & 0x3f));
    }
}

/// Appends `text` in single quotes; a single quote in it becomes `'\''`.
pub(super) fn put_single_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'\'');
    for &byte in text {
        if byte == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
}
