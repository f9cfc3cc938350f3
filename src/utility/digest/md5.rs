//! MD5. RFC 1321.

use super::Algorithm;
use crate::memory::{Vec, vec};

/// The state: four words, the bytes that do not fill a block yet, and the length so far.
pub(in crate::utility) struct Md5 {
    words: [u32; 4],
    block: Vec<u8>,
    length: u64,
}

/// Rotations of the four rounds.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// floor(2^32 * |sin(step + 1)|)
fn sine(step: u32) -> u32 {
    (f64::from(step + 1).sin().abs() * 4_294_967_296.0) as u32
}

impl Algorithm for Md5 {
    const NAME: &'static str = "MD5";
    const LENGTH: usize = 16;

    fn new() -> Self {
        Self {
            words: [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476],
            block: Vec::with_capacity(64),
            length: 0,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        let sines: [u32; 64] = std::array::from_fn(|step| sine(step as u32));
        let room = (64 - self.block.len()).min(bytes.len());
        let (start, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.block.extend_from_slice(start);
        if self.block.len() < 64 {
            return;
        }
        compress(&mut self.words, &self.block, &sines);
        let blocks = rest.chunks_exact(64);
        let tail = blocks.remainder();
        for block in blocks {
            compress(&mut self.words, block, &sines);
        }
        self.block.clear();
        self.block.extend_from_slice(tail);
    }

    fn finish(mut self) -> Vec<u8> {
        let bits = self.length.wrapping_mul(8);
        let zeros = (119 - self.block.len()) % 64;
        let mut padding = vec![0x80];
        padding.resize(1 + zeros, 0);
        padding.extend_from_slice(&bits.to_le_bytes());
        self.update(&padding);
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn compress(words: &mut [u32; 4], block: &[u8], sines: &[u32; 64]) {
    let mut message = [0_u32; 16];
    for (word, bytes) in message.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d] = *words;
    for ((step, sine), rotations) in
        sines.iter().enumerate().zip(ROTATIONS.iter().flat_map(|four| [four; 16]))
    {
        let (mix, index) = match step / 16 {
            0 => (b & c | !b & d, step),
            1 => (b & d | c & !d, 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let word = message.get(index % 16).copied().unwrap_or(0);
        let rotation = rotations.get(step % 4).copied().unwrap_or(0);
        let sum = a.wrapping_add(mix).wrapping_add(word).wrapping_add(*sine);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(rotation)));
    }
    for (word, add) in words.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(add);
    }
}
