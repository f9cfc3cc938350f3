//! `git describe`: the nearest tag and how far it is.

use super::prelude::*;
use crate::memory::{HashMap, format};
use crate::utility::git::object::commit::Tag;
use crate::utility::git::walk::Walk;
use crate::utility::git::wildmatch::matches;

pub(super) static COMMAND: Command = Command {
    name: "describe",
    usage: "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]\n\
git describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]",
    options: &[&[
        flag('\0', "contains", "not supported"),
        flag('\0', "all", "use any ref"),
        flag('\0', "tags", "use any tag, even unannotated"),
        flag('\0', "long", "always use long format"),
        flag('\0', "first-parent", "only follow first parent"),
        optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        flag('\0', "exact-match", "only output exact matches"),
        value('\0', "candidates", "n", "consider <n> most recent tags (default: 10)"),
        value('\0', "match", "pattern", "only consider tags matching <pattern>"),
        value('\0', "exclude", "pattern", "do not consider tags matching <pattern>"),
        flag('\0', "always", "show abbreviated commit object as fallback"),
        optional('\0', "dirty", "mark", "append <mark> on dirty working tree (default: \"-dirty\")"),
        optional('\0', "broken", "mark", "append <mark> on broken working tree (default: \"-broken\")"),
        flag('\0', "debug", "accepted"),
    ]],
    run: command!(run),
    ..Command::BASE
};

/// A name of a commit; what counts more is larger: annotated tags, lighter ones, other refs; then younger tags.
type Name = (u8, i64, Text);

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    if arguments.has("contains") {
        return Err(fatal!("describe --contains is not supported"));
    }
    let operands = if arguments.operands.is_empty() { Vec::from([Text::from_static(b"HEAD")]) } else { arguments.operands.clone() };
    let names = collect(git, &arguments).await?;
    for name in &operands {
        let Some(id) = git.resolve_commit(name).await? else { return Err(fatal!("Not a valid object name {name}")) };
        let mut text = describe(git, &arguments, &names, id).await?;
        if arguments.has("dirty") {
            let index = git.read_index().await?;
            let head = git.head_tree().await?;
            let spec = crate::utility::git::pathspec::Pathspec::default();
            let changes = crate::utility::git::diff::files::tree_and_work_tree(git, head, &index, &spec).await?;
            if !changes.is_empty() {
                let mark = arguments.value("dirty").cloned().unwrap_or_else(|| Text::from_static(b"-dirty"));
                text.push_str(&format!("{mark}"));
            }
        }
        git.print(text.as_bytes()).await?;
        git.print(b"\n").await?;
    }
    Ok(0)
}

async fn collect(git: &mut Git, arguments: &Arguments) -> Result<HashMap<ObjectId, Name>> {
    let mut names: HashMap<ObjectId, Name> = HashMap::new();
    let all = arguments.has("all");
    let front: &[u8] = if all { b"refs/" } else { b"refs/tags/" };
    for (full, id) in git.refs(front).await? {
        let is_tag = full.starts_with(b"refs/tags/");
        let short = full.strip_prefix(b"refs/tags/").unwrap_or(&full);
        let is_meant = |pattern: &Text| matches(pattern, short, true, false);
        let mut wanted = arguments.values("match").peekable();
        if (wanted.peek().is_some() && !wanted.any(is_meant)) || arguments.values("exclude").any(is_meant) {
            continue;
        }
        let header = git.object_header(&id).await?;
        let is_annotated = header.is_some_and(|header| header.0 == Kind::Tag);
        let Some(commit) = git.peel(id, Kind::Commit).await? else { continue };
        let level = if is_annotated { 2 } else { u8::from(is_tag) };
        if level < 2 && !all && !arguments.has("tags") {
            continue;
        }
        let mut date = 0;
        let mut shown = Text::from(if all { full.strip_prefix(b"refs/").unwrap_or(&full) } else { short });
        if is_annotated {
            let bytes = git.object(&id).await?.1;
            let tagger = crate::utility::git::object::commit::header(&bytes, b"tagger").unwrap_or(&[]);
            date = crate::utility::git::object::commit::Signature::parse(tagger).seconds;
            if let Some(tag) = Tag::parse(&bytes).filter(|_| !all) {
                shown = tag.name;
            }
        }
        if names.get(&commit).is_none_or(|known| (known.0, known.1) < (level, date)) {
            names.insert(commit, (level, date, shown));
        }
    }
    Ok(names)
}

async fn describe(git: &mut Git, arguments: &Arguments, names: &HashMap<ObjectId, Name>, id: ObjectId) -> Result<String> {
    let least = match arguments.number("abbrev")? {
        Some(digits) => Some(digits.clamp(0, 40) as usize),
        None if arguments.truth("abbrev") == Some(false) => Some(0),
        None => None,
    };
    let digits = |git: &mut Git| git.abbreviate(&id, least.filter(|least| *least > 0));
    if let Some((_, _, name)) = names.get(&id) {
        if arguments.has("long") {
            return Ok(format!("{name}-0-g{}", digits(git)?));
        }
        return Ok(format!("{name}"));
    }
    let most = match arguments.number("candidates")? {
        _ if arguments.has("exact-match") => 0,
        Some(most) => most.max(0) as usize,
        None => 10,
    };
    let fallback = |git: &mut Git| -> Result<String> { Ok(format!("{}", digits(git)?)) };
    if most == 0 {
        if arguments.has("always") {
            return fallback(git);
        }
        return Err(fatal!("no tag exactly matches '{id}'"));
    }
    // The candidates nearest to the commit, by date, and how many commits each does not reach.
    let mut walk = Walk { first_parent: arguments.has("first-parent"), ..Walk::default() };
    walk.include(id);
    walk.prepare(git).await?;
    let mut found: Vec<(usize, usize, ObjectId)> = Vec::new();
    let mut order = 0;
    while let Some(item) = walk.next(git).await? {
        if names.contains_key(&item.id) {
            let mut away = Walk { first_parent: arguments.has("first-parent"), ..Walk::default() };
            away.include(id);
            away.exclude(item.id);
            away.prepare(git).await?;
            let mut depth = 0;
            while away.next(git).await?.is_some() {
                depth += 1;
            }
            found.push((depth, order, item.id));
            order += 1;
            // What is younger and reaches all that is left cannot be beaten.
            if found.len() >= most || item.commit.parents.is_empty() {
                break;
            }
        }
    }
    found.sort();
    let Some((depth, _, best)) = found.first() else {
        if arguments.has("always") {
            return fallback(git);
        }
        if names.is_empty() {
            return Err(fatal!("No names found, cannot describe anything."));
        }
        return Err(fatal!(
            "No tags can describe '{id}'.\nTry --always, or create some tags."
        ));
    };
    let name = names.get(best).map(|name| name.2.clone()).unwrap_or_default();
    if least == Some(0) {
        return Ok(format!("{name}"));
    }
    Ok(format!("{name}-{depth}-g{}", digits(git)?))
}
