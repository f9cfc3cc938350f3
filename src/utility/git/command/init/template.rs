//! What a new repository has from a template.

use crate::memory::format;
use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::error::found;
use crate::utility::git::repository::read_file;
use crate::vfs::FileKind;

/// Copies the files of a template; those that are there stay, and names that begin with a dot are left out.
pub(super) async fn copy(git: &mut Git, template: &[u8], dir: &[u8]) -> Result<()> {
    if template.is_empty() {
        return Ok(());
    }
    if !git.fs().metadata(template).is_ok_and(|metadata| metadata.is_directory()) {
        git.say(&format!("warning: templates not found in {}", bstr::BStr::new(template)));
        return Ok(());
    }
    let mut pending: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    pending.push((template.to_metered(), dir.to_metered()));
    while let Some((from, to)) = pending.pop() {
        for entry in found(git.fs().read_dir(&from))?.unwrap_or_default() {
            git.ctx.tick().await?;
            if entry.name.starts_with(b".") {
                continue;
            }
            let (from, to) = (join(&from, &entry.name), join(&to, &entry.name));
            let is_there = git.fs().symlink_metadata(&to).is_ok();
            match entry.kind {
                FileKind::Directory => {
                    git.fs().create_dir_all(&to, 0o755)?;
                    pending.push((from, to));
                }
                FileKind::Symlink if !is_there => {
                    let target = git.fs().read_link(&from)?;
                    git.fs().symlink(&target, &to)?;
                }
                FileKind::Regular if !is_there => {
                    let mode = git.fs().metadata(&from)?.mode & 0o777;
                    let bytes = read_file(git.fs(), &from)?.unwrap_or_default();
                    git.fs().write(&to, &bytes, mode)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}
