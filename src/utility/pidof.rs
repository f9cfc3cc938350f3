//! `pidof`: finds the processes of the run that run a program. sysvinit pidof(8).

use crate::memory::{JoinText, String, ToDecimal, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        SameRoot = flag('c', "", "return PIDs with the same root directory: all of a session have one"),
        Separator = value('d', "", "sep", "use the provided character as output separator"),
        Usage = flag('h', "", "display this help text"),
        NoStat = flag('n', "", "avoid using stat on network shares: a session has none"),
        Omit = value('o', "", "omitpid", "omit results with a given PID; %PPID is the calling shell"),
        Quiet = flag('q', "", "quiet mode: do not display output"),
        Single = flag('s', "", "only return one PID"),
        Scripts = flag('x', "", "return PIDs of shells running scripts with a matching name"),
        Zombies = flag('z', "", "list zombie processes too: a session has none"),
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
    if options.has(Opt::Usage) {
        ctx.stdout.push(super::context::options::help(&UTILITY, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let rows = ctx.processes(&args).await;
    let parent = rows.iter().find(|row| row.asks).map(|row| row.parent.to_decimal());
    let mut omitted: Vec<&[u8]> = Vec::new();
    for list in options.values(Opt::Omit) {
        for item in list.split(|byte| matches!(byte, b',' | b';' | b':')) {
            omitted.push(match &parent {
                Some(parent) if item == b"%PPID" => parent.as_bytes(),
                _ => item,
            });
        }
    }
    let mut found: Vec<String> = Vec::new();
    for row in rows.iter().rev() {
        ctx.tick().await?;
        let pid = row.pid.to_decimal();
        let is_omitted = omitted.contains(&pid.as_bytes());
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
