//! `unset`. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{Options, flag};
use super::row::{Act, Builtin, Flow};
use crate::machine::expansion::Target;
use crate::machine::halt::Halt;
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::variable::{Attributes, Value};
use crate::memory::{Arc, ToDecimal};
use crate::text::Text;

pub(super) static UNSET: Builtin = Builtin {
    name: "unset",
    special: true,
    synopsis: "unset [-f] [-v] [-n] [name ...]",
    help: "Unset values and attributes of shell variables and functions.",
    options: &[
        flag(b'f', "the names are those of functions"),
        flag(b'v', "the names are those of variables"),
        flag(b'n', "unset a reference, not what it refers to"),
    ],
    act: Act::Machine(unset),
};

fn unset(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    if options.has(b'f') && options.has(b'v') {
        return Err(BuiltinError::UnsetBoth);
    }
    let names = ctx.operands(&options);
    while let Some(name) = ctx.next(names) {
        let done =
            if options.has(b'f') { unset_function(ctx, name) } else { unset_name(ctx, name, &options) };
        match done {
            Ok(()) => {}
            Err(BuiltinError::Halt(halt)) => return Err(halt.into()),
            Err(error) => ctx.complain(error),
        }
    }
    Ok(ctx.flow())
}

fn unset_function(ctx: &mut Context<'_, '_>, name: &Text) -> Result<(), BuiltinError> {
    let Some(id) = ctx.run.services.names.find(name) else { return Ok(()) };
    let shell = &mut ctx.process.shell;
    if !shell.state.commands.functions.contains_key(&id) {
        return Ok(());
    }
    if shell.variables.is_readonly_function(id) {
        return Err(BuiltinError::UnsetReadOnlyFunction(name.clone()));
    }
    if let Some(function) = Arc::make_mut(&mut shell.state.commands.functions).remove(&id)
        && function.exported
    {
        shell.variables.exports += 1;
    }
    Ok(())
}

fn unset_name(ctx: &mut Context<'_, '_>, name: &Text, options: &Options) -> Result<(), BuiltinError> {
    let (reference, variables_only) = (options.has(b'n'), options.has(b'v'));
    if let Some(open) = name.iter().position(|&byte| byte == b'[')
        && let Some(subscript) = name.get(open + 1..).and_then(|rest| rest.strip_suffix(b"]"))
        && let Some(base) = name.get(..open).filter(|base| name::is_name(base))
    {
        let id = ctx.run.services.names.intern(base);
        if subscript.is_empty() {
            return Ok(());
        }
        return unset_element(ctx, id, &Text::from(subscript));
    }
    if !name::is_name(name) {
        if variables_only || reference {
            return Err(BuiltinError::InvalidName(name.clone()));
        }
        return unset_function(ctx, name);
    }
    let id = ctx.run.services.names.intern(name);
    let slot = ctx.process.shell.variables.slot(id);
    let (exists, is_reference) = (slot.exists(), slot.attributes.has(Attributes::NAMEREF));
    if !exists && !variables_only && ctx.process.shell.state.commands.functions.contains_key(&id) {
        return unset_function(ctx, name);
    }
    if reference && !is_reference {
        return Ok(());
    }
    if !is_reference || reference {
        return unset_variable(ctx, id);
    }
    match ctx.process.shell.dereference(ctx.run, id) {
        Target::Variable(target) => unset_variable(ctx, target),
        Target::Index(target, index) => unset_element(ctx, target, &Text::from(index.to_decimal())),
        Target::Key(target, key) => unset_element(ctx, target, &key),
        _ => unset_variable(ctx, id),
    }
}

fn check_writable(ctx: &Context<'_, '_>, id: NameId) -> Result<(), BuiltinError> {
    if ctx.process.shell.variables.slot(id).attributes.has(Attributes::READONLY) {
        return Err(BuiltinError::UnsetReadOnlyVariable(ctx.run.services.names.text(id)));
    }
    Ok(())
}

fn unset_variable(ctx: &mut Context<'_, '_>, id: NameId) -> Result<(), BuiltinError> {
    check_writable(ctx, id)?;
    let keeps_scope = ctx.process.shell.state.options.has(ShellOption::LocalVarUnset);
    let variables = &mut ctx.process.shell.variables;
    let scope = variables.scope();
    let slot = variables.slot(id);
    let (own, attributes) = (slot.scope, slot.attributes);
    if attributes.has(Attributes::EXPORTED) {
        variables.exports += 1;
    }
    if attributes.has(Attributes::TEMPORARY) || own != 0 && own < scope && !keeps_scope {
        // The local variable of a caller: the one below it shows.
        variables.pop_local(id);
    } else {
        let slot = variables.slot_mut(id);
        slot.value = Value::Unset;
        // A computed variable loses its meaning for good.
        slot.attributes = Attributes(attributes.0 & Attributes::SPECIAL.0);
        if own > 0 {
            // The name stays local to the function.
            slot.attributes.insert(Attributes::DECLARED);
        }
    }
    if attributes.has(Attributes::SPECIAL) {
        ctx.process.shell.after_special(ctx.run, id);
    }
    Ok(())
}

fn unset_element(ctx: &mut Context<'_, '_>, id: NameId, subscript: &Text) -> Result<(), BuiltinError> {
    let Target::Variable(id) = ctx.process.shell.dereference(ctx.run, id) else { return Ok(()) };
    check_writable(ctx, id)?;
    let is_all = matches!(subscript.as_bytes(), b"@" | b"*");
    let slot = ctx.process.shell.variables.slot(id);
    let (exists, attributes) = (slot.exists(), slot.attributes);
    let not_an_array = || BuiltinError::NotAnArray(ctx.run.services.names.text(id));
    match slot.value {
        Value::Assoc(_) => {
            let key =
                if is_all { subscript.clone() } else { ctx.process.shell.dequote_key(ctx.run, subscript) };
            if let Value::Assoc(assoc) = &mut ctx.process.shell.variables.slot_mut(id).value {
                Arc::make_mut(assoc).remove(&key);
            }
        }
        Value::Array(_) if is_all => {
            ctx.process.shell.variables.slot_mut(id).value = Value::Array(Arc::default());
        }
        Value::Array(_) => {
            let index =
                ctx.process.shell.evaluate_subscript(ctx.run, subscript, 0).map_err(Halt::abandoned)?;
            let index = ctx.process.shell.array_index(ctx.run, id, index);
            let index = index.ok_or_else(|| BuiltinError::BadSubscript(subscript.clone()))?;
            if let Value::Array(array) = &mut ctx.process.shell.variables.slot_mut(id).value {
                Arc::make_mut(array).remove(index);
            }
        }
        Value::Unset if !exists || attributes.has(Attributes::ARRAY) || attributes.has(Attributes::ASSOC) => {
        }
        // The aliases and the remembered paths stay.
        Value::Dynamic if matches!(id, name::BASH_ALIASES | name::BASH_CMDS) => {}
        Value::Dynamic => return Err(not_an_array()),
        _ if is_all => return Err(not_an_array()),
        _ => {
            if ctx.process.shell.evaluate_subscript(ctx.run, subscript, 0).map_err(Halt::abandoned)? != 0 {
                return Err(BuiltinError::NotAnArray(ctx.run.services.names.text(id)));
            }
            return unset_variable(ctx, id);
        }
    }
    Ok(())
}
