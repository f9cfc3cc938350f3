//! The files and commands that a program reads and writes, by name.
//!
//! What is written to a command is kept until the command is closed, or the program ends; then it runs with that as its
//! standard input. A command that is read runs while its output is read.

use super::error::Fault;
use super::input::{RecordReader, Separator};
use super::op::Redirect;
use crate::io::{Description, pipe};
use crate::memory::{HashMap, String, ToMetered, Vec, format, vec};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;
use crate::utility::{CommandError, Relation, RunningCommand};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

enum Sink {
    File(Output),
    Stderr,
    Stdout,
    Command(Vec<u8>),
}

/// A command whose output is read.
struct Process {
    reader: RecordReader,
    /// `None` once it has ended.
    running: Option<RunningCommand>,
    status: ExitStatus,
}

/// All open streams. Outputs keep the order in which they were opened; the last is closed first at the end.
#[derive(Default)]
pub(super) struct Streams {
    sinks: Vec<Option<(Vec<u8>, Sink)>>,
    sink_places: HashMap<Vec<u8>, usize>,
    files: HashMap<Vec<u8>, RecordReader>,
    processes: HashMap<Vec<u8>, Process>,
    /// What ended the last record that was read.
    pub(super) terminator: Text,
    /// Why the last file could not be read.
    pub(super) failure: Option<Errno>,
}

fn shell(ctx: &Context, command: &[u8]) -> crate::utility::CommandRequest {
    ctx.command(vec![Text::from_static(b"bash"), Text::from_static(b"-c"), Text::from(command)])
}

fn status_of(result: Result<ExitStatus, CommandError>) -> Result<ExitStatus, Fault> {
    match result {
        Ok(status) => Ok(status),
        Err(CommandError::NotFound) => Ok(ExitStatus::NOT_FOUND),
        Err(CommandError::NotExecutable) => Ok(ExitStatus::NOT_EXECUTABLE),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
    }
}

impl Streams {
    /// Writes to a file or command, which is opened if it is not open.
    pub(super) async fn write(
        &mut self,
        ctx: &mut Context,
        redirect: Redirect,
        name: &[u8],
        text: &[u8],
    ) -> Result<(), Fault> {
        let place = if let Some(&place) = self.sink_places.get(name) {
            place
        } else {
            if redirect == Redirect::Command {
                // What was printed before comes before what the command prints; what is printed later, after it.
                ctx.stdout.flush().await?;
            }
            let sink = open_sink(ctx, redirect, name)?;
            let place = self.sinks.add(Some((name.to_metered(), sink)));
            self.sink_places.insert(name.to_metered(), place);
            place
        };
        match self.sinks.get_mut(place).and_then(Option::as_mut) {
            Some((_, Sink::File(output))) => output.write(text).await?,
            Some((_, Sink::Command(bytes))) => append(&ctx.meter, bytes, text).await?,
            Some((_, Sink::Stderr)) => {
                ctx.stderr.write(text).await?;
                ctx.stderr.flush().await?;
            }
            Some((_, Sink::Stdout)) => ctx.stdout.write(text).await?,
            None => {}
        }
        Ok(())
    }

    /// Hands on what was written to files: to one of that name, or to all.
    pub(super) async fn flush(&mut self, name: Option<&[u8]>) -> Result<bool, Fault> {
        let mut has_found = name.is_none();
        for (open, sink) in self.sinks.iter_mut().flatten() {
            if name.is_none_or(|name| name == open.as_slice()) {
                has_found = true;
                if let Sink::File(output) = sink {
                    output.flush().await?;
                }
            }
        }
        Ok(has_found)
    }

    /// Whether something of that name is open.
    pub(super) fn is_open(&self, name: &[u8]) -> bool {
        self.files.contains_key(name)
            || self.processes.contains_key(name)
            || self.sink_places.contains_key(name)
    }

    /// Closes a stream; its exit status, or -1 when there is none of that name.
    pub(super) async fn close(&mut self, ctx: &mut Context, name: &[u8]) -> Result<f64, Fault> {
        let mut status = -1.0;
        if self.files.remove(name).is_some() {
            status = 0.0;
        }
        if let Some(mut process) = self.processes.remove(name) {
            if let Some(running) = process.running.take() {
                // Nobody reads any more: a command that writes on ends by that.
                drop(process.reader);
                process.status = status_of(running.await)?;
            }
            status = f64::from(process.status.0);
        }
        if let Some(place) = self.sink_places.remove(name)
            && let Some((_, sink)) = self.sinks.get_mut(place).and_then(Option::take)
        {
            status = end_sink(ctx, name, sink).await?;
        }
        Ok(status)
    }

    /// Closes everything.
    pub(super) async fn close_all(&mut self, ctx: &mut Context) -> Result<(), Fault> {
        for (name, sink) in std::mem::take(&mut self.sinks).into_iter().flatten().rev() {
            end_sink(ctx, &name, sink).await?;
        }
        self.sink_places.clear();
        Ok(())
    }

    /// Reads a record from a file: 1 and the record with what ended it, 0 at the end, -1 where it cannot be read.
    pub(super) async fn read_file(
        &mut self,
        ctx: &Context,
        name: &[u8],
        separator: &Separator,
        into: &mut Vec<u8>,
    ) -> Result<i8, Fault> {
        if !self.files.contains_key(name) {
            let input = match name {
                b"-" => Ok(ctx.standard_input()),
                _ => ctx.open(name),
            };
            match input {
                Ok(input) => {
                    self.files.insert(name.to_metered(), RecordReader::new(input));
                }
                Err(FsError::Errno(errno)) => {
                    self.failure = Some(errno);
                    return Ok(-1);
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            }
        }
        let Some(reader) = self.files.get_mut(name) else { return Ok(-1) };
        read_into(reader, ctx, separator, into, &mut self.terminator).await
    }

    /// Reads a record from a command's output.
    pub(super) async fn read_command(
        &mut self,
        ctx: &Context,
        command: &[u8],
        separator: &Separator,
        into: &mut Vec<u8>,
    ) -> Result<i8, Fault> {
        if !self.processes.contains_key(command) {
            let (reader, writer) = pipe();
            let mut request = shell(ctx, command);
            request.stdout = Some(Description::pipe_writer(writer));
            let running = Some(ctx.start_command(request, Relation::Child));
            let input = Input::new(Description::pipe_reader(reader), &ctx.meter);
            let process = Process { reader: RecordReader::new(input), running, status: ExitStatus::SUCCESS };
            self.processes.insert(command.to_metered(), process);
        }
        let Some(Process { reader, running, status }) = self.processes.get_mut(command) else {
            return Ok(-1);
        };
        let mut read = pin!(read_into(reader, ctx, separator, into, &mut self.terminator));
        // The command goes on while its output is waited for.
        poll_fn(|cx| {
            if let Some(future) = running
                && let Poll::Ready(result) = Pin::new(future).poll(cx)
            {
                *running = None;
                match status_of(result) {
                    Ok(ended) => *status = ended,
                    Err(fault) => return Poll::Ready(Err(fault)),
                }
            }
            read.as_mut().poll(cx)
        })
        .await
    }

    /// Runs a command; its exit status.
    pub(super) async fn system(&mut self, ctx: &mut Context, command: &[u8]) -> Result<f64, Fault> {
        ctx.stdout.flush().await?;
        self.flush(None).await?;
        run_to_end(ctx, shell(ctx, command)).await
    }
}

/// Runs a command; its exit status, or 256 and the signal that ended it.
async fn run_to_end(ctx: &Context, request: crate::utility::CommandRequest) -> Result<f64, Fault> {
    let mut running = ctx.start_command(request, Relation::Child);
    let status = status_of((&mut running).await)?;
    Ok(f64::from(running.killed_by().map_or(u16::from(status.0), |signal| 256 + u16::from(signal))))
}

fn open_sink(ctx: &Context, redirect: Redirect, name: &[u8]) -> Result<Sink, Fault> {
    if redirect == Redirect::Command {
        return Ok(Sink::Command(Vec::new()));
    }
    match name {
        b"/dev/stdout" | b"/dev/fd/1" | b"-" => return Ok(Sink::Stdout),
        b"/dev/stderr" | b"/dev/fd/2" => return Ok(Sink::Stderr),
        _ => {}
    }
    match ctx.create(name, redirect == Redirect::Append) {
        Ok(output) => Ok(Sink::File(output)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            let shown = String::from_utf8_lossy(name);
            Err(Fault::fatal(format!("cannot redirect to `{shown}': {}", errno.message())))
        }
    }
}

/// Ends an output: a command runs now.
async fn end_sink(ctx: &mut Context, name: &[u8], sink: Sink) -> Result<f64, Fault> {
    match sink {
        Sink::File(mut output) => output.flush().await?,
        Sink::Stdout | Sink::Stderr => {}
        Sink::Command(bytes) => {
            let mut request = shell(ctx, name);
            request.stdin = Some(Description::memory(bytes));
            return run_to_end(ctx, request).await;
        }
    }
    Ok(0.0)
}

async fn read_into(
    reader: &mut RecordReader,
    ctx: &Context,
    separator: &Separator,
    into: &mut Vec<u8>,
    terminator: &mut Text,
) -> Result<i8, Fault> {
    into.clear();
    match reader.next(ctx, separator).await? {
        Ok(Some((record, end))) => {
            if **terminator != *end {
                *terminator = Text::from(end);
            }
            append(&ctx.meter, into, record).await?;
            Ok(1)
        }
        Ok(None) => Ok(0),
        Err(_) => Ok(-1),
    }
}
