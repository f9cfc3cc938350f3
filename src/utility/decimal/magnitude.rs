//! Natural numbers of any size: nine decimal digits in each part, the least first, without zeros at the end. What takes more time
//! than a number is long counts its steps and yields.

use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::context::pace::tick_bytes;
use std::cmp::Ordering;

/// Digits of a part, and the number that they count to.
pub(super) const DIGITS: usize = 9;
pub(super) const BASE: u64 = 1_000_000_000;
const POWERS: [u32; DIGITS] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Magnitude(pub(super) Vec<u32>);

/// Products of parts for the price of which a byte is looked at.
async fn spend(meter: &Meter, parts: usize) -> Result<(), LimitError> {
    tick_bytes(meter, parts * 8).await
}

impl Magnitude {
    pub(super) fn of(mut value: u64) -> Self {
        let mut parts = Vec::new();
        while value > 0 {
            parts.push((value % BASE) as u32);
            value /= BASE;
        }
        Self(parts)
    }

    /// Of decimal digits, the first of which counts most.
    pub(super) fn of_digits(digits: &[u8]) -> Self {
        let mut parts = Vec::with_capacity(digits.len() / DIGITS + 1);
        for chunk in digits.rchunks(DIGITS) {
            parts.push(chunk.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')));
        }
        Self(parts).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(super) const fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn is_odd(&self) -> bool {
        self.0.first().is_some_and(|part| part % 2 == 1)
    }

    /// The value, where it is small enough.
    pub(super) fn to_u64(&self) -> Option<u64> {
        self.0
            .iter()
            .rev()
            .try_fold(0_u64, |value, &part| value.checked_mul(BASE)?.checked_add(u64::from(part)))
    }

    /// How many decimal digits it has; 0 has none.
    pub(super) fn digits(&self) -> usize {
        match self.0.split_last() {
            None => 0,
            Some((last, rest)) => rest.len() * DIGITS + last.ilog10() as usize + 1,
        }
    }

    /// Its decimal digits.
    pub(super) fn to_digits(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.0.len() * DIGITS);
        for (index, &part) in self.0.iter().rev().enumerate() {
            let mut chunk = [b'0'; DIGITS];
            let mut rest = part;
            for digit in chunk.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            let skip = if index == 0 { chunk.iter().take_while(|&&digit| digit == b'0').count() } else { 0 };
            out.extend_from_slice(chunk.get(skip..).unwrap_or(&[]));
        }
        out
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let (long, short) = if self.0.len() >= other.0.len() { (self, other) } else { (other, self) };
        let mut out = Vec::with_capacity(long.0.len() + 1);
        let mut carry = 0_u64;
        for (index, &part) in long.0.iter().enumerate() {
            let sum = u64::from(part) + u64::from(short.0.get(index).copied().unwrap_or(0)) + carry;
            out.push((sum % BASE) as u32);
            carry = sum / BASE;
        }
        if carry > 0 {
            out.push(carry as u32);
        }
        Self(out)
    }

    /// The difference; `other` is not the larger one.
    pub(super) fn subtract(&self, other: &Self) -> Self {
        let mut out = Vec::with_capacity(self.0.len());
        let mut borrow = 0_i64;
        for (index, &part) in self.0.iter().enumerate() {
            let mut rest = i64::from(part) - i64::from(other.0.get(index).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(rest < 0);
            if rest < 0 {
                rest += BASE as i64;
            }
            out.push(rest as u32);
        }
        Self(out).trimmed()
    }

    pub(super) fn multiply_small(&self, factor: u32) -> Self {
        let mut out = Vec::with_capacity(self.0.len() + 1);
        let mut carry = 0_u64;
        for &part in &self.0 {
            let value = u64::from(part) * u64::from(factor) + carry;
            out.push((value % BASE) as u32);
            carry = value / BASE;
        }
        if carry > 0 {
            out.push(carry as u32);
        }
        Self(out).trimmed()
    }

    /// Quotient and rest.
    pub(super) fn divide_small(&self, divisor: u32) -> (Self, u32) {
        let mut out: Vec<u32> = Vec::of_copies(0, self.0.len());
        let mut rest = 0_u64;
        for (place, &part) in out.iter_mut().zip(self.0.iter()).rev() {
            let value = rest * BASE + u64::from(part);
            *place = (value / u64::from(divisor)) as u32;
            rest = value % u64::from(divisor);
        }
        (Self(out).trimmed(), rest as u32)
    }

    pub(super) async fn multiply(&self, other: &Self, meter: &Meter) -> Result<Self, LimitError> {
        if self.is_zero() || other.is_zero() {
            return Ok(Self::default());
        }
        let mut out: Vec<u32> = Vec::of_copies(0, self.0.len() + other.0.len());
        for (index, &one) in self.0.iter().enumerate() {
            let mut carry = 0_u64;
            let Some(places) = out.get_mut(index..) else { break };
            let (row, above) = places.split_at_mut_checked(other.0.len()).unwrap_or((&mut [], &mut []));
            for (place, &two) in row.iter_mut().zip(other.0.iter()) {
                let value = u64::from(one) * u64::from(two) + u64::from(*place) + carry;
                *place = (value % BASE) as u32;
                carry = value / BASE;
            }
            if let Some(place) = above.first_mut() {
                *place = carry as u32;
            }
            spend(meter, other.0.len()).await?;
        }
        Ok(Self(out).trimmed())
    }

    /// Ten to the power of `count` times this.
    pub(super) fn scale_up(&self, count: usize) -> Self {
        if count == 0 || self.is_zero() {
            return self.clone();
        }
        let power = POWERS.get(count % DIGITS).copied().unwrap_or(1);
        let mut out: Vec<u32> = Vec::of_copies(0, count / DIGITS);
        out.extend_from_slice(&self.multiply_small(power).0);
        Self(out)
    }

    /// Without the last `count` digits.
    pub(super) fn scale_down(&self, count: usize) -> Self {
        if count == 0 {
            return self.clone();
        }
        let parts = self.0.get(count / DIGITS..).unwrap_or(&[]);
        let power = POWERS.get(count % DIGITS).copied().unwrap_or(1);
        Self(Vec::from(parts)).divide_small(power).0
    }

    /// Quotient and rest, by Knuth's algorithm D. `divisor` is not 0.
    pub(super) async fn divide(&self, divisor: &Self, meter: &Meter) -> Result<(Self, Self), LimitError> {
        if self.compare(divisor).is_lt() {
            return Ok((Self::default(), self.clone()));
        }
        if let [one] = divisor.0.as_slice() {
            let (quotient, rest) = self.divide_small(*one);
            return Ok((quotient, Self::of(u64::from(rest))));
        }
        let top = divisor.0.last().copied().unwrap_or(1);
        let factor = (BASE / (u64::from(top) + 1)) as u32;
        let mut rest = self.multiply_small(factor).0;
        rest.resize(self.0.len() + 1, 0);
        let by = divisor.multiply_small(factor).0;
        let count = by.len();
        let part = |parts: &[u32], index: usize| u64::from(parts.get(index).copied().unwrap_or(0));
        let mut quotient: Vec<u32> = Vec::of_copies(0, rest.len() - count);
        for place in (0..quotient.len()).rev() {
            spend(meter, count).await?;
            let head = part(&rest, place + count) * BASE + part(&rest, place + count - 1);
            let (mut guess, mut over) = (head / part(&by, count - 1), head % part(&by, count - 1));
            while guess >= BASE || guess * part(&by, count - 2) > over * BASE + part(&rest, place + count - 2)
            {
                guess -= 1;
                over += part(&by, count - 1);
                if over >= BASE {
                    break;
                }
            }
            if guess > 0 && subtract_times(&mut rest, place, &by, guess) {
                guess -= 1;
                add_back(&mut rest, place, &by);
            }
            if let Some(digit) = quotient.get_mut(place) {
                *digit = guess as u32;
            }
        }
        let (rest, _) = Self(rest).trimmed().divide_small(factor);
        Ok((Self(quotient).trimmed(), rest))
    }

    /// The largest number whose square is not larger.
    pub(super) async fn root(&self, meter: &Meter) -> Result<Self, LimitError> {
        if self.is_zero() {
            return Ok(Self::default());
        }
        let mut guess = Self::of(1).scale_up(self.digits().div_ceil(2));
        loop {
            let next = guess.add(&self.divide(&guess, meter).await?.0).divide_small(2).0;
            if next.compare(&guess).is_ge() {
                return Ok(guess);
            }
            guess = next;
        }
    }
}

/// Takes `by` times `guess` away at a place; whether that was too much.
fn subtract_times(rest: &mut [u32], place: usize, by: &[u32], guess: u64) -> bool {
    let (mut carry, mut borrow) = (0_u64, 0_i64);
    for index in 0..=by.len() {
        let value = u64::from(by.get(index).copied().unwrap_or(0)) * guess + carry;
        carry = value / BASE;
        let Some(digit) = rest.get_mut(place + index) else { break };
        let mut left = i64::from(*digit) - (value % BASE) as i64 - borrow;
        borrow = i64::from(left < 0);
        if left < 0 {
            left += BASE as i64;
        }
        *digit = left as u32;
    }
    borrow > 0
}

fn add_back(rest: &mut [u32], place: usize, by: &[u32]) {
    let mut carry = 0_u64;
    for index in 0..=by.len() {
        let Some(digit) = rest.get_mut(place + index) else { break };
        let sum = u64::from(*digit) + u64::from(by.get(index).copied().unwrap_or(0)) + carry;
        *digit = (sum % BASE) as u32;
        carry = sum / BASE;
    }
}
