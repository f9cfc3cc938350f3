//! Built-ins that tell the model about the session: the date, files with instructions, what lies in the working directory.

use super::{BuiltinCall, context};
use crate::vfs::{FileSystem, path};
use serde_json::Value;
use std::sync::Arc;

/// Names of a directory that are listed.
const MOST_NAMES: usize = 100;
/// All prompt files together, in bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Directories above the working directory that are searched.
const MOST_LEVELS: usize = 256;

/// `Today's date: 2026-05-28`, in the zone of the session's `TZ`.
#[expect(clippy::unnecessary_wraps, reason = "a row of a table")]
pub(super) fn date(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let seconds = i64::try_from(call.now.as_secs()).unwrap_or(i64::MAX);
    let stamp = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::MAX);
    let name = call.variable(b"TZ").map(|name| name.to_string_lossy().into_owned());
    let zone = name.and_then(|name| jiff::tz::TimeZone::get(name.trim_start_matches(':')).ok());
    let day = stamp.to_zoned(zone.unwrap_or(jiff::tz::TimeZone::UTC)).date();
    Ok(Some(context(&format!("Today's date: {day}"))))
}

fn files<'a>(call: &BuiltinCall<'a>) -> Result<&'a Arc<FileSystem>, String> {
    call.host.files().ok_or_else(|| format!("{}: this session has no files", call.name))
}

/// The contents of each named file: the nearest one from the working directory upwards, then the one in the home directory.
pub(super) fn prompt_files(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let files = files(call)?;
    let home = call.variable(b"HOME").map(|home| home.to_vec());
    let mut texts: Vec<String> = Vec::new();
    let mut left = MOST_BYTES;
    for name in call.args {
        let above = nearest(call.cwd, name.as_bytes(), |at| is_file(files, at));
        let at_home =
            home.as_deref().map(|home| path::normalise(&path::join(home, name.as_bytes())).into_std());
        let at_home = at_home.filter(|at| Some(at) != above.as_ref() && is_file(files, at));
        for at in above.into_iter().chain(at_home) {
            let size = files.metadata(&at).map_or(u64::MAX, |metadata| metadata.size);
            left = left.checked_sub(size).ok_or("the prompt files are longer than 1 MiB together")?;
            let content =
                files.read(&at).map_err(|why| format!("{}: {why}", String::from_utf8_lossy(&at)))?;
            texts.push(String::from_utf8_lossy(&content).trim_end().to_owned());
        }
    }
    texts.retain(|text| !text.is_empty());
    Ok((!texts.is_empty()).then(|| context(&texts.join("\n\n"))))
}

fn is_file(files: &FileSystem, at: &[u8]) -> bool {
    files.metadata(at).is_ok_and(|metadata| metadata.is_regular())
}

/// The path of this name in a directory, or in one above it, that is what is wanted.
pub(super) fn nearest(from: &[u8], name: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut directory = path::normalise(from).into_std();
    for _ in 0..MOST_LEVELS {
        let at = path::normalise(&path::join(&directory, name));
        if is_wanted(&at) {
            return Some(at.into_std());
        }
        let (parent, _) = path::split_last(&directory)?;
        if parent == directory.as_slice() {
            return None;
        }
        directory = parent.to_vec();
    }
    None
}

/// Names in the working directory, sorted, one a line.
pub(super) fn directory_listing(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let files = files(call)?;
    let entries =
        files.read_dir(call.cwd).map_err(|why| format!("{}: {why}", String::from_utf8_lossy(call.cwd)))?;
    let mut names: Vec<_> =
        entries.into_iter().map(|entry| entry.name).filter(|name| !name.starts_with(b".")).collect();
    names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let mut lines: Vec<_> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if more > 0 {
        lines.push(format!("... and {more} more"));
    }
    Ok((!lines.is_empty()).then(|| context(&lines.join("\n"))))
}
