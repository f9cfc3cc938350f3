//! `git for-each-ref`: refs in a format; `branch` and `tag` show theirs by it too.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::date::DateMode;
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::{body, subject};
use crate::utility::ignore::wildmatch::matches;
use std::cmp::Ordering;

options! {
    enum Opt {
        Shell = flag('s', "shell", "not supported"),
        Perl = flag('p', "perl", "not supported"),
        Python = flag('\0', "python", "not supported"),
        Tcl = flag('\0', "tcl", "not supported"),
        Count = value('\0', "count", "n", "show only <n> matched refs"),
        Format = value('\0', "format", "format", "format to use for the output"),
        Sort = value('\0', "sort", "key", "field name to sort on"),
        PointsAt = value('\0', "points-at", "object", "print only refs which points at the given object"),
        Merged = optional('\0', "merged", "commit", "print only refs that are merged"),
        NoMerged = optional('\0', "no-merged", "commit", "print only refs that are not merged"),
        Contains = value('\0', "contains", "commit", "print only refs which contain the commit"),
        NoContains = value('\0', "no-contains", "commit", "print only refs which don't contain the commit"),
        IgnoreCase = flag('\0', "ignore-case", "sorting and filtering are case insensitive"),
        Color = optional('\0', "color", "when", "respect format colors; refused where they are asked for"),
        Exclude = value('\0', "exclude", "pattern", "exclude refs which match pattern"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "for-each-ref",
    usage: "git for-each-ref [<options>] [<pattern>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

/// An `%(if)` that is open: whether its text counts, where it began, and what its condition has to be, or not to be.
type Condition = (bool, usize, Option<(bool, Text)>);

/// A ref that is shown.
pub(super) struct Fields<'f> {
    pub(super) name: &'f [u8],
    pub(super) id: ObjectId,
    pub(super) is_head: bool,
}

fn fits(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let bare = pattern.strip_suffix(b"/").unwrap_or(pattern);
    name.strip_prefix(bare).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        || matches(pattern, name, true, ignore_case)
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Shell, Opt::Perl, Opt::Python, Opt::Tcl]) {
        return Err(fatal!("--{} is not supported", option.long()));
    }
    arguments.refuse_color(Opt::Color)?;
    let ignore_case = arguments.has(Opt::IgnoreCase);
    let default = Text::from_static(b"%(objectname) %(objecttype)\t%(refname)");
    let format = arguments.value(Opt::Format).cloned().unwrap_or(default);
    let mut refs = git.refs(b"refs/").await?;
    let (patterns, excluded) =
        (&arguments.operands, arguments.values(Opt::Exclude).cloned().collect::<Vec<Text>>());
    refs.retain(|(name, _)| {
        (patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, name, ignore_case)))
            && !excluded.iter().any(|pattern| fits(pattern, name, ignore_case))
    });
    let filter = RefFilter::new(
        &arguments,
        [Opt::Merged, Opt::NoMerged, Opt::Contains, Opt::NoContains, Opt::PointsAt],
    );
    let mut kept = Vec::new();
    for (name, id) in refs {
        if git.passes(&filter, id).await? {
            kept.push((name, id));
        }
    }
    let keys: Vec<Text> = arguments.values(Opt::Sort).cloned().collect();
    let refs = sort(git, kept, &keys, ignore_case).await?;
    let most = arguments.number(Opt::Count)?.map_or(usize::MAX, |count| count.max(0) as usize);
    let head = git.head_ref()?;
    for (name, id) in refs.iter().take(most) {
        let fields = Fields { name, id: *id, is_head: head.as_ref() == Some(name) };
        let line = git.format_ref(&format, &fields).await?;
        git.print(&[&line[..], b"\n"].concat_metered()).await?;
    }
    Ok(0)
}

/// Sorts refs by keys, the last of which counts most; those that are alike by their names.
pub(super) async fn sort(
    git: &mut Git,
    refs: Vec<(Text, ObjectId)>,
    keys: &[Text],
    ignore_case: bool,
) -> Result<Vec<(Text, ObjectId)>> {
    let mut refs = refs;
    if ignore_case {
        fn folded(name: &Text) -> impl Iterator<Item = u8> {
            name.iter().map(u8::to_ascii_lowercase)
        }
        refs.sort_by(|one, other| folded(&one.0).cmp(folded(&other.0)));
    }
    for key in keys {
        let (key, is_reversed) = match key.strip_prefix(b"-") {
            Some(key) => (key, true),
            None => (&key[..], false),
        };
        let is_version = [&b"version:refname"[..], b"v:refname"].contains(&key);
        let field = if is_version { &b"refname"[..] } else { key };
        let is_number = field.ends_with(b"date") || field == b"objectsize";
        let field =
            if field.ends_with(b"date") { [field, b":unix"].concat_metered() } else { field.to_metered() };
        let mut keyed: Vec<(Vec<u8>, (Text, ObjectId))> = Vec::new();
        for (name, id) in refs {
            let fields = Fields { name: &name, id, is_head: false };
            let mut value = git.ref_field(&field, &fields).await?;
            if ignore_case && !is_version {
                value.make_ascii_lowercase();
            }
            keyed.push((value, (name, id)));
        }
        keyed.sort_by(|one, other| {
            let order = if is_number {
                let number = |text: &[u8]| {
                    std::str::from_utf8(text).ok().and_then(|text| text.parse::<i64>().ok()).unwrap_or(0)
                };
                number(&one.0).cmp(&number(&other.0))
            } else if is_version {
                compare_versions(&one.0, &other.0)
            } else {
                one.0.cmp(&other.0)
            };
            if is_reversed { order.reverse() } else { order }
        });
        refs = keyed.into_iter().map(|item| item.1).collect();
    }
    Ok(refs)
}

/// Numbers in names compare as numbers.
fn compare_versions(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        match (one.first(), other.first()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) if left.is_ascii_digit() && right.is_ascii_digit() => {
                let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (a, b) = (digits(one), digits(other));
                let strip = |text: &[u8]| -> Vec<u8> {
                    text.iter().copied().skip_while(|byte| *byte == b'0').collect()
                };
                let (left, right) =
                    (strip(one.get(..a).unwrap_or(&[])), strip(other.get(..b).unwrap_or(&[])));
                let order = left.len().cmp(&right.len()).then_with(|| left.cmp(&right));
                if order.is_ne() {
                    return order;
                }
                (one, other) = (one.get(a..).unwrap_or(&[]), other.get(b..).unwrap_or(&[]));
            }
            (Some(left), Some(right)) => {
                if left != right {
                    return left.cmp(right);
                }
                (one, other) = (one.get(1..).unwrap_or(&[]), other.get(1..).unwrap_or(&[]));
            }
        }
    }
}

/// How a ref's object is related to a commit.
#[derive(Clone, Copy, Debug)]
enum Relation {
    Merged,
    Contains,
}

/// Which refs are shown.
#[derive(Clone, Debug)]
pub(super) struct RefFilter {
    /// How the objects must be related to commits, or must not be.
    relations: Vec<(Relation, bool, Text)>,
    point: Option<Text>,
}

impl RefFilter {
    /// Takes `--merged`, `--no-merged`, `--contains`, `--no-contains` and `--points-at`, as the command has them.
    pub(super) fn new<O: Copy + PartialEq>(arguments: &Arguments<O>, options: [O; 5]) -> Self {
        let [merged, no_merged, contains, no_contains, points_at] = options;
        let mut relations = Vec::new();
        for (option, relation, expected) in [
            (merged, Relation::Merged, true),
            (no_merged, Relation::Merged, false),
            (contains, Relation::Contains, true),
            (no_contains, Relation::Contains, false),
        ] {
            if arguments.has(option) {
                let base = arguments.value(option).cloned();
                relations.push((relation, expected, base.unwrap_or_else(|| Text::from_static(b"HEAD"))));
            }
        }
        Self { relations, point: arguments.value(points_at).cloned() }
    }
}

impl Git {
    /// Whether a ref's object passes `--merged`, `--contains` and `--points-at`.
    pub(super) async fn passes(&mut self, filter: &RefFilter, id: ObjectId) -> Result<bool> {
        for (relation, expected, base) in &filter.relations {
            let Some(base) = self.resolve_commit(base).await? else {
                return Err(GitError::Error(format!("malformed object name {base}"), 129));
            };
            let Some(commit) = self.peel(id, Kind::Commit).await? else { return Ok(false) };
            let is_so = match relation {
                Relation::Merged => self.is_ancestor(commit, base).await?,
                Relation::Contains => self.is_ancestor(base, commit).await?,
            };
            if is_so != *expected {
                return Ok(false);
            }
        }
        if let Some(point) = &filter.point {
            let point = self.resolve(point).await?;
            return Ok(point == Some(id) || (point.is_some() && self.peel_tags(id).await? == point));
        }
        Ok(true)
    }

    /// A ref in a format.
    pub(super) async fn format_ref(&mut self, format: &[u8], fields: &Fields<'_>) -> Result<Vec<u8>> {
        let mut out: Vec<u8> = Vec::new();
        // For each `%(if)` that is open: whether its text counts, and where its condition began.
        let mut conditions: Vec<Condition> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            self.ctx.tick().await?;
            let rest = format.get(at + 1..).unwrap_or(&[]);
            if byte != b'%' {
                out.push(byte);
                at += 1;
                continue;
            }
            if rest.starts_with(b"%") {
                out.push(b'%');
                at += 2;
                continue;
            }
            if let Some(inner) = rest.strip_prefix(b"(")
                && let Some(close) = memchr::memchr(b')', inner)
            {
                let name = inner.get(..close).unwrap_or(&[]);
                at += close + 3;
                match name {
                    b"then" => {
                        if let Some((counts, start, test)) = conditions.last_mut() {
                            let text = out.get(*start..).unwrap_or(&[]);
                            *counts = match test {
                                Some((wanted, value)) => (*text == **value) == *wanted,
                                None => !text.trim_ascii().is_empty(),
                            };
                            out.truncate(*start);
                        }
                    }
                    b"else" => {
                        if let Some((counts, start, _)) = conditions.last_mut() {
                            if !*counts {
                                out.truncate(*start);
                            }
                            *counts = !*counts;
                            *start = out.len();
                        }
                    }
                    b"end" => {
                        if let Some((counts, start, _)) = conditions.pop()
                            && !counts
                        {
                            out.truncate(start);
                        }
                    }
                    _ if name == b"if" || name.starts_with(b"if:") => {
                        let test = name.strip_prefix(b"if:").and_then(|test| {
                            let equal = test.strip_prefix(b"equals=").map(|value| (true, Text::from(value)));
                            equal.or_else(|| {
                                test.strip_prefix(b"notequals=").map(|value| (false, Text::from(value)))
                            })
                        });
                        conditions.push((false, out.len(), test));
                    }
                    _ => {
                        let value = self.ref_field(name, fields).await?;
                        out.extend_from_slice(&value);
                    }
                }
                continue;
            }
            let hex = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            match hex.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    out.push(byte);
                    at += 3;
                }
                None => {
                    out.push(b'%');
                    at += 1;
                }
            }
        }
        Ok(out)
    }

    /// `ahead 1, behind 2`, in brackets unless they are left out.
    pub(super) async fn track(
        &mut self,
        upstream: &[u8],
        fields: &Fields<'_>,
        is_bare: bool,
    ) -> Result<String> {
        let text = match self.ref_id(upstream)? {
            None => "gone".into(),
            Some(other) => match self.ahead_behind(fields.id, other).await? {
                (0, 0) => return Ok(String::new()),
                (ahead, 0) => format!("ahead {ahead}"),
                (0, behind) => format!("behind {behind}"),
                (ahead, behind) => format!("ahead {ahead}, behind {behind}"),
            },
        };
        Ok(if is_bare { text } else { format!("[{text}]") })
    }

    /// A field of a ref.
    async fn ref_field(&mut self, name: &[u8], fields: &Fields<'_>) -> Result<Vec<u8>> {
        let (is_peeled, bare) = match name.strip_prefix(b"*") {
            Some(bare) => (true, bare),
            None => (false, name),
        };
        let (base, modifier) = match memchr::memchr(b':', bare) {
            Some(at) => (bare.get(..at).unwrap_or(bare), bare.get(at + 1..).unwrap_or(&[])),
            None => (bare, &b""[..]),
        };
        match base {
            b"refname" => return self.ref_name(fields.name, modifier),
            b"HEAD" => return Ok(if fields.is_head { b"*".to_metered() } else { b" ".to_metered() }),
            b"upstream" => {
                let branch = fields.name.strip_prefix(b"refs/heads/").unwrap_or(&[]);
                let Some(upstream) = self.upstream(branch) else { return Ok(Vec::new()) };
                return match modifier {
                    b"track" => Ok(self.track(&upstream, fields, false).await?.into_bytes()),
                    b"track,nobracket" | b"nobracket,track" => {
                        Ok(self.track(&upstream, fields, true).await?.into_bytes())
                    }
                    b"trackshort" => {
                        let Some(other) = self.ref_id(&upstream)? else { return Ok(Vec::new()) };
                        let sign: &[u8] = match self.ahead_behind(fields.id, other).await? {
                            (0, 0) => b"=",
                            (_, 0) => b">",
                            (0, _) => b"<",
                            _ => b"<>",
                        };
                        Ok(sign.to_metered())
                    }
                    b"remotename" => {
                        Ok(self.config.get_in("branch", branch, "remote").unwrap_or(&[]).to_metered())
                    }
                    b"remoteref" => {
                        Ok(self.config.get_in("branch", branch, "merge").unwrap_or(&[]).to_metered())
                    }
                    _ => self.ref_name(&upstream, modifier),
                };
            }
            b"symref" => {
                return match self.read_ref(fields.name)? {
                    Some(crate::utility::git::refs::RefValue::Symbolic(target)) => {
                        self.ref_name(&target, modifier)
                    }
                    _ => Ok(Vec::new()),
                };
            }
            b"color" => return Ok(Vec::new()),
            b"align" | b"worktreepath" | b"push" => {
                return Err(fatal!("the field '{}' is not supported", bstr::BStr::new(base)));
            }
            _ => {}
        }
        let mut id = fields.id;
        if is_peeled {
            match self.peel_tags(id).await? {
                Some(peeled) if peeled != id => id = peeled,
                _ => return Ok(Vec::new()),
            }
        }
        let (kind, bytes) = self.object(&id).await?;
        let (is_commit, is_tag) = (kind == Kind::Commit, kind == Kind::Tag);
        let head = |wanted: &[u8]| if is_commit || is_tag { header(&bytes, wanted) } else { None };
        let text = if is_commit || is_tag { message(&bytes) } else { b"" };
        let words = |modifier: &[u8]| DateMode::named(modifier).unwrap_or_default();
        Ok(match base {
            b"objectname" => match modifier.strip_prefix(b"short") {
                Some(rest) => {
                    let least = rest
                        .strip_prefix(b"=")
                        .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
                    self.abbreviate(&id, least)?.to_metered()
                }
                None => id.hex().into_bytes(),
            },
            b"objecttype" => kind.name().as_bytes().to_metered(),
            b"objectsize" => format!("{}", bytes.len()).into_bytes(),
            b"tree" | b"parent" | b"numparent" if is_commit => {
                let commit = self.commit(&id).await?;
                match base {
                    b"tree" => commit.tree.hex().into_bytes(),
                    b"numparent" => format!("{}", commit.parents.len()).into_bytes(),
                    _ => commit
                        .parents
                        .iter()
                        .map(|id| id.hex().into_bytes())
                        .collect::<Vec<Vec<u8>>>()
                        .join_metered(b" "),
                }
            }
            b"object" | b"type" | b"tag" if is_tag => head(base).unwrap_or(&[]).to_metered(),
            b"subject" if modifier == b"sanitize" => subject(text),
            b"subject" | b"contents" if base == b"subject" || modifier == b"subject" => subject(text),
            b"body" => body(text).to_metered(),
            b"contents" if modifier == b"body" => body(text).to_metered(),
            b"contents" if modifier == b"size" => format!("{}", text.len()).into_bytes(),
            b"contents" if modifier.starts_with(b"lines=") => {
                let most = modifier
                    .get(6..)
                    .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
                    .unwrap_or(1);
                let text = text.strip_suffix(b"\n").unwrap_or(text);
                text.split(|byte| *byte == b'\n').take(most).collect::<Vec<&[u8]>>().join_metered(b"\n    ")
            }
            b"contents" => text.to_metered(),
            _ => {
                let (person, rest): (&[u8], &[u8]) = if let Some(rest) = base.strip_prefix(b"author") {
                    (b"author", rest)
                } else if let Some(rest) = base.strip_prefix(b"committer") {
                    (b"committer", rest)
                } else if let Some(rest) = base.strip_prefix(b"tagger") {
                    (b"tagger", rest)
                } else if let Some(rest) = base.strip_prefix(b"creator") {
                    (if is_tag { b"tagger" } else { b"committer" }, rest)
                } else if [&b"tree"[..], b"parent", b"numparent", b"object", b"type", b"tag"].contains(&base)
                {
                    return Ok(Vec::new());
                } else {
                    return Err(fatal!("unknown field name: {}", bstr::BStr::new(name)));
                };
                let Some(line) = head(person) else { return Ok(Vec::new()) };
                let who = Signature::parse(line);
                match rest {
                    b"name" => who.name.to_metered(),
                    b"email" if modifier == b"trim" => who.email.to_metered(),
                    b"email" if modifier == b"localpart" => {
                        who.email.split(|byte| *byte == b'@').next().unwrap_or(&[]).to_metered()
                    }
                    b"email" => [b"<", who.email, b">"].concat_metered(),
                    b"date" => self.show_date(&who, &words(modifier)),
                    _ => line.to_metered(),
                }
            }
        })
    }

    /// A ref's name as a modifier shows it.
    fn ref_name(&mut self, name: &[u8], modifier: &[u8]) -> Result<Vec<u8>> {
        if modifier == b"short" {
            return Ok(self.shorten(name)?.to_metered());
        }
        let number = |digits: &[u8]| -> Option<i64> { std::str::from_utf8(digits).ok()?.parse().ok() };
        let parts: Vec<&[u8]> = name.split(|byte| *byte == b'/').collect();
        let left = modifier.strip_prefix(b"lstrip=").or_else(|| modifier.strip_prefix(b"strip="));
        let count = parts.len() as i64;
        if let Some(strip) = left.and_then(number) {
            let skip = if strip < 0 { count + strip } else { strip };
            return Ok(parts.get(skip.clamp(0, count) as usize..).unwrap_or(&[]).join_metered(b"/"));
        }
        if let Some(strip) = modifier.strip_prefix(b"rstrip=").and_then(number) {
            let keep = if strip < 0 { -strip } else { count - strip };
            return Ok(parts.get(..keep.clamp(0, count) as usize).unwrap_or(&[]).join_metered(b"/"));
        }
        Ok(name.to_metered())
    }
}
