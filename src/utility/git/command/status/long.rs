//! `git status` in words.

use super::{LongView, Printer};
use crate::memory::format;
use crate::utility::git::command::prelude::*;
use crate::utility::git::diff::change::Change;
use crate::utility::git::status::{Status, Untracked};
use crate::utility::git::unfinished::Condition;

/// How many commits a branch has that its upstream lacks, and the other way round; `None` where they differ and are not counted.
pub(super) async fn distance(
    git: &mut Git,
    head: ObjectId,
    upstream: ObjectId,
    counts: bool,
) -> Result<Option<(usize, usize)>> {
    match head == upstream {
        true => Ok(Some((0, 0))),
        false if counts => git.ahead_behind(head, upstream).await.map(Some),
        false => Ok(None),
    }
}

/// What the branch is and how it stands to its upstream.
pub(in crate::utility::git::command) async fn heading(
    git: &mut Git,
    out: &mut String,
    counts: bool,
) -> Result<()> {
    let head = git.head_id()?;
    let Some(branch) = git.current_branch()? else {
        if let Some(text) = git.rebase_heading()? {
            out.push_str(&text);
            return Ok(());
        }
        match git.detached_at().await? {
            Some((is_exact, name)) => {
                out.push_str(&format!("HEAD detached {} {name}\n", if is_exact { "at" } else { "from" }));
            }
            None => out.push_str("Not currently on any branch.\n"),
        }
        return Ok(());
    };
    out.push_str(&format!("On branch {branch}\n"));
    let Some(upstream) = git.upstream(&branch) else { return Ok(()) };
    let short = git.shorten(&upstream)?;
    let Some(other) = git.ref_id(&upstream)? else {
        out.push_str(&format!(
            "Your branch is based on '{short}', but the upstream is gone.\n  (use \"git branch --unset-upstream\" to fixup)\n\n"
        ));
        return Ok(());
    };
    let Some(head) = head else { return Ok(()) };
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    out.push_str(&match distance(git, head, other, counts).await? {
        Some((0, 0)) => format!("Your branch is up to date with '{short}'.\n\n"),
        Some((ahead, 0)) => format!(
            "Your branch is ahead of '{short}' by {ahead} commit{}.\n  (use \"git push\" to publish your local commits)\n\n",
            plural(ahead)
        ),
        Some((0, behind)) => format!(
            "Your branch is behind '{short}' by {behind} commit{}, and can be fast-forwarded.\n  (use \"git pull\" to update \
your local branch)\n\n",
            plural(behind)
        ),
        Some((ahead, behind)) => format!(
            "Your branch and '{short}' have diverged,\nand have {ahead} and {behind} different commits each, respectively.\n  \
(use \"git pull\" if you want to integrate the remote branch with yours)\n\n"
        ),
        None => format!(
            "Your branch and '{short}' refer to different commits.\n  (use \"git status --ahead-behind\" for details)\n\n"
        ),
    });
    Ok(())
}

fn label(change: &Change) -> &'static str {
    match change.status {
        b'A' => "new file:   ",
        b'D' => "deleted:    ",
        b'R' => "renamed:    ",
        b'C' => "copied:     ",
        b'T' => "typechange: ",
        _ => "modified:   ",
    }
}

/// Prints the long format.
pub(in crate::utility::git::command) async fn long(
    git: &mut Git,
    status: &Status,
    view: &LongView,
) -> Result<()> {
    let mut out = String::new();
    heading(git, &mut out, view.counts).await?;
    let is_initial = match view.amends {
        Some(is_root) => is_root,
        None => git.head_id()?.is_none(),
    };
    if is_initial {
        let words = if view.is_commit { "Initial commit" } else { "No commits yet" };
        out.push_str(&format!("\n{words}\n\n"));
    }
    let condition = Condition {
        is_unmerged: status.paths.values().any(|one| one.stages > 0),
        is_dirty: status.paths.values().any(|one| one.unstaged.is_some()),
    };
    out.push_str(&git.unfinished(condition).await?);
    let text = sections(git, status, is_initial, view);
    out.push_str(&String::from_utf8_lossy(&text));
    let has_hints = git.config.truth("advice.statushints") != Some(false);
    for line in out.as_bytes().split_inclusive(|byte| *byte == b'\n') {
        // Hints stand in lines of their own.
        if has_hints || !line.starts_with(b"  (") {
            git.print(line).await?;
        }
    }
    if view.verbosity > 1 {
        return Err(fatal!("status -vv is not supported"));
    }
    if view.verbosity == 1 {
        print_staged(git, view).await?;
    }
    let untracked = view.untracked;
    let has_staged = status.paths.values().any(|one| one.staged.is_some() && one.stages == 0);
    let has_unstaged = status.paths.values().any(|one| one.unstaged.is_some() || one.stages > 0);
    let last = if has_staged {
        ""
    } else if view.amends.is_some() {
        "No changes\n"
    } else if has_unstaged {
        "no changes added to commit (use \"git add\" and/or \"git commit -a\")\n"
    } else if !status.untracked.is_empty() {
        "nothing added to commit but untracked files present (use \"git add\" to track)\n"
    } else if is_initial {
        "nothing to commit (create/copy files and use \"git add\" to track)\n"
    } else if untracked == Untracked::No {
        "nothing to commit (use -u to show untracked files)\n"
    } else {
        "nothing to commit, working tree clean\n"
    };
    if untracked == Untracked::No && has_staged {
        let hint = if has_hints { " (use -u option to show untracked files)" } else { "" };
        git.print(format!("Untracked files not listed{hint}\n").as_bytes()).await?;
    }
    let last = match last.split_once(" (") {
        Some((last, _)) if !has_hints => format!("{last}\n"),
        _ => last.into(),
    };
    git.print(last.as_bytes()).await
}

/// Prints the changes that would be committed.
async fn print_staged(git: &mut Git, view: &LongView) -> Result<()> {
    let mut options = git.diff_defaults();
    options.formats.patch = true;
    let spec = crate::utility::git::pathspec::Pathspec::default();
    let (tree, index) = match &view.compared {
        Some((tree, index)) => (*tree, index.clone()),
        None => (git.head_tree().await?, git.read_index().await?),
    };
    let changes = crate::utility::git::diff::files::tree_and_index(git, tree, &index, &spec).await?;
    let changes = git.refine(changes, &options).await?;
    git.print_changes(&changes, &options).await
}

/// The lists of the long format.
fn sections(git: &Git, status: &Status, is_initial: bool, view: &LongView) -> Vec<u8> {
    let printer = Printer {
        ends_in_nul: false,
        is_relative: git.config.truth("status.relativepaths") != Some(false),
        is_for_scripts: false,
    };
    let mut out: Vec<u8> = Vec::new();
    let item = |git: &Git, change: &Change, out: &mut Vec<u8>| {
        out.push(b'\t');
        out.extend_from_slice(label(change).as_bytes());
        if change.is_pair() {
            out.extend_from_slice(&printer.path(git, &change.old_path, false));
            out.extend_from_slice(b" -> ");
        }
        out.extend_from_slice(&printer.path(git, &change.path, false));
        out.extend_from_slice(&change.dirt.remark());
        out.push(b'\n');
    };
    let unstage = if is_initial {
        "  (use \"git rm --cached <file>...\" to unstage)\n"
    } else if view.amends.is_some() {
        "  (use \"git restore --source=HEAD^1 --staged <file>...\" to unstage)\n"
    } else {
        "  (use \"git restore --staged <file>...\" to unstage)\n"
    };
    if status.paths.values().any(|one| one.staged.is_some() && one.stages == 0) {
        out.extend_from_slice(b"Changes to be committed:\n");
        if !git.is_concluding() {
            out.extend_from_slice(unstage.as_bytes());
        }
        for one in status.paths.values().filter(|one| one.stages == 0) {
            if let Some(change) = &one.staged {
                item(git, change, &mut out);
            }
        }
        out.push(b'\n');
    }
    if status.paths.values().any(|one| one.stages > 0) {
        out.extend_from_slice(b"Unmerged paths:\n");
        out.extend_from_slice(if is_initial || git.is_concluding() {
            b""
        } else {
            b"  (use \"git restore --staged <file>...\" to unstage)\n"
        });
        out.extend_from_slice(how_to_resolve(status).as_bytes());
        for (path, one) in status.paths.iter().filter(|(_, one)| one.stages > 0) {
            let words = match one.conflict() {
                Some((b'D', b'D')) => "both deleted:    ",
                Some((b'A', b'U')) => "added by us:     ",
                Some((b'U', b'D')) => "deleted by them: ",
                Some((b'U', b'A')) => "added by them:   ",
                Some((b'D', b'U')) => "deleted by us:   ",
                Some((b'A', b'A')) => "both added:      ",
                _ => "both modified:   ",
            };
            out.extend_from_slice(
                &[b"\t", words.as_bytes(), &printer.path(git, path, false)[..], b"\n"].concat_metered(),
            );
        }
        out.push(b'\n');
    }
    if status.paths.values().any(|one| one.unstaged.is_some()) {
        let has_deleted = status
            .paths
            .values()
            .any(|one| one.unstaged.as_ref().is_some_and(|change| change.status == b'D'));
        let add = if has_deleted { "add/rm" } else { "add" };
        out.extend_from_slice(b"Changes not staged for commit:\n");
        out.extend_from_slice(
            format!("  (use \"git {add} <file>...\" to update what will be committed)\n").as_bytes(),
        );
        out.extend_from_slice(b"  (use \"git restore <file>...\" to discard changes in working directory)\n");
        let is_dirty = |change: &Change| change.dirt.is_modified || change.dirt.has_untracked;
        if status.paths.values().any(|one| one.unstaged.as_ref().is_some_and(is_dirty)) {
            out.extend_from_slice(b"  (commit or discard the untracked or modified content in submodules)\n");
        }
        for one in status.paths.values() {
            if let Some(change) = &one.unstaged {
                item(git, change, &mut out);
            }
        }
        out.push(b'\n');
    }
    for (title, hint, paths) in [
        (
            "Untracked files:",
            "  (use \"git add <file>...\" to include in what will be committed)\n",
            &status.untracked,
        ),
        (
            "Ignored files:",
            "  (use \"git add -f <file>...\" to include in what will be committed)\n",
            &status.ignored,
        ),
    ] {
        if paths.is_empty() {
            continue;
        }
        out.extend_from_slice(title.as_bytes());
        out.push(b'\n');
        out.extend_from_slice(hint.as_bytes());
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| printer.path(git, path, false)).collect();
        let lines = view.columns.lay_out(&paths, b"\t", 1, git.terminal_columns());
        out.extend_from_slice(&lines);
        out.push(b'\n');
    }
    out
}

/// What is to be done about conflicts, by their kinds.
fn how_to_resolve(status: &Status) -> &'static str {
    let stages = |wanted: &[u8]| status.paths.values().any(|one| wanted.contains(&(one.stages >> 1)));
    match (stages(&[1]), stages(&[3, 5]), stages(&[2, 4, 6, 7])) {
        (false, false, _) => "  (use \"git add <file>...\" to mark resolution)\n",
        (true, false, false) => "  (use \"git rm <file>...\" to mark resolution)\n",
        _ => "  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n",
    }
}

impl Git {
    /// From where `HEAD` was detached, and whether it is still there.
    pub(crate) async fn detached_at(&mut self) -> Result<Option<(bool, Text)>> {
        let entries = self.read_log(b"HEAD")?;
        let Some(entry) =
            entries.iter().rev().find(|entry| entry.message.starts_with(b"checkout: moving from "))
        else {
            return Ok(None);
        };
        let Some(at) = memchr::memmem::rfind(&entry.message, b" to ") else { return Ok(None) };
        let target = entry.message.get(at + 4..).unwrap_or(&[]);
        let is_exact = self.head_id()? == Some(entry.new);
        // `HEAD` is what it was then.
        let found = if target == b"HEAD" { None } else { self.find_ref(target)? };
        let name = match found {
            Some((full, id)) if self.peel(id, Kind::Commit).await? == Some(entry.new) => {
                let short = full.strip_prefix(b"refs/tags/").or_else(|| full.strip_prefix(b"refs/remotes/"));
                Text::from(short.unwrap_or(&full))
            }
            _ => self.abbreviate(&entry.new, None)?,
        };
        Ok(Some((is_exact, name)))
    }
}
