//! Streams of xz: blocks of LZMA2, each with a check of its bytes, and an index of the blocks. `decode.rs` reads, `encode.rs` writes.
//! Other filters (delta, those for machine code) are refused.

mod check;
mod decode;
mod encode;
mod number;

pub(crate) use check::Check;
pub(crate) use decode::{XzDecoder, XzOptions, XzTotals};
pub(crate) use encode::XzEncoder;

const HEADER_MARK: [u8; 6] = *b"\xfd7zXZ\0";
const FOOTER_MARK: [u8; 2] = *b"YZ";
/// The filter LZMA2.
const LZMA2: u8 = 0x21;
