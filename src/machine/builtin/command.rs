//! `command` and `builtin`: a command without its function. Bash manual 4.2, POSIX XCU 2.9.1.

use super::describe::{self, Search};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::command::Found;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::task::Context;

pub(super) static COMMAND: Builtin = Builtin {
    name: "command",
    special: false,
    synopsis: "command [-pVv] command [arg ...]",
    help: "Execute a simple command or display information about commands.",
    run: run_command,
};

pub(super) static BUILTIN: Builtin = Builtin {
    name: "builtin",
    special: false,
    synopsis: "builtin [shell-builtin [arg ...]]",
    help: "Execute shell builtins.",
    run: run_builtin,
};

fn run_command(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"pVv") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    if invocation.args.len() <= letters.first {
        return Ok(Flow::Status(0));
    }
    let default_path = letters.has(b'p');
    if letters.has(b'v') || letters.has(b'V') {
        let verbose = letters.given.iter().rev().find(|(letter, _)| *letter != b'p');
        let verbose = verbose.is_some_and(|(letter, _)| *letter == b'V');
        return Ok(Flow::Status(tell(process, run, invocation, letters.first, verbose, default_path)));
    }
    shift(invocation, letters.first);
    let name = invocation.name();
    if let Some(builtin) = super::find(&name).filter(|builtin| process.is_enabled(builtin)) {
        return delegate(process, run, cx, invocation, builtin);
    }
    run_file(process, run, cx, invocation, &name, default_path)
}

/// `command -v` and `command -V`.
fn tell(
    process: &mut Process,
    run: &mut Run,
    invocation: &Invocation,
    first: usize,
    verbose: bool,
    default_path: bool,
) -> u8 {
    let mut any = false;
    for name in invocation.args.get(first..).unwrap_or(&[]) {
        let search = Search { default_path, ..Search::default() };
        match describe::meanings(process, run, name, search).first() {
            Some(meaning) if verbose => meaning.describe(name, &mut process.out),
            Some(meaning) => meaning.reuse(name, &mut process.out),
            None => {
                if verbose {
                    process.report_for(&invocation.name(), format_args!("{name}: not found"));
                }
                continue;
            }
        }
        any = true;
    }
    u8::from(!any)
}

/// Drops the arguments before `first`.
fn shift(invocation: &mut Invocation, first: usize) {
    invocation.args.drain(..first.min(invocation.args.len()));
    for (at, _) in &mut invocation.arguments {
        *at = at.saturating_sub(first);
    }
}

/// Goes on as another builtin.
fn delegate(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
    builtin: &'static Builtin,
) -> Step<Flow> {
    invocation.builtin = builtin;
    (builtin.run)(process, run, cx, invocation)
}

/// Runs a utility or a script.
fn run_file(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
    name: &Text,
    default_path: bool,
) -> Step<Flow> {
    let environment = process.environment(run);
    if let Some(bound) = invocation.temporary.take() {
        process.shell.variables.leave_temporary(bound);
        process.refresh_special();
    }
    process.x.fields = std::mem::take(&mut invocation.args);
    process.x.redirections = std::mem::take(&mut invocation.redirections);
    let found = if default_path && !name.contains(&b'/') {
        process.search_along(run, name, describe::DEFAULT_PATH)
    } else {
        process.search(run, name)
    };
    if found == Found::Missing && !name.contains(&b'/') {
        process.report_for(name, "command not found");
        process.finish_simple(run, 127);
        return Ok(Flow::Switched);
    }
    process.run_found(run, cx, name, found, Some(environment))?;
    Ok(Flow::Switched)
}

fn run_builtin(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let Some(name) = invocation.args.get(letters.first).cloned() else { return Ok(Flow::Status(0)) };
    match super::find(&name).filter(|builtin| process.is_enabled(builtin)) {
        Some(builtin) => {
            shift(invocation, letters.first);
            delegate(process, run, cx, invocation, builtin)
        }
        None => {
            process.report_for(&invocation.name(), format_args!("{name}: not a shell builtin"));
            Ok(Flow::Status(1))
        }
    }
}
