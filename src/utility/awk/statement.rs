//! Parses statements and emits their code: actions, blocks, conditions, loops, and what stands in a line.

use super::error::SyntaxError;
use super::lexer::{Token, outside_loop};
use super::op::{Comparison, Op, Place, Redirect, Var};
use super::parser::{Loop, Parser};
use crate::memory::{HashMap, String, Vec};
use crate::text::Text;

impl Parser<'_> {
    pub(super) fn action(&mut self) -> Result<(), SyntaxError> {
        if self.is_sign("{") {
            return self.block();
        }
        if !(self.token == Token::Newline || self.token == Token::End || self.is_sign(";")) {
            return Err(self.unexpected());
        }
        self.emit(Op::Print(0, Redirect::Stdout));
        Ok(())
    }

    pub(super) fn block(&mut self) -> Result<(), SyntaxError> {
        self.expect_sign("{")?;
        loop {
            while self.token == Token::Newline || self.is_sign(";") {
                self.advance();
            }
            if self.take_sign("}") {
                return Ok(());
            }
            if self.token == Token::End {
                return Err(self.unexpected_end());
            }
            self.statement()?;
        }
    }

    fn statement(&mut self) -> Result<(), SyntaxError> {
        self.deeper(Self::statement_here)
    }

    fn statement_here(&mut self) -> Result<(), SyntaxError> {
        match self.token {
            Token::Sign("{") => self.block(),
            Token::Sign(";") => {
                self.advance();
                Ok(())
            }
            Token::Keyword("if") => self.if_statement(),
            Token::Keyword("while") => self.while_statement(),
            Token::Keyword("do") => self.do_statement(),
            Token::Keyword("for") => self.for_statement(),
            Token::Keyword("switch") => self.switch_statement(),
            _ => {
                self.simple_statement()?;
                self.terminator()
            }
        }
    }

    /// The statement that a condition or loop governs.
    fn body(&mut self) -> Result<(), SyntaxError> {
        self.skip_newlines();
        if self.token == Token::End {
            return Err(self.unexpected_end());
        }
        self.statement()
    }

    fn terminator(&mut self) -> Result<(), SyntaxError> {
        match self.token {
            Token::Newline | Token::Sign(";") => {
                self.advance();
                Ok(())
            }
            Token::Sign("}") | Token::End => Ok(()),
            _ => Err(self.unexpected()),
        }
    }

    fn condition(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        self.expect_sign("(")?;
        self.expression()?;
        self.expect_sign(")")
    }

    fn if_statement(&mut self) -> Result<(), SyntaxError> {
        let mut ends = Vec::new();
        loop {
            self.condition()?;
            let skip = self.emit(Op::JumpIfFalse(0));
            self.body()?;
            let mark = self.mark();
            while self.token == Token::Newline || self.is_sign(";") {
                self.advance();
            }
            if !self.take_keyword("else") {
                self.go_back(mark);
                self.patch_here(skip);
                break;
            }
            ends.push(self.emit(Op::Jump(0)));
            self.patch_here(skip);
            self.skip_newlines();
            if !self.is_keyword("if") {
                self.statement()?;
                break;
            }
        }
        for end in ends {
            self.patch_here(end);
        }
        Ok(())
    }

    /// Parses a loop's body; `Loop` holds its jumps.
    fn loop_body(&mut self) -> Result<Loop, SyntaxError> {
        self.loops.push(Loop::default());
        self.body()?;
        Ok(self.loops.pop().unwrap_or_default())
    }

    fn end_loop(&mut self, jumps: Loop, goes_on_at: u32) {
        for jump in jumps.continues {
            self.patch(jump, goes_on_at);
        }
        for jump in jumps.breaks {
            self.patch_here(jump);
        }
    }

    fn while_statement(&mut self) -> Result<(), SyntaxError> {
        let start = self.here();
        self.condition()?;
        let leave = self.emit(Op::JumpIfFalse(0));
        let jumps = self.loop_body()?;
        self.emit(Op::Jump(start));
        self.patch_here(leave);
        self.end_loop(jumps, start);
        Ok(())
    }

    fn do_statement(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        let start = self.here();
        let jumps = self.loop_body()?;
        while self.token == Token::Newline || self.is_sign(";") {
            self.advance();
        }
        if self.token == Token::End {
            return Err(self.unexpected_end());
        }
        if !self.is_keyword("while") {
            return Err(self.unexpected());
        }
        let test = self.here();
        self.condition()?;
        self.emit(Op::JumpIfTrue(start));
        self.end_loop(jumps, test);
        self.terminator()
    }

    fn for_statement(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        self.expect_sign("(")?;
        if let Some((variable, array)) = self.for_in_header() {
            self.emit(Op::ForIn(array));
            let start = self.here();
            let leave = self.emit(Op::ForNext(0));
            self.emit(Op::Store(Place::Var(variable)));
            self.emit(Op::Pop);
            let jumps = self.loop_body()?;
            self.emit(Op::Jump(start));
            self.patch_here(leave);
            self.end_loop(jumps, start);
            self.emit(Op::ForEnd);
            return Ok(());
        }
        if !self.is_sign(";") {
            self.step_statement()?;
        }
        self.expect_sign(";")?;
        self.skip_newlines();
        let test = self.here();
        let leave = if self.is_sign(";") {
            None
        } else {
            self.expression()?;
            Some(self.emit(Op::JumpIfFalse(0)))
        };
        self.expect_sign(";")?;
        self.skip_newlines();
        let to_body = self.emit(Op::Jump(0));
        let step = self.here();
        if !self.is_sign(")") {
            self.step_statement()?;
        }
        self.expect_sign(")")?;
        self.emit(Op::Jump(test));
        self.patch_here(to_body);
        let jumps = self.loop_body()?;
        self.emit(Op::Jump(step));
        if let Some(leave) = leave {
            self.patch_here(leave);
        }
        self.end_loop(jumps, step);
        Ok(())
    }

    /// `NAME in NAME )`
    fn for_in_header(&mut self) -> Option<(Var, Var)> {
        let mark = self.mark();
        if let Token::Name(name) = self.token.clone() {
            self.advance();
            if self.take_keyword("in")
                && let Token::Name(array) = self.token.clone()
            {
                self.advance();
                if self.take_sign(")") {
                    return Some((self.variable(&name), self.variable(&array)));
                }
            }
        }
        self.go_back(mark);
        None
    }

    /// A statement in the head of a `for`, from which nothing leaves.
    fn step_statement(&mut self) -> Result<(), SyntaxError> {
        if let Token::Keyword("next" | "nextfile" | "exit" | "return" | "break" | "continue") = self.token {
            return Err(self.unexpected());
        }
        self.simple_statement()
    }

    fn simple_statement(&mut self) -> Result<(), SyntaxError> {
        match self.token {
            Token::Keyword("print") => self.print(Op::Print),
            Token::Keyword("printf") => self.print(Op::Printf),
            Token::Keyword("delete") => self.delete(),
            Token::Keyword("next" | "nextfile") => {
                let keyword = if self.is_keyword("next") { "next" } else { "nextfile" };
                // BEGINFILE may leave its file.
                if let Some(part) = self.part
                    && !(part == "BEGINFILE" && keyword == "nextfile")
                {
                    self.tell(format_args!("`{keyword}' used in {part} action"));
                }
                let op = if self.is_keyword("next") { Op::Next } else { Op::NextFile };
                self.advance();
                self.emit(op);
                Ok(())
            }
            Token::Keyword("exit") => {
                self.advance();
                let has_status = !self.is_at_end_of_statement();
                if has_status {
                    self.expression()?;
                }
                self.emit(Op::Exit(has_status));
                Ok(())
            }
            Token::Keyword("return") => {
                if self.locals.is_none() {
                    return Err(self.wrong("`return' used outside function context"));
                }
                self.advance();
                if self.is_at_end_of_statement() {
                    self.unset();
                } else {
                    self.expression()?;
                }
                self.emit(Op::Return);
                Ok(())
            }
            Token::Keyword(keyword @ ("break" | "continue")) => {
                let jump = self.program.code.len();
                let is_break = keyword == "break";
                let inner = self.loops.iter_mut().rev().find(|inner| is_break || !inner.is_switch);
                let Some(inner) = inner else {
                    // gawk's lexer tells it, and its grammar once more.
                    self.tell(outside_loop(keyword));
                    self.tell(outside_loop(keyword));
                    self.advance();
                    return Ok(());
                };
                if keyword == "break" {
                    inner.breaks.push(jump);
                } else {
                    inner.continues.push(jump);
                }
                self.advance();
                self.emit(Op::Jump(0));
                Ok(())
            }
            _ => {
                self.expression()?;
                self.emit(Op::Pop);
                Ok(())
            }
        }
    }

    /// `switch (VALUE) { case CONSTANT: ... default: ... }`: the bodies first, one after the other, then the comparisons,
    /// which jump back to them.
    fn switch_statement(&mut self) -> Result<(), SyntaxError> {
        self.condition()?;
        self.skip_newlines();
        self.expect_sign("{")?;
        let to_cases = self.emit(Op::Jump(0));
        self.loops.push(Loop { is_switch: true, ..Loop::default() });
        let (mut cases, mut labels) = (Vec::new(), Vec::new());
        let mut default = None;
        loop {
            while self.token == Token::Newline || self.is_sign(";") {
                self.advance();
            }
            if self.take_sign("}") {
                break;
            }
            if self.take_keyword("case") {
                let line = self.lexer.line;
                let constant = self.case_constant()?;
                labels.push((Some(constant), line));
                cases.push((constant, self.here()));
                self.expect_sign(":")?;
            } else if self.is_keyword("default") {
                labels.push((None, self.lexer.line));
                self.advance();
                default = Some(self.here());
                self.expect_sign(":")?;
            } else if self.token == Token::End {
                return Err(self.unexpected_end());
            } else if cases.is_empty() && default.is_none() {
                return Err(self.unexpected());
            } else {
                self.statement()?;
            }
        }
        self.check_labels(&labels);
        let to_end = self.emit(Op::Jump(0));
        self.patch_here(to_cases);
        for (constant, body) in cases {
            self.emit(Op::Duplicate);
            self.emit(constant);
            self.emit(match constant {
                Op::Regex(_) => Op::Match { is_negated: false },
                _ => Op::Compare(Comparison::Equal),
            });
            self.emit(Op::JumpCase(body));
        }
        self.emit(Op::Pop);
        if let Some(body) = default {
            self.emit(Op::Jump(body));
        }
        self.patch_here(to_end);
        let jumps = self.loops.pop().unwrap_or_default();
        for jump in jumps.breaks {
            self.patch_here(jump);
        }
        Ok(())
    }

    /// No two cases may have one text, and there is one `default` at most. As in gawk, the last one is looked at first, and each
    /// is told once for each that comes after it.
    fn check_labels(&mut self, labels: &[(Option<Op>, u32)]) {
        /// A label that is repeated more often is told so often.
        const TOLD: usize = 100;
        let mut seen: HashMap<Text, usize> = HashMap::default();
        let mut has_default = false;
        for (label, line) in labels.iter().rev() {
            let number = match label {
                Some(Op::Constant(number)) => *number,
                Some(_) => continue,
                None => {
                    if std::mem::replace(&mut has_default, true) {
                        self.tell_at(*line, "duplicate `default' detected in switch body");
                    }
                    continue;
                }
            };
            let Some(value) = self.program.constants.get(number as usize) else { continue };
            let text = value.text(b"%.6g");
            let times = seen.get(&text).copied().unwrap_or(0);
            let shown = String::from_utf8_lossy(&text);
            for _ in 0..times {
                self.tell_at(*line, format_args!("duplicate case values in switch body: {shown}"));
            }
            seen.insert(text, (times + 1).min(TOLD));
        }
    }

    /// What follows `case`: a number, with its sign, a text or a regular expression. Its code is taken back.
    fn case_constant(&mut self) -> Result<Op, SyntaxError> {
        let start = self.program.code.len();
        let is_negative = self.is_sign("-");
        if is_negative || self.is_sign("+") {
            self.advance();
            if !matches!(self.token, Token::Number(_)) {
                return Err(self.unexpected());
            }
        }
        if let (Token::Number(number), true) = (self.token.clone(), is_negative) {
            self.advance();
            let constant = self.constant(super::value::Value::Number(-number));
            return Ok(Op::Constant(constant));
        }
        if !matches!(self.token, Token::Number(_) | Token::Text(_) | Token::Sign("/" | "/=")) {
            return Err(self.unexpected());
        }
        self.constant_primary()?;
        self.keep_regex(start);
        let code = self.program.code.get(start).copied();
        self.program.code.truncate(start);
        self.program.lines.truncate(start);
        code.ok_or_else(|| self.unexpected())
    }

    fn is_at_end_of_statement(&self) -> bool {
        matches!(self.token, Token::Newline | Token::End | Token::Sign(";" | "}"))
    }

    fn delete(&mut self) -> Result<(), SyntaxError> {
        self.advance();
        let has_parenthesis = self.take_sign("(");
        let Token::Name(name) = self.token.clone() else { return Err(self.unexpected()) };
        self.advance();
        let array = self.variable(&name);
        if self.is_sign("[") {
            self.subscripts()?;
            self.emit(Op::DeleteElement(array));
        } else {
            self.emit(Op::Delete(array));
        }
        if has_parenthesis { self.expect_sign(")") } else { Ok(()) }
    }

    /// `print` and `printf`: a list, in parentheses or not, then a redirection.
    fn print(&mut self, op: fn(u32, Redirect) -> Op) -> Result<(), SyntaxError> {
        let is_printf = self.is_keyword("printf");
        self.advance();
        let mut count = 0;
        let mark = self.mark();
        let mut is_parsed = false;
        if self.is_sign("(") {
            // `print (1)(2)` is not a list in parentheses: what follows tells.
            self.advance();
            if self.is_sign(")") {
                return Err(self.unexpected());
            }
            if let Ok(arguments) = self.arguments()
                && self.take_sign(")")
                && (self.is_at_end_of_statement()
                    || self.is_sign(">")
                    || self.is_sign(">>")
                    || self.is_sign("|"))
            {
                count = arguments;
                is_parsed = true;
            } else {
                self.go_back(mark);
            }
        }
        if !is_parsed && !self.is_at_end_of_print() {
            count = self.print_list()?;
        }
        if is_printf && count == 0 {
            return Err(self.fatal("printf: no arguments"));
        }
        let redirect = match self.token {
            Token::Sign(">") => Redirect::File,
            Token::Sign(">>") => Redirect::Append,
            Token::Sign("|") => Redirect::Command,
            _ => Redirect::Stdout,
        };
        if redirect != Redirect::Stdout {
            self.advance();
            self.concatenation()?;
        }
        self.emit(op(count, redirect));
        Ok(())
    }

    fn is_at_end_of_print(&self) -> bool {
        self.is_at_end_of_statement() || self.is_sign(">") || self.is_sign(">>") || self.is_sign("|")
    }

    fn print_list(&mut self) -> Result<u32, SyntaxError> {
        let mut count = 0;
        loop {
            self.print_expression()?;
            count += 1;
            if !self.take_sign(",") {
                return Ok(count);
            }
            self.skip_newlines();
        }
    }
}
