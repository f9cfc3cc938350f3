//! Characters in the locale C.UTF-8, as patterns and regular expressions see them: the unit of matching (one UTF-8
//! character, or one byte that is part of none), case, and the character classes of brackets.

use crate::limit::gauge;
use crate::memory::Vec;

/// A character's scalar value, or `INVALID + byte` for a byte outside any UTF-8 character.
pub(crate) type Unit = u32;

/// What is added to a byte that belongs to no character.
pub(crate) const INVALID: Unit = 0x11_0000;

/// The unit that begins at `at` and its length in bytes; `None` at the end of `text`.
pub(crate) fn unit_at(text: &[u8], at: usize) -> Option<(Unit, usize)> {
    let rest = text.get(at..)?;
    let first = *rest.first()?;
    if first < 0x80 {
        return Some((Unit::from(first), 1));
    }
    match bstr::decode_utf8(rest) {
        (Some(character), length) => Some((character as Unit, length)),
        (None, _) => Some((INVALID + Unit::from(first), 1)),
    }
}

/// The unit of a byte where every byte is a character: the locale C.
pub(crate) fn byte_unit(byte: u8) -> Unit {
    if byte < 0x80 { Unit::from(byte) } else { INVALID + Unit::from(byte) }
}

/// The unit that ends at `end` and its length in bytes; `None` at the start of `text`.
pub(crate) fn unit_before(text: &[u8], end: usize) -> Option<(Unit, usize)> {
    let head = text.get(..end)?;
    let last = *head.last()?;
    if last < 0x80 {
        return Some((Unit::from(last), 1));
    }
    match bstr::decode_last_utf8(head) {
        (Some(character), length) => Some((character as Unit, length)),
        (None, _) => Some((INVALID + Unit::from(last), 1)),
    }
}

/// The character of a unit, unless it is an invalid byte.
pub(crate) fn character(unit: Unit) -> Option<char> {
    char::from_u32(unit)
}

/// The unit in lower case, where that is a single character.
pub(crate) fn fold(unit: Unit) -> Unit {
    single(unit, |character| {
        let mut lower = character.to_lowercase();
        (lower.next(), lower.next())
    })
}

/// The unit in upper case, where that is a single character.
pub(crate) fn unfold(unit: Unit) -> Unit {
    single(unit, |character| {
        let mut upper = character.to_uppercase();
        (upper.next(), upper.next())
    })
}

fn single(unit: Unit, map: impl Fn(char) -> (Option<char>, Option<char>)) -> Unit {
    match character(unit).map(map) {
        Some((Some(only), None)) => only as Unit,
        _ => unit,
    }
}

/// Appends the bytes of a unit.
pub(crate) fn push_unit(bytes: &mut Vec<u8>, unit: Unit) {
    match character(unit) {
        Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.push((unit & 0xff) as u8),
    }
}

/// A character class, `[:name:]` (POSIX XBD 9.3.5, and bash's `ascii` and `word`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Alnum,
    Alpha,
    Ascii,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Word,
    XDigit,
}

/// The bits of the ASCII characters from `first` to `last`.
pub(crate) const fn ascii_range(first: u8, last: u8) -> u128 {
    (u128::MAX >> (127 - (last & 127))) & (u128::MAX << (first & 127))
}

const DIGITS: u128 = ascii_range(b'0', b'9');
/// The bits of `A` to `Z`.
pub(crate) const UPPERS: u128 = ascii_range(b'A', b'Z');
/// The bits of `a` to `z`.
pub(crate) const LOWERS: u128 = ascii_range(b'a', b'z');
const ALNUMS: u128 = DIGITS | UPPERS | LOWERS;
const GRAPHS: u128 = ascii_range(b'!', b'~');

impl Class {
    /// The class of that name.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alnum" => Self::Alnum,
            b"alpha" => Self::Alpha,
            b"ascii" => Self::Ascii,
            b"blank" => Self::Blank,
            b"cntrl" => Self::Cntrl,
            b"digit" => Self::Digit,
            b"graph" => Self::Graph,
            b"lower" => Self::Lower,
            b"print" => Self::Print,
            b"punct" => Self::Punct,
            b"space" => Self::Space,
            b"upper" => Self::Upper,
            b"word" => Self::Word,
            b"xdigit" => Self::XDigit,
            _ => return None,
        })
    }

    /// The ASCII characters of the class, a bit each.
    pub(crate) const fn ascii(self) -> u128 {
        match self {
            Self::Alnum => ALNUMS,
            Self::Alpha => UPPERS | LOWERS,
            Self::Ascii => u128::MAX,
            Self::Blank => (1 << b' ') | (1 << b'\t'),
            Self::Cntrl => ascii_range(0, 31) | (1 << 127),
            Self::Digit => DIGITS,
            Self::Graph => GRAPHS,
            Self::Lower => LOWERS,
            Self::Print => GRAPHS | (1 << b' '),
            Self::Punct => GRAPHS & !ALNUMS,
            Self::Space => ascii_range(9, 13) | (1 << b' '),
            Self::Upper => UPPERS,
            Self::Word => ALNUMS | (1 << b'_'),
            Self::XDigit => DIGITS | ascii_range(b'A', b'F') | ascii_range(b'a', b'f'),
        }
    }

    /// Whether the character belongs to the class.
    pub(crate) fn contains(self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii() & (1 << (c as u32)) != 0;
        }
        match self {
            Self::Alnum | Self::Alpha | Self::Word => c.is_alphanumeric(),
            Self::Ascii | Self::Digit | Self::XDigit => false,
            Self::Blank | Self::Space => {
                c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
            }
            Self::Cntrl => c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
            Self::Graph => !c.is_control() && !c.is_whitespace(),
            Self::Lower => c.is_lowercase(),
            Self::Print => !c.is_control(),
            Self::Punct => !c.is_alphanumeric() && !c.is_control() && !c.is_whitespace(),
            Self::Upper => c.is_uppercase(),
        }
    }
}

/// Whether the unit is a letter, digit or underscore.
pub(crate) fn is_word(unit: Unit) -> bool {
    character(unit).is_some_and(|c| Class::Word.contains(c))
}

/// The end of a stretch of at most `most` bytes from `at` that cuts no character.
pub(crate) fn stretch_end(text: &[u8], at: usize, most: usize) -> usize {
    let end = at.saturating_add(most);
    if end >= text.len() {
        return text.len();
    }
    let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // A character has at most three bytes after its first.
    let start = (0..4).map(|back| end - back.min(end)).find(|&place| !continues(place));
    start.filter(|&start| start > at).unwrap_or(end)
}

/// Characters in a text; a byte that is part of none counts as one.
pub(crate) fn count(text: &[u8]) -> usize {
    gauge::spend_bytes(text.len());
    if text.is_ascii() {
        return text.len();
    }
    let (mut rest, mut count) = (text, 0);
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => return count + valid.chars().count(),
            Err(error) => {
                let (valid, invalid) = rest.split_at_checked(error.valid_up_to()).unwrap_or((&[], rest));
                count += begun(valid);
                // Bytes that are part of no character, up to where the next may begin.
                let length = error.error_len().unwrap_or(invalid.len()).max(1);
                let (bytes, after) = invalid.split_at_checked(length).unwrap_or((invalid, &[]));
                count += bytes.len();
                rest = after;
            }
        }
    }
}

/// Characters that begin in valid UTF-8.
fn begun(valid: &[u8]) -> usize {
    valid.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

/// Byte offset of character number `index`, or the text's length.
pub(crate) fn offset_of(text: &[u8], index: usize) -> usize {
    gauge::spend_bytes(index.min(text.len()));
    if text.is_ascii() {
        return index.min(text.len());
    }
    let (mut at, mut left) = (0, index);
    // Whole blocks of valid text are counted, not decoded one by one.
    while left >= BLOCK {
        let end = stretch_end(text, at, BLOCK);
        match text.get(at..end) {
            Some(block) if !block.is_empty() && std::str::from_utf8(block).is_ok() => {
                left -= begun(block);
                at = end;
            }
            _ => break,
        }
    }
    for _ in 0..left {
        match unit_at(text, at) {
            Some((_, length)) => at += length,
            None => break,
        }
    }
    at
}

/// The byte that a letter after a backslash stands for in C, and in bash (`\e`).
pub(crate) const fn escaped_byte(letter: u8) -> Option<u8> {
    Some(match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        _ => return None,
    })
}

/// A number of at most `most` digits from `at` on, as escapes have them, and how many there were.
pub(crate) fn digits(text: &[u8], at: usize, base: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut used = 0;
    while used < most {
        let Some(digit) = text.get(at + used).and_then(|byte| char::from(*byte).to_digit(base)) else {
            break;
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}

/// Bytes of a block whose characters are counted at once.
const BLOCK: usize = 4096;

/// A text in blocks of about `size` bytes (at least one) that end between characters.
pub(crate) fn blocks(text: &[u8], size: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = size.clamp(1, rest.len());
        // At most three bytes continue a character.
        for _ in 0..3 {
            if rest.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
                end += 1;
            }
        }
        let (block, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        rest = after;
        Some(block)
    })
}
