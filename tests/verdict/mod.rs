//! Whether a text is a script: our parser's answer, and that of `bash -n`.
//!
//! Many texts are one bash: each stands in a file of its own and `bash -n` is run on them by a loop of one shell.

#![allow(clippy::unwrap_used, reason = "support of tests")]

use hookbox::internal::syntax::{NoAliases, ParseErrorKind, ParseOptions, Parser};
use std::process::{Command, Stdio};

/// Our answer: the error's words, or that it is a script. Nesting beyond the budget counts as a script.
pub(crate) fn ours(text: &[u8]) -> Result<(), String> {
    let options = ParseOptions::default();
    let mut parser = Parser::new(text.into(), 1);
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

/// Bash's answers: for each text its messages, without the prefix; empty: a script. Nothing, with a word on standard
/// output, where there is no bash 5.2 to ask.
pub(crate) fn bash<T: AsRef<[u8]>>(texts: &[T], place: &str) -> Option<Vec<String>> {
    let version = Command::new("bash").args(["-c", "echo $BASH_VERSION"]).output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("5.2.") {
        println!("SKIP: there is no bash 5.2 here to compare with (found {:?})", version.trim());
        return None;
    }
    let place = std::env::temp_dir().join(format!("hookbox-{place}-{}", std::process::id()));
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
        .stderr(Stdio::null())
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
    Some(answers)
}

/// Whether an answer of bash's says that the text is a script: it may warn of a here-document without its end.
pub(crate) fn accepts(answer: &str) -> bool {
    answer.lines().all(|line| line.contains("warning: here-document"))
}
