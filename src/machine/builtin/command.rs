//! `command` and `builtin`: a command without its function. Bash manual 4.2, POSIX XCU 2.9.1.

use super::context::Context;
use super::describe::{self, CommandSearch};
use super::error::BuiltinError;
use super::options::flag;
use super::row::{Act, Builtin, Flow};
use crate::machine::error::CommandError;
use crate::machine::executable::Found;
use crate::machine::external::is_forbidden;
use crate::machine::option::ShellOption;
use crate::memory::{ToMetered, Vec};
use crate::text::Text;

pub(super) static COMMAND: Builtin = Builtin {
    name: "command",
    special: false,
    synopsis: "command [-pVv] command [arg ...]",
    help: "Execute a simple command or display information about commands.",
    options: &[
        flag(b'p', "search the standard utilities, not PATH"),
        flag(b'v', "show the command's name, path or alias"),
        flag(b'V', "say what the command is"),
    ],
    act: Act::Machine(command),
};

pub(super) static BUILTIN: Builtin = Builtin {
    name: "builtin",
    special: false,
    synopsis: "builtin [shell-builtin [arg ...]]",
    help: "Execute shell builtins.",
    options: &[],
    act: Act::Machine(builtin),
};

fn command(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    let Some(name) = operands.first() else { return Ok(Flow::Status(0)) };
    let default_path = options.has(b'p');
    if default_path && ctx.process.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::RestrictedOperand(Text::from_static(b"-p")));
    }
    match options.last_of(b"vV") {
        Some(letter) => Ok(tell(ctx, operands, letter == b'V', default_path)),
        None => match ctx.find_builtin(name).filter(|builtin| ctx.process.shell.state.is_enabled(builtin)) {
            Some(builtin) => Ok(Flow::Delegate { builtin, args: operands.to_metered() }),
            None => run_file(ctx, name, operands.to_metered(), default_path),
        },
    }
}

/// `command -v` and `command -V`: one that is found is enough.
fn tell(ctx: &mut Context<'_, '_>, names: &[Text], verbose: bool, default_path: bool) -> Flow {
    while let Some(name) = ctx.next(names) {
        let search = CommandSearch { default_path, ..CommandSearch::default() };
        let meanings = describe::meanings(ctx, name, search);
        match meanings.first() {
            Some(meaning) => {
                if verbose {
                    meaning.describe(name, ctx.out);
                } else {
                    meaning.reuse(name, ctx.out);
                }
                // The status is turned round at the end.
                ctx.raise(1);
            }
            None if verbose => ctx.remark(BuiltinError::NotFound(name.clone())),
            None => {}
        }
    }
    match ctx.flow() {
        Flow::Status(found) => Flow::Status(u8::from(found == 0)),
        flow => flow,
    }
}

/// Runs a utility or a script.
fn run_file(
    ctx: &mut Context<'_, '_>,
    name: &Text,
    args: Vec<Text>,
    default_path: bool,
) -> Result<Flow, BuiltinError> {
    let environment = ctx.process.shell.environment(ctx.run);
    if let Some(bound) = ctx.invocation.take_temporary() {
        ctx.process.shell.variables.leave_temporary(bound);
        ctx.process.shell.refresh_special();
    }
    ctx.process.x.fields = args;
    ctx.process.x.redirections = ctx.invocation.take_redirections();
    let found = if default_path && !name.contains(&b'/') {
        ctx.process.shell.search_along(ctx.run, name, describe::DEFAULT_PATH)
    } else {
        ctx.process.x.search(&mut ctx.process.shell, ctx.run, name)
    };
    if is_forbidden(ctx.process.shell.state.options, name) {
        ctx.process.x.fail_command(&mut ctx.process.shell, CommandError::Restricted(name.clone()));
        return Ok(Flow::Switched);
    }
    if found == Found::Missing && !name.contains(&b'/') {
        ctx.run.note_not_found(name);
        let error = CommandError::NotFound(name.clone());
        ctx.process.x.fail_command(&mut ctx.process.shell, error);
        return Ok(Flow::Switched);
    }
    ctx.process.run_found(ctx.run, ctx.task, name, found, Some(environment))?;
    Ok(Flow::Switched)
}

fn builtin(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    let Some(name) = operands.first() else { return Ok(Flow::Status(0)) };
    match ctx.find_builtin(name).filter(|builtin| ctx.process.shell.state.is_enabled(builtin)) {
        Some(builtin) => Ok(Flow::Delegate { builtin, args: operands.to_metered() }),
        None => Err(BuiltinError::NotABuiltin(name.clone())),
    }
}
