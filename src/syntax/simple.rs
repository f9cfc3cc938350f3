//! Simple commands and function definitions of the form `name() command`. Bash manual 3.2.1, 3.3, 3.7.1.

#![allow(
    clippy::unnecessary_box_returns,
    clippy::boxed_local,
    reason = "the stack frames of functions that recurse hold pointers, not nodes"
)]

use super::assignment::Tried;
use super::ast::{
    Argument, Assignment, AssignmentValue, Command, CommandKind, FunctionDefinition, Simple, Span, Word,
    WordPart,
};
use super::byte::is_name_start;
use super::lexer::{Keyword, Parsed, Reader};
use super::parser::empty_command;
use crate::memory::{Arc, Box, Bytes, Few, Vec, vec};
use crate::text::Text;

impl Reader<'_> {
    /// A command; `command` is empty and gets filled.
    pub(super) fn command(&mut self, command: &mut Command) -> Parsed<()> {
        self.skip_blanks();
        command.span = self.here();
        match self.byte() {
            Some(b'(') => self.compound(command)?,
            _ => match self.keyword() {
                Some((keyword, _)) if keyword.opens_compound() => self.compound(command)?,
                Some((Keyword::Function, _)) => self.function_keyword(command)?,
                Some((Keyword::Coproc, _)) => self.coprocess(command)?,
                Some((Keyword::Not, _)) if self.options.extglob && self.second() == Some(b'(') => {
                    self.simple(command)?;
                }
                Some((Keyword::Time, _)) | None => self.simple(command)?,
                Some(_) => return Err(self.unexpected()),
            },
        }
        command.span.end = self.pos() as u32;
        Ok(())
    }

    /// A simple command, or a function definition that begins with its name.
    fn simple(&mut self, command: &mut Command) -> Parsed<()> {
        let Command { kind: CommandKind::Simple(simple), redirections, .. } = command else {
            return Ok(()); // it is empty, so it is simple
        };
        loop {
            let (pos, line) = (self.pos(), self.input.line);
            self.skip_blanks();
            let nothing = simple.assignments.is_empty() && redirections.is_empty();
            if simple.words.is_empty() && !nothing {
                self.expand_aliases()?;
            } else if !simple.words.is_empty() {
                self.expand_next_alias()?;
            }
            if self.redirection(redirections)? {
                continue;
            }
            match self.byte() {
                Some(b'(') if nothing && simple.words.len() == 1 => {
                    return self.function_definition(command);
                }
                Some(b'(') => return Err(self.unexpected()),
                Some(_) if self.operator() == 0 || self.at_process_substitution() => {
                    self.simple_word(simple)?;
                }
                _ if nothing && simple.words.is_empty() => return Err(self.unexpected_or_end()),
                _ => {
                    // Blanks and comments after the command are not part of it.
                    self.input.pos = pos;
                    self.input.line = line;
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn unexpected_or_end(&mut self) -> super::ParseError {
        if self.byte().is_none() { self.unexpected_end() } else { self.unexpected() }
    }

    fn simple_word(&mut self, simple: &mut Simple) -> Parsed<()> {
        if simple.words.is_empty() {
            return self.possible_assignment(simple);
        }
        match simple.words.first().and_then(literal) {
            Some(b"declare" | b"typeset" | b"local" | b"export" | b"readonly")
                if !self.has_blank_in_bracket() =>
            {
                return self.possible_assignment(simple);
            }
            Some(b"command")
                if self.options.posix
                    && follows_command(&simple.words)
                    && !self.has_blank_in_bracket()
                    && !self.is_array_assignment() =>
            {
                return self.possible_assignment(simple);
            }
            Some(b"let" | b"eval") if self.is_array_assignment() => return self.array_text(simple),
            _ => {}
        }
        self.word_argument(simple)
    }

    fn word_argument(&mut self, simple: &mut Simple) -> Parsed<()> {
        let before = std::mem::replace(&mut self.assigns, false);
        let read = match new_argument(&mut simple.words) {
            Some(word) => self.word_into(word),
            // It was refused: to go on here would be to come back for ever.
            None => Err(self.unexpected_end()),
        };
        self.assigns = before;
        read
    }

    fn possible_assignment(&mut self, simple: &mut Simple) -> Parsed<()> {
        match self.assignment()? {
            Tried::Assignment(assignment) => push_assignment(simple, assignment),
            Tried::Word(word) => push_word(simple, word),
            Tried::Nothing => return self.word_argument(simple),
        }
        Ok(())
    }

    /// Whether `name[` begins here with a blank before the bracket is closed: after a command's name that is not a subscript.
    fn has_blank_in_bracket(&self) -> bool {
        let mut at = self.name_end(self.pos());
        let mut depth = 0_u32;
        while let Some(byte) = self.byte_at(at) {
            match byte {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b' ' | b'\t' | b'\n' => return true,
                // Substitutions and quotes have their own rules.
                b'$' | b'`' | b'"' | b'\'' | b'\\' => return false,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
            at = self.after(at);
        }
        // Nothing closes it before the text ends: a word too.
        depth > 0
    }

    /// Whether `name=(` or `name+=(` begins here.
    fn is_array_assignment(&self) -> bool {
        let mut at = self.pos();
        if !self.byte_at(at).is_some_and(is_name_start) {
            return false;
        }
        at = self.name_end(at);
        if self.byte_at(at) == Some(b'+') {
            at = self.after(at);
        }
        self.byte_at(at) == Some(b'=') && self.byte_at(self.after(at)) == Some(b'(')
    }

    /// `name=( ... )` after `let` and `eval`: one word, whose text is read once more.
    fn array_text(&mut self, simple: &mut Simple) -> Parsed<()> {
        let (start, line) = (self.pos(), self.input.line);
        match self.assignment()? {
            Tried::Assignment(assignment) => {
                let span = self.span_from(start, line);
                push_word(simple, Box::new(array_word(assignment.into_inner(), span)));
            }
            Tried::Word(word) => push_word(simple, word),
            Tried::Nothing => return self.word_argument(simple),
        }
        Ok(())
    }

    /// `name ()`: the cursor is on the parenthesis.
    fn function_definition(&mut self, command: &mut Command) -> Parsed<()> {
        self.bump(1);
        self.skip_blanks();
        if self.byte() != Some(b')') {
            return Err(self.unexpected_or_newline());
        }
        self.bump(1);
        let span = match &command.kind {
            CommandKind::Simple(Simple { words, .. }) => match words.first() {
                Some(Argument::Word(word)) => word.span,
                _ => command.span,
            },
            _ => command.span,
        };
        let name = self.joined(span.start as usize, span.end as usize);
        self.function_body(command, name, span.line, false)
    }

    /// `function name [()] command`
    fn function_keyword(&mut self, command: &mut Command) -> Parsed<()> {
        self.take_keyword(Keyword::Function);
        self.skip_blanks();
        if self.byte().is_none() {
            return Err(self.unexpected_or_newline());
        }
        if self.operator() > 0 {
            return Err(self.unexpected());
        }
        let (start, line) = (self.pos(), self.input.line);
        self.word()?;
        let name = self.joined(start, self.pos());
        self.skip_blanks();
        if self.byte() == Some(b'(') && self.parentheses_are_empty() {
            self.bump(1);
            self.skip_blanks();
            self.bump(1);
        }
        self.function_body(command, name, line, true)
    }

    /// `function f ()`, and not `function f (list)`.
    fn parentheses_are_empty(&self) -> bool {
        let mut at = self.after(self.pos());
        while matches!(self.byte_at(at), Some(b' ' | b'\t')) {
            at = self.after(at);
        }
        self.byte_at(at) == Some(b')')
    }

    fn function_body(&mut self, command: &mut Command, name: Text, line: u32, keyword: bool) -> Parsed<()> {
        self.enter()?;
        self.skip_newlines()?;
        if let Some(span) = self.skimmed_body() {
            self.leave();
            let source = self.input.source.clone();
            let function = FunctionDefinition::deferred(name, span, *self.options, source, line, keyword);
            command.kind = CommandKind::Function(Arc::new(function));
            return Ok(());
        }
        let mut body = new_command(self.here());
        let opens =
            self.byte() == Some(b'(') || self.keyword().is_some_and(|(word, _)| word.opens_compound());
        if !opens {
            return Err(self.unexpected_or_end());
        }
        self.compound(&mut body)?;
        body.span.end = self.pos() as u32;
        self.leave();
        let source = self.input.source.clone();
        set_function(command, name, body, source, line, keyword);
        Ok(())
    }

    /// Takes a body that does not have to be parsed now.
    #[inline(never)]
    fn skimmed_body(&mut self) -> Option<Span> {
        let levels = self.levels_to_skim()?;
        let (start, line) = (self.pos(), self.input.line);
        let end = super::skim::skim(self.slice(0, self.input.end), start, levels)?;
        self.advance_to(end);
        Some(self.span_from(start, line))
    }

    /// `coproc [NAME] command`
    fn coprocess(&mut self, command: &mut Command) -> Parsed<()> {
        self.take_keyword(Keyword::Coproc);
        self.enter()?;
        self.skip_blanks();
        if self.byte().is_none() {
            return Err(self.unexpected_or_newline());
        }
        let name = if self.coprocess_is_named() { Some(Box::new(self.word()?)) } else { None };
        self.skip_blanks();
        let mut inner = new_command(self.here());
        let compound =
            self.byte() == Some(b'(') || self.keyword().is_some_and(|(word, _)| word.opens_compound());
        if compound {
            self.compound(&mut inner)?;
        } else {
            self.simple(&mut inner)?;
        }
        inner.span.end = self.pos() as u32;
        self.leave();
        set_coprocess(command, name, inner);
        Ok(())
    }

    /// Whether a plain word and then a compound command follow.
    fn coprocess_is_named(&mut self) -> bool {
        if self.keyword().is_some_and(|(keyword, _)| keyword.opens_compound()) {
            return false;
        }
        let (pos, line) = (self.pos(), self.input.line);
        let mut end = pos;
        while let Some(byte) = self.byte_at(end).filter(|&byte| !super::byte::is_metacharacter(byte)) {
            if matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`') {
                return false;
            }
            end += 1;
        }
        if end == pos {
            return false;
        }
        self.input.pos = end;
        self.skip_blanks();
        let named =
            self.byte() == Some(b'(') || self.keyword().is_some_and(|(word, _)| word.opens_compound());
        self.input.pos = pos;
        self.input.line = line;
        named
    }
}

// Large temporaries stay out of the frames of functions that recurse.

#[inline(never)]
fn new_command(span: Span) -> Box<Command> {
    Box::new(empty_command(span))
}

#[inline(never)]
fn set_function(
    command: &mut Command,
    name: Text,
    body: Box<Command>,
    source: Bytes,
    line: u32,
    keyword: bool,
) {
    command.kind =
        CommandKind::Function(Arc::new(FunctionDefinition::new(name, body, source, line, keyword)));
}

#[inline(never)]
fn set_coprocess(command: &mut Command, name: Option<Box<Word>>, inner: Box<Command>) {
    command.kind = CommandKind::Coprocess { name: name.map(Box::into_inner), command: inner };
}

#[inline(never)]
fn new_argument(words: &mut Vec<Argument>) -> Option<&mut Word> {
    words.push(Argument::Word(Word::default()));
    match words.last_mut() {
        Some(Argument::Word(word)) => Some(word),
        _ => None,
    }
}

#[inline(never)]
fn push_assignment(simple: &mut Simple, assignment: Box<Assignment>) {
    if simple.words.is_empty() {
        simple.assignments.push(assignment.into_inner());
    } else {
        simple.words.push(Argument::Assignment(assignment));
    }
}

#[inline(never)]
fn push_word(simple: &mut Simple, word: Box<Word>) {
    simple.words.push(Argument::Word(word.into_inner()));
}

/// So many words `command` and `builtin` are looked through.
const LONGEST_PREFIX: usize = 8;

/// Whether `command` stands before a builtin that takes assignments: in POSIX mode that makes no difference.
fn follows_command(words: &[Argument]) -> bool {
    let mut names =
        words.iter().take(LONGEST_PREFIX).map(literal).skip_while(|name| *name == Some(b"command"));
    matches!(names.next(), Some(Some(b"declare" | b"typeset" | b"local" | b"export" | b"readonly")))
}

fn literal(word: &Argument) -> Option<&[u8]> {
    let Argument::Word(Word { parts, .. }) = word else { return None };
    match parts.as_slice() {
        [WordPart::Literal(text)] => Some(text),
        _ => None,
    }
}

/// An array assignment as a word of one field.
#[inline(never)]
fn array_word(assignment: Assignment, span: Span) -> Word {
    let mut head = assignment.name;
    head.push_bytes(if assignment.append { b"+=(" } else { b"=(" });
    let mut parts = vec![WordPart::Literal(head)];
    if let AssignmentValue::Array(elements) = assignment.value {
        for (number, element) in elements.into_iter().enumerate() {
            if number > 0 {
                parts.push(WordPart::Literal(Text::from_static(b" ")));
            }
            if let Some(subscript) = element.subscript {
                parts.push(WordPart::Literal(Text::from_static(b"[")));
                parts.extend(subscript.word.parts);
                let close: &'static [u8] = if element.append { b"]+=" } else { b"]=" };
                parts.push(WordPart::Literal(Text::from_static(close)));
            }
            parts.extend(element.value.parts);
        }
    }
    parts.push(WordPart::Literal(Text::from_static(b")")));
    Word { parts: Few::from([WordPart::DoubleQuoted(parts)]), span }
}
