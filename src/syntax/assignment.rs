//! Assignments: `name=value`, `name+=value`, `name[subscript]=value`, `name=( ... )`. Bash manual 3.4.

use super::ast::{ArrayElement, Assignment, AssignmentValue, Parts, Span, Subscript, Word, WordPart};
use super::byte::{is_name_byte, is_name_start};
use super::error::AtEnd;
use super::lexer::{Parsed, Reader};
use super::word::{Context, End, Tilde, push_literal};
use crate::memory::{Box, Vec};
use crate::text::Text;

/// What a word was that could have been an assignment.
pub(super) enum Tried {
    Assignment(Box<Assignment>),
    /// `name[...]` without `=`: a word.
    Word(Box<Word>),
    /// The cursor has not moved.
    Nothing,
}

impl Reader<'_> {
    /// Reads an assignment if one begins at the cursor.
    pub(super) fn assignment(&mut self) -> Parsed<Tried> {
        let start = self.pos();
        if !self.byte().is_some_and(is_name_start) {
            return Ok(Tried::Nothing);
        }
        let rest = self.slice(start, self.input.end);
        let mut end = start + rest.iter().position(|&byte| !is_name_byte(byte)).unwrap_or(rest.len());
        if self.byte_at(end) == Some(b'\\') {
            end = self.name_end(end);
        }
        match (self.byte_at(end), self.byte_at(self.after(end))) {
            (Some(b'[' | b'='), _) | (Some(b'+'), Some(b'=')) => self.named_assignment(start, end),
            _ => Ok(Tried::Nothing),
        }
    }

    fn named_assignment(&mut self, start: usize, end: usize) -> Parsed<Tried> {
        let line = self.input.line;
        let name = self.joined(start, end);
        self.advance_to(end);
        let mut subscript = None;
        if self.byte() == Some(b'[') {
            self.input.pos += 1;
            subscript = Some(self.subscript()?);
            self.advance_to(self.follow(self.pos()));
        }
        let Some(append) = self.assignment_operator() else {
            return self.word_with_bracket(&name, subscript, start, line);
        };
        let mut assignment = new_assignment(name, subscript, append, self.span_from(start, line));
        self.assigned_value(&mut assignment.value)?;
        assignment.span.end = self.pos() as u32;
        Ok(Tried::Assignment(assignment))
    }

    /// Takes `=` or `+=`; whether it was `+=`.
    fn assignment_operator(&mut self) -> Option<bool> {
        match (self.byte(), self.second()) {
            (Some(b'='), _) => {
                self.input.pos += 1;
                Some(false)
            }
            (Some(b'+'), Some(b'=')) => {
                self.bump(2);
                Some(true)
            }
            _ => None,
        }
    }

    fn word_with_bracket(
        &mut self,
        name: &[u8],
        subscript: Option<Box<Subscript>>,
        start: usize,
        line: u32,
    ) -> Parsed<Tried> {
        let mut word = Box::new(Word { parts: Parts::new(), span: self.span_from(start, line) });
        push_literal(&mut word.parts, name);
        push_literal(&mut word.parts, b"[");
        append_parts(
            &mut word.parts,
            subscript.map(|subscript| subscript.into_inner().word.parts).unwrap_or_default(),
        );
        push_literal(&mut word.parts, b"]");
        self.rest_of_word(&mut word)?;
        merge_literals(&mut word.parts);
        Ok(Tried::Word(word))
    }

    fn assigned_value(&mut self, value: &mut AssignmentValue) -> Parsed<()> {
        let at = self.follow(self.pos());
        if self.byte_at(at) == Some(b'(') {
            self.advance_to(at);
            let mut elements = Vec::new();
            self.array(&mut elements).map_err(|error| error.with_status(1))?;
            *value = AssignmentValue::Array(elements);
        } else {
            *value = AssignmentValue::Scalar(Word::default());
            if let AssignmentValue::Scalar(word) = value {
                self.assigned_word(word)?;
            }
        }
        Ok(())
    }

    fn assigned_word(&mut self, word: &mut Word) -> Parsed<()> {
        self.advance_to(self.follow(self.pos()));
        let context = Context { end: End::Word, tilde: Tilde::Assignment, extglob: self.options.extglob };
        let before = std::mem::replace(&mut self.assigns, true);
        let read = self.word_in_place(context, word);
        self.assigns = before;
        read
    }

    /// `( ... )`; the cursor is on the parenthesis.
    fn array(&mut self, elements: &mut Vec<ArrayElement>) -> Parsed<()> {
        let line = self.input.line;
        self.enter()?;
        self.input.pos += 1;
        loop {
            self.skip_newlines()?;
            match self.byte() {
                None => return Err(self.unmatched(b')', line)),
                Some(b')') => break,
                Some(b'<' | b'>') if self.at_process_substitution() => self.array_element(elements)?,
                Some(_) if self.operator() > 0 || self.at_descriptor_number() => {
                    return Err(self.unexpected());
                }
                Some(_) => self.array_element(elements)?,
            }
        }
        self.input.pos += 1;
        self.leave();
        Ok(())
    }

    #[inline(never)]
    fn array_element(&mut self, elements: &mut Vec<ArrayElement>) -> Parsed<()> {
        let read = if self.byte() == Some(b'[') {
            self.subscripted_element(elements)
        } else {
            self.plain_element(elements)
        };
        read.map_err(|error| error.ended_at(self.end_line(), AtEnd::Array))
    }

    #[inline(never)]
    fn plain_element(&mut self, elements: &mut Vec<ArrayElement>) -> Parsed<()> {
        match new_element(elements, None, false) {
            Some(word) => self.word_into(word),
            // It was refused, and the input has not moved.
            None => Err(self.unexpected_end()),
        }
    }

    /// `[subscript]=value`, or a word that begins with a bracket.
    fn subscripted_element(&mut self, elements: &mut Vec<ArrayElement>) -> Parsed<()> {
        let (start, line) = (self.pos(), self.input.line);
        self.input.pos += 1;
        let subscript = self.subscript()?;
        if let Some(append) = self.assignment_operator() {
            return match new_element(elements, Some(subscript), append) {
                Some(word) => self.assigned_word(word),
                None => Err(self.unexpected_end()),
            };
        }
        if let Tried::Word(value) = self.word_with_bracket(b"", Some(subscript), start, line)?
            && let Some(word) = new_element(elements, None, false)
        {
            *word = value.into_inner();
        }
        Ok(())
    }
}

// Large temporaries stay out of the frames of functions that recurse.

#[inline(never)]
fn new_assignment(
    name: Text,
    subscript: Option<Box<Subscript>>,
    append: bool,
    span: Span,
) -> Box<Assignment> {
    let subscript = subscript.map(Box::into_inner);
    Box::new(Assignment { name, subscript, append, value: AssignmentValue::Array(Vec::new()), span })
}

#[inline(never)]
fn new_element(
    elements: &mut Vec<ArrayElement>,
    subscript: Option<Box<Subscript>>,
    append: bool,
) -> Option<&mut Word> {
    let subscript = subscript.map(Box::into_inner);
    elements.push(ArrayElement { subscript, append, value: Word::default() });
    elements.last_mut().map(|element| &mut element.value)
}

fn append_parts(out: &mut Parts, parts: Parts) {
    for part in parts {
        match part {
            WordPart::Literal(text) => push_literal(out, &text),
            other => out.push(other),
        }
    }
}

fn merge_literals(parts: &mut Parts) {
    let mut merged = Parts::with_capacity(parts.len());
    append_parts(&mut merged, std::mem::take(parts));
    *parts = merged;
}
