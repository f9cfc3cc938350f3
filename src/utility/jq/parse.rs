//! [`Parser`]: filter text to terms in one pass, with names resolved on the way. Here are its tokens and names; the syntax
//! is in `expression.rs` (operators), `primary.rs` (terms), `literal.rs`, `definition.rs` and `pattern.rs`.
//!
//! A filter's definitions come before their uses, so one pass is enough. Bindings (variables, labels, filter parameters)
//! are counted; a use is the distance to its binding. A name that the filter does not define is looked up among the
//! builtins (`builtin.rs`), whose definitions are parsed only when first used. Destructuring patterns become chains of
//! plain bindings. Nesting has a budget, because parsing recurses.

use super::binding::Id;
use super::compile::{CompileError, Fault};
use super::import::Head;
use super::lexer::{self, Token};
use super::term::{Program, Term};
use super::value::Value;
use crate::memory::{BTreeMap, String, ToMeteredString, Vec, format};

/// Builtin functions parsed so far, by name and number of parameters.
pub(crate) type Known = BTreeMap<(&'static str, usize), usize>;

/// What the filter is called in messages.
pub(super) const TOP_LEVEL: &str = "<top-level>";

/// What stands for the parenthesis of an interpolation among the brackets that are open.
pub(super) const INTERPOLATION: char = '\\';

/// What all parsers of one compilation share.
#[derive(Default)]
pub(crate) struct Shared<'g> {
    pub(crate) program: Program,
    pub(crate) known: Known,
    /// Names of the variables given from outside, `ENV` first.
    pub(crate) globals: &'g [&'g str],
    /// Names that are not defined, where they are used: each is the term of its number.
    pub(crate) undefined: Vec<(Id, Fault)>,
    /// What else is wrong, though the text could be read on.
    pub(crate) faults: Vec<Fault>,
    /// The values of imported files.
    pub(crate) data: Vec<Value>,
}

impl Shared<'_> {
    /// The undefined names that evaluating the term `main` could come to, in order.
    pub(crate) fn undefined_from(&mut self, main: Id) -> Vec<Fault> {
        if self.undefined.is_empty() {
            return Vec::new();
        }
        let reached = self.program.reachable(main);
        let all = std::mem::take(&mut self.undefined);
        all.into_iter().filter(|(id, _)| reached.contains(id)).map(|(_, fault)| fault).collect()
    }
}

/// What a name is bound to.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// The number of bindings made when this one was complete.
    Slot(usize),
    /// A function and the number of bindings around its definition.
    Function { number: usize, slots: usize },
    /// The value with that number in [`Shared::data`].
    Data(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Space {
    Variable,
    Label,
    Function(usize),
}

/// A name that a text has from a module.
pub(crate) struct Imported {
    /// With the module's name before it, if it was given one.
    pub(crate) name: String,
    pub(crate) means: Meaning,
}

/// See [`Imported`].
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    Function {
        number: usize,
        arity: usize,
    },
    /// The value with that number in [`Shared::data`].
    Data(usize),
}

/// A module's text.
pub(crate) struct Library {
    pub(crate) head: Head,
    pub(crate) definitions: Vec<Definition>,
}

/// A function that a module defines.
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) arity: usize,
    pub(crate) number: usize,
}

/// The result of parsing.
pub(super) type Parsed<T> = Result<T, CompileError>;

/// Parses one text.
pub(crate) struct Parser<'t, 's, 'g> {
    pub(super) text: &'t str,
    /// What the text is called in messages.
    pub(super) source: &'t str,
    /// Start and end of the current token.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token: Token<'t>,
    pub(super) shared: &'s mut Shared<'g>,
    /// The brackets that are open, innermost last.
    pub(super) open: Vec<char>,
    /// Start and end of the token before the current one.
    pub(super) last: (usize, usize),
    pub(super) names: BTreeMap<(Space, &'t str), Vec<Bound>>,
    pub(super) slots: usize,
    pub(super) depth: usize,
}

impl<'t, 's, 'g> Parser<'t, 's, 'g> {
    /// Starts at the beginning of a filter, or of a builtin's definition.
    pub(crate) fn new(text: &'t str, shared: &'s mut Shared<'g>) -> Self {
        Self::of(text, TOP_LEVEL, &[], shared)
    }

    /// Starts at the beginning of `text`, which has these names from modules.
    pub(crate) fn of(
        text: &'t str,
        source: &'t str,
        imported: &'t [Imported],
        shared: &'s mut Shared<'g>,
    ) -> Self {
        let (token, start, end) = lexer::token(text, 0);
        let mut names = BTreeMap::new();
        for Imported { name, means } in imported {
            let (space, bound) = match *means {
                Meaning::Function { number, arity } => {
                    (Space::Function(arity), Bound::Function { number, slots: 0 })
                }
                Meaning::Data(number) => (Space::Variable, Bound::Data(number)),
            };
            if let Some(bounds) = names.get_or_default((space, name.as_str())) {
                Vec::push(bounds, bound);
            }
        }
        Parser {
            text,
            source,
            start,
            end,
            token,
            shared,
            open: Vec::new(),
            last: (0, 0),
            names,
            slots: 0,
            depth: 0,
        }
    }

    /// The whole text as a filter.
    ///
    /// # Errors
    /// The first syntax error, and what is wrong besides. Undefined names are noted.
    pub(crate) fn filter(mut self) -> Parsed<Id> {
        let whole = self.whole();
        match self.checked(whole)? {
            Some(id) => Ok(id),
            None => Err(Fault::of_all("Top-level program not given (try \".\")").into()),
        }
    }

    /// The whole text as a module.
    ///
    /// # Errors
    /// As [`Parser::filter`].
    pub(crate) fn library(mut self) -> Parsed<Library> {
        let library = self.head_and_definitions();
        let library = self.checked(library)?;
        if self.token == Token::End {
            return Ok(library);
        }
        if !self.starts_term() && self.token != Token::Name("label") {
            return Err(self.unexpected_of("end of file"));
        }
        self.pipe()?;
        if self.token != Token::End {
            return Err(self.unexpected_of("end of file"));
        }
        let problem = "jq: error: library should only have function definitions, not a main expression";
        Err(Fault::of_all(problem).into())
    }

    /// What stands before the definitions of the text.
    ///
    /// # Errors
    /// As [`Parser::filter`], of this part alone.
    pub(crate) fn only_head(mut self) -> Parsed<Head> {
        self.head()
    }

    fn head_and_definitions(&mut self) -> Parsed<Library> {
        let head = self.head()?;
        let mut definitions = Vec::new();
        while self.token == Token::Name("def") {
            let number = self.shared.program.functions.len();
            let (name, arity) = self.definition()?;
            definitions.push(Definition { name: name.to_metered_string(), arity, number });
        }
        Ok(Library { head, definitions })
    }

    /// The result together with what else is wrong.
    fn checked<T>(&mut self, result: Parsed<T>) -> Parsed<T> {
        let mut faults = std::mem::take(&mut self.shared.faults);
        match result {
            Ok(value) if faults.is_empty() => Ok(value),
            Ok(_) => Err(CompileError(faults)),
            Err(CompileError(last)) => {
                faults.extend(last);
                Err(CompileError(faults))
            }
        }
    }

    /// The term of the text; `None` where there are definitions alone.
    fn whole(&mut self) -> Parsed<Option<Id>> {
        self.head_and_definitions()?;
        if self.token == Token::End {
            return Ok(None);
        }
        if !self.starts_term() && self.token != Token::Name("label") {
            return Err(self.unexpected_of("end of file"));
        }
        let id = self.pipe()?;
        if self.token == Token::End { Ok(Some(id)) } else { Err(self.unexpected_of("end of file")) }
    }

    /// Whether a term can begin with the current token.
    fn starts_term(&self) -> bool {
        match self.token {
            Token::Sign(sign) => matches!(sign, "." | ".." | "-" | "(" | "[" | "{" | "$"),
            Token::Name(name) => {
                !lexer::is_keyword(name)
                    || matches!(name, "if" | "try" | "reduce" | "foreach" | "break" | "def" | "label")
            }
            Token::Invalid | Token::End => false,
            _ => true,
        }
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
        self.last = (self.start, self.end);
        self.go_to(self.end);
    }

    pub(super) fn go_to(&mut self, at: usize) {
        (self.token, self.start, self.end) = lexer::token(self.text, at);
    }

    /// The current token's place; at the end of the text that of what stands last, blanks and comments included.
    pub(super) fn place(&self) -> (usize, usize) {
        if self.token == Token::End {
            lexer::last_piece(self.text, self.last)
        } else {
            (self.start, self.end)
        }
    }

    pub(super) fn unexpected(&self) -> CompileError {
        self.fault(&format!("syntax error, unexpected {}", self.described()))
    }

    /// As [`Parser::unexpected`], where only a few tokens could stand.
    pub(super) fn unexpected_of(&self, expected: &str) -> CompileError {
        if self.follows_lone_dot() {
            return self.unexpected();
        }
        self.fault(&format!("syntax error, unexpected {}, expecting {expected}", self.described()))
    }

    /// Whether the token before is a dot that begins a term: so much can follow it that jq lists nothing.
    fn follows_lone_dot(&self) -> bool {
        let is_foreign = match self.token {
            Token::Sign(sign @ (")" | "]" | "}")) => !self.closes(sign),
            Token::Sign("(" | "{" | "..") => true,
            Token::Sign(_) | Token::End => false,
            Token::Name(name) => {
                !matches!(name, "as" | "then" | "elif" | "else" | "end" | "and" | "or" | "catch")
            }
            _ => true,
        };
        if !is_foreign {
            return false;
        }
        let before = self.text.get(..self.last.0).unwrap_or_default();
        let word = before.trim_end().rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
        self.text.get(self.last.0..self.last.1) == Some(".")
            && (word.is_some_and(lexer::is_keyword)
                || !before
                    .trim_end()
                    .ends_with(|end: char| end.is_ascii_alphanumeric() || "])}\"?_.".contains(end)))
    }

    /// The current token by the name that jq gives it; a bracket that closes nothing starts no token.
    fn described(&self) -> String {
        match self.token {
            Token::Sign(")") if self.open.last() == Some(&INTERPOLATION) => "QQSTRING_INTERP_END".into(),
            Token::Sign(sign @ (")" | "]" | "}")) if !self.closes(sign) => Token::Invalid.described(),
            token => token.described(),
        }
    }

    /// Whether the bracket closes the innermost open one.
    fn closes(&self, bracket: &str) -> bool {
        self.open.last().is_some_and(|open| {
            matches!((*open, bracket), ('(' | INTERPOLATION, ")") | ('[', "]") | ('{', "}"))
        })
    }

    pub(super) fn fault(&self, problem: &str) -> CompileError {
        self.fault_at(problem, self.place()).into()
    }

    /// What is wrong at these bytes of the text.
    pub(super) fn fault_at(&self, problem: &str, place: (usize, usize)) -> Fault {
        Fault::new(problem, self.source, self.text, place)
    }

    /// A term in the place of a name that is not defined. It is an error only where the filter can come to it.
    pub(super) fn undefined(&mut self, problem: &str, place: (usize, usize)) -> Id {
        let fault = self.fault_at(problem, place);
        let id = self.add(Term::Undefined);
        self.shared.undefined.push((id, fault));
        id
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

    /// Takes a sign; `expected` are all tokens that could stand here, as jq lists them.
    pub(super) fn expect(&mut self, sign: &str, expected: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected_of(expected)) }
    }

    /// Opens a bracket, the current token.
    pub(super) fn enter(&mut self) {
        if let Token::Sign(sign) = self.token {
            self.open.extend(sign.chars());
        }
        self.advance();
    }

    /// Closes the innermost bracket.
    pub(super) fn leave(&mut self, sign: &str, expected: &str) -> Parsed<()> {
        self.expect(sign, expected)?;
        self.open.pop();
        Ok(())
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is = self.token == Token::Name(word);
        if is {
            self.advance();
        }
        is
    }

    pub(super) fn expect_word(&mut self, word: &str, expected: &str) -> Parsed<()> {
        if self.takes_word(word) { Ok(()) } else { Err(self.unexpected_of(expected)) }
    }

    pub(super) fn variable_name(&mut self, expected: &str) -> Parsed<&'t str> {
        match self.token {
            Token::Binding(name) if name != "__loc__" => {
                self.advance();
                Ok(name)
            }
            _ => Err(self.unexpected_of(expected)),
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

    /// The variable `name`, which stands at these bytes.
    pub(super) fn variable(&mut self, name: &str, place: (usize, usize)) -> Id {
        match self.find(Space::Variable, name) {
            Some(Bound::Slot(slot)) => {
                let skip = self.slots.saturating_sub(slot);
                return self.add(Term::Variable(skip));
            }
            Some(Bound::Data(number)) => {
                let value = self.shared.data.get(number).cloned().unwrap_or_default();
                return self.constant(value);
            }
            _ => {}
        }
        let number = self.shared.globals.iter().rposition(|global| *global == name);
        match number {
            Some(number) => self.add(Term::Global(number)),
            None => self.undefined(&format!("${name} is not defined"), place),
        }
    }
}
