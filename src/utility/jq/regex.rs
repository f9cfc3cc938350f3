//! Regular expressions: `_matches`, on which `match`, `test`, `capture`, `scan`, `split`, `splits`, `sub` and `gsub` rest.
//!
//! The engine is linear in the text; look-around and back-references are errors. Offsets and lengths count characters.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use super::error::{Raise, Stop};
use super::job::{JobPace, Output, spend_bytes};
use super::machine::Context;
use super::object::Object;
use super::string::{part, pieces as pieces_of};
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::limit::Charge;
use crate::memory::{self, ToMeteredString, Vec, VecDeque, format, vec};
use crate::utility::regex::leftmost::{LONG, Leftmost};
use crate::utility::regex::{Span, building_bytes};
use regex::{Regex, RegexBuilder};
use regex_automata::util::syntax;

/// Expressions kept compiled.
const KEPT: usize = 16;
/// Bytes a compiled expression may take, and what most fit into.
const SIZE_LIMIT: usize = 1 << 20;
const SMALL: usize = 1 << 16;
/// Bytes that its automaton may grow to.
const DFA_LIMIT: usize = 1 << 18;

/// The expressions a run has compiled.
#[derive(Default)]
pub(crate) struct Regexes(VecDeque<Kept>);

/// An expression, and what its memory was charged to.
struct Kept {
    pattern: Text,
    flags: Flags,
    expression: Expression,
    /// The second one is for what searches long texts.
    charges: [Option<Charge>; 2],
}

/// A compiled expression.
#[derive(Clone)]
struct Expression {
    regex: Regex,
    /// What searches long texts, if there was one yet.
    long: Option<memory::Arc<Leftmost>>,
    size: usize,
}

/// What the flags say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Flags {
    global: bool,
    ignore_case: bool,
    extended: bool,
    dot_matches_newline: bool,
    skip_empty: bool,
}

impl Flags {
    fn parse(flags: &Value) -> Result<Flags, Raise> {
        let text = match flags {
            Value::Null => return Ok(Flags::default()),
            Value::String(text) => text,
            other => return Err(Raise::about(other, "is not a string")),
        };
        let mut parsed = Flags::default();
        for flag in text.as_str().chars() {
            match flag {
                'g' => parsed.global = true,
                'i' => parsed.ignore_case = true,
                'x' => parsed.extended = true,
                'p' => parsed.dot_matches_newline = true,
                'n' => parsed.skip_empty = true,
                // `s` anchors `^` and `$` at the ends of the text, where they are anyhow. `l` is meant to find the longest
                // match, but jq 1.6 finds the same ones with it as without: `"ab" | match("a|ab"; "l").string` is `"a"`.
                'l' | 's' => {}
                _ => {
                    let problem = format!("{} is not a valid modifier string", text.as_str());
                    return Err(Raise::message(problem));
                }
            }
        }
        Ok(parsed)
    }
}

impl Regexes {
    /// The expression, with what searches long texts if `text` is one.
    fn get(
        &mut self,
        pattern: &Text,
        flags: Flags,
        text: &Text,
        work: &Work<'_>,
    ) -> Result<Expression, Raise> {
        let known = self.0.iter().position(|kept| kept.flags == flags && kept.pattern == *pattern);
        let place = match known {
            Some(place) => place,
            None => self.compile(pattern, flags, work)?,
        };
        let kept = self.0.get_mut(place).ok_or(Stop)?;
        if text.len() > LONG && kept.expression.long.is_none() {
            kept.make_long(work)?;
        }
        Ok(kept.expression.clone())
    }

    /// Compiles an expression; its place.
    fn compile(&mut self, pattern: &Text, flags: Flags, work: &Work<'_>) -> Result<usize, Raise> {
        let build = |size| {
            RegexBuilder::new(pattern.as_str())
                .case_insensitive(flags.ignore_case)
                .ignore_whitespace(flags.extended)
                .dot_matches_new_line(flags.dot_matches_newline)
                .size_limit(size)
                .dfa_size_limit(DFA_LIMIT)
                .nest_limit(100)
                .build()
        };
        let mut charge = work.hold(building_bytes(pattern.len(), SMALL))?;
        let mut set = |bytes: usize| charge.as_mut().map_or(Ok(()), |charge| charge.set(bytes as u64));
        let (built, size) = match build(SMALL) {
            Err(regex::Error::CompiledTooBig(_)) => {
                set(building_bytes(pattern.len(), SIZE_LIMIT)).map_err(|_| Stop)?;
                (build(SIZE_LIMIT), SIZE_LIMIT)
            }
            built => (built, SMALL),
        };
        let regex = built.map_err(|error| {
            let problem = error.to_metered_string();
            let reason = problem.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Raise::message(format!("{} (at offset 0) is not a valid regex: {reason}", pattern.as_str()))
        })?;
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        set(size + DFA_LIMIT).map_err(|_| Stop)?;
        let expression = Expression { regex, long: None, size };
        let pattern = pattern.clone();
        self.0.push_back(Kept { pattern, flags, expression, charges: [charge, None] });
        Ok(self.0.len().saturating_sub(1))
    }
}

impl Kept {
    fn make_long(&mut self, work: &Work<'_>) -> Result<(), Raise> {
        let Expression { long, size, .. } = &mut self.expression;
        self.charges[1] = work.hold(Leftmost::bytes(*size))?;
        let syntax = syntax::Config::new()
            .case_insensitive(self.flags.ignore_case)
            .ignore_whitespace(self.flags.extended)
            .dot_matches_new_line(self.flags.dot_matches_newline)
            .nest_limit(100);
        *long = Leftmost::new(self.pattern.as_str(), syntax, *size).map(memory::Arc::new);
        Ok(())
    }
}

/// A match: the places of the groups, its own first.
struct Captures<'t> {
    text: &'t str,
    groups: Vec<Option<Span>>,
}

impl<'t> Captures<'t> {
    fn whole(&self) -> Span {
        self.groups.first().copied().flatten().unwrap_or_default()
    }

    fn text(&self, (start, end): Span) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn group(&self, number: usize) -> Option<Span> {
        self.groups.get(number).copied().flatten()
    }
}

impl Expression {
    /// The first match at or after `at`. The text is long only if the expression was asked for with it.
    async fn find<'t>(&self, text: &'t str, at: usize) -> Option<Captures<'t>> {
        let groups = match &self.long {
            Some(long) if text.len() > LONG => {
                long.captures(text.as_bytes(), at, &mut JobPace).await.unwrap_or_default()
            }
            _ => {
                let captures = self.regex.captures_at(text, at)?;
                captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
            }
        };
        (!groups.is_empty()).then_some(Captures { text, groups })
    }

    async fn is_match(&self, text: &str) -> bool {
        match &self.long {
            Some(long) if text.len() > LONG => {
                matches!(long.find(text.as_bytes(), 0, &mut JobPace).await, Ok(Some(_)))
            }
            _ => self.regex.is_match(text),
        }
    }
}

/// Counts the characters before growing byte offsets, each stretch once.
struct Characters<'t> {
    text: &'t str,
    bytes: usize,
    count: usize,
}

impl Characters<'_> {
    async fn before(&mut self, offset: usize) -> usize {
        if offset < self.bytes {
            let back = count(self.text.get(offset..self.bytes).unwrap_or_default()).await;
            return self.count.saturating_sub(back);
        }
        self.count += count(self.text.get(self.bytes..offset).unwrap_or_default()).await;
        self.bytes = offset;
        self.count
    }
}

/// The number of characters.
async fn count(text: &str) -> usize {
    let mut count = 0;
    for piece in pieces_of(text) {
        count += piece.chars().count();
        spend_bytes(piece.len()).await;
    }
    count
}

/// Input, expression (or an array of it and flags), and flags.
fn prepared(
    context: &mut Context<'_>,
    input: &Value,
    arguments: &[Value],
) -> Result<(Text, Expression, Flags), Raise> {
    let null = Value::Null;
    let (mut pattern, mut flags) =
        (arguments.first().unwrap_or(&null).clone(), arguments.get(1).unwrap_or(&null).clone());
    if arguments.len() < 2 {
        match &pattern {
            Value::Array(both) if both.len() > 0 => {
                flags = both.items().get(1).cloned().unwrap_or_default();
                pattern = both.items().first().cloned().unwrap_or_default();
            }
            Value::String(_) => {}
            other => return Err(Raise::message(format!("{} not a string or array", other.kind()))),
        }
    }
    let Value::String(text) = input else {
        return Err(Raise::about(input, "cannot be matched, as it is not a string"));
    };
    let Value::String(pattern) = &pattern else {
        return Err(Raise::about(&pattern, "is not a string"));
    };
    let flags = Flags::parse(&flags)?;
    context.work.steps(1 + pattern.len() / 4 + text.len() / 256)?;
    let regex = context.regexes.get(pattern, flags, text, &context.work)?;
    Ok((text.clone(), regex, flags))
}

/// Whether the input matches.
pub(super) fn test(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (text, regex, flags) = prepared(context, &input, arguments)?;
    if !flags.skip_empty && text.len() <= LONG {
        return Ok(Value::Bool(regex.regex.is_match(text.as_str())));
    }
    context.job(async move {
        if !flags.skip_empty {
            return Ok(Value::Bool(regex.is_match(text.as_str()).await));
        }
        let mut matches = Matches::new(&regex, &text, flags, true);
        Ok(Value::Bool(matches.next().await.is_some()))
    })
}

/// The matches of an expression in a text: the first one, or all with the flag `g` or where `all` says so.
struct Matches<'t> {
    regex: &'t Expression,
    text: &'t str,
    flags: Flags,
    all: bool,
    /// Where the next search starts; `None` after the last match.
    at: Option<usize>,
}

impl<'t> Matches<'t> {
    fn new(regex: &'t Expression, text: &'t Text, flags: Flags, all: bool) -> Self {
        Matches { regex, text: text.as_str(), flags, all: all || flags.global, at: Some(0) }
    }

    async fn next(&mut self) -> Option<Captures<'t>> {
        loop {
            let at = self.at?;
            let captures = self.regex.find(self.text, at).await?;
            let (start, end) = captures.whole();
            let is_empty = start == end;
            spend_bytes(end.saturating_sub(at) + 64 * captures.groups.len()).await;
            self.at = if is_empty { self.after(end) } else { Some(end) };
            if self.flags.skip_empty && is_empty {
                continue;
            }
            if !self.all {
                self.at = None;
            }
            return Some(captures);
        }
    }

    /// The place one character further on; `None` at the end.
    fn after(&self, at: usize) -> Option<usize> {
        let character = self.text.get(at..)?.chars().next()?;
        Some(at + character.len_utf8())
    }
}

/// All match objects, as an array.
pub(super) fn matches(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (text, regex, flags) = prepared(context, &input, arguments)?;
    context.job(async move {
        let mut found = Vec::new();
        let mut characters = Characters { text: text.as_str(), bytes: 0, count: 0 };
        let mut matches = Matches::new(&regex, &text, flags, false);
        while let Some(captures) = matches.next().await {
            found.push(match_object(&mut characters, &regex.regex, &captures).await);
        }
        Ok(Value::array(found))
    })
}

async fn match_object(characters: &mut Characters<'_>, regex: &Regex, captures: &Captures<'_>) -> Value {
    let whole = captures.whole();
    let at = characters.before(whole.0).await;
    let mut groups = Vec::new();
    for (number, name) in regex.capture_names().enumerate().skip(1) {
        let name = name.map(Value::text).unwrap_or_default();
        groups.push(match captures.group(number) {
            Some(group) => Value::object([
                ("offset", Value::number(characters.before(group.0).await as f64)),
                ("length", Value::number(count(captures.text(group)).await as f64)),
                ("string", part(captures.text(group)).await),
                ("name", name),
            ]),
            None => Value::object([
                ("offset", Value::number(-1.0)),
                ("string", Value::Null),
                ("length", Value::number(0.0)),
                ("name", name),
            ]),
        });
    }
    let whole = captures.text(whole);
    Value::object([
        ("offset", Value::number(at as f64)),
        ("length", Value::number(count(whole).await as f64)),
        ("string", part(whole).await),
        ("captures", Value::array(groups)),
    ])
}

/// The named groups of a match: an object of their texts.
async fn named_groups(regex: &Regex, captures: &Captures<'_>) -> Value {
    let mut named = Object::default();
    for (number, name) in regex.capture_names().enumerate() {
        let Some(name) = name else { continue };
        let group = match captures.group(number) {
            Some(group) => part(captures.text(group)).await,
            None => Value::Null,
        };
        named.insert(Text::from(name), group);
    }
    Value::Object(named)
}

/// What lies between the matches and the matches' named groups: `[[before, groups], ..., [rest]]`.
pub(super) fn pieces(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (text, regex, flags) = prepared(context, &input, arguments)?;
    context.job(async move {
        let mut pieces = Vec::new();
        let mut end = 0;
        let mut matches = Matches::new(&regex, &text, flags, false);
        while let Some(captures) = matches.next().await {
            let whole = captures.whole();
            let before = text.as_str().get(end..whole.0).unwrap_or_default();
            let before = part(before).await;
            pieces.push(Value::array(vec![before, named_groups(&regex.regex, &captures).await]));
            end = whole.1;
        }
        let rest = text.as_str().get(end..).unwrap_or_default();
        pieces.push(Value::array(vec![part(rest).await]));
        Ok(Value::array(pieces))
    })
}

/// The parts between all matches.
pub(super) fn split(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (text, regex, flags) = prepared(context, &input, arguments)?;
    context.job(async move {
        let mut parts = Vec::new();
        let mut end = 0;
        let mut matches = Matches::new(&regex, &text, flags, true);
        while let Some(captures) = matches.next().await {
            let whole = captures.whole();
            parts.push(part(text.as_str().get(end..whole.0).unwrap_or_default()).await);
            end = whole.1;
        }
        parts.push(part(text.as_str().get(end..).unwrap_or_default()).await);
        Ok(Value::array(parts))
    })
}
