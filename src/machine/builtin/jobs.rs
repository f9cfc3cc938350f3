//! `jobs`, `disown`, `bg`, `fg` and `suspend`. Bash manual 7.2. There is no terminal: nothing stops, and job control can not
//! move a job.

use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::job::{Job, JobStatus};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::trap;
use crate::text::Text;
use std::task::Context;

pub(super) static JOBS: Builtin = Builtin {
    name: "jobs",
    special: false,
    synopsis: "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
    help: "Display status of jobs.",
    run: run_jobs,
};

pub(super) static DISOWN: Builtin = Builtin {
    name: "disown",
    special: false,
    synopsis: "disown [-h] [-ar] [jobspec ... | pid ...]",
    help: "Remove jobs from current shell.",
    run: run_disown,
};

pub(super) static BG: Builtin = Builtin {
    name: "bg",
    special: false,
    synopsis: "bg [job_spec ...]",
    help: "Move jobs to the background.",
    run: no_job_control,
};

pub(super) static FG: Builtin = Builtin {
    name: "fg",
    special: false,
    synopsis: "fg [job_spec]",
    help: "Move job to the foreground.",
    run: no_job_control,
};

pub(super) static SUSPEND: Builtin = Builtin {
    name: "suspend",
    special: false,
    synopsis: "suspend [-f]",
    help: "Suspend shell execution.",
    run: run_suspend,
};

fn run_jobs(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    process.shell.state.jobs.show_inherited();
    if invocation.args.get(1).is_some_and(|arg| arg.as_bytes() == b"-x") {
        return replace(process, run, cx, invocation);
    }
    let letters = match letter_options::parse(process, invocation, b"lnprs") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]).to_metered();
    let mut status = 0;
    let mut chosen: Vec<u32> = Vec::new();
    for operand in &operands {
        match named(process, operand) {
            Some(pid) => chosen.push(pid),
            None => {
                if operand.starts_with(b"%") && process.shell.state.jobs.is_ambiguous(operand) {
                    let spec = bstr::BStr::new(operand.get(1..).unwrap_or(&[]));
                    process.report_for(&invocation.name(), format_args!("{spec}: ambiguous job spec"));
                }
                process.report_for(&invocation.name(), format_args!("{operand}: no such job"));
                status = 1;
            }
        }
    }
    if operands.is_empty() {
        chosen =
            process.shell.state.jobs.list.iter().filter(|job| job.number != 0).map(|job| job.pid).collect();
    }
    for pid in chosen {
        let Some(job) = process.shell.state.jobs.by_pid(pid).cloned() else { continue };
        let running = job.status == JobStatus::Running;
        if letters.has(b's')
            || (letters.has(b'r') && !running)
            || (letters.has(b'n') && (running || job.reported))
        {
            continue;
        }
        if letters.has(b'p') {
            process.out.extend_from_slice(format!("{pid}\n").as_bytes());
        } else {
            let mark = process.shell.state.jobs.mark(pid);
            show(&job, mark, letters.has(b'l'), &mut process.out);
        }
        if !running {
            process.shell.state.jobs.take(pid);
        }
    }
    Ok(Flow::Status(status))
}

/// The process of `%spec` or of a process number.
fn named(process: &Process, operand: &Text) -> Option<u32> {
    let jobs = &process.shell.state.jobs;
    if operand.first() == Some(&b'%') || !operand.iter().all(u8::is_ascii_digit) {
        return jobs.find(operand).map(|job| job.pid);
    }
    let number: u32 = std::str::from_utf8(operand).ok()?.parse().ok()?;
    jobs.by_pid(number).or_else(|| jobs.find(operand)).map(|job| job.pid)
}

/// A line of `jobs`.
fn show(job: &Job, mark: char, with_pid: bool, out: &mut Vec<u8>) {
    let state = match job.status {
        JobStatus::Running => "Running".to_metered(),
        JobStatus::Done(0) => "Done".to_metered(),
        JobStatus::Done(status) => {
            let killed = job.killed.and_then(trap::description);
            killed.map_or_else(|| format!("Exit {status}"), str::to_metered)
        }
    };
    let pid = if with_pid { format!("{} ", job.pid) } else { String::new() };
    out.extend_from_slice(format!("[{}]{mark}  {pid}{state:<24}", job.number).as_bytes());
    out.extend_from_slice(&job.text);
    if job.status == JobStatus::Running {
        out.extend_from_slice(b" &");
    }
    out.push(b'\n');
}

/// `jobs -x command`: job specifications among the arguments become process numbers.
fn replace(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    for arg in invocation.args.iter_mut().skip(2) {
        if arg.first() == Some(&b'%')
            && let Some(job) = process.shell.state.jobs.find(arg)
        {
            *arg = Text::from(job.pid.to_metered_string());
        }
    }
    invocation.args.drain(..1.min(invocation.args.len()));
    if let Some(first) = invocation.args.first_mut() {
        *first = Text::from_static(b"command");
    }
    invocation.builtin = &super::command::COMMAND;
    (invocation.builtin.run)(process, run, cx, invocation)
}

fn run_disown(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"ahr") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]).to_metered();
    let mut pids = Vec::new();
    let mut status = 0;
    if operands.is_empty() {
        let all = letters.has(b'a') || letters.has(b'r');
        let jobs = &process.shell.state.jobs;
        if all {
            let running =
                |job: &&Job| job.number != 0 && (!letters.has(b'r') || job.status == JobStatus::Running);
            pids.extend(jobs.list.iter().filter(running).map(|job| job.pid));
        } else if let Some(job) = jobs.find(b"%%") {
            pids.push(job.pid);
        } else {
            process.report_for(&invocation.name(), "current: no such job");
            status = 1;
        }
    }
    for operand in &operands {
        match named(process, operand) {
            Some(pid) => pids.push(pid),
            None => {
                process.report_for(&invocation.name(), format_args!("{operand}: no such job"));
                status = 1;
            }
        }
    }
    for pid in pids {
        if letters.has(b'h') {
            process.shell.state.jobs.keep_on_hangup(pid);
        } else {
            process.shell.state.jobs.take(pid);
        }
    }
    Ok(Flow::Status(status))
}

fn no_job_control(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    if let Err(flow) = letter_options::parse(process, invocation, b"") {
        return Ok(flow);
    }
    process.report_for(&invocation.name(), "no job control");
    Ok(Flow::Status(1))
}

fn run_suspend(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"f") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    if invocation.args.len() > letters.first {
        process.report_for(&invocation.name(), "too many arguments");
    } else {
        process.report_for(&invocation.name(), "cannot suspend: no job control");
    }
    Ok(Flow::Status(1))
}
