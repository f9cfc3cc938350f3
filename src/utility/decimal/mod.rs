//! Decimal numbers of any size and scale, as `bc` and `dc` calculate with them. `magnitude.rs` has the digits, `text.rs` reads and
//! writes numbers in any base.

pub(in crate::utility) mod fold;
mod magnitude;
mod text;

use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::context::pace::tick_bytes;
use magnitude::Magnitude;
use std::cmp::Ordering;

/// A sign, digits, and how many of the digits stand after the point.
#[derive(Clone, Debug, Default)]
pub(in crate::utility) struct Number {
    negative: bool,
    digits: Magnitude,
    scale: usize,
}

impl Number {
    pub(in crate::utility) fn of(value: u64) -> Self {
        Self { negative: false, digits: Magnitude::of(value), scale: 0 }
    }

    pub(in crate::utility) const fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    pub(in crate::utility) const fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    pub(in crate::utility) const fn scale(&self) -> usize {
        self.scale
    }

    /// Digits of the number, without zeros before it; at least those after the point, at least one.
    pub(in crate::utility) fn length(&self) -> usize {
        self.digits.digits().max(self.scale).max(1)
    }

    /// Digits, zeros before the number left out; of 0 it is one.
    pub(in crate::utility) fn digit_count(&self) -> usize {
        self.digits.digits().max(1)
    }

    /// The whole part modulo 256.
    pub(in crate::utility) fn low_byte(&self) -> u8 {
        self.digits.scale_down(self.scale).divide_small(256).1 as u8
    }

    /// The bytes of a whole number, the first of which counts most.
    pub(in crate::utility) async fn to_bytes(&self, meter: &Meter) -> Result<Vec<u8>, LimitError> {
        let mut rest = self.digits.clone();
        let mut bytes: Vec<u8> = Vec::new();
        while !rest.is_zero() {
            let (quotient, byte) = rest.divide_small(256);
            bytes.push(byte as u8);
            tick_bytes(meter, rest.0.len() * 8).await?;
            rest = quotient;
        }
        bytes.reverse();
        Ok(bytes)
    }

    #[must_use]
    pub(in crate::utility) fn negated(mut self) -> Self {
        self.negative = !self.negative && !self.is_zero();
        self
    }

    /// With `scale` digits after the point; what is more is cut off.
    #[must_use]
    pub(in crate::utility) fn with_scale(self, scale: usize) -> Self {
        let digits = match scale.cmp(&self.scale) {
            Ordering::Equal => return self,
            Ordering::Less => self.digits.scale_down(self.scale - scale),
            Ordering::Greater => self.digits.scale_up(scale - self.scale),
        };
        let negative = self.negative && !digits.is_zero();
        Self { negative, digits, scale }
    }

    /// Without the digits after the point beyond `scale`.
    #[must_use]
    pub(in crate::utility) fn cut(self, scale: usize) -> Self {
        let scale = scale.min(self.scale);
        self.with_scale(scale)
    }

    /// The whole part, where it is small enough.
    pub(in crate::utility) fn to_u64(&self) -> Option<u64> {
        self.digits.scale_down(self.scale).to_u64()
    }

    pub(in crate::utility) fn is_whole(&self) -> bool {
        let whole = self.digits.scale_down(self.scale).scale_up(self.scale);
        whole == self.digits
    }

    pub(in crate::utility) fn compare(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        let (one, two) =
            (self.digits.scale_up(scale - self.scale), other.digits.scale_up(scale - other.scale));
        match (self.is_negative(), other.is_negative()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => one.compare(&two),
            (true, true) => two.compare(&one),
        }
    }

    #[must_use]
    pub(in crate::utility) fn add(&self, other: &Self) -> Self {
        let scale = self.scale.max(other.scale);
        let (one, two) =
            (self.digits.scale_up(scale - self.scale), other.digits.scale_up(scale - other.scale));
        if self.negative == other.negative {
            return Self { negative: self.negative, digits: one.add(&two), scale };
        }
        match one.compare(&two) {
            Ordering::Equal => Self { negative: false, digits: Magnitude::default(), scale },
            Ordering::Greater => Self { negative: self.negative, digits: one.subtract(&two), scale },
            Ordering::Less => Self { negative: other.negative, digits: two.subtract(&one), scale },
        }
    }

    #[must_use]
    pub(in crate::utility) fn subtract(&self, other: &Self) -> Self {
        self.add(&other.clone().negated())
    }

    /// The product, with as many digits after the point as the factors have together, but no more than `scale` or the longer one.
    pub(in crate::utility) async fn multiply(
        &self,
        other: &Self,
        scale: usize,
        meter: &Meter,
    ) -> Result<Self, LimitError> {
        let product = self.multiply_all(other, meter).await?;
        let most = scale.max(self.scale).max(other.scale);
        Ok(product.cut(most))
    }

    async fn multiply_all(&self, other: &Self, meter: &Meter) -> Result<Self, LimitError> {
        let digits = self.digits.multiply(&other.digits, meter).await?;
        let negative = self.negative != other.negative && !digits.is_zero();
        Ok(Self { negative, digits, scale: self.scale + other.scale })
    }

    /// The quotient with `scale` digits after the point; `None` for a division by zero.
    pub(in crate::utility) async fn divide(
        &self,
        other: &Self,
        scale: usize,
        meter: &Meter,
    ) -> Result<Option<Self>, LimitError> {
        if other.is_zero() {
            return Ok(None);
        }
        let up = (scale + other.scale).saturating_sub(self.scale);
        let down = self.scale.saturating_sub(scale + other.scale);
        let (dividend, divisor) = (self.digits.scale_up(up), other.digits.scale_up(down));
        let digits = dividend.divide(&divisor, meter).await?.0;
        let negative = self.negative != other.negative && !digits.is_zero();
        Ok(Some(Self { negative, digits, scale }))
    }

    /// Quotient, and what is left of this number when it is taken away.
    pub(in crate::utility) async fn divide_with_rest(
        &self,
        other: &Self,
        scale: usize,
        meter: &Meter,
    ) -> Result<Option<(Self, Self)>, LimitError> {
        let Some(quotient) = self.divide(other, scale, meter).await? else { return Ok(None) };
        let rest = self.subtract(&quotient.multiply_all(other, meter).await?);
        let rest_scale = self.scale.max(other.scale + scale);
        Ok(Some((quotient, rest.with_scale(rest_scale))))
    }

    /// This to a power, the whole part of `exponent`; `None` for zero to a negative one.
    pub(in crate::utility) async fn raise(
        &self,
        exponent: i64,
        scale: usize,
        meter: &Meter,
    ) -> Result<Option<Self>, LimitError> {
        if exponent == 0 {
            return Ok(Some(Self::of(1)));
        }
        let mut left = exponent.unsigned_abs();
        let kept = if exponent > 0 {
            let whole = u64::try_from(self.scale).unwrap_or(u64::MAX).saturating_mul(left);
            usize::try_from(whole).unwrap_or(usize::MAX).min(scale.max(self.scale))
        } else {
            scale
        };
        let (mut power, mut result) = (self.clone(), Self::of(1));
        while left > 0 {
            if left & 1 == 1 {
                result = result.multiply_all(&power, meter).await?;
            }
            left >>= 1;
            if left > 0 {
                power = power.multiply_all(&power, meter).await?;
            }
        }
        if exponent > 0 {
            return Ok(Some(result.cut(kept)));
        }
        Self::of(1).divide(&result, kept, meter).await
    }

    /// The square root with at least `scale` digits after the point; `None` for a negative number.
    pub(in crate::utility) async fn root(
        &self,
        scale: usize,
        meter: &Meter,
    ) -> Result<Option<Self>, LimitError> {
        if self.is_negative() {
            return Ok(None);
        }
        let scale = scale.max(self.scale);
        let digits = self.digits.scale_up(2 * scale - self.scale).root(meter).await?;
        Ok(Some(Self { negative: false, digits, scale }))
    }

    /// This to a power, modulo a number; all of them whole and not negative.
    pub(in crate::utility) async fn raise_modulo(
        &self,
        exponent: &Self,
        modulus: &Self,
        meter: &Meter,
    ) -> Result<Self, LimitError> {
        let mut left = exponent.digits.clone();
        let mut power = self.digits.divide(&modulus.digits, meter).await?.1;
        let mut result = Magnitude::of(1).divide(&modulus.digits, meter).await?.1;
        while !left.is_zero() {
            if left.is_odd() {
                result = result.multiply(&power, meter).await?.divide(&modulus.digits, meter).await?.1;
            }
            left = left.divide_small(2).0;
            power = power.multiply(&power, meter).await?.divide(&modulus.digits, meter).await?.1;
        }
        Ok(Self { negative: false, digits: result, scale: 0 })
    }
}
