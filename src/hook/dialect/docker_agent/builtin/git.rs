//! Built-ins that show the model a repository: they run the `git` of the session, which a host or a fixture brings. Without a
//! repository they say nothing; without a `git` they fail and say so.

/// Commits that are shown where no number is given.
const COMMITS: u32 = 10;

/// `git status --short --branch`
pub(super) fn status(_: &[String]) -> String {
    script("status --short --branch")
}

/// What changed since the last commit: a summary, or all of it with `full`.
pub(super) fn diff(args: &[String]) -> String {
    let is_full = args.first().is_some_and(|arg| arg == "full");
    script(if is_full { "diff" } else { "diff --stat" })
}

/// The last commits, a line each.
pub(super) fn recent_commits(args: &[String]) -> String {
    let wanted = args.first().and_then(|count| count.trim().parse().ok()).filter(|count| *count > 0);
    script(&format!("log --oneline -n {}", wanted.unwrap_or(COMMITS)))
}

/// Runs one command of git. Its statuses 128 and 129 are that there is no repository, or no commit; of a missing git it is 127.
fn script(command: &str) -> String {
    format!(
        "shown=$(git {command} 2>&1)\n\
         status=$?\n\
         case $status in\n\
         0) printf '%s' \"$shown\" ;;\n\
         128 | 129) ;;\n\
         *) printf '%s\\n' \"$shown\" >&2; exit $status ;;\n\
         esac\n"
    )
}
