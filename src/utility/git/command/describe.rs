//! `git describe`: the nearest tag and how far it is.

use super::prelude::*;
use crate::memory::{HashMap, format};
use crate::utility::git::diff::files::{Telling, tree_and_work_tree};
use crate::utility::git::object::commit::{Signature, Tag, header};
use crate::utility::git::walk::Queue;
use crate::utility::ignore::wildmatch::matches;
use std::cmp::Reverse;

options! {
    enum Opt {
        Contains = flag('\0', "contains", "find the tag that comes after the commit"),
        All = flag('\0', "all", "use any ref"),
        Tags = flag('\0', "tags", "use any tag, even unannotated"),
        Long = flag('\0', "long", "always use long format"),
        FirstParent = flag('\0', "first-parent", "only follow first parent"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        ExactMatch = flag('\0', "exact-match", "only output exact matches"),
        Candidates = value('\0', "candidates", "n", "consider <n> most recent tags (default: 10)"),
        Match = value('\0', "match", "pattern", "only consider tags matching <pattern>"),
        Exclude = value('\0', "exclude", "pattern", "do not consider tags matching <pattern>"),
        Always = flag('\0', "always", "show abbreviated commit object as fallback"),
        Dirty = optional('\0', "dirty", "mark", "append <mark> on dirty working tree (default: \"-dirty\")"),
        Broken = optional('\0', "broken", "mark", "append <mark> on broken working tree (default: \"-broken\")"),
        Debug = flag('\0', "debug", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "describe",
    usage: "git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]\n\
git describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

/// Candidates that can be told apart, at most.
const MOST_CANDIDATES: usize = 27;
const ANNOTATED: u8 = 2;

/// A name of a commit.
#[derive(Clone, Debug)]
struct Name {
    /// 2: an annotated tag, 1: another tag, 0: another ref.
    level: u8,
    /// Of the tag.
    date: i64,
    shown: Text,
    /// The tag itself has another name than its ref.
    is_misnamed: bool,
}

/// A name that may be the nearest.
struct Candidate {
    name: Name,
    depth: usize,
    /// The bit of commits that it reaches.
    within: u32,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Debug) {
        return Err(fatal!("--debug is not supported"));
    }
    if arguments.has(Opt::Contains) {
        return contains(git, &arguments).await;
    }
    let digits = digits(&arguments)?;
    if arguments.has(Opt::Long) && digits == Some(0) {
        return Err(fatal!("options '--long' and '--abbrev=0' cannot be used together"));
    }
    let names = collect(git, &arguments).await?;
    if names.is_empty() && !arguments.has(Opt::Always) {
        return Err(fatal!("No names found, cannot describe anything."));
    }
    let mark = match (arguments.truth(Opt::Broken), arguments.truth(Opt::Dirty)) {
        (Some(true), _) => Some((Opt::Broken, "-dirty")),
        (_, Some(true)) => Some((Opt::Dirty, "-dirty")),
        _ => None,
    };
    if let Some((option, _)) = mark
        && !arguments.operands.is_empty()
    {
        let name = option.long();
        return Err(fatal!("option '--{name}' and commit-ishes cannot be used together"));
    }
    let mut suffix = Text::EMPTY;
    if let Some((_, usual)) = mark {
        let index = git.read_index().await?;
        let head = git.head_tree().await?;
        let spec = crate::utility::git::pathspec::Pathspec::default();
        let changes = tree_and_work_tree(git, head, &index, &spec, (Telling::CONTENTS, None)).await?;
        if !changes.is_empty() {
            suffix =
                arguments.value(Opt::Dirty).cloned().unwrap_or_else(|| Text::from_static(usual.as_bytes()));
        }
    }
    let operands = if arguments.operands.is_empty() {
        Vec::from([Text::from_static(b"HEAD")])
    } else {
        arguments.operands.clone()
    };
    for name in &operands {
        let Some(id) = git.resolve(name).await? else { return Err(fatal!("Not a valid object name {name}")) };
        let Some(id) = git.peel(id, Kind::Commit).await? else {
            return Err(fatal!("{name} is neither a commit nor blob"));
        };
        let text = describe(git, &arguments, &names, id).await?;
        git.print(&[text.as_bytes(), &suffix, b"\n"].concat_metered()).await?;
    }
    Ok(0)
}

fn digits(arguments: &Arguments<Opt>) -> Result<Option<usize>> {
    Ok(match arguments.number(Opt::Abbrev)? {
        Some(0) => Some(0),
        Some(digits) => Some(digits.clamp(4, 40) as usize),
        None if arguments.truth(Opt::Abbrev) == Some(false) => Some(0),
        None => None,
    })
}

/// `--contains`: `name-rev` over the tags.
async fn contains(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    use super::name_rev::{Names, Refs};
    let mut refs = Refs { only_tags: !arguments.has(Opt::All), names_only: true, ..Refs::default() };
    for (list, option) in [(&mut refs.patterns, Opt::Match), (&mut refs.excluded, Opt::Exclude)] {
        for pattern in arguments.kept_values(option) {
            list.push(Text::from([b"refs/tags/", &pattern[..]].concat_metered()));
        }
    }
    if refs.only_tags && refs.patterns.is_empty() {
        refs.patterns.push(Text::from_static(b"refs/tags/*"));
    }
    let names = Names::collect(git, &refs).await?;
    let operands = if arguments.operands.is_empty() {
        Vec::from([Text::from_static(b"HEAD")])
    } else {
        arguments.operands.clone()
    };
    for operand in &operands {
        let Some(id) = git.resolve_commit(operand).await? else {
            git.say(&format!("Could not get sha1 for {operand}. Skipping."));
            continue;
        };
        match names.get(&id) {
            Some(name) => git.print(&[&name[..], b"\n"].concat_metered()).await?,
            None if arguments.has(Opt::Always) => {
                let short = git.abbreviate(&id, None)?;
                git.print(&[&short[..], b"\n"].concat_metered()).await?;
            }
            None => return Err(fatal!("cannot describe '{id}'")),
        }
    }
    Ok(0)
}

async fn collect(git: &mut Git, arguments: &Arguments<Opt>) -> Result<HashMap<ObjectId, Name>> {
    let mut names: HashMap<ObjectId, Name> = HashMap::new();
    let all = arguments.has(Opt::All);
    let front: &[u8] = if all { b"refs/" } else { b"refs/tags/" };
    for (full, id) in git.refs(front).await? {
        let is_tag = full.starts_with(b"refs/tags/");
        let fronts = [&b"refs/tags/"[..], b"refs/heads/", b"refs/remotes/"];
        let short = fronts.iter().find_map(|front| full.strip_prefix(*front));
        let is_meant = |pattern: &Text| short.is_some_and(|short| matches(pattern, short, false, false));
        let mut wanted = arguments.kept_values(Opt::Match).peekable();
        if (wanted.peek().is_some() && !wanted.any(is_meant))
            || arguments.kept_values(Opt::Exclude).any(is_meant)
        {
            continue;
        }
        let tag = git.object_header(&id).await?.filter(|header| header.0 == Kind::Tag).map(|_| id);
        let Some(target) = git.peel_tags(id).await? else { continue };
        let level = if tag.is_some() { ANNOTATED } else { u8::from(is_tag) };
        let mut name = Name { level, date: 0, shown: Text::EMPTY, is_misnamed: false };
        let path = full.strip_prefix(if all { &b"refs/"[..] } else { b"refs/tags/" }).unwrap_or(&full);
        name.shown = Text::from(path);
        if let Some(tag) = tag {
            let bytes = git.object(&tag).await?.1;
            name.date = Signature::parse(header(&bytes, b"tagger").unwrap_or(&[])).seconds;
            if let Some(tag) = Tag::parse(&bytes) {
                let own =
                    if all { [b"tags/", &tag.name[..]].concat_metered() } else { tag.name.to_metered() };
                name.is_misnamed = own != path;
                name.shown = Text::from(own);
            }
        }
        let is_better = names.get(&target).is_none_or(|known| {
            known.level < level || (known.level == ANNOTATED && level == ANNOTATED && known.date < name.date)
        });
        if is_better {
            names.insert(target, name);
        }
    }
    Ok(names)
}

async fn describe(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    names: &HashMap<ObjectId, Name>,
    id: ObjectId,
) -> Result<String> {
    let digits = digits(arguments)?;
    let takes_all = arguments.has(Opt::All) || arguments.has(Opt::Tags);
    if let Some(name) = names.get(&id)
        && (takes_all || name.level == ANNOTATED)
    {
        return Ok(if arguments.has(Opt::Long) || name.is_misnamed {
            format!("{}-0-g{}", name.shown, git.abbreviate(&id, digits)?)
        } else {
            format!("{}", name.shown)
        });
    }
    let most = match arguments.number(Opt::Candidates)? {
        _ if arguments.has(Opt::ExactMatch) => 0,
        Some(most) => (most.max(0) as usize).min(MOST_CANDIDATES),
        None => 10,
    };
    if most == 0 {
        return Err(fatal!("no tag exactly matches '{id}'"));
    }
    let mut search = NameSearch { first_parent: arguments.has(Opt::FirstParent), ..NameSearch::default() };
    search.add(git, id, 0).await?;
    let unannotated = search.candidates(git, names, takes_all, most).await?;
    search.candidates.sort_by_key(|candidate| candidate.depth);
    if search.candidates.is_empty() {
        if arguments.has(Opt::Always) {
            return Ok(format!("{}", git.abbreviate(&id, digits.filter(|digits| *digits > 0))?));
        }
        return Err(if unannotated {
            fatal!(
                "No annotated tags can describe '{id}'.\nHowever, there were unannotated tags: try --tags."
            )
        } else {
            fatal!("No tags can describe '{id}'.\nTry --always, or create some tags.")
        });
    }
    search.finish(git).await?;
    let Some(best) = search.candidates.first() else { return Ok(String::new()) };
    let shown = &best.name.shown;
    if digits == Some(0) && !best.name.is_misnamed {
        return Ok(format!("{shown}"));
    }
    Ok(format!("{shown}-{}-g{}", best.depth, git.abbreviate(&id, digits)?))
}

/// The walk from a commit to the names before it.
#[derive(Default)]
struct NameSearch {
    first_parent: bool,
    /// Of each commit that was met, which candidates reach it.
    within: HashMap<ObjectId, u32>,
    queue: Queue,
    queued: HashMap<ObjectId, ()>,
    count: u64,
    candidates: Vec<Candidate>,
}

impl NameSearch {
    /// Meets a commit.
    async fn add(&mut self, git: &mut Git, id: ObjectId, within: u32) -> Result<()> {
        match self.within.get_mut(&id) {
            Some(known) => *known |= within,
            None => {
                self.within.insert(id, within);
                self.count += 1;
                let date = git.commit(&id).await?.date;
                self.queue.insert((Reverse(date), self.count), id);
                self.queued.insert(id, ());
            }
        }
        Ok(())
    }

    async fn add_parents(&mut self, git: &mut Git, id: ObjectId, only_first: bool) -> Result<()> {
        let within = self.within.get(&id).copied().unwrap_or(0);
        let most = if only_first { 1 } else { usize::MAX };
        for parent in git.commit(&id).await?.parents.iter().take(most) {
            self.add(git, *parent, within).await?;
        }
        Ok(())
    }

    /// Finds the candidates; whether there were names that do not count.
    async fn candidates(
        &mut self,
        git: &mut Git,
        names: &HashMap<ObjectId, Name>,
        takes_all: bool,
        most: usize,
    ) -> Result<bool> {
        let (mut seen, mut has_unannotated, mut has_annotated) = (0, false, false);
        while let Some((key, id)) = self.queue.pop_first() {
            git.ctx.tick().await?;
            self.queued.remove(&id);
            seen += 1;
            if let Some(name) = names.get(&id) {
                if !takes_all && name.level < ANNOTATED {
                    has_unannotated = true;
                } else if self.candidates.len() < most {
                    let within = 1 << self.candidates.len();
                    self.candidates.push(Candidate { name: name.clone(), depth: seen - 1, within });
                    if let Some(known) = self.within.get_mut(&id) {
                        *known |= within;
                    }
                    has_annotated |= name.level == ANNOTATED;
                } else {
                    // One too many: it is looked at again when the depth of the best is counted.
                    self.queue.insert(key, id);
                    self.queued.insert(id, ());
                    break;
                }
            }
            let within = self.within.get(&id).copied().unwrap_or(0);
            for candidate in &mut self.candidates {
                candidate.depth += usize::from(within & candidate.within == 0);
            }
            if has_annotated && self.queue.is_empty() {
                let least = self.candidates.iter().map(|candidate| candidate.depth).min().unwrap_or(0);
                let best = self.candidates.iter().filter(|candidate| candidate.depth == least);
                let best = best.fold(0, |all, candidate| all | candidate.within);
                if within & best == best {
                    break;
                }
            }
            self.add_parents(git, id, self.first_parent).await?;
        }
        Ok(has_unannotated)
    }

    /// Counts what the best candidate does not reach of the rest.
    async fn finish(&mut self, git: &mut Git) -> Result<()> {
        let Some(best) = self.candidates.first().map(|candidate| candidate.within) else { return Ok(()) };
        let is_reached = |within: &HashMap<ObjectId, u32>, id: &ObjectId| {
            within.get(id).is_some_and(|within| within & best != 0)
        };
        let mut open = self.queue.iter().filter(|(_, id)| !is_reached(&self.within, id)).count();
        while let Some((_, id)) = self.queue.pop_first() {
            git.ctx.tick().await?;
            self.queued.remove(&id);
            if is_reached(&self.within, &id) {
                if open == 0 {
                    break;
                }
            } else {
                open = open.saturating_sub(1);
                if let Some(candidate) = self.candidates.first_mut() {
                    candidate.depth += 1;
                }
            }
            let passed = self.within.get(&id).copied().unwrap_or(0);
            for parent in &git.commit(&id).await?.parents {
                let is_new = !self.within.contains_key(parent);
                let was_reached = is_reached(&self.within, parent);
                let is_queued = self.queued.contains_key(parent);
                self.add(git, *parent, passed).await?;
                let is_now = is_reached(&self.within, parent);
                if is_new {
                    open += usize::from(!is_now);
                } else if is_queued && !was_reached && is_now {
                    open = open.saturating_sub(1);
                }
            }
        }
        Ok(())
    }
}
