//! Mode, owner and times of copies.

use super::Copier;
use crate::memory::format;
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, UtilityError};
use crate::vfs::{FsError, Metadata};

impl Copier {
    /// Sets the attributes of a directory when everything in it was copied.
    pub(crate) fn finish_directory(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        metadata: &Metadata,
        is_new: bool,
    ) -> Result<(), UtilityError> {
        let preserved = self.options.preserved;
        if is_new && !preserved.mode && !preserved.fresh_mode {
            self.set_mode(ctx, target, metadata.mode & 0o777 & !ctx.umask, "setting permissions for")?;
        }
        self.give_attributes(ctx, target, metadata, false, is_new)
    }

    /// Gives a copy the attributes of its source that are asked for; a link is not followed.
    pub(super) fn give_attributes(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        metadata: &Metadata,
        is_link: bool,
        is_new: bool,
    ) -> Result<(), UtilityError> {
        let preserved = self.options.preserved;
        let path = ctx.absolute(target);
        let fs = std::sync::Arc::clone(&ctx.session.fs);
        if preserved.owner {
            // Only root may give files away; others keep their copies.
            if let Err(FsError::Limit(limit)) =
                fs.set_owner(&path, Some(metadata.uid), Some(metadata.gid), !is_link)
            {
                return Err(limit.into());
            }
        }
        if !is_link {
            if preserved.mode {
                self.set_mode(ctx, target, metadata.mode, "preserving permissions for")?;
            } else if let Some(mode) = self.options.mode {
                self.set_mode(ctx, target, mode, "setting permissions for")?;
            } else if preserved.fresh_mode && is_new {
                let mode = if metadata.is_directory() { 0o777 } else { 0o666 };
                self.set_mode(ctx, target, mode & !ctx.umask, "setting permissions for")?;
            }
        }
        if preserved.times
            && let Err(error) =
                fs.set_times(&path, Some(metadata.accessed), Some(metadata.modified), !is_link)
        {
            self.failed(ctx, format!("preserving times for {}", quote_name(target)), error)?;
        }
        Ok(())
    }

    fn set_mode(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        mode: u32,
        what: &str,
    ) -> Result<(), UtilityError> {
        match ctx.fs().set_mode(&ctx.absolute(target), mode) {
            Ok(()) => Ok(()),
            Err(error) => self.failed(ctx, format!("{what} {}", quote_name(target)), error),
        }
    }
}
