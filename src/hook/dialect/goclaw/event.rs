//! The events: their names, which of ours each is, and which can be blocked.

use crate::hook::event::{Channel, Moment};
use crate::hook::event_table::{EventRow, Failure, Mark, event_table};
use crate::hook::unread::{Members, Shape};

/// What is read of a command's output.
const OUTPUT: Members = &[
    ("continue", Shape::Bool),
    ("decision", Shape::Word(&["block", "allow"])),
    ("reason", Shape::Text),
    ("additionalContext", Shape::Text),
    ("updatedInput", Shape::Any),
];

event_table! {
    /// The seven events. `stop` is the end of the session, not that of a turn.
    enum EventName: EventRow {
        SessionStart EventRow::new("session_start", "session_started").output_in_any_case(OUTPUT).marks([Mark::Context]);
        UserPromptSubmit EventRow::new("user_prompt_submit", "prompt_submitted").output_in_any_case(OUTPUT).marks([Mark::Context]).blocks(Failure::Closed);
        PreToolUse EventRow::new("pre_tool_use", "tool_call_starting").output_in_any_case(OUTPUT).marks([Mark::Context]).tool().blocks(Failure::Closed);
        PostToolUse EventRow::new("post_tool_use", "tool_call_ended").output_in_any_case(OUTPUT).marks([Mark::Context]).tool();
        Stop EventRow::new("stop", "session_ended").output_in_any_case(OUTPUT).marks([Mark::Context]);
        SubagentStart EventRow::new("subagent_start", "subagent_started").output_in_any_case(OUTPUT).marks([Mark::Context]).blocks(Failure::Closed);
        SubagentStop EventRow::new("subagent_stop", "subagent_ended").output_in_any_case(OUTPUT).marks([Mark::Context]);
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
