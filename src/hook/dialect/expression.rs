//! Regular expressions of matchers as `claude-code` (R5) and `agentao` (G2) have them: ECMAScript's, rewritten for the linear-time engine, and those with look-around or
//! back-references for one that goes back and forth a bounded number of steps.
//!
//! The two agree but for a few spellings: `\d`, `\w`, `\s` and `\b` mean ASCII in ECMAScript (but for white space), `[` is
//! an ordinary character inside a class, `[^]` is any character and `[]` none, a class has no operators such as `&&`, and an
//! escape of no meaning (`\A`, `\z`, `\h`) is its letter.

use crate::hook::matcher::{Regex, RegexCompiler};
use std::fmt::Write as _;

/// Compiles an expression. What the engine takes and ECMAScript has no syntax for (`(?i)`, `a++`) is refused, as the platform
/// refuses it.
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

fn rewrite(pattern: &str, boundaries: &'static Boundaries) -> Result<Rewritten, String> {
    let mut rewriter = Rewriter {
        letters: pattern.chars().peekable(),
        boundaries,
        repeats: Repeats::Nothing,
        done: Rewritten::default(),
    };
    while let Some(letter) = rewriter.letters.next() {
        rewriter.outside(letter)?;
    }
    Ok(rewriter.done)
}

/// What a repetition may follow: the engine repeats what was repeated already and places in the text, where ECMAScript has a
/// syntax error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    Atom,
    /// A repetition, which a question mark makes lazy.
    Lazily,
    Nothing,
}

struct Rewriter<'p> {
    letters: std::iter::Peekable<std::str::Chars<'p>>,
    boundaries: &'static Boundaries,
    repeats: Repeats,
    done: Rewritten,
}

impl Rewriter<'_> {
    /// A letter that stands in no class.
    fn outside(&mut self, letter: char) -> Result<(), String> {
        self.repeats = match letter {
            '*' | '+' | '?' => return self.repeat(letter),
            '{' if is_count(self.letters.clone()) => return self.count(),
            '\\' => return self.escape(false),
            '[' => {
                self.class()?;
                Repeats::Atom
            }
            '(' => {
                self.group()?;
                Repeats::Nothing
            }
            '{' => {
                self.done.text.push_str("\\{");
                Repeats::Atom
            }
            _ => {
                self.done.text.push(letter);
                if matches!(letter, '^' | '$' | '|') { Repeats::Nothing } else { Repeats::Atom }
            }
        };
        Ok(())
    }

    fn repeat(&mut self, letter: char) -> Result<(), String> {
        self.repeats = match self.repeats {
            Repeats::Atom => Repeats::Lazily,
            Repeats::Lazily if letter == '?' => Repeats::Nothing,
            _ => return Err(format!("ECMAScript finds nothing that `{letter}` repeats")),
        };
        self.done.text.push(letter);
        Ok(())
    }

    /// A repetition in braces.
    fn count(&mut self) -> Result<(), String> {
        self.repeat('{')?;
        for letter in self.letters.by_ref() {
            self.done.text.push(letter);
            if letter == '}' {
                break;
            }
        }
        Ok(())
    }

    /// A class; `[]` and `[^]` are closed at once.
    fn class(&mut self) -> Result<(), String> {
        let negated = self.letters.next_if_eq(&'^').is_some();
        if self.letters.next_if_eq(&']').is_some() {
            self.done.text.push_str(if negated { "(?s:.)" } else { "[^\\x00-\\x{10FFFF}]" });
            return Ok(());
        }
        self.done.text.push_str(if negated { "[^" } else { "[" });
        while let Some(letter) = self.letters.next() {
            match letter {
                '\\' => self.escape(true)?,
                ']' => {
                    self.done.text.push(']');
                    break;
                }
                '[' | '&' | '~' | '#' => self.done.text.extend(['\\', letter]),
                '-' if self.letters.peek() == Some(&'-') => self.done.text.push_str("\\-"),
                _ => self.done.text.push(letter),
            }
        }
        Ok(())
    }

    /// What opens a group. The engine has more groups than ECMAScript, where those are syntax errors.
    fn group(&mut self) -> Result<(), String> {
        let rest: String = self.letters.clone().take(12).collect();
        let looks = ["?=", "?!", "?<=", "?<!"].into_iter().find(|mark| rest.starts_with(mark));
        let is_flag = |letter: char| matches!(letter, 'i' | 'm' | 's' | '-');
        let is_name = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '$');
        let opening = match rest.strip_prefix('?') {
            None => 0,
            Some(_) if looks.is_some() => looks.map_or(0, str::len),
            Some(name) if name.strip_prefix('<').is_some_and(|name| name.starts_with(is_name)) => 2,
            Some(flags) if flags.trim_start_matches(is_flag).starts_with(':') => {
                rest.find(':').map_or(0, |colon| colon.saturating_add(1))
            }
            Some(_) => {
                let shown = rest.split_inclusive(')').next().unwrap_or_default();
                return Err(format!("ECMAScript has no group that begins with `({shown}`"));
            }
        };
        self.done.backtracks |= looks.is_some();
        self.done.text.push('(');
        self.done.text.extend(self.letters.by_ref().take(opening));
        Ok(())
    }

    /// What follows a backslash.
    fn escape(&mut self, in_class: bool) -> Result<(), String> {
        let Some(letter) = self.letters.next() else { return Err("it ends in a backslash".to_owned()) };
        self.repeats = if matches!(letter, 'b' | 'B') { Repeats::Nothing } else { Repeats::Atom };
        let digits = match letter {
            'x' => self.hexadecimal(2),
            'u' => self.hexadecimal(4),
            _ => None,
        };
        let next = self.letters.peek().copied();
        let text = &mut self.done.text;
        match letter {
            'd' => text.push_str("[0-9]"),
            'D' => text.push_str("[^0-9]"),
            'w' => text.push_str("[0-9A-Za-z_]"),
            'W' => text.push_str("[^0-9A-Za-z_]"),
            'b' if in_class => text.push_str("\\x08"),
            'b' => text.push_str(self.boundaries.at),
            'B' if !in_class => text.push_str(self.boundaries.not_at),
            '0' => text.push_str("\\x00"),
            'k' | '1'..='9' if !in_class => {
                text.extend(['\\', letter]);
                self.done.backtracks = true;
            }
            'c' => match next.filter(char::is_ascii_alphabetic) {
                Some(control) => {
                    self.letters.next();
                    let _ = write!(text, "\\x{:02x}", u32::from(control) % 32);
                }
                // The backslash is one, and the letter is looked at by itself.
                None => text.push_str("\\\\c"),
            },
            'x' | 'u' if digits.is_some() => {
                let _ = write!(text, "\\{letter}{}", digits.unwrap_or_default());
            }
            'p' | 'P' | 'u' | 'x' if next == Some('{') => {
                return Err(format!("`\\{letter}{{` needs the flag `u` or `v`, which matchers do not have"));
            }
            's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' => text.extend(['\\', letter]),
            // The engine's ends of words.
            '<' | '>' => text.push(letter),
            _ if letter.is_ascii_punctuation() => text.extend(['\\', letter]),
            // An escaped letter of no meaning is the letter.
            _ => text.push(letter),
        }
        Ok(())
    }

    /// So many digits, which are taken, if they stand there.
    fn hexadecimal(&mut self, count: usize) -> Option<String> {
        let digits: String = self.letters.clone().take(count).collect();
        let all = digits.len() == count && digits.chars().all(|digit| digit.is_ascii_hexdigit());
        all.then(|| self.letters.by_ref().take(count).collect())
    }
}

/// Whether a brace opens a repetition; otherwise it is an ordinary character.
fn is_count(letters: std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let inside: String = letters.take(24).collect();
    let Some((inside, _)) = inside.split_once('}') else { return false };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
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
            ("^a{2$", "a{2", true),
            ("^a{,2}$", "a{,2}", true),
            ("^[[:alpha:]]$", "p]", true),
            ("^[[:alpha:]]$", "z", false),
            (r"^\Aa\z\h$", "Aazh", true),
            (r"^\-\_\<\>\é\–$", "-_<>é–", true),
            (r"^\x41\x4\u004$", "Ax4u004", true),
            (r"^\c\cé$", "\\c\\cé", true),
            ("^a+?b*?c??d{1,2}?$", "abcdd", true),
            ("^(?:a)(?i:B)(?<n>c)$", "abc", true),
            ("^]}$", "]}", true),
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
        for (pattern, wanted) in [
            ("(?i)bash", "ECMAScript has no group that begins with `(?i)`"),
            ("(?x) a", "ECMAScript has no group that begins with `(?x)`"),
            ("(?P<n>a)", "ECMAScript has no group that begins with `(?P<n>a)`"),
            ("(?>a)", "ECMAScript has no group that begins with `(?>a)`"),
            ("(?x:a)", "ECMAScript has no group that begins with `(?x:a)`"),
            ("a++", "ECMAScript finds nothing that `+` repeats"),
            ("a*+", "ECMAScript finds nothing that `+` repeats"),
            ("a{2}{3}", "ECMAScript finds nothing that `{` repeats"),
            ("a+??", "ECMAScript finds nothing that `?` repeats"),
            ("*a", "ECMAScript finds nothing that `*` repeats"),
            ("^*", "ECMAScript finds nothing that `*` repeats"),
            (r"\b+", "ECMAScript finds nothing that `+` repeats"),
            (r"\p{L}", r"`\p{` needs the flag `u` or `v`, which matchers do not have"),
            (r"\x{41}", r"`\x{` needs the flag `u` or `v`, which matchers do not have"),
        ] {
            let found = compile(pattern, &mut RegexCompiler::new(1 << 20)).err();
            assert_eq!(found.as_deref(), Some(wanted), "{pattern}");
        }
    }
}
