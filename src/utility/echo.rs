//! `echo`: prints its arguments. GNU echo(1): the builtin's, for `env echo` and `xargs echo`.

use crate::memory::Vec;
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::prelude::*;

options! {
    enum Opt {
        NoNewline = flag('n', "", "do not output the trailing newline"),
        Escapes = flag('e', "", "enable interpretation of backslash escapes"),
        NoEscapes = flag('E', "", "disable interpretation of backslash escapes (default)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "echo",
    summary: "display a line of text",
    usage: "echo [-neE] [STRING]...",
    options: Opt::TABLE,
    examples: &[example("env echo -e 'a\\tb'", "a\tb\n"), example("env echo -x", "-x\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    if matches!(args.as_slice(), [only] if matches!(only.as_bytes(), b"--help" | b"--version")) {
        ctx.args = args;
        ctx.parse_options::<Opt>(&UTILITY)?;
        return Ok(ExitStatus::SUCCESS);
    }
    let (mut newline, mut escapes, mut first) = (true, false, 0);
    while let Some(letters) = args.get(first).and_then(|arg| arg.strip_prefix(b"-")) {
        let given: Option<Vec<Opt>> =
            letters.iter().map(|letter| Opt::of_short(char::from(*letter))).collect();
        let Some(given) = given.filter(|given| !given.is_empty()) else { break };
        for option in given {
            match option {
                Opt::NoNewline => newline = false,
                Opt::Escapes => escapes = true,
                Opt::NoEscapes => escapes = false,
            }
        }
        first += 1;
    }
    for (number, arg) in args.iter().skip(first).enumerate() {
        if number > 0 {
            ctx.stdout.write(b" ").await?;
        }
        if !escapes {
            ctx.stdout.write(arg).await?;
            continue;
        }
        let mut text = Vec::with_capacity(arg.len());
        let goes_on = decode_all(arg, &mut text);
        ctx.stdout.write(&text).await?;
        if !goes_on {
            return Ok(ExitStatus::SUCCESS);
        }
    }
    if newline {
        ctx.stdout.write(b"\n").await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// Decodes the escapes of a text; `false` at `\c`.
fn decode_all(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
        rest = rest.get(at..).unwrap_or(&[]);
        let (escape, length) = Escapes::GNU_ECHO.decode(rest, out);
        if escape == Escape::End {
            return false;
        }
        rest = rest.get(length..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
    true
}
