//! Templates against what Go prints.

use super::*;
use serde_json::json;
use std::sync::LazyLock;

static PAYLOAD: LazyLock<Structure> = LazyLock::new(|| {
    let text =
        ["SessionID session_id", "Cwd cwd", "ToolName tool_name", "ToolUseID tool_use_id", "Prompt prompt"]
            .map(|names| (names, Kind::Text));
    let others = [
        ("ToolInput tool_input", Kind::Map),
        ("ToolError tool_error", Kind::Bool),
        ("SteeringMessages steering_messages", Kind::List),
        ("Iteration iteration", Kind::Integer),
        ("InputTokens input_tokens", Kind::Integer),
        ("Cost cost", Kind::Any),
    ];
    Structure::new(
        "hooks.Input",
        text.into_iter().chain(others).map(|(names, kind)| {
            let (name, key) = names.split_once(' ').unwrap();
            (name.to_owned(), key, kind)
        }),
    )
});

fn render(template: &str) -> Result<String, String> {
    let payload = json!({"session_id": "s", "tool_name": "shell", "tool_use_id": "c", "iteration": 3,
        "tool_input": {"cmd": "ls é", "b": [1, true], "n": 5, "big": 12_345_678, "deep": {"x": "<&>"}},
        "tool_error": true, "steering_messages": ["one", "two", "three"]});
    Template::parse(template)?.render(&PAYLOAD, payload.as_object().unwrap())
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (template, expected) in cases {
        assert_eq!(render(template).as_deref(), Ok(*expected), "{template}");
    }
}

#[test]
fn fields_pipes_and_functions() {
    check(&[
        ("{{.SessionID}}/{{.ToolUseID}}/{{.Prompt}}.", "s/c/."),
        (
            "{{ toJSON .ToolInput.cmd }} {{ .ToolInput.b }} {{ .ToolInput.none }}",
            "\"ls é\" [1 true] <no value>",
        ),
        ("{{ .ToolInput.deep | toJSON }}", r#"{"x":"\u003c\u0026\u003e"}"#),
        ("{{ .ToolInput.deep }} {{ .ToolInput.big }} {{ .ToolInput.n }}", "map[x:<&>] 1.2345678e+07 5"),
        (
            "{{ .ToolInput.cmd | truncate 4 }} {{ truncate 3 .ToolInput.cmd }} {{ truncate 0 .ToolName }}",
            "ls é ls … shell",
        ),
        ("a  {{- .ToolName -}}  b{{/* no }} */}}", "ashellb"),
        ("{{ \"}}\" }}{{ `\"` }}{{ 5 }}{{ 0x10 }}{{ 1.50 }}", "}}\"5161.5"),
        ("no action } }}", "no action } }}"),
        ("{{ .Iteration }} {{ .InputTokens }} {{ .ToolError }} {{ .Cost }}", "3 0 true <no value>"),
    ]);
    assert!(render("{{ . | toJSON }}").unwrap().starts_with("{\"session_id\""));
    assert!(
        render("{{ .ToolInput | toJSON }}").unwrap().starts_with("{\"b\":[1,true],\"big\":12345678,\"cmd\"")
    );
}

#[test]
fn blocks() {
    check(&[
        ("{{ if .ToolName }}a{{ else }}b{{ end }}{{ if .Prompt }}a{{ else }}b{{ end }}", "ab"),
        ("{{ if eq .ToolName \"x\" }}1{{ else if eq .ToolName \"y\" \"shell\" }}2{{ else }}3{{ end }}", "2"),
        (
            "{{ with .ToolInput.deep }}{{ .x }}{{ end }}{{ with .Prompt }}p{{ else with .ToolName }}{{ . }}{{ end }}",
            "<&>shell",
        ),
        ("{{ range .SteeringMessages }}[{{ . }}]{{ else }}none{{ end }}", "[one][two][three]"),
        (
            "{{ range $i, $m := .SteeringMessages }}{{ if $i }}, {{ end }}{{ $i }}={{ $m }}{{ end }}",
            "0=one, 1=two, 2=three",
        ),
        ("{{ range $k, $v := .ToolInput }}{{ $k }} {{ end }}", "b big cmd deep n "),
        ("{{ range .ToolInput.none }}x{{ else }}none{{ end }}", "none"),
        (
            "{{ range .SteeringMessages }}{{ if eq . \"two\" }}{{ continue }}{{ end }}{{ . }}{{ end }}",
            "onethree",
        ),
        ("{{ range .SteeringMessages }}{{ if eq . \"two\" }}{{ break }}{{ end }}{{ . }}{{ end }}", "one"),
        ("{{ range 3 }}{{ . }}{{ end }}", "012"),
        ("{{ $n := 0 }}{{ range .SteeringMessages }}{{ $n = len . }}{{ end }}{{ $n }}", "5"),
        (
            "{{ $x := .ToolName }}{{ with .ToolInput }}{{ $x }}{{ $.SessionID }}{{ $x := 1 }}{{ $x }}{{ end }}{{ $x }}",
            "shells1shell",
        ),
        ("a {{- if true }} b {{ end -}} c", "a b c"),
    ]);
}

#[test]
fn functions_of_go() {
    check(&[
        ("{{ len .ToolInput.cmd }} {{ len .ToolInput }} {{ .SteeringMessages | len }}", "5 5 3"),
        (
            "{{ index .ToolInput \"cmd\" }} {{ index .SteeringMessages 1 }} {{ index .ToolInput \"deep\" \"x\" }} {{ (index .ToolInput \"deep\").x }}",
            "ls é two <&> <&>",
        ),
        ("{{ slice .ToolName 1 3 }} {{ slice .SteeringMessages 1 }}", "he [two three]"),
        (
            "{{ printf \"%s|%5d|%-4s|%q|%v|%t|%05.1f|%%\" .ToolName 42 \"x\" \"a\\\"b\" .ToolInput.b true 2.25 }}",
            "shell|   42|x   |\"a\\\"b\"|[1 true]|true|002.2|%",
        ),
        ("{{ printf \"%d %s\" \"x\" }}", "%!d(string=x) %!s(MISSING)"),
        ("{{ printf \"a\" 1 }}", "a%!(EXTRA int=1)"),
        ("{{ print 1 2 \"a\" 3 }}|{{ println 1 \"a\" }}", "1 2a3|1 a\n"),
        ("{{ and true 0 .Broken }}{{ or \"\" \"x\" }}{{ not 1 }}", "0xfalse"),
        ("{{ if and (eq .ToolName \"shell\") (gt (len .ToolInput.cmd) 3) }}yes{{ end }}", "yes"),
        (
            "{{ lt 1 2 }}{{ le 2 2 }}{{ gt \"b\" \"a\" }}{{ ge 1 2 }}{{ ne 1 2 }}{{ eq .ToolInput.none nil }}",
            "truetruetruefalsetruetrue",
        ),
        ("{{ .ToolName | printf \"%s-%s\" \"a\" }}", "a-shell"),
    ]);
}

#[test]
fn what_is_wrong_is_an_error() {
    for (template, why) in [
        ("{{ .ToolName", "`{{` is not closed by `}}`"),
        ("{{ if .ToolName }}x", "a block is not closed by `end`"),
        ("{{ end }}", "`end` without a block"),
        ("{{ else }}", "`else` without a block"),
        ("{{ break }}", "`break` outside of `range`"),
        ("{{}}", "an action is empty"),
        ("{{ .ToolName | upper }}", "function `upper` is not defined"),
        ("{{ .ToolName | }}", "a pipe has nothing beside it"),
        ("{{ .ToolName .Cwd }}", "only a function takes arguments"),
        ("{{ 1 | .ToolName }}", "what a pipe leads to is not a function"),
        ("{{ $x }}", "undefined variable `$x`"),
        ("{{ if $x := 1 }}{{ end }}{{ $x }}", "undefined variable `$x`"),
        ("{{ (len .Cwd }}", "a parenthesis is not closed"),
        ("{{ len .Cwd) }}", "an unexpected word in an action"),
        ("{{ template \"x\" }}", "`template` is not supported here"),
        ("{{ 'a' }}", "unexpected `'` in an action"),
        ("{{ 5x }}", "`5x` is not a number"),
    ] {
        assert_eq!(Template::parse(template).err().as_deref(), Some(why), "{template}");
    }
    assert_eq!(Template::parse(&"{{ if 1 }}".repeat(10_000)).unwrap_err(), "it nests deeper than 32");
    assert_eq!(
        Template::parse(&format!("{{{{ {} }}}}", "(".repeat(10_000))).unwrap_err(),
        "it nests deeper than 32"
    );
    for (template, why) in [
        ("{{ .Tool }}", "there is no field `.Tool`"),
        ("{{ .ToolName.x }}", "a value of type string has no field `.x`"),
        ("{{ eq .ToolInput.n 5 }}", "incompatible types for comparison: float64 and int"),
        ("{{ index .SteeringMessages 9 }}", "index out of range: 9"),
        ("{{ len 5 }}", "len of a value of type int"),
        ("{{ truncate .ToolName .ToolName }}", "truncate needs a number of characters"),
        ("{{ toJSON }}", "toJSON can not be called with 0 arguments"),
        ("{{ range .ToolName }}{{ end }}", "range can not go over a value of type string"),
        ("{{ range 1000000 }}{{ end }}", "the prompt takes more than 100000 steps"),
    ] {
        assert_eq!(render(template).as_deref(), Err(&why.to_owned()), "{template}");
    }
    let long = format!("{{{{ range 9000 }}}}{}{{{{ end }}}}", "x".repeat(1000));
    assert_eq!(render(&long).unwrap_err(), "the prompt is longer than 1048576 bytes");
}
