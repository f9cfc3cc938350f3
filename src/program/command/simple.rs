//! Simple commands: assignments, arguments and redirections become operations.

use crate::memory::Vec;
use crate::program::compiler::Compiler;
use crate::program::part::Deferred;
use crate::program::{Index, Op, Pc, StaticCommand};
use crate::syntax::ast::{
    Argument, Command, Redirection, RedirectionDescriptor, Simple, Span, Word, WordPart,
};
use crate::text::Text;

impl Compiler {
    pub(super) fn simple(&mut self, command: &Command, simple: &Simple) {
        let line = self.command_line(command, simple);
        self.at_line(line);
        if let Some(fields) = constant_fields(command, simple) {
            let name = fields.first().cloned().unwrap_or_default();
            let name = self.name(&name);
            let index = self.program.commands.len() as Index;
            self.program.commands.push(StaticCommand { name, fields });
            self.emit(Op::ExecuteStatic(index));
            self.note_span(command);
            self.check_simple();
            return;
        }
        let own_process = std::mem::take(&mut self.own_process);
        if simple.words.is_empty() {
            self.assignments(command, simple);
            return;
        }
        let line = self.line;
        self.emit(Op::Begin);
        self.note_span(command);
        let mut associative = false;
        let unsets = matches!(simple.words.first(), Some(Argument::Word(word))
            if matches!(word.parts.as_slice(), [WordPart::Literal(text)] if text.as_bytes() == b"unset"));
        for argument in &simple.words {
            match argument {
                Argument::Word(word) => {
                    if let [WordPart::Literal(text)] = word.parts.as_slice() {
                        associative |= text.starts_with(b"-") && text.contains(&b'A');
                    }
                    if !(unsets && self.element_argument(word)) {
                        self.argument(word);
                    }
                }
                Argument::Assignment(assignment) => {
                    let done = self.keyword_argument(assignment.span);
                    self.assignment_argument(assignment, associative);
                    self.patch(done);
                }
            }
        }
        for (number, assignment) in simple.assignments.iter().enumerate() {
            self.temporary_assignment(assignment, number > 0);
        }
        let name = match simple.words.first() {
            Some(Argument::Word(word)) => constant_field(word).map(|name| self.name(&name)),
            _ => None,
        };
        let execute = Op::Execute { name };
        let expands =
            if own_process { None } else { crate::program::redirection::expands(&command.redirections) };
        if let Some(plain) = expands {
            let start = self.emit(Op::OwnProcess { plain, end: 0 });
            self.redirected(command, execute, line);
            self.emit(Op::EndOwnProcess);
            self.patch(start);
        } else {
            self.redirected(command, execute, line);
        }
        self.check_simple();
    }

    /// A word of a simple command; under `set -k` it may be an assignment.
    fn argument(&mut self, word: &Word) {
        if !is_keyword_assignment(word) {
            return self.fields(word);
        }
        let done = self.keyword_argument(word.span);
        self.fields(word);
        self.patch(done);
    }

    /// Under `set -k` an argument is an assignment for the command, and what follows is jumped over: the jump to patch. It is
    /// compiled when it is run: twice as much for each substitution in a substitution would be too much.
    fn keyword_argument(&mut self, span: Span) -> Pc {
        let plain = self.emit(Op::UnlessKeyword(0));
        let part = self.deferred(Deferred::Assignment(self.source.clone(), span));
        self.emit(Op::DeferredList(part));
        let done = self.emit(Op::Jump(0));
        self.patch(plain);
        done
    }

    /// The redirections of a simple command, then what runs it.
    fn redirected(&mut self, command: &Command, execute: Op, line: u32) {
        for redirection in &command.redirections {
            self.redirection(redirection);
        }
        self.line = line;
        self.emit(execute);
        self.note_span(command);
    }

    /// A command of assignments and redirections only.
    fn assignments(&mut self, command: &Command, simple: &Simple) {
        let line = self.line;
        self.debug(command);
        self.note_span(command);
        if self.plain_assignment(command, simple) {
            self.note_span(command);
            return;
        }
        // What gives a descriptor to a variable and runs no command is done in a process of its own, as in bash.
        let gives =
            |redirection: &Redirection| matches!(redirection.descriptor, RedirectionDescriptor::Variable(_));
        self.emit(Op::BeginWords);
        for assignment in &simple.assignments {
            self.assignment(assignment);
        }
        let subshell = command.redirections.iter().any(gives).then(|| self.emit(Op::Subshell { end: 0 }));
        self.redirected(command, Op::AssignmentsDone, line);
        if let Some(subshell) = subshell {
            self.emit(Op::EndProcess);
            self.patch(subshell);
        }
        self.check_simple();
    }

    /// The line that bash gives to a simple command: that on which its second word ends, or the only one.
    fn command_line(&self, command: &Command, simple: &Simple) -> u32 {
        let words = simple.words.iter().take(2).map(|argument| match argument {
            Argument::Word(word) => word.span,
            Argument::Assignment(assignment) => assignment.span,
        });
        let assignments = simple.assignments.iter().take(2).map(|assignment| assignment.span);
        let redirections = command.redirections.iter().take(2).map(|redirection| redirection.span);
        let (mut first, mut second) = (None::<Span>, None::<Span>);
        for span in assignments.chain(words).chain(redirections).filter(|span| span.line != 0) {
            if first.is_none_or(|first| span.start < first.start) {
                second = first.replace(span);
            } else if second.is_none_or(|second| span.start < second.start) {
                second = Some(span);
            }
        }
        let Some(span) = second.or(first) else { return command.span.line };
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or(&[]);
        span.line.saturating_add(memchr::memchr_iter(b'\n', text).count() as u32)
    }
}

pub(super) fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| !byte.is_ascii_digit())
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Whether a word has the form of an assignment.
fn is_keyword_assignment(word: &Word) -> bool {
    let Some(WordPart::Literal(first)) = word.parts.first() else { return false };
    let name = memchr::memchr(b'=', first).and_then(|at| first.get(..at));
    name.is_some_and(|name| is_name(name.strip_suffix(b"+").unwrap_or(name)))
}

/// The fields of a command that needs no expansion at all.
fn constant_fields(command: &Command, simple: &Simple) -> Option<Vec<Text>> {
    if !simple.assignments.is_empty() || !command.redirections.is_empty() || simple.words.is_empty() {
        return None;
    }
    simple
        .words
        .iter()
        .map(|argument| match argument {
            Argument::Word(word) if !is_keyword_assignment(word) => constant_field(word),
            Argument::Word(_) | Argument::Assignment(_) => None,
        })
        .collect()
}

/// The text of a word that is one field whatever the shell's state is.
pub(in crate::program) fn constant_field(word: &Word) -> Option<Text> {
    let plain = |byte: u8| !matches!(byte, b'*' | b'?' | b'\\' | b'{' | b'(' | b'[' | b']');
    match word.parts.as_slice() {
        [WordPart::Literal(text)] if text.iter().all(|&byte| plain(byte)) => return Some(text.clone()),
        [WordPart::Parameter(_), ..] => return None,
        _ => {}
    }
    let mut field = Text::EMPTY;
    // `[` is special where a `]` follows.
    let mut open = false;
    for part in &word.parts {
        match part {
            WordPart::Literal(text) => {
                let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'\\' | b'{' | b'(');
                let close = memchr::memrchr(b']', text);
                let opens = memchr::memchr(b'[', text);
                if text.iter().any(special)
                    || close.is_some_and(|close| open || opens.is_some_and(|at| at < close))
                {
                    return None;
                }
                open |= opens.is_some();
                field.push_bytes(text);
            }
            WordPart::Quoted(text) => field.push_bytes(text),
            WordPart::DoubleQuoted(parts) => {
                for part in parts {
                    match part {
                        WordPart::Quoted(text) | WordPart::Literal(text) => field.push_bytes(text),
                        _ => return None,
                    }
                }
            }
            _ => return None,
        }
    }
    Some(field)
}
