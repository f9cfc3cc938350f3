//! `rev`: reverses the characters of each line. util-linux rev(1).

use crate::character::blocks;
use crate::memory::Vec;
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;
use bstr::ByteSlice as _;

options! {
    enum Opt {
        Zero = flag('0', "zero", "use the byte NUL as line separator"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "rev",
    summary: "reverse lines characterwise",
    usage: "rev [options] [file ...]",
    options: Opt::TABLE,
    examples: &[example("printf 'abc\\n' | rev", "cba\n")],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a file could not be read (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end = if options.has(Opt::Zero) { 0 } else { b'\n' };
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = reverse_lines(ctx, &operand, end).await? {
            let (is_input, message) = (*operand == *b"-", error.message());
            status = match &*operand {
                _ if is_input => ctx.warn(format_args!("stdin: 0: {message}")),
                _ if error == Errno::IsDirectory => ctx.warn(format_args!("{operand}: 0: {message}")),
                _ => ctx.warn(format_args!("cannot open {operand}: {message}")),
            };
        }
    }
    Ok(status)
}

/// Bytes that are reversed at once.
const BLOCK: usize = 1 << 14;

/// The inner error is one of this operand alone.
async fn reverse_lines(
    ctx: &mut Context,
    operand: &[u8],
    end: u8,
) -> Result<Result<(), Errno>, UtilityError> {
    let mut input = match ctx.open_input(operand) {
        Ok(input) => input,
        Err(FsError::Errno(errno)) => return Ok(Err(errno)),
        Err(FsError::Limit(limit)) => return Err(limit.into()),
    };
    loop {
        ctx.tick().await?;
        match input.next_line(end).await {
            Ok(None) => return Ok(Ok(())),
            Ok(Some(line)) => {
                let (body, newline) = match line.split_last() {
                    Some((last, body)) if *last == end => (body, true),
                    _ => (line, false),
                };
                let blocks: Vec<&[u8]> = blocks(body, BLOCK).collect();
                for block in blocks.into_iter().rev() {
                    let mut reversed: Vec<u8> = Vec::with_capacity(block.len());
                    for (start, stop, _) in block.char_indices().rev() {
                        reversed.extend_from_slice(block.get(start..stop).unwrap_or(&[]));
                    }
                    ctx.stdout.write(&reversed).await?;
                    tick_bytes(&ctx.meter, block.len()).await?;
                }
                if newline {
                    ctx.stdout.write(&[end]).await?;
                }
            }
            Err(FsError::Errno(errno)) => return Ok(Err(errno)),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        }
    }
}
