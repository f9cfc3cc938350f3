//! `printf` and `sprintf`: a format and its arguments become text. gawk(1), "Format-Control Letters".

use super::number::{non_finite, push_float, push_integer};
use super::value::Value;
use crate::character::{push_unit, unit_at};
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{JoinMetered, String, ToDecimal, Vec, format, repeat};
use crate::pattern::{NoTicker, Stopped};
use crate::utility::context::pace::{Pace, in_place};
use crate::utility::format::specification::Specification;
use std::pin::pin;

/// Why a format was not finished.
#[derive(Debug)]
pub(super) enum FormatError {
    /// There is no argument; the place in the format that is shown.
    OutOfArguments(usize),
    /// `%0$s`
    IndexZero,
    /// `%3$s` with two arguments.
    IndexTooLarge(usize),
    /// Some conversions name the number of their argument, others do not.
    Mixed,
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
    let mut arguments = Arguments { values: arguments, next: 0, is_numbered: None };
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', format.get(at..).unwrap_or(&[])) {
        let start = at + found;
        pace.append(out, format.get(at..start).unwrap_or(&[])).await?;
        let mut conversion =
            Conversion { format, at: start + 1, style: Specification::default(), argument: None };
        let missing = |error, at: usize| match error {
            // The character before the one that wants an argument is shown.
            FormatError::OutOfArguments(_) => FormatError::OutOfArguments(at.saturating_sub(2)),
            error => error,
        };
        let read = conversion.read(&mut arguments);
        let Some(letter) = read.map_err(|error| missing(error, conversion.at))? else {
            out.extend_from_slice(format.get(start..).unwrap_or(&[]));
            return Ok(());
        };
        at = conversion.at;
        let style = conversion.style;
        if letter == b'%' {
            out.push(b'%');
        } else if b"diouxXcseEfFgGaA".contains(&letter) {
            let value = arguments.take(conversion.argument).map_err(|error| missing(error, at))?;
            // What the width makes is measured before it is made.
            meter.check_value(out.len().saturating_add(least_length(&style, letter)) as u64)?;
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
    let mut conversion = Conversion { format: text, at: 0, style: Specification::default(), argument: None };
    let start = memchr::memchr(b'%', text).unwrap_or(text.len());
    out.extend_from_slice(text.get(..start).unwrap_or(text));
    conversion.at = start + 1;
    if let Ok(Some(letter)) = conversion.read(&mut Arguments { values: &[], next: 0, is_numbered: None })
        && b"diouxXeEfFgGaA".contains(&letter)
        && gauge::admit_value(least_length(&conversion.style, letter))
    {
        push_value(letter, &Value::Number(number), &conversion.style, out);
        out.extend_from_slice(text.get(conversion.at..).unwrap_or(&[]));
    }
}

/// What is written by the conversion `letter` has at least this length, as far as that is known before.
fn least_length(style: &Specification, letter: u8) -> usize {
    let digits = if matches!(letter, b's' | b'c') { 0 } else { style.precision.unwrap_or(0) };
    style.width.max(digits)
}

/// The arguments of a format: taken in order, or by their numbers (`%2$s`).
struct Arguments<'v> {
    values: &'v [Value],
    next: usize,
    is_numbered: Option<bool>,
}

impl<'v> Arguments<'v> {
    fn take(&mut self, number: Option<usize>) -> Result<&'v Value, FormatError> {
        if *self.is_numbered.get_or_insert(number.is_some()) != number.is_some() {
            return Err(FormatError::Mixed);
        }
        let index = match number {
            Some(number) => number.saturating_sub(1),
            None => self.next,
        };
        self.next += 1;
        match (self.values.get(index), number) {
            (Some(value), _) => Ok(value),
            (None, Some(number)) => Err(FormatError::IndexTooLarge(number)),
            (None, None) => Err(FormatError::OutOfArguments(0)),
        }
    }
}

/// What stands between `%` and the letter.
struct Conversion<'f> {
    format: &'f [u8],
    at: usize,
    style: Specification,
    /// The number of the argument, where it is named.
    argument: Option<usize>,
}

impl Conversion<'_> {
    /// Reads up to the letter, which is given; `None`: the format ended first. `Err`: no argument for a `*`.
    fn read(&mut self, arguments: &mut Arguments<'_>) -> Result<Option<u8>, FormatError> {
        self.argument = self.argument_number()?;
        let flags = self.format.get(self.at..).unwrap_or(&[]);
        self.at += flags.len() - self.style.take_flags(flags, b"-+ #0'").len();
        if let Some(width) = self.number(arguments)? {
            // What is too large for C is not a width.
            let width = if width == i64::MIN { 0 } else { width };
            self.style.left |= width < 0;
            self.style.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        }
        if self.format.get(self.at) == Some(&b'.') {
            self.at += 1;
            let is_negative = self.format.get(self.at) == Some(&b'-');
            self.at += usize::from(is_negative);
            let precision = self.number(arguments)?.unwrap_or(0);
            // A negative one counts as none.
            self.style.precision = usize::try_from(precision).ok().filter(|_| !is_negative);
        }
        // Each size may stand there once, and says nothing.
        let mut sizes: &[u8] = b"hlL";
        while let Some(byte) = self.format.get(self.at)
            && let Some(place) = memchr::memchr(*byte, sizes)
        {
            sizes = sizes.get(place + 1..).unwrap_or(&[]);
            self.at += 1;
        }
        let letter = self.format.get(self.at).copied();
        self.at += usize::from(letter.is_some());
        Ok(letter)
    }

    /// The number of an argument with its `$`, if there is one here.
    fn argument_number(&mut self) -> Result<Option<usize>, FormatError> {
        let rest = self.format.get(self.at..).unwrap_or(&[]);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || rest.get(digits) != Some(&b'$') {
            return Ok(None);
        }
        let number = rest.iter().take(digits).fold(0_usize, |number, digit| {
            number.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
        });
        if number == 0 {
            return Err(FormatError::IndexZero);
        }
        self.at += digits + 1;
        Ok(Some(number))
    }

    fn number(&mut self, arguments: &mut Arguments<'_>) -> Result<Option<i64>, FormatError> {
        if self.format.get(self.at) == Some(&b'*') {
            self.at += 1;
            let number = self.argument_number()?;
            let number = arguments.take(number)?.number();
            // What is too large for C becomes negative there.
            return Ok(Some(if number >= i64::MAX as f64 { i64::MIN } else { number as i64 }));
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

fn push_value(letter: u8, value: &Value, style: &Specification, out: &mut Vec<u8>) {
    match letter {
        b'c' => push_character(value, style, out),
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => push_whole(letter, value.number(), style, out),
        _ => {
            let number = value.number();
            if !number.is_finite() {
                out.extend_from_slice(non_finite(number).as_bytes());
            } else if letter.eq_ignore_ascii_case(&b'a') {
                push_hexadecimal(number, letter, style, out);
            } else {
                push_float(number, letter, style, out);
            }
        }
    }
}

/// `%s`: pads and cuts by characters.
async fn push_string(
    text: &[u8],
    style: &Specification,
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
fn push_text(text: &[u8], style: &Specification, out: &mut Vec<u8>) {
    let ticker = &mut NoTicker;
    in_place(pin!(push_string(text, style, out, &mut Pace::Alone(ticker))));
}

/// `%c`: the character with that number, or the first one of a text.
fn push_character(value: &Value, style: &Specification, out: &mut Vec<u8>) {
    let mut character = Vec::with_capacity(4);
    let mut style = Specification { precision: None, ..*style };
    match value {
        Value::Text(text) | Value::Input(text) if !value.is_numeric() => {
            let length = unit_at(text, 0).map_or(0, |(_, length)| length);
            character.extend_from_slice(text.get(..length).filter(|first| !first.is_empty()).unwrap_or(&[0]));
        }
        _ => {
            let number = value.number();
            // What does not fit into 64 bits is none of them.
            let whole = match number {
                0.0..18_446_744_073_709_551_616.0 => number as u64,
                0.0.. => 0,
                _ => number as i64 as u64,
            };
            match whole as u32 {
                code @ 0x11_0000..0x8000_0000 => character.extend(long_character(code)),
                code if char::from_u32(code).is_some() => push_unit(&mut character, code),
                _ => character.push(whole as u8),
            }
            // gawk counts the bytes of what a number stands for.
            style.width = style.width.saturating_sub(character.len() - 1);
        }
    }
    push_text(&character, &style, out);
}

/// UTF-8 as it once went on, past the last character.
fn long_character(code: u32) -> impl Iterator<Item = u8> {
    let (first, count) = match code {
        ..0x20_0000 => (0xf0, 4),
        0x20_0000..0x400_0000 => (0xf8, 5),
        _ => (0xfc, 6),
    };
    (0..count).rev().map(move |place| {
        let bits = (code >> (6 * place)) as u8;
        if place + 1 == count { first | bits } else { 0x80 | bits & 63 }
    })
}

/// `%a`: the number's bits in hexadecimal.
fn push_hexadecimal(number: f64, letter: u8, style: &Specification, out: &mut Vec<u8>) {
    const FRACTION_BITS: usize = 52;
    let bits = number.abs().to_bits();
    let (mut exponent, mut mantissa) = ((bits >> FRACTION_BITS) as i64, bits & ((1 << FRACTION_BITS) - 1));
    match (exponent, mantissa) {
        (0, 0) => {}
        (0, _) => exponent = -1022,
        _ => {
            mantissa |= 1 << FRACTION_BITS;
            exponent -= 1023;
        }
    }
    let mut places = FRACTION_BITS / 4;
    if let Some(precision) = style.precision.filter(|&precision| precision < places) {
        // Half is rounded to the even digit.
        let dropped = FRACTION_BITS - 4 * precision;
        let (half, rest) = (1_u64 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        places = precision;
    } else if style.precision.is_none() {
        while places > 0 && mantissa.trailing_zeros() >= 4 {
            mantissa >>= 4;
            places -= 1;
        }
    }
    let (whole, fraction) = (mantissa >> (4 * places), mantissa & ((1 << (4 * places)) - 1));
    let mut digits = format!("{whole:x}");
    if places > 0 || style.alternate || style.precision.is_some_and(|precision| precision > 0) {
        digits.push('.');
    }
    if places > 0 {
        digits.push_str(&format!("{fraction:0places$x}"));
    }
    let missing = style.precision.unwrap_or(0).saturating_sub(places);
    digits.push_str(&String::from_utf8_lossy(&repeat(b"0", missing)));
    digits.push_str(&format!("p{exponent:+}"));
    let is_upper = letter == b'A';
    if is_upper {
        digits.make_ascii_uppercase();
    }
    let prefix: &[u8] = if is_upper { b"0X" } else { b"0x" };
    let lead = [style.sign(number.is_sign_negative()), prefix].concat_metered();
    style.put(&lead, digits.as_bytes(), style.zero, out);
}

fn push_whole(letter: u8, number: f64, style: &Specification, out: &mut Vec<u8>) {
    if !number.is_finite() {
        out.extend_from_slice(non_finite(number).as_bytes());
        return;
    }
    let number = number.trunc();
    let is_signed = matches!(letter, b'd' | b'i');
    if !is_signed && number.abs() >= 1.8e19 {
        // No whole number of 64 bits.
        push_float(number, b'g', style, out);
        return;
    }
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
    // Nothing at all is written of a zero without digits, other than in C not its sign either.
    let is_nothing = number == 0.0 && style.precision == Some(0) && (is_signed || !style.alternate);
    if let Some(precision) = style.precision {
        if is_nothing {
            digits.clear();
        }
        let missing = precision.saturating_sub(digits.len());
        digits.splice(0..0, std::iter::repeat_n(b'0', missing));
    }
    let prefix: &[u8] = match letter {
        b'x' if style.alternate && number != 0.0 => b"0x",
        b'X' if style.alternate && number != 0.0 => b"0X",
        b'o' if style.alternate && number != 0.0 => b"0",
        _ => b"",
    };
    let zeros = style.zero && style.precision.is_none();
    let style =
        if is_signed && !is_nothing { *style } else { Specification { plus: false, blank: false, ..*style } };
    let lead = [style.sign(is_signed && number < 0.0), prefix].concat_metered();
    style.put(&lead, &digits, zeros, out);
}
