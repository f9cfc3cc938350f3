//! Submodules: repositories in folders of the work tree.

use super::Git;
use super::dirt::Dirt;
use super::error::{Result, fatal, found};
use super::object::id::ObjectId;
use super::refs::MOST_LINKS;
use super::repository::{common_dir, is_git_dir, linked, read_file};
use crate::io::{Description, pipe};
use crate::memory::{Arc, ToMetered, Vec, format, vec};
use crate::utility::file::join;
use crate::utility::prelude::*;
use crate::utility::{CommandError, Relation};

/// The command itself.
const PROGRAM: &[u8] = b"/usr/bin/git";
/// Variables that say which repository is meant.
const PLACES: [&str; 6] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX"];

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
        let mut dirt = Dirt { has_commits: head != *id, ..Dirt::default() };
        let status = self.submodule_status(path).await?;
        for line in status.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            self.ctx.tick().await?;
            match line {
                [b'?', ..] => dirt.has_untracked = true,
                [b'1', _, _, _, _, b'S', b'.', b'.', b'U', ..] => dirt.has_untracked = true,
                [_, _, _, _, _, b'S', _, _, b'U', ..] => {
                    (dirt.is_modified, dirt.has_untracked) = (true, true);
                }
                _ => dirt.is_modified = true,
            }
        }
        Ok(Some(dirt))
    }

    /// What `git status --porcelain=2` prints in a submodule. It is a process of its own: a repository may lie in itself, and
    /// processes are counted.
    async fn submodule_status(&mut self, path: &[u8]) -> Result<Vec<u8>> {
        let shown = bstr::BStr::new(path);
        if let Some(git_dir) = self.submodule_dir(path)?
            && !is_git_dir(self.fs(), &git_dir)?
        {
            return Err(fatal!("'{shown}/.git' not recognized as a git repository"));
        }
        let mut argv: Vec<Text> = vec![Text::from_static(PROGRAM)];
        for parameter in &self.parameters {
            argv.extend([Text::from_static(b"-c"), parameter.clone()]);
        }
        argv.extend([Text::from_static(b"status"), Text::from_static(b"--porcelain=2")]);
        let mut request = self.ctx.command(argv);
        let mut env = crate::utility::Environment::clone(&request.environment);
        for name in PLACES {
            env.remove(name.as_bytes());
        }
        request.environment = Arc::new(env);
        request.cwd = self.in_work_tree(path).into();
        let (reader, writer) = pipe();
        request.stdout = Some(Description::pipe_writer(writer));
        self.ctx.stderr.flush().await?;
        let running = self.ctx.start_command(request, Relation::Child);
        let output = Input::new(Description::pipe_reader(reader), &self.ctx.meter).read_to_end().await?;
        match running.await {
            Ok(ExitStatus::SUCCESS) => Ok(output),
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            _ => Err(fatal!("'git status --porcelain=2' failed in submodule {shown}")),
        }
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
}
