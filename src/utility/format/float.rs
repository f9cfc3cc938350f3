//! Floating point numbers as the C library reads (`strtod`) and prints (`%e %f %g`) them.
use crate::memory::{String, format, repeat_text};

/// The number at the front of `text`.
pub(crate) fn parse_float(text: &[u8]) -> Option<f64> {
    parse_float_prefix(text).map(|(value, _)| value)
}

/// The number at the front of `text`, and what follows it.
pub(crate) fn parse_float_prefix(text: &[u8]) -> Option<(f64, &[u8])> {
    let text = text.trim_ascii_start();
    let (negative, body) = match text {
        [b'-', body @ ..] => (true, body),
        [b'+', body @ ..] => (false, body),
        body => (false, body),
    };
    let starts = |word: &[u8]| body.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let after = |count: usize| body.get(count..).unwrap_or(&[]);
    let (value, rest) = if starts(b"infinity") {
        (f64::INFINITY, after(8))
    } else if starts(b"inf") {
        (f64::INFINITY, after(3))
    } else if starts(b"nan") {
        (f64::NAN, after(3))
    } else if starts(b"0x") && body.get(2).is_some_and(|byte| byte.is_ascii_hexdigit() || *byte == b'.') {
        hexadecimal(after(2))
    } else {
        decimal(body)?
    };
    Some((if negative { -value } else { value }, rest))
}

/// Decimal digits at the front, and the rest.
pub(crate) fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(count).unwrap_or((text, &[]))
}

fn decimal(body: &[u8]) -> Option<(f64, &[u8])> {
    let (integer, rest) = split_digits(body);
    let fraction = rest.strip_prefix(b".").map_or(&[] as &[u8], |after| split_digits(after).0);
    if integer.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut end = integer.len() + if rest.first() == Some(&b'.') { 1 + fraction.len() } else { 0 };
    if let Some([b'e' | b'E', exponent @ ..]) = body.get(end..) {
        let sign = usize::from(matches!(exponent.first(), Some(b'+' | b'-')));
        let digits = exponent.get(sign..).map_or(0, |digits| split_digits(digits).0.len());
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    let (number, rest) = body.split_at_checked(end)?;
    Some((std::str::from_utf8(number).ok()?.parse().ok()?, rest))
}

fn hexadecimal(body: &[u8]) -> (f64, &[u8]) {
    let (mut value, mut scale, mut point) = (0.0_f64, 0_i32, false);
    let mut rest = body;
    while let Some((&byte, tail)) = rest.split_first() {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                value = value.mul_add(16.0, f64::from(digit));
                scale = scale.saturating_sub(i32::from(point) * 4);
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        rest = tail;
    }
    if let [b'p' | b'P', exponent @ ..] = rest {
        let sign = if exponent.first() == Some(&b'-') { -1 } else { 1 };
        let (digits, after) =
            split_digits(exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent));
        if !digits.is_empty() {
            let add =
                |power: i32, digit: &u8| power.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
            scale = scale.saturating_add(sign * digits.iter().fold(0_i32, add).min(100_000));
            rest = after;
        }
    }
    (value * 2.0_f64.powi(scale), rest)
}

/// No double has more digits after its point; and the standard library's precision has 16 bits.
const MOST_DIGITS: usize = 1100;

/// With so many digits after the point.
pub(crate) fn fixed(value: f64, precision: usize) -> String {
    let mut text = format!("{value:.*}", precision.min(MOST_DIGITS));
    if value.is_finite() {
        text.push_str(&repeat_text("0", precision.saturating_sub(MOST_DIGITS)));
    }
    text
}

/// A digit, so many after the point, `e` and the exponent.
pub(crate) fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.*e}", precision.min(MOST_DIGITS));
    match text.split_once('e') {
        Some((digits, exponent)) if precision > MOST_DIGITS => {
            format!("{digits}{}e{exponent}", repeat_text("0", precision - MOST_DIGITS))
        }
        _ => text,
    }
}

/// Formats as printf does for the conversion `f`, `e` or `g` (capitals too), without padding.
pub(crate) fn format_float(value: f64, conversion: u8, precision: usize, alternate: bool) -> String {
    let upper = conversion.is_ascii_uppercase();
    let mut text = if value.is_finite() {
        match conversion.to_ascii_lowercase() {
            b'e' => exponent_form(value, precision, alternate),
            b'g' => general_form(value, precision.max(1), alternate),
            _ if alternate && precision == 0 => format!("{value:.0}."),
            _ => fixed(value, precision),
        }
    } else {
        let name = if value.is_nan() { "nan" } else { "inf" };
        format!("{}{name}", if value.is_sign_negative() { "-" } else { "" })
    };
    if upper {
        text.make_ascii_uppercase();
    }
    text
}

fn exponent_form(value: f64, precision: usize, alternate: bool) -> String {
    let text = scientific(value, precision);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{sign}{:02}", power.abs())
}

/// C17 7.21.6.1: as many significant digits as `precision`, the exponent form outside of -4 to `precision`.
fn general_form(value: f64, precision: usize, alternate: bool) -> String {
    let digits = scientific(value, precision - 1);
    let power: i32 = digits.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let in_range = power >= -4 && i64::from(power) < precision as i64;
    let text = if in_range {
        let decimals = precision as i64 - 1 - i64::from(power);
        fixed(value, decimals.max(0) as usize)
    } else {
        exponent_form(value, precision - 1, alternate)
    };
    if alternate {
        return if text.contains('.') { text } else { text + "." };
    }
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
        None => (text.as_str(), String::new()),
    };
    let short =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{short}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_the_c_library() {
        for (text, want) in
            [(b"0x10".as_slice(), 16.0), (b"1e3x", 1000.0), (b"-.5", -0.5), (b"1e", 1.0), (b"0x1p-1", 0.5)]
        {
            assert_eq!(parse_float(text), Some(want));
        }
        assert_eq!(parse_float(b"x"), None);
        assert_eq!(parse_float_prefix(b" 1e+x").unwrap().1, b"e+x");
    }

    #[test]
    fn prints_as_the_c_library() {
        for (value, conversion, precision, want) in [
            (100_000.0, b'g', 6, "100000"),
            (1_000_000.0, b'g', 6, "1e+06"),
            (0.0001, b'g', 6, "0.0001"),
            (0.000_01, b'g', 6, "1e-05"),
            (1.5, b'e', 2, "1.50e+00"),
            (2.0, b'f', 3, "2.000"),
            (0.0, b'g', 6, "0"),
            (f64::INFINITY, b'F', 6, "INF"),
        ] {
            assert_eq!(format_float(value, conversion, precision, false), want);
        }
    }
}
