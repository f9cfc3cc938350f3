//! Random programs of jq, awk, sed and grep in the real tool and in a sandbox: both must print the same on both streams,
//! end with the same status and leave the same files. A program is a function of its tool and its number.
//!
//! `HOST_TOOLS=20000 cargo test --test host_tools` compares more of each tool, `HOST_TOOLS_FROM=17` begins at another
//! number, `HOST_TOOL=awk` takes one tool (or several: `jq,awk`), `HOOKBOX_JQ=PATH` names jq 1.8.2 where `jq` is another
//! version, `HOST_TOOLS_WHOLE=1` shows programs as they are, `HOST_TOOLS_KNOWN=TEXT` shows those too that differ for a reason
//! with this text in it. A tool that is not there, or in another version, is skipped with a line that says so. What differs is cut down
//! and printed as a script to paste; `tests/generated/tools.rs` says how a tool is added.

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

#[path = "support/host_run.rs"]
mod host_run;
#[path = "generated/tools.rs"]
mod tools;

use hookbox::sandbox::Script;
use host_run::{Outcome, Place};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use tools::{Call, TOOLS, Tool};

/// How many failing programs of a tool are cut down and shown, unless `HOST_TOOLS_SHOW` says otherwise.
const SHOWN: usize = 40;
/// How often a failing program is run to cut it down.
const TRIES: usize = 500;

/// The real programs: of which tool, how they are called, and the version that is compared with.
const ORACLES: &[(&str, &str, &str)] = &[
    ("jq", "jq", "jq-1.8.2"),
    ("awk", "gawk", "GNU Awk 5.2."),
    ("sed", "sed", "sed (GNU sed) 4.9"),
    ("grep", "grep", "grep (GNU grep) 3.8"),
];

/// The real program, and the name by which it is called.
struct Oracle {
    program: String,
    name: String,
}

impl Oracle {
    fn run(&self, call: &Call, place: &Place) -> Option<Outcome> {
        let mut command = Command::new(&self.program);
        let arguments = call.arguments.iter().map(|argument| std::ffi::OsStr::from_bytes(argument));
        command.arg0(&self.name).args(arguments);
        host_run::on_host(&mut command, call.contents(), Some(&call.stdin), place)
    }
}

/// The call in a sandbox; a panic is told as a line of standard error.
fn ours(tool: &str, call: &Call, place: &Place) -> Outcome {
    let run = || {
        host_run::in_sandbox(Script::command(call.command(tool)), call.contents(), Some(&call.stdin), place)
    };
    std::panic::catch_unwind(run).unwrap_or_else(|_| Outcome {
        stdout: Vec::new(),
        stderr: b"panicked\n".to_vec(),
        status: -1,
        files: BTreeMap::new(),
    })
}

fn oracle(tool: &str) -> Result<Oracle, String> {
    let (_, program, version) = ORACLES.iter().find(|(name, ..)| *name == tool).unwrap();
    let program = std::env::var(format!("HOOKBOX_{}", tool.to_uppercase())).unwrap_or((*program).to_owned());
    let output = Command::new(&program).arg("--version").output();
    let found = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let found = found.lines().next().unwrap_or("nothing");
    if !found.starts_with(version) {
        return Err(format!("SKIP: there is no {version:?} here to compare with (found {found:?})"));
    }
    Ok(Oracle { program, name: tool.to_owned() })
}

/// What a comparison came to.
enum Verdict {
    Same,
    /// The real tool did not end in time, or does not do the same each time.
    Unsteady,
    Known(&'static str),
    Differs(Box<(Outcome, Outcome)>),
}

fn compare(tool: &Tool, oracle: &Oracle, call: &Call, place: &Place) -> Verdict {
    let Some(theirs) = oracle.run(call, place) else { return Verdict::Unsteady };
    let mine = ours(tool.name, call, place);
    if theirs == mine {
        return Verdict::Same;
    }
    if let Some(known) = tool.known.iter().find(|known| (known.explains)(call, &theirs, &mine)) {
        return Verdict::Known(known.reason);
    }
    if (0..2).any(|_| oracle.run(call, place).as_ref() != Some(&theirs)) {
        return Verdict::Unsteady;
    }
    Verdict::Differs(Box::new((theirs, mine)))
}

/// What kind of difference it is: a call that is cut down keeps it, so that it does not become another one.
fn kind(theirs: &Outcome, mine: &Outcome) -> ([i32; 2], [bool; 3], [String; 2]) {
    let what = [theirs.stdout == mine.stdout, theirs.stderr == mine.stderr, theirs.files == mine.files];
    ([theirs.status, mine.status], what, [gist(&theirs.stderr), gist(&mine.stderr)])
}

/// The words of the last message, without places, names and values.
fn gist(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line =
        text.lines().rev().find(|line| line.contains(": ")).or(text.lines().next()).unwrap_or_default();
    let line = line.rsplit_once("fatal: ").or(line.rsplit_once("warning: ")).map_or(line, |(_, rest)| rest);
    let words = line.split(|character: char| !character.is_alphabetic() && character != ' ').next();
    words.unwrap_or_default().to_owned()
}

/// The call that differs, cut down; `None` when it does not do the same each time.
fn report(
    tool: &Tool,
    oracle: &Oracle,
    number: u64,
    both: &(Outcome, Outcome),
    place: &Place,
) -> Option<String> {
    let wanted = kind(&both.0, &both.1);
    let tries = if std::env::var_os("HOST_TOOLS_WHOLE").is_some() { 0 } else { TRIES };
    let small = tool.call(number).smaller(tries, &mut |candidate| {
        matches!(compare(tool, oracle, candidate, place), Verdict::Differs(both) if kind(&both.0, &both.1) == wanted)
    });
    let shown = match compare(tool, oracle, &small, place) {
        Verdict::Differs(both) => {
            format!("=== real: {}\n=== here: {}", show(&both.0, &small), show(&both.1, &small))
        }
        _ => return None,
    };
    Some(format!("##### {} {number}\n{}{shown}\n", tool.name, small.script(tool.name)))
}

/// The call that differs for a known reason, cut down to one that still does.
fn report_known(tool: &Tool, oracle: &Oracle, number: u64, reason: &str, place: &Place) -> String {
    let tries = if std::env::var_os("HOST_TOOLS_WHOLE").is_some() { 0 } else { TRIES };
    let small = tool.call(number).smaller(tries, &mut |candidate| {
        matches!(compare(tool, oracle, candidate, place), Verdict::Known(found) if found == reason)
    });
    let theirs = oracle.run(&small, place).map(|outcome| show(&outcome, &small)).unwrap_or_default();
    let mine = show(&ours(tool.name, &small, place), &small);
    let script = small.script(tool.name);
    format!("##### {} {number}: {reason}\n{script}=== real: {theirs}\n=== here: {mine}\n", tool.name)
}

fn show(outcome: &Outcome, call: &Call) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(1500).collect::<String>();
    let mut out = format!("status {}\n{}", outcome.status, text(&outcome.stdout));
    if !outcome.stderr.is_empty() {
        out.push_str(&format!("--- stderr\n{}", text(&outcome.stderr)));
    }
    let before: BTreeMap<&str, &[u8]> =
        call.files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    for (name, content) in &outcome.files {
        if before.get(name.as_str()) != Some(&content.as_slice()) {
            out.push_str(&format!("--- {name} {:?}\n", text(content)));
        }
    }
    for name in before.keys().filter(|name| !outcome.files.contains_key(**name)) {
        out.push_str(&format!("--- {name} is gone\n"));
    }
    out
}

/// Compares so many calls of a tool and says how many differ.
fn compare_all(tool: &Tool, from: u64, count: u64) -> usize {
    let oracle = match oracle(tool.name) {
        Ok(oracle) => oracle,
        Err(reason) => {
            println!("{reason}");
            return 0;
        }
    };
    let shown = std::env::var("HOST_TOOLS_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(SHOWN);
    let known_text = std::env::var("HOST_TOOLS_KNOWN").ok();
    let next = AtomicU64::new(from);
    let found = Mutex::new((BTreeMap::new(), BTreeMap::<&str, usize>::new(), 0, 0));
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (next, found, oracle, known_text) = (&next, &found, &oracle, &known_text);
            scope.spawn(move || {
                let place = Place::new(&format!("{}-{worker}", tool.name));
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= from + count {
                        break;
                    }
                    match compare(tool, oracle, &tool.call(number), &place) {
                        Verdict::Same => {}
                        Verdict::Unsteady => found.lock().unwrap().2 += 1,
                        Verdict::Known(reason) => {
                            *found.lock().unwrap().1.entry(reason).or_default() += 1;
                            if known_text.as_ref().is_some_and(|text| reason.contains(text.as_str())) {
                                let text = report_known(tool, oracle, number, reason, &place);
                                found.lock().unwrap().0.insert(number, text);
                            }
                        }
                        Verdict::Differs(both) => {
                            let show = {
                                let mut found = found.lock().unwrap();
                                found.3 += 1;
                                found.3 <= shown
                            };
                            if show {
                                let text = report(tool, oracle, number, &both, &place);
                                let mut found = found.lock().unwrap();
                                match text {
                                    Some(text) => {
                                        found.0.insert(number, text);
                                    }
                                    None => {
                                        found.2 += 1;
                                        found.3 -= 1;
                                    }
                                }
                            }
                        }
                    }
                }
            });
        }
    });
    let (texts, known, unsteady, differ) = found.into_inner().unwrap();
    for text in texts.values() {
        println!("{text}");
    }
    for (reason, times) in known {
        println!("{}: {times} times: {reason}", tool.name);
    }
    println!("{}: {count} programs from {from}, {unsteady} not compared, {differ} differ", tool.name);
    differ
}

#[test]
fn random_programs_do_as_in_the_real_tools() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, from) = (number("HOST_TOOLS").unwrap_or(300), number("HOST_TOOLS_FROM").unwrap_or(0));
    let chosen = std::env::var("HOST_TOOL").unwrap_or_default();
    let chosen = |tool: &Tool| match chosen.as_str() {
        "" => true,
        names => names.split(',').any(|name| name == tool.name),
    };
    let differ: usize =
        TOOLS.iter().filter(|tool| chosen(tool)).map(|tool| compare_all(tool, from, count)).sum();
    assert!(differ == 0, "{differ} programs differ");
}
