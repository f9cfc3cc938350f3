//! `hookbox record`: real payloads, or the transcript of a session of Claude Code, become a file of cases.
//!
//! 1. The input is one JSON document after another: payloads as a hook gets them, or the lines of a transcript
//!    (`transcript.rs`), which become one session of several steps.
//! 2. Secrets are replaced, by the rules of docker-agent's `redact_secrets` and by the names of members, and the working
//!    directory of the platform by the session's.
//! 3. The cases are run, and what came out is what they expect.
//!
//! Exit status: 0, or 1 when the input cannot be used or something could not be written.

mod transcript;

use super::dialect_parser::DialectParser;
use super::{CommandFailure, Streams, finish};
use crate::document::{not_json, to_yaml};
use crate::hook::case::{CaseFile, CaseResult, SessionSource};
use crate::hook::portable;
use crate::hook::redact::{Redactor, redact_members};
use crate::hook::{Dialect, HookSet, LoadOptions};
use crate::near;
use crate::vfs::fixture::Fixture;
use crate::vfs::fixture::host::{HostFolder, write_named};
use crate::visible;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Where the project of a session lies.
const WORKSPACE: &str = "/workspace";

/// Arguments of `hookbox record`.
#[derive(Clone, Debug, clap::Args)]
pub struct RecordArguments {
    /// Payloads (JSON documents one after another), or a transcript of Claude Code (JSONL); - is standard input
    #[arg(value_name = "FILE")]
    pub input: PathBuf,
    /// The hook config that the cases are of
    #[arg(long, value_name = "FILE")]
    pub hooks: PathBuf,
    /// The config's dialect; found from its content when not given
    #[arg(long, value_name = "NAME", value_parser = DialectParser)]
    pub dialect: Option<Dialect>,
    /// Take only events of this name (repeatable): `PreToolUse`, or `tool_call_starting`
    #[arg(long, value_name = "NAME")]
    pub event: Vec<String>,
    /// Take only events about this tool (repeatable)
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
    /// The id of the file of cases
    #[arg(long, value_name = "ID", default_value = "recorded")]
    pub id: String,
    /// Where to write the cases, mostly FIXTURE/cases/NAME.yaml; standard output when not given
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(arguments: &RecordArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = record(arguments, sessions, streams);
    finish(result, streams)
}

fn record(
    arguments: &RecordArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    let config_name = arguments.hooks.display().to_string();
    let config = super::read_text(&arguments.hooks)?;
    let dialect = match arguments.dialect {
        Some(dialect) => dialect,
        None => Dialect::detect(&config_name, &config)?,
    };
    let options = LoadOptions { name: config_name, ..LoadOptions::default() };
    let hooks = HookSet::load(dialect, &config, &options)?;
    known_events(&arguments.event, dialect)?;
    let (name, input) = if arguments.input.as_os_str() == "-" {
        ("standard input".to_owned(), streams.read_stdin()?)
    } else {
        (arguments.input.display().to_string(), super::read_text(&arguments.input)?)
    };
    let wrong = |why: String| CommandFailure::Other(format!("{name}: {why}"));
    let Input { documents, is_transcript, mut remarks } = Input::read(&input).map_err(&wrong)?;
    let mut events = documents;
    if is_transcript {
        let session = transcript::events(&events, dialect);
        remarks.extend(session.told());
        events = session.events;
    }
    events.retain(|event| is_wanted(arguments, event));
    if events.is_empty() {
        let what = if arguments.event.is_empty() && arguments.tool.is_empty() {
            "it has no event: payloads are what a hook reads from its standard input (`cat > payload.json` in a hook keeps one)"
        } else {
            "no event in it is one that --event and --tool ask for"
        };
        return Err(wrong(what.to_owned()));
    }
    let redactor = Redactor::new();
    let mut redacted = 0_usize;
    for (index, event) in events.iter_mut().enumerate() {
        at_home(event);
        redacted += usize::from(redact_members(&redactor, event));
        hooks.read_event(event).map_err(|error| wrong(format!("event {}: {error}", index + 1)))?;
    }
    let target = Target::of(arguments)?;
    let head = target.head(arguments, dialect, &name, &config)?;
    let bare = text(&head, &events, None, is_transcript);
    let results = target.run(&bare, sessions)?;
    let whole = text(&head, &events, Some(&results), is_transcript);
    match &arguments.output {
        None => streams.stdout.write_all(whole.as_bytes()).map_err(CommandFailure::Write)?,
        Some(path) => {
            write_named(path, whole.as_bytes()).map_err(CommandFailure::host(path.display().to_string()))?;
        }
    }
    let plural = if events.len() == 1 { "" } else { "s" };
    let mut report = format!("{} event{plural} recorded", events.len());
    if redacted > 0 {
        let _ = write!(report, ", secrets replaced in {redacted}");
    }
    if let Some(path) = &arguments.output {
        let _ = write!(report, "\nread what they expect, then: hookbox test {}", path.display());
    }
    streams.report(&format!("hookbox: {report}\n"))?;
    remarks.extend(lacking(&results, target.fixture.is_some()));
    for remark in remarks {
        streams.report(&format!("hookbox: warning: {}\n", visible::block(&remark, "  ")))?;
    }
    Ok(0)
}

/// Refuses names that no event has: nothing would ever be recorded by them.
fn known_events(names: &[String], dialect: Dialect) -> Result<(), CommandFailure> {
    let own = portable::facts(dialect).events.iter().map(|row| row.name);
    let rows = Dialect::ALL.iter().flat_map(|dialect| portable::facts(*dialect).events);
    let known: Vec<&str> =
        own.chain(rows.map(|row| row.moment).filter(|moment| !moment.is_empty())).collect();
    match names.iter().find(|name| !known.contains(&name.as_str()) && *name != "other") {
        None => Ok(()),
        Some(name) => {
            let near = near::hint(name, known.iter().copied());
            Err(CommandFailure::Other(format!("--event: {dialect} has no event `{name}`{near}")))
        }
    }
}

/// What hooks lacked or failed in while their cases were run, each once: what was recorded is not what the session saw.
fn lacking(results: &[CaseResult], has_fixture: bool) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for step in results.iter().flat_map(|result| &result.actual) {
        let notices = step["notices"].as_array().map_or(&[][..], Vec::as_slice);
        for notice in notices.iter().filter_map(Value::as_str) {
            if !told.iter().any(|known| known == notice) {
                told.push(notice.to_owned());
            }
        }
    }
    let runs = results.iter().flat_map(|result| &result.actual).filter_map(|step| step["runs"].as_array());
    let lacks =
        runs.flatten().any(|run| run["missing"].as_array().is_some_and(|missing| !missing.is_empty()));
    if lacks && !has_fixture {
        told.push("the cases were run without files of yours: -o FIXTURE/cases/NAME.yaml runs them with those of FIXTURE/tree".to_owned());
    }
    told
}

/// What there is to record.
struct Input {
    documents: Vec<Value>,
    is_transcript: bool,
    /// What was left out.
    remarks: Vec<String>,
}

impl Input {
    /// A line of a transcript that is no JSON (the last one may be cut) is left out, and told.
    fn read(input: &[u8]) -> Result<Self, String> {
        let failed = match documents(input) {
            Ok(documents) => {
                let is_transcript = documents.iter().any(transcript::is_line);
                return Ok(Self { documents, is_transcript, remarks: Vec::new() });
            }
            Err(failed) => failed,
        };
        let (mut documents, mut remarks) = (Vec::new(), Vec::new());
        let lines = input.split(|&byte| byte == b'\n').enumerate();
        for (index, line) in lines.filter(|(_, line)| !line.trim_ascii().is_empty()) {
            match serde_json::from_slice::<Value>(line) {
                Ok(document) => documents.push(document),
                Err(error) => {
                    remarks.push(format!("line {} is left out: {}", index + 1, not_json(line, &error)));
                }
            }
        }
        let is_transcript = documents.iter().any(transcript::is_line);
        if is_transcript { Ok(Self { documents, is_transcript, remarks }) } else { Err(failed) }
    }
}

/// JSON documents, one after another, or in one list.
fn documents(input: &[u8]) -> Result<Vec<Value>, String> {
    let mut documents = Vec::new();
    for document in serde_json::Deserializer::from_slice(input).into_iter::<Value>() {
        match document.map_err(|error| not_json(input, &error))? {
            Value::Array(items) => documents.extend(items),
            document => documents.push(document),
        }
    }
    Ok(documents)
}

/// The event's name, in the dialect's words or ours.
fn event_name(event: &Value) -> &str {
    ["hook_event_name", "moment", "event", "hook"]
        .into_iter()
        .find_map(|key| event.get(key)?.as_str())
        .unwrap_or("event")
}

fn tool_name(event: &Value) -> Option<&str> {
    let places = [event.get("tool_name"), event.pointer("/tool/name"), event.pointer("/data/tool_name")];
    places.into_iter().flatten().find_map(Value::as_str)
}

fn is_wanted(arguments: &RecordArguments, event: &Value) -> bool {
    let has = |list: &[String], name: &str| list.is_empty() || list.iter().any(|wanted| wanted == name);
    has(&arguments.event, event_name(event)) && has(&arguments.tool, tool_name(event).unwrap_or(""))
}

/// Puts the session's working directory in the place of the platform's, whose path tells who recorded it.
fn at_home(event: &mut Value) {
    let Some(cwd) = event.get("cwd").and_then(Value::as_str).map(|cwd| cwd.trim_end_matches('/').to_owned())
    else {
        return;
    };
    if !cwd.is_empty() && cwd != WORKSPACE {
        replace(event, &cwd);
    }
}

/// Depth is that of a parsed document.
fn replace(value: &mut Value, cwd: &str) {
    match value {
        Value::String(text) if text.contains(cwd) => *text = text.replace(cwd, WORKSPACE),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, cwd)),
        Value::Object(members) => members.values_mut().for_each(|member| replace(member, cwd)),
        _ => {}
    }
}

/// Where the file of cases goes to.
struct Target {
    /// The fixture that the cases lie in, if they do.
    fixture: Option<PathBuf>,
}

impl Target {
    fn of(arguments: &RecordArguments) -> Result<Self, CommandFailure> {
        let above = arguments.output.as_deref().and_then(Path::parent);
        let Some(cases) = above.filter(|above| above.ends_with("cases")) else {
            return Ok(Self { fixture: None });
        };
        let failed = CommandFailure::host(cases.display().to_string());
        HostFolder::create(cases).map_err(failed)?;
        Ok(Self { fixture: Some(cases.join("..")) })
    }

    /// All of the file but its cases.
    fn head(
        &self,
        arguments: &RecordArguments,
        dialect: Dialect,
        name: &str,
        config: &[u8],
    ) -> Result<String, CommandFailure> {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut head = format!(
            "id: {}\ntitle: {}\ndialect: {}\n",
            quoted(&arguments.id),
            quoted(&format!("recorded from {name}")),
            dialect.name()
        );
        let tree = arguments.output.as_deref().and_then(Path::parent).and_then(Path::parent);
        let tree = tree.map(|fixture| fixture.join("tree")).filter(|_| self.fixture.is_some());
        match tree.and_then(|tree| {
            arguments.hooks.strip_prefix(tree).ok().and_then(Path::to_str).map(str::to_owned)
        }) {
            Some(inside) => {
                let _ = writeln!(head, "hooks_file: {}", quoted(&inside));
            }
            None => {
                let config = std::str::from_utf8(config).map_err(|error| {
                    CommandFailure::Other(format!("{}: {error}", arguments.hooks.display()))
                })?;
                if visible::is_plain(config) && !config.contains('\t') {
                    head.push_str("hooks_text: |\n");
                    for line in config.lines() {
                        let _ = writeln!(head, "  {line}");
                    }
                } else {
                    let _ = writeln!(head, "hooks_text: {}", quoted(config));
                }
            }
        }
        Ok(head)
    }

    /// Runs the cases of a file that expect nothing.
    fn run(&self, text: &str, sessions: &dyn SessionSource) -> Result<Vec<CaseResult>, CommandFailure> {
        let failed =
            |error: String| CommandFailure::Other(format!("what was recorded cannot be run: {error}"));
        let file = CaseFile::parse(text).map_err(|error| failed(error.to_string()))?;
        let folder = self.fixture.as_deref().map(HostFolder::open).transpose();
        let folder = folder.map_err(|error| failed(error.to_string()))?;
        let fixture = |_: Option<&str>| match &folder {
            Some(folder) if has_files(folder) => Fixture::read_own(folder),
            _ => Ok(Fixture::default()),
        };
        let runtime = super::runtime()?;
        let run = |case| runtime.block_on(file.run(case, sessions, &fixture));
        file.cases.iter().map(|case| run(case).map_err(|error| failed(error.to_string()))).collect()
    }
}

fn has_files(folder: &HostFolder) -> bool {
    ["tree", "fixture.yaml"].iter().any(|name| matches!(folder.kind(name), Ok(Some(_))))
}

/// The file: for each payload a case, for a transcript one case with a step for each event.
fn text(head: &str, events: &[Value], results: Option<&[CaseResult]>, is_transcript: bool) -> String {
    let mut text = format!("{head}cases:\n");
    let actual = |case: usize, step: usize| results.and_then(|results| results.get(case)?.actual.get(step));
    if is_transcript {
        text.push_str("  - name: \"a session\"\n    steps:\n");
        for (index, event) in events.iter().enumerate() {
            let _ = writeln!(text, "      # {}", name_of(event));
            let _ = write!(text, "      - event:\n{}", indented(event, 10));
            if let Some(actual) = actual(0, index) {
                let _ = write!(text, "        expect:\n{}", expectation(actual, 10));
            }
        }
    } else {
        for (index, event) in events.iter().enumerate() {
            let _ = writeln!(text, "  - name: {}", Value::from(name_of(event)));
            let _ = write!(text, "    event:\n{}", indented(event, 6));
            if let Some(actual) = actual(index, 0) {
                let _ = write!(text, "    expect:\n{}", expectation(actual, 6));
            }
        }
    }
    text
}

/// What a case or step is about: the event, the tool, and the beginning of its first argument.
fn name_of(event: &Value) -> String {
    let mut name = event_name(event).to_owned();
    if let Some(tool) = tool_name(event) {
        let _ = write!(name, " {tool}");
    }
    let input = event
        .get("tool_input")
        .or_else(|| event.get("arguments"))
        .or_else(|| event.pointer("/tool/arguments"));
    let first = input.and_then(Value::as_object).and_then(|input| input.values().find_map(Value::as_str));
    if let Some(text) = first.or_else(|| event.get("prompt").or_else(|| event.get("message"))?.as_str()) {
        let line = text.lines().next().unwrap_or("");
        let _ = write!(name, ": {}", visible::cut(line, 60));
    }
    visible::line(&name).into_owned()
}

fn indented(value: &Value, by: usize) -> String {
    let text = to_yaml(value);
    // Texts that a terminal would act on are escaped in JSON, which is YAML too.
    let text = if visible::is_plain(&text) { text } else { visible::json(value) };
    text.lines().map(|line| format!("{:by$}{line}\n", "")).collect::<Vec<_>>().concat()
}

/// What is worth to be expected: the decision, its reason, and which hooks ran.
fn expectation(actual: &Value, by: usize) -> String {
    let mut expected = json!({"decision": actual["decision"]});
    let mut keep = |key: &str| {
        if let (Some(value), Some(expected)) =
            (actual.get(key).filter(|value| !value.is_null()), expected.as_object_mut())
        {
            expected.insert(key.to_owned(), value.clone());
        }
    };
    if actual["decision"] == "blocked" {
        keep("hook");
        keep("reason");
    }
    keep("ran");
    if actual["contexts"].as_array().is_some_and(|contexts| !contexts.is_empty()) {
        keep("contexts");
    }
    let Some(expected) = expected.as_object() else { return String::new() };
    let lines = expected.iter().map(|(key, value)| format!("{:by$}{key}: {value}\n", ""));
    lines.collect::<Vec<_>>().concat()
}
