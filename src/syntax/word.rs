//! Words: unquoted text with its quotes, expansions, tildes, extended patterns and regular expressions.
//!
//! One loop reads unquoted text up to what ends it, which depends on the place: a metacharacter, the brace of `${ }`, the
//! bracket of a subscript. Runs of ordinary bytes are copied as a whole.

use super::ast::{Parts, Word, WordPart};
use super::byte::{is_metacharacter, is_name_byte, is_name_start};
use super::error::ParseErrorKind;
use super::lexer::{Parsed, Reader};
use crate::text::Text;

/// What ends unquoted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A metacharacter.
    Word,
    /// A metacharacter outside parentheses; `(` and `|` belong to it.
    Regex,
    /// `}`
    Brace,
    /// `}` or `/`
    SlashOrBrace,
    /// The `]` of a subscript.
    Bracket,
    /// The same in `${ }`, whose brace ends it too.
    BracketOrBrace,
}

/// Where tilde-prefixes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tilde {
    /// Nowhere.
    None,
    /// At the start.
    Start,
    /// At the start; in text like `name=value` also after `=` and `:`.
    Word,
    /// At the start and after `:`.
    Assignment,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) end: End,
    pub(super) tilde: Tilde,
    pub(super) extglob: bool,
}

impl Context {
    pub(super) const WORD: Self = Self { end: End::Word, tilde: Tilde::Start, extglob: false };
    pub(super) const REGEX: Self = Self { end: End::Regex, tilde: Tilde::Start, extglob: false };
    pub(super) const SUBSCRIPT: Self = Self { end: End::Bracket, tilde: Tilde::None, extglob: false };
    pub(super) const BRACED_SUBSCRIPT: Self =
        Self { end: End::BracketOrBrace, tilde: Tilde::None, extglob: false };
    pub(super) const BRACE: Self = Self { end: End::Brace, tilde: Tilde::Start, extglob: false };
    pub(super) const PATTERN: Self = Self { end: End::Word, tilde: Tilde::Start, extglob: true };
}

impl Context {
    fn in_brackets(self) -> bool {
        matches!(self.end, End::Bracket | End::BracketOrBrace)
    }
}

/// Bytes that never mean anything in unquoted text.
static ORDINARY: [bool; 256] = ordinary();

const fn ordinary() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric()
            || b >= 0x80
            || matches!(b, b'_' | b'-' | b'.' | b',' | b'%' | b'^' | b'#' | b'{' | b'=' | b':');
        byte += 1;
    }
    table
}

pub(super) fn push_literal(out: &mut Parts, text: &[u8]) {
    if text.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(WordPart::Literal(last)) => last.push_bytes(text),
        _ => out.push(WordPart::Literal(Text::from(text))),
    }
}

pub(super) fn push_quoted(out: &mut Parts, text: &[u8]) {
    match out.last_mut() {
        Some(WordPart::Quoted(last)) => last.push_bytes(text),
        _ => out.push(WordPart::Quoted(Text::from(text))),
    }
}

impl Reader<'_> {
    /// A word of a command. The cursor is on its first byte.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        self.word_into(&mut word)?;
        Ok(word)
    }

    /// The same in its place.
    pub(super) fn word_into(&mut self, word: &mut Word) -> Parsed<()> {
        let tilde = if self.options.posix { Tilde::Start } else { Tilde::Word };
        self.word_in_place(Context { end: End::Word, tilde, extglob: self.options.extglob }, word)
    }

    pub(super) fn word_in(&mut self, context: Context) -> Parsed<Word> {
        let mut word = Word::default();
        self.word_in_place(context, &mut word)?;
        Ok(word)
    }

    pub(super) fn word_in_place(&mut self, context: Context, word: &mut Word) -> Parsed<()> {
        self.spend()?;
        word.span = self.here();
        self.unquoted(context, &mut word.parts)?;
        word.span.end = self.pos() as u32;
        Ok(())
    }

    /// The rest of a word whose first parts are read already.
    pub(super) fn rest_of_word(&mut self, word: &mut Word) -> Parsed<()> {
        self.unquoted(
            Context { end: End::Word, tilde: Tilde::None, extglob: self.options.extglob },
            &mut word.parts,
        )?;
        word.span.end = self.pos() as u32;
        Ok(())
    }

    /// Reads unquoted text up to its end, where the cursor stays.
    pub(super) fn unquoted(&mut self, context: Context, out: &mut Parts) -> Parsed<()> {
        let start = self.pos();
        let mut run = start;
        let mut nested = 0_u32;
        let mut opened = self.input.line;
        let mut equals = None;
        while let Some(byte) = self.byte() {
            if ORDINARY.get(usize::from(byte)).is_some_and(|&ordinary| ordinary) {
                self.input.pos += 1;
                continue;
            }
            match byte {
                b'\'' | b'"' | b'\\' | b'$' | b'`' => {
                    push_literal(out, self.slice(run, self.pos()));
                    run = self.pos();
                    if self.expansion(out)? {
                        run = self.pos();
                    } else {
                        self.input.pos += 1;
                    }
                }
                b'<' | b'>' if nested == 0 && !context.in_brackets() && self.at_process_substitution() => {
                    push_literal(out, self.slice(run, self.pos()));
                    self.process_substitution(out)?;
                    run = self.pos();
                }
                b'~' if nested == 0 && self.tilde_is_special(context, start, run, &mut equals) => {
                    push_literal(out, self.slice(run, self.pos()));
                    run = self.pos();
                    let in_braces =
                        matches!(context.end, End::Brace | End::SlashOrBrace | End::BracketOrBrace);
                    if let Some(login) = self.tilde_prefix(in_braces) {
                        out.push(WordPart::Tilde(login));
                        run = self.pos();
                    } else {
                        self.input.pos += 1;
                    }
                }
                _ => {
                    if nested == 0 {
                        opened = self.input.line;
                    }
                    match self.plain(context, byte, start, &mut nested)? {
                        0 => break,
                        length => self.input.pos += length,
                    }
                }
            }
        }
        push_literal(out, self.slice(run, self.pos()));
        if nested > 0 && matches!(context.end, End::Word | End::Regex) {
            return Err(self.unmatched(b')', opened));
        }
        Ok(())
    }

    /// How many bytes to take as they are; 0: the text ends here.
    fn plain(&mut self, context: Context, byte: u8, start: usize, nested: &mut u32) -> Parsed<usize> {
        let by_metacharacter = matches!(context.end, End::Word | End::Regex);
        match byte {
            b'(' if by_metacharacter && (*nested > 0 || context.end == End::Regex) => self.nest(nested)?,
            b')' if by_metacharacter && *nested > 0 => *nested -= 1,
            b'|' if context.end == End::Regex => {}
            b'[' if context.in_brackets() => self.nest(nested)?,
            b']' if context.in_brackets() => {
                if *nested == 0 {
                    return Ok(0);
                }
                *nested -= 1;
            }
            b'}' if matches!(context.end, End::Brace | End::SlashOrBrace | End::BracketOrBrace) => {
                return Ok(0);
            }
            b'/' if context.end == End::SlashOrBrace && self.pos() > start => return Ok(0),
            b'?' | b'*' | b'+' | b'@' | b'!'
                if context.extglob && by_metacharacter && self.second() == Some(b'(') =>
            {
                self.nest(nested)?;
                let open = self.after(self.pos());
                if open > self.pos() + 1 {
                    return Ok(1);
                }
                return Ok(2);
            }
            _ if is_metacharacter(byte) && by_metacharacter && *nested == 0 => return Ok(0),
            b'\n' => self.input.line = self.input.line.saturating_add(1),
            _ => {}
        }
        Ok(1)
    }

    /// One bracket deeper in text without recursion: whoever matches it later recurses.
    fn nest(&mut self, nested: &mut u32) -> Parsed<()> {
        *nested += 1;
        if self.depth + *nested > self.options.depth {
            return Err(self.error(ParseErrorKind::TooDeep(self.options.depth)));
        }
        Ok(())
    }

    /// A quote, backslash, `$` or backquote in unquoted text. False: the `$` at the cursor is an ordinary character.
    fn expansion(&mut self, out: &mut Parts) -> Parsed<bool> {
        match self.byte() {
            Some(b'\'') => self.single_quoted(out)?,
            Some(b'"') => self.double_quoted(out)?,
            Some(b'\\') => {
                self.spend()?;
                self.escaped(out);
            }
            Some(b'`') => self.backquoted(false, out)?,
            _ => return self.dollar(super::substitution::Quoting::Unquoted, out),
        }
        Ok(true)
    }

    /// Whether the tilde at the cursor can begin a tilde-prefix. `equals` remembers where the `=` of `name=` is.
    fn tilde_is_special(
        &self,
        context: Context,
        start: usize,
        run: usize,
        equals: &mut Option<usize>,
    ) -> bool {
        let at = self.pos();
        if context.tilde == Tilde::None {
            return false;
        }
        if at == start {
            return true;
        }
        if at == run || context.tilde == Tilde::Start {
            return false;
        }
        let before = self.byte_at(at - 1);
        if context.tilde == Tilde::Assignment {
            return before == Some(b':');
        }
        if !matches!(before, Some(b'=' | b':')) {
            return false;
        }
        let equals = *equals.get_or_insert_with(|| self.equals_of_assignment(start).unwrap_or(usize::MAX));
        equals < at && (before == Some(b':') || equals == at - 1)
    }

    /// Where the `=` of text like `name=`, `name+=`, `name[...]=` is.
    fn equals_of_assignment(&self, start: usize) -> Option<usize> {
        let mut at = start;
        if !is_name_start(self.byte_at(at)?) {
            return None;
        }
        while is_name_byte(self.byte_at(at)?) {
            at += 1;
        }
        if self.byte_at(at) == Some(b'[') {
            at += memchr::memchr(b']', self.slice(at, self.pos()))? + 1;
        }
        if self.byte_at(at) == Some(b'+') {
            at += 1;
        }
        (self.byte_at(at) == Some(b'=')).then_some(at)
    }

    /// Takes the tilde-prefix at the cursor, if no part of it is quoted.
    fn tilde_prefix(&mut self, in_braces: bool) -> Option<Text> {
        let start = self.pos() + 1;
        let mut end = start;
        while let Some(byte) = self.byte_at(end) {
            match byte {
                b'\'' | b'"' | b'\\' | b'$' | b'`' => return None,
                b'/' | b':' => break,
                b'}' if in_braces => break,
                _ if is_metacharacter(byte) => break,
                _ if is_name_byte(byte) || matches!(byte, b'-' | b'+' | b'.' | b'@') || byte >= 0x80 => {
                    end += 1;
                }
                _ => return None,
            }
        }
        self.input.pos = end;
        Some(Text::from(self.slice(start, end)))
    }
}
