//! Bracket expressions of BRE and ERE (POSIX XBD 9.3.5) → sets.

use super::error::RegexError;
use super::options::{Dialect, RegexOptions};
use super::parse::simple_escape;
use super::program::Set;
use crate::character::{Class, Unit, unfold, unit_at};

/// glibc looks for the end of a name in brackets within so many bytes.
const LONGEST_NAME: usize = 32;

enum Item {
    One(Unit),
    Class(Class),
}

/// Reads the bracket expression whose `[` ends at `at`: its set, and the place after its `]`.
pub(super) fn parse_bracket(
    source: &[u8],
    mut at: usize,
    options: &RegexOptions,
) -> Result<(Set, usize), RegexError> {
    let mut set = Set::default();
    let is_negated = source.get(at) == Some(&b'^');
    if is_negated {
        at += 1;
    }
    let first = at;
    if first >= source.len() {
        return Err(RegexError::Pattern);
    }
    loop {
        match source.get(at) {
            None => return Err(RegexError::UnmatchedBracket),
            Some(b']') if at > first => break,
            // A hyphen stands for itself first, last, or as an end of a range.
            Some(b'-') if at > first && source.get(at + 1).is_some_and(|&next| next != b']') => {
                return Err(RegexError::RangeEnd);
            }
            Some(_) => at = item_or_range(source, at, options, &mut set)?,
        }
    }
    let excluded = if options.newline_sensitive { 1 << b'\n' } else { 0 };
    set.finish(is_negated, options.ignore_case, excluded);
    Ok((set, at + 1))
}

fn item_or_range(
    source: &[u8],
    at: usize,
    options: &RegexOptions,
    set: &mut Set,
) -> Result<usize, RegexError> {
    // Where case does not matter, glibc compares what is listed with what is searched in upper case: `[_-a]` is `[_-A]`,
    // whose end is before its start.
    let listed = |unit| if options.ignore_case { unfold(unit) } else { unit };
    let (item, after) = item(source, at, options)?;
    let is_range =
        source.get(after) == Some(&b'-') && source.get(after + 1).is_some_and(|&byte| byte != b']');
    if !is_range {
        match item {
            Item::One(unit) => set.push_range(listed(unit), listed(unit)),
            // Where case does not matter, the classes of case are all letters, those without a case too.
            Item::Class(Class::Upper | Class::Lower) if options.ignore_case => set.push_class(Class::Alpha),
            Item::Class(class) => set.push_class(class),
        }
        return Ok(after);
    }
    let (last, end) = self::item(source, after + 1, options)?;
    match (item, last) {
        (Item::One(first), Item::One(last)) if listed(first) <= listed(last) => {
            set.push_range(listed(first), listed(last));
            Ok(end)
        }
        _ => Err(RegexError::RangeEnd),
    }
}

fn item(source: &[u8], at: usize, options: &RegexOptions) -> Result<(Item, usize), RegexError> {
    let Some((unit, length)) = unit_at(source, at) else { return Err(RegexError::UnmatchedBracket) };
    let next = source.get(at + length).copied();
    if unit == Unit::from(b'[')
        && let Some(kind @ (b':' | b'=' | b'.')) = next
    {
        return named_item(source, at + 2, kind);
    }
    if unit == Unit::from(b'\\')
        && let Some(next) = next
    {
        let escaped = simple_escape(next, options.dialect);
        match options.dialect {
            Dialect::Awk => {
                let Some((literal, length)) = unit_at(source, at + 1) else {
                    return Err(RegexError::UnmatchedBracket);
                };
                return Ok((Item::One(escaped.unwrap_or(literal)), at + 1 + length));
            }
            // The second of two backslashes begins no escape.
            Dialect::Sed if next == b'\\' => return Ok((Item::One(unit), at + 2)),
            Dialect::Sed => {
                if let Some(escaped) = escaped {
                    return Ok((Item::One(escaped), at + 2));
                }
            }
            Dialect::Posix | Dialect::SedPosix | Dialect::Grep => {}
        }
    }
    Ok((Item::One(unit), at + length))
}

/// The item `[:name:]`, `[=c=]` or `[.c.]` whose name begins at `at`.
fn named_item(source: &[u8], at: usize, kind: u8) -> Result<(Item, usize), RegexError> {
    let rest = source.get(at..).unwrap_or_default();
    let length = memchr::memmem::find(rest, &[kind, b']']).ok_or(RegexError::UnmatchedBracket)?;
    if length >= LONGEST_NAME {
        return Err(RegexError::UnmatchedBracket);
    }
    let name = rest.get(..length).unwrap_or_default();
    let end = at + length + 2;
    if kind == b':' {
        return match Class::named(name) {
            Some(Class::Ascii | Class::Word) | None => Err(RegexError::ClassName),
            Some(class) => Ok((Item::Class(class), end)),
        };
    }
    match unit_at(name, 0) {
        Some((unit, width)) if width == name.len() => Ok((Item::One(unit), end)),
        _ => Err(RegexError::CollationCharacter),
    }
}

/// Whether a bracket expression of a pattern is `[:alpha:]` without the second brackets, which is hardly what was meant.
pub(crate) fn has_bare_class(pattern: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        let next = match byte {
            b'\\' => at + 2,
            b'[' => bracket_end(pattern, at),
            _ => at + 1,
        };
        if byte == b'['
            && let Some([b'[', b'^', b':', name @ .., b':', b']'] | [b'[', b':', name @ .., b':', b']']) =
                pattern.get(at..next)
            && !name.is_empty()
            && !name.contains(&b'-')
            && !name.contains(&b'[')
        {
            return true;
        }
        at = next;
    }
    false
}

/// The place after the bracket expression that begins at `start`.
pub(crate) fn bracket_end(pattern: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if pattern.get(at) == Some(&b'^') {
        at += 1;
    }
    if pattern.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(&byte) = pattern.get(at) {
        match (byte, pattern.get(at + 1)) {
            (b']', _) => return at + 1,
            (b'[', Some(&kind @ (b':' | b'.' | b'='))) => {
                let rest = pattern.get(at + 2..).unwrap_or(&[]);
                at = memchr::memmem::find(rest, &[kind, b']']).map_or(pattern.len(), |found| at + found + 4);
            }
            _ => at += 1,
        }
    }
    pattern.len()
}
