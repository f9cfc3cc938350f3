//! The replacement of `sub`, `gsub` and `gensub`, taken apart.

use crate::memory::Vec;

/// A part of a replacement.
pub(super) enum Replacement {
    Text(Vec<u8>),
    Group(usize),
}

impl Replacement {
    /// For `sub` and `gsub`: `&` is the match, `\&` an ampersand, `\\` before either a backslash.
    pub(super) fn simple(text: &[u8]) -> Vec<Self> {
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

    /// For `gensub`: also `\0` to `\9`.
    pub(super) fn with_groups(text: &[u8]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let group = match byte {
                b'&' => 0,
                b'\\' => match bytes.next() {
                    Some(digit @ b'0'..=b'9') => usize::from(digit - b'0'),
                    Some(escaped) => {
                        if escaped != b'&' && escaped != b'\\' {
                            literal.push(byte);
                        }
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
