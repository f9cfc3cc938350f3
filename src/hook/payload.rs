//! Members of a payload that is read back as an event. What the neutral form has a place for is taken out; what is left are the
//! event's facts. `null` counts as absent.

use super::error::EventError;
use serde_json::{Map, Value};

/// The payload's members.
///
/// # Errors
/// It is not an object.
pub(crate) fn members(payload: &Value) -> Result<&Map<String, Value>, EventError> {
    payload.as_object().ok_or(EventError::Type { field: "payload", expected: "an object" })
}

/// The members of an object below the payload; none where it is absent.
///
/// # Errors
/// It is not an object.
pub(crate) fn below(
    members: &Map<String, Value>,
    field: &'static str,
) -> Result<Map<String, Value>, EventError> {
    match members.get(field) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(below)) => Ok(below.clone()),
        Some(_) => Err(EventError::Type { field, expected: "an object" }),
    }
}

/// A text, which stays.
///
/// # Errors
/// It is not a string.
pub(crate) fn text(members: &Map<String, Value>, field: &'static str) -> Result<Option<String>, EventError> {
    match members.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(EventError::Type { field, expected: "a string" }),
    }
}

/// Takes a text.
///
/// # Errors
/// It is not a string.
pub(crate) fn take(
    members: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, EventError> {
    match members.shift_remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(EventError::Type { field, expected: "a string" }),
    }
}
