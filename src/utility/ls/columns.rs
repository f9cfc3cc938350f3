//! Names alone: one a line, in columns, across, with commas. A table has as many columns as fit into the width.

use super::entry::{Entry, indicator};
use super::style::{Layout, Style};
use crate::memory::{String, ToDecimal, Vec, vec};
use crate::utility::file::blocks;
use crate::utility::prelude::*;
use crate::vfs::FileKind;
use std::fmt::Write as _;

/// Widths of the inode and block columns.
pub(super) struct PrefixWidths {
    inode: usize,
    blocks: usize,
}

/// The widths for a list of entries, and for others that are not printed with them.
pub(super) fn prefix_widths(style: &Style, entries: &[Entry], others: &[Entry]) -> PrefixWidths {
    let width = |text: fn(&Style, &Entry) -> String| {
        entries.iter().chain(others).map(|entry| text(style, entry).len()).max().unwrap_or(0)
    };
    PrefixWidths {
        inode: if style.inode { width(|_, entry| entry.metadata.inode.to_decimal()) } else { 0 },
        blocks: if style.blocks {
            width(|style, entry| style.shown_blocks(blocks(&entry.metadata)))
        } else {
            0
        },
    }
}

impl PrefixWidths {
    /// The inode and block columns of an entry.
    pub(super) fn prefix(&self, style: &Style, entry: &Entry) -> String {
        let mut text = String::new();
        if style.inode {
            let _ = write!(text, "{:>width$} ", entry.metadata.inode, width = self.inode);
        }
        if style.blocks {
            let count = style.shown_blocks(blocks(&entry.metadata));
            let _ = write!(text, "{count:>width$} ", width = self.blocks);
        }
        text
    }
}

/// What is printed for an entry, and how wide it is.
struct Cell {
    text: Vec<u8>,
    width: usize,
}

/// Prints entries in the style's layout.
pub(super) async fn print(
    ctx: &mut Context,
    style: &Style,
    entries: &[Entry],
    others: &[Entry],
) -> Result<(), UtilityError> {
    let widths = if matches!(style.layout, Layout::Commas) {
        PrefixWidths { inode: 0, blocks: 0 }
    } else {
        prefix_widths(style, entries, others)
    };
    if style.layout == Layout::Lines {
        for entry in entries {
            ctx.tick().await?;
            let mut text = cell(style, &widths, entry).text;
            text.push(style.end);
            ctx.stdout.write(&text).await?;
        }
        return Ok(());
    }
    let mut cells = Vec::with_capacity(entries.len());
    for entry in entries {
        ctx.tick().await?;
        cells.push(cell(style, &widths, entry));
    }
    if style.layout == Layout::Commas {
        commas(ctx, style, &cells).await
    } else {
        table(ctx, style, &cells).await
    }
}

fn cell(style: &Style, widths: &PrefixWidths, entry: &Entry) -> Cell {
    let name = style.shown_name(&entry.name);
    let mut prefix = widths.prefix(style, entry);
    if style.context {
        prefix.push_str("? ");
    }
    let mark = indicator(style, &entry.metadata);
    let width = prefix.len() + String::from_utf8_lossy(&name).chars().count() + usize::from(mark.is_some());
    let mut text = prefix.into_bytes();
    push_colored(style, entry, &name, &mut text);
    text.extend(mark);
    Cell { text, width }
}

/// Appends a name in the color of its kind.
pub(super) fn push_colored(style: &Style, entry: &Entry, name: &[u8], out: &mut Vec<u8>) {
    let color = if style.color { color(entry) } else { None };
    match color {
        Some(color) => {
            // The first color comes after a reset.
            if !style.colored.swap(true, std::sync::atomic::Ordering::Relaxed) {
                out.extend_from_slice(b"\x1b[0m");
            }
            out.extend_from_slice(b"\x1b[");
            out.extend_from_slice(color.as_bytes());
            out.push(b'm');
            push_linked(entry.link.as_deref(), name, out);
            out.extend_from_slice(b"\x1b[0m");
        }
        None => push_linked(entry.link.as_deref(), name, out),
    }
}

/// Appends a name, as a link where it has an address.
pub(super) fn push_linked(address: Option<&[u8]>, name: &[u8], out: &mut Vec<u8>) {
    let Some(address) = address else {
        out.extend_from_slice(name);
        return;
    };
    for part in [b"\x1b]8;;", address, b"\x07", name, b"\x1b]8;;\x07"] {
        out.extend_from_slice(part);
    }
}

/// The default colors of GNU ls.
fn color(entry: &Entry) -> Option<&'static str> {
    let mode = entry.metadata.mode;
    match entry.metadata.kind {
        FileKind::Directory if mode & 0o1002 == 0o1002 => Some("30;42"),
        FileKind::Directory if mode & 0o002 != 0 => Some("34;42"),
        FileKind::Directory if mode & 0o1000 != 0 => Some("37;44"),
        FileKind::Directory => Some("01;34"),
        FileKind::Symlink => Some("01;36"),
        FileKind::Fifo => Some("33"),
        FileKind::CharDevice => Some("01;33"),
        FileKind::Regular if mode & 0o4000 != 0 => Some("37;41"),
        FileKind::Regular if mode & 0o2000 != 0 => Some("30;43"),
        FileKind::Regular if mode & 0o111 != 0 => Some("01;32"),
        FileKind::Regular => None,
    }
}

async fn commas(ctx: &mut Context, style: &Style, cells: &[Cell]) -> Result<(), UtilityError> {
    let mut position = 0;
    for (index, cell) in cells.iter().enumerate() {
        ctx.tick().await?;
        if index > 0 {
            let fits = style.width == 0 || position + 2 + cell.width + 2 <= style.width + 1;
            position += 2;
            if fits {
                ctx.stdout.write(b", ").await?;
            } else {
                ctx.stdout.write(b",\n").await?;
                position = 0;
            }
        }
        ctx.stdout.write(&cell.text).await?;
        position += cell.width;
    }
    if cells.is_empty() { Ok(()) } else { ctx.stdout.write(&[style.end]).await }
}

/// The narrowest column: a character and two blanks.
const MIN_COLUMN: usize = 3;

async fn table(ctx: &mut Context, style: &Style, cells: &[Cell]) -> Result<(), UtilityError> {
    if cells.is_empty() {
        return Ok(());
    }
    let down = style.layout == Layout::Columns;
    // In a line without end no tabs are used.
    let tab = if style.width == 0 { 0 } else { style.tab };
    let limit = if style.width == 0 { usize::MAX } else { style.width };
    let most = (limit / MIN_COLUMN).clamp(1, cells.len());
    // At most a third of the width is tried, so this is linear in the entries.
    let mut columns = most;
    let mut widths = Vec::new();
    while columns >= 1 {
        ctx.tick().await?;
        widths = column_widths(cells, columns, down);
        if columns == 1 || widths.iter().sum::<usize>() < limit {
            break;
        }
        columns -= 1;
    }
    let rows = cells.len().div_ceil(columns);
    for row in 0..rows {
        let (mut position, mut column_start) = (0, 0);
        for column in 0..columns {
            ctx.tick().await?;
            let index = if down { column * rows + row } else { row * columns + column };
            let Some(cell) = cells.get(index) else { break };
            let mut text = Vec::new();
            indent(position, column_start, tab, &mut text);
            text.extend_from_slice(&cell.text);
            ctx.stdout.write(&text).await?;
            position = column_start + cell.width;
            column_start += widths.get(column).copied().unwrap_or(0);
        }
        ctx.stdout.write(&[style.end]).await?;
    }
    Ok(())
}

/// The width of each column, two blanks included but in the last.
fn column_widths(cells: &[Cell], columns: usize, down: bool) -> Vec<usize> {
    let rows = cells.len().div_ceil(columns);
    let mut widths = vec![MIN_COLUMN; columns];
    for (index, cell) in cells.iter().enumerate() {
        let column = if down { index / rows } else { index % columns };
        let blanks = if column == columns - 1 { 0 } else { 2 };
        if let Some(width) = widths.get_mut(column) {
            *width = (*width).max(cell.width + blanks);
        }
    }
    widths
}

/// Blanks and tabs from one position to another, as GNU ls fills.
fn indent(mut from: usize, to: usize, tab: usize, out: &mut Vec<u8>) {
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            out.push(b'\t');
            from += tab - from % tab;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}
