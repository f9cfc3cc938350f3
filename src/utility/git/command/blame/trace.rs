//! Lines are followed through the history, youngest commits first: a line that a parent has too is the parent's, what is left
//! is the commit's own. A file that a parent does not have is looked for under another name there.

use super::Range;
use crate::memory::{BTreeMap, HashMap, Vec, vec};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::diff::files::tree_and_index;
use crate::utility::git::diff::lines::{Blanks, File, runs};
use crate::utility::git::diff::rename::{RenameOptions, detect};
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::error::Result;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::walk::Walk;
use std::cmp::Reverse;

/// A file in a commit.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// None: not committed yet.
    pub(super) commit: Option<ObjectId>,
    pub(super) path: Text,
    mode: u32,
    blob: ObjectId,
    /// The file in the first parent that has it.
    pub(super) previous: Option<usize>,
    /// Lines that are still looked for: their place here, and in the file that is shown.
    wanted: Vec<(usize, usize)>,
}

impl Origin {
    pub(super) fn new(commit: Option<ObjectId>, path: Text, mode: u32, blob: ObjectId) -> Self {
        Self { commit, path, mode, blob, previous: None, wanted: Vec::new() }
    }
}

/// A search and what it found.
#[derive(Default)]
pub(super) struct Trace {
    pub(super) blanks: Blanks,
    pub(super) is_minimal: bool,
    pub(super) first_parent: bool,
    pub(super) shows_root: bool,
    pub(super) since: Option<i64>,
    /// What is not committed would have these parents.
    pub(super) parents: Vec<ObjectId>,
    pub(super) origins: Vec<Origin>,
    pub(super) known: HashMap<(Option<ObjectId>, Text), usize>,
    /// The youngest first.
    pub(super) queue: BTreeMap<(Reverse<i64>, usize), ()>,
    /// For each line of the file that is shown its origin and its number there, from 0.
    pub(super) lines: Vec<Option<(usize, usize)>>,
    /// Commits whose parents are not looked at.
    pub(super) boundary: HashMap<ObjectId, ()>,
    pub(super) contents: HashMap<ObjectId, File>,
}

/// Files that are kept, at most.
const MOST_CONTENTS: usize = 64;

impl Trace {
    pub(super) fn start(&mut self, origin: Origin, file: &File) {
        self.lines = vec![None; file.count()];
        let mut origin = origin;
        origin.wanted = (0..file.count()).map(|line| (line, line)).collect();
        self.contents.insert(origin.blob, file.clone());
        self.known.insert((origin.commit, origin.path.clone()), 0);
        self.origins.push(origin);
        self.queue.insert((Reverse(i64::MAX), 0), ());
    }

    /// Leaves the lines alone that are in no range.
    pub(super) fn keep(&mut self, ranges: &[Range]) {
        if let Some(first) = self.origins.first_mut() {
            first.wanted.retain(|(line, _)| ranges.iter().any(|(from, to)| (*from..*to).contains(line)));
        }
    }

    /// Marks what excluded commits reach.
    pub(super) async fn exclude(&mut self, git: &mut Git, excluded: &[ObjectId]) -> Result<()> {
        let mut walk = Walk::default();
        for id in excluded {
            walk.include(*id);
        }
        walk.prepare(git).await?;
        while let Some(item) = walk.next(git).await? {
            self.boundary.insert(item.id, ());
        }
        Ok(())
    }

    pub(super) async fn run(&mut self, git: &mut Git) -> Result<()> {
        while let Some(((_, at), ())) = self.queue.pop_first() {
            git.ctx.tick().await?;
            let Some(origin) = self.origins.get_mut(at) else { continue };
            let mut wanted = std::mem::take(&mut origin.wanted);
            let origin = origin.clone();
            if wanted.is_empty() {
                continue;
            }
            let is_closed = match origin.commit {
                Some(id) => {
                    let commit = git.commit(&id).await?;
                    let is_old = self.since.is_some_and(|since| commit.date < since);
                    if is_old || (commit.parents.is_empty() && !self.shows_root) {
                        self.boundary.insert(id, ());
                    }
                    self.boundary.contains_key(&id)
                }
                None => false,
            };
            if !is_closed {
                wanted = self.pass(git, at, &origin, wanted).await?;
            }
            for (line, shown) in wanted {
                if let Some(slot) = self.lines.get_mut(shown) {
                    *slot = Some((at, line));
                }
            }
        }
        Ok(())
    }

    /// Passes lines on to the parents; what stays.
    async fn pass(
        &mut self,
        git: &mut Git,
        at: usize,
        origin: &Origin,
        wanted: Vec<(usize, usize)>,
    ) -> Result<Vec<(usize, usize)>> {
        let mut parents = match origin.commit {
            Some(id) => git.commit(&id).await?.parents.clone(),
            None => self.parents.clone(),
        };
        if self.first_parent {
            parents.truncate(1);
        }
        let mut found: Vec<Option<Origin>> = vec![None; parents.len()];
        for with_renames in [false, true] {
            for (index, parent) in parents.iter().enumerate() {
                if found.get(index).is_some_and(Option::is_some) {
                    continue;
                }
                let before = if with_renames {
                    self.renamed(git, origin, *parent).await?
                } else {
                    self.same_path(git, origin, *parent).await?
                };
                let Some(before) = before else { continue };
                if before.blob == origin.blob {
                    self.hand(git, before, wanted).await?;
                    return Ok(Vec::new());
                }
                let is_double = found.iter().take(index).flatten().any(|known| known.blob == before.blob);
                if let Some(slot) = found.get_mut(index)
                    && !is_double
                {
                    *slot = Some(before);
                }
            }
        }
        let mut wanted = wanted;
        for before in found.into_iter().flatten() {
            let number = self.number_of(before.clone());
            if let Some(origin) = self.origins.get_mut(at)
                && origin.previous.is_none()
            {
                origin.previous = Some(number);
            }
            if wanted.is_empty() {
                break;
            }
            let (old, new) = (self.content(git, before.blob).await?, self.content(git, origin.blob).await?);
            let places = self.map(git, old, new).await?;
            let (mut passed, mut kept) = (Vec::new(), Vec::new());
            for (line, shown) in wanted {
                match places.get(line).copied().flatten() {
                    Some(place) => passed.push((place, shown)),
                    None => kept.push((line, shown)),
                }
            }
            wanted = kept;
            self.hand(git, before, passed).await?;
            if wanted.is_empty() {
                break;
            }
        }
        Ok(wanted)
    }

    /// The file of the same name in a parent.
    async fn same_path(&self, git: &mut Git, origin: &Origin, parent: ObjectId) -> Result<Option<Origin>> {
        let tree = git.commit(&parent).await?.tree;
        let found = git.find_in_tree(tree, &origin.path).await?;
        Ok(found
            .filter(|(mode, _)| mode & 0o170_000 == origin.mode & 0o170_000)
            .map(|(mode, blob)| Origin::new(Some(parent), origin.path.clone(), mode, blob)))
    }

    /// The file of another name in a parent.
    async fn renamed(&self, git: &mut Git, origin: &Origin, parent: ObjectId) -> Result<Option<Origin>> {
        let tree = git.commit(&parent).await?.tree;
        let spec = Pathspec::default();
        let mut changes = match origin.commit {
            Some(id) => {
                let own = git.commit(&id).await?.tree;
                compare(git, tree, own, &spec, TreeOptions::RECURSIVE).await?
            }
            None => {
                let index = git.read_index().await?;
                tree_and_index(git, tree, &index, &spec).await?
            }
        };
        // Other new files do not count.
        changes.retain(|change| change.status != b'A' || change.path == origin.path);
        if !changes.iter().any(|change| change.status == b'A') {
            return Ok(None);
        }
        let changes = detect(git, changes, RenameOptions::default()).await?;
        let change = changes.iter().find(|change| change.is_pair() && change.path == origin.path);
        Ok(change
            .map(|change| Origin::new(Some(parent), change.old_path.clone(), change.old.mode, change.old.id)))
    }

    fn number_of(&mut self, origin: Origin) -> usize {
        let key = (origin.commit, origin.path.clone());
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        self.known.insert(key, self.origins.len());
        self.origins.add(origin)
    }

    /// Gives lines to an origin.
    async fn hand(&mut self, git: &mut Git, origin: Origin, lines: Vec<(usize, usize)>) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let date = match &origin.commit {
            Some(id) => git.commit(id).await?.date,
            None => i64::MAX,
        };
        let number = self.number_of(origin);
        if let Some(origin) = self.origins.get_mut(number) {
            origin.wanted.extend(lines);
        }
        self.queue.insert((Reverse(date), number), ());
        Ok(())
    }

    async fn content(&mut self, git: &mut Git, blob: ObjectId) -> Result<File> {
        if let Some(file) = self.contents.get(&blob) {
            crate::utility::context::pace::tick_bytes(&git.ctx.meter, file.text.len()).await?;
            return Ok(file.clone());
        }
        let text = git.object(&blob).await?.1;
        let file = File::new(&mut git.ctx, text).await?;
        if self.contents.len() >= MOST_CONTENTS {
            self.contents = HashMap::new();
        }
        self.contents.insert(blob, file.clone());
        Ok(file)
    }

    /// For each line of the new file its place in the old one.
    async fn map(&self, git: &mut Git, old: File, new: File) -> Result<Vec<Option<usize>>> {
        let mut lines = vec![None; new.count()];
        let (mut old, mut new) = (old, new);
        let tail = File::cut_common_tail(&mut old, &mut new);
        let runs = runs(&mut git.ctx, &old, &new, self.blanks, self.is_minimal).await?;
        let (mut x, mut y) = (0, 0);
        for run in runs {
            while y < run.right {
                if let Some(slot) = lines.get_mut(y) {
                    *slot = Some(x);
                }
                (x, y) = (x + 1, y + 1);
            }
            (x, y) = (run.left + run.deleted, run.right + run.inserted);
        }
        while y < new.count() + tail {
            if let Some(slot) = lines.get_mut(y) {
                *slot = Some(x);
            }
            (x, y) = (x + 1, y + 1);
        }
        Ok(lines)
    }
}
