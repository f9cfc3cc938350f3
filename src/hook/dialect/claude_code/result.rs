//! What a firing comes to, in the contract's shape (5.2). Members that nobody set are left out when it is shown.

use crate::hook::decision::Verdict;
use crate::hook::id::HookId;
use crate::hook::json::Json;
use serde::Serialize;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClaudeCodeResult {
    /// Everything stops; why. Beats all other members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Of `PreToolUse` and `PreModelSwitch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<PermissionAnswer>,
    /// The messages of all blocks, one below the other. What a block does depends on the event (4.3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Takes the place of the call's whole input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// Takes the place of the call's result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_output: Option<Json>,
    /// For the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<String>,
    /// For the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_messages: Vec<String>,
    /// For the terminal, in order; each passed the filter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terminal: Vec<String>,
    /// What belongs to one event.
    #[serde(skip_serializing_if = "is_default")]
    pub specific: SpecificOutput,
    /// Hooks that failed without stopping anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<NonBlockingError>,
    /// What goes before later shell commands (R22): for the session after `SessionStart` and `Setup`, until the next
    /// `CwdChanged` after `CwdChanged` and `FileChanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_text: Option<String>,
}

/// What hooks say about a permission, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Without asking the user; the host's own deny and ask rules still hold (R41).
    Allow,
    /// The user is asked.
    Ask,
    /// Put off.
    Defer,
    /// No.
    Deny,
}

impl Permission {
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "defer" => Some(Self::Defer),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }

    /// In the engine's words.
    pub(super) const fn verdict(self) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Defer => Verdict::Defer,
            Self::Deny => Verdict::Block,
        }
    }
}

/// The strongest permission and the reason of the first hook that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PermissionAnswer {
    /// Which.
    pub decision: Permission,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A hook that failed (R34).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NonBlockingError {
    /// Which hook.
    pub hook: HookId,
    /// `PostToolUse:Write hook error`
    pub title: String,
    /// What happened.
    pub message: String,
}

/// Members of [`ClaudeCodeResult`] that belong to one event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpecificOutput {
    /// `Stop`, `SubagentStop`, `TeammateIdle`: the agent goes on, with `block` as its instruction or the contexts as feedback.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keeps_going: bool,
    /// `PermissionRequest`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_request: Option<PermissionRequestAnswer>,
    /// `PermissionDenied`: the model may try again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
    /// `UserPromptSubmit`: the block message does not repeat the prompt.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suppress_original_prompt: bool,
    /// `SessionStart`: skills are read again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reload_skills: bool,
    /// `SessionStart`, `UserPromptSubmit`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// `SessionStart`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_user_message: Option<String>,
    /// `SessionStart`, `CwdChanged`, `FileChanged`: takes the place of the dynamic watch list; empty clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_paths: Option<Vec<String>>,
    /// `MessageDisplay`: what is shown; what is stored stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_content: Option<String>,
    /// `Elicitation`, `ElicitationResult`: `accept`, `decline` or `cancel`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// With it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Json>,
    /// `PostToolUse`: for the classifier of automatic mode, 2,000 characters over all hooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classifier_context: Vec<String>,
    /// `WorktreeCreate`: where it is, absolute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<String>,
}

/// The answer in place of the user's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PermissionRequestAnswer {
    /// [`Permission::Allow`] or [`Permission::Deny`].
    pub behavior: Permission,
    /// Takes the place of the call's whole input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<Json>,
    /// Changes of permission rules for the host to make (R44).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub updated_permissions: Vec<Json>,
    /// With a deny, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// With a deny: the turn ends too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
}

impl PermissionRequestAnswer {
    /// A deny with its reason.
    pub(super) const fn denial(message: String) -> Self {
        Self {
            behavior: Permission::Deny,
            updated_input: None,
            updated_permissions: Vec::new(),
            message: Some(message),
            interrupt: false,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
