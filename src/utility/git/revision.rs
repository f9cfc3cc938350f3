//! Names of objects, gitrevisions(7): `HEAD~2`, `main@{u}`, `v1^{tree}`, `:/text`, `HEAD:path`, `:path`, abbreviations.

use super::Git;
use super::error::{GitError, Result, fatal};
use super::object::commit::{Tag, message};
use super::object::id::{Kind, ObjectId};
use crate::memory::{JoinMetered, Vec, format};
use crate::text::Text;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::regex::{Regex, RegexOptions, Syntax};

/// The least digits of an abbreviation.
pub(crate) const LEAST_DIGITS: usize = 4;
/// Tags of tags, at most.
const MOST_TAGS: usize = 64;

fn decimal(text: &[u8]) -> Option<usize> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Where the colon is that a path follows; not one in braces.
fn path_colon(spec: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in spec.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

impl Git {
    /// The object that a name means; `None`: there is none.
    pub(crate) async fn resolve(&mut self, spec: &[u8]) -> Result<Option<ObjectId>> {
        if let Some(pattern) = spec.strip_prefix(b":/") {
            let mut tips: Vec<ObjectId> = self.refs(b"refs/").await?.iter().map(|(_, id)| *id).collect();
            tips.extend(self.head_id()?);
            return self.find_message(&tips, pattern).await;
        }
        if let Some(colon) = path_colon(spec) {
            let (front, path) = (spec.get(..colon).unwrap_or(&[]), spec.get(colon + 1..).unwrap_or(&[]));
            if front.is_empty() {
                return self.in_index(path).await;
            }
            let Some(id) = self.resolve_revision(front).await? else { return Ok(None) };
            let Some(tree) = self.peel(id, Kind::Tree).await? else { return Ok(None) };
            let path = match path {
                b"." | b"./" => self.repo.prefix.clone(),
                _ if path.starts_with(b"./") || path.starts_with(b"../") => self.relative(path)?,
                _ => Vec::from(path),
            };
            return Ok(self.find_in_tree(tree, &path).await?.map(|(_, id)| id));
        }
        self.resolve_revision(spec).await
    }

    async fn in_index(&mut self, path: &[u8]) -> Result<Option<ObjectId>> {
        let (stage, path) = match path {
            [digit @ b'0'..=b'3', b':', rest @ ..] => (digit - b'0', rest),
            _ => (0, path),
        };
        let path = if path.starts_with(b"./") || path.starts_with(b"../") {
            self.relative(path)?
        } else {
            Vec::from(path)
        };
        let index = self.read_index().await?;
        Ok(index.find(&path, stage).ok().and_then(|at| index.entries.get(at)).map(|entry| entry.id))
    }

    /// The mode of what `REVISION:PATH` or `:PATH` names.
    pub(crate) async fn mode_of(&mut self, spec: &[u8]) -> Result<Option<u32>> {
        let Some(colon) = path_colon(spec) else { return Ok(None) };
        let (front, path) = (spec.get(..colon).unwrap_or(&[]), spec.get(colon + 1..).unwrap_or(&[]));
        if front.is_empty() {
            let index = self.read_index().await?;
            return Ok(index.get(path).map(|entry| entry.mode));
        }
        let Some(id) = self.resolve_revision(front).await? else { return Ok(None) };
        let Some(tree) = self.peel(id, Kind::Tree).await? else { return Ok(None) };
        let path = if path.starts_with(b"./") || path.starts_with(b"../") {
            self.relative(path)?
        } else {
            Vec::from(path)
        };
        Ok(self.find_in_tree(tree, &path).await?.map(|found| found.0))
    }

    /// Mode and object of a path in a tree.
    pub(crate) async fn find_in_tree(
        &mut self,
        tree: ObjectId,
        path: &[u8],
    ) -> Result<Option<(u32, ObjectId)>> {
        let mut found = (super::object::tree::TREE, tree);
        for part in crate::vfs::path::components(path) {
            if found.0 != super::object::tree::TREE {
                return Ok(None);
            }
            let entries = self.tree(&found.1).await?;
            match entries.iter().find(|entry| *entry.name == *part) {
                Some(entry) => found = (entry.mode, entry.id),
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// A name without a path.
    pub(crate) async fn resolve_revision(&mut self, spec: &[u8]) -> Result<Option<ObjectId>> {
        let end = spec.iter().position(|byte| b"^~".contains(byte)).unwrap_or(spec.len());
        let Some(mut id) = self.resolve_base(spec.get(..end).unwrap_or(spec)).await? else { return Ok(None) };
        let mut rest = spec.get(end..).unwrap_or(&[]);
        while let Some((&sign, tail)) = rest.split_first() {
            self.ctx.tick().await?;
            if sign == b'^' && tail.starts_with(b"{") {
                let Some(close) = memchr::memchr(b'}', tail) else { return Ok(None) };
                let inside = tail.get(1..close).unwrap_or(&[]);
                let Some(next) = self.peel_to(id, inside).await? else { return Ok(None) };
                id = next;
                rest = tail.get(close + 1..).unwrap_or(&[]);
                continue;
            }
            let digits = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = if digits == 0 { Some(1) } else { decimal(tail.get(..digits).unwrap_or(&[])) };
            let Some(number) = number else { return Ok(None) };
            rest = tail.get(digits..).unwrap_or(&[]);
            let Some(commit) = self.peel(id, Kind::Commit).await? else { return Ok(None) };
            id = commit;
            if sign == b'~' {
                for _ in 0..number {
                    match self.commit(&id).await?.parents.first() {
                        Some(parent) => id = *parent,
                        None => return Ok(None),
                    }
                }
            } else if number > 0 {
                match self.commit(&id).await?.parents.get(number - 1) {
                    Some(parent) => id = *parent,
                    None => return Ok(None),
                }
            }
            if !matches!(sign, b'^' | b'~') {
                return Ok(None);
            }
        }
        Ok(Some(id))
    }

    async fn peel_to(&mut self, id: ObjectId, inside: &[u8]) -> Result<Option<ObjectId>> {
        if let Some(pattern) = inside.strip_prefix(b"/") {
            let Some(commit) = self.peel(id, Kind::Commit).await? else { return Ok(None) };
            return self.find_message(&[commit], pattern).await;
        }
        match inside {
            b"" => self.peel_tags(id).await,
            b"object" => Ok(self.has_object(&id)?.then_some(id)),
            _ => match Kind::named(inside) {
                Some(kind) => self.peel(id, kind).await,
                None => Ok(None),
            },
        }
    }

    /// What a tag is about in the end.
    pub(crate) async fn peel_tags(&mut self, id: ObjectId) -> Result<Option<ObjectId>> {
        let mut id = id;
        for _ in 0..MOST_TAGS {
            match self.object_header(&id).await? {
                Some((Kind::Tag, _)) => {}
                Some(_) => return Ok(Some(id)),
                None => return Ok(None),
            }
            let bytes = self.object(&id).await?.1;
            let Some(tag) = Tag::parse(&bytes) else { return Ok(None) };
            id = tag.object;
        }
        Ok(None)
    }

    /// The object of a kind that another leads to.
    pub(crate) async fn peel(&mut self, id: ObjectId, kind: Kind) -> Result<Option<ObjectId>> {
        if kind == Kind::Tag {
            return Ok(self.object_header(&id).await?.filter(|header| header.0 == Kind::Tag).map(|_| id));
        }
        let Some(id) = self.peel_tags(id).await? else { return Ok(None) };
        let found = self.object_header(&id).await?.map(|header| header.0);
        match (found, kind) {
            (Some(found), kind) if found == kind => Ok(Some(id)),
            (Some(Kind::Commit), Kind::Tree) => Ok(Some(self.commit(&id).await?.tree)),
            _ => Ok(None),
        }
    }

    /// The youngest commit of these histories whose message matches.
    async fn find_message(&mut self, tips: &[ObjectId], pattern: &[u8]) -> Result<Option<ObjectId>> {
        let pattern =
            pattern.strip_prefix(b"!!").map_or(Vec::from(pattern), |rest| [b"!", rest].concat_metered());
        let Ok(regex) = Regex::new(
            &pattern,
            Syntax::Basic,
            &RegexOptions { newline_sensitive: true, ..regex_options(&self.ctx.meter) },
        ) else {
            return Err(fatal!("Invalid search pattern: {}", bstr::BStr::new(&pattern)));
        };
        let mut walk = super::walk::Walk::default();
        for tip in tips {
            if let Some(commit) = self.peel(*tip, Kind::Commit).await? {
                walk.include(commit);
            }
        }
        walk.prepare(self).await?;
        while let Some(item) = walk.next(self).await? {
            let bytes = self.object(&item.id).await?.1;
            let found = regex.is_match(message(&bytes), &mut Pace::Shared(&self.ctx.meter)).await;
            if found.unwrap_or(false) {
                return Ok(Some(item.id));
            }
        }
        Ok(None)
    }

    async fn resolve_base(&mut self, base: &[u8]) -> Result<Option<ObjectId>> {
        if base.is_empty() {
            return Ok(None);
        }
        if base == b"@" {
            return self.head_id();
        }
        if let Some(id) = ObjectId::from_hex(base) {
            return Ok(Some(id));
        }
        if base.ends_with(b"}")
            && let Some(at) = memchr::memmem::rfind(base, b"@{")
        {
            let (front, inside) =
                (base.get(..at).unwrap_or(&[]), base.get(at + 2..base.len() - 1).unwrap_or(&[]));
            return self.resolve_at(front, inside);
        }
        if let Some((_, id)) = self.find_ref(base)? {
            return Ok(Some(id));
        }
        if let Some(at) = memchr::memmem::rfind(base, b"-g")
            && let Some(digits) = base.get(at + 2..)
            && digits.len() >= LEAST_DIGITS
            && let Some(id) = self.abbreviated(digits, true).await?
        {
            return Ok(Some(id));
        }
        self.abbreviated(base, false).await
    }

    /// The object that digits stand for, if they stand for one.
    async fn abbreviated(&mut self, digits: &[u8], only_commits: bool) -> Result<Option<ObjectId>> {
        if digits.len() < LEAST_DIGITS || digits.len() > 40 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Ok(None);
        }
        let ids = self.objects.with_prefix(&self.ctx.session.fs, digits, 64)?;
        if let [id] = ids.as_slice() {
            return Ok(Some(*id));
        }
        let mut commits = Vec::new();
        for id in &ids {
            let kind = self.object_header(id).await?.map(|header| header.0);
            if kind == Some(Kind::Commit) || (!only_commits && kind == Some(Kind::Tag)) {
                commits.push(*id);
            }
        }
        if let [id] = commits.as_slice() {
            return Ok(Some(*id));
        }
        if ids.len() > 1 {
            let text = format!("error: short object ID {} is ambiguous", bstr::BStr::new(digits));
            self.say(&text);
        }
        Ok(None)
    }

    /// `front@{inside}`
    fn resolve_at(&mut self, front: &[u8], inside: &[u8]) -> Result<Option<ObjectId>> {
        if let Some(count) = inside.strip_prefix(b"-").and_then(decimal)
            && front.is_empty()
        {
            let Some(name) = self.previous_branch(count)? else { return Ok(None) };
            return Ok(match self.find_ref(&name)? {
                Some((_, id)) => Some(id),
                None => ObjectId::from_hex(&name),
            });
        }
        if [&b"u"[..], b"upstream", b"push"].iter().any(|word| word.eq_ignore_ascii_case(inside)) {
            let name = self.upstream_or_fail(front)?;
            return self.ref_id(&name);
        }
        let (name, id) = match front {
            b"" | b"@" => {
                let name = match self.head_ref()? {
                    Some(name) if front.is_empty() => name,
                    _ => Text::from_static(b"HEAD"),
                };
                (name, self.head_id()?)
            }
            _ => match self.find_ref(front)? {
                Some((name, id)) => (name, Some(id)),
                None => return Ok(None),
            },
        };
        let entries = self.read_log(&name)?;
        if let Some(count) = decimal(inside) {
            if count == 0 {
                return Ok(id);
            }
            if let Some(entry) = entries.len().checked_sub(count + 1).and_then(|at| entries.get(at)) {
                return Ok(Some(entry.new));
            }
            if count == entries.len()
                && let Some(first) = entries.first().filter(|first| !first.old.is_zero())
            {
                return Ok(Some(first.old));
            }
            let shown = if front.is_empty() { bstr::BStr::new(&name[..]) } else { bstr::BStr::new(front) };
            let shown = shown.strip_prefix(b"refs/heads/").map_or(shown, bstr::BStr::new);
            return Err(fatal!("log for '{shown}' only has {} entries", entries.len()));
        }
        let Some(moment) = super::date::parse_about(inside, self) else { return Ok(None) };
        let at = entries
            .iter()
            .rposition(|entry| super::object::commit::Signature::parse(&entry.who).seconds <= moment);
        Ok(match at {
            Some(at) => entries.get(at).map(|entry| entry.new),
            None => entries.first().map(|entry| if entry.old.is_zero() { entry.new } else { entry.old }),
        })
    }

    /// The branch, or the object, that was checked out before the last `count` switches.
    pub(crate) fn previous_branch(&mut self, count: usize) -> Result<Option<Text>> {
        let entries = self.read_log(b"HEAD")?;
        let mut left = count;
        for entry in entries.iter().rev() {
            let Some(rest) = entry.message.strip_prefix(b"checkout: moving from ") else { continue };
            left = left.saturating_sub(1);
            if left == 0 {
                let end = memchr::memmem::find(rest, b" to ").unwrap_or(rest.len());
                return Ok(Some(Text::from(rest.get(..end).unwrap_or(rest))));
            }
        }
        Ok(None)
    }

    /// The ref that a branch follows.
    pub(crate) fn upstream(&self, branch: &[u8]) -> Option<Text> {
        let remote = self.config.get_in("branch", branch, "remote")?;
        let merge = self.config.get_in("branch", branch, "merge")?;
        if remote == b"." {
            return Some(Text::from(merge));
        }
        self.fetched(remote, merge)
    }

    /// Where a remote's ref is kept.
    fn fetched(&self, remote: &[u8], name: &[u8]) -> Option<Text> {
        let key = [&b"remote."[..], remote, b".fetch"].concat_metered();
        for entry in self.config.all(&key) {
            let spec: &[u8] = entry.value.as_ref()?;
            let spec = spec.strip_prefix(b"+").unwrap_or(spec);
            let colon = memchr::memchr(b':', spec)?;
            let (from, to) = (spec.get(..colon)?, spec.get(colon + 1..)?);
            match (from.strip_suffix(b"*"), to.strip_suffix(b"*")) {
                (Some(from), Some(to)) => {
                    if let Some(rest) = name.strip_prefix(from) {
                        return Some(Text::from([to, rest].concat_metered()));
                    }
                }
                _ if from == name => return Some(Text::from(to)),
                _ => {}
            }
        }
        None
    }

    /// As [`Git::upstream`], of a branch or of the current one.
    ///
    /// # Errors
    /// Git's words for a branch that follows none.
    pub(crate) fn upstream_or_fail(&mut self, branch: &[u8]) -> Result<Text> {
        let branch = match branch {
            b"" | b"@" | b"HEAD" => {
                let Some(current) = self.current_branch()? else {
                    return Err(fatal!("HEAD does not point to a branch"));
                };
                current
            }
            _ => Text::from(branch.strip_prefix(b"refs/heads/").unwrap_or(branch)),
        };
        let name = [&b"refs/heads/"[..], &branch].concat_metered();
        if let Some(upstream) = self.upstream(&branch) {
            if self.ref_id(&upstream)?.is_none()
                && self.config.get_in("branch", &branch, "remote") != Some(b".")
            {
                return Err(fatal!(
                    "upstream branch '{}' not stored as a remote-tracking branch",
                    bstr::BStr::new(self.config.get_in("branch", &branch, "merge").unwrap_or(&upstream))
                ));
            }
            return Ok(upstream);
        }
        if self.ref_id(&name)?.is_none() && self.head_ref()?.is_none_or(|head| *head != *name) {
            return Err(fatal!("no such branch: '{branch}'"));
        }
        if let Some(merge) = self.config.get_in("branch", &branch, "merge") {
            let merge = bstr::BStr::new(merge);
            return Err(fatal!("upstream branch '{merge}' not stored as a remote-tracking branch"));
        }
        Err(fatal!("no upstream configured for branch '{branch}'"))
    }

    /// How many digits an abbreviation has at least.
    pub(crate) fn abbreviation(&mut self) -> Result<usize> {
        if let Some(length) = self.abbreviation {
            return Ok(length);
        }
        let configured = self.config.get("core.abbrev").filter(|value| *value != b"auto");
        let length = match configured.map(|value| (super::config::number(value), super::config::truth(value)))
        {
            Some((_, Some(false))) => 40,
            Some((Some(number), _)) => (number.clamp(LEAST_DIGITS as i64, 40)) as usize,
            _ => {
                let count = self.objects.packed_count(&self.ctx.session.fs)?;
                let bits = 64 - count.leading_zeros() as usize;
                bits.div_ceil(2).max(7)
            }
        };
        self.abbreviation = Some(length);
        Ok(length)
    }

    /// The abbreviation of a name, as long as it has to be.
    pub(crate) fn abbreviate(&mut self, id: &ObjectId, least: Option<usize>) -> Result<Text> {
        let least = match least {
            Some(least) => least,
            None => self.abbreviation()?,
        };
        if least >= 40 {
            return Ok(id.hex().into());
        }
        let shared = if id.is_zero() { 0 } else { self.objects.shared_digits(&self.ctx.session.fs, id)? };
        Ok(id.abbreviated(least.max(shared + 1)).into())
    }

    /// What git says of a word that is neither a revision nor a path, and of `REVISION:PATH` without the path.
    pub(crate) async fn unresolved(&mut self, spec: &[u8]) -> Result<GitError> {
        Ok(self.path_fault(spec, true).await?.unwrap_or_else(|| ambiguous(spec)))
    }

    /// What is wrong with `REVISION:PATH` and `:PATH`, where that is what a word is. With `is_here`, the path may be meant as
    /// seen from the working directory.
    pub(crate) async fn path_fault(&mut self, spec: &[u8], is_here: bool) -> Result<Option<GitError>> {
        if spec.starts_with(b":/") {
            return Ok(None);
        }
        let Some(colon) = path_colon(spec) else { return Ok(None) };
        let (front, given) = (spec.get(..colon).unwrap_or(&[]), spec.get(colon + 1..).unwrap_or(&[]));
        if front.is_empty() {
            return self.index_fault(given, is_here).await.map(Some);
        }
        let Some(id) = self.resolve_revision(front).await? else {
            return Ok(Some(fatal!("invalid object name '{}'.", bstr::BStr::new(front))));
        };
        let is_relative = given.starts_with(b"./") || given.starts_with(b"../");
        let path = if is_relative { self.relative(given)? } else { Vec::from(given) };
        let (path, front) = (bstr::BStr::new(&path), bstr::BStr::new(front));
        if self.work_metadata(path)?.is_some() {
            return Ok(Some(fatal!("path '{path}' exists on disk, but not in '{front}'")));
        }
        let whole = [&self.repo.prefix[..], path].concat_metered();
        if is_here
            && !self.repo.prefix.is_empty()
            && let Some(tree) = self.peel(id, Kind::Tree).await?
            && self.find_in_tree(tree, &whole).await?.is_some()
        {
            let whole = bstr::BStr::new(&whole);
            return Ok(Some(fatal!(
                "path '{whole}' exists, but not '{path}'\nhint: Did you mean '{front}:{whole}' aka '{front}:./{path}'?"
            )));
        }
        Ok(Some(fatal!("path '{path}' does not exist in '{front}'")))
    }

    /// What is wrong with a path of the index.
    async fn index_fault(&mut self, given: &[u8], is_here: bool) -> Result<GitError> {
        let (stage, given) = match given {
            [digit @ b'0'..=b'3', b':', rest @ ..] => (digit - b'0', rest),
            _ => (0, given),
        };
        let is_relative = given.starts_with(b"./") || given.starts_with(b"../");
        let path = if is_relative { self.relative(given)? } else { Vec::from(given) };
        let index = self.read_index().await?;
        let stage_of = |path: &[u8]| {
            let at = index.range(path).start;
            index.entries.get(at).filter(|entry| *entry.path == *path).map(|entry| entry.stage)
        };
        let whole = [&self.repo.prefix[..], &path].concat_metered();
        let (path, whole) = (bstr::BStr::new(&path), bstr::BStr::new(&whole));
        if let Some(other) = stage_of(path) {
            return Ok(fatal!(
                "path '{path}' is in the index, but not at stage {stage}\nhint: Did you mean ':{other}:{path}'?"
            ));
        }
        if is_here
            && !self.repo.prefix.is_empty()
            && let Some(other) = stage_of(whole)
        {
            return Ok(fatal!(
                "path '{whole}' is in the index, but not '{path}'\n\
                 hint: Did you mean ':{other}:{whole}' aka ':{other}:./{path}'?"
            ));
        }
        if self.work_metadata(path)?.is_some() {
            return Ok(fatal!("path '{path}' exists on disk, but not in the index"));
        }
        Ok(fatal!("path '{path}' does not exist (neither on disk nor in the index)"))
    }

    /// The commit of `X^-N` and its parent that is left out; `None`: a name is not of that kind, or there is no such parent.
    pub(crate) async fn without_parent(&mut self, name: &[u8]) -> Result<Option<(ObjectId, ObjectId)>> {
        let Some(at) = memchr::memmem::rfind(name, b"^-") else { return Ok(None) };
        let (base, digits) = (name.get(..at).unwrap_or(&[]), name.get(at + 2..).unwrap_or(&[]));
        let number = if digits.is_empty() { Some(1) } else { decimal(digits) };
        let Some(number) = number.and_then(|number| number.checked_sub(1)) else { return Ok(None) };
        let Some(id) = self.resolve_commit(base).await? else { return Ok(None) };
        Ok(self.commit(&id).await?.parents.get(number).map(|parent| (id, *parent)))
    }

    /// As [`Git::resolve`], of what has to be there.
    pub(crate) async fn resolve_or_fail(&mut self, spec: &[u8]) -> Result<ObjectId> {
        match self.resolve(spec).await? {
            Some(id) => Ok(id),
            None => Err(self.unresolved(spec).await?),
        }
    }

    /// The commit that a name means.
    pub(crate) async fn resolve_commit(&mut self, spec: &[u8]) -> Result<Option<ObjectId>> {
        match self.resolve(spec).await? {
            Some(id) => self.peel(id, Kind::Commit).await,
            None => Ok(None),
        }
    }
}

/// What git says of a word that is neither a revision nor a path.
pub(crate) fn ambiguous(spec: &[u8]) -> GitError {
    fatal!(
        "ambiguous argument '{}': unknown revision or path not in the working tree.\nUse '--' to separate paths from \
revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
        bstr::BStr::new(spec)
    )
}
