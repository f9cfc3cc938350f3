//! `fc`: lists entries of the history, or runs one again. Bash manual 9.2.

use super::context::Context;
use super::error::BuiltinError;
use super::options::{Options, flag, is_digits, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::frame::ScriptKind;
use crate::machine::option::ShellOption;
use crate::machine::process::Process;
use crate::machine::variable::Value;
use crate::memory::{Arc, Bytes, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use std::fmt::Write as _;

pub(super) static FC: Builtin = Builtin {
    name: "fc",
    special: false,
    synopsis: "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    help: "Display or execute commands from the history list.",
    options: &[
        value(b'e', "ename", "the editor; a dash runs the command as it is"),
        flag(b'l', "list commands, edit none"),
        flag(b'n', "without their numbers"),
        flag(b'r', "the newest first"),
        flag(b's', "run a command again"),
    ],
    act: Act::Machine(fc),
};

/// Entries that are listed when no range is given.
const LISTED: usize = 16;

/// A file that an editor changes.
struct Editing {
    path: Text,
}

/// Where the editor's status is put.
const STATUS: &[u8] = b"_fc_status";

fn fc(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    if let Some(editing) = ctx.resumed::<Editing>() {
        return edited(ctx, &editing.path);
    }
    // `-3` is an operand, so the options end there.
    let is_offset = |arg: &Text| arg.strip_prefix(b"-").is_some_and(is_digits);
    let end = ctx.args.iter().position(is_offset).unwrap_or(ctx.args.len());
    let options = Options::parse(ctx.builtin, ctx.args.get(..end).unwrap_or(&[]))?;
    let operands = ctx.operands(&options);
    if options.has(b's') || options.has_value(b'e', b"-") {
        return again(ctx, operands);
    }
    if !options.has(b'l') {
        return edit(ctx, &options, operands);
    }
    let (Some(first), Some(last)) = range(ctx.process, operands) else {
        let is_empty = ctx.process.shell.state.editor.history.entries.is_empty();
        return if is_empty { Ok(Flow::Status(0)) } else { Err(BuiltinError::NoCommandFound) };
    };
    let backwards = options.has(b'r') || last < first;
    let (low, high) = (first.min(last), first.max(last));
    let history = Arc::clone(&ctx.process.shell.state.editor.history);
    let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
    let high = high.min(history.entries.len().saturating_sub(1));
    for step in 0..=high.saturating_sub(low) {
        let place = if backwards { high.saturating_sub(step) } else { low.saturating_add(step) };
        let Some(entry) = history.entries.get(place) else { continue };
        if !options.has(b'n') {
            let _ = write!(ctx.out, "{}", history.number(place));
        }
        ctx.out.bytes(if posix { b"\t" } else { b"\t " });
        ctx.out.line(&entry.text);
    }
    Ok(Flow::Status(0))
}

/// How many entries there were before this command.
fn before(process: &Process) -> usize {
    let state = &process.shell.state;
    state.editor.history.entries.len().saturating_sub(usize::from(state.editor.history.last_added))
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
    let history = &process.shell.state.editor.history;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if !is_digits(digits) {
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
fn again(ctx: &mut Context<'_, '_>, operands: &[Text]) -> Result<Flow, BuiltinError> {
    let mut replacements = Vec::new();
    let mut rest = operands;
    while let [first, others @ ..] = rest
        && let Some(at) = memchr::memchr(b'=', first)
    {
        let (pattern, replacement) = first.split_at(at);
        replacements.push((pattern, replacement.get(1..).unwrap_or(&[])));
        rest = others;
    }
    let found = match rest.first() {
        Some(name) => place(ctx.process, name),
        None => before(ctx.process).checked_sub(1),
    };
    let entry = found.and_then(|found| ctx.process.shell.state.editor.history.entries.get(found)).cloned();
    let entry = entry.ok_or(BuiltinError::NoCommandFound)?;
    let mut text = entry.text.to_metered();
    for (pattern, replacement) in replacements {
        text = replace(&text, pattern, replacement);
        ctx.run.services.meter.check_value(text.len() as u64)?;
    }
    text.push(b'\n');
    run(ctx, text, true)
}

/// Writes commands into a file and starts an editor on it.
fn edit(ctx: &mut Context<'_, '_>, options: &Options, operands: &[Text]) -> Result<Flow, BuiltinError> {
    let Some(newest) = before(ctx.process).checked_sub(1) else { return Ok(Flow::Status(0)) };
    let (first, last) = match operands {
        [] => (Some(newest), Some(newest)),
        [only] => (place(ctx.process, only), place(ctx.process, only)),
        [first, last, ..] => (place(ctx.process, first), place(ctx.process, last)),
    };
    let (Some(first), Some(last)) = (first, last) else { return Err(BuiltinError::NoCommandFound) };
    let backwards = options.has(b'r') || last < first;
    let (low, high) = (first.min(last), first.max(last).min(newest));
    let history = Arc::clone(&ctx.process.shell.state.editor.history);
    let mut text = Vec::new();
    for step in 0..=high.saturating_sub(low) {
        let place = if backwards { high.saturating_sub(step) } else { low.saturating_add(step) };
        let Some(entry) = history.entries.get(place) else { continue };
        text.extend_from_slice(&entry.text);
        text.push(b'\n');
        ctx.run.services.meter.check_value(text.len() as u64)?;
    }
    let files = std::sync::Arc::clone(&ctx.run.services.session.fs);
    let pid = ctx.process.shell.state.ids.own;
    // A shell that edits in an editor's commands has several.
    let path = (0..100_u32)
        .map(|number| Text::from(crate::memory::format!("/tmp/bash-fc.{pid}.{number}").as_bytes()))
        .find(|path| files.symlink_metadata(path).is_err());
    let path = path.ok_or(BuiltinError::NoCommandFound)?;
    let _ = files.create_dir_all(b"/tmp", 0o1777);
    files.write(&path, &text, 0o600).map_err(|error| BuiltinError::file(&path, error))?;
    let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
    let editor = match options.value(b'e') {
        Some(editor) => editor.as_bytes(),
        None if posix => b"${FCEDIT:-ed}",
        None => b"${FCEDIT:-${EDITOR:-vi}}",
    };
    let command = [editor, b" ", path.as_bytes(), b"; ", STATUS, b"=$?"].concat_metered();
    ctx.keep(crate::memory::Box::new(Editing { path }));
    Ok(Flow::Callback(Bytes::from(command)))
}

/// Runs what an editor has left.
fn edited(ctx: &mut Context<'_, '_>, path: &Text) -> Result<Flow, BuiltinError> {
    let files = std::sync::Arc::clone(&ctx.run.services.session.fs);
    let content = files.read(path);
    let _ = files.remove_file(path);
    let id = ctx.run.services.names.intern(STATUS);
    let status = ctx.process.shell.value_of(ctx.run, id).text().unwrap_or_default();
    ctx.process.shell.variables.set_plain(id, Value::Unset);
    let history = Arc::make_mut(&mut ctx.process.shell.state.editor.history);
    if history.last_added {
        history.remove_last_added();
    }
    if *status.as_bytes() != *b"0" {
        return Ok(Flow::Status(1));
    }
    let content = content.map_err(|error| BuiltinError::file(path, error))?;
    let text = content.as_bytes().to_metered();
    ctx.run.services.meter.check_value(text.len() as u64)?;
    run(ctx, text, false)
}

/// Shows commands, puts them into the history, in the place of this one, and runs them. `is_one`: they are one entry.
fn run(ctx: &mut Context<'_, '_>, text: Vec<u8>, is_one: bool) -> Result<Flow, BuiltinError> {
    ctx.process.shell.write_error(&text);
    let now = ctx.run.services.session.clock.now().as_secs() as i64;
    let remembers = ctx.process.shell.state.options.has(ShellOption::History);
    let history = Arc::make_mut(&mut ctx.process.shell.state.editor.history);
    if history.last_added {
        history.remove_last_added();
    }
    let text_of_one = text.trim_ascii_end();
    let lines =
        text.split(|&byte| byte == b'\n' && !is_one).map(|line| if is_one { text_of_one } else { line });
    for line in lines.filter(|line| remembers && !line.is_empty()) {
        history.push(Text::from(line), now);
        history.unsaved += 1;
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

/// Every occurrence of a pattern replaced; none of an empty one.
fn replace(text: &[u8], pattern: &[u8], replacement: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut from = 0;
    if !pattern.is_empty() {
        for at in memchr::memmem::find_iter(text, pattern) {
            replaced.extend_from_slice(text.get(from..at).unwrap_or(&[]));
            replaced.extend_from_slice(replacement);
            from = at + pattern.len();
        }
    }
    replaced.extend_from_slice(text.get(from..).unwrap_or(&[]));
    replaced
}
