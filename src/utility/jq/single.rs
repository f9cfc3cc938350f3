//! [`Single`]: evaluates terms that have at most one output, without the machine.
//!
//! The recursion is as deep as the term, which `Shape` bounds. The part of a term that is evaluated last gets the input
//! itself, not a copy, so that `. + [$x]` or `.[$k] = $v` can change it in place.

use super::binding::{Bindings, Bound, Id, called};
use super::context::Context;
use super::deletion;
use super::error::Raise;
use super::format;
use super::frame::{Item, Todo};
use super::job::Job;
use super::object::Object;
use super::path;
use super::suspension::{Rest, noting};
use super::term::{Assignment, Operation, Program, Term};
use super::text::Text;
use super::value::Value;
use crate::memory::{ToMetered, Vec, format, vec};

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

    /// The input for a part of the term that is evaluated later.
    fn item(&self) -> Item {
        Item::plain(self.value().clone())
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

/// What a frame is to do with an output.
fn todo(todo: Todo, bindings: &Bindings) -> Rest {
    Rest::Todo(todo, bindings.clone())
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
            Term::Field(target, name) => self.field(id, *target, name, bindings, input),
            Term::Index(target, key) => {
                let found = self.one(*key, bindings, Input::Borrowed(input.value()));
                let key = some!(noting(found, || todo(Todo::Key(*target, input.item()), bindings)));
                let found = self.one(*target, bindings, input);
                let target = some!(noting(found, || todo(Todo::Index(key.clone()), bindings)));
                path::get(self.context, &target, &key).map(Some)
            }
            Term::Slice(target, from, upto) => {
                let start = self.optional(*from, bindings, &input);
                let from = some!(noting(start, || todo(Todo::SliceFrom(id, input.item()), bindings)));
                let end = self.optional(*upto, bindings, &input);
                let upto = some!(noting(end, || {
                    todo(Todo::SliceUpto(*target, from.clone(), input.item()), bindings)
                }));
                let found = self.one(*target, bindings, input);
                let target = some!(noting(found, || todo(Todo::Slice(from.clone(), upto.clone()), bindings)));
                path::slice(self.context, &target, &from, &upto).map(Some)
            }
            Term::Pipe(left, right) => {
                let middle = self.one(*left, bindings, input);
                let middle = some!(noting(middle, || todo(Todo::Pipe(*right), bindings)));
                self.one(*right, bindings, Input::Owned(middle))
            }
            Term::Binary(operator, left, right) => {
                let found = self.one(*right, bindings, Input::Borrowed(input.value()));
                let right = some!(noting(found, || {
                    todo(Todo::Right(*operator, *left, input.value().clone()), bindings)
                }));
                let found = self.one(*left, bindings, input);
                let left = some!(noting(found, || todo(Todo::Left(*operator, right.clone()), bindings)));
                operator.apply(self.context, left, right).map(Some)
            }
            Term::And(left, right) => self.logic(true, *left, *right, bindings, input),
            Term::Or(left, right) => self.logic(false, *left, *right, bindings, input),
            Term::Alternative(left, right) => {
                let found = self.one(*left, bindings, Input::Borrowed(input.value()));
                let rest = || Rest::Alternative(*right, bindings.clone(), input.value().clone());
                match noting(found, rest)? {
                    Some(value) if value.is_true() => Ok(Some(value)),
                    _ => self.one(*right, bindings, input),
                }
            }
            Term::If(condition, then, otherwise) => {
                let found = self.one(*condition, bindings, Input::Borrowed(input.value()));
                let rest = || todo(Todo::If(*then, *otherwise, input.item()), bindings);
                let condition = some!(noting(found, rest));
                self.one(if condition.is_true() { *then } else { *otherwise }, bindings, input)
            }
            Term::Try(body, handler) => match self.one(*body, bindings, input) {
                Err(Raise::Error(value)) => match handler {
                    Some(handler) => self.one(*handler, bindings, Input::Owned(value)),
                    None => Ok(None),
                },
                other => noting(other, || Rest::Try(*handler, bindings.clone())),
            },
            Term::Bind(source, body) => {
                let found = self.one(*source, bindings, Input::Borrowed(input.value()));
                let value = some!(noting(found, || todo(Todo::Bind(*body, input.item()), bindings)));
                self.one(*body, &bindings.with(Bound::Value(value)), input)
            }
            Term::Outer(skip, inner) => self.one(*inner, &bindings.skip(*skip), input),
            Term::Collect(inner) => self.collect(*inner, bindings, input),
            Term::Apply(operation, arguments) => self.apply(id, operation, arguments, bindings, input),
            Term::Parameter(skip) => match bindings.get(*skip) {
                Some(Bound::Closure(id, inner)) => self.one(*id, inner, input),
                _ => Ok(None),
            },
            Term::Call(function, arguments, skip) => {
                let Some(function) = self.program.functions.get(*function) else { return Ok(None) };
                self.one(function.body, &called(arguments, *skip, bindings), input)
            }
            Term::Assign(_, _, value) => {
                let found = self.one(*value, bindings, Input::Borrowed(input.value()));
                let value = some!(noting(found, || todo(Todo::AssignValue(id, input.item()), bindings)));
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
        let found = self.one(left, bindings, Input::Borrowed(input.value()));
        let left = some!(noting(found, || todo(Todo::Logic(is_and, right, input.value().clone()), bindings)));
        if left.is_true() != is_and {
            return Ok(Some(Value::Bool(!is_and)));
        }
        let right = some!(noting(self.one(right, bindings, input), || todo(Todo::Truth, bindings)));
        Ok(Some(Value::Bool(right.is_true())))
    }

    fn field(&mut self, id: Id, target: Id, name: &Text, bindings: &Bindings, input: Input<'_>) -> Output {
        let get = |value: &Value| match value {
            Value::Object(object) => Ok(Some(object.get(name.as_str()).cloned().unwrap_or_default())),
            Value::Null => Ok(Some(Value::Null)),
            other => Err(path::cannot_index(other, &Value::String(name.clone()))),
        };
        match self.program.term(target) {
            Term::Identity => get(input.value()),
            _ => {
                let found = self.one(target, bindings, input);
                get(&some!(noting(found, || todo(Todo::Field(id), bindings))))
            }
        }
    }

    fn collect(&mut self, inner: Id, bindings: &Bindings, input: Input<'_>) -> Output {
        let only = noting(self.one(inner, bindings, input), || Rest::Collect)?;
        Value::array(only.into_iter().collect()).checked().map(Some)
    }

    fn apply(
        &mut self,
        id: Id,
        operation: &Operation,
        arguments: &[Id],
        bindings: &Bindings,
        input: Input<'_>,
    ) -> Output {
        let mut values = Vec::with_capacity(arguments.len());
        for at in 0..arguments.len() {
            let at = if operation.is_forward() { at } else { arguments.len() - 1 - at };
            let Some(argument) = arguments.get(at) else { break };
            let found = self.one(*argument, bindings, Input::Borrowed(input.value()));
            let rest = || todo(Todo::Argument(id, values.clone(), input.item()), bindings);
            values.push(some!(noting(found, rest)));
            check_key(operation, &values)?;
        }
        if !operation.is_forward() {
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
                    let found = self.one(*key, bindings, Input::Borrowed(&target));
                    if let Err(Raise::Suspended(mut suspension)) = found {
                        // What was computed of the keys is forgotten: nothing has changed yet.
                        suspension.rest.clear();
                        let anew = Todo::AssignAnew(id, value, Item::plain(target));
                        suspension.job = Job::done();
                        suspension.rest.push(todo(anew, bindings));
                        return Err(Raise::Suspended(suspension));
                    }
                    match found? {
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
            Err(target) => deletion::delete_paths(self.context, target, vec![Value::array(keys)]).map(Some),
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
                let old = path::take_path(&mut target, keys)?;
                let changed = operator.apply(self.context, old, value);
                noting(changed, || Rest::Update(keys.to_metered(), target.clone()))?
            }
            Assignment::Default => {
                // A copy is not taken apart.
                let old = path::take_path(&mut target.clone(), keys)?;
                if old.is_true() { old } else { value }
            }
            Assignment::Update => {
                let old = path::take_path(&mut target, keys)?;
                let changed = self.one(*update, bindings, Input::Owned(old));
                match noting(changed, || Rest::Update(keys.to_metered(), target.clone()))? {
                    Some(new) => new,
                    None => return Ok(Err(target)),
                }
            }
        };
        path::set_path(target, keys, new).map(Ok)
    }
}

/// Refuses the last member of an object that is being constructed if its key is not a string: members are put in one
/// after the other, so the next one is not evaluated then.
///
/// # Errors
/// jq's words for such a key.
pub(crate) fn check_key(operation: &Operation, done: &[Value]) -> Result<(), Raise> {
    match (operation, done) {
        (Operation::Object, [.., key, _])
            if done.len().is_multiple_of(2) && !matches!(key, Value::String(_)) =>
        {
            let shown = super::print::excerpt(key);
            Err(Raise::message(format!("Cannot use {} ({shown}) as object key", key.kind())))
        }
        _ => Ok(()),
    }
}

/// The output of an operation for its input and arguments.
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
        Operation::Negate(is_computed) => match arguments.first() {
            Some(Value::Number(number)) => Ok(Some(Value::Number(number.negated(*is_computed)))),
            other => Err(Raise::about(other.unwrap_or(&Value::Null), "cannot be negated")),
        },
        Operation::Interpolate(format, pieces) => {
            format::interpolate(context, *format, pieces, arguments).map(Some)
        }
        Operation::Object => {
            let mut object = Object::with_capacity(arguments.len() / 2);
            let mut arguments = arguments.into_iter();
            while let (Some(key), Some(value)) = (arguments.next(), arguments.next()) {
                if let Value::String(name) = key {
                    object.insert(name, value);
                }
            }
            Value::Object(object).checked().map(Some)
        }
        Operation::GetPath => match arguments.first() {
            Some(Value::Array(keys)) => path::get_path(context, &input, keys.items()).map(Some),
            _ => Err(Raise::message("Path must be specified as an array")),
        },
        Operation::Error => match arguments.into_iter().next() {
            None => Err(Raise::Error(Value::Null)),
            Some(value) => Err(Raise::Error(value)),
        },
        Operation::Range | Operation::Limit(_) | Operation::Input(_) | Operation::ModuleMeta => Ok(None),
    }
}
