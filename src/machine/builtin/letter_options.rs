//! Options of builtins: clusters of letters before the operands, with bash's messages. Bash manual 4.2, POSIX XBD 12.2.

use super::{Flow, Invocation};
use crate::machine::process::Process;
use crate::memory::{Vec, format};
use crate::text::Text;

/// The options that a builtin was given.
#[derive(Debug, Default)]
pub(super) struct Letters {
    /// In order, each with its option-argument.
    pub(super) given: Vec<(u8, Option<Text>)>,
    /// Index of the first operand in the arguments.
    pub(super) first: usize,
}

impl Letters {
    pub(super) fn has(&self, letter: u8) -> bool {
        self.given.iter().any(|(given, _)| *given == letter)
    }

    /// The option-argument of a letter, the last one that was given.
    pub(super) fn value(&self, letter: u8) -> Option<&Text> {
        self.given.iter().rev().find(|(given, _)| *given == letter).and_then(|(_, value)| value.as_ref())
    }
}

/// Reads the options: `allowed` is as for `getopts`, a letter that takes an option-argument has `:` behind it. `Err`: what
/// the builtin ends with, reported already.
pub(super) fn parse(process: &mut Process, invocation: &Invocation, allowed: &[u8]) -> Result<Letters, Flow> {
    let mut letters = Letters { given: Vec::new(), first: 1 };
    while let Some(arg) = invocation.args.get(letters.first) {
        match arg.as_bytes() {
            b"--" => {
                letters.first += 1;
                break;
            }
            b"--help" => {
                show_help(process, invocation);
                return Err(Flow::Status(2));
            }
            [b'-', rest @ ..] if !rest.is_empty() => {
                cluster(process, invocation, allowed, rest, &mut letters)?;
            }
            _ => break,
        }
        letters.first += 1;
    }
    Ok(letters)
}

fn cluster(
    process: &mut Process,
    invocation: &Invocation,
    allowed: &[u8],
    mut rest: &[u8],
    letters: &mut Letters,
) -> Result<(), Flow> {
    while let [letter, after @ ..] = rest {
        let at = allowed.iter().position(|known| known == letter && *known != b':');
        let Some(at) = at else {
            let name = invocation.name();
            process.report_for(&name, format_args!("-{}: invalid option", bstr::BStr::new(&[*letter])));
            return Err(usage(process, invocation));
        };
        if allowed.get(at + 1) != Some(&b':') {
            letters.given.push((*letter, None));
            rest = after;
            continue;
        }
        let value = if after.is_empty() {
            letters.first += 1;
            invocation.args.get(letters.first).cloned()
        } else {
            Some(Text::from(after))
        };
        let Some(value) = value else {
            let name = invocation.name();
            let letter = char::from(*letter);
            process.report_for(&name, format_args!("-{letter}: option requires an argument"));
            return Err(usage(process, invocation));
        };
        letters.given.push((*letter, Some(value)));
        return Ok(());
    }
    Ok(())
}

/// Prints the synopsis as a usage error.
pub(super) fn usage(process: &mut Process, invocation: &Invocation) -> Flow {
    let text = format!("{}: usage: {}\n", invocation.builtin.name, invocation.builtin.synopsis);
    process.write_error(text.as_bytes());
    Flow::Status(2)
}

/// `--help`
pub(super) fn show_help(process: &mut Process, invocation: &Invocation) {
    let builtin = invocation.builtin;
    let text = format!("{}: {}\n    {}\n", builtin.name, builtin.synopsis, builtin.help);
    process.out.extend_from_slice(text.as_bytes());
}
