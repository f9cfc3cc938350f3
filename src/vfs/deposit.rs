//! Files that are there, and written when somebody looks: the payload files of hooks, most of which nobody opens.
//!
//! Every operation on the file system goes through [`Shared::live`], which writes what was deposited first. What is
//! withdrawn before that leaves no trace, not even in the number that tells who keeps lookups that something changed. The times
//! of such a file are those of the first look.

use super::errno::{Errno, FsError, Result};
use super::file_system::{Deposit, FileSystem, Live, Shared};
use super::inode::{Body, Content};
use super::operation::{make_directories, set_whole_content};
use super::path;
use super::resolve::Follow;
use super::stored::Name;
use super::tree::TreeState;
use crate::clock::lock;
use crate::text::Text;

/// So many files at most a deposit is, with the directories above it; one that is deeper fails when it is written.
const NEW_FILES: u64 = 16;
/// Memory of a file beside its content, in bytes.
const NEW_FILE: u64 = 256;

/// What became of a file that was deposited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WithdrawError {
    /// It could not be written when somebody looked.
    Write(FsError),
    /// It could not be removed.
    Remove(FsError),
}

impl FileSystem {
    /// As [`FileSystem::write`] with the directories above it, but later: when anything else is done with the file system.
    /// What that meets is told by [`FileSystem::withdraw`].
    ///
    /// # Errors
    /// Those of [`FileSystem::write`] where the file has to be written at once: on a mount, or when the quota is near.
    pub(crate) fn deposit(&self, path: &Text, content: &Text, mode: u32) -> Result<()> {
        let deposit = Deposit { path: path.clone(), content: content.clone(), mode: mode as u16 };
        let mut live = lock(&self.shared.live);
        let length = content.len() as u64;
        let waiting: u64 = live.deposits.iter().map(|deposit| deposit.content.len() as u64).sum();
        if live.state.mounts.is_empty() && live.state.has_room(live.deposits.len(), waiting + length) {
            live.deposits.push(deposit);
            return Ok(());
        }
        drop(live);
        let mut live = self.shared.live();
        if live.state.mounts.is_empty() {
            return live.state.place(&deposit, self.shared.now());
        }
        drop(live);
        match self.write(path, content, mode) {
            Err(error) if error.errno() == Some(Errno::NotFound) => {
                if let Some((directory, _)) = path::split_last(path) {
                    self.create_dir_all(directory, 0o755)?;
                }
                self.write(path, content, mode)
            }
            result => result,
        }
    }

    /// Removes a file that was deposited.
    ///
    /// # Errors
    /// It could not be written, or it was and could not be removed.
    pub(crate) fn withdraw(&self, path: &[u8]) -> std::result::Result<(), WithdrawError> {
        let mut live = lock(&self.shared.live);
        if let Some(at) = live.deposits.iter().position(|deposit| *deposit.path == *path) {
            live.deposits.remove(at);
            return Ok(());
        }
        if let Some(at) = live.refused.iter().position(|(refused, _)| **refused == *path) {
            return Err(WithdrawError::Write(live.refused.swap_remove(at).1));
        }
        drop(live);
        self.remove_file(path).map_err(WithdrawError::Remove)
    }
}

impl Shared {
    /// Writes what was deposited; its times are those of the first look.
    #[cold]
    pub(super) fn write_deposits(&self, live: &mut Live) {
        let now = self.now();
        for deposit in std::mem::take(&mut live.deposits) {
            if let Err(error) = live.state.place(&deposit, now) {
                live.refused.push((deposit.path, error));
            }
        }
    }
}

impl TreeState {
    /// Whether so many files and bytes more can be written without looking at the quota.
    fn has_room(&self, files: usize, bytes: u64) -> bool {
        // The directories above it are files, too.
        let files = (files as u64).saturating_add(NEW_FILES);
        let memory = bytes.saturating_add(files.saturating_mul(NEW_FILE));
        self.admit(files, usize::try_from(memory).unwrap_or(usize::MAX)).is_ok()
    }

    fn place(&mut self, deposit: &Deposit, now: u64) -> Result<()> {
        let Deposit { path, content, mode } = deposit;
        let write = |state: &mut Self| {
            let found = state.walk(path, Follow::Create)?;
            let Some(target) = found.target else {
                state.check_parent(found.parent)?;
                let (parent, name) = (found.parent, Name::from(found.name));
                let body = Body::File(Content::from(content.clone()).into());
                return state.create(parent, name, body, *mode, now).map(drop);
            };
            set_whole_content(state, target, Content::from(content.clone()).into(), now)
        };
        match write(self) {
            Err(error) if error.errno() == Some(Errno::NotFound) => {
                if let Some((directory, _)) = path::split_last(path) {
                    make_directories(self, directory, 0o755, now)?;
                }
                write(self)
            }
            result => result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::vfs::Options;
    use std::sync::Arc;

    fn files(max_files: u64, max_bytes: u64) -> FileSystem {
        let clock = Arc::new(Clock::fixed(std::time::Duration::from_secs(5)));
        FileSystem::new(Options { clock, uid: 1000, gid: 1000, max_files, max_bytes })
    }

    const PATH: Text = Text::from_static(b"/workspace/.hooks/a.json");

    #[test]
    fn a_deposit_is_there_for_whoever_looks() {
        let files = files(100, 100_000);
        let version = files.version();
        files.deposit(&PATH, &Text::from_static(b"{}"), 0o644).unwrap();
        assert_eq!(files.version(), version);
        assert_eq!(&*files.read(&PATH).unwrap(), b"{}");
        assert_ne!(files.version(), version);
        assert_eq!(files.withdraw(&PATH), Ok(()));
        assert!(files.metadata(&PATH).is_err());
        assert!(files.metadata(b"/workspace/.hooks").is_ok());
    }

    #[test]
    fn what_nobody_saw_leaves_no_trace() {
        let files = files(100, 100_000);
        let version = files.version();
        files.deposit(&PATH, &Text::from_static(b"{}"), 0o644).unwrap();
        assert_eq!(files.withdraw(&PATH), Ok(()));
        assert_eq!(files.version(), version);
        assert!(files.metadata(b"/workspace/.hooks").is_err());
    }

    #[test]
    fn a_full_file_system_is_told_at_once_and_a_file_in_the_way_later() {
        let full = files(100, 1);
        assert!(full.deposit(&PATH, &Text::from_static(b"{}"), 0o644).is_err());
        let files = files(100, 100_000);
        files.write(b"/workspace/.hooks", b"", 0o644).unwrap();
        files.deposit(&PATH, &Text::from_static(b"{}"), 0o644).unwrap();
        assert!(files.metadata(&PATH).is_err());
        assert!(matches!(files.withdraw(&PATH), Err(WithdrawError::Write(_))));
    }
}
