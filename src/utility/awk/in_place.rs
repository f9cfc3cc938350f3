//! `-i inplace`: what is printed while a file is read becomes the file's new content. The library of that name of gawk(1).

use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::Output;
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// Files are edited in place.
#[derive(Debug)]
pub(super) struct InPlace {
    /// What is added to the name of the old file, which is kept then.
    pub(super) suffix: Option<Text>,
    edit: Option<Edit>,
}

/// A file that is being edited.
#[derive(Debug)]
struct Edit {
    name: Text,
    path: Vec<u8>,
    fresh: Vec<u8>,
    metadata: Metadata,
    /// Standard output proper.
    outer: Output,
}

impl InPlace {
    pub(super) const fn new(suffix: Option<Text>) -> Self {
        Self { suffix, edit: None }
    }

    /// From now on standard output goes into what becomes the file.
    pub(super) async fn begin(&mut self, ctx: &mut Context, name: &Text) -> Result<(), UtilityError> {
        let shown = if name.is_empty() { "-".into() } else { String::from_utf8_lossy(name) };
        if name.is_empty() || **name == *b"-" {
            ctx.warn(format_args!(
                "inplace:59: warning: inplace::begin: disabling in-place editing for invalid FILENAME `{shown}'"
            ));
            return Ok(());
        }
        let path = ctx.absolute(name);
        let Some(metadata) = ctx.stat(name).ok().filter(Metadata::is_regular) else {
            ctx.warn(format_args!("inplace:59: warning: inplace::begin: `{shown}' is not a regular file"));
            return Ok(());
        };
        let random = ctx.session.random.next_u64() & 0xff_ffff;
        let fresh = [path.as_slice(), format!(".gawk.{random:06x}").as_bytes()].concat_metered();
        ctx.stdout.flush().await?;
        let output = ctx.create(&fresh, false).map_err(|error| failed(&name.clone(), error))?;
        let outer = std::mem::replace(&mut ctx.stdout, output);
        self.edit = Some(Edit { name: name.clone(), path, fresh, metadata, outer });
        Ok(())
    }

    /// What was printed takes the place of the file.
    pub(super) async fn finish(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let Some(Edit { name, path, fresh, metadata, outer }) = self.edit.take() else { return Ok(()) };
        let flushed = ctx.stdout.flush().await;
        ctx.stdout = outer;
        flushed?;
        let fs = &ctx.session.fs;
        let stored = fs.set_mode(&fresh, metadata.mode).and_then(|()| {
            // Only the superuser can give a file away; for others it becomes their own.
            let _ = fs.set_owner(&fresh, Some(metadata.uid), Some(metadata.gid), false);
            if let Some(suffix) = &self.suffix {
                fs.rename(&path, &[path.as_slice(), suffix].concat_metered())?;
            }
            fs.rename(&fresh, &path)
        });
        stored.map_err(|error| failed(&name, error))
    }
}

fn failed(name: &Text, error: FsError) -> UtilityError {
    match error {
        FsError::Limit(limit) => limit.into(),
        FsError::Errno(errno) => UtilityError::Failed {
            message: format!("inplace: fatal: cannot edit `{name}': {}", errno.message()),
            status: 2,
        },
    }
}
