//! Prints a table: cells that are filled up, cut, or go on in further lines.

use super::layout::LEVEL;
use super::settings::Settings;
use super::table::{Column, Step, Table};
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::context::pace::tick_bytes;
use crate::utility::format::width::width;
use crate::utility::prelude::*;

/// What a tree is drawn with, each [`LEVEL`] columns wide.
const BRANCH: &str = "\u{251c}\u{2500}";
const VERTICAL: &str = "\u{2502} ";
const LAST: &str = "\u{2514}\u{2500}";
const NOTHING: &str = "  ";

/// Bytes that are looked at between two looks at the clock.
const BLOCK: usize = 1 << 12;

/// What of a cell is printed in further lines.
struct Pending {
    text: Vec<u8>,
    at: usize,
}

struct Printer<'p> {
    table: &'p Table<'p>,
    gap: &'p [u8],
    /// Lines that were printed, for pages.
    used: usize,
    /// By the column's place.
    pending: Vec<Option<Pending>>,
    /// For each level down to the line: whether its line is a last child.
    path: Vec<bool>,
}

/// A cell as it stands in the table: of a line, or the name of its column.
struct Cell<'c> {
    text: &'c [u8],
    columns: usize,
    step: Option<Step>,
}

pub(super) async fn print(
    ctx: &mut Context,
    settings: &Settings,
    table: &Table<'_>,
) -> Result<(), UtilityError> {
    let mut pending = Vec::new();
    pending.resize_with(table.order.len(), || None);
    let mut printer = Printer { table, gap: &settings.gap, used: 0, pending, path: Vec::new() };
    let headings = settings.headings && settings.names.is_some();
    let repeats = headings && settings.repeat_header && table.tree.is_none();
    let mut next_header = usize::MAX;
    if headings {
        printer.header(ctx).await?;
        next_header = printer.used + settings.height;
    }
    let mut index = 0;
    while let Some(step) = table.step(index) {
        printer.line(ctx, step).await?;
        ctx.stdout.write(b"\n").await?;
        printer.used += 1;
        index += 1;
        if repeats && next_header <= printer.used && table.step(index).is_some() {
            printer.header(ctx).await?;
            next_header = printer.used + settings.height;
        }
    }
    Ok(())
}

impl Printer<'_> {
    /// The columns that are seen, with their places.
    fn column(&self, place: usize) -> Option<&Column> {
        let index = *self.table.order.get(place)?;
        self.table.columns.get(index)
    }

    async fn header(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        for place in 0..self.table.order.len() {
            let Some(column) = self.column(place).filter(|column| !column.hidden) else { continue };
            let text = column.name.clone().unwrap_or_default();
            let cell = Cell { text: &text, columns: column.name_width, step: None };
            self.cell(ctx, place, &cell).await?;
        }
        ctx.stdout.write(b"\n").await?;
        self.used += 1;
        Ok(())
    }

    async fn line(&mut self, ctx: &mut Context, step: Step) -> Result<(), UtilityError> {
        let table = self.table;
        if let Some(tree) = &table.tree {
            self.path.truncate(step.depth.saturating_sub(1));
            if step.depth > 0 {
                self.path.push(tree.is_last_child(step.line));
            }
        }
        let mut more = false;
        for place in 0..table.order.len() {
            let Some(&index) = table.order.get(place) else { break };
            if self.column(place).is_none_or(|column| column.hidden) {
                continue;
            }
            let field = table.lines.fields(step.line).get(index);
            let text = field.map_or(b"".as_slice(), |field| table.lines.bytes(field));
            let columns = field.map_or(0, |field| field.columns);
            self.cell(ctx, place, &Cell { text, columns, step: Some(step) }).await?;
            more |= self.pending.get(place).is_some_and(Option::is_some);
            ctx.tick().await?;
        }
        while more {
            more = false;
            ctx.stdout.write(b"\n").await?;
            self.used += 1;
            for place in 0..table.order.len() {
                if self.column(place).is_none_or(|column| column.hidden) {
                    continue;
                }
                ctx.tick().await?;
                if self.pending.get(place).is_none_or(Option::is_none) {
                    self.empty_cell(ctx, place, Some(step)).await?;
                } else if self.more_of_cell(ctx, place).await? {
                    more |= self.pending.get(place).is_some_and(Option::is_some);
                } else {
                    // The real program ends a line whose text it has cut within a character.
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The text of a cell of the tree's column. Where no more than `limit` columns are printed, it ends some way behind them.
    async fn with_drawing(
        &self,
        ctx: &mut Context,
        cell: &Cell<'_>,
        step: Step,
        limit: usize,
    ) -> Result<Vec<u8>, UtilityError> {
        let mut text = Vec::new();
        if step.depth > 0 {
            let above = self.path.get(..step.depth - 1).unwrap_or(&[]);
            let above = above.get(..limit.min(above.len())).unwrap_or(above);
            draw(&ctx.meter, above, &mut text).await?;
            let last = self.path.get(step.depth - 1).copied().unwrap_or(false);
            text.extend_from_slice(if last { LAST } else { BRANCH }.as_bytes());
        }
        crate::utility::context::pace::append(&ctx.meter, &mut text, cell.text).await?;
        Ok(text)
    }

    async fn cell(&mut self, ctx: &mut Context, place: usize, cell: &Cell<'_>) -> Result<(), UtilityError> {
        let table = self.table;
        let Some(column) = table.order.get(place).and_then(|index| table.columns.get(*index)) else {
            return Ok(());
        };
        let is_last = place >= table.last;
        let (mut columns, mut width) = (cell.columns, column.width);
        let mut drawn = None;
        if let Some(step) = cell.step.filter(|step| column.tree && step.depth > 0) {
            let limit = if column.truncate { width } else { usize::MAX };
            columns += step.depth * LEVEL;
            drawn = Some(self.with_drawing(ctx, cell, step, limit).await?);
        }
        let mut text: &[u8] = drawn.as_deref().unwrap_or(cell.text);
        if is_last && columns < width && !column.right {
            width = columns;
        }
        let mut cut = Vec::new();
        if columns > width && (column.truncate || column.wrap) {
            columns = truncate(ctx, text, width, &mut cut).await?;
            if !column.truncate
                && cut.len() < text.len()
                && let Some(pending) = self.pending.get_mut(place)
            {
                let mut rest = Vec::new();
                crate::utility::context::pace::append(&ctx.meter, &mut rest, text).await?;
                *pending = Some(Pending { text: rest, at: cut.len() });
            }
            text = &cut;
        }
        if !text.is_empty() {
            if column.right {
                ctx.write_repeated(b' ', width.saturating_sub(columns)).await?;
                columns = width;
            }
            ctx.stdout.write(text).await?;
        }
        if is_last {
            return Ok(());
        }
        ctx.write_repeated(b' ', width.saturating_sub(columns)).await?;
        if columns > width && !column.truncate {
            // What follows stands below.
            ctx.stdout.write(b"\n").await?;
            self.used += 1;
            for before in 0..=place {
                self.empty_cell(ctx, before, cell.step).await?;
            }
        } else {
            ctx.stdout.write(self.gap).await?;
        }
        Ok(())
    }

    /// The next line of a cell that is wrapped; false if what is left begins within a character.
    async fn more_of_cell(&mut self, ctx: &mut Context, place: usize) -> Result<bool, UtilityError> {
        let width = self.column(place).map_or(0, |column| column.width);
        let Some(slot) = self.pending.get_mut(place) else { return Ok(true) };
        let Some(pending) = slot else { return Ok(true) };
        let text = pending.text.get(pending.at..).unwrap_or(&[]);
        if width == 0 || text.first().is_some_and(|byte| byte & 0xc0 == 0x80) {
            return Ok(false);
        }
        let mut cut = Vec::new();
        let columns = truncate(ctx, text, width, &mut cut).await?;
        if cut.len() >= text.len() {
            *slot = None;
        } else {
            pending.at += cut.len();
        }
        ctx.stdout.write(&cut).await?;
        if place < self.table.last {
            ctx.write_repeated(b' ', width.saturating_sub(columns)).await?;
            ctx.stdout.write(self.gap).await?;
        }
        Ok(true)
    }

    /// A cell without its text, but with the drawing of the tree.
    async fn empty_cell(
        &mut self,
        ctx: &mut Context,
        place: usize,
        step: Option<Step>,
    ) -> Result<(), UtilityError> {
        let table = self.table;
        let Some(column) = table.order.get(place).and_then(|index| table.columns.get(*index)) else {
            return Ok(());
        };
        let mut columns = 0;
        if let (Some(step), Some(tree)) = (step.filter(|_| column.tree), &table.tree) {
            let mut text = Vec::new();
            draw(&ctx.meter, &self.path, &mut text).await?;
            columns = self.path.len() * LEVEL;
            if tree.has_children(step.line) {
                text.extend_from_slice(VERTICAL.as_bytes());
                columns += LEVEL;
            }
            ctx.stdout.write(&text).await?;
        }
        if place < table.last {
            ctx.write_repeated(b' ', column.width.saturating_sub(columns)).await?;
            ctx.stdout.write(self.gap).await?;
        }
        Ok(())
    }
}

/// Appends the drawing of some levels above a line.
async fn draw(meter: &Meter, levels: &[bool], text: &mut Vec<u8>) -> Result<(), LimitError> {
    for stretch in levels.chunks(BLOCK) {
        for last in stretch {
            text.extend_from_slice(if *last { NOTHING } else { VERTICAL }.as_bytes());
        }
        tick_bytes(meter, stretch.len() * LEVEL).await?;
    }
    Ok(())
}

/// Appends what of `text` fits into `limit` columns to `out`, a control character as U+FFFD; gives the columns. Like the
/// real program, it writes no more bytes than the text has.
async fn truncate(
    ctx: &mut Context,
    text: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<usize, UtilityError> {
    let (mut at, mut counted, mut columns) = (0, 0, 0);
    let mut full = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if at - counted >= BLOCK {
            tick_bytes(&ctx.meter, at - counted).await?;
            counted = at;
        }
        let (character, length) = bstr::decode_utf8(rest);
        let length = length.max(1);
        let printed = character.and_then(width);
        if columns + printed.unwrap_or(1) > limit {
            break;
        }
        columns += printed.unwrap_or(1);
        let bytes = match printed {
            Some(_) => rest.get(..length).unwrap_or(rest),
            None => "\u{fffd}".as_bytes(),
        };
        full |= out.len() + bytes.len() > text.len();
        if !full {
            out.extend_from_slice(bytes);
        }
        at += length;
    }
    Ok(columns)
}
