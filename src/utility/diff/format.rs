//! The output formats: normal and unified. POSIX XCU diff.

use super::lines::File;
use crate::memory::{JoinMetered, String, ToDecimal, ToMetered, ToMeteredString, Vec, format};
use crate::utility::prelude::*;
use std::time::Duration;

/// Lines `[left, left + deleted)` of the first file become `[right, right + inserted)` of the second; counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) left: usize,
    pub(super) deleted: usize,
    pub(super) right: usize,
    pub(super) inserted: usize,
}

/// Leaves out what can be ignored: changes, or hunks of changes within twice the context of which every change can be.
/// `ignorable` has an entry for each change.
pub(super) fn without_ignorable(changes: &[Change], ignorable: &[bool], context: usize) -> Vec<Change> {
    let mut ignorable = ignorable.iter();
    hunks(changes, context)
        .filter(|hunk| ignorable.by_ref().take(hunk.len()).filter(|ignored| **ignored).count() < hunk.len())
        .flatten()
        .copied()
        .collect()
}

/// Groups of changes whose contexts touch.
fn hunks(changes: &[Change], context: usize) -> impl Iterator<Item = &[Change]> {
    let near = context.saturating_mul(2);
    changes.chunk_by(move |one, two| context > 0 && two.left - (one.left + one.deleted) <= near)
}

async fn write_line(ctx: &mut Context, prefix: &[u8], line: &[u8]) -> Result<(), UtilityError> {
    ctx.stdout.push(prefix);
    ctx.stdout.push(line);
    if line.last() != Some(&b'\n') {
        ctx.stdout.push(b"\n\\ No newline at end of file\n");
    }
    ctx.tick().await?;
    ctx.stdout.flush_if_full().await
}

pub(super) async fn normal(
    ctx: &mut Context,
    changes: &[Change],
    [left, right]: [&File; 2],
) -> Result<(), UtilityError> {
    let range = |start: usize, count: usize| match count {
        0 => start.to_decimal(),
        1 => (start + 1).to_decimal(),
        _ => format!("{},{}", start + 1, start + count),
    };
    for change in changes {
        let letter = match (change.deleted, change.inserted) {
            (0, _) => 'a',
            (_, 0) => 'd',
            _ => 'c',
        };
        let (from, to) = (range(change.left, change.deleted), range(change.right, change.inserted));
        ctx.stdout.write(format!("{from}{letter}{to}\n").as_bytes()).await?;
        for index in change.left..change.left + change.deleted {
            write_line(ctx, b"< ", left.line(index)).await?;
        }
        if letter == 'c' {
            ctx.stdout.write(b"---\n").await?;
        }
        for index in change.right..change.right + change.inserted {
            write_line(ctx, b"> ", right.line(index)).await?;
        }
    }
    Ok(())
}

pub(super) async fn unified(
    ctx: &mut Context,
    labels: &[Text],
    context: usize,
    changes: &[Change],
    [left, right]: [&File; 2],
) -> Result<(), UtilityError> {
    for (index, (file, mark)) in [(left, "---"), (right, "+++")].into_iter().enumerate() {
        let line = match labels.get(index) {
            Some(label) => label.to_metered(),
            None => [&file.name, b"\t".as_slice(), timestamp(ctx, file.modified).as_bytes()].concat_metered(),
        };
        ctx.stdout.write(&[mark.as_bytes(), b" ", &line, b"\n"].concat_metered()).await?;
    }
    let range = |start: usize, count: usize| match count {
        0 => format!("{start},0"),
        1 => (start + 1).to_decimal(),
        _ => format!("{},{count}", start + 1),
    };
    for hunk in hunks(changes, context) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = context.min(first.left).min(first.right);
        let after = context.min(left.line_count() - (last.left + last.deleted));
        let (x0, y0) = (first.left - before, first.right - before);
        let (x1, y1) = (last.left + last.deleted + after, last.right + last.inserted + after);
        let header = format!("@@ -{} +{} @@\n", range(x0, x1 - x0), range(y0, y1 - y0));
        ctx.stdout.write(header.as_bytes()).await?;
        let mut at = x0;
        for change in hunk {
            for index in at..change.left {
                write_line(ctx, b" ", left.line(index)).await?;
            }
            for index in change.left..change.left + change.deleted {
                write_line(ctx, b"-", left.line(index)).await?;
            }
            for index in change.right..change.right + change.inserted {
                write_line(ctx, b"+", right.line(index)).await?;
            }
            at = change.left + change.deleted;
        }
        for index in at..x1 {
            write_line(ctx, b" ", left.line(index)).await?;
        }
    }
    Ok(())
}

/// `2026-05-28 12:34:56.789000000 +0000` in the zone of `TZ`.
fn timestamp(ctx: &Context, time: Duration) -> String {
    let zone = ctx.env.get(b"TZ").and_then(|name| jiff::tz::TimeZone::get(&name.to_string_lossy()).ok());
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let stamp =
        jiff::Timestamp::new(seconds, time.subsec_nanos().cast_signed()).unwrap_or(jiff::Timestamp::MAX);
    let zoned = stamp.to_zoned(zone.unwrap_or(jiff::tz::TimeZone::UTC));
    zoned.strftime("%Y-%m-%d %H:%M:%S.%9f %z").to_metered_string()
}
