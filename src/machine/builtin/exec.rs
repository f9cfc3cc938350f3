//! `exec`. Bash manual 4.1. A shell is never replaced: it runs the command and ends with its status.

use crate::memory::{JoinMetered, Vec, format, vec};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::command::Found;
use crate::machine::frame::Frame;
use crate::machine::option::ShellOption;
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::program::{Op, Program};
use crate::text::Text;
use crate::utility::Environment;
use crate::vfs::Errno;
use std::sync::Arc;
use std::task::Context;

pub(super) static EXEC: Builtin = Builtin {
    name: "exec",
    special: true,
    synopsis: "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
    help: "Replace the shell with the given command.",
    run,
};

fn run(process: &mut Process, run: &mut Run, cx: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"cla:") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let mut args: Vec<Text> = invocation.args.iter().skip(letters.first).cloned().collect();
    let Some(name) = args.first().cloned() else {
        // The redirections stay.
        invocation.redirections.clear();
        return Ok(Flow::Status(0));
    };
    let path = match process.search(run, &name) {
        Found::Path(path) => path,
        Found::Missing => {
            let message = if name.contains(&b'/') {
                format!("{name}: cannot execute: {}", Errno::NotFound.message())
            } else {
                format!("{name}: not found")
            };
            process.report_for(b"exec", message);
            return failed(process, 127);
        }
        Found::NotExecutable(path, errno) => {
            if errno == Errno::IsDirectory {
                process.report(format_args!("{path}: {}", errno.message()));
            }
            process.report_for(b"exec", format_args!("{path}: cannot execute: {}", errno.message()));
            return failed(process, 126);
        }
    };
    if let Some(argument) = letters.given.iter().rev().find_map(|given| given.argument.clone())
        && let Some(first) = args.first_mut()
    {
        *first = argument;
    }
    if letters.has(b'l')
        && let Some(first) = args.first_mut()
    {
        *first = Text::from([b"-", first.as_bytes()].concat_metered());
    }
    let environment =
        if letters.has(b'c') { Arc::new(Environment::new(Vec::new())) } else { process.environment(run) };
    leave_frames(process, run);
    invocation.redirections.clear();
    invocation.temporary = None;
    process.start_file(run, cx, &path, args, environment, 0)?;
    Ok(Flow::Switched)
}

/// Forgets what the shell would come back to: behind the command it ends, without its `EXIT` trap.
fn leave_frames(process: &mut Process, run: &mut Run) {
    while let Some(frame) = process.frames.last() {
        match frame {
            Frame::Subshell(_) => break,
            Frame::Function(_) => process.depth = process.depth.saturating_sub(1),
            Frame::Script(frame) => {
                process.depth = process.depth.saturating_sub(1);
                if frame.kind.is_trap() {
                    process.in_trap = process.in_trap.saturating_sub(1);
                    process.traps_running &= !frame.kind.bit();
                }
            }
            _ => {}
        }
        process.frames.pop();
    }
    if process.shell.state.traps.signals.contains_key(&0) {
        Arc::make_mut(&mut process.shell.state.traps).signals.remove(&0);
    }
    let program = Arc::new(Program { code: vec![Op::End], lines: vec![process.line()], ..Program::default() });
    process.start_program(run, &program);
}

/// A command that can not be run ends the shell, unless `execfail` is on.
fn failed(process: &Process, status: u8) -> Step<Flow> {
    if process.shell.state.options.has(ShellOption::ExecFail) || process.shell.state.interactive {
        return Ok(Flow::Status(status));
    }
    Err(Halt::Exit(status))
}
