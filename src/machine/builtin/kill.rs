//! `kill`: signals to this shell, to its jobs and to the other processes of the run. Bash manual 7.2.

use crate::memory::{ToMetered, ToMeteredString, Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::trap::{self, Signal};
use crate::text::Text;
use std::task::Context;

pub(super) static KILL: Builtin = Builtin {
    name: "kill",
    special: false,
    synopsis: "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    help: "Send a signal to a job.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let own = invocation.name();
    let mut at = 1;
    let mut signal = trap::TERM;
    let mut chosen = false;
    while let Some(arg) = invocation.args.get(at) {
        let spec = match arg.as_bytes() {
            b"--" => {
                at += 1;
                break;
            }
            b"--help" => {
                letter_options::show_help(process, invocation);
                return Ok(Flow::Status(2));
            }
            b"-l" | b"-L" => {
                let names = invocation.args.get(at + 1..).unwrap_or(&[]);
                return Ok(Flow::Status(list(process, &own, names)));
            }
            b"-s" | b"-n" => {
                at += 1;
                let Some(spec) = invocation.args.get(at) else {
                    process.report_for(&own, format_args!("{arg}: option requires an argument"));
                    return Ok(letter_options::usage(process, invocation));
                };
                spec.clone()
            }
            [b'-', rest @ ..] if !rest.is_empty() && !chosen => match rest {
                [b's' | b'n', value @ ..] if trap::kill_signal(rest).is_none() => Text::from(value),
                _ => Text::from(rest),
            },
            _ => break,
        };
        let Some(number) = trap::kill_signal(&spec) else {
            process.report_for(&own, format_args!("{spec}: invalid signal specification"));
            return Ok(Flow::Status(1));
        };
        signal = number;
        chosen = true;
        at += 1;
    }
    let targets = invocation.args.get(at..).unwrap_or(&[]);
    if targets.is_empty() {
        return Ok(letter_options::usage(process, invocation));
    }
    let mut sent = false;
    for target in targets {
        sent |= send(process, run, &own, target, signal);
    }
    Ok(Flow::Status(u8::from(!sent)))
}

/// Sends to one operand. Whether it could be sent.
fn send(process: &mut Process, run: &mut Run, own: &Text, target: &Text, signal: Signal) -> bool {
    if target.first() == Some(&b'%') {
        let Some(job) = process.shell.state.jobs.find(target) else {
            if process.shell.state.jobs.is_ambiguous(target) {
                let spec = bstr::BStr::new(target.get(1..).unwrap_or(&[]));
                process.report_for(own, format_args!("{spec}: ambiguous job spec"));
                return false;
            }
            process.report_for(own, format_args!("{target}: no such job"));
            return false;
        };
        let pid = job.pid;
        if run.alive.contains(&pid) && signal != 0 {
            run.signal_trees.push((pid, signal));
        }
        return true;
    }
    if target.is_empty() {
        process.report_for(own, "`': not a pid or valid job spec");
        return false;
    }
    let Some(number) = crate::machine::variable::plain_integer(target).filter(|_| is_number(target)) else {
        process.report_for(own, format_args!("{target}: arguments must be process or job IDs"));
        return false;
    };
    if number <= 0 {
        return send_to_group(process, run, own, number, signal);
    }
    let Some(pid) = u32::try_from(number).ok().filter(|&pid| run.alive.contains(&pid) || process.is_own(pid))
    else {
        // A child that has ended and was not waited for can still be signalled.
        let known = u32::try_from(number).is_ok_and(|pid| process.shell.state.jobs.is_zombie(pid));
        if !known {
            process.report_for(own, format_args!("({number}) - No such process"));
        }
        return known;
    };
    if signal != 0 {
        if process.is_own(pid) {
            process.deliver(pid, signal);
        } else {
            run.signals.push((pid, signal));
        }
    }
    true
}

fn is_number(target: &[u8]) -> bool {
    let digits = target.strip_prefix(b"-").unwrap_or(target);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// `0`: every process of the run; a negative number: the job with that leader.
fn send_to_group(process: &mut Process, run: &mut Run, own: &Text, number: i64, signal: Signal) -> bool {
    let leader = u32::try_from(number.saturating_neg()).unwrap_or(u32::MAX);
    if leader == 0 {
        if signal != 0 {
            let own_pid = process.process_pid();
            let others: Vec<u32> = run.alive.iter().copied().filter(|&pid| pid != own_pid).collect();
            run.signals.extend(others.into_iter().map(|pid| (pid, signal)));
            let pid = process.shell.state.pid;
            process.deliver(pid, signal);
        }
        return true;
    }
    if run.alive.contains(&leader) && !process.is_own(leader) {
        if signal != 0 {
            run.signal_trees.push((leader, signal));
        }
        return true;
    }
    process.report_for(own, format_args!("({number}) - No such process"));
    false
}

/// `-l`
fn list(process: &mut Process, own: &Text, names: &[Text]) -> u8 {
    if names.is_empty() {
        list_signals(&mut process.out);
        return 0;
    }
    let mut status = 0;
    for name in names {
        let digits = !name.is_empty() && name.iter().all(u8::is_ascii_digit);
        let shown = if digits {
            let number = std::str::from_utf8(name).ok().and_then(|text| text.parse::<u32>().ok());
            // A status of a process that was killed names the signal too.
            number
                .map(|number| if number > 128 { number - 128 } else { number })
                .and_then(|number| u8::try_from(number).ok())
                .and_then(trap::signal_name)
                .map(|name| name.strip_prefix("SIG").map(str::to_metered).unwrap_or(name))
        } else {
            trap::kill_signal(name).map(|number| number.to_metered_string())
        };
        match shown {
            Some(text) => {
                process.out.extend_from_slice(text.as_bytes());
                process.out.push(b'\n');
            }
            None => {
                process.report_for(own, format_args!("{name}: invalid signal specification"));
                status = 1;
            }
        }
    }
    status
}

/// The table of signals, five in a row.
pub(super) fn list_signals(out: &mut Vec<u8>) {
    let mut column = 0;
    for signal in 1..=64_u8 {
        let Some(name) = trap::signal_name(signal) else { continue };
        out.extend_from_slice(format!("{signal:2}) {name}").as_bytes());
        column += 1;
        out.push(if column % 5 == 0 { b'\n' } else { b'\t' });
    }
    if column % 5 != 0 {
        out.push(b'\n');
    }
}
