//! The files that go into an archive, as members.

use super::error::{Faults, Result};
use super::header::{Kind, Member};
use super::settings::{Sort, TarOptions};
use crate::memory::{ToMetered, Vec};
use crate::utility::Context;
use crate::utility::file::walk::read_directory;
use crate::vfs::{DirEntry, FileKind, FsError, Metadata};

/// The member of a file whose name in the archive is `name`.
pub(super) fn member(
    ctx: &Context,
    settings: &TarOptions,
    name: &[u8],
    metadata: &Metadata,
    link: &[u8],
) -> Member {
    let kind = match metadata.kind {
        FileKind::Directory => Kind::Directory,
        FileKind::Symlink => Kind::Symlink,
        FileKind::Fifo => Kind::Fifo,
        FileKind::CharDevice => Kind::CharDevice,
        _ => Kind::Regular,
    };
    let text = |name: Option<crate::text::Text>| {
        name.map(|name| name.as_bytes().to_metered()).filter(|_| !settings.numeric_owner).unwrap_or_default()
    };
    let named = |name: &Vec<u8>| if settings.numeric_owner { Vec::new() } else { name.clone() };
    let (uid, user) = match &settings.owner {
        Some((id, name)) => (id.unwrap_or(metadata.uid.into()), named(name)),
        None => (metadata.uid.into(), text(ctx.user_name(metadata.uid))),
    };
    let (gid, group) = match &settings.group {
        Some((id, name)) => (id.unwrap_or(metadata.gid.into()), named(name)),
        None => (metadata.gid.into(), text(ctx.group_name(metadata.gid))),
    };
    let is_directory = metadata.is_directory();
    let mode = match &settings.mode {
        Some(change) if kind != Kind::Symlink => change.apply(metadata.mode, is_directory, ctx.umask),
        _ => metadata.mode,
    };
    let time = match settings.mtime {
        Some(time) if !settings.clamp_mtime || metadata.modified > time => time,
        _ => metadata.modified,
    };
    let mut name = name.to_metered();
    if is_directory && !name.ends_with(b"/") {
        name.push(b'/');
    }
    Member {
        name,
        kind,
        mode: mode & 0o7777,
        uid,
        gid,
        size: if kind == Kind::Regular { metadata.size } else { 0 },
        time,
        accessed: Some(metadata.accessed),
        changed: Some(metadata.changed),
        link: link.to_metered(),
        user,
        group,
        device: metadata.device.map_or((0, 0), |(major, minor)| (major.into(), minor.into())),
        is_sparse: false,
    }
}

/// The entries of a directory in the order of `--sort`.
pub(super) fn entries(
    ctx: &mut Context,
    settings: &TarOptions,
    path: &[u8],
    shown: &[u8],
    faults: &mut Faults,
) -> Result<Vec<DirEntry>> {
    let mut entries = match read_directory(ctx, path) {
        Ok(entries) => entries,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(error) => {
            faults.cannot(ctx, shown, "open", error)?;
            return Ok(Vec::new());
        }
    };
    match settings.sort {
        Sort::None => {}
        Sort::Name => entries.sort_by(|one, two| one.name.cmp(&two.name)),
        Sort::Inode => entries.sort_by_key(|entry| entry.inode),
    }
    Ok(entries)
}
