//! `cd`, `pwd`: the working directory. Bash manual 4.1. The logical path is kept in `PWD`; `-P` takes the physical one.

use super::super::shell::Shell;
use super::context::Context;
use super::error::BuiltinError;
use super::options::{Options, flag};
use super::{Act, Builtin, Flow};
use crate::machine::halt::Step;
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::machine::run::Run;
use crate::memory::{JoinMetered, ToMetered};
use crate::text::Text;
use crate::vfs::{Errno, FsError, path};

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
    let options = ctx.options()?;
    let physical = is_physical(ctx, &options);
    let (target, prints) = match ctx.operands(&options) {
        [] => (variable(ctx, name::HOME, "HOME")?, false),
        [dash] if dash.as_bytes() == b"-" => (variable(ctx, name::OLDPWD, "OLDPWD")?, true),
        [target] => (target.clone(), false),
        _ => return Err(BuiltinError::TooManyArguments),
    };
    if !prints && along_cdpath(ctx, &target, physical)? {
        return Ok(Flow::Status(0));
    }
    let Err(errno) = ctx.process.shell.change_directory(ctx.run, &target, physical)? else {
        if prints {
            print_directory(ctx);
        }
        return Ok(Flow::Status(0));
    };
    if ctx.process.shell.state.options.has(ShellOption::CdableVars) && name::is_name(&target) {
        let id = ctx.run.services.names.intern(&target);
        if let Some(value) = ctx.process.shell.scalar(ctx.run, id)
            && ctx.process.shell.change_directory(ctx.run, &value, physical)?.is_ok()
        {
            ctx.out.line(&value);
            return Ok(Flow::Status(0));
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

/// Tries the directories of `CDPATH` for a relative name that does not start with `.` or `..`. Whether one fitted.
fn along_cdpath(ctx: &mut Context<'_, '_>, target: &Text, physical: bool) -> Result<bool, BuiltinError> {
    let first = target.split(|&byte| byte == b'/').next().unwrap_or(&[]);
    if target.is_empty() || matches!(first, b"" | b"." | b"..") {
        return Ok(false);
    }
    let list = ctx.process.shell.scalar(ctx.run, name::CDPATH).unwrap_or_default();
    for directory in list.split(|&byte| byte == b':').filter(|_| !list.is_empty()) {
        let candidate =
            if directory.is_empty() { target.to_metered() } else { path::join(directory, target) };
        if ctx.process.shell.change_directory(ctx.run, &Text::from(candidate), physical)?.is_ok() {
            if !directory.is_empty() {
                print_directory(ctx);
            }
            return Ok(true);
        }
    }
    Ok(false)
}

fn pwd(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    if is_physical(ctx, &options)
        && let Ok(real) = ctx.run.services.session.fs.canonicalize(&ctx.process.shell.state.cwd)
    {
        ctx.out.line(&Text::from(real));
    } else {
        print_directory(ctx);
    }
    Ok(Flow::Status(0))
}

impl Shell {
    /// Makes a directory the working directory and sets `PWD` and `OLDPWD`.
    pub(super) fn change_directory(
        &mut self,
        run: &mut Run,
        target: &Text,
        physical: bool,
    ) -> Step<Result<(), Errno>> {
        let fs = &run.services.session.fs;
        let joined = path::join(&self.state.cwd, target);
        // `a/..` is only taken back where `a` is a directory.
        let found = fs.metadata(&joined).and_then(|metadata| {
            if metadata.is_directory() { Ok(()) } else { Err(FsError::Errno(Errno::NotDirectory)) }
        });
        // From a directory that was removed, `..` still leads up.
        let found = match found {
            Err(FsError::Errno(Errno::NotFound)) if !physical && fs.metadata(&self.state.cwd).is_err() => {
                Ok(())
            }
            found => found,
        };
        let found = found.and_then(|()| match fs.access(&joined, false, false, true) {
            Err(FsError::Errno(Errno::NotFound)) => Ok(()),
            access => access,
        });
        match found {
            Ok(()) => {}
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => return Ok(Err(errno)),
        }
        let new = if physical {
            match fs.canonicalize(&joined) {
                Ok(real) => real,
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => return Ok(Err(errno)),
            }
        } else {
            let logical = path::normalise(&joined);
            if !fs.metadata(&logical).is_ok_and(|metadata| metadata.is_directory()) {
                return Ok(Err(Errno::NotFound));
            }
            // Exactly two slashes at the start stay two: POSIX XBD 4.13.
            if joined.starts_with(b"//") && !joined.starts_with(b"///") {
                [b"/", logical.as_slice()].concat_metered()
            } else {
                logical
            }
        };
        let old = self.scalar(run, name::PWD).unwrap_or_else(|| self.state.cwd.clone());
        self.state.cwd = Text::from(new);
        let new = self.state.cwd.clone();
        // A read-only PWD is reported; the directory has changed.
        let _ = self.assign_variable(run, name::OLDPWD, old, false);
        let _ = self.assign_variable(run, name::PWD, new, false);
        Ok(Ok(()))
    }
}
