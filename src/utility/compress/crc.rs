//! CRC-32 as in gzip, zip and xz (polynomial 0xEDB88320), eight bytes a step.

/// `[n][b]`: what the byte `b` makes of the register when `n` more bytes follow it. The polynomial is from the lowest bit on.
pub(super) const fn tables(polynomial: u64) -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut index = 0;
    while index < 256 {
        let mut register = index as u64;
        let mut bit = 0;
        while bit < 8 {
            register = if register & 1 == 1 { register >> 1 ^ polynomial } else { register >> 1 };
            bit += 1;
        }
        tables[0][index] = register;
        index += 1;
    }
    let mut table = 1;
    while table < 8 {
        index = 0;
        while index < 256 {
            let before = tables[table - 1][index];
            tables[table][index] = before >> 8 ^ tables[0][(before & 255) as usize];
            index += 1;
        }
        table += 1;
    }
    tables
}

/// [`tables`] of the polynomial.
static TABLES: [[u32; 256]; 8] = {
    let wide = tables(0xedb8_8320);
    let mut tables = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 256 {
        tables[at / 256][at % 256] = wide[at / 256][at % 256] as u32;
        at += 1;
    }
    tables
};

/// A checksum under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Crc32 {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        let mut register = self.0;
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let &[a, b, c, d, e, f, g, h] = word else { continue };
            let low = register ^ u32::from_le_bytes([a, b, c, d]);
            register = TABLES[7][(low & 255) as usize]
                ^ TABLES[6][(low >> 8 & 255) as usize]
                ^ TABLES[5][(low >> 16 & 255) as usize]
                ^ TABLES[4][(low >> 24) as usize]
                ^ TABLES[3][usize::from(e)]
                ^ TABLES[2][usize::from(f)]
                ^ TABLES[1][usize::from(g)]
                ^ TABLES[0][usize::from(h)];
        }
        for &byte in words.remainder() {
            register = register >> 8 ^ TABLES[0][usize::from(register as u8 ^ byte)];
        }
        self.0 = register;
    }

    /// The checksum of what was read.
    pub(crate) const fn value(self) -> u32 {
        !self.0
    }

    /// The checksum of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> u32 {
        let mut sum = Self::default();
        sum.update(bytes);
        sum.value()
    }
}

#[cfg(test)]
mod tests {
    use super::Crc32;

    #[test]
    fn known_checksums_whatever_the_pieces() {
        assert_eq!(Crc32::of(b"123456789"), 0xcbf4_3926);
        let mut sum = Crc32::default();
        for piece in [&b"1"[..], b"234567", b"", b"89"] {
            sum.update(piece);
        }
        assert_eq!(sum.value(), 0xcbf4_3926);
    }
}
