//! `umask`. Bash manual 4.1; a symbolic mode names what is allowed: POSIX XCU umask.

use crate::memory::{JoinMetered, String, Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::task::Context;

pub(super) static UMASK: Builtin = Builtin {
    name: "umask",
    special: false,
    synopsis: "umask [-p] [-S] [mode]",
    help: "Display or set file mode mask.",
    run,
};

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"Sp") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let symbolic_output = letters.has(b'S');
    let Some(mode) = invocation.args.get(letters.first) else {
        let mask = process.shell.state.umask;
        let shown = if symbolic_output { allowed(mask) } else { format!("{mask:04o}") };
        let line = match (letters.has(b'p'), symbolic_output) {
            (true, true) => format!("umask -S {shown}\n"),
            (true, false) => format!("umask {shown}\n"),
            (false, _) => format!("{shown}\n"),
        };
        process.out.extend_from_slice(line.as_bytes());
        return Ok(Flow::Status(0));
    };
    match parse(mode, process.shell.state.umask) {
        Ok(mask) => {
            process.shell.state.umask = mask;
            if symbolic_output {
                process.out.extend_from_slice(allowed(mask).as_bytes());
                process.out.push(b'\n');
            }
            Ok(Flow::Status(0))
        }
        Err(message) => {
            process.report_for(&own, bstr::BStr::new(&message));
            Ok(Flow::Status(1))
        }
    }
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

fn parse(mode: &Text, mask: u32) -> Result<u32, Vec<u8>> {
    if mode.first().is_some_and(u8::is_ascii_digit) {
        let value = std::str::from_utf8(mode).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
        return match value.filter(|value| *value <= 0o7777) {
            Some(value) => Ok(value & 0o777),
            None => Err([mode.as_bytes(), b": octal number out of range"].concat_metered()),
        };
    }
    let bad = |byte: u8, what: &[u8]| [b"`", [byte].as_slice(), b"': invalid symbolic mode ", what].concat_metered();
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
            return Err(bad(rest.first().copied().unwrap_or(0), b"operator"));
        };
        rest = after;
        let mut letters = 0;
        while let [byte, after @ ..] = rest {
            letters |= match byte {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                b',' => break,
                other => return Err(bad(*other, b"character")),
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
}
