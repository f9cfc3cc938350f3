//! Commits as texts: the formats that have names, and those made of placeholders (`placeholder.rs`).

mod placeholder;

use super::Git;
use super::date::DateMode;
use super::error::{Result, fatal};
use super::object::commit::{Signature, header, message};
use super::object::id::ObjectId;
use crate::memory::{BTreeMap, JoinMetered, Vec, format};
use crate::text::Text;

/// How a commit is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Oneline,
    Short,
    Medium,
    Full,
    Fuller,
    Raw,
    Reference,
    /// Placeholders; with `true` a newline ends each, else it stands between two.
    User(Text, bool),
}

/// What belongs to a format.
#[derive(Clone, Debug)]
pub(crate) struct LogStyle {
    pub(crate) format: Format,
    pub(crate) date: DateMode,
    /// A date was asked for: it stands in the names of entries of a log, too.
    pub(crate) has_date: bool,
    pub(crate) abbreviates: bool,
    /// Digits of abbreviations.
    pub(crate) abbreviation: Option<usize>,
    pub(crate) shows_parents: bool,
}

/// Refs by the commits that they lead to, in the order in which they are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decorations {
    pub(crate) by_id: BTreeMap<ObjectId, Vec<Text>>,
}

/// A commit that is shown.
pub(crate) struct Shown<'c> {
    pub(crate) id: ObjectId,
    pub(crate) bytes: &'c [u8],
    pub(crate) decorations: &'c Decorations,
    /// `HEAD@{0}` and the message of the log's entry.
    pub(crate) log: Option<(&'c Text, &'c super::refs::LogEntry)>,
    /// `<`, `>`, `-` or nothing.
    pub(crate) mark: &'c str,
    /// The parent that a merge is compared with.
    pub(crate) from: Option<ObjectId>,
}

impl Format {
    pub(crate) fn named(name: &[u8], git: &Git) -> Result<Self> {
        Ok(match name {
            b"oneline" => Self::Oneline,
            b"short" => Self::Short,
            b"medium" | b"" => Self::Medium,
            b"full" => Self::Full,
            b"fuller" => Self::Fuller,
            b"raw" => Self::Raw,
            b"reference" => Self::Reference,
            b"email" | b"mboxrd" => {
                return Err(fatal!("format '{}' is not supported", bstr::BStr::new(name)));
            }
            _ => {
                if let Some(text) = name.strip_prefix(b"format:") {
                    Self::User(text.into(), false)
                } else if let Some(text) = name.strip_prefix(b"tformat:") {
                    Self::User(text.into(), true)
                } else if name.contains(&b'%') {
                    Self::User(name.into(), true)
                } else if let Some(alias) = git.config.get(&format!("pretty.{}", bstr::BStr::new(name))) {
                    if alias.contains(&b'%') { Self::User(alias.into(), true) } else { Self::Medium }
                } else {
                    return Err(fatal!("invalid --pretty format: {}", bstr::BStr::new(name)));
                }
            }
        })
    }

    /// Whether a newline ends each commit, instead of standing between two.
    pub(crate) const fn is_terminated(&self) -> bool {
        matches!(self, Self::Oneline | Self::Reference | Self::User(_, true))
    }

    pub(crate) const fn is_oneline(&self) -> bool {
        matches!(self, Self::Oneline)
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::User(text, _) if text.is_empty())
    }
}

/// The first paragraph of a message in one line.
pub(crate) fn subject(text: &[u8]) -> Vec<u8> {
    let mut lines = Vec::new();
    for line in text.split(|byte| *byte == b'\n').skip_while(|line| line.trim_ascii().is_empty()) {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    lines.join_metered(b" ")
}

/// What follows the first paragraph.
pub(crate) fn body(text: &[u8]) -> &[u8] {
    let mut rest = text;
    let mut is_in_subject = false;
    loop {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, tail) = rest.split_at(end);
        let is_blank = line.trim_ascii().is_empty();
        if is_blank && is_in_subject {
            break;
        }
        is_in_subject |= !is_blank;
        rest = tail;
        if rest.is_empty() {
            return rest;
        }
    }
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, tail) = rest.split_at(end);
        if !line.trim_ascii().is_empty() {
            break;
        }
        rest = tail;
    }
    rest
}

impl Git {
    /// The refs of all commits.
    pub(crate) async fn decorations(&mut self) -> Result<Decorations> {
        let mut decorations = Decorations::default();
        let head = self.head_ref()?;
        let mut all = self.refs(b"refs/").await?;
        all.as_mut_slice().reverse();
        let mut add = |id: ObjectId, name: Text| {
            if let Some(list) = decorations.by_id.get_or_default(id) {
                list.push(name);
            }
        };
        if let Some(id) = self.head_id()? {
            add(id, Text::from_static(b"HEAD"));
        }
        for (name, id) in all {
            // Stashes and notes are not told.
            let is_told = [&b"refs/heads/"[..], b"refs/remotes/", b"refs/tags/"]
                .iter()
                .any(|front| name.starts_with(front))
                || *name == *b"refs/stash";
            let Some(peeled) = self.peel_tags(id).await?.filter(|_| is_told) else { continue };
            add(peeled, name);
        }
        if let (Some(name), Some(id)) = (head, self.head_id()?)
            && let Some(list) = decorations.by_id.get_mut(&id)
            && list.contains(&name)
        {
            list.retain(|known| *known != name && *known != b"HEAD");
            list.insert(0, Text::from([&b"HEAD -> "[..], &name].concat_metered()));
        }
        Ok(decorations)
    }

    /// `HEAD -> main, tag: v1, origin/main`
    pub(crate) fn decoration(decorations: &Decorations, id: &ObjectId, full: bool) -> Option<Vec<u8>> {
        let names = decorations.by_id.get(id)?;
        let mut shown: Vec<Vec<u8>> = Vec::new();
        for name in names {
            let (arrow, name) = match name.strip_prefix(b"HEAD -> ") {
                Some(name) => (&b"HEAD -> "[..], name),
                None => (&b""[..], &name[..]),
            };
            let (tag, rest) = match name.strip_prefix(b"refs/tags/") {
                Some(rest) => (&b"tag: "[..], rest),
                None => {
                    let rest =
                        name.strip_prefix(b"refs/heads/").or_else(|| name.strip_prefix(b"refs/remotes/"));
                    (&b""[..], rest.unwrap_or(name))
                }
            };
            shown.push([arrow, tag, if full { name } else { rest }].concat_metered());
        }
        Some(shown.join_metered(b", "))
    }

    /// A commit in a style, without what stands between two.
    pub(crate) async fn show_commit(
        &mut self,
        shown: &Shown<'_>,
        style: &LogStyle,
        decorates: Option<bool>,
    ) -> Result<Vec<u8>> {
        let mut out: Vec<u8> = Vec::new();
        match &style.format {
            Format::User(pattern, _) => {
                self.expand(pattern, shown, style, &mut out).await?;
                return Ok(out);
            }
            Format::Reference => {
                let mut style = style.clone();
                if style.date == DateMode::default() {
                    style.date = DateMode { style: super::date::DateStyle::Short, is_local: false };
                }
                self.expand(b"%h (%s, %ad)", shown, &style, &mut out).await?;
                return Ok(out);
            }
            _ => {}
        }
        let id = if style.abbreviates {
            self.abbreviate(&shown.id, style.abbreviation)?
        } else {
            shown.id.hex().into()
        };
        if !style.format.is_oneline() {
            out.extend_from_slice(b"commit ");
        }
        out.extend_from_slice(shown.mark.as_bytes());
        out.extend_from_slice(&id);
        let parents = super::object::commit::Commit::parse(shown.bytes)
            .map(|commit| commit.parents)
            .unwrap_or_default();
        if style.shows_parents {
            for parent in &parents {
                let parent = if style.abbreviates {
                    self.abbreviate(parent, style.abbreviation)?
                } else {
                    parent.hex().into()
                };
                out.extend_from_slice(&[b" ", &parent[..]].concat_metered());
            }
        }
        if let Some(parent) = shown.from {
            let parent = if style.abbreviates {
                self.abbreviate(&parent, style.abbreviation)?
            } else {
                parent.hex().into()
            };
            out.extend_from_slice(&[b" (from ", &parent[..], b")"].concat_metered());
        }
        if let Some(full) = decorates
            && let Some(names) = Self::decoration(shown.decorations, &shown.id, full)
        {
            out.extend_from_slice(&[b" (", &names[..], b")"].concat_metered());
        }
        let text = message(shown.bytes);
        if style.format.is_oneline() {
            out.push(b' ');
            match shown.log {
                Some((name, entry)) => {
                    out.extend_from_slice(&[&name[..], b": ", &entry.message].concat_metered());
                }
                None => out.extend_from_slice(&subject(text)),
            }
            return Ok(out);
        }
        out.push(b'\n');
        if let Some((name, entry)) = shown.log {
            let who = Signature::parse(&entry.who);
            let (person, email) = (bstr::BStr::new(who.name), bstr::BStr::new(who.email));
            out.extend_from_slice(format!("Reflog: {name} ({person} <{email}>)\n").as_bytes());
            out.extend_from_slice(&[b"Reflog message: ", &entry.message[..], b"\n"].concat_metered());
        }
        self.heads(shown, style, &parents, &mut out)?;
        out.push(b'\n');
        let whole = style.format != Format::Short;
        let title = text.split(|byte| *byte == b'\n').skip_while(|line| line.trim_ascii().is_empty());
        let mut indented: Vec<u8> = Vec::new();
        for line in title {
            self.ctx.tick().await?;
            let line = line.trim_ascii_end();
            if line.is_empty() && !whole {
                break;
            }
            indented.extend_from_slice(b"    ");
            indented.extend_from_slice(&expand_tabs(line));
            indented.push(b'\n');
        }
        let end = indented.trim_ascii_end().len();
        indented.truncate(end);
        if indented.is_empty() {
            // A commit without a message ends with its head's blank line.
            return Ok(out);
        }
        out.extend_from_slice(&indented);
        out.push(b'\n');
        Ok(out)
    }

    /// The lines between the commit's name and its message.
    fn heads(
        &mut self,
        shown: &Shown<'_>,
        style: &LogStyle,
        parents: &[ObjectId],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        if style.format == Format::Raw {
            let end = memchr::memmem::find(shown.bytes, b"\n\n").map_or(shown.bytes.len(), |at| at + 1);
            out.extend_from_slice(shown.bytes.get(..end).unwrap_or(shown.bytes));
            return Ok(());
        }
        if parents.len() > 1 {
            out.extend_from_slice(b"Merge:");
            for parent in parents {
                let parent = self.abbreviate(parent, style.abbreviation)?;
                out.extend_from_slice(&[b" ", &parent[..]].concat_metered());
            }
            out.push(b'\n');
        }
        let signature = |name: &[u8]| Signature::parse(header(shown.bytes, name).unwrap_or(&[]));
        let (author, committer) = (signature(b"author"), signature(b"committer"));
        let mut person = |label: &str, who: &Signature<'_>| {
            out.extend_from_slice(&[label.as_bytes(), who.name, b" <", who.email, b">\n"].concat_metered());
        };
        match style.format {
            Format::Fuller => {
                person("Author:     ", &author);
                let date = self.show_date(&author, &style.date);
                out.extend_from_slice(&[b"AuthorDate: ", &date[..], b"\n"].concat_metered());
                out.extend_from_slice(
                    &[&b"Commit:     "[..], committer.name, b" <", committer.email, b">\n"].concat_metered(),
                );
                let date = self.show_date(&committer, &style.date);
                out.extend_from_slice(&[b"CommitDate: ", &date[..], b"\n"].concat_metered());
            }
            Format::Full => {
                person("Author: ", &author);
                person("Commit: ", &committer);
            }
            Format::Medium => {
                person("Author: ", &author);
                let date = self.show_date(&author, &style.date);
                out.extend_from_slice(&[b"Date:   ", &date[..], b"\n"].concat_metered());
            }
            _ => person("Author: ", &author),
        }
        Ok(())
    }
}

/// Tabs as blanks, up to the next multiple of eight columns.
fn expand_tabs(line: &[u8]) -> Vec<u8> {
    if !line.contains(&b'\t') {
        return Vec::from(line);
    }
    let mut out: Vec<u8> = Vec::new();
    let mut column = 0;
    for piece in line.split_inclusive(|byte| *byte == b'\t') {
        let body = piece.strip_suffix(b"\t").unwrap_or(piece);
        out.extend_from_slice(body);
        column += crate::memory::String::from_utf8_lossy(body).chars().count();
        if body.len() < piece.len() {
            let fill = 8 - column % 8;
            out.resize_by(fill, b' ');
            column += fill;
        }
    }
    out
}
