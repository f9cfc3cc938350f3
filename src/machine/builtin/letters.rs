//! Options of builtins: letters with `-` or `+`, clusters, arguments; POSIX XBD 12.2. Usage errors are printed here.

use super::{Flow, Invocation};
use crate::machine::process::Process;
use crate::memory::{String, Vec, format};
use crate::text::Text;

/// A letter that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) name: u8,
    /// Given with `+`.
    pub(super) plus: bool,
    /// Its argument, if it takes one.
    pub(super) argument: Option<Text>,
}

/// The options of a builtin, and where its operands start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    pub(super) given: Vec<Letter>,
    /// Index of the first operand among the arguments, the name being number 0.
    pub(super) first: usize,
}

impl Letters {
    /// Whether a letter was given with `-`.
    pub(super) fn has(&self, letter: u8) -> bool {
        self.given.iter().any(|given| given.name == letter && !given.plus)
    }
}

/// Parses options. `allowed`: the letters, each with `:` behind it if it takes an argument, with `+` at the start if
/// letters may be given with `+` too. `Err`: a usage error was printed.
pub(super) fn parse(process: &mut Process, invocation: &Invocation, allowed: &[u8]) -> Result<Letters, Flow> {
    let (plus_too, allowed) = match allowed.strip_prefix(b"+") {
        Some(allowed) => (true, allowed),
        None => (false, allowed),
    };
    let mut letters = Letters { given: Vec::new(), first: 1 };
    while let Some(arg) = invocation.args.get(letters.first) {
        let plus = match arg.as_bytes() {
            b"--" => {
                letters.first += 1;
                break;
            }
            b"--help" => {
                super::letter_options::show_help(process, invocation);
                return Err(Flow::Status(2));
            }
            [b'-', _, ..] => false,
            [b'+', _, ..] if plus_too => true,
            _ => break,
        };
        letters.first += 1;
        let mut rest = arg.get(1..).unwrap_or(&[]);
        while let Some((&letter, tail)) = rest.split_first() {
            rest = tail;
            let Some(at) = allowed.iter().position(|&own| own == letter && own != b':') else {
                let sign = if plus { '+' } else { '-' };
                process.report_for(
                    &invocation.name(),
                    format_args!("{sign}{}: invalid option", char::from(letter)),
                );
                return Err(usage(process, invocation));
            };
            let mut argument = None;
            if allowed.get(at + 1) == Some(&b':') {
                argument = Some(if rest.is_empty() {
                    let Some(next) = invocation.args.get(letters.first) else {
                        let message = format!("-{}: option requires an argument", char::from(letter));
                        process.report_for(&invocation.name(), message);
                        return Err(usage(process, invocation));
                    };
                    letters.first += 1;
                    next.clone()
                } else {
                    Text::from(std::mem::take(&mut rest))
                });
            }
            letters.given.push(Letter { name: letter, plus, argument });
        }
    }
    Ok(letters)
}

/// Prints the synopsis: a usage error, status 2.
pub(super) fn usage(process: &mut Process, invocation: &Invocation) -> Flow {
    let text = format!("{}: usage: {}\n", invocation.name(), synopsis(invocation));
    process.write_error(text.as_bytes());
    Flow::Status(2)
}

/// The synopsis with the name that the builtin was called by.
fn synopsis(invocation: &Invocation) -> String {
    let synopsis = invocation.builtin.synopsis;
    let rest = synopsis.split_once(' ').map_or("", |(_, rest)| rest);
    if synopsis.starts_with(invocation.builtin.name) {
        format!("{} {rest}", invocation.name())
    } else {
        synopsis.into()
    }
}

/// A number as builtins take it: blanks around it and a sign are allowed.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii();
    let text =
        text.strip_prefix(b"+").filter(|rest| rest.first().is_some_and(u8::is_ascii_digit)).unwrap_or(text);
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_a_sign_and_blanks() {
        for (text, want) in
            [("3", Some(3)), (" +4 ", Some(4)), ("-1", Some(-1)), ("", None), ("+-1", None), ("x", None)]
        {
            assert_eq!(number(text.as_bytes()), want, "{text}");
        }
    }
}
