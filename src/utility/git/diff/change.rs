//! `Change`: a file that is not the same on both sides.

use crate::text::Text;
use crate::utility::git::dirt::Dirt;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::object::tree::{SUBMODULE, TREE};

/// A file on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    /// 0: there is none.
    pub(crate) mode: u32,
    pub(crate) id: ObjectId,
    /// Its content is that of the work tree, and the object's name is not known.
    pub(crate) is_in_work_tree: bool,
}

impl Side {
    pub(crate) const NONE: Self = Self { mode: 0, id: ObjectId::ZERO, is_in_work_tree: false };

    pub(crate) const fn stored(mode: u32, id: ObjectId) -> Self {
        Self { mode, id, is_in_work_tree: false }
    }

    pub(crate) const fn in_work_tree(mode: u32) -> Self {
        Self { mode, id: ObjectId::ZERO, is_in_work_tree: true }
    }

    /// The file type of the mode.
    pub(crate) const fn kind(&self) -> u32 {
        self.mode & 0o170_000
    }

    pub(crate) const fn is_regular(&self) -> bool {
        self.kind() == 0o100_000
    }

    pub(crate) const fn is_submodule(&self) -> bool {
        self.kind() == SUBMODULE
    }
}

/// A file that is not the same on both sides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    /// `A`, `C`, `D`, `M`, `R`, `T` or `U`.
    pub(crate) status: u8,
    /// How alike the files are, of 60000; for `R` and `C`.
    pub(crate) score: u32,
    pub(crate) old: Side,
    pub(crate) new: Side,
    pub(crate) old_path: Text,
    pub(crate) path: Text,
    /// How a submodule of the work tree is not as it was.
    pub(crate) dirt: Dirt,
}

impl Change {
    /// A change of one path.
    pub(crate) fn new(path: Text, old: Side, new: Side) -> Self {
        let status = match (old.mode, new.mode) {
            (0, _) => b'A',
            (_, 0) => b'D',
            _ if old.kind() != new.kind() => b'T',
            _ => b'M',
        };
        Self { status, score: 0, old, new, old_path: path.clone(), path, dirt: Dirt::default() }
    }

    /// A path in a conflict.
    pub(crate) fn unmerged(path: Text) -> Self {
        Self { status: b'U', old_path: path.clone(), path, ..Self::default() }
    }

    /// The other way round.
    pub(crate) fn reversed(self) -> Self {
        if self.status == b'U' {
            return self;
        }
        Self::new(self.path, self.new, self.old)
    }

    /// Whether it is of a submodule, and of nothing else.
    pub(crate) const fn is_of_submodule(&self) -> bool {
        match (self.old.is_submodule(), self.new.is_submodule()) {
            (true, true) => true,
            (true, false) => self.new.mode == 0,
            (false, true) => self.old.mode == 0,
            (false, false) => false,
        }
    }

    /// Whether it is of a folder, which has no lines.
    pub(crate) const fn is_of_tree(&self) -> bool {
        self.old.kind() == TREE || self.new.kind() == TREE
    }

    pub(crate) const fn is_pair(&self) -> bool {
        matches!(self.status, b'R' | b'C')
    }
}
