//! `-t`, `-T`, `--type-add`, `--type-clear`, `--type-list`: which types of files are searched. A type is a name with globs,
//! which are held against the name of a file.

use super::arguments::{Arguments, told};
use super::option::Opt;
use super::type_table::TYPES;
use crate::memory::{BTreeMap, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::UtilityError;
use crate::utility::ignore::{braces, wildmatch};

/// All types, by name.
#[derive(Debug)]
pub(super) struct Types {
    /// `None`: the table has its globs.
    changed: BTreeMap<Text, Vec<Text>>,
    /// Globs of the types that were asked for, in order, and whether they are refused.
    selected: Vec<(Vec<u8>, bool)>,
    has_wanted: bool,
}

/// Whether the types let a file be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Wanted,
    Unwanted,
    NoMatter,
}

impl Types {
    pub(super) fn new(arguments: &Arguments) -> Result<Self, UtilityError> {
        let mut types = Self { changed: BTreeMap::new(), selected: Vec::new(), has_wanted: false };
        for (option, value) in arguments.given() {
            match option {
                Opt::TypeClear => {
                    types.changed.insert(value.clone(), Vec::new());
                }
                Opt::TypeAdd => types.add(value)?,
                _ => {}
            }
        }
        for (option, value) in arguments.given() {
            match option {
                Opt::Type => types.select(value, false)?,
                Opt::TypeNot => types.select(value, true)?,
                _ => {}
            }
        }
        Ok(types)
    }

    fn of_table(name: &[u8]) -> Option<&'static [&'static str]> {
        let at = TYPES.binary_search_by(|(known, _)| known.as_bytes().cmp(name)).ok()?;
        TYPES.get(at).map(|(_, globs)| *globs)
    }

    /// The globs of a type; `None`: there is none of that name.
    fn globs(&self, name: &[u8]) -> Option<Vec<Text>> {
        match self.changed.get(name) {
            Some(globs) => Some(globs.clone()),
            None => Self::of_table(name).map(|globs| globs.iter().map(|glob| Text::from(*glob)).collect()),
        }
    }

    /// `NAME:GLOB` or `NAME:include:NAME,NAME`
    fn add(&mut self, definition: &[u8]) -> Result<(), UtilityError> {
        let invalid = || told("invalid definition (format is type:glob, e.g., html:*.html)\n");
        let colon = memchr::memchr(b':', definition).ok_or_else(invalid)?;
        let (name, rest) = definition.split_at(colon);
        let glob = rest.get(1..).unwrap_or_default();
        let text = std::str::from_utf8(name).map_err(|_| invalid())?;
        if name.is_empty() || glob.is_empty() || !text.chars().all(char::is_alphanumeric) {
            return Err(invalid());
        }
        let mut globs = self.globs(name).unwrap_or_default();
        match glob.strip_prefix(b"include:") {
            Some(included) => {
                for other in included.split(|&byte| byte == b',') {
                    globs.extend(self.globs(other).ok_or_else(invalid)?);
                }
            }
            None => globs.push(Text::from(glob)),
        }
        self.changed.insert(Text::from(name), globs);
        Ok(())
    }

    /// The names of all types that have globs.
    fn names(&self) -> Vec<Text> {
        let mut names: Vec<Text> = TYPES.iter().map(|(name, _)| Text::from(*name)).collect();
        names.extend(self.changed.keys().filter(|name| Self::of_table(name).is_none()).cloned());
        names.retain(|name| self.globs(name).is_some_and(|globs| !globs.is_empty()));
        names.sort();
        names
    }

    fn select(&mut self, name: &Text, is_refused: bool) -> Result<(), UtilityError> {
        let names =
            if name.as_bytes() == b"all" { self.names() } else { [name.clone()].as_slice().to_metered() };
        self.has_wanted |= !is_refused;
        for name in names {
            let globs = self.globs(&name).filter(|globs| !globs.is_empty());
            let Some(globs) = globs else {
                return Err(told(&format!("unrecognized file type: {name}\n")));
            };
            for glob in globs {
                let expanded = braces::expand(&glob)
                    .map_err(|error| told(&format!("error parsing glob '{glob}': {error}\n")))?;
                self.selected.extend(expanded.into_iter().map(|glob| (glob, is_refused)));
            }
        }
        Ok(())
    }

    /// What the types say to a file of that name; the last glob that matches decides.
    pub(super) fn verdict(&self, name: &[u8], is_folder: bool) -> Verdict {
        if is_folder || self.selected.is_empty() {
            return Verdict::NoMatter;
        }
        let decides =
            self.selected.iter().rev().find(|(glob, _)| wildmatch::matches(glob, name, false, false));
        match decides {
            Some((_, true)) => Verdict::Unwanted,
            Some((_, false)) => Verdict::Wanted,
            None if self.has_wanted => Verdict::Unwanted,
            None => Verdict::NoMatter,
        }
    }

    /// `--type-list`
    pub(super) fn list(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for name in self.names() {
            out.extend_from_slice(&name);
            let mut globs = self.globs(&name).unwrap_or_default();
            globs.sort();
            for (index, glob) in globs.iter().enumerate() {
                out.extend_from_slice(if index == 0 { b": " } else { b", " });
                out.extend_from_slice(glob);
            }
            out.push(b'\n');
        }
        out
    }
}
