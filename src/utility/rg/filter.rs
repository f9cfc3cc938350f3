//! Which files of a tree are searched: globs of the command line, ignore files, types, hidden names.
//!
//! A glob of the command line decides alone. Of ignore files `.rgignore` comes before `.ignore`, that before `.gitignore`, `.git/info/exclude`,
//! git's list of the user, and lists of `--ignore-file`; of one kind, the one of a deeper folder comes first. Then types have
//! their say, and what nobody has named is left out if it is hidden.

use super::arguments::{Arguments, told};
use super::option::Opt;
use super::types::{Types, Verdict};
use crate::memory::{JoinMetered as _, ToMetered, Vec, format};
use crate::utility::file::join;
use crate::utility::ignore::List;
use crate::utility::prelude::*;

/// Which kinds of lists are heeded.
#[derive(Clone, Copy, Debug)]
struct Heeded {
    dot: bool,
    exclude: bool,
    files: bool,
    global: bool,
    parents: bool,
    version_control: bool,
    /// `.gitignore` counts in a repository alone.
    requires_git: bool,
    messages: bool,
    folds_case: bool,
}

/// The lists of a folder: those of `.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude`.
#[derive(Debug, Default)]
pub(super) struct Folder {
    lists: [Option<List>; 4],
    is_repository: bool,
}

#[derive(Debug)]
pub(super) struct Filter {
    heeded: Heeded,
    /// Those of the command line, about what is below the working directory, and about anything else.
    globs: [List; 2],
    types: Types,
    shows_hidden: bool,
    global: Option<List>,
    explicit: Vec<List>,
    /// From the root of the file system down to the folder that is gone through.
    folders: Vec<Folder>,
}

const RGIGNORE: usize = 0;
const DOT: usize = 1;
const GIT: usize = 2;
const EXCLUDE: usize = 3;

impl Filter {
    pub(super) async fn new(ctx: &mut Context, arguments: &Arguments) -> Result<Self, UtilityError> {
        let unrestricted = arguments.count(Opt::Unrestricted);
        let ignores_none = arguments.is_on(Opt::NoIgnore, Opt::Ignore) || unrestricted >= 1;
        let heeds = |no, yes| !ignores_none && !arguments.is_on(no, yes);
        let version_control = heeds(Opt::NoIgnoreVcs, Opt::IgnoreVcs);
        let heeded = Heeded {
            dot: heeds(Opt::NoIgnoreDot, Opt::IgnoreDot),
            exclude: version_control && heeds(Opt::NoIgnoreExclude, Opt::IgnoreExclude),
            files: !arguments.is_on(Opt::NoIgnoreFiles, Opt::IgnoreFiles),
            global: version_control && heeds(Opt::NoIgnoreGlobal, Opt::IgnoreGlobal),
            parents: heeds(Opt::NoIgnoreParent, Opt::IgnoreParent),
            version_control,
            requires_git: !arguments.is_on(Opt::NoRequireGit, Opt::RequireGit),
            messages: !arguments.is_on(Opt::NoMessages, Opt::Messages)
                && !arguments.is_on(Opt::NoIgnoreMessages, Opt::IgnoreMessages),
            folds_case: arguments.is_on(Opt::IgnoreFileCaseInsensitive, Opt::NoIgnoreFileCaseInsensitive),
        };
        let mut filter = Self {
            heeded,
            globs: [List::new(&folder_base(&ctx.cwd), b""), List::new(b"/", b"")],
            types: Types::new(arguments)?,
            shows_hidden: arguments.is_on(Opt::Hidden, Opt::NoHidden) || unrestricted >= 2,
            global: None,
            explicit: Vec::new(),
            folders: Vec::new(),
        };
        let folds_case = arguments.is_on(Opt::GlobCaseInsensitive, Opt::NoGlobCaseInsensitive);
        for (option, glob) in arguments.given() {
            ctx.tick().await?;
            if matches!(option, Opt::Glob | Opt::Iglob) {
                let folds = folds_case || option == Opt::Iglob;
                for list in &mut filter.globs {
                    let added = list.add_with_braces(glob, 0, folds);
                    added.map_err(|error| told(&format!("error parsing glob '{glob}': {error}\n")))?;
                }
            }
        }
        if heeded.files {
            for file in arguments.values(Opt::IgnoreFile) {
                let base = folder_base(&ctx.cwd);
                match filter.read(ctx, &base, &ctx.absolute(file), (file, false)).await? {
                    Ok(list) => filter.explicit.push(list),
                    Err(errno) if heeded.messages => {
                        super::say(ctx, format_args!("{file}: {}\n", super::os_error(errno)));
                    }
                    Err(_) => {}
                }
            }
        }
        if heeded.global
            && let Some(path) = global_path(ctx).await?
        {
            let base = folder_base(&ctx.cwd);
            filter.global = filter.read(ctx, &base, &ctx.absolute(&path), (&path, false)).await?.ok();
        }
        Ok(filter)
    }

    /// Reads a list; what is wrong in it is told.
    async fn read(
        &self,
        ctx: &mut Context,
        base: &[u8],
        path: &[u8],
        (shown, folds_case): (&[u8], bool),
    ) -> Result<Result<List, Errno>, UtilityError> {
        let failed = |error: FsError| match error {
            FsError::Errno(errno) => Ok(Err(errno)),
            FsError::Limit(limit) => Err(limit.into()),
        };
        let mut input = match ctx.open(path) {
            Ok(input) => input,
            Err(error) => return failed(error),
        };
        let mut list = List::new(base, shown);
        let mut number = 0;
        loop {
            ctx.tick().await?;
            let line = match input.next_line(b'\n').await {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(Ok(list)),
                Err(error) => return failed(error),
            };
            number += 1;
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
            if let Err(error) = list.add_with_braces(line, number, folds_case)
                && self.heeded.messages
            {
                let (shown, line) = (bstr::BStr::new(shown), bstr::BStr::new(line));
                super::say(
                    ctx,
                    format_args!("{shown}: line {number}: error parsing glob '{line}': {error}\n"),
                );
            }
        }
    }

    /// Begins with a root: the lists of the folders above it.
    pub(super) async fn begin(&mut self, ctx: &mut Context, root: &[u8]) -> Result<(), UtilityError> {
        self.folders = Vec::new();
        if !self.heeded.parents {
            return Ok(());
        }
        let absolute = normal(ctx, root);
        for at in memchr::memchr_iter(b'/', &absolute) {
            ctx.tick().await?;
            let above = if at == 0 { b"/".as_slice() } else { absolute.get(..at).unwrap_or_default() };
            if above != absolute.as_slice() {
                self.enter(ctx, above).await?;
            }
        }
        Ok(())
    }

    /// Goes into a folder.
    pub(super) async fn enter(&mut self, ctx: &mut Context, shown: &[u8]) -> Result<(), UtilityError> {
        let mut folder = Folder::default();
        let folds_case = self.heeded.folds_case;
        let absolute = normal(ctx, shown);
        let base = folder_base(&absolute);
        let kinds = [
            (RGIGNORE, b".rgignore".as_slice(), self.heeded.dot),
            (DOT, b".ignore", self.heeded.dot),
            (GIT, b".gitignore", self.heeded.version_control),
            (EXCLUDE, b".git/info/exclude", self.heeded.exclude),
        ];
        for (kind, name, is_heeded) in kinds {
            if is_heeded {
                let list =
                    self.read(ctx, &base, &join(&absolute, name), (&join(shown, name), folds_case)).await?;
                if let Some(place) = folder.lists.get_mut(kind) {
                    *place = list.ok().filter(|list| !list.is_empty());
                }
            }
        }
        if self.heeded.version_control {
            folder.is_repository = ctx.fs().metadata(&join(&absolute, b".git")).is_ok();
        }
        self.folders.push(folder);
        Ok(())
    }

    /// Goes out of the folder that was entered last.
    pub(super) fn leave(&mut self) {
        self.folders.pop();
    }

    /// Whether a path below a root is left out.
    pub(super) async fn excludes(
        &self,
        ctx: &mut Context,
        path: &[u8],
        name: &[u8],
        is_folder: bool,
    ) -> Result<bool, UtilityError> {
        let absolute = normal(ctx, path);
        let [below, elsewhere] = &self.globs;
        if !below.is_empty() {
            let globs = if below.is_about(&absolute) { below } else { elsewhere };
            match globs.find(&absolute, is_folder, false) {
                Some(pattern) => return Ok(pattern.is_negated),
                None if globs.has_negated(false) && !is_folder => return Ok(true),
                None => {}
            }
        }
        let by_list = self.by_lists(ctx, &absolute, is_folder).await?;
        if by_list == Some(true) {
            return Ok(true);
        }
        match self.types.verdict(name, is_folder) {
            Verdict::Unwanted => return Ok(true),
            Verdict::Wanted => return Ok(false),
            Verdict::NoMatter => {}
        }
        Ok(by_list.is_none() && !self.shows_hidden && name.starts_with(b"."))
    }

    /// Whether a list leaves a path out, or takes it in.
    async fn by_lists(
        &self,
        ctx: &mut Context,
        absolute: &[u8],
        is_folder: bool,
    ) -> Result<Option<bool>, UtilityError> {
        let heeds_git = !self.heeded.requires_git || self.folders.iter().any(|folder| folder.is_repository);
        let mut found: [Option<bool>; 4] = [None; 4];
        let mut saw_repository = false;
        let says = |list: &List| list.find(absolute, is_folder, false).map(|pattern| !pattern.is_negated);
        for folder in self.folders.iter().rev() {
            ctx.tick().await?;
            for (kind, (list, found)) in folder.lists.iter().zip(&mut found).enumerate() {
                let counts = kind < GIT || (heeds_git && !saw_repository);
                if let (true, None, Some(list)) = (counts, &found, list) {
                    *found = says(list);
                }
            }
            saw_repository |= folder.is_repository;
        }
        let first = found.into_iter().flatten().next();
        let global = || self.global.as_ref().filter(|_| heeds_git).and_then(says);
        let explicit = || self.explicit.iter().rev().find_map(says);
        Ok(first.or_else(global).or_else(explicit))
    }
}

/// The path from the root of the file system, without `.` and `..`.
fn normal(ctx: &Context, path: &[u8]) -> Vec<u8> {
    crate::vfs::path::normalise(&ctx.absolute(path))
}

/// The folder of a list's patterns: its path with a slash at the end.
fn folder_base(path: &[u8]) -> Vec<u8> {
    if path.ends_with(b"/") { path.to_metered() } else { [path, b"/"].concat_metered() }
}

/// Where git's list of the user is: `core.excludesFile`, or the place where it is by default.
async fn global_path(ctx: &mut Context) -> Result<Option<Vec<u8>>, UtilityError> {
    let variable = |name: &[u8]| ctx.env.get(name).filter(|text| !text.is_empty()).cloned();
    let home = variable(b"HOME");
    let configuration = variable(b"XDG_CONFIG_HOME")
        .map(|folder| folder.as_bytes().to_metered())
        .or_else(|| home.as_ref().map(|home| join(home, b".config")));
    let files = [
        home.as_ref().map(|home| join(home, b".gitconfig")),
        configuration.as_ref().map(|folder| join(folder, b"git/config")),
    ];
    for file in files.into_iter().flatten() {
        let Ok(mut input) = ctx.open(&file) else { continue };
        loop {
            ctx.tick().await?;
            let Ok(Some(line)) = input.next_line(b'\n').await else { break };
            if let Some(path) = excludes_file(line) {
                let tilde = path.strip_prefix(b"~/").zip(home.as_ref());
                return Ok(Some(tilde.map_or_else(|| path.to_metered(), |(rest, home)| join(home, rest))));
            }
        }
    }
    Ok(configuration.map(|folder| join(&folder, b"git/ignore")))
}

/// The path in a line `excludesFile = PATH`.
fn excludes_file(line: &[u8]) -> Option<&[u8]> {
    let equals = memchr::memchr(b'=', line)?;
    let (name, value) = line.split_at(equals);
    let is_it = name.trim_ascii().eq_ignore_ascii_case(b"excludesfile");
    let value = value.get(1..)?.trim_ascii();
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let value = value.strip_suffix(b"\"").unwrap_or(value).trim_ascii();
    (is_it && !value.is_empty()).then_some(value)
}
