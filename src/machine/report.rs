//! The one place that writes `bash: line 3: ...`.

use super::option::ShellOption;
use super::shell::Shell;
use crate::io::Description;
use crate::memory::{ToMetered, Vec, format};
use std::fmt::Display;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

impl Shell {
    /// Writes `name: line N: message` on standard error.
    pub(crate) fn report(&mut self, message: impl Display) {
        let line = self.line();
        let state = &self.state;
        let name = if state.calls.innermost.is_some() && !state.calls.source.is_empty() {
            &state.calls.source
        } else {
            &state.invoked.report_name
        };
        let text = if state.options.has(ShellOption::GnuErrFmt) {
            format!("{name}:{line}: {message}\n")
        } else {
            format!("{name}: line {line}: {message}\n")
        };
        self.write_error(text.as_bytes());
    }

    /// Writes `name: line N: builtin: message` on standard error.
    pub(crate) fn report_for(&mut self, command: &[u8], message: impl Display) {
        self.report(format_args!("{}: {message}", bstr::BStr::new(command)));
    }

    /// Writes bytes on standard error now; what a full pipe does not take follows before the next operation.
    pub(crate) fn write_error(&mut self, bytes: &[u8]) {
        if !self.outputs.builtin.is_empty() {
            let mut out = std::mem::take(&mut self.outputs.builtin);
            self.write_lines(&mut out);
            self.outputs.builtin = out;
        }
        let Some(description) = self.state.descriptors.get(2).cloned() else { return };
        self.write_now(description, bytes);
    }

    /// A builtin's output goes out line by line: writes the lines that are complete.
    pub(crate) fn write_lines(&mut self, out: &mut Vec<u8>) {
        let Some(end) = memchr::memrchr(b'\n', out) else { return };
        let Some(description) = self.state.descriptors.get(1).cloned() else { return };
        let rest = out.split_off(end.saturating_add(1));
        self.write_now(description, out);
        *out = rest;
    }

    /// Writes bytes to a description; the rest is kept, to be written before the next operation.
    pub(crate) fn write_now(&mut self, description: Arc<Description>, bytes: &[u8]) {
        let mut rest = bytes;
        if self.outputs.unwritten.is_empty() {
            let mut cx = Context::from_waker(Waker::noop());
            while !rest.is_empty() {
                match description.poll_write(&mut cx, rest) {
                    Poll::Ready(Ok(count)) => rest = rest.get(count..).unwrap_or(&[]),
                    Poll::Ready(Err(_)) => return,
                    Poll::Pending => break,
                }
            }
        }
        if !rest.is_empty() {
            self.outputs.unwritten.push_back((description, rest.to_metered()));
        }
    }
}
