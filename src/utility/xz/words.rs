//! What `xz` says of files, and the names that it gives them.

use super::settings::mebibytes;
use super::{WARNING, Xz, XzFormat};
use crate::limit::LimitError;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::compress::operand::{Done, Mode, Obstacle, Packer, Task, say};
use crate::utility::compress::{Decoder, Encoder, Fault, Format, ReadOptions};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// The suffixes of compressed files, and what is in their place afterwards.
const SUFFIXES: [(&[u8], &[u8]); 4] =
    [(b".xz", b""), (b".txz", b".tar"), (b".lzma", b""), (b".tlz", b".tar")];

/// The name without the suffix, where one is left.
fn stem<'n>(name: &'n [u8], suffix: &[u8]) -> Option<&'n [u8]> {
    name.strip_suffix(suffix).filter(|stem| !stem.is_empty() && !stem.ends_with(b"/"))
}

/// A size as it is told: bytes up to four digits, and larger units from there.
pub(super) fn size(bytes: u64) -> String {
    if bytes < 10_000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        value /= 1024.0;
        unit = next;
        if value <= 9999.9 {
            break;
        }
    }
    format!("{value:.1} {unit}")
}

impl Packer for Xz {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn target(&mut self, ctx: &mut Context, path: &[u8], _: &Metadata) -> Result<Vec<u8>, ExitStatus> {
        let shown = bstr::BStr::new(path);
        let own = self.suffix.as_ref().map(Text::as_bytes);
        if self.mode.task == Task::Compress {
            let known = if self.format == XzFormat::Lzma { &SUFFIXES[2..] } else { &SUFFIXES[..2] };
            let found =
                known.iter().map(|(suffix, _)| *suffix).chain(own).find(|end| stem(path, end).is_some());
            if let Some(suffix) = found {
                let suffix = bstr::BStr::new(suffix);
                let words = format_args!("{shown}: File already has `{suffix}' suffix, skipping");
                return Err(self.warn(ctx, words));
            }
            let usual = known.first().map_or(&[][..], |(suffix, _)| suffix);
            return Ok([path, own.unwrap_or(usual)].concat_metered());
        }
        let known = match self.format {
            XzFormat::Auto => &SUFFIXES[..],
            XzFormat::Xz => &SUFFIXES[..2],
            XzFormat::Lzma => &SUFFIXES[2..],
        };
        let found = known.iter().find_map(|(suffix, with)| Some((stem(path, suffix)?, *with)));
        match found.or_else(|| Some((stem(path, own?)?, &[][..]))) {
            Some((stem, with)) => Ok([stem, with].concat_metered()),
            None => Err(self.warn(ctx, format_args!("{shown}: Filename has an unknown suffix, skipping"))),
        }
    }

    fn decoder(&self) -> Decoder {
        let options = ReadOptions { xz: self.reading, ..ReadOptions::default() };
        match self.format {
            _ if self.mode.task == Task::List => Decoder::xz(self.reading),
            XzFormat::Auto => Decoder::any_of(&[Format::Xz, Format::Lzma], options),
            XzFormat::Xz => Decoder::any_of(&[Format::Xz], options),
            XzFormat::Lzma => Decoder::any_of(&[Format::Lzma], options),
        }
    }

    fn encoder(&self, _: &Context, _: Option<&[u8]>, _: Option<&Metadata>) -> Result<Encoder, LimitError> {
        Ok(match self.format {
            XzFormat::Lzma => Encoder::lzma(self.level),
            XzFormat::Auto | XzFormat::Xz => Encoder::xz_in_blocks(self.level, self.check, self.block_size),
        })
    }

    fn refuse(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        target: &[u8],
        obstacle: Obstacle,
    ) -> Result<ExitStatus, UtilityError> {
        let (path, target) = (bstr::BStr::new(path), bstr::BStr::new(target));
        Ok(match obstacle {
            Obstacle::CannotOpen(errno) => self.error(ctx, format_args!("{path}: {}", errno.message())),
            Obstacle::Exists => self.error(ctx, format_args!("{target}: File exists")),
            Obstacle::CannotCreate(errno) => self.error(ctx, format_args!("{target}: {}", errno.message())),
            Obstacle::CannotFinish(errno) => {
                self.warn(ctx, format_args!("{path}: Cannot remove: {}", errno.message()))
            }
        })
    }

    fn tell(&mut self, _: &mut Context, _: Option<&[u8]>, fault: Fault) -> Result<ExitStatus, UtilityError> {
        self.fault = Some(match fault {
            Fault::NotInFormat => "File format not recognized".into(),
            Fault::UnexpectedEnd => "Unexpected end of input".into(),
            Fault::NotSupported("options") => "Unsupported options".into(),
            Fault::NotSupported(what) => format!("{what} is not supported"),
            Fault::Read(errno) => format!("Read error: {}", errno.message()),
            Fault::Limit(limit) => return Err(limit.into()),
            Fault::WindowTooLarge(_) => "Memory usage limit reached".into(),
            _ => "Compressed data is corrupt".into(),
        });
        if let Fault::WindowTooLarge(window) = fault {
            let limit = self.reading.window_max.map_or(0, mebibytes);
            let needed = mebibytes(window + (64 << 10));
            if let Some(words) = &mut self.fault {
                words.push_str(&format!(
                    "\nxz: {needed} MiB of memory is required. The limit is {limit} MiB."
                ));
            }
        }
        Ok(ExitStatus::FAILURE)
    }

    fn done(&mut self, ctx: &mut Context, done: &Done) -> Result<(), UtilityError> {
        let shown = Text::from(done.file.map_or(&b"(stdin)"[..], |(path, _)| path));
        if let Some(words) = self.fault.take() {
            self.tell_progress(ctx, &shown, done);
            self.error(ctx, format_args!("{shown}: {words}"));
            self.tell_progress(ctx, &shown, done);
            return Ok(());
        }
        if self.mode.task == Task::List {
            if let Some(Decoder::Xz(decoder)) = done.decoder {
                self.totals.add(ctx, &decoder.totals, done.read, &shown, self.is_robot);
            }
        } else if self.is_verbose {
            let sizes = self.sizes(done);
            say(ctx, format_args!("{shown}: {sizes}\n"));
        }
        Ok(())
    }
}

impl Xz {
    /// Reports an error, unless `-qq` was given.
    pub(super) fn error(&self, ctx: &mut Context, words: std::fmt::Arguments) -> ExitStatus {
        if self.quiet < 2 {
            ctx.warn(words);
        }
        ExitStatus::FAILURE
    }

    /// Reports a warning, unless `-q` was given.
    pub(super) fn warn(&self, ctx: &mut Context, words: std::fmt::Arguments) -> ExitStatus {
        if self.quiet < 1 {
            ctx.warn(words);
        }
        WARNING
    }

    /// How far an input went that ended in a fault.
    fn tell_progress(&self, ctx: &mut Context, shown: &Text, done: &Done) {
        if !self.is_verbose || done.read == 0 || done.written == 0 {
            return;
        }
        let sizes = self.sizes(done);
        let size = done.file.map(|(_, metadata)| metadata.size).filter(|size| *size > 0);
        match size {
            Some(size) => {
                let share = 99.9 * done.read.min(size) as f64 / size as f64;
                say(ctx, format_args!("{shown}: {share:.1} %, {sizes}\n"));
            }
            None => say(ctx, format_args!("{shown}: --- %, {sizes}\n")),
        }
    }

    fn sizes(&self, done: &Done) -> String {
        let is_packed = self.mode.task == Task::Compress;
        let (packed, plain) = if is_packed { (done.written, done.read) } else { (done.read, done.written) };
        let ratio = if plain > 0 { packed as f64 / plain as f64 } else { 16.0 };
        let ratio = if ratio > 9.999 { "> 9.999".into() } else { format!("= {ratio:.3}") };
        format!("{} / {} {ratio}", size(packed), size(plain))
    }
}
