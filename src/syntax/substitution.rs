//! `$`: parameters, command substitution, arithmetic expansion; backquotes; process substitution.
//!
//! `$((` begins arithmetic or a command substitution with a subshell in it, and only the text up to its end tells: it is
//! arithmetic when the parenthesis that closes the second one is followed by another. The text is read as arithmetic
//! first. When that fails, the substitutions found in it are kept by their position and used again by the second reading,
//! and so are the places of its parentheses: however deep such texts nest, each is read at most twice.

use super::ast::{
    AndOr, Arithmetic, Command, CommandKind, CommandSubstitution, List, ListItem, Parameter,
    ParameterExpansion, ParameterOperation, Parts, ProcessSubstitution, RedirectionDescriptor,
    RedirectionKind, Word, WordPart,
};
use super::byte::{is_name_byte, is_name_start};
use super::error::ParseError;
use super::lexer::{Input, Parsed, Reader, Salvage};
use super::word::push_quoted;
use crate::memory::{Arc, Box, Bytes, Vec};
use crate::text::Text;

/// The quotes around an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    Unquoted,
    /// In `"..."`.
    Double,
    /// In the word of `"${x-...}"`, where `$'...'` is a quote.
    DoubleBrace,
    /// In a here-document.
    HereDocument,
}

/// What ends the text of an arithmetic expression; the cursor stays on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArithmeticEnd {
    /// The parenthesis that closes the one before the text.
    Parenthesis,
    /// The same, or `;`.
    Semicolon,
    /// `]`
    Bracket,
    /// `}`
    Brace,
    /// `}`, or a `:` that belongs to no `?`.
    ColonOrBrace,
}

impl Reader<'_> {
    /// What begins at the `$` at the cursor. False: nothing, and the cursor has not moved.
    pub(super) fn dollar(&mut self, quoting: Quoting, out: &mut Parts) -> Parsed<bool> {
        self.spend()?;
        let at = self.after(self.pos());
        match self.byte_at(at) {
            Some(b'(') => self.parenthesis(out)?,
            Some(b'{') => {
                let expansion = self.braced_parameter(quoting)?;
                out.push(WordPart::Parameter(expansion));
            }
            Some(b'[') => self.bracket_arithmetic(out)?,
            Some(b'\'') if matches!(quoting, Quoting::Unquoted | Quoting::DoubleBrace) => {
                self.ansi_quoted(out)?;
            }
            Some(b'"') if quoting == Quoting::Unquoted => {
                self.advance_to(at);
                let (start, line) = (self.pos() + 1, self.input.line);
                self.double_quoted(out)?;
                let text = Text::from(self.slice(start, self.pos().saturating_sub(1)));
                self.translatable.push((line, text));
            }
            Some(byte)
                if is_name_byte(byte) || matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') =>
            {
                out.push(self.plain_parameter());
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `$name`, `$1`, `$?`
    fn plain_parameter(&mut self) -> WordPart {
        let (start, line) = (self.pos(), self.input.line);
        self.bump(1);
        let parameter = match self.byte() {
            Some(byte) if byte.is_ascii_digit() => {
                self.input.pos += 1;
                Parameter::Positional(u32::from(byte - b'0'))
            }
            Some(byte) if !is_name_start(byte) => {
                self.input.pos += 1;
                Parameter::Special(byte)
            }
            _ => Parameter::Variable(self.name()),
        };
        WordPart::Parameter(Box::new(ParameterExpansion {
            parameter,
            indirect: false,
            operation: ParameterOperation::Value,
            span: self.span_from(start, line),
        }))
    }

    /// The name at the cursor; empty if there is none.
    pub(super) fn name(&mut self) -> Text {
        let mut name = Text::EMPTY;
        loop {
            let start = self.pos();
            let mut end = start;
            while self.byte_at(end).is_some_and(is_name_byte) {
                end += 1;
            }
            if name.is_empty() {
                name = Text::from(self.slice(start, end));
            } else {
                name.push_bytes(self.slice(start, end));
            }
            self.input.pos = end;
            let next = self.follow(end);
            if next == end || !self.byte_at(next).is_some_and(is_name_byte) {
                return name;
            }
            self.advance_to(next);
        }
    }

    /// `$(...)` or `$((...))`; the cursor is on the `$`.
    fn parenthesis(&mut self, out: &mut Parts) -> Parsed<()> {
        let (start, line) = (self.pos(), self.input.line);
        if let Some(salvage) = self.salvage.remove(&start) {
            out.push(salvage.part);
            self.input.pos = salvage.end;
            self.input.line = salvage.line;
            return Ok(());
        }
        self.bump(1);
        if self.second() == Some(b'(') {
            return self.arithmetic_or_subshell(start, line, out);
        }
        let body = self.parenthesized_list(line)?;
        self.push_substitution(body, false, None, start, line, out);
        Ok(())
    }

    #[inline(never)]
    fn push_substitution(
        &mut self,
        body: List,
        deferred: bool,
        error: Option<ParseError>,
        start: usize,
        line: u32,
        out: &mut Parts,
    ) {
        let span = self.span_from(start, line);
        let reads_file = reads_file(&body);
        let body = Arc::new(body);
        let substitution =
            CommandSubstitution { body, reads_file, backquoted: false, deferred, span, source: None, error };
        out.push(WordPart::CommandSubstitution(Box::new(substitution)));
    }

    /// What begins with `$((`; the cursor is on the first parenthesis.
    fn arithmetic_or_subshell(&mut self, start: usize, line: u32, out: &mut Parts) -> Parsed<()> {
        let open = self.pos();
        self.enter()?;
        self.bump(1);
        if let Some(arithmetic) = self.double_parenthesis()? {
            self.leave();
            out.push(WordPart::Arithmetic(arithmetic));
            return Ok(());
        }
        // A command substitution up to the parenthesis that closes the first one. Bash parses it when it expands it.
        self.input.pos += 1;
        let mut parts = Parts::new();
        self.arithmetic_text(ArithmeticEnd::Parenthesis, &mut parts)?;
        if self.byte().is_none() {
            return Err(self.unmatched(b')', line));
        }
        self.keep_substitutions(parts);
        let (close, close_line) = (self.pos(), self.input.line);
        let behind = self.input.end - close;
        self.input.end = close;
        self.input.pos = open + 1;
        self.input.line = line;
        let (depth, substitutions, outer) =
            (self.depth, self.substitutions, std::mem::take(&mut self.pending));
        let mut body = List::default();
        let result = self.whole_list(&mut body);
        self.pending = outer;
        self.depth = depth;
        self.substitutions = substitutions;
        self.leave();
        // Aliases may have moved it.
        self.input.pos = self.input.end + 1;
        self.input.end += behind;
        self.input.line = close_line;
        let error = result.err();
        if error.as_ref().is_some_and(|error| error.limit().is_some()) {
            return error.map_or(Ok(()), Err);
        }
        self.push_substitution(body, true, error, start, line, out);
        Ok(())
    }

    /// The list between `(` at the cursor and its `)`, of a substitution.
    fn parenthesized_list(&mut self, line: u32) -> Parsed<List> {
        self.enter()?;
        self.input.pos += 1;
        self.substitutions += 1;
        let outer = std::mem::take(&mut self.pending);
        let mut body = List::default();
        self.possibly_empty_list(&mut body).map_err(|error| {
            // A quote or bracket inside that is not closed is found before the substitution is parsed.
            if error.is_unmatched() { error } else { error.with_status(127) }
        })?;
        if self.byte() != Some(b')') {
            return Err(if self.byte().is_none() {
                self.unmatched(b')', line).at_line(self.end_line())
            } else {
                self.unexpected().with_status(127)
            });
        }
        self.input.pos += 1;
        self.substitutions -= 1;
        self.leave();
        self.keep_pending(outer);
        Ok(body)
    }

    /// `<( list )`, `>( list )`
    pub(super) fn process_substitution(&mut self, out: &mut Parts) -> Parsed<()> {
        self.spend()?;
        let (start, line) = (self.pos(), self.input.line);
        let output = self.byte() == Some(b'>');
        self.bump(1);
        let body = Arc::new(self.parenthesized_list(line)?);
        let span = self.span_from(start, line);
        out.push(WordPart::ProcessSubstitution(Box::new(ProcessSubstitution { output, body, span })));
        Ok(())
    }

    pub(super) fn at_process_substitution(&self) -> bool {
        self.is_process_substitution(self.pos())
    }

    /// Whether a process substitution begins at `at`.
    pub(super) fn is_process_substitution(&self, at: usize) -> bool {
        matches!(self.byte_at(at), Some(b'<' | b'>')) && self.byte_at(self.after(at)) == Some(b'(')
    }

    /// Arithmetic between `((` and `))`; the cursor is on the second parenthesis. `None`: it is something else, and the
    /// cursor is where that parenthesis is closed.
    pub(super) fn double_parenthesis(&mut self) -> Parsed<Option<Box<Arithmetic>>> {
        let (open, line) = (self.pos(), self.input.line);
        if let Some(&close) = self.closes.get(&open)
            && self.byte_at(self.after(close)) != Some(b')')
        {
            self.advance_to(close);
            return Ok(None);
        }
        self.input.pos += 1;
        let mut text = Word { parts: Parts::new(), span: self.here() };
        self.arithmetic_text(ArithmeticEnd::Parenthesis, &mut text.parts)?;
        if self.byte().is_none() {
            return Err(self.unmatched(b')', line));
        }
        text.span.end = self.pos() as u32;
        if self.second() != Some(b')') {
            self.closes.insert(open, self.pos());
            self.keep_substitutions(text.parts);
            return Ok(None);
        }
        self.bump(1);
        self.input.pos += 1;
        Ok(Some(Box::new(self.arithmetic(text))))
    }

    /// Keeps the substitutions of text that is read again.
    fn keep_substitutions(&mut self, parts: Parts) {
        for part in parts {
            if let WordPart::CommandSubstitution(substitution) = &part
                && !substitution.backquoted
            {
                let span = substitution.span;
                let lines =
                    memchr::memchr_iter(b'\n', self.slice(span.start as usize, span.end as usize)).count();
                let line = span.line.saturating_add(lines as u32);
                self.salvage.insert(span.start as usize, Salvage { part, end: span.end as usize, line });
            }
        }
    }

    /// `$[...]`; the cursor is on the `$`.
    fn bracket_arithmetic(&mut self, out: &mut Parts) -> Parsed<()> {
        let line = self.input.line;
        self.enter()?;
        self.bump(1);
        self.input.pos += 1;
        let mut text = Word { parts: Parts::new(), span: self.here() };
        self.arithmetic_text(ArithmeticEnd::Bracket, &mut text.parts)?;
        if self.byte().is_none() {
            return Err(self.unmatched(b']', line));
        }
        self.leave();
        text.span.end = self.pos() as u32;
        self.input.pos += 1;
        out.push(WordPart::Arithmetic(Box::new(self.arithmetic(text))));
        Ok(())
    }

    /// The node for text that was read as arithmetic.
    pub(super) fn arithmetic(&self, text: Word) -> Arithmetic {
        let simple =
            text.parts.iter().all(|part| matches!(part, WordPart::Quoted(_) | WordPart::Parameter(_)));
        let source = self.slice(text.span.start as usize, text.span.end as usize);
        let depth = self.options.depth.saturating_sub(self.depth);
        let parses = simple && self.affords(operands(source));
        let expression = if parses { super::arithmetic::parse_source(source, depth) } else { None };
        Arithmetic { text, expression }
    }

    /// Reads the text of an arithmetic expression: as in double quotes, but quotes are removed, and brackets balance.
    pub(super) fn arithmetic_text(&mut self, end: ArithmeticEnd, out: &mut Parts) -> Parsed<()> {
        let mut run = self.pos();
        // Places of a script fit into four bytes, as in a span.
        let mut open: Vec<u32> = Vec::new();
        let (mut questions, mut brackets) = (0_usize, 0_usize);
        let mut quote: Option<(u8, u32)> = None;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' if !matches!(quote, Some((b'\'', _))) => {
                    quote = if quote.is_none() { Some((byte, self.input.line)) } else { None };
                    self.flush_arithmetic(run, out);
                    run = self.pos() + 1;
                }
                b'\\' => {
                    let next = self.byte_at(self.pos() + 1);
                    if matches!(next, Some(b'$' | b'`' | b'"' | b'\\' | b'\n')) {
                        self.flush_arithmetic(run, out);
                        run = self.pos() + if next == Some(b'\n') { 2 } else { 1 };
                    }
                    let to = (self.pos() + 2).min(self.input.end);
                    self.advance_to(to);
                    continue;
                }
                b'$' | b'`' => {
                    self.flush_arithmetic(run, out);
                    run = self.pos();
                    if self.arithmetic_expansion(byte, out)? {
                        run = self.pos();
                        continue;
                    }
                }
                b'\'' if !matches!(quote, Some((b'"', _))) => {
                    quote = if quote.is_none() { Some((byte, self.input.line)) } else { None };
                }
                b'\n' => self.input.line = self.input.line.saturating_add(1),
                _ if quote.is_some() => {}
                b'(' => open.push(u32::try_from(self.pos()).unwrap_or(u32::MAX)),
                b')' => match open.pop() {
                    Some(at) => {
                        self.closes.insert(at as usize, self.pos());
                    }
                    None if matches!(end, ArithmeticEnd::Parenthesis | ArithmeticEnd::Semicolon) => break,
                    None => {}
                },
                b'[' if end == ArithmeticEnd::Bracket => brackets += 1,
                b']' if end == ArithmeticEnd::Bracket => {
                    if brackets == 0 {
                        break;
                    }
                    brackets -= 1;
                }
                b';' if end == ArithmeticEnd::Semicolon && open.is_empty() => break,
                b'}' if matches!(end, ArithmeticEnd::Brace | ArithmeticEnd::ColonOrBrace) => break,
                b'?' if end == ArithmeticEnd::ColonOrBrace && open.is_empty() => questions += 1,
                b':' if end == ArithmeticEnd::ColonOrBrace && open.is_empty() => {
                    if questions == 0 {
                        break;
                    }
                    questions -= 1;
                }
                _ => {}
            }
            self.input.pos += 1;
        }
        self.flush_arithmetic(run, out);
        match quote {
            Some((quote, line)) if self.byte().is_none() => Err(self.unmatched(quote, line)),
            _ => Ok(()),
        }
    }

    fn flush_arithmetic(&self, run: usize, out: &mut Parts) {
        if run < self.pos() {
            push_quoted(out, self.slice(run, self.pos()));
        }
    }

    #[inline(never)]
    fn arithmetic_expansion(&mut self, byte: u8, out: &mut Parts) -> Parsed<bool> {
        if byte == b'$' {
            return self.dollar(Quoting::Double, out);
        }
        self.backquoted(true, out)?;
        Ok(true)
    }

    /// A backquoted substitution; `quoted`: in double quotes, where `\"` is a quote too.
    pub(super) fn backquoted(&mut self, quoted: bool, out: &mut Parts) -> Parsed<()> {
        self.spend()?;
        let (start, line) = (self.pos(), self.input.line);
        self.enter()?;
        let mut text = Vec::new();
        let mut at = start + 1;
        loop {
            match self.byte_at(at) {
                None => {
                    self.input.pos = self.input.end;
                    return Err(self.unmatched(b'`', line));
                }
                Some(b'`') => break,
                Some(b'\\') => {
                    let next = self.byte_at(at + 1);
                    match next {
                        Some(b'`' | b'\\' | b'$') => {}
                        Some(b'"') if quoted => {}
                        // Line continuations vanish even in single quotes.
                        Some(b'\n') => {
                            at += 2;
                            continue;
                        }
                        _ => text.push(b'\\'),
                    }
                    text.extend(next);
                    at += 2;
                }
                Some(byte) => {
                    text.push(byte);
                    at += 1;
                }
            }
        }
        let source: Bytes = text.into();
        let (body, error) = self.substituted_list(&source, line)?;
        self.advance_to((at + 1).min(self.input.end));
        self.leave();
        let reads_file = reads_file(&body);
        let span = self.span_from(start, line);
        out.push(WordPart::CommandSubstitution(Box::new(CommandSubstitution {
            body: Arc::new(body),
            reads_file,
            backquoted: true,
            deferred: false,
            span,
            source: Some(source),
            error,
        })));
        Ok(())
    }

    /// Parses `source` as the list of a substitution. An error in it belongs to the expansion; only a limit ends the
    /// parse of the command around it.
    fn substituted_list(&mut self, source: &Bytes, line: u32) -> Parsed<(List, Option<ParseError>)> {
        let input = Input { source: source.clone(), pos: 0, end: source.len(), line };
        let outer = self.enter_input(input);
        let mut body = List::default();
        let result = self.whole_list(&mut body);
        self.leave_input(outer);
        match result {
            Ok(()) => Ok((body, None)),
            Err(error) if error.limit().is_some() => Err(error),
            Err(error) => Ok((body, Some(error))),
        }
    }

    /// A list up to the end of the input.
    fn whole_list(&mut self, body: &mut List) -> Parsed<()> {
        self.possibly_empty_list(body)?;
        if self.byte().is_some() { Err(self.unexpected()) } else { self.end_here_documents() }
    }
}

/// How many operands and operators an arithmetic expression can have, about.
pub(super) fn operands(source: &[u8]) -> u32 {
    u32::try_from(source.len() / 4).unwrap_or(u32::MAX)
}

/// `$(< file)`
fn reads_file(body: &List) -> bool {
    let [ListItem { and_or: AndOr { first, rest }, background: false, .. }] = body.items() else {
        return false;
    };
    let [Command { kind: CommandKind::Simple(simple), redirections, .. }] = first.stages.as_slice() else {
        return false;
    };
    let plain = rest.is_empty() && !first.negated && first.timed.is_none();
    let [redirection] = redirections.as_slice() else { return false };
    plain
        && simple.words.is_empty()
        && simple.assignments.is_empty()
        && matches!(redirection.kind, RedirectionKind::Read(_))
        && matches!(redirection.descriptor, RedirectionDescriptor::Default | RedirectionDescriptor::Number(0))
}
