//! `history`: the list of commands and its file. Bash manual 9.2.

use crate::memory::{JoinMetered, Vec, format};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::name;
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::Value;
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use std::sync::Arc;
use std::task::Context;

pub(super) static HISTORY: Builtin = Builtin {
    name: "history",
    special: false,
    synopsis: "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    help: "Display or manipulate the history list.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"acd:npsrw") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]);
    let file_letters: Vec<u8> = b"anrw".iter().copied().filter(|letter| letters.has(*letter)).collect();
    if file_letters.len() > 1 {
        process.report_for(&own, "cannot use more than one of -anrw");
        return Ok(Flow::Status(1));
    }
    if letters.has(b'c') {
        Arc::make_mut(&mut process.shell.state.history).clear();
        if operands.is_empty() {
            return Ok(Flow::Status(0));
        }
    }
    if letters.has(b's') {
        store(process, run, operands);
        return Ok(Flow::Status(0));
    }
    if letters.has(b'p') {
        for operand in operands {
            process.out.extend_from_slice(operand);
            process.out.push(b'\n');
        }
        return Ok(Flow::Status(0));
    }
    if let Some(place) = letters.value(b'd') {
        return Ok(Flow::Status(delete(process, &own, place)));
    }
    if let Some(&letter) = file_letters.first() {
        return file(process, run, &own, letter, operands.first());
    }
    let count = match operands {
        [] => None,
        [_, _, ..] => {
            process.report_for(&own, "too many arguments");
            return Err(Halt::Discard(1));
        }
        [count] => match count.strip_prefix(b"+").unwrap_or(count) {
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let count = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<usize>().ok());
                Some(count.unwrap_or(usize::MAX))
            }
            _ => {
                process.report_for(&own, format_args!("{count}: numeric argument required"));
                return Ok(Flow::Status(1));
            }
        },
    };
    list(process, run, count);
    Ok(Flow::Status(0))
}

/// Prints the last `count` entries with their numbers.
fn list(process: &mut Process, run: &mut Run, count: Option<usize>) {
    let history = Arc::clone(&process.shell.state.history);
    let format = process.scalar(run, name::HISTTIMEFORMAT).filter(|format| !format.is_empty());
    let zone = process.zone(run);
    let skipped = history.entries.len().saturating_sub(count.unwrap_or(usize::MAX));
    for (index, entry) in history.entries.iter().enumerate().skip(skipped) {
        process.out.extend_from_slice(format!("{:5}  ", history.number(index)).as_bytes());
        if let Some(format) = &format {
            let moment = jiff::Timestamp::from_second(entry.time).unwrap_or_default();
            process.out.extend_from_slice(&zone.format(format, &zone.at(moment)));
        }
        process.out.extend_from_slice(&entry.text);
        process.out.push(b'\n');
    }
}

/// `-s`: the operands become one entry, in the place of this command.
fn store(process: &mut Process, run: &mut Run, operands: &[Text]) {
    if operands.is_empty() {
        return;
    }
    let mut text = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        if number > 0 {
            text.push(b' ');
        }
        text.extend_from_slice(operand);
    }
    let now = run.services.session.clock.now().as_secs() as i64;
    let history = Arc::make_mut(&mut process.shell.state.history);
    history.remove_last_added();
    history.push(Text::from(text), now);
    history.unsaved += 1;
}

/// `-d place` and `-d start-end`.
fn delete(process: &mut Process, own: &Text, place: &Text) -> u8 {
    let history = Arc::make_mut(&mut process.shell.state.history);
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
            0
        }
        _ => {
            process.report_for(own, format_args!("{place}: history position out of range"));
            1
        }
    }
}

/// The place of a number, counted from the end when it is negative.
fn index_of(history: &crate::machine::history::History, text: &[u8]) -> Option<usize> {
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
fn file(process: &mut Process, run: &mut Run, own: &Text, letter: u8, operand: Option<&Text>) -> Step<Flow> {
    let path = match operand {
        Some(path) => Some(crate::vfs::path::join(&process.shell.state.cwd, path)),
        None => process.history_file(),
    };
    let path = match path {
        Some(path) => path,
        None if letter == b'a' => return Ok(Flow::Status(u8::from(process.shell.state.history.unsaved > 0))),
        // What Readline takes by itself.
        None => [process.scalar(run, name::HOME).unwrap_or_default().as_bytes(), b"/.history"].concat_metered(),
    };
    let result = match letter {
        b'a' if process.shell.state.history.unsaved == 0 => Ok(()),
        b'a' | b'w' => process.write_history(run, &path, letter == b'a'),
        _ => read(process, run, &path, letter == b'n'),
    };
    match result {
        Ok(()) => Ok(Flow::Status(0)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            if !matches!(errno, Errno::NotFound) {
                let shown = Text::from(path);
                process.report_for(own, format_args!("{shown}: {}", errno.message()));
            }
            Ok(Flow::Status(1))
        }
    }
}

/// Adds the lines of a file: all of them, or those that were not read yet.
fn read(process: &mut Process, run: &mut Run, path: &[u8], new: bool) -> Result<(), FsError> {
    let content = run.services.session.fs.read(path)?;
    let times = process.shell.variables.slot(name::HISTTIMEFORMAT).value != Value::Unset;
    let now = run.services.session.clock.now().as_secs() as i64;
    let history = Arc::make_mut(&mut process.shell.state.history);
    let from = if new { history.in_file } else { 0 };
    let before = history.entries.len();
    let lines = history.load(content.as_bytes(), from, now, times);
    if new {
        history.unsaved += history.entries.len().saturating_sub(before);
    }
    history.in_file = lines;
    Ok(())
}
