//! Attributes of paths: `info/attributes`, `.gitattributes` in each folder and the user's file. The last line that matches counts,
//! and a deeper folder's file before one above it. A macro (`[attr]NAME ...`) stands for other attributes.

use super::Git;
use super::error::Result;
use super::repository::read_file;
use crate::memory::{Arc, BTreeMap, BTreeSet, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;
use crate::utility::ignore::wildmatch::matches;

/// What is said of attributes (`+`, `-`, a value; none: it is as if nothing was said).
type States = Vec<(Text, Option<Text>)>;

/// A line: a pattern and what it says of attributes.
#[derive(Debug)]
struct Line {
    pattern: Text,
    is_anchored: bool,
    /// It is the name of a macro, and what that stands for.
    is_macro: bool,
    states: Arc<States>,
}

/// What a file says.
#[derive(Debug, Default)]
struct Said {
    lines: Vec<Line>,
    /// What its macros stand for, by the last line of each.
    macros: BTreeMap<Text, Arc<States>>,
}

/// Every attribute that is said of a path.
type OfPath = BTreeMap<Text, Option<Text>>;

/// The files that were read, by their folders.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    folders: BTreeMap<Text, Arc<Said>>,
    /// The path that was asked for last: who asks for one of its attributes asks for others.
    last: Option<(Text, Arc<OfPath>)>,
}

/// The key of `info/attributes`.
const INFO: &[u8] = b"\0";
/// The key of the user's file.
const USER: &[u8] = b"\0\0";
/// What the built-in macro stands for.
const BINARY: [&str; 3] = ["diff", "merge", "text"];

fn state(word: &[u8]) -> (Text, Option<Text>) {
    match word {
        [b'-', name @ ..] => (name.into(), Some("-".into())),
        [b'!', name @ ..] => (name.into(), None),
        _ => match memchr::memchr(b'=', word) {
            Some(at) => (word.get(..at).unwrap_or(word).into(), word.get(at + 1..).map(Text::from)),
            None => (word.into(), Some("+".into())),
        },
    }
}

/// The pattern at the start of a line, which may stand in quotes, and the rest.
fn pattern(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    if line.starts_with(b"\"") {
        return super::unquoting::unquote_front(line);
    }
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    Some((line.get(..end)?.to_metered(), line.get(end..)?))
}

fn parse(text: &[u8], has_macros: bool) -> Said {
    let mut said = Said::default();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        let (is_macro, line) = match line.strip_prefix(b"[attr]") {
            Some(rest) => (true, rest.trim_ascii_start()),
            None => (false, line),
        };
        // Patterns cannot be negated here.
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"!") || (is_macro && !has_macros) {
            continue;
        }
        let Some((pattern, rest)) = pattern(line) else { continue };
        let words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let states = Arc::new(words.map(state).collect());
        let is_anchored = pattern.contains(&b'/');
        let pattern = Text::from(pattern.strip_prefix(b"/").unwrap_or(&pattern));
        if is_macro {
            said.macros.insert(pattern.clone(), Arc::clone(&states));
        }
        said.lines.push(Line { pattern, is_anchored, is_macro, states });
    }
    said
}

impl Git {
    fn attributes_in(&mut self, folder: &[u8]) -> Result<Arc<Said>> {
        if let Some(said) = self.attributes.folders.get(folder) {
            return Ok(Arc::clone(said));
        }
        let path = match folder {
            INFO => Some(join(&self.repo.common_dir, b"info/attributes")),
            USER => self.user_file("core.attributesfile", b"git/attributes").map(|file| file.1),
            _ => Some(self.in_work_tree(&[folder, b".gitattributes"].concat_metered())),
        };
        let text = match path {
            Some(path) => read_file(self.fs(), &path)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let has_macros = folder.is_empty() || folder == INFO || folder == USER;
        let said = Arc::new(parse(&text, has_macros));
        self.attributes.folders.insert(Text::from(folder), Arc::clone(&said));
        Ok(said)
    }

    /// The keys of the files that have a say about a path, those that count most first.
    fn attribute_files(path: &[u8]) -> Vec<Vec<u8>> {
        let mut files: Vec<Vec<u8>> = Vec::new();
        files.push(USER.to_metered());
        files.push(Vec::new());
        for slash in memchr::memchr_iter(b'/', path) {
            files.push(path.get(..=slash).unwrap_or(&[]).to_metered());
        }
        files.push(INFO.to_metered());
        files.as_mut_slice().reverse();
        files
    }

    /// The attributes that files name for paths, in the order in which they name them.
    pub(crate) fn attribute_names(&mut self, path: &[u8]) -> Result<Vec<Text>> {
        let mut names: Vec<Text> = Vec::new();
        names.push("binary".into());
        names.extend(BINARY.iter().map(|name| Text::from(*name)));
        let mut known: BTreeSet<Text> = names.iter().cloned().collect();
        let mut files: Vec<Vec<u8>> = [USER, b"", INFO].map(ToMetered::to_metered).into_iter().collect();
        files.extend(Self::attribute_files(path).into_iter().rev().filter(|file| file.ends_with(b"/")));
        for file in &files {
            for line in &self.attributes_in(file)?.lines {
                let own = line.is_macro.then(|| line.pattern.clone());
                for name in own.into_iter().chain(line.states.iter().map(|state| state.0.clone())) {
                    self.ctx.tick_now()?;
                    if known.insert(name.clone()) {
                        names.push(name);
                    }
                }
            }
        }
        Ok(names)
    }

    /// What a macro stands for.
    fn attribute_macro(&mut self, name: &[u8]) -> Result<Option<Arc<States>>> {
        for file in [INFO, b"", USER] {
            if let Some(states) = self.attributes_in(file)?.macros.get(name) {
                return Ok(Some(Arc::clone(states)));
            }
        }
        let binary = || BINARY.iter().map(|name| (Text::from(*name), Some("-".into()))).collect();
        Ok((name == b"binary").then(|| Arc::new(binary())))
    }

    /// Adds what the states of a line say of attributes that nothing was said of, the last first, and what macros that are set
    /// stand for. A macro is looked at once: it has a state from then on.
    fn add_states(&mut self, of_path: &mut OfPath, states: &Arc<States>) -> Result<()> {
        let mut open: Vec<(Arc<States>, usize)> = Vec::new();
        open.push((Arc::clone(states), states.len()));
        while let Some((states, left)) = open.last_mut() {
            self.ctx.tick_now()?;
            *left = left.wrapping_sub(1);
            let Some((name, state)) = states.get(*left).cloned() else {
                open.pop();
                continue;
            };
            if of_path.contains_key(&name) {
                continue;
            }
            let is_set = state.as_ref().is_some_and(|state| **state == *b"+");
            of_path.insert(name.clone(), state);
            if is_set && let Some(inner) = self.attribute_macro(&name)? {
                let left = inner.len();
                open.push((inner, left));
            }
        }
        Ok(())
    }

    /// Every attribute that files say of a path.
    fn attributes_of(&mut self, path: &[u8]) -> Result<Arc<OfPath>> {
        if let Some((last, of_path)) = &self.attributes.last
            && **last == *path
        {
            return Ok(Arc::clone(of_path));
        }
        let mut of_path = OfPath::new();
        for file in &Self::attribute_files(path) {
            let said = self.attributes_in(file)?;
            let base: &[u8] = if file == INFO || file == USER { b"" } else { file };
            let inner = path.strip_prefix(base).unwrap_or(path);
            let last = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
            for line in said.lines.iter().rev().filter(|line| !line.is_macro) {
                self.ctx.tick_now()?;
                let text = if line.is_anchored { inner } else { last };
                if matches(&line.pattern, text, true, false) {
                    self.add_states(&mut of_path, &line.states)?;
                }
            }
        }
        let of_path = Arc::new(of_path);
        self.attributes.last = Some((Text::from(path), Arc::clone(&of_path)));
        Ok(of_path)
    }

    /// An attribute of a path: `+`, `-` or a value.
    pub(crate) fn attribute(&mut self, path: &[u8], name: &[u8]) -> Result<Option<Text>> {
        if self.repo.work_tree.is_none() {
            return Ok(None);
        }
        Ok(self.attributes_of(path)?.get(name).cloned().flatten())
    }
}
