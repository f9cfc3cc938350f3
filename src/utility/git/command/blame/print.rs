//! Lines with their commits, for people and for programs.

use super::Opt;
use super::trace::{Origin, Trace};
use super::{Range, fresh_commit};
use crate::memory::{HashMap, JoinMetered, String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::date::{DateMode, DateStyle};
use crate::utility::git::diff::lines::File;
use crate::utility::git::error::{Result, fatal};
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::pretty::subject;

/// Lines of one origin that follow each other here and there.
struct Entry {
    origin: usize,
    /// Their first line in the origin, in the file that is shown, and how many they are.
    from: usize,
    at: usize,
    count: usize,
}

struct Printer<'p> {
    trace: &'p Trace,
    file: &'p File,
    entries: Vec<Entry>,
    texts: HashMap<Option<ObjectId>, Vec<u8>>,
}

pub(super) async fn print(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    trace: &Trace,
    (path, file): (&Text, &File),
    ranges: &[Range],
) -> Result<()> {
    let mut printer = Printer { trace, file, entries: Vec::new(), texts: HashMap::new() };
    for (from, to) in ranges {
        for at in *from..*to {
            git.ctx.tick().await?;
            let Some(Some((origin, line))) = trace.lines.get(at).copied() else { continue };
            match printer.entries.last_mut() {
                Some(last)
                    if last.origin == origin
                        && last.from + last.count == line
                        && last.at + last.count == at =>
                {
                    last.count += 1;
                }
                _ => printer.entries.push(Entry { origin, from: line, at, count: 1 }),
            }
            if let Some(origin) = trace.origins.get(origin)
                && !printer.texts.contains_key(&origin.commit)
            {
                let bytes = match origin.commit {
                    Some(id) => git.object(&id).await?.1,
                    None => fresh_commit(git, path),
                };
                printer.texts.insert(origin.commit, bytes);
            }
        }
    }
    if arguments.has(Opt::Porcelain) || arguments.has(Opt::LinePorcelain) {
        printer.porcelain(git, arguments.has(Opt::LinePorcelain)).await
    } else {
        printer.lines(git, arguments, path).await
    }
}

fn columns(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

/// Digits of a number.
fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// The columns of a date in the usual format, with its zone.
const WIDEST_DATE: usize = 30;

impl Printer<'_> {
    fn origin(&self, entry: &Entry) -> Option<&Origin> {
        self.trace.origins.get(entry.origin)
    }

    fn text(&self, origin: &Origin) -> &[u8] {
        self.texts.get(&origin.commit).map_or(&[], Vec::as_slice)
    }

    fn is_boundary(&self, origin: &Origin) -> bool {
        origin.commit.is_some_and(|id| self.trace.boundary.contains_key(&id))
    }

    fn author(&self, origin: &Origin, as_email: bool) -> Vec<u8> {
        let who = Signature::parse(header(self.text(origin), b"author").unwrap_or(&[]));
        if as_email { [b"<", who.email, b">"].concat_metered() } else { who.name.to_metered() }
    }

    async fn lines(&self, git: &mut Git, arguments: &Arguments<Opt>, path: &Text) -> Result<()> {
        let configured = git.config.get("blame.date").map(Text::from);
        let mode = match arguments.value(Opt::Date).cloned().or(configured) {
            Some(name) => DateMode::named(&name).ok_or_else(|| fatal!("unknown date format {name}"))?,
            None if arguments.has(Opt::RawTime) => DateMode { style: DateStyle::Raw, is_local: false },
            None => DateMode { style: DateStyle::Iso, is_local: false },
        };
        let as_email =
            arguments.truth(Opt::ShowEmail).unwrap_or(git.config.truth("blame.showemail") == Some(true));
        let is_annotated = arguments.has(Opt::Annotate);
        let is_blank = arguments
            .truth(Opt::BlankBoundary)
            .unwrap_or(git.config.truth("blame.blankboundary") == Some(true));
        let (mut author_width, mut path_width, mut end, mut old_end) = (0, 0, 0, 0);
        let mut shows_name = arguments.has(Opt::ShowName);
        let mut abbreviation = git.abbreviation()?;
        for entry in &self.entries {
            let Some(origin) = self.origin(entry) else { continue };
            shows_name |= origin.path != *path;
            path_width = path_width.max(origin.path.len());
            author_width = author_width.max(columns(&self.author(origin, as_email)));
            end = end.max(entry.at + entry.count);
            old_end = old_end.max(entry.from + entry.count);
            let id = origin.commit.unwrap_or_default();
            abbreviation = abbreviation.max(git.abbreviate(&id, Some(abbreviation))?.len());
        }
        let length = match arguments.number(Opt::Abbrev)? {
            _ if arguments.has(Opt::LongNames) => 40,
            Some(given) => given.clamp(4, 40) as usize + 1,
            None if arguments.truth(Opt::Abbrev) == Some(false) => 40,
            None => abbreviation + 1,
        };
        let (width, old_width) = (digits(end), digits(old_end));
        for entry in &self.entries {
            let Some(origin) = self.origin(entry) else { continue };
            let id = origin.commit.unwrap_or_default();
            let who = Signature::parse(header(self.text(origin), b"author").unwrap_or(&[]));
            let author = self.author(origin, as_email);
            let mut date = git.show_date(&who, &mode);
            if mode.style == DateStyle::Default {
                date.resize(date.len().max(WIDEST_DATE), b' ');
            }
            for index in 0..entry.count {
                let mut line: Vec<u8> = Vec::new();
                let name = match self.is_boundary(origin) {
                    true if is_blank => crate::memory::repeat_text(" ", length.min(40)),
                    true if !is_annotated => format!("^{}", id.abbreviated(length.min(40) - 1)),
                    _ => id.abbreviated(length.min(40)),
                };
                line.extend_from_slice(name.as_bytes());
                let number = entry.at + index + 1;
                let shown_author = bstr::BStr::new(&author);
                let shown_date = bstr::BStr::new(&date);
                if is_annotated {
                    line.extend_from_slice(
                        format!("\t({shown_author:>10}\t{shown_date:>10}\t{number})").as_bytes(),
                    );
                } else {
                    if shows_name {
                        line.push(b' ');
                        line.extend_from_slice(&origin.path);
                        line.resize_by(path_width.saturating_sub(origin.path.len()), b' ');
                    }
                    if arguments.has(Opt::ShowNumber) {
                        line.extend_from_slice(format!(" {:>old_width$}", entry.from + index + 1).as_bytes());
                    }
                    if !arguments.has(Opt::HideAuthor) {
                        line.extend_from_slice(format!(" ({shown_author}").as_bytes());
                        let own = columns(&author);
                        line.resize_by(author_width.saturating_sub(own), b' ');
                        line.extend_from_slice(format!(" {shown_date:>10}").as_bytes());
                    }
                    line.extend_from_slice(format!(" {number:>width$}) ").as_bytes());
                }
                self.content(entry.at + index, &mut line);
                git.print(&line).await?;
            }
        }
        Ok(())
    }

    fn content(&self, at: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.file.line(at));
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }

    async fn porcelain(&self, git: &mut Git, every_line: bool) -> Result<()> {
        let mut told: HashMap<Option<ObjectId>, ()> = HashMap::new();
        // Commits whose lines are of more than one file.
        let mut paths: HashMap<Option<ObjectId>, (usize, bool)> = HashMap::new();
        for entry in &self.entries {
            let Some(origin) = self.origin(entry) else { continue };
            match paths.get_mut(&origin.commit) {
                Some((known, has_more)) => *has_more |= *known != entry.origin,
                None => drop(paths.insert(origin.commit, (entry.origin, false))),
            }
        }
        for entry in &self.entries {
            let Some(origin) = self.origin(entry) else { continue };
            let id = origin.commit.unwrap_or_default();
            for index in 0..entry.count {
                let mut out: Vec<u8> = Vec::new();
                let (old, new) = (entry.from + index + 1, entry.at + index + 1);
                let count = if index == 0 { format!(" {}", entry.count) } else { String::new() };
                out.extend_from_slice(format!("{id} {old} {new}{count}\n").as_bytes());
                if index == 0 || every_line {
                    let is_new = told.insert(origin.commit, ()).is_none();
                    if is_new || every_line {
                        self.details(origin, &mut out);
                    }
                    let has_more = paths.get(&origin.commit).is_some_and(|known| known.1);
                    if is_new || every_line || has_more {
                        self.names(git, origin, &mut out);
                    }
                }
                out.push(b'\t');
                self.content(entry.at + index, &mut out);
                git.print(&out).await?;
            }
        }
        Ok(())
    }

    fn details(&self, origin: &Origin, out: &mut Vec<u8>) {
        let bytes = self.text(origin);
        for word in ["author", "committer"] {
            let who = Signature::parse(header(bytes, word.as_bytes()).unwrap_or(&[]));
            let sign = if who.zone < 0 { '-' } else { '+' };
            let (name, email) = (bstr::BStr::new(who.name), bstr::BStr::new(who.email));
            let text = format!(
                "{word} {name}\n{word}-mail <{email}>\n{word}-time {}\n{word}-tz {sign}{:04}\n",
                who.seconds,
                who.zone.abs()
            );
            out.extend_from_slice(text.as_bytes());
        }
        let title = subject(message(bytes));
        let title = if title.is_empty() {
            format!("({})", origin.commit.unwrap_or_default()).into_bytes()
        } else {
            title
        };
        out.extend_from_slice(&[&b"summary "[..], &title, b"\n"].concat_metered());
        if self.is_boundary(origin) {
            out.extend_from_slice(b"boundary\n");
        }
    }

    fn names(&self, git: &Git, origin: &Origin, out: &mut Vec<u8>) {
        if let Some(previous) = origin.previous.and_then(|number| self.trace.origins.get(number)) {
            let id = previous.commit.unwrap_or_default();
            out.extend_from_slice(format!("previous {id} ").as_bytes());
            out.extend_from_slice(&git.quoted(&previous.path));
            out.push(b'\n');
        }
        out.extend_from_slice(b"filename ");
        out.extend_from_slice(&git.quoted(&origin.path));
        out.push(b'\n');
    }
}
