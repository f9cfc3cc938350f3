//! Scripts that are read while they run: standard input, a FIFO, and shells that are interactive. Bash manual 6.3.
//!
//! A line is taken from the descriptor, and no more, until what was taken is a complete command; it is compiled and run,
//! and only then is the next line taken. A command of many lines is not parsed anew for each of them: see
//! [`ScriptInput::is_worth_a_try`].

use super::control::Control;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::halt::Step;
use super::name;
use super::option::ShellOption;
use super::run::Run;
use super::script_input::{SCRIPT_DESCRIPTOR, ScriptFile, ScriptInput};
use super::shell::Shell;
use super::variable::Value;
use super::wait::{After, Compiling, Wait};
use crate::memory::{Arc, Box, Bytes, ToMetered, vec};
use crate::program::{Op, Program};
use crate::text::Text;
use std::task::{Context, Poll};

impl Shell {
    fn finish_input(&mut self) {
        if self.state.invoked.interactive {
            self.write_error(b"exit\n");
        }
        let program = Program { code: vec![Op::End], lines: vec![0], ..Program::default() };
        self.code.program = Arc::new(program);
        self.code.pc = 0;
        self.switched = true;
    }

    /// Takes a line of the script.
    fn take_line(&mut self, run: &mut Run, cx: &mut Context<'_>, input: &mut ScriptInput) -> Poll<Step> {
        // A part of the line may have come before.
        let start = memchr::memrchr(b'\n', &input.text).map_or(0, |at| at + 1);
        if !input.take_from_source() && input.read_line(self, run, cx)?.is_pending() {
            return Poll::Pending;
        }
        input.prompt = None;
        let line = input.text.get(start..).unwrap_or(&[]);
        if self.state.options.has(ShellOption::Verbose) {
            let line = line.to_metered();
            self.write_error(&line);
        }
        if memchr::memchr(0, input.text.get(start..).unwrap_or(&[])).is_some() {
            input.text.retain(|&byte| byte != 0);
        }
        Poll::Ready(input.expand_history(self, run, start))
    }
}

impl Control {
    /// From now on the rest of the script is read line by line, for history expansion.
    pub(crate) fn read_rest(&mut self, source: &Bytes, rest: (usize, u32)) {
        self.input = Some(Box::new(ScriptInput::rest_of(source, rest)));
        self.script = None;
    }

    /// From now on the script comes from standard input.
    pub(crate) fn read_commands(&mut self, shell: &mut Shell) {
        self.input = Some(Box::new(ScriptInput::new()));
        shell.state.invoked.reads_input = shell.state.descriptors.get(SCRIPT_DESCRIPTOR).is_none();
        self.wait = Wait::Script;
    }

    /// Runs what was appended to the script's file since it was taken. Whether there is something.
    pub(crate) fn run_appended(&mut self, shell: &mut Shell, run: &mut Run) -> Step<bool> {
        let Some(script) = self.script.take() else { return Ok(false) };
        let files = &run.services.session.fs;
        let has_grown = |metadata: crate::vfs::Metadata| metadata.size > script.taken as u64;
        if shell.is_forked || !files.metadata(&script.path).is_ok_and(has_grown) {
            return Ok(false);
        }
        let content = match files.read(&script.path) {
            Ok(content) => content,
            Err(crate::vfs::FsError::Limit(limit)) => return Err(limit.into()),
            Err(_) => return Ok(false),
        };
        let source = Bytes::from(content.as_bytes());
        let ScriptFile { path, taken, line } = script.into_inner();
        self.script = Some(Box::new(ScriptFile::new(path, &source)));
        let after = After::More { shift: shell.code.shift };
        let compiled = self.compile_for(shell, run, Compiling { source, from: (taken, line), after })?;
        self.run_compiled(shell, run, compiled);
        Ok(true)
    }

    /// Whether what runs is the main script's level.
    pub(crate) fn is_main_level(&self, shell: &Shell) -> bool {
        self.frames.is_empty() && !shell.is_forked
    }

    /// Reads and starts the next command.
    pub(crate) fn next_command(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        cx: &mut Context<'_>,
    ) -> Poll<Step> {
        let Some(mut input) = self.input.take() else {
            self.wait = Wait::Nothing;
            return Poll::Ready(Ok(()));
        };
        let step = self.advance(shell, run, cx, &mut input);
        if matches!(step, Poll::Ready(Ok(true))) {
            // It is over: the program that has ended ends the shell.
            shell.finish_input();
        } else {
            self.input = Some(input);
        }
        match step {
            Poll::Pending => Poll::Pending,
            Poll::Ready(step) => {
                if step.is_ok() {
                    self.wait = Wait::Nothing;
                }
                Poll::Ready(step.map(|_| ()))
            }
        }
    }

    /// `true`: the input is over.
    fn advance(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        cx: &mut Context<'_>,
        input: &mut ScriptInput,
    ) -> Poll<Step<bool>> {
        if input.has_run && shell.state.options.has(ShellOption::OneCmd) {
            return Poll::Ready(Ok(true));
        }
        loop {
            // A line that has not come whole is not a command yet.
            let is_whole = input.ended || input.text.ends_with(b"\n") || input.is_from_source();
            let untried = is_whole && (input.text.len() > input.tried || input.ended);
            if !input.text.is_empty()
                && untried
                && input.is_worth_a_try()
                && (input.ended || !input.is_continued())
            {
                match self.try_command(shell, run, input) {
                    Ok(true) => return Poll::Ready(Ok(false)),
                    Ok(false) => {}
                    Err(halt) => return Poll::Ready(Err(halt)),
                }
            }
            if input.ended {
                return Poll::Ready(Ok(true));
            }
            if shell.state.invoked.interactive {
                match self.before_line(shell, run, input) {
                    Ok(true) => return Poll::Ready(Ok(false)),
                    Ok(false) => {}
                    Err(halt) => return Poll::Ready(Err(halt)),
                }
            }
            match shell.take_line(run, cx, input) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(halt)) => return Poll::Ready(Err(halt)),
            }
        }
    }

    /// Compiles the first command of the text and starts it. `false`: it is not complete.
    fn try_command(&mut self, shell: &mut Shell, run: &mut Run, input: &mut ScriptInput) -> Step<bool> {
        let source = Bytes::from(input.text.as_slice());
        let program = self.compile_one(shell, run, &source, input.line)?;
        if program.unfinished && !input.ended {
            input.tried = source.len();
            input.parsed = input.parsed.saturating_add(source.len());
            return Ok(false);
        }
        let lines = memchr::memchr_iter(b'\n', &source).count();
        let behind = input.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        let (offset, line) = program.rest.unwrap_or((source.len(), behind));
        input.consume(offset, line);
        shell.history(run).record(source.get(..offset).unwrap_or(&source))?;
        if program.code.len() <= 1 {
            // Blank lines and comments.
            input.prompt = Some(0);
            return Ok(false);
        }
        input.prompt = Some(0);
        input.has_run = true;
        self.start_program(shell, run, &program);
        Ok(true)
    }

    /// The commands of `PROMPT_COMMAND`, then the prompt. `true`: a command was started.
    fn before_line(&mut self, shell: &mut Shell, run: &mut Run, input: &mut ScriptInput) -> Step<bool> {
        let Some(number) = input.prompt else {
            if !input.text.is_empty() {
                let prompt = shell.scalar(run, name::PS2).unwrap_or_default();
                let prompt = shell.expand_prompt(run, &prompt, false);
                shell.write_error(&prompt);
            }
            return Ok(false);
        };
        if input.text.is_empty() {
            let command = match &shell.variables.slot(name::PROMPT_COMMAND).value {
                Value::Array(array) => array
                    .iter()
                    .find(|(index, _)| *index >= number)
                    .map(|(index, text)| (index, text.clone())),
                value if number == 0 => value.text().map(|text| (0, text)),
                _ => None,
            };
            if let Some((index, command)) = command {
                input.prompt = Some(index.saturating_add(1));
                self.start_prompt_command(shell, run, &command)?;
                return Ok(true);
            }
        }
        input.prompt = None;
        let prompt = shell.scalar(run, name::PS1).unwrap_or_default();
        let prompt = shell.expand_prompt(run, &prompt, true);
        shell.write_error(&prompt);
        Ok(false)
    }

    fn start_prompt_command(&mut self, shell: &mut Shell, run: &mut Run, command: &Text) -> Step {
        let program = self.compile(shell, run, &Bytes::from(command.as_bytes()), (0, 1), false)?;
        self.enter(run)?;
        let mut resume = shell.code.clone();
        resume.pc = (resume.program.code.len() as u32).saturating_sub(1);
        let state = &shell.state;
        let frame = ScriptFrame {
            kind: ScriptKind::Prompt,
            resume,
            positional: None,
            source: state.calls.source.clone(),
            calls: state.calls.innermost.clone(),
            status: state.status,
            conditions: state.conditions,
            pipe_status: Arc::clone(&state.pipe_status),
            expansion: None,
            debug_done: false,
            last_argument: None,
            debug_trap: None,
        };
        self.frames.push(Frame::Script(Box::new(frame)));
        self.start_program(shell, run, &program);
        Ok(())
    }
}
