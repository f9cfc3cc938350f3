//! Numbers as xz has them: seven bits a byte, the lowest first, and nine bytes at most.

use crate::memory::Vec;

/// The number at the start of bytes, and its length. `Ok(None)`: it goes on behind them.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(u64, usize)>, ()> {
    let mut value = 0;
    for (index, byte) in bytes.iter().take(9).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            // There is one way to write a number.
            return if *byte == 0 && index > 0 { Err(()) } else { Ok(Some((value, index + 1))) };
        }
    }
    if bytes.len() < 9 { Ok(None) } else { Err(()) }
}

pub(super) fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
