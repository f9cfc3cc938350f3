//! Numbers and their texts: what `strtod` reads, and what `printf` writes.

use crate::memory::{String, Vec};
use crate::utility::format::float::format_float;
use crate::utility::format::specification::Specification;
use std::fmt::Write as _;

/// Whether a byte is white space around a number.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

/// Length of the longest number that `text` begins with, decimal only; 0 when there is none.
fn prefix(text: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or(&[]);
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut at = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if text.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    at
}

/// `+inf`, `-nan` and the like, which need their sign.
fn special(text: &[u8]) -> Option<f64> {
    let (sign, name) = text.split_first()?;
    let magnitude = match name {
        _ if name.eq_ignore_ascii_case(b"inf") => f64::INFINITY,
        _ if name.eq_ignore_ascii_case(b"nan") => f64::NAN,
        _ => return None,
    };
    match sign {
        b'+' => Some(magnitude),
        b'-' => Some(-magnitude),
        _ => None,
    }
}

fn trim_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_blank(byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or(&[])
}

fn parse(number: &[u8]) -> f64 {
    if number.len() <= 15 && number.iter().all(u8::is_ascii_digit) {
        return number.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0')) as f64;
    }
    if let Some(value) = short_decimal(number) {
        return value;
    }
    std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

/// The value of a number with a sign and a point at most, if it is short. Its digits and the power of ten are exact, so the
/// quotient is what is nearest to the number.
fn short_decimal(number: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if digits.len() > 16 {
        return None;
    }
    let (mut value, mut count, mut point) = (0_u64, 0, None);
    for &byte in digits {
        match byte {
            b'0'..=b'9' => {
                value = value * 10 + u64::from(byte - b'0');
                count += 1;
            }
            b'.' if point.is_none() => point = Some(count),
            _ => return None,
        }
    }
    if count > 15 {
        return None;
    }
    let power = point.map_or(0, |point: usize| count - point);
    let value = value as f64 / POWERS.get(power)?;
    Some(if digits.len() < number.len() { -value } else { value })
}

/// The number that a text begins with; 0 when it begins with none.
pub(super) fn to_number(text: &[u8]) -> f64 {
    let text = trim_start(text);
    match prefix(text) {
        0 => special(text).unwrap_or(0.0),
        length => parse(text.get(..length).unwrap_or(&[])),
    }
}

/// The value of a text that is a number as a whole, blanks around it aside.
pub(super) fn whole_number(text: &[u8]) -> Option<f64> {
    let text = trim_start(text);
    let end = text.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    let text = text.get(..end)?;
    let first = *text.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    if prefix(text) == text.len() { Some(parse(text)) } else { special(text) }
}

/// Appends a number as text: integers in full, others by `format`, a `printf` format such as `%.6g`.
pub(super) fn push_number(number: f64, format: &[u8], out: &mut Vec<u8>) {
    if number.fract() == 0.0 {
        if number.abs() < 1e15 {
            push_integer(number as i64, out);
        } else {
            write_to(out, format_args!("{number:.0}"));
        }
        return;
    }
    if !number.is_finite() {
        out.extend_from_slice(non_finite(number).as_bytes());
        return;
    }
    match simple_format(format) {
        Some((letter, precision)) => {
            let style = Specification { precision: Some(precision), ..Specification::default() };
            push_float(number, letter, &style, out);
        }
        None => super::format::push_formatted_number(format, number, out),
    }
}

/// `%.Ng` and its like.
fn simple_format(format: &[u8]) -> Option<(u8, usize)> {
    match format {
        [b'%', b'.', digits @ .., letter @ (b'e' | b'f' | b'g' | b'E' | b'F' | b'G')]
            if (1..=2).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) =>
        {
            Some((*letter, digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'))))
        }
        _ => None,
    }
}

pub(super) fn push_integer(number: i64, out: &mut Vec<u8>) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(digits.get(at..).unwrap_or(&[]));
}

fn write_to(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let mut string = String::new();
    let _ = string.write_fmt(text);
    out.extend_from_slice(string.as_bytes());
}

pub(super) fn non_finite(number: f64) -> &'static str {
    match (number.is_nan(), number.is_sign_negative()) {
        (true, false) => "+nan",
        (true, true) => "-nan",
        (false, false) => "+inf",
        (false, true) => "-inf",
    }
}

/// Appends a finite number by `%e`, `%f` or `%g` (or their capitals), padded.
pub(super) fn push_float(number: f64, letter: u8, style: &Specification, out: &mut Vec<u8>) {
    let body = format_float(number.abs(), letter, style.precision.unwrap_or(6), style.alternate);
    style.put(style.sign(number.is_sign_negative()), body.as_bytes(), style.zero, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers() {
        let rows: [(&[u8], f64, bool); 10] = [
            (b"12", 12.0, true),
            (b" 1.5e3 ", 1500.0, true),
            (b"0x1A", 0.0, false),
            (b"1e", 1.0, false),
            (b".5", 0.5, true),
            (b".", 0.0, false),
            (b"-3abc", -3.0, false),
            (b"", 0.0, false),
            (b"inf", 0.0, false),
            (b"+5", 5.0, true),
        ];
        for (text, number, is_whole) in rows {
            assert!((to_number(text) - number).abs() < 1e-12, "{text:?}");
            assert_eq!(whole_number(text).is_some(), is_whole, "{text:?}");
        }
    }

    #[test]
    fn writes_numbers() {
        let shown = |number| {
            let mut out = Vec::new();
            push_number(number, b"%.6g", &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown(0.1 + 0.2), "0.3");
        assert_eq!(shown(-12.0), "-12");
        assert_eq!(shown(1e20), "100000000000000000000");
        assert_eq!(shown(1_234_567.5), "1.23457e+06");
        assert_eq!(shown(1.234e-5), "1.234e-05");
        assert_eq!(shown(f64::INFINITY), "+inf");
    }
}
