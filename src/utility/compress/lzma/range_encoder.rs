//! Bits into a range: the counterpart of `range_decoder.rs`.

use super::model::{ADAPT, CHANCE_BITS};
use crate::memory::Vec;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct RangeEncoder {
    low: u64,
    range: u32,
    /// The byte that a carry may still raise, and how many bytes of 255 follow it.
    held: u8,
    full: u64,
    /// What came out.
    pub(super) bytes: Vec<u8>,
}

impl Default for RangeEncoder {
    fn default() -> Self {
        Self { low: 0, range: u32::MAX, held: 0, full: 0, bytes: Vec::new() }
    }
}

impl RangeEncoder {
    /// Begins anew; what came out is gone.
    pub(super) fn restart(&mut self) {
        self.bytes.clear();
        let bytes = std::mem::take(&mut self.bytes);
        *self = Self { bytes, ..Self::default() };
    }

    /// How many bytes it will be if it ends now.
    pub(super) fn length(&self) -> u64 {
        self.bytes.len() as u64 + self.full + 5
    }

    /// Passes on the highest byte as soon as no carry can reach it.
    fn shift(&mut self) {
        if self.low < 0xff00_0000 || self.low >= 1 << 32 {
            let carry = (self.low >> 32) as u8;
            self.bytes.push(self.held.wrapping_add(carry));
            while self.full > 0 {
                self.bytes.push(0xff_u8.wrapping_add(carry));
                self.full -= 1;
            }
            self.held = (self.low >> 24) as u8;
        } else {
            self.full += 1;
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    fn normalise(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }

    pub(super) fn bit(&mut self, chance: Option<&mut u16>, bit: usize) {
        let Some(chance) = chance else { return };
        let bound = (self.range >> CHANCE_BITS) * u32::from(*chance);
        if bit == 0 {
            self.range = bound;
            *chance += ((1 << CHANCE_BITS) - *chance) >> ADAPT;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
            *chance -= *chance >> ADAPT;
        }
        self.normalise();
    }

    /// `count` bits, the highest first.
    pub(super) fn tree(&mut self, chances: &mut [u16], count: u32, value: usize) {
        let mut node = 1;
        for shift in (0..count).rev() {
            let bit = value >> shift & 1;
            self.bit(chances.get_mut(node), bit);
            node = node << 1 | bit;
        }
    }

    /// The lowest bit first; chances begin at `from`, less one.
    pub(super) fn tree_from_low(&mut self, chances: &mut [u16], from: usize, count: u32, value: u32) {
        let mut node = 1;
        for shift in 0..count {
            let bit = (value >> shift & 1) as usize;
            self.bit(chances.get_mut(from + node - 1), bit);
            node = node << 1 | bit;
        }
    }

    pub(super) fn direct(&mut self, count: u32, value: u32) {
        for shift in (0..count).rev() {
            self.range >>= 1;
            if value >> shift & 1 == 1 {
                self.low += u64::from(self.range);
            }
            self.normalise();
        }
    }

    /// Passes on everything.
    pub(super) fn finish(&mut self) {
        for _ in 0..5 {
            self.shift();
        }
    }
}
