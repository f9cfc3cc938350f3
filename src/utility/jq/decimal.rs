//! [`Decimal`]: the digits of a number as they were written, for numbers that a double does not tell apart.
//!
//! The text is the scientific notation of the General Decimal Arithmetic Specification ("to-scientific-string"): plain
//! digits where there is no positive exponent and the first digit is not far after the point, otherwise `1.5E+300`.

use crate::memory::String;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// A sign, digits, and the power of ten of the last digit.
#[derive(Debug)]
pub(crate) struct Decimal {
    is_negative: bool,
    /// Without zeros in front, but for a zero alone.
    digits: String,
    exponent: i64,
}

/// Digits that each double of so many tells apart.
const SHORT: usize = 15;
/// Digits of which the double is made.
const DOUBLE: usize = 17;
/// The largest exponent of the first digit; beyond it a number is infinite.
const LARGEST: i64 = 999_999_999;
/// The smallest exponent of the last digit; below it a number is zero.
const SMALLEST: i64 = -1_147_483_646;

impl Decimal {
    /// Reads `[+-]digits[.digits][e[+-]digits]`, with digits on one side of the point at least. `None`: it is not that, or
    /// it is too large ([`is_number`]).
    pub(crate) fn parse(token: &[u8]) -> Option<Self> {
        let (is_negative, rest) = match token {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let count = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (whole, rest) = rest.split_at_checked(count(rest))?;
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => rest.split_at_checked(count(rest))?,
            rest => (&[][..], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let written = exponent(rest)?;
        let zeros = whole.iter().chain(fraction).take_while(|digit| **digit == b'0').count();
        let mut digits = String::with_capacity(whole.len() + fraction.len());
        for part in
            [whole.get(zeros..).unwrap_or_default(), fraction.get(zeros.saturating_sub(whole.len())..)?]
        {
            digits.push_str(str::from_utf8(part).ok()?);
        }
        if digits.is_empty() {
            digits.push('0');
        }
        let mut exponent = written.saturating_sub(i64::try_from(fraction.len()).ok()?);
        if digits.as_str() == "0" {
            exponent = exponent.min(LARGEST);
        }
        if exponent < SMALLEST {
            digits = "0".into();
            exponent = SMALLEST;
        }
        let decimal = Decimal { is_negative, digits, exponent };
        (decimal.is_zero() || decimal.first() <= LARGEST).then_some(decimal)
    }

    fn is_zero(&self) -> bool {
        self.digits.as_str() == "0"
    }

    /// The power of ten of the first digit.
    fn first(&self) -> i64 {
        self.exponent.saturating_add(self.digits.len() as i64 - 1)
    }

    /// Whether the double is printed the same and is the only one of these digits.
    pub(crate) fn is_short(&self) -> bool {
        match self.exponent {
            0 => self.digits.len() <= SHORT,
            ..0 => self.digits.len() <= SHORT && self.first() > -5 && !self.digits.ends_with('0'),
            _ => false,
        }
    }

    /// Whether the double is made of the first digits only.
    pub(crate) fn is_long(&self) -> bool {
        self.digits.len() > DOUBLE
    }

    /// The double of the digits rounded to [`DOUBLE`], half to even.
    pub(crate) fn to_double(&self) -> f64 {
        let (kept, rest) = self.digits.split_at_checked(DOUBLE).unwrap_or((&self.digits, ""));
        let mut value: u64 = kept.parse().unwrap_or(0);
        let is_odd = value % 2 == 1;
        let (half, more) = rest.split_at_checked(1).unwrap_or(("0", ""));
        let is_beyond_half = more.bytes().any(|digit| digit != b'0');
        let goes_up = match half.cmp("5") {
            Ordering::Less => false,
            Ordering::Equal => is_beyond_half || is_odd,
            Ordering::Greater => true,
        };
        value += u64::from(goes_up);
        let sign = if self.is_negative { "-" } else { "" };
        let exponent = self.exponent.saturating_add(rest.len() as i64);
        crate::memory::format!("{sign}{value}e{exponent}").parse().unwrap_or(f64::NAN)
    }

    /// The same digits with this sign.
    pub(crate) fn with_sign(&self, is_negative: bool) -> Self {
        Decimal { is_negative, digits: self.digits.clone(), exponent: self.exponent }
    }

    /// The order of the values.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return if other.is_negative { Ordering::Greater } else { Ordering::Less },
            (false, true) => return if self.is_negative { Ordering::Less } else { Ordering::Greater },
            (false, false) => {}
        }
        if self.is_negative != other.is_negative {
            return other.is_negative.cmp(&self.is_negative);
        }
        let trimmed = |digits: &'_ str| digits.trim_end_matches('0').len();
        let digits = |decimal: &Self| decimal.digits.get(..trimmed(&decimal.digits)).map(String::from);
        let order = self.first().cmp(&other.first()).then_with(|| digits(self).cmp(&digits(other)));
        if self.is_negative { order.reverse() } else { order }
    }

    /// Appends the text.
    pub(crate) fn write(&self, out: &mut String) {
        if self.is_negative {
            out.push('-');
        }
        let digits = self.digits.as_str();
        let first = self.first();
        if self.exponent <= 0 && first >= -6 {
            let fraction = usize::try_from(-self.exponent).unwrap_or(0);
            match digits.len().checked_sub(fraction) {
                Some(point) if point > 0 => {
                    let (whole, rest) = digits.split_at_checked(point).unwrap_or((digits, ""));
                    out.push_str(whole);
                    if !rest.is_empty() {
                        out.push('.');
                        out.push_str(rest);
                    }
                }
                _ => {
                    out.push_str("0.");
                    out.extend(std::iter::repeat_n('0', fraction.saturating_sub(digits.len())));
                    out.push_str(digits);
                }
            }
            return;
        }
        let (leading, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        out.push_str(leading);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        let _ = write!(out, "E{first:+}");
    }
}

/// Whether the text is a number, however large.
pub(crate) fn is_number(token: &[u8]) -> bool {
    let unsigned = token.strip_prefix(b"-").or(token.strip_prefix(b"+")).unwrap_or(token);
    let end = unsigned.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let (digits, rest) = unsigned.split_at_checked(end).unwrap_or((unsigned, &[]));
    let points = memchr::memchr_iter(b'.', digits).count();
    digits.len() > points && points < 2 && exponent(rest).is_some()
}

/// The exponent in what follows the digits: 0 where nothing does. One of many digits is cut to what is far out of range.
fn exponent(rest: &[u8]) -> Option<i64> {
    let digits = match rest {
        [] => return Some(0),
        [b'e' | b'E', b'-' | b'+', digits @ ..] | [b'e' | b'E', digits @ ..] => digits,
        _ => return None,
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let far = 1_i64 << 40;
    let size = digits.iter().fold(0_i64, |sum, digit| far.min(sum * 10 + i64::from(digit - b'0')));
    Some(if rest.get(1) == Some(&b'-') { -size } else { size })
}
