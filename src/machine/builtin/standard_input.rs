//! Not a builtin that scripts see: `bash` without operands reads its script from standard input.

use super::{Builtin, Flow, Invocation};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::start::SCRIPT_DESCRIPTOR;
use std::sync::Arc;
use std::task::Context;

pub(crate) static STANDARD_INPUT: Builtin = Builtin {
    name: "bash",
    special: false,
    synopsis: "bash",
    help: "Run the script on standard input.",
    run,
};

fn run(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let mut script = Vec::new();
    if let Some(progress) = invocation.progress.take()
        && let Ok(before) = progress.downcast::<Vec<u8>>()
    {
        script = *before;
    }
    let table = &process.shell.state.descriptors;
    let Some(description) = table.get(SCRIPT_DESCRIPTOR).or(table.get(0)).cloned() else {
        return Ok(Flow::Status(0));
    };
    if Process::read_script(run, cx, &description, &mut script)?.is_pending() {
        invocation.progress = Some(Box::new(script));
        return Ok(Flow::Wait);
    }
    let _ = process.shell.state.descriptors.replace(SCRIPT_DESCRIPTOR, None);
    process.start_main(run, Arc::from(script), None)?;
    Ok(Flow::Switched)
}
