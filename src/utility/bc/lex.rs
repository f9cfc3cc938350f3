//! The tokens of `bc`.

use crate::memory::{Vec, format};
use crate::text::Text;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(Text),
    Name(Text),
    Word(&'static str),
    String(Text),
    /// An operator, or punctuation.
    Sign(&'static str),
    Newline,
    End,
}

const WORDS: &[&str] = &[
    "auto", "break", "continue", "define", "else", "for", "halt", "ibase", "if", "last", "length", "limits",
    "obase", "print", "quit", "read", "return", "scale", "sqrt", "void", "warranty", "while",
];

/// The longer ones first.
const SIGNS: &[&str] = &[
    "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "==", "<=", ">=", "!=", "&&", "||", "+", "-", "*", "/",
    "%", "^", "=", "<", ">", "!", "(", ")", "[", "]", "{", "}", ",", ";", "&",
];

/// Cuts a text into tokens, each with the line that is reached after it. What is not a token is the
/// error; in POSIX's language `#` is not.
pub(super) fn tokens(
    text: &[u8],
    mut line: u64,
    is_standard: bool,
) -> Result<Vec<(Token, u64)>, (crate::memory::String, u64)> {
    let mut out: Vec<(Token, u64)> = Vec::new();
    let mut at = 0;
    let byte_at = |at: usize| text.get(at).copied();
    while let Some(byte) = byte_at(at) {
        let rest = text.get(at..).unwrap_or(&[]);
        match byte {
            b' ' | b'\t' | b'\r' | 11 | 12 => at += 1,
            b'\\' if byte_at(at + 1) == Some(b'\n') => {
                at += 2;
                line += 1;
            }
            b'\n' => {
                at += 1;
                line += 1;
                out.push((Token::Newline, line));
            }
            b'#' if !is_standard => {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            }
            b'/' if byte_at(at + 1) == Some(b'*') => {
                let end = rest.get(2..).and_then(|rest| rest.windows(2).position(|pair| pair == b"*/"));
                let end = end.map_or(rest.len(), |end| end + 4);
                line += rest.iter().take(end).filter(|&&byte| byte == b'\n').count() as u64;
                at += end;
            }
            b'"' => {
                let end =
                    rest.iter().skip(1).position(|&byte| byte == b'"').map_or(rest.len(), |end| end + 1);
                let inside = rest.get(1..end).unwrap_or(&[]);
                line += memchr::memchr_iter(b'\n', inside).count() as u64;
                out.push((Token::String(Text::from(inside)), line));
                at += end + 1;
            }
            b'0'..=b'9' | b'A'..=b'F' | b'.' => {
                let mut digits: Vec<u8> = Vec::new();
                let mut has_point = false;
                loop {
                    match byte_at(at) {
                        Some(byte @ (b'0'..=b'9' | b'A'..=b'F')) => digits.push(byte),
                        Some(b'.') if !has_point => {
                            has_point = true;
                            digits.push(b'.');
                        }
                        Some(b'\\') if byte_at(at + 1) == Some(b'\n') => {
                            at += 1;
                            line += 1;
                        }
                        _ => break,
                    }
                    at += 1;
                }
                let token = if digits.as_slice() == b"." {
                    Token::Word("last")
                } else {
                    Token::Number(Text::from(digits))
                };
                out.push((token, line));
            }
            b'a'..=b'z' => {
                let end = rest
                    .iter()
                    .position(|byte| !(byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'_'));
                let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
                at += name.len();
                let word = WORDS.iter().find(|word| word.as_bytes() == name);
                out.push((
                    word.map_or_else(|| Token::Name(Text::from(name)), |word| Token::Word(word)),
                    line,
                ));
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(sign.as_bytes())) {
                Some(sign) => {
                    at += sign.len();
                    out.push((Token::Sign(sign), line));
                }
                None if byte.is_ascii_graphic() => {
                    return Err((format!("illegal character: {}", char::from(byte)), line));
                }
                None => return Err((format!("illegal character: \\{byte:03o}"), line)),
            },
        }
    }
    Ok(out)
}

/// Whether a text ends in the middle of a block, a comment, a string or a line that goes on.
pub(super) fn is_open(text: &[u8]) -> bool {
    let mut depth = 0_i64;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or(&[]);
        let skip = match byte {
            b'"' => match rest.iter().skip(1).position(|&byte| byte == b'"') {
                Some(end) => end + 2,
                None => return true,
            },
            b'/' if rest.starts_with(b"/*") => {
                match rest.get(2..).and_then(|rest| rest.windows(2).position(|pair| pair == b"*/")) {
                    Some(end) => end + 4,
                    None => return true,
                }
            }
            b'#' => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
            b'\\' if rest == b"\\\n" => return true,
            b'{' | b'(' => {
                depth += 1;
                1
            }
            b'}' | b')' => {
                depth -= 1;
                1
            }
            _ => 1,
        };
        at += skip;
    }
    depth > 0
}
