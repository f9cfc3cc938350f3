//! Zlib streams: inflated into memory that is charged as it grows, deflated in pieces.

use crate::limit::Meter;
use crate::memory::{Box, Vec, vec};
use crate::utility::context::pace::tick_bytes;
use crate::utility::git::error::Result;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// The window that a back-reference may reach into.
const WINDOW: usize = 32 << 10;

/// Inflates a stream whose bytes `next(offset, block)` puts into `block`, until `most` bytes came out or the stream ends; a
/// fault gives `None`. The offset counts from the start of the stream.
pub(super) async fn inflate(
    meter: &Meter,
    most: usize,
    mut next: impl FnMut(usize, &mut Vec<u8>) -> Result<()>,
) -> Result<Option<Vec<u8>>> {
    // The state is large: it does not live in the future.
    let mut state = Box::new(DecompressorOxide::new());
    let mut window: Vec<u8> = vec![0; WINDOW];
    let (mut at, mut offset) = (0, 0);
    let mut out: Vec<u8> = Vec::with_capacity(most.min(64 << 10));
    let mut block: Vec<u8> = Vec::new();
    let mut used = 0;
    if window.len() < WINDOW {
        return Ok(None);
    }
    loop {
        if used >= block.len() {
            block.clear();
            next(offset, &mut block)?;
            used = 0;
        }
        let more = if block.is_empty() { 0 } else { TINFL_FLAG_HAS_MORE_INPUT };
        let input = block.get(used..).unwrap_or(&[]);
        let (status, taken, made) =
            decompress(&mut state, input, &mut window, at, TINFL_FLAG_PARSE_ZLIB_HEADER | more);
        used += taken;
        offset += taken;
        let wanted = made.min(most.saturating_sub(out.len()));
        out.extend_from_slice(window.get(at..at + wanted).unwrap_or(&[]));
        at = (at + made) % WINDOW;
        tick_bytes(meter, made + taken).await?;
        match status {
            TINFLStatus::Done => return Ok(Some(out)),
            _ if out.len() >= most => return Ok(Some(out)),
            TINFLStatus::HasMoreOutput => {}
            TINFLStatus::NeedsMoreInput if more != 0 => {}
            _ => return Ok(None),
        }
        if made == 0 && taken == 0 && more == 0 {
            return Ok(None);
        }
    }
}

/// Deflates `parts`, one after the other.
pub(super) async fn deflate(meter: &Meter, parts: &[&[u8]]) -> Result<Vec<u8>> {
    let mut state = Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(6, 1, 0)));
    let mut out: Vec<u8> = Vec::new();
    let mut room: Vec<u8> = vec![0; 16 << 10];
    let blocks = parts.iter().flat_map(|part| part.chunks(16 << 10)).map(|block| (block, TDEFLFlush::None));
    for (block, flush) in blocks.chain(std::iter::once((&[][..], TDEFLFlush::Finish))) {
        let mut input = block;
        loop {
            let (status, taken, made) = compress(&mut state, input, &mut room, flush);
            out.extend_from_slice(room.get(..made).unwrap_or(&[]));
            input = input.get(taken..).unwrap_or(&[]);
            tick_bytes(meter, 8 * (taken + made)).await?;
            let is_over = status != TDEFLStatus::Okay || (made == 0 && taken == 0);
            if is_over || (input.is_empty() && flush == TDEFLFlush::None) {
                break;
            }
        }
    }
    Ok(out)
}
