//! `Blocks`: the bytes of a regular file.
//!
//! A file of more than one block is a table of blocks that are shared by reference count. A write copies the blocks that it
//! touches and no others, a hole is a block that is not there, so what an operation costs is what it moves: lengthening a
//! file by 200 MiB costs a table, and a byte appended to a copy of a large file costs a block.

use super::errno::Errno;
use super::errno::Result;
use super::inode::Content;
use super::stored::{SHARED_VEC, StoredVec, share};
use crate::memory::Vec;
use std::sync::Arc;

/// Bytes of a block. All but the last of a file are whole, or are not there and stand for zeros.
pub(super) const BLOCK: usize = 64 * 1024;

static ZEROS: [u8; BLOCK] = [0; BLOCK];

/// See the module.
#[derive(Clone)]
pub(super) struct Blocks(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static [u8]),
    /// At most one block.
    One(Arc<StoredVec<u8>>),
    Many(Arc<Table>),
}

#[derive(Clone)]
struct Table {
    /// A stored block may be shorter than its part of the file: zeros follow.
    blocks: StoredVec<Option<Arc<StoredVec<u8>>>>,
    len: usize,
}

/// The bytes of a file that are to be another's too: nothing is copied until one of the two is written to.
#[derive(Clone)]
pub(crate) struct SharedBytes(pub(super) Blocks);

impl Blocks {
    /// No bytes.
    pub(super) const EMPTY: Self = Self(Repr::Static(b""));

    #[inline]
    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Repr::Static(bytes) => bytes.len(),
            Repr::One(bytes) => bytes.len(),
            Repr::Many(table) => table.len,
        }
    }

    /// Bytes of the heap that it takes; a hole counts as if it were there, and what it shares as its own.
    #[inline]
    pub(super) fn memory(&self) -> usize {
        match &self.0 {
            Repr::Static(bytes) => bytes.len(),
            Repr::One(bytes) => SHARED_VEC + bytes.capacity(),
            Repr::Many(table) => table.memory(),
        }
    }

    /// Whether both are the same object, so that their bytes need no comparison.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Static(a), Repr::Static(b)) => std::ptr::eq(*a, *b),
            (Repr::One(a), Repr::One(b)) => Arc::ptr_eq(a, b),
            (Repr::Many(a), Repr::Many(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Whether both hold the same bytes. Blocks that are shared are not compared.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let mut at = 0;
        while at < self.len() {
            let (ours, theirs) = (self.piece(at), other.piece(at));
            let length = ours.len().min(theirs.len());
            let is_shared = std::ptr::eq(ours.as_ptr(), theirs.as_ptr());
            if length == 0 || !is_shared && ours.get(..length) != theirs.get(..length) {
                return false;
            }
            at += length;
        }
        true
    }

    /// Some bytes from `start` on: none at the end, else at least one and at most a block.
    pub(super) fn piece(&self, start: usize) -> &[u8] {
        match &self.0 {
            Repr::Static(bytes) => bytes.get(start..).unwrap_or_default(),
            Repr::One(bytes) => bytes.get(start..).unwrap_or_default(),
            Repr::Many(table) => table.piece(start),
        }
    }

    /// All bytes in one piece; copied where they are in several blocks.
    pub(super) fn to_content(&self) -> Content {
        match &self.0 {
            Repr::Static(bytes) => Content::from_static(bytes),
            Repr::One(bytes) => Content::from_shared(Arc::clone(bytes)),
            Repr::Many(table) => {
                let mut bytes = Vec::with_capacity(table.len);
                while bytes.len() < table.len {
                    let before = bytes.len();
                    bytes.extend_from_slice(table.piece(before));
                    if bytes.len() == before {
                        break;
                    }
                }
                Content::from_copy(bytes)
            }
        }
    }

    /// Writes `bytes` at `start`; a hole before it reads as zeros.
    ///
    /// # Errors
    /// `ENOSPC` when the host has no memory for it.
    pub(super) fn write(&mut self, start: usize, bytes: &[u8]) -> Result<()> {
        let end = start.checked_add(bytes.len()).ok_or(Errno::FileTooBig)?;
        if end.max(self.len()) <= BLOCK {
            return write_into(self.one()?, start, bytes);
        }
        let table = self.table()?;
        table.set_len(end.max(table.len))?;
        let mut rest = bytes;
        let mut at = start;
        while !rest.is_empty() {
            let inside = at % BLOCK;
            let (now, later) = rest.split_at(rest.len().min(BLOCK - inside));
            write_into(table.block(at / BLOCK)?, inside, now)?;
            at += now.len();
            rest = later;
        }
        Ok(())
    }

    /// Cuts the bytes or lengthens them with zeros.
    ///
    /// # Errors
    /// `ENOSPC` when the host has no memory for it.
    pub(super) fn set_len(&mut self, len: usize) -> Result<()> {
        if len == 0 {
            *self = Self::EMPTY;
            return Ok(());
        }
        if len.max(self.len()) <= BLOCK {
            let bytes = self.one()?;
            reserve(bytes, len.saturating_sub(bytes.len()))?;
            bytes.resize(len, 0);
            return Ok(());
        }
        self.table()?.set_len(len)
    }

    /// The bytes of a file of at most one block, unshared.
    fn one(&mut self) -> Result<&mut StoredVec<u8>> {
        if let Repr::Static(_) | Repr::Many(_) = &self.0 {
            let length = self.len().min(BLOCK);
            let mut bytes = StoredVec::new();
            reserve(&mut bytes, length)?;
            while bytes.len() < length {
                let piece = self.piece(bytes.len());
                bytes.extend_from_slice(piece.get(..length - bytes.len()).unwrap_or(piece));
            }
            self.0 = Repr::One(share(bytes));
        }
        match &mut self.0 {
            Repr::One(bytes) => Ok(Arc::make_mut(bytes)),
            Repr::Static(_) | Repr::Many(_) => Err(Errno::InputOutput.into()),
        }
    }

    /// The table of blocks, unshared.
    fn table(&mut self) -> Result<&mut Table> {
        let table = match std::mem::replace(&mut self.0, Repr::Static(b"")) {
            Repr::Many(table) => table,
            Repr::One(bytes) => share(Table { len: bytes.len(), blocks: StoredVec::from([Some(bytes)]) }),
            Repr::Static(bytes) => share(Table::of(bytes)),
        };
        self.0 = Repr::Many(table);
        match &mut self.0 {
            Repr::Many(table) => Ok(Arc::make_mut(table)),
            Repr::Static(_) | Repr::One(_) => Err(Errno::InputOutput.into()),
        }
    }
}

impl Table {
    fn of(bytes: &[u8]) -> Self {
        let blocks = bytes.chunks(BLOCK).map(|block| Some(share(StoredVec::from(block)))).collect();
        Self { blocks, len: bytes.len() }
    }

    /// See [`Blocks::memory`]. All blocks but the last are whole or count as if they were.
    fn memory(&self) -> usize {
        let block = size_of::<Option<Arc<StoredVec<u8>>>>();
        let part = self.len.saturating_sub(self.blocks.len().saturating_sub(1) * BLOCK);
        let last = match self.blocks.last() {
            Some(Some(last)) => last.capacity().saturating_sub(part),
            _ => 0,
        };
        let tables = 16 + size_of::<Self>() + self.blocks.capacity() * block + self.blocks.len() * SHARED_VEC;
        tables + self.len + last
    }

    fn piece(&self, start: usize) -> &[u8] {
        let inside = start % BLOCK;
        let end = (self.len.saturating_sub(start) + inside).min(BLOCK);
        let stored = match self.blocks.get(start / BLOCK) {
            Some(Some(block)) => block.as_slice(),
            _ => &[],
        };
        match stored.get(inside..end.min(stored.len())) {
            Some(piece) if !piece.is_empty() => piece,
            _ => ZEROS.get(inside..end).unwrap_or_default(),
        }
    }

    fn set_len(&mut self, len: usize) -> Result<()> {
        let count = len.div_ceil(BLOCK);
        self.blocks.try_reserve(count.saturating_sub(self.blocks.len())).map_err(|_| Errno::NoSpace)?;
        self.blocks.resize(count, None);
        if len < self.len
            && let Some(Some(last)) = self.blocks.last_mut()
        {
            // What is cut off must not come back when the file grows again.
            Arc::make_mut(last).truncate(len - (count - 1) * BLOCK);
        }
        self.len = len;
        Ok(())
    }

    /// A block, unshared.
    fn block(&mut self, index: usize) -> Result<&mut StoredVec<u8>> {
        let slot = self.blocks.get_mut(index).ok_or(Errno::InputOutput)?;
        Ok(Arc::make_mut(slot.get_or_insert_default()))
    }
}

/// Writes into one block.
fn write_into(block: &mut StoredVec<u8>, start: usize, bytes: &[u8]) -> Result<()> {
    let end = start + bytes.len();
    reserve(block, end.saturating_sub(block.len()))?;
    if start >= block.len() {
        block.resize(start, 0);
        block.extend_from_slice(bytes);
        return Ok(());
    }
    let (over, beyond) = bytes.split_at(bytes.len().min(block.len() - start));
    if let Some(room) = block.get_mut(start..start + over.len()) {
        room.copy_from_slice(over);
    }
    block.extend_from_slice(beyond);
    Ok(())
}

/// Makes room for `more` bytes of a block, which grows by its half.
fn reserve(block: &mut StoredVec<u8>, more: usize) -> Result<()> {
    if block.capacity() - block.len() < more {
        let grown = more.max((block.len() / 2).min(BLOCK.saturating_sub(block.len())));
        block.try_reserve_exact(grown).map_err(|_| Errno::NoSpace)?;
    }
    Ok(())
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Blocks({} bytes)", self.len())
    }
}

impl From<StoredVec<u8>> for Blocks {
    fn from(bytes: StoredVec<u8>) -> Self {
        match bytes.len() {
            0 => Self::EMPTY,
            1..=BLOCK => Self(Repr::One(share(bytes))),
            _ => Self(Repr::Many(share(Table::of(&bytes)))),
        }
    }
}

impl From<&[u8]> for Blocks {
    fn from(bytes: &[u8]) -> Self {
        if bytes.len() > BLOCK {
            Self(Repr::Many(share(Table::of(bytes))))
        } else {
            Self::from(StoredVec::from(bytes))
        }
    }
}

impl From<Content> for Blocks {
    fn from(content: Content) -> Self {
        match content.into_shared() {
            Ok(bytes) if (1..=BLOCK).contains(&bytes.len()) => Self(Repr::One(bytes)),
            Ok(bytes) if bytes.is_empty() => Self::EMPTY,
            Ok(bytes) => Self(Repr::Many(share(Table::of(&bytes)))),
            Err(bytes) => Self(Repr::Static(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(blocks: &Blocks) -> StoredVec<u8> {
        blocks.to_content().into_vec()
    }

    /// A repeatable sequence of lengths and places.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut state = 1_u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        }
    }

    #[test]
    fn behaves_as_one_buffer() {
        let mut random = numbers();
        let mut blocks = Blocks::EMPTY;
        let mut plain: StoredVec<u8> = StoredVec::new();
        for turn in 0..400_u32 {
            let copy = blocks.clone();
            let before = plain.clone();
            if random(4) == 0 {
                let len = random(5 * BLOCK);
                blocks.set_len(len).unwrap();
                plain.resize(len, 0);
            } else {
                let start = random(4 * BLOCK);
                let new = vec![turn as u8 | 1; random(2 * BLOCK)];
                blocks.write(start, &new).unwrap();
                plain.resize(plain.len().max(start + new.len()), 0);
                plain[start..start + new.len()].copy_from_slice(&new);
            }
            assert!(bytes(&blocks) == plain, "turn {turn}");
            assert!(bytes(&copy) == before, "the copy of turn {turn}");
            assert!(blocks.is_equal(&Blocks::from(plain.clone())));
            assert_eq!(blocks.is_equal(&copy), plain == before);
        }
    }

    #[test]
    fn holes_and_copies_cost_a_table() {
        let mut blocks = Blocks::EMPTY;
        blocks.set_len(200 << 20).unwrap();
        let copy = blocks.clone();
        blocks.write((200 << 20) - 1, b"x").unwrap();
        let Repr::Many(table) = &blocks.0 else { panic!("many blocks") };
        assert_eq!(table.blocks.iter().flatten().count(), 1);
        assert_eq!((copy.piece((200 << 20) - 1), blocks.piece((200 << 20) - 1)), (&b"\0"[..], &b"x"[..]));
    }
}
