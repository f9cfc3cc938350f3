//! What a handler gave (4 of the contract), for each of the four.

use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::word::words;
use crate::network::{Refusal, Url};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

words! {
    /// What one hook came to.
    pub(super) enum Decided {
        Allow "allow",
        Block "block",
        Error "error",
        Timeout "timeout",
    }
}

/// An outcome, read.
#[derive(Clone, Debug)]
pub(super) struct GoclawAnswer {
    pub(super) decided: Decided,
    /// Of a block, or the error.
    pub(super) reason: String,
    pub(super) rule: &'static str,
    pub(super) context: Option<String>,
    /// Input that the handler would like: to be applied by the row's rights, or shown to the host.
    pub(super) input: Option<Map<String, Value>>,
    /// Log keys with a text.
    pub(super) logs: Vec<(&'static str, String)>,
    pub(super) http_status: Option<i32>,
    pub(super) tokens: u64,
    /// A model's decision that may be remembered: its arguments, as JSON.
    pub(super) reply: Option<String>,
    /// What of it is not read.
    pub(super) unread: Option<&'static str>,
}

impl GoclawAnswer {
    pub(super) fn of(decided: Decided, reason: impl Into<String>, rule: &'static str) -> Self {
        Self {
            decided,
            reason: reason.into(),
            rule,
            context: None,
            input: None,
            logs: Vec::new(),
            http_status: None,
            tokens: 0,
            reply: None,
            unread: None,
        }
    }

    fn allow(rule: &'static str) -> Self {
        Self::of(Decided::Allow, "", rule)
    }

    pub(super) fn error(reason: impl Into<String>, rule: &'static str) -> Self {
        Self::of(Decided::Error, reason, rule)
    }
}

/// What reading depends on beside the outcome.
#[derive(Debug)]
pub(super) struct Terms {
    /// What the hook was given of time.
    pub(super) timeout: Duration,
    /// `None`: it was not started.
    pub(super) way: Option<Way>,
    /// Of an HTTP hook.
    pub(super) url: Arc<str>,
    /// Bytes of output that a command may print.
    pub(super) cap: u64,
    /// Whether the event can be blocked.
    pub(super) blocks: bool,
}

/// How an outcome is read.
#[derive(Clone, Debug)]
pub(super) enum Way {
    Command,
    Http,
    Prompt {
        /// Under which its decision is remembered.
        key: [u8; 32],
        /// Why the budget could not be looked at.
        warning: Option<String>,
    },
    Script,
    /// The outcome says nothing; this does.
    Known(Box<GoclawAnswer>),
}

/// Reads an outcome.
pub(super) fn read(terms: Terms, outcome: &ScriptOutcome) -> GoclawAnswer {
    let Some(way) = terms.way else {
        // Nothing that is not understood opens a gate.
        return GoclawAnswer::error(super::log::NOT_ASKED, "the hook was not started");
    };
    if let Way::Known(answer) = way {
        return *answer;
    }
    timed_out(outcome, terms.timeout).unwrap_or_else(|| match way {
        Way::Http => http(outcome, &terms.url),
        Way::Prompt { .. } => prompt(outcome, terms.blocks),
        Way::Script => script(outcome),
        Way::Command | Way::Known(_) => command(outcome, terms.cap),
    })
}

/// R26: whatever came back after the deadline is a timeout.
fn timed_out(outcome: &ScriptOutcome, timeout: Duration) -> Option<GoclawAnswer> {
    let late = outcome.end == Ended::TimedOut || outcome.duration >= timeout;
    late.then(|| {
        let message = format!("hook: timed out after {} ms", timeout.as_millis());
        GoclawAnswer::of(Decided::Timeout, message, "R26: the deadline passed")
    })
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn object_of(bytes: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(bytes).ok()
}

/// A member: the product's decoder ignores the case of names, and the last of a name counts.
fn member<'m>(object: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    object.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn object_in(object: &Map<String, Value>, name: &str) -> Option<Map<String, Value>> {
    member(object, name).and_then(Value::as_object).cloned()
}

fn string<'m>(object: &'m Map<String, Value>, name: &str) -> Option<&'m str> {
    member(object, name).and_then(Value::as_str)
}

fn first_of<const N: usize>(texts: [Option<&str>; N]) -> String {
    texts.into_iter().flatten().find(|text| !text.is_empty()).unwrap_or("hook blocked").to_owned()
}

/// 4.1.
fn command(outcome: &ScriptOutcome, cap: u64) -> GoclawAnswer {
    let stderr = text_of(&outcome.stderr);
    let failed = |why: &str| {
        let message = format!("hook: command exited {}: {why}", outcome.status);
        GoclawAnswer::error(message, "4.1: another exit status, or it did not start")
    };
    match (&outcome.end, outcome.status) {
        (Ended::Exited, 0) => said(&outcome.stdout, &stderr),
        (Ended::Exited, 2) => {
            let said = object_of(&outcome.stdout);
            let reason = first_of([Some(&stderr), said.as_ref().and_then(|said| string(said, "reason"))]);
            GoclawAnswer::of(Decided::Block, reason, "4.1: exit status 2")
        }
        (Ended::Exited, _) => failed(&stderr),
        (Ended::OutputExceeded, _) => {
            GoclawAnswer::error(format!("hook: command output exceeds {cap} bytes"), "5: output cap")
        }
        (end, _) => failed(&end.to_string()),
    }
}

/// Exit status 0: the whole of standard output, if it is one JSON object (R16, R17).
fn said(stdout: &[u8], stderr: &str) -> GoclawAnswer {
    let Some(object) = object_of(stdout) else {
        return GoclawAnswer::allow("4.1: exit status 0 without an object");
    };
    let stops = member(&object, "continue") == Some(&Value::Bool(false));
    let blocks = string(&object, "decision") == Some("block");
    let mut answer = match (stops, blocks) {
        (true, _) => GoclawAnswer::of(Decided::Block, "", "4.1: continue is false"),
        (_, true) => GoclawAnswer::of(Decided::Block, "", "R16: decision is block"),
        _ => GoclawAnswer::allow("4.1: exit status 0"),
    };
    string(&object, "reason").unwrap_or("").clone_into(&mut answer.reason);
    if answer.decided == Decided::Block {
        answer.reason = first_of([Some(&answer.reason), Some(stderr)]);
    }
    answer.context = string(&object, "additionalContext").map(str::to_owned);
    if member(&object, "updatedInput").is_some_and(|input| !input.is_null()) {
        answer.unread =
            Some("the output's member `updatedInput` is not read: a command changes no input (4.1)");
    }
    answer
}

/// 4.2.
fn http(outcome: &ScriptOutcome, url: &str) -> GoclawAnswer {
    let status = outcome.status;
    let mut answer = match &outcome.end {
        // What is cut is not JSON.
        Ended::Exited | Ended::OutputExceeded if (200..300).contains(&status) => {
            let body = if outcome.end == Ended::Exited { outcome.stdout.as_slice() } else { &[] };
            http_said(body)
        }
        Ended::Exited | Ended::OutputExceeded if (300..400).contains(&status) => {
            GoclawAnswer::error(format!("hook: http redirect refused (status {status})"), "R43: no redirects")
        }
        Ended::Exited | Ended::OutputExceeded if status >= 100 => {
            GoclawAnswer::error(format!("hook: http status {status}"), "4.2: status outside 2xx")
        }
        end => match Refusal::from_message(&end.to_string()) {
            Some(refusal) => refused(refusal, url),
            None => GoclawAnswer::error(format!("hook: http request failed: {end}"), "4.2: network error"),
        },
    };
    answer.http_status = (status >= 100).then_some(status);
    answer
}

/// R43.
pub(super) fn refused(refusal: Refusal, url: &str) -> GoclawAnswer {
    let mut answer = GoclawAnswer::error(format!("hook: {refusal}"), "R41 to R43: SSRF guard");
    answer.logs.push((super::log::SSRF_BLOCK, format!("{} reason={}", Url::for_log(url), refusal.name())));
    answer
}

fn http_said(body: &[u8]) -> GoclawAnswer {
    let Some(object) = object_of(body) else { return GoclawAnswer::allow("4.2: 2xx without an object") };
    let blocked = |rule| GoclawAnswer::of(Decided::Block, first_of([string(&object, "reason")]), rule);
    let mut answer = match member(&object, "decision") {
        Some(Value::String(decision)) if decision == "block" => blocked("4.2: decision is block"),
        Some(Value::Null) | None if member(&object, "continue") == Some(&Value::Bool(false)) => {
            blocked("4.2: no decision, continue is false")
        }
        _ => GoclawAnswer::allow("4.2: 2xx"),
    };
    answer.context = string(&object, "additionalContext").map(str::to_owned);
    answer.input = object_in(&object, "updatedInput");
    answer
}

/// 4.3. A provider that fails blocks where that is possible (R20).
fn prompt(outcome: &ScriptOutcome, blocks: bool) -> GoclawAnswer {
    if outcome.end != Ended::Exited || outcome.status != 0 {
        let why = match &outcome.end {
            Ended::Exited => format!("status {}", outcome.status),
            end => end.to_string(),
        };
        let decided = if blocks { Decided::Block } else { Decided::Error };
        return GoclawAnswer::of(
            decided,
            format!("hook: prompt evaluation failed: {why}"),
            "R20: provider failure",
        );
    }
    let reply = object_of(&outcome.stdout);
    let tokens = reply.as_ref().and_then(|reply| reply.get("tokens")).and_then(Value::as_u64).unwrap_or(0);
    let first = reply.as_ref().and_then(|reply| reply.get("tool_calls")?.as_array()?.first());
    let mut answer = first.and_then(decide_call).unwrap_or_else(|| {
        let message = "hook: the model did not call decide as asked";
        let mut answer = GoclawAnswer::of(Decided::Block, message, "R19: no readable decision");
        answer.logs.push((super::log::PROMPT_PARSE_ERROR, message.to_owned()));
        answer
    });
    answer.tokens = tokens;
    answer
}

/// The first call, if it is one of `decide` with a decision; arguments are an object or its text.
fn decide_call(call: &Value) -> Option<GoclawAnswer> {
    if call.get("name")?.as_str()? != "decide" {
        return None;
    }
    match call.get("arguments")? {
        Value::Object(arguments) => decide(arguments),
        Value::String(text) => decide(&object_of(text.as_bytes())?),
        _ => None,
    }
}

/// The arguments of `decide`, fresh or remembered.
pub(super) fn decide(arguments: &Map<String, Value>) -> Option<GoclawAnswer> {
    let reason = string(arguments, "reason").unwrap_or("").to_owned();
    let mut answer = match string(arguments, "decision")? {
        "allow" => GoclawAnswer::of(Decided::Allow, reason, "R19: decide allow"),
        "block" => GoclawAnswer::of(Decided::Block, first_of([Some(&reason)]), "R19: decide block"),
        _ => return None,
    };
    answer.context = string(arguments, "additional_context").map(str::to_owned);
    answer.reply = serde_json::to_string(arguments).ok();
    answer.input = object_in(arguments, "updated_input");
    Some(answer)
}

/// 4.4.
fn script(outcome: &ScriptOutcome) -> GoclawAnswer {
    let error = |why: &str| GoclawAnswer::error(format!("hook: script: {why}"), "R21: not a decision");
    match &outcome.end {
        Ended::Exited if outcome.status == 0 => {}
        Ended::Exited => return error(&text_of(&outcome.stderr)),
        end => return error(&end.to_string()),
    }
    let Some(object) = object_of(&outcome.stdout) else { return error("handle returned no decision") };
    let reason = string(&object, "reason").unwrap_or("").to_owned();
    let blocked = |rule| GoclawAnswer::of(Decided::Block, first_of([Some(&reason)]), rule);
    let mut answer = match string(&object, "decision") {
        Some("allow") => GoclawAnswer::of(Decided::Allow, reason, "R21: allow"),
        Some("block") => blocked("R21: block"),
        Some(other @ ("ask" | "defer")) => {
            let mut answer = blocked("R21: ask and defer block");
            answer.logs.push((super::log::WARNING, format!("script decision {other} acts as block")));
            answer
        }
        _ => return error("handle returned no decision"),
    };
    answer.input = object_in(&object, "updatedInput");
    answer
}
