//! `--check`: errors of white space and markers of conflicts that changes bring.

use super::change::Change;
use super::lines::{Blanks, File, runs};
use super::options::DiffOptions;
use crate::memory::{JoinMetered, JoinText, Vec, format};
use crate::utility::git::Git;
use crate::utility::git::error::Result;

/// What counts as an error of white space.
#[derive(Clone, Copy, Debug)]
struct Rules {
    end_of_line: bool,
    end_of_file: bool,
    space_before_tab: bool,
    indent_with_spaces: bool,
    tab_in_indent: bool,
    carriage_return: bool,
    tab_width: usize,
}

impl Rules {
    /// What `core.whitespace` says.
    fn parse(text: &[u8]) -> Self {
        let mut rules = Self {
            end_of_line: true,
            end_of_file: true,
            space_before_tab: true,
            indent_with_spaces: false,
            tab_in_indent: false,
            carriage_return: false,
            tab_width: 8,
        };
        for word in text.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
            let (name, is_on) = match word.strip_prefix(b"-") {
                Some(name) => (name, false),
                None => (word, true),
            };
            match name {
                b"trailing-space" => (rules.end_of_line, rules.end_of_file) = (is_on, is_on),
                b"blank-at-eol" => rules.end_of_line = is_on,
                b"blank-at-eof" => rules.end_of_file = is_on,
                b"space-before-tab" => rules.space_before_tab = is_on,
                b"indent-with-non-tab" => rules.indent_with_spaces = is_on,
                b"tab-in-indent" => rules.tab_in_indent = is_on,
                b"cr-at-eol" => rules.carriage_return = is_on,
                _ => {
                    let width = name.strip_prefix(b"tabwidth=");
                    let width = width.and_then(|width| std::str::from_utf8(width).ok()?.parse().ok());
                    rules.tab_width =
                        width.filter(|width| (1..0o100).contains(width)).unwrap_or(rules.tab_width);
                }
            }
        }
        rules
    }
}

/// Which errors a line has.
fn errors(line: &[u8], rules: Rules) -> Vec<&'static str> {
    let mut errors = Vec::new();
    let mut body = line.strip_suffix(b"\n").unwrap_or(line);
    if rules.carriage_return {
        body = body.strip_suffix(b"\r").unwrap_or(body);
    }
    if rules.end_of_line && body.last().is_some_and(u8::is_ascii_whitespace) {
        errors.push("trailing whitespace");
        body = body.trim_ascii_end();
    }
    let (mut written, mut indent) = (0, 0);
    let (mut has_space_before_tab, mut has_tab) = (false, false);
    for (at, byte) in body.iter().enumerate() {
        match byte {
            b' ' => {}
            b'\t' => {
                if rules.space_before_tab && written < at {
                    has_space_before_tab = true;
                } else {
                    has_tab |= rules.tab_in_indent;
                }
                written = at + 1;
            }
            _ => break,
        }
        indent = at + 1;
    }
    if has_space_before_tab {
        errors.push("space before tab in indent");
    }
    if rules.indent_with_spaces && indent - written >= rules.tab_width {
        errors.push("indent with spaces");
    }
    if has_tab {
        errors.push("tab in indent");
    }
    errors
}

/// Whether a line is a marker of a conflict.
fn is_marker(line: &[u8]) -> bool {
    let Some(first) = line.first() else { return false };
    let length = line.iter().take_while(|byte| *byte == first).count();
    let rest = line.get(length..).unwrap_or(&[]);
    match first {
        b'<' | b'>' | b'|' => length == 7 && rest.first() == Some(&b' '),
        b'=' => length == 7 && rest.first().is_some_and(u8::is_ascii_whitespace),
        _ => false,
    }
}

/// Blank lines at the end of a file; what has a byte at most before its newline at the start of the file does not count.
fn blank_end(file: &File) -> usize {
    let mut end = file.text.len();
    let is_counted = |at: &usize| {
        let line = file.line(*at);
        end -= line.len();
        // The last byte before the newline, which may be that of the line before, is not the first of the file.
        let last = end + line.strip_suffix(b"\n").unwrap_or(line).len();
        line.trim_ascii().is_empty() && last > 1
    };
    (0..file.count()).rev().take_while(is_counted).count()
}

impl Git {
    /// Tells the errors of a change; whether there were some.
    pub(crate) async fn check_change(&mut self, change: &Change, options: &DiffOptions) -> Result<bool> {
        if change.new.mode == 0 || change.status == b'U' {
            return Ok(false);
        }
        let left = self.side_content(change.old, &change.old_path).await?;
        let right = self.side_content(change.new, &change.path).await?;
        if self.is_binary_file(&change.path, &right, options)? {
            return Ok(false);
        }
        let (left, right) = (File::new(&mut self.ctx, left).await?, File::new(&mut self.ctx, right).await?);
        // Nothing is ignored here, and runs are not moved to where a block ends.
        let blanks = Blanks { keeps_places: true, ..Blanks::default() };
        let found = runs(&mut self.ctx, &left, &right, blanks, false).await?;
        let path = bstr::BStr::new(options.shown(&change.path));
        let rules = Rules::parse(self.config.get("core.whitespace").unwrap_or(b""));
        let mut has_errors = false;
        for run in &found {
            for index in run.right..run.right + run.inserted {
                let line = right.line(index);
                if is_marker(line) {
                    has_errors = true;
                    let text = format!("{path}:{}: leftover conflict marker\n", index + 1);
                    self.print(text.as_bytes()).await?;
                }
                let errors = errors(line, rules);
                if !errors.is_empty() {
                    has_errors = true;
                    let text = format!("{path}:{}: {}.\n+", index + 1, errors.join_text(", "));
                    let end: &[u8] = if line.ends_with(b"\n") { b"" } else { b"\n" };
                    self.print(&[text.as_bytes(), line, end].concat_metered()).await?;
                }
            }
        }
        let (olds, news) = (blank_end(&left), blank_end(&right));
        if news > olds && rules.end_of_file {
            has_errors = true;
            let line = right.count() - news + 1;
            self.print(format!("{path}:{line}: new blank line at EOF.\n").as_bytes()).await?;
        }
        Ok(has_errors)
    }
}
