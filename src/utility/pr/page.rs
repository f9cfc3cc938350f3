//! The pages of `pr`: columns with their states, what is printed above and below the text, pages that are passed over.

mod skip;

use super::line::ANYWHERE;
use super::settings::PrOptions;
use super::source::Source;
use crate::memory::{Vec, format};
use crate::utility::format::time_format::Zone;
use crate::utility::format::width::width;
use crate::utility::prelude::*;
use bstr::ByteSlice as _;

/// What can be read of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Open,
    /// A form feed was met while columns were stored.
    FormFeed,
    /// Until the next page.
    Held,
    Closed,
}

pub(super) struct Column {
    /// The index of its source.
    source: usize,
    pub(super) state: State,
    /// Lines that are still to be printed on the page.
    pub(super) left: isize,
    is_full_page: bool,
    /// Where it begins, with the separator before it.
    pub(super) start: usize,
    is_numbered: bool,
    /// Its lines are stored before they are printed.
    is_stored: bool,
    stored: usize,
    /// The stored line that is printed next.
    pub(super) line: usize,
}

/// A stored line, and the position after it.
pub(super) struct Stored {
    pub(super) text: Vec<u8>,
    pub(super) end: usize,
}

pub(super) struct Printer {
    pub(super) settings: PrOptions,
    pub(super) status: ExitStatus,
    sources: Vec<Source>,
    pub(super) columns: Vec<Column>,
    /// Sources of which something can be read on this page.
    ready: usize,
    body: usize,
    pub(super) stores: bool,
    pub(super) tabifies: bool,
    pub(super) column_width: usize,
    pub(super) number_width: usize,
    pub(super) line_number: i64,
    line_count: i64,
    page: u64,
    header: Header,
    pub(super) stored: Vec<Stored>,
    /// The line that is being stored.
    pub(super) line: Vec<u8>,
    pub(super) input_position: usize,
    pub(super) output_position: usize,
    /// Blanks and separators that wait for what follows them, and the column to go to. There are less than no blanks where
    /// the text before has gone past the column: those that follow are not printed then.
    pub(super) blanks: isize,
    pub(super) separators: usize,
    pub(super) padding: usize,
    pub(super) pads_vertically: bool,
    pub(super) wants_header: bool,
    pub(super) wants_form_feed: bool,
    pub(super) aligns_empty: bool,
    pub(super) is_line_empty: bool,
    pub(super) is_form_feed_only: bool,
    is_last_skipped: bool,
}

#[derive(Default)]
struct Header {
    date: Vec<u8>,
    text: Text,
    room: usize,
}

/// Columns that bytes take on a page.
fn columns_of(text: &[u8]) -> usize {
    text.chars().map(|letter| width(letter).unwrap_or(0)).sum()
}

impl Printer {
    pub(super) fn new(mut settings: PrOptions, files: usize) -> Self {
        if files == 0 {
            settings.is_parallel = false;
        }
        let line_count = settings.first_number.unwrap_or(1);
        Self {
            settings,
            status: ExitStatus::SUCCESS,
            sources: Vec::new(),
            columns: Vec::new(),
            ready: 0,
            body: 0,
            stores: false,
            tabifies: false,
            column_width: 0,
            number_width: 0,
            line_number: 0,
            line_count,
            page: 1,
            header: Header::default(),
            stored: Vec::new(),
            line: Vec::new(),
            input_position: 0,
            output_position: 0,
            blanks: 0,
            separators: 0,
            padding: ANYWHERE,
            pads_vertically: false,
            wants_header: false,
            wants_form_feed: false,
            aligns_empty: false,
            is_line_empty: false,
            is_form_feed_only: false,
            is_last_skipped: false,
        }
    }

    /// One file, files side by side, or standard input without any.
    pub(super) async fn print_files(
        &mut self,
        ctx: &mut Context,
        files: &[Text],
    ) -> Result<(), UtilityError> {
        self.prepare(files.len())?;
        if !self.open(ctx, files).await? {
            return Ok(());
        }
        self.line_count = self.settings.first_number.unwrap_or(1);
        self.page = 1;
        if self.settings.first_page > 1 {
            if !self.skip_pages(ctx).await? {
                return Ok(());
            }
            self.page = self.settings.first_page;
        }
        self.place_columns(ctx).await?;
        self.line_number = self.line_count;
        while self.print_page(ctx).await? {
            ctx.tick().await?;
        }
        Ok(())
    }

    /// Works out widths.
    fn prepare(&mut self, files: usize) -> Result<(), UtilityError> {
        self.body = self.settings.body();
        let settings = &mut self.settings;
        if settings.is_parallel {
            settings.columns = files;
        }
        self.tabifies = settings.tabifies;
        self.stores = !settings.is_parallel && !settings.is_across && settings.columns > 1;
        if settings.columns > 1 {
            let is_tab = |separator: &[u8]| separator == b"\t";
            if !settings.has_separator {
                settings.separator = crate::memory::vec![if settings.joins { b'\t' } else { b' ' }];
                settings.has_separator = true;
            } else if !settings.joins && is_tab(&settings.separator) {
                settings.separator = crate::memory::vec![b' '];
            }
            settings.truncates = true;
            settings.expands |= !is_tab(&settings.separator);
            self.tabifies = true;
        }
        if settings.joins {
            settings.truncates = false;
        }
        let mut used = 0;
        if let Some((separator, digits)) = settings.numbers {
            self.number_width = digits.saturating_add(if separator == b'\t' { 8 - digits % 8 } else { 1 });
            used = if settings.is_parallel { self.number_width } else { 0 };
        }
        let separators = (settings.columns - 1).saturating_mul(settings.separator.len());
        self.column_width = settings.width.saturating_sub(used).saturating_sub(separators) / settings.columns;
        if self.column_width < 1 {
            return Err(UtilityError::failed("page width too narrow"));
        }
        Ok(())
    }

    /// Opens the files; whether there is something to print.
    async fn open(&mut self, ctx: &mut Context, files: &[Text]) -> Result<bool, UtilityError> {
        self.sources.clear();
        self.columns.clear();
        let names: &[Text] = if files.is_empty() { &[Text::from_static(b"-")] } else { files };
        for name in names {
            match ctx.open_input(name) {
                Ok(input) => self.sources.push(Source::new(name.clone(), input)),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    self.status = ExitStatus::FAILURE;
                    if !self.settings.no_warnings {
                        ctx.warn(format_args!("{}: {}", quote_operand(name), errno.message()));
                    }
                }
            }
        }
        if self.sources.is_empty() {
            return Ok(false);
        }
        let count = if self.settings.is_parallel { self.sources.len() } else { self.settings.columns };
        for at in 0..count {
            ctx.tick().await?;
            self.columns.push(Column {
                source: if self.settings.is_parallel { at } else { 0 },
                state: State::Open,
                left: 0,
                is_full_page: false,
                start: 0,
                is_numbered: false,
                is_stored: false,
                stored: 0,
                line: 0,
            });
        }
        self.ready = self.sources.len();
        self.make_header(ctx);
        Ok(true)
    }

    fn make_header(&mut self, ctx: &Context) {
        let file = self
            .sources
            .first()
            .filter(|source| !self.settings.is_parallel && source.name.as_bytes() != b"-");
        let modified =
            file.and_then(|source| source.input().description().metadata()).map(|data| data.modified);
        let zone = Zone::of(&ctx.env);
        let moment = zone.since_epoch(modified.unwrap_or_else(|| ctx.session.clock.now()));
        let date = zone.format(&self.settings.date_format, &moment);
        let name = file.map(|source| source.name.clone()).unwrap_or_default();
        let text = self.settings.header.clone().unwrap_or(name);
        let taken = columns_of(&date).saturating_add(columns_of(&text));
        self.header = Header { room: self.settings.width.saturating_sub(taken), date, text };
    }

    async fn place_columns(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let settings = &self.settings;
        let separator = settings.separator.len();
        let mut start = settings.margin.saturating_add(separator);
        let mut next = if settings.truncates {
            let more = if settings.is_parallel && settings.numbers.is_some() { self.number_width } else { 0 };
            settings.margin.saturating_add(self.column_width).saturating_add(more)
        } else {
            ANYWHERE
        };
        for (at, column) in self.columns.iter_mut().enumerate() {
            ctx.tick().await?;
            column.is_stored = self.stores;
            column.is_numbered = settings.numbers.is_some() && (!settings.is_parallel || at == 0);
            column.start = start;
            if settings.truncates {
                start = next.saturating_add(separator);
                next = start.saturating_add(self.column_width);
            } else {
                (start, next) = (ANYWHERE, ANYWHERE);
            }
        }
        Ok(())
    }

    /// Columns that have something for this page.
    fn ready_columns(&self) -> usize {
        let is_ready = |column: &&Column| {
            matches!(column.state, State::Open | State::FormFeed)
                || (self.stores && column.stored > 0 && column.left > 0)
        };
        self.columns.iter().filter(is_ready).count()
    }

    /// Prints a page; whether there are more.
    async fn print_page(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        self.begin_page(ctx).await?;
        if self.ready_columns() == 0 {
            return Ok(false);
        }
        // A header counts the pages; where there is none, they are counted here.
        if self.settings.extremities {
            self.wants_header = true;
        } else {
            self.page = self.page.saturating_add(1);
        }
        let mut has_text = false;
        self.pads_vertically = false;
        let mut left = if self.settings.double_space { self.body * 2 } else { self.body };
        while left > 0 && self.ready_columns() > 0 {
            ctx.tick().await?;
            self.print_line(ctx, &mut has_text).await?;
            if self.pads_vertically {
                ctx.stdout.write(b"\n").await?;
                left -= 1;
            }
            if self.ready_columns() == 0 && !self.settings.extremities {
                break;
            }
            if self.settings.double_space && has_text && left > 0 {
                ctx.stdout.write(b"\n").await?;
                left -= 1;
            }
        }
        if left == 0 {
            for column in self.columns.iter_mut().filter(|column| column.state == State::Open) {
                column.is_full_page = true;
            }
        }
        self.pads_vertically = has_text;
        if has_text && self.settings.extremities {
            if self.settings.form_feeds {
                ctx.stdout.write(b"\x0c").await?;
            } else {
                ctx.write_repeated(b'\n', left + PrOptions::trailer()).await?;
            }
        } else if self.settings.keeps_form_feeds && self.wants_form_feed {
            ctx.stdout.write(b"\x0c").await?;
            self.wants_form_feed = false;
        }
        if self.settings.last_page < self.page {
            return Ok(false);
        }
        self.reset_states();
        Ok(true)
    }

    /// One line of all columns.
    async fn print_line(&mut self, ctx: &mut Context, has_text: &mut bool) -> Result<(), UtilityError> {
        self.output_position = 0;
        self.blanks = 0;
        self.separators = 0;
        self.pads_vertically = false;
        self.aligns_empty = false;
        self.is_line_empty = true;
        for at in 0..self.columns.len() {
            ctx.tick().await?;
            self.input_position = 0;
            let Some(column) = self.columns.get(at) else { break };
            if column.left > 0 || column.state == State::FormFeed {
                self.is_form_feed_only = false;
                self.padding = column.start;
                if column.is_stored {
                    self.print_stored(ctx, at).await?;
                } else if !self.read_line(ctx, at).await? {
                    self.skip_line(ctx, at).await?;
                }
                *has_text |= self.pads_vertically;
                let Some(column) = self.columns.get_mut(at) else { break };
                column.left -= 1;
                let (is_over, state) = (column.left <= 0, column.state);
                if is_over && self.ready_columns() == 0 {
                    break;
                }
                if self.settings.is_parallel && state != State::Open {
                    if self.is_line_empty {
                        self.aligns_empty = true;
                    } else if state == State::Closed || (state == State::Held && self.is_form_feed_only) {
                        self.align(ctx, at).await?;
                    }
                }
            } else if self.settings.is_parallel {
                if self.is_line_empty {
                    self.aligns_empty = true;
                } else {
                    self.align(ctx, at).await?;
                }
            }
            if self.settings.has_separator {
                self.separators += 1;
            }
        }
        Ok(())
    }

    async fn begin_page(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.stores {
            self.store_columns(ctx).await?;
            for column in &mut self.columns {
                column.left = column.stored as isize;
            }
            return Ok(());
        }
        for column in &mut self.columns {
            column.left = if column.state == State::Open { self.body as isize } else { 0 };
        }
        Ok(())
    }

    /// Reads the lines of a page, and spreads them over the columns.
    async fn store_columns(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.stored.clear();
        for column in &mut self.columns {
            column.stored = 0;
        }
        let count = self.columns.len();
        'columns: for at in 0..count {
            for _ in 0..self.body {
                if self.ready == 0 {
                    break 'columns;
                }
                ctx.tick().await?;
                if self.columns.get(at).is_none_or(|column| column.state != State::Open) {
                    continue 'columns;
                }
                self.input_position = 0;
                self.line.clear();
                if !self.read_line(ctx, at).await? {
                    self.skip_line(ctx, at).await?;
                }
                let is_open = self.columns.get(at).is_some_and(|column| column.state == State::Open);
                if is_open || !self.line.is_empty() {
                    let text = std::mem::take(&mut self.line);
                    self.stored.push(Stored { text, end: self.input_position });
                }
            }
        }
        let total = self.stored.len();
        let mut first = 0;
        for (at, column) in self.columns.iter_mut().enumerate() {
            column.stored = total / count + usize::from(at < total % count);
            column.line = first;
            first += column.stored;
        }
        Ok(())
    }

    pub(super) async fn print_header(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.output_position = 0;
        let margin = self.settings.margin;
        self.pad_across(ctx, margin).await?;
        if self.blanks > 0 {
            self.print_blanks(ctx).await?;
        }
        let page = format!("Page {}", self.page);
        self.page = self.page.checked_add(1).ok_or_else(|| UtilityError::failed("page number overflow"))?;
        let room = self.header.room.saturating_sub(page.len());
        let before = room / 2;
        ctx.stdout.write(b"\n\n").await?;
        ctx.write_repeated(b' ', margin).await?;
        ctx.stdout.write(&self.header.date).await?;
        ctx.write_repeated(b' ', before.max(1)).await?;
        ctx.stdout.write(&self.header.text).await?;
        ctx.write_repeated(b' ', (room - before).max(1)).await?;
        ctx.stdout.write(page.as_bytes()).await?;
        ctx.stdout.write(b"\n\n\n").await?;
        self.wants_header = false;
        self.output_position = 0;
        Ok(())
    }

    /// Nothing more is read of a column on this page.
    pub(super) fn hold(&mut self, at: usize) {
        let state = if self.stores { State::FormFeed } else { State::Held };
        if self.settings.is_parallel {
            if let Some(column) = self.columns.get_mut(at) {
                column.state = State::Held;
            }
        } else {
            self.columns.iter_mut().for_each(|column| column.state = state);
        }
        if let Some(column) = self.columns.get_mut(at) {
            column.left = 0;
        }
        self.ready = self.ready.saturating_sub(1);
    }

    /// The end of a column's source.
    pub(super) fn close(&mut self, at: usize) {
        if self.columns.get(at).is_none_or(|column| column.state == State::Closed) {
            return;
        }
        if self.settings.is_parallel {
            if let Some(column) = self.columns.get_mut(at) {
                column.state = State::Closed;
                column.left = 0;
            }
        } else {
            for column in &mut self.columns {
                column.state = State::Closed;
                if column.stored == 0 {
                    column.left = 0;
                }
            }
        }
        self.ready = self.ready.saturating_sub(1);
    }

    fn reset_states(&mut self) {
        for column in self.columns.iter_mut().filter(|column| column.state == State::Held) {
            column.state = State::Open;
            self.ready += 1;
        }
        if self.stores {
            self.ready =
                usize::from(self.columns.first().is_some_and(|column| column.state != State::Closed));
        }
    }

    fn source(&mut self, at: usize) -> Option<&mut Source> {
        let source = self.columns.get(at)?.source;
        self.sources.get_mut(source)
    }

    pub(super) async fn next_byte(
        &mut self,
        ctx: &mut Context,
        at: usize,
    ) -> Result<Option<u8>, UtilityError> {
        match self.source(at) {
            Some(source) => source.next(ctx).await,
            None => Ok(None),
        }
    }

    pub(super) async fn skip_newline(&mut self, ctx: &mut Context, at: usize) -> Result<(), UtilityError> {
        match self.source(at) {
            Some(source) => source.skip_newline(ctx).await,
            None => Ok(()),
        }
    }

    pub(super) fn is_stored(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(|column| column.is_stored)
    }

    pub(super) fn is_numbered(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(|column| column.is_numbered)
    }

    pub(super) fn start(&self, at: usize) -> usize {
        self.columns.get(at).map_or(ANYWHERE, |column| column.start)
    }

    pub(super) fn is_full_page(&self, at: usize) -> bool {
        self.columns.get(at).is_some_and(|column| column.is_full_page)
    }

    pub(super) fn set_full_page(&mut self, at: usize, is_full: bool) {
        if let Some(column) = self.columns.get_mut(at) {
            column.is_full_page = is_full;
        }
    }
}
