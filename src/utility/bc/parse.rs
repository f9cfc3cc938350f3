//! Compiles statements of `bc`, one after another. Nesting is bounded. Expressions are in `expression.rs`.

mod expression;

use super::lex::Token;
use super::op::{Function, Local, Op};
use crate::memory::{Arc, HashMap, String, Vec, format};
use crate::text::Text;

/// Most statements and expressions within each other.
const DEEPEST: usize = 200;

/// What is noted of a `for` that lacks an expression.
const MISSING: &str = "Missing expression in for statement";

/// Names as numbers.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<Text, u32>);

impl Names {
    pub(super) fn number(&mut self, name: &Text) -> u32 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as u32;
        self.0.insert(name.clone(), number);
        number
    }
}

/// Why a text is not taken.
pub(super) enum Fault {
    /// At this line.
    Wrong(String, u64),
    /// It goes on in the next line.
    Incomplete,
}

/// What a line is.
pub(super) enum Item {
    Code(Vec<Op>),
    Define(u32, Function),
    Quit,
}

pub(super) struct Parser<'p> {
    tokens: &'p [(Token, u64)],
    at: usize,
    line: u64,
    names: &'p mut Names,
    code: Vec<Op>,
    /// Jumps out of the loops around, and back to their next turn.
    loops: Vec<(Vec<usize>, Vec<usize>)>,
    depth: usize,
    in_function: bool,
    quits: bool,
    /// What POSIX does not have, and the line where that is known; `None` where nobody wants to know.
    notes: Option<Vec<(String, u64)>>,
    /// A comparison is part of the value of the expression under way.
    compares: bool,
}

type Parsed<T> = Result<T, Fault>;

impl<'p> Parser<'p> {
    pub(super) fn new(
        tokens: &'p [(Token, u64)],
        line: u64,
        names: &'p mut Names,
        wants_notes: bool,
    ) -> Self {
        Self {
            tokens,
            at: 0,
            line,
            names,
            code: Vec::new(),
            loops: Vec::new(),
            depth: 0,
            in_function: false,
            quits: false,
            notes: wants_notes.then(Vec::new),
            compares: false,
        }
    }

    /// What was found in the last item that is not of POSIX, in order.
    pub(super) fn take_notes(&mut self) -> Vec<(String, u64)> {
        self.notes.take().unwrap_or_default()
    }

    /// Notes what POSIX does not have, at the token before.
    fn note(&mut self, what: &str) {
        self.note_at(self.at.saturating_sub(1), || what.into());
    }

    /// Notes it at the next token, which the real program has read by then.
    fn note_ahead(&mut self, what: &str) {
        self.note_at(self.at, || what.into());
    }

    fn note_at(&mut self, token: usize, what: impl FnOnce() -> String) {
        let Some(notes) = &mut self.notes else { return };
        let line = self.tokens.get(token).map_or(self.line, |(_, line)| *line);
        notes.push((what(), line));
    }

    /// Notes a name of several letters, which was just read.
    fn note_name(&mut self, name: &Text) {
        if name.len() > 1 {
            self.note_at(self.at, || format!("multiple letter name - {name}"));
        }
    }

    /// An expression of its own, in which a comparison is noted.
    fn plain_expression(&mut self, what: &str) -> Parsed<()> {
        if self.compared()? {
            self.note_ahead(what);
        }
        Ok(())
    }

    /// An expression of its own; whether a comparison is part of its value.
    fn compared(&mut self) -> Parsed<bool> {
        let outer = std::mem::take(&mut self.compares);
        self.expression()?;
        Ok(std::mem::replace(&mut self.compares, outer))
    }

    /// A statement may begin in the next line.
    fn newline_before_statement(&mut self) {
        if *self.peek() == Token::Newline {
            self.at += 1;
            self.note("newline not allowed");
            self.skip_newlines();
        }
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |(token, _)| token)
    }

    fn wrong<T>(&self, message: &str) -> Parsed<T> {
        let line = self.tokens.get(self.at).map_or(self.line, |(_, line)| *line);
        if matches!(self.peek(), Token::End) {
            Err(Fault::Incomplete)
        } else {
            Err(Fault::Wrong(message.into(), line))
        }
    }

    fn syntax<T>(&self) -> Parsed<T> {
        self.wrong("syntax error")
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { self.syntax() }
    }

    fn skip_newlines(&mut self) {
        while *self.peek() == Token::Newline {
            self.at += 1;
        }
    }

    /// What was read ends here: how many tokens.
    pub(super) const fn taken(&self) -> usize {
        self.at
    }

    /// The next line, or definition; `None` at the end.
    pub(super) fn item(&mut self) -> Parsed<Option<Item>> {
        self.code = Vec::new();
        if *self.peek() == Token::End {
            return Ok(None);
        }
        if *self.peek() == Token::Word("define") {
            self.at += 1;
            let (name, function) = self.define()?;
            return Ok(Some(Item::Define(name, function)));
        }
        while !matches!(self.peek(), Token::Newline | Token::End) {
            if self.takes(";") {
                continue;
            }
            self.statement()?;
            if self.quits {
                return Ok(Some(Item::Quit));
            }
            if !matches!(self.peek(), Token::Newline | Token::Sign(";")) {
                return self.syntax();
            }
        }
        self.at += usize::from(*self.peek() == Token::Newline);
        Ok(Some(Item::Code(std::mem::take(&mut self.code))))
    }

    fn name(&mut self) -> Parsed<u32> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.at += 1;
                self.note_name(&name);
                Ok(self.names.number(&name))
            }
            _ => self.syntax(),
        }
    }

    fn locals(&mut self, ends: impl Fn(&Token) -> bool) -> Parsed<Vec<Local>> {
        let mut locals: Vec<Local> = Vec::new();
        while !ends(self.peek()) {
            if !locals.is_empty() {
                self.expect(",")?;
            }
            let is_reference = self.takes("*") || self.takes("&");
            let name = self.name()?;
            let is_array = self.takes("[");
            if is_array {
                self.expect("]")?;
            }
            if is_reference {
                self.note("Call by variable arrays");
            }
            if locals.iter().any(|local| (local.name, local.is_array) == (name, is_array)) {
                return self.wrong("duplicate parameter names");
            }
            locals.push(Local { name, is_array, is_reference });
        }
        Ok(locals)
    }

    fn define(&mut self) -> Parsed<(u32, Function)> {
        let is_void = *self.peek() == Token::Word("void");
        self.at += usize::from(is_void);
        if is_void {
            self.note("void functions");
        }
        let Token::Name(text) = self.peek().clone() else { return self.syntax() };
        self.at += 1;
        let name = self.names.number(&text);
        self.expect("(")?;
        let parameters = self.locals(|token| *token == Token::Sign(")"))?;
        self.expect(")")?;
        self.newline_before_statement();
        self.expect("{")?;
        if *self.peek() != Token::Newline {
            self.note_ahead("End of line required");
        }
        self.skip_newlines();
        let mut autos = Vec::new();
        if *self.peek() == Token::Word("auto") {
            self.at += 1;
            autos = self.locals(|token| matches!(token, Token::Newline | Token::Sign(";")))?;
            self.at += 1;
        }
        for _ in parameters.iter().filter(|parameter| parameter.is_reference) {
            self.note_ahead("Variable array parameter");
        }
        self.note_name(&text);
        self.in_function = true;
        self.block()?;
        self.in_function = false;
        self.code.push(Op::Number(Text::from_static(b"0")));
        self.code.push(Op::Return);
        let code = Arc::new(std::mem::take(&mut self.code));
        Ok((name, Function { is_void, parameters, autos, code }))
    }

    /// Statements up to a closing brace.
    fn block(&mut self) -> Parsed<()> {
        loop {
            match self.peek() {
                Token::Newline | Token::Sign(";") => self.at += 1,
                Token::Sign("}") => {
                    self.at += 1;
                    return Ok(());
                }
                _ => {
                    self.statement()?;
                    if !matches!(self.peek(), Token::Newline | Token::Sign(";" | "}")) {
                        return self.syntax();
                    }
                }
            }
        }
    }

    fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST { self.wrong("memory exhausted") } else { Ok(()) }
    }

    fn statement(&mut self) -> Parsed<()> {
        self.deeper()?;
        self.statement_inside()?;
        self.depth -= 1;
        Ok(())
    }

    fn jump(&mut self, op: Op) -> usize {
        self.code.push(op);
        self.code.len() - 1
    }

    /// The jump at `from` leads to what comes next.
    fn land(&mut self, from: usize) {
        let here = self.code.len();
        if let Some(Op::Jump(to) | Op::JumpZero(to) | Op::JumpNonzero(to)) = self.code.get_mut(from) {
            *to = here;
        }
    }

    fn statement_inside(&mut self) -> Parsed<()> {
        match self.peek().clone() {
            Token::Sign("{") => {
                self.at += 1;
                self.block()
            }
            Token::String(text) => {
                self.at += 1;
                self.code.push(Op::Text(text));
                Ok(())
            }
            Token::Word(word) => match word {
                "if" => self.conditional(),
                "while" => self.while_loop(),
                "for" => self.for_loop(),
                "print" => self.print(),
                "break" | "continue" => {
                    self.at += 1;
                    if word == "continue" {
                        self.note("Continue statement");
                    }
                    let from = self.jump(Op::Jump(0));
                    match self.loops.last_mut() {
                        Some((breaks, _)) if word == "break" => breaks.push(from),
                        Some((_, continues)) => continues.push(from),
                        None => {
                            self.at -= 1;
                            let message = if word == "break" {
                                "Break outside a for/while"
                            } else {
                                "Continue outside a for"
                            };
                            return self.wrong(message);
                        }
                    }
                    Ok(())
                }
                "return" => {
                    if !self.in_function {
                        // It is found out at the end of the line.
                        while !matches!(self.peek(), Token::Newline | Token::End) {
                            self.at += 1;
                        }
                        return self.wrong("Return outside of a function.");
                    }
                    self.at += 1;
                    if matches!(self.peek(), Token::Newline | Token::Sign(";" | "}")) {
                        self.code.push(Op::Number(Text::from_static(b"0")));
                    } else {
                        let start = self.at;
                        self.plain_expression("comparison in return expression")?;
                        if !self.is_in_parentheses(start) {
                            self.note_ahead("return expression requires parenthesis");
                        }
                    }
                    self.code.push(Op::Return);
                    Ok(())
                }
                "quit" => {
                    self.at += 1;
                    self.quits = true;
                    Ok(())
                }
                "halt" | "limits" | "warranty" => {
                    self.at += 1;
                    self.code.push(match word {
                        "halt" => Op::Halt,
                        "limits" => Op::Limits,
                        _ => Op::Warranty,
                    });
                    Ok(())
                }
                _ => self.shown_expression(),
            },
            _ => self.shown_expression(),
        }
    }

    /// An expression as a statement: an assignment is not shown.
    fn shown_expression(&mut self) -> Parsed<()> {
        let start = self.at;
        let begin = self.code.len();
        self.plain_expression("comparison in expression")?;
        let is_assignment = matches!(self.code.last(), Some(Op::Store(_)))
            && self.code.len() > begin
            && self.assigns_at(start);
        self.code.push(if is_assignment { Op::Pop } else { Op::Print });
        Ok(())
    }

    /// Whether what begins at this token is a place, then an assignment.
    fn assigns_at(&self, start: usize) -> bool {
        let mut at = start;
        let token = |at: usize| self.tokens.get(at).map(|(token, _)| token);
        if !matches!(token(at), Some(Token::Name(_) | Token::Word("scale" | "ibase" | "obase" | "last"))) {
            return false;
        }
        at += 1;
        if token(at) == Some(&Token::Sign("[")) {
            let mut depth = 0_usize;
            loop {
                match token(at) {
                    Some(Token::Sign("[")) => depth += 1,
                    Some(Token::Sign("]")) => depth -= 1,
                    None => return false,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        matches!(token(at), Some(Token::Sign("=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=")))
    }

    /// Whether what was read from a token on is an expression in parentheses.
    fn is_in_parentheses(&self, start: usize) -> bool {
        let mut depth = 0_usize;
        for at in start..self.at {
            match self.tokens.get(at).map(|(token, _)| token) {
                Some(Token::Sign("(")) => depth += 1,
                Some(Token::Sign(")")) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at > start && at + 1 == self.at;
            }
        }
        false
    }

    fn conditional(&mut self) -> Parsed<()> {
        self.at += 1;
        self.expect("(")?;
        self.compared()?;
        self.expect(")")?;
        let otherwise = self.jump(Op::JumpZero(0));
        self.newline_before_statement();
        self.statement()?;
        if *self.peek() == Token::Word("else") {
            self.at += 1;
            self.note("else clause in if statement");
            let end = self.jump(Op::Jump(0));
            self.land(otherwise);
            self.newline_before_statement();
            self.statement()?;
            self.land(end);
        } else {
            self.land(otherwise);
        }
        Ok(())
    }

    fn while_loop(&mut self) -> Parsed<()> {
        self.at += 1;
        self.expect("(")?;
        let start = self.code.len();
        self.compared()?;
        self.expect(")")?;
        let end = self.jump(Op::JumpZero(0));
        self.loops.push((Vec::new(), Vec::new()));
        self.newline_before_statement();
        self.statement()?;
        self.code.push(Op::Jump(start));
        self.land(end);
        self.end_loop(start);
        Ok(())
    }

    fn end_loop(&mut self, next_turn: usize) {
        let Some((breaks, continues)) = self.loops.pop() else { return };
        for from in breaks {
            self.land(from);
        }
        for from in continues {
            if let Some(Op::Jump(to)) = self.code.get_mut(from) {
                *to = next_turn;
            }
        }
    }

    fn for_loop(&mut self) -> Parsed<()> {
        self.at += 1;
        self.expect("(")?;
        if self.takes(";") {
            self.note(MISSING);
        } else {
            self.plain_expression("Comparison in first for expression")?;
            self.code.push(Op::Pop);
            self.expect(";")?;
        }
        let start = self.code.len();
        let mut end = None;
        if self.takes(";") {
            self.note(MISSING);
        } else {
            self.compared()?;
            end = Some(self.jump(Op::JumpZero(0)));
            self.expect(";")?;
        }
        let body = self.jump(Op::Jump(0));
        let step = self.code.len();
        if self.takes(")") {
            self.note(MISSING);
        } else {
            self.plain_expression("Comparison in third for expression")?;
            self.code.push(Op::Pop);
            self.expect(")")?;
        }
        self.code.push(Op::Jump(start));
        self.land(body);
        self.loops.push((Vec::new(), Vec::new()));
        self.newline_before_statement();
        self.statement()?;
        self.code.push(Op::Jump(step));
        if let Some(end) = end {
            self.land(end);
        }
        self.end_loop(step);
        Ok(())
    }

    fn print(&mut self) -> Parsed<()> {
        self.at += 1;
        self.note("print statement");
        loop {
            if let Token::String(text) = self.peek().clone() {
                self.at += 1;
                self.code.push(Op::Escaped(text));
            } else {
                self.compared()?;
                self.code.push(Op::PrintPart);
            }
            if !self.takes(",") {
                return Ok(());
            }
        }
    }
}

/// A line of a message.
pub(super) fn message(file: &str, line: u64, text: &str) -> String {
    format!("{file} {line}: {text}")
}
