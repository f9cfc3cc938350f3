//! Records of the operands, and those that `getline` reads.

use super::super::error::Fault;
use super::super::input::{RecordReader, Separator};
use super::super::op::{ARGC, ARGIND, ARGV, ERRNO, FILENAME, FNR, RT, Source, Var};
use super::super::value::Value;
use super::{Ended, Runner};
use crate::memory::{String, ToDecimal, format};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;

impl Runner<'_> {
    pub(super) async fn getline(
        &mut self,
        ctx: &mut Context,
        source: Source,
        name: &[u8],
    ) -> Result<i8, Fault> {
        self.update_separator()?;
        let separator = self.separator.1.clone();
        match source {
            Source::Main if self.is_between_files => {
                Err(Fault::fatal("non-redirected `getline' invalid inside `BEGINFILE' rule"))
            }
            Source::Main => {
                let found = self.read_main(ctx).await?;
                Ok(i8::from(found))
            }
            Source::File if name.is_empty() => Err(Fault::without_name("<")),
            Source::Command if name.is_empty() => Err(Fault::without_name("|")),
            Source::File => {
                let outcome = self.streams.read_file(ctx, name, &separator, &mut self.line).await?;
                if let Some(errno) = self.streams.failure.take() {
                    self.machine.set_global(ERRNO, Value::Text(Text::from(errno.message())))?;
                }
                self.take_terminator(outcome)?;
                // `NR` stays.
                Ok(outcome)
            }
            Source::Command => {
                let outcome = self.streams.read_command(ctx, name, &separator, &mut self.line).await?;
                self.take_terminator(outcome)?;
                Ok(outcome)
            }
        }
    }

    /// Sets `RT` to what ended a record of a file or command.
    fn take_terminator(&mut self, outcome: i8) -> Result<(), Fault> {
        if outcome <= 0 {
            return Ok(());
        }
        let end = std::mem::take(&mut self.streams.terminator);
        self.machine.set_global(RT, Value::Text(end))
    }

    /// Reads the next record of the operands into `$0`.
    pub(super) async fn next_record(&mut self, ctx: &mut Context) -> Result<bool, Fault> {
        let found = self.read_main(ctx).await?;
        if found {
            self.machine.record.take(&mut self.line);
        }
        Ok(found)
    }

    fn update_separator(&mut self) -> Result<(), Fault> {
        if *self.separator.0 == *self.machine.settings.rs {
            return Ok(());
        }
        let text = self.machine.settings.rs.clone();
        let separator = match &*text {
            [] => Separator::Paragraph,
            [byte] => Separator::Byte(*byte),
            _ => Separator::Regex(self.machine.regex(&text)?),
        };
        self.separator = (text, separator);
        Ok(())
    }

    /// Reads the next record of the operands into `line`; `NR` and `FNR` count it.
    async fn read_main(&mut self, ctx: &mut Context) -> Result<bool, Fault> {
        self.update_separator()?;
        loop {
            ctx.tick().await?;
            if self.reader.is_none() {
                if !self.open_next(ctx).await? {
                    return Ok(false);
                }
                // An operand before the file may have set `RS`.
                self.update_separator()?;
            }
            let Some(reader) = &mut self.reader else { return Ok(false) };
            match reader.next(ctx, &self.separator.1).await? {
                Ok(Some((record, end))) => {
                    self.line.clear();
                    append(&ctx.meter, &mut self.line, record).await?;
                    self.machine.count_record(true);
                    if !matches!(self.machine.global(RT), Value::Text(text) if **text == *end) {
                        let end = Text::from(end);
                        self.machine.set_global(RT, Value::Text(end))?;
                    }
                    return Ok(true);
                }
                Ok(None) => self.leave_file(ctx).await?,
                Err(errno) => {
                    self.reader = None;
                    let name = self.machine.text(self.machine.global(FILENAME));
                    let shown = if name.is_empty() { "-".into() } else { String::from_utf8_lossy(&name) };

                    if errno == Errno::IsDirectory {
                        ctx.stdout.flush().await?;
                        let place = if self.has_run { self.place() } else { String::new() };
                        ctx.warn(format_args!(
                            "{place}warning: command line argument `{shown}' is a directory: skipped"
                        ));
                    } else {
                        return Err(Fault::Utility(UtilityError::Failed {
                            message: format!(
                                "fatal: error reading input file `{shown}': {}",
                                errno.message()
                            ),
                            status: 2,
                        }));
                    }
                }
            }
        }
    }

    /// Opens the next operand that is a file; assignments on the way are made. Without any, standard input.
    async fn open_next(&mut self, ctx: &mut Context) -> Result<bool, Fault> {
        loop {
            ctx.tick().await?;
            let count = self.machine.global(ARGC).number();
            if self.next_argument as f64 >= count {
                if self.has_read {
                    return Ok(false);
                }
                let reader = RecordReader::new(ctx.standard_input());
                self.is_standard = true;
                if self.begin(ctx, Text::from_static(b"-"), reader).await? {
                    return Ok(true);
                }
                continue;
            }
            let number = self.next_argument;
            self.next_argument += 1;
            let argv = self.machine.array(Var::Global(ARGV))?;
            let value = self.machine.table(argv)?.get(number.to_decimal().as_bytes()).cloned();
            let name = self.machine.text(&value.unwrap_or(Value::Unset));
            // gawk forgets where it was when it looks for an assignment.
            self.has_run &= !name.contains(&b'=');
            if name.is_empty() || self.assign(&name)? {
                self.warn_of_assignments(ctx);
                continue;
            }
            let input = if *name == *b"-" { Ok(ctx.standard_input()) } else { ctx.open(&name) };
            match input {
                Ok(input) => {
                    if self.begin(ctx, name, RecordReader::new(input)).await? {
                        return Ok(true);
                    }
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    if let Some(entry) = self.program.begin_file {
                        self.machine.set_global(ERRNO, Value::Text(Text::from(errno.message())))?;
                        self.machine.set_global(FILENAME, Value::Text(name.clone()))?;
                        match self.part_between(ctx, entry).await? {
                            Ended::NextFile => continue,
                            Ended::Done | Ended::Exit => {}
                        }
                    }
                    let shown = String::from_utf8_lossy(&name);
                    let place = if self.has_run { self.place() } else { String::new() };
                    return Err(Fault::Utility(UtilityError::Failed {
                        message: format!(
                            "{place}fatal: cannot open file `{shown}' for reading: {}",
                            errno.message()
                        ),
                        status: 2,
                    }));
                }
            }
        }
    }

    /// Begins to read a file; false when BEGINFILE leaves it.
    async fn begin(&mut self, ctx: &mut Context, name: Text, reader: RecordReader) -> Result<bool, Fault> {
        self.has_read = true;
        self.reader = Some(reader);
        if let Some(in_place) = &mut self.in_place {
            in_place.begin(ctx, &name).await?;
        }
        let index = if self.is_standard { 0 } else { self.next_argument - 1 };
        self.machine.set_global(FILENAME, Value::Text(name))?;
        self.machine.set_global(ARGIND, Value::Number(index as f64))?;
        // What BEGIN assigned counts on where there are no operands.
        if !self.is_standard {
            self.machine.set_global(FNR, Value::Number(0.0))?;
        }
        self.machine.set_global(ERRNO, Value::Text(Text::EMPTY))?;
        let Some(entry) = self.program.begin_file else { return Ok(true) };
        match self.part_between(ctx, entry).await? {
            Ended::Done => return Ok(true),
            Ended::NextFile => self.leave_file(ctx).await?,
            Ended::Exit => {
                // There are no more files.
                (self.reader, self.next_argument) = (None, usize::MAX);
            }
        }
        Ok(false)
    }
}
