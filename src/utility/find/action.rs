//! The actions: printing, deleting, running commands.

use super::expression::{Action, Target};
use super::format::list_line;
use super::run::{Candidate, FindSearch};
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::{join, last_component, parent};
use crate::utility::format::quote::quote;
use crate::utility::{CommandError, Context, ExitStatus, UtilityError};
use crate::vfs::FsError;

/// Most bytes of the arguments of one command.
const MAX_ARGUMENT_BYTES: u64 = 128 * 1024;

impl FindSearch {
    /// Does what an action says; whether it is true. `-prune` and `-quit` are told by the search's flags.
    pub(super) async fn act(
        &mut self,
        ctx: &mut Context,
        step: usize,
        file: &Candidate<'_>,
    ) -> Result<bool, UtilityError> {
        let steps = self.steps.clone();
        let Some(super::expression::Instruction::Action(action)) = steps.get(step) else { return Ok(true) };
        match action {
            Action::Print(target, end) => {
                let line = [file.path, &[*end]].concat_metered();
                self.print(ctx, *target, &line).await?;
            }
            Action::PrintFormat(target, format) => match format.print(ctx, file, &self.zone) {
                Ok(text) => self.print(ctx, *target, &text).await?,
                Err(error) => self.failed(ctx, file.path, error)?,
            },
            Action::List(target) => match list_line(ctx, file, &self.zone) {
                Ok(line) => self.print(ctx, *target, &line).await?,
                Err(error) => self.failed(ctx, file.path, error)?,
            },
            Action::Delete => return self.delete(ctx, file),
            Action::Prune => self.pruned = true,
            Action::Quit => self.quit = true,
            Action::Execute { argv, in_directory } => {
                return self.execute(ctx, argv, *in_directory, file).await;
            }
            Action::ExecuteBatch(index) => self.collect(ctx, *index, file).await?,
        }
        Ok(true)
    }

    async fn print(&mut self, ctx: &mut Context, target: Target, text: &[u8]) -> Result<(), UtilityError> {
        match target {
            Target::Stdout => ctx.stdout.write(text).await,
            Target::File(index) => match self.files.get_mut(index) {
                Some((_, output)) => output.write(text).await,
                None => Ok(()),
            },
        }
    }

    fn delete(&mut self, ctx: &mut Context, file: &Candidate<'_>) -> Result<bool, UtilityError> {
        if file.path == b"." {
            return Ok(true);
        }
        let removed = ctx.path(file.path).and_then(|path| {
            if file.metadata.is_directory() && !ctx.fs().symlink_metadata(&path)?.is_symlink() {
                ctx.fs().remove_dir(&path)
            } else {
                ctx.fs().remove_file(&path)
            }
        });
        match removed {
            Ok(()) => Ok(true),
            Err(error) => {
                self.status = ctx.complain(format_args!("cannot delete {}", quote(file.path)), error)?;
                Ok(false)
            }
        }
    }

    /// Everything that was printed so far is to be seen before what a command prints.
    pub(super) async fn flush(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        ctx.stdout.flush().await?;
        for (_, output) in &mut self.files {
            output.flush().await?;
        }
        Ok(())
    }

    async fn execute(
        &mut self,
        ctx: &mut Context,
        argv: &[Text],
        in_directory: bool,
        file: &Candidate<'_>,
    ) -> Result<bool, UtilityError> {
        let (name, directory) = place(ctx, file.path, in_directory);
        let mut replaced = Vec::with_capacity(argv.len());
        for arg in argv {
            ctx.tick().await?;
            replaced.push(replace_braces(arg, &name));
        }
        Ok(self.run_command(ctx, replaced, directory).await?.is_some_and(ExitStatus::is_success))
    }

    async fn collect(
        &mut self,
        ctx: &mut Context,
        index: usize,
        file: &Candidate<'_>,
    ) -> Result<(), UtilityError> {
        let Some(batch) = self.batches.get(index) else { return Ok(()) };
        let (name, directory) = place(ctx, file.path, batch.in_directory);
        let size = name.len() as u64 + 1;
        let moved = batch.in_directory && batch.directory != directory.as_bytes();
        if !batch.files.is_empty() && (moved || batch.bytes + size > MAX_ARGUMENT_BYTES) {
            self.run_batch(ctx, index).await?;
        }
        if let Some(batch) = self.batches.get_mut(index) {
            batch.bytes += size;
            batch.files.push(name);
            batch.directory = directory.to_metered();
        }
        Ok(())
    }

    /// Runs the command of `-exec ... +` with what was collected.
    pub(super) async fn run_batch(&mut self, ctx: &mut Context, index: usize) -> Result<(), UtilityError> {
        let Some(batch) = self.batches.get_mut(index) else { return Ok(()) };
        if batch.files.is_empty() {
            return Ok(());
        }
        let files = std::mem::take(&mut batch.files);
        batch.bytes = 0;
        let mut argv = batch.argv.clone();
        argv.extend(files);
        let directory =
            if batch.in_directory { Text::from(batch.directory.as_slice()) } else { ctx.cwd.clone() };
        let status = self.run_command(ctx, argv, directory).await?;
        if !status.is_some_and(ExitStatus::is_success) {
            self.status = ExitStatus::FAILURE;
        }
        Ok(())
    }

    /// Runs a command; `None` when it could not be started, which is reported.
    async fn run_command(
        &mut self,
        ctx: &mut Context,
        argv: Vec<Text>,
        directory: Text,
    ) -> Result<Option<ExitStatus>, UtilityError> {
        self.flush(ctx).await?;
        let name = argv.first().cloned().unwrap_or_default();
        let mut request = ctx.command(argv);
        request.cwd = directory;
        match ctx.run_command(request).await {
            Ok(status) => Ok(Some(status)),
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            Err(error) => {
                ctx.warn(format_args!("{}: {error}", quote(&name)));
                Ok(None)
            }
        }
    }

    /// Reports an error about a file.
    pub(super) fn failed(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        error: FsError,
    ) -> Result<(), UtilityError> {
        self.status = ctx.complain(quote(path), error)?;
        Ok(())
    }
}

/// What `{}` stands for, and the directory in which the command runs.
fn place(ctx: &Context, path: &[u8], in_directory: bool) -> (Text, Text) {
    if !in_directory {
        return (Text::from(path), ctx.cwd.clone());
    }
    let name = last_component(path);
    if name == b"/" {
        return (Text::from_static(b"/"), Text::from_static(b"/"));
    }
    (Text::from(join(b".", name)), Text::from(crate::vfs::path::normalise(&ctx.absolute(parent(path)))))
}

/// The argument with every `{}` replaced.
fn replace_braces(arg: &Text, name: &Text) -> Text {
    let mut rest: &[u8] = arg;
    if memchr::memmem::find(rest, b"{}").is_none() {
        return arg.clone();
    }
    let mut out = Vec::with_capacity(arg.len() + name.len());
    while let Some(at) = memchr::memmem::find(rest, b"{}") {
        out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
        out.extend_from_slice(name);
        rest = rest.get(at + 2..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
    Text::from(out)
}
