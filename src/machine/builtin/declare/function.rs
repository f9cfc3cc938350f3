//! Functions: `declare -f`, `declare -F`, `export -f`, `readonly -f`.

use crate::memory::{String, Vec, format};
use super::super::{Flow, Invocation};
use super::Request;
use super::letters::Letters;
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::Attributes;
use crate::syntax::print_function;
use crate::text::Text;
use std::sync::Arc;

/// `declare -f`, `declare -F`, and attributes of functions.
pub(super) fn declare(
    process: &mut Process,
    run: &mut Run,
    invocation: &Invocation,
    letters: &Letters,
    request: Request,
) -> Step<Flow> {
    let (names_only, print) = (letters.has(b'F'), letters.has(b'p'));
    if invocation.args.len() <= letters.first {
        for (name, id) in sorted(process, run) {
            if !is_marked(process, id, request.on) {
                continue;
            }
            if names_only {
                print_line(process, id, &name);
            } else {
                show(process, id, &name);
            }
        }
        return Ok(Flow::Status(0));
    }
    let changes = request.on.0 | request.off.0 != 0;
    let mut status = 0;
    for name in invocation.args.iter().skip(letters.first) {
        let Some(id) = find(process, run, name) else {
            if print {
                process.report_for(&invocation.name(), format_args!("{name}: not found"));
            }
            status = 1;
            continue;
        };
        if changes && !print {
            change(process, id, request);
        } else if names_only {
            print_name(process, id, name);
        } else {
            show(process, id, name);
        }
    }
    Ok(Flow::Status(status))
}

fn find(process: &Process, run: &Run, name: &[u8]) -> Option<NameId> {
    run.services.names.find(name).filter(|id| process.shell.state.functions.contains_key(id))
}

fn sorted(process: &Process, run: &Run) -> Vec<(Text, NameId)> {
    let functions = process.shell.state.functions.keys();
    let mut names: Vec<_> = functions.map(|id| (run.services.names.text(*id), *id)).collect();
    names.sort();
    names
}

/// The letters of a function's attributes.
fn marks(process: &Process, id: NameId) -> String {
    let mut letters = String::from("f");
    if process.shell.variables.is_readonly_function(id) {
        letters.push('r');
    }
    if process.shell.state.functions.get(&id).is_some_and(|function| function.exported) {
        letters.push('x');
    }
    letters
}

/// Whether a function has one of the attributes that are asked for, if any is.
fn is_marked(process: &Process, id: NameId, wanted: Attributes) -> bool {
    let marks = marks(process, id);
    wanted.0 & (Attributes::READONLY.0 | Attributes::EXPORTED.0) == 0
        || (wanted.has(Attributes::READONLY) && marks.contains('r'))
        || (wanted.has(Attributes::EXPORTED) && marks.contains('x'))
}

/// `declare -f name`
fn print_line(process: &mut Process, id: NameId, name: &Text) {
    let line = format!("declare -{} {name}\n", marks(process, id));
    process.out.extend_from_slice(line.as_bytes());
}

/// `declare -F name`: with `extdebug` also where it was defined.
fn print_name(process: &mut Process, id: NameId, name: &Text) {
    process.out.extend_from_slice(name);
    if process.shell.state.options.has(ShellOption::ExtDebug)
        && let Some(function) = process.shell.state.functions.get(&id)
    {
        let place = format!(" {} {}", function.definition.line, function.source);
        process.out.extend_from_slice(place.as_bytes());
    }
    process.out.push(b'\n');
}

/// The definition, and the attributes if it has any.
fn show(process: &mut Process, id: NameId, name: &Text) {
    print_definition(process, id);
    if marks(process, id).len() > 1 {
        print_line(process, id, name);
    }
}

fn print_definition(process: &mut Process, id: NameId) {
    let Some(function) = process.shell.state.functions.get(&id) else { return };
    let text = print_function(&function.definition);
    process.out.extend_from_slice(&text);
    process.out.push(b'\n');
}

fn change(process: &mut Process, id: NameId, request: Request) {
    if request.on.has(Attributes::TRACE) && !process.shell.variables.traced_functions.contains(&id) {
        process.shell.variables.traced_functions.push(id);
    } else if request.off.has(Attributes::TRACE) {
        process.shell.variables.traced_functions.retain(|traced| *traced != id);
    }
    if request.on.has(Attributes::READONLY) && !process.shell.variables.is_readonly_function(id) {
        process.shell.variables.readonly_functions.push(id);
    }
    let exported = if request.on.has(Attributes::EXPORTED) {
        true
    } else if request.off.has(Attributes::EXPORTED) {
        false
    } else {
        return;
    };
    if let Some(function) = Arc::make_mut(&mut process.shell.state.functions).get_mut(&id) {
        function.exported = exported;
        process.shell.variables.exports += 1;
    }
}

/// `export -f NAME ...`, `readonly -f NAME ...`
pub(super) fn mark(
    process: &mut Process,
    run: &mut Run,
    invocation: &Invocation,
    first: usize,
    request: Request,
) -> Flow {
    let mut status = 0;
    for name in invocation.args.iter().skip(first) {
        match find(process, run, name) {
            Some(id) => change(process, id, request),
            None => {
                process.report_for(&invocation.name(), format_args!("{name}: not a function"));
                status = 1;
            }
        }
    }
    Flow::Status(status)
}

/// Every function that has one of the attributes.
pub(super) fn print_marked(process: &mut Process, run: &mut Run, wanted: Attributes) {
    for (name, id) in sorted(process, run) {
        if is_marked(process, id, wanted) {
            show(process, id, &name);
        }
    }
}

/// Every function's definition.
pub(super) fn print_all(process: &mut Process, run: &mut Run) {
    for (_, id) in sorted(process, run) {
        print_definition(process, id);
    }
}
