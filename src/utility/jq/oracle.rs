//! The recorded filters through jaq as well: where jaq and this engine differ, the difference is one of those listed.

use super::tests::run_unlimited;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};

/// The result of a filter: outputs as compact JSON, and whether an error ended them.
type Outcome = (Vec<String>, bool);

/// jaq's outcome; `None` where it does not take the filter or the input.
fn jaq(filter: &str, input: &str) -> Option<Outcome> {
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions).load(&arena, File { code: filter, path: () }).ok()?;
    let compiled = Compiler::default().with_funs(functions).compile(modules).ok()?;
    let mut outputs = Vec::new();
    for input in read::parse_many(input.as_bytes()) {
        let context = Ctx::<data::JustLut<Val>>::new(&compiled.lut, Vars::new([]));
        for output in compiled.id.run((context, input.ok()?)).map(unwrap_valr).take(100) {
            match output {
                Ok(value) => outputs.push(value.to_string()),
                Err(_) => return Some((outputs, true)),
            }
        }
    }
    Some((outputs, false))
}

/// Filters that end for every input, each run over each of [`INPUTS`].
const FILTERS: &[&str] = &[
    ".",
    ".a",
    ".a?",
    ".a.b?",
    ".[0]?",
    ".[1:]?",
    ".[-1:]?",
    ".[]?",
    "[.[]?]",
    "[..]",
    "[..|numbers]",
    "..|strings",
    "length?",
    "keys?",
    "keys_unsorted?",
    "values",
    "nulls",
    "scalars",
    "iterables",
    "type",
    "not",
    "[., .]",
    "{a: 1, b: .}",
    "{(\"x\", \"y\"): type}",
    "[.[]? | type]",
    "map(type)?",
    "map_values(type)?",
    "to_entries?",
    "with_entries(.value |= type)?",
    "[paths]",
    "[paths(type == \"number\")]",
    "[leaf_paths]",
    "add?",
    "any?",
    "all?",
    "flatten?",
    "sort?",
    "sort_by(type)?",
    "group_by(type)?",
    "unique?",
    "unique_by(type)?",
    "min?",
    "max?",
    "reverse?",
    "tojson",
    "tojson | fromjson",
    "tostring",
    "[.[]? | tostring] | join(\",\")",
    "ascii_downcase?",
    "ascii_upcase?",
    "explode?",
    "explode? | implode",
    "ltrimstr(\"a\")",
    "rtrimstr(\"b\")",
    "startswith(\"a\")?",
    "endswith(\"b\")?",
    "split(\"b\")?",
    "test(\"b\")?",
    "[match(\"b\"; \"g\").offset]?",
    "sub(\"b\"; \"x\")?",
    "gsub(\"[ab]\"; \"<\\(.)>\")?",
    "[scan(\"[a-c]\")]?",
    "capture(\"(?<x>b)\")?",
    "splits(\"b\")?",
    "@json",
    "@html",
    "@base64",
    "@base64 | @base64d",
    "(arrays | @csv)?",
    "(arrays | @tsv)?",
    "(arrays | @sh)?",
    "floor?",
    "sqrt? | floor?",
    "(numbers | . + 1, . * 2, . - 3, -.)",
    "(numbers | . % 3)",
    "(strings | . + \"x\")",
    "(arrays | . + [1])",
    "(arrays | . - [1])",
    "(objects | . + {z: 1})",
    "(objects | . * {a: {b: 1}})",
    ". == .",
    ". < 5",
    "[.] | inside([[1]])?",
    "has(\"a\")?",
    "has(0)?",
    "contains(\"b\")?",
    "index(\"b\")?",
    "indices(1)?",
    "first(.[]?)",
    "[limit(2; .[]?)]",
    "[first(range(5))]",
    "[range(0; 10; 3)]",
    "reduce .[]? as $x (0; . + 1)",
    "[foreach .[]? as $x (0; . + 1)]",
    "[foreach .[]? as $x (0; . + 1; [., $x])]",
    "if . then 1 else 2 end",
    "if type == \"array\" then length else empty end",
    "try error(\"x\") catch .",
    "[.[]? as $x | $x]",
    ". as [$a] ?// $a | $a",
    ".a as $x | [$x]?",
    "label $f | 1, break $f, 2",
    "def f(g): g | g; f([.])",
    "def f($x): $x + 1; f(1)",
    "[recurse(if . < 3 then . + 1 else empty end)?]",
    "(objects | .c = 5)",
    "(objects | .a |= [.])",
    "(arrays | .[0] = 9)",
    "(arrays | map(select(. != 1)))",
    "(objects | del(.a))",
    "(arrays | del(.[0]))",
    "(objects | to_entries | from_entries)",
    "(objects | tostream)",
    "[tostream]",
    "fromstream(tostream)",
    "getpath([\"a\"])?",
    "(objects | [paths | join(\".\")?])",
    "walk(.)",
    "(arrays | transpose)?",
    "(arrays | combinations)?",
    "(arrays | bsearch(1))",
    "[splits(\"b\")]?",
    "ascii?",
    "tonumber?",
    "(1, null) // 2",
    "[.[]? // 7]",
    "isvalid(.a)?",
    "(strings | length, utf8bytelength)",
    "[while(. < 3; . + 1)?]",
    "[until(true; .)]",
    "input_line_number?",
    "limit(1; 1, 2)",
    "[.[]? | numbers] | add",
    "$__loc__",
    "\"\\(.)\"",
    "@text \"\\(1 + 1)\"",
    "ltrimstr(1)",
    "IN(1, \"a\")",
    "[.[]?] | INDEX(type)",
    "isempty(.[]?)",
    "error(\"x\")?",
    "[.[]? | select(. > 1)?]",
    "env | type",
];

const INPUTS: &[&str] =
    &["null", "true", "3", "\"abc b\"", "[1,\"b\",[2],null]", r#"{"a":{"b":[1]},"c":"x"}"#, "[]", "{}"];

/// Where jaq differs from jq 1.8, and why. Filters (all outcomes of which are left out) and reasons.
const DIFFERENT: &[(&str, &str)] = &[
    (".[0]?", "a number is a key of an object there"),
    (".[1:]?", "null has no slices there"),
    (".[-1:]?", "null has no slices there"),
    ("with_entries(.value |= type)?", "keys of objects may be numbers there"),
    ("flatten?", "what is no array is an array of one there"),
    ("reverse?", "null cannot be reversed there"),
    ("has(\"a\")?", "a key of the wrong kind is absent there, an error here"),
    ("has(0)?", "a key of the wrong kind is absent there, an error here"),
    ("contains(\"b\")?", "kinds that differ contain nothing there, are an error here"),
    ("index(\"b\")?", "null and objects have no indices there, null here"),
    ("indices(1)?", "null has no indices there, null here"),
    ("(arrays | .[0] = 9)", "an array does not grow there"),
    ("(arrays | del(.[0]))", "what is not there cannot be deleted there"),
];

#[test]
fn differences_from_jaq_are_known() {
    let mut compared = 0;
    let mut unknown = Vec::new();
    for filter in FILTERS {
        if DIFFERENT.iter().any(|(different, _)| different == filter) {
            continue;
        }
        for input in INPUTS {
            let Some(theirs) = jaq(filter, input) else { continue };
            compared += 1;
            let (outputs, error) = run_unlimited(filter, input);
            let ours = (outputs, error.is_some());
            if ours != theirs {
                unknown.push(format!("{filter} over {input}: ours {ours:?}, jaq's {theirs:?}"));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(compared > 500, "{compared}");
}
