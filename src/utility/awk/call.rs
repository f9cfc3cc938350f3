//! Calls: of the program's functions and of awk's own.

use super::error::SyntaxError;
use super::op::{Function, Op, Place};
use super::parser::Parser;
use super::value::Value;
use crate::memory::{String, format};

impl Parser<'_> {
    /// A call of a function of the program. Variables alone are handed over as they are: they may be arrays.
    pub(super) fn call(&mut self, name: &[u8]) -> Result<(), SyntaxError> {
        self.advance();
        self.expect_sign("(")?;
        let mut count = 0;
        while !self.is_sign(")") {
            let start = self.program.code.len();
            self.expression()?;
            self.keep_variable(start);
            if matches!(self.program.code.get(start..), Some([Op::MatchRecord(_)])) {
                let place = count + 1;
                let message = format!("warning: regexp constant for parameter #{place} yields boolean value");
                self.lexer.warn(message);
            }
            count += 1;
            if !self.take_sign(",") {
                break;
            }
            self.skip_newlines();
            if self.is_sign(")") {
                return Err(self.unexpected());
            }
        }
        let is_local = self.locals.as_ref().is_some_and(|locals| locals.contains_key(name));
        if self.is_sign(")") && (is_local || self.globals.contains_key(name) && !self.is_defined(name)) {
            let shown = String::from_utf8_lossy(name);
            self.tell(format_args!("attempt to use non-function `{shown}' in function call"));
        }
        self.expect_sign(")")?;
        let function = self.function(name);
        self.emit(Op::Call(function, count));
        Ok(())
    }

    fn keep_variable(&mut self, start: usize) {
        if let Some([op @ Op::Load(_)]) = self.program.code.get_mut(start..)
            && let Op::Load(variable) = *op
        {
            *op = Op::Argument(variable);
        }
    }

    /// An element that is new has no type.
    fn keep_untyped(&mut self, start: usize) {
        let is_element = matches!(self.last_place, Some((Place::Element(_), begin, end))
            if begin == start && end == self.program.code.len());
        if let Some(op @ Op::LoadElement(_)) = self.program.code.last_mut()
            && let Op::LoadElement(array) = *op
            && is_element
        {
            *op = Op::ElementArgument(array);
        }
    }

    pub(super) fn function_call(&mut self, function: Function) -> Result<(), SyntaxError> {
        self.advance();
        let mut count = 0;
        let mut place = None;
        if self.take_sign("(") {
            while !self.is_sign(")") {
                let start = self.program.code.len();
                self.expression()?;
                match (function, count) {
                    (Function::Split | Function::Patsplit, 2)
                    | (Function::Match, 1)
                    | (Function::Sub | Function::Gsub | Function::Gensub, 0) => self.keep_regex(start),
                    (Function::Split | Function::Patsplit, 1 | 3)
                    | (Function::Match, 2)
                    | (Function::Asort | Function::Asorti, 0 | 1) => self.make_array(start, function, count),
                    (Function::Index, 1)
                        if matches!(self.program.code.get(start..), Some([Op::MatchRecord(_)])) =>
                    {
                        let message = "index: regexp constant as second argument is not allowed";
                        return Err(self.fatal(message));
                    }
                    (Function::Length | Function::IsArray | Function::TypeOf, 0) => {
                        self.keep_variable(start);
                        self.keep_untyped(start);
                    }
                    (Function::Sub | Function::Gsub, 2) => place = Some(self.take_place(start)),
                    _ => {}
                }
                count += 1;
                if !self.take_sign(",") {
                    break;
                }
                self.skip_newlines();
                if self.is_sign(")") {
                    return Err(self.unexpected());
                }
            }
            if self.is_sign(")") {
                self.check_count(function, count)?;
            }
            self.expect_sign(")")?;
        } else if function != Function::Length {
            return Err(self.unexpected());
        }
        if matches!(function, Function::Sub | Function::Gsub) {
            let place = place.unwrap_or_else(|| {
                let zero = self.constant(Value::Number(0.0));
                self.emit(Op::Constant(zero));
                Some(Place::Field)
            });
            self.emit(Op::Substitute { is_global: function == Function::Gsub, place });
        } else {
            self.emit(Op::Function(function, count as u32));
        }
        Ok(())
    }

    fn check_count(&self, function: Function, count: usize) -> Result<(), SyntaxError> {
        let (least, most) = function.arguments();
        // Those of bits are counted when they are called.
        if (least..=most).contains(&count) || matches!(function, Function::And | Function::Or | Function::Xor)
        {
            return Ok(());
        }
        let name = function.name();
        Err(self.wrong(format!("{count} is invalid as number of arguments for {name}")))
    }

    /// Makes a variable that is all there is from `start` on an array.
    fn make_array(&mut self, start: usize, function: Function, index: usize) {
        match self.program.code.get_mut(start..) {
            Some([op @ Op::Load(_)]) => {
                if let Op::Load(variable) = *op {
                    *op = Op::Array(variable, function, index as u8);
                }
            }
            _ => {
                self.emit(Op::NoArray(function, index as u8));
            }
        }
    }
}
