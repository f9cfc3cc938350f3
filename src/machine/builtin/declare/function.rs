//! Functions: `declare -f`, `declare -F`, `export -f`, `readonly -f`.

use super::super::context::Context;
use super::super::error::BuiltinError;
use super::super::options::Options;
use super::super::row::Flow;
use super::Request;
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::variable::Attributes;
use crate::memory::{Arc, Vec};
use crate::text::Text;
use std::fmt::Write as _;

/// `declare -f`, `declare -F`, and attributes of functions.
pub(super) fn declare(ctx: &mut Context<'_, '_>, options: &Options, request: Request) -> Flow {
    let (names_only, print) = (options.has(b'F'), options.has(b'p'));
    let names = ctx.operands(options);
    if names.is_empty() {
        for (name, id) in sorted(ctx) {
            if !is_marked(ctx, id, request.on) {
                continue;
            }
            if names_only {
                print_line(ctx, id, &name);
            } else {
                show(ctx, id, &name);
            }
        }
        return Flow::Status(0);
    }
    let changes = request.on.0 | request.off.0 != 0;
    while let Some(name) = ctx.next(names) {
        match find(ctx, name) {
            None if print => ctx.complain(BuiltinError::NotFound(name.clone())),
            None => ctx.raise(1),
            Some(id) if changes && !print => change(ctx, id, request),
            Some(id) if names_only && print => print_line(ctx, id, name),
            Some(id) if names_only => print_name(ctx, id, name),
            Some(id) => show(ctx, id, name),
        }
    }
    ctx.flow()
}

fn find(ctx: &Context<'_, '_>, name: &[u8]) -> Option<NameId> {
    let id = ctx.run.services.names.find(name)?;
    ctx.process.shell.state.commands.functions.contains_key(&id).then_some(id)
}

fn sorted(ctx: &Context<'_, '_>) -> Vec<(Text, NameId)> {
    let functions = ctx.process.shell.state.commands.functions.keys();
    let mut names: Vec<_> = functions.map(|id| (ctx.run.services.names.text(*id), *id)).collect();
    names.sort();
    names
}

/// Attributes of a function.
#[derive(Clone, Copy)]
struct Marks {
    readonly: bool,
    exported: bool,
}

fn marks(ctx: &Context<'_, '_>, id: NameId) -> Marks {
    Marks {
        readonly: ctx.process.shell.variables.is_readonly_function(id),
        exported: ctx
            .process
            .shell
            .state
            .commands
            .functions
            .get(&id)
            .is_some_and(|function| function.exported),
    }
}

/// Whether a function has one of the attributes that are asked for, if any is.
fn is_marked(ctx: &Context<'_, '_>, id: NameId, wanted: Attributes) -> bool {
    let marks = marks(ctx, id);
    !wanted.has(Attributes(Attributes::READONLY.0 | Attributes::EXPORTED.0))
        || (wanted.has(Attributes::READONLY) && marks.readonly)
        || (wanted.has(Attributes::EXPORTED) && marks.exported)
}

/// `declare -f name`
fn print_line(ctx: &mut Context<'_, '_>, id: NameId, name: &Text) {
    let marks = marks(ctx, id);
    ctx.out.bytes(b"declare -f");
    ctx.out.bytes(if marks.readonly { b"r" } else { b"" });
    ctx.out.bytes(if marks.exported { b"x " } else { b" " });
    ctx.out.line(name);
}

/// `declare -F name`: with `extdebug` also where it was defined.
fn print_name(ctx: &mut Context<'_, '_>, id: NameId, name: &Text) {
    ctx.out.text(name);
    if ctx.process.shell.state.options.has(ShellOption::ExtDebug)
        && let Some(function) = ctx.process.shell.state.commands.functions.get(&id)
    {
        let (line, source) = (function.definition.line, function.source.clone());
        let _ = write!(ctx.out, " {line} ");
        ctx.out.text(&source);
    }
    ctx.out.bytes(b"\n");
}

/// The definition, and the attributes if it has any.
fn show(ctx: &mut Context<'_, '_>, id: NameId, name: &Text) {
    print_definition(ctx, id);
    let marks = marks(ctx, id);
    if marks.readonly || marks.exported {
        print_line(ctx, id, name);
    }
}

fn print_definition(ctx: &mut Context<'_, '_>, id: NameId) {
    let Some(function) = ctx.process.shell.state.commands.functions.get(&id) else { return };
    let definition = Arc::clone(&function.definition);
    ctx.out.function(&definition);
    ctx.out.bytes(b"\n");
}

fn change(ctx: &mut Context<'_, '_>, id: NameId, request: Request) {
    let variables = &mut ctx.process.shell.variables;
    if request.on.has(Attributes::TRACE) && !variables.traced_functions.contains(&id) {
        variables.traced_functions.push(id);
    } else if request.off.has(Attributes::TRACE) {
        variables.traced_functions.retain(|traced| *traced != id);
    }
    if request.on.has(Attributes::READONLY) && !variables.is_readonly_function(id) {
        variables.readonly_functions.push(id);
    }
    let exported = request.on.has(Attributes::EXPORTED);
    if !exported && !request.off.has(Attributes::EXPORTED) {
        return;
    }
    if let Some(function) = Arc::make_mut(&mut ctx.process.shell.state.commands.functions).get_mut(&id) {
        function.exported = exported;
        ctx.process.shell.variables.exports += 1;
    }
}

/// `export -f NAME ...`, `readonly -f NAME ...`
pub(super) fn mark(ctx: &mut Context<'_, '_>, names: &[Text], request: Request) -> Flow {
    while let Some(name) = ctx.next(names) {
        match find(ctx, name) {
            Some(id) => change(ctx, id, request),
            None => ctx.complain(BuiltinError::NotAFunction(name.clone())),
        }
    }
    ctx.flow()
}

/// Every function that has one of the attributes.
pub(super) fn print_marked(ctx: &mut Context<'_, '_>, wanted: Attributes) {
    for (name, id) in sorted(ctx) {
        if is_marked(ctx, id, wanted) {
            show(ctx, id, &name);
        }
    }
}

/// Every function's definition.
pub(super) fn print_all(ctx: &mut Context<'_, '_>) {
    for (_, id) in sorted(ctx) {
        print_definition(ctx, id);
    }
}
