//! Frames of Zstandard (RFC 8878): blocks of bytes of their own (literals) and of matches with what came before (sequences).
//!
//! `decode.rs` and `encode.rs` have frames and blocks, `literals.rs` and `sequences.rs` the two parts of a block, by prefix codes
//! (`prefix.rs`) and by finite state entropy codes (`state_code.rs`), which both are read from the end of their bits on (`bits.rs`);
//! `xxhash.rs` is the checksum. Ours, because the crate for it allocates what no meter sees and writes a frame in one step.
//! Dictionaries are refused.

mod bits;
mod decode;
mod encode;
mod literals;
mod prefix;
mod sequences;
mod state_code;
mod xxhash;

pub(crate) use decode::{ZstdDecoder, ZstdTotals};
pub(crate) use encode::ZstdEncoder;

const FRAME_MARK: u32 = 0xfd2f_b528;
/// The lowest of the marks of frames that are passed by; the last four bits are free.
const SKIPPED_MARK: u32 = 0x184d_2a50;

/// Bytes of a block, before it is coded and after.
const BLOCK: usize = 128 << 10;

/// The last three distances at the start of a frame.
const FIRST_DISTANCES: [usize; 3] = [1, 4, 8];
