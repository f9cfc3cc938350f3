//! What `od` is asked for: options, and offsets among the operands as older programs have them.

use super::format::{Format, parse_formats};
use super::{Opt, address};
use crate::memory::{String, Vec, format};
use crate::utility::format::count::{CountError, parse_count};
use crate::utility::format::keyword::keyword;
use crate::utility::prelude::*;

pub(super) struct OdOptions {
    pub(super) formats: Vec<Format>,
    pub(super) radix: u8,
    pub(super) skip: u64,
    pub(super) limit: u64,
    /// Bytes of a line.
    pub(super) line: usize,
    pub(super) all: bool,
    pub(super) is_big: bool,
    /// The least length of a string, where strings are asked for.
    pub(super) strings: Option<usize>,
    /// The offset that the first byte is said to have beside its own.
    pub(super) label: Option<u64>,
}

/// The most bytes of a line.
const LINE_MAX: u64 = 65_536;

impl OdOptions {
    pub(super) fn read(
        ctx: &mut Context,
        options: &Options<Opt>,
        operands: &mut Vec<Text>,
    ) -> Result<Self, UtilityError> {
        let number = |option: Opt| options.value(option).map(|text| integer(option, text)).transpose();
        let radix = match options.value(Opt::AddressRadix).map(Text::as_bytes) {
            None => b'o',
            Some([radix @ (b'd' | b'o' | b'x' | b'n'), ..]) => *radix,
            Some(text) => {
                let shown = text.first().map_or('\0', |byte| char::from(*byte));
                return Err(UtilityError::failed(format!(
                    "invalid output address radix '{shown}'; it must be one character from [doxn]"
                )));
            }
        };
        let is_big = match options.value(Opt::Endian) {
            None => false,
            Some(word) => keyword("--endian", &[(&["little"], false), (&["big"], true)], word)?,
        };
        let mut settings = Self {
            formats: Vec::new(),
            radix,
            skip: number(Opt::SkipBytes)?.unwrap_or(0),
            limit: number(Opt::ReadBytes)?.unwrap_or(u64::MAX),
            line: 0,
            all: options.has(Opt::OutputDuplicates),
            is_big,
            strings: None,
            label: None,
        };
        if options.has(Opt::Strings) {
            let least = number(Opt::Strings)?.unwrap_or(3);
            settings.strings = Some(usize::try_from(least).unwrap_or(usize::MAX));
        }
        settings.read_formats(options)?;
        settings.take_offsets(options, operands, ctx)?;
        let width = match options.given().filter(|(option, _)| *option == Opt::Width).last() {
            None => None,
            Some((_, None)) => Some(32),
            Some((_, Some(text))) => Some(integer(Opt::Width, text)?),
        };
        settings.set_width(ctx, width)?;
        Ok(settings)
    }

    fn read_formats(&mut self, options: &Options<Opt>) -> Result<(), UtilityError> {
        for (option, argument) in options.given() {
            let text: &[u8] = match option {
                Opt::Format => argument.map_or(b"", Text::as_bytes),
                Opt::Named => b"a",
                Opt::Octal1 => b"o1",
                Opt::Characters => b"c",
                Opt::Unsigned2 => b"u2",
                Opt::Unsigned4 => b"u4",
                Opt::Single => b"fF",
                Opt::Double => b"fD",
                Opt::SignedInt => b"d4",
                Opt::SignedLong => b"d8",
                Opt::Octal2 => b"o2",
                Opt::Octal4 => b"o4",
                Opt::Signed2 => b"d2",
                Opt::Hexadecimal2 => b"x2",
                Opt::Hexadecimal4 => b"x4",
                Opt::AddressRadix
                | Opt::Endian
                | Opt::SkipBytes
                | Opt::ReadBytes
                | Opt::Strings
                | Opt::OutputDuplicates
                | Opt::Traditional
                | Opt::Width => continue,
            };
            parse_formats(text, &mut self.formats)?;
        }
        if self.strings.is_some() && !self.formats.is_empty() {
            return Err(UtilityError::failed("no type may be specified when dumping strings"));
        }
        if self.formats.is_empty() {
            parse_formats(b"o2", &mut self.formats)?;
        }
        Ok(())
    }

    /// Lines hold whole fields of every format.
    fn set_width(&mut self, ctx: &mut Context, width: Option<u64>) -> Result<(), UtilityError> {
        // Sizes are powers of two.
        let multiple = self.formats.iter().map(|format| format.size).max().unwrap_or(1) as u64;
        let line = match width {
            None => 16,
            Some(width) if width > 0 && width.is_multiple_of(multiple) => width,
            Some(width) => {
                ctx.warn(format_args!("warning: invalid width {width}; using {multiple} instead"));
                multiple
            }
        };
        if line > LINE_MAX {
            return Err(UtilityError::failed(format!("-w argument '{line}' too large")));
        }
        self.line = usize::try_from(line).unwrap_or(16);
        Ok(())
    }

    /// Takes offsets off the operands where they are allowed: with `--traditional`, and where no option is one of newer
    /// programs.
    fn take_offsets(
        &mut self,
        options: &Options<Opt>,
        operands: &mut Vec<Text>,
        ctx: &mut Context,
    ) -> Result<(), UtilityError> {
        let is_traditional = options.has(Opt::Traditional);
        let is_modern = options.has_any([
            Opt::AddressRadix,
            Opt::SkipBytes,
            Opt::ReadBytes,
            Opt::Format,
            Opt::OutputDuplicates,
            Opt::Strings,
            Opt::Width,
        ]);
        if is_modern && !is_traditional {
            return Ok(());
        }
        let begins = |text: &Text, also_digits: bool| {
            is_traditional
                || text.starts_with(b"+")
                || (also_digits && text.first().is_some_and(u8::is_ascii_digit))
        };
        let mut label = None;
        match operands.as_slice() {
            [one] => {
                if let Some(offset) = old_offset(one).filter(|_| begins(one, false)) {
                    self.skip = offset;
                    operands.clear();
                }
            }
            [first, second] => {
                if let Some(offset) = old_offset(second).filter(|_| begins(second, true)) {
                    match old_offset(first).filter(|_| is_traditional) {
                        Some(own) => {
                            (self.skip, label) = (own, Some(offset));
                            operands.clear();
                        }
                        None => {
                            self.skip = offset;
                            operands.truncate(1);
                        }
                    }
                }
            }
            [_, second, third] if is_traditional => {
                if let (Some(offset), Some(shown)) = (old_offset(second), old_offset(third)) {
                    (self.skip, label) = (offset, Some(shown));
                    operands.truncate(1);
                }
            }
            _ => {}
        }
        if let Some(extra) = operands.get(1).filter(|_| is_traditional) {
            ctx.warn(format_args!("extra operand {}", quote(extra)));
            return Err(UtilityError::Usage("compatibility mode supports at most one file".into()));
        }
        self.label = label;
        Ok(())
    }

    /// Columns before the fields of every format but the first: those of an offset, without what a label adds.
    pub(super) const fn indentation(&self) -> usize {
        match (self.radix, self.label) {
            (b'n', None) => 0,
            (b'x', _) => 6,
            _ => 7,
        }
    }

    /// The offset as it is shown: its own, and the one counted from the label.
    pub(super) fn addresses(&self, offset: u64) -> String {
        let own = if self.radix == b'n' { String::new() } else { address(self.radix, offset) };
        let Some(label) = self.label else { return own };
        let shown = offset.wrapping_sub(self.skip).wrapping_add(label);
        if self.radix == b'n' {
            return format!("({})", address(b'o', offset));
        }
        format!("{own} ({})", address(self.radix, shown))
    }
}

/// A number of C (`0x` and `0` tell the base) with a multiplier.
fn integer(option: Opt, text: &[u8]) -> Result<u64, UtilityError> {
    let name = match option {
        Opt::SkipBytes => "-j",
        Opt::ReadBytes => "-N",
        Opt::Strings => "-S",
        _ => "-w",
    };
    let shown = bstr::BStr::new(text);
    based(text, None).map_err(|error| {
        UtilityError::failed(match error {
            CountError::Invalid if text.first().is_some_and(u8::is_ascii_digit) => {
                format!("invalid suffix in {name} argument '{shown}'")
            }
            CountError::Invalid => format!("invalid {name} argument '{shown}'"),
            CountError::TooLarge => format!("{name} argument '{shown}' too large"),
        })
    })
}

/// Digits of a radix, which their front tells where it is not given, then a multiplier.
fn based(text: &[u8], radix: Option<u32>) -> Result<u64, CountError> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (radix, digits) = match (radix, text) {
        (Some(16) | None, [b'0', b'x' | b'X', digits @ ..]) => (16, digits),
        (Some(radix), digits) => (radix, digits),
        (None, [b'0', ..]) => (8, text),
        (None, digits) => (10, digits),
    };
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (number, suffix) = digits.split_at_checked(count).unwrap_or((digits, &[]));
    let number =
        std::str::from_utf8(number).ok().filter(|number| !number.is_empty()).ok_or(CountError::Invalid)?;
    let number = u64::from_str_radix(number, radix).map_err(|_| CountError::TooLarge)?;
    if suffix.is_empty() {
        return Ok(number);
    }
    if suffix.first().is_some_and(u8::is_ascii_digit) {
        return Err(CountError::Invalid);
    }
    number.checked_mul(parse_count(suffix)?).ok_or(CountError::TooLarge)
}

/// `[+]OFFSET[b]`: octal, or hexadecimal after `0x`.
fn old_offset(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', ..] => (16, text),
        _ => (8, text),
    };
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let (digits, factor) = match digits.split_last() {
        Some((b'b', front)) if radix == 8 => (front, 512),
        Some((b'B', front)) if radix == 8 => (front, 1024),
        _ => (digits, 1),
    };
    based(digits, Some(radix)).ok()?.checked_mul(factor)
}
