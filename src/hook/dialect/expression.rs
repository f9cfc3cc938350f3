//! Regular expressions of matchers as `claude-code` (R5) and `agentao` (G2) have them: ECMAScript's, rewritten for the linear-time engine, and those with look-around or
//! back-references for one that goes back and forth a bounded number of steps.
//!
//! The two agree but for a few spellings: `\d`, `\w`, `\s` and `\b` mean ASCII in ECMAScript (but for white space), `[` is
//! an ordinary character inside a class, `[^]` is any character and `[]` none, and a class has no operators such as `&&`.

use crate::hook::matcher::{Regex, RegexCompiler};
use std::fmt::Write as _;

/// Compiles an expression.
///
/// # Errors
/// Why it cannot be used, in a line.
pub(in crate::hook) fn compile(pattern: &str, compiler: &mut RegexCompiler) -> Result<Regex, String> {
    let linear = rewrite(pattern, &LINEAR)?;
    if linear.backtracks {
        compiler.compile_backtracking(&rewrite(pattern, &BACKTRACKING)?.text)
    } else {
        compiler.compile(&linear.text)
    }
}

/// How an engine spells `\b` and `\B` of ASCII words.
struct Boundaries {
    at: &'static str,
    not_at: &'static str,
}

const LINEAR: Boundaries = Boundaries { at: r"(?-u:\b)", not_at: r"(?-u:\B)" };
const BACKTRACKING: Boundaries = Boundaries {
    at: "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))",
    not_at: "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))",
};

/// An expression in the engine's spelling.
#[derive(Default)]
struct Rewritten {
    text: String,
    /// It has look-around or back-references.
    backtracks: bool,
}

fn rewrite(pattern: &str, boundaries: &Boundaries) -> Result<Rewritten, String> {
    let mut rewritten = Rewritten::default();
    let Rewritten { text: out, backtracks } = &mut rewritten;
    let mut letters = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => *backtracks |= escape(&mut letters, in_class, boundaries, out)?,
            ']' if in_class => {
                in_class = false;
                out.push(']');
            }
            '[' | '&' | '~' | '#' if in_class => out.extend(['\\', letter]),
            '-' if in_class && letters.peek() == Some(&'-') => out.push_str("\\-"),
            '[' => in_class = open_class(&mut letters, out),
            '(' => {
                out.push('(');
                let rest: String = letters.clone().take(3).collect();
                *backtracks |= ["?=", "?!", "?<=", "?<!"].iter().any(|mark| rest.starts_with(mark));
            }
            '{' if !is_count(letters.clone()) => out.push_str("\\{"),
            _ => out.push(letter),
        }
    }
    Ok(rewritten)
}

/// Whether a class is open after it: `[]` and `[^]` are closed at once.
fn open_class(letters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> bool {
    let negated = letters.next_if_eq(&'^').is_some();
    if letters.next_if_eq(&']').is_some() {
        out.push_str(if negated { "(?s:.)" } else { "[^\\x00-\\x{10FFFF}]" });
        return false;
    }
    out.push_str(if negated { "[^" } else { "[" });
    true
}

/// What follows a backslash; whether it is a back-reference.
fn escape(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    in_class: bool,
    boundaries: &Boundaries,
    out: &mut String,
) -> Result<bool, String> {
    match letters.next() {
        None => return Err("it ends in a backslash".to_owned()),
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('w') => out.push_str("[0-9A-Za-z_]"),
        Some('W') => out.push_str("[^0-9A-Za-z_]"),
        Some('b') if in_class => out.push_str("\\x08"),
        Some('b') => out.push_str(boundaries.at),
        Some('B') => out.push_str(boundaries.not_at),
        Some('0') => out.push_str("\\x00"),
        Some(letter @ ('k' | '1'..='9')) if !in_class => {
            out.extend(['\\', letter]);
            return Ok(true);
        }
        Some('c') => match letters.next() {
            Some(letter) if letter.is_ascii_alphabetic() => {
                let _ = write!(out, "\\x{:02x}", u32::from(letter) % 32);
            }
            _ => return Err("\\c needs a letter".to_owned()),
        },
        Some('u') if letters.peek() == Some(&'{') => out.push_str("\\u"),
        Some(letter @ ('s' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | 'x' | 'u' | 'p' | 'P')) => {
            out.extend(['\\', letter]);
        }
        // An escaped letter of no meaning is the letter.
        Some(letter) if letter.is_alphanumeric() => out.push(letter),
        Some(letter) => out.extend(['\\', letter]),
    }
    Ok(false)
}

/// Whether a brace opens a repetition; otherwise it is an ordinary character.
fn is_count(letters: std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let inside: String = letters.take_while(|letter| *letter != '}').take(24).collect();
    let (low, high) = inside.split_once(',').unwrap_or((&inside, ""));
    let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    !low.is_empty() && is_number(low) && is_number(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern, &mut RegexCompiler::new(1 << 20)).unwrap().is_match(text)
    }

    #[test]
    fn spellings_of_ecmascript() {
        for (pattern, text, wanted) in [
            ("^Edit$", "NotebookEdit", false),
            ("Edit.*", "NotebookEdit", true),
            (r"^\d+$", "٣", false),
            (r"^[\w-]+$", "a-b_9", true),
            (r"\bEdit\b", "Notebook Edit", true),
            (r"\BEdit", "NotebookEdit", true),
            (r"a\/b", "a/b", true),
            ("[[]x", "[x", true),
            ("[a&&b]+$", "&", true),
            ("^[^]$", "\n", true),
            ("[]", "x", false),
            ("a{", "a{", true),
            ("^a{2}$", "aa", true),
            ("{x}", "{x}", true),
            (r"\u0041", "A", true),
            (r"\cJ", "\n", true),
            ("(?<name>x)y", "xy", true),
            ("[a--z]", "-", true),
        ] {
            assert_eq!(matches(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn look_around_and_back_references() {
        for (pattern, text, wanted) in [
            ("^(?!Read$).*", "Write", true),
            ("^(?!Read$).*", "Read", false),
            ("^(?!Read$).*", "ReadAll", true),
            ("^(?!.*(Read|Glob)).*$", "NotebookRead", false),
            ("(?<!mcp__)write", "mcp__write", false),
            ("(?<=mcp__)write", "mcp__write", true),
            ("Edit(?=$)", "NotebookEdit", true),
            (r"^(\w)\1$", "aa", true),
            (r"^(\w)\1$", "ab", false),
            (r"(?<n>a)\k<n>", "aa", true),
            (r"^(?!\d)\b", "a", true),
            (r"(?!x)\bé", "aé", true),
            (r"(?!x)\BEdit", "NotebookEdit", true),
            (r"(?!x)\BEdit", "Edit", false),
            // Too many steps: the hook runs.
            ("^(?:a(?!c)|aa(?!c))*b", &"a".repeat(100), true),
        ] {
            assert_eq!(matches(pattern, text), wanted, "{pattern} {text}");
        }
    }

    #[test]
    fn refusals() {
        for pattern in ["a\\", "(", "[a", "(?=", "(?!a", &"(?=a)".repeat(200)] {
            assert!(compile(pattern, &mut RegexCompiler::new(1 << 20)).is_err(), "{pattern}");
        }
    }
}
