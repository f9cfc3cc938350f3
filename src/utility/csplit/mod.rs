//! `csplit`: splits a file where lines match, or have a number. GNU coreutils csplit(1).
//!
//! Lines are held only where a match has to be found before they can be written: with an offset below zero. `pattern.rs`
//! reads the patterns, `suffix.rs` makes the names of files.

mod pattern;
mod suffix;

use crate::memory::{ToMetered, Vec, VecDeque, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Regex;
use pattern::{Pattern, Place};
use suffix::Names;

options! {
    enum Opt {
        SuffixFormat = value('b', "suffix-format", "FORMAT", "use sprintf FORMAT instead of %02d"),
        Prefix = value('f', "prefix", "PREFIX", "use PREFIX instead of 'xx'"),
        KeepFiles = flag('k', "keep-files", "do not remove output files on errors"),
        SuppressMatched = flag('\0', "suppress-matched", "suppress the lines matching PATTERN"),
        Digits = value('n', "digits", "DIGITS", "use specified number of digits instead of 2"),
        Quiet = flag('s', "quiet", "do not print counts of output file sizes")
            | flag('q', "silent", "the same as --quiet"),
        ElideEmptyFiles = flag('z', "elide-empty-files", "remove empty output files"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "csplit",
    summary: "split a file into sections determined by context lines",
    usage: "csplit [OPTION]... FILE PATTERN...",
    options: Opt::TABLE,
    examples: &[example("printf '%s\\n' a --- b --- c | csplit -s - /---/ '{*}'; cat xx01", "---\nb\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let prefix = options.value(Opt::Prefix).cloned().unwrap_or(Text::from_static(b"xx"));
    let digits = match options.value(Opt::Digits) {
        None => 2,
        Some(text) => digits(text)?,
    };
    let (file, operands) = match options.operands.as_slice() {
        [] => return Err(UtilityError::Usage("missing operand".into())),
        [one] => return Err(UtilityError::Usage(format!("missing operand after {}", quote(one)))),
        [file, operands @ ..] => (file.clone(), operands),
    };
    let names = match options.value(Opt::SuffixFormat) {
        Some(suffix) => Names::of_format(&prefix, suffix)?,
        None => Names::of_digits(&prefix, digits)?,
    };
    let input = ctx.open_input(&file).map_err(|error| {
        let what = format!("cannot open {} for reading", quote_name(&file));
        UtilityError::operand(what.as_bytes(), error)
    })?;
    let patterns = pattern::parse(ctx, operands).await?;
    let mut splitter = Splitter {
        lines: Lines { input, held: VecDeque::new(), first: 1 },
        names,
        is_quiet: options.has(Opt::Quiet),
        elides: options.has(Opt::ElideEmptyFiles),
        suppresses: options.has(Opt::SuppressMatched),
        current: 0,
        files: 0,
        output: None,
        is_empty: false,
    };
    let split = splitter.split(ctx, &patterns).await;
    if let Err(error) = split {
        if let UtilityError::Limit(_) = error {
            return Err(error);
        }
        // As in the real program, a file for what is not there is not told and not removed.
        if splitter.is_empty {
            return Err(error);
        }
        splitter.close(ctx).await?;
        if !options.has(Opt::KeepFiles) {
            splitter.remove_files(ctx).await?;
        }
        return Err(error);
    }
    Ok(ExitStatus::SUCCESS)
}

fn digits(text: &[u8]) -> Result<usize, UtilityError> {
    let invalid = |reason: &str| UtilityError::failed(format!("invalid number: {}{reason}", quote(text)));
    let number = std::str::from_utf8(text).ok().and_then(|text| text.trim_start().parse::<i128>().ok());
    match number.ok_or_else(|| invalid(""))? {
        number @ 0..=0x7fff_ffff => Ok(number as usize),
        _ => Err(invalid(": Numerical result out of range")),
    }
}

/// The lines that are not taken yet; `first` is the number of the first one.
struct Lines {
    input: Input,
    held: VecDeque<Vec<u8>>,
    first: u64,
}

impl Lines {
    /// Reads on until so many lines are held; whether there are as many.
    async fn hold(&mut self, ctx: &mut Context, count: usize) -> Result<bool, UtilityError> {
        while self.held.len() < count {
            ctx.tick().await?;
            let line = self.input.next_line(b'\n').await.map_err(read_error)?;
            let Some(line) = line.map(ToMetered::to_metered) else { return Ok(false) };
            self.held.push_back(line);
        }
        Ok(true)
    }

    /// Whether a line of that number can be looked at.
    async fn find(&mut self, ctx: &mut Context, number: u64) -> Result<Option<&[u8]>, UtilityError> {
        let Some(place) = number.checked_sub(self.first) else { return Ok(None) };
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        self.hold(ctx, place.saturating_add(1)).await?;
        Ok(self.held.get(place).map(Vec::as_slice))
    }

    async fn take(&mut self, ctx: &mut Context) -> Result<Option<Vec<u8>>, UtilityError> {
        self.hold(ctx, 1).await?;
        let line = self.held.pop_front();
        self.first += u64::from(line.is_some());
        Ok(line)
    }
}

fn read_error(error: FsError) -> UtilityError {
    match error {
        FsError::Errno(errno) => UtilityError::failed(format!("read error: {}", errno.message())),
        FsError::Limit(limit) => limit.into(),
    }
}

struct Splitter {
    lines: Lines,
    names: Names,
    is_quiet: bool,
    elides: bool,
    suppresses: bool,
    /// The line at which the last match was found, or the last one that was taken.
    current: u64,
    files: u64,
    output: Option<(Output, Vec<u8>, u64)>,
    /// There was no line left for a line number.
    is_empty: bool,
}

/// What ends the splitting: nothing, or that a pattern is to be repeated as long as there is input, and there is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    GoesOn,
    IsOver,
}

impl Splitter {
    async fn split(&mut self, ctx: &mut Context, patterns: &[Pattern]) -> Result<(), UtilityError> {
        for pattern in patterns {
            let mut turn = 0_u64;
            while pattern.repeats.is_none_or(|most| turn <= most) {
                ctx.tick().await?;
                match &pattern.place {
                    Place::Line(line) => self.split_at_line(ctx, pattern, *line, turn).await?,
                    Place::Match { regex, offset, is_skipped } => {
                        let progress =
                            self.split_at_match(ctx, pattern, regex, *offset, *is_skipped, turn).await?;
                        if progress == Progress::IsOver {
                            return Ok(());
                        }
                    }
                }
                turn = turn.saturating_add(1);
            }
        }
        self.create(ctx)?;
        self.write_rest(ctx).await?;
        self.close(ctx).await
    }

    /// Takes a line off the input.
    async fn take(&mut self, ctx: &mut Context) -> Result<Option<Vec<u8>>, UtilityError> {
        let line = self.lines.take(ctx).await?;
        self.current = self.current.max(self.lines.first.saturating_sub(1));
        Ok(line)
    }

    async fn split_at_line(
        &mut self,
        ctx: &mut Context,
        pattern: &Pattern,
        line: u64,
        turn: u64,
    ) -> Result<(), UtilityError> {
        let out_of_range = || {
            let repetition = if turn > 0 { format!(" on repetition {turn}") } else { "".into() };
            UtilityError::failed(format!(
                "{}: line number out of range{repetition}",
                quote(pattern.text.as_bytes())
            ))
        };
        self.create(ctx)?;
        if !self.lines.hold(ctx, 1).await? {
            if self.suppresses {
                return Err(out_of_range());
            }
            self.is_empty = true;
            return Err(UtilityError::failed("input disappeared"));
        }
        let end = line.saturating_mul(turn.saturating_add(1));
        while self.lines.first < end {
            let line = self.take(ctx).await?.ok_or_else(out_of_range)?;
            self.save(&line).await?;
        }
        self.close(ctx).await?;
        if self.suppresses {
            self.take(ctx).await?;
        } else if !self.lines.hold(ctx, 1).await? {
            return Err(out_of_range());
        }
        Ok(())
    }

    async fn split_at_match(
        &mut self,
        ctx: &mut Context,
        pattern: &Pattern,
        regex: &Regex,
        offset: i64,
        is_skipped: bool,
        turn: u64,
    ) -> Result<Progress, UtilityError> {
        if !is_skipped {
            self.create(ctx)?;
        }
        loop {
            self.current = self.current.saturating_add(1);
            let Some(line) = self.lines.find(ctx, self.current).await? else {
                if !is_skipped {
                    self.write_rest(ctx).await?;
                    self.close(ctx).await?;
                }
                if pattern.repeats.is_none() {
                    return Ok(Progress::IsOver);
                }
                let repetition = if turn > 0 { format!(" on repetition {turn}") } else { "".into() };
                return Err(UtilityError::failed(format!(
                    "{}: match not found{repetition}",
                    quote(&pattern.text)
                )));
            };
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let found = regex.find_at(line, 0, &mut Pace::Shared(&ctx.meter)).await;
            if found.map_err(|error| search_error(&ctx.meter, &error, 1))?.is_some() {
                break;
            }
            if offset >= 0 {
                let line = self.take(ctx).await?;
                if let Some(line) = line.filter(|_| !is_skipped) {
                    self.save(&line).await?;
                }
            }
        }
        let end = self.current.saturating_add_signed(offset);
        let out_of_range =
            || UtilityError::failed(format!("{}: line number out of range", quote(&pattern.text)));
        if self.lines.first > end || (offset < 0 && offset.unsigned_abs() > self.current) {
            return Err(out_of_range());
        }
        while self.lines.first < end {
            let line = self.lines.take(ctx).await?.ok_or_else(out_of_range)?;
            if !is_skipped {
                self.save(&line).await?;
            }
        }
        if !is_skipped {
            self.close(ctx).await?;
        }
        if offset > 0 {
            self.current = end;
        }
        if self.suppresses {
            self.take(ctx).await?;
        }
        Ok(Progress::GoesOn)
    }

    fn create(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let name = self.names.name(self.files);
        let output = ctx.create(&name, false).map_err(|error| UtilityError::operand(&name, error))?;
        self.files += 1;
        self.output = Some((output, name, 0));
        Ok(())
    }

    async fn save(&mut self, line: &[u8]) -> Result<(), UtilityError> {
        let Some((output, name, count)) = &mut self.output else { return Ok(()) };
        *count += line.len() as u64;
        output.write(line).await.map_err(|error| match error {
            UtilityError::Write(errno) => UtilityError::operand(name, errno.into()),
            error => error,
        })
    }

    async fn write_rest(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        while let Some(line) = self.take(ctx).await? {
            self.save(&line).await?;
        }
        Ok(())
    }

    /// Ends the file, and says how many bytes it has.
    async fn close(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let Some((mut output, name, count)) = self.output.take() else { return Ok(()) };
        output.flush().await?;
        drop(output);
        if count == 0 && self.elides {
            self.remove(ctx, &name);
            self.files -= 1;
        } else if !self.is_quiet {
            ctx.stdout.push(format!("{count}\n").as_bytes());
        }
        ctx.stdout.flush_if_full().await
    }

    #[expect(clippy::unused_self, reason = "called as `close` is")]
    fn remove(&self, ctx: &Context, name: &[u8]) {
        // A file that is gone already needs nothing.
        let _ = ctx.session.fs.remove_file(&ctx.absolute(name));
    }

    async fn remove_files(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        for number in 0..self.files {
            ctx.tick().await?;
            let name = self.names.name(number);
            self.remove(ctx, &name);
        }
        Ok(())
    }
}
