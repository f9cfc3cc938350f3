//! Which repository is meant: the folder `.git` above the working directory, `GIT_DIR` and `GIT_WORK_TREE`, linked work
//! trees, and the configuration that goes with it.

use super::Git;
use super::config::{self, Config, Scope, truth};
use super::error::{Result, fatal, found};
use super::object::Database;
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::file::join;
use crate::vfs::FileSystem;
use crate::vfs::path::{components, normalise};

/// Files of configuration that include each other, at most.
const MOST_INCLUDES: usize = 10;

/// A repository.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    /// Absolute; `HEAD` and the index are in it.
    pub(crate) git_dir: Vec<u8>,
    /// Objects, refs and the configuration are in it; of a linked work tree another folder.
    pub(crate) common_dir: Vec<u8>,
    /// Absolute.
    pub(crate) work_tree: Option<Vec<u8>>,
    /// The working directory as seen from the work tree, with a slash at its end.
    pub(crate) prefix: Vec<u8>,
    /// The working directory without links.
    pub(crate) cwd: Vec<u8>,
    /// How `rev-parse --git-dir` shows it.
    pub(crate) shown_git_dir: Vec<u8>,
    pub(crate) is_bare: bool,
}

/// A text of configuration: where it is from, and how it is taken.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) origin: Text,
    /// Where it is, if it is a file: what it includes is sought beside it.
    pub(crate) path: Option<Text>,
    pub(crate) scope: Scope,
    /// Whether the files that it includes are read.
    pub(crate) has_includes: bool,
}

/// A name in the folder of a file.
fn beside(file: &[u8], name: &[u8]) -> Vec<u8> {
    match memchr::memrchr(b'/', file).and_then(|slash| file.get(..=slash)) {
        Some(folder) if !name.starts_with(b"/") => [folder, name].concat_metered(),
        _ => name.to_metered(),
    }
}

/// Whether `path` is `folder` or in it.
pub(crate) fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder == b"/")
}

/// A whole file; `None` where it cannot be read.
pub(crate) fn read_file(fs: &FileSystem, path: &[u8]) -> Result<Option<Vec<u8>>> {
    Ok(found(fs.read(path))?.map(|content| content.to_metered()))
}

/// Whether a folder is that of a repository.
pub(crate) fn is_git_dir(fs: &FileSystem, path: &[u8]) -> Result<bool> {
    let head = join(path, b"HEAD");
    let is_link = fs.symlink_metadata(&head).is_ok_and(|metadata| metadata.is_symlink());
    let is_head = |text: &[u8]| {
        let target = text.strip_prefix(b"ref:").map(<[u8]>::trim_ascii);
        target.is_some_and(|name| name.starts_with(b"refs/"))
            || text.get(..40).and_then(super::object::id::ObjectId::from_hex).is_some()
    };
    if !is_link && !read_file(fs, &head)?.is_some_and(|text| is_head(&text)) {
        return Ok(false);
    }
    let common = common_dir(fs, path)?;
    let is_dir =
        |name: &[u8]| fs.metadata(&join(&common, name)).is_ok_and(|metadata| metadata.is_directory());
    Ok(is_dir(b"objects") && is_dir(b"refs"))
}

/// The folder that the work trees of a repository share.
pub(crate) fn common_dir(fs: &FileSystem, git_dir: &[u8]) -> Result<Vec<u8>> {
    Ok(match read_file(fs, &join(git_dir, b"commondir"))? {
        Some(text) => normalise(&crate::vfs::path::join(git_dir, text.trim_ascii_end())),
        None => git_dir.to_metered(),
    })
}

/// What a file `.git` says.
pub(crate) fn linked(fs: &FileSystem, file: &[u8], folder: &[u8]) -> Result<Vec<u8>> {
    let text = read_file(fs, file)?.unwrap_or_default();
    let shown = bstr::BStr::new(file);
    let Some(target) = text.strip_prefix(b"gitdir: ") else {
        return Err(fatal!("invalid gitfile format: {shown}"));
    };
    let target = normalise(&crate::vfs::path::join(folder, target.trim_ascii_end()));
    if !is_git_dir(fs, &target)? {
        return Err(fatal!("not a git repository: {}", bstr::BStr::new(&target)));
    }
    Ok(target)
}

impl Git {
    pub(crate) fn fs(&self) -> &FileSystem {
        &self.ctx.session.fs
    }

    /// A whole file that was named, also a device, a pipe or a descriptor; `None` where it cannot be read.
    pub(crate) async fn read_named(&self, name: &[u8]) -> Result<Option<Vec<u8>>> {
        match found(self.ctx.open(name))? {
            Some(mut input) => found(input.read_to_end().await),
            None => Ok(None),
        }
    }

    /// A variable of the environment that is not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&Text> {
        self.ctx.env.get(name.as_bytes()).filter(|value| !value.is_empty())
    }

    /// Finds the repository; whether there is one.
    pub(crate) fn discover(&mut self) -> Result<bool> {
        let cwd = self.fs().canonicalize(&self.ctx.cwd)?;
        let mut repo = Repository { cwd: cwd.clone(), ..Repository::default() };
        let mut is_found = false;
        if let Some(dir) = self.variable("GIT_DIR").cloned() {
            let mut path = normalise(&crate::vfs::path::join(&cwd, &dir));
            if self.fs().metadata(&path).is_ok_and(|metadata| metadata.is_regular()) {
                path = linked(self.fs(), &path, crate::utility::file::parent(&path))?;
            }
            if !is_git_dir(self.fs(), &path)? {
                return Err(fatal!("not a git repository: '{dir}'"));
            }
            repo.shown_git_dir = dir.to_metered();
            repo.git_dir = path;
            repo.work_tree = Some(cwd.clone());
            is_found = true;
        } else {
            let mut folder = cwd.as_slice();
            loop {
                let dot_git = join(folder, b".git");
                let kind = found(self.fs().metadata(&dot_git))?;
                let path = match kind {
                    Some(kind) if kind.is_regular() => Some(linked(self.fs(), &dot_git, folder)?),
                    Some(kind) if kind.is_directory() && is_git_dir(self.fs(), &dot_git)? => {
                        Some(dot_git.clone())
                    }
                    _ => None,
                };
                if let Some(path) = path {
                    let is_here = folder == cwd && path == dot_git;
                    repo.shown_git_dir = if is_here { b".git".to_metered() } else { path.clone() };
                    repo.git_dir = path;
                    repo.work_tree = Some(folder.to_metered());
                    is_found = true;
                    break;
                }
                if is_git_dir(self.fs(), folder)? {
                    repo.shown_git_dir = if folder == cwd { b".".to_metered() } else { folder.to_metered() };
                    repo.git_dir = folder.to_metered();
                    repo.is_bare = true;
                    is_found = true;
                    break;
                }
                match crate::vfs::path::split_last(folder) {
                    Some((parent, _)) => folder = parent,
                    None => break,
                }
            }
        }
        if is_found {
            repo.common_dir = match self.variable("GIT_COMMON_DIR") {
                Some(path) => normalise(&crate::vfs::path::join(&cwd, path)),
                None => common_dir(self.fs(), &repo.git_dir)?,
            };
        }
        self.repo = repo;
        self.is_found = is_found;
        self.read_config()?;
        if is_found {
            self.place_work_tree()?;
            let objects = match self.variable("GIT_OBJECT_DIRECTORY") {
                Some(path) => crate::vfs::path::join(&cwd, path),
                None => join(&self.repo.common_dir, b"objects"),
            };
            self.objects = Database::open(self.fs(), objects)?;
        }
        Ok(is_found)
    }

    /// What `core.bare`, `core.worktree` and `GIT_WORK_TREE` say about the work tree.
    fn place_work_tree(&mut self) -> Result<()> {
        let version = self.config.number("core.repositoryformatversion").unwrap_or(0);
        if version > 1 {
            return Err(fatal!("Expected git repo version <= 1, found {version}"));
        }
        if version == 1 {
            for (name, known) in
                [("extensions.objectformat", &b"sha1"[..]), ("extensions.refstorage", b"files")]
            {
                if self.config.get(name).is_some_and(|value| value != known) {
                    return Err(fatal!("{name} other than '{}' is not supported", bstr::BStr::new(known)));
                }
            }
        }
        let is_linked = self.repo.common_dir != self.repo.git_dir;
        let cwd = self.repo.cwd.clone();
        if let Some(path) = self.variable("GIT_WORK_TREE").cloned() {
            self.repo.work_tree = Some(normalise(&crate::vfs::path::join(&cwd, &path)));
            self.repo.is_bare = false;
        } else if let Some(path) = self.config.get("core.worktree") {
            self.repo.work_tree = Some(normalise(&crate::vfs::path::join(&self.repo.git_dir, path)));
            self.repo.is_bare = false;
        } else if !is_linked && let Some(is_bare) = self.config.truth("core.bare") {
            if is_bare {
                self.repo.work_tree = None;
                self.repo.is_bare = true;
            } else if self.repo.is_bare && self.repo.git_dir.ends_with(b"/.git") {
                // The working directory is in `.git` itself.
                self.repo.is_bare = false;
                self.repo.work_tree = None;
            }
        }
        let repo = &mut self.repo;
        if let Some(tree) = &repo.work_tree
            && is_within(&cwd, tree)
        {
            let parts: Vec<&[u8]> = components(&cwd).skip(components(tree).count()).collect();
            repo.prefix = parts.join_metered(b"/");
            if !repo.prefix.is_empty() {
                repo.prefix.push(b'/');
            }
        }
        Ok(())
    }

    /// The paths of the configuration that belongs to the user.
    pub(crate) fn global_config_paths(&self) -> Vec<Vec<u8>> {
        let mut paths = Vec::new();
        if let Some(path) = self.ctx.env.get(b"GIT_CONFIG_GLOBAL") {
            paths.push(path.to_metered());
            return paths;
        }
        let home = self.variable("HOME").map(|home| home.to_metered());
        if let Some(folder) = self.variable("XDG_CONFIG_HOME") {
            paths.push(join(folder, b"git/config"));
        } else if let Some(home) = &home {
            paths.push(join(home, b".config/git/config"));
        }
        if let Some(home) = &home {
            paths.push(join(home, b".gitconfig"));
        }
        paths
    }

    /// Whether there is a configuration of the system.
    pub(crate) fn reads_system_config(&self) -> bool {
        self.ctx.env.get(b"GIT_CONFIG_NOSYSTEM").is_none_or(|value| truth(value) != Some(true))
    }

    /// Reads all configuration.
    pub(crate) fn read_config(&mut self) -> Result<()> {
        self.config = self.all_config(true)?;
        Ok(())
    }

    /// All configuration, with or without the files that are included.
    pub(crate) fn all_config(&self, has_includes: bool) -> Result<Config> {
        let mut config = Config::default();
        if self.reads_system_config() {
            let path = self.ctx.env.get(b"GIT_CONFIG_SYSTEM").map_or(&b"/etc/gitconfig"[..], Text::as_bytes);
            self.add_config(&mut config, path, path, Scope::System, has_includes)?;
        }
        for path in self.global_config_paths() {
            self.add_config(&mut config, &path, &path, Scope::Global, has_includes)?;
        }
        if self.is_found {
            let path = join(&self.repo.common_dir, b"config");
            let is_here = self.repo.common_dir == self.repo.git_dir;
            let shown = if is_here { join(&self.repo.shown_git_dir, b"config") } else { path.clone() };
            self.add_config(&mut config, &path, &shown, Scope::Local, has_includes)?;
            if config.truth("extensions.worktreeconfig") == Some(true) {
                let path = join(&self.repo.git_dir, b"config.worktree");
                let shown = join(&self.repo.shown_git_dir, b"config.worktree");
                self.add_config(&mut config, &path, &shown, Scope::Worktree, has_includes)?;
            }
        }
        if let Some(count) = self.variable("GIT_CONFIG_COUNT") {
            let count = std::str::from_utf8(count).ok().and_then(|count| count.parse::<usize>().ok());
            let Some(count) = count.filter(|count| *count < 1000) else {
                return Err(fatal!("bogus count in GIT_CONFIG_COUNT"));
            };
            for index in 0..count {
                let get = |what: &str| {
                    self.ctx.env.get(crate::memory::format!("GIT_CONFIG_{what}_{index}").as_bytes()).cloned()
                };
                let Some(key) = get("KEY") else {
                    return Err(fatal!("missing config key GIT_CONFIG_KEY_{index}"));
                };
                let Some(value) = get("VALUE") else {
                    return Err(fatal!("missing config value GIT_CONFIG_VALUE_{index}"));
                };
                config.add_parameter(&[&key, &b"="[..], &value].concat_metered())?;
            }
        }
        for parameter in &self.parameters {
            config.add_parameter(parameter)?;
        }
        Ok(config)
    }

    /// Adds a file and, with `has_includes`, what it includes; a file that is not there is empty.
    fn add_config(
        &self,
        config: &mut Config,
        path: &[u8],
        shown: &[u8],
        scope: Scope,
        has_includes: bool,
    ) -> Result<()> {
        let Some(text) = read_file(self.fs(), &self.ctx.absolute(path))? else { return Ok(()) };
        let source =
            Source { origin: config::origin("file", shown), path: Some(path.into()), scope, has_includes };
        self.add_source(config, &text, &source, 0)
    }

    /// Adds the entries of a text, with what it includes at the place where it does.
    pub(crate) fn add_source(
        &self,
        config: &mut Config,
        text: &[u8],
        source: &Source,
        depth: usize,
    ) -> Result<()> {
        let Source { origin, path, scope, has_includes } = source;
        config.add_text(text, *scope, origin, &mut |config, entry| {
            if !has_includes {
                return Ok(());
            }
            let is_plain = entry.name == b"include.path";
            let condition =
                entry.name.strip_prefix(b"includeif.").and_then(|rest| rest.strip_suffix(b".path"));
            let here = path.as_deref().unwrap_or(&[]);
            if !is_plain && !condition.is_some_and(|condition| self.include_applies(condition, here)) {
                return Ok(());
            }
            let fault = |words: String| config::bad_entry(&words, entry);
            let Some(value) = &entry.value else {
                return Err(fault(format!("missing value for '{}'", entry.name)));
            };
            let value = self.expand_home(value);
            if value.starts_with(b"~") {
                let value = bstr::BStr::new(&value);
                return Err(fault(format!("could not expand include path '{value}'")));
            }
            if !value.starts_with(b"/") && path.is_none() {
                return Err(fault("relative config includes must come from files".into()));
            }
            let included = beside(here, &value);
            // Files that include each other many times are many.
            self.ctx.meter.refuel_in_place()?;
            let Some(text) = read_file(self.fs(), &self.ctx.absolute(&included))? else { return Ok(()) };
            let from = origin.strip_prefix(b"file:").unwrap_or(origin);
            let shown = beside(from, &value);
            if depth >= MOST_INCLUDES {
                let (shown, from) = (bstr::BStr::new(&shown), bstr::BStr::new(from));
                return Err(fatal!(
                    "exceeded maximum include depth ({MOST_INCLUDES}) while including\n\t{shown}\nfrom\n\t{from}\n\
                     This might be due to circular includes."
                ));
            }
            let source = Source {
                origin: config::origin("file", &shown),
                path: Some(included.into()),
                scope: *scope,
                has_includes: true,
            };
            self.add_source(config, &text, &source, depth + 1)
        })
    }

    /// `~/` at the start of a path is the user's home.
    pub(crate) fn expand_home(&self, path: &[u8]) -> Vec<u8> {
        match (path.strip_prefix(b"~/"), self.variable("HOME")) {
            (Some(rest), Some(home)) => join(home, rest),
            _ if path == b"~" => self.variable("HOME").map_or(path, |home| home.as_bytes()).to_metered(),
            _ => path.to_metered(),
        }
    }

    fn include_applies(&self, condition: &[u8], file: &[u8]) -> bool {
        let pattern = condition.strip_prefix(b"gitdir:").map(|pattern| (pattern, false));
        let Some((pattern, ignore_case)) =
            pattern.or_else(|| condition.strip_prefix(b"gitdir/i:").map(|pattern| (pattern, true)))
        else {
            return false;
        };
        let mut pattern = self.expand_home(pattern);
        if let Some(rest) = pattern.strip_prefix(b"./") {
            pattern = join(crate::utility::file::parent(file), rest);
        } else if !pattern.starts_with(b"/") {
            pattern = [&b"**/"[..], &pattern].concat_metered();
        }
        if pattern.ends_with(b"/") {
            pattern.extend_from_slice(b"**");
        }
        self.is_found
            && crate::utility::ignore::wildmatch::matches(&pattern, &self.repo.git_dir, true, ignore_case)
    }

    /// The work tree.
    ///
    /// # Errors
    /// `this operation must be run in a work tree`
    pub(crate) fn work_tree(&self) -> Result<&[u8]> {
        let needed = || fatal!("this operation must be run in a work tree");
        self.repo.work_tree.as_deref().ok_or_else(needed)
    }

    /// A path of the work tree made absolute.
    pub(crate) fn in_work_tree(&self, path: &[u8]) -> Vec<u8> {
        join(self.repo.work_tree.as_deref().unwrap_or(b"/"), path)
    }
}
