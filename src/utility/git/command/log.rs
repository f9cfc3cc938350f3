//! `git log`, and what `show` and `whatchanged` share with it.

use super::prelude::*;
use crate::utility::git::diff::change::Change;
use crate::utility::git::diff::options::{DIFF_OPTIONS, DiffOptions};
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::history::{History, LOG_OPTIONS};
use crate::utility::git::object::commit::Signature;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::{Decorations, Format, LogStyle, Shown};
use crate::utility::git::walk::Item;

pub(super) static COMMAND: Command = Command {
    name: "log",
    usage: "git log [<options>] [<revision-range>] [[--] <path>...]",
    options: &[LOG_OPTIONS, DIFF_OPTIONS],
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

/// How diffs of merges are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merges {
    Off,
    FirstParent,
    Separate,
    Combined,
}

/// Prints commits with their changes.
pub(super) struct Printer {
    pub(super) pretty: LogStyle,
    pub(super) decorations: Decorations,
    pub(super) decorates: Option<bool>,
    pub(super) diff: DiffOptions,
    pub(super) merges: Merges,
    pub(super) spec: Pathspec,
    /// A commit was printed, and something stands between it and the next.
    pub(super) has_printed: bool,
    /// Only commits with changes are shown.
    pub(super) only_changed: bool,
    /// The name that a file has in older commits, with `--follow`.
    pub(super) followed: Option<Text>,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let mut history = git.history(&arguments, Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, false).await?;
    if arguments.has("walk-reflogs") {
        return super::reflog::walk(git, &history, &mut printer).await;
    }
    if arguments.has("follow") {
        let [path] = history.paths.as_slice() else { return Err(fatal!("--follow requires exactly one pathspec")) };
        printer.followed = Some(Text::from(git.relative(path)?));
        history.walk.pathspec = Pathspec::default();
    } else {
        printer.spec = if arguments.has("full-diff") { Pathspec::default() } else { history.walk.pathspec.clone() };
    }
    print_all(git, &mut history, &mut printer).await?;
    Ok(u8::from(printer.diff.exit_code && printer.has_printed))
}

/// Prints all commits of a history.
pub(super) async fn print_all(git: &mut Git, history: &mut History, printer: &mut Printer) -> Result<()> {
    let most = history.most;
    if printer.followed.is_some() {
        history.most = None;
    }
    history.prepare(git).await?;
    let mut count = 0;
    while let Some(item) = history.next(git).await? {
        if most.is_some_and(|most| count >= most) {
            break;
        }
        let mark = history.mark(&item);
        count += usize::from(printer.commit(git, &item, mark, None).await?);
    }
    Ok(())
}

impl Printer {
    pub(super) async fn new(git: &mut Git, arguments: &Arguments, is_show: bool) -> Result<Self> {
        let pretty = git.log_style(arguments)?;
        let mut diff = git.diff_options(arguments)?;
        if is_show && diff.formats.is_default() {
            diff.formats.patch = true;
        }
        let uses = |text: &[u8]| {
            let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
            has(b"%d") || has(b"%D")
        };
        let decorates = match (arguments.truth("decorate"), arguments.value("decorate").map(Text::as_bytes)) {
            (Some(false), _) | (_, Some(b"no")) => None,
            (Some(true), Some(b"full")) => Some(true),
            (Some(true), Some(b"auto")) => None,
            (Some(true), _) => Some(false),
            (None, _) => match git.config.get("log.decorate") {
                Some(b"full") => Some(true),
                Some(b"auto" | b"no" | b"false") | None => None,
                Some(_) => Some(false),
            },
        };
        let needs = decorates.is_some()
            || matches!(&pretty.format, Format::User(text, _) if uses(text));
        let decorations = if needs { git.decorations().await? } else { Decorations::default() };
        let merges = match arguments.value("diff-merges").map(Text::as_bytes) {
            Some(b"off" | b"none") => Merges::Off,
            Some(b"first-parent" | b"1") => Merges::FirstParent,
            Some(b"separate" | b"m" | b"on") => Merges::Separate,
            Some(b"combined" | b"c" | b"dense-combined" | b"cc") => Merges::Combined,
            Some(other) => return Err(fatal!("invalid value for '--diff-merges': '{}'", bstr::BStr::new(other))),
            None if arguments.has("c") || arguments.has("cc") => Merges::Combined,
            None if arguments.has("first-parent") => Merges::FirstParent,
            None if arguments.has("m") => Merges::Separate,
            None if is_show => Merges::Combined,
            None => Merges::Off,
        };
        let only_changed = diff.occurrences.is_some() || diff.matching.is_some() || !diff.filter.is_empty();
        Ok(Self {
            pretty,
            decorations,
            decorates,
            diff,
            merges,
            spec: Pathspec::default(),
            has_printed: false,
            only_changed,
            followed: None,
        })
    }

    /// The changes of a commit against a parent.
    async fn changes(&self, git: &mut Git, old: ObjectId, new: ObjectId) -> Result<Vec<Change>> {
        let changes = compare(git, old, new, &self.spec, TreeOptions::RECURSIVE).await?;
        git.refine(changes, &self.diff).await
    }

    /// Prints a commit; whether it did.
    pub(super) async fn commit(
        &mut self,
        git: &mut Git,
        item: &Item,
        mark: &str,
        log: Option<(&Text, &crate::utility::git::refs::LogEntry)>,
    ) -> Result<bool> {
        let bytes = git.object(&item.id).await?.1;
        let wants_diff = (!self.diff.formats.is_default() && !self.diff.formats.none) || self.only_changed;
        let mut sets: Vec<Vec<Change>> = Vec::new();
        let mut has_combined = false;
        if let Some(path) = self.followed.clone() {
            let Some(changes) = self.follow(git, item, &path).await? else { return Ok(false) };
            sets.push(changes);
        } else if wants_diff {
            let tree = item.commit.tree;
            let parents = &item.commit.parents;
            match (parents.as_slice(), self.merges) {
                ([], _) => sets.push(self.changes(git, ObjectId::EMPTY_TREE, tree).await?),
                ([parent], _) => {
                    let old = git.commit(parent).await?.tree;
                    sets.push(self.changes(git, old, tree).await?);
                }
                ([parent, ..], Merges::FirstParent) => {
                    let old = git.commit(parent).await?.tree;
                    sets.push(self.changes(git, old, tree).await?);
                }
                (_, Merges::Off) => {}
                (parents, Merges::Separate) => {
                    for parent in parents {
                        let old = git.commit(parent).await?.tree;
                        sets.push(self.changes(git, old, tree).await?);
                    }
                }
                (parents, Merges::Combined) => {
                    has_combined = true;
                    sets.push(self.combined(git, parents, tree).await?);
                }
            }
        }
        if self.only_changed && sets.iter().all(Vec::is_empty) {
            return Ok(false);
        }
        if sets.len() < 2 {
            let changes = sets.pop().unwrap_or_default();
            self.one(git, item, &bytes, (mark, log), &changes, has_combined).await?;
        } else {
            for changes in &sets {
                if !changes.is_empty() {
                    self.one(git, item, &bytes, (mark, log), changes, false).await?;
                }
            }
        }
        Ok(true)
    }

    /// Prints a commit and one set of changes.
    async fn one(
        &mut self,
        git: &mut Git,
        item: &Item,
        bytes: &[u8],
        (mark, log): (&str, Option<(&Text, &crate::utility::git::refs::LogEntry)>),
        changes: &[Change],
        is_combined: bool,
    ) -> Result<()> {
        let shown = Shown { id: item.id, bytes, decorations: &self.decorations, log, mark };
        let text = git.show_commit(&shown, &self.pretty, self.decorates).await?;
        let is_terminated = self.pretty.format.is_terminated();
        let is_empty = self.pretty.format.is_empty();
        if self.has_printed && !is_terminated {
            git.print(b"\n").await?;
        }
        self.has_printed = true;
        git.print(&text).await?;
        if is_terminated && !is_empty {
            git.print(if self.diff.ends_in_nul { b"\0" } else { b"\n" }).await?;
        }
        if matches!(self.pretty.format, Format::User(_, false)) && !changes.is_empty() {
            git.print(b"\n").await?;
        }
        if changes.is_empty() || self.diff.formats.none || self.diff.formats.is_default() {
            return Ok(());
        }
        if !self.pretty.format.is_oneline() && !is_empty {
            let both = self.diff.formats.patch && self.diff.formats.stat;
            git.print(if both { b"---\n" } else { b"\n" }).await?;
        }
        if is_combined && self.diff.formats.patch {
            return Err(fatal!("combined diffs of merges are not supported; use --first-parent or -m"));
        }
        git.print_changes(changes, &self.diff).await
    }

    /// The files that a merge has unlike all of its parents; as figures, the changes against the first.
    async fn combined(&self, git: &mut Git, parents: &[ObjectId], tree: ObjectId) -> Result<Vec<Change>> {
        let formats = self.diff.formats;
        let mut kept: Option<Vec<Change>> = None;
        for parent in parents {
            let old = git.commit(parent).await?.tree;
            let changes = compare(git, old, tree, &self.spec, TreeOptions::RECURSIVE).await?;
            kept = Some(match kept {
                None => {
                    if formats.stat || formats.numstat || formats.shortstat || formats.summary {
                        return git.refine(changes, &self.diff).await;
                    }
                    changes
                }
                Some(mut known) => {
                    known.retain(|change| changes.iter().any(|other| other.path == change.path));
                    known
                }
            });
        }
        Ok(kept.unwrap_or_default())
    }

    /// The change of a file that is followed; its older name is followed from here on.
    async fn follow(&mut self, git: &mut Git, item: &Item, path: &Text) -> Result<Option<Vec<Change>>> {
        if item.commit.parents.len() > 1 {
            return Ok(None);
        }
        let old = match item.commit.parents.first() {
            Some(parent) => git.commit(parent).await?.tree,
            None => ObjectId::EMPTY_TREE,
        };
        let one = git.find_in_tree(old, path).await?;
        let other = git.find_in_tree(item.commit.tree, path).await?;
        if one == other {
            return Ok(None);
        }
        let changes = compare(git, old, item.commit.tree, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
        let mut changes = git.refine(changes, &self.diff).await?;
        changes.retain(|change| change.path == *path);
        if let Some(change) = changes.first()
            && change.is_pair()
        {
            self.followed = Some(change.old_path.clone());
        }
        Ok(Some(changes))
    }

    /// Prints an object that is not a commit, for `show`.
    pub(super) async fn tag(&mut self, git: &mut Git, bytes: &[u8]) -> Result<()> {
        use crate::utility::git::object::commit::{header, message};
        if self.has_printed {
            git.print(b"\n").await?;
        }
        self.has_printed = true;
        let name = header(bytes, b"tag").unwrap_or(&[]);
        let mut out: Vec<u8> = [b"tag ", name, b"\n"].concat_metered();
        if let Some(tagger) = header(bytes, b"tagger") {
            let who = Signature::parse(tagger);
            out.extend_from_slice(&[b"Tagger: ", who.name, b" <", who.email, b">\n"].concat_metered());
            let date = git.show_date(&who, &self.pretty.date);
            out.extend_from_slice(&[b"Date:   ", &date[..], b"\n"].concat_metered());
        }
        out.push(b'\n');
        out.extend_from_slice(message(bytes));
        git.print(&out).await
    }
}
