//! Moments: where the contract has several events for what other dialects see as one.

use super::event::EventName;
use crate::hook::event::{Event, Moment};

/// The contract's events of one neutral event, in the order in which a host fires them; none when the contract has no such
/// moment. An event that names its own by the fact `hook_event_name` stays alone.
///
/// What one of them rewrites (arguments, a result) belongs into the next, which is the host's to do: it fires them one by
/// one and stops at a block.
pub fn events_of(event: &Event) -> Vec<Event> {
    let Some(own) = EventName::of(event) else { return Vec::new() };
    let is_named = event.facts.contains_key("hook_event_name");
    let all = match &event.moment {
        _ if is_named => vec![own],
        Moment::ToolCallStarting(_) => {
            vec![EventName::ToolInputTransform, EventName::ToolGuard, EventName::PreToolUse]
        }
        Moment::ToolCallEnded { .. } => vec![EventName::ToolResponseTransform, EventName::PostToolUse],
        Moment::TurnEnded { success: true, .. } => vec![EventName::Stop, EventName::TurnEnd],
        Moment::CompactionStarting { .. } => vec![EventName::PreCompact, EventName::BeforeCompaction],
        Moment::Notified { level, .. } if level == "error" => {
            vec![EventName::Notification, EventName::OnError]
        }
        _ => vec![own],
    };
    let named = |name: EventName| {
        let mut event = event.clone();
        if name != own {
            event.facts.insert("hook_event_name".to_owned(), name.name().into());
        }
        event
    };
    all.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_moment_may_be_several_events() {
        let call = json!({"moment": "tool_call_starting", "tool_name": "t", "tool_call_id": "c"});
        let ended = json!({"moment": "tool_call_ended", "tool_name": "t", "tool_call_id": "c"});
        for (event, expected) in [
            (call, &["tool_input_transform", "tool_guard", "pre_tool_use"][..]),
            (ended, &["tool_response_transform", "post_tool_use"]),
            (json!({"moment": "turn_ended", "success": true, "last_message": "bye"}), &["stop", "turn_end"]),
            (json!({"moment": "turn_ended", "success": false}), &["turn_end"]),
            (json!({"moment": "compaction_starting"}), &["pre_compact", "before_compaction"]),
            (json!({"moment": "notified", "level": "error", "message": ""}), &["notification", "on_error"]),
            (json!({"moment": "turn_started"}), &["turn_start"]),
            (json!({"moment": "queue_drain_starting"}), &[]),
        ] {
            let events = events_of(&serde_json::from_value(event).unwrap());
            let names: Vec<_> = events.iter().filter_map(EventName::of).map(EventName::name).collect();
            assert_eq!(names, expected);
        }
    }
}
