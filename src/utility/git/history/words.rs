//! The revisions, ranges and paths that a command which walks a history is given.

use super::{History, HistoryOpt};
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::error::{Result, fatal};
use crate::utility::git::object::id::{Kind, ObjectId};
use crate::utility::ignore::wildmatch::matches;

/// What a word on the command line is.
enum Word {
    Revision,
    Path,
}

impl Git {
    /// Takes the options that name refs, then the operands; `default` stands for no revision.
    pub(super) async fn take_words(
        &mut self,
        arguments: &Arguments<HistoryOpt>,
        history: &mut History,
        default: Option<&str>,
    ) -> Result<()> {
        let mut has_refs = false;
        let excluded: Vec<Text> = arguments.values(HistoryOpt::Exclude).cloned().collect();
        for (option, given, is_negated) in arguments.in_order_toggled(HistoryOpt::Not) {
            let front = match option {
                HistoryOpt::All | HistoryOpt::Glob => "refs/",
                HistoryOpt::Branches => "refs/heads/",
                HistoryOpt::Tags => "refs/tags/",
                HistoryOpt::Remotes => "refs/remotes/",
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
            if option == HistoryOpt::All
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
                let taken = if arguments.is_given_before(HistoryOpt::IgnoreMissing, at)
                    && !self.is_known_revision(word).await?
                {
                    // It counts as a revision that has nothing.
                    has_revisions = true;
                    continue;
                } else {
                    self.take_revision(history, word, arguments.is_toggled_at(HistoryOpt::Not, at)).await?
                };
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
            if !self.looks_like_path(word) {
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

    /// Whether all names of objects in a word are known.
    async fn is_known_revision(&mut self, word: &Text) -> Result<bool> {
        let bare = word.strip_prefix(b"^").unwrap_or(word);
        let bare = bare.strip_suffix(b"^!").or_else(|| bare.strip_suffix(b"^@")).unwrap_or(bare);
        let bare = memchr::memmem::rfind(bare, b"^-").and_then(|at| bare.get(..at)).unwrap_or(bare);
        let mut names: Vec<&[u8]> = Vec::new();
        match memchr::memmem::find(bare, b"..") {
            Some(dots) => {
                let back = bare.get(dots + 2..).unwrap_or(&[]);
                names.extend([bare.get(..dots).unwrap_or(&[]), back.strip_prefix(b".").unwrap_or(back)]);
            }
            None => names.push(bare),
        }
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            match self.resolve(name).await? {
                Some(id) if self.has_object(&id)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether a word names a file; without a work tree none does.
    pub(crate) fn is_file(&self, word: &[u8]) -> bool {
        self.repo.work_tree.is_some()
            && !word.is_empty()
            && self.fs().symlink_metadata(&self.ctx.absolute(word)).is_ok()
    }

    /// Whether a word that is no revision may be meant as a path: there is such a file, or it is a pattern.
    pub(crate) fn looks_like_path(&self, word: &[u8]) -> bool {
        if word.starts_with(b":(") || word.iter().any(|byte| b"*?[".contains(byte)) {
            return true;
        }
        if let Some(rest) = word.strip_prefix(b":/") {
            let full = self.in_work_tree(rest);
            return rest.is_empty() || self.fs().symlink_metadata(&full).is_ok();
        }
        match word.strip_prefix(b":!").or_else(|| word.strip_prefix(b":^")) {
            Some(rest) => rest.is_empty() || self.is_file(rest),
            None => self.is_file(word),
        }
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
        if let Some((id, parent)) = self.without_parent(name).await? {
            self.add_tip(history, name, id, is_excluded).await?;
            self.add_tip(history, name, parent, !is_excluded).await?;
            return Ok(Some(Word::Revision));
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
}
