//! What files are made of: it stays after the run that made it, so it is on the account of the session's file system
//! ([`FsUsage::memory`](super::FsUsage), bounded by [`Limits::file_system_bytes`](crate::limit::Limits)) and not on the gauge of
//! the run that is polled: another run may remove it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A vector of the file system.
#[expect(clippy::disallowed_types, reason = "it is on the account of the file system")]
pub(super) type StoredVec<T> = std::vec::Vec<T>;

/// Shares a part of the file system.
#[expect(clippy::disallowed_methods, reason = "it is on the account of the file system")]
pub(super) fn share<T>(part: T) -> Arc<T> {
    Arc::new(part)
}

/// Boxes a part of the file system.
#[expect(clippy::disallowed_methods, reason = "it is on the account of the file system")]
#[expect(clippy::unnecessary_box_returns, reason = "this is what it is for")]
pub(super) fn own<T>(part: T) -> Box<T> {
    Box::new(part)
}

/// Bytes of the heap that a vector behind an `Arc` takes beside its items: two counters, pointer, length and capacity.
pub(super) const SHARED_VEC: usize = 16 + size_of::<StoredVec<u8>>();

const INLINE: usize = 22;

/// The name of a file or the target of a symbolic link: immutable, shared by its copies.
#[derive(Clone)]
pub(super) struct Name(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [u8; INLINE]),
    Long(Arc<[u8]>),
}

impl Name {
    /// No bytes.
    pub(super) const EMPTY: Self = Self(Repr::Inline(0, [0; INLINE]));

    pub(super) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Repr::Long(bytes) => bytes,
        }
    }

    /// Bytes of the heap.
    pub(super) fn memory(&self) -> usize {
        match &self.0 {
            Repr::Inline(..) => 0,
            Repr::Long(bytes) => 16 + bytes.len(),
        }
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        let mut inline = [0; INLINE];
        match inline.get_mut(..bytes.len()) {
            Some(room) => {
                room.copy_from_slice(bytes);
                Self(Repr::Inline(bytes.len() as u8, inline))
            }
            None => Self(Repr::Long(Arc::from(bytes))),
        }
    }
}

impl Deref for Name {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", bstr::BStr::new(self.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_needs_no_memory() {
        assert_eq!(size_of::<Name>(), 24);
        for length in [0, 1, 22, 23, 255] {
            let bytes = vec![b'x'; length];
            let name = Name::from(bytes.as_slice());
            assert_eq!(name.as_bytes(), bytes);
            assert_eq!(name.memory(), if length > 22 { 16 + length } else { 0 });
        }
    }
}
