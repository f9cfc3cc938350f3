//! What one handler's outcome means (4 of the contract).
//!
//! How it ended comes first: a timeout is not an opinion (R33), what could not run or ran over is a failure. Then the exit
//! status and what was printed, by the table of 4.2: JSON is looked for on every exit status (R28), 2 is a block that JSON
//! cannot take back (R30), any other status without JSON is a failure. A failure changes nothing unless the handler says
//! `onFailure: block` (R56).

use super::answer::{ClaudeAnswer, NO_STDERR, STARTED, Teller, message_of, status_of};
use super::event::{BlockMeans, EventName, Flag};
use super::printed::{Printed, is_terminal_sequence, read as read_printed, trimmed};
use super::result::{Permission, PermissionRequestAnswer, SpecificOutput};
use super::schema::Output;
use super::{reply, worktree};
use crate::hook::json::Json;
use crate::hook::runner::HookRunner;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::limit::Limit;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Reads the outcome of one handler of one firing.
pub(super) struct OutcomeReader {
    pub(super) event: EventName,
    pub(super) teller: Teller,
    /// `onFailure: block`.
    pub(super) closes: bool,
    pub(super) timeout: Duration,
    pub(super) tool: Option<Arc<str>>,
    /// The call's result as it is.
    pub(super) result: Option<Json>,
    /// Whether a block has an effect beside what the event's row says (`policy_settings`).
    pub(super) can_block: bool,
    /// Whether a teammate raised the event and not a tool.
    pub(super) by_teammate: bool,
    /// Whether `defer` counts (R40).
    pub(super) can_defer: bool,
    /// Whether nobody waits for the run.
    pub(super) is_late: bool,
    /// Members of outputs that came with a later version of the contract; they are not read.
    pub(super) unread: Vec<&'static str>,
}

impl OutcomeReader {
    pub(super) fn read(&self, outcome: &ScriptOutcome) -> ClaudeAnswer {
        if self.is_late && outcome.end == Ended::Exited {
            return ClaudeAnswer::of(STARTED);
        }
        let mut answer = match self.interruption(outcome) {
            Some(answer) => answer,
            None => match self.teller {
                Teller::Command if self.event == EventName::WorktreeCreate => {
                    return worktree::created(outcome);
                }
                Teller::Command if self.event == EventName::WorktreeRemove => {
                    return self.removed(outcome);
                }
                Teller::Command => self.command(outcome),
                Teller::Http => self.http(outcome),
                Teller::Tool => self.tool(outcome),
                Teller::Model { agent, goes_on } => self.model(outcome, agent, goes_on),
            },
        };
        if let Some(message) = answer.error.take_if(|_| self.closes_on_failure()) {
            self.close(message, &mut answer);
        }
        if self.event == EventName::WorktreeCreate && self.is_command() && answer.block.is_none() {
            let message = answer.error.take().unwrap_or_else(|| "The hook made no worktree".to_owned());
            (answer.block, answer.cancelled) = (Some(message), false);
        }
        answer
    }

    fn is_command(&self) -> bool {
        self.teller == Teller::Command
    }

    /// R56: the events on which a failure never blocks.
    fn closes_on_failure(&self) -> bool {
        let exempt = matches!(
            self.event,
            EventName::Stop | EventName::SubagentStop | EventName::TaskCompleted | EventName::TeammateIdle
        );
        self.closes && !exempt
    }

    fn close(&self, message: String, answer: &mut ClaudeAnswer) {
        answer.rule = "R56: onFailure is block";
        if self.event == EventName::PermissionRequest {
            answer.specific.permission_request = Some(PermissionRequestAnswer::denial(message));
            return;
        }
        self.block(message, answer);
    }

    /// What did not end by itself. A syntax error did: a shell that meets one ends with status 2.
    fn interruption(&self, outcome: &ScriptOutcome) -> Option<ClaudeAnswer> {
        let failed = |message: String, rule| Some(ClaudeAnswer::failed(message, rule));
        match &outcome.end {
            Ended::Exited | Ended::Syntax(_) => None,
            Ended::TimedOut => Some(self.timed_out()),
            Ended::Limit(error) if error.limit == Limit::WallTime => Some(self.timed_out()),
            Ended::OutputExceeded => {
                failed("Hook output exceeded 1048576 bytes".to_owned(), "R53: too much output")
            }
            Ended::Limit(error) => failed(format!("Hook was ended: {error}"), "5.4: limit of the sandbox"),
            Ended::NotStarted(why) => {
                let line = why.lines().next().unwrap_or("");
                Some(ClaudeAnswer::not_blocking(line, "R32: not started"))
            }
        }
    }

    fn timed_out(&self) -> ClaudeAnswer {
        let message = format!("Hook timed out after {} s", self.timeout.as_secs_f64());
        if self.event == EventName::PreModelSwitch {
            let mut answer = ClaudeAnswer::of("R33: a timeout blocks PreModelSwitch");
            self.block(message, &mut answer);
            return answer;
        }
        if self.closes_on_failure() {
            return ClaudeAnswer::failed(message, "R33: timeout");
        }
        ClaudeAnswer { cancelled: true, ..ClaudeAnswer::of("R33: timeout, output discarded") }
    }

    /// Blocks in the event's own sense.
    fn block(&self, text: String, answer: &mut ClaudeAnswer) {
        match self.event.row().block {
            BlockMeans::Deny => answer.permission = Some((Permission::Deny, Some(text))),
            _ => answer.block = Some(text),
        }
    }

    /// An output without the members that the contract's version does not have.
    fn known(&self, mut members: Map<String, Value>) -> Map<String, Value> {
        for name in &self.unread {
            members.shift_remove(*name);
            if let Some(Value::Object(own)) = members.get_mut("hookSpecificOutput") {
                own.shift_remove(*name);
            }
        }
        members
    }

    /// 4.2.
    fn command(&self, outcome: &ScriptOutcome) -> ClaudeAnswer {
        let status = status_of(outcome);
        let (printed, branch) = read_printed(&outcome.stdout);
        let output = match printed {
            Printed::Json(members) => Output::strict(self.known(members), self.event),
            Printed::Broken(why) => Err(why),
            Printed::Text(text) => return self.without_json(status, &text, &outcome.stderr, branch),
            Printed::Nothing => return self.without_json(status, "", &outcome.stderr, branch),
        };
        match output {
            Ok(output) if status == 2 => self.overruled(&output, &outcome.stderr),
            Ok(output) => self.json(&output),
            Err(_) if status == 2 => self.status_two(&outcome.stderr, "4.2: exit 2, output does not fit"),
            Err(why) => ClaudeAnswer::failed(why, "4.2, R45: output does not fit"),
        }
    }

    fn without_json(&self, status: i32, text: &str, stderr: &[u8], branch: &'static str) -> ClaudeAnswer {
        match status {
            0 if !text.is_empty() && self.event.has(Flag::Plain) => ClaudeAnswer {
                contexts: vec![text.to_owned()],
                ..ClaudeAnswer::of("R29: plain text is context")
            },
            0 => ClaudeAnswer::of(branch),
            2 => self.status_two(stderr, "4.2: exit 2"),
            _ => {
                let stderr = String::from_utf8_lossy(stderr);
                let line = stderr.lines().next().map(str::trim_end).filter(|line| !line.is_empty());
                ClaudeAnswer::not_blocking(line.unwrap_or(NO_STDERR), "4.2, R34: exit status")
            }
        }
    }

    fn status_two(&self, stderr: &[u8], rule: &'static str) -> ClaudeAnswer {
        let mut answer = ClaudeAnswer::of(rule);
        self.refuse(message_of(stderr), &mut answer);
        answer
    }

    /// Exit status 2 in the event's own sense (4.3).
    fn refuse(&self, message: String, answer: &mut ClaudeAnswer) {
        match self.event.row().block {
            BlockMeans::Debug | BlockMeans::Ignored => {
                answer.warnings.push(format!("exit status 2 has no effect on {}", self.event.name()));
            }
            BlockMeans::Cancel if !self.can_block => {
                answer.warnings.push("policy settings can not be blocked".to_owned());
            }
            BlockMeans::Decline => {
                answer.specific = SpecificOutput::default();
                answer.specific.action = Some("decline".to_owned());
                answer.block = Some(message);
            }
            _ => self.block(message, answer),
        }
    }

    /// R30, R31: exit status 2 with valid JSON.
    fn overruled(&self, output: &Output, stderr: &[u8]) -> ClaudeAnswer {
        let mut answer = self.json(output);
        let denied = answer.permission.take().filter(|(permission, _)| *permission == Permission::Deny);
        let own = denied.and_then(|(_, reason)| reason).or_else(|| {
            let reason = output.text("reason").filter(|_| output.text("decision") == Some("block"));
            reason.map(str::to_owned)
        });
        let own = own.filter(|reason| !reason.trim().is_empty());
        answer.block = None;
        answer.rule = "R30, R31: exit 2 beats what was printed";
        self.refuse(own.unwrap_or_else(|| message_of(stderr)), &mut answer);
        answer
    }

    /// 4.4.
    fn json(&self, output: &Output) -> ClaudeAnswer {
        let mut answer = ClaudeAnswer::of("4.4: JSON output");
        if output.boolean("continue") == Some(false) {
            self.stop(output, &mut answer);
        }
        answer.system_messages.extend(output.text("systemMessage").map(str::to_owned));
        if let Some(sequence) = output.text("terminalSequence") {
            if is_terminal_sequence(sequence) {
                answer.terminal = Some(sequence.to_owned());
            } else {
                answer.warnings.push("terminalSequence is not one that is let through; dropped".to_owned());
            }
        }
        self.decision(output, &mut answer);
        self.own_part(output, &mut answer);
        answer
    }

    fn stop(&self, output: &Output, answer: &mut ClaudeAnswer) {
        let honoured =
            !self.event.has(Flag::NoStop) && (self.event != EventName::TaskCompleted || self.by_teammate);
        if honoured {
            let reason = output.text("stopReason").unwrap_or("Execution stopped by hook");
            answer.stop = Some(reason.to_owned());
        } else {
            answer.warnings.push(format!("continue: false has no effect on {} (R36)", self.event.name()));
        }
    }

    /// R35, R38.
    fn decision(&self, output: &Output, answer: &mut ClaudeAnswer) {
        // A reason of blanks is no instruction to go on with.
        let is_reason = |text: &&str| !self.event.is_stop() || !text.trim().is_empty();
        let reason = output.text("reason").filter(is_reason).map(str::to_owned);
        match (output.text("decision"), self.event) {
            (Some("approve"), EventName::PreToolUse) => answer.permission = Some((Permission::Allow, reason)),
            (Some("block"), EventName::PreToolUse) => answer.permission = Some((Permission::Deny, reason)),
            (Some("block"), event) if event.is_stop() && reason.is_none() => {
                answer.warnings.push("decision: block without a reason is ignored (R38)".to_owned());
            }
            (Some("block"), _) if !self.can_block => {
                answer.warnings.push("policy settings can not be blocked".to_owned());
            }
            (Some("block"), event) if event.has(Flag::Decides) => {
                answer.block = Some(reason.unwrap_or_else(|| "Blocked by hook".to_owned()));
            }
            (Some("block"), event) => {
                answer.warnings.push(format!("decision: block has no effect on {} (R35)", event.name()));
            }
            _ => {}
        }
    }

    fn own_part(&self, output: &Output, answer: &mut ClaudeAnswer) {
        answer.contexts.extend(output.own_text("additionalContext").map(str::to_owned));
        match self.event {
            EventName::PreToolUse | EventName::PreModelSwitch => self.permission(output, answer),
            EventName::PermissionRequest => {
                answer.specific.permission_request =
                    output.own("decision").and_then(Value::as_object).and_then(permission_request);
            }
            EventName::PostToolUse => self.updated_output(output, answer),
            EventName::WorktreeCreate if !self.is_command() => {
                answer.specific.worktree_path = output.own_text("worktreePath").map(str::to_owned);
            }
            _ => {}
        }
        let specific = &mut answer.specific;
        let text = |name| output.own_text(name).map(str::to_owned);
        specific.retry = output.own_boolean("retry") == Some(true);
        specific.suppress_original_prompt = output.own_boolean("suppressOriginalPrompt") == Some(true);
        specific.reload_skills = output.own_boolean("reloadSkills") == Some(true);
        specific.session_title = text("sessionTitle");
        specific.initial_user_message = text("initialUserMessage");
        specific.display_content = text("displayContent");
        specific.classifier_context = text("classifierContext").into_iter().collect();
        specific.watch_paths = output.own_texts("watchPaths");
        specific.action = text("action");
        specific.content = output.own("content").cloned().map(Json::of_any_size);
    }

    /// `permissionDecision` and `updatedInput`, with R40.
    fn permission(&self, output: &Output, answer: &mut ClaudeAnswer) {
        let updated = output.own("updatedInput").cloned().map(Json::of_any_size);
        let reason = output.own_text("permissionDecisionReason").map(str::to_owned);
        let asks_user = matches!(self.tool.as_deref(), Some("AskUserQuestion" | "ExitPlanMode"));
        let word = output.own_text("permissionDecision");
        let permission = word.and_then(Permission::parse);
        match permission {
            Some(Permission::Allow) if asks_user && updated.is_none() => {
                answer.warnings.push("allow without updatedInput is ignored for this tool (R40)".to_owned());
            }
            Some(Permission::Defer) if !self.can_defer => {
                let why = "defer needs a non-interactive run with one call in the turn; ignored (R40)";
                answer.warnings.push(why.to_owned());
            }
            Some(permission) => answer.permission = Some((permission, reason)),
            None => {}
        }
        if permission != Some(Permission::Defer) {
            answer.updated_input = updated;
        }
    }

    /// R42: an output that has not the shape of the tool's own is ignored; tools of MCP servers have none.
    fn updated_output(&self, output: &Output, answer: &mut ClaudeAnswer) {
        let is_mcp = self.tool.as_ref().is_some_and(|tool| tool.starts_with("mcp__"));
        let older = output.own("updatedMCPToolOutput");
        if older.is_some() && !is_mcp {
            let text =
                "updatedMCPToolOutput is for tools of MCP servers; ignored: updatedToolOutput is for others";
            answer.warnings.push(text.to_owned());
        }
        let older = older.filter(|_| is_mcp);
        let Some(updated) = output.own("updatedToolOutput").or(older) else { return };
        if is_mcp || self.has_shape(updated) {
            answer.updated_output = Some(Json::of_any_size(updated.clone()));
        } else {
            let why = "updatedToolOutput has not the shape of the tool's output; ignored (R42)";
            answer.warnings.push(why.to_owned());
        }
    }

    fn has_shape(&self, updated: &Value) -> bool {
        let is_text = |name: &str| updated.get(name).is_some_and(Value::is_string);
        let is_bool = |name: &str| updated.get(name).is_some_and(Value::is_boolean);
        if self.tool.as_deref() == Some("Bash") {
            return is_text("stdout") && is_text("stderr") && is_bool("interrupted") && is_bool("isImage");
        }
        // Of other tools the result at hand shows the shape.
        match (self.result.as_deref(), updated) {
            (Some(Value::Object(result)), Value::Object(updated)) => {
                result.keys().all(|name| updated.contains_key(name))
            }
            (Some(Value::Object(_)), _) => false,
            (Some(Value::Array(_)), updated) => updated.is_array(),
            (Some(Value::String(_)), updated) => updated.is_string(),
            _ => true,
        }
    }

    /// R46.
    fn http(&self, outcome: &ScriptOutcome) -> ClaudeAnswer {
        if !(200..300).contains(&outcome.status) {
            return ClaudeAnswer::not_blocking(&format!("HTTP {}", outcome.status), "R46: HTTP status");
        }
        let body = String::from_utf8_lossy(&outcome.stdout);
        let body = trimmed(&body);
        if body.is_empty() {
            return ClaudeAnswer::of("R46: empty answer");
        }
        let members = serde_json::from_str::<Map<String, Value>>(body);
        match members.map(|members| Output::strict(self.known(members), self.event)) {
            Ok(Ok(output)) => self.json(&output),
            Ok(Err(why)) => ClaudeAnswer::failed(why, "R46, R45: answer does not fit"),
            Err(_) => ClaudeAnswer::failed("The answer is not a JSON object", "R46: answer is no object"),
        }
    }

    /// R26.
    fn tool(&self, outcome: &ScriptOutcome) -> ClaudeAnswer {
        if outcome.status == 0 {
            return self.command(outcome);
        }
        let text = if outcome.stderr.is_empty() { &outcome.stdout } else { &outcome.stderr };
        let line = String::from_utf8_lossy(text);
        ClaudeAnswer::not_blocking(line.lines().next().unwrap_or(NO_STDERR), "R26: the tool failed")
    }

    /// R47.
    fn model(&self, outcome: &ScriptOutcome, agent: bool, goes_on: bool) -> ClaudeAnswer {
        match reply::parse(&outcome.stdout) {
            Err(why) => ClaudeAnswer::failed(why, "R47: reply does not fit"),
            Ok(reply) if reply.ok => ClaudeAnswer::of("R47: ok"),
            Ok(reply) => reply.refusal(self.event, self.by_teammate, agent, goes_on),
        }
    }

    /// `WorktreeRemove`: any exit status but 0 fails if the directory still exists.
    fn removed(&self, outcome: &ScriptOutcome) -> ClaudeAnswer {
        let mut answer = self.command(outcome);
        answer.block = None;
        answer.unless_gone = (status_of(outcome) != 0).then(|| message_of(&outcome.stderr));
        answer
    }
}

impl ClaudeAnswer {
    /// What only the session can tell: where a worktree would be, and whether one that is removed is gone.
    pub(super) fn settle(&mut self, cwd: &str, worktree: Option<&str>, host: &dyn HookRunner) {
        worktree::settle(self, cwd, host);
        let Some(message) = self.unless_gone.take() else { return };
        let exists = |path: &str| host.files().is_none_or(|files| files.metadata(path.as_bytes()).is_ok());
        if worktree.is_none_or(exists) {
            self.error = None;
            self.block = Some(message);
            self.rule = "4.3: WorktreeRemove fails while the directory exists";
        }
    }
}

fn permission_request(decision: &Map<String, Value>) -> Option<PermissionRequestAnswer> {
    let member = |name: &str| decision.get(name).filter(|value| !value.is_null());
    let behavior = Permission::parse(member("behavior")?.as_str()?)?;
    let allows = behavior == Permission::Allow;
    Some(PermissionRequestAnswer {
        behavior,
        updated_input: member("updatedInput").filter(|_| allows).cloned().map(Json::of_any_size),
        updated_permissions: {
            let all = member("updatedPermissions").and_then(Value::as_array);
            all.into_iter().flatten().cloned().map(Json::from).collect()
        },
        message: member("message").and_then(Value::as_str).map(str::to_owned),
        interrupt: member("interrupt").and_then(Value::as_bool) == Some(true),
    })
}
