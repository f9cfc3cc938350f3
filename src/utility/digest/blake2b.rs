//! `BLAKE2b` with digests of any length (RFC 7693). Our own, as it is a page, and its crate would be there for one program alone.

use crate::memory::{ToMetered, Vec};

const INITIAL: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The order in which each round takes the words of a block.
const ORDERS: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

const BLOCK: usize = 128;

/// A digest under way.
pub(super) struct Blake2b {
    state: [u64; 8],
    block: [u8; BLOCK],
    filled: usize,
    length: u128,
    digest: usize,
}

/// Mixes two words into four of the sixteen.
#[inline]
fn mix(v: &mut [u64; 16], [a, b, c, d]: [usize; 4], x: u64, y: u64) {
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
    v[d] = (v[d] ^ v[a]).rotate_right(32);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(24);
    v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
    v[d] = (v[d] ^ v[a]).rotate_right(16);
    v[c] = v[c].wrapping_add(v[d]);
    v[b] = (v[b] ^ v[c]).rotate_right(63);
}

impl Blake2b {
    /// A digest of so many bytes, 1 to 64.
    pub(super) fn new(digest: usize) -> Self {
        let mut state = INITIAL;
        state[0] ^= 0x0101_0000 ^ digest as u64;
        Self { state, block: [0; BLOCK], filled: 0, length: 0, digest }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            // The last block waits, for it is marked.
            if self.filled == BLOCK {
                self.compress(false);
                self.filled = 0;
            }
            let count = rest.len().min(BLOCK - self.filled);
            let (now, later) = rest.split_at(count);
            self.block[self.filled..self.filled + count].copy_from_slice(now);
            self.filled += count;
            self.length += count as u128;
            rest = later;
        }
    }

    fn compress(&mut self, is_last: bool) {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(self.block.chunks_exact(8)) {
            *word = bytes.try_into().map_or(0, u64::from_le_bytes);
        }
        let mut v = [0; 16];
        v[..8].copy_from_slice(&self.state);
        v[8..].copy_from_slice(&INITIAL);
        v[12] ^= self.length as u64;
        v[13] ^= (self.length >> 64) as u64;
        if is_last {
            v[14] = !v[14];
        }
        for round in 0..12 {
            let order = &ORDERS[round % 10];
            for (index, quarter) in
                [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]].into_iter().enumerate()
            {
                mix(&mut v, quarter, words[order[2 * index]], words[order[2 * index + 1]]);
            }
            for (index, quarter) in
                [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]].into_iter().enumerate()
            {
                mix(&mut v, quarter, words[order[8 + 2 * index]], words[order[9 + 2 * index]]);
            }
        }
        for (index, word) in self.state.iter_mut().enumerate() {
            *word ^= v[index] ^ v[index + 8];
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.block[self.filled..].fill(0);
        self.compress(true);
        let bytes = self.state.iter().flat_map(|word| word.to_le_bytes());
        let mut digest: Vec<u8> = bytes.collect();
        digest.truncate(self.digest);
        digest.as_slice().to_metered()
    }
}
