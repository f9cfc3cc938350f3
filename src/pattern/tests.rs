//! Expected results are those of bash 5.2 in C.UTF-8.

use super::*;

fn extglob() -> PatternOptions {
    PatternOptions { extglob: true, ..PatternOptions::default() }
}

fn matches_with(pattern: &str, text: &[u8], options: PatternOptions) -> bool {
    Pattern::parse(pattern.as_bytes(), options).matches(text, &mut NoTicker).unwrap()
}

fn matches(pattern: &str, text: &str) -> bool {
    matches_with(pattern, text.as_bytes(), extglob())
}

fn assert_matches(pattern: &str, yes: &[&str], no: &[&str]) {
    for text in yes {
        assert!(matches(pattern, text), "{pattern} does not match {text}");
    }
    for text in no {
        assert!(!matches(pattern, text), "{pattern} matches {text}");
    }
}

#[test]
fn wildcards_match_characters() {
    assert_matches("*", &["", "a", "/x"], &[]);
    assert_matches("?", &["a", "é", "€"], &["", "ab"]);
    assert_matches("a*b?c*", &["abxc", "axxbéc", "abbccd"], &["abc", "ac"]);
    assert_matches("*.tar.*", &["x.tar.gz", ".tar."], &["x.tar"]);
    assert!(matches_with("?", b"\xff", extglob()));
}

#[test]
fn brackets_match_one_character_of_a_set() {
    assert_matches("[]a]", &["]", "a"], &["[", "b"]);
    assert_matches("[!]a]", &["b", "["], &["]", "a"]);
    assert_matches("[^a-c]", &["d", "é"], &["b", ""]);
    assert_matches("[a-]", &["a", "-"], &["b"]);
    assert_matches("[c-a]", &[], &["a", "b", "c", "-"]);
    assert_matches("[[:alpha:][:digit:]_]", &["a", "é", "7", "_"], &["-", " "]);
    assert_matches("[[:foo:]x]", &["x"], &["f", ":"]);
    assert_matches("[[=a=][.-.]]", &["a", "-"], &["="]);
    assert_matches("[\\]\\-]", &["]", "-"], &["\\"]);
    assert_matches("[a\\-c]", &["a", "-", "c"], &["b"]);
    assert_matches("[ab", &["[ab"], &["a"]);
}

#[test]
fn quoting_makes_bytes_literal() {
    let pattern = Pattern::new(b"*.[ab]*", &[false, false, true], PatternOptions::default());
    assert!(pattern.matches(b"x.[ab]y", &mut NoTicker).unwrap());
    assert!(!pattern.matches(b"x.ay", &mut NoTicker).unwrap());
    assert_matches("\\*a\\", &["*a\\"], &["xa\\"]);
    assert_eq!(Pattern::parse(b"a\\*b", PatternOptions::default()).literal(), Some(&b"a*b"[..]));
    assert!(!Pattern::parse(b"a\\*b", PatternOptions::default()).is_special());
    assert!(Pattern::parse(b"a[b]", PatternOptions::default()).is_special());
    assert!(!Pattern::parse(b"a[b", PatternOptions::default()).is_special());
}

#[test]
fn extended_operators_nest() {
    assert_matches("@(a|b*(c))d", &["ad", "bd", "bccd"], &["d", "acd"]);
    assert_matches("?(a)+(b|cd)", &["ab", "bcdb", "cd"], &["", "a", "ac"]);
    assert_matches("!(*.txt)", &["a", "", "a.txtx"], &["a.txt", ".txt"]);
    assert_matches("!(a|b)c", &["c", "xc", "abc"], &["ac", "bc"]);
    assert_matches("!(!(a))", &["a"], &["", "b", "aa"]);
    assert_matches("@(a", &["@(a"], &["a"]);
    assert_matches("@([|)]|x)", &["|", ")", "x"], &["[|"]);
    assert_matches("!(*)", &[], &["", "a"]);
    assert!(!matches_with("@(a)", b"a", PatternOptions::default()));
}

#[test]
fn case_can_be_ignored() {
    let options = PatternOptions { ignore_case: true, ..extglob() };
    for (pattern, text) in [("abc*", "ABCd"), ("É", "é"), ("[a-c]", "B"), ("@(x|[Y])", "y")] {
        assert!(matches_with(pattern, text.as_bytes(), options), "{pattern} {text}");
    }
    // A class is of characters as they are.
    assert!(!matches_with("@(x|[[:upper:]])", b"y", options));
}

#[test]
fn pathname_rules_guard_slash_and_period() {
    let options = PatternOptions { pathname: true, period: true, ..extglob() };
    for (pattern, text, expected) in [
        ("*", "a", true),
        ("*", ".a", false),
        ("?a", ".a", false),
        ("[.]a", ".a", false),
        (".*", ".a", true),
        ("*/b", "a/b", true),
        ("*", "a/b", false),
        ("a/*", "a/.b", false),
        ("a?b", "a/b", false),
        ("a[/]b", "a/b", false),
        ("@(.a|b)", ".a", true),
        ("!(b)", ".a", false),
        ("*@(b)", "a/b", false),
    ] {
        assert_eq!(matches_with(pattern, text.as_bytes(), options), expected, "{pattern} {text}");
    }
}

#[test]
fn prefixes_and_suffixes() {
    let text = b"/usr/lib/x.tar.gz";
    let ends = |pattern: &str| {
        let pattern = Pattern::parse(pattern.as_bytes(), extglob());
        let t = &mut NoTicker;
        [
            at_once(pattern.prefix(text, false, &mut Steady(t))).unwrap(),
            at_once(pattern.prefix(text, true, &mut Steady(t))).unwrap(),
            at_once(pattern.suffix(text, false, &mut Steady(t))).unwrap(),
            at_once(pattern.suffix(text, true, &mut Steady(t))).unwrap(),
        ]
    };
    assert_eq!(ends("*/"), [Some(1), Some(9), None, None]);
    assert_eq!(ends(".*"), [None, None, Some(14), Some(10)]);
    assert_eq!(ends("*"), [Some(0), Some(17), Some(17), Some(0)]);
    assert_eq!(ends("*/*.*"), [Some(11), Some(17), Some(8), Some(0)]);
    assert_eq!(ends("+([!z])"), [Some(1), Some(16), None, None]);
    assert_eq!(ends(".+([a-z])"), [None, None, Some(14), Some(14)]);
    assert_eq!(ends("??"), [Some(2), Some(2), Some(15), Some(15)]);
}

fn replace_all(pattern: &str, text: &str) -> String {
    let pattern = Pattern::parse(pattern.as_bytes(), extglob());
    let mut matches = Matches::new(&pattern, text.as_bytes());
    let (mut replaced, mut at) = (Vec::new(), 0);
    while let Some((start, end)) = at_once(matches.next(&mut Steady(&mut NoTicker))).unwrap() {
        replaced.extend_from_slice(&text.as_bytes()[at..start]);
        replaced.push(b'-');
        at = end;
    }
    replaced.extend_from_slice(&text.as_bytes()[at..]);
    String::from_utf8(replaced).unwrap()
}

#[test]
fn matches_are_leftmost_longest() {
    for (pattern, text, expected) in [
        ("a", "banana", "b-n-n-"),
        ("an*a", "xbananay", "xb-y"),
        ("[aé]", "aéb", "--b"),
        ("+(a|n)", "banana", "b-"),
        ("@(a|an|ana)", "banana", "b-n-"),
        ("*(z)", "abc", "-a-b-c"),
        ("*", "abc", "-"),
        ("*", "", "-"),
        ("?(a)", "", ""),
        ("", "abc", "abc"),
    ] {
        assert_eq!(replace_all(pattern, text), expected, "{pattern} {text}");
    }
}

/// Counts ticks; the figures below are far under what a quadratic or exponential search would need.
struct Counter(u64);

impl Ticker for Counter {
    fn tick(&mut self, n: u64) -> Result<(), Stopped> {
        self.0 = self.0.checked_sub(n).ok_or(Stopped)?;
        Ok(())
    }
}

#[test]
fn bombs_end_within_a_bound() {
    let text = vec![b'a'; 20_000];
    let nested = format!("{}a{}b", "*(".repeat(200), ")".repeat(200));
    let negated = format!("{}a{}", "!(".repeat(60), ")".repeat(60));
    for pattern in ["**(a*)b", "*(*(*(a)))b", "+(a|aa|aaa)b", "*!(*!(*!(a)b))b", &nested, &negated] {
        let pattern = Pattern::parse(pattern.as_bytes(), extglob());
        let counter = &mut Counter(2_000_000);
        assert!(pattern.matches(&text, counter).is_ok());
        assert!(at_once(Matches::new(&pattern, &text).next(&mut Steady(counter))).is_ok());
    }
    let distinct = "!(*(aa)|*(aaa)|*(aaaaa)|*(aaaaaaa)|*(aaaaaaaaaaa))!(*(aa)b)b";
    let pattern = Pattern::parse(distinct.as_bytes(), extglob());
    assert_eq!(pattern.matches(&text, &mut Counter(1000)), Err(Stopped));
}

#[test]
fn long_texts_and_patterns_are_linear() {
    let text = "ab/".repeat(300_000).into_bytes();
    let counter = &mut Counter(4_000_000);
    for pattern in ["*/", "/*", "x*", "a", "[ab]", "*x", "*a*b*c"] {
        let pattern = Pattern::parse(pattern.as_bytes(), PatternOptions::default());
        let pace = &mut Steady(&mut *counter);
        at_once(pattern.prefix(&text, true, pace)).unwrap();
        at_once(pattern.suffix(&text, true, pace)).unwrap();
        at_once(pattern.suffix(&text, false, pace)).unwrap();
        let mut all = Matches::new(&pattern, &text);
        while at_once(all.next(pace)).unwrap().is_some() {}
    }
    for unit in ["[", "[[:a:]", "[[=", "@(", "[a-", "(", "*", "@(a|"] {
        Pattern::parse(unit.repeat(20_000).as_bytes(), extglob());
    }
}
