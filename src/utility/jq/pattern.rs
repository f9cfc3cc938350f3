//! Destructuring patterns: `. as [$a, {b: $c}]` becomes a chain of plain bindings.
//!
//! The whole value is bound first, without a name; each part is then an access to it that is bound to the next name or
//! taken apart in turn. For `?//` a pattern becomes a term whose output is the array of its variables' values instead, which
//! the machine binds, so that the body is compiled once whatever pattern fits.

use super::binding::Id;
use super::lexer::Token;
use super::parse::{Parsed, Parser, Space};
use super::term::Term;
use super::text::Text;
use super::value::Value;
use crate::memory::{Vec, vec};

/// A destructuring pattern.
pub(super) enum Pattern<'t> {
    Variable(&'t str),
    Array(Vec<Pattern<'t>>),
    /// Per entry: a variable bound to the member itself, the key (a term over the destructured value), its pattern.
    Object(Vec<(Option<&'t str>, Key, Option<Pattern<'t>>)>),
}

pub(super) enum Key {
    Name(Text),
    /// A key expression over the destructured value, and the bindings around it: the pattern's own are not visible.
    Term(Id, usize),
}

/// One binding of a pattern: its variable, and the term it is bound to (the first one has none).
pub(super) struct Link<'t> {
    name: Option<&'t str>,
    source: Option<Id>,
}

impl<'t> Parser<'t, '_, '_> {
    /// `source as P1 ?// P2 | body`
    pub(super) fn binding_any(
        &mut self,
        source: Id,
        patterns: &[Pattern<'t>],
        body: impl FnOnce(&mut Self) -> Parsed<Id>,
    ) -> Parsed<Id> {
        let mut names: Vec<&'t str> = Vec::new();
        for pattern in patterns {
            variables_of(pattern, &mut names);
        }
        let mut choices = Vec::new();
        for pattern in patterns {
            choices.push(self.pattern_values(pattern, &names)?);
        }
        for name in &names {
            self.bind(Space::Variable, name);
        }
        let body = body(self);
        for name in names.iter().rev() {
            self.unbind(Space::Variable, name);
        }
        let body = body?;
        Ok(self.add(Term::BindAny(source, choices, body)))
    }

    /// A term from the destructured value (its input) to an array of the values of `names`.
    pub(super) fn pattern_values(&mut self, pattern: &Pattern<'t>, names: &[&'t str]) -> Parsed<Id> {
        for name in names {
            self.bind(Space::Variable, name);
        }
        let chain = self.open_pattern(pattern)?;
        let array = self.array_of(names);
        let mut body = {
            let array = self.close_chain(chain, Ok(array))?;
            let input = self.add(Term::Identity);
            self.add(Term::Bind(input, array))
        };
        for name in names.iter().rev() {
            self.unbind(Space::Variable, name);
            let null = self.constant(Value::Null);
            body = self.add(Term::Bind(null, body));
        }
        Ok(body)
    }

    /// `[$a, $b]`
    pub(super) fn array_of(&mut self, names: &[&'t str]) -> Id {
        let variables: Vec<Id> = names.iter().map(|name| self.variable(name, (0, 0))).collect();
        let joined = variables.into_iter().rev().reduce(|right, left| self.add(Term::Comma(left, right)));
        let joined = joined.unwrap_or_else(|| self.add(Term::Empty));
        self.add(Term::Collect(joined))
    }

    pub(super) fn patterns(&mut self) -> Parsed<Vec<Pattern<'t>>> {
        let mut patterns = vec![self.nested(Self::pattern)?];
        while self.takes("?//") {
            patterns.push(self.nested(Self::pattern)?);
        }
        Ok(patterns)
    }

    fn pattern(&mut self) -> Parsed<Pattern<'t>> {
        if self.is_sign("[") {
            self.enter();
            let mut items = vec![self.nested(Self::pattern)?];
            while self.takes(",") {
                items.push(self.nested(Self::pattern)?);
            }
            self.leave("]", "',' or ']'")?;
            return Ok(Pattern::Array(items));
        }
        if !self.is_sign("{") {
            return self.variable_name("BINDING or '[' or '{'").map(Pattern::Variable);
        }
        self.enter();
        let mut entries = vec![self.pattern_entry()?];
        while self.takes(",") {
            entries.push(self.pattern_entry()?);
        }
        self.leave("}", "',' or '}'")?;
        Ok(Pattern::Object(entries))
    }

    fn pattern_entry(&mut self) -> Parsed<(Option<&'t str>, Key, Option<Pattern<'t>>)> {
        if let Token::Binding(name) = self.token
            && name != "__loc__"
        {
            self.advance();
            let inner = if self.takes(":") { Some(self.nested(Self::pattern)?) } else { None };
            return Ok((Some(name), Key::Name(Text::from(name)), inner));
        }
        let key = match self.token {
            Token::Name(name) => {
                self.advance();
                Key::Name(Text::from(name))
            }
            Token::Quote | Token::Format(_) => Key::Term(self.string_term()?, self.slots),
            Token::Sign("(") => {
                self.enter();
                let start = self.start;
                let key = self.pipe()?;
                let place = (start, self.last.1);
                self.leave(")", "'|' or ',' or ')'")?;
                self.check_key(key, place);
                Key::Term(key, self.slots)
            }
            _ => return Err(self.unexpected()),
        };
        self.expect(":", "':'")?;
        let inner = self.nested(Self::pattern)?;
        Ok((None, key, Some(inner)))
    }

    /// Opens the bindings of `pattern` for the value in the slot that is bound next; closed by `close_chain`.
    pub(super) fn open_pattern(&mut self, pattern: &Pattern<'t>) -> Parsed<Vec<Link<'t>>> {
        let mut chain = Vec::new();
        self.open_links(pattern, &mut chain)?;
        Ok(chain)
    }

    /// Binds the value at hand (one slot), then the parts of `pattern`.
    fn open_links(&mut self, pattern: &Pattern<'t>, chain: &mut Vec<Link<'t>>) -> Parsed<()> {
        if let Pattern::Variable(name) = pattern {
            // Of several parts with one name the first that is taken apart counts.
            let is_first = chain.iter().all(|link| link.name != Some(*name));
            if is_first {
                self.bind(Space::Variable, name);
            } else {
                self.slots += 1;
            }
            chain.push(Link { name: is_first.then_some(*name), source: None });
            return Ok(());
        }
        self.slots += 1;
        let whole = self.slots;
        chain.push(Link { name: None, source: None });
        match pattern {
            Pattern::Variable(_) => {}
            Pattern::Array(items) => {
                // jq takes the last item first, which shows in errors and in the order of outputs.
                for (at, item) in items.iter().enumerate().rev() {
                    let key = self.constant(Value::number(at as f64));
                    self.open_member(whole, key, item, chain)?;
                }
            }
            Pattern::Object(entries) => {
                for (name, key, inner) in entries {
                    let key = self.pattern_key(whole, key, chain);
                    if let Some(name) = name {
                        self.open_member(whole, key, &Pattern::Variable(name), chain)?;
                    }
                    if let Some(inner) = inner {
                        let key = match name {
                            Some(name) => self.constant(Value::text(name)),
                            None => key,
                        };
                        self.open_member(whole, key, inner, chain)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn open_member(
        &mut self,
        whole: usize,
        key: Id,
        pattern: &Pattern<'t>,
        chain: &mut Vec<Link<'t>>,
    ) -> Parsed<()> {
        let value = self.add(Term::Variable(self.slots.saturating_sub(whole)));
        let source = self.add(Term::Index(value, key));
        let first = chain.len();
        self.nested(|parser| parser.open_links(pattern, chain))?;
        if let Some(link) = chain.get_mut(first) {
            link.source = Some(source);
        }
        Ok(())
    }

    /// A key as a term that needs no input: an expression is evaluated over the destructured value and bound first.
    fn pattern_key(&mut self, whole: usize, key: &Key, chain: &mut Vec<Link<'t>>) -> Id {
        let (expression, around) = match key {
            Key::Name(name) => return self.constant(Value::String(name.clone())),
            Key::Term(id, around) => (*id, *around),
        };
        let expression = self.add(Term::Outer(self.slots.saturating_sub(around), expression));
        let value = self.add(Term::Variable(self.slots.saturating_sub(whole)));
        let source = self.add(Term::Pipe(value, expression));
        self.slots += 1;
        chain.push(Link { name: None, source: Some(source) });
        self.add(Term::Variable(0))
    }

    /// Ends the scope of a chain and wraps `body` in its bindings but the first, which is the caller's.
    pub(super) fn close_chain(&mut self, chain: Vec<Link<'t>>, body: Parsed<Id>) -> Parsed<Id> {
        let mut body = body;
        for link in chain.into_iter().rev() {
            match link.name {
                Some(name) => self.unbind(Space::Variable, name),
                None => self.slots = self.slots.saturating_sub(1),
            }
            if let Some(source) = link.source {
                body = body.map(|body| self.add(Term::Bind(source, body)));
            }
        }
        body
    }
}

/// The variables of a pattern in order of appearance, each once.
pub(super) fn variables_of<'t>(pattern: &Pattern<'t>, names: &mut Vec<&'t str>) {
    let add = |name: &'t str, names: &mut Vec<&'t str>| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    match pattern {
        Pattern::Variable(name) => add(name, names),
        Pattern::Array(items) => items.iter().for_each(|item| variables_of(item, names)),
        Pattern::Object(entries) => {
            for (name, _, inner) in entries {
                if let Some(name) = name {
                    add(name, names);
                }
                if let Some(inner) = inner {
                    variables_of(inner, names);
                }
            }
        }
    }
}
