//! Goes through the syntax tree of a script and records its simple commands.
//!
//! Recursion follows the tree, whose depth the parser bounds; a nested text is parsed with the depth that is left.

use super::field::{self, Field, push_fields};
use super::wrapper::is_loading_variable;
use super::{
    CommandView, ExpansionView, MAX_NESTING, MAX_SCRIPT, MOST_EXPANSIONS, Opaque, OpaqueKind, RedirectView,
    Via, View, WordView,
};
use crate::memory::Bytes;
use crate::syntax::ast::{
    AndOr, Argument, Arithmetic, ArrayElement, Assignment, AssignmentValue, Command, CommandKind,
    Conditional, List, Parameter, ParameterExpansion, ParameterOperation, Redirection, RedirectionDescriptor,
    RedirectionKind, Simple, Span, Subscript, Word, WordPart,
};
use crate::syntax::{NoAliases, ParseError, ParseErrorKind, ParseOptions, Parser};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Words and 64-byte pieces of text that a view may have in all.
const BUDGET: usize = 400_000;

/// Bytes of a part of an error's message that are shown: the line that it quotes may be long.
const LONGEST_MESSAGE: usize = 4096;

/// What a complete command counts for beside its parts.
const COMMAND_PARTS: u32 = 4;

/// Where something stands in the script.
#[derive(Clone, Debug, Default)]
pub(super) struct ScriptPlace {
    pub(super) line: u32,
    pub(super) span: Range<usize>,
}

/// The view so far and where the walk stands.
pub(super) struct Walker {
    pub(super) view: View,
    pub(super) via: Vec<Via>,
    /// Texts in texts and wrappers around wrappers.
    pub(super) nesting: u32,
    /// What the spans of the tree refer to.
    source: Bytes,
    /// The place of the command that runs the nested text in which the walk is.
    fixed: Option<ScriptPlace>,
    depth: u32,
    budget: usize,
    /// What the parser may still read; `None`: the whole script.
    effort: Option<u32>,
    /// Something was not looked at because the budget was used up.
    is_cut: bool,
    /// Names that the script defines.
    redefined: FxHashSet<String>,
    extglob: bool,
}

/// A simple command with what its wrappers need to know.
pub(super) struct Call<'c> {
    pub(super) fields: &'c [Field],
    pub(super) redirects: &'c [RedirectView],
    pub(super) place: ScriptPlace,
}

/// A script that is looked at one complete command after another.
pub(super) struct Steps {
    walker: Walker,
    parser: Parser,
    /// Bytes of the script.
    length: usize,
}

impl Steps {
    pub(super) fn new(script: &[u8]) -> Self {
        let walker = Walker {
            view: View::default(),
            via: Vec::new(),
            nesting: 0,
            source: Bytes::default(),
            fixed: None,
            depth: 0,
            budget: BUDGET,
            effort: None,
            is_cut: false,
            redefined: FxHashSet::default(),
            extglob: false,
        };
        let read = script.get(..MAX_SCRIPT).unwrap_or(script);
        Self { walker, parser: Parser::new(read.into(), 1), length: script.len() }
    }

    /// From here on the commands and the texts in them may have so many parts; what is more is not looked at.
    pub(super) fn allow(&mut self, parts: u32) {
        self.walker.effort = Some(parts);
    }

    /// The same for all that is recorded.
    pub(super) fn allow_in_all(&mut self, parts: u32) {
        self.allow(parts);
        self.walker.budget = parts as usize;
    }

    /// Looks at the next complete command; `false`: it was the last one.
    pub(super) fn next(&mut self) -> bool {
        let start = self.parser.offset();
        match self.walker.complete_command(&mut self.parser) {
            Ok(goes_on) => goes_on,
            Err(error) => {
                self.walker.fails(&error, start..self.length);
                false
            }
        }
    }

    pub(super) fn view(mut self) -> View {
        let read = self.parser.source().len();
        if read < self.length {
            self.walker.opaque(OpaqueKind::TooLarge, &ScriptPlace { line: 1, span: read..self.length });
        }
        self.walker.mark_redefined();
        self.walker.view
    }
}

impl Walker {
    /// Notes that the script ends in an error for this inspection.
    fn fails(&mut self, error: &ParseError, span: Range<usize>) {
        let place = ScriptPlace { line: error.line(), span };
        if matches!(error.kind(), ParseErrorKind::TooLong(_)) {
            return self.opaque(OpaqueKind::TooLarge, &place);
        }
        let shown = |text: &String| crate::visible::cut(text, LONGEST_MESSAGE).to_owned();
        let text: Vec<String> =
            error.message().iter().map(ToString::to_string).map(|text| shown(&text)).collect();
        self.view.error = Some(format!("line {}: {}", error.line(), text.join(": ")));
        self.opaque(OpaqueKind::SyntaxError, &place);
    }

    /// Walks all commands of a text.
    fn text(&mut self, text: &[u8]) -> Result<(), ParseError> {
        let mut parser = Parser::new(text.into(), 1);
        while self.complete_command(&mut parser)? {}
        Ok(())
    }

    /// Walks the next complete command of a text; `false`: there is none.
    fn complete_command(&mut self, parser: &mut Parser) -> Result<bool, ParseError> {
        if self.is_cut {
            return Ok(false);
        }
        let defaults = ParseOptions::default();
        let depth = defaults.depth.saturating_sub(self.depth);
        let options = ParseOptions { extglob: self.extglob, depth, ..defaults };
        parser.set_effort(self.effort);
        let parsed = parser.next_command(&options, &NoAliases);
        let spent = parser.spent().saturating_add(COMMAND_PARTS);
        self.effort = self.effort.map(|effort| effort.saturating_sub(spent));
        let Some(list) = parsed? else { return Ok(false) };
        let looked_at = self.view.commands.len();
        self.source = parser.source().clone();
        self.list(&list);
        // Bash reads the next line by the options that this one set.
        let new = self.view.commands.get(looked_at..).unwrap_or(&[]);
        self.extglob |= new.iter().any(sets_extglob);
        Ok(true)
    }

    /// Walks a text that a command of the script runs.
    pub(super) fn nested(&mut self, text: &str, via: Via, place: &ScriptPlace) {
        if self.nesting >= MAX_NESTING || !self.charge(text.len() / 64 + 1) {
            return self.opaque(OpaqueKind::TooLarge, place);
        }
        let source = self.source.clone();
        let fixed = self.fixed.replace(place.clone());
        self.nesting += 1;
        self.via.push(via);
        let result = self.text(text.as_bytes());
        self.via.pop();
        self.nesting -= 1;
        self.fixed = fixed;
        self.source = source;
        if let Err(error) = result {
            let what = if error.limit().is_some() { OpaqueKind::TooLarge } else { OpaqueKind::SyntaxError };
            self.opaque(what, place);
        }
    }

    fn place(&self, span: Span) -> ScriptPlace {
        self.fixed
            .clone()
            .unwrap_or(ScriptPlace { line: span.line, span: span.start as usize..span.end as usize })
    }

    pub(super) fn opaque(&mut self, what: OpaqueKind, place: &ScriptPlace) {
        let opaque = Opaque { what, line: place.line, span: place.span.clone() };
        if self.view.opaque.last() != Some(&opaque) {
            self.view.opaque.push(opaque);
        }
    }

    /// Takes from the budget; `false` when it is used up.
    pub(super) fn charge(&mut self, amount: usize) -> bool {
        let enough = amount <= self.budget;
        self.budget = if enough { self.budget - amount } else { 0 };
        self.is_cut |= !enough;
        enough
    }

    /// Whether so much more than the budget cannot be recorded; then it is not worth while to put it together.
    pub(super) fn exceeds(&mut self, amount: usize, place: &ScriptPlace) -> bool {
        let exceeds = self.is_cut || amount > self.budget;
        if exceeds {
            self.is_cut = true;
            self.opaque(OpaqueKind::TooLarge, place);
        }
        exceeds
    }

    /// Adds a command to the view.
    pub(super) fn record(
        &mut self,
        words: Vec<WordView>,
        assignments: Vec<(String, WordView)>,
        call: &Call<'_>,
    ) {
        let bytes: usize = words.iter().map(|word| word.source.len()).sum();
        let pieces = 1 + words.len() + assignments.len() + call.redirects.len() + self.via.len() + bytes / 64;
        if !self.charge(pieces) {
            return self.opaque(OpaqueKind::TooLarge, &call.place);
        }
        if assignments.iter().any(|(name, _)| is_loading_variable(name)) {
            self.opaque(OpaqueKind::Environment, &call.place);
        }
        self.view.commands.push(CommandView {
            words,
            assignments,
            redirects: call.redirects.to_vec(),
            line: call.place.line,
            span: call.place.span.clone(),
            via: self.via.clone(),
        });
    }

    /// From here on a command of this name is not the one that it seems to be.
    pub(super) fn redefine(&mut self, name: &str) {
        self.redefined.insert(name.to_owned());
    }

    /// Marks the calls of redefined names. A wrapper runs programs, not functions.
    fn mark_redefined(&mut self) {
        if self.redefined.is_empty() {
            return;
        }
        let redefined = &self.redefined;
        let calls = self.view.commands.iter().filter(|command| {
            let called = command.words.first().and_then(|word| word.text.as_deref());
            called.is_some_and(|name| redefined.contains(name))
                && !matches!(command.via.last(), Some(Via::Wrapper(_)))
        });
        let marks: Vec<Opaque> = calls
            .map(|command| Opaque {
                what: OpaqueKind::Redefined,
                line: command.line,
                span: command.span.clone(),
            })
            .collect();
        self.view.opaque.extend(marks);
    }

    fn list(&mut self, list: &List) {
        self.depth = self.depth.saturating_add(1);
        for item in list.items() {
            let AndOr { first, rest } = &item.and_or;
            for pipeline in std::iter::once(first).chain(rest.iter().map(|(_, pipeline)| pipeline)) {
                for command in &pipeline.stages {
                    self.command(command);
                }
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn inside(&mut self, via: Via, list: &List) {
        self.via.push(via);
        self.list(list);
        self.via.pop();
    }

    fn command(&mut self, command: &Command) {
        if self.is_cut {
            return;
        }
        match &command.kind {
            CommandKind::Simple(simple) => return self.simple(simple, command),
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
                words.iter().flatten().for_each(|word| self.word(word));
                self.list(body);
            }
            CommandKind::ArithmeticFor { init, condition, update, body, line: _ } => {
                [init, condition, update].into_iter().flatten().for_each(|part| self.arithmetic(part));
                self.list(body);
            }
            CommandKind::Case { subject, arms } => {
                self.word(subject);
                for arm in arms {
                    arm.patterns.iter().for_each(|pattern| self.word(pattern));
                    self.list(&arm.body);
                }
            }
            CommandKind::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            CommandKind::Conditional(conditional) => self.conditional(conditional),
            CommandKind::Function(function) => {
                let name = String::from_utf8_lossy(&function.name).into_owned();
                self.redefine(&name);
                self.via.push(Via::Function(name));
                self.command(function.body());
                self.via.pop();
            }
            CommandKind::Coprocess { name, command } => {
                if let Some(word) = name {
                    self.word(word);
                }
                self.command(command);
            }
        }
        if !command.redirections.is_empty() {
            let redirects = self.redirects(&command.redirections);
            let call = Call { fields: &[], redirects: &redirects, place: self.place(command.span) };
            self.record(Vec::new(), Vec::new(), &call);
            self.redirections(&command.redirections);
        }
    }

    fn simple(&mut self, simple: &Simple, command: &Command) {
        let mut fields = Vec::new();
        let mut assigned_arguments = Vec::new();
        for argument in &simple.words {
            if self.exceeds(fields.len(), &self.place(command.span)) {
                return;
            }
            match argument {
                Argument::Word(word) => push_fields(word, &self.source, &mut fields),
                Argument::Assignment(assignment) => {
                    fields.push(self.assignment_field(assignment));
                    assigned_arguments.push(String::from_utf8_lossy(&assignment.name).into_owned());
                }
            }
        }
        let assignments = simple.assignments.iter().map(|assignment| self.assignment(assignment)).collect();
        let redirects = self.redirects(&command.redirections);
        let call = Call { fields: &fields, redirects: &redirects, place: self.place(command.span) };
        self.record(fields.iter().map(|field| field.view.clone()).collect(), assignments, &call);
        if assigned_arguments.iter().any(|name| is_loading_variable(name)) {
            self.opaque(OpaqueKind::Environment, &call.place);
        }
        self.through(&call);
        for argument in &simple.words {
            match argument {
                Argument::Word(word) => self.word(word),
                Argument::Assignment(assignment) => self.assigned(assignment),
            }
        }
        simple.assignments.iter().for_each(|assignment| self.assigned(assignment));
        self.redirections(&command.redirections);
    }

    /// The name as it is assigned to (`name[i]` for an element), and the value.
    fn assignment(&self, assignment: &Assignment) -> (String, WordView) {
        let name = String::from_utf8_lossy(&assignment.name).into_owned();
        let view = match &assignment.value {
            AssignmentValue::Scalar(word) if assignment.subscript.is_none() && !assignment.append => {
                field::field(word, &self.source).view
            }
            _ => self.computed(assignment.span),
        };
        (name, view)
    }

    /// An assignment as an argument of `export` and its kin: `name=value`.
    fn assignment_field(&self, assignment: &Assignment) -> Field {
        let (name, value) = self.assignment(assignment);
        let text = value.text.map(|text| format!("{name}={text}"));
        let source = self.computed(assignment.span).source;
        Field { view: WordView { text, source }, prefix: format!("{name}="), single: true }
    }

    fn computed(&self, span: Span) -> WordView {
        WordView { text: None, source: field::shown(field::span_text(&self.source, span)) }
    }

    fn redirects(&self, redirections: &[Redirection]) -> Vec<RedirectView> {
        redirections.iter().map(|redirection| self.redirect(redirection)).collect()
    }

    fn redirect(&self, redirection: &Redirection) -> RedirectView {
        let descriptor = match &redirection.descriptor {
            RedirectionDescriptor::Default => None,
            RedirectionDescriptor::Number(number) => Some(number.to_string()),
            RedirectionDescriptor::Variable(name) => Some(format!("{{{name}}}")),
        };
        let (operator, word) = match &redirection.kind {
            RedirectionKind::Read(word) => ("<", word),
            RedirectionKind::Write(word) => (">", word),
            RedirectionKind::Clobber(word) => (">|", word),
            RedirectionKind::Append(word) => (">>", word),
            RedirectionKind::ReadWrite(word) => ("<>", word),
            RedirectionKind::DuplicateInput(word) => ("<&", word),
            RedirectionKind::DuplicateOutput(word) => (">&", word),
            RedirectionKind::BothWrite(word) => ("&>", word),
            RedirectionKind::BothAppend(word) => ("&>>", word),
            RedirectionKind::HereString(word) => ("<<<", word),
            RedirectionKind::HereDocument(document) => {
                let body = document.body();
                let source = body.source.as_ref().unwrap_or(&self.source);
                return RedirectView { descriptor, operator: "<<", target: field::body(&body.word, source) };
            }
        };
        RedirectView { descriptor, operator, target: field::field(word, &self.source).view }
    }

    // What follows looks for commands inside words.

    fn redirections(&mut self, redirections: &[Redirection]) {
        for redirection in redirections {
            match &redirection.kind {
                RedirectionKind::HereDocument(document) => match &document.body().source {
                    Some(source) => {
                        let place = self.place(redirection.span);
                        self.elsewhere(source.clone(), place, |walker| walker.word(&document.body().word));
                    }
                    None => self.word(&document.body().word),
                },
                kind => self.word(kind.word()),
            }
        }
    }

    /// Walks nodes whose spans refer to another text.
    fn elsewhere(&mut self, source: Bytes, place: ScriptPlace, walk: impl FnOnce(&mut Self)) {
        let source = std::mem::replace(&mut self.source, source);
        let fixed = self.fixed.replace(place);
        walk(self);
        self.fixed = fixed;
        self.source = source;
    }

    fn assigned(&mut self, assignment: &Assignment) {
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(elements) => {
                for ArrayElement { subscript, value, .. } in elements {
                    if let Some(subscript) = subscript {
                        self.subscript(subscript);
                    }
                    self.word(value);
                }
            }
        }
    }

    fn subscript(&mut self, subscript: &Subscript) {
        self.word(&subscript.word);
        self.arithmetic(&subscript.arithmetic);
    }

    fn arithmetic(&mut self, arithmetic: &Arithmetic) {
        self.word(&arithmetic.text);
    }

    fn conditional(&mut self, conditional: &Conditional) {
        let mut waiting = vec![conditional];
        while let Some(conditional) = waiting.pop() {
            match conditional {
                Conditional::And(left, right) | Conditional::Or(left, right) => {
                    waiting.push(right);
                    waiting.push(left);
                }
                Conditional::Not(inner) | Conditional::Group(inner) => waiting.push(inner),
                Conditional::Word(word) | Conditional::Unary(_, word) => self.word(word),
                Conditional::Binary(_, left, right) => {
                    self.word(left);
                    self.word(right);
                }
            }
        }
    }

    fn word(&mut self, word: &Word) {
        self.depth = self.depth.saturating_add(1);
        word.parts.iter().for_each(|part| self.part(part));
        self.depth = self.depth.saturating_sub(1);
    }

    fn part(&mut self, part: &WordPart) {
        match part {
            WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
            WordPart::DoubleQuoted(parts) => parts.iter().for_each(|part| self.part(part)),
            WordPart::Parameter(expansion) => self.parameter(expansion),
            WordPart::Arithmetic(arithmetic) => self.arithmetic(arithmetic),
            WordPart::ProcessSubstitution(substitution) => {
                self.inside(Via::ProcessSubstitution, &substitution.body);
            }
            WordPart::CommandSubstitution(substitution) => {
                let place = self.place(substitution.span);
                match &substitution.source {
                    Some(source) => self.elsewhere(source.clone(), place.clone(), |walker| {
                        walker.inside(Via::CommandSubstitution, &substitution.body);
                    }),
                    None => self.inside(Via::CommandSubstitution, &substitution.body),
                }
                if let Some(error) = &substitution.error {
                    let limited = error.limit().is_some();
                    self.opaque(if limited { OpaqueKind::TooLarge } else { OpaqueKind::SyntaxError }, &place);
                }
            }
        }
    }

    fn parameter(&mut self, expansion: &ParameterExpansion) {
        self.expansion(expansion);
        if let Parameter::Element(_, subscript) = &expansion.parameter {
            self.subscript(subscript);
        }
        match &expansion.operation {
            ParameterOperation::Default { word, .. } => self.word(word),
            ParameterOperation::TrimPrefix { pattern, .. }
            | ParameterOperation::TrimSuffix { pattern, .. } => {
                self.word(pattern);
            }
            ParameterOperation::Replace { pattern, replacement, .. } => {
                self.word(pattern);
                if let Some(word) = replacement {
                    self.word(word);
                }
            }
            ParameterOperation::Case { pattern: Some(pattern), .. } => self.word(pattern),
            ParameterOperation::Substring { offset, length } => {
                self.arithmetic(offset);
                if let Some(length) = length {
                    self.arithmetic(length);
                }
            }
            // The value is expanded as a prompt is, with its command substitutions.
            ParameterOperation::Transform(b'P') => {
                let place = self.place(expansion.span);
                self.opaque(OpaqueKind::ComputedScript, &place);
            }
            _ => {}
        }
    }
}

impl Walker {
    /// Lists an expansion of a variable, or of an argument of the script.
    fn expansion(&mut self, expansion: &ParameterExpansion) {
        let is_of_script = self.nesting == 0 && !self.via.iter().any(|via| matches!(via, Via::Function(_)));
        let (name, is_argument) = match &expansion.parameter {
            Parameter::Variable(name) | Parameter::Element(name, _) => {
                (String::from_utf8_lossy(name).into_owned(), false)
            }
            Parameter::Positional(number @ 1..) if is_of_script => (number.to_string(), true),
            Parameter::Positional(_) | Parameter::Special(_) => return,
        };
        let (has_default, is_empty) = match &expansion.operation {
            ParameterOperation::Default { word, .. } => (true, word.parts.is_empty()),
            _ => (false, false),
        };
        let span = self.place(expansion.span).span;
        // `${1:-}` says no more than that the script may have no argument.
        let view = ExpansionView { name, has_default: has_default && !(is_argument && is_empty), span };
        let all = if is_argument { &mut self.view.arguments } else { &mut self.view.expansions };
        if all.len() < MOST_EXPANSIONS {
            all.push(view);
        }
    }
}

fn sets_extglob(command: &CommandView) -> bool {
    command.name() == Some("shopt")
        && command.words.iter().any(|word| word.text.as_deref() == Some("-s"))
        && command.words.iter().any(|word| word.text.as_deref() == Some("extglob"))
}
