//! `cd`, `pwd`: the working directory. Bash manual 4.1. The logical path is kept in `PWD`; `-P` takes the physical one.

use crate::memory::{ToMetered, JoinMetered};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use crate::vfs::{Errno, FsError, path};
use std::task::Context;

pub(super) static CD: Builtin = Builtin {
    name: "cd",
    special: false,
    synopsis: "cd [-L|[-P [-e]] [-@]] [dir]",
    help: "Change the shell working directory.",
    run: cd,
};

pub(super) static PWD: Builtin = Builtin {
    name: "pwd",
    special: false,
    synopsis: "pwd [-LP]",
    help: "Print the name of the current working directory.",
    run: pwd,
};

fn cd(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"LPe") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let physical = is_physical(process, &letters);
    let (target, mut print) = match invocation.args.get(letters.first..).unwrap_or(&[]) {
        [] => match process.scalar(run, name::HOME) {
            Some(home) => (home, false),
            None => {
                process.report_for(b"cd", "HOME not set");
                return Ok(Flow::Status(1));
            }
        },
        [dash] if dash.as_bytes() == b"-" => match process.scalar(run, name::OLDPWD) {
            Some(old) => (old, true),
            None => {
                process.report_for(b"cd", "OLDPWD not set");
                return Ok(Flow::Status(1));
            }
        },
        [target] => (target.clone(), false),
        _ => {
            process.report_for(b"cd", "too many arguments");
            return Ok(Flow::Status(1));
        }
    };
    if let Some(found) = along_cdpath(process, run, &target, physical, &mut print)? {
        return Ok(found);
    }
    match process.change_directory(run, &target, physical)? {
        Ok(()) => {
            if print {
                print_directory(process);
            }
            Ok(Flow::Status(0))
        }
        Err(errno) => {
            if process.shell.state.options.has(ShellOption::CdableVars)
                && name::is_name(&target)
                && let Some(value) = {
                    let id = run.services.names.intern(&target);
                    process.scalar(run, id)
                }
                && process.change_directory(run, &value, physical)?.is_ok()
            {
                process.out.extend_from_slice(&value);
                process.out.push(b'\n');
                return Ok(Flow::Status(0));
            }
            process.report_for(b"cd", format_args!("{target}: {}", errno.message()));
            Ok(Flow::Status(1))
        }
    }
}

/// The last of `-L` and `-P` counts, then `set -P`.
fn is_physical(process: &Process, letters: &letters::Letters) -> bool {
    letters
        .given
        .iter()
        .rev()
        .find(|given| matches!(given.name, b'L' | b'P'))
        .map_or_else(|| process.shell.state.options.has(ShellOption::Physical), |given| given.name == b'P')
}

fn print_directory(process: &mut Process) {
    let cwd = process.shell.state.cwd.clone();
    process.out.extend_from_slice(&cwd);
    process.out.push(b'\n');
}

/// Tries the directories of `CDPATH` for a relative name that does not start with `.` or `..`.
fn along_cdpath(
    process: &mut Process,
    run: &mut Run,
    target: &Text,
    physical: bool,
    print: &mut bool,
) -> Step<Option<Flow>> {
    let first = target.split(|&byte| byte == b'/').next().unwrap_or(&[]);
    if *print || target.is_empty() || matches!(first, b"" | b"." | b"..") {
        return Ok(None);
    }
    let Some(list) = process.scalar(run, name::CDPATH).filter(|list| !list.is_empty()) else { return Ok(None) };
    for directory in list.split(|&byte| byte == b':') {
        let candidate = if directory.is_empty() { target.to_metered() } else { path::join(directory, target) };
        if process.change_directory(run, &Text::from(candidate), physical)?.is_ok() {
            if !directory.is_empty() {
                print_directory(process);
            }
            return Ok(Some(Flow::Status(0)));
        }
    }
    Ok(None)
}

fn pwd(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"LP") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    if is_physical(process, &letters)
        && let Ok(real) = run.services.session.fs.canonicalize(&process.shell.state.cwd)
    {
        process.out.extend_from_slice(&real);
        process.out.push(b'\n');
    } else {
        print_directory(process);
    }
    Ok(Flow::Status(0))
}

impl Process {
    /// Makes a directory the working directory and sets `PWD` and `OLDPWD`.
    pub(super) fn change_directory(
        &mut self,
        run: &mut Run,
        target: &Text,
        physical: bool,
    ) -> Step<Result<(), Errno>> {
        let fs = &run.services.session.fs;
        let joined = path::join(&self.shell.state.cwd, target);
        // `a/..` is only taken back where `a` is a directory.
        let found = fs.metadata(&joined).and_then(|metadata| {
            if metadata.is_directory() { Ok(()) } else { Err(FsError::Errno(Errno::NotDirectory)) }
        });
        // From a directory that was removed, `..` still leads up.
        let found = match found {
            Err(FsError::Errno(Errno::NotFound)) if !physical && fs.metadata(&self.shell.state.cwd).is_err() => Ok(()),
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
        let old = self.scalar(run, name::PWD).unwrap_or_else(|| self.shell.state.cwd.clone());
        self.shell.state.cwd = Text::from(new);
        let new = self.shell.state.cwd.clone();
        // A read-only PWD is reported; the directory has changed.
        let _ = self.assign_variable(run, name::OLDPWD, old, false);
        let _ = self.assign_variable(run, name::PWD, new, false);
        Ok(Ok(()))
    }
}
