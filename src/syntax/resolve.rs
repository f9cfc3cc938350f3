//! Puts the bodies of here-documents into their redirections, once a complete command and all its bodies are read.
//! Recurses as deep as the tree, which the parser's depth bounds.

use super::ast::{
    AndOr, Argument, Assignment, AssignmentValue, Command, CommandKind, Conditional, List, Parameter,
    ParameterExpansion, ParameterOperation, Pipeline, Redirection, RedirectionKind, Subscript, Word,
    WordPart,
};
use super::lexer::HereDocumentBody;
use crate::memory::{Arc, HashMap};

pub(super) struct Resolver<'a> {
    pub(super) bodies: &'a mut HashMap<u32, HereDocumentBody>,
}

impl Resolver<'_> {
    pub(super) fn list(&mut self, list: &mut List) {
        for item in list.items_mut() {
            self.and_or(&mut item.and_or);
        }
    }

    fn and_or(&mut self, and_or: &mut AndOr) {
        self.pipeline(&mut and_or.first);
        for (_, pipeline) in &mut and_or.rest {
            self.pipeline(pipeline);
        }
    }

    fn pipeline(&mut self, pipeline: &mut Pipeline) {
        for command in &mut pipeline.stages {
            self.command(command);
        }
    }

    fn command(&mut self, command: &mut Command) {
        for redirection in &mut command.redirections {
            self.redirection(redirection);
        }
        match &mut command.kind {
            CommandKind::Simple(simple) => {
                for assignment in &mut simple.assignments {
                    self.assignment(assignment);
                }
                for argument in &mut simple.words {
                    match argument {
                        Argument::Word(word) => self.word(word),
                        Argument::Assignment(assignment) => self.assignment(assignment),
                    }
                }
            }
            CommandKind::BraceGroup(list) | CommandKind::Subshell(list) => self.list(list),
            CommandKind::If { clauses, otherwise } => {
                for (condition, body) in clauses {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(list) = otherwise {
                    self.list(list);
                }
            }
            CommandKind::While { condition, body, .. } => {
                self.list(condition);
                self.list(body);
            }
            CommandKind::For { words, body, .. } | CommandKind::Select { words, body, .. } => {
                for word in words.iter_mut().flatten() {
                    self.word(word);
                }
                self.list(body);
            }
            CommandKind::ArithmeticFor { init, condition, update, body, line: _ } => {
                for arithmetic in [init, condition, update].into_iter().flatten() {
                    self.word(&mut arithmetic.text);
                }
                self.list(body);
            }
            CommandKind::Case { subject, arms } => {
                self.word(subject);
                for arm in arms {
                    arm.patterns.iter_mut().for_each(|pattern| self.word(pattern));
                    self.list(&mut arm.body);
                }
            }
            CommandKind::Arithmetic(arithmetic) => self.word(&mut arithmetic.text),
            CommandKind::Conditional(conditional) => self.conditional(conditional),
            CommandKind::Function(function) => {
                if let Some(body) = Arc::get_mut(function).and_then(|function| function.body_mut()) {
                    self.command(body);
                }
            }
            CommandKind::Coprocess { command, .. } => self.command(command),
        }
    }

    fn redirection(&mut self, redirection: &mut Redirection) {
        match &mut redirection.kind {
            RedirectionKind::HereDocument(document) => {
                let Some(document) = Arc::get_mut(document) else { return };
                // The place of the body holds its number, and has no end.
                if document.body.span.end == 0
                    && document.body.span.line == 0
                    && let Some(mut read) = self.bodies.remove(&document.body.span.start)
                {
                    self.word(&mut read.body);
                    document.body = read.body;
                    document.source = read.source;
                }
            }
            RedirectionKind::Read(word)
            | RedirectionKind::Write(word)
            | RedirectionKind::Clobber(word)
            | RedirectionKind::Append(word)
            | RedirectionKind::ReadWrite(word)
            | RedirectionKind::DuplicateInput(word)
            | RedirectionKind::DuplicateOutput(word)
            | RedirectionKind::BothWrite(word)
            | RedirectionKind::BothAppend(word)
            | RedirectionKind::HereString(word) => self.word(word),
        }
    }

    fn conditional(&mut self, conditional: &mut Conditional) {
        match conditional {
            Conditional::And(left, right) | Conditional::Or(left, right) => {
                self.conditional(left);
                self.conditional(right);
            }
            Conditional::Not(inner) | Conditional::Group(inner) => self.conditional(inner),
            Conditional::Word(word) | Conditional::Unary(_, word) => self.word(word),
            Conditional::Binary(_, left, right) => {
                self.word(left);
                self.word(right);
            }
        }
    }

    fn assignment(&mut self, assignment: &mut Assignment) {
        if let Some(subscript) = &mut assignment.subscript {
            self.subscript(subscript);
        }
        match &mut assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(elements) => {
                for element in elements {
                    if let Some(subscript) = &mut element.subscript {
                        self.subscript(subscript);
                    }
                    self.word(&mut element.value);
                }
            }
        }
    }

    fn subscript(&mut self, subscript: &mut Subscript) {
        self.word(&mut subscript.word);
    }

    fn word(&mut self, word: &mut Word) {
        self.parts(&mut word.parts);
    }

    fn parts(&mut self, parts: &mut [WordPart]) {
        for part in parts {
            match part {
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
                WordPart::DoubleQuoted(inner) => self.parts(inner),
                WordPart::Parameter(expansion) => self.expansion(expansion),
                WordPart::CommandSubstitution(substitution) => self.list(&mut substitution.body),
                WordPart::Arithmetic(arithmetic) => self.word(&mut arithmetic.text),
                WordPart::ProcessSubstitution(substitution) => self.list(&mut substitution.body),
            }
        }
    }

    fn expansion(&mut self, expansion: &mut ParameterExpansion) {
        if let Parameter::Element(_, subscript) = &mut expansion.parameter {
            self.subscript(subscript);
        }
        match &mut expansion.operation {
            ParameterOperation::Default { word, .. } => self.word(word),
            ParameterOperation::TrimPrefix { pattern, .. }
            | ParameterOperation::TrimSuffix { pattern, .. } => {
                self.word(pattern);
            }
            ParameterOperation::Replace { pattern, replacement, .. } => {
                self.word(pattern);
                if let Some(replacement) = replacement {
                    self.word(replacement);
                }
            }
            ParameterOperation::Case { pattern: Some(pattern), .. } => self.word(pattern),
            ParameterOperation::Substring { offset, length } => {
                self.word(&mut offset.text);
                if let Some(length) = length {
                    self.word(&mut length.text);
                }
            }
            _ => {}
        }
    }
}
