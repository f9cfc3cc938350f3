//! Every function that calls itself, alone or through others, is bounded: `tests/recursion.txt` says by what. A stack that
//! overflows ends the host's process, and nothing can be done about it when it happens; so the circles of calls are read from
//! the command's own machine code, and one that no row of the list cuts fails here.
//!
//! A row is a heading (`# by what it is bounded`) and below it functions:
//! - `counts NAME`: it adds one to a depth and refuses beyond a limit; whoever calls it is bounded, and so is itself,
//! - `bounded NAME`: it is bounded as the heading says.
//!
//! Calls by reference (`dyn`) are not seen. Where a run can make one wait for another, in boxes that borrow, that is a future; so
//! - `waits FILE`: what waits for itself by a `dyn Future` of this file is bounded.

#![cfg(all(debug_assertions, target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

const LIST: &str = include_str!("recursion.txt");
const BINARY: &str = env!("CARGO_BIN_EXE_hookbox");

/// The lines that a program of binutils prints of the command.
fn lines(program: &str, options: &[&str], mut each: impl FnMut(&str)) {
    let mut child = Command::new(program)
        .args(options)
        .arg(BINARY)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program} (of binutils) does not start: {error}"));
    let mut output = BufReader::with_capacity(1 << 20, child.stdout.take().unwrap());
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        each(line.trim_end());
        line.clear();
    }
    assert!(child.wait().unwrap().success(), "{program} failed");
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// Functions by number, and which of them each calls or takes the address of.
struct Calls {
    names: Vec<String>,
    of: Vec<Vec<usize>>,
}

impl Calls {
    fn read() -> Self {
        let mut addresses = HashMap::new();
        let mut names = Vec::new();
        lines("nm", &["-p", "-C"], |line| {
            let mut words = line.splitn(3, ' ');
            let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
                return;
            };
            if !matches!(kind, "t" | "T" | "w" | "W") {
                return;
            }
            let Some(address) = hexadecimal(address) else { return };
            addresses.entry(address).or_insert_with(|| {
                let name = name
                    .rsplit_once("::h")
                    .filter(|(_, hash)| hash.len() == 16)
                    .map_or(name, |parts| parts.0);
                names.push(name.to_owned());
                names.len() - 1
            });
        });
        // Calls from crate to crate go through a table of addresses.
        let mut table = HashMap::new();
        lines("objdump", &["-R", "-w"], |line| {
            let Some((place, value)) = line.split_once(" R_X86_64_RELATIVE") else { return };
            let value = value.trim().trim_start_matches("*ABS*+0x");
            if let (Some(place), Some(value)) = (hexadecimal(place), hexadecimal(value))
                && let Some(function) = addresses.get(&value)
            {
                table.insert(place, *function);
            }
        });
        let mut of = vec![BTreeSet::new(); names.len()];
        let mut current = None;
        lines("objdump", &["-d", "--no-show-raw-insn", "-w"], |line| {
            if line.ends_with(">:") {
                current =
                    line.split(' ').next().and_then(hexadecimal).and_then(|at| addresses.get(&at).copied());
                return;
            }
            let Some(caller) = current else { return };
            let target = match line.split_once("# ") {
                // A place that is named by its distance.
                Some((_, place)) => {
                    let place = place.split(' ').next().and_then(hexadecimal);
                    place.and_then(|place| addresses.get(&place).or_else(|| table.get(&place)))
                }
                None => {
                    let is_call = line.contains("\tcall ");
                    let place = (is_call || line.contains("\tjmp "))
                        .then(|| line.split_whitespace().nth(2))
                        .flatten();
                    let target = place.and_then(hexadecimal).and_then(|place| addresses.get(&place));
                    target.filter(|target| is_call || **target != caller)
                }
            };
            if let Some(target) = target {
                of[caller].insert(*target);
            }
        });
        Self { names, of: of.into_iter().map(|calls| calls.into_iter().collect()).collect() }
    }

    /// The circles among the functions that stay: sets of functions that call each other (Tarjan's algorithm, without recursion).
    fn circles(&self, stays: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
        const NEW: usize = usize::MAX;
        let count = self.names.len();
        let (mut number, mut low) = (vec![NEW; count], vec![NEW; count]);
        let (mut is_open, mut open, mut next, mut found) = (vec![false; count], Vec::new(), 0, Vec::new());
        for root in (0..count).filter(|function| stays(*function)) {
            if number[root] != NEW {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((function, at)) = path.last_mut() {
                let function = *function;
                if *at == 0 && number[function] == NEW {
                    (number[function], low[function], is_open[function]) = (next, next, true);
                    open.push(function);
                    next += 1;
                }
                if let Some(&called) = self.of[function].get(*at) {
                    *at += 1;
                    if stays(called) && number[called] == NEW {
                        path.push((called, 0));
                    } else if is_open[called] {
                        low[function] = low[function].min(number[called]);
                    }
                    continue;
                }
                path.pop();
                if let Some((above, _)) = path.last() {
                    low[*above] = low[*above].min(low[function]);
                }
                if low[function] == number[function] {
                    let from = open.iter().rposition(|member| *member == function).unwrap();
                    let circle = open.split_off(from);
                    for member in &circle {
                        is_open[*member] = false;
                    }
                    if circle.len() > 1 || self.of[function].contains(&function) {
                        found.push(circle);
                    }
                }
            }
        }
        found
    }
}

/// The rows: `counts`, `bounded` or `waits`, by name.
fn rows() -> BTreeMap<&'static str, &'static str> {
    let mut rows = BTreeMap::new();
    let mut heading = None;
    for line in LIST.lines().filter(|line| !line.is_empty()) {
        match line.split_once(' ') {
            Some(("#", reason)) => heading = Some(reason),
            Some((kind @ ("counts" | "bounded" | "waits"), name)) => {
                assert!(heading.is_some(), "no heading says what bounds {name}");
                assert!(rows.insert(name, kind).is_none(), "{name} stands twice in tests/recursion.txt");
            }
            _ => panic!("tests/recursion.txt: `{line}` is no heading, and begins with no kind of row"),
        }
    }
    rows
}

#[test]
fn every_circle_of_calls_is_bounded() {
    let mut rows = rows();
    rows.retain(|_, kind| *kind != "waits");
    let calls = Calls::read();
    let shown: Vec<String> = calls.names.iter().map(|name| name.replace("hookbox::", "")).collect();
    let counts: Vec<bool> = shown.iter().map(|name| rows.get(name.as_str()) == Some(&"counts")).collect();
    let is_cut: Vec<bool> = (0..shown.len())
        .map(|at| rows.contains_key(shown[at].as_str()) || calls.of[at].iter().any(|called| counts[*called]))
        .collect();
    let mut report = String::new();
    for circle in calls.circles(|function| !is_cut[function]) {
        let of_project = circle.iter().filter(|function| calls.names[**function].contains("hookbox::"));
        let names: BTreeSet<&str> = of_project.map(|function| shown[*function].as_str()).collect();
        if !names.is_empty() {
            let names: Vec<&str> = names.into_iter().take(12).collect();
            writeln!(report, "- {}", names.join("\n  ")).unwrap();
        }
    }
    let in_circles = calls.circles(|_| true).into_iter().flatten().map(|function| shown[function].as_str());
    let counting = counts.iter().zip(&shown).filter(|(counts, _)| **counts).map(|(_, name)| name.as_str());
    let known: BTreeSet<&str> = in_circles.chain(counting).collect();
    for name in rows.keys().filter(|name| !known.contains(*name)) {
        writeln!(report, "- {name} is not there, or in no circle, any more").unwrap();
    }
    assert!(report.is_empty(), "circles of calls that tests/recursion.txt does not bound:\n{report}");
}

#[test]
fn every_future_that_may_wait_for_itself_is_bounded() {
    let rows = rows();
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: Vec<_> =
        ["io", "machine", "program", "utility", "vfs"].map(|layer| source.join(layer)).into();
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path).unwrap().contains("dyn Future") {
                found.insert(path.strip_prefix(&source).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let listed = rows.iter().filter(|row| *row.1 == "waits").map(|row| (*row.0).to_owned()).collect();
    assert_eq!(found, listed, "files with a `dyn Future`, and those that tests/recursion.txt bounds");
}
