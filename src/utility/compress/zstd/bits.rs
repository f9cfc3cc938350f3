//! Bits that are written from the lowest of each byte on, and read from the last one back.

use crate::memory::Vec;

/// Reads from the last bit to the first one. Zeros stand before the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackBits<'b> {
    bytes: &'b [u8],
    /// How many bits were not read; below zero, how many too many were.
    pub(super) left: i64,
}

impl<'b> BackBits<'b> {
    /// `None`: the mark of the end is missing, which is the highest bit that is set.
    pub(super) fn new(bytes: &'b [u8]) -> Option<Self> {
        let last = *bytes.last()?;
        let unused = i64::from(last.leading_zeros()) + 1;
        (last != 0).then_some(Self { bytes, left: bytes.len() as i64 * 8 - unused })
    }

    /// The next bits without taking them, 56 at most.
    #[inline]
    pub(super) fn peek(&self, count: u32) -> u64 {
        let from = self.left - i64::from(count);
        if from < 0 {
            let there = self.left.max(0) as u32;
            let low = self.load(0) & ((1 << there.min(56)) - 1);
            return low << (-from).min(63).min(i64::from(count)) & ((1 << count) - 1);
        }
        self.load(from as usize) & ((1 << count) - 1)
    }

    fn load(&self, from: usize) -> u64 {
        let rest = self.bytes.get(from / 8..).unwrap_or(&[]);
        let word = match rest.first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight),
            None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        };
        word >> (from % 8)
    }

    #[inline]
    pub(super) fn skip(&mut self, count: u32) {
        self.left -= i64::from(count);
    }

    #[inline]
    pub(super) fn take(&mut self, count: u32) -> u64 {
        let value = self.peek(count);
        self.skip(count);
        value
    }
}

/// Reads from the first bit on.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrontBits<'b> {
    bytes: &'b [u8],
    pub(super) at: usize,
}

impl<'b> FrontBits<'b> {
    pub(super) const fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next bits, 32 at most; zeros stand behind the last.
    pub(super) fn peek(&self, count: u32) -> u32 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or(&[]);
        let word = rest.iter().take(8).rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
        (word >> (self.at % 8) & ((1 << count) - 1)) as u32
    }

    /// Whole bytes that were read; `None`: more than there are.
    pub(super) fn used(&self) -> Option<usize> {
        let used = self.at.div_ceil(8);
        (used <= self.bytes.len()).then_some(used)
    }
}

/// Collects bits to bytes.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    held: u64,
    count: u32,
    pub(super) bytes: Vec<u8>,
}

impl BitWriter {
    /// Appends the lowest `count` bits of `value`, 32 at most.
    pub(super) fn put(&mut self, value: u64, count: u32) {
        self.held |= (value & ((1 << count) - 1)) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Marks the end, and fills the last byte up.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.put(1, 1);
        if self.count > 0 {
            self.bytes.push(self.held as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_from_the_end() {
        let mut writer = BitWriter::default();
        let all = [(5, 3), (0x1234_5678, 32), (1, 1), (0, 7), (77, 20)];
        for (value, count) in all {
            writer.put(value, count);
        }
        let bytes = writer.finish();
        let mut bits = BackBits::new(&bytes).unwrap();
        for (value, count) in all.into_iter().rev() {
            assert_eq!(bits.take(count), value);
        }
        assert_eq!((bits.left, bits.take(9), bits.left), (0, 0, -9));
        let mut bits = BackBits::new(&[0b1_0110]).unwrap();
        assert_eq!((bits.take(3), bits.take(3)), (0b011, 0));
        assert!(BackBits::new(&[1, 0]).is_none() && BackBits::new(&[]).is_none());
    }
}
