//! Numbers as the C library's `long double` holds them: 64 bits of mantissa. `printf` reads and prints these.
//!
//! Reading divides or multiplies big integers once and rounds to even. Printing multiplies the mantissa by powers of two
//! or five in base 10⁹, which gives every decimal digit of the value, and rounds that text.
use crate::memory::{String, ToMetered, Vec, format, vec};

/// A number: `mantissa` times two to the `exponent`. The top bit of a mantissa that is not zero is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extended {
    negative: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Finite { mantissa: u64, exponent: i32 },
    Infinite,
    NotANumber,
}

/// The largest exponent of a finite number's top bit, and the smallest that is not taken for zero.
const EXPONENTS: std::ops::RangeInclusive<i32> = -16_445..=16_383;
/// Significant digits that are looked at.
const MOST_DIGITS: usize = 1200;

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) value: Extended,
    /// Bytes that belong to the number; 0: there is none.
    pub(crate) length: usize,
    /// Too large or too small.
    pub(crate) out_of_range: bool,
}

impl Extended {
    pub(crate) const ZERO: Self = Self { negative: false, kind: Kind::Finite { mantissa: 0, exponent: 0 } };

    /// The number that the processor holds in 80 bits: a mantissa with its top bit, and 15 bits of exponent with the sign. A
    /// mantissa that lacks its top bit is no number.
    pub(crate) const fn from_bits(mantissa: u64, sign_and_exponent: u16) -> Self {
        let negative = sign_and_exponent >> 15 == 1;
        let exponent = (sign_and_exponent & 0x7fff) as i32;
        let kind = match (exponent, mantissa >> 63) {
            (0x7fff, 1) if mantissa << 1 == 0 => Kind::Infinite,
            (0x7fff, _) => Kind::NotANumber,
            (0, _) if mantissa == 0 => Kind::Finite { mantissa: 0, exponent: 0 },
            (0, _) => {
                let zeros = mantissa.leading_zeros();
                Kind::Finite { mantissa: mantissa << zeros, exponent: -16_445 - zeros as i32 }
            }
            (_, 1) => Kind::Finite { mantissa, exponent: exponent - 16_446 },
            (_, _) => Kind::NotANumber,
        };
        Self { negative, kind }
    }

    pub(crate) fn from_integer(value: u64) -> Self {
        Self { negative: false, kind: normal(value, 0) }
    }

    pub(crate) const fn is_negative(self) -> bool {
        self.negative
    }

    pub(crate) const fn is_finite(self) -> bool {
        matches!(self.kind, Kind::Finite { .. })
    }

    /// Reads the number at the front of a text, as `strtold` does.
    pub(crate) fn parse(text: &[u8]) -> Parsed {
        let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
        let rest = text.get(blanks..).unwrap_or(&[]);
        let (negative, sign) = match rest.first() {
            Some(b'-') => (true, 1),
            Some(b'+') => (false, 1),
            _ => (false, 0),
        };
        let body = rest.get(sign..).unwrap_or(&[]);
        let word = |word: &[u8]| body.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        let (kind, length, out_of_range) = if word(b"infinity") {
            (Kind::Infinite, 8, false)
        } else if word(b"inf") {
            (Kind::Infinite, 3, false)
        } else if word(b"nan") {
            (Kind::NotANumber, 3, false)
        } else if word(b"0x") {
            hexadecimal(body)
        } else {
            decimal(body)
        };
        let length = if length == 0 { 0 } else { blanks + sign + length };
        Parsed { value: Self { negative: negative && length > 0, kind }, length, out_of_range }
    }

    /// The number without its sign, for a conversion of `efgaEFGA`.
    pub(crate) fn format(self, conversion: u8, precision: Option<usize>, alternate: bool) -> Vec<u8> {
        let (mantissa, exponent) = match self.kind {
            Kind::Finite { mantissa, exponent } => (mantissa, exponent),
            Kind::Infinite | Kind::NotANumber => {
                let is_upper = conversion.is_ascii_uppercase();
                let name: &[u8] = match (self.kind == Kind::Infinite, is_upper) {
                    (true, true) => b"INF",
                    (true, false) => b"inf",
                    (false, true) => b"NAN",
                    (false, false) => b"nan",
                };
                return name.to_metered();
            }
        };
        let mut text = match conversion.to_ascii_lowercase() {
            b'a' => hexadecimal_form(mantissa, exponent, precision, alternate),
            letter => {
                let digits = Digits::of(mantissa, exponent);
                match letter {
                    b'e' => digits.exponent_form(precision.unwrap_or(6), alternate),
                    b'g' => digits.general_form(precision.unwrap_or(6).max(1), alternate),
                    _ => digits.fixed_form(precision.unwrap_or(6), alternate),
                }
            }
        };
        if conversion.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        text
    }
}

/// `value` times two to the `exponent`.
fn normal(value: u64, exponent: i32) -> Kind {
    if value == 0 {
        return Kind::Finite { mantissa: 0, exponent: 0 };
    }
    let zeros = value.leading_zeros();
    Kind::Finite { mantissa: value << zeros, exponent: exponent - zeros as i32 }
}

/// A kind within the range; whether it was out of it.
fn in_range(kind: Kind) -> (Kind, bool) {
    match kind {
        Kind::Finite { mantissa, exponent } if mantissa != 0 => {
            let top = exponent + 63;
            if top > *EXPONENTS.end() {
                (Kind::Infinite, true)
            } else if top < *EXPONENTS.start() {
                (normal(0, 0), true)
            } else {
                (kind, false)
            }
        }
        kind => (kind, false),
    }
}

/// An exponent such as `e-12` at the front of `text` after its letter: value and length with the letter.
fn exponent(text: &[u8], letter: u8) -> (i32, usize) {
    let Some((first, rest)) = text.split_first() else { return (0, 0) };
    if first.to_ascii_lowercase() != letter {
        return (0, 0);
    }
    let sign = usize::from(matches!(rest.first(), Some(b'+' | b'-')));
    let digits = rest.get(sign..).unwrap_or(&[]);
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return (0, 0);
    }
    let value = digits.iter().take(count).fold(0_i32, |value, digit| {
        value.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(100_000_000)
    });
    (if rest.first() == Some(&b'-') { -value } else { value }, 1 + sign + count)
}

fn decimal(body: &[u8]) -> (Kind, usize, bool) {
    let (mut digits, mut scale, mut length) = (Vec::new(), 0_i32, 0);
    let (mut point, mut any) = (false, false);
    for &byte in body {
        match byte {
            b'0'..=b'9' => {
                any = true;
                if digits.len() < MOST_DIGITS && (byte != b'0' || !digits.is_empty()) {
                    digits.push(byte - b'0');
                    scale = scale.saturating_sub(i32::from(point));
                } else if digits.is_empty() {
                    scale = scale.saturating_sub(i32::from(point));
                } else {
                    scale = scale.saturating_add(i32::from(!point));
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        length += 1;
    }
    if !any {
        return (normal(0, 0), 0, false);
    }
    let (power, more) = exponent(body.get(length..).unwrap_or(&[]), b'e');
    length += more;
    let scale = scale.saturating_add(power);
    if digits.is_empty() {
        return (normal(0, 0), length, false);
    }
    let magnitude = scale.saturating_add(digits.len() as i32);
    if magnitude > 5000 {
        return (Kind::Infinite, length, true);
    }
    if magnitude < -5000 {
        return (normal(0, 0), length, true);
    }
    let mut number = Big::default();
    for &digit in &digits {
        number.multiply_add(10, u32::from(digit));
    }
    let mut divisor = Big::one();
    for _ in 0..scale.unsigned_abs() {
        if scale > 0 { number.multiply_add(10, 0) } else { divisor.multiply_add(10, 0) }
    }
    let (kind, out_of_range) = in_range(divide(number, divisor));
    (kind, length, out_of_range)
}

fn hexadecimal(body: &[u8]) -> (Kind, usize, bool) {
    let (mut value, mut scale, mut length) = (0_u64, 0_i32, 2);
    let (mut point, mut any) = (false, false);
    for &byte in body.iter().skip(2) {
        match char::from(byte).to_digit(16) {
            Some(digit) => {
                any = true;
                if value >> 60 == 0 {
                    value = value << 4 | u64::from(digit);
                    scale = scale.saturating_sub(if point { 4 } else { 0 });
                } else {
                    scale = scale.saturating_add(if point { 0 } else { 4 });
                }
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        length += 1;
    }
    if !any {
        // Only the `0` is a number.
        return (normal(0, 0), 1, false);
    }
    let (power, more) = exponent(body.get(length..).unwrap_or(&[]), b'p');
    let scale = scale.saturating_add(power).clamp(-1_000_000, 1_000_000);
    let (kind, out_of_range) = in_range(normal(value, scale));
    (kind, length + more, out_of_range)
}

/// `number / divisor`, rounded to 64 bits, ties to even.
fn divide(mut number: Big, mut divisor: Big) -> Kind {
    // Scale both so that the quotient is in [1/2, 2), then take bits off one by one.
    let shift = number.bits() as i64 - divisor.bits() as i64;
    if shift > 0 {
        divisor.shift_left(shift as usize);
    } else {
        number.shift_left(shift.unsigned_abs() as usize);
    }
    let mut exponent = shift;
    if !number.at_least(&divisor) {
        number.shift_left(1);
        exponent -= 1;
    }
    let mut mantissa = 0_u64;
    for _ in 0..64 {
        mantissa <<= 1;
        if number.at_least(&divisor) {
            number.subtract(&divisor);
            mantissa |= 1;
        }
        number.shift_left(1);
    }
    exponent -= 63;
    let round = number.at_least(&divisor);
    if round {
        number.subtract(&divisor);
        if number.bits() > 0 || mantissa & 1 == 1 {
            mantissa = mantissa.wrapping_add(1);
            if mantissa == 0 {
                mantissa = 1 << 63;
                exponent += 1;
            }
        }
    }
    Kind::Finite { mantissa, exponent: exponent as i32 }
}

/// A natural number in base 2³², the least significant limb first.
#[derive(Clone, Debug, Default)]
struct Big(Vec<u32>);

impl Big {
    fn one() -> Self {
        Self(vec![1])
    }

    fn multiply_add(&mut self, factor: u32, add: u32) {
        let mut carry = u64::from(add);
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = product as u32;
            carry = product >> 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn bits(&self) -> usize {
        match self.0.iter().rposition(|limb| *limb != 0) {
            Some(last) => last * 32 + 32 - self.0.get(last).map_or(0, |limb| limb.leading_zeros() as usize),
            None => 0,
        }
    }

    fn shift_left(&mut self, count: usize) {
        let bits = count % 32;
        if bits > 0 {
            let mut carry = 0;
            for limb in &mut self.0 {
                let shifted = u64::from(*limb) << bits | carry;
                *limb = shifted as u32;
                carry = shifted >> 32;
            }
            if carry > 0 {
                self.0.push(carry as u32);
            }
        }
        if count >= 32 {
            self.0.splice(0..0, std::iter::repeat_n(0, count / 32));
        }
    }

    fn at_least(&self, other: &Self) -> bool {
        let length = self.0.len().max(other.0.len());
        let limb = |big: &Self, at: usize| big.0.get(at).copied().unwrap_or(0);
        (0..length)
            .rev()
            .map(|at| limb(self, at).cmp(&limb(other, at)))
            .find(|order| order.is_ne())
            .is_none_or(std::cmp::Ordering::is_gt)
    }

    /// Takes away `other`, which is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0_i64;
        for (at, limb) in self.0.iter_mut().enumerate() {
            let difference = i64::from(*limb) - i64::from(other.0.get(at).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(difference < 0);
            *limb = difference as u32;
        }
    }
}

/// Every decimal digit of a number.
struct Digits {
    /// Digits as numbers, without leading zeros; empty: zero.
    digits: Vec<u8>,
    /// Digits in front of the point; negative: zeros after it.
    point: i64,
}

impl Digits {
    fn of(mantissa: u64, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self { digits: Vec::new(), point: 0 };
        }
        let zeros = mantissa.trailing_zeros();
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        let mut limbs = Vec::new();
        let mut rest = mantissa;
        while rest > 0 {
            limbs.push((rest % 1_000_000_000) as u32);
            rest /= 1_000_000_000;
        }
        // m / 2^n is m * 5^n with n digits after the point.
        let (base, step) = if exponent >= 0 { (2_u32, 29) } else { (5, 13) };
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            let power = left.min(step);
            multiply(&mut limbs, base.pow(power));
            left -= power;
        }
        let mut digits = Vec::with_capacity(limbs.len() * 9);
        for limb in limbs.iter().rev() {
            digits.extend(format!("{limb:09}").bytes().map(|digit| digit - b'0'));
        }
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..leading);
        let point = digits.len() as i64 + i64::from(exponent.min(0));
        Self { digits, point }
    }

    /// Rounded to `count` digits from the first significant one; negative: to nothing.
    fn round(&self, count: i64) -> Self {
        let Ok(count) = usize::try_from(count) else { return Self { digits: Vec::new(), point: self.point } };
        let Some(&next) = self.digits.get(count) else {
            return Self { digits: self.digits.clone(), point: self.point };
        };
        let mut digits = self.digits.get(..count).unwrap_or(&[]).to_metered();
        let more = self.digits.iter().skip(count + 1).any(|digit| *digit != 0);
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let mut point = self.point;
        if next > 5 || (next == 5 && (more || odd)) {
            let kept = digits.iter().rposition(|digit| *digit != 9);
            if let Some(kept) = kept {
                digits.truncate(kept + 1);
                if let Some(digit) = digits.last_mut() {
                    *digit += 1;
                }
                digits.resize(count, 0);
            } else {
                digits = vec![0; count + 1];
                if let Some(first) = digits.first_mut() {
                    *first = 1;
                }
                point += 1;
            }
        }
        Self { digits, point }
    }

    fn digit(&self, at: i64) -> u8 {
        usize::try_from(at).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(0) + b'0'
    }

    fn fixed_form(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let rounded = self.round(self.point + precision as i64);
        let mut text = Vec::new();
        if rounded.point <= 0 {
            text.push(b'0');
        }
        text.extend((0..rounded.point.max(0)).map(|at| rounded.digit(at)));
        if precision > 0 || alternate {
            text.push(b'.');
        }
        text.extend((rounded.point..rounded.point + precision as i64).map(|at| rounded.digit(at)));
        text
    }

    fn exponent_form(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let rounded = self.round(precision as i64 + 1);
        let mut text = vec![rounded.digit(0)];
        if precision > 0 || alternate {
            text.push(b'.');
        }
        text.extend((1..=precision as i64).map(|at| rounded.digit(at)));
        text.extend_from_slice(exponent_text(rounded.exponent()).as_bytes());
        text
    }

    fn exponent(&self) -> i64 {
        if self.digits.is_empty() { 0 } else { self.point - 1 }
    }

    fn general_form(&self, precision: usize, alternate: bool) -> Vec<u8> {
        let rounded = self.round(precision as i64);
        let exponent = rounded.exponent();
        let in_range = exponent >= -4 && exponent < precision as i64;
        let significant = if alternate {
            precision
        } else {
            rounded.digits.iter().rposition(|digit| *digit != 0).map_or(1, |last| last + 1)
        };
        if in_range {
            let decimals = (significant as i64 - 1 - exponent).max(0);
            return rounded.fixed_form(decimals as usize, alternate);
        }
        rounded.exponent_form(significant.saturating_sub(1), alternate)
    }
}

fn exponent_text(exponent: i64) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn multiply(limbs: &mut Vec<u32>, factor: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * u64::from(factor) + carry;
        *limb = (product % 1_000_000_000) as u32;
        carry = product / 1_000_000_000;
    }
    while carry > 0 {
        limbs.push((carry % 1_000_000_000) as u32);
        carry /= 1_000_000_000;
    }
}

/// `%a`: the first digit stands for the top four bits of the mantissa.
fn hexadecimal_form(mantissa: u64, exponent: i32, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let mut power = if mantissa == 0 { 0 } else { exponent + 60 };
    let mut bits = u128::from(mantissa);
    if let Some(precision) = precision.filter(|&precision| precision < 15) {
        let dropped = (15 - precision) * 4;
        let (unit, half) = (1_u128 << dropped, 1_u128 << (dropped - 1));
        let rest = bits % unit;
        bits -= rest;
        if rest > half || (rest == half && bits & unit != 0) {
            bits += unit;
        }
        if bits >> 64 != 0 {
            bits >>= 4;
            power += 4;
        }
    }
    let digits = format!("{bits:016x}");
    let (first, rest) = digits.split_at_checked(1).unwrap_or(("0", ""));
    let mut rest = rest.trim_end_matches('0').as_bytes().to_metered();
    if let Some(precision) = precision {
        rest.resize(precision, b'0');
    }
    let mut text = format!("0x{first}").into_bytes();
    if !rest.is_empty() || alternate {
        text.push(b'.');
    }
    text.extend_from_slice(&rest);
    text.extend_from_slice(format!("p{power:+}").as_bytes());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, conversion: u8, precision: Option<usize>) -> String {
        let parsed = Extended::parse(text.as_bytes());
        String::from_utf8(parsed.value.format(conversion, precision, false)).unwrap()
    }

    #[test]
    fn prints_as_bash_does() {
        for (text, conversion, precision, want) in [
            ("0.1", b'f', Some(20), "0.10000000000000000000"),
            ("0.1", b'a', None, "0xc.ccccccccccccccdp-7"),
            ("1e30", b'f', Some(0), "1000000000000000000024696061952"),
            ("2.5", b'f', Some(0), "2"),
            ("1.005", b'f', Some(2), "1.00"),
            ("9.99", b'e', Some(1), "1.0e+01"),
            ("1e-5", b'g', None, "1e-05"),
            ("100000", b'g', None, "100000"),
            ("1000000", b'g', None, "1e+06"),
            ("0", b'g', None, "0"),
            ("0", b'e', None, "0.000000e+00"),
            ("255", b'a', None, "0xf.fp+4"),
            ("1e5000", b'f', None, "inf"),
            ("0x1p3", b'f', None, "8.000000"),
            ("0.05", b'f', Some(1), "0.1"),
            ("0.04", b'f', Some(1), "0.0"),
            ("0.5", b'f', Some(0), "0"),
        ] {
            assert_eq!(show(text, conversion, precision), want, "{text} %{}", char::from(conversion));
        }
    }

    #[test]
    fn knows_where_a_number_ends() {
        for (text, length) in
            [("1e", 1), (" -1.5x", 5), ("0xg", 1), ("x", 0), (".", 0), ("1e+5", 4), ("infx", 3)]
        {
            assert_eq!(Extended::parse(text.as_bytes()).length, length, "{text}");
        }
    }
}
