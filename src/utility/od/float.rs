//! Floating point numbers of `od`: as few digits as read back to the same number, and at least those that a number of its
//! size always keeps.

use crate::memory::{String, format};
use crate::utility::format::extended::Extended;
use crate::utility::format::float::format_float;

/// A number of 4 bytes.
pub(super) fn single(value: f32) -> String {
    let least = if value.abs() < f32::MIN_POSITIVE { 1 } else { f32::DIGITS as usize };
    shortest(f64::from(value), least..9, 9, |text| {
        text.parse::<f32>().is_ok_and(|read| read.to_bits() == value.to_bits())
    })
}

/// A number of 8 bytes.
pub(super) fn double(value: f64) -> String {
    let least = if value.abs() < f64::MIN_POSITIVE { 1 } else { f64::DIGITS as usize };
    shortest(value, least..17, 17, |text| {
        text.parse::<f64>().is_ok_and(|read| read.to_bits() == value.to_bits())
    })
}

fn shortest(
    value: f64,
    mut digits: std::ops::Range<usize>,
    most: usize,
    is_same: impl Fn(&str) -> bool,
) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    let shown = |count| format_float(value, b'g', count, false);
    let found = digits.find_map(|count| Some(shown(count)).filter(|text| is_same(text)));
    found.unwrap_or_else(|| shown(most))
}

/// A number of 16 bytes, of which the processor uses 10.
pub(super) fn extended(mantissa: u64, sign_and_exponent: u16) -> String {
    let value = Extended::from_bits(mantissa, sign_and_exponent);
    let sign = if value.is_negative() { "-" } else { "" };
    let shown = |count| String::from_utf8_lossy(&value.format(b'g', Some(count), false));
    if !value.is_finite() {
        return format!("{sign}{}", shown(18));
    }
    let least = if sign_and_exponent.trailing_zeros() >= 15 { 1 } else { 18 };
    let mut texts = (least..21).map(|count| format!("{sign}{}", shown(count)));
    let found = texts.find(|text| Extended::parse(text.as_bytes()).value == value);
    found.unwrap_or_else(|| format!("{sign}{}", shown(21)))
}
