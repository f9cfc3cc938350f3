//! What `bzip2` says of files, and the names that it gives them.

use super::{Bzip2, DAMAGED};
use crate::limit::LimitError;
use crate::memory::{JoinMetered, Vec, format};
use crate::utility::compress::operand::{Done, Mode, Obstacle, Packer, Task, say};
use crate::utility::compress::{Decoder, Encoder, Fault};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// The suffixes of compressed files, and what is in their place afterwards.
pub(super) const SUFFIXES: [(&[u8], &[u8]); 4] =
    [(b".bz2", b""), (b".bz", b""), (b".tbz2", b".tar"), (b".tbz", b".tar")];

pub(super) const RECOVER: &str = "
You can use the `bzip2recover' program to attempt to recover
data from undamaged sections of corrupted files.

";

const ADVICE: &str = "
It is possible that the compressed file(s) have become corrupted.
You can use the -tvv option to test integrity of such files.
";

impl Packer for Bzip2 {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn target(&mut self, ctx: &mut Context, path: &[u8], metadata: &Metadata) -> Result<Vec<u8>, ExitStatus> {
        let shown = bstr::BStr::new(path);
        let target = if self.mode.task == Task::Compress {
            [path, b".bz2"].concat_metered()
        } else {
            plain_name(path)
        };
        let is_guessed = SUFFIXES.iter().all(|(end, _)| !path.ends_with(end));
        if self.mode.task == Task::Decompress && is_guessed && !self.is_quiet {
            let new = bstr::BStr::new(&target);
            ctx.warn(format_args!("Can't guess original name for {shown} -- using {new}"));
        }
        if !self.mode.force && ctx.stat(&target).is_ok() {
            ctx.warn(format_args!("Output file {} already exists.", bstr::BStr::new(&target)));
            return Err(ExitStatus::FAILURE);
        }
        if !self.mode.force && metadata.links > 1 {
            let others = metadata.links - 1;
            let plural = if others == 1 { "" } else { "s" };
            ctx.warn(format_args!("Input file {shown} has {others} other link{plural}."));
            return Err(ExitStatus::FAILURE);
        }
        Ok(target)
    }

    fn decoder(&self) -> Decoder {
        Decoder::bzip2()
    }

    fn encoder(&self, _: &Context, _: Option<&[u8]>, _: Option<&Metadata>) -> Result<Encoder, LimitError> {
        Ok(Encoder::bzip2(self.level))
    }

    fn begin(&mut self, ctx: &mut Context, path: &[u8]) {
        if self.is_verbose {
            let width = self.width + 2;
            let name = format!("{}: ", bstr::BStr::new(path));
            say(ctx, format_args!("  {name:width$}"));
        }
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
            Obstacle::CannotOpen(errno) => {
                ctx.warn(format_args!("Can't open input file {path}: {}.", errno.message()))
            }
            Obstacle::Exists => ctx.warn(format_args!("Output file {target} already exists.")),
            Obstacle::CannotCreate(errno) => {
                ctx.warn(format_args!("Can't create output file {target}: {}.", errno.message()))
            }
            Obstacle::CannotFinish(errno) => ctx.warn(format_args!(
                "I/O or other error, bailing out.  Possible reason follows.\n{}",
                errno.message()
            )),
        })
    }

    fn tell(
        &mut self,
        ctx: &mut Context,
        path: Option<&[u8]>,
        fault: Fault,
    ) -> Result<ExitStatus, UtilityError> {
        if self.mode.task == Task::Test {
            return self.tell_test(ctx, path, &fault);
        }
        let name = ctx.name.clone();
        let shown = bstr::BStr::new(path.unwrap_or(b"(stdin)"));
        match fault {
            Fault::TrailingGarbage => {
                if !self.is_quiet {
                    say(ctx, format_args!("\n{name}: {shown}: trailing garbage after EOF ignored\n"));
                }
                return Ok(ExitStatus::SUCCESS);
            }
            Fault::NotInFormat => {
                if self.is_verbose {
                    say(ctx, "not a bzip2 file.\n");
                } else {
                    say(ctx, format_args!("{name}: {shown} is not a bzip2 file.\n"));
                }
                return Ok(DAMAGED);
            }
            Fault::UnexpectedEnd if self.is_quiet => {}
            Fault::UnexpectedEnd => {
                let reason = if self.mode.to_stdout || path.is_none() {
                    "Inappropriate ioctl for device"
                } else {
                    "No such file or directory"
                };
                say(
                    ctx,
                    format_args!(
                        "\n{name}: Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  \
                         *Possible* reason follows.\n{name}: {reason}\n"
                    ),
                );
            }
            Fault::Read(errno) => {
                say(
                    ctx,
                    format_args!(
                        "\n{name}: I/O or other error, bailing out.  Possible reason follows.\n{name}: {}\n",
                        errno.message()
                    ),
                );
            }
            Fault::NotSupported(what) => say(ctx, format_args!("\n{name}: {what} is not supported\n")),
            Fault::Limit(limit) => return Err(limit.into()),
            _ => say(ctx, format_args!("\n{name}: Data integrity error when decompressing.\n")),
        }
        self.is_over = true;
        let target = match path {
            Some(path) if !self.mode.to_stdout => plain_name(path),
            _ => Vec::from(&b"(stdout)"[..]),
        };
        let target = bstr::BStr::new(&target);
        if !self.is_quiet {
            say(ctx, format_args!("\tInput file = {shown}, output file = {target}\n{ADVICE}{RECOVER}"));
            if path.is_some() && !self.mode.to_stdout {
                say(ctx, format_args!("{name}: Deleting output file {target}, if it exists.\n"));
            }
        }
        Ok(DAMAGED)
    }

    fn done(&mut self, ctx: &mut Context, done: &Done) -> Result<(), UtilityError> {
        if !self.is_verbose || !done.status.is_success() {
            return Ok(());
        }
        if done.file.is_none() {
            self.begin(ctx, b"(stdin)");
        }
        match self.mode.task {
            Task::Test => say(ctx, "ok\n"),
            Task::Decompress | Task::List => say(ctx, "done\n"),
            Task::Compress if done.read == 0 => say(ctx, " no data compressed.\n"),
            Task::Compress => {
                let (read, written) = (done.read as f64, done.written as f64);
                let (ratio, bits, saved) =
                    (read / written, 8.0 * written / read, 100.0 * (1.0 - written / read));
                say(
                    ctx,
                    format_args!(
                        "{ratio:6.3}:1, {bits:6.3} bits/byte, {saved:5.2}% saved, {} in, {} out.\n",
                        done.read, done.written
                    ),
                );
            }
        }
        Ok(())
    }
}

impl Bzip2 {
    fn tell_test(
        &mut self,
        ctx: &mut Context,
        path: Option<&[u8]>,
        fault: &Fault,
    ) -> Result<ExitStatus, UtilityError> {
        if !self.is_verbose {
            let shown = bstr::BStr::new(path.unwrap_or(b"(stdin)"));
            let name = ctx.name.clone();
            say(ctx, format_args!("{name}: {shown}: "));
        }
        let words = match fault {
            Fault::TrailingGarbage => {
                if !self.is_quiet {
                    say(ctx, "trailing garbage after EOF ignored\n");
                }
                return Ok(ExitStatus::SUCCESS);
            }
            Fault::NotInFormat => "bad magic number (file not created by bzip2)\n".into(),
            Fault::UnexpectedEnd => "file ends unexpectedly\n".into(),
            Fault::Read(errno) => format!("{}\n", errno.message()),
            Fault::NotSupported(what) => format!("{what} is not supported\n"),
            Fault::Limit(limit) => return Err((*limit).into()),
            _ => "data integrity (CRC) error in data\n".into(),
        };
        say(ctx, words);
        self.test_failed = true;
        Ok(DAMAGED)
    }
}

/// The name of what is compressed in a file.
fn plain_name(path: &[u8]) -> Vec<u8> {
    match SUFFIXES.iter().find(|(end, _)| path.ends_with(end)) {
        Some((end, with)) => [path.strip_suffix(*end).unwrap_or(path), with].concat_metered(),
        None => [path, b".out"].concat_metered(),
    }
}
