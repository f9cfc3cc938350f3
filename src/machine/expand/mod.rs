//! Expansion at run time, in POSIX's order: the compiler made brace expansion and the order of the parts; what is here
//! reads parameters, applies their operators, evaluates arithmetic, and turns a built word into fields.

mod arithmetic;
mod arithmetic_prefix;
mod change;
mod conditional;
mod field;
mod operator;
mod parameter;
mod pathname;
mod subscript;
mod tilde;
mod transform;

pub(crate) use change::with_case;
pub(crate) use field::matches;
pub(crate) use parameter::ListOf;
