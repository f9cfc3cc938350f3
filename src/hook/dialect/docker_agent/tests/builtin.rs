//! Part 6 of the contract: built-ins and model hooks.

use super::*;
use crate::clock::lock;
use crate::hook::request::Request;
use crate::hook::runner::HookRunner;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::text::Text;
use crate::vfs::{FileSystem, Options};
use std::sync::Arc;

fn builtin(event: &str, name: &str, args: &[&str]) -> HookSet {
    let hook = json!({"type": "builtin", "command": name, "args": args});
    let is_matched = super::super::event::EventName::from_name(event).unwrap().is_matched();
    let list = if is_matched { json!([{"hooks": [hook]}]) } else { json!([hook]) };
    load(&json!({"hooks": {event: list}}).to_string())
}

fn with_files(files: &[(&str, &str)]) -> Scripted {
    let system = FileSystem::new(Options { uid: 0, gid: 0, ..Options::default() });
    for (path, text) in files {
        let (directory, _) = path.rsplit_once('/').unwrap();
        if !directory.is_empty() {
            system.create_dir_all(directory.as_bytes(), 0o755).unwrap();
        }
        system.write(path.as_bytes(), text.as_bytes(), 0o644).unwrap();
    }
    Scripted {
        file_system: Some(Arc::new(system)),
        directory: Some(Text::from("/workspace")),
        variables: vec![("HOME".into(), "/home/agent".into())],
        ..Scripted::default()
    }
}

fn context(hooks: &HookSet, host: &Scripted, event: &str) -> String {
    result(&fire(hooks, host, &payload(event))).additional_context
}

#[test]
fn the_date_of_the_session() {
    let hooks = builtin("turn_start", "add_date", &[]);
    let mut host = with_files(&[("/workspace/x", "")]);
    assert_eq!(context(&hooks, &host, "turn_start"), "Today's date: 2026-05-28");
    host.variables.push(("TZ".into(), "Pacific/Auckland".into()));
    assert_eq!(context(&hooks, &host, "turn_start"), "Today's date: 2026-05-29");
}

#[test]
fn prompt_files_upwards_and_at_home() {
    let host = with_files(&[
        ("/workspace/deep/x", ""),
        ("/workspace/AGENTS.md", "near\n"),
        ("/AGENTS.md", "far\n"),
        ("/home/agent/AGENTS.md", "home\n"),
        ("/home/agent/OTHER.md", "other"),
    ]);
    let hooks = builtin("turn_start", "add_prompt_files", &["AGENTS.md", "OTHER.md", "NONE.md"]);
    let mut event = payload("turn_start");
    event["cwd"] = "/workspace/deep".into();
    assert_eq!(result(&fire(&hooks, &host, &event)).additional_context, "near\n\nhome\n\nother");
    let without = builtin("turn_start", "add_prompt_files", &["NONE.md"]);
    assert_eq!(context(&without, &host, "turn_start"), "");
}

#[test]
fn a_listing_is_sorted_and_bounded() {
    let names: Vec<String> = (0..103).map(|number| format!("/workspace/f{number:03}")).collect();
    let mut files: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    files.push(("/workspace/.hidden", ""));
    files.push(("/workspace/dir/x", ""));
    let hooks = builtin("session_start", "add_directory_listing", &[]);
    let text = context(&hooks, &with_files(&files), "session_start");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1], lines[100]), (101, "dir", "f000", "... and 4 more"));
    let none = Scripted::default();
    let text = result(&fire(&hooks, &none, &payload("session_start"))).system_message;
    assert!(text.contains("this session has no files"), "{text}");
}

#[test]
fn r33_what_a_builtin_does_not_serve() {
    let outcome = fire(&builtin("turn_end", "add_date", &[]), &Scripted::default(), &payload("turn_end"));
    assert_eq!(result(&outcome).system_message, "");
    assert_eq!(outcome.records[0].warnings, ["the builtin 'add_date' does nothing on turn_end"]);
    let outcome = fire(&builtin("pre_tool_use", "nope", &[]), &Scripted::default(), &payload("pre_tool_use"));
    assert!(result(&outcome).message.ends_with("there is no builtin 'nope'"));
}

#[test]
fn the_host_does_what_the_engine_can_not() {
    let hooks = builtin("turn_start", "add_git_diff", &["full"]);
    let host = Scripted::default();
    lock(&host.answers).push_back(ScriptOutcome::exited(0, "x".repeat(5000), ""));
    assert_eq!(context(&hooks, &host, "turn_start").len(), 4096);
    let requests = lock(&host.requests).clone();
    let Request::Builtin(request) = &requests[0] else { panic!() };
    assert_eq!(
        (request.name.as_str(), request.arguments.as_slice()),
        ("add_git_diff", ["full".to_owned()].as_slice())
    );
    assert_eq!(request.payload["hook_event_name"], "turn_start");
    for (event, name) in [
        ("session_start", "add_environment_info"),
        ("turn_start", "add_git_status"),
        ("session_start", "add_user_info"),
        ("session_start", "add_recent_commits"),
        ("turn_end", "snapshot"),
    ] {
        let outcome = fire(&builtin(event, name, &[]), &Scripted::default(), &payload(event));
        let text = format!("{event} hook failed to execute: hook \"{name}\": no answer");
        assert_eq!(result(&outcome).system_message, text);
    }
    // The errors of one are swallowed.
    let hooks = builtin("on_agent_switch", "unload", &[]);
    let outcome = fire(&hooks, &Scripted::default(), &payload("on_agent_switch"));
    assert_eq!((result(&outcome).system_message, lock(&host.requests).len()), (String::new(), 1));
}

#[test]
fn the_host_is_told_of_environment_and_directory() {
    let config = "hooks: { turn_start: { type: builtin, command: add_git_status, env: { A: '${env.HOME}' }, working_dir: sub } }";
    let host = Scripted {
        variables: vec![("HOME".into(), "/h".into())],
        directory: Some(Text::from("/w")),
        ..Scripted::default()
    };
    fire(&load(config), &host, &json!({"hook_event_name": "turn_start"}));
    let requests = lock(&host.requests).clone();
    let Request::Builtin(request) = &requests[0] else { panic!() };
    let expected = json!({"cwd": "/w", "hook_event_name": "turn_start", "hook_working_dir": "/w/sub", "hook_env": {"A": "/h"}});
    assert_eq!(request.payload, expected);
    let config = "hooks: { turn_start: { type: builtin, command: add_date, env: { TZ: Pacific/Auckland } } }";
    assert_eq!(context(&load(config), &host, "turn_start"), "Today's date: 2026-05-29");
}

#[test]
fn secrets_are_redacted_on_three_events() {
    let hooks = load("agents: { root: { redact_secrets: true } }");
    let host = Scripted::default();
    let key = "AKIAIOSFODNN7EXAMPLE";
    let mut event = payload("pre_tool_use");
    event["tool_input"] = json!({"cmd": format!("echo {key}"), "cwd": "."});
    let folded = result(&fire(&hooks, &host, &event));
    assert_eq!(folded.modified_input.as_deref(), Some(&json!({"cmd": "echo [REDACTED]", "cwd": "."})));
    let event =
        json!({"hook_event_name": "before_llm_call", "messages": [{"role": "user", "content": [key]}]});
    let folded = result(&fire(&hooks, &host, &event));
    assert_eq!(
        folded.updated_messages.as_deref(),
        Some(&json!([{"role": "user", "content": ["[REDACTED]"]}]))
    );
    let mut event = payload("tool_response_transform");
    event["tool_response"] = json!({"key": key});
    let folded = result(&fire(&hooks, &host, &event));
    assert_eq!(folded.updated_tool_response.as_deref(), Some(r#"{"key":"[REDACTED]"}"#));
    let outcome = fire(&hooks, &host, &payload("pre_tool_use"));
    assert!(outcome.decision.rewritten_by.is_empty());
}

#[test]
fn a_large_result_is_cut_even_where_it_can_not_be_saved() {
    let hooks = load("{}");
    let mut event = payload("tool_response_transform");
    event["tool_response"] = "line\n".repeat(2001).into();
    let host = Scripted { write_fails: true, ..Scripted::default() };
    let folded = result(&fire(&hooks, &host, &event));
    let text = folded.updated_tool_response.unwrap();
    assert!(text.starts_with(
        "[The result is too large: 2001 lines, 10005 bytes. The whole result could not be saved: "
    ));
    assert_eq!(text.lines().count(), 2001);
    // Each result has a file of its own.
    let host = Scripted::default();
    fire(&hooks, &host, &event);
    fire(&hooks, &host, &event);
    let names: Vec<_> = lock(&host.files).keys().cloned().collect();
    assert_eq!(names, ["/tmp/docker-agent-results-s/1-c.txt", "/tmp/docker-agent-results-s/2-c.txt"]);
    assert!(HookRunner::files(&host).is_none());
}

#[test]
fn a_model_without_a_schema_and_one_that_fails() {
    let config =
        "hooks: { turn_start: { type: model, model: a/b, prompt: 'At {{ .Cwd }}', on_error: warn } }";
    let hooks = load(config);
    let host = Scripted::default();
    lock(&host.answers).extend([
        ScriptOutcome::exited(0, " be careful\n", ""),
        ScriptOutcome::exited(0, "", ""),
        ScriptOutcome::exited(2, "no", "x"),
        ScriptOutcome::ended(Ended::TimedOut),
    ]);
    assert_eq!(context(&hooks, &host, "turn_start"), "be careful");
    assert_eq!(context(&hooks, &host, "turn_start"), "");
    let failed = result(&fire(&hooks, &host, &payload("turn_start"))).system_message;
    assert!(failed.starts_with("turn_start hook failed to execute: hook \"model\": "), "{failed}");
    let late = result(&fire(&hooks, &host, &payload("turn_start"))).system_message;
    assert!(late.ends_with("timed out after 60s"));
    let requests = lock(&host.requests).clone();
    let Request::Model(request) = &requests[0] else { panic!() };
    assert_eq!((request.prompt.as_str(), request.schema.is_none()), ("At /workspace", true));
}
