//! [`Location`]: which file it is, among all trees of a session.

/// The id of a new tree's root directory.
pub(super) const ROOT: u64 = 1;
/// Bits of an inode number that are the inode's id.
pub(super) const ID_BITS: u32 = 48;

/// A file: the number of its tree (0 is the session's own, `n` the one of mount `n - 1`) and its inode id. The whole is the
/// inode number that a script sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Location(pub(super) u64);

/// Inode numbers of files in the foreign file system that is tree `n` begin with this plus `n`. Trees have lower numbers.
pub(super) const FOREIGN_FILES: usize = 0x4000;
/// The tree number of locations that stand for descriptors of whoever asks.
const DESCRIPTORS: u64 = 0xffff;

impl Location {
    pub(super) const ROOT: Self = Self(ROOT);

    pub(super) const fn new(tree: usize, id: u64) -> Self {
        Self((tree as u64) << ID_BITS | id)
    }

    pub(super) const fn for_descriptor(number: u32) -> Self {
        Self(DESCRIPTORS << ID_BITS | number as u64)
    }

    pub(super) const fn tree(self) -> usize {
        (self.0 >> ID_BITS) as usize
    }

    pub(super) const fn id(self) -> u64 {
        self.0 & ((1 << ID_BITS) - 1)
    }

    /// Another file of the same tree.
    pub(super) const fn sibling(self, id: u64) -> Self {
        Self::new(self.tree(), id)
    }

    pub(super) const fn descriptor(self) -> Option<u32> {
        if self.0 >> ID_BITS == DESCRIPTORS { Some(self.id() as u32) } else { None }
    }
}

/// The number of the tree, or foreign file system, of a file with this inode number.
pub(super) const fn file_system(inode: u64) -> u64 {
    let tree = inode >> ID_BITS;
    if tree >= FOREIGN_FILES as u64 && tree != DESCRIPTORS { tree - FOREIGN_FILES as u64 } else { tree }
}
