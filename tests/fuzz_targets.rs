//! The fuzzer's targets are plain functions over bytes: here each takes its seeds, whole and with bytes changed, on any
//! toolchain. `fuzz/run` goes on from there. `FUZZ=1000 cargo test --test fuzz_targets` tries so many mutations of each target
//! (40 otherwise), `FUZZ_TARGET=jq` of one target alone.

#![allow(clippy::unwrap_used, reason = "a test")]
#![allow(dead_code, reason = "the fuzzer has its own use of some of it")]

mod generated;
#[path = "../fuzz/src/target/mod.rs"]
mod target;

use generated::random::Random;
use hookbox::internal::syntax::{NoAliases, ParseOptions, Parser};
use std::path::Path;

/// Pieces that a mutation puts in.
const PIECES: &[&str] = &[
    "\n%%\n",
    "\n",
    " ",
    "\"",
    "'",
    "\\",
    "$",
    "`",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "*",
    "?",
    "+",
    "|",
    "^",
    ".",
    ",",
    ":",
    "0",
    "99999999999999999999",
    "-",
    "é",
    "\u{10ffff}",
    "null",
    "$(",
    "${",
    "[[:alpha:]]",
    "%s",
    "/",
];

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = seed.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(text.len().max(1));
        match random.below(4) {
            0 if at < text.len() => {
                let end = (at + 1 + random.below(8)).min(text.len());
                text.drain(at..end);
            }
            1 if at < text.len() => text[at] = random.below(256) as u8,
            2 if at < text.len() => {
                let end = (at + 1 + random.below(16)).min(text.len());
                let again = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, again);
            }
            _ => {
                text.splice(at..at, random.pick(PIECES).bytes());
            }
        }
    }
    text
}

#[test]
fn seeds_and_their_mutations_have_no_finding() {
    let times: usize = std::env::var("FUZZ").ok().and_then(|times| times.parse().ok()).unwrap_or(40);
    let only = std::env::var("FUZZ_TARGET").ok();
    for (number, (name, check)) in target::TARGETS.iter().enumerate() {
        if only.as_deref().is_some_and(|only| only != *name) {
            continue;
        }
        let seeds = seeds(name);
        assert!(seeds.len() >= 2, "{name} has {} seeds", seeds.len());
        let random = &mut Random::new(number as u64);
        let mutations: Vec<_> =
            (0..times).map(|_| mutated(&seeds[random.below(seeds.len())], random)).collect();
        for input in seeds.iter().chain(&mutations) {
            let caught = std::panic::catch_unwind(|| check(input));
            assert!(caught.is_ok(), "{name}:\n{}", String::from_utf8_lossy(input));
        }
    }
}

#[test]
fn scripts_of_targets_have_no_syntax_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/src/target/scripts");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read(&path).unwrap();
        let mut parser = Parser::new(text.as_slice().into(), 1);
        while let Some(list) = parser.next_command(&ParseOptions::default(), &NoAliases).transpose() {
            assert!(list.is_ok(), "{}: {list:?}", path.display());
        }
    }
}
