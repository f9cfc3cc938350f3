//! The bash script around a ported hook's script.
//!
//! 1. The target's payload, on standard input, becomes the neutral one; the shell tool and its argument get the names that
//!    the script knows.
//! 2. Tests that the target's matcher cannot do; a hook that is not meant says nothing.
//! 3. The script runs with its own dialect's payload on standard input and in its variables.
//! 4. What it printed and its status become a neutral answer, a failure is turned as its dialect has it, and the answer is
//!    printed as the target wants it.
//!
//! It needs `bash`, `jq` and `mktemp`. It stands in the hook itself, or, as a function among those of the other hooks, in a
//! file beside the config ([`AdapterFile`]), which the hook calls.

use crate::document::Source;
use crate::hook::dialect::everruns;
use crate::hook::dialect::list::Dialect;
use crate::hook::event_table::EventRow;
use crate::hook::portable::{self, ArgumentTest, Facts, PortableHook, Tools, quoted};
use serde_json::Value;
use std::fmt::Write as _;

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

/// The adapters of all hooks of a config, as a script: programs that several of them have stand there once.
pub(super) struct AdapterFile {
    /// How hooks name it.
    path: String,
    /// Name of a variable, and the jq program that it holds, as a word of the shell.
    programs: Vec<(String, String)>,
    functions: String,
    count: usize,
}

impl AdapterFile {
    pub(super) const fn new(path: String) -> Self {
        Self { path, programs: Vec::new(), functions: String::new(), count: 0 }
    }

    /// Takes a hook's adapter in; the script that the hook is then.
    pub(super) fn call(&mut self, adapter: &Adapter<'_>) -> String {
        self.count += 1;
        let (number, name) = (self.count, adapter.hook_name());
        let lines = adapter.lines(&mut |kind, program| self.program(kind, program));
        let head = format!(
            "# {} ({}) under {} ({})",
            name.replace('\n', " "),
            adapter.event.name,
            adapter.to,
            adapter.target.name
        );
        let _ = write!(self.functions, "\n{head}\nhook_{number}() {{\n{}\n}}\n", lines.join("\n"));
        let is_relative = !self.path.starts_with('/');
        let path = match adapter.to {
            Dialect::ClaudeCode if is_relative => {
                format!("\"${{CLAUDE_PROJECT_DIR:-.}}\"/{}", quoted(&self.path))
            }
            _ => quoted(&self.path),
        };
        format!("{}exec bash {path} {number}\n", adapter.head())
    }

    /// The variable that holds a program.
    fn program(&mut self, kind: &str, program: String) -> String {
        let known = self.programs.iter().find(|(name, known)| *known == program && name.starts_with(kind));
        let name = match known {
            Some((name, _)) => name.clone(),
            None => {
                let same = self.programs.iter().filter(|(name, _)| name.starts_with(kind)).count();
                let name = format!("{kind}_{}", same + 1);
                self.programs.push((name.clone(), program));
                name
            }
        };
        format!("\"${name}\"")
    }

    /// The whole file; `None`: no hook needs it.
    pub(super) fn text(&self, from: Dialect, to: Dialect) -> Option<String> {
        let mut programs = String::new();
        for (name, program) in &self.programs {
            let _ = writeln!(programs, "{name}={program}\n");
        }
        (self.count > 0).then(|| {
            format!(
                "#!/bin/bash\n\
                 # Hooks of {from} under {to}, written by `hookbox convert`. `bash FILE NUMBER` is a hook: the event of {to} comes on\n\
                 # standard input, the answer goes to standard output in its words.\n\
                 #\n\
                 # Each hook makes a neutral event of what it gets (event_*), tests what a matcher of {to} cannot say (guard_*), runs its\n\
                 # script on the payload of {from} (payload_*), and makes an answer of what that printed (answer_*). It needs jq.\n\n\
                 {programs}{}\n\"hook_${{1:?which hook}}\"\n",
                self.functions.trim_start_matches('\n')
            )
        })
    }
}

impl Adapter<'_> {
    /// The adapter as a script of its own.
    pub(super) fn text(&self) -> String {
        let mut lines = self.lines(&mut |_, program| program);
        lines.push(String::new());
        self.head() + &lines.join("\n")
    }

    /// What tells that it is one, and of what.
    fn head(&self) -> String {
        let Self { from, to, event, target, .. } = self;
        let head =
            format!("# hookbox adapter: a hook of {from} ({}) under {to} ({})", event.name, target.name);
        format!("{head}\n{ORIGIN}{from} {}\n", self.original())
    }

    /// What it does. `keep` is told what a program is for, and says by which word of the shell it is called.
    fn lines(&self, keep: &mut dyn FnMut(&str, String) -> String) -> Vec<String> {
        let (from, to) = (portable::facts(self.from), portable::facts(self.to));
        let mut lines = vec![
            self.failing(to),
            "work=$(mktemp -d) || failed".to_owned(),
            "trap 'rm -rf \"$work\"' EXIT".to_owned(),
            format!(
                "jq -c {} >\"$work/event\" || failed",
                keep("event", program(&self.payload_in(from, to)))
            ),
        ];
        if !self.matching.guard.is_empty() {
            let guard = self.matching.guard.join(" and ");
            let pass = if self.to == Dialect::Everruns { "{ echo '{}'; exit 0; }" } else { "exit 0" };
            let guard = keep("guard", program(&guard));
            lines.push(format!("jq -e {guard} \"$work/event\" >/dev/null || {pass}"));
        }
        let name = self.hook_name();
        lines.push(format!(
            "jq -c --arg hook {} --arg event {} {} \"$work/event\" >\"$work/payload\" || failed",
            quoted(&name),
            quoted(self.event.name),
            keep("payload", program(&format!(". as $payload | {}", from.payload_out)))
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
            keep("answer", program(&self.answer(from, to)))
        ));
        lines.push("jq -j .stderr \"$work/answer\" >&2".to_owned());
        lines.push("jq -j .stdout \"$work/answer\"".to_owned());
        lines.push("exit \"$(jq .status \"$work/answer\")\"".to_owned());
        lines
    }

    /// What happens when the adapter itself cannot go on.
    fn failing(&self, to: &Facts) -> String {
        let status = if self.closed && self.target.blocks { to.exit.blocking_status() } else { 0 };
        format!("failed() {{ echo 'hookbox adapter failed' >&2; exit {status}; }}")
    }

    /// The hook as a config of its own dialect.
    fn original(&self) -> String {
        let mut draft = super::draft(self.hook, self.event, self.script.to_owned(), self.hook.tools.clone());
        // The config around it says whether it runs.
        draft.enabled = true;
        (portable::facts(self.from).write)(&[draft]).to_string()
    }

    pub(super) fn hook_name(&self) -> String {
        let name = self.hook.name.as_deref();
        match self.from {
            Dialect::Everruns => everruns::hook_id(everruns::USER, name, self.event.name, self.index),
            _ => name.map_or_else(|| format!("{}_{}", self.event.name, self.index), str::to_owned),
        }
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
        let rename = if theirs == own || theirs.is_empty() || own.is_empty() {
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
