//! The events: their names, and which of ours each is (G4).

use crate::hook::event_table::{EventRow, Failure, Part, event_table};

event_table! {
    /// The eight events (G4).
    enum EventName: EventRow {
        UserPromptSubmit EventRow::new("UserPromptSubmit", "prompt_submitted").blocks(Failure::Open);
        SessionStart EventRow::new("SessionStart", "session_started");
        SessionEnd EventRow::new("SessionEnd", "session_ended");
        PreToolUse EventRow::new("PreToolUse", "tool_call_starting").tool().blocks(Failure::Open);
        PostToolUse EventRow::new("PostToolUse", "tool_call_ended").tool().part(Part::Success);
        PostToolUseFailure EventRow::new("PostToolUseFailure", "tool_call_ended").tool().part(Part::Failure);
        Stop EventRow::new("Stop", "turn_ended").blocks(Failure::Open);
        PreCompact EventRow::new("PreCompact", "compaction_starting");
    }
}
