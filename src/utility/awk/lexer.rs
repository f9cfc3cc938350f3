//! Tokens of a program. A `/` is a division; where an operand may stand, the parser asks for a regular expression.

use super::error::Notice;
use super::op::Function;
use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::format::escape::{Escape, Escapes};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(Vec<u8>),
    Name(Vec<u8>),
    /// A name with `(` right after it.
    Call(Vec<u8>),
    Function(Function),
    Keyword(&'static str),
    Sign(&'static str),
    Newline,
    End,
    /// A byte that begins nothing, or an open string.
    Wrong,
}

const KEYWORDS: &[&str] = &[
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "function",
    "func",
    "if",
    "else",
    "while",
    "for",
    "do",
    "break",
    "continue",
    "next",
    "nextfile",
    "exit",
    "return",
    "delete",
    "in",
    "getline",
    "print",
    "printf",
    "switch",
    "case",
    "default",
];

/// Longest first.
const SIGNS: &[&str] = &[
    "**=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "==", "<=", ">=", "!=", "!~",
    ">>", "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|",
    "?", ":", "~", "$", "=",
];

/// Reads tokens one by one.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) text: Vec<u8>,
    pub(super) at: usize,
    /// Where the last token began.
    pub(super) start: usize,
    /// Where the one before it began.
    pub(super) previous: usize,
    /// The line of the last token, from 1.
    pub(super) line: u32,
    next_line: u32,
    /// What is told before an error that ends the reading.
    pub(super) notices: Vec<Notice>,
}

impl Lexer {
    pub(super) fn new(text: Vec<u8>) -> Self {
        Self { text, at: 0, start: 0, previous: 0, line: 1, next_line: 1, notices: Vec::new() }
    }

    /// Reads on from a token that was read before.
    pub(super) fn go_back(&mut self, at: usize, start: usize, line: u32) {
        let ends = memchr::memchr_iter(b'\n', self.text.get(at..self.at).unwrap_or(&[])).count();
        self.next_line = self.next_line.saturating_sub(ends as u32);
        (self.at, self.start, self.line) = (at, start, line);
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take_while(&mut self, is_wanted: impl Fn(u8) -> bool) -> Vec<u8> {
        let start = self.at;
        while self.peek().is_some_and(&is_wanted) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or(&[]).to_metered()
    }

    pub(super) fn next(&mut self) -> Token {
        self.skip_blanks();
        self.previous = std::mem::replace(&mut self.start, self.at);
        self.line = self.next_line;
        let Some(byte) = self.peek() else { return Token::End };
        match byte {
            // A comment, to which the newline belongs, is a newline, also where the text ends in it.
            b'#' => {
                self.take_while(|byte| byte != b'\n');
                if self.peek().is_some() {
                    self.at += 1;
                    self.next_line += 1;
                }
                Token::Newline
            }
            b'\n' => {
                self.at += 1;
                self.next_line += 1;
                Token::Newline
            }
            b'"' => {
                let token = self.string();
                if token == Token::Wrong {
                    // A string that is not closed is told where it ends.
                    self.line = self.next_line;
                }
                token
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit) => self.number(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
            _ => {
                let rest = self.text.get(self.at..).unwrap_or(&[]);
                match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
                    Some(sign) => {
                        self.at += sign.len();
                        Token::Sign(match *sign {
                            "**" => "^",
                            "**=" => "^=",
                            sign => sign,
                        })
                    }
                    None => Token::Wrong,
                }
            }
        }
    }

    /// Blanks, and a backslash before a newline.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.text.get(self.at + 1) == Some(&b'\n') => {
                    self.at += 2;
                    self.next_line += 1;
                }
                Some(b'\\') if self.at + 1 == self.text.len() => {
                    self.at += 1;
                    self.next_line += 1;
                }
                Some(b'\\') if self.text.get(self.at + 1..self.at + 3) == Some(b"\r\n") => {
                    self.at += 3;
                    self.next_line += 1;
                }
                _ => return,
            }
        }
    }

    fn number(&mut self) -> Token {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        if let [b'0', b'x' | b'X', digits @ ..] = rest {
            let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if count > 0 {
                let value = digits.iter().take(count).fold(0.0, |sum, &digit| {
                    sum * 16.0 + f64::from(char::from(digit).to_digit(16).unwrap_or(0))
                });
                self.at += 2 + count;
                return Token::Number(value);
            }
        }
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.text.get(self.at + 1), Some(b'+' | b'-')));
            if self.text.get(self.at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                self.at += 1 + sign;
                self.take_while(|byte| byte.is_ascii_digit());
            }
        }
        let digits = self.text.get(start..self.at).unwrap_or(&[]);
        if digits.len() > 1
            && digits.first() == Some(&b'0')
            && digits.iter().all(|byte| matches!(byte, b'0'..=b'7'))
        {
            return Token::Number(digits.iter().fold(0.0, |sum, digit| sum * 8.0 + f64::from(digit - b'0')));
        }
        Token::Number(super::number::to_number(digits))
    }

    fn word(&mut self) -> Token {
        let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if let Some(keyword) = KEYWORDS.iter().find(|keyword| keyword.as_bytes() == word) {
            return Token::Keyword(if *keyword == "func" { "function" } else { keyword });
        }
        if let Some(function) = Function::named(&word) {
            return Token::Function(function);
        }
        if self.peek() == Some(b'(') { Token::Call(word) } else { Token::Name(word) }
    }

    fn string(&mut self) -> Token {
        self.at += 1;
        let mut text = Vec::new();
        let mut unknown = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return Token::Wrong };
            self.at += 1;
            match byte {
                b'"' => {
                    // Only a string that is closed is looked through.
                    for byte in unknown {
                        self.warn_of_escape(byte);
                    }
                    return Token::Text(text);
                }
                b'\n' => {
                    self.at -= 1;
                    return Token::Wrong;
                }
                b'\\' => {
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                        self.next_line += 1;
                        continue;
                    }
                    let rest = self.text.get(self.at..).unwrap_or(&[]);
                    let Some((escaped, length)) = escape(rest) else {
                        let Some(&byte) = rest.first() else {
                            self.next_line += 1;
                            return Token::Wrong;
                        };
                        unknown.push(byte);
                        text.push(byte);
                        self.at += 1;
                        continue;
                    };
                    text.push(escaped);
                    self.at += length;
                }
                _ => text.push(byte),
            }
        }
    }

    fn warn_of_escape(&mut self, byte: u8) {
        let message = escape_warning(byte);
        if byte == b'x' || !self.notices.iter().any(|known| known.text == message) {
            self.warn(message);
        }
    }

    /// Tells something that does not matter.
    pub(super) fn warn(&mut self, text: String) {
        self.notices.push(Notice { line: self.line, text, is_error: false });
    }

    /// Tells something that is wrong, and no reason not to read on.
    pub(super) fn tell(&mut self, text: String) {
        self.notices.push(Notice { line: self.line, text, is_error: true });
    }

    /// The source of a regular expression whose opening `/` was the last token; `None`: it has no end.
    pub(super) fn regex(&mut self) -> Option<Vec<u8>> {
        self.at = self.start + 1;
        let mut text = Vec::new();
        let mut bracket: Option<usize> = None;
        loop {
            let byte = self.peek().filter(|&byte| byte != b'\n')?;
            self.at += 1;
            match byte {
                b'/' if bracket.is_none() => return Some(text),
                b'\\' => {
                    let escaped = self.peek().filter(|&byte| byte != b'\n')?;
                    self.at += 1;
                    if escaped != b'/' {
                        text.push(byte);
                    }
                    text.push(escaped);
                    continue;
                }
                b'[' if bracket.is_none() => {
                    let negated = usize::from(self.peek() == Some(b'^'));
                    bracket = Some(self.at + negated);
                }
                b'[' if matches!(self.peek(), Some(b':' | b'.' | b'=')) => {
                    let rest = self.text.get(self.at..).unwrap_or(&[]);
                    if let Some(end) = rest.iter().skip(1).position(|&byte| byte == b']') {
                        text.push(byte);
                        text.extend_from_slice(rest.get(..end + 2).unwrap_or(&[]));
                        self.at += end + 2;
                        continue;
                    }
                }
                b']' if bracket.is_some_and(|first| self.at - 1 > first) => bracket = None,
                _ => {}
            }
            text.push(byte);
        }
    }
}

/// Whether a word means something in the language.
pub(super) fn is_reserved(word: &[u8]) -> bool {
    KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word) || Function::named(word).is_some()
}

/// What gawk says of `break` and `continue` where there is no loop.
pub(super) fn outside_loop(keyword: &str) -> &'static str {
    match keyword {
        "break" => "`break' is not allowed outside a loop or switch",
        _ => "`continue' is not allowed outside a loop",
    }
}

/// What gawk says of a backslash before a character that it does not escape.
pub(super) fn escape_warning(byte: u8) -> String {
    if byte == b'x' {
        return "warning: no hex digits in `\\x' escape sequence".to_metered();
    }
    let shown = char::from(byte);
    format!("warning: escape sequence `\\{shown}' treated as plain `{shown}'")
}

/// Bytes that mean something after a backslash in a regular expression, besides letters of [`escape`].
const REGEX_ESCAPES: &[u8] = b"$'()*+-./0123456789<>?BSW[\\]^`abfnrstvwxy{|}";

/// The bytes after a backslash in a regular expression that mean nothing there, each once.
pub(super) fn unknown_escapes(source: &[u8], warned: &mut Vec<u8>) -> Vec<u8> {
    let mut unknown = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', source.get(at..).unwrap_or(&[])) {
        if let Some(&byte) = source.get(at + found + 1)
            && (byte.is_ascii_graphic() || byte == b' ')
            && !REGEX_ESCAPES.contains(&byte)
            && !warned.contains(&byte)
        {
            warned.push(byte);
            unknown.push(byte);
        }
        at += found + 2;
    }
    unknown
}

/// What gawk says of such a byte.
pub(super) fn regex_escape_warning(byte: u8) -> String {
    let shown = char::from(byte);
    format!("warning: regexp escape sequence `\\{shown}' is not a known regexp operator")
}

/// The byte that an escape stands for, and its length without the backslash.
pub(super) fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    match Escapes::AWK.read(rest) {
        (Escape::Byte(byte), length) => Some((byte, length)),
        _ => None,
    }
}
