//! Prints a table as JSON: an object for each line, with its children in it.

use super::settings::Settings;
use super::table::{Step, Table};
use crate::memory::Vec;
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;

/// Bytes that are looked at between two looks at the clock.
const BLOCK: usize = 1 << 12;

/// Blanks before what is within an object or an array.
const INDENT: usize = 3;

struct Writer<'w> {
    ctx: &'w mut Context,
    depth: usize,
    /// Something was closed last, behind which a comma is due.
    after: bool,
}

pub(super) async fn print(
    ctx: &mut Context,
    settings: &Settings,
    table: &Table<'_>,
) -> Result<(), UtilityError> {
    let mut writer = Writer { ctx, depth: 0, after: false };
    writer.open(None, "{\n").await?;
    let name = settings.table_name.as_ref().map_or(b"table".as_slice(), Text::as_bytes);
    writer.open(Some(name), "[\n").await?;
    let mut index = 0;
    while let Some(step) = table.step(index) {
        writer.line(table, step).await?;
        index += 1;
    }
    writer.close(b"]").await?;
    writer.close(b"}").await
}

impl Writer<'_> {
    async fn open(&mut self, name: Option<&[u8]>, opening: &str) -> Result<(), UtilityError> {
        if self.after {
            self.ctx.stdout.write(if name.is_some() { b",\n" } else { b"," }).await?;
        }
        if name.is_some() || !self.after {
            self.ctx.write_repeated(b' ', self.depth * INDENT).await?;
        }
        if let Some(name) = name {
            let mut lower = Vec::new();
            lower.extend_from_slice(name);
            lower.make_ascii_lowercase();
            self.quoted(&lower).await?;
            self.ctx.stdout.push(b": ");
        }
        self.ctx.stdout.write(opening.as_bytes()).await?;
        self.depth += usize::from(!opening.is_empty());
        self.after = false;
        Ok(())
    }

    async fn close(&mut self, bracket: &[u8]) -> Result<(), UtilityError> {
        self.depth = self.depth.saturating_sub(1);
        self.ctx.stdout.push(b"\n");
        self.ctx.write_repeated(b' ', self.depth * INDENT).await?;
        self.ctx.stdout.write(bracket).await?;
        if self.depth == 0 {
            self.ctx.stdout.write(b"\n").await?;
        }
        self.after = true;
        Ok(())
    }

    async fn line(&mut self, table: &Table<'_>, step: Step) -> Result<(), UtilityError> {
        self.open(None, "{\n").await?;
        for index in &table.order {
            let Some(column) = table.columns.get(*index).filter(|column| !column.hidden) else { continue };
            self.open(column.name.as_deref(), "").await?;
            match table.lines.field(step.line, *index).filter(|text| !text.is_empty()) {
                None => self.ctx.stdout.write(b"null").await?,
                Some(text) => self.quoted(text).await?,
            }
            self.after = true;
            self.ctx.tick().await?;
        }
        let Some(tree) = &table.tree else { return self.close(b"}").await };
        if tree.has_children(step.line) {
            return self.open(Some(b"children"), "[\n").await;
        }
        // What ends with this line is closed up to where more follows.
        let mut line = Some(step.line);
        while let Some(closed) = line {
            self.close(b"}").await?;
            let last = tree.is_last_child(closed);
            if last {
                self.close(b"]").await?;
            }
            line = tree.parent(closed).filter(|_| last);
            self.ctx.tick().await?;
        }
        Ok(())
    }

    async fn quoted(&mut self, text: &[u8]) -> Result<(), UtilityError> {
        self.ctx.stdout.push(b"\"");
        let mut out = Vec::new();
        for stretch in text.chunks(BLOCK) {
            out.clear();
            for &byte in stretch {
                match byte {
                    b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                    0x20.. => out.push(byte),
                    0x08 => out.extend_from_slice(b"\\b"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    0x0c => out.extend_from_slice(b"\\f"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    _ => {
                        let digit = |value: u8| b"0123456789abcdef".get(usize::from(value)).copied();
                        out.extend_from_slice(b"\\u00");
                        out.extend(digit(byte >> 4));
                        out.extend(digit(byte & 15));
                    }
                }
            }
            self.ctx.stdout.write(&out).await?;
            tick_bytes(&self.ctx.meter, stretch.len()).await?;
        }
        self.ctx.stdout.push(b"\"");
        Ok(())
    }
}
