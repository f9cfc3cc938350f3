//! What becomes of a file that is there already: it is left alone, written into, moved aside or removed.

use super::same::Sameness;
use super::{Copier, Overwrite, is_dots, is_missing};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::format::file_mode::mode_letters;
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FsError, Metadata};

/// Where a copy goes.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// What is there; links are followed where they are written through.
    pub(crate) existing: Option<Metadata>,
    /// What was there has this name now.
    pub(crate) backup: Option<Vec<u8>>,
}

impl Place {
    /// Whether nothing is there.
    pub(super) fn is_new(&self) -> bool {
        self.existing.is_none()
    }
}

impl Copier {
    /// Makes way for a copy. `None`: nothing is to be done, or it cannot be done, which is reported.
    pub(crate) async fn settle(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        is_operand: bool,
    ) -> Result<Option<Place>, UtilityError> {
        let found = if self.replaces(metadata) { ctx.lstat(target) } else { ctx.stat(target) };
        let existing = match found {
            Ok(existing) => existing,
            Err(error) if is_missing(&error) => return Ok(Some(Place::default())),
            Err(error @ FsError::Errno(Errno::TooManyLevels)) if self.options.force => {
                // Links in a circle are removed when they cannot be opened.
                match ctx.lstat(target) {
                    Ok(existing) => return Ok(Some(Place { existing: Some(existing), backup: None })),
                    Err(_) => return self.refused(ctx, target, error),
                }
            }
            Err(error) => return self.refused(ctx, target, error),
        };
        let guarded = self.options.moves || !metadata.is_directory();
        if guarded && self.options.overwrite == Overwrite::Never {
            return Ok(None);
        }
        let sameness = self.sameness(ctx, source, target, metadata, &existing);
        if sameness == Sameness::Same {
            let (source, target) = (quote_name(source), quote_name(target));
            self.status = ctx.warn(format_args!("{source} and {target} are the same file"));
            return Ok(None);
        }
        let older = !metadata.is_directory() && existing.modified >= metadata.modified;
        if self.options.update && older {
            return Ok(None);
        }
        if guarded && !self.may_replace(ctx, target, &existing).await? {
            return Ok(None);
        }
        if sameness == Sameness::Done || self.clashes(ctx, source, target, metadata, &existing, is_operand) {
            return Ok(None);
        }
        self.make_way(ctx, source, target, metadata, existing).await
    }

    fn refused(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        error: FsError,
    ) -> Result<Option<Place>, UtilityError> {
        self.failed(ctx, format!("cannot stat {}", quote_name(target)), error)?;
        Ok(None)
    }

    /// Whether the name is made anew for a source, instead of being written through.
    fn replaces(&self, metadata: &Metadata) -> bool {
        let options = &self.options;
        let is_read = metadata.is_regular()
            || (options.as_regular && !metadata.is_directory() && !metadata.is_symlink());
        !is_read
            || options.moves
            || options.symbolic_link
            || options.hard_link
            || options.backups.is_some()
            || options.removes_first
    }

    async fn may_replace(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        existing: &Metadata,
    ) -> Result<bool, UtilityError> {
        match self.options.overwrite {
            Overwrite::Always => Ok(true),
            Overwrite::Never => Ok(false),
            Overwrite::Ask => {
                let shown = quote_name(target);
                let question = if is_writable(ctx, target) {
                    format!("overwrite {shown}?")
                } else {
                    let mode = existing.mode & 0o7777;
                    let letters = mode_letters(existing.kind, existing.mode);
                    if self.options.moves || self.options.removes_first || self.options.force {
                        format!("replace {shown}, overriding mode {mode:04o} ({letters})?")
                    } else {
                        format!("unwritable {shown} (mode {mode:04o}, {letters}); try anyway?")
                    }
                };
                self.prompt.ask(ctx, &question).await
            }
        }
    }

    /// Whether the source cannot take the place of what is there; that is reported.
    fn clashes(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        existing: &Metadata,
        is_operand: bool,
    ) -> bool {
        let (from, to) = (quote_name(source), quote_name(target));
        let moves_aside = self.options.moves && self.options.backups.is_some();
        let numbered = self.options.backups.as_ref().is_some_and(super::Backups::are_numbered);
        let message = if metadata.is_directory() && !existing.is_directory() && !moves_aside {
            format!("cannot overwrite non-directory {to} with directory {from}")
        } else if !existing.is_directory()
            && is_operand
            && self.several
            && !numbered
            && self.created.contains(&(target.to_metered(), existing.inode))
        {
            format!("will not overwrite just-created {to} with {from}")
        } else if !metadata.is_directory() && existing.is_directory() && !moves_aside {
            format!("cannot overwrite directory {to} with non-directory")
        } else {
            return false;
        };
        self.status = ctx.warn(message);
        true
    }

    /// Moves an existing destination aside, or removes it where it is not written into.
    async fn make_way(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        existing: Metadata,
    ) -> Result<Option<Place>, UtilityError> {
        let options = &self.options;
        if let Some(backups) = options.backups.clone()
            && !is_dots(source)
            && (options.moves || !existing.is_directory())
        {
            if !backups.are_numbered() && Self::is_backup_of(ctx, &backups, target, metadata) {
                let done = if options.moves { "moved" } else { "copied" };
                self.status = ctx.warn(format_args!(
                    "backing up {} might destroy source;  {} not {done}",
                    quote_name(target),
                    quote_name(source)
                ));
                return Ok(None);
            }
            return match backups.make(ctx, target) {
                Ok(backup) => Ok(Some(Place { existing: None, backup })),
                Err(error) => {
                    self.failed(ctx, format!("cannot backup {}", quote_name(target)), error)?;
                    Ok(None)
                }
            };
        }
        let gives_way = options.removes_first
            || (!options.attributes_only
                && ((options.preserved.links && existing.links > 1)
                    || (options.follow == super::FollowLinks::Never && !metadata.is_regular())));
        if existing.is_directory() || options.moves || !gives_way {
            return Ok(Some(Place { existing: Some(existing), backup: None }));
        }
        self.remove(ctx, target).await.map(|gone| gone.then(Place::default))
    }

    /// Removes a destination; false when that failed, which is reported.
    async fn remove(&mut self, ctx: &mut Context, target: &[u8]) -> Result<bool, UtilityError> {
        match ctx.fs().remove_file(&ctx.absolute(target)) {
            Ok(()) if self.options.verbose => {
                ctx.stdout.write(format!("removed {}\n", quote_name(target)).as_bytes()).await?;
            }
            Ok(()) => {}
            Err(error) if is_missing(&error) => {}
            Err(error) => {
                self.failed(ctx, format!("cannot remove {}", quote_name(target)), error)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a simple backup of the destination would take the place of the source.
    fn is_backup_of(ctx: &Context, backups: &super::Backups, target: &[u8], metadata: &Metadata) -> bool {
        ctx.stat(&backups.simple_name(target)).is_ok_and(|backup| backup.inode == metadata.inode)
    }
}

/// Whether the user may write to what is there; a link is not asked about.
fn is_writable(ctx: &Context, target: &[u8]) -> bool {
    ctx.lstat(target).is_ok_and(|own| own.is_symlink())
        || ctx.fs().access(&ctx.absolute(target), false, true, false).is_ok()
}
