//! Regular expressions: `_matches`, on which `match`, `test`, `capture`, `scan`, `split`, `splits`, `sub` and `gsub` rest.
//!
//! Expressions are translated first (`regex_syntax.rs`). The engine is linear in the text; only what it does not have
//! (look-around, back-references, atomic groups) goes to one that backtracks, whose steps at each place of the text are
//! limited: beyond that it is an error. Offsets and lengths count characters.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use super::error::{Raise, Stop};
use super::job::{JobPace, Output, spend_bytes};
use super::machine::Context;
use super::object::Object;
use super::regex_syntax::{Options, Translated, translate};
use super::string::{part, pieces as pieces_of};
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::limit::Charge;
use crate::memory::{self, String, ToMeteredString, Vec, VecDeque, format, vec};
use crate::utility::regex::leftmost::{LONG, Leftmost};
use crate::utility::regex::{Span, building_bytes};
use regex::{Regex, RegexBuilder};
use regex_automata::util::syntax;

/// Expressions kept compiled.
const KEPT: usize = 16;
/// Bytes a compiled expression may take, and what most fit into.
const SIZE_LIMIT: usize = 1 << 20;
const SMALL: usize = 1 << 16;
/// Groups that may lie inside each other.
const NESTING: u32 = 100;
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
    engine: Engine,
    /// The names of the groups from the first.
    names: memory::Arc<Vec<Option<String>>>,
}

#[derive(Clone)]
enum Engine {
    Linear {
        regex: Regex,
        /// What searches long texts, if there was one yet.
        long: Option<memory::Arc<Leftmost>>,
        size: usize,
        /// What `regex` was compiled from.
        pattern: memory::Arc<String>,
    },
    /// Matches at one place only.
    Backtracking(memory::Arc<fancy_regex::Regex>),
}

/// Steps that an expression may go back at one place of a text.
const STEPS: usize = 50_000;
/// Bytes of an expression that backtracks, its groups, and what compiling takes for each byte.
const LONGEST: usize = 4096;
const MOST_GROUPS: usize = 100;
const BYTES_EACH: usize = 512;
/// Bytes that matching takes for each byte of a text, and for how many at most.
const BYTES_OF_TEXT: usize = 64;
const MOST_OF_TEXT: usize = 1 << 17;

/// What the flags say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Flags {
    global: bool,
    ignore_case: bool,
    extended: bool,
    dot_matches_newline: bool,
    skip_empty: bool,
    /// The text ends in a newline, before which `$` matches as well.
    before_newline: bool,
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
                'm' | 'p' => parsed.dot_matches_newline = true,
                'n' => parsed.skip_empty = true,
                // It anchors `^` and `$` at the ends of the text, where they are anyhow.
                's' => {}
                'l' => return Err(Raise::message("the flag l (longest match) is not supported")),
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
        let wants_long = matches!(&kept.expression.engine, Engine::Linear { long: None, .. });
        if text.len() > LONG && wants_long {
            kept.make_long(work)?;
        }
        Ok(kept.expression.clone())
    }

    /// Compiles an expression; its place.
    fn compile(&mut self, pattern: &Text, flags: Flags, work: &Work<'_>) -> Result<usize, Raise> {
        let options = Options {
            ignore_case: flags.ignore_case,
            extended: flags.extended,
            dot_matches_newline: flags.dot_matches_newline,
            lines: false,
            before_newline: flags.before_newline,
        };
        let translated = translate(pattern.as_str(), options).map_err(|wrong| failure(&wrong))?;
        let (engine, charge) = if translated.backtracks {
            backtracking(&translated, work)?
        } else {
            linear(translated.pattern, work)?
        };
        if self.0.len() >= KEPT {
            self.0.pop_front();
        }
        let expression = Expression { engine, names: memory::Arc::new(translated.names) };
        let pattern = pattern.clone();
        self.0.push_back(Kept { pattern, flags, expression, charges: [charge, None] });
        Ok(self.0.len().saturating_sub(1))
    }
}

/// jq's words for an expression that cannot be compiled or matched.
fn failure(problem: &str) -> Raise {
    Raise::message(format!("Regex failure: {problem}"))
}

fn linear(pattern: String, work: &Work<'_>) -> Result<(Engine, Option<Charge>), Raise> {
    let build = |size| {
        RegexBuilder::new(&pattern).size_limit(size).dfa_size_limit(DFA_LIMIT).nest_limit(NESTING).build()
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
        failure(problem.lines().last().unwrap_or_default().trim_start_matches("error: "))
    })?;
    set(size + DFA_LIMIT).map_err(|_| Stop)?;
    Ok((Engine::Linear { regex, long: None, size, pattern: memory::Arc::new(pattern) }, charge))
}

fn backtracking(translated: &Translated, work: &Work<'_>) -> Result<(Engine, Option<Charge>), Raise> {
    let pattern = format!("\\G(?:{})", translated.pattern);
    let bytes = if pattern.contains('{') { SIZE_LIMIT } else { pattern.len().saturating_mul(BYTES_EACH) };
    if pattern.len() > LONGEST || translated.names.len() > MOST_GROUPS || bytes > SIZE_LIMIT {
        return Err(failure("too large for an expression that backtracks"));
    }
    let charge = work.hold(bytes + DFA_LIMIT)?;
    let mut builder = fancy_regex::RegexBuilder::new(&pattern);
    builder.backtrack_limit(STEPS).delegate_size_limit(SIZE_LIMIT).delegate_dfa_size_limit(DFA_LIMIT);
    let engine = builder.build().map_err(|error| {
        let problem = error.to_metered_string();
        failure(problem.rsplit_once("error: ").map_or(problem.as_str(), |(_, why)| why).trim())
    })?;
    Ok((Engine::Backtracking(memory::Arc::new(engine)), charge))
}

impl Kept {
    fn make_long(&mut self, work: &Work<'_>) -> Result<(), Raise> {
        let Engine::Linear { long, size, pattern, .. } = &mut self.expression.engine else { return Ok(()) };
        self.charges[1] = work.hold(Leftmost::bytes(*size))?;
        let syntax = syntax::Config::new().nest_limit(NESTING);
        *long = Leftmost::new(pattern.as_str(), syntax, *size).map(memory::Arc::new);
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
    ///
    /// # Errors
    /// An expression that backtracks took too many steps.
    async fn find<'t>(&self, text: &'t str, at: usize) -> Result<Option<Captures<'t>>, Raise> {
        let groups = match &self.engine {
            Engine::Linear { long: Some(long), .. } if text.len() > LONG => {
                long.captures(text.as_bytes(), at, &mut JobPace).await.unwrap_or_default()
            }
            Engine::Linear { regex, .. } => {
                let Some(captures) = regex.captures_at(text, at) else { return Ok(None) };
                captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
            }
            Engine::Backtracking(regex) => backtrack(regex, text, at).await?,
        };
        Ok((!groups.is_empty()).then_some(Captures { text, groups }))
    }

    async fn is_match(&self, text: &str) -> Result<bool, Raise> {
        match &self.engine {
            Engine::Linear { long: Some(long), .. } if text.len() > LONG => {
                Ok(matches!(long.find(text.as_bytes(), 0, &mut JobPace).await, Ok(Some(_))))
            }
            Engine::Linear { regex, .. } => Ok(regex.is_match(text)),
            Engine::Backtracking(regex) => Ok(!backtrack(regex, text, 0).await?.is_empty()),
        }
    }
}

/// The groups of the first match at or after `from`, place by place, so that it can pause between them; none: no match.
async fn backtrack(regex: &fancy_regex::Regex, text: &str, from: usize) -> Result<Vec<Option<Span>>, Raise> {
    let mut at = from;
    loop {
        let captures = regex.captures_from_pos(text, at).map_err(|_| failure("retry-limit-in-match over"))?;
        if let Some(captures) = captures {
            let spans = captures.iter().map(|group| group.map(|group| (group.start(), group.end())));
            return Ok(spans.collect());
        }
        spend_bytes(64 + text.len().saturating_sub(at)).await;
        match text.get(at..).and_then(|rest| rest.chars().next()) {
            Some(character) => at += character.len_utf8(),
            None => return Ok(Vec::new()),
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

/// What is searched for in which text.
struct Search {
    text: Text,
    regex: Expression,
    flags: Flags,
    /// What an engine that backtracks may use.
    _held: Option<Charge>,
}

/// The search of an input, an expression (or an array of it and flags), and flags.
fn prepared(context: &mut Context<'_>, input: &Value, arguments: &[Value]) -> Result<Search, Raise> {
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
    let mut flags = Flags::parse(&flags)?;
    flags.before_newline = text.as_str().ends_with('\n') && pattern.as_str().contains(['$', 'Z']);
    context.work.steps(1 + pattern.len() / 4 + text.len() / 256)?;
    let regex = context.regexes.get(pattern, flags, text, &context.work)?;
    let held = match &regex.engine {
        Engine::Linear { .. } => None,
        Engine::Backtracking(_) => {
            context.work.hold(text.len().min(MOST_OF_TEXT).saturating_mul(BYTES_OF_TEXT))?
        }
    };
    Ok(Search { text: text.clone(), regex, flags, _held: held })
}

/// Whether the input matches.
pub(super) fn test(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let search = prepared(context, &input, arguments)?;
    if let Engine::Linear { regex, .. } = &search.regex.engine
        && !search.flags.skip_empty
        && search.text.len() <= LONG
    {
        return Ok(Value::Bool(regex.is_match(search.text.as_str())));
    }
    context.job(async move {
        if !search.flags.skip_empty {
            return search.regex.is_match(search.text.as_str()).await.map(Value::Bool);
        }
        let mut matches = Matches::new(&search, true);
        Ok(Value::Bool(matches.next().await?.is_some()))
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
    /// How often the next match counts besides, if it is empty.
    again: usize,
}

impl<'t> Matches<'t> {
    fn new(search: &'t Search, all: bool) -> Self {
        let Search { text, regex, flags, .. } = search;
        Matches { regex, text: text.as_str(), flags: *flags, all: all || flags.global, at: Some(0), again: 0 }
    }

    async fn next(&mut self) -> Result<Option<Captures<'t>>, Raise> {
        loop {
            let Some(at) = self.at else { return Ok(None) };
            let Some(captures) = self.regex.find(self.text, at).await? else { return Ok(None) };
            let (start, end) = captures.whole();
            let is_empty = start == end;
            spend_bytes(end.saturating_sub(at) + 64 * captures.groups.len()).await;
            let again = std::mem::take(&mut self.again);
            if is_empty && start == at && again > 0 {
                // jq goes on by one byte after an empty match, so that each byte of a character has one.
                self.again = again - 1;
            } else {
                self.at = if is_empty { self.after(end) } else { Some(end) };
                if is_empty {
                    let length = self.at.unwrap_or(end).saturating_sub(end);
                    self.again = length.saturating_sub(1);
                }
            }
            if self.flags.skip_empty && is_empty {
                continue;
            }
            if !self.all {
                self.at = None;
            }
            return Ok(Some(captures));
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
    let search = prepared(context, &input, arguments)?;
    context.job(async move {
        let mut found = Vec::new();
        let text = search.text.as_str();
        let mut characters = Characters { text, bytes: 0, count: 0 };
        let mut matches = Matches::new(&search, false);
        while let Some(captures) = matches.next().await? {
            found.push(match_object(&mut characters, &search.regex, &captures).await);
        }
        Ok(Value::array(found))
    })
}

async fn match_object(characters: &mut Characters<'_>, regex: &Expression, captures: &Captures<'_>) -> Value {
    let whole = captures.whole();
    let is_empty = whole.0 == whole.1;
    let at = characters.before(whole.0).await;
    let mut groups = Vec::new();
    for (place, name) in regex.names.iter().enumerate() {
        let name = name.as_ref().map(|name| Value::text(name)).unwrap_or_default();
        groups.push(match captures.group(place + 1) {
            // In an empty match jq shows what look-around has captured as empty.
            Some(_) if is_empty => Value::object([
                ("offset", Value::number(at as f64)),
                ("string", Value::text("")),
                ("length", Value::number(0.0)),
                ("name", name),
            ]),
            Some(group) if group.0 == group.1 => Value::object([
                ("offset", Value::number(characters.before(group.0).await as f64)),
                ("string", Value::text("")),
                ("length", Value::number(0.0)),
                ("name", name),
            ]),
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
async fn named_groups(regex: &Expression, captures: &Captures<'_>) -> Value {
    let whole = captures.whole();
    let mut named = Object::default();
    for (place, name) in regex.names.iter().enumerate() {
        let Some(name) = name else { continue };
        let group = match captures.group(place + 1) {
            Some(_) if whole.0 == whole.1 => Value::text(""),
            Some(group) => part(captures.text(group)).await,
            None => Value::Null,
        };
        named.insert(Text::from(name.as_str()), group);
    }
    Value::Object(named)
}

/// What lies between the matches and the matches' named groups: `[[before, groups], ..., [rest]]`.
pub(super) fn pieces(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let search = prepared(context, &input, arguments)?;
    context.job(async move {
        let mut pieces = Vec::new();
        let mut end = 0;
        let mut matches = Matches::new(&search, false);
        while let Some(captures) = matches.next().await? {
            let whole = captures.whole();
            let before = search.text.as_str().get(end..whole.0).unwrap_or_default();
            let before = part(before).await;
            pieces.push(Value::array(vec![before, named_groups(&search.regex, &captures).await]));
            end = whole.1;
        }
        let rest = search.text.as_str().get(end..).unwrap_or_default();
        pieces.push(Value::array(vec![part(rest).await]));
        Ok(Value::array(pieces))
    })
}

/// The parts between all matches.
pub(super) fn split(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let pattern = arguments.first().cloned().unwrap_or_default();
    let all = "g";
    let flags = match arguments.get(1) {
        Some(Value::String(flags)) => Value::from(format!("{}{all}", flags.as_str())),
        Some(Value::Null) | None => Value::text(all),
        Some(other) => return Err(Raise::about_two(other, &Value::text(all), "cannot be added")),
    };
    let search = prepared(context, &input, &[pattern, flags])?;
    context.job(async move {
        let mut parts = Vec::new();
        let mut end = 0;
        let mut matches = Matches::new(&search, true);
        while let Some(captures) = matches.next().await? {
            let whole = captures.whole();
            parts.push(part(search.text.as_str().get(end..whole.0).unwrap_or_default()).await);
            end = whole.1;
        }
        parts.push(part(search.text.as_str().get(end..).unwrap_or_default()).await);
        Ok(Value::array(parts))
    })
}
