//! The texts of configuration files, changed in place: what is not meant keeps its layout and comments.

use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{canonical, header, places as places_of, quoted};
use crate::utility::git::repository::read_file;

impl Git {
    /// Sets a value in the repository's file.
    pub(in crate::utility::git::command) fn set_local(&mut self, name: &[u8], value: &[u8]) -> Result<()> {
        let path = join(&self.repo.common_dir, b"config");
        let text = read_file(self.fs(), &path)?.unwrap_or_default();
        let name = canonical(name).unwrap_or_default();
        let text = edited(&text, &name, Some(value), &|_| true, false)?.0;
        self.fs().write(&path, &text, 0o644)?;
        Ok(())
    }

    /// Removes the section of the repository's file whose names begin so.
    pub(in crate::utility::git::command) fn drop_section(&mut self, front: &[u8]) -> Result<()> {
        let path = join(&self.repo.common_dir, b"config");
        let text = read_file(self.fs(), &path)?.unwrap_or_default();
        if let Some(text) = without_section(&text, front, None)? {
            self.fs().write(&path, &text, 0o644)?;
        }
        self.read_config()
    }
}

/// The text of a file in which a value is set, or removed.
pub(super) fn edited(
    text: &[u8],
    name: &[u8],
    value: Option<&[u8]>,
    is_hit: &dyn Fn(usize) -> bool,
    is_added: bool,
) -> Result<(Vec<u8>, bool)> {
    let places = places_of(text).map_err(|line| fatal!("bad config line {line} in file"))?;
    let last = memchr::memrchr(b'.', name).unwrap_or(0);
    let (section, key) = (name.get(..=last).unwrap_or(&[]), name.get(last + 1..).unwrap_or(&[]));
    let line = value.map(|value| [b"\t", key, b" = ", &quoted(value)[..], b"\n"].concat_metered());
    let hits: Vec<_> = places
        .iter()
        .filter(|place| !place.is_header && *place.name == *name && !is_added && is_hit(place.start))
        .collect();
    let mut out: Vec<u8> = Vec::new();
    if let Some(final_hit) = hits.last() {
        let mut at = 0;
        for hit in &hits {
            out.extend_from_slice(text.get(at..hit.start).unwrap_or(&[]));
            if let Some(line) = line.as_ref().filter(|_| hit.start == final_hit.start) {
                if !out.is_empty() && !out.ends_with(b"\n") {
                    out.push(b'\n');
                }
                out.extend_from_slice(line);
            }
            at = hit.end;
        }
        out.extend_from_slice(text.get(at..).unwrap_or(&[]));
        if value.is_none() {
            // A section that is empty then goes with it.
            let rest = places_of(&out).unwrap_or_default();
            let is_empty = !rest.iter().any(|place| {
                !place.is_header
                    && place.name.starts_with(section)
                    && memchr::memrchr(b'.', &place.name) == Some(last)
            });
            if is_empty && let Some(shorter) = without_section(&out, section, Some(()))? {
                return Ok((shorter, true));
            }
        }
        return Ok((out, true));
    }
    let Some(line) = line else { return Ok((text.to_metered(), false)) };
    // After the last line of its section, else in a new one.
    let mut at = None;
    let mut in_section = false;
    for place in &places {
        if place.is_header {
            in_section = *place.name == *section;
        }
        if in_section {
            at = Some(place.end);
        }
    }
    match at {
        Some(at) => {
            let mut end = at;
            if text.get(end.saturating_sub(1)) != Some(&b'\n') && text.get(end) == Some(&b'\n') {
                end += 1;
            }
            out.extend_from_slice(text.get(..end).unwrap_or(text));
            if !out.ends_with(b"\n") {
                out.push(b'\n');
            }
            out.extend_from_slice(&line);
            out.extend_from_slice(text.get(end..).unwrap_or(&[]));
        }
        None => {
            out.extend_from_slice(text);
            if !out.is_empty() && !out.ends_with(b"\n") {
                out.push(b'\n');
            }
            out.extend_from_slice(header(name).as_bytes());
            out.push(b'\n');
            out.extend_from_slice(&line);
        }
    }
    Ok((out, true))
}

/// The text without a section; with `only_if_empty`, where nothing but its head is left of it.
fn without_section(text: &[u8], section: &[u8], only_if_empty: Option<()>) -> Result<Option<Vec<u8>>> {
    let places = places_of(text).map_err(|line| fatal!("bad config line {line} in file"))?;
    let heads: Vec<(usize, bool)> = places
        .iter()
        .filter(|place| place.is_header)
        .map(|place| (place.start, *place.name == *section))
        .collect();
    if !heads.iter().any(|head| head.1) {
        return Ok(None);
    }
    let mut out: Vec<u8> = text.get(..heads.first().map_or(0, |head| head.0)).unwrap_or(&[]).to_metered();
    for (at, (start, is_gone)) in heads.iter().enumerate() {
        let end = heads.get(at + 1).map_or(text.len(), |next| next.0);
        let piece = text.get(*start..end).unwrap_or(&[]);
        let has_more = memchr::memchr(b'\n', piece)
            .is_some_and(|line| !piece.get(line..).unwrap_or(&[]).trim_ascii().is_empty());
        if !is_gone || (only_if_empty.is_some() && has_more) {
            out.extend_from_slice(piece);
        }
    }
    Ok(Some(out))
}

pub(super) fn rename_section(git: &mut Git, path: &[u8], name: &Text, new: Option<&Text>) -> Result<u8> {
    let text = read_file(git.fs(), path)?.unwrap_or_default();
    let front = [&name[..], b"."].concat_metered();
    let Some(shorter) = without_section(&text, &front, None)? else {
        return Err(fatal!("no such section: {name}"));
    };
    let text = match new {
        None => shorter,
        Some(new) => {
            let places = places_of(&text).map_err(|line| fatal!("bad config line {line}"))?;
            let mut out: Vec<u8> = Vec::new();
            let mut at = 0;
            for place in places.iter().filter(|place| place.is_header && *place.name == *front) {
                out.extend_from_slice(text.get(at..place.start).unwrap_or(&[]));
                out.extend_from_slice(header(&[&new[..], b".key"].concat_metered()).as_bytes());
                at = place.end;
            }
            out.extend_from_slice(text.get(at..).unwrap_or(&[]));
            out
        }
    };
    git.fs().write(path, &text, 0o644)?;
    Ok(0)
}
