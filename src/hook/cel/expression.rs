//! The tree of an expression. Operators of one level and chains of members are lists, so that its depth is that of the
//! brackets alone.

use super::value::Literal;
use crate::hook::matcher::Regex;

#[derive(Debug)]
pub(super) enum Expression {
    Literal(Literal),
    /// A variable, or the name that a macro binds, by its place.
    Slot(usize),
    /// `base.field`, `base[index]`, `base.call(...)`, one after another.
    Path(Box<Self>, Vec<Selector>),
    /// `has(base.field)`
    Has(Box<Self>, String),
    /// `!`; whether an odd number of them.
    Not(Box<Self>, bool),
    /// `-`; whether an odd number of them.
    Negate(Box<Self>, bool),
    /// Left to right.
    Arithmetic(Box<Self>, Vec<(Arithmetic, Self)>),
    /// Left to right.
    Relation(Box<Self>, Vec<(Relation, Self)>),
    And(Vec<Self>),
    Or(Vec<Self>),
    /// `if ? then : if ? then : else`
    Conditional(Vec<(Self, Self)>, Box<Self>),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Call(Function, Vec<Self>),
}

#[derive(Debug)]
pub(super) enum Selector {
    Field(String),
    Index(Expression),
    /// A function whose first argument stands before the dot.
    Call(Function, Vec<Expression>),
    Macro(Box<Macro>),
}

#[derive(Debug)]
pub(super) struct Macro {
    pub(super) kind: MacroKind,
    /// `map` with three arguments has a filter.
    pub(super) filter: Option<Expression>,
    pub(super) body: Expression,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MacroKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

impl MacroKind {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "exists" => Self::Exists,
            "exists_one" | "existsOne" => Self::ExistsOne,
            "map" => Self::Map,
            "filter" => Self::Filter,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

#[derive(Debug)]
pub(super) enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    /// With the expression, where it is a literal.
    Matches(Option<Regex>),
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Bool,
    Dyn,
    Type,
    Timestamp,
    Duration,
    Part(TimePart),
}

/// A part of a time, or of a span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimePart {
    FullYear,
    Month,
    Date,
    DayOfMonth,
    DayOfWeek,
    DayOfYear,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
}

impl TimePart {
    /// Whether spans of time have it too.
    pub(super) const fn is_of_duration(self) -> bool {
        matches!(self, Self::Hours | Self::Minutes | Self::Seconds | Self::Milliseconds)
    }

    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "getFullYear" => Self::FullYear,
            "getMonth" => Self::Month,
            "getDate" => Self::Date,
            "getDayOfMonth" => Self::DayOfMonth,
            "getDayOfWeek" => Self::DayOfWeek,
            "getDayOfYear" => Self::DayOfYear,
            "getHours" => Self::Hours,
            "getMinutes" => Self::Minutes,
            "getSeconds" => Self::Seconds,
            "getMilliseconds" => Self::Milliseconds,
            _ => return None,
        })
    }
}

impl Function {
    /// By name; the number of arguments, the receiver among them.
    pub(super) fn from_name(name: &str, receiver: bool) -> Option<(Self, usize)> {
        Some(match (name, receiver) {
            ("size", _) => (Self::Size, 1),
            ("matches", _) => (Self::Matches(None), 2),
            ("contains", true) => (Self::Contains, 2),
            ("startsWith", true) => (Self::StartsWith, 2),
            ("endsWith", true) => (Self::EndsWith, 2),
            ("int", false) => (Self::Int, 1),
            ("uint", false) => (Self::Uint, 1),
            ("double", false) => (Self::Double, 1),
            ("string", false) => (Self::String, 1),
            ("bytes", false) => (Self::Bytes, 1),
            ("bool", false) => (Self::Bool, 1),
            ("dyn", false) => (Self::Dyn, 1),
            ("type", false) => (Self::Type, 1),
            ("timestamp", false) => (Self::Timestamp, 1),
            ("duration", false) => (Self::Duration, 1),
            (name, true) => (Self::Part(TimePart::from_name(name)?), 1),
            _ => return None,
        })
    }
}
