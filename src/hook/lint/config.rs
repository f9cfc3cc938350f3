//! What a hook's config shows without its script: matcher, conditions, timeout.

use super::HookLint;
use super::rule::{
    CONDITION_NEVER, MATCHER_FOREIGN_TOOL, MATCHER_IGNORED, MATCHER_NEVER, TIMEOUT_CAP, TIMEOUT_UNIT,
};
use crate::hook::dialect::Dialect;
use crate::hook::portable::{self, Tools};
use std::time::Duration;

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
        if hook.tools == Tools::Never {
            self.report(&MATCHER_NEVER, at, "no call of a tool can pass this matcher");
        }
        if self.dialect == Dialect::ClaudeCode
            && !written.is_empty()
            && written != "*"
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
        let other = Dialect::ALL.iter().find(|other| portable::facts(**other).shell_tool == name)?;
        Some(format!("`{name}` is the shell tool of {other}; here it is `{own}`"))
    }

    fn conditions(&mut self) {
        let hook = self.hook;
        let Some(event) = hook.facts else { return };
        if self.dialect == Dialect::ClaudeCode
            && !event.tool
            && hook.conditions.iter().any(|(field, _)| *field == "if")
        {
            self.report(&CONDITION_NEVER, None, format!("a hook with `if` never runs on {}", event.name));
        }
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
