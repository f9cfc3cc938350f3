//! Names in the headers of differences, and which file one is for. GNU patch's manual, "Multiple Patches in a File".

use crate::memory::{ToMetered, Vec};
use crate::utility::Context;
use crate::utility::format::time_format::Zone;
use crate::utility::format::time_parse;
use bstr::ByteSlice as _;

/// What the text before the hunks says. Names are the lines that have them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names<'t> {
    /// What follows `--- ` or, in a context difference, `*** `.
    pub(super) old: Option<&'t [u8]>,
    /// What follows `+++ ` or `--- `.
    pub(super) new: Option<&'t [u8]>,
    index: Option<&'t [u8]>,
    /// `diff --git OLD NEW`
    pub(super) git: Option<&'t [u8]>,
    pub(super) rename_from: Option<&'t [u8]>,
    pub(super) rename_to: Option<&'t [u8]>,
    pub(super) copies: bool,
    pub(super) old_mode: Option<u32>,
    pub(super) new_mode: Option<u32>,
    pub(super) creates: bool,
    pub(super) deletes: bool,
}

impl<'t> Names<'t> {
    /// Whether the names of a unified difference were read.
    pub(super) const fn has_plain(&self) -> bool {
        self.new.is_some()
    }

    /// Whether there is something to do without a hunk.
    pub(super) const fn is_change_alone(&self) -> bool {
        self.git.is_some()
            && self.new.is_none()
            && (self.creates || self.deletes || self.rename_to.is_some() || self.new_mode.is_some())
    }

    /// Reads a line of the text before the hunks; `next` is the line after it.
    pub(super) fn read(&mut self, line: &'t [u8], next: &[u8]) {
        let after =
            |lead: &[u8]| line.strip_prefix(lead).map(|rest| rest.strip_suffix(b"\n").unwrap_or(rest));
        if let Some(rest) = after(b"--- ") {
            // The second line of a context difference, or the first of a unified one.
            if self.old.is_some() && self.new.is_none() && !next.starts_with(b"+++ ") {
                self.new = Some(rest);
            } else {
                self.old = Some(rest);
            }
        } else if let Some(rest) = after(b"*** ") {
            if !rest.ends_with(b"****") {
                (self.old, self.new) = (Some(rest), None);
            }
        } else if let Some(rest) = after(b"+++ ") {
            self.new = Some(rest);
        } else if let Some(rest) = after(b"Index:") {
            self.index = Some(rest.trim_ascii_start());
        } else if let Some(rest) = after(b"diff --git ") {
            *self = Self { git: Some(rest), ..Self::default() };
        } else if self.git.is_some() {
            self.read_git(line);
        }
    }

    fn read_git(&mut self, line: &'t [u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let mode = |text: &[u8]| {
            u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok().map(|mode| mode & 0o7777)
        };
        if let Some(name) = line.strip_prefix(b"rename from ").or_else(|| line.strip_prefix(b"copy from ")) {
            self.rename_from = Some(name);
            self.copies = line.starts_with(b"copy");
        } else if let Some(name) = line.strip_prefix(b"rename to ").or_else(|| line.strip_prefix(b"copy to "))
        {
            self.rename_to = Some(name);
        } else if let Some(text) = line.strip_prefix(b"new file mode ") {
            (self.creates, self.new_mode) = (true, mode(text));
        } else if line.starts_with(b"deleted file mode ") {
            self.deletes = true;
        } else if let Some(text) = line.strip_prefix(b"old mode ") {
            self.old_mode = mode(text);
        } else if let Some(text) = line.strip_prefix(b"new mode ") {
            self.new_mode = mode(text);
        }
    }

    /// Whether the header says that a side is not there: `/dev/null`, or a time that is the epoch.
    pub(super) fn is_missing(&self, is_new: bool) -> bool {
        let header = if is_new { self.new } else { self.old };
        if if is_new { self.deletes } else { self.creates } {
            return true;
        }
        let Some(header) = header else { return false };
        header_name(header, false).as_deref() == Some(b"/dev/null")
            || time_of(header, true).is_some_and(|time| time == 0)
    }

    /// The names, stripped, in the order in which they are preferred.
    pub(super) fn candidates(&self, strip: Option<usize>) -> Vec<Vec<u8>> {
        let is_git = self.git.is_some();
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut push = |header: Option<&[u8]>, is_git: bool| {
            let name = header.and_then(|header| header_name(header, is_git));
            let name = name.filter(|name| name.as_slice() != b"/dev/null");
            if let Some(name) = name.and_then(|name| stripped(&name, strip)) {
                found.push(name);
            }
        };
        push(self.old, is_git);
        push(self.new, is_git);
        if self.old.is_none() && self.new.is_none() {
            push(self.index, false);
        }
        if is_git && self.new.is_none() {
            let (old, new) = self.git.map_or((None, None), split_git);
            push(old, true);
            push(new, true);
        }
        found
    }
}

/// `a/x b/x`: the two names of git's header, where they are the same but for the first part, else between blanks.
fn split_git(header: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    let middle = header.len() / 2;
    if header.get(middle) == Some(&b' ') {
        return (header.get(..middle), header.get(middle + 1..));
    }
    match header.split_once_str(" ") {
        Some((old, new)) => (Some(old), Some(new)),
        None => (None, None),
    }
}

/// The name in a header line: up to a tab, in quotes, or (but for git's) up to a blank.
pub(super) fn header_name(header: &[u8], is_git: bool) -> Option<Vec<u8>> {
    let header = header.strip_suffix(b"\r").unwrap_or(header);
    if header.starts_with(b"\"") {
        return unquoted(header);
    }
    let end = match header.find_byte(b'\t') {
        Some(tab) => tab,
        None if is_git => header.len(),
        None => header.find_byte(b' ').unwrap_or(header.len()),
    };
    let name = header.get(..end)?;
    (!name.is_empty()).then(|| name.to_metered())
}

fn unquoted(header: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let mut rest = header.get(1..)?;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'"' => return Some(name),
            b'\\' => {
                let (&escaped, tail) = rest.split_first()?;
                rest = tail;
                if escaped.is_ascii_digit() {
                    let digits = [Some(escaped), rest.first().copied(), rest.get(1).copied()];
                    let mut value = 0_u32;
                    for digit in digits {
                        value = value * 8 + char::from(digit?).to_digit(8)?;
                    }
                    rest = rest.get(2..)?;
                    name.push(u8::try_from(value).ok()?);
                } else {
                    name.push(crate::character::escaped_byte(escaped).unwrap_or(escaped));
                }
            }
            byte => name.push(byte),
        }
    }
    None
}

/// The time in a header line, in seconds since the epoch.
pub(super) fn time_of(header: &[u8], is_utc: bool) -> Option<i64> {
    let text = header.split_once_str("\t")?.1;
    let zone = if is_utc { Zone::UTC } else { Zone::named(b"") };
    let now = jiff::Timestamp::UNIX_EPOCH;
    time_parse::parse(text, now, &zone).map(jiff::Timestamp::as_second)
}

/// A name without its first `strip` components; without a count its last component alone. `None`: there are not so many.
pub(super) fn stripped(name: &[u8], strip: Option<usize>) -> Option<Vec<u8>> {
    let mut rest = name;
    match strip {
        None => rest = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name),
        Some(count) => {
            for _ in 0..count {
                let slash = rest.find_byte(b'/')?;
                rest = rest.get(slash..)?.trim_start_with(|c| c == '/');
            }
        }
    }
    (!rest.is_empty()).then(|| rest.to_metered())
}

/// A name that leads out of the directory is not taken.
pub(super) fn is_safe(name: &[u8]) -> bool {
    !name.starts_with(b"/") && !name.split(|&byte| byte == b'/').any(|part| part == b"..")
}

/// The best of names: fewest components, then the shortest last one, then the shortest, then the first.
pub(super) fn best(names: &[Vec<u8>]) -> Option<&Vec<u8>> {
    names.iter().min_by_key(|name| {
        let parts = name.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).count();
        let last = name.rsplit(|&byte| byte == b'/').next().map_or(0, <[u8]>::len);
        (parts, last, name.len())
    })
}

/// The names of files that are there.
pub(super) fn existing(ctx: &Context, names: &[Vec<u8>]) -> Vec<Vec<u8>> {
    names.iter().filter(|name| ctx.stat(name).is_ok_and(|metadata| metadata.is_regular())).cloned().collect()
}
