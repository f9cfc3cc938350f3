//! `read`. Bash manual 4.2, POSIX XCU read and 2.6.5.
//!
//! Takes from the description only what belongs to the line, so that the rest is there for the next reader. What was read
//! so far is the invocation's progress while it waits. Bytes behind a backslash are remembered: they do not split.

use crate::memory::{ToMetered, Vec, format, vec};
use super::letters::{self, Letters};
use super::{Builtin, Flow, Invocation};
use crate::clock::Sleep;
use crate::io::Description;
use crate::limit::{Charge, Turn, gauge};
use crate::machine::array::Array;
use crate::machine::assign::AssignError;
use crate::machine::builder::{Builder, Separators};
use crate::machine::name::{REPLY, TMOUT};
use crate::machine::process::{ArrayElement, ArrayLiteral, Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::Value;
use crate::text::Text;
use crate::vfs::FsError;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

pub(super) static READ: Builtin = Builtin {
    name: "read",
    special: false,
    synopsis: "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    help: "Read a line from the standard input and split it into fields.",
    run,
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
    charge: Charge,
    timer: Option<Sleep>,
}

fn run(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let begun = match invocation.resumed::<Line>() {
        Some(line) => Ok(line),
        None => request(process, run, invocation)
            .and_then(|request| begin(process, run, cx, request))
            .map(Box::new),
    };
    let mut line = match begun {
        Ok(line) => line,
        Err(flow) => return Ok(flow),
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
        let room = line.bytes.capacity() as u64 + 4096;
        if room > 8192 {
            run.services.meter.check_value(line.bytes.len() as u64)?;
            line.charge.set(room.saturating_mul(2))?;
        }
        match description.poll_read(cx, &mut |bytes| line.take(bytes)) {
            Poll::Ready(Ok(_)) if line.complete || line.ended => {}
            Poll::Ready(Ok(_)) => {
                // A device may give bytes without end: nothing else would stop this loop.
                if gauge::burn(1) && run.services.meter.refuel()? != Turn::Continues {
                    cx.waker().wake_by_ref();
                    invocation.progress = Some(line);
                    return Ok(Flow::Wait);
                }
            }
            Poll::Ready(Err(FsError::Limit(limit))) => return Err(limit.into()),
            Poll::Ready(Err(FsError::Errno(errno))) => {
                let number = line.request.descriptor;
                process.report_for(b"read", format_args!("read error: {number}: {}", errno.message()));
                return Ok(Flow::Status(1));
            }
            Poll::Pending => {
                let over = line.timer.as_mut().is_some_and(|timer| Pin::new(timer).poll(cx).is_ready());
                if over {
                    break TIMED_OUT;
                }
                invocation.progress = Some(line);
                return Ok(Flow::Wait);
            }
        }
    };
    assign(process, run, &line, status)
}

/// Reads the options.
fn request(process: &mut Process, run: &mut Run, invocation: &Invocation) -> Result<Request, Flow> {
    let letters = letters::parse(process, invocation, b"ersa:d:i:n:N:p:t:u:")?;
    let Letters { given, first } = letters;
    let mut request = Request {
        raw: false,
        array: None,
        delimiter: Some(b'\n'),
        most: None,
        timeout: None,
        descriptor: 0,
        names: invocation.args.get(first..).unwrap_or(&[]).to_metered(),
    };
    let mut exact = false;
    let mut timed = false;
    let refuse = |process: &mut Process, text: &Text, what: &str| {
        process.report_for(b"read", format_args!("{text}: {what}"));
        Flow::Status(1)
    };
    for letter in given {
        let argument = letter.argument.unwrap_or_default();
        match letter.name {
            b'r' => request.raw = true,
            b'a' => request.array = Some(argument),
            b'd' => request.delimiter = Some(argument.first().copied().unwrap_or(0)),
            b'n' | b'N' => {
                let Some(count) = letters::number(&argument).and_then(|count| usize::try_from(count).ok())
                else {
                    return Err(refuse(process, &argument, "invalid number"));
                };
                request.most = Some(count);
                exact |= letter.name == b'N';
            }
            b't' => {
                let Some(time) = seconds(&argument) else {
                    return Err(refuse(process, &argument, "invalid timeout specification"));
                };
                request.timeout = Some(time);
                timed = true;
            }
            b'u' => {
                let Some(number) = letters::number(&argument).and_then(|number| u32::try_from(number).ok())
                else {
                    return Err(refuse(process, &argument, "invalid file descriptor specification"));
                };
                request.descriptor = number;
            }
            // Without a terminal there is no prompt, no echo to turn off and no line editor.
            _ => {}
        }
    }
    if exact {
        request.delimiter = None;
    }
    if !timed && let Some(text) = process.scalar(run, TMOUT) {
        request.timeout = seconds(&text).filter(|time| !time.is_zero());
    }
    let first = request.array.as_ref().or(request.names.first());
    if let Some(name) = first.cloned()
        && !Process::is_assignable(&name)
    {
        process.report_for(b"read", format_args!("`{name}': not a valid identifier"));
        return Err(Flow::Status(1));
    }
    Ok(request)
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

/// Starts to read. `Err`: it is over already.
fn begin(process: &mut Process, run: &Run, cx: &mut Context<'_>, request: Request) -> Result<Line, Flow> {
    let number = request.descriptor;
    let Some(description) = process.shell.state.descriptors.get(number).cloned() else {
        let error = match number {
            0 => "read error: 0: Bad file descriptor".to_metered(),
            _ => format!("{number}: invalid file descriptor: Bad file descriptor"),
        };
        process.report_for(b"read", error);
        return Err(Flow::Status(1));
    };
    if request.timeout == Some(Duration::ZERO) {
        // Only asks whether there is input.
        let ready = description.poll_read(cx, &mut |_| 0);
        return Err(Flow::Status(u8::from(!matches!(ready, Poll::Ready(Ok(_))))));
    }
    let clock = &run.services.session.clock;
    let timer = request
        .timeout
        .map(|timeout| run.services.timers.sleep_until(clock, clock.monotonic().saturating_add(timeout)));
    Ok(Line {
        request,
        description,
        bytes: Vec::new(),
        escaped: Vec::new(),
        pending: false,
        characters: 0,
        missing: 0,
        counts_bytes: process.shell.state.locale.bytes,
        complete: false,
        ended: false,
        charge: run.services.meter.empty_charge(),
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
fn assign(process: &mut Process, run: &mut Run, line: &Line, status: u8) -> Step<Flow> {
    let separators = Arc::clone(&process.shell.state.separators);
    let result = if let Some(array) = &line.request.array {
        assign_array(process, run, array, line.fields(&separators))
    } else if line.request.names.is_empty() {
        process.assign_variable(run, REPLY, line.text(0, line.bytes.len()), false)
    } else {
        let names = &line.request.names;
        let values = if line.request.delimiter.is_none() {
            let mut values = vec![Text::EMPTY; names.len()];
            if let Some(first) = values.first_mut() {
                *first = line.text(0, line.bytes.len());
            }
            values
        } else {
            line.split(names.len(), &separators)
        };
        names
            .iter()
            .zip(values)
            .try_for_each(|(name, value)| process.assign_reference(run, b"read", name, value))
    };
    match result {
        Ok(()) => Ok(Flow::Status(status)),
        Err(error) => Process::failed_assignment(error),
    }
}

fn assign_array(
    process: &mut Process,
    run: &mut Run,
    name: &Text,
    fields: Vec<Text>,
) -> Result<(), AssignError> {
    let id = run.services.names.intern(name);
    if process.is_associative(id) {
        process.report_for(b"read", format_args!("{name}: cannot convert associative to indexed array"));
        return Err(AssignError::Invalid);
    }
    if fields.is_empty() {
        process.check_writable(run, id)?;
        process.set_plain(id, Value::Array(Arc::new(Array::default())));
        return Ok(());
    }
    let elements = fields.into_iter().map(|value| ArrayElement { key: None, append: false, value });
    let mut literal = ArrayLiteral::default();
    literal.elements.extend(elements);
    process.assign_array(run, id, &literal, false)
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
