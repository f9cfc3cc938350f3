//! Folding (5.2 of the contract): what the hooks of one firing came to.

use super::event::EventName;
use super::output::Said;
use crate::hook::decision::{Block, Decision, Reading, Verdict};
use crate::hook::json::Json;
use crate::hook::record::HookId;
use serde::Serialize;
use serde_json::Value;
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
    #[serde(skip_serializing_if = "is_false")]
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
    /// For the user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub system_message: String,
    /// Takes the place of the summary of a compaction.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Take the place of the messages of a model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_messages: Option<Json>,
    /// Takes the place of the tool's response; empty clears it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_tool_response: Option<String>,
    /// For the prompt that asks the user.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    /// -1 after a failure that denied, else 2 if a hook ended with it, else 0.
    pub exit_code: i32,
    /// Of the first hook that ended with status 2 or failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// `additional_context` is for this turn only and must not be stored (R36).
    #[serde(skip_serializing_if = "is_false")]
    pub transient: bool,
    /// Stage 0 asked: the user must confirm, `permission_request` is not fired (R30).
    #[serde(skip_serializing_if = "is_false")]
    pub prompt_forced: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The folding so far.
#[derive(Debug)]
pub(super) struct Fold {
    event: EventName,
    first_block: Option<(HookId, String)>,
    messages: Vec<String>,
    permission: Option<(Permission, String)>,
    some_allow: bool,
    failed_closed: bool,
    exited_two: bool,
    stderr: Option<String>,
    contexts: Vec<String>,
    system_messages: Vec<String>,
    summary: String,
    /// The call's arguments as they become.
    input: Option<Json>,
    messages_rewritten: Option<Json>,
    response: Option<String>,
    metadata: BTreeMap<String, String>,
    rewritten_by: Vec<HookId>,
    prompt_forced: bool,
}

impl Fold {
    pub(super) const fn new(event: EventName) -> Self {
        Self {
            event,
            first_block: None,
            messages: Vec::new(),
            permission: None,
            some_allow: false,
            failed_closed: false,
            exited_two: false,
            stderr: None,
            contexts: Vec::new(),
            system_messages: Vec::new(),
            summary: String::new(),
            input: None,
            messages_rewritten: None,
            response: None,
            metadata: BTreeMap::new(),
            rewritten_by: Vec::new(),
            prompt_forced: false,
        }
    }

    /// The strongest verdict so far.
    pub(super) fn permission(&self) -> Option<Permission> {
        self.permission.as_ref().map(|(permission, _)| *permission)
    }

    pub(super) const fn blocks(&self) -> bool {
        self.first_block.is_some()
    }

    pub(super) const fn input(&self) -> Option<&Json> {
        self.input.as_ref()
    }

    pub(super) const fn response(&self) -> Option<&String> {
        self.response.as_ref()
    }

    pub(super) const fn messages(&self) -> Option<&Json> {
        self.messages_rewritten.as_ref()
    }

    pub(super) const fn force_prompt(&mut self) {
        self.prompt_forced = true;
    }

    /// The first of the strongest keeps its reason.
    pub(super) fn permit(&mut self, permission: Permission, reason: &str) {
        self.some_allow |= permission == Permission::Allow && self.event == EventName::PermissionRequest;
        if self.permission().is_none_or(|known| known < permission) {
            self.permission = Some((permission, reason.to_owned()));
        }
    }

    pub(super) fn block(&mut self, hook: &HookId, display: &str, text: &str) {
        if !text.is_empty() {
            self.messages.push(text.to_owned());
        }
        if self.first_block.is_none() {
            self.first_block = Some((hook.clone(), format!("blocked by hook \"{display}\"")));
        }
        if self.event.takes_permission() {
            self.permit(Permission::Deny, text);
        }
    }

    pub(super) const fn fail_closed(&mut self) {
        self.failed_closed = true;
    }

    pub(super) fn warn(&mut self, text: &str) {
        if !text.is_empty() {
            self.system_messages.push(text.to_owned());
        }
    }

    /// Takes in what every reading may have; the names of what it rewrote.
    pub(super) fn take(&mut self, hook: &HookId, reading: &Reading, said: Said) -> Vec<&'static str> {
        self.warn(reading.user_message.as_deref().unwrap_or_default());
        self.exited_two |= said.exited_two;
        if let Some(specific) = &reading.specific
            && (reading.verdict == Verdict::Error || said.exited_two)
            && self.stderr.is_none()
        {
            let stderr = specific.get("stderr").and_then(Value::as_str).unwrap_or_default();
            self.stderr = Some(stderr.to_owned());
        }
        self.contexts.extend(said.context);
        let mut metadata = said.metadata;
        self.metadata.append(&mut metadata);
        let mut parts = Vec::new();
        if said.input.is_some() {
            self.input = said.input;
            parts.push("arguments");
        }
        if said.response.is_some() {
            self.response = said.response;
            parts.push("response");
        }
        if said.messages.is_some() {
            self.messages_rewritten = said.messages;
            parts.push("messages");
        }
        if let Some(summary) = said.summary
            && self.summary.is_empty()
        {
            self.summary = summary;
            parts.push("summary");
        }
        if !parts.is_empty() {
            self.rewritten_by.push(hook.clone());
        }
        parts
    }

    pub(super) fn permission_reason(&self) -> &str {
        self.permission.as_ref().map_or("", |(_, reason)| reason)
    }

    pub(super) const fn permission_allowed(&self) -> bool {
        self.some_allow && !self.blocks()
    }

    pub(super) const fn exit_code(&self) -> i32 {
        match (self.failed_closed, self.exited_two) {
            (true, _) => -1,
            (false, true) => 2,
            (false, false) => 0,
        }
    }

    pub(super) fn summary(&self) -> &str {
        &self.summary
    }

    /// The contract's result, and the same in the engine's words.
    pub(super) fn finish(self) -> (Decision, DockerAgentResult) {
        let allowed = !self.blocks();
        let (permission_allowed, exit_code) = (self.permission_allowed(), self.exit_code());
        let (permission, decision_reason) = self.permission.unzip();
        let result = DockerAgentResult {
            allowed,
            permission_allowed,
            decision: permission,
            decision_reason: decision_reason.unwrap_or_default(),
            message: self.messages.join("\n"),
            modified_input: self.input.filter(|_| allowed),
            additional_context: self.contexts.join("\n"),
            system_message: self.system_messages.join("\n"),
            summary: self.summary,
            updated_messages: self.messages_rewritten,
            updated_tool_response: self.response.clone(),
            metadata: self.metadata,
            exit_code,
            stderr: self.stderr.unwrap_or_default(),
            transient: !self.contexts.is_empty() && self.event.is_transient(),
            prompt_forced: self.prompt_forced && allowed,
        };
        let blocked = self.first_block.map(|(hook, fallback)| {
            let reason = if result.message.is_empty() { fallback } else { result.message.clone() };
            Block { hook, reason, user_message: None }
        });
        let (mut contexts, mut system_messages) = (self.contexts, self.system_messages);
        if self.event == EventName::WorktreeCreate {
            // What it says is for the user of the command line, not for the model.
            system_messages.append(&mut contexts);
        }
        let decision = Decision {
            blocked,
            permission: match permission {
                Some(Permission::Allow) => Some(Verdict::Allow),
                Some(Permission::Ask) => Some(Verdict::Ask),
                Some(Permission::Deny) | None => None,
            },
            arguments: result.modified_input.clone(),
            result: self.response.map(|response| Json::from(Value::from(response))),
            contexts,
            system_messages,
            rewritten_by: self.rewritten_by,
            ..Decision::default()
        };
        (decision, result)
    }
}
