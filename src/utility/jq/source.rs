//! [`Source`]: the inputs of a run, from standard input or files.
//!
//! The bytes of all files are one stream, so a value may go on from one file into the next, as in jq. Bytes are kept from
//! the start of the value that is being read. Files are opened when their turn comes; one that cannot be opened is
//! reported, and the next one is taken.

use super::diagnose;
use super::format::lossy;
use super::job::PIECE;
use super::read::{JsonReader, Progress, ReadError};
use super::stream::Events;
use super::text::{Text, text_of};
use super::value::Value;
use super::work::{Stop, Work};
use crate::io::Description;
use crate::limit::{Limit, LimitError, Meter};
use crate::memory::{Arc, String, Vec, format, vec};
use crate::text::Text as Operand;
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FsError, OpenOptions};
use std::future::poll_fn;

/// What stands before each text of a sequence.
const RS: u8 = 0x1e;

/// Most bytes read at a time.
const BLOCK: usize = 64 << 10;

/// What an input is (`-R`, `-s`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// Lines instead of JSON texts.
    pub(super) raw: bool,
    /// Everything as one input.
    pub(super) slurp: bool,
    /// The events of values instead of values (`--stream`).
    pub(super) stream: bool,
    /// Each text stands after an RS (`--seq`).
    pub(super) sequence: bool,
}

/// Why there is no input.
#[derive(Debug)]
pub(super) enum SourceError {
    /// The text is not JSON: jq's words.
    Syntax(String),
    /// The run is over.
    Stopped(Stop),
    /// The utility ends.
    Utility(UtilityError),
}

impl<E: Into<UtilityError>> From<E> for SourceError {
    fn from(error: E) -> Self {
        SourceError::Utility(error.into())
    }
}

impl From<ReadError> for SourceError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Syntax(problem) => SourceError::Syntax(problem),
            ReadError::Stopped(stop) => SourceError::Stopped(stop),
        }
    }
}

/// See the module.
pub(super) struct Source {
    kind: Kind,
    /// The files that are left, the next one last; `-` alone where there were no operands.
    operands: Vec<Operand>,
    current: Option<Arc<Description>>,
    /// The file opened last.
    name: Option<Operand>,
    buffer: Vec<u8>,
    start: usize,
    /// Bytes that were used so far.
    consumed: usize,
    reader: JsonReader,
    events: Option<Events>,
    is_at_start: bool,
    /// Newlines and bytes since the last one, before `start`.
    position: (usize, usize),
    /// Newlines before the current file.
    earlier_lines: usize,
    has_slurped: bool,
    /// What belongs to the one input so far.
    slurped: Vec<Value>,
    /// Whether the first RS of a sequence was read.
    has_begun: bool,
    /// Whether a file could not be read.
    pub(super) has_failed: bool,
}

/// The run is over. What was made so far may be large: it is dropped with the run, not on the way out.
pub(super) async fn end_of_run<T>() -> T {
    std::future::pending().await
}

impl Source {
    /// Reads the files, or standard input where there are none.
    pub(super) fn new(files: &[Operand], kind: Kind) -> Self {
        let standard = Operand::from_static(b"-");
        let operands = if files.is_empty() { vec![standard] } else { files.iter().rev().cloned().collect() };
        Source {
            kind,
            operands,
            current: None,
            name: None,
            buffer: Vec::new(),
            start: 0,
            consumed: 0,
            reader: JsonReader::default(),
            events: None,
            is_at_start: true,
            position: (0, 0),
            earlier_lines: 0,
            has_slurped: false,
            slurped: Vec::new(),
            has_begun: false,
            has_failed: false,
        }
    }

    /// The bytes that were read and not used yet.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Marks bytes as used.
    pub(super) fn consume(&mut self, count: usize) {
        let used = self
            .buffer
            .get(self.start..)
            .and_then(|rest| rest.get(..count.min(rest.len())))
            .unwrap_or_default();
        self.position = diagnose::moved(self.position, used);
        self.start += used.len();
        self.consumed += used.len();
    }

    /// Bytes that were used so far.
    pub(super) const fn consumed(&self) -> usize {
        self.consumed
    }

    /// The file that is being read, as it was named.
    pub(super) fn name(&self) -> Option<&crate::text::Text> {
        self.name.as_ref()
    }

    /// Lines of the current file that were begun, the last one only where it has its newline.
    pub(super) fn lines(&self) -> usize {
        let in_line = self.start > 0 && self.buffer.get(self.start - 1) != Some(&b'\n');
        let ends = in_line && memchr::memchr(b'\n', self.bytes()).is_some();
        (self.position.0 + usize::from(ends)).saturating_sub(self.earlier_lines)
    }

    /// Reads more bytes after those at hand; false at the end of the last file.
    pub(super) async fn fill(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        loop {
            let Some(description) = self.current.clone() else {
                if self.open(ctx).await? {
                    continue;
                }
                return Ok(false);
            };
            if self.start > 0 {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            let buffer = &mut self.buffer;
            let read = poll_fn(|cx| {
                description.poll_read(cx, &mut |bytes| {
                    let block = bytes.get(..bytes.len().min(BLOCK)).unwrap_or(bytes);
                    buffer.extend_from_slice(block);
                    block.len()
                })
            })
            .await;
            match read {
                Ok(0) => self.current = None,
                Ok(_) => {
                    if self.is_at_start && self.bytes().starts_with(b"\xef\xbb\xbf") && !self.kind.raw {
                        self.start += 3;
                    }
                    self.is_at_start = false;
                    return Ok(true);
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    self.has_failed = true;
                    self.current = None;
                    ctx.stderr.write(format!("jq: error: {}\n", errno.message()).as_bytes()).await?;
                }
            }
        }
    }

    /// Opens the next file; false after the last.
    async fn open(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        let Some(operand) = self.operands.pop() else { return Ok(false) };
        let opened = if operand.as_bytes() == b"-" {
            ctx.description(0).cloned().ok_or(FsError::Errno(Errno::BadDescriptor))
        } else {
            let options = OpenOptions { read: true, ..OpenOptions::default() };
            ctx.open_description(&operand, &options)
        };
        match opened {
            Ok(description) => {
                self.earlier_lines = self.position.0 + memchr::memchr_iter(b'\n', self.bytes()).count();
                self.current = Some(description);
                self.name = Some(operand);
            }
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                self.has_failed = true;
                let shown = bstr::BStr::new(operand.as_bytes());
                let line = format!("jq: error: Could not open file {shown}: {}\n", errno.message());
                ctx.stderr.write(line.as_bytes()).await?;
                self.earlier_lines = self.position.0 + memchr::memchr_iter(b'\n', self.bytes()).count();
                self.name = Some(operand);
            }
        }
        Ok(true)
    }

    /// The next input, or `None` after the last.
    pub(super) async fn next(
        &mut self,
        ctx: &mut Context,
        work: &mut Work<'_>,
    ) -> Result<Option<Value>, SourceError> {
        match self.kind {
            Kind { raw: false, slurp: false, .. } => self.next_json(ctx, work).await,
            Kind { raw: true, slurp: false, .. } => self.next_line(ctx).await,
            Kind { slurp: true, .. } if std::mem::replace(&mut self.has_slurped, true) => Ok(None),
            Kind { raw: true, slurp: true, .. } => self.all_text(ctx).await.map(Some),
            Kind { raw: false, slurp: true, .. } => {
                loop {
                    match self.next_json(ctx, work).await {
                        Ok(Some(value)) => self.slurped.push(value),
                        Ok(None) => return Ok(Some(Value::array(std::mem::take(&mut self.slurped)))),
                        Err(error) => {
                            // After an error in a sequence the next text is read.
                            self.has_slurped = !self.kind.sequence;
                            return Err(error);
                        }
                    }
                }
            }
        }
    }

    /// The next value, or event of one.
    async fn next_json(
        &mut self,
        ctx: &mut Context,
        work: &mut Work<'_>,
    ) -> Result<Option<Value>, SourceError> {
        if !self.kind.stream {
            return self.next_whole(ctx, work).await;
        }
        loop {
            if let Some(events) = &mut self.events
                && let Some(event) = events.next(work).map_err(SourceError::Stopped)?
            {
                return Ok(Some(event));
            }
            match self.next_whole(ctx, work).await? {
                Some(value) => self.events = Some(Events::new(value)),
                None => return Ok(None),
            }
        }
    }

    async fn next_whole(
        &mut self,
        ctx: &mut Context,
        work: &mut Work<'_>,
    ) -> Result<Option<Value>, SourceError> {
        if self.kind.sequence {
            self.next_in_sequence(ctx, work).await
        } else {
            self.next_value(ctx, work).await
        }
    }

    /// The next value of a JSON text sequence (RFC 7464): each text stands after an RS, and one that is cut off is an error
    /// after which the next one is read.
    async fn next_in_sequence(
        &mut self,
        ctx: &mut Context,
        work: &mut Work<'_>,
    ) -> Result<Option<Value>, SourceError> {
        while self.fill(ctx).await? {
            ctx.tick().await?;
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            let Some(first) = memchr::memchr(RS, self.bytes()) else {
                self.consume(usize::MAX);
                let (line, column) = self.position;
                let problem =
                    format!("Unfinished abandoned text at EOF at line {}, column {column}", line + 1);
                return Err(SourceError::Syntax(problem));
            };
            self.consume(first + 1);
        }
        loop {
            let bytes = self.buffer.get(self.start..).unwrap_or_default();
            let end = memchr::memchr(RS, bytes).unwrap_or(bytes.len());
            let is_last = end == bytes.len();
            let text = bytes.get(..end).unwrap_or_default();
            let cut = |source: &mut Self, problem: &str| {
                source.consume(end + usize::from(!is_last));
                let (line, column) = source.position;
                let place = if is_last { " at EOF" } else { "" };
                let problem = format!("{problem}{place} at line {}, column {column}", line + 1);
                Err(SourceError::Syntax(problem))
            };
            match self.reader.read(text, true, self.position, work) {
                Ok(Progress::Value(Value::Number(_), used)) if used == end => {
                    return cut(self, "Potentially truncated top-level numeric value");
                }
                Ok(Progress::Value(value, used)) => {
                    self.consume(used);
                    return Ok(Some(value));
                }
                Ok(Progress::Blank(_) | Progress::More) => {
                    self.consume(end + usize::from(!is_last));
                    if is_last {
                        return Ok(None);
                    }
                }
                Ok(Progress::Paused) => {
                    if ctx.check().await.is_err() {
                        return end_of_run().await;
                    }
                    work.go_on();
                }
                Err(ReadError::Stopped(_)) => return end_of_run().await,
                Err(ReadError::Syntax(problem)) => {
                    self.reader = JsonReader::default();
                    if !is_last && problem.contains(" at EOF at ") {
                        return cut(self, "Truncated value");
                    }
                    if problem.contains(" at EOF at ") {
                        self.consume(end + usize::from(!is_last));
                        return Err(SourceError::Syntax(problem));
                    }
                    // It says so, but goes on after the byte that was wrong.
                    let wrong = super::diagnose::consumed(text).clamp(1, end.max(1));
                    self.consume(wrong);
                    return Err(SourceError::Syntax(format!("{problem} (need RS to resync)")));
                }
            }
        }
    }

    async fn next_value(
        &mut self,
        ctx: &mut Context,
        work: &mut Work<'_>,
    ) -> Result<Option<Value>, SourceError> {
        let mut ended = false;
        loop {
            let bytes = self.buffer.get(self.start..).unwrap_or_default();
            match self.reader.read(bytes, ended, self.position, work) {
                Ok(Progress::Value(value, used)) => {
                    self.consume(used);
                    return Ok(Some(value));
                }
                Ok(Progress::Blank(used)) => {
                    self.consume(used);
                    if ended {
                        return Ok(None);
                    }
                    ended = !self.fill(ctx).await?;
                }
                Ok(Progress::More) => {
                    ended = !self.fill(ctx).await?;
                    ctx.tick().await?;
                }
                Ok(Progress::Paused) => {
                    if ctx.check().await.is_err() {
                        return end_of_run().await;
                    }
                    work.go_on();
                }
                Err(ReadError::Stopped(_)) => return end_of_run().await,
                Err(error) => {
                    self.reader = JsonReader::default();
                    self.skip_line(ctx).await?;
                    return Err(error.into());
                }
            }
        }
    }

    /// Drops what is left of the line in which a value was found to be wrong, as jq does: a filter that catches the error can
    /// go on with the next line.
    async fn skip_line(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let wrong = diagnose::consumed(self.bytes());
        if wrong > 0 && self.bytes().get(wrong - 1) == Some(&b'\n') {
            self.consume(wrong);
            return Ok(());
        }
        self.consume(wrong);
        loop {
            if let Some(newline) = memchr::memchr(b'\n', self.bytes()) {
                self.consume(newline + 1);
                return Ok(());
            }
            self.consume(usize::MAX);
            if !self.fill(ctx).await? {
                return Ok(());
            }
            ctx.tick().await?;
        }
    }

    async fn next_line(&mut self, ctx: &mut Context) -> Result<Option<Value>, SourceError> {
        let mut searched = 0;
        loop {
            let bytes = self.bytes();
            let newline = bytes.get(searched..).and_then(|rest| memchr::memchr(b'\n', rest));
            let (line, used) = if let Some(at) = newline {
                (bytes.get(..searched + at), searched + at + 1)
            } else {
                searched = bytes.len();
                if self.fill(ctx).await? {
                    ctx.tick().await?;
                    continue;
                }
                (Some(self.bytes()).filter(|rest| !rest.is_empty()), self.bytes().len())
            };
            let Some(line) = line else { return Ok(None) };
            let value = Value::String(text(line).await);
            self.consume(used);
            return Ok(Some(value));
        }
    }

    async fn all_text(&mut self, ctx: &mut Context) -> Result<Value, SourceError> {
        while self.fill(ctx).await? {
            ctx.tick().await?;
        }
        let text = Value::String(text(self.bytes()).await);
        self.consume(usize::MAX);
        Ok(text)
    }
}

/// How messages and `input_filename` name a file.
pub(super) fn shown(name: &crate::text::Text) -> String {
    if name.as_bytes() == b"-" { "<stdin>".into() } else { String::from(name.to_string_lossy()) }
}

/// The text of some bytes.
pub(super) async fn text(bytes: &[u8]) -> Text {
    if bytes.len() <= PIECE {
        return text_of(bytes);
    }
    Text::from(lossy(bytes).await)
}

/// The limit that ended the run.
pub(super) fn ended(meter: &Meter) -> LimitError {
    meter.failure().unwrap_or_else(|| meter.fail(Limit::Operations))
}
