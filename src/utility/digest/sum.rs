//! The older checksums of `cksum`: CRC (POSIX XCU cksum), and those of BSD and System V.

/// A checksum over bytes, whose number is known as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::utility) enum Sum {
    Crc(u32),
    Bsd(u32),
    SystemV(u32),
}

/// The generator polynomial of the CRC, without its highest term.
const POLYNOMIAL: u32 = 0x04c1_1db7;

/// What a byte at the top of the register makes of it.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < table.len() {
        let mut register = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            let carries = register & 1 << 31 != 0;
            register <<= 1;
            if carries {
                register ^= POLYNOMIAL;
            }
            bit += 1;
        }
        table[index] = register;
        index += 1;
    }
    table
};

fn step(register: u32, byte: u8) -> u32 {
    let index = (register >> 24) as u8 ^ byte;
    (register << 8) ^ TABLE.get(usize::from(index)).copied().unwrap_or(0)
}

impl Sum {
    pub(in crate::utility) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Crc(register) => *register = bytes.iter().fold(*register, |sum, &byte| step(sum, byte)),
            Self::Bsd(sum) => {
                *sum = bytes
                    .iter()
                    .fold(*sum, |sum, &byte| ((sum >> 1) + ((sum & 1) << 15) + u32::from(byte)) & 0xffff);
            }
            Self::SystemV(sum) => {
                *sum = bytes.iter().fold(*sum, |sum, &byte| sum.wrapping_add(u32::from(byte)));
            }
        }
    }

    /// The checksum of what was read, `length` bytes in all.
    pub(in crate::utility) fn finish(self, length: u64) -> u32 {
        match self {
            Self::Crc(mut register) => {
                let mut rest = length;
                while rest > 0 {
                    register = step(register, rest as u8);
                    rest >>= 8;
                }
                !register
            }
            Self::Bsd(sum) => sum,
            Self::SystemV(sum) => {
                let folded = (sum & 0xffff) + (sum >> 16);
                (folded & 0xffff) + (folded >> 16)
            }
        }
    }
}
