//! `cp --parents`: the directories of a source's path are made below the destination, each like the one it stands for.

use super::super::file::copy::Copier;
use super::super::file::parent;
use super::super::format::quote::quote_name;
use crate::memory::{JoinMetered, ToMetered, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// A directory on the way to a copy.
pub(super) struct Directory {
    path: Vec<u8>,
    source: Metadata,
    is_new: bool,
}

/// Makes the directories above `destination`, which ends in the path of `source`. Gives those whose attributes are to be
/// set when the copy is done; `None` when one could not be made, which was reported.
pub(super) async fn make(
    ctx: &mut Context,
    copier: &mut Copier,
    source: &[u8],
    destination: &[u8],
) -> Result<Option<Vec<Directory>>, UtilityError> {
    match ctx.stat(parent(destination)) {
        Ok(existing) if existing.is_directory() => return Ok(Some(Vec::new())),
        Ok(_) => return Ok(no_directory(ctx, copier, parent(destination))),
        Err(_) => {}
    }
    let start = source.iter().take_while(|byte| **byte == b'/').count();
    let length = source.iter().rposition(|byte| *byte != b'/').map_or(start, |last| last + 1);
    let base = destination.len().saturating_sub(length - start);
    let mut made = Vec::new();
    for end in (start + 1)..length {
        ctx.tick().await?;
        if source.get(end) != Some(&b'/') || source.get(end - 1) == Some(&b'/') {
            continue;
        }
        let from = source.get(..end).unwrap_or(source);
        let to = destination.get(..base + end - start).unwrap_or(destination);
        let metadata = match ctx.stat(from) {
            Ok(metadata) if metadata.is_directory() => metadata,
            found => {
                let error = found.err().unwrap_or(Errno::NotDirectory.into());
                let what = format!("failed to get attributes of {}", quote_name(from));
                copier.status = ctx.complain(what, error)?;
                return Ok(None);
            }
        };
        let existing = ctx.stat(to).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_directory()) {
            return Ok(no_directory(ctx, copier, to));
        }
        if existing.is_none() {
            let mode = (metadata.mode & 0o777 & !ctx.umask) | 0o700;
            if let Err(error) = ctx.fs().create_dir(&ctx.absolute(to), mode) {
                copier.status =
                    ctx.complain(format_args!("cannot make directory {}", quote_name(to)), error)?;
                return Ok(None);
            }
            if copier.options.verbose {
                ctx.stdout.write(&[from, b" -> ", to, b"\n"].concat_metered()).await?;
            }
        }
        made.push(Directory { path: to.to_metered(), source: metadata, is_new: existing.is_none() });
    }
    Ok(Some(made))
}

fn no_directory(ctx: &mut Context, copier: &mut Copier, path: &[u8]) -> Option<Vec<Directory>> {
    copier.status = ctx.warn(format_args!("{} exists but is not a directory", quote_name(path)));
    None
}

/// Sets the attributes of the directories.
pub(super) fn finish(ctx: &mut Context, copier: &mut Copier, made: &[Directory]) -> Result<(), UtilityError> {
    for directory in made {
        copier.finish_directory(ctx, &directory.path, &directory.source, directory.is_new)?;
    }
    Ok(())
}
