//! Scripts that are read while they run: standard input, a FIFO, and shells that are interactive. Bash manual 6.3.
//!
//! A line is taken from the descriptor, and no more, until what was taken is a complete command; it is compiled and run,
//! and only then is the next line taken. A command of many lines is not parsed anew for each of them: see
//! [`ScriptInput::is_worth_a_try`].

use super::control::Control;
use super::flags::SCRIPT_DESCRIPTOR;
use super::frame::{Frame, ScriptFrame, ScriptKind};
use super::halt::Step;
use super::history::{Filter, History, last_lines, one_line};
use super::name;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use super::variable::{Value, plain_integer};
use super::wait::Wait;
use crate::memory::{ToMetered, Vec, vec};
use crate::program::{Op, Program};
use crate::text::Text;
use crate::vfs::{Errno, FsError, OpenOptions, Opened};
use std::sync::Arc;
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
}

impl ScriptInput {
    pub(crate) fn new() -> Self {
        Self { text: Vec::new(), line: 1, tried: 0, parsed: 0, ended: false, has_run: false, prompt: Some(0) }
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

    /// Takes a line from the descriptor.
    fn take_line(&mut self, run: &mut Run, cx: &mut Context<'_>, input: &mut ScriptInput) -> Poll<Step> {
        let table = &self.state.descriptors;
        let Some(description) = table.get(SCRIPT_DESCRIPTOR).or(table.get(0)).cloned() else {
            input.ended = true;
            return Poll::Ready(Ok(()));
        };
        let most = run.services.meter.limits().script_bytes as usize;
        let start = input.text.len();
        loop {
            let mut complete = false;
            let text = &mut input.text;
            let read = description.poll_read(cx, &mut |bytes| {
                let length = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| {
                    complete = true;
                    at + 1
                });
                text.extend_from_slice(bytes.get(..length).unwrap_or(bytes));
                length
            });
            if input.text.len() > most {
                return Poll::Ready(Err(run.services.meter.fail(crate::limit::Limit::ScriptBytes).into()));
            }
            match read {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0) | Err(_)) if !complete => {
                    input.ended = true;
                    break;
                }
                Poll::Ready(_) if complete => break,
                Poll::Ready(_) => {}
            }
        }
        input.prompt = None;
        if self.state.options.has(ShellOption::Verbose) {
            let line = input.text.get(start..).unwrap_or(&[]).to_metered();
            self.write_error(&line);
        }
        if memchr::memchr(0, input.text.get(start..).unwrap_or(&[])).is_some() {
            input.text.retain(|&byte| byte != 0);
        }
        Poll::Ready(Ok(()))
    }

    // History.

    /// Adds a command that was read to the history, as `HISTCONTROL` and `HISTIGNORE` say.
    pub(crate) fn record_command(&mut self, run: &mut Run, source: &[u8]) -> Step {
        if !self.state.options.has(ShellOption::History) {
            return Ok(());
        }
        let text = source.strip_suffix(b"\n").unwrap_or(source);
        let blank = text
            .split_inclusive(|&byte| byte == b'\n')
            .take_while(|line| line.trim_ascii().is_empty())
            .map(<[u8]>::len)
            .sum();
        let text = text.get(blank..).unwrap_or(&[]);
        if text.is_empty() {
            return Ok(());
        }
        let text = if self.state.options.has(ShellOption::CmdHist)
            && !self.state.options.has(ShellOption::LitHist)
        {
            one_line(text)
        } else {
            Text::from(text)
        };
        let control =
            self.scalar(run, name::HISTCONTROL).map_or_else(Filter::default, |value| Filter::parse(&value));
        let ignored = self.is_ignored(run, &text)?;
        let now = run.services.session.clock.now().as_secs() as i64;
        let history = Arc::make_mut(&mut self.state.editor.history);
        if ignored {
            history.last_added = false;
        } else {
            history.record(text, now, control);
        }
        Ok(())
    }

    /// Whether a pattern of `HISTIGNORE` matches a command.
    fn is_ignored(&mut self, run: &mut Run, text: &Text) -> Step<bool> {
        let Some(ignore) = self.scalar(run, name::HISTIGNORE) else { return Ok(false) };
        for pattern in ignore.split(|&byte| byte == b':') {
            if pattern == b"&" {
                if self.state.editor.history.entries.back().is_some_and(|last| last.text == *text) {
                    return Ok(true);
                }
                continue;
            }
            let options = self.state.pattern_options(false);
            let pattern = super::builder::Field::unquoted(pattern).pattern(options);
            if super::expand::matches(run, &pattern, text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What `HISTSIZE` says was changed.
    pub(crate) fn limit_history(&mut self) {
        let value = self.variables.slot(name::HISTSIZE).value.text();
        let most = value.and_then(|value| plain_integer(&value)).and_then(|most| usize::try_from(most).ok());
        let history = Arc::make_mut(&mut self.state.editor.history);
        history.limit(most);
    }

    /// What `HISTFILESIZE` says was changed: the file is cut to its last lines.
    pub(crate) fn limit_history_file(&mut self, run: &mut Run) {
        let value = self.variables.slot(name::HISTFILESIZE).value.text();
        let most = value.and_then(|value| plain_integer(&value)).and_then(|most| usize::try_from(most).ok());
        let (Some(most), Some(path)) = (most, self.history_file()) else { return };
        let fs = &run.services.session.fs;
        if let Ok(content) = fs.read(&path) {
            let bytes = content.as_bytes();
            let kept = last_lines(bytes, most);
            if kept.len() < bytes.len() {
                let _ = fs.write(&path, kept, 0o600);
            }
        }
    }

    /// The absolute path in `HISTFILE`; `None`: it is unset or empty.
    pub(crate) fn history_file(&self) -> Option<Vec<u8>> {
        let path = self.variables.slot(name::HISTFILE).value.text().filter(|path| !path.is_empty())?;
        Some(crate::vfs::path::join(&self.state.cwd, &path))
    }

    /// What an interactive shell and `set -o history` start with.
    pub(crate) fn load_history(&mut self, run: &mut Run) {
        let set_if_not = |shell: &mut Self, id, value: Text| {
            let slot = shell.variables.slot_mut(id);
            if slot.value == Value::Unset {
                slot.value = Value::Text(value);
            }
        };
        set_if_not(self, name::HISTSIZE, Text::from_static(b"500"));
        self.limit_history();
        let size = self.variables.slot(name::HISTSIZE).value.text().unwrap_or_default();
        set_if_not(self, name::HISTFILESIZE, size);
        self.limit_history_file(run);
        let Some(path) = self.history_file() else { return };
        let Ok(content) = run.services.session.fs.read(&path) else { return };
        let times = self.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
        let now = run.services.session.clock.now().as_secs() as i64;
        let history = Arc::make_mut(&mut self.state.editor.history);
        history.in_file = history.load(content.as_bytes(), 0, now, times);
    }

    /// Writes what was added to the file when the shell ends.
    pub(crate) fn save_history(&mut self, run: &mut Run) {
        if !self.state.options.has(ShellOption::History) || self.is_forked {
            return;
        }
        let (unsaved, count) = (self.state.editor.history.unsaved, self.state.editor.history.entries.len());
        if unsaved == 0 {
            return;
        }
        let Some(path) = self.history_file() else { return };
        let append = unsaved <= count || self.state.options.has(ShellOption::HistAppend);
        let _ = self.write_history(run, &path, append);
        self.limit_history_file(run);
    }

    /// Writes the list to a file, or appends what is not in it yet.
    pub(crate) fn write_history(&mut self, run: &mut Run, path: &[u8], append: bool) -> Result<(), FsError> {
        let times = self.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
        let history: &mut History = Arc::make_mut(&mut self.state.editor.history);
        let fs = &run.services.session.fs;
        let count = if append { history.unsaved } else { history.entries.len() };
        let lines = history.lines(count, times);
        if append {
            let Opened::File(file) = fs.open(path, &OpenOptions::for_appending(0o600))? else {
                return Err(Errno::Invalid.into());
            };
            file.append(&lines)?;
            history.in_file += history.unsaved;
        } else {
            fs.write(path, &lines, 0o600)?;
            history.in_file = history.entries.len();
        }
        history.unsaved = 0;
        Ok(())
    }
}

impl Control {
    /// From now on the script comes from standard input.
    pub(crate) fn read_commands(&mut self, shell: &mut Shell) {
        self.input = Some(Box::new(ScriptInput::new()));
        shell.state.invoked.reads_input = shell.state.descriptors.get(SCRIPT_DESCRIPTOR).is_none();
        self.wait = Wait::Script;
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
            let untried = input.text.len() > input.tried || input.ended;
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
        let source: Arc<[u8]> = Arc::from(input.text.as_slice());
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
        shell.record_command(run, source.get(..offset).unwrap_or(&source))?;
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
        let program = self.compile(shell, run, Arc::from(command.as_bytes()), (0, 1), false)?;
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
        };
        self.frames.push(Frame::Script(Box::new(frame)));
        self.start_program(shell, run, &program);
        Ok(())
    }
}
