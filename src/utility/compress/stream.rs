//! What every encoder and decoder has: pieces, what a decoder has done, and why it cannot go on.

use crate::limit::{Limit, LimitError, Meter};
use crate::memory::{Vec, vec};
use crate::vfs::{Errno, FsError};

/// Bytes that are encoded or decoded between two looks at the meter.
pub(crate) const PIECE: usize = 32 << 10;

/// What a decoder has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pull {
    /// A piece was made, or a part of the format was passed.
    Made,
    /// The same, with so much work: as for bytes that are looked at one by one.
    Worked(usize),
    /// It goes on when more was pushed.
    NeedsInput,
    /// Everything was decoded.
    Ended,
}

/// So many copies of an item; a limit where they are refused.
pub(crate) fn room<T: Clone>(meter: &Meter, item: T, count: usize) -> Result<Vec<T>, LimitError> {
    let items = vec![item; count];
    meter.check()?;
    if items.len() < count { Err(meter.fail(Limit::LiveBytes)) } else { Ok(items) }
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
    /// The window that it asks for is larger than is allowed.
    WindowTooLarge(u64),
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
