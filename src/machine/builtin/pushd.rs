//! `pushd`, `popd`, `dirs`: the directory stack. Its top is the working directory. Bash manual 6.8.1.

use crate::memory::{ToMetered, Vec, format, vec};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::name;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static PUSHD: Builtin = Builtin {
    name: "pushd",
    special: false,
    synopsis: "pushd [-n] [+N | -N | dir]",
    help: "Add directories to stack.",
    run: pushd,
};

pub(super) static POPD: Builtin = Builtin {
    name: "popd",
    special: false,
    synopsis: "popd [-n] [+N | -N]",
    help: "Remove directories from stack.",
    run: popd,
};

pub(super) static DIRS: Builtin = Builtin {
    name: "dirs",
    special: false,
    synopsis: "dirs [-clpv] [+N] [-N]",
    help: "Display directory stack.",
    run: dirs,
};

/// An entry, counted from the left (`+N`) or from the right (`-N`).
enum Entry {
    /// Its index from the left.
    At(usize),
    /// There is none.
    OutOfRange,
    /// What follows the sign is not a number.
    Invalid,
}

fn entry(process: &Process, text: &[u8]) -> Option<Entry> {
    let (sign, digits) = match text {
        [sign @ (b'+' | b'-'), digits @ ..] if !digits.is_empty() => (*sign, digits),
        _ => return None,
    };
    if !digits.iter().all(u8::is_ascii_digit) {
        return Some(Entry::Invalid);
    }
    let last = process.shell.state.directories.len();
    let number = letters::number(digits).and_then(|number| usize::try_from(number).ok());
    let index = match (number, sign) {
        (Some(number), b'+') => Some(number).filter(|number| *number <= last),
        (Some(number), _) => last.checked_sub(number),
        (None, _) => None,
    };
    Some(index.map_or(Entry::OutOfRange, Entry::At))
}

fn out_of_range(process: &mut Process, invocation: &Invocation, text: &Text) -> Flow {
    let shown = bstr::BString::from(text.get(1..).unwrap_or(text));
    let shown = if invocation.builtin.name == "dirs" { shown } else { bstr::BString::from(text.as_bytes()) };
    if process.shell.state.directories.is_empty() {
        process.report_for(&invocation.name(), "directory stack empty");
    } else {
        process.report_for(&invocation.name(), format_args!("{shown}: directory stack index out of range"));
    }
    Flow::Status(1)
}

fn invalid(process: &mut Process, invocation: &Invocation, text: &Text, what: &str) -> Flow {
    process.report_for(&invocation.name(), format_args!("{text}: {what}"));
    letters::usage(process, invocation)
}

/// Takes `-n` and `--`. Returns whether `-n` was given and the operands.
fn operands(invocation: &Invocation) -> (bool, Vec<Text>) {
    let mut rest = invocation.operands();
    let mut stays = false;
    while let [first, tail @ ..] = rest {
        match first.as_bytes() {
            b"-n" => stays = true,
            b"--" => return (stays, tail.to_metered()),
            _ => break,
        }
        rest = tail;
    }
    (stays, rest.to_metered())
}

/// Changes to a directory for `pushd` or `popd`. Whether it worked; the message was printed.
fn change(process: &mut Process, run: &mut Run, invocation: &Invocation, target: &Text) -> Step<bool> {
    match process.change_directory(run, target, false)? {
        Ok(()) => Ok(true),
        Err(errno) => {
            process.report_for(&invocation.name(), format_args!("{target}: {}", errno.message()));
            Ok(false)
        }
    }
}

fn pushd(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let (stays, operands) = operands(invocation);
    let cwd = process.shell.state.cwd.clone();
    let target = match operands.as_slice() {
        [] if stays => return Ok(Flow::Status(0)),
        [] => {
            let Some(top) = process.shell.state.directories.first().cloned() else {
                process.report_for(b"pushd", "no other directory");
                return Ok(Flow::Status(1));
            };
            if let Some(first) = Arc::make_mut(&mut process.shell.state.directories).first_mut() {
                *first = cwd;
            }
            top
        }
        [target] => match entry(process, target) {
            Some(Entry::At(index)) => {
                let mut stack = vec![cwd];
                stack.extend(process.shell.state.directories.iter().cloned());
                let count = index.min(stack.len());
                stack.rotate_left(count);
                let top = stack.remove(0);
                process.shell.state.directories = Arc::new(stack);
                if stays {
                    return Ok(Flow::Status(0));
                }
                top
            }
            Some(Entry::OutOfRange) => return Ok(out_of_range(process, invocation, target)),
            Some(Entry::Invalid) => return Ok(invalid(process, invocation, target, "invalid number")),
            None if stays => {
                push(process, run, target.clone())?;
                show(process, run);
                return Ok(Flow::Status(0));
            }
            None => {
                let target = match target.as_bytes() {
                    b"-" => match process.scalar(run, name::OLDPWD) {
                        Some(old) => old,
                        None => {
                            process.report_for(b"pushd", "OLDPWD not set");
                            return Ok(Flow::Status(1));
                        }
                    },
                    _ => target.clone(),
                };
                if !change(process, run, invocation, &target)? {
                    return Ok(Flow::Status(1));
                }
                push(process, run, cwd)?;
                show(process, run);
                return Ok(Flow::Status(0));
            }
        },
        _ => {
            process.report_for(b"pushd", "too many arguments");
            return Ok(Flow::Status(1));
        }
    };
    if !change(process, run, invocation, &target)? {
        return Ok(Flow::Status(1));
    }
    show(process, run);
    Ok(Flow::Status(0))
}

/// Puts a directory below the top.
fn push(process: &mut Process, _: &mut Run, directory: Text) -> Step {
    Arc::make_mut(&mut process.shell.state.directories).insert(0, directory);
    Ok(())
}

fn popd(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let (stays, operands) = operands(invocation);
    let index = match operands.first() {
        None => 0,
        Some(text) => match entry(process, text) {
            Some(Entry::At(index)) => index,
            Some(Entry::OutOfRange) => return Ok(out_of_range(process, invocation, text)),
            Some(Entry::Invalid) => return Ok(invalid(process, invocation, text, "invalid number")),
            None => return Ok(invalid(process, invocation, text, "invalid argument")),
        },
    };
    let Some(top) = process.shell.state.directories.first().cloned() else {
        process.report_for(b"popd", "directory stack empty");
        return Ok(Flow::Status(1));
    };
    if index == 0 && !stays && !change(process, run, invocation, &top)? {
        return Ok(Flow::Status(1));
    }
    let directories = Arc::make_mut(&mut process.shell.state.directories);
    let at = index.saturating_sub(1);
    if at < directories.len() {
        directories.remove(at);
    }
    show(process, run);
    Ok(Flow::Status(0))
}

/// How `dirs` shows the stack.
#[derive(Clone, Copy, Default)]
struct Style {
    /// Without `~`.
    long: bool,
    lines: bool,
    numbers: bool,
}

fn dirs(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let mut style = Style::default();
    let mut wanted = None;
    for text in invocation.operands() {
        match text.as_bytes() {
            b"-l" => style.long = true,
            b"-p" => style.lines = true,
            b"-v" => (style.lines, style.numbers) = (true, true),
            b"-c" => {
                process.shell.state.directories = Arc::default();
                return Ok(Flow::Status(0));
            }
            b"--" => break,
            _ => match entry(process, text) {
                Some(Entry::At(index)) => wanted = Some(index),
                Some(Entry::OutOfRange) => return Ok(out_of_range(process, invocation, text)),
                Some(Entry::Invalid) => return Ok(invalid(process, invocation, text, "invalid number")),
                None => return Ok(invalid(process, invocation, text, "invalid option")),
            },
        }
    }
    print(process, run, style, wanted);
    Ok(Flow::Status(0))
}

/// The stack on one line, as `pushd` and `popd` show it.
fn show(process: &mut Process, run: &mut Run) {
    print(process, run, Style::default(), None);
}

fn print(process: &mut Process, run: &mut Run, style: Style, wanted: Option<usize>) {
    let home = process.scalar(run, name::HOME).filter(|home| !style.long && home.len() > 1);
    let cwd = process.shell.state.cwd.clone();
    let directories = Arc::clone(&process.shell.state.directories);
    let mut first = true;
    for (index, directory) in std::iter::once(&cwd).chain(directories.iter()).enumerate() {
        if wanted.is_some_and(|wanted| wanted != index) {
            continue;
        }
        if !std::mem::take(&mut first) {
            process.out.push(if style.lines { b'\n' } else { b' ' });
        }
        if style.numbers {
            process.out.extend_from_slice(format!("{index:2}  ").as_bytes());
        }
        let below = home.as_ref().and_then(|home| directory.strip_prefix(home.as_bytes()));
        match below.filter(|rest| matches!(rest.first(), None | Some(b'/'))) {
            Some(rest) => {
                process.out.push(b'~');
                process.out.extend_from_slice(rest);
            }
            None => process.out.extend_from_slice(directory),
        }
    }
    process.out.push(b'\n');
}
