//! `mapfile` and `readarray`. Bash manual 4.2.
//!
//! Before an element is assigned its callback may run: a script frame is pushed that holds the invocation, and after it
//! the invocation runs again.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{self, OptionRow, Options, flag, value};
use super::row::{Act, Builtin, Flow};
use crate::io::Description;
use crate::limit::{Turn, gauge};
use crate::machine::array::Array;
use crate::machine::expansion::{Subscript, Target};
use crate::machine::name::{self, MAPFILE as MAPFILE_NAME, NameId};
use crate::machine::quote;
use crate::machine::variable::{Attributes, Value, decimal};
use crate::memory::{Arc, Box, Bytes, JoinMetered, Vec};
use crate::text::Text;
use crate::vfs::FsError;
use std::task::Poll;

/// The options of both.
const OPTIONS: &[OptionRow] = &[
    value(b'd', "delim", "lines end in this character, not in a newline"),
    value(b'n', "count", "take at most so many lines"),
    value(b'O', "origin", "assign from this index on, and keep the other elements"),
    value(b's', "count", "leave out the first lines"),
    flag(b't', "without the character that ends each line"),
    value(b'u', "fd", "read from this descriptor"),
    value(b'C', "callback", "a command that is run after every so many lines"),
    value(b'c', "quantum", "lines between two calls of the callback"),
];

pub(super) static MAPFILE: Builtin = Builtin {
    name: "mapfile",
    special: false,
    synopsis: "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    help: "Read lines from the standard input into an indexed array variable.",
    options: OPTIONS,
    act: Act::Machine(mapfile),
};

pub(super) static READARRAY: Builtin = Builtin {
    name: "readarray",
    special: false,
    synopsis: "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    help: "Read lines from the standard input into an indexed array variable.",
    options: OPTIONS,
    act: Act::Machine(mapfile),
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
}

/// How far reading has come.
enum Read {
    /// There is a line.
    Line,
    /// There is none now.
    Pending,
    /// There are no more.
    End,
}

fn mapfile(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut lines = match ctx.resumed::<Lines>() {
        Some(lines) => lines,
        None => Box::new(begin(ctx)?),
    };
    loop {
        if !lines.complete {
            if lines.most > 0 && lines.count >= lines.most && lines.skip == 0 {
                return Ok(Flow::Status(0));
            }
            match read(ctx, &mut lines)? {
                Read::Line => {}
                Read::End => return Ok(Flow::Status(0)),
                Read::Pending => {
                    ctx.keep(lines);
                    return Ok(Flow::Wait);
                }
            }
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
            let index = i64::try_from(lines.index).unwrap_or(i64::MAX);
            let line = quote::single(&lines.line);
            let text = [callback.as_bytes(), b" ", &decimal(index), b" ", &line].concat_metered();
            lines.called = true;
            ctx.keep(lines);
            return Ok(Flow::Callback(Bytes::from(text)));
        }
        assign(ctx, &mut lines)?;
    }
}

/// Reads up to the end of a line.
fn read(ctx: &mut Context<'_, '_>, lines: &mut Lines) -> Result<Read, BuiltinError> {
    let description = Arc::clone(&lines.description);
    loop {
        // Lines from a file are always there: what they cost is looked at here.
        if gauge::burn(1) && ctx.run.services.meter.refuel_for_turn()? != Turn::Continues {
            ctx.task.waker().wake_by_ref();
            return Ok(Read::Pending);
        }
        ctx.run.services.meter.check_value(lines.line.len() as u64)?;
        match description.poll_read(ctx.task, &mut |bytes| lines.take(bytes)) {
            Poll::Ready(Ok(_)) => {}
            Poll::Ready(Err(FsError::Limit(limit))) => return Err(limit.into()),
            Poll::Ready(Err(FsError::Errno(_))) => return Ok(Read::End),
            Poll::Pending => return Ok(Read::Pending),
        }
        if lines.ended && !lines.complete {
            if lines.line.is_empty() {
                return Ok(Read::End);
            }
            lines.complete = true;
        }
        if lines.complete {
            return Ok(Read::Line);
        }
    }
}

fn begin(ctx: &mut Context<'_, '_>) -> Result<Lines, BuiltinError> {
    let options = ctx.options()?;
    let [most, skip] = [
        number(&options, b'n', BuiltinError::InvalidLineCount)?.unwrap_or(0),
        number(&options, b's', BuiltinError::InvalidLineCount)?.unwrap_or(0),
    ];
    let origin = number(&options, b'O', BuiltinError::InvalidOrigin)?;
    let quantum = number(&options, b'c', BuiltinError::InvalidQuantum)?;
    if let (Some(0), Some(text)) = (quantum, options.value(b'c')) {
        return Err(BuiltinError::InvalidQuantum(text.clone()));
    }
    let descriptor = match (number(&options, b'u', BuiltinError::InvalidDescriptor)?, options.value(b'u')) {
        (Some(number), Some(text)) => {
            u32::try_from(number).map_err(|_| BuiltinError::InvalidDescriptor(text.clone()))?
        }
        _ => 0,
    };
    let description = ctx.process.shell.state.descriptors.get(descriptor).cloned();
    let description = description.ok_or(BuiltinError::BadDescriptor(descriptor))?;
    let array = match ctx.operands(&options).first() {
        None => MAPFILE_NAME,
        Some(name) => array_named(ctx, name)?,
    };
    ctx.process.shell.check_writable(ctx.run, array)?;
    match origin {
        None => ctx.process.shell.variables.set_plain(array, Value::Array(Arc::new(Array::default()))),
        Some(_) => ctx.process.shell.variables.make_array(array, false),
    }
    let callback = options.value(b'C').cloned();
    Ok(Lines {
        delimiter: options.value(b'd').map_or(b'\n', |text| text.first().copied().unwrap_or(0)),
        strips: options.has(b't'),
        most,
        skip,
        callback: callback.map(|callback| (callback, quantum.unwrap_or(QUANTUM))),
        description,
        array,
        index: origin.unwrap_or(0),
        count: 0,
        line: Vec::new(),
        complete: false,
        ended: false,
        called: false,
    })
}

/// The number that an option was given, if it was.
fn number(
    options: &Options,
    letter: u8,
    error: fn(Text) -> BuiltinError,
) -> Result<Option<u64>, BuiltinError> {
    let Some(text) = options.value(letter) else { return Ok(None) };
    let number = options::number(text).and_then(|number| u64::try_from(number).ok());
    number.map(Some).ok_or_else(|| error(text.clone()))
}

fn array_named(ctx: &mut Context<'_, '_>, name: &Text) -> Result<NameId, BuiltinError> {
    if name.is_empty() {
        return Err(BuiltinError::EmptyArrayName);
    }
    if !name::is_name(name) {
        return Err(BuiltinError::InvalidName(name.clone()));
    }
    let id = ctx.run.services.names.intern(name);
    let id = match ctx.process.shell.dereference(ctx.run, id) {
        Target::Variable(id) => id,
        other => return Err(BuiltinError::InvalidName(other.shown(&ctx.run.services.names))),
    };
    if ctx.process.shell.variables.is_associative(id) {
        return Err(BuiltinError::NotAnIndexedArray(name.clone()));
    }
    Ok(id)
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
fn assign(ctx: &mut Context<'_, '_>, lines: &mut Lines) -> Result<(), BuiltinError> {
    // A line ends at its first null byte.
    let end = memchr::memchr(0, &lines.line).unwrap_or(lines.line.len());
    let value = Text::from(lines.line.get(..end).unwrap_or(&[]));
    let index = lines.index;
    lines.index = index.saturating_add(1);
    lines.restart();
    let slot = ctx.process.shell.variables.slot(lines.array);
    let plain = !slot.attributes.has(Attributes(Attributes::ASSIGN_MASK.0 & !Attributes::EXPORTED.0));
    if plain
        && slot.value.is_array()
        && let Value::Array(array) = &mut ctx.process.shell.variables.slot_mut(lines.array).value
    {
        Arc::make_mut(array).set(index, value);
        return Ok(());
    }
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let (array, subscript) = (lines.array, Subscript::Index(index));
    Ok(ctx.named(|ctx| ctx.process.shell.assign_element(ctx.run, array, subscript, value, false))?)
}
