//! What is found is held against the crate.

use super::*;
use crate::pattern::{NoTicker, Steady, at_once};
use regex_automata::util::syntax;

/// All matches with their groups, as the crate finds them, and as they are found here.
fn both(pattern: &str, text: &str, utf8: bool) -> [std::vec::Vec<std::vec::Vec<Option<Span>>>; 2] {
    let config = syntax::Config::new().utf8(utf8);
    let ours = Leftmost::new(pattern, config, 1 << 20).unwrap();
    let mut found = [std::vec::Vec::new(), std::vec::Vec::new()];
    let groups = |captures: &mut dyn Iterator<Item = Option<Span>>| captures.collect::<std::vec::Vec<_>>();
    for start in (0..=text.len()).filter(|&start| !utf8 || text.is_char_boundary(start)) {
        if utf8 {
            let theirs = regex::Regex::new(pattern).unwrap();
            let captures = theirs.captures_at(text, start);
            found[0].extend(
                captures
                    .map(|all| groups(&mut all.iter().map(|one| one.map(|one| (one.start(), one.end()))))),
            );
        } else {
            let theirs = regex::bytes::Regex::new(pattern).unwrap();
            let captures = theirs.captures_at(text.as_bytes(), start);
            found[0].extend(
                captures
                    .map(|all| groups(&mut all.iter().map(|one| one.map(|one| (one.start(), one.end()))))),
            );
        }
        let ticker = &mut NoTicker;
        let captures = at_once(ours.captures(text.as_bytes(), start, &mut Steady(ticker))).unwrap();
        if !captures.is_empty() {
            found[1].push(groups(&mut captures.iter().copied()));
        }
    }
    found
}

#[test]
fn finds_what_the_crate_finds() {
    let patterns = [
        "a",
        "ab|a",
        "a|ab",
        "(a)|(b)",
        "(a*)(b*)",
        "a*?b",
        "(?:a|b)+?",
        "^a",
        "a$",
        r"\ba",
        r"a\b",
        r"\Bb",
        "(a(b)?)+",
        "[^a]",
        ".",
        "",
        "(?i)A(B)?",
        r"(\w+)\s(\w+)",
        "é",
        "(é|a)*",
        r"(?m)^b|a$",
        r"x*",
        r"\b",
        r"(?s).*",
        "b(?:c|$)",
        r"(a??)(b??)",
        "(?:(a)|b)*",
        r"[[:alpha:]]+\d?",
        "c+$",
        "(.)(.)(.)",
    ];
    let texts = ["", "a", "ab", "aab ba", "é", "aéb é", "ab\nba", "AB ab 1", "日本 ab", "cccb ccc", "abcabc"];
    for pattern in patterns {
        for text in texts {
            for utf8 in [true, false] {
                let [theirs, ours] = both(pattern, text, utf8);
                assert_eq!(ours, theirs, "{pattern} in {text:?}, UTF-8 {utf8}");
            }
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(400))]

    #[test]
    fn finds_what_the_crate_finds_in_any_text(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "a", "b", "(", ")", "|", "*", "+", "?", "[ab]", "[^a]", "é", ".", r"\b", r"\B", "^", "$", r"\w", "(a)", "(?:b|)",
        ]), 0..9),
        text in "[abé \n]{0,12}",
    ) {
        let pattern = pieces.concat();
        if regex::Regex::new(&pattern).is_ok() {
            for utf8 in [true, false] {
                let [theirs, ours] = both(&pattern, &text, utf8);
                assert_eq!(ours, theirs, "{pattern} in {text:?}, UTF-8 {utf8}");
            }
        }
    }
}

#[test]
fn long_texts_and_long_matches() {
    let text = ["a".repeat(3 * LONG), "é".repeat(LONG), "b".to_owned()].concat();
    let ticker = &mut NoTicker;
    for (pattern, from, end) in [
        ("b", text.len() - 1, text.len()),
        ("a+", 0, 3 * LONG),
        (r"\bé+b\b", 0, 0),
        ("(?s).*", 0, text.len()),
    ] {
        let ours = Leftmost::new(pattern, syntax::Config::new(), 1 << 20).unwrap();
        let found = at_once(ours.find(text.as_bytes(), 0, &mut Steady(ticker))).unwrap();
        assert_eq!(found, (end > 0).then_some((from, end)), "{pattern}");
    }
    let ours = Leftmost::new("(a+)(é+)(b)", syntax::Config::new(), 1 << 20).unwrap();
    let found = at_once(ours.captures(text.as_bytes(), 0, &mut Steady(ticker))).unwrap();
    let end = text.len();
    let want = [(0, end), (0, 3 * LONG), (3 * LONG, end - 1), (end - 1, end)].map(Some);
    assert_eq!(found.as_slice(), want);
}
