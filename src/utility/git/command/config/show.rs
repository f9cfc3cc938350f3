//! What `git config` prints: lists, and values that are asked for by name, pattern or URL.

use super::options::DisplayOpt;
use super::place::Loaded;
use super::url::{Fit, Url};
use super::value::{ValueKind, shown};
use crate::memory::{BTreeMap, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{COMMAND_LINE, Entry, Scope, canonical};
use crate::utility::git::quoting::quote_path;
use crate::utility::regex::{Regex, Syntax};

/// How entries are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Display {
    has_nul: bool,
    pub(super) is_name_only: bool,
    pub(super) has_origin: bool,
    has_scope: bool,
    pub(super) has_names: bool,
    pub(super) kind: Option<ValueKind>,
}

impl Display {
    pub(super) fn new(arguments: &Arguments<DisplayOpt>, kind: Option<ValueKind>) -> Self {
        Self {
            has_nul: arguments.has(DisplayOpt::Null),
            is_name_only: arguments.has(DisplayOpt::NameOnly),
            has_origin: arguments.has(DisplayOpt::ShowOrigin),
            has_scope: arguments.has(DisplayOpt::ShowScope),
            has_names: arguments.has(DisplayOpt::ShowNames),
            kind,
        }
    }

    const fn end(self) -> u8 {
        if self.has_nul { 0 } else { b'\n' }
    }

    /// The scope and the origin before an entry.
    fn front(self, entry: &Entry, line: &mut Vec<u8>) {
        let between = if self.has_nul { 0 } else { b'\t' };
        if self.has_scope {
            line.extend_from_slice(entry.scope.name().as_bytes());
            line.push(between);
        }
        if self.has_origin {
            let colon = memchr::memchr(b':', &entry.origin).map_or(0, |colon| colon + 1);
            let (kind, name) = entry.origin.split_at(colon);
            line.extend_from_slice(kind);
            if self.has_nul {
                line.extend_from_slice(name);
            } else {
                line.extend_from_slice(&quote_path(name, true, false));
            }
            line.push(between);
        }
    }

    /// An entry as it is printed where its value is asked for.
    fn line(self, git: &Git, entry: &Entry) -> Result<Vec<u8>> {
        let mut line: Vec<u8> = Vec::new();
        self.front(entry, &mut line);
        if self.has_names {
            line.extend_from_slice(&entry.name);
        }
        if !self.is_name_only
            && let Some(value) = shown(git, self.kind, entry)?
        {
            if self.has_names {
                line.push(if self.has_nul { b'\n' } else { b' ' });
            }
            line.extend_from_slice(&value);
        }
        line.push(self.end());
        Ok(line)
    }
}

/// Prints all entries, with their values as they are.
pub(super) async fn list(git: &mut Git, display: Display, loaded: Loaded) -> Result<u8> {
    for entry in &loaded.config.entries {
        let mut line: Vec<u8> = Vec::new();
        display.front(entry, &mut line);
        line.extend_from_slice(&entry.name);
        if let Some(value) = entry.value.as_ref().filter(|_| !display.is_name_only) {
            line.push(if display.has_nul { b'\n' } else { b'=' });
            line.extend_from_slice(value);
        }
        line.push(display.end());
        git.print(&line).await?;
    }
    loaded.fault.or(loaded.missing).map_or(Ok(0), Err)
}

/// Which values are meant: all, those that are a text, or those that a regular expression finds, or does not find.
pub(super) enum Pattern {
    Any,
    Fixed(Text),
    Regex { regex: Regex, is_negated: bool },
}

impl Pattern {
    pub(super) fn new(git: &Git, text: Option<&Text>, is_fixed: bool) -> Result<Self> {
        let Some(text) = text else { return Ok(Self::Any) };
        if is_fixed {
            return Ok(Self::Fixed(text.clone()));
        }
        let (source, is_negated) = match text.strip_prefix(b"!") {
            Some(rest) => (rest, true),
            None => (&text[..], false),
        };
        let Ok(regex) = Regex::new(source, Syntax::Extended, &regex_options(&git.ctx.meter)) else {
            return Err(GitError::Error(format!("invalid pattern: {}", bstr::BStr::new(source)), 6));
        };
        Ok(Self::Regex { regex, is_negated })
    }

    pub(super) async fn fits(&self, git: &mut Git, value: &[u8]) -> Result<bool> {
        match self {
            Self::Any => Ok(true),
            Self::Fixed(text) => Ok(**text == *value),
            Self::Regex { regex, is_negated } => Ok(is_match(git, regex, value).await? != *is_negated),
        }
    }
}

async fn is_match(git: &mut Git, regex: &Regex, text: &[u8]) -> Result<bool> {
    match regex.is_match(text, &mut Pace::Shared(&git.ctx.meter)).await {
        Ok(is_match) => Ok(is_match),
        Err(error) => {
            // A limit that stopped it is told first.
            git.ctx.tick().await?;
            Err(fatal!("{error}"))
        }
    }
}

/// What is asked for.
pub(super) struct Wanted<'w> {
    pub(super) name: &'w Text,
    pub(super) is_regexp: bool,
    /// Whether every value is printed, not the last alone.
    pub(super) takes_all: bool,
    pub(super) pattern: Option<&'w Text>,
    pub(super) is_fixed: bool,
    pub(super) default: Option<&'w Text>,
}

/// Section and key of a regular expression in lower case, as far as that can be told.
fn lowered(name: &[u8]) -> Vec<u8> {
    let mut name = name.to_metered();
    let last = memchr::memrchr(b'.', &name).map_or(0, |dot| dot + 1);
    let first = memchr::memchr(b'.', &name).unwrap_or(name.len());
    if let Some(key) = name.get_mut(last..) {
        key.make_ascii_lowercase();
    }
    if let Some(section) = name.get_mut(..first) {
        section.make_ascii_lowercase();
    }
    name
}

/// A name with its section and key in lower case, or what is wrong with it; `status` is for a name without them.
pub(super) fn valid(name: &Text, status: u8) -> Result<Text> {
    canonical(name).ok_or_else(|| {
        let last = memchr::memrchr(b'.', name);
        let (words, status) = match last {
            None | Some(0) => ("key does not contain a section", status),
            Some(dot) if dot + 1 == name.len() => ("key does not contain variable name", status),
            Some(_) if name.contains(&b'\n') => ("invalid key (newline)", 1),
            Some(_) => ("invalid key", 1),
        };
        GitError::Error(format!("{words}: {name}"), status)
    })
}

/// Prints the values that are asked for.
pub(super) async fn get(
    git: &mut Git,
    display: Display,
    loaded: impl AsyncFnOnce(&mut Git) -> Result<Loaded>,
    wanted: Wanted<'_>,
) -> Result<u8> {
    let (name, regex) = if wanted.is_regexp {
        let name = lowered(wanted.name);
        let Ok(regex) = Regex::new(&name, Syntax::Extended, &regex_options(&git.ctx.meter)) else {
            return Err(GitError::Error(format!("invalid key pattern: {}", bstr::BStr::new(&name)), 6));
        };
        (Text::from(name), Some(regex))
    } else {
        (valid(wanted.name, 1)?, None)
    };
    let pattern = Pattern::new(git, wanted.pattern, wanted.is_fixed)?;
    let loaded = loaded(git).await?;
    let mut lines: Vec<Vec<u8>> = Vec::new();
    for entry in &loaded.config.entries {
        git.ctx.tick().await?;
        let is_meant = match &regex {
            Some(regex) => is_match(git, regex, &entry.name).await?,
            None => entry.name == name,
        };
        let value = entry.value.as_ref().map_or(&[][..], Text::as_bytes);
        if !is_meant || !pattern.fits(git, value).await? {
            continue;
        }
        // Every value has to be one of the type, not only what is printed.
        let line = display.line(git, entry)?;
        if !wanted.takes_all {
            lines.clear();
        }
        lines.push(line);
    }
    if let Some(fault) = loaded.fault {
        return Err(fault);
    }
    if let (true, Some(default)) = (lines.is_empty(), wanted.default) {
        lines.push(default_line(git, display, wanted.name, default)?);
    }
    for line in &lines {
        git.print(line).await?;
    }
    Ok(u8::from(lines.is_empty()))
}

fn default_line(git: &Git, display: Display, name: &Text, value: &Text) -> Result<Vec<u8>> {
    let entry = Entry {
        name: name.clone(),
        value: Some(value.clone()),
        scope: Scope::Command,
        origin: Text::from_static(COMMAND_LINE),
        line: 0,
    };
    display.line(git, &entry).map_err(|error| match error {
        // What is said of the command line is said of the default.
        GitError::Plain(text, status) => {
            let first = text.lines().next().unwrap_or_default();
            let second = format!("fatal: failed to format default config value: {value}");
            GitError::Plain(format!("{first}\n{second}\n"), status)
        }
        other => other,
    })
}

/// Prints the values of a section, or of a key in it, that fit a URL best.
pub(super) async fn get_urlmatch(
    git: &mut Git,
    mut display: Display,
    loaded: impl AsyncFnOnce(&mut Git) -> Result<Loaded>,
    name: &Text,
    url: &Text,
) -> Result<u8> {
    let url = Url::parse(url, false).map_err(|words| fatal!("{words}"))?;
    let mut name = name.to_metered();
    name.make_ascii_lowercase();
    let (section, key) = match memchr::memchr(b'.', &name) {
        Some(dot) => (name.get(..dot).unwrap_or(&[]), name.get(dot + 1..)),
        None => (name.as_slice(), None),
    };
    display.has_names = key.is_none();
    let loaded = loaded(git).await?;
    let mut best: BTreeMap<Text, (Fit, Entry)> = BTreeMap::new();
    for entry in &loaded.config.entries {
        git.ctx.tick().await?;
        let Some(rest) = entry.name.strip_prefix(section).and_then(|rest| rest.strip_prefix(b".")) else {
            continue;
        };
        let (fit, known) = match memchr::memrchr(b'.', rest) {
            None => (Some(Fit::default()), rest),
            Some(dot) => {
                let own = Url::parse(rest.get(..dot).unwrap_or(&[]), true);
                (own.ok().and_then(|own| url.fit(&own)), rest.get(dot + 1..).unwrap_or(&[]))
            }
        };
        let Some(fit) = fit.filter(|_| key.is_none_or(|key| key == known)) else { continue };
        if best.get(known).is_none_or(|(other, _)| fit >= *other) {
            let name = Text::from([section, b".", known].concat_metered());
            best.insert(known.into(), (fit, Entry { name, ..entry.clone() }));
        }
    }
    if let Some(fault) = loaded.fault {
        return Err(fault);
    }
    let is_empty = best.is_empty();
    for (_, (_, entry)) in best {
        let line = display.line(git, &entry)?;
        git.print(&line).await?;
    }
    Ok(u8::from(is_empty))
}
