//! The types of `od -t`: how bytes become fields, and how fields are spread over the columns of a line.

use super::float;
use crate::limit::LimitError;
use crate::memory::{String, ToDecimal, ToMetered, ToMeteredString, Vec, format, repeat_text};
use crate::utility::prelude::*;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Named,
    Character,
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Float,
}

/// How bytes are shown: fields of `size` bytes, with `width` columns each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    kind: Kind,
    pub(super) size: usize,
    pub(super) width: usize,
    /// Followed by the printable characters.
    text: bool,
}

/// Reads types, one after another.
pub(super) fn parse_formats(text: &[u8], formats: &mut Vec<Format>) -> Result<(), UtilityError> {
    let mut rest = text;
    while let Some((&letter, tail)) = rest.split_first() {
        rest = tail;
        let kind = match letter {
            b'a' => Kind::Named,
            b'c' => Kind::Character,
            b'd' => Kind::Signed,
            b'u' => Kind::Unsigned,
            b'o' => Kind::Octal,
            b'x' => Kind::Hexadecimal,
            b'f' => Kind::Float,
            _ => {
                return Err(UtilityError::failed(format!(
                    "invalid character '{}' in type string {}",
                    char::from(letter),
                    quote(text)
                )));
            }
        };
        let (size, after) = match kind {
            Kind::Named | Kind::Character => (1, rest),
            _ => size(kind, rest, text)?,
        };
        rest = after;
        let digits = match kind {
            Kind::Named | Kind::Character => [3; 5],
            Kind::Signed => [4, 6, 11, 20, 0],
            Kind::Unsigned => [3, 5, 10, 20, 0],
            Kind::Octal => [3, 6, 11, 22, 0],
            Kind::Hexadecimal => [2, 4, 8, 16, 0],
            Kind::Float => [0, 0, 15, 24, 29],
        };
        let width = digits.get(size.trailing_zeros() as usize).copied().unwrap_or(3);
        let has_text = rest.first() == Some(&b'z');
        rest = rest.strip_prefix(b"z").unwrap_or(rest);
        formats.push(Format { kind, size, width, text: has_text });
    }
    Ok(())
}

/// The bytes of a number of that type, and what is after it in the text.
fn size<'t>(kind: Kind, rest: &'t [u8], text: &[u8]) -> Result<(usize, &'t [u8]), UtilityError> {
    let (number, after) = super::super::format::float::split_digits(rest);
    let is_float = kind == Kind::Float;
    Ok(match (number, after) {
        ([], [b'F', after @ ..]) if is_float => (4, after),
        ([], [b'D', after @ ..]) if is_float => (8, after),
        ([], [b'L', after @ ..]) if is_float => (16, after),
        ([], after) if is_float => (8, after),
        ([], [b'C', after @ ..]) => (1, after),
        ([], [b'S', after @ ..]) => (2, after),
        ([], [b'I', after @ ..]) => (4, after),
        ([], [b'L', after @ ..]) => (8, after),
        ([], after) => (4, after),
        (b"4", after) => (4, after),
        (b"8", after) => (8, after),
        (b"16", after) if is_float => (16, after),
        (b"1", after) if !is_float => (1, after),
        (b"2", after) if !is_float => (2, after),
        _ => {
            return Err(UtilityError::failed(format!(
                "invalid type string {};\nthis system doesn't provide a {}-byte {} type",
                quote(text),
                bstr::BStr::new(number),
                if is_float { "floating point" } else { "integral" }
            )));
        }
    })
}

impl Format {
    /// Appends the fields of a line of `length` bytes, which are as wide as those of the widest format together.
    pub(super) async fn append(
        &self,
        ctx: &mut Context,
        line: &[u8],
        length: usize,
        columns: usize,
        is_big: bool,
        out: &mut String,
    ) -> Result<(), LimitError> {
        let fields = length / self.size;
        let padding = columns - fields * self.width;
        let mut written = 0;
        let mut spread = padding;
        for (index, field) in line.chunks(self.size).enumerate() {
            ctx.tick().await?;
            if self.size == 16 {
                ctx.may_take_long().await;
            }
            let rest = padding * (fields - index - 1) / fields;
            let width = self.width + spread - rest;
            spread = rest;
            let text = self.field(field, is_big);
            written += width;
            let _ = write!(out, "{text:>width$}");
        }
        if self.text {
            out.push_str(&repeat_text(" ", columns.saturating_sub(written)));
            out.push_str("  >");
            out.extend(
                line.iter().map(|byte| if matches!(byte, 0x20..0x7f) { char::from(*byte) } else { '.' }),
            );
            out.push('<');
        }
        Ok(())
    }

    /// A field; bytes that the last one lacks are zeros.
    fn field(&self, bytes: &[u8], is_big: bool) -> String {
        let mut value = [0; 16];
        for (slot, byte) in value.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        if let Some(own) = value.get_mut(..self.size).filter(|_| is_big) {
            own.reverse();
        }
        let whole = u128::from_le_bytes(value);
        let number = whole as u64;
        let (width, shift) = (self.width, 64 - 8 * self.size.min(8) as u32);
        match self.kind {
            Kind::Named => named(number as u8 & 0x7f),
            Kind::Character => character(number as u8),
            Kind::Signed => ((number << shift).cast_signed() >> shift).to_decimal(),
            Kind::Unsigned => number.to_decimal(),
            Kind::Octal => format!("{number:0width$o}"),
            Kind::Hexadecimal => format!("{number:0width$x}"),
            Kind::Float => match self.size {
                4 => float::single(f32::from_bits(number as u32)),
                8 => float::double(f64::from_bits(number)),
                _ => float::extended(number, (whole >> 64) as u16),
            },
        }
    }
}

fn named(byte: u8) -> String {
    const NAMES: [&str; 33] = [
        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so",
        "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs",
        "rs", "us", "sp",
    ];
    match NAMES.get(usize::from(byte)) {
        Some(name) => (*name).to_metered(),
        None if byte == 0x7f => "del".to_metered(),
        None => char::from(byte).to_metered_string(),
    }
}

fn character(byte: u8) -> String {
    let escape = match byte {
        0 => "\\0",
        0x07 => "\\a",
        0x08 => "\\b",
        b'\t' => "\\t",
        b'\n' => "\\n",
        0x0b => "\\v",
        0x0c => "\\f",
        b'\r' => "\\r",
        0x20..0x7f => return char::from(byte).to_metered_string(),
        _ => return format!("{byte:03o}"),
    };
    escape.to_metered()
}
