//! Which texts are scripts, a third opinion: brush-parser over every script of `tests/cases/shell` and the texts of
//! `acceptance.rs`. Where it says something else than our parser, `tests/brush_differences.txt` must have the reason, and
//! `bash -n` must agree with us. `BRUSH=1 cargo test --test brush -- --nocapture` shows each difference.
//!
//! That parser may hang or end its process, so it runs in a child with a bounded address space: this test binary again,
//! with the number of the first text in its environment. The child prints a line before and after each text; when none
//! comes any more it is killed, and another goes on behind the text that it died of.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod generated;
mod support;
mod verdict;

use regex::bytes::Regex;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Names the first text in a child.
const FIRST_VARIABLE: &str = "BRUSH_FIRST";
/// A child that is silent for so long hangs. Generous: a debug build on a busy machine.
const SILENCE: Duration = Duration::from_secs(10);
/// Address space of a child, in KiB.
const ADDRESS_SPACE_KIB: u32 = 2_000_000;

/// What becomes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Accepts,
    Rejects,
    Hangs,
    /// A panic, an abort, memory that is used up.
    Dies,
}

impl Answer {
    fn of(word: &str) -> Option<Self> {
        match word {
            "accepts" => Some(Self::Accepts),
            "rejects" => Some(Self::Rejects),
            "hangs" => Some(Self::Hangs),
            "dies" => Some(Self::Dies),
            _ => None,
        }
    }
}

/// A reason of the table.
struct Reason {
    title: String,
    /// What brush-parser does, while we and bash answer otherwise.
    answer: Answer,
    /// Finds the construct in a text.
    shows: Regex,
    example: Vec<u8>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The table: its head says how it is written.
fn reasons() -> Vec<Reason> {
    let text = std::fs::read_to_string(folder().join("brush_differences.txt")).unwrap();
    let mut reasons = Vec::new();
    for entry in text.split("\n## ").skip(1) {
        let title = entry.lines().next().unwrap_or_default();
        let field = |name: &str| {
            let found = entry.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            found.unwrap_or_else(|| panic!("{title}: no line `{name}: …`"))
        };
        let answer = field("brush");
        reasons.push(Reason {
            title: title.to_owned(),
            answer: Answer::of(answer).unwrap_or_else(|| panic!("{title}: no answer {answer:?}")),
            shows: Regex::new(field("shows")).unwrap_or_else(|error| panic!("{title}: {error}")),
            example: field("example").replace("\\n", "\n").into_bytes(),
        });
    }
    reasons
}

/// The texts, each with what it is called: the table's examples first.
fn texts() -> Vec<(String, Vec<u8>)> {
    let examples = reasons().into_iter().map(|reason| (format!("example: {}", reason.title), reason.example));
    let cases = support::load(&folder().join("cases/shell")).into_iter().map(|case| {
        let file = case.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (format!("{file}:{}: {}", case.line, case.name), case.script)
    });
    let mutated =
        (0..600).map(|seed| (format!("mutation {seed}"), generated::mutation::mutated(seed).into()));
    examples.chain(cases).chain(mutated).collect()
}

/// In a child: asks about the texts from the given one on. Otherwise there is nothing to do.
#[test]
fn child() {
    let Ok(first) = std::env::var(FIRST_VARIABLE) else { return };
    for (number, (_, text)) in texts().iter().enumerate().skip(first.parse().unwrap()) {
        println!("\nSTART {number}");
        let reader = std::io::Cursor::new(text);
        let mut parser = brush_parser::Parser::builder().enable_extended_globbing(false).build(reader);
        let answer = if parser.parse_program().is_ok() { "accepts" } else { "rejects" };
        println!("\nEND {number} {answer}");
    }
}

/// Runs a child from the text `first` on; notes its answers. Whether all texts have one.
fn ask(first: usize, answers: &mut Vec<Answer>, count: usize) {
    let mut child = Command::new("/bin/sh")
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE_KIB}; ulimit -c 0; exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(FIRST_VARIABLE, first.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (sender, lines) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap().take(100 << 20));
    let reader = std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    while answers.len() < count {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => {
                if let Some((number, word)) = line.strip_prefix("END ").and_then(|rest| rest.split_once(' '))
                {
                    assert_eq!(number, answers.len().to_string(), "the child's answers are in order");
                    answers.push(Answer::of(word).unwrap());
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                answers.push(Answer::Hangs);
                break;
            }
            Err(RecvTimeoutError::Disconnected) => {
                answers.push(Answer::Dies);
                break;
            }
        }
    }
    child.kill().ok();
    child.wait().ok();
    reader.join().ok();
}

#[test]
fn differences_from_brush_parser_are_explained() {
    if std::env::var_os(FIRST_VARIABLE).is_some() {
        return;
    }
    let reasons = reasons();
    let texts = texts();
    let mut answers = Vec::new();
    while answers.len() < texts.len() {
        ask(answers.len(), &mut answers, texts.len());
    }
    let ours: Vec<bool> = texts.iter().map(|(_, text)| verdict::ours(text).is_ok()).collect();
    let differ =
        |number: usize| answers[number] != if ours[number] { Answer::Accepts } else { Answer::Rejects };
    let differences: Vec<usize> = (0..texts.len()).filter(|&number| differ(number)).collect();
    let scripts: Vec<&[u8]> = differences.iter().map(|&number| texts[number].1.as_slice()).collect();
    let bash = verdict::bash(&scripts, "brush");
    let shown = |number: usize| {
        let (name, text) = &texts[number];
        let says = if ours[number] { "accept" } else { "reject" };
        format!("brush-parser {:?}, we {says}: {name}\n{}\n", answers[number], String::from_utf8_lossy(text))
    };
    let mut wrong = String::new();
    for (number, reason) in reasons.iter().enumerate() {
        if !differ(number) || answers[number] != reason.answer {
            let _ = writeln!(wrong, "===== the table says {:?}; {}", reason.answer, shown(number));
        }
    }
    let mut used = vec![0; reasons.len()];
    for (index, &number) in differences.iter().enumerate() {
        let bash_agrees = bash.as_ref().is_none_or(|bash| verdict::accepts(&bash[index]) == ours[number]);
        let reason = reasons
            .iter()
            .position(|reason| reason.answer == answers[number] && reason.shows.is_match(&texts[number].1));
        match reason {
            _ if !bash_agrees => {
                let _ = writeln!(wrong, "===== bash does not agree with us; {}", shown(number));
            }
            None => {
                let _ = writeln!(wrong, "===== {}", shown(number));
            }
            Some(reason) => used[reason] += usize::from(number >= reasons.len()),
        }
        if std::env::var_os("BRUSH").is_some() {
            println!("{}: {}", reason.map_or("?", |reason| reasons[reason].title.as_str()), shown(number));
        }
    }
    println!("{} texts, {} differ:", texts.len() - reasons.len(), used.iter().sum::<usize>());
    for (reason, count) in reasons.iter().zip(&used) {
        println!("{count:>5}  {:?}: {}", reason.answer, reason.title);
    }
    assert!(wrong.is_empty(), "{} not explained:\n{wrong}", wrong.matches("=====").count());
}
