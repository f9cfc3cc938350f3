//! Regular expressions: `_matches`, on which `match`, `test`, `capture`, `scan`, `split`, `splits`, `sub` and `gsub` rest.
//!
//! The engine is linear in the text; look-around and back-references are errors. Offsets and lengths count characters.

#![expect(clippy::needless_pass_by_value, reason = "builtins share one signature")]

use crate::memory::{ToMeteredString, Vec, VecDeque, format, vec};
use super::error::Raise;
use super::machine::Context;
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::limit::Charge;
use regex::{Captures, Regex, RegexBuilder};

type Output = Result<Value, Raise>;

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
    regex: Regex,
    _charge: Option<Charge>,
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
    fn get(&mut self, pattern: &Text, flags: Flags, work: &Work<'_>) -> Result<Regex, Raise> {
        let known = self.0.iter().find(|kept| kept.flags == flags && kept.pattern == *pattern);
        if let Some(known) = known {
            return Ok(known.regex.clone());
        }
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
        let (built, size) = match build(SMALL) {
            Err(regex::Error::CompiledTooBig(_)) => (build(SIZE_LIMIT), SIZE_LIMIT),
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
        let charge = work.hold(size + DFA_LIMIT)?;
        self.0.push_back(Kept { pattern: pattern.clone(), flags, regex: regex.clone(), _charge: charge });
        Ok(regex)
    }
}

/// Counts the characters before growing byte offsets, each stretch once.
struct Characters<'t> {
    text: &'t str,
    bytes: usize,
    count: usize,
}

impl Characters<'_> {
    fn before(&mut self, offset: usize) -> usize {
        if offset < self.bytes {
            let back = self.text.get(offset..self.bytes).unwrap_or_default().chars().count();
            return self.count.saturating_sub(back);
        }
        self.count += self.text.get(self.bytes..offset).unwrap_or_default().chars().count();
        self.bytes = offset;
        self.count
    }
}

/// Input, expression (or an array of it and flags), and flags.
fn prepared(
    context: &mut Context<'_>,
    input: &Value,
    arguments: &[Value],
) -> Result<(Text, Regex, Flags), Raise> {
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
        return Err(Raise::about(&pattern, "cannot be matched, as it is not a string"));
    };
    let flags = Flags::parse(&flags)?;
    context.work.steps(pattern.len() + text.len() / 16)?;
    let regex = context.regexes.get(pattern, flags, &context.work)?;
    Ok((text.clone(), regex, flags))
}

/// Whether the input matches.
pub(super) fn test(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (text, regex, flags) = prepared(context, &input, arguments)?;
    if flags.skip_empty {
        let mut found = regex.find_iter(text.as_str());
        return Ok(Value::Bool(found.any(|found| !found.is_empty())));
    }
    Ok(Value::Bool(regex.is_match(text.as_str())))
}

/// What is done with a match: text, expression, groups.
type Each<'e> = dyn FnMut(&mut Context<'_>, &str, &Regex, &Captures<'_>) -> Result<(), Raise> + 'e;

/// Calls `each` with the matches: the first one, or all with the flag `g` or where `all` says so.
fn for_each_match(
    context: &mut Context<'_>,
    input: &Value,
    arguments: &[Value],
    all: bool,
    each: &mut Each<'_>,
) -> Result<(), Raise> {
    let (text, regex, flags) = prepared(context, input, arguments)?;
    let text = text.as_str();
    for captures in regex.captures_iter(text) {
        context.work.step()?;
        let whole = captures.get_match();
        // jq 1.6 finds no empty match at the end of a text that is not empty.
        let is_past_end = whole.is_empty() && whole.start() == text.len() && !text.is_empty();
        if (flags.skip_empty && whole.is_empty()) || (is_past_end && (all || flags.global)) {
            continue;
        }
        each(context, text, &regex, &captures)?;
        if !all && !flags.global {
            break;
        }
    }
    Ok(())
}

/// All match objects, as an array.
pub(super) fn matches(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let mut found = Vec::new();
    let mut counted = (0, 0);
    for_each_match(context, &input, arguments, false, &mut |context, text, regex, captures| {
        let mut characters = Characters { text, bytes: counted.0, count: counted.1 };
        context.work.steps(captures.len())?;
        context.work.charge(captures.len().saturating_mul(12 * size_of::<Value>()))?;
        found.push(match_object(&mut characters, regex, captures));
        counted = (characters.bytes, characters.count);
        Ok(())
    })?;
    Ok(Value::array(found))
}

fn match_object(characters: &mut Characters<'_>, regex: &Regex, captures: &Captures<'_>) -> Value {
    let start = captures.get_match().start();
    let at = characters.before(start);
    let mut groups = Vec::new();
    for (number, name) in regex.capture_names().enumerate().skip(1) {
        let name = name.map(Value::text).unwrap_or_default();
        groups.push(match captures.get(number) {
            Some(group) => Value::object([
                ("offset", Value::Number(characters.before(group.start()) as f64)),
                ("length", Value::Number(group.as_str().chars().count() as f64)),
                ("string", Value::text(group.as_str())),
                ("name", name),
            ]),
            None => Value::object([
                ("offset", Value::Number(-1.0)),
                ("string", Value::Null),
                ("length", Value::Number(0.0)),
                ("name", name),
            ]),
        });
    }
    let whole = captures.get_match().as_str();
    Value::object([
        ("offset", Value::Number(at as f64)),
        ("length", Value::Number(whole.chars().count() as f64)),
        ("string", Value::text(whole)),
        ("captures", Value::array(groups)),
    ])
}

/// The named groups of a match: an object of their texts.
fn named_groups(regex: &Regex, captures: &Captures<'_>) -> Value {
    let named = regex.capture_names().flatten().map(|name| {
        (Text::from(name), captures.name(name).map(|group| Value::text(group.as_str())).unwrap_or_default())
    });
    Value::Object(named.collect())
}

/// What lies between the matches and the matches' named groups: `[[before, groups], ..., [rest]]`.
pub(super) fn pieces(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let mut pieces = Vec::new();
    let mut end = 0;
    for_each_match(context, &input, arguments, false, &mut |context, text, regex, captures| {
        let whole = captures.get_match();
        let before = text.get(end..whole.start()).unwrap_or_default();
        context.work.charge(before.len() + captures.len().saturating_mul(4 * size_of::<Value>()))?;
        pieces.push(Value::array(vec![Value::text(before), named_groups(regex, captures)]));
        end = whole.end();
        Ok(())
    })?;
    if let Value::String(text) = &input {
        let rest = text.as_str().get(end..).unwrap_or_default();
        context.work.charge(rest.len())?;
        pieces.push(Value::array(vec![Value::text(rest)]));
    }
    Ok(Value::array(pieces))
}

/// The parts between all matches.
pub(super) fn split(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let mut parts = Vec::new();
    let mut end = 0;
    for_each_match(context, &input, arguments, true, &mut |context, text, _, captures| {
        let whole = captures.get_match();
        let part = text.get(end..whole.start()).unwrap_or_default();
        context.work.charge(part.len() + size_of::<Value>())?;
        parts.push(Value::text(part));
        end = whole.end();
        Ok(())
    })?;
    if let Value::String(text) = &input {
        parts.push(Value::text(text.as_str().get(end..).unwrap_or_default()));
    }
    Ok(Value::array(parts))
}
