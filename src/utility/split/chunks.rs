//! A number of chunks: equal parts of the bytes, the same in whole lines, or lines dealt out in turn.

use super::settings::{Kind, SplitOptions};
use super::target::{Target, Targets};
use crate::memory::Vec;
use crate::utility::prelude::*;

pub(super) async fn split(
    ctx: &mut Context,
    input: &mut Input,
    targets: &mut Targets,
    settings: &SplitOptions,
    kind: Kind,
    chosen: Option<u64>,
    count: u64,
) -> Result<(), OperandError> {
    if kind == Kind::RoundRobin {
        return match chosen {
            Some(chosen) => one_in_turn(ctx, input, settings, chosen, count).await,
            None => in_turn(ctx, input, targets, settings, count).await,
        };
    }
    // The size of a pipe is known at its end.
    let mut data = Vec::new();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        data.extend_from_slice(block);
        let length = block.len();
        input.consume(length);
    }
    let parts =
        Parts { kind, separator: settings.separator, count, size: (data.len() as u64).max(count) / count };
    if let Some(chosen) = chosen {
        let start = parts.end(&data, chosen - 1);
        let end = parts.end(&data, chosen);
        ctx.stdout.write(data.get(start..end).unwrap_or(&[])).await?;
        return Ok(());
    }
    let mut start = 0;
    for number in 1..=count {
        let end = parts.end(&data, number);
        let part = data.get(start..end).unwrap_or(&[]);
        if !(part.is_empty() && settings.elide_empty) {
            targets.begin(ctx).await?;
            targets.write(part).await?;
        } else if end >= data.len() {
            break;
        }
        ctx.tick().await?;
        start = end.max(start);
    }
    Ok(())
}

struct Parts {
    kind: Kind,
    separator: u8,
    count: u64,
    /// Of each part but the last, in bytes.
    size: u64,
}

impl Parts {
    /// Where part `number`, from 1, ends. A line belongs to the part in which it begins.
    fn end(&self, data: &[u8], number: u64) -> usize {
        if number == 0 {
            return 0;
        }
        if number >= self.count {
            return data.len();
        }
        let end = usize::try_from(number.saturating_mul(self.size)).unwrap_or(usize::MAX).min(data.len());
        if self.kind == Kind::Bytes || end == 0 {
            return end;
        }
        let from = end - 1;
        let rest = data.get(from..).unwrap_or(&[]);
        memchr::memchr(self.separator, rest).map_or(data.len(), |found| from + found + 1)
    }
}

/// Prints the lines of one chunk.
async fn one_in_turn(
    ctx: &mut Context,
    input: &mut Input,
    settings: &SplitOptions,
    chosen: u64,
    count: u64,
) -> Result<(), OperandError> {
    let mut turn = 1;
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(settings.separator).await? else { return Ok(()) };
        if turn == chosen {
            ctx.stdout.write(line).await?;
            if settings.unbuffered {
                ctx.stdout.flush().await?;
            }
        }
        turn = if turn == count { 1 } else { turn + 1 };
    }
}

/// Deals lines out to all chunks.
async fn in_turn(
    ctx: &mut Context,
    input: &mut Input,
    targets: &mut Targets,
    settings: &SplitOptions,
    count: u64,
) -> Result<(), OperandError> {
    let mut open: Vec<Target> = Vec::new();
    let mut turn = 0_usize;
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(settings.separator).await? else { break };
        if turn == open.len() {
            let target = targets.open(ctx).await?;
            open.push(target);
        }
        if let Some(target) = open.get_mut(turn) {
            // Many chunks with a full buffer each would be much memory.
            target.write(line).await?;
            if settings.unbuffered || count > 64 {
                target.flush().await?;
            }
        }
        turn = if turn as u64 + 1 == count { 0 } else { turn + 1 };
    }
    let mut opened = open.len() as u64;
    let mut rest = Vec::new();
    while let Some(target) = open.pop() {
        rest.push(target);
    }
    while let Some(target) = rest.pop() {
        targets.finish(ctx, target).await?;
    }
    while opened < count && !settings.elide_empty {
        targets.begin(ctx).await?;
        opened += 1;
    }
    Ok(())
}
