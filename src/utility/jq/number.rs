//! Numbers as text: the shortest digits that give the same double back, laid out as jq 1.6 does.
//!
//! Plain digits while the decimal point lies within the digits, up to 15 places behind them or up to 3 zeros before
//! them; otherwise an exponent of at least two digits (`1e+17`, `1e-05`). Infinities are the largest double.

use crate::memory::{String, format};
use std::fmt::Write as _;

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

/// Reads a number token as jq's `strtod` does: an optional sign, digits with an optional point, an optional exponent;
/// or `nan`, `inf`, `infinity` in any case. Leading zeros and a bare point at either end are fine.
pub(crate) fn parse(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    // `f64::from_str` takes exactly this grammar; `nan` keeps no sign.
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_as_jq_1_6() {
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
}
