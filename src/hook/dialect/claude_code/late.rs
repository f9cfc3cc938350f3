//! Handlers that nobody waits for (R54, R55): what they print is for the next turn, or wakes the agent.

use super::answer::status_of;
use super::event::EventName;
use super::hook::{Background, Rewake};
use super::printed::{Printed, read as read_printed};
use super::schema::Output;
use super::state::KeptState;
use super::{cap, log};
use crate::hook::background::Late;
use crate::hook::id::HookId;
use crate::hook::runner::{HookRunner, LateOutput};
use crate::hook::script::{Ended, ScriptOutcome};

/// Who is told how such a run ended. `name` is the hook's name in records.
pub(super) fn listener(
    hook: HookId,
    name: String,
    event: EventName,
    apart: Background,
    rewake: Rewake,
) -> Late {
    let read = move |outcome: &ScriptOutcome| output(event, apart, &rewake, outcome);
    Late::new(read, move |outcome, late, host| {
        crate::hook::watch::show_if_watched(host, || log::response(&hook, &name, event, outcome));
        let Some(mut late) = late else { return };
        hook.as_str().clone_into(&mut late.hook);
        let cut = |text: String| cap::text(text, host).0;
        late.contexts = late.contexts.into_iter().map(cut).collect();
        late.system_messages = late.system_messages.into_iter().map(cut).collect();
        if !host.deliver_late(&late) {
            host.state().with(|state: &mut KeptState| state.keep(late));
        }
    })
}

/// What is to be said, if anything. Decisions are ignored, members of the wrong type dropped one by one.
fn output(
    event: EventName,
    apart: Background,
    rewake: &Rewake,
    outcome: &ScriptOutcome,
) -> Option<LateOutput> {
    if apart == Background::Rewake && status_of(outcome) == 2 {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        let message = Some(text(&outcome.stderr)).filter(|text| !text.is_empty());
        let message = message.unwrap_or_else(|| text(&outcome.stdout));
        let message = match &rewake.message {
            Some(before) if message.is_empty() => before.as_ref().to_owned(),
            Some(before) => format!("{before}\n{message}"),
            None => message,
        };
        let system_messages = rewake.summary.iter().map(|summary| summary.as_ref().to_owned()).collect();
        return Some(LateOutput {
            contexts: vec![message],
            system_messages,
            wake: true,
            ..LateOutput::default()
        });
    }
    if outcome.end != Ended::Exited {
        return None;
    }
    let (Printed::Json(members), _) = read_printed(&outcome.stdout) else { return None };
    let output = Output::lenient(members, event);
    let late = LateOutput {
        contexts: output.own_text("additionalContext").map(str::to_owned).into_iter().collect(),
        system_messages: output.text("systemMessage").map(str::to_owned).into_iter().collect(),
        ..LateOutput::default()
    };
    (!late.contexts.is_empty() || !late.system_messages.is_empty()).then_some(late)
}

/// What waits for the next turn. A host whose turns do not start with `UserPromptSubmit`, or that wants to be early, takes
/// it; else that event's result has it.
pub fn take_late(host: &dyn HookRunner) -> Vec<LateOutput> {
    host.state().with(KeptState::take_late)
}
