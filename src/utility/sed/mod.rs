//! `sed`: a stream editor. GNU sed(1) 4.9.
//!
//! `source` joins the parts of a script, `parse` (with `delimited` for what stands between delimiters) makes a `program` of
//! it, `run` goes through it for every line that `input` reads, `output` is where it writes. Left out: the commands that
//! run others (`e`, and `s///e`), `--debug`.

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

use crate::memory::{ToMeteredString, Vec, format};
use crate::utility::prelude::*;
use crate::utility::regex::{RegexOptions, Syntax};
use crate::utility::ticker::regex_options;
use input::{InPlace, Inputs};
use output::Sinks;
use parse::ParseOptions;
use run::{RunOptions, Runner};
use source::{Origin, Source};

pub(super) const UTILITY: Utility = Utility {
    name: "sed",
    summary: "edit a stream of lines",
    usage: "sed [OPTION]... {script-only-if-no-other-script} [input-file]...",
    options: &[
        flag('n', "quiet", "suppress automatic printing of pattern space"),
        flag('\0', "silent", "the same as --quiet"),
        value('e', "expression", "SCRIPT", "add the script to the commands to be executed"),
        value('f', "file", "SCRIPT-FILE", "add the contents of script-file to the commands to be executed"),
        flag('\0', "follow-symlinks", "follow symlinks when processing in place"),
        optional('i', "in-place", "SUFFIX", "edit files in place (makes backup if SUFFIX supplied)"),
        value('l', "line-length", "N", "specify the desired line-wrap length for the `l' command"),
        flag('\0', "posix", "no address 0, no text beside a, i and c, nothing printed by N at the end"),
        flag('E', "regexp-extended", "use extended regular expressions in the script"),
        flag('r', "", "the same as -E"),
        flag('s', "separate", "consider files as separate rather than as a single, continuous long stream"),
        flag('\0', "sandbox", "operate in sandbox mode (disable r/R/w/W commands)"),
        flag('u', "unbuffered", "load minimal amounts of data and flush the output buffers more often"),
        flag('z', "null-data", "separate lines by NUL characters"),
    ],
    examples: &[example("printf 'ab\\ncd\\n' | sed 's/b/x/;2d'", "ax\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Columns of `l` when nothing else is said.
const LINE_LENGTH: u64 = 70;

/// Exit status: 0; that of `q` or `Q`; 1 for a wrong script; 2 when an input could not be read; 4 for other errors.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    let mut operands = options.operands.clone();
    let mut source = script(ctx, &options, &mut operands).await?;
    let parse_options = ParseOptions {
        syntax: if options.has("E") || options.has("r") { Syntax::Extended } else { Syntax::Basic },
        is_posix: options.has("posix"),
        no_files: options.has("sandbox"),
        has_newlines: !options.has("z"),
        regex: RegexOptions { dialect: crate::utility::regex::Dialect::Sed, ..regex_options(&ctx.meter) },
    };
    ctx.compiles(source.text()).await;
    let program = parse::parse(&mut source, parse_options)?;
    drop(source);
    let in_place = options.has("i").then(|| InPlace {
        suffix: options.value("i").filter(|suffix| !suffix.is_empty()).cloned(),
        follows_links: options.has("follow-symlinks"),
    });
    if in_place.is_some() && operands.is_empty() {
        return Err(UtilityError::Failed { message: "no input files".into(), status: 4 });
    }
    let delimiter = if options.has("z") { 0 } else { b'\n' };
    let run_options = RunOptions {
        is_silent: options.has("n") || options.has("silent") || program.is_silent,
        is_posix: options.has("posix"),
        edits_in_place: in_place.is_some(),
        delimiter,
        line_length: line_length(&options),
    };
    let unbuffered = options.has("u");
    let separate = options.has("s") || in_place.is_some();
    let sinks = Sinks::new(ctx, &program.outputs, delimiter, unbuffered)?;
    let inputs = Inputs::new(ctx.inputs(&operands), delimiter, separate, unbuffered, in_place);
    Runner::new(&program, run_options, inputs, sinks).run(ctx).await
}

/// The script: every `-e` and `-f` in order, or the first operand.
async fn script(
    ctx: &mut Context,
    options: &Options,
    operands: &mut Vec<Text>,
) -> Result<Source, UtilityError> {
    let mut source = Source::default();
    let mut count = 0;
    for (spec, argument) in options.given() {
        match (spec.short, argument) {
            ('e', Some(text)) => {
                count += 1;
                source.push(Origin::Expression(count), text);
            }
            ('f', Some(name)) => {
                let failure = |error: FsError| match error {
                    FsError::Limit(limit) => limit.into(),
                    FsError::Errno(errno) => UtilityError::Failed {
                        message: format!("couldn't open file {name}: {}", errno.message()),
                        status: 4,
                    },
                };
                let mut input = ctx.open_input(name).map_err(failure)?;
                let text = input.read_to_end().await.map_err(failure)?;
                source.push(Origin::File(name.to_metered_string()), &text);
            }
            _ => {}
        }
    }
    if source.is_empty() {
        if operands.is_empty() {
            return Err(no_script(ctx));
        }
        source.push(Origin::Expression(1), &operands.remove(0));
    }
    Ok(source)
}

/// The usage, on standard error.
fn no_script(ctx: &mut Context) -> UtilityError {
    let text = format!("Usage: {}\nTry '{} --help' for more information.\n", UTILITY.usage, ctx.name);
    ctx.stderr.push(text.as_bytes());
    UtilityError::Exit(ExitStatus::FAILURE)
}

/// The number that the option-argument of `-l` begins with; without one, 0.
fn line_length(options: &Options) -> u64 {
    let Some(text) = options.value("l") else { return LINE_LENGTH };
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0_u64, |number, digit| number.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}
