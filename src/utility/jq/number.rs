//! [`Number`]: a double, and the digits it was written with where the double alone would not print them.
//!
//! As in jq 1.8, a number that is only handed on keeps its digits (`12345678901234567890`, `1.0`), and so does its negation;
//! arithmetic is that of doubles. A double is printed by the shortest digits that give it back: plain digits while the
//! decimal point lies within the digits, up to 15 places after them or up to 3 zeros before them; otherwise an exponent
//! of at least two digits (`1e+17`, `1e-05`). Infinities are the largest double.

use super::decimal::Decimal;
use crate::memory::{Arc, String, format};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    value: f64,
    /// Only where the double is printed differently, or has more digits than doubles tell apart.
    digits: Option<Arc<Decimal>>,
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number { value, digits: None }
    }
}

impl Number {
    /// The double.
    #[inline]
    pub(crate) const fn value(&self) -> f64 {
        self.value
    }

    /// Whether it is not a number.
    pub(crate) const fn is_nan(&self) -> bool {
        self.value.is_nan()
    }

    /// Reads a number token: a sign, digits with a point, an exponent; or `nan`, `inf`, `infinity` in any case.
    pub(crate) fn parse(token: &[u8]) -> Option<Self> {
        let plain = if let [b'-', rest @ ..] = token { rest } else { token };
        if plain.len() < 16 && !plain.is_empty() && plain.iter().all(u8::is_ascii_digit) {
            let whole = plain.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0')) as f64;
            return Some(Self::from(if plain.len() == token.len() { whole } else { -whole }));
        }
        match Decimal::parse(token) {
            Some(decimal) => Some(Self::of(decimal, token)),
            None if super::decimal::is_number(token) => {
                let sign = if token.starts_with(b"-") { -1.0 } else { 1.0 };
                Some(Self::from(sign * f64::INFINITY))
            }
            None => not_finite(token).map(Self::from),
        }
    }

    fn of(decimal: Decimal, token: &[u8]) -> Self {
        let text = str::from_utf8(token).unwrap_or_default();
        let value = if decimal.is_long() { decimal.to_double() } else { text.parse().unwrap_or(f64::NAN) };
        let is_told = decimal.is_short();
        Number { value, digits: (!is_told).then(|| Arc::new(decimal)) }
    }

    /// The number without its sign.
    pub(crate) fn abs(&self) -> Self {
        let digits = self.digits.as_ref().map(|digits| Arc::new(digits.with_sign(false)));
        Number { value: self.value.abs(), digits }
    }

    /// The number with the other sign. A zero that was written down has none; one that was computed has.
    pub(crate) fn negated(&self, is_computed: bool) -> Self {
        if self.value == 0.0 && (!is_computed || self.digits.is_some()) {
            return self.abs();
        }
        let digits = self.digits.as_ref().map(|digits| Arc::new(digits.with_sign(self.value >= 0.0)));
        Number { value: -self.value, digits }
    }

    /// The order of two numbers, by their digits where both have kept them; `None` if either is not a number.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (&self.digits, &other.digits) {
            (Some(one), Some(two)) => Some(one.compare(two)),
            _ => self.value.partial_cmp(&other.value),
        }
    }

    /// Appends the text; not for what is not a number.
    pub(crate) fn write(&self, out: &mut String) {
        match &self.digits {
            Some(digits) => digits.write(out),
            None => write(self.value, out),
        }
    }
}

/// `nan`, `inf` and `infinity`.
fn not_finite(token: &[u8]) -> Option<f64> {
    let (sign, word) = match token {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    };
    let is = |text: &str| word.eq_ignore_ascii_case(text.as_bytes());
    if is("nan") || is("snan") {
        Some(f64::NAN)
    } else if is("inf") || is("infinity") {
        Some(sign * f64::INFINITY)
    } else {
        None
    }
}

/// Appends `number` (not NaN) to `out`.
pub(crate) fn write(number: f64, out: &mut String) {
    let number = number.clamp(f64::MIN, f64::MAX);
    if number.fract() == 0.0 && number.abs() < 1e15 && !(number == 0.0 && number.is_sign_negative()) {
        let _ = write!(out, "{}", number as i64);
        return;
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or(0).saturating_add(1);
    if number.is_sign_negative() {
        out.push('-');
    }
    layout(&digits, point, out);
}

/// `digits` with the decimal point after the first `point` of them.
fn layout(digits: &str, point: i32, out: &mut String) {
    let count = digits.len() as i32;
    if digits == "0" {
        out.push('0');
    } else if point <= -4 || point > count + 15 {
        let (first, rest) = digits.split_at(1.min(digits.len()));
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let exponent = point - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    } else if point <= 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
        out.push_str(digits);
    } else if point >= count {
        out.push_str(digits);
        out.extend(std::iter::repeat_n('0', (point - count) as usize));
    } else {
        let (whole, fraction) = digits.split_at(point as usize);
        out.push_str(whole);
        out.push('.');
        out.push_str(fraction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_laid_out_as_in_jq() {
        let cases = [
            (3.0, "3"),
            (-0.0, "-0"),
            (1e15, "1000000000000000"),
            (1e16, "1e+16"),
            (1e17, "1e+17"),
            (123_456_789e10, "1234567890000000000"),
            (12_345_678_901_234_567_890.0, "12345678901234567000"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (0.000_123_45, "0.00012345"),
            (4.35, "4.35"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-1.7976931348623157e+308"),
            (0.1 + 0.2, "0.30000000000000004"),
        ];
        for (number, expected) in cases {
            let mut text = String::new();
            write(number, &mut text);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn what_was_written_is_printed() {
        let cases = [
            ("12345678901234567890", "12345678901234567890"),
            ("1.0", "1.0"),
            ("1e2", "1E+2"),
            ("1.5e300", "1.5E+300"),
            ("0.00001", "0.00001"),
            ("0.0000001", "1E-7"),
            ("000.50", "0.50"),
            ("5.", "5"),
            (".5", "0.5"),
            ("+7", "7"),
            ("-0", "-0"),
            ("0e10", "0E+10"),
            ("-0.00", "-0.00"),
            ("1e1000", "1E+1000"),
            ("-Infinity", "-1.7976931348623157e+308"),
            ("123456789012345678", "123456789012345678"),
        ];
        for (token, expected) in cases {
            let mut text = String::new();
            Number::parse(token.as_bytes()).unwrap().write(&mut text);
            assert_eq!(text, expected, "{token}");
        }
        for token in ["", "-", "1e", "1.2.3", "0x1", "nan1", "1_0", "--1", "e5", "."] {
            assert!(Number::parse(token.as_bytes()).is_none(), "{token}");
        }
    }

    #[test]
    fn digits_are_compared_where_doubles_are_equal() {
        let number = |token: &str| Number::parse(token.as_bytes()).unwrap();
        let order = |one: &str, two: &str| number(one).compare(&number(two)).unwrap();
        assert_eq!(order("100000000000000000", "100000000000000001"), Ordering::Less);
        assert_eq!(order("-100000000000000000", "-100000000000000001"), Ordering::Greater);
        assert_eq!(order("1.0", "1.00"), Ordering::Equal);
        assert_eq!(order("1e2", "100"), Ordering::Equal);
        assert_eq!(order("1e1000", "2e1000"), Ordering::Less);
        assert_eq!(order("0.0", "-0.0"), Ordering::Equal);
    }
}
