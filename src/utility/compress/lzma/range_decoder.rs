//! Bits out of a range: the part of it that the code lies in says which bit it was.

use super::model::{ADAPT, CHANCE_BITS};

/// Bytes that are there, of which as many as are needed are read. Zeros follow them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
}

impl Source<'_> {
    #[inline]
    fn next(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }
}

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RangeDecoder {
    range: u32,
    code: u32,
}

impl RangeDecoder {
    /// Bytes that a coder begins with.
    pub(super) const START: usize = 5;

    /// `None`: the first byte is not zero.
    pub(super) fn start(source: &mut Source) -> Option<Self> {
        if source.next() != 0 {
            return None;
        }
        let code = u32::from_be_bytes([source.next(), source.next(), source.next(), source.next()]);
        Some(Self { range: u32::MAX, code })
    }

    #[inline]
    pub(super) fn normalise(&mut self, source: &mut Source) {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | u32::from(source.next());
        }
    }

    /// Whether the code is what an encoder leaves at its end.
    pub(super) const fn is_over(self) -> bool {
        self.code == 0
    }

    #[inline]
    pub(super) fn bit(&mut self, source: &mut Source, chance: Option<&mut u16>) -> usize {
        self.normalise(source);
        let Some(chance) = chance else { return 0 };
        let bound = (self.range >> CHANCE_BITS) * u32::from(*chance);
        if self.code < bound {
            self.range = bound;
            *chance += ((1 << CHANCE_BITS) - *chance) >> ADAPT;
            0
        } else {
            self.range -= bound;
            self.code -= bound;
            *chance -= *chance >> ADAPT;
            1
        }
    }

    /// `count` bits, the highest first, each with the chance that those before it lead to.
    #[inline]
    pub(super) fn tree(&mut self, source: &mut Source, chances: &mut [u16], count: u32) -> usize {
        let mut value = 1;
        for _ in 0..count {
            value = value << 1 | self.bit(source, chances.get_mut(value));
        }
        value - (1 << count)
    }

    /// The same with the lowest bit first; chances begin at `from`, less one.
    pub(super) fn tree_from_low(
        &mut self,
        source: &mut Source,
        chances: &mut [u16],
        from: usize,
        count: u32,
    ) -> u32 {
        let (mut node, mut value) = (1, 0);
        for shift in 0..count {
            let bit = self.bit(source, chances.get_mut(from + node - 1));
            node = node << 1 | bit;
            value |= (bit as u32) << shift;
        }
        value
    }

    /// Bits that are as often one as zero.
    pub(super) fn direct(&mut self, source: &mut Source, count: u32) -> u32 {
        let mut value = 0;
        for _ in 0..count {
            self.normalise(source);
            self.range >>= 1;
            let is_one = self.code >= self.range;
            if is_one {
                self.code -= self.range;
            }
            value = value << 1 | u32::from(is_one);
        }
        value
    }
}
