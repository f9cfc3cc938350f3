//! Copies files and trees, for `cp` and `install`, and for `mv` across file systems. Trees are walked with an explicit
//! stack; regular files share their bytes until one of them is written.
//!
//! `destination.rs` settles what becomes of a file that is there already, `same.rs` whether it is the source itself,
//! `content.rs` makes the copy, `attributes.rs` gives it mode, owner and times.

mod attributes;
mod content;
mod destination;
mod same;

use super::backup::Backups;
use super::link::{Entry, entry, is_same_entry};
use super::prompt::Prompt;
use super::walk::{Walk, WalkStep, comes_back};
use super::{join, last_component};
use crate::memory::{HashMap, HashSet, String, ToMetered, Vec, format};
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, ExitStatus, UtilityError};
use crate::vfs::{Errno, FsError, Metadata};
pub(crate) use destination::Place;

/// Which symbolic links of a source are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FollowLinks {
    /// None: they are copied themselves.
    Never,
    /// Those that are operands.
    Operands,
    /// All.
    #[default]
    Always,
}

/// Whether and how a destination that exists is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// Replaced.
    #[default]
    Always,
    /// Left alone.
    Never,
    /// The user is asked.
    Ask,
}

/// What a copy has of its source besides the content.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Preserved {
    pub(crate) mode: bool,
    pub(crate) owner: bool,
    pub(crate) times: bool,
    /// Names of one file in the source are names of one file in the copy.
    pub(crate) links: bool,
    /// A copy that is made anew has the mode that any new file has.
    pub(crate) fresh_mode: bool,
}

/// How files are copied.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopyOptions {
    pub(crate) recursive: bool,
    pub(crate) follow: FollowLinks,
    pub(crate) preserved: Preserved,
    /// The mode of copies (`install`).
    pub(crate) mode: Option<u32>,
    /// A destination that cannot be opened is removed.
    pub(crate) force: bool,
    /// A destination is removed first.
    pub(crate) removes_first: bool,
    pub(crate) overwrite: Overwrite,
    /// Only newer sources replace.
    pub(crate) update: bool,
    pub(crate) verbose: bool,
    pub(crate) hard_link: bool,
    pub(crate) symbolic_link: bool,
    pub(crate) backups: Option<Backups>,
    pub(crate) attributes_only: bool,
    pub(crate) one_file_system: bool,
    /// FIFOs and devices are read, not made anew.
    pub(crate) as_regular: bool,
    /// `mv`
    pub(crate) moves: bool,
}

/// Copies with a set of options.
#[derive(Debug, Default)]
pub(crate) struct Copier {
    pub(crate) options: CopyOptions,
    pub(crate) prompt: Prompt,
    pub(crate) status: ExitStatus,
    /// Several operands: what was copied for one is not lost for another.
    pub(crate) several: bool,
    /// Sources of operands, with their inodes.
    sources: HashSet<(Option<Entry>, u64)>,
    /// Destinations of operands, by path and inode.
    created: HashSet<(Vec<u8>, u64)>,
    /// Inode to the first copy.
    copies: HashMap<u64, Vec<u8>>,
}

/// Something that could not be done with a file: `what: error text`; without an error the words say it all.
type Failure = (String, Option<FsError>);

/// A tree that is being copied.
struct Tree<'t> {
    source: &'t [u8],
    target: &'t [u8],
    walk: Walk,
    /// Of each directory under way: its metadata, and whether it was made.
    above: Vec<(Metadata, bool)>,
    /// The inode of the first directory that was made.
    first: Option<u64>,
}

impl Copier {
    pub(crate) fn new(options: CopyOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Copies one operand; errors are reported.
    pub(crate) async fn operand(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
    ) -> Result<(), UtilityError> {
        let metadata = match self.look(ctx, source, true) {
            Ok(metadata) => metadata,
            Err(error) => return self.failed(ctx, format!("cannot stat {}", quote_name(source)), error),
        };
        if metadata.is_directory() && !self.options.recursive {
            let why = if self.options.mode.is_some() { "" } else { "-r not specified; " };
            let shown = quote_name(source);
            self.status = ctx.warn(format_args!("{why}omitting directory {shown}"));
            return Ok(());
        }
        let counts = self.several && self.options.mode.is_none() && !metadata.is_directory();
        if counts
            && self.options.backups.is_none()
            && !self.sources.insert((entry(ctx, source), metadata.inode))
        {
            let shown = quote_name(source);
            ctx.warn(format_args!("warning: source file {shown} specified more than once"));
            return Ok(());
        }
        if !metadata.is_directory() {
            return self.file(ctx, source, target, &metadata, true).await;
        }
        let mut tree = Tree { source, target, walk: Walk::default(), above: Vec::new(), first: None };
        self.directory(ctx, &mut tree, source, target, metadata).await?;
        while let Some(step) = tree.walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => {
                    let target = below(target, source, &path);
                    match self.look(ctx, &path, false) {
                        Ok(metadata) if metadata.is_directory() => {
                            self.directory(ctx, &mut tree, &path, &target, metadata).await?;
                        }
                        Ok(metadata) => self.file(ctx, &path, &target, &metadata, false).await?,
                        Err(error) => {
                            self.failed(ctx, format!("cannot stat {}", quote_name(&path)), error)?;
                        }
                    }
                }
                WalkStep::Leave { path } => {
                    if let Some((metadata, is_new)) = tree.above.pop() {
                        let target = below(target, source, &path);
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
        tree: &mut Tree<'_>,
        source: &[u8],
        target: &[u8],
        metadata: Metadata,
    ) -> Result<(), UtilityError> {
        let is_operand = tree.walk.depth() == 0;
        let Some(place) = self.settle(ctx, source, target, &metadata, is_operand).await? else {
            return Ok(());
        };
        if !self.is_first_visit(ctx, tree, target, &metadata, is_operand) {
            return Ok(());
        }
        if self.options.follow == FollowLinks::Always
            && comes_back(ctx, tree.above.iter().map(|(above, _)| above.inode), metadata.inode)
        {
            let shown = quote_name(source);
            self.status = ctx.warn(format_args!("cannot copy cyclic symbolic link {shown}"));
            return Ok(());
        }
        let is_new = place.is_new();
        if is_new {
            let mode = (metadata.mode & 0o777 & !ctx.umask) | 0o700;
            let made = ctx.path(target).and_then(|path| ctx.fs().create_dir(&path, mode));
            if let Err(error) = made {
                return self.failed(ctx, format!("cannot create directory {}", quote_name(target)), error);
            }
            if tree.first.is_none() {
                tree.first = ctx.lstat(target).ok().map(|made| made.inode);
            }
            if self.options.verbose && self.options.moves {
                let line = format!("created directory {}\n", quote_name(target));
                ctx.stdout.write(line.as_bytes()).await?;
            } else if self.options.verbose {
                self.say(ctx, source, target, None).await?;
            }
        }
        let crosses =
            tree.above.last().is_some_and(|(above, _)| above.file_system() != metadata.file_system());
        if self.options.one_file_system && crosses {
            return self.finish_directory(ctx, target, &metadata, is_new);
        }
        match tree.walk.enter(ctx, source) {
            Ok(()) => tree.above.push((metadata, is_new)),
            Err(error) => {
                self.finish_directory(ctx, target, &metadata, is_new)?;
                self.failed(ctx, format!("cannot access {}", quote_name(source)), error)?;
            }
        }
        Ok(())
    }

    /// Whether a directory is to be copied: it is not the copy itself, and no copy was made of it that it would have to be
    /// a name of. What is wrong is reported.
    fn is_first_visit(
        &mut self,
        ctx: &mut Context,
        tree: &Tree<'_>,
        target: &[u8],
        metadata: &Metadata,
        is_operand: bool,
    ) -> bool {
        if tree.first == Some(metadata.inode) {
            self.status = ctx.warn(format_args!(
                "cannot copy a directory, {}, into itself, {}",
                quote_name(tree.source),
                quote_name(tree.target)
            ));
            return false;
        }
        let Some(earlier) = self.earlier(metadata, target, is_operand) else { return true };
        if is_same_entry(ctx, target, &earlier) {
            let shown = quote_name(tree.source);
            ctx.warn(format_args!("warning: source directory {shown} specified more than once"));
            return false;
        }
        let follow = self.options.follow;
        if follow == FollowLinks::Always || (is_operand && follow == FollowLinks::Operands) {
            return true;
        }
        self.status = ctx.warn(format_args!(
            "will not create hard link {} to directory {}",
            quote_name(target),
            quote_name(&earlier)
        ));
        false
    }

    /// The copy that was made of a file, where the copies are to be names of one file as their sources are, or of a
    /// directory that was an operand. A file that has none is remembered with the copy that is about to be made.
    fn earlier(&mut self, metadata: &Metadata, target: &[u8], is_operand: bool) -> Option<Vec<u8>> {
        let options = &self.options;
        let remembers = if options.preserved.links && !options.hard_link {
            metadata.links > 1
                || options.follow == FollowLinks::Always
                || (is_operand && options.follow == FollowLinks::Operands)
        } else {
            false
        };
        let is_walked = options.recursive && metadata.is_directory();
        if !(remembers || is_walked) {
            return None;
        }
        let earlier = self.copies.get(&metadata.inode).cloned();
        if earlier.is_none() && (remembers || is_operand) {
            self.copies.insert(metadata.inode, target.to_metered());
        }
        earlier
    }

    /// Copies anything but a directory.
    async fn file(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        is_operand: bool,
    ) -> Result<(), UtilityError> {
        let Some(place) = self.settle(ctx, source, target, metadata, is_operand).await? else {
            return Ok(());
        };
        let watches = self.several && is_operand;
        if watches && !self.options.moves && self.options.backups.is_none() {
            let is_made =
                |own: Metadata| own.is_symlink() && self.created.contains(&(target.to_metered(), own.inode));
            if ctx.lstat(target).is_ok_and(is_made) {
                self.status = ctx.warn(format_args!(
                    "will not copy {} through just-created symlink {}",
                    quote_name(source),
                    quote_name(target)
                ));
                return Ok(());
            }
        }
        if self.options.verbose {
            self.say(ctx, source, target, place.backup.as_deref()).await?;
        }
        let made = match self.earlier(metadata, target, is_operand) {
            Some(earlier) => self.join_copies(ctx, &earlier, target).await?,
            None => {
                let made = self.make(ctx, source, target, metadata, &place).await?;
                if made.is_err() && self.copies.get(&metadata.inode).is_some_and(|copy| *copy == target) {
                    self.copies.remove(&metadata.inode);
                }
                made
            }
        };
        if let Err((what, error)) = made {
            self.status = match error {
                Some(error) => ctx.complain(what, error)?,
                None => ctx.warn(what),
            };
            return self.undo(ctx, target, place).await;
        }
        if watches {
            self.remember(ctx, target);
        }
        Ok(())
    }

    /// Remembers what was made for an operand.
    pub(crate) fn remember(&mut self, ctx: &Context, target: &[u8]) {
        if let Ok(own) = ctx.lstat(target) {
            self.created.insert((target.to_metered(), own.inode));
        }
    }

    /// Gives a destination its old name back when no copy took its place.
    pub(crate) async fn undo(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        place: Place,
    ) -> Result<(), UtilityError> {
        let Some(backup) = place.backup else { return Ok(()) };
        if let Err(error) = ctx.fs().rename(&ctx.absolute(&backup), &ctx.absolute(target)) {
            return self.failed(ctx, format!("cannot un-backup {}", quote_name(target)), error);
        }
        if self.options.verbose {
            let line = format!("{} -> {} (unbackup)\n", quote_name(&backup), quote_name(target));
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    /// Metadata of a source.
    fn look(&self, ctx: &Context, path: &[u8], is_operand: bool) -> Result<Metadata, FsError> {
        match self.options.follow {
            FollowLinks::Always => ctx.stat(path),
            FollowLinks::Operands if is_operand => ctx.stat(path),
            _ => ctx.lstat(path),
        }
    }

    async fn say(
        &self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        backup: Option<&[u8]>,
    ) -> Result<(), UtilityError> {
        let verb = if self.options.moves { "copied " } else { "" };
        let backup = backup.map(|name| format!(" (backup: {})", quote_name(name))).unwrap_or_default();
        let line = format!("{verb}{} -> {}{backup}\n", quote_name(source), quote_name(target));
        ctx.stdout.write(line.as_bytes()).await
    }

    pub(crate) fn failed(
        &mut self,
        ctx: &mut Context,
        what: String,
        error: FsError,
    ) -> Result<(), UtilityError> {
        self.status = ctx.complain(what, error)?;
        Ok(())
    }
}

/// The path in the copy of `path` in the source.
fn below(target: &[u8], source: &[u8], path: &[u8]) -> Vec<u8> {
    let rest = path.get(source.len()..).unwrap_or(&[]);
    join(target, rest.strip_prefix(b"/").unwrap_or(rest))
}

/// Whether a path ends in `.` or `..`.
fn is_dots(path: &[u8]) -> bool {
    matches!(last_component(path), b"." | b"..")
}

/// The error that says that there is no such file.
fn is_missing(error: &FsError) -> bool {
    matches!(error, FsError::Errno(Errno::NotFound))
}
