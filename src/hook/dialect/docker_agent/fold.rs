//! Folding (5.2 of the contract): what the hooks of one firing came to.

use super::event::EventName;
use super::instruction::Instruction;
use super::output::Said;
use super::payload::Rewrites;
use super::result::{DockerAgentResult, Permission};
use crate::hook::decision::{Block, Decision, Reading, Verdict};
use crate::hook::id::HookId;
use crate::hook::json::Json;
use serde_json::Value;
use std::collections::BTreeMap;

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
    instructions: Vec<Instruction>,
    system_messages: Vec<String>,
    pub(super) summary: String,
    pub(super) rewrites: Rewrites,
    metadata: BTreeMap<String, String>,
    /// The agents to which hooks send the conversation.
    routes: Vec<String>,
    rewritten_by: Vec<HookId>,
    /// Stage 0 asked.
    pub(super) prompt_forced: bool,
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
            instructions: Vec::new(),
            system_messages: Vec::new(),
            summary: String::new(),
            rewrites: Rewrites { input: None, response: None, messages: None },
            metadata: BTreeMap::new(),
            routes: Vec::new(),
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

    /// A block of a hook that failed.
    pub(super) fn fail_closed(&mut self, hook: &HookId, display: &str, text: &str) {
        self.failed_closed = true;
        self.block(hook, display, text);
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
        self.instructions.extend(said.instructions);
        self.metadata.extend(said.metadata);
        let mut parts = Vec::new();
        let (own, Rewrites { input, response, messages }) = (&mut self.rewrites, said.rewrites);
        for (part, own, rewritten) in [
            ("arguments", &mut own.input, input),
            ("response", &mut own.response, response),
            ("messages", &mut own.messages, messages),
        ] {
            if rewritten.is_some() {
                *own = rewritten;
                parts.push(part);
            }
        }
        if let Some(summary) = said.summary
            && self.summary.is_empty()
        {
            self.summary = summary;
            parts.push("summary");
        }
        if let Some(route) = said.route {
            self.routes.push(route);
            parts.push("transition");
        }
        if !parts.is_empty() {
            self.rewritten_by.push(hook.clone());
        }
        parts
    }

    /// Blocks where hooks send the conversation to different agents; the reason.
    pub(super) fn conflict(&mut self, hook: &HookId, display: &str) -> Option<String> {
        let [first, rest @ ..] = self.routes.as_slice() else { return None };
        let other = rest.iter().find(|agent| *agent != first)?;
        let text = format!("conflicting route transitions: {first} and {other}");
        self.routes.truncate(1);
        self.block(hook, display, &text);
        Some(text)
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
            modified_input: self.rewrites.input.filter(|_| allowed),
            additional_context: self.contexts.join("\n"),
            instruction_context: (!self.instructions.is_empty())
                .then(|| Json::of_any_size(serde_json::to_value(&self.instructions).unwrap_or_default())),
            system_message: self.system_messages.join("\n"),
            summary: self.summary,
            updated_messages: self.rewrites.messages,
            updated_tool_response: self.rewrites.response.clone(),
            metadata: self.metadata,
            route: self.routes.into_iter().next().filter(|_| allowed),
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
        contexts.extend(self.instructions.iter().filter_map(Instruction::text).map(str::to_owned));
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
            result: self.rewrites.response,
            contexts,
            system_messages,
            rewritten_by: self.rewritten_by,
            ..Decision::default()
        };
        (decision, result)
    }
}
