//! The dialect's settings: named switches, bounds, and hooks of command-line flags.

use super::event::EventName;
use crate::hook::contract::LoadOptions;
use crate::hook::error::EventError;
use crate::hook::setting::settings;
use serde_json::Value;

/// One mebibyte, for each of both outputs (5.5).
const OUTPUT_BYTES: u64 = 1 << 20;

settings! {
    /// What a host set.
    pub(super) struct DockerAgentSettings {
        agent: Option<String> = None, "the event's, else `root`, else the first", "the agent of the file whose hooks run";
        legacy_context_events: bool = false, "false; true in `manual`",
            "text of `post_tool_use` and `stop` is context, as the manual says";
        lenient_exit_codes: bool = false, "false", "an exit status other than 0 and 2 is only logged";
        merge_updated_input: bool = true, "true; false in `manual`", "rewritten arguments join the call's instead of replacing them";
        capture_content: bool = false, "false", "records have free text: reasons and output";
        stdout_bytes: u64 = OUTPUT_BYTES, "1048576", "standard output of a hook; more is a failure";
        stderr_bytes: u64 = OUTPUT_BYTES, "1048576", "standard error of a hook; more is a failure";
        temp_dir: String = "/tmp".to_owned(), "/tmp", "where large results are saved";
        tool_categories: Vec<(String, String)> = Vec::new(), "{}",
            "tool name → `filesystem`, `shell`, `mcp`, `a2a`, or another category";
        pre_tool_use as "hook-pre-tool-use": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
        post_tool_use as "hook-post-tool-use": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
        session_start as "hook-session-start": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
        session_end as "hook-session-end": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
        on_user_input as "hook-on-user-input": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
        stop as "hook-stop": Vec<String> = Vec::new(), "none", "a command of the flag of that name (R4)";
    }
}

impl DockerAgentSettings {
    /// The commands of flags, by event.
    pub(super) fn flags(&self) -> [(EventName, &[String]); 6] {
        [
            (EventName::PreToolUse, &self.pre_tool_use),
            (EventName::PostToolUse, &self.post_tool_use),
            (EventName::SessionStart, &self.session_start),
            (EventName::SessionEnd, &self.session_end),
            (EventName::OnUserInput, &self.on_user_input),
            (EventName::Stop, &self.stop),
        ]
    }
}

/// Adds the hook of a command-line flag (R4), after those that are there. Events: `pre_tool_use` and `post_tool_use` (every
/// tool), `session_start`, `session_end`, `on_user_input`, `stop`.
///
/// # Errors
/// There is no flag for this event.
pub fn append_cli_hook(options: &mut LoadOptions, event: &str, command: &str) -> Result<(), EventError> {
    let flagged = DockerAgentSettings::default().flags().map(|(event, _)| event.name());
    if !flagged.contains(&event) {
        return Err(EventError::Unknown { name: event.to_owned(), known: flagged.join(", ") });
    }
    let flag = format!("hook-{}", event.replace('_', "-"));
    let list = options.settings.entry(flag).or_insert_with(|| Value::Array(Vec::new()));
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    if let Some(list) = list.as_array_mut() {
        list.push(command.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_flags_are_appended() {
        let mut options = LoadOptions::default();
        for (event, command) in [("stop", "e"), ("stop", "f"), ("pre_tool_use", "g")] {
            append_cli_hook(&mut options, event, command).unwrap();
        }
        let expected = serde_json::json!({"hook-stop": ["e", "f"], "hook-pre-tool-use": ["g"]});
        assert_eq!(Value::Object(options.settings.clone()), expected);
        let unknown = append_cli_hook(&mut options, "turn_end", "x").unwrap_err().to_string();
        assert!(unknown.contains("unknown event `turn_end` (known: pre_tool_use, "), "{unknown}");
    }
}
