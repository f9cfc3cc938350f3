//! The events: their names, and which of ours each is.

use crate::hook::event_table::{EventRow, Failure, Mark, event_table};
use crate::hook::unread::{Members, Shape};

/// What is read of an output.
const OUTPUT: Members =
    &[("decision", Shape::Any), ("reason", Shape::Any), ("user_message", Shape::Any), ("patch", Shape::Any)];

const CALL: [&str; 3] = ["tool_name", "tool_call_id", "arguments"];

event_table! {
    /// The six events. Every channel of a user's message is a prompt here: the contract fires for messages that come in later, too.
    enum EventName: EventRow {
        SessionStart EventRow::new("session_start", "session_started").output(OUTPUT).payload(&["agent_id"]);
        UserPromptSubmit EventRow::new("user_prompt_submit", "prompt_submitted").output(OUTPUT).marks([Mark::Message]).blocks(Failure::Choice)
            .payload(&["message", "attachments"]);
        PreToolUse EventRow::new("pre_tool_use", "tool_call_starting").output(OUTPUT).marks([Mark::Arguments]).tool().blocks(Failure::Choice).payload(&CALL);
        PostToolUse EventRow::new("post_tool_use", "tool_call_ended").output(OUTPUT).marks([Mark::Result, Mark::Context]).tool()
            .payload(&["tool_name", "tool_call_id", "arguments", "result", "error", "success"]);
        TurnEnd EventRow::new("turn_end", "turn_ended").output(OUTPUT).payload(&["success", "tool_calls"]);
        SessionEnd EventRow::new("session_end", "session_ended").output(OUTPUT).payload(&["reason"]);
    }
}
