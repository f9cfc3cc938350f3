//! Expected results are those of bash 5.2 (`[[ =~ ]]`), GNU sed and GNU grep in C.UTF-8.

use super::*;
use crate::pattern::NoTicker;
use std::pin::pin;

impl Regex {
    fn matches_now(&self, text: &[u8]) -> Result<bool, RegexError> {
        in_place(pin!(self.is_match(text, &mut Pace::Alone(&mut NoTicker)))).unwrap()
    }

    fn find_now(&self, text: &[u8], start: usize) -> Result<Option<Span>, RegexError> {
        in_place(pin!(self.find_at(text, start, &mut Pace::Alone(&mut NoTicker)))).unwrap()
    }

    fn captures_now(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut crate::memory::Vec<Option<Span>>,
    ) -> Result<bool, RegexError> {
        in_place(pin!(self.captures_at(text, start, groups, &mut Pace::Alone(&mut NoTicker)))).unwrap()
    }
}

fn compile(source: &str, syntax: Syntax, options: &RegexOptions) -> Result<Regex, RegexError> {
    Regex::new(source.as_bytes(), syntax, options)
}

fn in_dialect(dialect: Dialect) -> RegexOptions {
    RegexOptions { dialect, ..RegexOptions::default() }
}

fn strings(text: &str, groups: &[Option<Span>]) -> Vec<String> {
    groups
        .iter()
        .map(|group| {
            group.map_or(String::from("-"), |(start, end)| {
                String::from_utf8_lossy(&text.as_bytes()[start..end]).into_owned()
            })
        })
        .collect()
}

/// The groups of the first match by both machines, which must agree; `None` without a match.
fn groups_with(source: &str, syntax: Syntax, options: &RegexOptions, text: &str) -> Option<Vec<String>> {
    let regex = compile(source, syntax, options).unwrap();
    let mut first = Vec::new();
    let matched = regex.captures_now(text.as_bytes(), 0, &mut first).unwrap();
    if let Engine::Posix(posix) = regex.engine() {
        posix.seen.store(LONG_TEXT, Ordering::Relaxed);
    }
    let mut second = Vec::new();
    assert_eq!(regex.captures_now(text.as_bytes(), 0, &mut second).unwrap(), matched, "{source} {text}");
    assert_eq!(first, second, "{source} {text}");
    assert_eq!(regex.matches_now(text.as_bytes()).unwrap(), matched);
    assert_eq!(regex.find_now(text.as_bytes(), 0).unwrap(), first.first().copied().flatten());
    matched.then(|| strings(text, &first))
}

fn assert_groups(source: &str, text: &str, expected: Option<&[&str]>) {
    let found = groups_with(source, Syntax::Extended, &RegexOptions::default(), text);
    let expected = expected.map(|groups| groups.iter().map(|&group| group.to_owned()).collect::<Vec<_>>());
    assert_eq!(found, expected, "{source} on {text}");
}

fn assert_basic(source: &str, text: &str, expected: Option<&str>) {
    let found = groups_with(source, Syntax::Basic, &RegexOptions::default(), text);
    assert_eq!(found.map(|groups| groups[0].clone()), expected.map(str::to_owned), "{source} on {text}");
}

fn assert_error(source: &str, syntax: Syntax, dialect: Dialect, message: &str) {
    let error = compile(source, syntax, &in_dialect(dialect)).expect_err(source);
    assert_eq!(error.to_string(), message, "{source}");
}

#[test]
fn matches_are_leftmost_longest_and_groups_as_in_glibc() {
    assert_groups("(a|ab)(c|bcd)(d*)", "abcd", Some(&["abcd", "a", "bcd", ""]));
    assert_groups("(a*)+", "aab", Some(&["aa", "aa"]));
    assert_groups("((a)|b)*", "ab", Some(&["ab", "b", "a"]));
    assert_groups("(foo|foobar)(bar)?", "foobar", Some(&["foobar", "foo", "bar"]));
    assert_groups("(.*)(b+)", "abbb", Some(&["abbb", "abb", "b"]));
    assert_groups("((a*)b)*", "aabab", Some(&["aabab", "ab", "a"]));
    assert_groups("x|xy|xyz", "axyzx", Some(&["xyz"]));
    assert_groups("b|axc|ab", "axbab", Some(&["b"]));
    assert_groups("axxc|b|x", "axxbc", Some(&["x"]));
    assert_groups(r"(^|;|&&|\|)\s*rm\s+-rf\b", "a; rm  -rf x", Some(&["; rm  -rf", ";"]));
    assert_groups(r"(^|;|&&|\|)\s*rm\s+-rf\b", "echo rm -rf x", None);
    assert_groups("(|a)b", "ab", Some(&["ab", "a"]));
    assert_groups("a{2}{2}", "aaaaa", Some(&["aaaa"]));
    assert_groups("a{,2}b{0}", "aaab", Some(&["aa"]));
    assert_groups("a)", "a)", Some(&["a)"]));
}

#[test]
fn basic_syntax_has_context() {
    assert_basic("*a", "*a", Some("*a"));
    assert_basic(r"\(*a\)", "*a", Some("*a"));
    assert_basic("^*a", "*a", Some("*a"));
    assert_basic(r"\+a", "+a", Some("+a"));
    assert_basic("x^a", "x^a", Some("x^a"));
    assert_basic("a$b", "a$b", Some("a$b"));
    assert_basic(r"a\|^b", "b", Some("b"));
    assert_basic(r"x\(a$\)y", "xay", None);
    assert_basic(r"a\{,2\}", "aaa", Some("aa"));
    assert_basic("a+(b|c)?{1}", "a+(b|c)?{1}", Some("a+(b|c)?{1}"));
    assert_basic(r"[a\]*", "a\\", Some("a\\"));
}

#[test]
fn characters_and_brackets() {
    assert_groups("^.é.$", "aéb", Some(&["aéb"]));
    assert_groups("[[:alpha:]]+", "1éa2", Some(&["éa"]));
    assert_groups("[^[:space:]]+", " ab ", Some(&["ab"]));
    assert_groups("[]a-]+", "x-]a", Some(&["-]a"]));
    assert_groups("[[.-.][=a=]]+", "b-a", Some(&["-a"]));
    assert_groups(r"\w+\W", "é_1 ", Some(&["é_1 "]));
    assert_groups(r"\<b\B", "ab bc", Some(&["b"]));
    assert_groups(r"\bc\>", "bc c", Some(&["c"]));
    let regex = compile(".", Syntax::Extended, &RegexOptions::default()).unwrap();
    assert!(!regex.matches_now(b"\xff").unwrap());
    let options = RegexOptions { ignore_case: true, ..RegexOptions::default() };
    for (source, text) in [("éx", "ÉX"), ("[a-c]", "B"), ("[[:upper:]]", "a"), (r"(a)\1", "aA"), ("[é]", "É")]
    {
        assert!(groups_with(source, Syntax::Extended, &options, text).is_some(), "{source}");
    }
}

#[test]
fn back_references() {
    assert_basic(r"\(.*\)-\1$", "abc-bc", Some("bc-bc"));
    assert_groups(r"(a*)b\1", "aabaa", Some(&["aabaa", "aa"]));
    let options = RegexOptions { backtrack_limit: 1000, ..RegexOptions::default() };
    let regex = compile(r"(a*)(a*)(a*)(a*)\1b", Syntax::Extended, &options).unwrap();
    assert_eq!(regex.matches_now(&[b'a'; 200]), Ok(false));
    let text = [&[b'a'; 200][..], b"cb"].concat();
    assert_eq!(regex.matches_now(&text), Err(RegexError::Backtracking { limit: 1000 }));
}

#[test]
fn errors_are_in_glibcs_words() {
    use Dialect::{Grep, Posix, Sed};
    use Syntax::{Basic, Extended};
    for (source, syntax, message) in [
        (r"\{1\}", Basic, "Invalid preceding regular expression"),
        (r"a**", Basic, "Invalid preceding regular expression"),
        (r"a\{1", Basic, r"Unmatched \{"),
        (r"a\{x\}", Basic, r"Invalid content of \{\}"),
        (r"a\{2,1\}", Basic, r"Invalid content of \{\}"),
        (r"a\{32768\}", Basic, "Regular expression too big"),
        (r"a\(b", Basic, r"Unmatched ( or \("),
        (r"a\)", Basic, r"Unmatched ) or \)"),
        ("[a", Basic, "Unmatched [, [^, [:, [., or [="),
        ("[[:alpha:", Basic, "Unmatched [, [^, [:, [., or [="),
        ("[[:foo:]]", Basic, "Invalid character class name"),
        ("[z-a]", Basic, "Invalid range end"),
        ("[a-[:digit:]]", Basic, "Invalid range end"),
        ("[[.xx.]]", Basic, "Invalid collation character"),
        (r"\(a\)\2", Basic, "Invalid back reference"),
        (r"\(a\1\)", Basic, "Invalid back reference"),
        (r"(a)|\1", Extended, "Invalid back reference"),
        ("a\\", Basic, "Trailing backslash"),
        ("*a", Extended, "Invalid preceding regular expression"),
        ("a|*b", Extended, "Invalid preceding regular expression"),
        ("^*a", Extended, "Invalid preceding regular expression"),
        ("a{x", Extended, r"Unmatched \{"),
        ("(a", Extended, r"Unmatched ( or \("),
    ] {
        assert_error(source, syntax, Posix, message);
    }
    assert_error("a)", Extended, Sed, r"Unmatched ) or \)");
    assert_error("a{2,1}", Extended, Grep, r"Invalid content of \{\}");
    let text = &mut String::new();
    for _ in 0..3 {
        *text = format!("({text}a{{1,1000}}){{1,1000}}");
    }
    assert_error(text, Extended, Posix, "Regular expression too big");
    assert_error(&"(a)?".repeat(5_000), Extended, Posix, "Regular expression too big");
    assert_error(&"(".repeat(100_000), Extended, Posix, "Regular expression too big");
}

#[test]
fn dialects_differ_where_posix_is_silent() {
    let found = |source: &str, text: &str, dialect| {
        let groups = groups_with(source, Syntax::Extended, &in_dialect(dialect), text);
        groups.map(|groups| groups[0].clone())
    };
    for (source, text, dialect, expected) in [
        ("a|*b", "*b", Dialect::Grep, "b"),
        ("a{x", "a{x", Dialect::Grep, "a{x"),
        ("a{1", "a{1", Dialect::Grep, "a{1"),
        ("*a", "x*a", Dialect::Awk, "*a"),
        ("x{1a", "x{1a", Dialect::Awk, "x{1a"),
        (r"[a\]]+", "a]", Dialect::Awk, "a]"),
        (r"\/\101\t", "/A\t", Dialect::Awk, "/A\t"),
        (r"\ya", "b a", Dialect::Awk, "a"),
        (r"a\n[\n]", "a\n\n", Dialect::Sed, "a\n\n"),
    ] {
        assert_eq!(found(source, text, dialect).as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn lines_words_and_newlines() {
    let find = |source: &str, options: &RegexOptions, text: &str| {
        groups_with(source, Syntax::Extended, options, text).map(|groups| groups[0].clone())
    };
    let default = RegexOptions::default();
    let newline_sensitive = RegexOptions { newline_sensitive: true, ..default.clone() };
    assert_eq!(find("^b.*$", &newline_sensitive, "a\nbc\nd").as_deref(), Some("bc"));
    assert_eq!(find("[^a]+", &newline_sensitive, "b\nc").as_deref(), Some("b"));
    assert_eq!(find("^b", &default, "a\nb"), None);
    assert_eq!(find("a.b", &default, "a\nb").as_deref(), Some("a\nb"));
    let whole_line = RegexOptions { whole_line: true, ..default.clone() };
    assert_eq!(find("a|ab", &whole_line, "ab").as_deref(), Some("ab"));
    assert_eq!(find("a|b", &whole_line, "ab"), None);
    let whole_word = RegexOptions { whole_word: true, ..default.clone() };
    assert_eq!(find("foo", &whole_word, "foobar foo").as_deref(), Some("foo"));
    assert_eq!(find("foo|foobar", &whole_word, "foobar").as_deref(), Some("foobar"));
    assert_eq!(find("a*", &whole_word, "aab"), None);
}

#[test]
fn a_search_can_begin_within_the_text() {
    let regex = compile("^a|b", Syntax::Extended, &RegexOptions::default()).unwrap();
    assert_eq!(regex.find_now(b"aab", 1), Ok(Some((2, 3))));
    let regex = compile(r"\ba", Syntax::Extended, &RegexOptions::default()).unwrap();
    assert_eq!(regex.find_now(b"aa a", 1), Ok(Some((3, 4))));
    assert_eq!(regex.find_now(b"aa", 9), Ok(None));
    assert_eq!(
        compile("rm -rf", Syntax::Basic, &RegexOptions::default()).unwrap().literal(),
        Some(&b"rm -rf"[..])
    );
}

#[test]
fn perl_syntax() {
    let find = |source: &str, text: &str| {
        groups_with(source, Syntax::Perl, &RegexOptions::default(), text).map(|groups| groups.join(","))
    };
    assert_eq!(find(r#""v":\s*"\K[^"]+"#, r#""v": "1.2""#).as_deref(), Some("1.2"));
    assert_eq!(find(r"(\d+)\K(?:b)(c)", "a12bc").as_deref(), Some("bc,12,c"));
    assert_eq!(compile(r"(a)\Kb(c)", Syntax::Perl, &RegexOptions::default()).unwrap().group_count(), 2);
    assert_eq!(find(r"a.+?b", "axbxb").as_deref(), Some("axb"));
    assert_eq!(find(r"(?i)ABC\h", "abc ").as_deref(), Some("abc "));
    assert_eq!(find("[]&&[]+", "&[").as_deref(), Some("&["));
    let error = |source: &str| compile(source, Syntax::Perl, &RegexOptions::default()).unwrap_err();
    assert!(matches!(error("(a"), RegexError::Perl(_)));
    assert_eq!(find(r"\w+(?=\()", "a f(x)").as_deref(), Some("f"));
    assert_eq!(find(r"(?<=a|bc)x", "x ax").as_deref(), Some("x"));
    assert_eq!(find(r"(?<!b)x(.)", "bxy axz").as_deref(), Some("xz,z"));
    assert_eq!(find(r"(a|ab)(?>c|bc)d", "abcd").as_deref(), Some("abcd,a"));
    assert_eq!(find(r"(?>a|ab)c", "abc").as_deref(), None);
    assert_eq!(find(r"(\w)(\w)\2\1", "x abba").as_deref(), Some("abba,a,b"));
    assert_eq!(find(r"(?<q>['x]).*?\k<q>", "'a' 'b'").as_deref(), Some("'a','"));
    assert_eq!(find(r"(?:a*)*+b|(?:)*c", "aac").as_deref(), Some("c"));
    assert_eq!(find(r"^(?!.*foo).+$", "a foo").as_deref(), None);
    assert_eq!(find(r"(?i)(a)\1(?-i)B", "aAB").as_deref(), Some("aAB,a"));
    assert_eq!(find(r"((?=(a))a)+b", "aab").as_deref(), Some("aab,a,a"));
    assert_eq!(find(r"(?=a\Q.\E)..", "ab a.").as_deref(), Some("a."));
}

/// Stops after so many steps.
struct Counter(u64);

impl Ticker for Counter {
    fn tick(&mut self, n: u64) -> Result<(), crate::pattern::Stopped> {
        self.0 = self.0.checked_sub(n).ok_or(crate::pattern::Stopped)?;
        Ok(())
    }
}

#[test]
fn bombs_end_within_a_bound() {
    let text = vec![b'a'; 100_000];
    for source in
        ["(a*)*b", "(a|aa|a?)*b", "((((a*)*)*)*)*b", "(.*)(.*)(.*)(.*)[bc]", "(a?){50}a{50}b", "(x+x+)+y"]
    {
        let regex = compile(source, Syntax::Extended, &RegexOptions::default()).unwrap();
        let counter = &mut Counter(5_000_000);
        assert_eq!(
            in_place(pin!(regex.find_at(&text, 0, &mut Pace::Alone(counter)))).unwrap(),
            Ok(None),
            "{source}"
        );
    }
    let regex = compile("(a|b)*a(a|b){12}c", Syntax::Extended, &RegexOptions::default()).unwrap();
    let error = RegexError::Stopped(crate::pattern::Stopped);
    assert_eq!(in_place(pin!(regex.is_match(&text, &mut Pace::Alone(&mut Counter(5))))).unwrap(), Err(error));
    let nested = format!("{}a{}", "(".repeat(240), ")*".repeat(240));
    assert_eq!(
        compile(&nested, Syntax::Extended, &RegexOptions::default()).unwrap().find_now(b"aab", 0),
        Ok(Some((0, 2)))
    );
}

#[test]
fn memory_is_charged_while_an_expression_lives() {
    let clock = std::sync::Arc::new(crate::clock::Clock::fixed(std::time::Duration::ZERO));
    let meter = crate::limit::Meter::new(crate::limit::Limits::default_profile(), clock);
    let _entered = meter.enter();
    let options = RegexOptions { meter: Some(std::sync::Arc::clone(&meter)), ..RegexOptions::default() };
    let peak = || meter.usage().peak_live_bytes;
    let regex = Regex::new(b"(a|b){100}x", Syntax::Extended, &options).unwrap();
    let compiled = peak();
    assert!(compiled > 300 * 8, "{compiled}");
    // A long text makes the automaton grow.
    regex.matches_now(&b"ab".repeat(4000)).unwrap();
    let grown = peak();
    assert!(grown > compiled + 1000, "{grown} {compiled}");
    // What is dropped is given back.
    drop(regex);
    for _ in 0..100 {
        Regex::new(b"(a|b){100}x", Syntax::Extended, &options).unwrap();
    }
    assert_eq!(peak(), grown);
    Regex::new(b"a+b", Syntax::Perl, &options).unwrap();
    assert!(peak() > grown);
}
