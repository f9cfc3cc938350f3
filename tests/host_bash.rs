//! Random scripts in the host's bash and in a sandbox: both must print the same, end with the same status and leave the
//! same files. Scripts are a function of their number: `HOST_BASH=5000 cargo test --test host_bash` runs more of them,
//! `HOST_BASH_FROM=17` begins at another number, `HOST_BASH_ALL=1` takes no reason for a difference, `HOST_BASH_WHOLE=1`
//! shows the whole script too.

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

mod generated;
#[path = "support/host_run.rs"]
mod host_run;

use generated::{Statement, render, script, shrink, wide_script};
use hookbox::sandbox::Script;
use host_run::{Outcome, Place};
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What every script finds in its directory.
const TREE: &[(&str, &str)] = &[
    ("a1", "one\n"),
    ("a2", ""),
    ("b.txt", "first line\nsecond:  x\\y \n last"),
    (".hid", "h\n"),
    ("d/x", "x\n"),
    ("d/y.txt", "y\n"),
    ("sp ace", "s\n"),
];

/// A reason why the same script may print something else: an oddity of bash that is not worth having.
struct Known {
    /// What the reason is, for the reader.
    #[expect(dead_code, reason = "for the reader")]
    reason: &'static str,
    /// Whether a script can show it, by its text and by what bash did.
    applies: fn(&str, &Outcome) -> bool,
    /// A text without what differs then; of both the same has to be left. It may keep nothing.
    without: fn(&str) -> String,
}

const KNOWN: &[Known] = &[
    Known {
        reason: "the root directory is the host's",
        applies: |script, bash| script.contains('/') && (bash.says("/boot") || bash.says("/lib64")),
        without: |_| String::new(),
    },
    Known {
        reason: "after an error that gave a command up, the next loop's `< <( )` reads nothing in bash",
        applies: |script, bash| {
            let errors =
                ["(error token is", "substring expression < 0", "bad substitution", "bad array subscript"];
            script.contains("< <(") && errors.iter().any(|error| bash.says(error))
        },
        without: |_| String::new(),
    },
    Known {
        reason: "bash counts the lines after a command in which a subshell of several lines writes into a pipe from where \
                 that was closed, and gives here-documents of a stage another line",
        applies: |script, _| script.lines().any(|line| END_OF_STAGE.iter().any(|end| line.starts_with(end))),
        without: |text| without_numbers(text),
    },
    Known {
        reason: "`@a` and `@A` look at a subscript twice",
        applies: |script, _| script.contains("]@a") || script.contains("]@A"),
        without: |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.dedup();
            lines.join("\n").chars().filter(|digit| !digit.is_ascii_digit()).collect()
        },
    },
    Known {
        reason: "an error of expansion in a simple command that is a stage of a pipeline runs the shell's `EXIT` trap",
        applies: |script, _| script.contains("trap '") && script.contains('|'),
        without: |text| {
            let lines: std::collections::BTreeSet<&str> = text.lines().collect();
            lines.into_iter().collect::<Vec<_>>().join("\n")
        },
    },
    Known {
        reason: "with `set -e`, assigning a read-only variable runs the `EXIT` trap before redirections are undone",
        applies: |script, bash| {
            script.contains("trap '") && script.contains("set -e") && bash.says("readonly variable")
        },
        without: |_| String::new(),
    },
    Known {
        reason: "the shell has neither a debugger nor a pretty printer",
        applies: |_, bash| bash.says("GNU long options:"),
        without: |text| without_lines(&without_lines(text, "\t--debug"), "\t--pretty-print"),
    },
    Known {
        reason: "with an empty `IFS`, where `$*` puts blanks and where fields end depends on what it stands in, and bash \
                 lets marks of its own through",
        applies: |script, _| script.contains("IFS=''"),
        without: |text| {
            let text = without_lines(text, "(error token is");
            text.chars().filter(|letter| letter.is_alphabetic()).collect()
        },
    },
    Known {
        reason: "bash does not find a pattern that begins with `*` and ends with a quoted one",
        applies: |script, _| script.contains("*\"*\"/"),
        without: |_| String::new(),
    },
    Known {
        reason: "bash shows the word of a bad substitution as its braces were expanded, with a declaration's name and an \
                 element's subscript",
        applies: |script, bash| script.contains("${") && bash.says("bad substitution"),
        without: |text| without_subject(text, ": bad substitution"),
    },
    Known {
        reason: "which of the expressions that name each other is the one too many is a matter of counting",
        applies: |_, bash| bash.says("expression recursion level exceeded"),
        without: |text| without_subject(text, ": expression recursion level exceeded"),
    },
    Known {
        reason: "what bash says of a brace that is not closed in a here-document is another thing",
        applies: |script, bash| script.contains("<<") && bash.says("no closing `}'"),
        without: |_| String::new(),
    },
    Known {
        reason: "braces in quotes in `${u:-\"...\"}` are expanded at times",
        applies: |script, _| script.contains(":-\"") && script.contains("{1,2}"),
        without: |_| String::new(),
    },
    Known {
        reason: "bash shows a byte of its own after a quote in `[[ ]]` that is not closed",
        applies: |script, bash| {
            script.contains("[[") && bash.says("unexpected EOF while looking for matching")
        },
        without: |text| without_lines(text, "in conditional command"),
    },
    Known {
        reason: "stages of a pipeline that write the same file take turns as the system likes",
        applies: |script, _| script.contains("| cat") && script.contains("2>&1"),
        without: |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        },
    },
];

/// The ends of compound commands that are stages of a pipeline.
const END_OF_STAGE: &[&str] = &[") |", "done |", "esac |", "fi |", "} |"];

/// A text without the numbers of lines.
fn without_numbers(text: &str) -> String {
    text.split("line ").map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit())).collect()
}

/// A text without what stands between the line's number and `message`, and without what follows that.
fn without_subject(text: &str, message: &str) -> String {
    let line = |line: &str| match line.split_once(": line ") {
        Some((name, rest)) if rest.contains(message) => format!("{name}{message}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A text without the lines that have `message`.
fn without_lines(text: &str, message: &str) -> String {
    text.lines().filter(|line| !line.contains(message)).collect::<Vec<_>>().join("\n")
}

/// Whether both did the same but for what has a reason.
fn is_explained(script: &str, bash: &Outcome, mine: &Outcome) -> bool {
    let reasons: Vec<&Known> = KNOWN.iter().filter(|known| (known.applies)(script, bash)).collect();
    let left = |outcome: &Outcome| {
        let texts = outcome.files.values().chain([&outcome.stdout, &outcome.stderr]);
        let mut texts: Vec<String> = texts.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        for reason in &reasons {
            texts = texts.iter().map(|text| (reason.without)(text)).collect();
        }
        texts
    };
    let nothing_left = |texts: &[String]| texts.iter().all(String::is_empty);
    let (theirs, ours) = (left(bash), left(mine));
    nothing_left(&theirs) && !reasons.is_empty()
        || theirs == ours && bash.status == mine.status && bash.files.keys().eq(mine.files.keys())
}

fn show(outcome: &Outcome) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut out = format!("status {}\n{}", outcome.status, text(&outcome.stdout));
    out.push_str(&format!("--- stderr\n{}", text(&outcome.stderr)));
    let tree: BTreeMap<&str, &str> = TREE.iter().copied().collect();
    for (path, content) in &outcome.files {
        if tree.get(path.as_str()).is_none_or(|before| before.as_bytes() != content) {
            out.push_str(&format!("--- {path} {:?}\n", text(content)));
        }
    }
    for (path, _) in TREE {
        if !outcome.files.contains_key(*path) {
            out.push_str(&format!("--- {path} is gone\n"));
        }
    }
    out
}

fn tree() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    TREE.iter().map(|(path, content)| (*path, content.as_bytes()))
}

/// The script in the host's bash; `None` when it did not end in time.
fn host(text: &str, place: &Place) -> Option<Outcome> {
    // What was started in the background ignores interrupts, which a shell would show as traps.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,QUIT", "bash", "-c", text, "bash"]);
    host_run::on_host(&mut command, tree(), None, place)
}

/// The script in a sandbox.
fn ours(text: &str, place: &Place) -> Outcome {
    host_run::in_sandbox(Script::command(text), tree(), None, place)
}

/// Whether both differ, and bash itself does the same each time.
fn differs(text: &str, place: &Place) -> Option<(Outcome, Outcome)> {
    let theirs = host(text, place)?;
    let mine = ours(text, place);
    let all = std::env::var_os("HOST_BASH_ALL").is_some();
    if theirs == mine || !all && is_explained(text, &theirs, &mine) {
        return None;
    }
    let steady = (0..3).all(|_| host(text, place).is_some_and(|again| again == theirs));
    steady.then_some((theirs, mine))
}

fn report(number: u64, statements: Vec<Statement>, place: &Place) -> String {
    let whole = render(&statements);
    let small =
        render(&shrink(statements, 400, &mut |candidate| differs(&render(candidate), place).is_some()));
    let shown = differs(&small, place);
    let both = shown.map_or_else(String::new, |(theirs, mine)| {
        format!("=== bash: {}\n=== here: {}", show(&theirs), show(&mine))
    });
    let whole = if std::env::var_os("HOST_BASH_WHOLE").is_some() { whole } else { String::new() };
    format!("##### script {number}\n{small}{both}\n{whole}")
}

#[test]
fn random_scripts_do_as_in_the_hosts_bash() {
    let version = Command::new("bash").args(["-c", "echo $BASH_VERSION"]).output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("5.2.") {
        println!("SKIP: there is no bash 5.2 here to compare with (found {:?})", version.trim());
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, from) = (number("HOST_BASH").unwrap_or(300), number("HOST_BASH_FROM").unwrap_or(0));
    let next = AtomicU64::new(from);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (next, found) = (&next, &found);
            scope.spawn(move || {
                let place = Place::new(&worker.to_string());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= from + count {
                        break;
                    }
                    let statements = if number % 2 == 0 { script(number / 2) } else { wide_script(number) };
                    if differs(&render(&statements), &place).is_some() {
                        let text = report(number, statements, &place);
                        found.lock().unwrap().push((number, text));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    for (_, text) in &found {
        println!("{text}");
    }
    println!("{count} scripts from {from}, {} differ", found.len());
    assert!(found.is_empty(), "{} of {count} scripts differ", found.len());
}
