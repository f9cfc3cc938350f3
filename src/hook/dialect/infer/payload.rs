//! The payload: three keys in alphabetical order (2 of the contract), and the way back to an event.

use super::event::Point;
use crate::hook::error::EventError;
use crate::hook::event::{Event, EventContext};
use crate::hook::event_field::MemberReader;
use crate::hook::json::ObjectWriter;
use crate::hook::payload;
use crate::text::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The payload of an event.
pub(super) fn text(event: &Event, point: Point) -> Text {
    let mut out = Vec::with_capacity(80);
    let mut object = ObjectWriter::new(&mut out);
    object.put("hook", point.name());
    object.put("session_id", &event.context.session_id);
    object.put("turn", &turn(event));
    object.end();
    Text::from(out)
}

/// Turn of the current run; 0 when it is not known.
pub(super) fn turn(event: &Event) -> u64 {
    event.context.turn_id.as_deref().and_then(|turn| turn.parse().ok()).unwrap_or(0)
}

/// The event that a payload describes; other keys are ignored, but `mode` is taken for the permission mode.
pub(super) fn read_event(payload: &Value) -> Result<Event, EventError> {
    let object = payload::members(payload)?;
    let name = payload::text(object, "hook")?.ok_or(EventError::Missing("hook"))?;
    let point = Point::read(name)?;
    let turn = match object.get("turn") {
        None | Some(Value::Null) => None,
        Some(turn) => {
            let turn = turn.as_u64().ok_or(EventError::Type { field: "turn", expected: "a whole number" })?;
            Some(turn.to_string())
        }
    };
    let context = EventContext {
        session_id: payload::text(object, "session_id")?.unwrap_or_default(),
        turn_id: turn,
        permission_mode: payload::text(object, "mode")?,
        ..EventContext::default()
    };
    let moment = MemberReader::new(&mut Map::new(), &[]).moment(point.row())?;
    Ok(Event { context: Arc::new(context), at_ms: None, moment, facts: Map::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contract's examples (2).
    const EXAMPLES: [&str; 8] = [
        r#"{"hook":"pre_session","session_id":"sess-1","turn":1}"#,
        r#"{"hook":"pre_stream","session_id":"sess-1","turn":1}"#,
        r#"{"hook":"post_stream","session_id":"sess-1","turn":1}"#,
        r#"{"hook":"pre_tool","session_id":"sess-1","turn":1}"#,
        r#"{"hook":"post_tool","session_id":"sess-1","turn":1}"#,
        r#"{"hook":"pre_queue_drain","session_id":"sess-1","turn":2}"#,
        r#"{"hook":"post_queue_drain","session_id":"sess-1","turn":2}"#,
        r#"{"hook":"post_session","session_id":"sess-1","turn":2}"#,
    ];

    #[test]
    fn the_examples_come_back_byte_for_byte() {
        for (example, point) in EXAMPLES.iter().zip(Point::ALL.iter().copied()) {
            let event = read_event(&serde_json::from_str(example).unwrap()).unwrap();
            assert_eq!(Point::of(&event.moment), Some(point));
            assert_eq!(text(&event, point).as_ref(), example.as_bytes());
        }
    }

    #[test]
    fn what_is_no_payload_is_told() {
        for (payload, wanted) in [
            ("1", "event: `payload` must be an object"),
            ("{}", "event: `hook` is missing"),
            (r#"{"hook":"pre_tool","turn":-1}"#, "event: `turn` must be a whole number"),
            (r#"{"hook":"pre_tool","session_id":1}"#, "event: `session_id` must be a string"),
        ] {
            assert_eq!(read_event(&serde_json::from_str(payload).unwrap()).unwrap_err().to_string(), wanted);
        }
        assert!(read_event(&serde_json::json!({"hook": "on_stop"})).is_err());
    }
}
