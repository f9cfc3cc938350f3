//! Pathspecs: which paths of the work tree are meant. `:(exclude)`, `:(top)`, `:(glob)`, `:(icase)`, `:(literal)` and their
//! short forms `:!`, `:^`, `:/`.

use super::Git;
use super::error::{Result, fatal};
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::ignore::wildmatch::matches;
use crate::vfs::path::{components, normalise};

#[derive(Clone, Debug, Default)]
struct Item {
    /// As it was given.
    given: Text,
    /// As seen from the work tree.
    pattern: Vec<u8>,
    /// The length of its part before the first special character.
    literal: usize,
    is_excluded: bool,
    is_glob: bool,
    ignore_case: bool,
    /// Only what is in a folder of that name.
    is_folder: bool,
}

/// Which paths are meant; without items all are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pathspec {
    items: Vec<Item>,
    /// Of a folder that is named, only the files in itself are meant.
    pub(crate) is_flat: bool,
}

const MAGIC: [(u8, &str); 4] = [(b'!', "exclude"), (b'^', "exclude"), (b'/', "top"), (b'\0', "literal")];

impl Item {
    fn is_special(&self) -> bool {
        self.literal < self.pattern.len()
    }

    fn matches(&self, path: &[u8]) -> bool {
        if self.pattern.is_empty() {
            return true;
        }
        let same = |one: &[u8], other: &[u8]| {
            if self.ignore_case { one.eq_ignore_ascii_case(other) } else { one == other }
        };
        let length = self.pattern.len();
        if path.len() >= length && path.get(..length).is_some_and(|front| same(front, &self.pattern)) {
            match path.get(length) {
                None => return !self.is_folder,
                Some(b'/') => return true,
                _ => {}
            }
        }
        self.is_special() && matches(&self.pattern, path, self.is_glob, self.ignore_case)
    }

    /// Whether a path lies in a folder of the one that is named.
    fn is_deep(&self, path: &[u8]) -> bool {
        if self.is_special() {
            return false;
        }
        let rest = path.get(self.pattern.len()..).unwrap_or(&[]);
        rest.strip_prefix(b"/").unwrap_or(rest).contains(&b'/')
    }

    /// Whether something in a folder may match.
    fn reaches(&self, folder: &[u8]) -> bool {
        if self.ignore_case {
            return true;
        }
        let literal = self.pattern.get(..self.literal).unwrap_or(&[]);
        let shared = literal.len().min(folder.len());
        if literal.get(..shared) != folder.get(..shared) {
            return false;
        }
        self.is_special()
            || folder.len() <= literal.len()
            || literal.is_empty()
            || folder.get(shared) == Some(&b'/')
    }
}

impl Pathspec {
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a path is meant.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        if self.items.is_empty() {
            return !self.is_flat || !path.contains(&b'/');
        }
        let is_included = self.items.iter().all(|item| item.is_excluded)
            || self
                .items
                .iter()
                .any(|item| !item.is_excluded && item.matches(path) && !(self.is_flat && item.is_deep(path)));
        is_included && !self.items.iter().any(|item| item.is_excluded && item.matches(path))
    }

    /// Whether something in a folder may be meant.
    pub(crate) fn reaches(&self, folder: &[u8]) -> bool {
        self.items.iter().all(|item| item.is_excluded)
            || self.items.iter().any(|item| !item.is_excluded && item.reaches(folder))
    }

    /// The items that match none of the paths, as they were given.
    pub(crate) fn unmatched<'p>(&self, paths: &(impl Iterator<Item = &'p [u8]> + Clone)) -> Vec<Text> {
        let missing = |item: &&Item| !item.is_excluded && !paths.clone().any(|path| item.matches(path));
        self.items.iter().filter(missing).map(|item| item.given.clone()).collect()
    }

    /// The items without special characters, as paths of the work tree.
    pub(crate) fn plain(&self) -> impl Iterator<Item = (&Text, &[u8])> {
        self.items.iter().filter(|item| !item.is_excluded).map(|item| (&item.given, item.pattern.as_slice()))
    }
}

/// A path below the prefix, as seen from the work tree; `None`: it leads out.
pub(crate) fn below(prefix: &[u8], path: &[u8]) -> Option<Vec<u8>> {
    let mut kept: Vec<&[u8]> = components(prefix).collect();
    for part in components(path) {
        match part {
            b"." => {}
            b".." => drop(kept.pop()?),
            name => kept.push(name),
        }
    }
    Some(kept.join_metered(b"/"))
}

impl Git {
    /// A path that was given, as seen from the work tree.
    pub(crate) fn relative(&self, path: &[u8]) -> Result<Vec<u8>> {
        let root = self.repo.work_tree.clone().unwrap_or_default();
        let outside = || {
            let (shown, root) = (bstr::BStr::new(path), bstr::BStr::new(&root));
            fatal!("{shown}: '{shown}' is outside repository at '{root}'")
        };
        if !path.starts_with(b"/") {
            return below(&self.repo.prefix, path).ok_or_else(outside);
        }
        let full = normalise(path);
        if let Some(rest) = full.strip_prefix(root.as_slice())
            && (rest.is_empty() || rest.starts_with(b"/"))
        {
            return Ok(rest.strip_prefix(b"/").unwrap_or(rest).to_metered());
        }
        // The folder may be reached by a link.
        let folder = crate::utility::file::parent(&full);
        let name = crate::utility::file::last_component(&full);
        let real = self.fs().canonicalize(folder).map(|folder| crate::utility::file::join(&folder, name));
        match real.ok().as_deref().and_then(|real| real.strip_prefix(root.as_slice())) {
            Some(rest) => Ok(rest.strip_prefix(b"/").unwrap_or(rest).to_metered()),
            None => Err(outside()),
        }
    }

    /// The pathspecs of operands.
    pub(crate) fn pathspec(&self, operands: &[Text]) -> Result<Pathspec> {
        let mut spec = Pathspec::default();
        let is_set =
            |name: &str| self.variable(name).is_some_and(|value| super::config::truth(value) == Some(true));
        let all_literal = is_set("GIT_LITERAL_PATHSPECS");
        for operand in operands {
            let mut item = Item { given: operand.clone(), ..Item::default() };
            let mut rest: &[u8] = operand;
            let (mut is_top, mut is_literal) = (false, all_literal);
            if !all_literal && let Some(inner) = rest.strip_prefix(b":(") {
                let Some(end) = memchr::memchr(b')', inner) else {
                    return Err(fatal!("Missing ')' at the end of pathspec magic in '{operand}'"));
                };
                for word in inner.get(..end).unwrap_or(&[]).split(|byte| *byte == b',') {
                    match word {
                        b"exclude" => item.is_excluded = true,
                        b"top" => is_top = true,
                        b"glob" => item.is_glob = true,
                        b"icase" => item.ignore_case = true,
                        b"literal" => is_literal = true,
                        b"" => {}
                        _ => {
                            let word = bstr::BStr::new(word);
                            return Err(fatal!("Invalid pathspec magic '{word}' in '{operand}'"));
                        }
                    }
                }
                rest = inner.get(end + 1..).unwrap_or(&[]);
            } else if !all_literal && let Some(mut inner) = rest.strip_prefix(b":") {
                while let Some((byte, tail)) = inner.split_first()
                    && let Some((_, name)) = MAGIC.iter().find(|(sign, _)| sign == byte)
                {
                    item.is_excluded |= *name == "exclude";
                    is_top |= *name == "top";
                    inner = tail;
                }
                rest = inner.strip_prefix(b":").unwrap_or(inner);
            }
            item.is_folder = rest.ends_with(b"/") && !rest.is_empty();
            item.pattern = if is_top { below(b"", rest).unwrap_or_default() } else { self.relative(rest)? };
            let special = |byte: &u8| b"*?[\\".contains(byte);
            let first = if is_literal { None } else { item.pattern.iter().position(special) };
            item.literal = first.unwrap_or(item.pattern.len());
            spec.items.push(item);
        }
        Ok(spec)
    }
}
