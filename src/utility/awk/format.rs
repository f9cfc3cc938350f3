//! `printf` and `sprintf`: a format and its arguments become text. gawk(1), "Format-Control Letters".

use super::number::{Style, non_finite, push_float, push_integer, push_padded};
use super::value::Value;
use crate::character::{push_unit, unit_at};
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{ToDecimal, Vec, format};
use crate::pattern::{NoTicker, Stopped};
use crate::utility::pace::{Pace, in_place};
use std::pin::pin;

/// Why a format was not finished.
#[derive(Debug)]
pub(super) enum FormatError {
    /// There is no argument for the conversion at this place.
    OutOfArguments(usize),
    Limit(LimitError),
    /// The pace says so.
    Stopped,
}

impl From<Stopped> for FormatError {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl From<LimitError> for FormatError {
    fn from(limit: LimitError) -> Self {
        Self::Limit(limit)
    }
}

/// Appends the formatted text to `out`.
pub(super) async fn format(
    format: &[u8],
    arguments: &[Value],
    number_format: &[u8],
    meter: &Meter,
    out: &mut Vec<u8>,
    pace: &mut Pace<'_>,
) -> Result<(), FormatError> {
    let mut arguments = arguments.iter();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', format.get(at..).unwrap_or(&[])) {
        let start = at + found;
        pace.append(out, format.get(at..start).unwrap_or(&[])).await?;
        let mut conversion = Conversion { format, at: start + 1, style: Style::default() };
        let missing = FormatError::OutOfArguments(start);
        let Some(letter) =
            conversion.read(&mut arguments).map_err(|()| FormatError::OutOfArguments(start))?
        else {
            out.extend_from_slice(format.get(start..).unwrap_or(&[]));
            return Ok(());
        };
        at = conversion.at;
        let style = conversion.style;
        // What the width makes is measured before it is made.
        meter.check_value(out.len().saturating_add(style.least_length(letter)) as u64)?;
        if letter == b'%' {
            out.push(b'%');
        } else if b"diouxXcseEfFgGaA".contains(&letter) {
            let Some(value) = arguments.next() else { return Err(missing) };
            if letter == b's' {
                let mut buffer = Vec::new();
                push_string(value.bytes(number_format, &mut buffer), &style, out, pace).await?;
            } else {
                push_value(letter, value, &style, out);
            }
        } else {
            out.extend_from_slice(format.get(start..at).unwrap_or(&[]));
        }
        meter.check_value(out.len() as u64)?;
    }
    pace.append(out, format.get(at..).unwrap_or(&[])).await?;
    Ok(())
}

/// A single number by a format such as `CONVFMT`.
pub(super) fn push_formatted_number(text: &[u8], number: f64, out: &mut Vec<u8>) {
    let mut conversion = Conversion { format: text, at: 0, style: Style::default() };
    let start = memchr::memchr(b'%', text).unwrap_or(text.len());
    out.extend_from_slice(text.get(..start).unwrap_or(text));
    conversion.at = start + 1;
    if let Ok(Some(letter)) = conversion.read(&mut [].iter())
        && b"diouxXeEfFgG".contains(&letter)
        && gauge::admit_value(conversion.style.least_length(letter))
    {
        push_value(letter, &Value::Number(number), &conversion.style, out);
        out.extend_from_slice(text.get(conversion.at..).unwrap_or(&[]));
    }
}

/// What stands between `%` and the letter.
struct Conversion<'f> {
    format: &'f [u8],
    at: usize,
    style: Style,
}

impl Conversion<'_> {
    /// Reads up to the letter, which is given; `None`: the format ended first. `Err`: no argument for a `*`.
    fn read(&mut self, arguments: &mut std::slice::Iter<'_, Value>) -> Result<Option<u8>, ()> {
        loop {
            match self.format.get(self.at) {
                Some(b'-') => self.style.left = true,
                Some(b'+') => self.style.plus = true,
                Some(b' ') => self.style.space = true,
                Some(b'#') => self.style.alternative = true,
                Some(b'0') => self.style.zero = true,
                Some(b'\'') => {}
                _ => break,
            }
            self.at += 1;
        }
        if let Some(width) = self.number(arguments)? {
            self.style.left |= width < 0;
            self.style.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        }
        if self.format.get(self.at) == Some(&b'.') {
            self.at += 1;
            let precision = self.number(arguments)?.unwrap_or(0);
            self.style.precision = usize::try_from(precision).ok();
        }
        while let Some(b'h' | b'l' | b'L') = self.format.get(self.at) {
            self.at += 1;
        }
        let letter = self.format.get(self.at).copied();
        self.at += usize::from(letter.is_some());
        Ok(letter)
    }

    fn number(&mut self, arguments: &mut std::slice::Iter<'_, Value>) -> Result<Option<i64>, ()> {
        if self.format.get(self.at) == Some(&b'*') {
            self.at += 1;
            return arguments.next().map(|value| Some(value.number() as i64)).ok_or(());
        }
        let mut number = None;
        while let Some(byte @ b'0'..=b'9') = self.format.get(self.at) {
            let digit = i64::from(byte - b'0');
            number = Some(number.unwrap_or(0_i64).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        Ok(number)
    }
}

fn push_value(letter: u8, value: &Value, style: &Style, out: &mut Vec<u8>) {
    match letter {
        b'c' => push_character(value, style, out),
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => push_whole(letter, value.number(), style, out),
        _ => {
            let number = value.number();
            let letter = if letter.eq_ignore_ascii_case(&b'a') { b'g' } else { letter };
            if number.is_finite() {
                push_float(number, letter, style, out);
            } else {
                push_text(non_finite(number).as_bytes(), &Style { precision: None, ..*style }, out);
            }
        }
    }
}

/// `%s`: pads and cuts by characters.
async fn push_string(
    text: &[u8],
    style: &Style,
    out: &mut Vec<u8>,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    if style.precision.is_none() && style.width == 0 {
        return pace.append(out, text).await;
    }
    let wanted = style.precision.unwrap_or(usize::MAX);
    let (mut at, mut count) = (0, 0);
    while count < wanted
        && let Some((_, length)) = unit_at(text, at)
    {
        at += length;
        count += 1;
        if count % BLOCK == 0 {
            pace.tick(BLOCK as u64).await?;
        }
    }
    let padding = style.width.saturating_sub(count);
    if !style.left {
        pad(padding, out, pace).await?;
    }
    pace.append(out, text.get(..at).unwrap_or(text)).await?;
    if style.left {
        pad(padding, out, pace).await?;
    }
    Ok(())
}

/// Characters that are handled at once.
const BLOCK: usize = 1 << 14;

async fn pad(count: usize, out: &mut Vec<u8>, pace: &mut Pace<'_>) -> Result<(), Stopped> {
    let mut left = count;
    while left > 0 && !gauge::is_refused() {
        let now = left.min(BLOCK);
        out.resize_by(now, b' ');
        left -= now;
        if left > 0 {
            pace.tick(BLOCK as u64 / 16).await?;
        }
    }
    Ok(())
}

/// Text of a few characters, as `%s` shows it.
fn push_text(text: &[u8], style: &Style, out: &mut Vec<u8>) {
    let ticker = &mut NoTicker;
    in_place(pin!(push_string(text, style, out, &mut Pace::Alone(ticker))));
}

/// `%c`: the character with that number, or the first one of a text.
fn push_character(value: &Value, style: &Style, out: &mut Vec<u8>) {
    let mut character = Vec::with_capacity(4);
    match value {
        Value::Text(text) | Value::Input(text) if !value.is_numeric() => {
            let length = unit_at(text, 0).map_or(0, |(_, length)| length);
            character.extend_from_slice(text.get(..length).filter(|first| !first.is_empty()).unwrap_or(&[0]));
        }
        _ => {
            let number = value.number();
            match u32::try_from(number as i64).ok().and_then(char::from_u32) {
                Some(c) => push_unit(&mut character, u32::from(c)),
                None => character.push(number as i64 as u8),
            }
        }
    }
    push_text(&character, &Style { precision: None, ..*style }, out);
}

fn push_whole(letter: u8, number: f64, style: &Style, out: &mut Vec<u8>) {
    if !number.is_finite() {
        push_text(non_finite(number).as_bytes(), &Style { precision: None, ..*style }, out);
        return;
    }
    let number = number.trunc();
    let is_signed = matches!(letter, b'd' | b'i');
    let mut digits = Vec::with_capacity(24);
    if number.abs() >= 1.8e19 || (is_signed && number.abs() >= 9e18) {
        digits.extend_from_slice(format!("{:.0}", number.abs()).as_bytes());
    } else if is_signed {
        push_integer((number.abs() as i64).max(0), &mut digits);
    } else {
        let whole = if number < 0.0 { number as i64 as u64 } else { number as u64 };
        let text = match letter {
            b'o' => format!("{whole:o}"),
            b'x' => format!("{whole:x}"),
            b'X' => format!("{whole:X}"),
            _ => whole.to_decimal(),
        };
        digits.extend_from_slice(text.as_bytes());
    }
    if let Some(precision) = style.precision {
        if precision == 0 && number == 0.0 {
            digits.clear();
        }
        let missing = precision.saturating_sub(digits.len());
        digits.splice(0..0, std::iter::repeat_n(b'0', missing));
    }
    let prefix = match letter {
        b'x' if style.alternative && number != 0.0 => "0x",
        b'X' if style.alternative && number != 0.0 => "0X",
        b'o' if style.alternative && digits.first() != Some(&b'0') => "0",
        _ => "",
    };
    let zeros = style.zero && style.precision.is_none();
    let style = if is_signed { *style } else { Style { plus: false, space: false, ..*style } };
    push_padded(is_signed && number < 0.0, prefix, &digits, &style, zeros, out);
}
