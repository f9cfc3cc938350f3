//! Bytes to AST: lexer and parser of the shell language. Depends on nothing of ours but `text` and `limit`.

pub mod ast;
