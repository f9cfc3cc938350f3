//! What a hook's config shows without its script: matcher, conditions, timeout.

use super::rule::{
    CONDITION_NEVER, MATCHER_FOREIGN_TOOL, MATCHER_IGNORED, MATCHER_NEVER, TIMEOUT_CAP, TIMEOUT_UNIT,
};
use super::{HookLint, reach};
use crate::hook::dialect::goclaw;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::EventRow;
use crate::hook::portable::{self, ArgumentTest, Tools};
use std::time::Duration;

/// Values that a matcher of these events can meet: dialect, event, field, values.
const VALUES: &[(Dialect, &str, &str, &[&str])] = &[
    (Dialect::ClaudeCode, "SessionStart", "source", &["startup", "resume", "clear", "compact", "fork"]),
    (Dialect::ClaudeCode, "Setup", "trigger", &["init", "maintenance"]),
    (
        Dialect::ClaudeCode,
        "InstructionsLoaded",
        "load_reason",
        &["session_start", "nested_traversal", "path_glob_match", "include", "compact"],
    ),
    (
        Dialect::ClaudeCode,
        "Notification",
        "notification_type",
        &[
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
            "quota_auto_resume_fired",
            "quota_auto_resume_stale",
            "quota_auto_resume_disabled",
        ],
    ),
    (
        Dialect::ClaudeCode,
        "StopFailure",
        "error",
        &[
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "account_on_hold",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "cloud_credential_error",
            "unknown",
        ],
    ),
    (
        Dialect::ClaudeCode,
        "ConfigChange",
        "source",
        &["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
    ),
    (Dialect::ClaudeCode, "DirectoryAdded", "source", &["slash_command", "register_repo_root"]),
    (Dialect::ClaudeCode, "PreCompact", "trigger", &["manual", "auto"]),
    (Dialect::ClaudeCode, "PostCompact", "trigger", &["manual", "auto"]),
    (
        Dialect::ClaudeCode,
        "SessionEnd",
        "reason",
        &["clear", "resume", "logout", "prompt_input_exit", "other", "bypass_permissions_disabled"],
    ),
    (Dialect::Agentao, "PreCompact", "trigger", &["manual", "auto"]),
];

/// From here on a time in seconds was probably meant in milliseconds.
const LONG: Duration = Duration::from_secs(1000);

impl HookLint<'_> {
    pub(super) fn config(&mut self) {
        self.matcher();
        self.conditions();
        self.timeout();
    }

    fn matcher(&mut self) {
        let hook = self.hook;
        let at = hook.places.matcher;
        let written = hook.matcher.clone().unwrap_or_default();
        let Some(event) = hook.facts else { return };
        if self.dialect == Dialect::Agentao && !written.is_empty() && !event.tool {
            let message = format!("{} is about no tool: `tool_name` is ignored", event.name);
            self.report(&MATCHER_IGNORED, at, message);
            return;
        }
        if event.tool && keeps_all_out(&hook.tools) {
            self.report(&MATCHER_NEVER, at, "no call of a tool can pass this matcher");
        }
        if let Some(message) = hook.argument.as_ref().and_then(unreachable_argument) {
            self.report(&MATCHER_NEVER, at, message);
        }
        if self.dialect == Dialect::ClaudeCode
            && !written.is_empty()
            && !matches!(written.as_str(), "*" | ".*" | "^.*$")
            && !event.tool
            && hook.conditions.iter().all(|(field, _)| *field == "if")
        {
            self.report(
                &MATCHER_IGNORED,
                at,
                format!("{} has no matcher: `{written}` is ignored", event.name),
            );
        }
        if self.dialect == Dialect::Goclaw && !event.tool && hook.tools.passes("") == Some(false) {
            let message = format!("{} has no tool, and `{written}` does not match an empty name", event.name);
            self.report(&MATCHER_NEVER, at, message);
        }
        let Tools::Names(names) = &hook.tools else { return };
        for name in names.iter().filter(|name| !name.open) {
            let server = name.text.strip_prefix("mcp__");
            if self.dialect == Dialect::ClaudeCode && server.is_some_and(|server| !server.contains("__")) {
                let message =
                    format!("`{}` is no tool: tools of a server are `{}__TOOL`", name.text, name.text);
                self.report(&MATCHER_NEVER, at, message);
            }
            if let Some(message) = self.foreign_tool(&name.text) {
                self.report(&MATCHER_FOREIGN_TOOL, at, message);
            }
        }
    }

    /// A shell tool by another dialect's name.
    fn foreign_tool(&self, name: &str) -> Option<String> {
        let own = self.facts.shell_tool;
        let own_too = self.hook.tools.passes(own) == Some(true);
        if own_too || own.is_empty() || (self.dialect == Dialect::Agentao && name == "Bash") {
            return None;
        }
        if name.eq_ignore_ascii_case(own) {
            return Some(format!("`{name}` is not `{own}`: names are compared letter by letter"));
        }
        let other = Dialect::ALL.iter().find(|other| portable::facts(**other).shell_tool == name)?;
        Some(format!("`{name}` is the shell tool of {other}; here it is `{own}`"))
    }

    fn conditions(&mut self) {
        let hook = self.hook;
        let Some(event) = hook.facts else { return };
        for (field, text) in &hook.conditions {
            let tool = text.split('(').next().unwrap_or("").trim();
            match *field {
                "if" if !event.tool => {
                    let message = format!("a hook with `if` never runs on {}", event.name);
                    self.report(&CONDITION_NEVER, None, message);
                }
                "if" if hook.tools.passes(tool) == Some(false) => {
                    let message = format!("`if` asks for `{tool}`, which the matcher keeps out");
                    self.report(&CONDITION_NEVER, None, message);
                }
                "if" => {}
                "if_expr" => {
                    if let Some(why) = goclaw::never_true(text) {
                        self.report(&CONDITION_NEVER, None, format!("`{text}` {why}: the hook never runs"));
                    }
                }
                field => {
                    if let Some(message) = self.no_such_value(event, field, text) {
                        self.report(&MATCHER_NEVER, hook.places.matcher, message);
                    }
                }
            }
        }
    }

    /// A matcher that none of the values passes that the event can have.
    fn no_such_value(&self, event: &EventRow, field: &str, matcher: &str) -> Option<String> {
        let (.., values) = VALUES
            .iter()
            .find(|(dialect, name, of, _)| (*dialect, *name, *of) == (self.dialect, event.name, field))?;
        let tools = portable::condition(self.dialect, event.name, matcher);
        let any = values.iter().any(|value| tools.passes(value) != Some(false));
        (!any).then(|| {
            format!("no `{field}` of {} passes `{matcher}`; there are {}", event.name, values.join(", "))
        })
    }

    fn timeout(&mut self) {
        let hook = self.hook;
        let at = hook.places.timeout;
        let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
        if let (Some(timeout), "seconds") = (hook.timeout, self.facts.timeout_unit)
            && timeout >= LONG
        {
            self.report(&TIMEOUT_UNIT, at, format!("the timeout is {}", seconds(timeout)));
            return;
        }
        let caps = [
            (self.facts.longest_timeout, "the dialect"),
            (self.options.timeout_cap, "the host"),
            (self.event_cap(), "the event"),
        ];
        for (cap, whose) in caps {
            let Some(cap) = cap else { continue };
            let (timeout, what) = match hook.timeout {
                Some(timeout) => (timeout, "the timeout"),
                // Only the host's cap can be below what a dialect gives by itself.
                None if whose == "the host" => (self.facts.default_timeout, "the default timeout"),
                None => continue,
            };
            if timeout > cap {
                let message = format!("{what} is {}, {whose} allows {}", seconds(timeout), seconds(cap));
                self.report(&TIMEOUT_CAP, at, message);
            }
        }
    }

    /// Claude Code's end of a session has one budget for all its hooks.
    fn event_cap(&self) -> Option<Duration> {
        (self.dialect == Dialect::ClaudeCode && self.hook.event == "SessionEnd")
            .then(|| Duration::from_mins(1))
    }
}

/// Whether a matcher passes no name at all. Names have no blanks around them.
fn keeps_all_out(tools: &Tools) -> bool {
    match tools {
        Tools::Any => false,
        Tools::Never => true,
        Tools::Names(names) => names.iter().all(|name| {
            name.text.trim_start() != name.text || !name.open && name.text.trim_end() != name.text
        }),
        Tools::Regex(text) => !reach::is_found_in_a_name(text),
    }
}

/// A path that asks for more than keys of objects finds nothing, and an empty text passes no test that wants one.
fn unreachable_argument(argument: &ArgumentTest) -> Option<String> {
    let key = argument.path.iter().find(|key| key.contains(['[', '*', '?', '@']))?;
    let test = argument.regex.as_ref().map_or(Tools::Never, |regex| Tools::Regex(regex.clone()));
    (test.passes("") == Some(false)).then(|| {
        format!("`{key}` would have to be the name of an argument: a path has no indexes and no wildcards")
    })
}
