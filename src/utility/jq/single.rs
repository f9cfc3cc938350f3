//! [`Single`]: evaluates terms that have at most one output, without the machine.
//!
//! The recursion is as deep as the term, which `Shape` bounds. The part of a term that is evaluated last gets the input
//! itself, not a copy, so that `. + [$x]` or `.[$k] = $v` can change it in place.

use crate::memory::{Vec, format, vec};
use super::binding::{Bindings, Bound};
use super::error::Raise;
use super::format;
use super::machine::{self, Context};
use super::object::Object;
use super::path;
use super::term::{Assignment, Id, Operation, Program, Term};
use super::text::Text;
use super::value::Value;

/// An input: borrowed while it is still needed.
pub(crate) enum Input<'v> {
    Borrowed(&'v Value),
    Owned(Value),
}

impl Input<'_> {
    fn value(&self) -> &Value {
        match self {
            Input::Borrowed(value) => value,
            Input::Owned(value) => value,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Input::Borrowed(value) => value.clone(),
            Input::Owned(value) => value,
        }
    }
}

/// Evaluates single terms.
pub(crate) struct Single<'s, 'c> {
    pub(crate) program: &'s Program,
    pub(crate) context: &'s mut Context<'c>,
}

type Output = Result<Option<Value>, Raise>;

/// `let` of an output, or no output at all.
macro_rules! some {
    ($output:expr) => {
        match $output? {
            Some(value) => value,
            None => return Ok(None),
        }
    };
}

impl Single<'_, '_> {
    /// The output of the term `id`, if it has one.
    ///
    /// # Errors
    /// What the term raises.
    pub(crate) fn one(&mut self, id: Id, bindings: &Bindings, input: Input<'_>) -> Output {
        self.context.work.step()?;
        match self.program.term(id) {
            Term::Identity => Ok(Some(input.into_value())),
            Term::Constant(value) => Ok(Some(value.clone())),
            Term::Empty => Ok(None),
            Term::Variable(skip) => Ok(Some(bindings.value(*skip))),
            Term::Global(number) => Ok(self.context.globals.get(*number).cloned()),
            Term::Field(target, name) => self.field(*target, name, bindings, input),
            Term::Index(target, key) => {
                let key = some!(self.one(*key, bindings, Input::Borrowed(input.value())));
                let target = some!(self.one(*target, bindings, input));
                path::get(self.context, &target, &key).map(Some)
            }
            Term::Slice(target, from, upto) => {
                let from = some!(self.optional(*from, bindings, &input));
                let upto = some!(self.optional(*upto, bindings, &input));
                let target = some!(self.one(*target, bindings, input));
                path::slice(self.context, &target, &from, &upto).map(Some)
            }
            Term::Pipe(left, right) => {
                let middle = some!(self.one(*left, bindings, input));
                self.one(*right, bindings, Input::Owned(middle))
            }
            Term::Binary(operator, left, right) => {
                let right = some!(self.one(*right, bindings, Input::Borrowed(input.value())));
                let left = some!(self.one(*left, bindings, input));
                operator.apply(self.context, left, right).map(Some)
            }
            Term::And(left, right) => self.logic(true, *left, *right, bindings, input),
            Term::Or(left, right) => self.logic(false, *left, *right, bindings, input),
            Term::Alternative(left, right) => {
                match self.one(*left, bindings, Input::Borrowed(input.value()))? {
                    Some(value) if value.is_true() => Ok(Some(value)),
                    _ => self.one(*right, bindings, input),
                }
            }
            Term::If(condition, then, otherwise) => {
                let condition = some!(self.one(*condition, bindings, Input::Borrowed(input.value())));
                self.one(if condition.is_true() { *then } else { *otherwise }, bindings, input)
            }
            Term::Try(body, handler) => match self.one(*body, bindings, input) {
                Err(Raise::Error(value)) => match handler {
                    Some(handler) => self.one(*handler, bindings, Input::Owned(value)),
                    None => Ok(None),
                },
                other => other,
            },
            Term::Bind(source, body) => {
                let value = some!(self.one(*source, bindings, Input::Borrowed(input.value())));
                self.one(*body, &bindings.with(Bound::Value(value)), input)
            }
            Term::Outer(skip, inner) => self.one(*inner, &bindings.skip(*skip), input),
            Term::Collect(inner) => self.collect(*inner, bindings, input),
            Term::Apply(operation, arguments) => self.apply(operation, arguments, bindings, input),
            Term::Parameter(skip) => match bindings.get(*skip) {
                Some(Bound::Closure(id, inner)) => self.one(*id, inner, input),
                _ => Ok(None),
            },
            Term::Call(function, arguments, skip) => {
                let Some(function) = self.program.functions.get(*function) else { return Ok(None) };
                self.one(function.body, &machine::called(arguments, *skip, bindings), input)
            }
            Term::Assign(_, _, value) => {
                let value = some!(self.one(*value, bindings, Input::Borrowed(input.value())));
                self.assign(id, value, input.into_value(), bindings)
            }
            // `Program::add` marks no other term as single.
            _ => Ok(None),
        }
    }

    fn optional(&mut self, id: Option<Id>, bindings: &Bindings, input: &Input<'_>) -> Output {
        match id {
            Some(id) => self.one(id, bindings, Input::Borrowed(input.value())),
            None => Ok(Some(Value::Null)),
        }
    }

    fn logic(&mut self, is_and: bool, left: Id, right: Id, bindings: &Bindings, input: Input<'_>) -> Output {
        let left = some!(self.one(left, bindings, Input::Borrowed(input.value())));
        if left.is_true() != is_and {
            return Ok(Some(Value::Bool(!is_and)));
        }
        let right = some!(self.one(right, bindings, input));
        Ok(Some(Value::Bool(right.is_true())))
    }

    fn field(&mut self, target: Id, name: &Text, bindings: &Bindings, input: Input<'_>) -> Output {
        let get = |value: &Value| match value {
            Value::Object(object) => Ok(Some(object.get(name.as_str()).cloned().unwrap_or_default())),
            Value::Null => Ok(Some(Value::Null)),
            other => Err(path::cannot_index(other, &Value::String(name.clone()))),
        };
        match self.program.term(target) {
            Term::Identity => get(input.value()),
            _ => get(&some!(self.one(target, bindings, input))),
        }
    }

    fn collect(&mut self, inner: Id, bindings: &Bindings, input: Input<'_>) -> Output {
        let only = self.one(inner, bindings, input)?;
        self.context.work.charge(2 * size_of::<Value>())?;
        Value::array(only.into_iter().collect()).checked().map(Some)
    }

    fn apply(
        &mut self,
        operation: &Operation,
        arguments: &[Id],
        bindings: &Bindings,
        input: Input<'_>,
    ) -> Output {
        let mut values = Vec::with_capacity(arguments.len());
        if operation.is_forward() {
            for argument in arguments {
                values.push(some!(self.one(*argument, bindings, Input::Borrowed(input.value()))));
            }
        } else {
            for argument in arguments.iter().rev() {
                values.push(some!(self.one(*argument, bindings, Input::Borrowed(input.value()))));
            }
            values.reverse();
        }
        let input = match operation {
            Operation::Native(_) | Operation::GetPath => input.into_value(),
            _ => Value::Null,
        };
        apply(self.context, operation, input, values)
    }

    /// The assignment `id` with its right side's output, where the left side is a plain path.
    pub(crate) fn assign(&mut self, id: Id, value: Value, target: Value, bindings: &Bindings) -> Output {
        let Term::Assign(_, path, _) = self.program.term(id) else { return Ok(None) };
        let mut keys = Vec::new();
        let mut at = *path;
        loop {
            match self.program.term(at) {
                Term::Field(inner, name) => {
                    keys.push(Value::String(name.clone()));
                    at = *inner;
                }
                Term::Index(inner, key) => {
                    match self.one(*key, bindings, Input::Borrowed(&target))? {
                        Some(key) => keys.push(key),
                        // No path to assign to.
                        None => return Ok(Some(target)),
                    }
                    at = *inner;
                }
                _ => break,
            }
        }
        keys.reverse();
        match self.assign_at(id, &keys, value, target, bindings)? {
            Ok(changed) => Ok(Some(changed)),
            Err(target) => path::delete_paths(self.context, target, vec![Value::array(keys)]).map(Some),
        }
    }

    /// The target with the assignment `id` made at the path `keys`; the target as it was (`Err`) where an update has no
    /// output.
    pub(crate) fn assign_at(
        &mut self,
        id: Id,
        keys: &[Value],
        value: Value,
        target: Value,
        bindings: &Bindings,
    ) -> Result<Result<Value, Value>, Raise> {
        let Term::Assign(kind, _, update) = self.program.term(id) else { return Ok(Ok(target)) };
        let mut target = target;
        let new = match kind {
            Assignment::Set => value,
            Assignment::Operate(operator) => {
                let old = path::take_path(self.context, &mut target, keys)?;
                operator.apply(self.context, old, value)?
            }
            Assignment::Default => {
                let old = path::get_path(self.context, &target, keys)?;
                if old.is_true() { old } else { value }
            }
            Assignment::Update => {
                let old = path::take_path(self.context, &mut target, keys)?;
                match self.one(*update, bindings, Input::Owned(old))? {
                    Some(new) => new,
                    None => return Ok(Err(target)),
                }
            }
        };
        path::set_path(self.context, target, keys, new).map(Ok)
    }
}

/// What an operation gives for its input and arguments.
///
/// # Errors
/// What the operation raises.
pub(crate) fn apply(
    context: &mut Context<'_>,
    operation: &Operation,
    input: Value,
    arguments: Vec<Value>,
) -> Output {
    match operation {
        Operation::Native(function) => function(context, input, &arguments)?.checked().map(Some),
        Operation::Negate => match arguments.first() {
            Some(Value::Number(number)) => Ok(Some(Value::Number(-number))),
            other => Err(Raise::about(other.unwrap_or(&Value::Null), "cannot be negated")),
        },
        Operation::Interpolate(format, pieces) => {
            format::interpolate(context, *format, pieces, &arguments).map(Some)
        }
        Operation::Object => {
            let mut object = Object::with_capacity(arguments.len() / 2);
            context.work.charge(arguments.len().saturating_mul(size_of::<Value>()))?;
            let mut arguments = arguments.into_iter();
            while let (Some(key), Some(value)) = (arguments.next(), arguments.next()) {
                match key {
                    Value::String(name) => object.insert(name, value),
                    other => {
                        let kind = super::print::excerpt(&other, 14);
                        let problem = format!("Cannot use {} ({kind}) as object key", other.kind());
                        return Err(Raise::message(problem));
                    }
                }
            }
            Value::Object(object).checked().map(Some)
        }
        Operation::GetPath => match arguments.first() {
            Some(Value::Array(keys)) => path::get_path(context, &input, keys.items()).map(Some),
            _ => Err(Raise::message("Path must be specified as an array")),
        },
        Operation::Error => match arguments.into_iter().next() {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Err(Raise::Error(value)),
        },
        Operation::Range
        | Operation::Limit(_)
        | Operation::Input(_)
        | Operation::Sort(_)
        | Operation::Convert(_) => Ok(None),
    }
}
