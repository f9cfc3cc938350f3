//! The texts of a script in which a linter finds what it prints and reads: what `echo`, `printf` and here-documents print,
//! and the programs of `jq`.

use crate::inspect::{CommandView, View, WordView};
use regex::Regex;
use std::sync::LazyLock;

/// Texts among which the bodies of here-documents are looked for.
const MOST_DOCUMENTS: usize = 200;
/// How far behind its command a here-document is looked for, in characters.
const NEAR: usize = 16 * 1024;

/// A text in a script.
pub(super) struct Piece {
    /// After quote removal where that is known, else with the quotes' backslashes gone.
    pub(super) text: String,
    /// Whether all of it is known.
    pub(super) known: bool,
    /// Where its command begins in the script.
    pub(super) offset: usize,
}

/// See the module.
pub(super) struct Texts {
    /// What is printed.
    pub(super) printed: Vec<Piece>,
    /// Programs of `jq`.
    pub(super) jq: Vec<Piece>,
}

impl Texts {
    pub(super) fn of(script: &str, view: &View) -> Self {
        let mut texts = Self { printed: Vec::new(), jq: Vec::new() };
        for command in &view.commands {
            match command.name() {
                Some("echo" | "printf") => {
                    for word in command.words.iter().skip(1) {
                        texts.printed.push(piece(word, command));
                    }
                }
                Some("jq") => {
                    if let Some(program) = jq_program(command) {
                        texts.jq.push(piece(program, command));
                    }
                }
                _ => {}
            }
            for redirect in &command.redirects {
                if matches!(redirect.operator, "<<" | "<<<") && command.name() == Some("cat") {
                    let mut printed = piece(&redirect.target, command);
                    if !printed.known && redirect.operator == "<<" && texts.printed.len() < MOST_DOCUMENTS {
                        // The word's source is cut; the document stands behind its command.
                        let rest = script.get(command.span.start..).unwrap_or("");
                        let near: usize = rest.chars().take(NEAR).map(char::len_utf8).sum();
                        let rest = rest.get(..near).unwrap_or(rest);
                        if let Some(at) = rest.find(redirect.target.source.trim_end_matches("...")) {
                            let body = rest.get(at..).unwrap_or("");
                            printed.text = body.chars().take(4096).collect();
                        }
                    }
                    texts.printed.push(printed);
                }
            }
        }
        texts
    }
}

fn piece(word: &WordView, command: &CommandView) -> Piece {
    match &word.text {
        Some(text) => Piece { text: text.clone(), known: true, offset: command.span.start },
        None => {
            let source = word.source.strip_prefix(['"', '\'']).unwrap_or(&word.source);
            Piece { text: source.replace("\\\"", "\""), known: false, offset: command.span.start }
        }
    }
}

/// The filter of a call of `jq`: the first operand.
fn jq_program(command: &CommandView) -> Option<&WordView> {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.text.as_deref().unwrap_or("");
        match text {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                words.nth(1);
            }
            "--indent" | "-L" => {
                words.next();
            }
            "-f" | "--from-file" => return None,
            _ if text.starts_with('-') && text.len() > 1 => {}
            _ => return Some(word),
        }
    }
    None
}

/// Keys of objects in a text of JSON or jq.
pub(super) fn keys(text: &str) -> impl Iterator<Item = &str> {
    static KEY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:"([A-Za-z_]\w*)"|[{,]\s*([A-Za-z_]\w*))\s*:"#).ok());
    captures(&KEY, text)
}

/// Roots of paths in a jq program: `tool_input` of `.tool_input.command`.
pub(super) fn roots(text: &str) -> impl Iterator<Item = &str> {
    static ROOT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:^|[^\w.\])}"$?])\.([A-Za-z_]\w*)"#).ok());
    captures(&ROOT, text)
}

/// Values of the string member `name`.
pub(super) fn string_values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    static MEMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:"([A-Za-z_]\w*)"|[{,]\s*([A-Za-z_]\w*))\s*:\s*"(\w*)""#).ok());
    let Some(regex) = MEMBER.as_ref() else { return Vec::new() };
    regex
        .captures_iter(text)
        .filter(|found| found.get(1).or(found.get(2)).is_some_and(|key| key.as_str() == name))
        .filter_map(|found| found.get(3).map(|value| value.as_str()))
        .collect()
}

fn captures<'t>(regex: &'static LazyLock<Option<Regex>>, text: &'t str) -> impl Iterator<Item = &'t str> {
    let found = regex.as_ref().map(|regex| regex.captures_iter(text));
    found.into_iter().flatten().filter_map(|found| found.get(1).or(found.get(2)).map(|group| group.as_str()))
}

/// Names of variables that a text expands: `$name` and `${name...}`, with the offset of the `$`.
pub(super) fn variables(text: &str) -> impl Iterator<Item = (usize, &str)> {
    static VARIABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\$(?:\{[!#]?)?([A-Za-z_]\w*)").ok());
    let found = VARIABLE.as_ref().map(|regex| regex.captures_iter(text));
    found.into_iter().flatten().filter_map(|found| Some((found.get(0)?.start(), found.get(1)?.as_str())))
}

/// Names of the variables that a word expands outside of quotes.
pub(super) fn unquoted_variables(source: &str) -> Vec<&str> {
    let outside = outside_quotes(source);
    variables(source).filter(|(at, _)| outside.get(*at) == Some(&true)).map(|(_, name)| name).collect()
}

/// The word from each `$(` on that stands outside of quotes.
pub(super) fn unquoted_substitutions(source: &str) -> Vec<&str> {
    let outside = outside_quotes(source);
    let starts = source.match_indices("$(").filter(|(at, _)| outside.get(*at) == Some(&true));
    // The first one alone: what follows stands in it, or is no better.
    starts.take(1).filter_map(|(at, _)| source.get(at..)).collect()
}

/// For each byte of a word whether it stands outside of quotes.
fn outside_quotes(source: &str) -> Vec<bool> {
    let (mut double, mut single, mut escaped) = (false, false, false);
    let mut outside = Vec::with_capacity(source.len());
    for byte in source.bytes() {
        outside.push(!double && !single && !escaped);
        if escaped {
            escaped = false;
            continue;
        }
        match byte {
            b'\\' if !single => escaped = true,
            b'"' if !single => double = !double,
            b'\'' if !double => single = !single,
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans() {
        assert_eq!(keys(r#"{"a": 1, b: {c : "x:y"}}"#).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(
            roots(r#".tool_input.command // (.data.x) | .a[.b] | $x.c | "a.d" | ."q""#).collect::<Vec<_>>(),
            ["tool_input", "data", "a", "b"]
        );
        assert_eq!(string_values(r#"{"decision":"deny", x: {decision: "b"}}"#, "decision"), ["deny", "b"]);
        assert_eq!(unquoted_variables(r#"a$b"$c"'$d'\$e${f%x}"#), ["b", "f"]);
    }
}
