//! `history`: the list of commands and its file. Bash manual 9.2.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{flag, is_digits, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;
use crate::machine::history::{Expanded, History, Stopped};
use crate::machine::name;
use crate::machine::option::ShellOption;
use crate::machine::variable::Value;
use crate::memory::{Arc, JoinMetered};
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use std::fmt::Write as _;

pub(super) static HISTORY: Builtin = Builtin {
    name: "history",
    special: false,
    synopsis: "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    help: "Display or manipulate the history list.",
    options: &[
        flag(b'a', "append the entries of this shell to the file"),
        flag(b'c', "forget all entries"),
        value(b'd', "offset", "forget an entry, or several: START-END"),
        flag(b'n', "read the lines of the file that were not read yet"),
        flag(b'p', "show the arguments, and keep them out of the list"),
        flag(b'r', "read the file"),
        flag(b's', "add the arguments as one entry"),
        flag(b'w', "write the list to the file"),
    ],
    act: Act::Machine(history),
};

fn history(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    let mut file_letters = b"anrw".iter().copied().filter(|letter| options.has(*letter));
    let file_letter = file_letters.next();
    if file_letters.next().is_some() {
        return Err(BuiltinError::OneHistoryFile);
    }
    if options.has(b'c') && ctx.is_first() {
        Arc::make_mut(&mut ctx.process.shell.state.editor.history).clear();
        if operands.is_empty() {
            return Ok(Flow::Status(0));
        }
    }
    if options.has(b's') {
        store(ctx, operands);
        return Ok(Flow::Status(0));
    }
    if options.has(b'p') {
        if ctx.is_first() {
            Arc::make_mut(&mut ctx.process.shell.state.editor.history).remove_last_added();
        }
        while let Some(operand) = ctx.next(operands) {
            match ctx.process.shell.history(ctx.run).expand(operand, 0) {
                Ok(Expanded::Same) => ctx.out.line(operand),
                Ok(Expanded::Changed(text) | Expanded::Shown(text)) => ctx.out.line(&Text::from(text)),
                Err(Stopped::Error(_)) => ctx.complain(BuiltinError::NoHistoryExpansion(operand.clone())),
                Err(Stopped::Limit(limit)) => return Err(limit.into()),
            }
        }
        return Ok(ctx.flow());
    }
    if let Some(place) = options.value(b'd') {
        return delete(ctx, place);
    }
    if let Some(letter) = file_letter {
        return file(ctx, letter, operands.first());
    }
    let count = match operands {
        [] => usize::MAX,
        [count] => {
            let digits = count.strip_prefix(b"+").unwrap_or(count);
            if !is_digits(digits) {
                return Err(BuiltinError::NumberRequired(count.clone()));
            }
            std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(usize::MAX)
        }
        _ => {
            ctx.complain(BuiltinError::TooManyArguments);
            return Err(Halt::Discard(1).into());
        }
    };
    list(ctx, count);
    Ok(Flow::Status(0))
}

/// Prints the last `count` entries with their numbers.
fn list(ctx: &mut Context<'_, '_>, count: usize) {
    let history = Arc::clone(&ctx.process.shell.state.editor.history);
    let format = ctx.process.shell.scalar(ctx.run, name::HISTTIMEFORMAT).filter(|format| !format.is_empty());
    let zone = ctx.process.shell.zone(ctx.run);
    let skipped = history.entries.len().saturating_sub(count);
    for (index, entry) in history.entries.iter().enumerate().skip(skipped) {
        let _ = write!(ctx.out, "{:5}  ", history.number(index));
        if let Some(format) = &format {
            let moment = jiff::Timestamp::from_second(entry.time).unwrap_or_default();
            ctx.out.bytes(&zone.format(format, &zone.at(moment)));
        }
        ctx.out.line(&entry.text);
    }
}

/// `-s`: the operands become one entry, in the place of this command.
fn store(ctx: &mut Context<'_, '_>, operands: &[Text]) {
    if operands.is_empty() {
        return;
    }
    let text = operands.join_metered(b" ");
    let now = ctx.run.services.session.clock.now().as_secs() as i64;
    let history = Arc::make_mut(&mut ctx.process.shell.state.editor.history);
    history.remove_last_added();
    history.push(Text::from(text), now);
    history.unsaved += 1;
}

/// `-d place` and `-d start-end`.
fn delete(ctx: &mut Context<'_, '_>, place: &Text) -> Result<Flow, BuiltinError> {
    let history = Arc::make_mut(&mut ctx.process.shell.state.editor.history);
    let (first, last) = match place.iter().skip(1).position(|&byte| byte == b'-') {
        Some(at) => {
            let (first, last) = place.split_at(at + 1);
            (index_of(history, first), index_of(history, last.get(1..).unwrap_or(&[])))
        }
        None => (index_of(history, place), index_of(history, place)),
    };
    match (first, last) {
        (Some(first), Some(last)) if first <= last => {
            history.remove(first..=last);
            Ok(Flow::Status(0))
        }
        _ => Err(BuiltinError::HistoryPosition(place.clone())),
    }
}

/// The place of a number, counted from the end when it is negative.
fn index_of(history: &History, text: &[u8]) -> Option<usize> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    let count = history.entries.len();
    let index = if number < 0 {
        count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?
    } else {
        usize::try_from(number).ok()?.checked_sub(history.dropped + 1)?
    };
    (index < count).then_some(index)
}

/// `-a`, `-n`, `-r`, `-w`.
fn file(ctx: &mut Context<'_, '_>, letter: u8, operand: Option<&Text>) -> Result<Flow, BuiltinError> {
    let unsaved = ctx.process.shell.state.editor.history.unsaved;
    if let Some(name) = operand.filter(|name| name.contains(&b'/'))
        && ctx.process.shell.state.options.has(ShellOption::RestrictedShell)
    {
        return Err(BuiltinError::RestrictedOperand(name.clone()));
    }
    let named = match operand {
        Some(name) => Some(ctx.process.shell.state.absolute(&ctx.run.services.session.fs, name)),
        None => ctx.process.shell.history(ctx.run).file(),
    };
    let path = match named {
        Some(path) => path,
        None if letter == b'a' => return Ok(Flow::Status(u8::from(unsaved > 0))),
        // What Readline takes by itself.
        None => {
            let home = ctx.process.shell.scalar(ctx.run, name::HOME).unwrap_or_default();
            [home.as_bytes(), b"/.history"].concat_metered()
        }
    };
    let result = match letter {
        b'a' if unsaved == 0 => Ok(()),
        b'a' | b'w' => ctx.process.shell.history(ctx.run).write(&path, letter == b'a'),
        _ => read(ctx, &path, letter == b'n'),
    };
    match result {
        Ok(()) => Ok(Flow::Status(0)),
        Err(FsError::Errno(Errno::NotFound)) => Ok(Flow::Status(1)),
        Err(error) => Err(BuiltinError::file(&Text::from(path), error)),
    }
}

/// Adds the lines of a file: all of them, or those that were not read yet.
fn read(ctx: &mut Context<'_, '_>, path: &[u8], new: bool) -> Result<(), FsError> {
    let content = ctx.run.services.session.fs.read(path)?;
    let times = ctx.process.shell.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
    let now = ctx.run.services.session.clock.now().as_secs() as i64;
    let history = Arc::make_mut(&mut ctx.process.shell.state.editor.history);
    let from = if new { history.in_file } else { 0 };
    let before = history.entries.len();
    let lines = history.load(content.as_bytes(), from, now, times);
    if new {
        history.unsaved += history.entries.len().saturating_sub(before);
    }
    history.in_file = lines;
    Ok(())
}
