//! Hooks that ask: over HTTP, models, tools of servers, and the command with all of them.

use crate::server::{Asked, Server, json, reply};
use crate::{client, network, run};
use hookbox::hook::ask::{LiveHost, ModelEndpoint, Prices, ToolServer};
use hookbox::hook::{Dialect, HookSet, LoadOptions, Outcome};
use hookbox::limit::Limits;
use hookbox::network::Secret;
use hookbox::sandbox::{Sandbox, SandboxBuilder};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn fire(dialect: Dialect, config: &Value, event: &Value, builder: SandboxBuilder) -> Outcome {
    let mut options = LoadOptions::default();
    if dialect == Dialect::Goclaw {
        options.settings.insert("builtins".to_owned(), false.into());
    }
    let hooks = HookSet::load(dialect, config.to_string().as_bytes(), &options).expect("a config");
    let event = hooks.read_event(event).expect("an event");
    let sandbox = builder.limits(Limits::hook()).build().expect("a sandbox");
    run(hooks.fire(&sandbox, &event))
}

fn claude(hook: &Value) -> Value {
    json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}})
}

fn claude_event() -> Value {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}})
}

fn tool_call() -> Value {
    json!({"moment": "tool_call_starting", "session_id": "s", "tool_name": "exec", "tool_call_id": "c",
           "arguments": {"command": "rm -rf /"}})
}

fn reason(outcome: &Outcome) -> &str {
    outcome.decision.blocked.as_ref().map_or("", |block| block.reason.as_str())
}

fn body(asked: &Asked) -> Value {
    serde_json::from_slice(&asked.body).expect("JSON")
}

/// The first recipe of Everruns' documentation.
fn collecting(url: &str) -> Value {
    let command = format!(
        "curl -fsS -o /dev/null -X POST -H 'Content-Type: application/json' --data-binary @- {url}/calls"
    );
    json!({"hooks": [{"id": "collect", "event": "pre_tool_use", "on_error": "block",
                      "executor": {"type": "bash", "command": command}}]})
}

#[test]
fn every_tool_call_is_posted_to_a_collector() {
    let server = Server::new(|_| reply("204 No Content", "", ""));
    let config = collecting(&server.url());
    let outcome = fire(
        Dialect::Everruns,
        &config,
        &tool_call(),
        Sandbox::builder().network(network(&[&server.host()])),
    );
    assert!(outcome.decision.proceeds(), "{}", reason(&outcome));
    let asked = server.asked();
    assert_eq!((asked.len(), asked[0].method.as_str(), asked[0].target.as_str()), (1, "POST", "/calls"));
    assert_eq!(asked[0].header("content-type"), Some("application/json"));
    assert_eq!(body(&asked[0])["data"]["arguments"]["command"], "rm -rf /");
    // Without a network nothing is sent, and the hook fails.
    let outcome = fire(Dialect::Everruns, &config, &tool_call(), Sandbox::builder());
    assert!(!outcome.decision.proceeds());
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn hooks_over_http_go_through_the_session_network() {
    let server = Server::new(|_| {
        json(&json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                            "permissionDecisionReason": "not here"}}))
    });
    let config = claude(&json!({"type": "http", "url": server.url()}));
    let outcome = fire(
        Dialect::ClaudeCode,
        &config,
        &claude_event(),
        Sandbox::builder().network(network(&[&server.host()])),
    );
    assert_eq!(reason(&outcome), "not here");
    assert_eq!(body(&server.asked()[0])["tool_input"]["command"], "rm -rf /");
    let outcome = fire(
        Dialect::ClaudeCode,
        &config,
        &claude_event(),
        Sandbox::builder().network(network(&["a.example"])),
    );
    assert!(outcome.decision.proceeds());
    assert_eq!(server.asked().len(), 1);
}

fn with_model(endpoint: ModelEndpoint) -> SandboxBuilder {
    Sandbox::builder().hook_host(Arc::new(LiveHost::default().model(endpoint, client())))
}

fn open_ai_says(text: &str) -> Vec<u8> {
    json(&json!({"choices": [{"message": {"role": "assistant", "content": text}}],
                 "usage": {"prompt_tokens": 10, "completion_tokens": 5}}))
}

#[test]
fn a_question_goes_to_an_endpoint_like_open_ai() {
    let server = Server::new(|_| open_ai_says("{\"ok\": false, \"reason\": \"dangerous\"}"));
    let endpoint = ModelEndpoint::open_ai(&format!("{}/v1", server.url())).expect("a URL");
    let config = claude(&json!({"type": "prompt", "prompt": "Is this safe? $ARGUMENTS", "model": "small"}));
    let builder = with_model(endpoint.key(Secret::new("sk-secret-key")));
    let outcome = fire(Dialect::ClaudeCode, &config, &claude_event(), builder);
    assert_eq!(reason(&outcome), "dangerous");
    let asked = server.asked();
    assert_eq!(
        (asked[0].target.as_str(), asked[0].header("authorization")),
        ("/v1/chat/completions", Some("Bearer sk-secret-key"))
    );
    let message = body(&asked[0]);
    assert_eq!((&message["model"], &message["temperature"]), (&json!("small"), &json!(0)));
    assert_eq!(message["response_format"]["type"], "json_schema");
    assert!(message["messages"][1]["content"].as_str().expect("a text").contains("rm -rf /"));
}

#[test]
fn an_endpoint_without_schemas_is_asked_without() {
    let server = Server::new(|asked| match body(asked).get("response_format") {
        Some(_) => reply("400 Bad Request", "", "{\"error\": {\"message\": \"unknown response_format\"}}"),
        None => open_ai_says("{\"ok\": true}"),
    });
    let endpoint = ModelEndpoint::open_ai(&server.url()).expect("a URL").model("own");
    let config = claude(&json!({"type": "prompt", "prompt": "Safe?"}));
    assert!(fire(Dialect::ClaudeCode, &config, &claude_event(), with_model(endpoint)).decision.proceeds());
    assert_eq!(server.asked().len(), 2);
    assert_eq!(body(&server.asked()[1])["model"], "own");
}

#[test]
fn a_question_goes_to_an_endpoint_like_anthropic() {
    let server = Server::new(|_| {
        json(&json!({"content": [{"type": "tool_use", "id": "t", "name": "reply",
                                  "input": {"decision": "deny", "reason": "no deletions"}}],
                     "usage": {"input_tokens": 7, "output_tokens": 3}}))
    });
    let endpoint = ModelEndpoint::anthropic(&server.url()).expect("a URL").key(Secret::new("sk-ant-secret"));
    let config = json!({"agents": {"root": {"hooks": {"pre_tool_use": [{"hooks": [
        {"type": "model", "model": "anthropic/haiku", "prompt": "Judge {{ .ToolName }}", "schema": "pre_tool_use_decision"}]}]}}}});
    let event =
        json!({"hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_input": {"cmd": "rm -rf /"}});
    let outcome = fire(Dialect::DockerAgent, &config, &event, with_model(endpoint));
    assert_eq!(reason(&outcome), "no deletions");
    let asked = server.asked();
    assert_eq!(
        (asked[0].target.as_str(), asked[0].header("x-api-key")),
        ("/v1/messages", Some("sk-ant-secret"))
    );
    let message = body(&asked[0]);
    assert_eq!((&message["model"], &message["tool_choice"]["name"]), (&json!("haiku"), &json!("reply")));
}

#[test]
fn a_tool_that_must_be_called_is_called() {
    for is_anthropic in [false, true] {
        let server = Server::new(move |_| {
            let arguments = json!({"decision": "block", "reason": "policy"});
            json(&if is_anthropic {
                json!({"content": [{"type": "tool_use", "id": "t", "name": "decide", "input": arguments}],
                       "usage": {"input_tokens": 7, "output_tokens": 3}})
            } else {
                json!({"choices": [{"message": {"content": null, "tool_calls": [
                        {"id": "t", "function": {"name": "decide", "arguments": arguments.to_string()}}]}}],
                       "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
            })
        });
        let endpoint = if is_anthropic {
            ModelEndpoint::anthropic(&server.url())
        } else {
            ModelEndpoint::open_ai(&server.url())
        };
        let config = json!({"event": "pre_tool_use", "handler_type": "prompt", "scope": "tenant", "name": "p",
                            "matcher": "exec", "config": {"prompt_template": "Block deletions."}});
        let event = json!({"hookEvent": "pre_tool_use", "tenantId": "t1", "toolName": "exec", "toolInput": {"cmd": "rm"}});
        let outcome = fire(Dialect::Goclaw, &config, &event, with_model(endpoint.expect("a URL")));
        assert!(reason(&outcome).contains("policy"), "{outcome:?}");
        assert_eq!(body(&server.asked()[0])["max_tokens"], 512);
    }
}

#[test]
fn an_agent_looks_around_and_then_decides() {
    let turns = AtomicUsize::new(0);
    let server = Server::new(move |_| match turns.fetch_add(1, Ordering::Relaxed) {
        0 => json(&json!({"choices": [{"message": {"content": "", "tool_calls": [
            {"id": "1", "function": {"name": "list_folder", "arguments": "{\"path\": \"/workspace\"}"}},
            {"id": "2", "function": {"name": "read_file", "arguments": "{\"path\": \"/workspace/tests.log\"}"}}]}}]})),
        _ => open_ai_says("{\"ok\": false, \"reason\": \"tests fail\"}"),
    });
    let builder = Sandbox::builder().file("/workspace/tests.log", "2 failed\n");
    let files = Arc::clone(builder.clone().build().expect("a sandbox").fs());
    let endpoint = ModelEndpoint::open_ai(&server.url()).expect("a URL").model("m");
    let host = LiveHost::default().model(endpoint, client()).files(files);
    let config = claude(&json!({"type": "agent", "prompt": "Do the tests pass?"}));
    let outcome = fire(Dialect::ClaudeCode, &config, &claude_event(), builder.hook_host(Arc::new(host)));
    assert_eq!(reason(&outcome), "tests fail");
    let messages = body(&server.asked()[1])["messages"].clone();
    assert_eq!(
        (&messages[3]["content"], &messages[4]["content"]),
        (&json!("tests.log\n"), &json!("2 failed\n"))
    );
}

#[test]
fn budgets_end_questions() {
    let server = Server::new(|_| open_ai_says("{\"ok\": true}"));
    let config = claude(&json!({"type": "prompt", "prompt": "Safe?", "model": "m"}));
    let hooks = HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default())
        .expect("hooks");
    let event = hooks.read_event(&claude_event()).expect("an event");
    let mut by_tokens = ModelEndpoint::open_ai(&server.url()).expect("a URL");
    by_tokens.token_budget = Some(20);
    let mut by_cost = ModelEndpoint::open_ai(&server.url()).expect("a URL");
    (by_cost.prices, by_cost.max_cost) = (Some(Prices { input: 1.0, output: 10.0 }), Some(0.0001));
    for endpoint in [by_tokens, by_cost] {
        let before = server.asked().len();
        let sandbox = with_model(endpoint).build().expect("a sandbox");
        let records: Vec<_> = (0..4).map(|_| run(hooks.fire(&sandbox, &event)).records).collect();
        let texts = format!("{records:?}");
        assert_eq!(server.asked().len() - before, 2);
        assert!(texts.contains("used up"), "{texts}");
    }
}

#[test]
fn what_an_endpoint_says_wrong_is_told_without_the_key() {
    let server = Server::new(|asked| {
        let key = asked.header("authorization").unwrap_or_default().to_owned();
        reply("401 Unauthorized", "", json!({"error": {"message": format!("bad key {key}")}}).to_string())
    });
    let endpoint = ModelEndpoint::open_ai(&server.url()).expect("a URL").key(Secret::new("sk-secret-key"));
    let config = claude(&json!({"type": "prompt", "prompt": "Safe?", "model": "m"}));
    let shown = format!("{:?}", fire(Dialect::ClaudeCode, &config, &claude_event(), with_model(endpoint)));
    assert!(shown.contains("answered 401: bad key Bearer *************"), "{shown}");
    assert!(!shown.contains("sk-secret"), "{shown}");
}

/// A server of tools; each of its sessions knows its own name alone.
fn tools(as_events: bool, forgets: bool) -> Server {
    let calls = AtomicUsize::new(0);
    Server::new(move |asked| {
        let message = body(asked);
        let say = |result: Value| {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
            let head = "Mcp-Session-Id: s1\r\n";
            if as_events {
                reply(
                    "200 OK",
                    &format!("{head}Content-Type: text/event-stream\r\n"),
                    format!(
                        ": hello\n\nevent: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n\ndata: {answer}\n\n"
                    ),
                )
            } else {
                reply("200 OK", &format!("{head}Content-Type: application/json\r\n"), answer)
            }
        };
        match message["method"].as_str() {
            Some("initialize") => {
                say(json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {}}))
            }
            Some("tools/call") if forgets && calls.fetch_add(1, Ordering::Relaxed) == 0 => {
                reply("404 Not Found", "", "")
            }
            Some("tools/call") => {
                assert_eq!(asked.header("mcp-session-id"), Some("s1"));
                assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
                let text =
                    json!({"decision": "block", "reason": message["params"]["arguments"]["cmd"]}).to_string();
                say(json!({"content": [{"type": "text", "text": text}], "isError": false}))
            }
            _ => reply("202 Accepted", "", ""),
        }
    })
}

#[test]
fn tools_of_servers_are_called() {
    let hook = json!({"type": "mcp_tool", "server": "audit", "tool": "check", "input": {"cmd": "${tool_input.command}"}});
    for (as_events, forgets) in [(false, false), (true, false), (false, true)] {
        let server = tools(as_events, forgets);
        let audit = ToolServer::http(
            &format!("{}/mcp", server.url()),
            Some(&Secret::new("token-of-audit")),
            client(),
        );
        let host = LiveHost::default().tools("audit", audit.expect("a URL"));
        let outcome = fire(
            Dialect::ClaudeCode,
            &claude(&hook),
            &claude_event(),
            Sandbox::builder().hook_host(Arc::new(host)),
        );
        assert_eq!(reason(&outcome), "rm -rf /", "{outcome:?}");
        assert_eq!(server.asked()[0].header("authorization"), Some("Bearer token-of-audit"));
    }
}

/// A folder of files for the command.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("hookbox-network-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        for (name, text) in files {
            let file = path.join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&path)).expect("a folder");
            std::fs::write(file, text).expect("a file");
        }
        Self(path)
    }

    /// Runs the command; standard output and error, and the status.
    fn run(&self, arguments: &[&str], stdin: &str, environment: &[(&str, &str)]) -> (String, String, i32) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hookbox"))
            .args(arguments)
            .envs(environment.iter().copied())
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command");
        // A command that fails early reads nothing.
        let _ = child.stdin.take().expect("a pipe").write_all(stdin.as_bytes());
        let output = child.wait_with_output().expect("an output");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left is in the folder for such things.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_command_posts_tool_calls_to_a_collector() {
    let server = Server::new(|_| reply("200 OK", "", "{}"));
    let folder = Folder::new("collect", &[("hooks.json", &collecting(&server.url()).to_string())]);
    let event = tool_call().to_string();
    let words = ["fire", "--hooks", "hooks.json", "--dialect", "everruns", "--event", "-"];
    let (stdout, stderr, status) =
        folder.run(&[&words[..], &["--allow-host", &server.host()]].concat(), &event, &[]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert_eq!(body(&server.asked()[0])["data"]["arguments"]["command"], "rm -rf /");
    let (stdout, _, status) = folder.run(&words, &event, &[]);
    assert_eq!((status, server.asked().len()), (2, 1), "{stdout}");
    assert!(stdout.contains("this session has no network"), "{stdout}");
}

#[test]
fn the_command_asks_models_tools_and_hosts() {
    let collector = Server::new(|_| json(&json!({})));
    let model = Server::new(|_| open_ai_says("{\"ok\": false, \"reason\": \"the model says no\"}"));
    let audit = tools(false, false);
    let config = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "http", "url": collector.url()},
        {"type": "prompt", "prompt": "Safe? $ARGUMENTS", "model": "m"},
        {"type": "mcp_tool", "server": "audit", "tool": "check", "input": {"cmd": "${tool_name}"}}]}]}});
    let folder = Folder::new("asks", &[("hooks.json", &config.to_string())]);
    let mcp = format!("audit={}", audit.url());
    let (stdout, stderr, status) = folder.run(
        &[
            "fire",
            "--hooks",
            "hooks.json",
            "--event",
            "-",
            "--json",
            "--allow-host",
            &collector.host(),
            "--model-endpoint",
            &model.url(),
            "--model-key",
            "MODEL_KEY",
            "--mcp",
            &mcp,
        ],
        &claude_event().to_string(),
        &[("MODEL_KEY", "sk-secret-of-mine")],
    );
    assert_eq!(status, 2, "{stdout}{stderr}");
    assert_eq!((collector.asked().len(), model.asked().len()), (1, 1));
    assert!(stdout.contains("the model says no") && stdout.contains("\"answered_by\": \"live\""), "{stdout}");
    assert!(!stdout.contains("sk-secret") && !stderr.contains("sk-secret"), "{stdout}{stderr}");
    assert_eq!(model.asked()[0].header("authorization"), Some("Bearer sk-secret-of-mine"));
}

/// Speaks the protocol on its standard streams: the messages come in order.
#[cfg(unix)]
const STDIO_SERVER: &str = r#"#!/bin/sh
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'
read -r line
read -r line
echo 'noise that is not JSON'
echo '{"jsonrpc":"2.0","id":77,"method":"ping"}'
read -r pong
echo '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"decision\":\"block\",\"reason\":\"by stdio\"}"}]}}'
"#;

#[cfg(unix)]
#[test]
fn the_command_asks_programs_of_the_user() {
    let config = claude(&json!({"type": "mcp_tool", "server": "audit", "tool": "check", "input": {}}));
    let answer = "#!/bin/sh\nread -r question\ncase $question in *'\"tool\":\"check\"'*) echo '{\"body\": {\"decision\": \"block\", \"reason\": \"by a program\"}}';; esac\n";
    let files = [
        ("hooks.json", config.to_string()),
        ("server.sh", STDIO_SERVER.to_owned()),
        ("answer.sh", answer.to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = Folder::new("programs", &files);
    let words = ["fire", "--hooks", "hooks.json", "--event", "-"];
    for (more, wanted) in
        [(["--mcp", "audit=sh server.sh"], "by stdio"), (["--answer-with", "sh answer.sh"], "by a program")]
    {
        let (stdout, stderr, status) =
            folder.run(&[&words[..], &more].concat(), &claude_event().to_string(), &[]);
        assert_eq!(status, 2, "{stdout}{stderr}");
        assert!(stdout.contains(wanted), "{stdout}");
    }
    for (more, wanted) in [
        (["--answer-with", "./not-there"], "./not-there: No such file"),
        (["--answer-with", "echo nonsense"], "its answer is not JSON"),
        (["--answer-with", "echo {\"odd\":1}"], "a member `odd`"),
        (["--mcp", "other=sh server.sh"], "no server `audit` is known (known: other)"),
        (["--mcp", "audit=true"], "ended"),
    ] {
        let (stdout, _, _) =
            folder.run(&[&words[..], &more, &["--json"]].concat(), &claude_event().to_string(), &[]);
        assert!(stdout.contains(wanted), "{wanted}: {stdout}");
    }
}

#[test]
fn the_command_says_what_is_wrong_with_its_options() {
    let folder = Folder::new("options", &[]);
    for (options, wanted) in [
        (&["--allow-host", "a/b?c"][..], "--allow-host a/b?c: a path is"),
        (&["--credential", "a=NONE"], "--allow-host names one"),
        (&["--allow-host", "a", "--credential", "a=HOOKBOX_NOT_SET"], "HOOKBOX_NOT_SET: this variable"),
        (&["--allow-host", "a", "--credential", "a"], "HOST=VARIABLE"),
    ] {
        let (_, stderr, status) = folder.run(&[&["sh"], options, &["-c", "true"]].concat(), "", &[]);
        assert_eq!(status, 1);
        assert!(stderr.contains(wanted), "{wanted}: {stderr}");
    }
}

/// A fixture with one case, whose three hooks ask.
fn asking_cases(http: &str) -> String {
    let config = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "http", "url": http},
        {"type": "prompt", "prompt": "Safe? $ARGUMENTS", "model": "m"},
        {"type": "mcp_tool", "server": "audit", "tool": "check", "input": {"cmd": "${tool_name}"}}]}]}});
    let case = |name: &str, expected: &str| json!({"name": name, "event": claude_event(), "expect": {"decision": expected}});
    json!({"id": "asks", "dialect": "claude-code", "hooks": config, "cases": [
        case("one", "blocked"), case("two", "blocked"),
        {"name": "canned", "answers": [{"kind": "http", "body": {}}, {"kind": "model", "body": {"ok": true}},
            {"kind": "mcp_tool", "body": ""}], "event": claude_event(), "expect": {"decision": "proceed"}},
    ]})
    .to_string()
}

#[test]
fn cases_are_answered_as_firings_are() {
    let collector = Server::new(|_| json(&json!({})));
    let model = Server::new(|_| open_ai_says("{\"ok\": false, \"reason\": \"the model says no\"}"));
    let audit = tools(false, false);
    let cases = asking_cases(&collector.url());
    let rows = "- { kind: model, body: { ok: false, reason: canned } }\n- { kind: mcp_tool, body: '' }\n";
    let files = [("cases/asks.yaml", cases.as_str()), ("fixture.yaml", ""), ("rows.yaml", rows)];
    let folder = Folder::new("test-asks", &files);
    let mcp = format!("audit={}", audit.url());
    let live = [
        "--model-endpoint",
        &model.url(),
        "--model-key",
        "MODEL_KEY",
        "--mcp",
        &mcp,
        "--allow-host",
        &collector.host(),
    ];
    let key = [("MODEL_KEY", "sk-secret-of-mine")];
    let test = |more: &[&str]| folder.run(&[&["test", ".", "-j", "1"], more].concat(), "", &key);
    // Nobody is asked without being named, and a case's own rows come first.
    let (stdout, stderr, status) = test(&[]);
    assert_eq!(status, 1, "{stdout}{stderr}");
    assert!(stdout.contains("1 passed, 2 failed"), "{stdout}");
    assert_eq!(collector.asked().len() + model.asked().len(), 0);
    let (stdout, stderr, status) = test(&live);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert_eq!((collector.asked().len(), model.asked().len()), (2, 2));
    assert_eq!(model.asked()[0].header("authorization"), Some("Bearer sk-secret-of-mine"));
    // What a file answers is not asked live; what nothing answers is.
    let (stdout, stderr, status) = test(&["--answer", "rows.yaml", "--allow-host", &collector.host()]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert_eq!((collector.asked().len(), model.asked().len()), (4, 2));
    // A budget is that of all cases together: the second finds it spent, and a model that is not asked says nothing. The tool,
    // which blocks too, is not there.
    let (stdout, _, status) = test(&[&live[..4], &live[6..], &["--model-budget", "10"]].concat());
    assert_eq!((status, model.asked().len()), (1, 3), "{stdout}");
    assert!(stdout.contains("2 passed, 1 failed"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_program_of_the_user_answers_cases() {
    let answer = "#!/bin/sh\nread -r question\ncase $question in *'\"kind\":\"model\"'*) echo '{\"body\": {\"ok\": false, \"reason\": \"by a program\"}}';; *) echo '{\"body\": \"\"}';; esac\n";
    let cases = asking_cases("https://collector.example/");
    let files = [("cases/asks.yaml", cases.as_str()), ("fixture.yaml", ""), ("answer.sh", answer)];
    let folder = Folder::new("test-program", &files);
    let (stdout, stderr, status) = folder.run(&["test", ".", "--answer-with", "sh answer.sh"], "", &[]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    for (options, wanted) in [
        (&["--answer-with", "sh answer.sh", "--mcp", "a=b"][..], "it answers everything"),
        (&["--credential", "a=HOOKBOX_NOT_SET"], "no host may be asked"),
        (&["--answer", "none.yaml"], "none.yaml: "),
        (&["--contract", "claude-code@0"], "claude-code"),
    ] {
        let (_, stderr, status) = folder.run(&[&["test", "."], options].concat(), "", &[]);
        assert!(status != 0 && stderr.contains(wanted), "{wanted}: {stderr}");
    }
}

#[test]
fn cases_run_by_another_version_of_their_contract() {
    let config = json!({"hooks": {"post_tool_use": [{"matcher": "*", "hooks": [{"type": "command", "command": "echo seen"}]}]}});
    let event = json!({"hook_event_name": "post_tool_use", "session_id": "s", "cwd": "/workspace", "tool_name": "shell",
                       "tool_input": {}, "tool_response": "ok"});
    let cases = |contexts: &[&str]| {
        json!({"id": "v", "dialect": "docker-agent", "hooks": config,
               "cases": [{"name": "text of a call's end", "event": event, "expect": {"contexts": contexts}}]})
        .to_string()
    };
    let (newest, manual) = (cases(&[]), cases(&["seen"]));
    let other = json!({"id": "o", "dialect": "infer", "hooks": {"enabled": true, "hooks": []},
                       "cases": [{"name": "another dialect", "event": {"hook": "pre_tool"}, "expect": {}}]})
    .to_string();
    let files = [
        ("new/cases/v.yaml", &*newest),
        ("new/fixture.yaml", ""),
        ("old/cases/v.yaml", &*manual),
        ("old/fixture.yaml", ""),
        ("old/cases/o.yaml", &*other),
    ];
    let folder = Folder::new("test-contract", &files);
    assert_eq!(folder.run(&["test", "new"], "", &[]).2, 0);
    let (stdout, stderr, status) = folder.run(&["test", "old", "--contract", "docker-agent@manual"], "", &[]);
    assert_eq!(status, 0, "{stdout}{stderr}");
    assert_eq!(folder.run(&["test", "old"], "", &[]).2, 1);
    assert_eq!(folder.run(&["test", "new", "--contract", "docker-agent@manual"], "", &[]).2, 1);
    let (stdout, _, status) = folder.run(&["test", "--contract", "help"], "", &[]);
    assert!(status == 0 && stdout.contains("docker-agent@manual"), "{stdout}");
}
