//! Tells by its first bytes what a stream is packed with.

use super::lzma::is_lzma_alone;
use super::stream::Fault;
use super::xz::XzOptions;
use crate::utility::context::byte_queue::ByteQueue;

/// How streams of several formats are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadOptions {
    pub(crate) xz: XzOptions,
    /// A window that is greater than this is refused.
    pub(crate) zstd_window_max: Option<u64>,
    pub(crate) zstd_ignores_checksum: bool,
}

/// A format that a stream may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Gzip,
    Xz,
    Lzma,
    Zstd,
}

/// Bytes after which every format is known.
const LONGEST: usize = 13;

impl Format {
    const fn mark(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b",
            Self::Xz => b"\xfd7zXZ\0",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
            Self::Lzma => b"",
        }
    }
}

/// The first bytes, until they show the format.
pub(crate) struct Recogniser {
    formats: &'static [Format],
    pub(super) options: ReadOptions,
    queue: ByteQueue,
}

impl Recogniser {
    pub(super) fn new(formats: &'static [Format], options: ReadOptions) -> Self {
        Self { formats, options, queue: ByteQueue::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.queue.push(bytes);
    }

    pub(super) fn pending(&self) -> &[u8] {
        &self.queue
    }

    /// The format; `None`: more bytes will show it.
    pub(super) fn format(&self, ended: bool) -> Result<Option<Format>, Fault> {
        let is_known = |format: &&Format| match format {
            Format::Lzma => is_lzma_alone(&self.queue),
            // Frames that are passed by may come first.
            Format::Zstd if matches!(*self.queue, [0x50..0x60, 0x2a, 0x4d, 0x18, ..]) => true,
            other => self.queue.starts_with(other.mark()),
        };
        match self.formats.iter().find(is_known) {
            Some(format) => Ok(Some(*format)),
            None if ended || self.queue.len() >= LONGEST => Err(Fault::NotInFormat),
            None => Ok(None),
        }
    }
}
