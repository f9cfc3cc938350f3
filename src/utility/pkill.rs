//! `pkill`: sends a signal to processes of the run that are chosen as `pgrep` chooses them. procps pkill(1).

use super::pgrep::select::{Criteria, SelectOpt};
use crate::memory::{Vec, format};
use crate::utility::format::signal;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Signal = value('\0', "signal", "sig", "signal to send (either number or name; also -<sig>)"),
        Echo = flag('e', "echo", "display what is killed"),
        Select(SelectOpt),
        Inverse = flag('\0', "inverse", "negates the matching"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "pkill",
    summary: "signal processes based on name and other attributes",
    usage: "pkill [options] <pattern>",
    options: Opt::TABLE,
    examples: &[example("sleep 9 & pkill sleep; wait $!; echo $?", "143\n")],
    usage_status: 2,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// Exit status: 0; 1 when no process matched; 2 for a usage error.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    // `-9`, `-TERM`, `-SIGTERM`: what names a signal is none of the letters.
    let mut chosen = None;
    let mut rest: Vec<Text> = Vec::new();
    for arg in &args {
        let number = arg.strip_prefix(b"-").filter(|_| chosen.is_none()).and_then(signal::number);
        match number {
            Some(number) => chosen = Some(number),
            None => rest.push(arg.clone()),
        }
    }
    ctx.args = rest;
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(name) = options.value(Opt::Signal) {
        let unknown = || UtilityError::Failed { message: format!("unknown signal: {name}"), status: 2 };
        chosen = Some(signal::number(name).ok_or_else(unknown)?);
    }
    let criteria = Criteria::read(ctx, &options, options.has(Opt::Inverse)).await?;
    let rows = criteria.select(ctx, &args).await?;
    if options.has(SelectOpt::Count) {
        ctx.stdout.write(format!("{}\n", rows.len()).as_bytes()).await?;
    }
    for row in &rows {
        if options.has(Opt::Echo) {
            ctx.stdout.write(format!("{} killed (pid {})\n", row.name(), row.pid).as_bytes()).await?;
        }
        ctx.commands.signal(row.pid, chosen.unwrap_or(signal::TERM));
    }
    ctx.stdout.flush().await?;
    // The signals go out when it waits; where it is killed itself, it ends here.
    crate::utility::yield_now().await;
    Ok(if rows.is_empty() { ExitStatus::FAILURE } else { ExitStatus::SUCCESS })
}
