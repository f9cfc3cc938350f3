//! Tokens → expression, by recursive descent over CEL's eight levels of operators. Names are resolved on the way: an unknown
//! variable or function, or a wrong number of arguments, is an error here and not at evaluation.

use super::expression::{Arithmetic, Expression, Function, Macro, MacroKind, Relation, Selector};
use super::lexer::{Token, TokenKind, fault};
use super::value::Literal;
use crate::hook::matcher::RegexCompiler;
use crate::hook::re2;

/// Most levels of brackets, calls and macros.
const DEEPEST: u32 = 64;

const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Names of types, which are values too.
const TYPES: [&str; 10] =
    ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"];

pub(super) fn parse(
    source: &str,
    tokens: &[Token],
    variables: impl Iterator<Item = &'static str>,
    regexes: &mut RegexCompiler,
) -> Result<Expression, String> {
    let scope = variables.map(str::to_owned).collect();
    let mut parser = Parser { source, tokens, at: 0, scope, depth: 0, regexes };
    let expression = parser.expression()?;
    match parser.peek() {
        TokenKind::End => Ok(expression),
        _ => Err(parser.unexpected()),
    }
}

struct Parser<'p> {
    source: &'p str,
    tokens: &'p [Token],
    at: usize,
    /// Names by slot.
    scope: Vec<String>,
    depth: u32,
    regexes: &'p mut RegexCompiler,
}

impl Parser<'_> {
    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.at).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.source.len(), |token| token.at)
    }

    fn fault(&self, message: &str) -> String {
        fault(self.source, self.place(), message)
    }

    fn unexpected(&self) -> String {
        let found = match self.peek() {
            TokenKind::End => "end of the expression".to_owned(),
            TokenKind::Name(name) => format!("`{name}`"),
            TokenKind::Punctuation(mark) => format!("`{mark}`"),
            TokenKind::String(_) | TokenKind::Bytes(_) => "a string".to_owned(),
            _ => "a number".to_owned(),
        };
        self.fault(&format!("syntax error: unexpected {found}"))
    }

    fn takes(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Punctuation(found) if *found == mark);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.takes(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn takes_one<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let (_, value) = choices.iter().find(|(mark, _)| match self.peek() {
            TokenKind::Punctuation(found) => found == mark,
            TokenKind::Name(name) => name == mark,
            _ => false,
        })?;
        self.at += 1;
        Some(*value)
    }

    fn expression(&mut self) -> Result<Expression, String> {
        if self.depth >= DEEPEST {
            return Err(self.fault(&format!("the expression is nested deeper than {DEEPEST} levels")));
        }
        self.depth += 1;
        let result = self.conditional();
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Result<Expression, String> {
        let mut arms = Vec::new();
        loop {
            let value = self.or()?;
            if !self.takes("?") {
                if arms.is_empty() {
                    return Ok(value);
                }
                return Ok(Expression::Conditional(arms, Box::new(value)));
            }
            let then = self.or()?;
            self.expect(":")?;
            arms.push((value, then));
        }
    }

    fn or(&mut self) -> Result<Expression, String> {
        self.joined("||", Self::and, Expression::Or)
    }

    fn and(&mut self) -> Result<Expression, String> {
        self.joined("&&", Self::relation, Expression::And)
    }

    fn joined(
        &mut self,
        mark: &str,
        part: fn(&mut Self) -> Result<Expression, String>,
        whole: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, String> {
        let first = part(self)?;
        if !self.takes(mark) {
            return Ok(first);
        }
        let mut all = vec![first, part(self)?];
        while self.takes(mark) {
            all.push(part(self)?);
        }
        Ok(whole(all))
    }

    fn chain<T: Copy>(
        &mut self,
        choices: &[(&str, T)],
        part: fn(&mut Self) -> Result<Expression, String>,
        whole: fn(Box<Expression>, Vec<(T, Expression)>) -> Expression,
    ) -> Result<Expression, String> {
        let first = part(self)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.takes_one(choices) {
            rest.push((operator, part(self)?));
        }
        Ok(if rest.is_empty() { first } else { whole(Box::new(first), rest) })
    }

    fn relation(&mut self) -> Result<Expression, String> {
        let choices = [
            ("==", Relation::Equal),
            ("!=", Relation::NotEqual),
            ("<", Relation::Less),
            ("<=", Relation::LessOrEqual),
            (">", Relation::Greater),
            (">=", Relation::GreaterOrEqual),
            ("in", Relation::In),
        ];
        self.chain(&choices, Self::sum, Expression::Relation)
    }

    fn sum(&mut self) -> Result<Expression, String> {
        let choices = [("+", Arithmetic::Add), ("-", Arithmetic::Subtract)];
        self.chain(&choices, Self::product, Expression::Arithmetic)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let choices = [("*", Arithmetic::Multiply), ("/", Arithmetic::Divide), ("%", Arithmetic::Remainder)];
        self.chain(&choices, Self::unary, Expression::Arithmetic)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        let mut count = 0_u64;
        if self.takes("!") {
            count += 1;
            while self.takes("!") {
                count += 1;
            }
            return Ok(Expression::Not(Box::new(self.member()?), count % 2 == 1));
        }
        while self.takes("-") {
            count += 1;
        }
        if count == 0 {
            return self.member();
        }
        if let (1, TokenKind::Integer(value)) = (count, self.peek()) {
            // So that the least integer can be written.
            let value = 0_i64.checked_sub_unsigned(*value);
            let value = value.ok_or_else(|| self.fault("integer out of range"))?;
            self.at += 1;
            return self.steps(Expression::Literal(Literal::Int(value)));
        }
        Ok(Expression::Negate(Box::new(self.member()?), count % 2 == 1))
    }

    fn member(&mut self) -> Result<Expression, String> {
        let base = self.primary()?;
        self.steps(base)
    }

    fn steps(&mut self, base: Expression) -> Result<Expression, String> {
        let mut steps = Vec::new();
        loop {
            if self.takes("[") {
                steps.push(Selector::Index(self.expression()?));
                self.expect("]")?;
            } else if self.takes(".") {
                let name = self.name()?;
                if self.takes("(") {
                    steps.push(self.method(&name)?);
                } else {
                    steps.push(Selector::Field(name));
                }
            } else if steps.is_empty() {
                return Ok(base);
            } else {
                return Ok(Expression::Path(Box::new(base), steps));
            }
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.peek() {
            TokenKind::Name(name) if name != "in" => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// After `base.name(`.
    fn method(&mut self, name: &str) -> Result<Selector, String> {
        let place = self.at.saturating_sub(2);
        if let Some(kind) = MacroKind::from_name(name) {
            return self.comprehension(name, kind);
        }
        let Some((function, wanted)) = Function::from_name(name, true) else {
            return Err(self.undeclared(place, name));
        };
        let arguments = self.arguments(")")?;
        // A part of a time may be asked for in a zone.
        let zoned = matches!(function, Function::Part(_)) && arguments.len() == 1;
        self.check_count(place, name, wanted, arguments.len() + usize::from(!zoned))?;
        let function = self.with_regex(function, arguments.first())?;
        Ok(Selector::Call(function, arguments))
    }

    fn undeclared(&mut self, place: usize, name: &str) -> String {
        self.at = place;
        self.fault(&format!("undeclared reference to '{name}'"))
    }

    fn check_count(&mut self, place: usize, name: &str, wanted: usize, found: usize) -> Result<(), String> {
        if wanted == found {
            return Ok(());
        }
        self.at = place;
        Err(self.fault(&format!("found no matching overload for '{name}' with {found} arguments")))
    }

    /// Elements up to and with the closing mark.
    fn arguments(&mut self, close: &str) -> Result<Vec<Expression>, String> {
        let mut all = Vec::new();
        loop {
            if self.takes(close) {
                return Ok(all);
            }
            all.push(self.expression()?);
            if !self.takes(",") {
                self.expect(close)?;
                return Ok(all);
            }
        }
    }

    fn with_regex(&mut self, function: Function, pattern: Option<&Expression>) -> Result<Function, String> {
        match (&function, pattern) {
            (Function::Matches(_), Some(Expression::Literal(Literal::String(pattern)))) => {
                let regex = re2::compile(pattern, self.regexes);
                regex.map(|regex| Function::Matches(Some(regex))).map_err(|why| self.fault(&why))
            }
            _ => Ok(function),
        }
    }

    /// After `base.all(`: a name, then one or two expressions that may use it.
    fn comprehension(&mut self, name: &str, kind: MacroKind) -> Result<Selector, String> {
        let variable = self.name()?;
        if RESERVED.contains(&variable.as_str()) || matches!(variable.as_str(), "true" | "false" | "null") {
            return Err(self.fault(&format!("`{variable}` can not be a variable")));
        }
        self.expect(",")?;
        self.scope.push(variable);
        let first = self.expression()?;
        let second = if kind == MacroKind::Map && self.takes(",") { Some(self.expression()?) } else { None };
        self.scope.pop();
        self.takes(",");
        if !self.takes(")") {
            return Err(self.fault(&format!("syntax error in the arguments of '{name}'")));
        }
        let (filter, body) = match second {
            Some(second) => (Some(first), second),
            None => (None, first),
        };
        Ok(Selector::Macro(Box::new(Macro { kind, filter, body })))
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let place = self.at;
        let kind = self.peek().clone();
        if kind != TokenKind::End {
            self.at += 1;
        }
        let literal = match kind {
            TokenKind::Integer(value) => match i64::try_from(value) {
                Ok(value) => Literal::Int(value),
                Err(_) => return Err(self.fault("integer out of range")),
            },
            TokenKind::Unsigned(value) => Literal::Uint(value),
            TokenKind::Double(value) => Literal::Double(value),
            TokenKind::String(text) => Literal::String(text),
            TokenKind::Bytes(bytes) => Literal::Bytes(bytes.into()),
            TokenKind::Punctuation("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            TokenKind::Punctuation("[") => return self.arguments("]").map(Expression::List),
            TokenKind::Punctuation("{") => return self.map(),
            TokenKind::Punctuation(".") => {
                let name = self.name()?;
                return self.named(place + 1, &name);
            }
            TokenKind::Name(name) => return self.named(place, &name),
            TokenKind::Punctuation(_) | TokenKind::End => {
                self.at = place;
                return Err(self.unexpected());
            }
        };
        Ok(Expression::Literal(literal))
    }

    fn map(&mut self) -> Result<Expression, String> {
        let mut all = Vec::new();
        while !self.takes("}") {
            let key = self.expression()?;
            self.expect(":")?;
            all.push((key, self.expression()?));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expression::Map(all))
    }

    /// What a name at the start of a path means.
    fn named(&mut self, place: usize, name: &str) -> Result<Expression, String> {
        if self.takes("(") {
            return self.call(place, name);
        }
        let literal = match name {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" => Literal::Null,
            _ => {
                if let Some(slot) = self.scope.iter().rposition(|known| known == name) {
                    return Ok(Expression::Slot(slot));
                }
                match TYPES.into_iter().find(|known| *known == name) {
                    Some(name) => Literal::Type(name),
                    None if RESERVED.contains(&name) || name == "in" => {
                        self.at = place;
                        return Err(self.unexpected());
                    }
                    None => return Err(self.undeclared(place, name)),
                }
            }
        };
        Ok(Expression::Literal(literal))
    }

    /// After `name(`.
    fn call(&mut self, place: usize, name: &str) -> Result<Expression, String> {
        if name == "has" {
            return self.has();
        }
        let Some((function, wanted)) = Function::from_name(name, false) else {
            return Err(self.undeclared(place, name));
        };
        let arguments = self.arguments(")")?;
        self.check_count(place, name, wanted, arguments.len())?;
        let function = self.with_regex(function, arguments.get(1))?;
        Ok(Expression::Call(function, arguments))
    }

    fn has(&mut self) -> Result<Expression, String> {
        let argument = self.expression()?;
        self.expect(")")?;
        let invalid = "invalid argument to has() macro";
        let Expression::Path(base, mut steps) = argument else { return Err(self.fault(invalid)) };
        let Some(Selector::Field(field)) = steps.pop() else { return Err(self.fault(invalid)) };
        let base = if steps.is_empty() { base } else { Box::new(Expression::Path(base, steps)) };
        Ok(Expression::Has(base, field))
    }
}
