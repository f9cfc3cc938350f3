//! What `gzip` does with an input that is open: compresses, decompresses, tests or lists it.

use super::{Settings, Task, WARNING, name, warn};
use crate::memory::{Box, JoinMetered, String, Vec, format};
use crate::utility::compress::{Decoder, Fault, GzipEncoder, GzipHeader, PIECE, Unpacker};
use crate::utility::context::pace::tick_bytes;
use crate::utility::file::{join, last_component, parent};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::{Metadata, OpenOptions};
use std::time::Duration;

/// What is listed of all files.
#[derive(Debug, Default)]
pub(super) struct Totals {
    files: u64,
    packed: u64,
    plain: u64,
    /// Bytes of the container of the file that was listed last.
    header: u64,
    has_title: bool,
}

/// What was read and written.
#[derive(Debug, Default)]
struct Counts {
    read: u64,
    written: u64,
    /// Bytes of the container.
    header: u64,
    checksum: u32,
    name: Vec<u8>,
    time: u32,
}

/// A share as `gzip` prints it: 100 times `part` of `whole`.
fn ratio(part: i128, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{share:5.1}%")
}

impl Counts {
    fn packed_ratio(&self) -> String {
        let packed = i128::from(self.written) - i128::from(self.header);
        ratio(i128::from(self.read) - packed, self.read)
    }

    fn plain_ratio(&self) -> String {
        let packed = i128::from(self.read) - i128::from(self.header);
        ratio(i128::from(self.written) - packed, self.written)
    }
}

impl Totals {
    async fn add(
        &mut self,
        ctx: &mut Context,
        settings: &Settings,
        counts: &Counts,
        shown: &[u8],
        time: Duration,
    ) -> Result<(), UtilityError> {
        if !self.has_title && !settings.quiet {
            self.has_title = true;
            let title = "         compressed        uncompressed  ratio uncompressed_name\n";
            let more = if settings.verbose { "method  crc     date  time  " } else { "" };
            ctx.stdout.write(&[more.as_bytes(), title.as_bytes()].concat_metered()).await?;
        }
        self.files += 1;
        self.packed += counts.read;
        self.plain += counts.written;
        self.header = counts.header;
        if settings.verbose {
            let zoned = Zone::of(&ctx.env).since_epoch(time);
            let date = zoned.strftime("%b %e %H:%M");
            ctx.stdout.write(format!("defla {:08x} {date} ", counts.checksum).as_bytes()).await?;
        }
        let (packed, plain, share) = (counts.read, counts.written, counts.plain_ratio());
        ctx.stdout.write(format!("{packed:19} {plain:19} {share} ").as_bytes()).await?;
        ctx.stdout.write(&[shown, b"\n"].concat_metered()).await
    }

    /// The last line of a list of several.
    pub(super) async fn print(
        &self,
        ctx: &mut Context,
        settings: &Settings,
        operands: usize,
    ) -> Result<(), UtilityError> {
        if self.files == 0 || operands < 2 {
            return Ok(());
        }
        let blank = if settings.verbose { "                            " } else { "" };
        let packed = i128::from(self.packed) - i128::from(self.header);
        let share = ratio(i128::from(self.plain) - packed, self.plain);
        let line = format!("{blank}{:19} {:19} {share} (totals)\n", self.packed, self.plain);
        ctx.stdout.write(line.as_bytes()).await
    }
}

/// Standard input to standard output.
pub(super) async fn standard_input(
    ctx: &mut Context,
    settings: &Settings,
    input: Input,
    totals: &mut Totals,
) -> Result<ExitStatus, UtilityError> {
    let time = input.description().metadata().map_or(Duration::ZERO, |data| data.modified);
    let mut counts = Counts::default();
    if settings.task == Task::Compress {
        let kept = settings.names != Some(false);
        let header = GzipHeader { name: Vec::new(), time: if kept { seconds(time) } else { 0 } };
        let packed = compress(ctx, settings, input, &header, None, &mut counts).await;
        if let Err(fault) = packed {
            return tell(ctx, b"stdin", fault, settings);
        }
        if settings.verbose {
            say(ctx, format_args!("{}\n", counts.packed_ratio()));
        }
        return Ok(ExitStatus::SUCCESS);
    }
    let status = match decompress(ctx, settings, input, None, &mut counts).await {
        Ok(()) => ExitStatus::SUCCESS,
        Err(fault) => tell(ctx, b"stdin", fault, settings)?,
    };
    if settings.task == Task::List && status.is_success() {
        totals.add(ctx, settings, &counts, b"stdout", time).await?;
    }
    if settings.task == Task::Test && settings.verbose && status != ExitStatus::FAILURE {
        say(ctx, " OK\n");
    }
    Ok(status)
}

/// A file, to standard output or to another file in its place.
pub(super) async fn file(
    ctx: &mut Context,
    settings: &Settings,
    path: &[u8],
    metadata: &Metadata,
    totals: &mut Totals,
) -> Result<ExitStatus, UtilityError> {
    let shown = bstr::BStr::new(path);
    let target = match target_name(ctx, settings, path) {
        Ok(target) => target,
        Err(status) => return Ok(status),
    };
    let input = match ctx.open(path) {
        Ok(input) => input,
        Err(error) => return ctx.report(path, error),
    };
    let mut counts = Counts::default();
    let mut target = target;
    let mut unpacker = None;
    if settings.task == Task::Decompress && !settings.to_stdout && settings.names == Some(true) {
        // The name in the header takes the place of the file's own.
        let mut reader = Unpacker::new(input, Decoder::gzip());
        if let Err(fault) = reader.fill(ctx).await {
            return tell(ctx, path, fault, settings);
        }
        if let Decoder::Gzip(decoder) = &reader.decoder
            && !decoder.header.name.is_empty()
        {
            target = join_in(path, last_component(&decoder.header.name));
        }
        unpacker = Some(reader);
    } else {
        unpacker = unpacker.or(Some(Unpacker::new(input, Decoder::gzip())));
    }
    let Some(reader) = unpacker else { return Ok(ExitStatus::FAILURE) };
    let mut output = None;
    if !settings.to_stdout {
        match create(ctx, settings, &target, metadata)? {
            Ok(made) => output = Some(made),
            Err(status) => return Ok(status),
        }
    }
    let tells_ratio = settings.verbose && settings.task != Task::List;
    if tells_ratio {
        say(ctx, format_args!("{shown}:\t"));
    }
    let done = if settings.task == Task::Compress {
        let input = reader.into_input();
        let kept = settings.names != Some(false);
        let header = GzipHeader {
            name: if kept { Vec::from(last_component(path)) } else { Vec::new() },
            time: if kept { seconds(metadata.modified) } else { 0 },
        };
        compress(ctx, settings, input, &header, output.as_mut(), &mut counts).await
    } else {
        unpack(ctx, settings, reader, output.as_mut(), &mut counts).await
    };
    let status = match done {
        Ok(()) => ExitStatus::SUCCESS,
        Err(fault) => tell(ctx, path, fault, settings)?,
    };
    if status == ExitStatus::FAILURE {
        if output.take().is_some() {
            let _ = ctx.fs().remove_file(&ctx.absolute(&target));
        }
        return Ok(status);
    }
    drop(output);
    if !settings.to_stdout {
        finish_file(ctx, settings, path, &target, metadata, &counts)?;
    }
    if settings.task == Task::List {
        // A fault in what follows the last member is told, and the file is not listed.
        if status.is_success() {
            list(ctx, settings, path, metadata, &counts, totals).await?;
        }
        return Ok(status);
    }
    if tells_ratio {
        tell_ratio(ctx, settings, &target, &counts);
    }
    Ok(status)
}

fn tell_ratio(ctx: &mut Context, settings: &Settings, target: &[u8], counts: &Counts) {
    if settings.task == Task::Test {
        return say(ctx, " OK\n");
    }
    let is_packed = settings.task == Task::Compress;
    let share = if is_packed { counts.packed_ratio() } else { counts.plain_ratio() };
    let what = if settings.keep && !settings.to_stdout { "created" } else { "replaced with" };
    let target = if settings.to_stdout { b"stdout" } else { target };
    say(ctx, format_args!("{share} -- {what} {}\n", bstr::BStr::new(target)));
}

async fn list(
    ctx: &mut Context,
    settings: &Settings,
    path: &[u8],
    metadata: &Metadata,
    counts: &Counts,
    totals: &mut Totals,
) -> Result<(), UtilityError> {
    let uses_header = settings.names == Some(true);
    let has_time = uses_header && counts.time != 0;
    let time = if has_time { Duration::from_secs(counts.time.into()) } else { metadata.modified };
    let shown = if uses_header && !counts.name.is_empty() {
        join_in(path, last_component(&counts.name))
    } else {
        let end = name::suffix(path, &settings.suffix).unwrap_or(&[]);
        name::plain(path, end)
    };
    totals.add(ctx, settings, counts, &shown, time).await
}

/// `name` in the directory of `path`.
fn join_in(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.contains(&b'/') { join(parent(path), name) } else { Vec::from(name) }
}

/// The name of the output, or the status with which the file is left alone.
fn target_name(ctx: &mut Context, settings: &Settings, path: &[u8]) -> Result<Vec<u8>, ExitStatus> {
    if settings.to_stdout {
        return Ok(Vec::new());
    }
    let shown = bstr::BStr::new(path);
    let end = name::suffix(path, &settings.suffix);
    if settings.task == Task::Decompress {
        return match end {
            Some(end) => Ok(name::plain(path, end)),
            None => {
                if settings.recursive {
                    return Err(WARNING);
                }
                Err(warn(ctx, settings, format_args!("{shown}: unknown suffix -- ignored")))
            }
        };
    }
    if let Some(end) = end {
        if settings.verbose || (!settings.recursive && !settings.quiet) {
            ctx.warn(format_args!("{shown} already has {} suffix -- unchanged", bstr::BStr::new(end)));
        }
        return Err(ExitStatus::SUCCESS);
    }
    Ok([path, &settings.suffix].concat_metered())
}

/// The output file; the inner error is the status with which the operand ends.
fn create(
    ctx: &mut Context,
    settings: &Settings,
    target: &[u8],
    metadata: &Metadata,
) -> Result<Result<Output, ExitStatus>, UtilityError> {
    let shown = bstr::BStr::new(target);
    if settings.force {
        let _ = ctx.fs().remove_file(&ctx.absolute(target));
    }
    let options = OpenOptions {
        write: true,
        create: true,
        create_new: true,
        mode: metadata.mode & 0o600 & !ctx.umask,
        ..OpenOptions::default()
    };
    match ctx.open_description(target, &options) {
        Ok(description) => Ok(Ok(Output::new(Some(description)))),
        Err(FsError::Errno(Errno::Exists)) => {
            if !settings.quiet {
                say(ctx, format_args!("gzip: {shown} already exists;\tnot overwritten\n"));
            }
            Ok(Err(WARNING))
        }
        Err(error) => ctx.report(target, error).map(Err),
    }
}

/// The output gets what the input had; the input goes.
fn finish_file(
    ctx: &mut Context,
    settings: &Settings,
    path: &[u8],
    target: &[u8],
    metadata: &Metadata,
    counts: &Counts,
) -> Result<(), UtilityError> {
    let absolute = ctx.absolute(target);
    let has_time = settings.task == Task::Decompress && settings.names == Some(true) && counts.time != 0;
    let time = if has_time { Duration::from_secs(counts.time.into()) } else { metadata.modified };
    let fs = ctx.fs();
    let changed = fs
        .set_times(&absolute, Some(metadata.accessed), Some(time), true)
        .and_then(|()| fs.set_mode(&absolute, metadata.mode & 0o777));
    // A session's user may not give files away; gzip does not say so.
    let _ = fs.set_owner(&absolute, Some(metadata.uid), Some(metadata.gid), true);
    let removed = if settings.keep { Ok(()) } else { fs.remove_file(&ctx.absolute(path)) };
    for done in [changed, removed] {
        if let Err(error) = done {
            ctx.report(path, error)?;
        }
    }
    Ok(())
}

async fn compress(
    ctx: &mut Context,
    settings: &Settings,
    mut input: Input,
    header: &GzipHeader,
    mut output: Option<&mut Output>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut encoder = Box::new(GzipEncoder::new(&ctx.meter, settings.level, header).map_err(Fault::from)?);
    let mut packed: Vec<u8> = Vec::new();
    counts.header = 18 + if header.name.is_empty() { 0 } else { header.name.len() as u64 + 1 };
    loop {
        ctx.check().await.map_err(Fault::from)?;
        let block = input.fill().await.map_err(Fault::from)?;
        let piece = block.get(..PIECE / 2).unwrap_or(block);
        let count = piece.len();
        if count == 0 {
            encoder.finish(&mut packed);
        } else {
            encoder.push(piece, &mut packed);
        }
        input.consume(count);
        counts.read += count as u64;
        counts.written += packed.len() as u64;
        let target = output.as_deref_mut().unwrap_or(&mut ctx.stdout);
        target.write(&packed).await?;
        packed.clear();
        tick_bytes(&ctx.meter, 8 * count).await.map_err(Fault::from)?;
        if count == 0 {
            target_flush(ctx, output).await?;
            return Ok(());
        }
    }
}

async fn target_flush(ctx: &mut Context, output: Option<&mut Output>) -> Result<(), UtilityError> {
    output.unwrap_or(&mut ctx.stdout).flush().await
}

async fn decompress(
    ctx: &mut Context,
    settings: &Settings,
    input: Input,
    output: Option<&mut Output>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let reader = Unpacker::new(input, Decoder::gzip());
    unpack(ctx, settings, reader, output, counts).await
}

async fn unpack(
    ctx: &mut Context,
    settings: &Settings,
    mut reader: Unpacker,
    mut output: Option<&mut Output>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let writes = settings.task == Task::Decompress;
    let ended = loop {
        let piece = match reader.fill(ctx).await {
            Ok([]) => break Ok(()),
            Ok(piece) => piece,
            // What is not compressed passes through `gzip -cdf` as it is.
            Err(Fault::NotInFormat) if settings.force && settings.to_stdout && writes => {
                reader.pass_through();
                continue;
            }
            Err(fault) => break Err(fault),
        };
        let count = piece.len();
        if writes {
            output.as_deref_mut().unwrap_or(&mut ctx.stdout).write(piece).await?;
        }
        reader.consume(count);
    };
    target_flush(ctx, output).await?;
    counts.read = reader.read;
    if let Decoder::Gzip(decoder) = &mut reader.decoder {
        counts.written = decoder.made;
        counts.header = decoder.header_length;
        counts.checksum = decoder.stored_checksum;
        counts.time = decoder.header.time;
        counts.name = std::mem::take(&mut decoder.header.name);
    }
    ended.map_err(Failure::from)
}

/// Why a file is not done.
enum Failure {
    Fault(Fault),
    End(UtilityError),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<UtilityError> for Failure {
    fn from(error: UtilityError) -> Self {
        Self::End(error)
    }
}

/// Says what is wrong with an input, on a line of its own.
fn tell(
    ctx: &mut Context,
    path: &[u8],
    failure: impl Into<Failure>,
    settings: &Settings,
) -> Result<ExitStatus, UtilityError> {
    let fault = match failure.into() {
        Failure::Fault(fault) => fault,
        Failure::End(error) => return Err(error),
    };
    let shown = bstr::BStr::new(path);
    let blank = if matches!(fault, Fault::Read(_)) { "" } else { "\n" };
    let words = match fault {
        Fault::NotInFormat => "not in gzip format".into(),
        Fault::UnexpectedEnd => "unexpected end of file".into(),
        Fault::Checksum => "invalid compressed data--crc error".into(),
        Fault::Length => "invalid compressed data--length error".into(),
        Fault::ChecksumAndLength => format!(
            "invalid compressed data--crc error\n\ngzip: {shown}: invalid compressed data--length error"
        ),
        Fault::HeaderChecksum { stored, computed } => {
            let text = format!("header checksum {stored:#06x} != computed checksum {computed:#06x}");
            say(ctx, format_args!("gzip: {shown}: {text}\n"));
            return Ok(ExitStatus::FAILURE);
        }
        Fault::Corrupt => "invalid compressed data--format violated".into(),
        Fault::NotSupported(what) => format!("{what} is not supported"),
        Fault::TrailingGarbage => {
            if !settings.quiet {
                say(ctx, format_args!("\ngzip: {shown}: decompression OK, trailing garbage ignored\n"));
            }
            return Ok(WARNING);
        }
        Fault::Read(errno) => errno.message().into(),
        Fault::Limit(limit) => return Err(limit.into()),
    };
    say(ctx, format_args!("{blank}gzip: {shown}: {words}\n"));
    Ok(ExitStatus::FAILURE)
}

/// Standard error, without the name.
fn say(ctx: &mut Context, text: impl std::fmt::Display) {
    ctx.stderr.push(format!("{text}").as_bytes());
    ctx.stderr.flush_now();
}

/// The time as headers have it.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(0)
}
