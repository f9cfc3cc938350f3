//! SHA-1. FIPS 180-4.

use super::Algorithm;
use crate::memory::{Vec, vec};

/// The state: five words, the bytes that do not fill a block yet, and the length so far.
pub(in crate::utility) struct Sha1 {
    words: [u32; 5],
    block: Vec<u8>,
    length: u64,
}

impl Algorithm for Sha1 {
    const NAME: &'static str = "SHA1";
    const LENGTH: usize = 20;

    fn new() -> Self {
        let words = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
        Self { words, block: Vec::with_capacity(64), length: 0 }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        let room = (64 - self.block.len()).min(bytes.len());
        let (start, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.block.extend_from_slice(start);
        if self.block.len() < 64 {
            return;
        }
        compress(&mut self.words, &self.block);
        let blocks = rest.chunks_exact(64);
        let tail = blocks.remainder();
        for block in blocks {
            compress(&mut self.words, block);
        }
        self.block.clear();
        self.block.extend_from_slice(tail);
    }

    fn finish(mut self) -> Vec<u8> {
        let bits = self.length.wrapping_mul(8);
        let zeros = (119 - self.block.len()) % 64;
        let mut padding = vec![0x80];
        padding.resize(1 + zeros, 0);
        padding.extend_from_slice(&bits.to_be_bytes());
        self.update(&padding);
        self.words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }
}

fn compress(words: &mut [u32; 5], block: &[u8]) {
    // The last 16 words of the message schedule, as a ring.
    let mut schedule = [0_u32; 16];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d, mut e] = *words;
    for step in 0..80_usize {
        let at = |back: usize| schedule.get((step + 16 - back) % 16).copied().unwrap_or(0);
        let word = if step < 16 { at(16) } else { (at(3) ^ at(8) ^ at(14) ^ at(16)).rotate_left(1) };
        if let Some(slot) = schedule.get_mut(step % 16) {
            *slot = word;
        }
        let (mix, constant) = match step / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let sum =
            a.rotate_left(5).wrapping_add(mix).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
    }
    for (word, add) in words.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(add);
    }
}
