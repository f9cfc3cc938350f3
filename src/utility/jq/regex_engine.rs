//! The engines behind the regular expressions: [`Regexes`] keeps those that a run has compiled, [`Expression`] finds a match.

use super::error::Raise;
use super::job::{JobPace, spend_bytes};
use super::regex_syntax::{Options, Translated, translate};
use super::text::Text;
use super::value::Value;
use super::work::{Stop, Work};
use crate::limit::Charge;
use crate::memory::{self, String, ToMeteredString, Vec, VecDeque, format};
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
pub(super) struct Expression {
    pub(super) engine: Engine,
    /// The names of the groups from the first.
    pub(super) names: memory::Arc<Vec<Option<String>>>,
}

#[derive(Clone)]
pub(super) enum Engine {
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
pub(super) const BYTES_OF_TEXT: usize = 64;
pub(super) const MOST_OF_TEXT: usize = 1 << 17;

/// What the flags say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Flags {
    pub(super) global: bool,
    pub(super) ignore_case: bool,
    pub(super) extended: bool,
    pub(super) dot_matches_newline: bool,
    pub(super) skip_empty: bool,
    /// The text ends in a newline, before which `$` matches as well.
    pub(super) before_newline: bool,
}

impl Flags {
    pub(super) fn parse(flags: &Value) -> Result<Flags, Raise> {
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
    pub(super) fn get(
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
pub(super) struct Captures<'t> {
    text: &'t str,
    pub(super) groups: Vec<Option<Span>>,
}

impl<'t> Captures<'t> {
    pub(super) fn whole(&self) -> Span {
        self.groups.first().copied().flatten().unwrap_or_default()
    }

    pub(super) fn text(&self, (start, end): Span) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn group(&self, number: usize) -> Option<Span> {
        self.groups.get(number).copied().flatten()
    }
}

impl Expression {
    /// The first match at or after `at`. The text is long only if the expression was asked for with it.
    ///
    /// # Errors
    /// An expression that backtracks took too many steps.
    pub(super) async fn find<'t>(&self, text: &'t str, at: usize) -> Result<Option<Captures<'t>>, Raise> {
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

    pub(super) async fn is_match(&self, text: &str) -> Result<bool, Raise> {
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
