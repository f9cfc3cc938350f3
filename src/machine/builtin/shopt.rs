//! `shopt`. Bash manual 4.3.2.

use super::context::Context;
use super::error::BuiltinError;
use super::options::flag;
use super::row::{Act, Builtin, Flow};
use crate::machine::option::{self, OPTIONS, ShellOption};
use std::fmt::Write as _;

pub(super) static SHOPT: Builtin = Builtin {
    name: "shopt",
    special: false,
    synopsis: "shopt [-pqsu] [-o] [optname ...]",
    help: "Set and unset shell options.",
    options: &[
        flag(b'o', "the options of set -o"),
        flag(b'p', "show options as commands that set them"),
        flag(b'q', "show nothing, tell by the status"),
        flag(b's', "turn options on, or show those that are"),
        flag(b'u', "turn options off, or show those that are"),
    ],
    act: Act::Machine(shopt),
};

/// How options are shown.
#[derive(Clone, Copy)]
struct Show {
    /// Options of `set -o`.
    set: bool,
    /// As commands.
    commands: bool,
    quiet: bool,
}

fn shopt(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let show = Show { set: options.has(b'o'), commands: options.has(b'p'), quiet: options.has(b'q') };
    let (on, off) = (options.has(b's'), options.has(b'u'));
    if on && off {
        return Err(BuiltinError::SetAndUnset);
    }
    let names = ctx.operands(&options);
    if names.is_empty() {
        for option in OPTIONS.iter().filter(|row| row.in_set == show.set).map(|row| row.option) {
            let is_on = ctx.process.shell.state.options.has(option);
            if !(on || off) || is_on == on {
                print(ctx, option, show);
            }
        }
        return Ok(Flow::Status(0));
    }
    while let Some(name) = ctx.next(names) {
        match option::find(name, show.set) {
            None if show.set => {
                ctx.complain(BuiltinError::InvalidOptionName(name.clone()));
            }
            None => ctx.complain(BuiltinError::InvalidShellOptionName(name.clone())),
            // Only an invocation of the shell, or `set -r`, can say so.
            Some(ShellOption::RestrictedShell) if on || off => {}
            Some(option) if on || off => ctx.process.shell.set_option(ctx.run, option, on),
            Some(option) => {
                if !ctx.process.shell.state.options.has(option) {
                    ctx.raise(1);
                }
                print(ctx, option, show);
            }
        }
    }
    Ok(ctx.flow())
}

fn print(ctx: &mut Context<'_, '_>, option: ShellOption, show: Show) {
    let Some(row) = OPTIONS.iter().find(|row| row.option == option && !show.quiet) else { return };
    let name = row.name;
    let on = ctx.process.shell.state.options.has(option);
    let _ = match (show.commands, show.set) {
        (true, true) => writeln!(ctx.out, "set {} {name}", if on { "-o" } else { "+o" }),
        (true, false) => writeln!(ctx.out, "shopt {} {name}", if on { "-s" } else { "-u" }),
        (false, _) => writeln!(ctx.out, "{name:<15}\t{}", if on { "on" } else { "off" }),
    };
}
