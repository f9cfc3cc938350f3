//! [`ScriptInput`]: the text of a script that is read while it runs, as far as it was read and has not run.

use super::halt::Step;
use super::history::OpenQuote;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use crate::memory::{Bytes, ToMetered, Vec};
use std::task::{Context, Poll};

/// Where bash keeps the script that it reads.
pub(crate) const SCRIPT_DESCRIPTOR: u32 = 255;

/// Bytes of an unfinished command that may be parsed again at every line of it.
const FREE_BYTES: usize = 1 << 20;

/// A script that is read while it runs.
#[derive(Debug)]
pub(crate) struct ScriptInput {
    /// What was taken and has not run.
    pub(super) text: Vec<u8>,
    /// The line on which it begins.
    pub(super) line: u32,
    /// The command was tried with this many bytes and was not complete.
    pub(super) tried: usize,
    /// Bytes that were parsed for the command that is not complete.
    pub(super) parsed: usize,
    /// Nothing follows.
    pub(super) ended: bool,
    /// A command was read: for `set -t`.
    pub(super) has_run: bool,
    /// The next element of `PROMPT_COMMAND`; `None`: the prompt was shown.
    pub(super) prompt: Option<u64>,
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
    pub(super) fn rest_of(source: &Bytes, (offset, line): (usize, u32)) -> Self {
        Self { line, source: Some((source.clone(), offset)), ..Self::new() }
    }

    /// The number of the line that begins at an offset of the text.
    fn line_at(&self, offset: usize) -> u32 {
        let before = memchr::memchr_iter(b'\n', self.text.get(..offset).unwrap_or(&self.text)).count();
        self.line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Expands the events of the history in the line that begins at `start`; nothing is left of it if that fails.
    pub(super) fn expand_history(&mut self, shell: &mut Shell, run: &mut Run, start: usize) -> Step {
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
    pub(super) fn read_line(&mut self, shell: &Shell, run: &Run, cx: &mut Context<'_>) -> Poll<Step> {
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
    pub(super) const fn is_from_source(&self) -> bool {
        self.source.is_some()
    }

    /// Takes a line of the script's text. `false`: the lines come from a descriptor.
    pub(super) fn take_from_source(&mut self) -> bool {
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
    pub(super) fn is_worth_a_try(&self) -> bool {
        let grown = self.text.len() > self.tried.saturating_add(self.tried / 2);
        self.ended || self.tried == 0 || self.parsed < FREE_BYTES || grown
    }

    /// Whether the text ends in a newline that a backslash takes away.
    pub(super) fn is_continued(&self) -> bool {
        match self.text.strip_suffix(b"\n") {
            Some(line) => line.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1,
            None => false,
        }
    }

    /// Drops the command that ends at `offset`.
    pub(super) fn consume(&mut self, offset: usize, line: u32) {
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
    pub(super) path: Vec<u8>,
    /// Bytes that were taken, and the line after them.
    pub(super) taken: usize,
    pub(super) line: u32,
}

impl ScriptFile {
    pub(crate) fn new(path: Vec<u8>, text: &[u8]) -> Self {
        let lines = memchr::memchr_iter(b'\n', text).count();
        Self { path, taken: text.len(), line: u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1) }
    }
}
