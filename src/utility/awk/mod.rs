//! `awk`: a pattern scanning and processing language. gawk(1) 5.2 as scripts use it, and POSIX.
//!
//! `lexer` and `parser` (with `expression`) make a `Program` of operations (`op`), which `machine` runs on a stack of
//! `value`s, with `field` for the record, `array`, `function`, `format` and `time` for what the language offers. `run`
//! drives it, with `input` and `stream` for what takes waiting.
//!
//! Left out: `@include`, indirect calls, arrays of arrays, coprocesses (`|&`), orders of `PROCINFO["sorted_in"]` that the
//! program makes itself. `for (k in a)` goes in the order of insertion, unless `PROCINFO["sorted_in"]`
//! names one of gawk's orders.

mod arithmetic;
mod array;
mod call;
mod error;
mod expression;
mod field;
mod format;
mod function;
mod in_place;
mod input;
mod letter_case;
mod lexer;
mod machine;
mod matching;
mod number;
mod op;
mod output;
mod parser;
mod record;
mod replacement;
mod report;
mod run;
mod sort;
mod sorting;
mod statement;
mod stream;
#[cfg(test)]
mod tests;
mod time;
mod value;
mod variable;

use crate::memory::{JoinMetered, String, ToMeteredString, Vec, format, vec};
use crate::utility::context::ticker::regex_options;
use crate::utility::prelude::*;
use crate::utility::regex::{Dialect, Regex, RegexError, RegexOptions, Syntax};
use error::{Fault, Notice, ProgramPart};
use in_place::InPlace;
use machine::Machine;
use parser::Sources;
use run::Runner;
use std::sync::Arc;

pub(super) const UTILITY: Utility = Utility {
    name: "awk",
    summary: "pattern scanning and processing language",
    usage: "awk [-F fs] [-v var=val]... [--] 'program' [file...]\nawk [-F fs] [-v var=val]... -f progfile... [--] [file...]",
    options: Opt::TABLE,
    examples: &[example("printf 'a b\\nc d\\n' | awk '{ print $2 }'", "b\nd\n")],
    operands_end_options: true,
    help_letter: Some('h'),
    version_letter: Some('V'),
    run: start!(run_awk),
    ..Utility::BASE
};

options! {
    pub(super) enum Opt {
        File = value('f', "file", "PROGFILE", "take the program from PROGFILE; several are joined"),
        FieldSeparator = value('F', "field-separator", "FS", "set FS before the program begins"),
        Assign = value('v', "assign", "VAR=VAL", "assign to a variable before the program begins"),
        Include = value('i', "include", "LIBRARY", "`inplace' edits the files in place; there are no others"),
        Source = value('e', "source", "PROGRAM-TEXT", "take PROGRAM-TEXT as program, beside that of -f"),
        LocaleNumbers = flag('N', "use-lc-numeric", "print numbers with the locale's decimal point"),
        Optimize = flag('O', "optimize", "optimize the program, as always"),
        Intervals = flag('r', "re-interval", "braces in expressions count repeats, as always"),
        NoOptimize = flag('s', "no-optimize", "do not optimize the program"),
        Sandbox = flag('S', "sandbox", "no `system', no redirection of input and output"),
    }
}

async fn run_awk(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY).await
}

pub(super) async fn run_gawk(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &super::gawk::UTILITY).await
}

/// Exit status: that of `exit`, 0 without; 1 for a wrong program or usage; 2 when the program could not go on.
async fn run(ctx: &mut Context, utility: &'static Utility) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(utility)?;
    let mut operands = options.operands.clone();
    let assignments = assignments(ctx, &options)?;
    let (text, sources) = program_text(ctx, &options, &mut operands).await?;
    ctx.compiles(&text).await;
    let regex_options = regex_options(&ctx.meter);
    let (program, notices) = parser::parse(text, &sources, regex_options.clone());
    for Notice { line, text, .. } in notices {
        let (source, line) = sources.locate(line);
        ctx.warn(format_args!("{source}:{line}: {text}"));
    }
    let program = program.map_err(|error| error.into_error(&ctx.name))?;
    let machine =
        Machine::new(&program, &ctx.meter, regex_options, zone(ctx), Arc::clone(&ctx.session.clock));
    let mut runner = Runner::new(&program, &sources, machine);
    runner.in_place = in_place(&options)?;
    runner.is_sandboxed = options.has(Opt::Sandbox);
    let mut arguments = vec![ctx.name.clone()];
    arguments.append(&mut operands);
    prepare(ctx, assignments, &mut runner, &arguments)?;
    let status = runner.run(ctx).await;
    drop(runner);
    status
}

/// Whether files are edited in place: `-i inplace`, with `-v inplace::suffix=...`.
fn in_place(options: &Options<Opt>) -> Result<Option<InPlace>, UtilityError> {
    for name in options.values(Opt::Include) {
        if **name != *b"inplace" {
            let message =
                format!("fatal: cannot open source file `{name}' for reading: {}", Errno::NotFound.message());
            return Err(UtilityError::Failed { message, status: 2 });
        }
    }
    let suffix = options.values(Opt::Assign).filter_map(|text| suffix_of(text)).last();
    Ok(options.has(Opt::Include).then(|| InPlace::new(suffix)))
}

fn suffix_of(assignment: &[u8]) -> Option<Text> {
    let names: [&[u8]; 2] = [b"inplace::suffix=", b"INPLACE_SUFFIX="];
    names.iter().find_map(|name| assignment.strip_prefix(*name)).map(Text::from)
}

/// The variables that options set, and bytes after a backslash of which was warned.
struct Assignments {
    variables: Vec<(Text, Text)>,
    warned_escapes: Vec<u8>,
}

/// The variables that `-F` and `-v` set, in this order, and their values.
fn assignments(ctx: &mut Context, options: &Options<Opt>) -> Result<Assignments, UtilityError> {
    let mut assignments = Vec::new();
    let (mut warned, mut told) = (Vec::new(), Vec::new());
    for (option, argument) in options.given() {
        let (name, mut value): (&[u8], Text) = match (option, argument) {
            (Opt::FieldSeparator, Some(value)) => {
                // A backslash at the end is kept.
                let slashes = value.iter().rev().take_while(|byte| **byte == b'\\').count();
                let end: &[u8] = if slashes % 2 == 1 { b"\\" } else { b"" };
                (b"FS", Text::from([value.as_bytes(), end].concat_metered()))
            }
            (Opt::Assign, Some(text)) if !text.contains(&b'=') => {
                let (name, shown) = (bstr::BStr::new(&ctx.name), String::from_utf8_lossy(text));
                let text = format!("{name}: `{shown}' argument to `-v' not in `var=value' form\n\n");
                ctx.stderr.push(text.as_bytes());
                return Err(usage(ctx));
            }
            (Opt::Assign, Some(text)) if suffix_of(text).is_none() => {
                let equals = memchr::memchr(b'=', text).unwrap_or(text.len());
                (text.get(..equals).unwrap_or(&[]), Text::from(text.get(equals + 1..).unwrap_or(&[])))
            }
            _ => continue,
        };
        let shown = String::from_utf8_lossy(name);
        let problem = if !run::is_name(name) {
            format!("fatal: `{shown}' is not a legal variable name")
        } else if lexer::is_reserved(name) {
            format!("fatal: cannot use gawk builtin `{shown}' as variable name")
        } else {
            let mut warnings = Vec::new();
            value = Text::from(run::unescape(&value, &mut warnings));
            for warning in warnings {
                // Each is told once.
                if !told.contains(&warning) {
                    ctx.warn(format_args!("{warning}"));
                    told.push(warning);
                }
            }
            if name == b"FS" && value.len() > 1 {
                check_separator(ctx, &value, &mut warned)?;
            }
            assignments.push((Text::from(name), value));
            continue;
        };
        return Err(UtilityError::Failed { message: problem, status: 2 });
    }
    Ok(Assignments { variables: assignments, warned_escapes: warned })
}

/// An expression that separates fields is looked at where it is given.
fn check_separator(ctx: &mut Context, value: &Text, warned: &mut Vec<u8>) -> Result<(), UtilityError> {
    for byte in lexer::unknown_escapes(value, warned) {
        ctx.warn(format_args!("{}", lexer::regex_escape_warning(byte)));
    }
    let options = RegexOptions { dialect: Dialect::Awk, ..regex_options(&ctx.meter) };
    match Regex::new(value, Syntax::Extended, &options) {
        Ok(_) | Err(RegexError::Stopped(_)) => Ok(()),
        Err(error) => {
            let shown = String::from_utf8_lossy(value);
            let message = format!("fatal: invalid regexp: {error}: /{shown}/");
            Err(UtilityError::Failed { message, status: 2 })
        }
    }
}

/// Sets `ENVIRON`, `ARGV`, `FS` and the variables of `-v`.
fn prepare(
    ctx: &Context,
    assignments: Assignments,
    runner: &mut Runner<'_>,
    arguments: &[Text],
) -> Result<(), UtilityError> {
    let result = runner.set_arrays(&ctx.env, arguments);
    result.map_err(|fault| runner.error(fault))?;
    runner.know_escapes(assignments.warned_escapes);
    for (name, value) in assignments.variables {
        if runner.is_function(&name) {
            let shown = String::from_utf8_lossy(&name);
            let message = format!("cmd. line:1: error: function name `{shown}' previously defined");
            return Err(UtilityError::failed(message));
        }
        if let Err(fault) = runner.set(&name, value) {
            return Err(match fault {
                Fault::Fatal(message) => {
                    UtilityError::Failed { message: format!("fatal: {message}"), status: 2 }
                }
                fault => runner.error(fault),
            });
        }
    }
    Ok(())
}

/// The program's text: of every `-f` and `-e`, or the first operand.
async fn program_text(
    ctx: &mut Context,
    options: &Options<Opt>,
    operands: &mut Vec<Text>,
) -> Result<(Vec<u8>, Sources), UtilityError> {
    let mut text: Vec<u8> = Vec::new();
    let mut parts = Vec::new();
    let mut add = |source, part: &[u8]| {
        let first_line = 1 + memchr::memchr_iter(b'\n', &text).count() as u32;
        let source_is_text = source == ProgramPart::CommandLine;
        parts.push((source, first_line));
        text.extend_from_slice(part);
        if source_is_text || !part.ends_with(b"\n") {
            text.push(b'\n');
        }
    };
    let (mut is_given, mut ends_open) = (false, false);
    for (option, argument) in options.given() {
        match (option, argument) {
            (Opt::Source, Some(part)) => {
                add(ProgramPart::CommandLine, part);
                ends_open = true;
            }
            (Opt::File, Some(name)) => {
                let failure = |error: FsError| match error {
                    FsError::Limit(limit) => limit.into(),
                    FsError::Errno(errno) => UtilityError::Failed {
                        message: format!(
                            "fatal: cannot open source file `{name}' for reading: {}",
                            errno.message()
                        ),
                        status: 2,
                    },
                };
                let mut input = ctx.open_input(name).map_err(failure)?;
                let part = input.read_to_end().await.map_err(failure)?;
                add(ProgramPart::File(name.to_metered_string()), &part);
                ends_open = !part.ends_with(b"\n");
            }
            _ => continue,
        }
        is_given = true;
    }
    if !is_given {
        if operands.is_empty() {
            return Err(usage(ctx));
        }
        let program = operands.remove(0);
        add(ProgramPart::CommandLine, &program);
        ends_open = true;
    }
    if ends_open {
        text.pop();
    }
    Ok((text, Sources(parts)))
}

/// The usage, on standard error.
fn usage(ctx: &mut Context) -> UtilityError {
    let text = "Usage: awk [POSIX or GNU style options] -f progfile [--] file ...\n\
                Usage: awk [POSIX or GNU style options] [--] 'program' file ...\n";
    ctx.stderr.push(text.as_bytes());
    UtilityError::Exit(ExitStatus::FAILURE)
}

/// The time zone that `TZ` names; UTC where it names none.
fn zone(ctx: &Context) -> jiff::tz::TimeZone {
    let name = ctx.env.get(b"TZ").and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("UTC");
    let name = name.trim_start_matches(':');
    if name == "UTC" {
        // Nothing has to be looked up: reading the database takes milliseconds.
        return jiff::tz::TimeZone::UTC;
    }
    jiff::tz::TimeZone::get(name)
        .or_else(|_| jiff::tz::TimeZone::posix(name))
        .unwrap_or(jiff::tz::TimeZone::UTC)
}
