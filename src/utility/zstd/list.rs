//! `zstd -l`: a line for each file, and one for all of them.

use super::words::size;
use crate::memory::{String, format};
use crate::utility::compress::ZstdTotals;
use crate::utility::prelude::*;

/// What was listed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    files: u64,
    frames: u64,
    skipped: u64,
    packed: u64,
    plain: u64,
    /// Whether a file does not tell its size.
    is_partial: bool,
    lacks_checksum: bool,
}

fn row(frames: u64, skipped: u64, packed: u64, plain: Option<u64>, has_checksum: bool) -> String {
    let check = if has_checksum { "XXH64" } else { "None" };
    let (packed_size, packed_unit) = size(packed);
    let sizes = match plain {
        Some(plain) => {
            let (plain_size, plain_unit) = size(plain);
            let ratio = if packed == 0 { 0.0 } else { plain as f64 / packed as f64 };
            format!("  {plain_size:>8}{plain_unit:>4}  {ratio:5.3}")
        }
        None => format!("{:21}", ""),
    };
    format!("{frames:6}  {skipped:5}  {packed_size:>6}{packed_unit:>4}{sizes}  {check:>5}  ")
}

impl Totals {
    #[expect(clippy::unused_self, reason = "the line above those of the files")]
    pub(super) fn title(&self, ctx: &mut Context) {
        let title = "Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n";
        ctx.stdout.push(title.as_bytes());
    }

    pub(super) fn add(&mut self, ctx: &mut Context, file: &ZstdTotals, packed: u64, shown: &Text) {
        self.files += 1;
        self.frames += file.frames;
        self.skipped += file.skipped;
        self.packed += packed;
        self.plain += file.told.unwrap_or(0);
        self.is_partial |= file.told.is_none();
        self.lacks_checksum |= !file.has_checksum;
        let row = row(file.frames + file.skipped, file.skipped, packed, file.told, file.has_checksum);
        ctx.stdout.push(format!("{row}{shown}\n").as_bytes());
    }

    /// The line of several files.
    pub(super) fn print(&self, ctx: &mut Context) {
        if self.files < 2 {
            return;
        }
        let plain = Some(self.plain).filter(|_| !self.is_partial);
        let row = row(self.frames + self.skipped, self.skipped, self.packed, plain, !self.lacks_checksum);
        let line = format!("{:-<65} \n{row}{} files\n", "", self.files);
        ctx.stdout.push(line.as_bytes());
    }
}
