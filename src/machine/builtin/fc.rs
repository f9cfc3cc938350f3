//! `fc`: lists entries of the history, or runs one again. Bash manual 9.2.

use crate::memory::{JoinMetered, ToMetered, ToMeteredString, Vec};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::frame::ScriptKind;
use crate::machine::option::ShellOption;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static FC: Builtin = Builtin {
    name: "fc",
    special: false,
    synopsis: "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    help: "Display or execute commands from the history list.",
    run,
};

/// Entries that are listed when no range is given.
const LISTED: usize = 16;

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    // `-3` is an operand.
    let negative = invocation.operands().iter().position(|arg| {
        matches!(arg.as_bytes(), [b'-', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    });
    let mut options = Invocation::empty(invocation.builtin);
    options.args = invocation.args.get(..negative.map_or(invocation.args.len(), |at| at + 1)).unwrap_or(&[]).to_metered();
    let letters = match letter_options::parse(process, &options, b"e:lnrs") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let operands = invocation.args.get(letters.first..).unwrap_or(&[]).to_metered();
    if letters.has(b's') || letters.value(b'e').is_some_and(|editor| editor.as_bytes() == b"-") {
        return again(process, run, invocation, &operands);
    }
    if !letters.has(b'l') {
        process.report_for(&invocation.name(), "commands can not be edited here: use -l or -s");
        return Ok(Flow::Status(1));
    }
    let (Some(first), Some(last)) = range(process, &operands) else {
        let what = if process.shell.state.history.entries.is_empty() { return Ok(Flow::Status(0)) } else { "no command found" };
        process.report_for(&invocation.name(), what);
        return Ok(Flow::Status(1));
    };
    let backwards = letters.has(b'r') || last < first;
    let (low, high) = (first.min(last), first.max(last));
    let history = Arc::clone(&process.shell.state.history);
    let mut places: Vec<usize> = (low..=high.min(history.entries.len().saturating_sub(1))).collect();
    if backwards {
        places.reverse();
    }
    let posix = process.shell.state.options.has(ShellOption::Posix);
    for place in places {
        let Some(entry) = history.entries.get(place) else { continue };
        if !letters.has(b'n') {
            process.out.extend_from_slice(history.number(place).to_metered_string().as_bytes());
        }
        process.out.extend_from_slice(if posix { b"\t" } else { b"\t " });
        process.out.extend_from_slice(&entry.text);
        process.out.push(b'\n');
    }
    Ok(Flow::Status(0))
}

/// How many entries there were before this command.
fn before(process: &Process) -> usize {
    let state = &process.shell.state;
    state.history.entries.len().saturating_sub(usize::from(state.history.last_added))
}

/// The places that the operands of `-l` name.
fn range(process: &Process, operands: &[Text]) -> (Option<usize>, Option<usize>) {
    let Some(newest) = before(process).checked_sub(1) else { return (None, None) };
    match operands {
        [] => (Some((newest + 1).saturating_sub(LISTED)), Some(newest)),
        [first] => (place(process, first), Some(newest)),
        [first, last, ..] => (place(process, first), place(process, last)),
    }
}

/// The place of a number, of an offset from the last command, or of the last command that begins with a text.
fn place(process: &Process, text: &Text) -> Option<usize> {
    let count = before(process);
    let newest = count.checked_sub(1)?;
    let history = &process.shell.state.history;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return history.find(text, count);
    }
    let number: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
    match (text.starts_with(b"-"), number) {
        (true, 0) => Some(history.entries.len().saturating_sub(1)),
        (false, 0) => Some(newest),
        (true, back) => Some(count.saturating_sub(back)),
        (false, number) => Some(number.saturating_sub(history.dropped + 1).min(newest)),
    }
}

/// `-s [pattern=replacement] [command]`: runs a command again.
fn again(process: &mut Process, run: &mut Run, invocation: &mut Invocation, operands: &[Text]) -> Step<Flow> {
    let mut replacements = Vec::new();
    let mut rest = operands;
    while let [first, others @ ..] = rest
        && let Some(at) = memchr::memchr(b'=', first)
    {
        let (pattern, replacement) = first.split_at(at);
        replacements.push((pattern.to_metered(), replacement.get(1..).unwrap_or(&[]).to_metered()));
        rest = others;
    }
    let found = match rest.first() {
        Some(name) => place(process, name),
        None => before(process).checked_sub(1),
    };
    let entry = found.and_then(|found| process.shell.state.history.entries.get(found)).cloned();
    let Some(entry) = entry else {
        process.report_for(&invocation.name(), "no command found");
        return Ok(Flow::Status(1));
    };
    let mut text = entry.text.to_metered();
    for (pattern, replacement) in replacements.iter().filter(|(pattern, _)| !pattern.is_empty()) {
        text = bstr::ByteSlice::replace(text.as_slice(), pattern, replacement).into();
        run.services.meter.check_value(text.len() as u64)?;
    }
    process.write_error(&[text.as_slice(), b"\n"].concat_metered());
    let now = run.services.session.clock.now().as_secs() as i64;
    let history = Arc::make_mut(&mut process.shell.state.history);
    if history.last_added {
        history.remove_last_added();
        history.push(Text::from(text.as_slice()), now);
        history.unsaved += 1;
    }
    process.start_text(run, invocation, Arc::from(text), ScriptKind::Eval, None)
}
