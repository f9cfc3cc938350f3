//! Behaviour recorded from gawk 5.2.1.

use crate::utility::context::testing::{Fixture, run};

fn awk(args: &[&str], stdin: &str) -> String {
    let outcome = run("awk", args, stdin.as_bytes(), &[("n", "1\n2\n3\n")]);
    assert_eq!((outcome.stderr.as_str(), outcome.status), ("", 0), "{args:?}");
    outcome.stdout
}

#[test]
fn takes_records_apart() {
    assert_eq!(awk(&["{ print $2, NF }"], "a b\n  c   d e \n"), "b 2\nd 3\n");
    assert_eq!(
        awk(&["-F:", "{ $1 = $1; print; $5 = \"e\"; print NF, $0 }"], "a:b c:d\n"),
        "a b c d\n5 a b c d  e\n"
    );
    assert_eq!(awk(&["BEGIN { RS = \"\" } { print NR, $1, $NF }"], "a b\n\nc\nd e\n\n\n"), "1 a b\n2 c e\n");
    assert_eq!(awk(&["BEGIN { RS = \"[0-9]+\" } { print $0, RT }"], "a1b22c"), "a 1\nb 22\nc \n");
    assert_eq!(awk(&["NR == 2, /c/", "n", "-"], "c\nd\n"), "2\n3\nc\n");
}

#[test]
fn computes() {
    assert_eq!(
        awk(&["BEGIN { print 1 \" \" -1, 2^3^2, -2^2, 7 % 3, 1e6, 0.1 + 0.2 }"], ""),
        "1-1 512 -4 1 1000000 0.3\n"
    );
    assert_eq!(awk(&["{ print ($1 < 9), (\"65\" < \"9\"), !$2 }"], "65\n"), "0 1 1\n");
    assert_eq!(
        awk(&["function f(n) { return n <= 1 ? 1 : n * f(n - 1) } BEGIN { print f(10) }"], ""),
        "3628800\n"
    );
    assert_eq!(awk(&["BEGIN { f(q); print q[\"k\"] } function f(z) { z[\"k\"] = \"v\" }"], ""), "v\n");
    assert_eq!(
        awk(
            &["BEGIN { while (i++ < 5) { if (i == 2) continue; if (i == 4) break; printf \"%d;\", i } }"],
            ""
        ),
        "1;3;"
    );
}

#[test]
fn has_functions() {
    assert_eq!(
        awk(
            &["BEGIN { s = \"hello\"; print gsub(/l/, \"[&]\", s), s, substr(s, 2, 3), index(s, \"o\") }"],
            ""
        ),
        "2 he[l][l]o e[l 9\n"
    );
    assert_eq!(
        awk(
            &[
                "BEGIN { print split(\"a:b:c\", a, \":\"), a[3], length(a), match(\"foobar\", \"o+\"), RSTART, RLENGTH }"
            ],
            ""
        ),
        "3 c 3 2 2 2\n"
    );
    assert_eq!(
        awk(
            &[
                "BEGIN { print gensub(/(a)(b)/, \"\\\\2\\\\1\", \"g\", \"abab\"), toupper(\"hé\"), length(\"hé\") }"
            ],
            ""
        ),
        "baba HÉ 2\n"
    );
    assert_eq!(
        awk(
            &[
                "BEGIN { printf \"%5.2f|%-4s|%04d|%x|%c%c|%e\\n\", 3.14159, \"ab\", 42, 255, 65, \"xyz\", 12345.678 }"
            ],
            ""
        ),
        " 3.14|ab  |0042|ff|Ax|1.234568e+04\n"
    );
}

#[test]
fn reads_and_writes() {
    assert_eq!(
        awk(
            &["BEGIN { while ((getline l < \"n\") > 0) s = s l; print s; print (getline x < \"nope\") }"],
            ""
        ),
        "123\n-1\n"
    );
    assert_eq!(
        awk(
            &[
                "BEGIN { \"echo hi\" | getline x; print x; print \"a\" > \"out\"; close(\"out\"); getline y < \"out\"; print y }"
            ],
            ""
        ),
        "bash -c echo hi\na\n"
    );
    assert_eq!(awk(&["{ getline; print }", "n"], ""), "2\n3\n");
    assert_eq!(
        awk(&["-v", "x=a\\tb", "{ print x, $0, y }", "y=1", "n"], "").lines().next(),
        Some("a\tb 1 1")
    );
}

#[test]
fn reports_faults() {
    let fault = |program: &str| {
        let outcome = run("awk", &[program], b"1\n", &[]);
        (outcome.stderr, outcome.status)
    };
    let syntax = "awk: cmd. line:1: BEGIN { print ( }\nawk: cmd. line:1:                 ^ syntax error\n";
    assert_eq!(fault("BEGIN { print ( }"), (syntax.to_owned(), 1));
    assert_eq!(fault("BEGIN { f(1) }").0, "awk: cmd. line:1: fatal: function `f' not defined\n");
    assert_eq!(
        fault("BEGIN { x[1] = 1; print x }").0,
        "awk: cmd. line:1: fatal: attempt to use array `x' in a scalar context\n"
    );
    assert_eq!(fault("{ print 1 / x }").1, 2);
}

#[test]
fn ends_at_a_limit() {
    let mut fixture = Fixture::new(&[]);
    fixture.limits.live_bytes = 4 << 20;
    let ends = |program: &str, limit: &str| {
        let stderr = fixture.run("awk", &[program], b"").stderr;
        assert!(stderr.contains(limit), "{program}: {stderr}");
    };
    ends("BEGIN { s = \"x\"; while (1) s = s s }", "live_bytes limit");
    ends("BEGIN { while (1) a[i++] = 1 }", "live_bytes limit");
    ends("function f() { f() } BEGIN { f() }", "frames limit");
    let deep = format!("BEGIN {{ print {}1{} }}", "(".repeat(5000), ")".repeat(5000));
    ends(&deep, "levels deep");
    fixture.limits.operations = 100_000;
    let stderr = fixture.run("awk", &["BEGIN { while (1) ; }"], b"").stderr;
    assert!(stderr.contains("operations limit"), "{stderr}");
}

#[test]
fn long_chains_are_no_nesting() {
    let sum = format!("BEGIN {{ print {} }}", vec!["1"; 5000].join("+"));
    assert_eq!(awk(&[&sum], ""), "5000\n");
    let chain = (0..1000).map(|n| format!("if (x == {n}) y = {n}; else ")).collect::<Vec<_>>().concat();
    assert_eq!(awk(&[&format!("BEGIN {{ x = 999; {chain} y = -1; print y }}")], ""), "999\n");
}
