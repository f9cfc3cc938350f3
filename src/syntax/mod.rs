//! Bytes to AST: lexer and parser of the shell language. Depends on nothing of ours but `text` and `limit`.

mod alias;
mod arithmetic;
mod assignment;
pub mod ast;
mod compound;
mod conditional;
mod error;
mod here_document;
mod lexer;
mod parameter;
mod parser;
mod quote;
mod redirection;
mod resolve;
mod simple;
mod substitution;
mod word;

pub use arithmetic::parse_arithmetic;
pub use error::{ArithmeticError, ArithmeticErrorKind, ParseError, ParseErrorKind, ParseWarning};
pub use parser::{Aliases, NoAliases, ParseOptions, Parser};
