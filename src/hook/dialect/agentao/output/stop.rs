//! `Stop` (A4): nine steps over exit status and output; each only adds to what the ones before found.

use super::{AgentaoAnswer, Meaning, Output, contexts, specific, string};
use crate::hook::decision::Verdict;
use crate::hook::dialect::agentao::event::EventName;
use crate::hook::dialect::agentao::result::AttachmentType;
use serde_json::{Map, Value, json};

pub(super) fn read(mut meaning: Meaning, output: &Output) -> AgentaoAnswer {
    if output.status == 2 {
        let reason = output.refusal(EventName::Stop);
        meaning.attach(AttachmentType::HookStopBlockedViaExit2, json!({"follow_up_message": reason}));
        meaning.force_continue = true;
        meaning.follow_up_message = Some(reason.clone());
        meaning.stop_reason = Some(reason);
        return meaning.answer(Verdict::Block, "A4 Stop step 1: exit status 2");
    }
    let rules = [
        "A4 Stop step 3: no output",
        "A4 Stop step 3: output that is not JSON is context",
        "A4 Stop step 3: JSON that is no object is context",
    ];
    match output.object(&mut meaning, rules) {
        Ok(object) => decided(meaning, object),
        Err((verdict, rule)) => meaning.answer(verdict, rule),
    }
}

/// Steps 4 to 9.
fn decided(mut meaning: Meaning, object: Map<String, Value>) -> AgentaoAnswer {
    let is_true = |name: &str| object.get(name) == Some(&Value::Bool(true));
    let ends = object.get("continue") == Some(&Value::Bool(false));
    let stop_reason = string(&object, "stopReason");
    if object.get("decision") == Some(&json!("block")) {
        match string(&object, "reason") {
            Some(reason) => {
                if !ends {
                    meaning.force_continue = true;
                    meaning.follow_up_message = Some(reason.clone());
                }
                meaning.stop_reason = Some(reason);
            }
            None => meaning.warning = Some("decision: block without a reason is ignored (A4)".to_owned()),
        }
    }
    meaning.stop_reason = stop_reason.clone().or(meaning.stop_reason);
    meaning.suppress_output = is_true("suppressOutput");
    meaning.system_message = string(&object, "systemMessage");
    let nested = specific(&object).map(contexts).unwrap_or_default();
    let all = meaning.system_message.clone().into_iter().chain(nested).chain(contexts(&object));
    meaning.add_contexts(all.collect::<Vec<_>>());
    if let Some(error) = string(&object, "blockingError") {
        meaning.block(error);
    }
    if is_true("preventContinuation") && !ends && meaning.blocking_error.is_none() {
        let text = |default: &str| Some(stop_reason.clone().unwrap_or_else(|| default.to_owned()));
        meaning.force_continue = true;
        meaning.follow_up_message =
            meaning.follow_up_message.take().or_else(|| text("Stop hook requested continuation"));
        meaning.stop_reason = text("Hook prevented continuation");
    }
    if is_true("force_continue") && !ends {
        match string(&object, "follow_up_message") {
            Some(message) => {
                meaning.force_continue = true;
                meaning.follow_up_message = meaning.follow_up_message.take().or(Some(message));
            }
            None if !meaning.force_continue => {
                let warning = "force_continue without a follow_up_message is ignored (A4)";
                meaning.warning = Some(warning.to_owned());
            }
            None => {}
        }
    }
    if ends {
        meaning.attach(AttachmentType::HookStoppedContinuation, json!({"stopReason": meaning.stop_reason}));
    }
    let verdict = if meaning.force_continue || meaning.blocking_error.is_some() {
        Verdict::Block
    } else {
        Verdict::NoOpinion
    };
    meaning.succeed(Value::Object(object));
    meaning.answer(verdict, "A4 Stop steps 4 to 9: an object")
}
