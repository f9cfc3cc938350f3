//! What `gzip` does with an input that is open, and what it says of it.

use super::{Gzip, GzipOptions, WARNING, name, warn};
use crate::limit::LimitError;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::compress::operand::{Done, Mode, Obstacle, Packer, Task, say};
use crate::utility::compress::{Decoder, Encoder, Fault, GzipHeader};
use crate::utility::file::{join, last_component, parent};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::Metadata;
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
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    read: u64,
    written: u64,
    /// Bytes of the container.
    header: u64,
    checksum: u32,
}

/// A share as `gzip` prints it: 100 times `part` of `whole`.
fn ratio(part: i128, whole: u64) -> String {
    let share = if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 };
    format!("{share:5.1}%")
}

impl Counts {
    fn packed_ratio(self) -> String {
        let packed = i128::from(self.written) - i128::from(self.header);
        ratio(i128::from(self.read) - packed, self.read)
    }

    fn plain_ratio(self) -> String {
        let packed = i128::from(self.read) - i128::from(self.header);
        ratio(i128::from(self.written) - packed, self.written)
    }
}

impl Totals {
    fn add(
        &mut self,
        ctx: &mut Context,
        settings: &GzipOptions,
        counts: Counts,
        shown: &[u8],
        time: Duration,
    ) {
        if !self.has_title && !settings.quiet {
            self.has_title = true;
            let title = "         compressed        uncompressed  ratio uncompressed_name\n";
            let more = if settings.verbose { "method  crc     date  time  " } else { "" };
            ctx.stdout.push(&[more.as_bytes(), title.as_bytes()].concat_metered());
        }
        self.files += 1;
        self.packed += counts.read;
        self.plain += counts.written;
        self.header = counts.header;
        if settings.verbose {
            let zoned = Zone::of(&ctx.env).since_epoch(time);
            let date = zoned.strftime("%b %e %H:%M");
            ctx.stdout.push(format!("defla {:08x} {date} ", counts.checksum).as_bytes());
        }
        let (packed, plain, share) = (counts.read, counts.written, counts.plain_ratio());
        ctx.stdout.push(format!("{packed:19} {plain:19} {share} ").as_bytes());
        ctx.stdout.push(&[shown, b"\n"].concat_metered());
    }

    /// The last line of a list of several.
    pub(super) async fn print(
        &self,
        ctx: &mut Context,
        settings: &GzipOptions,
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

impl Packer for Gzip {
    fn mode(&self) -> Mode {
        let settings = &self.settings;
        let unpacks = settings.mode.task == Task::Decompress;
        Mode {
            looks_first: unpacks && !settings.mode.to_stdout && settings.names == Some(true),
            passes_through: settings.mode.force && settings.mode.to_stdout && unpacks,
            ..settings.mode
        }
    }

    fn target(&mut self, ctx: &mut Context, path: &[u8], _: &Metadata) -> Result<Vec<u8>, ExitStatus> {
        let settings = &self.settings;
        let shown = bstr::BStr::new(path);
        let end = name::suffix(path, &settings.suffix);
        if settings.mode.task == Task::Decompress {
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

    /// The name in the header takes the place of the file's own.
    fn told_target(&self, path: &[u8], decoder: &Decoder) -> Option<Vec<u8>> {
        let header = header_of(decoder).filter(|header| !header.name.is_empty())?;
        Some(join_in(path, last_component(&header.name)))
    }

    fn told_time(&self, decoder: &Decoder) -> Option<Duration> {
        let told = self.settings.names == Some(true);
        let header = header_of(decoder).filter(|header| told && header.time != 0)?;
        Some(Duration::from_secs(header.time.into()))
    }

    fn decoder(&self) -> Decoder {
        Decoder::gzip()
    }

    fn encoder(
        &self,
        ctx: &Context,
        path: Option<&[u8]>,
        metadata: Option<&Metadata>,
    ) -> Result<Encoder, LimitError> {
        let mut header = GzipHeader::default();
        if self.settings.names != Some(false) {
            header.name = path.map(|path| Vec::from(last_component(path))).unwrap_or_default();
            header.time = metadata.map_or(0, |data| seconds(data.modified));
        }
        Encoder::gzip_with(&ctx.meter, self.settings.level, &header)
    }

    fn begin(&mut self, ctx: &mut Context, path: &[u8]) {
        if self.settings.verbose && self.settings.mode.task != Task::List {
            say(ctx, format_args!("{}:\t", bstr::BStr::new(path)));
        }
    }

    fn refuse(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        target: &[u8],
        obstacle: Obstacle,
    ) -> Result<ExitStatus, UtilityError> {
        match obstacle {
            Obstacle::CannotOpen(errno) | Obstacle::CannotFinish(errno) => ctx.report(path, errno.into()),
            Obstacle::CannotCreate(errno) => ctx.report(target, errno.into()),
            Obstacle::Exists => {
                if !self.settings.quiet {
                    let shown = bstr::BStr::new(target);
                    say(ctx, format_args!("gzip: {shown} already exists;\tnot overwritten\n"));
                }
                Ok(WARNING)
            }
        }
    }

    /// Says what is wrong with an input, on a line of its own.
    fn tell(
        &mut self,
        ctx: &mut Context,
        path: Option<&[u8]>,
        fault: Fault,
    ) -> Result<ExitStatus, UtilityError> {
        let shown = bstr::BStr::new(path.unwrap_or(b"stdin"));
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
            Fault::Corrupt | Fault::WindowTooLarge(_) => "invalid compressed data--format violated".into(),
            Fault::NotSupported(what) => format!("{what} is not supported"),
            Fault::TrailingGarbage => {
                if !self.settings.quiet {
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

    fn is_failure(&self, status: ExitStatus) -> bool {
        status == ExitStatus::FAILURE
    }

    fn done(&mut self, ctx: &mut Context, done: &Done) -> Result<(), UtilityError> {
        let settings = &self.settings;
        if settings.mode.task == Task::List {
            // A fault in what follows the last member is told, and the file is not listed.
            if done.status.is_success() {
                self.list(ctx, done);
            }
            return Ok(());
        }
        if !settings.verbose || self.is_failure(done.status) {
            return Ok(());
        }
        if settings.mode.task == Task::Test {
            say(ctx, " OK\n");
            return Ok(());
        }
        let counts = counts_of(settings, done);
        let is_packed = settings.mode.task == Task::Compress;
        let share = if is_packed { counts.packed_ratio() } else { counts.plain_ratio() };
        if done.file.is_none() {
            // What came from standard input is told of when it was packed.
            if is_packed {
                say(ctx, format_args!("{share}\n"));
            }
            return Ok(());
        }
        let to_stdout = settings.mode.to_stdout;
        let what = if settings.mode.keep && !to_stdout { "created" } else { "replaced with" };
        let target = if to_stdout { b"stdout" } else { done.target };
        say(ctx, format_args!("{share} -- {what} {}\n", bstr::BStr::new(target)));
        Ok(())
    }
}

impl Gzip {
    fn list(&mut self, ctx: &mut Context, done: &Done) {
        let settings = &self.settings;
        let counts = counts_of(settings, done);
        let Some((path, metadata)) = done.file else {
            let time =
                ctx.standard_input().description().metadata().map_or(Duration::ZERO, |data| data.modified);
            return self.totals.add(ctx, settings, counts, b"stdout", time);
        };
        let header = done.decoder.and_then(header_of).filter(|_| settings.names == Some(true));
        let told = header.map_or(0, |header| header.time);
        let time = if told != 0 { Duration::from_secs(told.into()) } else { metadata.modified };
        let shown = match header {
            Some(header) if !header.name.is_empty() => join_in(path, last_component(&header.name)),
            _ => {
                let end = name::suffix(path, &settings.suffix).unwrap_or(&[]);
                name::plain(path, end)
            }
        };
        self.totals.add(ctx, settings, counts, &shown, time);
    }
}

fn header_of(decoder: &Decoder) -> Option<&GzipHeader> {
    match decoder {
        Decoder::Gzip(decoder) => Some(&decoder.header),
        _ => None,
    }
}

fn counts_of(settings: &GzipOptions, done: &Done) -> Counts {
    let mut counts = Counts { read: done.read, written: done.written, ..Counts::default() };
    if let Some(Decoder::Gzip(decoder)) = done.decoder {
        counts.written = decoder.made;
        counts.header = decoder.header_length;
        counts.checksum = decoder.stored_checksum;
    } else {
        let name = done.file.filter(|_| settings.names != Some(false)).map(|(path, _)| last_component(path));
        counts.header = 18 + name.map_or(0, |name| name.len() as u64 + 1);
    }
    counts
}

/// `name` in the directory of `path`.
fn join_in(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.contains(&b'/') { join(parent(path), name) } else { Vec::from(name) }
}

/// The time as headers have it.
fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(0)
}
