//! How `grep` writes a line: name, number, offset, separator, matches in colour.

use super::Grep;
use super::settings::Binary;
use crate::character::unit_at;
use crate::memory::{Vec, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Span;

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

/// A shorter line is copied to what stands before it.
const SHORT: usize = 4 << 10;

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
            || settings.colors.is_some()
            || settings.only_matching
            || settings.line_buffered)
    }

    /// Writes a line or its matches; whether a match was left out because it is not text.
    pub(super) async fn line(
        &mut self,
        ctx: &mut Context,
        grep: &Grep,
        line: Line<'_>,
    ) -> Result<bool, UtilityError> {
        let settings = &grep.settings;
        let only_matching = settings.only_matching;
        // A context line of `-v` is one that matches.
        let has_matches = line.is_selected != settings.is_inverted;
        let colors = settings.colors.as_ref();
        let (of_match, of_rest) = colors
            .map_or_else(Default::default, |colors| colors.of_line(line.is_selected, settings.is_inverted));
        self.buffer.clear();
        if !only_matching {
            self.head(grep, line, line.offset);
        }
        let mut done = 0;
        if has_matches && (only_matching || !of_match.is_empty()) {
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
                let text = line.body.get(start..end).unwrap_or(&[]);
                if only_matching {
                    if settings.binary != Binary::Text && std::str::from_utf8(text).is_err() {
                        return Ok(true);
                    }
                    self.head(grep, line, line.offset + start as u64);
                } else {
                    if let Some(colors) = colors {
                        colors.start(of_rest, &mut self.buffer);
                    }
                    self.buffer.extend_from_slice(line.body.get(done..start).unwrap_or(&[]));
                }
                self.painted(grep, of_match, text);
                if only_matching {
                    self.buffer.push(settings.eol);
                }
                (at, done) = (end, end);
                ctx.stdout.write(&self.buffer).await?;
                self.buffer.clear();
            }
        }
        if !only_matching {
            let rest = line.body.get(done..).unwrap_or(&[]);
            if !of_rest.is_empty() && !rest.is_empty() {
                self.painted(grep, of_rest, rest);
                self.buffer.push(settings.eol);
            } else {
                if rest.len() < SHORT {
                    self.buffer.extend_from_slice(rest);
                } else {
                    ctx.stdout.write(&self.buffer).await?;
                    self.buffer.clear();
                    ctx.stdout.write(rest).await?;
                }
                self.buffer.push(settings.eol);
            }
        }
        ctx.stdout.write(&self.buffer).await?;
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
        let colors = settings.colors.as_ref();
        let numbers = [
            (settings.line_number, line.number, colors.map(|colors| &colors.line_number)),
            (settings.byte_offset, offset, colors.map(|colors| &colors.byte_offset)),
        ];
        for (is_shown, number, color) in numbers {
            if is_shown {
                let code: &[u8] = color.map_or(&[], |code| code);
                let mut digits = itoa::Buffer::new();
                let digits = digits.format(number);
                if digits.len() >= self.width {
                    self.painted(grep, code, digits.as_bytes());
                } else {
                    let text = format!("{digits:>width$}", width = self.width);
                    self.painted(grep, code, text.as_bytes());
                }
                self.separated(grep, separator);
            }
        }
        let has_head = grep.with_name || settings.line_number || settings.byte_offset;
        if settings.initial_tab && has_head && !line.body.is_empty() {
            self.buffer.push(b'\t');
        }
    }

    fn name(&mut self, grep: &Grep, separator: &[u8]) {
        self.named(grep);
        if grep.settings.null_after_name {
            self.buffer.push(0);
        } else {
            self.separated(grep, separator);
        }
    }

    fn named(&mut self, grep: &Grep) {
        match &grep.settings.colors {
            Some(colors) => colors.paint(&colors.name, &self.name, &mut self.buffer),
            None => self.buffer.extend_from_slice(&self.name),
        }
    }

    fn separated(&mut self, grep: &Grep, separator: &[u8]) {
        let color = grep.settings.colors.as_ref().map(|colors| colors.separator.as_slice());
        self.painted(grep, color.unwrap_or_default(), separator);
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
        self.named(grep);
        self.buffer.push(if grep.settings.null_after_name { 0 } else { b'\n' });
        ctx.stdout.write(&self.buffer).await
    }

    pub(super) async fn separator(&mut self, ctx: &mut Context, grep: &Grep) -> Result<(), UtilityError> {
        let Some(text) = &grep.settings.separator else { return Ok(()) };
        self.buffer.clear();
        self.separated(grep, text);
        self.buffer.push(b'\n');
        ctx.stdout.write(&self.buffer).await
    }

    /// Puts a text in a colour, if there are colours.
    fn painted(&mut self, grep: &Grep, code: &[u8], text: &[u8]) {
        match &grep.settings.colors {
            Some(colors) => colors.paint(code, text, &mut self.buffer),
            None => self.buffer.extend_from_slice(text),
        }
    }
}

async fn find(ctx: &Context, grep: &Grep, body: &[u8], at: usize) -> Result<Option<Span>, UtilityError> {
    grep.matcher
        .find_at(body, at, &mut Pace::Shared(&ctx.meter))
        .await
        .map_err(|error| search_error(&ctx.meter, &error, 2))
}
