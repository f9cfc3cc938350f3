//! `ObjectId`: the SHA-1 name of an object.

use crate::memory::String;
use sha1::Digest as _;
use std::fmt;

/// The name of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) [u8; 20]);

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }

    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        [Self::Commit, Self::Tree, Self::Blob, Self::Tag]
            .into_iter()
            .find(|kind| kind.name().as_bytes() == name)
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

impl ObjectId {
    pub(crate) const ZERO: Self = Self([0; 20]);
    /// The tree without entries, which is there without being stored.
    pub(crate) const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb,
        0xee, 0x49, 0x04,
    ]);
    /// The blob without bytes.
    pub(crate) const EMPTY_BLOB: Self = Self([
        0xe6, 0x9d, 0xe2, 0x9b, 0xb2, 0xd1, 0xd6, 0x43, 0x4b, 0x8b, 0x29, 0xae, 0x77, 0x5a, 0xd8, 0xc2, 0xe4,
        0x8c, 0x53, 0x91,
    ]);

    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// From 20 bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// From 40 hexadecimal digits.
    pub(crate) fn from_hex(text: &[u8]) -> Option<Self> {
        if text.len() != 40 {
            return None;
        }
        let mut id = [0; 20];
        for (slot, pair) in id.iter_mut().zip(text.chunks(2)) {
            let [high, low] = pair else { return None };
            *slot = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(id))
    }

    pub(crate) fn hex(&self) -> String {
        self.abbreviated(40)
    }

    /// The first `length` digits.
    pub(crate) fn abbreviated(&self, length: usize) -> String {
        let mut text = String::with_capacity(40);
        for index in 0..length.min(40) {
            text.push(char::from(self.digit(index)));
        }
        text
    }

    /// The hexadecimal digit at `index`.
    pub(crate) fn digit(&self, index: usize) -> u8 {
        let byte = self.0.get(index / 2).copied().unwrap_or(0);
        let nibble = if index.is_multiple_of(2) { byte >> 4 } else { byte & 15 };
        DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0')
    }

    /// How many digits two names have in common.
    pub(crate) fn common_digits(&self, other: &Self) -> usize {
        (0..40).take_while(|&index| self.digit(index) == other.digit(index)).count()
    }

    pub(crate) fn first_byte(&self) -> usize {
        usize::from(self.0.first().copied().unwrap_or(0))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

/// Hashes what is given piece by piece.
pub(crate) struct Hasher(sha1::Sha1);

impl Hasher {
    pub(crate) fn new() -> Self {
        Self(sha1::Sha1::new())
    }

    /// For an object of that kind and size, whose bytes come next.
    pub(crate) fn of_object(kind: Kind, size: u64) -> Self {
        let mut hasher = Self::new();
        hasher.update(kind.name().as_bytes());
        hasher.update(b" ");
        hasher.update(itoa::Buffer::new().format(size).as_bytes());
        hasher.update(&[0]);
        hasher
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> ObjectId {
        ObjectId(self.0.finalize().into())
    }
}

/// The name of an object with these bytes.
pub(crate) fn hash(kind: Kind, bytes: &[u8]) -> ObjectId {
    let mut hasher = Hasher::of_object(kind, bytes.len() as u64);
    hasher.update(bytes);
    hasher.finish()
}
