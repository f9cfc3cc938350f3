//! `hash`: remembered paths of commands. Bash manual 4.1.

use crate::memory::{Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::command::Found;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static HASH: Builtin = Builtin {
    name: "hash",
    special: false,
    synopsis: "hash [-lr] [-p pathname] [-dt] [name ...]",
    help: "Remember or display program locations.",
    run,
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

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"dlp:rt") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let names = invocation.args.get(letters.first..).unwrap_or(&[]);
    if letters.has(b'r') {
        process.shell.state.hashed = Arc::default();
    }
    if names.is_empty() {
        for letter in [b'd', b't'] {
            if letters.has(letter) {
                let letter = char::from(letter);
                process.report_for(&own, format_args!("-{letter}: option requires an argument"));
                return Ok(Flow::Status(1));
            }
        }
        if !letters.has(b'r') {
            list(process, letters.has(b'l'));
        }
        return Ok(Flow::Status(0));
    }
    let mut status = 0;
    for name in names {
        let done = if letters.has(b't') {
            tell(process, &own, name, names.len() > 1, letters.has(b'l'))
        } else if let Some(path) = letters.value(b'p') {
            Arc::make_mut(&mut process.shell.state.hashed).insert(name.clone(), (path.clone(), 0));
            true
        } else if letters.has(b'd') {
            Arc::make_mut(&mut process.shell.state.hashed).remove(name);
            true
        } else {
            remember(process, run, &own, name)
        };
        status |= u8::from(!done);
    }
    Ok(Flow::Status(status))
}

fn list(process: &mut Process, reusable: bool) {
    let mut all: Vec<(Text, Text, u32)> = process
        .shell
        .state
        .hashed
        .iter()
        .map(|(name, (path, hits))| (name.clone(), path.clone(), *hits))
        .collect();
    all.sort();
    if all.is_empty() {
        if !reusable {
            process.out.extend_from_slice(b"hash: hash table empty\n");
        }
        return;
    }
    if !reusable {
        process.out.extend_from_slice(b"hits\tcommand\n");
    }
    for (name, path, hits) in &all {
        if reusable {
            process.out.extend_from_slice(format!("builtin hash -p {path} {name}\n").as_bytes());
        } else {
            process.out.extend_from_slice(format!("{hits:4}\t{path}\n").as_bytes());
        }
    }
}

fn tell(process: &mut Process, own: &Text, name: &Text, several: bool, reusable: bool) -> bool {
    let Some((path, _)) = process.shell.state.hashed.get(name) else {
        process.report_for(own, format_args!("{name}: not found"));
        return false;
    };
    let path = shown(path);
    let text = match (reusable, several) {
        (true, _) => format!("builtin hash -p {path} {name}\n"),
        (false, true) => format!("{name}\t{path}\n"),
        (false, false) => format!("{path}\n"),
    };
    process.out.extend_from_slice(text.as_bytes());
    true
}

/// Searches a command anew and remembers where it is.
fn remember(process: &mut Process, run: &mut Run, own: &Text, name: &Text) -> bool {
    if name.contains(&b'/') {
        return true;
    }
    let function =
        run.services.names.find(name).is_some_and(|id| process.shell.state.functions.contains_key(&id));
    if function || super::find(name).is_some_and(|builtin| process.is_enabled(builtin)) {
        return true;
    }
    Arc::make_mut(&mut process.shell.state.hashed).remove(name);
    let path = process.scalar(run, crate::machine::name::PATH).unwrap_or_default();
    let Found::Path(path) = process.search_along(run, name, &path) else {
        process.report_for(own, format_args!("{name}: not found"));
        return false;
    };
    Arc::make_mut(&mut process.shell.state.hashed).insert(name.clone(), (path, 0));
    true
}
