//! What `log`, `show`, `rev-list` and their like have in common: their options, the revisions and paths they are given, and
//! which commits are shown.

use super::Git;
use super::arguments::Arguments;
use super::date::{DateMode, parse_about};
use super::error::{Result, fatal};
use super::graph::Graph;
use super::object::commit::{header, message};
use super::object::id::{Kind, ObjectId};
use super::pretty::{Format, LogStyle};
use super::walk::{Item, Order, Walk};
use super::wildmatch::matches;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::context::pace::Pace;
use crate::utility::regex::{Regex, RegexOptions, Syntax};
use crate::utility::{OptionSpec, flag, number, optional, value};

/// The rows of these options.
pub(crate) const LOG_OPTIONS: &[OptionSpec] = &[
    value('n', "max-count", "n", "limit the number of commits to output"),
    number("count-of-commits", "limit the number of commits to output"),
    value('\0', "skip", "n", "skip <n> commits before starting to show the commit output"),
    value('\0', "since", "date", "show commits more recent than <date>"),
    value('\0', "after", "date", "show commits more recent than <date>"),
    value('\0', "until", "date", "show commits older than <date>"),
    value('\0', "before", "date", "show commits older than <date>"),
    value('\0', "max-age", "time", "limit the commits output to the time range"),
    value('\0', "min-age", "time", "limit the commits output to the time range"),
    value('\0', "author", "pattern", "limit to commits with an author that matches"),
    value('\0', "committer", "pattern", "limit to commits with a committer that matches"),
    value('\0', "grep", "pattern", "limit to commits with a message that matches"),
    flag('\0', "all-match", "limit to commits that match all patterns"),
    flag('\0', "invert-grep", "limit to commits whose message does not match"),
    flag('i', "regexp-ignore-case", "match patterns without regard to letter case"),
    flag('E', "extended-regexp", "patterns are extended regular expressions"),
    flag('F', "fixed-strings", "patterns are fixed strings"),
    flag('\0', "basic-regexp", "patterns are basic regular expressions"),
    flag('\0', "merges", "print only merge commits"),
    flag('\0', "no-merges", "do not print merge commits"),
    value('\0', "min-parents", "n", "show commits that have at least that many parents"),
    value('\0', "max-parents", "n", "show commits that have at most that many parents"),
    flag('\0', "first-parent", "follow only the first parent"),
    flag('\0', "not", "reverse the meaning of ^ for all following revisions"),
    flag('\0', "all", "pretend that all refs were listed"),
    optional('\0', "branches", "pattern", "pretend that all branches were listed"),
    optional('\0', "tags", "pattern", "pretend that all tags were listed"),
    optional('\0', "remotes", "pattern", "pretend that all remote-tracking branches were listed"),
    value('\0', "glob", "pattern", "pretend that all refs that match were listed"),
    value('\0', "exclude", "pattern", "do not include refs that match"),
    flag('\0', "ignore-missing", "pretend that bad input was not given"),
    flag('\0', "date-order", "show no parents before all of its children, else by date"),
    flag('\0', "author-date-order", "not supported"),
    flag('\0', "topo-order", "show no parents before all of its children"),
    flag('\0', "reverse", "output the commits in reverse order"),
    flag('\0', "boundary", "output excluded boundary commits"),
    flag('\0', "left-right", "mark which side of a symmetric difference a commit is reachable from"),
    flag('\0', "left-only", "list only commits on the left side"),
    flag('\0', "right-only", "list only commits on the right side"),
    flag('\0', "full-history", "do not simplify history"),
    flag('\0', "simplify-merges", "not supported"),
    optional('\0', "no-walk", "(sorted|unsorted)", "show the given commits, but not their ancestors"),
    flag('\0', "do-walk", "override a previous --no-walk"),
    flag('\0', "stdin", "not supported"),
    optional('\0', "pretty", "format", "pretty-print the contents of the commits"),
    value('\0', "format", "format", "pretty-print the contents of the commits"),
    flag('\0', "oneline", "shorthand for --pretty=oneline --abbrev-commit"),
    flag('\0', "abbrev-commit", "show a prefix that names the object"),
    flag('\0', "parents", "print the parents of the commit"),
    value('\0', "date", "format", "the format of dates"),
    flag('\0', "relative-date", "synonym for --date=relative"),
    optional('\0', "decorate", "format", "print out the ref names of commits that are shown"),
    flag('\0', "clear-decorations", "decorate with all refs"),
    value('\0', "decorate-refs", "pattern", "not supported"),
    flag('\0', "source", "not supported"),
    flag('\0', "use-mailmap", "accepted; names are shown as they are"),
    flag('\0', "mailmap", "accepted; names are shown as they are"),
    optional('\0', "notes", "ref", "accepted; notes are not shown"),
    flag('\0', "graph", "draw a text-based graphical representation of the commit history"),
    flag('g', "walk-reflogs", "walk reflog entries instead of the history"),
    flag('\0', "follow", "continue listing the history of a file beyond renames"),
    flag('m', "", "show diffs of merges against all parents"),
    flag('c', "", "show combined diffs of merges"),
    flag('\0', "cc", "show combined diffs of merges without hunks that are as in one parent"),
    flag('\0', "dd", "show diffs of merges against the first parent"),
    flag('\0', "remerge-diff", "not supported"),
    flag('t', "", "show the tree objects in the diff output"),
    flag('r', "", "recurse into subtrees"),
    flag('\0', "root", "show the initial commit as a big creation event"),
    optional('\0', "diff-merges", "format", "the format of diffs of merges"),
    flag('\0', "show-signature", "accepted; signatures are not checked"),
    flag('\0', "count", "print how many commits there are"),
    flag('\0', "timestamp", "print the raw commit timestamp"),
    flag('\0', "objects", "not supported"),
    optional('\0', "color", "when", "accepted where no colors are asked for"),
    flag('\0', "header", "not supported"),
    flag('\0', "commit-header", "print a header line of commits with a format"),
    flag('\0', "full-diff", "show the whole change of a commit"),
    flag('\0', "encoding", "accepted"),
];

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
    is_reversed: bool,
    shows_boundary: bool,
    pub(crate) graph: Option<Graph>,
    /// The refs whose logs are walked.
    pub(crate) logs: Vec<Text>,
    shown: Vec<ObjectId>,
    list: Option<Vec<Item>>,
    count: usize,
    skipped: usize,
}

#[derive(Default)]
struct Filters {
    authors: Vec<Regex>,
    committers: Vec<Regex>,
    messages: Vec<Regex>,
    all_match: bool,
    inverted: bool,
}

/// What a word on the command line is.
enum Word {
    Revision,
    Path,
}

impl Git {
    fn regexes(&self, arguments: &Arguments, name: &str) -> Result<Vec<Regex>> {
        let mut list = Vec::new();
        let configured = self.config.get("grep.patterntype").unwrap_or(b"default");
        let is_extended = configured == b"extended" || self.config.truth("grep.extendedregexp") == Some(true);
        let syntax = match arguments.last_of(&["extended-regexp", "fixed-strings", "basic-regexp"]) {
            Some("extended-regexp") => Syntax::Extended,
            None if is_extended => Syntax::Extended,
            _ => Syntax::Basic,
        };
        let is_fixed =
            arguments.last_of(&["extended-regexp", "fixed-strings", "basic-regexp"]) == Some("fixed-strings");
        for pattern in arguments.values(name) {
            let options = RegexOptions {
                ignore_case: arguments.has("regexp-ignore-case"),
                newline_sensitive: true,
                ..RegexOptions::default()
            };
            let pattern = if is_fixed { escaped(pattern) } else { Vec::from(&pattern[..]) };
            match Regex::new(&pattern, syntax, &options) {
                Ok(regex) => list.push(regex),
                Err(error) => return Err(fatal!("command line, '{}': {error}", bstr::BStr::new(&pattern))),
            }
        }
        Ok(list)
    }

    /// Takes the options and operands of a command that walks a history; `default` stands for no revision.
    pub(crate) async fn history(&mut self, arguments: &Arguments, default: Option<&str>) -> Result<History> {
        let draws = arguments.has("graph");
        if draws && (arguments.has("reverse") || arguments.has("no-walk") || arguments.has("walk-reflogs")) {
            let other = arguments.last_of(&["reverse", "no-walk", "walk-reflogs"]).unwrap_or_default();
            let (one, two) = if other == "reverse" { ("graph", other) } else { (other, "graph") };
            return Err(fatal!("options '--{one}' and '--{two}' cannot be used together"));
        }
        for name in ["objects", "stdin", "simplify-merges", "author-date-order", "header", "source"] {
            if arguments.has(name) {
                return Err(fatal!("--{name} is not supported"));
            }
        }
        let mut walk = Walk {
            is_reversed: arguments.has("reverse"),
            first_parent: arguments.has("first-parent"),
            only_tips: arguments.last_of(&["no-walk", "do-walk"]) == Some("no-walk"),
            sorts_tips: arguments.value("no-walk").is_none_or(|order| **order != *b"unsorted"),
            full_history: arguments.has("full-history"),
            shows_boundary: arguments.has("boundary"),
            order: match arguments.last_of(&["topo-order", "date-order"]) {
                Some("topo-order") => Order::Topological,
                Some(_) => Order::Date,
                None if draws => Order::Topological,
                None => Order::Plain,
            },
            rewrites_parents: draws || arguments.has("parents"),
            ..Walk::default()
        };
        for (name, is_since) in [
            ("since", true),
            ("after", true),
            ("max-age", true),
            ("until", false),
            ("before", false),
            ("min-age", false),
        ] {
            let Some(text) = arguments.value(name) else { continue };
            let moment = if name.ends_with("-age") {
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
        let count = |name: &str| -> Result<Option<usize>> {
            Ok(arguments.number(name)?.and_then(|number| usize::try_from(number).ok()))
        };
        let most = match arguments.last_of(&["max-count", "count-of-commits"]) {
            Some(name) => count(name)?,
            None => None,
        };
        let mut parents = (count("min-parents")?.unwrap_or(0), count("max-parents")?.unwrap_or(usize::MAX));
        match arguments.last_of(&["merges", "no-merges"]) {
            Some("merges") => parents.0 = 2,
            Some(_) => parents.1 = 1,
            None => {}
        }
        let filters = Filters {
            authors: self.regexes(arguments, "author")?,
            committers: self.regexes(arguments, "committer")?,
            messages: self.regexes(arguments, "grep")?,
            all_match: arguments.has("all-match"),
            inverted: arguments.has("invert-grep"),
        };
        let mut history = History {
            walk,
            objects: Vec::new(),
            paths: Vec::new(),
            most,
            skip: count("skip")?.unwrap_or(0),
            parents,
            filters,
            left_right: arguments.has("left-right"),
            side: match arguments.last_of(&["left-only", "right-only"]) {
                Some("left-only") => Some(true),
                Some(_) => Some(false),
                None => None,
            },
            is_reversed: arguments.has("reverse"),
            shows_boundary: arguments.has("boundary"),
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

    async fn take_words(
        &mut self,
        arguments: &Arguments,
        history: &mut History,
        default: Option<&str>,
    ) -> Result<()> {
        let mut has_refs = false;
        let excluded: Vec<Text> = arguments.values("exclude").cloned().collect();
        for (spec, given, is_negated) in arguments.in_order_toggled("not") {
            let front = match spec.long {
                "all" | "glob" => "refs/",
                "branches" => "refs/heads/",
                "tags" => "refs/tags/",
                "remotes" => "refs/remotes/",
                _ => continue,
            };
            has_refs = true;
            for (name, id) in self.refs(front.as_bytes()).await? {
                let short = name.strip_prefix(front.as_bytes()).unwrap_or(&name);
                let fits = |pattern: &[u8], name: &[u8]| {
                    let pattern = pattern.strip_prefix(b"refs/").unwrap_or(pattern);
                    let is_glob = pattern.iter().any(|byte| b"*?[".contains(byte));
                    matches(pattern, name, false, false)
                        || (!is_glob
                            && name
                                .strip_prefix(pattern)
                                .is_some_and(|rest| rest.starts_with(b"/") || rest.is_empty()))
                };
                let is_excluded = excluded.iter().any(|pattern| fits(pattern, short) || fits(pattern, &name));
                if !is_excluded && given.is_none_or(|pattern| fits(pattern, short)) {
                    self.add_tip(history, &name, id, is_negated).await?;
                }
            }
            if spec.long == "all"
                && let Some(id) = self.head_id()?
            {
                self.add_tip(history, b"HEAD", id, is_negated).await?;
            }
        }
        let (before, after) = arguments.parts();
        let has_separator = arguments.separator.is_some();
        let mut has_revisions = false;
        let mut is_path = false;
        for (at, word) in before.iter().enumerate() {
            self.ctx.tick().await?;
            if !is_path {
                let taken = self.take_revision(history, word, arguments.is_toggled_at("not", at)).await?;
                match taken {
                    Some(Word::Revision) => {
                        has_revisions = true;
                        if !has_separator && self.is_file(word) && at < before.len() {
                            return Err(fatal!(
                                "ambiguous argument '{word}': both revision and filename\nUse '--' to separate paths from \
revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
                            ));
                        }
                        continue;
                    }
                    Some(Word::Path) => {}
                    None if has_separator => return Err(fatal!("bad revision '{word}'")),
                    None => {}
                }
                is_path = true;
            }
            if !self.is_file(word) && !looks_like_pathspec(word) {
                return Err(self.unresolved(word).await?);
            }
            history.paths.push(word.clone());
        }
        history.paths.extend(after.iter().cloned());
        history.walk.pathspec = self.pathspec(&history.paths)?;
        if !has_revisions
            && !has_refs
            && let Some(default) = default
        {
            match self.resolve(default.as_bytes()).await? {
                Some(id) => self.add_tip(history, default.as_bytes(), id, false).await?,
                None => {
                    return Err(match self.current_branch()? {
                        Some(branch) => {
                            fatal!("your current branch '{branch}' does not have any commits yet")
                        }
                        None => fatal!("bad default revision 'HEAD'"),
                    });
                }
            }
            if let Some(name) = history.logs.last_mut() {
                *name = Text::from(default);
            }
        }
        Ok(())
    }

    fn is_file(&self, word: &[u8]) -> bool {
        !word.is_empty() && self.fs().symlink_metadata(&self.ctx.absolute(word)).is_ok()
    }

    /// Adds an object that was named.
    async fn add_tip(
        &mut self,
        history: &mut History,
        name: &[u8],
        id: ObjectId,
        is_excluded: bool,
    ) -> Result<()> {
        match self.peel_tags(id).await? {
            Some(peeled) => {
                let header = self.object_header(&peeled).await?;
                if header.is_some_and(|header| header.0 == Kind::Commit) {
                    if is_excluded {
                        history.walk.exclude(peeled);
                    } else {
                        history.walk.include(peeled);
                    }
                }
            }
            None => return Err(fatal!("bad object {}", bstr::BStr::new(name))),
        }
        if !is_excluded {
            history.objects.push((name.into(), id));
            history.logs.push(name.into());
        }
        Ok(())
    }

    /// Takes a revision or a range; `None`: it is neither.
    async fn take_revision(
        &mut self,
        history: &mut History,
        word: &Text,
        is_negated: bool,
    ) -> Result<Option<Word>> {
        if let Some(dots) = memchr::memmem::find(word, b"..")
            && word.as_bytes() != b".."
        {
            let is_symmetric = word.get(dots + 2) == Some(&b'.');
            let front = word.get(..dots).filter(|front| !front.is_empty()).unwrap_or(b"HEAD");
            let start = dots + 2 + usize::from(is_symmetric);
            let back = word.get(start..).filter(|back| !back.is_empty()).unwrap_or(b"HEAD");
            if let (Some(one), Some(other)) = (self.resolve(front).await?, self.resolve(back).await?) {
                if !is_symmetric {
                    self.add_tip(history, front, one, !is_negated).await?;
                    self.add_tip(history, back, other, is_negated).await?;
                    return Ok(Some(Word::Revision));
                }
                let (one, other) =
                    (self.peel(one, Kind::Commit).await?, self.peel(other, Kind::Commit).await?);
                let (Some(one), Some(other)) = (one, other) else {
                    return Err(fatal!("Invalid symmetric difference expression {word}"));
                };
                for base in self.merge_bases(one, &[other]).await? {
                    history.walk.exclude(base);
                }
                history.walk.include_left(one);
                history.walk.include(other);
                history.objects.push((front.into(), one));
                history.objects.push((back.into(), other));
                return Ok(Some(Word::Revision));
            }
        }
        let (name, is_excluded) = match word.strip_prefix(b"^") {
            Some(name) => (name, !is_negated),
            None => (&word[..], is_negated),
        };
        for (suffix, with_itself) in [(&b"^@"[..], false), (b"^!", true)] {
            if let Some(base) = name.strip_suffix(suffix)
                && let Some(id) = self.resolve_commit(base).await?
            {
                if with_itself {
                    self.add_tip(history, base, id, is_excluded).await?;
                }
                for parent in &self.commit(&id).await?.parents {
                    self.add_tip(history, base, *parent, with_itself != is_excluded).await?;
                }
                return Ok(Some(Word::Revision));
            }
        }
        match self.resolve(name).await? {
            Some(id) => {
                if !self.has_object(&id)? {
                    return Err(fatal!("bad object {}", bstr::BStr::new(name)));
                }
                self.add_tip(history, name, id, is_excluded).await?;
                Ok(Some(Word::Revision))
            }
            None if self.is_file(word) => Ok(Some(Word::Path)),
            None => Ok(None),
        }
    }

    /// How the commits of `log` and `show` are shown.
    pub(crate) fn log_style(&self, arguments: &Arguments) -> Result<LogStyle> {
        let configured = self.config.get("format.pretty").map(Vec::from);
        let mut style = LogStyle {
            format: match &configured {
                Some(name) => Format::named(name, self)?,
                None => Format::Medium,
            },
            date: DateMode::default(),
            abbreviates: self.config.truth("log.abbrevcommit") == Some(true),
            abbreviation: None,
            shows_parents: arguments.has("parents"),
        };
        if let Some(name) = self.config.get("log.date") {
            style.date = DateMode::named(name).unwrap_or_default();
        }
        for (spec, given) in arguments.in_order() {
            match spec.long {
                "format" | "pretty" if given.is_some_and(|given| given.is_empty()) => {
                    style.format = Format::User(Text::EMPTY, true);
                }
                "pretty" => style.format = Format::named(given.map_or(&b""[..], |given| given), self)?,
                "format" => style.format = Format::named(given.map_or(&b""[..], |given| given), self)?,
                "oneline" => (style.format, style.abbreviates) = (Format::Oneline, true),
                "date" => {
                    let given = given.cloned().unwrap_or_default();
                    let Some(mode) = DateMode::named(&given) else {
                        return Err(fatal!("unknown date format {given}"));
                    };
                    style.date = mode;
                }
                "relative-date" => style.date = DateMode::named(b"relative").unwrap_or_default(),
                "abbrev" => {
                    let digits = given.and_then(|text| std::str::from_utf8(text).ok()?.parse::<usize>().ok());
                    style.abbreviation = digits.map(|digits| digits.clamp(4, 40));
                }
                _ => {}
            }
        }
        match arguments.truth_of_last(&["abbrev-commit", "oneline"]) {
            Some(("abbrev-commit", truth)) => style.abbreviates = truth,
            Some((_, true)) => style.abbreviates = true,
            _ => {}
        }
        if arguments.truth("abbrev") == Some(false) {
            style.abbreviation = Some(40);
        }
        Ok(style)
    }
}

/// A text as an expression that matches it alone.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in text {
        if b".[]*^$\\".contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// Whether a word that is not a file may be meant as a pattern of paths.
fn looks_like_pathspec(word: &[u8]) -> bool {
    let is_special = |byte: &u8| b"*?[".contains(byte);
    word.starts_with(b":(")
        || word.starts_with(b":/")
        || word.starts_with(b":!")
        || word.starts_with(b":^")
        || word.iter().any(is_special)
}

impl Filters {
    fn is_empty(&self) -> bool {
        self.authors.is_empty() && self.committers.is_empty() && self.messages.is_empty()
    }

    async fn pass(&self, git: &mut Git, id: &ObjectId) -> Result<bool> {
        if self.is_empty() {
            return Ok(true);
        }
        let bytes = git.object(id).await?.1;
        let mut is_wanted = true;
        for (list, name) in [(&self.authors, &b"author"[..]), (&self.committers, b"committer")] {
            if list.is_empty() {
                continue;
            }
            let line = header(&bytes, name).unwrap_or(&[]);
            let end = memchr::memrchr(b'>', line).map_or(line.len(), |at| at + 1);
            let mut is_hit = false;
            for regex in list {
                let found =
                    regex.is_match(line.get(..end).unwrap_or(line), &mut Pace::Shared(&git.ctx.meter)).await;
                is_hit |= found.unwrap_or(false);
            }
            is_wanted &= is_hit;
        }
        if !self.messages.is_empty() {
            let mut hits = 0;
            for regex in &self.messages {
                let found = regex.is_match(message(&bytes), &mut Pace::Shared(&git.ctx.meter)).await;
                hits += usize::from(found.unwrap_or(false));
            }
            let is_hit = if self.all_match { hits == self.messages.len() } else { hits > 0 };
            is_wanted &= is_hit != self.inverted;
        }
        Ok(is_wanted)
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
