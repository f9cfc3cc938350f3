//! Where `sed` writes: standard output, the files of `w`, and the new content of a file edited in place.
//!
//! The last line of an input may lack its newline. It is written without one, and gets it when something else follows.

use crate::memory::{Vec, format, vec};
use crate::utility::pace::append;
use crate::utility::prelude::*;

/// Where text goes.
#[derive(Debug)]
enum Target {
    Stdout,
    Stderr,
    File(Output),
    Memory(Vec<u8>),
}

#[derive(Debug)]
struct Sink {
    target: Target,
    lacks_newline: bool,
}

/// All that is written to. Sink 0 is standard output.
#[derive(Debug)]
pub(super) struct Sinks {
    all: Vec<Sink>,
    /// The sink of each file of the program.
    files: Vec<usize>,
    /// Where the pattern space is printed.
    main: usize,
    delimiter: u8,
    unbuffered: bool,
}

impl Sinks {
    /// Creates the files of `w`.
    pub(super) fn new(
        ctx: &Context,
        names: &[Text],
        delimiter: u8,
        unbuffered: bool,
    ) -> Result<Self, UtilityError> {
        let mut sinks = vec![Sink { target: Target::Stdout, lacks_newline: false }];
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            let target = match name.as_bytes() {
                b"/dev/stdout" => {
                    files.push(0);
                    continue;
                }
                b"/dev/stderr" => Target::Stderr,
                _ => match ctx.create(name, false) {
                    Ok(output) => Target::File(output),
                    Err(FsError::Limit(limit)) => return Err(limit.into()),
                    Err(FsError::Errno(errno)) => {
                        let message = format!("couldn't open file {name}: {}", errno.message());
                        return Err(UtilityError::Failed { message, status: 4 });
                    }
                },
            };
            files.push(sinks.len());
            sinks.push(Sink { target, lacks_newline: false });
        }
        Ok(Self { all: sinks, files, main: 0, delimiter, unbuffered })
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
    pub(super) async fn print(
        &mut self,
        ctx: &mut Context,
        text: &[u8],
        newline: bool,
    ) -> Result<(), UtilityError> {
        self.write(ctx, self.main, text, newline).await
    }

    /// Writes text as it is to the main sink.
    pub(super) async fn print_raw(&mut self, ctx: &mut Context, text: &[u8]) -> Result<(), UtilityError> {
        let main = self.main;
        self.complete_line(main, ctx).await?;
        self.push(main, ctx, text).await?;
        self.settle(main, ctx).await
    }

    /// Writes to a file of the program.
    pub(super) async fn write_file(
        &mut self,
        ctx: &mut Context,
        file: usize,
        text: &[u8],
        newline: bool,
    ) -> Result<(), UtilityError> {
        let sink = self.files.get(file).copied().unwrap_or(0);
        self.write(ctx, sink, text, newline).await
    }

    async fn write(
        &mut self,
        ctx: &mut Context,
        sink: usize,
        text: &[u8],
        newline: bool,
    ) -> Result<(), UtilityError> {
        self.complete_line(sink, ctx).await?;
        self.push(sink, ctx, text).await?;
        if newline {
            self.push(sink, ctx, &[self.delimiter]).await?;
        } else if let Some(sink) = self.all.get_mut(sink) {
            sink.lacks_newline = true;
        }
        self.settle(sink, ctx).await
    }

    async fn complete_line(&mut self, sink: usize, ctx: &mut Context) -> Result<(), UtilityError> {
        let lacks_newline =
            self.all.get_mut(sink).is_some_and(|sink| std::mem::take(&mut sink.lacks_newline));
        if lacks_newline { self.push(sink, ctx, &[self.delimiter]).await } else { Ok(()) }
    }

    async fn push(&mut self, sink: usize, ctx: &mut Context, text: &[u8]) -> Result<(), UtilityError> {
        let Some(sink) = self.all.get_mut(sink) else { return Ok(()) };
        match &mut sink.target {
            Target::Stdout => ctx.stdout.write(text).await,
            Target::Stderr => ctx.stderr.write(text).await,
            Target::File(output) => output.write(text).await,
            Target::Memory(bytes) => Ok(append(&ctx.meter, bytes, text).await?),
        }
    }

    async fn settle(&mut self, sink: usize, ctx: &mut Context) -> Result<(), UtilityError> {
        let Some(sink) = self.all.get_mut(sink) else { return Ok(()) };
        let output = match &mut sink.target {
            Target::Stdout => &mut ctx.stdout,
            Target::Stderr => return ctx.stderr.flush().await,
            Target::File(output) => output,
            Target::Memory(_) => return Ok(()),
        };
        if self.unbuffered { output.flush().await } else { output.flush_if_full().await }
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
