//! `pidof`: finds the processes of the run that run a program. sysvinit pidof(8).

use crate::memory::{JoinText, String, ToDecimal, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Single = flag('s', "", "single shot: one pid only"),
        Quiet = flag('q', "", "quiet: only the exit status"),
        Scripts = flag('x', "", "shells running the named scripts too"),
        Omit = value('o', "", "omitpid", "omit processes with that process id"),
        Separator = value('S', "", "separator", "use separator between pids"),
        SameRoot = flag('c', "", "only processes with the same root"),
        NoStat = flag('n', "", "avoid stat on network file systems") | flag('z', "", "zombies too"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "pidof",
    summary: "find the process ID of a running program",
    usage: "pidof [options] [program [...]]",
    options: Opt::TABLE,
    examples: &[example("sleep 9 & [ $(pidof sleep) = $! ] && echo same; kill $!", "same\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when no such program runs.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let rows = ctx.processes(&args).await;
    let mut found: Vec<String> = Vec::new();
    for row in rows.iter().rev() {
        ctx.tick().await?;
        let pid = row.pid.to_decimal();
        let is_omitted = options.values(Opt::Omit).any(|omitted| omitted.as_bytes() == pid.as_bytes());
        let scripts = options.has(Opt::Scripts).then(|| row.argv.get(1)).flatten();
        let is_named = options.operands.iter().any(|name| {
            let base = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
            let runs = scripts.is_some_and(|script| script.rsplit(|&byte| byte == b'/').next() == Some(base));
            row.name().as_bytes() == base || runs
        });
        if is_named && !is_omitted && !row.asks {
            found.push(pid);
        }
    }
    if options.has(Opt::Single) {
        found.truncate(1);
    }
    if found.is_empty() {
        return Ok(ExitStatus::FAILURE);
    }
    if !options.has(Opt::Quiet) {
        let separator =
            options.value(Opt::Separator).map_or_else(|| " ".into(), |text| String::from_utf8_lossy(text));
        let line = found.iter().map(String::as_str).collect::<Vec<&str>>().join_text(&separator);
        ctx.stdout.write(format!("{line}\n").as_bytes()).await?;
    }
    Ok(ExitStatus::SUCCESS)
}
