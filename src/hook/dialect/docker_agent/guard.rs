//! Guards of content (4.6 of the contract): a skill or a prompt file is used only where every hook says so in as many words, and
//! nothing that a hook printed is shown, for it may repeat what it was to keep away.

use super::event::EventName;
use super::output::{DockerAgentAnswer, Said, Terms};
use crate::document::{Node, NodeKind, Source};
use crate::hook::decision::{Reading, Verdict};
use crate::hook::script::{Ended, ScriptOutcome};
use rustc_hash::FxHashSet;

/// Members that an output may have.
const MEMBERS: [&str; 6] =
    ["continue", "stop_reason", "system_message", "decision", "reason", "hook_specific_output"];

/// What a command or a built-in said.
pub(super) fn read(terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    let goes_on =
        outcome.end == Ended::Exited && outcome.status == 0 && says_so(terms.event, &outcome.stdout);
    answer(terms, outcome, goes_on)
}

/// The guard's answer, with a text of ours.
pub(super) fn answer(terms: &Terms, outcome: &ScriptOutcome, goes_on: bool) -> DockerAgentAnswer {
    if goes_on {
        return Reading::of(Verdict::NoOpinion, "4.6: the guard said that it goes on").into();
    }
    let text = refusal(terms.event, &terms.display);
    let exited_two = outcome.end == Ended::Exited && outcome.status == 2;
    let reading = Reading::because(Verdict::Block, text, "4.6: a guard that does not say that it goes on");
    DockerAgentAnswer { reading, said: Said { exited_two, ..Said::default() } }
}

/// What is told instead of what a guard printed.
pub(super) fn refusal(event: EventName, display: &str) -> String {
    format!("{} hook \"{display}\" did not allow the content", event.name())
}

/// One object, no name twice, no other names, and `continue` is true.
fn says_so(event: EventName, stdout: &[u8]) -> bool {
    let Some(object) = object(stdout, &MEMBERS) else { return false };
    let is_true = |node: &Node| matches!(node.kind, NodeKind::Bool(true));
    let is_for_event = object.get("hook_specific_output").is_none_or(|own| {
        let is_name = |name: &Node| name.as_str() == Some(event.name());
        own.is_object()
            && own.members().len() <= 1
            && own.members().iter().all(|member| member.name == "hook_event_name" && is_name(&member.value))
    });
    let is_undecided = object.get("decision").is_none_or(|word| word.as_str() == Some(""));
    object.get("continue").is_some_and(is_true) && is_undecided && is_for_event
}

/// The decision of a model that was asked for allow or deny, with its reason.
pub(super) fn decision(reply: &[u8]) -> Result<(bool, String), &'static str> {
    let object = object(reply, &["decision", "reason"])
        .ok_or("the model's reply is not one decision with its reason")?;
    let text = |name: &str| object.get(name).and_then(Node::as_str);
    match (text("decision"), text("reason")) {
        (Some("allow"), Some(reason)) => Ok((true, reason.to_owned())),
        (Some("deny"), Some(reason)) => Ok((false, reason.to_owned())),
        _ => Err("the model's reply has no decision of allow or deny with its reason"),
    }
}

/// The object that a text is, if it is one with no other members than these, each once.
fn object(text: &[u8], members: &[&str]) -> Option<Node> {
    let node = Source::new("", text.trim_ascii()).json("").ok().filter(Node::is_object)?;
    let mut seen = FxHashSet::default();
    let is_known = |name: &str| members.contains(&name);
    let is_plain =
        node.members().iter().all(|member| is_known(&member.name) && seen.insert(member.name.as_str()));
    is_plain.then(|| node.clone())
}
