//! `git name-rev`: commits by the refs that lead to them, with the way (`main~2^2`).

use super::prelude::*;
use crate::memory::{HashMap, format};
use crate::utility::git::object::commit::{Signature, Tag, header};
use crate::utility::ignore::wildmatch::matches;

options! {
    enum Opt {
        NameOnly = flag('\0', "name-only", "print only ref-based names (no object names)"),
        Tags = flag('\0', "tags", "only use tags to name the commits"),
        Refs = value('\0', "refs", "pattern", "only use refs matching <pattern>"),
        Exclude = value('\0', "exclude", "pattern", "ignore refs matching <pattern>"),
        Undefined = flag('\0', "undefined", "allow to print `undefined` names (default)"),
        Always = flag('\0', "always", "show abbreviated commit object as fallback"),
        All = flag('\0', "all", "not supported"),
        AnnotateStdin = flag('\0', "annotate-stdin", "not supported"),
        Stdin = flag('\0', "stdin", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "name-rev",
    usage: "git name-rev [<options>] <commit>...",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

/// A step to another parent than the first counts as so many.
const MERGE_WEIGHT: usize = 65_535;
/// Dates may be wrong by so much.
const SLOP: i64 = 86_400;

/// Which refs give names.
#[derive(Clone, Debug, Default)]
pub(super) struct Refs {
    pub(super) only_tags: bool,
    pub(super) names_only: bool,
    pub(super) patterns: Vec<Text>,
    pub(super) excluded: Vec<Text>,
    /// Older commits are not named.
    pub(super) since: Option<i64>,
}

#[derive(Clone, Debug)]
struct Name {
    tip: Text,
    date: i64,
    generation: usize,
    distance: usize,
    is_tag: bool,
}

/// A ref that gives names.
struct Tip {
    id: ObjectId,
    name: Name,
}

/// The names of commits.
#[derive(Default)]
pub(super) struct Names {
    by_id: HashMap<ObjectId, Name>,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::All, Opt::AnnotateStdin, Opt::Stdin]) {
        return Err(fatal!("--{} is not supported", option.long()));
    }
    let mut wanted: Vec<(Text, ObjectId)> = Vec::new();
    let mut since = i64::MAX;
    for operand in &arguments.operands {
        match git.resolve_commit(operand).await? {
            Some(id) => {
                since = since.min(git.commit(&id).await?.date);
                wanted.push((operand.clone(), id));
            }
            None => git.say(&format!("Could not get sha1 for {operand}. Skipping.")),
        }
    }
    let names_only = arguments.has(Opt::NameOnly);
    let refs = Refs {
        only_tags: arguments.has(Opt::Tags),
        names_only,
        patterns: arguments.values(Opt::Refs).cloned().collect(),
        excluded: arguments.values(Opt::Exclude).cloned().collect(),
        since: Some(since.saturating_sub(SLOP)),
    };
    let names = Names::collect(git, &refs).await?;
    for (operand, id) in &wanted {
        if !names_only {
            git.print(&[&operand[..], b" "].concat_metered()).await?;
        }
        let name = match names.get(id) {
            Some(name) => name,
            None if arguments.truth(Opt::Undefined) != Some(false) => b"undefined".to_metered(),
            None if arguments.has(Opt::Always) => git.abbreviate(id, None)?.to_metered(),
            None => return Err(fatal!("cannot describe '{id}'")),
        };
        git.print(&[&name[..], b"\n"].concat_metered()).await?;
    }
    Ok(0)
}

impl Names {
    /// Names all commits that refs lead to.
    pub(super) async fn collect(git: &mut Git, refs: &Refs) -> Result<Self> {
        let mut tips: Vec<Tip> = Vec::new();
        for (full, id) in git.refs(b"refs/").await? {
            let is_tag = full.starts_with(b"refs/tags/");
            let fits = |pattern: &Text| place_of_match(pattern, &full);
            if (refs.only_tags && !is_tag) || refs.excluded.iter().any(|pattern| fits(pattern).is_some()) {
                continue;
            }
            let found = refs.patterns.iter().filter_map(fits).max();
            if found.is_none() && !refs.patterns.is_empty() {
                continue;
            }
            let is_short = (refs.only_tags && refs.names_only) || found.is_some_and(|at| at > 0);
            let (mut id, mut date, mut is_tag_object) = (id, None, false);
            while git.object_header(&id).await?.is_some_and(|header| header.0 == Kind::Tag) {
                git.ctx.tick().await?;
                let bytes = git.object(&id).await?.1;
                date = Some(Signature::parse(header(&bytes, b"tagger").unwrap_or(&[])).seconds);
                is_tag_object = true;
                let Some(tag) = Tag::parse(&bytes) else { break };
                id = tag.object;
            }
            if git.object_header(&id).await?.is_none_or(|header| header.0 != Kind::Commit) {
                continue;
            }
            let date = match date {
                Some(date) => date,
                None => git.commit(&id).await?.date,
            };
            let shown = if is_short {
                git.shorten(&full)?
            } else {
                let fronts = [&b"refs/heads/"[..], b"refs/"];
                Text::from(fronts.iter().find_map(|front| full.strip_prefix(*front)).unwrap_or(&full))
            };
            let tip = if is_tag_object { Text::from([&shown[..], b"^0"].concat_metered()) } else { shown };
            tips.push(Tip { id, name: Name { tip, date, generation: 0, distance: 0, is_tag } });
        }
        tips.sort_by_key(|tip| (!tip.name.is_tag, tip.name.date));
        let mut names = Self::default();
        for tip in tips {
            names.follow(git, tip, refs.since).await?;
        }
        Ok(names)
    }

    /// Takes a name if it is better than the one that is known.
    fn take(&mut self, id: ObjectId, name: Name) -> bool {
        if self.by_id.get(&id).is_some_and(|known| !name.is_better_than(known)) {
            return false;
        }
        self.by_id.insert(id, name);
        true
    }

    async fn follow(&mut self, git: &mut Git, tip: Tip, since: Option<i64>) -> Result<()> {
        let date = git.commit(&tip.id).await?.date;
        if since.is_some_and(|since| date < since) || !self.take(tip.id, tip.name) {
            return Ok(());
        }
        let mut stack: Vec<ObjectId> = Vec::new();
        stack.push(tip.id);
        while let Some(id) = stack.pop() {
            git.ctx.tick().await?;
            let Some(name) = self.by_id.get(&id).cloned() else { continue };
            let mut next = Vec::new();
            for (index, parent) in git.commit(&id).await?.parents.iter().enumerate() {
                let date = git.commit(parent).await?.date;
                if since.is_some_and(|since| date < since) {
                    continue;
                }
                if self.take(*parent, name.of_parent(index + 1)) {
                    next.push(*parent);
                }
            }
            stack.extend(next.into_iter().rev());
        }
        Ok(())
    }

    /// The name of a commit.
    pub(super) fn get(&self, id: &ObjectId) -> Option<Vec<u8>> {
        let name = self.by_id.get(id)?;
        if name.generation == 0 {
            return Some(name.tip.to_metered());
        }
        Some([name.base(), b"~", format!("{}", name.generation).as_bytes()].concat_metered())
    }
}

impl Name {
    fn base(&self) -> &[u8] {
        self.tip.strip_suffix(b"^0").unwrap_or(&self.tip)
    }

    /// The name of a parent, counted from 1.
    fn of_parent(&self, number: usize) -> Self {
        if number == 1 {
            let mut name = self.clone();
            name.generation += 1;
            name.distance += 1;
            return name;
        }
        let way = if self.generation > 0 { format!("~{}", self.generation) } else { String::new() };
        let tip = [self.base(), way.as_bytes(), format!("^{number}").as_bytes()].concat_metered();
        Self { tip: tip.into(), generation: 0, distance: self.distance + MERGE_WEIGHT, ..self.clone() }
    }

    fn is_better_than(&self, known: &Self) -> bool {
        let weight = |name: &Self| name.distance + if name.generation > 0 { MERGE_WEIGHT } else { 0 };
        let (own, other) = (weight(self), weight(known));
        match (self.is_tag, known.is_tag) {
            (true, true) => own < other,
            (own_tag, other_tag) if own_tag != other_tag => own_tag,
            _ if own != other => own < other,
            _ => self.date < known.date,
        }
    }
}

/// Where a part of a ref's name begins that a pattern matches.
fn place_of_match(pattern: &[u8], name: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = name.get(at..)?;
        if matches(pattern, rest, false, false) {
            return Some(at);
        }
        at += memchr::memchr(b'/', rest)? + 1;
    }
}
