//! `jobs`, `disown`, `bg`, `fg` and `suspend`. Bash manual 7.2. There is no terminal, and nothing stops: under job control `fg`
//! waits for a job, and `bg` has nothing to do.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::{Options, flag};
use super::output::Printout;
use super::row::{Act, Builtin, Flow};
use crate::machine::job::{Job, JobStatus, Jobs};
use crate::machine::option::ShellOption;
use crate::machine::trap;
use crate::memory::{ToDecimal, ToMetered, Vec, format, vec};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static JOBS: Builtin = Builtin {
    name: "jobs",
    special: false,
    synopsis: "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
    help: "Display status of jobs.",
    options: &[
        flag(b'l', "show process numbers too"),
        flag(b'n', "show jobs whose status has changed"),
        flag(b'p', "show process numbers only"),
        flag(b'r', "show jobs that run"),
        flag(b's', "show jobs that are stopped"),
    ],
    act: Act::Shell(jobs),
};

pub(super) static DISOWN: Builtin = Builtin {
    name: "disown",
    special: false,
    synopsis: "disown [-h] [-ar] [jobspec ... | pid ...]",
    help: "Remove jobs from current shell.",
    options: &[
        flag(b'a', "all jobs"),
        flag(b'h', "keep the job, but send it no SIGHUP"),
        flag(b'r', "jobs that run"),
    ],
    act: Act::Shell(disown),
};

pub(super) static BG: Builtin = Builtin {
    name: "bg",
    special: false,
    synopsis: "bg [job_spec ...]",
    help: "Move jobs to the background.",
    options: &[],
    act: Act::Shell(background),
};

pub(super) static FG: Builtin = Builtin {
    name: "fg",
    special: false,
    synopsis: "fg [job_spec]",
    help: "Move job to the foreground.",
    options: &[],
    act: Act::Shell(foreground),
};

pub(super) static SUSPEND: Builtin = Builtin {
    name: "suspend",
    special: false,
    synopsis: "suspend [-f]",
    help: "Suspend shell execution.",
    options: &[flag(b'f', "also where the shell is a login shell")],
    act: Act::Shell(suspend),
};

fn jobs(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    if ctx.is_first() {
        ctx.shell.state.jobs.show_inherited();
    }
    if let [first, command @ ..] = ctx.arguments()
        && first.as_bytes() == b"-x"
    {
        return Ok(replace(&ctx.shell.state.jobs, command));
    }
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    if operands.is_empty() {
        let all = ctx.shell.state.jobs.list.iter().filter(|job| job.number != 0);
        let all: Vec<u32> = all.map(|job| job.pid).collect();
        for pid in all {
            show(ctx, &options, pid);
        }
        return Ok(Flow::Status(0));
    }
    // All operands are looked up before a job that has ended is shown for the last time.
    let mut chosen = Vec::new();
    for operand in operands {
        match named(&ctx.shell.state.jobs, operand) {
            Some(pid) => chosen.push(pid),
            None => {
                if operand.starts_with(b"%") && ctx.shell.state.jobs.is_ambiguous(operand) {
                    let spec = Text::from(operand.get(1..).unwrap_or(&[]));
                    ctx.complain(BuiltinError::AmbiguousJob(spec));
                }
                ctx.complain(BuiltinError::NoSuchJob(operand.clone()));
            }
        }
    }
    for pid in chosen {
        show(ctx, &options, pid);
    }
    Ok(ctx.flow())
}

/// The process of `%spec` or of a process number.
fn named(jobs: &Jobs, operand: &Text) -> Option<u32> {
    if operand.first() == Some(&b'%') || !operand.iter().all(u8::is_ascii_digit) {
        return jobs.find(operand).map(|job| job.pid);
    }
    let number: u32 = std::str::from_utf8(operand).ok()?.parse().ok()?;
    jobs.by_pid(number).or_else(|| jobs.find(operand)).map(|job| job.pid)
}

/// Shows a job if the options ask for it. One that has ended is forgotten then.
fn show(ctx: &mut ShellContext<'_>, options: &Options, pid: u32) {
    let Some(job) = ctx.shell.state.jobs.by_pid(pid).cloned() else { return };
    let running = job.status == JobStatus::Running;
    if options.has(b's')
        || (options.has(b'r') && !running)
        || (options.has(b'n') && (running || job.reported))
    {
        return;
    }
    if options.has(b'p') {
        let _ = writeln!(ctx.out, "{pid}");
    } else {
        let mark = ctx.shell.state.jobs.mark(pid);
        show_line(&job, mark, options.has(b'l'), ctx.out);
    }
    if !running {
        ctx.shell.state.jobs.take(pid);
    }
}

/// A line of `jobs`.
fn show_line(job: &Job, mark: char, with_pid: bool, out: &mut Printout) {
    let state = match job.status {
        JobStatus::Running => "Running".to_metered(),
        JobStatus::Done(0) => "Done".to_metered(),
        JobStatus::Done(status) => {
            let killed = job.killed.and_then(trap::description);
            killed.map_or_else(|| format!("Exit {status}"), str::to_metered)
        }
    };
    let _ = write!(out, "[{}]{mark}  ", job.number);
    if with_pid {
        let _ = write!(out, "{} ", job.pid);
    }
    let _ = write!(out, "{state:<24}");
    out.bytes(&job.text);
    if job.status == JobStatus::Running {
        out.bytes(b" &");
    }
    out.bytes(b"\n");
}

/// `jobs -x command`: job specifications among the arguments become process numbers.
fn replace(jobs: &Jobs, command: &[Text]) -> Flow {
    let mut args = Vec::with_capacity(command.len() + 1);
    args.push(Text::from_static(b"command"));
    for (at, arg) in command.iter().enumerate() {
        match jobs.find(arg) {
            Some(job) if at > 0 && arg.first() == Some(&b'%') => {
                args.push(Text::from(job.pid.to_decimal()));
            }
            _ => args.push(arg.clone()),
        }
    }
    Flow::Delegate { builtin: &super::command::COMMAND, args }
}

fn disown(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    let mut pids = Vec::new();
    if operands.is_empty() {
        let jobs = &ctx.shell.state.jobs;
        if options.has(b'a') || options.has(b'r') {
            let chosen =
                |job: &&Job| job.number != 0 && (!options.has(b'r') || job.status == JobStatus::Running);
            pids.extend(jobs.list.iter().filter(chosen).map(|job| job.pid));
        } else {
            let current = jobs.find(b"%%").map(|job| job.pid);
            pids.push(current.ok_or(BuiltinError::NoSuchJob(Text::from_static(b"current")))?);
        }
    }
    for operand in operands {
        match named(&ctx.shell.state.jobs, operand) {
            Some(pid) => pids.push(pid),
            None => ctx.complain(BuiltinError::NoSuchJob(operand.clone())),
        }
    }
    for pid in pids {
        if options.has(b'h') {
            ctx.shell.state.jobs.keep_on_hangup(pid);
        } else {
            ctx.shell.state.jobs.take(pid);
        }
    }
    Ok(ctx.flow())
}

/// The operands of `fg` and `bg`, under job control.
fn controlled(ctx: &mut ShellContext<'_>) -> Result<Vec<Text>, BuiltinError> {
    let options = ctx.options()?;
    if !ctx.shell.state.options.has(ShellOption::Monitor) {
        return Err(BuiltinError::NoJobControl);
    }
    Ok(ctx.operands(&options).into())
}

/// The job that an operand names, or the current one.
fn controlled_job(jobs: &Jobs, operand: Option<&Text>) -> Result<Job, BuiltinError> {
    let spec = operand.map_or(b"%%".as_slice(), |operand| operand.as_bytes());
    let no_job = || BuiltinError::NoSuchJob(operand.cloned().unwrap_or(Text::from_static(b"current")));
    jobs.find(spec).cloned().ok_or_else(no_job)
}

/// `bg`: jobs are in the background already, since none is ever stopped.
fn background(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let operands = controlled(ctx)?;
    let all = if operands.is_empty() { vec![None] } else { operands.iter().map(Some).collect() };
    for operand in all {
        match controlled_job(&ctx.shell.state.jobs, operand) {
            Ok(job) if job.status == JobStatus::Running => ctx.remark(BuiltinError::InBackground(job.number)),
            Ok(_) => ctx.complain(BuiltinError::Terminated),
            Err(error) => ctx.complain(error),
        }
    }
    Ok(ctx.flow())
}

/// `fg`: shows the job and waits for it.
fn foreground(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let operands = controlled(ctx)?;
    let job = controlled_job(&ctx.shell.state.jobs, operands.first())?;
    ctx.out.bytes(&job.text);
    ctx.out.bytes(b"\n");
    let args = vec![Text::from_static(b"wait"), Text::from(job.pid.to_decimal())];
    Ok(Flow::Delegate { builtin: &super::wait::WAIT, args })
}

fn suspend(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    if ctx.operands(&options).is_empty() {
        Err(BuiltinError::CannotSuspend)
    } else {
        Err(BuiltinError::TooManyArguments)
    }
}
