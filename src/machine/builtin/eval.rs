//! `eval`, `.`, `source`. Bash manual 4.1.

use crate::memory::{JoinMetered, ToMetered, Vec};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::frame::ScriptKind;
use crate::machine::option::ShellOption;
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::io::Description;
use crate::text::Text;
use crate::vfs::{Errno, FileKind, FsError, OpenOptions, path};
use std::sync::Arc;
use std::task::{Context, Poll};

pub(super) static EVAL: Builtin = Builtin {
    name: "eval",
    special: true,
    synopsis: "eval [arg ...]",
    help: "Execute arguments as a shell command.",
    run: eval,
};

pub(super) static DOT: Builtin = Builtin {
    name: ".",
    special: true,
    synopsis: ". filename [arguments]",
    help: "Execute commands from a file in the current shell.",
    run: source,
};

pub(crate) static SOURCE: Builtin = Builtin {
    name: "source",
    special: true,
    synopsis: "source filename [arguments]",
    help: "Execute commands from a file in the current shell.",
    run: source,
};

fn eval(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let words: Vec<&[u8]> = invocation.args.iter().skip(letters.first).map(Text::as_bytes).collect();
    let text = words.join_metered(b" ");
    drop(words);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Flow::Status(0));
    }
    process.start_text(run, invocation, Arc::from(text), ScriptKind::Eval, None)
}

fn source(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let Some(name) = invocation.args.get(letters.first).cloned() else {
        process.report_for(&invocation.name(), "filename argument required");
        return Ok(letters::usage(process, invocation));
    };
    let posix = process.shell.state.options.has(ShellOption::Posix);
    let found = match find(process, run, &name) {
        Some(path) => path,
        // In POSIX mode only `PATH` is searched.
        None if posix => {
            process.report_for(&invocation.name(), format_args!("{name}: file not found"));
            return Err(Halt::Exit(1));
        }
        None => name.clone(),
    };
    let args = invocation.args.get(letters.first + 1..).filter(|args| !args.is_empty()).map(<[Text]>::to_metered);
    let absolute = path::join(&process.shell.state.cwd, &found);
    if is_stream(run, &absolute) {
        return match read_stream(process, run, cx, invocation, &found)? {
            Some(script) => {
                process.start_text(run, invocation, Arc::from(script), ScriptKind::Source, Some((found, args)))
            }
            None => Ok(Flow::Wait),
        };
    }
    let content = match run.services.session.fs.read(&absolute) {
        Ok(content) => content,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(Errno::IsDirectory)) => {
            process.report_for(&invocation.name(), format_args!("{found}: is a directory"));
            return Ok(Flow::Status(1));
        }
        Err(FsError::Errno(errno)) => {
            process.report(format_args!("{name}: {}", errno.message()));
            if posix {
                return Err(Halt::Exit(1));
            }
            return Ok(Flow::Status(1));
        }
    };
    let bytes = content.as_bytes();
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    if memchr::memchr(0, line.get(..line.len().min(80)).unwrap_or(line)).is_some() {
        process.report_for(&invocation.name(), format_args!("{found}: cannot execute binary file"));
        return Ok(Flow::Status(126));
    }
    let script: Arc<[u8]> = Arc::from(bytes);
    process.start_text(run, invocation, script, ScriptKind::Source, Some((found, args)))
}

/// Whether a path is a descriptor or a FIFO: its end comes later.
fn is_stream(run: &Run, absolute: &[u8]) -> bool {
    absolute.starts_with(b"/dev/fd/")
        || absolute == b"/dev/stdin"
        || run.services.session.fs.metadata(absolute).is_ok_and(|metadata| metadata.kind == FileKind::Fifo)
}

/// A stream that is being read to its end.
struct Reading {
    description: Arc<Description>,
    script: Vec<u8>,
    charge: crate::limit::Charge,
}

/// Reads a stream to its end; `None`: it has to wait.
fn read_stream(
    process: &mut Process,
    run: &mut Run,
    cx: &mut Context<'_>,
    invocation: &mut Invocation,
    path: &Text,
) -> Step<Option<Vec<u8>>> {
    let progress = invocation.progress.take().and_then(|progress| progress.downcast::<Reading>().ok());
    let mut reading = match progress {
        Some(reading) => reading,
        None => {
            let options = OpenOptions { read: true, ..OpenOptions::default() };
            let description = match process.open_path(run, path, &options) {
                Ok(description) => description,
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    process.report(format_args!("{path}: {}", errno.message()));
                    return Ok(Some(b"false".to_metered()));
                }
            };
            Box::new(Reading { description, script: Vec::new(), charge: run.services.meter.empty_charge() })
        }
    };
    loop {
        let Reading { description, script, charge } = &mut *reading;
        let most = run.services.meter.limits().script_bytes;
        let mut refused = None;
        let read = description.poll_read(cx, &mut |more| {
            if script.len() as u64 + more.len() as u64 > most {
                refused = Some(run.services.meter.fail(crate::limit::Limit::ScriptBytes));
                return 0;
            }
            if let Err(error) = charge.grow(more.len() as u64) {
                refused = Some(error);
                return 0;
            }
            script.extend_from_slice(more);
            more.len()
        });
        if let Some(error) = refused {
            return Err(error.into());
        }
        match read {
            Poll::Pending => {
                invocation.progress = Some(reading);
                return Ok(None);
            }
            Poll::Ready(Ok(count)) if count > 0 => {}
            Poll::Ready(_) => return Ok(Some(std::mem::take(script))),
        }
    }
}

/// The path of a file to be read: a name without slash is looked for along `PATH`.
fn find(process: &mut Process, run: &mut Run, name: &Text) -> Option<Text> {
    let options = process.shell.state.options;
    if name.contains(&b'/') || !options.has(ShellOption::SourcePath) {
        return Some(name.clone());
    }
    let directories = process.scalar(run, crate::machine::name::PATH).unwrap_or_default();
    for directory in directories.split(|&byte| byte == b':') {
        let mut candidate = if directory.is_empty() { b".".to_metered() } else { directory.to_metered() };
        candidate.push(b'/');
        candidate.extend_from_slice(name);
        let absolute = path::join(&process.shell.state.cwd, &candidate);
        if run.services.session.fs.metadata(&absolute).is_ok_and(|metadata| metadata.is_regular()) {
            return Some(Text::from(candidate));
        }
    }
    None
}
