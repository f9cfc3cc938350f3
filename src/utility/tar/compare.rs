//! Compares members with files (`-d`).

use super::error::{Faults, Result};
use super::header::{Kind, Member};
use super::reader::ArchiveReader;
use super::select::trim_slashes;
use super::settings::TarOptions;
use super::shown::shown_name;
use crate::utility::prelude::*;
use crate::vfs::FileKind;

/// See the module.
pub(super) async fn compare(
    ctx: &mut Context,
    _settings: &TarOptions,
    reader: &mut ArchiveReader,
    member: &Member,
    faults: &mut Faults,
) -> Result<()> {
    let path = trim_slashes(&member.name);
    let shown = shown_name(path);
    let metadata = match ctx.lstat(path) {
        Ok(metadata) => metadata,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            let what = if member.kind == Kind::Symlink { "readlink" } else { "stat" };
            ctx.warn(format_args!("{shown}: Warning: Cannot {what}: {}", errno.message()));
            faults.differs = true;
            return Ok(());
        }
    };
    let wanted = match member.kind {
        Kind::Directory => FileKind::Directory,
        Kind::Symlink => FileKind::Symlink,
        Kind::Fifo => FileKind::Fifo,
        Kind::CharDevice | Kind::BlockDevice => FileKind::CharDevice,
        _ => FileKind::Regular,
    };
    if metadata.kind != wanted {
        return differs(ctx, faults, &shown, "File type differs").await;
    }
    match member.kind {
        Kind::Symlink => {
            let target = ctx.fs().read_link(&ctx.absolute(path));
            if !target.is_ok_and(|target| target.as_bytes() == member.link.as_slice()) {
                differs(ctx, faults, &shown, "Symlink differs").await?;
            }
            return Ok(());
        }
        Kind::HardLink => {
            let target = ctx.lstat(&member.link);
            if !target.is_ok_and(|data| data.inode == metadata.inode) {
                let words = crate::memory::format!("Not linked to {}", shown_name(&member.link));
                differs(ctx, faults, &shown, &words).await?;
            }
            return Ok(());
        }
        _ => {}
    }
    if metadata.mode != member.mode {
        differs(ctx, faults, &shown, "Mode differs").await?;
    }
    if member.kind != Kind::Regular {
        return Ok(());
    }
    if u64::from(metadata.uid) != member.uid {
        differs(ctx, faults, &shown, "Uid differs").await?;
    }
    if u64::from(metadata.gid) != member.gid {
        differs(ctx, faults, &shown, "Gid differs").await?;
    }
    if metadata.modified.as_secs() != member.time.as_secs() {
        differs(ctx, faults, &shown, "Mod time differs").await?;
    }
    if metadata.size != member.size {
        return differs(ctx, faults, &shown, "Size differs").await;
    }
    let mut input = match ctx.open(path) {
        Ok(input) => input,
        Err(error) => return faults.cannot(ctx, path, "open", error),
    };
    loop {
        let piece = reader.data(ctx).await?;
        if piece.is_empty() {
            return Ok(());
        }
        let block = match input.fill().await {
            Ok(block) => block,
            Err(error) => return faults.cannot(ctx, path, "read", error),
        };
        let count = piece.len().min(block.len());
        if count == 0 || piece.get(..count) != block.get(..count) {
            return differs(ctx, faults, &shown, "Contents differ").await;
        }
        input.consume(count);
        reader.consume(count);
    }
}

async fn differs(ctx: &mut Context, faults: &mut Faults, shown: &str, what: &str) -> Result<()> {
    faults.differs = true;
    let line = crate::memory::format!("{shown}: {what}\n");
    ctx.stdout.write(line.as_bytes()).await?;
    ctx.stdout.flush().await?;
    Ok(())
}
