//! `${...}`: the parameter, its subscript, and the operator with its words. Bash manual 3.5.3.
//!
//! What is not a valid expansion is an error only when it is expanded: [`ParameterOperation::Bad`].

use super::ast::{
    AllElements, Arithmetic, CaseOperator, DefaultOperator, Parameter, ParameterExpansion,
    ParameterOperation, Parts, ReplaceScope, Span, Subscript, Word, WordPart,
};
use super::byte::is_name_start;
use super::lexer::{Parsed, Reader};
use super::quote::QuotedEnd;
use super::substitution::{ArithmeticEnd, Quoting, operands};
use super::word::{Context, End, Tilde};
use crate::memory::Box;
use crate::text::Text;

const PATTERN: Context = Context { end: End::Brace, tilde: Tilde::Start, extglob: false };
const REPLACED: Context = Context { end: End::SlashOrBrace, tilde: Tilde::Start, extglob: false };

fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

impl Reader<'_> {
    /// `${...}`; the cursor is on the `$`.
    pub(super) fn braced_parameter(&mut self, quoting: Quoting) -> Parsed<Box<ParameterExpansion>> {
        let mut expansion = new_expansion(self.here());
        self.enter()?;
        self.bump(2);
        if let Err(error) = self.braced_rest(&mut expansion, quoting) {
            if !self.in_body || self.substitutions > 0 || !error.is_unmatched() {
                return Err(error);
            }
            self.leave_open(&mut expansion);
        }
        self.leave();
        expansion.span.end = self.pos() as u32;
        Ok(expansion)
    }

    /// What stands in the braces, and the closing one.
    #[inline]
    fn braced_rest(&mut self, expansion: &mut ParameterExpansion, quoting: Quoting) -> Parsed<()> {
        if !self.sigil(expansion)? {
            self.operation(expansion, quoting)?;
        }
        if self.byte() != Some(b'}') {
            self.bad(expansion, quoting)?;
        }
        self.input.pos += 1;
        Ok(())
    }

    /// A here-document ends in the braces: that is an error when it is expanded. After a name and an operator bash misses the
    /// brace; all else is a bad substitution.
    #[inline(never)]
    fn leave_open(&mut self, expansion: &mut ParameterExpansion) {
        let text = self.slice(expansion.span.start as usize, self.input.end);
        let text = text.strip_prefix(b"${").unwrap_or(text);
        let name = text.iter().take_while(|&&byte| is_name_start(byte) || byte.is_ascii_digit()).count();
        let has_operator = name > 0 && text.get(name).is_some_and(|byte| b"#%^,~:-=?+/@".contains(byte));
        expansion.operation = if has_operator { ParameterOperation::Open } else { ParameterOperation::Bad };
        self.input.pos = self.input.end;
    }

    /// Reads on to the closing brace of what is not a valid expansion.
    #[inline(never)]
    fn bad(&mut self, expansion: &mut ParameterExpansion, quoting: Quoting) -> Parsed<()> {
        let mut rest = Parts::new();
        if quoting == Quoting::Unquoted {
            self.unquoted(PATTERN, &mut rest)?;
        } else {
            self.quoted(QuotedEnd::Brace, &mut rest)?;
        }
        if self.byte().is_none() {
            return Err(self.unmatched(b'}', expansion.span.line));
        }
        expansion.operation = ParameterOperation::Bad;
        Ok(())
    }

    /// Reads `#` or `!` and the parameter. True: that was all of it.
    fn sigil(&mut self, expansion: &mut ParameterExpansion) -> Parsed<bool> {
        match self.byte() {
            Some(b'#') if self.is_length() => {
                self.bump(1);
                expansion.operation = ParameterOperation::Length;
                if !self.parameter(&mut expansion.parameter)? {
                    expansion.operation = ParameterOperation::Bad;
                }
                Ok(true)
            }
            Some(b'#') if self.is_length_of_operator() => {
                self.bump(2);
                expansion.operation = ParameterOperation::Bad;
                Ok(true)
            }
            Some(b'!') if self.is_indirect() => {
                self.bump(1);
                expansion.indirect = true;
                if !self.parameter(&mut expansion.parameter)? {
                    expansion.operation = ParameterOperation::Bad;
                    return Ok(true);
                }
                Ok(self.names_or_keys(expansion))
            }
            _ => {
                if !self.parameter(&mut expansion.parameter)? {
                    expansion.operation = ParameterOperation::Bad;
                    // What stands here is not a parameter: the rest is read by `bad`, even if it is nothing.
                    if self.byte() == Some(b'}') {
                        return Ok(true);
                    }
                    self.bad_rest(expansion)?;
                    return Ok(true);
                }
                Ok(false)
            }
        }
    }

    fn bad_rest(&mut self, expansion: &mut ParameterExpansion) -> Parsed<()> {
        self.bad(expansion, Quoting::Unquoted)
    }

    /// `${#name}`, and not `${#}` or an operator on `$#`.
    fn is_length(&self) -> bool {
        let next = self.after(self.pos());
        match self.byte_at(next) {
            Some(byte) if is_name_start(byte) || byte.is_ascii_digit() => true,
            Some(byte) if is_special(byte) => self.byte_at(self.after(next)) == Some(b'}'),
            _ => false,
        }
    }

    /// `${#+}` and its kin: bash takes the operator for the name of a parameter.
    fn is_length_of_operator(&self) -> bool {
        let next = self.after(self.pos());
        matches!(self.byte_at(next), Some(b'+' | b'=' | b'%' | b'/'))
            && self.byte_at(self.after(next)) == Some(b'}')
    }

    /// `${!name...}`, and not `${!}` or an operator on `$!`.
    fn is_indirect(&self) -> bool {
        let next = self.after(self.pos());
        match self.byte_at(next) {
            Some(byte) if is_name_start(byte) || byte.is_ascii_digit() => true,
            Some(b'@' | b'*') => true,
            Some(byte @ (b'#' | b'?')) => {
                byte == b'#' && self.byte_at(self.after(next)) != Some(b'#')
                    || self.byte_at(self.after(next)) == Some(b'}')
            }
            Some(b'-' | b'$' | b'!') => self.byte_at(self.after(next)) == Some(b'}'),
            _ => false,
        }
    }

    /// `${!prefix*}`, `${!prefix@}`, `${!name[@]}`, `${!name[*]}`.
    fn names_or_keys(&mut self, expansion: &mut ParameterExpansion) -> bool {
        if let Some(byte @ (b'*' | b'@')) = self.byte()
            && self.second() == Some(b'}')
            && matches!(expansion.parameter, Parameter::Variable(_))
        {
            self.bump(1);
            expansion.indirect = false;
            expansion.operation = ParameterOperation::Names(all_elements(byte));
            return true;
        }
        if let Parameter::Element(_, subscript) = &expansion.parameter
            && let Some(all) = subscript.all
            && self.byte() == Some(b'}')
        {
            expansion.indirect = false;
            expansion.operation = ParameterOperation::Keys(all);
            return true;
        }
        false
    }

    /// The parameter at the cursor. False: there is none.
    fn parameter(&mut self, parameter: &mut Parameter) -> Parsed<bool> {
        match self.byte() {
            Some(byte) if is_name_start(byte) => {
                let name = self.name();
                self.advance_to(self.follow(self.pos()));
                if self.byte() == Some(b'[') {
                    return self.element(name, parameter);
                }
                *parameter = Parameter::Variable(name);
            }
            Some(byte) if byte.is_ascii_digit() => {
                let digits = self.digits();
                *parameter = Parameter::Positional(digits);
            }
            // `${$` and then a brace or parenthesis is another expansion where a name should be.
            Some(b'$') if matches!(self.second(), Some(b'{' | b'(')) => return Ok(false),
            Some(byte) if is_special(byte) => {
                self.bump(1);
                *parameter = Parameter::Special(byte);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `name[...]`; a subscript that is not closed leaves the cursor on the brace. False: it is not.
    fn element(&mut self, name: Text, parameter: &mut Parameter) -> Parsed<bool> {
        self.input.pos += 1;
        self.enter()?;
        let word = self.word_in(Context::BRACED_SUBSCRIPT)?;
        self.leave();
        if self.byte() != Some(b']') {
            return Ok(false);
        }
        self.bump(1);
        *parameter = Parameter::Element(name, Box::new(self.subscript_of(word)));
        Ok(true)
    }

    fn digits(&mut self) -> u32 {
        let mut value = 0_u32;
        while let Some(byte) = self.byte().filter(u8::is_ascii_digit) {
            value = value.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
            self.bump(1);
        }
        value
    }

    /// A subscript; the cursor is after its `[`, and then after its `]`.
    pub(super) fn subscript(&mut self) -> Parsed<Box<Subscript>> {
        let line = self.input.line;
        self.enter()?;
        let word = self.word_in(Context::SUBSCRIPT)?;
        if self.byte() != Some(b']') {
            return Err(self.unmatched(b']', line));
        }
        self.input.pos += 1;
        self.leave();
        Ok(Box::new(self.subscript_of(word)))
    }

    fn subscript_of(&self, word: Word) -> Subscript {
        let source = self.slice(word.span.start as usize, word.span.end as usize);
        let all = match source {
            b"@" => Some(AllElements::At),
            b"*" => Some(AllElements::Star),
            _ => None,
        };
        let mut text = Word { parts: Parts::new(), span: word.span };
        let simple = |part: &WordPart| matches!(part, WordPart::Literal(_) | WordPart::Parameter(_));
        let mut expression = None;
        if word.parts.iter().any(|part| matches!(part, WordPart::Quoted(_))) {
            // In an arithmetic expression single quotes and most backslashes stay, and are errors.
            text.parts.push(WordPart::Quoted(Text::from(source)));
        } else if all.is_none() && word.parts.iter().all(simple) && self.affords(operands(source)) {
            expression =
                super::arithmetic::parse_source(source, self.options.depth.saturating_sub(self.depth));
        }
        Subscript { all, word, arithmetic: Arithmetic { text, expression } }
    }

    /// The operator at the cursor and its words, up to the closing brace.
    fn operation(&mut self, expansion: &mut ParameterExpansion, quoting: Quoting) -> Parsed<()> {
        let Some(byte) = self.byte() else { return Ok(()) };
        match byte {
            b'}' => {}
            b':' => match self.second() {
                Some(operator @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.bump(2);
                    self.default_word(expansion, quoting, operator, true)?;
                }
                _ => self.substring(expansion)?,
            },
            b'-' | b'=' | b'?' | b'+' => {
                self.bump(1);
                self.default_word(expansion, quoting, byte, false)?;
            }
            b'#' | b'%' => {
                let longest = self.doubled(byte);
                expansion.operation = trim(byte, longest);
                if let ParameterOperation::TrimPrefix { pattern, .. }
                | ParameterOperation::TrimSuffix { pattern, .. } = &mut expansion.operation
                {
                    self.word_in_place(PATTERN, pattern)?;
                }
            }
            b'/' => self.replace(expansion)?,
            b'^' | b',' | b'~' => {
                let operator = case_operator(byte, self.doubled(byte));
                self.case_pattern(expansion, operator)?;
                if matches!(expansion.parameter, Parameter::Special(b'?' | b'#' | b'-')) {
                    expansion.operation = ParameterOperation::Bad;
                }
            }
            b'@' => {
                let letter = self.byte_at(self.after(self.pos()));
                if let Some(letter @ (b'Q' | b'E' | b'P' | b'A' | b'K' | b'a' | b'k' | b'u' | b'U' | b'L')) =
                    letter
                    && self.byte_at(self.after(self.after(self.pos()))) == Some(b'}')
                {
                    self.bump(2);
                    expansion.operation = ParameterOperation::Transform(letter);
                }
            }
            _ => {}
        }
        Ok(())
    }

    #[inline(never)]
    fn case_pattern(&mut self, expansion: &mut ParameterExpansion, operator: CaseOperator) -> Parsed<()> {
        let pattern = self.word_in(PATTERN)?;
        let pattern = (!pattern.parts.is_empty()).then_some(pattern);
        expansion.operation = ParameterOperation::Case { operator, pattern };
        Ok(())
    }

    /// Takes an operator that can be doubled; whether it was.
    fn doubled(&mut self, byte: u8) -> bool {
        let doubled = self.second() == Some(byte);
        self.bump(if doubled { 2 } else { 1 });
        doubled
    }

    fn default_word(
        &mut self,
        expansion: &mut ParameterExpansion,
        quoting: Quoting,
        operator: u8,
        colon: bool,
    ) -> Parsed<()> {
        let operator = match operator {
            b'-' => DefaultOperator::Use,
            b'=' => DefaultOperator::Assign,
            b'?' => DefaultOperator::Error,
            _ => DefaultOperator::Alternative,
        };
        let uses = matches!(operator, DefaultOperator::Use | DefaultOperator::Alternative);
        let word = if quoting == Quoting::Unquoted && self.assigns && uses {
            self.word_in(Context { tilde: Tilde::Assignment, ..Context::BRACE })?
        } else {
            self.operand_word(quoting)?
        };
        expansion.operation = ParameterOperation::Default { colon, operator, word };
        Ok(())
    }

    /// A word up to the closing brace, under the quotes around the expansion.
    fn operand_word(&mut self, quoting: Quoting) -> Parsed<Word> {
        let end = match quoting {
            Quoting::Unquoted => return self.word_in(Context::BRACE),
            Quoting::Double | Quoting::DoubleBrace => QuotedEnd::Brace,
            Quoting::HereDocument => QuotedEnd::HereDocumentBrace,
        };
        let mut word = Word { parts: Parts::new(), span: self.here() };
        self.quoted(end, &mut word.parts)?;
        word.span.end = self.pos() as u32;
        Ok(word)
    }

    fn replace(&mut self, expansion: &mut ParameterExpansion) -> Parsed<()> {
        self.bump(1);
        let scope = match self.byte() {
            Some(b'/') => ReplaceScope::All,
            Some(b'#') => ReplaceScope::Prefix,
            Some(b'%') => ReplaceScope::Suffix,
            _ => ReplaceScope::First,
        };
        if scope != ReplaceScope::First {
            self.bump(1);
        }
        let anchored = matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix);
        // `${x////_}` replaces slashes, but `${x/#/_}` has an empty pattern.
        let pattern = if anchored && self.byte() == Some(b'/') {
            Word { parts: Parts::new(), span: self.here() }
        } else {
            let tilde = if anchored { Tilde::None } else { Tilde::Start };
            self.word_in(Context { tilde, ..REPLACED })?
        };
        let replacement = if self.byte() == Some(b'/') {
            self.bump(1);
            Some(self.word_in(PATTERN)?)
        } else {
            None
        };
        expansion.operation = ParameterOperation::Replace { scope, pattern, replacement };
        Ok(())
    }

    fn substring(&mut self, expansion: &mut ParameterExpansion) -> Parsed<()> {
        self.bump(1);
        let mut text = Word { parts: Parts::new(), span: self.here() };
        self.arithmetic_text(ArithmeticEnd::ColonOrBrace, &mut text.parts)?;
        text.span.end = self.pos() as u32;
        if text.parts.is_empty() && self.byte() == Some(b'}') {
            // `${name:}` is not an operation: the caller makes it a bad substitution.
            expansion.operation = ParameterOperation::Bad;
            return Ok(());
        }
        let offset = self.arithmetic(text);
        let length = if self.byte() == Some(b':') { Some(self.substring_length()?) } else { None };
        expansion.operation = ParameterOperation::Substring { offset, length };
        Ok(())
    }

    #[inline(never)]
    fn substring_length(&mut self) -> Parsed<Arithmetic> {
        self.bump(1);
        let mut text = Word { parts: Parts::new(), span: self.here() };
        self.arithmetic_text(ArithmeticEnd::Brace, &mut text.parts)?;
        text.span.end = self.pos() as u32;
        Ok(self.arithmetic(text))
    }
}

// Large temporaries stay out of the frames of functions that recurse.

#[inline(never)]
fn new_expansion(span: Span) -> Box<ParameterExpansion> {
    let (parameter, operation) = (Parameter::Special(b'@'), ParameterOperation::Value);
    Box::new(ParameterExpansion { parameter, indirect: false, operation, span })
}

#[inline(never)]
fn trim(byte: u8, longest: bool) -> ParameterOperation {
    let pattern = Word::default();
    if byte == b'#' {
        ParameterOperation::TrimPrefix { longest, pattern }
    } else {
        ParameterOperation::TrimSuffix { longest, pattern }
    }
}

fn all_elements(byte: u8) -> AllElements {
    if byte == b'@' { AllElements::At } else { AllElements::Star }
}

fn case_operator(byte: u8, all: bool) -> CaseOperator {
    match (byte, all) {
        (b'^', false) => CaseOperator::UpperFirst,
        (b'^', true) => CaseOperator::UpperAll,
        (b',', false) => CaseOperator::LowerFirst,
        (b',', true) => CaseOperator::LowerAll,
        (_, false) => CaseOperator::ToggleFirst,
        (_, true) => CaseOperator::ToggleAll,
    }
}
