//! Colours of the output: `--color` and `--palette`. GNU diff(1).

use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::prelude::*;

/// When the output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ColorWhen {
    #[default]
    Never,
    /// With a terminal, which a session does not have.
    Auto,
    Always,
}

impl ColorWhen {
    pub(super) fn of(argument: Option<&Text>) -> Result<Self, UtilityError> {
        match argument.map(Text::as_bytes) {
            None | Some(b"auto") => Ok(Self::Auto),
            Some(b"always") => Ok(Self::Always),
            Some(b"never") => Ok(Self::Never),
            Some(other) => {
                Err(UtilityError::Usage(format!("invalid color '{}'", String::from_utf8_lossy(other))))
            }
        }
    }
}

/// What a piece of the output is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Plain,
    Header,
    Added,
    Deleted,
    Numbers,
}

/// The sequences, by their two letters.
const NAMES: [&[u8; 2]; 8] = [b"lc", b"rc", b"ec", b"rs", b"hd", b"ad", b"de", b"ln"];
const DEFAULTS: [&[u8]; 8] = [b"\x1b[", b"m", b"", b"0", b"1", b"32", b"31", b"36"];

pub(super) struct Palette([Vec<u8>; 8]);

impl Palette {
    /// The palette, changed as the argument says; otherwise the messages about what is wrong with that.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Vec<String>> {
        let mut palette = Self(DEFAULTS.map(ToMetered::to_metered));
        let unparsable = || String::from("unparsable value for --palette");
        let mut rest = text;
        loop {
            rest = rest.strip_prefix(b":").unwrap_or(rest);
            match rest {
                [] => return Ok(palette),
                [b':', ..] => {}
                [one, two, b'=', value @ ..] => {
                    let Some((value, after)) = sequence(value) else {
                        return Err(Vec::from([unparsable()]));
                    };
                    let Some(index) = NAMES.iter().position(|name| **name == [*one, *two]) else {
                        let name = String::from_utf8_lossy(&[*one, *two]);
                        return Err(Vec::from([format!("unrecognized prefix: {name}"), unparsable()]));
                    };
                    if let Some(slot) = palette.0.get_mut(index) {
                        *slot = value;
                    }
                    rest = after;
                }
                _ => return Err(Vec::from([unparsable()])),
            }
        }
    }

    /// Appends what switches to a part.
    pub(super) fn switch(&self, part: Part, out: &mut Vec<u8>) {
        let index = match part {
            Part::Plain => 3,
            Part::Header => 4,
            Part::Added => 5,
            Part::Deleted => 6,
            Part::Numbers => 7,
        };
        for index in [0, index, 1] {
            out.extend_from_slice(self.0.get(index).map_or(&[], Vec::as_slice));
        }
    }
}

/// A sequence up to a colon, with its escapes undone; what is after it.
fn sequence(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut at = 0;
    loop {
        let byte = text.get(at).copied();
        at += 1;
        match byte {
            None => return Some((value, &[])),
            Some(b':') => return Some((value, text.get(at - 1..).unwrap_or(&[]))),
            Some(b'=') => return None,
            Some(b'^') => {
                let control = *text.get(at)?;
                at += 1;
                match control {
                    b'@'..=b'~' => value.push(control & 0x1f),
                    b'?' => value.push(0x7f),
                    _ => return None,
                }
            }
            Some(b'\\') => {
                let letter = *text.get(at)?;
                at += 1;
                let base = match letter {
                    b'0'..=b'7' => 8,
                    b'x' | b'X' => 16,
                    _ => {
                        value.push(escaped(letter));
                        continue;
                    }
                };
                let start = if base == 8 { at - 1 } else { at };
                let digits = text.get(start..).unwrap_or(&[]).iter();
                let mut number = 0_u8;
                at = start;
                for digit in digits.map_while(|byte| char::from(*byte).to_digit(base)) {
                    number = number.wrapping_mul(base as u8).wrapping_add(digit as u8);
                    at += 1;
                }
                value.push(number);
            }
            Some(other) => value.push(other),
        }
    }
}

fn escaped(letter: u8) -> u8 {
    match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'?' => 127,
        b'_' => b' ',
        other => other,
    }
}
