//! Several trees under one root.

use super::tree::{Location, Tree};
use std::sync::Arc;

/// A tree and the directory it hides.
#[derive(Clone, Debug)]
pub(super) struct MountPoint {
    pub(super) at: Location,
    pub(super) read_only: bool,
    identity: Arc<()>,
    pub(super) target: Target,
}

#[derive(Clone, Debug)]
pub(super) enum Target {
    Tree(Tree),
}

impl MountPoint {
    /// Whether both are the same mount, at different moments perhaps.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.at == other.at && Arc::ptr_eq(&self.identity, &other.identity)
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) const fn tree(&self) -> Option<&Tree> {
        match &self.target {
            Target::Tree(tree) => Some(tree),
        }
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(super) const fn tree_mut(&mut self) -> Option<&mut Tree> {
        match &mut self.target {
            Target::Tree(tree) => Some(tree),
        }
    }
}
