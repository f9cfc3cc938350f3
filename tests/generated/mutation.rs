//! Texts that are nearly scripts: a statement of a random script with tokens deleted, doubled, exchanged or put in.

use super::random::Random;
use super::{render, script};

/// Tokens that a mutation puts in.
const TOKENS: &[&str] = &[
    ";", "&", "|", "&&", "||", "(", ")", "{", "}", "if", "then", "else", "fi", "do", "done", "case", "esac",
    "in", ";;", "for", "while", "[[", "]]", "((", "))", "!", "time", "function", "x=(", "<", ">", "<<<",
    "$(", "${", "\"", "'", "`", "<(", "\n", "#", "\\", "a", "=", "select", "coproc", "|&", ";&", "&>",
    "2>&1", "$((", "until", "x()", "-f", "==", "=~", "[", "]",
];

/// The text cut into words, blanks, newlines and single punctuation.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut before = ' ';
    for character in text.chars() {
        let joins = (character.is_alphanumeric() && before.is_alphanumeric())
            || (character == before && matches!(character, ';' | '&' | '|' | '<' | '(' | ')' | '[' | ']'));
        match tokens.last_mut() {
            Some(last) if joins => last.push(character),
            _ => tokens.push(character.to_string()),
        }
        before = character;
    }
    tokens
}

/// A random script's statement, mutated up to twice.
pub(crate) fn mutated(seed: u64) -> String {
    let statements = script(seed / 4);
    let random = &mut Random::new(seed ^ 0xacce);
    let body = statements.get(7..statements.len().saturating_sub(4)).unwrap_or(&statements);
    let at = random.below(body.len().max(1));
    let mut tokens = tokens(&render(body.get(at..=at).unwrap_or(body)));
    for _ in 0..random.below(3) {
        let at = random.below(tokens.len().max(1)).min(tokens.len().saturating_sub(1));
        match random.below(4) {
            0 if !tokens.is_empty() => {
                tokens.remove(at);
            }
            1 => tokens.insert(at, format!(" {} ", random.pick(TOKENS))),
            2 if !tokens.is_empty() => tokens.insert(at, tokens[at].clone()),
            _ if !tokens.is_empty() => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
            _ => {}
        }
    }
    tokens.concat()
}
