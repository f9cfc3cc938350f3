//! `exec`. Bash manual 4.1. A shell takes this one's place; for another command this one stays, and ends with its status.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{flag, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::executable::Found;
use crate::machine::frame::Frame;
use crate::machine::halt::Halt;
use crate::machine::option::ShellOption;
use crate::machine::variable::{decimal, plain_integer};
use crate::memory::{Arc, JoinMetered, ToMetered, Vec, vec};
use crate::program::{Op, Program};
use crate::text::Text;
use crate::utility::Environment;
use crate::vfs::Errno;

pub(super) static EXEC: Builtin = Builtin {
    name: "exec",
    special: true,
    synopsis: "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
    help: "Replace the shell with the given command.",
    options: &[
        flag(b'c', "with an empty environment"),
        flag(b'l', "as a login shell: a dash before its name"),
        value(b'a', "name", "under another name"),
    ],
    act: Act::Machine(exec),
};

fn exec(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let mut args = ctx.operands(&options).to_metered();
    let Some(name) = args.first().cloned() else {
        // The redirections stay.
        ctx.invocation.take_redirections();
        return Ok(Flow::Status(0));
    };
    if ctx.process.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::Restricted);
    }
    let path = match ctx.process.x.search(&mut ctx.process.shell, ctx.run, &name) {
        Found::Path(path) => path,
        Found::Missing => {
            ctx.run.note_not_found(&name);
            let error = if name.contains(&b'/') {
                BuiltinError::CannotExecute { name, errno: Errno::NotFound }
            } else {
                BuiltinError::NotFound(name)
            };
            return failed(ctx, error, 127);
        }
        Found::NotExecutable(name, errno) => {
            ctx.run.note_missing(&name, errno);
            if errno == Errno::IsDirectory {
                ctx.complain(BuiltinError::Script { name: name.clone(), errno });
            }
            return failed(ctx, BuiltinError::CannotExecute { name, errno }, 126);
        }
    };
    if let Some(first) = args.first_mut() {
        if let Some(name) = options.value(b'a') {
            *first = name.clone();
        }
        if options.has(b'l') {
            *first = Text::from([b"-", first.as_bytes()].concat_metered());
        }
    }
    let environment = if options.has(b'c') {
        Arc::new(Environment::new(Vec::new()))
    } else {
        one_level_up(ctx.process.shell.environment(ctx.run))
    };
    leave_frames(ctx);
    ctx.invocation.take_redirections();
    ctx.invocation.take_temporary();
    ctx.process.start_file(ctx.run, ctx.task, &path, args, environment, 0)?;
    Ok(Flow::Switched)
}

/// The environment of a command that takes the shell's place: a shell counts itself again.
fn one_level_up(mut environment: Arc<Environment>) -> Arc<Environment> {
    let level = environment.get(b"SHLVL").and_then(|level| plain_integer(level));
    if let Some(level) = level.and_then(|level| level.checked_sub(1)) {
        Arc::make_mut(&mut environment).set(Text::from_static(b"SHLVL"), decimal(level));
    }
    environment
}

/// Forgets what the shell would come back to: after the command it ends, without its `EXIT` trap.
fn leave_frames(ctx: &mut Context<'_, '_>) {
    let process = &mut *ctx.process;
    while let Some(frame) = process.control.frames.last() {
        match frame {
            Frame::Subshell(_) => break,
            Frame::Function(_) => process.control.depth = process.control.depth.saturating_sub(1),
            Frame::Script(frame) => {
                process.control.depth = process.control.depth.saturating_sub(1);
                if frame.kind.is_trap() {
                    process.shell.in_trap = process.shell.in_trap.saturating_sub(1);
                    process.control.traps_running.set(frame.kind, false);
                }
            }
            _ => {}
        }
        process.control.frames.pop();
    }
    process.shell.state.traps = Arc::new(process.shell.state.traps.for_command());
    process.control.becomes_command = process.control.frames.is_empty();
    let program =
        Arc::new(Program { code: vec![Op::End], lines: vec![process.shell.line()], ..Program::default() });
    process.control.start_program(&mut process.shell, ctx.run, &program);
}

/// A command that cannot be run ends the shell, unless `execfail` is on.
fn failed(ctx: &mut Context<'_, '_>, error: BuiltinError, status: u8) -> Result<Flow, BuiltinError> {
    ctx.complain(error);
    if ctx.process.shell.state.options.has(ShellOption::ExecFail)
        || ctx.process.shell.state.invoked.interactive
    {
        return Ok(Flow::Status(status));
    }
    Err(Halt::Exit(status).into())
}
