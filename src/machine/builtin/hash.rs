//! `hash`: remembered paths of commands. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{flag, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::executable::Found;
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::memory::{Arc, Vec};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static HASH: Builtin = Builtin {
    name: "hash",
    special: false,
    synopsis: "hash [-lr] [-p pathname] [-dt] [name ...]",
    help: "Remember or display program locations.",
    options: &[
        flag(b'd', "forget where each name is"),
        flag(b'l', "show what is remembered as commands"),
        value(b'p', "pathname", "remember this path for each name"),
        flag(b'r', "forget everything"),
        flag(b't', "show the path that is remembered for each name"),
    ],
    act: Act::Machine(hash),
};

/// A remembered path as `hash -t` and `type` show it: a relative one begins with `./`.
pub(super) fn shown(path: &Text) -> Text {
    if path.starts_with(b"/") || path.starts_with(b"./") || path.starts_with(b"../") {
        return path.clone();
    }
    let mut text = Text::from_static(b"./");
    text.push_bytes(path);
    text
}

fn hash(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    if !ctx.process.shell.state.options.has(ShellOption::HashAll) {
        return Err(BuiltinError::HashingDisabled);
    }
    let options = ctx.options()?;
    let names = ctx.operands(&options);
    if options.has(b'r') && ctx.is_first() {
        ctx.process.shell.state.commands.hashed = Arc::default();
    }
    if let Some(path) = options.value(b'p').filter(|path| path.contains(&b'/'))
        && ctx.process.shell.state.options.has(ShellOption::RestrictedShell)
    {
        return Err(BuiltinError::RestrictedOperand(path.clone()));
    }
    if names.is_empty() {
        if let Some(letter) = [b'd', b't'].into_iter().find(|letter| options.has(*letter)) {
            return Err(BuiltinError::NamesRequired { letter });
        }
        if !options.has(b'r') {
            list(ctx, options.has(b'l'));
        }
        return Ok(Flow::Status(0));
    }
    while let Some(name) = ctx.next(names) {
        if options.has(b't') {
            tell(ctx, name, names.len() > 1, options.has(b'l'));
        } else if let Some(path) = options.value(b'p') {
            Arc::make_mut(&mut ctx.process.shell.state.commands.hashed)
                .insert(name.clone(), (path.clone(), 0));
        } else if options.has(b'd') {
            Arc::make_mut(&mut ctx.process.shell.state.commands.hashed).remove(name);
        } else {
            remember(ctx, name);
        }
    }
    Ok(ctx.flow())
}

fn list(ctx: &mut Context<'_, '_>, reusable: bool) {
    let hashed = Arc::clone(&ctx.process.shell.state.commands.hashed);
    let mut all: Vec<(&Text, &(Text, u32))> = hashed.iter().collect();
    all.sort();
    if !reusable {
        ctx.out.bytes(if all.is_empty() { b"hash: hash table empty\n" } else { b"hits\tcommand\n" });
    }
    for (name, (path, hits)) in all {
        if reusable {
            show_command(ctx, name, path);
        } else {
            let _ = write!(ctx.out, "{hits:4}\t");
            ctx.out.line(path);
        }
    }
}

/// A command that makes the shell remember a path.
fn show_command(ctx: &mut Context<'_, '_>, name: &Text, path: &Text) {
    ctx.out.bytes(b"builtin hash -p ");
    ctx.out.text(path);
    ctx.out.bytes(b" ");
    ctx.out.line(name);
}

fn tell(ctx: &mut Context<'_, '_>, name: &Text, several: bool, reusable: bool) {
    let Some((path, _)) = ctx.process.shell.state.commands.hashed.get(name) else {
        return ctx.complain(BuiltinError::NotFound(name.clone()));
    };
    let path = shown(path);
    if reusable {
        return show_command(ctx, name, &path);
    }
    if several {
        ctx.out.text(name);
        ctx.out.bytes(b"\t");
    }
    ctx.out.line(&path);
}

/// Searches a command anew and remembers where it is.
fn remember(ctx: &mut Context<'_, '_>, name: &Text) {
    let function = ctx.run.services.names.find(name);
    let is_function = function.is_some_and(|id| ctx.process.shell.state.commands.functions.contains_key(&id));
    let is_builtin =
        ctx.find_builtin(name).is_some_and(|builtin| ctx.process.shell.state.is_enabled(builtin));
    if name.contains(&b'/') || is_function || is_builtin {
        return;
    }
    Arc::make_mut(&mut ctx.process.shell.state.commands.hashed).remove(name);
    let path = ctx.process.shell.scalar(ctx.run, name::PATH).unwrap_or_default();
    match ctx.process.shell.search_along(ctx.run, name, &path) {
        Found::Path(path) => {
            Arc::make_mut(&mut ctx.process.shell.state.commands.hashed).insert(name.clone(), (path, 0));
        }
        _ => ctx.complain(BuiltinError::NotFound(name.clone())),
    }
}
