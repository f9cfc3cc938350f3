//! Which files were renamed or copied: first those with the same content, then those of the same name, then all pairs by how
//! many bytes they have in common, in pieces of lines.

use super::change::{Change, Side};
use crate::memory::{HashMap, Vec, vec};
use crate::text::Text;
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::last_component;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::object::id::ObjectId;

/// What two files with the same content score.
pub(crate) const FULL: u32 = 60_000;

/// How renames are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RenameOptions {
    /// From files that are still there too.
    pub(crate) copies: bool,
    /// From files that did not change too.
    pub(crate) harder: bool,
    pub(crate) least: u32,
    /// Files on each side that are compared with each other, at most.
    pub(crate) limit: usize,
}

impl Default for RenameOptions {
    fn default() -> Self {
        Self { copies: false, harder: false, least: FULL / 2, limit: 1000 }
    }
}

/// Pieces of a file by their hash, with the bytes of each.
type Pieces = HashMap<u32, u64>;

/// A file that may be where another came from.
struct Source {
    change: usize,
    /// It is not there any more.
    is_deleted: bool,
    /// How many targets are made of it; a file that is still there is its own first.
    uses: usize,
    pieces: Option<(u64, Pieces)>,
}

/// A pair that may be one.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    target: usize,
    source: usize,
    score: u32,
    same_name: bool,
}

struct RenameSearch<'c> {
    changes: &'c [Change],
    options: RenameOptions,
    sources: Vec<Source>,
    /// Changes that are new files.
    targets: Vec<usize>,
    /// The source and score of a target.
    found: Vec<Option<(usize, u32)>>,
}

/// Puts renames and copies in the place of the files that they are made of.
pub(crate) async fn detect(
    git: &mut Git,
    changes: Vec<Change>,
    options: RenameOptions,
) -> Result<Vec<Change>> {
    let mut search = RenameSearch {
        changes: &changes,
        options,
        sources: Vec::new(),
        targets: Vec::new(),
        found: Vec::new(),
    };
    for (index, change) in changes.iter().enumerate() {
        match change.status {
            b'A' => search.targets.push(index),
            // What a conflict left in the work tree may have come from somewhere too.
            b'U' if change.old.mode == 0 && change.new.mode == 0 => {}
            b'U' if change.old.mode == 0 => search.targets.push(index),
            b'U' if !options.copies => {}
            b'D' => search.sources.push(Source { change: index, is_deleted: true, uses: 0, pieces: None }),
            b'M' | b'T' | b'U' if options.copies => {
                search.sources.push(Source { change: index, is_deleted: false, uses: 1, pieces: None });
            }
            _ => {}
        }
    }
    if search.targets.is_empty() || search.sources.is_empty() {
        return Ok(changes);
    }
    search.found = vec![None; search.targets.len()];
    let ids = search.exact(git).await?;
    if options.least < FULL {
        if !options.copies {
            search.by_name(git).await?;
        }
        search.by_content(git).await?;
    }
    let RenameSearch { sources, targets, found, .. } = search;
    let mut left: Vec<usize> = sources.iter().map(|source| source.uses).collect();
    let mut pairs: HashMap<usize, (usize, u32)> = HashMap::new();
    for (target, found) in targets.iter().zip(found.iter()) {
        if let Some(found) = found {
            pairs.insert(*target, *found);
        }
    }
    let used: HashMap<usize, ()> = sources
        .iter()
        .filter(|source| source.uses > 0 && source.is_deleted)
        .map(|source| (source.change, ()))
        .collect();
    let mut result = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        // The search has found out the names of what lies in the work tree.
        let new = Side { id: ids.get(&index).copied().unwrap_or(change.new.id), ..change.new };
        if let Some((source, score)) = pairs.get(&index)
            && let (Some(origin), Some(left)) = (sources.get(*source), left.get_mut(*source))
            && let Some(from) = changes.get(origin.change)
        {
            let status = if change.status == b'U' {
                b'U'
            } else {
                *left -= 1;
                if origin.is_deleted && *left == 0 { b'R' } else { b'C' }
            };
            let old_path = from.old_path.clone();
            let path = change.path.clone();
            result.push(Change {
                status,
                score: *score,
                old: from.old,
                new,
                old_path,
                path,
                ..Change::default()
            });
        } else if !used.contains_key(&index) {
            result.push(Change { new, ..change.clone() });
        }
    }
    Ok(result)
}

impl RenameSearch<'_> {
    fn target(&self, index: usize) -> Option<&Change> {
        self.changes.get(*self.targets.get(index)?)
    }

    fn source(&self, index: usize) -> Option<&Change> {
        self.changes.get(self.sources.get(index)?.change)
    }

    fn pair(&mut self, target: usize, source: usize, score: u32) {
        if let (Some(found), Some(source_)) = (self.found.get_mut(target), self.sources.get_mut(source)) {
            *found = Some((source, score));
            source_.uses += 1;
        }
    }

    fn is_free(&self, target: usize) -> bool {
        self.found.get(target).is_some_and(Option::is_none)
    }

    fn is_used(&self, source: usize) -> bool {
        self.sources.get(source).is_some_and(|source| source.uses > 0)
    }

    async fn new_id(&self, git: &mut Git, target: usize) -> Result<ObjectId> {
        let Some(change) = self.target(target) else { return Ok(ObjectId::ZERO) };
        if !change.new.is_in_work_tree {
            return Ok(change.new.id);
        }
        git.work_id(&change.path, change.new.mode).await
    }

    /// Files with the same content; the names of the targets, by their changes.
    async fn exact(&mut self, git: &mut Git) -> Result<HashMap<usize, ObjectId>> {
        let mut ids: HashMap<usize, ObjectId> = HashMap::new();
        let mut by_id: HashMap<ObjectId, Vec<usize>> = HashMap::new();
        for (index, source) in self.sources.iter().enumerate() {
            git.ctx.tick().await?;
            if let Some(change) = self.changes.get(source.change)
                && let Some(list) = by_id.get_or_default(change.old.id)
            {
                list.push(index);
            }
        }
        for target in 0..self.targets.len() {
            git.ctx.tick().await?;
            let id = self.new_id(git, target).await?;
            if let Some(index) = self.targets.get(target) {
                ids.insert(*index, id);
            }
            let Some(change) = self.target(target) else { continue };
            let (path, new) = (change.path.clone(), change.new);
            let mut best: Option<(usize, u32)> = None;
            for source in by_id.get(&id).map_or(&[][..], Vec::as_slice) {
                let Some(from) = self.source(*source) else { continue };
                if !(from.old.is_regular() && new.is_regular()) && from.old.mode != new.mode {
                    continue;
                }
                if self.is_used(*source) && !self.options.copies {
                    continue;
                }
                let same_name = last_component(&from.old_path) == last_component(&path);
                let score = u32::from(!self.is_used(*source)) + u32::from(same_name);
                if best.is_none_or(|(_, known)| score > known) {
                    best = Some((*source, score));
                }
                if score == 2 {
                    break;
                }
            }
            if let Some((source, _)) = best {
                self.pair(target, source, FULL);
            }
        }
        Ok(ids)
    }

    /// Files whose name occurs once on each side.
    async fn by_name(&mut self, git: &mut Git) -> Result<()> {
        let least = self.options.least + (FULL - self.options.least) / 2;
        let mut sources: HashMap<Text, Option<usize>> = HashMap::new();
        let mut targets: HashMap<Text, Option<usize>> = HashMap::new();
        for source in (0..self.sources.len()).filter(|source| !self.is_used(*source)) {
            let Some(name) = self.source(source).map(|change| Text::from(last_component(&change.old_path)))
            else {
                continue;
            };
            let value = if sources.contains_key(&name) { None } else { Some(source) };
            sources.insert(name, value);
        }
        for target in (0..self.targets.len()).filter(|target| self.is_free(*target)) {
            let Some(name) = self.target(target).map(|change| Text::from(last_component(&change.path)))
            else {
                continue;
            };
            let value = if targets.contains_key(&name) { None } else { Some(target) };
            targets.insert(name, value);
        }
        for source in 0..self.sources.len() {
            git.ctx.tick().await?;
            if self.is_used(source) {
                continue;
            }
            let Some(name) = self.source(source).map(|change| Text::from(last_component(&change.old_path)))
            else {
                continue;
            };
            let (Some(Some(_)), Some(Some(target))) = (sources.get(&name), targets.get(&name)) else {
                continue;
            };
            let score = self.similarity(git, source, *target, least).await?;
            if score >= least {
                self.pair(*target, source, score);
            }
        }
        Ok(())
    }

    async fn by_content(&mut self, git: &mut Git) -> Result<()> {
        let free: Vec<usize> = (0..self.targets.len()).filter(|target| self.is_free(*target)).collect();
        let copies = self.options.copies;
        let sources: Vec<usize> =
            (0..self.sources.len()).filter(|source| copies || !self.is_used(*source)).collect();
        if free.len().saturating_mul(sources.len()) > self.options.limit.saturating_mul(self.options.limit) {
            return Ok(());
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for target in free {
            let mut best: Vec<Candidate> = Vec::new();
            for source in &sources {
                git.ctx.tick().await?;
                let score = self.similarity(git, *source, target, self.options.least).await?;
                let same_name = match (self.source(*source), self.target(target)) {
                    (Some(from), Some(to)) => last_component(&from.old_path) == last_component(&to.path),
                    _ => false,
                };
                let candidate = Candidate { target, source: *source, score, same_name };
                // Four for each file are enough.
                if best.len() < 4 {
                    best.push(candidate);
                    continue;
                }
                let mut worst = 0;
                for at in 1..4 {
                    if let (Some(one), Some(other)) = (best.get(at), best.get(worst))
                        && (one.score, one.same_name) < (other.score, other.same_name)
                    {
                        worst = at;
                    }
                }
                if let Some(slot) = best.get_mut(worst)
                    && (slot.score, slot.same_name) < (candidate.score, candidate.same_name)
                {
                    *slot = candidate;
                }
            }
            candidates.append(&mut best);
        }
        candidates.sort_by(|one, other| (other.score, other.same_name).cmp(&(one.score, one.same_name)));
        for with_copies in [false, true] {
            if with_copies && !copies {
                break;
            }
            for candidate in &candidates {
                if candidate.score < self.options.least {
                    break;
                }
                if self.is_free(candidate.target) && (with_copies || !self.is_used(candidate.source)) {
                    self.pair(candidate.target, candidate.source, candidate.score);
                }
            }
        }
        Ok(())
    }

    /// How alike two files are; less than `least` may be told as 0.
    async fn similarity(&mut self, git: &mut Git, source: usize, target: usize, least: u32) -> Result<u32> {
        let (Some(from), Some(to)) = (self.source(source), self.target(target)) else { return Ok(0) };
        let (old, new, path) = (from.old, from_to(to), to.path.clone());
        let old_path = from.old_path.clone();
        if !old.is_regular() || !new.is_regular() {
            return Ok(0);
        }
        let size = git.side_size(new, &path).await?;
        let old_size = match self.sources.get(source).and_then(|source| source.pieces.as_ref()) {
            Some((size, _)) => *size,
            None => git.side_size(old, &old_path).await?,
        };
        let (largest, delta) = (size.max(old_size), size.abs_diff(old_size));
        if largest * u64::from(FULL - least) < delta * u64::from(FULL) || size == 0 {
            return Ok(0);
        }
        if self.sources.get(source).is_some_and(|source| source.pieces.is_none()) {
            let text = git.side_content(old, &old_path).await?;
            let pieces = pieces(git, &text).await?;
            if let Some(source) = self.sources.get_mut(source) {
                source.pieces = Some((old_size, pieces));
            }
        }
        let text = git.side_content(new, &path).await?;
        let news = pieces(git, &text).await?;
        let Some((_, olds)) = self.sources.get(source).and_then(|source| source.pieces.as_ref()) else {
            return Ok(0);
        };
        let mut copied = 0;
        for (hash, bytes) in olds {
            copied += news.get(hash).map_or(0, |other| *bytes.min(other));
        }
        git.ctx.tick_many(olds.len() as u32);
        Ok((copied * u64::from(FULL) / largest) as u32)
    }
}

const fn from_to(change: &Change) -> super::change::Side {
    change.new
}

/// A file in pieces of a line, or of 64 bytes.
async fn pieces(git: &mut Git, text: &[u8]) -> Result<Pieces> {
    let is_text = !super::lines::is_binary(text);
    let mut pieces = Pieces::new();
    let (mut one, mut other, mut count) = (0_u32, 0_u32, 0_u64);
    let mut add = |one: u32, other: u32, count: u64| {
        let hash = one.wrapping_add(other.wrapping_mul(0x61)) % 107_927;
        if let Some(bytes) = pieces.get_or_default(hash) {
            *bytes += count;
        }
    };
    for (at, &byte) in text.iter().enumerate() {
        if is_text && byte == b'\r' && text.get(at + 1) == Some(&b'\n') {
            continue;
        }
        let before = one;
        one = (one << 7) ^ (other >> 25);
        other = (other << 7) ^ (before >> 25);
        one = one.wrapping_add(u32::from(byte));
        count += 1;
        if count < 64 && byte != b'\n' {
            continue;
        }
        add(one, other, count);
        (one, other, count) = (0, 0, 0);
    }
    if count > 0 {
        add(one, other, count);
    }
    tick_bytes(&git.ctx.meter, text.len()).await?;
    Ok(pieces)
}
