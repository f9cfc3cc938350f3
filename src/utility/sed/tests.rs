//! Behaviour recorded from GNU sed 4.9.

use crate::utility::context::testing::{Fixture, run};

fn sed(args: &[&str], stdin: &str) -> String {
    let outcome = run("sed", args, stdin.as_bytes(), &[("f", "a\nb\nc\n"), ("x", "x")]);
    assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0), "{args:?}");
    outcome.stdout
}

#[test]
fn substitutes() {
    assert_eq!(sed(&["s/b*/x/g"], "abc\n"), "xaxcx\n");
    assert_eq!(sed(&["s/b*/x/2"], "abc\n"), "axc\n");
    assert_eq!(sed(&["-E", r"s/(.)(.)/\2\u\1/"], "ab\n"), "bA\n");
    assert_eq!(sed(&[r"s/.*/\U&x\Ey\n\x26/"], "ab"), "ABXy\n&");
    assert_eq!(sed(&[r"s,a\,b,[&],"], "a,b\n"), "[a,b]\n");
    assert_eq!(sed(&["s/[/]/x/"], "a/b\n"), "axb\n");
    assert_eq!(sed(&["-n", "s/A/x/Igp"], "aAb\nc\n"), "xxb\n");
    assert_eq!(sed(&["/b/s//[&]/"], "abc\n"), "a[b]c\n");
    assert_eq!(sed(&["-n", "$!N;l;D"], "a\nb\n"), "a\\nb$\nb$\n");
}

#[test]
fn selects_lines() {
    assert_eq!(sed(&["-n", "0~2p"], "1\n2\n3\n4\n"), "2\n4\n");
    assert_eq!(sed(&["2,/x/d"], "1\n2\nx\n4\n"), "1\n4\n");
    assert_eq!(sed(&["0,/a/d"], "a\na\n"), "a\n");
    assert_eq!(sed(&["1,/a/d"], "a\na\nb\n"), "b\n");
    assert_eq!(sed(&["/b/,+1d"], "a\nb\nc\nd\n"), "a\nd\n");
    assert_eq!(sed(&["/b/,~2!d"], "a\nb\nc\nd\n"), "b\nc\nd\n");
    assert_eq!(sed(&["-n", "$p", "f", "x"], ""), "x");
    assert_eq!(sed(&["-s", "-n", "$p", "f", "x"], ""), "c\nx");
    assert_eq!(sed(&["1!G;h;$!d"], "a\nb\nc\n"), "c\nb\na\n");
}

#[test]
fn puts_text_in() {
    assert_eq!(sed(&["2i\\  x"], "a\nb\n"), "a\n  x\nb\n");
    assert_eq!(sed(&["-e", "a\\", "-e", "foo"], "a"), "a\nfoo\n");
    assert_eq!(sed(&["$!{2,3c x\n}"], "a\nb\nc\n"), "a\nc\n");
    assert_eq!(sed(&["a text\\ttext\\q"], "a\n"), "a\ntext\ttextq\n");
    assert_eq!(sed(&["r x"], "a\nb\n"), "a\nxb\nx");
    assert_eq!(sed(&["R f"], "1\n2\n"), "1\na\n2\nb\n");
    assert_eq!(sed(&["="], "a"), "1\na");
    assert_eq!(sed(&["p", "x", "f"], ""), "x\nx\na\na\nb\nb\nc\nc\n");
}

#[test]
fn jumps() {
    assert_eq!(sed(&[":a;s/^.{1,3}$/ &/;ta", "-E"], "ab\n"), "  ab\n");
    assert_eq!(sed(&[":a;N;$!ba;s/\\n/,/g"], "a\nb\nc\n"), "a,b,c\n");
    assert_eq!(sed(&["n;d"], "a\nb\nc\n"), "a\nc\n");
    assert_eq!(run("sed", &["2q5"], b"a\nb\nc\n", &[]).stdout, "a\nb\n");
    assert_eq!(run("sed", &["2Q5"], b"a\nb\nc\n", &[]).status, 5);
}

#[test]
fn edits_in_place() {
    let fixture = Fixture::new(&[("a", "1\n2\n"), ("b", "3\n")]);
    assert_eq!(fixture.run("sed", &["-i.bak", "-n", "$p;1w out", "a", "b"], b"").status, 0);
    let read = |name: &str| {
        let content = fixture.session.fs.read(format!("/work/{name}").as_bytes()).unwrap();
        String::from_utf8(content.to_vec()).unwrap()
    };
    assert_eq!([read("a"), read("b"), read("a.bak"), read("out")], ["2\n", "3\n", "1\n2\n", "1\n3\n"]);
    assert_eq!(fixture.session.fs.read_dir(b"/work").unwrap().len(), 5);
}

#[test]
fn reports_faults() {
    let rows = [
        ("s/a/b", "-e expression #1, char 5: unterminated `s' command"),
        ("k", "-e expression #1, char 1: unknown command: `k'"),
        ("{p", "-e expression #1, char 0: unmatched `{'"),
        ("p}", "-e expression #1, char 2: unexpected `}'"),
        ("s/a/b/0", "-e expression #1, char 7: number option to `s' command may not be zero"),
        (r"s/\(a/b/", r"-e expression #1, char 8: Unmatched ( or \("),
        (r"s/a/\1/", r"-e expression #1, char 7: invalid reference \1 on `s' command's RHS"),
        ("b foo", "can't find label for jump to `foo'"),
        ("y/abc/de/", "-e expression #1, char 9: strings for `y' command are different lengths"),
    ];
    for (script, message) in rows {
        let outcome = run("sed", &[script], b"a\n", &[]);
        assert_eq!(outcome.stderr, format!("sed: {message}\n"), "{script}");
    }
    let outcome = run("sed", &["p", "nope"], b"", &[]);
    assert_eq!(
        (outcome.stderr.as_str(), outcome.status),
        ("sed: can't read nope: No such file or directory\n", 2)
    );
}

#[test]
fn a_loop_ends_at_a_limit() {
    let mut fixture = Fixture::new(&[]);
    fixture.limits.operations = 100_000;
    assert!(fixture.run("sed", &[":a;ba"], b"a\n").stderr.contains("operations limit"));
    fixture.limits = crate::limit::Limits { live_bytes: 1 << 20, ..crate::limit::Limits::default() };
    assert!(fixture.run("sed", &[":a;s/.*/&&/;ba"], b"a\n").stderr.contains("live_bytes limit"));
    assert!(fixture.run("sed", &[":a;a x\nba"], b"a\n").stderr.contains(" limit"));
}
