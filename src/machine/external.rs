//! Commands that are neither function nor builtin: the search along `PATH`, and the utilities, shells and scripts that it
//! finds. Bash manual 3.7.2.

use super::builtin;
use super::error::{AssignmentError, CommandError};
use super::executable::{Executable, Found};
use super::expansion::{Expansion, Target};
use super::halt::Step;
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use super::start::ShellCommand;
use super::variable::Attributes;
use super::wait::Wait;
use crate::memory::{Arc, JoinMetered, Task, ToMetered, Vec, vec};
use crate::text::Text;
use crate::utility::{self, Context, Environment, Output};
use crate::vfs::Errno;
use std::pin::Pin;
use std::task::Context as TaskContext;

/// Builtins that are files too, for `env`, `xargs`, `exec` and their like.
pub(crate) const FILE_BUILTINS: &[&str] = &["kill"];

impl State {
    /// What a utility is given.
    fn context(&self, run: &Run, name: Text, args: Vec<Text>, env: Arc<Environment>) -> Context {
        let services = &run.services;
        let descriptors = self.descriptors.clone();
        let name = match name.rsplit(|&byte| byte == b'/').next() {
            Some(base) if name.contains(&b'/') => Text::from(base),
            _ => name,
        };
        Context {
            name,
            args,
            stdout: Output::new(descriptors.get(1).cloned()),
            stderr: Output::new(descriptors.get(2).cloned()),
            cwd: self.place.path(&services.session.fs),
            env,
            umask: self.umask,
            session: std::sync::Arc::clone(&services.session),
            meter: std::sync::Arc::clone(&services.meter),
            utility: None,
            process: self.ids.own,
            descriptors,
            ignored: self.traps.ignored(),
            timers: std::sync::Arc::clone(&services.timers),
            commands: std::sync::Arc::clone(&services.commands),
        }
    }

    /// Whether the file at `path` can be run.
    pub(crate) fn search_path(&self, run: &Run, path: &[u8]) -> Found {
        let fs = &run.services.session.fs;
        let absolute = self.absolute(fs, path);
        match fs.metadata(&absolute) {
            Ok(metadata) if metadata.is_directory() => {
                Found::NotExecutable(Text::from(path), Errno::IsDirectory)
            }
            Ok(_) => match fs.access(&absolute, false, false, true) {
                Ok(()) => Found::Path(Text::from(path)),
                Err(_) => Found::NotExecutable(Text::from(path), Errno::AccessDenied),
            },
            Err(crate::vfs::FsError::Errno(
                errno @ (Errno::AccessDenied
                | Errno::NotDirectory
                | Errno::TooManyLevels
                | Errno::NameTooLong),
            )) if path.contains(&b'/') => Found::NotExecutable(Text::from(path), errno),
            Err(_) => Found::Missing,
        }
    }
}

impl Shell {
    /// The first file of that name along a list of directories that can be run.
    pub(crate) fn search_along(&self, run: &Run, name: &[u8], path: &[u8]) -> Found {
        let mut denied = None;
        let ignore = self.variables.slot(super::name::EXECIGNORE).value.text();
        let ignore: Vec<crate::pattern::Pattern> = ignore.map_or_else(Vec::new, |patterns| {
            let options = self.state.pattern_options(false);
            let patterns = patterns.split(|&byte| byte == b':').filter(|pattern| !pattern.is_empty());
            patterns.map(|pattern| crate::pattern::Pattern::parse(pattern, options)).collect()
        });
        for directory in path.split(|&byte| byte == b':') {
            let mut candidate = if directory.is_empty() { b".".to_metered() } else { directory.to_metered() };
            candidate.push(b'/');
            candidate.extend_from_slice(name);
            let ignored = |pattern: &crate::pattern::Pattern| {
                pattern.matches(&candidate, &mut crate::pattern::NoTicker).unwrap_or(false)
            };
            if ignore.iter().any(ignored) {
                continue;
            }
            match self.state.search_path(run, &candidate) {
                Found::Path(path) => return Found::Path(path),
                Found::NotExecutable(path, errno) if errno != Errno::IsDirectory => {
                    denied.get_or_insert((path, errno));
                }
                _ => {}
            }
        }
        denied.map_or(Found::Missing, |(path, errno)| Found::NotExecutable(path, errno))
    }
}

impl Expansion {
    /// The environment of a command: exported variables and the assignments before it.
    fn command_environment(&mut self, shell: &mut Shell, run: &mut Run) -> Result<Arc<Environment>, ()> {
        let mut environment = shell.environment(run);
        if self.assignments.is_empty() {
            return Ok(environment);
        }
        let changed = Arc::make_mut(&mut environment);
        for assignment in std::mem::take(&mut self.assignments) {
            if shell.variables.slot(assignment.name).attributes.has(Attributes::READONLY) {
                let name = run.services.names.text(assignment.name);
                shell.report(AssignmentError::ReadOnly(name));
                if shell.state.options.has(ShellOption::Posix)
                    || shell.state.options.has(ShellOption::ErrExit)
                {
                    return Err(());
                }
                continue;
            }
            let mut value = assignment.value;
            if assignment.append {
                let mut old = shell.scalar(run, assignment.name).unwrap_or_default();
                old.push_bytes(&value);
                value = old;
            }
            // Through a reference what it refers to is assigned.
            let id = match shell.assignment_target(run, assignment.name) {
                Some(Target::Variable(id)) => id,
                _ => assignment.name,
            };
            changed.set(run.services.names.text(id), value);
        }
        Ok(environment)
    }

    /// Finds the file of a command: by its path, or along `PATH`. Remembers what it found.
    pub(crate) fn search(&mut self, shell: &mut Shell, run: &mut Run, name: &Text) -> Found {
        if name.contains(&b'/') {
            return shell.state.search_path(run, name);
        }
        let own = self.assignments.iter().rev().find(|assignment| assignment.name == super::name::PATH);
        if let Some(path) = own.map(|assignment| assignment.value.clone()) {
            // `PATH=... name`
            return shell.search_along(run, name, &path);
        }
        if let Some((path, _)) = shell.state.commands.hashed.get(name) {
            let path = path.clone();
            let found = shell.state.search_path(run, &path);
            if found == Found::Missing && !shell.state.options.has(ShellOption::CheckHash) {
                return Found::NotExecutable(path, Errno::NotFound);
            }
            if matches!(found, Found::Path(_)) {
                if let Some(entry) = Arc::make_mut(&mut shell.state.commands.hashed).get_mut(name) {
                    entry.1 = entry.1.saturating_add(1);
                }
                return Found::Path(path);
            }
        }
        let path = shell.scalar(run, super::name::PATH).unwrap_or_default();
        let (lookups, fs) = (&run.services.cache.lookups, &run.services.session.fs);
        let found = match lookups.path(fs, &path, name) {
            Some(path) => Found::Path(path),
            None => {
                let version = fs.version();
                let found = shell.search_along(run, name, &path);
                if let Found::Path(found) = &found {
                    lookups.keep_path(version, &path, name, found);
                }
                found
            }
        };
        if let Found::Path(path) = &found
            && shell.state.options.has(ShellOption::HashAll)
        {
            Arc::make_mut(&mut shell.state.commands.hashed).insert(name.clone(), (path.clone(), 1));
        }
        found
    }
}

/// Whether a shell that is restricted runs no command of that name.
pub(crate) fn is_forbidden(options: super::option::ShellOptions, name: &[u8]) -> bool {
    name.contains(&b'/') && options.has(ShellOption::RestrictedShell)
}

impl Process {
    // Utilities and scripts.

    /// Runs a command that is neither function nor builtin.
    pub(crate) fn run_external(&mut self, run: &mut Run, cx: &mut TaskContext<'_>) -> Step {
        let name = self.x.fields[0].clone();
        if is_forbidden(self.shell.state.options, &name) {
            self.x.fail_command(&mut self.shell, CommandError::Restricted(name));
            return Ok(());
        }
        let found = self.x.search(&mut self.shell, run, &name);
        self.run_found(run, cx, &name, found, None)
    }

    /// Runs what a search found. `environment`: instead of the exported variables and the assignments before the command.
    pub(crate) fn run_found(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        name: &Text,
        found: Found,
        environment: Option<Arc<Environment>>,
    ) -> Step {
        let path = match found {
            Found::Path(path) => path,
            Found::Missing if name.contains(&b'/') => {
                let error = CommandError::File(name.clone(), Errno::NotFound);
                run.note_not_found(name);
                self.x.fail_command(&mut self.shell, error);
                return Ok(());
            }
            Found::Missing => return self.command_not_found(run, name),
            Found::NotExecutable(path, errno) => {
                run.note_missing(&path, errno);
                self.x.fail_command(&mut self.shell, CommandError::File(path, errno));
                return Ok(());
            }
        };
        let Ok(environment) =
            environment.map_or_else(|| self.x.command_environment(&mut self.shell, run), Ok)
        else {
            if self.shell.state.options.has(ShellOption::ErrExit) {
                // In a condition too.
                return Err(super::halt::Halt::Failed { status: 1, simple: true });
            }
            self.x.finish_simple(&mut self.shell, 1);
            return Ok(());
        };
        let args = std::mem::take(&mut self.x.fields);
        self.start_file(run, cx, &path, args, environment, 0)
    }

    fn command_not_found(&mut self, run: &mut Run, name: &Text) -> Step {
        run.note_not_found(name);
        let handler = run.services.names.find(b"command_not_found_handle");
        if let Some(function) = handler.and_then(|id| self.shell.state.commands.functions.get(&id)).cloned() {
            self.x.fields.insert(0, Text::from_static(b"command_not_found_handle"));
            // It runs in a subshell, whose end is the end of a small program.
            let line = self.shell.line();
            let behind = self.shell.code.pc;
            self.control.begin_subshell(&mut self.shell, run, behind)?;
            let program = crate::program::Program {
                code: vec![crate::program::Op::EndProcess, crate::program::Op::End],
                lines: vec![line, line],
                ..crate::program::Program::default()
            };
            self.control.start_program(&mut self.shell, run, &Arc::new(program));
            return self.call_function(run, &function);
        }
        self.x.fail_command(&mut self.shell, CommandError::not_found(name));
        Ok(())
    }

    /// Runs the file at `path`. `hops`: interpreters on the way to it.
    pub(crate) fn start_file(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        path: &Text,
        mut args: Vec<Text>,
        environment: Arc<Environment>,
        hops: u32,
    ) -> Step {
        let error = match super::executable::identify(run, &self.shell.state, path) {
            Ok(Executable::Command(name)) => return self.start_command(run, cx, &name, args, environment),
            Ok(Executable::Shell { posix, options, script }) => {
                let name = args.first().cloned().unwrap_or_default();
                let path = if name.contains(&b'/') { name } else { path.clone() };
                let mut flags = options;
                flags.push(path);
                flags.extend(args.drain(1.min(args.len())..));
                let name = Text::from_static(b"bash");
                let script = Some(script);
                let command = ShellCommand { name, args: flags, environment, posix, script };
                return self.start_shell(run, command);
            }
            Ok(Executable::Interpreter { path: interpreter, argument }) if hops < 4 => {
                let rest = args.split_off(1.min(args.len()));
                let mut with = vec![interpreter.clone()];
                with.extend(argument);
                with.push(path.clone());
                with.extend(rest);
                match self.shell.state.search_path(run, &interpreter) {
                    Found::Path(found) => {
                        return self.start_file(run, cx, &found, with, environment, hops + 1);
                    }
                    _ => {
                        run.note_missing(&interpreter, Errno::NotFound);
                        CommandError::NoInterpreter(path.clone())
                    }
                }
            }
            Ok(Executable::Interpreter { .. }) => CommandError::File(path.clone(), Errno::TooManyLevels),
            Ok(Executable::Binary) => CommandError::Binary(path.clone()),
            Err(errno) => CommandError::File(path.clone(), errno),
        };
        match &error {
            CommandError::File(path, errno) => run.note_missing(path, *errno),
            CommandError::Binary(path) => run.note_missing(path, Errno::ExecFormat),
            _ => {}
        }
        self.x.fail_command(&mut self.shell, error);
        Ok(())
    }

    /// Runs a utility, a host's command or a shell by the name that stands in its file.
    fn start_command(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        name: &Text,
        mut args: Vec<Text>,
        environment: Arc<Environment>,
    ) -> Step {
        let invoked = if args.is_empty() { name.clone() } else { args.remove(0) };
        if matches!(name.as_bytes(), b"bash" | b"sh") {
            let posix = name.as_bytes() == b"sh";
            let command = ShellCommand { name: invoked, args, environment, posix, script: None };
            return self.start_shell(run, command);
        }
        if FILE_BUILTINS.iter().any(|builtin| name == builtin.as_bytes())
            && let Some(builtin) = builtin::find_id(name)
        {
            args.insert(0, invoked);
            self.x.fields = args;
            self.x.assignments.clear();
            return self.call_builtin(run, cx, builtin);
        }
        let mut environment = environment;
        let asked = matches!(self.shell.code.program.code.first(), Some(crate::program::Op::ExecuteExternal));
        if matches!(name.as_bytes(), b"env" | b"printenv") && !asked {
            // Only who shows the environment can tell; what a utility asked for has no shell before it.
            let path = Text::from([b"/usr/bin/", name.as_bytes()].concat_metered());
            Arc::make_mut(&mut environment).set(Text::from_static(b"_"), path);
        }
        // The first shell is always shown as itself: most utilities run in it, and need no copy of their arguments.
        let shown = (self.shell.state.ids.own != super::run::FIRST_PID).then(|| {
            let mut argv: Vec<Text> = vec![invoked.clone()];
            argv.extend(args.iter().cloned());
            argv
        });
        let context = self.shell.state.context(run, invoked, args, environment);
        let future = if let Some(command) = run.services.host_commands.get(name) {
            command(context)
        } else if let Some(utility) = utility::find(name) {
            utility::start(utility, context)
        } else {
            drop(context);
            run.note_not_found(name);
            self.x.fail_command(&mut self.shell, CommandError::NotFound(name.clone()));
            return Ok(());
        };
        let mut future = Task::new(future);
        // Most are done at once.
        match Pin::new(&mut future).poll(cx) {
            std::task::Poll::Ready(status) => {
                drop(future);
                if let Some(error) = run.services.meter.failure() {
                    return Err(error.into());
                }
                self.shell.state.jobs.notice_ended();
                self.x.finish_simple(&mut self.shell, status.0);
            }
            std::task::Poll::Pending => {
                self.control.wait = Wait::Utility(future);
                self.control.utility = shown;
            }
        }
        Ok(())
    }
}
