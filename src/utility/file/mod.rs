//! What utilities that work on file names have in common: metadata by operand, complaints, users' names, sizes in
//! blocks.

pub(crate) mod backup;
pub(crate) mod copy;
pub(crate) mod destination;
pub(crate) mod link;
pub(crate) mod ownership;
pub(crate) mod prompt;
pub(crate) mod random_source;
pub(crate) mod real_path;
pub(crate) mod root;
pub(crate) mod walk;

use crate::memory::{ToMetered, Vec};
use crate::text::Text;
use crate::utility::{Context, ExitStatus, UtilityError};
use crate::vfs::{Errno, FileSystem, FsError, Metadata};
use std::time::Duration;

/// Bytes of a block of the file system.
pub(crate) const BLOCK_SIZE: u64 = 4096;

impl Context {
    /// The session's file system.
    pub(crate) fn fs(&self) -> &FileSystem {
        &self.session.fs
    }

    /// Metadata of what `path` leads to.
    pub(crate) fn stat(&self, path: &[u8]) -> Result<Metadata, FsError> {
        self.fs().metadata(&self.path(path)?)
    }

    /// Why `path` leads to no directory, if it leads to none.
    pub(crate) fn directory_error(&self, path: &[u8]) -> Option<FsError> {
        match self.stat(path) {
            Ok(metadata) if metadata.is_directory() => None,
            Ok(_) => Some(Errno::NotDirectory.into()),
            Err(error) => Some(error),
        }
    }

    /// Metadata of `path` itself, even when it is a symbolic link.
    pub(crate) fn lstat(&self, path: &[u8]) -> Result<Metadata, FsError> {
        self.fs().symlink_metadata(&self.path(path)?)
    }

    /// `path` made absolute; the empty path does not exist.
    pub(crate) fn path(&self, path: &[u8]) -> Result<Vec<u8>, FsError> {
        if path.is_empty() { Err(Errno::NotFound.into()) } else { Ok(self.absolute(path)) }
    }

    /// Prints `name: what: error text` and gives status 1. A limit ends the utility instead.
    pub(crate) fn complain(
        &mut self,
        what: impl std::fmt::Display,
        error: FsError,
    ) -> Result<ExitStatus, UtilityError> {
        match error {
            FsError::Errno(errno) => Ok(self.warn(format_args!("{what}: {}", errno.message()))),
            FsError::Limit(limit) => Err(limit.into()),
        }
    }

    /// As `complain`, or without a word where complaints are not wanted (`-f`).
    pub(crate) fn complain_unless(
        &mut self,
        silent: bool,
        what: impl std::fmt::Display,
        error: FsError,
    ) -> Result<ExitStatus, UtilityError> {
        match error {
            FsError::Errno(_) if silent => Ok(ExitStatus::FAILURE),
            error => self.complain(what, error),
        }
    }

    /// The name of a user or group id; `None`: nobody has it. The session's user has a group of the same name.
    pub(crate) fn user_name(&self, id: u32) -> Option<Text> {
        let identity = &self.session.identity;
        if id == identity.uid {
            Some(identity.user.clone())
        } else {
            (id == 0).then(|| Text::from_static(b"root"))
        }
    }

    /// The name of a group id.
    pub(crate) fn group_name(&self, id: u32) -> Option<Text> {
        let identity = &self.session.identity;
        if id == identity.gid {
            Some(identity.user.clone())
        } else {
            (id == 0).then(|| Text::from_static(b"root"))
        }
    }

    /// The id of a user given by name or number.
    pub(crate) fn user_id(&self, name: &[u8]) -> Option<u32> {
        let identity = &self.session.identity;
        if name == identity.user.as_bytes() {
            return Some(identity.uid);
        }
        if name == b"root" { Some(0) } else { number(name) }
    }

    /// The id of a group given by name or number.
    pub(crate) fn group_id(&self, name: &[u8]) -> Option<u32> {
        let identity = &self.session.identity;
        if name == identity.user.as_bytes() {
            return Some(identity.gid);
        }
        if name == b"root" { Some(0) } else { number(name) }
    }
}

fn number(text: &[u8]) -> Option<u32> {
    text.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

/// Blocks of 512 bytes that a file takes: whole blocks of the file system; links and devices take none.
pub(crate) fn blocks(metadata: &Metadata) -> u64 {
    if metadata.is_regular() || metadata.is_directory() {
        metadata.size.div_ceil(BLOCK_SIZE).saturating_mul(BLOCK_SIZE / 512)
    } else {
        0
    }
}

/// Whether a time is shown with its time of day and not its year: less than half a (Gregorian) year old.
pub(crate) fn is_recent(time: Duration, now: Duration) -> bool {
    const HALF_YEAR: Duration = Duration::from_secs(31_556_952 / 2);
    now.checked_sub(time).is_some_and(|age| age < HALF_YEAR)
}

/// `path` as seen from `directory`; both absolute and without links.
pub(crate) fn relative_path(directory: &[u8], path: &[u8]) -> Vec<u8> {
    use crate::vfs::path::components;
    let shared = components(directory).zip(components(path)).take_while(|(a, b)| a == b).count();
    let up = components(directory).count() - shared;
    let mut out = Vec::with_capacity(path.len() + 3 * up);
    let parts = std::iter::repeat_n(&b".."[..], up).chain(components(path).skip(shared));
    for part in parts {
        if !out.is_empty() {
            out.push(b'/');
        }
        out.extend_from_slice(part);
    }
    if out.is_empty() { b".".to_metered() } else { out }
}

/// `directory/name`
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(directory.len() + name.len() + 1);
    path.extend_from_slice(directory);
    if !directory.is_empty() && !directory.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The last component, trailing slashes left out; `/` for the root.
pub(crate) fn last_component(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let trimmed = path.get(..end).unwrap_or(path);
    if trimmed.is_empty() {
        return path.get(..1).unwrap_or(path);
    }
    trimmed.rsplit(|&byte| byte == b'/').next().unwrap_or(trimmed)
}

/// What comes before the last component, `.` when there is nothing.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let trimmed = path.get(..end).unwrap_or(path);
    match trimmed.iter().rposition(|&byte| byte == b'/') {
        None if trimmed.is_empty() && !path.is_empty() => b"/",
        None => b".",
        Some(slash) => {
            let head = trimmed.get(..slash).unwrap_or(trimmed);
            let end = head.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
            if end == 0 { b"/" } else { head.get(..end).unwrap_or(head) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_and_joined() {
        assert_eq!(last_component(b"a/b//"), b"b");
        assert_eq!(last_component(b"//"), b"/");
        assert_eq!(parent(b"a//b/"), b"a");
        assert_eq!(parent(b"/b"), b"/");
        assert_eq!(parent(b"b"), b".");
        assert_eq!(join(b"/", b"x"), b"/x");
        assert_eq!(join(b"a", b"x"), b"a/x");
    }
}
