//! Loading: what is dropped and why, sources, frontmatter.

use crate::hook::contract::{Contribution, LoadOptions, Purpose};
use crate::hook::dialect::list::Dialect;
use crate::hook::error::ConfigError;
use crate::hook::hook_set::HookSet;
use crate::hook::hooks::Handler;
use crate::hook::notice::NoticeKind;
use crate::hook::script::Shell;
use serde_json::{Value, json};
use std::time::Duration;

fn options(settings: Value) -> LoadOptions {
    let Value::Object(settings) = settings else { panic!() };
    LoadOptions { name: "h".to_owned(), settings, ..LoadOptions::default() }
}

fn load_with(config: &str, options: &LoadOptions) -> Result<HookSet, ConfigError> {
    HookSet::load(Dialect::ClaudeCode, config.as_bytes(), options)
}

fn load(config: &Value) -> HookSet {
    load_with(&config.to_string(), &options(json!({}))).unwrap()
}

fn ids(hooks: &HookSet) -> Vec<&str> {
    hooks.hooks().iter().map(|hook| hook.id.as_str()).collect()
}

/// Texts of the notices without the file's name and place.
fn notices(hooks: &HookSet) -> Vec<&str> {
    hooks.notices().iter().map(|notice| notice.problem.message.as_str()).collect()
}

#[test]
fn r11_a_fault_costs_the_handler_that_has_it() {
    let good = json!({"type": "command", "command": "good"});
    for (bad, wanted) in [
        (json!(5), "hooks.Stop[0].hooks[0]: expected an object, found a number; skipped"),
        (json!({}), "hooks.Stop[0].hooks[0].type: missing; skipped"),
        (json!({"type": 1}), "hooks.Stop[0].hooks[0].type: expected a string, found a number; skipped"),
        (
            json!({"type": "sql"}),
            "hooks.Stop[0].hooks[0].type: `sql` is not one of: command, http, mcp_tool, prompt, agent; skipped",
        ),
        (json!({"type": "command"}), "hooks.Stop[0].hooks[0].command: missing; skipped"),
        (json!({"type": "command", "command": " "}), "hooks.Stop[0].hooks[0].command: empty; skipped"),
        (
            json!({"type": "command", "command": "x", "timeout": 0}),
            "hooks.Stop[0].hooks[0].timeout: 0 is not a number of seconds above 0; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "timeout": "1"}),
            "hooks.Stop[0].hooks[0].timeout: expected a number, found a string; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "args": "a"}),
            "hooks.Stop[0].hooks[0].args: expected a list of strings, found a string; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "args": ["a", 1]}),
            "hooks.Stop[0].hooks[0].args: expected a list of strings, found a number in it; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "timeout": 1e300}),
            "hooks.Stop[0].hooks[0].timeout: 1e+300 is more seconds than can be; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "async": 1}),
            "hooks.Stop[0].hooks[0].async: expected a boolean, found a number; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "shell": "zsh"}),
            "hooks.Stop[0].hooks[0].shell: `zsh` is not one of: bash, powershell; skipped",
        ),
        (
            json!({"type": "command", "command": "x", "onFailure": "warn"}),
            "hooks.Stop[0].hooks[0].onFailure: `warn` is not one of: block; skipped",
        ),
        (json!({"type": "http"}), "hooks.Stop[0].hooks[0].url: missing; skipped"),
        (
            json!({"type": "http", "url": "u", "headers": {"a": 1}}),
            "hooks.Stop[0].hooks[0].headers.a: expected a string, found a number; skipped",
        ),
        (json!({"type": "mcp_tool", "server": "s"}), "hooks.Stop[0].hooks[0].tool: missing; skipped"),
        (json!({"type": "prompt"}), "hooks.Stop[0].hooks[0].prompt: missing; skipped"),
        (
            json!({"type": "command", "command": "x", "if": "Bash(x"}),
            "hooks.Stop[0].hooks[0].if: `Bash(x` has no closing parenthesis; skipped",
        ),
    ] {
        let hooks = load(&json!({"hooks": {"Stop": [{"hooks": [bad, good]}]}}));
        assert_eq!(notices(&hooks), [wanted]);
        assert_eq!(ids(&hooks), ["user:Stop_0_1"]);
        assert_eq!(hooks.notices()[0].kind, NoticeKind::Dropped);
    }
}

#[test]
fn r11_groups_and_events() {
    let good = json!({"hooks": [{"type": "command", "command": "x"}]});
    let hooks = load(&json!({"hooks": {
        "Nope": [good], "Stop": {"hooks": []}, "PreToolUse": [5, {}, {"hooks": 1}, {"matcher": 1, "hooks": []}, good],
    }}));
    assert_eq!(
        notices(&hooks),
        [
            "hooks.Nope: unknown event; skipped",
            "hooks.Stop: expected a list, found an object; skipped",
            "hooks.PreToolUse[0]: expected an object, found a number; skipped",
            "hooks.PreToolUse[1].hooks: missing; skipped",
            "hooks.PreToolUse[2].hooks: expected a list, found a number; skipped",
            "hooks.PreToolUse[3].matcher: expected a string, found a number; skipped",
        ]
    );
    assert_eq!(ids(&hooks), ["user:PreToolUse_4_0"]);
    assert_eq!(notices(&load(&json!([]))), ["config: expected an object, found an array; skipped"]);
    assert_eq!(notices(&load(&json!({"hooks": []}))), ["hooks: expected an object, found an array; skipped"]);
    assert!(load_with("{", &options(json!({}))).is_err());
}

#[test]
fn faults_are_errors_before_a_config_is_saved() {
    let config = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}], "Nope": []}}"#;
    let options = LoadOptions { purpose: Purpose::Save, ..options(json!({})) };
    let error = load_with(config, &options).unwrap_err().to_string();
    assert_eq!(error, "h:1:32: hooks.Stop[0].hooks[0].command: missing");
}

#[test]
fn r10_types_by_event() {
    let types = ["command", "http", "mcp_tool", "prompt", "agent"];
    let handler = |kind: &&str| json!({"type": kind, "command": "x", "url": "u", "server": "s", "tool": "t", "prompt": "p"});
    for (event, wanted) in [
        ("SessionStart", &["command", "mcp_tool"][..]),
        ("Setup", &["command"]),
        ("PermissionRequest", &["command", "http", "mcp_tool", "prompt"]),
        ("Notification", &["command", "http", "mcp_tool"]),
        ("Elicitation", &["command", "http", "mcp_tool"]),
        ("SessionEnd", &["command", "http", "mcp_tool"]),
        ("PreToolUse", &types),
        ("PermissionDenied", &types),
        ("SubagentStop", &types),
        ("TeammateIdle", &types),
    ] {
        let handlers: Vec<_> = types.iter().map(handler).collect();
        let hooks = load(&json!({"hooks": {event: [{"hooks": handlers}]}}));
        let taken: Vec<_> = hooks
            .hooks()
            .iter()
            .map(|hook| match &hook.handler {
                Handler::Other(kind) => kind,
                _ => "command",
            })
            .collect();
        assert_eq!(taken, wanted, "{event}");
        assert_eq!(hooks.notices().len(), types.len() - wanted.len());
    }
}

#[test]
fn what_is_ignored_is_told() {
    let hooks = load(&json!({"allowManagedHooksOnly": true, "hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "x", "if": "Bash", "once": true},
        {"type": "prompt", "prompt": "x", "onFailure": "block"},
    ]}]}}));
    assert_eq!(
        notices(&hooks),
        [
            "allowManagedHooksOnly counts in managed settings only; ignored",
            "user:Stop_0_0: `if` is evaluated on events about tools only; on Stop it never runs",
            "user:Stop_0_0: `once` counts in the frontmatter of a skill only; ignored",
            "user:Stop_0_1: `onFailure` is for command and http handlers only; ignored",
        ]
    );
}

#[test]
fn timeouts_and_their_cap() {
    let config = json!({"hooks": {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "x", "timeout": 0.5}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "x"}]}],
    }});
    let times = |hooks: &HookSet| hooks.hooks().iter().map(|hook| hook.timeout).collect::<Vec<_>>();
    let seconds = Duration::from_secs;
    assert_eq!(times(&load(&config)), [seconds(600), Duration::from_millis(500), seconds(30)]);
    let capped = load_with(&config.to_string(), &options(json!({"max_timeout_seconds": 20}))).unwrap();
    assert_eq!(times(&capped), [seconds(20), Duration::from_millis(500), seconds(20)]);
}

#[test]
fn forms_of_a_command() {
    let hooks = load(&json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "a ${CLAUDE_PROJECT_DIR}"},
        {"type": "command", "command": "a", "shell": "bash"},
        {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/a", "args": ["b c", "$HOME"]},
    ]}]}}));
    let handler = |index: usize| &hooks.hooks()[index].handler;
    let Handler::Script { script, shell: Shell::Sh } = handler(0) else { panic!() };
    assert_eq!(script.source().as_bytes(), b"a /workspace");
    assert!(matches!(handler(1), Handler::Script { shell: Shell::Bash, .. }));
    let Handler::Program { name, arguments } = handler(2) else { panic!() };
    assert_eq!((name.as_bytes(), arguments.len()), (b"/workspace/a".as_slice(), 2));
    assert_eq!(arguments[1], b"$HOME");
}

#[test]
fn frontmatter() {
    let skill = "---\nname: s\nhooks:\n  Stop:\n    - hooks:\n        - { type: command, command: x, once: true }\n        - { type: command }\n---\n# A skill\n{not: yaml\n";
    let hooks = load_with(skill, &options(json!({"source": "skill:s"}))).unwrap();
    assert_eq!(ids(&hooks), ["skill:s:Stop_0_0"]);
    assert_eq!(hooks.notices()[0].to_string(), "h:7:11: hooks.Stop[0].hooks[1].command: missing; skipped");
    let agent = load_with(skill, &options(json!({"source": "agent:a"}))).unwrap();
    assert_eq!(ids(&agent), ["agent:a:SubagentStop_0_0"]);
    assert!(ids(&load(&json!({"model": "x"}))).is_empty());
}

#[test]
fn events_that_do_not_stand_under_hooks_are_a_fault() {
    let bare = json!({"permissions": {}, "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]});
    let wanted = "Stop: hooks stand under `hooks`: {\"hooks\": {\"Stop\": [...]}}";
    let hooks = load(&bare);
    assert!(ids(&hooks).is_empty());
    assert_eq!(notices(&hooks), [format!("{wanted}; skipped")]);
    let saved = LoadOptions { purpose: Purpose::Save, ..options(json!({})) };
    let error = load_with(&bare.to_string(), &saved).unwrap_err();
    assert!(error.to_string().ends_with(wanted), "{error}");
    // A part of a plug-in may be what its manifest has under `hooks`.
    let part = |origin: &str| Contribution { origin: origin.to_owned(), hooks: vec![bare.clone()] };
    let contributions = vec![part("plugin:p"), part("project")];
    let with = load_with("{}", &LoadOptions { contributions, ..options(json!({})) }).unwrap();
    assert_eq!(ids(&with), ["plugin:p:Stop_0_0"]);
}

#[test]
fn agents_and_skills_are_known_by_their_files() {
    let text = "---\nname: reviewer\nhooks:\n  Stop:\n    - hooks: [ { type: command, command: x } ]\n---\nBe strict: yes.\n\n# Notes\n";
    assert_eq!(Dialect::detect("a.md", text.as_bytes()), Ok(Dialect::ClaudeCode));
    for (name, wanted) in [
        (".claude/agents/reviewer.md", "agent:reviewer:SubagentStop_0_0"),
        ("plugin/agents/deep/x.md", "agent:reviewer:SubagentStop_0_0"),
        ("skills/review/SKILL.md", "skill:reviewer:Stop_0_0"),
        (".claude/commands/review.md", "skill:reviewer:Stop_0_0"),
        ("notes.md", "user:Stop_0_0"),
    ] {
        let options = LoadOptions { name: name.to_owned(), purpose: Purpose::Save, ..LoadOptions::default() };
        assert_eq!(ids(&load_with(text, &options).unwrap()), [wanted], "{name}");
    }
    let unnamed = text.replace("name: reviewer\n", "");
    let options = LoadOptions { name: "skills/review/SKILL.md".to_owned(), ..LoadOptions::default() };
    assert_eq!(ids(&load_with(&unnamed, &options).unwrap()), ["skill:review:Stop_0_0"]);
    assert!(Dialect::detect("a.md", b"---\nname: x\n---\n# no hooks: here\n").is_err());
}

#[test]
fn manifests_of_plugins() {
    let map = json!({"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]});
    let options = || LoadOptions {
        name: "p/.claude-plugin/plugin.json".to_owned(),
        purpose: Purpose::Save,
        ..LoadOptions::default()
    };
    let not_read =
        |path: &str| format!("hooks: those of the file `{path}` are not read from here: load that file");
    for (hooks, wanted, files) in [
        (json!("./hooks/hooks.json"), &[][..], &["./hooks/hooks.json"][..]),
        (json!(["./a.json", "./b.json"]), &[], &["./a.json", "./b.json"]),
        (map.clone(), &["plugin:fmt:Stop_0_0"], &[]),
        (json!({"hooks": map.clone()}), &["plugin:fmt:Stop_0_0"], &[]),
        (json!(["./a.json", map]), &["plugin:fmt:Stop_0_0"], &["./a.json"]),
    ] {
        let manifest = json!({"name": "fmt", "version": "1.0.0", "hooks": hooks}).to_string();
        assert_eq!(
            Dialect::detect("plugin.json", manifest.as_bytes()),
            Ok(Dialect::ClaudeCode),
            "{manifest}"
        );
        let loaded = load_with(&manifest, &options()).unwrap();
        assert_eq!(ids(&loaded), wanted, "{manifest}");
        assert_eq!(notices(&loaded), files.iter().map(|path| not_read(path)).collect::<Vec<_>>());
    }
}

#[test]
fn a_list_in_a_frontmatter_is_a_fault() {
    let text = "---\nname: a\nhooks:\n  - type: PreToolUse\n    matcher: Bash\n---\n";
    for name in ["skills/a/SKILL.md", "agents/a.md"] {
        let options = LoadOptions { name: name.to_owned(), purpose: Purpose::Save, ..LoadOptions::default() };
        let error = load_with(text, &options).unwrap_err().to_string();
        assert!(error.ends_with("hooks: expected an object, found an array"), "{error}");
    }
}

#[test]
fn comments_and_events_to_come_are_no_errors() {
    let config = json!({"hooks": {"// note": "x", "_comment": ["y"], "PreFuture": [], "Stop": [
        {"// why": "z", "hooks": [{"type": "command", "command": "x", "_note": "n"}]}]}});
    let options = LoadOptions { purpose: Purpose::Save, ..options(json!({})) };
    let hooks = load_with(&config.to_string(), &options).unwrap();
    assert_eq!(ids(&hooks), ["user:Stop_0_0"]);
    assert_eq!(
        notices(&hooks),
        [
            "hooks.// note: a comment, ignored",
            "hooks._comment: a comment, ignored",
            "hooks.PreFuture: unknown event; skipped",
        ]
    );
}

#[test]
fn words_for_a_hook_that_wakes() {
    let handler = json!({"type": "command", "command": "x", "asyncRewake": true, "rewakeMessage": "m", "rewakeSummary": "s"});
    let mut without = handler.clone();
    without["asyncRewake"] = false.into();
    let hooks = load(&json!({"hooks": {"Stop": [{"hooks": [handler, without]}]}}));
    assert_eq!(
        notices(&hooks),
        [
            "user:Stop_0_1: `rewakeMessage` and `rewakeSummary` are for command handlers with `asyncRewake` only; ignored"
        ]
    );
    let wrong =
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "rewakeMessage": 1}]}]}});
    assert_eq!(
        notices(&load(&wrong)),
        ["hooks.Stop[0].hooks[0].rewakeMessage: expected a string, found a number; skipped"]
    );
}

#[test]
fn sources() {
    let one = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}});
    let contribution = |origin: &str| Contribution { origin: origin.to_owned(), hooks: vec![one.clone()] };
    let options = LoadOptions {
        contributions: ["project", "project", "fmt", "plugin:p", "agent:a"].map(contribution).into(),
        ..options(json!({"source": "local"}))
    };
    let hooks = load_with(&one.to_string(), &options).unwrap();
    assert_eq!(
        ids(&hooks),
        [
            "local:Stop_0_0",
            "project:Stop_0_0",
            "project#2:Stop_0_0",
            "plugin:fmt:Stop_0_0",
            "plugin:p:Stop_0_0",
            "agent:a:SubagentStop_0_0",
        ]
    );
}

#[test]
fn the_dialect_is_recognised() {
    let detect = |text: &str| Dialect::detect("h", text.as_bytes()).ok();
    let group = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": []}]}}"#;
    assert_eq!(detect(group), Some(Dialect::ClaudeCode));
    assert_eq!(detect(r#"{"Stop": [{"hooks": []}]}"#), Some(Dialect::ClaudeCode));
    assert_ne!(detect(r#"{"hooks": {"Stop": [{"type": "command"}]}}"#), Some(Dialect::ClaudeCode));
    assert_ne!(detect(r#"{"hooks": {"stop": [{"hooks": []}]}}"#), Some(Dialect::ClaudeCode));
}

#[test]
fn an_allow_list_that_can_not_be_read_allows_nothing() {
    let hooks = load(&json!({"allowedHttpHookUrls": "https://*", "hooks": {}}));
    assert_eq!(notices(&hooks), ["allowedHttpHookUrls: expected a list of strings, found a string; skipped"]);
}

#[test]
fn a_large_config_takes_linear_time() {
    let handlers: Vec<_> =
        (0..20_000).map(|n| json!({"type": "command", "command": format!("echo {n}")})).collect();
    let config = json!({"hooks": {"PreToolUse": [{"matcher": "a.*b", "hooks": handlers}]}}).to_string();
    let started = std::time::Instant::now();
    assert_eq!(load_with(&config, &options(json!({}))).unwrap().hooks().len(), 20_000);
    assert!(started.elapsed() < Duration::from_secs(10));
}
