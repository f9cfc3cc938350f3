//! The index: versions 2, 3 and 4 are read, 2 and 3 written.

use super::Git;
use super::error::{GitError, Result, fatal};
use super::object::id::{Hasher, ObjectId};
use super::object::tree;
use super::repository::read_file;
use crate::memory::{HashMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::join;
use crate::vfs::Metadata;

/// What the file system said of a file when it was last looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) changed: (u32, u32),
    pub(crate) modified: (u32, u32),
    pub(crate) device: u32,
    pub(crate) inode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u32,
}

impl Stat {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let time = |time: std::time::Duration| (time.as_secs() as u32, time.subsec_nanos());
        Self {
            changed: time(metadata.changed),
            modified: time(metadata.modified),
            device: 0,
            inode: metadata.inode as u32,
            uid: metadata.uid,
            gid: metadata.gid,
            size: metadata.size as u32,
        }
    }
}

/// An entry of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) stat: Stat,
    pub(crate) mode: u32,
    pub(crate) id: ObjectId,
    /// 0, or 1 to 3 in a conflict.
    pub(crate) stage: u8,
    pub(crate) assume_valid: bool,
    pub(crate) skip_work_tree: bool,
    pub(crate) intent_to_add: bool,
    pub(crate) path: Text,
}

/// The index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// Sorted by path and stage.
    pub(crate) entries: Vec<IndexEntry>,
    /// When its file was written: what is as new may have changed since.
    pub(crate) written: (u32, u32),
}

/// The trees that folders of an index are as long as it is not changed, as its file says.
#[derive(Debug, Default)]
pub(crate) struct KnownTrees(HashMap<Vec<u8>, ObjectId>);

impl KnownTrees {
    /// Whether a folder is this tree.
    pub(crate) fn has(&self, folder: &[u8], id: &ObjectId) -> bool {
        self.0.get(folder) == Some(id)
    }

    /// Reads the extension `TREE`; what is damaged ends it.
    fn parse(bytes: &[u8]) -> Self {
        let mut trees = HashMap::new();
        // Folders that more of is to come, and how many.
        let mut open: Vec<(Vec<u8>, u64)> = Vec::new();
        let mut rest = bytes;
        while let Some((name, tail)) = cut(rest, 0) {
            let Some((count, tail)) = cut(tail, b' ') else { break };
            let Some((inner, tail)) = cut(tail, b'\n') else { break };
            let Some(inner) = std::str::from_utf8(inner).ok().and_then(|text| text.parse().ok()) else {
                break;
            };
            let folder = match open.last_mut() {
                Some((folder, left)) => {
                    *left -= 1;
                    if folder.is_empty() { name.to_metered() } else { join(folder, name) }
                }
                None => name.to_metered(),
            };
            rest = tail;
            if !count.starts_with(b"-") {
                let Some(id) = rest.get(..20).and_then(ObjectId::from_bytes) else { break };
                rest = rest.get(20..).unwrap_or(&[]);
                trees.insert(folder.clone(), id);
            }
            open.push((folder, inner));
            while open.last().is_some_and(|(_, left)| *left == 0) {
                open.pop();
            }
            if open.is_empty() || open.len() > DEEPEST {
                break;
            }
        }
        Self(trees)
    }
}

/// Folders in folders that are looked into.
const DEEPEST: usize = 512;

fn cut(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(at, bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

const EXTENDED: u16 = 0x4000;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}

/// An entry at `at` and where the next begins.
fn entry(bytes: &[u8], at: usize, version: u32, previous: &[u8]) -> Option<(IndexEntry, usize)> {
    let word = |index: usize| word(bytes, at + 4 * index);
    let stat = Stat {
        changed: (word(0)?, word(1)?),
        modified: (word(2)?, word(3)?),
        device: word(4)?,
        inode: word(5)?,
        uid: word(7)?,
        gid: word(8)?,
        size: word(9)?,
    };
    let flags = half(bytes, at + 60)?;
    let mut name = at + 62;
    let mut more = 0;
    if flags & EXTENDED != 0 {
        more = half(bytes, name)?;
        name += 2;
    }
    let (path, next) = if version == 4 {
        let mut strip = 0_usize;
        loop {
            let byte = *bytes.get(name)?;
            name += 1;
            strip = strip << 7 | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
            if strip > 1 << 20 {
                return None;
            }
            strip += 1;
        }
        let rest = bytes.get(name..)?;
        let end = memchr::memchr(0, rest)?;
        let mut path: Vec<u8> = previous.get(..previous.len().checked_sub(strip)?)?.to_metered();
        path.extend_from_slice(rest.get(..end)?);
        (Text::from(path), name + end + 1)
    } else {
        let rest = bytes.get(name..)?;
        let end = memchr::memchr(0, rest)?;
        let length = name + end - at;
        (Text::from(rest.get(..end)?), at + (length + 8) / 8 * 8)
    };
    let entry = IndexEntry {
        stat,
        mode: word(6)?,
        id: ObjectId::from_bytes(bytes.get(at + 40..at + 60)?)?,
        stage: (flags >> 12 & 3) as u8,
        assume_valid: flags & 0x8000 != 0,
        skip_work_tree: more & 0x4000 != 0,
        intent_to_add: more & 0x2000 != 0,
        path,
    };
    Some((entry, next))
}

impl Index {
    /// Where a path and stage is, or would be.
    pub(crate) fn find(&self, path: &[u8], stage: u8) -> std::result::Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.path.as_bytes().cmp(path).then(entry.stage.cmp(&stage)))
    }

    /// The entry of a path that is in no conflict.
    pub(crate) fn get(&self, path: &[u8]) -> Option<&IndexEntry> {
        self.find(path, 0).ok().and_then(|at| self.entries.get(at))
    }

    /// Where the entries of a path are, whatever their stage.
    pub(crate) fn range(&self, path: &[u8]) -> std::ops::Range<usize> {
        let start = self.entries.partition_point(|entry| entry.path.as_bytes() < path);
        let count =
            self.entries.get(start..).unwrap_or(&[]).iter().take_while(|entry| *entry.path == *path).count();
        start..start + count
    }

    /// Where the entries below a folder are.
    pub(crate) fn folder(&self, path: &[u8]) -> std::ops::Range<usize> {
        let front = join(path, b"");
        let mut front = front;
        if !front.is_empty() && !front.ends_with(b"/") {
            front.push(b'/');
        }
        let start = self.entries.partition_point(|entry| entry.path.as_bytes() < front.as_slice());
        let rest = self.entries.get(start..).unwrap_or(&[]);
        let count = rest.partition_point(|entry| entry.path.starts_with(&front));
        start..start + count
    }

    /// Puts an entry in its place, instead of all of its path.
    pub(crate) fn put(&mut self, entry: IndexEntry) {
        let range = self.range(&entry.path);
        self.entries.splice(range, [entry]);
    }

    /// Removes all entries of a path.
    pub(crate) fn remove(&mut self, path: &[u8]) {
        let range = self.range(path);
        self.entries.splice(range, []);
    }

    pub(crate) fn is_unmerged(&self) -> bool {
        self.entries.iter().any(|entry| entry.stage > 0)
    }
}

impl Git {
    fn index_path(&self) -> Vec<u8> {
        match self.variable("GIT_INDEX_FILE") {
            Some(path) => crate::vfs::path::join(&self.repo.cwd, path),
            None => join(&self.repo.git_dir, b"index"),
        }
    }

    /// Whether another holds the lock of the index.
    pub(crate) fn is_index_locked(&self) -> Result<bool> {
        let lock = [&self.index_path()[..], b".lock"].concat_metered();
        Ok(super::error::found(self.fs().symlink_metadata(&lock))?.is_some())
    }

    /// What git says then.
    pub(crate) fn index_is_locked(&self) -> GitError {
        let path = self.index_path();
        fatal!(
            "Unable to create '{}.lock': File exists.\n\n\
             Another git process seems to be running in this repository, e.g.\n\
             an editor opened by 'git commit'. Please make sure all processes\n\
             are terminated then try again. If it still fails, a git process\n\
             may have crashed in this repository earlier:\n\
             remove the file manually to continue.",
            bstr::BStr::new(&path)
        )
    }

    /// Reads the index; one that is not there is empty.
    pub(crate) async fn read_index(&mut self) -> Result<Index> {
        Ok(self.read_index_and_trees().await?.0)
    }

    /// Reads the index and which trees its folders are.
    pub(crate) async fn read_index_and_trees(&mut self) -> Result<(Index, KnownTrees)> {
        let mut trees = KnownTrees::default();
        let path = self.index_path();
        let Some(bytes) = read_file(self.fs(), &path)? else { return Ok((Index::default(), trees)) };
        let mut index = Index::default();
        if let Ok(metadata) = self.fs().metadata(&path) {
            index.written = Stat::of(&metadata).modified;
        }
        let corrupt = || fatal!("index file corrupt");
        if bytes.is_empty() {
            return Ok((index, trees));
        }
        if bytes.len() < 32 {
            return Err(fatal!("index file smaller than expected"));
        }
        if bytes.get(..4) != Some(b"DIRC") {
            self.ctx.stderr.push(b"error: bad signature 0x");
            let signature = crate::memory::format!("{:08x}\n", word(&bytes, 0).unwrap_or(0));
            self.ctx.stderr.push(signature.as_bytes());
            return Err(corrupt());
        }
        let version = word(&bytes, 4).unwrap_or(0);
        if !(2..=4).contains(&version) {
            self.ctx.stderr.push(crate::memory::format!("error: bad index version {version}\n").as_bytes());
            return Err(corrupt());
        }
        let count = word(&bytes, 8).unwrap_or(0);
        let mut at = 12;
        for _ in 0..count {
            let previous = index.entries.last().map_or(&b""[..], |entry| &entry.path);
            let Some((entry, next)) = entry(&bytes, at, version, previous) else { return Err(corrupt()) };
            let is_sorted =
                index.entries.last().is_none_or(|last| (&last.path, last.stage) < (&entry.path, entry.stage));
            if !is_sorted {
                return Err(fatal!("unordered stage entries in index"));
            }
            index.entries.push(entry);
            at = next;
            tick_bytes(&self.ctx.meter, 256).await?;
        }
        while let (Some(name), Some(size)) = (bytes.get(at..at + 4), word(&bytes, at + 4)) {
            if at + 20 >= bytes.len() {
                break;
            }
            if name == b"link" || name == b"sdir" {
                return Err(fatal!("split and sparse indexes are not supported"));
            }
            let start = at + 8;
            at = start.saturating_add(size as usize);
            if name == b"TREE" {
                trees = KnownTrees::parse(bytes.get(start..at.min(bytes.len() - 20)).unwrap_or(&[]));
                tick_bytes(&self.ctx.meter, size as usize).await?;
            }
            self.ctx.tick().await?;
        }
        Ok((index, trees))
    }

    /// Writes the index.
    pub(crate) async fn write_index(&mut self, index: &Index) -> Result<()> {
        if self.is_index_locked()? {
            return Err(self.index_is_locked());
        }
        let needs_more = |entry: &IndexEntry| entry.skip_work_tree || entry.intent_to_add;
        let version: u32 = if index.entries.iter().any(needs_more) { 3 } else { 2 };
        let mut bytes: Vec<u8> = b"DIRC".to_metered();
        bytes.extend_from_slice(&version.to_be_bytes());
        bytes.extend_from_slice(&(index.entries.len() as u32).to_be_bytes());
        for entry in &index.entries {
            let start = bytes.len();
            let stat = &entry.stat;
            for value in [
                stat.changed.0,
                stat.changed.1,
                stat.modified.0,
                stat.modified.1,
                stat.device,
                stat.inode,
                entry.mode,
                stat.uid,
                stat.gid,
                stat.size,
            ] {
                bytes.extend_from_slice(&value.to_be_bytes());
            }
            bytes.extend_from_slice(&entry.id.0);
            let more = needs_more(entry);
            let mut flags = entry.path.len().min(0xfff) as u16 | u16::from(entry.stage) << 12;
            flags |= if entry.assume_valid { 0x8000 } else { 0 } | if more { EXTENDED } else { 0 };
            bytes.extend_from_slice(&flags.to_be_bytes());
            if more {
                let flags = if entry.skip_work_tree { 0x4000_u16 } else { 0 }
                    | if entry.intent_to_add { 0x2000 } else { 0 };
                bytes.extend_from_slice(&flags.to_be_bytes());
            }
            bytes.extend_from_slice(&entry.path);
            let length = bytes.len() - start;
            bytes.resize_by((length + 8) / 8 * 8 - length, 0);
            tick_bytes(&self.ctx.meter, 256).await?;
        }
        let mut hasher = Hasher::new();
        hasher.update(&bytes);
        bytes.extend_from_slice(&hasher.finish().0);
        let path = self.index_path();
        self.fs().write(&path, &bytes, 0o644)?;
        Ok(())
    }
}

/// The mode of a file in the index.
pub(crate) fn mode_of(metadata: &Metadata) -> u32 {
    if metadata.is_symlink() {
        tree::LINK
    } else if metadata.is_directory() {
        tree::SUBMODULE
    } else if metadata.mode & 0o100 != 0 {
        tree::EXECUTABLE
    } else {
        tree::REGULAR
    }
}
