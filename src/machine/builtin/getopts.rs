//! `getopts`. POSIX XCU getopts, bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::row::{Act, Builtin, Flow};
use crate::machine::error::AssignError;
use crate::machine::name::{self, OPTARG, OPTERR, OPTIND};
use crate::machine::shell::GetoptsState;
use crate::machine::variable::{Value, plain_integer};
use crate::memory::{ToMetered, Vec};
use crate::text::Text;

pub(super) static GETOPTS: Builtin = Builtin {
    name: "getopts",
    special: false,
    synopsis: "getopts optstring name [arg ...]",
    help: "Parse option arguments.",
    options: &[],
    act: Act::Machine(getopts),
};

/// One step through the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Option(u8, Option<Text>),
    Unknown(u8),
    NoArgument(u8),
    End,
}

fn getopts(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let [letters, name, rest @ ..] = ctx.operands(&options) else { return Err(BuiltinError::Usage) };
    let positional = ctx.process.shell.state.positional.clone();
    let args = if rest.is_empty() { positional.as_slice() } else { rest };
    let index =
        ctx.process.shell.scalar(ctx.run, OPTIND).and_then(|text| plain_integer(&text)).unwrap_or(1).max(1);
    let mut state = ctx.process.shell.state.getopts;
    if state.index != index {
        state = GetoptsState { index, offset: 0 };
    }
    // The arguments may have become fewer.
    state.index = state.index.min(i64::try_from(args.len()).unwrap_or(i64::MAX).saturating_add(1));
    let found = step(letters, args, &mut state);
    ctx.process.shell.state.getopts = state;
    // A read-only variable is reported, and nothing more.
    if state.index != index {
        match ctx.process.shell.check_writable(ctx.run, OPTIND) {
            Ok(()) => ctx.process.shell.variables.set_plain(OPTIND, Value::Integer(state.index)),
            Err(AssignError::Halt(halt)) => return Err(halt.into()),
            Err(_) => {}
        }
    }
    let is_silent = letters.first() == Some(&b':');
    if !is_silent && ctx.process.shell.scalar(ctx.run, OPTERR).is_none_or(|text| text.as_bytes() != b"0") {
        complain(ctx, &found);
    }
    let ended = found == Found::End;
    let (letter, argument) = match found {
        Found::Option(letter, argument) => (letter, argument),
        Found::Unknown(letter) => (b'?', is_silent.then(|| Text::from(&[letter]))),
        Found::NoArgument(letter) if is_silent => (b':', Some(Text::from(&[letter]))),
        Found::NoArgument(_) | Found::End => (b'?', None),
    };
    ctx.process.shell.variables.set_plain(OPTARG, argument.map_or(Value::Unset, Value::Text));
    if !name::is_name(name) {
        return Err(BuiltinError::InvalidName(name.clone()));
    }
    let id = ctx.run.services.names.intern(name);
    ctx.process.shell.assign_variable(ctx.run, id, Text::from(&[letter]), false)?;
    Ok(Flow::Status(u8::from(ended)))
}

/// Says what is wrong with an option, in the name of the script.
fn complain(ctx: &mut Context<'_, '_>, found: &Found) {
    let (what, letter) = match found {
        Found::Unknown(letter) => (": illegal option -- ", letter),
        Found::NoArgument(letter) => (": option requires an argument -- ", letter),
        Found::Option(..) | Found::End => return,
    };
    let mut line: Vec<u8> = ctx.process.shell.state.invoked.arg0.to_metered();
    line.extend_from_slice(what.as_bytes());
    line.extend_from_slice(&[*letter, b'\n']);
    ctx.process.shell.write_error(&line);
}

/// Takes the next option; moves on the state.
fn step(letters: &[u8], args: &[Text], state: &mut GetoptsState) -> Found {
    let at = |index: i64| index.checked_sub(1).and_then(|at| args.get(usize::try_from(at).ok()?));
    if state.offset == 0 {
        match at(state.index).map(Text::as_bytes) {
            Some(b"--") => {
                state.index += 1;
                return Found::End;
            }
            Some([b'-', _, ..]) => state.offset = 1,
            _ => return Found::End,
        }
    }
    let Some(arg) = at(state.index) else {
        state.offset = 0;
        return Found::End;
    };
    let Some(&letter) = arg.get(state.offset) else {
        state.offset = 0;
        return Found::End;
    };
    state.offset += 1;
    let is_last = state.offset >= arg.len();
    let known = letters.strip_prefix(b":").unwrap_or(letters);
    let place = if letter == b':' { None } else { memchr::memchr(letter, known) };
    let takes_argument = place.is_some_and(|place| known.get(place + 1) == Some(&b':'));
    let rest = arg.get(state.offset..).unwrap_or(&[]);
    if is_last || takes_argument {
        state.index += 1;
        state.offset = 0;
    }
    match place {
        None => Found::Unknown(letter),
        Some(_) if !takes_argument => Found::Option(letter, None),
        Some(_) if !is_last => Found::Option(letter, Some(Text::from(rest))),
        Some(_) => match at(state.index) {
            Some(argument) => {
                state.index += 1;
                Found::Option(letter, Some(argument.clone()))
            }
            None => Found::NoArgument(letter),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_clusters_and_arguments() {
        let args: Vec<Text> = ["-ab", "-fx", "-f", "y", "-f"].iter().map(|arg| Text::from(*arg)).collect();
        let mut state = GetoptsState { index: 1, offset: 0 };
        let found: Vec<Found> = (0..6).map(|_| step(b"af:", &args, &mut state)).collect();
        let value = |text: &str| Found::Option(b'f', Some(Text::from(text)));
        let want = [
            Found::Option(b'a', None),
            Found::Unknown(b'b'),
            value("x"),
            value("y"),
            Found::NoArgument(b'f'),
            Found::End,
        ];
        assert_eq!(found, want);
        assert_eq!(state.index, 6);
    }
}
