//! Where `sed` writes: standard output, the files of `w`, and the new content of a file edited in place.
//!
//! The last line of an input may lack its newline. It is written without one, and gets it when something else follows.

use crate::memory::{Vec, format, vec};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;

/// Where text goes.
#[derive(Debug)]
enum Target {
    Stdout,
    Stderr,
    File(Output),
    Memory(Vec<u8>),
}

/// How a text ends.
enum End {
    Newline,
    /// What follows begins with the newline.
    Missing,
    /// What follows goes on.
    Open,
}

impl End {
    const fn of(newline: bool) -> Self {
        if newline { Self::Newline } else { Self::Missing }
    }
}

/// A text from this length on is not put into the buffer at once.
const LONG: usize = 1 << 14;

#[derive(Debug)]
struct Sink {
    target: Target,
    lacks_newline: bool,
}

/// All that is written to. Sink 0 is standard output.
#[derive(Debug)]
pub(super) struct Sinks {
    all: Vec<Sink>,
    /// Files that were opened, each once, with their sinks.
    files: Vec<(Text, usize)>,
    /// Where the pattern space is printed.
    main: usize,
    delimiter: u8,
    unbuffered: bool,
}

impl Sinks {
    pub(super) fn new() -> Self {
        let stdout = Sink { target: Target::Stdout, lacks_newline: false };
        Self { all: vec![stdout], files: Vec::new(), main: 0, delimiter: b'\n', unbuffered: false }
    }

    /// What ends a line, and whether lines are handed on at once.
    pub(super) fn set_lines(&mut self, delimiter: u8, unbuffered: bool) {
        self.delimiter = delimiter;
        self.unbuffered = unbuffered;
    }

    /// Creates a file of `w`, unless there is one of that name already; its sink.
    pub(super) fn open(&mut self, ctx: &Context, name: Text) -> Result<usize, UtilityError> {
        if let Some((_, sink)) = self.files.iter().find(|(known, _)| *known == name) {
            return Ok(*sink);
        }
        let target = match name.as_bytes() {
            // Whether its last line lacks a newline is not known to what prints the pattern space.
            b"/dev/stdout" => Target::Stdout,
            b"/dev/stderr" => Target::Stderr,
            _ => match ctx.create(&name, false) {
                Ok(output) => Target::File(output),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    let message = format!("couldn't open file {name}: {}", errno.message());
                    return Err(UtilityError::Failed { message, status: 4 });
                }
            },
        };
        let sink = self.all.add(Sink { target, lacks_newline: false });
        self.files.push((name, sink));
        Ok(sink)
    }

    /// From now on the pattern space goes into memory.
    pub(super) fn begin_memory(&mut self) {
        self.main = self.all.len();
        let target = Target::Memory(Vec::new());
        self.all.push(Sink { target, lacks_newline: false });
    }

    /// What was collected in memory; the pattern space goes to standard output again.
    pub(super) fn take_memory(&mut self) -> Option<Vec<u8>> {
        let index = std::mem::take(&mut self.main);
        if index == 0 || index >= self.all.len() {
            return None;
        }
        match self.all.remove(index).target {
            Target::Memory(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Writes to the main sink; `newline`: with what ends a line.
    pub(super) fn print(
        &mut self,
        ctx: &mut Context,
        text: &[u8],
        newline: bool,
    ) -> impl Future<Output = Result<(), UtilityError>> {
        self.write(ctx, self.main, text, End::of(newline))
    }

    /// Writes text as it is to the main sink.
    pub(super) fn print_raw(
        &mut self,
        ctx: &mut Context,
        text: &[u8],
    ) -> impl Future<Output = Result<(), UtilityError>> {
        self.write(ctx, self.main, text, End::Open)
    }

    /// Writes to a sink of the program.
    pub(super) fn write_file(
        &mut self,
        ctx: &mut Context,
        sink: usize,
        text: &[u8],
        newline: bool,
    ) -> impl Future<Output = Result<(), UtilityError>> {
        self.write(ctx, sink, text, End::of(newline))
    }

    async fn write(
        &mut self,
        ctx: &mut Context,
        sink: usize,
        text: &[u8],
        end: End,
    ) -> Result<(), UtilityError> {
        let Some(sink) = self.all.get_mut(sink) else { return Ok(()) };
        let lacked_newline = std::mem::replace(&mut sink.lacks_newline, matches!(end, End::Missing));
        let before = lacked_newline.then_some(self.delimiter);
        let after = matches!(end, End::Newline).then_some(self.delimiter);
        let (output, is_unbuffered) = match &mut sink.target {
            Target::Stdout => (&mut ctx.stdout, self.unbuffered),
            Target::Stderr => (&mut ctx.stderr, true),
            Target::File(output) => (output, self.unbuffered),
            Target::Memory(bytes) => {
                bytes.extend(before);
                append(&ctx.meter, bytes, text).await?;
                bytes.extend(after);
                return Ok(());
            }
        };
        if let Some(delimiter) = before {
            output.push(&[delimiter]);
        }
        if text.len() < LONG {
            output.push(text);
        } else {
            output.write(text).await?;
        }
        if let Some(delimiter) = after {
            output.push(&[delimiter]);
        }
        if is_unbuffered || output.is_full() { output.flush().await } else { Ok(()) }
    }

    /// Hands on what was written to files.
    pub(super) async fn flush_files(&mut self) -> Result<(), UtilityError> {
        for sink in &mut self.all {
            if let Target::File(output) = &mut sink.target {
                output.flush().await?;
            }
        }
        Ok(())
    }
}
