//! `ulimit`: shows the sandbox's limits in bash's terms. Bash manual 4.2.
//!
//! The limits of a run are its host's. A shell can lower what it is told, for itself and its children. Only the number of
//! open files is enforced then; what a script may use of all else is still bounded by the run's limits alone.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::flag;
use super::row::{Act, Builtin, Flow};
use crate::limit::Limits;
use crate::memory::{Arc, ToDecimal, ToMetered, Vec, format};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static ULIMIT: Builtin = Builtin {
    name: "ulimit",
    special: false,
    synopsis: "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
    help: "Modify shell resource limits.",
    options: &[
        flag(b'S', "the soft limit"),
        flag(b'H', "the hard limit"),
        flag(b'a', "show all limits"),
        flag(b'c', "core file size"),
        flag(b'd', "size of a process's data"),
        flag(b'e', "scheduling priority"),
        flag(b'f', "size of files that are written"),
        flag(b'i', "pending signals"),
        flag(b'l', "locked memory"),
        flag(b'm', "memory"),
        flag(b'n', "open files"),
        flag(b'p', "size of the buffer of a pipe"),
        flag(b'q', "bytes in message queues"),
        flag(b'r', "real-time priority"),
        flag(b's', "stack size"),
        flag(b't', "processor time"),
        flag(b'u', "processes"),
        flag(b'v', "virtual memory"),
        flag(b'R', "real-time without blocking"),
    ],
    act: Act::Shell(ulimit),
};

/// A resource: letter, what `-a` says, its unit, bytes or the like in one unit.
struct Resource {
    letter: u8,
    name: &'static str,
    unit: &'static str,
}

const RESOURCES: [Resource; 16] = [
    Resource { letter: b'R', name: "real-time non-blocking time", unit: "microseconds" },
    Resource { letter: b'c', name: "core file size", unit: "blocks" },
    Resource { letter: b'd', name: "data seg size", unit: "kbytes" },
    Resource { letter: b'e', name: "scheduling priority", unit: "" },
    Resource { letter: b'f', name: "file size", unit: "blocks" },
    Resource { letter: b'i', name: "pending signals", unit: "" },
    Resource { letter: b'l', name: "max locked memory", unit: "kbytes" },
    Resource { letter: b'm', name: "max memory size", unit: "kbytes" },
    Resource { letter: b'n', name: "open files", unit: "" },
    Resource { letter: b'p', name: "pipe size", unit: "512 bytes" },
    Resource { letter: b'q', name: "POSIX message queues", unit: "bytes" },
    Resource { letter: b'r', name: "real-time priority", unit: "" },
    Resource { letter: b's', name: "stack size", unit: "kbytes" },
    Resource { letter: b't', name: "cpu time", unit: "seconds" },
    Resource { letter: b'u', name: "max user processes", unit: "" },
    Resource { letter: b'v', name: "virtual memory", unit: "kbytes" },
];

/// What the run allows; `None`: unlimited.
fn run_limit(letter: u8, limits: &Limits) -> Option<u64> {
    let bounded = |value: u64| (value != u64::MAX).then_some(value);
    match letter {
        b'c' | b'e' | b'i' | b'l' | b'q' | b'r' => Some(0),
        b'd' | b'm' | b'v' => bounded(limits.live_bytes).map(|bytes| bytes / 1024),
        b'f' => bounded(limits.file_system_bytes).map(|bytes| bytes / 1024),
        b'n' => Some(1024),
        b'p' => Some(8),
        b't' => bounded(limits.wall_time_ms).map(|time| time.div_ceil(1000)),
        b'u' => bounded(limits.processes),
        _ => None,
    }
}

fn ulimit(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let hard = options.has(b'H');
    let limits = ctx.meter.limits().clone();
    if options.has(b'a') {
        for resource in &RESOURCES {
            show(ctx, &limits, resource, hard, true);
        }
        return Ok(Flow::Status(0));
    }
    let mut chosen: Vec<u8> =
        options.given().map(|given| given.letter).filter(|letter| !b"SHa".contains(letter)).collect();
    if chosen.is_empty() {
        chosen.push(b'f');
    }
    let value = ctx.operands(&options).first();
    for letter in &chosen {
        let Some(resource) = RESOURCES.iter().find(|resource| resource.letter == *letter) else { continue };
        let Some(value) = value else {
            show(ctx, &limits, resource, hard && !options.has(b'S'), chosen.len() > 1);
            continue;
        };
        let both = !hard && !options.has(b'S');
        let bounds = Bounds { soft: both || options.has(b'S'), hard: both || hard };
        lower(ctx, &limits, resource, value, bounds)?;
    }
    Ok(Flow::Status(0))
}

/// Which of the limits of a resource are set.
#[derive(Clone, Copy)]
struct Bounds {
    soft: bool,
    hard: bool,
}

/// The soft and the hard limit that a shell is told.
fn current(ctx: &ShellContext<'_>, limits: &Limits, letter: u8) -> (Option<u64>, Option<u64>) {
    let lowered = ctx.shell.state.resource_limits.iter().find(|lowered| lowered.0 == letter);
    lowered.map_or_else(
        || (run_limit(letter, limits), run_limit(letter, limits)),
        |(_, soft, hard)| (*soft, *hard),
    )
}

fn show(ctx: &mut ShellContext<'_>, limits: &Limits, resource: &Resource, hard: bool, named: bool) {
    let (soft, fixed) = current(ctx, limits, resource.letter);
    let value =
        (if hard { fixed } else { soft }).map_or_else(|| "unlimited".to_metered(), ToDecimal::to_decimal);
    let letter = char::from(resource.letter);
    let _ = match (named, resource.unit) {
        (false, _) => writeln!(ctx.out, "{value}"),
        (true, "") => writeln!(ctx.out, "{:<36}(-{letter}) {value}", resource.name),
        (true, unit) => {
            let unit = format!("({unit}, -{letter})");
            writeln!(ctx.out, "{:<20}{unit:>20} {value}", resource.name)
        }
    };
}

fn lower(
    ctx: &mut ShellContext<'_>,
    limits: &Limits,
    resource: &Resource,
    value: &Text,
    sets: Bounds,
) -> Result<(), BuiltinError> {
    let (mut soft, mut hard) = current(ctx, limits, resource.letter);
    let wanted = match value.as_bytes() {
        b"unlimited" => None,
        b"hard" => hard,
        b"soft" => soft,
        digits if super::options::is_digits(digits) => {
            let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
            Some(number.ok_or_else(|| BuiltinError::LimitOutOfRange(value.clone()))?)
        }
        _ => return Err(BuiltinError::InvalidNumber(value.clone())),
    };
    let is_within = match (wanted, hard) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(wanted), Some(bound)) => wanted <= bound,
    };
    if !is_within {
        return Err(BuiltinError::LimitRefused(resource.name));
    }
    if sets.soft {
        soft = wanted;
    }
    if sets.hard {
        hard = wanted;
    }
    let lowered = Arc::make_mut(&mut ctx.shell.state.resource_limits);
    lowered.retain(|known| known.0 != resource.letter);
    lowered.push((resource.letter, soft, hard));
    if resource.letter == b'n' {
        ctx.shell.state.descriptors.limit(soft.unwrap_or(u64::MAX));
    }
    Ok(())
}
