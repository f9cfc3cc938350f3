//! What stands between delimiters in a script: regular expressions, replacements, the strings of `y`; and the escapes that
//! GNU sed knows in them.

use super::error::Fault;
use super::program::{Case, Part, Translation};
use super::source::Source;
use crate::character::{Unit, push_unit, unit_at};
use crate::memory::{HashMap, HashSet, Vec};
use crate::utility::regex::{Dialect, simple_escape};

/// What stands between delimiters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Regex,
    /// With `--posix`: there are no escapes in brackets.
    PosixRegex,
    /// A replacement, or a string of `y`.
    Text,
}

/// Reads up to `delimiter`, which is taken. In a regular expression a bracket expression hides the delimiter and `\n` is
/// a newline; an escaped delimiter loses its backslash. `None`: the line ended first.
pub(super) fn read(source: &mut Source, delimiter: u8, kind: Kind) -> Option<Vec<u8>> {
    let is_regex = kind != Kind::Text;
    let mut text = Vec::new();
    while let Some(byte) = source.next() {
        match byte {
            b'\n' => {
                source.back();
                return None;
            }
            _ if byte == delimiter => return Some(text),
            b'\\' => match source.next()? {
                b'n' if is_regex && delimiter != b'n' => text.push(b'\n'),
                b'\n' if is_regex => text.push(b'\n'),
                escaped if escaped == delimiter && (is_regex || escaped != b'&') => text.push(escaped),
                escaped => text.extend([b'\\', escaped]),
            },
            b'[' if is_regex => {
                if !read_bracket(source, kind, &mut text) {
                    return None;
                }
            }
            _ => text.push(byte),
        }
    }
    None
}

/// Where the end of a bracket expression is looked for.
#[derive(Clone, Copy)]
enum Look {
    Outside,
    /// After a `[`.
    Open,
    /// In `[:alpha:]`, `[.a.]` or `[=a=]`, of which this is the sign.
    Inside(u8),
    /// After that sign, which the `]` must follow that ends it.
    Closing(u8),
}

/// Copies a bracket expression whose `[` was taken; false when it has no end in its line.
fn read_bracket(source: &mut Source, kind: Kind, text: &mut Vec<u8>) -> bool {
    text.push(b'[');
    let mut ahead = Vec::new();
    for first in [b'^', b']'] {
        if source.take_if(first) {
            ahead.push(first);
        }
    }
    let mut look = Look::Outside;
    while let Some(byte) = source.next() {
        if byte == b'\n' {
            source.back();
            return false;
        }
        ahead.push(byte);
        look = match (look, byte) {
            (Look::Outside | Look::Open, b']') => {
                text.extend(if kind == Kind::Regex { unescape_bracket(&ahead) } else { ahead });
                return true;
            }
            (Look::Outside, b'[') => Look::Open,
            (Look::Open, b':' | b'.' | b'=') => Look::Inside(byte),
            (look, b'[') => look,
            (Look::Outside | Look::Open, _) | (Look::Closing(_), b']') => Look::Outside,
            (Look::Inside(sign), _) if byte == sign => Look::Closing(sign),
            (Look::Inside(sign) | Look::Closing(sign), _) => Look::Inside(sign),
        };
    }
    false
}

/// Puts the characters into a bracket expression that its escapes stand for.
fn unescape_bracket(bracket: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bracket.len());
    let mut bytes = bracket.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.peek().filter(|_| byte == b'\\').copied();
        match escaped.and_then(|letter| simple_escape(letter, Dialect::Sed)) {
            Some(unit) => {
                bytes.next();
                push_unit(&mut text, unit);
            }
            // The second of two backslashes begins no escape.
            None if escaped == Some(b'\\') => {
                bytes.next();
                text.extend(br"\\");
            }
            None => text.push(byte),
        }
    }
    text
}

/// An escape that stands for a byte: `\a \f \n \r \t \v \cX \dNNN \oNNN \xHH`. `at` is after the backslash; the byte and
/// the place after it.
pub(super) fn escape(text: &[u8], at: usize) -> Result<Option<(u8, usize)>, Fault> {
    let simple = |byte| Ok(Some((byte, at + 1)));
    match text.get(at) {
        Some(b'a') => simple(7),
        Some(b'f') => simple(12),
        Some(b'n') => simple(b'\n'),
        Some(b'r') => simple(b'\r'),
        Some(b't') => simple(b'\t'),
        Some(b'v') => simple(11),
        Some(b'c') => match text.get(at + 1) {
            Some(b'\\') if text.get(at + 2) != Some(&b'\\') => Err(Fault::RecursiveEscape),
            Some(b'\\') => Ok(Some((b'\\' ^ 0x40, at + 3))),
            Some(byte) => Ok(Some((byte.to_ascii_uppercase() ^ 0x40, at + 2))),
            None => Ok(None),
        },
        Some(b'd') => Ok(number(text, at + 1, 10, 3)),
        Some(b'o') => Ok(number(text, at + 1, 8, 3)),
        Some(b'x') => Ok(number(text, at + 1, 16, 2)),
        _ => Ok(None),
    }
}

fn number(text: &[u8], start: usize, base: u32, digits: usize) -> Option<(u8, usize)> {
    let mut value = 0;
    let mut at = start;
    while at < start + digits
        && let Some(digit) = text.get(at).and_then(|&byte| char::from(byte).to_digit(base))
    {
        value = value * base + digit;
        at += 1;
    }
    (at > start).then_some((value as u8, at))
}

/// Makes the escapes that the regular expressions do not know into what they stand for, which may be special.
pub(super) fn expand_regex(text: &[u8], kind: Kind) -> Result<Vec<u8>, Fault> {
    let mut expanded = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut is_in_bracket = false;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                let is_escape = kind == Kind::Regex || !is_in_bracket;
                if is_escape
                    && matches!(text.get(at), Some(b'c' | b'd' | b'o' | b'x'))
                    && let Some((byte, next)) = escape(text, at)?
                {
                    expanded.push(byte);
                    at = next;
                    continue;
                }
                expanded.push(byte);
                if !is_in_bracket {
                    expanded.extend(text.get(at));
                    at += 1;
                }
                continue;
            }
            b'[' if !is_in_bracket => {
                is_in_bracket = true;
                expanded.push(byte);
                for first in [b'^', b']'] {
                    if text.get(at) == Some(&first) {
                        expanded.push(first);
                        at += 1;
                    }
                }
                continue;
            }
            b'[' if matches!(text.get(at), Some(b':' | b'.' | b'=')) => {
                let end = text.get(at + 1..).unwrap_or(&[]).iter().position(|&byte| byte == b']');
                let next = end.map_or(text.len(), |end| at + end + 2);
                expanded.extend_from_slice(text.get(at - 1..next).unwrap_or(&[]));
                at = next;
                continue;
            }
            b']' => is_in_bracket = false,
            _ => {}
        }
        expanded.push(byte);
    }
    Ok(expanded)
}

/// Splits a replacement into its parts; with `--posix` none of them changes the case. The greatest group named comes with them.
pub(super) fn replacement(text: &[u8], is_posix: bool) -> Result<(Vec<Part>, usize), Fault> {
    let mut parts = Vec::new();
    let mut literal = Vec::new();
    let mut greatest = 0;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        let part = match byte {
            b'&' => Part::Group(0),
            b'\\' => {
                let Some(&escaped) = text.get(at) else {
                    literal.push(b'\\');
                    break;
                };
                match escaped {
                    b'0'..=b'9' => {
                        let group = usize::from(escaped - b'0');
                        greatest = greatest.max(group);
                        at += 1;
                        Part::Group(group)
                    }
                    b'L' | b'U' | b'E' | b'l' | b'u' if !is_posix => {
                        at += 1;
                        match escaped {
                            b'L' => Part::Case(Case::Lower),
                            b'U' => Part::Case(Case::Upper),
                            b'E' => Part::Case(Case::Kept),
                            b'l' => Part::NextCase(Case::Lower),
                            _ => Part::NextCase(Case::Upper),
                        }
                    }
                    _ => {
                        if let Some((byte, next)) = escape(text, at)? {
                            literal.push(byte);
                            at = next;
                        } else {
                            literal.push(escaped);
                            at += 1;
                        }
                        continue;
                    }
                }
            }
            _ => {
                literal.push(byte);
                continue;
            }
        };
        if !literal.is_empty() {
            parts.push(Part::Literal(std::mem::take(&mut literal)));
        }
        parts.push(part);
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Ok((parts, greatest))
}

/// The table of `y/from/to/`.
pub(super) fn translation(from: &[u8], to: &[u8]) -> Result<Translation, Fault> {
    let (from, to) = (characters(from)?, characters(to)?);
    if from.len() != to.len() {
        return Err(Fault::DifferentLengths);
    }
    let mut ascii = [0; 128];
    for (index, slot) in ascii.iter_mut().enumerate() {
        *slot = index as u8;
    }
    let mut seen = HashSet::default();
    let mut others = HashMap::default();
    for (from, to) in from.into_iter().zip(to) {
        if !seen.insert(from) {
            continue;
        }
        match (ascii.get_mut(from as usize), u8::try_from(to)) {
            (Some(slot), Ok(to @ 0..128)) => *slot = to,
            _ => {
                others.insert(from, to);
            }
        }
    }
    Ok(Translation { ascii, others })
}

/// The characters of a string of `y`, escapes resolved.
fn characters(text: &[u8]) -> Result<Vec<Unit>, Fault> {
    let mut units = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some((unit, length)) = unit_at(text, at) {
        if unit == Unit::from(b'\\') {
            if let Some((byte, next)) = escape(text, at + 1)? {
                units.push(Unit::from(byte));
                at = next;
                continue;
            }
            if let Some((escaped, length)) = unit_at(text, at + 1) {
                units.push(escaped);
                at += 1 + length;
                continue;
            }
        }
        units.push(unit);
        at += length;
    }
    Ok(units)
}

/// The text of `a`, `i` and `c`: escapes resolved, other backslashes removed.
pub(super) fn text(raw: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        if byte != b'\\' {
            text.push(byte);
        } else if let Some((byte, next)) = escape(raw, at)? {
            text.push(byte);
            at = next;
        } else {
            text.extend(raw.get(at));
            at += 1;
        }
    }
    Ok(text)
}
