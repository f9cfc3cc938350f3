//! Backslash escapes: one reader, and a row for each tool that decodes them with what it knows.

use crate::character::{digits, escaped_byte};
use crate::memory::Vec;

/// The escapes that a tool knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escapes {
    /// What stands for one byte each.
    letters: &'static [u8],
    octal: Octal,
    /// `\xHH`
    hexadecimal: bool,
    /// `\uHHHH` and `\UHHHHHHHH`
    unicode: bool,
    /// `\c` ends the output.
    ends: bool,
}

/// Which numbers in octal are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Octal {
    None,
    /// `\NNN`
    Plain,
    /// `\0NNN`
    AfterZero,
    /// Both.
    Either,
}

/// What an escape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    Byte(u8),
    /// `\u` and `\U`
    CodePoint(u32),
    /// `\c`
    End,
    /// A `\x`, `\u` or `\U` without digits.
    LacksDigit(u8),
    /// The tool does not know this letter.
    Unknown(u8),
    /// Nothing is after the backslash.
    Alone,
}

impl Escapes {
    const BASE: Self =
        Self { letters: b"abfnrtv\\", octal: Octal::None, hexadecimal: false, unicode: false, ends: false };
    /// `%b` of `printf`.
    pub(crate) const ARGUMENT: Self =
        Self { letters: b"abeEfnrtv\\", octal: Octal::Either, hexadecimal: true, unicode: true, ends: true };
    /// The format of bash's `printf`.
    pub(crate) const BASH_FORMAT: Self =
        Self { letters: b"abeEfnrtv\\\"'?", octal: Octal::Plain, ends: false, ..Self::ARGUMENT };
    /// The format of GNU's `printf`.
    pub(crate) const GNU_FORMAT: Self =
        Self { letters: b"abeEfnrtv\\\"", octal: Octal::Plain, ..Self::ARGUMENT };
    /// bash's `echo -e`.
    pub(crate) const BASH_ECHO: Self = Self { octal: Octal::AfterZero, ..Self::ARGUMENT };
    /// GNU's `echo -e`.
    pub(crate) const GNU_ECHO: Self = Self { unicode: false, ..Self::ARGUMENT };
    /// `stat --printf`
    pub(crate) const STAT: Self =
        Self { letters: b"abefnrtv\\\"", octal: Octal::Plain, hexadecimal: true, ..Self::BASE };
    /// `find -printf`
    pub(crate) const FIND: Self = Self { octal: Octal::Plain, ends: true, ..Self::BASE };
    /// The strings of `awk`.
    pub(crate) const AWK: Self =
        Self { letters: b"abfnrtv\\\"", octal: Octal::Plain, hexadecimal: true, ..Self::BASE };
    /// `paste -d`, beside `\0`, which is not a byte there.
    pub(crate) const PASTE: Self = Self { letters: b"bfnrtv\\", ..Self::BASE };
    /// The sets of `tr`, which bounds its octal numbers itself.
    pub(crate) const TR: Self = Self::BASE;
    /// `xargs -d`, whose numbers are the whole rest.
    pub(crate) const XARGS: Self = Self::BASE;

    /// Reads the escape at the front of `text`, which is what is after the backslash; and how many bytes of it that is.
    pub(crate) fn read(&self, text: &[u8]) -> (Escape, usize) {
        let Some(&letter) = text.first() else { return (Escape::Alone, 0) };
        if self.letters.contains(&letter) {
            return (Escape::Byte(escaped_byte(letter).unwrap_or(letter)), 1);
        }
        match letter {
            b'c' if self.ends => (Escape::End, 1),
            b'0'..=b'7' => {
                let start = match (self.octal, letter) {
                    (Octal::Plain, _) | (Octal::Either, b'1'..) => 0,
                    (Octal::AfterZero | Octal::Either, b'0') => 1,
                    _ => return (Escape::Unknown(letter), 1),
                };
                let (value, count) = digits(text, start, 8, 3);
                (Escape::Byte(value as u8), start + count)
            }
            b'x' if self.hexadecimal => match digits(text, 1, 16, 2) {
                (_, 0) => (Escape::LacksDigit(letter), 1),
                (value, count) => (Escape::Byte(value as u8), 1 + count),
            },
            b'u' | b'U' if self.unicode => match digits(text, 1, 16, if letter == b'u' { 4 } else { 8 }) {
                (_, 0) => (Escape::LacksDigit(letter), 1),
                (value, count) => (Escape::CodePoint(value), 1 + count),
            },
            _ => (Escape::Unknown(letter), 1),
        }
    }

    /// Appends what the escape at the front of `text`, which is a backslash, stands for; and the escape's length. Of an
    /// unknown one only the backslash is taken.
    pub(crate) fn decode(&self, text: &[u8], out: &mut Vec<u8>) -> (Escape, usize) {
        let (escape, length) = self.read(text.get(1..).unwrap_or(&[]));
        match escape {
            Escape::Byte(byte) => out.push(byte),
            Escape::CodePoint(value) => push_code_point(value, out),
            Escape::End => {}
            Escape::LacksDigit(letter) => out.extend_from_slice(&[b'\\', letter]),
            Escape::Unknown(_) | Escape::Alone => {
                out.push(b'\\');
                return (escape, 1);
            }
        }
        (escape, 1 + length)
    }
}

/// Appends a code point as UTF-8, also a surrogate.
fn push_code_point(value: u32, out: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(value) {
        let mut buffer = [0; 4];
        out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
    } else if value < 0x1_0000 {
        let tail = |shift: u32| 0x80 | (value >> shift & 0x3f) as u8;
        out.extend_from_slice(&[0xe0 | (value >> 12) as u8, tail(6), tail(0)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_its_own_escapes() {
        for (escapes, text, want) in [
            (Escapes::BASH_FORMAT, "'", (Escape::Byte(b'\''), 1)),
            (Escapes::GNU_FORMAT, "'", (Escape::Unknown(b'\''), 1)),
            (Escapes::GNU_FORMAT, "101", (Escape::Byte(b'A'), 3)),
            (Escapes::ARGUMENT, "0101", (Escape::Byte(b'A'), 4)),
            (Escapes::ARGUMENT, "101", (Escape::Byte(b'A'), 3)),
            (Escapes::BASH_ECHO, "101", (Escape::Unknown(b'1'), 1)),
            (Escapes::BASH_ECHO, "u41x", (Escape::CodePoint(0x41), 3)),
            (Escapes::GNU_ECHO, "u41", (Escape::Unknown(b'u'), 1)),
            (Escapes::STAT, "x", (Escape::LacksDigit(b'x'), 1)),
            (Escapes::FIND, "x41", (Escape::Unknown(b'x'), 1)),
            (Escapes::FIND, "c", (Escape::End, 1)),
            (Escapes::AWK, "x414", (Escape::Byte(b'A'), 3)),
            (Escapes::PASTE, "a", (Escape::Unknown(b'a'), 1)),
            (Escapes::TR, "", (Escape::Alone, 0)),
        ] {
            assert_eq!(escapes.read(text.as_bytes()), want, "{text}");
        }
    }
}
