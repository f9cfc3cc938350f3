//! The object database: loose objects, packs and the databases that it borrows from (`info/alternates`).

pub(crate) mod commit;
mod graph;
pub(crate) mod id;
mod inflate;
mod pack;
pub(crate) mod tree;
mod zlib;

use super::error::{Result, fatal, found};
use crate::limit::Meter;
use crate::memory::{BTreeSet, JoinMetered, ToMetered, Vec};
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::join;
use crate::vfs::FileSystem;
use commit::Commit;
use graph::CommitGraph;
use id::{Kind, ObjectId};
use pack::Pack;

/// Databases that are borrowed from each other, at most.
const MOST_ALTERNATES: usize = 16;

/// The objects of a repository.
#[derive(Default)]
pub(crate) struct Database {
    /// Folders with objects; the first is the repository's own.
    folders: Vec<Vec<u8>>,
    packs: Option<Vec<Pack>>,
    /// What is written down of the commits; `None`: it was not looked for.
    #[expect(clippy::option_option, reason = "not looked for, or not there")]
    graph: Option<Option<CommitGraph>>,
}

impl Database {
    /// The database in `folder` and those it borrows from.
    pub(crate) fn open(fs: &FileSystem, folder: Vec<u8>) -> Result<Self> {
        let mut folders: Vec<Vec<u8>> = Vec::new();
        folders.push(folder);
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            next += 1;
            let Some(list) = found(fs.read(&join(&folder, b"info/alternates")))? else { continue };
            for line in
                list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"))
            {
                let path = crate::vfs::path::normalise(&crate::vfs::path::join(&folder, line));
                if folders.len() < MOST_ALTERNATES && !folders.contains(&path) {
                    folders.push(path);
                }
            }
        }
        Ok(Self { folders, packs: None, graph: None })
    }

    /// A commit's headers, where they are written down besides the object.
    pub(crate) fn written_commit(&mut self, fs: &FileSystem, id: &ObjectId) -> Result<Option<Commit>> {
        if self.graph.is_none() {
            let mut graph = None;
            for folder in &self.folders {
                if graph.is_none() {
                    graph = CommitGraph::open(fs, &join(folder, b"info/commit-graph"))?;
                }
            }
            self.graph = Some(graph);
        }
        match &self.graph {
            Some(Some(graph)) => graph.find(id),
            _ => Ok(None),
        }
    }

    fn packs(&mut self, fs: &FileSystem) -> Result<&mut Vec<Pack>> {
        if self.packs.is_none() {
            let mut packs = Vec::new();
            for folder in &self.folders {
                let folder = join(folder, b"pack");
                for entry in found(fs.read_dir(&folder))?.unwrap_or_default() {
                    if entry.name.ends_with(b".idx")
                        && let Some(pack) = Pack::open(fs, &join(&folder, &entry.name))?
                    {
                        packs.push(pack);
                    }
                }
            }
            self.packs = Some(packs);
        }
        Ok(self.packs.get_or_insert_default())
    }

    fn loose_path(folder: &[u8], id: &ObjectId) -> Vec<u8> {
        let hex = id.hex();
        let (first, rest) = hex.as_bytes().split_at(2);
        [folder, b"/", first, b"/", rest].concat_metered()
    }

    /// Whether an object is there.
    pub(crate) fn has(&mut self, fs: &FileSystem, id: &ObjectId) -> Result<bool> {
        for pack in self.packs(fs)? {
            if pack.find(id)?.is_some() {
                return Ok(true);
            }
        }
        let is_loose = self.folders.iter().any(|folder| fs.metadata(&Self::loose_path(folder, id)).is_ok());
        Ok(is_loose || [ObjectId::EMPTY_TREE, ObjectId::EMPTY_BLOB].contains(id))
    }

    /// An object; `None` when it is not there.
    pub(crate) async fn read(
        &mut self,
        fs: &FileSystem,
        meter: &Meter,
        id: &ObjectId,
    ) -> Result<Option<(Kind, Vec<u8>)>> {
        for pack in self.packs(fs)? {
            if let Some(offset) = pack.find(id)? {
                match pack.read(meter, offset).await? {
                    Some(object) => return Ok(Some(object)),
                    None => return Err(fatal!("packed object {id} (stored in pack) is corrupt")),
                }
            }
        }
        for folder in &self.folders {
            if let Some(object) = read_loose(fs, meter, &Self::loose_path(folder, id), id, usize::MAX).await?
            {
                return Ok(Some((object.0, object.2)));
            }
        }
        Ok(match *id {
            ObjectId::EMPTY_TREE => Some((Kind::Tree, Vec::new())),
            ObjectId::EMPTY_BLOB => Some((Kind::Blob, Vec::new())),
            _ => None,
        })
    }

    /// The kind and the size of an object.
    pub(crate) async fn header(
        &mut self,
        fs: &FileSystem,
        meter: &Meter,
        id: &ObjectId,
    ) -> Result<Option<(Kind, u64)>> {
        for pack in self.packs(fs)? {
            if let Some(offset) = pack.find(id)? {
                match pack.header(meter, offset).await? {
                    Some(header) => return Ok(Some(header)),
                    None => return Err(fatal!("packed object {id} (stored in pack) is corrupt")),
                }
            }
        }
        for folder in &self.folders {
            if let Some(object) = read_loose(fs, meter, &Self::loose_path(folder, id), id, 64).await? {
                return Ok(Some((object.0, object.1)));
            }
        }
        Ok(match *id {
            ObjectId::EMPTY_TREE => Some((Kind::Tree, 0)),
            ObjectId::EMPTY_BLOB => Some((Kind::Blob, 0)),
            _ => None,
        })
    }

    /// Stores an object; one that is there is left alone.
    pub(crate) async fn write(
        &mut self,
        fs: &FileSystem,
        meter: &Meter,
        kind: Kind,
        bytes: &[u8],
    ) -> Result<ObjectId> {
        let id = id::hash(kind, bytes);
        if self.has(fs, &id)? && ![ObjectId::EMPTY_TREE, ObjectId::EMPTY_BLOB].contains(&id) {
            return Ok(id);
        }
        let Some(folder) = self.folders.first() else { return Err(fatal!("unable to write object")) };
        let path = Self::loose_path(folder, &id);
        if fs.metadata(&path).is_ok() {
            return Ok(id);
        }
        let size = crate::memory::format!("{} {}\0", kind.name(), bytes.len());
        let stream = zlib::deflate(meter, &[size.as_bytes(), bytes]).await?;
        fs.create_dir_all(crate::utility::file::parent(&path), 0o755)?;
        fs.write(&path, &stream, 0o444)?;
        Ok(id)
    }

    /// The objects whose names begin with these digits, at most `most`.
    pub(crate) fn with_prefix(
        &mut self,
        fs: &FileSystem,
        digits: &[u8],
        most: usize,
    ) -> Result<Vec<ObjectId>> {
        let mut padded: Vec<u8> = digits.to_metered();
        padded.make_ascii_lowercase();
        let prefix = padded.clone();
        padded.resize(40, b'0');
        let Some(low) = ObjectId::from_hex(&padded) else { return Ok(Vec::new()) };
        let fits = |id: &ObjectId| id.common_digits(&low) >= prefix.len();
        let mut ids: BTreeSet<ObjectId> = BTreeSet::new();
        for pack in self.packs(fs)? {
            let mut place = pack.lower_bound(&low)?;
            while place < pack.count() && ids.len() < most {
                let id = pack.name(place)?;
                if !fits(&id) {
                    break;
                }
                ids.insert(id);
                place += 1;
            }
        }
        for folder in &self.folders {
            let first = prefix.get(..2).unwrap_or(&[]);
            for entry in found(fs.read_dir(&join(folder, first)))?.unwrap_or_default() {
                let hex = [first, &entry.name].concat_metered();
                if hex.starts_with(&prefix)
                    && let Some(id) = ObjectId::from_hex(&hex)
                    && ids.len() < most
                {
                    ids.insert(id);
                }
            }
        }
        Ok(ids.iter().copied().collect())
    }

    /// About how many objects there are in packs.
    pub(crate) fn packed_count(&mut self, fs: &FileSystem) -> Result<u64> {
        Ok(self.packs(fs)?.iter().map(|pack| u64::from(pack.count())).sum())
    }

    /// The most digits that the name shares with that of another object.
    pub(crate) fn shared_digits(&mut self, fs: &FileSystem, id: &ObjectId) -> Result<usize> {
        let mut most = 0;
        for pack in self.packs(fs)? {
            let place = pack.lower_bound(id)?;
            for near in place.saturating_sub(1)..place.saturating_add(2).min(pack.count()) {
                let other = pack.name(near)?;
                if other != *id {
                    most = most.max(other.common_digits(id));
                }
            }
        }
        let hex = id.hex();
        let (first, own) = hex.as_bytes().split_at(2);
        for folder in &self.folders {
            for entry in found(fs.read_dir(&join(folder, first)))?.unwrap_or_default() {
                if entry.name.len() == 38 && *entry.name != *own {
                    let same = entry.name.iter().zip(own).take_while(|(one, other)| one == other).count();
                    most = most.max(2 + same);
                }
            }
        }
        Ok(most)
    }
}

/// A loose object: kind, size, and at most so many bytes of its content.
async fn read_loose(
    fs: &FileSystem,
    meter: &Meter,
    path: &[u8],
    id: &ObjectId,
    most: usize,
) -> Result<Option<(Kind, u64, Vec<u8>)>> {
    let Some(file) = pack::open(fs, path)? else { return Ok(None) };
    let read = |at: usize, block: &mut Vec<u8>| pack::read_at(&file, at as u64, 4096, block);
    let corrupt = || fatal!("loose object {id} (stored in {}) is corrupt", bstr::BStr::new(path));
    let length = usize::try_from(file.len()?).unwrap_or(usize::MAX);
    let mut small = None;
    if length <= inflate::MOST / 4 {
        // What is small is inflated at once, if it does not grow too much.
        let room = length.saturating_mul(6).saturating_add(512).min(inflate::MOST);
        file.read_at(0, &mut |bytes| {
            small = inflate::inflate_into(bytes, room);
            bytes.len()
        })?;
        tick_bytes(meter, small.as_ref().map_or(256, |bytes| bytes.len() + 256)).await?;
    }
    let bytes = match small {
        Some(bytes) => Some(bytes),
        None => zlib::inflate(meter, most, read).await?,
    };
    let Some(mut bytes) = bytes else { return Err(corrupt()) };
    let end = memchr::memchr(0, bytes.get(..64.min(bytes.len())).unwrap_or(&[])).ok_or_else(corrupt)?;
    let head = bytes.get(..end).unwrap_or(&[]);
    let space = memchr::memchr(b' ', head).ok_or_else(corrupt)?;
    let kind = Kind::named(head.get(..space).unwrap_or(&[])).ok_or_else(corrupt)?;
    let size = head.get(space + 1..).and_then(|digits| std::str::from_utf8(digits).ok());
    let size: u64 = size.and_then(|digits| digits.parse().ok()).ok_or_else(corrupt)?;
    bytes.remove_front(end + 1);
    if most == usize::MAX && bytes.len() as u64 != size {
        return Err(corrupt());
    }
    Ok(Some((kind, size, bytes)))
}
