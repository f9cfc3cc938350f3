//! `limit_large_tool_results` (R34): a large result goes whole into a file of the session, the model gets its end.

use super::{BuiltinCall, category};
use crate::hook::dialect::docker_agent::event::EventName;
use crate::text::Text;
use crate::vfs::path;
use serde_json::{Value, json};
use std::borrow::Cow;

const MOST_LINES: usize = 2000;
const MOST_BYTES: usize = 51_200;

/// How many results a session saved.
#[derive(Default)]
struct Saved(u64);

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    if call.event == EventName::SessionEnd {
        remove(call)?;
        return Ok(None);
    }
    if !matches!(category(call), "filesystem" | "shell" | "mcp" | "a2a") {
        return Ok(None);
    }
    let text = match call.payload.get("tool_response") {
        None => return Ok(None),
        Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
        Some(other) => Cow::Owned(other.to_string()),
    };
    let lines = text.lines().count();
    if lines <= MOST_LINES && text.len() <= MOST_BYTES {
        return Ok(None);
    }
    let at = file(call);
    let saved = call.host.write_file(&at, &Text::from(text.as_bytes()));
    let shown = tail(&text);
    let place = match saved {
        Ok(()) => format!("The whole result is in {}.", String::from_utf8_lossy(&at)),
        Err(why) => format!("The whole result could not be saved: {why}."),
    };
    let notice = format!(
        "[The result is too large: {lines} lines, {} bytes. {place} What follows is its end.]\n{shown}",
        text.len()
    );
    Ok(Some(json!({"hook_specific_output": {"updated_tool_response": notice}})))
}

/// The last lines, and of these as much as fits.
fn tail(text: &str) -> &str {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let newline = memchr::memrchr_iter(b'\n', body.as_bytes()).nth(MOST_LINES - 1);
    let mut start = newline.map_or(0, |newline| newline + 1).max(text.len().saturating_sub(MOST_BYTES));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or("")
}

/// `TEMP/docker-agent-results-SESSION`.
fn directory(call: &BuiltinCall<'_>) -> Vec<u8> {
    let session = call.payload.get("session_id").and_then(Value::as_str).unwrap_or_default();
    let name = format!("docker-agent-results-{}", safe(session));
    path::join(call.bundle.settings.temp_dir.as_bytes(), name.as_bytes()).into_std()
}

fn file(call: &BuiltinCall<'_>) -> Vec<u8> {
    let number = call.host.state().with(|saved: &mut Saved| {
        saved.0 = saved.0.saturating_add(1);
        saved.0
    });
    let id = call.payload.get("tool_use_id").and_then(Value::as_str).unwrap_or("result");
    path::join(&directory(call), format!("{number}-{}.txt", safe(id)).as_bytes()).into_std()
}

/// As a part of a file name.
fn safe(text: &str) -> String {
    let keep = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    text.chars().take(80).map(|character| if keep(character) { character } else { '_' }).collect()
}

/// Only plain files are in it; what a script put there beside stays, and the directory with it.
fn remove(call: &BuiltinCall<'_>) -> Result<(), String> {
    let Some(files) = call.host.files() else { return Ok(()) };
    let directory = directory(call);
    let Ok(entries) = files.read_dir(&directory) else { return Ok(()) };
    for entry in entries {
        if !matches!(entry.name.as_bytes(), b"." | b"..") {
            // One that cannot be removed keeps the directory, and that is told.
            let _ = files.remove_file(&path::join(&directory, &entry.name));
        }
    }
    files.remove_dir(&directory).map_err(|why| format!("{}: {why}", String::from_utf8_lossy(&directory)))
}
