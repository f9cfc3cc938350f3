//! The words of a line of the history, as event and word designators count them. Bash manual 9.3.2.
//!
//! The rules are those of a shell line, roughly: quotes and `$( )` hold a word together, operators are words of their own,
//! and nothing is expanded.

use crate::memory::{JoinMetered, Vec};
use std::ops::Range;

/// What ends a word that is not quoted.
const DELIMITERS: &[u8] = b" \t\n;&()|<>";

/// Blanks between words.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Whether a byte is the end of a word.
pub(super) fn is_delimiter(byte: u8) -> bool {
    DELIMITERS.contains(&byte)
}

/// Where the words of a line lie; those from one that begins with `comment` on do not count.
pub(super) fn words(line: &[u8], comment: u8) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at += line.iter().skip(at).take_while(|byte| is_blank(**byte)).count();
        match line.get(at) {
            Some(&byte) if byte != comment || comment == 0 => {}
            _ => return words,
        }
        let start = at;
        at = word_end(line, start);
        if at == start {
            at += 1;
            at += line.iter().skip(at).take_while(|byte| is_delimiter(**byte)).count();
        }
        words.push(start..at);
    }
}

/// Words `first` to `last`, joined with blanks.
pub(super) fn joined(line: &[u8], words: &[Range<usize>], first: usize, last: usize) -> Option<Vec<u8>> {
    let chosen = words.get(first..=last)?;
    let chosen: Vec<&[u8]> = chosen.iter().map(|word| line.get(word.clone()).unwrap_or(&[])).collect();
    Some(chosen.join_metered(b" "))
}

/// The end of an operator that begins at `at`; `Err`: it opens a process substitution that ends where a word does, read
/// from there.
fn operator_end(line: &[u8], at: usize) -> Result<usize, usize> {
    let rest = line.get(at..).unwrap_or(&[]);
    Ok(match rest {
        [b'<', b'<', b'-' | b'<', ..] => at + 3,
        [first, second, ..] if first == second => at + 2,
        [b'<' | b'>', b'&', digits @ ..] => {
            let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
            at + 2 + count + usize::from(digits.get(count) == Some(&b'-'))
        }
        [b'&', b'>', ..] | [b'>', b'|', ..] => at + 2,
        [b'<' | b'>', b'(', ..] => return Err(at + 2),
        _ => at + 1,
    })
}

/// The end of the word that begins at `start`.
pub(super) fn word_end(line: &[u8], start: usize) -> usize {
    let mut at = start;
    if matches!(line.get(at), Some(b'(' | b')' | b'\n')) {
        return at + 1;
    }
    let digits = line.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        match line.get(at + digits) {
            None => return at + digits,
            Some(b'<' | b'>') => at += digits,
            Some(_) => return scan_word(line, at + digits, 0),
        }
    }
    if matches!(line.get(at), Some(b'<' | b'>' | b';' | b'&' | b'|')) {
        return operator_end(line, at).unwrap_or_else(|inside| scan_word(line, inside, 1));
    }
    scan_word(line, at, 0)
}

/// Reads on to the end of a word that is inside of `depth` parentheses.
fn scan_word(line: &[u8], start: usize, mut depth: usize) -> usize {
    let mut quote = 0_u8;
    let mut at = start;
    while let Some(&byte) = line.get(at) {
        let next = line.get(at + 1).copied();
        match byte {
            b'\\' if next == Some(b'\n') => at += 1,
            b'\\'
                if quote != b'\'' && (quote != b'"' || matches!(next, Some(b'\\' | b'`' | b'"' | b'$'))) =>
            {
                at += 1;
            }
            b'(' if depth > 0 => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ if quote == byte => quote = 0,
            _ if quote != 0 => {}
            b'<' | b'>' | b'$' | b'!' | b'@' | b'?' | b'+' | b'*' if next == Some(b'(') => {
                depth = 1;
                at += 1;
            }
            b'"' | b'\'' | b'`' => quote = byte,
            _ if is_delimiter(byte) => break,
            _ => {}
        }
        at += 1;
    }
    at.min(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<&str> {
        words(line.as_bytes(), b'#').iter().map(|word| line.get(word.clone()).unwrap()).collect()
    }

    #[test]
    fn operators_are_words_and_quotes_join() {
        // bash: `echo ... !:0` and so on over each number.
        assert_eq!(
            of("echo a>b;echo x|cat").as_slice(),
            ["echo", "a", ">", "b", ";", "echo", "x", "|", "cat"]
        );
        assert_eq!(
            of("echo 2>/dev/null <(echo a b) $(echo c d) e\\ f").as_slice(),
            ["echo", "2>", "/dev/null", "<(echo a b)", "$(echo c d)", "e\\ f"]
        );
        assert_eq!(of("a \"b c\" 'd e'f # g").as_slice(), ["a", "\"b c\"", "'d e'f"]);
    }

    #[test]
    fn ends_of_lines_end_words() {
        for line in ["'", "\"a", "$(", "<(", "\\", "12", "2>&1-", "<<", "&>", ""] {
            assert!(words(line.as_bytes(), b'#').iter().all(|word| word.end <= line.len()), "{line}");
        }
    }
}
