//! `trap`. Bash manual 4.1, POSIX XCU 2.14.

use crate::memory::{String, ToMetered, Vec};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::machine::trap::{self, Condition, Traps};
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static TRAP: Builtin = Builtin {
    name: "trap",
    special: true,
    synopsis: "trap [-lp] [[arg] signal_spec ...]",
    help: "Trap signals and other events.",
    run,
};

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"lp") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    if letters.has(b'l') {
        super::kill::list_signals(&mut process.out);
        return Ok(Flow::Status(0));
    }
    if letters.has(b'p') || operands.is_empty() {
        return Ok(Flow::Status(show(process, &invocation.name(), operands)));
    }
    let is_number = |text: &Text| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let first = operands.first().cloned().unwrap_or_default();
    // A number first, or a condition alone, resets.
    let resets = is_number(&first) && trap::condition(&first).is_some()
        || (operands.len() == 1 && trap::condition(&first).is_some());
    let (action, conditions) = if resets {
        (None, operands)
    } else if operands.len() == 1 {
        return Ok(letter_options::usage(process, invocation));
    } else {
        ((first.as_bytes() != b"-").then_some(first), operands.get(1..).unwrap_or(&[]))
    };
    let mut status = 0;
    for name in conditions {
        let Some(condition) = trap::condition(name) else {
            process.report_for(&invocation.name(), format_args!("{name}: invalid signal specification"));
            status = 1;
            continue;
        };
        set(process, condition, action.clone());
    }
    Ok(Flow::Status(status))
}

fn set(process: &mut Process, condition: Condition, action: Option<Text>) {
    let traps = Arc::make_mut(&mut process.shell.state.traps);
    traps.shown = None;
    match condition {
        Condition::Signal(signal) if traps.ignored_on_entry.contains(&signal) => {}
        Condition::Signal(signal) => {
            match action {
                Some(action) => traps.signals.insert(signal, action),
                None => traps.signals.remove(&signal),
            };
        }
        Condition::Err => traps.err = action,
        Condition::Debug => traps.debug = action,
        Condition::Return => traps.on_return = action,
    }
    process.note_trap_in_function(condition);
}

/// Prints traps so that they can be read back.
fn show(process: &mut Process, own_name: &Text, names: &[Text]) -> u8 {
    let traps = Arc::clone(&process.shell.state.traps);
    let shown = traps.shown.clone().unwrap_or(traps);
    let mut status = 0;
    if names.is_empty() {
        for (&signal, action) in &shown.signals {
            let name = shown_name(process, Condition::Signal(signal));
            line(&mut process.out, &name, action);
        }
        for condition in [Condition::Debug, Condition::Err, Condition::Return] {
            show_one(process, &shown, condition);
        }
        return 0;
    }
    for name in names {
        match trap::condition(name) {
            Some(condition) => show_one(process, &shown, condition),
            None => {
                process.report_for(own_name, format_args!("{name}: invalid signal specification"));
                status = 1;
            }
        }
    }
    status
}

fn show_one(process: &mut Process, traps: &Traps, condition: Condition) {
    if let Some(action) = traps.action(condition) {
        let name = shown_name(process, condition);
        line(&mut process.out, &name, action);
    }
}

fn line(out: &mut Vec<u8>, name: &str, action: &Text) {
    out.extend_from_slice(b"trap -- ");
    out.extend_from_slice(&quote::single(action));
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.push(b'\n');
}

/// A condition's name, in POSIX mode without `SIG`.
fn shown_name(process: &Process, condition: Condition) -> String {
    let name = condition.name();
    let posix = process.shell.state.options.has(crate::machine::option::ShellOption::Posix);
    match name.strip_prefix("SIG") {
        Some(bare) if posix => bare.to_metered(),
        _ => name,
    }
}
