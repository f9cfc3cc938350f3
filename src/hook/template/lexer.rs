//! Cuts a template into literal texts and actions, and an action into words.

/// A literal text, or the words of an action.
#[derive(Debug)]
pub(super) enum Part<'t> {
    Text(&'t str),
    Action(Vec<Token>),
}

/// A word of an action.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name: a keyword or a function.
    Word(String),
    /// `.`, or a chain of fields as `.ToolInput.cmd`.
    Field(Vec<String>),
    /// `$`, `$x`, with the fields after it.
    Variable(String, Vec<String>),
    Text(String),
    Integer(i64),
    Float(f64),
    Pipe,
    Open,
    /// With the fields after it, as in `(index .ToolInput "a").b`.
    Close(Vec<String>),
    Comma,
    Declare,
    Assign,
    /// A blank, kept only to tell `.a .b` from `.a.b`.
    Blank,
}

/// The parts of a template, in order; empty literals are left out.
pub(super) fn parts(text: &str) -> Result<Vec<Part<'_>>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    let mut trims = false;
    loop {
        let (before, after) = match rest.split_once("{{") {
            Some((before, after)) => (before, Some(after)),
            None => (rest, None),
        };
        let mut literal = if trims { before.trim_start() } else { before };
        let Some(after) = after else {
            push(&mut parts, literal);
            return Ok(parts);
        };
        let mut inside = after;
        if let Some(trimmed) = after.strip_prefix('-').filter(|rest| rest.starts_with(is_blank)) {
            (literal, inside) = (literal.trim_end(), trimmed);
        }
        push(&mut parts, literal);
        let (action, left) = action_end(inside).ok_or("`{{` is not closed by `}}`")?;
        let kept = action.strip_suffix('-').filter(|rest| rest.ends_with(is_blank));
        trims = kept.is_some();
        let action = kept.unwrap_or(action).trim();
        if !(action.starts_with("/*") && action.ends_with("*/")) {
            parts.push(Part::Action(tokens(action)?));
        }
        rest = left;
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn push<'t>(parts: &mut Vec<Part<'t>>, text: &'t str) {
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
}

/// Splits at the `}}` that is in no quotes and no comment.
fn action_end(text: &str) -> Option<(&str, &str)> {
    let start = text.trim_start_matches(is_blank);
    if start.starts_with("/*") {
        let end = text.find("*/")?.checked_add(2)?;
        let close = text.get(end..)?.find("}}")?.checked_add(end)?;
        return Some((text.get(..close)?, text.get(close.checked_add(2)?..)?));
    }
    let mut quote = None;
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if character == '\\' => is_escaped = true,
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '`') => quote = Some(character),
            None if text.get(at..).is_some_and(|rest| rest.starts_with("}}")) => {
                return Some((text.get(..at)?, text.get(at.checked_add(2)?..)?));
            }
            None => {}
        }
    }
    None
}

/// The words of an action.
fn tokens(action: &str) -> Result<Vec<Token>, String> {
    let mut all = Vec::new();
    let mut rest = action;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        let (token, left) = match first {
            _ if is_blank(first) => (Token::Blank, rest.trim_start_matches(is_blank)),
            '|' => (Token::Pipe, after),
            ',' => (Token::Comma, after),
            '(' => (Token::Open, after),
            ')' => {
                let (path, left) = path(after)?;
                (Token::Close(path), left)
            }
            ':' if after.starts_with('=') => (Token::Declare, after.get(1..).unwrap_or("")),
            '=' => (Token::Assign, after),
            '"' => {
                let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let text = stream.next().and_then(Result::ok).ok_or("a text in quotes is malformed")?;
                (Token::Text(text), rest.get(stream.byte_offset()..).unwrap_or(""))
            }
            '`' => {
                let (text, left) = after.split_once('`').ok_or("a text in quotes is not closed")?;
                (Token::Text(text.to_owned()), left)
            }
            '$' => {
                let (name, left) = name(after);
                let (path, left) = path(left)?;
                (Token::Variable(name.to_owned(), path), left)
            }
            '.' if !after.starts_with(|next: char| next.is_ascii_digit()) => {
                let (path, left) = path(rest)?;
                if path.is_empty() { (Token::Field(path), after) } else { (Token::Field(path), left) }
            }
            _ if first.is_ascii_digit() || matches!(first, '.' | '+' | '-') => number(rest)?,
            _ => {
                let (name, left) = name(rest);
                if name.is_empty() {
                    return Err(format!("unexpected `{first}` in an action"));
                }
                (Token::Word(name.to_owned()), left)
            }
        };
        all.push(token);
        rest = left;
    }
    Ok(all)
}

/// Letters, digits and `_` at the start of a text.
fn name(text: &str) -> (&str, &str) {
    let end = text.find(|character: char| !(character.is_alphanumeric() || character == '_'));
    text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""))
}

/// `.a.b` at the start of a text.
fn path(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix('.') {
        let (name, left) = name(after);
        if name.is_empty() {
            let is_dot = names.is_empty() && (after.is_empty() || !after.starts_with('.'));
            return if is_dot { Ok((names, rest)) } else { Err("a field has no name".to_owned()) };
        }
        names.push(name.to_owned());
        rest = left;
    }
    Ok((names, rest))
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let is_part =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '+' | '-');
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    let (word, left) = text.split_at_checked(end).unwrap_or((text, ""));
    let plain = word.replace('_', "");
    let (negative, digits) = match plain.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let lower = digits.to_ascii_lowercase();
    let in_base = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(prefix, base)| {
        let digits = lower.strip_prefix(prefix)?;
        i64::from_str_radix(digits, base).ok()
    });
    let integer = in_base.or_else(|| digits.parse().ok());
    let token = match integer {
        Some(integer) => Token::Integer(if negative { integer.wrapping_neg() } else { integer }),
        None => match digits.parse::<f64>() {
            Ok(float)
                if float.is_finite()
                    && digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') =>
            {
                Token::Float(if negative { -float } else { float })
            }
            _ => return Err(format!("`{word}` is not a number")),
        },
    };
    Ok((token, left))
}
