//! Open files of a mounted foreign file system.
//!
//! The trait of the `vfs` crate gives a reader or a writer, never both, and some writers store at every flush all that was
//! written. So an open file is kept in memory, once however often it is open (appends of several writers then meet), and
//! stored when it is flushed, when its last handle is closed, and before the next operation on a path of the same mount.

use super::blocks::Blocks;
use super::errno::FsError;
use super::errno::{Errno, Result};
use super::foreign::Foreign;
use super::inode::Content;
use super::metadata::Metadata;
use crate::clock::lock;
use ::vfs::{VfsFileType, VfsMetadata};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Arc, MutexGuard};

/// The files that are open in one foreign file system.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    files: FxHashMap<u64, Buffer>,
    /// Keys of `files` by path; files without a name are missing.
    by_path: FxHashMap<String, u64>,
    /// Keys of files that have to be stored; may name files that are stored or closed already.
    changed: Vec<u64>,
    next: u64,
}

#[derive(Debug)]
struct Buffer {
    /// `None` once the file was removed.
    path: Option<String>,
    content: Blocks,
    is_changed: bool,
    handles: u64,
}

impl OpenFiles {
    /// Stores what was written since the last time.
    pub(super) fn store_all(&mut self, foreign: &Foreign) -> Result<()> {
        while let Some(key) = self.changed.last().copied() {
            self.store(foreign, key)?;
            self.changed.pop();
        }
        Ok(())
    }

    fn store(&mut self, foreign: &Foreign, key: u64) -> Result<()> {
        let Some(buffer) = self.files.get_mut(&key).filter(|buffer| buffer.is_changed) else { return Ok(()) };
        if let Some(path) = &buffer.path {
            foreign.store(path, &buffer.content.to_content())?;
        }
        buffer.is_changed = false;
        Ok(())
    }

    /// A file was removed: if it is open, it lives on without a name.
    pub(super) fn removed(&mut self, path: &str) {
        if let Some(buffer) = self.by_path.remove(path).and_then(|key| self.files.get_mut(&key)) {
            buffer.path = None;
        }
    }

    /// A file or a directory with all below it has another name.
    pub(super) fn renamed(&mut self, from: &str, to: &str) {
        let moved: Vec<String> =
            self.by_path.keys().filter(|path| below(path, from).is_some()).cloned().collect();
        for old in moved {
            if let (Some(rest), Some(key)) = (below(&old, from), self.by_path.remove(&old)) {
                let new = format!("{to}{rest}");
                if let Some(buffer) = self.files.get_mut(&key) {
                    buffer.path = Some(new.clone());
                }
                self.by_path.insert(new, key);
            }
        }
    }
}

/// What follows `directory` in the path of a file that is it or is below it.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    path.strip_prefix(directory).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An open file; closed on drop.
pub(super) struct ForeignHandle {
    foreign: Arc<Foreign>,
    key: u64,
}

impl fmt::Debug for ForeignHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignHandle").field("key", &self.key).finish_non_exhaustive()
    }
}

impl ForeignHandle {
    /// Opens a file that exists.
    pub(super) fn open(foreign: &Arc<Foreign>, path: &str, truncate: bool) -> Result<Self> {
        let mut open = lock(&foreign.open);
        let key = if let Some(&key) = open.by_path.get(path) {
            key
        } else {
            let content = if truncate { Blocks::EMPTY } else { foreign.load(path)?.into() };
            let key = open.next;
            open.next += 1;
            let path_text = Some(path.to_owned());
            open.files.insert(key, Buffer { path: path_text, content, is_changed: false, handles: 0 });
            open.by_path.insert(path.to_owned(), key);
            key
        };
        if let Some(buffer) = open.files.get_mut(&key) {
            buffer.handles += 1;
        }
        drop(open);
        let handle = Self { foreign: Arc::clone(foreign), key };
        if truncate {
            handle.set_len(0)?;
        }
        Ok(handle)
    }

    fn files(&self) -> MutexGuard<'_, OpenFiles> {
        lock(&self.foreign.open)
    }

    pub(super) fn content(&self) -> Result<Content> {
        self.files().files.get(&self.key).map(|buffer| buffer.content.to_content()).ok_or(lost())
    }

    /// Changes the content after its new length was checked.
    fn change<T>(
        &self,
        new_len: impl FnOnce(u64) -> Option<u64>,
        change: impl FnOnce(&mut Blocks) -> Result<T>,
    ) -> Result<T> {
        self.foreign.check_writable()?;
        let mut open = self.files();
        let open = &mut *open;
        let buffer = open.files.get_mut(&self.key).ok_or(lost())?;
        let old = buffer.content.len() as u64;
        let new = new_len(old).ok_or(Errno::FileTooBig)?;
        self.foreign.check_len(new)?;
        let result = change(&mut buffer.content)?;
        if !buffer.is_changed {
            buffer.is_changed = true;
            open.changed.push(self.key);
        }
        Ok(result)
    }

    pub(super) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        let end = offset.checked_add(bytes.len() as u64);
        let start = usize::try_from(offset).map_err(|_| Errno::FileTooBig)?;
        self.change(|old| end.map(|end| end.max(old)), |blocks| blocks.write(start, bytes))
    }

    pub(super) fn append(&self, bytes: &[u8]) -> Result<u64> {
        self.change(
            |old| old.checked_add(bytes.len() as u64),
            |blocks| {
                blocks.write(blocks.len(), bytes)?;
                Ok(blocks.len() as u64)
            },
        )
    }

    pub(super) fn set_len(&self, len: u64) -> Result<()> {
        let length = usize::try_from(len).map_err(|_| Errno::FileTooBig)?;
        self.change(|_| Some(len), |blocks| blocks.set_len(length))
    }

    pub(super) fn flush(&self) -> Result<()> {
        self.files().store(&self.foreign, self.key)
    }

    pub(super) fn metadata(&self) -> Result<Metadata> {
        let mut open = self.files();
        open.store(&self.foreign, self.key)?;
        let buffer = open.files.get(&self.key).ok_or(lost())?;
        let len = buffer.content.len() as u64;
        let path = buffer.path.as_deref();
        let found = path.and_then(|path| self.foreign.fs.metadata(path).ok()).unwrap_or(VfsMetadata {
            file_type: VfsFileType::File,
            len,
            created: None,
            modified: None,
            accessed: None,
        });
        let metadata = self.foreign.metadata_of(path.unwrap_or_default(), &found);
        Ok(Metadata { size: len, links: u64::from(path.is_some()), ..metadata })
    }
}

const fn lost() -> FsError {
    FsError::Errno(Errno::InputOutput)
}

impl Drop for ForeignHandle {
    fn drop(&mut self) {
        let mut open = self.files();
        let Some(buffer) = open.files.get_mut(&self.key) else { return };
        buffer.handles -= 1;
        if buffer.handles > 0 {
            return;
        }
        if let Err(error) = open.store(&self.foreign, self.key) {
            // `close` has nobody to tell; a caller that wants to know flushes before.
            tracing::warn!(%error, "what was written to a mounted file system could not be stored");
        }
        if let Some(path) = open.files.remove(&self.key).and_then(|buffer| buffer.path) {
            open.by_path.remove(&path);
        }
    }
}
