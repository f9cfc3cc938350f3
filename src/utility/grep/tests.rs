//! Behaviour recorded from GNU grep 3.8.

use crate::utility::context::testing::run;

const FILES: &[(&str, &str)] = &[("a", "abc\ndef\nabcdef\n"), ("d/x", "abc\n"), ("d/y.txt", "abc\nxyz")];

/// Output, messages and status of `grep ARGS` over [`FILES`].
fn grep(args: &[&str]) -> (String, String, u8) {
    let outcome = run("grep", args, b"in abc\n", FILES);
    (outcome.stdout, outcome.stderr, outcome.status)
}

fn stdout(args: &[&str]) -> String {
    let (stdout, stderr, status) = grep(args);
    assert_eq!((stderr.as_str(), status), ("", 0), "{args:?}");
    stdout
}

#[test]
fn selects_lines() {
    assert_eq!(stdout(&["b", "a"]), "abc\nabcdef\n");
    assert_eq!(stdout(&["-v", "b", "a"]), "def\n");
    assert_eq!(stdout(&["-x", "-e", "abc", "-e", "def", "a"]), "abc\ndef\n");
    assert_eq!(stdout(&["-c", "c.*f", "a"]), "1\n");
    assert_eq!(stdout(&["-F", "-m1", "bc", "a"]), "abc\n");
    assert_eq!(stdout(&["-on", "b.", "a"]), "1:bc\n3:bc\n");
    assert_eq!(stdout(&["xyz", "d/y.txt"]), "xyz\n");
    assert_eq!(stdout(&["-w", "abc", "a"]), "abc\n");
    assert_eq!(stdout(&["-E", "^(a|d)[^f]*$", "a"]), "abc\n");
}

#[test]
fn shows_context() {
    assert_eq!(stdout(&["-nA1", "abc", "a", "d/x"]), "a:1:abc\na-2-def\na:3:abcdef\n--\nd/x:1:abc\n");
    assert_eq!(stdout(&["-n", "-B1", "^def", "a"]), "1-abc\n2:def\n");
    assert_eq!(stdout(&["-B0", "abc", "a"]), "abc\n--\nabcdef\n");
    assert_eq!(stdout(&["-A1", "-m1", "abc", "a"]), "abc\ndef\n");
}

#[test]
fn context_reaches_over_blocks() {
    let text = (0..40_000).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat();
    let outcome = run("grep", &["-n", "-C2", "-E", "^(20000|39999)$"], text.as_bytes(), &[]);
    let expected = "19999-19998\n20000-19999\n20001:20000\n20002-20001\n20003-20002\n--\n39998-39997\n39999-39998\n40000:39999\n";
    assert_eq!(outcome.stdout, expected);
    let outcome = run("grep", &["-c", "-v", "9"], text.as_bytes(), &[]);
    let expected = (0..40_000).filter(|number: &i32| !number.to_string().contains('9')).count();
    assert_eq!(outcome.stdout, format!("{expected}\n"));
}

#[test]
fn names_files() {
    assert_eq!(stdout(&["-r", "abc"]), "a:abc\na:abcdef\nd/x:abc\nd/y.txt:abc\n");
    assert_eq!(stdout(&["-r", "abc", "."]), "./a:abc\n./a:abcdef\n./d/x:abc\n./d/y.txt:abc\n");
    assert_eq!(stdout(&["-rh", "--include=*.txt", "abc", "d/"]), "abc\n");
    assert_eq!(stdout(&["-rl", "--exclude=*.txt", "--exclude-dir=zz", "abc", "d"]), "d/x\n");
    assert_eq!(stdout(&["-c", "abc", "-", "a"]), "(standard input):1\na:2\n");
    assert_eq!(grep(&["-L", "zzz", "a"]), ("a\n".into(), String::new(), 1));
}

#[test]
fn reports_errors() {
    let (out, err, status) = grep(&["abc", "d", "nope", "a"]);
    assert_eq!(out, "a:abc\na:abcdef\n");
    assert_eq!(err, "grep: d: Is a directory\ngrep: nope: No such file or directory\n");
    assert_eq!(status, 2);
    assert_eq!(grep(&["-q", "a", "nope", "a"]).2, 0);
    assert_eq!(grep(&["[a", "a"]).1, "grep: Unmatched [, [^, [:, [., or [=\n");
    let usage = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n";
    assert_eq!(grep(&[]), (String::new(), usage.into(), 2));
    assert_eq!(grep(&["-Q", "a"]), (String::new(), format!("grep: invalid option -- 'Q'\n{usage}"), 2));
}

#[test]
fn a_binary_file_only_matches() {
    let outcome = run("grep", &["b"], b"a\0bc\n", &[]);
    assert_eq!((outcome.stdout.as_str(), outcome.status), ("", 0));
    assert_eq!(outcome.stderr, "grep: (standard input): binary file matches\n");
    assert_eq!(run("grep", &["b"], b"a\xffb\nabc\n", &[]).stdout, "abc\n");
    assert_eq!(run("grep", &["-c", "a"], b"a\0a\n", &[]).stdout, "2\n");
    assert_eq!(run("grep", &["-zc", "^b"], b"a\nb\0", &[]).stdout, "0\n");
}

#[test]
fn marks_matches() {
    let outcome = run("grep", &["--color=always", "-Hn", "b", "a"], b"", FILES);
    let first = outcome.stdout.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "\x1b[35m\x1b[Ka\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K\x1b[32m\x1b[K1\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[Ka\x1b[01;31m\x1b[Kb\x1b[m\x1b[Kc"
    );
}

#[test]
fn matches_over_line_ends_do_not_count() {
    let text = "a\n".repeat(1000) + "ab\n" + "a b\n";
    assert_eq!(run("grep", &["-c", r"a\sb"], text.as_bytes(), &[]).stdout, "1\n");
    assert_eq!(run("grep", &["-Pc", r"a\s+[^x]"], text.as_bytes(), &[]).stdout, "1\n");
}
