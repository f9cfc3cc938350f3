//! `fold`: wraps lines. GNU coreutils fold(1); like it, a column is a byte.

use super::format::count::parse_digits;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Bytes = flag('b', "bytes", "count bytes rather than columns"),
        Spaces = flag('s', "spaces", "break at spaces"),
        Width = value('w', "width", "WIDTH", "use WIDTH columns instead of 80")
            | number("NUM", "the same as -w NUM"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "fold",
    summary: "wrap each input line to fit in specified width",
    usage: "fold [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo abcdef | fold -w 4", "abcd\nef\n")],
    run: start!(run),
    ..Utility::BASE
};

#[derive(Clone, Copy)]
struct FoldOptions {
    bytes: bool,
    spaces: bool,
    width: u64,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut settings =
        FoldOptions { bytes: options.has(Opt::Bytes), spaces: options.has(Opt::Spaces), width: 80 };
    if let Some(text) = options.last_of([Opt::Width]).and_then(|name| options.value(name)) {
        let bad = |reason: &str| {
            UtilityError::failed(format!("invalid number of columns: {}{reason}", quote(text)))
        };
        settings.width = match parse_digits(text) {
            None => return Err(bad("")),
            Some(0) => return Err(bad(": Numerical result out of range")),
            Some(width) => width,
        };
    }
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = fold_operand(ctx, settings, &operand).await {
            let errno = error.errno()?;
            status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
        }
    }
    Ok(status)
}

/// Where the column is after a byte.
fn advance(settings: FoldOptions, column: u64, byte: u8) -> u64 {
    match byte {
        _ if settings.bytes => column + 1,
        0x08 => column.saturating_sub(1),
        b'\r' => 0,
        b'\t' => column + 8 - column % 8,
        _ => column + 1,
    }
}

async fn fold_operand(ctx: &mut Context, settings: FoldOptions, operand: &[u8]) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    // The output line that is not written yet.
    let mut line = Vec::new();
    let mut column = 0;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        for &byte in block {
            ctx.tick_many(1);
            if byte == b'\n' {
                line.push(byte);
                ctx.stdout.write(&line).await?;
                line.clear();
                column = 0;
                continue;
            }
            let mut next = advance(settings, column, byte);
            while next > settings.width && !line.is_empty() {
                let space = if settings.spaces { memchr::memrchr2(b' ', b'\t', &line) } else { None };
                let cut = space.map_or(line.len(), |space| space + 1);
                ctx.stdout.push(line.get(..cut).unwrap_or(&[]));
                ctx.stdout.push(b"\n");
                line.remove_front(cut);
                column = line.iter().fold(0, |column, byte| advance(settings, column, *byte));
                next = advance(settings, column, byte);
                ctx.stdout.flush_if_full().await?;
            }
            line.push(byte);
            column = next;
        }
        let count = block.len();
        input.consume(count);
    }
    ctx.stdout.write(&line).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn wraps() {
        for (args, input, want) in [
            (&["-w2"][..], "abc\nd", "ab\nc\nd"),
            (&["-sw", "5"], "aaa bbb ccc\n", "aaa \nbbb \nccc\n"),
            (&["-w", "9"], "a\tb\x08c\r12345678901\n", "a\tb\x08c\r123456789\n01\n"),
            (&["-w3"], "a\tb\n", "a\n\t\nb\n"),
        ] {
            assert_eq!(run("fold", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
