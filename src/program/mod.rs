//! Syntax trees in, operations out. A [`Program`] is compiled once, never changes, and is shared between runs.
//!
//! `compiler.rs` goes through the tree and emits operations for a machine without recursion: control flow is jumps, a word is
//! the operations that build its fields. `command.rs`, `word.rs`, `assignment.rs`, `redirection.rs` and `arithmetic.rs` are
//! the parts of the grammar, `brace.rs` is brace expansion, `operation.rs` says what each operation means.
//!
//! Compiling keeps what bash decides at run time for run time (is a variable associative? is `$x` a plain integer?), and
//! decides the rest: words without expansions are finished fields, arithmetic has its names resolved. A function's body
//! stands in the code of the program that defines it, or is a [`Part`] that is compiled at its first call.
//!
//! Invariants: a program depends on its source and on the [`CompileOptions`] alone, so it can be cached by them; every
//! operation has the line it came from; names are indices, which the machine links to a session's numbers. A new construct of
//! the language is compiled in the file of its part of the grammar.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod arithmetic;
mod assignment;
pub(crate) mod brace;
mod command;
mod compiler;
mod effect;
mod key;
mod operation;
mod part;
mod print;
mod redirection;
mod word;

use crate::limit::gauge;
use crate::memory::{Arc, Bytes, Vec};
pub(crate) use arithmetic::{
    ArithmeticCode, ArithmeticContext, ArithmeticOp, Operand, compile as compile_arithmetic,
};
pub(crate) use brace::{BraceError, expand_within as expand_braces, texts as braces_of_text};
pub(crate) use compiler::{CompileOptions, compile_source};
pub(crate) use operation::{Index, Op, Pc, Quoting};
pub(crate) use part::Part;

use crate::pattern::{Pattern, PatternOptions};
use crate::syntax::ast::{FunctionDefinition, RedirectionDescriptor};
use crate::syntax::{ParseError, ParseWarning};
use crate::text::Text;
use crate::trace::Point;
use std::borrow::Cow;
use std::sync::OnceLock;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// What is run.
    pub(crate) code: Vec<Op>,
    /// The line of each operation.
    pub(crate) lines: Vec<u32>,
    /// The text that was compiled.
    pub(crate) source: Bytes,
    /// Literal texts.
    pub(crate) texts: Vec<Text>,
    /// Names of variables and functions, linked to a shell's own numbers when the program is started.
    pub(crate) names: Vec<Text>,
    /// Parameters of `Op::Target`.
    pub(crate) parameters: Vec<ParameterReference>,
    /// Expressions.
    pub(crate) arithmetic: Vec<ArithmeticCode>,
    /// Constant patterns; the first is not used (`NonZeroU32`).
    pub(crate) patterns: Vec<ConstantPattern>,
    /// Redirections.
    pub(crate) redirections: Vec<RedirectionReference>,
    /// Simple commands without expansions: their fields.
    pub(crate) commands: Vec<StaticCommand>,
    /// Pipelines.
    pub(crate) pipelines: Vec<PipelineReference>,
    /// Function definitions.
    pub(crate) functions: Vec<Arc<FunctionDefinition>>,
    /// What was skimmed.
    pub(crate) parts: Vec<Part>,
    /// Words of `Op::BraceFields`.
    pub(crate) braces: Vec<crate::syntax::ast::Word>,
    /// The error at which parsing stopped.
    pub(crate) errors: Vec<ParseError>,
    /// Warnings of the parser (here-documents ended by the end of the file).
    pub(crate) warnings: Vec<ParseWarning>,
    /// After each complete command: where a shell goes on when an error abandoned one. With the line where it ends.
    pub(crate) boundaries: Vec<(Pc, u32)>,
    /// Where `Op::Boundary` goes on: offset and line.
    pub(crate) rests: Vec<(usize, u32)>,
    /// The source of each simple command, by the operation that runs it.
    pub(crate) spans: Vec<(Pc, u32, u32)>,
    /// What `Op::Note` tells.
    pub(crate) notes: Vec<Note>,
    /// Where `Op::ParseMore` goes on: offset and line.
    pub(crate) rest: Option<(usize, u32)>,
    /// The text ended inside a command.
    pub(crate) unfinished: bool,
}

/// What a program that is traced tells its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// It came to this point, at that byte of the source.
    Passed(Point, u32),
    /// It expands a variable.
    Expands(Index),
}

/// A parameter as it is named in the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ParameterReference {
    /// What is named.
    pub(crate) base: ParameterBase,
    /// `${!...}`: its value names the parameter.
    pub(crate) indirect: bool,
    /// `${...}` as written, for messages.
    pub(crate) source: Text,
}

/// See [`ParameterReference`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParameterBase {
    /// `$name`
    Variable(Index),
    /// `name[subscript]`: the subscript was pushed before.
    Element(Index),
    /// `name[@]`, `name[*]`
    Elements(Index, crate::syntax::ast::AllElements),
    /// `$1`
    Positional(u32),
    /// `$@ $* $# $? $- $$ $!`
    Special(u8),
}

/// Operator and descriptor of a redirection; its target is in the builder.
#[derive(Clone, Debug)]
pub(crate) struct RedirectionReference {
    /// What stands before the operator.
    pub(crate) descriptor: RedirectionDescriptor,
    /// The operator.
    pub(crate) operator: RedirectionOperator,
    /// The target's text in the source, for messages.
    pub(crate) source: Text,
}

/// Redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectionOperator {
    Read,
    Write,
    Clobber,
    Append,
    ReadWrite,
    DuplicateInput,
    DuplicateOutput,
    BothWrite,
    BothAppend,
    HereDocument,
    HereString,
    /// The target makes several words: always an error.
    Ambiguous,
}

/// The fields of a command without expansions.
#[derive(Debug)]
pub(crate) struct StaticCommand {
    /// The command's name among the program's names, to look for a function.
    pub(crate) name: Index,
    /// All fields, the name included.
    pub(crate) fields: Vec<Text>,
}

/// Where the stages of a pipeline start.
#[derive(Debug)]
pub(crate) struct PipelineReference {
    /// For each stage: its first operation, and whether its stderr goes into the pipe too.
    pub(crate) stages: Vec<(Pc, bool)>,
    /// After the last stage.
    pub(crate) end: Pc,
}

/// A pattern without expansions.
#[derive(Debug, Default)]
pub(crate) struct ConstantPattern {
    /// Its text.
    pub(crate) source: Vec<u8>,
    /// Which bytes were quoted.
    pub(crate) quoted: Vec<bool>,
    /// Compiled for the default options.
    pub(crate) pattern: Option<Pattern>,
    /// Compiled for other options, those that were asked for first.
    other: OnceLock<(PatternOptions, Pattern)>,
}

impl ConstantPattern {
    fn new(source: Vec<u8>, quoted: Vec<bool>) -> Self {
        let pattern = Some(Pattern::new(&source, &quoted, PatternOptions::default()));
        Self { source, quoted, pattern, other: OnceLock::new() }
    }

    /// The pattern as it is read with these options.
    pub(crate) fn compiled(&self, options: PatternOptions) -> Cow<'_, Pattern> {
        // No constant has a parenthesis, so whether extended operators are on makes no difference.
        let options = PatternOptions { extglob: false, ..options };
        if let Some(pattern) = self.pattern.as_ref().filter(|_| options == PatternOptions::default()) {
            return Cow::Borrowed(pattern);
        }
        if let Some((_, pattern)) = self.other.get().filter(|(of, _)| *of == options) {
            return Cow::Borrowed(pattern);
        }
        let pattern = Pattern::new(&self.source, &self.quoted, options);
        // What a run made that was refused memory may lack a part: other runs share what is kept here.
        if !gauge::is_refused() && self.other.get().is_none() {
            let _ = self.other.set((options, pattern.clone()));
        }
        Cow::Owned(pattern)
    }
}

impl Program {
    /// Where a shell goes on that runs nothing (`set -n`): at an error of the parser, or where more is read.
    pub(crate) fn last_error(&self) -> Pc {
        let last = self.code.len().saturating_sub(1);
        match self.code.get(last.saturating_sub(1)) {
            Some(Op::SyntaxError(_) | Op::ParseMore) => last.saturating_sub(1) as Pc,
            _ => last as Pc,
        }
    }

    /// The line of an operation.
    pub(crate) fn line(&self, pc: Pc) -> u32 {
        self.lines.get(pc as usize).copied().unwrap_or(1)
    }

    /// The operation that runs the simple command that begins at `pc`.
    pub(crate) fn end_of_simple(&self, pc: Pc) -> Option<Pc> {
        let at = self.spans.binary_search_by_key(&pc, |span| span.0).ok()?;
        let (_, start, end) = *self.spans.get(at)?;
        let rest = self.spans.get(at + 1..)?;
        rest.iter().find(|span| (span.1, span.2) == (start, end)).map(|span| span.0)
    }

    /// An operation of the simple command whose code starts at `pc`; `None`: it is another command.
    pub(crate) fn simple_command(&self, pc: Pc) -> Option<Pc> {
        let notes = self.code.get(pc as usize..)?.iter().take_while(|op| matches!(op, Op::Note(_))).count();
        let pc = pc.saturating_add(notes as Pc);
        match self.code.get(pc as usize)? {
            Op::Begin | Op::BeginWords | Op::ExecuteStatic(_) | Op::Debug(_) => {
                let at = self.spans.partition_point(|span| span.0 < pc);
                self.spans.get(at).map(|span| span.0)
            }
            _ => None,
        }
    }

    /// The command that the operation at `pc` is part of, as bash prints it. `behind`: the last that was begun before
    /// `pc`, not the next that is run. `depth`: how deep its syntax may nest.
    pub(crate) fn command_text(&self, pc: Pc, behind: bool, depth: u32) -> Text {
        let mut at = self.spans.partition_point(|span| if behind { span.0 <= pc } else { span.0 < pc });
        if behind {
            // A compound command's head stands nearer.
            let head = self.code.get(..=pc as usize).unwrap_or(&self.code);
            let last = at.checked_sub(1).and_then(|at| self.spans.get(at)).map_or(0, |span| span.0);
            let behind_last = head.get(last as usize..).unwrap_or(&[]);
            let debug = behind_last.iter().rposition(|op| matches!(op, Op::Debug(_)));
            if let Some(debug @ 1..) = debug
                && let Some(Op::Debug(text)) = behind_last.get(debug)
            {
                return self.text(*text);
            }
            at = at.saturating_sub(1);
        }
        let Some(&(_, start, end)) = self.spans.get(at) else { return Text::EMPTY };
        self.printed(start, end, depth)
    }

    /// A command of the source, as bash prints it. `depth`: how deep its syntax may nest.
    pub(crate) fn printed(&self, start: u32, end: u32, depth: u32) -> Text {
        let source = Bytes::from(self.source.get(start as usize..end as usize).unwrap_or(&[]));
        let options = crate::syntax::ParseOptions { depth, extglob: true, ..Default::default() };
        let mut parser = crate::syntax::Parser::new(source.clone(), 1);
        match parser.next_command(&options, &crate::syntax::NoAliases) {
            Ok(Some(list)) => Text::from(crate::syntax::print_list(&list, &source).trim_ascii_end()),
            _ => Text::from(&*source),
        }
    }

    /// A literal text.
    pub(crate) fn text(&self, index: Index) -> Text {
        self.texts.get(index as usize).cloned().unwrap_or_default()
    }
}
