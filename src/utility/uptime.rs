//! `uptime`: how long the system has been running. procps uptime(1). A session's system starts with the run.

use super::format::time_format::Zone;
use crate::memory::{String, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Pretty = flag('p', "pretty", "show uptime in pretty format"),
        Since = flag('s', "since", "system up since"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "uptime",
    summary: "tell how long the system has been running",
    usage: "uptime [options]",
    options: Opt::TABLE,
    examples: &[example("uptime -p", "up 0 minutes\n")],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if !options.operands.is_empty() {
        return Err(UtilityError::Usage("unexpected operand".into()));
    }
    let zone = Zone::of(&ctx.env);
    let now = ctx.session.clock.now();
    let up = ctx.session.clock.monotonic().saturating_sub(ctx.meter.started());
    let seconds = up.as_secs();
    let line = if options.has(Opt::Since) {
        let moment = zone.since_epoch(now.saturating_sub(up));
        String::from_utf8_lossy(&zone.format(b"%Y-%m-%d %H:%M:%S", &moment))
    } else if options.has(Opt::Pretty) {
        pretty(seconds)
    } else {
        let clock = zone.format(b"%H:%M:%S", &zone.since_epoch(now));
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        let days = match days {
            0 => String::new(),
            1 => "1 day, ".into(),
            days => format!("{days} days, "),
        };
        let time = if hours > 0 { format!("{hours:2}:{minutes:02}") } else { format!("{minutes} min") };
        format!(" {} up {days}{time},  0 user,  load average: 0.00, 0.00, 0.00", bstr::BStr::new(&clock))
    };
    ctx.stdout.write(format!("{line}\n").as_bytes()).await?;
    Ok(ExitStatus::SUCCESS)
}

fn pretty(seconds: u64) -> String {
    let units = [("week", seconds / 604_800), ("day", seconds / 86_400 % 7), ("hour", seconds / 3600 % 24)];
    let mut line = String::from("up ");
    let mut separator = "";
    for (unit, count) in units.into_iter().filter(|(_, count)| *count > 0) {
        let plural = if count == 1 { "" } else { "s" };
        line.push_str(&format!("{separator}{count} {unit}{plural}"));
        separator = ", ";
    }
    let minutes = seconds / 60 % 60;
    if minutes > 0 || seconds < 60 {
        let plural = if minutes == 1 { "" } else { "s" };
        line.push_str(&format!("{separator}{minutes} minute{plural}"));
    }
    line
}
