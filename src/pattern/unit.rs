//! The unit of matching: one UTF-8 character, or one byte that is part of none.

/// A character's scalar value, or `INVALID + byte` for a byte outside any UTF-8 character.
pub(super) type Unit = u32;

/// What is added to a byte that belongs to no character.
pub(super) const INVALID: Unit = 0x11_0000;

/// The unit that begins at `at` and its length in bytes; `None` at the end of `text`.
pub(super) fn unit_at(text: &[u8], at: usize) -> Option<(Unit, usize)> {
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

/// The unit that ends at `end` and its length in bytes; `None` at the start of `text`.
pub(super) fn unit_before(text: &[u8], end: usize) -> Option<(Unit, usize)> {
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
pub(super) fn character(unit: Unit) -> Option<char> {
    char::from_u32(unit)
}

/// The unit in lower case, where that is a single character.
pub(super) fn fold(unit: Unit) -> Unit {
    single(unit, |character| {
        let mut lower = character.to_lowercase();
        (lower.next(), lower.next())
    })
}

/// The unit in upper case, where that is a single character.
pub(super) fn unfold(unit: Unit) -> Unit {
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
pub(super) fn push_unit(bytes: &mut Vec<u8>, unit: Unit) {
    match character(unit) {
        Some(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.push((unit & 0xff) as u8),
    }
}
