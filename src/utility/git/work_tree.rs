//! Files of the work tree: their modes, contents and names as objects; written from objects and removed.

use super::Git;
use super::error::{Result, fatal, found};
use super::index::{Index, IndexEntry, Stat, mode_of};
use super::object::id::{Kind, ObjectId, hash};
use super::object::tree::{EXECUTABLE, LINK, SUBMODULE};
use super::repository::read_file;
use crate::memory::{ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::parent;
use crate::vfs::Metadata;

/// The folder of the work tree that was last seen to be one, so that it is not looked at for each of its files. It holds as long
/// as nothing is changed.
#[derive(Debug, Default)]
pub(crate) struct CheckedFolder(Vec<u8>);

impl Git {
    /// Whether the executable bit of files counts.
    pub(crate) fn trusts_modes(&self) -> bool {
        self.config.truth("core.filemode") != Some(false)
    }

    /// What a path of the work tree is; `None`: nothing, or it is reached through a link.
    pub(crate) fn work_metadata(&self, path: &[u8]) -> Result<Option<Metadata>> {
        self.work_metadata_below(path, &mut CheckedFolder::default())
    }

    /// As [`Git::work_metadata`], of one path after the other.
    pub(crate) fn work_metadata_below(
        &self,
        path: &[u8],
        checked: &mut CheckedFolder,
    ) -> Result<Option<Metadata>> {
        let known = match path.strip_prefix(checked.0.as_slice()) {
            Some(rest) if !checked.0.is_empty() && rest.starts_with(b"/") => checked.0.len(),
            _ => 0,
        };
        for slash in memchr::memchr_iter(b'/', path).skip_while(|slash| *slash <= known && known > 0) {
            let folder = path.get(..slash).unwrap_or(&[]);
            match found(self.fs().symlink_metadata(&self.in_work_tree(folder)))? {
                Some(metadata) if metadata.is_directory() => checked.0 = folder.to_metered(),
                _ => return Ok(None),
            }
        }
        found(self.fs().symlink_metadata(&self.in_work_tree(path)))
    }

    /// The mode that a path of the work tree has in the index.
    pub(crate) fn work_mode(&self, path: &[u8]) -> Result<Option<u32>> {
        Ok(self.work_metadata(path)?.map(|metadata| mode_of(&metadata)))
    }

    /// The content of a file or link of the work tree, as it is in an object.
    pub(crate) async fn work_content(&mut self, path: &[u8], mode: u32) -> Result<Vec<u8>> {
        if let Some(given) = self.given.get(path) {
            return Ok(given.clone());
        }
        let bytes = self.work_bytes(path, mode).await?;
        if mode == LINK { Ok(bytes) } else { self.cleaned(path, bytes).await }
    }

    /// The content of a file or link of the work tree.
    pub(crate) async fn work_bytes(&mut self, path: &[u8], mode: u32) -> Result<Vec<u8>> {
        let full = self.in_work_tree(path);
        if mode == LINK {
            return Ok(found(self.fs().read_link(&full))?.unwrap_or_default().to_metered());
        }
        let bytes = read_file(self.fs(), &full)?;
        let Some(bytes) = bytes else {
            return Err(fatal!(
                "could not open '{}' for reading: No such file or directory",
                bstr::BStr::new(path)
            ));
        };
        tick_bytes(&self.ctx.meter, bytes.len()).await?;
        Ok(bytes)
    }

    /// The name that a file of the work tree has as an object.
    pub(crate) async fn work_id(&mut self, path: &[u8], mode: u32) -> Result<ObjectId> {
        if mode == SUBMODULE {
            return Ok(self.submodule_head(path)?.unwrap_or_default());
        }
        let bytes = self.work_content(path, mode).await?;
        tick_bytes(&self.ctx.meter, bytes.len() * 4).await?;
        Ok(hash(Kind::Blob, &bytes))
    }

    /// Whether the file of an entry is as the index says; its content is read only where its times do not tell.
    pub(crate) async fn is_unchanged(&mut self, index: &Index, entry: &IndexEntry) -> Result<bool> {
        let Some(metadata) = self.work_metadata(&entry.path)? else { return Ok(false) };
        self.is_unchanged_file(index, entry, &metadata).await
    }

    /// As [`Git::is_unchanged`], of a file whose facts are known.
    pub(crate) async fn is_unchanged_file(
        &mut self,
        index: &Index,
        entry: &IndexEntry,
        metadata: &Metadata,
    ) -> Result<bool> {
        let stat = Stat::of(metadata);
        let as_new = stat.modified >= index.written;
        if !as_new && stat.modified == entry.stat.modified && stat.size == entry.stat.size {
            return Ok(true);
        }
        if stat.size != entry.stat.size
            && entry.stat.size != 0
            && entry.stat.modified != (0, 0)
            && entry.mode != LINK
        {
            return Ok(false);
        }
        Ok(self.work_id(&entry.path, entry.mode).await? == entry.id)
    }

    /// Writes an object as a file of the work tree; what it says of itself then.
    pub(crate) async fn check_out(&mut self, path: &[u8], mode: u32, id: &ObjectId) -> Result<Stat> {
        let full = self.in_work_tree(path);
        self.clear_way(path)?;
        if mode == SUBMODULE {
            found(self.fs().create_dir_all(&full, 0o755))?;
            return Ok(Stat::default());
        }
        let mut bytes = self.object(id).await?.1;
        if mode == LINK {
            self.fs().symlink(&bytes, &full)?;
        } else {
            bytes = self.smudged(path, bytes).await?;
            let bits = if mode == EXECUTABLE { 0o777 } else { 0o666 };
            self.fs().write(&full, &bytes, bits & !self.ctx.umask)?;
        }
        tick_bytes(&self.ctx.meter, bytes.len()).await?;
        let metadata = self.fs().symlink_metadata(&full)?;
        Ok(Stat::of(&metadata))
    }

    /// Makes the folders of a path and removes what stands in its place.
    pub(crate) fn clear_way(&mut self, path: &[u8]) -> Result<()> {
        for slash in memchr::memchr_iter(b'/', path) {
            let above = self.in_work_tree(path.get(..slash).unwrap_or(&[]));
            match found(self.fs().symlink_metadata(&above))? {
                Some(metadata) if metadata.is_directory() => {}
                Some(_) => {
                    self.fs().remove_file(&above)?;
                    self.fs().create_dir(&above, 0o777 & !self.ctx.umask)?;
                }
                None => self.fs().create_dir(&above, 0o777 & !self.ctx.umask)?,
            }
        }
        let full = self.in_work_tree(path);
        match found(self.fs().symlink_metadata(&full))? {
            Some(metadata) if metadata.is_directory() => drop(found(self.fs().remove_dir(&full))?),
            Some(_) => self.fs().remove_file(&full)?,
            None => {}
        }
        Ok(())
    }

    /// Removes a file of the work tree and the folders that are empty then.
    pub(crate) fn remove_work_file(&mut self, path: &[u8]) -> Result<()> {
        if self.work_metadata(path)?.is_none() {
            return Ok(());
        }
        found(self.fs().remove_file(&self.in_work_tree(path)))?;
        let mut folder = parent(path).to_metered();
        while folder != b"." {
            let full = self.in_work_tree(&folder);
            if crate::utility::git::repository::is_within(&self.repo.cwd, &full)
                || self.fs().remove_dir(&full).is_err()
            {
                break;
            }
            folder = parent(&folder).to_metered();
        }
        Ok(())
    }

    /// An entry of the index for a file of the work tree, whose content is stored.
    pub(crate) async fn entry_of(
        &mut self,
        path: &[u8],
        known: Option<&IndexEntry>,
    ) -> Result<Option<IndexEntry>> {
        let Some(metadata) = self.work_metadata(path)? else { return Ok(None) };
        let mut mode = mode_of(&metadata);
        if !self.trusts_modes() && mode & 0o170_000 == 0o100_000 {
            let kept = known.filter(|known| known.mode & 0o170_000 == 0o100_000).map(|known| known.mode);
            mode = kept.unwrap_or(super::object::tree::REGULAR);
        }
        let id = if mode == SUBMODULE {
            match self.submodule_head(path)? {
                Some(head) => head,
                // A submodule that is not checked out stays as it is.
                None if known.is_some_and(|known| known.mode == SUBMODULE) => return Ok(known.cloned()),
                None => {
                    self.say(&format!(
                        "error: '{}/' does not have a commit checked out",
                        bstr::BStr::new(path)
                    ));
                    return Err(fatal!("adding files failed"));
                }
            }
        } else {
            let mut bytes = self.work_bytes(path, mode).await?;
            if mode != LINK {
                self.warn_of_ends(path, &bytes).await?;
                bytes = self.cleaned(path, bytes).await?;
            }
            self.write_object(Kind::Blob, &bytes).await?
        };
        Ok(Some(IndexEntry {
            stat: Stat::of(&metadata),
            mode,
            id,
            path: Text::from(path),
            ..IndexEntry::default()
        }))
    }
}
