//! Random scripts in the host's bash and in a sandbox: both must print the same, end with the same status and leave the
//! same files. Scripts are a function of their number: `HOST_BASH=5000 cargo test --test host_bash` runs more of them,
//! `HOST_BASH_FROM=17` begins at another number, `HOST_BASH_ALL=1` takes no reason for a difference, `HOST_BASH_WHOLE=1`
//! shows the whole script too. How often each reason of `support/oddity.rs` was needed is printed at the end.

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

mod generated;
#[path = "support/host_run.rs"]
mod host_run;
#[path = "support/oddity.rs"]
mod oddity;

use generated::{Statement, render, script, shrink, wide_script};
use hookbox::sandbox::Script;
use host_run::{Outcome, Place};
use oddity::Both;
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
    // What was started in the background ignores interrupts, under nohup hang-ups, which a shell would show as traps.
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP,INT,QUIT", "bash", "-c", text, "bash"]);
    host_run::on_host(&mut command, tree(), None, place)
}

/// The script in a sandbox.
fn ours(text: &str, place: &Place) -> Outcome {
    host_run::in_sandbox(Script::command(text), tree(), None, place)
}

/// What a script shows.
enum Verdict {
    Same,
    /// Bash itself does not do the same each time, or did not end.
    Unsteady,
    /// Nothing else differs but what these oddities of bash explain.
    Explained(Vec<&'static str>),
    Different(Outcome, Outcome),
}

fn judge(text: &str, place: &Place) -> Verdict {
    let Some(theirs) = host(text, place) else { return Verdict::Unsteady };
    let mine = ours(text, place);
    if theirs == mine {
        return Verdict::Same;
    }
    if std::env::var_os("HOST_BASH_ALL").is_none() {
        let mut run = |reworded: &str| Some((host(reworded, place)?, ours(reworded, place)));
        let both = Both { script: text, bash: &theirs, mine: &mine };
        if let Some(reasons) = oddity::explain(&both, &mut run) {
            return Verdict::Explained(reasons);
        }
    }
    let steady = (0..3).all(|_| host(text, place).is_some_and(|again| again == theirs));
    if steady { Verdict::Different(theirs, mine) } else { Verdict::Unsteady }
}

/// Whether both differ without a reason, and bash itself does the same each time.
fn differs(text: &str, place: &Place) -> Option<(Outcome, Outcome)> {
    match judge(text, place) {
        Verdict::Different(theirs, mine) => Some((theirs, mine)),
        _ => None,
    }
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
    let uses: Mutex<BTreeMap<&str, Vec<u64>>> = Mutex::default();
    let unsteady = Mutex::new(0_u64);
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (next, found, uses, unsteady) = (&next, &found, &uses, &unsteady);
            scope.spawn(move || {
                let place = Place::new(&worker.to_string());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= from + count {
                        break;
                    }
                    let statements = if number % 2 == 0 { script(number / 2) } else { wide_script(number) };
                    match judge(&render(&statements), &place) {
                        Verdict::Same => {}
                        Verdict::Unsteady => *unsteady.lock().unwrap() += 1,
                        Verdict::Explained(reasons) => {
                            let mut uses = uses.lock().unwrap();
                            for name in reasons {
                                uses.entry(name).or_default().push(number);
                            }
                        }
                        Verdict::Different(..) => {
                            let text = report(number, statements, &place);
                            found.lock().unwrap().push((number, text));
                        }
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
    for (name, numbers) in uses.into_inner().unwrap() {
        let first: Vec<String> = numbers.iter().take(8).map(u64::to_string).collect();
        println!("{:5} times: {name} ({})", numbers.len(), first.join(" "));
    }
    let unsteady = unsteady.into_inner().unwrap();
    println!("{count} scripts from {from}, {} differ, {unsteady} are not compared", found.len());
    assert!(found.is_empty(), "{} of {count} scripts differ", found.len());
}
