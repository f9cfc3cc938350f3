//! `pgrep`: finds processes of the run by name and other attributes. procps pgrep(1). `select.rs` has what `pkill` shares.

pub(super) mod select;

use crate::memory::{JoinText, String, ToDecimal, ToMeteredString, Vec, format};
use crate::utility::prelude::*;
use select::{CRITERIA, Criteria};

options! {
    enum Opt {
        Delimiter = value('d', "delimiter", "string", "specify output delimiter"),
        ListName = flag('l', "list-name", "list PID and process name"),
        ListFull = flag('a', "list-full", "list PID and full command line"),
        Inverse = flag('v', "inverse", "negates the matching"),
        Lightweight = flag('w', "lightweight", "list all TID"),
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
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "pgrep",
    summary: "look up processes based on name and other attributes",
    usage: "pgrep [options] <pattern>",
    options: Opt::TABLE,
    examples: &[example("sleep 9 & pgrep -l sleep | cut -d' ' -f2; kill $!", "sleep\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0; 1 when no process matched; 2 for a usage error.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let criteria = Criteria::read(ctx, CRITERIA, &options, &options.operands).await?;
    let rows = criteria.select(ctx, &args).await?;
    if options.has(Opt::Count) {
        ctx.stdout.write(format!("{}\n", rows.len()).as_bytes()).await?;
        return Ok(if rows.is_empty() { ExitStatus::FAILURE } else { ExitStatus::SUCCESS });
    }
    let delimiter =
        options.value(Opt::Delimiter).map_or_else(|| "\n".into(), ToMeteredString::to_metered_string);
    let last = rows.len().saturating_sub(1);
    for (index, row) in rows.iter().enumerate() {
        let mut line: String = row.pid.to_decimal();
        if options.has(Opt::ListFull) {
            let parts: Vec<String> = row.argv.iter().map(ToMeteredString::to_metered_string).collect();
            line =
                format!("{line} {}", parts.iter().map(String::as_str).collect::<Vec<&str>>().join_text(" "));
        } else if options.has(Opt::ListName) {
            line = format!("{line} {}", row.name());
        }
        ctx.stdout.push(line.as_bytes());
        let end = if index == last { "\n" } else { delimiter.as_str() };
        ctx.stdout.write(end.as_bytes()).await?;
    }
    Ok(if rows.is_empty() { ExitStatus::FAILURE } else { ExitStatus::SUCCESS })
}
