//! Regular expressions of platforms that are written in Go: RE2's, rewritten for the linear-time engine.
//!
//! The two agree but for a few spellings: `\d`, `\s`, `\w` and `\b` mean ASCII in RE2, `\Q...\E` is literal text, `\123` is a
//! character by its octal number, `[` is an ordinary character inside a class unless it opens one like `[:alpha:]`, a class has
//! no operators such as `&&`, and a brace that counts nothing is an ordinary character.

use super::matcher::{Regex, RegexCompiler};
use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// Compiles an expression.
///
/// # Errors
/// Why it cannot be used, in a line.
pub(crate) fn compile(pattern: &str, compiler: &mut RegexCompiler) -> Result<Regex, String> {
    compiler.compile(&rewrite(pattern)?)
}

/// The expression in the engine's spelling.
pub(crate) fn rewrite(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut letters = pattern.chars().peekable();
    let mut in_class = false;
    let mut repetition = None;
    while let Some(letter) = letters.next() {
        let before = repetition.take();
        match letter {
            '*' | '+' | '?' if !in_class => {
                repetition = Some(repeated(letter, before)?);
                out.push(letter);
            }
            '{' if !in_class && is_count(letters.clone()) => {
                repetition = Some(repeated(letter, before)?);
                out.push(letter);
                // Up to its brace, which is there.
                while let Some(letter) = letters.next_if(|letter| *letter != '}') {
                    out.push(letter);
                }
                out.extend(letters.next());
            }
            '(' if !in_class => open_group(&mut letters, &mut out)?,
            '\\' if letters.next_if_eq(&'Q').is_some() => quoted(&mut letters, &mut out),
            '\\' => escape(&mut letters, in_class, &mut out)?,
            '[' if !in_class => {
                in_class = true;
                open_class(&mut letters, &mut out);
            }
            '[' if letters.peek() == Some(&':') => named_class(&mut letters, &mut out),
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '[' | '&' | '~' | '#' if in_class => out.extend(['\\', letter]),
            '-' if in_class && letters.peek() == Some(&'-') => out.push_str("\\-"),
            '{' if !in_class => out.push_str("\\{"),
            _ => out.push(letter),
        }
    }
    Ok(out)
}

/// What stands before a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repetition {
    Greedy,
    Lazy,
}

/// What a repetition is after another one: a question mark makes that one lazy. The engine would repeat what is repeated.
fn repeated(letter: char, before: Option<Repetition>) -> Result<Repetition, String> {
    match before {
        None => Ok(Repetition::Greedy),
        Some(Repetition::Greedy) if letter == '?' => Ok(Repetition::Lazy),
        Some(_) => Err(format!("invalid nested repetition operator: `{letter}`")),
    }
}

/// A group with what opens it; of the engine's flags RE2 has some.
fn open_group(letters: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('(');
    if letters.next_if_eq(&'?').is_none() {
        return Ok(());
    }
    let is_flag = |letter: &char| matches!(letter, 'i' | 'm' | 's' | 'U' | '-');
    out.push('?');
    while let Some(flag) = letters.next_if(is_flag) {
        out.push(flag);
    }
    match letters.peek() {
        None | Some(':' | ')' | 'P' | '<' | '=' | '!') => Ok(()),
        Some(other) => Err(format!("invalid or unsupported Perl syntax: `(?{other}`")),
    }
}

/// Text up to `\E`, or to the end.
fn quoted(letters: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(letter) = letters.next() {
        if letter == '\\' && letters.next_if_eq(&'E').is_some() {
            return;
        }
        append_literal(letter, out);
    }
}

fn append_literal(letter: char, out: &mut String) {
    if letter.is_ascii_punctuation() || letter.is_ascii_whitespace() {
        let _ = write!(out, "\\x{{{:x}}}", u32::from(letter));
    } else {
        out.push(letter);
    }
}

/// A bracket that comes first in a class is one of its characters.
fn open_class(letters: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    if letters.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    if letters.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
}

/// `[:alpha:]` inside a class; other text is what it is.
fn named_class(letters: &mut Peekable<Chars<'_>>, out: &mut String) {
    let name: String = letters.clone().skip(1).take_while(char::is_ascii_alphabetic).take(8).collect();
    let rest: String = letters.clone().skip(1).skip(name.len()).take(2).collect();
    if rest == ":]" && !name.is_empty() {
        let _ = write!(out, "[:{name}:]");
        letters.by_ref().take(name.len().saturating_add(3)).for_each(drop);
    } else {
        out.push_str("\\[");
    }
}

/// What follows a backslash.
fn escape(letters: &mut Peekable<Chars<'_>>, in_class: bool, out: &mut String) -> Result<(), String> {
    let Some(letter) = letters.next() else {
        return Err("trailing backslash at end of expression".to_owned());
    };
    match letter {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.push_str("[\\t\\n\\x0c\\r ]"),
        'S' => out.push_str("[^\\t\\n\\x0c\\r ]"),
        'b' if !in_class => out.push_str(r"(?-u:\b)"),
        'B' if !in_class => out.push_str(r"(?-u:\B)"),
        // What was quoted is over already.
        'E' => {}
        '0'..='7' => {
            let next = letters.peek().copied().filter(|digit| matches!(digit, '0'..='7'));
            if letter != '0' && next.is_none() {
                return Err(format!("invalid escape sequence: `\\{letter}`"));
            }
            let mut value = letter.to_digit(8).unwrap_or(0);
            for _ in 0..2 {
                let Some(digit) = letters.next_if(|digit| matches!(digit, '0'..='7')) else { break };
                value = value.saturating_mul(8).saturating_add(digit.to_digit(8).unwrap_or(0));
            }
            let _ = write!(out, "\\x{{{value:x}}}");
        }
        'A' | 'z' if !in_class => out.extend(['\\', letter]),
        'a' | 'f' | 't' | 'n' | 'r' | 'v' | 'x' | 'p' | 'P' => out.extend(['\\', letter]),
        letter if letter.is_ascii_punctuation() => append_literal(letter, out),
        letter => return Err(format!("invalid escape sequence: `\\{letter}`")),
    }
    Ok(())
}

/// Whether a brace opens a repetition.
fn is_count(letters: Peekable<Chars<'_>>) -> bool {
    let mut is_closed = false;
    let ends = |letter: &char| {
        is_closed = *letter == '}';
        !is_closed
    };
    let inside: String = letters.take(24).take_while(ends).collect();
    let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
    let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    is_closed && !low.is_empty() && is_number(low) && is_number(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_re2() {
        for (pattern, text, wanted) in [
            (r"^\Qa.b|c\E$", "a.b|c", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"\Q[x", "a[x", true),
            (r"^\w+$", "é", false),
            (r"^\W+$", "é", true),
            (r"^\d$", "٣", false),
            (r"^\s$", "\u{a0}", false),
            (r"^[\w.-]+$", "a.b-c_9", true),
            (r"^[^\s]+$", "a\u{a0}b", true),
            (r"\bexec\b", "éexec", true),
            (r"^[[a]+$", "[a", true),
            (r"^[]a]+$", "]a", true),
            (r"^[^]a]+$", "]", false),
            (r"^[[:alpha:]_]+$", "a_b", true),
            (r"^[a&&b]+$", "&", true),
            (r"^a{$", "a{", true),
            (r"^a{,2}$", "a{,2}", true),
            (r"^a{2}$", "aa", true),
            (r"^\<x\>$", "<x>", true),
            (r"^\101$", "A", true),
            (r"^\x41\x{42}$", "AB", true),
            (r"^(?P<n>a|b)\z", "b", true),
            (r"(?i)^EXEC$", "exec", true),
            ("^(read|write)_file$", "write_file", true),
            ("^a+?b*?c??d{1,2}?$", "abcdd", true),
            ("^(?:a)(?i-s:B)(?<n>c)[(?*+]$", "abc+", true),
        ] {
            let found = compile(pattern, &mut RegexCompiler::new(1 << 20)).map(|regex| regex.is_match(text));
            assert_eq!(found, Ok(wanted), "{pattern} {text}");
        }
        for pattern in [
            r"\u0041", r"\1", r"a\", r"(?=x)", r"\Z", "[a", "a++", "a*+", "a{2}{3}", "a+??", "(?x) a",
            "(?u:a)",
        ] {
            assert!(compile(pattern, &mut RegexCompiler::new(1 << 20)).is_err(), "{pattern}");
        }
    }
}
