//! Simple commands as text: assignments, redirections, here-documents.

use super::Printer;
use crate::memory::{ToDecimal, Vec};
use crate::syntax::ast::{
    Argument, ArrayElement, Assignment, AssignmentValue, HereDocument, Redirection, RedirectionDescriptor,
    RedirectionKind, Simple, Subscript, Word, WordPart,
};

impl<'a> Printer<'a> {
    pub(super) fn simple(&mut self, simple: &'a Simple, redirections: &'a [Redirection], merged: bool) {
        let mut first = true;
        for assignment in &simple.assignments {
            self.space(&mut first);
            self.assignment(assignment);
        }
        for argument in &simple.words {
            self.space(&mut first);
            match argument {
                Argument::Word(word) => self.word(word),
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        if !redirections.is_empty() || merged {
            self.space(&mut first);
            self.redirections(redirections, merged);
        }
    }

    fn space(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.put(b" ");
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.put(&assignment.name);
        self.subscript(assignment.subscript.as_ref());
        self.put(if assignment.append { b"+=" } else { b"=" });
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(elements) => {
                self.put(b"(");
                let mut first = true;
                for element in elements {
                    self.space(&mut first);
                    self.element(element);
                }
                self.put(b")");
            }
        }
    }

    fn element(&mut self, element: &ArrayElement) {
        if element.subscript.is_some() {
            self.subscript(element.subscript.as_ref());
            self.put(if element.append { b"+=" } else { b"=" });
        }
        self.word(&element.value);
    }

    fn subscript(&mut self, subscript: Option<&Subscript>) {
        if let Some(subscript) = subscript {
            self.put(b"[");
            self.word(&subscript.word);
            self.put(b"]");
        }
    }

    pub(super) fn redirections(&mut self, redirections: &'a [Redirection], merged: bool) {
        let mut documents = Vec::new();
        let mut first = true;
        for redirection in redirections {
            self.space(&mut first);
            self.redirection(redirection);
            if let RedirectionKind::HereDocument(document) = &redirection.kind {
                documents.push(document.as_ref());
            }
        }
        if merged {
            self.space(&mut first);
            self.put(b"2>&1");
        }
        if documents.is_empty() {
            return;
        }
        if self.connections > 0 {
            self.waiting.append(&mut documents);
        } else {
            self.bodies(&documents);
        }
    }

    fn redirection(&mut self, redirection: &Redirection) {
        let descriptor = &redirection.descriptor;
        let (default, operator, target): (u32, &[u8], &Word) = match &redirection.kind {
            RedirectionKind::Read(word) => (0, b"< ", word),
            RedirectionKind::Write(word) => (1, b"> ", word),
            RedirectionKind::Clobber(word) => (1, b">| ", word),
            RedirectionKind::Append(word) => (1, b">> ", word),
            RedirectionKind::ReadWrite(word) => (1, b"<> ", word),
            RedirectionKind::BothWrite(word) => (u32::MAX, b"&> ", word),
            RedirectionKind::BothAppend(word) => (u32::MAX, b"&>> ", word),
            RedirectionKind::HereString(word) => (0, b"<<< ", word),
            RedirectionKind::DuplicateInput(word) => return self.duplication(descriptor, 0, b"<&", word),
            RedirectionKind::DuplicateOutput(word) => return self.duplication(descriptor, 1, b">&", word),
            RedirectionKind::HereDocument(document) => return self.here_document(descriptor, document),
        };
        // Bash shows `<>` with its 0.
        let implied = if operator == b"<> " { 0 } else { default };
        self.descriptor(descriptor, implied, Some(default));
        self.put(operator);
        self.word(target);
    }

    /// The descriptor, unless it is `hidden`.
    fn descriptor(&mut self, descriptor: &RedirectionDescriptor, implied: u32, hidden: Option<u32>) {
        match descriptor {
            RedirectionDescriptor::Variable(name) => {
                self.put(b"{");
                self.put(name);
                self.put(b"}");
            }
            RedirectionDescriptor::Number(number) if Some(*number) != hidden => {
                self.put(number.to_decimal().as_bytes());
            }
            RedirectionDescriptor::Default if Some(implied) != hidden => {
                self.put(implied.to_decimal().as_bytes());
            }
            _ => {}
        }
    }

    fn duplication(
        &mut self,
        descriptor: &RedirectionDescriptor,
        default: u32,
        operator: &[u8],
        word: &Word,
    ) {
        // A backslash-newline in it is gone, and quotes make it a name.
        let text = match word.parts.as_slice() {
            [WordPart::Literal(text)] => text.as_bytes(),
            _ => self.text(word.span),
        };
        let number = text.strip_suffix(b"-").unwrap_or(text);
        let plain = number.iter().all(u8::is_ascii_digit);
        self.descriptor(descriptor, default, if plain { None } else { Some(default) });
        self.put(if text == b"-" { b">&" } else { operator });
        self.word(word);
    }

    fn here_document(&mut self, descriptor: &RedirectionDescriptor, document: &HereDocument) {
        self.descriptor(descriptor, 0, Some(0));
        self.put(if document.strip_tabs { b"<<-" } else { b"<<" });
        if document.quoted {
            crate::syntax::ansi::put_single_quoted(&mut self.out, &document.delimiter);
        } else {
            self.put(&document.delimiter);
        }
    }
}
