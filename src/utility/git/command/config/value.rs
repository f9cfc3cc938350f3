//! The types of values: how a value is shown as one, and how it is written.

use super::color;
use super::options::TypeOpt;
use crate::memory::{String, format};
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{Entry, bad_entry, parse_number, told, truth, truth_word};
use crate::utility::git::date;

/// What a value is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Truth,
    Number,
    TruthOrNumber,
    TruthOrText,
    Path,
    ExpiryDate,
    Color,
}

/// The type that options name; two that differ are an error.
pub(super) fn kind(arguments: &Arguments<TypeOpt>) -> Result<Option<ValueKind>> {
    let mut kind = None;
    for (option, value, is_negated) in arguments.all_in_order() {
        if is_negated {
            kind = None;
            continue;
        }
        let next = match option {
            TypeOpt::Type => named(value)?,
            TypeOpt::Bool => ValueKind::Truth,
            TypeOpt::Int => ValueKind::Number,
            TypeOpt::BoolOrInt => ValueKind::TruthOrNumber,
            TypeOpt::BoolOrStr => ValueKind::TruthOrText,
            TypeOpt::Path => ValueKind::Path,
            TypeOpt::ExpiryDate => ValueKind::ExpiryDate,
        };
        if kind.is_some_and(|known| known != next) {
            return Err(GitError::Error("only one type at a time".into(), 129));
        }
        kind = Some(next);
    }
    Ok(kind)
}

fn named(name: Option<&Text>) -> Result<ValueKind> {
    Ok(match name.map_or(&[][..], Text::as_bytes) {
        b"bool" => ValueKind::Truth,
        b"int" => ValueKind::Number,
        b"bool-or-int" => ValueKind::TruthOrNumber,
        b"bool-or-str" => ValueKind::TruthOrText,
        b"path" => ValueKind::Path,
        b"expiry-date" => ValueKind::ExpiryDate,
        b"color" => ValueKind::Color,
        other => return Err(fatal!("unrecognized --type argument, {}", bstr::BStr::new(other))),
    })
}

fn said(truth: bool) -> Vec<u8> {
    if truth { b"true".to_metered() } else { b"false".to_metered() }
}

/// A value and where it comes from, which messages tell.
struct Valued<'v> {
    name: &'v [u8],
    value: &'v [u8],
    /// `in file PATH`
    place: Option<String>,
}

impl Valued<'_> {
    fn number(&self, most: i64) -> Result<Vec<u8>> {
        match parse_number(self.value, most) {
            Ok(number) => Ok(format!("{number}").into_bytes()),
            Err(fault) => {
                let (name, value) = (bstr::BStr::new(self.name), bstr::BStr::new(self.value));
                let place = self.place.as_ref().map_or(String::new(), |place| format!(" {place}"));
                Err(fatal!("bad numeric config value '{value}' for '{name}'{place}: {fault}"))
            }
        }
    }

    fn truth(&self) -> Result<Vec<u8>> {
        let (name, value) = (bstr::BStr::new(self.name), bstr::BStr::new(self.value));
        truth(self.value).map(said).ok_or_else(|| fatal!("bad boolean config value '{value}' for '{name}'"))
    }

    fn truth_or_number(&self) -> Result<Vec<u8>> {
        match truth_word(self.value) {
            Some(truth) => Ok(said(truth)),
            None => self.number(i64::from(i32::MAX)),
        }
    }
}

/// The value of an entry as its type shows it; `None`: it has none.
pub(super) fn shown(git: &Git, kind: Option<ValueKind>, entry: &Entry) -> Result<Option<Vec<u8>>> {
    let Entry { name, value, .. } = entry;
    let text = value.as_ref().map_or(&[][..], Text::as_bytes);
    let valued = Valued { name, value: text, place: told(&entry.origin) };
    let needed = || bad_entry(&format!("missing value for '{name}'"), entry);
    Ok(Some(match kind {
        None => return Ok(value.as_ref().map(|value| value.to_metered())),
        Some(ValueKind::Truth | ValueKind::TruthOrNumber | ValueKind::TruthOrText) if value.is_none() => {
            said(true)
        }
        Some(ValueKind::Truth) => valued.truth()?,
        Some(ValueKind::Number) => valued.number(i64::MAX)?,
        Some(ValueKind::TruthOrNumber) => valued.truth_or_number()?,
        Some(ValueKind::TruthOrText) => truth(text).map_or_else(|| text.to_metered(), said),
        Some(_) if value.is_none() => return Err(needed()),
        Some(ValueKind::Path) => path(git, text)?,
        Some(ValueKind::ExpiryDate) => expiry(git, text).ok_or_else(|| {
            bad_entry(&format!("'{}' for '{name}' is not a valid timestamp", bstr::BStr::new(text)), entry)
        })?,
        Some(ValueKind::Color) => color::escape(text)
            .ok_or_else(|| bad_entry(&format!("invalid color value: {}", bstr::BStr::new(text)), entry))?,
    }))
}

/// A value as its type is written.
pub(super) fn written(kind: Option<ValueKind>, name: &[u8], value: &[u8]) -> Result<Vec<u8>> {
    let valued = Valued { name, value, place: None };
    match kind {
        None | Some(ValueKind::Path | ValueKind::ExpiryDate) => Ok(value.to_metered()),
        Some(ValueKind::Truth) => valued.truth(),
        Some(ValueKind::Number) => valued.number(i64::MAX),
        Some(ValueKind::TruthOrNumber) => valued.truth_or_number(),
        Some(ValueKind::TruthOrText) => Ok(truth(value).map_or_else(|| value.to_metered(), said)),
        Some(ValueKind::Color) if color::escape(value).is_some() => Ok(value.to_metered()),
        Some(ValueKind::Color) => {
            let value = bstr::BStr::new(value);
            let text = format!("error: invalid color value: {value}\nfatal: cannot parse color '{value}'\n");
            Err(GitError::Plain(text, 128))
        }
    }
}

/// A path with the user's home, or the folder that git is installed in, at its start.
fn path(git: &Git, text: &[u8]) -> Result<Vec<u8>> {
    if let Some(rest) = text.strip_prefix(b"%(prefix)/") {
        return Ok([&b"/usr/"[..], rest].concat_metered());
    }
    let path = git.expand_home(text);
    if path.starts_with(b"~") {
        return Err(fatal!("failed to expand user dir in: '{}'", bstr::BStr::new(text)));
    }
    Ok(path)
}

/// Seconds since 1970 of the time before which things expire.
fn expiry(git: &Git, text: &[u8]) -> Option<Vec<u8>> {
    let is = |word: &[u8]| text.trim_ascii().eq_ignore_ascii_case(word);
    if is(b"never") || text == b"false" {
        return Some(b"0".to_metered());
    }
    if is(b"all") || is(b"now") {
        return Some(format!("{}", u64::MAX).into_bytes());
    }
    let text = Some(text).filter(|text| !text.trim_ascii().is_empty())?;
    date::parse_about(text, git).map(|seconds| format!("{seconds}").into_bytes())
}
