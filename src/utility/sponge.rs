//! `sponge`: reads all of standard input before it writes a file. moreutils sponge(1).
//!
//! A regular file is replaced by another one with its mode, in one step: other names of it keep what they had. What a
//! symbolic link leads to, a device or a FIFO is written to, and what it held is lost with `-a` too, as in the program of moreutils
//! 0.67. Without an operand the input is printed; operands after the first are not looked at.

use super::file::join;
use crate::memory::format;
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use crate::vfs::path::split_last;

options! {
    enum Opt {
        Append = flag('a', "", "keep what the file holds, and add to it"),
        Help = flag('h', "", "print the synopsis"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "sponge",
    summary: "soak up standard input and write to a file",
    usage: "sponge [-a] [file]",
    options: Opt::TABLE,
    examples: &[example("printf 'b\\na\\n' >f; sort f | sponge f; cat f", "a\nb\n")],
    run: start!(run),
    ..Utility::BASE
};

const SYNOPSIS: &[u8] = b"sponge [-a] <file>: soak up all input from stdin and write it to <file>\n";

/// Exit status: 0, or 1 when the input could not be read or the file not be written.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Help) {
        ctx.stdout.write(SYNOPSIS).await?;
        return Ok(ExitStatus::SUCCESS);
    }
    let mut input = ctx.standard_input();
    let bytes = match input.read_to_end().await {
        Ok(bytes) => bytes,
        Err(error) => return Err(failed(ctx, "failed to read from stdin", error)),
    };
    let Some(name) = options.operands.first() else {
        ctx.stdout.write(&bytes).await?;
        return Ok(ExitStatus::SUCCESS);
    };
    let append = options.has(Opt::Append);
    let is_regular = ctx.lstat(name).is_ok_and(|metadata| metadata.is_regular());
    if is_regular && replace(ctx, name, append, &bytes).await? {
        return Ok(ExitStatus::SUCCESS);
    }
    let mut output = match ctx.create(name, append && is_regular) {
        Ok(output) => output,
        Err(error) => return Err(failed(ctx, "error opening output file", error)),
    };
    match write(&mut output, &bytes).await {
        Err(UtilityError::Write(errno)) => {
            Err(failed(ctx, "error writing buffer to output file", errno.into()))
        }
        written => written.map(|()| ExitStatus::SUCCESS),
    }
}

/// Whether a new file took the place of `name`. Where the directory takes no other file, or does not give this one away, the
/// file itself has to be written.
async fn replace(ctx: &mut Context, name: &Text, keeps: bool, bytes: &[u8]) -> Result<bool, UtilityError> {
    let path = ctx.absolute(name);
    let directory = split_last(&path).map_or(b"/".as_slice(), |(directory, _)| directory);
    let random = ctx.session.random.next_u64() & 0xff_ffff;
    let fresh = join(directory, format!("sponge.{random:06x}").as_bytes());
    let how =
        OpenOptions { write: true, create: true, create_new: true, mode: 0o600, ..OpenOptions::default() };
    let stored = match ctx.fs().open(&fresh, &how) {
        Ok(_) => {
            let stored = store(ctx, &path, &fresh, keeps, bytes).await;
            if stored.is_err() {
                let _ = ctx.fs().remove_file(&fresh);
            }
            stored
        }
        Err(error) => Err(error.into()),
    };
    match stored {
        Ok(()) => Ok(true),
        Err(OperandError::End(UtilityError::Write(_))) => Ok(false),
        Err(error) => error.errno().map(|_| false),
    }
}

/// Fills the new file and gives it the name of the old one, which `keeps` has the new one begin with.
async fn store(
    ctx: &Context,
    path: &[u8],
    fresh: &[u8],
    keeps: bool,
    bytes: &[u8],
) -> Result<(), OperandError> {
    let fs = ctx.fs();
    if keeps {
        fs.write_shared(fresh, fs.share(path)?, 0o600)?;
    }
    write(&mut ctx.create(fresh, true)?, bytes).await?;
    fs.set_mode(fresh, fs.metadata(path)?.mode)?;
    Ok(fs.rename(fresh, path)?)
}

async fn write(output: &mut Output, bytes: &[u8]) -> Result<(), UtilityError> {
    output.write(bytes).await?;
    output.flush().await
}

/// Says what went wrong as the program does, without its name.
fn failed(ctx: &mut Context, what: &str, error: FsError) -> UtilityError {
    match error {
        FsError::Limit(limit) => limit.into(),
        FsError::Errno(errno) => {
            ctx.stderr.push(format!("{what}: {}\n", errno.message()).as_bytes());
            ctx.stderr.flush_now();
            UtilityError::Exit(ExitStatus::FAILURE)
        }
    }
}
