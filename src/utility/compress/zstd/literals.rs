//! The literals of a block (RFC 8878, 3.1.1.3.1).

use super::BLOCK;
use super::prefix::{PrefixTable, PrefixWriter};
use crate::memory::Vec;
use crate::utility::compress::stream::Fault;

/// Literals from here on are written in four streams, and fewer than the second number not coded at all.
const ONE_STREAM: usize = 256;
const LEAST: usize = 64;

/// Reads the literals of a block to `out`; the code of the block before may be used again. Returns how many bytes they took.
pub(super) fn read(block: &[u8], code: &mut Option<PrefixTable>, out: &mut Vec<u8>) -> Result<usize, Fault> {
    out.clear();
    let head = block.iter().take(5).rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let (kind, format) = (head & 3, head >> 2 & 3);
    let first = block.first().ok_or(Fault::Corrupt)?;
    if kind < 2 {
        let (header, size) = match format {
            0 | 2 => (1, usize::from(first >> 3)),
            1 => (2, (head >> 4 & 0xfff) as usize),
            _ => (3, (head >> 4 & 0xf_ffff) as usize),
        };
        if size > BLOCK {
            return Err(Fault::Corrupt);
        }
        if kind == 0 {
            out.extend_from_slice(block.get(header..header + size).ok_or(Fault::Corrupt)?);
            return Ok(header + size);
        }
        let byte = block.get(header).ok_or(Fault::Corrupt)?;
        out.resize_by(size, *byte);
        return Ok(header + 1);
    }
    let (header, bits) = match format {
        0 | 1 => (3, 10),
        2 => (4, 14),
        _ => (5, 18),
    };
    let mask = (1 << bits) - 1;
    let size = (head >> 4 & mask) as usize;
    let coded = (head >> (4 + bits) & mask) as usize;
    let mut bytes = block.get(header..header + coded).ok_or(Fault::Corrupt)?;
    if size > BLOCK {
        return Err(Fault::Corrupt);
    }
    if kind == 2 {
        let (table, used) = PrefixTable::parse(bytes)?;
        *code = Some(table);
        bytes = bytes.get(used..).unwrap_or(&[]);
    }
    let table = code.as_ref().ok_or(Fault::Corrupt)?;
    if format == 0 {
        table.read(bytes, size, out)?;
        return Ok(header + coded);
    }
    let (jumps, streams) = bytes.split_at_checked(6).ok_or(Fault::Corrupt)?;
    let share = size.div_ceil(4);
    let mut rest = streams;
    for jump in jumps.as_chunks::<2>().0 {
        let length = usize::from(u16::from_le_bytes(*jump));
        let (stream, behind) = rest.split_at_checked(length).ok_or(Fault::Corrupt)?;
        table.read(stream, share, out)?;
        rest = behind;
    }
    table.read(rest, size.checked_sub(3 * share).ok_or(Fault::Corrupt)?, out)?;
    Ok(header + coded)
}

/// Appends literals as a block has them.
pub(super) fn write(literals: &[u8], out: &mut Vec<u8>) {
    let size = literals.len();
    if size >= LEAST && literals.iter().all(|byte| Some(byte) == literals.first()) {
        put_plain_header(1, size, out);
        out.extend_from_slice(literals.get(..1).unwrap_or(&[]));
        return;
    }
    if size >= LEAST && write_coded(literals, out) {
        return;
    }
    put_plain_header(0, size, out);
    out.extend_from_slice(literals);
}

fn put_plain_header(kind: u32, size: usize, out: &mut Vec<u8>) {
    let size = size as u32;
    let (header, length) = match size {
        0..32 => (kind | size << 3, 1),
        32..4096 => (kind | 1 << 2 | size << 4, 2),
        _ => (kind | 3 << 2 | size << 4, 3),
    };
    out.extend_from_slice(header.to_le_bytes().get(..length).unwrap_or(&[]));
}

/// `false`: nothing is gained, and nothing was appended.
fn write_coded(literals: &[u8], out: &mut Vec<u8>) -> bool {
    let size = literals.len();
    let mut counts = [0u32; 256];
    for byte in literals {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let Some(code) = PrefixWriter::of_counts(&counts) else { return false };
    let mut coded: Vec<u8> = Vec::new();
    code.describe(&mut coded);
    let is_one = size < ONE_STREAM;
    if is_one {
        coded.extend_from_slice(&code.stream(literals));
    } else {
        let streams: Vec<Vec<u8>> =
            literals.chunks(size.div_ceil(4)).map(|quarter| code.stream(quarter)).collect();
        for stream in streams.iter().take(3) {
            let Ok(length) = u16::try_from(stream.len()) else { return false };
            coded.extend_from_slice(&length.to_le_bytes());
        }
        for stream in &streams {
            coded.extend_from_slice(stream);
        }
    }
    if coded.len() + 5 >= size {
        return false;
    }
    let (format, bits, length) = match size {
        0..ONE_STREAM => (0, 10, 3),
        ONE_STREAM..1024 => (1, 10, 3),
        1024..16_384 => (2, 14, 4),
        _ => (3, 18, 5),
    };
    let header = 2 | format << 2 | (size as u64) << 4 | (coded.len() as u64) << (4 + bits);
    out.extend_from_slice(header.to_le_bytes().get(..length).unwrap_or(&[]));
    out.extend_from_slice(&coded);
    true
}
