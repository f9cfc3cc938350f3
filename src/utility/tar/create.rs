//! Makes archives (`-c`), and adds to them (`-r`, `-u`).

use super::archive::{Prefixes, cannot_open, open_for_reading, open_for_writing};
use super::error::{Faults, Result};
use super::header::{Format, Kind, Member};
use super::list::Lister;
use super::select::{is_excluded, trim_slashes};
use super::settings::{Operation, TarOptions, in_directory};
use super::shown::shown_name;
use super::source;
use super::transform::{Target, transform};
use super::writer::Writer;
use crate::memory::{HashMap, ToMetered, Vec, format};
use crate::utility::compress::Encoder;
use crate::utility::file::join;
use crate::utility::format::human_size::human_size;
use crate::utility::prelude::*;
use crate::vfs::{DirEntry, Metadata, OpenOptions};
use std::time::Duration;

/// What is under way.
struct Creator<'s> {
    settings: &'s TarOptions,
    writer: Writer,
    lister: Lister,
    prefixes: Prefixes,
    /// The first name of each file with several.
    links: HashMap<u64, Vec<u8>>,
    /// The archive itself, which is not put into it.
    archive: Option<u64>,
    /// With `-u`: the newest time of each name in the archive.
    known: HashMap<Vec<u8>, Duration>,
    removed: Vec<(Vec<u8>, bool)>,
    /// Of the name under way: whether what is below it is taken, and how many exclusions stand before it.
    recurses: bool,
    excludes: usize,
}

/// A directory under way.
struct Level {
    path: Vec<u8>,
    name: Vec<u8>,
    entries: crate::memory::IntoIter<DirEntry>,
}

/// `-c`
pub(super) async fn create(ctx: &mut Context, settings: &TarOptions, faults: &mut Faults) -> Result<()> {
    let writer = open_for_writing(ctx, settings)?;
    add_all(ctx, settings, writer, HashMap::new(), faults).await
}

/// `-r` and `-u`
pub(super) async fn append(ctx: &mut Context, settings: &TarOptions, faults: &mut Faults) -> Result<()> {
    let mut known = HashMap::new();
    let mut end = 0;
    if ctx.stat(&settings.archive_path).is_ok_and(|data| data.size > 0) {
        let mut reader = open_for_reading(ctx, settings).await?;
        if super::settings::is_filtered(reader.program) {
            return super::error::fatal("Cannot update compressed archives");
        }
        while let Some(member) = reader.next(ctx).await? {
            if settings.operation == Operation::Update {
                let name = trim_slashes(&member.name).to_metered();
                let newest = known.get(&name).map_or(member.time, |time: &Duration| member.time.max(*time));
                known.insert(name, newest);
            }
        }
        end = reader.start;
    }
    let options =
        OpenOptions { write: true, create: true, mode: 0o666 & !ctx.umask, ..OpenOptions::default() };
    let description = ctx
        .open_description(&settings.archive_path, &options)
        .map_err(|error| cannot_open(&settings.archive, error))?;
    description.seek(end);
    if let Some(file) = description.file() {
        file.set_len(end)?;
    }
    let output = Some(Output::new(Some(description)));
    let mut writer =
        Writer::new(output, Encoder::Plain, settings.format, settings.record, !settings.numeric_owner);
    writer.tells_times = !settings.drops_times;
    writer.base = end;
    add_all(ctx, settings, writer, known, faults).await
}

async fn add_all(
    ctx: &mut Context,
    settings: &TarOptions,
    writer: Writer,
    known: HashMap<Vec<u8>, Duration>,
    faults: &mut Faults,
) -> Result<()> {
    let archive = if settings.archive.as_bytes() == b"-" {
        ctx.stdout.description().and_then(|description| description.metadata())
    } else {
        ctx.stat(&settings.archive_path).ok()
    };
    let mut creator = Creator {
        settings,
        writer,
        lister: Lister::new(ctx, settings),
        prefixes: Prefixes::default(),
        links: HashMap::new(),
        archive: archive.filter(Metadata::is_regular).map(|data| data.inode),
        known,
        removed: Vec::new(),
        recurses: true,
        excludes: 0,
    };
    for selector in &settings.names {
        let path = in_directory(selector.directory.as_ref(), selector.text());
        creator.recurses = selector.recurses;
        creator.excludes = selector.excludes;
        creator.tree(ctx, &path, selector.text(), faults).await?;
    }
    creator.writer.finish(ctx).await?;
    // What went into the archive goes, the deepest first.
    while let Some((path, is_directory)) = creator.removed.pop() {
        ctx.tick().await?;
        let absolute = ctx.absolute(&path);
        let removed =
            if is_directory { ctx.fs().remove_dir(&absolute) } else { ctx.fs().remove_file(&absolute) };
        if let Err(error) = removed {
            faults.cannot(ctx, &path, if is_directory { "rmdir" } else { "unlink" }, error)?;
        }
    }
    if settings.totals {
        tell_total(ctx, "written", creator.writer.written);
    }
    Ok(())
}

/// What `--totals` prints. No time passes that a rate could be told of.
pub(super) fn tell_total(ctx: &mut Context, what: &str, bytes: u64) {
    let size = human_size(bytes, 1024);
    let unit = if bytes < 1024 { "B" } else { "iB" };
    ctx.stderr.push(format!("Total bytes {what}: {bytes} ({size}{unit}, ?/s)\n").as_bytes());
    ctx.stderr.flush_now();
}

impl Creator<'_> {
    /// A name and everything below it.
    async fn tree(&mut self, ctx: &mut Context, path: &[u8], name: &[u8], faults: &mut Faults) -> Result<()> {
        let mut levels: Vec<Level> = Vec::new();
        let top = self.entry(ctx, path, name, None, faults).await?;
        let device = top.as_ref().map(Metadata::file_system);
        if let Some(data) = top
            && data.is_directory()
            && self.recurses
        {
            self.enter(ctx, path.to_metered(), name.to_metered(), &mut levels, faults)?;
        }
        while let Some(level) = levels.last_mut() {
            ctx.tick().await?;
            let Some(entry) = level.entries.next() else {
                levels.pop();
                continue;
            };
            let (path, name) = (join(&level.path, &entry.name), join(&level.name, &entry.name));
            if let Some(data) = self.entry(ctx, &path, &name, device, faults).await?
                && data.is_directory()
            {
                self.enter(ctx, path, name, &mut levels, faults)?;
            }
        }
        Ok(())
    }

    fn enter(
        &self,
        ctx: &mut Context,
        path: Vec<u8>,
        name: Vec<u8>,
        levels: &mut Vec<Level>,
        faults: &mut Faults,
    ) -> Result<()> {
        let entries = source::entries(ctx, self.settings, &path, &name, faults)?.into_iter();
        levels.push(Level { path, name, entries });
        Ok(())
    }

    /// One file. Its metadata, where it is in the archive or is a directory to be entered.
    async fn entry(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        name: &[u8],
        device: Option<u64>,
        faults: &mut Faults,
    ) -> Result<Option<Metadata>> {
        let settings = self.settings;
        let excludes = settings.excludes.get(..self.excludes).unwrap_or(&[]);
        if is_excluded(ctx, excludes, name).await? {
            return Ok(None);
        }
        let stored = self.stored_name(ctx, name, Target::Member).await?;
        let looked = if settings.dereference { ctx.stat(path) } else { ctx.lstat(path) };
        let metadata = match looked {
            Ok(metadata) => metadata,
            Err(error) if settings.ignore_failed_read && error.errno().is_some() => {
                let words = error.errno().map_or("", Errno::message);
                ctx.warn(format_args!("{}: Warning: Cannot stat: {words}", shown_name(name)));
                return Ok(None);
            }
            Err(error) => {
                faults.cannot(ctx, name, "stat", error)?;
                return Ok(None);
            }
        };
        if settings.one_file_system && device.is_some_and(|device| device != metadata.file_system()) {
            let shown = shown_name(name);
            ctx.warn(format_args!("{shown}: file is on a different filesystem; not dumped"));
            return Ok(None);
        }
        if self.archive == Some(metadata.inode) {
            ctx.warn(format_args!("{}: file is the archive; not dumped", shown_name(name)));
            return Ok(None);
        }
        let is_directory = metadata.is_directory();
        if let Some((time, either)) = settings.newer
            && !is_directory
            && metadata.modified < time
            && (!either || metadata.changed < time)
        {
            return Ok(None);
        }
        if let Some(time) = self.known.get(trim_slashes(&stored))
            && metadata.modified.as_secs() <= time.as_secs()
        {
            return Ok(Some(metadata));
        }
        let mut link: Vec<u8> = Vec::new();
        if metadata.is_symlink() {
            link = match ctx.path(path).and_then(|path| ctx.fs().read_link(&path)) {
                Ok(link) => transform(ctx, &settings.transforms, Target::Symlink, &link).await?,
                Err(error) => {
                    faults.cannot(ctx, name, "readlink", error)?;
                    return Ok(None);
                }
            };
        }
        let mut member = source::member(ctx, settings, &stored, &metadata, &link);
        let may_be_linked = matches!(member.kind, Kind::Regular | Kind::Symlink);
        if metadata.links > 1 && may_be_linked && !settings.hard_dereference {
            if let Some(first) = self.links.get(&metadata.inode) {
                let first = first.clone();
                member.link = self.stored_name(ctx, &first, Target::HardLink).await?;
                member.kind = Kind::HardLink;
                member.size = 0;
            } else {
                // What would have to be left out of the link's target is told now.
                self.stored_name(ctx, name, Target::HardLink).await?;
                self.links.insert(metadata.inode, name.to_metered());
            }
        }
        if settings.format == Format::V7 && matches!(member.kind, Kind::Fifo | Kind::CharDevice) {
            faults.report(ctx, format_args!("{}: Unknown file type; file ignored", shown_name(name)));
            return Ok(None);
        }
        // A directory that is not told is not entered.
        if !self.dump(ctx, path, name, &member, faults).await? {
            return Ok(None);
        }
        if settings.remove_files {
            self.removed.push((path.to_metered(), is_directory));
        }
        Ok(Some(metadata))
    }

    async fn stored_name(&mut self, ctx: &mut Context, name: &[u8], target: Target) -> Result<Vec<u8>> {
        let is_link = target == Target::HardLink;
        let safe = if self.settings.absolute_names { name } else { self.prefixes.safe(ctx, name, is_link) };
        transform(ctx, &self.settings.transforms, target, safe).await
    }

    /// Writes the member. `false`: it is not in the archive.
    async fn dump(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        name: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<bool> {
        let settings = self.settings;
        if let Some(refusal) = self.writer.refusal(member) {
            faults.report(ctx, format_args!("{}: {refusal}", shown_name(&member.name)));
            return Ok(false);
        }
        if self.writer.cuts_link(member) {
            faults
                .report(ctx, format_args!("{}: link name is too long; not dumped", shown_name(&member.link)));
        }
        let mut input = None;
        if member.kind == Kind::Regular {
            match ctx.open(path) {
                Ok(opened) => input = Some(opened),
                Err(error) if settings.ignore_failed_read && error.errno().is_some() => {
                    let words = error.errno().map_or("", Errno::message);
                    ctx.warn(format_args!("{}: Warning: Cannot open: {words}", shown_name(name)));
                    return Ok(false);
                }
                Err(error) => {
                    faults.cannot(ctx, name, "open", error)?;
                    return Ok(false);
                }
            }
        }
        let mut shown = if settings.show_transformed { member.name.clone() } else { name.to_metered() };
        if member.kind == Kind::Directory && !shown.ends_with(b"/") {
            shown.push(b'/');
        }
        self.lister.show(ctx, settings, settings.verbose, member, &shown, &member.link).await?;
        for what in self.writer.member(ctx, member).await? {
            faults.report(ctx, format_args!("value of {what} out of range for the format"));
        }
        if let Some(input) = input {
            self.data(ctx, input, name, member.size, faults).await?;
        }
        Ok(true)
    }

    async fn data(
        &mut self,
        ctx: &mut Context,
        mut input: Input,
        name: &[u8],
        size: u64,
        faults: &mut Faults,
    ) -> Result<()> {
        let mut left = size;
        while left > 0 {
            let block = match input.fill().await {
                Ok(block) => block,
                Err(error) => {
                    faults.cannot(ctx, name, "read", error)?;
                    &[]
                }
            };
            if block.is_empty() {
                // The file became shorter: its member keeps its length.
                faults.report(
                    ctx,
                    format_args!("{}: File shrank by {left} bytes; padding with zeros", shown_name(name)),
                );
                while left > 0 {
                    let count = left.min(512);
                    self.writer.bytes(ctx, [0; 512].get(..count as usize).unwrap_or(&[])).await?;
                    left -= count;
                }
                break;
            }
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
            self.writer.bytes(ctx, block.get(..count).unwrap_or(block)).await?;
            input.consume(count);
            left -= count as u64;
        }
        self.writer.pad(ctx, size).await?;
        Ok(())
    }
}
