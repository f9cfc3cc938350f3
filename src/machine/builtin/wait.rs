//! `wait`: polled again whenever a child of the process ends. Bash manual 7.2.

use crate::memory::Vec;
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::job::JobStatus;
use crate::machine::name;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::decimal;
use crate::text::Text;
use std::task::Context;

pub(super) static WAIT: Builtin = Builtin {
    name: "wait",
    special: false,
    synopsis: "wait [-fn] [-p var] [id ...]",
    help: "Wait for job completion and return exit status.",
    run,
};

/// What a call of `wait` waits for.
struct Waiting {
    next: bool,
    variable: Option<Text>,
    /// Process numbers; `Err`: the status of an operand that is none.
    ids: Vec<Result<u32, u8>>,
    /// All children that run.
    all: bool,
    at: usize,
    status: u8,
    last: Option<u32>,
}

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let progress = invocation.progress.take().and_then(|progress| progress.downcast::<Waiting>().ok());
    let mut waiting = match progress {
        Some(waiting) => waiting,
        None => match start(process, run, invocation)? {
            Ok(waiting) => Box::new(waiting),
            Err(flow) => return Ok(flow),
        },
    };
    let done = if waiting.next { next(process, &mut waiting) } else { in_turn(process, &mut waiting) };
    if !done {
        invocation.progress = Some(waiting);
        return Ok(Flow::Wait);
    }
    process.report_killed_jobs();
    if let Some((pid, variables)) = process.coprocess
        && process.shell.state.jobs.status_of(pid) != Some(JobStatus::Running)
    {
        process.coprocess = None;
        for id in variables {
            process.set_plain(id, crate::machine::variable::Value::Unset);
        }
    }
    if let (Some(variable), Some(pid)) = (&waiting.variable, waiting.last) {
        let id = run.services.names.intern(variable);
        let _ = process.assign_variable(run, id, decimal(i64::from(pid)), false);
    }
    Ok(Flow::Status(waiting.status))
}

fn start(process: &mut Process, run: &mut Run, invocation: &mut Invocation) -> Step<Result<Waiting, Flow>> {
    let letters = match letter_options::parse(process, invocation, b"fnp:") {
        Ok(letters) => letters,
        Err(flow) => return Ok(Err(flow)),
    };
    let variable = letters.value(b'p').cloned();
    let own = invocation.name();
    if let Some(variable) = &variable {
        if !name::is_name(variable) {
            process.report_for(&own, format_args!("`{variable}': not a valid identifier"));
            return Ok(Err(Flow::Status(1)));
        }
        let id = run.services.names.intern(variable);
        let slot = process.shell.variables.slot_mut(id);
        slot.value = crate::machine::variable::Value::Unset;
    }
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    let next = letters.has(b'n');
    let mut ids = Vec::new();
    for operand in operands {
        ids.push(resolve(process, &own, operand, next));
    }
    let all = operands.is_empty();
    Ok(Ok(Waiting { next, variable, ids, all, at: 0, status: 0, last: None }))
}

/// The process that an operand names.
fn resolve(process: &mut Process, own: &Text, operand: &Text, next: bool) -> Result<u32, u8> {
    if operand.first() == Some(&b'%') {
        if let Some(job) = process.shell.state.jobs.find(operand) {
            return Ok(job.pid);
        }
        if process.shell.state.jobs.is_ambiguous(operand) {
            let spec = bstr::BStr::new(operand.get(1..).unwrap_or(&[]));
            process.report_for(own, format_args!("{spec}: ambiguous job spec"));
            return Err(127);
        }
        process.report_for(own, format_args!("{operand}: no such job"));
        return Err(127);
    }
    let digits = !operand.is_empty() && operand.iter().all(u8::is_ascii_digit);
    let number =
        std::str::from_utf8(operand).ok().filter(|_| digits).and_then(|text| text.parse::<u32>().ok());
    let Some(pid) = number else {
        process.report_for(own, format_args!("`{operand}': not a pid or valid job spec"));
        return Err(if next { 127 } else { 1 });
    };
    let jobs = &process.shell.state.jobs;
    if if next { jobs.by_pid(pid).is_some() } else { jobs.knows(pid) } {
        return Ok(pid);
    }
    if next {
        process.report_for(own, format_args!("{operand}: no such job"));
    } else {
        process.report_for(own, format_args!("pid {operand} is not a child of this shell"));
    }
    Err(127)
}

/// Waits for the operands one after the other, or for all. Whether it is over.
fn in_turn(process: &mut Process, waiting: &mut Waiting) -> bool {
    let jobs = &mut process.shell.state.jobs;
    if waiting.all {
        if jobs.list.iter().any(|job| job.status == JobStatus::Running && job.is_waited_for()) {
            return false;
        }
        jobs.forget_all();
        waiting.status = 0;
        return true;
    }
    while let Some(id) = waiting.ids.get(waiting.at) {
        match *id {
            Err(status) => waiting.status = status,
            Ok(pid) => match jobs.status_of(pid) {
                Some(JobStatus::Running) => return false,
                Some(JobStatus::Done(status)) => {
                    jobs.take(pid);
                    waiting.status = status;
                    waiting.last = Some(pid);
                }
                None => waiting.status = 127,
            },
        }
        waiting.at += 1;
    }
    true
}

/// `-n`: the first that has ended and was not waited for yet.
fn next(process: &mut Process, waiting: &mut Waiting) -> bool {
    let jobs = &mut process.shell.state.jobs;
    let wanted = |pid: u32| waiting.all || waiting.ids.contains(&Ok(pid));
    let ended = jobs
        .list
        .iter()
        .filter(|job| wanted(job.pid) && job.number != 0)
        .filter_map(|job| match job.status {
            JobStatus::Done(status) => Some((job.order, job.pid, status)),
            JobStatus::Running => None,
        })
        .min();
    if let Some((_, pid, status)) = ended {
        jobs.take(pid);
        waiting.status = status;
        waiting.last = Some(pid);
        return true;
    }
    if jobs.list.iter().any(|job| job.status == JobStatus::Running && job.number != 0 && wanted(job.pid)) {
        return false;
    }
    let known = waiting.ids.iter().find_map(|id| {
        id.ok().and_then(|pid| match jobs.status_of(pid) {
            Some(JobStatus::Done(status)) => Some((pid, status)),
            _ => None,
        })
    });
    match known {
        Some((pid, status)) => {
            waiting.status = status;
            waiting.last = Some(pid);
        }
        None => waiting.status = 127,
    }
    true
}
