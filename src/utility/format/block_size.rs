//! The units in which `du`, `df` and `ls` show sizes: `--block-size=SIZE`, and the variables of the environment that stand
//! for it.

use super::human_size::human_size;
use crate::memory::{String, ToDecimal, format};
use crate::utility::context::options::options;
use crate::utility::{Context, UtilityError};

options! {
    pub(in crate::utility) enum BlockOpt {
        Short = value('B', "", "SIZE", "scale sizes by SIZE before printing them"),
        Long = value('\0', "block-size", "SIZE", "likewise; SIZE is a number with a unit, human-readable or si"),
    }
}

/// How sizes are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockSize {
    /// The largest unit of these powers that is not more: `1.5K`.
    Human(u64),
    /// In units of so many bytes.
    Units {
        bytes: u64,
        /// The unit is shown: powers of this, and whether with a `B`.
        suffix: Option<(u64, bool)>,
    },
}

/// What is wrong with a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeError {
    Invalid,
    Suffix,
    TooLarge,
}

impl BlockSize {
    /// So many bytes.
    pub(crate) const fn of(bytes: u64) -> Self {
        Self::Units { bytes, suffix: None }
    }

    /// The unit of the environment: that of the utility's own variable, or of those that several read.
    pub(crate) fn of_environment(ctx: &Context, own: &str) -> Self {
        Self::given_by_environment(ctx, own).unwrap_or_else(|| Self::default_of(ctx))
    }

    /// As [`BlockSize::of_environment`]; `None` where no variable says it.
    pub(crate) fn given_by_environment(ctx: &Context, own: &str) -> Option<Self> {
        let names = [own, "BLOCK_SIZE", "BLOCKSIZE"];
        let text = names.iter().find_map(|name| ctx.env.get(name.as_bytes()))?;
        Some(Self::parse(text).unwrap_or_else(|_| Self::default_of(ctx)))
    }

    /// 1024 bytes, in POSIX mode 512.
    pub(crate) fn default_of(ctx: &Context) -> Self {
        Self::of(if ctx.env.get(b"POSIXLY_CORRECT").is_some() { 512 } else { 1024 })
    }

    pub(crate) fn parse(text: &[u8]) -> Result<Self, SizeError> {
        let text = text.strip_prefix(b"'").unwrap_or(text);
        if !text.is_empty() && b"human-readable".starts_with(text) {
            return Ok(Self::Human(1024));
        }
        if !text.is_empty() && b"si".starts_with(text) {
            return Ok(Self::Human(1000));
        }
        let bytes = parse_scaled(text)?;
        if bytes == 0 {
            return Err(SizeError::Invalid);
        }
        let suffix = text.iter().all(|byte| !byte.is_ascii_digit()).then(|| {
            let base = if text.ends_with(b"B") && !text.ends_with(b"iB") { 1000 } else { 1024 };
            (base, text.ends_with(b"B"))
        });
        Ok(Self::Units { bytes, suffix })
    }

    /// As [`BlockSize::parse`], of the argument of an option, which the message names.
    pub(in crate::utility) fn of_option(option: BlockOpt, text: &[u8]) -> Result<Self, UtilityError> {
        let name = match option {
            BlockOpt::Short => "-B",
            BlockOpt::Long => "--block-size",
        };
        Self::parse(text).map_err(|error| UtilityError::failed(size_message(error, name, text)))
    }

    /// A size in bytes as it is shown, rounded up.
    pub(crate) fn show(self, size: u64) -> String {
        match self {
            Self::Human(base) => human_size(size, base),
            Self::Units { bytes, suffix: None } => size.div_ceil(bytes).to_decimal(),
            Self::Units { bytes, suffix: Some((base, has_byte)) } => {
                format!("{}{}", size.div_ceil(bytes), unit_letters(bytes, base, has_byte))
            }
        }
    }
}

/// The letters of a unit.
fn unit_letters(bytes: u64, base: u64, has_byte: bool) -> String {
    let (mut exponent, mut power) = (0, 1_u64);
    while power < bytes && exponent < 8 {
        power = power.saturating_mul(base);
        exponent += 1;
    }
    let letters = if base == 1000 { " kMGTPEZY" } else { " KMGTPEZY" };
    let letter = letters.get(exponent..=exponent).filter(|_| exponent > 0).unwrap_or_default();
    let binary = if has_byte && base == 1024 && exponent > 0 { "i" } else { "" };
    format!("{letter}{binary}{}", if has_byte { "B" } else { "" })
}

/// The message for a size that an option, named as it was given, cannot take.
pub(crate) fn size_message(error: SizeError, option: &str, text: &[u8]) -> String {
    let shown = bstr::BStr::new(text);
    match error {
        SizeError::Invalid => format!("invalid {option} argument '{shown}'"),
        SizeError::Suffix => format!("invalid suffix in {option} argument '{shown}'"),
        SizeError::TooLarge => format!("{option} argument '{shown}' too large"),
    }
}

/// A number with a unit: `10K`, `1MB`, `2GiB`; a unit alone is one of it. Numbers are read as C reads constants.
pub(crate) fn parse_scaled(text: &[u8]) -> Result<u64, SizeError> {
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let count = digits.iter().take_while(is_digit).count();
    let (number, suffix) = digits.split_at_checked(count).unwrap_or((digits, &[]));
    let units = b"eEgGkKmMpPtTyYzZ";
    let known = suffix.first().is_some_and(|letter| units.contains(letter));
    let mut value = if number.is_empty() {
        if !known {
            return Err(SizeError::Invalid);
        }
        Some(1)
    } else {
        std::str::from_utf8(number).ok().and_then(|number| u64::from_str_radix(number, radix).ok())
    };
    let (letter, base) = match suffix {
        [] => return value.ok_or(SizeError::TooLarge),
        [letter] | [letter, b'i', b'B'] if known => (letter, 1024_u64),
        [letter, b'B'] if known => (letter, 1000),
        _ => return Err(SizeError::Suffix),
    };
    let power =
        b"KMGTPEZY".iter().position(|unit| *unit == letter.to_ascii_uppercase()).map_or(0, |at| at + 1);
    for _ in 0..power {
        value = value.and_then(|value| value.checked_mul(base));
    }
    value.ok_or(SizeError::TooLarge)
}

/// What `df` calls a column of blocks: `1K-blocks`.
pub(crate) fn blocks_heading(bytes: u64, suffix: Option<(u64, bool)>) -> String {
    let (mut by_1000, mut by_1024) = (bytes, bytes);
    let (thousands, binaries) = loop {
        let divisible = (by_1000.is_multiple_of(1000), by_1024.is_multiple_of(1024));
        (by_1000, by_1024) = (by_1000 / 1000, by_1024 / 1024);
        if divisible != (true, true) || by_1000 == 0 {
            break divisible;
        }
    };
    let mut base = suffix.map_or(1000, |(base, _)| base);
    if binaries && !thousands {
        base = 1024;
    } else if thousands && !binaries {
        base = 1000;
    }
    let has_byte = suffix.is_some_and(|(_, has_byte)| has_byte) || base == 1000;
    let (mut power, mut exponent) = (1_u64, 0);
    while exponent < 6 && bytes / base >= power {
        power *= base;
        exponent += 1;
    }
    let tenths = (u128::from(bytes) * 10).div_ceil(u128::from(power));
    let number = if tenths < 100 && !tenths.is_multiple_of(10) {
        format!("{}.{}", tenths / 10, tenths % 10)
    } else {
        bytes.div_ceil(power).to_decimal()
    };
    format!("{number}{}-blocks", unit_letters(power, base, has_byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_show_their_unit_where_it_was_given_without_a_number() {
        for (text, size, want) in [
            ("1K", 1025, "2"),
            ("K", 1025, "2K"),
            ("KB", 1025, "2kB"),
            ("KiB", 1025, "2KiB"),
            ("12", 25, "3"),
            ("human", 1025, "1.1K"),
            ("si", 1025, "1.1k"),
            ("0x10", 17, "2"),
        ] {
            assert_eq!(
                BlockSize::parse(text.as_bytes()).map(|unit| unit.show(size)),
                Ok(want.into()),
                "{text}"
            );
        }
        for (text, want) in [
            ("0", SizeError::Invalid),
            ("x", SizeError::Invalid),
            ("", SizeError::Invalid),
            ("1x", SizeError::Suffix),
            ("99999999999999999999", SizeError::TooLarge),
            ("1Z", SizeError::TooLarge),
        ] {
            assert_eq!(BlockSize::parse(text.as_bytes()), Err(want), "{text}");
        }
    }

    #[test]
    fn headings_name_the_unit() {
        for (bytes, suffix, want) in [
            (1024, None, "1K-blocks"),
            (512, None, "512B-blocks"),
            (1000, None, "1kB-blocks"),
            (12345, None, "13kB-blocks"),
            (1 << 20, Some((1024, false)), "1M-blocks"),
            (1_000_000, Some((1000, true)), "1MB-blocks"),
        ] {
            assert_eq!(blocks_heading(bytes, suffix), want);
        }
    }
}
