//! What `rg` writes of one input: lines with what stands before them, matches alone, counts, names.

use super::color::{END, Style};
use super::replace::{Replaced, replace};
use super::search::{Search, count_lines};
use super::settings::{Binary, Report, Settings};
use super::statistics::Statistics;
use super::{Rg, json};
use crate::memory::{ToDecimal as _, Vec, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::grep::matcher::line_end;
use crate::utility::prelude::*;
use crate::utility::regex::Span;

/// A line, or with `-U` a group of lines, to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines<'t> {
    /// What the lines are a part of.
    pub(super) text: &'t [u8],
    pub(super) span: Span,
    /// Bytes of the input before them.
    pub(super) offset: u64,
    /// Of the first line, from 1.
    pub(super) number: u64,
    /// Selected, or context.
    pub(super) is_match: bool,
}

/// The lines of a group with their matches, as they are printed.
struct Group<'t> {
    text: &'t [u8],
    spans: &'t [Span],
    offset: u64,
    number: u64,
    is_match: bool,
}

/// The first match at or after `at`.
pub(super) async fn find(
    ctx: &Context,
    rg: &Rg,
    text: &[u8],
    at: usize,
) -> Result<Option<Span>, UtilityError> {
    let Some(regex) = rg.patterns.regex.as_ref().filter(|_| at <= text.len()) else { return Ok(None) };
    regex
        .find_at(text, at, &mut Pace::Shared(&ctx.meter))
        .await
        .map_err(|error| search_error(&ctx.meter, &error, 2))
}

/// The matches in a part of a text, if they have to be known: places from where the part begins. An empty one at its end is
/// none.
pub(super) async fn spans(
    ctx: &mut Context,
    rg: &Rg,
    text: &[u8],
    part: Span,
) -> Result<Vec<Span>, UtilityError> {
    let mut spans = Vec::new();
    if !rg.settings.needs_spans() {
        return Ok(spans);
    }
    let whole = text.get(part.0..part.1).unwrap_or_default();
    let body = body(&rg.settings, whole);
    // Only where matches go over lines does the end of a line belong to what is searched.
    let (text, from, to) =
        if rg.patterns.crosses_lines { (text, part.0, part.1) } else { (body, 0, body.len()) };
    let mut at = from;
    let mut last = None;
    while at <= to {
        ctx.tick().await?;
        let Some((start, end)) = find(ctx, rg, text, at).await? else { break };
        if start > to || (start == to && rg.patterns.crosses_lines) {
            break;
        }
        let is_doubled = start == end && last == Some(end);
        at = if start == end { end + 1 } else { end };
        if !is_doubled && (start != end || start - from < whole.len()) {
            spans.push((start - from, end - from));
        }
        last = Some(end);
    }
    Ok(spans)
}

/// A line without its end.
fn body<'t>(settings: &Settings, line: &'t [u8]) -> &'t [u8] {
    let Some(body) = line.strip_suffix(&[settings.eol]) else { return line };
    if settings.line_end == b"\r\n" { body.strip_suffix(b"\r").unwrap_or(body) } else { body }
}

impl Settings {
    /// A path as it is shown.
    pub(super) fn push_path(&self, path: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        match &self.colors {
            Some(colors) => {
                colors.path.begin(out);
                out.extend_from_slice(path);
                out.extend_from_slice(END);
            }
            None => out.extend_from_slice(path),
        }
        if let (Some(separator), Some(shown)) = (self.path_separator, out.get_mut(start..)) {
            shown.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = separator);
        }
    }

    /// A number of a line's head, and what follows it.
    fn push_number(number: u64, style: Option<&Style>, separator: &[u8], out: &mut Vec<u8>) {
        if let Some(style) = style {
            style.begin(out);
        }
        out.extend_from_slice(number.to_decimal().as_bytes());
        if style.is_some() {
            out.extend_from_slice(END);
        }
        out.extend_from_slice(separator);
    }
}

async fn put(ctx: &mut Context, search: &mut Search, out: &mut Vec<u8>) -> Result<(), UtilityError> {
    search.bytes_printed += out.len() as u64;
    let written = ctx.stdout.write(out).await;
    out.clear();
    written
}

/// What stands before the first line of an input.
fn begin(rg: &mut Rg, search: &mut Search, out: &mut Vec<u8>) {
    if search.has_begun {
        return;
    }
    search.has_begun = true;
    let settings = &rg.settings;
    let is_heading = settings.heading && rg.with_name;
    if rg.has_printed {
        if settings.heading {
            out.extend_from_slice(settings.line_end);
        } else if let (Some(separator), true) =
            (&settings.separator, settings.before > 0 || settings.after > 0)
        {
            out.extend_from_slice(separator);
            out.extend_from_slice(settings.line_end);
        }
    }
    rg.has_printed = true;
    if is_heading {
        settings.push_path(&search.name, out);
        out.extend_from_slice(if settings.null_after_name { b"\0" } else { settings.line_end });
    }
}

/// Stands between lines that are apart.
pub(super) async fn separator(
    ctx: &mut Context,
    rg: &mut Rg,
    search: &mut Search,
) -> Result<(), UtilityError> {
    let mut out = Vec::new();
    if let (Report::Lines, Some(text)) = (rg.settings.report, &rg.settings.separator) {
        out.extend_from_slice(text);
        out.extend_from_slice(rg.settings.line_end);
    }
    put(ctx, search, &mut out).await
}

/// Writes lines.
pub(super) async fn lines(
    ctx: &mut Context,
    rg: &mut Rg,
    search: &mut Search,
    lines: Lines<'_>,
) -> Result<(), UtilityError> {
    let mut out = Vec::new();
    begin(rg, search, &mut out);
    put(ctx, search, &mut out).await?;
    let text = lines.text.get(lines.span.0..lines.span.1).unwrap_or_default();
    // A context line of `-v` is one that matches.
    let has_matches = lines.is_match != rg.settings.is_inverted;
    let spans = if has_matches { spans(ctx, rg, lines.text, lines.span).await? } else { Vec::new() };
    if lines.is_match {
        search.matches += spans.len() as u64;
        search.matched_lines += count_lines(text, rg.settings.eol);
    }
    let replaced = if rg.replacement.is_some() && !spans.is_empty() {
        Some(replaced(ctx, rg, lines, text, &spans).await?)
    } else {
        None
    };
    let (text, spans) = match &replaced {
        Some(Replaced { text, spans }) => (text.as_slice(), spans.as_slice()),
        None => (text, spans.as_slice()),
    };
    let group = Group { text, spans, offset: lines.offset, number: lines.number, is_match: lines.is_match };
    let settings = &rg.settings;
    if group.spans.is_empty() || !(settings.only_matching || settings.per_match) {
        group.whole(ctx, rg, search).await?;
    } else if settings.only_matching {
        group.matches_alone(ctx, rg, search).await?;
    } else {
        group.line_per_match(ctx, rg, search).await?;
    }
    if rg.settings.line_buffered {
        ctx.stdout.flush().await?;
    }
    Ok(())
}

/// The lines with their matches replaced.
async fn replaced(
    ctx: &mut Context,
    rg: &Rg,
    lines: Lines<'_>,
    text: &[u8],
    spans: &[Span],
) -> Result<Replaced, UtilityError> {
    if rg.patterns.crosses_lines {
        return replace(ctx, rg, lines.text, lines.span, spans).await;
    }
    let body = body(&rg.settings, text);
    let mut replaced = replace(ctx, rg, body, (0, body.len()), spans).await?;
    replaced.text.extend_from_slice(text.get(body.len()..).unwrap_or_default());
    Ok(replaced)
}

impl Group<'_> {
    /// What stands before a line or match.
    fn head(&self, rg: &Rg, search: &Search, place: (u64, u64, Option<u64>), out: &mut Vec<u8>) {
        let settings = &rg.settings;
        let separator = if self.is_match { &settings.field_match } else { &settings.field_context };
        let (offset, number, column) = place;
        if rg.with_name && !settings.heading {
            settings.push_path(&search.name, out);
            out.extend_from_slice(if settings.null_after_name { b"\0" } else { separator.as_slice() });
        }
        let colors = settings.colors.as_ref();
        if settings.line_number {
            Settings::push_number(number, colors.map(|colors| &colors.line), separator, out);
        }
        if let Some(column) = column.filter(|_| settings.column) {
            Settings::push_number(column, colors.map(|colors| &colors.column), separator, out);
        }
        if settings.byte_offset {
            Settings::push_number(offset, colors.map(|colors| &colors.column), separator, out);
        }
    }

    /// Each line as a whole.
    async fn whole(&self, ctx: &mut Context, rg: &Rg, search: &mut Search) -> Result<(), UtilityError> {
        let mut out = Vec::new();
        let column = self.spans.first().map(|span| span.0 as u64 + 1);
        let (mut at, mut number, mut next_span) = (0, self.number, 0);
        // A replacement may have left nothing, and that is a line too.
        loop {
            ctx.tick().await?;
            let end = line_end(self.text, at, rg.settings.eol);
            self.head(rg, search, (self.offset + at as u64, number, column), &mut out);
            while self.spans.get(next_span).is_some_and(|span| span.1 <= at)
                && next_span + 1 < self.spans.len()
            {
                next_span += 1;
            }
            let spans = self.spans.get(next_span..).unwrap_or_default();
            self.line(ctx, rg, search, (at, end), spans, &mut out).await?;
            (at, number) = (end, number + 1);
            if at >= self.text.len() {
                return Ok(());
            }
        }
    }

    /// A line, its matches in colour, and its end. The spans are those that end after where it begins.
    async fn line(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
        (start, end): Span,
        spans: &[Span],
        out: &mut Vec<u8>,
    ) -> Result<(), UtilityError> {
        let settings = &rg.settings;
        let line = self.text.get(start..end).unwrap_or_default();
        let blanks = if settings.trim { line.iter().take_while(|byte| is_blank(**byte)).count() } else { 0 };
        let start = start + blanks;
        let line = line.get(blanks..).unwrap_or_default();
        if settings.max_columns.is_some_and(|most| line.len() as u64 > most) {
            return self.too_long(ctx, rg, search, (start, end), spans, out).await;
        }
        let body = if self.spans.is_empty() { line } else { body(settings, line) };
        self.painted(ctx, rg, search, (start, start + body.len()), spans, out).await?;
        if self.spans.is_empty() {
            let is_ended = line.last() == Some(&settings.eol);
            out.extend_from_slice(if is_ended { b"" } else { settings.line_end });
        } else {
            out.extend_from_slice(settings.line_end);
        }
        put(ctx, search, out).await
    }

    /// A stretch of a line with its matches in colour.
    async fn painted(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
        (start, end): Span,
        spans: &[Span],
        out: &mut Vec<u8>,
    ) -> Result<(), UtilityError> {
        let style = rg.settings.colors.as_ref().map(|colors| &colors.matched).filter(|style| style.is_some());
        let mut at = start;
        let mut painted_to = None;
        for &(from, to) in spans.iter().take_while(|span| style.is_some() && span.0 < end) {
            ctx.tick().await?;
            let (from, to) = (from.max(at), to.min(end));
            if from >= to {
                continue;
            }
            // Matches that touch are one stretch of colour.
            if painted_to != Some(from) {
                if painted_to.is_some() {
                    out.extend_from_slice(END);
                }
                out.extend_from_slice(self.text.get(at..from).unwrap_or_default());
                if let Some(style) = style {
                    style.begin(out);
                }
            }
            out.extend_from_slice(self.text.get(from..to).unwrap_or_default());
            (at, painted_to) = (to, Some(to));
            if out.len() > 1 << 14 {
                put(ctx, search, out).await?;
            }
        }
        if painted_to.is_some() {
            out.extend_from_slice(END);
        }
        let rest = self.text.get(at..end).unwrap_or_default();
        if rest.len() > 1 << 14 {
            put(ctx, search, out).await?;
            search.bytes_printed += rest.len() as u64;
            return ctx.stdout.write(rest).await;
        }
        out.extend_from_slice(rest);
        Ok(())
    }

    /// What stands in place of a line that is longer than `-M` allows.
    async fn too_long(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
        (start, end): Span,
        spans: &[Span],
        out: &mut Vec<u8>,
    ) -> Result<(), UtilityError> {
        let settings = &rg.settings;
        let within = || spans.iter().take_while(|span| span.0 < end.max(start + 1));
        if settings.preview {
            let most = usize::try_from(settings.max_columns.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
            let line = self.text.get(start..end).unwrap_or_default();
            let cut = bstr::ByteSlice::grapheme_indices(line).take(most).last().map_or(0, |last| last.1);
            self.painted(ctx, rg, search, (start, start + cut), spans, out).await?;
            if self.spans.is_empty() {
                out.extend_from_slice(b" [... omitted end of long line]");
            } else {
                let left = within().filter(|span| span.0 >= start + cut).count();
                let word = if left == 1 { "match" } else { "matches" };
                out.extend_from_slice(format!(" [... {left} more {word}]").as_bytes());
            }
        } else if self.spans.is_empty() {
            let kind = if self.is_match { "matching" } else { "context" };
            out.extend_from_slice(format!("[Omitted long {kind} line]").as_bytes());
        } else if settings.only_matching {
            out.extend_from_slice(b"[Omitted long matching line]");
        } else {
            let count = if settings.per_match { self.spans.len() } else { within().count() };
            out.extend_from_slice(format!("[Omitted long line with {count} matches]").as_bytes());
        }
        out.extend_from_slice(settings.line_end);
        put(ctx, search, out).await
    }

    /// `-o`: what matches of each line. One without any characters is a line of its own, where matches stay in lines.
    async fn matches_alone(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
    ) -> Result<(), UtilityError> {
        let mut out = Vec::new();
        let eol = rg.settings.eol;
        let (mut line, mut number) = (0, self.number);
        let mut next = line_end(self.text, 0, eol);
        for &(start, end) in self.spans {
            ctx.tick().await?;
            while start >= next && next < self.text.len() && rg.patterns.crosses_lines {
                ctx.tick().await?;
                (line, number) = (next, number + 1);
                next = line_end(self.text, line, eol);
            }
            if !rg.patterns.crosses_lines {
                let column = start as u64 + 1;
                self.head(rg, search, (self.offset + start as u64, self.number, Some(column)), &mut out);
                self.alone(ctx, rg, search, (start, end), &mut out).await?;
                continue;
            }
            // A part for each line that the match goes over.
            let (mut from, mut at_line, mut at_next, mut at_number) = (start, line, next, number);
            while from < end {
                ctx.tick().await?;
                let line_body = body(&rg.settings, self.text.get(at_line..at_next).unwrap_or_default());
                let to = end.min(at_line + line_body.len());
                if from < to {
                    let column = start.saturating_sub(at_line) as u64 + 1;
                    self.head(rg, search, (self.offset + start as u64, at_number, Some(column)), &mut out);
                    self.alone(ctx, rg, search, (from, to), &mut out).await?;
                }
                (from, at_line, at_number) = (at_next, at_next, at_number + 1);
                at_next = line_end(self.text, at_line, eol);
                if at_line >= self.text.len() {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn alone(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
        (start, end): Span,
        out: &mut Vec<u8>,
    ) -> Result<(), UtilityError> {
        let settings = &rg.settings;
        let text = self.text.get(start..end).unwrap_or_default();
        let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
        let start = if settings.trim { start + blanks } else { start };
        if settings.max_columns.is_some_and(|most| (end - start) as u64 > most) {
            return self.too_long(ctx, rg, search, (start, end), &[(start, end)], out).await;
        }
        self.painted(ctx, rg, search, (start, end), &[(start, end)], out).await?;
        out.extend_from_slice(settings.line_end);
        put(ctx, search, out).await
    }

    /// `--vimgrep`: the line of each match, or the first of its lines.
    async fn line_per_match(
        &self,
        ctx: &mut Context,
        rg: &Rg,
        search: &mut Search,
    ) -> Result<(), UtilityError> {
        let mut out = Vec::new();
        let eol = rg.settings.eol;
        let (mut line, mut number) = (0, self.number);
        let mut next = line_end(self.text, 0, eol);
        for &(start, end) in self.spans {
            ctx.tick().await?;
            while start >= next && next < self.text.len() {
                ctx.tick().await?;
                (line, number) = (next, number + 1);
                next = line_end(self.text, line, eol);
            }
            let offset = if rg.patterns.crosses_lines { line } else { start };
            let column = start.saturating_sub(line) as u64 + 1;
            self.head(rg, search, (self.offset + offset as u64, number, Some(column)), &mut out);
            self.line(ctx, rg, search, (line, next), &[(start, end)], &mut out).await?;
        }
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// Tells what is told of an input as a whole, and adds it to what all inputs were.
pub(super) async fn finish(ctx: &mut Context, rg: &mut Rg, search: &mut Search) -> Result<(), UtilityError> {
    let is_cut = search.binary == Binary::Quit && search.binary_at.is_some();
    if rg.settings.report != Report::Json || search.has_begun {
        rg.statistics.add(&Statistics::of(search));
    }
    let mut out = Vec::new();
    // What was found in a file that turned out to be binary does not count.
    let count =
        if is_cut && !matches!(rg.settings.report, Report::Lines | Report::Json) { 0 } else { search.count };
    rg.has_matched |= if rg.settings.report == Report::NamesWithout { count == 0 } else { count > 0 };
    match rg.settings.report {
        Report::Lines if count > 0 => {
            if let Some(offset) = search.binary_at {
                if rg.with_name {
                    rg.settings.push_path(&search.name, &mut out);
                    out.extend_from_slice(b": ");
                }
                let what = if is_cut {
                    "WARNING: stopped searching binary file after match"
                } else {
                    "binary file matches"
                };
                out.extend_from_slice(
                    format!("{what} (found \"\\0\" byte around offset {offset})\n").as_bytes(),
                );
            }
        }
        Report::Json if search.has_begun => json::end(ctx, search).await?,
        Report::Count | Report::CountMatches if !is_cut => {
            let is_sum = rg.settings.report == Report::CountMatches
                || (rg.patterns.crosses_lines && !rg.settings.is_inverted);
            let number = if is_sum { search.matches } else { count };
            if number > 0 || rg.settings.include_zero {
                if rg.with_name {
                    rg.settings.push_path(&search.name, &mut out);
                    out.push(if rg.settings.null_after_name { 0 } else { b':' });
                }
                out.extend_from_slice(number.to_decimal().as_bytes());
                out.extend_from_slice(rg.settings.line_end);
            }
        }
        Report::NamesWith | Report::NamesWithout
            if !is_cut && (rg.settings.report == Report::NamesWith) == (count > 0) =>
        {
            rg.settings.push_path(&search.name, &mut out);
            out.extend_from_slice(if rg.settings.null_after_name { b"\0" } else { rg.settings.line_end });
        }
        _ => {}
    }
    ctx.stdout.write(&out).await
}
