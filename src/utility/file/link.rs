//! Links that may take the place of a file, at once: there is no moment without a file of that name.

use super::{last_component, parent};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::Context;
use crate::vfs::{Errno, FsError};

/// Makes a link at `path`, an absolute path, with `link_at`. With `replaces`, a file that is there gives way. Gives whether
/// one did.
pub(crate) fn link(
    ctx: &Context,
    path: &[u8],
    replaces: bool,
    link_at: impl Fn(&[u8]) -> Result<(), FsError>,
) -> Result<bool, FsError> {
    match link_at(path) {
        Ok(()) => return Ok(false),
        Err(FsError::Errno(Errno::Exists)) if replaces => {}
        Err(error) => return Err(error),
    }
    let fs = ctx.fs();
    let directory = crate::vfs::path::split_last(path).map_or(b"/".as_slice(), |(directory, _)| directory);
    let fresh = format!("Cu{:06x}", ctx.session.random.next_u64() & 0xff_ffff);
    let fresh = crate::vfs::path::join(directory, fresh.as_bytes());
    link_at(&fresh)?;
    let renamed = fs.rename(&fresh, path);
    // Of two links to one file, `rename` takes neither away.
    if fs.symlink_metadata(&fresh).is_ok() {
        fs.remove_file(&fresh)?;
    }
    renamed.map(|()| true)
}

/// A name in a directory, whichever path leads there: the directory's inode and the name.
pub(crate) type Entry = (u64, Vec<u8>);

/// The entry that a path names; `None` without its directory.
pub(crate) fn entry(ctx: &Context, path: &[u8]) -> Option<Entry> {
    let directory = ctx.stat(parent(path)).ok()?;
    Some((directory.inode, last_component(path).to_metered()))
}

/// Whether two paths are the same name in the same directory.
pub(crate) fn is_same_entry(ctx: &Context, a: &[u8], b: &[u8]) -> bool {
    last_component(a) == last_component(b) && entry(ctx, a).is_some_and(|a| entry(ctx, b) == Some(a))
}
