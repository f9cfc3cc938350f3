//! The list of commands that `history` and `fc` show, and its file. Bash manual 9.1.
//!
//! Entries are numbered from 1; a list with a limit (`HISTSIZE`) drops its oldest entries and numbers on.

mod expand;
mod keeper;
mod modifier;
mod open_quote;
mod word;

pub(crate) use expand::{Expanded, Stopped};
pub(crate) use open_quote::OpenQuote;

use crate::memory::{ToMetered, Vec, VecDeque, format};
use crate::text::Text;

/// A command that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) text: Text,
    /// When it was added: seconds since 1970.
    pub(crate) time: i64,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) entries: VecDeque<Entry>,
    /// Entries that were dropped: the first one left has this number and one.
    pub(crate) dropped: usize,
    /// Most entries that are kept; `None`: no limit.
    most: Option<usize>,
    /// Entries of this session that are not in the file.
    pub(crate) unsaved: usize,
    /// Lines that were read from the file or written to it.
    pub(crate) in_file: usize,
    /// The command that runs was added.
    pub(crate) last_added: bool,
    /// What expansions remember.
    remembered: expand::Remembered,
}

/// What `HISTCONTROL` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    ignore_space: bool,
    ignore_duplicates: bool,
    erase_duplicates: bool,
}

impl Filter {
    /// Reads the value of `HISTCONTROL`.
    pub(crate) fn parse(value: &[u8]) -> Self {
        let mut control = Self::default();
        for word in value.split(|&byte| byte == b':') {
            match word {
                b"ignorespace" => control.ignore_space = true,
                b"ignoredups" => control.ignore_duplicates = true,
                b"ignoreboth" => (control.ignore_space, control.ignore_duplicates) = (true, true),
                b"erasedups" => control.erase_duplicates = true,
                _ => {}
            }
        }
        control
    }
}

impl History {
    /// The number of an entry's place.
    pub(crate) const fn number(&self, index: usize) -> usize {
        self.dropped + index + 1
    }

    /// Adds an entry at the end.
    pub(crate) fn push(&mut self, text: Text, time: i64) {
        self.entries.push_back(Entry { text, time });
        self.trim();
    }

    /// Adds a command that was read, unless `HISTCONTROL` keeps it out. Whether it was added.
    pub(crate) fn record(&mut self, text: Text, time: i64, control: Filter) -> bool {
        let out = control.ignore_space && text.first().is_some_and(u8::is_ascii_whitespace)
            || control.ignore_duplicates && self.entries.back().is_some_and(|last| last.text == text);
        self.last_added = !out;
        if out {
            return false;
        }
        if control.erase_duplicates {
            self.entries.retain(|entry| entry.text != text);
        }
        self.push(text, time);
        self.unsaved += 1;
        true
    }

    /// Sets how many entries are kept.
    pub(crate) fn limit(&mut self, most: Option<usize>) {
        self.most = most;
        let before = self.dropped;
        self.trim();
        if self.dropped > before {
            // Bash counts from one less here, whatever was dropped before.
            self.dropped -= before + 1;
        }
    }

    fn trim(&mut self) {
        while self.most.is_some_and(|most| self.entries.len() > most) {
            self.entries.pop_front();
            self.dropped += 1;
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.dropped = 0;
        self.unsaved = 0;
        self.last_added = false;
    }

    /// Takes entries out.
    pub(crate) fn remove(&mut self, range: std::ops::RangeInclusive<usize>) {
        if *range.start() <= *range.end() && *range.end() < self.entries.len() {
            self.entries.drain(range);
        }
    }

    /// The entry of the command that runs is taken out again: `history -s`, `fc`.
    pub(crate) fn remove_last_added(&mut self) {
        if std::mem::take(&mut self.last_added) && self.entries.pop_back().is_some() {
            self.unsaved = self.unsaved.saturating_sub(1);
        }
    }

    /// Adds the lines of a file from line `from` on, and returns how many lines the file has. Lines like `#123` are
    /// the time of what follows if `times` is set.
    pub(crate) fn load(&mut self, content: &[u8], from: usize, now: i64, times: bool) -> usize {
        let mut lines = 0;
        let mut time = now;
        for line in content.split(|&byte| byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            if times && let Some(stamp) = stamp(line) {
                time = stamp;
                continue;
            }
            if lines >= from {
                self.push(Text::from(line), time);
            }
            time = now;
            lines += 1;
        }
        lines
    }

    /// The last `count` entries as lines of a file, with their times if `times` is set.
    pub(crate) fn lines(&self, count: usize, times: bool) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in self.entries.iter().skip(self.entries.len().saturating_sub(count)) {
            if times {
                out.extend_from_slice(format!("#{}\n", entry.time).as_bytes());
            }
            out.extend_from_slice(&entry.text);
            out.push(b'\n');
        }
        out
    }

    /// The place of the last entry before `below` that begins with `prefix`.
    pub(crate) fn find(&self, prefix: &[u8], below: usize) -> Option<usize> {
        self.entries.iter().take(below).rposition(|entry| entry.text.starts_with(prefix))
    }
}

/// `#` and digits: a time in a history file.
fn stamp(line: &[u8]) -> Option<i64> {
    std::str::from_utf8(line.strip_prefix(b"#")?).ok()?.parse().ok().filter(|time| *time >= 0)
}

/// The last `count` lines of a text.
fn last_lines(content: &[u8], count: usize) -> &[u8] {
    let body = content.strip_suffix(b"\n").unwrap_or(content);
    if count == 0 {
        return &[];
    }
    let start = memchr::memrchr_iter(b'\n', body).nth(count - 1).map_or(0, |at| at + 1);
    content.get(start..).unwrap_or(&[])
}

/// A command of several lines as one line, as `cmdhist` has it: lines are joined with `; `, or a blank where a list can
/// not end. A command with quoted newlines or here-documents keeps its lines.
fn one_line(text: &[u8]) -> Text {
    let text = text.trim_ascii_end();
    if memchr::memchr(b'\n', text).is_none() {
        return Text::from(text);
    }
    if memchr::memmem::find(text, b"<<").is_some() {
        let mut whole = text.to_metered();
        whole.push(b'\n');
        return Text::from(whole);
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut quote = 0_u8;
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if number > 0 {
            match quote {
                0 if out.ends_with(b"\\") => {
                    out.pop();
                }
                0 => {
                    let last = out.trim_ascii_end();
                    out.extend_from_slice(if continues(last) || line.trim_ascii().is_empty() {
                        b" "
                    } else {
                        b"; "
                    });
                }
                _ => out.push(b'\n'),
            }
        }
        let mut escaped = false;
        for &byte in line {
            match (byte, quote) {
                _ if escaped => escaped = false,
                (b'\\', 0 | b'"') => escaped = true,
                (b'\'' | b'"' | b'`', 0) => quote = byte,
                (byte, open) if byte == open => quote = 0,
                _ => {}
            }
        }
        out.extend_from_slice(line);
    }
    Text::from(out)
}

/// Whether a list cannot end after this text.
fn continues(text: &[u8]) -> bool {
    let word = text.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b';').next().unwrap_or(&[]);
    matches!(word, b"do" | b"then" | b"else" | b"elif" | b"if" | b"while" | b"until" | b"in" | b"{" | b"!")
        || text.last().is_some_and(|byte| matches!(byte, b';' | b'|' | b'&' | b'(' | b'{'))
        || text.ends_with(b"()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_drops_the_oldest_and_numbers_on() {
        let mut history = History::default();
        assert_eq!(history.load(b"a\nb\n\nc\n", 0, 0, false), 3);
        history.limit(Some(2));
        assert_eq!(history.entries.len(), 2);
        assert_eq!(history.number(0), 1);
        history.push(Text::from_static(b"d"), 0);
        assert_eq!(history.number(0), 2);
        assert_eq!(history.lines(9, false), b"c\nd\n");
    }

    #[test]
    fn lines_of_a_command_are_joined() {
        let joined = |text: &str| one_line(text.as_bytes()).to_string();
        assert_eq!(
            joined("foo() {\necho a\nif true\nthen echo b\nfi\n}\n"),
            "foo() { echo a; if true; then echo b; fi; }"
        );
        assert_eq!(joined("echo 'a\nb'"), "echo 'a\nb'");
        assert_eq!(last_lines(b"a\nb\nc\n", 2), b"b\nc\n");
        assert_eq!(last_lines(b"a\n", 5), b"a\n");
    }
}
