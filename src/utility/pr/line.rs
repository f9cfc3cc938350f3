//! The characters of a line of `pr`: read into a column, printed with the blanks before them, or stored until the page is
//! printed.

use super::page::{Printer, State};
use crate::memory::format;
use crate::utility::prelude::*;

/// Where a column begins, if that does not matter: at once.
pub(super) const ANYWHERE: usize = 0;

/// What a byte of the input becomes: some bytes, or blanks.
#[derive(Clone, Copy, Default)]
struct Clump {
    bytes: [u8; 4],
    count: usize,
    blanks: usize,
}

/// Blanks that are printed at once.
const STRETCH: usize = 1024;

impl Printer {
    /// Reads a line of a column, prints or stores it; whether all of it was taken.
    pub(super) async fn read_line(&mut self, ctx: &mut Context, at: usize) -> Result<bool, UtilityError> {
        let is_stored = self.is_stored(at);
        let mut byte = self.next_byte(ctx, at).await?;
        let mut before = self.input_position;
        if byte == Some(0x0c) && self.is_full_page(at) {
            byte = self.next_byte(ctx, at).await?;
            if byte == Some(b'\n') {
                byte = self.next_byte(ctx, at).await?;
            }
        }
        self.set_full_page(at, false);
        let mut clump = Clump::default();
        match byte {
            Some(0x0c) => {
                self.skip_newline(ctx, at).await?;
                self.is_form_feed_only = true;
                if self.wants_header && !self.stores {
                    self.pads_vertically = true;
                    self.print_header(ctx).await?;
                } else if self.settings.keeps_form_feeds {
                    self.wants_form_feed = true;
                }
                self.hold(at);
                return Ok(true);
            }
            None => {
                self.close(at);
                return Ok(true);
            }
            Some(b'\n') => {}
            Some(byte) => clump = self.clump(byte),
        }
        if self.settings.truncates && self.input_position > self.column_width {
            self.input_position = before;
            return Ok(false);
        }
        if !is_stored {
            self.pads_vertically = true;
            if self.wants_header && !self.stores {
                self.print_header(ctx).await?;
            }
            if self.settings.is_parallel && self.aligns_empty {
                let missing = std::mem::take(&mut self.separators);
                for column in 0..missing {
                    self.align(ctx, column).await?;
                    self.separators += 1;
                }
                self.padding = self.start(at);
                self.blanks = if self.settings.truncates { self.column_width as isize } else { 0 };
                self.aligns_empty = false;
            }
            self.pad_to_column(ctx).await?;
        }
        if self.is_numbered(at) {
            self.add_number(ctx, is_stored).await?;
        }
        self.is_line_empty = false;
        if byte == Some(b'\n') {
            return Ok(true);
        }
        self.put_clump(ctx, clump, is_stored).await?;
        loop {
            match self.next_byte(ctx, at).await? {
                Some(b'\n') => return Ok(true),
                Some(0x0c) => {
                    self.skip_newline(ctx, at).await?;
                    if self.settings.keeps_form_feeds {
                        self.wants_form_feed = true;
                    }
                    self.hold(at);
                    return Ok(true);
                }
                None => {
                    self.close(at);
                    return Ok(true);
                }
                Some(byte) => {
                    before = self.input_position;
                    clump = self.clump(byte);
                    if self.settings.truncates && self.input_position > self.column_width {
                        self.input_position = before;
                        return Ok(false);
                    }
                    self.put_clump(ctx, clump, is_stored).await?;
                }
            }
        }
    }

    /// Passes over what a column has no room for.
    pub(super) async fn skip_line(&mut self, ctx: &mut Context, at: usize) -> Result<(), UtilityError> {
        loop {
            match self.next_byte(ctx, at).await? {
                Some(b'\n') => return Ok(()),
                Some(0x0c) => {
                    self.skip_newline(ctx, at).await?;
                    if self.settings.keeps_form_feeds {
                        self.wants_form_feed = true;
                    }
                    self.hold(at);
                    return Ok(());
                }
                None => {
                    self.close(at);
                    return Ok(());
                }
                Some(_) => {}
            }
        }
    }

    /// Prints a line that was stored.
    pub(super) async fn print_stored(&mut self, ctx: &mut Context, at: usize) -> Result<(), UtilityError> {
        let Some(column) = self.columns.get_mut(at) else { return Ok(()) };
        let line = column.line;
        column.line += 1;
        let (start, has_form_feed) = (column.start, column.state == State::FormFeed);
        self.pads_vertically = true;
        if self.wants_header {
            self.print_header(ctx).await?;
        }
        if has_form_feed {
            for column in &mut self.columns {
                column.state = State::Held;
            }
            if self.columns.first().is_some_and(|column| column.left <= 0) {
                if !self.settings.extremities {
                    self.pads_vertically = false;
                }
                return Ok(());
            }
        }
        self.pad_to_column(ctx).await?;
        let Some(stored) = self.stored.get_mut(line) else { return Ok(()) };
        let (text, end) = (std::mem::take(&mut stored.text), stored.end);
        for stretch in text.chunks(STRETCH) {
            ctx.tick_many(STRETCH as u32 / 16);
            ctx.tick().await?;
            for &byte in stretch {
                self.print(ctx, byte).await?;
            }
        }
        if self.blanks == 0 {
            let separator = self.settings.separator.len();
            self.output_position = start + end;
            if start.checked_sub(separator) == Some(self.settings.margin) {
                self.output_position = self.output_position.saturating_sub(separator);
            }
        }
        Ok(())
    }

    /// The number of a line, in front of it.
    async fn add_number(&mut self, ctx: &mut Context, is_stored: bool) -> Result<(), UtilityError> {
        let Some((separator, digits)) = self.settings.numbers else { return Ok(()) };
        let number = self.line_number;
        self.line_number = number.wrapping_add(1);
        let text = format!("{number}");
        // The digits in front of a number that is too long are cut off.
        let cut = text.len().saturating_sub(digits);
        self.put_blanks(ctx, digits.saturating_sub(text.len()), is_stored).await?;
        self.put_all(ctx, text.as_bytes().get(cut..).unwrap_or_default(), is_stored).await?;
        if self.columns.len() > 1 {
            if separator == b'\t' {
                self.put_blanks(ctx, self.number_width - digits, is_stored).await?;
            } else {
                self.put(ctx, separator, is_stored).await?;
            }
        } else {
            self.put(ctx, separator, is_stored).await?;
            if separator == b'\t' {
                self.output_position += self.settings.output_tab.from(self.output_position);
            }
        }
        if self.settings.truncates && !self.settings.is_parallel {
            self.input_position += self.number_width;
        }
        Ok(())
    }

    /// What a byte of the input becomes; the position in the column goes on by as much.
    fn clump(&mut self, byte: u8) -> Clump {
        let settings = &self.settings;
        let width: isize;
        let mut clump = Clump { bytes: [byte, 0, 0, 0], count: 1, blanks: 0 };
        if byte == settings.input_tab.letter || byte == b'\t' {
            let stops = if byte == settings.input_tab.letter { settings.input_tab.width } else { 8 };
            let columns = stops - self.input_position % stops;
            width = columns as isize;
            if settings.expands {
                (clump.count, clump.blanks) = (0, columns);
            }
        } else if matches!(byte, 0x20..0x7f) {
            width = 1;
        } else if settings.shows_octal || (settings.shows_control && byte >= 0x80) {
            width = 4;
            let digit = |shift: u32| b'0' + (byte >> shift & 7);
            clump = Clump { bytes: [b'\\', digit(6), digit(3), digit(0)], count: 4, blanks: 0 };
        } else if settings.shows_control {
            width = 2;
            clump = Clump { bytes: [b'^', byte ^ 0o100, 0, 0], count: 2, blanks: 0 };
        } else {
            width = if byte == 0x08 { -1 } else { 0 };
        }
        if width < 0 && self.input_position == 0 {
            return Clump::default();
        }
        self.input_position = self.input_position.saturating_add_signed(width);
        clump
    }

    async fn put_clump(
        &mut self,
        ctx: &mut Context,
        clump: Clump,
        is_stored: bool,
    ) -> Result<(), UtilityError> {
        self.put_all(ctx, clump.bytes.get(..clump.count).unwrap_or_default(), is_stored).await?;
        if clump.blanks > 0 { self.put_blanks(ctx, clump.blanks, is_stored).await } else { Ok(()) }
    }

    async fn put_blanks(
        &mut self,
        ctx: &mut Context,
        count: usize,
        is_stored: bool,
    ) -> Result<(), UtilityError> {
        if is_stored {
            self.line.resize_by(count, b' ');
        } else if self.tabifies {
            self.blanks = self.blanks.saturating_add_unsigned(count);
        } else {
            ctx.write_repeated(b' ', count).await?;
        }
        Ok(())
    }

    async fn put_all(
        &mut self,
        ctx: &mut Context,
        bytes: &[u8],
        is_stored: bool,
    ) -> Result<(), UtilityError> {
        for &byte in bytes {
            self.put(ctx, byte, is_stored).await?;
        }
        Ok(())
    }

    async fn put(&mut self, ctx: &mut Context, byte: u8, is_stored: bool) -> Result<(), UtilityError> {
        if is_stored {
            self.line.push(byte);
            return Ok(());
        }
        self.print(ctx, byte).await
    }

    /// Prints a character; blanks wait for what follows them where they may become tabs.
    async fn print(&mut self, ctx: &mut Context, byte: u8) -> Result<(), UtilityError> {
        if self.tabifies {
            if byte == b' ' {
                self.blanks += 1;
                return Ok(());
            }
            if self.blanks > 0 {
                self.print_blanks(ctx).await?;
            }
            if matches!(byte, 0x20..0x7f) {
                self.output_position += 1;
            } else if byte == 0x08 {
                self.output_position = self.output_position.saturating_sub(1);
            }
        }
        ctx.stdout.write(&[byte]).await
    }

    /// Prints the blanks that wait.
    pub(super) async fn print_blanks(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let goal = self.output_position.saturating_add_signed(std::mem::take(&mut self.blanks));
        let tab = self.settings.output_tab;
        let mut at = self.output_position;
        while goal - at > 1 {
            let next = at + tab.from(at);
            if next > goal {
                break;
            }
            ctx.tick().await?;
            ctx.stdout.write(&[tab.letter]).await?;
            at = next;
        }
        ctx.write_repeated(b' ', goal - at).await?;
        self.output_position = goal;
        Ok(())
    }

    /// Goes to where a column begins, and prints what separates it from the one before.
    pub(super) async fn pad_to_column(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let separator = self.settings.separator.len();
        if separator < self.padding {
            self.pad_across(ctx, self.padding - separator).await?;
            self.padding = ANYWHERE;
        }
        if self.settings.has_separator {
            self.print_separator(ctx).await?;
        }
        Ok(())
    }

    pub(super) async fn pad_across(
        &mut self,
        ctx: &mut Context,
        position: usize,
    ) -> Result<(), UtilityError> {
        if self.tabifies {
            self.blanks = (position as isize).saturating_sub(self.output_position as isize);
            return Ok(());
        }
        let missing = position.saturating_sub(self.output_position);
        ctx.write_repeated(b' ', missing).await?;
        self.output_position = position;
        Ok(())
    }

    async fn print_separator(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.separators == 0 {
            if self.blanks > 0 {
                self.print_blanks(ctx).await?;
            }
            return Ok(());
        }
        // Only the first of several is printed, as the real program does.
        let separator = self.settings.separator.clone();
        for &byte in &separator {
            if byte == b' ' {
                self.blanks += 1;
                continue;
            }
            if self.blanks > 0 {
                self.print_blanks(ctx).await?;
            }
            ctx.stdout.push(&[byte]);
            self.output_position += 1;
        }
        if self.blanks > 0 {
            self.print_blanks(ctx).await?;
        }
        self.separators = 0;
        Ok(())
    }

    /// An empty column, between others that have text.
    pub(super) async fn align(&mut self, ctx: &mut Context, at: usize) -> Result<(), UtilityError> {
        self.padding = self.start(at);
        self.pad_to_column(ctx).await?;
        if self.is_numbered(at) {
            self.add_number(ctx, self.is_stored(at)).await?;
        }
        Ok(())
    }
}
