//! Bytes in, syntax trees out: the lexer, the parser and the printer of the shell language.
//!
//! [`Parser`] reads one complete command after another, as bash does, because an alias or an option that a command sets
//! changes how the next one is read. There is no stream of tokens: the parser asks the lexer for what may stand at the
//! cursor. `compound.rs`, `simple.rs`, `word.rs`, `substitution.rs`, `parameter.rs`, `arithmetic.rs`, `conditional.rs`,
//! `redirection.rs` and `here_document.rs` each read one part of the grammar into the nodes of [`ast`]. `skim.rs` finds
//! where a body ends without reading it, for what may never run. `print.rs` writes trees as `declare -f` does.
//!
//! Invariants: every node has the span of its source; all brackets, quotes and compound commands share one depth budget, so
//! nothing recurses deeper than it; errors have bash's words and the line where it tells of them. The layer depends on
//! `text`, `memory` and `limit` alone. New syntax is a node of [`ast`], the function that reads it, and the one that prints it.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod alias;
mod ansi;
mod arithmetic;
mod assignment;
pub mod ast;
mod byte;
mod compound;
mod conditional;
mod error;
mod here_document;
mod lexer;
mod options;
mod parameter;
mod parser;
mod print;
mod print_word;
mod quote;
mod redirection;
pub(crate) mod shown;
mod simple;
mod skim;
pub(crate) mod subscript;
mod substitution;
mod word;

use crate::memory::Vec;
pub use arithmetic::parse_arithmetic;
pub use error::{ArithmeticError, ArithmeticErrorKind, ParseError, ParseErrorKind, ParseWarning};
pub use options::{Aliases, NoAliases, ParseOptions};
pub use parser::Parser;
pub(crate) use parser::parse_assignment;
pub use print::{print_command, print_function, print_list};
pub(crate) use skim::changes_parser;

/// Whether a whole text is surely well formed, at a fraction of the cost of parsing it. False says nothing: the parser
/// knows.
pub fn is_well_formed(text: &[u8], options: &ParseOptions) -> bool {
    options.can_skim() && skim::is_well_formed(text, options.depth / skim::PARSER_LEVELS)
}

/// Decodes the escapes of `$'...'` in a text.
pub(crate) fn expand_ansi_c(text: &[u8]) -> Vec<u8> {
    ansi::decode_ansi(text)
}
