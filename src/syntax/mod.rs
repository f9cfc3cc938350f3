//! Bytes to AST: lexer and parser of the shell language. Depends on nothing of ours but `text` and `limit`.

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
mod resolve;
pub(crate) mod shown;
mod simple;
mod skim;
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
