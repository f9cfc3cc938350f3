//! `sort`, `sort_by`, `group_by`, `unique_by`: a stable merge sort, bottom up, that can stop between comparisons.
//!
//! Runs of a few items are sorted first; then neighbouring runs are merged, round by round; then the items are taken from
//! the one run that is left.

use crate::memory::{IntoIter, Vec, vec};
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Track};
use super::machine::Machine;
use super::value::{Members, Value};
use super::work::{self, Work};

/// What is made of the sorted items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Their array.
    Items,
    /// An array for each group of equal keys.
    Groups,
    /// The first item of each group.
    Firsts,
}

/// A key and its item.
type Pair = (Value, Value);

/// A sort in progress.
#[derive(Debug)]
pub(crate) struct Sorting {
    kind: Kind,
    /// `None`: the items are their own keys.
    keys: Option<Members>,
    items: Members,
    /// Runs to be merged, in order.
    runs: IntoIter<Vec<Pair>>,
    merged: Vec<Vec<Pair>>,
    merging: Option<Merge>,
    sorted: Option<IntoIter<Pair>>,
    /// The group at hand: its key, and its items where they are wanted.
    group: Option<(Value, Vec<Value>)>,
    done: Vec<Value>,
    track: Track,
    frames: Frames,
}

#[derive(Debug)]
struct Merge {
    left: std::iter::Peekable<IntoIter<Pair>>,
    right: std::iter::Peekable<IntoIter<Pair>>,
    done: Vec<Pair>,
}

/// Items of a run at the start.
const RUN: usize = 32;
/// Items handled between two turns of the machine.
const AT_ONCE: usize = 1024;

impl Machine<'_, '_> {
    /// Starts to sort `input` by `keys`: an array of as many keys, or nothing where the items are their own keys.
    pub(super) fn start_sort(
        &mut self,
        kind: Kind,
        keys: Option<Value>,
        input: Item,
        frames: Frames,
    ) -> Next {
        let problem = match kind {
            Kind::Items => "cannot be sorted, as it is not an array",
            _ => "cannot be grouped, as it is not an array",
        };
        let Value::Array(items) = input.value else {
            return Next::Fail(Raise::about(&input.value, problem), frames);
        };
        let size = items.len().saturating_mul(6 * size_of::<Value>());
        if let Err(stop) = self.context.work.charge(size) {
            return Next::Fail(Raise::Stop(stop), frames);
        }
        let keys = match keys {
            Some(Value::Array(keys)) => Some(keys.into_members()),
            _ => None,
        };
        self.sort(Box::new(Sorting {
            kind,
            keys,
            items: items.into_members(),
            runs: Vec::new().into_iter(),
            merged: Vec::new(),
            merging: None,
            sorted: None,
            group: None,
            done: Vec::new(),
            track: input.track.lost(),
            frames,
        }))
    }

    /// Goes on with a sort.
    pub(super) fn sort(&mut self, mut sorting: Box<Sorting>) -> Next {
        match sorting.go_on(&mut self.context.work) {
            Err(raise) => Next::Fail(raise, sorting.frames),
            Ok(None) => {
                self.choices.push(Choice::Sort(sorting));
                Next::Back
            }
            Ok(Some(items)) => match Value::array(items).checked() {
                Ok(value) => Next::Give(Item { value, track: sorting.track }, sorting.frames),
                Err(raise) => Next::Fail(raise, sorting.frames),
            },
        }
    }
}

impl Sorting {
    /// The result, once it is complete.
    fn go_on(&mut self, work: &mut Work<'_>) -> Result<Option<Vec<Value>>, Raise> {
        if self.items.len() > 0 {
            for _ in 0..AT_ONCE / RUN {
                let keys = &mut self.keys;
                let pair = |item| match keys {
                    Some(keys) => (keys.next().unwrap_or_default(), item),
                    None => (item, Value::Null),
                };
                let run: Vec<Pair> = self.items.by_ref().take(RUN).map(pair).collect();
                if run.is_empty() {
                    break;
                }
                self.merged.push(work::sort(run, &mut |one: &Pair, two: &Pair| one.0.order(&two.0, work))?);
            }
            return Ok(None);
        }
        if let Some(sorted) = &mut self.sorted {
            for _ in 0..AT_ONCE {
                let Some((key, item)) = sorted.next() else {
                    if self.kind == Kind::Groups {
                        self.done.extend(self.group.take().map(|(_, items)| Value::array(items)));
                    }
                    return Ok(Some(std::mem::take(&mut self.done)));
                };
                let item = if self.keys.is_none() { key.clone() } else { item };
                if self.kind == Kind::Items {
                    self.done.push(item);
                    continue;
                }
                match &mut self.group {
                    Some((last, items)) if last.order(&key, work)?.is_eq() => {
                        if self.kind == Kind::Groups {
                            items.push(item);
                        }
                    }
                    group if self.kind == Kind::Groups => {
                        let closed = group.replace((key, vec![item]));
                        self.done.extend(closed.map(|(_, items)| Value::array(items)));
                    }
                    group => {
                        *group = Some((key, Vec::new()));
                        self.done.push(item);
                    }
                }
            }
            return Ok(None);
        }
        self.merge(work)?;
        Ok(None)
    }

    /// Merges runs, or finds that there is only one.
    fn merge(&mut self, work: &mut Work<'_>) -> Result<(), Raise> {
        let Some(merge) = &mut self.merging else {
            match (self.runs.next(), self.runs.next()) {
                (Some(left), Some(right)) => {
                    let done = Vec::with_capacity(left.len() + right.len());
                    let (left, right) = (left.into_iter().peekable(), right.into_iter().peekable());
                    self.merging = Some(Merge { left, right, done });
                }
                (Some(alone), None) => self.merged.push(alone),
                _ if self.merged.len() > 1 => self.runs = std::mem::take(&mut self.merged).into_iter(),
                _ => self.sorted = Some(self.merged.pop().unwrap_or_default().into_iter()),
            }
            return Ok(());
        };
        for _ in 0..AT_ONCE {
            let next = match (merge.left.peek(), merge.right.peek()) {
                (Some(left), Some(right)) if right.0.order(&left.0, work)?.is_lt() => merge.right.next(),
                (Some(_), _) => merge.left.next(),
                (None, _) => merge.right.next(),
            };
            let Some(next) = next else {
                self.merged.push(std::mem::take(&mut merge.done));
                self.merging = None;
                return Ok(());
            };
            merge.done.push(next);
        }
        Ok(())
    }
}
