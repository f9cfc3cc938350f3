//! Finds where a function's body ends without building its tree, so that a function that is never called costs next to
//! nothing: its body is parsed and compiled when it is called first, a long branch of `if` or `case` when it is taken first.
//! A script under `set -n`, or a hook's before its first run, is only looked through for errors. Libraries define more than a hook calls.
//!
//! The skimmer knows the common part of the grammar and nothing of the rest. What it accepts, the parser accepts too, with
//! the same end (`tests/skim.rs` compares them); at anything else (a syntax error, a here-document, a backquote, a function
//! inside, a line continuation inside a word, an extended pattern, an expansion that it does not know) it gives up and the
//! parser reads the body. One pass, no allocation, recursion bounded by [`DEEPEST`]. Simple commands are in `simple.rs`, words
//! in `word.rs`.

mod simple;
mod word;

use super::byte::{is_metacharacter, is_name_start};
use word::End;

/// How deep the brackets of a body may nest.
const DEEPEST: u32 = 40;

/// The parser counts at most so many levels for one of the skimmer's.
pub(super) const PARSER_LEVELS: u32 = 4;

/// Where the compound command that begins at `start` ends, with its redirections; `None`: the parser has to read it.
/// `depth`: how many levels the skimmer may go down.
pub(super) fn skim(text: &[u8], start: usize, depth: u32) -> Option<usize> {
    let mut skimmer = Skimmer { text, at: start, depth: depth.min(DEEPEST), changes_parser: false };
    skimmer.compound()?;
    let end = skimmer.at;
    // What stands after the body must not belong to it.
    skimmer.blanks();
    match skimmer.peek() {
        0 if skimmer.at >= text.len() => Some(end),
        b'\n' | b';' | b')' => Some(end),
        b'&' | b'|' if skimmer.byte(skimmer.at + 1) != b'>' => Some(end),
        _ => None,
    }
}

/// Whether a whole text is surely well formed.
pub(super) fn is_well_formed(text: &[u8], depth: u32) -> bool {
    let mut skimmer = Skimmer { text, at: 0, depth: depth.min(DEEPEST), changes_parser: false };
    loop {
        skimmer.newlines();
        if skimmer.at >= text.len() {
            return true;
        }
        if skimmer.and_or().is_none() {
            return false;
        }
        skimmer.blanks();
        match (skimmer.peek(), skimmer.byte(skimmer.at + 1)) {
            (b';', b';' | b'&') => return false,
            (b'\n' | b';', _) => skimmer.at += 1,
            (b'&', next) if next != b'>' => skimmer.at += 1,
            _ => return false,
        }
    }
}

/// A list that is shorter is parsed: that costs less than to come back to it.
const SHORTEST_LIST: usize = 256;

/// Where the list that begins at `start` ends, at the reserved word or `;;` after it; `None`: the parser has to read it,
/// or it is short, or what it runs may change how the commands after it are read.
pub(super) fn skim_list(text: &[u8], start: usize, depth: u32) -> Option<usize> {
    if ends_soon(text.get(start..start + SHORTEST_LIST)?) {
        return None;
    }
    let mut skimmer = Skimmer { text, at: start, depth: depth.min(DEEPEST), changes_parser: false };
    skimmer.list()?;
    (skimmer.list_ends() && !skimmer.changes_parser && skimmer.at - start >= SHORTEST_LIST)
        .then_some(skimmer.at)
}

/// A guess by the first and last letters of lines, so that few short lists are skimmed in vain.
fn ends_soon(head: &[u8]) -> bool {
    let mut inner = 0_u32;
    for (number, line) in head.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii_start();
        let first = line.get(..5).unwrap_or(line);
        if first.starts_with(b"if ") || first == b"case " {
            inner += u32::from(!line.ends_with(b"fi") && !line.ends_with(b"esac"));
        } else if first.starts_with(b"fi") || first.starts_with(b"esac") {
            if inner == 0 {
                return true;
            }
            inner -= 1;
        } else if inner == 0 {
            let on_this_line = |end: &[u8]| number == 0 && line.windows(end.len()).any(|text| text == end);
            if line.ends_with(b";;")
                || on_this_line(b";;")
                || on_this_line(b" fi")
                || first.starts_with(b"else")
                || first.starts_with(b"elif")
            {
                return true;
            }
        }
    }
    false
}

struct Skimmer<'a> {
    text: &'a [u8],
    at: usize,
    /// Levels that are left.
    depth: u32,
    /// A command was seen that may change aliases, or options that the parser looks at.
    changes_parser: bool,
}

/// Commands that may change aliases, or options that the parser looks at.
pub(crate) fn changes_parser(word: &[u8]) -> bool {
    matches!(word, b"alias" | b"unalias" | b"shopt" | b"set" | b"eval" | b"." | b"source")
}

/// Builtins whose arguments may be assignments.
fn takes_assignments(word: &[u8]) -> bool {
    matches!(word, b"declare" | b"typeset" | b"local" | b"export" | b"readonly")
}

impl Skimmer<'_> {
    /// The byte at `at`; 0 after the end (a NUL in the text gives up, too).
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
        // A process substitution is part of a word.
        if matches!(rest.get(length..length + 2), Some(b"<(" | b">(")) {
            return &[];
        }
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
            // A letter that is not an operator is a word; then one must follow. The parser knows.
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
}
