//! Templates of Go (`text/template`) over a payload, which is a structure there: whoever has one says which fields it has
//! ([`Structure`]).
//!
//! 1. `lexer.rs` cuts the text into literal parts and the words of actions, with `{{-` and `-}}` applied.
//! 2. `parser.rs` makes a tree: actions, `if`, `with`, `range` with their `else`, `break` and `continue`.
//! 3. `render.rs` walks it; what loops cost is counted, and a prompt has a longest length.
//! 4. `check.rs` looks for fields that no payload has, `function.rs` has the functions, `print.rs` prints values as Go does,
//!    `value.rs` says what a value is, `structure.rs` what a structure is.
//!
//! Beside the functions of Go there are `toJSON` and `truncate`. `define`, `template` and `block`, methods, complex numbers and
//! characters in single quotes are not there: such a template cannot be read.

mod check;
mod function;
mod lexer;
mod parser;
mod print;
mod render;
mod structure;
mod value;

#[cfg(test)]
mod tests;

pub(in crate::hook) use structure::{Kind, Structure};

use parser::Node;
use serde_json::{Map, Value};
use value::Missing;

/// A template, read.
#[derive(Clone, Debug)]
pub(in crate::hook) struct Template(Vec<Node>);

impl Template {
    /// Reads a template; the error is what is wrong with it, in a line.
    pub(in crate::hook) fn parse(text: &str) -> Result<Self, String> {
        parser::parse(lexer::parts(text)?).map(Self)
    }

    /// A field that it wants of the payload and that no payload of the structure has.
    pub(in crate::hook) fn unknown_field(&self, of: &Structure) -> Option<&str> {
        check::unknown_field(&self.0, of)
    }

    /// The text for a payload; the error says what could not be rendered.
    pub(in crate::hook) fn render(
        &self,
        of: &'static Structure,
        payload: &Map<String, Value>,
    ) -> Result<String, String> {
        render::render(&self.0, of, payload, Missing::IsNil)
    }

    /// The same, where a name that a map does not have is an error.
    pub(in crate::hook) fn render_known(
        &self,
        of: &'static Structure,
        payload: &Map<String, Value>,
    ) -> Result<String, String> {
        render::render(&self.0, of, payload, Missing::IsError)
    }
}
