//! Transcripts of Claude Code: a file of lines, each a JSON object with a message of the user or of the model. What happened
//! in such a session is told as the events that its hooks got: prompts, calls of tools, their results, the end of a turn.
//!
//! For a config of Claude Code they are payloads of its own, else neutral events.

use crate::hook::Dialect;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

/// Whether a document is a line of a transcript.
pub(super) fn is_line(document: &Value) -> bool {
    matches!(document["type"].as_str(), Some("user" | "assistant")) && document["message"].is_object()
}

/// A call that has no result yet.
struct Call<'t> {
    tool: &'t str,
    input: &'t Value,
}

/// What a transcript tells of a session.
pub(super) struct Session {
    /// In order.
    pub(super) events: Vec<Value>,
    /// Calls of its sub-agents, which have no events here.
    aside: usize,
}

impl Session {
    /// What is left out of it.
    pub(super) fn told(&self) -> Option<String> {
        let calls = if self.aside == 1 { "1 call".to_owned() } else { format!("{} calls", self.aside) };
        (self.aside > 0)
            .then(|| format!("{calls} of sub-agents left out: they belong to sessions of their own"))
    }
}

fn calls_in(line: &Value) -> usize {
    let parts = line["message"]["content"].as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().filter(|part| part["type"] == "tool_use").count()
}

/// The events of a session, in order.
pub(super) fn events(lines: &[Value], dialect: Dialect) -> Session {
    let mut events = Vec::new();
    let mut aside = 0_usize;
    let mut calls: FxHashMap<&str, Call<'_>> = FxHashMap::default();
    for line in lines.iter().filter(|line| is_line(line)) {
        // What the platform put in itself, and what its sub-agents did among themselves.
        if line["isMeta"] == true || line["isSidechain"] == true {
            aside = aside.saturating_add(calls_in(line));
            continue;
        }
        let writer = Writer { line, is_own: dialect == Dialect::ClaudeCode };
        let content = &line["message"]["content"];
        let text = [json!({"type": "text", "text": content})];
        let parts = content.as_array().map_or(&text[..], Vec::as_slice);
        let is_user = line["type"] == "user";
        for part in parts {
            match part["type"].as_str() {
                Some("text") if is_user => {
                    let prompt = part["text"].as_str().unwrap_or("");
                    // Commands of the platform stand in tags of their own.
                    if !prompt.is_empty()
                        && !prompt.starts_with('<')
                        && !prompt.starts_with("[Request interrupted")
                    {
                        events.push(writer.prompt(prompt));
                    }
                }
                _ => {}
            }
        }
        // The parts of a line live as long as the line, those of a plain text do not.
        for part in content.as_array().map_or(&[][..], Vec::as_slice) {
            match part["type"].as_str() {
                Some("tool_use") if !is_user => {
                    let (id, tool) = (part["id"].as_str().unwrap_or(""), part["name"].as_str().unwrap_or(""));
                    let call = Call { tool, input: &part["input"] };
                    events.push(writer.starts(id, &call));
                    calls.insert(id, call);
                }
                Some("tool_result") if is_user => {
                    let id = part["tool_use_id"].as_str().unwrap_or("");
                    if let Some(call) = calls.remove(id) {
                        events.push(writer.ended(id, &call, part));
                    }
                }
                _ => {}
            }
        }
        if !is_user && line["message"]["stop_reason"] == "end_turn" {
            events.push(writer.turn_ended());
        }
    }
    Session { events, aside }
}

/// Writes events of one line.
struct Writer<'t> {
    line: &'t Value,
    /// In the words of Claude Code.
    is_own: bool,
}

impl Writer<'_> {
    fn event(&self, own: &str, neutral: &str, members: Value) -> Value {
        let mut event = Map::new();
        let name = if self.is_own { ("hook_event_name", own) } else { ("moment", neutral) };
        event.insert(name.0.to_owned(), name.1.into());
        let session = self.line["sessionId"].as_str().unwrap_or("recorded");
        event.insert("session_id".to_owned(), session.into());
        if let Some(cwd) = self.line["cwd"].as_str() {
            event.insert("cwd".to_owned(), cwd.into());
        }
        if let Value::Object(members) = members {
            event.extend(members);
        }
        Value::Object(event)
    }

    fn prompt(&self, text: &str) -> Value {
        let members = if self.is_own { json!({"prompt": text}) } else { json!({"message": text}) };
        self.event("UserPromptSubmit", "prompt_submitted", members)
    }

    fn call(&self, id: &str, call: &Call<'_>) -> Value {
        if self.is_own {
            json!({"tool_name": call.tool, "tool_input": call.input, "tool_use_id": id})
        } else {
            json!({"tool_name": call.tool, "arguments": call.input, "tool_call_id": id})
        }
    }

    fn starts(&self, id: &str, call: &Call<'_>) -> Value {
        self.event("PreToolUse", "tool_call_starting", self.call(id, call))
    }

    fn ended(&self, id: &str, call: &Call<'_>, part: &Value) -> Value {
        let mut members = self.call(id, call);
        let content = &part["content"];
        let has_failed = part["is_error"] == true;
        let result = Some(&self.line["toolUseResult"]).filter(|result| !result.is_null()).unwrap_or(content);
        let error = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        match (self.is_own, has_failed) {
            (true, false) => members["tool_response"] = result.clone(),
            (false, false) => members["result"] = result.clone(),
            (_, true) => members["error"] = error.into(),
        }
        let own = if has_failed { "PostToolUseFailure" } else { "PostToolUse" };
        self.event(own, "tool_call_ended", members)
    }

    fn turn_ended(&self) -> Value {
        let members = if self.is_own { json!({"stop_hook_active": false}) } else { json!({"success": true}) };
        self.event("Stop", "turn_ended", members)
    }
}
