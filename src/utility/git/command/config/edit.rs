//! The texts of configuration files, changed in place: what is not meant keeps its layout and comments.

use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{
    EntryPlace, MARK, canonical, header, is_blank, places as places_of, quoted,
};
use crate::utility::git::repository::read_file;

impl Git {
    /// Sets a value in the repository's file.
    pub(in crate::utility::git::command) fn set_local(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        let path = join(&self.repo.common_dir, b"config");
        let text = read_file(self.fs(), &path)?.unwrap_or_default();
        let key = canonical(name).unwrap_or_default();
        let line = Line { name, value: Some(value), comment: &[] };
        let text = edited(&text, &key, &line, &|_| true, false)?;
        self.fs().write(&path, &text, 0o644)?;
        Ok(())
    }

    /// Removes the section of the repository's file whose names begin so.
    pub(in crate::utility::git::command) fn drop_section(&mut self, front: &[u8]) -> Result<()> {
        let path = join(&self.repo.common_dir, b"config");
        let text = read_file(self.fs(), &path)?.unwrap_or_default();
        let name = front.strip_suffix(b".").unwrap_or(front);
        if let Some(text) = renamed(&text, name, None) {
            self.fs().write(&path, &text, 0o644)?;
        }
        self.read_config()
    }
}

/// The line that is written.
pub(super) struct Line<'l> {
    /// As it was given, not in lower case.
    pub(super) name: &'l [u8],
    /// `None`: there is none, values are removed.
    pub(super) value: Option<&'l [u8]>,
    pub(super) comment: &'l [u8],
}

/// The text of a file in which a value is set, or removed. `is_hit` chooses the entries that go, by where they start.
pub(super) fn edited(
    text: &[u8],
    name: &[u8],
    line: &Line<'_>,
    is_hit: &dyn Fn(usize) -> bool,
    is_added: bool,
) -> Result<Vec<u8>> {
    let places = read_places(text)?;
    let last = memchr::memrchr(b'.', name).map_or(0, |dot| dot + 1);
    let (section, key) = (name.get(..last).unwrap_or(&[]), line.name.get(last..).unwrap_or(&[]));
    let Line { name: given, value, comment } = *line;
    let line = value.map(|value| [b"\t", key, b" = ", &quoted(value)[..], comment, b"\n"].concat_metered());
    let is_meant = |place: &EntryPlace| !place.is_header && *place.name == *name && is_hit(place.start);
    let hits: Vec<usize> =
        (0..places.len()).filter(|at| !is_added && places.get(*at).is_some_and(is_meant)).collect();
    let mut out: Vec<u8> = Vec::new();
    let mut copied = 0;
    if hits.is_empty() {
        let Some(line) = line else { return Ok(text.to_metered()) };
        let end = end_of_section(text, &places, section);
        copied = end.unwrap_or(text.len());
        push_lines(text.get(..copied).unwrap_or(text), &mut out);
        if end.is_none() {
            out.extend_from_slice(&header(given));
            out.push(b'\n');
        }
        out.extend_from_slice(&line);
    } else {
        let mut hits = hits.as_slice();
        let mut occupied = 0;
        while let Some((&at, rest)) = hits.split_first() {
            hits = rest;
            let Some(place) = places.get(at) else { continue };
            let (mut start, mut end) = (place.start, place.end);
            if line.is_none()
                && let Some((first, last, rest)) =
                    emptied_section(text, &places, section, at, rest, &mut occupied)
            {
                (start, end, hits) = (first, last, rest);
            }
            let kept = text.get(copied..start).unwrap_or(&[]);
            let blanks = kept.iter().rev().take_while(|byte| is_blank(**byte) && **byte != b'\n').count();
            push_lines(kept.get(..kept.len() - blanks).unwrap_or(kept), &mut out);
            copied = end;
        }
        out.extend_from_slice(line.as_deref().unwrap_or(&[]));
    }
    out.extend_from_slice(text.get(copied..).unwrap_or(&[]));
    Ok(out)
}

/// Adds a part of a text, which then ends with the end of a line.
fn push_lines(part: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(part);
    if !part.is_empty() && !part.ends_with(b"\n") {
        out.push(b'\n');
    }
}

/// Where a line is added to a section: after the last entry, or the head, of the last one with its name.
fn end_of_section(text: &[u8], places: &[EntryPlace], section: &[u8]) -> Option<usize> {
    let (mut end, mut is_inside) = (None, false);
    for place in places {
        if place.is_header {
            is_inside = *place.name == *section;
        }
        if is_inside {
            end = Some(place.end);
        }
    }
    let end = end?;
    // The end of the line of a head goes with it.
    let after = text.get(end..).unwrap_or(&[]);
    let has_end = text.get(..end).is_some_and(|before| before.ends_with(b"\n"));
    let more = if has_end {
        0
    } else if after.starts_with(b"\r\n") {
        2
    } else {
        usize::from(after.starts_with(b"\n"))
    };
    Some(end + more)
}

/// The range of the section that is empty without an entry and those that go after it, and what goes further on. A section
/// stays where comments are about it or beside it. `occupied` is the place after which something was found that stays, so
/// that nobody looks for it twice.
fn emptied_section<'h>(
    text: &[u8],
    places: &[EntryPlace],
    section: &[u8],
    hit: usize,
    mut more: &'h [usize],
    occupied: &mut usize,
) -> Option<(usize, usize, &'h [usize])> {
    let has_comment = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|gap| memchr::memchr2(b'#', b';', gap).is_some())
    };
    let is_own = |place: &EntryPlace| place.is_header && *place.name == *section;
    if hit < *occupied {
        return None;
    }
    let (mut at, mut has_head) = (hit, false);
    let start = loop {
        let before = at.checked_sub(1).and_then(|before| places.get(before));
        let from = before.map_or(0, |before| before.end);
        if has_comment(from, places.get(at)?.start) {
            return None;
        }
        match before {
            Some(before) if is_own(before) => has_head = true,
            Some(before) if !before.is_header && !has_head => return None,
            Some(before) => break before.end,
            None => break if text.starts_with(MARK) { MARK.len() } else { 0 },
        }
        at -= 1;
    };
    let mut from = places.get(hit)?.end;
    for (index, place) in places.iter().enumerate().skip(hit + 1) {
        *occupied = index;
        if has_comment(from, place.start) {
            return None;
        }
        from = place.end;
        match more.split_first() {
            Some((next, rest)) if *next == index => more = rest,
            _ if is_own(place) => {}
            _ if place.is_header => return Some((start, place.start, more)),
            _ => return None,
        }
    }
    (!has_comment(from, text.len())).then_some((start, text.len(), more))
}

/// The text with a section renamed, or removed; `None`: there is none of that name.
pub(super) fn renamed(text: &[u8], name: &[u8], new: Option<&Text>) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    let (mut is_found, mut is_removed) = (false, false);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = trimmed(line);
        if !body.starts_with(b"[") {
            if !is_removed {
                out.extend_from_slice(line);
            }
            continue;
        }
        is_removed = false;
        let Some(rest) = after_header(body, name) else {
            out.extend_from_slice(line);
            continue;
        };
        is_found = true;
        let Some(new) = new else {
            is_removed = true;
            continue;
        };
        out.extend_from_slice(&header(&[&new[..], b".key"].concat_metered()));
        out.push(b'\n');
        if !rest.is_empty() {
            out.push(b'\t');
            out.extend_from_slice(rest);
        }
    }
    is_found.then_some(out)
}

/// What stands after the head of a section, if it is the head of this one. Names are compared as they are written.
fn after_header<'t>(line: &'t [u8], name: &[u8]) -> Option<&'t [u8]> {
    let mut name = name.iter().copied();
    let mut rest = line.strip_prefix(b"[")?;
    loop {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b']' => return name.next().is_none().then(|| trimmed(rest)),
            byte if is_blank(byte) => {
                let inside = trimmed(rest).strip_prefix(b"\"")?;
                if name.next() != Some(b'.') {
                    return None;
                }
                rest = inside;
                loop {
                    let (&byte, after) = rest.split_first()?;
                    rest = after;
                    let byte = match byte {
                        b'"' => break,
                        b'\\' => {
                            let (&escaped, after) = rest.split_first()?;
                            rest = after;
                            escaped
                        }
                        byte => byte,
                    };
                    if name.next() != Some(byte) {
                        return None;
                    }
                }
            }
            byte => {
                if name.next() != Some(byte) {
                    return None;
                }
            }
        }
    }
}

/// A text without blanks at its start.
fn trimmed(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_blank(**byte)).count();
    text.get(blanks..).unwrap_or(&[])
}

fn read_places(text: &[u8]) -> Result<Vec<EntryPlace>> {
    places_of(text).map_err(|fault| fatal!("bad config line {} in file", fault.line))
}
