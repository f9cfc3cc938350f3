//! `umask`. Bash manual 4.1; a symbolic mode names what is allowed: POSIX XCU umask.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::flag;
use super::row::{Act, Builtin, Flow};
use crate::memory::{String, format};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static UMASK: Builtin = Builtin {
    name: "umask",
    special: false,
    synopsis: "umask [-p] [-S] [mode]",
    help: "Display or set file mode mask.",
    options: &[
        flag(b'p', "show the mask as a command that sets it"),
        flag(b'S', "show what is allowed, in letters"),
    ],
    act: Act::Shell(umask),
};

fn umask(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let symbolic = options.has(b'S');
    match ctx.operands(&options).first() {
        Some(mode) => {
            let mask = parse(mode, ctx.shell.state.umask)?;
            ctx.shell.state.umask = mask;
            if symbolic {
                let _ = writeln!(ctx.out, "{}", allowed(mask));
            }
        }
        None => {
            let mask = ctx.shell.state.umask;
            let shown = if symbolic { allowed(mask) } else { format!("{mask:04o}") };
            let _ = match (options.has(b'p'), symbolic) {
                (true, true) => writeln!(ctx.out, "umask -S {shown}"),
                (true, false) => writeln!(ctx.out, "umask {shown}"),
                (false, _) => writeln!(ctx.out, "{shown}"),
            };
        }
    }
    Ok(Flow::Status(0))
}

/// What a mask allows, as letters.
fn allowed(mask: u32) -> String {
    let class = |shift: u32| {
        let bits = !(mask >> shift) & 7;
        [(4, 'r'), (2, 'w'), (1, 'x')]
            .iter()
            .filter(|(bit, _)| bits & bit != 0)
            .map(|(_, letter)| *letter)
            .collect()
    };
    let classes: [String; 3] = [class(6), class(3), class(0)];
    let [user, group, other] = classes;
    format!("u={user},g={group},o={other}")
}

/// The mask that a mode makes of the mask before.
fn parse(mode: &Text, mask: u32) -> Result<u32, BuiltinError> {
    if mode.first().is_some_and(u8::is_ascii_digit) {
        let value = std::str::from_utf8(mode).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
        let value = value.filter(|value| *value <= 0o7777);
        return value.map(|value| value & 0o777).ok_or_else(|| BuiltinError::OctalOutOfRange(mode.clone()));
    }
    let mut bits = !mask & 0o777;
    let mut rest = mode.as_bytes();
    loop {
        let mut who = 0;
        while let [class @ (b'u' | b'g' | b'o' | b'a'), after @ ..] = rest {
            who |= match class {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                _ => 0o777,
            };
            rest = after;
        }
        let [operator @ (b'+' | b'-' | b'='), after @ ..] = rest else {
            return Err(BuiltinError::ModeOperator(rest.first().copied().unwrap_or(0)));
        };
        rest = after;
        let mut letters = 0;
        while let [byte, after @ ..] = rest {
            letters |= match byte {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                b',' => break,
                other => return Err(BuiltinError::ModeCharacter(*other)),
            };
            rest = after;
        }
        let who = if who == 0 { 0o777 } else { who };
        bits = match operator {
            b'+' => bits | (letters & who),
            b'-' => bits & !(letters & who),
            _ => (bits & !who) | (letters & who),
        };
        match rest {
            [b',', after @ ..] => rest = after,
            _ => return Ok(!bits & 0o777),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::testing::TestShell;
    use super::*;

    #[test]
    fn symbolic_modes_name_what_is_allowed() {
        // umask 022; umask u=rwx,g=rx,o=; umask
        assert_eq!(parse(&Text::from("u=rwx,g=rx,o="), 0o022), Ok(0o027));
        assert_eq!(parse(&Text::from("g-x"), 0o027), Ok(0o037));
        assert_eq!(parse(&Text::from("77"), 0), Ok(0o077));
        assert!(parse(&Text::from("u+w,g"), 0).is_err());
        assert_eq!(allowed(0o077), "u=rwx,g=,o=");
    }

    #[test]
    fn a_mask_is_set_and_shown() {
        let mut shell = TestShell::new();
        assert_eq!(shell.run(&["umask", "027"]), (std::string::String::new(), 0));
        // bash 5.2: umask 027; umask -p; umask -S -p; umask 9
        assert_eq!(shell.run(&["umask", "-p"]), ("umask 0027\n".into(), 0));
        assert_eq!(shell.run(&["umask", "-S", "-p"]), ("umask -S u=rwx,g=rx,o=\n".into(), 0));
        assert_eq!(shell.run(&["umask", "9"]), ("umask: 9: octal number out of range\n".into(), 1));
    }
}
