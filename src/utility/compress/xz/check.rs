//! What xz checks the bytes of a block by.

use crate::memory::{ToMetered, Vec};
use crate::utility::compress::crc::{Crc32, tables};
use sha2::{Digest, Sha256};

/// [`tables`] of the polynomial of ECMA-182.
static TABLES: [[u64; 256]; 8] = tables(0xc96c_5795_d787_0f42);

/// A checksum under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crc64(u64);

impl Default for Crc64 {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl Crc64 {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        let mut register = self.0;
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let Some(word) = word.first_chunk::<8>() else { continue };
            let all = (register ^ u64::from_le_bytes(*word)).to_le_bytes();
            register = 0;
            for (table, byte) in TABLES.iter().rev().zip(all) {
                register ^= table.get(usize::from(byte)).copied().unwrap_or(0);
            }
        }
        for &byte in words.remainder() {
            register = register >> 8 ^ TABLES[0][usize::from(register as u8 ^ byte)];
        }
        self.0 = register;
    }

    pub(super) const fn value(self) -> u64 {
        !self.0
    }
}

/// The kind of check of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Check {
    None,
    Crc32,
    #[default]
    Crc64,
    Sha256,
    /// A kind that has a length and no meaning: it is passed by.
    Unknown(u8),
}

impl Check {
    pub(crate) const fn of_id(id: u8) -> Self {
        match id {
            0 => Self::None,
            1 => Self::Crc32,
            4 => Self::Crc64,
            10 => Self::Sha256,
            other => Self::Unknown(other),
        }
    }

    pub(super) const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Crc32 => 1,
            Self::Crc64 => 4,
            Self::Sha256 => 10,
            Self::Unknown(id) => id,
        }
    }

    /// Bytes of the check.
    pub(super) const fn length(self) -> usize {
        match self.id() {
            0 => 0,
            1..4 => 4,
            4..7 => 8,
            7..10 => 16,
            10..13 => 32,
            _ => 64,
        }
    }

    /// What `xz --list` calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self.id() {
            0 => "None",
            1 => "CRC32",
            2 => "Unknown-2",
            3 => "Unknown-3",
            4 => "CRC64",
            5 => "Unknown-5",
            6 => "Unknown-6",
            7 => "Unknown-7",
            8 => "Unknown-8",
            9 => "Unknown-9",
            10 => "SHA-256",
            11 => "Unknown-11",
            12 => "Unknown-12",
            13 => "Unknown-13",
            14 => "Unknown-14",
            _ => "Unknown-15",
        }
    }
}

/// A check under way.
#[derive(Clone)]
pub(super) enum Checking {
    None,
    Crc32(Crc32),
    Crc64(Crc64),
    Sha256(Sha256),
}

impl std::fmt::Debug for Checking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Checking")
    }
}

impl Checking {
    pub(super) fn new(check: Check) -> Self {
        match check {
            Check::None | Check::Unknown(_) => Self::None,
            Check::Crc32 => Self::Crc32(Crc32::default()),
            Check::Crc64 => Self::Crc64(Crc64::default()),
            Check::Sha256 => Self::Sha256(Sha256::new()),
        }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::None => {}
            Self::Crc32(sum) => sum.update(bytes),
            Self::Crc64(sum) => sum.update(bytes),
            Self::Sha256(sum) => sum.update(bytes),
        }
    }

    /// `None`: there is nothing to compare with.
    pub(super) fn finish(self) -> Option<Vec<u8>> {
        Some(match self {
            Self::None => return None,
            Self::Crc32(sum) => sum.value().to_le_bytes().to_metered(),
            Self::Crc64(sum) => sum.value().to_le_bytes().to_metered(),
            Self::Sha256(sum) => sum.finalize().as_slice().to_metered(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_checksum_whatever_the_pieces() {
        let mut sum = Crc64::default();
        for piece in [&b"1"[..], b"23456789"] {
            sum.update(piece);
        }
        assert_eq!(sum.value(), 0x995d_c9bb_df19_39fa);
    }
}
