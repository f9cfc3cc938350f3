//! Model hooks (6.2 of the contract): the question, and what a reply means.

use super::guard;
use super::input::INPUT;
use super::output::{self, DockerAgentAnswer, Said, Schema, Terms, failure};
use crate::hook::decision::{Reading, Verdict};
use crate::hook::json::Json;
use crate::hook::request::{ModelRequest, Request};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::template::Template;
use serde_json::{Map, Value, json};

/// What the model is told about its task.
const JUDGE: &str = "You judge one tool call of an agent. Reply with a JSON object and nothing else: \
    {\"decision\": \"allow\" | \"ask\" | \"deny\", \"reason\": \"one short sentence\"}.";
const GUARD: &str = "You guard a step of an agent. Reply with a JSON object and nothing else: \
    {\"decision\": \"allow\" | \"deny\", \"reason\": \"one short sentence\"}.";
const ADVISER: &str = "You are consulted by a hook of an agent. Reply with the text that is to be added to the agent's \
    context, and nothing else.";
/// Where in a reply an object may begin: so many braces are tried.
const MOST_STARTS: usize = 64;

/// The question (R37, R38), to a model that is told this about its task, where the hook says; the error is why it cannot be put.
pub(super) fn request(
    model: &str,
    system: Option<&str>,
    template: &Result<Template, String>,
    asked: Schema,
    payload: &Map<String, Value>,
) -> Result<Request, String> {
    let (task, words): (_, &[&str]) = match asked {
        Schema::Free => (ADVISER, &[]),
        Schema::Permission => (JUDGE, &["allow", "ask", "deny"]),
        Schema::Guard => (GUARD, &["allow", "deny"]),
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {"type": "string", "enum": words},
            "reason": {"type": "string"},
        },
        "required": ["decision", "reason"],
        "additionalProperties": false,
    });
    let prompt =
        template.as_ref().map_err(Clone::clone).and_then(|template| template.render(&INPUT, payload));
    Ok(Request::Model(ModelRequest {
        model: Some(model.to_owned()),
        system: system.unwrap_or(task).to_owned(),
        prompt: prompt.map_err(|why| format!("prompt: {why}"))?,
        schema: (asked != Schema::Free).then_some(schema),
        max_tokens: None,
        agent: false,
    }))
}

/// R39, R40.
pub(super) fn read(terms: &Terms, asked: Schema, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    if outcome.end != Ended::Exited || outcome.status != 0 {
        // A model has no exit status 2: nothing of a script's rules but the failures is meant.
        let status = if outcome.status == 0 { 0 } else { -1 };
        let terms = Terms { lenient: false, ..terms.clone() };
        return output::read(&terms, &ScriptOutcome { status, ..outcome.clone() });
    }
    if asked == Schema::Guard {
        return decided(terms, outcome);
    }
    let reply = String::from_utf8_lossy(&outcome.stdout);
    let reply = reply.trim();
    if asked == Schema::Free {
        return match (reply.is_empty(), terms.context) {
            (true, _) => Reading::of(Verdict::NoOpinion, "R40: an empty reply").into(),
            (false, true) => output::context(reply, "R40: the reply is context"),
            (false, false) => Reading::of(Verdict::NoOpinion, "R40: the event takes no context").into(),
        };
    }
    let Some(object) = first_object(reply) else {
        return failure(outcome, "the model's reply has no JSON object", "R39: an unusable reply");
    };
    let reason = object.get("reason").and_then(Value::as_str).unwrap_or_default();
    let verdict = match object.get("decision").and_then(Value::as_str) {
        Some("allow") => Verdict::Allow,
        Some("ask") => Verdict::Ask,
        Some("deny") => Verdict::Block,
        _ => {
            let cause = "the model's reply has no decision of allow, ask or deny";
            return failure(outcome, cause, "R39: an unusable reply");
        }
    };
    if !terms.event.takes_permission() {
        let ignored = vec!["permission_decision"];
        let specific = Some(Json::from(json!({"ignored": ignored})));
        let reading = Reading::of(Verdict::NoOpinion, "R18: the event takes no permission decision");
        let said = Said { ignored, ..Said::default() };
        return DockerAgentAnswer { reading: Reading { specific, ..reading }, said };
    }
    let reason = (!reason.is_empty()).then(|| reason.to_owned());
    Reading { reason, ..Reading::of(verdict, "R38: the model's decision") }.into()
}

/// What a model said that was asked to allow or to deny.
fn decided(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    match guard::decision(&outcome.stdout) {
        Ok((goes_on, _)) if terms.event.is_guard() => guard::answer(terms, outcome, goes_on),
        Ok((true, _)) => Reading::of(Verdict::NoOpinion, "6.2: the model allows it").into(),
        Ok((false, reason)) => Reading::because(Verdict::Block, reason, "6.2: the model denies it").into(),
        Err(why) => failure(outcome, why, "R39: an unusable reply"),
    }
}

/// The first JSON object in a text, whatever is around it.
fn first_object(text: &str) -> Option<Map<String, Value>> {
    let starts = text.match_indices('{').take(MOST_STARTS);
    starts.filter_map(|(at, _)| text.get(at..)).find_map(|rest| {
        serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>().next()?.ok()
    })
}
