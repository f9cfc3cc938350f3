//! Files as lines, lines as numbers: lines that count as equal get the same one.

use super::format::Change;
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
    pub(super) carriage_return: bool,
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
    /// Reads a file; one that does not exist is empty.
    pub(super) async fn read(ctx: &mut Context, name: Text, exists: bool) -> Result<Self, OperandError> {
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
                file.text.extend_from_slice(block);
                let count = block.len();
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

/// The changes that make the first file the second.
pub(super) async fn changes(
    ctx: &mut Context,
    normal: Normal,
    minimal: bool,
    files: [&File; 2],
) -> Result<Vec<Change>, LimitError> {
    let [left, right] = files;
    let [left_numbers, right_numbers] = number_lines(ctx, normal, files).await?;
    let (left_changed, right_changed) = myers::compare(ctx, &left_numbers, &right_numbers, minimal).await?;
    let mut changes = Vec::new();
    let (mut x, mut y) = (0, 0);
    let run = |changed: &[bool], from: usize| {
        changed.get(from..).unwrap_or(&[]).iter().take_while(|on| **on).count()
    };
    while x < left.line_count() || y < right.line_count() {
        ctx.tick().await?;
        let (deleted, inserted) = (run(&left_changed, x), run(&right_changed, y));
        if deleted + inserted > 0 {
            changes.push(Change { left: x, deleted, right: y, inserted });
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

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 0x09..=0x0d)
}

/// Appends what is left of a line to compare.
fn normalise(normal: Normal, line: &[u8], out: &mut Vec<u8>) {
    let (mut body, newline) = split_delimiter(line, b'\n');
    if normal.carriage_return && newline {
        body = body.strip_suffix(b"\r").unwrap_or(body);
    }
    let blanks = normal.all_space || normal.space_change || normal.trailing_space;
    if blanks {
        let end = body.iter().rposition(|byte| !is_space(*byte)).map_or(0, |last| last + 1);
        body = body.get(..end).unwrap_or(body);
    }
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
    if newline || blanks {
        out.push(b'\n');
    }
}
