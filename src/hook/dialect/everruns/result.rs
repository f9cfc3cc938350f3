//! What a chain came to, in the contract's shapes.

use crate::hook::id::HookId;
use crate::hook::json::Json;
use serde::Serialize;

/// What a chain came to, in the contract's shapes (5.1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EverrunsResult {
    /// `pre_tool_use`
    Tool(ToolGate),
    /// `user_prompt_submit`
    Prompt(PromptGate),
    /// `post_tool_use`
    Post(PostTool),
    /// The other events: nothing can change.
    Lifecycle,
}

/// Whether a tool call may run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolGate {
    /// With these arguments.
    Proceed {
        /// After all rewrites.
        arguments: Json,
        /// Who rewrote them, in order.
        mutated_by: Vec<HookId>,
    },
    /// It may not; the model gets `blocked by pre_tool_use hook: {reason}`.
    Blocked {
        /// By which hook.
        hook: HookId,
        /// For the model.
        reason: String,
        /// For the user.
        user_message: Option<String>,
        /// After the rewrites made before the block (R41).
        arguments: Json,
    },
}

/// Whether a message may reach the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptGate {
    /// As this text.
    Proceed {
        /// After all rewrites.
        message: String,
        /// Whether there was one.
        mutated: bool,
    },
    /// It may not.
    Blocked {
        /// By which hook.
        hook: HookId,
        /// For the audit, and for the user when there is no message.
        reason: String,
        /// For the user.
        user_message: Option<String>,
    },
}

/// A result after all patches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PostTool {
    /// `null` also when there is none.
    pub result: Json,
    /// `None` is success.
    pub error: Option<String>,
}
