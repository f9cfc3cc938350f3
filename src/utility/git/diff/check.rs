//! `--check`: errors of white space and markers of conflicts that changes bring.

use super::change::Change;
use super::lines::{File, runs};
use super::options::DiffOptions;
use crate::memory::{JoinMetered, JoinText, Vec, format};
use crate::utility::git::Git;
use crate::utility::git::error::Result;

/// Which errors a line has.
fn errors(line: &[u8]) -> Vec<&'static str> {
    let mut errors = Vec::new();
    let body = line.strip_suffix(b"\n").unwrap_or(line);
    if body.last().is_some_and(u8::is_ascii_whitespace) {
        errors.push("trailing whitespace");
    }
    let indent = body.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let indent = body.get(..indent).unwrap_or(&[]);
    if memchr::memmem::find(indent, b" \t").is_some() {
        errors.push("space before tab in indent");
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
        let found = runs(&mut self.ctx, &left, &right, options.blanks, options.is_minimal).await?;
        let path = bstr::BStr::new(options.shown(&change.path));
        let mut has_errors = false;
        for run in &found {
            for index in run.right..run.right + run.inserted {
                let line = right.line(index);
                if is_marker(line) {
                    has_errors = true;
                    let text = format!("{path}:{}: leftover conflict marker\n", index + 1);
                    self.print(text.as_bytes()).await?;
                }
                let errors = errors(line);
                if !errors.is_empty() {
                    has_errors = true;
                    let text = format!("{path}:{}: {}.\n+", index + 1, errors.join_text(", "));
                    let end: &[u8] = if line.ends_with(b"\n") { b"" } else { b"\n" };
                    self.print(&[text.as_bytes(), line, end].concat_metered()).await?;
                }
            }
        }
        // Blank lines that come at the end.
        let blank_from = |file: &File| {
            let blanks =
                (0..file.count()).rev().take_while(|at| file.line(*at).trim_ascii().is_empty()).count();
            (file.count() - blanks, blanks)
        };
        let ((_, olds), (at, news)) = (blank_from(&left), blank_from(&right));
        let touches = found.last().is_some_and(|run| run.inserted > 0 && run.right + run.inserted > at);
        if news > olds && touches {
            has_errors = true;
            self.print(format!("{path}:{}: new blank line at EOF.\n", at + 1).as_bytes()).await?;
        }
        Ok(has_errors)
    }
}
