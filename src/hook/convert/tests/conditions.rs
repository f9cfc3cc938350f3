//! Matchers that are not about tools, switches, policies and times: they do what they did, or their loss is told.

use super::features::fire;
use super::*;

fn claude(event: &str, matcher: &str) -> Value {
    json!({"hooks": {event: [{"matcher": matcher,
        "hooks": [{"type": "command", "command": "echo x >> /workspace/log"}]}]}})
}

fn told(converted: &Converted, kind: RemarkKind, text: &str) -> bool {
    converted.remarks.iter().any(|remark| remark.kind == kind && remark.text.contains(text))
}

fn starts(source: &str) -> Value {
    json!({"moment": "session_started", "session_id": "s", "source": source})
}

fn ends(reason: &str) -> Value {
    json!({"moment": "session_ended", "session_id": "s", "reason": reason})
}

#[test]
fn a_matcher_over_a_value_that_is_not_told_there_is_lost_and_told() {
    for (event, matcher, field, to, fired) in [
        ("SessionStart", "startup|resume", "source", Dialect::Agentao, starts("startup")),
        ("SessionStart", "startup|resume", "source", Dialect::Goclaw, starts("startup")),
        ("SessionStart", "startup|resume", "source", Dialect::Everruns, starts("startup")),
        ("SessionStart", "startup|resume", "source", Dialect::Infer, starts("startup")),
        ("SessionEnd", "clear", "reason", Dialect::Goclaw, ends("clear")),
        ("SessionEnd", "clear", "reason", Dialect::Agentao, ends("clear")),
        ("SessionEnd", "clear", "reason", Dialect::Infer, ends("clear")),
    ] {
        let converted = port(Dialect::ClaudeCode, to, &claude(event, matcher));
        assert_eq!(converted.hooks, (1, 1), "{event} {to}");
        assert!(
            told(&converted, RemarkKind::Lost, &format!("has no `{field}`")),
            "{to} {:?}",
            converted.remarks
        );
        let (_, log) = fire(to, &converted.config, &[fired]);
        assert_eq!(log, "x\n", "{event} {to}");
    }
}

#[test]
fn values_that_never_come_there_are_told() {
    let port = |event, matcher, to| port(Dialect::ClaudeCode, to, &claude(event, matcher));
    let never = port("SessionEnd", "resume", Dialect::DockerAgent);
    assert_eq!(never.hooks, (1, 0));
    assert!(told(&never, RemarkKind::Lost, "never has the reason `resume`"), "{:?}", never.remarks);
    let some = port("SessionStart", "startup|fork", Dialect::DockerAgent);
    assert_eq!(some.hooks, (1, 1));
    assert!(told(&some, RemarkKind::Changed, "never has the source fork"), "{:?}", some.remarks);
    let all = port("PreCompact", "manual", Dialect::Agentao);
    assert_eq!(
        (all.hooks, all.remarks.iter().any(|remark| remark.kind == RemarkKind::Lost)),
        ((1, 1), false)
    );
    let own = port("SessionEnd", "clear", Dialect::Everruns);
    assert!(told(&own, RemarkKind::Changed, "`reason` has values of everruns"), "{:?}", own.remarks);
}

#[test]
fn what_a_hook_asks_for_comes_back() {
    let agentao = json!({"hooks": {"PreCompact": [{"type": "command", "command": "true", "matcher": {"trigger": "man.*"}}]}});
    let ruled = json!({"hooks": {"PreToolUse": [{"matcher": "Bash",
        "hooks": [{"type": "command", "command": "true", "if": "Bash(rm *)"}]}]}});
    let denies = json!({"hooks": {"pre_tool_use": [{"matcher": "shell",
        "hooks": [{"type": "command", "command": "true", "on_error": "block"}]}]}});
    let allows = json!({"hooks": [{"id": "a", "event": "pre_tool_use", "on_error": "allow",
        "executor": {"type": "bash", "command": "true"}}]});
    let timed =
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 1.5}]}]}});
    let record = json!({"hooks": [{"event": "pre_tool_use", "handler_type": "command", "scope": "global",
        "if_expr": "depth == 0", "on_timeout": "block", "config": {"command": "true"}}]});
    for (from, config) in [
        (Dialect::ClaudeCode, claude("SessionStart", "resume")),
        (Dialect::ClaudeCode, claude("SessionEnd", "clear")),
        (Dialect::ClaudeCode, claude("PreCompact", "manual")),
        (Dialect::ClaudeCode, ruled),
        (Dialect::ClaudeCode, timed),
        (Dialect::Agentao, agentao),
        (Dialect::DockerAgent, denies),
        (Dialect::Everruns, allows),
        (Dialect::Goclaw, record),
    ] {
        let own = port(from, from, &config).config;
        for key in ["matcher", "if", "on_error", "timeout", "if_expr", "on_timeout"] {
            let pattern = format!("\"{key}\":");
            assert_eq!(
                own.to_string().contains(&pattern),
                config.to_string().contains(&pattern),
                "{key} {own}"
            );
        }
        for &to in Dialect::ALL.iter().filter(|to| **to != from) {
            let there = port(from, to, &config);
            if there.hooks.1 > 0 {
                assert_eq!(port(to, from, &there.config).config, own, "{from} {to}");
            }
        }
    }
}

#[test]
fn what_is_off_stays_off_or_is_told() {
    let claude = json!({"disableAllHooks": true, "hooks": claude("SessionStart", "")["hooks"]});
    let hook = |id: &str| {
        json!({"id": id, "event": "session_start", "executor": {"type": "bash",
        "command": format!("echo {id} >> /workspace/log")}})
    };
    let everruns = json!({"hooks": [hook("a"), hook("b")], "disabled_contributions": ["user:a"]});
    let unnamed = json!({"hooks": [{"event": "session_start", "executor": {"type": "bash", "command": "true"}}],
        "disabled_contributions": ["user:session_start_0"]});
    for (from, config, on) in [
        (Dialect::ClaudeCode, &claude, ""),
        (Dialect::Everruns, &everruns, "b\n"),
        (Dialect::Everruns, &unnamed, ""),
    ] {
        for &to in Dialect::ALL.iter().filter(|to| event_of(**to, "session_started").is_some()) {
            let converted = port(from, to, config);
            let (_, log) = fire(to, &converted.config, &[starts("startup")]);
            assert_eq!(log, on, "{from} {to}: {:#}", converted.config);
            let left_out = converted.hooks.0 - converted.hooks.1;
            assert_eq!(left_out > 0, told(&converted, RemarkKind::Lost, "it is switched off"), "{from} {to}");
        }
    }
    let there = port(Dialect::ClaudeCode, Dialect::Goclaw, &claude);
    assert_eq!(there.hooks, (1, 1));
    assert_eq!(port(Dialect::Goclaw, Dialect::ClaudeCode, &there.config).config["disableAllHooks"], true);
}

#[test]
fn a_block_without_a_word_has_a_reason() {
    let record = json!({"hooks": [{"event": "pre_tool_use", "handler_type": "command", "scope": "global",
        "config": {"command": "exit 2"}}]});
    for to in [Dialect::ClaudeCode, Dialect::DockerAgent, Dialect::Agentao, Dialect::Everruns] {
        let converted = port(Dialect::Goclaw, to, &record);
        let hooks = hooks(to, &converted.config);
        let ran = run(hooks[0].script().unwrap(), &payload(to, "ls").to_string());
        assert_eq!(block(to, &ran).as_deref(), Some("hook blocked"), "{to} {ran:?}");
    }
    // Nothing is said by any other hook either.
    let silent =
        json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}});
    let converted = port(Dialect::ClaudeCode, Dialect::Goclaw, &silent);
    let ran = run(hooks(Dialect::Goclaw, &converted.config)[0].script().unwrap(), "{}");
    assert_eq!((ran.stderr.as_str(), ran.status), ("blocked by a hook\n", 2));
}

#[test]
fn a_hook_of_docker_agent_has_a_name_for_messages() {
    let converted = port(Dialect::ClaudeCode, Dialect::DockerAgent, &claude("SessionStart", ""));
    assert_eq!(converted.config["hooks"]["session_start"][0]["name"], "SessionStart_0");
}

#[test]
fn times_and_expressions_that_do_not_fit_are_told() {
    let timed = |seconds: f64| json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true", "timeout": seconds}]}]}});
    for (to, seconds, wanted) in [
        (Dialect::DockerAgent, 1.5, Some("2 s")),
        (Dialect::Agentao, 0.05, Some("1 s")),
        (Dialect::Infer, 1.5, Some("2 s")),
        (Dialect::Everruns, 0.05, Some("0.1 s")),
        (Dialect::Everruns, 1.5, None),
        (Dialect::Goclaw, 0.05, None),
        (Dialect::DockerAgent, 2.0, None),
    ] {
        let converted = port(Dialect::ClaudeCode, to, &timed(seconds));
        let text = wanted.map(|wanted| format!("the timeout is {wanted}, not {seconds} s"));
        let changed = told(&converted, RemarkKind::Changed, "the timeout is");
        assert_eq!(changed, wanted.is_some(), "{to} {:?}", converted.remarks);
        assert!(text.is_none_or(|text| told(&converted, RemarkKind::Changed, &text)), "{to}");
    }
    let bad = port(
        Dialect::ClaudeCode,
        Dialect::Everruns,
        &json!({"hooks": {"PreToolUse": [{"matcher": "(x",
        "hooks": [{"type": "command", "command": "true"}]}]}}),
    );
    assert_eq!(bad.hooks, (1, 0));
    assert!(told(&bad, RemarkKind::Lost, "the matcher can not be read"), "{:?}", bad.remarks);
    let shell = port(
        Dialect::ClaudeCode,
        Dialect::Everruns,
        &json!({"hooks": {"SessionStart": [{
        "hooks": [{"type": "command", "shell": "powershell", "command": "Get-Date"}]}]}}),
    );
    assert!(told(&shell, RemarkKind::Lost, "PowerShell"), "{:?}", shell.remarks);
}
