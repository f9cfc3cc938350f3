//! `xz --list`: a line for each file, and one for all of them.

use super::words::size;
use crate::memory::{String, format};
use crate::utility::compress::{Check, XzTotals};
use crate::utility::prelude::*;

/// What was listed so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    files: u64,
    all: XzTotals,
    packed: u64,
    has_title: bool,
}

/// A ratio with three digits; too bad a one is not told.
fn ratio(packed: u64, plain: u64) -> String {
    let ratio = packed as f64 / plain as f64;
    if plain == 0 || ratio > 9.999 { "---".into() } else { format!("{ratio:.3}") }
}

fn checks(totals: &XzTotals, separator: &str) -> String {
    let mut text = String::new();
    for (id, _) in (0u8..).zip(&totals.checks).filter(|(_, has)| **has) {
        if !text.is_empty() {
            text.push_str(separator);
        }
        text.push_str(Check::of_id(id).name());
    }
    text
}

impl Totals {
    pub(super) fn add(
        &mut self,
        ctx: &mut Context,
        file: &XzTotals,
        packed: u64,
        shown: &Text,
        is_robot: bool,
    ) {
        self.files += 1;
        self.packed += packed;
        self.all.streams += file.streams;
        self.all.blocks += file.blocks;
        self.all.made += file.made;
        self.all.padding += file.padding;
        for (all, has) in self.all.checks.iter_mut().zip(file.checks) {
            *all |= has;
        }
        if is_robot {
            ctx.stdout.push(format!("name\t{shown}\nfile\t{}\n", robot(file, packed)).as_bytes());
            return;
        }
        if !std::mem::replace(&mut self.has_title, true) {
            let title = "Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n";
            ctx.stdout.push(title.as_bytes());
        }
        ctx.stdout.push(format!("{}{shown}\n", row(file, packed)).as_bytes());
    }

    /// The line of all files.
    pub(super) fn print(&self, ctx: &mut Context, is_robot: bool) {
        if is_robot {
            let line = format!("totals\t{}\t{}\n", robot(&self.all, self.packed), self.files);
            ctx.stdout.push(line.as_bytes());
        } else if self.files > 1 {
            let line = format!("{:-<79}\n{}{} files\n", "", row(&self.all, self.packed), self.files);
            ctx.stdout.push(line.as_bytes());
        }
    }
}

fn row(totals: &XzTotals, packed: u64) -> String {
    let XzTotals { streams, blocks, made, .. } = totals;
    let (packed_size, made_size) = (size(packed), size(*made));
    let (ratio, checks) = (ratio(packed, *made), checks(totals, ","));
    format!("{streams:5} {blocks:7}  {packed_size:>11}  {made_size:>11}  {ratio:>5}  {checks:<7} ")
}

fn robot(totals: &XzTotals, packed: u64) -> String {
    let XzTotals { streams, blocks, made, padding, .. } = totals;
    let (ratio, checks) = (ratio(packed, *made), checks(totals, ","));
    format!("{streams}\t{blocks}\t{packed}\t{made}\t{ratio}\t{checks}\t{padding}")
}
