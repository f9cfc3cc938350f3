//! The escapes of `echo -e`.

use crate::memory::Vec;
use crate::utility::format::escape::{Escape, Escapes};

/// Appends a text with the escapes of `echo -e` decoded; true at `\c`.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    loop {
        match decode_part(rest, out, usize::MAX) {
            Part::Rest(0) => return false,
            Part::Rest(left) => rest = rest.get(rest.len().saturating_sub(left)..).unwrap_or(&[]),
            Part::Ended => return true,
        }
    }
}

/// What is left after a part of a text was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// So many bytes at the end of the text.
    Rest(usize),
    /// `\c`: nothing follows.
    Ended,
}

/// Appends at least `least` bytes of a text with the escapes of `echo -e` decoded, or all of it.
pub(super) fn decode_part(text: &[u8], out: &mut Vec<u8>, least: usize) -> Part {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty() && at < least) {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len()).min(least);
        out.extend_from_slice(rest.get(..plain).unwrap_or(rest));
        at += plain;
        if text.get(at) != Some(&b'\\') {
            continue;
        }
        let (escape, length) = Escapes::BASH_ECHO.decode(text.get(at..).unwrap_or(&[]), out);
        if escape == Escape::End {
            return Part::Ended;
        }
        at += length;
    }
    Part::Rest(text.len().saturating_sub(at))
}
