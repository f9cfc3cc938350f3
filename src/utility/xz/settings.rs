//! What the options of `xz` mean.

use super::{Opt, Start, Totals, Xz, XzFormat};
use crate::memory::format;
use crate::utility::compress::operand::{Mode, Task};
use crate::utility::compress::{Check, XzOptions, memory_of_level};
use crate::utility::prelude::*;

/// Options that are not supported.
const REFUSED: [Opt; 13] = [
    Opt::BlockList,
    Opt::FlushTimeout,
    Opt::Lzma1,
    Opt::Lzma2,
    Opt::X86,
    Opt::Arm,
    Opt::ArmThumb,
    Opt::Arm64,
    Opt::PowerPc,
    Opt::Ia64,
    Opt::Sparc,
    Opt::Delta,
    Opt::InfoMemory,
];

pub(super) fn settings(options: &Options<Opt>, start: Start) -> Result<Xz, UtilityError> {
    let refused = REFUSED.into_iter().find(|option| options.has(*option));
    if let Some(row) =
        refused.and_then(|option| Opt::TABLE.get(Opt::NAMES.iter().position(|one| *one == option)?))
    {
        return Err(UtilityError::Usage(format!("option --{} is not supported", row.long)));
    }
    let mut mode = Mode { task: start.task, to_stdout: start.to_stdout, ..Mode::default() };
    let mut format = start.format;
    let (mut check, mut level, mut block_size) = (Check::default(), 6, None);
    // Errors alone are told at 1, warnings at 2, and sizes at 3.
    let mut loudness = 2usize;
    let (mut limit_compress, mut limit_decompress) = (None, None);
    for (option, value) in options.given() {
        let value = value.map_or(&[][..], Text::as_bytes);
        match option {
            Opt::Compress => mode.task = Task::Compress,
            Opt::Decompress => mode.task = Task::Decompress,
            Opt::Test => mode.task = Task::Test,
            Opt::List => mode.task = Task::List,
            Opt::Keep => mode.keep = true,
            Opt::Force => mode.force = true,
            Opt::Stdout => mode.to_stdout = true,
            Opt::Format => format = parse_format(value)?,
            Opt::Check => check = parse_check(value)?,
            Opt::Level => level = value.last().map_or(6, |digit| digit - b'0'),
            Opt::Fast => level = 0,
            Opt::Best => level = 9,
            Opt::Verbose => loudness = (loudness + 1).min(4),
            Opt::Quiet => loudness = loudness.saturating_sub(1),
            Opt::Threads => drop(parse_size(value.strip_prefix(b"+").unwrap_or(value))?),
            Opt::BlockSize => block_size = Some(parse_size(value)?).filter(|size| *size > 0),
            Opt::LimitCompress => limit_compress = limit(value)?,
            Opt::LimitDecompress => limit_decompress = limit(value)?,
            Opt::LimitThreads => drop(limit(value)?),
            Opt::Limit => (limit_compress, limit_decompress) = (limit(value)?, limit(value)?),
            _ => {}
        }
    }
    if options.has(Opt::Extreme) {
        level = (level + 2).min(9);
    }
    if mode.task == Task::Compress
        && let Some(most) = limit_compress
    {
        level = level_within(level, most, options.has(Opt::NoAdjust))?;
    }
    let suffix = options.value(Opt::Suffix).cloned();
    if let Some(suffix) = suffix.as_ref().filter(|suffix| suffix.is_empty() || suffix.contains(&b'/')) {
        return Err(UtilityError::failed(format!("{suffix}: Invalid filename suffix")));
    }
    let lists = mode.task == Task::List;
    if lists && options.has(Opt::Verbose) {
        return Err(UtilityError::Usage("option --verbose is not supported with --list".into()));
    }
    if lists && format == XzFormat::Lzma {
        return Err(UtilityError::failed("--list works only on .xz files (--format=xz or --format=auto)"));
    }
    mode.to_stdout |= lists || mode.task == Task::Test;
    mode.keep |= mode.to_stdout;
    mode.looks_first = mode.task != Task::Compress;
    let unpacks_to_stdout = mode.task == Task::Decompress && mode.to_stdout;
    mode.passes_through = unpacks_to_stdout && mode.force;
    Ok(Xz {
        mode,
        format,
        check,
        level,
        block_size,
        reading: XzOptions {
            is_single: options.has(Opt::SingleStream),
            window_max: limit_decompress,
            ignores_check: options.has(Opt::IgnoreCheck),
        },
        suffix,
        quiet: 2usize.saturating_sub(loudness),
        is_verbose: loudness > 2,
        no_warn: options.has(Opt::NoWarn),
        is_robot: options.has(Opt::Robot),
        fault: None,
        totals: Totals::default(),
    })
}

/// The highest level, that one at most, that needs no more memory.
fn level_within(level: u8, most: u64, keeps_level: bool) -> Result<u8, UtilityError> {
    let fits = |level: &u8| memory_of_level(*level) <= most;
    let lowest = if keeps_level { level } else { 0 };
    (lowest..=level).rev().find(fits).ok_or_else(|| {
        let needed = mebibytes(memory_of_level(lowest));
        UtilityError::failed(format!(
            "Memory usage limit is too low for the given filter setup.\n\
             xz: {needed} MiB of memory is required. The limit is {} MiB.",
            mebibytes(most)
        ))
    })
}

/// So many MiB, the last one not full.
pub(super) const fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

fn parse_format(value: &[u8]) -> Result<XzFormat, UtilityError> {
    Ok(match value {
        b"auto" => XzFormat::Auto,
        b"xz" => XzFormat::Xz,
        b"lzma" | b"alone" => XzFormat::Lzma,
        b"lzip" | b"raw" => {
            let shown = bstr::BStr::new(value);
            return Err(UtilityError::Usage(format!("--format={shown} is not supported")));
        }
        _ => {
            let shown = bstr::BStr::new(value);
            return Err(UtilityError::failed(format!("{shown}: Unknown file format type")));
        }
    })
}

fn parse_check(value: &[u8]) -> Result<Check, UtilityError> {
    Ok(match value {
        b"none" => Check::None,
        b"crc32" => Check::Crc32,
        b"crc64" => Check::Crc64,
        b"sha256" => Check::Sha256,
        _ => {
            let shown = bstr::BStr::new(value);
            return Err(UtilityError::failed(format!("{shown}: Unsupported integrity check type")));
        }
    })
}

/// A limit of memory; 0: there is none.
fn limit(value: &[u8]) -> Result<Option<u64>, UtilityError> {
    if value.ends_with(b"%") {
        return Err(UtilityError::Usage("a limit in % of the memory is not supported".into()));
    }
    parse_size(value).map(|size| Some(size).filter(|size| *size > 0))
}

/// A number with a multiplier: `KiB`, `k`, `M`, ...
fn parse_size(value: &[u8]) -> Result<u64, UtilityError> {
    if value == b"max" {
        return Ok(u64::MAX);
    }
    let length = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, unit) = value.split_at_checked(length).unwrap_or((value, &[]));
    let shown = bstr::BStr::new(value);
    if digits.is_empty() {
        return Err(UtilityError::failed(format!("{shown}: Value is not a non-negative decimal integer")));
    }
    let shift = match unit.split_first() {
        None => 0,
        Some((letter, b"" | b"i" | b"iB" | b"B")) if b"kKmMgG".contains(letter) => {
            10 * (1 + b"kmg".iter().position(|one| *one == letter.to_ascii_lowercase()).unwrap_or(0))
        }
        Some(_) => {
            return Err(UtilityError::failed(format!(
                "{}: Invalid multiplier suffix\n\
                 xz: Valid suffixes are `KiB' (2^10), `MiB' (2^20), and `GiB' (2^30).",
                bstr::BStr::new(unit)
            )));
        }
    };
    let number =
        digits.iter().try_fold(0u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')));
    number
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| UtilityError::failed(format!("Value of the option is out of range: {shown}")))
}
