//! What a hook's output means (A4 of the contract): by event, over exit status and trimmed standard output.
//!
//! A [`Meaning`] holds everything that the chain folds. A timeout, a hook that could not start and bad output have no effect but
//! a warning (G16).
//!
//! A script with a syntax error is none of these: the shell of G10 starts, says what is wrong on standard error and exits
//! with 2, and that status is a verdict: blocking error (G12), deny (G14), one more turn (`Stop`, step 1). Under
//! `strict_agentao` it is one only on `Stop`; elsewhere a bad exit is a warning.

mod stop;

use super::event::EventName;
use super::result::AttachmentType;
use crate::hook::decision::{Reading, Verdict};
use crate::hook::json::Json;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::limit::Limit;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The exit status of a shell whose script does not parse.
const SYNTAX_ERROR: i32 = 2;

/// Characters of standard error in a warning's attachment.
const STDERR_CHARACTERS: usize = 500;

/// What reading depends on beside the outcome.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) event: EventName,
    /// The hook is a prompt's.
    pub(super) is_prompt: bool,
    /// Of the run.
    pub(super) timeout: Duration,
    /// The setting `strict_agentao`.
    pub(super) strict: bool,
}

/// What an outcome means.
pub(super) struct AgentaoAnswer {
    pub(super) reading: Reading,
    pub(super) meaning: Meaning,
}

/// What one hook said; which fields can be set depends on the event.
#[derive(Debug, Default, Serialize)]
pub(super) struct Meaning {
    pub(super) contexts: Vec<String>,
    pub(super) blocking_error: Option<String>,
    /// `UserPromptSubmit`: refuse.
    pub(super) prevent_continuation: bool,
    pub(super) stop_reason: Option<String>,
    /// `Stop`: one more turn.
    pub(super) force_continue: bool,
    pub(super) follow_up_message: Option<String>,
    pub(super) suppress_output: bool,
    pub(super) system_message: Option<String>,
    /// `PreToolUse`: why it is denied or asked; the marker is for a `blockingError` only.
    pub(super) reason: Option<String>,
    /// The result has them.
    #[serde(skip)]
    pub(super) attachments: Vec<(AttachmentType, Json)>,
    pub(super) warning: Option<String>,
    /// What the replay may show; the record has it.
    #[serde(skip)]
    pub(super) output: String,
}

impl Meaning {
    fn attach(&mut self, kind: AttachmentType, payload: Value) {
        self.attachments.push((kind, Json::of_any_size(payload)));
    }

    /// Texts for the conversation; empty ones are dropped.
    fn add_contexts(&mut self, texts: impl IntoIterator<Item = String>) {
        let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        if texts.is_empty() {
            return;
        }
        let payload = match texts.as_slice() {
            [one] => json!({"additionalContext": one}),
            all => json!({"additionalContext": all}),
        };
        self.attach(AttachmentType::HookAdditionalContext, payload);
        self.contexts.extend(texts);
    }

    fn block(&mut self, error: String) {
        self.attach(AttachmentType::HookBlockingError, json!({"blockingError": error}));
        self.blocking_error = Some(error);
    }

    fn succeed(&mut self, payload: Value) {
        self.attach(AttachmentType::HookSuccess, payload);
    }

    fn answer(self, verdict: Verdict, rule: &'static str) -> AgentaoAnswer {
        let reason =
            [&self.blocking_error, &self.reason, &self.follow_up_message, &self.stop_reason, &self.warning]
                .into_iter()
                .find_map(Clone::clone);
        let mut specific = serde_json::to_value(&self).unwrap_or_default();
        // The record has what was said.
        let is_said = |value: &Value| match value {
            Value::Array(texts) => !texts.is_empty(),
            value => !matches!(value, Value::Null | Value::Bool(false)),
        };
        if let Some(members) = specific.as_object_mut() {
            members.retain(|_, value| is_said(value));
        }
        let specific = Some(Json::of_any_size(specific));
        let reading = Reading { verdict, reason, user_message: self.system_message.clone(), specific, rule };
        AgentaoAnswer { reading, meaning: self }
    }

    /// It had nothing to say.
    fn silent(self, rule: &'static str) -> AgentaoAnswer {
        self.answer(Verdict::NoOpinion, rule)
    }
}

/// Reads an outcome.
pub(super) fn read(terms: Terms, outcome: &ScriptOutcome) -> AgentaoAnswer {
    let Terms { event, is_prompt, timeout, strict } = terms;
    if let Some(answer) = interruption(&outcome.end, timeout) {
        return answer;
    }
    let output = Output::of(outcome);
    let meaning = Meaning { output: output.stdout.clone(), ..Meaning::default() };
    match event {
        EventName::UserPromptSubmit if is_prompt => {
            let mut meaning = meaning;
            meaning.add_contexts([String::from_utf8_lossy(&outcome.stdout).into_owned()]);
            meaning.silent("A4: the text of a prompt handler is context")
        }
        EventName::UserPromptSubmit => prompt(meaning, &output, strict),
        EventName::PreToolUse => tool(meaning, &output, strict),
        EventName::Stop => stop::read(meaning, &output),
        _ => {
            let mut meaning = meaning;
            let stdout = String::from_utf8_lossy(&outcome.stdout);
            meaning.succeed(json!({"stdout": stdout, "returncode": output.status}));
            meaning.silent("A4: nothing that a lifecycle hook says changes anything")
        }
    }
}

/// A verdict and the rule that it comes from.
type Ruled = (Verdict, &'static str);

/// A script that ended by itself.
struct Output {
    status: i32,
    /// Trimmed.
    stdout: String,
    /// Trimmed.
    stderr: String,
}

impl Output {
    fn of(outcome: &ScriptOutcome) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let (stdout, stderr) = (text(&outcome.stdout), text(&outcome.stderr));
        match &outcome.end {
            Ended::Syntax(_) if !stderr.is_empty() => Self { status: SYNTAX_ERROR, stdout, stderr },
            Ended::Syntax(message) => Self { status: SYNTAX_ERROR, stdout, stderr: message.clone() },
            _ => Self { status: outcome.status, stdout, stderr },
        }
    }

    fn exited_message(&self) -> String {
        format!("Hook exited with code {}", self.status)
    }

    /// What an exit with status 2 refuses with.
    fn refusal(&self, event: EventName) -> String {
        match self.stderr.as_str() {
            "" => format!("{} hook blocked via exit 2", event.name()),
            text => text.to_owned(),
        }
    }

    /// The verdict where nothing was printed.
    fn nothing(&self, meaning: &mut Meaning, rule: &'static str) -> Ruled {
        if self.status == 0 {
            meaning.succeed(json!({}));
            return (Verdict::NoOpinion, rule);
        }
        let warning = self.exited_message();
        let stderr: String = self.stderr.chars().take(STDERR_CHARACTERS).collect();
        meaning.succeed(json!({"warning": warning, "stderr": stderr}));
        meaning.warning = Some(warning);
        (Verdict::Error, "A4, G16: exit status not 0, nothing printed: a warning")
    }

    /// The object that was printed. Without one that is the verdict, by the rules of no output, of text and of other JSON: both are
    /// context.
    fn object(
        &self,
        meaning: &mut Meaning,
        [nothing, text, other]: [&'static str; 3],
    ) -> Result<Map<String, Value>, Ruled> {
        if self.stdout.is_empty() {
            return Err(self.nothing(meaning, nothing));
        }
        let (context, rule) = match serde_json::from_str(&self.stdout) {
            Ok(Value::Object(object)) => return Ok(object),
            Ok(value) => (text_of(&value), other),
            Err(_) => (self.stdout.clone(), text),
        };
        meaning.add_contexts([context]);
        Err((Verdict::NoOpinion, rule))
    }
}

/// G11, G16.
fn interruption(end: &Ended, timeout: Duration) -> Option<AgentaoAnswer> {
    let mut meaning = Meaning::default();
    let timed_out = || (format!("Hook timed out after {}s", timeout.as_secs()), "G11: timeout");
    let (warning, rule) = match end {
        Ended::Exited | Ended::Syntax(_) => return None,
        Ended::NotStarted(why) => {
            meaning.warning = Some(format!("Hook could not be started: {why}"));
            return Some(meaning.answer(Verdict::Error, "G11: could not start"));
        }
        Ended::TimedOut => timed_out(),
        Ended::Limit(limit) if limit.limit == Limit::WallTime => timed_out(),
        other => (format!("Hook failed: {other}"), "G16: a hook that fails has no effect"),
    };
    meaning.succeed(json!({"warning": warning}));
    meaning.warning = Some(warning);
    Some(meaning.answer(Verdict::Error, rule))
}

/// A value as text: a string as it is, anything else as JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What Python takes for true.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn string(object: &Map<String, Value>, name: &str) -> Option<String> {
    object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn present<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// Why an object blocks, with the rules of its own key and of Claude Code's. The own key blocks whatever its value is, and the product
/// shows `null` in its own language.
fn block_of(
    object: &Map<String, Value>,
    strict: bool,
    [own, claude]: [&'static str; 2],
) -> Option<(String, &'static str)> {
    match object.get("blockingError") {
        Some(Value::Null) => Some(("None".to_owned(), own)),
        Some(error) => Some((text_of(error), own)),
        None if !strict && object.get("decision") == Some(&json!("block")) => {
            let reason = string(object, "reason").unwrap_or_else(|| "Blocked by hook".to_owned());
            Some((reason, claude))
        }
        None => None,
    }
}

/// `additionalContext`, a text or a list.
fn contexts(object: &Map<String, Value>) -> Vec<String> {
    match present(object, "additionalContext") {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().map(text_of).collect(),
        _ => Vec::new(),
    }
}

fn specific(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("hookSpecificOutput").and_then(Value::as_object)
}

/// `UserPromptSubmit`, a command.
fn prompt(mut meaning: Meaning, output: &Output, strict: bool) -> AgentaoAnswer {
    if output.status == 2 && !strict {
        meaning.block(output.refusal(EventName::UserPromptSubmit));
        return meaning.answer(Verdict::Block, "G12: exit status 2");
    }
    let rules =
        ["A4: no output", "A4: output that is not JSON is context", "A4: JSON that is no object is context"];
    let object = match output.object(&mut meaning, rules) {
        Ok(object) => object,
        Err((verdict, rule)) => return meaning.answer(verdict, rule),
    };
    let claude = (!strict).then_some(&object);
    if let Some((error, rule)) = block_of(&object, strict, ["A4: blockingError", "G12: decision block"]) {
        meaning.block(error);
        return meaning.answer(Verdict::Block, rule);
    }
    let refuses = object.get("preventContinuation").is_some_and(is_truthy)
        || claude.is_some_and(|object| object.get("continue") == Some(&Value::Bool(false)));
    if refuses {
        let reason =
            string(&object, "stopReason").unwrap_or_else(|| "Hook prevented continuation".to_owned());
        meaning.attach(AttachmentType::HookStoppedContinuation, json!({"stopReason": reason}));
        meaning.prevent_continuation = true;
        meaning.stop_reason = Some(reason);
        return meaning.answer(Verdict::Block, "A4: preventContinuation");
    }
    let nested = claude.and_then(specific).map(contexts).unwrap_or_default();
    meaning.add_contexts(contexts(&object).into_iter().chain(nested));
    if meaning.contexts.is_empty() {
        meaning.succeed(Value::Object(object));
        return meaning.silent("A4: an object without effect");
    }
    meaning.silent("A4: additionalContext")
}

/// `PreToolUse`.
fn tool(mut meaning: Meaning, output: &Output, strict: bool) -> AgentaoAnswer {
    if output.status == 2 && !strict {
        meaning.block(output.refusal(EventName::PreToolUse));
        return meaning.answer(Verdict::Block, "G14: exit status 2");
    }
    if output.stdout.is_empty() {
        let (verdict, rule) = output.nothing(&mut meaning, "A4: no output");
        return meaning.answer(verdict, rule);
    }
    if output.status != 0 {
        meaning.warning = Some(output.exited_message());
    }
    let Ok(Value::Object(object)) = serde_json::from_str(&output.stdout) else {
        meaning.add_contexts([output.stdout.clone()]);
        return meaning.silent("A4: output that is no JSON object is recorded");
    };
    let nested = specific(&object);
    let all = nested.map(contexts).unwrap_or_default().into_iter().chain(contexts(&object));
    meaning.add_contexts(all);
    let rules = ["G14: blockingError", "G12, G14: decision block is a blockingError"];
    if let Some((error, rule)) = block_of(&object, strict, rules) {
        meaning.block(error);
        return meaning.answer(Verdict::Block, rule);
    }
    meaning.reason = nested
        .and_then(|nested| string(nested, "permissionDecisionReason").or_else(|| string(nested, "reason")))
        .or_else(|| string(&object, "reason"));
    let (verdict, rule) =
        match nested.and_then(|nested| nested.get("permissionDecision")).and_then(Value::as_str) {
            Some("deny") => (Verdict::Block, "A4: permissionDecision deny"),
            Some("ask") => (Verdict::Ask, "A4: permissionDecision ask"),
            Some("allow") => (Verdict::Allow, "A4: permissionDecision allow has no effect"),
            _ => (Verdict::NoOpinion, "A4: an object without effect"),
        };
    meaning.succeed(Value::Object(object));
    meaning.answer(verdict, rule)
}
