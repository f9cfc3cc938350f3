//! Commands that were found along `PATH`, kept as long as nothing was written to the session's files.
//!
//! Bash remembers paths too (`hash`), but a substitution forgets what it remembered, and a hook runs its commands there.

use crate::clock::lock;
use crate::limit::gauge;
use crate::memory::HashMap;
use crate::text::Text;
use crate::vfs::FileSystem;
use std::sync::Mutex;

/// Most commands that are kept.
const MOST: usize = 256;

/// See the module. Belongs to one session.
#[derive(Debug, Default)]
pub(crate) struct Lookups(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The files' version that all of this was found at.
    version: Option<u64>,
    /// The value of `PATH` that `paths` was found with.
    search: Text,
    /// Paths by name.
    paths: HashMap<Text, Text>,
    /// Commands that files stand for, by absolute path.
    commands: HashMap<Text, Text>,
}

impl Inner {
    /// Forgets what was found in files that are not the same any more. Whether something can be kept.
    fn refresh(&mut self, version: Option<u64>) -> bool {
        if version != self.version {
            self.version = version;
            self.paths.clear();
            self.commands.clear();
        }
        version.is_some()
    }
}

impl Lookups {
    /// What is kept.
    pub(crate) fn bytes(&self) -> usize {
        let inner = lock(&self.0);
        let entries = inner.paths.iter().chain(inner.commands.iter());
        entries.map(|(name, path)| name.heap_size() + path.heap_size() + 4 * size_of::<Text>()).sum()
    }

    /// Where `name` was found along `search`.
    pub(crate) fn path(&self, files: &FileSystem, search: &Text, name: &[u8]) -> Option<Text> {
        let mut inner = lock(&self.0);
        let known = inner.refresh(files.version()) && inner.search == *search;
        if known { inner.paths.get(name).cloned() } else { None }
    }

    /// Keeps where `name` was found in files of this version.
    pub(crate) fn keep_path(&self, version: Option<u64>, search: &Text, name: &Text, path: &Text) {
        // What is relative depends on the working directory.
        let absolute = search.split(|&byte| byte == b':').all(|directory| directory.starts_with(b"/"));
        let mut inner = lock(&self.0);
        if !absolute || gauge::is_refused() || !inner.refresh(version) {
            return;
        }
        if inner.search != *search || inner.paths.len() >= MOST {
            inner.search = search.clone();
            inner.paths.clear();
        }
        inner.paths.insert(name.clone(), path.clone());
    }

    /// The command that the file at an absolute path stands for.
    pub(crate) fn command(&self, files: &FileSystem, path: &[u8]) -> Option<Text> {
        let mut inner = lock(&self.0);
        if inner.refresh(files.version()) { inner.commands.get(path).cloned() } else { None }
    }

    /// Keeps what command a file of this version stands for.
    pub(crate) fn keep_command(&self, version: Option<u64>, path: &[u8], command: &Text) {
        let mut inner = lock(&self.0);
        if !gauge::is_refused() && inner.refresh(version) && inner.commands.len() < MOST {
            inner.commands.insert(Text::from(path), command.clone());
        }
    }
}
