//! The operands of `seq`: decimal numbers kept exactly.

use crate::memory::{Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::float::{parse_float_prefix, split_digits};
use crate::utility::format::quote::quote;

/// `digits` / 10^`scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fixed {
    pub(super) digits: i128,
    pub(super) scale: usize,
}

impl Fixed {
    pub(super) fn to_float(self) -> f64 {
        // Through text, which is rounded correctly.
        let text = format!("{}e-{}", self.digits, self.scale);
        text.parse().unwrap_or(f64::NAN)
    }

    /// Appends the number with `precision` decimals (at most `scale` of them matter) and zeros up to `width`.
    pub(super) fn append(self, precision: usize, width: usize, out: &mut Vec<u8>) {
        let mut rest = self.digits.unsigned_abs();
        let mut dropped = self.scale.saturating_sub(precision);
        if precision > 0 || rest > u128::from(u64::MAX) {
            let mut length = 0;
            let mut text = Vec::with_capacity(48);
            while rest > 0 || length <= precision {
                let digit = b'0' + (rest % 10) as u8;
                rest /= 10;
                if dropped > 0 {
                    dropped -= 1;
                    continue;
                }
                text.push(digit);
                length += 1;
                if length == precision && precision > 0 {
                    text.push(b'.');
                }
            }
            text.reverse();
            return self.pad(&text, width, out);
        }
        let mut rest = rest as u64;
        for _ in 0..dropped {
            rest /= 10;
        }
        self.pad(itoa::Buffer::new().format(rest).as_bytes(), width, out);
    }

    fn pad(self, text: &[u8], width: usize, out: &mut Vec<u8>) {
        let negative = self.digits < 0;
        if negative {
            out.push(b'-');
        }
        let used = text.len() + usize::from(negative);
        if used < width {
            out.resize_by(width - used, b'0');
        }
        out.extend_from_slice(text);
    }
}

/// An operand as a number and as it was written.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) value: f64,
    /// Decimals that it was written with.
    pub(super) precision: usize,
    exact: Option<Fixed>,
    written_width: usize,
}

/// Most decimals and digits of an exact number.
const MOST_DIGITS: usize = 30;

impl Operand {
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let body = text.trim_ascii_start();
        let body = body.strip_prefix(b"+").unwrap_or(body);
        let Some((value, [])) = parse_float_prefix(text) else {
            return Err(UtilityError::Usage(format!("invalid floating point argument: {}", quote(text))));
        };
        if value.is_nan() {
            return Err(UtilityError::Usage(format!("invalid ‘not-a-number’ argument: {}", quote(text))));
        }
        let exact = parse_fixed(body).or_else(|| {
            let whole = value.fract() == 0.0 && value.abs() < 9e15 && !body.contains(&b'e');
            whole.then_some(Fixed { digits: value as i128, scale: 0 })
        });
        let precision = exact.map_or(0, |exact| exact.scale);
        let unsigned = body.strip_prefix(b"-").unwrap_or(body);
        let mut written_width = body.len();
        if unsigned.starts_with(b".") {
            written_width += 1;
        }
        if body.iter().any(|byte| matches!(byte, b'e' | b'E')) {
            let mut shown = Vec::new();
            if let Some(exact) = exact {
                exact.append(precision, 0, &mut shown);
            }
            written_width = shown.len();
        }
        Ok(Self { value, precision, exact, written_width })
    }

    /// Columns of this number with that many decimals.
    pub(super) fn width(&self, precision: usize) -> usize {
        let point = |decimals: usize| usize::from(decimals > 0);
        (self.written_width + precision + point(precision))
            .saturating_sub(self.precision + point(self.precision))
    }
}

fn parse_fixed(body: &[u8]) -> Option<Fixed> {
    let unsigned = body.strip_prefix(b"-").unwrap_or(body);
    let (integer, rest) = split_digits(unsigned);
    let (fraction, rest) = rest.strip_prefix(b".").map_or((&[] as &[u8], rest), split_digits);
    let exponent = match rest {
        [] => 0,
        [b'e' | b'E', power @ ..] => std::str::from_utf8(power).ok()?.parse::<i64>().ok()?,
        _ => return None,
    };
    if integer.len() + fraction.len() > MOST_DIGITS || exponent.unsigned_abs() > MOST_DIGITS as u64 {
        return None;
    }
    let add = |value: i128, digit: &u8| value * 10 + i128::from(digit - b'0');
    let digits = integer.iter().chain(fraction).fold(0_i128, add);
    let scale = fraction.len() as i64 - exponent;
    let fixed = if scale >= 0 {
        Fixed { digits, scale: scale as usize }
    } else {
        Fixed { digits: digits.checked_mul(10_i128.checked_pow(scale.unsigned_abs() as u32)?)?, scale: 0 }
    };
    Some(if body.len() > unsigned.len() { Fixed { digits: -fixed.digits, ..fixed } } else { fixed })
}

/// The three operands at one scale. An infinite last one stands for no end and becomes 0.
pub(super) fn scaled([first, step, last]: [&Operand; 3]) -> Option<[Fixed; 3]> {
    let endless = last.value.is_infinite() && (last.value > 0.0) == (step.value > 0.0);
    let last = if endless { Fixed { digits: 0, scale: 0 } } else { last.exact? };
    let (first, step) = (first.exact?, step.exact?);
    let scale = first.scale.max(step.scale).max(last.scale);
    let at_scale = |fixed: Fixed| {
        let factor = 10_i128.checked_pow(u32::try_from(scale - fixed.scale).ok()?)?;
        Some(Fixed { digits: fixed.digits.checked_mul(factor)?, scale })
    };
    Some([at_scale(first)?, at_scale(step)?, at_scale(last)?])
}
