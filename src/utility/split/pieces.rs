//! Pieces of so many lines or bytes, cut as the input streams by. A piece is opened when there is something to put into it.

use super::target::Targets;
use crate::memory::Vec;
use crate::utility::prelude::*;

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Byte,
    /// Ended by this byte.
    Line(u8),
}

impl Unit {
    /// Where the first `left` units of `block` end, and how many of them are in it.
    fn cut(self, block: &[u8], left: u64) -> (usize, u64) {
        match self {
            Self::Byte => {
                let end = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
                (end, end as u64)
            }
            Self::Line(separator) => {
                let mut found = 0;
                for at in memchr::memchr_iter(separator, block) {
                    found += 1;
                    if found == left {
                        return (at + 1, found);
                    }
                }
                (block.len(), found)
            }
        }
    }
}

/// Pieces of `count` units.
pub(super) async fn counted(
    ctx: &mut Context,
    input: &mut Input,
    targets: &mut Targets,
    count: u64,
    unit: Unit,
) -> Result<(), OperandError> {
    let mut left = 0;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        let length = block.len();
        let mut rest = block;
        while !rest.is_empty() {
            if left == 0 {
                targets.begin(ctx).await?;
                left = count;
            }
            let (end, found) = unit.cut(rest, left);
            let (piece, more) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            targets.write(piece).await?;
            left -= found;
            rest = more;
        }
        if length == 0 {
            return Ok(());
        }
        input.consume(length);
    }
}

/// The piece at hand of [`line_bytes`].
struct Piece {
    most: u64,
    written: u64,
    /// Its last line is complete; what comes after it waits in `held` for its end, so as to be cut only where it alone is
    /// too long.
    has_line: bool,
    held: Vec<u8>,
}

/// Pieces of at most `most` bytes, of whole lines where they fit.
pub(super) async fn line_bytes(
    ctx: &mut Context,
    input: &mut Input,
    targets: &mut Targets,
    most: u64,
    separator: u8,
) -> Result<(), OperandError> {
    let mut piece = Piece { most, written: 0, has_line: false, held: Vec::new() };
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        let length = block.len();
        for part in block.split_inclusive(|byte| *byte == separator) {
            piece.add(ctx, targets, part, separator).await?;
        }
        if length == 0 {
            piece.release(ctx, targets).await?;
            return Ok(());
        }
        input.consume(length);
    }
}

impl Piece {
    /// Adds a line, or a part of one.
    async fn add(
        &mut self,
        ctx: &mut Context,
        targets: &mut Targets,
        mut part: &[u8],
        separator: u8,
    ) -> Result<(), UtilityError> {
        let is_end = part.last() == Some(&separator);
        if self.has_line {
            let room = self.most.saturating_sub(self.written).saturating_sub(self.held.len() as u64);
            let size = part.len() as u64;
            if is_end && size <= room {
                self.release(ctx, targets).await?;
                return self.write(ctx, targets, part, true).await;
            }
            if size < room {
                self.held.extend_from_slice(part);
                return Ok(());
            }
            (self.has_line, self.written) = (false, 0);
            self.release(ctx, targets).await?;
        }
        while !part.is_empty() {
            let room = usize::try_from(self.most - self.written).unwrap_or(usize::MAX);
            let (taken, rest) = part.split_at_checked(room).unwrap_or((part, &[]));
            self.write(ctx, targets, taken, is_end && rest.is_empty()).await?;
            part = rest;
        }
        Ok(())
    }

    async fn release(&mut self, ctx: &mut Context, targets: &mut Targets) -> Result<(), UtilityError> {
        let held = std::mem::take(&mut self.held);
        self.write(ctx, targets, &held, false).await
    }

    /// Writes what has room.
    async fn write(
        &mut self,
        ctx: &mut Context,
        targets: &mut Targets,
        bytes: &[u8],
        is_line: bool,
    ) -> Result<(), UtilityError> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.written == 0 {
            targets.begin(ctx).await?;
        }
        targets.write(bytes).await?;
        self.written += bytes.len() as u64;
        self.has_line |= is_line;
        if self.written >= self.most {
            (self.written, self.has_line) = (0, false);
        }
        Ok(())
    }
}
