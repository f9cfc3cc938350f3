//! `times`. Bash manual 4.1. User and system time are not measured apart: the run's time is the shell's, its children's is 0.

use crate::memory::format;
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static TIMES: Builtin =
    Builtin { name: "times", special: true, synopsis: "times", help: "Display process times.", run };

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    if let Err(flow) = letter_options::parse(process, invocation, b"") {
        return Ok(flow);
    }
    let own = run.services.session.clock.monotonic().saturating_sub(process.shell.state.started);
    let (minutes, seconds) = (own.as_secs() / 60, own.as_secs() % 60);
    let line = format!("{minutes}m{seconds}.{:03}s 0m0.000s\n0m0.000s 0m0.000s\n", own.subsec_millis());
    process.out.extend_from_slice(line.as_bytes());
    Ok(Flow::Status(0))
}
