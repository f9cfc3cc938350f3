//! The types of an expression, as far as they are known before it runs: what can never have a value is an error when the
//! config is loaded, as CEL's type checker has it. What comes from `tool_input` may be anything; numbers mix, as they do at
//! evaluation; elements of lists and maps are not followed.

use super::expression::{Arithmetic, Expression, Function, Macro, MacroKind, Relation, Selector};
use super::value::Literal;

/// A type, or that it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook) enum Kind {
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    List,
    Map,
    Type,
    Timestamp,
    Duration,
}

use Kind::{Bool, Bytes, Double, Duration, Dyn, Int, List, Map, Null, String as Text, Timestamp, Type, Uint};

type Checked = Result<Kind, std::string::String>;

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Dyn => "dyn",
            Null => "null_type",
            Bool => "bool",
            Int => "int",
            Uint => "uint",
            Double => "double",
            Text => "string",
            Bytes => "bytes",
            List => "list",
            Map => "map",
            Type => "type",
            Timestamp => "google.protobuf.Timestamp",
            Duration => "google.protobuf.Duration",
        }
    }

    const fn is_number(self) -> bool {
        matches!(self, Int | Uint | Double)
    }

    fn is_one_of(self, wanted: &[Self]) -> bool {
        self == Dyn || wanted.contains(&self)
    }
}

fn none(what: &str, kinds: &[Kind]) -> Checked {
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    Err(format!("found no matching overload for '{what}' applied to '({})'", names.join(", ")))
}

/// The type of `expression`, whose slots have the types `scope`. Depth is that of the brackets, which the parser bounds.
pub(super) fn check(expression: &Expression, scope: &mut Vec<Kind>) -> Checked {
    match expression {
        Expression::Literal(literal) => Ok(of_literal(literal)),
        Expression::Slot(slot) => Ok(scope.get(*slot).copied().unwrap_or(Dyn)),
        Expression::Path(base, steps) => {
            let base = check(base, scope)?;
            steps.iter().try_fold(base, |kind, step| of_step(kind, step, scope))
        }
        Expression::Has(base, _) => match check(base, scope)? {
            Map | Dyn => Ok(Bool),
            other => none("has", &[other]),
        },
        Expression::Not(inner, _) => {
            condition(inner, "!_", scope)?;
            Ok(Bool)
        }
        Expression::Negate(inner, _) => match check(inner, scope)? {
            kind @ (Int | Double | Dyn) => Ok(kind),
            other => none("-_", &[other]),
        },
        Expression::Arithmetic(first, rest) => {
            let mut kind = check(first, scope)?;
            for (operator, next) in rest {
                kind = of_arithmetic(*operator, kind, check(next, scope)?)?;
            }
            Ok(kind)
        }
        Expression::Relation(first, rest) => {
            let mut kind = check(first, scope)?;
            for (relation, next) in rest {
                kind = of_relation(*relation, kind, check(next, scope)?)?;
            }
            Ok(kind)
        }
        Expression::And(parts) => all_conditions(parts, "_&&_", scope),
        Expression::Or(parts) => all_conditions(parts, "_||_", scope),
        Expression::Conditional(arms, otherwise) => {
            let mut kind = check(otherwise, scope)?;
            for (test, then) in arms {
                condition(test, "_?_:_", scope)?;
                if check(then, scope)? != kind {
                    kind = Dyn;
                }
            }
            Ok(kind)
        }
        Expression::List(items) => {
            items.iter().try_for_each(|item| check(item, scope).map(|_| ()))?;
            Ok(List)
        }
        Expression::Map(members) => {
            for (key, value) in members {
                check(key, scope)?;
                check(value, scope)?;
            }
            Ok(Map)
        }
        Expression::Call(function, arguments) => {
            let kinds: Result<Vec<_>, _> = arguments.iter().map(|argument| check(argument, scope)).collect();
            of_call(function, &kinds?)
        }
    }
}

fn condition(expression: &Expression, what: &str, scope: &mut Vec<Kind>) -> Result<(), std::string::String> {
    match check(expression, scope)? {
        Bool | Dyn => Ok(()),
        other => none(what, &[other]).map(|_| ()),
    }
}

fn all_conditions(parts: &[Expression], what: &str, scope: &mut Vec<Kind>) -> Checked {
    parts.iter().try_for_each(|part| condition(part, what, scope))?;
    Ok(Bool)
}

const fn of_literal(literal: &Literal) -> Kind {
    match literal {
        Literal::Null => Null,
        Literal::Bool(_) => Bool,
        Literal::Int(_) => Int,
        Literal::Uint(_) => Uint,
        Literal::Double(_) => Double,
        Literal::String(_) => Text,
        Literal::Bytes(_) => Bytes,
        Literal::Type(_) => Type,
    }
}

fn of_step(base: Kind, step: &Selector, scope: &mut Vec<Kind>) -> Checked {
    match step {
        Selector::Field(_) if base.is_one_of(&[Map]) => Ok(Dyn),
        Selector::Field(name) => {
            Err(format!("type '{}' does not support field selection of '{name}'", base.name()))
        }
        Selector::Index(index) => {
            let index = check(index, scope)?;
            let fits = match base {
                List => index.is_one_of(&[Int, Uint, Double]),
                Map | Dyn => true,
                _ => false,
            };
            if fits { Ok(Dyn) } else { none("_[_]", &[base, index]) }
        }
        Selector::Call(function, arguments) => {
            let mut kinds = vec![base];
            for argument in arguments {
                kinds.push(check(argument, scope)?);
            }
            of_call(function, &kinds)
        }
        Selector::Macro(step) => of_macro(base, step, scope),
    }
}

fn of_macro(base: Kind, step: &Macro, scope: &mut Vec<Kind>) -> Checked {
    if !base.is_one_of(&[List, Map]) {
        return Err(format!("expression of type '{}' cannot be range of a comprehension", base.name()));
    }
    scope.push(Dyn);
    let parts = match (step.kind, &step.filter) {
        (MacroKind::Map, None) => check(&step.body, scope).map(|_| ()),
        (MacroKind::Map, Some(filter)) => {
            condition(filter, "_?_:_", scope).and_then(|()| check(&step.body, scope).map(|_| ()))
        }
        _ => condition(&step.body, "_?_:_", scope),
    };
    scope.pop();
    parts?;
    Ok(if matches!(step.kind, MacroKind::Map | MacroKind::Filter) { List } else { Bool })
}

fn of_arithmetic(operator: Arithmetic, a: Kind, b: Kind) -> Checked {
    let (sign, adds) = match operator {
        Arithmetic::Add => ("_+_", true),
        Arithmetic::Subtract => ("_-_", false),
        Arithmetic::Multiply => ("_*_", false),
        Arithmetic::Divide => ("_/_", false),
        Arithmetic::Remainder => ("_%_", false),
    };
    let mixes = operator != Arithmetic::Remainder && (a == Double || b == Double);
    match (a, b) {
        (Int, Int) | (Uint, Uint) => Ok(a),
        (Text, Text) | (Bytes, Bytes) | (List, List) if adds => Ok(a),
        (Timestamp, Duration) | (Duration, Timestamp) if adds => Ok(Timestamp),
        (Timestamp, Duration) if operator == Arithmetic::Subtract => Ok(Timestamp),
        (Timestamp, Timestamp) if operator == Arithmetic::Subtract => Ok(Duration),
        (Duration, Duration) if adds || operator == Arithmetic::Subtract => Ok(Duration),
        _ if mixes && a.is_number() && b.is_number() => Ok(Double),
        (Dyn, other) | (other, Dyn) => {
            let fits = other == Dyn
                || other.is_number()
                || (adds && matches!(other, Text | Bytes | List))
                || ((adds || operator == Arithmetic::Subtract) && matches!(other, Timestamp | Duration));
            if fits { Ok(Dyn) } else { none(sign, &[a, b]) }
        }
        _ => none(sign, &[a, b]),
    }
}

fn of_relation(relation: Relation, a: Kind, b: Kind) -> Checked {
    let known = a == Dyn || b == Dyn || a == b || (a.is_number() && b.is_number());
    let ordered =
        |kind: Kind| kind.is_number() || matches!(kind, Dyn | Bool | Text | Bytes | Timestamp | Duration);
    let (sign, fits) = match relation {
        Relation::Equal => ("_==_", known),
        Relation::NotEqual => ("_!=_", known),
        Relation::In => ("@in", b.is_one_of(&[List, Map])),
        Relation::Less => ("_<_", known && ordered(a) && ordered(b)),
        Relation::LessOrEqual => ("_<=_", known && ordered(a) && ordered(b)),
        Relation::Greater => ("_>_", known && ordered(a) && ordered(b)),
        Relation::GreaterOrEqual => ("_>=_", known && ordered(a) && ordered(b)),
    };
    if fits { Ok(Bool) } else { none(sign, &[a, b]) }
}

fn of_call(function: &Function, kinds: &[Kind]) -> Checked {
    let numbers: &[Kind] = &[Int, Uint, Double, Text];
    if let (Function::Part(part), [base, zone @ ..]) = (function, kinds) {
        let wanted: &[Kind] = if part.is_of_duration() { &[Timestamp, Duration] } else { &[Timestamp] };
        let fits = base.is_one_of(wanted) && zone.iter().all(|zone| zone.is_one_of(&[Text]));
        return if fits { Ok(Int) } else { none("a part of a time", kinds) };
    }
    let (name, wanted, gives): (&str, &[Kind], Kind) = match function {
        Function::Size => ("size", &[Text, Bytes, List, Map], Int),
        Function::Contains => ("contains", &[Text], Bool),
        Function::StartsWith => ("startsWith", &[Text], Bool),
        Function::EndsWith => ("endsWith", &[Text], Bool),
        Function::Matches(_) => ("matches", &[Text], Bool),
        Function::Int => ("int", &[Int, Uint, Double, Text, Timestamp, Duration], Int),
        Function::Uint => ("uint", numbers, Uint),
        Function::Double => ("double", numbers, Double),
        Function::String => ("string", &[Int, Uint, Double, Text, Bytes, Bool, Timestamp, Duration], Text),
        Function::Bytes => ("bytes", &[Text, Bytes], Bytes),
        Function::Bool => ("bool", &[Bool, Text], Bool),
        Function::Timestamp => ("timestamp", &[Int, Text, Timestamp], Timestamp),
        Function::Duration => ("duration", &[Text, Duration], Duration),
        Function::Dyn | Function::Part(_) => return Ok(Dyn),
        Function::Type => return Ok(Type),
    };
    if kinds.iter().all(|kind| kind.is_one_of(wanted)) { Ok(gives) } else { none(name, kinds) }
}
