//! `sed`: a stream editor. GNU sed(1) 4.9.
//!
//! `source` is a part of a script, `parse` (with `delimited` for what stands between delimiters, and `text` for that of
//! `a`, `i` and `c`) makes a `program` of all, in the order of the options; `run` goes through it for every line that `input`
//! reads, `output` is where it writes. Left out: `--debug`.

mod delimited;
mod error;
mod execute;
mod input;
mod list;
mod output;
mod parse;
mod program;
mod run;
mod source;
mod substitute;
#[cfg(test)]
mod tests;
mod text;

use crate::memory::{JoinMetered, String, ToMetered, ToMeteredString, Vec, format};
use crate::utility::context::options::help;
use crate::utility::context::ticker::regex_options;
use crate::utility::prelude::*;
use crate::utility::regex::{Dialect, RegexOptions, Syntax};
use input::{InPlace, Inputs, Reading};
use parse::{ParseOptions, Parser};
use run::{RunOptions, Runner};
use source::{Origin, Source};

// In this order GNU sed names what an abbreviation may mean.
options! {
    enum Opt {
        RegexpExtended = flag('E', "regexp-extended", "use extended regular expressions in the script")
            | flag('r', "", "the same as -E"),
        InPlace = optional(
            'i',
            "in-place",
            "SUFFIX",
            "edit files in place (makes backup if SUFFIX supplied)",
        ),
        Expression = value('e', "expression", "SCRIPT", "add the script to the commands to be executed"),
        File = value(
            'f',
            "file",
            "SCRIPT-FILE",
            "add the contents of script-file to the commands to be executed",
        ),
        LineLength = value(
            'l',
            "line-length",
            "N",
            "specify the desired line-wrap length for the `l' command",
        ),
        NullData = flag('z', "null-data", "separate lines by NUL characters")
            | flag('\0', "zero-terminated", "the same as --null-data"),
        Quiet = flag('n', "quiet", "suppress automatic printing of pattern space"),
        Posix = flag(
            '\0',
            "posix",
            "no address 0, no text beside a, i and c, nothing printed by N at the end",
        ),
        Silent = flag('\0', "silent", "the same as --quiet"),
        Sandbox = flag('\0', "sandbox", "operate in sandbox mode (disable r/R/w/W commands)"),
        Separate = flag(
            's',
            "separate",
            "consider files as separate rather than as a single, continuous long stream",
        ),
        Unbuffered = flag(
            'u',
            "unbuffered",
            "load minimal amounts of data and flush the output buffers more often",
        ),
        FollowSymlinks = flag('\0', "follow-symlinks", "follow symlinks when processing in place"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "sed",
    summary: "edit a stream of lines",
    usage: "sed [OPTION]... {script-only-if-no-other-script} [input-file]...",
    options: Opt::TABLE,
    examples: &[example("printf 'ab\\ncd\\n' | sed 's/b/x/;2d'", "ax\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Columns of `l` when nothing else is said.
const LINE_LENGTH: u64 = 70;

/// Exit status: 0; that of `q` or `Q`; 1 for a wrong script; 2 when an input could not be read; 4 for other errors.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    let mut operands = options.operands.clone();
    let mut parser = read_scripts(ctx, &options).await?;
    if let Err(end) = end {
        let error = end.tell(&mut ctx.stdout);
        return Err(if let UtilityError::Usage(message) = error { usage(ctx, Some(message)) } else { error });
    }
    if !options.has_any([Opt::Expression, Opt::File]) {
        if operands.is_empty() {
            return Err(usage(ctx, None));
        }
        let script = operands.remove(0).as_bytes().to_metered();
        read_part(ctx, &mut parser, Source::new(Origin::Expression(1), script)).await?;
    }
    let (program, mut sinks) = parser.finish()?;
    let in_place = options.has(Opt::InPlace).then(|| InPlace {
        suffix: options.value(Opt::InPlace).filter(|suffix| !suffix.is_empty()).cloned(),
    });
    if in_place.is_some() && operands.is_empty() {
        return Err(UtilityError::Failed { message: "no input files".into(), status: 4 });
    }
    let delimiter = if options.has(Opt::NullData) { 0 } else { b'\n' };
    let run_options = RunOptions {
        is_silent: options.has_any([Opt::Quiet, Opt::Silent]) || program.is_silent,
        is_posix: options.has(Opt::Posix),
        edits_in_place: in_place.is_some(),
        delimiter,
        line_length: line_length(&options),
    };
    let unbuffered = options.has(Opt::Unbuffered);
    let separate = options.has(Opt::Separate) || in_place.is_some();
    sinks.set_lines(delimiter, unbuffered);
    let reading =
        Reading { delimiter, separate, unbuffered, follows_links: options.has(Opt::FollowSymlinks) };
    let inputs = Inputs::new(ctx.inputs(&operands), reading, in_place);
    Runner::new(&program, run_options, inputs, sinks).run(ctx).await
}

/// Reads every `-e` and `-f` in order, each with the options before it.
async fn read_scripts(ctx: &mut Context, options: &Options<Opt>) -> Result<Parser, UtilityError> {
    let mut parser = Parser::new(ParseOptions {
        syntax: Syntax::Basic,
        is_posix: false,
        no_files: false,
        has_newlines: true,
        regex: RegexOptions { dialect: Dialect::Sed, ..regex_options(&ctx.meter) },
    });
    let mut count = 0;
    for (option, argument) in options.given() {
        match (option, argument) {
            (Opt::RegexpExtended, _) => parser.options.syntax = Syntax::Extended,
            (Opt::NullData, _) => parser.options.has_newlines = false,
            (Opt::Expression, Some(text)) => {
                count += 1;
                let source = Source::new(Origin::Expression(count), text.as_bytes().to_metered());
                read_part(ctx, &mut parser, source).await?;
            }
            (Opt::File, Some(name)) => {
                let failure = |error: FsError| match error {
                    FsError::Limit(limit) => limit.into(),
                    FsError::Errno(errno) => UtilityError::Failed {
                        message: format!("couldn't open file {name}: {}", errno.message()),
                        status: 4,
                    },
                };
                let mut input = ctx.open_input(name).map_err(failure)?;
                let text = input.read_to_end().await.map_err(failure)?;
                let source = Source::new(Origin::File(name.to_metered_string()), text);
                read_part(ctx, &mut parser, source).await?;
            }
            (Opt::Posix, _) => parser.options.is_posix = true,
            (Opt::Sandbox, _) => parser.options.no_files = true,
            _ => {}
        }
    }
    Ok(parser)
}

/// Reads a part of the script. A byte that is not a command is shown as it is, whether it is text or not.
async fn read_part(ctx: &mut Context, parser: &mut Parser, source: Source) -> Result<(), UtilityError> {
    ctx.compiles(source.text()).await;
    let Err(error) = parser.read(ctx, source) else { return Ok(()) };
    let byte = error.unknown_byte();
    match (byte, UtilityError::from(error)) {
        (Some(byte), UtilityError::Failed { message, status }) => {
            let shown = message.split(char::REPLACEMENT_CHARACTER).map(str::as_bytes).collect::<Vec<_>>();
            let line = [b"sed: ", shown.join_metered(&[byte]).as_slice(), b"\n"].concat_metered();
            ctx.stderr.push(&line);
            Err(UtilityError::Exit(ExitStatus(status)))
        }
        (_, error) => Err(error),
    }
}

/// What is wrong, if something is, and the whole help, on standard error.
fn usage(ctx: &mut Context, message: Option<String>) -> UtilityError {
    if let Some(message) = message {
        ctx.warn(message);
    }
    ctx.stderr.push(help(&UTILITY, UTILITY.options).as_bytes());
    UtilityError::Exit(ExitStatus::FAILURE)
}

/// The number that the option-argument of `-l` begins with; without one, 0.
fn line_length(options: &Options<Opt>) -> u64 {
    let Some(text) = options.value(Opt::LineLength) else { return LINE_LENGTH };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}
