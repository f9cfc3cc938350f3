//! Refs: loose files, `packed-refs`, symbolic refs, and their logs.

use super::Git;
use super::error::{Result, fatal, found};
use super::identity::Who;
use super::object::id::ObjectId;
use super::repository::read_file;
use crate::memory::{BTreeMap, JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::file::{join, parent};

/// Symbolic refs that lead to each other, at most.
pub(crate) const MOST_LINKS: usize = 5;

/// What a ref holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RefValue {
    Id(ObjectId),
    Symbolic(Text),
}

/// `packed-refs`: an object for each name, and what it is in the end, where it is a tag.
pub(crate) type PackedRefs = BTreeMap<Text, (ObjectId, Option<ObjectId>)>;

/// A line of a ref's log.
#[derive(Clone, Debug)]
pub(crate) struct LogEntry {
    pub(crate) old: ObjectId,
    pub(crate) new: ObjectId,
    /// `Name <email> seconds zone`
    pub(crate) who: Text,
    pub(crate) message: Text,
}

/// Where a short name is looked for, in order.
pub(crate) const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// Whether a ref may have this name (`git check-ref-format`).
pub(crate) fn is_valid_name(name: &[u8]) -> bool {
    let bad = |byte: &u8| byte.is_ascii_control() || b" ~^:?*[\\".contains(byte);
    let good_part = |part: &[u8]| !part.is_empty() && !part.starts_with(b".") && !part.ends_with(b".lock");
    !name.is_empty()
        && name != b"@"
        && !name.iter().any(bad)
        && !name.ends_with(b".")
        && name.split(|byte| *byte == b'/').all(good_part)
        && memchr::memmem::find(name, b"..").is_none()
        && memchr::memmem::find(name, b"@{").is_none()
}

/// Whether each work tree has its own ref of that name.
fn is_of_work_tree(name: &[u8]) -> bool {
    !name.starts_with(b"refs/")
        || [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"]
            .iter()
            .any(|own| name.starts_with(own))
}

impl Git {
    pub(crate) fn ref_path(&self, name: &[u8]) -> Vec<u8> {
        let folder = if is_of_work_tree(name) { &self.repo.git_dir } else { &self.repo.common_dir };
        join(folder, name)
    }

    fn log_path(&self, name: &[u8]) -> Vec<u8> {
        let folder = if is_of_work_tree(name) { &self.repo.git_dir } else { &self.repo.common_dir };
        [folder, &b"/logs/"[..], name].concat_metered()
    }

    pub(crate) fn packed_refs(&mut self) -> Result<&PackedRefs> {
        if self.packed.is_none() {
            let mut refs = PackedRefs::new();
            let text =
                read_file(self.fs(), &join(&self.repo.common_dir, b"packed-refs"))?.unwrap_or_default();
            let mut last: Option<Text> = None;
            for line in text.split(|byte| *byte == b'\n') {
                self.ctx.tick_now()?;
                if let Some(peeled) = line.strip_prefix(b"^") {
                    if let Some(name) = &last
                        && let Some(slot) = refs.get_mut(name)
                    {
                        slot.1 = ObjectId::from_hex(peeled.trim_ascii());
                    }
                } else if let (Some(id), Some(b" "), Some(name)) =
                    (line.get(..40).and_then(ObjectId::from_hex), line.get(40..41), line.get(41..))
                {
                    let name = Text::from(name.trim_ascii_end());
                    refs.insert(name.clone(), (id, None));
                    last = Some(name);
                }
            }
            self.packed = Some(refs);
        }
        Ok(self.packed.get_or_insert_default())
    }

    /// What a ref of this full name holds.
    pub(crate) fn read_ref(&mut self, name: &[u8]) -> Result<Option<RefValue>> {
        if !name.starts_with(b"refs/") && name.contains(&b'/') {
            return Ok(None);
        }
        let path = self.ref_path(name);
        if let Some(target) = found(self.fs().read_link(&path))?
            && target.starts_with(b"refs/")
        {
            return Ok(Some(RefValue::Symbolic(target)));
        }
        if let Some(text) = read_file(self.fs(), &path)? {
            let text = text.trim_ascii_end();
            if let Some(target) = text.strip_prefix(b"ref:") {
                return Ok(Some(RefValue::Symbolic(Text::from(target.trim_ascii()))));
            }
            if let Some(id) = text.get(..40).and_then(ObjectId::from_hex) {
                return Ok(Some(RefValue::Id(id)));
            }
            if name.starts_with(b"refs/") {
                return Ok(None);
            }
        }
        Ok(self.packed_refs()?.get(name).map(|(id, _)| RefValue::Id(*id)))
    }

    /// Follows a ref: the name where the chain ends, and the object, if there is one.
    pub(crate) fn follow(&mut self, name: &[u8]) -> Result<(Text, Option<ObjectId>)> {
        let mut name = Text::from(name);
        for _ in 0..=MOST_LINKS {
            match self.read_ref(&name)? {
                Some(RefValue::Symbolic(target)) => name = target,
                Some(RefValue::Id(id)) => return Ok((name, Some(id))),
                None => return Ok((name, None)),
            }
        }
        Ok((name, None))
    }

    /// The object of a ref.
    pub(crate) fn ref_id(&mut self, name: &[u8]) -> Result<Option<ObjectId>> {
        Ok(self.follow(name)?.1)
    }

    /// The object that `HEAD` leads to.
    pub(crate) fn head_id(&mut self) -> Result<Option<ObjectId>> {
        self.ref_id(b"HEAD")
    }

    /// The ref that `HEAD` is; `None`: it is an object.
    pub(crate) fn head_ref(&mut self) -> Result<Option<Text>> {
        Ok(match self.read_ref(b"HEAD")? {
            Some(RefValue::Symbolic(name)) => Some(self.follow(&name)?.0),
            _ => None,
        })
    }

    /// The branch that is checked out, without `refs/heads/`.
    pub(crate) fn current_branch(&mut self) -> Result<Option<Text>> {
        let head = self.head_ref()?;
        Ok(head.and_then(|name| name.strip_prefix(b"refs/heads/").map(Text::from)))
    }

    /// The full name of a short one, and its object.
    pub(crate) fn find_ref(&mut self, short: &[u8]) -> Result<Option<(Text, ObjectId)>> {
        for (before, after) in RULES {
            let name = [before.as_bytes(), short, after.as_bytes()].concat_metered();
            if !is_valid_name(&name) {
                continue;
            }
            if let (_, Some(id)) = self.follow(&name)? {
                return Ok(Some((name.into(), id)));
            }
        }
        Ok(None)
    }

    /// All refs below a prefix, sorted by name, with their objects.
    pub(crate) async fn refs(&mut self, prefix: &[u8]) -> Result<Vec<(Text, ObjectId)>> {
        let mut names: BTreeMap<Text, ()> = BTreeMap::new();
        let mut folders: Vec<Vec<u8>> = Vec::new();
        folders.push(b"refs".to_metered());
        while let Some(folder) = folders.pop() {
            self.ctx.tick().await?;
            let base = join(&self.repo.common_dir, &folder);
            for entry in found(self.fs().read_dir(&base))?.unwrap_or_default() {
                let name = join(&folder, &entry.name);
                if entry.kind == crate::vfs::FileKind::Directory {
                    folders.push(name);
                } else if name.starts_with(prefix) && is_valid_name(&name) {
                    names.insert(name.into(), ());
                }
            }
        }
        for name in self.packed_refs()?.keys().filter(|name| name.starts_with(prefix)) {
            names.insert(name.clone(), ());
        }
        let mut refs = Vec::new();
        for name in names.keys() {
            self.ctx.tick().await?;
            if let Some(id) = self.ref_id(name)? {
                refs.push((name.clone(), id));
            }
        }
        Ok(refs)
    }

    /// The shortest name that still leads to this ref.
    pub(crate) fn shorten(&mut self, name: &[u8]) -> Result<Text> {
        for (at, (before, after)) in RULES.iter().enumerate().skip(1).rev() {
            let Some(rest) = name.strip_prefix(before.as_bytes()) else { continue };
            let Some(short) = rest.strip_suffix(after.as_bytes()).filter(|short| !short.is_empty()) else {
                continue;
            };
            let mut is_clear = true;
            for (other, (front, back)) in RULES.iter().enumerate() {
                if other >= at {
                    break;
                }
                let full = [front.as_bytes(), short, back.as_bytes()].concat_metered();
                if is_valid_name(&full) && self.ref_id(&full)?.is_some() {
                    is_clear = false;
                    break;
                }
            }
            if is_clear {
                return Ok(short.into());
            }
        }
        Ok(name.into())
    }

    /// Makes a ref lead to an object, through symbolic refs, and logs it.
    pub(crate) fn update_ref(&mut self, name: &[u8], id: ObjectId, message: &[u8]) -> Result<()> {
        let (target, old) = self.follow(name)?;
        self.write_ref(&target, id)?;
        self.log_ref(&target, old, id, message)?;
        if *target != *name {
            self.log_ref(name, old, id, message)?;
        } else if name != b"HEAD" && self.head_ref()?.is_some_and(|head| *head == *name) {
            self.log_ref(b"HEAD", old, id, message)?;
        }
        Ok(())
    }

    /// Writes a ref's file alone.
    pub(crate) fn write_ref(&mut self, name: &[u8], id: ObjectId) -> Result<()> {
        let path = self.ref_path(name);
        if name.contains(&b'/') {
            let above = parent(name);
            let mut folder = above;
            while folder != b"." && folder != b"refs" {
                if matches!(self.read_ref(folder)?, Some(RefValue::Id(_))) {
                    let (short, whole) = (bstr::BStr::new(folder), bstr::BStr::new(name));
                    return Err(fatal!(
                        "cannot lock ref '{whole}': '{short}' exists; cannot create '{whole}'"
                    ));
                }
                folder = parent(folder);
            }
            self.remove_empty_folders(&path)?;
            self.fs().create_dir_all(parent(&path), 0o755)?;
        }
        let text = crate::memory::format!("{id}\n");
        self.fs().write(&path, text.as_bytes(), 0o644)?;
        Ok(())
    }

    /// Removes a folder without files that stands where a ref is to be.
    fn remove_empty_folders(&mut self, path: &[u8]) -> Result<()> {
        let mut folders: Vec<Vec<u8>> = Vec::new();
        folders.push(path.to_metered());
        let mut next = 0;
        while let Some(folder) = folders.get(next).cloned() {
            next += 1;
            self.ctx.tick_now()?;
            for entry in found(self.fs().read_dir(&folder))?.unwrap_or_default() {
                folders.push(join(&folder, &entry.name));
            }
        }
        for folder in folders.iter().rev() {
            found(self.fs().remove_dir(folder))?;
        }
        Ok(())
    }

    /// Makes a ref symbolic.
    pub(crate) fn write_symbolic(
        &mut self,
        name: &[u8],
        target: &[u8],
        message: Option<&[u8]>,
    ) -> Result<()> {
        let old = self.ref_id(name)?;
        let path = self.ref_path(name);
        self.fs().create_dir_all(parent(&path), 0o755)?;
        self.fs().write(&path, &[b"ref: ", target, b"\n"].concat_metered(), 0o644)?;
        if let (Some(message), Some(new)) = (message, self.ref_id(target)?) {
            self.log_ref(name, old, new, message)?;
        }
        Ok(())
    }

    /// Makes `HEAD` an object, or another ref's name an object without following it.
    pub(crate) fn detach(&mut self, name: &[u8], id: ObjectId, message: &[u8]) -> Result<()> {
        let old = self.ref_id(name)?;
        self.write_ref(name, id)?;
        self.log_ref(name, old, id, message)
    }

    /// Removes a ref and its log.
    pub(crate) fn delete_ref(&mut self, name: &[u8]) -> Result<()> {
        let path = self.ref_path(name);
        found(self.fs().remove_file(&path))?;
        let log = self.log_path(name);
        found(self.fs().remove_file(&log))?;
        for path in [path, log] {
            let mut folder = parent(&path).to_metered();
            let kept = [&b"/refs"[..], b"/refs/heads", b"/refs/tags", b"/refs/remotes", b"/logs"];
            while !kept.iter().any(|kept| folder.ends_with(kept)) && folder.len() > 1 {
                if self.fs().remove_dir(&folder).is_err() {
                    break;
                }
                folder = parent(&folder).to_metered();
            }
        }
        if self.packed_refs()?.get(name).is_some() {
            let path = join(&self.repo.common_dir, b"packed-refs");
            let text = read_file(self.fs(), &path)?.unwrap_or_default();
            let (mut kept, mut is_gone) = (Vec::new(), false);
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                if !line.starts_with(b"^") {
                    is_gone = line.get(41..).is_some_and(|rest| rest.trim_ascii_end() == name)
                        && !line.starts_with(b"#");
                }
                if !is_gone {
                    kept.extend_from_slice(line);
                }
            }
            self.fs().write(&path, &kept, 0o644)?;
            self.packed = None;
        }
        Ok(())
    }

    /// Adds to a ref's log, where refs have one.
    pub(crate) fn log_ref(
        &mut self,
        name: &[u8],
        old: Option<ObjectId>,
        new: ObjectId,
        message: &[u8],
    ) -> Result<()> {
        let path = self.log_path(name);
        let is_logged = [&b"refs/heads/"[..], b"refs/remotes/", b"refs/notes/"]
            .iter()
            .any(|front| name.starts_with(front))
            || name == b"HEAD";
        let wanted = match self.config.get("core.logallrefupdates") {
            Some(b"always") => true,
            Some(value) => super::config::truth(value) == Some(true) && is_logged,
            None => !self.repo.is_bare && is_logged,
        };
        let text = read_file(self.fs(), &path)?;
        if text.is_none() && !wanted {
            return Ok(());
        }
        let who = self.who(Who::Committer)?;
        let mut text = text.unwrap_or_default();
        let old = old.unwrap_or_default();
        text.extend_from_slice(crate::memory::format!("{old} {new} ").as_bytes());
        text.extend_from_slice(&who);
        if !message.is_empty() {
            text.push(b'\t');
            let mut line: Vec<u8> = message.trim_ascii().to_metered();
            for byte in line.iter_mut().filter(|byte| **byte == b'\n') {
                *byte = b' ';
            }
            text.extend_from_slice(&line);
        }
        text.push(b'\n');
        self.fs().create_dir_all(parent(&path), 0o755)?;
        self.fs().write(&path, &text, 0o644)?;
        Ok(())
    }

    /// Makes sure that a ref has a log, so that what happens to it is written there.
    pub(crate) fn create_log(&mut self, name: &[u8]) -> Result<()> {
        let path = self.log_path(name);
        if !self.has_log(name) {
            self.fs().create_dir_all(parent(&path), 0o755)?;
            self.fs().write(&path, b"", 0o644)?;
        }
        Ok(())
    }

    /// Whether a ref has a log, though it may be empty.
    pub(crate) fn has_log(&self, name: &[u8]) -> bool {
        self.fs().metadata(&self.log_path(name)).is_ok_and(|metadata| !metadata.is_directory())
    }

    /// The log of a ref, oldest first.
    pub(crate) fn read_log(&mut self, name: &[u8]) -> Result<Vec<LogEntry>> {
        let path = self.log_path(name);
        let text = read_file(self.fs(), &path)?.unwrap_or_default();
        let mut entries = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            self.ctx.tick_now()?;
            let (Some(old), Some(new), Some(rest)) = (
                line.get(..40).and_then(ObjectId::from_hex),
                line.get(41..81).and_then(ObjectId::from_hex),
                line.get(82..),
            ) else {
                continue;
            };
            let tab = memchr::memchr(b'\t', rest).unwrap_or(rest.len());
            let who = Text::from(rest.get(..tab).unwrap_or(rest));
            entries.push(LogEntry { old, new, who, message: Text::from(rest.get(tab + 1..).unwrap_or(&[])) });
        }
        Ok(entries)
    }

    /// Writes the whole log of a ref; without entries it is removed.
    pub(crate) fn write_log(&mut self, name: &[u8], entries: &[LogEntry]) -> Result<()> {
        let path = self.log_path(name);
        let mut text: Vec<u8> = Vec::new();
        for entry in entries {
            let line = crate::memory::format!("{} {} ", entry.old, entry.new);
            text.extend_from_slice(line.as_bytes());
            text.extend_from_slice(&[&entry.who[..], b"\t", &entry.message, b"\n"].concat_metered());
        }
        self.fs().write(&path, &text, 0o644)?;
        Ok(())
    }
}
