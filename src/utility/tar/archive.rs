//! Opens archives, and goes through the members that are selected.

use super::compare;
use super::error::{Faults, Result, TarError, fatal};
use super::extract::Extractor;
use super::header::{Kind, Member, Parsed, parse};
use super::list::Lister;
use super::reader::ArchiveReader;
use super::select::{find_selector, is_excluded, trim_slashes};
use super::settings::{Filter, Operation, TarOptions};
use super::shown::shown_name;
use super::transform::{Target, strip, transform, unsafe_start};
use super::writer::Writer;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::compress::{Check, Decoder, Encoder, Format, ReadOptions, Unpacker, ZstdEncoder};
use crate::utility::prelude::*;

/// The words for an archive that cannot be opened.
pub(super) fn cannot_open(name: &[u8], error: FsError) -> TarError {
    match error {
        FsError::Errno(errno) => {
            TarError::Fatal(format!("{}: Cannot open: {}", shown_name(name), errno.message()))
        }
        FsError::Limit(limit) => limit.into(),
    }
}

/// The filter that the first bytes of an archive ask for.
fn recognise(bytes: &[u8]) -> Option<Filter> {
    let marks: [(&[u8], Filter); 5] = [
        (b"\x1f\x8b", Filter::Gzip),
        (b"BZh", Filter::Bzip2),
        (b"\xfd7zXZ\0", Filter::Xz),
        (b"\x28\xb5\x2f\xfd", Filter::Zstd),
        (b"\x5d\0\0", Filter::Lzma),
    ];
    marks.into_iter().find(|(mark, _)| bytes.starts_with(mark)).map(|(_, filter)| filter)
}

/// The archive of the options; how it is packed is seen from its first bytes where no option says it.
pub(super) async fn open_for_reading(ctx: &mut Context, settings: &TarOptions) -> Result<ArchiveReader> {
    let name = &settings.archive;
    let mut input = ctx.open_input(&settings.archive_path).map_err(|error| cannot_open(name, error))?;
    let first = input.fill().await.map_err(|error| match error {
        FsError::Errno(errno) => {
            TarError::Fatal(format!("{}: Cannot read: {}", shown_name(name), errno.message()))
        }
        FsError::Limit(limit) => limit.into(),
    })?;
    let seen = if settings.filter.is_none() { recognise(first) } else { None };
    if let Some(filter) = seen
        && name.as_bytes() == b"-"
    {
        let option = match filter {
            Filter::Gzip => "-z",
            Filter::Bzip2 => "-j",
            Filter::Xz => "-J",
            Filter::Lzma => "--lzma",
            Filter::Zstd => "--zstd",
        };
        return fatal(format!("Archive is compressed. Use {option} option"));
    }
    // A name tells the filter of what is neither an archive nor anything that is known.
    let is_archive = first.first_chunk().is_some_and(|block| matches!(parse(block), Parsed::Member(_)));
    let named = || if is_archive { None } else { Filter::of_name(name) };
    let filter = settings.filter.or(seen).or_else(named);
    let decoder = decoder(filter);
    let program = filter.map_or("", Filter::program);
    Ok(ArchiveReader::new(Unpacker::new(input, decoder), program, settings.ignore_zeros))
}

fn decoder(filter: Option<Filter>) -> Decoder {
    match filter {
        None => Decoder::plain(),
        Some(Filter::Gzip) => Decoder::gzip(),
        Some(Filter::Bzip2) => Decoder::bzip2(),
        Some(Filter::Xz) => Decoder::any_of(&[Format::Xz, Format::Lzma], ReadOptions::default()),
        Some(Filter::Lzma) => Decoder::lzma(),
        Some(Filter::Zstd) => Decoder::zstd(ReadOptions::default()),
    }
}

/// A writer of the archive of the options, which is made.
pub(super) fn open_for_writing(ctx: &mut Context, settings: &TarOptions) -> Result<Writer> {
    let name = &settings.archive;
    let output = if name.as_bytes() == b"-" {
        None
    } else {
        Some(ctx.create(&settings.archive_path, false).map_err(|error| cannot_open(name, error))?)
    };
    let encoder = match settings.filter {
        None => Encoder::Plain,
        Some(Filter::Gzip) => Encoder::gzip(&ctx.meter)?,
        Some(Filter::Bzip2) => Encoder::bzip2(9),
        Some(Filter::Xz) => Encoder::xz(6, Check::Crc64),
        Some(Filter::Lzma) => Encoder::lzma(6),
        Some(Filter::Zstd) => Encoder::zstd(ZstdEncoder::new(3)),
    };
    let mut writer = Writer::new(output, encoder, settings.format, settings.record, !settings.numeric_owner);
    writer.tells_times = !settings.drops_times;
    Ok(writer)
}

/// Which starts of names were told to be left out.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    members: Vec<Vec<u8>>,
    links: Vec<Vec<u8>>,
}

/// Starts that are remembered: those of a hostile archive would be as many as its members.
const PREFIXES_MAX: usize = 64;

impl Prefixes {
    /// The name without a start that would lead out of the directory, which is told once.
    pub(super) fn safe<'n>(&mut self, ctx: &mut Context, name: &'n [u8], is_link: bool) -> &'n [u8] {
        let length = unsafe_start(name);
        let (start, rest) = name.split_at_checked(length).unwrap_or((&[], name));
        if !start.is_empty() {
            let told = if is_link { &mut self.links } else { &mut self.members };
            if !told.iter().any(|other| other.as_slice() == start) && told.len() < PREFIXES_MAX {
                told.push(start.to_metered());
                let what = if is_link { "hard link targets" } else { "member names" };
                ctx.warn(format_args!("Removing leading `{}' from {what}", shown_name(start)));
            }
        }
        if rest.is_empty() {
            if !is_link && length == 0 {
                ctx.warn("Substituting `.' for empty member name");
            }
            return b".";
        }
        rest
    }
}

/// Lists, extracts or compares what is selected.
pub(super) async fn read(
    ctx: &mut Context,
    settings: &mut TarOptions,
    reader: &mut ArchiveReader,
    faults: &mut Faults,
) -> Result<()> {
    let mut lister = Lister::new(ctx, settings);
    let mut extractor = Extractor::default();
    let mut prefixes = Prefixes::default();
    let mut started = settings.starting_file.is_none();
    while let Some(mut member) = reader.next(ctx).await? {
        if !started {
            started = settings.starting_file.as_deref().map(trim_slashes) == Some(trim_slashes(&member.name));
            if !started {
                continue;
            }
        }
        let Some(directory) = find_selector(ctx, settings, &member.name).await? else { continue };
        if is_excluded(ctx, &settings.excludes, &member.name).await? {
            continue;
        }
        if settings.newer.is_some_and(|(time, _)| member.time < time) {
            continue;
        }
        let stored = member.name.to_metered();
        let stored_link = member.link.to_metered();
        if !rename(ctx, settings, &mut prefixes, &mut member).await? {
            continue;
        }
        let leads_out = crate::vfs::path::components(&stored).any(|part| part == b"..");
        if settings.operation == Operation::Extract && leads_out && !settings.absolute_names {
            faults.report(ctx, format_args!("{}: Member name contains '..'", shown_name(&stored)));
            continue;
        }
        let shows_changed = settings.show_transformed;
        let shown = if shows_changed { &member.name } else { &stored };
        let shown_link = if shows_changed { &member.link } else { &stored_link };
        let detail = match settings.operation {
            Operation::List => settings.verbose + 1,
            _ => settings.verbose,
        };
        lister.show(ctx, settings, detail, &member, shown, shown_link).await?;
        match settings.operation {
            Operation::List => {}
            Operation::Diff => compare::compare(ctx, settings, reader, &member, faults).await?,
            _ => extractor.extract(ctx, settings, reader, &member, directory.as_ref(), faults).await?,
        }
    }
    extractor.finish(ctx, settings, faults).await?;
    if reader.has_skipped {
        faults.failed = true;
    }
    if settings.totals {
        let total = reader.offset;
        super::create::tell_total(ctx, "read", total);
    }
    for selector in &settings.names {
        if !selector.is_found {
            faults.report(ctx, format_args!("{}: Not found in archive", shown_name(selector.text())));
        }
    }
    Ok(())
}

/// Gives a member the name that it is extracted by. `false`: nothing is left of it.
async fn rename(
    ctx: &mut Context,
    settings: &TarOptions,
    prefixes: &mut Prefixes,
    member: &mut Member,
) -> Result<bool> {
    let extracts = settings.operation == Operation::Extract;
    if !settings.transforms.is_empty() {
        member.name = transform(ctx, &settings.transforms, Target::Member, &member.name).await?;
        let target = match member.kind {
            Kind::Symlink => Some(Target::Symlink),
            Kind::HardLink => Some(Target::HardLink),
            _ => None,
        };
        if let Some(target) = target {
            member.link = transform(ctx, &settings.transforms, target, &member.link).await?;
        }
    }
    if settings.strip > 0 {
        match strip(&member.name, settings.strip) {
            Some(rest) => member.name = rest.to_metered(),
            None if extracts => return Ok(false),
            // Nothing is left that could be shown.
            None => {
                member.name = if member.kind == Kind::Directory { b"/".to_metered() } else { Vec::new() };
                return Ok(true);
            }
        }
        if member.kind == Kind::HardLink
            && let Some(rest) = strip(&member.link, settings.strip)
        {
            member.link = rest.to_metered();
        }
    }
    if !settings.absolute_names {
        let name = prefixes.safe(ctx, &member.name, false).to_metered();
        let is_link = member.kind == Kind::HardLink;
        let link = if is_link { prefixes.safe(ctx, &member.link, true).to_metered() } else { Vec::new() };
        if settings.operation != Operation::List {
            member.name = name;
            if is_link {
                member.link = link;
            }
        }
    }
    if let Some(top) = &settings.one_top_level
        && extracts
    {
        for name in [&mut member.name, &mut member.link] {
            let is_hard = !name.is_empty();
            let inside = name
                .strip_prefix(top.as_slice())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"));
            if is_hard && !inside {
                *name = crate::utility::file::join(top, name);
            }
            if member.kind != Kind::HardLink {
                break;
            }
        }
    }
    Ok(true)
}
