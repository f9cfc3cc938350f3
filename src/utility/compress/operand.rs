//! Operands of programs that pack files (`gzip`, `bzip2`, `xz`, `zstd`): a file is packed or unpacked to standard output, or to
//! another file that takes its place.
//!
//! In this order: the file is looked at, the name of the target found, the input opened, the target made, the work done; the target
//! gets mode, times and owner, and the input goes. Where programs differ, [`Packer`] asks them: all words are theirs.

use super::{Decoder, Encoder, Fault, PIECE, Unpacker};
use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::prelude::*;
use crate::vfs::{Metadata, OpenOptions};
use std::time::Duration;

/// What is done with each operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Task {
    #[default]
    Compress,
    Decompress,
    Test,
    List,
}

/// What the options say that all these programs have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mode {
    pub(crate) task: Task,
    pub(crate) to_stdout: bool,
    pub(crate) force: bool,
    pub(crate) keep: bool,
    /// The first piece is decoded before the target is made.
    pub(crate) looks_first: bool,
    /// What is not compressed goes through as it is.
    pub(crate) passes_through: bool,
}

/// What keeps a file from being packed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle {
    CannotOpen(Errno),
    /// The target is there.
    Exists,
    CannotCreate(Errno),
    /// The target or the input could not be given its attributes, or not be removed.
    CannotFinish(Errno),
}

/// What was done with a file or with standard input.
pub(crate) struct Done<'d> {
    /// `None`: standard input.
    pub(crate) file: Option<(&'d [u8], &'d Metadata)>,
    pub(crate) target: &'d [u8],
    pub(crate) read: u64,
    pub(crate) written: u64,
    /// `None`: it was packed.
    pub(crate) decoder: Option<&'d Decoder>,
    pub(crate) status: ExitStatus,
}

/// What differs from program to program. A path that is not there is standard input.
pub(crate) trait Packer: Send {
    fn mode(&self) -> Mode;

    /// The name of the target, or the status with which the file is left alone.
    fn target(&mut self, ctx: &mut Context, path: &[u8], metadata: &Metadata) -> Result<Vec<u8>, ExitStatus>;

    /// Another name that the start of the packed file tells.
    fn told_target(&self, _path: &[u8], _decoder: &Decoder) -> Option<Vec<u8>> {
        None
    }

    /// The time that the packed file tells.
    fn told_time(&self, _decoder: &Decoder) -> Option<Duration> {
        None
    }

    fn decoder(&self) -> Decoder;

    fn encoder(
        &self,
        ctx: &Context,
        path: Option<&[u8]>,
        metadata: Option<&Metadata>,
    ) -> Result<Encoder, LimitError>;

    /// The work on a file begins.
    fn begin(&mut self, _ctx: &mut Context, _path: &[u8]) {}

    fn refuse(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        target: &[u8],
        obstacle: Obstacle,
    ) -> Result<ExitStatus, UtilityError>;

    /// Says what is wrong with an input. What was made is kept unless the status is a failure.
    fn tell(
        &mut self,
        ctx: &mut Context,
        path: Option<&[u8]>,
        fault: Fault,
    ) -> Result<ExitStatus, UtilityError>;

    /// Whether a fault with this status leaves the input in its place and no target.
    fn is_failure(&self, status: ExitStatus) -> bool {
        !status.is_success()
    }

    /// Says what was done.
    fn done(&mut self, ctx: &mut Context, done: &Done) -> Result<(), UtilityError>;
}

/// Why the work on an input ended.
enum Failure {
    Fault(Fault),
    End(UtilityError),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Limit(limit) => Self::End(limit.into()),
            other => Self::Fault(other),
        }
    }
}

impl From<LimitError> for Failure {
    fn from(limit: LimitError) -> Self {
        Self::End(limit.into())
    }
}

impl From<UtilityError> for Failure {
    fn from(error: UtilityError) -> Self {
        Self::End(error)
    }
}

/// What was read and written.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    read: u64,
    written: u64,
}

/// Standard input to standard output.
pub(crate) async fn standard_input(
    ctx: &mut Context,
    packer: &mut impl Packer,
) -> Result<ExitStatus, UtilityError> {
    let input = ctx.standard_input();
    let metadata = input.description().metadata();
    let mut counts = Counts::default();
    let mut decoder = None;
    let worked = if packer.mode().task == Task::Compress {
        let encoder = packer.encoder(ctx, None, metadata.as_ref())?;
        pack(ctx, input, encoder, None, &mut counts).await
    } else {
        let mut reader = Unpacker::new(input, packer.decoder());
        let unpacked = unpack(ctx, packer.mode(), &mut reader, None, &mut counts).await;
        decoder = Some(reader.decoder);
        unpacked
    };
    let status = match worked {
        Ok(()) => ExitStatus::SUCCESS,
        Err(Failure::Fault(fault)) => packer.tell(ctx, None, fault)?,
        Err(Failure::End(error)) => return Err(error),
    };
    let Counts { read, written } = counts;
    packer.done(ctx, &Done { file: None, target: b"", read, written, decoder: decoder.as_ref(), status })?;
    ctx.stdout.flush_if_full().await?;
    Ok(status)
}

/// A file, to standard output or to another file in its place.
pub(crate) async fn file(
    ctx: &mut Context,
    packer: &mut impl Packer,
    path: &[u8],
    metadata: &Metadata,
) -> Result<ExitStatus, UtilityError> {
    let mode = packer.mode();
    let mut target = Vec::new();
    if !mode.to_stdout {
        target = match packer.target(ctx, path, metadata) {
            Ok(target) => target,
            Err(status) => return Ok(status),
        };
    }
    let input = match ctx.open(path) {
        Ok(input) => input,
        Err(error) => return refuse(ctx, packer, path, &target, Obstacle::CannotOpen, error),
    };
    let mut reader = Unpacker::new(input, packer.decoder());
    if mode.looks_first && mode.task != Task::Compress {
        match reader.fill(ctx).await {
            Ok(_) => {}
            Err(Fault::NotInFormat) if mode.passes_through => reader.pass_through(),
            Err(Fault::Limit(limit)) => return Err(limit.into()),
            Err(fault) => {
                let status = packer.tell(ctx, Some(path), fault)?;
                let file = Some((path, metadata));
                let done = Done { file, target: &target, read: 0, written: 0, decoder: None, status };
                packer.done(ctx, &done)?;
                return Ok(status);
            }
        }
        if let Some(told) = packer.told_target(path, &reader.decoder).filter(|_| !mode.to_stdout) {
            target = told;
        }
    }
    let mut output = None;
    if !mode.to_stdout {
        match create(ctx, mode, &target, metadata) {
            Ok(made) => output = Some(made),
            Err(FsError::Errno(Errno::Exists)) => return packer.refuse(ctx, path, &target, Obstacle::Exists),
            Err(error) => return refuse(ctx, packer, path, &target, Obstacle::CannotCreate, error),
        }
    }
    packer.begin(ctx, path);
    let mut counts = Counts::default();
    let mut decoder = None;
    let worked = if mode.task == Task::Compress {
        let encoder = packer.encoder(ctx, Some(path), Some(metadata))?;
        pack(ctx, reader.into_input(), encoder, output.as_mut(), &mut counts).await
    } else {
        let unpacked = unpack(ctx, mode, &mut reader, output.as_mut(), &mut counts).await;
        decoder = Some(reader.decoder);
        unpacked
    };
    let status = match worked {
        Ok(()) => ExitStatus::SUCCESS,
        Err(Failure::Fault(fault)) => packer.tell(ctx, Some(path), fault)?,
        Err(Failure::End(error)) => return Err(error),
    };
    let has_output = output.take().is_some();
    if packer.is_failure(status) {
        if has_output {
            let _ = ctx.fs().remove_file(&ctx.absolute(&target));
        }
    } else if !mode.to_stdout {
        let time = decoder.as_ref().and_then(|decoder| packer.told_time(decoder));
        if let Err(error) = finish_file(ctx, mode, path, &target, metadata, time) {
            refuse(ctx, packer, path, &target, Obstacle::CannotFinish, error)?;
        }
    }
    let Counts { read, written } = counts;
    let file = Some((path, metadata));
    packer.done(ctx, &Done { file, target: &target, read, written, decoder: decoder.as_ref(), status })?;
    ctx.stdout.flush_if_full().await?;
    Ok(status)
}

fn refuse(
    ctx: &mut Context,
    packer: &mut impl Packer,
    path: &[u8],
    target: &[u8],
    obstacle: impl FnOnce(Errno) -> Obstacle,
    error: FsError,
) -> Result<ExitStatus, UtilityError> {
    match error {
        FsError::Errno(errno) => packer.refuse(ctx, path, target, obstacle(errno)),
        FsError::Limit(limit) => Err(limit.into()),
    }
}

/// The output file.
fn create(ctx: &Context, mode: Mode, target: &[u8], metadata: &Metadata) -> Result<Output, FsError> {
    if mode.force {
        // What is in the way shows when the file is made.
        let _ = ctx.fs().remove_file(&ctx.absolute(target));
    }
    let options = OpenOptions {
        write: true,
        create: true,
        create_new: true,
        mode: metadata.mode & 0o600 & !ctx.umask,
        ..OpenOptions::default()
    };
    ctx.open_description(target, &options).map(|description| Output::new(Some(description)))
}

/// The output gets what the input had; the input goes.
fn finish_file(
    ctx: &Context,
    mode: Mode,
    path: &[u8],
    target: &[u8],
    metadata: &Metadata,
    time: Option<Duration>,
) -> Result<(), FsError> {
    let absolute = ctx.absolute(target);
    let fs = ctx.fs();
    let time = time.unwrap_or(metadata.modified);
    let changed = fs
        .set_times(&absolute, Some(metadata.accessed), Some(time), true)
        .and_then(|()| fs.set_mode(&absolute, metadata.mode & 0o777));
    // A session's user may not give files away; the real programs do not say so.
    let _ = fs.set_owner(&absolute, Some(metadata.uid), Some(metadata.gid), true);
    if !mode.keep {
        fs.remove_file(&ctx.absolute(path))?;
    }
    changed
}

async fn pack(
    ctx: &mut Context,
    mut input: Input,
    mut encoder: Encoder,
    mut output: Option<&mut Output>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let mut packed: Vec<u8> = Vec::new();
    loop {
        ctx.check().await?;
        let block = input.fill().await.map_err(Fault::from)?;
        let piece = block.get(..PIECE / 2).unwrap_or(block);
        let count = piece.len();
        if count == 0 {
            encoder.finish(&ctx.meter, &mut packed).await?;
        } else {
            encoder.push(&ctx.meter, piece, &mut packed).await?;
        }
        input.consume(count);
        counts.read += count as u64;
        counts.written += packed.len() as u64;
        output.as_deref_mut().unwrap_or(&mut ctx.stdout).write(&packed).await?;
        packed.clear();
        if count == 0 {
            output.unwrap_or(&mut ctx.stdout).flush().await?;
            return Ok(());
        }
    }
}

async fn unpack(
    ctx: &mut Context,
    mode: Mode,
    reader: &mut Unpacker,
    mut output: Option<&mut Output>,
    counts: &mut Counts,
) -> Result<(), Failure> {
    let writes = mode.task == Task::Decompress;
    let ended = loop {
        let piece = match reader.fill(ctx).await {
            Ok([]) => break Ok(()),
            Ok(piece) => piece,
            Err(Fault::NotInFormat) if mode.passes_through => {
                reader.pass_through();
                continue;
            }
            Err(fault) => break Err(fault),
        };
        let count = piece.len();
        if writes {
            output.as_deref_mut().unwrap_or(&mut ctx.stdout).write(piece).await?;
        }
        counts.written += count as u64;
        reader.consume(count);
    };
    output.unwrap_or(&mut ctx.stdout).flush().await?;
    counts.read = reader.read;
    ended.map_err(Failure::from)
}

/// Puts the words of variables before the arguments.
pub(crate) fn add_arguments_of(ctx: &mut Context, variables: &[&[u8]]) {
    let mut args: Vec<Text> = Vec::new();
    for name in variables {
        let value = ctx.env.get(name).cloned().unwrap_or_default();
        args.extend(value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(Text::from));
    }
    if !args.is_empty() {
        args.append(&mut ctx.args);
        ctx.args = args;
    }
}

/// Writes to standard error at once, without the name.
pub(crate) fn say(ctx: &mut Context, text: impl std::fmt::Display) {
    ctx.stderr.push(crate::memory::format!("{text}").as_bytes());
    ctx.stderr.flush_now();
}
