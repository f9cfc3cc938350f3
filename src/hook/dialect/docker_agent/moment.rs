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
    use crate::hook::event::{EventContext, ToolCall};

    #[test]
    fn one_moment_may_be_several_events() {
        let names = |moment: Moment| {
            let events = events_of(&Event::new(EventContext::default(), moment));
            events.iter().filter_map(EventName::of).map(EventName::name).collect::<Vec<_>>()
        };
        let call = || ToolCall { name: "t".into(), id: "c".into(), arguments: serde_json::json!({}).into() };
        let turn = |success| Moment::TurnEnded {
            success,
            tool_calls: Vec::new(),
            reason: None,
            last_message: Some("bye".to_owned()),
        };
        assert_eq!(
            names(Moment::ToolCallStarting(call())),
            ["tool_input_transform", "tool_guard", "pre_tool_use"]
        );
        let ended = Moment::ToolCallEnded { call: call(), result: None, error: None };
        assert_eq!(names(ended), ["tool_response_transform", "post_tool_use"]);
        assert_eq!(names(turn(true)), ["stop", "turn_end"]);
        assert_eq!(names(turn(false)), ["turn_end"]);
        assert_eq!(
            names(Moment::CompactionStarting { trigger: String::new() }),
            ["pre_compact", "before_compaction"]
        );
        let alert = Moment::Notified { level: "error".to_owned(), message: String::new() };
        assert_eq!(names(alert), ["notification", "on_error"]);
        assert_eq!(names(Moment::TurnStarted), ["turn_start"]);
        assert!(names(Moment::QueueDrainStarting).is_empty());
    }
}
