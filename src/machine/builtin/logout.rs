//! `logout`: there are no login shells here. Bash manual 4.2.

use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use std::task::Context;

pub(super) static LOGOUT: Builtin =
    Builtin { name: "logout", special: false, synopsis: "logout [n]", help: "Exit a login shell.", run };

fn run(process: &mut Process, _: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    if let Err(flow) = letter_options::parse(process, invocation, b"") {
        return Ok(flow);
    }
    process.report_for(&invocation.name(), "not login shell: use `exit'");
    Ok(Flow::Status(1))
}
