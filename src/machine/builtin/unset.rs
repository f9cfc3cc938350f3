//! `unset`. Bash manual 4.1.

use crate::memory::{ToMeteredString};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step, Target};
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static UNSET: Builtin = Builtin {
    name: "unset",
    special: true,
    synopsis: "unset [-f] [-v] [-n] [name ...]",
    help: "Unset values and attributes of shell variables and functions.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"fnv") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let (functions, variables) = (letters.has(b'f'), letters.has(b'v'));
    if functions && variables {
        process.report_for(b"unset", "cannot simultaneously unset a function and a variable");
        return Ok(Flow::Status(1));
    }
    let mut status = 0;
    for name in invocation.args.iter().skip(letters.first) {
        let good = if functions {
            unset_function(process, run, name)
        } else {
            unset_name(process, run, name, letters.has(b'n'), variables)?
        };
        if !good {
            status = 1;
        }
    }
    Ok(Flow::Status(status))
}

fn unset_function(process: &mut Process, run: &Run, name: &Text) -> bool {
    let Some(id) = run.services.names.find(name) else { return true };
    if !process.shell.state.functions.contains_key(&id) {
        return true;
    }
    if process.shell.variables.is_readonly_function(id) {
        process.report_for(b"unset", format_args!("{name}: cannot unset: readonly function"));
        return false;
    }
    if let Some(function) = Arc::make_mut(&mut process.shell.state.functions).remove(&id)
        && function.exported
    {
        process.shell.variables.exports += 1;
    }
    true
}

fn unset_name(
    process: &mut Process,
    run: &mut Run,
    name: &Text,
    reference: bool,
    variables_only: bool,
) -> Step<bool> {
    if let Some(open) = name.iter().position(|&byte| byte == b'[')
        && let Some(subscript) = name.get(open + 1..).and_then(|rest| rest.strip_suffix(b"]"))
        && let Some(base) = name.get(..open).filter(|base| name::is_name(base))
    {
        let id = run.services.names.intern(base);
        return unset_element(process, run, id, &Text::from(subscript));
    }
    if !name::is_name(name) {
        if variables_only || reference {
            process.report_for(b"unset", format_args!("`{name}': not a valid identifier"));
            return Ok(false);
        }
        return Ok(unset_function(process, run, name));
    }
    let id = run.services.names.intern(name);
    let slot = process.shell.variables.slot(id);
    if !slot.exists() && !variables_only && process.shell.state.functions.contains_key(&id) {
        return Ok(unset_function(process, run, name));
    }
    if slot.attributes.has(Attributes::NAMEREF) && !reference {
        match process.dereference(run, id) {
            Target::Variable(target) => return Ok(unset_variable(process, run, target)),
            Target::Index(target, index) => {
                return unset_element(process, run, target, &Text::from(index.to_metered_string()));
            }
            Target::Key(target, key) => return unset_element(process, run, target, &key),
            _ => return Ok(unset_variable(process, run, id)),
        }
    }
    Ok(unset_variable(process, run, id))
}

fn is_writable(process: &mut Process, run: &Run, id: NameId) -> bool {
    if process.shell.variables.slot(id).attributes.has(Attributes::READONLY) {
        let name = run.services.names.text(id);
        process.report_for(b"unset", format_args!("{name}: cannot unset: readonly variable"));
        return false;
    }
    true
}

fn unset_variable(process: &mut Process, run: &mut Run, id: NameId) -> bool {
    if !is_writable(process, run, id) {
        return false;
    }
    let scope = process.shell.variables.scope();
    let slot = process.shell.variables.slot(id);
    let (own, attributes) = (slot.scope, slot.attributes);
    if attributes.has(Attributes::EXPORTED) {
        process.shell.variables.exports += 1;
    }
    if attributes.has(Attributes::TEMPORARY) || own != 0 && own < scope && !process.shell.state.options.has(ShellOption::LocalVarUnset) {
        // The local variable of a caller: the one below it shows.
        process.shell.variables.pop_local(id);
    } else {
        let slot = process.shell.variables.slot_mut(id);
        slot.value = Value::Unset;
        // A computed variable loses its meaning for good.
        slot.attributes = Attributes(attributes.0 & Attributes::SPECIAL.0);
    }
    if attributes.has(Attributes::SPECIAL) {
        process.after_special(run, id);
    }
    true
}

fn unset_element(process: &mut Process, run: &mut Run, id: NameId, subscript: &Text) -> Step<bool> {
    let Target::Variable(id) = process.dereference(run, id) else { return Ok(true) };
    if !is_writable(process, run, id) {
        return Ok(false);
    }
    let value = process.shell.variables.slot(id).value.clone();
    let name = run.services.names.text(id);
    match value {
        Value::Assoc(_) => {
            let key = match subscript.as_bytes() {
                b"@" | b"*" => subscript.clone(),
                _ => process.dequote_key(run, subscript),
            };
            if let Value::Assoc(assoc) = &mut process.shell.variables.slot_mut(id).value {
                Arc::make_mut(assoc).remove(&key);
            }
        }
        Value::Array(_) => {
            if matches!(subscript.as_bytes(), b"@" | b"*") {
                process.shell.variables.slot_mut(id).value = Value::Array(Arc::default());
                return Ok(true);
            }
            let index = process.evaluate_subscript(run, subscript, 0)?;
            let Some(index) = process.array_index(run, id, index) else {
                process.report_for(b"unset", format_args!("[{subscript}]: bad array subscript"));
                return Ok(false);
            };
            if let Value::Array(array) = &mut process.shell.variables.slot_mut(id).value {
                Arc::make_mut(array).remove(index);
            }
        }
        Value::Unset if !process.shell.variables.slot(id).exists() => return Ok(true),
        Value::Unset | Value::Dynamic => {
            process.report_for(b"unset", format_args!("{name}: not an array variable"));
            return Ok(false);
        }
        _ => {
            if matches!(subscript.as_bytes(), b"@" | b"*") || process.evaluate_subscript(run, subscript, 0)? != 0 {
                process.report_for(b"unset", format_args!("{name}: not an array variable"));
                return Ok(false);
            }
            return Ok(unset_variable(process, run, id));
        }
    }
    Ok(true)
}
