//! `times`. Bash manual 4.1. User and system time are not measured apart: the run's time is the shell's, its children's is 0.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::row::{Act, Builtin, Flow};
use std::fmt::Write as _;

pub(super) static TIMES: Builtin = Builtin {
    name: "times",
    special: true,
    synopsis: "times",
    help: "Display process times.",
    options: &[],
    act: Act::Shell(times),
};

fn times(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    ctx.options()?;
    let own = ctx.session.clock.monotonic().saturating_sub(ctx.shell.state.counters.started);
    let (minutes, seconds) = (own.as_secs() / 60, own.as_secs() % 60);
    let _ = write!(ctx.out, "{minutes}m{seconds}.{:03}s 0m0.000s\n0m0.000s 0m0.000s\n", own.subsec_millis());
    Ok(Flow::Status(0))
}
