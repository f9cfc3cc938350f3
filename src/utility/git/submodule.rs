//! Submodules: repositories in folders of the work tree.

use super::Git;
use super::dirt::Dirt;
use super::error::{Result, found};
use super::object::id::ObjectId;
use super::pathspec::Pathspec;
use super::repository::{common_dir, linked, read_file};
use super::status::{Ignored, Untracked};
use crate::memory::{Arc, HashMap, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::file::join;
use std::pin::Pin;

/// Refs that name each other, at most.
const MOST_LINKS: usize = 5;
/// Variables that say which repository is meant.
const PLACES: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];

/// What was known of the repository around a submodule.
struct Outer {
    cwd: Text,
    env: Arc<crate::utility::Environment>,
    is_found: bool,
    repo: super::repository::Repository,
    config: super::config::Config,
    objects: super::object::Database,
    packed: Option<super::refs::PackedRefs>,
    ignore: super::ignore::Ignore,
    attributes: super::attributes::Attributes,
    commits: HashMap<ObjectId, Arc<super::object::commit::Commit>>,
    known_files: Option<Arc<HashMap<Text, ObjectId>>>,
    shallow: Option<HashMap<ObjectId, ()>>,
    abbreviation: Option<usize>,
}

impl Git {
    /// Where the repository of a folder of the work tree is; `None`: the folder has none.
    fn submodule_dir(&self, path: &[u8]) -> Result<Option<Vec<u8>>> {
        let folder = self.in_work_tree(path);
        let dot_git = join(&folder, b".git");
        Ok(match found(self.fs().metadata(&dot_git))? {
            Some(metadata) if metadata.is_directory() => Some(dot_git),
            Some(_) => Some(linked(self.fs(), &dot_git, &folder)?),
            None => None,
        })
    }

    /// The commit that is checked out in the repository of a folder; `None`: there is no repository, or it has no commits.
    pub(crate) fn submodule_head(&self, path: &[u8]) -> Result<Option<ObjectId>> {
        let Some(git_dir) = self.submodule_dir(path)? else { return Ok(None) };
        let common = common_dir(self.fs(), &git_dir)?;
        let mut name = b"HEAD".to_metered();
        for _ in 0..MOST_LINKS {
            let own = read_file(self.fs(), &join(&git_dir, &name))?;
            let text = match own {
                Some(text) => text,
                None => match read_file(self.fs(), &join(&common, &name))? {
                    Some(text) => text,
                    None => return self.packed_in(&common, &name),
                },
            };
            match text.strip_prefix(b"ref:") {
                Some(target) => name = target.trim_ascii().to_metered(),
                None => return Ok(text.get(..40).and_then(ObjectId::from_hex)),
            }
        }
        Ok(None)
    }

    /// A ref among the packed ones of another repository.
    fn packed_in(&self, common: &[u8], name: &[u8]) -> Result<Option<ObjectId>> {
        let text = read_file(self.fs(), &join(common, b"packed-refs"))?.unwrap_or_default();
        for line in text.split(|byte| *byte == b'\n') {
            self.ctx.meter.refuel_in_place()?;
            if line.get(41..) == Some(name) {
                return Ok(line.get(..40).and_then(ObjectId::from_hex));
            }
        }
        Ok(None)
    }

    /// How the submodule of an entry is not as the entry says; `None`: nothing is checked out.
    pub(crate) async fn submodule_dirt(&mut self, path: &[u8], id: &ObjectId) -> Result<Option<Dirt>> {
        let Some(head) = self.submodule_head(path)? else { return Ok(None) };
        let folder = self.in_work_tree(path);
        let outer = self.enter(folder.into());
        let result = match self.discover() {
            Ok(true) => self.inner_dirt().await,
            Ok(false) => Ok(Dirt::default()),
            Err(error) => Err(error),
        };
        self.leave(outer);
        Ok(Some(Dirt { has_commits: head != *id, ..result? }))
    }

    /// What `status` would show. Submodules have submodules: the future is in a box.
    #[expect(clippy::disallowed_methods, reason = "one small box for each level of submodules")]
    fn inner_dirt<'g>(&'g mut self) -> Pin<Box<dyn Future<Output = Result<Dirt>> + Send + 'g>> {
        Box::pin(async move {
            let spec = Pathspec::default();
            let status = self.status(&spec, Untracked::Normal, Ignored::No, None).await?;
            let only_untracked = |dirt: Dirt| dirt.has_untracked && !dirt.is_modified && !dirt.has_commits;
            let mut dirt = Dirt { has_untracked: !status.untracked.is_empty(), ..Dirt::default() };
            for one in status.paths.values() {
                let is_untracked = one.staged.is_none()
                    && one.unstaged.as_ref().is_some_and(|change| only_untracked(change.dirt));
                dirt.has_untracked |= is_untracked;
                dirt.is_modified |= !is_untracked;
            }
            Ok(dirt)
        })
    }

    /// What is said when another repository is added; how to go on only of the first.
    pub(crate) fn warn_of_embedded(&mut self, path: &[u8]) {
        let path = bstr::BStr::new(path);
        self.say(&format!("warning: adding embedded git repository: {path}"));
        if std::mem::replace(&mut self.has_warned, true)
            || self.config.truth("advice.addembeddedrepo") == Some(false)
        {
            return;
        }
        self.say(&format!(
            "hint: You've added another git repository inside your current repository.\n\
             hint: Clones of the outer repository will not contain the contents of\n\
             hint: the embedded repository and will not know how to obtain it.\n\
             hint: If you meant to add a submodule, use:\n\
             hint:\n\
             hint: \tgit submodule add <url> {path}\n\
             hint:\n\
             hint: If you added this path by mistake, you can remove it from the\n\
             hint: index with:\n\
             hint:\n\
             hint: \tgit rm --cached {path}\n\
             hint:\n\
             hint: See \"git help submodule\" for more information.\n\
             hint: Disable this message with \"git config advice.addEmbeddedRepo false\""
        ));
    }

    /// Puts aside what is known, for another repository.
    fn enter(&mut self, folder: Text) -> Outer {
        let mut env = crate::utility::Environment::clone(&self.ctx.env);
        for name in PLACES {
            env.remove(name.as_bytes());
        }
        Outer {
            cwd: std::mem::replace(&mut self.ctx.cwd, folder),
            env: std::mem::replace(&mut self.ctx.env, Arc::new(env)),
            is_found: self.is_found,
            repo: std::mem::take(&mut self.repo),
            config: std::mem::take(&mut self.config),
            objects: std::mem::take(&mut self.objects),
            packed: self.packed.take(),
            ignore: std::mem::take(&mut self.ignore),
            attributes: std::mem::take(&mut self.attributes),
            commits: std::mem::take(&mut self.commits),
            known_files: self.known_files.take(),
            shallow: self.shallow.take(),
            abbreviation: self.abbreviation.take(),
        }
    }

    fn leave(&mut self, outer: Outer) {
        self.ctx.cwd = outer.cwd;
        self.ctx.env = outer.env;
        self.is_found = outer.is_found;
        self.repo = outer.repo;
        self.config = outer.config;
        self.objects = outer.objects;
        self.packed = outer.packed;
        self.ignore = outer.ignore;
        self.attributes = outer.attributes;
        self.commits = outer.commits;
        self.known_files = outer.known_files;
        self.shallow = outer.shallow;
        self.abbreviation = outer.abbreviation;
    }
}
