//! Which configuration `git config` reads or changes: all of it, a file, a blob or standard input.

use super::options::PlaceOpt;
use crate::memory::format;
use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{Config, Scope, origin};
use crate::utility::git::error::found;
use crate::utility::git::repository::{Source, read_file};
use crate::vfs::FsError;

/// What is meant.
enum Kind {
    /// The files of all scopes, and the command line.
    All,
    File {
        path: Vec<u8>,
        shown: Vec<u8>,
    },
    Blob(Text),
    Input,
}

/// The configuration that is meant.
pub(super) struct Place {
    kind: Kind,
    scope: Scope,
    has_includes: bool,
}

/// What was read, and what ended the reading before the end.
pub(super) struct Loaded {
    pub(super) config: Config,
    pub(super) fault: Option<GitError>,
    /// Why nothing was read at all: what `--list` says of it.
    pub(super) missing: Option<GitError>,
}

impl Place {
    /// The place that options name. `includes` is whether included files were asked for.
    pub(super) fn new(git: &Git, arguments: &Arguments<PlaceOpt>, includes: Option<bool>) -> Result<Self> {
        use PlaceOpt::{Blob, File, Global, Local, System};
        let given = [Global, System, Local, PlaceOpt::Worktree, File, Blob];
        if given.into_iter().filter(|option| arguments.has(*option)).count() > 1 {
            return Err(GitError::Error("only one config file at a time".into(), 129));
        }
        let chosen = arguments.first_of(given);
        let needs_repository = match chosen {
            Some(Local) => "--local",
            Some(Blob) => "--blob",
            Some(PlaceOpt::Worktree) => "--worktree",
            _ => "",
        };
        if !git.is_found && !needs_repository.is_empty() {
            return Err(fatal!("{needs_repository} can only be used inside a git repository"));
        }
        let value = |option| arguments.value(option).cloned().unwrap_or_default();
        let (kind, scope) = match chosen {
            None => (Kind::All, Scope::Local),
            Some(Global) => {
                let paths = git.global_config_paths();
                let Some(last) = paths.last() else { return Err(fatal!("$HOME not set")) };
                let there = paths.iter().rev().find(|path| git.fs().metadata(path).is_ok());
                let path = there.unwrap_or(last).clone();
                (Kind::File { shown: path.clone(), path }, Scope::Global)
            }
            Some(System) => {
                let path =
                    git.ctx.env.get(b"GIT_CONFIG_SYSTEM").map_or(&b"/etc/gitconfig"[..], Text::as_bytes);
                (Kind::File { path: git.ctx.absolute(path), shown: path.to_metered() }, Scope::System)
            }
            Some(Local) => (local(git), Scope::Local),
            Some(PlaceOpt::Worktree) => (worktree(git)?, Scope::Local),
            Some(Blob) => (Kind::Blob(value(Blob)), Scope::Command),
            Some(File) if value(File) == b"-" => (Kind::Input, Scope::Command),
            Some(File) => {
                let name = value(File);
                let has_prefix = !name.starts_with(b"/") && git.is_found;
                let front = if has_prefix { git.repo.prefix.as_slice() } else { &[] };
                let shown = [front, &name].concat_metered();
                (Kind::File { path: git.ctx.absolute(&name), shown }, Scope::Command)
            }
        };
        let has_includes = includes.unwrap_or(!matches!(kind, Kind::File { .. }));
        Ok(Self { kind, scope, has_includes })
    }

    /// What it is, if it is neither a file nor everything.
    pub(super) const fn other_than_file(&self) -> Option<&'static str> {
        match self.kind {
            Kind::All | Kind::File { .. } => None,
            Kind::Input => Some("stdin"),
            Kind::Blob(_) => Some("blobs"),
        }
    }

    /// The file that is changed: its path, and how messages call it.
    pub(super) fn writable(&self, git: &Git) -> Result<(Vec<u8>, Vec<u8>)> {
        match &self.kind {
            Kind::All if !git.is_found => Err(fatal!("not in a git directory")),
            Kind::All => match local(git) {
                Kind::File { path, shown } => Ok((path, shown)),
                _ => Err(fatal!("not in a git directory")),
            },
            Kind::File { path, shown } => Ok((path.clone(), shown.clone())),
            Kind::Input => Err(fatal!("writing to stdin is not supported")),
            Kind::Blob(_) => Err(fatal!("writing config blobs is not supported")),
        }
    }

    /// Reads it.
    pub(super) async fn load(&self, git: &mut Git) -> Result<Loaded> {
        let mut loaded = Loaded { config: Config::default(), fault: None, missing: None };
        let failed = || fatal!("error processing config file(s)");
        let (text, origin, path) = match &self.kind {
            Kind::All => {
                loaded.config = if self.has_includes { git.config.clone() } else { git.all_config(false)? };
                return Ok(loaded);
            }
            Kind::File { path, shown } => {
                let name = bstr::BStr::new(shown);
                let read = match git.ctx.open(path) {
                    Ok(mut input) => input.read_to_end().await,
                    Err(error) => Err(error),
                };
                let text = match read {
                    Ok(text) => text,
                    Err(FsError::Limit(limit)) => return Err(limit.into()),
                    Err(FsError::Errno(errno)) => {
                        if found(git.fs().metadata(path))?.is_some_and(|found| found.is_directory()) {
                            git.say(&format!("warning: unable to access '{name}': {}", errno.message()));
                        }
                        loaded.missing =
                            Some(fatal!("unable to read config file '{name}': {}", errno.message()));
                        return Ok(loaded);
                    }
                };
                (text, origin("file", shown), Some(Text::from(path.as_slice())))
            }
            Kind::Input => {
                (git.ctx.standard_input().read_to_end().await?, origin("standard input", b""), None)
            }
            Kind::Blob(name) => {
                let Some(id) = git.resolve(name).await? else {
                    git.say(&format!("error: unable to resolve config blob '{name}'"));
                    loaded.missing = Some(failed());
                    return Ok(loaded);
                };
                let Some(text) = git.object_of(&id, crate::utility::git::object::id::Kind::Blob).await?
                else {
                    git.say(&format!("error: reference '{name}' does not point to a blob"));
                    loaded.missing = Some(failed());
                    return Ok(loaded);
                };
                (text, origin("blob", name), None)
            }
        };
        let source = Source { origin, path, scope: self.scope, has_includes: self.has_includes };
        let result = git.add_source(&mut loaded.config, &text, &source, 0);
        match result {
            Ok(()) => {}
            Err(error @ GitError::Other(_)) => return Err(error),
            // A blob that cannot be read to its end counts as far as it could.
            Err(GitError::Error(text, _)) => {
                git.say(&format!("error: {text}"));
                loaded.missing = Some(failed());
            }
            Err(GitError::Plain(text, _)) if matches!(self.kind, Kind::Blob(_)) => {
                git.say(text.trim_end());
                loaded.missing = Some(failed());
            }
            Err(error) => loaded.fault = Some(error),
        }
        Ok(loaded)
    }
}

/// The file of the repository.
fn local(git: &Git) -> Kind {
    let path = join(&git.repo.common_dir, b"config");
    let is_here = git.repo.common_dir == git.repo.git_dir;
    let shown = if is_here { join(&git.repo.shown_git_dir, b"config") } else { path.clone() };
    Kind::File { path, shown }
}

/// The file of the work tree; that of the repository as long as it has no other work trees.
fn worktree(git: &Git) -> Result<Kind> {
    if git.config.truth("extensions.worktreeconfig") == Some(true) {
        let shown = join(&git.repo.shown_git_dir, b"config.worktree");
        return Ok(Kind::File { path: join(&git.repo.git_dir, b"config.worktree"), shown });
    }
    let others = found(git.fs().read_dir(&join(&git.repo.common_dir, b"worktrees")))?;
    if others.is_some_and(|others| others.into_iter().next().is_some()) {
        return Err(fatal!(
            "--worktree cannot be used with multiple working trees unless the config\n\
             extension worktreeConfig is enabled. Please read \"CONFIGURATION FILE\"\n\
             section in \"git help worktree\" for details"
        ));
    }
    Ok(local(git))
}

/// The text of a file that is changed; `None` where there is none.
pub(super) fn text_of(git: &mut Git, path: &[u8], shown: &[u8]) -> Result<Option<Vec<u8>>> {
    if found(git.fs().metadata(path))?.is_some_and(|found| found.is_directory()) {
        let name = bstr::BStr::new(shown);
        git.say(&format!("warning: unable to access '{name}': Is a directory"));
        return Err(GitError::Error(format!("invalid config file {name}"), 3));
    }
    read_file(git.fs(), path)
}
