//! Where the formats print: the lines before the first hunk, colours, tabs, and pages (`-l`).

use super::color::{ColorWhen, Palette, Part};
use super::lines::File;
use super::settings::{Settings, Style};
use super::trouble;
use crate::io::Description;
use crate::memory::{JoinMetered, String, ToMetered, ToMeteredString, Vec, format};
use crate::utility::format::quote::escape_in_octal;
use crate::utility::prelude::*;
use std::time::Duration;

/// What is kept from one pair of files to the next.
#[derive(Default)]
pub(super) struct State {
    /// Messages that come after all pages.
    pub(super) messages: Vec<u8>,
    palette: Option<Palette>,
    /// Whether the palette was looked at.
    is_palette_read: bool,
}

impl State {
    /// Prints a line that is not of a pair's comparison: with pages, after them.
    pub(super) async fn tell(
        &mut self,
        ctx: &mut Context,
        settings: &Settings,
        parts: &[&[u8]],
    ) -> Result<(), UtilityError> {
        for part in parts {
            if settings.paginate {
                self.messages.extend_from_slice(part);
            } else {
                ctx.stdout.write(part).await?;
            }
        }
        Ok(())
    }
}

pub(super) struct Printer<'p> {
    pub(super) ctx: &'p mut Context,
    pub(super) settings: &'p Settings,
    pub(super) files: [&'p File; 2],
    state: &'p mut State,
    /// Whether the pair is one of several of two directories.
    is_recursive: bool,
    has_begun: bool,
    part: Part,
    /// What is handed to `pr`.
    page: Vec<u8>,
}

impl<'p> Printer<'p> {
    pub(super) fn new(
        ctx: &'p mut Context,
        settings: &'p Settings,
        files: [&'p File; 2],
        state: &'p mut State,
        is_recursive: bool,
    ) -> Self {
        let (has_begun, part, page) = (false, Part::Plain, Vec::new());
        Self { ctx, settings, files, state, is_recursive, has_begun, part, page }
    }

    /// `diff OPTIONS NAME NAME`
    fn title(&self) -> Vec<u8> {
        let [left, right] = self.files.map(|file| escape(&file.name));
        [self.settings.command.as_bytes(), b" ", &left, b" ", &right].concat_metered()
    }

    /// Prints what comes before the first hunk, once.
    pub(super) async fn begin(&mut self) -> Result<(), UtilityError> {
        if self.has_begun {
            return Ok(());
        }
        self.has_begun = true;
        self.read_palette();
        if self.is_recursive && !self.settings.paginate {
            let title = self.title();
            self.write(&title).await?;
            self.write(b"\n").await?;
        }
        let marks = match self.settings.style {
            Style::Context => ["***", "---"],
            Style::Unified => ["---", "+++"],
            _ => return Ok(()),
        };
        for (index, (file, mark)) in self.files.into_iter().zip(marks).enumerate() {
            let text = match self.settings.labels.get(index) {
                Some(label) => label.to_metered(),
                None => {
                    [&escape(&file.name), b"\t".as_slice(), timestamp(self.ctx, file.modified).as_bytes()]
                        .concat_metered()
                }
            };
            self.color(Part::Header).await?;
            self.write(mark.as_bytes()).await?;
            self.write(b" ").await?;
            self.write(&text).await?;
            self.color(Part::Plain).await?;
            self.write(b"\n").await?;
        }
        Ok(())
    }

    /// Makes the palette when it is first needed; a wrong one is told, and there are no colours then.
    fn read_palette(&mut self) {
        if self.settings.color != ColorWhen::Always || self.state.is_palette_read {
            return;
        }
        self.state.is_palette_read = true;
        match Palette::parse(self.settings.palette.as_ref().map_or(&[], |text| text.as_bytes())) {
            Ok(palette) => self.state.palette = Some(palette),
            Err(messages) => {
                self.ctx.stdout.flush_now();
                for message in messages {
                    self.ctx.warn(message);
                }
            }
        }
    }

    pub(super) async fn color(&mut self, part: Part) -> Result<(), UtilityError> {
        if self.part == part {
            return Ok(());
        }
        self.part = part;
        let mut sequence = Vec::new();
        if let Some(palette) = &self.state.palette {
            palette.switch(part, &mut sequence);
        }
        self.write(&sequence).await
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), UtilityError> {
        if self.settings.paginate {
            self.page.extend_from_slice(bytes);
            Ok(())
        } else {
            self.ctx.stdout.write(bytes).await
        }
    }

    /// Writes a byte so many times.
    pub(super) async fn repeat(&mut self, byte: u8, count: usize) -> Result<(), UtilityError> {
        if !self.settings.paginate {
            return self.ctx.write_repeated(byte, count).await;
        }
        self.page.resize_by(count, byte);
        Ok(())
    }

    /// A line with the mark before it. Without a mark it stands alone, and a missing newline is not told.
    pub(super) async fn line(&mut self, mark: Option<u8>, line: &[u8]) -> Result<(), UtilityError> {
        self.ctx.tick().await?;
        let blank = self.settings.suppress_blank_empty && line == b"\n";
        let (body, newline) = split_delimiter(line, b'\n');
        let Some(mark) = mark else {
            self.text(body, b"").await?;
            return self.end_line(newline, false).await;
        };
        let flag = [mark, if self.settings.initial_tab { b'\t' } else { b' ' }];
        match mark {
            _ if !blank => self.write(&flag).await?,
            b' ' => {}
            _ => self.write(&[mark]).await?,
        }
        self.text(body, &flag).await?;
        self.end_line(newline, true).await
    }

    /// A line of the unified format: the mark takes one column, the tab of `-T` stands for the blank.
    pub(super) async fn unified_line(&mut self, mark: u8, line: &[u8]) -> Result<(), UtilityError> {
        self.ctx.tick().await?;
        let blank = self.settings.suppress_blank_empty && line == b"\n";
        let (body, newline) = split_delimiter(line, b'\n');
        if mark != b' ' {
            self.write(&[mark]).await?;
        }
        match (mark, self.settings.initial_tab) {
            _ if blank => {}
            (_, true) => self.write(b"\t").await?,
            (b' ', false) => self.write(b" ").await?,
            _ => {}
        }
        self.text(body, b"").await?;
        self.end_line(newline, true).await
    }

    async fn end_line(&mut self, newline: bool, tells: bool) -> Result<(), UtilityError> {
        self.color(Part::Plain).await?;
        if newline {
            self.write(b"\n").await
        } else if tells {
            self.write(b"\n\\ No newline at end of file\n").await
        } else if self.settings.style.tells_missing_newline() {
            Ok(())
        } else {
            // In a format that cannot tell it, every line has its newline.
            self.write(b"\n").await
        }
    }

    /// The text of a line; with `-t` its tabs as blanks, and the mark again after a carriage return.
    pub(super) async fn text(&mut self, text: &[u8], mark: &[u8]) -> Result<(), UtilityError> {
        if !self.settings.expand_tabs {
            return self.write(text).await;
        }
        let size = self.settings.tab_size.max(1);
        let mut column = 0_usize;
        for (index, &byte) in text.iter().enumerate() {
            self.ctx.tick().await?;
            match byte {
                b'\t' => {
                    let blanks = size - column % size;
                    column = column.saturating_add(blanks);
                    self.repeat(b' ', blanks).await?;
                }
                b'\r' => {
                    self.write(b"\r").await?;
                    if !mark.is_empty() && text.get(index + 1).is_some_and(|byte| *byte != b'\n') {
                        self.write(mark).await?;
                    }
                    column = 0;
                }
                8 if column == 0 => {}
                8 => {
                    column -= 1;
                    self.write(&[8]).await?;
                }
                _ => {
                    column = column.saturating_add(usize::from((0x20..0x7f).contains(&byte)));
                    self.write(&[byte]).await?;
                }
            }
        }
        Ok(())
    }

    /// Ends the output of a pair: hands the pages to `pr`.
    pub(super) async fn finish(mut self) -> Result<(), UtilityError> {
        if !self.has_begun || !self.settings.paginate {
            return Ok(());
        }
        self.ctx.stdout.flush().await?;
        let argv = [Text::from_static(b"pr"), Text::from_static(b"-h"), Text::from(self.title())];
        let mut request = self.ctx.command(Vec::from(argv));
        request.stdin = Some(Description::memory(std::mem::take(&mut self.page)));
        match self.ctx.run_command(request).await {
            Ok(ExitStatus::SUCCESS) => Ok(()),
            Ok(status) => Err(trouble(format!("subsidiary program 'pr' failed (exit status {})", status.0))),
            Err(crate::utility::CommandError::Limit(limit)) => Err(limit.into()),
            Err(error) => Err(trouble(format!("pr: {error}"))),
        }
    }
}

/// A name as the lines before hunks show it: in quotation marks with the escapes of C, if anything in it needs them.
pub(super) fn escape(name: &[u8]) -> Vec<u8> {
    let needs = |byte: u8| !(0x20..0x80).contains(&byte);
    if !name.iter().any(|byte| needs(*byte) || b" \"\\".contains(byte)) {
        return name.to_metered();
    }
    let mut escaped = Vec::new();
    escaped.push(b'"');
    escape_in_octal(name, needs, &mut escaped);
    escaped.push(b'"');
    escaped
}

/// `2026-05-28 12:34:56.789000000 +0000` in the zone of `TZ`.
fn timestamp(ctx: &Context, time: Duration) -> String {
    let zone = ctx.env.get(b"TZ").and_then(|name| jiff::tz::TimeZone::get(&name.to_string_lossy()).ok());
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let stamp =
        jiff::Timestamp::new(seconds, time.subsec_nanos().cast_signed()).unwrap_or(jiff::Timestamp::MAX);
    let zoned = stamp.to_zoned(zone.unwrap_or(jiff::tz::TimeZone::UTC));
    zoned.strftime("%Y-%m-%d %H:%M:%S.%9f %z").to_metered_string()
}
