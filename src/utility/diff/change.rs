//! Changes, and the hunks that they are printed in.

use super::lines::File;

/// Lines `[left, left + deleted)` of the first file become `[right, right + inserted)` of the second; counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) left: usize,
    pub(super) deleted: usize,
    pub(super) right: usize,
    pub(super) inserted: usize,
    /// Whether none of its lines counts (`-B`, `-I`).
    pub(super) is_ignored: bool,
}

/// What a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Delete,
    Change,
}

impl Kind {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Add => 'a',
            Self::Delete => 'd',
            Self::Change => 'c',
        }
    }

    pub(super) fn deletes(self) -> bool {
        self != Self::Add
    }

    pub(super) fn inserts(self) -> bool {
        self != Self::Delete
    }
}

/// The lines `[start, end)` of each file that a hunk is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) start: [usize; 2],
    pub(super) end: [usize; 2],
    pub(super) kind: Kind,
}

impl Extent {
    /// `None` for a hunk of which nothing counts.
    pub(super) fn of(hunk: &[Change]) -> Option<Self> {
        let (first, last) = (hunk.first()?, hunk.last()?);
        if hunk.iter().all(|change| change.is_ignored) {
            return None;
        }
        let deletes = hunk.iter().any(|change| change.deleted > 0);
        let inserts = hunk.iter().any(|change| change.inserted > 0);
        Some(Self {
            start: [first.left, first.right],
            end: [last.left + last.deleted, last.right + last.inserted],
            kind: match (deletes, inserts) {
                (true, true) => Kind::Change,
                (true, false) => Kind::Delete,
                _ => Kind::Add,
            },
        })
    }

    /// With lines of context around it.
    pub(super) fn widened(self, context: usize, [left, right]: [&File; 2]) -> Self {
        let counts = [left.line_count(), right.line_count()];
        let mut wide = self;
        for start in &mut wide.start {
            *start = start.saturating_sub(context);
        }
        for (end, count) in wide.end.iter_mut().zip(counts) {
            *end = end.saturating_add(context).min(count);
        }
        wide
    }
}

/// Groups of changes whose contexts touch; a change that is ignored joins what comes before it only where that is nearer.
pub(super) fn hunks(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(move |one, two| {
        let near = if two.is_ignored { context } else { context.saturating_mul(2).saturating_add(1) };
        two.left - (one.left + one.deleted) < near
    })
}
