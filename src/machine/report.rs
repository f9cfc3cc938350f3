//! The one place that writes `bash: line 3: ...`.

use super::error::Message;
use super::option::ShellOption;
use super::shell::Shell;
use crate::memory::format;

/// A message with the command before it.
struct Of<'c, M> {
    command: &'c [u8],
    message: M,
}

impl<M: Message> Message for Of<'_, M> {}

impl<M: Message> std::fmt::Display for Of<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", bstr::BStr::new(self.command), self.message)
    }
}

/// As [`Shell::report`], about a line that is not the one that runs.
pub(crate) fn report_at(shell: &mut Shell, line: u32, message: impl Message) {
    let state = &shell.state;
    if state.invoked.interactive {
        // Its lines are not those of a file.
        let name = state.invoked.report_name.clone();
        return shell.write_error(format!("{name}: {message}\n").as_bytes());
    }
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
    shell.write_error(text.as_bytes());
}

impl Shell {
    /// Writes `name: line N: message` on standard error; an interactive shell leaves the line out.
    pub(crate) fn report(&mut self, message: impl Message) {
        let line = self.line();
        report_at(self, line, message);
    }

    /// Writes `name: line N: builtin: message` on standard error.
    pub(crate) fn report_for(&mut self, command: &[u8], message: impl Message) {
        self.report(Of { command, message });
    }

    /// Writes bytes on standard error now; what a full pipe does not take follows before the next operation.
    pub(crate) fn write_error(&mut self, bytes: &[u8]) {
        if !self.outputs.builtin.is_empty() {
            let mut out = std::mem::take(&mut self.outputs.builtin);
            self.outputs.write_lines(self.state.descriptors.get(1), &mut out);
            self.outputs.builtin = out;
        }
        let Some(description) = self.state.descriptors.get(2).cloned() else { return };
        self.outputs.write(description, bytes);
    }
}
