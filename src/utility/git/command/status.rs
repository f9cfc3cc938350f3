//! `git status`: in words, short, and in both formats for scripts.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::change::Change;
use crate::utility::git::diff::rename::FULL;
use crate::utility::git::quoting::quote_path;
use crate::utility::git::status::{Ignored, PathStatus, Status, Untracked};
use crate::utility::git::unfinished::Condition;

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "be verbose"),
        Short = flag('s', "short", "show status concisely"),
        Branch = flag('b', "branch", "show branch information"),
        ShowStash = flag('\0', "show-stash", "show stash information"),
        AheadBehind = flag('\0', "ahead-behind", "compute full ahead/behind values"),
        Porcelain = optional('\0', "porcelain", "version", "machine-readable output"),
        Long = flag('\0', "long", "show status in long format (default)"),
        Null = flag('z', "null", "terminate entries with NUL"),
        UntrackedFiles = optional(
            'u',
            "untracked-files",
            "mode",
            "show untracked files, optional modes: all, normal, no. (Default: all)",
        ),
        Ignored = optional('\0', "ignored", "mode", "show ignored files, optional modes: traditional, matching, no"),
        IgnoreSubmodules = optional('\0', "ignore-submodules", "when", "ignore changes to submodules"),
        Column = optional('\0', "column", "style", "list untracked files in columns"),
        Renames = flag('\0', "renames", "detect renames"),
        FindRenames = optional('M', "find-renames", "n", "detect renames, optionally set similarity index"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "status",
    usage: "git status [<options>] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    Long,
    Short,
    First,
    Second,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let layout = match arguments.last_of([Opt::Short, Opt::Porcelain, Opt::Long]) {
        Some(Opt::Short) => Layout::Short,
        Some(Opt::Porcelain) => match arguments.value(Opt::Porcelain).map(Text::as_bytes) {
            None | Some(b"v1" | b"1") => Layout::First,
            Some(b"v2" | b"2") => Layout::Second,
            Some(other) => return Err(fatal!("unsupported porcelain version '{}'", bstr::BStr::new(other))),
        },
        Some(_) => Layout::Long,
        None if arguments.has(Opt::Null) => Layout::First,
        None if git.config.truth("status.short") == Some(true) => Layout::Short,
        None => Layout::Long,
    };
    let for_scripts = matches!(layout, Layout::First | Layout::Second);
    let shows_branch = arguments
        .truth(Opt::Branch)
        .unwrap_or(!for_scripts && git.config.truth("status.branch") == Some(true));
    let configured = git.config.get("status.showuntrackedfiles").map(ToMetered::to_metered);
    let mode = match (arguments.truth(Opt::UntrackedFiles), arguments.value(Opt::UntrackedFiles)) {
        (Some(true), Some(mode)) => Some(mode.to_metered()),
        (Some(true), None) => Some(b"all".to_metered()),
        (Some(false), _) => Some(b"no".to_metered()),
        (None, _) => configured,
    };
    let untracked = match mode.as_deref() {
        None | Some(b"normal") => Untracked::Normal,
        Some(b"all") => Untracked::All,
        Some(b"no") => Untracked::No,
        Some(other) => match crate::utility::git::config::truth(other) {
            Some(false) => Untracked::No,
            Some(true) => Untracked::Normal,
            None => return Err(fatal!("Invalid untracked files mode '{}'", bstr::BStr::new(other))),
        },
    };
    let ignored = match arguments.value(Opt::Ignored).map(Text::as_bytes) {
        _ if !arguments.has(Opt::Ignored) => Ignored::No,
        None | Some(b"traditional") => Ignored::Traditional,
        Some(b"matching") => Ignored::Matching,
        Some(b"no") => Ignored::No,
        Some(other) => return Err(fatal!("Invalid ignored mode '{}'", bstr::BStr::new(other))),
    };
    let renames = arguments.truth(Opt::Renames).unwrap_or(git.config.truth("status.renames") != Some(false));
    let spec = git.pathspec(&arguments.operands)?;
    let status = git.status(&spec, untracked, ignored, renames).await?;
    let printer = Printer {
        ends_in_nul: arguments.has(Opt::Null),
        is_relative: !for_scripts && git.config.truth("status.relativepaths") != Some(false),
    };
    let counts = arguments
        .truth(Opt::AheadBehind)
        .unwrap_or(for_scripts || git.config.truth("status.aheadbehind") != Some(false));
    match layout {
        Layout::Long => long(git, &status, untracked, arguments.count(Opt::Verbose), counts).await?,
        Layout::Second => {
            if shows_branch {
                branch_lines(git, printer.end(), counts).await?;
            }
            if arguments.has(Opt::ShowStash) {
                let count = git.read_log(b"refs/stash")?.len();
                if count > 0 {
                    git.print(format!("# stash {count}").as_bytes()).await?;
                    git.print(&[printer.end()]).await?;
                }
            }
            second(git, &status, &printer).await?;
        }
        Layout::Short | Layout::First => {
            if shows_branch {
                let mut line = branch_line(git, counts).await?;
                line.push(printer.end());
                git.print(&line).await?;
            }
            short(git, &status, &printer).await?;
        }
    }
    Ok(0)
}

struct Printer {
    ends_in_nul: bool,
    is_relative: bool,
}

impl Printer {
    const fn end(&self) -> u8 {
        if self.ends_in_nul { 0 } else { b'\n' }
    }

    fn path(&self, git: &Git, path: &[u8], quotes_blank: bool) -> Vec<u8> {
        if self.ends_in_nul {
            return path.to_metered();
        }
        let shown = if self.is_relative { git.seen_from_here(path) } else { path.to_metered() };
        quote_path(&shown, git.config.truth("core.quotepath") != Some(false), quotes_blank)
    }
}

/// `## main...origin/main [ahead 1]`
async fn branch_line(git: &mut Git, counts: bool) -> Result<Vec<u8>> {
    let mut line: Vec<u8> = b"## ".to_metered();
    let head = git.head_id()?;
    let Some(branch) = git.current_branch()? else {
        line.extend_from_slice(b"HEAD (no branch)");
        return Ok(line);
    };
    if head.is_none() {
        line.extend_from_slice(b"No commits yet on ");
    }
    line.extend_from_slice(&branch);
    let Some(upstream) = git.upstream(&branch) else { return Ok(line) };
    let short = git.shorten(&upstream)?;
    line.extend_from_slice(&[b"...", &short[..]].concat_metered());
    match (head, git.ref_id(&upstream)?) {
        (_, None) => line.extend_from_slice(b" [gone]"),
        (Some(head), Some(other)) => {
            let text = match distance(git, head, other, counts).await? {
                None => " [different]".into(),
                Some((0, 0)) => String::new(),
                Some((ahead, 0)) => format!(" [ahead {ahead}]"),
                Some((0, behind)) => format!(" [behind {behind}]"),
                Some((ahead, behind)) => format!(" [ahead {ahead}, behind {behind}]"),
            };
            line.extend_from_slice(text.as_bytes());
        }
        _ => {}
    }
    Ok(line)
}

async fn short(git: &mut Git, status: &Status, printer: &Printer) -> Result<()> {
    for (path, one) in &status.paths {
        let (x, y) = one.letters(b' ');
        let mut line: Vec<u8> = Vec::from([x, y, b' ']);
        let pair = one.staged.as_ref().or(one.unstaged.as_ref()).filter(|change| change.is_pair());
        match pair {
            Some(change) if printer.ends_in_nul => {
                line.extend_from_slice(&[&path[..], b"\0", &change.old_path].concat_metered());
            }
            Some(change) => {
                line.extend_from_slice(&printer.path(git, &change.old_path, true));
                line.extend_from_slice(b" -> ");
                line.extend_from_slice(&printer.path(git, path, true));
            }
            None => line.extend_from_slice(&printer.path(git, path, true)),
        }
        line.push(printer.end());
        git.print(&line).await?;
    }
    for (sign, paths) in [(b"?? ", &status.untracked), (b"!! ", &status.ignored)] {
        for path in paths {
            let mut line: Vec<u8> = sign.to_metered();
            line.extend_from_slice(&printer.path(git, path, true));
            line.push(printer.end());
            git.print(&line).await?;
        }
    }
    Ok(())
}

/// The `# branch` lines of the second format.
async fn branch_lines(git: &mut Git, end: u8, counts: bool) -> Result<()> {
    let head = git.head_id()?;
    let mut lines: Vec<String> = Vec::new();
    lines.push(format!("# branch.oid {}", head.map_or_else(|| "(initial)".into(), |id| id.hex())));
    let branch = git.current_branch()?;
    let shown = branch.clone().unwrap_or_else(|| Text::from_static(b"(detached)"));
    lines.push(format!("# branch.head {shown}"));
    if let Some(upstream) = branch.and_then(|branch| git.upstream(&branch)) {
        lines.push(format!("# branch.upstream {}", git.shorten(&upstream)?));
        if let (Some(head), Some(other)) = (head, git.ref_id(&upstream)?) {
            lines.push(match distance(git, head, other, counts).await? {
                Some((ahead, behind)) => format!("# branch.ab +{ahead} -{behind}"),
                None => "# branch.ab +? -?".into(),
            });
        }
    }
    for line in lines {
        let mut line = line.into_bytes();
        line.push(end);
        git.print(&line).await?;
    }
    Ok(())
}

async fn second(git: &mut Git, status: &Status, printer: &Printer) -> Result<()> {
    let index = git.read_index().await?;
    let mut last: Vec<Vec<u8>> = Vec::new();
    for (path, one) in &status.paths {
        if one.stages > 0 {
            let (x, y) = one.letters(b'.');
            let mut modes = [0; 4];
            let mut ids = [ObjectId::ZERO; 4];
            for entry in index.entries.get(index.range(path)).unwrap_or(&[]) {
                if let (Some(mode), Some(id)) =
                    (modes.get_mut(usize::from(entry.stage)), ids.get_mut(usize::from(entry.stage)))
                {
                    (*mode, *id) = (entry.mode, entry.id);
                }
            }
            let work = git.work_mode(path)?.unwrap_or(0);
            let ([_, m1, m2, m3], [_, h1, h2, h3]) = (modes, ids);
            let front = format!(
                "u {}{} N... {m1:06o} {m2:06o} {m3:06o} {work:06o} {h1} {h2} {h3} ",
                char::from(x),
                char::from(y)
            );
            let mut line = front.into_bytes();
            line.extend_from_slice(&printer.path(git, path, false));
            line.push(printer.end());
            last.push(line);
            continue;
        }
        let line = changed_line(git, &index, path, one, printer);
        git.print(&line).await?;
    }
    for line in &last {
        git.print(line).await?;
    }
    for (sign, paths) in [(b"? ", &status.untracked), (b"! ", &status.ignored)] {
        for path in paths {
            let mut line: Vec<u8> = sign.to_metered();
            line.extend_from_slice(&printer.path(git, path, false));
            line.push(printer.end());
            git.print(&line).await?;
        }
    }
    Ok(())
}

/// `1 M. N... 100644 100644 100644 ID ID path`
fn changed_line(
    git: &Git,
    index: &crate::utility::git::index::Index,
    path: &Text,
    one: &PathStatus,
    printer: &Printer,
) -> Vec<u8> {
    let (x, y) = one.letters(b'.');
    let entry = index.get(path);
    let in_index = entry.map_or((0, ObjectId::ZERO), |entry| (entry.mode, entry.id));
    let in_index =
        if entry.is_some_and(|entry| entry.intent_to_add) { (0, ObjectId::ZERO) } else { in_index };
    let in_head = match &one.staged {
        Some(change) => (change.old.mode, change.old.id),
        None => in_index,
    };
    let work = match &one.unstaged {
        Some(change) => change.new.mode,
        None => in_index.0,
    };
    let pair = one.staged.as_ref().filter(|change| change.is_pair());
    let front = format!(
        "{} {}{} N... {:06o} {:06o} {work:06o} {} {} ",
        if pair.is_some() { 2 } else { 1 },
        char::from(x),
        char::from(y),
        in_head.0,
        in_index.0,
        in_head.1,
        in_index.1
    );
    let mut line = front.into_bytes();
    if let Some(change) = pair {
        line.extend_from_slice(
            format!("{}{} ", char::from(change.status), change.score * 100 / FULL).as_bytes(),
        );
    }
    line.extend_from_slice(&printer.path(git, path, false));
    if let Some(change) = pair {
        line.push(if printer.ends_in_nul { 0 } else { b'\t' });
        line.extend_from_slice(&printer.path(git, &change.old_path, false));
    }
    line.push(printer.end());
    line
}

/// How many commits a branch has that its upstream lacks, and the other way round; `None` where they differ and are not counted.
async fn distance(
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
pub(super) async fn heading(git: &mut Git, out: &mut String, counts: bool) -> Result<()> {
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

pub(super) async fn long(
    git: &mut Git,
    status: &Status,
    untracked: Untracked,
    verbosity: usize,
    counts: bool,
) -> Result<()> {
    let mut out = String::new();
    heading(git, &mut out, counts).await?;
    let is_initial = git.head_id()?.is_none();
    if is_initial {
        out.push_str("\nNo commits yet\n\n");
    }
    let condition = Condition {
        is_unmerged: status.paths.values().any(|one| one.stages > 0),
        is_dirty: status.paths.values().any(|one| one.unstaged.is_some()),
    };
    out.push_str(&git.unfinished(condition).await?);
    let text = sections(git, status, is_initial);
    out.push_str(&String::from_utf8_lossy(&text));
    let has_hints = git.config.truth("advice.statushints") != Some(false);
    for line in out.as_bytes().split_inclusive(|byte| *byte == b'\n') {
        // Hints stand in lines of their own.
        if has_hints || !line.starts_with(b"  (") {
            git.print(line).await?;
        }
    }
    if verbosity > 1 {
        return Err(fatal!("status -vv is not supported"));
    }
    if verbosity == 1 {
        let mut options = git.diff_defaults();
        options.formats.patch = true;
        let (tree, index) = (git.head_tree().await?, git.read_index().await?);
        let spec = crate::utility::git::pathspec::Pathspec::default();
        let changes = crate::utility::git::diff::files::tree_and_index(git, tree, &index, &spec).await?;
        let changes = git.refine(changes, &options).await?;
        git.print_changes(&changes, &options).await?;
    }
    let has_staged = status.paths.values().any(|one| one.staged.is_some() && one.stages == 0);
    let has_unstaged = status.paths.values().any(|one| one.unstaged.is_some() || one.stages > 0);
    let last = if has_staged {
        ""
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

/// The lists of the long format.
pub(super) fn sections(git: &Git, status: &Status, is_initial: bool) -> Vec<u8> {
    let printer =
        Printer { ends_in_nul: false, is_relative: git.config.truth("status.relativepaths") != Some(false) };
    let mut out: Vec<u8> = Vec::new();
    let item = |git: &Git, change: &Change, out: &mut Vec<u8>| {
        out.push(b'\t');
        out.extend_from_slice(label(change).as_bytes());
        if change.is_pair() {
            out.extend_from_slice(&printer.path(git, &change.old_path, false));
            out.extend_from_slice(b" -> ");
        }
        out.extend_from_slice(&printer.path(git, &change.path, false));
        out.push(b'\n');
    };
    let unstage = if is_initial {
        "  (use \"git rm --cached <file>...\" to unstage)\n"
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
        for path in paths {
            out.extend_from_slice(&[b"\t", &printer.path(git, path, false)[..], b"\n"].concat_metered());
        }
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
