//! Shadow mode: hooks run and are recorded, and nothing of what they decide is done. A config is tried on real sessions
//! before it may block anything.
//!
//! The session is wrapped ([`Watched`]) for the time of a firing, so that no dialect has to know: what hooks say late is not
//! delivered, log records are marked, and the dialect's counters and caps (blocks in a row, breakers, budgets, runs in the
//! background) are kept apart from those of an enforced config in the same session.

use super::decision::Decision;
use super::observer::HookObserver;
use super::record::LogRecord;
use super::request::Request;
use super::runner::{HookFuture, HookRunner, LateOutput};
use super::script::{ScriptOutcome, ScriptRequest};
use super::state::SessionState;
use crate::hook::dialect::result::DialectResult;
use crate::text::Text;
use crate::vfs::{FileSystem, FsError, WithdrawError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What a firing would have come to.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// In our own words.
    pub decision: Decision,
    /// In the dialect's shape; `None` when the dialect has no such event.
    pub dialect_result: Option<DialectResult>,
}

impl Shadow {
    /// As one JSON object: `proceed`, `decision`, `result`.
    pub fn to_json(&self) -> Value {
        json!({"proceed": self.decision.proceeds(), "decision": self.decision, "result": self.dialect_result})
    }
}

/// Says in a log record that nothing was enforced: its last field is `shadow`, true.
pub(super) fn mark(log: &mut LogRecord) {
    log.fields.insert("shadow".to_owned(), true.into());
}

/// A session's state for what is only watched; it lies in the session's own state.
#[derive(Default)]
struct Apart(Arc<SessionState>);

/// A session whose hooks are only watched.
pub(super) struct Watched<'a> {
    session: &'a dyn HookRunner,
    state: Arc<SessionState>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(session: &'a dyn HookRunner) -> Self {
        Self { session, state: session.state().with(|apart: &mut Apart| Arc::clone(&apart.0)) }
    }

    /// Where something was watched in this session before.
    pub(super) fn known(session: &'a dyn HookRunner) -> Option<Self> {
        let state = session.state().peek(|apart: &mut Apart| Arc::clone(&apart.0))?;
        Some(Self { session, state })
    }
}

impl HookRunner for Watched<'_> {
    fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
        self.session.run(request)
    }

    fn start(&self, request: ScriptRequest<'_>) -> Option<HookFuture<'static, ScriptOutcome>> {
        self.session.start(request)
    }

    /// Taken, and dropped.
    fn deliver_late(&self, _: &LateOutput) -> bool {
        true
    }

    fn write_file(&self, path: &[u8], content: &Text) -> Result<(), FsError> {
        self.session.write_file(path, content)
    }

    fn remove_file(&self, path: &[u8]) -> Result<(), FsError> {
        self.session.remove_file(path)
    }

    fn deposit_file(&self, path: &Text, content: &Text) -> Result<(), FsError> {
        self.session.deposit_file(path, content)
    }

    fn withdraw_file(&self, path: &[u8]) -> Result<(), WithdrawError> {
        self.session.withdraw_file(path)
    }

    fn now(&self) -> Duration {
        self.session.now()
    }

    fn random_u64(&self) -> u64 {
        self.session.random_u64()
    }

    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        self.session.request(request, timeout)
    }

    fn state(&self) -> &SessionState {
        &self.state
    }

    fn cwd(&self) -> Option<&Text> {
        self.session.cwd()
    }

    fn variable(&self, name: &[u8]) -> Option<&Text> {
        self.session.variable(name)
    }

    fn files(&self) -> Option<&Arc<FileSystem>> {
        self.session.files()
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        self.session.observer()
    }

    fn stays(&self) -> bool {
        self.session.stays()
    }

    fn is_shadow(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::hook::contract::LoadOptions;
    use crate::hook::dialect::list::Dialect;
    use crate::hook::event::Event;
    use crate::hook::hook_set::HookSet;
    use crate::hook::outcome::Outcome;
    use crate::hook::script::ScriptOutcome;
    use crate::hook::scripted::Scripted;
    use serde_json::json;

    fn fire(hooks: &HookSet, session: &Scripted, event: &Event) -> Outcome {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let outcome = hooks.fire(session, event).await;
            HookSet::settle(session).await;
            outcome
        })
    }

    #[test]
    fn everything_is_recorded_and_nothing_is_enforced() {
        let config = br#"{"hooks": [
            {"id": "edit", "event": "pre_tool_use", "executor": {"type": "bash", "command": "x"}},
            {"id": "guard", "event": "pre_tool_use", "executor": {"type": "bash", "command": "y"}},
            {"id": "late", "event": "pre_tool_use", "executor": {"type": "bash", "command": "z"}}]}"#;
        let hooks = HookSet::load(Dialect::Everruns, config, &LoadOptions::default()).unwrap().shadow();
        assert!(hooks.is_shadow());
        let event = hooks
            .read_event(
                &json!({"event": "pre_tool_use", "data": {"tool_name": "bash", "arguments": {"a": 1}}}),
            )
            .unwrap();
        let printed = [
            r#"{"decision":"mutate","patch":{"arguments":{"a":2}}}"#,
            r#"{"decision":"block","reason":"no","user_message":"sorry"}"#,
        ];
        let session = Scripted::printing(printed);
        let outcome = fire(&hooks, &session, &event);
        assert!(outcome.decision.proceeds());
        assert_eq!(outcome.decision.arguments, None);
        assert!(outcome.dialect_result.is_none());
        let shadow = outcome.shadow.as_ref().unwrap();
        assert_eq!(shadow.decision.blocked.as_ref().unwrap().reason, "no");
        assert_eq!(shadow.decision.arguments.as_ref().unwrap().to_string(), r#"{"a":2}"#);
        assert!(shadow.dialect_result.is_some());
        // The chain is the one of an enforced config: the second hook saw the new arguments, the third did not run.
        assert!(session.runs()[1].stdin.contains(r#""arguments":{"a":2}"#));
        assert_eq!(session.runs().len(), 2);
        assert_eq!(outcome.records.len(), 3);
        assert!(outcome.records.iter().all(|record| record.shadow));
        assert!(outcome.records[1].explain().contains("would be blocked: no"));
        let logs = crate::clock::lock(&session.logs);
        assert!(!logs.is_empty() && logs.iter().all(|log| log.fields["shadow"] == true));
        assert_eq!(hooks.log_records(&outcome.records[1])[0].fields["shadow"], true);
        assert_eq!(outcome.to_json()["shadow"]["decision"]["blocked"]["user_message"], "sorry");
    }

    #[test]
    fn what_is_said_late_is_dropped_and_counters_stay_apart() {
        let config = br#"{"hooks": {
            "PreToolUse": [{"hooks": [{"type": "command", "async": true, "command": "x"}]}],
            "UserPromptSubmit": [{"hooks": []}]}}"#;
        let load = || HookSet::load(Dialect::ClaudeCode, config, &LoadOptions::default()).unwrap();
        let (shadow, enforced) = (load().shadow(), load());
        let event = |name: &str| {
            let payload =
                json!({"hook_event_name": name, "tool_name": "Bash", "tool_input": {}, "prompt": "p"});
            enforced.read_event(&payload).unwrap()
        };
        let said = || ScriptOutcome::exited(0, r#"{"systemMessage":"m"}"#, "");
        let session = Scripted::new([said(), said()]);
        fire(&shadow, &session, &event("PreToolUse"));
        let outcome = fire(&enforced, &session, &event("UserPromptSubmit"));
        assert_eq!(outcome.decision.contexts, Vec::<String>::new());
        // The same of an enforced config waits for the next turn, and a shadow firing does not take it away.
        fire(&enforced, &session, &event("PreToolUse"));
        assert!(fire(&shadow, &session, &event("UserPromptSubmit")).shadow.is_some());
        let outcome = fire(&enforced, &session, &event("UserPromptSubmit"));
        assert_eq!(outcome.decision.contexts, ["m"]);
    }
}
