//! The contract's payloads byte for byte, and back.

use super::event::EventName;
use super::payload::{Payload, read_event};
use crate::hook::event::{Channel, Event, EventContext, Moment, ToolCall};
use crate::hook::json::Json;
use crate::hook::scripted::Scripted;
use serde_json::{Value, json};
use std::sync::Arc;

const PAYLOADS: [&str; 7] = [
    r#"{"eventId":"e1","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"","toolInput":null,"rawInput":"hi","depth":0,"hookEvent":"session_start","EventID":"e1","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"","ToolInput":null,"RawInput":"hi","Depth":0,"HookEvent":"session_start"}"#,
    r#"{"eventId":"e2","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"","toolInput":null,"rawInput":"delete everything","depth":0,"hookEvent":"user_prompt_submit","EventID":"e2","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"","ToolInput":null,"RawInput":"delete everything","Depth":0,"HookEvent":"user_prompt_submit"}"#,
    r#"{"eventId":"e3","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"exec","toolInput":{"cmd":"rm -rf /"},"rawInput":"","depth":0,"hookEvent":"pre_tool_use","EventID":"e3","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"exec","ToolInput":{"cmd":"rm -rf /"},"RawInput":"","Depth":0,"HookEvent":"pre_tool_use"}"#,
    r#"{"eventId":"e4","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"write_file","toolInput":{"path":"a.go"},"rawInput":"","depth":0,"hookEvent":"post_tool_use","EventID":"e4","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"write_file","ToolInput":{"path":"a.go"},"RawInput":"","Depth":0,"HookEvent":"post_tool_use","toolOutput":"ok","toolError":null}"#,
    r#"{"eventId":"e5","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"","toolInput":null,"rawInput":"","depth":0,"hookEvent":"stop","EventID":"e5","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"","ToolInput":null,"RawInput":"","Depth":0,"HookEvent":"stop"}"#,
    r#"{"eventId":"e6","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"","toolInput":null,"rawInput":"","depth":1,"hookEvent":"subagent_start","EventID":"e6","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"","ToolInput":null,"RawInput":"","Depth":1,"HookEvent":"subagent_start"}"#,
    r#"{"eventId":"deleg-7","sessionId":"s1","tenantId":"t1","agentId":"a1","toolName":"","toolInput":null,"rawInput":"","depth":1,"hookEvent":"subagent_stop","EventID":"deleg-7","SessionID":"s1","TenantID":"t1","AgentID":"a1","ToolName":"","ToolInput":null,"RawInput":"","Depth":1,"HookEvent":"subagent_stop"}"#,
];

fn encoded(event: &Event) -> String {
    let name = EventName::at(&event.moment).unwrap();
    String::from_utf8(Payload::new(event, name, &Scripted::default()).encode()).unwrap()
}

fn event(id: &str, depth: u32, moment: Moment) -> Event {
    let context = EventContext {
        session_id: "s1".to_owned(),
        org_id: Some("t1".to_owned()),
        agent_id: Some("a1".to_owned()),
        depth,
        ..EventContext::default()
    };
    let mut event = Event::new(context, moment);
    event.facts.insert("eventId".to_owned(), id.into());
    event
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { name: Arc::from(name), id: Arc::from("c"), arguments: Json::from(arguments) }
}

#[test]
fn payloads_are_those_of_the_contract() {
    let mut start = event("e1", 0, Moment::SessionStarted { source: None });
    start.facts.insert("rawInput".to_owned(), "hi".into());
    let events = [
        start,
        event(
            "e2",
            0,
            Moment::PromptSubmitted {
                message: Arc::from("delete everything"),
                attachments: Json::default(),
                channel: Channel::default(),
            },
        ),
        event("e3", 0, Moment::ToolCallStarting(call("exec", json!({"cmd": "rm -rf /"})))),
        event(
            "e4",
            0,
            Moment::ToolCallEnded {
                call: call("write_file", json!({"path": "a.go"})),
                result: Some(Json::from(json!("ok"))),
                error: None,
            },
        ),
        event("e5", 0, Moment::SessionEnded { reason: "done".to_owned() }),
        event("e6", 1, Moment::SubagentStarted),
        event("deleg-7", 1, Moment::SubagentEnded { last_message: None }),
    ];
    for (event, payload) in events.iter().zip(PAYLOADS) {
        assert_eq!(encoded(event), payload);
    }
}

#[test]
fn payloads_round_trip() {
    for payload in PAYLOADS {
        let value: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(encoded(&read_event(&value).unwrap()), payload);
        // Either half is enough.
        let object = value.as_object().unwrap();
        for upper in [false, true] {
            let half = object.iter().filter(|(name, _)| {
                name.starts_with(|first: char| first.is_uppercase()) == upper || name.starts_with("toolO")
            });
            let half: Value =
                Value::Object(half.map(|(name, value)| (name.clone(), value.clone())).collect());
            assert_eq!(encoded(&read_event(&half).unwrap()), payload);
        }
    }
}

#[test]
fn what_is_no_payload() {
    for (payload, message) in [
        (json!([]), "event: `payload` must be an object"),
        (json!({}), "event: `hookEvent` is missing"),
        (json!({"hookEvent": 1}), "event: `hookEvent` must be a string"),
        (json!({"hookEvent": "stop", "depth": -1}), "event: `depth` must be a small integer"),
        (
            json!({"hookEvent": "pre_tool_use", "toolInput": 1}),
            "event: `toolInput` must be an object or null",
        ),
    ] {
        assert_eq!(read_event(&payload).unwrap_err().to_string(), message);
    }
    let unknown = read_event(&json!({"hookEvent": "PreToolUse"})).unwrap_err().to_string();
    assert!(unknown.starts_with("event: unknown event `PreToolUse` (known: session_start, "), "{unknown}");
}

#[test]
fn a_payload_without_an_id_gets_a_random_one() {
    let event = read_event(&json!({"hookEvent": "stop"})).unwrap();
    let id = encoded(&event).get(12..48).unwrap().to_owned();
    assert_eq!(id, "01234567-89ab-4def-8123-456789abcdef");
}

#[test]
fn other_facts_follow_and_characters_stay() {
    let mut event = event("e", 0, Moment::ToolCallStarting(call("exec", json!({"cmd": "a && b <c>"}))));
    event.facts.insert("branch".to_owned(), "main".into());
    event.facts.insert("ToolName".to_owned(), "forged".into());
    let payload = encoded(&event);
    assert!(payload.contains(r#""toolInput":{"cmd":"a && b <c>"}"#), "{payload}");
    assert!(payload.ends_with(r#""HookEvent":"pre_tool_use","branch":"main"}"#), "{payload}");
}
