//! The events: their names, which of ours each is, and which can be blocked.

use crate::hook::event::{Channel, Moment};
use crate::hook::event_table::{EventRow, Failure, event_table};

event_table! {
    /// The seven events. `stop` is the end of the session, not that of a turn.
    enum EventName: EventRow {
        SessionStart EventRow::new("session_start", "session_started");
        UserPromptSubmit EventRow::new("user_prompt_submit", "prompt_submitted").blocks(Failure::Closed);
        PreToolUse EventRow::new("pre_tool_use", "tool_call_starting").tool().blocks(Failure::Closed);
        PostToolUse EventRow::new("post_tool_use", "tool_call_ended").tool();
        Stop EventRow::new("stop", "session_ended");
        SubagentStart EventRow::new("subagent_start", "subagent_started").blocks(Failure::Closed);
        SubagentStop EventRow::new("subagent_stop", "subagent_ended");
    }
}

impl EventName {
    /// Whether it begins a user's turn.
    pub(super) const fn starts_turn(moment: &Moment) -> bool {
        matches!(
            moment,
            Moment::SessionStarted { .. }
                | Moment::PromptSubmitted { channel: Channel::Prompt | Channel::FollowUp, .. }
        )
    }
}
