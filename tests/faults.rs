//! Faults of a hook before a tool call, in every dialect: time, output and other limits, a full file system, a host command
//! that crashes, output that is cut off, a script that is killed after it printed a decision. Each ends as the rule of the
//! dialect's contract says; where that is to go on, the record tells what happened.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use hookbox::hook::{Dialect, Ended, HookRecord, HookSet, LoadOptions, Outcome, Selection, Verdict};
use hookbox::limit::Limits;
use hookbox::sandbox::Sandbox;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a fault must come to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// The call is blocked.
    Blocks,
    /// It goes on, and the record tells what went wrong.
    Tells,
    /// It goes on: by its contract nothing went wrong.
    GoesOn,
}
use End::{Blocks, GoesOn, Tells};

/// A dialect with a policy for failures.
struct Policy {
    dialect: Dialect,
    /// As messages call it.
    name: &'static str,
    /// A config whose only hook runs `SCRIPT` for a second at most.
    config: fn(script: &str) -> Value,
    payload: fn() -> Value,
    settings: fn() -> Value,
    allow: &'static str,
    deny: &'static str,
}

const CLAUDE_ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
const CLAUDE_DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
const PLAIN_ALLOW: &str = r#"{"decision":"allow"}"#;
const PLAIN_DENY: &str = r#"{"decision":"block","reason":"no"}"#;

fn everruns(script: &str, on_error: &str) -> Value {
    json!({"hooks": [{"id": "guard", "event": "pre_tool_use", "on_error": on_error, "timeout_ms": 1000,
        "executor": {"type": "bash", "command": script}}]})
}

fn docker(script: &str, on_error: &str) -> Value {
    json!({"hooks": {"pre_tool_use": [{"hooks": [
        {"type": "command", "command": script, "timeout": 1, "on_error": on_error}]}]}})
}

fn goclaw(script: &str, on_timeout: &str) -> Value {
    json!([{"event": "pre_tool_use", "handler_type": "command", "scope": "tenant", "name": "guard",
        "timeout_ms": 1000, "on_timeout": on_timeout, "config": {"command": script}}])
}

fn snake() -> Value {
    json!({"hook_event_name": "pre_tool_use", "tool_name": "shell", "tool_input": {"cmd": "ls"}})
}

fn camel() -> Value {
    json!({"hookEvent": "pre_tool_use", "toolName": "exec", "toolInput": {"cmd": "ls"}})
}

fn pascal() -> Value {
    json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}})
}

fn envelope() -> Value {
    json!({"event": "pre_tool_use", "data": {"tool_name": "bash", "arguments": {"command": "ls"}}})
}

const fn none() -> Value {
    Value::Null
}

/// The columns of [`FAULTS`].
const POLICIES: [Policy; 9] = [
    Policy {
        dialect: Dialect::Everruns,
        name: "everruns, on_error block",
        config: |script| everruns(script, "block"),
        payload: envelope,
        settings: none,
        allow: PLAIN_ALLOW,
        deny: PLAIN_DENY,
    },
    Policy {
        dialect: Dialect::Everruns,
        name: "everruns, on_error warn",
        config: |script| everruns(script, "warn"),
        payload: envelope,
        settings: none,
        allow: PLAIN_ALLOW,
        deny: PLAIN_DENY,
    },
    Policy {
        dialect: Dialect::DockerAgent,
        name: "docker-agent, on_error ignore",
        config: |script| docker(script, "ignore"),
        payload: snake,
        settings: none,
        allow: r#"{"hook_specific_output":{"permission_decision":"allow"}}"#,
        deny: PLAIN_DENY,
    },
    Policy {
        dialect: Dialect::ClaudeCode,
        name: "claude-code, onFailure block",
        config: |script| {
            json!({"hooks": {"PreToolUse": [{"hooks": [
                {"type": "command", "command": script, "timeout": 1, "onFailure": "block"}]}]}})
        },
        payload: pascal,
        settings: none,
        allow: CLAUDE_ALLOW,
        deny: CLAUDE_DENY,
    },
    Policy {
        dialect: Dialect::ClaudeCode,
        name: "claude-code",
        config: |script| {
            json!({"hooks": {"PreToolUse": [{"hooks": [
                {"type": "command", "command": script, "timeout": 1}]}]}})
        },
        payload: pascal,
        settings: none,
        allow: CLAUDE_ALLOW,
        deny: CLAUDE_DENY,
    },
    Policy {
        dialect: Dialect::Agentao,
        name: "agentao",
        config: |script| json!({"hooks": {"PreToolUse": [{"type": "command", "command": script, "timeout": 1}]}}),
        payload: || json!({"event": "PreToolUse", "data": {"toolName": "Bash", "toolInput": {"command": "ls"}}}),
        settings: none,
        allow: CLAUDE_ALLOW,
        deny: r#"{"blockingError":"no"}"#,
    },
    Policy {
        dialect: Dialect::Infer,
        name: "infer",
        config: |script| {
            json!({"enabled": true, "hooks": [
                {"name": "guard", "hook": "pre_tool", "command": script, "timeout": 1}]})
        },
        payload: || json!({"hook": "pre_tool", "session_id": "s", "turn": 1}),
        settings: || json!({"tools": {"bash": {"mode": {"all": {"allow": [".*"]}}}}}),
        allow: PLAIN_ALLOW,
        deny: PLAIN_DENY,
    },
    Policy {
        dialect: Dialect::Goclaw,
        name: "goclaw, on_timeout block",
        config: |script| goclaw(script, "block"),
        payload: camel,
        settings: || json!({"builtins": false}),
        allow: r#"{"continue":true}"#,
        deny: r#"{"continue":false}"#,
    },
    Policy {
        dialect: Dialect::Goclaw,
        name: "goclaw, on_timeout allow",
        config: |script| goclaw(script, "allow"),
        payload: camel,
        settings: || json!({"builtins": false}),
        allow: r#"{"continue":true}"#,
        deny: r#"{"continue":false}"#,
    },
];

/// A fault: a script, in which `ALLOW`, `DENY`, `CUT` (six bytes short) and `SHORT` (one byte short) stand for decisions of
/// the dialect, and what it comes to under each policy.
struct Fault {
    name: &'static str,
    script: &'static str,
    /// The contracts' rules: everruns; docker-agent; claude-code; agentao; infer; goclaw.
    rules: &'static str,
    ends: [End; 9],
}

#[rustfmt::skip]
const FAULTS: &[Fault] = &[
    Fault {
        name: "none, it denies", script: "echo 'DENY'",
        rules: "4.1; 4.3; R40; G14, A4; R16: observes only; 4.1",
        ends: [Blocks, Blocks, Blocks, Blocks, Blocks, Blocks, GoesOn, Blocks, Blocks],
    },
    Fault {
        name: "none, it allows", script: "echo 'ALLOW'",
        rules: "4.1; 4.3; R40; A4; R16; 4.1",
        ends: [GoesOn, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn],
    },
    Fault {
        name: "timeout", script: "sleep 60",
        rules: "5.2, 4.4; 5.3, R25; R33, R56; G11; R17; R26, 5",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, Tells, Blocks, Tells],
    },
    Fault {
        name: "allow, then timeout", script: "echo 'ALLOW'; sleep 60",
        rules: "5.2, 4.4; 4.1: stdout is not read; R33: discarded, R56; G11; R17; R26: whatever it returned",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, Tells, Blocks, Tells],
    },
    Fault {
        name: "deny, then timeout", script: "echo 'DENY'; sleep 60",
        rules: "5.2, 4.4; 4.1; R33, R56; G11: no effect; R17; R26",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, Tells, Blocks, Tells],
    },
    Fault {
        name: "allow, then killed", script: "echo 'ALLOW'; kill -9 $$",
        rules: "R29: the status plays no part; 4.1; 4.2: JSON decides; A4: still parsed; R17; 4.1",
        ends: [Tells, Tells, Blocks, Tells, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "deny, then killed", script: "echo 'DENY'; kill -9 $$",
        rules: "R29; 4.1; 4.2; A4; R17; 4.1",
        ends: [Blocks, Blocks, Blocks, Blocks, Blocks, Blocks, Tells, Blocks, Blocks],
    },
    Fault {
        name: "killed with nothing said", script: "kill -9 $$",
        rules: "4, row 2: a decision (R28); 4.1; R34, R56; A4; R17; 4.1",
        ends: [Blocks, Blocks, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "too much output", script: "echo 'ALLOW'; head -c 2000000 /dev/zero | tr '\\0' x",
        rules: "5.2: nothing is parsed; 4.1; R53, R56; G16, G17; R24: discarded, it goes on; 4.1, the engine's cap",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, GoesOn, Blocks, Blocks],
    },
    Fault {
        name: "too many messages", script: "echo 'ALLOW'; head -c 2000000 /dev/zero | tr '\\0' x >&2",
        rules: "5.2: both streams together; 4.1; R53, R56; G16, G17; R24; 4.1, the engine's cap",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, GoesOn, Blocks, Blocks],
    },
    Fault {
        name: "endless loop", script: "while :; do :; done; echo 'ALLOW'",
        rules: "5.2: execution error; 4.1; 5.4, R56; G16; R17; 4.1",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "a host's command crashes", script: "crash",
        rules: "4, row 2; 4.1; R34, R56; A4; R17; 4.1",
        ends: [Blocks, Blocks, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "a host's command crashes later", script: "crash later || exit",
        rules: "as above",
        ends: [Blocks, Blocks, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "full file system", script: "cat > copy; echo 'ALLOW'",
        rules: "5.2, 4.4; 4.1; 5.4, R56; G16; R17; 4.1",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "JSON cut off", script: "printf %s 'CUT'",
        rules: "R32; 4.2; 4.1: no } at the end is text, R29; A4: recorded; R16; R17: not JSON is allow",
        ends: [Blocks, Tells, Blocks, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn, GoesOn],
    },
    Fault {
        name: "JSON short of a brace", script: "printf %s '{SHORT'",
        rules: "R32; 4.2; 4.2: parse failure, R56; A4; R16; R17",
        ends: [Blocks, Tells, Blocks, Blocks, Tells, GoesOn, GoesOn, GoesOn, GoesOn],
    },
    Fault {
        name: "no such command", script: "no-such-guard",
        rules: "4, row 2; 4.1; R32, R56; A4; R17; 4.1",
        ends: [Blocks, Blocks, Blocks, Blocks, Tells, Tells, Tells, Blocks, Blocks],
    },
    Fault {
        name: "not a script", script: "if true; then echo 'ALLOW'",
        rules: "4.4; R8, 4.1: status 2 of the shell; 4.2: the same; G10, G14: the same; R17; 4.1: the same",
        ends: [Blocks, Tells, Blocks, Blocks, Blocks, Blocks, Tells, Blocks, Blocks],
    },
];

fn script(fault: &Fault, policy: &Policy) -> String {
    let but = |bytes: usize| policy.deny.get(..policy.deny.len() - bytes).unwrap();
    let script = fault.script.replace("ALLOW", policy.allow).replace("DENY", policy.deny);
    // With a brace too many at the start, one is missing whatever the text ends in.
    script.replace("{SHORT", &format!("{{\"a\":{}", policy.deny)).replace("CUT", but(6).trim_end_matches('}'))
}

fn session(full: bool) -> Sandbox {
    let crash = |context: hookbox::command::Context| -> hookbox::command::BoxFuture<_> {
        assert!(!context.args.is_empty(), "a fault of the host");
        Box::pin(async { panic!("a later fault of the host") })
    };
    let mut limits = Limits::default_profile();
    limits.file_system_bytes = 1 << 20;
    let builder = Sandbox::builder().limits(limits).deterministic().command("crash", Arc::new(crash));
    let sandbox = builder.build().unwrap();
    let mut size = if full { 1 << 20 } else { 0 };
    for number in 0.. {
        // A file that does not fit is tried at half the size, down to the last byte.
        let path = format!("/tmp/{number}");
        while size > 0 && sandbox.fs().write(path.as_bytes(), &vec![0; size], 0o644).is_err() {
            size /= 2;
        }
        if size == 0 {
            break;
        }
    }
    sandbox
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn fire(fault: &Fault, policy: &Policy) -> Outcome {
    let settings = (policy.settings)().as_object().cloned().unwrap_or_default();
    let mut options = LoadOptions::default();
    (options.limits, options.settings) = (Some(Limits::everruns()), settings);
    let config = (policy.config)(&script(fault, policy)).to_string();
    let hooks = HookSet::load(policy.dialect, config.as_bytes(), &options).unwrap();
    let event = hooks.read_event(&(policy.payload)()).unwrap();
    let session = session(fault.name.starts_with("full"));
    runtime().block_on(hooks.fire(&session, &event))
}

fn end_of(outcome: &Outcome) -> End {
    if !outcome.decision.proceeds() {
        return Blocks;
    }
    let told = outcome.records.iter().any(|record| {
        record.run.as_ref().is_some_and(|run| {
            run.end != Ended::Exited || run.status != 0 || run.reading.verdict == Verdict::Error
        })
    });
    if told { Tells } else { GoesOn }
}

#[test]
fn every_fault_ends_as_the_contract_says() {
    std::panic::set_hook(Box::new(|info| {
        if !info.to_string().contains("fault of the host") {
            eprintln!("{info}");
        }
    }));
    let has_policy = |dialect: &&Dialect| POLICIES.iter().any(|policy| policy.dialect == **dialect);
    let missing: Vec<_> = Dialect::ALL.iter().filter(|dialect| !has_policy(dialect)).collect();
    assert!(missing.is_empty(), "no row of `POLICIES` in tests/faults.rs: {missing:?}");
    let mut wrong = Vec::new();
    for fault in FAULTS {
        for (policy, expected) in POLICIES.iter().zip(fault.ends) {
            let outcome = fire(fault, policy);
            let ran: Vec<_> = outcome.records.iter().map(|record| &record.selection).collect();
            assert_eq!(ran, [&Selection::Matched], "{}, {}", fault.name, policy.name);
            let end = end_of(&outcome);
            if end != expected {
                let explained: String = outcome.records.iter().map(HookRecord::explain).collect();
                wrong.push(format!(
                    "{}, {}: {end:?}, not {expected:?} ({})\n{explained}",
                    fault.name, policy.name, fault.rules
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_crashed_command_says_so_and_the_session_goes_on() {
    let sandbox = session(false);
    let made = runtime().block_on(sandbox.run("ls -ld . && touch made"));
    assert_eq!(
        made.status,
        0,
        "{}{}",
        String::from_utf8_lossy(&made.stdout),
        String::from_utf8_lossy(&made.stderr)
    );
    let output = runtime().block_on(sandbox.run("crash; echo $?; crash later 2>&1; echo $?"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "134\ncrash: crashed\n134\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "crash: crashed\n");
}
