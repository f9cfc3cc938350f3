//! What the command prints for people holds nothing that a terminal obeys, whoever wrote the text: hooks, scripts, payloads,
//! names of files. What a script of `hookbox sh` prints is its own affair.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "support/world.rs"]
mod world;

use serde_json::{Value, json};
use std::process::Command;
use world::{Ran, World};

/// What is put wherever others choose the text, and how it is shown.
const HOSTILE: &[(&str, &str)] = &[
    ("\u{1b}[31m", r"\x1b[31m"),
    ("\u{1b}]0;title\u{7}", r"\x1b]0;title\x07"),
    ("\u{1b}]52;c;eA==\u{1b}\\", r"\x1b]52;c;eA==\x1b\"),
    ("\u{1b}[2J\u{1b}[H", r"\x1b[2J\x1b[H"),
    ("\u{8}\u{8}\u{8}", r"\x08\x08\x08"),
    ("\rproceed", r"\rproceed"),
    ("\u{b}\u{c}", r"\x0b\x0c"),
    ("\u{7f}", r"\x7f"),
    ("\u{9b}2J", r"\u{9b}2J"),
    ("\u{90}q\u{9c}", r"\u{90}q\u{9c}"),
    ("\u{85}", r"\u{85}"),
    ("\u{202e}txt", r"\u{202e}txt"),
    ("\u{2066}a\u{2069}", r"\u{2066}a\u{2069}"),
    ("\u{200f}\u{61c}", r"\u{200f}\u{61c}"),
    ("\u{2028}proceed", r"\u{2028}proceed"),
    ("\nproceed", "proceed"),
];

/// Characters of the output that a terminal would act on, newlines and tabs apart.
fn acted_on(ran: &Ran) -> Vec<char> {
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    let all = ran.stdout.chars().chain(ran.stderr.chars());
    all.filter(|&c| (c.is_control() && c != '\n' && c != '\t') || turns(c)).collect()
}

/// One way for a text into the output: the files that carry it, the words of the command.
struct Way {
    name: &'static str,
    files: fn(&str) -> Vec<(&'static str, String)>,
    words: &'static [&'static str],
    /// Whether the text is shown as [`HOSTILE`] says; else it is enough that it is not sent.
    shown: bool,
}

fn everruns(id: &str, command: &str) -> String {
    json!({"hooks": [{"id": id, "event": "pre_tool_use", "executor": {"type": "bash", "command": command}}]})
        .to_string()
}

const EVENT: &str = r#"{"event": "pre_tool_use", "data": {"tool_name": "bash", "arguments": {"a": 1}}}"#;

fn event() -> (&'static str, String) {
    ("event.json", EVENT.to_owned())
}

/// A script that prints a JSON text.
fn printing(value: &Value) -> String {
    format!("cat <<'END'\n{value}\nEND")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn case(name: &str, expected: &Value) -> String {
    json!({
        "id": format!("T{name}"), "title": name, "dialect": "everruns",
        "hooks": {"hooks": [{"id": "g", "event": "turn_end", "executor": {"type": "bash", "command": "echo '{}'"}}]},
        "cases": [{"name": name, "event": {"event": "turn_end"}, "expect": {"ran": expected}}],
    })
    .to_string()
    .chars()
    .map(|c| if c.is_ascii() && c != '\x7f' { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) })
    .collect()
}

const FIRE: &[&str] = &["fire", "--hooks", "hooks.json", "--event", "event.json", "--explain"];

const WAYS: &[Way] = &[
    Way {
        name: "the id of a hook that ran",
        files: |x| vec![("hooks.json", everruns(&format!("a{x}"), "echo '{}'")), event()],
        words: FIRE,
        shown: true,
    },
    Way {
        name: "the reason of a block",
        files: |x| {
            let block =
                json!({"decision": "block", "reason": format!("no{x}"), "user_message": format!("sorry{x}")});
            vec![("hooks.json", everruns("g", &printing(&block))), event()]
        },
        words: FIRE,
        shown: true,
    },
    Way {
        name: "what a hook asks for",
        files: |x| {
            let hook = json!({"type": "mcp_tool", "server": "s", "tool": format!("a{x}"), "input": {}});
            let config = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
            let event = r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}"#;
            vec![("hooks.json", config.to_string()), ("event.json", event.to_owned())]
        },
        words: FIRE,
        shown: true,
    },
    Way {
        name: "standard error of a hook",
        files: |x| {
            vec![("hooks.json", everruns("g", &format!("printf %s {} >&2; exit 1", quoted(x)))), event()]
        },
        words: FIRE,
        shown: true,
    },
    Way {
        name: "standard output of a hook",
        files: |x| vec![("hooks.json", everruns("g", &format!("printf %s {}", quoted(x)))), event()],
        words: FIRE,
        shown: true,
    },
    Way {
        name: "the name of a file that a hook made",
        files: |x| {
            vec![
                (
                    "hooks.json",
                    everruns("g", &format!("printf x > {}; echo '{{}}'", quoted(&format!("a{x}")))),
                ),
                event(),
            ]
        },
        words: &["fire", "--hooks", "hooks.json", "--event", "event.json", "--explain", "--diff"],
        shown: true,
    },
    Way {
        name: "rewritten arguments",
        files: |x| {
            let patch =
                json!({"decision": "mutate", "patch": {"arguments": {"a": x}}, "arguments": {"a": x}});
            vec![("hooks.json", everruns("g", &printing(&patch))), event()]
        },
        words: FIRE,
        shown: false,
    },
    Way {
        name: "the outcome as JSON",
        files: |x| {
            let block = json!({"decision": "block", "reason": format!("no{x}")});
            vec![("hooks.json", everruns(&format!("a{x}"), &printing(&block))), event()]
        },
        words: &["fire", "--hooks", "hooks.json", "--event", "event.json", "--json", "--diff", "--explain"],
        shown: true,
    },
    Way {
        name: "an event that is not known",
        files: |x| {
            vec![
                ("hooks.json", everruns("g", ":")),
                ("event.json", json!({"event": format!("e{x}")}).to_string()),
            ]
        },
        words: FIRE,
        shown: false,
    },
    Way {
        name: "a config that is not one",
        files: |x| vec![("hooks.json", format!("{{\"hooks\": [{{\"id\": \"{x}\", ]}}")), event()],
        words: FIRE,
        shown: false,
    },
    Way {
        name: "the id of a hook that is checked",
        files: |x| {
            vec![("hooks.json", everruns(&format!("a{x}"), "echo '{\"decision\": \"deny\"}'; cargo x"))]
        },
        words: &["check", "hooks.json"],
        shown: false,
    },
    Way {
        name: "a command that is checked",
        files: |x| vec![("hooks.json", everruns("g", &format!("nothing{x} 'a\nfi")))],
        words: &["check", "hooks.json", "--notes"],
        shown: false,
    },
    Way {
        name: "an event of a config",
        files: |x| {
            vec![("hooks.json", json!({"hooks": [{"id": "g", "event": format!("turn{x}"), "executor": {"type": "bash", "command": ":"}}]}).to_string())]
        },
        words: &["check", "--dialect", "everruns", "hooks.json"],
        shown: false,
    },
    Way {
        name: "findings as JSON",
        files: |x| vec![("hooks.json", everruns(&format!("a{x}"), "cargo x"))],
        words: &["check", "--json", "hooks.json"],
        shown: false,
    },
    Way {
        name: "what conversion says about a hook",
        files: |x| {
            vec![(
                "hooks.json",
                everruns(
                    &format!("a{x}"),
                    &format!("echo '{{\"decision\": \"block\", \"reason\": \"{x}\"}}'"),
                ),
            )]
        },
        words: &["convert", "hooks.json", "--to", "infer"],
        shown: false,
    },
    Way {
        name: "a converted config in YAML",
        files: |x| vec![("hooks.json", everruns(&format!("a{x}"), &format!("echo {}", quoted(x))))],
        words: &["convert", "hooks.json", "--to", "docker-agent"],
        shown: false,
    },
    Way {
        name: "a converted config in JSON",
        files: |x| vec![("hooks.json", everruns(&format!("a{x}"), &format!("echo {}", quoted(x))))],
        words: &["convert", "hooks.json", "--to", "claude-code"],
        shown: false,
    },
    Way {
        name: "names of cases that fail",
        files: |x| {
            vec![
                ("set/a/fixture.yaml", String::new()),
                ("set/a/cases/c.yaml", case(&format!("n{x}"), &json!([x]))),
            ]
        },
        words: &["test", "set"],
        shown: true,
    },
    Way {
        name: "cases that fail, as JSON",
        files: |x| {
            vec![
                ("set/a/fixture.yaml", String::new()),
                ("set/a/cases/c.yaml", case(&format!("n{x}"), &json!([x]))),
            ]
        },
        words: &["test", "--json", "set"],
        shown: false,
    },
    Way {
        name: "a case that is not one",
        files: |x| {
            vec![
                ("set/a/fixture.yaml", String::new()),
                ("set/a/cases/c.yaml", json!({"id": x, format!("k{x}"): x}).to_string()),
            ]
        },
        words: &["test", "set"],
        shown: false,
    },
    Way {
        name: "a fixture that is not one",
        files: |x| vec![("fix/fixture.yaml", json!({format!("k{x}"): x}).to_string())],
        words: &["sh", "--fixture", "fix", "-c", ":"],
        shown: false,
    },
    Way {
        name: "the name of a fixture",
        files: |x| {
            vec![
                ("set/a/fixture.yaml", String::new()),
                (
                    "set/a/cases/c.yaml",
                    case("n", &json!([])).replacen(
                        '{',
                        &format!("{{\"fixture\": {},", json!(format!("../{x}"))),
                        1,
                    ),
                ),
            ]
        },
        words: &["test", "set"],
        shown: false,
    },
];

#[test]
fn nothing_that_a_terminal_obeys_is_sent() {
    let mut wrong = Vec::new();
    for way in WAYS {
        for (hostile, shown) in HOSTILE {
            let world = World::new("");
            for (name, text) in (way.files)(hostile) {
                std::fs::create_dir_all(world.path(name).parent().unwrap()).unwrap();
                std::fs::write(world.path(name), text).unwrap();
            }
            let ran = world.hookbox(way.words);
            let sent = acted_on(&ran);
            if !sent.is_empty() {
                wrong.push(format!("{}: {shown}: sent {sent:?}", way.name));
            }
            let all = format!("{}{}", ran.stdout, ran.stderr);
            if way.shown && !all.contains(shown) {
                wrong.push(format!("{}: {shown}: not shown: {all}", way.name));
            }
            // Nothing that others wrote passes for the command's own last word.
            if all.lines().filter(|line| *line == "proceed").count() > 1 {
                wrong.push(format!("{}: forged: {all}", way.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Arguments, and names of files of the host, are text of others as well.
#[test]
fn arguments_and_names_are_shown_too() {
    for (hostile, shown) in HOSTILE {
        let hostile = format!("a{hostile}b");
        let world = World::new("d seed");
        assert!(Command::new("mkfifo").arg(world.path("seed").join(&hostile)).status().unwrap().success());
        let rows: &[&[&str]] = &[
            &["sh", &hostile],
            &["check", &hostile],
            &["convert", &hostile, "--to", "infer"],
            &["convert", "x", "--to", &hostile],
            &["fire", "--hooks", &hostile, "--event", &hostile],
            &["test", &hostile],
            &["sh", "--limit", &hostile, "-c", ":"],
            &["sh", "--limits", &hostile, "-c", ":"],
            &["sh", "--env", &hostile, "-c", ":"],
            &["sh", "--export", &format!("/{hostile}:out"), "-c", ":"],
            &["sh", "--seed", &hostile, "-c", ":"],
            &["sh", "--seed", "seed", "-c", ":"],
            &["sh", "--fixture", &hostile, "-c", ":"],
            &["sh", "--dump", "-c", &format!("echo '{hostile}'")],
            &["sh", "--diff", "-c", &format!("echo > {}", quoted(&hostile))],
            &[&hostile],
            &[&format!("--{hostile}")],
            &["fire", "--dialect", "infer", "--hooks", "/dev/null", "--event", "-", "--set", &hostile],
            &["fire", "--plugin-root", &hostile, "--event", "-"],
            &["init", &hostile],
        ];
        for words in rows {
            let ran = world.hookbox(words);
            let all = format!("{}{}", ran.stdout, ran.stderr);
            assert_eq!(acted_on(&ran), [], "{words:?}: {ran:?}");
            let is_whole = !hostile.contains('=') && !words.contains(&"--dump");
            assert!(all.contains(shown) || !is_whole, "{words:?}: {ran:?}");
        }
    }
}

#[test]
fn what_a_script_prints_is_its_own() {
    let world = World::new("");
    for (hostile, _) in HOSTILE {
        let script = format!("printf %s {0}; printf %s {0} >&2", quoted(hostile));
        let ran = world.hookbox(&["sh", "-c", &script]);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, *hostile, *hostile));
    }
}

/// What is escaped is still the same document.
#[test]
fn escaped_documents_mean_the_same() {
    for (hostile, _) in HOSTILE {
        let world = World::new("");
        let hooks = everruns(&format!("a{hostile}"), &format!("echo {}", quoted(hostile)));
        std::fs::write(world.path("hooks.json"), &hooks).unwrap();
        for dialect in ["docker-agent", "claude-code"] {
            let there = world.hookbox(&["convert", "hooks.json", "--to", dialect]);
            std::fs::write(world.path("there"), &there.stdout).unwrap();
            let back = world.hookbox(&["convert", "there", "--from", dialect, "--to", "everruns"]);
            let back: Value =
                serde_json::from_str(&back.stdout).unwrap_or_else(|_| panic!("{there:?} {back:?}"));
            let hooks: Value = serde_json::from_str(&hooks).unwrap();
            let command = |config: &Value| config["hooks"][0]["executor"]["command"].clone();
            assert_eq!(command(&back), command(&hooks), "{dialect}: {there:?}");
        }
    }
}
