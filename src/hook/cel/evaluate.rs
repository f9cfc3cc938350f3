//! Runs an expression. Every node costs one, every element looked at one more, every 64 or 256 bytes of a text another one; a
//! cost that is used up ends the evaluation, whatever stands around it. Other errors are absorbed by `&&`, `||`, `all` and
//! `exists` as CEL has it: `false && error` is false.

use super::convert::{convert, double, size, whole};
use super::expression::{Arithmetic, Expression, Function, Macro, MacroKind, Relation, Selector};
use super::time;
use super::value::{List, Map, Value, is_whole};
use crate::hook::matcher::RegexCompiler;
use crate::hook::re2;
use std::cmp::Ordering;

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::hook) enum EvaluationError {
    /// The cost limit.
    #[error("the evaluation costs more than {0}")]
    Cost(u64),
    /// A key or index that is not there.
    #[error("no such key: {0}")]
    NoSuchKey(String),
    /// An operation that these types do not have.
    #[error("no such overload: {0}")]
    NoSuchOverload(String),
    /// Overflow, division by zero, a text that is not a number, a bad expression.
    #[error("{0}")]
    Value(String),
}

type Outcome<T> = Result<T, EvaluationError>;

/// Bytes for each unit of cost: of comparing and copying, and of searching with an expression.
const TEXT_STEP: usize = 256;
const REGEX_STEP: usize = 64;
/// What compiling an expression costs that is not a literal, and how large it may become, in bytes.
const REGEX_COST: usize = 5_000;
const REGEX_BYTES: u64 = 256 << 10;

pub(super) struct Evaluation<'a> {
    /// Variables and what macros bind, by slot.
    slots: Vec<Value<'a>>,
    limit: u64,
    left: u64,
}

pub(super) fn overload(what: &str, values: &[&Value<'_>]) -> EvaluationError {
    let types: Vec<_> = values.iter().map(|value| value.type_name()).collect();
    EvaluationError::NoSuchOverload(format!("{what}({})", types.join(", ")))
}

pub(super) fn wrong(message: &str) -> EvaluationError {
    EvaluationError::Value(message.to_owned())
}

impl<'a> Evaluation<'a> {
    pub(super) const fn new(slots: Vec<Value<'a>>, cost: u64) -> Self {
        Self { slots, limit: cost, left: cost }
    }

    fn charge(&mut self, cost: usize) -> Outcome<()> {
        let left = self.left.checked_sub(cost as u64);
        self.left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(EvaluationError::Cost(self.limit))
    }

    /// Recursion is that of the expression's brackets, which its parser bounds.
    pub(super) fn value(&mut self, expression: &'a Expression) -> Outcome<Value<'a>> {
        self.charge(1)?;
        match expression {
            Expression::Literal(literal) => Ok(Value::of(literal)),
            Expression::Slot(slot) => self.slots.get(*slot).cloned().ok_or_else(|| wrong("no such variable")),
            Expression::Path(base, steps) => {
                let base = self.value(base)?;
                steps.iter().try_fold(base, |value, step| self.step(value, step))
            }
            Expression::Has(base, field) => match self.value(base)? {
                Value::Map(map) => Ok(Value::Bool(self.lookup(&map, &Value::text(field))?.is_some())),
                other => Err(overload("has", &[&other])),
            },
            Expression::Not(inner, odd) => {
                let value = self.bool(inner)?;
                Ok(Value::Bool(value != *odd))
            }
            Expression::Negate(inner, odd) => {
                let value = self.value(inner)?;
                match (value, odd) {
                    (value @ (Value::Int(_) | Value::Double(_)), false) => Ok(value),
                    (Value::Double(value), true) => Ok(Value::Double(-value)),
                    (Value::Int(value), true) => {
                        value.checked_neg().map(Value::Int).ok_or_else(|| wrong("integer overflow"))
                    }
                    (other, _) => Err(overload("-", &[&other])),
                }
            }
            Expression::Arithmetic(first, rest) => {
                let mut value = self.value(first)?;
                for (operator, next) in rest {
                    let next = self.value(next)?;
                    value = self.arithmetic(*operator, &value, &next)?;
                }
                Ok(value)
            }
            Expression::Relation(first, rest) => {
                let mut value = self.value(first)?;
                for (relation, next) in rest {
                    let next = self.value(next)?;
                    value = Value::Bool(self.relation(*relation, &value, &next)?);
                }
                Ok(value)
            }
            Expression::And(parts) => self.joined(parts, false),
            Expression::Or(parts) => self.joined(parts, true),
            Expression::Conditional(arms, otherwise) => {
                for (condition, then) in arms {
                    if self.bool(condition)? {
                        return self.value(then);
                    }
                }
                self.value(otherwise)
            }
            Expression::List(items) => {
                let items = items.iter().map(|item| self.value(item)).collect::<Outcome<Vec<_>>>()?;
                Ok(Value::List(List::Made(items.into())))
            }
            Expression::Map(members) => self.map(members),
            Expression::Call(function, arguments) => {
                let values = arguments.iter().map(|argument| self.value(argument));
                let values = values.collect::<Outcome<Vec<_>>>()?;
                self.call(function, &values)
            }
        }
    }

    fn bool(&mut self, expression: &'a Expression) -> Outcome<bool> {
        match self.value(expression)? {
            Value::Bool(value) => Ok(value),
            other => Err(overload("bool", &[&other])),
        }
    }

    /// `||` (`decisive` is true) and `&&`: one decisive part decides, whatever the others are.
    fn joined(&mut self, parts: &'a [Expression], decisive: bool) -> Outcome<Value<'a>> {
        let mut error = None;
        for part in parts {
            match self.bool(part) {
                Ok(value) if value == decisive => return Ok(Value::Bool(decisive)),
                Ok(_) => {}
                Err(cost @ EvaluationError::Cost(_)) => return Err(cost),
                Err(other) => error = error.or(Some(other)),
            }
        }
        error.map_or(Ok(Value::Bool(!decisive)), Err)
    }

    fn map(&mut self, members: &'a [(Expression, Expression)]) -> Outcome<Value<'a>> {
        let mut all: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            let key = self.value(key)?;
            if !matches!(key, Value::String(_) | Value::Int(_) | Value::Uint(_) | Value::Bool(_)) {
                return Err(EvaluationError::Value(format!("a {} can not be a key", key.type_name())));
            }
            self.charge(all.len())?;
            if all.iter().any(|(known, _)| known.same_scalar(&key)) {
                return Err(wrong("repeated key in a map"));
            }
            let value = self.value(value)?;
            all.push((key, value));
        }
        Ok(Value::Map(Map::Made(all.into())))
    }

    fn step(&mut self, value: Value<'a>, step: &'a Selector) -> Outcome<Value<'a>> {
        self.charge(1)?;
        match step {
            Selector::Field(name) => match &value {
                Value::Map(map) => {
                    let found = self.lookup(map, &Value::text(name))?;
                    found.ok_or_else(|| EvaluationError::NoSuchKey(name.clone()))
                }
                other => Err(overload("select", &[other])),
            },
            Selector::Index(index) => {
                let index = self.value(index)?;
                self.index(&value, &index)
            }
            Selector::Call(function, arguments) => {
                let mut values = vec![value];
                for argument in arguments {
                    values.push(self.value(argument)?);
                }
                self.call(function, &values)
            }
            Selector::Macro(step) => self.comprehension(&value, step),
        }
    }

    fn lookup(&mut self, map: &Map<'a>, key: &Value<'_>) -> Outcome<Option<Value<'a>>> {
        if let Map::Made(members) = map {
            self.charge(members.len())?;
        }
        Ok(map.get(key))
    }

    fn index(&mut self, value: &Value<'a>, index: &Value<'a>) -> Outcome<Value<'a>> {
        match value {
            Value::Map(map) => {
                let found = self.lookup(map, index)?;
                found.ok_or_else(|| EvaluationError::NoSuchKey(key_text(index)))
            }
            Value::List(list) => {
                let place = match index {
                    Value::Double(value) if is_whole(*value) => Some(*value as i128),
                    other => other.integer(),
                };
                let Some(place) = place else { return Err(overload("_[_]", &[value, index])) };
                let found = usize::try_from(place).ok().and_then(|place| list.get(place));
                found.ok_or_else(|| EvaluationError::Value(format!("index out of bounds: {place}")))
            }
            other => Err(overload("_[_]", &[other, index])),
        }
    }

    fn arithmetic(&mut self, operator: Arithmetic, a: &Value<'a>, b: &Value<'a>) -> Outcome<Value<'a>> {
        let none = || overload(sign(operator), &[a, b]);
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => whole(operator, *a, *b).map(Value::Int),
            (Value::Uint(a), Value::Uint(b)) => whole(operator, *a, *b).map(Value::Uint),
            (Value::Double(_), _) | (_, Value::Double(_)) => {
                let (a, b) = (double(a).ok_or_else(none)?, double(b).ok_or_else(none)?);
                let value = match operator {
                    Arithmetic::Add => a + b,
                    Arithmetic::Subtract => a - b,
                    Arithmetic::Multiply => a * b,
                    Arithmetic::Divide => a / b,
                    Arithmetic::Remainder => return Err(none()),
                };
                Ok(Value::Double(value))
            }
            (Value::String(a), Value::String(b)) if operator == Arithmetic::Add => {
                let (a, b) = (a.as_str(), b.as_str());
                self.charge(a.len().saturating_add(b.len()) / 8)?;
                Ok(Value::owned([a, b].concat()))
            }
            (Value::Bytes(a), Value::Bytes(b)) if operator == Arithmetic::Add => {
                self.charge(a.len().saturating_add(b.len()) / 8)?;
                Ok(Value::Bytes([a.as_ref(), b.as_ref()].concat().into()))
            }
            (Value::List(a), Value::List(b)) if operator == Arithmetic::Add => {
                self.charge(a.len().saturating_add(b.len()))?;
                let first = (0..a.len()).filter_map(|index| a.get(index));
                let second = (0..b.len()).filter_map(|index| b.get(index));
                Ok(Value::List(List::Made(first.chain(second).collect::<Vec<_>>().into())))
            }
            _ => time::arithmetic(operator, a, b).unwrap_or_else(|| Err(none())),
        }
    }

    fn relation(&mut self, relation: Relation, a: &Value<'a>, b: &Value<'a>) -> Outcome<bool> {
        let order = match relation {
            Relation::Equal => return self.equal(a, b),
            Relation::NotEqual => return self.equal(a, b).map(|same| !same),
            Relation::In => return self.contains(b, a),
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Greater => ">",
            Relation::GreaterOrEqual => ">=",
        };
        self.charge(text_length(a).min(text_length(b)) / TEXT_STEP)?;
        let nan = |value: &Value<'_>| matches!(value, Value::Double(value) if value.is_nan());
        let Some(found) = a.compare(b) else {
            return if nan(a) || nan(b) { Ok(false) } else { Err(overload(order, &[a, b])) };
        };
        Ok(match relation {
            Relation::Less => found == Ordering::Less,
            Relation::LessOrEqual => found != Ordering::Greater,
            Relation::Greater => found == Ordering::Greater,
            _ => found != Ordering::Less,
        })
    }

    /// Depth is that of the values: of parsed JSON, or of the expression.
    fn equal(&mut self, a: &Value<'a>, b: &Value<'a>) -> Outcome<bool> {
        self.charge(1 + text_length(a).min(text_length(b)) / TEXT_STEP)?;
        match (a, b) {
            (Value::List(a), Value::List(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for index in 0..a.len() {
                    let (Some(a), Some(b)) = (a.get(index), b.get(index)) else { return Ok(false) };
                    if !self.equal(&a, &b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Map(a), Value::Map(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                self.charge(a.len())?;
                for key in a.keys() {
                    let (Some(a), Some(b)) = (self.lookup(a, &key)?, self.lookup(b, &key)?) else {
                        return Ok(false);
                    };
                    if !self.equal(&a, &b)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(a.same_scalar(b)),
        }
    }

    fn contains(&mut self, whole: &Value<'a>, part: &Value<'a>) -> Outcome<bool> {
        match whole {
            Value::List(list) => {
                for index in 0..list.len() {
                    if let Some(item) = list.get(index)
                        && self.equal(&item, part)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Value::Map(map) => Ok(self.lookup(map, part)?.is_some()),
            other => Err(overload("in", &[part, other])),
        }
    }

    fn comprehension(&mut self, value: &Value<'a>, step: &'a Macro) -> Outcome<Value<'a>> {
        let list = match value {
            Value::List(list) => list.clone(),
            Value::Map(map) => {
                self.charge(map.len())?;
                List::Made(map.keys().into())
            }
            other => return Err(overload("comprehension", &[other])),
        };
        let mut state = Collected { items: Vec::new(), hits: 0, error: None };
        for index in 0..list.len() {
            self.charge(1)?;
            let Some(item) = list.get(index) else { break };
            self.slots.push(item.clone());
            let decided = self.turn(step, item, &mut state);
            self.slots.pop();
            if let Some(value) = decided? {
                return Ok(value);
            }
        }
        match (step.kind, state.error) {
            (_, Some(error)) => Err(error),
            (MacroKind::All, None) => Ok(Value::Bool(true)),
            (MacroKind::Exists, None) => Ok(Value::Bool(false)),
            (MacroKind::ExistsOne, None) => Ok(Value::Bool(state.hits == 1)),
            (MacroKind::Map | MacroKind::Filter, None) => Ok(Value::List(List::Made(state.items.into()))),
        }
    }

    /// One element; a value when it decides the whole.
    fn turn(
        &mut self,
        step: &'a Macro,
        item: Value<'a>,
        state: &mut Collected<'a>,
    ) -> Outcome<Option<Value<'a>>> {
        match step.kind {
            MacroKind::All | MacroKind::Exists => {
                let decisive = step.kind == MacroKind::Exists;
                match self.bool(&step.body) {
                    Ok(value) if value == decisive => return Ok(Some(Value::Bool(decisive))),
                    Ok(_) => {}
                    Err(cost @ EvaluationError::Cost(_)) => return Err(cost),
                    Err(other) => state.error = state.error.take().or(Some(other)),
                }
            }
            MacroKind::ExistsOne => state.hits += usize::from(self.bool(&step.body)?),
            MacroKind::Filter => {
                if self.bool(&step.body)? {
                    state.items.push(item);
                }
            }
            MacroKind::Map => {
                let wanted = match &step.filter {
                    Some(filter) => self.bool(filter)?,
                    None => true,
                };
                if wanted {
                    let value = self.value(&step.body)?;
                    state.items.push(value);
                }
            }
        }
        Ok(None)
    }

    fn call(&mut self, function: &'a Function, values: &[Value<'a>]) -> Outcome<Value<'a>> {
        let length = values.iter().map(text_length).fold(0_usize, usize::saturating_add);
        self.charge(length / TEXT_STEP)?;
        match (function, values) {
            (Function::Size, [value]) => size(value),
            (Function::Contains, [Value::String(text), Value::String(part)]) => Ok(Value::Bool(
                memchr::memmem::find(text.as_str().as_bytes(), part.as_str().as_bytes()).is_some(),
            )),
            (Function::StartsWith, [Value::String(text), Value::String(part)]) => {
                Ok(Value::Bool(text.as_str().starts_with(part.as_str())))
            }
            (Function::EndsWith, [Value::String(text), Value::String(part)]) => {
                Ok(Value::Bool(text.as_str().ends_with(part.as_str())))
            }
            (Function::Matches(known), [Value::String(text), Value::String(pattern)]) => {
                self.charge(text.as_str().len() / REGEX_STEP)?;
                if let Some(regex) = known {
                    return Ok(Value::Bool(regex.is_match(text.as_str())));
                }
                self.charge(REGEX_COST)?;
                let regex = re2::compile(pattern.as_str(), &mut RegexCompiler::new(REGEX_BYTES));
                let regex = regex.map_err(EvaluationError::Value)?;
                Ok(Value::Bool(regex.is_match(text.as_str())))
            }
            (Function::Dyn, [value]) => Ok(value.clone()),
            (Function::Part(part), values) => time::part(*part, values),
            (Function::Timestamp | Function::Duration, [value]) => time::convert(function, value),
            (Function::Type, [value]) => Ok(Value::Type(value.type_name())),
            (_, [value]) => convert(function, value),
            _ => Err(overload(&format!("{function:?}"), &values.iter().collect::<Vec<_>>())),
        }
    }
}

/// What a macro has gathered so far.
struct Collected<'a> {
    items: Vec<Value<'a>>,
    hits: usize,
    error: Option<EvaluationError>,
}

fn text_length(value: &Value<'_>) -> usize {
    match value {
        Value::String(text) => text.as_str().len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

fn key_text(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => crate::hook::json::cut(text.as_str(), 120).to_owned(),
        other => other.type_name().to_owned(),
    }
}

const fn sign(operator: Arithmetic) -> &'static str {
    match operator {
        Arithmetic::Add => "+",
        Arithmetic::Subtract => "-",
        Arithmetic::Multiply => "*",
        Arithmetic::Divide => "/",
        Arithmetic::Remainder => "%",
    }
}
