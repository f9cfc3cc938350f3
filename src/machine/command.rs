//! Simple commands: search (function, builtin, utility), and running what was found. Bash manual 3.7.

use super::builtin::{self, Builtin};
use super::frame::{CommandFrame, Frame, FunctionFrame};
use super::name::NameId;
use super::option::ShellOption;
use super::process::{Halt, Process, Step, Wait};
use super::run::Run;
use super::shell::{Call, Function, Positional};
use super::variable::{Attributes, Value};
use crate::memory::{JoinMetered, ToMetered, Vec, vec};
use crate::text::Text;
use crate::utility::{self, Context, Environment, Output};
use crate::vfs::{COMMAND_MARK, Errno};
use std::sync::Arc;
use std::task::Context as TaskContext;

/// `name=value` before a command.
#[derive(Clone, Debug)]
pub(crate) struct TemporaryAssignment {
    pub(crate) name: NameId,
    pub(crate) value: Text,
    pub(crate) append: bool,
}

/// What a command name leads to on the file system.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// The path of a file that can be run.
    Path(Text),
    Missing,
    /// A file that can not be run.
    NotExecutable(Text, Errno),
}

/// Builtins that are files too, for `env`, `xargs`, `exec` and their like.
pub(crate) const FILE_BUILTINS: &[&str] = &["kill"];

impl Process {
    /// A simple command begins.
    pub(crate) fn begin_command(&mut self) {
        self.undo_redirections();
        let x = &mut self.x;
        x.fields.clear();
        x.arguments.clear();
        x.assignments.clear();
        x.redirections.clear();
        x.failed = false;
        x.substituted = None;
    }

    /// Runs the fields. `known`: the session's number and the builtin of a name that is constant.
    pub(crate) fn execute(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        known: Option<(NameId, Option<&'static Builtin>)>,
    ) -> Step {
        run.services.meter.count_command()?;
        if self.x.failed {
            self.x.failed = false;
            self.undo_redirections();
            self.set_status(1);
            let name = self.x.fields.first();
            if self.shell.state.options.has(ShellOption::Posix)
                && name.and_then(|name| builtin::find(name)).is_some_and(|builtin| builtin.special)
            {
                return Err(Halt::Exit(1));
            }
            return Ok(());
        }
        if self.shell.state.options.has(ShellOption::NoExec) {
            return Err(Halt::Discard(self.shell.state.status));
        }
        if self.shell.state.options.has(ShellOption::Keyword) {
            self.take_keyword_assignments(run);
        }
        if self.x.fields.is_empty() {
            return self.execute_nothing(run);
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_command(run);
        }
        let (id, builtin) = match known {
            Some((id, builtin)) => (Some(id), builtin),
            None => {
                let name = &self.x.fields[0];
                (run.services.names.find(name), builtin::find(name))
            }
        };
        if let Some(gate) = run.services.gate.clone()
            && let Err(message) = gate.allow(&self.x.fields[0], self.x.fields.get(1..).unwrap_or(&[]))
        {
            let name = self.x.fields[0].clone();
            self.report_for(&name, message);
            self.finish_simple(run, 126);
            return Ok(());
        }
        if let Some(builtin) = builtin
            && builtin.special
            && self.shell.state.options.has(ShellOption::Posix)
        {
            self.note_last_argument();
            return self.call_builtin(run, cx, builtin);
        }
        if !self.shell.state.functions.is_empty()
            && let Some(function) = id.and_then(|id| self.shell.state.functions.get(&id)).cloned()
        {
            return self.call_function(run, &function);
        }
        self.note_last_argument();
        match builtin {
            Some(builtin) if self.is_enabled(builtin) => self.call_builtin(run, cx, builtin),
            _ => self.run_external(run, cx),
        }
    }

    /// `set -k`: assignments among the arguments are taken as if they stood before the command.
    fn take_keyword_assignments(&mut self, run: &mut Run) {
        let mut kept = Vec::with_capacity(self.x.fields.len());
        for field in std::mem::take(&mut self.x.fields) {
            let split = memchr::memchr(b'=', &field).map(|at| field.split_at(at));
            match split {
                Some((name, value)) if super::name::is_name(name) => {
                    let name = run.services.names.intern(name);
                    let value = Text::from(value.get(1..).unwrap_or(&[]));
                    self.x.assignments.push(TemporaryAssignment { name, value, append: false });
                }
                _ => kept.push(field),
            }
        }
        self.x.fields = kept;
    }

    /// `$_` behind the command.
    fn note_last_argument(&mut self) {
        let Some(last) = self.x.fields.last() else { return };
        let is_list = !self.x.arguments.is_empty()
            && self.x.arguments.iter().any(|(at, _)| at + 1 == self.x.fields.len());
        self.shell.state.last_argument = if is_list {
            // `declare a=(1 2)`: the name.
            let name = last.strip_suffix(b"=").unwrap_or(last);
            Text::from(name.strip_suffix(b"+").unwrap_or(name))
        } else {
            last.clone()
        };
    }

    pub(crate) fn is_enabled(&self, builtin: &Builtin) -> bool {
        self.shell.state.disabled.is_empty() || !self.shell.state.disabled.contains(&builtin.name)
    }

    /// All words expanded to nothing: assignments are made for good.
    fn execute_nothing(&mut self, run: &mut Run) -> Step {
        for assignment in std::mem::take(&mut self.x.assignments) {
            self.assign_word(run, assignment.name, assignment.value, assignment.append)?;
        }
        self.assignments_done();
        Ok(())
    }

    /// A command of assignments and redirections only is over.
    pub(crate) fn assignments_done(&mut self) {
        self.shell.state.last_argument = Text::EMPTY;
        let failed = std::mem::take(&mut self.x.failed);
        self.undo_redirections();
        let status = if failed { 1 } else { self.x.substituted.take().unwrap_or(0) };
        self.set_status(status);
    }

    pub(crate) fn undo_redirections(&mut self) {
        if !self.x.redirections.is_empty() {
            let saved = std::mem::take(&mut self.x.redirections);
            self.restore_descriptors(saved);
        }
    }

    /// A simple command is over.
    pub(crate) fn finish_simple(&mut self, run: &mut Run, status: u8) {
        let _ = run;
        // What was before a command that did not run is not before the next one.
        self.x.assignments.clear();
        self.undo_redirections();
        self.report_killed_jobs();
        self.set_status(status);
    }

    // Functions.

    /// Calls a function with the fields as its arguments.
    pub(crate) fn call_function(&mut self, run: &mut Run, function: &Function) -> Step {
        let functions = self.shell.state.calls.as_ref().map_or(0, |call| call.functions);
        self.check_nesting(run, functions)?;
        self.enter(run)?;
        if self.is_forked {
            self.shell.state.jobs.inherited.clear();
        }
        let mut args = std::mem::take(&mut self.x.fields);
        let last_argument = args.last().cloned().unwrap_or_default();
        let name = if args.is_empty() { Text::EMPTY } else { args.remove(0) };
        let redirections = std::mem::take(&mut self.x.redirections);
        let assignments = std::mem::take(&mut self.x.assignments);
        let line = self.line();
        let mark = self.shell.variables.enter_function();
        for assignment in assignments {
            if self.bind_in_scope(run, assignment).is_err() {
                self.shell.variables.leave_function(mark);
                self.restore_descriptors(redirections);
                self.depth -= 1;
                if !self.shell.state.options.has(ShellOption::Posix) {
                    return Err(self.discarded());
                }
                self.set_status(1);
                return Ok(());
            }
        }
        if !redirections.is_empty() {
            self.frames.push(Frame::Command(Box::new(CommandFrame { redirections, temporary: None })));
        }
        let resume = self.code.clone();
        let traps = self.function_traps(&function.definition.name);
        let state = &mut self.shell.state;
        let positional = std::mem::replace(&mut state.positional, Positional::new(args));
        let args = state.options.has(ShellOption::ExtDebug).then(|| state.positional.clone());
        let source = std::mem::replace(&mut state.source_name, function.source.clone());
        let parent = state.calls.clone();
        let call = Call {
            name,
            source: function.source.clone(),
            line,
            args,
            functions: functions.saturating_add(1),
            parent: parent.clone(),
        };
        state.calls = Some(Arc::new(call));
        self.frames.push(Frame::Function(Box::new(FunctionFrame {
            resume,
            mark,
            positional,
            conditions: state.conditions,
            options: None,
            source,
            calls: parent,
            last_argument,
            traps,
            returned: false,
        })));
        let caller = (Arc::clone(&self.code.program), self.code.pc.saturating_sub(1));
        self.switch(function.code.clone());
        self.entry_trap(run, line, caller)
    }

    /// Goes on in a part of the program that is compiled when it is run first.
    pub(crate) fn enter_part(
        &mut self,
        run: &mut Run,
        program: &crate::program::Program,
        link: &super::link::Link,
        index: crate::program::Index,
    ) -> Step {
        let Some(part) = program.parts.get(index as usize) else { return Ok(()) };
        let code = match link.part(index) {
            Some(code) => code,
            None => {
                let measured = super::run::Measured::start();
                let compiled = part.program(&run.services.meter)?;
                run.services.cache.add_bytes(measured.bytes());
                link.set_part(index, program.parts.len(), compiled, &run.services.names)
            }
        };
        let shift = self.code.shift;
        self.switch(super::shell::Code { shift, ..code });
        Ok(())
    }

    /// `FUNCNEST`: how many functions may be inside of each other.
    fn check_nesting(&mut self, run: &mut Run, functions: u32) -> Step {
        if self.shell.variables.slot(super::name::FUNCNEST).value == Value::Unset {
            return Ok(());
        }
        let most =
            self.scalar(run, super::name::FUNCNEST).and_then(|text| super::variable::plain_integer(&text));
        match most.and_then(|most| u32::try_from(most).ok()) {
            Some(most) if most > 0 && functions >= most => {
                let name = self.x.fields.first().cloned().unwrap_or_default();
                self.report_for(&name, format_args!("maximum function nesting level exceeded ({most})"));
                Err(Halt::Discard(1))
            }
            _ => Ok(()),
        }
    }

    /// `name() body`: its code follows.
    pub(crate) fn define_function(
        &mut self,
        program: &crate::program::Program,
        index: crate::program::Index,
        end: crate::program::Pc,
    ) -> Step {
        let Some(definition) = program.functions.get(index as usize) else { return Ok(()) };
        let body = self.code_at(self.code.pc);
        self.code.pc = end;
        if self.shell.state.options.has(ShellOption::Posix) {
            if builtin::find(&definition.name).is_some_and(|builtin| builtin.special) {
                self.report(format_args!("`{}': is a special builtin", definition.name));
                return Err(Halt::Exit(2));
            }
            if !super::name::is_name(&definition.name) {
                return self.invalid_identifier(&definition.name);
            }
        }
        let id = self.shell.variables.names.intern(&definition.name);
        if self.shell.variables.is_readonly_function(id) {
            let name = definition.name.clone();
            self.report_for(&name, "readonly function");
            self.set_status(1);
            return Ok(());
        }
        let source = if self.shell.state.source_name.is_empty() {
            Text::from_static(b"environment")
        } else {
            self.shell.state.source_name.clone()
        };
        let exported = self.shell.state.options.has(ShellOption::AllExport)
            || self.shell.state.functions.get(&id).is_some_and(|function| function.exported);
        if exported {
            self.shell.variables.exports += 1;
        }
        let function = Function { code: body, definition: Arc::clone(definition), exported, source };
        Arc::make_mut(&mut self.shell.state.functions).insert(id, function);
        self.set_status(0);
        Ok(())
    }

    // Utilities and scripts.

    /// Runs a command that is neither function nor builtin.
    pub(crate) fn run_external(&mut self, run: &mut Run, cx: &mut TaskContext<'_>) -> Step {
        let name = self.x.fields[0].clone();
        let found = self.search(run, &name);
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
                self.report_for(name, "No such file or directory");
                self.finish_simple(run, 127);
                return Ok(());
            }
            Found::Missing => return self.command_not_found(run, name),
            Found::NotExecutable(path, errno) => {
                self.report_for(&path, errno.message());
                self.finish_simple(run, if errno == Errno::NotFound { 127 } else { 126 });
                return Ok(());
            }
        };
        let Ok(environment) = environment.map_or_else(|| self.command_environment(run), Ok) else {
            self.finish_simple(run, 1);
            return Ok(());
        };
        let args = std::mem::take(&mut self.x.fields);
        self.start_file(run, cx, &path, args, environment, 0)
    }

    fn command_not_found(&mut self, run: &mut Run, name: &Text) -> Step {
        let handler = run.services.names.find(b"command_not_found_handle");
        if let Some(function) = handler.and_then(|id| self.shell.state.functions.get(&id)).cloned() {
            self.x.fields.insert(0, Text::from_static(b"command_not_found_handle"));
            // It runs in a subshell, whose end is the end of a small program.
            let line = self.line();
            self.begin_subshell(run, self.code.pc)?;
            let program = crate::program::Program {
                code: vec![crate::program::Op::EndProcess, crate::program::Op::End],
                lines: vec![line, line],
                ..crate::program::Program::default()
            };
            self.start_program(run, &Arc::new(program));
            return self.call_function(run, &function);
        }
        if super::quote::needs_ansi_c(name) {
            let shown = super::quote::ansi_c(name);
            self.report_for(&shown, "command not found");
        } else {
            self.report_for(name, "command not found");
        }
        self.finish_simple(run, 127);
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
        match super::executable::identify(run, &self.shell.state.cwd, path) {
            Ok(super::executable::Executable::Command(name)) => {
                self.start_command(run, cx, &name, args, environment)
            }
            Ok(super::executable::Executable::Shell { posix, options, script }) => {
                let name = args.first().cloned().unwrap_or_default();
                let path = if name.contains(&b'/') { name } else { path.clone() };
                let rest = args.split_off(1.min(args.len()));
                self.start_script_file(run, path, rest, environment, posix, &options, script)
            }
            Ok(super::executable::Executable::Interpreter { path: interpreter, argument }) if hops < 4 => {
                let rest = args.split_off(1.min(args.len()));
                let mut with = vec![interpreter.clone()];
                with.extend(argument);
                with.push(path.clone());
                with.extend(rest);
                match self.search_path(run, &interpreter) {
                    Found::Path(found) => self.start_file(run, cx, &found, with, environment, hops + 1),
                    _ => {
                        self.report_for(path, "cannot execute: required file not found");
                        self.finish_simple(run, 127);
                        Ok(())
                    }
                }
            }
            Ok(super::executable::Executable::Interpreter { .. }) => {
                self.report_for(path, Errno::TooManyLevels.message());
                self.finish_simple(run, 126);
                Ok(())
            }
            Ok(super::executable::Executable::Binary) => {
                self.report_for(path, "cannot execute binary file: Exec format error");
                self.finish_simple(run, 126);
                Ok(())
            }
            Err(errno) => {
                self.report_for(path, errno.message());
                self.finish_simple(run, 126);
                Ok(())
            }
        }
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
            return self.start_shell(run, invoked, args, environment, name.as_bytes() == b"sh");
        }
        if FILE_BUILTINS.iter().any(|builtin| name == builtin.as_bytes())
            && let Some(builtin) = builtin::find(name)
        {
            args.insert(0, invoked);
            self.x.fields = args;
            self.x.assignments.clear();
            return self.call_builtin(run, cx, builtin);
        }
        let mut environment = environment;
        let asked = matches!(self.code.program.code.first(), Some(crate::program::Op::ExecuteExternal));
        if matches!(name.as_bytes(), b"env" | b"printenv") && !asked {
            // Only who shows the environment can tell; what a utility asked for has no shell before it.
            let path = Text::from([b"/usr/bin/", name.as_bytes()].concat_metered());
            Arc::make_mut(&mut environment).set(Text::from_static(b"_"), path);
        }
        let context = self.context(run, invoked, args, environment);
        let mut future = if let Some(command) = run.services.host_commands.get(name) {
            command(context)
        } else if let Some(utility) = utility::find(name) {
            (utility.run)(Context { utility: Some(utility), ..context })
        } else {
            drop(context);
            self.report_for(name, "command not found");
            self.finish_simple(run, 127);
            return Ok(());
        };
        // Most are done at once.
        match future.as_mut().poll(cx) {
            std::task::Poll::Ready(status) => {
                drop(future);
                if let Some(error) = run.services.meter.failure() {
                    return Err(error.into());
                }
                self.shell.state.jobs.notice_ended();
                self.finish_simple(run, status.0);
            }
            std::task::Poll::Pending => self.wait = Wait::Utility(future),
        }
        Ok(())
    }

    /// What a utility is given.
    fn context(&self, run: &Run, name: Text, args: Vec<Text>, env: Arc<Environment>) -> Context {
        let services = &run.services;
        let descriptors = self.shell.state.descriptors.clone();
        let name = match name.rsplit(|&byte| byte == b'/').next() {
            Some(base) if name.contains(&b'/') => Text::from(base),
            _ => name,
        };
        Context {
            name,
            args,
            stdout: Output::new(descriptors.get(1).cloned()),
            stderr: Output::new(descriptors.get(2).cloned()),
            cwd: self.shell.state.cwd.clone(),
            env,
            umask: self.shell.state.umask,
            session: Arc::clone(&services.session),
            meter: Arc::clone(&services.meter),
            utility: None,
            descriptors,
            timers: Arc::clone(&services.timers),
            commands: Arc::clone(&services.commands),
        }
    }

    /// The environment of a command: exported variables and the assignments before it.
    fn command_environment(&mut self, run: &mut Run) -> Result<Arc<Environment>, ()> {
        let mut environment = self.environment(run);
        if self.x.assignments.is_empty() {
            return Ok(environment);
        }
        let changed = Arc::make_mut(&mut environment);
        for assignment in std::mem::take(&mut self.x.assignments) {
            if self.shell.variables.slot(assignment.name).attributes.has(Attributes::READONLY) {
                let name = run.services.names.text(assignment.name);
                self.report_for(&name, "readonly variable");
                if self.shell.state.options.has(ShellOption::Posix) {
                    return Err(());
                }
                continue;
            }
            let mut value = assignment.value;
            if assignment.append {
                let mut old = self.scalar(run, assignment.name).unwrap_or_default();
                old.push_bytes(&value);
                value = old;
            }
            changed.set(run.services.names.text(assignment.name), value);
        }
        Ok(environment)
    }

    /// Exported variables and functions.
    pub(crate) fn environment(&mut self, run: &mut Run) -> Arc<Environment> {
        let version = self.shell.variables.exports;
        // The values of these two change without an assignment.
        let computed = [super::name::SHELLOPTS, super::name::BASHOPTS]
            .map(|id| self.shell.variables.slot(id).attributes.has(Attributes::EXPORTED).then_some(id));
        if let Some((kept, environment)) = &self.shell.state.environment
            && *kept == version
            && computed == [None, None]
        {
            return Arc::clone(environment);
        }
        let mut variables = self.shell.state.foreign.to_metered();
        for id in computed.into_iter().flatten() {
            if let Some(value) = self.dynamic(run, id).and_then(|value| value.text()) {
                variables.push((run.services.names.text(id), value));
            }
        }
        for (name, slot) in self.shell.variables.existing() {
            if slot.attributes.has(Attributes::EXPORTED)
                && !slot.value.is_array()
                && let Some(value) = slot.value.text()
            {
                variables.push((run.services.names.text(name), value));
            }
        }
        for (name, function) in self.shell.state.functions.iter().filter(|(_, function)| function.exported) {
            let name = run.services.names.text(*name);
            let variable = [b"BASH_FUNC_", name.as_bytes(), b"%%"].concat_metered();
            variables
                .push((Text::from(variable), super::function_export::exported_text(&function.definition)));
        }
        let environment = Arc::new(Environment::new(variables));
        self.shell.state.environment = Some((version, Arc::clone(&environment)));
        environment
    }

    /// Finds the file of a command: by its path, or along `PATH`. Remembers what it found.
    pub(crate) fn search(&mut self, run: &mut Run, name: &Text) -> Found {
        if name.contains(&b'/') {
            return self.search_path(run, name);
        }
        let own = self.x.assignments.iter().rev().find(|assignment| assignment.name == super::name::PATH);
        if let Some(path) = own.map(|assignment| assignment.value.clone()) {
            // `PATH=... name`
            return self.search_along(run, name, &path);
        }
        if let Some((path, _)) = self.shell.state.hashed.get(name) {
            let path = path.clone();
            let found = self.search_path(run, &path);
            if found == Found::Missing && !self.shell.state.options.has(ShellOption::CheckHash) {
                return Found::NotExecutable(path, Errno::NotFound);
            }
            if matches!(found, Found::Path(_)) {
                if let Some(entry) = Arc::make_mut(&mut self.shell.state.hashed).get_mut(name) {
                    entry.1 = entry.1.saturating_add(1);
                }
                return Found::Path(path);
            }
        }
        let path = self.scalar(run, super::name::PATH).unwrap_or_default();
        let (lookups, fs) = (&run.services.cache.lookups, &run.services.session.fs);
        let found = match lookups.path(fs, &path, name) {
            Some(path) => Found::Path(path),
            None => {
                let version = fs.version();
                let found = self.search_along(run, name, &path);
                if let Found::Path(found) = &found {
                    lookups.keep_path(version, &path, name, found);
                }
                found
            }
        };
        if let Found::Path(path) = &found
            && self.shell.state.options.has(ShellOption::HashAll)
        {
            Arc::make_mut(&mut self.shell.state.hashed).insert(name.clone(), (path.clone(), 1));
        }
        found
    }

    /// The first file of that name along a list of directories that can be run.
    pub(crate) fn search_along(&self, run: &Run, name: &[u8], path: &[u8]) -> Found {
        let mut denied = None;
        let ignore = self.shell.variables.slot(super::name::EXECIGNORE).value.text();
        let ignore: Vec<crate::pattern::Pattern> = ignore.map_or_else(Vec::new, |patterns| {
            let options = self.pattern_options(false);
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
            match self.search_path(run, &candidate) {
                Found::Path(path) => return Found::Path(path),
                Found::NotExecutable(path, errno) if errno != Errno::IsDirectory => {
                    denied.get_or_insert((path, errno));
                }
                _ => {}
            }
        }
        denied.map_or(Found::Missing, |(path, errno)| Found::NotExecutable(path, errno))
    }

    /// Whether the file at `path` can be run.
    pub(crate) fn search_path(&self, run: &Run, path: &[u8]) -> Found {
        let fs = &run.services.session.fs;
        let absolute = crate::vfs::path::join(&self.shell.state.cwd, path);
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

/// The mark of a file that stands for a command.
pub(crate) fn marked_command(content: &[u8]) -> Option<&[u8]> {
    let rest = content.strip_prefix(COMMAND_MARK)?;
    Some(rest.split(|&byte| byte == b'\n').next().unwrap_or(rest))
}
