//! Histories: commits in the order of their dates, those that an excluded one reaches left out; topological order; the
//! common ancestors of two commits.

use super::Git;
use super::error::Result;
use super::object::commit::Commit;
use super::object::id::ObjectId;
use super::pathspec::Pathspec;
use crate::memory::{Arc, BTreeMap, HashMap, Vec};
use std::cmp::Reverse;

/// Commits that are looked at after the last that may count: dates are not always in order.
const SLOP: usize = 5;

/// In which order commits come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    #[default]
    Plain,
    Topological,
    Date,
}

/// A commit of a walk.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) id: ObjectId,
    pub(crate) commit: Arc<Commit>,
    /// Whether the left side of `A...B` reaches it.
    pub(crate) is_left: bool,
    /// Whether it is the border of what was excluded.
    pub(crate) is_boundary: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    is_seen: bool,
    is_uninteresting: bool,
    is_left: bool,
    is_added: bool,
    is_same: bool,
}

/// Youngest first; those of one date in the order in which they came.
pub(crate) type Queue = BTreeMap<(Reverse<i64>, u64), ObjectId>;

/// A walk through histories; the fields are its options.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) tips: Vec<(ObjectId, bool, bool)>,
    pub(crate) order: Order,
    pub(crate) is_reversed: bool,
    pub(crate) first_parent: bool,
    pub(crate) only_tips: bool,
    /// Tips that are not walked from come by their dates.
    pub(crate) sorts_tips: bool,
    pub(crate) since: Option<i64>,
    pub(crate) until: Option<i64>,
    pub(crate) pathspec: Pathspec,
    pub(crate) full_history: bool,
    pub(crate) shows_boundary: bool,
    /// Parents are asked for: those that are left out for their paths are skipped, merges that tie histories together stay.
    pub(crate) rewrites_parents: bool,
    pub(crate) flags: HashMap<ObjectId, Flags>,
    /// What is left of a commit's parents.
    pub(crate) parents: HashMap<ObjectId, Vec<ObjectId>>,
    pub(crate) queue: Queue,
    pub(crate) count: u64,
    /// What was found before the first is asked for, the next last.
    pub(crate) list: Option<Vec<ObjectId>>,
}

impl Walk {
    /// Adds a commit whose history is wanted.
    pub(crate) fn include(&mut self, id: ObjectId) {
        self.tips.push((id, false, false));
    }

    /// As [`Walk::include`], for the left side of `A...B`.
    pub(crate) fn include_left(&mut self, id: ObjectId) {
        self.tips.push((id, false, true));
    }

    /// Adds a commit whose history is not wanted.
    pub(crate) fn exclude(&mut self, id: ObjectId) {
        self.tips.push((id, true, false));
    }

    pub(crate) fn has_tips(&self) -> bool {
        !self.tips.is_empty()
    }

    /// The commits that were included, in the order in which they were given.
    pub(crate) fn included(&self) -> impl Iterator<Item = ObjectId> {
        self.tips.iter().filter(|tip| !tip.1).map(|tip| tip.0)
    }

    fn flags(&self, id: &ObjectId) -> Flags {
        self.flags.get(id).copied().unwrap_or_default()
    }

    fn change(&mut self, id: ObjectId, change: impl FnOnce(&mut Flags)) {
        if let Some(flags) = self.flags.get_or_default(id) {
            change(flags);
        }
    }

    fn push(&mut self, id: ObjectId, date: i64) {
        self.count += 1;
        self.queue.insert((Reverse(date), self.count), id);
    }

    /// Starts the walk.
    pub(crate) async fn prepare(&mut self, git: &mut Git) -> Result<()> {
        let tips = self.tips.clone();
        for (id, is_excluded, is_left) in tips.iter().copied() {
            let commit = git.commit(&id).await?;
            self.change(id, |flags| {
                flags.is_uninteresting |= is_excluded;
                flags.is_left |= is_left;
            });
            if is_excluded {
                self.exclude_ancestors(git, id).await?;
            }
            if !self.flags(&id).is_seen {
                self.change(id, |flags| flags.is_seen = true);
                self.push(id, commit.date);
            }
        }
        if self.only_tips {
            let mut seen: HashMap<ObjectId, ()> = HashMap::new();
            let mut list = Vec::new();
            for (id, is_excluded, _) in &tips {
                if !is_excluded && seen.insert(*id, ()).is_none() {
                    list.push(*id);
                }
            }
            if self.sorts_tips {
                let mut dated = Vec::new();
                for id in list {
                    dated.push((Reverse(git.commit(&id).await?.date), id));
                }
                dated.sort_by_key(|tip| tip.0);
                list = dated.into_iter().map(|tip| tip.1).collect();
            }
            list.as_mut_slice().reverse();
            self.list = Some(list);
            return Ok(());
        }
        let is_limited = tips.iter().any(|tip| tip.1)
            || self.order != Order::Plain
            || self.since.is_some()
            || self.is_reversed
            || self.shows_boundary;
        if is_limited {
            let mut list = self.limit(git).await?;
            if self.order != Order::Plain {
                list = self.sort(git, &list).await?;
            }
            list.as_mut_slice().reverse();
            self.list = Some(list);
        }
        Ok(())
    }

    /// All commits that count, youngest first.
    async fn limit(&mut self, git: &mut Git) -> Result<Vec<ObjectId>> {
        let mut list = Vec::new();
        let mut slop = SLOP;
        let mut last = i64::MAX;
        while let Some((_, id)) = self.queue.pop_first() {
            let commit = git.commit(&id).await?;
            if self.since.is_some_and(|since| commit.date < since) {
                self.change(id, |flags| flags.is_uninteresting = true);
            }
            self.add_parents(git, id, &commit).await?;
            if self.flags(&id).is_uninteresting {
                self.exclude_ancestors(git, id).await?;
                slop = self.still_interesting(last, slop);
                if slop == 0 {
                    break;
                }
                continue;
            }
            if self.until.is_some_and(|until| commit.date > until) {
                continue;
            }
            last = commit.date;
            list.push(id);
        }
        let mut kept = Vec::new();
        for id in list {
            if !self.flags(&id).is_uninteresting {
                kept.push(id);
            }
        }
        Ok(kept)
    }

    fn still_interesting(&self, date: i64, slop: usize) -> usize {
        let Some(((Reverse(next), _), _)) = self.queue.iter().next() else { return 0 };
        if date <= *next || self.queue.iter().any(|(_, id)| !self.flags(id).is_uninteresting) {
            return SLOP;
        }
        slop - 1
    }

    /// What is known of the history of an excluded commit is excluded too.
    async fn exclude_ancestors(&mut self, git: &mut Git, id: ObjectId) -> Result<()> {
        let mut pending: Vec<ObjectId> = Vec::new();
        pending.push(id);
        while let Some(id) = pending.pop() {
            for parent in &git.commit(&id).await?.parents {
                let flags = self.flags(parent);
                if !flags.is_uninteresting {
                    self.change(*parent, |flags| flags.is_uninteresting = true);
                    // Others were not met yet: their turn comes.
                    if flags.is_seen || flags.is_added {
                        pending.push(*parent);
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts the parents of a commit into the queue.
    async fn add_parents(&mut self, git: &mut Git, id: ObjectId, commit: &Arc<Commit>) -> Result<()> {
        let flags = self.flags(&id);
        if flags.is_added {
            return Ok(());
        }
        self.change(id, |flags| flags.is_added = true);
        let mut parents = commit.parents.clone();
        if self.first_parent {
            parents.truncate(1);
        }
        if flags.is_uninteresting {
            parents = commit.parents.clone();
        } else if !self.pathspec.is_empty() {
            parents = self.simplify(git, id, commit, parents).await?;
        }
        for parent in &parents {
            let known = self.flags(parent);
            self.change(*parent, |parent| {
                parent.is_uninteresting |= flags.is_uninteresting;
                parent.is_left |= flags.is_left;
                parent.is_seen = true;
            });
            if !known.is_seen {
                let date = git.commit(parent).await?.date;
                self.push(*parent, date);
            }
        }
        Ok(())
    }

    /// Where a path is limited: a parent that is the same in all paths that count stands for all parents.
    async fn simplify(
        &mut self,
        git: &mut Git,
        id: ObjectId,
        commit: &Arc<Commit>,
        parents: Vec<ObjectId>,
    ) -> Result<Vec<ObjectId>> {
        if parents.is_empty() {
            let is_same =
                !super::diff::tree::differs(git, ObjectId::EMPTY_TREE, commit.tree, &self.pathspec).await?;
            self.change(id, |flags| flags.is_same = is_same);
            return Ok(parents);
        }
        let (mut all_same, mut same, mut relevant) = (0, 0, 0);
        for parent in &parents {
            relevant += usize::from(!self.flags(parent).is_uninteresting);
            let tree = git.commit(parent).await?.tree;
            if super::diff::tree::differs(git, tree, commit.tree, &self.pathspec).await? {
                continue;
            }
            // Excluded parents count only where there are no others.
            all_same += 1;
            same += usize::from(!self.flags(parent).is_uninteresting);
            if !self.full_history && !self.flags(parent).is_uninteresting {
                self.change(id, |flags| flags.is_same = true);
                let only = Vec::from([*parent]);
                self.parents.insert(id, only.clone());
                return Ok(only);
            }
        }
        let is_same = if relevant > 0 { same == relevant } else { all_same == parents.len() };
        self.change(id, |flags| flags.is_same = is_same);
        Ok(parents)
    }

    /// Parents after those they are parents of.
    async fn sort(&mut self, git: &mut Git, list: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let mut degrees: HashMap<ObjectId, usize> = HashMap::new();
        for id in list {
            degrees.insert(*id, 1);
        }
        for id in list {
            for parent in &self.parents_of(git, id).await? {
                if let Some(degree) = degrees.get_mut(parent) {
                    *degree += 1;
                }
            }
        }
        let mut stack: Vec<ObjectId> =
            list.iter().copied().filter(|id| degrees.get(id) == Some(&1)).collect();
        let mut queue: Queue = Queue::new();
        let mut count = 0;
        if self.order == Order::Date {
            for id in std::mem::take(&mut stack) {
                count += 1;
                queue.insert((Reverse(git.commit(&id).await?.date), count), id);
            }
        }
        stack.as_mut_slice().reverse();
        let mut sorted = Vec::new();
        while let Some(id) =
            if self.order == Order::Date { queue.pop_first().map(|(_, id)| id) } else { stack.pop() }
        {
            for parent in &self.parents_of(git, &id).await? {
                let Some(degree) = degrees.get_mut(parent) else { continue };
                *degree -= 1;
                if *degree == 1 {
                    if self.order == Order::Date {
                        count += 1;
                        queue.insert((Reverse(git.commit(parent).await?.date), count), *parent);
                    } else {
                        stack.push(*parent);
                    }
                }
            }
            sorted.push(id);
        }
        Ok(sorted)
    }

    /// A commit's parents as the walk sees them.
    pub(crate) async fn parents_of(&self, git: &mut Git, id: &ObjectId) -> Result<Vec<ObjectId>> {
        if let Some(parents) = self.parents.get(id) {
            return Ok(parents.clone());
        }
        let mut parents = git.commit(id).await?.parents.clone();
        if self.first_parent {
            parents.truncate(1);
        }
        Ok(parents)
    }

    /// The next commit.
    pub(crate) async fn next(&mut self, git: &mut Git) -> Result<Option<Item>> {
        loop {
            git.ctx.tick().await?;
            let id = match &mut self.list {
                Some(list) => list.pop(),
                None => self.queue.pop_first().map(|(_, id)| id),
            };
            let Some(id) = id else { return Ok(None) };
            let commit = git.commit(&id).await?;
            if self.list.is_none() {
                self.add_parents(git, id, &commit).await?;
                if self.until.is_some_and(|until| commit.date > until) {
                    continue;
                }
            }
            let flags = self.flags(&id);
            if flags.is_uninteresting || (flags.is_same && !self.only_tips && !self.ties(git, &id).await?) {
                continue;
            }
            if self.list.is_none() && self.rewrites_parents && !self.pathspec.is_empty() {
                self.look_ahead(git, &id).await?;
            }
            return Ok(Some(Item { id, commit, is_left: flags.is_left, is_boundary: false }));
        }
    }

    /// Parents that are skipped are looked at before their turn comes: what they have as parents is queued now, and the
    /// parents of the commit can be told.
    async fn look_ahead(&mut self, git: &mut Git, id: &ObjectId) -> Result<()> {
        for parent in self.parents_of(git, id).await? {
            let mut next = Some(parent);
            while let Some(id) = next {
                git.ctx.tick().await?;
                let commit = git.commit(&id).await?;
                self.add_parents(git, id, &commit).await?;
                next = self.skipped_to(git, &id).await?;
            }
        }
        Ok(())
    }

    /// The one commit that stands for a skipped one; `None`: it is not skipped, or has no parents.
    async fn skipped_to(&self, git: &mut Git, id: &ObjectId) -> Result<Option<ObjectId>> {
        let flags = self.flags(id);
        if flags.is_uninteresting || !flags.is_same {
            return Ok(None);
        }
        let parents = self.parents_of(git, id).await?;
        let mut wanted = parents.iter().filter(|parent| !self.flags(parent).is_uninteresting);
        Ok(match (wanted.next(), wanted.next(), parents.as_slice()) {
            (Some(only), None, _) | (None, None, [only]) => Some(*only),
            _ => None,
        })
    }

    pub(crate) fn is_uninteresting(&self, id: &ObjectId) -> bool {
        self.flags(id).is_uninteresting
    }

    /// Whether a commit without a change is shown because it ties histories together.
    async fn ties(&self, git: &mut Git, id: &ObjectId) -> Result<bool> {
        if !self.rewrites_parents {
            return Ok(false);
        }
        let parents = self.parents_of(git, id).await?;
        Ok(parents.iter().filter(|parent| !self.flags(parent).is_uninteresting).count() > 1)
    }

    /// The parents that a commit has where commits without a change are skipped.
    pub(crate) async fn rewritten_parents(&self, git: &mut Git, id: &ObjectId) -> Result<Vec<ObjectId>> {
        let mut rewritten: Vec<ObjectId> = Vec::new();
        for parent in self.parents_of(git, id).await? {
            let mut next = Some(parent);
            while let Some(id) = next {
                git.ctx.tick().await?;
                let flags = self.flags(&id);
                let is_skipped = flags.is_same && !flags.is_uninteresting;
                let is_root = is_skipped && self.parents_of(git, &id).await?.is_empty();
                match self.skipped_to(git, &id).await? {
                    None if is_root => next = None,
                    None => break,
                    other => next = other,
                }
            }
            if let Some(id) = next
                && !rewritten.contains(&id)
            {
                rewritten.push(id);
            }
        }
        Ok(rewritten)
    }

    /// The commits at the border: excluded, with a child that is not.
    pub(crate) async fn boundary(&mut self, git: &mut Git, shown: &[ObjectId]) -> Result<Vec<Item>> {
        let mut found: Vec<ObjectId> = Vec::new();
        let mut seen: HashMap<ObjectId, ()> = HashMap::new();
        for id in shown {
            seen.insert(*id, ());
        }
        for id in shown {
            for parent in &self.parents_of(git, id).await? {
                if seen.insert(*parent, ()).is_none() {
                    found.push(*parent);
                }
            }
        }
        found.as_mut_slice().reverse();
        let mut items: Vec<Item> = Vec::new();
        for id in self.sort(git, &found).await? {
            let commit = git.commit(&id).await?;
            let is_left = self.flags(&id).is_left;
            items.push(Item { id, commit, is_left, is_boundary: true });
        }
        Ok(items)
    }
}

const FIRST: u8 = 1;
const SECOND: u8 = 2;
const STALE: u8 = 4;
const RESULT: u8 = 8;

impl Git {
    /// The best common ancestors of a commit and others, youngest first.
    pub(crate) async fn merge_bases(&mut self, one: ObjectId, others: &[ObjectId]) -> Result<Vec<ObjectId>> {
        if others.contains(&one) {
            return Ok(Vec::from([one]));
        }
        let candidates = self.common_ancestors(one, others).await?;
        if candidates.len() < 2 {
            return Ok(candidates);
        }
        let mut best = Vec::new();
        for (at, candidate) in candidates.iter().enumerate() {
            let rest: Vec<ObjectId> =
                candidates.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, id)| *id).collect();
            let mut is_redundant = false;
            for other in &rest {
                let common = self.common_ancestors(*candidate, &[*other]).await?;
                if common.contains(candidate) {
                    is_redundant = true;
                    break;
                }
            }
            if !is_redundant {
                best.push(*candidate);
            }
        }
        Ok(best)
    }

    async fn common_ancestors(&mut self, one: ObjectId, others: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let mut flags: HashMap<ObjectId, u8> = HashMap::new();
        let mut queue: Queue = Queue::new();
        // How often a commit that is not stale stands in the queue.
        let mut fresh: HashMap<ObjectId, usize> = HashMap::new();
        let mut fresh_total = 0_usize;
        let mut count = 0;
        for (id, flag) in std::iter::once((one, FIRST)).chain(others.iter().map(|id| (*id, SECOND))) {
            let before = flags.get(&id).copied().unwrap_or(0);
            flags.insert(id, before | flag);
            count += 1;
            fresh_total += 1;
            if let Some(number) = fresh.get_or_default(id) {
                *number += 1;
            }
            queue.insert((Reverse(self.commit(&id).await?.date), count), id);
        }
        let mut results = Vec::new();
        while fresh_total > 0 {
            let Some((_, id)) = queue.pop_first() else { break };
            let own = flags.get(&id).copied().unwrap_or(0);
            if own & STALE == 0
                && let Some(number) = fresh.get_mut(&id)
            {
                *number = number.saturating_sub(1);
                fresh_total -= 1;
            }
            let mut passed = own & (FIRST | SECOND | STALE);
            if passed == FIRST | SECOND {
                if own & RESULT == 0 {
                    flags.insert(id, own | RESULT);
                    results.push(id);
                }
                passed |= STALE;
            }
            for parent in &self.commit(&id).await?.parents {
                let before = flags.get(parent).copied().unwrap_or(0);
                if before & passed == passed {
                    continue;
                }
                if before & STALE == 0 && passed & STALE != 0 {
                    fresh_total -= fresh.insert(*parent, 0).unwrap_or(0);
                }
                flags.insert(*parent, before | passed);
                count += 1;
                if (before | passed) & STALE == 0 {
                    fresh_total += 1;
                    if let Some(number) = fresh.get_or_default(*parent) {
                        *number += 1;
                    }
                }
                queue.insert((Reverse(self.commit(parent).await?.date), count), *parent);
            }
        }
        let mut dated: Vec<(Reverse<i64>, ObjectId)> = Vec::new();
        for id in results {
            if flags.get(&id).is_some_and(|flags| flags & STALE == 0) {
                dated.push((Reverse(self.commit(&id).await?.date), id));
            }
        }
        dated.sort_by_key(|item| item.0);
        Ok(dated.into_iter().map(|item| item.1).collect())
    }

    /// Whether a commit is another or in its history.
    pub(crate) async fn is_ancestor(&mut self, one: ObjectId, other: ObjectId) -> Result<bool> {
        Ok(one == other || self.common_ancestors(one, &[other]).await?.contains(&one))
    }
}
