//! `xxd -r`: from digits to bytes, each line at its own offset.

use super::{Style, XxdOptions};
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;

/// What was read last: three digits back tell garbage from blanks between groups.
struct Digits {
    last: [Option<u8>; 3],
    /// What stands before the first digit of a line is passed over.
    ignores: bool,
    /// The rest of a line is passed over.
    skips_line: bool,
    /// Bytes of the line so far; that many that an offset is read: `columns`.
    column: usize,
    wanted: u64,
    written: u64,
}

impl Digits {
    fn end_line(&mut self, is_plain: bool, columns: usize) {
        if !is_plain {
            self.wanted = 0;
        }
        self.column = columns;
        self.ignores = true;
    }
}

/// See the module.
pub(super) async fn revert(
    ctx: &mut Context,
    mut input: Input,
    settings: &XxdOptions,
) -> Result<ExitStatus, UtilityError> {
    let is_plain = settings.style == Style::Plain;
    let base = u64::try_from(settings.seek).unwrap_or(0);
    let columns = settings.columns;
    let mut state =
        Digits { last: [None; 3], ignores: true, skips_line: false, column: columns, wanted: 0, written: 0 };
    loop {
        ctx.check().await?;
        let block = match input.fill().await {
            Ok(block) => block,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                return Err(UtilityError::Failed { message: errno.message().into(), status: 2 });
            }
        };
        if block.is_empty() {
            return Ok(ExitStatus::SUCCESS);
        }
        let piece = block.get(..4096).unwrap_or(block);
        for &byte in piece {
            if state.skips_line {
                if byte == b'\n' {
                    state.skips_line = false;
                    state.end_line(is_plain, columns);
                }
                continue;
            }
            if byte == b'\r' || (is_plain && matches!(byte, b' ' | b'\n' | b'\t')) {
                continue;
            }
            let digit = char::from(byte).to_digit(16).map(|digit| digit as u8);
            let [one, two, _] = state.last;
            state.last = [digit, one, two];
            if digit.is_none() && state.ignores {
                continue;
            }
            state.ignores = false;
            if !is_plain && state.column >= columns {
                match digit {
                    Some(digit) => state.wanted = state.wanted << 4 | u64::from(digit),
                    None => state.column = 0,
                }
                continue;
            }
            let target = base.wrapping_add(state.wanted);
            if target != state.written {
                go_to(ctx, &mut state, target).await?;
            }
            match state.last {
                [Some(low), Some(high), _] => {
                    ctx.stdout.push(&[high << 4 | low]);
                    ctx.stdout.flush_if_full().await?;
                    state.written += 1;
                    state.wanted += 1;
                    state.last[0] = None;
                    state.column += usize::from(!is_plain);
                    if !is_plain && state.column >= columns {
                        // What follows is the line's text.
                        state.skips_line = true;
                    }
                }
                [None, None, None] if byte != b'\n' => state.skips_line = true,
                _ => {}
            }
            if byte == b'\n' {
                state.end_line(is_plain, columns);
            }
        }
        let count = piece.len();
        input.consume(count);
        tick_bytes(&ctx.meter, 4 * count).await?;
    }
}

/// Moves the output on: files are seeked, others are filled with zeros.
async fn go_to(ctx: &mut Context, state: &mut Digits, target: u64) -> Result<(), UtilityError> {
    ctx.stdout.flush().await?;
    let seekable = ctx.stdout.description().filter(|description| description.file().is_some());
    if let Some(description) = seekable {
        let here = description.offset();
        let moved = here.wrapping_add(target).wrapping_sub(state.written);
        description.seek(moved);
        state.written = target;
        return Ok(());
    }
    if target < state.written {
        return Err(UtilityError::Failed { message: "Sorry, cannot seek backwards.".into(), status: 5 });
    }
    while state.written < target {
        let count = (target - state.written).min(4096);
        ctx.stdout.write([0; 4096].get(..count as usize).unwrap_or(&[])).await?;
        state.written += count;
        tick_bytes(&ctx.meter, count as usize).await?;
    }
    Ok(())
}
