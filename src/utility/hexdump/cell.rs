//! One conversion of a format string of `hexdump`, with the bytes that it shows.

use super::format::{Color, Conversion, Kind, Wanted};
use crate::memory::{ToDecimal, Vec, format};
use crate::utility::format::float::format_float;

impl Conversion {
    /// Appends what it shows of the bytes at its place; those that the input lacks are zeros. `None` for the bytes: blanks
    /// as wide.
    pub(super) fn append(&self, address: u64, bytes: Option<&[u8]>, out: &mut Vec<u8>) {
        let mut field = self.specification;
        let Some(bytes) = bytes else {
            field.left = false;
            field.put(b"", b"", false, out);
            return;
        };
        let number = self.number(bytes);
        match self.kind {
            Kind::Address(base) => self.unsigned(base, address, out),
            Kind::Byte => field.put(b"", &[number as u8], false, out),
            Kind::Character => self.text(&character(number as u8), out),
            Kind::Printable => {
                let byte = number as u8;
                let shown = if matches!(byte, 0x20..0x7f) { byte } else { b'.' };
                field.put(b"", &[shown], false, out);
            }
            Kind::Named => self.named(number as u8, out),
            Kind::Text => {
                let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
                self.text(bytes.get(..end).unwrap_or(bytes), out);
            }
            Kind::Signed => {
                let shift = 64 - 8 * (self.size.min(8) as u32);
                let value = (number << shift).cast_signed() >> shift;
                self.integer(
                    field.sign(value < 0),
                    value.unsigned_abs().to_decimal().as_bytes(),
                    value == 0,
                    out,
                );
            }
            Kind::Unsigned(letter) => self.unsigned(letter, number, out),
            Kind::Float(letter) => {
                let value = if self.size == 4 {
                    f64::from(f32::from_bits(number as u32))
                } else {
                    f64::from_bits(number)
                };
                let shown = format_float(value.abs(), letter, field.precision.unwrap_or(6), field.alternate);
                let zeros = field.zero && value.is_finite();
                field.put(
                    field.sign(value.is_sign_negative()),
                    shown.trim_start_matches('-').as_bytes(),
                    zeros,
                    out,
                );
            }
        }
    }

    /// The bytes as a little-endian number.
    fn number(&self, bytes: &[u8]) -> u64 {
        let mut value = [0; 8];
        for (slot, byte) in value.iter_mut().zip(bytes).take(self.size) {
            *slot = *byte;
        }
        u64::from_le_bytes(value)
    }

    fn text(&self, text: &[u8], out: &mut Vec<u8>) {
        let shown = self.specification.precision.and_then(|most| text.get(..most)).unwrap_or(text);
        self.specification.put(b"", shown, false, out);
    }

    fn unsigned(&self, letter: u8, value: u64, out: &mut Vec<u8>) {
        let digits = match letter {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => value.to_decimal(),
        };
        let is_marked = self.specification.alternate;
        let lead: &[u8] = match letter {
            b'x' if is_marked && value != 0 => b"0x",
            b'X' if is_marked && value != 0 => b"0X",
            _ => b"",
        };
        let has_zero = self.specification.precision.is_some_and(|least| least > digits.len());
        let digits = if letter == b'o' && is_marked && value != 0 && !has_zero {
            format!("0{digits}")
        } else {
            digits
        };
        self.integer(lead, digits.as_bytes(), value == 0, out);
    }

    /// Digits after a sign or `0x`, at least as many as the precision says.
    fn integer(&self, lead: &[u8], digits: &[u8], is_zero: bool, out: &mut Vec<u8>) {
        let field = self.specification;
        let Some(least) = field.precision else {
            field.put(lead, digits, field.zero, out);
            return;
        };
        let mut text = Vec::new();
        text.resize_by(least.saturating_sub(digits.len()), b'0');
        if !(is_zero && least == 0) {
            text.extend_from_slice(digits);
        }
        field.put(lead, &text, false, out);
    }

    fn named(&self, byte: u8, out: &mut Vec<u8>) {
        const NAMES: [&str; 32] = [
            "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "lf", "vt", "ff", "cr", "so",
            "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs",
            "gs", "rs", "us",
        ];
        match (NAMES.get(usize::from(byte)), byte) {
            (Some(name), _) => self.text(name.as_bytes(), out),
            (None, 0x7f) => self.text(b"del", out),
            (None, 0x20..0x7f) => self.specification.put(b"", &[byte], false, out),
            (None, _) => self.unsigned(b'x', u64::from(byte), out),
        }
    }

    /// The colour of what it shows at an address; `block` are the bytes from there on.
    pub(super) fn color(&self, address: u64, block: &[u8]) -> Option<&'static str> {
        self.colors.iter().find(|color| self.matches(color, address, block)).and_then(|color| color.code)
    }

    fn matches(&self, color: &Color, address: u64, block: &[u8]) -> bool {
        let size = self.size as u64;
        let (start, length) = color.range.unwrap_or((address, size));
        let is_address = matches!(self.kind, Kind::Address(_));
        if !is_address && (start.saturating_add(length) <= address || address.saturating_add(size) <= start) {
            return false;
        }
        let found = match &color.wanted {
            None => return true,
            Some(Wanted::Number(number)) if is_address => *number == address,
            Some(Wanted::Text(_)) if is_address => return false,
            Some(wanted) => {
                let from = usize::try_from(start.saturating_sub(address)).unwrap_or(usize::MAX);
                let bytes = block.get(from..).unwrap_or_default();
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                match wanted {
                    Wanted::Text(text) => bytes.starts_with(text),
                    Wanted::Number(number) => {
                        let mut value = [0; 8];
                        for (slot, byte) in value.iter_mut().zip(bytes).take(length) {
                            *slot = *byte;
                        }
                        u64::from_le_bytes(value) == *number
                    }
                }
            }
        };
        found != color.is_negated
    }
}

fn character(byte: u8) -> Vec<u8> {
    let escape: &[u8] = match byte {
        0 => b"\\0",
        0x07 => b"\\a",
        0x08 => b"\\b",
        b'\t' => b"\\t",
        b'\n' => b"\\n",
        0x0b => b"\\v",
        0x0c => b"\\f",
        b'\r' => b"\\r",
        0x20..0x7f => return crate::memory::vec![byte],
        _ => return format!("{byte:03o}").into_bytes(),
    };
    Vec::from(escape)
}
