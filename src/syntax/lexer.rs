//! The cursor over the source: blanks, comments, line continuations, operators, reserved words, lines and depth.
//!
//! There is no stream of tokens: what a character means depends on where it stands (an assignment, a pattern, a regular
//! expression), so each rule of the grammar reads from the cursor what it can use. A backslash with a newline vanishes
//! between any two characters outside single quotes ([`Reader::follow`]).

use super::alias::ActiveAlias;
use super::ast::{HereDocument, Span, WordPart};
use super::byte::{is_metacharacter, is_name_byte};
use super::error::{ParseError, ParseErrorKind, ParseWarning};
use super::options::{Aliases, ParseOptions};
use crate::memory::{Arc, Bytes, HashMap, Vec};
use crate::text::Text;
use std::cell::Cell;

pub(super) type Parsed<T> = Result<T, ParseError>;

/// The text that is being read. Exchanged for another while a backquoted substitution or a here-document is parsed.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) source: Bytes,
    pub(super) pos: usize,
    /// Reading stops here.
    pub(super) end: usize,
    /// Line of `pos`.
    pub(super) line: u32,
}

/// How often a reader may stand at one place. Constructs that end together come to a few hundreds.
const MOST_STALLS: u32 = 10_000;

/// State of one parse.
pub(super) struct Reader<'a> {
    pub(super) input: Input,
    pub(super) options: &'a ParseOptions,
    pub(super) aliases: &'a dyn Aliases,
    pub(super) depth: u32,
    /// How many words, simple commands and expansions may be read, and how many were.
    pub(super) effort: Option<u32>,
    pub(super) spent: Cell<u32>,
    /// Where the reader stood when blanks were skipped last, and how often it has stood there.
    pub(super) stalled: (usize, u32),
    /// Loops around this place.
    pub(super) loops: u32,
    /// The line of the `for ((` that was read last.
    pub(super) arithmetic_for_line: u32,
    /// Command and process substitutions around this place, in the current input.
    pub(super) substitutions: u32,
    /// Here-documents whose bodies begin at the next newline.
    pub(super) pending: Vec<Arc<HereDocument>>,
    /// The body of a here-document is read.
    pub(super) in_body: bool,
    pub(super) warnings: Vec<ParseWarning>,
    /// The texts of `$"..."` with their lines.
    pub(super) translatable: Vec<(u32, Text)>,
    pub(super) active_aliases: Vec<ActiveAlias>,
    /// The value of an assignment is read.
    pub(super) assigns: bool,
    /// An alias's text that ended in a blank ends here: the next word can be an alias too.
    pub(super) alias_blank: usize,
    pub(super) alias_copied: u64,
    /// Substitutions that were parsed inside what looked like arithmetic and was not, by their position.
    pub(super) salvage: HashMap<usize, Salvage>,
    /// Closing parentheses of those opened inside text that was tried as arithmetic.
    pub(super) closes: HashMap<usize, usize>,
}

pub(super) struct Salvage {
    pub(super) part: WordPart,
    pub(super) end: usize,
    pub(super) line: u32,
}

/// Reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Not,
    OpenBrace,
    CloseBrace,
    CloseConditional,
    OpenConditional,
    Case,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    Esac,
    Fi,
    For,
    Function,
    If,
    In,
    Select,
    Then,
    Time,
    Until,
    While,
}

impl Keyword {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"!" => Self::Not,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"[[" => Self::OpenConditional,
            b"]]" => Self::CloseConditional,
            b"case" => Self::Case,
            b"coproc" => Self::Coproc,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"esac" => Self::Esac,
            b"fi" => Self::Fi,
            b"for" => Self::For,
            b"function" => Self::Function,
            b"if" => Self::If,
            b"in" => Self::In,
            b"select" => Self::Select,
            b"then" => Self::Then,
            b"time" => Self::Time,
            b"until" => Self::Until,
            b"while" => Self::While,
            _ => return None,
        })
    }

    /// No command begins with it.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::CloseBrace
                | Self::Do
                | Self::Done
                | Self::Elif
                | Self::Else
                | Self::Esac
                | Self::Fi
                | Self::Then
        )
    }

    /// A compound command begins with it.
    pub(super) fn opens_compound(self) -> bool {
        matches!(
            self,
            Self::OpenBrace
                | Self::OpenConditional
                | Self::Case
                | Self::For
                | Self::If
                | Self::Select
                | Self::Until
                | Self::While
        )
    }
}

const LONGEST_KEYWORD: usize = 8;

/// The first bytes of reserved words, and what a line continuation before one begins with.
static BEGINS_KEYWORD: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"!{}[]cdefistuw\\";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

impl Reader<'_> {
    pub(super) fn pos(&self) -> usize {
        self.input.pos
    }

    /// The byte at the cursor.
    #[inline]
    pub(super) fn byte(&self) -> Option<u8> {
        self.byte_at(self.input.pos)
    }

    #[inline]
    pub(super) fn byte_at(&self, at: usize) -> Option<u8> {
        if at < self.input.end { self.input.source.get(at).copied() } else { None }
    }

    /// `at`, or where the line continuations that stand there end.
    pub(super) fn follow(&self, mut at: usize) -> usize {
        while self.byte_at(at) == Some(b'\\') && self.byte_at(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// Where the byte after the one at `at` is, over line continuations.
    pub(super) fn after(&self, at: usize) -> usize {
        self.follow(at + 1)
    }

    /// The byte after the cursor's.
    pub(super) fn second(&self) -> Option<u8> {
        self.byte_at(self.after(self.input.pos))
    }

    /// The source between two offsets.
    pub(super) fn slice(&self, start: usize, end: usize) -> &[u8] {
        self.input.source.get(start..end).unwrap_or(&[])
    }

    /// The source between two offsets without its line continuations.
    pub(super) fn joined(&self, start: usize, end: usize) -> Text {
        let source = self.slice(start, end);
        if memchr::memmem::find(source, b"\\\n").is_none() {
            return Text::from(source);
        }
        let mut text = Vec::with_capacity(source.len());
        let mut bytes = source.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            if byte == b'\\' && bytes.next_if_eq(&b'\n').is_some() {
                continue;
            }
            text.push(byte);
        }
        Text::from(text)
    }

    /// Where the name that goes on at `at` ends, over line continuations, which are followed after it too.
    pub(super) fn name_end(&self, mut at: usize) -> usize {
        loop {
            while self.byte_at(at).is_some_and(is_name_byte) {
                at += 1;
            }
            let next = self.follow(at);
            if next == at {
                return at;
            }
            at = next;
        }
    }

    /// Moves on to `to`, counting lines.
    pub(super) fn advance_to(&mut self, to: usize) {
        let passed = self.slice(self.input.pos, to);
        let lines = if passed.len() < 16 {
            passed.iter().map(|&byte| u32::from(byte == b'\n')).sum()
        } else {
            memchr::memchr_iter(b'\n', passed).count() as u32
        };
        self.input.line = self.input.line.saturating_add(lines);
        self.input.pos = to.max(self.input.pos);
    }

    /// Moves over `count` bytes of a construct, and the line continuations between them.
    pub(super) fn bump(&mut self, count: usize) {
        for _ in 0..count {
            if self.byte() == Some(b'\n') {
                self.input.line = self.input.line.saturating_add(1);
            }
            self.input.pos = (self.input.pos + 1).min(self.input.end);
            let to = self.follow(self.input.pos);
            if to != self.input.pos {
                self.advance_to(to);
            }
        }
    }

    /// The span from `start`, which is on `line`, to the cursor.
    pub(super) fn span_from(&self, start: usize, line: u32) -> Span {
        Span { start: start as u32, end: self.input.pos as u32, line }
    }

    /// An empty span at the cursor.
    pub(super) fn here(&self) -> Span {
        self.span_from(self.input.pos, self.input.line)
    }

    /// One level deeper. Not undone when an error passes: the error ends the parse, or whoever goes on restores `depth`.
    pub(super) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > self.options.depth {
            Err(self.error(ParseErrorKind::TooDeep(self.options.depth)))
        } else {
            Ok(())
        }
    }

    /// Counts a word, a simple command or an expansion that is read.
    #[inline]
    pub(super) fn spend(&self) -> Parsed<()> {
        if self.affords(1) { Ok(()) } else { Err(self.too_long()) }
    }

    #[cold]
    fn too_long(&self) -> ParseError {
        self.error(ParseErrorKind::TooLong(self.effort.unwrap_or(u32::MAX)))
    }

    /// Counts so many; false: they are more than may be read, and the next one is an error.
    pub(super) fn affords(&self, count: u32) -> bool {
        let spent = self.spent.get().saturating_add(count);
        self.spent.set(spent);
        self.effort.is_none_or(|allowed| spent <= allowed)
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Skips blanks, line continuations and a comment. Every loop of the grammar comes here, so one that does not get on is
    /// seen here.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        if self.input.pos == self.stalled.0 {
            self.stall();
        } else {
            self.stalled = (self.input.pos, 0);
        }
        while let Some(b' ' | b'\t') = self.byte() {
            self.input.pos += 1;
        }
        if let Some(b'\\' | b'#') = self.byte() {
            self.skip_more_blanks();
        }
    }

    /// The reader stands where it stood. After so many times that is a fault of the grammar, and the text ends here: it is an
    /// error then, and no loop without end.
    #[inline(never)]
    fn stall(&mut self) {
        self.stalled.1 += 1;
        if self.stalled.1 > MOST_STALLS {
            self.input.end = self.input.pos;
        }
    }

    #[inline(never)]
    fn skip_more_blanks(&mut self) {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.input.pos += 1,
                Some(b'\\') if self.byte_at(self.input.pos + 1) == Some(b'\n') => {
                    self.input.pos += 2;
                    self.input.line = self.input.line.saturating_add(1);
                }
                Some(b'#') if self.options.interactive_comments => {
                    let rest = self.slice(self.input.pos, self.input.end);
                    self.input.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// Takes the newline at the cursor, and the here-documents after it.
    pub(super) fn newline(&mut self) -> Parsed<()> {
        self.input.pos = (self.input.pos + 1).min(self.input.end);
        self.input.line = self.input.line.saturating_add(1);
        if self.pending.is_empty() { Ok(()) } else { self.read_here_documents() }
    }

    /// Skips blanks, comments and newlines.
    pub(super) fn skip_newlines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if self.byte() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// The reserved word at the cursor and where it ends. The caller knows whether one is recognized here.
    #[inline]
    pub(super) fn keyword(&self) -> Option<(Keyword, usize)> {
        if self.byte().is_some_and(|byte| BEGINS_KEYWORD.get(usize::from(byte)) == Some(&true)) {
            self.keyword_here()
        } else {
            None
        }
    }

    fn keyword_here(&self) -> Option<(Keyword, usize)> {
        let rest = self.slice(self.input.pos, self.input.end);
        let mut length = 0;
        while let Some(&byte) = rest.get(length) {
            if byte == b'\\' {
                return self.continued_keyword();
            }
            if is_metacharacter(byte) {
                // A process substitution is part of a word: `do<(list)` is not the reserved word.
                if matches!(byte, b'<' | b'>') && self.is_process_substitution(self.input.pos + length) {
                    return None;
                }
                break;
            }
            length += 1;
            if length > LONGEST_KEYWORD {
                return None;
            }
        }
        Keyword::of(rest.get(..length)?).map(|keyword| (keyword, self.input.pos + length))
    }

    /// A reserved word with line continuations in it.
    #[cold]
    fn continued_keyword(&self) -> Option<(Keyword, usize)> {
        let mut letters = [0; LONGEST_KEYWORD];
        let mut length = 0;
        let mut at = self.follow(self.input.pos);
        while let Some(byte) = self.byte_at(at) {
            if is_metacharacter(byte) {
                if matches!(byte, b'<' | b'>') && self.is_process_substitution(at) {
                    return None;
                }
                break;
            }
            *letters.get_mut(length)? = byte;
            length += 1;
            at = self.after(at);
        }
        Keyword::of(letters.get(..length)?).map(|keyword| (keyword, at))
    }

    /// Whether that reserved word is at the cursor.
    pub(super) fn at_keyword(&self, wanted: Keyword) -> bool {
        self.keyword().is_some_and(|(keyword, _)| keyword == wanted)
    }

    /// Takes that reserved word if it is at the cursor.
    pub(super) fn take_keyword(&mut self, wanted: Keyword) -> bool {
        match self.keyword() {
            Some((keyword, end)) if keyword == wanted => {
                self.advance_to(end);
                true
            }
            _ => false,
        }
    }

    /// Takes that reserved word.
    pub(super) fn expect_keyword(&mut self, wanted: Keyword) -> Parsed<()> {
        self.skip_blanks();
        if self.take_keyword(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Length in characters of the operator at the cursor (POSIX's and bash's), 0 for none.
    pub(super) fn operator(&self) -> usize {
        let Some(first) = self.byte() else { return 0 };
        if !is_metacharacter(first) || matches!(first, b' ' | b'\t') {
            return 0;
        }
        let second_at = self.after(self.input.pos);
        let (second, third) = (self.byte_at(second_at), self.byte_at(self.after(second_at)));
        match (first, second, third) {
            (b';', Some(b';'), Some(b'&'))
            | (b'&', Some(b'>'), Some(b'>'))
            | (b'<', Some(b'<'), Some(b'-' | b'<')) => 3,
            (b';', Some(b';' | b'&'), _)
            | (b'&', Some(b'&' | b'>'), _)
            | (b'|', Some(b'|' | b'&'), _)
            | (b'<', Some(b'<' | b'&' | b'>'), _)
            | (b'>', Some(b'>' | b'&' | b'|'), _) => 2,
            _ => 1,
        }
    }

    /// The token at the cursor as bash shows it; `None` at the end of the input.
    ///
    /// # Errors
    /// That of the token itself, for example a quote that is not closed.
    pub(super) fn token(&mut self) -> Parsed<Option<Text>> {
        self.skip_blanks();
        let Some(first) = self.byte() else { return Ok(None) };
        if first == b'\n' {
            return Ok(Some(Text::from_static(b"newline")));
        }
        let start = self.input.pos;
        // Digits before the operator of a redirection are a token of their own.
        if first.is_ascii_digit()
            && let Some((_, operator_at)) = self.numbered_descriptor(start)
        {
            return Ok(Some(Text::from(self.slice(start, operator_at))));
        }
        let operator = self.operator();
        if operator == 0 || self.at_process_substitution() {
            self.word()?;
            return Ok(Some(super::shown::shown(self.slice(start, self.input.pos), false)));
        }
        self.bump(operator);
        let joined = |byte: &u8| !matches!(byte, b'\\' | b'\n');
        let token: Vec<u8> = self.slice(start, self.input.pos).iter().copied().filter(joined).collect();
        Ok(Some(token.into()))
    }

    /// The line of the source around `at`.
    fn line_around(&self, at: usize) -> Text {
        let start = memchr::memrchr(b'\n', self.slice(0, at)).map_or(0, |newline| newline + 1);
        let rest = self.slice(start, self.input.source.len());
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        Text::from(self.slice(start, start + length))
    }

    /// An error at the cursor.
    pub(super) fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError::new(kind, self.here(), None, self.line_around(self.input.pos))
    }

    /// The error for the token at the cursor, which the grammar does not have here.
    #[inline(never)]
    pub(super) fn unexpected(&mut self) -> ParseError {
        self.skip_blanks();
        let (start, line) = (self.input.pos, self.input.line);
        let source_line = self.line_around(start);
        match self.token() {
            Err(error) => error,
            Ok(Some(token)) => ParseError::new(
                ParseErrorKind::UnexpectedToken(token),
                Span { line, ..self.span_from(start, line) },
                None,
                source_line,
            ),
            Ok(None) => self.unexpected_end(),
        }
    }

    /// The error for the end of the input inside a compound command.
    pub(super) fn unexpected_end(&self) -> ParseError {
        self.error(ParseErrorKind::UnexpectedEnd).at_line(self.end_line())
    }

    /// The line that bash gives to the end of the input: one more than the last, when that has no newline.
    pub(super) fn end_line(&self) -> u32 {
        let rest = self.slice(self.input.pos, self.input.end);
        let more = memchr::memchr_iter(b'\n', rest).count() as u32;
        let ends_in_newline = self.input.end > 0 && self.byte_at(self.input.end - 1) == Some(b'\n');
        self.input.line.saturating_add(more).saturating_add(u32::from(!ends_in_newline))
    }

    /// The error for a bracket or quote that is not closed. Bash names the line on which it began.
    #[inline(never)]
    pub(super) fn unmatched(&self, delimiter: u8, opened: u32) -> ParseError {
        let kind = ParseErrorKind::Unmatched(delimiter);
        ParseError::new(kind, self.here(), Some(opened), self.line_around(self.input.pos)).at_line(opened)
    }
}
