//! Writes an archive: beside the one that it replaces, or to standard output, where nothing can be changed afterwards and sizes follow
//! the data.

use super::arguments::ZipOptions;
use super::gather::Found;
use super::{Failure, error, say, warn};
use crate::memory::{Box, ToMetered, Vec, format};
use crate::utility::compress::zip::{
    self, Archive, DosTime, Entry, EntryReader, Method, Missing, SIZES_FOLLOW,
};
use crate::utility::compress::{Bzip2Encoder, Crc32, Deflater, PIECE};
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::parent;
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use std::time::Duration;

/// Version 3.0 of the program, on a host with modes.
const MADE_BY: u16 = 0x031e;

/// See the module.
pub(super) struct Writer {
    /// `None`: standard output.
    output: Option<Output>,
    /// Where the archive is made.
    temporary: Vec<u8>,
    entries: Vec<Entry>,
    at: u64,
    /// Bytes of all entries before they were packed and after.
    plain: u64,
    packed: u64,
    mode: Option<u32>,
    zone: Zone,
}

enum Packer {
    Stored,
    Deflated(Deflater),
    Bzip2(Box<Bzip2Encoder>),
}

impl Packer {
    fn new(ctx: &Context, method: Method, level: u8) -> Result<Self, Failure> {
        Ok(match method {
            Method::Deflated => Self::Deflated(Deflater::new(&ctx.meter, level.into())?),
            Method::Bzip2 => Self::Bzip2(Box::new(Bzip2Encoder::new(level))),
            _ => Self::Stored,
        })
    }

    async fn push(&mut self, ctx: &Context, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            Self::Stored => out.extend_from_slice(piece),
            Self::Deflated(deflater) => deflater.push(piece, out),
            Self::Bzip2(encoder) => encoder.push(&ctx.meter, piece, out).await?,
        }
        tick_bytes(&ctx.meter, 8 * piece.len()).await?;
        Ok(())
    }

    async fn finish(&mut self, ctx: &Context, out: &mut Vec<u8>) -> Result<(), Failure> {
        match self {
            Self::Stored => {}
            Self::Deflated(deflater) => deflater.finish(out),
            Self::Bzip2(encoder) => encoder.finish(&ctx.meter, out).await?,
        }
        Ok(())
    }
}

impl Writer {
    pub(super) fn new(ctx: &Context, settings: &ZipOptions, old: Option<&Archive>) -> Result<Self, Failure> {
        let mut writer = Self {
            output: None,
            temporary: Vec::new(),
            entries: Vec::new(),
            at: 0,
            plain: 0,
            packed: 0,
            mode: None,
            zone: Zone::of(&ctx.env),
        };
        if settings.to_stdout() {
            return Ok(writer);
        }
        let directory = match &settings.temporary {
            Some(path) => path.as_bytes(),
            None => parent(&settings.archive),
        };
        if let Some(old) = old {
            writer.mode = old.input.description().metadata().map(|data| data.mode & 0o7777);
        }
        let options = OpenOptions {
            write: true,
            create: true,
            create_new: true,
            mode: 0o666 & !ctx.umask,
            ..OpenOptions::default()
        };
        // Another run may have left a file of that name.
        for number in 0..100 {
            let name = format!("zi{:06}", (ctx.process as usize + number) % 1_000_000);
            let path = crate::utility::file::join(directory, name.as_bytes());
            match ctx.open_description(&path, &options) {
                Ok(description) => {
                    writer.output = Some(Output::new(Some(description)));
                    writer.temporary = path;
                    return Ok(writer);
                }
                Err(FsError::Errno(Errno::Exists)) => {}
                Err(FsError::Errno(errno)) => {
                    let shown = &settings.archive;
                    return Err(error(
                        15,
                        format_args!("Could not create output file ({shown}): {}", errno.message()),
                    ));
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            }
        }
        Err(error(15, format_args!("Could not create output file ({})", settings.archive)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    async fn bytes(&mut self, ctx: &mut Context, bytes: &[u8]) -> Result<(), Failure> {
        self.output.as_mut().unwrap_or(&mut ctx.stdout).write(bytes).await?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Goes to another place of the file.
    async fn seek(&mut self, at: u64) -> Result<(), Failure> {
        if let Some(output) = &mut self.output {
            output.flush().await?;
            if let Some(description) = output.description() {
                description.seek(at);
            }
        }
        self.at = at;
        Ok(())
    }

    /// Copies an entry of the old archive.
    pub(super) async fn copy(
        &mut self,
        ctx: &mut Context,
        old: &mut Archive,
        mut entry: Entry,
    ) -> Result<(), Failure> {
        let place = old.before.saturating_add(entry.offset);
        let header = part(ctx, old, place, zip::LOCAL).await?;
        let lengths = [26, 28].map(|at| {
            header.get(at..at + 2).and_then(<[u8]>::first_chunk).map_or(0, |two| u16::from_le_bytes(*two))
        });
        let [name, extra] = lengths.map(u64::from);
        let extra_at = place.saturating_add(zip::LOCAL as u64 + name);
        entry.local_extra = part(ctx, old, extra_at, extra as usize).await?;
        entry.flags &= !SIZES_FOLLOW;
        entry.offset = self.at;
        let header = entry.local_header();
        self.bytes(ctx, &header).await?;
        let mut at = extra_at.saturating_add(extra);
        let mut left = entry.packed;
        while left > 0 {
            let count = left.min(PIECE as u64);
            let piece = part(ctx, old, at, count as usize).await?;
            if piece.is_empty() {
                return Err(error(3, "Zip file structure invalid (missing data)"));
            }
            self.bytes(ctx, &piece).await?;
            at += piece.len() as u64;
            left -= piece.len() as u64;
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Adds a file. `false`: it could not be read, which was told.
    pub(super) async fn file(
        &mut self,
        ctx: &mut Context,
        settings: &ZipOptions,
        file: &Found,
        verb: &str,
    ) -> Result<bool, Failure> {
        let mut entry = self.entry(settings, file);
        let shown = Text::from(file.name.as_slice());
        let mut source = match Source::open(ctx, file) {
            Ok(source) => source,
            Err(FsError::Errno(errno)) => {
                warn(ctx, settings, format_args!("could not open for reading: {shown}: {}", errno.message()));
                return Ok(false);
            }
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        };
        say(ctx, settings, &format!("{verb}: {shown}")).await?;
        let is_plain = settings.level == 0
            || file.is_directory
            || file.is_symlink
            || file.metadata.as_ref().is_some_and(|data| data.size == 0)
            || settings.stored_suffixes.iter().any(|suffix| file.name.ends_with(suffix));
        let method = if is_plain { Method::Stored } else { settings.method };
        let start = self.at;
        let mut method = method;
        loop {
            self.pack(ctx, settings, &mut entry, &mut source, method).await?;
            // What does not shrink is stored, if it can be read again.
            let is_worse = method != Method::Stored && entry.packed >= entry.size;
            let can_go_back = self.output.is_some() && file.path.is_some();
            if !is_worse || !can_go_back {
                break;
            }
            method = Method::Stored;
            self.seek(start).await?;
            source = Source::open(ctx, file)?;
        }
        if self.output.is_some() {
            let end = self.at;
            self.seek(start).await?;
            let header = entry.local_header();
            self.bytes(ctx, &header).await?;
            self.seek(end).await?;
            if let Some(file) = self.output.as_ref().and_then(Output::description).and_then(|one| one.file())
            {
                file.set_len(end)?;
            }
        } else if entry.flags & SIZES_FOLLOW != 0 {
            let trailer = entry.trailer();
            self.bytes(ctx, &trailer).await?;
        }
        self.plain += entry.size;
        self.packed += entry.packed;
        let share = percent(entry.size, entry.packed);
        let word = match entry.method() {
            Method::Deflated => "deflated",
            Method::Bzip2 => "bzipped",
            _ => "stored",
        };
        let sizes = if settings.is_verbose {
            format!("\t(in={}) (out={})", entry.size, entry.packed)
        } else {
            crate::memory::String::new()
        };
        say(ctx, settings, &format!("{sizes} ({word} {share}%)\n")).await?;
        self.entries.push(entry);
        Ok(true)
    }

    /// What is known of a file before it is read.
    fn entry(&self, settings: &ZipOptions, file: &Found) -> Entry {
        let metadata = file.metadata.as_ref();
        let mode = metadata.map_or(0o010_600, |data| {
            let kind = match (file.is_directory, file.is_symlink) {
                (true, _) => 0o040_000,
                (_, true) => 0o120_000,
                _ => 0o100_000,
            };
            kind | data.mode & 0o7777
        });
        let dos = if file.is_directory { 0x10 } else { 0 };
        let mut entry = Entry {
            name: file.name.clone(),
            made_by: MADE_BY,
            dos_time: DosTime::of(file.time, &self.zone),
            external: mode << 16 | dos,
            offset: self.at,
            ..Entry::default()
        };
        if let Some(data) = metadata.filter(|_| !settings.no_extra) {
            entry.put_fields(data.modified, data.accessed, (data.uid, data.gid));
        }
        entry
    }

    /// Writes header and data, by which the entry is completed.
    async fn pack(
        &mut self,
        ctx: &mut Context,
        settings: &ZipOptions,
        entry: &mut Entry,
        source: &mut Source,
        method: Method,
    ) -> Result<(), Failure> {
        entry.method = method.number();
        entry.needs = method.version();
        entry.flags = match (method, settings.level) {
            (Method::Deflated, 1 | 2) => 4,
            (Method::Deflated, 8 | 9) => 2,
            _ => 0,
        };
        if self.output.is_none() && !source.is_known() {
            entry.flags |= SIZES_FOLLOW;
        }
        (entry.crc, entry.size, entry.packed) = (0, 0, 0);
        if self.output.is_none() && entry.flags & SIZES_FOLLOW == 0 {
            // Nothing can be changed later: what is known goes out first.
            let known = source.known().to_metered();
            entry.crc = Crc32::of(&known);
            (entry.size, entry.packed) = (known.len() as u64, known.len() as u64);
        }
        let header = entry.local_header();
        self.bytes(ctx, &header).await?;
        let mut packer = Packer::new(ctx, method, settings.level)?;
        let (mut crc, mut size, mut packed) = (Crc32::default(), 0u64, 0u64);
        let mut is_text = true;
        let mut out: Vec<u8> = Vec::new();
        loop {
            ctx.check().await?;
            let piece = source.fill().await?;
            let piece = piece.get(..PIECE / 2).unwrap_or(piece);
            let count = piece.len();
            if count == 0 {
                packer.finish(ctx, &mut out).await?;
            } else {
                is_text = is_text && !piece.iter().any(|byte| matches!(byte, 0..7 | 14..26 | 28..32));
                crc.update(piece);
                size += count as u64;
                packer.push(ctx, piece, &mut out).await?;
            }
            source.consume(count);
            packed += out.len() as u64;
            self.bytes(ctx, &out).await?;
            out.clear();
            if count == 0 {
                break;
            }
        }
        entry.crc = crc.value();
        (entry.size, entry.packed) = (size, packed);
        // Whether it is a text shows when it is deflated.
        entry.internal |= u16::from(method == Method::Deflated && is_text && size > 0);
        Ok(())
    }

    /// Writes the directory, and puts the archive into its place.
    pub(super) async fn finish(
        &mut self,
        ctx: &mut Context,
        settings: &ZipOptions,
        comment: &[u8],
    ) -> Result<(), Failure> {
        let directory = self.at;
        let mut newest = Duration::ZERO;
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            let mut bytes: Vec<u8> = Vec::new();
            entry.put(&mut bytes);
            if !entry.is_directory() {
                newest = newest.max(entry.time(&self.zone));
            }
            self.bytes(ctx, &bytes).await?;
            ctx.tick().await?;
        }
        let end = zip::end(entries.len() as u64, self.at - directory, directory, comment);
        self.bytes(ctx, &end).await?;
        if settings.is_verbose {
            let share = percent(self.plain, self.packed);
            let (plain, packed) = (self.plain, self.packed);
            let text = format!("total bytes={plain}, compressed={packed} -> {share}% savings\n");
            say(ctx, settings, &text).await?;
        }
        let Some(mut output) = self.output.take() else { return Ok(ctx.stdout.flush().await?) };
        output.flush().await?;
        drop(output);
        let (from, to) = (ctx.absolute(&self.temporary), ctx.absolute(&settings.archive));
        ctx.fs().rename(&from, &to)?;
        if let Some(mode) = self.mode {
            ctx.fs().set_mode(&to, mode)?;
        }
        if settings.latest_time {
            ctx.fs().set_times(&to, Some(newest), Some(newest), true)?;
        }
        Ok(())
    }
}

/// By how much data shrank, in percent.
fn percent(plain: u64, packed: u64) -> u64 {
    if plain <= packed {
        0
    } else {
        (200 * u128::from(plain - packed) / u128::from(plain)).div_ceil(2) as u64
    }
}

/// Bytes of the old archive.
async fn part(ctx: &mut Context, old: &mut Archive, place: u64, count: usize) -> Result<Vec<u8>, Failure> {
    match zip::read_at(ctx, &mut old.input, place, count).await {
        Ok(bytes) => Ok(bytes),
        Err(Missing::Stop(error)) => Err(error.into()),
        Err(_) => Err(error(3, "Zip file structure invalid (missing data)")),
    }
}

/// Whether all entries of an archive can be read.
pub(super) async fn is_sound(ctx: &mut Context, path: &[u8]) -> Result<bool, Failure> {
    let mut archive = match Archive::open(ctx, path).await {
        Ok(archive) => archive,
        Err(Missing::Stop(error)) => return Err(error.into()),
        Err(_) => return Ok(false),
    };
    for entry in std::mem::take(&mut archive.entries) {
        let mut reader = match EntryReader::open(ctx, &mut archive, &entry).await {
            Ok(Some(reader)) => reader,
            Err(Missing::Stop(error)) => return Err(error.into()),
            Ok(None) | Err(_) => return Ok(false),
        };
        loop {
            match reader.next(ctx, &mut archive).await {
                Ok([]) => break,
                Ok(_) => {}
                Err(crate::utility::compress::Fault::Limit(limit)) => return Err(limit.into()),
                Err(_) => return Ok(false),
            }
        }
        if reader.crc() != entry.crc || reader.made != entry.size {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What goes into an entry.
enum Source {
    /// The target of a link, or nothing; how much of it was taken.
    Known(Vec<u8>, usize),
    File(Input),
}

impl Source {
    fn open(ctx: &mut Context, file: &Found) -> Result<Self, FsError> {
        let Some(path) = &file.path else { return Ok(Self::File(ctx.standard_input())) };
        if file.is_directory {
            return Ok(Self::Known(Vec::new(), 0));
        }
        if file.is_symlink {
            let path = ctx.path(path)?;
            return Ok(Self::Known(ctx.fs().read_link(&path)?.to_metered(), 0));
        }
        ctx.open(path).map(Self::File)
    }

    const fn is_known(&self) -> bool {
        matches!(self, Self::Known(..))
    }

    fn known(&self) -> &[u8] {
        match self {
            Self::Known(bytes, _) => bytes,
            Self::File(_) => &[],
        }
    }

    async fn fill(&mut self) -> Result<&[u8], FsError> {
        match self {
            Self::Known(bytes, used) => Ok(bytes.get(*used..).unwrap_or(&[])),
            Self::File(input) => input.fill().await,
        }
    }

    fn consume(&mut self, count: usize) {
        match self {
            Self::Known(_, used) => *used += count,
            Self::File(input) => input.consume(count),
        }
    }
}
