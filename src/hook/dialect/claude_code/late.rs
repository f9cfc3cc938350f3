//! Handlers that nobody waits for (R54, R55): what they print is for the next turn, or wakes the agent.

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
    let status = if matches!(outcome.end, Ended::Syntax(_)) { 2 } else { outcome.status };
    if apart == Background::Rewake && status == 2 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(apart: Background, status: i32, stdout: &str, stderr: &str) -> Option<LateOutput> {
        let rewake = Rewake::default();
        output(EventName::PreToolUse, apart, &rewake, &ScriptOutcome::exited(status, stdout, stderr))
    }

    #[test]
    fn decisions_are_ignored_and_bad_members_dropped() {
        let printed = r#"{"continue":false,"systemMessage":5,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","additionalContext":"c"}}"#;
        let late = of(Background::Silent, 0, printed, "").unwrap();
        assert_eq!((late.contexts, late.system_messages, late.wake), (vec!["c".to_owned()], vec![], false));
        assert_eq!(of(Background::Silent, 2, "", "no"), None);
        assert_eq!(of(Background::Silent, 0, "text", ""), None);
    }

    #[test]
    fn a_waking_hook_may_have_words_before_its_output_and_a_line_for_the_user() {
        let rewake = Rewake { message: Some("Review:".into()), summary: Some("found".into()) };
        let woken = |stderr: &str| {
            let outcome = ScriptOutcome::exited(2, "", stderr);
            let late = output(EventName::Stop, Background::Rewake, &rewake, &outcome).unwrap();
            (late.contexts.concat(), late.system_messages.concat())
        };
        assert_eq!(woken("a bug\n"), ("Review:\na bug".to_owned(), "found".to_owned()));
        assert_eq!(woken(""), ("Review:".to_owned(), "found".to_owned()));
    }

    #[test]
    fn exit_2_wakes_with_stderr_or_stdout() {
        assert_eq!(of(Background::Rewake, 2, "out", "err\n").unwrap().contexts, ["err"]);
        let late = of(Background::Rewake, 2, "out\n", "").unwrap();
        assert_eq!((late.contexts, late.wake), (vec!["out".to_owned()], true));
        assert_eq!(of(Background::Rewake, 0, "", "err"), None);
    }
}
