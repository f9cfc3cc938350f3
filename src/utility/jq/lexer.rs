//! The tokens of a filter. Strings are read by the parser, because they hold filters themselves.
use crate::memory::{String, ToMeteredString, format};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// A name, perhaps with `module::` parts, or a keyword.
    Name(&'t str),
    /// `.name`
    Field(&'t str),
    /// A number.
    Number(&'t str),
    /// `$name`
    Binding(&'t str),
    /// `@name`
    Format(&'t str),
    /// The opening quote of a string.
    Quote,
    /// An operator or a single character.
    Sign(&'t str),
    /// A character that starts no token.
    Invalid,
    /// The end of the text.
    End,
}

const KEYWORDS: [&str; 18] = [
    "as", "import", "include", "module", "def", "if", "then", "else", "elif", "end", "and", "or", "reduce",
    "foreach", "try", "catch", "label", "break",
];

/// Whether `name` is reserved.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

impl Token<'_> {
    /// The name by which jq's parser calls the token in a syntax error.
    pub(crate) fn described(&self) -> String {
        match self {
            Token::Name(name) if is_keyword(name) => (*name).to_metered_string(),
            Token::Name(_) => "IDENT".into(),
            Token::Field(_) => "FIELD".into(),
            Token::Number(_) => "LITERAL".into(),
            Token::Binding("__loc__") => "$__loc__".into(),
            Token::Binding(_) => "BINDING".into(),
            Token::Format(_) => "FORMAT".into(),
            Token::Quote => "QQSTRING_START".into(),
            Token::Sign(sign) if sign.len() == 1 => format!("'{sign}'"),
            Token::Sign(sign) => (*sign).to_metered_string(),
            Token::Invalid => "INVALID_CHARACTER".into(),
            Token::End => "end of file".into(),
        }
    }
}

const SIGNS: [&str; 35] = [
    "?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "..", ".", "[", "]", "{",
    "}", "(", ")", "|", ",", ":", ";", "=", "<", ">", "+", "-", "*", "/", "%", "$", "?",
];

/// Reads the token at `at` of `text` or after space and comments; returns it with its start and its end.
pub(crate) fn token(text: &str, at: usize) -> (Token<'_>, usize, usize) {
    let start = skip_space(text.as_bytes(), at);
    let rest = text.get(start..).unwrap_or_default();
    let bytes = rest.as_bytes();
    let make = |token, length: usize| (token, start, start + length);
    let piece = |from: usize, to: usize| rest.get(from..to).unwrap_or_default();
    match bytes.first() {
        None => make(Token::End, 0),
        Some(b'"') => make(Token::Quote, 1),
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
            let length = name_length(bytes);
            make(Token::Name(piece(0, length)), length)
        }
        Some(b'.') if bytes.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') => {
            let length = 1 + bytes.iter().skip(1).take_while(|byte| is_word(**byte)).count();
            make(Token::Field(piece(1, length)), length)
        }
        Some(b'$') if bytes.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') => {
            let length = 1 + name_length(bytes.get(1..).unwrap_or_default());
            make(Token::Binding(piece(1, length)), length)
        }
        Some(b'@') => {
            let length = 1 + bytes.iter().skip(1).take_while(|byte| is_word(**byte)).count();
            if length == 1 { make(Token::Invalid, 1) } else { make(Token::Format(piece(0, length)), length) }
        }
        Some(b'0'..=b'9' | b'.') if number_length(bytes) > 0 => {
            let length = number_length(bytes);
            make(Token::Number(piece(0, length)), length)
        }
        Some(_) => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => make(Token::Sign(sign), sign.len()),
            // It is the first byte that is wrong.
            None => make(Token::Invalid, 1),
        },
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at = skip_comment(bytes, at),
            _ => break,
        }
    }
    at
}

/// The place of the last piece of a text that ends after the token at `last`: this token, the last run of blanks, or the
/// last character of a comment.
pub(super) fn last_piece(text: &str, last: (usize, usize)) -> (usize, usize) {
    let bytes = text.as_bytes();
    let (mut piece, mut at) = (last, last.1);
    while let Some(byte) = bytes.get(at) {
        let start = at;
        if *byte == b'#' {
            at = skip_comment(bytes, at);
            let ends = bytes.get(at) == Some(&b'\n');
            piece = if ends { (at, at + 1) } else { (at.saturating_sub(1), at) };
            at += usize::from(ends);
        } else {
            let rest = bytes.get(at..).unwrap_or_default();
            at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count().max(1);
            piece = (start, at);
        }
    }
    piece
}

/// The place after the comment at `at`. A backslash takes a backslash or a line break after it into the comment.
fn skip_comment(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at..).unwrap_or_default() {
            [] | [b'\n', ..] => return at,
            [b'\\', b'\r', b'\n', ..] => at += 3,
            [b'\\', b'\\' | b'\n', ..] => at += 2,
            _ => at += 1,
        }
    }
}

fn name_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at += rest.iter().take_while(|byte| is_word(**byte)).count();
        let next = bytes.get(at..).unwrap_or_default();
        let goes_on = next.starts_with(b"::")
            && next.get(2).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        if !goes_on {
            return at;
        }
        at += 2;
    }
}

/// Length of `[0-9]+(.[0-9]*)?` or `.[0-9]+`, with an exponent; 0 if there is none.
fn number_length(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut length = whole;
    if bytes.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        if whole == 0 && fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}
