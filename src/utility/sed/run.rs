//! Runs a program: cycle after cycle, command after command.
//!
//! A cycle reads a line into the pattern space, runs the commands whose addresses select it, prints the pattern space and
//! then what `a`, `r` and `R` have put off. Jumps and cycles are ticks.

use super::error::{Fault, ScriptError};
use super::execute::output_of;
use super::input::{Event, Inputs, read_error};
use super::list::list;
use super::output::Sinks;
use super::program::{Action, Address, Addresses, Program, RangeEnd, Substitution};
use super::substitute::{BLOCK, substitute, translate};
use crate::limit::LimitError;
use crate::memory::{JoinMetered, ToDecimal, Vec};
use crate::utility::context::pace::{self, Pace, tick_bytes};
use crate::utility::context::ticker::{search_error, stopped};
use crate::utility::prelude::*;
use crate::utility::regex::{Look, Regex, Span};

/// What the options say about running.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunOptions {
    pub(super) is_silent: bool,
    pub(super) is_posix: bool,
    pub(super) edits_in_place: bool,
    pub(super) delimiter: u8,
    pub(super) line_length: u64,
}

/// Pattern space or hold space.
#[derive(Debug)]
struct Space {
    text: Vec<u8>,
    /// Whether it is printed with what ends a line.
    newline: bool,
}

/// Where a command's range of lines stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    Outside,
    /// Up to this line, where the end is a number.
    Inside(u64),
    /// It was left; one that began at a line number does not begin again.
    Closed,
}

/// Output that waits for the end of the cycle.
#[derive(Debug)]
enum Appended {
    Text(Text),
    File(Text),
    Line(Vec<u8>),
}

/// A file of `R`.
enum LineFile {
    Unopened,
    Unreadable,
    Open(Input),
}

/// How the commands of a cycle ended.
enum Flow {
    /// The pattern space is printed.
    End,
    /// It is not.
    Deleted,
    /// It is not, and the next cycle begins with what is left of it.
    Restart,
    /// `q`
    Quit(u8),
    /// `Q`
    QuitSilently(u8),
}

pub(super) struct Runner<'p> {
    program: &'p Program,
    options: RunOptions,
    inputs: Inputs,
    sinks: Sinks,
    ranges: Vec<Range>,
    pattern: Space,
    hold: Space,
    scratch: Vec<u8>,
    groups: Vec<Option<Span>>,
    appended: Vec<Appended>,
    /// Files of `R`.
    readers: Vec<LineFile>,
    last_regex: Option<&'p Regex>,
    /// What `t` asks for.
    is_replaced: bool,
}

impl<'p> Runner<'p> {
    pub(super) fn new(program: &'p Program, options: RunOptions, inputs: Inputs, sinks: Sinks) -> Self {
        let space = || Space { text: Vec::new(), newline: true };
        let mut runner = Self {
            program,
            options,
            inputs,
            sinks,
            ranges: Vec::new(),
            pattern: space(),
            hold: space(),
            scratch: Vec::new(),
            groups: Vec::new(),
            appended: Vec::new(),
            readers: program.inputs.iter().map(|_| LineFile::Unopened).collect(),
            last_regex: None,
            is_replaced: false,
        };
        runner.reset_ranges();
        runner
    }

    /// Runs all cycles; the exit status.
    pub(super) async fn run(&mut self, ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
        let mut keeps_pattern = false;
        loop {
            ctx.tick().await?;
            if !keeps_pattern && !self.read(ctx, false).await? {
                break;
            }
            keeps_pattern = false;
            let flow = self.cycle(ctx).await?;
            let prints = matches!(flow, Flow::End | Flow::Quit(_)) && !self.options.is_silent;
            if prints {
                self.sinks.print(ctx, &self.pattern.text, self.pattern.newline).await?;
            }
            match flow {
                Flow::QuitSilently(status) => {
                    self.finish(ctx).await?;
                    // What could not be read counts for more than what the script says.
                    return Ok(ExitStatus(if self.inputs.status == 0 { status } else { self.inputs.status }));
                }
                Flow::Quit(status) => {
                    self.sinks.print_raw(ctx, b"").await?;
                    self.flush_appended(ctx).await?;
                    self.finish(ctx).await?;
                    // What could not be read counts for more than what the script says.
                    return Ok(ExitStatus(if self.inputs.status == 0 { status } else { self.inputs.status }));
                }
                Flow::Restart => keeps_pattern = true,
                Flow::End | Flow::Deleted => {}
            }
            if !self.appended.is_empty() {
                self.flush_appended(ctx).await?;
            }
        }
        self.finish(ctx).await?;
        Ok(ExitStatus(self.inputs.status))
    }

    async fn finish(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.store(ctx)?;
        self.sinks.flush_files().await
    }

    /// Puts the new content of a file edited in place where it belongs.
    fn store(&mut self, ctx: &Context) -> Result<(), UtilityError> {
        match self.sinks.take_memory() {
            Some(content) => self.inputs.store(ctx, &content),
            None => Ok(()),
        }
    }

    /// Reads the next line into the pattern space, or appends it there; false at the end.
    async fn read(&mut self, ctx: &mut Context, appends: bool) -> Result<bool, UtilityError> {
        if !appends {
            self.pattern.text.clear();
        }
        loop {
            match self.inputs.read(ctx, &mut self.pattern.text).await? {
                Event::Line(newline) => {
                    self.pattern.newline = newline;
                    self.is_replaced = false;
                    return Ok(true);
                }
                Event::End => return Ok(false),
                Event::FileEnd => self.store(ctx)?,
                Event::File => {
                    self.reset_ranges();
                    self.hold.text.clear();
                    self.readers.iter_mut().for_each(|reader| *reader = LineFile::Unopened);
                    if self.options.edits_in_place {
                        self.sinks.begin_memory();
                    }
                }
            }
        }
    }

    fn reset_ranges(&mut self) {
        self.ranges.clear();
        let starts = self.program.commands.iter().map(|command| match &command.addresses {
            Some(Addresses { first: Address::Line(0), .. }) => Range::Inside(u64::MAX),
            _ => Range::Outside,
        });
        self.ranges.extend(starts);
    }

    /// Writes what was put off.
    async fn flush_appended(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.appended.is_empty() {
            return Ok(());
        }
        for entry in std::mem::take(&mut self.appended) {
            ctx.tick().await?;
            match entry {
                Appended::Text(text) => self.sinks.print_raw(ctx, &text).await?,
                Appended::Line(line) => self.sinks.print_raw(ctx, &line).await?,
                Appended::File(name) => self.copy_file(ctx, &name).await?,
            }
        }
        Ok(())
    }

    /// The text of `i` or `c`; its newline is what ends a line.
    async fn print_text(&mut self, ctx: &mut Context, text: &[u8]) -> Result<(), UtilityError> {
        match text.strip_suffix(b"\n") {
            Some(body) => self.sinks.print(ctx, body, true).await,
            None => self.sinks.print_raw(ctx, text).await,
        }
    }

    /// `r`: a file that cannot be opened is as one that is empty.
    async fn copy_file(&mut self, ctx: &mut Context, name: &Text) -> Result<(), UtilityError> {
        self.sinks.flush_files().await?;
        self.sinks.print_raw(ctx, b"").await?;
        let Ok(mut input) = ctx.open(name) else { return Ok(()) };
        loop {
            let count = match input.fill().await {
                // What is open for writing alone, as `/dev/stderr` may be, has nothing to be read.
                Ok([]) | Err(FsError::Errno(Errno::BadDescriptor)) => return Ok(()),
                Err(error) => return Err(read_error(name, error)),
                Ok(bytes) => {
                    self.sinks.print_raw(ctx, bytes).await?;
                    bytes.len()
                }
            };
            input.consume(count);
            ctx.check().await?;
        }
    }

    /// Runs the commands once.
    async fn cycle(&mut self, ctx: &mut Context) -> Result<Flow, UtilityError> {
        let program = self.program;
        let mut at = 0;
        while let Some(command) = program.commands.get(at) {
            ctx.tick().await?;
            let is_selected = match &command.addresses {
                None => !command.is_negated,
                Some(addresses) => self.is_selected(ctx, at, addresses).await? != command.is_negated,
            };
            at += 1;
            match &command.action {
                Action::Block(end) if !is_selected => at = *end,
                _ if !is_selected => {}
                Action::Block(_) => {}
                Action::Branch(to) => at = self.jump(ctx, *to).await?,
                Action::BranchIfReplaced(to) => {
                    if std::mem::take(&mut self.is_replaced) {
                        at = self.jump(ctx, *to).await?;
                    }
                }
                Action::BranchUnlessReplaced(to) => {
                    if !std::mem::take(&mut self.is_replaced) {
                        at = self.jump(ctx, *to).await?;
                    }
                }
                Action::Delete => return Ok(Flow::Deleted),
                Action::DeleteFirstLine => {
                    let Some(end) = self.first_line_end() else { return Ok(Flow::Deleted) };
                    self.pattern.text.remove_front(end + 1);
                    return Ok(Flow::Restart);
                }
                Action::Change(text) => {
                    if !matches!(self.ranges.get(at - 1), Some(Range::Inside(_))) {
                        self.print_text(ctx, text).await?;
                    }
                    return Ok(Flow::Deleted);
                }
                Action::Quit(status) => return Ok(Flow::Quit(*status)),
                Action::QuitSilently(status) => return Ok(Flow::QuitSilently(*status)),
                Action::Next => {
                    if self.inputs.is_last(ctx).await? {
                        return Ok(Flow::End);
                    }
                    if !self.options.is_silent {
                        self.sinks.print(ctx, &self.pattern.text, self.pattern.newline).await?;
                    }
                    self.flush_appended(ctx).await?;
                    self.read(ctx, false).await?;
                }
                Action::NextAppended => {
                    if self.inputs.is_last(ctx).await? {
                        return Ok(if self.options.is_posix { Flow::Deleted } else { Flow::End });
                    }
                    self.flush_appended(ctx).await?;
                    self.pattern.text.push(self.options.delimiter);
                    self.read(ctx, true).await?;
                }
                Action::Substitute(substitution) => self.substitute(ctx, substitution).await?,
                action => self.simple(ctx, action).await?,
            }
        }
        Ok(Flow::End)
    }

    async fn jump(&mut self, ctx: &mut Context, to: usize) -> Result<usize, UtilityError> {
        ctx.tick().await?;
        Ok(to)
    }

    fn first_line_end(&self) -> Option<usize> {
        memchr::memchr(self.options.delimiter, &self.pattern.text)
    }

    /// Commands that neither jump nor end the cycle.
    async fn simple(&mut self, ctx: &mut Context, action: &'p Action) -> Result<(), UtilityError> {
        let delimiter = self.options.delimiter;
        match action {
            Action::Append(text) => self.appended.push(Appended::Text(text.clone())),
            Action::ReadFile(name) => self.appended.push(Appended::File(name.clone())),
            Action::InsertFile(name) => self.copy_file(ctx, name).await?,
            Action::ReadLine(index) => self.read_line(ctx, *index).await?,
            Action::Insert(text) => self.print_text(ctx, text).await?,
            Action::FileName => {
                let name = [self.inputs.name(), &[delimiter]].concat_metered();
                self.sinks.print_raw(ctx, &name).await?;
            }
            Action::LineNumber => {
                let number = self.inputs.line.to_decimal();
                self.sinks.print(ctx, number.as_bytes(), true).await?;
            }
            Action::Get => copy(ctx, &self.hold, &mut self.pattern).await?,
            Action::Hold => copy(ctx, &self.pattern, &mut self.hold).await?,
            Action::GetAppended => append(ctx, &self.hold, &mut self.pattern, delimiter).await?,
            Action::HoldAppended => append(ctx, &self.pattern, &mut self.hold, delimiter).await?,
            Action::Exchange => std::mem::swap(&mut self.pattern, &mut self.hold),
            Action::Zap => self.pattern.text.clear(),
            Action::Execute(Some(command)) => {
                self.sinks.flush_files().await?;
                self.sinks.print_raw(ctx, b"").await?;
                let output = output_of(ctx, command).await?;
                self.sinks.print_raw(ctx, &output).await?;
            }
            Action::Execute(None) => self.execute(ctx).await?,
            Action::List(width) => {
                let mut shown = Vec::new();
                let mut column = 0;
                for block in self.pattern.text.chunks(BLOCK) {
                    let width = width.unwrap_or(self.options.line_length);
                    list(block, width, delimiter, &mut column, &mut shown);
                    tick_bytes(&ctx.meter, block.len()).await?;
                }
                shown.push(b'$');
                self.sinks.print(ctx, &shown, true).await?;
            }
            Action::Print => self.sinks.print(ctx, &self.pattern.text, self.pattern.newline).await?,
            Action::Write(file) => {
                self.sinks.write_file(ctx, *file, &self.pattern.text, self.pattern.newline).await?;
            }
            Action::PrintFirstLine | Action::WriteFirstLine(_) => {
                let end = self.first_line_end();
                let text = end.and_then(|end| self.pattern.text.get(..end)).unwrap_or(&self.pattern.text);
                let newline = end.is_some() || self.pattern.newline;
                match action {
                    Action::WriteFirstLine(file) => self.sinks.write_file(ctx, *file, text, newline).await?,
                    _ => self.sinks.print(ctx, text, newline).await?,
                }
            }
            Action::Translate(translation) => {
                let pace = &mut Pace::Shared(&ctx.meter);
                let translated = translate(translation, &self.pattern.text, &mut self.scratch, pace).await;
                translated.map_err(|_| stopped(&ctx.meter))?;
                std::mem::swap(&mut self.pattern.text, &mut self.scratch);
            }
            _ => {}
        }
        Ok(())
    }

    /// Runs the pattern space, which becomes what that prints.
    async fn execute(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.sinks.flush_files().await?;
        let mut output = output_of(ctx, &self.pattern.text).await?;
        if output.last() == Some(&self.options.delimiter) {
            output.pop();
        }
        self.pattern.text = output;
        Ok(())
    }

    /// `R`: puts the next line of a file after the pattern space.
    async fn read_line(&mut self, ctx: &mut Context, index: usize) -> Result<(), UtilityError> {
        let Some(name) = self.program.inputs.get(index) else { return Ok(()) };
        self.sinks.flush_files().await?;
        let Some(reader) = self.readers.get_mut(index) else { return Ok(()) };
        if matches!(reader, LineFile::Unopened) {
            *reader = ctx.open(name).map_or(LineFile::Unreadable, LineFile::Open);
        }
        let LineFile::Open(input) = reader else { return Ok(()) };
        match input.next_line(self.options.delimiter).await {
            Ok(Some(bytes)) => {
                let mut line = Vec::new();
                pace::append(&ctx.meter, &mut line, bytes).await?;
                self.appended.push(Appended::Line(line));
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) => Err(read_error(name, error)),
        }
    }

    async fn substitute(
        &mut self,
        ctx: &mut Context,
        substitution: &'p Substitution,
    ) -> Result<(), UtilityError> {
        let regex = self.regex(substitution.regex.as_ref())?;
        if regex.group_count() < substitution.greatest_group && !self.options.is_posix {
            let number = substitution.greatest_group;
            return Err(self.late(Fault::InvalidReference(number)));
        }
        let mut pace = Pace::Shared(&ctx.meter);
        let replaced = substitute(
            substitution,
            regex,
            &self.pattern.text,
            &mut self.scratch,
            &mut self.groups,
            &mut pace,
        );
        if !replaced.await.map_err(|error| search_error(&ctx.meter, &error, 4))? {
            return Ok(());
        }
        std::mem::swap(&mut self.pattern.text, &mut self.scratch);
        self.is_replaced = true;
        if substitution.executes {
            self.execute(ctx).await?;
        }
        if substitution.prints {
            self.sinks.print(ctx, &self.pattern.text, self.pattern.newline).await?;
        }
        if let Some(file) = substitution.output {
            self.sinks.write_file(ctx, file, &self.pattern.text, self.pattern.newline).await?;
        }
        Ok(())
    }

    /// The expression, or the last one used where it is empty.
    fn regex(&mut self, regex: Option<&'p Regex>) -> Result<&'p Regex, UtilityError> {
        self.last_regex = regex.or(self.last_regex);
        self.last_regex.ok_or_else(|| self.late(Fault::NoPreviousRegex))
    }

    /// A fault of the script that shows when it runs.
    fn late(&self, fault: Fault) -> UtilityError {
        ScriptError::At { place: self.program.end.clone(), fault }.into()
    }

    async fn is_match(&mut self, ctx: &Context, regex: Option<&'p Regex>) -> Result<bool, UtilityError> {
        let regex = self.regex(regex)?;
        let pace = &mut Pace::Shared(&ctx.meter);
        // Most lines end here: what waits for nothing needs no future.
        let found = match regex.look(&self.pattern.text, 0, pace) {
            Ok(Look::Known(found)) => return Ok(found.is_some()),
            Ok(look) => regex.is_match_after(look, &self.pattern.text, pace).await,
            Err(stopped) => Err(stopped.into()),
        };
        found.map_err(|error| search_error(&ctx.meter, &error, 4))
    }

    async fn matches(&mut self, ctx: &mut Context, address: &'p Address) -> Result<bool, UtilityError> {
        match address {
            Address::Line(number) => Ok(self.inputs.line == *number),
            Address::Step(first, step) => Ok(is_step(self.inputs.line, *first, *step)),
            Address::Last => self.inputs.is_last(ctx).await,
            Address::Every => Ok(true),
            Address::Regex(regex) => self.is_match(ctx, regex.as_ref()).await,
        }
    }

    /// Whether the addresses of the command at `index` select the line. POSIX XCU sed, "Addresses in sed".
    async fn is_selected(
        &mut self,
        ctx: &mut Context,
        index: usize,
        addresses: &'p Addresses,
    ) -> Result<bool, UtilityError> {
        let Some(end) = &addresses.second else { return self.matches(ctx, &addresses.first).await };
        let line = self.inputs.line;
        let range = self.ranges.get(index).copied().unwrap_or(Range::Outside);
        let (is_selected, next) = match range {
            Range::Inside(last) => self.goes_on(ctx, end, last).await?,
            Range::Closed if matches!(addresses.first, Address::Line(_)) => (false, range),
            _ if !self.begins(ctx, &addresses.first).await? => (false, range),
            _ => {
                let begins_late = matches!(addresses.first, Address::Line(first) if first < line);
                let last = match end {
                    RangeEnd::Line(number) => *number,
                    RangeEnd::Plus(count) => line.saturating_add(*count),
                    RangeEnd::Multiple(0) => line,
                    RangeEnd::Multiple(number) => (line / number).saturating_add(1).saturating_mul(*number),
                    RangeEnd::Step(first, step) if is_step(line, *first, *step) => line,
                    RangeEnd::Last if self.inputs.is_last(ctx).await? => line,
                    RangeEnd::Last | RangeEnd::Regex(_) | RangeEnd::Step(..) => u64::MAX,
                };
                let next = if last > line { Range::Inside(last) } else { Range::Closed };
                (!begins_late || last >= line, next)
            }
        };
        if let Some(range) = self.ranges.get_mut(index) {
            *range = next;
        }
        Ok(is_selected)
    }

    /// Whether a range begins here. The command may not have seen the line whose number begins it: then it begins at the
    /// first line after that.
    async fn begins(&mut self, ctx: &mut Context, first: &'p Address) -> Result<bool, UtilityError> {
        match first {
            Address::Line(number) => Ok(self.inputs.line >= *number),
            first => self.matches(ctx, first).await,
        }
    }

    /// Whether a range that began before holds this line, and where it stands then.
    async fn goes_on(
        &mut self,
        ctx: &mut Context,
        end: &'p RangeEnd,
        last: u64,
    ) -> Result<(bool, Range), UtilityError> {
        let line = self.inputs.line;
        let is_end = match end {
            RangeEnd::Line(_) | RangeEnd::Plus(_) | RangeEnd::Multiple(_) => {
                let next = if line >= last { Range::Closed } else { Range::Inside(last) };
                // Where the command did not see the last line, a counted range holds one line more.
                return Ok((line <= last || !matches!(end, RangeEnd::Line(_)), next));
            }
            RangeEnd::Step(first, step) => is_step(line, *first, *step),
            RangeEnd::Last => self.inputs.is_last(ctx).await?,
            RangeEnd::Regex(regex) => self.is_match(ctx, regex.as_ref()).await?,
        };
        Ok((true, if is_end { Range::Closed } else { Range::Inside(last) }))
    }
}

fn is_step(line: u64, first: u64, step: u64) -> bool {
    if step == 0 { line == first } else { line >= first && (line - first).is_multiple_of(step) }
}

async fn copy(ctx: &Context, from: &Space, to: &mut Space) -> Result<(), LimitError> {
    to.text.clear();
    to.newline = from.newline;
    pace::append(&ctx.meter, &mut to.text, &from.text).await
}

async fn append(ctx: &Context, from: &Space, to: &mut Space, delimiter: u8) -> Result<(), LimitError> {
    to.text.push(delimiter);
    to.newline = from.newline;
    pace::append(&ctx.meter, &mut to.text, &from.text).await
}
