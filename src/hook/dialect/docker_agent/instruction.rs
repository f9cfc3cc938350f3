//! Instructions for the model (4.7 of the contract): text under a key, by which the platform tells what changed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One instruction: what the platform holds against the one of the same key that the model saw before.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "the platform's members")]
pub(super) struct Instruction {
    key: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    content: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    changed_content: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    removed_content: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unavailable: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    complete_group: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    set_marker: bool,
}

impl Instruction {
    /// A list of them; null is absent (R14).
    pub(super) fn read(mut list: Value) -> Result<Vec<Self>, serde_json::Error> {
        for item in list.as_array_mut().into_iter().flatten() {
            if let Some(members) = item.as_object_mut() {
                members.retain(|_, value| !value.is_null());
            }
        }
        serde_json::from_value(list)
    }

    /// What the model gets to read where nobody remembers the one before it.
    pub(super) fn text(&self) -> Option<&str> {
        let is_shown = !self.unavailable && !self.removed && !self.set_marker;
        Some(&*self.content).filter(|content| is_shown && !content.trim().is_empty())
    }
}
