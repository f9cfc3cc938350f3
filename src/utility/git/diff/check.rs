//! `--check`: errors of white space and markers of conflicts that changes bring.

use super::change::Change;
use super::lines::{Blanks, File, runs};
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
        let (olds, news) = (blank_end(&left), blank_end(&right));
        if news > olds {
            has_errors = true;
            let line = right.count() - news + 1;
            self.print(format!("{path}:{line}: new blank line at EOF.\n").as_bytes()).await?;
        }
        Ok(has_errors)
    }
}
