//! `pgrep`: finds processes of the run by name and other attributes. procps pgrep(1). `select.rs` has what `pkill` shares.

pub(super) mod select;

use crate::memory::{JoinText, String, ToDecimal, ToMeteredString, Vec, format};
use crate::utility::prelude::*;
use select::{Criteria, SelectOpt};

options! {
    enum Opt {
        Delimiter = value('d', "delimiter", "string", "specify output delimiter"),
        ListName = flag('l', "list-name", "list PID and process name"),
        ListFull = flag('a', "list-full", "list PID and full command line"),
        Inverse = flag('v', "inverse", "negates the matching"),
        Lightweight = flag('w', "lightweight", "list all TID"),
        Select(SelectOpt),
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
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// Exit status: 0; 1 when no process matched; 2 for a usage error.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let criteria = Criteria::read(ctx, &options, options.has(Opt::Inverse)).await?;
    let rows = criteria.select(ctx, &args).await?;
    if options.has(SelectOpt::Count) {
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
