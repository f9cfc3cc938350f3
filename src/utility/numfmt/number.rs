//! Numbers of `numfmt`: read with their units, scaled, rounded and printed. A number is a fraction of integers as long as
//! those fit into 128 bits, and a floating point number beyond.

use super::settings::{NumfmtOptions, Round, Scale};
use crate::memory::{JoinMetered, String, Vec, format, repeat_text};
use crate::utility::format::float::{fixed, format_float};
use crate::utility::format::quote::quote;

/// Digits that can be read without loss, and those that can be read at all.
const EXACT_DIGITS: usize = 18;
const MOST_DIGITS: usize = 27;
/// Digits of a scaled number that can be printed.
const MOST_PLACES: usize = 300;
const UNITS: &[u8; 9] = b"\0KMGTPEZY";

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// Numerator and denominator, which is above 0.
    exact: Option<(i128, i128)>,
    value: f64,
}

/// A number that was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parsed {
    pub(super) number: Number,
    /// Digits after the point; none with a unit.
    pub(super) precision: usize,
    /// It has more digits than are exact.
    pub(super) loses: bool,
}

impl Number {
    fn new(exact: Option<(i128, i128)>, value: f64) -> Self {
        Self { exact, value }
    }

    fn times(self, factor: i128, divisor: i128) -> Self {
        let exact = self.exact.and_then(|(top, bottom)| {
            let reduced = reduce(top, bottom);
            let (factor, divisor) = reduce(factor, divisor);
            let (top, divisor) = reduce(reduced.0, divisor);
            let (factor, bottom) = reduce(factor, reduced.1);
            Some((top.checked_mul(factor)?, bottom.checked_mul(divisor)?))
        });
        Self { exact, value: self.value * factor as f64 / divisor as f64 }
    }

    /// In units of `to`, having been in units of `from`.
    pub(super) fn scaled(self, from: u64, to: u64) -> Self {
        if from == 1 && to == 1 { self } else { self.times(i128::from(from), i128::from(to).max(1)) }
    }

    /// Rounded to an integer.
    fn rounded(self, round: Round) -> f64 {
        self.integer(round).map_or_else(|| round_float(self.value, round), |integer| integer as f64)
    }

    /// Rounded to an integer, where it is exact.
    fn integer(self, round: Round) -> Option<i128> {
        let (top, bottom) = self.exact?;
        let (down, rest) = (top.checked_div_euclid(bottom)?, top.checked_rem_euclid(bottom)?);
        let goes_up = match round {
            _ if rest == 0 => false,
            Round::Up => true,
            Round::Down => false,
            Round::FromZero => top > 0,
            Round::TowardsZero => top < 0,
            Round::Nearest => match rest.checked_mul(2)?.cmp(&bottom) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => top > 0,
                std::cmp::Ordering::Greater => true,
            },
        };
        down.checked_add(i128::from(goes_up))
    }
}

fn reduce(one: i128, two: i128) -> (i128, i128) {
    let (mut a, mut b) = (one.unsigned_abs(), two.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    match i128::try_from(a) {
        Ok(divisor) if divisor > 1 => (one / divisor, two / divisor),
        _ => (one, two),
    }
}

fn round_float(value: f64, round: Round) -> f64 {
    match round {
        Round::Up => value.ceil(),
        Round::Down => value.floor(),
        Round::FromZero if value > 0.0 => value.ceil(),
        Round::FromZero => value.floor(),
        Round::TowardsZero => value.trunc(),
        Round::Nearest => value.round(),
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(count).unwrap_or((text, &[]))
}

fn significant(digits: &[u8]) -> usize {
    digits.len() - digits.iter().take_while(|byte| **byte == b'0').count()
}

/// Reads a number; an error is a message.
pub(super) fn parse(text: &[u8], scale: Scale) -> Result<Parsed, String> {
    let invalid = || format!("invalid number: {}", quote(text));
    let (is_negative, body) = match text {
        [b'-', body @ ..] => (true, body),
        body => (false, body),
    };
    let (whole, rest) = digits(body);
    if whole.is_empty() && rest.first() != Some(&b'.') {
        return Err(invalid());
    }
    let too_large = || format!("value too large to be converted: {}", quote(text));
    if significant(whole) > MOST_DIGITS {
        return Err(too_large());
    }
    let (fraction, rest) = match rest {
        [b'.', after @ ..] => match digits(after) {
            ([], _) => return Err(invalid()),
            found => found,
        },
        rest => (&[][..], rest),
    };
    if significant(fraction) > MOST_DIGITS {
        return Err(too_large());
    }
    let loses = significant(whole) > EXACT_DIGITS || significant(fraction) > EXACT_DIGITS;
    let all = [whole, fraction].concat_metered();
    let all = std::str::from_utf8(&all).unwrap_or("0");
    let sign = if is_negative { -1 } else { 1 };
    let power = u32::try_from(fraction.len()).ok().and_then(|places| 10_i128.checked_pow(places));
    let exact = all.parse::<i128>().ok().zip(power).map(|(top, bottom)| (sign * top, bottom));
    let shown = format!("{}.{}", String::from_utf8_lossy(whole), String::from_utf8_lossy(fraction));
    let value = format!("0{shown}0").parse::<f64>().unwrap_or(0.0) * sign as f64;
    let number = Number::new(exact, value);
    let (number, precision) = with_unit(text, rest, number, fraction.len(), scale)?;
    Ok(Parsed { number, precision, loses })
}

/// What stands after the digits.
fn with_unit(
    text: &[u8],
    rest: &[u8],
    number: Number,
    precision: usize,
    scale: Scale,
) -> Result<(Number, usize), String> {
    let mut rest = rest;
    let (mut power, mut base, mut precision) = (0, scale.base(), precision);
    if !rest.is_empty() {
        let blanks = rest.iter().take_while(|byte| matches!(**byte, b' ' | b'\t')).count();
        rest = rest.get(blanks..).unwrap_or(&[]);
        let letter = rest.first().copied().filter(|letter| *letter != 0);
        let unit = letter.and_then(|letter| UNITS.iter().position(|known| *known == letter));
        let Some(unit) = unit else { return Err(format!("invalid suffix in input: {}", quote(text))) };
        if scale == Scale::None {
            return Err(format!("rejecting suffix in input: {} (consider using --from)", quote(text)));
        }
        power = unit;
        rest = rest.get(1..).unwrap_or(&[]);
        if scale == Scale::Auto && rest.first() == Some(&b'i') {
            base = 1024;
            rest = rest.get(1..).unwrap_or(&[]);
        }
        precision = 0;
    }
    if scale == Scale::IecI {
        match rest {
            [b'i', after @ ..] => rest = after,
            _ => {
                return Err(format!("missing 'i' suffix in input: {} (e.g Ki/Mi/Gi)", quote(text)));
            }
        }
    }
    if !rest.is_empty() {
        return Err(format!("invalid suffix in input {}: {}", quote(text), quote(rest)));
    }
    let factor = i128::from(base).checked_pow(u32::try_from(power).unwrap_or(0)).unwrap_or(i128::MAX);
    Ok((number.times(factor, 1), precision))
}

/// How often the number can be divided by `base`.
fn power_of(number: &Number, base: i128) -> usize {
    let (mut power, mut rest) = (0, *number);
    let is_large = |rest: &Number| match rest.exact {
        Some((top, bottom)) => {
            bottom.checked_mul(base).is_some_and(|least| top.unsigned_abs() >= least.unsigned_abs())
        }
        None => rest.value.abs() >= base as f64,
    };
    while is_large(&rest) && power < 64 {
        rest = rest.times(1, base);
        power += 1;
    }
    power
}

/// The number in words; an error is a message.
pub(super) fn print(number: &Number, precision: usize, settings: &NumfmtOptions) -> Result<Vec<u8>, String> {
    let precision = settings.format.precision.unwrap_or(precision);
    let digits = power_of(number, 10);
    let shown = || format_float(number.value, b'g', 6, false);
    let most = if settings.to == Scale::None { EXACT_DIGITS } else { MOST_PLACES };
    if digits.saturating_add(precision) > most {
        return Err(if precision > 0 {
            format!(
                "value/precision too large to be printed: '{}/{precision}' (consider using --to)",
                shown()
            )
        } else {
            format!("value too large to be printed: '{}' (consider using --to)", shown())
        });
    }
    if digits > MOST_DIGITS - 1 {
        return Err(format!("value too large to be printed: '{}' (cannot handle values > 999Y)", shown()));
    }
    let text = if settings.to == Scale::None {
        unscaled(number, precision, settings.round)
    } else {
        return Ok(scaled(number, settings).into_bytes());
    };
    Ok(zero_padded(text, settings.format.zero_width).into_bytes())
}

/// Zeros between the sign and the digits.
fn zero_padded(text: String, width: usize) -> String {
    let missing = width.saturating_sub(text.len());
    if missing == 0 {
        return text;
    }
    let zeros = repeat_text("0", missing);
    match text.strip_prefix('-') {
        Some(digits) => format!("-{zeros}{digits}"),
        None => format!("{zeros}{text}"),
    }
}

fn unscaled(number: &Number, precision: usize, round: Round) -> String {
    let places = u32::try_from(precision).ok().and_then(|places| 10_i128.checked_pow(places));
    let Some((places, integer)) =
        places.and_then(|places| Some((places, number.times(places, 1).integer(round)?)))
    else {
        let places = 10_f64.powi(i32::try_from(precision).unwrap_or(0));
        return fixed(round_float(number.value * places, round) / places, precision);
    };
    let sign = if integer < 0 || (integer == 0 && number.value.is_sign_negative()) { "-" } else { "" };
    let (whole, rest) =
        (integer.unsigned_abs() / places.unsigned_abs(), integer.unsigned_abs() % places.unsigned_abs());
    if precision == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:0precision$}") }
}

fn scaled(number: &Number, settings: &NumfmtOptions) -> String {
    let base = i128::from(settings.to.base());
    let mut power = power_of(number, base);
    let divisor = base.checked_pow(u32::try_from(power).unwrap_or(0)).unwrap_or(i128::MAX);
    let unit = number.times(1, divisor);
    let places = match settings.format.precision {
        Some(precision) => precision.min(power * 3),
        // Below 10 there is one digit after the point.
        None => usize::from(power_of(&unit, 10) == 0),
    };
    let ten = 10_i128.checked_pow(u32::try_from(places).unwrap_or(0)).unwrap_or(1);
    let rounded = unit.times(ten, 1);
    let exact = rounded.integer(settings.round);
    let scale = power;
    let mut value = rounded.rounded(settings.round) / ten as f64;
    if value.abs() >= base as f64 {
        value /= base as f64;
        power += 1;
    }
    let shows_point = value != 0.0 && value.abs() < 10.0 && power > 0;
    let digits = settings.format.precision.unwrap_or(usize::from(shows_point));
    let shown = exact.filter(|_| digits >= places && power == scale).map_or_else(
        || fixed(value, digits),
        |integer| {
            let sign = if integer < 0 { "-" } else { "" };
            let (whole, rest) =
                (integer.unsigned_abs() / ten.unsigned_abs(), integer.unsigned_abs() % ten.unsigned_abs());
            if digits == 0 {
                return format!("{sign}{whole}");
            }
            // What is after the digits that were rounded to is nothing.
            let rest = if places == 0 { String::new() } else { format!("{rest:0places$}") };
            format!("{sign}{whole}.{rest}{}", repeat_text("0", digits - places))
        },
    );
    let mut text = zero_padded(shown, settings.format.zero_width);
    if let Some(letter) = UNITS.get(power).filter(|letter| **letter != 0) {
        text.push(char::from(*letter));
        if settings.to == Scale::IecI {
            text.push('i');
        }
    }
    text
}
