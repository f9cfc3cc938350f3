//! Compressed streams: what `gzip`, `bzip2`, `xz`, `zstd`, `tar` and `zip` share.
//!
//! A decoder is fed blocks (`push`) and gives pieces (`pull`); it never waits, and each piece is small, so that who drives it lets
//! others run in between. An encoder takes blocks, appends what comes out, and gives way to others itself. Neither recurses. What a
//! header asks for (a window, a block) is charged to the run as it is filled.

mod bits;
mod bzip2;
mod crc;
mod deflate;
mod gzip;
mod huffman;
mod lzma;
mod matcher;
pub(crate) mod operand;
mod recognise;
mod stream;
mod unpack;
mod window;
mod xz;
pub(crate) mod zip;
mod zstd;

pub(crate) use bzip2::{Bzip2Decoder, Bzip2Encoder};
pub(crate) use crc::Crc32;
pub(crate) use deflate::Deflater;
pub(crate) use gzip::{GzipDecoder, GzipEncoder, GzipHeader};
pub(crate) use lzma::{LzmaAloneDecoder, LzmaAloneEncoder, memory_of_level};
pub(crate) use recognise::{Format, ReadOptions, Recogniser};
pub(crate) use stream::{Fault, PIECE, Pull};
pub(crate) use unpack::{Decoder, Encoder, Unpacker};
pub(crate) use xz::{Check, XzDecoder, XzEncoder, XzOptions, XzTotals};
pub(crate) use zstd::{ZstdDecoder, ZstdEncoder, ZstdTotals};
