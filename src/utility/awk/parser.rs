//! Parses a program and emits its code on the way: items. Statements are in `statement`, expressions in `expression`.
//!
//! There is no tree: what is chained (`a + b + c`, `else if`) costs no depth, and what nests has a budget. BEGIN actions,
//! rules and END actions each form a chain of parts, every part ending in a jump to the next one of its kind.

use super::error::{Notice, ProgramPart, SyntaxError, SyntaxErrorKind};
use super::lexer::{Lexer, Token};
use super::op::{Definition, Op, Place, Program, SPECIAL, Var};
use crate::memory::{HashMap, String, ToMetered, Vec, format};
use crate::utility::regex::RegexOptions;

/// How deep statements and expressions may nest.
const GREATEST_DEPTH: u32 = 100;

/// A program's text in parts: where each is from, and the number of its first line in the whole.
#[derive(Debug)]
pub(super) struct Sources(pub(super) Vec<(ProgramPart, u32)>);

impl Sources {
    /// The part that holds a line of the whole, and the line's number there.
    pub(super) fn locate(&self, line: u32) -> (ProgramPart, u32) {
        match self.0.iter().rev().find(|(_, first)| *first <= line) {
            Some((source, first)) => (source.clone(), line - first + 1),
            None => (ProgramPart::CommandLine, line),
        }
    }
}

/// A loop that is being parsed: the jumps that leave it and those that go on with it.
#[derive(Debug, Default)]
pub(super) struct Loop {
    pub(super) breaks: Vec<usize>,
    pub(super) continues: Vec<usize>,
    /// It is a `switch`, with which `continue` has nothing to do.
    pub(super) is_switch: bool,
}

/// A chain of parts: where it begins, and the jump at its end.
#[derive(Debug, Default)]
struct Chain {
    first: Option<u32>,
    open: Option<usize>,
}

/// A place to go back to.
pub(super) struct Mark {
    at: usize,
    start: usize,
    line: u32,
    token: Token,
    code: usize,
    notices: usize,
}

pub(super) struct Parser<'s> {
    pub(super) lexer: Lexer,
    pub(super) token: Token,
    pub(super) program: Program,
    pub(super) globals: HashMap<Vec<u8>, u32>,
    pub(super) functions: HashMap<Vec<u8>, u32>,
    pub(super) locals: Option<HashMap<Vec<u8>, u32>>,
    pub(super) regex_options: RegexOptions,
    pub(super) sources: &'s Sources,
    /// Code of the last place that was loaded: where it begins and ends.
    pub(super) last_place: Option<(Place, usize, usize)>,
    /// Code of the last concatenation.
    pub(super) last_concatenation: (usize, usize),
    pub(super) loops: Vec<Loop>,
    pub(super) depth: u32,
    /// Whether `>` compares where an assignment's value is parsed: in `print` it is a redirection.
    pub(super) compares: bool,
    /// What is parsed is an operand, in which nothing is assigned.
    pub(super) is_operand: bool,
    /// The line of the last token that is not an end of a statement or block.
    pub(super) closing_line: u32,
    /// The text ends where newlines may stand.
    pub(super) ends_behind_newlines: bool,
    /// BEGIN or END while its action is parsed.
    pub(super) part: Option<&'static str>,
}

/// Parses `text`; what is told of it comes with the program.
pub(super) fn parse(
    text: Vec<u8>,
    sources: &Sources,
    regex_options: RegexOptions,
) -> (Result<Program, SyntaxError>, Vec<Notice>) {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        token: Token::Newline,
        program: Program::default(),
        globals: HashMap::default(),
        functions: HashMap::default(),
        locals: None,
        regex_options,
        sources,
        last_place: None,
        last_concatenation: (0, 0),
        loops: Vec::new(),
        depth: 0,
        compares: true,
        is_operand: false,
        closing_line: 1,
        ends_behind_newlines: false,
        part: None,
    };
    for name in SPECIAL {
        parser.global(name.as_bytes());
    }
    let mut result = parser.items();
    if result.is_ok() && parser.lexer.notices.iter().any(|notice| notice.is_error) {
        result = Err(parser.error(SyntaxErrorKind::Told));
    }
    (result.map(|()| parser.program), parser.lexer.notices)
}

impl Parser<'_> {
    pub(super) fn advance(&mut self) -> Token {
        if !matches!(self.token, Token::Newline | Token::Sign("}" | ";")) {
            self.closing_line = self.lexer.line;
        }
        let next = self.lexer.next();
        self.ends_behind_newlines = false;
        std::mem::replace(&mut self.token, next)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(here) if here == sign)
    }

    pub(super) fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self.token, Token::Keyword(here) if here == keyword)
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_here = self.is_sign(sign);
        if is_here {
            self.advance();
        }
        is_here
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        let is_here = self.is_keyword(keyword);
        if is_here {
            self.advance();
        }
        is_here
    }

    pub(super) fn skip_newlines(&mut self) {
        while self.token == Token::Newline {
            self.advance();
        }
        self.ends_behind_newlines = self.token == Token::End;
    }

    /// Goes one level deeper; every `deeper` has its `self.depth -= 1`.
    pub(super) fn deeper<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, SyntaxError>,
    ) -> Result<T, SyntaxError> {
        if self.depth >= GREATEST_DEPTH {
            return Err(self.fatal(format!("nested more than {GREATEST_DEPTH} levels deep")));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            at: self.lexer.at,
            start: self.lexer.start,
            line: self.lexer.line,
            token: self.token.clone(),
            code: self.program.code.len(),
            notices: self.lexer.notices.len(),
        }
    }

    pub(super) fn go_back(&mut self, mark: Mark) {
        self.lexer.go_back(mark.at, mark.start, mark.line);
        self.lexer.notices.truncate(mark.notices);
        self.token = mark.token;
        self.program.code.truncate(mark.code);
        self.program.lines.truncate(mark.code);
    }

    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.program.lines.push(self.lexer.line);
        self.program.code.add(op)
    }

    pub(super) fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    /// Makes the jump at `index` lead to `target`.
    pub(super) fn patch(&mut self, index: usize, target: u32) {
        if let Some(
            Op::Jump(to)
            | Op::JumpIfFalse(to)
            | Op::JumpIfTrue(to)
            | Op::JumpCase(to)
            | Op::ForNext(to)
            | Op::RangeIsOpen(_, to),
        ) = self.program.code.get_mut(index)
        {
            *to = target;
        }
    }

    pub(super) fn patch_here(&mut self, index: usize) {
        self.patch(index, self.here());
    }

    pub(super) fn global(&mut self, name: &[u8]) -> u32 {
        if let Some(&slot) = self.globals.get(name) {
            return slot;
        }
        let slot = self.program.globals.len() as u32;
        self.program.globals.push(name.to_metered());
        self.globals.insert(name.to_metered(), slot);
        slot
    }

    pub(super) fn variable(&mut self, name: &[u8]) -> Var {
        if let Some(&slot) = self.locals.as_ref().and_then(|locals| locals.get(name)) {
            return Var::Local(slot);
        }
        if self.is_defined(name) {
            let name = String::from_utf8_lossy(name);
            self.tell(format_args!(
                "function `{name}' called with space between name and `(',\nor used as a variable or an array"
            ));
            return Var::Global(0);
        }
        self.program.asks_about_process |= name == b"PROCINFO";
        Var::Global(self.global(name))
    }

    /// Whether a function of this name was defined before here.
    pub(super) fn is_defined(&self, name: &[u8]) -> bool {
        let number = self.functions.get(name).copied();
        let definition = number.and_then(|number| self.program.functions.get(number as usize));
        definition.is_some_and(|definition| definition.entry.is_some())
    }

    /// The number of a function, known or not yet.
    pub(super) fn function(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.functions.get(name) {
            return number;
        }
        let number = self.program.functions.len() as u32;
        self.program.functions.push(Definition {
            name: name.to_metered(),
            parameters: Vec::new(),
            entry: None,
        });
        self.functions.insert(name.to_metered(), number);
        number
    }

    fn items(&mut self) -> Result<(), SyntaxError> {
        let [mut begin, mut main, mut end, mut begin_file, mut end_file] =
            std::array::from_fn(|_| Chain::default());
        self.empty_rules();
        loop {
            self.skip_newlines();
            self.take_sign(";");
            self.empty_rules();
            if self.token == Token::End {
                break;
            }
            let start = self.here();
            let chain = match self.token {
                Token::Keyword("function") => {
                    self.definition()?;
                    continue;
                }
                Token::Keyword("BEGIN") => {
                    self.advance();
                    self.part = Some("BEGIN");
                    self.required_action()?;
                    &mut begin
                }
                Token::Keyword("END") => {
                    self.advance();
                    self.part = Some("END");
                    self.required_action()?;
                    &mut end
                }
                Token::Keyword("BEGINFILE") => {
                    self.advance();
                    self.part = Some("BEGINFILE");
                    self.required_action()?;
                    &mut begin_file
                }
                Token::Keyword("ENDFILE") => {
                    self.advance();
                    self.part = Some("ENDFILE");
                    self.required_action()?;
                    &mut end_file
                }
                _ => {
                    self.part = None;
                    self.rule()?;
                    &mut main
                }
            };
            let jump = self.program.code.add(Op::Jump(0));
            // A file that cannot be opened afterwards is told with the line that ran last.
            self.program.lines.push(self.closing_line);
            if chain.first.is_none() {
                chain.first = Some(start);
            }
            if let Some(open) = chain.open.replace(jump) {
                self.patch(open, start);
            }
        }
        let done = self.here();
        self.emit(Op::Done);
        for chain in [&begin, &main, &end, &begin_file, &end_file] {
            if let Some(open) = chain.open {
                self.patch(open, done);
            }
        }
        (self.program.begin, self.program.main, self.program.end) = (begin.first, main.first, end.first);
        (self.program.begin_file, self.program.end_file) = (begin_file.first, end_file.first);
        Ok(())
    }

    /// Rules without a pattern and without an action.
    fn empty_rules(&mut self) {
        self.skip_newlines();
        while self.take_sign(";") {
            self.skip_newlines_before_text();
            self.lexer.tell("each rule must have a pattern or an action part".to_metered());
            self.skip_newlines();
        }
    }

    /// Skips newlines, but the one that ends the text, whose line is that of what is told there.
    fn skip_newlines_before_text(&mut self) {
        while self.token == Token::Newline && self.lexer.at < self.lexer.text.len() {
            self.advance();
        }
    }

    /// The action of BEGIN and its like, which begins on the same line.
    fn required_action(&mut self) -> Result<(), SyntaxError> {
        if self.is_sign("{") {
            return self.block();
        }
        if self.is_sign("}") {
            // gawk tells both.
            self.lexer.tell(format!("{} blocks must have an action part", self.part.unwrap_or_default()));
        }
        if !matches!(self.token, Token::Newline | Token::End | Token::Sign(";")) {
            return Err(self.unexpected());
        }
        self.take_sign(";");
        self.skip_newlines_before_text();
        self.lexer.tell(format!("{} blocks must have an action part", self.part.unwrap_or_default()));
        self.empty_rules();
        Ok(())
    }

    fn definition(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        if let Token::Function(function) = self.token {
            let name = function.name();
            return Err(self.wrong(format!("`{name}' is a built-in function, it cannot be redefined")));
        }
        let (Token::Name(name) | Token::Call(name)) = self.token.clone() else {
            return Err(self.unexpected());
        };
        let line = self.lexer.line;
        self.advance();
        self.expect_sign("(")?;
        let mut parameters = Vec::new();
        while !self.is_sign(")") {
            let Token::Name(parameter) = self.token.clone() else { return Err(self.unexpected()) };
            parameters.push((parameter, self.lexer.line));
            self.advance();
            if !self.take_sign(",") {
                break;
            }
            self.skip_newlines();
            if self.is_sign(")") {
                return Err(self.unexpected());
            }
        }
        self.expect_sign(")")?;
        self.skip_newlines();
        if self.globals.contains_key(&name) || self.is_defined(&name) {
            let shown = String::from_utf8_lossy(&name);
            self.tell_at(line, format_args!("function name `{shown}' previously defined"));
            return Err(self.error(SyntaxErrorKind::Told));
        }
        let (parameters, locals) = self.parameters(&name, parameters);
        self.locals = Some(locals);
        let entry = self.here();
        let number = self.function(&name);
        if let Some(definition) = self.program.functions.get_mut(number as usize) {
            definition.parameters = parameters;
            definition.entry = Some(entry);
        }
        self.part = None;
        self.block()?;
        self.locals = None;
        self.unset();
        self.emit(Op::Return);
        Ok(())
    }

    /// The parameters of a function, with their slots; what is wrong with them is told.
    fn parameters(
        &mut self,
        function: &[u8],
        given: Vec<(Vec<u8>, u32)>,
    ) -> (Vec<Vec<u8>>, HashMap<Vec<u8>, u32>) {
        let mut parameters = Vec::new();
        let mut slots: HashMap<Vec<u8>, u32> = HashMap::default();
        let shown_function = String::from_utf8_lossy(function);
        for (parameter, line) in given {
            let shown = String::from_utf8_lossy(&parameter);
            if parameter == function {
                let message =
                    format!("function `{shown_function}': cannot use function name as parameter name");
                self.tell_at(line, message);
            } else if SPECIAL.contains(&&*shown) {
                let message = format!(
                    "function `{shown_function}': cannot use special variable `{shown}' as a function parameter"
                );
                self.tell_at(line, message);
            }
            if let Some(first) = slots.insert(parameter.clone(), parameters.len() as u32) {
                let (second, first) = (parameters.len() + 1, first + 1);
                let message = format!(
                    "function `{shown_function}': parameter #{second}, `{shown}', duplicates parameter #{first}"
                );
                self.tell_at(line, message);
            }
            parameters.push(parameter);
        }
        (parameters, slots)
    }

    /// Pushes a value that was never set.
    pub(super) fn unset(&mut self) {
        let constant = self.constant(super::value::Value::Unset);
        self.emit(Op::Constant(constant));
    }

    fn rule(&mut self) -> Result<(), SyntaxError> {
        if self.is_sign("{") {
            return self.block();
        }
        let open_test = self.program.code.len();
        self.expression()?;
        if !self.is_sign(",") {
            let skip = self.emit(Op::JumpIfFalse(0));
            self.action()?;
            self.patch_here(skip);
            return Ok(());
        }
        self.advance();
        self.skip_newlines();
        let range = self.program.ranges;
        self.program.ranges += 1;
        // The test whether the range is open goes before its first expression.
        self.insert_range_test(open_test, range);
        let skip = self.emit(Op::JumpIfFalse(0));
        self.emit(Op::SetRange(range, true));
        self.patch_here(open_test);
        self.expression()?;
        let goes_on = self.emit(Op::JumpIfFalse(0));
        self.emit(Op::SetRange(range, false));
        self.patch_here(goes_on);
        self.action()?;
        self.patch_here(skip);
        Ok(())
    }

    /// Puts an operation before code that was emitted, whose jumps move with it.
    fn insert_range_test(&mut self, at: usize, range: u32) {
        self.program.code.insert(at, Op::RangeIsOpen(range, 0));
        self.program.lines.insert(at, self.lexer.line);
        for op in self.program.code.iter_mut().skip(at + 1) {
            if let Op::Jump(to) | Op::JumpIfFalse(to) | Op::JumpIfTrue(to) | Op::JumpCase(to) = op {
                *to += 1;
            }
        }
    }
}
