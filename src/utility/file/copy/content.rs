//! Makes the copy of a file that is not a directory: a link, a regular file with the bytes of the source, a FIFO.

use super::super::{link, parent};
use super::{Copier, Failure, Overwrite, Place};
use crate::memory::{Vec, format};
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FileKind, FsError, Metadata, OpenOptions};

impl Copier {
    pub(super) async fn make(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        place: &Place,
    ) -> Result<Result<(), Failure>, UtilityError> {
        let options = &self.options;
        let (from, to) = (ctx.absolute(source), ctx.absolute(target));
        let copied = if options.symbolic_link {
            self.symbolic_link(ctx, source, target)
        } else if options.hard_link {
            let replaces = options.force || options.overwrite == Overwrite::Ask;
            let made = hard_link(ctx, &self.linked(ctx, source), &to, replaces);
            return Ok(made.map(drop).map_err(|error| (cannot_link("hard", source, target), Some(error))));
        } else {
            match metadata.kind {
                FileKind::Symlink => {
                    let made = ctx.fs().read_link(&from).and_then(|text| {
                        link::link(ctx, &to, options.force, |path| ctx.fs().symlink(&text, path))
                    });
                    made.map(drop).map_err(|error| {
                        (format!("cannot create symbolic link {}", quote_name(target)), Some(error))
                    })
                }
                FileKind::Regular => match self.open(ctx, target, place).await? {
                    Ok(is_new) => self.content(ctx, source, target, metadata, is_new).await?,
                    Err(failure) => Err(failure),
                },
                FileKind::Fifo if !options.as_regular => {
                    let made = ctx.fs().make_fifo(&to, metadata.mode & 0o777 & !ctx.umask);
                    made.map_err(|error| (format!("cannot create fifo {}", quote_name(target)), Some(error)))
                }
                FileKind::CharDevice if !options.as_regular => {
                    // Only root makes devices.
                    let what = format!("cannot create special file {}", quote_name(target));
                    Err((what, Some(Errno::NotPermitted.into())))
                }
                FileKind::Fifo | FileKind::CharDevice | FileKind::Directory => {
                    match self.open(ctx, target, place).await? {
                        Ok(_) if options.attributes_only => self.empty(ctx, target, metadata),
                        Ok(_) => stream(ctx, source, target).await?,
                        Err(failure) => Err(failure),
                    }
                }
            }
        };
        if copied.is_ok() {
            let is_link = self.options.symbolic_link || metadata.is_symlink();
            self.give_attributes(ctx, target, metadata, is_link, place.is_new())?;
        }
        Ok(copied)
    }

    /// Makes a copy another name of an earlier one.
    pub(super) async fn join_copies(
        &self,
        ctx: &mut Context,
        earlier: &[u8],
        target: &[u8],
    ) -> Result<Result<(), Failure>, UtilityError> {
        match hard_link(ctx, &ctx.absolute(earlier), &ctx.absolute(target), true) {
            Ok(replaced) => {
                if replaced && self.options.verbose {
                    ctx.stdout.write(format!("removed {}\n", quote_name(target)).as_bytes()).await?;
                }
                Ok(Ok(()))
            }
            Err(error) => Ok(Err((cannot_link("hard", earlier, target), Some(error)))),
        }
    }

    /// What a hard link to `source` is made of.
    fn linked(&self, ctx: &Context, source: &[u8]) -> Vec<u8> {
        let path = ctx.absolute(source);
        match self.options.follow {
            super::FollowLinks::Never => path,
            _ => ctx.fs().canonicalize(&path).unwrap_or(path),
        }
    }

    fn symbolic_link(&self, ctx: &Context, source: &[u8], target: &[u8]) -> Result<(), Failure> {
        let to = ctx.absolute(target);
        let inode = |path: &[u8]| ctx.stat(path).map(|metadata| metadata.inode).ok();
        let is_here = || inode(parent(target)).is_some() && inode(parent(target)) == inode(b".");
        if !source.starts_with(b"/") && !is_here() {
            let shown = crate::utility::format::quote::quote_operand(target);
            return Err((
                format!("{shown}: can make relative symbolic links only in current directory"),
                None,
            ));
        }
        let made = link::link(ctx, &to, self.options.force, |path| ctx.fs().symlink(source, path));
        made.map(drop).map_err(|error| (cannot_link("symbolic", source, target), Some(error)))
    }

    /// Sees to it that a regular file can be written: one that cannot be opened is removed where that was asked for. Gives
    /// whether the file is made anew.
    async fn open(
        &self,
        ctx: &mut Context,
        target: &[u8],
        place: &Place,
    ) -> Result<Result<bool, Failure>, UtilityError> {
        let to = ctx.absolute(target);
        if place.is_new() {
            if !self.options.moves && ctx.lstat(target).is_ok_and(|own| own.is_symlink()) {
                return Ok(Err((
                    format!("not writing through dangling symlink {}", quote_name(target)),
                    None,
                )));
            }
            return Ok(Ok(true));
        }
        if !self.options.force {
            return Ok(Ok(false));
        }
        let how = OpenOptions { write: true, ..OpenOptions::default() };
        match ctx.fs().open(&to, &how) {
            Ok(_) => Ok(Ok(false)),
            Err(FsError::Limit(limit)) => Err(limit.into()),
            Err(FsError::Errno(_)) => {
                if let Err(error) = ctx.fs().remove_file(&to) {
                    return Ok(Err((format!("cannot remove {}", quote_name(target)), Some(error))));
                }
                if self.options.verbose {
                    ctx.stdout.write(format!("removed {}\n", quote_name(target)).as_bytes()).await?;
                }
                Ok(Ok(true))
            }
        }
    }

    /// Copies a regular file's bytes.
    async fn content(
        &self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        is_new: bool,
    ) -> Result<Result<(), Failure>, UtilityError> {
        let (from, to) = (ctx.absolute(source), ctx.absolute(target));
        let content = match ctx.fs().share(&from) {
            Ok(content) => content,
            Err(error) => {
                return Ok(Err((format!("cannot open {} for reading", quote_name(source)), Some(error))));
            }
        };
        if self.options.attributes_only {
            return Ok(self.empty(ctx, target, metadata));
        }
        let special = |existing: Metadata| !existing.is_regular() && !existing.is_directory();
        if !is_new && ctx.stat(target).is_ok_and(special) {
            return stream(ctx, source, target).await;
        }
        let mode = self.options.mode.unwrap_or(metadata.mode) & 0o777 & !ctx.umask;
        Ok(ctx.fs().write_shared(&to, content, mode).map_err(|error| cannot_create(target, error)))
    }

    /// Makes a regular file, or leaves one as it is.
    fn empty(&self, ctx: &Context, target: &[u8], metadata: &Metadata) -> Result<(), Failure> {
        let mode = self.options.mode.unwrap_or(metadata.mode) & 0o777 & !ctx.umask;
        let how = OpenOptions { write: true, create: true, mode, ..OpenOptions::default() };
        let opened = ctx.fs().open(&ctx.absolute(target), &how);
        opened.map(drop).map_err(|error| cannot_create(target, error))
    }
}

fn cannot_create(target: &[u8], error: FsError) -> Failure {
    // A name that ends in a slash is not a regular file's.
    let error = match error {
        FsError::Errno(Errno::IsDirectory) if target.ends_with(b"/") => Errno::NotDirectory.into(),
        error => error,
    };
    (format!("cannot create regular file {}", quote_name(target)), Some(error))
}

fn cannot_link(kind: &str, source: &[u8], target: &[u8]) -> crate::memory::String {
    format!("cannot create {kind} link {} to {}", quote_name(target), quote_name(source))
}

fn hard_link(ctx: &Context, from: &[u8], to: &[u8], replaces: bool) -> Result<bool, FsError> {
    link::link(ctx, to, replaces, |path| ctx.fs().hard_link(from, path))
}

/// Copies what can be read from a device or a FIFO, or into one.
async fn stream(
    ctx: &mut Context,
    source: &[u8],
    target: &[u8],
) -> Result<Result<(), Failure>, UtilityError> {
    let mut input = match ctx.open(source) {
        Ok(input) => input,
        Err(error) => {
            return Ok(Err((format!("cannot open {} for reading", quote_name(source)), Some(error))));
        }
    };
    let mut output = match ctx.create(target, false) {
        Ok(output) => output,
        Err(error) => return Ok(Err(cannot_create(target, error))),
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
            Err(error) => return Ok(Err((format!("error reading {}", quote_name(source)), Some(error)))),
        };
        input.consume(count);
    }
}
