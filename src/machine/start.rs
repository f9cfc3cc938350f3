//! Starting shells: the first of a run, `bash` and `sh` as commands, scripts by path, `eval` and `source`.

use super::builtin;
use super::builtin::invocation::Invocation;
use super::builtin::row::Flow;
use super::control::Control;
use super::environment::Template;
use super::expansion::Expansion;
use super::flags::{Flags, ShellRequest, shell_process};
use super::frame::{CommandFrame, Frame, ScriptFrame, ScriptKind};
use super::halt::Step;
use super::link::Code;
use super::name;
use super::option::ShellOption::{self, Emacs, ExpandAliases, HistExpand, History};
use super::pool::Pool;
use super::process::Process;
use super::run::Run;
use super::shell::{Call, Positional, Shell, State};
use super::variable::{Attributes, Value, Variables};
use super::wait::{After, Compiling, Wait};
use crate::io::DescriptorTable;
use crate::limit::{Limit, dispose, live_bytes};
use crate::memory::{Arc, Box, Bytes, JoinMetered, Vec, vec};
use crate::text::Text;
use crate::utility::Environment;
use crate::vfs::Content;

/// How a shell is started.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// `$0`
    pub(crate) arg0: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) environment: Environment,
    pub(crate) cwd: Text,
    /// The directory itself, where a shell that is in it starts this one.
    pub(crate) place: Option<crate::vfs::Place>,
    pub(crate) descriptors: DescriptorTable,
    /// Runs a command string.
    pub(crate) command_string: bool,
    /// The script's path, for `BASH_SOURCE`; empty for a command string.
    pub(crate) script: Text,
    pub(crate) posix: bool,
    pub(crate) parent_pid: u32,
    /// Its process group; `None`: one of its own.
    pub(crate) group: Option<u32>,
    pub(crate) umask: Option<u32>,
    /// Variables of a shell with the session's environment: `environment` comes on top.
    pub(crate) template: Option<Arc<Template>>,
}

impl Shell {
    /// What only an interactive shell has.
    pub(crate) fn install_interactive(&mut self, run: &mut Run) {
        self.state.invoked.interactive = true;
        for option in [ExpandAliases, HistExpand, History, Emacs] {
            self.state.options.set(option, true);
        }
        let home = self.scalar(run, name::HOME).unwrap_or_default();
        let file = Text::from([home.as_bytes(), b"/.bash_history"].concat_metered());
        for (id, value) in [
            (name::PS1, Text::from_static(b"\\s-\\v\\$ ")),
            (name::PS2, Text::from_static(b"> ")),
            (name::HISTFILE, file),
        ] {
            let slot = self.variables.slot_mut(id);
            if slot.value == Value::Unset {
                slot.value = Value::Text(value);
            }
        }
    }
}

impl Control {
    /// Runs a text in this shell: `eval`, `source`, a trap. The invocation's redirections and assignments last until it is
    /// over.
    pub(crate) fn start_text(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        invocation: &mut Invocation,
        source: &Bytes,
        kind: ScriptKind,
        file: Option<(Text, Option<Vec<Text>>)>,
    ) -> Step<Flow> {
        let line = shell.line();
        let first_line = if kind == ScriptKind::Eval { line } else { 1 };
        let text = Compiling { source: source.clone(), from: (0, first_line), after: After::Text };
        let program = self.compile_for(shell, run, text)?;
        self.enter(run)?;
        self.push_command_frame(invocation);
        let resume = shell.code.clone();
        let state = &mut shell.state;
        let mut frame = ScriptFrame {
            kind,
            resume,
            positional: None,
            source: state.calls.source.clone(),
            calls: state.calls.innermost.clone(),
            status: state.status,
            conditions: state.conditions,
            pipe_status: Arc::clone(&state.pipe_status),
            expansion: None,
            debug_done: false,
            last_argument: Some(state.last_argument.clone()),
            debug_trap: None,
        };
        if kind == ScriptKind::Source
            && state.traps.debug.is_some()
            && !state.options.has(ShellOption::FuncTrace)
        {
            frame.debug_trap = Arc::make_mut(&mut state.traps).debug.take();
        }
        if let Some((path, args)) = file {
            let call = Call {
                name: Text::from_static(b"source"),
                source: path.clone(),
                line,
                args: match &args {
                    None => Some(Positional::new(vec![path.clone()])),
                    Some(args) if state.options.has(ShellOption::ExtDebug) => {
                        Some(Positional::new(args.clone()))
                    }
                    Some(_) => None,
                },
                functions: state.calls.innermost.as_ref().map_or(0, |call| call.functions),
                parent: state.calls.innermost.clone(),
            };
            state.calls.innermost = Some(Arc::new(call));
            state.calls.source = path;
            if let Some(args) = args {
                let own = Positional::new(args);
                frame.positional = Some((std::mem::replace(&mut state.positional, own.clone()), own));
            }
        }
        self.frames.push(Frame::Script(Box::new(frame)));
        self.run_compiled(shell, run, program);
        Ok(Flow::Switched)
    }

    /// Runs a text for a builtin, which is run again after it.
    pub(crate) fn start_callback(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        caller: Invocation,
        source: &Bytes,
    ) -> Step<Flow> {
        let mut callback = Invocation::new(caller.builtin, Vec::new());
        self.frames.push(Frame::Builtin(Box::new(caller)));
        self.start_text(shell, run, &mut callback, source, ScriptKind::Eval, None)
    }

    /// Moves an invocation's redirections and temporary assignments to a frame.
    pub(crate) fn push_command_frame(&mut self, invocation: &mut Invocation) {
        let redirections = invocation.take_redirections();
        let temporary = invocation.take_temporary();
        if !redirections.is_empty() || temporary.is_some() {
            self.frames.push(Frame::Command(Box::new(CommandFrame { redirections, temporary })));
        }
    }

    /// Runs the shell's own script: what a run is started with.
    pub(crate) fn start_main(&mut self, shell: &mut Shell, run: &mut Run, source: &Bytes) -> Step {
        if source.len() as u64 > run.services.meter.limits().script_bytes {
            return Err(run.services.meter.fail(Limit::ScriptBytes).into());
        }
        if shell.state.invoked.command_string {
            let text = Value::Text(Text::from(&**source));
            shell.variables.slot_mut(name::BASH_EXECUTION_STRING).value = text;
        }
        let script = Compiling { source: source.clone(), from: (0, 1), after: After::Main };
        let program = self.compile_for(shell, run, script)?;
        self.run_compiled(shell, run, program);
        Ok(())
    }

    /// The number under which the scheduler knows this process.
    pub(crate) fn process_pid(&self, shell: &Shell) -> u32 {
        let outermost = self.frames.iter().find_map(|frame| match frame {
            Frame::Subshell(frame) => Some(frame.state.ids.own),
            _ => None,
        });
        outermost.unwrap_or(shell.state.ids.own)
    }
}

/// A shell that a command starts.
pub(crate) struct ShellCommand {
    /// `$0` of it.
    pub(crate) name: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) environment: Arc<Environment>,
    /// It is `sh`.
    pub(crate) posix: bool,
    /// The script that the arguments name, where it was read.
    pub(crate) script: Option<Content>,
}

impl Process {
    /// A new shell that has nothing to run yet.
    pub(crate) fn new_shell(run: &mut Run, pid: u32, start: Start) -> Step<Box<Self>> {
        let services = &run.services;
        let charge = services.meter.count_process()?;
        let (program, link) = services.cache.empty_program(&services.names);
        let (mut state, variables, ifs) = match &start.template {
            Some(template) => (
                template.state.clone(),
                Pool::take(&template.pool, &template.variables),
                template.ifs.clone(),
            ),
            None => (State::new(), Variables::new(std::sync::Arc::clone(&services.names)), Value::Unset),
        };
        if start.posix {
            state.options.set(ShellOption::Posix, true);
            state.options.set(ShellOption::ExpandAliases, true);
        }
        if !start.args.is_empty() {
            state.positional = Positional::new(start.args);
        }
        state.invoked.arg0 = start.arg0.clone();
        state.invoked.report_name = start.arg0;
        // A command's environment has `_`; without one it is what the shell was called by.
        let called: &'static [u8] = if start.posix { b"sh" } else { b"bash" };
        state.last_argument =
            start.environment.get(b"_").cloned().unwrap_or_else(|| Text::from_static(called));
        state.descriptors = start.descriptors;
        state.enter_directory(&services.session.fs, start.cwd, start.place);
        state.umask = start.umask.unwrap_or(0o022);
        (state.ids.shell, state.ids.own, state.ids.parent) = (pid, pid, start.parent_pid);
        state.ids.group = start.group.unwrap_or(pid);
        state.invoked.command_string = start.command_string;
        state.invoked.args = state.positional.clone();
        state.counters.random = (services.session.random.next_u64() as u32) | 1;
        state.counters.started = services.meter.started();
        state.calls.source = start.script.clone();
        let mut shell = Shell::new(variables, state, Code { program, link, pc: 0, shift: 0 });
        shell.ifs = ifs;
        shell.main_script = start.script;
        let mut process = Self { shell, x: Expansion::default(), control: Control::new(charge) };
        match start.template {
            Some(template) => {
                process.control.install_over(&mut process.shell, run, &template, start.environment)?;
            }
            None => {
                process.shell.variables.install_special();
                process.control.install_variables(&mut process.shell, run, &start.environment)?;
            }
        }
        Ok(Box::new(process))
    }

    /// Runs `bash` or `sh`, or a script by its path, in a process of its own.
    pub(crate) fn start_shell(&mut self, run: &mut Run, command: ShellCommand) -> Step {
        let ShellCommand { name, args, environment, posix, script } = command;
        let ids = self.shell.state.ids;
        let is_replaced =
            self.control.becomes_command && self.control.frames.is_empty() && self.shell.code.is_at_end();
        let pid = if is_replaced { ids.own } else { run.new_pid() };
        let (cwd, place) = self.shell.state.directory_of_child(&run.services.session.fs);
        let mut argv: Vec<Text> = vec![name.clone()];
        argv.extend(args.iter().cloned());
        let request = ShellRequest {
            name,
            args,
            environment: Arc::unwrap_or_clone(environment),
            posix,
            script,
            cwd,
            place,
            descriptors: self.shell.state.descriptors.clone(),
            parent_pid: if is_replaced { ids.parent } else { ids.own },
            group: ids.group,
            umask: self.shell.state.umask,
        };
        match shell_process(run, pid, request)? {
            Ok(mut process) => {
                process.control.argv = Arc::new(argv);
                process.control.trace_base = 0;
                process.shell.state.resource_limits = Arc::clone(&self.shell.state.resource_limits);
                process.shell.state.traps = Arc::new(self.shell.state.traps.for_command());
                if is_replaced {
                    self.control.wait = Wait::Replaced(process);
                    return Ok(());
                }
                let parent = self.control.process_pid(&self.shell);
                run.spawn(parent, process);
                self.control.wait = Wait::Children { pids: vec![pid], statuses: vec![None] };
            }
            Err((message, status)) => {
                match self.shell.state.descriptors.get(1).cloned().filter(|_| status == 0) {
                    Some(output) => self.shell.outputs.write(output, message.as_bytes()),
                    None => self.shell.write_error(message.as_bytes()),
                }
                self.x.finish_simple(&mut self.shell, status);
            }
        }
        Ok(())
    }

    /// Another shell takes the place of this one, under its number. What this one has open is closed.
    pub(crate) fn become_process(&mut self, run: &Run, process: Self) {
        let mut old = std::mem::replace(self, process);
        std::mem::swap(&mut self.control.signals, &mut old.control.signals);
        old.shell.state.descriptors = DescriptorTable::default();
        dispose(&run.services.meter, live_bytes(), old);
    }
}

impl Shell {
    /// The files that the shell reads before its script, in order. Bash manual 6.2.
    pub(crate) fn startup_files(&mut self, run: &mut Run, flags: &Flags) -> Vec<Text> {
        let posix = self.state.options.has(ShellOption::Posix);
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
}

impl Control {
    /// Runs a file before the script; one that cannot be read is left out.
    pub(crate) fn start_startup_file(&mut self, shell: &mut Shell, run: &mut Run, path: &Text) -> Step {
        let absolute = shell.state.absolute(&run.services.session.fs, path);
        match run.services.session.fs.read(&absolute) {
            Ok(content) => {
                let Some(source) = builtin::find_id(b"source") else { return Ok(()) };
                let mut invocation = Invocation::new(source, Vec::new());
                let script = Bytes::from(content.as_bytes());
                self.start_text(
                    shell,
                    run,
                    &mut invocation,
                    &script,
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

/// What a restricted shell cannot change. Bash manual 6.10.
pub(crate) fn fix_restricted_variables(variables: &mut Variables) {
    let names: [&[u8]; 5] = [b"PATH", b"SHELL", b"HISTFILE", b"ENV", b"BASH_ENV"];
    for name in names {
        let id = variables.names.intern(name);
        let slot = variables.slot_mut(id);
        if slot.value != Value::Unset {
            slot.attributes.insert(Attributes::READONLY);
        }
    }
}
