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
