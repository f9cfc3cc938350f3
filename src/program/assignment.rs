//! Assignments and redirections of simple commands to operations.

use super::compiler::Compiler;
use super::{Index, Op, Quoting};
use crate::syntax::ast::{ArrayElement, Assignment, AssignmentValue};
use crate::text::Text;

impl Compiler<'_> {
    /// An assignment before a command (`temporary`) or alone.
    pub(super) fn assignment(&mut self, assignment: &Assignment, temporary: bool) {
        let name = self.name(&assignment.name);
        let append = assignment.append;
        match (&assignment.value, &assignment.subscript) {
            (AssignmentValue::Scalar(word), None) => {
                self.word(word, Quoting::Raw);
                self.emit(if temporary {
                    Op::TemporaryAssign { name, append }
                } else {
                    Op::Assign { name, append }
                });
            }
            (AssignmentValue::Scalar(word), Some(subscript)) => {
                if subscript.all.is_some() {
                    let text = self.source_text(subscript.word.span);
                    let text = self.text(&text);
                    self.emit(Op::Quoted(text));
                    self.emit(Op::SubscriptKey);
                } else {
                    self.subscript(name, subscript);
                }
                self.word(word, Quoting::Raw);
                self.emit(Op::AssignElement { name, append });
            }
            (AssignmentValue::Array(elements), _) => {
                self.array(elements);
                self.emit(Op::AssignArray { name, append });
            }
        }
    }

    /// `name=value` behind a declaration builtin: an argument that is neither split nor expanded to pathnames.
    pub(super) fn assignment_argument(&mut self, assignment: &Assignment) {
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let mut head = assignment.name.clone();
                if let Some(subscript) = &assignment.subscript {
                    head.push_bytes(b"[");
                    let key = self.text(&head);
                    self.emit(Op::Quoted(key));
                    self.word(&subscript.word, Quoting::Raw);
                    head = Text::from_static(b"]");
                }
                head.push_bytes(if assignment.append { b"+=" } else { b"=" });
                let head = self.text(&head);
                self.emit(Op::Quoted(head));
                self.word(word, Quoting::Raw);
                self.emit(Op::EndScalar);
            }
            AssignmentValue::Array(elements) => {
                self.array(elements);
                let name = self.text(&assignment.name);
                self.emit(Op::ArrayArgument { name, append: assignment.append });
            }
        }
    }

    fn array(&mut self, elements: &[ArrayElement]) {
        self.emit(Op::ArrayBegin);
        for element in elements {
            if let Some(subscript) = &element.subscript {
                self.word(&subscript.word, Quoting::Raw);
                self.emit(Op::PushBuilder);
                self.word(&element.value, Quoting::Raw);
                self.emit(Op::ArrayKeyed { append: element.append });
            } else {
                self.fields(&element.value);
                self.emit(Op::ArrayElements);
            }
        }
    }

    /// The index of a text that is not in the source.
    pub(super) fn static_text(&mut self, text: &'static [u8]) -> Index {
        self.text(&Text::from_static(text))
    }
}
