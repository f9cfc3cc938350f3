//! `cd`, `pwd`: the working directory. Bash manual 4.1. The logical path is kept in `PWD`; `-P` takes the physical one.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{Options, flag};
use super::row::{Act, Builtin, Flow};
use crate::machine::directory::NO_DIRECTORY;
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::memory::ToMetered;
use crate::text::Text;
use crate::vfs::{Errno, path};

pub(super) static CD: Builtin = Builtin {
    name: "cd",
    special: false,
    synopsis: "cd [-L|[-P [-e]] [-@]] [dir]",
    help: "Change the shell working directory.",
    options: &[
        flag(b'L', "follow symbolic links by their names"),
        flag(b'P', "use the physical directory"),
        flag(b'e', "with -P: fail where the directory can not be told"),
    ],
    act: Act::Machine(cd),
};

pub(super) static PWD: Builtin = Builtin {
    name: "pwd",
    special: false,
    synopsis: "pwd [-LP]",
    help: "Print the name of the current working directory.",
    options: &[
        flag(b'L', "show PWD, which may have symbolic links"),
        flag(b'P', "show the physical directory"),
    ],
    act: Act::Machine(pwd),
};

fn cd(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    if ctx.process.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::Restricted);
    }
    let options = ctx.options()?;
    let physical = is_physical(ctx, &options);
    let (target, prints) = match ctx.operands(&options) {
        [] => (variable(ctx, name::HOME, "HOME")?, false),
        [dash] if dash.as_bytes() == b"-" => (variable(ctx, name::OLDPWD, "OLDPWD")?, true),
        [target] => (target.clone(), false),
        _ => return Err(BuiltinError::TooManyArguments),
    };
    if physical && target.is_empty() {
        return Err(BuiltinError::File { name: target, errno: Errno::NotFound });
    }
    if !prints && let Some(status) = along_cdpath(ctx, &target, physical)? {
        return Ok(Flow::Status(status));
    }
    let errno = match ctx.process.shell.change_directory(ctx.run, &target, physical)? {
        Err(errno) => errno,
        Ok(status) => {
            if prints {
                print_directory(ctx);
            }
            return Ok(Flow::Status(status));
        }
    };
    if ctx.process.shell.state.options.has(ShellOption::CdableVars) && name::is_name(&target) {
        let id = ctx.run.services.names.intern(&target);
        if let Some(value) = ctx.process.shell.scalar(ctx.run, id)
            && let Ok(status) = ctx.process.shell.change_directory(ctx.run, &value, physical)?
        {
            ctx.out.line(&value);
            return Ok(Flow::Status(status));
        }
    }
    Err(BuiltinError::File { name: target, errno })
}

/// The value of a variable that has to be set.
pub(super) fn variable(
    ctx: &mut Context<'_, '_>,
    id: name::NameId,
    name: &'static str,
) -> Result<Text, BuiltinError> {
    ctx.process.shell.scalar(ctx.run, id).ok_or(BuiltinError::NotSet(name))
}

/// The last of `-L` and `-P` counts, then `set -P`.
fn is_physical(ctx: &Context<'_, '_>, options: &Options) -> bool {
    options
        .last_of(b"LP")
        .map_or_else(|| ctx.process.shell.state.options.has(ShellOption::Physical), |letter| letter == b'P')
}

fn print_directory(ctx: &mut Context<'_, '_>) {
    let cwd = ctx.process.shell.state.cwd.clone();
    ctx.out.line(&cwd);
}

/// Tries the directories of `CDPATH` for a relative name that does not start with `.` or `..`. The status if one fitted.
fn along_cdpath(
    ctx: &mut Context<'_, '_>,
    target: &Text,
    physical: bool,
) -> Result<Option<u8>, BuiltinError> {
    let first = target.split(|&byte| byte == b'/').next().unwrap_or(&[]);
    if target.is_empty() || matches!(first, b"" | b"." | b"..") {
        return Ok(None);
    }
    let list = ctx.process.shell.scalar(ctx.run, name::CDPATH).unwrap_or_default();
    for directory in list.split(|&byte| byte == b':').filter(|_| !list.is_empty()) {
        let candidate =
            if directory.is_empty() { target.to_metered() } else { path::join(directory, target) };
        if let Ok(status) = ctx.process.shell.change_directory(ctx.run, &Text::from(candidate), physical)? {
            if !directory.is_empty() {
                print_directory(ctx);
            }
            return Ok(Some(status));
        }
    }
    Ok(None)
}

fn pwd(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    if is_physical(ctx, &options) {
        let files = &ctx.run.services.session.fs;
        let Ok(real) = files.canonicalize(&ctx.process.shell.state.place.path(files)) else {
            ctx.process.shell.write_error(b"pwd: ");
            ctx.process.shell.write_error(NO_DIRECTORY);
            return Ok(Flow::Status(1));
        };
        ctx.out.line(&Text::from(real));
    } else {
        print_directory(ctx);
    }
    Ok(Flow::Status(0))
}
