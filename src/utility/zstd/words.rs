//! What `zstd` says of files, and the names that it gives them.

use super::{Target, Zstd};
use crate::limit::LimitError;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::compress::operand::{Done, Mode, Obstacle, Packer, Task, say};
use crate::utility::compress::{Check, Decoder, Encoder, Fault, Format, GzipHeader, ZstdEncoder};
use crate::utility::file::{join, last_component};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// The suffixes of compressed files, and what is in their place afterwards.
pub(super) const SUFFIXES: [(&str, &str); 9] = [
    (".zst", ""),
    (".tzst", ".tar"),
    (".gz", ""),
    (".tgz", ".tar"),
    (".lzma", ""),
    (".xz", ""),
    (".txz", ".tar"),
    (".lz4", ""),
    (".tlz4", ".tar"),
];

/// The name of what is compressed in a file.
pub(super) fn plain_name(path: &[u8]) -> Option<Vec<u8>> {
    SUFFIXES.iter().find_map(|(suffix, with)| {
        let stem = path.strip_suffix(suffix.as_bytes()).filter(|stem| !stem.is_empty())?;
        Some([stem, with.as_bytes()].concat_metered())
    })
}

/// A size in three digits: the number and its unit.
pub(super) fn size(bytes: u64) -> (String, &'static str) {
    let units = [(1u64 << 40, " TiB"), (1 << 30, " GiB"), (1 << 20, " MiB"), (1 << 10, " KiB"), (1, " B")];
    let (one, unit) = units.into_iter().find(|(one, _)| bytes >= *one).unwrap_or((1, " B"));
    let value = bytes as f64 / one as f64;
    let digits = match value {
        _ if value >= 100.0 || value.fract() == 0.0 && one == 1 => 0,
        _ if value >= 10.0 => 1,
        _ if value > 1.0 => 2,
        _ => 3,
    };
    (format!("{value:.digits$}"), unit)
}

impl Packer for Zstd {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn target(&mut self, _: &mut Context, path: &[u8], _: &Metadata) -> Result<Vec<u8>, ExitStatus> {
        if let Some(output) = &self.output {
            return Ok(Vec::from(output.as_bytes()));
        }
        let target = if self.mode.task == Task::Compress {
            let suffix: &[u8] = match self.target {
                Target::Zstd => b".zst",
                Target::Gzip => b".gz",
                Target::Xz => b".xz",
                Target::Lzma => b".lzma",
            };
            [path, suffix].concat_metered()
        } else {
            plain_name(path).ok_or(ExitStatus::FAILURE)?
        };
        Ok(match &self.directory {
            Some(directory) => join(directory, last_component(&target)),
            None => target,
        })
    }

    fn decoder(&self) -> Decoder {
        if self.mode.task == Task::List {
            return Decoder::zstd(self.reading);
        }
        Decoder::any_of(&[Format::Zstd, Format::Gzip, Format::Xz, Format::Lzma], self.reading)
    }

    fn encoder(
        &self,
        ctx: &Context,
        path: Option<&[u8]>,
        metadata: Option<&Metadata>,
    ) -> Result<Encoder, LimitError> {
        let level = self.level.min(9);
        Ok(match self.target {
            Target::Gzip => Encoder::gzip_with(&ctx.meter, level, &GzipHeader::default())?,
            Target::Xz => Encoder::xz(level, Check::Crc64),
            Target::Lzma => Encoder::lzma(level),
            Target::Zstd => {
                let of_file =
                    metadata.filter(|data| path.is_some() && data.is_regular()).map(|data| data.size);
                let size = of_file.or(self.stream_size).filter(|_| self.tells_size);
                let encoder = ZstdEncoder::new(self.level).telling(size);
                Encoder::zstd(if self.has_checksum { encoder } else { encoder.without_checksum() })
            }
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
        let text = match obstacle {
            Obstacle::Exists => format!("zstd: {target} already exists; not overwritten  \n"),
            Obstacle::CannotOpen(errno) | Obstacle::CannotFinish(errno) => {
                format!("zstd: {path}: {} \n", errno.message())
            }
            Obstacle::CannotCreate(errno) => format!("zstd: {target}: {}\n", errno.message()),
        };
        self.complain(ctx, 1, &text);
        Ok(ExitStatus::FAILURE)
    }

    fn tell(
        &mut self,
        _: &mut Context,
        path: Option<&[u8]>,
        fault: Fault,
    ) -> Result<ExitStatus, UtilityError> {
        let shown = bstr::BStr::new(path.unwrap_or(b"/*stdin*\\"));
        self.fault = Some(match fault {
            // What was read says more about this: see `done`.
            Fault::NotInFormat => String::new(),
            Fault::TrailingGarbage => format!("zstd: {shown}: unsupported format \n"),
            Fault::UnexpectedEnd => format!("{shown} : Read error (39) : premature end \n"),
            Fault::Checksum => {
                format!("{shown} : Decoding error (36) : Restored data doesn't match checksum \n")
            }
            Fault::WindowTooLarge(window) => {
                let most = self.reading.zstd_window_max.unwrap_or(128 << 20);
                let bits = 64 - (window - 1).leading_zeros();
                let mut text = format!(
                    "{shown} : Decoding error (36) : Frame requires too much memory for decoding \n\
                     {shown} : Window size larger than maximum : {window} > {most} \n"
                );
                if bits <= 31 {
                    let megabytes = window.div_ceil(1 << 20);
                    text.push_str(&format!("{shown} : Use --long={bits} or --memory={megabytes}MB \n"));
                }
                text
            }
            Fault::NotSupported(what) => {
                format!("{shown} : Decoding error (36) : {what} is not supported \n")
            }
            Fault::Read(errno) => format!("zstd: {shown}: {} \n", errno.message()),
            Fault::Limit(limit) => return Err(limit.into()),
            _ => format!("{shown} : Decoding error (36) : Data corruption detected \n"),
        });
        Ok(ExitStatus::FAILURE)
    }

    fn done(&mut self, ctx: &mut Context, done: &Done) -> Result<(), UtilityError> {
        let shown = bstr::BStr::new(done.file.map_or(&b"/*stdin*\\"[..], |(path, _)| path)).to_owned();
        if let Some(words) = self.fault.take() {
            if self.mode.task == Task::List && words.is_empty() {
                if done.read < 6 {
                    self.complain(ctx, 1, "Error: reached end of file with incomplete frame \n");
                }
                ctx.stdout.push(format!("File \"{shown}\" not compressed by zstd \n").as_bytes());
                return Ok(());
            }
            let text = match (self.mode.task, words.is_empty(), done.read) {
                (_, true, 0) => format!("zstd: {shown}: unexpected end of file \n"),
                (_, true, 1..4) => format!("zstd: {shown}: unknown header \n"),
                (_, true, _) => format!("zstd: {shown}: unsupported format \n"),
                _ => words,
            };
            self.complain(ctx, 1, &text);
            return Ok(());
        }
        self.done += 1;
        self.read += done.read;
        self.written += done.written;
        match self.mode.task {
            Task::List => {
                if let Some(Decoder::Zstd(decoder)) = done.decoder {
                    self.totals.add(ctx, &decoder.totals, done.read, &Text::from(shown.as_slice()));
                }
            }
            Task::Compress => self.tell_packed(ctx, done),
            Task::Decompress | Task::Test => {
                if !self.is_many {
                    self.complain(ctx, 2, &format!("{:<20}: {} bytes \n", shown, done.written));
                }
            }
        }
        Ok(())
    }
}

impl Zstd {
    /// Says it on standard error where so much is told.
    pub(super) fn complain(&self, ctx: &mut Context, level: i32, text: &str) {
        if self.display >= level {
            say(ctx, text);
        }
    }

    fn tell_packed(&self, ctx: &mut Context, done: &Done) {
        if self.is_many {
            return;
        }
        let name = done.file.map_or(&b"/*stdin*\\"[..], |(path, _)| path);
        let shown = bstr::BStr::new(name);
        let output = self.output.as_ref().map_or(done.target, Text::as_bytes);
        let output = if output.is_empty() { b"/*stdout*\\" } else { output };
        let target = bstr::BStr::new(output);
        let ((plain, plain_unit), (packed, packed_unit)) = (size(done.read), size(done.written));
        let sizes = format!("({plain:>6}{plain_unit} => {packed:>6}{packed_unit}, {target}) \n");
        if done.read == 0 {
            self.complain(ctx, 2, &format!("{shown:<20} :  {sizes}"));
        } else {
            let share = 100.0 * done.written as f64 / done.read as f64;
            self.complain(ctx, 2, &format!("{shown:<20} :{share:6.2}%   {sizes}"));
        }
    }

    /// The line of several files.
    pub(super) fn tell_all(&self, ctx: &mut Context) {
        if !self.is_many || self.done < 2 {
            return;
        }
        let (files, read, written) = (self.done, self.read, self.written);
        if self.mode.task != Task::Compress {
            let text = format!("{files} files decompressed : {written:6} bytes total \n");
            return self.complain(ctx, 2, &text);
        }
        let ((plain, plain_unit), (packed, packed_unit)) = (size(read), size(written));
        let share = if read == 0 { 0.0 } else { 100.0 * written as f64 / read as f64 };
        let text = format!(
            "{files:3} files compressed : {share:.2}% ({plain:>6}{plain_unit:>4} => {packed:>6}{packed_unit:>4})\n"
        );
        self.complain(ctx, 2, &text);
    }
}
