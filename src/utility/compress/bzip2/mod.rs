//! bzip2 streams: runs are shortened, a block is sorted by all of its rotations (Burrows and Wheeler), moved to the front, and
//! written with prefix codes.
//!
//! Ours, because the crates for it sort or undo a block of 900 kB at once, and allocate what no meter sees. `decode.rs` reads,
//! `encode.rs` writes, by `sort.rs`. Randomised blocks, which nobody has written since 1997, are refused.

mod crc;
mod decode;
mod encode;
mod sort;

pub(crate) use decode::Bzip2Decoder;
pub(crate) use encode::Bzip2Encoder;

/// What stands before a block, and before the end of a stream: the first digits of pi and of its square root.
const BLOCK_MARK: u64 = 0x3141_5926_5359;
const END_MARK: u64 = 0x1772_4538_5090;

/// Bytes of a block, for each step of the level.
const LEVEL_BYTES: usize = 100_000;

/// Symbols that one code is used for.
const GROUP: usize = 50;

/// The symbols of a run; the others are the places in the list of bytes, and the last is the end of the block.
const RUN_A: u16 = 0;
const RUN_B: u16 = 1;
