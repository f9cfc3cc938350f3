//! `ulimit`: shows the sandbox's limits in bash's terms. Bash manual 4.2.
//!
//! The limits of a run are its host's. A shell can lower what it is told, for itself and its children. Only the number of
//! open files is enforced then; what a script may use of all else is still bounded by the run's limits alone.

use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::limit::Limits;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static ULIMIT: Builtin = Builtin {
    name: "ulimit",
    special: false,
    synopsis: "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
    help: "Modify shell resource limits.",
    run,
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

/// A limit of a shell that was lowered: letter, soft, hard.
pub(crate) type Lowered = (u8, Option<u64>, Option<u64>);

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

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"SHacdefilmnpqrstuvR") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let hard = letters.has(b'H');
    let limits = run.services.meter.limits().clone();
    if letters.has(b'a') {
        for resource in &RESOURCES {
            show(process, &limits, resource, hard, true);
        }
        return Ok(Flow::Status(0));
    }
    let mut chosen: Vec<u8> =
        letters.given.iter().map(|(letter, _)| *letter).filter(|letter| !b"SHa".contains(letter)).collect();
    if chosen.is_empty() {
        chosen.push(b'f');
    }
    let value = invocation.args.get(letters.first).cloned();
    for letter in &chosen {
        let Some(resource) = RESOURCES.iter().find(|resource| resource.letter == *letter) else { continue };
        let Some(value) = &value else {
            show(process, &limits, resource, hard && !letters.has(b'S'), chosen.len() > 1);
            continue;
        };
        let both = !hard && !letters.has(b'S');
        if let Err(message) =
            lower(process, &limits, resource, value, both || letters.has(b'S'), both || hard)
        {
            process.report_for(&own, message);
            return Ok(Flow::Status(1));
        }
    }
    Ok(Flow::Status(0))
}

/// The soft and the hard limit that a shell is told.
fn current(process: &Process, limits: &Limits, letter: u8) -> (Option<u64>, Option<u64>) {
    let lowered = process.shell.state.resource_limits.iter().find(|lowered| lowered.0 == letter);
    lowered.map_or_else(
        || (run_limit(letter, limits), run_limit(letter, limits)),
        |(_, soft, hard)| (*soft, *hard),
    )
}

fn show(process: &mut Process, limits: &Limits, resource: &Resource, hard: bool, named: bool) {
    let (soft, fixed) = current(process, limits, resource.letter);
    let value =
        (if hard { fixed } else { soft }).map_or_else(|| "unlimited".to_metered(), |value| value.to_metered_string());
    let letter = char::from(resource.letter);
    let line = match (named, resource.unit) {
        (false, _) => format!("{value}\n"),
        (true, "") => format!("{:<36}(-{letter}) {value}\n", resource.name),
        (true, unit) => {
            let unit = format!("({unit}, -{letter})");
            format!("{:<20}{unit:>20} {value}\n", resource.name)
        }
    };
    process.out.extend_from_slice(line.as_bytes());
}

fn lower(
    process: &mut Process,
    limits: &Limits,
    resource: &Resource,
    value: &Text,
    sets_soft: bool,
    sets_hard: bool,
) -> Result<(), String> {
    let (mut soft, mut hard) = current(process, limits, resource.letter);
    let wanted = match value.as_bytes() {
        b"unlimited" => None,
        b"hard" => hard,
        b"soft" => soft,
        digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
            Some(number.ok_or_else(|| format!("{value}: limit out of range"))?)
        }
        _ => return Err(format!("{value}: invalid number")),
    };
    let refused = || format!("{}: cannot modify limit: Operation not permitted", resource.name);
    let within = |bound: Option<u64>| match (wanted, bound) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(wanted), Some(bound)) => wanted <= bound,
    };
    if !within(hard) {
        return Err(refused());
    }
    if sets_soft {
        soft = wanted;
    }
    if sets_hard {
        hard = wanted;
    }
    let lowered = Arc::make_mut(&mut process.shell.state.resource_limits);
    lowered.retain(|known| known.0 != resource.letter);
    lowered.push((resource.letter, soft, hard));
    if resource.letter == b'n' {
        process.shell.state.descriptors.limit(soft.unwrap_or(u64::MAX));
    }
    Ok(())
}
