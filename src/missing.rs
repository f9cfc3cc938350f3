//! What a run wanted to run and could not: commands that no search found, files of scripts that are not there, files that
//! cannot be run.
//!
//! A script may hide the message (`2>/dev/null`, `|| true`) and end with status 0, so that a guard which lacks its tools
//! lets everything pass. The machine notes such names where it makes the message, and a run's report has them. The list has
//! a bound, and its memory is the run's.

use crate::clock::lock;
use crate::memory::Vec;
use crate::text::Text;
use std::fmt;
use std::sync::Mutex;

/// Names that are kept, of all that differ.
const MOST: usize = 32;
/// Bytes of a name that are kept.
const LONGEST: usize = 256;

/// Something that could not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// In which way.
    pub kind: MissingKind,
    /// As the script named it, U+FFFD for what is not UTF-8; of a long name the first 256 bytes.
    pub name: std::string::String,
}

/// See [`Missing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingKind {
    /// A command of this name was not found (status 127).
    Command,
    /// The file of a script, or of its interpreter, is not there.
    File,
    /// The file is there, and cannot be run or read as a script (status 126).
    NotExecutable,
}

impl MissingKind {
    /// As records spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::File => "file",
            Self::NotExecutable => "not_executable",
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.kind {
            MissingKind::Command => write!(f, "command not found: {name}"),
            MissingKind::File => write!(f, "no such file: {name}"),
            MissingKind::NotExecutable => write!(f, "file that can not be run: {name}"),
        }
    }
}

/// The list of one run.
#[derive(Debug, Default)]
pub(crate) struct MissingList(Mutex<Vec<(MissingKind, Text)>>);

impl MissingList {
    /// Notes a name, once. A list that is full, or a run that is refused memory, notes no more.
    pub(crate) fn note(&self, kind: MissingKind, name: &[u8]) {
        let name = name.get(..LONGEST).unwrap_or(name);
        let mut list = lock(&self.0);
        let is_known = list.iter().any(|(known, text)| *known == kind && **text == *name);
        if !is_known && list.len() < MOST {
            list.push((kind, Text::from(name)));
        }
    }

    /// Takes what was noted, in its order.
    pub(crate) fn take(&self) -> std::vec::Vec<Missing> {
        let list = std::mem::take(&mut *lock(&self.0));
        list.iter()
            .map(|(kind, name)| Missing { kind: *kind, name: name.to_string_lossy().into_owned() })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_noted_once_and_within_bounds() {
        let list = MissingList::default();
        for _ in 0..2 {
            list.note(MissingKind::Command, b"jq");
            list.note(MissingKind::File, b"jq");
            list.note(MissingKind::File, &[b'x'; 1000]);
        }
        for number in 0..100 {
            list.note(MissingKind::Command, format!("c{number}").as_bytes());
        }
        let taken = list.take();
        assert_eq!((taken.len(), taken[2].name.len()), (MOST, LONGEST));
        assert_eq!(taken[0].to_string(), "command not found: jq");
        assert_eq!(taken[1].to_string(), "no such file: jq");
        assert!(list.take().is_empty());
    }
}
