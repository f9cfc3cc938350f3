//! XXH64, the checksum of a frame.

const PRIMES: [u64; 5] = [
    0x9e37_79b1_85eb_ca87,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x85eb_ca77_c2b2_ae63,
    0x27d4_eb2f_1656_67c5,
];

/// A checksum under way, with the seed 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct XxHash {
    lanes: [u64; 4],
    block: [u8; 32],
    held: usize,
    length: u64,
}

impl Default for XxHash {
    fn default() -> Self {
        let [one, two, ..] = PRIMES;
        let lanes = [one.wrapping_add(two), two, 0, 0u64.wrapping_sub(one)];
        Self { lanes, block: [0; 32], held: 0, length: 0 }
    }
}

const fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIMES[1])).rotate_left(31).wrapping_mul(PRIMES[0])
}

impl XxHash {
    fn block(&mut self, block: &[u8; 32]) {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in self.lanes.iter_mut().zip(words) {
            *lane = round(*lane, u64::from_le_bytes(*word));
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut rest = bytes;
        if self.held > 0 {
            let (now, later) = rest.split_at_checked(32 - self.held).unwrap_or((rest, &[]));
            if let Some(room) = self.block.get_mut(self.held..self.held + now.len()) {
                room.copy_from_slice(now);
            }
            self.held += now.len();
            rest = later;
            if self.held < 32 {
                return;
            }
            let block = self.block;
            self.block(&block);
            self.held = 0;
        }
        let (blocks, rest) = rest.as_chunks::<32>();
        for block in blocks {
            self.block(block);
        }
        if let Some(room) = self.block.get_mut(..rest.len()) {
            room.copy_from_slice(rest);
        }
        self.held = rest.len();
    }

    pub(super) fn value(&self) -> u64 {
        let [one, two, three, four] = self.lanes;
        let mut hash = if self.length < 32 {
            PRIMES[4]
        } else {
            let mut hash = one
                .rotate_left(1)
                .wrapping_add(two.rotate_left(7))
                .wrapping_add(three.rotate_left(12))
                .wrapping_add(four.rotate_left(18));
            for lane in self.lanes {
                hash = (hash ^ round(0, lane)).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
            }
            hash
        };
        hash = hash.wrapping_add(self.length);
        let (words, rest) = self.block.get(..self.held).unwrap_or(&[]).as_chunks::<8>();
        for word in words {
            hash ^= round(0, u64::from_le_bytes(*word));
            hash = hash.rotate_left(27).wrapping_mul(PRIMES[0]).wrapping_add(PRIMES[3]);
        }
        let (halves, rest) = rest.as_chunks::<4>();
        for half in halves {
            hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIMES[0]);
            hash = hash.rotate_left(23).wrapping_mul(PRIMES[1]).wrapping_add(PRIMES[2]);
        }
        for byte in rest {
            hash ^= u64::from(*byte).wrapping_mul(PRIMES[4]);
            hash = hash.rotate_left(11).wrapping_mul(PRIMES[0]);
        }
        hash = (hash ^ hash >> 33).wrapping_mul(PRIMES[1]);
        hash = (hash ^ hash >> 29).wrapping_mul(PRIMES[2]);
        hash ^ hash >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::XxHash;

    #[test]
    fn known_checksums_whatever_the_pieces() {
        assert_eq!(XxHash::default().value(), 0xef46_db37_51d8_e999);
        let mut hash = XxHash::default();
        hash.update(b"a");
        assert_eq!(hash.value(), 0xd24e_c4f1_a98c_6e5b);
        let bytes: std::vec::Vec<u8> = (0..100).collect();
        let mut whole = XxHash::default();
        whole.update(&bytes);
        for piece in [1, 7, 31, 33] {
            let mut hash = XxHash::default();
            bytes.chunks(piece).for_each(|piece| hash.update(piece));
            assert_eq!(hash.value(), whole.value());
        }
    }
}
