//! Starting shells: the first of a run, `bash` and `sh` as commands, scripts by path, `eval` and `source`.

use super::builtin::{Flow, Invocation};
use super::frame::{CommandFrame, Frame, ScriptFrame, ScriptKind};
use super::name;
use super::option::{self, OPTIONS, ShellOption};
use super::pool::Pool;
use super::process::{Expansion, Process, Step, Wait};
use super::run::{Measured, Run};
use super::shell::{Call, Code, Positional, Shell, State};
use super::variable::{Attributes, Value, Variables, decimal};
use crate::clock::Clock;
use crate::io::DescriptorTable;
use crate::limit::{Limits, Meter};
use crate::memory::{HashMap, JoinMetered, String, ToMetered, ToMeteredString, Vec, VecDeque, format, vec};
use crate::program::{CompileOptions, Program, compile_source};
use crate::syntax::{Aliases, ParseOptions};
use crate::text::Text;
use crate::utility::{CommandError, CommandRequest, DescriptorHandles, Environment};
use crate::vfs::Content;
use std::sync::Arc;

/// How a shell is started.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// `$0`
    pub(crate) arg0: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) environment: Environment,
    pub(crate) cwd: Text,
    pub(crate) descriptors: DescriptorTable,
    /// Runs a command string.
    pub(crate) command_string: bool,
    /// The script's path, for `BASH_SOURCE`; empty for a command string.
    pub(crate) script: Text,
    pub(crate) posix: bool,
    pub(crate) parent_pid: u32,
    pub(crate) umask: Option<u32>,
    /// Variables of a shell with the session's environment: `environment` comes on top.
    pub(crate) template: Option<Arc<Template>>,
}

/// The variables of a new shell, made once for a session whose runs start with the same environment.
#[derive(Debug)]
pub(crate) struct Template {
    variables: Variables,
    pool: Arc<Pool>,
    state: State,
    ifs: Value,
    environment: Arc<Environment>,
}

impl Template {
    /// The variables that `process` starts with. `None`: its environment changes more than variables.
    pub(crate) fn of(process: &mut Process, run: &mut Run, environment: &Environment) -> Option<Arc<Self>> {
        let plain = environment.iter().all(|(name, _)| {
            !matches!(name.as_bytes(), b"POSIXLY_CORRECT" | b"SHELLOPTS" | b"BASHOPTS")
                && !name.starts_with(b"BASH_FUNC_")
        });
        plain.then(|| {
            let environment = process.environment(run);
            Arc::new(Self {
                variables: process.shell.variables.fork(),
                pool: Arc::default(),
                state: State { descriptors: DescriptorTable::default(), ..process.shell.state.clone() },
                ifs: process.ifs.clone(),
                environment,
            })
        })
    }
}

struct ShellAliases<'a>(&'a HashMap<Text, Text>);

impl Aliases for ShellAliases<'_> {
    fn alias(&self, name: &[u8]) -> Option<Text> {
        self.0.get(name).cloned()
    }
}

impl Process {
    /// A new shell that has nothing to run yet.
    pub(crate) fn new_shell(run: &mut Run, pid: u32, start: Start) -> Step<Box<Self>> {
        let services = &run.services;
        let charge = services.meter.count_process()?;
        let (program, link) = services.cache.empty_program(&services.names);
        let (mut state, variables, ifs) = match &start.template {
            Some(template) => {
                (template.state.clone(), template.pool.take(&template.variables), template.ifs.clone())
            }
            None => (State::new(), Variables::new(Arc::clone(&services.names)), Value::Unset),
        };
        if start.posix {
            state.options.set(ShellOption::Posix, true);
            state.options.set(ShellOption::ExpandAliases, true);
        }
        if !start.args.is_empty() {
            state.positional = Positional::new(start.args);
        }
        state.arg0 = start.arg0.clone();
        state.report_name = start.arg0;
        state.descriptors = start.descriptors;
        state.cwd = start.cwd;
        state.umask = start.umask.unwrap_or(0o022);
        (state.shell_pid, state.pid, state.parent_pid) = (pid, pid, start.parent_pid);
        state.command_string = start.command_string;
        state.random = (services.session.random.next_u64() as u32) | 1;
        state.started = services.meter.started();
        state.source_name = start.script.clone();
        let mut process = Box::new(Self {
            shell: Shell { variables, state },
            code: Code { program, link, pc: 0, shift: 0 },
            frames: Vec::new(),
            x: Expansion::default(),
            wait: Wait::Nothing,
            unwritten: VecDeque::new(),
            signals: VecDeque::new(),
            switched: false,
            depth: 0,
            in_trap: 0,
            references: 0,
            killed_by: None,
            child_killed: None,
            traps_running: 0,
            debug_stage: 0,
            trap_command: None,
            charge,
            is_forked: false,
            exiting: false,
            exit_after_trap: None,
            out: Vec::new(),
            arithmetic_prefix: None,
            arithmetic_context: crate::program::ArithmeticContext::Plain,
            arithmetic_failed: false,
            debug_done: false,
            write_failed: false,
            ifs,
            seconds_offset: 0,
            main_script: start.script,
            trace_base: 0,
            select_line: None,
            outputs: Vec::new(),
            coprocess: None,
            input: None,
        });
        match start.template {
            Some(template) => process.install_over(run, &template, start.environment)?,
            None => {
                process.install_special();
                process.install_variables(run, &start.environment)?;
            }
        }
        Ok(process)
    }

    /// Variables of the environment over those of a template.
    fn install_over(&mut self, run: &mut Run, template: &Template, mut environment: Environment) -> Step {
        let exports = self.shell.variables.exports;
        self.shell.state.environment = Some((exports, Arc::clone(&template.environment)));
        if !self.shell.variables.put_environment(&mut environment) {
            self.import_environment(run, &environment)?;
        }
        let cwd = self.shell.state.cwd.clone();
        let pwd = self.shell.variables.slot_mut(name::PWD);
        if pwd.value != Value::Text(cwd.clone()) {
            pwd.value = Value::Text(cwd);
            self.shell.variables.exports += 1;
        }
        self.refresh_special();
        self.start_locale();
        Ok(())
    }

    /// Variables of a new shell: the environment, then what bash sets itself.
    fn install_variables(&mut self, run: &mut Run, environment: &Environment) -> Step {
        let set = |process: &mut Self, id: u32, value: Text| {
            process.shell.variables.slot_mut(id).value = Value::Text(value);
        };
        set(self, name::IFS, Text::from_static(b" \t\n"));
        set(self, name::PS4, Text::from_static(b"+ "));
        self.shell.variables.slot_mut(name::OPTIND).value = Value::Integer(1);
        set(self, name::OPTERR, Text::from_static(b"1"));
        set(self, name::BASH_VERSION, Text::from_static(b"5.2.15(1)-release"));
        set(self, name::HOSTTYPE, Text::from_static(b"x86_64"));
        set(self, name::MACHTYPE, Text::from_static(b"x86_64-pc-linux-gnu"));
        set(self, name::OSTYPE, Text::from_static(b"linux-gnu"));
        set(self, name::BASH, Text::from_static(b"/bin/bash"));
        let identity = &run.services.session.identity;
        set(self, name::HOSTNAME, identity.host.clone());
        let uid = i64::from(identity.uid);
        for id in [name::UID, name::EUID] {
            let slot = self.shell.variables.slot_mut(id);
            slot.value = Value::Integer(uid);
            slot.attributes.insert(Attributes(Attributes::READONLY.0 | Attributes::INTEGER.0));
        }
        let slot = self.shell.variables.slot_mut(name::PPID);
        slot.value = Value::Integer(i64::from(self.shell.state.parent_pid));
        slot.attributes.insert(Attributes(Attributes::READONLY.0 | Attributes::INTEGER.0));
        self.shell.variables.slot_mut(name::BASH_VERSINFO).value = Value::Array(versinfo());
        self.shell.variables.slot_mut(name::BASH_VERSINFO).attributes.insert(Attributes::READONLY);
        self.import_environment(run, environment)?;
        let exported = |process: &mut Self, id: u32, value: Text| {
            let slot = process.shell.variables.slot_mut(id);
            slot.value = Value::Text(value);
            slot.attributes.insert(Attributes::EXPORTED);
        };
        let cwd = self.shell.state.cwd.clone();
        exported(self, name::PWD, cwd);
        let level =
            environment.get(b"SHLVL").and_then(|text| super::variable::plain_integer(text)).unwrap_or(0);
        let level = if self.shell.state.parent_pid == 0 { 0.max(level) } else { level + 1 };
        exported(self, name::SHLVL, decimal(level.max(i64::from(self.shell.state.parent_pid != 0))));
        let old = self.shell.variables.slot_mut(name::OLDPWD);
        if old.value == Value::Unset {
            old.attributes.insert(Attributes::EXPORTED);
        }
        let shell = run.services.names.intern(b"SHELL");
        if self.shell.variables.slot(shell).value == Value::Unset {
            set(self, shell, Text::from_static(b"/bin/bash"));
        }
        if self.shell.variables.slot(name::PATH).value == Value::Unset {
            let path = Text::from_static(b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
            self.shell.variables.slot_mut(name::PATH).value = Value::Text(path);
        }
        self.shell.variables.exports += 1;
        self.refresh_special();
        self.start_locale();
        Ok(())
    }

    /// Without `PWD` in its environment a shell knows its directory by the path without links only.
    fn take_physical_directory(&mut self, run: &mut Run) {
        let Ok(path) = run.services.session.fs.canonicalize(&self.shell.state.cwd) else { return };
        let path = Text::from(path);
        self.set_plain(name::PWD, Value::Text(path.clone()));
        self.shell.state.cwd = path;
        self.shell.variables.exports += 1;
    }

    /// What only an interactive shell has.
    fn install_interactive(&mut self, run: &mut Run) {
        self.shell.state.interactive = true;
        for option in [ShellOption::ExpandAliases, ShellOption::History, ShellOption::Emacs] {
            self.shell.state.options.set(option, true);
        }
        let home = self.scalar(run, name::HOME).unwrap_or_default();
        let file = Text::from([home.as_bytes(), b"/.bash_history"].concat_metered());
        for (id, value) in [
            (name::PS1, Text::from_static(b"\\s-\\v\\$ ")),
            (name::PS2, Text::from_static(b"> ")),
            (name::HISTFILE, file),
        ] {
            let slot = self.shell.variables.slot_mut(id);
            if slot.value == Value::Unset {
                slot.value = Value::Text(value);
            }
        }
    }

    /// Variables, functions and options that an environment brings.
    fn import_environment(&mut self, run: &mut Run, environment: &Environment) -> Step {
        let numbers = run.services.names.of_environment(environment);
        for ((key, value), number) in environment.iter().zip(numbers) {
            let Some(id) = number else {
                if !key.starts_with(b"BASH_FUNC_") {
                    Arc::make_mut(&mut self.shell.state.foreign).push((key.clone(), value.clone()));
                }
                self.import_function(run, key, value)?;
                continue;
            };
            if id == name::SHELLOPTS || id == name::BASHOPTS {
                self.import_options(key, value);
                self.shell.variables.slot_mut(id).attributes.insert(Attributes::EXPORTED);
            }
            let slot = self.shell.variables.slot_mut(id);
            if matches!(slot.value, Value::Dynamic)
                || slot.attributes.has(Attributes::READONLY)
                || id == name::IFS
            {
                continue;
            }
            slot.value = Value::Text(value.clone());
            slot.attributes.insert(Attributes::EXPORTED);
            self.shell.variables.exports += 1;
            if id == name::POSIXLY_CORRECT {
                self.shell.state.options.set(ShellOption::Posix, true);
            }
        }
        Ok(())
    }

    /// Options that were exported with `SHELLOPTS` or `BASHOPTS`.
    fn import_options(&mut self, key: &[u8], value: &[u8]) {
        for name in value.split(|&byte| byte == b':') {
            if let Some(option) = option::find(name, key == b"SHELLOPTS") {
                self.shell.state.options.set(option, true);
            }
        }
    }

    /// Compiles a source with the options in force; `fresh` programs of a whole script come from the session's cache.
    pub(crate) fn compile(
        &mut self,
        run: &mut Run,
        source: Arc<[u8]>,
        from: (usize, u32),
        cached: bool,
    ) -> Step<Arc<Program>> {
        let limits = run.services.meter.limits();
        if source.len() as u64 > limits.script_bytes {
            return Err(run.services.meter.fail(crate::limit::Limit::ScriptBytes).into());
        }
        let options = self.compile_options(limits.syntax_depth);
        let cacheable = cached && from.0 == 0 && self.shell.state.aliases.is_empty() && !options.stepwise;
        if cacheable && let Some(program) = run.services.cache.get(&source, &options) {
            return Ok(program);
        }
        let aliases = ShellAliases(&self.shell.state.aliases);
        // A shell that runs nothing only wants to know of errors; who runs the text later needs all of it.
        let skims = self.shell.state.options.has(ShellOption::NoExec)
            && !options.stepwise
            && crate::syntax::is_well_formed(source.get(from.0..).unwrap_or(&[]), &options.parse);
        let from = if skims { (source.len(), from.1) } else { from };
        let measured = Measured::start();
        let program = Arc::new(compile_source(&source, from, &options, &aliases, &run.services.meter)?);
        let bytes = measured.bytes().saturating_add(source.len());
        run.services.meter.check()?;
        if self.shell.state.options.has(ShellOption::Verbose) {
            let end = program.rest.map_or(source.len(), |(offset, _)| offset);
            let text = source.get(from.0..end).unwrap_or(&[]).to_metered();
            self.write_error(&text);
            if text.last().is_some_and(|byte| *byte != b'\n') {
                self.write_error(b"\n");
            }
        }
        if cacheable && !skims {
            run.services.cache.put(&options, &program, bytes);
        }
        Ok(program)
    }

    fn compile_options(&self, depth: u64) -> CompileOptions {
        let options = self.shell.state.options;
        CompileOptions {
            parse: ParseOptions {
                extglob: options.has(ShellOption::ExtGlob),
                posix: options.has(ShellOption::Posix),
                expand_aliases: options.has(ShellOption::ExpandAliases) || options.has(ShellOption::Posix),
                depth: u32::try_from(depth).unwrap_or(200).min(200),
                interactive_comments: true,
                defers: true,
            },
            incremental: true,
            stepwise: options.has(ShellOption::Verbose)
                || (options.has(ShellOption::History) || options.has(ShellOption::OneCmd))
                    && self.is_main_level(),
        }
    }

    /// Starts a program in this process.
    pub(crate) fn start_program(&mut self, run: &mut Run, program: &Arc<Program>) {
        let link = run.services.cache.link_for(program, &run.services.names, self.frames.is_empty());
        for (line, warning) in &program.warnings {
            let name = self.shell.state.report_name.clone();
            self.write_error(format!("{name}: line {line}: {warning}\n").as_bytes());
        }
        let pc = if self.shell.state.options.has(ShellOption::NoExec) { program.last_error() } else { 0 };
        self.switch(Code { program: Arc::clone(program), link, pc, shift: 0 });
    }

    /// Compiles the first command of a source.
    pub(crate) fn compile_one(&mut self, run: &mut Run, source: &Arc<[u8]>, line: u32) -> Step<Arc<Program>> {
        let mut options = self.compile_options(run.services.meter.limits().syntax_depth);
        options.stepwise = true;
        let aliases = ShellAliases(&self.shell.state.aliases);
        let program = Arc::new(compile_source(source, (0, line), &options, &aliases, &run.services.meter)?);
        run.services.meter.check()?;
        Ok(program)
    }

    /// The next part of a source whose commands may change how it is parsed.
    pub(crate) fn parse_more(&mut self, run: &mut Run, program: &Arc<Program>) -> Step {
        let Some(rest) = program.rest else { return Ok(()) };
        let main = self.is_main_level();
        let one_command =
            self.shell.state.options.has(ShellOption::OneCmd) && !self.shell.state.command_string;
        if main && (self.input.is_some() || one_command) {
            // The end of the program follows.
            return Ok(());
        }
        let next = self.compile(run, Arc::clone(&program.source), rest, false)?;
        if main && self.shell.state.options.has(ShellOption::History) {
            let end = next.rest.map_or(program.source.len(), |(offset, _)| offset);
            let text = program.source.get(rest.0..end).unwrap_or(&[]).to_metered();
            self.record_command(run, &text)?;
        }
        let shift = self.code.shift;
        self.start_program(run, &next);
        self.code.shift = shift;
        Ok(())
    }

    /// Runs a text in this shell: `eval`, `source`, a trap. The invocation's redirections and assignments last until it is
    /// over.
    pub(crate) fn start_text(
        &mut self,
        run: &mut Run,
        invocation: &mut Invocation,
        source: Arc<[u8]>,
        kind: ScriptKind,
        file: Option<(Text, Option<Vec<Text>>)>,
    ) -> Step<Flow> {
        let line = self.line();
        let first_line = if kind == ScriptKind::Eval { line } else { 1 };
        let program = self.compile(run, source, (0, first_line), false)?;
        self.enter(run)?;
        self.push_command_frame(invocation);
        let resume = self.code.clone();
        let state = &mut self.shell.state;
        let mut frame = ScriptFrame {
            kind,
            resume,
            positional: None,
            source: state.source_name.clone(),
            calls: state.calls.clone(),
            status: state.status,
            conditions: state.conditions,
            pipe_status: Arc::clone(&state.pipe_status),
            expansion: None,
            debug_done: false,
        };
        if let Some((path, args)) = file {
            let call = Call {
                name: Text::from_static(b"source"),
                source: path.clone(),
                line,
                args: None,
                functions: state.calls.as_ref().map_or(0, |call| call.functions),
                parent: state.calls.clone(),
            };
            state.calls = Some(Arc::new(call));
            state.source_name = path;
            if let Some(args) = args {
                let own = Positional::new(args);
                frame.positional = Some((std::mem::replace(&mut state.positional, own.clone()), own));
            }
        }
        if program.code.len() <= 1 {
            // There is no command in it.
            state.status = 0;
        }
        self.frames.push(Frame::Script(Box::new(frame)));
        self.start_program(run, &program);
        Ok(Flow::Switched)
    }

    /// Runs a text for a builtin, which is run again behind it.
    pub(crate) fn start_callback(
        &mut self,
        run: &mut Run,
        caller: Invocation,
        source: Arc<[u8]>,
    ) -> Step<Flow> {
        let mut callback = Invocation::empty(caller.builtin);
        self.frames.push(Frame::Builtin(Box::new(caller)));
        self.start_text(run, &mut callback, source, ScriptKind::Eval, None)
    }

    /// Moves an invocation's redirections and temporary assignments to a frame.
    pub(crate) fn push_command_frame(&mut self, invocation: &mut Invocation) {
        let redirections = std::mem::take(&mut invocation.redirections);
        let temporary = invocation.temporary.take();
        if !redirections.is_empty() || temporary.is_some() {
            self.frames.push(Frame::Command(Box::new(CommandFrame { redirections, temporary })));
        }
    }

    /// Runs the shell's own script: what a run is started with.
    pub(crate) fn start_main(
        &mut self,
        run: &mut Run,
        source: Arc<[u8]>,
        program: Option<Arc<Program>>,
    ) -> Step {
        if self.shell.state.command_string {
            let text = Value::Text(Text::from(&*source));
            self.shell.variables.slot_mut(name::BASH_EXECUTION_STRING).value = text;
        }
        let program = match program {
            Some(program) => program,
            None => self.compile(run, source, (0, 1), true)?,
        };
        self.start_program(run, &program);
        Ok(())
    }

    /// A script by its path: a new shell with the environment of the command.
    pub(crate) fn start_script_file(
        &mut self,
        run: &mut Run,
        path: Text,
        args: Vec<Text>,
        environment: Arc<Environment>,
        posix: bool,
        options: &[Text],
        script: Content,
    ) -> Step {
        let mut flags = options.to_metered();
        flags.push(path);
        flags.extend(args);
        self.start_shell_with(run, Text::from_static(b"bash"), flags, environment, posix, Some(script))
    }

    /// `bash ARGS` and `sh ARGS`.
    pub(crate) fn start_shell(
        &mut self,
        run: &mut Run,
        name: Text,
        args: Vec<Text>,
        environment: Arc<Environment>,
        posix: bool,
    ) -> Step {
        self.start_shell_with(run, name, args, environment, posix, None)
    }

    fn start_shell_with(
        &mut self,
        run: &mut Run,
        name: Text,
        args: Vec<Text>,
        environment: Arc<Environment>,
        posix: bool,
        script: Option<Content>,
    ) -> Step {
        let pid = run.new_pid();
        let request = ShellRequest {
            name,
            args,
            environment: environment.as_ref().clone(),
            posix,
            script,
            cwd: self.shell.state.cwd.clone(),
            descriptors: self.shell.state.descriptors.clone(),
            parent_pid: self.shell.state.pid,
            umask: self.shell.state.umask,
        };
        match shell_process(run, pid, request)? {
            Ok(mut process) => {
                process.trace_base = 0;
                process.shell.state.resource_limits = Arc::clone(&self.shell.state.resource_limits);
                process.shell.state.traps = Arc::new(self.shell.state.traps.for_command());
                let parent = self.process_pid();
                run.spawn(parent, process);
                self.wait = Wait::Children { pids: vec![pid], statuses: vec![None] };
            }
            Err((message, status)) => {
                match self.shell.state.descriptors.get(1).cloned().filter(|_| status == 0) {
                    Some(output) => self.write_now(output, message.as_bytes()),
                    None => self.write_error(message.as_bytes()),
                }
                self.finish_simple(run, status);
            }
        }
        Ok(())
    }

    /// A process for a command that a utility asked for.
    pub(crate) fn for_request(
        run: &mut Run,
        request: CommandRequest,
        descriptors: DescriptorHandles,
    ) -> Result<Box<Self>, CommandError> {
        let limit = |halt| match halt {
            super::process::Halt::Limit(error) => CommandError::Limit(error),
            _ => CommandError::NotFound,
        };
        let pid = run.new_pid();
        let mut table = descriptors.0;
        if let Some(stdin) = request.stdin {
            let _ = table.replace(0, Some(stdin));
        }
        if let Some(stdout) = request.stdout {
            let _ = table.replace(1, Some(stdout));
        }
        let start = Start {
            arg0: Text::from_static(b"bash"),
            environment: request.environment.as_ref().clone(),
            cwd: request.cwd,
            descriptors: table,
            parent_pid: 1,
            ..Start::default()
        };
        let mut process = Self::new_shell(run, pid, start).map_err(limit)?;
        let Some(name) = request.argv.first() else { return Err(CommandError::NotFound) };
        match process.search(run, name) {
            super::command::Found::Path(_) => {}
            super::command::Found::Missing => return Err(CommandError::NotFound),
            super::command::Found::NotExecutable(..) => return Err(CommandError::NotExecutable),
        }
        process.x.fields = request.argv;
        // No shell stands between: nothing that one sets is there.
        process.shell.state.environment = Some((process.shell.variables.exports, request.environment));
        process.code.program = Arc::new(Program {
            code: vec![crate::program::Op::ExecuteExternal, crate::program::Op::End],
            lines: vec![0, 0],
            ..Program::default()
        });
        Ok(process)
    }

    /// The number under which the scheduler knows this process.
    pub(crate) fn process_pid(&self) -> u32 {
        let outermost = self.frames.iter().find_map(|frame| match frame {
            Frame::Subshell(frame) => Some(frame.state.pid),
            _ => None,
        });
        outermost.unwrap_or(self.shell.state.pid)
    }
}

/// The program of a script as text, under the options of a new shell.
pub(crate) fn dump(script: &[u8]) -> String {
    let options = CompileOptions { parse: ParseOptions::default(), incremental: false, stepwise: false };
    let meter = Meter::new(Limits::interactive(), Arc::new(Clock::system()));
    match compile_source(&Arc::from(script), (0, 1), &options, &crate::syntax::NoAliases, &meter) {
        Ok(program) => program.to_metered_string(),
        Err(error) => format!("{error}\n"),
    }
}

/// A shell that is to be started.
pub(crate) struct ShellRequest {
    pub(crate) name: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) environment: Environment,
    pub(crate) posix: bool,
    /// The content of the script, when it was read already.
    pub(crate) script: Option<Content>,
    pub(crate) cwd: Text,
    pub(crate) descriptors: DescriptorTable,
    pub(crate) parent_pid: u32,
    pub(crate) umask: u32,
}

/// Options of an invocation of the shell. Bash manual 6.1.
#[derive(Debug, Default)]
struct Flags {
    command: bool,
    stdin: bool,
    interactive: bool,
    login: bool,
    no_rc: bool,
    no_profile: bool,
    rc_file: Option<Text>,
    set: Vec<(ShellOption, bool)>,
}

/// Makes the process of `bash ARGS`. `Err`: what to print, and the status.
pub(crate) fn shell_process(
    run: &mut Run,
    pid: u32,
    request: ShellRequest,
) -> Step<Result<Box<Process>, (String, u8)>> {
    let mut flags = Flags { login: request.name.starts_with(b"-"), ..Flags::default() };
    let mut args = VecDeque::from(request.args);
    if let Err(refusal) = take_flags(&mut flags, &mut args, &request.name) {
        return Ok(Err(refusal));
    }
    let mut script = None;
    // A script that is no regular file: it is read through a descriptor.
    let mut descriptor = None;
    let (arg0, path);
    if flags.command {
        let Some(text) = args.pop_front() else {
            return Ok(Err((format!("{}: -c: option requires an argument\n", request.name), 2)));
        };
        script = Some(Arc::<[u8]>::from(text.as_bytes()));
        arg0 = args.pop_front().unwrap_or_else(|| request.name.clone());
        path = Text::EMPTY;
    } else if let (false, Some(file)) = (flags.stdin, args.front()) {
        path = file.clone();
        arg0 = path.clone();
        args.pop_front();
        let content = match request.script {
            Some(content) => content,
            None => {
                let absolute = crate::vfs::path::join(&request.cwd, &path);
                match run.services.session.fs.read(&absolute) {
                    Ok(content) => content,
                    Err(crate::vfs::FsError::Limit(limit)) => return Err(limit.into()),
                    Err(crate::vfs::FsError::Errno(crate::vfs::Errno::IsDirectory)) => {
                        return Ok(Err((format!("{path}: {path}: Is a directory\n"), 126)));
                    }
                    Err(crate::vfs::FsError::Errno(errno)) => {
                        if let Some(description) = stream(run, &absolute, &request.descriptors) {
                            descriptor = Some(description);
                            Content::EMPTY
                        } else {
                            let status = if errno == crate::vfs::Errno::NotFound { 127 } else { 126 };
                            let message = format!("{}: {path}: {}\n", request.name, errno.message());
                            return Ok(Err((message, status)));
                        }
                    }
                }
            }
        };
        let bytes = content.as_bytes();
        let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
        if memchr::memchr(0, line.get(..line.len().min(80)).unwrap_or(line)).is_some() {
            return Ok(Err((format!("{path}: {path}: cannot execute binary file\n"), 126)));
        }
        if descriptor.is_none() && memchr::memchr(0, bytes).is_some() {
            let kept: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
            script = Some(Arc::from(kept));
        } else if descriptor.is_none() {
            script = Some(Arc::from(bytes));
        }
    } else {
        arg0 = request.name.clone();
        path = Text::EMPTY;
    }
    let start = Start {
        arg0,
        args: args.into(),
        environment: request.environment,
        cwd: request.cwd,
        descriptors: request.descriptors,
        command_string: flags.command,
        script: path,
        posix: request.posix,
        parent_pid: request.parent_pid,
        umask: Some(request.umask),
        template: None,
    };
    let inherits_directory = start.environment.get(b"PWD").is_some();
    let mut process = Process::new_shell(run, pid, start)?;
    if !inherits_directory {
        process.take_physical_directory(run);
    }
    if flags.interactive {
        process.install_interactive(run);
    }
    for (option, on) in std::mem::take(&mut flags.set) {
        process.shell.state.options.set(option, on);
    }
    process.shell.state.options.set(ShellOption::LoginShell, flags.login);
    let startup = process.startup_files(run, &flags);
    match script {
        Some(script) => process.start_main(run, script, None)?,
        None => {
            if let Some(description) = descriptor {
                let _ = process.shell.state.descriptors.replace(SCRIPT_DESCRIPTOR, Some(description));
            }
            process.code.program = Arc::new(Program {
                code: vec![crate::program::Op::RunStandardInput, crate::program::Op::End],
                lines: vec![0, 0],
                ..Program::default()
            });
            if process.shell.state.interactive && process.shell.state.options.has(ShellOption::History) {
                process.load_history(run);
            }
        }
    }
    for path in startup.into_iter().rev() {
        process.start_startup_file(run, &path)?;
    }
    Ok(Ok(process))
}

impl Process {
    /// The files that the shell reads before its script, in order. Bash manual 6.2.
    fn startup_files(&mut self, run: &mut Run, flags: &Flags) -> Vec<Text> {
        let posix = self.shell.state.options.has(ShellOption::Posix);
        let home = self.scalar(run, name::HOME).unwrap_or_default();
        let in_home = |file: &str| Text::from([home.as_bytes(), b"/", file.as_bytes()].concat_metered());
        let mut files = Vec::new();
        if flags.login && !flags.no_profile {
            files.push(Text::from_static(b"/etc/profile"));
            let own = [".bash_profile", ".bash_login", ".profile"].map(in_home);
            let fs = &run.services.session.fs;
            files.extend(own.into_iter().find(|path| fs.access(path, true, false, false).is_ok()));
        } else if flags.interactive && !posix && !flags.no_rc {
            files.push(flags.rc_file.clone().unwrap_or_else(|| in_home(".bashrc")));
        }
        let variable = match (flags.interactive, posix) {
            (false, false) => Some(name::BASH_ENV),
            (true, true) => Some(run.services.names.intern(b"ENV")),
            _ => None,
        };
        if let Some(path) = variable.and_then(|id| self.scalar(run, id)).filter(|path| !path.is_empty()) {
            files.push(self.expand_parameters(run, &path));
        }
        files
    }

    /// Runs a file before the script; one that can not be read is left out.
    fn start_startup_file(&mut self, run: &mut Run, path: &Text) -> Step {
        let absolute = crate::vfs::path::join(&self.shell.state.cwd, path);
        match run.services.session.fs.read(&absolute) {
            Ok(content) => {
                let mut invocation = Invocation::empty(&super::builtin::SOURCE);
                let script: Arc<[u8]> = Arc::from(content.as_bytes());
                self.start_text(
                    run,
                    &mut invocation,
                    script,
                    ScriptKind::Source,
                    Some((path.clone(), None)),
                )?;
                Ok(())
            }
            Err(crate::vfs::FsError::Limit(limit)) => Err(limit.into()),
            Err(_) => Ok(()),
        }
    }
}

/// Where bash keeps the script that it reads.
pub(crate) const SCRIPT_DESCRIPTOR: u32 = 255;

/// A FIFO, a device or a descriptor of the caller (`/dev/fd/63`) that a script can be read from.
fn stream(run: &Run, path: &[u8], descriptors: &DescriptorTable) -> Option<Arc<crate::io::Description>> {
    let session = &run.services.session;
    let options = crate::vfs::OpenOptions { read: true, ..crate::vfs::OpenOptions::default() };
    let opened =
        crate::io::Description::open(&session.fs, &session.fifos, &session.random, path, &options).ok()?;
    match opened {
        crate::io::OpenedPath::Description(description) => Some(description),
        crate::io::OpenedPath::Descriptor(number) => descriptors.get(number).cloned(),
    }
}

/// Reads the options. `Err`: what to print, and the status.
fn take_flags(flags: &mut Flags, args: &mut VecDeque<Text>, name: &Text) -> Result<(), (String, u8)> {
    while let Some(arg) = args.front().cloned() {
        let on = match arg.as_bytes() {
            b"-" | b"--" => {
                args.pop_front();
                return Ok(());
            }
            [b'-', b'-', long @ ..] => {
                args.pop_front();
                match long {
                    b"posix" => flags.set.push((ShellOption::Posix, true)),
                    b"norc" => flags.no_rc = true,
                    b"noprofile" => flags.no_profile = true,
                    b"login" => flags.login = true,
                    b"verbose" => flags.set.push((ShellOption::Verbose, true)),
                    b"noediting" => flags.set.push((ShellOption::Emacs, false)),
                    b"restricted" => {}
                    b"version" => return Err((VERSION.to_metered(), 0)),
                    b"help" => return Err((help(), 0)),
                    b"rcfile" | b"init-file" => match args.pop_front() {
                        Some(file) => flags.rc_file = Some(file),
                        None => return Err((format!("{name}: {arg}: option requires an argument\n"), 2)),
                    },
                    _ => return Err((format!("{name}: {arg}: invalid option\n"), 2)),
                }
                continue;
            }
            [b'-', ..] => true,
            [b'+', ..] => false,
            _ => return Ok(()),
        };
        args.pop_front();
        for &letter in arg.iter().skip(1) {
            match letter {
                b'c' => flags.command = true,
                b's' => flags.stdin = true,
                b'i' => flags.interactive = true,
                b'l' => flags.login = true,
                b'r' | b'D' => {}
                b'o' | b'O' => {
                    let Some(option) = args.pop_front() else { continue };
                    match option::find(&option, letter == b'o') {
                        Some(found) => flags.set.push((found, on)),
                        None => return Err((format!("{name}: {option}: invalid option name\n"), 2)),
                    }
                }
                letter => match option::find_letter(letter) {
                    Some(found) => flags.set.push((found, on)),
                    None => return Err((format!("{name}: -{}: invalid option\n", char::from(letter)), 2)),
                },
            }
        }
    }
    Ok(())
}

/// What `bash --version` says first.
const VERSION: &str = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n";

/// What `bash --help` says.
fn help() -> String {
    let mut text = format!("{VERSION}Usage:\tbash [options] script-file [argument ...]\n");
    text.push_str("\tbash [options] -c command [name [argument ...]]\n\tbash [options] -s [argument ...]\n");
    text.push_str(
        "Options:\n\t--help, --version, --login, --noediting, --noprofile, --norc, --posix, --verbose\n",
    );
    text.push_str(
        "\t--rcfile file, --init-file file\n\t-i, -l, -c command, -s, -O shopt_option, -o option\n\t-",
    );
    text.extend(OPTIONS.iter().filter(|row| row.2 != 0).map(|row| char::from(row.2)));
    text.push('\n');
    text
}

/// Whether a name is that of a list of options.
fn versinfo() -> Arc<super::array::Array> {
    let parts = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];
    Arc::new(parts.iter().map(|part| Text::from(*part)).collect())
}
