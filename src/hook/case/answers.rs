//! The host of a case: answers requests from a list and keeps what was asked.

use crate::clock::lock;
use crate::hook::request::Request;
use crate::hook::runner::{HookFuture, HookHost};
use crate::hook::script::{Ended, ScriptOutcome};
use serde::Deserialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

/// One answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// Which kind of request it answers; the first of a kind answers the first request of it.
    kind: String,
    #[serde(default)]
    status: i32,
    #[serde(default)]
    body: String,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    timeout: bool,
}

/// See the module.
pub(super) struct Answers {
    left: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Value>>,
}

impl Answers {
    pub(super) fn new<'a>(answers: impl Iterator<Item = &'a Answer>) -> Self {
        Self { left: Mutex::new(answers.cloned().collect()), asked: Mutex::default() }
    }

    pub(super) fn take_requests(&self) -> Vec<Value> {
        std::mem::take(&mut *lock(&self.asked))
    }
}

impl HookHost for Answers {
    fn request(&self, request: Request, _: Duration) -> HookFuture<'_, ScriptOutcome> {
        lock(&self.asked).push(request.to_json());
        let mut left = lock(&self.left);
        let place = left.iter().position(|answer| answer.kind == request.kind());
        let outcome = match place.and_then(|place| left.remove(place)) {
            None => crate::hook::runner::unanswered(&request),
            Some(answer) if answer.timeout => ScriptOutcome::ended(Ended::TimedOut),
            Some(Answer { error: Some(error), .. }) => ScriptOutcome::ended(Ended::NotStarted(error)),
            Some(answer) => ScriptOutcome::exited(answer.status, answer.body, ""),
        };
        Box::pin(std::future::ready(outcome))
    }
}
