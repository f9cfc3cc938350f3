//! `trap`. Bash manual 4.1, POSIX XCU 2.14.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{flag, is_digits};
use super::output::Style;
use super::row::{Act, Builtin, Flow};
use crate::machine::option::ShellOption;
use crate::machine::trap::{self, Condition, Traps};
use crate::memory::Arc;
use crate::text::Text;

pub(super) static TRAP: Builtin = Builtin {
    name: "trap",
    special: true,
    synopsis: "trap [-lp] [[arg] signal_spec ...]",
    help: "Trap signals and other events.",
    options: &[
        flag(b'l', "list the names of signals with their numbers"),
        flag(b'p', "show traps as commands that set them"),
    ],
    act: Act::Machine(trap),
};

fn trap(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    if options.has(b'l') {
        super::kill::list_signals(ctx.out);
        return Ok(Flow::Status(0));
    }
    let Some((first, rest)) = operands.split_first().filter(|_| !options.has(b'p')) else {
        return Ok(show(ctx, operands));
    };
    // A number first, or a condition alone, resets.
    let is_condition = trap::condition(first).is_some();
    let (action, conditions) = if is_condition && (is_digits(first) || rest.is_empty()) {
        (None, operands)
    } else if rest.is_empty() {
        return Err(BuiltinError::Usage);
    } else {
        ((first.as_bytes() != b"-").then(|| first.clone()), rest)
    };
    while let Some(name) = ctx.next(conditions) {
        match trap::condition(name) {
            Some(condition) => set(ctx, condition, action.clone()),
            None => ctx.complain(BuiltinError::InvalidSignal(name.clone())),
        }
    }
    Ok(ctx.flow())
}

fn set(ctx: &mut Context<'_, '_>, condition: Condition, action: Option<Text>) {
    let traps = Arc::make_mut(&mut ctx.process.shell.state.traps);
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
}

/// Prints traps so that they can be read back.
fn show(ctx: &mut Context<'_, '_>, names: &[Text]) -> Flow {
    let traps = Arc::clone(&ctx.process.shell.state.traps);
    let shown = traps.shown.clone().unwrap_or(traps);
    if names.is_empty() {
        for &signal in shown.signals.keys() {
            show_one(ctx, &shown, Condition::Signal(signal));
        }
        for condition in [Condition::Debug, Condition::Err, Condition::Return] {
            show_one(ctx, &shown, condition);
        }
    }
    while let Some(name) = ctx.next(names) {
        match trap::condition(name) {
            Some(condition) => show_one(ctx, &shown, condition),
            None => ctx.complain(BuiltinError::InvalidSignal(name.clone())),
        }
    }
    ctx.flow()
}

fn show_one(ctx: &mut Context<'_, '_>, traps: &Traps, condition: Condition) {
    let Some(action) = traps.action(condition) else { return };
    let name = condition.name();
    let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
    // In POSIX mode a name lacks its `SIG`.
    let name = name.strip_prefix("SIG").filter(|_| posix).unwrap_or(&name);
    ctx.out.bytes(b"trap -- ");
    ctx.out.quoted(action, Style::Single);
    ctx.out.bytes(b" ");
    ctx.out.bytes(name.as_bytes());
    ctx.out.bytes(b"\n");
}
