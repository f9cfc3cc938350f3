//! How the bytes of two keys compare. Each kind has a summary of 64 bits too: where two summaries differ they order the
//! keys, where they are equal the full comparison decides.

use super::key::{KeyOrdering, Kind};
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::context::pace;
use crate::utility::format::float::{parse_float, split_digits};
use std::cmp::Ordering;

/// Compares two keys without regard to direction.
pub(super) fn compare(ordering: KeyOrdering, seed: Seed, one: &[u8], two: &[u8]) -> Ordering {
    match ordering.kind() {
        Kind::Bytes if ordering.transforms() => transformed(ordering, one).cmp(transformed(ordering, two)),
        Kind::Bytes => one.cmp(two),
        Kind::Numeric => numeric(one, two),
        Kind::Human => unit(one).cmp(&unit(two)).then_with(|| numeric(one, two)),
        Kind::Version if ordering.transforms() => {
            let (one, two): (Vec<u8>, Vec<u8>) =
                (transformed(ordering, one).collect(), transformed(ordering, two).collect());
            version(&one, &two)
        }
        Kind::Version => version(one, two),
        Kind::Random => hash(seed, ordering, one)
            .cmp(&hash(seed, ordering, two))
            .then_with(|| transformed(ordering, one).cmp(transformed(ordering, two))),
        Kind::General | Kind::Month => summary(ordering, seed, one).cmp(&summary(ordering, seed, two)),
    }
}

/// As [`compare`], for long keys: in stretches between which others run, as far as bytes are compared.
pub(super) async fn compare_slowly(
    meter: &Meter,
    ordering: KeyOrdering,
    seed: Seed,
    one: &[u8],
    two: &[u8],
) -> Result<Ordering, LimitError> {
    if ordering.kind() != Kind::Bytes {
        return Ok(compare(ordering, seed, one, two));
    }
    if !ordering.transforms() {
        return pace::compare(meter, one, two).await;
    }
    // The bytes of a stretch that are left out are passed at once.
    let (mut left, mut right) = (transformed(ordering, one), transformed(ordering, two));
    loop {
        for _ in 0..STRETCH {
            match (left.next(), right.next()) {
                (Some(one), Some(two)) if one == two => {}
                (None, None) => return Ok(Ordering::Equal),
                (one, two) => return Ok(one.cmp(&two)),
            }
        }
        pace::tick_bytes(meter, STRETCH).await?;
    }
}

/// Bytes of keys that are compared at once.
const STRETCH: usize = 16 << 10;

/// See the module.
pub(super) fn summary(ordering: KeyOrdering, seed: Seed, key: &[u8]) -> u64 {
    match ordering.kind() {
        Kind::Bytes if ordering.transforms() => {
            let (mut bytes, mut length) = ([0; 8], 0);
            for (slot, byte) in bytes.iter_mut().zip(transformed(ordering, key)) {
                *slot = byte;
                length += 1;
            }
            seven_and_length(bytes.get(..length).unwrap_or(&bytes))
        }
        Kind::Bytes => seven_and_length(key),
        Kind::Numeric => numeric_summary(key) as u64 ^ SIGN,
        Kind::Human => {
            let value = clipped(key, (1 << 58) - 1);
            (((unit(key) + 8) as u64) << 59) + (value + (1 << 58)) as u64
        }
        Kind::General => general(key),
        Kind::Month => month(key),
        Kind::Version => 0,
        Kind::Random => (hash(seed, ordering, key) >> 64) as u64,
    }
}

const SIGN: u64 = 1 << 63;

/// Whether keys with this same summary are equal for sure.
pub(super) fn is_exact(ordering: KeyOrdering, summary: u64) -> bool {
    match ordering.kind() {
        Kind::Bytes => summary & 0xff < 8,
        Kind::Numeric => {
            let value = (summary ^ SIGN).cast_signed();
            value & 1 == 0 && value.abs() < CLIP
        }
        Kind::General | Kind::Month => true,
        Kind::Human | Kind::Version | Kind::Random => false,
    }
}

/// Bytes of a text that its summary holds.
pub(super) const SUMMARY_BYTES: usize = 7;

/// The first seven bytes, and the length up to 8 in the last byte.
pub(super) fn seven_and_length(bytes: &[u8]) -> u64 {
    match bytes.first_chunk::<8>() {
        Some(eight) => u64::from_be_bytes(*eight) & !0xff | 8,
        None => first_eight(bytes) | bytes.len() as u64,
    }
}

/// Bound of the values in the summaries of numbers.
const CLIP: i64 = i64::MAX / 2 - 1;

/// Twice the integer part, and one more (further from 0) when there is a fraction.
fn numeric_summary(key: &[u8]) -> i64 {
    let number = Decimal::parse(key);
    let value = 2 * magnitude(&number, CLIP / 2) + i64::from(!number.fraction.is_empty());
    if number.negative { -value } else { value }
}

/// The first eight bytes, most significant first, filled up with zeros.
pub(super) fn first_eight(key: &[u8]) -> u64 {
    match key.first_chunk::<8>() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => first_bytes(key.iter().copied()),
    }
}

fn first_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    let (mut value, mut count) = (0, 0);
    for byte in bytes.take(8) {
        value = value << 8 | u64::from(byte);
        count += 1;
    }
    if count == 0 { 0 } else { value << (8 * (8 - count)) }
}

/// What `-d`, `-i` and `-f` leave of a key.
fn transformed(ordering: KeyOrdering, key: &[u8]) -> impl Iterator<Item = u8> {
    key.iter()
        .copied()
        .filter(move |byte| {
            !ordering.dictionary || byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t' | b'\n')
        })
        .filter(move |byte| !ordering.printing || matches!(byte, 0x20..0x7f))
        .map(move |byte| if ordering.fold { byte.to_ascii_uppercase() } else { byte })
}

/// A decimal number at the front of a key: sign, integer digits without leading zeros, fraction without trailing zeros.
struct Decimal<'k> {
    negative: bool,
    integer: &'k [u8],
    fraction: &'k [u8],
    /// The byte after the number, and whether the number has a digit that is not 0.
    next: Option<u8>,
}

impl<'k> Decimal<'k> {
    fn parse(key: &'k [u8]) -> Self {
        let start = key.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n')).unwrap_or(key.len());
        let rest = key.get(start..).unwrap_or(&[]);
        let negative = rest.first() == Some(&b'-');
        let rest = rest.strip_prefix(b"-").unwrap_or(rest);
        let (integer, rest) = split_digits(rest);
        let (fraction, rest) = match rest.strip_prefix(b".") {
            Some(after) => split_digits(after),
            None => (&[] as &[u8], rest),
        };
        let zeros = integer.iter().take_while(|digit| **digit == b'0').count();
        let last = fraction.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        Self {
            negative,
            integer: integer.get(zeros..).unwrap_or(&[]),
            fraction: fraction.get(..last).unwrap_or(&[]),
            next: rest.first().copied(),
        }
    }

    fn is_zero(&self) -> bool {
        self.integer.is_empty() && self.fraction.is_empty()
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        let by_length = self.integer.len().cmp(&other.integer.len());
        by_length
            .then_with(|| self.integer.cmp(other.integer))
            .then_with(|| self.fraction.cmp(other.fraction))
    }
}

/// `-n`: numbers of any length.
fn numeric(one: &[u8], two: &[u8]) -> Ordering {
    let (one, two) = (Decimal::parse(one), Decimal::parse(two));
    let sign = |number: &Decimal<'_>| match (number.is_zero(), number.negative) {
        (true, _) => 0,
        (false, true) => -1,
        (false, false) => 1,
    };
    sign(&one).cmp(&sign(&two)).then_with(|| {
        let order = one.magnitude(&two);
        if one.negative { order.reverse() } else { order }
    })
}

/// The integer part, no further from 0 than `bound`.
fn clipped(key: &[u8], bound: i64) -> i64 {
    let number = Decimal::parse(key);
    let value = magnitude(&number, bound);
    if number.negative { -value } else { value }
}

fn magnitude(number: &Decimal<'_>, bound: i64) -> i64 {
    if number.integer.len() > 18 {
        return bound;
    }
    number.integer.iter().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0')).min(bound)
}

/// `-h`: the power of the unit after the number, with the number's sign; 0 for zero.
fn unit(key: &[u8]) -> i64 {
    let number = Decimal::parse(key);
    if number.is_zero() {
        return 0;
    }
    let power = match number.next {
        Some(b'k' | b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(b'T') => 4,
        Some(b'P') => 5,
        Some(b'E') => 6,
        Some(b'Z') => 7,
        Some(b'Y') => 8,
        _ => 0,
    };
    // Eight powers on both sides of 0 fit the five bits of a summary.
    if number.negative { -power } else { power }
}

/// `-g`: what is not a number, then NaN, then numbers in order.
fn general(key: &[u8]) -> u64 {
    match parse_float(key) {
        None => 0,
        Some(value) if value.is_nan() => 1,
        Some(value) => {
            let bits = (value + 0.0).to_bits();
            if bits & SIGN == 0 { bits | SIGN } else { !bits }
        }
    }
}

/// `-M`: 1 to 12, 0 for what is not a month.
pub(super) fn month(key: &[u8]) -> u64 {
    const NAMES: [&[u8]; 12] =
        [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];
    let start = key.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n')).unwrap_or(key.len());
    let name = key.get(start..start + 3).unwrap_or(&[]);
    NAMES.iter().position(|month| month.eq_ignore_ascii_case(name)).map_or(0, |index| index as u64 + 1)
}

/// What `-R` mixes with keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seed {
    Number(u64),
    /// The first bytes of `--random-source`.
    Bytes([u8; 16]),
}

/// `-R`: FNV-1a of the seed and the key, mixed; with a file's bytes MD5 of them and the key as a text of C, as the real program
/// has it, so that the same file gives the same order. Builds without the crate for MD5 have an order of their own.
fn hash(seed: Seed, ordering: KeyOrdering, key: &[u8]) -> u128 {
    let number = match seed {
        Seed::Number(number) => number,
        #[cfg(feature = "programs")]
        Seed::Bytes(bytes) => {
            use md5::Digest as _;
            let mut digest = md5::Md5::new_with_prefix(bytes);
            transformed(ordering, key).chain([0]).for_each(|byte| digest.update([byte]));
            return u128::from_be_bytes(digest.finalize().into());
        }
        #[cfg(not(feature = "programs"))]
        Seed::Bytes(bytes) => {
            let (front, back) = bytes.split_at(8);
            let part = |bytes: &[u8]| bytes.iter().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
            part(front) ^ part(back)
        }
    };
    let mut value = 0xcbf2_9ce4_8422_2325 ^ number;
    for byte in transformed(ordering, key) {
        value = (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    value ^= value >> 32;
    value = value.wrapping_mul(0xd6e8_feb8_6659_fd93);
    u128::from(value ^ (value >> 32)) << 64
}

/// Where a number at the front of a key ends, with the letter of its unit if it `has_unit`; 0 if there is none.
pub(super) fn numeric_end(key: &[u8], has_unit: bool) -> usize {
    let sign = usize::from(key.first() == Some(&b'-'));
    let rest = key.get(sign..).unwrap_or(&[]);
    let (integer, rest) = split_digits(rest);
    let (fraction, point, rest) = match rest.strip_prefix(b".") {
        Some(after) => {
            let (fraction, rest) = split_digits(after);
            (fraction, 1, rest)
        }
        None => (&[] as &[u8], 0, rest),
    };
    if integer.is_empty() && fraction.is_empty() {
        return 0;
    }
    let unit = has_unit && rest.first().is_some_and(|byte| b"kKMGTPEZY".contains(byte));
    sign + integer.len() + point + fraction.len() + usize::from(unit)
}

/// `-V`: names with version numbers. `.` and `..` and then other names that begin with a dot come first; file suffixes
/// count only when everything before them is equal.
pub(super) fn version(one: &[u8], two: &[u8]) -> Ordering {
    match (one.is_empty(), two.is_empty()) {
        (false, false) => {}
        (left, right) => return right.cmp(&left),
    }
    let rank = |name: &[u8]| match name {
        b"." => 0,
        b".." => 1,
        [b'.', ..] => 2,
        _ => 3,
    };
    let (short_one, short_two) = (without_suffix(one), without_suffix(two));
    rank(one)
        .cmp(&rank(two))
        .then_with(|| version_parts(short_one, short_two))
        .then_with(|| version_parts(one, two))
}

/// Cuts the longest `(\.[A-Za-z~][A-Za-z0-9~]*)*` off the end.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut end = name.len();
    let mut at = name.len();
    while let Some(index) = at.checked_sub(1) {
        let Some(&byte) = name.get(index) else { break };
        let next = name.get(index + 1).copied();
        if byte == b'.' {
            if index == 0 || !next.is_some_and(|next| next.is_ascii_alphabetic() || next == b'~') {
                break;
            }
            end = index;
        } else if !(byte.is_ascii_alphanumeric() || byte == b'~') {
            break;
        }
        at = index;
    }
    name.get(..end).unwrap_or(name)
}

/// Compares text and numbers in turn: `~` before the end before letters before the rest; numbers by value.
fn version_parts(one: &[u8], two: &[u8]) -> Ordering {
    let weight = |byte: Option<&u8>| match byte {
        None => -1,
        Some(b'~') => -2,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    };
    let (mut one, mut two) = (one, two);
    while !one.is_empty() || !two.is_empty() {
        let is_text = |rest: &[u8]| rest.first().is_some_and(|byte| !byte.is_ascii_digit());
        while is_text(one) || is_text(two) {
            let order = weight(one.first()).cmp(&weight(two.first()));
            if order.is_ne() {
                return order;
            }
            one = one.get(1..).unwrap_or(&[]);
            two = two.get(1..).unwrap_or(&[]);
        }
        let (digits_one, rest_one) = split_digits(one);
        let (digits_two, rest_two) = split_digits(two);
        let (number_one, number_two) = (without_zeros(digits_one), without_zeros(digits_two));
        let order = number_one.len().cmp(&number_two.len()).then_with(|| number_one.cmp(number_two));
        if order.is_ne() {
            return order;
        }
        (one, two) = (rest_one, rest_two);
    }
    Ordering::Equal
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_and_sign() {
        let sorted: [&[u8]; 9] = [
            b"-100000000000000000000",
            b"-2",
            b"-1.5",
            b"-1",
            b"x",
            b"0.1",
            b"0.25",
            b" 7",
            b"100000000000000000000",
        ];
        let ordering = KeyOrdering { numeric: true, ..KeyOrdering::default() };
        for pair in sorted.windows(2) {
            assert_eq!(compare(ordering, Seed::Number(0), pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert!(
                summary(ordering, Seed::Number(0), pair[0]) <= summary(ordering, Seed::Number(0), pair[1]),
                "{pair:?}"
            );
        }
        assert_eq!(numeric(b"-0", b"0"), Ordering::Equal);
    }

    #[test]
    fn versions() {
        let sorted: [&[u8]; 9] =
            [b"", b".", b"..", b".a", b"a", b"a-1.9", b"a-1.10", b"a-1.10.tar.gz", b"b~"];
        for pair in sorted.windows(2) {
            assert_eq!(version(pair[0], pair[1]), Ordering::Less, "{pair:?}");
        }
        assert_eq!(version(b"a~", b"a"), Ordering::Less);
    }
}
