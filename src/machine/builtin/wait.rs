//! `wait`: polled again whenever a child of the process ends. Bash manual 7.2.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{flag, is_digits, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::job::JobStatus;
use crate::machine::name;
use crate::machine::process::Process;
use crate::machine::variable::{Attributes, Value, decimal};
use crate::memory::{Box, Vec};
use crate::text::Text;

pub(super) static WAIT: Builtin = Builtin {
    name: "wait",
    special: false,
    synopsis: "wait [-fn] [-p var] [id ...]",
    help: "Wait for job completion and return exit status.",
    options: &[
        flag(b'f', "wait until a job has ended"),
        flag(b'n', "wait for the first that ends"),
        value(b'p', "var", "store the number of the process in a variable"),
    ],
    act: Act::Machine(wait),
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

fn wait(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut waiting = match ctx.resumed::<Waiting>() {
        Some(waiting) => waiting,
        None => Box::new(start(ctx)?),
    };
    let done =
        if waiting.next { next(ctx.process, &mut waiting) } else { in_turn(ctx.process, &mut waiting) };
    if !done {
        ctx.keep(waiting);
        return Ok(Flow::Wait);
    }
    ctx.process.shell.report_killed_jobs();
    if let Some((pid, variables)) = ctx.process.control.coprocess
        && ctx.process.shell.state.jobs.status_of(pid) != Some(JobStatus::Running)
    {
        ctx.process.control.coprocess = None;
        for id in variables {
            ctx.process.shell.variables.set_plain(id, Value::Unset);
        }
    }
    if let (Some(variable), Some(pid)) = (&waiting.variable, waiting.last) {
        let id = ctx.run.services.names.intern(variable);
        // What is wrong was said, and the status is the process's.
        let _ = ctx.process.shell.assign_variable(ctx.run, id, decimal(i64::from(pid)), false);
    }
    Ok(Flow::Status(waiting.status))
}

fn start(ctx: &mut Context<'_, '_>) -> Result<Waiting, BuiltinError> {
    let options = ctx.options()?;
    let variable = options.value(b'p').cloned();
    if let Some(variable) = &variable {
        if !name::is_name(variable) {
            return Err(BuiltinError::InvalidName(variable.clone()));
        }
        let id = ctx.run.services.names.intern(variable);
        if ctx.process.shell.variables.slot(id).attributes.has(Attributes::READONLY) {
            return Err(BuiltinError::UnsetReadOnlyVariable(variable.clone()));
        }
        ctx.process.shell.variables.slot_mut(id).value = Value::Unset;
    }
    let operands = ctx.operands(&options);
    let next = options.has(b'n');
    let mut ids = Vec::new();
    for operand in operands {
        ids.push(resolve(ctx, operand, next));
    }
    Ok(Waiting { next, variable, ids, all: operands.is_empty(), at: 0, status: 0, last: None })
}

/// The process that an operand names. `Err`: the status of one that names none, which was said.
fn resolve(ctx: &mut Context<'_, '_>, operand: &Text, next: bool) -> Result<u32, u8> {
    let jobs = &ctx.process.shell.state.jobs;
    let (error, status) = if operand.first() == Some(&b'%') {
        match jobs.find(operand) {
            Some(job) => return Ok(job.pid),
            None if jobs.is_ambiguous(operand) => {
                (BuiltinError::AmbiguousJob(Text::from(operand.get(1..).unwrap_or(&[]))), 127)
            }
            None => (BuiltinError::NoSuchJob(operand.clone()), 127),
        }
    } else {
        let number = std::str::from_utf8(operand).ok().filter(|_| is_digits(operand));
        match number.and_then(|text| text.parse::<u32>().ok()) {
            None => (BuiltinError::NotAJob(operand.clone()), if next { 127 } else { 1 }),
            Some(pid) if if next { jobs.by_pid(pid).is_some() } else { jobs.knows(pid) } => return Ok(pid),
            Some(_) if next => (BuiltinError::NoSuchJob(operand.clone()), 127),
            Some(_) => (BuiltinError::NotAChild(operand.clone()), 127),
        }
    };
    ctx.complain(error);
    Err(status)
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
