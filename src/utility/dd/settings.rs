//! The operands of `dd`.

use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;

/// A number of blocks, or of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    number: u64,
    pub(super) is_bytes: bool,
}

impl Amount {
    pub(super) const fn bytes(self, block: u64) -> u64 {
        if self.is_bytes { self.number } else { self.number.saturating_mul(block) }
    }

    pub(super) const fn is_zero(self) -> bool {
        self.number == 0
    }
}

/// What is said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Default,
    None,
    NoTransfer,
    Progress,
}

/// A character set that is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    Ascii,
    Ebcdic,
    Ibm,
}

/// What happens to lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// Made records of `cbs` bytes.
    Block,
    /// Made of such records.
    Unblock,
}

/// What `iflag` and `oflag` ask for that makes a difference.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) append: bool,
    pub(super) directory: bool,
    pub(super) no_follow: bool,
    pub(super) full_block: bool,
    /// `count_bytes`; `skip_bytes` or `seek_bytes`.
    count_bytes: bool,
    offset_bytes: bool,
    is_direct: bool,
    is_uncached: bool,
}

#[derive(Clone, Debug)]
pub(super) struct DdOptions {
    pub(super) input: Option<Text>,
    pub(super) output: Option<Text>,
    pub(super) input_block: u64,
    pub(super) output_block: u64,
    /// `cbs`
    pub(super) record: u64,
    pub(super) count: Option<Amount>,
    pub(super) skip: Amount,
    pub(super) seek: Amount,
    pub(super) status: Status,
    pub(super) set: Option<Set>,
    /// `Some(true)`: to upper case.
    pub(super) case: Option<bool>,
    pub(super) lines: Option<Lines>,
    pub(super) swaps: bool,
    /// `conv=sync`
    pub(super) pads: bool,
    pub(super) exclusive: bool,
    pub(super) no_create: bool,
    pub(super) no_truncate: bool,
    /// Blocks are written as they were read.
    pub(super) is_direct: bool,
    pub(super) input_flags: Flags,
    pub(super) output_flags: Flags,
}

/// Names of flags: for input, for output.
const FLAGS: [(&str, bool, bool); 15] = [
    ("append", true, true),
    ("direct", true, true),
    ("directory", true, true),
    ("dsync", true, true),
    ("noatime", true, true),
    ("nocache", true, true),
    ("noctty", true, true),
    ("nofollow", true, true),
    ("nonblock", true, true),
    ("sync", true, true),
    ("fullblock", true, false),
    ("count_bytes", true, true),
    ("skip_bytes", true, true),
    ("seek_bytes", true, true),
    ("", false, false),
];

fn usage<T>(message: String) -> Result<T, UtilityError> {
    Err(UtilityError::Usage(message))
}

impl DdOptions {
    pub(super) fn parse(ctx: &mut Context, operands: &[Text]) -> Result<Self, UtilityError> {
        let mut settings = Self::default();
        let mut block = None;
        let mut count = None;
        let mut conversions = Vec::new();
        for operand in operands {
            let unrecognized = || usage(format!("unrecognized operand {}", quote(operand)));
            let Some(equals) = memchr::memchr(b'=', operand) else { return unrecognized() };
            let (name, value) = operand.split_at_checked(equals).unwrap_or((operand, &[]));
            let value = value.get(1..).unwrap_or(&[]);
            match name {
                b"if" => settings.input = Some(Text::from(value)),
                b"of" => settings.output = Some(Text::from(value)),
                b"conv" => conversions.extend(value.split(|byte| *byte == b',')),
                b"iflag" => flags(&mut settings.input_flags, value, true)?,
                b"oflag" => flags(&mut settings.output_flags, value, false)?,
                b"status" => settings.status = status(value)?,
                b"ibs" => settings.input_block = positive(ctx, value)?,
                b"obs" => settings.output_block = positive(ctx, value)?,
                b"bs" => block = Some(positive(ctx, value)?),
                b"cbs" => settings.record = positive(ctx, value)?,
                b"skip" | b"iseek" => settings.skip = amount(ctx, value)?,
                b"seek" | b"oseek" => settings.seek = amount(ctx, value)?,
                b"count" => count = Some(amount(ctx, value)?),
                _ => return unrecognized(),
            }
        }
        settings.is_direct = block.is_some();
        if let Some(block) = block {
            (settings.input_block, settings.output_block) = (block, block);
        }
        for word in conversions {
            settings.convert(word)?;
        }
        settings.count = count;
        if let Some(count) = &mut settings.count {
            count.is_bytes |= settings.input_flags.count_bytes;
        }
        settings.skip.is_bytes |= settings.input_flags.offset_bytes;
        settings.seek.is_bytes |= settings.output_flags.offset_bytes;
        for flags in [settings.input_flags, settings.output_flags] {
            if flags.is_direct && flags.is_uncached {
                return Err(UtilityError::failed("cannot combine direct and nocache"));
            }
        }
        if settings.record == 0 {
            settings.lines = None;
        }
        Ok(settings)
    }

    fn convert(&mut self, word: &[u8]) -> Result<(), UtilityError> {
        let both = |what: &str| Err(UtilityError::failed(format!("cannot combine {what}")));
        let set = match word {
            b"ascii" => Some((Set::Ascii, Lines::Unblock)),
            b"ebcdic" => Some((Set::Ebcdic, Lines::Block)),
            b"ibm" => Some((Set::Ibm, Lines::Block)),
            _ => None,
        };
        let lines = match word {
            b"block" => Some(Lines::Block),
            b"unblock" => Some(Lines::Unblock),
            _ => set.map(|(_, lines)| lines),
        };
        if let Some((set, _)) = set
            && self.set.replace(set).is_some_and(|before| before != set)
        {
            return both("any two of {ascii,ebcdic,ibm}");
        }
        if let Some(lines) = lines {
            self.is_direct = false;
            if self.lines.replace(lines).is_some_and(|before| before != lines) {
                return both("block and unblock");
            }
            return Ok(());
        }
        match word {
            b"lcase" | b"ucase" => {
                let upper = word == b"ucase";
                if self.case.replace(upper).is_some_and(|before| before != upper) {
                    return both("lcase and ucase");
                }
                self.is_direct = false;
            }
            b"swab" => (self.swaps, self.is_direct) = (true, false),
            b"sync" => self.pads = true,
            b"excl" => self.exclusive = true,
            b"nocreat" => self.no_create = true,
            b"notrunc" => self.no_truncate = true,
            // No file has holes, and files in memory have no disk to be written to.
            b"sparse" | b"noerror" | b"fsync" | b"fdatasync" => {}
            _ => return usage(format!("invalid conversion: {}", quote(word))),
        }
        if self.exclusive && self.no_create {
            return both("excl and nocreat");
        }
        Ok(())
    }
}

impl Default for DdOptions {
    fn default() -> Self {
        Self {
            input: None,
            output: None,
            input_block: 512,
            output_block: 512,
            record: 0,
            count: None,
            skip: Amount::default(),
            seek: Amount::default(),
            status: Status::Default,
            set: None,
            case: None,
            lines: None,
            swaps: false,
            pads: false,
            exclusive: false,
            no_create: false,
            no_truncate: false,
            is_direct: false,
            input_flags: Flags::default(),
            output_flags: Flags::default(),
        }
    }
}

fn status(text: &[u8]) -> Result<Status, UtilityError> {
    match text {
        b"none" => Ok(Status::None),
        b"noxfer" => Ok(Status::NoTransfer),
        b"progress" => Ok(Status::Progress),
        _ => usage(format!("invalid status level: {}", quote(text))),
    }
}

fn flags(flags: &mut Flags, list: &[u8], is_input: bool) -> Result<(), UtilityError> {
    for word in list.split(|byte| *byte == b',') {
        let known = FLAGS.iter().find(|(name, input, output)| {
            name.as_bytes() == word && (if is_input { *input } else { *output })
        });
        match known.map_or("", |known| known.0) {
            "" => {
                let kind = if is_input { "input" } else { "output" };
                return usage(format!("invalid {kind} flag: {}", quote(word)));
            }
            "append" => flags.append = true,
            "directory" => flags.directory = true,
            "nofollow" => flags.no_follow = true,
            "fullblock" => flags.full_block = true,
            "count_bytes" => flags.count_bytes = true,
            "skip_bytes" | "seek_bytes" => flags.offset_bytes = true,
            "direct" => flags.is_direct = true,
            "nocache" => flags.is_uncached = true,
            // Every access is synchronous, and none waits for a device.
            _ => {}
        }
    }
    Ok(())
}

fn positive(ctx: &mut Context, text: &[u8]) -> Result<u64, UtilityError> {
    match number(ctx, text)? {
        0 => Err(UtilityError::failed(format!("invalid number: {}", quote(text)))),
        number => Ok(number),
    }
}

/// A number of blocks; of bytes with a `B` at its end.
fn amount(ctx: &mut Context, text: &[u8]) -> Result<Amount, UtilityError> {
    if let Some(body) = text.strip_suffix(b"B")
        && body.last().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'c' | b'w' | b'b'))
    {
        return Ok(Amount { number: product(ctx, body, text)?, is_bytes: true });
    }
    Ok(Amount { number: number(ctx, text)?, is_bytes: false })
}

fn number(ctx: &mut Context, text: &[u8]) -> Result<u64, UtilityError> {
    product(ctx, text, text)
}

/// Numbers with their units and an `x` between them.
fn product(ctx: &mut Context, text: &[u8], whole: &[u8]) -> Result<u64, UtilityError> {
    let invalid = || UtilityError::failed(format!("invalid number: {}", quote(whole)));
    let too_large = || {
        UtilityError::failed(format!(
            "invalid number: {}: Value too large for defined data type",
            quote(whole)
        ))
    };
    let mut result = 1_u64;
    let mut is_first = true;
    for factor in text.split(|byte| *byte == b'x') {
        let factor = if is_first { factor.trim_ascii_start() } else { factor };
        let digits = factor.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, unit) = factor.split_at_checked(digits).ok_or_else(invalid)?;
        if digits.is_empty() {
            return Err(invalid());
        }
        if is_first && factor == b"0" && text.len() > 1 {
            ctx.warn("warning: ‘0x’ is a zero multiplier; use ‘00x’ if that is intended");
        }
        is_first = false;
        let digits = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u64>().ok());
        let unit = multiplier(unit).ok_or_else(invalid)?;
        let number = digits.filter(|number| unit < u64::MAX || *number == 0);
        let factor = number.and_then(|number| number.checked_mul(unit)).ok_or_else(too_large)?;
        result = result.checked_mul(factor).ok_or_else(too_large)?;
    }
    Ok(result)
}

/// What a unit stands for; `None`: it is not a unit. More than 64 bits is the largest number, which no other unit is.
fn multiplier(unit: &[u8]) -> Option<u64> {
    let (letter, base) = match unit {
        [] | b"c" => return Some(1),
        b"w" => return Some(2),
        b"b" => return Some(512),
        [letter] | [letter, b'i', b'B'] => (*letter, 1024_u64),
        [letter, b'B'] => (*letter, 1000),
        _ => return None,
    };
    let power = match letter {
        b'k' | b'K' => 1,
        b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return None,
    };
    Some(base.saturating_pow(power))
}
