//! The events: their names, and which of ours each is.

use crate::hook::event_table::{EventRow, Failure, event_table};

event_table! {
    /// The six events. Every channel of a user's message is a prompt here: the contract fires for messages that come in later, too.
    enum EventName: EventRow {
        SessionStart EventRow::new("session_start", "session_started");
        UserPromptSubmit EventRow::new("user_prompt_submit", "prompt_submitted").blocks(Failure::Choice);
        PreToolUse EventRow::new("pre_tool_use", "tool_call_starting").tool().blocks(Failure::Choice);
        PostToolUse EventRow::new("post_tool_use", "tool_call_ended").tool();
        TurnEnd EventRow::new("turn_end", "turn_ended");
        SessionEnd EventRow::new("session_end", "session_ended");
    }
}
