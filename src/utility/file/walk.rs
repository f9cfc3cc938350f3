//! Walks a tree of directories with a stack of its own: an entry at a time, and each directory again when everything in
//! it was seen.

use super::join;
use crate::memory::{ToMetered, Vec};
use crate::utility::{Context, UtilityError};
use crate::vfs::{DirEntry, FsError};

/// What comes next in a walk.
#[derive(Debug)]
pub(crate) enum WalkStep {
    /// An entry of the directory that was entered last.
    Entry {
        /// The directory's path, as it was given to [`Walk::enter`], and the entry's name.
        path: Vec<u8>,
    },
    /// Everything in this directory was seen.
    Leave {
        /// Its path.
        path: Vec<u8>,
    },
}

/// A walk that is under way. Memory: the entries of the directories on the way down.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    levels: Vec<Level>,
}

#[derive(Debug)]
struct Level {
    path: Vec<u8>,
    entries: crate::memory::IntoIter<DirEntry>,
}

impl Walk {
    /// Reads the directory `path`; its entries come next.
    pub(crate) fn enter(&mut self, ctx: &Context, path: &[u8]) -> Result<(), FsError> {
        let entries = read_directory(ctx, path)?;
        self.enter_entries(path, entries);
        Ok(())
    }

    /// Enters a directory whose entries the caller has read (and sorted).
    pub(crate) fn enter_entries(&mut self, path: &[u8], entries: Vec<DirEntry>) {
        self.levels.push(Level { path: path.to_metered(), entries: entries.into_iter() });
    }

    /// How many directories were entered and not left.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// The next step; `None` when the first directory was left.
    pub(crate) async fn next(&mut self, ctx: &mut Context) -> Result<Option<WalkStep>, UtilityError> {
        ctx.tick().await?;
        let Some(level) = self.levels.last_mut() else { return Ok(None) };
        if let Some(entry) = level.entries.next() {
            return Ok(Some(WalkStep::Entry { path: join(&level.path, &entry.name) }));
        }
        let Some(level) = self.levels.pop() else { return Ok(None) };
        Ok(Some(WalkStep::Leave { path: level.path }))
    }
}

/// Whether a directory is one of those `above` it, which is so where links are followed.
pub(crate) fn comes_back(ctx: &Context, above: impl ExactSizeIterator<Item = u64>, inode: u64) -> bool {
    ctx.tick_many(u32::try_from(above.len()).unwrap_or(u32::MAX));
    above.into_iter().any(|other| other == inode)
}

/// The entries of a directory.
pub(crate) fn read_directory(ctx: &Context, path: &[u8]) -> Result<Vec<DirEntry>, FsError> {
    let descriptors = ctx.descriptors.iter().map(|(number, _)| number);
    ctx.fs().read_dir_for(&ctx.path(path)?, descriptors)
}
