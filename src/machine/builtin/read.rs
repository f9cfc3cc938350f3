//! `read`. Bash manual 4.2, POSIX XCU read and 2.6.5.
//!
//! Takes from the description only what belongs to the line, so that the rest is there for the next reader. What was read
//! so far is the invocation's progress while it waits. Bytes after a backslash are remembered: they do not split.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{self, Options, flag, value};
use super::row::{Act, Builtin, Flow};
use crate::clock::Sleep;
use crate::io::Description;
use crate::limit::{Turn, gauge};
use crate::machine::array::Array;
use crate::machine::builder::{Builder, Separators};
use crate::machine::expansion::{ArrayElement, ArrayLiteral};
use crate::machine::name::{REPLY, TMOUT};
use crate::machine::variable::Value;
use crate::memory::{Arc, Box, ToMetered, Vec};
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

pub(super) static READ: Builtin = Builtin {
    name: "read",
    special: false,
    synopsis: "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    help: "Read a line from the standard input and split it into fields.",
    options: &[
        flag(b'e', "edit the line, on a terminal"),
        flag(b'r', "a backslash is a character like any other"),
        flag(b's', "do not show what is typed, on a terminal"),
        value(b'a', "array", "assign the fields to the elements of an array"),
        value(b'd', "delim", "read up to this character, not up to a newline"),
        value(b'i', "text", "what is edited, on a terminal"),
        value(b'n', "nchars", "read at most so many characters"),
        value(b'N', "nchars", "read so many characters, whatever they are"),
        value(b'p', "prompt", "what is asked, on a terminal"),
        value(b't', "timeout", "give up after so many seconds"),
        value(b'u', "fd", "read from this descriptor"),
    ],
    act: Act::Machine(read),
};

/// Status of a timeout: 128 + SIGALRM.
const TIMED_OUT: u8 = 142;

/// What was asked for.
#[derive(Clone, Debug)]
struct Request {
    raw: bool,
    array: Option<Text>,
    /// `None`: `-N`.
    delimiter: Option<u8>,
    /// Most characters.
    most: Option<usize>,
    timeout: Option<Duration>,
    descriptor: u32,
    names: Vec<Text>,
}

/// A line as far as it was read.
struct Line {
    request: Request,
    description: Arc<Description>,
    bytes: Vec<u8>,
    /// Positions of bytes that a backslash quotes.
    escaped: Vec<usize>,
    /// The last byte was a backslash.
    pending: bool,
    characters: usize,
    /// Bytes of a character that are still to come.
    missing: usize,
    /// Every byte is a character.
    counts_bytes: bool,
    complete: bool,
    ended: bool,
    timer: Option<Sleep>,
}

fn read(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut line = match ctx.resumed::<Line>() {
        Some(line) => line,
        None => {
            let options = ctx.options()?;
            let request = request(ctx, &options)?;
            Box::new(begin(ctx, request)?)
        }
    };
    if line.request.most == Some(0) {
        line.complete = true;
    }
    let status = loop {
        if line.complete {
            break 0;
        }
        if line.ended {
            break 1;
        }
        let description = Arc::clone(&line.description);
        ctx.run.services.meter.check_value(line.bytes.len() as u64)?;
        match description.poll_read(ctx.task, &mut |bytes| line.take(bytes)) {
            Poll::Ready(Ok(_)) if line.complete || line.ended => {}
            Poll::Ready(Ok(_)) => {
                // A device may give bytes without end: nothing else would stop this loop.
                if gauge::burn(1) && ctx.run.services.meter.refuel_for_turn()? != Turn::Continues {
                    ctx.task.waker().wake_by_ref();
                    ctx.keep(line);
                    return Ok(Flow::Wait);
                }
            }
            Poll::Ready(Err(FsError::Limit(limit))) => return Err(limit.into()),
            Poll::Ready(Err(FsError::Errno(errno))) => {
                return Err(BuiltinError::ReadError { descriptor: line.request.descriptor, errno });
            }
            Poll::Pending => {
                let over = line.timer.as_mut().is_some_and(|timer| Pin::new(timer).poll(ctx.task).is_ready());
                if over {
                    break TIMED_OUT;
                }
                ctx.keep(line);
                return Ok(Flow::Wait);
            }
        }
    };
    assign(ctx, &line)?;
    Ok(Flow::Status(status))
}

/// Reads the options.
fn request(ctx: &mut Context<'_, '_>, options: &Options) -> Result<Request, BuiltinError> {
    let mut request = Request {
        raw: options.has(b'r'),
        array: options.value(b'a').cloned(),
        delimiter: Some(options.value(b'd').map_or(b'\n', |text| text.first().copied().unwrap_or(0))),
        most: None,
        timeout: None,
        descriptor: 0,
        names: ctx.operands(options).to_metered(),
    };
    for given in options.given() {
        let Some(text) = &given.value else { continue };
        let number = options::number(text);
        match given.letter {
            b'n' | b'N' => {
                let count = number.and_then(|count| usize::try_from(count).ok());
                request.most = Some(count.ok_or_else(|| BuiltinError::InvalidNumber(text.clone()))?);
            }
            b't' => {
                request.timeout =
                    Some(seconds(text).ok_or_else(|| BuiltinError::InvalidTimeout(text.clone()))?);
            }
            b'u' => {
                let number = number.and_then(|number| u32::try_from(number).ok());
                request.descriptor = number.ok_or_else(|| BuiltinError::InvalidDescriptor(text.clone()))?;
            }
            // Without a terminal there is no prompt, no echo to turn off and no line editor.
            _ => {}
        }
    }
    if options.has(b'N') {
        request.delimiter = None;
    }
    if !options.has(b't')
        && let Some(text) = ctx.process.shell.scalar(ctx.run, TMOUT)
    {
        request.timeout = seconds(&text).filter(|time| !time.is_zero());
    }
    let first = request.array.as_ref().or(request.names.first());
    match first.filter(|name| !crate::machine::name::is_assignable(name)) {
        Some(name) => Err(BuiltinError::InvalidName(name.clone())),
        None => Ok(request),
    }
}

/// Seconds with decimals.
fn seconds(text: &[u8]) -> Option<Duration> {
    let (whole, fraction) = match memchr::memchr(b'.', text) {
        Some(point) => (text.get(..point)?, text.get(point + 1..)?),
        None => (text, &[] as &[u8]),
    };
    if whole.is_empty() && fraction.is_empty() && !text.is_empty() {
        return Some(Duration::ZERO);
    }
    if text.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return None;
    }
    let whole = whole
        .iter()
        .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    let micros = (0..6)
        .fold(0_u64, |value, at| value * 10 + u64::from(fraction.get(at).map_or(0, |digit| digit - b'0')));
    Some(Duration::from_secs(whole.min(1 << 40)) + Duration::from_micros(micros))
}

/// Starts to read.
///
/// # Errors
/// Also that it is over already, with its status.
fn begin(ctx: &mut Context<'_, '_>, request: Request) -> Result<Line, BuiltinError> {
    let number = request.descriptor;
    let Some(description) = ctx.process.shell.state.descriptors.get(number).cloned() else {
        return Err(match number {
            0 => BuiltinError::ReadError { descriptor: 0, errno: Errno::BadDescriptor },
            _ => BuiltinError::BadDescriptor(number),
        });
    };
    if request.timeout == Some(Duration::ZERO) {
        // Only asks whether there is input.
        let ready = description.poll_read(ctx.task, &mut |_| 0);
        return Err(BuiltinError::Reported(u8::from(!matches!(ready, Poll::Ready(Ok(_))))));
    }
    let services = &ctx.run.services;
    let clock = &services.session.clock;
    let timer = request
        .timeout
        .map(|timeout| services.timers.sleep_until(clock, clock.monotonic().saturating_add(timeout)));
    Ok(Line {
        request,
        description,
        bytes: Vec::new(),
        escaped: Vec::new(),
        pending: false,
        characters: 0,
        missing: 0,
        counts_bytes: ctx.process.shell.state.locale.bytes,
        complete: false,
        ended: false,
        timer,
    })
}

/// Bytes that are taken at once.
const BLOCK: usize = 4096;

impl Line {
    /// Takes what belongs to the line; how many bytes that were.
    fn take(&mut self, bytes: &[u8]) -> usize {
        if bytes.is_empty() {
            self.ended = true;
            return 0;
        }
        let bytes = bytes.get(..BLOCK).unwrap_or(bytes);
        if self.request.raw
            && self.request.most.is_none()
            && let Some(delimiter) = self.request.delimiter
        {
            let end = memchr::memchr(delimiter, bytes);
            let text = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
            self.bytes.extend(text.iter().copied().filter(|byte| *byte != 0));
            self.complete = end.is_some();
            return text.len() + usize::from(self.complete);
        }
        let mut taken = 0;
        for &byte in bytes {
            taken += 1;
            self.take_byte(byte);
            if self.complete {
                break;
            }
        }
        taken
    }

    fn take_byte(&mut self, byte: u8) {
        if self.pending {
            self.pending = false;
            if byte == b'\n' {
                return;
            }
            if byte != 0 {
                self.escaped.push(self.bytes.len());
                self.push(byte);
            }
            return;
        }
        if byte == b'\\' && !self.request.raw {
            self.pending = true;
            return;
        }
        if self.request.delimiter == Some(byte) {
            self.complete = true;
        } else if byte != 0 {
            self.push(byte);
        }
    }

    /// Appends a byte and counts characters.
    fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
        let Some(most) = self.request.most else { return };
        if self.missing > 0 && byte & 0xc0 == 0x80 {
            self.missing -= 1;
        } else {
            self.missing = match byte {
                _ if self.counts_bytes => 0,
                0xc2..=0xdf => 1,
                0xe0..=0xef => 2,
                0xf0..=0xf4 => 3,
                _ => 0,
            };
            self.characters += 1;
        }
        self.complete = self.characters >= most && self.missing == 0;
    }

    fn is_escaped(&self, at: usize) -> bool {
        self.escaped.binary_search(&at).is_ok()
    }

    /// The class of what stands at `at` as a separator, and its length.
    fn separator(&self, at: usize, separators: &Separators) -> (u8, usize) {
        if self.is_escaped(at) {
            return (0, 1);
        }
        separators.separator(self.bytes.get(at..).unwrap_or(&[]))
    }

    fn class(&self, at: usize, separators: &Separators) -> u8 {
        self.separator(at, separators).0
    }

    /// The first position from `at` on that is not white space of `IFS`.
    fn skip_blanks(&self, mut at: usize, separators: &Separators) -> usize {
        while self.class(at, separators) == 1 {
            at += 1;
        }
        at
    }

    /// The end of the field at `at`, and where the next one starts.
    fn field(&self, at: usize, separators: &Separators) -> (usize, usize) {
        let mut end = at;
        while end < self.bytes.len() && self.class(end, separators) == 0 {
            end += 1;
        }
        let mut next = self.skip_blanks(end, separators);
        if let (2, length) = self.separator(next, separators) {
            next = self.skip_blanks(next + length, separators);
        }
        (end, next)
    }

    fn text(&self, from: usize, to: usize) -> Text {
        Text::from(self.bytes.get(from..to).unwrap_or(&[]))
    }

    /// One text for each of `count` variables.
    fn split(&self, count: usize, separators: &Separators) -> Vec<Text> {
        let mut at = self.skip_blanks(0, separators);
        let mut fields = Vec::with_capacity(count);
        for _ in 1..count {
            let (end, next) = self.field(at, separators);
            fields.push(self.text(at, end));
            at = next;
        }
        let (end, next) = self.field(at, separators);
        if next >= self.bytes.len() {
            fields.push(self.text(at, end));
        } else {
            // The last variable has all that is left, without white space at its end.
            let mut end = self.bytes.len();
            while end > at && self.class(end - 1, separators) == 1 {
                end -= 1;
            }
            fields.push(self.text(at, end));
        }
        fields
    }

    /// Every field: `-a`.
    fn fields(&self, separators: &Separators) -> Vec<Text> {
        let mut builder = Builder::default();
        let mut from = 0;
        for &at in &self.escaped {
            builder.push_split(self.bytes.get(from..at).unwrap_or(&[]), separators);
            builder.push_quoted(self.bytes.get(at..=at).unwrap_or(&[]));
            from = at + 1;
        }
        builder.push_split(self.bytes.get(from..).unwrap_or(&[]), separators);
        builder.take_fields().into_iter().map(|field| Text::from(field.bytes)).collect()
    }
}

/// Assigns what was read.
fn assign(ctx: &mut Context<'_, '_>, line: &Line) -> Result<(), BuiltinError> {
    let separators = Arc::clone(&ctx.process.shell.state.separators);
    let whole = || line.text(0, line.bytes.len());
    let names = &line.request.names;
    if let Some(array) = &line.request.array {
        return assign_array(ctx, array, line.fields(&separators));
    }
    let Some(first) = names.first() else {
        let value = whole();
        return Ok(ctx.named(|ctx| ctx.process.shell.assign_variable(ctx.run, REPLY, value, false))?);
    };
    if line.request.delimiter.is_none() {
        ctx.assign_reference(first, whole())?;
        return names.iter().skip(1).try_for_each(|name| ctx.assign_reference(name, Text::EMPTY));
    }
    let values = line.split(names.len(), &separators);
    names.iter().zip(values).try_for_each(|(name, value)| ctx.assign_reference(name, value))
}

fn assign_array(ctx: &mut Context<'_, '_>, name: &Text, fields: Vec<Text>) -> Result<(), BuiltinError> {
    let id = ctx.run.services.names.intern(name);
    if ctx.process.shell.variables.is_associative(id) {
        return Err(BuiltinError::AssociativeToIndexed(name.clone()));
    }
    if fields.is_empty() {
        ctx.process.shell.check_writable(ctx.run, id)?;
        ctx.process.shell.variables.set_plain(id, Value::Array(Arc::new(Array::default())));
        return Ok(());
    }
    let elements = fields.into_iter().map(|value| ArrayElement { key: None, append: false, value });
    let mut literal = ArrayLiteral::default();
    literal.elements.extend(elements);
    Ok(ctx.named(|ctx| ctx.process.shell.assign_array(ctx.run, id, &literal, false))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_decimal_seconds() {
        assert_eq!(seconds(b"0.05"), Some(Duration::from_millis(50)));
        assert_eq!(seconds(b"2"), Some(Duration::from_secs(2)));
        assert_eq!(seconds(b"abc"), None);
        assert_eq!(seconds(b"-1"), None);
    }
}
