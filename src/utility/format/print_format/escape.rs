//! Backslash escapes of `printf` and `echo`.

use crate::character::digits;
use crate::memory::Vec;

/// Where an escape stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeIn {
    /// The format of bash's builtin: octal numbers have up to three digits, `\"`, `\'` and `\?` are known.
    Format,
    /// The format of the utility: `\c` ends the output as well.
    GnuFormat,
    /// The argument of `%b`: octal numbers may have a zero in front; `\c` ends the output.
    Argument,
}

/// What an escape was.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Escape {
    /// In bytes.
    pub(crate) length: usize,
    /// `\c`
    pub(crate) ends: bool,
    /// The letter of a `\x`, `\u` or `\U` without digits.
    pub(crate) lacks_digit: Option<u8>,
}

/// Decodes the escape at the front of `text`, which is a backslash.
pub(crate) fn decode(text: &[u8], place: EscapeIn, out: &mut Vec<u8>) -> Escape {
    let Some(&letter) = text.get(1) else {
        out.push(b'\\');
        return Escape { length: 1, ..Escape::default() };
    };
    let simple = match letter {
        b'a' => Some(7),
        b'b' => Some(8),
        b'e' | b'E' => Some(27),
        b'f' => Some(12),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        b'v' => Some(11),
        b'\\' => Some(b'\\'),
        b'"' => (place != EscapeIn::Argument).then_some(b'"'),
        b'\'' | b'?' if place == EscapeIn::Format => Some(letter),
        _ => None,
    };
    if let Some(byte) = simple {
        out.push(byte);
        return Escape { length: 2, ..Escape::default() };
    }
    match letter {
        b'c' if place != EscapeIn::Format => Escape { length: 2, ends: true, lacks_digit: None },
        b'0'..=b'7' => {
            let zero = usize::from(letter == b'0' && place == EscapeIn::Argument);
            let (value, count) = digits(text, 1 + zero, 8, 3);
            out.push(value as u8);
            Escape { length: 1 + zero + count, ..Escape::default() }
        }
        b'x' | b'u' | b'U' => {
            let most = match letter {
                b'x' => 2,
                b'u' => 4,
                _ => 8,
            };
            let (value, count) = digits(text, 2, 16, most);
            if count == 0 {
                out.extend_from_slice(&[b'\\', letter]);
                return Escape { length: 2, ends: false, lacks_digit: Some(letter) };
            }
            if letter == b'x' {
                out.push(value as u8);
            } else {
                push_code_point(value, out);
            }
            Escape { length: 2 + count, ..Escape::default() }
        }
        _ => {
            out.push(b'\\');
            Escape { length: 1, ..Escape::default() }
        }
    }
}

/// Appends a code point as UTF-8, also a surrogate.
pub(crate) fn push_code_point(value: u32, out: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(value) {
        let mut buffer = [0; 4];
        out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
    } else if value < 0x1_0000 {
        let tail = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
        out.extend_from_slice(&[0xe0 | (value >> 12) as u8, tail(6), tail(0)]);
    }
}
