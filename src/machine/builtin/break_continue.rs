//! `break`, `continue`. Bash manual 4.1.

use super::{Builtin, Flow, Invocation, letters};
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static BREAK: Builtin = Builtin {
    name: "break",
    special: true,
    synopsis: "break [n]",
    help: "Exit for, while, or until loops.",
    run,
};

pub(super) static CONTINUE: Builtin = Builtin {
    name: "continue",
    special: true,
    synopsis: "continue [n]",
    help: "Resume for, while, or until loops.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let name = invocation.name();
    let depth = process.loop_depth();
    let operands = match invocation.operands() {
        [first, rest @ ..] if first.as_bytes() == b"--" => rest,
        operands => operands,
    };
    if depth == 0 {
        process.report_for(&name, "only meaningful in a `for', `while', or `until' loop");
        return Ok(Flow::Status(0));
    }
    let (count, status) = match operands {
        [] => (1, 0),
        [count] => match letters::number(count) {
            Some(number) if number > 0 => (usize::try_from(number).unwrap_or(usize::MAX), 0),
            Some(_) => {
                process.report_for(&name, format_args!("{count}: loop count out of range"));
                (depth, 1)
            }
            None => {
                process.report_for(&name, format_args!("{count}: numeric argument required"));
                return Err(Halt::Exit(128));
            }
        },
        _ => {
            process.report_for(&name, "too many arguments");
            return Err(Halt::Abandon(1));
        }
    };
    // A count that is out of range leaves all loops.
    let again = invocation.builtin.name == "continue" && status == 0;
    process.release(invocation);
    process.leave_loops(run, count, again)?;
    process.set_status(status);
    Ok(Flow::Switched)
}
