//! Which commits are left out by what is written in them: `--author`, `--committer`, `--grep`.

use super::HistoryOpt;
use crate::memory::Vec;
use crate::utility::context::pace::Pace;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::error::{Result, fatal};
use crate::utility::git::object::commit::{header, message};
use crate::utility::git::object::id::ObjectId;
use crate::utility::regex::{Regex, RegexOptions, Syntax};

/// The patterns of which commits have to match some or all.
pub(super) struct Filters {
    authors: Vec<Regex>,
    committers: Vec<Regex>,
    messages: Vec<Regex>,
    all_match: bool,
    inverted: bool,
}

impl Git {
    /// The patterns that were given.
    pub(super) fn filters(&self, arguments: &Arguments<HistoryOpt>) -> Result<Filters> {
        Ok(Filters {
            authors: self.regexes(arguments, HistoryOpt::Author)?,
            committers: self.regexes(arguments, HistoryOpt::Committer)?,
            messages: self.regexes(arguments, HistoryOpt::Grep)?,
            all_match: arguments.has(HistoryOpt::AllMatch),
            inverted: arguments.has(HistoryOpt::InvertGrep),
        })
    }

    fn regexes(&self, arguments: &Arguments<HistoryOpt>, option: HistoryOpt) -> Result<Vec<Regex>> {
        let mut list = Vec::new();
        let configured = self.config.get("grep.patterntype").unwrap_or(b"default");
        let is_extended = configured == b"extended" || self.config.truth("grep.extendedregexp") == Some(true);
        let given = arguments.last_of([
            HistoryOpt::ExtendedRegexp,
            HistoryOpt::FixedStrings,
            HistoryOpt::BasicRegexp,
        ]);
        let syntax = match given {
            Some(HistoryOpt::ExtendedRegexp) => Syntax::Extended,
            None if is_extended => Syntax::Extended,
            _ => Syntax::Basic,
        };
        let is_fixed = given == Some(HistoryOpt::FixedStrings);
        for pattern in arguments.values(option) {
            let options = RegexOptions {
                ignore_case: arguments.has(HistoryOpt::RegexpIgnoreCase),
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

impl Filters {
    fn is_empty(&self) -> bool {
        self.authors.is_empty() && self.committers.is_empty() && self.messages.is_empty()
    }

    /// Whether a commit passes them.
    pub(super) async fn pass(&self, git: &mut Git, id: &ObjectId) -> Result<bool> {
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
