//! `pkill`: sends a signal to processes of the run that are chosen as `pgrep` chooses them. procps pkill(1).

use super::pgrep::select::{CRITERIA, Criteria};
use crate::memory::{Vec, format};
use crate::utility::format::signal;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Signal = value('\0', "signal", "sig", "signal to send (either number or name; also -<sig>)"),
        Echo = flag('e', "echo", "display what is killed"),
        Count = flag('c', "count", "count of matching processes"),
        Full = flag('f', "full", "use full process name to match"),
        Group = value('g', "pgroup", "PGID,...", "match listed process group IDs"),
        Gid = value('G', "group", "GID,...", "match real group IDs"),
        IgnoreCase = flag('i', "ignore-case", "match case insensitively"),
        Newest = flag('n', "newest", "select most recently started"),
        Oldest = flag('o', "oldest", "select least recently started"),
        Older = value('O', "older", "seconds", "select where older than seconds"),
        Parent = value('P', "parent", "PPID,...", "match only child processes of the given parent"),
        Session = value('s', "session", "SID,...", "match session IDs"),
        Terminal = value('t', "terminal", "tty,...", "match by controlling terminal"),
        Euid = value('u', "euid", "ID,...", "match by effective IDs"),
        Uid = value('U', "uid", "ID,...", "match by real IDs"),
        Exact = flag('x', "exact", "match exactly with the command name"),
        PidFile = value('F', "pidfile", "file", "read PIDs from file"),
        RunStates = value('r', "runstates", "state", "match runstates [D,S,Z,...]"),
        IgnoreAncestors = flag('A', "ignore-ancestors", "exclude our ancestors from results"),
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
    let criteria = Criteria::read(ctx, CRITERIA, &options, &options.operands).await?;
    let rows = criteria.select(ctx, &args).await?;
    if options.has(Opt::Count) {
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
