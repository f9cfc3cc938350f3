//! What the options of `zstd` mean.

use super::{Opt, Target, Totals, Zstd};
use crate::memory::format;
use crate::utility::compress::ReadOptions;
use crate::utility::compress::operand::{Mode, Task};
use crate::utility::prelude::*;

/// Options that are not supported.
const REFUSED: [(Opt, &str); 9] = [
    (Opt::Dictionary, "-D"),
    (Opt::PatchFrom, "--patch-from"),
    (Opt::Adapt, "--adapt"),
    (Opt::Rsyncable, "--rsyncable"),
    (Opt::JobSize, "-B"),
    (Opt::OutputMirror, "--output-dir-mirror"),
    (Opt::Zstd, "--zstd"),
    (Opt::Train, "--train"),
    (Opt::Bench, "-b"),
];

pub(super) fn settings(
    ctx: &mut Context,
    options: &Options<Opt>,
    task: Task,
    is_cat: bool,
) -> Result<Zstd, UtilityError> {
    if let Some((_, name)) = REFUSED.into_iter().find(|(option, _)| options.has(*option)) {
        return Err(UtilityError::failed(format!("option {name} is not supported")));
    }
    let mut mode = Mode { task, to_stdout: is_cat, keep: true, ..Mode::default() };
    let mut target = Target::Zstd;
    let mut level = level_of_environment(ctx);
    let (mut has_checksum, mut tells_size, mut removes) = (true, true, false);
    let mut reading = ReadOptions::default();
    let (mut display, mut passes) = (if is_cat { 1 } else { 2 }, None);
    let mut stream_size = None;
    for (option, value) in options.given() {
        let value = value.map_or(&[][..], Text::as_bytes);
        match option {
            Opt::Compress => mode.task = Task::Compress,
            Opt::Decompress => mode.task = Task::Decompress,
            Opt::Test => mode.task = Task::Test,
            Opt::List => mode.task = Task::List,
            Opt::Force => mode.force = true,
            Opt::Stdout => mode.to_stdout = true,
            Opt::Keep => removes = false,
            Opt::Remove => removes = true,
            Opt::Verbose => display += 1,
            Opt::Quiet => display -= 1,
            Opt::Check => has_checksum = true,
            Opt::NoCheck => has_checksum = false,
            Opt::ContentSize => tells_size = true,
            Opt::NoContentSize => tells_size = false,
            Opt::PassThrough => passes = Some(true),
            Opt::NoPassThrough => passes = Some(false),
            Opt::Fast => level = 1,
            Opt::Level => level = size(value.strip_prefix(b"-").unwrap_or(value))?.min(255) as u8,
            Opt::Threads => drop(size(value)?),
            Opt::StreamSize => stream_size = Some(size(value)?),
            Opt::Memory => reading.zstd_window_max = Some(megabytes(value)?),
            Opt::Long => {
                let bits = if value.is_empty() { 27 } else { size(value)? };
                if !(10..=31).contains(&bits) {
                    return Err(UtilityError::failed(format!("Incorrect parameters: --long={bits}")));
                }
                reading.zstd_window_max = Some(1 << bits.max(27));
                level = level.max(19);
            }
            Opt::Format => target = parse_format(value)?,
            _ => {}
        }
    }
    let most = if options.has(Opt::Ultra) { 22 } else { 19 };
    if mode.task == Task::Compress && level > most && !options.has(Opt::Long) {
        if display > 1 {
            let text = format!("Warning : compression level higher than max, reduced to {most} \n");
            ctx.stderr.push(text.as_bytes());
        }
        level = most;
    }
    reading.zstd_ignores_checksum = !has_checksum;
    let mut output = options.value(Opt::Output).cloned();
    if output.as_ref().is_some_and(|name| name.as_bytes() == b"-") {
        output = None;
        mode.to_stdout = true;
    }
    let reads_alone = options.operands.is_empty() && output.is_none();
    if (mode.to_stdout || reads_alone) && mode.task != Task::Test && display == 2 {
        display = 1;
    }
    let follows = mode.force || mode.to_stdout || is_cat;
    mode.to_stdout |= matches!(mode.task, Task::Test | Task::List);
    mode.keep = !removes || mode.to_stdout;
    let by_default = (mode.force || is_cat) && mode.to_stdout;
    mode.passes_through = mode.task == Task::Decompress && passes.unwrap_or(by_default);
    Ok(Zstd {
        mode,
        target,
        level,
        has_checksum,
        tells_size,
        stream_size,
        reading,
        output,
        directory: options.value(Opt::OutputFlat).cloned(),
        recurses: options.has(Opt::Recursive),
        follows,
        leaves_compressed: options.has(Opt::ExcludeCompressed),
        display,
        is_many: false,
        fault: None,
        totals: Totals::default(),
        read: 0,
        written: 0,
        done: 0,
        answers: None,
    })
}

/// The level of the variable `ZSTD_CLEVEL`.
fn level_of_environment(ctx: &Context) -> u8 {
    let value =
        ctx.env.get(b"ZSTD_CLEVEL").and_then(|value| std::str::from_utf8(value).ok()?.parse::<i32>().ok());
    value.map_or(3, |level| level.clamp(1, 22) as u8)
}

fn parse_format(value: &[u8]) -> Result<Target, UtilityError> {
    Ok(match value {
        b"zstd" => Target::Zstd,
        b"gzip" => Target::Gzip,
        b"xz" => Target::Xz,
        b"lzma" => Target::Lzma,
        _ => {
            let shown = bstr::BStr::new(value);
            return Err(UtilityError::failed(format!("--format={shown} is not supported")));
        }
    })
}

/// A number of megabytes, or of what its unit says.
fn megabytes(value: &[u8]) -> Result<u64, UtilityError> {
    let is_plain = value.last().is_some_and(u8::is_ascii_digit);
    let bytes = size(value)?;
    Ok(if is_plain { bytes.saturating_mul(1 << 20) } else { bytes })
}

/// A number, with `K`, `M` or `G` and what may follow.
fn size(value: &[u8]) -> Result<u64, UtilityError> {
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, unit) = value.split_at_checked(digits).unwrap_or((value, &[]));
    let shift = match unit {
        b"" => Some(0),
        b"K" | b"KB" | b"KiB" => Some(10),
        b"M" | b"MB" | b"MiB" => Some(20),
        b"G" | b"GB" | b"GiB" => Some(30),
        _ => None,
    };
    let number = std::str::from_utf8(number).ok().and_then(|digits| digits.parse::<u64>().ok());
    let bytes = number.zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| UtilityError::failed(format!("incorrect number: {}", bstr::BStr::new(value))))
}
