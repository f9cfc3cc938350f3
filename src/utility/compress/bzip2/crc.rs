//! CRC-32 as in bzip2: the polynomial 0x04C11DB7, from the highest bit on.

static TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut register = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            register = if register >> 31 == 1 { register << 1 ^ 0x04c1_1db7 } else { register << 1 };
            bit += 1;
        }
        table[index] = register;
        index += 1;
    }
    table
};

/// A checksum under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockCrc(u32);

impl Default for BlockCrc {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl BlockCrc {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let mut register = self.0;
        for byte in bytes {
            let index = usize::from((register >> 24) as u8 ^ byte);
            register = register << 8 ^ TABLE.get(index).copied().unwrap_or(0);
        }
        self.0 = register;
    }

    pub(super) const fn value(self) -> u32 {
        !self.0
    }
}

/// The checksum of a stream after one more block.
pub(super) const fn combined(stream: u32, block: u32) -> u32 {
    stream.rotate_left(1) ^ block
}
