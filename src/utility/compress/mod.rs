//! Compressed streams: what `gzip`, `bzip2`, `xz`, `zstd`, `tar` and `zip` share.
//!
//! A decoder is fed blocks (`push`) and gives pieces (`pull`); an encoder takes blocks and appends what comes out. Neither waits
//! nor recurses, and each piece is small, so that who drives them lets others run in between. What a header asks for (a window,
//! a block) is charged to the run before it is allocated.

mod crc;
mod deflate;
mod gzip;
mod unpack;

pub(crate) use crc::Crc32;
pub(crate) use deflate::{Deflater, Inflater};
pub(crate) use gzip::{GzipDecoder, GzipEncoder, GzipHeader};
pub(crate) use unpack::{Decoder, Encoder, Unpacker};

use crate::limit::LimitError;
use crate::vfs::{Errno, FsError};

/// Bytes that are encoded or decoded between two looks at the meter.
pub(crate) const PIECE: usize = 32 << 10;

/// What a decoder has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pull {
    /// A piece was made, or a part of the format was passed.
    Made,
    /// It goes on when more was pushed.
    NeedsInput,
    /// Everything was decoded.
    Ended,
}

/// Why a stream can not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It does not begin as the format does.
    NotInFormat,
    UnexpectedEnd,
    /// The checksum of what came out is another.
    Checksum,
    /// The length of what came out is another.
    Length,
    ChecksumAndLength,
    /// The checksum of a header is another.
    HeaderChecksum {
        stored: u16,
        computed: u16,
    },
    Corrupt,
    /// The format allows it; it is not read here.
    NotSupported(&'static str),
    /// What follows the last member is none.
    TrailingGarbage,
    Read(Errno),
    Limit(LimitError),
}

impl From<FsError> for Fault {
    fn from(error: FsError) -> Self {
        match error {
            FsError::Errno(errno) => Self::Read(errno),
            FsError::Limit(limit) => Self::Limit(limit),
        }
    }
}

impl From<LimitError> for Fault {
    fn from(limit: LimitError) -> Self {
        Self::Limit(limit)
    }
}
