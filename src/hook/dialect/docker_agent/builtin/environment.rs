//! Built-ins that tell the model where it runs and for whom, as far as the session knows.

use super::workspace::nearest;
use super::{BuiltinCall, context};
use serde_json::Value;

/// Longest file of users that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The working directory, whether it is in a repository, the system and its architecture: those that `uname` of a session says.
#[expect(clippy::unnecessary_wraps, reason = "a row of a table")]
pub(super) fn surroundings(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let directory = String::from_utf8_lossy(call.cwd);
    // A `.git` is a directory, or a file of a linked work tree.
    let is_there = |at: &[u8]| call.host.files().is_some_and(|files| files.metadata(at).is_ok());
    let repository = nearest(call.cwd, b".git", is_there).map_or("no", |_| "yes");
    Ok(Some(context(&format!(
        "Working directory: {directory}\nGit repository: {repository}\nOperating system: Linux\nArchitecture: x86_64"
    ))))
}

/// User name, full name and host name, a line each; nothing where none is known.
#[expect(clippy::unnecessary_wraps, reason = "a row of a table")]
pub(super) fn user(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let variable = |name: &[u8]| call.variable(name).map(|text| text.to_string_lossy().into_owned());
    let known = |text: String| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let home = variable(b"HOME").and_then(known);
    let by_name = variable(b"USER").or_else(|| variable(b"LOGNAME")).and_then(known);
    let entry = entry(call, by_name.as_deref(), home.as_deref());
    let (name, full_name) = entry.map_or((by_name, None), |(name, full)| (Some(name), known(full)));
    let host = variable(b"HOSTNAME").and_then(known).or_else(|| file(call, b"/etc/hostname").and_then(known));
    let lines: Vec<_> = [("User", name), ("Full name", full_name), ("Host", host)]
        .into_iter()
        .filter_map(|(title, text)| Some(format!("{title}: {}", text?)))
        .collect();
    Ok((!lines.is_empty()).then(|| context(&lines.join("\n"))))
}

fn file(call: &BuiltinCall<'_>, at: &[u8]) -> Option<String> {
    let files = call.host.files()?;
    files.metadata(at).ok().filter(|metadata| metadata.size <= MOST_BYTES)?;
    Some(String::from_utf8_lossy(&files.read(at).ok()?).into_owned())
}

/// Name and full name of the user of this name, or of this home directory, in the file of users.
fn entry(call: &BuiltinCall<'_>, name: Option<&str>, home: Option<&str>) -> Option<(String, String)> {
    let users = file(call, b"/etc/passwd")?;
    users.lines().find_map(|line| {
        let fields: Vec<_> = line.split(':').collect();
        let [user, _, _, _, full, at, ..] = fields.as_slice() else { return None };
        let is_wanted = match name {
            Some(name) => *user == name,
            None => home == Some(*at),
        };
        // What stands after a comma is a room and telephones.
        is_wanted.then(|| ((*user).to_owned(), full.split(',').next().unwrap_or_default().to_owned()))
    })
}
