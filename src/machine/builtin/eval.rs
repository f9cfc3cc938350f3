//! `eval`, `.`, `source`. Bash manual 4.1.

use super::context::Context;
use super::error::BuiltinError;
use super::row::{Act, Builtin, Flow};
use crate::io::Description;
use crate::limit::{Limit, Turn, gauge};
use crate::machine::frame::ScriptKind;
use crate::machine::halt::Halt;
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::memory::{Arc, Box, Bytes, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::vfs::{Errno, FsError, OpenOptions};
use std::task::Poll;

pub(super) static EVAL: Builtin = Builtin {
    name: "eval",
    special: true,
    synopsis: "eval [arg ...]",
    help: "Execute arguments as a shell command.",
    options: &[],
    act: Act::Machine(eval),
};

pub(super) static DOT: Builtin = Builtin {
    name: ".",
    special: true,
    synopsis: ". filename [arguments]",
    help: "Execute commands from a file in the current shell.",
    options: &[],
    act: Act::Machine(source),
};

pub(crate) static SOURCE: Builtin = Builtin {
    name: "source",
    special: true,
    synopsis: "source filename [arguments]",
    help: "Execute commands from a file in the current shell.",
    options: &[],
    act: Act::Machine(source),
};

fn eval(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let text = ctx.operands(&options).join_metered(b" ");
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Flow::Status(0));
    }
    Ok(ctx.process.control.start_text(
        &mut ctx.process.shell,
        ctx.run,
        ctx.invocation,
        &Bytes::from(text),
        ScriptKind::Eval,
        None,
    )?)
}

fn source(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut reading = None;
    match ctx.resumed::<Sourcing>().map(Box::into_inner) {
        Some(Sourcing::Failed) => return Err(BuiltinError::Reported(1)),
        Some(Sourcing::Reading(kept)) => reading = Some(kept),
        None => {}
    }
    let options = ctx.options()?;
    let Some((name, args)) = ctx.operands(&options).split_first() else {
        return Err(BuiltinError::FileRequired);
    };
    if name.contains(&b'/') && ctx.process.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::RestrictedOperand(name.clone()));
    }
    let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
    let found = match find(ctx, name) {
        Some(path) => path,
        // In POSIX mode only `PATH` is searched.
        None if posix => {
            ctx.run.note_missing(name, Errno::NotFound);
            ctx.complain(BuiltinError::FileNotFound(name.clone()));
            return Err(Halt::Fatal(1).into());
        }
        None => name.clone(),
    };
    let absolute = ctx.process.shell.state.absolute(&ctx.run.services.session.fs, &found);
    let read = if is_stream(ctx, &absolute) {
        read_stream(ctx, &found, name, reading)
    } else {
        read_file(ctx, &absolute, &found, name).map(Some)
    };
    match read {
        Ok(Some(script)) => {
            let args = (!args.is_empty()).then(|| args.to_metered());
            let file = Some((found, args));
            Ok(ctx.process.control.start_text(
                &mut ctx.process.shell,
                ctx.run,
                ctx.invocation,
                &script,
                ScriptKind::Source,
                file,
            )?)
        }
        Ok(None) => Ok(Flow::Wait),
        Err(error @ BuiltinError::Script { .. }) if posix => {
            ctx.complain(error);
            Err(Halt::Fatal(1).into())
        }
        Err(error @ BuiltinError::Halt(_)) => Err(error),
        Err(error) if ctx.process.has_return_trap() => {
            // The trap sees the status of the command before.
            ctx.complain(error);
            ctx.keep(Box::new(Sourcing::Failed));
            Ok(Flow::ReturnTrap)
        }
        Err(error) => Err(error),
    }
}

/// What is kept while something else runs.
enum Sourcing {
    Reading(Reading),
    /// The error is reported, and the `RETURN` trap has run.
    Failed,
}

fn read_file(
    ctx: &Context<'_, '_>,
    absolute: &[u8],
    found: &Text,
    name: &Text,
) -> Result<Bytes, BuiltinError> {
    let content = match ctx.run.services.session.fs.read(absolute) {
        Ok(content) => content,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(Errno::IsDirectory)) => return Err(BuiltinError::IsADirectory(found.clone())),
        Err(FsError::Errno(errno)) => {
            ctx.run.note_missing(name, errno);
            return Err(BuiltinError::Script { name: name.clone(), errno });
        }
    };
    let bytes = content.as_bytes();
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    if memchr::memchr(0, line.get(..line.len().min(80)).unwrap_or(line)).is_some() {
        return Err(BuiltinError::BinaryFile(found.clone()));
    }
    Ok(Bytes::from(bytes))
}

/// Whether a path is a descriptor, a FIFO or a device: its end comes later.
fn is_stream(ctx: &Context<'_, '_>, absolute: &[u8]) -> bool {
    absolute.starts_with(b"/dev/fd/")
        || absolute == b"/dev/stdin"
        || ctx
            .run
            .services
            .session
            .fs
            .metadata(absolute)
            .is_ok_and(|metadata| !metadata.is_regular() && !metadata.is_directory())
}

/// A stream that is being read to its end.
struct Reading {
    description: Arc<Description>,
    script: Vec<u8>,
}

/// Reads a stream to its end; `None`: it has to wait.
fn read_stream(
    ctx: &mut Context<'_, '_>,
    path: &Text,
    name: &Text,
    kept: Option<Reading>,
) -> Result<Option<Bytes>, BuiltinError> {
    let mut reading = match kept {
        Some(reading) => reading,
        None => {
            let options = OpenOptions { read: true, ..OpenOptions::default() };
            match ctx.process.shell.state.open_path(ctx.run, path, &options) {
                Ok(description) => Reading { description, script: Vec::new() },
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    return Err(BuiltinError::Script { name: name.clone(), errno });
                }
            }
        }
    };
    let most = ctx.run.services.meter.limits().script_bytes;
    loop {
        let Reading { description, script } = &mut reading;
        let mut is_too_long = false;
        let read = description.poll_read(ctx.task, &mut |more| {
            is_too_long = (script.len() as u64).saturating_add(more.len() as u64) > most;
            if is_too_long {
                return 0;
            }
            script.extend_from_slice(more);
            more.len()
        });
        if is_too_long {
            return Err(ctx.run.services.meter.fail(Limit::ScriptBytes).into());
        }
        match read {
            Poll::Pending => break,
            Poll::Ready(Ok(count)) if count > 0 => {
                if gauge::burn(1) && ctx.run.services.meter.refuel_for_turn()? != Turn::Continues {
                    ctx.task.waker().wake_by_ref();
                    break;
                }
            }
            Poll::Ready(_) => return Ok(Some(Bytes::from(std::mem::take(script)))),
        }
    }
    ctx.keep(Box::new(Sourcing::Reading(reading)));
    Ok(None)
}

/// The path of a file to be read: a name without slash is looked for along `PATH`.
fn find(ctx: &mut Context<'_, '_>, name: &Text) -> Option<Text> {
    if name.contains(&b'/') || !ctx.process.shell.state.options.has(ShellOption::SourcePath) {
        return Some(name.clone());
    }
    let directories = ctx.process.shell.scalar(ctx.run, name::PATH).unwrap_or_default();
    for directory in directories.split(|&byte| byte == b':') {
        let directory = if directory.is_empty() { b"." } else { directory };
        let candidate = [directory, b"/", name.as_bytes()].concat_metered();
        let absolute = ctx.process.shell.state.absolute(&ctx.run.services.session.fs, &candidate);
        if ctx.run.services.session.fs.metadata(&absolute).is_ok_and(|metadata| metadata.is_regular()) {
            return Some(Text::from(candidate));
        }
    }
    None
}
