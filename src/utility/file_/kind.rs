//! What `file` says of content: in words, as a MIME type, as extensions.

use crate::memory::{String, format};

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Kind {
    pub(super) words: String,
    pub(super) mime: &'static str,
    /// Separated by slashes; empty: none is known.
    pub(super) extensions: &'static str,
    /// The encoding of the text is told after the words.
    pub(super) wants_encoding: bool,
    /// The text is a program: `executable` stands after its encoding.
    pub(super) is_program: bool,
}

impl Kind {
    pub(super) fn new(words: impl Into<String>, mime: &'static str, extensions: &'static str) -> Self {
        Self { words: words.into(), mime, extensions, wants_encoding: false, is_program: false }
    }

    /// A text of some language.
    pub(super) fn source(words: impl Into<String>, mime: &'static str) -> Self {
        Self { wants_encoding: true, ..Self::new(words, mime, "") }
    }

    /// A script of some interpreter.
    pub(super) fn script(words: impl Into<String>, mime: &'static str) -> Self {
        Self { is_program: true, ..Self::source(words, mime) }
    }
}

/// Bytes at a place; zeros where there are none.
fn bytes<const N: usize>(data: &[u8], at: usize) -> [u8; N] {
    data.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

/// Numbers of a file, in either order of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'d> {
    pub(super) data: &'d [u8],
    pub(super) is_big: bool,
}

impl Numbers<'_> {
    pub(super) fn half(self, at: usize) -> u16 {
        let value = bytes(self.data, at);
        if self.is_big { u16::from_be_bytes(value) } else { u16::from_le_bytes(value) }
    }

    pub(super) fn word(self, at: usize) -> u32 {
        let value = bytes(self.data, at);
        if self.is_big { u32::from_be_bytes(value) } else { u32::from_le_bytes(value) }
    }

    pub(super) fn long(self, at: usize) -> u64 {
        let value = bytes(self.data, at);
        if self.is_big { u64::from_be_bytes(value) } else { u64::from_le_bytes(value) }
    }
}

pub(super) const fn big(data: &[u8]) -> Numbers<'_> {
    Numbers { data, is_big: true }
}

pub(super) const fn little(data: &[u8]) -> Numbers<'_> {
    Numbers { data, is_big: false }
}

/// Whether some bytes stand at a place.
pub(super) fn has(data: &[u8], at: usize, wanted: &[u8]) -> bool {
    data.get(at..).is_some_and(|rest| rest.starts_with(wanted))
}

/// Text up to a NUL or an end, as it is shown.
pub(super) fn text(data: &[u8], end: usize) -> String {
    let front = data.get(..end.min(data.len())).unwrap_or_default();
    let front = front.split(|&byte| byte == 0).next().unwrap_or_default();
    let mut out = String::new();
    for &byte in front {
        if matches!(byte, 0x20..0x7f) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("\\{byte:03o}"));
        }
    }
    out
}
