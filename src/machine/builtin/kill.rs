//! `kill`: signals to this shell, to its jobs and to the other processes of the run. Bash manual 7.2.

use super::context::Context;
use super::error::BuiltinError;
use super::options::is_digits;
use super::output::Printout;
use super::row::{Act, Builtin, Flow};
use crate::machine::run::Recipients;
use crate::machine::trap::{self, Signal};
use crate::machine::variable::plain_integer;
use crate::memory::{ToDecimal, ToMetered};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static KILL: Builtin = Builtin {
    name: "kill",
    special: false,
    synopsis: "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
    help: "Send a signal to a job.",
    // A signal's name may stand where a letter would.
    options: &[],
    act: Act::Machine(kill),
};

fn kill(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut rest = ctx.arguments();
    let mut chosen = None;
    while let Some((arg, after)) = rest.split_first() {
        let spec = match arg.as_bytes() {
            b"--" => {
                rest = after;
                break;
            }
            b"--help" => return Err(BuiltinError::Help),
            b"-l" | b"-L" => return Ok(list(ctx, after)),
            b"-s" | b"-n" => {
                let (spec, after) =
                    after.split_first().ok_or_else(|| BuiltinError::ValueRequired(arg.clone()))?;
                rest = after;
                spec.clone()
            }
            [b'-', spec @ ..] if !spec.is_empty() && chosen.is_none() => {
                rest = after;
                match spec {
                    [b's' | b'n', value @ ..] if trap::kill_signal(spec).is_none() => Text::from(value),
                    _ => Text::from(spec),
                }
            }
            _ => break,
        };
        let signal = trap::kill_signal(&spec).ok_or(BuiltinError::InvalidSignal(spec))?;
        chosen = Some(signal);
    }
    if rest.is_empty() {
        return Err(BuiltinError::Usage);
    }
    let signal = chosen.unwrap_or(trap::TERM);
    while let Some(target) = ctx.next(rest) {
        match send(ctx, target, signal) {
            // One that could be sent is enough: the status is turned round at the end.
            Ok(()) => ctx.raise(1),
            Err(error) => ctx.remark(error),
        }
    }
    Ok(match ctx.flow() {
        Flow::Status(sent) => Flow::Status(u8::from(sent == 0)),
        flow => flow,
    })
}

/// Sends to one operand.
fn send(ctx: &mut Context<'_, '_>, target: &Text, signal: Signal) -> Result<(), BuiltinError> {
    if target.first() == Some(&b'%') {
        let pid = job(ctx, target)?;
        if let Some(alive) = ctx.run.alive.iter().find(|alive| alive.pid == pid)
            && signal != 0
        {
            // Under job control a job is a process group.
            let target =
                if alive.group == pid { Recipients::Group(pid, None) } else { Recipients::Tree(pid) };
            ctx.run.signals.push((target, signal));
        }
        return Ok(());
    }
    if target.is_empty() {
        return Err(BuiltinError::NotAJob(Text::EMPTY));
    }
    let number = plain_integer(target)
        .filter(|_| is_digits(target.strip_prefix(b"-").unwrap_or(target)))
        .ok_or_else(|| BuiltinError::NotAProcess(target.clone()))?;
    if number <= 0 {
        return send_to_group(ctx, number, signal);
    }
    let pid = u32::try_from(number).map_err(|_| BuiltinError::NoSuchProcess(number))?;
    if !ctx.run.is_alive(pid) && !ctx.process.control.is_own(&ctx.process.shell, pid) {
        // A child that has ended and was not waited for can still be signalled.
        let is_known = ctx.process.shell.state.jobs.is_zombie(pid);
        return if is_known { Ok(()) } else { Err(BuiltinError::NoSuchProcess(number)) };
    }
    if signal != 0 {
        if ctx.process.control.is_own(&ctx.process.shell, pid) {
            ctx.process.deliver(pid, signal);
        } else {
            ctx.run.signals.push((Recipients::Process(pid), signal));
        }
    }
    Ok(())
}

/// The process of a job specification.
fn job(ctx: &Context<'_, '_>, spec: &Text) -> Result<u32, BuiltinError> {
    let jobs = &ctx.process.shell.state.jobs;
    match jobs.find(spec) {
        Some(job) => Ok(job.pid),
        None if jobs.is_ambiguous(spec) => {
            Err(BuiltinError::AmbiguousJob(Text::from(spec.get(1..).unwrap_or(&[]))))
        }
        None => Err(BuiltinError::NoSuchJob(spec.clone())),
    }
}

/// `0`: the process group of the shell; `-1`: all other processes of the run; another negative number: that process group.
fn send_to_group(ctx: &mut Context<'_, '_>, number: i64, signal: Signal) -> Result<(), BuiltinError> {
    let own = ctx.process.control.process_pid(&ctx.process.shell);
    if number == -1 {
        if signal != 0 {
            ctx.run.signals.push((Recipients::Others(own), signal));
        }
        return Ok(());
    }
    let own_group = ctx.process.shell.state.ids.group;
    let group = if number == 0 { Some(own_group) } else { u32::try_from(number.unsigned_abs()).ok() };
    let group = group
        .filter(|&group| group == own_group || ctx.run.alive.iter().any(|alive| alive.group == group))
        .ok_or(BuiltinError::NoSuchProcess(number))?;
    if signal != 0 {
        ctx.run.signals.push((Recipients::Group(group, Some(own)), signal));
        if group == own_group {
            ctx.process.deliver_to_group(signal);
        }
    }
    Ok(())
}

/// `-l`
fn list(ctx: &mut Context<'_, '_>, names: &[Text]) -> Flow {
    if names.is_empty() {
        list_signals(ctx.out);
    }
    while let Some(name) = ctx.next(names) {
        let shown = if is_digits(name) {
            let number = std::str::from_utf8(name).ok().and_then(|text| text.parse::<u32>().ok());
            // A status of a process that was killed names the signal too.
            number
                .map(|number| if number > 128 { number - 128 } else { number })
                .and_then(|number| u8::try_from(number).ok())
                .and_then(trap::signal_name)
                .map(|name| name.strip_prefix("SIG").map(str::to_metered).unwrap_or(name))
        } else {
            trap::kill_signal(name).map(ToDecimal::to_decimal)
        };
        match shown {
            Some(text) => {
                let _ = writeln!(ctx.out, "{text}");
            }
            None => ctx.complain(BuiltinError::InvalidSignal(name.clone())),
        }
    }
    ctx.flow()
}

/// The table of signals, five in a row.
pub(super) fn list_signals(out: &mut Printout) {
    let mut column = 0;
    for signal in 1..=64_u8 {
        let Some(name) = trap::signal_name(signal) else { continue };
        column += 1;
        let _ = write!(out, "{signal:2}) {name}{}", if column % 5 == 0 { '\n' } else { '\t' });
    }
    if column % 5 != 0 {
        out.bytes(b"\n");
    }
}
