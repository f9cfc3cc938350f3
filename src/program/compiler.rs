//! The compiler's state, and the loop over the complete commands of a source.

mod pipeline;

use super::part::{Deferred, Part};
use super::{Index, Note, Op, Pc, Program};
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{Arc, Bytes, Few, HashMap, Vec, vec};
use crate::syntax::ast::{
    CommandKind, DeferredList, List, ListItem, Pipeline, Redirection, RedirectionDescriptor, RedirectionKind,
    Span, Word, WordPart,
};
use crate::syntax::{Aliases, ParseOptions, ParseWarning, Parser};
use crate::text::Text;
use crate::trace::Point;
use std::sync::OnceLock;

/// What compiling depends on beside the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CompileOptions {
    /// The parser's options.
    pub(crate) parse: ParseOptions,
    /// Stop after each complete command that may change how the next one is parsed (`alias`, `shopt`, `set -o`), and where
    /// much was compiled.
    pub(crate) incremental: bool,
    /// Stop after each complete command (`set -v`).
    pub(crate) stepwise: bool,
    /// Tell the run's trace what is passed.
    pub(crate) traced: bool,
}

/// Bytes of complete commands that are compiled at once; a longer source goes on where it is run.
const STRETCH: usize = 32 << 10;

/// Compiles a whole source, or its first part: see [`CompileOptions::incremental`].
///
/// # Errors
/// The limit on the time to parse.
pub(crate) fn compile_source(
    source: &Bytes,
    start: (usize, u32),
    options: &CompileOptions,
    aliases: &dyn Aliases,
    meter: &Meter,
) -> Result<Program, LimitError> {
    let mut time = meter.parse_time();
    let mut compiler = Compiler::new(source.clone());
    compiler.traced = options.traced;
    let mut parser = Parser::resume(source.clone(), start.0, start.1);
    loop {
        match parser.next_command(&options.parse, aliases) {
            Ok(None) => break,
            Ok(Some(list)) => {
                time.check_at(parser.offset())?;
                compiler.warnings(parser.take_warnings());
                if !compiler.source.ptr_eq(parser.source()) {
                    // Aliases change the text that the tree's spans refer to.
                    compiler.source = parser.source().clone();
                }
                let newline =
                    parser.source().get(..parser.offset()).is_some_and(|text| text.ends_with(b"\n"));
                let end = parser.line().saturating_sub(u32::from(newline)).max(1);
                compiler.base_line = Some(end);
                compiler.list(&list);
                let boundary = compiler.here();
                compiler.program.boundaries.push((boundary, end));
                // What is left is the same in both texts.
                let left = parser.source().len().saturating_sub(parser.offset());
                let is_much = left > 0 && source.len().saturating_sub(left + start.0) > STRETCH;
                if options.stepwise || options.incremental && (is_much || changes_parser(&list)) {
                    compiler.program.rest = Some((source.len().saturating_sub(left), parser.line()));
                    compiler.emit(Op::ParseMore);
                    return Ok(compiler.finish());
                }
                if left > 0 {
                    let rest = (source.len().saturating_sub(left), parser.line());
                    let index = compiler.program.rests.add(rest) as Index;
                    compiler.emit(Op::Boundary(index));
                }
            }
            Err(error) => {
                compiler.line = error.line();
                compiler.warnings(parser.take_warnings());
                compiler.program.unfinished = error.is_unfinished();
                let index = compiler.program.errors.len() as Index;
                let goes_on = error.is_in_array();
                compiler.program.errors.push(error);
                compiler.emit(Op::SyntaxError(index));
                if !goes_on {
                    break;
                }
                let boundary = compiler.here();
                compiler.program.boundaries.push((boundary, 0));
                parser.skip_line();
            }
        }
    }
    Ok(compiler.finish())
}

/// Compiles a part of a program that was skimmed.
///
/// # Errors
/// As [`compile_source`].
pub(super) fn compile_part(part: &Part, meter: &Meter) -> Result<Program, LimitError> {
    let (source, span) = part.what.place();
    let time = meter.parse_time();
    let mut compiler = Compiler::new(source.clone());
    (compiler.line_shift, compiler.traced) = (part.line_shift, part.traced);
    compiler.at_line(span.line);
    match &part.what {
        Deferred::Function(function) => compiler.function_body(&function.parse_body()),
        Deferred::List(list) => {
            (compiler.conditions, compiler.base_line) = (part.conditions, part.base_line);
            compiler.last_line = part.last_line;
            compiler.list(&list.parse());
        }
        Deferred::Body(list, ..) => {
            (compiler.conditions, compiler.base_line) = (part.conditions, part.base_line);
            compiler.last_line = part.last_line;
            compiler.list(list);
        }
        Deferred::Assignment(source, span) => {
            if let Some(assignment) = crate::syntax::parse_assignment(source, *span) {
                compiler.temporary_assignment(&assignment, false);
            }
        }
    }
    time.check()?;
    Ok(compiler.finish())
}

/// `2>&1`
fn standard_error_too() -> Redirection {
    let word = Word { parts: Few::from([WordPart::Quoted(Text::from_static(b"1"))]), span: Span::default() };
    Redirection {
        descriptor: RedirectionDescriptor::Number(2),
        kind: RedirectionKind::DuplicateOutput(word),
        span: Span::default(),
    }
}

/// Whether running the list may change aliases or options that the parser looks at.
fn changes_parser(list: &List) -> bool {
    use crate::syntax::ast::Argument;
    let mut lists = Vec::new();
    let mut next = Some(list);
    while let Some(list) = next {
        // What was skimmed does not change it.
        for item in list.parsed_items() {
            let pipelines = std::iter::once(&item.and_or.first)
                .chain(item.and_or.rest.iter().map(|(_, pipeline)| pipeline));
            for command in pipelines.flat_map(|pipeline| &pipeline.stages) {
                match &command.kind {
                    CommandKind::Simple(simple) => {
                        if simple.assignments.iter().any(|assignment| *assignment.name == *b"BASH_ALIASES") {
                            return true;
                        }
                        let changes = simple.words.iter().take(3).any(|argument| match argument {
                            Argument::Word(word) => match word.parts.as_slice() {
                                [WordPart::Literal(text)] => crate::syntax::changes_parser(text),
                                _ => false,
                            },
                            Argument::Assignment(_) => false,
                        });
                        if changes {
                            return true;
                        }
                    }
                    CommandKind::BraceGroup(body) => lists.push(body),
                    CommandKind::If { clauses, otherwise } => {
                        lists.extend(clauses.iter().flat_map(|(condition, body)| [condition, body]));
                        lists.extend(otherwise);
                    }
                    _ => {}
                }
            }
        }
        next = lists.pop();
    }
    false
}

pub(super) struct Compiler {
    pub(super) program: Program,
    /// Line of what is being compiled.
    pub(super) line: u32,
    /// Line of the command that ran last, as far as the text tells: what `LINENO` is in an `ERR` trap.
    pub(super) last_line: u32,
    /// Added to lines of the source: bash counts those of a substitution's body from the line of its command.
    pub(super) line_shift: i64,
    /// How many conditions the command stands in: in one, no `Check` is needed.
    pub(super) conditions: u32,
    /// The simple command that comes has a process of its own: a stage of a pipeline, an asynchronous command.
    pub(super) own_process: bool,
    names: HashMap<Text, Index>,
    /// The line that bash gives to redirections of compound commands: where the complete command ends, the function or
    /// the loop around begins. `None`: where they stand.
    pub(super) base_line: Option<u32>,
    /// What the spans of the syntax tree refer to.
    pub(super) source: Bytes,
    /// The word that is compiled, and whether it is a part in double quotes: what a bad substitution shows.
    pub(super) around: Around,
    /// What stands before the word that comes next, in the same word for bash: `name=`.
    pub(super) head: Text,
    /// See [`CompileOptions::traced`].
    pub(super) traced: bool,
    /// The word that is compiled was compiled before, or is the alternative to one that was.
    pub(super) copies: bool,
}

/// A word that is compiled.
#[derive(Default)]
pub(super) struct Around {
    pub(super) word: Span,
    /// It is a part in double quotes.
    pub(super) quoted: bool,
    pub(super) head: Text,
}

impl Compiler {
    fn new(source: Bytes) -> Self {
        let mut program = Program { source: source.clone(), ..Program::default() };
        program.patterns.push(super::ConstantPattern::default());
        Self {
            program,
            line: 1,
            last_line: 1,
            line_shift: 0,
            conditions: 0,
            own_process: false,
            names: HashMap::default(),
            source,
            base_line: None,
            around: Around::default(),
            head: Text::EMPTY,
            traced: false,
            copies: false,
        }
    }

    /// What the parser warned of is told before the command runs in which it found it.
    fn warnings(&mut self, warnings: Vec<ParseWarning>) {
        for warning in warnings {
            self.program.unfinished |= matches!(warning, ParseWarning::HereDocumentEnd { .. });
            let index = self.program.warnings.add(warning) as Index;
            self.emit(Op::Warning(index));
        }
    }

    fn finish(mut self) -> Program {
        self.emit(Op::End);
        self.program
    }

    pub(super) fn emit(&mut self, op: Op) -> Pc {
        let pc = self.program.code.len() as Pc;
        self.program.code.push(op);
        self.program.lines.push(self.line);
        pc
    }

    /// Tells the trace, if there is one. What does not stand in the source itself (an alias, a here-document without its
    /// tabs) is not told.
    pub(super) fn note(&mut self, note: Note) {
        let stands_there = matches!(note, Note::Expands(_)) || self.source.ptr_eq(&self.program.source);
        if self.traced && stands_there {
            let index = self.program.notes.add(note) as Index;
            self.emit(Op::Note(index));
        }
    }

    /// Tells the trace that a branch is decided: by the pipeline before `next` (`&&`, `||`).
    fn note_and_or(&mut self, next: &Pipeline) {
        if let Some(first) = next.stages.first() {
            self.note(Note::Passed(Point::Condition, first.span.start));
        }
    }

    /// The same by the condition of `if`, `while` or `until`.
    pub(super) fn note_condition(&mut self, condition: &List) {
        if self.traced
            && let Some(first) = condition.items().first()
        {
            self.note_and_or(&first.and_or.first);
        }
    }

    /// What follows stands on that line of the source.
    pub(super) fn at_line(&mut self, line: u32) -> u32 {
        self.line = self.shifted(line);
        self.line
    }

    /// A line of the source as it is counted.
    pub(super) fn shifted(&self, line: u32) -> u32 {
        let shifted = i64::from(line).saturating_add(self.line_shift);
        u32::try_from(shifted).unwrap_or(1).max(1)
    }

    /// The position of the next operation.
    pub(super) fn here(&self) -> Pc {
        self.program.code.len() as Pc
    }

    /// Makes the jump at `at` (or the block that starts there) end here.
    pub(super) fn patch(&mut self, at: Pc) {
        let here = self.here();
        self.patch_to(at, here);
    }

    pub(super) fn patch_to(&mut self, at: Pc, to: Pc) {
        let Some(op) = self.program.code.get_mut(at as usize) else { return };
        match op {
            Op::Jump(target)
            | Op::JumpIfFailure(target)
            | Op::JumpIfSuccess(target)
            | Op::ArithmeticLoop { end: target, .. }
            | Op::ArithmeticTest { end: target, .. }
            | Op::UnlessBraces(target)
            | Op::UnlessKeyword(target)
            | Op::UseValue { end: target, .. }
            | Op::SkipUnlessSet { end: target, .. }
            | Op::SkipWords { end: target, .. }
            | Op::SkipLength { end: target }
            | Op::UnlessDeclared { end: target, .. }
            | Op::OwnProcess { end: target, .. }
            | Op::IfAssociative { key: target, .. }
            | Op::TryArithmetic { done: target, .. }
            | Op::Substitution { end: target, .. }
            | Op::ProcessSubstitution { end: target, .. }
            | Op::RedirectReady { end: target }
            | Op::Background { end: target, .. }
            | Op::Coprocess { end: target, .. }
            | Op::Subshell { end: target }
            | Op::DefineFunction { end: target, .. }
            | Op::LoopBegin { break_to: target, .. }
            | Op::LoopCondition { body: target, .. }
            | Op::ForBegin { break_to: target, .. }
            | Op::SelectBegin { break_to: target, .. }
            | Op::ForNext { end: target, .. }
            | Op::SelectNext { end: target, .. }
            | Op::CaseMatch { arm: target, .. } => *target = to,
            _ => {}
        }
    }

    /// Sets where `continue` goes.
    pub(super) fn patch_continue(&mut self, at: Pc, to: Pc) {
        if let Some(
            Op::LoopBegin { continue_to, .. }
            | Op::ForBegin { continue_to, .. }
            | Op::SelectBegin { continue_to, .. },
        ) = self.program.code.get_mut(at as usize)
        {
            *continue_to = to;
        }
    }

    pub(super) fn text(&mut self, text: &Text) -> Index {
        self.program.texts.add(text.clone()) as Index
    }

    pub(super) fn name(&mut self, name: &Text) -> Index {
        if let Some(&index) = self.names.get(name) {
            return index;
        }
        let index = self.program.names.len() as Index;
        self.program.names.push(name.clone());
        self.names.insert(name.clone(), index);
        index
    }

    /// The source text of a span.
    pub(super) fn source_text(&self, span: crate::syntax::ast::Span) -> Text {
        Text::from(self.source.get(span.start as usize..span.end as usize).unwrap_or(&[]))
    }

    pub(super) fn list(&mut self, list: &List) {
        // What comes is not run any more.
        if gauge::is_refused() {
            return;
        }
        if let Some(list) = list.as_deferred() {
            self.deferred_list(list);
            return;
        }
        for item in list.items() {
            self.list_item(item);
        }
    }

    /// Compiles a further copy of a word, or what runs in its place.
    pub(super) fn copy(&mut self, compile: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.copies, true);
        compile(self);
        self.copies = outer;
    }

    /// Compiles the words that one word stands for: the first in its place, the others as copies of it.
    pub(super) fn each_copy<W>(
        &mut self,
        words: impl IntoIterator<Item = W>,
        mut compile: impl FnMut(&mut Self, W),
    ) {
        let outer = self.copies;
        for word in words {
            compile(self, word);
            self.copies = true;
        }
        self.copies = outer;
    }

    /// The body of a substitution.
    pub(super) fn body(&mut self, list: &Arc<List>, span: Span) {
        if !self.copies {
            self.list(list);
            return;
        }
        let part = self.deferred(Deferred::Body(Arc::clone(list), self.source.clone(), span));
        self.emit(Op::DeferredList(part));
    }

    fn deferred_list(&mut self, list: &Arc<DeferredList>) {
        self.at_line(list.span.line);
        let part = self.deferred(Deferred::List(Arc::clone(list)));
        self.emit(Op::DeferredList(part));
        let text = list.source.get(list.span.start as usize..list.span.end as usize).unwrap_or(&[]);
        let lines = memchr::memchr_iter(b'\n', text.trim_ascii_end()).count() as u32;
        self.last_line = self.at_line(list.span.line.saturating_add(lines));
    }

    /// Keeps what was skimmed for the time when it is run.
    pub(super) fn deferred(&mut self, what: Deferred) -> Index {
        self.program.parts.add(Part {
            what,
            line_shift: self.line_shift,
            conditions: self.conditions,
            base_line: self.base_line,
            last_line: self.last_line,
            traced: self.traced,
            program: OnceLock::new(),
        }) as Index
    }

    fn list_item(&mut self, item: &ListItem) {
        if item.background {
            self.at_line(item.span.line);
            let alone = ListItem { background: false, ..item.clone() };
            let printed = crate::syntax::print_list(&List::new(vec![alone]), &self.source);
            let text = self.text(&Text::from(printed.trim_ascii_end()));
            let nested = match (item.and_or.first.stages.as_slice(), item.and_or.rest.is_empty()) {
                ([command], true) => {
                    !matches!(command.kind, CommandKind::Simple(_) | CommandKind::Subshell(_))
                }
                _ => true,
            };
            let start = self.emit(Op::Background { end: 0, text, nested });
            let simple = match (item.and_or.first.stages.as_slice(), item.and_or.rest.as_slice()) {
                ([command], []) => matches!(command.kind, CommandKind::Simple(_)),
                _ => false,
            };
            // The process of a simple command ends with it: nothing looks at its failure.
            let conditions = self.conditions;
            self.conditions += u32::from(simple);
            self.own_process = simple;
            self.and_or(item);
            self.own_process = false;
            self.conditions = conditions;
            self.emit(Op::EndProcess);
            self.patch(start);
        } else {
            self.and_or(item);
        }
    }

    /// Emits the check for `set -e` and the `ERR` trap where failures count.
    pub(super) fn check(&mut self) {
        if self.conditions == 0 {
            self.emit(Op::Check { simple: false });
        }
    }

    /// As `check`, after a simple command.
    pub(super) fn check_simple(&mut self) {
        if self.conditions == 0 {
            self.emit(Op::Check { simple: true });
        }
    }
}
