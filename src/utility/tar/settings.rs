//! What the options of `tar` mean.

use super::arguments::usage;
use super::error::{Result, TarError, fatal};
use super::header::{BLOCK, Format};
use super::options::Opt;
use super::select::Selector;
use super::transform::{Substitution, parse as parse_transform};
use crate::memory::{HashMap, JoinMetered, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::format::file_mode::ModeChange;
use crate::utility::format::time_format::{Zone, duration, timestamp};
use crate::utility::format::time_parse;
use crate::utility::{Context, Options, UtilityError};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Extract,
    List,
    Append,
    Update,
    Catenate,
    Delete,
    Diff,
}

/// What an archive is packed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Gzip,
    Bzip2,
    Xz,
    Lzma,
    Zstd,
}

impl Filter {
    pub(super) fn program(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Lzma => "lzma",
            Self::Zstd => "zstd",
        }
    }

    fn parse(program: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Bzip2, Self::Xz, Self::Lzma, Self::Zstd]
            .into_iter()
            .find(|filter| filter.program().as_bytes() == program)
    }

    /// The filter that a file name asks for with `-a`.
    pub(super) fn of_name(name: &[u8]) -> Option<Self> {
        let suffixes: [(&[u8], Self); 14] = [
            (b".gz", Self::Gzip),
            (b".tgz", Self::Gzip),
            (b".taz", Self::Gzip),
            (b".bz2", Self::Bzip2),
            (b".tbz", Self::Bzip2),
            (b".tbz2", Self::Bzip2),
            (b".tz2", Self::Bzip2),
            (b".xz", Self::Xz),
            (b".txz", Self::Xz),
            (b".lzma", Self::Xz),
            (b".tlz", Self::Xz),
            (b".zst", Self::Zstd),
            (b".tzst", Self::Zstd),
            (b".zstd", Self::Zstd),
        ];
        suffixes.into_iter().find(|(suffix, _)| name.ends_with(suffix)).map(|(_, filter)| filter)
    }
}

/// Whether an archive goes through a program.
pub(super) fn is_filtered(program: &str) -> bool {
    !program.is_empty()
}

/// What becomes of files that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Old {
    /// Removed, and made anew.
    Replace,
    Overwrite,
    Keep,
    Skip,
    KeepNewer,
    UnlinkFirst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    None,
    Name,
    Inode,
}

pub(super) struct TarOptions {
    pub(super) operation: Operation,
    pub(super) archive: Text,
    /// Where it is, whatever `-C` says.
    pub(super) archive_path: Text,
    pub(super) filter: Option<Filter>,
    pub(super) format: Format,
    pub(super) record: u64,
    pub(super) names: Vec<Selector>,
    /// Names that are compared as they are, and where they stand in `names`.
    pub(super) exact: HashMap<Vec<u8>, usize>,
    pub(super) excludes: Vec<Selector>,
    pub(super) recurses: bool,
    pub(super) ignore_failed_read: bool,
    pub(super) keep_directory_symlink: bool,
    pub(super) old: Old,
    pub(super) overwrite_dir: bool,
    pub(super) one_top_level: Option<Vec<u8>>,
    pub(super) remove_files: bool,
    pub(super) to_stdout: bool,
    /// An id, where one is known, and a name.
    pub(super) owner: Option<(Option<u64>, Vec<u8>)>,
    pub(super) group: Option<(Option<u64>, Vec<u8>)>,
    pub(super) mode: Option<ModeChange>,
    pub(super) mtime: Option<Duration>,
    pub(super) clamp_mtime: bool,
    pub(super) touch: bool,
    pub(super) same_owner: bool,
    pub(super) same_permissions: bool,
    pub(super) numeric_owner: bool,
    pub(super) sort: Sort,
    pub(super) ignore_zeros: bool,
    pub(super) dereference: bool,
    pub(super) hard_dereference: bool,
    pub(super) starting_file: Option<Vec<u8>>,
    /// Files that are older are left out; `true`: by either time.
    pub(super) newer: Option<(Duration, bool)>,
    pub(super) one_file_system: bool,
    pub(super) absolute_names: bool,
    pub(super) strip: u64,
    pub(super) transforms: Vec<Substitution>,
    pub(super) full_time: bool,
    pub(super) show_transformed: bool,
    pub(super) totals: bool,
    pub(super) utc: bool,
    pub(super) verbose: usize,
    pub(super) lists_on_stderr: bool,
    pub(super) drops_times: bool,
    pub(super) has_late_options: bool,
}

const ONE_OPERATION: &str =
    "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option";
const NO_OPERATION: &str = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options";

pub(super) fn end<T>(message: impl std::fmt::Display) -> Result<T> {
    Err(TarError::End(usage(message, 2)))
}

fn operation(options: &Options<Opt>) -> Result<Operation> {
    let mut found = None;
    for (option, _) in options.given() {
        let operation = match option {
            Opt::Catenate => Operation::Catenate,
            Opt::Create => Operation::Create,
            Opt::Delete => Operation::Delete,
            Opt::Diff => Operation::Diff,
            Opt::Append => Operation::Append,
            Opt::List => Operation::List,
            Opt::Update => Operation::Update,
            Opt::Extract => Operation::Extract,
            _ => continue,
        };
        if found.is_some_and(|other| other != operation) {
            return end(ONE_OPERATION);
        }
        found = Some(operation);
    }
    found.map_or_else(|| end(NO_OPERATION), Ok)
}

fn number(value: &[u8], what: &str) -> Result<u64> {
    match std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()) {
        Some(number) => Ok(number),
        None => end(format_args!("{}: {what}", bstr::BStr::new(value))),
    }
}

fn word<T: Copy>(option: &str, value: &[u8], rows: &[(&[&str], T)]) -> Result<T> {
    let failed = |message| TarError::End(UtilityError::Failed { message, status: 2 });
    crate::utility::format::keyword::meaning(option, rows, value).map_err(failed)
}

/// The name of an option that says what becomes of files that are there: one of them at most may be given.
fn old_files(option: Opt) -> Option<&'static str> {
    Some(match option {
        Opt::KeepNewer => "keep-newer-files",
        Opt::KeepOld => "keep-old-files",
        Opt::SkipOld => "skip-old-files",
        Opt::NoOverwriteDir => "no-overwrite-dir",
        Opt::Overwrite => "overwrite",
        Opt::OverwriteDir => "overwrite-dir",
        Opt::UnlinkFirst => "unlink-first",
        _ => return None,
    })
}

impl TarOptions {
    pub(super) async fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self> {
        let operation = operation(options)?;
        let archive = options.value(Opt::File).cloned().unwrap_or(Text::from_static(b"-"));
        let is_root = ctx.session.identity.uid == 0;
        let writes = matches!(operation, Operation::Create | Operation::Append | Operation::Update);
        let mut settings = Self {
            operation,
            filter: None,
            format: Format::Gnu,
            record: 20 * BLOCK as u64,
            names: Vec::new(),
            exact: HashMap::new(),
            excludes: Vec::new(),
            recurses: true,
            ignore_failed_read: options.has(Opt::IgnoreFailedRead),
            keep_directory_symlink: options.has(Opt::KeepDirectorySymlink),
            old: Old::Replace,
            overwrite_dir: true,
            one_top_level: None,
            remove_files: options.has(Opt::RemoveFiles),
            to_stdout: options.has(Opt::ToStdout),
            owner: None,
            group: None,
            mode: None,
            mtime: None,
            clamp_mtime: options.has(Opt::ClampMtime),
            touch: options.has(Opt::Touch),
            same_owner: is_root,
            same_permissions: is_root,
            numeric_owner: options.has(Opt::NumericOwner),
            sort: Sort::None,
            ignore_zeros: options.has(Opt::IgnoreZeros),
            dereference: options.has(Opt::Dereference),
            hard_dereference: options.has(Opt::HardDereference),
            starting_file: options.value(Opt::StartingFile).map(|name| name.as_bytes().to_metered()),
            newer: None,
            one_file_system: options.has(Opt::OneFileSystem),
            absolute_names: options.has(Opt::AbsoluteNames),
            strip: 0,
            transforms: Vec::new(),
            full_time: options.has(Opt::FullTime),
            show_transformed: options.has(Opt::ShowTransformed),
            totals: options.has(Opt::Totals),
            utc: options.has(Opt::Utc),
            verbose: options.count(Opt::Verbose),
            lists_on_stderr: options.has(Opt::ToStdout)
                || (operation == Operation::Create && archive.as_bytes() == b"-"),
            drops_times: false,
            has_late_options: false,
            archive_path: if archive.as_bytes() == b"-" {
                archive.clone()
            } else {
                Text::from(ctx.absolute(&archive))
            },
            archive,
        };
        settings.take_values(ctx, options)?;
        settings.take_names(ctx, options).await?;
        let is_empty = settings.names.is_empty();
        if operation == Operation::Create && is_empty && !options.has(Opt::FilesFrom) {
            return end("Cowardly refusing to create an empty archive");
        }
        if settings.filter.is_some()
            && matches!(
                operation,
                Operation::Append | Operation::Update | Operation::Catenate | Operation::Delete
            )
        {
            return end("Cannot update compressed archives");
        }
        if options.has(Opt::Auto) && !options.has(Opt::NoAuto) && writes && settings.filter.is_none() {
            settings.filter = Filter::of_name(&settings.archive);
        }
        Ok(settings)
    }

    fn take_values(&mut self, ctx: &mut Context, options: &Options<Opt>) -> Result<()> {
        let mut chosen = None;
        for (option, value) in options.given() {
            let has_value = value.is_some();
            let value = value.map_or(b"".as_slice(), Text::as_bytes);
            if let Some(name) = old_files(option) {
                if let Some(other) = chosen.filter(|other| *other != name) {
                    return end(format_args!("'--{name}' cannot be used with '--{other}'"));
                }
                chosen = Some(name);
            }
            match option {
                Opt::NoOverwriteDir => self.overwrite_dir = false,
                Opt::OverwriteDir => self.overwrite_dir = true,
                Opt::KeepNewer => self.old = Old::KeepNewer,
                Opt::KeepOld => self.old = Old::Keep,
                Opt::SkipOld => self.old = Old::Skip,
                Opt::Overwrite => self.old = Old::Overwrite,
                Opt::UnlinkFirst => self.old = Old::UnlinkFirst,
                Opt::OneTopLevel => {
                    let name = if value.is_empty() { self.base_name()? } else { value.to_metered() };
                    self.one_top_level = Some(name);
                }
                Opt::Owner => {
                    self.owner = Some(owner(value, |name| ctx.user_id(name), |id| ctx.user_name(id))?);
                }
                Opt::Group => {
                    self.group = Some(owner(value, |name| ctx.group_id(name), |id| ctx.group_name(id))?);
                }
                Opt::Mode => {
                    let Some(mode) = ModeChange::parse(value) else {
                        return end("Invalid mode given on option");
                    };
                    self.mode = Some(mode);
                }
                Opt::Mtime => self.mtime = Some(Self::time(ctx, value, "--mtime")?),
                Opt::Newer => self.newer = Some((Self::time(ctx, value, "--newer")?, true)),
                Opt::NewerMtime => self.newer = Some((Self::time(ctx, value, "--newer-mtime")?, false)),
                Opt::NoSameOwner => self.same_owner = false,
                Opt::SameOwner => self.same_owner = true,
                Opt::NoSamePermissions => self.same_permissions = false,
                Opt::SamePermissions => self.same_permissions = true,
                Opt::Sort => {
                    let rows: [(&[&str], Sort); 3] =
                        [(&["none"], Sort::None), (&["name"], Sort::Name), (&["inode"], Sort::Inode)];
                    self.sort = word("--sort", value, &rows)?;
                }
                Opt::Blocking => {
                    self.record = number(value, "Invalid blocking factor")?.saturating_mul(BLOCK as u64);
                }
                Opt::RecordSize => {
                    self.record = number(value, "Invalid record size")?;
                    if !self.record.is_multiple_of(BLOCK as u64) {
                        return end("Record size must be a multiple of 512.");
                    }
                }
                Opt::Format => {
                    let Some(format) = Format::parse(value) else {
                        return end(format_args!("{}: Invalid archive format", bstr::BStr::new(value)));
                    };
                    self.format = format;
                }
                Opt::OldArchive => self.format = Format::V7,
                Opt::OldOption if self.operation == Operation::Create => self.format = Format::V7,
                Opt::OldOption => self.same_owner = false,
                Opt::Posix => self.format = Format::Posix,
                Opt::PaxOption => self.pax_options(value)?,
                Opt::Gzip => self.choose(Filter::Gzip)?,
                Opt::Bzip2 => self.choose(Filter::Bzip2)?,
                Opt::Xz => self.choose(Filter::Xz)?,
                // Debian's tar calls xz for it, which writes its own format.
                Opt::Lzma => self.choose(Filter::Xz)?,
                Opt::Zstd => self.choose(Filter::Zstd)?,
                Opt::Program => match Filter::parse(value) {
                    Some(filter) => self.choose(filter)?,
                    None => {
                        let shown = bstr::BStr::new(value);
                        return end(format_args!("--use-compress-program={shown} is not supported"));
                    }
                },
                Opt::StripComponents => self.strip = number(value, "Invalid number of elements")?,
                Opt::Transform => parse_transform(ctx, value, &mut self.transforms)?,
                Opt::AtimePreserve if has_value => {
                    word("--atime-preserve", value, &[(&["replace"], ()), (&["system"], ())])?;
                }
                _ => {}
            }
        }
        if self.record == 0 || self.record > 1 << 30 {
            return end("Invalid blocking factor");
        }
        Ok(())
    }

    fn choose(&mut self, filter: Filter) -> Result<()> {
        if self.filter.is_some_and(|other| other != filter) {
            return end("Conflicting compression options");
        }
        self.filter = Some(filter);
        Ok(())
    }

    fn pax_options(&mut self, list: &[u8]) -> Result<()> {
        self.format = Format::Posix;
        let mut deleted = [false; 2];
        for word in list.split(|byte| *byte == b',') {
            match word {
                b"delete=atime" => deleted[0] = true,
                b"delete=ctime" => deleted[1] = true,
                b"exthdr.name=%d/PaxHeaders/%f" => {}
                _ => {
                    let shown = bstr::BStr::new(word);
                    return end(format_args!("--pax-option={shown} is not supported"));
                }
            }
        }
        if deleted[0] != deleted[1] {
            return end("--pax-option: only both delete=atime and delete=ctime are supported");
        }
        self.drops_times |= deleted[0];
        Ok(())
    }

    /// The archive's name without its suffixes.
    fn base_name(&self) -> Result<Vec<u8>> {
        let name = crate::utility::file::last_component(&self.archive);
        let packed: [&[u8]; 9] =
            [b".gz", b".bz2", b".xz", b".lzma", b".zst", b".tgz", b".tbz", b".txz", b".tzst"];
        let stem = packed.iter().find_map(|suffix| name.strip_suffix(*suffix));
        let stem = stem.unwrap_or(name);
        let stem = stem.strip_suffix(b".tar").unwrap_or(stem);
        if stem == name || stem.is_empty() {
            return end(
                "Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR",
            );
        }
        Ok(stem.to_metered())
    }

    /// A date, or the time of a file whose name begins with `/` or `.`.
    fn time(ctx: &Context, text: &[u8], option: &str) -> Result<Duration> {
        if matches!(text.first(), Some(b'/' | b'.')) {
            return match ctx.stat(text) {
                Ok(metadata) => Ok(metadata.modified),
                Err(crate::vfs::FsError::Limit(limit)) => Err(limit.into()),
                Err(crate::vfs::FsError::Errno(errno)) => {
                    fatal(format!("{}: Cannot stat: {}", super::shown::shown_name(text), errno.message()))
                }
            };
        }
        let now = timestamp(ctx.session.clock.now());
        match time_parse::parse(text, now, &Zone::of(&ctx.env)) {
            Some(moment) => Ok(duration(moment)),
            None => {
                end(format_args!("Invalid date {} of {option}", crate::utility::format::quote::quote(text)))
            }
        }
    }
}

/// `NAME`, `NAME:ID`, or an id.
fn owner(
    value: &[u8],
    id: impl Fn(&[u8]) -> Option<u32>,
    name: impl Fn(u32) -> Option<Text>,
) -> Result<(Option<u64>, Vec<u8>)> {
    let (first, second) = match memchr::memchr(b':', value) {
        Some(colon) => (value.get(..colon).unwrap_or(value), value.get(colon + 1..)),
        None => (value, None),
    };
    let as_number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<u32>().ok());
    if let Some(second) = second {
        return match as_number(second) {
            Some(number) => Ok((Some(number.into()), first.to_metered())),
            None => end(format_args!("{}: Invalid owner or group ID", bstr::BStr::new(second))),
        };
    }
    if let Some(number) = as_number(first) {
        return Ok((
            Some(number.into()),
            name(number).map(|name| name.as_bytes().to_metered()).unwrap_or_default(),
        ));
    }
    // A name that nobody has keeps the file's own id.
    Ok((id(first).map(u64::from), first.to_metered()))
}

impl From<crate::vfs::FsError> for TarError {
    fn from(error: crate::vfs::FsError) -> Self {
        match error {
            crate::vfs::FsError::Errno(errno) => Self::End(UtilityError::failed(errno.message())),
            crate::vfs::FsError::Limit(limit) => limit.into(),
        }
    }
}

/// `directory/name`, where there is a directory.
pub(super) fn in_directory(directory: Option<&Text>, name: &[u8]) -> Vec<u8> {
    match directory {
        Some(directory) if !name.starts_with(b"/") => [directory.as_bytes(), b"/", name].concat_metered(),
        _ => name.to_metered(),
    }
}
