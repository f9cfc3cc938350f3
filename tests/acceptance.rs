//! Which texts are scripts: `bash -n` and our parser must agree, on random scripts and on the same with tokens deleted,
//! doubled, exchanged or put in. `ACCEPTANCE=5000 cargo test --test acceptance` tries more of them.
//!
//! Many texts are one bash: each stands in a file of its own and `bash -n` is run on them by a loop of one shell.

#![allow(clippy::unwrap_used, reason = "a test")]

mod generated;

use generated::random::Random;
use generated::{render, script};
use hookbox::syntax::{NoAliases, ParseErrorKind, ParseOptions, Parser};
use std::process::{Command, Stdio};

/// Tokens that a mutation puts in.
const TOKENS: &[&str] = &[
    ";", "&", "|", "&&", "||", "(", ")", "{", "}", "if", "then", "else", "fi", "do", "done", "case", "esac",
    "in", ";;", "for", "while", "[[", "]]", "((", "))", "!", "time", "function", "x=(", "<", ">", "<<<",
    "$(", "${", "\"", "'", "`", "<(", "\n", "#", "\\", "a", "=", "select", "coproc", "|&", ";&", "&>",
    "2>&1", "$((", "until", "x()", "-f", "==", "=~", "[", "]",
];

/// Differences that are allowed, each with what shows it and the reason.
const ALLOWED: &[(&str, &str)] = &[(
    "<<",
    "a here-document that the end of the text delimits inside a substitution: bash warns, and reads on differently",
)];

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

/// A random script's statement, mutated `times` times.
fn mutated(seed: u64) -> String {
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

/// Our answer: the error's words, or that it is a script.
fn ours(text: &str) -> Result<(), String> {
    let options = ParseOptions::default();
    let mut parser = Parser::new(text.as_bytes().into(), 1);
    loop {
        match parser.next_command(&options, &NoAliases) {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(error) if matches!(error.kind(), ParseErrorKind::TooDeep(_)) => return Ok(()),
            Err(error) => {
                return Err(error
                    .message()
                    .iter()
                    .map(|line| format!("line {}: {line}", error.line()))
                    .collect::<Vec<_>>()
                    .join("\n"));
            }
        }
    }
}

/// Bash's answers: for each text its messages, without the prefix; empty: a script.
fn bash(texts: &[String]) -> Vec<String> {
    let place = std::env::temp_dir().join(format!("hookbox-acceptance-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(place.join(format!("s{number}")), text).unwrap();
    }
    let driver =
        "for f in s*; do bash -n -c -- \"$(cat $f; echo ' ')\" 2>e${f#s} </dev/null >/dev/null; done";
    let status = Command::new("bash")
        .args(["-c", driver])
        .current_dir(&place)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success() || status.code().is_some(), "the driver failed");
    let answers = (0..texts.len())
        .map(|number| {
            String::from_utf8_lossy(&std::fs::read(place.join(format!("e{number}"))).unwrap_or_default())
                .lines()
                .map(|line| line.replace("bash: -c: ", ""))
                .collect::<Vec<_>>()
                .join("\n")
        })
        .collect();
    std::fs::remove_dir_all(&place).ok();
    answers
}

#[test]
fn texts_are_scripts_where_bash_says_so() {
    let version = Command::new("bash").args(["-c", "echo $BASH_VERSION"]).output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("5.2.") {
        println!("SKIP: there is no bash 5.2 here to compare with (found {:?})", version.trim());
        return;
    }
    let count = std::env::var("ACCEPTANCE").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let texts: Vec<String> = (0..count).map(mutated).collect();
    let answers = bash(&texts);
    let (mut valid, mut allowed, mut differ, mut words) = (0, 0, 0, 0);
    for (text, answer) in texts.iter().zip(&answers) {
        let mine = ours(text);
        let warning = answer.contains("warning: here-document");
        let theirs = answer.is_empty() || warning;
        valid += usize::from(theirs);
        if mine.is_ok() != theirs {
            if ALLOWED.iter().any(|(shows, _)| text.contains(shows)) {
                allowed += 1;
                continue;
            }
            differ += 1;
            println!("=====\n{text}\n--- bash: {answer}\n--- here: {mine:?}");
        } else if let Err(message) = &mine
            && message != answer
        {
            words += 1;
            if std::env::var_os("ACCEPTANCE_WORDS").is_some() {
                println!("===== words\n{text}\n--- bash: {answer}\n--- here: {message}");
            }
        }
    }
    println!(
        "{count} texts, {valid} valid, {differ} differ, {allowed} by design, {words} only in their words"
    );
    assert_eq!(differ, 0, "{differ} of {count} texts differ");
}
