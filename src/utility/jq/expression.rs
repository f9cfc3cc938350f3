//! Syntax of pipelines and operators, by precedence climbing: what stands between terms, loosest first.

use super::binding::Id;
use super::lexer::Token;
use super::operator::Operator;
use super::parse::{Parsed, Parser, Space};
use super::term::{Assignment, Operation, Term};
use super::value::Value;
use crate::memory::{Vec, vec};

/// How deep a filter may nest.
const DEPTH_LIMIT: usize = 160;

/// The level of comparisons among the binary operators.
const COMPARISON: usize = 2;

enum Junction {
    And,
    Or,
    Operator(Operator),
}

impl Parser<'_, '_, '_> {
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEPTH_LIMIT {
            return Err(self.fault("filter nests too deeply"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    pub(super) fn pipe(&mut self) -> Parsed<Id> {
        self.nested(Self::pipe_parts)
    }

    pub(super) fn pipe_parts(&mut self) -> Parsed<Id> {
        let mut parts = Vec::new();
        let mut defined = Vec::new();
        loop {
            while self.token == Token::Name("def") {
                defined.push(self.definition()?);
            }
            parts.push(self.comma()?);
            if !self.takes("|") {
                break;
            }
        }
        for (name, arity) in defined {
            self.forget(Space::Function(arity), name);
        }
        let last = parts.pop();
        let joined = parts
            .into_iter()
            .rev()
            .fold(last, |right, left| right.map(|right| self.add(Term::Pipe(left, right))));
        joined.ok_or_else(|| self.unexpected())
    }

    pub(super) fn comma(&mut self) -> Parsed<Id> {
        let mut parts = vec![self.clause()?];
        while self.takes(",") {
            parts.push(self.clause()?);
        }
        let last = parts.pop();
        let joined = parts
            .into_iter()
            .rev()
            .fold(last, |right, left| right.map(|right| self.add(Term::Comma(left, right))));
        joined.ok_or_else(|| self.unexpected())
    }

    /// An expression, or one of the forms that reach to the end of the pipeline: `def`, `label`, and an expression that is
    /// bound with `as`.
    fn clause(&mut self) -> Parsed<Id> {
        match self.token {
            Token::Name("label") => {
                self.advance();
                let name = self.variable_name("BINDING")?;
                self.expect("|", "'|'")?;
                self.bind(Space::Label, name);
                let body = self.pipe();
                self.unbind(Space::Label, name);
                let body = body?;
                Ok(self.add(Term::Label(body)))
            }
            Token::Name("def") => self.pipe(),
            _ => {
                let expression = self.alternative()?;
                if self.takes_word("as") { self.binding(expression) } else { Ok(expression) }
            }
        }
    }

    pub(super) fn alternative(&mut self) -> Parsed<Id> {
        let mut parts = vec![self.assignment()?];
        while self.takes("//") {
            parts.push(self.assignment()?);
        }
        let last = parts.pop();
        let joined = parts
            .into_iter()
            .rev()
            .fold(last, |right, left| right.map(|right| self.add(Term::Alternative(left, right))));
        joined.ok_or_else(|| self.unexpected())
    }

    pub(super) fn assignment(&mut self) -> Parsed<Id> {
        let left = self.binary(0)?;
        let Token::Sign(sign) = self.token else { return Ok(left) };
        let kind = match sign {
            "=" => Assignment::Set,
            "|=" => Assignment::Update,
            "//=" => Assignment::Default,
            "+=" => Assignment::Operate(Operator::Add),
            "-=" => Assignment::Operate(Operator::Subtract),
            "*=" => Assignment::Operate(Operator::Multiply),
            "/=" => Assignment::Operate(Operator::Divide),
            "%=" => Assignment::Operate(Operator::Remainder),
            _ => return Ok(left),
        };
        self.advance();
        let right = self.binary(0)?;
        match self.token {
            Token::Sign("=" | "|=" | "//=" | "+=" | "-=" | "*=" | "/=" | "%=") => Err(self.unexpected()),
            _ => Ok(self.add(Term::Assign(kind, left, right))),
        }
    }

    /// Operands joined by operators of level `floor` or tighter.
    pub(super) fn binary(&mut self, floor: usize) -> Parsed<Id> {
        let mut left = self.operand()?;
        let mut last = None;
        while let Some((junction, level)) = self.operator() {
            if level < floor {
                break;
            }
            // Comparisons do not associate; one may not follow another, not even with tighter operators between.
            if level == COMPARISON && last == Some(COMPARISON) {
                return Err(self.unexpected());
            }
            last = Some(level);
            self.advance();
            let right = self.nested(|parser| parser.binary(level + 1))?;
            left = self.join(&junction, left, right);
        }
        Ok(left)
    }

    /// The operator at the current token and its level: 0 `or`, 1 `and`, 2 comparisons, 3 `+ -`, 4 `* / %`.
    fn operator(&self) -> Option<(Junction, usize)> {
        let operator = match self.token {
            Token::Name("or") => return Some((Junction::Or, 0)),
            Token::Name("and") => return Some((Junction::And, 1)),
            Token::Sign("==") => (Operator::Equal, COMPARISON),
            Token::Sign("!=") => (Operator::NotEqual, COMPARISON),
            Token::Sign("<") => (Operator::Less, COMPARISON),
            Token::Sign("<=") => (Operator::LessOrEqual, COMPARISON),
            Token::Sign(">") => (Operator::Greater, COMPARISON),
            Token::Sign(">=") => (Operator::GreaterOrEqual, COMPARISON),
            Token::Sign("+") => (Operator::Add, 3),
            Token::Sign("-") => (Operator::Subtract, 3),
            Token::Sign("*") => (Operator::Multiply, 4),
            Token::Sign("/") => (Operator::Divide, 4),
            Token::Sign("%") => (Operator::Remainder, 4),
            _ => return None,
        };
        Some((Junction::Operator(operator.0), operator.1))
    }

    fn join(&mut self, junction: &Junction, left: Id, right: Id) -> Id {
        self.add(match junction {
            Junction::And => Term::And(left, right),
            Junction::Or => Term::Or(left, right),
            Junction::Operator(operator) => Term::Binary(*operator, left, right),
        })
    }

    /// A term with its postfixes, or `-term`.
    pub(super) fn operand(&mut self) -> Parsed<Id> {
        if !self.takes("-") {
            return self.postfix();
        }
        let inner = self.nested(Self::operand)?;
        let program = &self.shared.program;
        if let Term::Constant(Value::Number(number)) = program.term(inner) {
            let negated = Value::Number(number.negated(false));
            return Ok(self.constant(negated));
        }
        // What is only looked up was written down somewhere; that counts for the sign of zero.
        let is_computed = !matches!(
            program.term(inner),
            Term::Identity
                | Term::Constant(_)
                | Term::Field(..)
                | Term::Index(..)
                | Term::Each(_)
                | Term::Variable(_)
        );
        Ok(self.add(Term::Apply(Operation::Negate(is_computed), Vec::from([inner]))))
    }

    pub(super) fn binding(&mut self, source: Id) -> Parsed<Id> {
        let patterns = self.patterns()?;
        self.expect("|", "'|'")?;
        let [pattern] = patterns.as_slice() else { return self.binding_any(source, &patterns, Self::pipe) };
        let chain = self.open_pattern(pattern)?;
        let body = self.pipe();
        let body = self.close_chain(chain, body)?;
        Ok(self.add(Term::Bind(source, body)))
    }
}
