//! What a hook's outcome means (4 of the contract): by exit status, then standard output as a JSON verdict or as text.
//!
//! What counts on this event is typed ([`Said`]); [`Reading::specific`] shows the same, for the record: the fields of
//! `hook_specific_output` that it supports, `exit_code` and `stderr` of a hook that blocked by status or failed, `ignored`
//! (names of fields without effect) and `suppress_output`.

use super::evaluator::Evaluator;
use super::event::{EventName, OUTPUT, Rewritten};
use super::instruction::Instruction;
use super::payload::Rewrites;
use crate::hook::decision::{Reading, Verdict};
use crate::hook::json::Json;
use crate::hook::script::{Capture, Ended, ScriptOutcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What reading depends on beside the outcome.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    pub(super) event: EventName,
    pub(super) source: OutputSource,
    /// The hook runs in the preempt lane.
    pub(super) preempt: bool,
    pub(super) strict: bool,
    /// A transition where none is possible is a failure.
    pub(super) knows_transitions: bool,
    pub(super) lenient: bool,
    /// Text is taken as context.
    pub(super) context: bool,
    pub(super) display: Arc<str>,
    /// On what rewritten arguments are laid; `None` is nothing.
    pub(super) input: Option<Json>,
    pub(super) timeout: Duration,
    pub(super) capture: Capture,
}

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Schema {
    /// Text.
    Free,
    /// One of allow, ask and deny.
    Permission,
    /// Allow or deny, and nothing else.
    Guard,
}

/// Whose output it is.
#[derive(Clone, Debug)]
pub(super) enum OutputSource {
    Command,
    Model(Schema),
    Evaluator(Evaluator),
    /// By its name.
    Builtin(Arc<str>),
}

/// What an outcome means.
pub(super) struct DockerAgentAnswer {
    pub(super) reading: Reading,
    pub(super) said: Said,
}

impl From<Reading> for DockerAgentAnswer {
    fn from(reading: Reading) -> Self {
        Self { reading, said: Said::default() }
    }
}

/// What a hook said beside its verdict, as far as it counts on this event.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) exited_two: bool,
    pub(super) rewrites: Rewrites,
    pub(super) summary: Option<String>,
    /// The agent to which the conversation goes.
    pub(super) route: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) context: Option<String>,
    /// Instructions for the model, each under a key.
    pub(super) instructions: Vec<Instruction>,
    /// Fields without effect here.
    pub(super) ignored: Vec<&'static str>,
}

/// A verdict (4.3). Unknown keys are ignored (R15); null is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "an object")]
struct Output {
    #[serde(rename = "continue")]
    goes_on: Option<bool>,
    stop_reason: Option<String>,
    #[serde(rename = "suppress_output")]
    suppress: Option<bool>,
    system_message: Option<String>,
    decision: Option<String>,
    reason: Option<String>,
    #[serde(rename = "hook_specific_output")]
    specific: Option<Specific>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "an object as hook_specific_output")]
struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Map<String, Value>>,
    metadata: Option<BTreeMap<String, String>>,
    additional_context: Option<String>,
    /// A list of [`Instruction`]s, where the contract has them.
    instruction_context: Option<Value>,
    /// A text; what a built-in rewrites may stay an object.
    updated_tool_response: Option<Value>,
    updated_messages: Option<Vec<Value>>,
    summary: Option<String>,
    transition: Option<Transition>,
}

/// Where a conversation goes.
#[derive(Debug, Deserialize, Serialize)]
#[serde(expecting = "an object as transition")]
struct Transition {
    #[serde(default)]
    action: String,
    #[serde(default)]
    agent: String,
}

/// Reads an outcome.
pub(super) fn read(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    match (&outcome.end, outcome.status) {
        (Ended::Exited, 0) => success(terms, outcome),
        // `sh -c` (R8) exits with 2 when its script does not parse, with the reason on standard error.
        (Ended::Exited, 2) | (Ended::Syntax(_), _) => exit_two(terms, outcome),
        (Ended::Exited, status) if terms.lenient => {
            let text = format!("exit status {status} is no failure: lenient_exit_codes");
            Reading::because(Verdict::NoOpinion, text, "4.1, switch lenient_exit_codes: only logged").into()
        }
        (Ended::Exited, status) => {
            failure(outcome, format!("exit status {status}"), "4.1: another exit status is a failure")
        }
        (end, _) => interrupted(terms, outcome, end),
    }
}

/// A hook failure; the reason is its cause (R25).
pub(super) fn failure(
    outcome: &ScriptOutcome,
    cause: impl Into<String>,
    rule: &'static str,
) -> DockerAgentAnswer {
    let specific = end_of(None, &outcome.stderr);
    Reading { specific, ..Reading::because(Verdict::Error, cause, rule) }.into()
}

fn interrupted(terms: &Terms, outcome: &ScriptOutcome, end: &Ended) -> DockerAgentAnswer {
    let (cause, rule) = match end {
        Ended::TimedOut => (format!("timed out after {}s", terms.timeout.as_secs()), "R25, R28: out of time"),
        Ended::OutputExceeded => {
            let Capture { stdout, stderr, .. } = terms.capture;
            let cause = format!("output exceeded {stdout} bytes on stdout or {stderr} bytes on stderr");
            (cause, "5.5: output cap")
        }
        other => (other.to_string(), "4.1: could not run"),
    };
    failure(outcome, cause, rule)
}

/// What did not answer: a failure, whatever its status.
pub(super) fn interrupted_or_failed(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    match &outcome.end {
        Ended::Exited => failure(outcome, format!("status {}", outcome.status), "6.4: no assessment"),
        end => interrupted(terms, outcome, end),
    }
}

/// What the record shows of a hook that blocked by status or failed.
fn end_of(exit_code: Option<i32>, stderr: &[u8]) -> Option<Json> {
    let stderr = (!stderr.is_empty()).then(|| String::from_utf8_lossy(stderr).into());
    let both = [("exit_code", exit_code.map(Value::from)), ("stderr", stderr)];
    let known: Map<_, _> =
        both.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    (!known.is_empty()).then(|| Json::from(Value::Object(known)))
}

/// R12, R13.
fn exit_two(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    let stderr = match &outcome.end {
        Ended::Syntax(message) if outcome.stderr.is_empty() => message.as_bytes(),
        _ => &outcome.stderr,
    };
    let text = String::from_utf8_lossy(stderr).trim().to_owned();
    let reading = if terms.event.can_block() {
        let (reason, user_message) =
            if text.is_empty() { printed_reason(terms, outcome) } else { (text, None) };
        Reading { user_message, ..Reading::because(Verdict::Block, reason, "4.1, R12: exit status 2") }
    } else {
        let (hook, event) = (&terms.display, terms.event.name());
        let text = format!("hook \"{hook}\" tried to block {event}, which cannot be blocked");
        let rule = "R13: exit status 2 on an event that can not be blocked";
        Reading { user_message: Some(text), ..Reading::of(Verdict::NoOpinion, rule) }
    };
    let reading = Reading { specific: end_of(Some(2), stderr), ..reading };
    DockerAgentAnswer { reading, said: Said { exited_two: true, ..Said::default() } }
}

/// The reason of a block that standard output has, and its message for the user.
fn printed_reason(terms: &Terms, outcome: &ScriptOutcome) -> (String, Option<String>) {
    let printed = serde_json::from_slice::<Value>(&outcome.stdout).unwrap_or_default();
    let text = |at: &str| {
        let text = printed.pointer(at).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let places = ["/reason", "/hook_specific_output/permission_decision_reason", "/stop_reason"];
    let reason = places.into_iter().find_map(text);
    (reason.unwrap_or_else(|| format!("blocked by hook \"{}\"", terms.display)), text("/system_message"))
}

/// 4.2.
fn success(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let text = stdout.trim();
    if terms.strict
        && let Err(why) = check_strict(terms, text)
    {
        return failure(outcome, format!("strict_output: {why}"), "4.5: strict output");
    }
    if text.is_empty() || text == "{}" {
        return Reading::of(Verdict::NoOpinion, "4.2: nothing said").into();
    }
    if terms.event.is_mute() {
        return Reading::of(Verdict::NoOpinion, "2.1: output of this event is ignored").into();
    }
    if !text.starts_with('{') {
        return plain(terms, text);
    }
    // By way of a value, so that of a key written twice the last one counts.
    let parsed = serde_json::from_str::<Value>(text).and_then(|value| typed(terms, value));
    match parsed {
        Ok(output) => verdict(terms, outcome, output),
        Err(_) if terms.context => plain(terms, text),
        Err(why) => failure(outcome, format!("invalid JSON output: {why}"), "4.2: malformed JSON"),
    }
}

/// The members of a verdict by their types.
fn typed(terms: &Terms, value: Value) -> Result<Output, serde_json::Error> {
    let output: Output = serde_json::from_value(value)?;
    let response = output.specific.as_ref().and_then(|specific| specific.updated_tool_response.as_ref());
    let is_own = matches!(terms.source, OutputSource::Builtin(_));
    if response.is_some_and(|response| !response.is_string()) && !is_own {
        return Err(serde::de::Error::custom("updated_tool_response is not a string"));
    }
    Ok(output)
}

fn plain(terms: &Terms, text: &str) -> DockerAgentAnswer {
    if terms.context {
        return context(text, "4.2: text is context");
    }
    Reading::of(Verdict::NoOpinion, "4.2: text is ignored on this event").into()
}

/// An answer that adds a text to the context.
pub(super) fn context(text: &str, rule: &'static str) -> DockerAgentAnswer {
    let specific = Json::from(serde_json::json!({"additional_context": text}));
    let reading = Reading { specific: Some(specific), ..Reading::of(Verdict::NoOpinion, rule) };
    let context = Some(text.to_owned()).filter(|text| !text.is_empty());
    DockerAgentAnswer { reading, said: Said { context, ..Said::default() } }
}

/// A verdict as it is put together.
#[derive(Default)]
struct Draft {
    blocks: bool,
    texts: Vec<String>,
    permission: Option<Verdict>,
    permission_reason: Option<String>,
    /// What the record shows of `said`.
    shown: Map<String, Value>,
    said: Said,
}

impl Draft {
    fn block(&mut self, text: Option<&str>) {
        self.blocks = true;
        let text = text.unwrap_or_default();
        if !text.is_empty() && !self.texts.iter().any(|known| known == text) {
            self.texts.push(text.to_owned());
        }
    }

    fn ignore(&mut self, name: &'static str) {
        self.said.ignored.push(name);
    }

    /// A field's value, shown in the record; `None` and a note where the event does not support it.
    fn take<T: Serialize>(&mut self, supported: bool, name: &'static str, value: Option<T>) -> Option<T> {
        let value = value?;
        if !supported {
            self.ignore(name);
            return None;
        }
        self.shown.insert(name.to_owned(), serde_json::to_value(&value).unwrap_or_default());
        Some(value)
    }
}

/// 4.3, 4.4.
fn verdict(terms: &Terms, outcome: &ScriptOutcome, output: Output) -> DockerAgentAnswer {
    let event = terms.event;
    let mut draft = Draft::default();
    let reason = output.reason.as_deref().filter(|reason| !reason.is_empty());
    if output.goes_on == Some(false) {
        if event.can_block() {
            draft.block(output.stop_reason.as_deref().filter(|text| !text.is_empty()).or(reason));
        } else {
            draft.ignore("continue");
        }
    }
    match output.decision.as_deref() {
        None | Some("") => {}
        Some("block") if event.can_block() => draft.block(reason),
        Some("block") => draft.ignore("decision"),
        Some(other) => {
            return failure(outcome, format!("unsupported decision '{other}'"), "R16: unknown decision");
        }
    }
    let specific = output.specific.unwrap_or_default();
    let permission = specific.permission_decision.as_deref().filter(|permission| !permission.is_empty());
    let why = specific.permission_decision_reason.as_deref().filter(|why| !why.is_empty()).or(reason);
    match permission {
        None => {}
        // A failure on every event: what was meant to deny must not pass for nothing where the event takes no permission.
        Some(other) if !matches!(other, "deny" | "allow" | "ask") => {
            let cause = format!("unsupported permission_decision '{other}'");
            return failure(outcome, cause, "R16: unknown permission_decision");
        }
        Some(_) if !event.takes_permission() => draft.ignore("permission_decision"),
        Some("deny") => draft.block(why),
        Some(word) => {
            draft.permission = Some(if word == "ask" { Verdict::Ask } else { Verdict::Allow });
            draft.permission_reason = why.map(str::to_owned);
        }
    }
    if let Some(Transition { action, agent }) = &specific.transition
        && terms.knows_transitions
    {
        if !event.routes() {
            let cause = format!("transition is not possible on {}", event.name());
            return failure(outcome, cause, "4.6: a transition of another event");
        }
        if action != "route" || agent.trim().is_empty() {
            return failure(
                outcome,
                "transition must have the action route and an agent",
                "4.6: no transition",
            );
        }
    }
    let route = specific.transition.map(|transition| transition.agent);
    draft.said.route = draft.take(event.routes(), "transition", route);
    let rewrites = |what| event.rewritten() == Some(what) && !terms.preempt;
    let input = draft.take(rewrites(Rewritten::Input), "updated_input", specific.updated_input);
    draft.said.rewrites.input = input.map(|input| laid_over(terms.input.clone(), input));
    let response = specific.updated_tool_response.map(Json::of_any_size);
    draft.said.rewrites.response =
        draft.take(rewrites(Rewritten::Response), "updated_tool_response", response);
    // No message at all is not a rewrite: a model has to be asked something.
    let messages = specific.updated_messages.filter(|messages| !messages.is_empty());
    let messages = draft.take(rewrites(Rewritten::Messages), "updated_messages", messages);
    draft.said.rewrites.messages = messages.map(|messages| Json::of_any_size(Value::Array(messages)));
    let summary = specific.summary.filter(|summary| !summary.is_empty());
    draft.said.summary = draft.take(rewrites(Rewritten::Summary), "summary", summary);
    let metadata = draft.take(takes_metadata(terms), "metadata", specific.metadata);
    draft.said.metadata = metadata.unwrap_or_default();
    let context = specific.additional_context.filter(|context| !context.is_empty());
    draft.said.context = draft.take(terms.context, "additional_context", context);
    if let Some(instructions) = specific.instruction_context.filter(|_| terms.knows_transitions) {
        match Instruction::read(instructions) {
            Ok(instructions) => {
                let all = Some(instructions).filter(|all| !all.is_empty());
                let all = draft.take(event.takes_instructions(), "instruction_context", all);
                draft.said.instructions = all.unwrap_or_default();
            }
            Err(why) => {
                let cause = format!("invalid JSON output: instruction_context: {why}");
                return failure(outcome, cause, "4.2: malformed JSON");
            }
        }
    }
    if output.suppress == Some(true) {
        draft.shown.insert("suppress_output".to_owned(), true.into());
    }
    draft.answer(event, output.system_message)
}

/// The call's arguments with what a hook rewrote.
fn laid_over(below: Option<Json>, input: Map<String, Value>) -> Json {
    Json::of_any_size(Value::Object(match below.map(Json::into_value) {
        Some(Value::Object(mut all)) => {
            all.extend(input);
            all
        }
        _ => input,
    }))
}

fn takes_metadata(terms: &Terms) -> bool {
    terms.preempt
        || terms.event.routes()
        || matches!(terms.event, EventName::PermissionRequest | EventName::ToolGuard)
}

impl Draft {
    fn answer(mut self, event: EventName, system_message: Option<String>) -> DockerAgentAnswer {
        let ignored = &self.said.ignored;
        let rewrites = event.rewritten().is_some_and(|what| self.shown.contains_key(what.field()));
        let (verdict, reason, rule) = match (self.blocks, self.permission) {
            (true, _) => {
                (Verdict::Block, Some(self.texts.join("\n")).filter(|text| !text.is_empty()), "4.4: a block")
            }
            (false, Some(permission)) => (permission, self.permission_reason, "4.4: permission_decision"),
            (false, None) if rewrites => (Verdict::Mutate, None, "4.3: a rewrite"),
            (false, None) if ignored.is_empty() => (Verdict::NoOpinion, None, "4.3: no verdict"),
            (false, None) => {
                (Verdict::NoOpinion, None, "R17, R18: what the event does not support is ignored")
            }
        };
        if !ignored.is_empty() {
            self.shown.insert("ignored".to_owned(), ignored.clone().into());
        }
        let specific = (!self.shown.is_empty()).then(|| Json::of_any_size(Value::Object(self.shown)));
        let user_message = system_message.filter(|message| !message.is_empty());
        let reading = Reading { verdict, reason, user_message, specific, rule };
        DockerAgentAnswer { reading, said: self.said }
    }
}

/// 4.5; the error says what is wrong.
fn check_strict(terms: &Terms, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    let value: Value = serde_json::from_str(text).map_err(|why| why.to_string())?;
    let object = value.as_object().ok_or("stdout is not a JSON object")?;
    if let Some(unknown) = object.keys().find(|key| !OUTPUT.iter().any(|(known, _)| known == key)) {
        return Err(format!("unknown field `{unknown}`"));
    }
    if object.contains_key("suppress_output") {
        return Err("`suppress_output` is not supported".to_owned());
    }
    if !terms.event.can_block()
        && let Some(field) = ["decision", "reason"].into_iter().find(|field| object.contains_key(*field))
    {
        return Err(format!("`{field}` is not supported on {}", terms.event.name()));
    }
    let output = typed(terms, value.clone()).map_err(|why| why.to_string())?;
    let keys = value.get("hook_specific_output").and_then(Value::as_object);
    for key in keys.into_iter().flat_map(Map::keys) {
        if !supports(terms, key) {
            return Err(format!("`{key}` is not supported on {}", terms.event.name()));
        }
    }
    match output.specific.and_then(|specific| specific.hook_event_name) {
        Some(name) if name != terms.event.name() => {
            Err(format!("hook_event_name is `{name}`, the event is {}", terms.event.name()))
        }
        _ => Ok(()),
    }
}

fn supports(terms: &Terms, field: &str) -> bool {
    match field {
        "hook_event_name" => true,
        "permission_decision" | "permission_decision_reason" => terms.event.takes_permission(),
        "metadata" => takes_metadata(terms),
        "additional_context" => terms.context,
        "instruction_context" => terms.event.takes_instructions() && terms.knows_transitions,
        "transition" => terms.event.routes() && terms.knows_transitions,
        _ => !terms.preempt && terms.event.rewritten().is_some_and(|what| what.field() == field),
    }
}
