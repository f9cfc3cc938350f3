//! Where the pieces go: files, or shell commands that are given each piece as standard input.

use super::names::Names;
use super::settings::SplitOptions;
use crate::io::Description;
use crate::memory::{Arc, Vec, format, vec};
use crate::utility::prelude::*;
use crate::utility::{CommandError, Relation, RunningCommand};
use crate::vfs::Metadata;

/// An open piece.
pub(super) struct Target {
    name: Vec<u8>,
    /// `None`: the filter reads no more.
    out: Option<Output>,
    filter: Option<RunningCommand>,
}

/// Opens pieces, one after the other.
pub(super) struct Targets {
    names: Names,
    filter: Option<Text>,
    verbose: bool,
    /// The file that is read.
    input: Option<Metadata>,
    current: Option<Target>,
}

impl Targets {
    pub(super) fn new(names: Names, settings: &SplitOptions, input: Option<Metadata>) -> Self {
        Self { names, filter: settings.filter.clone(), verbose: settings.verbose, input, current: None }
    }

    /// Closes the piece at hand and begins another.
    pub(super) async fn begin(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.close(ctx).await?;
        self.current = Some(self.open(ctx).await?);
        Ok(())
    }

    /// Writes to the piece at hand.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), UtilityError> {
        match &mut self.current {
            Some(target) => target.write(bytes).await,
            None => Ok(()),
        }
    }

    /// Closes the piece at hand, if there is one.
    pub(super) async fn close(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        match self.current.take() {
            Some(target) => self.finish(ctx, target).await,
            None => Ok(()),
        }
    }

    /// Opens another piece for the caller.
    pub(super) async fn open(&mut self, ctx: &mut Context) -> Result<Target, UtilityError> {
        ctx.tick().await?;
        let name = self.names.next()?;
        if let Some(command) = self.filter.clone() {
            return self.start_filter(ctx, name, &command).await;
        }
        if self.verbose {
            ctx.stdout.write(format!("creating file {}\n", quote_name(&name)).as_bytes()).await?;
        }
        let existing = ctx.stat(&name).ok();
        if existing
            .zip(self.input.as_ref())
            .is_some_and(|(old, input)| old.is_regular() && old.inode == input.inode)
        {
            return Err(UtilityError::failed(format!(
                "{} would overwrite input; aborting",
                quote_name(&name)
            )));
        }
        let created = ctx.create(&name, false);
        let out = created.map_err(|error| UtilityError::operand(quote_operand(&name).as_bytes(), error))?;
        Ok(Target { name, out: Some(out), filter: None })
    }

    async fn start_filter(
        &mut self,
        ctx: &mut Context,
        name: Vec<u8>,
        command: &Text,
    ) -> Result<Target, UtilityError> {
        if self.verbose {
            ctx.stdout.write(format!("executing with FILE={}\n", quote_operand(&name)).as_bytes()).await?;
        }
        let shell = ctx.env.get(b"SHELL").cloned().unwrap_or(Text::from_static(b"/bin/sh"));
        let mut request = ctx.command(vec![shell, Text::from_static(b"-c"), command.clone()]);
        let mut environment = (*request.environment).clone();
        environment.set(Text::from_static(b"FILE"), Text::from(name.clone()));
        request.environment = Arc::new(environment);
        let (reader, writer) = crate::io::pipe();
        request.stdin = Some(Description::pipe_reader(reader));
        let out = Output::new(Some(Description::pipe_writer(writer)));
        Ok(Target { name, out: Some(out), filter: Some(ctx.start_command(request, Relation::Child)) })
    }

    /// Hands on what was written, and waits for the filter.
    pub(super) async fn finish(&mut self, ctx: &mut Context, mut target: Target) -> Result<(), UtilityError> {
        target.flush().await?;
        drop(target.out.take());
        let (Some(running), Some(command)) = (target.filter.take(), self.filter.clone()) else {
            return Ok(());
        };
        match running.await {
            Ok(ExitStatus(0)) => Ok(()),
            // Ended by SIGPIPE, which a filter may be.
            Ok(ExitStatus::BROKEN_PIPE) => Ok(()),
            Ok(ExitStatus(status)) => Err(UtilityError::Failed {
                message: format!(
                    "with FILE={}, exit {status} from command: {command}",
                    quote_operand(&target.name)
                ),
                status,
            }),
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            Err(error) => {
                let shell = ctx.env.get(b"SHELL").cloned().unwrap_or(Text::from_static(b"/bin/sh"));
                Err(UtilityError::failed(format!("failed to run command: \"{shell} -c {command}\": {error}")))
            }
        }
    }
}

impl Target {
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Result<(), UtilityError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let written = out.write(bytes).await;
        self.unless_deaf(written)
    }

    pub(super) async fn flush(&mut self) -> Result<(), UtilityError> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let flushed = out.flush().await;
        self.unless_deaf(flushed)
    }

    /// A filter need not read everything.
    fn unless_deaf(&mut self, result: Result<(), UtilityError>) -> Result<(), UtilityError> {
        match result {
            Err(UtilityError::Write(Errno::BrokenPipe)) if self.filter.is_some() => {
                self.out = None;
                Ok(())
            }
            result => result,
        }
    }
}
