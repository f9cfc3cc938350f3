//! `cat`: concatenates files. GNU coreutils cat(1).

use crate::memory::Vec;
use crate::utility::prelude::*;

// In this order GNU cat names what an abbreviation may mean.
options! {
    enum Opt {
        NumberNonblank = flag('b', "number-nonblank", "number nonempty output lines, overrides -n"),
        Number = flag('n', "number", "number all output lines"),
        SqueezeBlank = flag('s', "squeeze-blank", "suppress repeated empty output lines"),
        ShowNonprinting = flag('v', "show-nonprinting", "use ^ and M- notation, except for LFD and TAB"),
        ShowEnds = flag('E', "show-ends", "display $ at end of each line"),
        ShowTabs = flag('T', "show-tabs", "display TAB characters as ^I"),
        ShowAll = flag('A', "show-all", "equivalent to -vET"),
        NonprintingEnds = flag('e', "", "equivalent to -vE"),
        NonprintingTabs = flag('t', "", "equivalent to -vT"),
        Unbuffered = flag('u', "", "(output is never delayed past the end of an input)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cat",
    summary: "concatenate FILE(s) to standard output",
    usage: "cat [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\n\\n\\nb\\n' | cat -sn", "     1\ta\n     2\t\n     3\tb\n")],
    run: start!(run),
    ..Utility::BASE
};

/// How lines are changed, and where the last file left off.
#[derive(Default)]
struct Style {
    number: bool,
    number_nonblank: bool,
    squeeze: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
    line: u64,
    at_line_start: bool,
    blank_before: bool,
}

/// Exit status: 0, or 1 when a file could not be read (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut style = Style {
        number_nonblank: options.has(Opt::NumberNonblank),
        number: options.has(Opt::Number) && !options.has(Opt::NumberNonblank),
        squeeze: options.has(Opt::SqueezeBlank),
        ends: options.has_any([Opt::ShowAll, Opt::NonprintingEnds, Opt::ShowEnds]),
        tabs: options.has_any([Opt::ShowAll, Opt::NonprintingTabs, Opt::ShowTabs]),
        nonprinting: options.has_any([
            Opt::ShowAll,
            Opt::NonprintingEnds,
            Opt::NonprintingTabs,
            Opt::ShowNonprinting,
        ]),
        at_line_start: true,
        ..Style::default()
    };
    let plain = options.given().all(|(option, _)| option == Opt::Unbuffered);
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        let result = match ctx.open_input(&operand) {
            Ok(input) if plain => copy(ctx, input).await?,
            Ok(input) => copy_styled(ctx, input, &mut style).await?,
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            ctx.stdout.flush().await?;
            status = ctx.report(&operand, error)?;
        }
    }
    Ok(status)
}

/// The inner error is one of reading.
async fn copy(ctx: &mut Context, mut input: Input) -> Result<Result<(), FsError>, UtilityError> {
    loop {
        let count = match input.fill().await {
            Ok([]) => return Ok(Ok(())),
            Ok(bytes) => {
                ctx.stdout.write(bytes).await?;
                bytes.len()
            }
            Err(error) => return Ok(Err(error)),
        };
        input.consume(count);
        // A reader at the other end of a pipe sees what is there before the next block is awaited.
        ctx.stdout.flush().await?;
        ctx.check().await?;
    }
}

async fn copy_styled(
    ctx: &mut Context,
    mut input: Input,
    style: &mut Style,
) -> Result<Result<(), FsError>, UtilityError> {
    let mut shown = Vec::new();
    loop {
        ctx.tick().await?;
        match input.next_line(b'\n').await {
            Ok(None) => return Ok(Ok(())),
            Ok(Some(line)) => {
                shown.clear();
                show_line(style, line, &mut shown);
                ctx.stdout.write(&shown).await?;
            }
            Err(error) => return Ok(Err(error)),
        }
    }
}

fn show_line(style: &mut Style, line: &[u8], out: &mut Vec<u8>) {
    let (body, newline) = match line {
        [body @ .., b'\n'] => (body, true),
        body => (body, false),
    };
    let blank = style.at_line_start && body.is_empty() && newline;
    if blank && style.blank_before && style.squeeze {
        return;
    }
    style.blank_before = blank;
    if style.at_line_start && (style.number || (style.number_nonblank && !blank)) {
        style.line += 1;
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(style.line).as_bytes();
        out.extend_from_slice(b"      ".get(digits.len()..).unwrap_or(&[]));
        out.extend_from_slice(digits);
        out.push(b'\t');
    }
    if style.tabs || style.nonprinting {
        for &byte in body {
            show_byte(style, byte, out);
        }
    } else {
        out.extend_from_slice(body);
    }
    if newline {
        out.extend_from_slice(if style.ends { b"$\n" } else { b"\n" });
    }
    style.at_line_start = newline;
}

fn show_byte(style: &Style, byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'\t' if style.tabs => out.extend_from_slice(b"^I"),
        b'\t' => out.push(byte),
        _ if !style.nonprinting => out.push(byte),
        _ => {
            let low = byte & 0x7f;
            if byte >= 0x80 {
                out.extend_from_slice(b"M-");
            }
            match low {
                0..0x20 => out.extend_from_slice(&[b'^', low + 0x40]),
                0x7f => out.extend_from_slice(b"^?"),
                _ => out.push(low),
            }
        }
    }
}
