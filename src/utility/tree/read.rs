//! Reads what is listed into a table of entries: in the order in which they are printed, depth first, without recursion.
//! A child's number is greater than its directory's, so that sums and prunings go through the table backwards.

use super::options::{Opt, Order, Settings};
use crate::memory::{HashMap, HashSet, String, Vec, format};
use crate::utility::file::join;
use crate::utility::ignore::{List, wildmatch};
use crate::utility::ls::entry::compare_versions;
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use std::cmp::Ordering;

/// A file that is listed.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: Text,
    /// As it is reached from the working directory.
    pub(super) path: Text,
    /// `None`: it is known by its path alone.
    pub(super) metadata: Option<Metadata>,
    pub(super) kind: FileKind,
    /// Where a link leads, and what is there.
    pub(super) target: Option<Text>,
    pub(super) target_metadata: Option<Metadata>,
    /// A directory, or a link to one.
    pub(super) is_directory: bool,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Whether it was opened.
    pub(super) is_open: bool,
    pub(super) error: Option<String>,
    pub(super) size: u64,
    depth: usize,
    /// Its list of patterns to be left out.
    list: Option<usize>,
    /// `-P` does not count for what lies in it.
    takes_all: bool,
}

/// All that is listed.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    pub(super) roots: Vec<usize>,
    lists: Vec<List>,
    general: Vec<List>,
    pub(super) has_failed: bool,
}

impl Entry {
    pub(super) fn new(name: Text, path: Text, kind: FileKind) -> Self {
        Self {
            name,
            path,
            metadata: None,
            kind,
            target: None,
            target_metadata: None,
            is_directory: kind == FileKind::Directory,
            parent: None,
            children: Vec::new(),
            is_open: false,
            error: None,
            size: 0,
            depth: 0,
            list: None,
            takes_all: false,
        }
    }

    /// A file and where it leads.
    fn look(ctx: &Context, name: Text, path: Text) -> Result<Self, FsError> {
        let metadata = ctx.lstat(&path)?;
        let mut entry = Self::new(name, path, metadata.kind);
        entry.size = metadata.size;
        if metadata.is_symlink() {
            entry.target = ctx.fs().read_link(&ctx.absolute(&entry.path)).ok();
            entry.target_metadata = ctx.stat(&entry.path).ok();
            entry.is_directory = entry.target_metadata.as_ref().is_some_and(Metadata::is_directory);
        }
        entry.metadata = Some(metadata);
        Ok(entry)
    }
}

impl Listing {
    pub(super) fn get(&self, id: usize) -> Option<&Entry> {
        self.entries.get(id)
    }

    pub(super) fn add(&mut self, mut entry: Entry, parent: Option<usize>) -> usize {
        entry.parent = parent;
        entry.depth = parent.and_then(|parent| self.get(parent)).map_or(0, |parent| parent.depth + 1);
        let id = self.entries.add(entry);
        match parent.and_then(|parent| self.entries.get_mut(parent)) {
            Some(parent) => parent.children.push(id),
            None => self.roots.push(id),
        }
        id
    }

    /// Reads the operands.
    pub(super) async fn read(ctx: &mut Context, settings: &Settings) -> Result<Self, UtilityError> {
        let mut listing = Self::default();
        for file in settings.git_files.clone() {
            let base = super::with_slash(&ctx.cwd);
            if let Some(list) = read_list(ctx, &file, &base).await? {
                listing.general.push(list);
            }
        }
        let mut seen = HashSet::default();
        for operand in settings.roots() {
            ctx.tick().await?;
            let entry = Entry::look(ctx, operand.clone(), operand.clone());
            let is_there = entry.is_ok();
            let entry = entry.unwrap_or_else(|_| Entry::new(operand.clone(), operand, FileKind::Regular));
            let is_directory = entry.is_directory;
            let mut entry = entry;
            // Where an operand leads is not told.
            entry.target = None;
            let root = listing.add(entry, None);
            if !is_directory {
                listing.has_failed |= !is_there;
                listing.fail(root, "error opening dir".into());
                continue;
            }
            listing.read_root(ctx, settings, root, &mut seen).await?;
        }
        Ok(listing)
    }

    fn fail(&mut self, id: usize, message: String) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.error = Some(message);
        }
    }

    /// Reads a directory and all below it.
    async fn read_root(
        &mut self,
        ctx: &mut Context,
        settings: &Settings,
        root: usize,
        seen: &mut HashSet<u64>,
    ) -> Result<(), UtilityError> {
        let path = self.get(root).map(|entry| entry.path.clone()).unwrap_or_default();
        if settings.has(Opt::Gitignore) || !settings.git_files.is_empty() {
            let folder = ctx.env.get(b"GIT_DIR").filter(|folder| !folder.is_empty()).cloned();
            let base = super::with_slash(&super::normal(ctx, &path));
            if let Some(folder) = folder
                && let Some(list) = read_list(ctx, &join(&folder, b"info/exclude"), &base).await?
            {
                self.general.push(list);
            }
        }
        let file_system = ctx.stat(&path).map(|metadata| metadata.file_system()).unwrap_or_default();
        let mut waiting = crate::memory::vec![root];
        while let Some(id) = waiting.pop() {
            ctx.tick().await?;
            let Some(entry) = self.get(id) else { continue };
            let is_link = entry.kind == FileKind::Symlink;
            let metadata = if is_link { entry.target_metadata.as_ref() } else { entry.metadata.as_ref() };
            let (inode, lies_in) =
                metadata.map(|metadata| (metadata.inode, metadata.file_system())).unwrap_or_default();
            if settings.has(Opt::OneFileSystem) && lies_in != file_system {
                continue;
            }
            if is_link && id != root && seen.contains(&inode) {
                self.fail(id, "recursive, not followed".into());
                continue;
            }
            if settings.has(Opt::FollowLinks) {
                seen.insert(inode);
            }
            self.open(ctx, settings, id).await?;
            let Some(entry) = self.get(id) else { continue };
            if entry.depth + 1 >= settings.level {
                continue;
            }
            for &child in entry.children.iter().rev() {
                let is_entered = self.get(child).is_some_and(|child| {
                    child.kind == FileKind::Directory
                        || (child.is_directory && settings.has(Opt::FollowLinks))
                });
                if is_entered {
                    waiting.push(child);
                }
            }
        }
        Ok(())
    }

    /// Reads the entries of a directory.
    async fn open(&mut self, ctx: &mut Context, settings: &Settings, id: usize) -> Result<(), UtilityError> {
        let Some(directory) = self.get(id) else { return Ok(()) };
        let path = directory.path.clone();
        let is_root = directory.parent.is_none();
        let takes_all = directory.takes_all;
        let absolute = ctx.absolute(&path);
        if settings.has(Opt::Gitignore) || !settings.git_files.is_empty() {
            let list = read_list(
                ctx,
                &join(&absolute, b".gitignore"),
                &super::with_slash(&super::normal(ctx, &path)),
            )
            .await?;
            let number = list.map(|list| self.lists.add(list));
            if let Some(entry) = self.entries.get_mut(id) {
                entry.list = number;
            }
        }
        let names = match ctx.fs().read_dir(&absolute) {
            Ok(names) => names,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                self.has_failed = true;
                self.fail(id, "error opening dir".into());
                return Ok(());
            }
        };
        let mut found = Vec::new();
        for name in names {
            ctx.tick().await?;
            if !settings.has(Opt::All) && name.name.starts_with(b".") {
                continue;
            }
            let Ok(mut entry) = Entry::look(ctx, name.name.clone(), Text::from(join(&path, &name.name)))
            else {
                continue;
            };
            if self.shows(ctx, settings, id, &mut entry, takes_all) {
                found.push(entry);
            }
        }
        if let Some(entry) = self.entries.get_mut(id) {
            entry.is_open = !found.is_empty();
        }
        if found.len() > settings.file_limit {
            self.has_failed |= !is_root;
            self.fail(id, format!("{} entries exceeds filelimit, not opening dir", found.len()));
            return Ok(());
        }
        sort(settings, &mut found);
        for entry in found {
            self.add(entry, Some(id));
        }
        Ok(())
    }

    /// Whether an entry is listed.
    fn shows(
        &self,
        ctx: &Context,
        settings: &Settings,
        directory: usize,
        entry: &mut Entry,
        takes_all: bool,
    ) -> bool {
        if settings.has(Opt::DirectoriesOnly) && !entry.is_directory {
            return false;
        }
        entry.takes_all = takes_all;
        is_named(settings, entry) && !self.is_ignored(ctx, directory, entry)
    }

    /// Whether a list of patterns leaves an entry out; the one of the deepest directory decides.
    fn is_ignored(&self, ctx: &Context, directory: usize, entry: &Entry) -> bool {
        if self.lists.is_empty() && self.general.is_empty() {
            return false;
        }
        let path = super::normal(ctx, &entry.path);
        let mut at = Some(directory);
        while let Some(above) = at.and_then(|id| self.get(id)) {
            if let Some(list) = above.list.and_then(|number| self.lists.get(number))
                && let Some(pattern) = list.find(&path, entry.is_directory, false)
            {
                return !pattern.is_negated;
            }
            at = above.parent;
        }
        let found = self.general.iter().rev().find_map(|list| list.find(&path, entry.is_directory, false));
        found.is_some_and(|pattern| !pattern.is_negated)
    }

    /// Leaves out directories below which there is no file, and makes the sizes of directories sums.
    pub(super) async fn finish(
        &mut self,
        ctx: &mut Context,
        settings: &Settings,
    ) -> Result<(), UtilityError> {
        if settings.has(Opt::Prune) && !settings.has(Opt::DirectoriesOnly) {
            let mut is_kept: HashMap<usize, ()> = HashMap::new();
            for id in (0..self.entries.len()).rev() {
                ctx.tick().await?;
                let Some(entry) = self.entries.get_mut(id) else { continue };
                entry.children.retain(|child| is_kept.contains_key(child));
                let is_file = entry.kind != FileKind::Directory
                    && !(entry.is_directory && settings.has(Opt::FollowLinks));
                if is_file || !entry.children.is_empty() || entry.takes_all || entry.error.is_some() {
                    is_kept.insert(id, ());
                } else {
                    entry.is_open = false;
                }
            }
        }
        if settings.has(Opt::DiskUsage) {
            for id in (0..self.entries.len()).rev() {
                ctx.tick().await?;
                let Some((size, parent)) = self.get(id).map(|entry| (entry.size, entry.parent)) else {
                    continue;
                };
                if let Some(parent) = parent.and_then(|parent| self.entries.get_mut(parent)) {
                    parent.size = parent.size.saturating_add(size);
                }
            }
        }
        Ok(())
    }
}

/// Whether the patterns of the options let an entry be listed, in whose `takes_all` it stands whether its directory's do not
/// count; after that, whether they count in it.
pub(super) fn is_named(settings: &Settings, entry: &mut Entry) -> bool {
    let ignores_case = settings.has(Opt::IgnoreCase);
    let matches = |patterns: &[Vec<u8>], entry: &Entry| {
        patterns.iter().any(|pattern| match pattern.strip_suffix(b"/") {
            Some(pattern) => {
                entry.is_directory && wildmatch::matches(pattern, &entry.name, false, ignores_case)
            }
            None => wildmatch::matches(pattern, &entry.name, false, ignores_case),
        })
    };
    if matches(&settings.excluded, entry) {
        return false;
    }
    let all_count = std::mem::take(&mut entry.takes_all);
    if settings.included.is_empty() {
        return true;
    }
    let is_entered =
        entry.kind == FileKind::Directory || (entry.is_directory && settings.has(Opt::FollowLinks));
    let is_included = matches(&settings.included, entry);
    entry.takes_all = is_entered && is_included && settings.has(Opt::MatchDirs);
    is_entered || all_count || is_included
}

/// Reads a file of patterns, if it is there.
async fn read_list(ctx: &mut Context, path: &[u8], base: &[u8]) -> Result<Option<List>, UtilityError> {
    let mut input = match ctx.open(path) {
        Ok(input) => input,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(_)) => return Ok(None),
    };
    match input.read_to_end().await {
        Ok(text) => Ok(Some(List::parse(&text, base, path))),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => Ok(None),
    }
}

/// Puts entries into the order that is asked for; they come in the order of their names.
pub(super) fn sort(settings: &Settings, entries: &mut Vec<Entry>) {
    if settings.order == Order::None {
        return;
    }
    let time = |entry: &Entry| {
        let metadata = entry.metadata.as_ref();
        metadata.map(|known| if settings.order == Order::Changed { known.changed } else { known.modified })
    };
    let base = |one: &Entry, two: &Entry| {
        let by = match settings.order {
            Order::Version => compare_versions(&one.name, &two.name),
            Order::Size => two.size.cmp(&one.size),
            Order::Modified | Order::Changed => time(one).cmp(&time(two)),
            Order::Name | Order::None => Ordering::Equal,
        };
        let by = by.then_with(|| one.name.cmp(&two.name));
        if settings.has(Opt::Reverse) { by.reverse() } else { by }
    };
    let first = settings.has(Opt::DirsFirst);
    let last = settings.has(Opt::FilesFirst);
    entries.sort_by(|one, two| {
        let by_kind = match (one.is_directory, two.is_directory) {
            (true, false) if first => Ordering::Less,
            (false, true) if first => Ordering::Greater,
            (true, false) if last => Ordering::Greater,
            (false, true) if last => Ordering::Less,
            _ => Ordering::Equal,
        };
        by_kind.then_with(|| base(one, two))
    });
}
