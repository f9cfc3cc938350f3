//! Arithmetic expressions as postfix code over a small stack: no recursion at run time, names resolved.

use super::Index;
use super::effect::is_pure;
use crate::memory::{Box, Vec};
use crate::syntax::ast::{BinaryOperator, ElementSubscript, Expression, Infix, Parameter, UnaryOperator};
use crate::text::Text;

/// An expression that was compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArithmeticCode {
    /// Postfix operations.
    pub(crate) ops: Vec<ArithmeticOp>,
    /// It has `$parameter` operands: when one is not a plain integer, the text has to be expanded and parsed instead.
    pub(crate) needs_text: bool,
    /// The expression as written, for messages.
    pub(crate) text: Text,
    /// What it is part of.
    pub(crate) context: ArithmeticContext,
}

/// What an expression is part of: what stands before its error messages, and what an error abandons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ArithmeticContext {
    /// `$(( ))` and values: the command is abandoned.
    #[default]
    Plain,
    /// `(( ))`, `for ((`: the status is 1.
    Command,
    /// `${name:offset}`: the text that names the parameter; the command is abandoned.
    Substring(Index),
    /// A subscript: everything is abandoned.
    Subscript,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) enum ArithmeticOp {
    /// Pushes a constant.
    Number(i64),
    /// Pushes a variable's value.
    Load(Index),
    /// Pushes `$parameter`, which must be a plain integer.
    Parameter(Operand),
    /// Pushes `name[subscript]`; a subscript that is arithmetic (for indexed arrays) was pushed before.
    LoadElement(Box<Element>),
    /// Replaces the top.
    Unary(UnaryOperator),
    /// Replaces the two on top.
    Binary(Infix),
    /// A binary operation whose right operand is a constant.
    BinaryNumber(Infix, i64),
    /// Assigns the top to a variable and leaves it.
    Store(Index),
    /// Assigns the top to an element and leaves it; the subscript was pushed before the value.
    StoreElement(Box<Element>),
    /// Adds to a variable; leaves the value before or after.
    Increment { name: Index, by: i64, postfix: bool },
    /// Duplicates the top: a subscript that is needed twice.
    Duplicate,
    /// `x[i]++`: takes the subscript, leaves the value.
    IncrementElement { element: Box<Element>, by: i64, postfix: bool },
    /// Exchanges the two on top.
    Swap,
    /// Drops the top.
    Drop,
    /// Pops; 0: jumps.
    JumpIfZero(u32),
    /// Pops; not 0: jumps.
    JumpIfNotZero(u32),
    /// Pushes 0 and jumps over a subscript when the variable is associative: its text is the key.
    SkipKey { name: Index, to: u32 },
    /// The end of a subscript: an error inside abandons everything that runs.
    SubscriptEnd,
    /// Jumps.
    Jump(u32),
    /// The top becomes 0 or 1.
    Truth,
}

/// A `$parameter` in an expression.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Variable(Index),
    Positional(u32),
    Special(u8),
}

/// An array element in an expression.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The variable.
    pub(crate) name: Index,
    /// The subscript as written: the key of an associative array.
    pub(crate) text: Text,
    /// Whether the subscript could be compiled (then its value is on the stack, for indexed arrays).
    pub(crate) compiled: bool,
}

/// Compiles an expression; `name` gives the number of a variable's name. `None`: it has to be evaluated from its text.
pub(crate) fn compile(
    expression: &Expression,
    name: &mut dyn FnMut(&Text) -> Index,
) -> Option<ArithmeticCode> {
    let mut compiler = Compiler { code: ArithmeticCode::default(), name };
    compiler.expression(expression)?;
    (!compiler.code.reads_what_it_wrote()).then_some(compiler.code)
}

impl ArithmeticCode {
    /// `n++ + $n`: bash expands `$n` before it evaluates anything; an error after a change shows that text.
    fn reads_what_it_wrote(&self) -> bool {
        let mut wrote = false;
        self.needs_text
            && self.ops.iter().any(|op| match op {
                ArithmeticOp::Store(_)
                | ArithmeticOp::StoreElement(_)
                | ArithmeticOp::Increment { .. }
                | ArithmeticOp::IncrementElement { .. } => {
                    wrote = true;
                    false
                }
                ArithmeticOp::Parameter(Operand::Variable(_)) => wrote,
                ArithmeticOp::Binary(infix) | ArithmeticOp::BinaryNumber(infix, 0) => {
                    use BinaryOperator::{Divide, Power, Remainder};
                    wrote && matches!(infix.operator, Divide | Remainder | Power)
                }
                _ => false,
            })
    }
}

struct Compiler<'n> {
    code: ArithmeticCode,
    name: &'n mut dyn FnMut(&Text) -> Index,
}

impl Compiler<'_> {
    fn push(&mut self, op: ArithmeticOp) -> usize {
        let at = self.code.ops.len();
        self.code.ops.push(op);
        at
    }

    fn patch(&mut self, at: usize) {
        let here = self.code.ops.len() as u32;
        if let Some(
            ArithmeticOp::Jump(target)
            | ArithmeticOp::JumpIfZero(target)
            | ArithmeticOp::JumpIfNotZero(target)
            | ArithmeticOp::SkipKey { to: target, .. },
        ) = self.code.ops.get_mut(at)
        {
            *target = here;
        }
    }

    /// The recursion is as deep as the expression, which the parser's depth budget bounds.
    fn expression(&mut self, expression: &Expression) -> Option<()> {
        match expression {
            Expression::Number(number) => {
                self.push(ArithmeticOp::Number(*number));
            }
            Expression::Variable(name) => {
                let name = (self.name)(name);
                self.push(ArithmeticOp::Load(name));
            }
            Expression::Element(name, subscript) => {
                let element = self.element(name, subscript)?;
                self.push(ArithmeticOp::LoadElement(Box::new(element)));
            }
            Expression::Parameter(parameter) => {
                let operand = match parameter {
                    Parameter::Variable(name) => Operand::Variable((self.name)(name)),
                    Parameter::Positional(number) => Operand::Positional(*number),
                    Parameter::Special(special) => Operand::Special(*special),
                    Parameter::Element(..) => return None,
                };
                self.code.needs_text = true;
                self.push(ArithmeticOp::Parameter(operand));
            }
            Expression::Unary(operator, operand) => {
                self.expression(operand)?;
                self.push(ArithmeticOp::Unary(*operator));
            }
            Expression::Binary(operator, left, right) => {
                self.expression(left)?;
                self.operand(*operator, right)?;
            }
            Expression::Chain(first, rest) => {
                self.expression(first)?;
                for (operator, right) in rest {
                    self.operand(*operator, right)?;
                }
            }
            Expression::And(left, right) | Expression::Or(left, right) => {
                let and = matches!(expression, Expression::And(..));
                self.expression(left)?;
                let short =
                    self.push(if and { ArithmeticOp::JumpIfZero(0) } else { ArithmeticOp::JumpIfNotZero(0) });
                self.expression(right)?;
                self.push(ArithmeticOp::Truth);
                let end = self.push(ArithmeticOp::Jump(0));
                self.patch(short);
                self.push(ArithmeticOp::Number(i64::from(!and)));
                self.patch(end);
            }
            Expression::Conditional(test, yes, no) => {
                self.expression(test)?;
                let other = self.push(ArithmeticOp::JumpIfZero(0));
                self.expression(yes)?;
                let end = self.push(ArithmeticOp::Jump(0));
                self.patch(other);
                self.expression(no)?;
                self.patch(end);
            }
            Expression::Assign(operator, target, value) => self.assign(*operator, target, value)?,
            Expression::Increment { target, by, postfix } => self.increment(target, *by, *postfix)?,
            Expression::Comma(left, right) => {
                self.expression(left)?;
                self.push(ArithmeticOp::Drop);
                self.expression(right)?;
            }
        }
        Some(())
    }

    fn operand(&mut self, operator: Infix, right: &Expression) -> Option<()> {
        if let Expression::Number(number) = right {
            self.push(ArithmeticOp::BinaryNumber(operator, *number));
        } else {
            self.expression(right)?;
            self.push(ArithmeticOp::Binary(operator));
        }
        Some(())
    }

    fn element(&mut self, name: &Text, subscript: &ElementSubscript) -> Option<Element> {
        let compiled = match &subscript.expression {
            Some(expression) => {
                // A subscript with side effects must not be evaluated when the array is associative.
                if !is_pure(expression) {
                    return None;
                }
                if matches!(expression, Expression::Number(_)) {
                    self.expression(expression)?;
                } else {
                    let name = (self.name)(name);
                    let skip = self.push(ArithmeticOp::SkipKey { name, to: 0 });
                    self.expression(expression)?;
                    self.push(ArithmeticOp::SubscriptEnd);
                    self.patch(skip);
                }
                true
            }
            None => false,
        };
        Some(Element { name: (self.name)(name), text: subscript.text.clone(), compiled })
    }

    fn assign(&mut self, operator: Option<Infix>, target: &Expression, value: &Expression) -> Option<()> {
        match target {
            Expression::Variable(name) => {
                let name = (self.name)(name);
                match operator {
                    None => self.expression(value)?,
                    Some(operator) => {
                        self.push(ArithmeticOp::Load(name));
                        self.operand(operator, value)?;
                    }
                }
                self.push(ArithmeticOp::Store(name));
            }
            Expression::Element(name, subscript) => {
                let element = if let Some(operator) = operator {
                    let element = self.element(name, subscript)?;
                    if element.compiled {
                        self.push(ArithmeticOp::Duplicate);
                    }
                    self.push(ArithmeticOp::LoadElement(Box::new(element.clone())));
                    self.operand(operator, value)?;
                    element
                } else {
                    // Bash evaluates the subscript when it assigns: after the value.
                    self.expression(value)?;
                    let element = self.element(name, subscript)?;
                    if element.compiled {
                        self.push(ArithmeticOp::Swap);
                    }
                    element
                };
                self.push(ArithmeticOp::StoreElement(Box::new(element)));
            }
            _ => return None,
        }
        Some(())
    }

    fn increment(&mut self, target: &Expression, by: i64, postfix: bool) -> Option<()> {
        match target {
            Expression::Variable(name) => {
                let name = (self.name)(name);
                self.push(ArithmeticOp::Increment { name, by, postfix });
            }
            Expression::Element(name, subscript) => {
                let element = Box::new(self.element(name, subscript)?);
                self.push(ArithmeticOp::IncrementElement { element, by, postfix });
            }
            _ => return None,
        }
        Some(())
    }
}
