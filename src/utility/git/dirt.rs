//! How a submodule is not as the index of the repository around it says.

use crate::memory::{JoinMetered, Vec};

/// What is not as the index says of a submodule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dirt {
    /// Another commit is checked out.
    pub(crate) has_commits: bool,
    /// Files are not as in its commit.
    pub(crate) is_modified: bool,
    /// It has files that it does not know.
    pub(crate) has_untracked: bool,
}

impl Dirt {
    pub(crate) fn is_any(self) -> bool {
        self != Self::default()
    }

    /// What `status` tells of it.
    pub(crate) fn remark(self) -> Vec<u8> {
        let told = [
            (self.has_commits, &b"new commits"[..]),
            (self.is_modified, b"modified content"),
            (self.has_untracked, b"untracked content"),
        ];
        let told: Vec<&[u8]> = told.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| text).collect();
        if told.is_empty() {
            return Vec::new();
        }
        [b" (", &told.join_metered(&b", "[..])[..], b")"].concat_metered()
    }
}
