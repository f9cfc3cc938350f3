//! Variables as `declare -p`, `declare`, `set` and `export -p` show them: text that makes them again when it is read.

use super::super::context::Context;
use super::super::error::BuiltinError;
use super::super::options::Options;
use super::super::output::Style;
use super::super::row::Flow;
use super::{Request, function};
use crate::machine::expansion::Target;
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::process::Process;
use crate::machine::variable::{Attributes, Value};
use crate::memory::Vec;
use crate::text::Text;

/// Computed variables that lists do not show.
const HIDDEN: &[NameId] = &[
    name::LINENO,
    name::RANDOM,
    name::SRANDOM,
    name::SECONDS,
    name::EPOCHSECONDS,
    name::EPOCHREALTIME,
    name::BASHPID,
    name::FUNCNAME,
    name::BASH_SUBSHELL,
    name::BASH_ARGV0,
];

/// `declare` without names, and `declare -p NAME ...`.
pub(super) fn declare(
    ctx: &mut Context<'_, '_>,
    options: &Options,
    request: Request,
    is_local: bool,
) -> Flow {
    let names = ctx.operands(options);
    if names.is_empty() {
        if is_local {
            let locals = sorted(ctx, is_local_here);
            print_list(ctx, &locals, None);
        } else if options.given().next().is_none() || (request.on.0 == 0 && !options.has(b'p')) {
            all_values(ctx, options.given().next().is_none());
        } else {
            all(ctx, request.on, None);
        }
        return Flow::Status(0);
    }
    while let Some(name) = ctx.next(names) {
        let found = ctx.run.services.names.find(name);
        let found = found.filter(|id| ctx.process.shell.variables.slot(*id).exists());
        match found.filter(|id| !is_local || is_local_here(ctx.process, *id)) {
            Some(id) => print(ctx, id, None),
            None => ctx.complain(BuiltinError::NotFound(name.clone())),
        }
    }
    ctx.flow()
}

fn is_local_here(process: &Process, id: NameId) -> bool {
    process.shell.variables.slot(id).scope == process.shell.variables.scope()
}

/// In POSIX mode `export -p` and `readonly -p` show their own name.
pub(super) fn posix_word(ctx: &Context<'_, '_>) -> Option<&'static str> {
    ctx.process.shell.state.options.has(ShellOption::Posix).then_some(ctx.builtin.name)
}

/// Variables that exist, sorted by name.
fn sorted(ctx: &Context<'_, '_>, keep: impl Fn(&Process, NameId) -> bool) -> Vec<(Text, NameId)> {
    let existing = ctx.process.shell.variables.existing();
    let mut names: Vec<(Text, NameId)> = existing
        .filter(|(id, _)| !HIDDEN.contains(id) && keep(ctx.process, *id))
        .map(|(id, _)| (ctx.run.services.names.text(id), id))
        .collect();
    names.sort();
    names
}

/// Every variable that has one of the attributes; all if there is none.
pub(super) fn all(ctx: &mut Context<'_, '_>, attributes: Attributes, word: Option<&'static str>) {
    let shown = sorted(ctx, |process, id| {
        let slot = process.shell.variables.slot(id);
        let mut own = slot.attributes;
        match slot.value {
            Value::Array(_) => own.insert(Attributes::ARRAY),
            Value::Assoc(_) => own.insert(Attributes::ASSOC),
            _ => {}
        }
        attributes.0 == 0 || own.has(attributes)
    });
    print_list(ctx, &shown, word);
}

fn print_list(ctx: &mut Context<'_, '_>, shown: &[(Text, NameId)], word: Option<&'static str>) {
    for (_, id) in shown {
        print(ctx, *id, word);
    }
}

/// The value of a variable, or the name that a reference refers to.
fn own_value(ctx: &mut Context<'_, '_>, id: NameId) -> Value {
    let slot = ctx.process.shell.variables.slot(id);
    if slot.attributes.has(Attributes::NAMEREF) {
        slot.value.clone()
    } else {
        ctx.process.shell.value_of(ctx.run, id)
    }
}

/// A declaration. `word` stands in place of `declare` and its options.
fn print(ctx: &mut Context<'_, '_>, id: NameId, word: Option<&'static str>) {
    match word {
        Some(word) => ctx.out.bytes(word.as_bytes()),
        None => {
            let letters =
                ctx.process.shell.attribute_letters(ctx.run, &Target::Variable(id)).unwrap_or_default();
            ctx.out.bytes(b"declare -");
            ctx.out.bytes(if letters.is_empty() { b"-" } else { &letters });
        }
    }
    ctx.out.bytes(b" ");
    let name = ctx.run.services.names.text(id);
    ctx.out.text(&name);
    let value = own_value(ctx, id);
    print_value(ctx, &value);
    ctx.out.bytes(b"\n");
}

/// `=` and a value; nothing where there is none.
fn print_value(ctx: &mut Context<'_, '_>, value: &Value) {
    match value {
        Value::Unset | Value::Dynamic => {}
        Value::Array(array) => {
            ctx.out.bytes(b"=(");
            ctx.out.elements(array);
            ctx.out.bytes(b")");
        }
        Value::Assoc(assoc) => {
            ctx.out.bytes(b"=(");
            let entries = assoc.sorted().into_iter().map(|(key, value)| (key.clone(), value.clone()));
            ctx.out.entries(entries.collect());
            ctx.out.bytes(b")");
        }
        value => {
            ctx.out.bytes(b"=");
            ctx.out.quoted(&value.text().unwrap_or_default(), Style::Declaration);
        }
    }
}

/// `set` and `declare` without operands: every variable that has a value, and functions.
pub(in super::super) fn all_values(ctx: &mut Context<'_, '_>, functions: bool) {
    let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
    let style = if posix { Style::PosixAssignment } else { Style::Assignment };
    for (name, id) in sorted(ctx, |process, id| process.shell.variables.slot(id).value != Value::Unset) {
        let value = own_value(ctx, id);
        if matches!(value, Value::Unset | Value::Dynamic) {
            continue;
        }
        ctx.out.text(&name);
        if value.is_array() {
            print_value(ctx, &value);
        } else {
            ctx.out.bytes(b"=");
            ctx.out.quoted(&value.text().unwrap_or_default(), style);
        }
        ctx.out.bytes(b"\n");
    }
    if functions {
        function::print_all(ctx);
    }
}
