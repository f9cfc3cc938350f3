//! `alias` and `unalias`. Bash manual 6.6, POSIX XCU 2.3.1.

use crate::memory::Vec;
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static ALIAS: Builtin = Builtin {
    name: "alias",
    special: false,
    synopsis: "alias [-p] [name[=value] ... ]",
    help: "Define or display aliases.",
    run: run_alias,
};

pub(super) static UNALIAS: Builtin = Builtin {
    name: "unalias",
    special: false,
    synopsis: "unalias [-a] name [name ...]",
    help: "Remove each NAME from the list of defined aliases.",
    run: run_unalias,
};

fn run_alias(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"p") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    if operands.is_empty() || letters.has(b'p') {
        let mut all: Vec<(Text, Text)> =
            process.shell.state.aliases.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        all.sort();
        for (name, text) in &all {
            show(&mut process.out, name, text);
        }
    }
    let mut status = 0;
    for operand in operands {
        let split = operand.iter().skip(1).position(|&byte| byte == b'=').map(|at| at + 1);
        match split {
            Some(at) => {
                let name = operand.get(..at).unwrap_or(&[]);
                let text = operand.get(at + 1..).unwrap_or(&[]);
                if !is_alias_name(name) {
                    let name = bstr::BStr::new(name);
                    process.report_for(b"alias", format_args!("`{name}': invalid alias name"));
                    status = 1;
                    continue;
                }
                Arc::make_mut(&mut process.shell.state.aliases).insert(Text::from(name), Text::from(text));
            }
            None => match process.shell.state.aliases.get(operand).cloned() {
                Some(text) => show(&mut process.out, operand, &text),
                None => {
                    process.report_for(b"alias", format_args!("{operand}: not found"));
                    status = 1;
                }
            },
        }
    }
    Ok(Flow::Status(status))
}

fn is_alias_name(name: &[u8]) -> bool {
    !name.is_empty()
        && !name.iter().any(|byte| {
            byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b'/' | b'$'
                        | b'`'
                        | b'='
                        | b'\\'
                        | b'"'
                        | b'\''
                        | b'|'
                        | b'&'
                        | b';'
                        | b'('
                        | b')'
                        | b'<'
                        | b'>'
                )
        })
}

fn show(out: &mut Vec<u8>, name: &[u8], text: &[u8]) {
    out.extend_from_slice(b"alias ");
    if name.first() == Some(&b'-') {
        out.extend_from_slice(b"-- ");
    }
    out.extend_from_slice(name);
    out.push(b'=');
    out.extend_from_slice(&quote::single(text));
    out.push(b'\n');
}

fn run_unalias(
    process: &mut Process,
    _: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"a") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    if letters.has(b'a') {
        process.shell.state.aliases = Arc::default();
        return Ok(Flow::Status(0));
    }
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    if operands.is_empty() {
        return Ok(letter_options::usage(process, invocation));
    }
    let mut status = 0;
    for operand in operands {
        if Arc::make_mut(&mut process.shell.state.aliases).remove(operand).is_none() {
            process.report_for(b"unalias", format_args!("{operand}: not found"));
            status = 1;
        }
    }
    Ok(Flow::Status(status))
}
