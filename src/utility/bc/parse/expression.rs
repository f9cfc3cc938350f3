//! Compiles expressions of `bc`, by precedence: each leaves one value on the stack.

use super::{Parsed, Parser};
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::bc::lex::Token;
use crate::utility::bc::op::{Assignable, Op};

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<()> {
        self.deeper()?;
        self.either()?;
        self.depth -= 1;
        Ok(())
    }

    fn either(&mut self) -> Parsed<()> {
        self.both()?;
        while self.takes("||") {
            self.note("|| operator");
            self.code.push(Op::Truth);
            let end = self.jump(Op::JumpNonzero(0));
            self.both()?;
            self.code.push(Op::Truth);
            self.rejoin(end, b"1");
        }
        Ok(())
    }

    /// Behind a jump that takes its value away: that value comes back where it was taken.
    fn rejoin(&mut self, from: usize, value: &'static [u8]) {
        let over = self.jump(Op::Jump(0));
        self.land(from);
        self.code.push(Op::Number(Text::from_static(value)));
        self.land(over);
    }

    fn both(&mut self) -> Parsed<()> {
        self.negation()?;
        while self.takes("&&") {
            self.note("&& operator");
            let end = self.jump(Op::JumpZero(0));
            self.negation()?;
            self.code.push(Op::Truth);
            self.rejoin(end, b"0");
        }
        Ok(())
    }

    fn negation(&mut self) -> Parsed<()> {
        let mut count = 0_usize;
        while self.takes("!") {
            count += 1;
        }
        self.relation()?;
        for _ in 0..count {
            self.note_ahead("! operator");
        }
        for _ in 0..count.min(2 + count % 2) {
            self.code.push(Op::Not);
        }
        Ok(())
    }

    fn sign_of(&self, signs: &[&'static str]) -> Option<&'static str> {
        match self.peek() {
            Token::Sign(sign) => signs.iter().find(|known| *known == sign).copied(),
            _ => None,
        }
    }

    fn relation(&mut self) -> Parsed<()> {
        self.sum()?;
        while let Some(sign) = self.sign_of(&["==", "<=", ">=", "!=", "<", ">"]) {
            self.at += 1;
            self.sum()?;
            self.compares = true;
            self.code.push(Op::Binary(sign));
        }
        Ok(())
    }

    fn sum(&mut self) -> Parsed<()> {
        self.product()?;
        while let Some(sign) = self.sign_of(&["+", "-"]) {
            self.at += 1;
            self.product()?;
            self.code.push(Op::Binary(sign));
        }
        Ok(())
    }

    fn product(&mut self) -> Parsed<()> {
        self.power()?;
        while let Some(sign) = self.sign_of(&["*", "/", "%"]) {
            self.at += 1;
            self.power()?;
            self.code.push(Op::Binary(sign));
        }
        Ok(())
    }

    fn power(&mut self) -> Parsed<()> {
        self.unary()?;
        let mut count = 0_usize;
        while self.takes("^") {
            self.unary()?;
            count += 1;
        }
        for _ in 0..count {
            self.code.push(Op::Binary("^"));
        }
        Ok(())
    }

    fn unary(&mut self) -> Parsed<()> {
        let mut count = 0_usize;
        while self.takes("-") {
            count += 1;
        }
        if *self.peek() == Token::Sign("!") {
            // It takes all of a comparison after it.
            self.deeper()?;
            self.negation()?;
            self.depth -= 1;
        } else {
            self.primary()?;
        }
        if count % 2 == 1 {
            self.code.push(Op::Negate);
        }
        Ok(())
    }

    fn primary(&mut self) -> Parsed<()> {
        match self.peek().clone() {
            Token::Number(digits) => {
                self.at += 1;
                self.code.push(Op::Number(digits));
                Ok(())
            }
            Token::Sign("(") => {
                self.at += 1;
                self.expression()?;
                self.expect(")")?;
                // What is in parentheses is shown, also where it assigns.
                Ok(())
            }
            Token::Sign(sign @ ("++" | "--")) => {
                self.at += 1;
                let place = self.place()?;
                let Some(place) = place else { return self.syntax() };
                self.code.push(Op::Step { place, down: sign == "--", before: false });
                Ok(())
            }
            Token::Word(word @ ("length" | "sqrt")) => {
                self.at += 1;
                self.expect("(")?;
                self.compared()?;
                self.expect(")")?;
                self.code.push(if word == "length" { Op::Length } else { Op::Root });
                Ok(())
            }
            Token::Word("scale")
                if self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == Token::Sign("(")) =>
            {
                self.at += 2;
                self.compared()?;
                self.expect(")")?;
                self.code.push(Op::ScaleOf);
                Ok(())
            }
            Token::Word("read") => {
                self.at += 1;
                self.expect("(")?;
                self.expect(")")?;
                self.note("read function");
                self.code.push(Op::Read);
                Ok(())
            }
            Token::Name(name)
                if self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == Token::Sign("(")) =>
            {
                self.at += 1;
                self.note_name(&name);
                self.at += 1;
                self.call(&name)
            }
            _ => {
                let Some(place) = self.place()? else { return self.syntax() };
                self.named(place)
            }
        }
    }

    /// A place; the index of an element is compiled.
    fn place(&mut self) -> Parsed<Option<Assignable>> {
        let place = match self.peek().clone() {
            Token::Word("scale") => Assignable::Scale,
            Token::Word("ibase") => Assignable::InputBase,
            Token::Word("obase") => Assignable::OutputBase,
            Token::Word("last") => {
                self.note_ahead("Last variable");
                Assignable::Last
            }
            Token::Name(name) => {
                let number = self.names.number(&name);
                self.at += 1;
                self.note_name(&name);
                if self.takes("[") {
                    self.plain_expression("comparison in subscript")?;
                    self.expect("]")?;
                    return Ok(Some(Assignable::Element(number)));
                }
                return Ok(Some(Assignable::Variable(number)));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(place))
    }

    /// What follows a place: an assignment, a step, or nothing.
    fn named(&mut self, place: Assignable) -> Parsed<()> {
        if self.takes("=") {
            self.assigned()?;
            self.code.push(Op::Store(place));
        } else if let Some(sign) = self.sign_of(&["+=", "-=", "*=", "/=", "%=", "^="]) {
            self.at += 1;
            self.code.push(match place {
                Assignable::Element(name) => Op::LoadKeep(name),
                place => Op::Load(place),
            });
            self.assigned()?;
            self.code.push(Op::Binary(
                sign.get(..1)
                    .and_then(|sign| ["+", "-", "*", "/", "%", "^"].into_iter().find(|known| *known == sign))
                    .unwrap_or("+"),
            ));
            self.code.push(Op::Store(place));
        } else if let Some(sign) = self.sign_of(&["++", "--"]) {
            self.at += 1;
            self.code.push(Op::Step { place, down: sign == "--", before: true });
        } else {
            self.code.push(Op::Load(place));
        }
        Ok(())
    }

    /// The right side of an assignment.
    fn assigned(&mut self) -> Parsed<()> {
        self.deeper()?;
        let outer = self.compares;
        self.sum()?;
        self.compares = outer;
        self.depth -= 1;
        Ok(())
    }

    fn call(&mut self, name: &Text) -> Parsed<()> {
        let mut kinds = Vec::new();
        while !self.takes(")") {
            if !kinds.is_empty() {
                self.expect(",")?;
            }
            let token = |ahead: usize| self.tokens.get(self.at + ahead).map(|(token, _)| token);
            let is_array = token(1) == Some(&Token::Sign("[")) && token(2) == Some(&Token::Sign("]"));
            if is_array {
                let array = self.name()?;
                self.at += 2;
                self.code.push(Op::Array(array));
            } else {
                self.plain_expression("comparison in argument")?;
            }
            kinds.push(is_array);
        }
        let number = self.names.number(name);
        self.code.push(Op::Call(number, kinds));
        Ok(())
    }
}
