//! Hostile input to the parser ends in bounded time, memory and stack: with a command, an error, or the depth limit.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::internal::syntax::{NoAliases, ParseErrorKind, ParseOptions, Parser, parse_arithmetic};
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Parses all commands; the kind of the error if one ends it.
fn parse(text: &[u8], extglob: bool) -> Option<ParseErrorKind> {
    let options = ParseOptions { extglob, ..ParseOptions::default() };
    let mut parser = Parser::new(text.into(), 1);
    loop {
        match parser.next_command(&options, &NoAliases) {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => return Some(error.kind().clone()),
        }
    }
}

/// Opening and closing text of everything that nests, each pair one level or more.
const NESTED: &[(&str, &str, &str)] = &[
    ("( ", "a", " )"),
    ("(", "a", ")"),
    ("{ ", "a", "; }"),
    ("if ", "a", "; then b; fi"),
    ("if a; then b; else ", "a", "; fi"),
    ("while a; do ", "a", "; done"),
    ("for i in a; do ", "a", "; done"),
    ("for ((;;)); do ", "a", "; done"),
    ("select i in a; do ", "a", "; done"),
    ("case a in a) ", "a", ";; esac"),
    ("f() { ", "a", "; }"),
    ("f() ( ", "a", " )"),
    ("coproc { ", "a", "; }"),
    ("$(", "a", ")"),
    ("$( ", "a", " )"),
    ("\"$(", "a", ")\""),
    ("echo \"x$(echo ", "a", ")\""),
    ("<(", "a", ")"),
    ("a <(", "a", ")"),
    ("a > >(", "a", ")"),
    ("${a:-", "a", "}"),
    ("\"${a:-", "a", "}\""),
    ("${a[", "0", "]}"),
    ("${a[${a[", "0", "]}]}"),
    ("a=(", "a", ")"),
    ("a=($(", "a", "))"),
    ("a[$(", "a", ")]=b"),
    ("a[", "a", "]=b"),
    ("${a/", "a", "/}"),
    ("${a//x/", "a", "}"),
    ("${a#", "a", "}"),
    ("${a^", "a", "}"),
    ("${a:$((", "1", "))}"),
    ("${a:${b:", "1", "}}"),
    ("$((", "1", "))"),
    ("$(( 1 + $((", "1", ")) ))"),
    ("$((1+(", "1", ")))"),
    ("$[", "1", "]"),
    ("((", "1", "))"),
    ("(((", "a", ";b);b);b)"),
    ("$((", "a", ") )"),
    ("$((x;", "a", ");y)"),
    ("[[ $([[ ", "a", " ]]) ]]"),
    ("[[ a =~ $(", "a", ") ]]"),
    ("[[ a =~ (", "a", ") ]]"),
    ("[[ a == @(", "a", ") ]]"),
    ("@(", "a", ")"),
    ("a @(x|", "a", ")"),
    ("declare a=(", "a", ")"),
    ("cat <<A\n$(", "a", ")\nA\n"),
    ("cat <<A; $(\nx\nA\n", "a", ")"),
    ("declare a=\"$(", "a", ")\""),
    ("time ( ", "a", " )"),
    ("! ( ", "a", " )"),
    ("a && ( ", "a", " )"),
    ("a | { ", "a", "; }"),
    ("{ ( ", "a", " ) }"),
    ("`", "a", "`"),
];

fn nest(count: usize, (open, middle, close): (&str, &str, &str)) -> Vec<u8> {
    [open.repeat(count), middle.to_owned(), close.repeat(count)].concat().into_bytes()
}

/// What nests inside one outer pair.
const NESTED_INSIDE: &[(&str, &str, &str, &str, &str)] = &[
    ("[[ ", "( ", "a", " )", " ]]"),
    ("[[ ", "! ", "a", "", " ]]"),
    ("[[ ", "( ! ", "a", " )", " ]]"),
    ("[[ ", "a || ( b && ", "c", " )", " ]]"),
    ("((", "(", "1", ")", "))"),
    ("((", "1+(2*", "1", ")", "))"),
    ("((", "a[", "1", "]", "))"),
    ("((", "a?", "1", ":2", "))"),
    ("((", "a?1:", "1", "", "))"),
    ("((", "a=", "1", "", "))"),
    ("((", "2**", "1", "", "))"),
    ("((", "-", "1", "", "))"),
    ("((", "- ", "1", "", "))"),
    ("((", "!", "1", "", "))"),
    ("((", "1||1&&1|1^1&1==1<1<<1+1*1**(", "1", ")", "))"),
    ("a=", "${a[", "1", "]}", ""),
    ("a[", "[", "1", "]", "]=1"),
    ("((", "a[b=1?(-", "1", "):2]", "))"),
];

fn nest_inside(
    count: usize,
    (before, open, middle, close, after): (&str, &str, &str, &str, &str),
) -> Vec<u8> {
    [before, &open.repeat(count), middle, &close.repeat(count), after].concat().into_bytes()
}

fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap()
}

/// What `work` takes of the processor, on a thread with a small stack: other tests and a busy machine do not count.
fn cpu_time(work: impl FnOnce() + Send + 'static) -> Duration {
    on_small_stack(move || {
        work();
        clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
    })
}

#[test]
fn the_deepest_allowed_nesting_fits_into_one_mebibyte_of_stack() {
    for &case in NESTED {
        for count in [10, 49, 63, 66, 99, 100, 198, 199, 200, 201, 1000] {
            on_small_stack(move || drop(parse(&nest(count, case), true)));
        }
    }
    for &case in NESTED_INSIDE {
        for count in [10, 16, 17, 18, 39, 49, 63, 65, 66, 98, 99, 100, 197, 198, 199, 200, 201, 1000] {
            on_small_stack(move || drop(parse(&nest_inside(count, case), true)));
        }
    }
}

#[test]
fn nesting_beyond_the_limit_is_an_error_in_linear_time() {
    for &case in NESTED {
        for extglob in [false, true] {
            let taken = cpu_time(move || {
                drop(parse(&nest(30_000, case), extglob));
                drop(parse(case.0.repeat(30_000).as_bytes(), extglob));
            });
            assert!(taken < Duration::from_secs(30), "{case:?}: {taken:?}");
        }
    }
    for &case in NESTED_INSIDE {
        let taken = cpu_time(move || drop(parse(&nest_inside(100_000, case), true)));
        assert!(taken < Duration::from_secs(30), "{case:?}: {taken:?}");
    }
}

#[test]
fn a_long_run_of_one_byte_ends_soon() {
    for byte in 0..=255_u8 {
        let taken = cpu_time(move || drop(parse(&vec![byte; 1 << 18], true)));
        assert!(taken < Duration::from_secs(3), "{byte}: {taken:?}");
    }
}

#[test]
fn long_flat_input_ends_soon() {
    let units = [
        ";",
        "; ",
        "a;",
        "a&&",
        "a||",
        "a|",
        "a|&",
        "a&",
        "a\n",
        "! ",
        "!",
        "time ",
        "- ",
        "-",
        "1+",
        "a ",
        "a=1 ",
        "a=b",
        "a[",
        "a[1]=2 ",
        "\"$(",
        "${a:-",
        "${a",
        "$a",
        "$",
        "`",
        "\\`",
        "<<A ",
        "<<A;",
        "cat <<A\n",
        "<<-A\n\t",
        ">a ",
        ">",
        "2>&1 ",
        "{a}>",
        "{",
        "{ ",
        "{a,b}",
        "'",
        "''",
        "'a'",
        "\"",
        "\"\"",
        "\"a\"",
        "$'",
        "$'a'",
        "$\"",
        "\\",
        "\\\n",
        "#",
        "#\n",
        "# a\n",
        "()",
        "a()",
        "a() { :; };",
        "coproc ",
        "coproc a ",
        "function ",
        "function a ",
        "case ",
        "case a in ",
        "a) ;;",
        "if a; then b; el",
        "elif a; then b; ",
        "for ",
        "for a in ",
        "do ",
        "done ",
        "in ",
        "[[ ",
        "[[ a ]] ",
        "]] ",
        "[[ a && ",
        "((",
        "(( ",
        "((1)) ",
        "$((",
        "$((1))",
        "$((1)",
        "$[",
        "$[1]",
        "<(",
        "<(a) ",
        "@(",
        "@(a)",
        "?(*(",
        "~",
        ":~",
        "=~",
        "a=~:",
        "~a",
        "=",
        "+=",
        "a+=",
        "command ",
        "builtin ",
        "declare ",
        "declare a=b ",
        "a=(",
        "a=() ",
        "[",
        "[a]=b ",
        "]",
        "}",
        "|",
        "&",
        "<",
        "<<",
        "<<<",
        "<<<a ",
        "&>",
        "&>>a ",
        "\t",
        " ",
        "\n",
        "é",
        "\u{1f600}",
        "\\\n\\",
        "&\\\n",
        "$\\\n",
        "a\\\n",
        "${#",
        "${!",
        "${!a@}",
        "${a/",
        "${a//b/c}",
        "${a:1:2}",
        "${a@Q}",
        "${a[@]}",
        "${-}",
        "${}",
        "${a b}",
        "\"`",
        "\"${a:-'",
        "\"${a:-\"",
        "$((\"",
        "$(('",
        "${a:'",
        "select a ",
        "until ",
        "a=$(",
        "a=`",
        "a='",
        "a[$(",
        "a[\"",
        "<<\"A\" ",
        "<<'A",
        "<<$(",
        "<<A\nA\n",
        "cat <<A\n$(cat <<B)\nA\n",
    ];
    for unit in units {
        for prefix in [
            "",
            "echo ",
            "echo \"",
            "((",
            "$((",
            "[[ ",
            "[[ a && ",
            "[[ a =~ ",
            "a=(",
            "case a in ",
            "for i in ",
            "cat <<E\n",
            "${a:-",
            "\"${a:-",
            "if ",
        ] {
            let text = [prefix, &unit.repeat((1 << 15) / unit.len())].concat();
            let taken = cpu_time(move || drop(parse(text.as_bytes(), true)));
            assert!(taken < Duration::from_secs(10), "{prefix:?} {unit:?}: {taken:?}");
        }
    }
}

#[test]
fn long_arithmetic_ends_soon() {
    let units = [
        "1",
        "1+",
        "1*1+",
        "-",
        "- ",
        "!",
        "~",
        "+",
        "++",
        "++a",
        "a++",
        "(",
        "()",
        "(1)+",
        "a[",
        "a[1]+",
        "a?",
        "1?",
        "1:",
        "1?1:",
        "1?2,",
        "a=",
        "a+=",
        "a,",
        "1&&",
        "1||",
        "1&&1||",
        "1**",
        "2**2*",
        "<",
        "<<",
        "1<",
        "1<<1+1*",
        "a",
        "a ",
        "0x",
        "16#",
        "#",
        "@",
        "_",
        "$",
        "$a",
        "$a+",
        "\"",
        "'",
        "]",
        ")",
        ":",
        ",",
        "1||1&&1|1^1&1==1<1<<1+1*1**(",
    ];
    for unit in units {
        for end in ["", "1", ")", "]"] {
            let text = [&unit.repeat((1 << 18) / unit.len()), end].concat();
            let taken = cpu_time(move || drop(parse_arithmetic(text.as_bytes(), 200, usize::MAX)));
            assert!(taken < Duration::from_secs(3), "{unit:?}: {taken:?}");
        }
    }
    let sum = "1+".repeat(100_000) + "1";
    assert!(parse_arithmetic(sum.as_bytes(), 200, usize::MAX).is_ok());
    assert!(parse_arithmetic(&nest(50, ("(", "1", ")")), 200, usize::MAX).is_ok());
}
