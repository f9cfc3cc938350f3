//! Random histories and work trees, made by the real git in a temporary folder and seeded into a sandbox: every command
//! that reads must print the same there and end with the same status. `GIT_RANDOM=200 cargo test --test git_random` makes more
//! of them, `GIT_RANDOM_FROM=17` begins at another number, `GIT_RANDOM_SHOW=1` shows each difference, and with
//! `-- --nocapture` each is told when it is found.
//! What is asked are the lines of `commands.txt`. `GIT_UNUSUAL=20` makes repositories with something unusual besides, which are
//! asked for the lines of `unusual.txt` too, and from several places; they still differ in some, so none are made without it.

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

#[path = "git_random/history.rs"]
mod history;
#[path = "git_random/unusual.rs"]
mod unusual;

use history::Numbers;
use hookbox::sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;
use unusual::View;

const COMMANDS: &str = include_str!("git_random/commands.txt");
/// What is asked of unusual repositories besides.
const UNUSUAL: &str = include_str!("git_random/unusual.txt");
/// When the commands run.
const NOW: u64 = 1_800_000_000;
/// Commands that a view besides the first is asked.
const ASKED: usize = 60;

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty())
}

fn scratch(kind: &str, number: u64) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("git-random-{}-{kind}-{number}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(folder.join("main")).unwrap();
    folder.canonicalize().unwrap()
}

/// What is not committed is dated now.
fn without_now(text: &str) -> String {
    let mark = "Not Committed Yet ";
    let mut out = String::new();
    for (index, part) in text.split(mark).enumerate() {
        if index == 0 {
            out.push_str(part);
            continue;
        }
        out.push_str(mark);
        let blanks = part.len() - part.trim_start().len();
        out.push_str(part.get(blanks + "2026-01-01 00:00:00".len()..).unwrap_or(part));
    }
    out
}

fn fault(head: String, expected: &str, found: &str, stderr: &[u8]) -> String {
    let mut fault = head;
    if std::env::var_os("GIT_RANDOM_SHOW").is_some() {
        let at = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
        let around = |text: &str| {
            let start = text.floor_char_boundary(at.saturating_sub(120));
            let end = text.floor_char_boundary((at + 200).min(text.len()));
            text.get(start..end).unwrap_or_default().to_owned()
        };
        fault.push_str(&format!(
            "\n--- git\n{}\n--- ours\n{}\n--- stderr\n{}",
            around(expected),
            around(found),
            String::from_utf8_lossy(stderr)
        ));
    }
    println!("{fault}");
    fault
}

/// What differs when a view is asked these commands, a text for each.
async fn ask(name: &str, sandbox: &Sandbox, view: &View, commands: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let exports: Vec<String> =
        view.environment.iter().map(|(name, value)| format!(" {name}='{value}'")).collect();
    let exports = exports.concat();
    for command in commands {
        let args: Vec<&str> = command.split(' ').collect();
        let (stdout, status) = history::ask(&view.folder, NOW, &view.environment, &args);
        let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        let script = format!(
            "export HOME=/nonexistent TZ=UTC GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com \
GIT_AUTHOR_DATE='1800000000 +0130'{exports}; cd '{}' && git {}",
            view.folder.display(),
            quoted.join(" ")
        );
        let output = sandbox.run(&script).await;
        let found = without_now(&String::from_utf8_lossy(&output.stdout));
        let expected = without_now(&String::from_utf8_lossy(&stdout));
        if found != expected || i32::from(output.status) != status {
            let head = format!("{name}{} git {command}: status {status}, ours {}", view.name, output.status);
            faults.push(fault(head, &expected, &found, &output.stderr));
        }
    }
    faults
}

fn seeded(folder: &Path) -> Sandbox {
    Sandbox::builder().seed_dir(folder.to_string_lossy().into_owned(), folder).build().unwrap()
}

async fn plain(number: u64) -> Vec<String> {
    let folder = scratch("plain", number);
    let repository = folder.join("main");
    history::build(&repository, number, |_, _| {});
    let commands: Vec<&str> = lines(COMMANDS).collect();
    let faults = ask(&format!("#{number}"), &seeded(&folder), &View::of(repository), &commands).await;
    drop(std::fs::remove_dir_all(&folder));
    faults
}

async fn unusual(number: u64) -> Vec<String> {
    let folder = scratch("unusual", number);
    let (views, told) = unusual::build(&folder, number);
    let sandbox = seeded(&folder);
    let all: Vec<&str> = lines(COMMANDS).chain(lines(UNUSUAL)).collect();
    let mut numbers = Numbers(number);
    let mut faults = Vec::new();
    for (index, view) in views.iter().enumerate() {
        let commands: Vec<&str> = match index {
            0 => all.clone(),
            _ => (0..ASKED).map(|_| numbers.pick(&all)).collect(),
        };
        faults.extend(ask(&format!("#{number} ({})", told.join(", ")), &sandbox, view, &commands).await);
    }
    drop(std::fs::remove_dir_all(&folder));
    faults
}

fn has_git() -> bool {
    let has_git = Command::new("git").arg("--version").output().is_ok();
    if !has_git {
        println!("skipped: there is no git");
    }
    has_git
}

fn numbers(count: &str, usual: u64) -> std::ops::Range<u64> {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let first = number("GIT_RANDOM_FROM", 0);
    first..first + number(count, usual)
}

#[tokio::test]
async fn random_repositories_read_as_git_reads_them() {
    if !has_git() {
        return;
    }
    let mut faults = Vec::new();
    for number in numbers("GIT_RANDOM", 3) {
        faults.extend(plain(number).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn unusual_repositories_read_as_git_reads_them() {
    if !has_git() {
        return;
    }
    let mut faults = Vec::new();
    for number in numbers("GIT_UNUSUAL", 0) {
        faults.extend(unusual(number).await);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
