//! The files that a script runs or reads as scripts: `./x.sh`, `bash x.sh`, `source lib.sh`, `python3 x.py`.

use super::place::{Scope, ScriptPath};
use super::texts::is_declaration;
use crate::inspect::{CommandView, Via, View, WordView};

/// How a file is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By its path: it must be executable.
    Direct,
    /// `bash FILE`
    Shell,
    /// `source FILE`
    Sourced,
    /// By the interpreter of another language.
    Interpreter,
}

/// A call of a file.
#[derive(Clone, Debug)]
pub(super) struct FileCall<'v> {
    pub(super) how: How,
    pub(super) path: ScriptPath,
    /// Of the command, in the script.
    pub(super) offset: usize,
    /// The words after it.
    pub(super) arguments: &'v [WordView],
    /// Whether what it prints and its status are those of the caller.
    pub(super) is_answer: bool,
    /// Whether the caller looks first whether the file is there, or goes on without it.
    pub(super) is_optional: bool,
    /// Whether it looks first whether the file may be run.
    pub(super) asks_mode: bool,
    /// The arguments' texts, where the caller shows them.
    pub(super) texts: Vec<Option<String>>,
}

const SHELLS: &[&str] = &["bash", "sh", "dash", "zsh", "ksh"];
const INTERPRETERS: &[&str] = &[
    "python",
    "python3",
    "node",
    "nodejs",
    "bun",
    "deno",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "uv",
    "npx",
    "bunx",
    "pwsh",
    "powershell",
];
const EXTENSIONS: &[&str] = &[".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".pl", ".php", ".ps1"];

/// Calls of one script that are looked at.
const MOST_CALLS: usize = 200;

/// All calls, in source order; `scope` is what is known at the start, and then at the end.
pub(super) fn calls<'v>(script: &str, view: &'v View, scope: &mut Scope) -> Vec<FileCall<'v>> {
    let plain: String = script.chars().filter(|letter| !matches!(letter, '"' | '\'' | '{' | '}')).collect();
    let mut found = Vec::new();
    for command in &view.commands {
        if found.len() < MOST_CALLS
            && let Some((how, index)) = called(command)
            && let Some(word) = command.words.get(index)
            && let Some(path) = place_of(word, scope)
        {
            let arguments = command.words.get(index + 1..).unwrap_or(&[]);
            found.push(FileCall {
                how,
                path,
                offset: command.span.start,
                arguments,
                is_answer: is_answer(script, command),
                is_optional: is_optional(script, &plain, command, word),
                asks_mode: is_tested(&plain, word, &["-x "]),
                texts: arguments.iter().map(|word| scope.text(&word.source)).collect(),
            });
        }
        follow(command, scope);
    }
    found
}

/// What a command changes of what is known.
fn follow(command: &CommandView, scope: &mut Scope) {
    for (name, value) in &command.assignments {
        if command.words.is_empty() {
            scope.assign(name, &value.source);
        }
    }
    let in_child =
        command.via.iter().any(|via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution));
    match command.name() {
        _ if is_declaration(command) => {
            for word in command.words.iter().skip(1) {
                if let Some((name, value)) = word.source.split_once('=') {
                    scope.assign(name, value);
                }
            }
        }
        Some("cd" | "pushd") if !in_child => {
            let operand = command.words.iter().skip(1).find(|word| !word.source.starts_with('-'));
            scope.change_folder(operand.map(|word| word.source.as_str()));
        }
        Some("popd") if !in_child => scope.change_folder(None),
        Some("shift") => scope.shift(),
        _ => {}
    }
}

/// How a command calls a file, and which of its words that is.
fn called(command: &CommandView) -> Option<(How, usize)> {
    let first = command.words.first()?;
    let name = command.name();
    // The first operand of the interpreter; none where an option holds the program, or asks for a module.
    let operand = |texts: &[&str], valued: &[&str]| {
        let mut index = 1;
        while let Some(word) = command.words.get(index) {
            let text = word.text.as_deref().unwrap_or("");
            if texts.contains(&text)
                || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
            {
                return None;
            } else if valued.contains(&text) {
                index += 2;
            } else if text.starts_with(['-', '+']) && text.len() > 1 {
                index += 1;
            } else {
                return Some(index);
            }
        }
        None
    };
    match name {
        Some("source" | ".") => Some((How::Sourced, 1)),
        Some(name) if SHELLS.contains(&name) => operand(
            &["-s", "--version", "--help", "-n"],
            &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"],
        )
        .map(|index| (How::Shell, index)),
        Some(name) if INTERPRETERS.contains(&name) => {
            if command
                .words
                .iter()
                .any(|word| matches!(word.text.as_deref(), Some("-c" | "-e" | "-m" | "-p" | "-")))
            {
                return None;
            }
            let is_file = |word: &WordView| {
                let bare = word.source.trim_end_matches(['"', '\'']);
                EXTENSIONS.iter().any(|extension| bare.ends_with(extension))
            };
            // The first operand that is a file: `uv run x.py`, `npx tsx x.ts`.
            command.words.iter().skip(1).position(is_file).map(|index| (How::Interpreter, index + 1))
        }
        // A name without a slash is looked for along PATH.
        _ => first.source.contains('/').then_some((How::Direct, 0)),
    }
}

fn place_of(word: &WordView, scope: &Scope) -> Option<ScriptPath> {
    // A long computed word is cut.
    if word.text.is_none() && word.source.ends_with("...") {
        return None;
    }
    scope.place(&word.source)
}

fn is_answer(script: &str, command: &CommandView) -> bool {
    let outside = command.via.iter().all(|via| matches!(via, Via::Wrapper(_)));
    let silent = command.redirects.iter().any(|redirect| {
        redirect.writes() && redirect.descriptor.as_deref().is_none_or(|descriptor| descriptor == "1")
    });
    let rest = script.get(command.span.end..).unwrap_or("").trim_start_matches([' ', '\t']);
    // In the background, or read by another command.
    let goes_on =
        rest.starts_with('&') && !rest.starts_with("&&") || rest.starts_with('|') && !rest.starts_with("||");
    outside && !silent && !goes_on
}

/// `[ -f FILE ] && ...`, `source FILE 2>/dev/null`, `FILE || ...`
fn is_optional(script: &str, plain: &str, command: &CommandView, word: &WordView) -> bool {
    let tested = is_tested(plain, word, &["-f ", "-x ", "-e ", "-r ", "-s "]);
    let hidden = command.redirects.iter().any(|redirect| {
        redirect.target.text.as_deref() == Some("/dev/null")
            && (redirect.operator.starts_with('&') || redirect.descriptor.as_deref() == Some("2"))
    });
    let rest = script.get(command.span.end..).unwrap_or("").trim_start_matches([' ', '\t', '\\', '\n']);
    tested || hidden || rest.starts_with("||")
}

/// Whether a script without its quotes asks one of these about a file.
fn is_tested(plain: &str, word: &WordView, tests: &[&str]) -> bool {
    let bare: String =
        word.source.chars().filter(|letter| !matches!(letter, '"' | '\'' | '{' | '}')).collect();
    let bare = bare.strip_prefix("./").unwrap_or(&bare);
    tests.iter().any(|test| ["", "./"].iter().any(|here| plain.contains(&format!("{test}{here}{bare}"))))
}

/// Whether a file's name is that of a shell's script.
pub(super) fn is_shell_name(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| matches!(extension, "sh" | "bash"))
}

/// Whether a file is a script for a shell, by its name and its first line; else what runs it.
pub(super) fn interpreter_of(path: &str, text: &[u8]) -> Option<String> {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    if let Some(line) = first.strip_prefix(b"#!") {
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let mut name = words.next().unwrap_or("");
        if name == "env" {
            name = words.find(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or("");
        }
        return (!matches!(name, "bash" | "sh" | "dash")).then(|| name.to_owned());
    }
    let other = EXTENSIONS.iter().find(|extension| path.ends_with(**extension))?;
    Some(match *other {
        ".py" => "python3".to_owned(),
        ".rb" => "ruby".to_owned(),
        ".pl" => "perl".to_owned(),
        ".php" => "php".to_owned(),
        ".ps1" => "pwsh".to_owned(),
        _ => "node".to_owned(),
    })
}
