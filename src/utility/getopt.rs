//! `getopt`: parses a script's options, in any of their forms, into one that is easy to loop over. util-linux getopt(1).
//!
//! The rules are those of GNU `getopt_long`, over the options that the script names (`getopt/parse.rs`).

mod parse;
mod quoting;

use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::utility::prelude::*;
use parse::{Argument, Grammar, Long};
use quoting::Quoting;

options! {
    enum Opt {
        Alternative = flag('a', "alternative", "allow long options starting with single -"),
        Longoptions = value('l', "longoptions", "LONGOPTS", "the long options to be recognized"),
        Name = value('n', "name", "PROGNAME", "the name under which errors are reported"),
        Options = value('o', "options", "OPTSTRING", "the short options to be recognized"),
        Quiet = flag('q', "quiet", "disable error reporting by getopt(3)"),
        QuietOutput = flag('Q', "quiet-output", "no normal output"),
        Shell = value('s', "shell", "SHELL", "set quoting conventions to those of SHELL"),
        Test = flag('T', "test", "test for getopt(1) version"),
        Unquoted = flag('u', "unquoted", "do not quote the output"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "getopt",
    summary: "parse command options",
    usage: "getopt OPTSTRING PARAMETERS\ngetopt [OPTIONS] [--] OPTSTRING PARAMETERS\n\
            getopt [OPTIONS] -o|--options OPTSTRING [OPTIONS] [--] PARAMETERS",
    options: Opt::TABLE,
    examples: &[example("getopt -o vn: -l verbose,name: -- file -v --name=x", " -v --name 'x' -- 'file'\n")],
    usage_status: 2,
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
};

/// Exit status: 0; 1 when the parameters were wrong, 2 when the options of `getopt` were, 4 with `-T`.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let is_old = ctx.env.get(b"GETOPT_COMPATIBLE").is_some();
    let missing = || UtilityError::Usage("missing optstring argument".into());
    let mut grammar = Grammar::default();
    grammar.stops_early = ctx.env.get(b"POSIXLY_CORRECT").is_some();
    let Some(first) = ctx.args.first() else {
        if !is_old {
            return Err(missing());
        }
        ctx.stdout.write(b" --\n").await?;
        return Ok(ExitStatus::SUCCESS);
    };
    if is_old || !first.starts_with(b"-") {
        let signs = first.iter().take_while(|byte| matches!(**byte, b'-' | b'+')).count();
        grammar.set_short(first.get(signs..).unwrap_or(&[]));
        let parameters = ctx.args.split_off(1);
        let name = ctx.name.clone();
        return generate(ctx, &grammar, &parameters, &name, Quoting::None, true, false).await;
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let quoting = match options.values(Opt::Shell).last().map(Text::as_bytes) {
        None | Some(b"sh" | b"bash") => Quoting::Bourne,
        Some(b"csh" | b"tcsh") => Quoting::C,
        Some(_) => return Err(UtilityError::Usage("unknown shell after -s or --shell argument".into())),
    };
    for list in options.values(Opt::Longoptions) {
        add_long(&mut grammar, list)?;
    }
    if options.has(Opt::Test) {
        return Ok(ExitStatus(4));
    }
    let mut operands = options.operands.as_slice();
    let short = match (options.value(Opt::Options), operands.split_first()) {
        (Some(short), _) => short,
        (None, Some((short, rest))) => {
            operands = rest;
            short
        }
        (None, None) => return Err(missing()),
    };
    grammar.is_alternative = options.has(Opt::Alternative);
    grammar.set_short(short);
    let quoting = if options.has(Opt::Unquoted) { Quoting::None } else { quoting };
    let name = options.value(Opt::Name).unwrap_or(&ctx.name).clone();
    generate(ctx, &grammar, operands, &name, quoting, !options.has(Opt::Quiet), options.has(Opt::QuietOutput))
        .await
}

/// Names of long options, commas or blanks between them; one colon after a name: it has an argument, two: it may have.
fn add_long(grammar: &mut Grammar, list: &[u8]) -> Result<(), UtilityError> {
    for word in list.split(|byte| matches!(byte, b',' | b' ' | b'\t' | b'\n')).filter(|word| !word.is_empty())
    {
        let (name, argument) = match word {
            [name @ .., b':', b':'] => (name, Argument::Optional),
            [name @ .., b':'] => (name, Argument::Required),
            name => (name, Argument::None),
        };
        if name.is_empty() {
            return Err(UtilityError::Usage("empty long option after -l or --long argument".into()));
        }
        grammar.long.push(Long { name: name.to_metered(), argument });
    }
    Ok(())
}

/// Parses the parameters and prints them in order.
async fn generate(
    ctx: &mut Context,
    grammar: &Grammar,
    parameters: &[Text],
    name: &Text,
    quoting: Quoting,
    tells: bool,
    is_quiet: bool,
) -> Result<ExitStatus, UtilityError> {
    let parsed = parse::parse(ctx, grammar, parameters).await?;
    if tells {
        for problem in &parsed.problems {
            ctx.stderr.push(&[name.as_bytes(), b": ", problem, b"\n"].concat_metered());
        }
        ctx.stderr.flush_now();
    }
    let status = ExitStatus(u8::from(parsed.is_wrong));
    if is_quiet {
        return Ok(status);
    }
    let mut line = Vec::new();
    for found in &parsed.options {
        ctx.tick().await?;
        line.clear();
        if let Some(option) = &found.option {
            line.push(b' ');
            line.extend_from_slice(option);
        }
        if let Some(argument) = &found.argument {
            line.push(b' ');
            quoting.push(argument, &mut line);
        }
        ctx.stdout.write(&line).await?;
    }
    ctx.stdout.write(b" --").await?;
    for operand in &parsed.operands {
        ctx.tick().await?;
        line.clear();
        line.push(b' ');
        quoting.push(operand, &mut line);
        ctx.stdout.write(&line).await?;
    }
    ctx.stdout.write(b"\n").await?;
    Ok(status)
}
