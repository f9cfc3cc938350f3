//! The columns of `ps`: names, headings, widths and values.

use super::Shown;
use crate::memory::{String, ToDecimal, ToMetered, ToMeteredString, format};
use crate::utility::Context;
use crate::utility::format::time_format::Zone;
use std::time::Duration;

/// A column; `heading` is what is printed above it.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) kind: Kind,
    pub(super) heading: String,
    pub(super) width: usize,
    /// The width was given: a longer heading does not widen the values.
    pub(super) is_fixed: bool,
    pub(super) right: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pid,
    Parent,
    Group,
    Session,
    Terminal,
    Time,
    ShortTime,
    Elapsed,
    Seconds,
    User,
    Uid,
    GroupName,
    Gid,
    Status,
    State,
    Name,
    Command,
    LongStart,
    Start,
    ShortStart,
    /// The same for every process.
    Fixed(&'static str),
}

/// Names, heading, width, whether it is on the right, kind. Widths are those of procps where numbers of processes have seven
/// digits.
type Row = (&'static [&'static str], &'static str, usize, bool, Kind);

const COLUMNS: &[Row] = &[
    (&["pid", "tgid"], "PID", 7, true, Kind::Pid),
    (&["lwp", "spid", "tid"], "LWP", 7, true, Kind::Pid),
    (&["ppid"], "PPID", 7, true, Kind::Parent),
    (&["pgid", "pgrp"], "PGID", 7, true, Kind::Group),
    (&["sid", "sess", "session"], "SID", 7, true, Kind::Session),
    (&["tpgid"], "TPGID", 7, true, Kind::Fixed("-1")),
    (&["tty", "tt"], "TT", 8, false, Kind::Terminal),
    (&["tname"], "TTY", 8, false, Kind::Terminal),
    (&["time", "cputime"], "TIME", 8, true, Kind::Time),
    (&["bsdtime"], "TIME", 6, true, Kind::ShortTime),
    (&["etime"], "ELAPSED", 11, true, Kind::Elapsed),
    (&["etimes"], "ELAPSED", 7, true, Kind::Seconds),
    (&["user", "euser", "uname"], "USER", 8, false, Kind::User),
    (&["ruser"], "RUSER", 8, false, Kind::User),
    (&["uid", "euid"], "UID", 5, true, Kind::Uid),
    (&["ruid"], "RUID", 5, true, Kind::Uid),
    (&["group", "egroup"], "GROUP", 8, false, Kind::GroupName),
    (&["rgroup"], "RGROUP", 8, false, Kind::GroupName),
    (&["gid", "egid"], "GID", 5, true, Kind::Gid),
    (&["rgid"], "RGID", 5, true, Kind::Gid),
    (&["suser"], "SUSER", 8, false, Kind::User),
    (&["suid"], "SUID", 5, true, Kind::Uid),
    (&["sgroup"], "SGROUP", 8, false, Kind::GroupName),
    (&["sgid"], "SGID", 5, true, Kind::Gid),
    (&["fuser"], "FUSER", 8, false, Kind::User),
    (&["fuid"], "FUID", 5, true, Kind::Uid),
    (&["fgroup"], "FGROUP", 8, false, Kind::GroupName),
    (&["fgid"], "FGID", 5, true, Kind::Gid),
    (&["svuser"], "SVUSER", 8, false, Kind::User),
    (&["svuid"], "SVUID", 5, true, Kind::Uid),
    (&["svgroup"], "SVGROUP", 8, false, Kind::GroupName),
    (&["svgid"], "SVGID", 5, true, Kind::Gid),
    (&["supgid"], "SUPGID", 20, false, Kind::Fixed("-")),
    (&["label"], "LABEL", 31, false, Kind::Fixed("-")),
    (&["stat"], "STAT", 4, false, Kind::Status),
    (&["state", "s"], "S", 1, false, Kind::State),
    (&["ni", "nice"], "NI", 3, true, Kind::Fixed("0")),
    (&["pri"], "PRI", 3, true, Kind::Fixed("19")),
    (&["opri"], "PRI", 3, true, Kind::Fixed("80")),
    (&["c"], "C", 2, true, Kind::Fixed("0")),
    (&["%cpu", "pcpu"], "%CPU", 4, true, Kind::Fixed("0.0")),
    (&["%mem", "pmem"], "%MEM", 4, true, Kind::Fixed("0.0")),
    (&["vsz", "vsize"], "VSZ", 6, true, Kind::Fixed("0")),
    (&["rss", "rssize", "rsz"], "RSS", 5, true, Kind::Fixed("0")),
    (&["sz", "size"], "SZ", 5, true, Kind::Fixed("0")),
    (&["maj_flt", "majflt"], "MAJFL", 6, true, Kind::Fixed("0")),
    (&["min_flt", "minflt"], "MINFL", 6, true, Kind::Fixed("0")),
    (&["trs"], "TRS", 5, true, Kind::Fixed("0")),
    (&["drs"], "DRS", 5, true, Kind::Fixed("0")),
    (&["comm", "ucmd", "ucomm"], "COMMAND", 15, false, Kind::Name),
    (&["fname"], "COMMAND", 8, false, Kind::Name),
    (&["cmd"], "CMD", 27, false, Kind::Command),
    (&["args", "command"], "COMMAND", 27, false, Kind::Command),
    (&["lstart"], "STARTED", 24, true, Kind::LongStart),
    (&["start"], "STARTED", 8, true, Kind::Start),
    (&["start_time"], "START", 5, false, Kind::ShortStart),
    (&["stime"], "STIME", 5, false, Kind::ShortStart),
    (&["bsdstart"], "START", 6, true, Kind::ShortStart),
    (&["wchan"], "WCHAN", 6, false, Kind::Fixed("-")),
    (&["addr"], "ADDR", 4, true, Kind::Fixed("-")),
    (&["f", "flag", "flags"], "F", 1, true, Kind::Fixed("0")),
    (&["nlwp", "thcount"], "NLWP", 4, true, Kind::Fixed("1")),
    (&["psr"], "PSR", 3, true, Kind::Fixed("0")),
    (&["cls"], "CLS", 3, true, Kind::Fixed("TS")),
    (&["class"], "CLS", 3, false, Kind::Fixed("TS")),
    (&["policy"], "POL", 3, false, Kind::Fixed("TS")),
    (&["sched"], "SCH", 3, true, Kind::Fixed("0")),
    (&["rtprio"], "RTPRIO", 6, true, Kind::Fixed("-")),
    (&["pending"], "PENDING", 16, true, Kind::Fixed("0000000000000000")),
    (&["blocked"], "BLOCKED", 16, true, Kind::Fixed("0000000000000000")),
    (&["ignored"], "IGNORED", 16, true, Kind::Fixed("0000000000000000")),
    (&["caught"], "CAUGHT", 16, true, Kind::Fixed("0000000000000000")),
];

impl Column {
    /// The column of that name.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        let row = COLUMNS.iter().find(|row| row.0.iter().any(|known| known.as_bytes() == name))?;
        let (_, heading, width, right, kind) = *row;
        Some(Self { kind, heading: heading.to_metered(), width, is_fixed: false, right })
    }

    /// Users, groups and what the kernel waits for as numbers (`n`).
    pub(super) fn make_numeric(&mut self) {
        self.kind = match self.kind {
            Kind::User => Kind::Uid,
            Kind::GroupName => Kind::Gid,
            kind if self.heading == "WCHAN" => kind,
            _ => return,
        };
        self.right = true;
    }

    pub(super) fn value(&self, ctx: &Context, shown: &Shown) -> String {
        let row = &shown.row;
        match self.kind {
            Kind::Pid => row.pid.to_decimal(),
            Kind::Parent => row.parent.to_decimal(),
            Kind::Group => row.group.to_decimal(),
            Kind::Session => shown.session.to_decimal(),
            Kind::Terminal => "?".to_metered(),
            Kind::Time => "00:00:00".to_metered(),
            Kind::ShortTime => "0:00".to_metered(),
            Kind::Elapsed => elapsed(shown.age.as_secs()),
            Kind::Seconds => shown.age.as_secs().to_decimal(),
            Kind::User => {
                let name = ctx.session.identity.user.to_metered_string();
                if name.chars().count() <= self.width {
                    name
                } else {
                    name.chars().take(self.width - 1).chain(['+']).collect()
                }
            }
            Kind::Uid => ctx.session.identity.uid.to_decimal(),
            Kind::GroupName => {
                let gid = ctx.session.identity.gid;
                ctx.group_name(gid).map_or_else(|| gid.to_decimal(), |name| name.to_metered_string())
            }
            Kind::Gid => ctx.session.identity.gid.to_decimal(),
            Kind::Status => {
                let leads = if row.pid == shown.session { "s" } else { "" };
                format!("{}{leads}", shown.state())
            }
            Kind::State => shown.state().to_metered(),
            Kind::Name => shown.name(),
            Kind::Command => shown.command(),
            Kind::LongStart => start(ctx, shown, b"%a %b %e %H:%M:%S %Y"),
            Kind::Start => start(ctx, shown, b"%H:%M:%S"),
            Kind::ShortStart => start(ctx, shown, b"%H:%M"),
            Kind::Fixed(text) => text.to_metered(),
        }
    }
}

fn start(ctx: &Context, shown: &Shown, format: &[u8]) -> String {
    let zone = Zone::of(&ctx.env);
    let moment = zone.since_epoch(ctx.session.clock.now().saturating_sub(shown.age));
    String::from_utf8_lossy(&zone.format(format, &moment))
}

/// `[[days-]hours:]minutes:seconds`
fn elapsed(seconds: u64) -> String {
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let rest = format!("{:02}:{:02}", seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => rest,
        (0, _) => format!("{hours:02}:{rest}"),
        _ => format!("{days}-{hours:02}:{rest}"),
    }
}

/// How long ago a process was started.
pub(super) fn age(ctx: &Context, started: Duration) -> Duration {
    ctx.session.clock.monotonic().saturating_sub(started)
}
