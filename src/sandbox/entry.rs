//! Entries: files, folders and links that a session starts with, wherever they lie.

use crate::text::Text;
use crate::vfs::{FileSystem, FsError, path};

/// A file, a folder or a link, with its owner and mode; see [`SandboxBuilder::entry`](super::SandboxBuilder::entry).
#[derive(Clone, Debug)]
pub struct Entry {
    node: Node,
    mode: u32,
    owner: Option<(u32, u32)>,
}

#[derive(Clone, Debug)]
enum Node {
    File(Vec<u8>),
    Folder,
    Link(Text),
}

impl Entry {
    /// A regular file with these bytes; its mode is `0o644`.
    pub fn file(content: impl Into<Vec<u8>>) -> Self {
        Self { node: Node::File(content.into()), mode: 0o644, owner: None }
    }

    /// A folder; its mode is `0o755`.
    pub const fn folder() -> Self {
        Self { node: Node::Folder, mode: 0o755, owner: None }
    }

    /// A symbolic link that leads to `target`, which need not be there. Links have no mode.
    pub fn link(target: impl Into<Text>) -> Self {
        Self { node: Node::Link(target.into()), mode: 0o777, owner: None }
    }

    /// Permission bits, as `chmod` takes them in octal: `0o640`. Bits above `0o7777` are left out.
    #[must_use]
    pub const fn mode(mut self, mode: u32) -> Self {
        self.mode = mode & 0o7777;
        self
    }

    /// Numeric user and group. Without it, the entry is the session's user's.
    #[must_use]
    pub const fn owner(mut self, uid: u32, gid: u32) -> Self {
        self.owner = Some((uid, gid));
        self
    }

    /// Puts the entry at an absolute path, as root. Directories that are missing belong to the entry's owner.
    pub(super) fn put(&self, root: &FileSystem, path: &[u8], user: (u32, u32)) -> Result<(), FsError> {
        let (uid, gid) = self.owner.unwrap_or(user);
        let give = |path: &[u8]| root.set_owner(path, Some(uid), Some(gid), false);
        let mut above = Vec::new();
        let mut left = path::components(path).peekable();
        while let Some(name) = left.next().filter(|_| left.peek().is_some()) {
            above.push(b'/');
            above.extend_from_slice(name);
            if root.metadata(&above).is_err() {
                root.create_dir(&above, 0o755)?;
                give(&above)?;
            }
        }
        match &self.node {
            Node::File(content) => root.write(path, content, self.mode)?,
            Node::Folder => root.create_dir_all(path, self.mode)?,
            Node::Link(target) => {
                if root.symlink_metadata(path).is_ok_and(|found| !found.is_directory()) {
                    root.remove_file(path)?;
                }
                root.symlink(target, path)?;
                return give(path);
            }
        }
        // After the owner, whose change takes bits away.
        root.set_owner(path, Some(uid), Some(gid), true)?;
        root.set_mode(path, self.mode)
    }
}
