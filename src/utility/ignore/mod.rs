//! Lists of patterns that say which files are left out, as `gitignore(5)` has them: for `git`, `rg` and `tree`.
//!
//! In a list the last pattern that matches counts. Which lists have a say, and in which order, is the caller's business.

pub(crate) mod braces;
pub(crate) mod wildmatch;

use crate::memory::{ToMetered, Vec};
use crate::text::Text;
use wildmatch::matches;

/// A line of a list.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// As it stands in the file.
    pub(crate) text: Text,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) is_negated: bool,
    body: Text,
    only_folders: bool,
    /// It is held against the whole path from the list's folder, else against the name alone.
    is_anchored: bool,
    ignore_case: bool,
}

/// A file of patterns.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) source: Text,
    /// The folder that it is about, with a slash at its end.
    base: Vec<u8>,
    patterns: Vec<Pattern>,
}

impl Pattern {
    /// Reads a line; `None` where it holds no pattern.
    fn parse(line: &[u8], number: usize) -> Option<Self> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") || line.is_empty() {
            return None;
        }
        let mut body = line;
        while let Some(shorter) = body.strip_suffix(b" ") {
            if shorter.ends_with(b"\\") {
                break;
            }
            body = shorter;
        }
        let text = Text::from(body);
        let is_negated = body.starts_with(b"!");
        body = body.strip_prefix(b"!").unwrap_or(body);
        let only_folders = body.ends_with(b"/");
        body = body.strip_suffix(b"/").unwrap_or(body);
        let is_anchored = body.contains(&b'/');
        body = body.strip_prefix(b"/").unwrap_or(body);
        let body = Text::from(body);
        (!body.is_empty()).then_some(Self {
            text,
            line: number,
            is_negated,
            body,
            only_folders,
            is_anchored,
            ignore_case: false,
        })
    }
}

impl List {
    /// Without patterns, about the folder `base`, which is empty or ends with a slash.
    pub(crate) fn new(base: &[u8], source: &[u8]) -> Self {
        Self { source: Text::from(source), base: base.to_metered(), patterns: Vec::new() }
    }

    /// The list in a file's text.
    pub(crate) fn parse(text: &[u8], base: &[u8], source: &[u8]) -> Self {
        let mut list = Self::new(base, source);
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            list.patterns.extend(Pattern::parse(line, number + 1));
        }
        list
    }

    /// Adds a line in which braces hold alternatives.
    ///
    /// # Errors
    /// What is wrong with the pattern.
    pub(crate) fn add_with_braces(
        &mut self,
        line: &[u8],
        number: usize,
        ignore_case: bool,
    ) -> Result<(), braces::GlobError> {
        let Some(pattern) = Pattern::parse(line, number) else { return Ok(()) };
        for body in braces::expand(&pattern.body)? {
            self.patterns.push(Pattern { body: Text::from(body), ignore_case, ..pattern.clone() });
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether one of its patterns is negated, or whether one is not.
    pub(crate) fn has_negated(&self, is_negated: bool) -> bool {
        self.patterns.iter().any(|pattern| pattern.is_negated == is_negated)
    }

    /// Whether a path is below its folder.
    pub(crate) fn is_about(&self, path: &[u8]) -> bool {
        path.starts_with(&self.base)
    }

    /// The last pattern that matches a path, which is as long as the list's folder or longer.
    pub(crate) fn find(&self, path: &[u8], is_folder: bool, ignore_case: bool) -> Option<&Pattern> {
        let inner = path.strip_prefix(self.base.as_slice())?;
        let name = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
        self.patterns.iter().rev().find(|pattern| {
            if pattern.only_folders && !is_folder {
                return false;
            }
            let text = if pattern.is_anchored { inner } else { name };
            matches(&pattern.body, text, true, ignore_case || pattern.ignore_case)
        })
    }
}
