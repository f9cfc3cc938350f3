//! Expected values are those of the CEL specification (`langdef.md`) and its conformance tests.

use super::evaluate::EvaluationError;
use super::value::Value;
use super::{Kind, Program};
use crate::hook::matcher::RegexCompiler;
use serde_json::{Value as Json, json};

/// A text, a map and a number.
const VARIABLES: [(&str, Kind); 3] =
    [("tool_name", Kind::String), ("tool_input", Kind::Map), ("depth", Kind::Int)];

fn compile(source: &str) -> Result<Program, String> {
    Program::compile(source, &VARIABLES, &mut RegexCompiler::new(1 << 20))
}

fn run(source: &str, input: &Json, cost: u64) -> Result<Option<bool>, EvaluationError> {
    let program = compile(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let variables = vec![Value::text("exec"), Value::from_json(input), Value::Int(2)];
    program.evaluate(variables, cost).map(|value| match value {
        Value::Bool(value) => Some(value),
        _ => None,
    })
}

fn holds(source: &str) -> Result<Option<bool>, EvaluationError> {
    let input = json!({"cmd": "rm -rf /", "n": 5, "f": 2.5, "list": ["a", "b"], "o": {"k": null}, "é": "éé"});
    run(source, &input, 100_000)
}

#[test]
fn what_holds() {
    for source in [
        r#"tool_name == "exec" && size(tool_input.cmd) == 8"#,
        "depth < 3 && depth >= 2",
        "has(tool_input.cmd) && !has(tool_input.nope)",
        r#"tool_input.cmd.startsWith("rm") && tool_input.cmd.endsWith('/') && tool_input.cmd.contains("-rf")"#,
        r#"tool_input.cmd.matches("^rm\\s+-r") && matches(tool_input["cmd"], r'rf\s/')"#,
        r#""cmd" in tool_input && "a" in tool_input.list && !("z" in tool_input.list)"#,
        "tool_input.n == 5 && tool_input.n > 4 && 4 < tool_input.n && tool_input.n + 1 == 6.0",
        "tool_input.f * 2.0 == 5.0 && 7 / 2 == 3 && -7 % 3 == -1 && 2 + 3 * 4 == 14 && 1 - 1 - 1 == -1",
        r#"tool_input.list.exists(x, x == "b") && tool_input.list.all(x, size(x) == 1)"#,
        r#"tool_input.list.exists_one(x, x == "b") && tool_input.list.map(x, x + "!") == ["a!", "b!"]"#,
        r#"tool_input.list.filter(x, x != "a") == ["b"] && tool_input.list.map(x, x == "a", x + x) == ["aa"]"#,
        r#"tool_input.all(k, size(k) > 0) && {"a": 1, "b": [true]}.b[0] && {1: 2}[1] == 2"#,
        "tool_input.o.k == null && tool_input == tool_input && tool_input.o != tool_input.list",
        r#"tool_input["é"] == "é\u00e9" && size(tool_input["é"]) == 2"#,
        "true || tool_input.nope == 1",
        "tool_input.nope == 1 || true",
        "!(false && tool_input.nope)",
        "depth == 1 ? false : depth == 2 ? true : false",
        "type(depth) == int && type(tool_input.n) == double && type(type(1)) == type && type(null) == null_type",
        r#"int("12") == 12 && string(3) == "3" && string(true) == "true" && double("1.5") == 1.5 && uint(3) == 3u"#,
        r#"int(2.9) == 2 && int(-2.9) == -2 && dyn(1) == 1.0 && bytes("a") == b"a" && string(b'\303\251') == "é""#,
        r#""\x41\u0042\103\t" == 'ABC	' && r"\n" == "\\n" && """a"b""" == "a\"b""#,
        "0x10 == 16 && 1e3 == 1000.0 && .5 == 0.5 && -9223372036854775808 < 0 && 18446744073709551615u > 1u",
        "!!true && !!!false && - -1 == 1 && --1 == 1",
        "1 in [1.0, 2.0] && [1, 2] + [3] == [1, 2, 3] && 1 != dyn('1')",
        "9007199254740993 > 9007199254740992.0 && \"a\" < \"b\" && false < true",
        "[[1, 2].exists(x, [3].exists(y, x + y == 5))] == [true] // a comment",
        ".depth == 2",
    ] {
        assert_eq!(holds(source), Ok(Some(true)), "{source}");
    }
}

#[test]
fn what_has_no_value() {
    for (source, message) in [
        ("size(tool_input.nope) > 80", "no such key: nope"),
        ("tool_input.nope == 1 && true", "no such key: nope"),
        ("tool_input.cmd + 1 == 2", "no such overload: +(string, int)"),
        ("tool_input.cmd > 1", "no such overload: >(string, int)"),
        ("tool_input.list[2] == 'c'", "index out of bounds: 2"),
        ("tool_input.list[-1] == 'c'", "index out of bounds: -1"),
        ("1 / 0 == 1", "division by zero"),
        ("1 % 0 == 1", "modulus by zero"),
        ("9223372036854775807 + 1 > 0", "integer overflow"),
        ("-(-9223372036854775807 - 1) > 0", "integer overflow"),
        ("0u - 1u > 0u", "integer overflow"),
        ("int('x') == 1", "not a number"),
        ("int(1e30) == 1", "range error"),
        ("tool_input.cmd && true", "no such overload: bool(string)"),
        ("tool_input.cmd.matches(tool_input.cmd + '(')", "unclosed group"),
        ("{1.5: 2}[1] == 2", "a double can not be a key"),
        ("{1: 2, 1: 3}[1] == 2", "repeated key in a map"),
        ("tool_input.list.exists(x, x.nope)", "no such overload: select(string)"),
    ] {
        assert_eq!(holds(source).map_err(|error| error.to_string()), Err(message.to_owned()), "{source}");
    }
    assert_eq!(holds("1 + 1"), Ok(None));
}

#[test]
fn times_and_spans() {
    for source in [
        "duration('1h30m') == duration('90m') && duration('-1.5s') < duration('0') && duration('100ms').getMilliseconds() == 100",
        "duration('1h30m').getHours() == 1 && duration('1h30m').getMinutes() == 90 && string(duration('1.5s')) == '1.5s'",
        "timestamp('2020-01-01T00:00:00Z') + duration('24h') == timestamp('2020-01-02T00:00:00Z')",
        "timestamp('2020-01-02T00:00:00Z') - timestamp('2020-01-01T00:00:00Z') == duration('24h')",
        "timestamp('2020-01-01T02:00:00+02:00') == timestamp(1577836800) && int(timestamp(5)) == 5",
        "timestamp('2020-03-01T10:20:30.5Z').getMonth() == 2 && timestamp('2020-03-01T00:00:00Z').getDayOfWeek() == 0",
        "timestamp('2020-03-01T23:00:00Z').getDate('Europe/Berlin') == 2 && timestamp('2020-03-01T23:00:00Z').getHours('-02:30') == 20",
        "timestamp('2020-03-01T00:00:00Z').getDayOfYear() == 60 && string(timestamp(0)) == '1970-01-01T00:00:00Z'",
        "timestamp(tool_input.cmd == 'x' ? '2020-01-01T00:00:00Z' : '2021-01-01T00:00:00Z') > timestamp('2020-06-01T00:00:00Z')",
    ] {
        assert_eq!(holds(source), Ok(Some(true)), "{source}");
    }
    for (source, message) in [
        ("timestamp('yesterday') == timestamp(0)", "not a timestamp"),
        ("timestamp('2020-01-01') == timestamp(0)", "not a timestamp"),
        ("duration('1x') == duration('0')", "not a duration"),
        ("duration('1000000000h') == duration('0')", "duration overflow"),
        ("timestamp('9999-12-30T00:00:00Z') + duration('720h') == timestamp(0)", "timestamp overflow"),
        ("timestamp(0).getHours('Nowhere/Land') == 1", "unknown time zone Nowhere/Land"),
    ] {
        assert_eq!(holds(source).map_err(|error| error.to_string()), Err(message.to_owned()), "{source}");
    }
}

#[test]
fn what_does_not_compile() {
    for (source, message) in [
        (r#"readFile("x")"#, "1:1: undeclared reference to 'readFile'"),
        ("tool_nam == 'x'", "1:1: undeclared reference to 'tool_nam'"),
        ("true &&\n  event.x", "2:3: undeclared reference to 'event'"),
        ("tool_name.lowerAscii()", "1:11: undeclared reference to 'lowerAscii'"),
        (
            "timestamp('2020-01-01T00:00:00Z') == 1",
            "found no matching overload for '_==_' applied to '(google.protobuf.Timestamp, int)'",
        ),
        (
            "duration('1h') * 2",
            "found no matching overload for '_*_' applied to '(google.protobuf.Duration, int)'",
        ),
        (
            "duration('1h').getFullYear() == 1",
            "found no matching overload for 'a part of a time' applied to '(google.protobuf.Duration)'",
        ),
        ("size()", "1:1: found no matching overload for 'size' with 0 arguments"),
        ("tool_name.contains('a', 'b')", "1:11: found no matching overload for 'contains' with 3 arguments"),
        ("", "1:1: syntax error: unexpected end of the expression"),
        ("1 +", "1:4: syntax error: unexpected end of the expression"),
        ("(1", "1:3: syntax error: unexpected end of the expression"),
        ("1 2", "1:3: syntax error: unexpected a number"),
        ("a ? b", "1:1: undeclared reference to 'a'"),
        ("'abc", "1:1: the string is not closed"),
        ("'a\\q'", "1:1: invalid escape sequence"),
        ("1 # 2", "1:3: unexpected character '#'"),
        ("99999999999999999999", "1:1: invalid number `99999999999999999999`"),
        ("has(tool_name)", "1:15: invalid argument to has() macro"),
        ("tool_name.matches('(')", "1:23: unclosed group"),
        ("tool_name > 5", "found no matching overload for '_>_' applied to '(string, int)'"),
        ("tool_name == 1 || true", "found no matching overload for '_==_' applied to '(string, int)'"),
        ("tool_name && true", "found no matching overload for '_&&_' applied to '(string)'"),
        ("!depth", "found no matching overload for '!_' applied to '(int)'"),
        ("size(depth) > 1", "found no matching overload for 'size' applied to '(int)'"),
        ("tool_name.contains(depth)", "found no matching overload for 'contains' applied to '(string, int)'"),
        ("tool_name.cmd == 'x'", "type 'string' does not support field selection of 'cmd'"),
        (
            "[1].exists(x, size(tool_name) + tool_name == 1)",
            "found no matching overload for '_+_' applied to '(int, string)'",
        ),
        ("depth.all(x, true)", "expression of type 'int' cannot be range of a comprehension"),
        ("depth in tool_name", "found no matching overload for '@in' applied to '(int, string)'"),
        ("if", "1:1: syntax error: unexpected `if`"),
        ("[1].all(x)", "1:10: syntax error: unexpected `)`"),
    ] {
        assert_eq!(compile(source).map(|_| ()), Err(message.to_owned()), "{source}");
    }
}

#[test]
fn hostile_sources_end_in_errors() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(5_000), close.repeat(5_000));
    for source in [
        deep("(", ")"),
        deep("[", "]"),
        deep("-(", ")"),
        deep("size(", ")"),
        deep("{1:", "}"),
        deep("[1].all(x, ", ")"),
        "x".repeat(40_000),
        "\"\\".to_owned(),
        "b'\\u0041'".to_owned(),
        "r'\\".to_owned(),
        "'''".to_owned(),
        "0x".to_owned(),
        "é".to_owned(),
    ] {
        assert!(compile(&source).is_err(), "{}", source.get(..20).unwrap_or(&source));
    }
    // Long, but not deep.
    for source in [
        format!("1{} > 0", "+1".repeat(10_000)),
        format!("tool_input{} == 1", ".a".repeat(10_000)),
        format!("{}true", "!".repeat(30_000)),
        format!("{}1 > 0", "- ".repeat(10_000)),
        format!("true{}", "&&true".repeat(5_000)),
        format!("{}true", "false?true:".repeat(2_900)),
    ] {
        let program = compile(&source).unwrap();
        let _ = program.evaluate(vec![Value::text("x"), Value::Null, Value::Int(0)], 100_000);
    }
}

#[test]
fn the_cost_is_bounded() {
    let nested = "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, \
                  [0,1,2,3,4,5,6,7,8,9].all(d, [0,1,2,3,4,5,6,7,8,9].all(e, true)))))";
    assert_eq!(holds(nested), Err(EvaluationError::Cost(100_000)));
    assert_eq!(holds(&format!("true || {nested}")), Ok(Some(true)));
    assert_eq!(holds(&format!("({nested}) || true")), Err(EvaluationError::Cost(100_000)));
    let doubling = (0..40).fold("'aaaaaaaa'".to_owned(), |inner, _| format!("[{inner}].map(x, x + x)[0]"));
    assert_eq!(holds(&format!("size({doubling}) > 0")), Err(EvaluationError::Cost(100_000)));
    let long = json!({"cmd": "x".repeat(4 << 20)});
    assert_eq!(run("tool_input.cmd.contains('y')", &long, 100_000), Ok(Some(false)));
    assert_eq!(run("tool_input.cmd.contains('y')", &long, 1_000), Err(EvaluationError::Cost(1_000)));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..Default::default()
    })]

    /// Whatever the source, there is a value or an error.
    #[test]
    fn no_source_breaks_it(parts in proptest::collection::vec(proptest::sample::select(PARTS.to_vec()), 0..24)) {
        if let Ok(program) = compile(&parts.concat()) {
            let input = json!({"a": [1, "x", {"b": null}], "é": "e"});
            let variables = vec![Value::text("é"), Value::from_json(&input), Value::Int(i64::MIN)];
            let _ = program.evaluate(variables, 1_000);
        }
    }
}

const PARTS: [&str; 57] = [
    "tool_name",
    "tool_input",
    "depth",
    ".a",
    "[0]",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ":",
    ",",
    "?",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    ">=",
    " in ",
    "&&",
    "||",
    "1",
    "0",
    "9223372036854775807",
    "1u",
    "1.5",
    "1e400",
    "'é'",
    "\"\\u00e9\"",
    "b'\\xff'",
    "r'\\'",
    "'''",
    "true",
    "null",
    "int",
    ".size()",
    "size(",
    ".matches('x+')",
    "has(",
    ".all(x, ",
    ".map(x, x",
    ".exists_one(x, ",
    "x",
    "string(",
    "int(",
    "double(",
    "type(",
    "tool_input.a",
    " ",
    "// c\n",
    "é",
];
