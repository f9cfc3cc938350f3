//! [`Parser`]: filter text to terms in one pass, with names resolved on the way. Here are its tokens and names; the syntax
//! is in `expression.rs` (operators), `primary.rs` (terms), `literal.rs`, `definition.rs` and `pattern.rs`.
//!
//! A filter's definitions come before their uses, so one pass is enough. Bindings (variables, labels, filter parameters)
//! are counted; a use is the distance to its binding. A name that the filter does not define is looked up among the
//! builtins (`builtin.rs`), whose definitions are parsed only when first used. Destructuring patterns become chains of
//! plain bindings. Nesting has a budget, because parsing recurses.

use super::compile::CompileError;
use super::lexer::{self, Token};
use super::term::{Id, Program, Term};
use super::value::Value;
use crate::memory::{BTreeMap, Vec, format};

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
pub(super) enum Bound {
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
    pub(super) text: &'t str,
    /// Start and end of the current token.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token: Token<'t>,
    pub(super) shared: &'s mut Shared<'g>,
    pub(super) names: BTreeMap<(Space, &'t str), Vec<Bound>>,
    pub(super) slots: usize,
    pub(super) depth: usize,
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

    pub(super) fn fault(&self, problem: &str) -> CompileError {
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

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is = self.token == Token::Name(word);
        if is {
            self.advance();
        }
        is
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
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
        if let Some(bounds) = self.names.get_or_default((space, name)) {
            bounds.push(Bound::Slot(self.slots));
        }
    }

    pub(super) fn unbind(&mut self, space: Space, name: &'t str) {
        self.slots = self.slots.saturating_sub(1);
        self.forget(space, name);
    }

    pub(super) fn forget(&mut self, space: Space, name: &'t str) {
        if let Some(bound) = self.names.get_mut(&(space, name)) {
            bound.pop();
        }
    }

    pub(super) fn find(&self, space: Space, name: &str) -> Option<Bound> {
        self.names.get(&(space, name)).and_then(|bound| bound.last()).copied()
    }

    pub(super) fn variable(&mut self, name: &str, start: usize) -> Parsed<Id> {
        if let Some(Bound::Slot(slot)) = self.find(Space::Variable, name) {
            let skip = self.slots.saturating_sub(slot);
            return Ok(self.add(Term::Variable(skip)));
        }
        let number = self.shared.globals.iter().rposition(|global| *global == name);
        let Some(number) = number else {
            return Err(CompileError::new(&format!("${name} is not defined"), self.text, start));
        };
        Ok(self.add(Term::Global(number)))
    }
}
