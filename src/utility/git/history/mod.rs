//! What `log`, `show`, `rev-list` and their like have in common: which commits are shown. `options.rs` has their options,
//! `words.rs` reads the revisions and paths that they are given, `filter.rs` knows which commits are left out.

mod filter;
mod options;
mod words;

use super::Git;
use super::arguments::Arguments;
use super::date::parse_about;
use super::error::{Result, fatal};
use super::graph::Graph;
use super::object::id::ObjectId;
use super::walk::{Item, Order, Walk};
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::OptionSet;
use filter::Filters;
pub(crate) use options::{HistoryOpt, StyleOption};

/// Which commits are shown, and how.
pub(crate) struct History {
    pub(crate) walk: Walk,
    /// Objects that are not commits, in their places among those that are.
    pub(crate) objects: Vec<(Text, ObjectId)>,
    pub(crate) paths: Vec<Text>,
    pub(crate) most: Option<usize>,
    pub(crate) skip: usize,
    parents: (usize, usize),
    filters: Filters,
    pub(crate) left_right: bool,
    side: Option<bool>,
    pub(crate) is_reversed: bool,
    shows_boundary: bool,
    pub(crate) graph: Option<Graph>,
    /// The refs whose logs are walked.
    pub(crate) logs: Vec<Text>,
    shown: Vec<ObjectId>,
    list: Option<Vec<Item>>,
    count: usize,
    skipped: usize,
}

impl Git {
    /// Takes the options and operands of a command that walks a history; `default` stands for no revision.
    pub(crate) async fn history(
        &mut self,
        arguments: &Arguments<HistoryOpt>,
        default: Option<&str>,
    ) -> Result<History> {
        let draws = arguments.has(HistoryOpt::Graph);
        let undrawn = [HistoryOpt::Reverse, HistoryOpt::NoWalk, HistoryOpt::WalkReflogs];
        if draws
            && arguments.has_any(undrawn)
            && let Some(other) = arguments.last_of(undrawn)
        {
            let (graph, name) = (HistoryOpt::Graph.long(), other.long());
            let (one, two) = if other == HistoryOpt::Reverse { (graph, name) } else { (name, graph) };
            return Err(fatal!("options '--{one}' and '--{two}' cannot be used together"));
        }
        if let Some(option) = arguments.first_of([
            HistoryOpt::Objects,
            HistoryOpt::Stdin,
            HistoryOpt::SimplifyMerges,
            HistoryOpt::AuthorDateOrder,
            HistoryOpt::Header,
            HistoryOpt::Source,
            HistoryOpt::Notes,
            HistoryOpt::ShowSignature,
        ]) {
            return Err(fatal!("--{} is not supported", option.long()));
        }
        arguments.refuse_color(HistoryOpt::Color)?;
        if let Some(encoding) = arguments.value(HistoryOpt::Encoding) {
            let known = ["", "none", "utf-8", "utf8"];
            if !known.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(encoding)) {
                return Err(fatal!("--encoding other than UTF-8 is not supported"));
            }
        }
        let mut walk = Walk {
            is_reversed: arguments.has(HistoryOpt::Reverse),
            first_parent: arguments.has(HistoryOpt::FirstParent),
            only_tips: arguments.last_of([HistoryOpt::NoWalk, HistoryOpt::DoWalk])
                == Some(HistoryOpt::NoWalk),
            sorts_tips: arguments.value(HistoryOpt::NoWalk).is_none_or(|order| **order != *b"unsorted"),
            full_history: arguments.has(HistoryOpt::FullHistory),
            shows_boundary: arguments.has(HistoryOpt::Boundary),
            order: match arguments.last_of([HistoryOpt::TopoOrder, HistoryOpt::DateOrder]) {
                Some(HistoryOpt::TopoOrder) => Order::Topological,
                Some(_) => Order::Date,
                None if draws => Order::Topological,
                None => Order::Plain,
            },
            rewrites_parents: draws || arguments.has(HistoryOpt::Parents),
            ..Walk::default()
        };
        for (option, is_since) in [
            (HistoryOpt::Since, true),
            (HistoryOpt::After, true),
            (HistoryOpt::MaxAge, true),
            (HistoryOpt::Until, false),
            (HistoryOpt::Before, false),
            (HistoryOpt::MinAge, false),
        ] {
            let Some(text) = arguments.value(option) else { continue };
            let moment = if matches!(option, HistoryOpt::MaxAge | HistoryOpt::MinAge) {
                std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
            } else {
                Some(parse_about(text, self).unwrap_or_else(|| self.now()))
            };
            if is_since {
                walk.since = moment;
            } else {
                walk.until = moment;
            }
        }
        let count = |option: HistoryOpt| -> Result<Option<usize>> {
            Ok(arguments.number(option)?.and_then(|number| usize::try_from(number).ok()))
        };
        let most = match arguments.last_of([HistoryOpt::MaxCount, HistoryOpt::CountOfCommits]) {
            Some(option) => count(option)?,
            None => None,
        };
        let mut parents = (
            count(HistoryOpt::MinParents)?.unwrap_or(0),
            count(HistoryOpt::MaxParents)?.unwrap_or(usize::MAX),
        );
        match arguments.last_of([HistoryOpt::Merges, HistoryOpt::NoMerges]) {
            Some(HistoryOpt::Merges) => parents.0 = 2,
            Some(_) => parents.1 = 1,
            None => {}
        }
        let filters = self.filters(arguments)?;
        let mut history = History {
            walk,
            objects: Vec::new(),
            paths: Vec::new(),
            most,
            skip: count(HistoryOpt::Skip)?.unwrap_or(0),
            parents,
            filters,
            left_right: arguments.has(HistoryOpt::LeftRight),
            side: match arguments.last_of([HistoryOpt::LeftOnly, HistoryOpt::RightOnly]) {
                Some(HistoryOpt::LeftOnly) => Some(true),
                Some(_) => Some(false),
                None => None,
            },
            is_reversed: arguments.has(HistoryOpt::Reverse),
            shows_boundary: arguments.has(HistoryOpt::Boundary),
            graph: draws.then(Graph::default),
            logs: Vec::new(),
            shown: Vec::new(),
            list: None,
            count: 0,
            skipped: 0,
        };
        self.take_words(arguments, &mut history, default).await?;
        Ok(history)
    }
}

impl History {
    pub(crate) async fn prepare(&mut self, git: &mut Git) -> Result<()> {
        self.walk.prepare(git).await
    }

    async fn next_wanted(&mut self, git: &mut Git) -> Result<Option<Item>> {
        loop {
            if self.most.is_some_and(|most| self.count >= most) {
                return Ok(None);
            }
            let Some(item) = self.walk.next(git).await? else { return Ok(None) };
            let parents = item.commit.parents.len();
            if parents < self.parents.0
                || parents > self.parents.1
                || self.side.is_some_and(|left| left != item.is_left)
            {
                continue;
            }
            if !self.filters.pass(git, &item.id).await? {
                continue;
            }
            if self.skipped < self.skip {
                self.skipped += 1;
                continue;
            }
            self.count += 1;
            if self.shows_boundary {
                self.shown.push(item.id);
            }
            return Ok(Some(item));
        }
    }

    /// The next commit that is shown.
    pub(crate) async fn next(&mut self, git: &mut Git) -> Result<Option<Item>> {
        if self.is_reversed && self.list.is_none() {
            let mut list = Vec::new();
            while let Some(item) = self.next_wanted(git).await? {
                list.push(item);
            }
            if self.shows_boundary {
                let shown = std::mem::take(&mut self.shown);
                list.extend(self.walk.boundary(git, &shown).await?);
            }
            self.list = Some(list);
        }
        if let Some(list) = &mut self.list {
            return Ok(list.pop());
        }
        match self.next_wanted(git).await? {
            Some(item) => Ok(Some(item)),
            None if self.shows_boundary => {
                let shown = std::mem::take(&mut self.shown);
                let mut rest = self.walk.boundary(git, &shown).await?;
                rest.as_mut_slice().reverse();
                let first = rest.pop();
                self.list = Some(rest);
                Ok(first)
            }
            None => Ok(None),
        }
    }

    /// Whether a commit would be shown.
    async fn is_shown(&self, git: &mut Git, id: &ObjectId) -> Result<bool> {
        let commit = git.commit(id).await?;
        let count = commit.parents.len();
        if self.walk.is_uninteresting(id) {
            return Ok(self.shows_boundary);
        }
        if count < self.parents.0
            || count > self.parents.1
            || self.walk.until.is_some_and(|until| commit.date > until)
        {
            return Ok(false);
        }
        self.filters.pass(git, id).await
    }

    /// Takes the graph on to a commit.
    pub(crate) async fn draw(&mut self, git: &mut Git, item: &Item) -> Result<()> {
        if self.graph.is_none() {
            return Ok(());
        }
        let mut parents = Vec::new();
        if !item.is_boundary {
            for parent in self.walk.rewritten_parents(git, &item.id).await? {
                if self.is_shown(git, &parent).await? {
                    parents.push(parent);
                }
            }
        }
        let sign = match (item.is_boundary, self.left_right) {
            (true, _) => b'o',
            (_, true) if item.is_left => b'<',
            (_, true) => b'>',
            _ => b'*',
        };
        if let Some(graph) = &mut self.graph {
            graph.update(item.id, parents, sign);
        }
        Ok(())
    }

    /// The sign before a commit.
    pub(crate) const fn mark(&self, item: &Item) -> &'static str {
        if item.is_boundary {
            "-"
        } else if self.left_right {
            if item.is_left { "<" } else { ">" }
        } else {
            ""
        }
    }
}
