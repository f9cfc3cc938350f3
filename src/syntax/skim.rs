//! Finds where a function's body ends without building its tree, so that a function that is never called costs next to
//! nothing: its body is parsed and compiled when it is called first.
//!
//! The skimmer knows the common part of the grammar and nothing of the rest. What it accepts, the parser accepts too, with
//! the same end (`tests/skim.rs` compares them); at anything else (a syntax error, a here-document, a backquote, a function
//! inside, a line continuation inside a word, an extended pattern, an expansion that it does not know) it gives up and the
//! parser reads the body. One pass, no allocation, recursion bounded by [`DEEPEST`].

use super::lexer::{is_metacharacter, is_name_byte, is_name_start};

/// How deep the brackets of a body may nest.
const DEEPEST: u32 = 40;

/// The parser counts at most so many levels for one of the skimmer's.
pub(super) const PARSER_LEVELS: u32 = 4;

/// Where the compound command that begins at `start` ends, with its redirections; `None`: the parser has to read it.
/// `depth`: how many levels the skimmer may go down.
pub(super) fn skim(text: &[u8], start: usize, depth: u32) -> Option<usize> {
    let mut skimmer = Skimmer { text, at: start, depth: depth.min(DEEPEST) };
    skimmer.compound()?;
    let end = skimmer.at;
    // What stands behind the body must not belong to it.
    skimmer.blanks();
    match skimmer.peek() {
        0 if skimmer.at >= text.len() => Some(end),
        b'\n' | b';' | b')' => Some(end),
        b'&' | b'|' if skimmer.byte(skimmer.at + 1) != b'>' => Some(end),
        _ => None,
    }
}

struct Skimmer<'a> {
    text: &'a [u8],
    at: usize,
    /// Levels that are left.
    depth: u32,
}

/// What ends a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A metacharacter.
    Word,
    /// A metacharacter outside parentheses, of a regular expression.
    Regex,
    /// `}`
    Brace,
}

/// Bytes that mean nothing anywhere in a word.
static ORDINARY: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric()
            || b >= 0x80
            || matches!(
                b,
                b'_' | b'-' | b'.' | b',' | b'%' | b'^' | b'#' | b'{' | b'=' | b':' | b'/' | b'~' | b']'
            );
        byte += 1;
    }
    table
};

fn is_ordinary(byte: u8) -> bool {
    ORDINARY.get(usize::from(byte)).is_some_and(|&ordinary| ordinary)
}

fn is_special_parameter(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

/// Builtins whose arguments may be assignments.
fn takes_assignments(word: &[u8]) -> bool {
    matches!(word, b"declare" | b"typeset" | b"local" | b"export" | b"readonly")
}

impl Skimmer<'_> {
    /// The byte at `at`; 0 behind the end (a NUL in the text gives up, too).
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    /// Takes that byte.
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.at += 1)
    }

    /// One level deeper.
    fn nested(&mut self, inner: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        inner(self)?;
        self.depth += 1;
        Some(())
    }

    /// Blanks, line continuations, a comment.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\\' if self.byte(self.at + 1) == b'\n' => self.at += 2,
                b'#' => {
                    let rest = self.text.get(self.at..).unwrap_or(&[]);
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn newlines(&mut self) {
        self.blanks();
        while self.peek() == b'\n' {
            self.at += 1;
            self.blanks();
        }
    }

    /// The letters at the cursor up to a metacharacter, if they can be a reserved word.
    fn keyword(&self) -> &[u8] {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let length = rest.iter().take(9).take_while(|&&byte| !is_metacharacter(byte)).count();
        rest.get(..length).unwrap_or(&[])
    }

    fn take_keyword(&mut self, wanted: &[u8]) -> Option<()> {
        (self.keyword() == wanted).then(|| self.at += wanted.len())
    }

    /// Whether the list ends where a command could begin.
    fn list_ends(&self) -> bool {
        match self.peek() {
            b')' => true,
            b';' => matches!(self.byte(self.at + 1), b';' | b'&'),
            b'd' | b'e' | b'f' | b't' | b'}' => {
                matches!(
                    self.keyword(),
                    b"do" | b"done" | b"elif" | b"else" | b"esac" | b"fi" | b"then" | b"}"
                )
            }
            _ => false,
        }
    }

    /// Commands up to the reserved word, parenthesis or `;;` that ends them: at least one.
    fn list(&mut self) -> Option<()> {
        self.newlines();
        loop {
            self.and_or()?;
            self.blanks();
            match (self.peek(), self.byte(self.at + 1)) {
                (b';', b';' | b'&') | (b')', _) => return Some(()),
                (b';' | b'\n', _) => self.at += 1,
                (b'&', second) if !matches!(second, b'&' | b'>') => self.at += 1,
                _ => return None,
            }
            self.newlines();
            if self.list_ends() {
                return Some(());
            }
        }
    }

    /// The same, maybe without a command.
    fn possibly_empty_list(&mut self) -> Option<()> {
        self.newlines();
        if self.list_ends() { Some(()) } else { self.list() }
    }

    fn and_or(&mut self) -> Option<()> {
        loop {
            self.pipeline()?;
            self.blanks();
            match (self.peek(), self.byte(self.at + 1)) {
                (b'&', b'&') | (b'|', b'|') => self.at += 2,
                _ => return Some(()),
            }
            self.newlines();
        }
    }

    fn pipeline(&mut self) -> Option<()> {
        while self.peek() == b'!' && matches!(self.byte(self.at + 1), b' ' | b'\t') {
            self.at += 2;
            self.blanks();
        }
        loop {
            self.command()?;
            self.blanks();
            match (self.peek(), self.byte(self.at + 1)) {
                (b'|', b'|') => return Some(()),
                (b'|', b'&') => self.at += 2,
                (b'|', _) => self.at += 1,
                _ => return Some(()),
            }
            self.newlines();
        }
    }

    fn command(&mut self) -> Option<()> {
        match self.peek() {
            b'(' => self.compound(),
            b'{' | b'[' | b'c' | b'f' | b'i' | b'u' | b'w' | b'd' | b'e' | b't' | b's' | b'}' | b']'
            | b'!' => match self.keyword() {
                b"{" | b"[[" | b"case" | b"for" | b"if" | b"until" | b"while" => self.compound(),
                b"!" | b"]]" | b"}" | b"coproc" | b"do" | b"done" | b"elif" | b"else" | b"esac" | b"fi"
                | b"function" | b"in" | b"select" | b"then" | b"time" => None,
                _ => self.simple(),
            },
            _ => self.simple(),
        }
    }

    fn compound(&mut self) -> Option<()> {
        self.nested(Self::compound_here)?;
        let end = self.at;
        self.blanks();
        let mut any = false;
        while self.redirection()? {
            any = true;
            self.blanks();
        }
        if !any {
            self.at = end;
        }
        Some(())
    }

    fn compound_here(&mut self) -> Option<()> {
        if self.peek() == b'(' {
            return self.parenthesized();
        }
        let keyword = self.keyword();
        let length = keyword.len();
        match keyword {
            b"{" => {
                self.at += length;
                self.list()?;
                self.take_keyword(b"}")
            }
            b"if" => {
                self.at += length;
                self.if_clause()
            }
            b"while" | b"until" => {
                self.at += length;
                self.list()?;
                self.take_keyword(b"do")?;
                self.list()?;
                self.take_keyword(b"done")
            }
            b"for" => {
                self.at += length;
                self.for_loop()
            }
            b"case" => {
                self.at += length;
                self.case()
            }
            b"[[" => {
                self.at += length;
                self.condition()?;
                (self.keyword() == b"]]").then(|| self.at += 2)
            }
            _ => None,
        }
    }

    /// `( list )` or `(( expression ))`
    fn parenthesized(&mut self) -> Option<()> {
        self.at += 1;
        if self.peek() == b'(' {
            self.at += 1;
            self.arithmetic()?;
            return self.take(b')');
        }
        self.list()?;
        self.take(b')')
    }

    fn if_clause(&mut self) -> Option<()> {
        loop {
            self.list()?;
            self.take_keyword(b"then")?;
            self.list()?;
            if self.take_keyword(b"elif").is_none() {
                break;
            }
        }
        if self.take_keyword(b"else").is_some() {
            self.list()?;
        }
        self.take_keyword(b"fi")
    }

    fn for_loop(&mut self) -> Option<()> {
        self.blanks();
        if self.peek() == b'(' {
            self.at += 1;
            self.take(b'(')?;
            for _ in 0..2 {
                self.arithmetic_until(b';')?;
            }
            self.arithmetic()?;
            self.take(b')')?;
            self.blanks();
            if self.peek() == b';' {
                self.at += 1;
            }
        } else {
            self.loop_head()?;
        }
        self.newlines();
        self.take_keyword(b"do")?;
        self.list()?;
        self.take_keyword(b"done")
    }

    /// `name`, `name;`, `name in words;`
    fn loop_head(&mut self) -> Option<()> {
        if !is_name_start(self.peek()) {
            return None;
        }
        self.name();
        if !is_metacharacter(self.peek()) {
            return None;
        }
        self.blanks();
        if self.peek() == b';' {
            self.at += 1;
            return Some(());
        }
        self.newlines();
        if self.take_keyword(b"in").is_none() {
            return Some(());
        }
        loop {
            self.blanks();
            match self.peek() {
                b'\n' => return Some(()),
                b';' => {
                    self.at += 1;
                    return Some(());
                }
                _ => self.word(End::Word)?,
            }
        }
    }

    fn case(&mut self) -> Option<()> {
        self.blanks();
        self.word(End::Word)?;
        self.newlines();
        self.take_keyword(b"in")?;
        loop {
            self.newlines();
            if self.take_keyword(b"esac").is_some() {
                return Some(());
            }
            if self.peek() == b'(' {
                self.at += 1;
            }
            loop {
                self.blanks();
                self.word(End::Word)?;
                self.blanks();
                match self.peek() {
                    b'|' => self.at += 1,
                    b')' => break,
                    _ => return None,
                }
            }
            self.at += 1;
            self.possibly_empty_list()?;
            match (self.peek(), self.byte(self.at + 1), self.byte(self.at + 2)) {
                (b';', b';', b'&') => self.at += 3,
                (b';', b';' | b'&', _) => self.at += 2,
                _ => return self.take_keyword(b"esac"),
            }
        }
    }

    /// The expression of `[[ ]]`, up to `]]` or `)`.
    fn condition(&mut self) -> Option<()> {
        loop {
            self.term()?;
            self.newlines();
            match (self.peek(), self.byte(self.at + 1)) {
                (b'&', b'&') | (b'|', b'|') => self.at += 2,
                _ => return Some(()),
            }
        }
    }

    fn term(&mut self) -> Option<()> {
        self.newlines();
        while self.peek() == b'!' && matches!(self.byte(self.at + 1), b' ' | b'\t') {
            self.at += 2;
            self.newlines();
            // Each is a level for the parser.
            self.depth = self.depth.checked_sub(1)?;
        }
        if self.peek() == b'!' && is_metacharacter(self.byte(self.at + 1)) {
            return None;
        }
        if self.peek() == b'(' {
            self.at += 1;
            self.nested(Self::condition)?;
            return self.take(b')');
        }
        let start = self.at;
        self.operand(End::Word)?;
        let first = self.text.get(start..self.at).unwrap_or(&[]);
        if let [b'-', letter] = first
            && letter.is_ascii_alphabetic()
        {
            self.blanks();
            // A letter that is no operator is a word; then one must follow. The parser knows.
            if !b"abcdefghknoprstuvwxzGLNORS".contains(letter) {
                return None;
            }
            return self.operand(End::Word);
        }
        self.blanks();
        match (self.peek(), self.byte(self.at + 1)) {
            (b')', _) | (b'&', b'&') | (b'|', b'|') => return Some(()),
            (b']', b']') if self.keyword() == b"]]" => return Some(()),
            (b'<' | b'>', second) if is_metacharacter(second) && second != b'(' => {
                self.at += 1;
                self.blanks();
                return self.operand(End::Word);
            }
            _ => {}
        }
        let operator = self.keyword();
        let length = operator.len();
        let end = match operator {
            b"=" | b"==" | b"!=" => End::Word,
            b"=~" => End::Regex,
            b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"-ef" | b"-nt" | b"-ot" => End::Word,
            _ => return None,
        };
        self.at += length;
        self.blanks();
        self.operand(end)
    }

    /// A word of `[[ ]]` that is not its end.
    fn operand(&mut self, end: End) -> Option<()> {
        if self.peek() == b']' && self.keyword() == b"]]" { None } else { self.word(end) }
    }

    fn simple(&mut self) -> Option<()> {
        let start = self.at;
        // The command word was read; it takes assignments as arguments.
        let (mut named, mut declares) = (false, false);
        loop {
            self.blanks();
            match self.peek() {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.byte(self.at + 1) != b'>' => break,
                0 => return None,
                _ => {}
            }
            if self.redirection()? {
                continue;
            }
            let word = self.at;
            if (!named || declares) && is_name_start(self.peek()) && self.assignment(named)? {
                continue;
            }
            self.at = word;
            self.word(End::Word)?;
            if !named {
                named = true;
                declares = takes_assignments(self.text.get(word..self.at).unwrap_or(&[]));
            }
        }
        // Blanks behind the last word were skipped; nothing at all is an error.
        (self.at > start).then_some(())
    }

    /// Whether an assignment stands here, which was taken; behind a declaration's name, only what is surely one.
    fn assignment(&mut self, argument: bool) -> Option<bool> {
        self.name();
        match (self.peek(), self.byte(self.at + 1)) {
            (b'=', _) => self.at += 1,
            (b'+', b'=') => self.at += 2,
            (b'[', _) => {
                if argument {
                    return None;
                }
                self.subscript()?;
                match (self.peek(), self.byte(self.at + 1)) {
                    (b'=', _) => self.at += 1,
                    (b'+', b'=') => self.at += 2,
                    _ => return None,
                }
            }
            _ => return Some(false),
        }
        match self.peek() {
            b'(' => self.nested(Self::array)?,
            byte if is_metacharacter(byte) => {
                // `a=<(b)` is rare: the parser knows.
                if self.byte(self.at + 1) == b'(' {
                    return None;
                }
            }
            0 => return None,
            _ => self.word(End::Word)?,
        }
        Some(true)
    }

    /// `[...]` of names, numbers and simple parameters.
    fn subscript(&mut self) -> Option<()> {
        self.take(b'[')?;
        let start = self.at;
        while matches!(self.peek(), b'$' | b'@' | b'*' | b'+' | b'-') || is_name_byte(self.peek()) {
            self.at += 1;
        }
        if self.at == start { None } else { self.take(b']') }
    }

    /// `( words )`
    fn array(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.newlines();
            match self.peek() {
                b')' => {
                    self.at += 1;
                    return Some(());
                }
                b'[' => {
                    self.subscript()?;
                    self.take(b'=')?;
                    if !is_metacharacter(self.peek()) {
                        self.word(End::Word)?;
                    } else if self.byte(self.at + 1) == b'(' || self.peek() == b'(' {
                        return None;
                    }
                }
                _ => self.word(End::Word)?,
            }
        }
    }

    /// Whether a redirection stands here, which was taken.
    fn redirection(&mut self) -> Option<bool> {
        let mut at = self.at;
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        let number = at > self.at;
        let length = match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'<' | b'>', b'(', _) if !number => return Some(false),
            (b'<', b'<', b'<') => 3,
            (b'<', b'<', _) => return None,
            (b'<', b'&' | b'>', _) | (b'>', b'>' | b'&' | b'|', _) => 2,
            (b'<' | b'>', _, _) => 1,
            (b'&', b'>', b'>') if !number => 3,
            (b'&', b'>', _) if !number => 2,
            _ => return Some(false),
        };
        if at - self.at > 9 {
            return None;
        }
        self.at = at + length;
        self.blanks();
        let target = self.at;
        self.word(End::Word)?;
        let digits = self.text.get(target..self.at).unwrap_or(&[]).iter().all(u8::is_ascii_digit);
        // Digits before an operator are its descriptor.
        if digits && matches!(self.peek(), b'<' | b'>') { None } else { Some(true) }
    }

    fn name(&mut self) {
        while is_name_byte(self.peek()) {
            self.at += 1;
        }
    }

    /// A word of at least one byte, up to its end.
    fn word(&mut self, end: End) -> Option<()> {
        let start = self.at;
        let mut parentheses = 0_u32;
        loop {
            let byte = self.peek();
            if is_ordinary(byte) {
                self.at += 1;
                continue;
            }
            match byte {
                b'\'' => self.single_quoted()?,
                b'"' => self.double_quoted()?,
                b'$' => self.dollar(false)?,
                b'\\' => match self.byte(self.at + 1) {
                    b'\n' | 0 => return None,
                    _ => self.at += 2,
                },
                b'`' | 0 => return None,
                b'}' if end == End::Brace => return Some(()),
                b'<' | b'>' if self.byte(self.at + 1) == b'(' => {
                    if end != End::Word || self.at > start {
                        return None;
                    }
                    self.at += 2;
                    self.nested(Self::possibly_empty_list)?;
                    self.take(b')')?;
                }
                b'?' | b'*' | b'+' | b'@' | b'!' => {
                    if self.byte(self.at + 1) == b'(' {
                        return None;
                    }
                    self.at += 1;
                }
                b'(' if end == End::Regex && parentheses < DEEPEST => {
                    parentheses += 1;
                    self.at += 1;
                }
                b')' if end == End::Regex && parentheses > 0 => {
                    parentheses -= 1;
                    self.at += 1;
                }
                b'|' if end == End::Regex => self.at += 1,
                _ if is_metacharacter(byte) && end != End::Brace => break,
                _ => self.at += 1,
            }
        }
        // `{name}>` is a descriptor, `word(` a definition or an error.
        let descriptor = self.byte(start) == b'{'
            && self.byte(self.at.wrapping_sub(1)) == b'}'
            && matches!(self.peek(), b'<' | b'>');
        let open = parentheses > 0 || self.peek() == b'(';
        (self.at > start && !descriptor && !open).then_some(())
    }

    fn single_quoted(&mut self) -> Option<()> {
        let rest = self.text.get(self.at + 1..)?;
        self.at += memchr::memchr(b'\'', rest)? + 2;
        Some(())
    }

    /// `"..."`
    fn double_quoted(&mut self) -> Option<()> {
        self.nested(|this| {
            this.at += 1;
            loop {
                let rest = this.text.get(this.at..)?;
                this.at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'))?;
                match this.peek() {
                    b'"' => {
                        this.at += 1;
                        return Some(());
                    }
                    b'\\' => this.at += 2,
                    b'$' => this.dollar(true)?,
                    _ => return None,
                }
            }
        })
    }

    /// `$` and what belongs to it; `quoted`: in double quotes.
    fn dollar(&mut self, quoted: bool) -> Option<()> {
        let second = self.byte(self.at + 1);
        self.at += 1;
        match second {
            b'{' => self.nested(|this| this.braced(quoted)),
            b'(' => self.nested(Self::substitution),
            b'\'' if !quoted => self.ansi_quoted(),
            b'"' if !quoted => self.double_quoted(),
            b'[' => None,
            b'\\' if self.byte(self.at + 1) == b'\n' => None,
            _ if is_name_start(second) => {
                self.name();
                Some(())
            }
            _ => {
                self.at += usize::from(is_special_parameter(second) || second.is_ascii_digit());
                Some(())
            }
        }
    }

    /// `$'...'`; the cursor is on the quote.
    fn ansi_quoted(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..)?;
            self.at += memchr::memchr2(b'\'', b'\\', rest)?;
            if self.peek() == b'\'' {
                self.at += 1;
                return Some(());
            }
            self.at += 2;
        }
    }

    /// `$( list )` or `$(( expression ))`; the cursor is on the parenthesis.
    fn substitution(&mut self) -> Option<()> {
        self.at += 1;
        if self.peek() == b'(' {
            self.at += 1;
            self.arithmetic()?;
        } else {
            self.possibly_empty_list()?;
        }
        self.take(b')')
    }

    /// Arithmetic up to the first of the two parentheses that close it, which is taken.
    fn arithmetic(&mut self) -> Option<()> {
        self.arithmetic_until(b')')?;
        // One parenthesis alone: it was a command in parentheses.
        (self.peek() == b')').then_some(())
    }

    /// Arithmetic up to `end` outside parentheses, which is taken.
    fn arithmetic_until(&mut self, end: u8) -> Option<()> {
        let mut open = 0_u32;
        loop {
            let byte = self.peek();
            match byte {
                _ if open == 0 && byte == end => {
                    self.at += 1;
                    return Some(());
                }
                b'(' => {
                    open += 1;
                    self.at += 1;
                }
                b')' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                b'$' => self.dollar(true)?,
                b'\'' | b'"' | b'\\' | b'`' | b';' | 0 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// `${...}`; the cursor is on the brace.
    fn braced(&mut self, quoted: bool) -> Option<()> {
        self.at += 1;
        let sigil = self.peek();
        if matches!(sigil, b'#' | b'!') && self.byte(self.at + 1) != b'}' {
            let next = self.byte(self.at + 1);
            if !is_name_byte(next) && !matches!(next, b'@' | b'*') {
                return None;
            }
            self.at += 1;
        }
        self.parameter()?;
        if self.peek() == b'}' {
            self.at += 1;
            return Some(());
        }
        if sigil == b'#' {
            return None;
        }
        self.operation(quoted)?;
        self.take(b'}')
    }

    fn parameter(&mut self) -> Option<()> {
        let byte = self.peek();
        if is_name_start(byte) {
            self.name();
            if self.peek() == b'[' {
                self.subscript()?;
            }
        } else if byte.is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.at += 1;
            }
        } else if is_special_parameter(byte) {
            self.at += 1;
        } else {
            return None;
        }
        Some(())
    }

    fn operation(&mut self, quoted: bool) -> Option<()> {
        match (self.peek(), self.byte(self.at + 1)) {
            (b':', b'-' | b'=' | b'?' | b'+') => {
                self.at += 2;
                self.default_word(quoted)
            }
            (b'-' | b'=' | b'?' | b'+', _) => {
                self.at += 1;
                self.default_word(quoted)
            }
            (b':', _) => self.substring(),
            (b'#' | b'%' | b'/' | b'^' | b',', _) => {
                self.at += 1;
                self.brace_word()
            }
            (b'@', b'Q' | b'E' | b'P' | b'A' | b'K' | b'a' | b'k' | b'u' | b'U' | b'L') => {
                self.at += 2;
                Some(())
            }
            (b'@' | b'*', b'}') => {
                self.at += 1;
                Some(())
            }
            _ => None,
        }
    }

    /// An unquoted word up to the brace; may be empty.
    fn brace_word(&mut self) -> Option<()> {
        if self.peek() == b'}' { Some(()) } else { self.word(End::Brace) }
    }

    fn default_word(&mut self, quoted: bool) -> Option<()> {
        if !quoted {
            return self.brace_word();
        }
        loop {
            match self.peek() {
                b'}' => return Some(()),
                b'"' => self.double_quoted()?,
                b'$' => self.dollar(true)?,
                b'\\' => self.at += 2,
                // Single quotes pair in some modes only.
                b'\'' | b'`' | 0 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// `:offset:length` of numbers, names and simple operators.
    fn substring(&mut self) -> Option<()> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                b'$' => self.dollar(true)?,
                b' ' | b'+' | b'-' | b'*' | b'#' | b':' => self.at += 1,
                byte if is_name_byte(byte) => self.at += 1,
                b'}' if self.at > start => return Some(()),
                _ => return None,
            }
        }
    }
}
