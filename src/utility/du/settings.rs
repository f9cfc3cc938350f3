//! What the options of `du` ask for.

use super::Opt;
use crate::memory::{ToMetered, Vec, format};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use crate::utility::format::block_size::{BlockSize, SizeError, parse_scaled, size_message};
use crate::utility::format::keyword::keyword;
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::Metadata;
use std::time::Duration;

/// Which links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    Never,
    Operands,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeField {
    Modified,
    Accessed,
    Changed,
}

/// See the module.
pub(super) struct Settings {
    pub(super) all: bool,
    pub(super) apparent: bool,
    pub(super) follow: Follow,
    pub(super) separate: bool,
    /// Files with several names count for each of them.
    pub(super) counts_links: bool,
    pub(super) one_file_system: bool,
    pub(super) max_depth: u64,
    /// Entries smaller than this are left out; larger ones than its negative.
    pub(super) threshold: i128,
    pub(super) inodes: bool,
    pub(super) unit: BlockSize,
    pub(super) time: Option<TimeField>,
    pub(super) time_format: Vec<u8>,
    pub(super) zone: Zone,
    pub(super) end: u8,
    excluded: Vec<Pattern>,
}

impl Settings {
    pub(super) async fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let (time, time_format) = times(ctx, options)?;
        let apparent = options.has_any([Opt::ApparentSize, Opt::Bytes]);
        let (threshold, unit) = (threshold(options)?, unit(ctx, options)?);
        let max_depth = max_depth(ctx, options)?;
        let inodes = options.has(Opt::Inodes);
        let mut excluded = Vec::new();
        for (option, argument) in options.given() {
            let Some(argument) = argument else { continue };
            match option {
                Opt::Exclude => excluded.push(pattern(argument)),
                Opt::ExcludeFrom => read_patterns(ctx, argument, &mut excluded).await?,
                _ => {}
            }
        }
        if inodes && apparent {
            ctx.warn("warning: options --apparent-size and -b are ineffective with --inodes");
        }
        Ok(Self {
            all: options.has(Opt::All),
            apparent,
            follow: match options.last_of([Opt::Dereference, Opt::NoDereference, Opt::DereferenceArgs]) {
                Some(Opt::Dereference) => Follow::Always,
                Some(Opt::DereferenceArgs) => Follow::Operands,
                _ => Follow::Never,
            },
            separate: options.has(Opt::SeparateDirs),
            counts_links: options.has(Opt::CountLinks),
            one_file_system: options.has(Opt::OneFileSystem),
            max_depth,
            threshold,
            inodes,
            unit,
            time,
            time_format,
            zone: Zone::of(&ctx.env),
            end: if options.has(Opt::Null) { 0 } else { b'\n' },
            excluded,
        })
    }

    /// Whether a pattern leaves a path out: it matches all of it, or what comes after a slash.
    pub(super) fn excludes(&self, path: &[u8]) -> bool {
        if self.excluded.is_empty() {
            return false;
        }
        let ends =
            path.iter().enumerate().filter(|(at, byte)| **byte == b'/' && path.get(at + 1) != Some(&b'/'));
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        starts.filter_map(|start| path.get(start..)).any(|rest| {
            self.excluded.iter().any(|pattern| pattern.matches(rest, &mut NoTicker).unwrap_or(false))
        })
    }

    pub(super) fn moment(&self, metadata: &Metadata) -> Duration {
        match self.time {
            None | Some(TimeField::Modified) => metadata.modified,
            Some(TimeField::Accessed) => metadata.accessed,
            Some(TimeField::Changed) => metadata.changed,
        }
    }

    /// Whether an entry is large, or small, enough to be shown.
    pub(super) fn reaches(&self, amount: u64) -> bool {
        if self.threshold < 0 {
            i128::from(amount) <= -self.threshold
        } else {
            i128::from(amount) >= self.threshold
        }
    }
}

fn pattern(text: &[u8]) -> Pattern {
    Pattern::parse(text, PatternOptions::default())
}

/// The patterns of a file, a line each.
async fn read_patterns(
    ctx: &mut Context,
    file: &[u8],
    patterns: &mut Vec<Pattern>,
) -> Result<(), UtilityError> {
    let fault = |error: FsError| match error {
        FsError::Errno(errno) => UtilityError::Usage(format!("{}: {}", quote_operand(file), errno.message())),
        FsError::Limit(limit) => limit.into(),
    };
    let mut input = ctx.open_input(file).map_err(fault)?;
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(b'\n').await.map_err(fault)? else { return Ok(()) };
        let (line, _) = split_delimiter(line, b'\n');
        if !line.is_empty() {
            patterns.push(pattern(line));
        }
    }
}

fn max_depth(ctx: &mut Context, options: &Options<Opt>) -> Result<u64, UtilityError> {
    let mut depth = None;
    if let Some(text) = options.value(Opt::MaxDepth) {
        let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        let wrong = || UtilityError::Usage(format!("invalid maximum depth {}", quote(text)));
        depth = Some(parsed.ok_or_else(wrong)?);
    }
    if !options.has(Opt::Summarize) {
        return Ok(depth.unwrap_or(u64::MAX));
    }
    if options.has(Opt::All) {
        return Err(UtilityError::Usage("cannot both summarize and show all entries".into()));
    }
    match depth {
        Some(0) => {
            ctx.warn("warning: summarizing is the same as using --max-depth=0");
        }
        Some(depth) => {
            let message = format!("warning: summarizing conflicts with --max-depth={depth}");
            return Err(UtilityError::Usage(message));
        }
        None => {}
    }
    Ok(0)
}

fn unit(ctx: &Context, options: &Options<Opt>) -> Result<BlockSize, UtilityError> {
    let mut unit = BlockSize::of_environment(ctx, "DU_BLOCK_SIZE");
    for (option, argument) in options.given() {
        match option {
            Opt::Bytes => unit = BlockSize::of(1),
            Opt::Kibibytes => unit = BlockSize::of(1 << 10),
            Opt::Mebibytes => unit = BlockSize::of(1 << 20),
            Opt::HumanReadable => unit = BlockSize::Human(1024),
            Opt::Si => unit = BlockSize::Human(1000),
            Opt::Block(option) => {
                unit = BlockSize::of_option(option, argument.map_or(&b""[..], |text| text.as_bytes()))?;
            }
            _ => {}
        }
    }
    Ok(unit)
}

fn threshold(options: &Options<Opt>) -> Result<i128, UtilityError> {
    let mut threshold = 0;
    for (option, argument) in options.given() {
        let (Opt::Threshold | Opt::ThresholdLong, Some(text)) = (option, argument) else { continue };
        let name = if option == Opt::Threshold { "-t" } else { "--threshold" };
        let (is_negative, digits) = match text.as_bytes() {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let size = parse_scaled(digits).and_then(|size| i64::try_from(size).map_err(|_| SizeError::TooLarge));
        let size = size.map_err(|error| UtilityError::failed(size_message(error, name, text)))?;
        if is_negative && size == 0 {
            return Err(UtilityError::failed("invalid --threshold argument '-0'"));
        }
        threshold = i128::from(if is_negative { -size } else { size });
    }
    Ok(threshold)
}

/// The time that is shown, and how.
fn times(ctx: &Context, options: &Options<Opt>) -> Result<(Option<TimeField>, Vec<u8>), UtilityError> {
    let words: [(&[&str], TimeField); 2] =
        [(&["atime", "access", "use"], TimeField::Accessed), (&["ctime", "status"], TimeField::Changed)];
    let mut time = None;
    for (_, word) in options.given().filter(|(option, _)| *option == Opt::Time) {
        time = Some(match word {
            Some(word) => keyword("--time", &words, word)?,
            None => TimeField::Modified,
        });
    }
    let styles: [(&[&str], &[u8]); 3] = [
        (&["full-iso"], b"%Y-%m-%d %H:%M:%S.%N %z"),
        (&["long-iso"], b"%Y-%m-%d %H:%M"),
        (&["iso"], b"%Y-%m-%d"),
    ];
    let of_environment = || ctx.env.get(b"TIME_STYLE").filter(|style| style.as_bytes() != b"locale");
    let style = match options.value(Opt::TimeStyle) {
        Some(style) => style.as_bytes(),
        None => of_environment().map_or(&b"long-iso"[..], |style| {
            let style = style.split(|&byte| byte == b'\n').next().unwrap_or(style);
            let mut rest = style;
            while let Some(shorter) = rest.strip_prefix(b"posix-") {
                rest = shorter;
            }
            rest
        }),
    };
    let format = match style {
        [b'+', format @ ..] => format,
        _ if time.is_none() => b"",
        word => keyword("time style", &styles, word)?,
    };
    Ok((time, format.to_metered()))
}
