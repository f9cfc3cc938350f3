//! Prints a line of the index: as text, as a call of a macro of roff, or as one of TeX.

use super::layout::{Field, Layout, Line};
use super::scan::{Source, is_white};
use super::settings::Format;
use crate::utility::prelude::*;

/// Bytes that are printed between two looks at the meter.
const STRETCH: usize = 4096;

impl Layout<'_> {
    pub(super) async fn print(
        &self,
        ctx: &mut Context,
        source: &Source,
        line: &Line,
    ) -> Result<(), UtilityError> {
        let text = source.bytes.as_slice();
        match self.settings.format {
            Format::Plain => self.print_plain(ctx, text, line).await?,
            Format::Roff => self.print_roff(ctx, text, line).await?,
            Format::Tex => self.print_tex(ctx, text, line).await?,
        }
        ctx.stdout.write(b"\n").await
    }

    async fn print_plain(&self, ctx: &mut Context, text: &[u8], line: &Line) -> Result<(), UtilityError> {
        let (gap, mark) = (self.settings.gap, self.settings.mark.len());
        let has_references = self.settings.has_references();
        let is_right = self.settings.has_references_at_right;
        if !is_right {
            self.print_bytes(ctx, &line.reference).await?;
            // The colon takes the place of a blank of the gap.
            let colon = i64::from(self.settings.has_line_references);
            if colon == 1 {
                ctx.stdout.push(b":");
            }
            let used = line.reference.len() as i64 + colon;
            print_blanks(ctx, self.reference.saturating_add(gap).saturating_sub(used)).await?;
        }
        let left = self.half.saturating_sub(gap).saturating_sub(line.before.columns(mark));
        if line.tail.length() > 0 {
            self.print_field(ctx, text, line.tail).await?;
            self.print_mark(ctx, line.tail);
            print_blanks(ctx, left - line.tail.columns(mark)).await?;
        } else {
            print_blanks(ctx, left).await?;
        }
        self.print_mark(ctx, line.before);
        self.print_field(ctx, text, line.before).await?;
        print_blanks(ctx, gap).await?;
        self.print_field(ctx, text, line.word).await?;
        self.print_mark(ctx, line.word);
        let right = self.half - line.word.columns(mark);
        if line.head.length() > 0 {
            print_blanks(ctx, right - line.head.columns(mark)).await?;
            self.print_mark(ctx, line.head);
            self.print_field(ctx, text, line.head).await?;
        } else if has_references && is_right {
            print_blanks(ctx, right).await?;
        }
        if has_references && is_right {
            print_blanks(ctx, gap).await?;
            self.print_bytes(ctx, &line.reference).await?;
        }
        Ok(())
    }

    async fn print_roff(&self, ctx: &mut Context, text: &[u8], line: &Line) -> Result<(), UtilityError> {
        ctx.stdout.push(b".");
        ctx.stdout.push(&self.settings.macro_name);
        ctx.stdout.push(b" \"");
        self.print_field(ctx, text, line.tail).await?;
        self.print_mark(ctx, line.tail);
        ctx.stdout.push(b"\" \"");
        self.print_mark(ctx, line.before);
        self.print_field(ctx, text, line.before).await?;
        ctx.stdout.push(b"\" \"");
        self.print_field(ctx, text, line.word).await?;
        self.print_mark(ctx, line.word);
        ctx.stdout.push(b"\" \"");
        self.print_mark(ctx, line.head);
        self.print_field(ctx, text, line.head).await?;
        ctx.stdout.push(b"\"");
        if self.settings.has_references() {
            ctx.stdout.push(b" \"");
            self.print_bytes(ctx, &line.reference).await?;
            ctx.stdout.push(b"\"");
        }
        Ok(())
    }

    async fn print_tex(&self, ctx: &mut Context, text: &[u8], line: &Line) -> Result<(), UtilityError> {
        ctx.stdout.push(b"\\");
        ctx.stdout.push(&self.settings.macro_name);
        ctx.stdout.push(b" {");
        self.print_field(ctx, text, line.tail).await?;
        ctx.stdout.push(b"}{");
        self.print_field(ctx, text, line.before).await?;
        ctx.stdout.push(b"}{");
        let Field { start, end, .. } = line.word;
        let middle = self.words.step(ctx, text, start, end).await?;
        self.print_bytes(ctx, text.get(start..middle).unwrap_or_default()).await?;
        ctx.stdout.push(b"}{");
        self.print_bytes(ctx, text.get(middle..end).unwrap_or_default()).await?;
        ctx.stdout.push(b"}{");
        self.print_field(ctx, text, line.head).await?;
        ctx.stdout.push(b"}");
        if self.settings.has_references() {
            ctx.stdout.push(b"{");
            self.print_bytes(ctx, &line.reference).await?;
            ctx.stdout.push(b"}");
        }
        Ok(())
    }

    async fn print_field(&self, ctx: &mut Context, text: &[u8], field: Field) -> Result<(), UtilityError> {
        self.print_bytes(ctx, text.get(field.start..field.end).unwrap_or_default()).await
    }

    fn print_mark(&self, ctx: &mut Context, field: Field) {
        if field.is_cut {
            ctx.stdout.push(&self.settings.mark);
        }
    }

    /// Prints bytes with blanks for white space, and what the format has special characters for escaped.
    async fn print_bytes(&self, ctx: &mut Context, bytes: &[u8]) -> Result<(), UtilityError> {
        let format = self.settings.format;
        for stretch in bytes.chunks(STRETCH) {
            for &byte in stretch {
                match (format, byte) {
                    _ if is_white(byte) => ctx.stdout.push(b" "),
                    (Format::Roff, b'"') => ctx.stdout.push(b"\"\""),
                    (Format::Tex, b'$' | b'%' | b'&' | b'#' | b'_') => ctx.stdout.push(&[b'\\', byte]),
                    (Format::Tex, b'{' | b'}') => ctx.stdout.push(&[b'$', b'\\', byte, b'$']),
                    (Format::Tex, b'\\') => ctx.stdout.push(b"\\backslash{}"),
                    _ => ctx.stdout.push(&[byte]),
                }
            }
            ctx.stdout.flush_if_full().await?;
            ctx.tick_many((stretch.len() / 16) as u32);
            ctx.tick().await?;
        }
        Ok(())
    }
}

async fn print_blanks(ctx: &mut Context, count: i64) -> Result<(), UtilityError> {
    ctx.write_repeated(b' ', usize::try_from(count).unwrap_or(0)).await
}
