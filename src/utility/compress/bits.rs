//! Bits from the highest of each byte on, as in bzip2.

use crate::memory::Vec;

/// Reads bits of bytes that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HighBits<'b> {
    bytes: &'b [u8],
    /// The bit that is next.
    pub(crate) at: usize,
}

impl<'b> HighBits<'b> {
    pub(crate) const fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// How many bits there are.
    pub(crate) const fn left(&self) -> usize {
        (self.bytes.len() * 8).saturating_sub(self.at)
    }

    /// The next 32 bits; zeros stand for those that are not there.
    pub(crate) fn peek(&self) -> u32 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or(&[]);
        let word = match rest.first_chunk::<8>() {
            Some(eight) => u64::from_be_bytes(*eight),
            None => {
                let mut eight = [0; 8];
                for (to, from) in eight.iter_mut().zip(rest) {
                    *to = *from;
                }
                u64::from_be_bytes(eight)
            }
        };
        (word << (self.at % 8) >> 32) as u32
    }

    /// Takes `count` bits, 32 at most; `None`: there are fewer.
    pub(crate) fn take(&mut self, count: u32) -> Option<u32> {
        if self.left() < count as usize || count == 0 {
            return None;
        }
        let value = self.peek() >> (32 - count.min(32));
        self.at += count as usize;
        Some(value)
    }
}

/// Collects bits to bytes.
#[derive(Debug, Default)]
pub(crate) struct HighBitWriter {
    held: u64,
    count: u32,
}

impl HighBitWriter {
    /// Appends the lowest `count` bits of `value`, 32 at most.
    pub(crate) fn put(&mut self, value: u32, count: u32, out: &mut Vec<u8>) {
        self.held = self.held << count | u64::from(value);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            out.push((self.held >> self.count) as u8);
        }
        self.held &= (1 << self.count) - 1;
    }

    /// Fills the last byte up with zeros.
    pub(crate) fn align(&mut self, out: &mut Vec<u8>) {
        let missing = (8 - self.count % 8) % 8;
        if missing > 0 {
            self.put(0, missing, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let mut out = Vec::new();
        let mut writer = HighBitWriter::default();
        for (value, count) in [(1, 1), (0x314_159, 24), (5, 3), (u32::MAX, 32), (0, 7)] {
            writer.put(value, count, &mut out);
        }
        writer.align(&mut out);
        let mut bits = HighBits::new(&out, 0);
        assert_eq!([1, 24, 3, 32, 7].map(|count| bits.take(count)), [1, 0x314_159, 5, u32::MAX, 0].map(Some));
        assert_eq!((bits.left(), bits.take(6)), (5, None));
    }
}
