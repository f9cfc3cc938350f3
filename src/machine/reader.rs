//! Scripts that are read while they run: standard input, a FIFO, and shells that are interactive. Bash manual 6.3.
//!
//! A line is taken from the descriptor, and no more, until what was taken is a complete command; it is compiled and run,
//! and only then is the next line taken. A command of many lines is not parsed anew for each of them: see
//! [`ScriptInput::is_worth_a_try`].

use super::compiling::{After, Compiling};
use super::control::Control;
use super::flags::SCRIPT_DESCRIPTOR;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::halt::Step;
use super::history::OpenQuote;
use super::name;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use super::variable::Value;
use super::wait::Wait;
use crate::memory::{Arc, Box, Bytes, ToMetered, Vec, vec};
use crate::program::{Op, Program};
use crate::text::Text;
use std::task::{Context, Poll};

/// Bytes of an unfinished command that may be parsed again at every line of it.
const FREE_BYTES: usize = 1 << 20;

/// A script that is read while it runs.
#[derive(Debug)]
pub(crate) struct ScriptInput {
    /// What was taken and has not run.
    text: Vec<u8>,
    /// The line on which it begins.
    line: u32,
    /// The command was tried with this many bytes and was not complete.
    tried: usize,
    /// Bytes that were parsed for the command that is not complete.
    parsed: usize,
    /// Nothing follows.
    ended: bool,
    /// A command was read: for `set -t`.
    has_run: bool,
    /// The next element of `PROMPT_COMMAND`; `None`: the prompt was shown.
    prompt: Option<u64>,
    /// Where the lines are, and how far they were taken; `None`: they come from a descriptor.
    source: Option<(Bytes, usize)>,
    /// What is open at the end of the text.
    open: OpenQuote,
}

impl ScriptInput {
    pub(crate) fn new() -> Self {
        Self {
            text: Vec::new(),
            line: 1,
            tried: 0,
            parsed: 0,
            ended: false,
            has_run: false,
            prompt: Some(0),
            source: None,
            open: OpenQuote::default(),
        }
    }

    /// The rest of a script whose text was taken as a whole: its lines are now read one after the other.
    fn rest_of(source: &Bytes, (offset, line): (usize, u32)) -> Self {
        Self { line, source: Some((source.clone(), offset)), ..Self::new() }
    }

    /// The number of the line that begins at an offset of the text.
    fn line_at(&self, offset: usize) -> u32 {
        let before = memchr::memchr_iter(b'\n', self.text.get(..offset).unwrap_or(&self.text)).count();
        self.line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Expands the events of the history in the line that begins at `start`; nothing is left of it if that fails.
    fn expand_history(&mut self, shell: &mut Shell, run: &mut Run, start: usize) -> Step {
        if !shell.state.options.has(ShellOption::History) || !shell.state.options.has(ShellOption::HistExpand)
        {
            return Ok(());
        }
        let mut line = self.text.get(start..).unwrap_or(&[]).to_metered();
        if let Some(quote) = self.open.before_line() {
            let number = self.line_at(start);
            line = shell.history(run).expand_line(line, quote, number)?;
            self.text.truncate(start);
            self.text.extend_from_slice(&line);
            if self.text.len() as u64 > run.services.meter.limits().script_bytes {
                return Err(run.services.meter.fail(crate::limit::Limit::ScriptBytes).into());
            }
            if self.text.is_empty() && !self.ended {
                // The line was taken away, and another command is asked for.
                self.prompt = Some(0);
            }
        }
        self.open.take(&line);
        Ok(())
    }

    /// Takes a line from the descriptor.
    fn read_line(&mut self, shell: &Shell, run: &Run, cx: &mut Context<'_>) -> Poll<Step> {
        let table = &shell.state.descriptors;
        let Some(description) = table.get(SCRIPT_DESCRIPTOR).or(table.get(0)).cloned() else {
            self.ended = true;
            return Poll::Ready(Ok(()));
        };
        let most = run.services.meter.limits().script_bytes as usize;
        loop {
            let mut complete = false;
            let text = &mut self.text;
            let read = description.poll_read(cx, &mut |bytes| {
                let length = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| {
                    complete = true;
                    at + 1
                });
                text.extend_from_slice(bytes.get(..length).unwrap_or(bytes));
                length
            });
            if self.text.len() > most {
                return Poll::Ready(Err(run.services.meter.fail(crate::limit::Limit::ScriptBytes).into()));
            }
            match read {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0) | Err(_)) if !complete => {
                    self.ended = true;
                    break;
                }
                Poll::Ready(_) if complete => break,
                Poll::Ready(_) => {}
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Whether its lines need not be waited for.
    const fn is_from_source(&self) -> bool {
        self.source.is_some()
    }

    /// Takes a line of the script's text. `false`: the lines come from a descriptor.
    fn take_from_source(&mut self) -> bool {
        let Some((source, at)) = &mut self.source else { return false };
        let rest = source.get(*at..).unwrap_or(&[]);
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        self.text.extend_from_slice(rest.get(..length).unwrap_or(rest));
        *at += length;
        self.ended = length == 0;
        true
    }

    /// Whether the text may be complete. Long commands are tried when they have grown by half, so that the work stays
    /// proportional to their length.
    fn is_worth_a_try(&self) -> bool {
        let grown = self.text.len() > self.tried.saturating_add(self.tried / 2);
        self.ended || self.tried == 0 || self.parsed < FREE_BYTES || grown
    }

    /// Whether the text ends in a newline that a backslash takes away.
    fn is_continued(&self) -> bool {
        match self.text.strip_suffix(b"\n") {
            Some(line) => line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1,
            None => false,
        }
    }

    /// Drops the command that ends at `offset`.
    fn consume(&mut self, offset: usize, line: u32) {
        self.text.drain(..offset.min(self.text.len()));
        self.line = line;
        self.tried = 0;
        self.parsed = 0;
        self.open = OpenQuote::default();
    }
}

/// A file whose text was taken as a whole. Bash reads it as it runs: what is appended meanwhile is run too.
#[derive(Debug)]
pub(crate) struct ScriptFile {
    path: Vec<u8>,
    /// Bytes that were taken, and the line behind them.
    taken: usize,
    line: u32,
}

impl ScriptFile {
    pub(crate) fn new(path: Vec<u8>, text: &[u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', text).count();
        Self { path, taken: text.len(), line: u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1) }
    }
}

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
            // A line that has not come whole is no command yet.
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
