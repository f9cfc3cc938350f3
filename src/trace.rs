//! What runs did, for authors of hooks: which commands and branches of their scripts ran, and which commands, files and
//! variables they used. `hookbox test --coverage` and `hookbox lock` look at it.
//!
//! A session that is traced compiles its scripts with an operation before each command and each decision
//! ([`crate::program`]), which notes here that it was there; other sessions have no such operation and pay nothing. Files
//! are noted by the file system, as far as runs open them, and commands where the host's gate is asked.
//!
//! A trace is the author's memory and not the run's, so it has bounds of its own; [`Noted::is_cut`] says that they were met.

#![cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command traces"))]

use crate::clock::lock;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Names of one kind that are kept.
const MOST_NAMES: usize = 10_000;
/// Bytes of a name that are kept.
const LONGEST: usize = 4096;
/// Texts of scripts that are kept, and their bytes.
const MOST_SCRIPTS: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;

/// Where a script tells that it is there. The offset that comes with it is a byte of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Point {
    /// A simple command, `[[ ]]` or `(( ))` begins.
    Command,
    /// What decides of `if`, `while`, `until`, `&&` or `||` is known: it has two outcomes.
    Condition,
    /// An arm of `case` begins.
    Arm,
    /// No arm of a `case` fitted.
    NoArm,
}

/// How often a point was passed: with status 0, with another. Only a condition has both.
pub(crate) type Hits = [u64; 2];

/// What was noted of one script.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptNotes {
    /// The whole text.
    pub(crate) text: Vec<u8>,
    /// By offset.
    pub(crate) points: BTreeMap<(u32, Point), Hits>,
}

/// All that was noted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noted {
    /// In the order of their first command.
    pub(crate) scripts: Vec<ScriptNotes>,
    /// Names as they were called; functions too.
    pub(crate) commands: BTreeSet<String>,
    /// Paths of files that were opened for reading.
    pub(crate) reads: BTreeSet<String>,
    /// Paths of files that were written, made, renamed or removed.
    pub(crate) writes: BTreeSet<String>,
    /// Variables that came from outside, or that are not set, and that were expanded.
    pub(crate) variables: BTreeSet<String>,
    /// Something was left out because there was too much.
    pub(crate) is_cut: bool,
    /// The script that was noted last.
    last: usize,
    bytes: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Trace(Mutex<Noted>);

/// What a name is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Used {
    /// A command that is called.
    Command,
    /// A file that is read.
    Read,
    /// A file that is written.
    Write,
    /// A variable that is expanded.
    Variable,
}

impl Trace {
    /// Notes that a script came to a point.
    pub(crate) fn passed(&self, script: &[u8], at: u32, point: Point, success: bool) {
        lock(&self.0).passed(script, at, point, success);
    }

    /// Notes a name.
    pub(crate) fn used(&self, what: Used, name: &[u8]) {
        lock(&self.0).used(what, name);
    }

    /// Takes what was noted.
    pub(crate) fn take(&self) -> Noted {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl Noted {
    fn passed(&mut self, text: &[u8], at: u32, point: Point, success: bool) {
        let Some(script) = self.script(text) else { return };
        if let Some(count) = script.points.entry((at, point)).or_default().get_mut(usize::from(!success)) {
            *count = count.saturating_add(1);
        }
    }

    /// The notes of a script. What runs is mostly what ran just before.
    fn script(&mut self, text: &[u8]) -> Option<&mut ScriptNotes> {
        let is_last = self.scripts.get(self.last).is_some_and(|script| script.text == text);
        if !is_last {
            self.last = match self.scripts.iter().position(|script| script.text == text) {
                Some(index) => index,
                None if self.scripts.len() < MOST_SCRIPTS
                    && self.bytes.saturating_add(text.len()) <= MOST_BYTES =>
                {
                    self.bytes = self.bytes.saturating_add(text.len());
                    self.scripts.push(ScriptNotes { text: text.to_vec(), ..ScriptNotes::default() });
                    self.scripts.len().saturating_sub(1)
                }
                None => {
                    self.is_cut = true;
                    return None;
                }
            };
        }
        self.scripts.get_mut(self.last)
    }

    fn used(&mut self, what: Used, name: &[u8]) {
        let names = match what {
            Used::Command => &mut self.commands,
            Used::Read => &mut self.reads,
            Used::Write => &mut self.writes,
            Used::Variable => &mut self.variables,
        };
        let name = String::from_utf8_lossy(name.get(..LONGEST).unwrap_or(name));
        if names.contains(&*name) {
            return;
        }
        if names.len() < MOST_NAMES {
            names.insert(name.into_owned());
        } else {
            self.is_cut = true;
        }
    }

    /// Adds what another trace noted.
    pub(crate) fn add(&mut self, other: Self) {
        self.is_cut |= other.is_cut;
        for notes in other.scripts {
            let Some(own) = self.script(&notes.text) else { continue };
            for (point, [yes, no]) in notes.points {
                let hits = own.points.entry(point).or_default();
                *hits = [hits[0].saturating_add(yes), hits[1].saturating_add(no)];
            }
        }
        self.commands.extend(other.commands);
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.variables.extend(other.variables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_is_counted_by_script_and_place() {
        let trace = Trace::default();
        for (script, success) in [(b"a", true), (b"b", true), (b"a", false)] {
            trace.passed(script, 0, Point::Condition, success);
        }
        let mut noted = trace.take();
        assert_eq!(noted.scripts.len(), 2);
        assert_eq!(noted.scripts[0].points[&(0, Point::Condition)], [1, 1]);
        noted.add(noted.clone());
        assert_eq!(noted.scripts[0].points[&(0, Point::Condition)], [2, 2]);
        assert!(trace.take().scripts.is_empty());
    }

    #[test]
    fn too_much_is_said_to_be_cut() {
        let trace = Trace::default();
        for number in 0..=MOST_NAMES {
            trace.used(Used::Read, number.to_string().as_bytes());
        }
        let noted = trace.take();
        assert!(noted.is_cut && noted.reads.len() == MOST_NAMES);
    }
}
