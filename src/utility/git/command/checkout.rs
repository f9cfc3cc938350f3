//! `git checkout`: switches branches, or takes paths; `switch` and fast-forward merges go through it.

use super::branch::BranchOptions;
use super::prelude::*;
use super::restore::TakeOptions;
use crate::memory::format;
use crate::utility::git::diff::change::Change;
use crate::utility::git::diff::files::{Telling, index_and_work_tree};
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::index::IndexEntry;
use crate::utility::git::object::commit::message;
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::subject;

options! {
    enum Opt {
        NewBranch = value('b', "", "branch", "create and checkout a new branch"),
        ResetBranch = value('B', "", "branch", "create/reset and checkout a branch"),
        Reflog = flag('l', "", "create reflog for new branch"),
        Guess = flag('\0', "guess", "second guess 'git checkout <no-such-branch>' (default)"),
        Overlay = flag('\0', "overlay", "use overlay mode (default)"),
        Quiet = flag('q', "quiet", "suppress progress reporting"),
        Progress = flag('\0', "progress", "force progress reporting"),
        Merge = flag('m', "merge", "not supported"),
        Detach = flag('d', "detach", "detach HEAD at named commit"),
        Track = optional('t', "track", "mode", "set branch tracking configuration"),
        Force = flag('f', "force", "force checkout (throw away local modifications)"),
        Orphan = value('\0', "orphan", "new-branch", "new unborn branch"),
        Ours = flag('2', "ours", "checkout our version for unmerged files"),
        Theirs = flag('3', "theirs", "checkout their version for unmerged files"),
        Patch = flag('p', "patch", "not supported"),
        IgnoreOtherWorktrees = flag('\0', "ignore-other-worktrees", "do not check if another worktree is using this branch"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "checkout",
    usage: "git checkout [<options>] <branch>\ngit checkout [<options>] [<branch>] -- <file>...",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

/// How `checkout` and `switch` go to a commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct SwitchOptions {
    pub(super) detaches: bool,
    /// Changes of the work tree are thrown away.
    pub(super) is_forced: bool,
    /// `checkout -B`
    pub(super) resets: bool,
    /// How a branch is made on the way.
    pub(super) branch: BranchOptions,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Merge, Opt::Patch]) {
        return Err(fatal!("checkout --{} is not supported", option.long()));
    }
    let options = SwitchOptions {
        detaches: arguments.has(Opt::Detach),
        is_forced: arguments.has(Opt::Force),
        resets: arguments.has(Opt::ResetBranch),
        branch: BranchOptions {
            tracks: arguments.truth(Opt::Track),
            is_quiet: arguments.has(Opt::Quiet),
            is_logged: arguments.has(Opt::Reflog),
        },
    };
    let (before, after) = arguments.parts();
    let (before, after) = (before.to_metered(), after.to_metered());
    let creates = [Opt::Orphan, Opt::NewBranch, Opt::ResetBranch];
    if arguments.last_of(creates).is_some() {
        check_switching(&arguments)?;
    }
    if let Some(name) = arguments.value(Opt::Orphan).cloned() {
        return git.switch_orphan(&name, arguments.has(Opt::Quiet), true).await;
    }
    let new = arguments.value(Opt::NewBranch).map(|name| (name.clone(), false));
    if let Some((name, is_forced)) =
        new.or_else(|| arguments.value(Opt::ResetBranch).map(|name| (name.clone(), true)))
    {
        let start = before.first().cloned();
        return git.switch_new(&name, start, is_forced, options).await;
    }
    let has_separator = arguments.separator.is_some();
    if has_separator && !after.is_empty() {
        let source = match before.first() {
            Some(name) => Some(tree_of(git, name).await?),
            None => None,
        };
        return take(git, &arguments, &after, source, None).await;
    }
    let Some(first) = before.first().cloned() else {
        check_switching(&arguments)?;
        if arguments.has(Opt::Detach) {
            return git.switch_to(b"HEAD", options).await;
        }
        return match (git.head_id()?, git.current_branch()?) {
            (None, _) => Err(fatal!("You are on a branch yet to be born")),
            (_, Some(_)) => git.stay(options).await,
            _ => Ok(0),
        };
    };
    if before.len() == 1 {
        let is_name = &*first == b"-" || git.resolve_commit(&first).await?.is_some();
        if is_name {
            check_switching(&arguments)?;
            return git.switch_to(&first, options).await;
        }
        let guesses = arguments.truth(Opt::Guess).or_else(|| git.config.truth("checkout.guess"));
        if guesses != Some(false)
            && let Some(remote) = git.guess_remote(&first).await?
        {
            check_switching(&arguments)?;
            if !has_separator && git.fs().symlink_metadata(&git.ctx.absolute(&first)).is_ok() {
                return Err(fatal!(
                    "'{first}' could be both a local file and a tracking branch.\nPlease use -- (and optionally --no-guess) to disambiguate"
                ));
            }
            return git.switch_new(&first, Some(remote), false, options).await;
        }
        if has_separator {
            return Err(fatal!("invalid reference: {first}"));
        }
        return take(git, &arguments, &before, None, Some(&[])).await;
    }
    match git.resolve(&first).await? {
        Some(_) => {
            let tree = tree_of(git, &first).await?;
            let paths = before.get(1..).unwrap_or(&[]).to_metered();
            take(git, &arguments, &paths, Some(tree), Some(&before)).await
        }
        None => take(git, &arguments, &before, None, Some(&[])).await,
    }
}

async fn tree_of(git: &mut Git, name: &Text) -> Result<ObjectId> {
    let id = git.resolve(name).await?.ok_or_else(|| fatal!("invalid reference: {name}"))?;
    git.peel(id, Kind::Tree).await?.ok_or_else(|| fatal!("reference is not a tree: {name}"))
}

/// Refuses options that are for paths alone.
fn check_switching(arguments: &Arguments<Opt>) -> Result<()> {
    let name = if arguments.truth(Opt::Overlay).is_some() {
        "--[no]-overlay"
    } else if arguments.last_of([Opt::Ours, Opt::Theirs]).is_some() {
        "--ours/--theirs"
    } else {
        return Ok(());
    };
    Err(fatal!("'{name}' cannot be used with switching branches"))
}

/// Takes paths; how many they were is told where `--` did not say that they are paths.
async fn take(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    paths: &[Text],
    source: Option<ObjectId>,
    told: Option<&[Text]>,
) -> Result<u8> {
    if arguments.has(Opt::Detach) {
        let path = paths.first().cloned().unwrap_or_default();
        return Err(fatal!("git checkout: --detach does not take a path argument '{path}'"));
    }
    for (option, name) in [(Opt::Track, "--track"), (Opt::Reflog, "-l")] {
        if arguments.has(option) {
            return Err(fatal!("'{name}' cannot be used with updating paths"));
        }
    }
    let options = TakeOptions {
        staged: source.is_some(),
        worktree: true,
        removes: arguments.truth(Opt::Overlay) == Some(false),
        side: match arguments.last_of([Opt::Ours, Opt::Theirs]) {
            Some(Opt::Ours) => Some(2),
            Some(_) => Some(3),
            None => None,
        },
        skips_unmerged: arguments.has(Opt::Force),
        is_quiet: arguments.has(Opt::Quiet),
    };
    let count = git.take_paths(paths, source, options).await?;
    if let Some(before) = told.filter(|_| !options.is_quiet) {
        let plural = if count == 1 { "" } else { "s" };
        match (source, before.first()) {
            (Some(tree), Some(_)) => {
                let short = git.abbreviate(&tree, None)?;
                git.say(&format!("Updated {count} path{plural} from {short}"));
            }
            _ => git.say(&format!("Updated {count} path{plural} from the index")),
        }
    }
    let head = git.head_id()?;
    git.checked_out(head, head, false).await
}

impl Git {
    /// The remote-tracking branch of that name, if there is one.
    pub(super) async fn guess_remote(&mut self, name: &[u8]) -> Result<Option<Text>> {
        let mut found = Vec::new();
        for (full, _) in self.refs(b"refs/remotes/").await? {
            let rest = full.get(13..).unwrap_or(&[]);
            let slash = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            if rest.get(slash + 1..) == Some(name) {
                found.push(Text::from(rest));
            }
        }
        Ok(if found.len() == 1 { found.pop() } else { None })
    }

    /// Changes the index and the work tree from one tree to another, and keeps what was changed.
    pub(super) async fn move_trees(
        &mut self,
        old: ObjectId,
        new: ObjectId,
        is_forced: bool,
        word: &str,
    ) -> Result<()> {
        if is_forced {
            return self.reset_hard(new).await;
        }
        let mut index = self.read_index().await?;
        let changes = compare(self, old, new, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
        let (mut dirty, mut untracked): (Vec<Text>, Vec<Text>) = (Vec::new(), Vec::new());
        let mut work: Vec<Change> = Vec::new();
        for change in changes {
            let entry = index.get(&change.path).cloned();
            let held = entry.as_ref().map_or((0, ObjectId::ZERO), |entry| (entry.mode, entry.id));
            if held == (change.new.mode, change.new.id) {
                continue;
            }
            if held != (change.old.mode, change.old.id) {
                dirty.push(change.path.clone());
                continue;
            }
            let mode = self.work_mode(&change.path)?;
            match entry {
                Some(entry) => {
                    let is_clean = mode.is_none()
                        || (mode == Some(entry.mode) && self.is_unchanged(&index, &entry).await?);
                    if !is_clean {
                        dirty.push(change.path.clone());
                        continue;
                    }
                }
                None => {
                    if let Some(mode) = mode
                        && mode != SUBMODULE
                        && self.work_id(&change.path, mode).await? != change.new.id
                        && self
                            .deciding_pattern(&change.path, false)
                            .await?
                            .is_none_or(|(_, pattern)| pattern.is_negated)
                    {
                        untracked.push(change.path.clone());
                        continue;
                    }
                }
            }
            work.push(change);
        }
        let lists = [
            (
                &dirty,
                "Your local changes to the following files would be overwritten by",
                "Please commit your changes or stash them before you",
            ),
            (
                &untracked,
                "The following untracked working tree files would be overwritten by",
                "Please move or remove them before you",
            ),
        ];
        let doing = if word == "checkout" { "switch branches" } else { word };
        for (paths, front, back) in lists {
            if !paths.is_empty() {
                let mut text = format!("error: {front} {word}:\n");
                for path in paths {
                    text.push_str(&format!("\t{path}\n"));
                }
                text.push_str(&format!("{back} {doing}.\nAborting\n"));
                return Err(GitError::Plain(text, 1));
            }
        }
        for change in work.iter().filter(|change| change.new.mode == 0) {
            self.remove_work_file(&change.path)?;
            index.remove(&change.path);
        }
        for change in work.iter().filter(|change| change.new.mode != 0) {
            let stat = self.check_out(&change.path, change.new.mode, &change.new.id).await?;
            super::add::remove_conflicting(&mut index, &change.path);
            index.put(IndexEntry {
                stat,
                mode: change.new.mode,
                id: change.new.id,
                path: change.path.clone(),
                ..IndexEntry::default()
            });
        }
        self.write_index(&index).await
    }

    /// Switches to a branch or a commit.
    pub(super) async fn switch_to(&mut self, name: &[u8], options: SwitchOptions) -> Result<u8> {
        let name = match name {
            b"-" => match self.previous_branch(1)? {
                Some(name) => name,
                None => {
                    return Err(GitError::Error(
                        "pathspec '-' did not match any file(s) known to git".into(),
                        1,
                    ));
                }
            },
            _ => match name.strip_prefix(b"@{-").and_then(|rest| rest.strip_suffix(b"}")) {
                Some(digits) => {
                    let count =
                        std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(1);
                    self.previous_branch(count)?.unwrap_or_default()
                }
                None => Text::from(name),
            },
        };
        if !options.detaches && matches!(&*name, b"HEAD" | b"@") && self.current_branch()?.is_some() {
            return self.stay(options).await;
        }
        let full = [&b"refs/heads/"[..], &name].concat_metered();
        let is_branch = self.ref_id(&full)?.is_some() && !options.detaches;
        let Some(id) = self.resolve_commit(if is_branch { &full } else { &name }).await? else {
            return Err(fatal!("invalid reference: {name}"));
        };
        self.switch(id, is_branch.then(|| Text::from(full.as_slice())), &name, options, false).await
    }

    /// Makes a branch and switches to it.
    pub(super) async fn switch_new(
        &mut self,
        name: &Text,
        start: Option<Text>,
        is_forced: bool,
        options: SwitchOptions,
    ) -> Result<u8> {
        if self.head_id()?.is_none() && start.is_none() {
            let full = [&b"refs/heads/"[..], name].concat_metered();
            self.write_symbolic(b"HEAD", &full, None)?;
            self.say(&format!("Switched to a new branch '{name}'"));
            return Ok(0);
        }
        let full = Text::from([&b"refs/heads/"[..], name].concat_metered());
        let exists = self.ref_id(&full)?.is_some();
        let start_name = start.clone().unwrap_or_else(|| Text::from_static(b"HEAD"));
        if exists && is_forced {
            let Some(id) = self.resolve_commit(&start_name).await? else {
                return Err(fatal!(
                    "'{start_name}' is not a commit and a branch '{name}' cannot be created from it"
                ));
            };
            if options.branch.is_logged {
                self.create_log(&full)?;
            }
            self.update_ref(&full, id, format!("branch: Reset to {start_name}").as_bytes())?;
            return self.switch(id, Some(full), name, options, true).await;
        }
        if self.resolve_commit(&start_name).await?.is_none() {
            return Err(fatal!(
                "'{start_name}' is not a commit and a branch '{name}' cannot be created from it"
            ));
        }
        let (full, id) = self.make_branch(name, &start_name, is_forced, options.branch).await?;
        self.switch(id, Some(full), name, options, true).await
    }

    /// Switches to a branch without commits, from one; `stays`: files stay as those of that commit.
    pub(super) async fn switch_orphan(&mut self, name: &Text, is_quiet: bool, stays: bool) -> Result<u8> {
        let full = [&b"refs/heads/"[..], name].concat_metered();
        if self.ref_id(&full)?.is_some() {
            return Err(fatal!("a branch named '{name}' already exists"));
        }
        let head = self.head_id()?;
        self.write_symbolic(b"HEAD", &full, None)?;
        if !is_quiet {
            self.say(&format!("Switched to a new branch '{name}'"));
        }
        self.checked_out(head, head.filter(|_| stays), true).await
    }

    async fn switch(
        &mut self,
        id: ObjectId,
        branch: Option<Text>,
        name: &Text,
        options: SwitchOptions,
        is_new: bool,
    ) -> Result<u8> {
        let (old_ref, old_id) = (self.head_ref()?, self.head_id()?);
        let old = self.head_tree().await?;
        let new = self.commit(&id).await?.tree;
        let is_forced = options.is_forced;
        if old_id != Some(id) || is_forced {
            self.move_trees(old, new, is_forced, "checkout").await?;
        }
        let from = match &old_ref {
            Some(old) => Text::from(old.strip_prefix(b"refs/heads/").unwrap_or(old)),
            None => old_id.map_or(Text::EMPTY, |id| id.hex().into()),
        };
        let log = format!("checkout: moving from {from} to {name}");
        let quiet = options.branch.is_quiet;
        match &branch {
            Some(full) => {
                let is_same = old_ref.as_ref() == Some(full);
                let path = self.ref_path(b"HEAD");
                let before = self.head_id()?;
                self.fs().write(&path, &[b"ref: ", &full[..], b"\n"].concat_metered(), 0o644)?;
                self.log_move(before, id, log.as_bytes())?;
                if !quiet {
                    let text = match (is_same, is_new) {
                        (true, false) => format!("Already on '{name}'"),
                        (_, true) => {
                            let word = if options.resets && is_same {
                                "Reset branch"
                            } else {
                                "Switched to a new branch"
                            };
                            format!("{word} '{name}'")
                        }
                        _ => format!("Switched to branch '{name}'"),
                    };
                    self.say(&text);
                }
            }
            None => {
                self.detach(b"HEAD", id, log.as_bytes())?;
                if !quiet {
                    let bytes = self.object(&id).await?.1;
                    let short = self.abbreviate(&id, None)?;
                    let title = subject(message(&bytes));
                    if old_ref.is_some()
                        && !options.detaches
                        && self.config.truth("advice.detachedhead") != Some(false)
                    {
                        self.say(&format!("Note: switching to '{name}'.\n\n{DETACHED}"));
                    }
                    self.say(&format!("HEAD is now at {short} {}", bstr::BStr::new(&title)));
                }
            }
        }
        self.tell_place(new, branch.is_some() && !is_new, options).await?;
        self.checked_out(old_id, Some(id), true).await
    }

    /// `checkout`, `checkout HEAD`: nothing moves; with `--force` files are as they were.
    async fn stay(&mut self, options: SwitchOptions) -> Result<u8> {
        let tree = self.head_tree().await?;
        if options.is_forced {
            self.move_trees(tree, tree, true, "checkout").await?;
        }
        self.tell_place(tree, true, options).await?;
        let head = self.head_id()?;
        self.checked_out(head, head, true).await
    }

    /// Tells which files differ, and of a branch how it stands to the one that it follows.
    async fn tell_place(&mut self, new: ObjectId, is_branch: bool, options: SwitchOptions) -> Result<()> {
        if options.branch.is_quiet {
            return Ok(());
        }
        if !options.is_forced {
            let index = self.read_index().await?;
            let staged =
                crate::utility::git::diff::files::tree_and_index(self, new, &index, &Pathspec::default())
                    .await?;
            let mut lines: crate::memory::BTreeMap<Text, u8> = crate::memory::BTreeMap::new();
            let unstaged = index_and_work_tree(self, &index, &Pathspec::default(), Telling::CONTENTS).await?;
            for change in unstaged.into_iter().chain(staged) {
                lines.insert(change.path, change.status);
            }
            for (path, status) in &lines {
                self.print(&[&[*status, b'\t'][..], path, b"\n"].concat_metered()).await?;
            }
        }
        if is_branch {
            let mut text = String::new();
            super::status::heading(self, &mut text, true).await?;
            let rest = text.split_once('\n').map_or("", |(_, rest)| rest).trim_end_matches('\n');
            if !rest.is_empty() {
                self.print(rest.as_bytes()).await?;
                self.print(b"\n").await?;
            }
        }
        Ok(())
    }

    fn log_move(&mut self, old: Option<ObjectId>, new: ObjectId, message: &[u8]) -> Result<()> {
        self.log_ref(b"HEAD", old, new, message)
    }
}

const DETACHED: &str = "You are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, \
and you can discard any commits you make in this\nstate without impacting any branches by switching back to a branch.\n\n\
If you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the switch \
command. Example:\n\n  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\n\
Turn off this advice by setting config variable advice.detachedHead to false\n";
