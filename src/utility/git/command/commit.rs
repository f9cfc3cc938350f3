//! `git commit`: the index becomes a commit. `hooks.rs` runs the repository's hooks; editors are not run.

mod hooks;
mod message;

use super::prelude::*;
use super::status::{Layout, LongView, View, untracked_mode};
use crate::memory::format;
use crate::utility::git::diff::options::Formats;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::identity::Who;
use crate::utility::git::index::{Index, KnownTrees};
use crate::utility::git::object::tree::{TREE, TreeEntry, write};
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::subject;
use crate::utility::git::status::Ignored;
use hooks::{CommitHooks, Verdict};
pub(super) use message::cleaned;
use message::{add_trailers, author, given_message, is_empty_message, tidied};

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "suppress summary after successful commit"),
        Verbose = flag('v', "verbose", "show diff in what --dry-run prints"),
        File = value('F', "file", "file", "read message from file"),
        Author = value('\0', "author", "author", "override author for commit"),
        Date = value('\0', "date", "date", "override date for commit"),
        Message = value('m', "message", "message", "commit message"),
        ReeditMessage = value('c', "reedit-message", "commit", "reuse and edit message from specified commit"),
        ReuseMessage = value('C', "reuse-message", "commit", "reuse message from specified commit"),
        Fixup = value('\0', "fixup", "commit", "use autosquash formatted message to fixup specified commit"),
        Squash = value('\0', "squash", "commit", "use autosquash formatted message to squash specified commit"),
        ResetAuthor = flag('\0', "reset-author", "the commit is authored by me now (used with -C/-c/--amend)"),
        Trailer = value('\0', "trailer", "trailer", "add custom trailer(s)"),
        Signoff = flag('s', "signoff", "add a Signed-off-by trailer"),
        Template = value('t', "template", "file", "not supported"),
        Edit = flag('e', "edit", "force edit of commit"),
        Cleanup = value('\0', "cleanup", "mode", "how to strip spaces and #comments from message"),
        Status = flag('\0', "status", "include status in commit message template"),
        GpgSign = optional('S', "gpg-sign", "key-id", "not supported"),
        All = flag('a', "all", "commit all changed files"),
        Include = flag('i', "include", "add specified files to index for commit"),
        Interactive = flag('\0', "interactive", "not supported"),
        Patch = flag('p', "patch", "not supported"),
        Only = flag('o', "only", "commit only specified files"),
        NoVerify = flag('n', "no-verify", "bypass pre-commit and commit-msg hooks"),
        Verify = flag('\0', "verify", "run hooks (default)"),
        DryRun = flag('\0', "dry-run", "show what would be committed"),
        Short = flag('\0', "short", "show status concisely"),
        Porcelain = flag('\0', "porcelain", "machine-readable output"),
        Branch = flag('\0', "branch", "show branch information"),
        AheadBehind = flag('\0', "ahead-behind", "compute full ahead/behind values"),
        Long = flag('\0', "long", "show status in long format (default)"),
        Null = flag('z', "null", "terminate entries with NUL"),
        Amend = flag('\0', "amend", "amend previous commit"),
        NoPostRewrite = flag('\0', "no-post-rewrite", "bypass post-rewrite hook"),
        UntrackedFiles = optional('u', "untracked-files", "mode", "show untracked files, optional modes: all, normal, no. (Default: all)"),
        AllowEmpty = flag('\0', "allow-empty", "ok to record an empty change"),
        AllowEmptyMessage = flag('\0', "allow-empty-message", "ok to record a change with an empty message"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "commit",
    usage: "git commit [-a | --interactive | --patch] [-s] [-v] [-u[<mode>]] [--amend] [--dry-run] [(-c | -C) <commit>] \
[-F <file> | -m <msg>] [--reset-author] [--allow-empty] [--allow-empty-message] [--no-verify] [-e] [--author=<author>] \
[--date=<date>] [--cleanup=<mode>] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

impl Git {
    /// Stores the index as trees; the name of the whole.
    pub(super) async fn write_tree(&mut self, index: &Index) -> Result<ObjectId> {
        /// A folder that is being put together.
        struct Level {
            path: Vec<u8>,
            entries: Vec<TreeEntry>,
        }
        let mut levels: Vec<Level> = Vec::new();
        levels.push(Level { path: Vec::new(), entries: Vec::new() });
        for at in 0..=index.entries.len() {
            self.ctx.tick().await?;
            let entry = index.entries.get(at);
            if let Some(entry) = entry
                && entry.stage > 0
            {
                self.say(&format!("{}: unmerged ({})", entry.path, entry.id));
                return Err(fatal!("git-write-tree: error building trees"));
            }
            // What the next path is not in is complete.
            while let Some(level) = levels.last() {
                if entry.is_some_and(|entry| entry.path.starts_with(&level.path)) || levels.len() == 1 {
                    break;
                }
                let Some(level) = levels.pop() else { break };
                let id = self.write_object(Kind::Tree, &write(&level.entries)).await?;
                let path = level.path.strip_suffix(b"/").unwrap_or(&level.path);
                let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
                if let Some(above) = levels.last_mut()
                    && !level.entries.is_empty()
                {
                    above.entries.push(TreeEntry { mode: TREE, name: name.into(), id });
                }
            }
            let Some(entry) = entry else { break };
            if entry.intent_to_add {
                continue;
            }
            let depth = levels.last().map_or(0, |level| level.path.len());
            let rest = entry.path.get(depth..).unwrap_or(&[]);
            for slash in memchr::memchr_iter(b'/', rest) {
                let path = entry.path.get(..=depth + slash).unwrap_or(&[]).to_metered();
                levels.push(Level { path, entries: Vec::new() });
            }
            let name = entry.path.rsplit(|byte| *byte == b'/').next().unwrap_or(&entry.path);
            if let Some(level) = levels.last_mut() {
                level.entries.push(TreeEntry { mode: entry.mode, name: name.into(), id: entry.id });
            }
        }
        let entries = levels.pop().map(|level| level.entries).unwrap_or_default();
        self.write_object(Kind::Tree, &write(&entries)).await
    }

    /// Stores a commit.
    pub(super) async fn write_commit(
        &mut self,
        tree: ObjectId,
        parents: &[ObjectId],
        author: &[u8],
        message: &[u8],
    ) -> Result<ObjectId> {
        let committer = self.who(Who::Committer)?;
        let mut bytes = format!("tree {tree}\n").into_bytes();
        for parent in parents {
            bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        bytes.extend_from_slice(
            &[b"author ", author, b"\ncommitter ", &committer, b"\n\n", message].concat_metered(),
        );
        self.write_object(Kind::Commit, &bytes).await
    }
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Interactive, Opt::Patch, Opt::GpgSign, Opt::Template]) {
        return Err(fatal!("commit --{} is not supported", option.long()));
    }
    check_sources(&arguments)?;
    if arguments.has(Opt::All) && !arguments.operands.is_empty() {
        return Err(fatal!(
            "paths '{} ...' with -a does not make sense",
            arguments.operands.first().cloned().unwrap_or_default()
        ));
    }
    let head = git.head_id()?;
    let amends = arguments.has(Opt::Amend);
    if amends && head.is_none() {
        return Err(fatal!("You have nothing yet to amend."));
    }
    let amended = match head.filter(|_| amends) {
        Some(id) => Some(git.object(&id).await?.1),
        None => None,
    };
    let is_dry = is_dry(&arguments)?;
    let mut index = git.read_index().await?;
    if !is_dry && index.is_unmerged() && arguments.operands.is_empty() && !arguments.has(Opt::All) {
        git.say("error: Committing is not possible because you have unmerged files.");
        git.say("hint: Fix them up in the work tree, and then use 'git add/rm <file>'");
        git.say("hint: as appropriate to mark resolution and make a commit.");
        return Err(fatal!("Exiting because of an unresolved conflict."));
    }
    let spec = git.pathspec(&arguments.operands)?;
    if !spec.is_empty() && !arguments.has(Opt::Include) {
        for (name, operation) in [(&b"MERGE_HEAD"[..], "merge"), (b"CHERRY_PICK_HEAD", "cherry-pick")] {
            if git.has_state(name) {
                return Err(fatal!("cannot do a partial commit during a {operation}."));
            }
        }
    }
    let mut committed = index.clone();
    if arguments.has(Opt::All) {
        git.update_tracked(&mut index, &Pathspec::default(), true, false).await?;
        committed = index.clone();
    } else if !spec.is_empty() {
        let missing = spec.unmatched(&index.entries.iter().map(|entry| entry.path.as_bytes()));
        if let Some(given) = missing.first() {
            return Err(GitError::Error(
                format!("pathspec '{given}' did not match any file(s) known to git"),
                1,
            ));
        }
        git.update_tracked(&mut index, &spec, true, false).await?;
        committed =
            if arguments.has(Opt::Include) { index.clone() } else { only(git, &index, &spec).await? };
    } else if arguments.has(Opt::Only) {
        // The last commit is amended, without what is staged.
        let tree = git.head_tree().await?;
        committed = git.index_of_tree(tree, &index).await?;
    }
    let parents: Vec<ObjectId> = match (&amended, head) {
        (Some(_), Some(id)) => git.commit(&id).await?.parents.clone(),
        (None, Some(id)) => {
            let mut parents = Vec::from([id]);
            let path = crate::utility::file::join(&git.repo.git_dir, b"MERGE_HEAD");
            let merged = crate::utility::git::repository::read_file(git.fs(), &path)?.unwrap_or_default();
            parents.extend(merged.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex));
            parents
        }
        _ => Vec::new(),
    };
    let old_tree = match parents.first() {
        Some(parent) => git.commit(parent).await?.tree,
        None => ObjectId::EMPTY_TREE,
    };
    let shown = Shown { old_tree, amends: amends.then_some(parents.is_empty()) };
    if is_dry {
        return show_status(git, &arguments, &committed, shown).await;
    }
    let author = author(git, &arguments, amended.as_deref()).await?;
    // Whether there is something to commit does not depend on what hooks do.
    let mut tree = git.write_tree(&committed).await?;
    let is_empty = tree == old_tree && parents.len() < 2;
    let hooks = CommitHooks::new(git, &arguments, &author);
    match hooks.before(git, &committed).await? {
        Verdict::Unchanged => {}
        Verdict::Left(changed) => {
            tree = git.write_tree(&changed).await?;
            if !hooks.is_partial {
                index = changed.clone();
            }
            committed = changed;
        }
        Verdict::Refused => return Ok(1),
    }
    let allows_empty = arguments.has(Opt::AllowEmpty) || (amends && parents.is_empty());
    if is_empty && !allows_empty && !amends {
        return show_status(git, &arguments, &committed, shown).await;
    }
    if is_empty && amends && !allows_empty && !parents.is_empty() {
        git.say(
            "You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with \
--allow-empty, or you can\nremove the commit entirely with \"git reset HEAD^\".",
        );
        show_status(git, &arguments, &committed, shown).await?;
        return Ok(1);
    }
    let Some(text) = given_message(git, &arguments, amended.as_deref()).await? else {
        git.edit_message()?;
        return Err(GitError::Plain("Aborting commit due to empty commit message.\n".into(), 1));
    };
    let mut text = tidied(git, &arguments, text)?;
    if arguments.has(Opt::Edit) {
        git.edit_message()?;
    }
    add_trailers(git, &arguments, &mut text)?;
    let Some(text) = hooks.with_message(git, &arguments, text).await? else { return Ok(1) };
    if is_empty_message(&text) && !arguments.has(Opt::AllowEmptyMessage) {
        return Err(GitError::Plain("Aborting commit due to empty commit message.\n".into(), 1));
    }
    let id = git.write_commit(tree, &parents, &author, &text).await?;
    let title = subject(&text);
    let word: &[u8] = match (amends, parents.len()) {
        (true, _) => b"commit (amend): ",
        (_, 0) => b"commit (initial): ",
        (_, 1) => b"commit: ",
        _ => b"commit (merge): ",
    };
    git.update_ref(b"HEAD", id, &[word, &title].concat_metered())?;
    git.write_index(&index).await?;
    for name in [&b"MERGE_HEAD"[..], b"MERGE_MSG", b"MERGE_MODE", b"CHERRY_PICK_HEAD", b"REVERT_HEAD"] {
        let path = crate::utility::file::join(&git.repo.git_dir, name);
        crate::utility::git::error::found(git.fs().remove_file(&path))?;
    }
    hooks.after(git, &arguments, head.filter(|_| amends), id).await?;
    if !arguments.has(Opt::Quiet) {
        let shows_date = amends || arguments.has_any([Opt::Date, Opt::ReuseMessage, Opt::ReeditMessage]);
        summary(git, id, &title, (old_tree, tree), parents.is_empty(), (shows_date, &author)).await?;
    }
    Ok(0)
}

/// The index of the last commit with the named paths as they are now.
async fn only(git: &mut Git, index: &Index, spec: &Pathspec) -> Result<Index> {
    let tree = git.head_tree().await?;
    let mut result = git.index_of_tree(tree, index).await?;
    result.entries.retain(|entry| !spec.matches(&entry.path));
    for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        result.put(entry.clone());
    }
    Ok(result)
}

/// What a commit would be made of.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// The tree of the commit before it.
    old_tree: ObjectId,
    /// The last commit is amended, and whether that is the first one.
    amends: Option<bool>,
}

/// Whether options that say what is committed go together.
fn check_sources(arguments: &Arguments<Opt>) -> Result<()> {
    let all = [(Opt::Include, "-i/--include"), (Opt::Only, "-o/--only"), (Opt::All, "-a/--all")];
    let names: Vec<&str> =
        all.iter().filter(|(option, _)| arguments.has(*option)).map(|pair| pair.1).collect();
    match names.as_slice() {
        [one, two] => return Err(fatal!("options '{one}' and '{two}' cannot be used together")),
        [one, two, three] => {
            return Err(fatal!("options '{one}', '{two}', and '{three}' cannot be used together"));
        }
        _ => {}
    }
    let is_alone = arguments.has(Opt::Only) && !arguments.has_any([Opt::Amend, Opt::AllowEmpty]);
    if arguments.operands.is_empty() && (arguments.has(Opt::Include) || is_alone) {
        return Err(fatal!("No paths with --include/--only does not make sense."));
    }
    Ok(())
}

/// Whether only the status is shown.
fn is_dry(arguments: &Arguments<Opt>) -> Result<bool> {
    let layout = arguments.last_of([Opt::Short, Opt::Porcelain, Opt::Long]);
    if layout == Some(Opt::Long) && arguments.has(Opt::Null) {
        return Err(fatal!("options '--long' and '-z' cannot be used together"));
    }
    Ok(layout.is_some() || arguments.has_any([Opt::DryRun, Opt::Null]))
}

/// Shows what would be committed; the status says whether there is something.
async fn show_status(git: &mut Git, arguments: &Arguments<Opt>, index: &Index, shown: Shown) -> Result<u8> {
    let layout = match arguments.last_of([Opt::Short, Opt::Porcelain, Opt::Long]) {
        Some(Opt::Short) => Layout::Short,
        Some(Opt::Porcelain) => Layout::First,
        None if arguments.has(Opt::Null) => Layout::First,
        _ => Layout::Long,
    };
    let (given, mode) = (arguments.truth(Opt::UntrackedFiles), arguments.value(Opt::UntrackedFiles));
    let untracked = untracked_mode(git, given, mode)?;
    let for_scripts = layout == Layout::First || arguments.has(Opt::Null);
    let configured = |name: &str, value: bool| !for_scripts && git.config.truth(name) == Some(value);
    let view = View {
        layout,
        shows_branch: arguments.truth(Opt::Branch).unwrap_or_else(|| configured("status.branch", true)),
        shows_stash: false,
        ends_in_nul: arguments.has(Opt::Null),
        long: LongView {
            untracked,
            verbosity: arguments.count(Opt::Verbose),
            counts: arguments
                .truth(Opt::AheadBehind)
                .unwrap_or_else(|| !configured("status.aheadbehind", false)),
            is_commit: true,
            amends: shown.amends,
            compared: Some((shown.old_tree, index.clone())),
            ..LongView::default()
        },
    };
    let renames = git.diff_defaults().renames.filter(|_| git.config.truth("status.renames") != Some(false));
    let kinds = (untracked, Ignored::No);
    let (spec, trees) = (Pathspec::default(), KnownTrees::default());
    let status = git.status_of(shown.old_tree, (index, &trees), &spec, kinds, renames).await?;
    super::status::print(git, &status, &view).await?;
    Ok(u8::from(!status.is_committable(git.is_merging())))
}

/// `[main abc1234] subject` and what changed.
async fn summary(
    git: &mut Git,
    id: ObjectId,
    title: &[u8],
    (old, new): (ObjectId, ObjectId),
    is_root: bool,
    (shows_date, author): (bool, &[u8]),
) -> Result<()> {
    let place = match git.current_branch()? {
        Some(branch) => branch,
        None => Text::from_static(b"detached HEAD"),
    };
    let short = git.abbreviate(&id, None)?;
    let root = if is_root { " (root-commit)" } else { "" };
    git.print(format!("[{place}{root} {short}] {}\n", bstr::BStr::new(title)).as_bytes()).await?;
    let end = memchr::memrchr(b'>', author).map_or(author.len(), |at| at + 1);
    let committer = git.who(Who::Committer)?;
    if author.get(..end) != committer.get(..end) {
        git.print(&[b" Author: ", author.get(..end).unwrap_or(author), b"\n"].concat_metered()).await?;
    }
    if shows_date {
        let who = crate::utility::git::object::commit::Signature::parse(author);
        let date = git.show_date(&who, &crate::utility::git::date::DateMode::default());
        git.print(&[&b" Date: "[..], &date, b"\n"].concat_metered()).await?;
    }
    let mut options = git.diff_defaults();
    options.formats = Formats { shortstat: true, summary: true, ..Formats::default() };
    let changes = compare(git, old, new, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
    let changes = git.refine(changes, &options).await?;
    git.print_changes(&changes, &options).await
}
