//! What is ignored: `.gitignore` in each folder, `info/exclude`, `core.excludesFile`. In a list the last pattern that matches
//! counts, and a deeper folder's list before one above it.

use super::Git;
use super::error::Result;
use super::repository::read_file;
use super::wildmatch::matches;
use crate::memory::{Arc, BTreeMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;

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
}

/// A file of patterns.
#[derive(Clone, Debug)]
pub(crate) struct List {
    pub(crate) source: Text,
    /// The folder that it is about, with a slash at its end.
    base: Vec<u8>,
    patterns: Vec<Pattern>,
}

/// The lists of a work tree, read when they are needed.
#[derive(Debug, Default)]
pub(crate) struct Ignore {
    folders: BTreeMap<Text, Arc<List>>,
    general: Option<Vec<Arc<List>>>,
    folds_case: bool,
}

fn parse(text: &[u8], base: &[u8], source: &[u8]) -> List {
    let mut patterns = Vec::new();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.starts_with(b"#") || line.is_empty() {
            continue;
        }
        let mut body = line;
        while let Some(shorter) = body.strip_suffix(b" ") {
            if shorter.ends_with(b"\\") {
                break;
            }
            body = shorter;
        }
        let whole = body;
        let is_negated = body.starts_with(b"!");
        body = body.strip_prefix(b"!").unwrap_or(body);
        let only_folders = body.ends_with(b"/");
        body = body.strip_suffix(b"/").unwrap_or(body);
        let is_anchored = body.contains(&b'/');
        body = body.strip_prefix(b"/").unwrap_or(body);
        if body.is_empty() {
            continue;
        }
        let (text, body) = (Text::from(whole), Text::from(body));
        patterns.push(Pattern { text, line: number + 1, is_negated, body, only_folders, is_anchored });
    }
    List { source: Text::from(source), base: base.to_metered(), patterns }
}

impl List {
    /// The last pattern that matches a path of the work tree.
    fn find(&self, path: &[u8], is_folder: bool, ignore_case: bool) -> Option<&Pattern> {
        let inner = path.strip_prefix(self.base.as_slice())?;
        let name = inner.rsplit(|byte| *byte == b'/').next().unwrap_or(inner);
        self.patterns.iter().rev().find(|pattern| {
            if pattern.only_folders && !is_folder {
                return false;
            }
            let text = if pattern.is_anchored { inner } else { name };
            matches(&pattern.body, text, true, ignore_case)
        })
    }
}

impl Git {
    fn general_lists(&mut self) -> Result<Vec<Arc<List>>> {
        if let Some(lists) = &self.ignore.general {
            return Ok(lists.clone());
        }
        self.ignore.folds_case = self.config.truth("core.ignorecase") == Some(true);
        let mut lists = Vec::new();
        let info = join(&self.repo.common_dir, b"info/exclude");
        if let Some(text) = read_file(self.fs(), &info)? {
            let shown = if self.repo.shown_git_dir == b".git" && self.repo.prefix.is_empty() {
                b".git/info/exclude".to_metered()
            } else {
                info
            };
            lists.push(Arc::new(parse(&text, b"", &shown)));
        }
        let file = match self.config.get("core.excludesfile") {
            Some(path) => Some(self.expand_home(path)),
            None => match (self.variable("XDG_CONFIG_HOME"), self.variable("HOME")) {
                (Some(folder), _) => Some(join(folder, b"git/ignore")),
                (None, Some(home)) => Some(join(home, b".config/git/ignore")),
                (None, None) => None,
            },
        };
        if let Some(path) = file
            && let Some(text) = read_file(self.fs(), &self.ctx.absolute(&path))?
        {
            lists.push(Arc::new(parse(&text, b"", &path)));
        }
        self.ignore.general = Some(lists.clone());
        Ok(lists)
    }

    /// The list of a folder, which is empty or ends with a slash.
    fn folder_list(&mut self, folder: &[u8]) -> Result<Arc<List>> {
        if let Some(list) = self.ignore.folders.get(folder) {
            return Ok(Arc::clone(list));
        }
        let path = [folder, b".gitignore"].concat_metered();
        let text = read_file(self.fs(), &self.in_work_tree(&path))?.unwrap_or_default();
        let list = Arc::new(parse(&text, folder, &path));
        self.ignore.folders.insert(Text::from(folder), Arc::clone(&list));
        Ok(list)
    }

    /// The lists that have a say about a path, the deepest folder's first.
    async fn lists_about(&mut self, path: &[u8]) -> Result<Vec<Arc<List>>> {
        let general = self.general_lists()?;
        let mut lists = Vec::new();
        for end in memchr::memrchr_iter(b'/', path).map(|at| at + 1).chain([0]) {
            self.ctx.tick().await?;
            let list = self.folder_list(path.get(..end).unwrap_or(&[]))?;
            if !list.patterns.is_empty() {
                lists.push(list);
            }
        }
        lists.extend(general);
        Ok(lists)
    }

    /// The first pattern of the lists that matches a path by itself, and its list.
    async fn first_pattern(
        &mut self,
        lists: &[Arc<List>],
        path: &[u8],
        is_folder: bool,
    ) -> Result<Option<(Arc<List>, Pattern)>> {
        for list in lists {
            self.ctx.tick().await?;
            if let Some(pattern) = list.find(path, is_folder, self.ignore.folds_case) {
                return Ok(Some((Arc::clone(list), pattern.clone())));
            }
        }
        Ok(None)
    }

    /// The pattern that decides about a path or a folder above it.
    pub(crate) async fn deciding_pattern(
        &mut self,
        path: &[u8],
        is_folder: bool,
    ) -> Result<Option<(Arc<List>, Pattern)>> {
        let lists = self.lists_about(path).await?;
        for slash in memchr::memchr_iter(b'/', path) {
            if let Some(decided) = self.first_pattern(&lists, path.get(..slash).unwrap_or(&[]), true).await?
                && !decided.1.is_negated
            {
                return Ok(Some(decided));
            }
        }
        self.first_pattern(&lists, path, is_folder).await
    }

    /// Whether a path is ignored by itself; folders above it are not looked at.
    pub(crate) async fn is_ignored(&mut self, path: &[u8], is_folder: bool) -> Result<bool> {
        let lists = self.lists_about(path).await?;
        Ok(self.first_pattern(&lists, path, is_folder).await?.is_some_and(|(_, pattern)| !pattern.is_negated))
    }
}
