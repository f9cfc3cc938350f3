//! Attributes of paths: `info/attributes`, `.gitattributes` in each folder and the user's file. The last line that matches counts,
//! and a deeper folder's file before one above it. A macro (`[attr]NAME ...`) stands for other attributes.

use super::Git;
use super::error::Result;
use super::repository::read_file;
use crate::memory::{Arc, BTreeMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;
use crate::utility::ignore::wildmatch::matches;

/// What is said of attributes (`+`, `-`, a value; none: it is as if nothing was said).
type States = Vec<(Text, Option<Text>)>;

/// A line: a pattern and what it says of attributes.
#[derive(Clone, Debug)]
struct Line {
    pattern: Text,
    is_anchored: bool,
    /// It is the name of a macro, and what that stands for.
    is_macro: bool,
    states: States,
}

/// The files that were read, by their folders.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    folders: BTreeMap<Text, Arc<Vec<Line>>>,
}

/// The key of `info/attributes`.
const INFO: &[u8] = b"\0";
/// The key of the user's file.
const USER: &[u8] = b"\0\0";
/// What the built-in macro stands for.
const BINARY: [&str; 3] = ["diff", "merge", "text"];
/// Macros in macros, at most.
const DEEPEST: usize = 8;

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

fn parse(text: &[u8], has_macros: bool) -> Vec<Line> {
    let mut lines = Vec::new();
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
        let states = words.map(state).collect();
        let is_anchored = pattern.contains(&b'/');
        let pattern = Text::from(pattern.strip_prefix(b"/").unwrap_or(&pattern));
        lines.push(Line { pattern, is_anchored, is_macro, states });
    }
    lines
}

impl Git {
    fn attribute_lines(&mut self, folder: &[u8]) -> Result<Arc<Vec<Line>>> {
        if let Some(lines) = self.attributes.folders.get(folder) {
            return Ok(Arc::clone(lines));
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
        let lines = Arc::new(parse(&text, has_macros));
        self.attributes.folders.insert(Text::from(folder), Arc::clone(&lines));
        Ok(lines)
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
        let mut files: Vec<Vec<u8>> = [USER, b"", INFO].map(ToMetered::to_metered).into_iter().collect();
        files.extend(Self::attribute_files(path).into_iter().rev().filter(|file| file.ends_with(b"/")));
        for file in &files {
            for line in self.attribute_lines(file)?.iter() {
                let own = line.is_macro.then(|| line.pattern.clone());
                for name in own.into_iter().chain(line.states.iter().map(|state| state.0.clone())) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
        Ok(names)
    }

    /// What a macro stands for.
    fn attribute_macro(&mut self, name: &[u8]) -> Result<Option<States>> {
        for file in [INFO, b"", USER] {
            let lines = self.attribute_lines(file)?;
            if let Some(line) = lines.iter().rev().find(|line| line.is_macro && *line.pattern == *name) {
                return Ok(Some(line.states.clone()));
            }
        }
        Ok((name == b"binary")
            .then(|| BINARY.iter().map(|name| ((*name).into(), Some("-".into()))).collect()))
    }

    /// What states say of an attribute, by themselves or by macros; `None`: nothing.
    #[expect(clippy::option_option, reason = "nothing is said, or that nothing is to be said")]
    fn said(
        &mut self,
        states: &[(Text, Option<Text>)],
        name: &[u8],
        depth: usize,
    ) -> Result<Option<Option<Text>>> {
        for (known, state) in states.iter().rev() {
            self.ctx.tick_now()?;
            if **known == *name {
                return Ok(Some(state.clone()));
            }
            let is_set = state.as_ref().is_some_and(|state| **state == *b"+");
            if is_set
                && depth < DEEPEST
                && let Some(inner) = self.attribute_macro(known)?
                && let Some(said) = self.said(&inner, name, depth + 1)?
            {
                return Ok(Some(said));
            }
        }
        Ok(None)
    }

    /// An attribute of a path: `+`, `-` or a value.
    pub(crate) fn attribute(&mut self, path: &[u8], name: &[u8]) -> Result<Option<Text>> {
        if self.repo.work_tree.is_none() {
            return Ok(None);
        }
        for file in &Self::attribute_files(path) {
            let lines = self.attribute_lines(file)?;
            let base: &[u8] = if file == INFO || file == USER { b"" } else { file };
            let inner = path.strip_prefix(base).unwrap_or(path);
            let last = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
            for line in lines.iter().rev().filter(|line| !line.is_macro) {
                self.ctx.tick_now()?;
                let text = if line.is_anchored { inner } else { last };
                if matches(&line.pattern, text, true, false)
                    && let Some(said) = self.said(&line.states, name, 0)?
                {
                    return Ok(said);
                }
            }
        }
        Ok(None)
    }
}
