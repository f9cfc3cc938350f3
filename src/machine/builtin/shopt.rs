//! `shopt`. Bash manual 4.3.2.

use crate::memory::{Vec, format};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::option::{self, OPTIONS, ShellOption};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::task::Context;

pub(super) static SHOPT: Builtin = Builtin {
    name: "shopt",
    special: false,
    synopsis: "shopt [-pqsu] [-o] [optname ...]",
    help: "Set and unset shell options.",
    run,
};

/// How options are shown.
#[derive(Clone, Copy)]
struct Show {
    /// Options of `set -o`.
    set: bool,
    /// As commands.
    commands: bool,
    quiet: bool,
}

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"psuoq") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let show = Show { set: letters.has(b'o'), commands: letters.has(b'p'), quiet: letters.has(b'q') };
    let (on, off) = (letters.has(b's'), letters.has(b'u'));
    if on && off {
        process.report_for(b"shopt", "cannot set and unset shell options simultaneously");
        return Ok(Flow::Status(1));
    }
    let names: Vec<Text> = invocation.args.iter().skip(letters.first).cloned().collect();
    if names.is_empty() {
        for (option, ..) in OPTIONS.iter().filter(|(_, _, _, in_set, _)| *in_set == show.set) {
            let is_on = process.shell.state.options.has(*option);
            if !show.quiet && (!(on || off) || is_on == on) {
                print(process, *option, show);
            }
        }
        return Ok(Flow::Status(0));
    }
    let mut status = 0;
    for name in names {
        let Some(option) = option::find(&name, show.set) else {
            let what = if show.set { "invalid option name" } else { "invalid shell option name" };
            process.report_for(b"shopt", format_args!("{name}: {what}"));
            status = 1;
            continue;
        };
        if on || off {
            process.set_option(run, option, on);
        } else {
            if !process.shell.state.options.has(option) {
                status = 1;
            }
            if !show.quiet {
                print(process, option, show);
            }
        }
    }
    Ok(Flow::Status(status))
}

fn print(process: &mut Process, option: ShellOption, show: Show) {
    let Some((_, name, ..)) = OPTIONS.iter().find(|(own, ..)| *own == option) else { return };
    let on = process.shell.state.options.has(option);
    let line = match (show.commands, show.set) {
        (true, true) => format!("set {} {name}\n", if on { "-o" } else { "+o" }),
        (true, false) => format!("shopt {} {name}\n", if on { "-s" } else { "-u" }),
        (false, _) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
    };
    process.out.extend_from_slice(line.as_bytes());
}
