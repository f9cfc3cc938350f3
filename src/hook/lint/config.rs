//! What a hook's config shows without its script: matcher, conditions, timeout.

use super::rule::{
    CONDITION_NEVER, DUPLICATE_KEY, EVENT_FOREIGN, MACHINE_PATH, MATCHER_EVERY, MATCHER_FOREIGN_TOOL,
    MATCHER_IGNORED, MATCHER_MISSPELT, MATCHER_NEVER, TIMEOUT_CAP, TIMEOUT_UNIT,
};
use super::{Finding, Fix, HookLint, reach};
use crate::document::{Node, Source};
use crate::hook::dialect::goclaw;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::EventRow;
use crate::hook::portable::{self, ArgumentTest, PortableHandler, Tools};
use crate::near;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Duplicate keys of one config that are told.
const MOST_DUPLICATES: usize = 50;

/// Tools of Claude Code.
const CLAUDE_TOOLS: &[&str] = &[
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Glob",
    "Grep",
    "LS",
    "NotebookEdit",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "Task",
    "Agent",
    "TodoWrite",
    "TodoRead",
    "BashOutput",
    "KillShell",
    "SlashCommand",
    "Skill",
    "ExitPlanMode",
    "EnterPlanMode",
    "AskUserQuestion",
    "TaskCreate",
    "TaskUpdate",
    "PowerShell",
    "mcp__server__tool",
];

/// Shell tools of platforms that are not among the dialects.
const SHELL_TOOLS: &[&str] = &[
    "Execute",
    "run_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "execute_command",
    "execute_bash",
    "run_terminal_command",
];

/// File tools of other platforms, and Claude Code's.
const FILE_TOOLS: &[(&str, &str)] = &[
    ("apply_patch", "Edit"),
    ("create_file", "Write"),
    ("edit_file", "Edit"),
    ("replace", "Edit"),
    ("read_file", "Read"),
    ("search_replace", "Edit"),
    ("str_replace_editor", "Edit"),
    ("write_file", "Write"),
];

/// Events of platforms that are not among the dialects: name, platform, moment.
const FOREIGN_EVENTS: &[(&str, &str, &str)] = &[
    ("beforeShellExecution", "Cursor", "tool_call_starting"),
    ("beforeMCPExecution", "Cursor", "tool_call_starting"),
    ("beforeReadFile", "Cursor", "tool_call_starting"),
    ("preToolUse", "Cursor", "tool_call_starting"),
    ("afterFileEdit", "Cursor", "tool_call_ended"),
    ("afterShellExecution", "Cursor", "tool_call_ended"),
    ("beforeSubmitPrompt", "Cursor", "prompt_submitted"),
    ("BeforeTool", "Gemini CLI", "tool_call_starting"),
    ("AfterTool", "Gemini CLI", "tool_call_ended"),
    ("BeforeAgent", "Gemini CLI", "prompt_submitted"),
    ("AfterAgent", "Gemini CLI", "turn_ended"),
    ("PreCompress", "Gemini CLI", "compaction_starting"),
    ("pre_run_command", "Windsurf", "tool_call_starting"),
    ("pre_write_code", "Windsurf", "tool_call_starting"),
    ("pre_read_code", "Windsurf", "tool_call_starting"),
    ("post_run_command", "Windsurf", "tool_call_ended"),
    ("post_write_code", "Windsurf", "tool_call_ended"),
    ("post_read_code", "Windsurf", "tool_call_ended"),
    ("pre_user_prompt", "Windsurf", "prompt_submitted"),
    ("userPromptSubmitted", "Copilot", "prompt_submitted"),
    ("agentSpawn", "Kiro", "session_started"),
];

/// Up to here a time in milliseconds was probably meant in seconds.
const SHORT: Duration = Duration::from_millis(60);

/// From here on a time in seconds was probably meant in milliseconds.
const LONG: Duration = Duration::from_secs(1000);

impl HookLint<'_> {
    pub(super) fn config(&mut self) {
        self.event();
        self.matcher();
        self.conditions();
        self.timeout();
        self.path_of_one_machine();
    }

    /// A file in somebody's home, in a config that others get. A person's own settings may name what they like.
    fn path_of_one_machine(&mut self) {
        if self.source.name.ends_with(".local.json") {
            return;
        }
        let hook = self.hook;
        let text = match &hook.handler {
            PortableHandler::Script(text) => text.as_str(),
            PortableHandler::Program { name, .. } => name.as_str(),
            PortableHandler::Other(_) => return,
        };
        let Some((at, path)) = machine_path(text) else { return };
        let message = format!("`{path}` is there on one machine only");
        if hook.script().is_some() {
            self.report_in_script(&MACHINE_PATH, at, message);
        } else {
            self.report(&MACHINE_PATH, hook.places.hook, message);
        }
    }

    /// An event by the name that another platform gives it.
    fn event(&mut self) {
        let hook = self.hook;
        if hook.facts.is_some() {
            return;
        }
        let same = |name: &str| {
            let letters = |text: &str| text.replace(['_', '-'], "").to_lowercase();
            letters(name) == letters(&hook.event)
        };
        let own = |moment: &str| {
            self.facts.events.iter().find(|row| row.moment == moment && !row.is_aside).map(|row| row.name)
        };
        let spelled = self.facts.events.iter().find(|row| same(row.name)).map(|row| row.name);
        let other = Dialect::ALL.iter().find_map(|dialect| {
            let row = portable::facts(*dialect).events.iter().find(|row| row.name == hook.event)?;
            Some((dialect.name(), own(row.moment)?))
        });
        let platform = FOREIGN_EVENTS.iter().find(|(name, ..)| *name == hook.event);
        let message = if let Some(name) = spelled {
            format!("`{}` is spelled `{name}` here", hook.event)
        } else if let Some((platform, name)) =
            other.or_else(|| platform.and_then(|(_, platform, moment)| Some((*platform, own(moment)?))))
        {
            format!("`{}` is an event of {platform}; here it is `{name}`", hook.event)
        } else {
            return;
        };
        self.report(&EVENT_FOREIGN, hook.places.hook, message);
        if let Some(name) = spelled {
            self.mended_by_name(&hook.event, name);
        }
    }

    /// Another name in quotes, where the config has the name once.
    fn mended_by_name(&mut self, from: &str, to: &str) {
        let quoted = format!("\"{from}\"");
        let mut places = memchr::memmem::find_iter(self.source.text, quoted.as_bytes());
        if let (Some(at), None) = (places.next(), places.next()) {
            let text = format!("\"{to}\"");
            self.mended_by(Fix::Replace { at: at..at + quoted.len(), text });
        }
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
        let is_told = event.tool && self.no_matcher(&written).is_some();
        if event.tool && keeps_all_out(&hook.tools) && !is_told {
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
        if event.tool
            && let Some(message) = self.no_matcher(&written)
        {
            self.report(&MATCHER_NEVER, at, message);
            return;
        }
        // Between two bars stands an empty alternative, which any name has in it.
        if event.tool && written.contains("||") && hook.tools.passes("\u{1}") == Some(true) {
            let message = format!("`{written}` passes every tool: `||` has nothing between its bars");
            self.report(&MATCHER_EVERY, at, message);
            return;
        }
        let Tools::Names(names) = &hook.tools else { return };
        for name in names.iter().filter(|name| !name.open) {
            let server = name.text.strip_prefix("mcp__");
            if self.dialect == Dialect::ClaudeCode && server.is_some_and(|server| !server.contains("__")) {
                let message = match server {
                    Some("") => "`mcp__` alone is no tool: all tools of servers are `mcp__.*`".to_owned(),
                    _ => format!("`{}` is no tool: tools of a server are `{}__TOOL`", name.text, name.text),
                };
                self.report(&MATCHER_NEVER, at, message);
            }
            if self.dialect == Dialect::ClaudeCode
                && !CLAUDE_TOOLS.contains(&name.text.as_str())
                && let Some(meant) = near::nearest_within(&name.text, CLAUDE_TOOLS.iter().copied(), 1)
                && !meant.eq_ignore_ascii_case(&name.text)
                && !name.text.starts_with(meant)
            {
                let message = format!("`{}` is no tool: did you mean `{meant}`?", name.text);
                self.report(&MATCHER_MISSPELT, at, message);
            }
            if let Some(message) = self.foreign_tool(&name.text) {
                self.report(&MATCHER_FOREIGN_TOOL, at, message);
                // A name alone is the shell tool's; in a list of names the others may be meant as they are.
                let quoted = format!("\"{}\"", name.text);
                let is_shell = name.text.eq_ignore_ascii_case(self.facts.shell_tool)
                    || SHELL_TOOLS.contains(&name.text.as_str())
                    || Dialect::ALL.iter().any(|other| portable::facts(*other).shell_tool == name.text);
                if let (Some(at), true) = (at, is_shell && written == name.text)
                    && self.source.text.get(at..).is_some_and(|rest| rest.starts_with(quoted.as_bytes()))
                {
                    let text = format!("\"{}\"", self.facts.shell_tool);
                    self.mended_by(Fix::Replace { at: at..at + quoted.len(), text });
                }
            }
        }
    }

    /// A text that is an expression or a permission rule and passes no tool: `Bash(git *)`, `tool == "Bash"`.
    fn no_matcher(&self, written: &str) -> Option<String> {
        let marks =
            ["==", "!=", " AND ", " OR ", " and ", " or ", "&&", "||", "tool_name", "tools:", "tool "];
        let is_rule = written.split('|').any(|part| {
            let inner = part.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
            inner.is_some_and(|(name, inner)| {
                name.starts_with(|letter: char| letter.is_ascii_uppercase())
                    && name.chars().all(|letter| letter.is_ascii_alphanumeric())
                    && inner.contains([' ', ':', '*', '/', '.'])
            })
        });
        if !is_rule && !marks.iter().any(|mark| written.contains(mark)) {
            return None;
        }
        let tools = &self.hook.tools;
        let passes = |name: &&str| tools.passes(name) == Some(true);
        if passes(&self.facts.shell_tool) || CLAUDE_TOOLS.iter().any(passes) {
            return None;
        }
        let hint = if self.dialect == Dialect::ClaudeCode { "; arguments are tested by `if`" } else { "" };
        Some(format!("`{written}` is compared with the tool's name as it is{hint}"))
    }

    /// A shell tool by another platform's name.
    fn foreign_tool(&self, name: &str) -> Option<String> {
        let own = self.facts.shell_tool;
        let tools = &self.hook.tools;
        let own_too = tools.passes(own) == Some(true)
            || self.dialect == Dialect::ClaudeCode
                && CLAUDE_TOOLS.iter().any(|name| tools.passes(name) == Some(true));
        if own_too || own.is_empty() || (self.dialect == Dialect::Agentao && name == "Bash") {
            return None;
        }
        if name.eq_ignore_ascii_case(own) {
            return Some(format!("`{name}` is not `{own}`: names are compared letter by letter"));
        }
        if self.dialect == Dialect::ClaudeCode {
            let same = CLAUDE_TOOLS.iter().find(|own| own.eq_ignore_ascii_case(name));
            let other = FILE_TOOLS.iter().find(|(theirs, _)| *theirs == name).map(|(_, own)| own);
            match (same, other) {
                (Some(own), _) => {
                    return Some(format!("`{name}` is not `{own}`: names are compared letter by letter"));
                }
                (None, Some(own)) => {
                    return Some(format!("`{name}` is a tool of other platforms; here it is `{own}`"));
                }
                (None, None) => {}
            }
        }
        let Some(other) = Dialect::ALL.iter().find(|other| portable::facts(**other).shell_tool == name)
        else {
            let is_shell = SHELL_TOOLS.contains(&name);
            return is_shell
                .then(|| format!("`{name}` is the shell tool of another platform; here it is `{own}`"));
        };
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
        let values = Some(event.values).filter(|values| event.matched == field && !values.is_empty())?;
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
        if let (Some(timeout), "milliseconds") = (hook.timeout, self.facts.timeout_unit)
            && timeout <= SHORT
        {
            self.report(&TIMEOUT_UNIT, at, format!("the timeout is {} ms", timeout.as_secs_f64() * 1000.0));
        }
        if let (Some(timeout), "seconds") = (hook.timeout, self.facts.timeout_unit)
            && timeout >= LONG
            && !is_in_minutes(timeout)
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
        (self.dialect == Dialect::ClaudeCode
            && self.hook.facts.is_some_and(|event| event.moment == "session_ended"))
        .then(|| Duration::from_mins(1))
    }
}

/// Folders that have the files of one person, of which the name follows.
const HOMES: &[&str] = &["/Users/", "/home/", "/Volumes/", ":/Users/", ":\\Users\\", "/c/Users/"];
/// Users that containers and their kin have by default, and names that stand for one.
const EVERYONE: &[&str] = &[
    "agent",
    "app",
    "claude",
    "coder",
    "codespace",
    "dev",
    "developer",
    "me",
    "node",
    "root",
    "runner",
    "sandbox",
    "Shared",
    "ubuntu",
    "user",
    "username",
    "vscode",
    "you",
    "your-name",
    "yourname",
];

/// The first path in a text that leads into somebody's home, and where.
fn machine_path(text: &str) -> Option<(usize, &str)> {
    let places = HOMES.iter().flat_map(|home| text.match_indices(home));
    let mut found: Vec<(usize, &str)> = places
        .filter_map(|(at, home)| {
            let drive = usize::from(home.starts_with(':'));
            let start = at.checked_sub(drive)?;
            let before = text.get(..start)?.chars().next_back();
            let begins = before.is_none_or(|letter| {
                letter.is_whitespace() || matches!(letter, '"' | '\'' | '=' | '(' | ';')
            });
            let rest = text.get(at + home.len()..)?;
            let name = rest.split(['/', '\\', ' ', '"', '\'']).next().unwrap_or("");
            let is_one = !name.is_empty()
                && !name.contains(['$', '*', '<', '{', '['])
                && !EVERYONE.iter().any(|user| user.eq_ignore_ascii_case(name))
                && rest.len() > name.len() + 1;
            (begins && is_one).then(|| {
                let path = text.get(start..).unwrap_or("");
                let end = path.find(['"', '\'', ';', ' ', '\n', '&', '|', ')']).unwrap_or(path.len());
                (start, path.get(..end).unwrap_or(path))
            })
        })
        .collect();
    found.sort_unstable();
    found.first().copied()
}

/// Whole minutes up to a day that are no thousands: somebody has reckoned in seconds.
fn is_in_minutes(timeout: Duration) -> bool {
    let seconds = timeout.as_secs();
    seconds.is_multiple_of(60) && !seconds.is_multiple_of(1000) && seconds <= 86_400
}

/// Keys that stand twice in an object: all but the last value are lost.
pub(super) fn duplicate_keys(source: &Source<'_>, node: &Node) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        waiting.extend(node.as_array().unwrap_or(&[]));
        let mut seen = FxHashSet::default();
        for member in node.members() {
            waiting.push(&member.value);
            // Some write comments under a key of their own.
            let is_comment = member.name.starts_with(['_', '/', '#', '$']) || member.name == "comment";
            if !seen.insert(member.name.as_str()) && !is_comment && findings.len() < MOST_DUPLICATES {
                let problem =
                    source.problem(member.at, format!("`{}` is there twice; the first is lost", member.name));
                findings.push(Finding {
                    rule: &DUPLICATE_KEY,
                    hook: None,
                    problem,
                    script_line: None,
                    fix: None,
                });
            }
        }
    }
    findings
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
