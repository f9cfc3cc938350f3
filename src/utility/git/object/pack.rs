//! Packs: an object is found by its index, whose tables are read where they are needed, and its deltas are put together.
//! A pack is never read as a whole.

use super::id::{Kind, ObjectId};
use super::inflate::{MOST, inflate_small};
use super::zlib::inflate;
use crate::limit::Meter;
use crate::memory::{Arc, Box, HashMap, Vec};
use crate::utility::context::pace::tick_bytes;
use crate::utility::git::error::{Result, found};
use crate::vfs::{FileSystem, OpenFile, OpenOptions, Opened};

/// Deltas on deltas, at most.
const LONGEST_CHAIN: usize = 4096;
/// Bytes of bases that are kept for the next object.
const KEPT_BASES: usize = 4 << 20;

/// A pack and its index.
pub(super) struct Pack {
    index: OpenFile,
    data: OpenFile,
    version: u32,
    count: u32,
    fan: Fan,
    bases: HashMap<u64, (Kind, Arc<Vec<u8>>)>,
    kept: usize,
}

/// For each first byte how many names of a sorted table begin with one up to it.
pub(super) struct Fan(Box<[u8; 1024]>);

impl Fan {
    pub(super) fn read(file: &OpenFile, offset: u64) -> Result<Option<Self>> {
        Ok(array_at::<1024>(file, offset)?.map(|bytes| Self(Box::new(bytes))))
    }

    /// How many names begin with a byte below this one.
    pub(super) fn before(&self, byte: usize) -> u32 {
        let end = byte * 4;
        let bytes = end.checked_sub(4).and_then(|start| self.0.get(start..end));
        bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
    }

    /// The first place whose name is not below `id`; `name` gives the names of the table.
    pub(super) fn lower_bound(&self, id: &ObjectId, name: impl Fn(u32) -> Result<ObjectId>) -> Result<u32> {
        let byte = id.first_byte();
        let mut low = self.before(byte);
        let mut high = self.before(byte + 1).min(self.before(256));
        while low < high {
            let middle = low + (high - low) / 2;
            if name(middle)? < *id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

/// What an entry of a pack is.
enum Entry {
    Whole(Kind),
    OffsetDelta(u64),
    NameDelta(ObjectId),
}

/// Bytes of a file at an offset; fewer at its end.
pub(super) fn read_at(file: &OpenFile, offset: u64, length: usize, out: &mut Vec<u8>) -> Result<()> {
    let mut left = length;
    let mut offset = offset;
    while left > 0 {
        let taken = file.read_at(offset, &mut |bytes| {
            let piece = bytes.get(..left.min(bytes.len())).unwrap_or(&[]);
            out.extend_from_slice(piece);
            piece.len()
        })?;
        if taken == 0 {
            break;
        }
        left -= taken;
        offset += taken as u64;
    }
    Ok(())
}

/// `N` bytes of a file; `None` when there are fewer.
pub(super) fn array_at<const N: usize>(file: &OpenFile, offset: u64) -> Result<Option<[u8; N]>> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        let taken = file.read_at(offset + filled as u64, &mut |piece| {
            let count = piece.len().min(N - filled);
            if let (Some(room), Some(piece)) = (bytes.get_mut(filled..filled + count), piece.get(..count)) {
                room.copy_from_slice(piece);
            }
            count
        })?;
        if taken == 0 {
            return Ok(None);
        }
        filled += taken;
    }
    Ok(Some(bytes))
}

pub(super) fn number_at(file: &OpenFile, offset: u64) -> Result<u32> {
    Ok(array_at::<4>(file, offset)?.map_or(0, u32::from_be_bytes))
}

/// Opens a regular file for reading.
pub(super) fn open(fs: &FileSystem, path: &[u8]) -> Result<Option<OpenFile>> {
    Ok(match found(fs.open(path, &OpenOptions::for_reading()))? {
        Some(Opened::File(file)) => Some(file),
        _ => None,
    })
}

impl Pack {
    /// Opens the pack of an index; `None` where one of them is not what it should be.
    pub(super) fn open(fs: &FileSystem, index_path: &[u8]) -> Result<Option<Self>> {
        let stem = index_path.strip_suffix(b".idx").unwrap_or(index_path);
        let mut pack_path: Vec<u8> = Vec::from(stem);
        pack_path.extend_from_slice(b".pack");
        let (Some(index), Some(pack)) = (open(fs, index_path)?, open(fs, &pack_path)?) else {
            return Ok(None);
        };
        let version = match array_at::<8>(&index, 0)? {
            Some([0xff, b't', b'O', b'c', 0, 0, 0, 2]) => 2,
            Some([0xff, b't', b'O', b'c', ..]) | None => return Ok(None),
            Some(_) => 1,
        };
        let Some(fan) = Fan::read(&index, if version == 2 { 8 } else { 0 })? else { return Ok(None) };
        let count = fan.before(256);
        let pack = Self { index, data: pack, version, count, fan, bases: HashMap::new(), kept: 0 };
        // The index has to hold what it promises.
        let needed = pack.table() + u64::from(pack.count) * if version == 2 { 28 } else { 24 };
        Ok((pack.index.len()? >= needed).then_some(pack))
    }

    /// Where the sorted names begin.
    const fn table(&self) -> u64 {
        if self.version == 2 { 8 + 1024 } else { 1024 }
    }

    pub(super) const fn count(&self) -> u32 {
        self.count
    }

    /// The name at a place of the index.
    pub(super) fn name(&self, place: u32) -> Result<ObjectId> {
        let at = match self.version {
            2 => self.table() + u64::from(place) * 20,
            _ => self.table() + u64::from(place) * 24 + 4,
        };
        Ok(array_at::<20>(&self.index, at)?.map_or(ObjectId::ZERO, ObjectId))
    }

    /// The first place whose name is not below `id`.
    pub(super) fn lower_bound(&self, id: &ObjectId) -> Result<u32> {
        self.fan.lower_bound(id, |place| self.name(place))
    }

    /// The offset of an object in the pack.
    pub(super) fn find(&self, id: &ObjectId) -> Result<Option<u64>> {
        let place = self.lower_bound(id)?;
        if place >= self.count || self.name(place)? != *id {
            return Ok(None);
        }
        if self.version == 1 {
            return Ok(Some(number_at(&self.index, self.table() + u64::from(place) * 24)?.into()));
        }
        let offsets = self.table() + u64::from(self.count) * 24;
        let offset = number_at(&self.index, offsets + u64::from(place) * 4)?;
        if offset & 1 << 31 == 0 {
            return Ok(Some(offset.into()));
        }
        let large = offsets + u64::from(self.count) * 4 + u64::from(offset & !(1 << 31)) * 8;
        Ok(array_at::<8>(&self.index, large)?.map(u64::from_be_bytes))
    }

    /// The head of an entry: what it is, its size, and where its stream begins.
    fn entry(&self, offset: u64) -> Result<Option<(Entry, u64, u64)>> {
        let mut head: Vec<u8> = Vec::with_capacity(64);
        read_at(&self.data, offset, 64, &mut head)?;
        let mut bytes = head.iter().copied().enumerate();
        let Some((_, first)) = bytes.next() else { return Ok(None) };
        let (mut size, mut shift, mut byte) = (u64::from(first & 15), 4, first);
        let mut used = 1;
        while byte & 0x80 != 0 {
            let Some((at, next)) = bytes.next() else { return Ok(None) };
            if shift > 57 {
                return Ok(None);
            }
            size |= u64::from(next & 0x7f) << shift;
            shift += 7;
            (used, byte) = (at + 1, next);
        }
        let entry = match first >> 4 & 7 {
            1 => Entry::Whole(Kind::Commit),
            2 => Entry::Whole(Kind::Tree),
            3 => Entry::Whole(Kind::Blob),
            4 => Entry::Whole(Kind::Tag),
            6 => {
                let mut back = 0_u64;
                loop {
                    let Some((at, next)) = bytes.next() else { return Ok(None) };
                    back = back << 7 | u64::from(next & 0x7f);
                    used = at + 1;
                    if next & 0x80 == 0 {
                        break;
                    }
                    if back >> 50 != 0 {
                        return Ok(None);
                    }
                    back += 1;
                }
                match offset.checked_sub(back) {
                    Some(base) if back > 0 => Entry::OffsetDelta(base),
                    _ => return Ok(None),
                }
            }
            7 => {
                let Some(id) = head.get(used..used + 20).and_then(ObjectId::from_bytes) else {
                    return Ok(None);
                };
                used += 20;
                Entry::NameDelta(id)
            }
            _ => return Ok(None),
        };
        Ok(Some((entry, size, offset + used as u64)))
    }

    async fn stream(&self, meter: &Meter, start: u64, size: u64) -> Result<Option<Vec<u8>>> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if size <= MOST {
            let mut small = None;
            self.data.read_at(start, &mut |bytes| {
                small = inflate_small(bytes, size);
                bytes.len().min(size)
            })?;
            tick_bytes(meter, size + 256).await?;
            if small.is_some() {
                return Ok(small);
            }
        }
        let bytes = inflate(meter, size, |at, block| {
            read_at(&self.data, start + at as u64, size.clamp(256, 4096), block)
        });
        Ok(bytes.await?.filter(|bytes| bytes.len() == size))
    }

    /// The object at an offset. `None`: it is damaged.
    pub(super) async fn read(&mut self, meter: &Meter, offset: u64) -> Result<Option<(Kind, Vec<u8>)>> {
        let mut deltas: Vec<(u64, u64, u64)> = Vec::new();
        let mut at = offset;
        let (kind, mut base) = loop {
            if let Some((kind, base)) = self.bases.get(&at) {
                break (*kind, Arc::clone(base));
            }
            tick_bytes(meter, 256).await?;
            let Some((entry, size, start)) = self.entry(at)? else { return Ok(None) };
            let next = match entry {
                Entry::Whole(kind) => {
                    let Some(bytes) = self.stream(meter, start, size).await? else { return Ok(None) };
                    if deltas.is_empty() {
                        return Ok(Some((kind, bytes)));
                    }
                    break (kind, self.keep(at, kind, bytes));
                }
                Entry::OffsetDelta(base) => base,
                Entry::NameDelta(id) => match self.find(&id)? {
                    Some(base) => base,
                    None => return Ok(None),
                },
            };
            deltas.push((at, start, size));
            if deltas.len() > LONGEST_CHAIN {
                return Ok(None);
            }
            at = next;
        };
        while let Some((at, start, size)) = deltas.pop() {
            let Some(delta) = self.stream(meter, start, size).await? else { return Ok(None) };
            let Some(bytes) = apply(meter, &base, &delta).await? else { return Ok(None) };
            if deltas.is_empty() {
                return Ok(Some((kind, bytes)));
            }
            base = self.keep(at, kind, bytes);
        }
        Ok(Some((kind, Vec::clone(&base))))
    }

    /// Keeps what other objects may be made from.
    fn keep(&mut self, at: u64, kind: Kind, bytes: Vec<u8>) -> Arc<Vec<u8>> {
        let base = Arc::new(bytes);
        if self.kept + base.len() > KEPT_BASES {
            self.bases.clear();
            self.kept = 0;
        }
        if base.len() <= KEPT_BASES / 4 {
            self.kept += base.len() + 64;
            self.bases.insert(at, (kind, Arc::clone(&base)));
        }
        base
    }

    /// The kind and the size of an object, without its content.
    pub(super) async fn header(&self, meter: &Meter, offset: u64) -> Result<Option<(Kind, u64)>> {
        let mut at = offset;
        let mut result = None;
        for _ in 0..LONGEST_CHAIN {
            tick_bytes(meter, 256).await?;
            let Some((entry, size, start)) = self.entry(at)? else { return Ok(None) };
            let base = match entry {
                Entry::Whole(kind) => return Ok(Some((kind, result.unwrap_or(size)))),
                Entry::OffsetDelta(base) => base,
                Entry::NameDelta(id) => match self.find(&id)? {
                    Some(base) => base,
                    None => return Ok(None),
                },
            };
            if result.is_none() {
                let head = inflate(meter, 20, |at, block| read_at(&self.data, start + at as u64, 64, block));
                let Some(head) = head.await? else { return Ok(None) };
                let mut rest = head.as_slice();
                let sizes = (length(&mut rest), length(&mut rest));
                result = sizes.1;
            }
            at = base;
        }
        Ok(None)
    }
}

/// A number of a delta's head.
fn length(rest: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0_u64, 0);
    loop {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        if shift > 57 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

/// What a delta makes of its base; `None` where it is damaged.
async fn apply(meter: &Meter, base: &[u8], delta: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut rest = delta;
    let (Some(from), Some(to)) = (length(&mut rest), length(&mut rest)) else { return Ok(None) };
    if from != base.len() as u64 {
        return Ok(None);
    }
    let to = usize::try_from(to).unwrap_or(usize::MAX);
    let mut out: Vec<u8> = Vec::with_capacity(to);
    while let Some((&command, tail)) = rest.split_first() {
        rest = tail;
        let piece = if command & 0x80 == 0 {
            let count = usize::from(command);
            let Some(piece) = rest.get(..count).filter(|piece| !piece.is_empty()) else { return Ok(None) };
            rest = rest.get(count..).unwrap_or(&[]);
            piece
        } else {
            let mut fields = [0_usize; 7];
            for (bit, field) in fields.iter_mut().enumerate() {
                if command & 1 << bit != 0 {
                    let Some((&byte, tail)) = rest.split_first() else { return Ok(None) };
                    (*field, rest) = (byte.into(), tail);
                }
            }
            let [a, b, c, d, x, y, z] = fields;
            let start = a | b << 8 | c << 16 | d << 24;
            let size = match x | y << 8 | z << 16 {
                0 => 0x10000,
                size => size,
            };
            let Some(piece) = base.get(start..start.saturating_add(size)) else { return Ok(None) };
            piece
        };
        if out.len() + piece.len() > to {
            return Ok(None);
        }
        out.extend_from_slice(piece);
        tick_bytes(meter, 8 + piece.len() / 8).await?;
    }
    Ok((out.len() == to).then_some(out))
}
