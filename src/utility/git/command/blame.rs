//! `git blame`: which commit each line comes from.

use super::prelude::*;
use crate::memory::{HashMap, format, vec};
use crate::utility::git::date::{DateMode, DateStyle};
use crate::utility::git::diff::lines::{Blanks, File, runs};
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::subject;
use std::cmp::Reverse;

pub(super) static COMMAND: Command = Command {
    name: "blame",
    usage: "git blame [<options>] [<rev>] [--] <file>",
    options: &[&[
        value('L', "", "range", "process only line range <start>,<end>"),
        flag('p', "porcelain", "show in a format designed for machine consumption"),
        flag('\0', "line-porcelain", "show porcelain format with per-line commit information"),
        flag('s', "", "suppress author name and timestamp from the output"),
        flag('l', "", "show long commit SHA1"),
        flag('e', "show-email", "show author email instead of name"),
        flag('w', "", "ignore whitespace differences"),
        flag('t', "", "show raw timestamp"),
        flag('\0', "root", "do not treat root commits as boundaries"),
        value('\0', "date", "format", "the format of dates"),
        optional('\0', "abbrev", "n", "use <n> digits to display object names"),
    ]],
    run: command!(run),
    ..Command::BASE
};

/// Commits that are still to be looked at, the youngest first: the file there and its lines that are looked for.
type Pending = crate::memory::BTreeMap<(Reverse<i64>, ObjectId), (File, Vec<(usize, usize)>)>;

/// Commits as they are stored; none is what is not committed yet.
type Texts = HashMap<Option<ObjectId>, Vec<u8>>;

/// Where a line comes from: its commit (none: not committed yet) and its number there, from 0.
#[derive(Clone, Debug)]
struct Origin {
    commit: Option<ObjectId>,
    line: usize,
    is_boundary: bool,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    let (revision, file) = match arguments.operands.as_slice() {
        [file] => (None, file.clone()),
        [revision, file] => (Some(revision.clone()), file.clone()),
        _ => return Err(GitError::Plain(super::super::arguments::usage(&COMMAND), 129)),
    };
    let path = git.relative(&file)?;
    let name = revision.clone().unwrap_or_else(|| Text::from_static(b"HEAD"));
    let Some(start) = git.resolve_commit(&name).await? else { return Err(fatal!("bad revision '{name}'")) };
    let tree = git.commit(&start).await?.tree;
    let Some((_, blob)) = git.find_in_tree(tree, &path).await? else {
        return Err(fatal!("no such path '{}' in {name}", bstr::BStr::new(&path)));
    };
    let committed = git.object(&blob).await?.1;
    let committed = File::new(&mut git.ctx, committed).await?;
    let shown = match (&revision, git.work_mode(&path)?) {
        (None, Some(mode)) => {
            let text = git.work_content(&path, mode).await?;
            File::new(&mut git.ctx, text).await?
        }
        (None, None) => return Err(fatal!("Cannot lstat '{}': No such file or directory", bstr::BStr::new(&path))),
        _ => committed.clone(),
    };
    let blanks = Blanks { all: arguments.has("w"), ..Blanks::default() };
    let mut origins: Vec<Option<Origin>> = vec![None; shown.count()];
    // Lines that are still looked for in a commit: their place there and in the file that is shown.
    let first = map(git, &committed, &shown, blanks).await?;
    let mut wanted: Vec<(usize, usize)> = Vec::new();
    for (at, from) in first.iter().enumerate() {
        match from {
            Some(line) => wanted.push((*line, at)),
            None => {
                if let Some(slot) = origins.get_mut(at) {
                    *slot = Some(Origin { commit: None, line: at, is_boundary: false });
                }
            }
        }
    }
    trace(git, start, &path, committed, wanted, blanks, &mut origins).await?;
    let (from, to) = range(&arguments, shown.count())?;
    print(git, &arguments, &path, &shown, &origins, (from, to)).await?;
    Ok(0)
}

/// `-L start,end`, from 0.
fn range(arguments: &Arguments, count: usize) -> Result<(usize, usize)> {
    let Some(text) = arguments.value("L") else { return Ok((0, count)) };
    let text = String::from_utf8_lossy(text);
    let (start, end) = text.split_once(',').unwrap_or((&text, ""));
    let start: usize = if start.is_empty() { 1 } else { start.parse().map_err(|_| fatal!("-L takes numbers only"))? };
    let end = match end.strip_prefix('+') {
        Some(length) => start.saturating_add(length.parse::<usize>().map_err(|_| fatal!("-L takes numbers only"))?).saturating_sub(1),
        None if end.is_empty() => count,
        None => end.parse().map_err(|_| fatal!("-L takes numbers only"))?,
    };
    if start > count {
        return Err(fatal!("file has only {count} lines"));
    }
    Ok((start.max(1) - 1, end.min(count)))
}

/// For each line of the new file its place in the old one.
async fn map(git: &mut Git, old: &File, new: &File, blanks: Blanks) -> Result<Vec<Option<usize>>> {
    let mut lines = vec![None; new.count()];
    let runs = runs(&mut git.ctx, old, new, blanks, false).await?;
    let (mut x, mut y) = (0, 0);
    for run in runs {
        while y < run.right {
            if let Some(slot) = lines.get_mut(y) {
                *slot = Some(x);
            }
            (x, y) = (x + 1, y + 1);
        }
        (x, y) = (run.left + run.deleted, run.right + run.inserted);
    }
    while y < new.count() {
        if let Some(slot) = lines.get_mut(y) {
            *slot = Some(x);
        }
        (x, y) = (x + 1, y + 1);
    }
    Ok(lines)
}

/// Follows lines through the history, youngest commits first.
async fn trace(
    git: &mut Git,
    start: ObjectId,
    path: &[u8],
    file: File,
    wanted: Vec<(usize, usize)>,
    blanks: Blanks,
    origins: &mut Vec<Option<Origin>>,
) -> Result<()> {
    let mut queue: Pending = Pending::new();
    let date = git.commit(&start).await?.date;
    queue.insert((Reverse(date), start), (file, wanted));
    while let Some(((_, id), (file, mut wanted))) = queue.pop_first() {
        git.ctx.tick().await?;
        let commit = git.commit(&id).await?;
        for parent in &commit.parents {
            if wanted.is_empty() {
                break;
            }
            let above = git.commit(parent).await?;
            let Some((_, blob)) = git.find_in_tree(above.tree, path).await? else { continue };
            let text = git.object(&blob).await?.1;
            let old = File::new(&mut git.ctx, text).await?;
            let lines = map(git, &old, &file, blanks).await?;
            let mut passed: Vec<(usize, usize)> = Vec::new();
            let mut kept: Vec<(usize, usize)> = Vec::new();
            for (line, at) in wanted {
                match lines.get(line).copied().flatten() {
                    Some(place) => passed.push((place, at)),
                    None => kept.push((line, at)),
                }
            }
            wanted = kept;
            if passed.is_empty() {
                continue;
            }
            let key = (Reverse(above.date), *parent);
            match queue.get_mut(&key) {
                Some((_, known)) => known.extend(passed),
                None => drop(queue.insert(key, (old, passed))),
            }
        }
        for (line, at) in wanted {
            if let Some(slot) = origins.get_mut(at) {
                *slot = Some(Origin { commit: Some(id), line, is_boundary: commit.parents.is_empty() });
            }
        }
    }
    Ok(())
}

async fn print(
    git: &mut Git,
    arguments: &Arguments,
    path: &[u8],
    file: &File,
    origins: &[Option<Origin>],
    (from, to): (usize, usize),
) -> Result<()> {
    let mode = match arguments.value("date") {
        Some(name) => DateMode::named(name).ok_or_else(|| fatal!("unknown date format {name}"))?,
        None if arguments.has("t") => DateMode { style: DateStyle::Raw, is_local: false },
        None => DateMode { style: DateStyle::Iso, is_local: false },
    };
    let mut texts: Texts = Texts::new();
    let now = git.now();
    let zone = git.zone_at(now);
    let sign = if zone < 0 { '-' } else { '+' };
    let fresh = format!("author Not Committed Yet <not.committed.yet> {now} {sign}{:04}\n\n", zone.abs()).into_bytes();
    let mut width = 0;
    for origin in origins.get(from..to).unwrap_or(&[]).iter().flatten() {
        if !texts.contains_key(&origin.commit) {
            let bytes = match origin.commit {
                Some(id) => git.object(&id).await?.1,
                None => fresh.clone(),
            };
            texts.insert(origin.commit, bytes);
        }
        let who = Signature::parse(texts.get(&origin.commit).and_then(|bytes| header(bytes, b"author")).unwrap_or(&[]));
        let name = if arguments.has("show-email") { who.email.len() + 2 } else { String::from_utf8_lossy(who.name).chars().count() };
        width = width.max(name);
    }
    if arguments.has("porcelain") || arguments.has("line-porcelain") {
        return porcelain(git, arguments, path, file, (origins, &texts), (from, to)).await;
    }
    let digits = match arguments.number("abbrev")? {
        _ if arguments.has("l") => 40,
        Some(digits) => digits.clamp(4, 39) as usize + 1,
        None => git.abbreviation()? + 1,
    };
    let number_width = format!("{to}").len();
    for (at, origin) in origins.iter().enumerate().take(to).skip(from) {
        let Some(origin) = origin else { continue };
        let id = origin.commit.unwrap_or_default();
        let is_boundary = origin.is_boundary && !arguments.has("root");
        let name = if is_boundary { format!("^{}", id.abbreviated(digits - 1)) } else { id.abbreviated(digits) };
        let who = Signature::parse(texts.get(&origin.commit).and_then(|bytes| header(bytes, b"author")).unwrap_or(&[]));
        let mut line: Vec<u8> = name.into_bytes();
        if arguments.has("s") {
            line.extend_from_slice(format!(" {:>number_width$}) ", at + 1).as_bytes());
        } else {
            let shown = if arguments.has("show-email") { [b"<", who.email, b">"].concat_metered() } else { who.name.to_metered() };
            let length = String::from_utf8_lossy(&shown).chars().count();
            line.extend_from_slice(b" (");
            line.extend_from_slice(&shown);
            line.resize_by(width.saturating_sub(length) + 1, b' ');
            line.extend_from_slice(&git.show_date(&who, &mode));
            line.extend_from_slice(format!(" {:>number_width$}) ", at + 1).as_bytes());
        }
        line.extend_from_slice(file.line(at));
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        git.print(&line).await?;
    }
    Ok(())
}

async fn porcelain(
    git: &mut Git,
    arguments: &Arguments,
    path: &[u8],
    file: &File,
    (origins, texts): (&[Option<Origin>], &Texts),
    (from, to): (usize, usize),
) -> Result<()> {
    let mut told: HashMap<Option<ObjectId>, ()> = HashMap::new();
    let same = |one: Option<&Option<Origin>>, other: &Origin, step: usize| {
        one.and_then(Option::as_ref).is_some_and(|one| one.commit == other.commit && one.line == other.line + step)
    };
    for at in from..to {
        let Some(Some(origin)) = origins.get(at) else { continue };
        let is_first = at == from || at.checked_sub(1).and_then(|before| origins.get(before)).and_then(Option::as_ref).is_none_or(
            |before| before.commit != origin.commit || before.line + 1 != origin.line,
        );
        let id = origin.commit.unwrap_or_default();
        let mut line = format!("{id} {} {}", origin.line + 1, at + 1);
        if is_first {
            let mut length = 1;
            while at + length < to && same(origins.get(at + length), origin, length) {
                length += 1;
            }
            line.push_str(&format!(" {length}"));
        }
        line.push('\n');
        git.print(line.as_bytes()).await?;
        if told.insert(origin.commit, ()).is_none() || arguments.has("line-porcelain") {
            let bytes = texts.get(&origin.commit).map_or(&b""[..], Vec::as_slice);
            let author = Signature::parse(header(bytes, b"author").unwrap_or(&[]));
            let committer = Signature::parse(header(bytes, b"committer").or_else(|| header(bytes, b"author")).unwrap_or(&[]));
            let mut head: Vec<u8> = Vec::new();
            for (word, who) in [("author", author), ("committer", committer)] {
                let sign = if who.zone < 0 { '-' } else { '+' };
                let (name, email) = (bstr::BStr::new(who.name), bstr::BStr::new(who.email));
                head.extend_from_slice(
                    format!("{word} {name}\n{word}-mail <{email}>\n{word}-time {}\n{word}-tz {sign}{:04}\n", who.seconds, who.zone.abs())
                        .as_bytes(),
                );
            }
            let title = match origin.commit {
                Some(_) => subject(message(bytes)),
                None => [&b"Version of "[..], path, b" from ", path].concat_metered(),
            };
            head.extend_from_slice(&[&b"summary "[..], &title, b"\n"].concat_metered());
            if origin.is_boundary && !arguments.has("root") {
                head.extend_from_slice(b"boundary\n");
            }
            head.extend_from_slice(&[b"filename ", path, b"\n"].concat_metered());
            git.print(&head).await?;
        }
        let mut line: Vec<u8> = b"\t".to_metered();
        line.extend_from_slice(file.line(at));
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        git.print(&line).await?;
    }
    Ok(())
}
