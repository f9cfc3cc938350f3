//! Attributes of paths: `.gitattributes` in each folder and `info/attributes`. The last line that matches counts, and a deeper
//! folder's file before one above it.

use super::Git;
use super::error::Result;
use super::repository::read_file;
use crate::memory::{Arc, BTreeMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;
use crate::utility::ignore::wildmatch::matches;

/// A line: a pattern and what it says of attributes (`+`, `-`, a value; none: it is as if nothing was said).
#[derive(Clone, Debug)]
struct Line {
    pattern: Text,
    is_anchored: bool,
    states: Vec<(Text, Option<Text>)>,
}

/// The files that were read, by their folders.
#[derive(Debug, Default)]
pub(crate) struct Attributes {
    folders: BTreeMap<Text, Arc<Vec<Line>>>,
}

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

fn parse(text: &[u8]) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"[attr]") {
            continue;
        }
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(pattern) = words.next() else { continue };
        let mut states = Vec::new();
        for word in words {
            if word == b"binary" {
                // What the built-in macro stands for.
                for name in ["diff", "merge", "text"] {
                    states.push((name.into(), Some("-".into())));
                }
            }
            states.push(state(word));
        }
        let is_anchored = pattern.contains(&b'/');
        let pattern = Text::from(pattern.strip_prefix(b"/").unwrap_or(pattern));
        lines.push(Line { pattern, is_anchored, states });
    }
    lines
}

impl Git {
    fn attribute_lines(&mut self, folder: &[u8]) -> Result<Arc<Vec<Line>>> {
        if let Some(lines) = self.attributes.folders.get(folder) {
            return Ok(Arc::clone(lines));
        }
        let path = match folder {
            b"\0" => join(&self.repo.common_dir, b"info/attributes"),
            _ => self.in_work_tree(&[folder, b".gitattributes"].concat_metered()),
        };
        let lines = Arc::new(parse(&read_file(self.fs(), &path)?.unwrap_or_default()));
        self.attributes.folders.insert(Text::from(folder), Arc::clone(&lines));
        Ok(lines)
    }

    /// The attributes that files name for paths, in order.
    pub(crate) fn attribute_names(&mut self, path: &[u8]) -> Result<Vec<Text>> {
        // All files on the way are read.
        self.attribute(path, b"")?;
        let mut names: Vec<Text> = Vec::new();
        for lines in self.attributes.folders.values() {
            for (name, _) in lines.iter().flat_map(|line| line.states.iter()) {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
        }
        names.sort();
        Ok(names)
    }

    /// An attribute of a path: `+`, `-` or a value.
    pub(crate) fn attribute(&mut self, path: &[u8], name: &[u8]) -> Result<Option<Text>> {
        if self.repo.work_tree.is_none() {
            return Ok(None);
        }
        let mut folders: Vec<Vec<u8>> = Vec::new();
        folders.push(Vec::new());
        for slash in memchr::memchr_iter(b'/', path) {
            folders.push(path.get(..=slash).unwrap_or(&[]).to_metered());
        }
        folders.as_mut_slice().reverse();
        folders.insert(0, b"\0".to_metered());
        for folder in &folders {
            self.ctx.tick_now()?;
            let lines = self.attribute_lines(folder)?;
            let base: &[u8] = if folder == b"\0" { b"" } else { folder };
            let inner = path.strip_prefix(base).unwrap_or(path);
            let last = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
            for line in lines.iter().rev() {
                let text = if line.is_anchored { inner } else { last };
                if let Some((_, state)) = line.states.iter().rev().find(|(known, _)| *known == *name)
                    && matches(&line.pattern, text, true, false)
                {
                    return Ok(state.clone());
                }
            }
        }
        Ok(None)
    }
}
