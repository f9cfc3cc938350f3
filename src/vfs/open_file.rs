//! Open regular files.

use super::errno::Errno;
use super::file_system::{Live, Shared};
use super::operation;
use super::tree::Location;
use super::{Metadata, Result};
use std::fmt;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

/// A regular file that is open: independent of its names, kept while a clone of this lives. It has no offset and no access
/// mode; those are of the open file description.
#[derive(Clone, Debug)]
pub struct OpenFile(Arc<Handle>);

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
}

impl Drop for Handle {
    fn drop(&mut self) {
        let Ok(mut live) = self.live() else { return };
        let Some(count) = live.open.get_mut(&self.at) else { return };
        *count -= 1;
        if *count == 0 {
            live.open.remove(&self.at);
            if live.orphans.remove(&self.at) {
                live.state.free(self.at);
            }
        }
    }
}

impl OpenFile {
    pub(super) fn new(shared: &Arc<Shared>, live: &mut Live, at: Location) -> Self {
        *live.open.entry(at).or_insert(0) += 1;
        Self(Arc::new(Handle { shared: Arc::clone(shared), at, epoch: live.epoch }))
    }

    /// Gives `consume` the bytes from `offset` to the end, not copied, and returns what it returned. At or after the end
    /// they are empty. The file system is not locked meanwhile.
    pub fn read_at(&self, offset: u64, consume: &mut dyn FnMut(&[u8]) -> usize) -> Result<usize> {
        let content = self.content()?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(consume(content.get(start..).unwrap_or_default()))
    }

    /// The whole content, not copied.
    pub fn content(&self) -> Result<super::Content> {
        self.0.live()?.state.content(self.0.at).cloned()
    }

    /// Writes all of `bytes` at `offset`; a hole before it is filled with zeros.
    ///
    /// # Errors
    /// The limit on bytes, before anything is written.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let now = self.0.shared.now();
        self.0.live()?.state.write_at(self.0.at, offset, bytes, now)
    }

    /// Writes all of `bytes` at the end, wherever that is by now, and returns the new length.
    pub fn append(&self, bytes: &[u8]) -> Result<u64> {
        let now = self.0.shared.now();
        self.0.live()?.state.append(self.0.at, bytes, now)
    }

    /// The length in bytes.
    pub fn len(&self) -> Result<u64> {
        Ok(self.0.live()?.state.content(self.0.at)?.len() as u64)
    }

    /// Whether the file has no bytes.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Cuts the file or lengthens it with zeros.
    pub fn set_len(&self, len: u64) -> Result<()> {
        let now = self.0.shared.now();
        self.0.live()?.state.set_len(self.0.at, len, now)
    }

    /// What `fstat` tells.
    pub fn metadata(&self) -> Result<Metadata> {
        self.0.live()?.state.metadata(self.0.at)
    }

    /// `fchmod`.
    pub fn set_mode(&self, mode: u32) -> Result<()> {
        let now = self.0.shared.now();
        let mut live = self.0.live()?;
        live.state.check_owner(self.0.at)?;
        live.state.check_writable(self.0.at)?;
        operation::set_mode(&mut live.state, self.0.at, mode, now)
    }

    /// `futimens`: sets times, since the Unix epoch; `None` leaves one as it is.
    pub fn set_times(&self, accessed: Option<Duration>, modified: Option<Duration>) -> Result<()> {
        let now = self.0.shared.now();
        let mut live = self.0.live()?;
        live.state.check_owner(self.0.at)?;
        live.state.check_writable(self.0.at)?;
        operation::set_times(&mut live.state, self.0.at, accessed, modified, now)
    }
}
