//! Built-ins (6.1 of the contract). Those that need nothing but the session run here and answer with a verdict as a script
//! would print it, so that they go through the same rules; those about a repository run the `git` that the session has; the
//! others ask the host ([`Request::Builtin`]).

mod context;
mod environment;
mod git;
mod iteration;
mod large_result;
mod redact;
mod repeated;
mod safer_shell;
mod safer_shell_rules;
mod transform_json;
mod workspace;

pub(super) use crate::hook::redact::Redactor;

use super::bundle::DockerAgentBundle;
use super::event::EventName;
use super::output::{self, DockerAgentAnswer, Terms, failure};
use crate::hook::contract::Work;
use crate::hook::decision::{Reading, Verdict};
use crate::hook::event::{Event, Moment};
use crate::hook::json::cut;
use crate::hook::request::{BuiltinRequest, HttpRequest, Request};
use crate::hook::runner::HookRunner;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::version::{ContractVersion, Part};
use crate::text::Text;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// How much of a difference the model gets to see, in bytes.
const DIFF_BYTES: usize = 4096;
/// How much of an answer to `http_post` is read, in bytes; nothing of it is used.
const MOST_ANSWER: u64 = 1 << 20;

/// A built-in.
struct Builtin {
    name: &'static str,
    events: &'static [EventName],
    does: Does,
}

/// Who does what a built-in is for.
#[derive(Clone, Copy)]
enum Does {
    /// The engine, with the session's files and environment.
    Here(Run),
    /// A command of the session, by a script that its arguments make.
    Session(fn(&[String]) -> String),
    /// The host.
    Host,
    /// The host, with what is sent and where as arguments.
    Post,
}

type Run = fn(&BuiltinCall<'_>) -> Result<Option<Value>, String>;

/// One call of a built-in.
pub(super) struct BuiltinCall<'a> {
    pub(super) name: &'a str,
    pub(super) args: &'a [String],
    pub(super) event: EventName,
    pub(super) fired: &'a Event,
    /// As a script would read it.
    pub(super) payload: &'a Map<String, Value>,
    pub(super) cwd: &'a [u8],
    /// `env` of the hook, expanded.
    pub(super) environment: &'a [(Text, Text)],
    /// Whether the hook has a `working_dir`.
    pub(super) has_directory: bool,
    pub(super) now: Duration,
    pub(super) host: &'a dyn HookRunner,
    pub(super) bundle: &'a DockerAgentBundle,
}

impl BuiltinCall<'_> {
    /// A variable of the hook, else of the session.
    fn variable(&self, name: &[u8]) -> Option<&Text> {
        let own = self.environment.iter().find(|(known, _)| **known == *name).map(|(_, value)| value);
        own.or_else(|| self.host.variable(name))
    }

    /// Whether the event is the end of a call that failed.
    const fn failed(&self) -> bool {
        matches!(self.fired.moment, Moment::ToolCallEnded { error: Some(_), .. })
    }

    /// The payload for the host; what the hook says about its process is in it, too: `hook_working_dir` and `hook_env`.
    fn payload_for_host(&self) -> Value {
        let mut payload = self.payload.clone();
        if self.has_directory {
            payload.insert("hook_working_dir".to_owned(), String::from_utf8_lossy(self.cwd).into());
        }
        if !self.environment.is_empty() {
            let pairs = self.environment.iter();
            let text = |text: &Text| text.to_string_lossy().into_owned();
            let all: Map<_, _> = pairs.map(|(name, value)| (text(name), text(value).into())).collect();
            payload.insert("hook_env".to_owned(), Value::Object(all));
        }
        Value::Object(payload)
    }
}

/// The rows: name, the events that it serves, who does what it is for.
macro_rules! builtins {
    (@ ALL) => { EventName::ALL };
    (@ [$($event:ident)*]) => { &[$(EventName::$event,)*] };
    ($($name:literal $events:tt $does:expr;)*) => {
        const BUILTINS: &[Builtin] = &[$(Builtin { name: $name, events: builtins!(@ $events), does: $does },)*];
    };
}

builtins! {
    "add_date" [TurnStart] Does::Here(workspace::date);
    "add_prompt_files" [TurnStart] Does::Here(workspace::prompt_files);
    "add_directory_listing" [SessionStart] Does::Here(workspace::directory_listing);
    "max_iterations" [BeforeLlmCall] Does::Here(iteration::run);
    "redact_secrets" [ToolInputTransform PreToolUse BeforeLlmCall ToolResponseTransform] Does::Here(redact::run);
    "limit_large_tool_results" [ToolResponseTransform SessionEnd] Does::Here(large_result::run);
    "safer_shell" [PreToolUse] Does::Here(safer_shell::run);
    "add_environment_info" [SessionStart] Does::Here(environment::surroundings);
    "add_git_status" [TurnStart] Does::Session(git::status);
    "add_git_diff" [TurnStart] Does::Session(git::diff);
    "add_user_info" [SessionStart] Does::Here(environment::user);
    "add_recent_commits" [SessionStart] Does::Session(git::recent_commits);
    "snapshot" [SessionStart TurnStart PreToolUse PostToolUse TurnEnd SessionEnd] Does::Host;
    "unload" [OnAgentSwitch] Does::Host;
    // On events whose hooks may add context.
    "add_context" [SessionStart UserPromptSubmit UserSteeringMessagesSubmit UserFollowupSubmit TurnStart PreCompact
        WorktreeCreate] Does::Here(context::run);
    "elide_repeated_tool_results" [ToolResponseTransform SessionStart SessionEnd AfterCompaction]
        Does::Here(repeated::run);
    "transform_json" [ToolResponseTransform] Does::Here(only_members);
    "http_post" ALL Does::Post;
}

fn find(name: &str, contract: ContractVersion) -> Option<&'static Builtin> {
    let is_known = contract.since(Part::Builtin, name).is_none();
    BUILTINS.iter().find(|builtin| builtin.name == name).filter(|_| is_known)
}

/// The names of all, of every version of the contract.
#[cfg(feature = "tools")]
pub(in crate::hook) fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

/// The script of a built-in that a command of the session does.
pub(super) fn script(name: &str, args: &[String]) -> Option<String> {
    match BUILTINS.iter().find(|builtin| builtin.name == name)?.does {
        Does::Session(script) => Some(script(args)),
        Does::Here(_) | Does::Host | Does::Post => None,
    }
}

/// What to tell whoever wrote the config (R33).
pub(super) fn warning(name: &str, event: EventName, contract: ContractVersion) -> Option<String> {
    if let Some(since) = contract.since(Part::Builtin, name) {
        return Some(format!("the builtin '{name}' came with {since}, the hook will fail"));
    }
    match find(name, contract) {
        None => Some(format!("there is no builtin '{name}', the hook will fail")),
        Some(builtin) if !builtin.events.contains(&event) => {
            Some(format!("the builtin '{name}' does nothing on {}", event.name()))
        }
        Some(_) => None,
    }
}

/// What a call comes to.
pub(super) fn work(call: &BuiltinCall<'_>) -> Work {
    let known = |outcome: ScriptOutcome| Work::Known(Box::new(outcome));
    let failed = |cause: String| known(ScriptOutcome::ended(Ended::NotStarted(cause)));
    let Some(builtin) = find(call.name, call.bundle.contract) else {
        return failed(format!("there is no builtin '{}'", call.name));
    };
    if !builtin.events.contains(&call.event) {
        return known(ScriptOutcome::exited(0, "", ""));
    }
    match builtin.does {
        Does::Session(_) => Work::Run,
        Does::Host => Work::Ask(Request::Builtin(BuiltinRequest {
            name: call.name.to_owned(),
            arguments: call.args.to_vec(),
            payload: call.payload_for_host(),
        })),
        Does::Post => match call.args {
            [url, body, ..] if !url.trim().is_empty() => Work::Ask(Request::Http(HttpRequest {
                url: url.clone(),
                headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
                body: body.clone().into_bytes(),
                max_bytes: MOST_ANSWER,
                retries: 0,
            })),
            _ => failed("http_post needs a URL and a body".to_owned()),
        },
        Does::Here(run) => match run(call) {
            Ok(None) => known(ScriptOutcome::exited(0, "", "")),
            Ok(Some(verdict)) => known(ScriptOutcome::exited(0, verdict.to_string(), "")),
            Err(cause) => failed(cause),
        },
    }
}

/// What an outcome means; the rules of some built-ins come before those of scripts.
pub(super) fn read(name: &str, terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
    let has_exited = outcome.end == Ended::Exited;
    match name {
        "http_post" if has_exited && (200..300).contains(&outcome.status) => {
            output::read(terms, &ScriptOutcome::exited(0, "", ""))
        }
        "http_post" if has_exited => {
            failure(outcome, format!("http_post: HTTP status {}", outcome.status), "6.1: the post failed")
        }
        "unload" if !has_exited || outcome.status != 0 => {
            Reading::of(Verdict::NoOpinion, "6.1: errors of unload are swallowed").into()
        }
        "add_git_status" | "add_git_diff" | "add_recent_commits" if has_exited && outcome.status != 0 => {
            failure(outcome, String::from_utf8_lossy(&outcome.stderr).trim(), "6.1: git failed")
        }
        "add_git_diff" if outcome.stdout.len() > DIFF_BYTES => {
            let text = String::from_utf8_lossy(&outcome.stdout);
            let stdout = cut(&text, DIFF_BYTES).as_bytes().to_vec();
            output::read(terms, &ScriptOutcome { stdout, ..outcome.clone() })
        }
        _ => output::read(terms, outcome),
    }
}

/// Text for the context.
fn context(text: &str) -> Value {
    json!({"hook_specific_output": {"additional_context": text}})
}

/// `transform_json`.
fn only_members(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    if call.args.is_empty() || call.failed() {
        return Ok(None);
    }
    let result = call.payload.get("tool_response").and_then(Value::as_str);
    let left = transform_json::only(result.ok_or("transform_json: the result is not a text")?, call.args)?;
    Ok(Some(json!({"hook_specific_output": {"updated_tool_response": left}})))
}

/// The tool's category as the host told it with the event.
pub(super) fn told_category(event: &Event) -> Option<&str> {
    event.facts.get("tool_category").and_then(Value::as_str)
}

/// The category of the call's tool: what the host says with the event, then the setting, then the platform's own names.
fn category<'a>(call: &BuiltinCall<'a>) -> &'a str {
    let tool = call.payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let categories = &call.bundle.settings.tool_categories;
    told_category(call.fired)
        .or_else(|| categories.iter().find(|(known, _)| known == tool).map(|(_, category)| category.as_str()))
        .unwrap_or_else(|| default_category(tool))
}

fn default_category(tool: &str) -> &'static str {
    match tool {
        "shell"
        | "run_background_job"
        | "view_background_job"
        | "list_background_jobs"
        | "stop_background_job" => "shell",
        "read_file"
        | "read_multiple_files"
        | "write_file"
        | "edit_file"
        | "move_file"
        | "list_directory"
        | "list_directory_with_sizes"
        | "directory_tree"
        | "search_files"
        | "search_files_content"
        | "get_file_info"
        | "create_directory"
        | "remove_directory"
        | "list_allowed_directories"
        | "add_allowed_directory" => "filesystem",
        _ if tool.starts_with("mcp:") || tool.starts_with("mcp_") => "mcp",
        _ if tool.starts_with("a2a:") || tool.starts_with("a2a_") => "a2a",
        _ => "",
    }
}
