//! The dialect's settings: named switches, bounds, and hooks of command-line flags.

use super::event::EventName;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::settings;
use crate::hook::document::Source;
use crate::hook::error::{ConfigProblem, EventError};
use crate::hook::setting::{Setting, SettingKind, setting};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// One mebibyte, for each of both outputs (5.5).
const OUTPUT_BYTES: u64 = 1 << 20;

/// The six flags (R4) and the names of their settings.
const FLAGS: [(&str, EventName); 6] = [
    ("hook-pre-tool-use", EventName::PreToolUse),
    ("hook-post-tool-use", EventName::PostToolUse),
    ("hook-session-start", EventName::SessionStart),
    ("hook-session-end", EventName::SessionEnd),
    ("hook-on-user-input", EventName::OnUserInput),
    ("hook-stop", EventName::Stop),
];

/// The table in the dialect's module, for lists and messages.
pub(super) const SETTINGS: &[Setting] = &[
    setting(
        "agent",
        SettingKind::Text,
        "the event's, else `root`, else the first",
        "the agent of the file whose hooks run",
    ),
    setting(
        "legacy_context_events",
        SettingKind::Boolean,
        "true",
        "text of `post_tool_use` and `stop` is context, as documented; false is the way of newer releases",
    ),
    setting(
        "lenient_exit_codes",
        SettingKind::Boolean,
        "false",
        "an exit status other than 0 and 2 is only logged",
    ),
    setting(
        "merge_updated_input",
        SettingKind::Boolean,
        "false",
        "rewritten arguments join the call's instead of replacing them",
    ),
    setting("capture_content", SettingKind::Boolean, "false", "records have free text: reasons and output"),
    setting("stdout_bytes", SettingKind::Count, "1048576", "standard output of a hook; more is a failure"),
    setting("stderr_bytes", SettingKind::Count, "1048576", "standard error of a hook; more is a failure"),
    setting("temp_dir", SettingKind::Text, "/tmp", "where large results are saved"),
    setting(
        "tool_categories",
        SettingKind::TextMembers,
        "{}",
        "tool name → `filesystem`, `shell`, `mcp`, `a2a`, or another category",
    ),
    setting("hook-pre-tool-use", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
    setting("hook-post-tool-use", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
    setting("hook-session-start", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
    setting("hook-session-end", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
    setting("hook-on-user-input", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
    setting("hook-stop", SettingKind::Texts, "none", "a command of the flag of that name (R4)"),
];

/// See the dialect's documentation.
#[derive(Debug)]
pub(super) struct DockerAgentSettings {
    pub(super) agent: Option<String>,
    pub(super) legacy_context_events: bool,
    pub(super) lenient_exit_codes: bool,
    pub(super) merge_updated_input: bool,
    pub(super) capture_content: bool,
    pub(super) stdout_bytes: u64,
    pub(super) stderr_bytes: u64,
    pub(super) temp_dir: String,
    pub(super) tool_categories: FxHashMap<String, String>,
    /// Commands of flags, by event.
    pub(super) flags: Vec<(EventName, Vec<String>)>,
}

impl DockerAgentSettings {
    pub(super) fn read(source: &Source<'_>, given: &Map<String, Value>) -> Result<Self, ConfigProblem> {
        let mut reader = settings::SettingsReader::new(source, given);
        let temp_dir = reader.text("temp_dir")?.unwrap_or("/tmp");
        if !temp_dir.starts_with('/') {
            return Err(reader.wrong("temp_dir", "an absolute path"));
        }
        let categories = reader.texts("tool_categories")?;
        let settings = Self {
            agent: reader.text("agent")?.map(str::to_owned),
            legacy_context_events: reader.bool("legacy_context_events", true)?,
            lenient_exit_codes: reader.bool("lenient_exit_codes", false)?,
            merge_updated_input: reader.bool("merge_updated_input", false)?,
            capture_content: reader.bool("capture_content", false)?,
            stdout_bytes: reader.count("stdout_bytes", OUTPUT_BYTES)?,
            stderr_bytes: reader.count("stderr_bytes", OUTPUT_BYTES)?,
            temp_dir: temp_dir.to_owned(),
            tool_categories: categories.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect(),
            flags: FLAGS
                .into_iter()
                .map(|(flag, event)| Ok((event, commands(&mut reader, flag)?)))
                .collect::<Result<_, ConfigProblem>>()?,
        };
        reader.finish()?;
        Ok(settings)
    }
}

fn commands(
    reader: &mut settings::SettingsReader<'_>,
    flag: &'static str,
) -> Result<Vec<String>, ConfigProblem> {
    let Some(value) = reader.value(flag) else { return Ok(Vec::new()) };
    let list = value.as_array().and_then(|list| {
        list.iter().map(|command| command.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    list.ok_or_else(|| reader.wrong(flag, "a list of commands"))
}

/// Adds the hook of a command-line flag (R4), after those that are there. Events: `pre_tool_use` and `post_tool_use` (every
/// tool), `session_start`, `session_end`, `on_user_input`, `stop`.
///
/// # Errors
/// There is no flag for this event.
pub fn append_cli_hook(options: &mut LoadOptions, event: &str, command: &str) -> Result<(), EventError> {
    let unknown = || EventError::Unknown {
        name: event.to_owned(),
        known: FLAGS.map(|(_, event)| event.name()).join(", "),
    };
    let (flag, _) = FLAGS.iter().find(|(_, flagged)| flagged.name() == event).ok_or_else(unknown)?;
    let list = options.settings.entry(*flag).or_insert_with(|| Value::Array(Vec::new()));
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    if let Some(list) = list.as_array_mut() {
        list.push(command.into());
    }
    Ok(())
}
