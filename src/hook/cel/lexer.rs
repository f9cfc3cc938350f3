//! Text → tokens: names, numbers, strings (plain, raw, triple-quoted, of bytes) and punctuation, by CEL's lexical rules.

/// A token and the byte where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) at: usize,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Also `true`, `in` and the like.
    Name(String),
    /// Without its sign.
    Integer(u64),
    /// With the suffix `u`.
    Unsigned(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
    Punctuation(&'static str),
    End,
}

/// Longer ones first.
const PUNCTUATION: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")", "[", "]",
    "{", "}", ".", ",",
];

/// `line:column: message`, both from 1.
pub(super) fn fault(source: &str, at: usize, message: &str) -> String {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&character| character != '\n').count() + 1;
    format!("{line}:{column}: {message}")
}

pub(super) fn tokens(source: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer { source, at: 0 };
    let mut all = Vec::new();
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let kind = lexer.token().map_err(|message| fault(source, at, &message))?;
        let end = kind == TokenKind::End;
        all.push(Token { kind, at });
        if end {
            return Ok(all);
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']).len();
            if !self.rest().starts_with("//") {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'s str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|&byte| wanted(byte)).count();
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    fn token(&mut self) -> Result<TokenKind, String> {
        let Some(first) = self.rest().chars().next() else { return Ok(TokenKind::End) };
        if let Some(string) = self.string()? {
            return Ok(string);
        }
        let digit_next = self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || (first == '.' && digit_next) {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            return Ok(TokenKind::Name(name.to_owned()));
        }
        let known = PUNCTUATION.into_iter().find(|mark| self.rest().starts_with(mark));
        let Some(mark) = known else { return Err(format!("unexpected character {first:?}")) };
        self.at += mark.len();
        Ok(TokenKind::Punctuation(mark))
    }

    fn number(&mut self) -> Result<TokenKind, String> {
        let bad = |text: &str| format!("invalid number `{text}`");
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            self.at += 2;
            let digits = self.take_while(|byte| byte.is_ascii_hexdigit());
            let value = u64::from_str_radix(digits, 16).map_err(|_| bad(digits))?;
            return Ok(self.integer(value));
        }
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        let mut whole = true;
        let next = self.rest().as_bytes();
        if next.first() == Some(&b'.') && next.get(1).is_some_and(u8::is_ascii_digit) {
            whole = false;
            self.at += 1;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            let mark = self.at;
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            if self.take_while(|byte| byte.is_ascii_digit()).is_empty() {
                self.at = mark;
            } else {
                whole = false;
            }
        }
        let text = self.source.get(start..self.at).unwrap_or("");
        if whole {
            let value = text.parse().map_err(|_| bad(text))?;
            return Ok(self.integer(value));
        }
        text.parse().map(TokenKind::Double).map_err(|_| bad(text))
    }

    fn integer(&mut self, value: u64) -> TokenKind {
        if self.rest().starts_with(['u', 'U']) {
            self.at += 1;
            return TokenKind::Unsigned(value);
        }
        TokenKind::Integer(value)
    }

    /// A string at this place, if there is one.
    fn string(&mut self) -> Result<Option<TokenKind>, String> {
        let rest = self.rest().as_bytes();
        let letters = rest.iter().take(2).take_while(|byte| b"rRbB".contains(byte)).count();
        let prefix = rest.get(..letters).unwrap_or_default();
        let Some(&quote @ (b'"' | b'\'')) = rest.get(letters) else { return Ok(None) };
        let raw = prefix.iter().any(|byte| b"rR".contains(byte));
        let bytes = prefix.iter().any(|byte| b"bB".contains(byte));
        if letters == 2 && !(raw && bytes) {
            return Ok(None);
        }
        let triple = rest.get(letters..letters + 3) == Some(&[quote; 3]);
        self.at += letters + if triple { 3 } else { 1 };
        let content = self.content(quote, triple, raw, bytes)?;
        if bytes {
            return Ok(Some(TokenKind::Bytes(content)));
        }
        let text = String::from_utf8(content).map_err(|_| "the string is not valid UTF-8".to_owned())?;
        Ok(Some(TokenKind::String(text)))
    }

    /// Up to and with the closing quotes.
    fn content(&mut self, quote: u8, triple: bool, raw: bool, bytes: bool) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        loop {
            let rest = self.rest().as_bytes();
            let Some(&byte) = rest.first() else { return Err("the string is not closed".to_owned()) };
            if byte == quote && (!triple || rest.get(..3) == Some(&[quote; 3])) {
                self.at += if triple { 3 } else { 1 };
                return Ok(content);
            }
            match byte {
                b'\n' | b'\r' if !triple => return Err("the string is not closed".to_owned()),
                b'\\' if raw => {
                    // The byte after it cannot close the string; both stay.
                    let length = 1 + self.rest().chars().nth(1).map_or(0, char::len_utf8);
                    content.extend_from_slice(rest.get(..length).unwrap_or(rest));
                    self.at += length;
                }
                b'\\' => {
                    self.at += 1;
                    self.escape(&mut content, bytes)?;
                }
                _ => {
                    content.push(byte);
                    self.at += 1;
                    // Only whole characters start a turn of this loop.
                    while !self.source.is_char_boundary(self.at) {
                        content.extend(self.source.as_bytes().get(self.at));
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn escape(&mut self, content: &mut Vec<u8>, bytes: bool) -> Result<(), String> {
        let invalid = || "invalid escape sequence".to_owned();
        let letter = self.rest().chars().next().ok_or_else(invalid)?;
        let simple = match letter {
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' => b'\\',
            '?' => b'?',
            '"' => b'"',
            '\'' => b'\'',
            '`' => b'`',
            _ => 0,
        };
        if simple != 0 {
            self.at += 1;
            content.push(simple);
            return Ok(());
        }
        let (skipped, length, radix) = match letter {
            'x' | 'X' => (1, 2, 16),
            'u' if !bytes => (1, 4, 16),
            'U' if !bytes => (1, 8, 16),
            '0'..='3' => (0, 3, 8),
            _ => return Err(invalid()),
        };
        self.at += skipped;
        let digits = self.rest().get(..length).ok_or_else(invalid)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(invalid());
        }
        let code = u32::from_str_radix(digits, radix).map_err(|_| invalid())?;
        self.at += length;
        if bytes {
            content.push(u8::try_from(code).map_err(|_| invalid())?);
            return Ok(());
        }
        let character = char::from_u32(code).ok_or_else(invalid)?;
        content.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }
}
