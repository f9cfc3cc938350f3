//! Syntax of what binds names around a body: `def`, calls, `reduce`, `foreach`.

use super::builtin::{self, Builtin};
use super::lexer::Token;
use super::parse::{Bound, Parsed, Parser, Space};
use super::pattern::{Pattern, variables_of};
use super::term::{Fold, Function, Id, Operation, Shape, TO_ROOT, Term};
use super::value::Value;
use crate::memory::{Box, Vec, format, vec};

impl<'t> Parser<'t, '_, '_> {
    pub(super) fn fold(&mut self, is_foreach: bool) -> Parsed<Id> {
        let source = self.postfix()?;
        self.expect_word("as")?;
        let patterns = self.patterns()?;
        self.expect("(")?;
        let init = self.pipe()?;
        self.expect(";")?;
        let [pattern] = patterns.as_slice() else {
            return Err(self.fault("?// is not supported in reduce and foreach"));
        };
        // The source becomes an array of the pattern's variables unless the pattern is one variable.
        let (source, names) = if let Pattern::Variable(name) = pattern {
            (source, vec![*name])
        } else {
            let mut names = Vec::new();
            variables_of(pattern, &mut names);
            let values = self.pattern_values(pattern, &names)?;
            (self.add(Term::Pipe(source, values)), names)
        };
        let is_plain = matches!(pattern, Pattern::Variable(_));
        if !is_plain {
            self.slots += 1;
        }
        let parsed = self.fold_parts(&names, is_plain, is_foreach);
        if !is_plain {
            self.slots = self.slots.saturating_sub(1);
        }
        let (update, extract) = parsed?;
        self.expect(")")?;
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
                let key = self.constant(Value::Number(at as f64));
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
        let start = self.start;
        self.advance();
        let mut arguments = Vec::new();
        if self.takes("(") {
            loop {
                arguments.push(self.pipe()?);
                if self.takes(")") {
                    break;
                }
                self.expect(";")?;
            }
        }
        match self.find(Space::Function(arguments.len()), name) {
            Some(Bound::Slot(slot)) => Ok(self.add(Term::Parameter(self.slots.saturating_sub(slot)))),
            Some(Bound::Function { number, slots }) => {
                let skip = self.slots.saturating_sub(slots);
                Ok(self.add(Term::Call(number, arguments, skip)))
            }
            None => match self.builtin(name, arguments)? {
                Ok(id) => Ok(id),
                Err(arity) => {
                    self.go_to(start);
                    Err(self.fault(&format!("{name}/{arity} is not defined")))
                }
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

    /// `def name(parameters): body;`; the name stays bound.
    pub(super) fn definition(&mut self) -> Parsed<(&'t str, usize)> {
        self.expect_word("def")?;
        let Token::Name(name) = self.token else { return Err(self.unexpected()) };
        self.advance();
        let mut parameters: Vec<(bool, &'t str)> = Vec::new();
        if self.takes("(") {
            loop {
                let is_value = self.takes("$");
                let Token::Name(parameter) = self.token else { return Err(self.unexpected()) };
                self.advance();
                parameters.push((is_value, parameter));
                if self.takes(")") {
                    break;
                }
                self.expect(";")?;
            }
        }
        self.expect(":")?;
        let arity = parameters.len();
        let number = self.shared.program.functions.len();
        let unknown = Function { body: 0, shape: Shape::default() };
        self.shared.program.functions.push(unknown);
        let bound = Bound::Function { number, slots: self.slots };
        if let Some(bounds) = self.names.get_or_default((Space::Function(arity), name)) {
            bounds.push(bound);
        }
        let body = self.nested(|parser| parser.function_body(&parameters))?;
        self.expect(";")?;
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
