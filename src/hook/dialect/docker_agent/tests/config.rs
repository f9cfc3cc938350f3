//! Part 1 of the contract: shapes, messages with their places, sources, flags.

use super::*;
use crate::hook::contract::{Contribution, Purpose};
use crate::hook::dialect::docker_agent::settings::append_cli_hook;

fn ids(hooks: &HookSet) -> Vec<&str> {
    let own = hooks.hooks().iter().map(|hook| hook.id.as_str());
    own.filter(|id| *id != "limit_large_tool_results").collect()
}

fn problems(config: &str) -> Vec<String> {
    let options = LoadOptions { name: "agent.yaml".to_owned(), ..LoadOptions::default() };
    let error = load_with(config, &options).unwrap_err();
    let save = LoadOptions { purpose: Purpose::Save, ..options };
    assert_eq!(load_with(config, &save).unwrap_err(), error, "a fault is a fault, whatever the purpose");
    error.problems.iter().map(ToString::to_string).collect()
}

const FULL: &str = r#"
agents:
  root:
    model: openai/gpt-4o
    hooks:
      pre_tool_use:
        - matcher: "shell|edit_file"
          preempt_yolo: false
          hooks:
            - name: validate
              type: command
              command: ./scripts/validate-command.sh
              timeout: 30
              env: { PROFILE: dev }
              working_dir: ./hooks
              on_error: warn
      session_start:
        - type: command
          command: ./scripts/setup-env.sh
"#;

#[test]
fn the_shapes_of_a_config() {
    let flat = r#"{"hooks": {"stop": {"type": "command", "command": "x"}}}"#;
    let alone = "stop:\n  - { type: command, command: x }\n";
    for (config, expected) in
        [(FULL, vec!["validate", "session_start[0]"]), (flat, vec!["stop[0]"]), (alone, vec!["stop[0]"])]
    {
        assert_eq!(Dialect::detect("f", config.as_bytes()), Ok(Dialect::DockerAgent), "{config}");
        let hooks = load(config);
        assert_eq!(ids(&hooks), expected);
        assert!(hooks.notices().is_empty(), "{:?}", hooks.notices());
    }
    for nothing in ["", "{}", "null", "agents:\n", "agents: { root: }", "hooks: { stop: }"] {
        assert!(ids(&load(nothing)).is_empty(), "{nothing}");
    }
    let hooks = load(FULL);
    assert_eq!(hooks.hooks()[0].timeout.as_secs(), 30);
    assert_eq!(hooks.hooks()[1].timeout.as_secs(), 60);
}

#[test]
fn messages_of_validation_are_the_contracts() {
    let hook = |hook: &str| format!("hooks:\n  stop:\n    - {{ {hook} }}\n");
    let entry = |entry: &str| format!("hooks:\n  pre_tool_use:\n    - {{ {entry} }}\n");
    let fine = "type: command, command: x";
    for (config, message) in [
        (entry("matcher: a"), "3:7: hooks.pre_tool_use[0]: at least one hook is required"),
        (entry("hooks: []"), "3:7: hooks.pre_tool_use[0]: at least one hook is required"),
        (entry("hooks: [ { command: x } ]"), "3:18: hooks.pre_tool_use[0].hooks[0]: type is required"),
        (hook("command: x"), "3:7: hooks.stop[0]: type is required"),
        (hook("type: command"), "3:7: hooks.stop[0]: command is required for command hooks"),
        (hook("type: command, command: ' '"), "3:7: hooks.stop[0]: command is required for command hooks"),
        (hook("type: builtin"), "3:7: hooks.stop[0]: command must name the builtin to invoke"),
        (hook("type: model, prompt: x"), "3:7: hooks.stop[0]: model is required for model hooks"),
        (hook("type: model, model: a/b"), "3:7: hooks.stop[0]: prompt is required for model hooks"),
        (
            hook("type: http"),
            "3:15: hooks.stop[0]: unsupported hook type 'http' (supported: 'command', 'builtin', 'model')",
        ),
        ("hooks: { onstop: [] }".to_owned(), "1:10: hooks: unknown event 'onstop'"),
        ("hooks: { Stop: [] }".to_owned(), "1:10: hooks: unknown event 'Stop'"),
        (
            entry(&format!("matcher: '(', hooks: [ {{ {fine} }} ]")),
            "3:18: hooks.pre_tool_use[0]: invalid matcher '(': unclosed group",
        ),
        (
            entry(&format!("matcher: 'a)|(b', hooks: [ {{ {fine} }} ]")),
            "3:18: hooks.pre_tool_use[0]: invalid matcher 'a)|(b': unopened group",
        ),
        (
            hook(&format!("{fine}, on_error: maybe")),
            "3:46: hooks.stop[0]: unsupported on_error 'maybe' (supported: 'warn', 'ignore', 'block')",
        ),
        (
            hook("type: model, model: a/b, prompt: x, schema: other"),
            "3:53: hooks.stop[0]: unsupported schema 'other' (supported: 'pre_tool_use_decision')",
        ),
        (
            hook(&format!("{fine}, timeout: soon")),
            "3:45: hooks.stop[0].timeout: expected a whole number of seconds, found a string",
        ),
        (
            hook(&format!("{fine}, env: {{ A: 1 }}")),
            "3:46: hooks.stop[0].env.A: expected a string, found a number",
        ),
        (
            hook(&format!("{fine}, args: x")),
            "3:42: hooks.stop[0].args: expected a list of strings, found a string",
        ),
        ("hooks: []".to_owned(), "1:8: hooks: expected a mapping of events, found an array"),
        ("hooks: { stop: x }".to_owned(), "1:16: hooks.stop: expected a list of hooks, found a string"),
        (
            "hooks: { tool_guard: { type: command } }".to_owned(),
            "1:22: hooks.tool_guard: expected a list of matcher entries, found an object",
        ),
        ("agents: []".to_owned(), "1:9: agents: expected a mapping of agents by name, found an array"),
        ("- x".to_owned(), "1:1: config: expected a mapping, found an array"),
        (
            "agents: { a: { add_date: yes_please } }".to_owned(),
            "1:26: add_date: expected a boolean, found a string",
        ),
    ] {
        assert_eq!(problems(&config), [format!("agent.yaml:{message}")], "{config}");
    }
    assert!(problems("hooks: [").iter().all(|problem| problem.contains("not a docker-agent config: ")));
    let two = "hooks:\n  stop:\n    - {}\n    - { type: x }\n  nope: []\n";
    assert_eq!(problems(two).len(), 3);
}

#[test]
fn what_has_no_meaning_is_told() {
    let notices = |config: &str| {
        let hooks = load(config);
        hooks.notices().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for (config, text) in [
        ("hooks: { stop: { type: command, command: x, nmae: y } }", "unknown field `nmae` is ignored"),
        (
            "hooks: { stop: { type: command, command: x, args: [] } }",
            "`args` means nothing to a command hook",
        ),
        (
            "hooks: { tool_guard: [ { preempt_yolo: true, hooks: [ { type: command, command: x } ] } ] }",
            "preempt_yolo has a meaning on pre_tool_use only",
        ),
        (
            "hooks: { stop: { type: builtin, command: add_date } }",
            "the builtin 'add_date' does nothing on stop",
        ),
        ("hooks: { stop: { type: builtin, command: x } }", "there is no builtin 'x', the hook will fail"),
    ] {
        let notices = notices(config);
        assert!(notices.len() == 1 && notices[0].contains(text), "{notices:?}");
    }
    // R1
    let model = "hooks: { stop: { type: model, model: a/b, prompt: x, env: { A: b }, working_dir: /x } }";
    assert!(notices(model).is_empty());
}

#[test]
fn sources_are_appended_in_their_order() {
    let map = |name: &str| json!({"stop": [{"type": "command", "name": name, "command": name}]});
    let mut options = LoadOptions {
        contributions: [("hooks.d/20-b.yaml", "d"), ("hooks.d/10-a.yaml", "c"), ("settings.hooks", "b")]
            .map(|(origin, name)| Contribution { origin: origin.to_owned(), hooks: vec![map(name)] })
            .to_vec(),
        ..LoadOptions::default()
    };
    append_cli_hook(&mut options, "stop", "e").unwrap();
    append_cli_hook(&mut options, "stop", "f").unwrap();
    append_cli_hook(&mut options, "pre_tool_use", "g").unwrap();
    let unknown = append_cli_hook(&mut options, "turn_end", "x").unwrap_err().to_string();
    assert!(unknown.contains("unknown event `turn_end` (known: pre_tool_use, "), "{unknown}");
    let config = json!({"hooks": map("a")}).to_string();
    let hooks = load_with(&config, &options).unwrap();
    let expected = [
        "a",
        "settings.hooks:b",
        "hooks.d/10-a.yaml:c",
        "hooks.d/20-b.yaml:d",
        "--hook:pre_tool_use[0]",
        "--hook:stop[0]",
        "--hook:stop[1]",
    ];
    assert_eq!(ids(&hooks), expected);
    let host = Scripted::default();
    fire(&hooks, &host, &payload("stop"));
    let sources: Vec<_> = host.runs().into_iter().map(|asked| asked.source).collect();
    assert_eq!(sources, ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn flags_stand_for_builtins() {
    let hooks = load(
        "agents:
  root:
    add_date: true
    add_environment_info: true
    add_prompt_files: [ AGENTS.md ]
    redact_secrets: true
    toolsets: [ { type: shell, safer: true }, { type: filesystem } ]
    hooks: { turn_start: { name: own, type: command, command: x } }
",
    );
    let all: Vec<_> = hooks.hooks().iter().map(|hook| (hook.id.as_str(), hook.event)).collect();
    assert_eq!(
        all,
        [
            ("own", "turn_start"),
            ("add_date", "turn_start"),
            ("add_environment_info", "session_start"),
            ("add_prompt_files", "turn_start"),
            ("redact_secrets", "pre_tool_use"),
            ("redact_secrets", "before_llm_call"),
            ("redact_secrets", "tool_response_transform"),
            ("safer_shell", "pre_tool_use"),
            ("limit_large_tool_results", "tool_response_transform"),
            ("limit_large_tool_results", "session_end"),
        ]
    );
    // The preempt lane comes first.
    let host = Scripted::default();
    assert_eq!(ran(&fire(&hooks, &host, &payload("pre_tool_use"))), ["safer_shell", "redact_secrets"]);
}

#[test]
fn each_agent_has_its_own_hooks() {
    let config = "agents:
  coder: { hooks: { turn_end: { name: c, type: command, command: x } } }
  root: { hooks: { turn_end: { name: r, type: command, command: x } } }
hooks: { turn_end: { name: all, type: command, command: y } }
";
    let of = |hooks: &HookSet, agent: Option<&str>| {
        let mut payload = payload("turn_end");
        payload["agent_name"] = agent.into();
        ran(&fire(hooks, &Scripted::default(), &payload))
    };
    let hooks = load(config);
    assert_eq!(of(&hooks, Some("coder")), ["coder.c", "all"]);
    assert_eq!(of(&hooks, Some("root")), ["root.r", "all"]);
    assert_eq!(of(&hooks, None), ["root.r", "all"]);
    assert_eq!(of(&hooks, Some("stranger")), ["root.r", "all"]);
    let hooks = load_with(config, &with(&json!({"agent": "coder"}))).unwrap();
    assert_eq!(of(&hooks, Some("root")), ["coder.c", "all"]);
    let error = load_with(config, &with(&json!({"agent": "x"}))).unwrap_err().to_string();
    assert_eq!(error, "hooks: setting agent: the file has no agent 'x'");
    // A child agent's end runs the parent's hooks.
    let config = config.replace("turn_end", "subagent_stop");
    let child = json!({"hook_event_name": "subagent_stop", "agent_name": "coder"});
    assert_eq!(ran(&fire(&load(&config), &Scripted::default(), &child)), ["root.r", "all"]);
}

#[test]
fn no_text_makes_loading_panic() {
    for end in (0..FULL.len()).step_by(5) {
        let bytes = FULL.as_bytes();
        let _ = HookSet::load(Dialect::DockerAgent, &bytes[..end], &LoadOptions::default());
        for other in [b"\xff".as_slice(), b"[", b"{", b"'", b": ", b"\n- ", b"&a *a"] {
            let text = [&bytes[..end], other, &bytes[end..]].concat();
            let _ = HookSet::load(Dialect::DockerAgent, &text, &LoadOptions::default());
        }
    }
}

#[test]
fn a_large_config_loads_in_linear_time() {
    let entry =
        r#"{"matcher":"shell|edit_file","hooks":[{"type":"command","command":"x","env":{"A":"${env.B}"}}]}"#;
    let entries = vec![entry; 5_000].join(",");
    let hooks = load(&format!("{{\"hooks\":{{\"post_tool_use\":[{entries}]}}}}"));
    let outcome = fire(&hooks, &Scripted::default(), &payload("post_tool_use"));
    assert_eq!((outcome.records.len(), ran(&outcome).len()), (5_000, 1));
}
