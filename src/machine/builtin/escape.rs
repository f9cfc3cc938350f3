//! The escapes of `echo -e`.

use crate::character::digits;
use crate::memory::Vec;
use crate::utility::format::print_format::push_code_point;

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
        match decode_escape(text, at + 1, out) {
            Some(next) => at = next,
            None => return Part::Ended,
        }
    }
    Part::Rest(text.len().saturating_sub(at))
}

/// Decodes the escape whose letter is at `at`; where it ends. `None`: `\c`.
fn decode_escape(text: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let Some(&escape) = text.get(at) else {
        out.push(b'\\');
        return Some(at);
    };
    at += 1;
    match escape {
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'c' => return None,
        b'e' | b'E' => out.push(27),
        b'f' => out.push(12),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b't' => out.push(b'\t'),
        b'v' => out.push(11),
        b'\\' => out.push(b'\\'),
        b'0' => {
            let (value, used) = digits(text, at, 8, 3);
            at += used;
            out.push(value as u8);
        }
        b'x' => match digits(text, at, 16, 2) {
            (_, 0) => out.extend_from_slice(b"\\x"),
            (value, used) => {
                at += used;
                out.push(value as u8);
            }
        },
        b'u' | b'U' => match digits(text, at, 16, if escape == b'u' { 4 } else { 8 }) {
            (_, 0) => out.extend_from_slice(&[b'\\', escape]),
            (value, used) => {
                at += used;
                push_code_point(value, out);
            }
        },
        other => out.extend_from_slice(&[b'\\', other]),
    }
    Some(at)
}
