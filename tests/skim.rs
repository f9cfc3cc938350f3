//! What the skimmer takes for the body of a function, the parser takes too, to the same end: with and without
//! `defers` a text has the same commands and the same error. Over the scripts of all case files, random scripts,
//! and both with bytes deleted, doubled, exchanged or put in, each as the body of a function.
//! `SKIM=100 cargo test --test skim` tries so many mutations of each script (2 otherwise).

#![allow(clippy::unwrap_used, reason = "a test")]

mod generated;
#[allow(dead_code, reason = "the cases' scripts alone are used")]
mod support;

use generated::random::Random;
use generated::{render, script};
use hookbox::internal::syntax::ast::{CommandKind, List};
use hookbox::internal::syntax::{NoAliases, ParseOptions, Parser, is_well_formed};
use std::path::Path;

/// Pieces that a mutation puts in.
const PIECES: &[&str] = &[
    ";", "&", "|", "(", ")", "{", "}", "if ", "then ", "else ", "fi", "do ", "done", "case ", "esac", " in ",
    ";;", "for ", "while ", "[[ ", " ]]", "((", "))", "!", "time ", "x=(", "<", ">", "<<<", "$(", "${", "\"",
    "'", "`", "<(", "\n", "#", "\\", "=", "$", "[", "]", " ", "*", "?", "@", ":", "/", "%", "-", "=~", "1>",
    "\\\n", "}>", "\0",
];

/// The commands before the first error, and the error.
fn parsed(text: &[u8], extglob: bool, defers: bool) -> (Vec<List>, String) {
    let options = ParseOptions { extglob, defers, ..ParseOptions::default() };
    let mut parser = Parser::new(text.into(), 1);
    let mut lists = Vec::new();
    loop {
        match parser.next_command(&options, &NoAliases) {
            Ok(Some(list)) => lists.push(list),
            Ok(None) => return (lists, format!("{:?}", parser.take_warnings())),
            Err(error) => return (lists, format!("{error:?}")),
        }
    }
}

/// Whether the first command is a function.
fn defines(lists: &[List]) -> bool {
    let command =
        lists.first().and_then(|list| list.items().first()).and_then(|item| item.and_or.first.stages.first());
    command.is_some_and(|command| matches!(command.kind, CommandKind::Function(_)))
}

fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(text.len().max(1));
        let piece = random.pick(PIECES).bytes();
        match random.below(4) {
            0 if at < text.len() => {
                text.remove(at);
            }
            1 if at < text.len() => {
                let other = random.below(text.len());
                text.swap(at, other);
            }
            _ => {
                text.splice(at..at, piece);
            }
        }
    }
    text
}

#[test]
fn what_is_skimmed_is_parsed_to_the_same_end() {
    let times: usize = std::env::var("SKIM").ok().and_then(|times| times.parse().ok()).unwrap_or(2);
    let cases = support::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
    let scripts = cases.into_iter().map(|case| case.script);
    let scripts = scripts.chain((0..800).map(|seed| render(&script(seed)).into_bytes()));
    let (mut texts, mut functions, mut well_formed, mut failed) = (0, 0, 0, 0);
    for (number, script) in scripts.enumerate().filter(|(_, script)| script.len() < 5_000) {
        let random = &mut Random::new(number as u64);
        for round in 0..=times {
            let body = if round == 0 { script.clone() } else { mutated(&script, random) };
            let extglob = round % 2 == 1;
            // Short branches are not skimmed.
            let long = format!(" # {}\n", "x".repeat(300));
            for (before, behind) in [
                ("f() {\n", "\n} ; echo\n"),
                (&*format!("if a; then{long}"), "\nfi ; echo\n"),
                (&*format!("if a; then b; else{long}"), "\nfi > x\n"),
                (&*format!("case a in b){long}"), "\n;; esac; echo\n"),
                (&*format!("case a in b){long}"), "\nesac | echo\n"),
            ] {
                let text = [before.as_bytes(), &body, behind.as_bytes()].concat();
                let (deferred, whole) = (parsed(&text, extglob, true), parsed(&text, extglob, false));
                texts += 1;
                functions += usize::from(defines(&whole.0));
                if deferred != whole {
                    failed += 1;
                    println!("--- {}\n{:?}\n{:?}", String::from_utf8_lossy(&text), deferred.1, whole.1);
                }
                let options = ParseOptions { extglob, ..ParseOptions::default() };
                if is_well_formed(&text, &options) {
                    well_formed += 1;
                    if whole.1 != "[]" {
                        failed += 1;
                        println!("--- {}\nis not well formed: {}", String::from_utf8_lossy(&text), whole.1);
                    }
                }
            }
        }
    }
    println!("{texts} texts, {functions} of them functions, {well_formed} skimmed whole, {failed} differ");
    assert!(functions > 5_000, "only {functions} functions were compared");
    assert!(well_formed > 5_000, "only {well_formed} texts were skimmed whole");
    assert_eq!(failed, 0, "{failed} of {texts} texts differ");
}
