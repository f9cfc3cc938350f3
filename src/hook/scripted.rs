//! A scripted session for tests: outcomes are given in advance, requests and files are kept.

pub(crate) mod rows;

use super::contract::{LoadOptions, Purpose};
use super::dialect::list::Dialect;
use super::error::ConfigError;
use super::hook_set::HookSet;
use super::observer::HookObserver;
use super::outcome::Outcome;
use super::record::{HookRecord, LogRecord};
use super::request::Request;
use super::runner::{HookFuture, HookRunner, LateOutput};
use super::script::{Command, Ended, ScriptOutcome, ScriptRequest};
use super::state::SessionState;
use super::version::ContractVersion;
use crate::clock::lock;
use crate::text::Text;
use crate::vfs::{Errno, FileSystem, FsError};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Loads a config with these settings.
pub(crate) fn load_for(
    dialect: Dialect,
    config: &Value,
    settings: &Value,
    purpose: Purpose,
) -> Result<HookSet, ConfigError> {
    let settings = settings.as_object().cloned().unwrap_or_default();
    let options =
        LoadOptions { purpose, settings, contract: Some(written_for(dialect)), ..LoadOptions::default() };
    HookSet::load(dialect, config.to_string().as_bytes(), &options)
}

/// The version of the contract for which a dialect's rows are written.
pub(crate) fn written_for(dialect: Dialect) -> ContractVersion {
    match dialect {
        Dialect::DockerAgent => "docker-agent@manual".parse().unwrap(),
        dialect => ContractVersion::newest(dialect),
    }
}

/// Fires the event of a payload.
pub(crate) fn fire(hooks: &HookSet, host: &Scripted, payload: &Value) -> Outcome {
    let event = hooks.read_event(payload).unwrap();
    block_on(hooks.fire(host, &event))
}

/// What a run was asked to do.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// A script, or the name of a program.
    pub(crate) source: String,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) stdin: String,
    pub(crate) cwd: String,
    pub(crate) timeout: Duration,
    /// The files of the session while it ran.
    pub(crate) files: BTreeMap<String, String>,
}

/// The session.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) outcomes: Mutex<VecDeque<ScriptOutcome>>,
    pub(crate) asked: Mutex<Vec<Asked>>,
    pub(crate) files: Mutex<BTreeMap<String, String>>,
    pub(crate) logs: Mutex<Vec<LogRecord>>,
    pub(crate) audited: Mutex<Vec<HookRecord>>,
    pub(crate) write_fails: bool,
    pub(crate) remove_fails: bool,
    pub(crate) never_ends: bool,
    /// Answers of the host, in order.
    pub(crate) answers: Mutex<VecDeque<ScriptOutcome>>,
    pub(crate) requests: Mutex<Vec<Request>>,
    /// What hooks said that nobody waited for; the dialect keeps it too.
    pub(crate) late: Mutex<Vec<LateOutput>>,
    pub(crate) state: SessionState,
    pub(crate) variables: Vec<(Text, Text)>,
    pub(crate) directory: Option<Text>,
    pub(crate) file_system: Option<Arc<FileSystem>>,
}

impl Scripted {
    /// Runs end with `outcomes`, in order; after them with nothing printed and status 0.
    pub(crate) fn new(outcomes: impl IntoIterator<Item = ScriptOutcome>) -> Self {
        Self { outcomes: Mutex::new(outcomes.into_iter().collect()), ..Self::default() }
    }

    /// Runs print these, with status 0.
    pub(crate) fn printing<'a>(outputs: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(outputs.into_iter().map(|output| ScriptOutcome::exited(0, output, "")))
    }

    pub(crate) fn runs(&self) -> Vec<Asked> {
        lock(&self.asked).clone()
    }

    /// `name` of each log record with the hook's id.
    pub(crate) fn log_lines(&self) -> Vec<String> {
        let logs = lock(&self.logs);
        let line = |log: &LogRecord| {
            format!("{} {}", log.name, log.fields.get("hook_id").and_then(Value::as_str).unwrap_or(""))
        };
        logs.iter().map(line).collect()
    }
}

fn string(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

impl HookRunner for Scripted {
    fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
        let source = match request.command {
            Command::Script { script, .. } => string(script.source()),
            Command::Program { name, .. } => string(name),
        };
        lock(&self.asked).push(Asked {
            source,
            environment: request
                .environment
                .iter()
                .map(|(name, value)| (string(name), string(value)))
                .collect(),
            stdin: string(&request.stdin),
            cwd: string(request.cwd.as_deref().unwrap_or(b"")),
            timeout: request.timeout,
            files: lock(&self.files).clone(),
        });
        let outcome = lock(&self.outcomes).pop_front().unwrap_or_else(|| ScriptOutcome::exited(0, "", ""));
        if self.never_ends {
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(outcome))
    }

    fn write_file(&self, path: &[u8], content: &Text) -> Result<(), FsError> {
        if self.write_fails {
            return Err(Errno::NoSpace.into());
        }
        lock(&self.files).insert(string(path), string(content));
        Ok(())
    }

    fn remove_file(&self, path: &[u8]) -> Result<(), FsError> {
        if self.remove_fails {
            return Err(Errno::Busy.into());
        }
        lock(&self.files).remove(&string(path)).map(|_| ()).ok_or_else(|| Errno::NotFound.into())
    }

    fn now(&self) -> Duration {
        Duration::from_millis(1_779_971_696_789) // 2026-05-28T12:34:56.789Z
    }

    fn random_u64(&self) -> u64 {
        0x0123_4567_89ab_cdef
    }

    fn request(&self, request: Request, _: Duration) -> HookFuture<'_, ScriptOutcome> {
        lock(&self.requests).push(request);
        let answer = lock(&self.answers).pop_front();
        let none = || ScriptOutcome::ended(Ended::NotStarted("no answer".to_owned()));
        Box::pin(std::future::ready(answer.unwrap_or_else(none)))
    }

    fn deliver_late(&self, late: &LateOutput) -> bool {
        lock(&self.late).push(late.clone());
        false
    }

    fn state(&self) -> &SessionState {
        &self.state
    }

    fn variable(&self, name: &[u8]) -> Option<&Text> {
        self.variables.iter().find(|(known, _)| **known == *name).map(|(_, value)| value)
    }

    fn cwd(&self) -> Option<&Text> {
        self.directory.as_ref()
    }

    fn files(&self) -> Option<&Arc<FileSystem>> {
        self.file_system.as_ref()
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        Some(self)
    }
}

impl HookObserver for Scripted {
    fn log(&self, record: &LogRecord) {
        lock(&self.logs).push(record.clone());
    }

    fn audit(&self, record: &HookRecord) {
        lock(&self.audited).push(record.clone());
    }
}
