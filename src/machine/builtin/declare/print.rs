//! Variables as `declare -p`, `declare`, `set` and `export -p` show them: text that makes them again when it is read.

use crate::memory::{JoinMetered, ToMetered, Vec};
use super::super::{Flow, Invocation};
use super::Request;
use super::letters::Letters;
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
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
    process: &mut Process,
    run: &mut Run,
    invocation: &Invocation,
    letters: &Letters,
    request: Request,
    is_local: bool,
) -> Step<Flow> {
    let names: Vec<Text> = invocation.args.iter().skip(letters.first).cloned().collect();
    if names.is_empty() {
        if is_local {
            locals(process, run);
        } else if letters.given.is_empty() || (request.on.0 == 0 && !letters.has(b'p')) {
            process.print_all_variables(run, letters.given.is_empty());
        } else {
            all(process, run, request.on, None);
        }
        return Ok(Flow::Status(0));
    }
    let mut status = 0;
    for name in names {
        let found = run.services.names.find(&name).filter(|id| process.shell.variables.slot(*id).exists());
        let found = found.filter(|id| !is_local || is_local_here(process, *id));
        match found {
            Some(id) => print(process, run, id, None),
            None => {
                process.report_for(&invocation.name(), format_args!("{name}: not found"));
                status = 1;
            }
        }
    }
    Ok(Flow::Status(status))
}

fn is_local_here(process: &Process, id: NameId) -> bool {
    process.shell.variables.slot(id).scope == process.shell.variables.scope()
}

/// In POSIX mode `export -p` and `readonly -p` show their own name.
pub(super) fn posix_word(process: &Process, invocation: &Invocation) -> Option<&'static str> {
    process.shell.state.options.has(ShellOption::Posix).then_some(invocation.builtin.name)
}

/// Variables that exist, sorted by name.
fn sorted(process: &Process, run: &Run, keep: impl Fn(&Process, NameId) -> bool) -> Vec<(Text, NameId)> {
    let mut names: Vec<(Text, NameId)> = process
        .shell
        .variables
        .existing()
        .filter(|(id, _)| !HIDDEN.contains(id) && keep(process, *id))
        .map(|(id, _)| (run.services.names.text(id), id))
        .collect();
    names.sort();
    names
}

/// Every variable that has one of the attributes; all if there is none.
pub(super) fn all(process: &mut Process, run: &mut Run, attributes: Attributes, word: Option<&str>) {
    let shown = sorted(process, run, |process, id| {
        let slot = process.shell.variables.slot(id);
        let mut own = slot.attributes;
        match slot.value {
            Value::Array(_) => own.insert(Attributes::ARRAY),
            Value::Assoc(_) => own.insert(Attributes::ASSOC),
            _ => {}
        }
        attributes.0 == 0 || own.has(attributes)
    });
    for (_, id) in shown {
        print(process, run, id, word);
    }
}

fn locals(process: &mut Process, run: &mut Run) {
    for (_, id) in sorted(process, run, is_local_here) {
        print(process, run, id, None);
    }
}

fn print(process: &mut Process, run: &mut Run, id: NameId, word: Option<&str>) {
    let mut text = process.declaration(run, id);
    if let Some(word) = word
        && let Some(rest) = text.strip_prefix(b"declare -")
    {
        let rest = rest.iter().position(|&byte| byte == b' ').and_then(|at| rest.get(at..)).unwrap_or(rest);
        text = [word.as_bytes(), rest].concat_metered();
    }
    process.out.extend_from_slice(&text);
    process.out.push(b'\n');
}

impl Process {
    /// `set` without operands: every variable that has a value, and functions.
    pub(in super::super) fn print_all_variables(&mut self, run: &mut Run, functions: bool) {
        for (name, id) in sorted(self, run, |process, id| process.shell.variables.slot(id).value != Value::Unset) {
            let value = if self.shell.variables.slot(id).attributes.has(Attributes::NAMEREF) { self.shell.variables.slot(id).value.clone() } else { self.value_of(run, id) };
            let text = match value {
                Value::Unset | Value::Dynamic => continue,
                Value::Array(_) | Value::Assoc(_) => {
                    let text = self.declaration(run, id);
                    let at = memchr::memmem::find(&text, &name).unwrap_or(0);
                    text.get(at..).unwrap_or(&text).to_metered()
                }
                value => {
                    let value = value.text().unwrap_or_default();
                    let shown = match value.as_bytes() {
                        [] => Vec::new(),
                        value if quote::needs_ansi_c(value) && !self.shell.state.options.has(ShellOption::Posix) => {
                            quote::ansi_c(value)
                        }
                        value => quote::trace(value),
                    };
                    [name.as_bytes(), b"=", &shown].concat_metered()
                }
            };
            self.out.extend_from_slice(&text);
            self.out.push(b'\n');
        }
        if functions {
            super::function::print_all(self, run);
        }
    }
}
