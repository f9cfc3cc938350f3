//! What `git config` changes: values that are set, added and removed, and whole sections.

use super::edit::{Line, edited, renamed};
use super::place::{Place, text_of};
use super::show::{Pattern, valid};
use crate::memory::format;
use crate::utility::file::parent;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{bad_line, origin, places};
use crate::utility::git::error::found;

/// A change of the values of a name.
pub(super) struct Change<'c> {
    pub(super) name: &'c Text,
    /// `None`: they are removed.
    pub(super) value: Option<Vec<u8>>,
    /// With the sign before it.
    pub(super) comment: Option<Vec<u8>>,
    /// Whether known values stay as they are.
    pub(super) is_added: bool,
    /// Whether several values may be replaced, or removed.
    pub(super) takes_all: bool,
    pub(super) pattern: Option<&'c Text>,
    pub(super) is_fixed: bool,
}

/// The comment after a value, with what sets it apart.
pub(super) fn comment(text: Option<&Text>) -> Result<Option<Vec<u8>>> {
    let Some(text) = text else { return Ok(None) };
    if text.contains(&b'\n') {
        return Err(fatal!("no multi-line comment allowed: '{text}'"));
    }
    let front: &[u8] = match text.trim_ascii_start().first() {
        Some(b'#') if text.starts_with(b"#") => b" ",
        Some(b'#') => b"",
        _ => b" # ",
    };
    Ok(Some([front, &text[..]].concat_metered()))
}

/// Whether a file can be made, or replaced, where it is.
fn check_folder(git: &Git, path: &[u8], shown: &[u8]) -> Result<()> {
    let why = match found(git.fs().metadata(parent(path)))? {
        Some(metadata) if metadata.is_directory() => return Ok(()),
        Some(_) => "Not a directory",
        None => "No such file or directory",
    };
    let shown = bstr::BStr::new(shown);
    Err(GitError::Error(format!("could not lock config file {shown}: {why}"), 255))
}

/// Sets or removes values.
pub(super) async fn change(git: &mut Git, place: &Place, change: Change<'_>) -> Result<u8> {
    let (path, shown) = place.writable(git)?;
    let Change { name: given, value, comment, is_added, takes_all, pattern, is_fixed } = change;
    let name = valid(given, 2)?;
    check_folder(git, &path, &shown)?;
    let text = text_of(git, &path, &shown)?;
    if text.is_none() && value.is_none() {
        return Ok(5);
    }
    let text = text.unwrap_or_default();
    let known_pattern = Pattern::new(git, pattern, is_fixed)?;
    let origin = origin("file", &shown);
    let places = match places(&text) {
        Ok(places) => places,
        Err(fault) => {
            let Some(header) = fault.header else { return Err(bad_line(fault.line, &origin)) };
            git.say(&format!("error: invalid section name '{header}'"));
            return Err(GitError::Error(format!("invalid config file {}", bstr::BStr::new(&shown)), 3));
        }
    };
    let mut hits: Vec<usize> = Vec::new();
    for place in places.iter().filter(|place| !place.is_header && place.name == name) {
        git.ctx.tick().await?;
        let is_hit = match (&place.value, &known_pattern) {
            _ if is_added => false,
            (Some(known), pattern) => pattern.fits(git, known).await?,
            // As in git, a key alone is every text, and has none for an expression.
            (None, Pattern::Any | Pattern::Fixed(_)) => true,
            (None, Pattern::Regex { .. }) => false,
        };
        if is_hit {
            hits.push(place.start);
        }
    }
    if hits.len() > 1 && !takes_all {
        git.say(&format!("warning: {name} has multiple values"));
        if value.is_some() && pattern.is_none() {
            git.say("error: cannot overwrite multiple values with a single value");
            git.say(&format!("       Use a regexp, --add or --replace-all to change {given}."));
        }
        return Ok(5);
    }
    if hits.is_empty() && value.is_none() {
        return Ok(5);
    }
    let line = Line { name: given, value: value.as_deref(), comment: comment.as_deref().unwrap_or(&[]) };
    let is_hit = |start: usize| hits.binary_search(&start).is_ok();
    let text = edited(&text, &name, &line, &is_hit, is_added)?;
    git.fs().write(&path, &text, 0o644)?;
    Ok(0)
}

/// Gives sections another name, or removes them.
pub(super) fn rename(git: &mut Git, place: &Place, name: &Text, new: Option<&Text>) -> Result<u8> {
    let (path, shown) = place.writable(git)?;
    if let Some(new) = new {
        let section = new.split(|byte| *byte == b'.').next().unwrap_or(&[]);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        if section.is_empty() || !section.iter().all(is_word) {
            return Err(GitError::Error(format!("invalid section name: {new}"), 255));
        }
    }
    check_folder(git, &path, &shown)?;
    let known = text_of(git, &path, &shown)?;
    if known.is_none() {
        // Git leaves an empty file, where there was none.
        git.fs().write(&path, b"", 0o644)?;
    }
    let text = known.unwrap_or_default();
    let Some(text) = renamed(&text, name, new) else {
        return Err(fatal!("no such section: {name}"));
    };
    git.fs().write(&path, &text, 0o644)?;
    Ok(0)
}
