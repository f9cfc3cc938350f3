//! The history of a shell, kept as its variables say: which commands are recorded, and the file that holds them between
//! sessions. Bash manual 9.2.

use super::expand::{Characters, Expanded, Setting, Stopped};
use super::{Filter, History, last_lines, one_line};
use crate::machine::halt::Step;
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::machine::report::report_at;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::machine::variable::{Value, plain_integer};
use crate::memory::{Arc, JoinMetered, Vec};
use crate::text::Text;
use crate::vfs::FsError;

/// See the module.
pub(crate) struct HistoryKeeper<'s> {
    shell: &'s mut Shell,
    run: &'s mut Run,
}

impl Shell {
    /// Its history, to be changed.
    pub(crate) fn history<'s>(&'s mut self, run: &'s mut Run) -> HistoryKeeper<'s> {
        HistoryKeeper { shell: self, run }
    }
}

impl HistoryKeeper<'_> {
    /// How a line is to be expanded; `quote` is open before it.
    fn setting(&mut self, quote: u8) -> Setting {
        let histchars = self.run.services.names.intern(b"histchars");
        let histchars = self.shell.scalar(self.run, histchars);
        let options = self.shell.state.options;
        Setting {
            characters: Characters::parse(histchars.as_deref()),
            quote,
            extglob: options.has(ShellOption::ExtGlob),
            posix: options.has(ShellOption::Posix),
        }
    }

    /// Expands a text; the events are those of the list.
    pub(crate) fn expand(&mut self, text: &[u8], quote: u8) -> Result<Expanded, Stopped> {
        let setting = self.setting(quote);
        let history = Arc::make_mut(&mut self.shell.state.editor.history);
        history.expand(text, setting, &self.run.services.meter)
    }

    /// The expansion of a line that was read, which is shown; nothing, not even a line that counts, if it does not run.
    pub(crate) fn expand_line(&mut self, mut line: Vec<u8>, quote: u8, number: u32) -> Step<Vec<u8>> {
        let newline = line.last() == Some(&b'\n');
        line.truncate(line.len() - usize::from(newline));
        let with_end = |mut line: Vec<u8>| {
            if newline {
                line.push(b'\n');
            }
            line
        };
        match self.expand(&line, quote) {
            Ok(Expanded::Same) => Ok(with_end(line)),
            Ok(Expanded::Changed(line)) => {
                if !self.shell.state.options.has(ShellOption::HistVerify) {
                    self.shell.write_error(&[line.as_slice(), b"\n"].concat_metered());
                }
                Ok(with_end(line))
            }
            Ok(Expanded::Shown(line)) => {
                self.record(&line)?;
                self.shell.write_error(&[line.as_slice(), b"\n"].concat_metered());
                Ok(Vec::new())
            }
            Err(Stopped::Limit(limit)) => Err(limit.into()),
            Err(Stopped::Error(error)) => {
                report_at(self.shell, number, error);
                Ok(Vec::new())
            }
        }
    }

    /// Adds a command that was read to the history, as `HISTCONTROL` and `HISTIGNORE` say.
    pub(crate) fn record(&mut self, source: &[u8]) -> Step {
        if !self.shell.state.options.has(ShellOption::History) {
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
        let text = if self.shell.state.options.has(ShellOption::CmdHist)
            && !self.shell.state.options.has(ShellOption::LitHist)
        {
            one_line(text)
        } else {
            Text::from(text)
        };
        let control = self
            .shell
            .scalar(self.run, name::HISTCONTROL)
            .map_or_else(Filter::default, |value| Filter::parse(&value));
        let ignored = self.is_ignored(&text)?;
        let now = self.run.services.session.clock.now().as_secs() as i64;
        let history = Arc::make_mut(&mut self.shell.state.editor.history);
        if ignored {
            history.last_added = false;
        } else {
            history.record(text, now, control);
        }
        Ok(())
    }

    /// Whether a pattern of `HISTIGNORE` matches a command.
    fn is_ignored(&mut self, text: &Text) -> Step<bool> {
        let Some(ignore) = self.shell.scalar(self.run, name::HISTIGNORE) else { return Ok(false) };
        for pattern in ignore.split(|&byte| byte == b':') {
            if pattern == b"&" {
                if self.shell.state.editor.history.entries.back().is_some_and(|last| last.text == *text) {
                    return Ok(true);
                }
                continue;
            }
            let options = self.shell.state.pattern_options(false);
            let pattern = crate::machine::builder::Field::unquoted(pattern).pattern(options);
            if crate::machine::expand::matches(self.run, &pattern, text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What `HISTSIZE` says was changed.
    pub(crate) fn limit(&mut self) {
        let value = self.shell.variables.slot(name::HISTSIZE).value.text();
        let most = value.and_then(|value| plain_integer(&value)).and_then(|most| usize::try_from(most).ok());
        let history = Arc::make_mut(&mut self.shell.state.editor.history);
        history.limit(most);
    }

    /// What `HISTFILESIZE` says was changed: the file is cut to its last lines.
    pub(crate) fn limit_file(&mut self) {
        let value = self.shell.variables.slot(name::HISTFILESIZE).value.text();
        let most = value.and_then(|value| plain_integer(&value)).and_then(|most| usize::try_from(most).ok());
        let (Some(most), Some(path)) = (most, self.file()) else { return };
        let fs = &self.run.services.session.fs;
        if let Ok(content) = fs.read(&path) {
            let bytes = content.as_bytes();
            let kept = last_lines(bytes, most);
            if kept.len() < bytes.len() {
                let _ = fs.write(&path, kept, 0o600);
            }
        }
    }

    /// The absolute path in `HISTFILE`; `None`: it is unset or empty.
    pub(crate) fn file(&self) -> Option<Vec<u8>> {
        let path = self.shell.variables.slot(name::HISTFILE).value.text().filter(|path| !path.is_empty())?;
        Some(self.shell.state.absolute(&self.run.services.session.fs, &path))
    }

    /// What an interactive shell and `set -o history` start with.
    pub(crate) fn load(&mut self) {
        let set_if_not = |shell: &mut Shell, id, value: Text| {
            let slot = shell.variables.slot_mut(id);
            if slot.value == Value::Unset {
                slot.value = Value::Text(value);
            }
        };
        set_if_not(self.shell, name::HISTSIZE, Text::from_static(b"500"));
        self.limit();
        let size = self.shell.variables.slot(name::HISTSIZE).value.text().unwrap_or_default();
        set_if_not(self.shell, name::HISTFILESIZE, size);
        self.limit_file();
        let Some(path) = self.file() else { return };
        let Ok(content) = self.run.services.session.fs.read(&path) else { return };
        let times = self.shell.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
        let now = self.run.services.session.clock.now().as_secs() as i64;
        let history = Arc::make_mut(&mut self.shell.state.editor.history);
        history.in_file = history.load(content.as_bytes(), 0, now, times);
    }

    /// Writes what was added to the file when the shell ends.
    pub(crate) fn save(&mut self) {
        if !self.shell.state.options.has(ShellOption::History) || self.shell.is_forked {
            return;
        }
        let (unsaved, count) =
            (self.shell.state.editor.history.unsaved, self.shell.state.editor.history.entries.len());
        if unsaved == 0 {
            return;
        }
        let Some(path) = self.file() else { return };
        let append = unsaved <= count || self.shell.state.options.has(ShellOption::HistAppend);
        let _ = self.write(&path, append);
        self.limit_file();
    }

    /// Writes the list to a file, or appends what is not in it yet.
    pub(crate) fn write(&mut self, path: &[u8], append: bool) -> Result<(), FsError> {
        let times = self.shell.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
        let history: &mut History = Arc::make_mut(&mut self.shell.state.editor.history);
        let fs = &self.run.services.session.fs;
        let count = if append { history.unsaved } else { history.entries.len() };
        let lines = history.lines(count, times);
        if append {
            fs.append(path, &lines, 0o600)?;
            history.in_file += history.unsaved;
        } else {
            fs.write(path, &lines, 0o600)?;
            history.in_file = history.entries.len();
        }
        history.unsaved = 0;
        Ok(())
    }
}
