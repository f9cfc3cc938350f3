//! Numbers as text, in bases from 2 on.

use super::Number;
use super::magnitude::Magnitude;
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, format};
use crate::utility::context::pace::tick_bytes;

/// The value of a digit: letters are those from ten on.
const fn digit(byte: u8) -> Option<u32> {
    match byte {
        b'0'..=b'9' => Some((byte - b'0') as u32),
        b'A'..=b'F' => Some((byte - b'A') as u32 + 10),
        _ => None,
    }
}

impl Number {
    /// Reads digits with at most one point. In a base of more than one digit, a digit that is too large counts as the largest
    /// where there are several, if it `clamps` as `bc` does; else it has its own value.
    pub(in crate::utility) async fn read(
        text: &[u8],
        base: u32,
        meter: &Meter,
        clamps: bool,
    ) -> Result<Self, LimitError> {
        let (negative, text) = match text.split_first() {
            Some((b'-' | b'_', rest)) => (true, rest),
            _ => (false, text),
        };
        let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
        let (whole, fraction) = (text.get(..point).unwrap_or(text), text.get(point + 1..).unwrap_or(&[]));
        tick_bytes(meter, text.len()).await?;
        let is_single = whole.len() + fraction.len() == 1;
        let clamps = clamps && !is_single;
        if base == 10 && (is_single || text.iter().all(|byte| !byte.is_ascii_uppercase())) {
            let digits: Vec<u8> = whole.iter().chain(fraction).copied().collect();
            let digits = match digits.as_slice() {
                [one] => Magnitude::of(u64::from(digit(*one).unwrap_or(0))),
                digits => Magnitude::of_digits(digits),
            };
            return Ok(Self { negative: negative && !digits.is_zero(), digits, scale: fraction.len() });
        }
        let value = |byte: u8| {
            let value = digit(byte).unwrap_or(0);
            if clamps { value.min(base - 1) } else { value }
        };
        let mut digits = Magnitude::default();
        for &byte in whole {
            digits = digits.multiply_small(base).add(&Magnitude::of(u64::from(value(byte))));
            tick_bytes(meter, digits.0.len() * 8).await?;
        }
        let mut number = Self { negative: false, digits, scale: 0 };
        if !fraction.is_empty() {
            let (mut above, mut below) = (Magnitude::default(), Magnitude::of(1));
            for &byte in fraction {
                above = above.multiply_small(base).add(&Magnitude::of(u64::from(value(byte))));
                below = below.multiply_small(base);
                tick_bytes(meter, below.0.len() * 16).await?;
            }
            let (above, below) = (
                Self { negative: false, digits: above, scale: 0 },
                Self { negative: false, digits: below, scale: 0 },
            );
            let part = above.divide(&below, fraction.len(), meter).await?.unwrap_or_default();
            number = number.add(&part).with_scale(fraction.len());
        }
        number.negative = negative && !number.is_zero();
        Ok(number)
    }

    /// The digits in base ten: a zero before the point is left out.
    fn decimal(&self, leading_zero: bool) -> Vec<u8> {
        let digits = self.digits.to_digits();
        let mut out = Vec::with_capacity(digits.len().max(self.scale) + 3);
        if self.is_negative() {
            out.push(b'-');
        }
        let whole = digits.len().saturating_sub(self.scale);
        let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((&[], &digits));
        out.extend_from_slice(whole);
        if whole.is_empty() && (leading_zero || self.scale == 0 || self.is_zero()) {
            out.push(b'0');
        }
        if self.scale > 0 && !(self.is_zero()) {
            out.push(b'.');
            out.extend(std::iter::repeat_n(b'0', self.scale - fraction.len()));
            out.extend_from_slice(fraction);
        }
        out
    }

    /// The text of the number in a base. From seventeen on, each digit is a decimal number after a blank.
    pub(in crate::utility) async fn write(&self, base: u64, meter: &Meter) -> Result<Vec<u8>, LimitError> {
        if base == 10 || self.is_zero() {
            tick_bytes(meter, self.digits.0.len() * 16).await?;
            return Ok(self.decimal(false));
        }
        let mut out = Vec::new();
        if self.is_negative() {
            out.push(b'-');
        }
        let width = format!("{}", base - 1).len();
        let push = |out: &mut Vec<u8>, value: u64| {
            if base <= 16 {
                out.push(if value < 10 { b'0' + value as u8 } else { b'A' + (value as u8 - 10) });
            } else {
                out.extend_from_slice(format!(" {value:0width$}").as_bytes());
            }
        };
        let by = Magnitude::of(base);
        let mut whole = self.digits.scale_down(self.scale);
        let mut digits: Vec<u64> = Vec::new();
        while !whole.is_zero() {
            let (quotient, rest) = match u32::try_from(base) {
                Ok(small) if u64::from(small) < super::magnitude::BASE => {
                    let (quotient, rest) = whole.divide_small(small);
                    (quotient, u64::from(rest))
                }
                _ => {
                    let (quotient, rest) = whole.divide(&by, meter).await?;
                    (quotient, rest.to_u64().unwrap_or(0))
                }
            };
            digits.push(rest);
            tick_bytes(meter, whole.0.len() * 8).await?;
            whole = quotient;
        }
        for &value in digits.iter().rev() {
            push(&mut out, value);
        }
        if self.scale == 0 {
            return Ok(out);
        }
        out.push(b'.');
        // As many digits as are needed to tell as much as the decimal ones do.
        let unit = Magnitude::of(1).scale_up(self.scale);
        let mut reach = Magnitude::of(1);
        let mut rest = self.digits.divide(&unit, meter).await?.1;
        let mut is_first = true;
        while reach.compare(&unit).is_lt() {
            rest = rest.multiply(&by, meter).await?;
            let value = rest.scale_down(self.scale);
            rest = rest.subtract(&value.scale_up(self.scale));
            let value = value.to_u64().unwrap_or(0);
            if is_first && base > 16 {
                out.extend_from_slice(format!("{value:0width$}").as_bytes());
            } else {
                push(&mut out, value);
            }
            is_first = false;
            reach = reach.multiply(&by, meter).await?;
            tick_bytes(meter, reach.0.len() * 16).await?;
        }
        Ok(out)
    }
}
