//! What the options of `ls` mean together.

use super::entry::Entry;
use super::option::Opt;
use super::quoting::Quoting;
use crate::memory::{String, ToDecimal, ToMetered, Vec, format};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use crate::utility::file::blocks;
use crate::utility::format::block_size::{BlockSize, size_message};
use crate::utility::format::keyword::{bad_word, keyword};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::Metadata;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Lines,
    /// Sorted downwards.
    Columns,
    /// Sorted across.
    Across,
    Commas,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    None,
    Name,
    Time,
    Size,
    Extension,
    Version,
    Width,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeField {
    Accessed,
    Changed,
    Modified,
    /// No file of a session has this time.
    Born,
}

/// Which links are followed that are operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowOperands {
    None,
    /// Those that lead to directories.
    Directories,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    Skip,
    AlmostAll,
    All,
}

/// See the module.
pub(super) struct Style {
    pub(super) long: bool,
    pub(super) layout: Layout,
    pub(super) sort: Sort,
    pub(super) reverse: bool,
    pub(super) recursive: bool,
    pub(super) directory_itself: bool,
    pub(super) directories_first: bool,
    pub(super) hidden: Hidden,
    pub(super) indicator: Indicator,
    pub(super) quoting: Quoting,
    pub(super) time: TimeField,
    pub(super) recent_format: Vec<u8>,
    pub(super) old_format: Vec<u8>,
    pub(super) zone: Zone,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) numeric: bool,
    pub(super) inode: bool,
    pub(super) blocks: bool,
    pub(super) author: bool,
    /// Files have no security context; a question mark stands for it.
    pub(super) context: bool,
    /// The unit of blocks.
    unit: BlockSize,
    /// The unit of sizes of files; `None`: bytes.
    file_unit: Option<BlockSize>,
    pub(super) follow: bool,
    pub(super) follow_operands: FollowOperands,
    /// The host that links from names to files name.
    pub(super) hyperlink: Option<Text>,
    pub(super) dired: bool,
    /// Columns from a tab stop to the next; 0: tabs are not used.
    pub(super) tab: usize,
    pub(super) color: bool,
    /// Whether a color was printed already.
    pub(super) colored: std::sync::atomic::AtomicBool,
    pub(super) width: usize,
    pub(super) end: u8,
    ignore: Vec<Pattern>,
    hide: Vec<Pattern>,
    ignore_backups: bool,
}

impl Style {
    pub(super) fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let unsorted = options.has(Opt::RawDirectory);
        let name = ctx.name.clone();
        // Of errors of usage only those about words have the status 1.
        let wrong = |error| match error {
            UtilityError::Usage(message) => bad_word(&name, &message),
            other => other,
        };
        let (long, layout) = layout(options).map_err(wrong)?;
        let (recent_format, old_format) = time_formats(ctx, options)?;
        let sort = sort(options).map_err(wrong)?;
        let time = time_field(options).map_err(wrong)?;
        let (unit, file_unit) = units(ctx, options)?;
        let shown = indicator(options).map_err(wrong)?;
        let follow =
            options.last_of([Opt::Dereference, Opt::DereferenceCommandLine, Opt::DereferenceDirectories]);
        let hyperlink =
            if hyperlinks(options).map_err(wrong)? { Some(ctx.session.identity.host.clone()) } else { None };
        let dired = options.has(Opt::Dired) && long && hyperlink.is_none();
        if dired && options.has(Opt::Zero) {
            return Err(fault("--dired and --zero are incompatible"));
        }
        let is_table = !long && layout != Layout::Lines;
        let pattern =
            |text: &Text| Pattern::parse(text, PatternOptions { period: true, ..PatternOptions::default() });
        let hidden = match options.last_of([Opt::All, Opt::AlmostAll, Opt::RawDirectory]) {
            Some(Opt::AlmostAll) => Hidden::AlmostAll,
            Some(_) => Hidden::All,
            None => Hidden::Skip,
        };
        Ok(Self {
            long,
            layout,
            // -c and -u sort by their time, unless -l shows it.
            sort: if sort == Sort::Name
                && !long
                && options.has_any([Opt::ChangeTime, Opt::AccessTime, Opt::Time])
                && !options.has(Opt::Sort)
            {
                Sort::Time
            } else {
                sort
            },
            reverse: options.has(Opt::Reverse),
            recursive: options.has(Opt::Recursive),
            directory_itself: options.has(Opt::Directory),
            directories_first: options.has(Opt::GroupDirectoriesFirst) && sort != Sort::None,
            hidden,
            indicator: shown,
            quoting: Quoting::of(ctx, options).map_err(wrong)?,
            time,
            recent_format,
            old_format,
            zone: Zone::of(&ctx.env),
            owner: !options.has(Opt::LongWithoutOwner),
            group: !options.has_any([Opt::NoGroup, Opt::LongWithoutGroup]),
            numeric: options.has(Opt::NumericUidGid),
            inode: options.has(Opt::Inode),
            blocks: options.has(Opt::Size),
            author: options.has(Opt::Author),
            context: options.has(Opt::Context),
            unit,
            file_unit,
            follow: follow == Some(Opt::Dereference),
            follow_operands: match follow {
                Some(Opt::Dereference | Opt::DereferenceCommandLine) => FollowOperands::All,
                Some(_) => FollowOperands::Directories,
                None if long || options.has(Opt::Directory) || shown == Indicator::Classify => {
                    FollowOperands::None
                }
                None => FollowOperands::Directories,
            },
            hyperlink,
            dired,
            tab: tab_size(ctx, options, is_table)?,
            color: !unsorted && color(ctx, options).map_err(wrong)?,
            colored: false.into(),
            width: width(ctx, options, is_table)?,
            end: if options.has(Opt::Zero) { 0 } else { b'\n' },
            ignore: options.values(Opt::Ignore).map(pattern).collect(),
            hide: options.values(Opt::Hide).map(pattern).collect(),
            ignore_backups: options.has(Opt::IgnoreBackups),
        })
    }

    /// Whether a directory's entry is listed.
    pub(super) fn shows(&self, name: &[u8]) -> bool {
        let matches = |patterns: &[Pattern]| {
            patterns.iter().any(|pattern| pattern.matches(name, &mut NoTicker).unwrap_or(false))
        };
        let hidden = self.hidden == Hidden::Skip && (name.starts_with(b".") || matches(&self.hide));
        !(hidden || (self.ignore_backups && name.ends_with(b"~")) || matches(&self.ignore))
    }

    pub(super) fn shown_name(&self, name: &[u8]) -> Vec<u8> {
        self.quoting.show(name)
    }

    pub(super) fn moment(&self, metadata: &Metadata) -> Duration {
        match self.time {
            TimeField::Accessed => metadata.accessed,
            TimeField::Changed => metadata.changed,
            TimeField::Modified => metadata.modified,
            TimeField::Born => Duration::ZERO,
        }
    }

    /// A count of blocks of 512 bytes.
    pub(super) fn shown_blocks(&self, count: u64) -> String {
        self.unit.show(count.saturating_mul(512))
    }

    /// The size of a file.
    pub(super) fn shown_size(&self, size: u64) -> String {
        self.file_unit.map_or_else(|| size.to_decimal(), |unit| unit.show(size))
    }

    pub(super) fn total(&self, entries: &[Entry]) -> String {
        self.shown_blocks(entries.iter().map(|entry| blocks(&entry.metadata)).sum())
    }
}

fn bytes(argument: Option<&Text>) -> &[u8] {
    argument.map_or(b"", Text::as_bytes)
}

fn layout(options: &Options<Opt>) -> Result<(bool, Layout), UtilityError> {
    let layouts: [(&[&str], Option<Layout>); 5] = [
        (&["verbose", "long"], None),
        (&["commas"], Some(Layout::Commas)),
        (&["horizontal", "across"], Some(Layout::Across)),
        (&["vertical"], Some(Layout::Columns)),
        (&["single-column"], Some(Layout::Lines)),
    ];
    let mut long = false;
    let mut layout = Layout::Lines;
    for (option, argument) in options.given() {
        match option {
            Opt::Long
            | Opt::LongWithoutOwner
            | Opt::NumericUidGid
            | Opt::LongWithoutGroup
            | Opt::FullTime => long = true,
            Opt::Columns => (long, layout) = (false, Layout::Columns),
            Opt::Across => (long, layout) = (false, Layout::Across),
            Opt::Commas => (long, layout) = (false, Layout::Commas),
            // -1 after -l changes nothing.
            Opt::OnePerLine => layout = Layout::Lines,
            Opt::RawDirectory => long = false,
            // In a long listing the layout is of no account.
            Opt::Format => match keyword("--format", &layouts, bytes(argument))? {
                Some(other) => (long, layout) = (false, other),
                None => long = true,
            },
            _ => {}
        }
    }
    Ok((long, layout))
}

fn sort(options: &Options<Opt>) -> Result<Sort, UtilityError> {
    let rows: [(&[&str], Sort); 6] = [
        (&["none"], Sort::None),
        (&["time"], Sort::Time),
        (&["size"], Sort::Size),
        (&["extension"], Sort::Extension),
        (&["version"], Sort::Version),
        (&["width"], Sort::Width),
    ];
    let mut sort = Sort::Name;
    for (option, argument) in options.given() {
        match option {
            Opt::SortByTime => sort = Sort::Time,
            Opt::SortBySize => sort = Sort::Size,
            Opt::SortByExtension => sort = Sort::Extension,
            Opt::SortByVersion => sort = Sort::Version,
            Opt::Unsorted | Opt::RawDirectory => sort = Sort::None,
            Opt::Sort => sort = keyword("--sort", &rows, bytes(argument))?,
            _ => {}
        }
    }
    Ok(sort)
}

fn time_field(options: &Options<Opt>) -> Result<TimeField, UtilityError> {
    let rows: [(&[&str], TimeField); 4] = [
        (&["atime", "access", "use"], TimeField::Accessed),
        (&["ctime", "status"], TimeField::Changed),
        (&["mtime", "modification"], TimeField::Modified),
        (&["birth", "creation"], TimeField::Born),
    ];
    let mut field = TimeField::Modified;
    for (option, argument) in options.given() {
        match option {
            Opt::ChangeTime => field = TimeField::Changed,
            Opt::AccessTime => field = TimeField::Accessed,
            Opt::Time => field = keyword("--time", &rows, bytes(argument))?,
            _ => {}
        }
    }
    Ok(field)
}

fn indicator(options: &Options<Opt>) -> Result<Indicator, UtilityError> {
    let rows: [(&[&str], Indicator); 4] = [
        (&["none"], Indicator::None),
        (&["slash"], Indicator::Slash),
        (&["file-type"], Indicator::FileType),
        (&["classify"], Indicator::Classify),
    ];
    let mut indicator = Indicator::None;
    for (option, argument) in options.given() {
        match option {
            Opt::Slash => indicator = Indicator::Slash,
            Opt::FileType => indicator = Indicator::FileType,
            Opt::Classify => indicator = Indicator::Classify,
            Opt::ClassifyWhen if is_always("--classify", argument)? => indicator = Indicator::Classify,
            Opt::IndicatorStyle => indicator = keyword("--indicator-style", &rows, bytes(argument))?,
            _ => {}
        }
    }
    Ok(indicator)
}

/// The unit of blocks, and that of sizes of files.
fn units(ctx: &Context, options: &Options<Opt>) -> Result<(BlockSize, Option<BlockSize>), UtilityError> {
    let mut given = None;
    for (option, argument) in options.given() {
        match option {
            Opt::HumanReadable => given = Some(BlockSize::Human(1024)),
            Opt::Si => given = Some(BlockSize::Human(1000)),
            Opt::BlockSize => {
                let text = bytes(argument);
                let wrong = |error| fault(size_message(error, "--block-size", text));
                given = Some(BlockSize::parse(text).map_err(wrong)?);
            }
            _ => {}
        }
    }
    if let Some(unit) = given {
        return Ok((unit, Some(unit)));
    }
    let unit = BlockSize::of_environment(ctx, "LS_BLOCK_SIZE");
    let is_for_files =
        ["LS_BLOCK_SIZE", "BLOCK_SIZE"].iter().any(|name| ctx.env.get(name.as_bytes()).is_some());
    let blocks = if options.has(Opt::Kibibytes) { BlockSize::of(1024) } else { unit };
    Ok((blocks, is_for_files.then_some(unit)))
}

fn hyperlinks(options: &Options<Opt>) -> Result<bool, UtilityError> {
    let mut wanted = false;
    for (_, argument) in options.given().filter(|(option, _)| *option == Opt::Hyperlink) {
        wanted = is_always("--hyperlink", argument)?;
    }
    Ok(wanted)
}

fn fault(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: 2 }
}

/// A number as C writes it; one that is too large stands for the largest.
fn plain_number(text: &[u8]) -> Option<usize> {
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let valid = !digits.is_empty() && digits.iter().all(|byte| char::from(*byte).is_digit(radix));
    let digits = std::str::from_utf8(digits).ok().filter(|_| valid)?;
    Some(usize::from_str_radix(digits, radix).unwrap_or(usize::MAX))
}

/// A number of columns that an option gives, or a variable of the environment, which is only looked at for tables.
fn columns(
    ctx: &mut Context,
    given: Option<&Text>,
    what: &str,
    variable: &str,
    is_table: bool,
) -> Result<Option<usize>, UtilityError> {
    if let Some(text) = given {
        let wrong = || fault(format!("invalid {what}: {}", quote(text)));
        return plain_number(text).ok_or_else(wrong).map(Some);
    }
    let Some(text) = ctx.env.get(variable.as_bytes()).filter(|text| is_table && !text.is_empty()) else {
        return Ok(None);
    };
    let number = plain_number(text);
    if number.is_none() {
        let what = what.strip_prefix("line ").unwrap_or(what);
        let message = format!("ignoring invalid {what} in environment variable {variable}: {}", quote(text));
        ctx.warn(message);
    }
    Ok(number)
}

fn tab_size(ctx: &mut Context, options: &Options<Opt>, is_table: bool) -> Result<usize, UtilityError> {
    Ok(columns(ctx, options.value(Opt::TabSize), "tab size", "TABSIZE", is_table)?.unwrap_or(8))
}

/// Standard output is not a terminal, so `auto` is never.
fn is_always(option: &str, argument: Option<&Text>) -> Result<bool, UtilityError> {
    let rows: [(&[&str], bool); 3] = [
        (&["always", "yes", "force"], true),
        (&["never", "no", "none"], false),
        (&["auto", "tty", "if-tty"], false),
    ];
    argument.map_or(Ok(true), |word| keyword(option, &rows, word))
}

/// Colors need a terminal type that has them.
fn color(ctx: &Context, options: &Options<Opt>) -> Result<bool, UtilityError> {
    let mut wanted = false;
    for (option, argument) in options.given() {
        if option == Opt::Color {
            wanted = is_always("--color", argument)?;
        }
    }
    let has = |name: &[u8]| ctx.env.get(name).is_some_and(|value| !value.is_empty());
    let terminal = ctx.env.get(b"TERM").map(|term| String::from_utf8_lossy(term)).unwrap_or_default();
    let families = [
        "xterm",
        "screen",
        "tmux",
        "rxvt",
        "linux",
        "ansi",
        "vt100",
        "konsole",
        "putty",
        "cygwin",
        "alacritty",
    ];
    let known = families.iter().any(|family| terminal.starts_with(family)) || terminal.contains("color");
    Ok(wanted && (has(b"COLORTERM") || has(b"LS_COLORS") || known))
}

fn width(ctx: &mut Context, options: &Options<Opt>, is_table: bool) -> Result<usize, UtilityError> {
    Ok(columns(ctx, options.value(Opt::Width), "line width", "COLUMNS", is_table)?.unwrap_or(80))
}

/// The formats for a recent and for an old time.
fn time_formats(ctx: &Context, options: &Options<Opt>) -> Result<(Vec<u8>, Vec<u8>), UtilityError> {
    let both = |format: &[u8]| (format.to_metered(), format.to_metered());
    let full = both(b"%Y-%m-%d %H:%M:%S.%N %z");
    let given = match options.last_of([Opt::FullTime, Opt::TimeStyle]) {
        Some(Opt::FullTime) => return Ok(full),
        _ => options.value(Opt::TimeStyle).or_else(|| ctx.env.get(b"TIME_STYLE")),
    };
    let Some(given) = given else { return Ok((b"%b %e %H:%M".to_metered(), b"%b %e  %Y".to_metered())) };
    let word = given.strip_prefix(b"posix-").unwrap_or(given);
    Ok(match word {
        // In the POSIX locale `posix-` means the locale's format.
        _ if word.len() < given.len() => (b"%b %e %H:%M".to_metered(), b"%b %e  %Y".to_metered()),
        b"full-iso" => full,
        b"long-iso" => both(b"%Y-%m-%d %H:%M"),
        b"iso" => (b"%m-%d %H:%M".to_metered(), b"%Y-%m-%d ".to_metered()),
        b"locale" => (b"%b %e %H:%M".to_metered(), b"%b %e  %Y".to_metered()),
        [b'+', format @ ..] => match format.split_once_newline() {
            Some((old, recent)) => (recent.to_metered(), old.to_metered()),
            None => both(format),
        },
        _ => {
            let message = format!(
                "invalid argument {} for ‘time style’\nValid arguments are:\n  - [posix-]full-iso\n  - \
                 [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a \
                 'date'-style format",
                quote(given)
            );
            return Err(UtilityError::Usage(message));
        }
    })
}

trait SplitNewline {
    fn split_once_newline(&self) -> Option<(&[u8], &[u8])>;
}

impl SplitNewline for [u8] {
    fn split_once_newline(&self) -> Option<(&[u8], &[u8])> {
        let at = memchr::memchr(b'\n', self)?;
        Some((self.get(..at)?, self.get(at + 1..)?))
    }
}
