//! The events: their names, and which of ours each is (G4).

use crate::hook::event_table::{EventRow, Failure, Mark, Part, event_table};
use crate::hook::unread::{Members, Shape};

/// The part of an output under `hookSpecificOutput`.
const SPECIFIC: Shape = Shape::Object(&[
    ("hookEventName", Shape::Any),
    ("permissionDecision", Shape::Word(&["deny", "ask", "allow"])),
    ("permissionDecisionReason", Shape::Text),
    ("reason", Shape::Text),
    ("additionalContext", Shape::Any),
]);

const PROMPT_OUTPUT: Members = &[
    ("blockingError", Shape::Any),
    ("preventContinuation", Shape::Bool),
    ("stopReason", Shape::Text),
    ("additionalContext", Shape::Any),
    ("decision", Shape::Word(&["block", "approve"])),
    ("reason", Shape::Text),
    ("continue", Shape::Bool),
    ("hookSpecificOutput", SPECIFIC),
];

const CALL_OUTPUT: Members = &[
    ("blockingError", Shape::Any),
    ("additionalContext", Shape::Any),
    ("decision", Shape::Word(&["block", "approve"])),
    ("reason", Shape::Text),
    ("hookSpecificOutput", SPECIFIC),
];

const STOP_OUTPUT: Members = &[
    ("decision", Shape::Word(&["block", "approve"])),
    ("reason", Shape::Text),
    ("continue", Shape::Bool),
    ("stopReason", Shape::Text),
    ("suppressOutput", Shape::Bool),
    ("systemMessage", Shape::Text),
    ("hookSpecificOutput", SPECIFIC),
    ("additionalContext", Shape::Any),
    ("blockingError", Shape::Text),
    ("preventContinuation", Shape::Bool),
    ("force_continue", Shape::Bool),
    ("follow_up_message", Shape::Text),
];

event_table! {
    /// The eight events (G4).
    enum EventName: EventRow {
        UserPromptSubmit EventRow::new("UserPromptSubmit", "prompt_submitted").output(PROMPT_OUTPUT)
            .marks([Mark::Context, Mark::PlainText]).blocks(Failure::Open)
            .payload(&["userMessage", "sessionId", "cwd"]);
        SessionStart EventRow::new("SessionStart", "session_started").payload(&["sessionId", "cwd"]);
        SessionEnd EventRow::new("SessionEnd", "session_ended").payload(&["sessionId", "cwd"]);
        PreToolUse EventRow::new("PreToolUse", "tool_call_starting").output(CALL_OUTPUT).marks([Mark::Ask]).tool().blocks(Failure::Open)
            .payload(&["toolName", "toolInput", "sessionId"]);
        PostToolUse EventRow::new("PostToolUse", "tool_call_ended").tool().part(Part::Success)
            .payload(&["toolName", "toolInput", "toolOutput", "error", "sessionId"]);
        PostToolUseFailure EventRow::new("PostToolUseFailure", "tool_call_ended").tool().part(Part::Failure)
            .payload(&["toolName", "toolInput", "toolOutput", "error", "sessionId"]);
        Stop EventRow::new("Stop", "turn_ended").output(STOP_OUTPUT).marks([Mark::Context, Mark::PlainText]).blocks(Failure::Open)
            .payload(&["stop_hook_active", "last_assistant_message", "turn_end_reason"]);
        PreCompact EventRow::new("PreCompact", "compaction_starting").matched("trigger").values(&["manual", "auto"])
            .payload(&["trigger", "custom_instructions", "compaction_type", "reason"]);
    }
}
