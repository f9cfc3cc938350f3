//! The output formats of hunks: normal, unified, context, `ed` scripts and RCS. POSIX XCU diff.

use super::TROUBLE;
use super::change::{Change, Extent, Kind, hunks};
use super::color::Part;
use super::lines::File;
use super::printer::Printer;
use super::settings::Style;
use crate::memory::{String, ToDecimal, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;

/// Lines `[start, end)` as the formats count them: none are shown by the line before them.
fn range(start: usize, end: usize, separator: char) -> String {
    if end > start + 1 { format!("{}{separator}{end}", start + 1) } else { end.to_decimal() }
}

pub(super) async fn normal(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let [left, right] = printer.files;
    for change in changes.chunks(1) {
        printer.ctx.tick().await?;
        let Some(Extent { start: [x, y], end: [x_end, y_end], kind }) = Extent::of(change) else { continue };
        printer.begin().await?;
        printer.color(Part::Numbers).await?;
        let head = format!("{}{}{}", range(x, x_end, ','), kind.letter(), range(y, y_end, ','));
        printer.write(head.as_bytes()).await?;
        printer.color(Part::Plain).await?;
        printer.write(b"\n").await?;
        for index in x..x_end {
            printer.color(Part::Deleted).await?;
            printer.line(Some(b'<'), left.line(index)).await?;
        }
        if kind == Kind::Change {
            printer.write(b"---\n").await?;
        }
        for index in y..y_end {
            printer.color(Part::Added).await?;
            printer.line(Some(b'>'), right.line(index)).await?;
        }
    }
    Ok(())
}

pub(super) async fn unified(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let [left, right] = printer.files;
    let context = printer.settings.context;
    let range = |start: usize, end: usize| match end.saturating_sub(start) {
        0 => format!("{end},0"),
        1 => end.to_decimal(),
        count => format!("{},{count}", start + 1),
    };
    let mut search = FunctionSearch::default();
    for hunk in hunks(changes, context) {
        let Some(extent) = Extent::of(hunk) else { continue };
        let Extent { start: [mut x, mut y], end: [x_end, y_end], .. } =
            extent.widened(context, printer.files);
        let function = search.find(printer, x).await?;
        printer.begin().await?;
        printer.color(Part::Numbers).await?;
        printer.write(format!("@@ -{} +{} @@", range(x, x_end), range(y, y_end)).as_bytes()).await?;
        printer.color(Part::Plain).await?;
        write_function(printer, function).await?;
        let mut changes = hunk.iter();
        let mut next = changes.next();
        while x < x_end || y < y_end {
            match next {
                Some(change) if x >= change.left => {
                    for index in x..x + change.deleted {
                        printer.color(Part::Deleted).await?;
                        printer.unified_line(b'-', left.line(index)).await?;
                    }
                    for index in y..y + change.inserted {
                        printer.color(Part::Added).await?;
                        printer.unified_line(b'+', right.line(index)).await?;
                    }
                    x += change.deleted;
                    y += change.inserted;
                    next = changes.next();
                }
                _ => {
                    printer.unified_line(b' ', left.line(x)).await?;
                    x += 1;
                    y += 1;
                }
            }
        }
    }
    Ok(())
}

pub(super) async fn context(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let context = printer.settings.context;
    let mut search = FunctionSearch::default();
    for hunk in hunks(changes, context) {
        let Some(extent) = Extent::of(hunk) else { continue };
        let wide = extent.widened(context, printer.files);
        let function = search.find(printer, wide.start.first().copied().unwrap_or(0)).await?;
        printer.begin().await?;
        printer.write(b"***************").await?;
        write_function(printer, function).await?;
        for side in [0, 1] {
            let (Some(&start), Some(&end), Some(&file)) =
                (wide.start.get(side), wide.end.get(side), printer.files.get(side))
            else {
                continue;
            };
            let (before, after) = if side == 0 { ("***", "****") } else { ("---", "----") };
            printer.color(Part::Numbers).await?;
            printer.write(format!("{before} {} {after}", range(start, end, ',')).as_bytes()).await?;
            printer.color(Part::Plain).await?;
            printer.write(b"\n").await?;
            let shows = if side == 0 { extent.kind.deletes() } else { extent.kind.inserts() };
            if shows {
                context_lines(printer, hunk, file, side == 0, start, end).await?;
            }
        }
    }
    Ok(())
}

/// One half of a hunk.
async fn context_lines(
    printer: &mut Printer<'_>,
    hunk: &[Change],
    file: &File,
    is_left: bool,
    start: usize,
    end: usize,
) -> Result<(), UtilityError> {
    let mut changes = hunk.iter().map(|change| {
        if is_left {
            (change.left, change.left + change.deleted, change.inserted)
        } else {
            (change.right, change.right + change.inserted, change.deleted)
        }
    });
    let mut next = changes.next();
    for index in start..end {
        while next.is_some_and(|(_, end, _)| end <= index) {
            next = changes.next();
        }
        let mark = match next {
            Some((from, _, across)) if from <= index => match (across > 0, is_left) {
                (true, _) => b'!',
                (false, true) => b'-',
                (false, false) => b'+',
            },
            _ => b' ',
        };
        printer.color(if is_left { Part::Deleted } else { Part::Added }).await?;
        printer.line(Some(mark), file.line(index)).await?;
    }
    Ok(())
}

/// The last line before a hunk that matches one of the expressions of `-p` and `-F`.
#[derive(Default)]
struct FunctionSearch {
    /// Lines before this one were looked at.
    searched: usize,
    found: Option<usize>,
}

impl FunctionSearch {
    async fn find(
        &mut self,
        printer: &mut Printer<'_>,
        before: usize,
    ) -> Result<Option<usize>, UtilityError> {
        if printer.settings.function.is_empty() {
            return Ok(None);
        }
        let [file, _] = printer.files;
        for index in (self.searched.min(before)..before).rev() {
            printer.ctx.tick().await?;
            let (line, _) = split_delimiter(file.line(index), b'\n');
            for regex in &printer.settings.function {
                let meter = &printer.ctx.meter;
                let is_match = regex.is_match(line, &mut Pace::Shared(meter)).await;
                if is_match.map_err(|error| search_error(meter, &error, TROUBLE.0))? {
                    self.found = Some(index);
                    self.searched = before;
                    return Ok(self.found);
                }
            }
        }
        self.searched = before;
        Ok(self.found)
    }
}

/// The rest of a hunk's first line: up to 40 bytes of the function's.
async fn write_function(printer: &mut Printer<'_>, function: Option<usize>) -> Result<(), UtilityError> {
    if let Some(index) = function {
        let [file, _] = printer.files;
        let (line, _) = split_delimiter(file.line(index), b'\n');
        let start = super::lines::blank_prefix(line);
        let shown = line.get(start..).unwrap_or(&[]);
        let shown = shown.get(..40).unwrap_or(shown);
        let end = shown.iter().rposition(|byte| !super::lines::is_space(*byte)).map_or(0, |last| last + 1);
        printer.write(b" ").await?;
        printer.write(shown.get(..end).unwrap_or(&[])).await?;
    }
    printer.write(b"\n").await
}

/// Scripts: for `ed`, the same forward, and of RCS.
pub(super) async fn script(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let style = printer.settings.style;
    let [_, right] = printer.files;
    let count = changes.len();
    for index in 0..count {
        printer.ctx.tick().await?;
        let index = if style == Style::Ed { count - 1 - index } else { index };
        let change = changes.get(index..=index).unwrap_or(&[]);
        let Some(Extent { start: [x, y], end: [x_end, y_end], kind }) = Extent::of(change) else { continue };
        printer.begin().await?;
        let letter = kind.letter();
        let head = match style {
            Style::Ed => format!("{}{letter}\n", range(x, x_end, ',')),
            Style::ForwardEd => format!("{letter}{}\n", range(x, x_end, ' ')),
            _ => {
                let mut head = String::new();
                if kind.deletes() {
                    head.push_str(&format!("d{} {}\n", x + 1, x_end - x));
                }
                if kind.inserts() {
                    head.push_str(&format!("a{x_end} {}\n", y_end - y));
                }
                head
            }
        };
        printer.write(head.as_bytes()).await?;
        if !kind.inserts() {
            continue;
        }
        let mut is_inserting = true;
        for index in y..y_end {
            if !is_inserting {
                printer.write(b"a\n").await?;
                is_inserting = true;
            }
            let line = right.line(index);
            if style == Style::Ed && line == b".\n" {
                // A line with a dot alone would end the insertion.
                printer.write(b"..\n.\ns/.//\n").await?;
                is_inserting = false;
            } else {
                printer.line(None, line).await?;
            }
        }
        if style != Style::Rcs && is_inserting {
            printer.write(b".\n").await?;
        }
    }
    Ok(())
}

/// Prints the changes in the format that is asked for.
pub(super) async fn print(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    match printer.settings.style {
        Style::Normal => normal(printer, changes).await,
        Style::Unified => unified(printer, changes).await,
        Style::Context => context(printer, changes).await,
        Style::Ed | Style::ForwardEd | Style::Rcs => script(printer, changes).await,
        Style::SideBySide => super::side::print(printer, changes).await,
        Style::Merged => super::merged::print(printer, changes).await,
    }
}
