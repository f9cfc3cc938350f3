//! Open regular files.

use super::device::Device;
use super::errno::Errno;
use super::errno::Result;
use super::file_system::{Live, Shared};
use super::foreign::ForeignHandle;
#[cfg(test)]
use super::inode::Content;
use super::location::Location;
use super::metadata::FifoId;
use super::metadata::Metadata;
use super::stored::share;
use crate::limit::gauge;
use crate::memory::{self, Held};
use std::fmt;
use std::sync::{Arc, MutexGuard};

/// A regular file that is open: independent of its names, kept while a clone of this lives. It has no offset and no access
/// mode; those are of the open file description.
#[derive(Clone, Debug)]
pub(crate) struct OpenFile(Kind);

/// What opening a path gave.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A regular file.
    File(OpenFile),
    /// A directory, opened for reading.
    Directory,
    /// A device, for the descriptor layer to act out.
    Device(Device),
    /// A FIFO, known by its inode number; the descriptor layer keeps its bytes.
    Fifo(FifoId),
}

#[derive(Clone, Debug)]
enum Kind {
    Ours(Arc<Held<Handle>>),
    Foreign(Arc<ForeignHandle>),
}

struct Handle {
    shared: Arc<Shared>,
    at: Location,
    epoch: u64,
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("inode", &self.at.0).finish_non_exhaustive()
    }
}

impl Handle {
    fn live(&self) -> Result<MutexGuard<'_, Live>> {
        let live = self.shared.live();
        if live.epoch == self.epoch { Ok(live) } else { Err(Errno::InputOutput.into()) }
    }

    /// As [`Handle::live`], for an operation that somebody asked for and that moves `bytes`.
    fn operate(&self, bytes: usize) -> Result<MutexGuard<'_, Live>> {
        gauge::spend_bytes(bytes);
        drop(self.shared.operate()?);
        self.live()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let Ok(mut live) = self.live() else { return };
        let Some(count) = live.open.get_mut(&self.at) else { return };
        *count -= 1;
        if *count == 0 {
            live.open.remove(&self.at);
            if live.has_orphans && live.state.inode(self.at).is_ok_and(|inode| inode.links == 0) {
                live.state.free(self.at);
            }
            live.has_orphans &= !live.open.is_empty();
        }
    }
}

impl OpenFile {
    /// # Errors
    /// `EIO` where the run was refused the memory to count it; it ends soon.
    pub(super) fn new(shared: &Arc<Shared>, live: &mut Live, at: Location) -> Result<Self> {
        *live.open.get_or_default(at).ok_or(Errno::InputOutput)? += 1;
        let handle = Handle { shared: Arc::clone(shared), at, epoch: live.epoch };
        Ok(Self(Kind::Ours(memory::shared(handle))))
    }

    pub(super) fn foreign(handle: ForeignHandle) -> Self {
        Self(Kind::Foreign(share(handle)))
    }

    /// Gives `consume` the bytes from `offset` to the end, not copied, and returns what it returned. At or after the end
    /// they are empty. The file system is not locked meanwhile.
    pub(crate) fn read_at(&self, offset: u64, consume: &mut dyn FnMut(&[u8]) -> usize) -> Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let taken = match &self.0 {
            // The lock is not held while a caller's closure runs.
            Kind::Ours(handle) => {
                let blocks = handle.operate(0)?.state.content(handle.at)?.clone();
                consume(blocks.piece(start))
            }
            Kind::Foreign(handle) => consume(handle.content()?.get(start..).unwrap_or_default()),
        };
        gauge::spend_bytes(taken);
        Ok(taken)
    }

    /// The whole content; copied where it is longer than a block.
    #[cfg(test)]
    pub(crate) fn content(&self) -> Result<Content> {
        match &self.0 {
            Kind::Ours(handle) => Ok(handle.operate(0)?.state.content(handle.at)?.to_content()),
            Kind::Foreign(handle) => handle.content(),
        }
    }

    /// Writes all of `bytes` at `offset`; a hole before it is filled with zeros.
    ///
    /// # Errors
    /// The limit on bytes, before anything is written.
    pub(crate) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &self.0 {
            Kind::Ours(handle) => {
                let now = handle.shared.now();
                handle.operate(bytes.len())?.state.write_at(handle.at, offset, bytes, now)
            }
            Kind::Foreign(handle) => handle.write_at(offset, bytes),
        }
    }

    /// Writes all of `bytes` at the end, wherever that is by now, and returns the new length.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64> {
        match &self.0 {
            Kind::Ours(handle) => {
                let now = handle.shared.now();
                handle.operate(bytes.len())?.state.append(handle.at, bytes, now)
            }
            Kind::Foreign(handle) => handle.append(bytes),
        }
    }

    /// The length in bytes.
    #[cfg(any(test, feature = "programs", feature = "vfs"))]
    pub(crate) fn len(&self) -> Result<u64> {
        match &self.0 {
            Kind::Ours(handle) => Ok(handle.live()?.state.content(handle.at)?.len() as u64),
            Kind::Foreign(handle) => Ok(handle.content()?.len() as u64),
        }
    }

    /// Cuts the file or lengthens it with zeros.
    #[cfg(any(test, feature = "programs"))]
    pub(crate) fn set_len(&self, len: u64) -> Result<()> {
        match &self.0 {
            Kind::Ours(handle) => {
                let now = handle.shared.now();
                handle.operate(0)?.state.set_len(handle.at, len, now)
            }
            Kind::Foreign(handle) => handle.set_len(len),
        }
    }

    /// Stores what was written, where the file is in a mounted foreign file system; closing does it too, but has no way to
    /// report an error. For all other files there is nothing to do.
    #[cfg(feature = "vfs")]
    pub(crate) fn flush(&self) -> Result<()> {
        match &self.0 {
            Kind::Ours(_) => Ok(()),
            Kind::Foreign(handle) => handle.flush(),
        }
    }

    /// What `fstat` tells.
    pub(crate) fn metadata(&self) -> Result<Metadata> {
        match &self.0 {
            Kind::Ours(handle) => handle.live()?.state.metadata(handle.at),
            Kind::Foreign(handle) => handle.metadata(),
        }
    }
}
