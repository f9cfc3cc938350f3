//! Files as lines, lines as numbers: lines that count as equal get the same one.

use super::change::Change;
use super::myers;
use crate::limit::LimitError;
use crate::memory::{HashMap, ToMetered, Vec};
use crate::utility::prelude::*;
use std::time::Duration;

/// What is ignored when lines are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Normal {
    pub(super) case: bool,
    pub(super) all_space: bool,
    pub(super) space_change: bool,
    pub(super) trailing_space: bool,
    /// Tabs are as the blanks up to the next tab stop, of which there is one every so many columns.
    pub(super) expansion: Option<usize>,
    /// A missing newline at the end of a file.
    pub(super) missing_newline: bool,
}

/// A file in memory.
#[derive(Clone)]
pub(super) struct File {
    pub(super) name: Text,
    /// Since the epoch.
    pub(super) modified: Duration,
    pub(super) text: Vec<u8>,
    /// Where each line begins, and the end of the last.
    starts: Vec<usize>,
}

impl File {
    /// Reads a file; one that does not exist is empty. `strips`: without the carriage returns before newlines.
    pub(super) async fn read(
        ctx: &mut Context,
        name: Text,
        exists: bool,
        strips: bool,
    ) -> Result<Self, OperandError> {
        let mut file = Self { name, modified: Duration::ZERO, text: Vec::new(), starts: Vec::new() };
        if exists {
            let mut input = ctx.open_input(&file.name)?;
            let metadata = input.description().metadata();
            file.modified = metadata.map_or_else(|| ctx.session.clock.now(), |metadata| metadata.modified);
            loop {
                ctx.check().await?;
                let block = input.fill().await?;
                if block.is_empty() {
                    break;
                }
                let count = block.len();
                if strips {
                    // Each carriage return begins a piece, so that what is before it stands whole.
                    let mut start = 0;
                    for at in memchr::memchr_iter(b'\r', block).chain([count]) {
                        let piece = block.get(start..at).unwrap_or(&[]);
                        if piece.first() == Some(&b'\n') && file.text.last() == Some(&b'\r') {
                            file.text.truncate(file.text.len() - 1);
                        }
                        file.text.extend_from_slice(piece);
                        if at < count {
                            file.text.push(b'\r');
                        }
                        start = at + 1;
                    }
                } else {
                    file.text.extend_from_slice(block);
                }
                input.consume(count);
            }
        }
        file.starts.push(0);
        for end in memchr::memchr_iter(b'\n', &file.text) {
            file.starts.push(end + 1);
            ctx.tick().await?;
        }
        if file.starts.last() != Some(&file.text.len()) {
            file.starts.push(file.text.len());
        }
        Ok(file)
    }

    pub(super) fn is_binary(&self) -> bool {
        memchr::memchr(0, self.text.get(..32 * 1024).unwrap_or(&self.text)).is_some()
    }

    pub(super) fn line_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// A line with its newline.
    pub(super) fn line(&self, index: usize) -> &[u8] {
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(&start), Some(&end)) => self.text.get(start..end).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// How the changes are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    pub(super) normal: Normal,
    pub(super) minimal: bool,
    /// Files are large, with many small changes between them.
    pub(super) speed: bool,
    /// Lines that are looked at of what both files begin and end with.
    pub(super) horizon: usize,
}

/// The changes that make the first file the second.
pub(super) async fn changes(
    ctx: &mut Context,
    search: Search,
    files: [&File; 2],
) -> Result<Vec<Change>, LimitError> {
    let [left_numbers, right_numbers] = number_lines(ctx, search.normal, files).await?;
    // What both files begin and end with is compared as it is, whatever else is ignored.
    let lenient = search.normal.missing_newline;
    let same = |one: &[u8], two: &[u8]| {
        one == two || (lenient && split_delimiter(one, b'\n').0 == split_delimiter(two, b'\n').0)
    };
    let [left, right] = files;
    let counts = files.map(File::line_count);
    let fewest = counts.into_iter().min().unwrap_or(0);
    let (mut prefix, mut suffix) = (0, 0);
    while prefix < fewest && same(left.line(prefix), right.line(prefix)) {
        ctx.tick_many((left.line(prefix).len() / 256) as u32);
        ctx.tick().await?;
        prefix += 1;
    }
    let skipped = prefix.saturating_sub(search.horizon);
    let [left_count, right_count] = counts;
    while suffix < fewest - skipped
        && same(left.line(left_count - 1 - suffix), right.line(right_count - 1 - suffix))
    {
        ctx.tick_many((left.line(left_count - 1 - suffix).len() / 256) as u32);
        ctx.tick().await?;
        suffix += 1;
    }
    let left_out = suffix.saturating_sub(search.horizon);
    let middles = [&left_numbers, &right_numbers]
        .map(|numbers| numbers.get(skipped..numbers.len() - left_out).unwrap_or(&[]));
    let [left_middle, right_middle] = middles;
    let (left_changed, right_changed) = myers::compare(ctx, left_middle, right_middle, search).await?;
    let mut changes = Vec::new();
    let (mut x, mut y) = (0, 0);
    let run = |changed: &[bool], from: usize| {
        changed.get(from..).unwrap_or(&[]).iter().take_while(|on| **on).count()
    };
    while x < left_middle.len() || y < right_middle.len() {
        ctx.tick().await?;
        let (deleted, inserted) = (run(&left_changed, x), run(&right_changed, y));
        if deleted + inserted > 0 {
            let (left, right) = (x + skipped, y + skipped);
            changes.push(Change { left, deleted, right, inserted, is_ignored: false });
        }
        x += deleted + 1;
        y += inserted + 1;
    }
    Ok(changes)
}

async fn number_lines(
    ctx: &mut Context,
    normal: Normal,
    files: [&File; 2],
) -> Result<[Vec<u32>; 2], LimitError> {
    // The randomly keyed hasher of the standard library: no input can make its table slow.
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut result = [Vec::new(), Vec::new()];
    let mut shown = Vec::new();
    for (file, result) in files.into_iter().zip(&mut result) {
        for index in 0..file.line_count() {
            let line = file.line(index);
            ctx.tick_many((line.len() / 64) as u32);
            ctx.tick().await?;
            let key = if normal == Normal::default() {
                line
            } else {
                shown.clear();
                normalise(normal, line, &mut shown);
                &shown
            };
            let number = if let Some(number) = numbers.get(key) {
                *number
            } else {
                let number = numbers.len() as u32;
                numbers.insert(key.to_metered(), number);
                number
            };
            result.push(number);
        }
    }
    Ok(result)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// How many blanks a line begins with.
pub(super) fn blank_prefix(line: &[u8]) -> usize {
    line.iter().take_while(|byte| is_space(**byte)).count()
}

/// Appends what is left of a line to compare.
fn normalise(normal: Normal, line: &[u8], out: &mut Vec<u8>) {
    let (mut body, newline) = split_delimiter(line, b'\n');
    let blanks = normal.all_space || normal.space_change || normal.trailing_space;
    if blanks {
        let end = body.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
        body = body.get(..end).unwrap_or(body);
    }
    if let Some(size) = normal.expansion {
        expand(normal, size.max(1), body, out);
    } else {
        let mut after_space = false;
        for &byte in body {
            let space = is_space(byte);
            let skipped = space && (normal.all_space || (normal.space_change && after_space));
            after_space = space;
            if skipped {
                continue;
            }
            out.push(match byte {
                _ if space && normal.space_change => b' ',
                _ if normal.case => byte.to_ascii_lowercase(),
                _ => byte,
            });
        }
    }
    if newline || blanks || normal.missing_newline {
        out.push(b'\n');
    }
}

/// A line with each run of blanks and tabs as a blank and how many columns it takes: the columns themselves may be many. A
/// carriage return and a backspace have a column where GNU diff compares lines and none where it looks for equal ones, so
/// a tab after one of them is equal to a tab alone: both numbers are taken.
fn expand(normal: Normal, size: usize, body: &[u8], out: &mut Vec<u8>) {
    let (mut columns, mut blanks) = ([0_usize; 2], [0_usize; 2]);
    let end_run = |blanks: &mut [usize; 2], out: &mut Vec<u8>| {
        if *blanks != [0, 0] {
            out.push(b' ');
            for count in blanks {
                out.extend_from_slice(&count.to_le_bytes());
                *count = 0;
            }
        }
    };
    for &byte in body {
        if matches!(byte, b' ' | b'\t') {
            for (column, blanks) in columns.iter_mut().zip(&mut blanks) {
                let distance = if byte == b' ' { 1 } else { size - *column % size };
                *column = column.saturating_add(distance);
                *blanks = blanks.saturating_add(distance);
            }
            continue;
        }
        let [shown, compared] = &mut columns;
        *shown = match byte {
            b'\r' => 0,
            8 => shown.saturating_sub(1),
            _ => shown.saturating_add(1),
        };
        *compared = compared.saturating_add(1);
        end_run(&mut blanks, out);
        out.push(if normal.case { byte.to_ascii_lowercase() } else { byte });
    }
    end_run(&mut blanks, out);
}
