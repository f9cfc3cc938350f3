//! The commit graph: trees, parents and dates of commits, as git writes them down besides the objects
//! (gitformat-commit-graph(5)), so that histories are walked without inflating a commit. Chains of graphs are not read.

use super::commit::Commit;
use super::id::ObjectId;
use super::pack::{Fan, array_at, number_at, open};
use crate::memory::Vec;
use crate::utility::git::error::Result;
use crate::vfs::{FileSystem, OpenFile};

/// There is no parent.
const NO_PARENT: u32 = 0x7000_0000;
/// The other parents stand in a list; its last.
const LISTED: u32 = 0x8000_0000;

/// Parents that are read from a list; a commit with more is read itself.
const MOST_PARENTS: usize = 1024;

/// A commit graph.
pub(super) struct CommitGraph {
    file: OpenFile,
    fan: Fan,
    count: u32,
    names: u64,
    data: u64,
    /// Where the lists of parents begin, if there are some.
    lists: Option<u64>,
    length: u64,
}

impl CommitGraph {
    /// Opens a graph; `None` where there is none or it is not what it should be.
    pub(super) fn open(fs: &FileSystem, path: &[u8]) -> Result<Option<Self>> {
        let Some(file) = open(fs, path)? else { return Ok(None) };
        let Some([b'C', b'G', b'P', b'H', 1, 1, chunks, 0]) = array_at::<8>(&file, 0)? else {
            return Ok(None);
        };
        let (mut fan, mut names, mut data, mut lists) = (None, None, None, None);
        for index in 0..u64::from(chunks) {
            let row = 8 + index * 12;
            let (Some(name), Some(offset)) = (array_at::<4>(&file, row)?, array_at::<8>(&file, row + 4)?)
            else {
                return Ok(None);
            };
            let offset = Some(u64::from_be_bytes(offset));
            match &name {
                b"OIDF" => fan = offset,
                b"OIDL" => names = offset,
                b"CDAT" => data = offset,
                b"EDGE" => lists = offset,
                _ => {}
            }
        }
        let (Some(fan), Some(names), Some(data)) = (fan, names, data) else { return Ok(None) };
        let length = file.len()?;
        if fan > length {
            return Ok(None);
        }
        let Some(fan) = Fan::read(&file, fan)? else { return Ok(None) };
        let count = fan.before(256);
        // The file has to hold what it promises.
        let holds = |start: u64, size: u64| {
            start.checked_add(u64::from(count) * size).is_some_and(|end| end <= length)
        };
        if !holds(names, 20) || !holds(data, 36) {
            return Ok(None);
        }
        Ok(Some(Self { file, fan, count, names, data, lists, length }))
    }

    fn name(&self, place: u32) -> Result<ObjectId> {
        let at = self.names + u64::from(place) * 20;
        Ok(array_at::<20>(&self.file, at)?.map_or(ObjectId::ZERO, ObjectId))
    }

    /// The name of a parent; `None`: there is none at that place.
    fn parent(&self, place: u32) -> Result<Option<ObjectId>> {
        Ok(if place < self.count { Some(self.name(place)?) } else { None })
    }

    /// What is written down of a commit; `None`: nothing, or it is damaged.
    pub(super) fn find(&self, id: &ObjectId) -> Result<Option<Commit>> {
        let place = self.fan.lower_bound(id, |place| self.name(place))?;
        if place >= self.count || self.name(place)? != *id {
            return Ok(None);
        }
        let Some(row) = array_at::<36>(&self.file, self.data + u64::from(place) * 36)? else {
            return Ok(None);
        };
        let (tree, numbers) = row.split_at(20);
        let mut words = [0_u32; 4];
        for (word, bytes) in words.iter_mut().zip(numbers.chunks(4)) {
            *word = bytes.try_into().map_or(0, u32::from_be_bytes);
        }
        let [first, second, high, low] = words;
        let Some(tree) = ObjectId::from_bytes(tree) else { return Ok(None) };
        let date = i64::from(high & 3) << 32 | i64::from(low);
        let mut commit = Commit { tree, parents: Vec::new(), date };
        for place in [first, second] {
            if place == NO_PARENT {
                continue;
            }
            if place & LISTED == 0 {
                let Some(parent) = self.parent(place)? else { return Ok(None) };
                commit.parents.push(parent);
                continue;
            }
            let Some(lists) = self.lists else { return Ok(None) };
            let mut at = lists.saturating_add(u64::from(place & !LISTED) * 4);
            loop {
                if at >= self.length {
                    return Ok(None);
                }
                let place = number_at(&self.file, at)?;
                let Some(parent) = self.parent(place & !LISTED)? else { return Ok(None) };
                if commit.parents.len() >= MOST_PARENTS {
                    return Ok(None);
                }
                commit.parents.push(parent);
                if place & LISTED != 0 {
                    break;
                }
                at += 4;
            }
        }
        Ok(Some(commit))
    }
}
