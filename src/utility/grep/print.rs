//! How `grep` writes a line: name, number, offset, separator, matches in colour.

use super::Grep;
use super::settings::Binary;
use crate::character::unit_at;
use crate::memory::{Vec, format};
use crate::utility::pace::Pace;
use crate::utility::prelude::*;
use crate::utility::regex::Span;
use crate::utility::ticker::search_error;

const MATCH: &str = "01;31";
const NAME: &str = "35";
const NUMBER: &str = "32";
const SEPARATOR: &str = "36";

/// A line to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'b> {
    /// Without its end.
    pub(super) body: &'b [u8],
    /// From 1.
    pub(super) number: u64,
    /// Bytes of the input before it.
    pub(super) offset: u64,
    /// Selected, or context.
    pub(super) is_selected: bool,
}

/// Writes lines of one input.
#[derive(Debug)]
pub(super) struct Printer {
    /// Its name as shown.
    pub(super) name: Text,
    /// Columns of numbers with `-T`.
    pub(super) width: usize,
    buffer: Vec<u8>,
}

impl Printer {
    pub(super) fn new(name: Text, width: usize) -> Self {
        Self { name, width, buffer: Vec::new() }
    }

    /// Whether lines are written as they are.
    pub(super) fn is_plain(grep: &Grep) -> bool {
        let settings = &grep.settings;
        !(grep.with_name
            || settings.line_number
            || settings.byte_offset
            || settings.color
            || settings.only_matching
            || settings.line_buffered)
    }

    /// Writes a line or its matches; whether a match was left out because it is no text.
    pub(super) async fn line(
        &mut self,
        ctx: &mut Context,
        grep: &Grep,
        line: Line<'_>,
    ) -> Result<bool, UtilityError> {
        let settings = &grep.settings;
        // A context line of `-v` is one that matches.
        let has_matches = line.is_selected != settings.is_inverted;
        self.buffer.clear();
        if !settings.only_matching {
            self.head(grep, line, line.offset);
        }
        let mut done = 0;
        if has_matches && (settings.only_matching || settings.color) {
            let mut at = 0;
            while let Some((start, end)) = find(ctx, grep, line.body, at).await? {
                ctx.tick().await?;
                if start == end {
                    at = start + unit_at(line.body, start).map_or(1, |(_, length)| length);
                    if at > line.body.len() {
                        break;
                    }
                    continue;
                }
                if settings.only_matching {
                    let text = line.body.get(start..end).unwrap_or(&[]);
                    if settings.binary != Binary::Text && std::str::from_utf8(text).is_err() {
                        return Ok(true);
                    }
                    self.head(grep, line, line.offset + start as u64);
                } else {
                    self.buffer.extend_from_slice(line.body.get(done..start).unwrap_or(&[]));
                }
                let text = line.body.get(start..end).unwrap_or(&[]);
                self.colored(settings.color, MATCH, text);
                if settings.only_matching {
                    self.buffer.push(settings.eol);
                }
                (at, done) = (end, end);
                ctx.stdout.write(&self.buffer).await?;
                self.buffer.clear();
            }
        }
        ctx.stdout.write(&self.buffer).await?;
        if !settings.only_matching {
            ctx.stdout.write(line.body.get(done..).unwrap_or(&[])).await?;
            ctx.stdout.write(&[settings.eol]).await?;
        }
        if settings.line_buffered {
            ctx.stdout.flush().await?;
        }
        Ok(false)
    }

    /// What stands before a line or match.
    fn head(&mut self, grep: &Grep, line: Line<'_>, offset: u64) {
        let settings = &grep.settings;
        let separator = if line.is_selected { b":" } else { b"-" };
        if grep.with_name {
            self.name(grep, separator);
        }
        for (is_shown, number) in [(settings.line_number, line.number), (settings.byte_offset, offset)] {
            if is_shown {
                let text = format!("{number:width$}", width = self.width);
                self.colored(settings.color, NUMBER, text.as_bytes());
                self.colored(settings.color, SEPARATOR, separator);
            }
        }
        if settings.initial_tab && (grep.with_name || settings.line_number || settings.byte_offset) {
            self.buffer.push(b'\t');
        }
    }

    fn name(&mut self, grep: &Grep, separator: &[u8]) {
        let name = self.name.clone();
        self.colored(grep.settings.color, NAME, &name);
        if grep.settings.null_after_name {
            self.buffer.push(0);
        } else {
            self.colored(grep.settings.color, SEPARATOR, separator);
        }
    }

    /// `-c`
    pub(super) async fn count(
        &mut self,
        ctx: &mut Context,
        grep: &Grep,
        count: u64,
    ) -> Result<(), UtilityError> {
        self.buffer.clear();
        if grep.with_name {
            self.name(grep, b":");
        }
        self.buffer.extend_from_slice(format!("{count}\n").as_bytes());
        ctx.stdout.write(&self.buffer).await
    }

    /// `-l` and `-L`
    pub(super) async fn name_alone(&mut self, ctx: &mut Context, grep: &Grep) -> Result<(), UtilityError> {
        self.buffer.clear();
        let name = self.name.clone();
        self.colored(grep.settings.color, NAME, &name);
        self.buffer.push(if grep.settings.null_after_name { 0 } else { b'\n' });
        ctx.stdout.write(&self.buffer).await
    }

    pub(super) async fn separator(&mut self, ctx: &mut Context, grep: &Grep) -> Result<(), UtilityError> {
        let Some(text) = &grep.settings.separator else { return Ok(()) };
        self.buffer.clear();
        self.colored(grep.settings.color, SEPARATOR, text);
        self.buffer.push(b'\n');
        ctx.stdout.write(&self.buffer).await
    }

    fn colored(&mut self, color: bool, code: &str, text: &[u8]) {
        if color {
            self.buffer.extend_from_slice(format!("\x1b[{code}m\x1b[K").as_bytes());
        }
        self.buffer.extend_from_slice(text);
        if color {
            self.buffer.extend_from_slice(b"\x1b[m\x1b[K");
        }
    }
}

async fn find(ctx: &Context, grep: &Grep, body: &[u8], at: usize) -> Result<Option<Span>, UtilityError> {
    grep.matcher
        .find_at(body, at, &mut Pace::Shared(&ctx.meter))
        .await
        .map_err(|error| search_error(&ctx.meter, &error, 2))
}
