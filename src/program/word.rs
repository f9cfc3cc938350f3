//! Words to operations that append to the builder.

use super::compiler::{Around, Compiler};
use super::effect::{expands, is_constant, is_plain_arithmetic};
use super::{
    ArithmeticContext, ConstantPattern, Index, Note, Op, ParameterBase, ParameterReference, Quoting,
};
use crate::memory::{JoinMetered, ToDecimal, ToMetered, Vec};
use crate::syntax::ast::{
    AllElements, Arithmetic, CommandKind, CommandSubstitution, DefaultOperator, Expression, Parameter,
    ParameterExpansion, ParameterOperation, RedirectionKind, Span, Subscript, Word, WordPart,
};
use crate::syntax::shown::{first_quote, last_quote, shown};
use crate::text::Text;
use std::num::NonZeroU32;

impl Compiler {
    /// A word of a command: brace expansion, then the fields that each result expands to.
    pub(super) fn fields(&mut self, word: &Word) {
        if !super::brace::has_braces(word) {
            self.one_word_fields(word);
            return;
        }
        let plain = self.emit(Op::UnlessBraces(0));
        match super::brace::expand(word, super::brace::COMPILE_TIME_WORDS) {
            Ok(words) => self.each_copy(words, |this, word| {
                if let Some(rest) = open_backquote(&word) {
                    // `{Z..a}` has one, and the word is expanded after that.
                    let rest = this.text(&Text::from(rest));
                    this.emit(Op::OpenBackquote(rest));
                }
                let word = super::brace::with_tilde(word);
                this.one_word_fields(&word);
            }),
            Err(_) => {
                let index = self.program.braces.len() as Index;
                self.program.braces.push(word.clone());
                self.emit(Op::BraceFields(index));
            }
        }
        let end = self.emit(Op::Jump(0));
        self.patch(plain);
        self.copy(|this| this.one_word_fields(word));
        self.patch(end);
    }

    fn one_word_fields(&mut self, word: &Word) {
        if let Some(text) = super::command::constant_field(word) {
            if text.is_empty() && !is_quoted(word) {
                return;
            }
            let text = self.text(&text);
            self.emit(Op::Field(text));
            return;
        }
        if let [WordPart::DoubleQuoted(parts)] = word.parts.as_slice()
            && let [WordPart::Parameter(expansion)] = parts.as_slice()
            && let (Parameter::Variable(name), ParameterOperation::Value, false) =
                (&expansion.parameter, &expansion.operation, expansion.indirect)
        {
            let name = self.name(name);
            self.note(Note::Expands(name));
            self.emit(Op::FieldVariable(name));
            return;
        }
        self.word(word, Quoting::Split);
        self.emit(Op::EndField);
    }

    /// Appends a word's parts to the builder. `context` is how unquoted expansions are treated.
    pub(super) fn word(&mut self, word: &Word, context: Quoting) {
        self.nested_word(word, context, false);
    }

    fn nested_word(&mut self, word: &Word, context: Quoting, nested: bool) {
        let head = std::mem::replace(&mut self.head, Text::EMPTY);
        let around = std::mem::replace(&mut self.around, Around { word: word.span, quoted: false, head });
        self.parts(&word.parts, context, nested);
        self.around = around;
    }

    /// `nested`: inside `${x:-...}`, where unquoted literals are split like expansions.
    pub(super) fn parts(&mut self, parts: &[WordPart], context: Quoting, nested: bool) {
        for (number, part) in parts.iter().enumerate() {
            match part {
                WordPart::Tilde(name) if number > 0 && context == Quoting::Split && !nested => {
                    let name = self.text(name);
                    self.emit(Op::InnerTilde(name));
                }
                part => self.part(part, context, nested),
            }
        }
    }

    pub(super) fn part(&mut self, part: &WordPart, context: Quoting, nested: bool) {
        match part {
            WordPart::Literal(text) => {
                let text = self.text(text);
                self.emit(match context {
                    Quoting::Quoted | Quoting::Document => Op::Quoted(text),
                    Quoting::Split if nested => Op::LiteralSplit(text),
                    Quoting::Split | Quoting::Raw => Op::Literal(text),
                });
            }
            WordPart::Quoted(text) => {
                let text = self.text(text);
                self.emit(Op::Quoted(text));
            }
            WordPart::DoubleQuoted(parts) => {
                // The quotes make a field even if everything in them is empty, except for `"$@"`.
                if !matches!(parts.as_slice(), [WordPart::Parameter(_)])
                    || !parts.iter().any(is_positional_list)
                {
                    let empty = self.text(&Text::EMPTY);
                    if !parts.iter().any(is_positional_list) {
                        self.emit(Op::Quoted(empty));
                    }
                }
                let quoting = if context == Quoting::Document { Quoting::Document } else { Quoting::Quoted };
                let quoted = std::mem::replace(&mut self.around.quoted, true);
                self.parts(parts, quoting, nested);
                self.around.quoted = quoted;
            }
            WordPart::Tilde(name) => {
                let name = self.text(name);
                self.emit(Op::Tilde(name));
            }
            WordPart::Parameter(expansion) => self.parameter(expansion, context),
            WordPart::CommandSubstitution(substitution) => self.command_substitution(substitution, context),
            WordPart::Arithmetic(arithmetic) => {
                self.arithmetic(arithmetic, &arithmetic.text, ArithmeticContext::Plain);
                self.emit(Op::AppendNumber { quoting: context });
            }
            WordPart::ProcessSubstitution(substitution) => {
                let start = self.emit(Op::ProcessSubstitution { output: substitution.output, end: 0 });
                let (line, conditions) = (self.line, std::mem::take(&mut self.conditions));
                self.body(&substitution.body, substitution.span);
                (self.line, self.conditions) = (line, conditions);
                self.emit(Op::EndProcess);
                self.patch(start);
            }
        }
    }

    pub(super) fn command_substitution(&mut self, substitution: &CommandSubstitution, quoting: Quoting) {
        if substitution.reads_file
            && let Some(target) = read_file_target(substitution)
        {
            self.emit(Op::PushBuilder);
            self.word(target, Quoting::Split);
            self.emit(Op::ReadFile { quoting });
            return;
        }
        let start = self.emit(Op::Substitution { end: 0, quoting });
        let (line, conditions) = (self.line, std::mem::take(&mut self.conditions));
        let first = substitution.body.items().first().map_or(line, |item| item.span.line);
        let shift = std::mem::replace(&mut self.line_shift, i64::from(line) - i64::from(first));
        let outer = substitution.source.as_ref().map(|own| std::mem::replace(&mut self.source, own.clone()));
        let base = self.base_line.take();
        self.body(&substitution.body, substitution.span);
        self.base_line = base;
        if let Some(error) = &substitution.error {
            let index = self.program.errors.len() as Index;
            self.program.errors.push(error.clone());
            self.emit(Op::SyntaxError(index));
        }
        if let Some(outer) = outer {
            self.source = outer;
        }
        self.line_shift = shift;
        (self.line, self.conditions) = (line, conditions);
        self.emit(Op::SubstitutionEnd);
        self.patch(start);
    }

    fn parameter(&mut self, expansion: &ParameterExpansion, quoting: Quoting) {
        if let (Parameter::Variable(name), ParameterOperation::Value, false) =
            (&expansion.parameter, &expansion.operation, expansion.indirect)
        {
            let name = self.name(name);
            self.note(Note::Expands(name));
            self.emit(Op::Variable { name, quoting });
            return;
        }
        match &expansion.operation {
            ParameterOperation::Bad => {
                let source = self.source_text(expansion.span);
                let shown = self.text_around(expansion.span);
                let text = self.text(&shown);
                // Bash finds an unknown transformation when it expands a word for good: that ends the shell.
                let parameter = self.parameter_text(expansion);
                let behind =
                    source.strip_prefix(b"${").and_then(|rest| rest.strip_prefix(parameter.as_bytes()));
                let fatal = behind.is_some_and(|rest| rest.starts_with(b"@"));
                self.emit(Op::BadSubstitution { text, fatal });
            }
            ParameterOperation::Open => {
                let shown = self.text_around(expansion.span);
                let text = self.text(&shown);
                self.emit(Op::OpenBrace(text));
            }
            ParameterOperation::Names(all) => {
                let prefix = match &expansion.parameter {
                    Parameter::Variable(prefix) => self.text(prefix),
                    _ => self.text(&Text::EMPTY),
                };
                self.emit(Op::Names { prefix, all: *all, quoting });
            }
            _ if matches!(&expansion.parameter, Parameter::Element(_, subscript) if subscript.is_empty()) => {
                let source = self.source_text(expansion.span);
                let text = self.text(&source);
                self.emit(Op::BadSubstitution { text, fatal: false });
            }
            operation => {
                let declared = self.length_of_element(expansion, quoting);
                self.target(expansion);
                let mut parameter = 0;
                if matches!(operation, ParameterOperation::Substring { .. }) {
                    let name = self.parameter_text(expansion);
                    parameter = self.text(&name);
                }
                let list = is_list(&expansion.parameter) && !expansion.indirect;
                self.operation(operation, parameter, quoting, list);
                if let Some(declared) = declared {
                    self.patch(declared);
                }
            }
        }
    }

    /// The text that bash expands as a whole when it comes to an expansion: the word, or what is quoted of it.
    fn text_around(&self, span: Span) -> Text {
        let Around { word, quoted, ref head } = self.around;
        let (start, end) = (word.start.min(span.start), word.end.max(span.end));
        if word.line == 0 || word.start > span.start || word.end < span.end {
            return self.source_text(span);
        }
        if !quoted {
            return Text::from([head.as_bytes(), &shown(&self.source_text(word), false)].concat_metered());
        }
        let before = self.source.get(start as usize..span.start as usize).unwrap_or(&[]);
        let behind = self.source.get(span.end as usize..end as usize).unwrap_or(&[]);
        let open = last_quote(before).map_or(0, |at| at.saturating_add(1));
        let close = first_quote(behind).unwrap_or(behind.len());
        let text = self.source.get(start as usize + open..span.end as usize + close);
        shown(text.unwrap_or(&[]), true)
    }

    /// `${#name[subscript]}`: of an unset variable bash does not look at the subscript.
    fn length_of_element(&mut self, expansion: &ParameterExpansion, quoting: Quoting) -> Option<super::Pc> {
        let Parameter::Element(name, subscript) = &expansion.parameter else { return None };
        let number = matches!(subscript.arithmetic.expression, Some(Expression::Number(_)));
        if number
            || subscript.all.is_some()
            || expansion.indirect
            || !matches!(expansion.operation, ParameterOperation::Length)
        {
            return None;
        }
        let name = self.name(name);
        Some(self.emit(Op::UnlessDeclared { name, quoting, end: 0 }))
    }

    /// A parameter as messages name it.
    fn parameter_text(&self, expansion: &ParameterExpansion) -> Text {
        match &expansion.parameter {
            Parameter::Variable(name) => name.clone(),
            Parameter::Positional(number) => Text::from(number.to_decimal()),
            Parameter::Special(special) => Text::from(&[*special]),
            Parameter::Element(name, subscript) => {
                let mut text = name.clone();
                text.push_bytes(b"[");
                text.push_bytes(&self.source_text(subscript.word.span));
                text.push_bytes(b"]");
                text
            }
        }
    }

    /// Pushes the parameter as a target.
    fn target(&mut self, expansion: &ParameterExpansion) {
        let base = match &expansion.parameter {
            Parameter::Variable(name) => ParameterBase::Variable(self.name(name)),
            Parameter::Positional(number) => ParameterBase::Positional(*number),
            Parameter::Special(special) => ParameterBase::Special(*special),
            Parameter::Element(name, subscript) => {
                let name = self.name(name);
                match subscript.all {
                    Some(all) => ParameterBase::Elements(name, all),
                    None => {
                        self.subscript(name, subscript, None);
                        ParameterBase::Element(name)
                    }
                }
            }
        };
        if let ParameterBase::Variable(name) = base {
            self.note(Note::Expands(name));
        }
        let source = self.source_text(expansion.span);
        let index = self.program.parameters.len() as Index;
        self.program.parameters.push(ParameterReference { base, indirect: expansion.indirect, source });
        self.emit(Op::Target(index));
    }

    /// Evaluates a subscript: as a key when the variable is associative, else as arithmetic.
    /// `assigned`: see [`Op::SubscriptKey`].
    pub(super) fn subscript(&mut self, name: Index, subscript: &Subscript, assigned: Option<Index>) {
        if subscript.word.parts.iter().any(has_inner) {
            // Once for both, or subscripts in subscripts would be compiled twice at each level.
            self.emit(Op::PushBuilder);
            self.word(&subscript.word, Quoting::Raw);
            let test = self.emit(Op::IfAssociative { name, key: 0 });
            self.emit(Op::ArithmeticText(ArithmeticContext::Subscript));
            self.emit(Op::SubscriptIndex);
            let end = self.emit(Op::Jump(0));
            self.patch(test);
            self.emit(Op::SubscriptKey { assigned });
            self.patch(end);
            return;
        }
        let test = self.emit(Op::IfAssociative { name, key: 0 });
        if subscript.arithmetic.expression.is_none() && subscript.arithmetic.text.parts.is_empty() {
            self.emit(Op::PushBuilder);
            self.word(&subscript.word, Quoting::Raw);
            self.emit(Op::ArithmeticText(ArithmeticContext::Subscript));
        } else {
            self.arithmetic(&subscript.arithmetic, &subscript.word, ArithmeticContext::Subscript);
        }
        self.emit(Op::SubscriptIndex);
        let end = self.emit(Op::Jump(0));
        self.patch(test);
        self.emit(Op::PushBuilder);
        self.word(&subscript.word, Quoting::Raw);
        self.emit(Op::SubscriptKey { assigned });
        self.patch(end);
    }

    /// `parameter`: the text that names the parameter, for errors of a substring.
    /// `list`: it is `$@` or the like.
    fn operation(&mut self, operation: &ParameterOperation, parameter: Index, quoting: Quoting, list: bool) {
        match operation {
            ParameterOperation::Value
            | ParameterOperation::Bad
            | ParameterOperation::Open
            | ParameterOperation::Names(_) => {
                self.emit(Op::Value { quoting });
            }
            ParameterOperation::Length => {
                self.emit(Op::Length { quoting });
            }
            ParameterOperation::Default { colon, operator, word } => {
                self.default(*colon, *operator, word, quoting, list);
            }
            ParameterOperation::TrimPrefix { longest, pattern } => {
                self.trim(true, *longest, pattern, quoting);
            }
            ParameterOperation::TrimSuffix { longest, pattern } => {
                self.trim(false, *longest, pattern, quoting);
            }
            ParameterOperation::Replace { scope, pattern, replacement } => {
                let plain = !expands(pattern) && !replacement.as_ref().is_some_and(expands);
                let skip = self.skip_words(plain, false, false);
                self.emit(Op::PushBuilder);
                self.word(pattern, Quoting::Raw);
                if let Some(replacement) = replacement {
                    self.emit(Op::PushBuilder);
                    self.word(replacement, Quoting::Raw);
                }
                self.emit(Op::Replace { scope: *scope, replacement: replacement.is_some(), quoting });
                self.words_skipped(skip);
            }
            ParameterOperation::Case { operator, pattern } => {
                let skip = self.skip_words(!pattern.as_ref().is_some_and(expands), false, false);
                if let Some(pattern) = pattern {
                    self.emit(Op::PushBuilder);
                    self.word(pattern, Quoting::Raw);
                }
                self.emit(Op::ChangeCase { operator: *operator, pattern: pattern.is_some(), quoting });
                self.words_skipped(skip);
            }
            ParameterOperation::Substring { offset, length } => {
                let context = ArithmeticContext::Substring(parameter);
                let plain_length = length.as_ref().is_none_or(is_plain_arithmetic);
                let constant = is_constant(offset) && length.as_ref().is_none_or(is_constant);
                let skip = self.skip_words(constant, false, true);
                self.arithmetic(offset, &offset.text, context);
                let (mut skip_length, mut shown) = (None, None);
                if let Some(length) = length {
                    let text = self.source_text(length.text.span);
                    shown = Some(self.text(&text));
                    skip_length = (!plain_length).then(|| self.emit(Op::SkipLength { end: 0 }));
                    self.arithmetic(length, &length.text, context);
                }
                self.emit(Op::Substring { length: shown, quoting });
                self.words_skipped(skip);
                self.words_skipped(skip_length);
            }
            ParameterOperation::Transform(operator) => {
                self.emit(Op::Transform { operator: *operator, quoting });
            }
            ParameterOperation::Keys(all) => {
                self.emit(Op::Keys { all: *all, quoting });
            }
        }
    }

    /// Bash does not expand the words of an operator for a parameter that has no value. `plain`: nobody could tell.
    fn skip_words(&mut self, plain: bool, null: bool, slice: bool) -> Option<super::Pc> {
        (!plain).then(|| self.emit(Op::SkipWords { null, slice, end: 0 }))
    }

    fn words_skipped(&mut self, skip: Option<super::Pc>) {
        if let Some(skip) = skip {
            self.patch(skip);
        }
    }

    /// A word that is used for a list within quotes makes a field, even an empty one: `"${@:-$x}"`.
    fn quoted_word(&mut self, makes: bool) {
        if makes {
            let empty = self.text(&Text::EMPTY);
            self.emit(Op::Quoted(empty));
        }
    }

    fn default(&mut self, colon: bool, operator: DefaultOperator, word: &Word, quoting: Quoting, list: bool) {
        match operator {
            DefaultOperator::Use => {
                let test = self.emit(Op::UseValue { colon, quoting, keep: false, end: 0 });
                self.quoted_word(list && quoting == Quoting::Quoted);
                self.nested_word(word, quoting, true);
                self.patch(test);
            }
            DefaultOperator::Alternative => {
                let test = self.emit(Op::SkipUnlessSet { colon, quoting, end: 0 });
                self.quoted_word(list && quoting == Quoting::Quoted);
                self.nested_word(word, quoting, true);
                self.patch(test);
            }
            DefaultOperator::Assign | DefaultOperator::Error => {
                let test = self.emit(Op::UseValue { colon, quoting, keep: true, end: 0 });
                self.emit(Op::PushBuilder);
                let inner = match quoting {
                    Quoting::Quoted | Quoting::Document => quoting,
                    Quoting::Split | Quoting::Raw => Quoting::Raw,
                };
                self.nested_word(word, inner, true);
                self.emit(match operator {
                    DefaultOperator::Assign => Op::AssignDefault { quoting },
                    _ => Op::ErrorUnset { colon, given: !word.parts.is_empty() },
                });
                self.patch(test);
            }
        }
    }

    fn trim(&mut self, prefix: bool, longest: bool, pattern: &Word, quoting: Quoting) {
        let constant = self.constant_pattern(pattern);
        let skip = self.skip_words(!expands(pattern), true, false);
        if constant.is_none() {
            self.emit(Op::PushBuilder);
            self.word(pattern, Quoting::Raw);
        }
        self.emit(Op::Trim { prefix, longest, quoting, pattern: constant });
        self.words_skipped(skip);
    }

    /// A pattern without expansions, compiled now.
    pub(super) fn constant_pattern(&mut self, pattern: &Word) -> Option<NonZeroU32> {
        let (mut source, mut quoted) = (Vec::new(), Vec::new());
        let mut push = |text: &[u8], is_quoted: bool| {
            source.extend_from_slice(text);
            quoted.resize(source.len(), is_quoted);
        };
        for part in &pattern.parts {
            match part {
                // Extended patterns depend on `extglob` at run time.
                WordPart::Literal(text) if text.contains(&b'(') => return None,
                WordPart::Literal(text) => push(text, false),
                WordPart::Quoted(text) => push(text, true),
                WordPart::DoubleQuoted(parts) => {
                    for part in parts {
                        match part {
                            WordPart::Quoted(text) | WordPart::Literal(text) => push(text, true),
                            _ => return None,
                        }
                    }
                }
                _ => return None,
            }
        }
        let index = NonZeroU32::new(self.program.patterns.len() as u32);
        self.program.patterns.push(ConstantPattern::new(source, quoted));
        index
    }

    /// Pushes the value of an arithmetic expression.
    ///
    /// `fallback`: the word to expand instead when the expression has no text of its own (a subscript's).
    pub(super) fn arithmetic(
        &mut self,
        arithmetic: &Arithmetic,
        fallback: &Word,
        context: ArithmeticContext,
    ) {
        let text = if arithmetic.text.parts.is_empty() { fallback } else { &arithmetic.text };
        let compiled = arithmetic.expression.as_ref().and_then(|expression| {
            super::arithmetic::compile(expression, &mut |name: &Text| self.name(name))
        });
        let mut done = None;
        if let Some(mut code) = compiled {
            let needs_text = code.needs_text;
            code.text = self.source_text(text.span);
            code.context = context;
            let index = self.program.arithmetic.len() as Index;
            self.program.arithmetic.push(code);
            if !needs_text {
                self.emit(Op::Arithmetic(index));
                return;
            }
            done = Some(self.emit(Op::TryArithmetic { expression: index, done: 0 }));
        }
        self.emit(Op::PushBuilder);
        self.evaluated_text(&text.parts);
        self.emit(Op::ArithmeticText(context));
        if let Some(done) = done {
            self.patch(done);
        }
    }
}

/// Whether a part has words, subscripts or commands of its own.
fn has_inner(part: &WordPart) -> bool {
    match part {
        WordPart::DoubleQuoted(parts) => parts.iter().any(has_inner),
        WordPart::Parameter(expansion) => {
            matches!(expansion.parameter, Parameter::Element(..))
                || !matches!(expansion.operation, ParameterOperation::Value | ParameterOperation::Length)
        }
        WordPart::CommandSubstitution(_) | WordPart::ProcessSubstitution(_) | WordPart::Arithmetic(_) => true,
        WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => false,
    }
}

/// `$@` and its kin: in double quotes they may make no field at all.
fn is_positional_list(part: &WordPart) -> bool {
    let WordPart::Parameter(expansion) = part else { return false };
    if expansion.indirect {
        return false;
    }
    match &expansion.parameter {
        Parameter::Special(b'@') => !matches!(expansion.operation, ParameterOperation::Length),
        Parameter::Element(_, subscript) => {
            subscript.all == Some(AllElements::At)
                && !matches!(expansion.operation, ParameterOperation::Length)
        }
        _ => matches!(expansion.operation, ParameterOperation::Names(AllElements::At)),
    }
}

/// `$@`, `$*` or all elements of an array.
fn is_list(parameter: &Parameter) -> bool {
    match parameter {
        Parameter::Special(special) => matches!(special, b'@' | b'*'),
        Parameter::Element(_, subscript) => subscript.all.is_some(),
        _ => false,
    }
}

fn is_quoted(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part, WordPart::Quoted(_) | WordPart::DoubleQuoted(_)))
}

fn read_file_target(substitution: &CommandSubstitution) -> Option<&Word> {
    let item = substitution.body.items().first()?;
    let command = item.and_or.first.stages.first()?;
    match (&command.kind, command.redirections.as_slice()) {
        (CommandKind::Simple(_), [redirection]) => match &redirection.kind {
            RedirectionKind::Read(target) => Some(target),
            _ => None,
        },
        _ => None,
    }
}

/// What begins with a backquote that a sequence of characters made, if more text follows it.
fn open_backquote(word: &Word) -> Option<Vec<u8>> {
    word.parts.iter().find_map(|part| match part {
        WordPart::Literal(text) => {
            let at = memchr::memchr(b'`', text)?;
            text.get(at..).filter(|rest| rest.len() > 1).map(<[u8]>::to_metered)
        }
        _ => None,
    })
}
