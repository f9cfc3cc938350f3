//! Arithmetic: runs compiled expressions; text is parsed first. Bash manual 6.5.

use super::super::array::Array;
use super::super::assign::AssignError;
use super::super::expansion::{Subscript, Target};
use super::super::halt::{Halt, Step};
use super::super::link::Link;
use super::super::name::NameId;
use super::super::run::Run;
use super::super::shell::Shell;
use super::super::variable::{Attributes, Value, plain_integer};
use super::arithmetic_prefix::blanks_trimmed;
use crate::limit::gauge;
use crate::memory::Vec;
use crate::program::{
    ArithmeticCode, ArithmeticContext, ArithmeticOp, Index, Op, Operand, compile_arithmetic,
};
use crate::syntax::ast::{BinaryOperator, Infix, UnaryOperator};
use crate::text::Text;

/// Values that are expressions, inside of each other.
pub(super) const MAX_DEPTH: u32 = 128;

/// How the names of an expression become the session's numbers.
#[derive(Clone, Copy)]
struct Resolve<'l>(&'l [NameId]);

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

impl Shell {
    /// Evaluates a compiled expression.
    pub(crate) fn evaluate(&mut self, run: &mut Run, code: &ArithmeticCode, link: &Link) -> Step<i64> {
        self.arithmetic.context = code.context;
        match self.run_steps(run, code, Resolve(link.names()), 0, &Text::EMPTY) {
            Ok(number) => {
                self.arithmetic.context = ArithmeticContext::Plain;
                Ok(number)
            }
            result => self.arithmetic_result(code.context, result),
        }
    }

    /// What an evaluation comes to: how far an error reaches depends on what the expression is part of.
    pub(crate) fn arithmetic_result(&mut self, context: ArithmeticContext, result: Step<i64>) -> Step<i64> {
        let failed_in = std::mem::take(&mut self.arithmetic.context);
        match (result, context) {
            (Err(Halt::Discard(status)), _) if failed_in == ArithmeticContext::Subscript => {
                Err(Halt::Abandon(status))
            }
            (Err(Halt::Discard(_) | Halt::Abandon(_)), ArithmeticContext::Command) => {
                self.arithmetic.failed = true;
                Ok(0)
            }
            (Err(Halt::Discard(status)), ArithmeticContext::Subscript) => Err(Halt::Abandon(status)),
            (result, _) => result,
        }
    }

    /// Whether every `$parameter` of an expression is a plain integer.
    pub(crate) fn has_plain_operands(
        &mut self,
        run: &mut Run,
        code: &ArithmeticCode,
        link: &Link,
    ) -> Step<bool> {
        for op in &code.ops {
            if let ArithmeticOp::Parameter(operand) = op
                && self.operand(run, operand, Resolve(link.names())).is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn operand(&mut self, run: &mut Run, operand: &Operand, names: Resolve<'_>) -> Option<i64> {
        let target = match operand {
            Operand::Variable(name) => {
                let id = names.name(*name);
                match &self.variables.slot(id).value {
                    Value::Integer(number) => return Some(*number),
                    Value::Text(text) => return plain_integer(text),
                    _ => Target::Variable(id),
                }
            }
            Operand::Positional(number) => Target::Positional(*number),
            Operand::Special(special) => Target::Special(*special),
        };
        plain_integer(&self.target_text(run, &target)?)
    }

    /// Expands nothing: parses a text and evaluates it.
    pub(crate) fn evaluate_text(&mut self, run: &mut Run, text: &[u8], depth: u32) -> Step<i64> {
        let trimmed = text.trim_ascii();
        if trimmed.is_empty() {
            return Ok(0);
        }
        if let Some(number) = plain_integer(trimmed) {
            return Ok(number);
        }
        if depth > MAX_DEPTH {
            let shown = bstr::BStr::new(text);
            return Err(self.arithmetic_error(format_args!(
                "{shown}: expression recursion level exceeded (error token is \"{shown}\")"
            )));
        }
        // Values that name values can make one expression an endless work: `a=b+b b=c+c ...`.
        if gauge::burn(1) {
            run.services.meter.check()?;
        }
        let limit = run.services.meter.limits().syntax_depth.min(200) as u32;
        let expression = match crate::syntax::parse_arithmetic(text, limit) {
            Ok(expression) => expression,
            Err(error) => {
                if let Some(limit) = error.limit() {
                    return Err(run.services.meter.fail_with(limit.limit, limit.allowed).into());
                }
                self.evaluate_before_error(run, text, depth)?;
                let shown = blanks_trimmed(text.get(..error.shown).unwrap_or(text));
                return Err(self.arithmetic_error(format_args!("{}: {error}", bstr::BStr::new(shown))));
            }
        };
        let mut names: Vec<NameId> = Vec::new();
        let code = compile_arithmetic(&expression, &mut |name: &Text| {
            names.add(run.services.names.intern(name)) as Index
        });
        let Some(code) = code else {
            return self.evaluate_tree(run, &expression, text, depth);
        };
        self.run_steps(run, &code, Resolve(&names), depth, &Text::from(text))
    }

    /// Reports an arithmetic error: the command is given up.
    pub(crate) fn arithmetic_error(&mut self, message: impl std::fmt::Display) -> Halt {
        match (self.arithmetic.prefix, self.arithmetic.context) {
            (_, ArithmeticContext::Subscript) => self.report(message),
            (Some(prefix), _) => self.report(format_args!("{prefix}: {message}")),
            (None, ArithmeticContext::Command) => self.report(format_args!("((: {message}")),
            (None, ArithmeticContext::Substring(parameter)) => {
                let parameter = self.code.program.text(parameter);
                self.report(format_args!("{parameter}: {message}"));
            }
            (None, ArithmeticContext::Plain) => self.report(message),
        }
        Halt::Discard(1)
    }

    fn run_steps(
        &mut self,
        run: &mut Run,
        code: &ArithmeticCode,
        names: Resolve<'_>,
        depth: u32,
        text: &Text,
    ) -> Step<i64> {
        let mut at = 0_usize;
        let mut operands = Operands::default();
        let (context, mut subscripts) = (self.arithmetic.context, 0_u32);
        while let Some(op) = code.ops.get(at) {
            at += 1;
            match op {
                ArithmeticOp::Number(number) => operands.push(*number),
                ArithmeticOp::Load(name) => {
                    let id = names.name(*name);
                    let number = match &self.variables.slot(id).value {
                        Value::Integer(number) => *number,
                        _ => self.load(run, id, depth)?,
                    };
                    operands.push(number);
                }
                ArithmeticOp::Parameter(operand) => {
                    let number = self.operand(run, operand, names).unwrap_or(0);
                    operands.push(number);
                }
                ArithmeticOp::LoadElement(element) => {
                    let index = if element.compiled { operands.pop() } else { 0 };
                    let id = names.name(element.name);
                    let subscript =
                        self.subscript_of(run, id, element.compiled.then_some(index), &element.text, depth)?;
                    let number = self.load_element(run, id, subscript, depth)?;
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
                    let number = self.binary(run, *operator, left, right, text)?;
                    operands.push(number);
                }
                ArithmeticOp::BinaryNumber(operator, right) => {
                    let left = operands.pop();
                    let number = self.binary(run, *operator, left, *right, text)?;
                    operands.push(number);
                }
                ArithmeticOp::Store(name) => {
                    let number = operands.top();
                    self.store(run, names.name(*name), number)?;
                }
                ArithmeticOp::StoreElement(element) => {
                    let number = operands.pop();
                    let index = if element.compiled { Some(operands.pop()) } else { None };
                    let id = names.name(element.name);
                    let subscript = self.subscript_of(run, id, index, &element.text, depth)?;
                    self.store_element(run, id, subscript, number)?;
                    operands.push(number);
                }
                ArithmeticOp::Increment { name, by, postfix } => {
                    let id = names.name(*name);
                    let before = self.load(run, id, depth)?;
                    let after = before.wrapping_add(*by);
                    self.store(run, id, after)?;
                    operands.push(if *postfix { before } else { after });
                }
                ArithmeticOp::IncrementElement { element, by, postfix } => {
                    let index = if element.compiled { Some(operands.pop()) } else { None };
                    let id = names.name(element.name);
                    let subscript = self.subscript_of(run, id, index, &element.text, depth)?;
                    let before = self.load_element(run, id, subscript.clone(), depth)?;
                    let after = before.wrapping_add(*by);
                    self.store_element(run, id, subscript, after)?;
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
                    if self.variables.is_associative(names.name(*name)) {
                        operands.push(0);
                        at = *to as usize;
                    } else {
                        subscripts += 1;
                        self.arithmetic.context = ArithmeticContext::Subscript;
                    }
                }
                ArithmeticOp::SubscriptEnd => {
                    subscripts = subscripts.saturating_sub(1);
                    if subscripts == 0 {
                        self.arithmetic.context = context;
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

    /// A variable as a number: its text is an expression.
    pub(super) fn load(&mut self, run: &mut Run, id: NameId, depth: u32) -> Step<i64> {
        let slot = self.variables.slot(id);
        match &slot.value {
            Value::Integer(number) => return Ok(*number),
            Value::Text(text) if !slot.attributes.has(Attributes::NAMEREF) => {
                if let Some(number) = plain_integer(text) {
                    return Ok(number);
                }
            }
            _ => {}
        }
        match self.scalar(run, id) {
            Some(text) => self.evaluate_text(run, &text, depth + 1),
            None => {
                self.check_unset(run, &Target::Variable(id))?;
                Ok(0)
            }
        }
    }

    pub(super) fn load_element(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: Subscript,
        depth: u32,
    ) -> Step<i64> {
        let target = self.element_target(run, id, subscript)?;
        match self.target_text(run, &target) {
            Some(text) => self.evaluate_text(run, &text, depth + 1),
            None => {
                // Bash looks for the variable, not for the element.
                if self.value_of(run, id) == Value::Unset {
                    self.check_unset(run, &Target::Variable(id))?;
                }
                Ok(0)
            }
        }
    }

    #[inline]
    fn store(&mut self, run: &mut Run, id: NameId, number: i64) -> Step {
        let slot = self.variables.slot(id);
        if !slot.attributes.has(Attributes::ASSIGN_MASK)
            && matches!(slot.value, Value::Integer(_) | Value::Text(_) | Value::Unset)
        {
            self.variables.slot_mut(id).value = Value::Integer(number);
            return Ok(());
        }
        match self.assign_variable(run, id, super::super::variable::decimal(number), false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) => Err(Halt::Discard(1)),
        }
    }

    fn store_element(&mut self, run: &mut Run, id: NameId, subscript: Subscript, number: i64) -> Step {
        let text = super::super::variable::decimal(number);
        if let Subscript::Index(index) = subscript
            && index >= 0
        {
            let slot = self.variables.slot_mut(id);
            if !slot.attributes.has(Attributes::ASSIGN_MASK)
                && let Value::Array(array) = &mut slot.value
            {
                let array: &mut Array = std::sync::Arc::make_mut(array);
                if (index as u64) < array.end() {
                    array.set(index as u64, text);
                    return Ok(());
                }
            }
        }
        match self.assign_element(run, id, subscript, text, false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) => Err(Halt::Discard(1)),
        }
    }

    /// The subscript of an element: a key for an associative array.
    pub(super) fn subscript_of(
        &mut self,
        run: &mut Run,
        id: NameId,
        index: Option<i64>,
        text: &Text,
        depth: u32,
    ) -> Step<Subscript> {
        if self.variables.is_associative(id) {
            return Ok(Subscript::Key(self.dequote_key(run, text)));
        }
        if text.is_empty() {
            // Bash says so twice, and takes the element for 0.
            let name = run.services.names.text(id);
            for _ in 0..2 {
                self.report(format_args!("{name}[]: bad array subscript"));
            }
            return Ok(Subscript::Index(i64::MAX));
        }
        match index {
            Some(index) => Ok(Subscript::Index(index)),
            // Inside of a value it stays an error of the value: what looks like a command there is not run.
            None if depth > 0 => Ok(Subscript::Index(self.evaluate_subscript(run, text, depth + 1)?)),
            None => {
                let context = std::mem::replace(&mut self.arithmetic.context, ArithmeticContext::Subscript);
                let index = self.evaluate_subscript(run, text, depth + 1)?;
                self.arithmetic.context = context;
                Ok(Subscript::Index(index))
            }
        }
    }

    /// Applies an operator. Overflow wraps, as in bash.
    #[inline]
    pub(super) fn binary(
        &mut self,
        run: &mut Run,
        infix: Infix,
        left: i64,
        right: i64,
        text: &Text,
    ) -> Step<i64> {
        let operator = infix.operator;
        Ok(match operator {
            BinaryOperator::Add => left.wrapping_add(right),
            BinaryOperator::Subtract => left.wrapping_sub(right),
            BinaryOperator::Multiply => left.wrapping_mul(right),
            BinaryOperator::Divide | BinaryOperator::Remainder => {
                if right == 0 {
                    return Err(self.operand_error(run, infix, text, "division by 0"));
                }
                if operator == BinaryOperator::Divide {
                    left.wrapping_div(right)
                } else {
                    left.wrapping_rem(right)
                }
            }
            BinaryOperator::Power => {
                if right < 0 {
                    return Err(self.operand_error(run, infix, text, "exponent less than 0"));
                }
                power(left, right as u64)
            }
            BinaryOperator::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOperator::ShiftRight => left.wrapping_shr(right as u32),
            BinaryOperator::Less => i64::from(left < right),
            BinaryOperator::LessOrEqual => i64::from(left <= right),
            BinaryOperator::Greater => i64::from(left > right),
            BinaryOperator::GreaterOrEqual => i64::from(left >= right),
            BinaryOperator::Equal => i64::from(left == right),
            BinaryOperator::NotEqual => i64::from(left != right),
            BinaryOperator::BitAnd => left & right,
            BinaryOperator::BitXor => left ^ right,
            BinaryOperator::BitOr => left | right,
        })
    }

    /// Reports a right operand that is not valid. `text`: the expression; empty for one of the program.
    fn operand_error(&mut self, run: &mut Run, infix: Infix, text: &Text, message: &str) -> Halt {
        let mut shown = text.clone();
        let mut token = Text::from(text.get(infix.token as usize..).unwrap_or(&[]));
        if text.is_empty() {
            let index = match self.code.program.code.get((self.code.pc as usize).saturating_sub(1)) {
                Some(
                    Op::Arithmetic(index)
                    | Op::ArithmeticCommand(index)
                    | Op::ArithmeticTest { expression: index, .. }
                    | Op::TryArithmetic { expression: index, .. },
                ) => *index,
                _ => return Halt::Discard(1),
            };
            let program = std::sync::Arc::clone(&self.code.program);
            let Some(code) = program.arithmetic.get(index as usize) else { return Halt::Discard(1) };
            shown = code.text.clone();
            token = Text::from(shown.get(infix.token as usize..).unwrap_or(&[]));
            if code.needs_text {
                shown = self.dequote_key(run, &shown);
                token = self.dequote_key(run, &token);
            }
        }
        let shown = bstr::BStr::new(blanks_trimmed(&shown));
        self.arithmetic_error(format_args!("{shown}: {message} (error token is \"{token}\")"))
    }

    /// An expression that has to be walked as a tree: an element whose subscript has side effects.
    fn evaluate_tree(
        &mut self,
        run: &mut Run,
        expression: &crate::syntax::ast::Expression,
        text: &[u8],
        depth: u32,
    ) -> Step<i64> {
        use crate::syntax::ast::Expression;
        let element = |this: &mut Self,
                       run: &mut Run,
                       name: &Text,
                       subscript: &crate::syntax::ast::ElementSubscript| {
            let id = run.services.names.intern(name);
            let subscript = this.subscript_of(run, id, None, &subscript.text, depth)?;
            Ok::<_, Halt>((id, subscript))
        };
        match expression {
            Expression::Number(number) => Ok(*number),
            Expression::Variable(name) => {
                let id = run.services.names.intern(name);
                self.load(run, id, depth)
            }
            Expression::Element(name, subscript) => {
                let (id, subscript) = element(self, run, name, subscript)?;
                self.load_element(run, id, subscript, depth)
            }
            Expression::Parameter(_) => Ok(0),
            Expression::Unary(operator, operand) => {
                let number = self.evaluate_tree(run, operand, text, depth)?;
                Ok(match operator {
                    UnaryOperator::Minus => number.wrapping_neg(),
                    UnaryOperator::Plus => number,
                    UnaryOperator::Not => i64::from(number == 0),
                    UnaryOperator::Complement => !number,
                })
            }
            Expression::Binary(operator, left, right) => {
                let left = self.evaluate_tree(run, left, text, depth)?;
                let right = self.evaluate_tree(run, right, text, depth)?;
                self.binary(run, *operator, left, right, &Text::from(text))
            }
            Expression::Chain(first, rest) => {
                let mut left = self.evaluate_tree(run, first, text, depth)?;
                for (operator, right) in rest {
                    let right = self.evaluate_tree(run, right, text, depth)?;
                    left = self.binary(run, *operator, left, right, &Text::from(text))?;
                }
                Ok(left)
            }
            Expression::And(left, right) => Ok(i64::from(
                self.evaluate_tree(run, left, text, depth)? != 0
                    && self.evaluate_tree(run, right, text, depth)? != 0,
            )),
            Expression::Or(left, right) => Ok(i64::from(
                self.evaluate_tree(run, left, text, depth)? != 0
                    || self.evaluate_tree(run, right, text, depth)? != 0,
            )),
            Expression::Conditional(test, yes, no) => {
                let chosen = if self.evaluate_tree(run, test, text, depth)? != 0 { yes } else { no };
                self.evaluate_tree(run, chosen, text, depth)
            }
            Expression::Assign(None, target, value) => {
                let number = self.evaluate_tree(run, value, text, depth)?;
                let place = match target.as_ref() {
                    Expression::Element(name, subscript) => {
                        let (id, subscript) = element(self, run, name, subscript)?;
                        (id, Some(subscript))
                    }
                    Expression::Variable(name) => (run.services.names.intern(name), None),
                    _ => return Ok(0),
                };
                self.store_place(run, place, number)?;
                Ok(number)
            }
            Expression::Assign(Some(operator), target, value) => {
                let place = match target.as_ref() {
                    Expression::Element(name, subscript) => {
                        let (id, subscript) = element(self, run, name, subscript)?;
                        (id, Some(subscript))
                    }
                    Expression::Variable(name) => (run.services.names.intern(name), None),
                    _ => return Ok(0),
                };
                let before = self.load_place(run, &place, depth)?;
                let number = self.evaluate_tree(run, value, text, depth)?;
                let number = self.binary(run, *operator, before, number, &Text::from(text))?;
                self.store_place(run, place, number)?;
                Ok(number)
            }
            Expression::Increment { target, by, postfix } => {
                let place = match target.as_ref() {
                    Expression::Element(name, subscript) => {
                        let (id, subscript) = element(self, run, name, subscript)?;
                        (id, Some(subscript))
                    }
                    Expression::Variable(name) => (run.services.names.intern(name), None),
                    _ => return Ok(0),
                };
                let before = self.load_place(run, &place, depth)?;
                let after = before.wrapping_add(*by);
                self.store_place(run, place, after)?;
                Ok(if *postfix { before } else { after })
            }
            Expression::Comma(left, right) => {
                self.evaluate_tree(run, left, text, depth)?;
                self.evaluate_tree(run, right, text, depth)
            }
        }
    }

    fn load_place(&mut self, run: &mut Run, place: &(NameId, Option<Subscript>), depth: u32) -> Step<i64> {
        match &place.1 {
            Some(subscript) => self.load_element(run, place.0, subscript.clone(), depth),
            None => self.load(run, place.0, depth),
        }
    }

    pub(super) fn store_place(
        &mut self,
        run: &mut Run,
        place: (NameId, Option<Subscript>),
        number: i64,
    ) -> Step {
        match place.1 {
            Some(subscript) => self.store_element(run, place.0, subscript, number),
            None => self.store(run, place.0, number),
        }
    }
}

fn power(base: i64, exponent: u64) -> i64 {
    let (mut result, mut base, mut rest) = (1_i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        rest >>= 1;
    }
    result
}
