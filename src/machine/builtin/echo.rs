//! `echo`. Bash manual 4.2.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::{Act, Builtin, Flow};
use crate::character::digits;
use crate::machine::option::ShellOption;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::print_format::push_code_point;

pub(super) static ECHO: Builtin = Builtin {
    name: "echo",
    special: false,
    synopsis: "echo [-neE] [arg ...]",
    help: "Write arguments to the standard output.",
    // What is no option is printed: the parser of all others would refuse it.
    options: &[],
    act: Act::Shell(echo),
};

/// Arguments up to this size are decoded at once.
const SHORT: usize = 512;

#[expect(clippy::unnecessary_wraps, reason = "the function of a builtin's row")]
fn echo(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.shell.state.options;
    let mut newline = true;
    let mut escapes = options.has(ShellOption::XpgEcho);
    let mut operands = ctx.arguments();
    if !(options.has(ShellOption::Posix) && escapes) {
        while let Some((letters, rest)) = split_options(operands) {
            for letter in letters {
                match letter {
                    b'n' => newline = false,
                    letter => escapes = *letter == b'e',
                }
            }
            operands = rest;
        }
    }
    let mut is_first = ctx.is_first();
    while let Some(operand) = ctx.next(operands) {
        if !is_first {
            ctx.out.bytes(b" ");
        }
        is_first = false;
        if !escapes {
            ctx.out.text(operand);
        } else if operand.len() > SHORT {
            ctx.out.escaped(operand);
        } else if decode(operand, ctx.out.end()) {
            return Ok(Flow::Status(0));
        }
    }
    let flow = ctx.flow();
    if newline && flow != Flow::Again {
        ctx.out.bytes(b"\n");
    }
    Ok(flow)
}

/// Letters of `echo`'s options at the front of its arguments, and what is behind them.
fn split_options(args: &[Text]) -> Option<(&[u8], &[Text])> {
    let (first, rest) = args.split_first()?;
    let letters = first.strip_prefix(b"-")?;
    let are_options =
        !letters.is_empty() && letters.iter().all(|letter| matches!(letter, b'n' | b'e' | b'E'));
    are_options.then_some((letters, rest))
}

/// Appends a text with the escapes of `echo -e` decoded; true at `\c`.
pub(super) fn decode(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = text;
    loop {
        match decode_part(rest, out, usize::MAX) {
            Part::Rest(0) => return false,
            Part::Rest(left) => rest = rest.get(rest.len().saturating_sub(left)..).unwrap_or(&[]),
            Part::Ended => return true,
        }
    }
}

/// What is left after a part of a text was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// So many bytes at the end of the text.
    Rest(usize),
    /// `\c`: nothing follows.
    Ended,
}

/// Appends at least `least` bytes of a text with the escapes of `echo -e` decoded, or all of it.
pub(super) fn decode_part(text: &[u8], out: &mut Vec<u8>, least: usize) -> Part {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty() && at < least) {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len()).min(least);
        out.extend_from_slice(rest.get(..plain).unwrap_or(rest));
        at += plain;
        if text.get(at) != Some(&b'\\') {
            continue;
        }
        match decode_escape(text, at + 1, out) {
            Some(next) => at = next,
            None => return Part::Ended,
        }
    }
    Part::Rest(text.len().saturating_sub(at))
}

/// Decodes the escape whose letter is at `at`; where it ends. `None`: `\c`.
fn decode_escape(text: &[u8], mut at: usize, out: &mut Vec<u8>) -> Option<usize> {
    let Some(&escape) = text.get(at) else {
        out.push(b'\\');
        return Some(at);
    };
    at += 1;
    match escape {
        b'a' => out.push(7),
        b'b' => out.push(8),
        b'c' => return None,
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
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::super::context::testing::TestShell;

    #[test]
    fn options_and_escapes() {
        let mut shell = TestShell::new();
        // bash 5.2: echo -n a b; echo -e 'a\tb\x41\0101\c' x; echo -z -n; echo -E 'a\tb'
        assert_eq!(shell.run(&["echo", "-n", "a", "b"]), ("a b".into(), 0));
        assert_eq!(shell.run(&["echo", "-e", "a\\tb\\x41\\0101\\c", "x"]), ("a\tbAA".into(), 0));
        assert_eq!(shell.run(&["echo", "-z", "-n"]), ("-z -n\n".into(), 0));
        assert_eq!(shell.run(&["echo", "-E", "a\\tb"]), ("a\\tb\n".into(), 0));
    }

    #[test]
    fn long_escaped_arguments_come_in_parts() {
        let mut shell = TestShell::new();
        let long = "a\\n".repeat(30_000);
        let (text, status) = shell.run(&["echo", "-e", &long, "b\\c", "x"]);
        assert_eq!((text.len(), status), (60_000 + 2, 0));
        let (text, _) = shell.run(&["echo", "-e", &format!("{long}\\c"), "x"]);
        assert_eq!(text.len(), 60_000);
    }
}
