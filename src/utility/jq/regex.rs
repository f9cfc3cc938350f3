//! Regular expressions: `_matches`, on which `match`, `test`, `capture`, `scan`, `split`, `splits`, `sub` and `gsub` rest.
//!
//! Expressions are translated first (`regex_syntax.rs`). The engine (`regex_engine.rs`) is linear in the text; only what it does not have
//! (look-around, back-references, atomic groups) goes to one that backtracks, whose steps at each place of the text are
//! limited: beyond that it is an error. Offsets and lengths count characters.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use super::context::Context;
use super::error::Raise;
use super::job::{Output, spend_bytes};
use super::object::Object;
use super::regex_engine::{BYTES_OF_TEXT, Captures, Engine, Expression, Flags, MOST_OF_TEXT};
use super::string::{part, pieces as pieces_of};
use super::text::Text;
use super::value::Value;
use crate::limit::Charge;
use crate::memory::{Vec, format, vec};
use crate::utility::regex::leftmost::LONG;

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
struct RegexSearch {
    text: Text,
    regex: Expression,
    flags: Flags,
    /// What an engine that backtracks may use.
    _held: Option<Charge>,
}

/// The search of an input, an expression (or an array of it and flags), and flags.
fn prepared(context: &mut Context<'_>, input: &Value, arguments: &[Value]) -> Result<RegexSearch, Raise> {
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
    Ok(RegexSearch { text: text.clone(), regex, flags, _held: held })
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
    fn new(search: &'t RegexSearch, all: bool) -> Self {
        let RegexSearch { text, regex, flags, .. } = search;
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
