//! The path that a `WorktreeCreate` hook gives (R43, R61).
//!
//! A command gives it as its last line that is not empty; an HTTP hook in its JSON. A relative path is one below the
//! working directory. An absolute one must have no `.` or `..`, and no path may pass a symbolic link below the root: the
//! agent would otherwise work elsewhere than its user was shown.

use super::answer::{ClaudeAnswer, message_of};
use super::printed::without_escapes;
use crate::hook::runner::HookRunner;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::vfs::{FileKind, path};

/// Reads the outcome of a command; any exit status but 0 fails.
pub(super) fn created(outcome: &ScriptOutcome) -> ClaudeAnswer {
    if outcome.status != 0 || outcome.end != Ended::Exited {
        return ClaudeAnswer {
            block: Some(message_of(&outcome.stderr)),
            ..ClaudeAnswer::of("4.3: WorktreeCreate fails")
        };
    }
    let text = without_escapes(&String::from_utf8_lossy(&outcome.stdout));
    let mut answer = ClaudeAnswer::of("R43: the last line is the path");
    match text.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => answer.specific.worktree_path = Some(line.to_owned()),
        None => answer.block = Some("The hook printed no worktree path".to_owned()),
    }
    answer
}

/// Looks at the path that an answer gives: it becomes absolute, or a block that says why not.
pub(super) fn settle(answer: &mut ClaudeAnswer, cwd: &str, host: &dyn HookRunner) {
    let Some(given) = answer.specific.worktree_path.take() else { return };
    match resolve(&given, cwd, host) {
        Ok(path) => answer.specific.worktree_path = Some(path),
        Err(why) => answer.block = Some(why),
    }
}

fn resolve(given: &str, cwd: &str, host: &dyn HookRunner) -> Result<String, String> {
    let is_absolute = given.starts_with('/');
    if is_absolute && path::components(given.as_bytes()).any(|part| matches!(part, b"." | b"..")) {
        return Err(format!("The worktree path {given} has `.` or `..` in it"));
    }
    let whole = path::normalise(&path::join(cwd.as_bytes(), given.as_bytes()));
    if let Some(files) = host.files() {
        let mut so_far = Vec::with_capacity(whole.len());
        for part in path::components(&whole) {
            so_far.push(b'/');
            so_far.extend_from_slice(part);
            match files.symlink_metadata(&so_far) {
                Ok(metadata) if metadata.kind == FileKind::Symlink => {
                    let link = String::from_utf8_lossy(&so_far);
                    return Err(format!("The worktree path {given} passes the symbolic link {link}"));
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
    }
    Ok(String::from_utf8_lossy(&whole).into_owned())
}
