//! [`Parser`]: filter text to terms, by precedence climbing, with names resolved on the way.
//!
//! A filter's definitions come before their uses, so one pass is enough. Bindings (variables, labels, filter parameters)
//! are counted; a use is the distance to its binding. A name that the filter does not define is looked up among the
//! builtins (`builtin.rs`), whose definitions are parsed only when first used. Destructuring patterns become chains of
//! plain bindings. Nesting has a budget, because parsing recurses.

use super::builtin::{self, Builtin};
use super::compile::CompileError;
use super::format::Format;
use super::lexer::{self, Token};
use super::operator::Operator;
use super::pattern::{Pattern, variables_of};
use super::term::{Assignment, Fold, Function, Id, Operation, Program, Shape, TO_ROOT, Term};
use super::text::Text;
use super::value::Value;
use std::collections::BTreeMap;

/// How deep a filter may nest.
const DEPTH_LIMIT: usize = 160;

/// The level of comparisons among the binary operators.
const COMPARISON: usize = 2;

/// Builtin functions parsed so far, by name and number of parameters.
pub(crate) type Known = BTreeMap<(&'static str, usize), usize>;

/// What all parsers of one compilation share.
#[derive(Default)]
pub(crate) struct Shared<'g> {
    pub(crate) program: Program,
    pub(crate) known: Known,
    /// Names of the variables given from outside, `ENV` first.
    pub(crate) globals: &'g [&'g str],
}

/// What a name is bound to.
#[derive(Clone, Copy)]
enum Bound {
    /// The number of bindings made when this one was complete.
    Slot(usize),
    /// A function and the number of bindings around its definition.
    Function { number: usize, slots: usize },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    Variable,
    Label,
    Function(usize),
}

/// What parsing gives.
pub(super) type Parsed<T> = Result<T, CompileError>;

/// Parses one text.
pub(crate) struct Parser<'t, 's, 'g> {
    text: &'t str,
    /// Start and end of the current token.
    start: usize,
    end: usize,
    pub(super) token: Token<'t>,
    pub(super) shared: &'s mut Shared<'g>,
    names: BTreeMap<(Space, &'t str), Vec<Bound>>,
    pub(super) slots: usize,
    depth: usize,
}

impl<'t, 's, 'g> Parser<'t, 's, 'g> {
    /// Starts at the beginning of `text`.
    pub(crate) fn new(text: &'t str, shared: &'s mut Shared<'g>) -> Self {
        let (token, start, end) = lexer::token(text, 0);
        Parser { text, start, end, token, shared, names: BTreeMap::new(), slots: 0, depth: 0 }
    }

    /// The whole text as a filter.
    ///
    /// # Errors
    /// The first syntax error or undefined name.
    pub(crate) fn filter(mut self) -> Parsed<Id> {
        if self.token == Token::End {
            return Ok(self.add(Term::Identity));
        }
        // A text of definitions alone is the identity.
        let mut defined = Vec::new();
        while self.token == Token::Name("def") {
            defined.push(self.definition()?);
        }
        if self.token == Token::End {
            return Ok(self.add(Term::Identity));
        }
        let id = self.pipe()?;
        if self.token == Token::End { Ok(id) } else { Err(self.unexpected()) }
    }

    /// The whole text as one definition `def name: body;`: the function's number.
    pub(crate) fn builtin_definition(mut self) -> Parsed<usize> {
        let (name, arity) = self.definition()?;
        match self.names.get(&(Space::Function(arity), name)).and_then(|bound| bound.last()) {
            Some(Bound::Function { number, .. }) => Ok(*number),
            _ => Err(self.unexpected()),
        }
    }

    pub(super) fn add(&mut self, term: Term) -> Id {
        self.shared.program.add(term)
    }

    pub(super) fn constant(&mut self, value: Value) -> Id {
        self.add(Term::Constant(value))
    }

    // Tokens.

    pub(super) fn advance(&mut self) {
        self.go_to(self.end);
    }

    pub(super) fn go_to(&mut self, at: usize) {
        (self.token, self.start, self.end) = lexer::token(self.text, at);
    }

    pub(super) fn unexpected(&self) -> CompileError {
        let problem =
            format!("syntax error, unexpected {} (Unix shell quoting issues?)", self.token.described());
        self.fault(&problem)
    }

    fn fault(&self, problem: &str) -> CompileError {
        CompileError::new(problem, self.text, self.start)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.token == Token::Sign(sign)
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is = self.is_sign(sign);
        if is {
            self.advance();
        }
        is
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is = self.token == Token::Name(word);
        if is {
            self.advance();
        }
        is
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn variable_name(&mut self) -> Parsed<&'t str> {
        self.expect("$")?;
        match self.token {
            Token::Name(name) if name != "__loc__" => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected()),
        }
    }

    // Names.

    pub(super) fn bind(&mut self, space: Space, name: &'t str) {
        self.slots += 1;
        self.names.entry((space, name)).or_default().push(Bound::Slot(self.slots));
    }

    pub(super) fn unbind(&mut self, space: Space, name: &'t str) {
        self.slots = self.slots.saturating_sub(1);
        self.forget(space, name);
    }

    fn forget(&mut self, space: Space, name: &'t str) {
        if let Some(bound) = self.names.get_mut(&(space, name)) {
            bound.pop();
        }
    }

    fn find(&self, space: Space, name: &str) -> Option<Bound> {
        self.names.get(&(space, name)).and_then(|bound| bound.last()).copied()
    }

    pub(super) fn variable(&mut self, name: &str, start: usize) -> Parsed<Id> {
        if let Some(Bound::Slot(slot)) = self.find(Space::Variable, name) {
            let skip = self.slots.saturating_sub(slot);
            return Ok(self.add(Term::Variable(skip)));
        }
        match self.shared.globals.iter().rposition(|global| *global == name) {
            Some(number) => Ok(self.add(Term::Global(number))),
            None => {
                let problem = format!("${name} is not defined");
                Err(CompileError::new(&problem, self.text, start))
            }
        }
    }

    // Expressions, loosest first.

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

    fn pipe_parts(&mut self) -> Parsed<Id> {
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

    fn comma(&mut self) -> Parsed<Id> {
        let mut parts = vec![self.alternative()?];
        while self.takes(",") {
            parts.push(self.alternative()?);
        }
        let last = parts.pop();
        let joined = parts
            .into_iter()
            .rev()
            .fold(last, |right, left| right.map(|right| self.add(Term::Comma(left, right))));
        joined.ok_or_else(|| self.unexpected())
    }

    fn alternative(&mut self) -> Parsed<Id> {
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

    fn assignment(&mut self) -> Parsed<Id> {
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
    fn binary(&mut self, floor: usize) -> Parsed<Id> {
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
            left = self.join(&junction, left, right)?;
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

    fn join(&mut self, junction: &Junction, left: Id, right: Id) -> Parsed<Id> {
        let operator = match junction {
            Junction::And => return Ok(self.add(Term::And(left, right))),
            Junction::Or => return Ok(self.add(Term::Or(left, right))),
            Junction::Operator(operator) => *operator,
        };
        let terms = &self.shared.program;
        if let (Operator::Divide, Term::Constant(Value::Number(_)), Term::Constant(Value::Number(divisor))) =
            (operator, terms.term(left), terms.term(right))
            && *divisor == 0.0
        {
            return Err(self.fault("Division by zero?"));
        }
        Ok(self.add(Term::Binary(operator, left, right)))
    }

    /// A term with its postfixes, `-f`, or one of the forms that reach to the end of the pipeline.
    fn operand(&mut self) -> Parsed<Id> {
        match self.token {
            Token::Sign("-") => {
                self.advance();
                // `-a * b` is `-(a * b)`, `-a + b` is `(-a) + b`.
                let inner = self.nested(|parser| parser.binary(4))?;
                Ok(self.add(Term::Apply(Operation::Negate, Box::new([inner]))))
            }
            Token::Name("label") => {
                self.advance();
                let name = self.variable_name()?;
                self.expect("|")?;
                self.bind(Space::Label, name);
                let body = self.pipe();
                self.unbind(Space::Label, name);
                let body = body?;
                Ok(self.add(Term::Label(body)))
            }
            Token::Name("def") => self.pipe(),
            _ => {
                let term = self.postfix()?;
                if self.takes_word("as") { self.binding(term) } else { Ok(term) }
            }
        }
    }

    fn binding(&mut self, source: Id) -> Parsed<Id> {
        let patterns = self.patterns()?;
        self.expect("|")?;
        let [pattern] = patterns.as_slice() else { return self.binding_any(source, &patterns) };
        let chain = self.open_pattern(pattern)?;
        let body = self.pipe();
        let body = self.close_chain(chain, body)?;
        Ok(self.add(Term::Bind(source, body)))
    }

    // Terms.

    fn postfix(&mut self) -> Parsed<Id> {
        let mut term = self.primary()?;
        loop {
            match self.token {
                Token::Field(name) => {
                    self.advance();
                    term = self.add(Term::Field(term, Text::from(name)));
                }
                Token::Sign("?") => {
                    self.advance();
                    term = self.optional(term);
                }
                Token::Sign("?//") => {
                    // Outside of patterns this is `?` and `//`.
                    self.go_to(self.start + 1);
                    term = self.optional(term);
                }
                Token::Sign("[") => term = self.bracket(term)?,
                Token::Sign(".") => {
                    let dot = self.start;
                    self.advance();
                    match self.token {
                        Token::Quote | Token::Format(_) => {
                            let key = self.string_term()?;
                            term = self.index(term, key);
                        }
                        // `.a.[0]`, as jq 1.7 takes it.
                        Token::Sign("[") => term = self.bracket(term)?,
                        _ => {
                            self.go_to(dot);
                            return Err(self.unexpected());
                        }
                    }
                }
                _ => return Ok(term),
            }
        }
    }

    /// `term?`: after an access, only the access itself may fail, not what gives its target or its key.
    fn optional(&mut self, term: Id) -> Id {
        let input = self.add(Term::Identity);
        let (access, target, key) = match self.shared.program.term(term).clone() {
            Term::Field(target, name) => (self.add(Term::Field(input, name)), target, None),
            Term::Each(target) => (self.add(Term::Each(input)), target, None),
            Term::Index(target, key) => {
                let bound = self.add(Term::Variable(0));
                (self.add(Term::Index(input, bound)), target, Some(key))
            }
            _ => return self.add(Term::Try(term, None)),
        };
        let tried = self.add(Term::Try(access, None));
        match key {
            None => self.add(Term::Pipe(target, tried)),
            Some(key) => {
                let target = self.add(Term::Outer(1, target));
                let body = self.add(Term::Pipe(target, tried));
                self.add(Term::Bind(key, body))
            }
        }
    }

    fn index(&mut self, target: Id, key: Id) -> Id {
        match self.shared.program.term(key) {
            Term::Constant(Value::String(name)) => {
                let name = name.clone();
                self.add(Term::Field(target, name))
            }
            _ => self.add(Term::Index(target, key)),
        }
    }

    /// `[]`, `[key]`, `[from:upto]` after `target`.
    fn bracket(&mut self, target: Id) -> Parsed<Id> {
        self.advance();
        if self.takes("]") {
            return Ok(self.add(Term::Each(target)));
        }
        if self.takes(":") {
            let upto = self.pipe()?;
            self.expect("]")?;
            return Ok(self.add(Term::Slice(target, None, Some(upto))));
        }
        let key = self.pipe()?;
        if self.takes(":") {
            let upto = if self.is_sign("]") { None } else { Some(self.pipe()?) };
            self.expect("]")?;
            return Ok(self.add(Term::Slice(target, Some(key), upto)));
        }
        self.expect("]")?;
        Ok(self.index(target, key))
    }

    fn primary(&mut self) -> Parsed<Id> {
        match self.token {
            Token::Number(digits) => {
                self.advance();
                Ok(self.constant(Value::Number(digits.parse().unwrap_or(f64::NAN))))
            }
            Token::Quote | Token::Format(_) => self.string_term(),
            Token::Field(name) => {
                self.advance();
                let input = self.add(Term::Identity);
                Ok(self.add(Term::Field(input, Text::from(name))))
            }
            Token::Sign(sign) => self.primary_sign(sign),
            Token::Name(name) => self.primary_name(name),
            Token::Invalid | Token::End => Err(self.unexpected()),
        }
    }

    fn primary_sign(&mut self, sign: &str) -> Parsed<Id> {
        match sign {
            "." => {
                self.advance();
                let input = self.add(Term::Identity);
                match self.token {
                    Token::Quote => {
                        let key = self.string_term()?;
                        Ok(self.index(input, key))
                    }
                    _ => Ok(input),
                }
            }
            ".." => {
                self.advance();
                Ok(self.add(Term::Recurse))
            }
            "$" => {
                let start = self.start;
                self.advance();
                if self.takes_word("__loc__") {
                    return Ok(self.location(start));
                }
                self.go_to(start);
                let name = self.variable_name()?;
                self.variable(name, start)
            }
            "(" => {
                self.advance();
                let inner = self.pipe()?;
                self.expect(")")?;
                Ok(inner)
            }
            "[" => {
                self.advance();
                if self.takes("]") {
                    return Ok(self.constant(Value::array(Vec::new())));
                }
                let inner = self.pipe()?;
                self.expect("]")?;
                Ok(self.add(Term::Collect(inner)))
            }
            "{" => self.object(),
            _ => Err(self.unexpected()),
        }
    }

    fn location(&mut self, at: usize) -> Id {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let location =
            Value::object([("file", Value::text("<top-level>")), ("line", Value::Number(line as f64))]);
        self.constant(location)
    }

    fn primary_name(&mut self, name: &'t str) -> Parsed<Id> {
        match name {
            "if" => {
                self.advance();
                self.nested(Self::condition)
            }
            "try" => {
                self.advance();
                let body = self.nested(Self::tried)?;
                let handler = if self.takes_word("catch") { Some(self.nested(Self::tried)?) } else { None };
                Ok(self.add(Term::Try(body, handler)))
            }
            "reduce" => {
                self.advance();
                self.nested(|parser| parser.fold(false))
            }
            "foreach" => {
                self.advance();
                self.nested(|parser| parser.fold(true))
            }
            "break" => {
                let start = self.start;
                self.advance();
                let name = self.variable_name()?;
                if let Some(Bound::Slot(slot)) = self.find(Space::Label, name) {
                    return Ok(self.add(Term::Break(self.slots.saturating_sub(slot))));
                }
                self.go_to(start);
                Err(self.fault(&format!("$*label-{name} is not defined")))
            }
            _ if lexer::is_keyword(name) => Err(self.unexpected()),
            _ => self.call(name),
        }
    }

    /// What `try` and `catch` take: a term with its postfixes, or `-f`.
    fn tried(&mut self) -> Parsed<Id> {
        self.postfix()
    }

    fn condition(&mut self) -> Parsed<Id> {
        let mut branches = Vec::new();
        let otherwise = loop {
            let condition = self.pipe()?;
            self.expect_word("then")?;
            let then = self.pipe()?;
            branches.push((condition, then));
            if self.takes_word("elif") {
                continue;
            }
            if self.takes_word("else") {
                let otherwise = self.pipe()?;
                self.expect_word("end")?;
                break otherwise;
            }
            self.expect_word("end")?;
            break self.add(Term::Identity);
        };
        Ok(branches
            .into_iter()
            .rev()
            .fold(otherwise, |otherwise, (condition, then)| self.add(Term::If(condition, then, otherwise))))
    }

    fn fold(&mut self, is_foreach: bool) -> Parsed<Id> {
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

    fn fold_parts(
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
    fn unpacked(&mut self, names: &[&'t str], is_plain: bool) -> Parsed<Id> {
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

    fn call(&mut self, name: &'t str) -> Parsed<Id> {
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
                Ok(self.add(Term::Call(number, arguments.into(), skip)))
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

    fn builtin(&mut self, name: &str, arguments: Vec<Id>) -> Parsed<Result<Id, usize>> {
        let arity = arguments.len();
        let Some((name, found)) = builtin::find(name, arity) else { return Ok(Err(arity)) };
        Ok(Ok(match found {
            Builtin::Native(function) => self.add(Term::Apply(Operation::Native(function), arguments.into())),
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
                self.add(Term::Call(number, arguments.into(), TO_ROOT))
            }
        }))
    }

    /// `def name(parameters): body;`; the name stays bound.
    fn definition(&mut self) -> Parsed<(&'t str, usize)> {
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
        self.names.entry((Space::Function(arity), name)).or_default().push(bound);
        let body = self.nested(|parser| parser.function_body(&parameters))?;
        self.expect(";")?;
        let shape = self.shared.program.shape(body);
        if let Some(function) = self.shared.program.functions.get_mut(number) {
            *function = Function { body, shape };
        }
        Ok((name, arity))
    }

    /// A body in which each parameter is a filter; `$name` is bound to its outputs besides, first parameter outermost.
    fn function_body(&mut self, parameters: &[(bool, &'t str)]) -> Parsed<Id> {
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

    fn object(&mut self) -> Parsed<Id> {
        self.advance();
        let mut parts = Vec::new();
        while !self.is_sign("}") {
            let (key, value) = self.entry()?;
            parts.extend([key, value]);
            if !self.takes(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(self.add(Term::Apply(Operation::Object, parts.into())))
    }

    fn entry(&mut self) -> Parsed<(Id, Id)> {
        let shorthand = match self.token {
            Token::Sign("$") => {
                let start = self.start;
                self.advance();
                if self.takes_word("__loc__") {
                    let value = self.location(start);
                    return Ok((self.constant(Value::text("__loc__")), value));
                }
                self.go_to(start);
                let name = self.variable_name()?;
                if self.is_sign(":") {
                    let value = self.variable(name, self.start)?;
                    return self.entry_value(value);
                }
                Some((self.constant(Value::text(name)), self.variable(name, self.start)?))
            }
            Token::Name(name) => {
                self.advance();
                let key = self.constant(Value::text(name));
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Some((key, self.add(Term::Field(input, Text::from(name)))))
            }
            Token::Quote | Token::Format(_) => {
                if matches!(self.token, Token::Format(_)) && !self.is_format_before_string() {
                    self.advance();
                    return Err(self.unexpected());
                }
                let key = self.string_term()?;
                if self.is_sign(":") {
                    return self.entry_value(key);
                }
                let input = self.add(Term::Identity);
                Some((key, self.index(input, key)))
            }
            Token::Sign("(") => {
                self.advance();
                let key = self.pipe()?;
                if let Term::Constant(value) = self.shared.program.term(key)
                    && !matches!(value, Value::String(_))
                {
                    let shown = super::print::excerpt(value, 14);
                    let problem = format!("Cannot use {} ({shown}) as object key", value.kind());
                    return Err(self.fault(&problem));
                }
                self.expect(")")?;
                return self.entry_value(key);
            }
            _ => None,
        };
        shorthand.ok_or_else(|| self.unexpected())
    }

    fn is_format_before_string(&self) -> bool {
        lexer::token(self.text, self.end).0 == Token::Quote
    }

    /// `: value`, where a value is terms joined by `|`, each perhaps negated.
    fn entry_value(&mut self, key: Id) -> Parsed<(Id, Id)> {
        self.expect(":")?;
        let mut value = self.nested(Self::entry_term)?;
        while self.takes("|") {
            let next = self.nested(Self::entry_term)?;
            value = self.add(Term::Pipe(value, next));
        }
        Ok((key, value))
    }

    fn entry_term(&mut self) -> Parsed<Id> {
        if self.takes("-") {
            let inner = self.nested(Self::entry_term)?;
            return Ok(self.add(Term::Apply(Operation::Negate, Box::new([inner]))));
        }
        self.postfix()
    }

    /// `"text \(f)"`, `@format "text \(f)"`, or `@format` alone.
    pub(super) fn string_term(&mut self) -> Parsed<Id> {
        let mut format = Format::Text;
        if let Token::Format(name) = self.token {
            self.advance();
            let name = name.get(1..).unwrap_or_default();
            format = Format::named(name);
            if format == Format::Unknown {
                let problem = self.constant(Value::from(format!("{name} is not a valid format")));
                return Ok(self.add(Term::Apply(Operation::Error, Box::new([problem]))));
            }
            if self.token != Token::Quote {
                let input = self.add(Term::Identity);
                let pieces = Box::new([Text::Static(""), Text::Static("")]);
                return Ok(self.add(Term::Apply(Operation::Interpolate(format, pieces), Box::new([input]))));
            }
        }
        self.nested(|parser| parser.string(format))
    }

    /// A string; the current token is its opening quote.
    fn string(&mut self, format: Format) -> Parsed<Id> {
        let mut pieces = Vec::new();
        let mut parts = Vec::new();
        let mut piece = String::new();
        let mut at = self.end;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let plain = rest.find(['"', '\\']).unwrap_or(rest.len());
            piece.push_str(rest.get(..plain).unwrap_or_default());
            at += plain;
            let bytes = rest.as_bytes().get(plain..).unwrap_or_default();
            match bytes {
                [] => {
                    self.go_to(at);
                    return Err(self.unexpected());
                }
                [b'"', ..] => {
                    self.go_to(at + 1);
                    break;
                }
                [_, b'(', ..] => {
                    self.go_to(at + 2);
                    pieces.push(Text::from(std::mem::take(&mut piece).as_str()));
                    parts.push(self.pipe()?);
                    if !self.is_sign(")") {
                        return Err(self.unexpected());
                    }
                    at = self.end;
                }
                [_, escaped @ ..] => {
                    let Some((character, length)) = super::read::escape(escaped) else {
                        self.go_to(at);
                        return Err(self.fault("invalid escape in a string"));
                    };
                    piece.push(character);
                    at += 1 + length;
                }
            }
        }
        if parts.is_empty() {
            return Ok(self.constant(Value::text(&piece)));
        }
        pieces.push(Text::from(piece.as_str()));
        Ok(self.add(Term::Apply(Operation::Interpolate(format, pieces.into()), parts.into())))
    }
}

enum Junction {
    And,
    Or,
    Operator(Operator),
}
