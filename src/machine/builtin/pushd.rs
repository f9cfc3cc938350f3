//! `pushd`, `popd`, `dirs`: the directory stack. Its top is the working directory. Bash manual 6.8.1.

use super::cd::variable;
use super::context::Context;
use super::error::BuiltinError;
use super::options::{self, is_digits};
use super::row::{Act, Builtin, Flow};
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::memory::{Arc, vec};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static PUSHD: Builtin = Builtin {
    name: "pushd",
    special: false,
    synopsis: "pushd [-n] [+N | -N | dir]",
    help: "Add directories to stack.",
    // Numbers stand where letters would, for all three.
    options: &[],
    act: Act::Machine(pushd),
};

pub(super) static POPD: Builtin = Builtin {
    name: "popd",
    special: false,
    synopsis: "popd [-n] [+N | -N]",
    help: "Remove directories from stack.",
    options: &[],
    act: Act::Machine(popd),
};

pub(super) static DIRS: Builtin = Builtin {
    name: "dirs",
    special: false,
    synopsis: "dirs [-clpv] [+N] [-N]",
    help: "Display directory stack.",
    options: &[],
    act: Act::Machine(dirs),
};

/// The place of an entry, counted from the left (`+N`) or from the right (`-N`). `None`: the text is not a number with a sign.
fn entry(ctx: &Context<'_, '_>, text: &Text) -> Result<Option<usize>, BuiltinError> {
    let (sign, digits) = match text.as_bytes() {
        [sign @ (b'+' | b'-'), digits @ ..] if !digits.is_empty() => (*sign, digits),
        _ => return Ok(None),
    };
    if !is_digits(digits) {
        return Err(BuiltinError::InvalidOperandNumber(text.clone()));
    }
    let last = ctx.process.shell.state.directories.len();
    let number = options::number(digits).and_then(|number| usize::try_from(number).ok());
    let index = match (number, sign) {
        (Some(number), b'+') => Some(number).filter(|number| *number <= last),
        (Some(number), _) => last.checked_sub(number),
        (None, _) => None,
    };
    if index.is_none() && last == 0 {
        return Err(BuiltinError::StackEmpty);
    }
    // `dirs` shows the number without its sign.
    let shown = if ctx.builtin.name == "dirs" { Text::from(digits) } else { text.clone() };
    index.map(Some).ok_or(BuiltinError::StackIndex(shown))
}

/// Takes `-n` and `--`. Returns whether `-n` was given and the operands.
fn operands<'c>(ctx: &Context<'c, '_>) -> (bool, &'c [Text]) {
    let mut rest = ctx.arguments();
    let mut stays = false;
    while let [first, tail @ ..] = rest {
        match first.as_bytes() {
            b"-n" => stays = true,
            b"--" => return (stays, tail),
            _ => break,
        }
        rest = tail;
    }
    (stays, rest)
}

fn change(ctx: &mut Context<'_, '_>, target: &Text) -> Result<(), BuiltinError> {
    if ctx.process.shell.state.options.has(ShellOption::RestrictedShell) {
        return Err(BuiltinError::Restricted);
    }
    let changed = ctx.process.shell.change_directory(ctx.run, target, false)?;
    match changed {
        Ok(0) => Ok(()),
        Ok(status) => Err(BuiltinError::Reported(status)),
        Err(errno) => Err(BuiltinError::File { name: target.clone(), errno }),
    }
}

fn pushd(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let (stays, operands) = operands(ctx);
    let cwd = ctx.process.shell.state.cwd.clone();
    match operands {
        [] if stays => return Ok(Flow::Status(0)),
        [] => {
            let directories = &mut ctx.process.shell.state.directories;
            let Some(top) = directories.first().cloned() else { return Err(BuiltinError::NoOtherDirectory) };
            if let Some(first) = Arc::make_mut(directories).first_mut() {
                *first = cwd;
            }
            change(ctx, &top)?;
        }
        [target] => match entry(ctx, target)? {
            Some(index) => {
                let mut stack = vec![cwd];
                stack.extend(ctx.process.shell.state.directories.iter().cloned());
                let count = index.min(stack.len());
                stack.rotate_left(count);
                let top = if stack.is_empty() { Text::EMPTY } else { stack.remove(0) };
                ctx.process.shell.state.directories = Arc::new(stack);
                if stays {
                    return Ok(Flow::Status(0));
                }
                change(ctx, &top)?;
            }
            None if stays => push(ctx, target.clone()),
            None => {
                let target = match target.as_bytes() {
                    b"-" => variable(ctx, name::OLDPWD, "OLDPWD")?,
                    _ => target.clone(),
                };
                change(ctx, &target)?;
                push(ctx, cwd);
            }
        },
        _ => return Err(BuiltinError::TooManyArguments),
    }
    print(ctx, Style::default(), None);
    Ok(Flow::Status(0))
}

/// Puts a directory below the top.
fn push(ctx: &mut Context<'_, '_>, directory: Text) {
    Arc::make_mut(&mut ctx.process.shell.state.directories).insert(0, directory);
}

fn popd(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let (stays, operands) = operands(ctx);
    let index = match operands.first() {
        None => 0,
        Some(text) => entry(ctx, text)?.ok_or_else(|| BuiltinError::InvalidStackArgument(text.clone()))?,
    };
    let top = ctx.process.shell.state.directories.first().cloned().ok_or(BuiltinError::StackEmpty)?;
    if index == 0 && !stays {
        change(ctx, &top)?;
    }
    let directories = Arc::make_mut(&mut ctx.process.shell.state.directories);
    let at = index.saturating_sub(1);
    if at < directories.len() {
        directories.remove(at);
    }
    print(ctx, Style::default(), None);
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

fn dirs(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let mut style = Style::default();
    let mut wanted = None;
    for text in ctx.arguments() {
        match text.as_bytes() {
            b"-l" => style.long = true,
            b"-p" => style.lines = true,
            b"-v" => (style.lines, style.numbers) = (true, true),
            b"-c" => {
                ctx.process.shell.state.directories = Arc::default();
                return Ok(Flow::Status(0));
            }
            b"--" => break,
            _ => {
                let index = entry(ctx, text)?.ok_or_else(|| BuiltinError::InvalidArgument(text.clone()))?;
                wanted = Some(index);
            }
        }
    }
    print(ctx, style, wanted);
    Ok(Flow::Status(0))
}

/// The stack, on one line as `pushd` and `popd` show it unless the style has lines.
fn print(ctx: &mut Context<'_, '_>, style: Style, wanted: Option<usize>) {
    let home = ctx.process.shell.scalar(ctx.run, name::HOME).filter(|home| !style.long && home.len() > 1);
    let cwd = ctx.process.shell.state.cwd.clone();
    let directories = Arc::clone(&ctx.process.shell.state.directories);
    let mut is_first = true;
    for (index, directory) in std::iter::once(&cwd).chain(directories.iter()).enumerate() {
        if wanted.is_some_and(|wanted| wanted != index) {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            ctx.out.bytes(if style.lines { b"\n" } else { b" " });
        }
        if style.numbers {
            let _ = write!(ctx.out, "{index:2}  ");
        }
        let below = home.as_ref().and_then(|home| directory.strip_prefix(home.as_bytes()));
        match below.filter(|rest| matches!(rest.first(), None | Some(b'/'))) {
            Some(rest) => {
                ctx.out.bytes(b"~");
                ctx.out.bytes(rest);
            }
            None => ctx.out.text(directory),
        }
    }
    ctx.out.bytes(b"\n");
}
