//! Expansion at run time, in POSIX's order: the compiler made brace expansion and the order of the parts; what is here
//! reads parameters, applies their operators, evaluates arithmetic, and turns a built word into fields.

mod arithmetic;
mod change;
mod conditional;
mod field;
mod list;
mod operator;
mod parameter;
mod pathname;
mod reference;
mod tilde;
mod transform;
mod unset;
mod value;

pub(crate) use change::with_case;
pub(crate) use field::{defers_braces, matches};
