//! `--graph`: the lines that tie commits together, left of them. Each commit stands in a column; a line of output is made by a
//! state: the commit itself, the lines of a merge, the collapsing of columns that lead to the same commit, or padding.

use super::object::id::ObjectId;
use crate::memory::{Vec, vec};

/// What the next line is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NextLine {
    #[default]
    Padding,
    Skip,
    PreCommit,
    Commit,
    PostMerge,
    Collapsing,
}

/// A graph between two lines.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    commit: Option<ObjectId>,
    parents: Vec<ObjectId>,
    /// `*`, or another sign of the commit.
    sign: u8,
    width: usize,
    expansion_row: usize,
    state: NextLine,
    previous_state: NextLine,
    commit_index: usize,
    previous_commit_index: usize,
    /// 0: the first parent is left of the merge, 1: it is not.
    merge_layout: usize,
    edges_added: i64,
    previous_edges_added: i64,
    columns: Vec<ObjectId>,
    new_columns: Vec<ObjectId>,
    /// For each place of a line the column that it leads to.
    mapping: Vec<Option<usize>>,
    old_mapping: Vec<Option<usize>>,
}

/// Writes a sign to a line.
fn put(line: &mut Vec<u8>, sign: u8) {
    line.push(sign);
}

impl Graph {
    /// Goes on to a commit and those of its parents that are shown.
    pub(crate) fn update(&mut self, commit: ObjectId, parents: Vec<ObjectId>, sign: u8) {
        self.commit = Some(commit);
        self.parents = parents;
        self.sign = sign;
        self.previous_commit_index = self.commit_index;
        self.update_columns(commit);
        self.expansion_row = 0;
        self.state = if self.state != NextLine::Padding {
            NextLine::Skip
        } else if self.needs_pre_commit_line() {
            NextLine::PreCommit
        } else {
            NextLine::Commit
        };
    }

    fn update_columns(&mut self, commit: ObjectId) {
        std::mem::swap(&mut self.columns, &mut self.new_columns);
        self.new_columns = Vec::new();
        let most = self.columns.len() + self.parents.len();
        self.mapping = vec![None; (2 * most).max(1)];
        self.width = 0;
        self.previous_edges_added = self.edges_added;
        self.edges_added = 0;
        let columns = self.columns.clone();
        let mut has_seen = false;
        for index in 0..=columns.len() {
            let column = match columns.get(index) {
                Some(column) => *column,
                None if has_seen => break,
                None => commit,
            };
            if column != commit {
                self.insert(column, None);
                continue;
            }
            has_seen = true;
            self.commit_index = index;
            let mut has_layout = false;
            for parent in self.parents.clone() {
                self.insert(parent, Some((index, &mut has_layout)));
            }
            if self.parents.is_empty() {
                self.width += 2;
            }
        }
        while self.mapping.len() > 1 && self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
    }

    /// Puts a commit into a new column; of a parent, with the column of its child.
    fn insert(&mut self, commit: ObjectId, child: Option<(usize, &mut bool)>) {
        let at = match self.new_columns.iter().position(|known| *known == commit) {
            Some(at) => at,
            None => self.new_columns.add(commit),
        };
        let place = match child {
            Some((index, has_layout)) if self.parents.len() > 1 && !*has_layout => {
                *has_layout = true;
                let distance = index as i64 - at as i64;
                let shift = if distance > 1 { 2 * distance - 3 } else { 1 };
                self.merge_layout = usize::from(distance <= 0);
                self.edges_added = self.parents.len() as i64 + self.merge_layout as i64 - 2;
                let place = self.width as i64 + (self.merge_layout as i64 - 1) * shift;
                self.width += 2 * self.merge_layout;
                place.max(0) as usize
            }
            // The last column is that of the commit: both edges meet at once.
            _ if self.edges_added > 0
                && self.width.checked_sub(2).and_then(|last| self.mapping.get(last)) == Some(&Some(at)) =>
            {
                self.edges_added = -1;
                self.width - 2
            }
            _ => {
                self.width += 2;
                self.width - 2
            }
        };
        if let Some(slot) = self.mapping.get_mut(place) {
            *slot = Some(at);
        }
    }

    fn dashed_parents(&self) -> usize {
        (self.parents.len() + self.merge_layout).saturating_sub(3)
    }

    fn needs_pre_commit_line(&self) -> bool {
        self.parents.len() >= 3
            && self.commit_index + 1 < self.columns.len()
            && self.expansion_row < self.dashed_parents() * 2
    }

    fn go_to(&mut self, state: NextLine) {
        self.previous_state = self.state;
        self.state = state;
    }

    fn is_settled(&self) -> bool {
        self.mapping.iter().enumerate().all(|(at, target)| target.is_none_or(|target| target == at / 2))
    }

    /// Whether nothing but padding is left of a commit.
    pub(crate) fn is_finished(&self) -> bool {
        self.state == NextLine::Padding
    }

    /// The next line; whether the commit stands in it.
    pub(crate) fn next_line(&mut self, line: &mut Vec<u8>) -> bool {
        let start = line.len();
        let state = self.state;
        match state {
            NextLine::Padding => {
                for _ in 0..self.new_columns.len() {
                    line.extend_from_slice(b"| ");
                }
            }
            NextLine::Skip => {
                line.extend_from_slice(b"...");
                self.go_to(if self.needs_pre_commit_line() { NextLine::PreCommit } else { NextLine::Commit });
            }
            NextLine::PreCommit => self.pre_commit_line(line),
            NextLine::Commit => self.commit_line(line),
            NextLine::PostMerge => self.post_merge_line(line),
            NextLine::Collapsing => self.collapsing_line(line),
        }
        self.pad(line, start);
        state == NextLine::Commit
    }

    fn pad(&self, line: &mut Vec<u8>, start: usize) {
        line.resize_by((start + self.width).saturating_sub(line.len()), b' ');
    }

    /// A line beside what belongs to the commit.
    pub(crate) fn padding_line(&mut self, line: &mut Vec<u8>) {
        if self.state != NextLine::Commit {
            self.next_line(line);
            return;
        }
        let start = line.len();
        for column in &self.columns {
            put(line, b'|');
            let is_merge = Some(*column) == self.commit && self.parents.len() > 2;
            line.resize_by(if is_merge { (self.parents.len() - 2) * 2 } else { 1 }, b' ');
        }
        self.pad(line, start);
        self.previous_state = NextLine::Padding;
    }

    fn pre_commit_line(&mut self, line: &mut Vec<u8>) {
        let mut has_seen = false;
        for (index, column) in self.columns.iter().enumerate() {
            if Some(*column) == self.commit {
                has_seen = true;
                put(line, b'|');
                line.resize_by(self.expansion_row, b' ');
            } else if has_seen && self.expansion_row == 0 {
                let is_moved =
                    self.previous_state == NextLine::PostMerge && self.previous_commit_index < index;
                put(line, if is_moved { b'\\' } else { b'|' });
            } else {
                put(line, if has_seen { b'\\' } else { b'|' });
            }
            put(line, b' ');
        }
        self.expansion_row += 1;
        if !self.needs_pre_commit_line() {
            self.go_to(NextLine::Commit);
        }
    }

    fn commit_line(&mut self, line: &mut Vec<u8>) {
        let mut has_seen = false;
        for index in 0..=self.columns.len() {
            let column = match self.columns.get(index) {
                Some(column) => Some(*column),
                None if has_seen => break,
                None => self.commit,
            };
            if column == self.commit {
                has_seen = true;
                put(line, self.sign);
                let dashed = self.dashed_parents();
                for at in 0..dashed {
                    put(line, b'-');
                    put(line, if at + 1 == dashed { b'.' } else { b'-' });
                }
            } else if has_seen && self.edges_added > 1 {
                put(line, b'\\');
            } else if has_seen && self.edges_added == 1 {
                let is_moved = self.previous_state == NextLine::PostMerge
                    && self.previous_edges_added > 0
                    && self.previous_commit_index < index;
                put(line, if is_moved { b'\\' } else { b'|' });
            } else {
                let is_collapsing = self.previous_state == NextLine::Collapsing
                    && self.old_mapping.get(2 * index + 1) == Some(&Some(index))
                    && self
                        .mapping
                        .get(2 * index)
                        .is_some_and(|target| target.is_none_or(|target| target < index));
                put(line, if is_collapsing { b'/' } else { b'|' });
            }
            put(line, b' ');
        }
        let next = if self.parents.len() > 1 { NextLine::PostMerge } else { self.after_edges() };
        self.go_to(next);
    }

    fn after_edges(&self) -> NextLine {
        if self.is_settled() { NextLine::Padding } else { NextLine::Collapsing }
    }

    fn post_merge_line(&mut self, line: &mut Vec<u8>) {
        const EDGES: [u8; 3] = [b'/', b'|', b'\\'];
        let first_parent = self.parents.first().copied();
        let (mut has_seen, mut has_met_parent) = (false, false);
        for index in 0..=self.columns.len() {
            let column = match self.columns.get(index) {
                Some(column) => Some(*column),
                None if has_seen => break,
                None => self.commit,
            };
            if column == self.commit {
                has_seen = true;
                let mut edge = self.merge_layout;
                for number in 0..self.parents.len() {
                    put(line, EDGES.get(edge).copied().unwrap_or(b'\\'));
                    if edge < 2 {
                        edge += 1;
                    } else if self.edges_added > 0 || number + 1 < self.parents.len() {
                        put(line, b' ');
                    }
                }
                if self.edges_added == 0 {
                    put(line, b' ');
                }
            } else if has_seen {
                put(line, if self.edges_added > 0 { b'\\' } else { b'|' });
                put(line, b' ');
            } else {
                put(line, b'|');
                if self.merge_layout != 0 || index + 1 != self.commit_index {
                    put(line, if has_met_parent { b'_' } else { b' ' });
                }
            }
            has_met_parent |= column == first_parent;
        }
        let next = self.after_edges();
        self.go_to(next);
    }

    fn collapsing_line(&mut self, line: &mut Vec<u8>) {
        std::mem::swap(&mut self.mapping, &mut self.old_mapping);
        let size = self.old_mapping.len();
        self.mapping = vec![None; size];
        // Where an edge moves sideways by more than a place: its place and its target.
        let mut horizontal: Option<(usize, usize)> = None;
        for at in 0..size {
            let Some(target) = self.old_mapping.get(at).copied().flatten() else { continue };
            if target * 2 >= at {
                self.set(at, Some(target));
                continue;
            }
            match self.mapping.get(at - 1).copied().flatten() {
                None => {
                    self.set(at - 1, Some(target));
                    if horizontal.is_none() {
                        horizontal = Some((at, target));
                        self.set_all(target, at);
                    }
                }
                Some(left) if left == target => {}
                Some(_) => {
                    self.set(at.saturating_sub(2), Some(target));
                    if horizontal.is_none() {
                        horizontal = Some((at - 1, target));
                        self.set_all(target, at);
                    }
                }
            }
        }
        self.old_mapping = self.mapping.clone();
        if self.mapping.last() == Some(&None) {
            self.mapping.pop();
        }
        let mut is_used = false;
        for at in 0..self.mapping.len() {
            let Some(target) = self.mapping.get(at).copied().flatten() else {
                put(line, b' ');
                continue;
            };
            if target * 2 == at {
                put(line, b'|');
            } else if horizontal.is_some_and(|(edge, to)| target == to && at + 1 != edge) {
                if at != target * 2 + 3 {
                    self.set(at, None);
                }
                is_used = true;
                put(line, b'_');
            } else {
                if is_used && horizontal.is_some_and(|(edge, _)| at < edge) {
                    self.set(at, None);
                }
                put(line, b'/');
            }
        }
        if self.is_settled() {
            self.go_to(NextLine::Padding);
        }
    }

    fn set(&mut self, at: usize, target: Option<usize>) {
        if let Some(slot) = self.mapping.get_mut(at) {
            *slot = target;
        }
    }

    /// Every second place of an edge that moves sideways.
    fn set_all(&mut self, target: usize, at: usize) {
        let mut place = target * 2 + 3;
        while place < at.saturating_sub(2) {
            self.set(place, Some(target));
            place += 2;
        }
    }

    /// What stands before a commit's first line: lines of the graph, and the beginning of its own.
    pub(crate) fn head(&mut self, out: &mut Vec<u8>) {
        if self.is_finished() {
            self.padding_line(out);
            return;
        }
        while !self.is_finished() {
            if self.next_line(out) {
                return;
            }
            out.push(b'\n');
        }
    }

    /// A commit's text with the graph left of each line but the first, and what is left of the graph below it.
    pub(crate) fn text(&mut self, text: &[u8], out: &mut Vec<u8>) {
        for (index, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            if index > 0 {
                self.next_line(out);
            }
            out.extend_from_slice(line);
        }
        if self.is_finished() {
            return;
        }
        let is_terminated = text.ends_with(b"\n");
        if !is_terminated {
            out.push(b'\n');
        }
        while !self.is_finished() {
            self.next_line(out);
            if !self.is_finished() {
                out.push(b'\n');
            }
        }
        if is_terminated {
            out.push(b'\n');
        }
    }
}
