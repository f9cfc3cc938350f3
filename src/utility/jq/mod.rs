//! The language of jq 1.8: filters over JSON values.
//!
//! `compile.rs` turns a filter's text into a program of terms (`lexer.rs`, `parse.rs` and the files of syntax it names,
//! `term.rs`, `builtin.rs`); `run.rs` runs it over inputs (`machine.rs` with `deliver.rs`, `resume.rs`, `apply.rs`, `fold.rs`,
//! `assign.rs`; `single.rs`); `read.rs` and `print.rs` are JSON texts in and out; `command.rs` is the utility. The builtins lie in `collection.rs`, `string.rs`, `format.rs`, `regex.rs`, `math.rs`, `time.rs` and `system.rs`.
//!
//! The evaluation backtracks over stacks of its own on the heap, so recursion in a filter costs memory that is charged,
//! and every step uses fuel, without which it pauses or ends. A builtin over large values is a job (`job.rs`) that can pause
//! as well; the evaluation around it is put aside meanwhile (`suspension.rs`). That is why this is not built on jaq-core 3.1, whose
//! iterators recurse on the native stack, hold `Rc`s and so cannot move to another thread, loop over the left operand
//! first where jq loops over the right one, and have no error that a filter cannot catch. jaq stays as an oracle in tests.

mod apply;
mod arguments;
mod assign;
mod binding;
mod builtin;
mod cache;
mod calculate;
mod calendar;
mod collection;
mod command;
mod comparison;
mod compile;
mod containment;
mod context;
mod conversion;
mod decimal;
mod definition;
mod deletion;
mod deliver;
mod diagnose;
mod disposal;
mod error;
mod expression;
mod fold;
mod format;
mod frame;
mod import;
mod job;
mod lexer;
mod library;
mod literal;
mod machine;
mod map;
mod math;
mod member;
mod number;
mod object;
mod operator;
mod parse;
mod path;
mod pattern;
mod primary;
mod print;
mod read;
mod regex;
mod regex_engine;
mod regex_syntax;
mod resume;
mod run;
mod single;
mod sorting;
mod source;
mod stream;
mod string;
mod suspension;
mod system;
mod term;
mod text;
mod time;
mod time_format;
mod time_parse;
mod value;
mod work;

pub(super) use command::UTILITY;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
