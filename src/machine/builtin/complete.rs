//! `complete` and `compopt`: what was defined is kept and shown; nothing is ever completed here. Bash manual 8.7.

use crate::memory::{JoinMetered, ToMetered, Vec, format, vec};
use super::compgen::{self, ACTIONS, COMPLETION_OPTIONS};
use super::letter_options::Letters;
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static COMPLETE: Builtin = Builtin {
    name: "complete",
    special: false,
    synopsis: "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] \
               [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
    help: "Specify how arguments are to be completed by Readline.",
    run: run_complete,
};

pub(super) static COMPOPT: Builtin = Builtin {
    name: "compopt",
    special: false,
    synopsis: "compopt [-o|+o option] [-DEI] [name ...]",
    help: "Modify or display completion options.",
    run: run_compopt,
};

fn run_complete(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    if let Some(flow) = compgen::check(process, &own, &letters) {
        return Ok(flow);
    }
    let mut names: Vec<Text> = invocation.args.get(letters.first..).unwrap_or(&[]).to_metered();
    for (letter, name) in [(b'D', "-D"), (b'E', "-E"), (b'I', "-I")] {
        if letters.has(letter) {
            names = vec![Text::from(name)];
            break;
        }
    }
    let defines = letters.given.iter().any(|(letter, _)| !b"prDEI".contains(letter));
    if letters.has(b'r') {
        return Ok(Flow::Status(remove(process, &own, &names)));
    }
    if letters.has(b'p') || (names.is_empty() && !defines) {
        return Ok(Flow::Status(show(process, &own, &names)));
    }
    if names.is_empty() {
        return Ok(letter_options::usage(process, invocation));
    }
    let definition = definition(&letters);
    for name in names {
        Arc::make_mut(&mut process.shell.state.completions).insert(name, definition.clone());
    }
    Ok(Flow::Status(0))
}

/// The options as `complete -p` shows them.
fn definition(letters: &Letters) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for option in COMPLETION_OPTIONS {
        let given = letters.given.iter().any(|(letter, value)| {
            *letter == b'o' && value.as_ref().is_some_and(|value| value.as_bytes() == option.as_bytes())
        });
        if given {
            parts.push(format!("-o {option}").into_bytes());
        }
    }
    for (name, own) in ACTIONS {
        let named = letters.given.iter().any(|(letter, value)| {
            *letter == b'A' && value.as_ref().is_some_and(|value| value.as_bytes() == name.as_bytes())
        });
        if own != 0 && (named || letters.has(own)) {
            parts.push(vec![b'-', own]);
        } else if named {
            parts.push(format!("-A {name}").into_bytes());
        }
    }
    for letter in *b"GWPSXCF" {
        if let Some(value) = letters.value(letter) {
            let shown = if letter == b'F' { value.to_metered() } else { quote::single(value) };
            parts.push([b"-", [letter].as_slice(), b" ", &shown].concat_metered());
        }
    }
    parts
}

fn show(process: &mut Process, own: &Text, names: &[Text]) -> u8 {
    let completions = Arc::clone(&process.shell.state.completions);
    let all: Vec<Text> = completions.keys().cloned().collect();
    let mut status = 0;
    for name in if names.is_empty() { &all } else { names } {
        let Some(parts) = completions.get(name) else {
            process.report_for(own, format_args!("{name}: no completion specification"));
            status = 1;
            continue;
        };
        process.out.extend_from_slice(b"complete ");
        for part in parts {
            process.out.extend_from_slice(part);
            process.out.push(b' ');
        }
        process.out.extend_from_slice(name);
        process.out.push(b'\n');
    }
    status
}

fn remove(process: &mut Process, own: &Text, names: &[Text]) -> u8 {
    if names.is_empty() {
        process.shell.state.completions = Arc::default();
        return 0;
    }
    let mut status = 0;
    for name in names {
        if Arc::make_mut(&mut process.shell.state.completions).remove(name).is_none() {
            process.report_for(own, format_args!("{name}: no completion specification"));
            status = 1;
        }
    }
    status
}

fn run_compopt(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let own = invocation.name();
    let mut changes: Vec<(bool, Text)> = Vec::new();
    let mut at = 1;
    let mut names = Vec::new();
    while let Some(arg) = invocation.args.get(at).cloned() {
        at += 1;
        match arg.as_bytes() {
            b"-o" | b"+o" => {
                let Some(option) = invocation.args.get(at) else {
                    process.report_for(&own, format_args!("{arg}: option requires an argument"));
                    return Ok(letter_options::usage(process, invocation));
                };
                changes.push((arg.first() == Some(&b'-'), option.clone()));
                at += 1;
            }
            b"-D" | b"-E" | b"-I" => names.push(arg),
            [b'-' | b'+', _, ..] => {
                process.report_for(&own, format_args!("{arg}: invalid option"));
                return Ok(letter_options::usage(process, invocation));
            }
            _ => names.push(arg),
        }
    }
    for (_, option) in &changes {
        if !COMPLETION_OPTIONS.iter().any(|name| name.as_bytes() == option.as_bytes()) {
            process.report_for(&own, format_args!("{option}: invalid option name"));
            return Ok(Flow::Status(2));
        }
    }
    if names.is_empty() {
        process.report_for(&own, "not currently executing completion function");
        return Ok(Flow::Status(1));
    }
    let mut status = 0;
    for name in &names {
        let completions = Arc::make_mut(&mut process.shell.state.completions);
        let Some(parts) = completions.get_mut(name) else {
            process.report_for(&own, format_args!("{name}: no completion specification"));
            status = 1;
            continue;
        };
        for (on, option) in &changes {
            let part = [b"-o ".as_slice(), option].concat_metered();
            parts.retain(|known| *known != part);
            if *on {
                let options =
                    parts.iter().take_while(|known| known.starts_with(b"-o ") && **known < part).count();
                parts.insert(options, part);
            }
        }
    }
    Ok(Flow::Status(status))
}
