//! `dc`: a calculator with a stack. GNU dc(1) 1.4.1. The numbers are those of `bc`; strings that are run are on a stack of their
//! own, so that nothing a program nests uses the host's.

mod run;

use super::context::options::{help, version};
use super::decimal::fold::line_length;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;
use run::Machine;

options! {
    enum Opt {
        Expression = value('e', "expression", "EXPR", "evaluate expression"),
        File = value('f', "file", "FILE", "evaluate contents of file"),
        Help = flag('h', "help", "display this help and exit"),
        Version = flag('V', "version", "output version information and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "dc",
    summary: "an arbitrary precision calculator in reverse polish notation",
    usage: "dc [OPTION] [file ...]",
    options: Opt::TABLE,
    examples: &[example("dc -e '2 3 + p'", "5\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if ctx.args.iter().any(|arg| arg.as_bytes() == b"--help") {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Help) {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut machine = Machine::new(line_length(ctx, b"DC_LINE_LENGTH"));
    for (option, argument) in options.given() {
        let Some(argument) = argument else { continue };
        let has_quit = match option {
            Opt::Expression => machine.run(ctx, argument.as_bytes().into()).await?,
            Opt::File => file(ctx, &mut machine, argument).await?,
            _ => false,
        };
        if has_quit {
            return Ok(ExitStatus::SUCCESS);
        }
    }
    for name in &options.operands {
        if file(ctx, &mut machine, name).await? {
            return Ok(ExitStatus::SUCCESS);
        }
    }
    if options.operands.is_empty() && options.given().next().is_none() {
        file(ctx, &mut machine, &Text::from_static(b"-")).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// Runs a file; whether the program said to quit.
async fn file(ctx: &mut Context, machine: &mut Machine, name: &Text) -> Result<bool, UtilityError> {
    let text: Result<Vec<u8>, FsError> = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    match text {
        Ok(text) => machine.run(ctx, text).await,
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => {
            ctx.warn(format!("Could not open file {name}"));
            Ok(false)
        }
    }
}
