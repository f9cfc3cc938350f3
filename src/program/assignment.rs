//! Assignments and redirections of simple commands to operations.

use super::compiler::Compiler;
use super::{Index, Op, Pc, Quoting};
use crate::memory::{Few, JoinMetered};
use crate::syntax::ast::{
    ArrayElement, Assignment, AssignmentValue, Command, Parameter, ParameterOperation, Simple, Subscript,
    Word, WordPart,
};
use crate::text::Text;

impl Compiler {
    /// A command that is one `name=value` and can only end with status 0. Whether it was one.
    pub(super) fn plain_assignment(&mut self, command: &Command, simple: &Simple) -> bool {
        let [Assignment { name, append, value: AssignmentValue::Scalar(word), subscript: None, .. }] =
            simple.assignments.as_slice()
        else {
            return false;
        };
        if !command.redirections.is_empty() {
            return false;
        }
        let parts = match word.parts.as_slice() {
            [WordPart::DoubleQuoted(parts)] => parts.as_slice(),
            parts => parts,
        };
        let name = self.name(name);
        if let ([WordPart::Arithmetic(_)], false) = (word.parts.as_slice(), append) {
            let start = self.program.code.len();
            self.word(word, Quoting::Raw);
            let ops = self.program.code.get_mut(start..).unwrap_or_default();
            let substitutes = ops.iter().any(|op| matches!(op, Op::Substitution { .. }));
            match ops.last_mut() {
                Some(last @ Op::AppendNumber { .. }) if !substitutes => *last = Op::AssignNumber { name },
                _ => {
                    self.emit(Op::Assign { name, append: false });
                    self.emit(Op::AssignmentsDone);
                    self.check_simple();
                }
            }
            return true;
        }
        let runs_nothing = |part: &WordPart| match part {
            WordPart::Literal(_) | WordPart::Quoted(_) => true,
            WordPart::Parameter(expansion) => {
                matches!(expansion.operation, ParameterOperation::Value)
                    && matches!(expansion.parameter, Parameter::Variable(_))
                    && !expansion.indirect
            }
            _ => false,
        };
        if !parts.iter().all(runs_nothing) {
            return false;
        }
        self.word(word, Quoting::Raw);
        self.emit(Op::AssignStatement { name, append: *append });
        true
    }

    /// An assignment before a command; with `follows` its value sees those before it.
    pub(super) fn temporary_assignment(&mut self, assignment: &Assignment, follows: bool) {
        if let Some(subscript) = &assignment.subscript {
            let text = self.element_text(assignment, subscript);
            let text = self.text(&text);
            self.emit(Op::InvalidIdentifier(text));
            return;
        }
        let name = self.name(&assignment.name);
        match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let shows = follows && word.parts.iter().any(super::effect::part_expands);
                if shows {
                    self.emit(Op::ShowAssignments);
                }
                self.word(word, Quoting::Raw);
                if shows {
                    self.emit(Op::HideAssignments);
                }
            }
            // The environment has no arrays: the list is a text.
            AssignmentValue::Array(elements) => {
                for (number, element) in elements.iter().enumerate() {
                    let open = self.static_text(if number > 0 { b" " } else { b"(" });
                    self.emit(Op::Quoted(open));
                    if let Some(subscript) = &element.subscript {
                        let bracket = self.static_text(b"[");
                        self.emit(Op::Quoted(bracket));
                        self.word(&subscript.word, Quoting::Raw);
                        let bracket = self.static_text(if element.append { b"]+=" } else { b"]=" });
                        self.emit(Op::Quoted(bracket));
                    }
                    self.word(&element.value, Quoting::Raw);
                }
                let close = self.static_text(if elements.is_empty() { b"()" } else { b")" });
                self.emit(Op::Quoted(close));
            }
        }
        self.emit(Op::TemporaryAssign { name, append: assignment.append });
    }

    /// An assignment that is a command.
    pub(super) fn assignment(&mut self, assignment: &Assignment) {
        let name = self.name(&assignment.name);
        let append = assignment.append;
        match (&assignment.value, &assignment.subscript) {
            (AssignmentValue::Scalar(word), None) => {
                self.word(word, Quoting::Raw);
                self.emit(Op::Assign { name, append });
            }
            (AssignmentValue::Scalar(word), Some(subscript)) => {
                // Bash expands the value first.
                self.word(word, Quoting::Raw);
                if subscript.all.is_some() {
                    let text = self.source_text(subscript.word.span);
                    let text = self.text(&text);
                    self.emit(Op::PushBuilder);
                    self.emit(Op::Quoted(text));
                    self.emit(Op::SubscriptKey { assigned: None });
                } else {
                    self.assigned_subscript(name, assignment, subscript);
                }
                let shown = self.element_text(assignment, subscript);
                let shown = self.text(&shown);
                self.emit(Op::AssignElement { name, append, shown });
            }
            (AssignmentValue::Array(_), Some(subscript)) => {
                let element = self.element_text(assignment, subscript);
                let element = self.text(&element);
                self.emit(Op::ListToElement(element));
            }
            (AssignmentValue::Array(elements), None) => {
                let begin = self.array(name, false, elements);
                let (start, end) = (assignment.span.start, assignment.span.end);
                if let Some(begin) = self.program.code.get_mut(begin as usize) {
                    *begin = Op::ArrayBegin { start, end };
                }
                self.emit(Op::AssignArray { name, append });
            }
        }
    }

    /// `name[subscript]` as written.
    fn element_text(&self, assignment: &Assignment, subscript: &Subscript) -> Text {
        let mut text = assignment.name.clone();
        text.push_bytes(b"[");
        text.push_bytes(&self.source_text(subscript.word.span));
        text.push_bytes(b"]");
        text
    }

    fn assigned_subscript(&mut self, name: Index, assignment: &Assignment, subscript: &Subscript) {
        let text = self.element_text(assignment, subscript);
        let assigned = self.text(&text);
        if subscript.word.parts.is_empty() {
            self.emit(Op::PushBuilder);
            self.emit(Op::SubscriptKey { assigned: Some(assigned) });
        } else {
            self.subscript(name, subscript, Some(assigned));
        }
    }

    /// `name=value` after a declaration builtin: an argument that is neither split nor expanded to pathnames.
    ///
    /// `associative`: after `-A`.
    pub(super) fn assignment_argument(&mut self, assignment: &Assignment, associative: bool) {
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
                if assignment.subscript.is_none() && super::brace::has_braces(word) {
                    let Ok(words) = super::brace::expand_value(word, super::brace::COMPILE_TIME_WORDS) else {
                        self.many_brace_arguments(assignment, word);
                        return;
                    };
                    if words.len() > 1 {
                        let plain = self.emit(Op::UnlessBraces(0));
                        // They are not assignments any more: their expansions are split.
                        self.each_copy(&words, |this, word| this.split_argument(&head, word));
                        let end = self.emit(Op::Jump(0));
                        self.patch(plain);
                        self.copy(|this| this.scalar_argument(&head, word));
                        self.patch(end);
                        return;
                    }
                }
                self.scalar_argument(&head, word);
            }
            AssignmentValue::Array(elements) => {
                let name = self.name(&assignment.name);
                self.array(name, associative, elements);
                let name = self.text(&assignment.name);
                self.emit(Op::ArrayArgument { name, append: assignment.append });
            }
        }
    }

    fn split_argument(&mut self, head: &Text, word: &Word) {
        let text = self.text(head);
        self.emit(Op::Quoted(text));
        self.head = head.clone();
        self.word(word, Quoting::Split);
        self.emit(Op::EndField);
    }

    fn scalar_argument(&mut self, head: &Text, word: &Word) {
        let text = self.text(head);
        self.emit(Op::Quoted(text));
        self.head = head.clone();
        match word.parts.first() {
            // After the brace expansion the first part may begin with a tilde.
            Some(WordPart::Literal(text)) if text.starts_with(b"~") => {
                let word = super::brace::with_tilde(word.clone());
                self.word(&word, Quoting::Raw);
            }
            _ => self.word(word, Quoting::Raw),
        }
        self.emit(Op::EndScalar);
    }

    /// `name={1..1000}`: expanded when the command runs.
    fn many_brace_arguments(&mut self, assignment: &Assignment, word: &Word) {
        let mut head = assignment.name.clone();
        head.push_bytes(if assignment.append { b"+=" } else { b"=" });
        let mut whole = Word { parts: Few::from([WordPart::Quoted(head)]), span: word.span };
        whole.parts.extend(word.parts.iter().cloned());
        let index = self.program.braces.len() as Index;
        self.program.braces.push(whole);
        self.emit(Op::BraceFields(index));
    }

    /// `[subscript]=value`. In an associative array the value has no tilde- and no brace expansion; in an indexed one a
    /// brace expansion makes words of the whole element.
    fn keyed_element(
        &mut self,
        name: Index,
        associative: bool,
        subscript: &Subscript,
        element: &ArrayElement,
    ) {
        let key = (!associative).then_some(name);
        let has_tilde = element.value.parts.iter().any(|part| matches!(part, WordPart::Tilde(_)));
        let whole = braced_element(subscript, element);
        if !has_tilde && whole.is_none() {
            self.keyed_value(key, subscript, element, &element.value);
            return;
        }
        let mut plain = element.value.clone();
        for part in &mut plain.parts {
            if let WordPart::Tilde(name) = part {
                *part = WordPart::Quoted(Text::from([b"~", name.as_bytes()].concat_metered()));
            }
        }
        if associative {
            self.keyed_value(key, subscript, element, &plain);
            return;
        }
        let test = self.emit(Op::IfAssociative { name, key: 0 });
        if let Some(whole) = whole {
            self.fields(&whole);
            self.emit(Op::ArrayElements);
        } else {
            self.keyed_value(key, subscript, element, &element.value);
        }
        let end = self.emit(Op::Jump(0));
        self.patch(test);
        self.copy(|this| this.keyed_value(key, subscript, element, &plain));
        self.patch(end);
    }

    fn keyed_value(
        &mut self,
        name: Option<Index>,
        subscript: &Subscript,
        element: &ArrayElement,
        value: &Word,
    ) {
        self.word(&subscript.word, Quoting::Raw);
        self.emit(Op::PushBuilder);
        if name.is_some() {
            // Bash has quoted the brackets by then.
            let subscript = self.source_text(subscript.word.span);
            let close: &[u8] = if element.append { b"\\]+=" } else { b"\\]=" };
            self.head = Text::from([b"\\[", subscript.as_bytes(), close].concat_metered());
        }
        self.word(value, Quoting::Raw);
        self.emit(Op::ArrayKeyed { append: element.append, name });
    }

    /// `associative`: it is known to be for such an array. Where it begins.
    fn array(&mut self, name: Index, associative: bool, elements: &[ArrayElement]) -> Pc {
        let begin = self.emit(Op::ArrayBegin { start: 0, end: 0 });
        for element in elements {
            if let Some(subscript) = &element.subscript {
                self.keyed_element(name, associative, subscript, element);
            } else {
                self.fields(&element.value);
                self.emit(Op::ArrayElements);
            }
        }
        begin
    }

    /// The index of a text that is not in the source.
    pub(super) fn static_text(&mut self, text: &'static [u8]) -> Index {
        self.text(&Text::from_static(text))
    }
}

/// `[subscript]=value` as a word whose braces make several.
fn braced_element(subscript: &Subscript, element: &ArrayElement) -> Option<Word> {
    if !super::brace::has_braces(&element.value) {
        return None;
    }
    let mut whole =
        Word { parts: Few::from([WordPart::Quoted(Text::from_static(b"["))]), span: element.value.span };
    whole.parts.extend(subscript.word.parts.iter().cloned());
    let close: &'static [u8] = if element.append { b"])+=" } else { b"]=" };
    whole.parts.push(WordPart::Quoted(Text::from_static(close)));
    whole.parts.extend(element.value.parts.iter().cloned());
    super::brace::expand(&whole, 2).map_or(true, |words| words.len() > 1).then_some(whole)
}
