//! Syntax of what binds names around a body: `def`, calls, `reduce`, `foreach`.

use super::binding::{Id, TO_ROOT};
use super::builtin::{self, Builtin};
use super::lexer::{Token, is_keyword};
use super::parse::{Bound, Parsed, Parser, Space};
use super::pattern::{Pattern, variables_of};
use super::term::{Fold, Function, Operation, Shape, Term};
use super::value::Value;
use crate::memory::{Box, Vec, format};

impl<'t> Parser<'t, '_, '_> {
    pub(super) fn fold(&mut self, is_foreach: bool) -> Parsed<Id> {
        let source = self.alternative()?;
        if !self.takes_word("as") {
            return Err(self.unexpected());
        }
        let patterns = self.patterns()?;
        if !self.is_sign("(") {
            return Err(self.unexpected_of("'('"));
        }
        self.enter();
        let init = self.pipe()?;
        self.expect(";", "'|' or ',' or ';'")?;
        // The source becomes an array of the pattern's variables unless the pattern is one variable.
        let mut names = Vec::new();
        patterns.iter().for_each(|pattern| variables_of(pattern, &mut names));
        let is_plain = matches!(patterns.as_slice(), [Pattern::Variable(_)]);
        let source = match patterns.as_slice() {
            _ if is_plain => source,
            [pattern] => {
                let values = self.pattern_values(pattern, &names)?;
                self.add(Term::Pipe(source, values))
            }
            _ => {
                let bound = names.clone();
                self.binding_any(source, &patterns, |parser| Ok(parser.array_of(&bound)))?
            }
        };
        if !is_plain {
            self.slots += 1;
        }
        let parsed = self.fold_parts(&names, is_plain, is_foreach);
        if !is_plain {
            self.slots = self.slots.saturating_sub(1);
        }
        let (update, extract) = parsed?;
        let may_extract = is_foreach && extract.is_none();
        self.leave(")", if may_extract { "'|' or ',' or ';' or ')'" } else { "'|' or ',' or ')'" })?;
        let fold = Box::new(Fold { source, init, update, extract });
        Ok(self.add(if is_foreach { Term::Foreach(fold) } else { Term::Reduce(fold) }))
    }

    pub(super) fn fold_parts(
        &mut self,
        names: &[&'t str],
        is_plain: bool,
        is_foreach: bool,
    ) -> Parsed<(Id, Option<Id>)> {
        let update = self.unpacked(names, is_plain)?;
        if is_foreach && self.takes(";") {
            return Ok((update, Some(self.unpacked(names, is_plain)?)));
        }
        Ok((update, None))
    }

    /// A pipeline with `names` bound: to the items of the array in the last slot, or the last slot itself.
    pub(super) fn unpacked(&mut self, names: &[&'t str], is_plain: bool) -> Parsed<Id> {
        let whole = self.slots;
        let mut sources = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if !is_plain {
                let array = self.add(Term::Variable(self.slots.saturating_sub(whole)));
                let key = self.constant(Value::number(at as f64));
                sources.push(self.add(Term::Index(array, key)));
            }
            self.bind(Space::Variable, name);
        }
        let mut body = self.pipe();
        for name in names.iter().rev() {
            self.unbind(Space::Variable, name);
            if let Some(source) = sources.pop() {
                body = body.map(|body| self.add(Term::Bind(source, body)));
            }
        }
        body
    }

    pub(super) fn call(&mut self, name: &'t str) -> Parsed<Id> {
        let place = (self.start, self.end);
        self.advance();
        let mut arguments = Vec::new();
        if self.is_sign("(") {
            self.enter();
            loop {
                arguments.push(self.pipe()?);
                if !self.takes(";") {
                    break;
                }
            }
            self.leave(")", "';' or ')'")?;
        }
        match self.find(Space::Function(arguments.len()), name) {
            Some(Bound::Slot(slot)) => Ok(self.add(Term::Parameter(self.slots.saturating_sub(slot)))),
            Some(Bound::Function { number, slots }) => {
                let skip = self.slots.saturating_sub(slots);
                Ok(self.add(Term::Call(number, arguments, skip)))
            }
            Some(Bound::Data(_)) | None => match self.builtin(name, arguments)? {
                Ok(id) => Ok(id),
                Err(arity) => Ok(self.undefined(&format!("{name}/{arity} is not defined"), place)),
            },
        }
    }

    pub(super) fn builtin(&mut self, name: &str, arguments: Vec<Id>) -> Parsed<Result<Id, usize>> {
        let arity = arguments.len();
        let Some((name, found)) = builtin::find(name, arity) else { return Ok(Err(arity)) };
        Ok(Ok(match found {
            Builtin::Native(function) => self.add(Term::Apply(Operation::Native(function), arguments)),
            Builtin::Form(form) => form(&mut self.shared.program, &arguments),
            Builtin::Definition(text) => {
                let known = self.shared.known.get(&(name, arity)).copied();
                let number = if let Some(number) = known {
                    number
                } else {
                    let number = Parser::new(text, self.shared).builtin_definition()?;
                    self.shared.known.insert((name, arity), number);
                    number
                };
                self.add(Term::Call(number, arguments, TO_ROOT))
            }
        }))
    }

    /// The current token as the name of a function or a parameter.
    fn new_name(&mut self) -> Option<&'t str> {
        let Token::Name(name) = self.token else { return None };
        if is_keyword(name) {
            return None;
        }
        self.advance();
        Some(name)
    }

    /// `def name(parameters): body;`; the name stays bound.
    pub(super) fn definition(&mut self) -> Parsed<(&'t str, usize)> {
        self.expect_word("def", "def")?;
        let Some(name) = self.new_name() else { return Err(self.unexpected_of("IDENT")) };
        let mut parameters: Vec<(bool, &'t str)> = Vec::new();
        let has_parameters = self.is_sign("(");
        if has_parameters {
            self.enter();
            loop {
                parameters.push(match self.token {
                    Token::Binding(parameter) if parameter != "__loc__" => {
                        self.advance();
                        (true, parameter)
                    }
                    _ => match self.new_name() {
                        Some(parameter) => (false, parameter),
                        None => return Err(self.unexpected_of("IDENT or BINDING")),
                    },
                });
                if !self.takes(";") {
                    break;
                }
            }
            self.leave(")", "';' or ')'")?;
        }
        self.expect(":", if has_parameters { "':'" } else { "':' or '('" })?;
        let arity = parameters.len();
        let number = self.shared.program.functions.len();
        let unknown = Function { body: 0, shape: Shape::default() };
        self.shared.program.functions.push(unknown);
        let bound = Bound::Function { number, slots: self.slots };
        if let Some(bounds) = self.names.get_or_default((Space::Function(arity), name)) {
            bounds.push(bound);
        }
        let body = self.nested(|parser| parser.function_body(&parameters))?;
        self.expect(";", "'|' or ',' or ';'")?;
        let shape = self.shared.program.shape(body);
        if let Some(function) = self.shared.program.functions.get_mut(number) {
            *function = Function { body, shape };
        }
        Ok((name, arity))
    }

    /// A body in which each parameter is a filter; `$name` is bound to its outputs besides, first parameter outermost.
    pub(super) fn function_body(&mut self, parameters: &[(bool, &'t str)]) -> Parsed<Id> {
        for (_, name) in parameters {
            self.bind(Space::Function(0), name);
        }
        let mut sources = Vec::new();
        for (at, (is_value, name)) in parameters.iter().enumerate() {
            if *is_value {
                let skip = parameters.len() - 1 - at + sources.len();
                sources.push(self.add(Term::Parameter(skip)));
                self.bind(Space::Variable, name);
            }
        }
        let mut body = self.pipe();
        for (is_value, name) in parameters.iter().rev() {
            if *is_value {
                self.unbind(Space::Variable, name);
                if let Some(source) = sources.pop() {
                    body = body.map(|body| self.add(Term::Bind(source, body)));
                }
            }
        }
        for (_, name) in parameters.iter().rev() {
            self.unbind(Space::Function(0), name);
        }
        body
    }
}
