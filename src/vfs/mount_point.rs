//! [`MountPoint`]: a tree, or a file system of the host, at a directory of another tree.

use super::foreign::Foreign;
use super::location::Location;
use super::tree::Tree;
use std::sync::Arc;

/// A tree and the directory it hides.
#[derive(Clone, Debug)]
pub(super) struct MountPoint {
    pub(super) at: Location,
    pub(super) read_only: bool,
    pub(super) identity: Arc<()>,
    pub(super) target: Target,
}

/// What is mounted.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Tree(Tree),
    #[cfg_attr(not(feature = "vfs"), allow(dead_code, reason = "see `foreign_none.rs`"))]
    Foreign(Arc<Foreign>),
}

impl MountPoint {
    /// Whether both are the same mount, at different moments perhaps.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.at == other.at && Arc::ptr_eq(&self.identity, &other.identity)
    }

    pub(super) const fn tree(&self) -> Option<&Tree> {
        match &self.target {
            Target::Tree(tree) => Some(tree),
            Target::Foreign(_) => None,
        }
    }

    pub(super) const fn tree_mut(&mut self) -> Option<&mut Tree> {
        match &mut self.target {
            Target::Tree(tree) => Some(tree),
            Target::Foreign(_) => None,
        }
    }

    pub(super) const fn foreign(&self) -> Option<&Arc<Foreign>> {
        match &self.target {
            Target::Tree(_) => None,
            Target::Foreign(foreign) => Some(foreign),
        }
    }
}
