//! What is ignored: `.gitignore` in each folder, `info/exclude`, `core.excludesFile`; a deeper folder's list comes before one
//! above it.

use super::Git;
use super::error::Result;
use super::repository::read_file;
use crate::memory::{Arc, BTreeMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::join;
pub(crate) use crate::utility::ignore::{List, Pattern};

/// The lists of a work tree, read when they are needed.
#[derive(Debug, Default)]
pub(crate) struct Ignore {
    folders: BTreeMap<Text, Arc<List>>,
    general: Option<Vec<Arc<List>>>,
    /// What the command line gives; it comes before all others.
    given: Vec<Arc<List>>,
    /// Nothing else is read.
    only_given: bool,
    folds_case: bool,
}

impl Git {
    /// Adds patterns of the command line.
    pub(crate) fn add_ignored(&mut self, text: &[u8], source: &[u8]) {
        self.ignore.given.push(Arc::new(List::parse(text, b"", source)));
    }

    /// Leaves all lists alone but those of the command line.
    pub(crate) fn ignore_only_given(&mut self) {
        self.ignore.only_given = true;
    }

    /// A file of the user that the configuration names, as it is shown and where it is; a relative name is that of the work tree.
    pub(crate) fn user_file(&self, name: &str, usual: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let shown = match self.config.get(name) {
            Some(path) => self.expand_home(path),
            None => match (self.variable("XDG_CONFIG_HOME"), self.variable("HOME")) {
                (Some(folder), _) => join(folder, usual),
                (None, Some(home)) => join(&join(home, b".config"), usual),
                (None, None) => return None,
            },
        };
        let base = self.repo.work_tree.as_deref().unwrap_or(&self.ctx.cwd);
        let path = crate::vfs::path::join(base, &shown);
        Some((shown, path))
    }

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
            lists.push(Arc::new(List::parse(&text, b"", &shown)));
        }
        if let Some((shown, path)) = self.user_file("core.excludesfile", b"git/ignore")
            && let Some(text) = read_file(self.fs(), &path)?
        {
            lists.push(Arc::new(List::parse(&text, b"", &shown)));
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
        let list = Arc::new(List::parse(&text, folder, &path));
        self.ignore.folders.insert(Text::from(folder), Arc::clone(&list));
        Ok(list)
    }

    /// The lists that have a say about a path, the deepest folder's first.
    async fn lists_about(&mut self, path: &[u8]) -> Result<Vec<Arc<List>>> {
        let mut lists = self.ignore.given.clone();
        if self.ignore.only_given {
            return Ok(lists);
        }
        let general = self.general_lists()?;
        for end in memchr::memrchr_iter(b'/', path).map(|at| at + 1).chain([0]) {
            self.ctx.tick().await?;
            let list = self.folder_list(path.get(..end).unwrap_or(&[]))?;
            if !list.is_empty() {
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
