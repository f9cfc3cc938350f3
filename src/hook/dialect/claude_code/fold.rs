//! Folding (5.2): what the answers of all handlers of a firing come to together, in config order.

use super::answer::ClaudeAnswer;
use super::cap;
use super::event::{BlockMeans, EventName};
use super::log::Counts;
use super::result::{
    ClaudeCodeResult, NonBlockingError, Permission, PermissionAnswer, PermissionRequestAnswer, SpecificOutput,
};
use crate::hook::decision::{Block, Decision, Verdict};
use crate::hook::id::HookId;
use crate::hook::record::Effect;
use crate::hook::runner::HookRunner;
use rustc_hash::FxHashSet;

/// In place of a reason that no hook gave.
const DENIED: &str = "Denied by hook";

/// What was said so far.
pub(super) struct Fold<'a> {
    event: EventName,
    host: &'a dyn HookRunner,
    /// `Event:matchvalue`
    hook_name: String,
    pub(super) result: ClaudeCodeResult,
    pub(super) counts: Counts,
    /// Who said stop, who gave the strongest permission, who blocked first, who answered a permission request.
    stopped_by: Option<HookId>,
    permission_by: Option<HookId>,
    blocked_by: Option<HookId>,
    answered_by: Option<HookId>,
    /// Who gave the first context.
    context_by: Option<HookId>,
    rewritten_by: Vec<HookId>,
    classified: usize,
}

impl<'a> Fold<'a> {
    pub(super) fn new(event: EventName, hook_name: String, host: &'a dyn HookRunner) -> Self {
        Self {
            event,
            host,
            hook_name,
            result: ClaudeCodeResult::default(),
            counts: Counts::default(),
            stopped_by: None,
            permission_by: None,
            blocked_by: None,
            answered_by: None,
            context_by: None,
            rewritten_by: Vec::new(),
            classified: 0,
        }
    }

    /// Takes one answer in.
    pub(super) fn absorb(&mut self, hook: &HookId, answer: ClaudeAnswer) -> (Effect, Vec<String>) {
        self.count(&answer);
        let mut warnings = answer.warnings;
        let mut effect = Effect::None;
        let mut rewrote = Vec::new();
        if let Some(message) = answer.error {
            effect = Effect::Ignored("4.2: a failure that blocks nothing");
            let title = format!("{} hook error", self.hook_name);
            self.result.errors.push(NonBlockingError { hook: hook.clone(), title, message });
        }
        for text in answer.contexts {
            let text = self.capped(text, &mut warnings);
            if self.event.is_stop() {
                // R39.
                effect = blocked(&text);
            }
            self.result.contexts.push(text);
            self.context_by.get_or_insert_with(|| hook.clone());
        }
        for text in answer.system_messages {
            let text = self.capped(text, &mut warnings);
            self.result.system_messages.push(text);
        }
        self.result.terminal.extend(answer.terminal);
        if let Some(updated) = answer.updated_input {
            self.result.updated_input = Some(updated);
            rewrote.push("arguments");
        }
        if let Some(updated) = answer.updated_output {
            self.result.updated_output = Some(updated);
            rewrote.push("result");
        }
        if !rewrote.is_empty() {
            self.rewritten_by.push(hook.clone());
            effect = Effect::Rewrote(rewrote);
        }
        if let Some(request) = &answer.specific.permission_request {
            if request.behavior == Permission::Deny {
                effect = blocked(request.message.as_deref().unwrap_or(DENIED));
            } else if request.updated_input.is_some() {
                effect = Effect::Rewrote(vec!["arguments"]);
            }
        }
        self.specific(hook, answer.specific, &mut warnings);
        if let Some((permission, reason)) = answer.permission {
            if permission == Permission::Deny {
                effect = blocked(reason.as_deref().unwrap_or(DENIED));
            }
            self.permission(hook, permission, reason);
        }
        if let Some(text) = answer.block {
            effect = self.block(hook, text);
        }
        if let Some(reason) = answer.stop {
            effect = match self.event.row().block {
                BlockMeans::KeepGoing => Effect::Ignored("4.4: the agent stops, as it was about to"),
                _ => blocked(&reason),
            };
            if self.result.stop.is_none() {
                self.result.stop = Some(reason);
                self.stopped_by = Some(hook.clone());
            }
        }
        (effect, warnings)
    }

    fn count(&mut self, answer: &ClaudeAnswer) {
        let request = answer.specific.permission_request.as_ref().map(|request| request.behavior);
        let permission = answer.permission.as_ref().map(|(permission, _)| *permission).or(request);
        let blocks = answer.block.is_some() || answer.stop.is_some() || permission == Some(Permission::Deny);
        let count = match (&answer.error, answer.cancelled, blocks) {
            (Some(_), ..) => &mut self.counts.errors,
            (None, true, _) => &mut self.counts.cancelled,
            (None, false, true) => &mut self.counts.blocking,
            _ => &mut self.counts.success,
        };
        *count = count.saturating_add(1);
    }

    fn capped(&self, text: String, warnings: &mut Vec<String>) -> String {
        let (text, fault) = cap::text(text, self.host);
        warnings.extend(fault);
        text
    }

    fn permission(&mut self, hook: &HookId, decision: Permission, reason: Option<String>) {
        let stronger = self.result.permission.as_ref().is_none_or(|strongest| decision > strongest.decision);
        if stronger {
            self.result.permission = Some(PermissionAnswer { decision, reason });
            self.permission_by = Some(hook.clone());
        }
    }

    fn block(&mut self, hook: &HookId, text: String) -> Effect {
        let effect = blocked(&text);
        if self.event.row().block == BlockMeans::ToUser {
            self.result.system_messages.push(text);
            return Effect::Ignored("4.3: the user is told, nothing is blocked");
        }
        match &mut self.result.block {
            Some(block) => {
                block.push('\n');
                block.push_str(&text);
            }
            none => *none = Some(text),
        }
        self.blocked_by.get_or_insert_with(|| hook.clone());
        if self.event.row().block == BlockMeans::ToModel {
            return Effect::Ignored("4.3: the model is told, nothing is undone");
        }
        effect
    }

    /// Blocks for a hook that gave no clear answer.
    pub(super) fn refuse(&mut self, hook: &HookId, reason: &str) {
        let reason = reason.to_owned();
        if self.event == EventName::PermissionRequest {
            return self.answer_request(hook, PermissionRequestAnswer::denial(reason));
        }
        match self.event.row().block {
            BlockMeans::Deny => self.permission(hook, Permission::Deny, Some(reason)),
            means => {
                if means == BlockMeans::Decline {
                    (self.result.specific.action, self.result.specific.content) =
                        (Some("decline".to_owned()), None);
                }
                let _ = self.block(hook, reason);
            }
        }
    }

    fn specific(&mut self, hook: &HookId, new: SpecificOutput, warnings: &mut Vec<String>) {
        let message = new.initial_user_message.map(|text| self.capped(text, warnings));
        for text in new.classifier_context {
            let left = cap::CLASSIFIER_CAP.saturating_sub(self.classified);
            let text = cap::first(&text, left);
            self.classified = self.classified.saturating_add(text.chars().count());
            if !text.is_empty() {
                self.result.specific.classifier_context.push(text.to_owned());
            }
        }
        if let Some(answer) = new.permission_request {
            self.answer_request(hook, answer);
        }
        let all = &mut self.result.specific;
        all.retry |= new.retry;
        all.suppress_original_prompt |= new.suppress_original_prompt;
        all.reload_skills |= new.reload_skills;
        all.session_title = new.session_title.or(all.session_title.take());
        all.initial_user_message = message.or(all.initial_user_message.take());
        all.display_content = new.display_content.or(all.display_content.take());
        all.worktree_path = new.worktree_path.or(all.worktree_path.take());
        if new.action.is_some() {
            (all.action, all.content) = (new.action, new.content);
        }
        if let Some(paths) = new.watch_paths {
            match &mut all.watch_paths {
                none @ None => *none = Some(paths),
                Some(list) => {
                    let known: FxHashSet<_> = list.iter().map(String::as_str).collect();
                    let new: Vec<_> =
                        paths.into_iter().filter(|path| !known.contains(path.as_str())).collect();
                    list.extend(new);
                }
            }
        }
    }

    /// Any deny wins; of several allows the last input counts, and all changes of rules.
    fn answer_request(&mut self, hook: &HookId, new: PermissionRequestAnswer) {
        let known = &mut self.result.specific.permission_request;
        match known {
            Some(known) if known.behavior == new.behavior => {
                known.updated_input = new.updated_input.or(known.updated_input.take());
                known.updated_permissions.extend(new.updated_permissions);
                known.interrupt |= new.interrupt;
            }
            Some(known) if known.behavior > new.behavior => {}
            _ => {
                *known = Some(new);
                self.answered_by = Some(hook.clone());
            }
        }
    }

    /// Why an effect came to nothing.
    pub(super) fn undone(&mut self, hook: &HookId, effect: &Effect) -> Option<&'static str> {
        self.settle();
        let all = &self.result;
        let request = all.specific.permission_request.as_ref();
        let is_last = self.rewritten_by.last().or(self.answered_by.as_ref()) == Some(hook);
        match effect {
            Effect::Rewrote(_) if self.event == EventName::PermissionRequest => request
                .is_some_and(|answer| answer.behavior == Permission::Deny)
                .then_some("5.2: another hook denies"),
            Effect::Rewrote(_) if all.updated_input.is_none() && all.updated_output.is_none() => {
                Some("5.2: the call is not made, so the new input is dropped")
            }
            Effect::Rewrote(_) if !is_last => Some("5.2: a later hook's rewrite takes its place"),
            Effect::Blocked { .. }
                if self.event.row().block == BlockMeans::KeepGoing && !all.specific.keeps_going =>
            {
                Some(if all.stop.is_some() {
                    "4.4: another hook stops the agent"
                } else {
                    "R58: the agent went on too often"
                })
            }
            _ => None,
        }
    }

    /// The result, and the decision in neutral words. `prompt` is the user's, for the message of a block (R64).
    pub(super) fn finish(mut self, prompt: Option<&str>) -> (Decision, ClaudeCodeResult) {
        self.settle();
        let mut decision = Decision {
            contexts: self.result.contexts.clone(),
            system_messages: self.result.system_messages.clone(),
            ..Decision::default()
        };
        if let Some(answer) = &self.result.permission {
            decision.permission =
                Some(answer.decision.verdict()).filter(|verdict| *verdict != Verdict::Block);
        }
        let mut input = self.result.updated_input.clone();
        if let Some(answer) = &self.result.specific.permission_request
            && answer.behavior == Permission::Allow
        {
            decision.permission = Some(Verdict::Allow);
            input.clone_from(&answer.updated_input);
        }
        decision.arguments = input;
        decision.result.clone_from(&self.result.updated_output);
        if decision.arguments.is_some() || decision.result.is_some() {
            decision.rewritten_by = std::mem::take(&mut self.rewritten_by);
            if decision.rewritten_by.is_empty() {
                decision.rewritten_by.extend(self.answered_by.clone());
            }
        }
        if self.event.row().block == BlockMeans::ToModel {
            decision.contexts.extend(self.result.block.clone());
        }
        decision.blocked = self.blocked(prompt);
        (decision, self.result)
    }

    /// What beats what: a stop everything, a deny the new input.
    fn settle(&mut self) {
        let keeps_going = self.event.row().block == BlockMeans::KeepGoing;
        let denies = |answer: &PermissionAnswer| answer.decision == Permission::Deny;
        if self.result.stop.is_some() {
            if !self.result.permission.as_ref().is_some_and(denies) {
                self.result.permission = None;
            }
            self.result.updated_input = None;
            if keeps_going {
                self.result.block = None;
            }
        } else if keeps_going {
            let feedback = self.event.is_stop() && !self.result.contexts.is_empty();
            self.result.specific.keeps_going = self.result.block.is_some() || feedback;
        }
        if self.result.permission.as_ref().is_some_and(denies) {
            self.result.updated_input = None;
        }
    }

    /// R58: the agent went on too often; the stop goes through.
    pub(super) fn override_stop(&mut self, cap: u64) {
        self.settle();
        self.result.block = None;
        self.result.specific.keeps_going = false;
        self.result.stop = None;
        let message = format!("Stop hooks made the agent go on {cap} times in a row; this stop goes through");
        self.result.system_messages.push(message);
        // What is left is not a reason to go on.
        self.result.contexts.clear();
    }

    /// Whether the agent goes on because of this firing.
    pub(super) fn keeps_going(&mut self) -> bool {
        self.settle();
        self.result.specific.keeps_going
    }

    fn blocked(&self, prompt: Option<&str>) -> Option<Block> {
        let result = &self.result;
        let of = |hook: &Option<HookId>, reason: Option<&String>| {
            let reason = reason.map_or(DENIED, String::as_str).to_owned();
            Some(Block { hook: hook.clone()?, reason, user_message: None })
        };
        let means = self.event.row().block;
        if let Some(reason) = &result.stop {
            // To stop everything is not a block where the agent is about to stop.
            return if means == BlockMeans::KeepGoing { None } else { of(&self.stopped_by, Some(reason)) };
        }
        if let Some(PermissionAnswer { decision: Permission::Deny, reason }) = &result.permission {
            return of(&self.permission_by, reason.as_ref());
        }
        if let Some(answer) = &result.specific.permission_request
            && answer.behavior == Permission::Deny
        {
            return of(&self.answered_by, answer.message.as_ref());
        }
        match (&result.block, means) {
            (Some(_), BlockMeans::ToModel) | (None, _) if !result.specific.keeps_going => None,
            (Some(reason), _) => {
                let mut block = of(&self.blocked_by, Some(reason))?;
                if let Some(prompt) = prompt {
                    block.user_message = Some(if result.specific.suppress_original_prompt {
                        reason.clone()
                    } else {
                        format!("{reason}\n\nOriginal prompt: {prompt}")
                    });
                }
                Some(block)
            }
            // Feedback alone keeps the agent going (R39).
            (None, _) => of(&self.context_by, Some(&result.contexts.join("\n"))),
        }
    }
}

fn blocked(reason: &str) -> Effect {
    Effect::Blocked { reason: reason.to_owned(), user_message: None }
}
