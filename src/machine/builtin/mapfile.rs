//! `mapfile` and `readarray`. Bash manual 4.2.
//!
//! Before an element is assigned its callback may run: a script frame is pushed that holds the invocation, and behind it
//! the invocation runs again.

use crate::memory::{ToMetered, Vec, format};
use super::letters;
use super::{Builtin, Flow, Invocation};
use crate::io::Description;
use crate::limit::Charge;
use crate::machine::array::Array;
use crate::machine::name::{self, MAPFILE as MAPFILE_NAME, NameId};
use crate::machine::process::{Process, Step, Subscript};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
use crate::text::Text;
use crate::vfs::FsError;
use std::sync::Arc;
use std::task::{Context, Poll};

pub(super) static MAPFILE: Builtin = Builtin {
    name: "mapfile",
    special: false,
    synopsis: "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    help: "Read lines from the standard input into an indexed array variable.",
    run,
};

pub(super) static READARRAY: Builtin = Builtin {
    name: "readarray",
    special: false,
    synopsis: "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    help: "Read lines from the standard input into an indexed array variable.",
    run,
};

/// Lines between two callbacks without `-c`.
const QUANTUM: u64 = 5000;
/// Bytes that are taken at once.
const BLOCK: usize = 4096;

struct Lines {
    delimiter: u8,
    strips: bool,
    /// 0: all.
    most: u64,
    skip: u64,
    callback: Option<(Text, u64)>,
    description: Arc<Description>,
    array: NameId,
    /// Index of the next element.
    index: u64,
    /// Lines that were read and not skipped.
    count: u64,
    line: Vec<u8>,
    complete: bool,
    ended: bool,
    /// The callback for the line has run.
    called: bool,
    charge: Charge,
}

fn run(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let mut lines = match invocation.resumed::<Lines>() {
        Some(lines) => lines,
        None => match begin(process, run, invocation) {
            Ok(lines) => Box::new(lines),
            Err(flow) => return Ok(flow),
        },
    };
    loop {
        if !lines.complete {
            if lines.most > 0 && lines.count >= lines.most && lines.skip == 0 {
                return Ok(Flow::Status(0));
            }
            let description = Arc::clone(&lines.description);
            let room = lines.line.capacity() as u64 + BLOCK as u64;
            if room > 2 * BLOCK as u64 {
                run.services.meter.check_value(lines.line.len() as u64)?;
                lines.charge.set(room.saturating_mul(2))?;
            }
            match description.poll_read(cx, &mut |bytes| lines.take(bytes)) {
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(FsError::Limit(limit))) => return Err(limit.into()),
                Poll::Ready(Err(FsError::Errno(_))) => return Ok(Flow::Status(0)),
                Poll::Pending => {
                    invocation.progress = Some(lines);
                    return Ok(Flow::Wait);
                }
            }
            if lines.ended && !lines.complete {
                if lines.line.is_empty() {
                    return Ok(Flow::Status(0));
                }
                lines.complete = true;
            }
            if !lines.complete {
                continue;
            }
            run.services.meter.tick(1)?;
            if lines.skip > 0 {
                lines.skip -= 1;
                lines.restart();
                continue;
            }
            lines.count += 1;
        }
        if !lines.called
            && let Some((callback, quantum)) = &lines.callback
            && lines.count % quantum == 0
        {
            let mut text = callback.to_metered();
            text.extend_from_slice(format!(" {} ", lines.index).as_bytes());
            text.extend_from_slice(&quote::single(&lines.line));
            lines.called = true;
            let name = invocation.args.first().cloned();
            invocation.progress = Some(lines);
            let waiting = std::mem::replace(invocation, Invocation::empty(&MAPFILE));
            invocation.args.extend(name);
            return process.start_callback(run, waiting, Arc::from(text));
        }
        if let Err(error) = assign(process, run, &mut lines) {
            return Process::failed_assignment(error);
        }
    }
}

fn begin(process: &mut Process, run: &mut Run, invocation: &Invocation) -> Result<Lines, Flow> {
    let letters = letters::parse(process, invocation, b"d:n:O:s:tu:C:c:")?;
    let command = invocation.name();
    let refuse = |process: &mut Process, message: std::fmt::Arguments<'_>| {
        process.report_for(&command, message);
        Flow::Status(1)
    };
    let (mut delimiter, mut strips, mut most, mut skip) = (b'\n', false, 0, 0);
    let (mut origin, mut descriptor, mut callback, mut quantum) = (None, 0, None, QUANTUM);
    for letter in &letters.given {
        let argument = letter.argument.clone().unwrap_or_default();
        let number = letters::number(&argument).and_then(|number| u64::try_from(number).ok());
        let what = match (letter.name, number) {
            (b't', _) => {
                strips = true;
                continue;
            }
            (b'd', _) => {
                delimiter = argument.first().copied().unwrap_or(0);
                continue;
            }
            (b'C', _) => {
                callback = Some(argument);
                continue;
            }
            (b'n', Some(number)) => {
                most = number;
                continue;
            }
            (b's', Some(number)) => {
                skip = number;
                continue;
            }
            (b'O', Some(number)) => {
                origin = Some(number);
                continue;
            }
            (b'c', Some(number)) if number > 0 => {
                quantum = number;
                continue;
            }
            (b'u', Some(number)) if u32::try_from(number).is_ok() => {
                descriptor = number as u32;
                continue;
            }
            (b'O', None) => "invalid array origin",
            (b'c', _) => "invalid callback quantum",
            (b'u', _) => "invalid file descriptor specification",
            _ => "invalid line count",
        };
        return Err(refuse(process, format_args!("{argument}: {what}")));
    }
    let Some(description) = process.shell.state.descriptors.get(descriptor).cloned() else {
        let what = "invalid file descriptor: Bad file descriptor";
        return Err(refuse(process, format_args!("{descriptor}: {what}")));
    };
    let array = match invocation.args.get(letters.first) {
        None => MAPFILE_NAME,
        Some(name) if name.is_empty() => {
            return Err(refuse(process, format_args!("empty array variable name")));
        }
        Some(name) if !name::is_name(name) => {
            return Err(refuse(process, format_args!("`{name}': not a valid identifier")));
        }
        Some(name) => {
            let id = run.services.names.intern(name);
            if process.is_associative(id) {
                return Err(refuse(process, format_args!("{name}: not an indexed array")));
            }
            id
        }
    };
    if process.check_writable(run, array).is_err() {
        return Err(Flow::Status(1));
    }
    match origin {
        None => process.set_plain(array, Value::Array(Arc::new(Array::default()))),
        Some(_) => process.make_array(array, false),
    }
    Ok(Lines {
        delimiter,
        strips,
        most,
        skip,
        callback: callback.map(|callback| (callback, quantum)),
        description,
        array,
        index: origin.unwrap_or(0),
        count: 0,
        line: Vec::new(),
        complete: false,
        ended: false,
        called: false,
        charge: run.services.meter.empty_charge(),
    })
}

impl Lines {
    /// Takes bytes up to the delimiter; how many.
    fn take(&mut self, bytes: &[u8]) -> usize {
        if bytes.is_empty() {
            self.ended = true;
            return 0;
        }
        let bytes = bytes.get(..BLOCK).unwrap_or(bytes);
        let end = memchr::memchr(self.delimiter, bytes);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        let kept = match end {
            Some(end) if self.strips || self.delimiter == 0 => end,
            _ => taken,
        };
        self.line.extend_from_slice(bytes.get(..kept).unwrap_or(bytes));
        self.complete = end.is_some();
        taken
    }

    fn restart(&mut self) {
        self.line.clear();
        self.complete = false;
        self.called = false;
    }
}

/// Stores the line.
fn assign(
    process: &mut Process,
    run: &mut Run,
    lines: &mut Lines,
) -> Result<(), crate::machine::assign::AssignError> {
    // A line ends at its first null byte.
    let end = memchr::memchr(0, &lines.line).unwrap_or(lines.line.len());
    let value = Text::from(lines.line.get(..end).unwrap_or(&[]));
    let index = lines.index;
    lines.index = index.saturating_add(1);
    lines.restart();
    let slot = process.shell.variables.slot(lines.array);
    let plain = !slot.attributes.has(Attributes(Attributes::ASSIGN_MASK.0 & !Attributes::EXPORTED.0));
    if plain && slot.value.is_array() {
        if let Value::Array(array) = &mut process.shell.variables.slot_mut(lines.array).value {
            Arc::make_mut(array).set(index, value);
            return Ok(());
        }
    }
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    process.assign_element(run, lines.array, Subscript::Index(index), value, false)
}
