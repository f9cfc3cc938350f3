//! The bash script around a ported hook's script.
//!
//! 1. The target's payload, on standard input, becomes the neutral one; the shell tool and its argument get the names that
//!    the script knows.
//! 2. Tests that the target's matcher cannot do; a hook that is not meant says nothing.
//! 3. The script runs with its own dialect's payload on standard input and in its variables.
//! 4. What it printed and its status become a neutral answer, a failure is turned as its dialect has it, and the answer is
//!    printed as the target wants it.
//!
//! It needs `bash`, `jq` and `mktemp`.

use crate::document::Source;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::EventRow;
use crate::hook::portable::{self, ArgumentTest, ExitRule, Facts, PortableHook, Tools, quoted};
use serde_json::Value;

/// What a target's matcher says, and what it cannot.
#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) tools: Tools,
    pub(super) argument: Option<ArgumentTest>,
    /// Conditions in jq over the neutral payload in the script's names.
    pub(super) guard: Vec<String>,
}

/// What an adapter is made from.
pub(super) struct Adapter<'a> {
    pub(super) from: Dialect,
    pub(super) to: Dialect,
    pub(super) hook: &'a PortableHook,
    pub(super) event: &'static EventRow,
    pub(super) target: &'static EventRow,
    pub(super) script: &'a str,
    pub(super) closed: bool,
    pub(super) matching: &'a Match,
    pub(super) index: usize,
}

/// What the line that carries the original hook begins with.
const ORIGIN: &str = "# hookbox origin: ";

/// The hook that an adapter was made from: its dialect, the text that carries it, and itself.
pub(super) fn origin(script: &str) -> Option<(Dialect, String, PortableHook)> {
    let text = script.lines().take(3).find_map(|line| line.strip_prefix(ORIGIN))?;
    let (dialect, config) = text.split_once(' ')?;
    let dialect: Dialect = dialect.parse().ok()?;
    let node = Source::new("origin", config.as_bytes()).json("").ok()?;
    let hook = (portable::facts(dialect).read)(&node).into_iter().next()?;
    Some((dialect, text.to_owned(), hook))
}

/// A test of an argument as a dialect with argument tests does it: the text at the path is searched, or must not be empty.
pub(super) fn argument_test(argument: &ArgumentTest) -> String {
    let path: Vec<Value> = argument.path.iter().map(|key| Value::from(key.as_str())).collect();
    let text = format!(
        "(try (.arguments | getpath({})) catch null | if type == \"string\" then . elif . == null then \"\" else tojson end)",
        Value::from(path)
    );
    match &argument.regex {
        Some(regex) => format!("({text} | test({}))", Value::from(regex.as_str())),
        None => format!("({text} != \"\")"),
    }
}

impl Adapter<'_> {
    pub(super) fn text(&self) -> String {
        let (from, to) = (portable::facts(self.from), portable::facts(self.to));
        let mut lines = vec![
            format!(
                "# hookbox adapter: a hook of {} ({}) under {} ({})",
                self.from, self.event.name, self.to, self.target.name
            ),
            format!("{ORIGIN}{} {}", self.from, self.original()),
            self.failing(to),
            "work=$(mktemp -d) || failed".to_owned(),
            "trap 'rm -rf \"$work\"' EXIT".to_owned(),
            format!("jq -c {} >\"$work/event\" || failed", program(&self.payload_in(from, to))),
        ];
        if !self.matching.guard.is_empty() {
            let guard = self.matching.guard.join(" and ");
            let pass = if self.to == Dialect::Everruns { "{ echo '{}'; exit 0; }" } else { "exit 0" };
            lines.push(format!("jq -e {} \"$work/event\" >/dev/null || {pass}", program(&guard)));
        }
        let name = self.hook_name();
        lines.push(format!(
            "jq -c --arg hook {} --arg event {} {} \"$work/event\" >\"$work/payload\" || failed",
            quoted(&name),
            quoted(self.event.name),
            program(&format!(". as $payload | {}", from.payload_out))
        ));
        lines.push("(".to_owned());
        lines.extend(self.variables(&name));
        lines.push(format!("exec bash -c {}", quoted(self.script)));
        lines.push(") <\"$work/payload\" >\"$work/stdout\" 2>\"$work/stderr\"".to_owned());
        lines.push("status=$?".to_owned());
        lines.push(format!(
            "jq -c --rawfile stdout \"$work/stdout\" --rawfile stderr \"$work/stderr\" --argjson status \"$status\" \
             --arg event {} {} \"$work/event\" >\"$work/answer\" || failed",
            quoted(self.target.name),
            program(&self.answer(from, to))
        ));
        lines.push("jq -j .stderr \"$work/answer\" >&2".to_owned());
        lines.push("jq -j .stdout \"$work/answer\"".to_owned());
        lines.push("exit \"$(jq .status \"$work/answer\")\"".to_owned());
        lines.push(String::new());
        lines.join("\n")
    }

    /// What happens when the adapter itself cannot go on.
    fn failing(&self, to: &Facts) -> String {
        let status = match (self.closed && self.target.blocks, to.exit) {
            (true, ExitRule::TwoBlocks) => 2,
            (true, ExitRule::NonZeroBlocks) => 1,
            _ => 0,
        };
        format!("failed() {{ echo 'hookbox adapter failed' >&2; exit {status}; }}")
    }

    /// The hook as a config of its own dialect.
    fn original(&self) -> String {
        let draft = super::draft(self.hook, self.event, self.script.to_owned(), self.hook.tools.clone());
        (portable::facts(self.from).write)(&[draft]).to_string()
    }

    fn hook_name(&self) -> String {
        let name = self.hook.name.clone().unwrap_or_else(|| format!("{}_{}", self.event.name, self.index));
        if self.from == Dialect::Everruns { format!("user:{name}") } else { name }
    }

    /// The key of the shell tool's command that the script reads.
    fn own_key(&self, from: &Facts) -> &'static str {
        let used = |key: &&&'static str| {
            let argument = self.hook.argument.as_ref().and_then(|argument| argument.path.first());
            argument.is_some_and(|first| first == **key) || self.script.contains(&format!(".{key}"))
        };
        // The longest first: `command` is the beginning of `commands`.
        from.shell_argument.iter().rev().find(used).or(from.shell_argument.first()).copied().unwrap_or("")
    }

    /// A program that knows what happens when the target's event is fired.
    fn with_moment(&self, program: &str) -> String {
        format!("\"{}\" as $moment | {program}", self.target.moment)
    }

    fn payload_in(&self, from: &Facts, to: &Facts) -> String {
        let (theirs, own) = (to.shell_argument.first().copied().unwrap_or(""), self.own_key(from));
        if to.shell_in_payload.is_empty() || from.shell_in_payload.is_empty() {
            return self.with_moment(to.payload_in);
        }
        let rename = if theirs == own {
            String::new()
        } else {
            format!(" | .arguments |= {}", rename_key(theirs, own))
        };
        format!(
            "{} | if .tool_name == \"{}\" then .tool_name = \"{}\"{rename} else . end",
            self.with_moment(to.payload_in),
            to.shell_in_payload,
            from.shell_in_payload
        )
    }

    fn answer(&self, from: &Facts, to: &Facts) -> String {
        let (theirs, own) = (to.shell_argument.first().copied().unwrap_or(""), self.own_key(from));
        let back = if theirs == own || theirs.is_empty() || own.is_empty() {
            String::new()
        } else {
            format!(
                "| if .arguments and $payload.tool_name == \"{}\" then .arguments |= {} else . end",
                from.shell_in_payload,
                rename_key(own, theirs)
            )
        };
        let failure = if self.closed {
            "{verdict: \"deny\", reason: (\"hook failed: \" + .failure)}"
        } else {
            "{verdict: \"none\"}"
        };
        format!(
            ". as $payload | ({})\n| if .failure then {failure} else . end {back}\n| {}",
            from.answer_in, to.answer_out
        )
    }

    /// Variables of the script's dialect that it names, and the hook's own.
    fn variables(&self, name: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut set = |variable: &str, value: String| {
            if self.script.contains(variable) {
                lines.push(format!("export {variable}={value}"));
            }
        };
        match self.from {
            Dialect::Everruns => {
                let field =
                    |path: &str| format!("$(jq -r {} \"$work/payload\")", quoted(&format!("{path} // \"\"")));
                set("EVERRUNS_HOOK_PAYLOAD_JSON", "$(cat \"$work/payload\")".into());
                set("EVERRUNS_HOOK_PAYLOAD_PATH", "\"$work/payload\"".into());
                set("EVERRUNS_HOOK_EVENT", quoted(self.event.name));
                set("EVERRUNS_HOOK_ID", quoted(name));
                set("EVERRUNS_HOOK_SESSION_ID", field(".session_id"));
                set("EVERRUNS_HOOK_TURN_ID", field(".turn_id"));
                set("EVERRUNS_HOOK_TOOL_NAME", field(".data.tool_name"));
                set("EVERRUNS_HOOK_TOOL_CALL_ID", field(".data.tool_call_id"));
                set("WORKSPACE", "\"${WORKSPACE:-$PWD}\"".into());
            }
            Dialect::ClaudeCode => set("CLAUDE_PROJECT_DIR", "\"${CLAUDE_PROJECT_DIR:-$PWD}\"".into()),
            _ => {}
        }
        for (variable, value) in &self.hook.environment {
            lines.push(format!("export {variable}={}", quoted(value)));
        }
        lines
    }
}

/// jq: an object with one key under another name, in its place.
fn rename_key(old: &str, new: &str) -> String {
    format!(
        "(if type == \"object\" then with_entries(if .key == \"{old}\" then .key = \"{new}\" else . end) else . end)"
    )
}

/// A jq program as one word of the shell, its lines without their indentation.
fn program(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    quoted(&lines.join("\n  "))
}
