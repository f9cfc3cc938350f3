//! How a text is encoded, and what else is told of texts: the ends of its lines, long lines, escape sequences.

use super::kind::{big, has, little};
use crate::limit::LimitError;
use crate::memory::{String, format};
use crate::utility::Context;
use crate::utility::context::pace::tick_bytes;

/// Bytes that are looked at.
pub(super) const LOOKED_AT: usize = 65_536;
/// Lines with more characters are long.
const LONG: usize = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Utf8,
    Utf8WithMark,
    Utf16Little,
    Utf16Big,
    Utf32Little,
    Utf32Big,
    Latin1,
    Extended,
    /// It is no text.
    Binary,
}

impl Encoding {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Ascii => "ASCII",
            Self::Utf8 => "Unicode text, UTF-8",
            Self::Utf8WithMark => "Unicode text, UTF-8 (with BOM)",
            Self::Utf16Little => "Unicode text, UTF-16, little-endian",
            Self::Utf16Big => "Unicode text, UTF-16, big-endian",
            Self::Utf32Little => "Unicode text, UTF-32, little-endian",
            Self::Utf32Big => "Unicode text, UTF-32, big-endian",
            Self::Latin1 => "ISO-8859",
            Self::Extended => "Non-ISO extended-ASCII",
            Self::Binary => "binary",
        }
    }

    /// Its name in MIME.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "us-ascii",
            Self::Utf8 | Self::Utf8WithMark => "utf-8",
            Self::Utf16Little => "utf-16le",
            Self::Utf16Big => "utf-16be",
            Self::Utf32Little => "utf-32le",
            Self::Utf32Big => "utf-32be",
            Self::Latin1 => "iso-8859-1",
            Self::Extended => "unknown-8bit",
            Self::Binary => "binary",
        }
    }

    /// The encoding of some bytes.
    pub(super) async fn of(ctx: &Context, data: &[u8]) -> Result<Self, LimitError> {
        let data = data.get(..LOOKED_AT).unwrap_or(data);
        tick_bytes(&ctx.meter, 4 * data.len()).await?;
        if data.iter().all(|byte| is_text(*byte)) {
            return Ok(Self::Ascii);
        }
        if let Some(rest) = data.strip_prefix(b"\xef\xbb\xbf")
            && is_utf8(rest) != Some(false)
        {
            return Ok(Self::Utf8WithMark);
        }
        if is_utf8(data) == Some(true) {
            return Ok(Self::Utf8);
        }
        if let Some(encoding) = wide(data) {
            return Ok(encoding);
        }
        if data.iter().all(|byte| is_text(*byte) || *byte >= 0xa0) {
            return Ok(Self::Latin1);
        }
        if data.iter().all(|byte| is_text(*byte) || *byte >= 0x80) {
            return Ok(Self::Extended);
        }
        Ok(Self::Binary)
    }
}

/// Whether a byte stands in plain texts; the one of ISO-8859 that ends lines does.
const fn is_text(byte: u8) -> bool {
    matches!(byte, 7..=10 | 12 | 13 | 27 | 0x20..=0x7e | 0x85)
}

/// Whether it is UTF-8 with characters that are not ASCII; `None`: it has none of these. What is cut off at the end is taken
/// for whole.
fn is_utf8(data: &[u8]) -> Option<bool> {
    let mut rest = data;
    let mut found = None;
    while let Some((&first, tail)) = rest.split_first() {
        let more = match first {
            0..=0x7f if is_text(first) => 0,
            0xc0..=0xdf => 1,
            0xe0..=0xef => 2,
            0xf0..=0xf7 => 3,
            0xf8..=0xfb => 4,
            0xfc..=0xfd => 5,
            _ => return Some(false),
        };
        for at in 0..more {
            match tail.get(at) {
                None => return found,
                Some(0x80..=0xbf) => found = Some(true),
                Some(_) => return Some(false),
            }
        }
        rest = tail.get(more..).unwrap_or_default();
    }
    found
}

/// Characters of two or four bytes, after a mark.
fn wide(data: &[u8]) -> Option<Encoding> {
    let (encoding, is_big, size) = match data {
        [0xff, 0xfe, 0, 0, ..] => (Encoding::Utf32Little, false, 4),
        [0, 0, 0xfe, 0xff, ..] => (Encoding::Utf32Big, true, 4),
        [0xff, 0xfe, ..] => (Encoding::Utf16Little, false, 2),
        [0xfe, 0xff, ..] => (Encoding::Utf16Big, true, 2),
        _ => return None,
    };
    let numbers = if is_big { big(data) } else { little(data) };
    for at in (size..data.len().saturating_sub(size - 1)).step_by(size) {
        let unit = if size == 2 { u32::from(numbers.half(at)) } else { numbers.word(at) };
        if unit == 0xfffe || (unit < 128 && !is_text(unit as u8)) || unit > 0x10_ffff {
            return None;
        }
    }
    Some(encoding)
}

/// What is told after `text`: long lines, ends of lines that are not the usual ones, escape sequences.
pub(super) async fn details(ctx: &Context, data: &[u8], encoding: Encoding) -> Result<String, LimitError> {
    let units = Units { data, encoding, at: 0 };
    let (mut crlf, mut cr, mut lf, mut nel) = (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut seen_cr, mut has_escapes, mut has_backspaces, mut longest) = (false, false, false, 0_usize);
    let (mut length, mut looked) = (0_usize, 0_usize);
    for unit in units {
        looked += 1;
        if looked.is_multiple_of(4096) {
            tick_bytes(&ctx.meter, 4096).await?;
        }
        length += 1;
        if unit == u32::from(b'\n') {
            if seen_cr {
                crlf += 1;
            } else {
                lf += 1;
            }
            length = 0;
        } else if seen_cr {
            cr += 1;
            length = 1;
        }
        seen_cr = unit == u32::from(b'\r');
        match unit {
            0x85 => {
                nel += 1;
                length = 0;
            }
            0x1b => has_escapes = true,
            0x08 => has_backspaces = true,
            _ => {}
        }
        if length > LONG {
            longest = longest.max(length);
        }
    }
    cr += usize::from(seen_cr);
    let mut out = String::new();
    if longest > 0 {
        out.push_str(&format!(", with very long lines ({longest})"));
    }
    if crlf + cr + lf + nel == 0 {
        out.push_str(", with no line terminators");
    } else if crlf + cr + nel > 0 {
        let mut separator = ", with ";
        for (count, name) in [(crlf, "CRLF"), (cr, "CR"), (lf, "LF"), (nel, "NEL")] {
            if count > 0 {
                out.push_str(separator);
                out.push_str(name);
                separator = ", ";
            }
        }
        out.push_str(" line terminators");
    }
    if has_escapes {
        out.push_str(", with escape sequences");
    }
    if has_backspaces {
        out.push_str(", with overstriking");
    }
    Ok(out)
}

/// The characters of a text; bytes where it is none of Unicode.
struct Units<'d> {
    data: &'d [u8],
    encoding: Encoding,
    at: usize,
}

impl Iterator for Units<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let rest = self.data.get(self.at..).filter(|rest| !rest.is_empty())?;
        let (unit, size) = match self.encoding {
            Encoding::Utf16Little => (u32::from(little(rest).half(0)), 2),
            Encoding::Utf16Big => (u32::from(big(rest).half(0)), 2),
            Encoding::Utf32Little => (little(rest).word(0), 4),
            Encoding::Utf32Big => (big(rest).word(0), 4),
            Encoding::Utf8 | Encoding::Utf8WithMark if !has(rest, 0, b"\x85") => {
                let (letter, size) = bstr::decode_utf8(rest);
                (letter.map_or(0xfffd, u32::from), size.max(1))
            }
            _ => (u32::from(rest.first().copied().unwrap_or(0)), 1),
        };
        self.at += size;
        Some(unit)
    }
}
