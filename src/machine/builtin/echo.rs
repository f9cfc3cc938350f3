//! `echo`. Bash manual 4.2.

use crate::memory::Vec;
use super::{Builtin, Flow, Invocation};
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static ECHO: Builtin = Builtin {
    name: "echo",
    special: false,
    synopsis: "echo [-neE] [arg ...]",
    help: "Write arguments to the standard output.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let options = process.shell.state.options;
    let mut newline = true;
    let mut escapes = options.has(ShellOption::XpgEcho);
    let mut first = 1;
    if !(options.has(ShellOption::Posix) && escapes) {
        while let Some(letters) = invocation.args.get(first).and_then(|arg| arg.strip_prefix(b"-")) {
            if letters.is_empty() || !letters.iter().all(|letter| matches!(letter, b'n' | b'e' | b'E')) {
                break;
            }
            for letter in letters {
                match letter {
                    b'n' => newline = false,
                    letter => escapes = *letter == b'e',
                }
            }
            first += 1;
        }
    }
    let size: usize = invocation.args.iter().skip(first).map(|arg| arg.len() + 1).sum();
    let held = if size > 4096 { Some(run.services.meter.charge(size as u64)?) } else { None };
    let out = &mut process.out;
    for (number, arg) in invocation.args.iter().skip(first).enumerate() {
        if number > 0 {
            out.push(b' ');
        }
        if escapes {
            if decode(arg, out) {
                newline = false;
                break;
            }
        } else {
            out.extend_from_slice(arg);
        }
    }
    if newline {
        out.push(b'\n');
    }
    drop(held);
    Ok(Flow::Status(0))
}

/// Appends a text with the escapes of `echo -e` decoded; true at `\c`.
fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(&escape) = text.get(at) else {
            out.push(b'\\');
            return false;
        };
        at += 1;
        match escape {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'c' => return true,
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\\' => out.push(b'\\'),
            b'0' => {
                let (value, used) = digits(text, at, 8, 3);
                at += used;
                out.push(value as u8);
            }
            b'x' => match digits(text, at, 16, 2) {
                (_, 0) => out.extend_from_slice(b"\\x"),
                (value, used) => {
                    at += used;
                    out.push(value as u8);
                }
            },
            b'u' | b'U' => match digits(text, at, 16, if escape == b'u' { 4 } else { 8 }) {
                (_, 0) => out.extend_from_slice(&[b'\\', escape]),
                (value, used) => {
                    at += used;
                    push_code_point(value, out);
                }
            },
            other => out.extend_from_slice(&[b'\\', other]),
        }
    }
    false
}

/// A number of at most `most` digits and how many there were.
pub(super) fn digits(text: &[u8], at: usize, base: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut used = 0;
    while used < most {
        let Some(digit) = text.get(at + used).and_then(|byte| char::from(*byte).to_digit(base)) else { break };
        value = value.wrapping_mul(base).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}

/// Appends a code point as UTF-8, also those that are no characters, as bash does.
pub(super) fn push_code_point(value: u32, out: &mut Vec<u8>) {
    match char::from_u32(value) {
        Some(character) => {
            let mut buffer = [0; 4];
            out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
        None if value < 0x1_0000 => {
            out.extend_from_slice(&[0xe0 | (value >> 12) as u8, 0x80 | (value >> 6 & 0x3f) as u8, 0x80 | (value & 0x3f) as u8]);
        }
        None => {}
    }
}
