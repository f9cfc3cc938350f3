//! What a chain came to, in the contract's shape.

use crate::hook::json::Json;
use serde::Serialize;
use std::collections::BTreeMap;

/// A permission verdict; the later is the stronger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// The call may run.
    Allow,
    /// The user must be asked.
    Ask,
    /// The call must not run.
    Deny,
}

/// What a firing came to, in the contract's shape. Empty fields are left out when it is shown as JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DockerAgentResult {
    /// Whether it may go on.
    pub allowed: bool,
    /// `permission_request`: some hook allowed, none denied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub permission_allowed: bool,
    /// The strongest verdict. A block, a failure that denies and exit status 2 count as deny on events that have verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Permission>,
    /// Of the first hook with that verdict.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub decision_reason: String,
    /// The texts of all blocks, a line each.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What the call's arguments become; nothing after a denial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_input: Option<Json>,
    /// For the model; on `worktree_create` for the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub additional_context: String,
    /// Instructions for the model, a list of objects with `key`, `content` and what else hooks said of each: a host that
    /// remembers tells the model what changed. [`Decision::contexts`](crate::hook::Decision::contexts) has their texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_context: Option<Json>,
    /// For the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub system_message: String,
    /// Takes the place of the summary of a compaction.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Take the place of the messages of a model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_messages: Option<Json>,
    /// Takes the place of the tool's response: a text, empty clears it; what a built-in rewrote keeps its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_response: Option<Json>,
    /// For the prompt that asks the user.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// The agent to which the conversation goes; nothing after a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// -1 after a failure that denied, else 2 if a hook ended with it, else 0.
    pub exit_code: i32,
    /// Of the first hook that ended with status 2 or failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// `additional_context` is for this turn only and must not be stored (R36).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub transient: bool,
    /// Stage 0 asked: the user must confirm, `permission_request` is not fired (R30).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prompt_forced: bool,
}
