//! `enable`: turns builtins off and on. Bash manual 4.2. There is nothing to load them from.

use crate::memory::{Vec, format};
use super::{BUILTINS, Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::sync::Arc;
use std::task::Context;

pub(super) static ENABLE: Builtin = Builtin {
    name: "enable",
    special: false,
    synopsis: "enable [-a] [-dnps] [-f filename] [name ...]",
    help: "Enable and disable shell builtins.",
    run,
};

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"adf:nps") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let names = invocation.args.get(letters.first..).unwrap_or(&[]);
    if let Some(file) = letters.value(b'f') {
        process.report_for(
            &own,
            format_args!(
                "cannot open shared object {file}: {file}: cannot open shared object file: No such file or directory"
            ),
        );
        return Ok(Flow::Status(1));
    }
    if names.is_empty() || letters.has(b'p') {
        list(process, letters.has(b'a'), letters.has(b'n'), letters.has(b's'));
        return Ok(Flow::Status(0));
    }
    let mut status = 0;
    for name in names {
        let Some(builtin) = super::find(name).filter(|builtin| !letters.has(b's') || builtin.special) else {
            process.report_for(&own, format_args!("{name}: not a shell builtin"));
            status = 1;
            continue;
        };
        if letters.has(b'd') {
            process.report_for(&own, format_args!("{name}: not dynamically loaded"));
            status = 1;
            continue;
        }
        let disabled = Arc::make_mut(&mut process.shell.state.disabled);
        disabled.retain(|known| *known != builtin.name);
        if letters.has(b'n') {
            disabled.push(builtin.name);
        }
    }
    Ok(Flow::Status(status))
}

fn list(process: &mut Process, all: bool, off: bool, special: bool) {
    let mut names: Vec<&Builtin> =
        BUILTINS.iter().copied().filter(|builtin| !special || builtin.special).collect();
    names.sort_by_key(|builtin| builtin.name);
    for builtin in names {
        let enabled = process.is_enabled(builtin);
        if all || enabled != off {
            let word = if enabled { "enable" } else { "enable -n" };
            process.out.extend_from_slice(format!("{word} {}\n", builtin.name).as_bytes());
        }
    }
}
