//! Texts become programs that run: with the aliases and options of the shell, one complete command after the other.

use super::control::Control;
use super::frame::{Frame, ScriptKind};
use super::halt::{Halt, Step};
use super::link::Code;
use super::option::ShellOption;
use super::run::{Measured, Run};
use super::shell::Shell;
use super::wait::{After, Compiling};
use crate::clock::Clock;
use crate::limit::{Limits, Meter};
use crate::memory::{Arc, Bytes, HashMap, JoinMetered, String, ToMetered, ToMeteredString, Vec, format};
use crate::program::{CompileOptions, Index, Program, compile_source};
use crate::syntax::{Aliases, ParseOptions};
use crate::text::Text;

/// A text is parsed anew so often before it is parsed command by command.
const MOST_REPARSED: u32 = 8;

struct ShellAliases<'a>(&'a HashMap<Text, Text>);

impl Aliases for ShellAliases<'_> {
    fn alias(&self, name: &[u8]) -> Option<Text> {
        self.0.get(name).cloned()
    }
}

/// The program of a script as text, under the options of a new shell.
#[expect(clippy::disallowed_methods, reason = "the host asks for it, outside of runs")]
pub(crate) fn dump(script: &[u8]) -> String {
    let parse = ParseOptions::default();
    let options = CompileOptions { parse, incremental: false, stepwise: false, traced: false };
    let meter = Meter::new(Limits::interactive(), std::sync::Arc::new(Clock::system()));
    match compile_source(&Bytes::from(script), (0, 1), &options, &crate::syntax::NoAliases, &meter) {
        Ok(program) => program.to_metered_string(),
        Err(error) => format!("{error}\n"),
    }
}

impl Control {
    /// Compiles a source with the options in force; `fresh` programs of a whole script come from the session's cache.
    pub(crate) fn compile(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        source: &Bytes,
        from: (usize, u32),
        cached: bool,
    ) -> Step<Arc<Program>> {
        let limits = run.services.meter.limits();
        if source.len() as u64 > limits.script_bytes {
            return Err(run.services.meter.fail(crate::limit::Limit::ScriptBytes).into());
        }
        let options = self.compile_options(shell, run, limits.syntax_depth);
        let cacheable = cached && from.0 == 0 && shell.state.commands.aliases.is_empty() && !options.stepwise;
        if cacheable && let Some(program) = run.services.cache.get(source, &options) {
            return Ok(program);
        }
        let aliases = ShellAliases(&shell.state.commands.aliases);
        // A shell that runs nothing only wants to know of errors; who runs the text later needs all of it.
        let skims = shell.state.options.has(ShellOption::NoExec)
            && !options.stepwise
            && crate::syntax::is_well_formed(source.get(from.0..).unwrap_or(&[]), &options.parse);
        let from = if skims { (source.len(), from.1) } else { from };
        let measured = Measured::start();
        let program = Arc::new(compile_source(source, from, &options, &aliases, &run.services.meter)?);
        let bytes = measured.bytes().saturating_add(source.len());
        run.services.meter.check()?;
        if shell.state.options.has(ShellOption::Verbose) {
            let end = program.rest.map_or(source.len(), |(offset, _)| offset);
            let text = source.get(from.0..end).unwrap_or(&[]).to_metered();
            shell.write_error(&text);
            if text.last().is_some_and(|byte| *byte != b'\n') {
                shell.write_error(b"\n");
            }
        }
        if cacheable && !skims {
            run.services.cache.put(&options, &program, bytes);
        }
        Ok(program)
    }

    /// Whether the session has the program of a script.
    pub(super) fn is_compiled(&self, shell: &Shell, run: &Run, source: &Bytes) -> bool {
        let options = self.compile_options(shell, run, run.services.meter.limits().syntax_depth);
        !options.stepwise && run.services.cache.get(source, &options).is_some()
    }

    pub(super) fn compile_options(&self, shell: &Shell, run: &Run, depth: u64) -> CompileOptions {
        let options = shell.state.options;
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
            traced: run.services.trace.is_some(),
            stepwise: options.has(ShellOption::Verbose)
                // Who changes the parser all the time is not parsed far ahead.
                || shell.state.commands.reparsed > MOST_REPARSED
                || (options.has(ShellOption::History) || options.has(ShellOption::OneCmd))
                    && self.is_main_level(shell),
        }
    }

    /// Starts a program in this process.
    pub(crate) fn start_program(&mut self, shell: &mut Shell, run: &mut Run, program: &Arc<Program>) {
        let link = run.services.cache.link_for(program, &run.services.names, self.frames.is_empty());
        let runs_nothing = shell.state.options.has(ShellOption::NoExec);
        if runs_nothing {
            for number in 0..program.warnings.len() {
                parser_warning(shell, program, number as Index);
            }
        }
        let pc = if runs_nothing { program.last_error() } else { 0 };
        shell.switch(Code { program: Arc::clone(program), link, pc, shift: 0 });
    }

    /// Compiles the first command of a source.
    pub(crate) fn compile_one(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        source: &Bytes,
        line: u32,
    ) -> Step<Arc<Program>> {
        let mut options = self.compile_options(shell, run, run.services.meter.limits().syntax_depth);
        options.stepwise = true;
        let aliases = ShellAliases(&shell.state.commands.aliases);
        let program = Arc::new(compile_source(source, (0, line), &options, &aliases, &run.services.meter)?);
        run.services.meter.check()?;
        Ok(program)
    }

    /// The next part of a source whose commands may change how it is parsed.
    pub(crate) fn parse_more(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Arc<Program>,
        rest: Option<(usize, u32)>,
    ) -> Step {
        let Some(rest) = rest else { return Ok(()) };
        shell.state.commands.parser_changed = false;
        let main = self.is_main_level(shell);
        let invoked = &shell.state.invoked;
        let one_command = shell.state.options.has(ShellOption::OneCmd) && !invoked.command_string;
        if main && (self.input.is_some() || one_command) {
            // The end of the program follows.
            return Ok(());
        }
        let options = shell.state.options;
        // The command string of an interactive shell is not typed: it has no events.
        let is_typed = !(invoked.interactive && invoked.command_string);
        if main && is_typed && options.has(ShellOption::History) && options.has(ShellOption::HistExpand) {
            self.read_rest(&program.source, rest);
            return Ok(());
        }
        let after = After::More { shift: shell.code.shift };
        let next = Compiling { source: program.source.clone(), from: rest, after };
        let next = self.compile_for(shell, run, next)?;
        self.run_compiled(shell, run, next);
        Ok(())
    }

    /// What a function has changed of the parser counts from the next command on.
    pub(crate) fn parse_anew(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Arc<Program>,
        boundary: Index,
    ) -> Step {
        let commands = &mut shell.state.commands;
        commands.reparsed = commands.reparsed.saturating_add(1);
        self.parse_more(shell, run, program, program.rests.get(boundary as usize).copied())
    }

    // Errors of the parser.
    pub(crate) fn syntax_error(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        index: Index,
    ) -> Halt {
        let Some(error) = program.errors.get(index as usize) else { return Halt::Exit(2) };
        if let Some(limit) = error.limit() {
            return run.services.meter.fail_with(limit.limit, limit.allowed).into();
        }
        let substitution =
            matches!(self.frames.last(), Some(Frame::Subshell(frame)) if frame.substitution.is_some());
        let eval = match self.frames.iter().rev().find(|frame| matches!(frame, Frame::Script(_))) {
            Some(Frame::Script(frame)) => Some(frame.kind),
            _ => None,
        };
        let state = &shell.state;
        let errexit = state.options.has(ShellOption::ErrExit) && state.conditions.is_empty();
        let (name, line) = (&state.invoked.report_name, error.line().saturating_sub(shell.code.shift));
        let place = |line: u32| match eval {
            _ if substitution => format!("{name}: command substitution: line {line}"),
            Some(ScriptKind::Eval) => {
                let in_function = state.calls.innermost.is_some() && !state.calls.source.is_empty();
                let name = if in_function { &state.calls.source } else { name };
                format!("{name}: eval: line {line}")
            }
            Some(ScriptKind::Source) if state.invoked.interactive => {
                format!("{name}: {}: line {line}", state.calls.source)
            }
            Some(ScriptKind::Source) => format!("{}: line {line}", state.calls.source),
            Some(
                kind @ (ScriptKind::Trap
                | ScriptKind::ErrTrap
                | ScriptKind::DebugTrap
                | ScriptKind::EntryTrap
                | ScriptKind::ReturnTrap
                | ScriptKind::ExitTrap),
            ) => {
                let in_function = state.calls.innermost.is_some() && !state.calls.source.is_empty();
                let name = if in_function { &state.calls.source } else { name };
                let trap = match kind {
                    ScriptKind::ErrTrap => "error trap",
                    ScriptKind::DebugTrap | ScriptKind::EntryTrap => "debug trap",
                    ScriptKind::ReturnTrap => "return trap",
                    ScriptKind::ExitTrap => "exit trap",
                    _ => "trap",
                };
                format!("{name}: {trap}: line {line}")
            }
            _ if state.invoked.command_string => format!("{name}: -c: line {line}"),
            _ => format!("{name}: line {line}"),
        };
        if state.invoked.interactive && eval != Some(ScriptKind::Source) {
            // The line is still on the screen.
            if let Some(message) = error.message().first() {
                let name = shell.state.invoked.report_name.clone();
                shell.write_error(format!("{name}: {message}\n").as_bytes());
            }
        } else {
            let mut told = Vec::new();
            // With `set -e` the first line ends the shell.
            let lines = if errexit && !substitution { 1 } else { usize::MAX };
            for message in error.message().into_iter().take(lines) {
                told.extend_from_slice(format!("{}: {message}\n", place(line)).as_bytes());
            }
            for (end, message) in error.ends().into_iter().take(lines.saturating_sub(1)) {
                told.extend_from_slice(place(end.saturating_sub(shell.code.shift)).as_bytes());
                told.extend_from_slice(&[b": ", message, b"\n"].concat_metered());
            }
            shell.write_error(&told);
        }
        let mut status = error.status().unwrap_or(if errexit { 2 } else { shell.state.status });
        if eval.is_none() && !substitution && shell.state.status != 0 && error.is_unfinished() {
            // A quote or a brace that is not closed leaves the status of the last command; a parenthesis does not.
            let message = error.message();
            let open = message
                .iter()
                .any(|line| line.contains("while looking for matching") && !line.ends_with("`)'"));
            status = if open { shell.state.status } else { status };
        }
        shell.state.set_status(status);
        if errexit && !substitution {
            return Halt::Exit(if error.status().is_none() { status } else { 2 });
        }
        match eval {
            _ if error.is_in_array() && !substitution => Halt::Discard(status),
            // The rest of the string is not run.
            Some(_) if !substitution => Halt::Unparsed(status),
            None if shell.state.invoked.interactive && self.input.is_some() && !substitution => {
                Halt::Unparsed(status)
            }
            _ => Halt::Exit(status),
        }
    }
}

/// Tells of a warning of the parser.
pub(crate) fn parser_warning(shell: &mut Shell, program: &Program, index: Index) {
    let Some(warning) = program.warnings.get(index as usize) else { return };
    let warning = warning.clone().shifted_by(shell.code.shift);
    let name = shell.state.invoked.report_name.clone();
    let line = warning.line();
    shell.write_error(format!("{name}: line {line}: {warning}\n").as_bytes());
}
