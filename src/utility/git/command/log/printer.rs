//! Commits with their changes, as `log` and `show` print them.

use super::LogOpt;
use crate::memory::{JoinMetered, Vec};
use crate::text::Text;
use crate::utility::OptionSet;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::diff::change::{Change, Side};
use crate::utility::git::diff::options::{DiffOptions, Formats};
use crate::utility::git::diff::rename::{RenameOptions, detect};
use crate::utility::git::diff::tree::{TreeOptions, compare, files};
use crate::utility::git::error::{Result, fatal};
use crate::utility::git::graph::Graph;
use crate::utility::git::history::HistoryOpt;
use crate::utility::git::object::commit::Signature;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::{Decorations, Format, LogStyle, Shown};
use crate::utility::git::refs::LogEntry;
use crate::utility::git::walk::Item;

/// How diffs of merges are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merges {
    Off,
    FirstParent,
    Separate,
    Combined,
    /// Combined, without what is as in one of the parents.
    Dense,
}

/// Prints commits with their changes.
pub(crate) struct Printer {
    pub(crate) pretty: LogStyle,
    pub(crate) decorations: Decorations,
    pub(crate) decorates: Option<bool>,
    pub(crate) diff: DiffOptions,
    pub(crate) merges: Merges,
    pub(crate) spec: Pathspec,
    /// A commit was printed, and something stands between it and the next.
    pub(crate) has_printed: bool,
    /// What was printed last had no newline at its end.
    lacks_newline: bool,
    /// Only commits with changes are shown.
    pub(crate) only_changed: bool,
    /// The name that a file has in older commits, with `--follow`.
    pub(crate) followed: Option<Text>,
    pub(crate) graph: Option<Graph>,
    tree_options: TreeOptions,
    /// The first commit has its files as changes.
    shows_root: bool,
}

/// What is shown of a commit beside its own text.
struct Heading<'h> {
    mark: &'h str,
    log: Option<(&'h Text, &'h LogEntry)>,
    /// The parent that it is compared with, where there is a diff for each.
    from: Option<ObjectId>,
}

/// What `--diff-merges` and its like say.
fn merges(git: &Git, arguments: &Arguments<LogOpt>, is_show: bool) -> Result<Merges> {
    let named = |name: &[u8]| {
        Some(match name {
            b"off" | b"none" => Merges::Off,
            b"first-parent" | b"1" => Merges::FirstParent,
            b"separate" => Merges::Separate,
            b"combined" | b"c" => Merges::Combined,
            b"dense-combined" | b"cc" => Merges::Dense,
            _ => return None,
        })
    };
    let default = git.config.get("log.diffmerges").and_then(named).unwrap_or(Merges::Separate);
    Ok(
        match arguments.last_of([
            HistoryOpt::DiffMerges,
            HistoryOpt::Combined,
            HistoryOpt::DenseCombined,
            HistoryOpt::FirstParentDiff,
            HistoryOpt::EachParent,
            HistoryOpt::RemergeDiff,
        ]) {
            Some(HistoryOpt::DiffMerges) => match arguments.value(HistoryOpt::DiffMerges).map(Text::as_bytes)
            {
                Some(b"on" | b"m") => default,
                Some(name) => match named(name) {
                    Some(merges) => merges,
                    None => {
                        return Err(fatal!("invalid value for '--diff-merges': '{}'", bstr::BStr::new(name)));
                    }
                },
                None => Merges::Off,
            },
            Some(HistoryOpt::Combined) => Merges::Combined,
            Some(HistoryOpt::DenseCombined) => Merges::Dense,
            Some(HistoryOpt::FirstParentDiff) => Merges::FirstParent,
            Some(HistoryOpt::RemergeDiff) => {
                return Err(fatal!("--remerge-diff needs to merge contents, which is not supported"));
            }
            Some(_) => default,
            None if arguments.truth(HistoryOpt::DiffMerges) == Some(false) => Merges::Off,
            None if arguments.has(HistoryOpt::FirstParent) => Merges::FirstParent,
            None if is_show => Merges::Dense,
            None => Merges::Off,
        },
    )
}

impl Printer {
    pub(crate) async fn new(git: &mut Git, arguments: &Arguments<LogOpt>, is_show: bool) -> Result<Self> {
        for option in [HistoryOpt::Timestamp, HistoryOpt::CommitHeader] {
            if let Some(truth) = arguments.truth(option) {
                let no = if truth { "" } else { "no-" };
                return Err(fatal!("unrecognized argument: --{no}{}", option.long()));
            }
        }
        let pretty = git.log_style(&arguments.pick(LogOpt::style))?;
        let mut diff = git.diff_options(&arguments.pick(LogOpt::diff))?;
        let implies_patch =
            arguments.has_any([HistoryOpt::Combined, HistoryOpt::DenseCombined, HistoryOpt::FirstParentDiff]);
        if (is_show || implies_patch) && diff.formats.is_default() {
            diff.formats.patch = true;
        }
        let uses = |text: &[u8]| {
            memchr::memchr_iter(b'%', text).any(|at| {
                let rest = text.get(at + 1..).unwrap_or(&[]);
                let rest = match rest {
                    [b'+' | b'-' | b' ', rest @ ..] => rest,
                    _ => rest,
                };
                rest.starts_with(b"d") || rest.starts_with(b"D")
            })
        };
        let decorates = match (
            arguments.truth(HistoryOpt::Decorate),
            arguments.value(HistoryOpt::Decorate).map(Text::as_bytes),
        ) {
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
        let needs = decorates.is_some() || matches!(&pretty.format, Format::User(text, _) if uses(text));
        let decorations = if needs { git.decorations().await? } else { Decorations::default() };
        let only_changed = diff.occurrences.is_some() || diff.matching.is_some() || !diff.filter.is_empty();
        Ok(Self {
            pretty,
            decorations,
            decorates,
            diff,
            merges: merges(git, arguments, is_show)?,
            spec: Pathspec::default(),
            has_printed: false,
            lacks_newline: false,
            only_changed,
            followed: None,
            graph: None,
            tree_options: TreeOptions {
                shows_trees: arguments.has(HistoryOpt::ShowTrees),
                ..TreeOptions::RECURSIVE
            },
            shows_root: arguments.has(HistoryOpt::Root) || git.config.truth("log.showroot") != Some(false),
        })
    }

    /// The changes of a commit against a parent.
    async fn changes(&self, git: &mut Git, old: ObjectId, new: ObjectId) -> Result<Vec<Change>> {
        let changes = compare(git, old, new, &self.spec, self.tree_options).await?;
        git.refine(changes, &self.diff).await
    }

    /// Prints a commit; whether it did.
    pub(crate) async fn commit(
        &mut self,
        git: &mut Git,
        item: &Item,
        mark: &str,
        log: Option<(&Text, &LogEntry)>,
    ) -> Result<bool> {
        let bytes = git.object(&item.id).await?.1;
        let heading = Heading { mark, log, from: None };
        let wants_diff = (!self.diff.formats.is_default() && !self.diff.formats.none) || self.only_changed;
        let mut changes: Vec<Change> = Vec::new();
        if let Some(path) = self.followed.clone() {
            let Some(found) = self.follow(git, item, &path).await? else { return Ok(false) };
            changes = found;
        } else if wants_diff {
            let tree = item.commit.tree;
            match (item.commit.parents.as_slice(), self.merges) {
                ([], _) if !self.shows_root => {}
                ([], _) => changes = self.changes(git, ObjectId::EMPTY_TREE, tree).await?,
                ([parent], _) | ([parent, ..], Merges::FirstParent) => {
                    let old = git.commit(parent).await?.tree;
                    changes = self.changes(git, old, tree).await?;
                }
                (_, Merges::Off) => {}
                (parents, Merges::Separate) => {
                    let mut is_told = false;
                    for parent in parents {
                        let old = git.commit(parent).await?.tree;
                        let changes = self.changes(git, old, tree).await?;
                        if !changes.is_empty() {
                            is_told = true;
                            let heading = Heading { mark, log, from: Some(*parent) };
                            self.one(git, item, &bytes, &heading, &changes).await?;
                        }
                    }
                    if is_told {
                        return Ok(true);
                    }
                }
                (parents, Merges::Combined | Merges::Dense) => {
                    self.combined(git, item, &bytes, &heading, parents).await?;
                    return Ok(true);
                }
            }
        }
        if self.only_changed && changes.is_empty() {
            return Ok(false);
        }
        self.one(git, item, &bytes, &heading, &changes).await?;
        Ok(true)
    }

    /// Prints the text of a commit.
    async fn text(&mut self, git: &mut Git, item: &Item, bytes: &[u8], heading: &Heading<'_>) -> Result<()> {
        let is_plain = matches!(self.pretty.format, Format::User(..));
        let mark: crate::memory::String = if self.graph.is_some() || heading.mark.is_empty() {
            crate::memory::String::new()
        } else {
            crate::memory::format!("{}{}", heading.mark, if is_plain { "" } else { " " })
        };
        let mark = mark.as_str();
        let Heading { log, from, .. } = *heading;
        let shown = Shown { id: item.id, bytes, decorations: &self.decorations, log, mark, from };
        let text = git.show_commit(&shown, &self.pretty, self.decorates).await?;
        let end: u8 = if self.diff.ends_in_nul { 0 } else { b'\n' };
        let is_terminated = self.pretty.format.is_terminated();
        let mut out: Vec<u8> = Vec::new();
        if self.has_printed && !is_terminated {
            if let Some(graph) = &mut self.graph
                && end == b'\n'
                && !self.lacks_newline
            {
                graph.padding_line(&mut out);
            }
            out.push(end);
        }
        self.has_printed = true;
        self.lacks_newline = !text.ends_with(b"\n");
        match &mut self.graph {
            Some(graph) => {
                graph.head(&mut out);
                graph.text(&text, &mut out);
            }
            None => out.extend_from_slice(&text),
        }
        if is_terminated && !self.pretty.format.is_empty() {
            if let Some(graph) = &mut self.graph
                && !self.lacks_newline
            {
                graph.padding_line(&mut out);
            }
            out.push(end);
        }
        git.print(&out).await
    }

    /// What stands before each line of a diff.
    fn prefix(&mut self) -> Vec<u8> {
        let mut prefix = Vec::new();
        if let Some(graph) = &mut self.graph {
            graph.padding_line(&mut prefix);
        }
        prefix
    }

    /// Prints a commit and one set of changes.
    async fn one(
        &mut self,
        git: &mut Git,
        item: &Item,
        bytes: &[u8],
        heading: &Heading<'_>,
        changes: &[Change],
    ) -> Result<()> {
        self.text(git, item, bytes, heading).await?;
        let formats = self.diff.formats;
        if changes.is_empty() || formats.none || formats.is_default() {
            return Ok(());
        }
        let prefix = self.prefix();
        if !self.pretty.format.is_oneline() && !self.pretty.format.is_empty() {
            git.print(&prefix).await?;
            let both = formats.patch && formats.stat;
            git.print(if both { b"---\n" } else { b"\n" }).await?;
        }
        Self::capture(git, &prefix);
        self.diff.prefix_width = prefix.len();
        git.print_changes(changes, &self.diff).await?;
        Self::release(git, &prefix).await
    }

    /// Prints a merge with what differs from all of its parents; as figures, the changes against the first.
    async fn combined(
        &mut self,
        git: &mut Git,
        item: &Item,
        bytes: &[u8],
        heading: &Heading<'_>,
        parents: &[ObjectId],
    ) -> Result<()> {
        self.text(git, item, bytes, heading).await?;
        let formats = self.diff.formats;
        let prefix = self.prefix();
        if !formats.none && !self.pretty.format.is_empty() {
            git.print(&prefix).await?;
            git.print(if self.diff.ends_in_nul { b"\0" } else { b"\n" }).await?;
        }
        let mut trees = Vec::new();
        for parent in parents {
            trees.push(git.commit(parent).await?.tree);
        }
        Self::capture(git, &prefix);
        self.diff.prefix_width = prefix.len();
        let figures = Formats {
            stat: formats.stat,
            numstat: formats.numstat,
            shortstat: formats.shortstat,
            summary: formats.summary,
            ..Formats::default()
        };
        if !figures.is_default()
            && let Some(first) = trees.first()
        {
            let changes = self.changes(git, *first, item.commit.tree).await?;
            let options = DiffOptions { formats: figures, ..self.diff.clone() };
            git.print_changes(&changes, &options).await?;
        }
        let files = git.combined_files(&trees, item.commit.tree, &self.spec, &self.diff).await?;
        git.print_combined(&files, &self.diff, self.merges == Merges::Dense).await?;
        Self::release(git, &prefix).await
    }

    /// Keeps what is printed, where a graph stands before its lines.
    fn capture(git: &mut Git, prefix: &[u8]) {
        if !prefix.is_empty() {
            git.captured = Some(Vec::new());
        }
    }

    async fn release(git: &mut Git, prefix: &[u8]) -> Result<()> {
        let Some(captured) = git.captured.take() else { return Ok(()) };
        for line in captured.split_inclusive(|byte| *byte == b'\n') {
            git.print(prefix).await?;
            git.print(line).await?;
        }
        Ok(())
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
        let mut changes =
            compare(git, old, item.commit.tree, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
        if one.is_none() {
            changes = origins(git, old, changes, path).await?;
        } else {
            changes.retain(|change| change.path == *path);
        }
        let mut changes = git.refine(changes, &DiffOptions { renames: None, ..self.diff.clone() }).await?;
        changes.retain(|change| change.path == *path);
        if let Some(change) = changes.first()
            && change.is_pair()
        {
            self.followed = Some(change.old_path.clone());
        }
        Ok(Some(changes))
    }

    /// Prints an object that is not a commit, for `show`.
    pub(crate) async fn tag(&mut self, git: &mut Git, bytes: &[u8]) -> Result<()> {
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

/// Where a new file comes from: files that went, that changed, and that are still there.
async fn origins(git: &mut Git, tree: ObjectId, changes: Vec<Change>, path: &Text) -> Result<Vec<Change>> {
    let mut all: Vec<Change> = Vec::new();
    let mut known: crate::memory::HashMap<Text, ()> = crate::memory::HashMap::new();
    for change in changes.into_iter().filter(|change| change.status != b'A' || change.path == *path) {
        known.insert(change.path.clone(), ());
        all.push(change);
    }
    for file in files(git, tree, &Pathspec::default()).await? {
        if !known.contains_key(&file.path) {
            let side = Side::stored(file.mode, file.id);
            all.push(Change::new(file.path, side, side));
        }
    }
    all.sort_by(|one, other| one.path.cmp(&other.path));
    let options = RenameOptions { copies: true, harder: true, ..RenameOptions::default() };
    detect(git, all, options).await
}
