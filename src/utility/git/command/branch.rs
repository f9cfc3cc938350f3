//! `git branch`: branches are listed, made, renamed and removed.

use super::for_each_ref::{Fields, sort};
use super::prelude::*;
use crate::memory::format;
use crate::utility::git::columns::ColumnMode;
use crate::utility::git::object::commit::message;
use crate::utility::git::pretty::subject;
use crate::utility::git::refs::is_valid_name;
use crate::utility::ignore::wildmatch::matches;

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "show hash and subject, give twice for upstream branch"),
        Quiet = flag('q', "quiet", "suppress informational messages"),
        Track = optional('t', "track", "mode", "set branch tracking configuration"),
        SetUpstreamTo = value('u', "set-upstream-to", "upstream", "change the upstream info"),
        UnsetUpstream = flag('\0', "unset-upstream", "unset the upstream info"),
        Color = optional('\0', "color", "when", "use colored output; refused where it is asked for"),
        Remotes = flag('r', "remotes", "act on remote-tracking branches"),
        Contains = value('\0', "contains", "commit", "print only branches that contain the commit"),
        NoContains = value('\0', "no-contains", "commit", "print only branches that don't contain the commit"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        All = flag('a', "all", "list both remote-tracking and local branches"),
        Delete = flag('d', "delete", "delete fully merged branch"),
        ForceDelete = flag('D', "", "delete branch (even if not merged)"),
        Move = flag('m', "move", "move/rename a branch and its reflog"),
        ForceMove = flag('M', "", "move/rename a branch, even if target exists"),
        Copy = flag('c', "copy", "copy a branch and its reflog"),
        ForceCopy = flag('C', "", "copy a branch, even if target exists"),
        List = flag('l', "list", "list branch names"),
        ShowCurrent = flag('\0', "show-current", "show current branch name"),
        CreateReflog = flag('\0', "create-reflog", "create the branch's reflog"),
        Force = flag('f', "force", "force creation, move/rename, deletion"),
        Merged = optional('\0', "merged", "commit", "print only branches that are merged"),
        NoMerged = optional('\0', "no-merged", "commit", "print only branches that are not merged"),
        Column = optional('\0', "column", "style", "list branches in columns"),
        Sort = value('\0', "sort", "key", "field name to sort on"),
        PointsAt = value('\0', "points-at", "object", "print only branches of the object"),
        IgnoreCase = flag('i', "ignore-case", "sorting and filtering are case insensitive"),
        Format = value('\0', "format", "format", "format to use for the output"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "branch",
    usage: "git branch [<options>] [-r | -a] [--merged] [--no-merged]\ngit branch [<options>] [-f] <branch-name> [<start-point>]\n\
git branch [<options>] [-r] (-d | -D) <branch-name>...\ngit branch [<options>] (-m | -M) [<old-branch>] <new-branch>\n\
git branch [<options>] (-c | -C) [<old-branch>] <new-branch>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    arguments.refuse_color(Opt::Color)?;
    let columns = git.column_mode(&arguments, Opt::Column, "branch")?;
    if arguments.has(Opt::Verbose) && columns.is_asked_for {
        return Err(fatal!("options '--column' and '--verbose' cannot be used together"));
    }
    let operands = arguments.operands.clone();
    if arguments.has(Opt::ShowCurrent) {
        if let Some(branch) = git.current_branch()? {
            git.print(&[&branch[..], b"\n"].concat_metered()).await?;
        }
        return Ok(0);
    }
    if arguments.has(Opt::Delete) || arguments.has(Opt::ForceDelete) {
        return delete(git, &arguments, &operands).await;
    }
    let renaming = [(Opt::Move, Opt::ForceMove, false), (Opt::Copy, Opt::ForceCopy, true)];
    for (soft, hard, is_copy) in renaming {
        if arguments.has(soft) || arguments.has(hard) {
            return rename(git, &operands, arguments.has(hard) || arguments.has(Opt::Force), is_copy);
        }
    }
    if arguments.has(Opt::UnsetUpstream) || arguments.value(Opt::SetUpstreamTo).is_some() {
        return set_upstream(git, &arguments, &operands).await;
    }
    let lists = arguments.has_any([
        Opt::List,
        Opt::Remotes,
        Opt::All,
        Opt::Contains,
        Opt::NoContains,
        Opt::Merged,
        Opt::NoMerged,
        Opt::PointsAt,
        Opt::Format,
    ]);
    if lists || operands.is_empty() {
        return list(git, &arguments, &operands, columns).await;
    }
    create(git, &arguments, &operands).await
}

/// The full name of a branch, if it may have it.
fn branch_name(git: &mut Git, name: &[u8]) -> Result<Text> {
    let name = match name.strip_prefix(b"@{-").and_then(|rest| rest.strip_suffix(b"}")) {
        Some(digits) => {
            let count = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(1);
            git.previous_branch(count)?.unwrap_or_default()
        }
        None => Text::from(name),
    };
    let full = Text::from([&b"refs/heads/"[..], &name].concat_metered());
    if name.starts_with(b"-") || *name == *b"HEAD" || !is_valid_name(&full) {
        return Err(fatal!(
            "'{name}' is not a valid branch name\nhint: See `man git check-ref-format`\nhint: Disable this message with \"git config advice.refSyntax false\""
        ));
    }
    Ok(full)
}

async fn create(git: &mut Git, arguments: &Arguments<Opt>, operands: &[Text]) -> Result<u8> {
    let (name, start) = match operands {
        [name] => (name, git.current_branch()?.unwrap_or_else(|| Text::from_static(b"HEAD"))),
        [name, start] => (name, start.clone()),
        _ => return Err(COMMAND.usage_error()),
    };
    let options = BranchOptions {
        tracks: arguments.truth(Opt::Track),
        is_quiet: arguments.has(Opt::Quiet),
        is_logged: arguments.has(Opt::CreateReflog),
    };
    git.make_branch(name, &start, arguments.has(Opt::Force), options).await?;
    Ok(0)
}

/// How a branch is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct BranchOptions {
    /// Whether it follows the branch that it starts from; `None`: as configured.
    pub(super) tracks: Option<bool>,
    pub(super) is_quiet: bool,
    /// Whether it gets a log where others have none.
    pub(super) is_logged: bool,
}

impl Git {
    /// Makes a branch; its full name and commit.
    pub(super) async fn make_branch(
        &mut self,
        name: &[u8],
        start: &[u8],
        is_forced: bool,
        options: BranchOptions,
    ) -> Result<(Text, ObjectId)> {
        let full = branch_name(self, name)?;
        let exists = self.ref_id(&full)?.is_some();
        let shown = bstr::BStr::new(name);
        if exists && !is_forced {
            return Err(fatal!("a branch named '{shown}' already exists"));
        }
        if exists && self.head_ref()?.as_ref() == Some(&full) {
            let tree = self.repo.work_tree.clone().unwrap_or_default();
            return Err(fatal!(
                "cannot force update the branch '{shown}' used by worktree at '{}'",
                bstr::BStr::new(&tree)
            ));
        }
        let start_shown = bstr::BStr::new(start);
        let id = match self.resolve(start).await? {
            Some(id) => self.peel(id, Kind::Commit).await?,
            None => None,
        };
        let Some(id) = id else {
            if start == b"HEAD"
                && let Some(branch) = self.current_branch()?
            {
                return Err(fatal!("not a valid object name: '{branch}'"));
            }
            return Err(fatal!("not a valid object name: '{start_shown}'"));
        };
        let message = format!("branch: {} {start_shown}", if exists { "Reset to" } else { "Created from" });
        if options.is_logged {
            self.create_log(&full)?;
        }
        self.update_ref(&full, id, message.as_bytes())?;
        let source = self.find_ref(start)?.map(|found| found.0);
        let from_remote = source.as_ref().is_some_and(|source| source.starts_with(b"refs/remotes/"));
        let wanted = match options.tracks {
            Some(wanted) => wanted,
            None => from_remote && self.config.truth("branch.autosetupmerge") != Some(false),
        };
        if let Some(source) = source.filter(|_| wanted) {
            self.follow_upstream(name, &source)?;
            let upstream = self.shorten(&source)?;
            if !options.is_quiet {
                let text = format!("branch '{shown}' set up to track '{upstream}'.\n");
                self.ctx.stdout.push(text.as_bytes());
            }
        }
        Ok((full, id))
    }

    /// Writes down which ref a branch follows.
    fn follow_upstream(&mut self, branch: &[u8], source: &[u8]) -> Result<()> {
        let (remote, merge) = match source.strip_prefix(b"refs/remotes/") {
            Some(rest) => {
                let slash = memchr::memchr(b'/', rest).unwrap_or(rest.len());
                let (remote, name) =
                    (rest.get(..slash).unwrap_or(rest), rest.get(slash + 1..).unwrap_or(&[]));
                (remote, [&b"refs/heads/"[..], name].concat_metered())
            }
            None => (&b"."[..], source.to_metered()),
        };
        for (key, value) in [("remote", remote), ("merge", &merge)] {
            let name = [b"branch.", branch, b".", key.as_bytes()].concat_metered();
            self.set_local(&name, value)?;
        }
        self.read_config()
    }
}

async fn delete(git: &mut Git, arguments: &Arguments<Opt>, operands: &[Text]) -> Result<u8> {
    if operands.is_empty() {
        return Err(fatal!("branch name required"));
    }
    let is_forced = arguments.has(Opt::ForceDelete) || arguments.has(Opt::Force);
    let is_remote = arguments.has(Opt::Remotes);
    let mut status = 0;
    for name in operands {
        let full = if is_remote {
            Text::from([&b"refs/remotes/"[..], name].concat_metered())
        } else {
            branch_name(git, name)?
        };
        let shown = full.get(if is_remote { 13 } else { 11 }..).map(Text::from).unwrap_or_default();
        let Some(id) = git.ref_id(&full)? else {
            let kind = if is_remote { "remote-tracking branch" } else { "branch" };
            git.say(&format!("error: {kind} '{shown}' not found"));
            status = 1;
            continue;
        };
        if git.head_ref()?.as_ref() == Some(&full) {
            let tree = git.repo.work_tree.clone().unwrap_or_default();
            git.say(&format!(
                "error: cannot delete branch '{shown}' used by worktree at '{}'",
                bstr::BStr::new(&tree)
            ));
            status = 1;
            continue;
        }
        if !is_forced && !is_remote {
            let upstream = git.upstream(&shown);
            let base = match upstream {
                Some(upstream) => git.ref_id(&upstream)?,
                None => None,
            };
            let base = match base {
                Some(base) => Some(base),
                None => git.head_id()?,
            };
            let is_merged = match base {
                Some(base) => git.is_ancestor(id, base).await?,
                None => false,
            };
            if !is_merged {
                git.say(&format!("error: the branch '{shown}' is not fully merged"));
                git.say(&format!("hint: If you are sure you want to delete it, run 'git branch -D {shown}'"));
                git.say("hint: Disable this message with \"git config advice.forceDeleteBranch false\"");
                status = 1;
                continue;
            }
        }
        git.delete_ref(&full)?;
        git.drop_section(&[&b"branch."[..], &shown, b"."].concat_metered())?;
        if !arguments.has(Opt::Quiet) {
            let kind = if is_remote { "remote-tracking branch" } else { "branch" };
            let short = git.abbreviate(&id, None)?;
            git.print(format!("Deleted {kind} {shown} (was {short}).\n").as_bytes()).await?;
        }
    }
    Ok(status)
}

fn rename(git: &mut Git, operands: &[Text], is_forced: bool, is_copy: bool) -> Result<u8> {
    let (old, new) = match operands {
        [new] => match git.current_branch()? {
            Some(branch) => (branch, new.clone()),
            None => return Err(fatal!("cannot rename the current branch while not on any")),
        },
        [old, new] => (old.clone(), new.clone()),
        _ => return Err(fatal!("branch name required")),
    };
    let (from, to) = (Text::from([&b"refs/heads/"[..], &old].concat_metered()), branch_name(git, &new)?);
    let is_current = git.head_ref()?.as_ref() == Some(&from);
    let Some(id) = git.ref_id(&from)? else {
        if is_current && !is_copy {
            git.write_symbolic(b"HEAD", &to, None)?;
            return Ok(0);
        }
        return Err(fatal!("no branch named '{old}'"));
    };
    if git.ref_id(&to)?.is_some() && !is_forced && from != to {
        return Err(fatal!("a branch named '{new}' already exists"));
    }
    let log = git.read_log(&from)?;
    if !is_copy && from != to {
        git.delete_ref(&from)?;
    }
    git.write_ref(&to, id)?;
    if !log.is_empty() {
        let folder = git.ref_path(&[&b"logs/"[..], crate::utility::file::parent(&to)].concat_metered());
        git.fs().create_dir_all(&folder, 0o755)?;
        git.write_log(&to, &log)?;
    }
    let word = if is_copy { "copied" } else { "renamed" };
    let message = format!("Branch: {word} {from} to {to}");
    git.detach(&to, id, message.as_bytes())?;
    if is_current && !is_copy {
        git.write_symbolic(b"HEAD", &to, Some(message.as_bytes()))?;
    }
    for key in ["remote", "merge"] {
        if let Some(value) = git.config.get_in("branch", &old, key).map(ToMetered::to_metered) {
            git.set_local(&[b"branch.", &new[..], b".", key.as_bytes()].concat_metered(), &value)?;
        }
    }
    if !is_copy && from != to {
        git.drop_section(&[&b"branch."[..], &old, b"."].concat_metered())?;
    }
    Ok(0)
}

async fn set_upstream(git: &mut Git, arguments: &Arguments<Opt>, operands: &[Text]) -> Result<u8> {
    let branch = match operands.first() {
        Some(branch) => branch.clone(),
        None => match git.current_branch()? {
            Some(branch) => branch,
            None => {
                return Err(fatal!("could not set upstream of HEAD when it does not point to any branch"));
            }
        },
    };
    if arguments.has(Opt::UnsetUpstream) {
        if git.upstream(&branch).is_none() {
            return Err(fatal!("branch '{branch}' has no upstream information"));
        }
        git.drop_section(&[&b"branch."[..], &branch, b"."].concat_metered())?;
        return Ok(0);
    }
    let upstream = arguments.value(Opt::SetUpstreamTo).cloned().unwrap_or_default();
    if git.ref_id(&[&b"refs/heads/"[..], &branch].concat_metered())?.is_none() {
        return Err(fatal!("branch '{branch}' does not exist"));
    }
    let Some((source, _)) = git.find_ref(&upstream)? else {
        return Err(fatal!("the requested upstream branch '{upstream}' does not exist"));
    };
    git.follow_upstream(&branch, &source)?;
    if arguments.has(Opt::Quiet) {
        return Ok(0);
    }
    let short = git.shorten(&source)?;
    git.print(format!("branch '{branch}' set up to track '{short}'.\n").as_bytes()).await?;
    Ok(0)
}

/// A line of the list.
struct Row {
    is_current: bool,
    shown: Text,
    full: Option<Text>,
    id: ObjectId,
}

async fn list(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    patterns: &[Text],
    columns: ColumnMode,
) -> Result<u8> {
    let rows = rows(git, arguments, patterns).await?;
    let width = rows.iter().map(|row| String::from_utf8_lossy(&row.shown).chars().count()).max().unwrap_or(0);
    let is_verbose = arguments.has(Opt::Verbose);
    let abbreviation = if is_verbose { abbreviation(arguments)? } else { None };
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for row in &rows {
        let line = match arguments.value(Opt::Format).cloned() {
            Some(format) => {
                let name = row.full.clone().unwrap_or_else(|| row.shown.clone());
                let fields = Fields { name: &name, id: row.id, is_head: row.is_current };
                git.format_ref(&format, &fields).await?
            }
            None if is_verbose => {
                let mut line = front(row);
                let length = String::from_utf8_lossy(&row.shown).chars().count();
                line.resize_by(width - length + 1, b' ');
                let shows_upstream = arguments.count(Opt::Verbose) > 1;
                line.extend_from_slice(&verbose(git, row, shows_upstream, abbreviation).await?);
                line
            }
            None => {
                let mut line = front(row);
                if let Some(target) = target(git, row)? {
                    line.extend_from_slice(&[b" -> ", &target[..]].concat_metered());
                }
                line
            }
        };
        lines.push(line);
    }
    let columns = if is_verbose { ColumnMode::default() } else { columns };
    let text = columns.lay_out(&lines, b"", 1, git.terminal_columns());
    git.print(&text).await?;
    Ok(0)
}

/// What stands before all else in a line.
fn front(row: &Row) -> Vec<u8> {
    [if row.is_current { &b"* "[..] } else { b"  " }, &row.shown].concat_metered()
}

/// What a symbolic ref leads to, in short.
fn target(git: &mut Git, row: &Row) -> Result<Option<Text>> {
    let Some(name) = &row.full else { return Ok(None) };
    match git.read_ref(name)? {
        Some(crate::utility::git::refs::RefValue::Symbolic(target)) => git.shorten(&target).map(Some),
        _ => Ok(None),
    }
}

/// The digits of names that `--abbrev` asks for; `None`: as many as are needed.
fn abbreviation(arguments: &Arguments<Opt>) -> Result<Option<usize>> {
    if arguments.truth(Opt::Abbrev) == Some(false) {
        return Ok(Some(40));
    }
    let Some(given) = arguments.value(Opt::Abbrev) else { return Ok(None) };
    match std::str::from_utf8(given).ok().and_then(|text| text.parse::<i64>().ok()) {
        Some(0) => Ok(Some(40)),
        Some(digits) => Ok(Some(digits.clamp(4, 40) as usize)),
        None => Err(not_a_number("option `abbrev'")),
    }
}

/// The lines that are listed.
async fn rows(git: &mut Git, arguments: &Arguments<Opt>, patterns: &[Text]) -> Result<Vec<Row>> {
    let fronts: &[&str] = match (arguments.has(Opt::All), arguments.has(Opt::Remotes)) {
        (true, _) => &["refs/heads/", "refs/remotes/"],
        (_, true) => &["refs/remotes/"],
        _ => &["refs/heads/"],
    };
    let head = git.head_ref()?;
    let mut rows: Vec<Row> = Vec::new();
    if head.is_none()
        && !arguments.has(Opt::Remotes)
        && patterns.is_empty()
        && let Some(id) = git.head_id()?
    {
        let shown = match git.detached_at().await? {
            Some((is_exact, name)) => {
                format!("(HEAD detached {} {name})", if is_exact { "at" } else { "from" })
            }
            None => "(no branch)".into(),
        };
        rows.push(Row { is_current: true, shown: shown.into(), full: None, id });
    }
    let mut refs = Vec::new();
    for front in fronts {
        refs.extend(git.refs(front.as_bytes()).await?);
    }
    let key = arguments.value(Opt::Sort).cloned().or_else(|| git.config.get("branch.sort").map(Text::from));
    let keys: Vec<Text> = key.into_iter().collect();
    refs = sort(git, refs, &keys, arguments.has(Opt::IgnoreCase)).await?;
    for (name, id) in refs {
        let short = name
            .strip_prefix(b"refs/heads/")
            .or_else(|| name.strip_prefix(b"refs/remotes/"))
            .unwrap_or(&name);
        if !patterns.is_empty()
            && !patterns.iter().any(|pattern| matches(pattern, short, false, arguments.has(Opt::IgnoreCase)))
        {
            continue;
        }
        let shown = if arguments.has(Opt::All) && name.starts_with(b"refs/remotes/") {
            name.strip_prefix(b"refs/").map(Text::from).unwrap_or_default()
        } else {
            Text::from(short)
        };
        rows.push(Row { is_current: head.as_ref() == Some(&name), shown, full: Some(name), id });
    }
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        if wanted(git, arguments, &row).await? {
            kept.push(row);
        }
    }
    Ok(kept)
}

async fn verbose(
    git: &mut Git,
    row: &Row,
    shows_upstream: bool,
    abbreviation: Option<usize>,
) -> Result<Vec<u8>> {
    if let Some(target) = target(git, row)? {
        return Ok([b"-> ", &target[..]].concat_metered());
    }
    let short = git.abbreviate(&row.id, abbreviation)?;
    let mut text: Vec<u8> = [&short[..], b" "].concat_metered();
    let branch = row.full.as_ref().and_then(|name| name.strip_prefix(b"refs/heads/")).map(Text::from);
    if let Some(upstream) = branch.and_then(|branch| git.upstream(&branch)) {
        let fields = Fields { name: b"", id: row.id, is_head: false };
        let track = git.track(&upstream, &fields, true).await?;
        let name = git.shorten(&upstream)?;
        let inside = match (shows_upstream, track.is_empty()) {
            (true, true) => format!("[{name}] "),
            (true, false) => format!("[{name}: {track}] "),
            (false, true) => String::new(),
            (false, false) => format!("[{track}] "),
        };
        text.extend_from_slice(inside.as_bytes());
    }
    let bytes = git.object(&row.id).await?.1;
    text.extend_from_slice(&subject(message(&bytes)));
    Ok(text)
}

/// Whether a row passes `--merged`, `--contains` and `--points-at`.
async fn wanted(git: &mut Git, arguments: &Arguments<Opt>, row: &Row) -> Result<bool> {
    for (option, expected) in [(Opt::Merged, true), (Opt::NoMerged, false)] {
        if !arguments.has(option) {
            continue;
        }
        let base = arguments.value(option).cloned().unwrap_or_else(|| Text::from_static(b"HEAD"));
        let Some(base) = git.resolve_commit(&base).await? else {
            return Err(GitError::Error(format!("malformed object name {base}"), 129));
        };
        if git.is_ancestor(row.id, base).await? != expected {
            return Ok(false);
        }
    }
    for (option, expected) in [(Opt::Contains, true), (Opt::NoContains, false)] {
        let Some(base) = arguments.value(option).cloned() else { continue };
        let Some(base) = git.resolve_commit(&base).await? else {
            return Err(GitError::Error(format!("malformed object name {base}"), 129));
        };
        if git.is_ancestor(base, row.id).await? != expected {
            return Ok(false);
        }
    }
    if let Some(point) = arguments.value(Opt::PointsAt).cloned() {
        return Ok(git.resolve(&point).await? == Some(row.id));
    }
    Ok(true)
}
