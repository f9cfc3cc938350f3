//! `ionice`: sets or shows the class and priority of input and output. util-linux ionice(1). Files are in memory: what is asked
//! for is checked and changes nothing, and every process has the class that a new process has.

use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Class = value('c', "class", "class", "name or number of class: 0 none, 1 realtime, 2 best-effort, 3 idle"),
        ClassData = value('n', "classdata", "num", "priority (0..7) in the specified scheduling class"),
        Pid = value('p', "pid", "pid", "act on these already running processes"),
        Group = value('P', "pgid", "pgrp", "act on already running processes in these groups"),
        Ignore = flag('t', "ignore", "ignore failures"),
        Uid = value('u', "uid", "uid", "act on already running processes owned by these users"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "ionice",
    summary: "show or change the I/O-scheduling class and priority of a process",
    usage: "ionice [options] -p <pid>...\nionice [options] <command>",
    options: Opt::TABLE,
    examples: &[example("ionice -c 3 echo a", "a\n"), example("ionice", "none: prio 0\n")],
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut class = match options.value(Opt::Class) {
        None => None,
        Some(name) => Some(class_of(name)?),
    };
    let data = options.value(Opt::ClassData);
    if let Some(data) = data {
        number(data, "invalid class data argument")?;
    }
    let is_tolerant = options.has(Opt::Ignore);
    let whose = options.given().filter(|(option, _)| matches!(option, Opt::Pid | Opt::Group | Opt::Uid));
    let mut targets = Vec::new();
    for (option, value) in whose {
        if !targets.is_empty() {
            return Err(UtilityError::failed("can handle only one of pid, pgid or uid at once"));
        }
        targets.push((option, number(value.unwrap_or(&Text::EMPTY), invalid(option))?));
    }
    let which = targets.first().map(|(option, _)| *option);
    if data.is_some() {
        // Data without a class are for the usual one.
        class = class.or(Some(BEST_EFFORT));
        if matches!(class, Some(NONE | IDLE)) && !is_tolerant {
            let name = if class == Some(NONE) { "none" } else { "idle" };
            ctx.warn(format_args!("ignoring given class data for {name} class"));
        }
    }
    let rows = if which.is_some() { ctx.processes(&args).await } else { Vec::new() };
    let uid = u64::from(ctx.session.identity.uid);
    let is_there = |option: Opt, id: u64| match option {
        Opt::Group => rows.iter().any(|row| id == 0 || u64::from(row.group) == id),
        Opt::Uid => uid == id,
        _ => rows.iter().any(|row| id == 0 || u64::from(row.pid) == id),
    };
    let Some(which) = which else {
        if let Some(class) = class
            && !options.operands.is_empty()
        {
            set(ctx, class, true, is_tolerant)?;
        }
        if !options.operands.is_empty() {
            let request = ctx.command(options.operands);
            return ctx
                .stand_in(request, |name| format!("failed to execute {}", bstr::BStr::new(name)))
                .await;
        }
        if class.is_some() {
            return Err(UtilityError::Usage("bad usage".into()));
        }
        ctx.stdout.write(b"none: prio 0\n").await?;
        return Ok(ExitStatus::SUCCESS);
    };
    let first = targets.first().map(|(_, id)| Ok(*id));
    let others = options.operands.iter().map(|text| number(text, invalid(which)));
    for id in first.into_iter().chain(others) {
        ctx.tick().await?;
        let found = is_there(which, id?);
        match class {
            Some(class) => set(ctx, class, found, is_tolerant)?,
            None if found => ctx.stdout.write(b"none: prio 0\n").await?,
            None => {
                ctx.stdout.flush().await?;
                let words = Errno::NoProcess.message();
                return Err(UtilityError::failed(format!("ioprio_get failed: {words}")));
            }
        }
    }
    Ok(ExitStatus::SUCCESS)
}

/// Checks what a process is to be set to.
fn set(ctx: &mut Context, class: u64, found: bool, is_tolerant: bool) -> Result<(), UtilityError> {
    if class > IDLE && !is_tolerant {
        ctx.warn(format_args!("unknown prio class {class}"));
    }
    let words = match class {
        REALTIME if ctx.session.identity.uid != 0 => Errno::NotPermitted.message(),
        NONE..=IDLE if found => return Ok(()),
        NONE..=IDLE => Errno::NoProcess.message(),
        _ => Errno::Invalid.message(),
    };
    if is_tolerant { Ok(()) } else { Err(UtilityError::failed(format!("ioprio_set failed: {words}"))) }
}

const NONE: u64 = 0;
const REALTIME: u64 = 1;
const BEST_EFFORT: u64 = 2;
const IDLE: u64 = 3;

/// What is said of an id that is none.
const fn invalid(option: Opt) -> &'static str {
    match option {
        Opt::Group => "invalid PGID argument",
        Opt::Uid => "invalid UID argument",
        _ => "invalid PID argument",
    }
}

fn number(text: &Text, what: &str) -> Result<u64, UtilityError> {
    super::format::count::parse_digits(text).ok_or_else(|| UtilityError::failed(format!("{what}: '{text}'")))
}

fn class_of(name: &Text) -> Result<u64, UtilityError> {
    let unknown = || UtilityError::failed(format!("unknown scheduling class: '{name}'"));
    if name.first().is_some_and(u8::is_ascii_digit) {
        return number(name, "invalid class argument");
    }
    let names: [&[u8]; 4] = [b"none", b"realtime", b"best-effort", b"idle"];
    let index = names.iter().position(|known| known.eq_ignore_ascii_case(name)).ok_or_else(unknown)?;
    Ok(index as u64)
}
