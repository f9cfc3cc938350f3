//! `type`. Bash manual 4.2.

use super::describe::{self, Meaning, Search};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static TYPE: Builtin = Builtin {
    name: "type",
    special: false,
    synopsis: "type [-afptP] name [name ...]",
    help: "Display information about command type.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"afptP") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let search = Search {
        all: letters.has(b'a'),
        no_functions: letters.has(b'f'),
        files_only: letters.has(b'P'),
        default_path: false,
    };
    let shape = letters.given.iter().rev().map(|(letter, _)| *letter).find(|letter| b"tpP".contains(letter));
    let mut status = 0;
    for name in invocation.args.get(letters.first..).unwrap_or(&[]) {
        let found = describe::meanings(process, run, name, search);
        if found.is_empty() {
            status = 1;
            if shape.is_none() {
                process.report_for(&invocation.name(), format_args!("{name}: not found"));
            }
        }
        for meaning in &found {
            match (shape, meaning) {
                (Some(b't'), meaning) => {
                    process.out.extend_from_slice(meaning.word().as_bytes());
                    process.out.push(b'\n');
                }
                (Some(_), Meaning::File(_) | Meaning::Hashed(_)) => meaning.reuse(name, &mut process.out),
                (Some(_), _) => {}
                (None, meaning) => meaning.describe(name, &mut process.out),
            }
        }
    }
    Ok(Flow::Status(status))
}
