//! `dd`: copies in blocks and converts on the way. GNU coreutils dd(1).
//!
//! Operands are in `dd/settings.rs`, conversions in `dd/convert.rs`, what is said at the end in `dd/statistics.rs`. Files are
//! in memory: flags that ask for synchronous, direct or unbuffered access (`sync`, `direct`, `nonblock`, ...) and
//! `conv=fsync` hold for every copy. A read takes just what it needs from standard input.

mod convert;
mod settings;
mod statistics;
mod table;

use crate::io::Description;
use crate::memory::{Arc, String, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use convert::Converter;
use settings::DdOptions;
use statistics::Statistics;
use std::future::poll_fn;

pub(super) const UTILITY: Utility = Utility {
    name: "dd",
    summary: "copy a file, converting and formatting according to the operands: \
              if= of= bs= ibs= obs= cbs= count= skip= seek= conv= iflag= oflag= status=",
    usage: "dd [OPERAND]...\ndd OPTION",
    examples: &[example("printf 0123456789 | dd bs=2 skip=1 count=2 status=none", "2345")],
    run: start!(run),
    ..Utility::BASE
};

/// Most bytes of a block that are in memory before more is asked for.
const LARGEST_BLOCK: u64 = 1 << 32;

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let settings = DdOptions::parse(ctx, &options.operands)?;
    let mut copy = Copy::open(ctx, settings)?;
    let status = copy.run(ctx).await?;
    copy.statistics.finish(ctx, copy.settings.status);
    Ok(status)
}

struct Copy {
    settings: DdOptions,
    input: Arc<Description>,
    output: Arc<Description>,
    /// Names as messages show them.
    input_name: String,
    output_name: String,
    statistics: Statistics,
    /// Converted bytes that do not fill a block of output yet.
    pending: ByteQueue,
}

fn failed(message: String) -> UtilityError {
    UtilityError::failed(message)
}

impl Copy {
    fn open(ctx: &mut Context, settings: DdOptions) -> Result<Self, UtilityError> {
        let what = |name: &[u8]| format!("failed to open {}", quote_name(name));
        let input = match &settings.input {
            Some(name) => {
                let options = OpenOptions {
                    read: true,
                    directory: settings.input_flags.directory,
                    no_follow: settings.input_flags.no_follow,
                    ..OpenOptions::default()
                };
                ctx.open_description(name, &options)
                    .map_err(|error| UtilityError::operand(what(name).as_bytes(), error))?
            }
            None => ctx.description(0).cloned().unwrap_or_else(Description::null),
        };
        let output = match &settings.output {
            Some(name) => {
                // The part before a seek is kept.
                let cut = !settings.no_truncate && settings.seek.is_zero();
                let options = OpenOptions {
                    write: true,
                    append: settings.output_flags.append,
                    create: !settings.no_create,
                    create_new: settings.exclusive,
                    truncate: cut,
                    directory: settings.output_flags.directory,
                    no_follow: settings.output_flags.no_follow,
                    read: false,
                    mode: 0o666 & !ctx.umask,
                };
                let opened = ctx.open_description(name, &options);
                let opened = opened.map_err(|error| UtilityError::operand(what(name).as_bytes(), error))?;
                if !cut && !settings.no_truncate && opened.file().is_some() {
                    let size = settings.seek.bytes(settings.output_block);
                    ctx.fs().truncate(&ctx.absolute(name), size).map_err(|error| {
                        let what =
                            format!("failed to truncate to {size} bytes in output file {}", quote_name(name));
                        UtilityError::operand(what.as_bytes(), error)
                    })?;
                }
                opened
            }
            None => match ctx.description(1) {
                Some(output) => Arc::clone(output),
                None => return Err(failed("failed to open 'standard output': Bad file descriptor".into())),
            },
        };
        let shown = |name: &Option<Text>, standard: &str| match name {
            Some(name) => quote_operand(name),
            None => format!("'{standard}'"),
        };
        Ok(Self {
            input_name: shown(&settings.input, "standard input"),
            output_name: shown(&settings.output, "standard output"),
            settings,
            input,
            output,
            statistics: Statistics::new(ctx),
            pending: ByteQueue::default(),
        })
    }

    async fn run(&mut self, ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
        let mut status = ExitStatus::SUCCESS;
        let mut block = Vec::new();
        let mut converted = Vec::new();
        let mut converter = Converter::new(&self.settings);
        self.skip(ctx, &mut block).await?;
        self.seek(ctx).await?;
        let size = self.settings.input_block;
        let limit = self.settings.count.map_or(u64::MAX, |count| count.bytes(size));
        let by_blocks = self.settings.count.is_some_and(|count| !count.is_bytes);
        let mut taken = 0_u64;
        loop {
            ctx.check().await?;
            // Blocks are counted, whole or not; bytes are counted as bytes.
            let left = if by_blocks {
                let most = limit / size;
                if self.statistics.records_in() >= most { 0 } else { size }
            } else {
                limit.saturating_sub(taken).min(size)
            };
            if left == 0 {
                break;
            }
            block.clear();
            if let Err(error) = self.read(ctx, &mut block, left).await {
                let errno = error.errno()?;
                let name =
                    self.settings.input.as_ref().map_or(&b"standard input"[..], |name| name.as_bytes());
                status = ctx.warn(format_args!("error reading {}: {}", quote_name(name), errno.message()));
                // Nothing after the error can be read here, with `noerror` or without.
                break;
            }
            if block.is_empty() {
                break;
            }
            taken += block.len() as u64;
            if (block.len() as u64) < size {
                self.statistics.partial_in += 1;
                if self.settings.pads {
                    let fill = if self.settings.lines.is_some() { b' ' } else { 0 };
                    block.resize(usize::try_from(size).unwrap_or(usize::MAX), fill);
                }
            } else {
                self.statistics.full_in += 1;
            }
            if self.settings.is_direct {
                self.write_block(ctx, &block).await?;
            } else {
                converted.clear();
                converter.convert(ctx, &mut block, &mut converted).await?;
                self.pending.push(&converted);
                self.write_full(ctx).await?;
            }
            self.statistics.truncated = converter.truncated;
            if self.settings.status == settings::Status::Progress {
                self.statistics.progress(ctx);
            }
        }
        converted.clear();
        converter.finish(&mut converted);
        self.pending.push(&converted);
        self.write_full(ctx).await?;
        if !self.pending.is_empty() {
            let rest = std::mem::take(&mut self.pending);
            self.write_block(ctx, &rest).await?;
        }
        Ok(status)
    }

    /// Writes blocks of output as long as there is enough for one.
    async fn write_full(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let size = usize::try_from(self.settings.output_block).unwrap_or(usize::MAX);
        let pending = std::mem::take(&mut self.pending);
        let mut chunks = pending.chunks_exact(size);
        for chunk in chunks.by_ref() {
            ctx.tick().await?;
            self.write_block(ctx, chunk).await?;
        }
        let rest = chunks.remainder();
        if rest.len() == pending.len() {
            self.pending = pending;
            return Ok(());
        }
        self.pending.push(rest);
        Ok(())
    }

    async fn write_block(&mut self, ctx: &mut Context, bytes: &[u8]) -> Result<(), UtilityError> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            match poll_fn(|cx| self.output.poll_write(cx, rest)).await {
                Ok(count) => done += count,
                Err(FsError::Errno(Errno::BrokenPipe)) => {
                    return Err(UtilityError::Exit(ExitStatus::BROKEN_PIPE));
                }
                Err(error) => {
                    self.statistics.bytes += done as u64;
                    let errno = OperandError::from(error).errno()?;
                    let name =
                        self.settings.output.as_ref().map_or(&b"standard output"[..], |name| name.as_bytes());
                    ctx.warn(format_args!("error writing {}: {}", quote_name(name), errno.message()));
                    self.statistics.finish(ctx, self.settings.status);
                    return Err(UtilityError::Exit(ExitStatus::FAILURE));
                }
            }
        }
        self.statistics.wrote(bytes.len() as u64, self.settings.output_block);
        Ok(())
    }

    /// Appends at most `wanted` bytes: what one read gives of a pipe, all of it where `fullblock` or a file allows.
    async fn read(
        &mut self,
        ctx: &mut Context,
        block: &mut Vec<u8>,
        wanted: u64,
    ) -> Result<(), OperandError> {
        let waits = self.settings.input_flags.full_block || !self.input.is_pipe();
        let mut left = usize::try_from(wanted.min(LARGEST_BLOCK)).unwrap_or(usize::MAX);
        while left > 0 {
            let read = poll_fn(|cx| {
                self.input.poll_read(cx, &mut |bytes| {
                    let taken = bytes.get(..bytes.len().min(left)).unwrap_or(bytes);
                    let before = block.len();
                    block.extend_from_slice(taken);
                    block.len() - before
                })
            })
            .await?;
            left -= read.min(left);
            if read == 0 || !waits {
                break;
            }
            ctx.tick().await?;
        }
        Ok(())
    }

    async fn skip(&mut self, ctx: &mut Context, block: &mut Vec<u8>) -> Result<(), UtilityError> {
        let wanted = self.settings.skip.bytes(self.settings.input_block);
        if wanted == 0 {
            return Ok(());
        }
        let mut left = wanted;
        if let Some(size) = self.input.metadata().map(|metadata| metadata.size) {
            let offset = self.input.offset();
            let taken = size.saturating_sub(offset).min(wanted);
            self.input.seek(offset.saturating_add(taken));
            left = wanted - taken;
        } else {
            while left > 0 {
                block.clear();
                let portion = left.min(self.settings.input_block);
                let read = self.read(ctx, block, portion).await;
                if let Err(error) = read {
                    let errno = error.errno()?;
                    ctx.warn(format_args!("{}: {}", self.input_name, errno.message()));
                    break;
                }
                if block.is_empty() {
                    break;
                }
                left -= (block.len() as u64).min(left);
                ctx.tick().await?;
            }
        }
        if left > 0 && self.settings.status != settings::Status::None {
            ctx.warn(format_args!("{}: cannot skip to specified offset", self.input_name));
        }
        Ok(())
    }

    async fn seek(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let wanted = self.settings.seek.bytes(self.settings.output_block);
        if wanted == 0 {
            return Ok(());
        }
        ctx.tick().await?;
        if self.output.file().is_none() {
            if matches!(self.settings.output.as_deref(), Some(b"/dev/null" | b"/dev/zero")) {
                return Ok(());
            }
            return Err(failed(format!("{}: cannot seek: Illegal seek", self.output_name)));
        }
        self.output.seek(self.output.offset().saturating_add(wanted));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn copies_and_converts() {
        let fixture = Fixture::new(&[("f", "0123456789")]);
        let rows: [(&[&str], &str, &str); 8] = [
            (&["if=f", "bs=3", "skip=1", "count=2"], "", "345678"),
            (&["if=f", "iflag=skip_bytes,count_bytes", "skip=2", "count=3"], "", "234"),
            (&["if=f", "skip=2B", "count=3B"], "", "234"),
            (&["conv=ucase"], "abc", "ABC"),
            (&["conv=swab"], "abcde", "badce"),
            (&["cbs=3", "conv=block"], "ab\ncdef\n", "ab cde"),
            (&["cbs=3", "conv=unblock"], "ab cde   ", "ab\ncde\n\n"),
            (&["bs=4", "conv=sync", "conv=ucase"], "abcdef", "ABCDEF\0\0"),
        ];
        for (args, input, want) in rows {
            let args = [args, &["status=none"]].concat();
            let outcome = fixture.run("dd", &args, input.as_bytes());
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
        assert_eq!(
            fixture.run("dd", &["ibs=3", "obs=5", "if=f", "of=g"], b"").stderr,
            "3+1 records in\n2+0 records out\n10 bytes copied, 0 s, Infinity B/s\n"
        );
        fixture.run("dd", &["if=f", "of=g", "bs=2", "seek=1", "count=1", "conv=notrunc"], b"");
        assert_eq!(fixture.run("cat", &["g"], b"").stdout, "0101456789");
        fixture.run("dd", &["if=f", "of=g", "bs=2", "seek=1", "count=1"], b"");
        assert_eq!(fixture.run("cat", &["g"], b"").stdout, "0101");
    }
}
