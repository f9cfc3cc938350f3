//! Canned answers: a host that answers what hooks ask for beside scripts ([`Request`]) from a list, for `hookbox fire --answer`,
//! files of cases and test suites of embedders.
//!
//! ```yaml
//! - { kind: http, url: "https://hooks.example.com/*", status: 200, body: { decision: block, reason: "no" } }
//! - { kind: http, times: 1, error: connection refused }         # the first that fits answers; this one once
//! - { kind: http, status: 204 }
//! - { kind: prompt, prompt: "*rm -rf*", body: '{"ok": false, "reason": "dangerous"}' }
//! - { kind: mcp_tool, server: db, tool: "read_*", delay_ms: 60000 }
//! - { kind: builtin, name: snapshot, status: 1, body: "" }
//! ```
//!
//! | member | of | |
//! |---|---|---|
//! | `kind` | all | `http`; `model`, or `prompt` and `agent` (one without and one with the agent's tools); `mcp_tool`, also `tool`; `builtin`. May be left out where `url`, `model`, `prompt`, `server`, `tool` or `name` tells |
//! | `url` | `http` | glob: `*` is any text, `?` one character |
//! | `model`, `prompt` | `model` | globs of the model's name and of the question, what the system says included |
//! | `server`, `tool` | `mcp_tool` | globs |
//! | `name` | `builtin` | glob |
//! | `times` | all | how often the row answers; without it always |
//! | `status` | all | of HTTP, else an exit status; default 200 for `http`, 0 for others |
//! | `body`, also `text` | all | a text, or an object or a list that is sent as JSON |
//! | `error` | all | why it could not be asked |
//! | `timeout` | all | true: no answer in time |
//! | `delay_ms` | all | how long the answer takes: no answer in time if that is longer than the hook waits. Nobody waits really |
//!
//! The first row that fits answers. What none fits could not be asked, and its message says what it was:
//! `fire` tells it on standard error, in `notices` and by `--explain`.
//!
//! ```
//! use hookbox::hook::answer::Answers;
//! use hookbox::sandbox::Sandbox;
//! use std::sync::Arc;
//!
//! let answers = Arc::new(Answers::parse("- { kind: http, status: 204 }")?);
//! let sandbox = Sandbox::builder().hook_host(Arc::clone(&answers) as _).build()?;
//! // let outcome = hooks.fire(&sandbox, &event).await;
//! assert!(answers.take_asked().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::observer::HookObserver;
use super::request::Request;
use super::runner::{HookFuture, HookHost, LateOutput, unanswered};
use super::script::{Ended, ScriptOutcome};
use crate::clock::lock;
use crate::document::from_yaml;
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use serde::Deserialize;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What of a question is shown, in characters.
const SHOWN: usize = 60;
/// Status of an answer over HTTP that names none.
const HTTP_OK: i32 = 200;

/// One row: which requests it answers, and how.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Row")]
pub struct Answer {
    kind: AnswerKind,
    /// Member and pattern; all must fit.
    globs: Vec<(&'static str, Glob)>,
    times: Option<u64>,
    outcome: AnswerOutcome,
    delay: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnswerKind {
    Http,
    /// `agent` tells whether the agent's tools may be used, if the row says it.
    Model {
        agent: Option<bool>,
    },
    Tool,
    Builtin,
}

#[derive(Clone, Debug)]
enum AnswerOutcome {
    Says { status: i32, body: String },
    Fails(String),
    TimesOut,
}

/// A row as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: Option<String>,
    url: Option<String>,
    model: Option<String>,
    prompt: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    name: Option<String>,
    times: Option<u64>,
    status: Option<i32>,
    #[serde(alias = "text")]
    body: Option<Value>,
    error: Option<String>,
    #[serde(default)]
    timeout: bool,
    delay_ms: Option<u64>,
}

/// Why a list of answers cannot be used; the message has line and column, or names the member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AnswerError(String);

/// A glob over a whole text.
#[derive(Clone, Debug)]
struct Glob(Pattern);

impl Glob {
    fn new(glob: &str) -> Self {
        let literal: Vec<bool> = glob.bytes().map(|byte| !matches!(byte, b'*' | b'?')).collect();
        Self(Pattern::new(glob.as_bytes(), &literal, PatternOptions::default()))
    }

    fn fits(&self, text: &str) -> bool {
        self.0.matches(text.as_bytes(), &mut NoTicker).unwrap_or_default()
    }
}

impl AnswerKind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "http" => Self::Http,
            "model" => Self::Model { agent: None },
            "prompt" => Self::Model { agent: Some(false) },
            "agent" => Self::Model { agent: Some(true) },
            "mcp_tool" | "tool" => Self::Tool,
            "builtin" => Self::Builtin,
            _ => return None,
        })
    }

    /// The members that its rows may choose by.
    const fn members(self) -> &'static [&'static str] {
        match self {
            Self::Http => &["url"],
            Self::Model { .. } => &["model", "prompt"],
            Self::Tool => &["server", "tool"],
            Self::Builtin => &["name"],
        }
    }

    fn is_of(self, request: &Request) -> bool {
        match (self, request) {
            (Self::Model { agent }, Request::Model(request)) => {
                agent.is_none_or(|agent| agent == request.agent)
            }
            (Self::Http, Request::Http(_))
            | (Self::Tool, Request::Tool(_))
            | (Self::Builtin, Request::Builtin(_)) => true,
            _ => false,
        }
    }
}

impl TryFrom<Row> for Answer {
    type Error = AnswerError;

    fn try_from(row: Row) -> Result<Self, AnswerError> {
        let wrong = |why: String| Err(AnswerError(format!("answer: {why}")));
        let given = [
            ("url", row.url),
            ("model", row.model),
            ("prompt", row.prompt),
            ("server", row.server),
            ("tool", row.tool),
            ("name", row.name),
        ];
        let given: Vec<(&'static str, String)> =
            given.into_iter().filter_map(|(name, glob)| Some((name, glob?))).collect();
        let kinds = ["http", "model", "mcp_tool", "builtin"].into_iter().filter_map(AnswerKind::parse);
        let kind = match (&row.kind, given.first()) {
            (Some(name), _) => match AnswerKind::parse(name) {
                Some(kind) => kind,
                None => {
                    let known = "http, model, prompt, agent, mcp_tool, tool, builtin";
                    return wrong(format!("unknown `kind: {name}` (known: {known})"));
                }
            },
            (None, Some((member, _))) => {
                kinds.clone().find(|kind| kind.members().contains(member)).unwrap_or(AnswerKind::Http)
            }
            (None, None) => {
                return wrong("`kind` is wanted: http, model, prompt, agent, mcp_tool, builtin".to_owned());
            }
        };
        if let Some((member, _)) = given.iter().find(|(member, _)| !kind.members().contains(member)) {
            let right = kind.members().join(", ");
            return wrong(format!(
                "`{member}` does not choose among requests of this kind (that do: {right})"
            ));
        }
        let is_one = |given: &[bool]| given.iter().filter(|given| **given).count() <= 1;
        if !is_one(&[row.error.is_some(), row.timeout, row.body.is_some()]) {
            return wrong("`body`, `error` and `timeout` exclude each other".to_owned());
        }
        let usual = if kind == AnswerKind::Http { HTTP_OK } else { 0 };
        let outcome = match (row.error, row.timeout) {
            (Some(error), _) => AnswerOutcome::Fails(error),
            (None, true) => AnswerOutcome::TimesOut,
            (None, false) => AnswerOutcome::Says {
                status: row.status.unwrap_or(usual),
                body: match row.body {
                    None | Some(Value::Null) => String::new(),
                    Some(Value::String(text)) => text,
                    Some(other) => other.to_string(),
                },
            },
        };
        Ok(Self {
            kind,
            globs: given.into_iter().map(|(member, glob)| (member, Glob::new(&glob))).collect(),
            times: row.times,
            outcome,
            delay: Duration::from_millis(row.delay_ms.unwrap_or_default()),
        })
    }
}

impl Answer {
    fn fits(&self, request: &Request) -> bool {
        let text = |member: &str| match (member, request) {
            ("url", Request::Http(request)) => request.url.clone(),
            ("model", Request::Model(request)) => request.model.clone().unwrap_or_default(),
            ("prompt", Request::Model(request)) => format!("{}\n{}", request.system, request.prompt),
            ("server", Request::Tool(request)) => request.server.clone(),
            ("tool", Request::Tool(request)) => request.tool.clone(),
            ("name", Request::Builtin(request)) => request.name.clone(),
            _ => String::new(),
        };
        self.kind.is_of(request) && self.globs.iter().all(|(member, glob)| glob.fits(&text(member)))
    }

    fn outcome(&self, timeout: Duration) -> ScriptOutcome {
        if self.delay > timeout {
            return ScriptOutcome::ended(Ended::TimedOut);
        }
        let outcome = match &self.outcome {
            AnswerOutcome::TimesOut => ScriptOutcome::ended(Ended::TimedOut),
            AnswerOutcome::Fails(error) => ScriptOutcome::ended(Ended::NotStarted(error.clone())),
            AnswerOutcome::Says { status, body } => ScriptOutcome::exited(*status, body.as_str(), ""),
        };
        ScriptOutcome { duration: self.delay, ..outcome }
    }
}

/// A host that answers from rows and keeps what was asked. See the module.
#[derive(Default)]
pub struct Answers {
    rows: Vec<Answer>,
    /// How often each row has answered.
    used: Mutex<Vec<u64>>,
    asked: Mutex<Vec<Asked>>,
    /// Who answers what no row fits.
    otherwise: Option<Arc<dyn HookHost>>,
}

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answers").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// What a hook asked for, and which row answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Asked {
    /// [`Request::to_json`].
    pub request: Value,
    /// In a few words: `http https://hooks.example.com/x`.
    pub summary: String,
    /// The place of the row, from 0; `None` when none fitted.
    pub row: Option<usize>,
    /// No row fitted, and the next host was asked ([`Answers::otherwise`]).
    pub live: bool,
}

impl Answers {
    /// Answers of these rows.
    pub fn new(rows: impl IntoIterator<Item = Answer>) -> Self {
        let rows: Vec<_> = rows.into_iter().collect();
        Self { used: Mutex::new(vec![0; rows.len()]), rows, asked: Mutex::default(), otherwise: None }
    }

    /// With a host that is asked what no row fits.
    #[must_use]
    pub fn otherwise(mut self, host: Arc<dyn HookHost>) -> Self {
        self.otherwise = Some(host);
        self
    }

    /// Reads a list of rows, YAML or JSON.
    ///
    /// # Errors
    /// It is not such a list.
    pub fn parse(text: &str) -> Result<Self, AnswerError> {
        Self::rows(text).map(Self::new)
    }

    /// The rows of such a list.
    pub(crate) fn rows(text: &str) -> Result<Vec<Answer>, AnswerError> {
        from_yaml::<Vec<Answer>>(text).map_err(AnswerError)
    }

    /// What was asked since the last call, in order.
    pub fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.asked))
    }

    /// The row that answers, which counts as used.
    fn row_for(&self, request: &Request) -> Option<usize> {
        let mut used = lock(&self.used);
        let mut rows = self.rows.iter().zip(used.iter_mut()).enumerate();
        let (place, (_, used)) =
            rows.find(|(_, (row, used))| row.times.is_none_or(|times| **used < times) && row.fits(request))?;
        *used = used.saturating_add(1);
        Some(place)
    }
}

impl HookHost for Answers {
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        let row = self.row_for(&request);
        let summary = summary(&request);
        if let (None, Some(next)) = (row, &self.otherwise) {
            lock(&self.asked).push(Asked { request: request.to_json(), summary, row, live: true });
            return next.request(request, timeout);
        }
        let outcome = match row.and_then(|place| self.rows.get(place)) {
            Some(answer) => answer.outcome(timeout),
            None if self.rows.is_empty() => unanswered(&request),
            None => ScriptOutcome::ended(Ended::NotStarted(format!("no answer fits: {summary}"))),
        };
        lock(&self.asked).push(Asked { request: request.to_json(), summary, row, live: false });
        Box::pin(std::future::ready(outcome))
    }

    fn deliver_late(&self, late: &LateOutput) -> bool {
        self.otherwise.as_ref().is_some_and(|next| next.deliver_late(late))
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        self.otherwise.as_deref().and_then(HookHost::observer)
    }
}

fn summary(request: &Request) -> String {
    match request {
        Request::Http(request) => format!("http {}", request.url),
        Request::Model(request) => {
            let kind = if request.agent { "agent" } else { "prompt" };
            let model = request.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
            let mut question: String = request.prompt.chars().take(SHOWN).collect();
            if question.len() < request.prompt.len() {
                question.push('…');
            }
            format!("{kind}{model} {}", Value::from(question))
        }
        Request::Tool(request) => format!("mcp_tool {}/{}", request.server, request.tool),
        Request::Builtin(request) => format!("builtin {}", request.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::request::{BuiltinRequest, HttpRequest, ModelRequest, ToolRequest};
    use serde_json::json;
    use std::task::{Context, Poll, Waker};

    fn http(url: &str) -> Request {
        Request::Http(HttpRequest {
            url: url.to_owned(),
            headers: Vec::new(),
            body: b"{}".to_vec(),
            max_bytes: 1000,
            retries: 0,
        })
    }

    fn model(prompt: &str, agent: bool) -> Request {
        Request::Model(ModelRequest {
            model: Some("small".to_owned()),
            system: "Be strict.".to_owned(),
            prompt: prompt.to_owned(),
            schema: None,
            max_tokens: None,
            agent,
        })
    }

    fn tool(tool: &str) -> Request {
        Request::Tool(ToolRequest { server: "db".to_owned(), tool: tool.to_owned(), arguments: json!({}) })
    }

    fn builtin(name: &str) -> Request {
        Request::Builtin(BuiltinRequest { name: name.to_owned(), arguments: Vec::new(), payload: json!({}) })
    }

    /// Status and body, or how it ended.
    fn ask(answers: &Answers, request: Request) -> String {
        let mut future = answers.request(request, Duration::from_secs(10));
        let Poll::Ready(outcome) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("it is ready at once");
        };
        match outcome.end {
            Ended::Exited => format!("{} {}", outcome.status, String::from_utf8_lossy(&outcome.stdout)),
            end => end.to_string(),
        }
    }

    #[test]
    fn the_first_row_that_fits_answers() {
        let answers = Answers::parse(
            r#"
- { kind: http, url: "https://a.example/*", body: { ok: true } }
- { kind: http, times: 1, error: connection refused }
- { url: "*", status: 204 }
- { kind: agent, body: deep }
- { prompt: "*strict*rm ?rf*", body: '{"ok": false}' }
- { kind: mcp_tool, server: d?, tool: read_*, delay_ms: 10001 }
- { tool: "*", delay_ms: 10000, text: [1] }
- { name: snap*, status: 3, body: "x" }
"#,
        )
        .unwrap();
        for (request, wanted) in [
            (http("https://a.example/x/y"), "200 {\"ok\":true}"),
            (http("https://b.example"), "connection refused"),
            (http("https://b.example"), "204 "),
            (model("rm -rf /", true), "0 deep"),
            (model("rm -rf /", false), "0 {\"ok\": false}"),
            (tool("read_rows"), "timed out"),
            (tool("write"), "0 [1]"),
            (builtin("snapshot"), "3 x"),
            (builtin("unload"), "no answer fits: builtin unload"),
            (model("Is this safe?", false), "no answer fits: prompt small \"Is this safe?\""),
        ] {
            assert_eq!(ask(&answers, request.clone()), wanted, "{request:?}");
        }
        let asked = answers.take_asked();
        assert_eq!(
            asked.iter().map(|asked| asked.row).collect::<Vec<_>>()[..4],
            [Some(0), Some(1), Some(2), Some(3)]
        );
        assert_eq!((asked[9].row, asked[9].request["kind"].as_str()), (None, Some("model")));
        assert!(answers.take_asked().is_empty());
        assert_eq!(ask(&Answers::default(), tool("x")), "this host answers no tool requests");
    }

    #[test]
    fn rows_that_are_none_say_what_would_be_right() {
        for (row, wanted) in [
            ("{ status: 200 }", "`kind` is wanted: http, model, prompt, agent, mcp_tool, builtin"),
            (
                "{ kind: htp }",
                "unknown `kind: htp` (known: http, model, prompt, agent, mcp_tool, tool, builtin)",
            ),
            ("{ kind: http, tool: x }", "`tool` does not choose among requests of this kind (that do: url)"),
            ("{ kind: http, error: x, body: y }", "`body`, `error` and `timeout` exclude each other"),
            ("{ kind: http, headers: {} }", "headers"),
        ] {
            let error = Answers::parse(&format!("- {row}")).unwrap_err().to_string();
            assert!(error.contains(wanted), "{row}: {error}");
        }
    }
}
