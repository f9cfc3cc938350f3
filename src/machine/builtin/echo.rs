//! `echo`. Bash manual 4.2.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::escape::decode;
use super::row::{Act, Builtin, Flow};
use crate::machine::option::ShellOption;
use crate::text::Text;

pub(super) static ECHO: Builtin = Builtin {
    name: "echo",
    special: false,
    synopsis: "echo [-neE] [arg ...]",
    help: "Write arguments to the standard output.",
    // What is not an option is printed: the parser of all others would refuse it.
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

/// Letters of `echo`'s options at the front of its arguments, and what is after them.
fn split_options(args: &[Text]) -> Option<(&[u8], &[Text])> {
    let (first, rest) = args.split_first()?;
    let letters = first.strip_prefix(b"-")?;
    let are_options =
        !letters.is_empty() && letters.iter().all(|letter| matches!(letter, b'n' | b'e' | b'E'));
    are_options.then_some((letters, rest))
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
