//! `ionice`: sets or shows the class and priority of input and output. util-linux ionice(1). Files are in memory: what is asked
//! for is checked and changes nothing, and every process has the class that a new process has.

use crate::memory::format;
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
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let class = match options.value(Opt::Class) {
        None => None,
        Some(name) => Some(class_of(name)?),
    };
    if let Some(data) = options.value(Opt::ClassData) {
        number(data, "invalid class data argument")?;
        if matches!(class, Some(0 | 3)) && !options.has(Opt::Ignore) {
            let name = if class == Some(0) { "none" } else { "idle" };
            ctx.warn(format_args!("ignoring given class data for {name} class"));
        }
    }
    let mut ids = 0_usize;
    let whose = [
        (Opt::Pid, "invalid PID argument"),
        (Opt::Group, "invalid PGID argument"),
        (Opt::Uid, "invalid UID argument"),
    ];
    for (option, what) in whose {
        for text in options.values(option) {
            number(text, what)?;
            ids += 1;
        }
    }
    if ids > 0 {
        for text in &options.operands {
            number(text, "invalid PID argument")?;
            ids += 1;
        }
    }
    if ids == 0 && !options.operands.is_empty() {
        let request = ctx.command(options.operands);
        return ctx.stand_in(request, |name| format!("failed to execute {}", bstr::BStr::new(name))).await;
    }
    if class.is_none() && !options.has(Opt::ClassData) {
        for _ in 0..ids.max(1) {
            ctx.stdout.write(b"none: prio 0\n").await?;
        }
    } else if ids == 0 {
        return Err(UtilityError::Usage("bad usage".into()));
    }
    Ok(ExitStatus::SUCCESS)
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
