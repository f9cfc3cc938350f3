use super::*;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn value(text: &str) -> Value {
    Source::new("f", text.as_bytes()).yaml("").unwrap_or_else(|problem| panic!("{problem}")).to_value()
}

fn problem(text: &[u8]) -> String {
    Source::new("f", text).yaml("bad: ").unwrap_err().to_string()
}

#[test]
fn collections_and_scalars() {
    let text = "---\n# c\nenabled: true\nhooks:\n- name: 'a'\n  n: 1.5\n  s: \"1\\t\"\n- [x, {y: ~, z}]\n\"q\": >-\n  one\n  two\nb: |\n  l1\n   l2\n\n1: !!str 2\n";
    let wanted = json!({
        "enabled": true,
        "hooks": [{"name": "a", "n": 1.5, "s": "1\t"}, ["x", {"y": null, "z": null}]],
        "q": "one two",
        "b": "l1\n l2\n",
        "1": "2",
    });
    assert_eq!(value(text), wanted);
    assert_eq!(value(""), Value::Null);
    assert_eq!(value("# only\n"), Value::Null);
    assert_eq!(value("\u{feff}a: 1"), json!({"a": 1}));
    assert_eq!(value("{\"a\": [1, \"x\"], \"b\": {}}"), json!({"a": [1, "x"], "b": {}}));
    assert_eq!(value("a: 1\n...\n"), json!({"a": 1}));
}

#[test]
fn values_and_keys_know_their_place() {
    let text = "é: 1\nlist:\n  - name: x\n    run: |\n      true\n  - \"q\"\nm: {a: [b]}\n";
    let source = Source::new("f", text.as_bytes());
    let node = source.yaml("").unwrap();
    let place = |node: &Node| source.place(node.at.unwrap());
    let at = |node: &Node| (place(node).line, place(node).column);
    let list = node.get("list").unwrap();
    let items = list.as_array().unwrap();
    assert_eq!(at(&node), (1, 1));
    assert_eq!(at(node.get("é").unwrap()), (1, 4));
    assert_eq!(at(list), (3, 3));
    assert_eq!(at(&items[0]), (3, 5));
    assert_eq!(at(items[0].get("run").unwrap()), (5, 7));
    assert_eq!(source.place(items[0].members()[1].at.unwrap()).column, 5);
    assert_eq!(at(&items[1]), (6, 5));
    let inner = node.get("m").unwrap();
    assert_eq!(at(inner), (7, 4));
    assert_eq!(at(inner.get("a").unwrap()), (7, 8));
    assert_eq!(place(inner).excerpt, "m: {a: [b]}");
    let marked = Source::new("f", "\u{feff}a: xyz".as_bytes());
    assert_eq!(marked.yaml("").unwrap().get("a").unwrap().at, Some(6));
}

#[test]
fn anchors_aliases_and_merge_keys() {
    let text = "base: &b {x: 1, y: 2}\nmore: &m\n  y: 3\n  z: [&s word, *s]\none:\n  a: 0\n  <<: *b\n  y: own\ntwo:\n  <<: [*b, *m]\n*s : k\n";
    let wanted = json!({
        "base": {"x": 1, "y": 2},
        "more": {"y": 3, "z": ["word", "word"]},
        "one": {"a": 0, "x": 1, "y": "own"},
        "two": {"x": 1, "y": 2, "z": ["word", "word"]},
        "word": "k",
    });
    assert_eq!(value(text), wanted);
    let order: Vec<_> = value(text)["one"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(order, ["a", "x", "y"]);
    assert_eq!(value("\"<<\": x"), json!({"<<": "x"}));
    assert_eq!(value("[&a 1, &a 2, *a]"), json!([1, 2, 2]));
}

#[test]
fn faults_name_line_and_column() {
    for (text, wanted) in [
        ("a: 1\na: 2\n", "f:2:1: bad: duplicate key `a`"),
        ("a: 1\n\"a\": 2\n", "f:2:1: bad: duplicate key `a`"),
        ("a: &a [*a]", "f:1:8: bad: an alias inside the value that it names"),
        ("a: 1\n---\nb: 2\n", "f:2:1: bad: more than one document"),
        ("a: !x 1", "f:1:7: bad: tag `!x` is not supported here"),
        ("a: !!int x", "f:1:10: bad: `x` is not of the type that its tag names"),
        ("a: .nan", "f:1:4: bad: the number `.nan` is out of range"),
        ("? [a]\n: b", "f:1:3: bad: a key must be a scalar"),
        ("a:\n  : b", "f:2:3: bad: a key must not be null or empty"),
        ("~: b", "f:1:1: bad: a key must not be null or empty"),
        ("<<: 1", "f:1:5: bad: the value of a merge key must be a mapping or a list of mappings"),
    ] {
        assert_eq!(problem(text.as_bytes()), wanted);
    }
    assert_eq!(problem(b"a: \"\xff\""), "f:1:5: bad: invalid UTF-8");
    for text in ["a: [1", "a: *b", "a: b: c", "a: \"x", "a:\n  - b\n c: d"] {
        let text = problem(text.as_bytes());
        assert!(text.starts_with("f:") && text.contains(": bad: ") && !text.ends_with("bad: "), "{text}");
    }
}

#[test]
fn bombs_end_in_an_error() {
    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(laughs, "a{level}: &a{level} [{before}]");
    }
    assert!(problem(laughs.as_bytes()).contains("copy more than"));
    let deep =
        format!("a: &a {}x{}\nb: {}*a{}\n", "[".repeat(100), "]".repeat(100), "[".repeat(30), "]".repeat(30));
    assert!(problem(deep.as_bytes()).contains("nested"));
    assert!(!problem("[".repeat(100_000).as_bytes()).is_empty());
    assert!(!problem("- ".repeat(100_000).as_bytes()).is_empty());
    assert!(!problem("? ".repeat(100_000).as_bytes()).is_empty());
    assert!(!problem(&vec![b' '; MOST_BYTES + 1]).is_empty());
    let fits = format!("{}{}", "[".repeat(120), "]".repeat(120));
    assert!(Source::new("f", fits.as_bytes()).yaml("").is_ok());
}

#[test]
fn long_texts_take_linear_time() {
    for text in
        ["a, ".repeat(200_000), "- x\n".repeat(200_000), "'a' ".repeat(1 << 18), "&a ".repeat(1 << 18)]
    {
        let _ = Source::new("f", text.as_bytes()).yaml("");
    }
    let keys = (0..100_000).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "k{n}: v");
        text
    });
    assert_eq!(value(&keys).as_object().unwrap().len(), 100_000);
}

#[test]
fn json_or_yaml() {
    let named = |name: &'static str, text: &'static str| {
        let read = Source::new(name, text.as_bytes()).json_or_yaml("").map(|node| node.to_value());
        read.map_err(|problem| problem.to_string())
    };
    let read = |text| named("f", text);
    assert_eq!(read(" {\"a\": 1}").unwrap(), json!({"a": 1}));
    assert_eq!(read("a: 1").unwrap(), json!({"a": 1}));
    assert_eq!(read("{\"a\": }x").unwrap_err(), "f:1:7: expected value");
    assert_eq!(read("{a: 1}").unwrap_err(), "f:1:2: key must be a string");
    assert_eq!(read("{\"a\": 1,}").unwrap_err(), "f:1:9: trailing comma");
    let comment = "f:2:1: key must be a string: JSON has no comments";
    assert_eq!(read("{\n// \"a\"\n\"hooks\": {}}").unwrap_err(), comment);
    assert_eq!(read("{\n/* a */ \"hooks\": {}}").unwrap_err(), comment);
    assert_eq!(read("{\"a\": 1 // a\n}").unwrap_err(), "f:1:9: expected `,` or `}`: JSON has no comments");
    assert_eq!(named("a.yaml", "{a: 1}").unwrap(), json!({"a": 1}));
    assert_eq!(named("a.json", "// a\n{}").unwrap_err(), "a.json:1:1: expected value: JSON has no comments");
    assert_eq!(named("a.JSON", "a: 1").unwrap_err(), "a.JSON:1:1: expected value");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Pieces that YAML gives a meaning to.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a",
            "b",
            "1",
            "0x1f",
            "true",
            "~",
            "null",
            "é",
            "\u{feff}",
            "'",
            "\"",
            "\\",
            "\\n",
            ": ",
            ":",
            "- ",
            "? ",
            "\n",
            "\n  ",
            "\n    ",
            " ",
            "\t",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "|",
            ">",
            "|2-",
            ">+",
            "&a ",
            "*a",
            "<<: ",
            "!!str ",
            "!!int ",
            "!x ",
            "!",
            "---\n",
            "...\n",
            "%YAML 1.2\n",
            "#",
            " # c",
            "@",
            "`",
            "\r\n",
            "\0",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_text_panics_and_places_are_inside(text in text()) {
            let source = Source::new("f", text.as_bytes());
            match source.yaml("") {
                Ok(node) => check_places(&node, text.len()),
                Err(problem) => prop_assert!(problem.place.is_some() && !problem.message.is_empty()),
            }
        }

        #[test]
        fn json_is_yaml(value in json_value()) {
            let text = value.to_string();
            let source = Source::new("f", text.as_bytes());
            let (yaml, json) = (source.yaml("").unwrap(), source.json("").unwrap());
            prop_assert_eq!(yaml.to_value(), json.to_value());
            prop_assert_eq!(places(&yaml), places(&json));
        }
    }

    fn check_places(node: &Node, length: usize) {
        assert!(node.at.is_some_and(|at| at <= length));
        node.as_array().unwrap_or_default().iter().for_each(|item| check_places(item, length));
        for member in node.members() {
            assert!(member.at.is_some_and(|at| at <= length));
            check_places(&member.value, length);
        }
    }

    fn places(node: &Node) -> Vec<Option<usize>> {
        let mut all = vec![node.at];
        all.extend(node.as_array().unwrap_or_default().iter().flat_map(places));
        all.extend(node.members().iter().flat_map(|member| {
            let mut of = vec![member.at];
            of.extend(places(&member.value));
            of
        }));
        all
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-8000..8000).prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
            "[a-zé:#\\-\\n\"'\\\\ ]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map("[a-z: ]{0,6}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }
}
