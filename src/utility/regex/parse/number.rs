//! Escapes of awk that are numbers of characters.

use crate::memory::Vec;

/// The expression with the bytes themselves in the place of `\x2e` and `\056`, as gawk reads it: `a\x2eb` is `a.b`. `None` where
/// there are none.
pub(super) fn without_numbers(source: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    let mut at = 0;
    while let Some(backslash) = memchr::memchr(b'\\', source.get(at..)?).map(|before| at + before) {
        let rest = source.get(backslash + 1..)?;
        at = backslash + 2;
        let Some((byte, length)) = number(rest) else { continue };
        let (raw, done) = found.get_or_insert_with(|| (Vec::new(), 0));
        raw.extend_from_slice(source.get(*done..backslash)?);
        raw.push(byte);
        at = backslash + 1 + length;
        *done = at;
    }
    let (mut raw, done) = found?;
    raw.extend_from_slice(source.get(done..).unwrap_or_default());
    Some(raw)
}

/// The byte whose number stands after a backslash, and its length: `x` and up to two digits, or up to three octal ones.
fn number(rest: &[u8]) -> Option<(u8, usize)> {
    let (base, start, most) = match rest.first()? {
        b'x' => (16, 1, 2),
        b'0'..=b'7' => (8, 0, 3),
        _ => return None,
    };
    let digits = rest.iter().skip(start).take(most);
    let digits = digits.map_while(|&byte| char::from(byte).to_digit(base));
    let (value, count) = digits.fold((0, 0), |(value, count), digit| (value * base + digit, count + 1));
    (count > 0).then_some(((value & 0xff) as u8, start + count))
}
