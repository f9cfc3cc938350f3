//! `git init --shared`: who else may write.

use crate::memory::format;
use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::truth;
use crate::utility::git::error::found;
use crate::vfs::FileKind;

/// Who beside the owner may do what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shared {
    /// The group may write.
    Group,
    /// All others may read, too.
    Everybody,
    /// The bits of files.
    Bits(u32),
}

impl Shared {
    /// What a value of `--shared` means; `None`: as `umask` says.
    pub(super) fn read(value: Option<&Text>) -> Result<Option<Self>> {
        let Some(value) = value else { return Ok(Some(Self::Group)) };
        let word = match value.as_bytes() {
            b"umask" => return Ok(None),
            b"group" => return Ok(Some(Self::Group)),
            b"all" | b"world" | b"everybody" => return Ok(Some(Self::Everybody)),
            word => word,
        };
        let number = std::str::from_utf8(word).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
        match (number, truth(word)) {
            (Some(0), _) | (None, Some(false)) => Ok(None),
            (Some(1), _) | (None, Some(true)) => Ok(Some(Self::Group)),
            (Some(2), _) => Ok(Some(Self::Everybody)),
            (Some(bits), _) if bits & 0o600 == 0o600 => Ok(Some(Self::Bits(bits & 0o666))),
            (Some(bits), _) => Err(fatal!(
                "problem with core.sharedRepository filemode value (0{bits:03o}).\nThe owner of files must always have read and \
write permissions."
            )),
            (None, None) => Err(fatal!("bad boolean config value '{value}' for 'arg'")),
        }
    }

    /// As it stands in the configuration.
    pub(super) fn value(self) -> String {
        match self {
            Self::Group => "1".into(),
            Self::Everybody => "2".into(),
            Self::Bits(bits) => format!("0{bits:o}"),
        }
    }

    /// The mode that a file or folder gets.
    fn mode(self, mode: u32, is_folder: bool) -> u32 {
        let (mut tweak, kept) = match self {
            Self::Group => (0o660, mode),
            Self::Everybody => (0o664, mode),
            Self::Bits(bits) => (bits, mode & !0o777),
        };
        if mode & 0o200 == 0 {
            tweak &= !0o222;
        }
        if mode & 0o100 != 0 {
            tweak |= (tweak & 0o444) >> 2;
        }
        let mut new = kept | tweak;
        if is_folder {
            new |= (new & 0o444) >> 2;
            if new & 0o060 != 0 {
                new |= 0o2000;
            }
        }
        new
    }

    /// Gives all of a repository its modes.
    pub(super) async fn apply(self, git: &mut Git, dir: &[u8]) -> Result<()> {
        let mut pending: Vec<(Vec<u8>, FileKind)> = Vec::new();
        pending.push((dir.to_metered(), FileKind::Directory));
        while let Some((path, kind)) = pending.pop() {
            git.ctx.tick().await?;
            if kind == FileKind::Symlink {
                continue;
            }
            let is_folder = kind == FileKind::Directory;
            let mode = git.fs().metadata(&path)?.mode;
            git.fs().set_mode(&path, self.mode(mode, is_folder))?;
            if is_folder {
                for entry in found(git.fs().read_dir(&path))?.unwrap_or_default() {
                    pending.push((join(&path, &entry.name), entry.kind));
                }
            }
        }
        Ok(())
    }
}
