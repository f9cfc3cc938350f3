//! Commits and tags: their headers, who made them and when.

use super::id::{Kind, ObjectId};
use crate::memory::Vec;
use crate::text::Text;

/// A commit's headers, without its texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commit {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    /// Seconds since the epoch at which it was committed.
    pub(crate) date: i64,
}

/// A tag's headers.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) object: ObjectId,
    pub(crate) name: Text,
}

/// Moments are nearer to the epoch than this.
const MOST_SECONDS: u64 = 1 << 45;

/// Who did something and when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signature<'t> {
    pub(crate) name: &'t [u8],
    pub(crate) email: &'t [u8],
    pub(crate) seconds: i64,
    /// The time zone as a number: `+0130` is 130.
    pub(crate) zone: i32,
}

/// The value of the first header of that name.
pub(crate) fn header<'t>(bytes: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    for line in bytes.split(|byte| *byte == b'\n') {
        if line.is_empty() {
            return None;
        }
        if let Some(value) = line.strip_prefix(name)
            && let Some(value) = value.strip_prefix(b" ")
        {
            return Some(value);
        }
    }
    None
}

/// Where the message begins.
pub(crate) fn message(bytes: &[u8]) -> &[u8] {
    if bytes.starts_with(b"\n") {
        return bytes.get(1..).unwrap_or(&[]);
    }
    memchr::memmem::find(bytes, b"\n\n").and_then(|at| bytes.get(at + 2..)).unwrap_or(&[])
}

impl Commit {
    /// Reads the headers; `None` where they are damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let tree = ObjectId::from_hex(lines.next()?.strip_prefix(b"tree ")?)?;
        let mut commit = Self { tree, parents: Vec::new(), date: 0 };
        for line in lines {
            if let Some(parent) = line.strip_prefix(b"parent ") {
                commit.parents.push(ObjectId::from_hex(parent)?);
            } else if let Some(text) = line.strip_prefix(b"committer ") {
                commit.date = Signature::parse(text).seconds;
                break;
            } else if line.is_empty() {
                break;
            }
        }
        Some(commit)
    }
}

impl Tag {
    /// Reads the headers; `None` where they are damaged.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let object = ObjectId::from_hex(header(bytes, b"object")?)?;
        Kind::named(header(bytes, b"type")?)?;
        Some(Self { object, name: Text::from(header(bytes, b"tag")?) })
    }
}

impl<'t> Signature<'t> {
    /// Reads `Name <email> seconds zone`; what is missing is empty.
    pub(crate) fn parse(text: &'t [u8]) -> Self {
        let Some(open) = memchr::memchr(b'<', text) else {
            return Self { name: text.trim_ascii(), ..Self::default() };
        };
        let rest = text.get(open + 1..).unwrap_or(&[]);
        let close = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let last = memchr::memrchr(b'>', rest).unwrap_or(close);
        let mut words =
            rest.get(last + 1..).unwrap_or(&[]).split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let number = |word: Option<&[u8]>| -> Option<i64> { std::str::from_utf8(word?).ok()?.parse().ok() };
        // What no calendar holds is the epoch, as in git.
        let seconds = number(words.next()).filter(|seconds| seconds.abs_diff(0) < MOST_SECONDS).unwrap_or(0);
        let zone = number(words.next()).unwrap_or(0).clamp(-9999, 9999) as i32;
        Self {
            name: text.get(..open).unwrap_or(&[]).trim_ascii(),
            email: rest.get(..close).unwrap_or(&[]).trim_ascii(),
            seconds,
            zone,
        }
    }

    /// Seconds east of UTC.
    pub(crate) const fn offset(&self) -> i64 {
        let zone = self.zone as i64;
        let minutes = (zone.abs() / 100) * 60 + zone.abs() % 100;
        if zone < 0 { -minutes * 60 } else { minutes * 60 }
    }
}
