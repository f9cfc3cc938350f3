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
fn where_it_runs_and_for_whom() {
    let host = with_files(&[
        (
            "/etc/passwd",
            "root:x:0:0::/root:/bin/sh\nagent:x:1000:1000:Ann Agent,room 1:/home/agent:/bin/bash\n",
        ),
        ("/etc/hostname", "box\n"),
        ("/workspace/.git/HEAD", "x"),
        ("/workspace/deep/x", ""),
    ]);
    let text = context(&builtin("session_start", "add_user_info", &[]), &host, "session_start");
    assert_eq!(text, "User: agent\nFull name: Ann Agent\nHost: box");
    let hooks = builtin("session_start", "add_environment_info", &[]);
    let mut event = payload("session_start");
    event["cwd"] = "/workspace/deep".into();
    let text = result(&fire(&hooks, &host, &event)).additional_context;
    let expected = "Working directory: /workspace/deep\nGit repository: yes\nOperating system: Linux\nArchitecture: x86_64";
    assert_eq!(text, expected);
    event["cwd"] = "/etc".into();
    assert!(result(&fire(&hooks, &host, &event)).additional_context.contains("Git repository: no"));
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
fn the_session_and_the_host_do_what_the_engine_can_not() {
    let hooks = builtin("turn_start", "add_git_diff", &["full"]);
    let host = Scripted::new([ScriptOutcome::exited(0, "x".repeat(5000), "")]);
    assert_eq!(context(&hooks, &host, "turn_start").len(), 4096);
    assert!(host.runs()[0].source.starts_with("shown=$(git diff 2>&1)"), "{:?}", host.runs());
    for (event, name, args, command) in [
        ("turn_start", "add_git_status", &[][..], "$(git status --short --branch 2"),
        ("turn_start", "add_git_diff", &[], "$(git diff --stat 2"),
        ("session_start", "add_recent_commits", &[], "$(git log --oneline -n 10 2"),
        ("session_start", "add_recent_commits", &["3"], "$(git log --oneline -n 3 2"),
        ("session_start", "add_recent_commits", &["0"], "$(git log --oneline -n 10 2"),
        ("session_start", "add_recent_commits", &["1; rm x"], "$(git log --oneline -n 10 2"),
    ] {
        let host = Scripted::default();
        fire(&builtin(event, name, args), &host, &payload(event));
        assert!(host.runs()[0].source.contains(command), "{name} {args:?}");
        assert!(lock(&host.requests).is_empty());
    }
    let outcome = fire(&builtin("turn_end", "snapshot", &[]), &Scripted::default(), &payload("turn_end"));
    let text = "turn_end hook failed to execute: hook \"snapshot\": no answer";
    assert_eq!(result(&outcome).system_message, text);
    // The errors of one are swallowed.
    let hooks = builtin("on_agent_switch", "unload", &[]);
    let host = Scripted::default();
    let outcome = fire(&hooks, &host, &payload("on_agent_switch"));
    assert_eq!((result(&outcome).system_message, lock(&host.requests).len()), (String::new(), 1));
}

#[test]
fn the_host_is_told_of_environment_and_directory() {
    let config = "hooks: { turn_start: { type: builtin, command: snapshot, env: { A: '${env.HOME}' }, working_dir: sub } }";
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
fn secrets_are_redacted_on_four_events() {
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
    assert_eq!(folded.updated_tool_response.as_deref(), Some(&json!({"key": "[REDACTED]"})));
    let mut event = payload("tool_input_transform");
    event["tool_input"] = json!({"cmd": key});
    let folded = result(&fire(&builtin("tool_input_transform", "redact_secrets", &[]), &host, &event));
    assert_eq!(folded.modified_input.as_deref(), Some(&json!({"cmd": "[REDACTED]"})));
    let outcome = fire(&hooks, &host, &payload("pre_tool_use"));
    assert!(outcome.decision.rewritten_by.is_empty());
}

#[test]
fn only_what_a_builtin_rewrites_may_be_no_text() {
    let hooks = load(&hooks_of("tool_response_transform", &["x"]).to_string());
    let host = Scripted::printing([r#"{"hook_specific_output":{"updated_tool_response":{"a":1}}}"#]);
    let folded = result(&fire(&hooks, &host, &payload("tool_response_transform")));
    assert_eq!(folded.updated_tool_response, None);
    assert!(
        folded.system_message.contains("updated_tool_response is not a string"),
        "{}",
        folded.system_message
    );
}

#[test]
fn a_prompt_that_is_no_template_fails_its_hook_alone() {
    let config = "hooks: { turn_start: [ { type: model, model: a/b, prompt: '{{ if }}' }, { type: command, command: x } ] }";
    let hooks = load(config);
    assert!(
        hooks.notices()[0].to_string().contains("invalid prompt, the hook will fail: an action is empty")
    );
    let folded = result(&fire(&hooks, &Scripted::printing(["hi"]), &payload("turn_start")));
    assert_eq!(folded.additional_context, "hi");
    assert!(folded.system_message.ends_with("prompt: an action is empty"), "{}", folded.system_message);
}

#[test]
fn no_message_at_all_is_no_rewrite() {
    let hooks = load(&hooks_of("before_llm_call", &["x"]).to_string());
    let host = Scripted::printing([r#"{"hook_specific_output":{"updated_messages":[]}}"#]);
    let event = json!({"hook_event_name": "before_llm_call", "messages": [{"role": "user", "content": "x"}]});
    let outcome = fire(&hooks, &host, &event);
    assert_eq!((result(&outcome).updated_messages, outcome.decision.rewritten_by.len()), (None, 0));
}

#[test]
fn a_large_result_is_cut_even_where_it_can_not_be_saved() {
    let hooks = load("{}");
    let mut event = payload("tool_response_transform");
    event["tool_response"] = "line\n".repeat(2001).into();
    let host = Scripted { write_fails: true, ..Scripted::default() };
    let folded = result(&fire(&hooks, &host, &event));
    let text = folded.updated_tool_response.unwrap();
    let text = text.as_str().unwrap();
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
