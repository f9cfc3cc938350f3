//! Expressions that are walked as a tree: an element whose subscript has side effects is evaluated once, in its turn.

use super::Evaluation;
use super::place::Place;
use crate::machine::expansion::Subscript;
use crate::machine::halt::Step;
use crate::machine::name::NameId;
use crate::syntax::ast::{ElementSubscript, Expression, Infix, UnaryOperator};
use crate::text::Text;

impl Evaluation<'_> {
    /// Evaluates an expression as it was parsed.
    pub(super) fn tree(&mut self, expression: &Expression) -> Step<i64> {
        match expression {
            Expression::Number(number) => Ok(*number),
            Expression::Variable(name) => {
                let id = self.run.services.names.intern(name);
                self.load(id)
            }
            Expression::Element(name, subscript) => {
                let (id, subscript) = self.element(name, subscript)?;
                self.load_element(id, subscript)
            }
            Expression::Parameter(_) => Ok(0),
            Expression::Unary(operator, operand) => {
                let number = self.tree(operand)?;
                Ok(match operator {
                    UnaryOperator::Minus => number.wrapping_neg(),
                    UnaryOperator::Plus => number,
                    UnaryOperator::Not => i64::from(number == 0),
                    UnaryOperator::Complement => !number,
                })
            }
            Expression::Binary(operator, left, right) => {
                let left = self.tree(left)?;
                let right = self.tree(right)?;
                self.binary(*operator, left, right)
            }
            Expression::Chain(first, rest) => {
                let mut left = self.tree(first)?;
                for (operator, right) in rest {
                    let right = self.tree(right)?;
                    left = self.binary(*operator, left, right)?;
                }
                Ok(left)
            }
            Expression::And(left, right) => Ok(i64::from(self.tree(left)? != 0 && self.tree(right)? != 0)),
            Expression::Or(left, right) => Ok(i64::from(self.tree(left)? != 0 || self.tree(right)? != 0)),
            Expression::Conditional(test, yes, no) => {
                let chosen = if self.tree(test)? != 0 { yes } else { no };
                self.tree(chosen)
            }
            Expression::Assign(operator, target, value) => self.assign(*operator, target, value),
            Expression::Increment { target, by, postfix } => {
                let Some(place) = self.place(target)? else { return Ok(0) };
                let before = self.load_place(&place)?;
                let after = before.wrapping_add(*by);
                self.store_place(place, after)?;
                Ok(if *postfix { before } else { after })
            }
            Expression::Comma(left, right) => {
                self.tree(left)?;
                self.tree(right)
            }
        }
    }

    fn assign(&mut self, operator: Option<Infix>, target: &Expression, value: &Expression) -> Step<i64> {
        let Some(operator) = operator else {
            // The value comes before the subscript of what it is assigned to.
            let number = self.tree(value)?;
            let Some(place) = self.place(target)? else { return Ok(0) };
            self.store_place(place, number)?;
            return Ok(number);
        };
        let Some(place) = self.place(target)? else { return Ok(0) };
        let before = self.load_place(&place)?;
        let number = self.tree(value)?;
        let number = self.binary(operator, before, number)?;
        self.store_place(place, number)?;
        Ok(number)
    }

    /// What an expression names that can be assigned to; `None`: nothing.
    fn place(&mut self, target: &Expression) -> Step<Option<Place>> {
        Ok(match target {
            Expression::Element(name, subscript) => {
                let (id, subscript) = self.element(name, subscript)?;
                Some((id, Some(subscript)))
            }
            Expression::Variable(name) => Some((self.run.services.names.intern(name), None)),
            _ => None,
        })
    }

    fn element(&mut self, name: &Text, subscript: &ElementSubscript) -> Step<(NameId, Subscript)> {
        let id = self.run.services.names.intern(name);
        let subscript = self.subscript_of(id, None, &subscript.text)?;
        Ok((id, subscript))
    }
}
