//! Runs the operations that an expression was compiled to.

use super::Evaluation;
use crate::machine::expansion::Target;
use crate::machine::halt::Step;
use crate::machine::name::NameId;
use crate::machine::variable::{Value, plain_integer};
use crate::memory::Vec;
use crate::program::{ArithmeticCode, ArithmeticContext, ArithmeticOp, Index, Operand};
use crate::syntax::ast::UnaryOperator;

/// How the names of an expression become the session's numbers.
#[derive(Clone, Copy)]
pub(super) struct Resolve<'l>(pub(super) &'l [NameId]);

impl Resolve<'_> {
    #[inline]
    fn name(self, index: Index) -> NameId {
        self.0.get(index as usize).copied().unwrap_or(0)
    }
}

/// Numbers that `Operands` holds without an allocation.
const FIXED: usize = 8;

/// The operands of the expression that runs.
#[derive(Default)]
struct Operands {
    fixed: [i64; FIXED],
    len: usize,
    more: Vec<i64>,
}

impl Operands {
    #[inline]
    fn push(&mut self, number: i64) {
        match self.fixed.get_mut(self.len) {
            Some(place) => *place = number,
            None => self.more.push(number),
        }
        self.len += 1;
    }

    #[inline]
    fn pop(&mut self) -> i64 {
        self.len = self.len.saturating_sub(1);
        match self.fixed.get(self.len) {
            Some(number) => *number,
            None => self.more.pop().unwrap_or(0),
        }
    }

    #[inline]
    fn top(&mut self) -> i64 {
        let number = self.pop();
        self.push(number);
        number
    }
}

impl Evaluation<'_> {
    /// Runs a compiled expression.
    pub(super) fn steps(&mut self, code: &ArithmeticCode, names: Resolve<'_>) -> Step<i64> {
        let mut at = 0_usize;
        let mut operands = Operands::default();
        let (context, mut subscripts) = (self.shell.arithmetic.context, 0_u32);
        while let Some(op) = code.ops.get(at) {
            at += 1;
            match op {
                ArithmeticOp::Number(number) => operands.push(*number),
                ArithmeticOp::Load(name) => {
                    let id = names.name(*name);
                    let number = match &self.shell.variables.slot(id).value {
                        Value::Integer(number) => *number,
                        _ => self.load(id)?,
                    };
                    operands.push(number);
                }
                ArithmeticOp::Parameter(operand) => {
                    let number = self.operand(operand, names).unwrap_or(0);
                    operands.push(number);
                }
                ArithmeticOp::LoadElement(element) => {
                    let index = if element.compiled { operands.pop() } else { 0 };
                    let id = names.name(element.name);
                    let subscript =
                        self.subscript_of(id, element.compiled.then_some(index), &element.text)?;
                    let number = self.load_element(id, subscript)?;
                    operands.push(number);
                }
                ArithmeticOp::Unary(operator) => {
                    let number = operands.pop();
                    operands.push(match operator {
                        UnaryOperator::Minus => number.wrapping_neg(),
                        UnaryOperator::Plus => number,
                        UnaryOperator::Not => i64::from(number == 0),
                        UnaryOperator::Complement => !number,
                    });
                }
                ArithmeticOp::Binary(operator) => {
                    let right = operands.pop();
                    let left = operands.pop();
                    let number = self.binary(*operator, left, right)?;
                    operands.push(number);
                }
                ArithmeticOp::BinaryNumber(operator, right) => {
                    let left = operands.pop();
                    let number = self.binary(*operator, left, *right)?;
                    operands.push(number);
                }
                ArithmeticOp::Store(name) => {
                    let number = operands.top();
                    self.store(names.name(*name), number)?;
                }
                ArithmeticOp::StoreElement(element) => {
                    let number = operands.pop();
                    let index = if element.compiled { Some(operands.pop()) } else { None };
                    let id = names.name(element.name);
                    let subscript = self.subscript_of(id, index, &element.text)?;
                    self.store_element(id, subscript, number)?;
                    operands.push(number);
                }
                ArithmeticOp::Increment { name, by, postfix } => {
                    let id = names.name(*name);
                    let before = self.load(id)?;
                    let after = before.wrapping_add(*by);
                    self.store(id, after)?;
                    operands.push(if *postfix { before } else { after });
                }
                ArithmeticOp::IncrementElement { element, by, postfix } => {
                    let index = if element.compiled { Some(operands.pop()) } else { None };
                    let id = names.name(element.name);
                    let subscript = self.subscript_of(id, index, &element.text)?;
                    let before = self.load_element(id, subscript.clone())?;
                    let after = before.wrapping_add(*by);
                    self.store_element(id, subscript, after)?;
                    operands.push(if *postfix { before } else { after });
                }
                ArithmeticOp::Duplicate => {
                    let number = operands.top();
                    operands.push(number);
                }
                ArithmeticOp::Swap => {
                    let (top, below) = (operands.pop(), operands.pop());
                    operands.push(top);
                    operands.push(below);
                }
                ArithmeticOp::Drop => {
                    operands.pop();
                }
                ArithmeticOp::JumpIfZero(to) => {
                    if operands.pop() == 0 {
                        at = *to as usize;
                    }
                }
                ArithmeticOp::JumpIfNotZero(to) => {
                    if operands.pop() != 0 {
                        at = *to as usize;
                    }
                }
                ArithmeticOp::SkipKey { name, to } => {
                    if self.shell.variables.is_associative(names.name(*name)) {
                        operands.push(0);
                        at = *to as usize;
                    } else {
                        subscripts += 1;
                        self.shell.arithmetic.context = ArithmeticContext::Subscript;
                    }
                }
                ArithmeticOp::SubscriptEnd => {
                    subscripts = subscripts.saturating_sub(1);
                    if subscripts == 0 {
                        self.shell.arithmetic.context = context;
                    }
                }
                ArithmeticOp::Jump(to) => at = *to as usize,
                ArithmeticOp::Truth => {
                    let number = operands.pop();
                    operands.push(i64::from(number != 0));
                }
            }
        }
        Ok(operands.pop())
    }

    /// The value of a `$parameter`; `None`: it is not a plain integer.
    pub(super) fn operand(&mut self, operand: &Operand, names: Resolve<'_>) -> Option<i64> {
        let target = match operand {
            Operand::Variable(name) => {
                let id = names.name(*name);
                match &self.shell.variables.slot(id).value {
                    Value::Integer(number) => return Some(*number),
                    Value::Text(text) => return plain_integer(text),
                    _ => Target::Variable(id),
                }
            }
            Operand::Positional(number) => Target::Positional(*number),
            Operand::Special(special) => Target::Special(*special),
        };
        plain_integer(&self.shell.target_text(self.run, &target)?)
    }
}
