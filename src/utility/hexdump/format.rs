//! Format strings of `hexdump`: units with how often they apply, and the pieces that each is made of.

use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::specification::Specification;

/// A format string.
#[derive(Debug, Default)]
pub(super) struct Format {
    pub(super) units: Vec<Unit>,
    /// Bytes that it takes, before its last unit is repeated.
    size: usize,
}

/// A unit: its pieces are printed `repeats` times.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) repeats: usize,
    is_fixed: bool,
    /// Bytes that one repetition takes.
    size: usize,
    pub(super) pieces: Vec<Piece>,
    /// It is printed once, after all of the data (`%_A`).
    pub(super) is_final: bool,
}

/// Text, then a conversion; the last piece of a unit may be text alone.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) text: Vec<u8>,
    pub(super) conversion: Option<Conversion>,
}

#[derive(Debug)]
pub(super) struct Conversion {
    pub(super) specification: Specification,
    pub(super) kind: Kind,
    pub(super) size: usize,
    pub(super) colors: Vec<Color>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `%_a` and `%_A`, with the letter of the base.
    Address(u8),
    /// `%c`
    Byte,
    /// `%_c`
    Character,
    /// `%_p`
    Printable,
    /// `%_u`
    Named,
    /// `%s`
    Text,
    Signed,
    /// With the letter.
    Unsigned(u8),
    /// With the letter.
    Float(u8),
}

/// `_L[...]`: where a conversion is coloured, and how.
#[derive(Debug)]
pub(super) struct Color {
    pub(super) is_negated: bool,
    /// What the terminal is told; `None`: the colour is unknown.
    pub(super) code: Option<&'static str>,
    pub(super) wanted: Option<Wanted>,
    /// First offset and bytes.
    pub(super) range: Option<(u64, u64)>,
}

#[derive(Debug)]
pub(super) enum Wanted {
    Number(u64),
    Text(Vec<u8>),
}

/// The widest field.
const WIDEST: usize = 65_535;

impl Format {
    /// Reads a format string.
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let bad = || UtilityError::failed(format!("bad format {{{}}}", bstr::BStr::new(text)));
        let mut format = Self::default();
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() {
            let (mut repeats, mut is_fixed, mut size) = (1, false, 0);
            if let (digits @ [_, ..], after) = super::super::format::float::split_digits(rest) {
                if !after.first().is_some_and(|byte| is_blank(*byte) || *byte == b'/') {
                    return Err(bad());
                }
                (repeats, is_fixed) = (number(digits), true);
                rest = after.get(1..).unwrap_or_default().trim_ascii_start();
            }
            if let Some(after) = rest.strip_prefix(b"/") {
                rest = after.trim_ascii_start();
            }
            if let (digits @ [_, ..], after) = super::super::format::float::split_digits(rest) {
                if !after.first().is_some_and(|byte| is_blank(*byte)) {
                    return Err(bad());
                }
                size = number(digits);
                rest = after.trim_ascii_start();
            }
            let body = rest.strip_prefix(b"\"").ok_or_else(bad)?;
            let end = memchr::memchr(b'"', body).ok_or_else(bad)?;
            let unit = Unit::parse(body.get(..end).unwrap_or(body), repeats, is_fixed, size)?;
            format.size = format.size.saturating_add(unit.size.saturating_mul(unit.repeats));
            format.units.push(unit);
            rest = body.get(end + 1..).unwrap_or_default().trim_ascii_start();
        }
        Ok(format)
    }

    /// Repeats the last unit as often as blocks of `block` bytes have room for it.
    fn fill(&mut self, block: usize) {
        let size = self.size;
        if let Some(unit) = self.units.last_mut().filter(|unit| !unit.is_fixed && unit.size > 0) {
            let more = block.saturating_sub(size) / unit.size;
            unit.repeats = unit.repeats.saturating_add(more);
        }
    }
}

/// Bytes of the largest format; all are brought to it.
pub(super) fn fill(formats: &mut [Format]) -> usize {
    let block = formats.iter().map(|format| format.size).max().unwrap_or(0);
    for format in formats {
        format.fill(block);
    }
    block
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn number(digits: &[u8]) -> usize {
    let add = |value: usize, digit: &u8| value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    digits.iter().fold(0, add)
}

/// `\n` and the like; another character stands for itself.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                None => break,
                Some(b'a') => 0x07,
                Some(b'b') => 0x08,
                Some(b'f') => 0x0c,
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'v') => 0x0b,
                Some(&other) => other,
            },
            byte => byte,
        });
    }
    out
}

fn bad_conversion(letters: &[u8]) -> UtilityError {
    UtilityError::failed(format!("bad conversion character %{}", bstr::BStr::new(letters)))
}

fn bad_count(letters: &[u8]) -> UtilityError {
    let shown = bstr::BStr::new(letters);
    UtilityError::failed(format!("bad byte count for conversion character {shown}"))
}

impl Unit {
    fn parse(body: &[u8], repeats: usize, is_fixed: bool, given: usize) -> Result<Self, UtilityError> {
        let text = unescape(body);
        let mut unit = Self { repeats, is_fixed, size: given, pieces: Vec::new(), is_final: false };
        let (mut rest, mut conversions, mut taken) = (text.as_slice(), 0, 0);
        while !rest.is_empty() {
            let Some(at) = memchr::memchr(b'%', rest) else {
                unit.pieces.push(Piece { text: rest.to_metered(), conversion: None });
                break;
            };
            let lead = rest.get(..at).unwrap_or_default().to_metered();
            let (conversion, is_final, after) =
                Conversion::parse(rest.get(at + 1..).unwrap_or_default(), given)?;
            unit.is_final |= is_final;
            if !matches!(conversion.kind, Kind::Address(_)) && given > 0 {
                conversions += 1;
                if conversions > 1 {
                    return Err(UtilityError::failed("byte count with multiple conversion characters"));
                }
            }
            taken += conversion.size;
            unit.pieces.push(Piece { text: lead, conversion: Some(conversion) });
            rest = after;
        }
        if given == 0 {
            unit.size = taken;
        }
        Ok(unit)
    }
}

impl Conversion {
    /// A conversion after its `%`; whether it is one for the end, and what is after it.
    fn parse(text: &[u8], given: usize) -> Result<(Self, bool, &[u8]), UtilityError> {
        let (specification, rest) = Specification::read(text, b" -0+#");
        let (&letter, rest) = rest.split_first().ok_or_else(|| bad_conversion(b""))?;
        if specification.width.max(specification.precision.unwrap_or(0)) > WIDEST {
            return Err(bad_conversion(text.get(..text.len() - rest.len()).unwrap_or(text)));
        }
        let sized = |name: &[u8], known: &[usize]| match given {
            0 => Ok(known.first().copied().unwrap_or(0)),
            given if known.contains(&given) => Ok(given),
            _ => Err(bad_count(name)),
        };
        let (mut rest, mut is_final) = (rest, false);
        let (kind, size) = match letter {
            b'c' => (Kind::Byte, sized(b"c", &[1])?),
            b'd' | b'i' => (Kind::Signed, sized(&[letter], &[4, 1, 2, 8])?),
            b'o' | b'u' | b'x' | b'X' => (Kind::Unsigned(letter), sized(&[letter], &[4, 1, 2, 8])?),
            b'e' | b'E' | b'f' | b'g' | b'G' => (Kind::Float(letter), sized(&[letter], &[8, 4])?),
            b's' => match (given, specification.precision) {
                (0, None) => return Err(UtilityError::failed("%s requires a precision or a byte count")),
                (0, Some(precision)) => (Kind::Text, precision),
                (given, _) => (Kind::Text, given),
            },
            b'_' => {
                let (&second, after) = rest.split_first().ok_or_else(|| bad_conversion(b"_"))?;
                rest = after;
                match second {
                    b'a' | b'A' => {
                        is_final = second == b'A';
                        let (&base, after) =
                            rest.split_first().ok_or_else(|| bad_conversion(&[b'_', second]))?;
                        if !matches!(base, b'd' | b'o' | b'x') {
                            return Err(bad_conversion(&[b'_', second, base]));
                        }
                        rest = after;
                        (Kind::Address(base), 0)
                    }
                    b'c' => (Kind::Character, sized(b"_c", &[1])?),
                    b'p' => (Kind::Printable, sized(b"_p", &[1])?),
                    b'u' => (Kind::Named, sized(b"_u", &[1])?),
                    _ => return Err(bad_conversion(&[b'_', second])),
                }
            }
            _ => return Err(bad_conversion(&[letter])),
        };
        let mut colors = Vec::new();
        if let Some(list) = rest.strip_prefix(b"_L[") {
            let end = memchr::memchr(b']', list).ok_or_else(|| bad_conversion(b"_L["))?;
            for color in list.get(..end).unwrap_or(list).split(|&byte| byte == b',') {
                colors.push(Color::parse(color, size)?);
            }
            rest = list.get(end + 1..).unwrap_or_default();
        }
        Ok((Self { specification, kind, size, colors }, is_final, rest))
    }
}

impl Color {
    /// `[!]COLOR[:VALUE][@OFFSET_START[-END]]`
    fn parse(text: &[u8], size: usize) -> Result<Self, UtilityError> {
        let (is_negated, rest) = match text.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let split = |text: &'_ [u8], byte: u8| -> (usize, usize) {
            let at = memchr::memchr(byte, text).unwrap_or(text.len());
            (at, (at + 1).min(text.len()))
        };
        let (end, next) = split(rest, b'@');
        let (front, range) = (rest.get(..end).unwrap_or(rest), rest.get(next..).unwrap_or_default());
        let (end, next) = split(front, b':');
        let (name, value) = (front.get(..end).unwrap_or(front), front.get(next..).unwrap_or_default());
        let range = if range.is_empty() {
            None
        } else {
            let (end, next) = split(range, b'-');
            let first = offset(range.get(..end).unwrap_or(range)).ok_or_else(|| bad_count(b"_L"))?;
            let last = match range.get(next..).unwrap_or_default() {
                [] => first,
                last => offset(last).ok_or_else(|| bad_count(b"_L"))?,
            };
            Some((first, last.checked_sub(first).ok_or_else(|| bad_count(b"_L"))?.saturating_add(1)))
        };
        let wanted = match value {
            [] => None,
            [b'0', ..] => Some(Wanted::Number(offset(value).ok_or_else(|| bad_count(b"_L"))?)),
            text => {
                let room = range.map_or(size as u64, |(_, length)| length);
                if text.len() as u64 != room {
                    return Err(bad_count(b"_L"));
                }
                Some(Wanted::Text(text.to_metered()))
            }
        };
        Ok(Self { is_negated, code: code(name), wanted, range })
    }
}

/// A number of C: decimal, `0x` or `0`.
fn offset(text: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(text).ok()?;
    match (text.strip_prefix("0x"), text.strip_prefix('0').filter(|digits| !digits.is_empty())) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) => u64::from_str_radix(digits, 8).ok(),
        (None, None) => text.parse().ok(),
    }
}

fn code(name: &[u8]) -> Option<&'static str> {
    const CODES: [(&str, &str); 16] = [
        ("black", "30"),
        ("red", "31"),
        ("green", "32"),
        ("brown", "33"),
        ("blue", "34"),
        ("magenta", "35"),
        ("cyan", "36"),
        ("gray", "37"),
        ("darkgray", "1;30"),
        ("lightred", "1;31"),
        ("lightgreen", "1;32"),
        ("yellow", "1;33"),
        ("lightblue", "1;34"),
        ("lightmagenta", "1;35"),
        ("lightcyan", "1;36"),
        ("white", "1;37"),
    ];
    CODES.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, code)| *code)
}

/// The formats of the options that stand for some.
pub(super) fn known(option: u8) -> &'static [&'static str] {
    match option {
        b'b' => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""],
        b'c' => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""],
        b'C' => &[
            "\"%08.8_Ax\\n\"",
            "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \"",
            "\"  |\" 16/1 \"%_p\" \"|\\n\"",
        ],
        b'd' => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""],
        b'o' => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""],
        b'x' => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""],
        _ => &["\"%07.7_Ax\\n\"", "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\""],
    }
}

/// A size of util-linux: a number of C, perhaps with a fraction, and a unit (`K` and `KiB` are 1024, `KB` 1000).
pub(super) fn parse_size(text: &[u8]) -> Result<u64, String> {
    const INVALID: &str = "Invalid argument";
    const RANGE: &str = "Numerical result out of range";
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', _, ..] => (8, text),
        digits => (10, digits),
    };
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (number, mut rest) = digits.split_at_checked(count).unwrap_or((digits, &[]));
    let number = std::str::from_utf8(number).ok().filter(|number| !number.is_empty()).ok_or(INVALID)?;
    let number = u64::from_str_radix(number, radix).map_err(|_| RANGE)?;
    let mut fraction: &[u8] = &[];
    if let Some(after) = rest.strip_prefix(b".") {
        (fraction, rest) = super::super::format::float::split_digits(after);
        if fraction.is_empty() || rest.is_empty() {
            return Err(INVALID.into());
        }
    }
    let (letter, base) = match rest {
        [] => return Ok(number),
        [letter] | [letter, b'i', b'B' | b'b'] => (letter.to_ascii_uppercase(), 1024_u64),
        [letter, b'B' | b'b'] => (letter.to_ascii_uppercase(), 1000),
        _ => return Err(INVALID.into()),
    };
    let power = b"KMGTPEZY".iter().position(|known| *known == letter).ok_or(INVALID)?;
    let unit = base.checked_pow(power as u32 + 1).ok_or(RANGE)?;
    let whole = number.checked_mul(unit).ok_or(RANGE)?;
    let mut part = 0_u64;
    let mut scale = unit / 10;
    for digit in fraction {
        part += u64::from(digit - b'0') * scale;
        scale /= 10;
    }
    whole.checked_add(part).ok_or_else(|| RANGE.into())
}
