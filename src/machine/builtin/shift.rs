//! `shift`. Bash manual 4.1.

use super::{Builtin, Flow, Invocation, letters};
use crate::machine::option::ShellOption;
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static SHIFT: Builtin = Builtin {
    name: "shift",
    special: true,
    synopsis: "shift [n]",
    help: "Shift positional parameters.",
    run,
};

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let operands = match invocation.operands() {
        [first, rest @ ..] if first.as_bytes() == b"--" => rest,
        operands => operands,
    };
    let count = match operands {
        [] => 1,
        [count] => match letters::number(count) {
            Some(number) => number,
            None => {
                process.report_for(b"shift", format_args!("{count}: numeric argument required"));
                return Ok(Flow::Status(1));
            }
        },
        _ => {
            process.report_for(b"shift", "too many arguments");
            return Err(Halt::Abandon(1));
        }
    };
    let shown = operands.first().cloned().unwrap_or_default();
    match usize::try_from(count) {
        Ok(count) if process.shell.state.positional.shift(count) => Ok(Flow::Status(0)),
        Ok(_) => {
            if process.shell.state.options.has(ShellOption::ShiftVerbose) {
                process.report_for(b"shift", format_args!("{shown}: shift count out of range"));
            }
            Ok(Flow::Status(1))
        }
        Err(_) => {
            process.report_for(b"shift", format_args!("{shown}: shift count out of range"));
            Ok(Flow::Status(1))
        }
    }
}
