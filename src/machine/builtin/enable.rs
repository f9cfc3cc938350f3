//! `enable`: turns builtins off and on. Bash manual 4.2. There is nothing to load them from.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::{Options, flag, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::option::ShellOption;
use crate::memory::Arc;
use std::fmt::Write as _;

pub(super) static ENABLE: Builtin = Builtin {
    name: "enable",
    special: false,
    synopsis: "enable [-a] [-dnps] [-f filename] [name ...]",
    help: "Enable and disable shell builtins.",
    options: &[
        flag(b'a', "show all builtins, also those that are turned off"),
        flag(b'd', "remove a builtin that was loaded"),
        value(b'f', "filename", "load a builtin from a file"),
        flag(b'n', "turn builtins off, or show those that are"),
        flag(b'p', "show builtins as commands that turn them on"),
        flag(b's', "look at special builtins only"),
    ],
    act: Act::Shell(enable),
};

fn enable(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let names = ctx.operands(&options);
    let changes = options.has(b'f') || options.has(b'd') || (!names.is_empty() && !options.has(b'n'));
    if changes && ctx.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::Restricted);
    }
    if let Some(file) = options.value(b'f') {
        return Err(BuiltinError::NoSharedObject(file.clone()));
    }
    if names.is_empty() || options.has(b'p') {
        list(ctx, &options);
        return Ok(Flow::Status(0));
    }
    while let Some(name) = ctx.next(names) {
        let Some(builtin) = ctx.find_builtin(name).filter(|builtin| !options.has(b's') || builtin.special)
        else {
            ctx.complain(BuiltinError::NotABuiltin(name.clone()));
            continue;
        };
        if options.has(b'd') {
            ctx.complain(BuiltinError::NotLoaded(name.clone()));
            continue;
        }
        let disabled = Arc::make_mut(&mut ctx.shell.state.commands.disabled);
        disabled.retain(|known| *known != builtin.name);
        if options.has(b'n') {
            disabled.push(builtin.name);
        }
    }
    Ok(ctx.flow())
}

fn list(ctx: &mut ShellContext<'_>, options: &Options) {
    let (all, off, special) = (options.has(b'a'), options.has(b'n'), options.has(b's'));
    let mut names: crate::memory::Vec<&Builtin> =
        ctx.table.rows.iter().copied().filter(|builtin| !special || builtin.special).collect();
    names.sort_by_key(|builtin| builtin.name);
    for builtin in names {
        let enabled = ctx.is_enabled(builtin);
        if all || enabled != off {
            let word = if enabled { "enable" } else { "enable -n" };
            let _ = writeln!(ctx.out, "{word} {}", builtin.name);
        }
    }
}
