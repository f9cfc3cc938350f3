//! What a chain came to, in the shapes of A5, with what the chat loop does about it (A8, A9) beside the contract's fields.

use super::log::Printed;
use crate::hook::json::Json;
use crate::hook::outcome_list::OutcomeList;
use serde::Serialize;
use std::sync::Arc;

/// Whether a message enters the turn, and with which context.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UserPromptSubmitResult {
    /// Set when a hook blocked the message; the chat returns `[Blocked by hook] {text}`.
    pub blocking_error: Option<String>,
    /// A hook refused to go on; the chat returns `[Hook stopped] {stop_reason}`.
    pub prevent_continuation: bool,
    /// Why.
    pub stop_reason: Option<String>,
    /// Text for the model, in order.
    pub additional_contexts: Vec<String>,
    /// One for each thing that a hook did.
    pub messages: OutcomeList<Attachment>,
    /// Rules selected, whether they ran or not.
    pub matched_rule_count: usize,
}

impl UserPromptSubmitResult {
    /// The text that the chat returns in place of an answer, if the message does not enter the turn.
    pub fn marker(&self) -> Option<String> {
        if let Some(error) = &self.blocking_error {
            return Some(blocked_marker(error));
        }
        let reason = self.stop_reason.as_deref().unwrap_or_default();
        self.prevent_continuation.then(|| format!("[Hook stopped] {reason}"))
    }

    /// The user's message as it enters the turn: each context in a pair of tags before it.
    pub fn message(&self, message: &str) -> String {
        let mut text = String::new();
        for context in &self.additional_contexts {
            text.push_str("<user-prompt-submit-hook>\n");
            text.push_str(context);
            text.push_str("\n</user-prompt-submit-hook>\n");
        }
        text + message
    }
}

/// `[Blocked by hook] {text}`
pub(super) fn blocked_marker(text: &str) -> String {
    format!("[Blocked by hook] {text}")
}

/// What hooks want of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolDecision {
    /// It must not run.
    Deny,
    /// The user is asked, unless it is denied anyway (G20).
    Ask,
}

/// Whether a call may run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PreToolUseResult {
    /// `None` leaves it to the permission engine.
    pub decision: Option<ToolDecision>,
    /// Why.
    pub reason: Option<String>,
    /// Recorded, not shown to the model.
    pub additional_contexts: Vec<String>,
    /// Rules selected, whether they ran or not.
    pub matched_rule_count: usize,
    /// One for each thing that a hook did.
    pub messages: OutcomeList<Attachment>,
}

/// What happens at the end of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StopHookResult {
    /// An error to show.
    pub blocking_error: Option<String>,
    /// One more turn; never set beyond the cap (G18).
    pub force_continue: bool,
    /// What that turn is told.
    pub follow_up_message: Option<String>,
    /// Text for the conversation, in order.
    pub additional_contexts: Vec<String>,
    /// Why it stopped or went on.
    pub stop_reason: Option<String>,
    /// Contexts are not echoed in the answer.
    pub suppress_output: bool,
    /// For the user.
    pub system_message: Option<String>,
    /// One for each thing that a hook did.
    pub messages: OutcomeList<Attachment>,
    /// Rules selected, whether they ran or not.
    pub matched_rule_count: usize,
    /// In a word, as `PLUGIN_HOOK_FIRED` has it.
    pub outcome: StopOutcome,
    /// The user message of the forced turn.
    pub next_user_message: Option<String>,
    /// What the answer gains when the turn does end.
    pub answer_suffix: Option<String>,
}

/// See [`StopHookResult::outcome`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopOutcome {
    /// The turn ends.
    #[default]
    Allow,
    /// It ends with an error.
    Block,
    /// It goes on.
    Continue,
    /// It was to go on where no iteration is left.
    ContinueAtMaxIter,
    /// It was to go on too often.
    ReentryCapped,
}

impl StopHookResult {
    /// Fills the fields that follow from the others.
    pub(super) fn settle(&mut self) {
        let follow_up = self.follow_up_message.as_deref().filter(|_| self.force_continue);
        self.next_user_message = follow_up
            .map(|message| format!("<system-reminder>Stop hook injected this</system-reminder>\n{message}"));
        let echoed = !self.force_continue && !self.suppress_output && !self.additional_contexts.is_empty();
        let wrap = |context: &String| format!("<stop-hook>\n{context}\n</stop-hook>");
        self.answer_suffix =
            echoed.then(|| self.additional_contexts.iter().map(wrap).collect::<Vec<_>>().join("\n"));
    }
}

/// What an event that nothing can change came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LifecycleResult {
    /// Rules selected.
    pub matched_rule_count: usize,
    /// One for each hook that ran.
    pub messages: OutcomeList<Attachment>,
}

/// What the hooks of one firing said so far.
#[derive(Debug, Default)]
pub(super) struct Folded {
    /// Rules selected.
    pub(super) matched: usize,
    pub(super) prompt: UserPromptSubmitResult,
    pub(super) tool: PreToolUseResult,
    pub(super) stop: StopHookResult,
    pub(super) printed: Printed,
}

/// What one hook did (A4).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attachment {
    /// Of which kind.
    pub attachment_type: AttachmentType,
    /// By kind.
    pub payload: Json,
    /// The command's text, or `prompt_hook`.
    #[serde(serialize_with = "as_text")]
    pub hook_name: Arc<str>,
    /// The event.
    pub hook_event: &'static str,
    /// Always empty.
    pub tool_use_id: &'static str,
    /// Random, version 4.
    pub uuid: String,
    /// RFC 3339, UTC.
    pub timestamp: String,
}

fn as_text<S: serde::Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// See [`Attachment::attachment_type`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentType {
    /// Text for the conversation.
    HookAdditionalContext,
    /// It ran and had nothing to add; also a warning.
    HookSuccess,
    /// It wants the conversation to stop.
    HookStoppedContinuation,
    /// An error to show.
    HookBlockingError,
    /// A `Stop` hook ended with exit status 2.
    HookStopBlockedViaExit2,
}

/// What a chain came to, in the contract's shapes (A5).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentaoResult {
    /// `UserPromptSubmit`
    UserPromptSubmit(UserPromptSubmitResult),
    /// `PreToolUse`
    PreToolUse(PreToolUseResult),
    /// `Stop`
    Stop(StopHookResult),
    /// The other events: nothing can change.
    Lifecycle(LifecycleResult),
}
