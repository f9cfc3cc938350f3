//! Copies files and trees, for `cp` and for `mv` across file systems. Trees are walked with an explicit stack; regular
//! files share their bytes until one of them is written.

use super::prompt::Prompt;
use super::walk::{Walk, WalkStep};
use super::{join, parent};
use crate::memory::{HashMap, JoinMetered, String, Vec, format};
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, ExitStatus, UtilityError};
use crate::vfs::path::normalise;
use crate::vfs::{Errno, FileKind, FsError, Metadata};

/// Which symbolic links of a source are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowLinks {
    /// None: they are copied themselves.
    Never,
    /// Those that are operands.
    Operands,
    /// All.
    Always,
}

/// Whether and how a destination that exists is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// Replaced.
    Always,
    /// Left alone.
    Never,
    /// The user is asked.
    Ask,
}

/// Copies with a set of options.
#[derive(Debug)]
pub(crate) struct Copier {
    pub(crate) recursive: bool,
    pub(crate) follow: FollowLinks,
    pub(crate) preserve_mode: bool,
    pub(crate) preserve_owner: bool,
    pub(crate) preserve_times: bool,
    /// Names of one file in the source are names of one file in the copy.
    pub(crate) preserve_links: bool,
    pub(crate) force: bool,
    pub(crate) overwrite: Overwrite,
    /// Only newer sources replace.
    pub(crate) update: bool,
    pub(crate) verbose: bool,
    pub(crate) hard_link: bool,
    pub(crate) symbolic_link: bool,
    /// The suffix of a destination's backup.
    pub(crate) backup: Option<Vec<u8>>,
    pub(crate) prompt: Prompt,
    pub(crate) status: ExitStatus,
    /// Inode to the first copy.
    pub(crate) seen: HashMap<u64, Vec<u8>>,
}

/// Something that could not be done with a file: `what: error text`.
type Failure = (String, FsError);

impl Copier {
    /// Copies one operand; errors are reported.
    pub(crate) async fn operand(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        destination: &[u8],
    ) -> Result<(), UtilityError> {
        let metadata = match self.look(ctx, source, true) {
            Ok(metadata) => metadata,
            Err(error) => return self.failed(ctx, format!("cannot stat {}", quote_name(source)), error),
        };
        if !metadata.is_directory() {
            return self.file(ctx, source, destination, &metadata).await;
        }
        if !self.recursive {
            let shown = quote_name(source);
            self.status = ctx.warn(format_args!("-r not specified; omitting directory {shown}"));
            return Ok(());
        }
        if is_inside(ctx, source, destination) {
            self.status = ctx.warn(format_args!(
                "cannot copy a directory, {}, into itself, {}",
                quote_name(source),
                quote_name(destination)
            ));
            return Ok(());
        }
        self.tree(ctx, source, destination, metadata).await
    }

    async fn tree(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        destination: &[u8],
        metadata: Metadata,
    ) -> Result<(), UtilityError> {
        let mut walk = Walk::default();
        // Of each directory under way: its metadata, and whether it was made.
        let mut above: Vec<(Metadata, bool)> = Vec::new();
        self.directory(ctx, &mut walk, &mut above, source, destination, metadata).await?;
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => {
                    let target = below(destination, source, &path);
                    match self.look(ctx, &path, false) {
                        Ok(metadata) if metadata.is_directory() => {
                            self.directory(ctx, &mut walk, &mut above, &path, &target, metadata).await?;
                        }
                        Ok(metadata) => self.file(ctx, &path, &target, &metadata).await?,
                        Err(error) => {
                            self.failed(ctx, format!("cannot stat {}", quote_name(&path)), error)?;
                        }
                    }
                }
                WalkStep::Leave { path } => {
                    if let Some((metadata, is_new)) = above.pop() {
                        let target = below(destination, source, &path);
                        self.finish_directory(ctx, &target, &metadata, is_new)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes the copy of a directory and enters the directory.
    async fn directory(
        &mut self,
        ctx: &mut Context,
        walk: &mut Walk,
        above: &mut Vec<(Metadata, bool)>,
        source: &[u8],
        target: &[u8],
        metadata: Metadata,
    ) -> Result<(), UtilityError> {
        let existing = ctx.stat(target).ok();
        if let Some(existing) = &existing {
            if !existing.is_directory() {
                self.status = ctx.warn(format_args!(
                    "cannot overwrite non-directory {} with directory {}",
                    quote_name(target),
                    quote_name(source)
                ));
                return Ok(());
            }
            if existing.inode == metadata.inode {
                self.same_file(ctx, source, target);
                return Ok(());
            }
        }
        let is_new = existing.is_none();
        if is_new {
            let mode = (metadata.mode & 0o777 & !ctx.umask) | 0o700;
            let made = ctx.path(target).and_then(|path| ctx.fs().create_dir(&path, mode));
            if let Err(error) = made {
                return self.failed(ctx, format!("cannot create directory {}", quote_name(target)), error);
            }
            if self.verbose {
                self.say(ctx, source, target, None).await?;
            }
        }
        match walk.enter(ctx, source) {
            Ok(()) => above.push((metadata, is_new)),
            Err(error) => {
                self.finish_directory(ctx, target, &metadata, is_new)?;
                self.failed(ctx, format!("cannot access {}", quote_name(source)), error)?;
            }
        }
        Ok(())
    }

    fn finish_directory(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        metadata: &Metadata,
        is_new: bool,
    ) -> Result<(), UtilityError> {
        if is_new && !self.preserve_mode {
            let mode = metadata.mode & 0o777 & !ctx.umask;
            if let Err(error) = ctx.path(target).and_then(|path| ctx.fs().set_mode(&path, mode)) {
                return self.failed(ctx, format!("setting permissions for {}", quote_name(target)), error);
            }
        }
        self.preserve(ctx, target, metadata)
    }

    /// Copies anything but a directory.
    async fn file(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
    ) -> Result<(), UtilityError> {
        let existing = ctx.lstat(target).ok();
        let mut backup = None;
        if let Some(existing) = &existing {
            let followed = ctx.stat(target).ok();
            let same = existing.inode == metadata.inode
                || followed.as_ref().is_some_and(|behind| behind.inode == metadata.inode);
            if same
                && (self.hard_link || self.force && self.backup.is_none() && existing.is_symlink())
                && existing.inode == metadata.inode
            {
                return Ok(());
            }
            if same && self.backup.is_none() {
                self.same_file(ctx, source, target);
                return Ok(());
            }
            if followed.as_ref().is_some_and(Metadata::is_directory) {
                let shown = quote_name(target);
                self.status = ctx.warn(format_args!("cannot overwrite directory {shown} with non-directory"));
                return Ok(());
            }
            if !self.may_replace(ctx, target, metadata, followed.as_ref().unwrap_or(existing)).await? {
                return Ok(());
            }
            let replaces = self.replaces(metadata, existing, followed.is_some());
            if !replaces && self.backup.is_none() && existing.is_symlink() && followed.is_none() {
                let shown = quote_name(target);
                self.status = ctx.warn(format_args!("not writing through dangling symlink {shown}"));
                return Ok(());
            }
            match self.make_way(ctx, target, replaces) {
                Ok(made) => backup = made,
                Err((what, error)) => return self.failed(ctx, what, error),
            }
        }
        if let Err((what, error)) = self.make_copy(ctx, source, target, metadata).await? {
            return self.failed(ctx, what, error);
        }
        if self.verbose {
            self.say(ctx, source, target, backup.as_deref()).await?;
        }
        if self.hard_link || self.symbolic_link {
            return Ok(());
        }
        self.preserve(ctx, target, metadata)
    }

    async fn may_replace(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        source: &Metadata,
        existing: &Metadata,
    ) -> Result<bool, UtilityError> {
        if self.update && existing.modified >= source.modified {
            return Ok(false);
        }
        match self.overwrite {
            Overwrite::Always => Ok(true),
            Overwrite::Never => Ok(false),
            Overwrite::Ask => self.prompt.ask(ctx, &format!("overwrite {}?", quote_name(target))).await,
        }
    }

    /// Whether a destination that exists gives way to a new file, instead of being written into.
    fn replaces(&self, source: &Metadata, existing: &Metadata, leads_somewhere: bool) -> bool {
        let is_written = matches!(source.kind, FileKind::Regular | FileKind::CharDevice)
            || (source.kind == FileKind::Fifo && !self.recursive);
        !is_written
            || self.hard_link
            || self.symbolic_link
            || (self.preserve_links && self.seen.contains_key(&source.inode))
            || (existing.is_symlink() && !leads_somewhere && self.force)
    }

    /// Moves an existing destination aside, or removes it when it is replaced. Returns the backup's name.
    fn make_way(&self, ctx: &Context, target: &[u8], replaces: bool) -> Result<Option<Vec<u8>>, Failure> {
        let path = ctx.absolute(target);
        if let Some(suffix) = &self.backup {
            let name = [target, suffix].concat_metered();
            let moved = ctx.fs().rename(&path, &ctx.absolute(&name));
            moved.map_err(|error| (format!("cannot backup {}", quote_name(target)), error))?;
            return Ok(Some(name));
        }
        if replaces && (self.force || !(self.hard_link || self.symbolic_link)) {
            let removed = ctx.fs().remove_file(&path);
            removed.map_err(|error| (format!("cannot remove {}", quote_name(target)), error))?;
        }
        Ok(None)
    }

    async fn make_copy(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
    ) -> Result<Result<(), Failure>, UtilityError> {
        let (Ok(from), Ok(to)) = (ctx.path(source), ctx.path(target)) else {
            let what = format!("cannot create regular file {}", quote_name(target));
            return Ok(Err((what, Errno::NotFound.into())));
        };
        let link = |kind: &str| {
            format!("cannot create {kind} link {} to {}", quote_name(target), quote_name(source))
        };
        if self.hard_link {
            return Ok(ctx.fs().hard_link(&from, &to).map_err(|error| (link("hard"), error)));
        }
        if self.symbolic_link {
            let made = ctx.fs().symlink(source, &to);
            return Ok(made.map_err(|error| (link("symbolic"), error)));
        }
        if self.preserve_links && metadata.links > 1 {
            if let Some(first) = self.seen.get(&metadata.inode) {
                let made = ctx.fs().hard_link(first, &to);
                return Ok(made.map_err(|error| (link("hard"), error)));
            }
            self.seen.insert(metadata.inode, to.clone());
        }
        match metadata.kind {
            FileKind::Symlink => {
                let made = ctx.fs().read_link(&from).and_then(|text| ctx.fs().symlink(&text, &to));
                Ok(made
                    .map_err(|error| (format!("cannot create symbolic link {}", quote_name(target)), error)))
            }
            FileKind::Fifo if self.recursive => {
                let made = ctx.fs().make_fifo(&to, metadata.mode & 0o777 & !ctx.umask);
                Ok(made.map_err(|error| (format!("cannot create fifo {}", quote_name(target)), error)))
            }
            FileKind::Regular => Ok(self.content(ctx, source, target, metadata)),
            FileKind::Fifo | FileKind::CharDevice | FileKind::Directory => stream(ctx, source, target).await,
        }
    }

    /// Copies a regular file's bytes.
    fn content(
        &self,
        ctx: &Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
    ) -> Result<(), Failure> {
        let (from, to) = (ctx.absolute(source), ctx.absolute(target));
        let opened = ctx.fs().share(&from);
        let content =
            opened.map_err(|error| (format!("cannot open {} for reading", quote_name(source)), error))?;
        let mode = metadata.mode & 0o777 & !ctx.umask;
        let written = match ctx.fs().write_shared(&to, content.clone(), mode) {
            Err(FsError::Errno(Errno::AccessDenied)) if self.force => {
                ctx.fs().remove_file(&to).and_then(|()| ctx.fs().write_shared(&to, content, mode))
            }
            written => written,
        };
        written.map_err(|error| {
            // A name that ends in a slash is not a regular file's.
            let error = match error {
                FsError::Errno(Errno::IsDirectory) if target.ends_with(b"/") => Errno::NotDirectory.into(),
                error => error,
            };
            (format!("cannot create regular file {}", quote_name(target)), error)
        })
    }

    /// Gives a copy the attributes of its source that are asked for.
    pub(crate) fn preserve(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        metadata: &Metadata,
    ) -> Result<(), UtilityError> {
        let path = ctx.absolute(target);
        let is_link = metadata.is_symlink();
        let fs = std::sync::Arc::clone(&ctx.session.fs);
        if self.preserve_owner {
            // Only root may give files away; others keep their copies.
            if let Err(FsError::Limit(limit)) =
                fs.set_owner(&path, Some(metadata.uid), Some(metadata.gid), !is_link)
            {
                return Err(limit.into());
            }
        }
        if self.preserve_mode
            && !is_link
            && let Err(error) = fs.set_mode(&path, metadata.mode)
        {
            self.failed(ctx, format!("preserving permissions for {}", quote_name(target)), error)?;
        }
        if self.preserve_times
            && let Err(error) =
                fs.set_times(&path, Some(metadata.accessed), Some(metadata.modified), !is_link)
        {
            self.failed(ctx, format!("preserving times for {}", quote_name(target)), error)?;
        }
        Ok(())
    }

    fn look(&self, ctx: &Context, path: &[u8], is_operand: bool) -> Result<Metadata, FsError> {
        match self.follow {
            FollowLinks::Always => ctx.stat(path),
            FollowLinks::Operands if is_operand => ctx.stat(path),
            _ => ctx.lstat(path),
        }
    }

    fn same_file(&mut self, ctx: &mut Context, source: &[u8], target: &[u8]) {
        let (source, target) = (quote_name(source), quote_name(target));
        self.status = ctx.warn(format_args!("{source} and {target} are the same file"));
    }

    async fn say(
        &self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        backup: Option<&[u8]>,
    ) -> Result<(), UtilityError> {
        let backup = backup.map(|name| format!(" (backup: {})", quote_name(name))).unwrap_or_default();
        let line = format!("{} -> {}{backup}\n", quote_name(source), quote_name(target));
        ctx.stdout.write(line.as_bytes()).await
    }

    fn failed(&mut self, ctx: &mut Context, what: String, error: FsError) -> Result<(), UtilityError> {
        self.status = ctx.complain(what, error)?;
        Ok(())
    }
}

/// The path in the copy of `path` in the source.
fn below(destination: &[u8], source: &[u8], path: &[u8]) -> Vec<u8> {
    let rest = path.get(source.len()..).unwrap_or(&[]);
    join(destination, rest.strip_prefix(b"/").unwrap_or(rest))
}

/// Whether the copy would be made inside its source.
fn is_inside(ctx: &Context, source: &[u8], destination: &[u8]) -> bool {
    let real = |path: &[u8]| ctx.fs().canonicalize(&ctx.absolute(path)).ok();
    let Some(source) = real(source) else { return false };
    if ctx.stat(destination).is_ok() {
        return real(destination).is_some_and(|path| {
            path.strip_prefix(source.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
        });
    }
    let above = real(parent(destination)).unwrap_or_else(|| normalise(&ctx.absolute(parent(destination))));
    above.strip_prefix(source.as_slice()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Copies what can be read from a device or a FIFO.
async fn stream(
    ctx: &mut Context,
    source: &[u8],
    target: &[u8],
) -> Result<Result<(), Failure>, UtilityError> {
    let mut input = match ctx.open(source) {
        Ok(input) => input,
        Err(error) => return Ok(Err((format!("cannot open {} for reading", quote_name(source)), error))),
    };
    let mut output = match ctx.create(target, false) {
        Ok(output) => output,
        Err(error) => return Ok(Err((format!("cannot create regular file {}", quote_name(target)), error))),
    };
    loop {
        ctx.check().await?;
        let count = match input.fill().await {
            Ok([]) => {
                output.flush().await?;
                return Ok(Ok(()));
            }
            Ok(bytes) => {
                output.write(bytes).await?;
                bytes.len()
            }
            Err(error) => return Ok(Err((format!("error reading {}", quote_name(source)), error))),
        };
        input.consume(count);
    }
}
