//! The patterns of `git grep`, and how `--and`, `--or`, `--not` and groups join them.

use crate::memory::Vec;
use crate::text::Text;
use crate::utility::context::pace::Pace;
use crate::utility::git::Git;
use crate::utility::git::error::{Result, fatal};
use crate::utility::regex::{Regex, RegexOptions, Syntax};

/// A word of an expression.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Pattern(Text),
    And,
    Or,
    Not,
    Open,
    Close,
}

impl Token {
    fn shown(&self) -> Text {
        match self {
            Self::Pattern(text) => text.clone(),
            Self::And => Text::from_static(b"--and"),
            Self::Or => Text::from_static(b"--or"),
            Self::Not => Text::from_static(b"--not"),
            Self::Open => Text::from_static(b"("),
            Self::Close => Text::from_static(b")"),
        }
    }
}

/// Groups in groups, at most.
const DEEPEST: usize = 64;

/// A step of an expression, in the order in which it is worked out: operands before what joins them.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pattern(usize),
    And,
    Or,
    Not,
}

/// Patterns, and how they are joined.
#[derive(Debug, Default)]
pub(super) struct Expression {
    regexes: Vec<Regex>,
    /// Alternatives, of which one has to match.
    terms: Vec<Vec<Step>>,
}

/// Characters that mean something in an extended expression.
const SPECIAL: &[u8] = b"\\.[]{}()*+?^$|";

/// A text as an extended expression.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    for &byte in text {
        if SPECIAL.contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

/// Reads tokens into steps.
struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    patterns: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    /// One that is not joined; whether there was one.
    fn one(&mut self, out: &mut Vec<Step>) -> Result<bool> {
        match self.peek() {
            Some(Token::Pattern(_)) => {
                self.at += 1;
                out.push(Step::Pattern(self.patterns));
                self.patterns += 1;
                Ok(true)
            }
            Some(Token::Not) => {
                self.at += 1;
                if self.peek().is_none() {
                    return Err(fatal!("--not not followed by pattern expression"));
                }
                self.deeper()?;
                if !self.one(out)? {
                    return Err(fatal!("--not followed by non pattern expression"));
                }
                self.depth -= 1;
                out.push(Step::Not);
                Ok(true)
            }
            Some(Token::Open) => {
                self.at += 1;
                self.deeper()?;
                let mut terms = Vec::new();
                self.any(&mut terms)?;
                self.depth -= 1;
                if !matches!(self.peek(), Some(Token::Close)) {
                    return Err(fatal!("unmatched ( for expression group"));
                }
                self.at += 1;
                let is_there = !terms.is_empty();
                for (place, term) in terms.into_iter().enumerate() {
                    out.extend(term);
                    if place > 0 {
                        out.push(Step::Or);
                    }
                }
                Ok(is_there)
            }
            _ => Ok(false),
        }
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(fatal!("the expression is too deep")) } else { Ok(()) }
    }

    fn all(&mut self, out: &mut Vec<Step>) -> Result<bool> {
        if !self.one(out)? {
            return Ok(false);
        }
        while matches!(self.peek(), Some(Token::And)) {
            self.at += 1;
            if self.peek().is_none() || !self.one(out)? {
                return Err(fatal!("--and not followed by pattern expression"));
            }
            out.push(Step::And);
        }
        Ok(true)
    }

    /// Alternatives, up to the end of the group.
    fn any(&mut self, terms: &mut Vec<Vec<Step>>) -> Result<()> {
        loop {
            let mut term = Vec::new();
            if !self.all(&mut term)? {
                return Ok(());
            }
            terms.push(term);
            match self.peek() {
                Some(Token::Or) => self.at += 1,
                None | Some(Token::Close) => return Ok(()),
                Some(_) => {}
            }
        }
    }
}

impl Expression {
    /// Compiles patterns; texts as they are without a syntax.
    pub(super) fn new(tokens: &[Token], syntax: Option<Syntax>, options: &RegexOptions) -> Result<Self> {
        let mut expression = Self::default();
        for token in tokens {
            let Token::Pattern(pattern) = token else { continue };
            let compiled = match syntax {
                Some(syntax) => Regex::new(pattern, syntax, options),
                None => Regex::new(&escaped(pattern), Syntax::Extended, options),
            };
            match compiled {
                Ok(regex) => expression.regexes.push(regex),
                Err(error) => return Err(fatal!("command line, '{pattern}': {error}")),
            }
        }
        let mut parser = Parser { tokens, at: 0, depth: 0, patterns: 0 };
        parser.any(&mut expression.terms)?;
        if let Some(token) = parser.peek() {
            return Err(fatal!("incomplete pattern expression group: {}", token.shown()));
        }
        Ok(expression)
    }

    /// How many alternatives there are.
    pub(super) fn count(&self) -> usize {
        self.terms.len()
    }

    /// The first place in a line where one of the patterns matches.
    pub(super) async fn find(&self, git: &Git, line: &[u8], start: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for regex in &self.regexes {
            let found = regex.find_at(line, start, &mut Pace::Shared(&git.ctx.meter)).await.ok().flatten();
            if let Some(span) = found
                && best.is_none_or(|best| span.0 < best.0)
            {
                best = Some(span);
            }
        }
        best
    }

    /// Whether a line matches; the alternatives that do are noted.
    pub(super) async fn matches(&self, git: &Git, line: &[u8], hits: &mut [bool]) -> bool {
        let mut is_hit = false;
        for (term, hit) in self.terms.iter().zip(hits) {
            let mut values: Vec<bool> = Vec::new();
            for step in term {
                let value = match step {
                    Step::Pattern(place) => match self.regexes.get(*place) {
                        Some(regex) => {
                            let pace = &mut Pace::Shared(&git.ctx.meter);
                            regex.is_match(line, pace).await.unwrap_or(false)
                        }
                        None => false,
                    },
                    Step::Not => !values.pop().unwrap_or(false),
                    Step::And => {
                        let (right, left) = (values.pop(), values.pop());
                        left == Some(true) && right == Some(true)
                    }
                    Step::Or => {
                        let (right, left) = (values.pop(), values.pop());
                        left == Some(true) || right == Some(true)
                    }
                };
                values.push(value);
            }
            if values.last() == Some(&true) {
                (is_hit, *hit) = (true, true);
            }
        }
        is_hit
    }
}
