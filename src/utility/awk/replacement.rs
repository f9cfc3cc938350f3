//! The replacement of `sub`, `gsub` and `gensub`, taken apart.

use crate::memory::Vec;
use std::ops::Deref;

/// A part of a replacement.
pub(super) enum Replacement<'t> {
    /// A text that stands there as it is.
    Plain(&'t [u8]),
    /// A text without its backslashes.
    Text(Vec<u8>),
    Group(usize),
}

/// The parts of a replacement.
pub(super) enum Replacements<'t> {
    /// Most have nothing special in them, and need no memory.
    Plain([Replacement<'t>; 1]),
    Parts(Vec<Replacement<'t>>),
}

impl<'t> Replacements<'t> {
    /// For `sub` and `gsub`: `&` is the match, `\&` an ampersand, `\\` before either a backslash.
    pub(super) fn simple(text: &'t [u8]) -> Self {
        Self::new(text, Replacement::simple)
    }

    /// For `gensub`: also `\0` to `\9`.
    pub(super) fn with_groups(text: &'t [u8]) -> Self {
        Self::new(text, Replacement::with_groups)
    }

    fn new(text: &'t [u8], take_apart: fn(&[u8]) -> Vec<Replacement<'t>>) -> Self {
        match memchr::memchr2(b'&', b'\\', text) {
            None => Self::Plain([Replacement::Plain(text)]),
            Some(_) => Self::Parts(take_apart(text)),
        }
    }
}

impl<'t> Deref for Replacements<'t> {
    type Target = [Replacement<'t>];

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Plain(parts) => parts,
            Self::Parts(parts) => parts,
        }
    }
}

impl Replacement<'_> {
    fn simple(text: &[u8]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == b'\\' {
                let rest = text.get(at..).unwrap_or(&[]);
                let run = rest.iter().take_while(|&&byte| byte == b'\\').count();
                at += run;
                if text.get(at) != Some(&b'&') {
                    literal.resize_by(run, b'\\');
                    continue;
                }
                literal.resize_by(run / 2, b'\\');
                if run % 2 == 1 {
                    literal.push(b'&');
                    at += 1;
                }
                continue;
            }
            at += 1;
            if byte == b'&' {
                parts.push(Self::Text(std::mem::take(&mut literal)));
                parts.push(Self::Group(0));
            } else {
                literal.push(byte);
            }
        }
        parts.push(Self::Text(literal));
        parts
    }

    fn with_groups(text: &[u8]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let group = match byte {
                b'&' => 0,
                b'\\' => match bytes.next() {
                    Some(digit @ b'0'..=b'9') => usize::from(digit - b'0'),
                    Some(escaped) => {
                        literal.push(escaped);
                        continue;
                    }
                    None => {
                        literal.push(byte);
                        continue;
                    }
                },
                _ => {
                    literal.push(byte);
                    continue;
                }
            };
            parts.push(Self::Text(std::mem::take(&mut literal)));
            parts.push(Self::Group(group));
        }
        parts.push(Self::Text(literal));
        parts
    }
}
