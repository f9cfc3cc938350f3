//! The options of `log`, `show`, `rev-list` and their like, and what those on how commits are shown come to.

use crate::memory::Vec;
use crate::text::Text;
use crate::utility::context::options::options;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::date::DateMode;
use crate::utility::git::error::{Result, fatal};
use crate::utility::git::pretty::{Format, LogStyle};

options! {
    /// Options of `log`, `show`, `rev-list` and their like.
    pub(crate) enum HistoryOpt {
        MaxCount = value('n', "max-count", "n", "limit the number of commits to output"),
        CountOfCommits = number("count-of-commits", "limit the number of commits to output"),
        Skip = value('\0', "skip", "n", "skip <n> commits before starting to show the commit output"),
        Since = value('\0', "since", "date", "show commits more recent than <date>"),
        After = value('\0', "after", "date", "show commits more recent than <date>"),
        Until = value('\0', "until", "date", "show commits older than <date>"),
        Before = value('\0', "before", "date", "show commits older than <date>"),
        MaxAge = value('\0', "max-age", "time", "limit the commits output to the time range"),
        MinAge = value('\0', "min-age", "time", "limit the commits output to the time range"),
        Author = value('\0', "author", "pattern", "limit to commits with an author that matches"),
        Committer = value('\0', "committer", "pattern", "limit to commits with a committer that matches"),
        Grep = value('\0', "grep", "pattern", "limit to commits with a message that matches"),
        AllMatch = flag('\0', "all-match", "limit to commits that match all patterns"),
        InvertGrep = flag('\0', "invert-grep", "limit to commits whose message does not match"),
        RegexpIgnoreCase = flag('i', "regexp-ignore-case", "match patterns without regard to letter case"),
        ExtendedRegexp = flag('E', "extended-regexp", "patterns are extended regular expressions"),
        FixedStrings = flag('F', "fixed-strings", "patterns are fixed strings"),
        BasicRegexp = flag('\0', "basic-regexp", "patterns are basic regular expressions"),
        Merges = flag('\0', "merges", "print only merge commits"),
        NoMerges = flag('\0', "no-merges", "do not print merge commits"),
        MinParents = value('\0', "min-parents", "n", "show commits that have at least that many parents"),
        MaxParents = value('\0', "max-parents", "n", "show commits that have at most that many parents"),
        FirstParent = flag('\0', "first-parent", "follow only the first parent"),
        Not = flag('\0', "not", "reverse the meaning of ^ for all following revisions"),
        All = flag('\0', "all", "pretend that all refs were listed"),
        Branches = optional('\0', "branches", "pattern", "pretend that all branches were listed"),
        Tags = optional('\0', "tags", "pattern", "pretend that all tags were listed"),
        Remotes = optional('\0', "remotes", "pattern", "pretend that all remote-tracking branches were listed"),
        Glob = value('\0', "glob", "pattern", "pretend that all refs that match were listed"),
        Exclude = value('\0', "exclude", "pattern", "do not include refs that match"),
        IgnoreMissing = flag('\0', "ignore-missing", "pretend that bad input was not given"),
        DateOrder = flag('\0', "date-order", "show no parents before all of its children, else by date"),
        AuthorDateOrder = flag('\0', "author-date-order", "not supported"),
        TopoOrder = flag('\0', "topo-order", "show no parents before all of its children"),
        Reverse = flag('\0', "reverse", "output the commits in reverse order"),
        Boundary = flag('\0', "boundary", "output excluded boundary commits"),
        LeftRight = flag('\0', "left-right", "mark which side of a symmetric difference a commit is reachable from"),
        LeftOnly = flag('\0', "left-only", "list only commits on the left side"),
        RightOnly = flag('\0', "right-only", "list only commits on the right side"),
        FullHistory = flag('\0', "full-history", "do not simplify history"),
        SimplifyMerges = flag('\0', "simplify-merges", "not supported"),
        NoWalk = optional('\0', "no-walk", "(sorted|unsorted)", "show the given commits, but not their ancestors"),
        DoWalk = flag('\0', "do-walk", "override a previous --no-walk"),
        Stdin = flag('\0', "stdin", "not supported"),
        Pretty = optional('\0', "pretty", "format", "pretty-print the contents of the commits"),
        Format = value('\0', "format", "format", "pretty-print the contents of the commits"),
        Oneline = flag('\0', "oneline", "shorthand for --pretty=oneline --abbrev-commit"),
        AbbrevCommit = flag('\0', "abbrev-commit", "show a prefix that names the object"),
        Parents = flag('\0', "parents", "print the parents of the commit"),
        Date = value('\0', "date", "format", "the format of dates"),
        RelativeDate = flag('\0', "relative-date", "synonym for --date=relative"),
        Decorate = optional('\0', "decorate", "format", "print out the ref names of commits that are shown"),
        ClearDecorations = flag('\0', "clear-decorations", "decorate with all refs"),
        Source = flag('\0', "source", "not supported"),
        Notes = optional('\0', "notes", "ref", "not supported; --no-notes is the default"),
        Graph = flag('\0', "graph", "draw a text-based graphical representation of the commit history"),
        WalkReflogs = flag('g', "walk-reflogs", "walk reflog entries instead of the history"),
        Follow = flag('\0', "follow", "continue listing the history of a file beyond renames"),
        EachParent = flag('m', "", "show diffs of merges against all parents"),
        Combined = flag('c', "", "show combined diffs of merges"),
        DenseCombined = flag('\0', "cc", "show combined diffs of merges without hunks that are as in one parent"),
        FirstParentDiff = flag('\0', "dd", "show diffs of merges against the first parent"),
        RemergeDiff = flag('\0', "remerge-diff", "not supported"),
        ShowTrees = flag('t', "", "show the tree objects in the diff output"),
        Recursive = flag('r', "", "recurse into subtrees"),
        Root = flag('\0', "root", "show the initial commit as a big creation event"),
        DiffMerges = optional('\0', "diff-merges", "format", "the format of diffs of merges"),
        ShowSignature = flag('\0', "show-signature", "not supported"),
        Count = flag('\0', "count", "print how many commits there are"),
        Timestamp = flag('\0', "timestamp", "print the raw commit timestamp"),
        Objects = flag('\0', "objects", "not supported"),
        Color = optional('\0', "color", "when", "show colors; refused where they are asked for"),
        Header = flag('\0', "header", "not supported"),
        CommitHeader = flag('\0', "commit-header", "print a header line of commits with a format"),
        FullDiff = flag('\0', "full-diff", "show the whole change of a commit"),
        Encoding = value('\0', "encoding", "encoding", "re-code commit messages; UTF-8 alone is supported"),
    }
}

/// The options on how commits are shown. `log` and `stash list` have them in tables of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StyleOption {
    Pretty,
    Format,
    Oneline,
    AbbrevCommit,
    Abbrev,
    Parents,
    Date,
    RelativeDate,
}

impl HistoryOpt {
    /// As an option on how commits are shown.
    pub(crate) const fn style(self) -> Option<StyleOption> {
        Some(match self {
            Self::Pretty => StyleOption::Pretty,
            Self::Format => StyleOption::Format,
            Self::Oneline => StyleOption::Oneline,
            Self::AbbrevCommit => StyleOption::AbbrevCommit,
            Self::Parents => StyleOption::Parents,
            Self::Date => StyleOption::Date,
            Self::RelativeDate => StyleOption::RelativeDate,
            _ => return None,
        })
    }
}

impl Git {
    /// How the commits of `log` and `show` are shown.
    pub(crate) fn log_style(&self, arguments: &Arguments<StyleOption>) -> Result<LogStyle> {
        let configured = self.config.get("format.pretty").map(Vec::from);
        let mut style = LogStyle {
            format: match &configured {
                Some(name) => Format::named(name, self)?,
                None => Format::Medium,
            },
            date: DateMode::default(),
            abbreviates: self.config.truth("log.abbrevcommit") == Some(true),
            abbreviation: None,
            shows_parents: arguments.has(StyleOption::Parents),
            has_date: arguments.last_of([StyleOption::Date, StyleOption::RelativeDate]).is_some(),
        };
        if let Some(name) = self.config.get("log.date") {
            style.date = DateMode::named(name).unwrap_or_default();
        }
        for (option, given) in arguments.in_order() {
            match option {
                StyleOption::Format | StyleOption::Pretty if given.is_some_and(|given| given.is_empty()) => {
                    style.format = Format::User(Text::EMPTY, true);
                }
                StyleOption::Pretty => {
                    style.format = Format::named(given.map_or(&b""[..], |given| given), self)?;
                }
                StyleOption::Format => {
                    style.format = Format::named(given.map_or(&b""[..], |given| given), self)?;
                }
                StyleOption::Oneline => (style.format, style.abbreviates) = (Format::Oneline, true),
                StyleOption::Date => {
                    let given = given.cloned().unwrap_or_default();
                    let Some(mode) = DateMode::named(&given) else {
                        return Err(fatal!("unknown date format {given}"));
                    };
                    style.date = mode;
                }
                StyleOption::RelativeDate => style.date = DateMode::named(b"relative").unwrap_or_default(),
                StyleOption::Abbrev => {
                    let digits = given.and_then(|text| std::str::from_utf8(text).ok()?.parse::<usize>().ok());
                    style.abbreviation = digits.map(|digits| digits.clamp(4, 40));
                }
                StyleOption::AbbrevCommit | StyleOption::Parents => {}
            }
        }
        match arguments.truth_of_last([StyleOption::AbbrevCommit, StyleOption::Oneline]) {
            Some((StyleOption::AbbrevCommit, truth)) => style.abbreviates = truth,
            Some((_, true)) => style.abbreviates = true,
            _ => {}
        }
        if arguments.truth(StyleOption::Abbrev) == Some(false) {
            style.abbreviation = Some(40);
        }
        Ok(style)
    }
}
