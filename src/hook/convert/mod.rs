//! Porting hooks from one dialect to another: a config's text goes in, and out come the config in the other dialect's shape and
//! remarks about what is lost or means something else there. `hookbox convert` prints both.
//!
//! ```
//! use hookbox::hook::{Dialect, HookSet, LoadOptions};
//! use hookbox::hook::convert::{RemarkKind, convert};
//!
//! let config = br#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
//!     "command": "jq -e '.tool_input.command != \"reboot\"' || exit 2"}]}]}}"#;
//! let converted = convert(Dialect::ClaudeCode, Dialect::Everruns, "hooks.json", config)?;
//! assert_eq!(converted.hooks, (1, 1));
//! assert!(!converted.remarks.iter().any(|remark| remark.kind == RemarkKind::Lost));
//!
//! let text = converted.config.to_string();
//! HookSet::load(Dialect::Everruns, text.as_bytes(), &LoadOptions::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A text that is neither JSON nor YAML is the only `Err`. What the loader has to say about single hooks is not repeated here: check
//! the config first ([`lint`](crate::hook::lint)).
//!
//! # How it goes
//!
//! Each hook is read into the common form of `crate::hook::portable`, given the events of the target that stand for the same
//! moment, and written in the target's shape. Its script stays as it is, behind an adapter (`adapter.rs`): a bash script
//! that turns the target's payload into the one that the script expects, and the script's answer into the target's. What a
//! matcher of the target cannot say is tested in the adapter. What is lost or changes its meaning is told hook by hook
//! (`remark.rs`).
//!
//! An adapter carries the hook that it was made from: converting back gives that hook, and converting on starts from it.

mod adapter;
mod remark;

#[cfg(test)]
mod tests;

pub use remark::{Remark, RemarkKind};

use super::contract::{LoadOptions, Purpose};
use super::error::ConfigProblem;
use super::event_table::{EventRow, Part};
use super::hook_set::HookSet;
use super::portable::{self, Draft, Facts, Matching, PortableHandler, PortableHook, Tools, quoted};
use crate::document::Source;
use crate::hook::dialect::expression;
use crate::hook::dialect::list::Dialect;
use crate::hook::matcher::RegexCompiler;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// A converted config.
#[derive(Clone, Debug)]
pub struct Converted {
    /// In the target's shape.
    pub config: Value,
    /// What is lost, changed, and kept by other means.
    pub remarks: Vec<Remark>,
    /// How many hooks were read, and how many of them have a counterpart.
    pub hooks: (usize, usize),
    /// The file that the hooks call, where it was asked for and one of them needs it.
    pub adapter: Option<String>,
}

/// Converts a config.
///
/// # Errors
/// The text is neither JSON nor YAML. What is wrong with single hooks is the loader's to say.
pub fn convert(from: Dialect, to: Dialect, name: &str, text: &[u8]) -> Result<Converted, ConfigProblem> {
    convert_beside(from, to, name, text, None)
}

/// As [`convert`]; with the path of a file, the adapters stand in that ([`Converted::adapter`]), and hooks call it by the path: a
/// relative one from the project's folder.
///
/// # Errors
/// Those of [`convert`].
pub fn convert_beside(
    from: Dialect,
    to: Dialect,
    name: &str,
    text: &[u8],
    adapter: Option<&str>,
) -> Result<Converted, ConfigProblem> {
    let source = Source::new(name, text);
    let own = |error| (from.contract().tree)(&source).map_err(|_| error);
    let node = source.json_or_yaml("not a hook config: ").or_else(own)?;
    let hooks = (portable::facts(from).read)(&node);
    let all_off = hooks.iter().all(|hook| !hook.enabled);
    let mut conversion = Conversion {
        to,
        remarks: Vec::new(),
        drafts: Vec::new(),
        origins: FxHashSet::default(),
        file: None,
        all_off,
    };
    conversion.file = adapter.map(|path| adapter::AdapterFile::new(path.to_owned()));
    let mut carried = 0;
    for (index, hook) in hooks.iter().enumerate() {
        carried += usize::from(conversion.hook(from, hook, index));
    }
    let left = conversion.drop_refused();
    conversion.chain_remarks(from);
    let config = (portable::facts(to).write)(&conversion.drafts);
    // What each of two hooks may say both may not (an id that stands twice).
    if let Some(message) = refusal(to, &config) {
        return Err(source.problem(None, format!("{to} refuses what it would be there: {message}")));
    }
    let carried = carried.saturating_sub(left);
    let adapter = conversion.file.and_then(|file| file.text(from, to));
    Ok(Converted { config, remarks: conversion.remarks, hooks: (hooks.len(), carried), adapter })
}

/// What a platform says against a config; `None`: it takes it.
fn refusal(dialect: Dialect, config: &Value) -> Option<String> {
    let options = LoadOptions { purpose: Purpose::Save, ..LoadOptions::default() };
    let error = HookSet::load(dialect, config.to_string().as_bytes(), &options).err()?;
    error.problems.first().map(|problem| problem.message.clone())
}

/// The hook that an adapter was made from, with its dialect.
pub(super) fn origin(script: &str) -> Option<(Dialect, PortableHook)> {
    adapter::origin(script).map(|(dialect, _, hook)| (dialect, hook))
}

struct Conversion {
    to: Dialect,
    remarks: Vec<Remark>,
    drafts: Vec<Draft>,
    /// Hooks that came back from adapters: one may have been split over two events.
    origins: FxHashSet<String>,
    /// Where adapters go to; `None`: into the hooks.
    file: Option<adapter::AdapterFile>,
    /// No hook of the config runs.
    all_off: bool,
}

impl Conversion {
    fn remark(&mut self, kind: RemarkKind, hook: &str, text: impl Into<String>) {
        self.remarks.push(Remark { kind, hook: Some(hook.to_owned()), text: text.into() });
    }

    /// Leaves out hooks that the target does not take as they are (an expression that it can not read); how many.
    fn drop_refused(&mut self) -> usize {
        let write = portable::facts(self.to).write;
        if self.drafts.is_empty() || refusal(self.to, &write(&self.drafts)).is_none() {
            return 0;
        }
        let before = self.drafts.len();
        for draft in std::mem::take(&mut self.drafts) {
            match refusal(self.to, &write(std::slice::from_ref(&draft))) {
                None => self.drafts.push(draft),
                Some(message) => {
                    let label = draft.name.clone().unwrap_or_else(|| draft.event.name.to_owned());
                    let text = format!("{} refuses it: {message}", self.to);
                    self.remark(RemarkKind::Lost, &label, text);
                }
            }
        }
        before - self.drafts.len()
    }

    /// Whether the hook has a counterpart.
    fn hook(&mut self, from: Dialect, hook: &PortableHook, index: usize) -> bool {
        if let Some((origin, text, mut original)) = hook.script().and_then(adapter::origin) {
            if self.origins.insert(text) {
                // Whether it runs is said where it stands now.
                original.enabled = hook.enabled;
                return self.hook(origin, &original, index);
            }
            return true;
        }
        let facts = portable::facts(from);
        let label = hook.label();
        let Some(script) = self.script_of(hook, &label) else { return false };
        let Some(event) = hook.facts else {
            self.remark(RemarkKind::Lost, &label, format!("{from} has no event `{}`", hook.event));
            return false;
        };
        if from == self.to {
            for field in &hook.own_fields {
                self.remark(RemarkKind::Lost, &label, format!("`{field}` is not kept"));
            }
            self.drafts.push(draft(hook, event, script, hook.tools.clone()));
            return true;
        }
        let targets = self.targets(event, &label);
        if targets.is_empty() {
            return false;
        }
        for field in &hook.own_fields {
            self.remark(RemarkKind::Lost, &label, format!("`{field}` has no counterpart in {}", self.to));
        }
        let mut written = false;
        for target in targets {
            written |= self.target(from, facts, hook, event, target, &script, index);
        }
        written
    }

    fn script_of(&mut self, hook: &PortableHook, label: &str) -> Option<String> {
        match &hook.handler {
            PortableHandler::Script(script) => Some(script.clone()),
            PortableHandler::Program { name, arguments } => {
                let words: Vec<String> =
                    std::iter::once(name).chain(arguments).map(|word| quoted(word)).collect();
                self.remark(
                    RemarkKind::Kept,
                    label,
                    "the program is called from a shell, with the same arguments",
                );
                Some(words.join(" "))
            }
            PortableHandler::Other(kind) => {
                let text = match kind.as_str() {
                    "powershell" => {
                        "a script of PowerShell can not be ported: adapters are scripts of bash".into()
                    }
                    kind => format!("a hook of type `{kind}` can not be ported as a script"),
                };
                self.remark(RemarkKind::Lost, label, text);
                None
            }
        }
    }

    /// The target's events for the same moment.
    fn targets(&mut self, event: &'static EventRow, label: &str) -> Vec<&'static EventRow> {
        let events = portable::facts(self.to).events;
        let same = |moment: &str| -> Vec<&'static EventRow> {
            let fitting = events.iter().filter(|target| !moment.is_empty() && target.moment == moment);
            let mut fitting: Vec<_> = fitting
                .filter(|target| {
                    event.part == Part::All || target.part == Part::All || target.part == event.part
                })
                .collect();
            fitting.sort_by_key(|target| target.is_aside);
            // One event for each outcome: by the same name, else the first.
            let mut chosen: Vec<&'static EventRow> = Vec::new();
            for target in &fitting {
                let named =
                    fitting.iter().find(|other| other.part == target.part && other.name == event.name);
                if !chosen.iter().any(|other| other.part == target.part) {
                    chosen.push(named.copied().unwrap_or(target));
                }
            }
            // An event for every outcome makes one for failures alone superfluous.
            if chosen.iter().any(|target| target.part == Part::All) && event.part == Part::All {
                chosen.retain(|target| target.part == Part::All);
            }
            chosen
        };
        let found = same(event.moment);
        if !found.is_empty() {
            return found;
        }
        let near = same(near(event.moment));
        match near.first() {
            Some(target) => {
                let text = format!("`{}` is not the same moment: {}", target.name, difference(event.moment));
                self.remark(RemarkKind::Changed, label, text);
            }
            None => {
                let text = format!("{} has no event for `{}`", self.to, event.name);
                self.remark(RemarkKind::Lost, label, text);
            }
        }
        near
    }

    #[expect(clippy::too_many_arguments, reason = "a hook, where it comes from and where it goes")]
    fn target(
        &mut self,
        from: Dialect,
        facts: &'static Facts,
        hook: &PortableHook,
        event: &'static EventRow,
        target: &'static EventRow,
        script: &str,
        index: usize,
    ) -> bool {
        let label = hook.label();
        let Some(matching) = self.matching(from, hook, event, target, &label) else { return false };
        self.answer_remarks(from, hook, event, target, script);
        let closed = hook.fails_closed();
        self.failure_remarks(closed, event, target, &label);
        let timeout = self.timeout(facts, hook, &label);
        let adapter = adapter::Adapter {
            from,
            to: self.to,
            hook,
            event,
            target,
            script,
            closed,
            matching: &matching,
            index,
        };
        let name = adapter.hook_name();
        let text = match &mut self.file {
            Some(file) => file.call(&adapter),
            None => adapter.text(),
        };
        let mut draft = draft(hook, target, text, matching.tools);
        draft.argument = matching.argument;
        draft.timeout = timeout;
        draft.closed = closed;
        // The adapter sets and tests them.
        draft.environment.clear();
        draft.conditions.clear();
        // In the words of the other dialect.
        draft.policy = None;
        // A message to the user names a hook without a name by its command, which is the whole adapter.
        if self.to == Dialect::DockerAgent && draft.name.is_none() {
            draft.name = Some(name);
        }
        if draft.cwd.is_some() && !matches!(self.to, Dialect::DockerAgent | Dialect::Goclaw) {
            let cwd = draft.cwd.take().unwrap_or_default();
            self.remark(
                RemarkKind::Changed,
                &label,
                format!("the hook runs in the session's directory, not in `{cwd}`"),
            );
        }
        if !hook.enabled && !self.can_switch_off() {
            self.remark(
                RemarkKind::Lost,
                &label,
                format!("it is switched off, which {} can not say", self.to),
            );
            return false;
        }
        if hook.priority != 0 && self.to != Dialect::Goclaw {
            self.remark(RemarkKind::Changed, &label, "the order of the file counts, not its priority");
        }
        self.drafts.push(draft);
        true
    }

    /// Whether the target has a switch for one hook, or for all where none of them runs.
    fn can_switch_off(&self) -> bool {
        match self.to {
            Dialect::Goclaw | Dialect::Everruns => true,
            Dialect::ClaudeCode | Dialect::Infer => self.all_off,
            Dialect::DockerAgent | Dialect::Agentao => false,
        }
    }

    /// A test of what an event is about: in the adapter, where the target's payload tells it.
    fn condition(
        &mut self,
        from: Dialect,
        event: &EventRow,
        target: &EventRow,
        (field, text): (&str, &str),
        label: &str,
    ) -> Option<String> {
        let is_neutral = matches!(field, "source" | "trigger" | "reason");
        if !is_neutral || !portable::tells(self.to, target, field) {
            let why = if is_neutral {
                format!(": `{}` of {} has no `{field}`", target.name, self.to)
            } else {
                String::new()
            };
            let text = format!("the condition `{field}: {text}`{why}: the hook runs more often");
            self.remark(RemarkKind::Lost, label, text);
            return None;
        }
        let tools = portable::condition(from, event.name, text);
        if target.values.is_empty() {
            let text = format!("`{field}` has values of {} there: see that `{text}` fits them", self.to);
            self.remark(RemarkKind::Changed, label, text);
        } else {
            let meant = event.values.iter().filter(|value| tools.passes(value) != Some(false));
            let missing: Vec<&str> = meant.filter(|value| !target.values.contains(value)).copied().collect();
            if !missing.is_empty() {
                let text = format!("`{}` never has the {field} {}", target.name, missing.join(", "));
                self.remark(RemarkKind::Changed, label, text);
            }
        }
        Some(format!("((.{field} // \"\") | test({}))", Value::from(tools.to_regex())))
    }

    /// Whether the event never comes in the target with what a hook asks for.
    fn never(&self, from: Dialect, event: &EventRow, target: &EventRow, (field, text): (&str, &str)) -> bool {
        let is_told = portable::tells(self.to, target, field) && !target.values.is_empty();
        let tools = portable::condition(from, event.name, text);
        is_told && !target.values.iter().any(|value| tools.passes(value) != Some(false))
    }

    /// What the target's matcher says, and what is left for the adapter. `None`: the hook would run where it should not.
    fn matching(
        &mut self,
        from: Dialect,
        hook: &PortableHook,
        event: &EventRow,
        target: &EventRow,
        label: &str,
    ) -> Option<adapter::Match> {
        let (facts, to) = (portable::facts(from), portable::facts(self.to));
        let mut found = adapter::Match { tools: Tools::Any, argument: None, guard: Vec::new() };
        match (event.part, target.part) {
            (Part::Success, Part::All) => found.guard.push(".error == null".to_owned()),
            (Part::Failure, Part::All) => found.guard.push(".error != null".to_owned()),
            _ => {}
        }
        for (field, text) in &hook.conditions {
            if self.never(from, event, target, (field, text)) {
                let text = format!("`{}` of {} never has the {field} `{text}`", target.name, self.to);
                self.remark(RemarkKind::Lost, label, text);
                return None;
            }
            found.guard.extend(self.condition(from, event, target, (field, text), label));
        }
        if hook.tools == Tools::Any && hook.argument.is_none() {
            return Some(found);
        }
        if to.matching == Matching::None || !target.tool {
            let text = format!("`{}` does not tell the tool, so its matcher can not be kept", target.name);
            self.remark(RemarkKind::Lost, label, text);
            return None;
        }
        if let Some(why) = unreadable(from, hook) {
            let text = format!("the matcher can not be read, so the hook never runs: {why}");
            self.remark(RemarkKind::Lost, label, text);
            return None;
        }
        let tools = self.renamed(facts, hook, label);
        match (&tools, to.matching) {
            (Tools::Regex(regex), Matching::NamesAndArgument) => {
                found.guard.push(format!("((.tool_name // \"\") | test({}))", Value::from(regex.as_str())));
                self.remark(RemarkKind::Kept, label, "the matcher's expression is tested in the adapter");
            }
            _ => found.tools = tools,
        }
        match &hook.argument {
            Some(argument)
                if to.matching == Matching::NamesAndArgument && facts.shell_argument == to.shell_argument =>
            {
                found.argument = Some(argument.clone());
            }
            Some(argument) => {
                found.guard.push(adapter::argument_test(argument));
                self.remark(RemarkKind::Kept, label, "the test of the argument is done in the adapter");
            }
            None => {}
        }
        Some(found)
    }

    /// The shell tool has a name of its own on each platform; the others' names are kept.
    fn renamed(&mut self, facts: &'static Facts, hook: &PortableHook, label: &str) -> Tools {
        let to = portable::facts(self.to);
        let ours = |name: &str| {
            !name.is_empty()
                && (name == facts.shell_tool || name == facts.shell_in_payload)
                && name != to.shell_tool
        };
        if let Tools::Names(names) = &hook.tools {
            for name in names.iter().filter(|name| !name.open) {
                if ours(&name.text) {
                    let text = format!("the shell tool `{}` is `{}` there", name.text, to.shell_tool);
                    self.remark(RemarkKind::Kept, label, text);
                } else if name.text != to.shell_tool {
                    let text =
                        format!("the tool's name `{}` is kept: see that the platform has it", name.text);
                    self.remark(RemarkKind::Changed, label, text);
                }
            }
        } else if let Tools::Regex(regex) = &hook.tools {
            let text =
                format!("the expression `{regex}` is kept: see that it fits the platform's tool names");
            self.remark(RemarkKind::Changed, label, text);
        }
        hook.tools.renamed(|name| ours(name).then_some(to.shell_tool))
    }
}

fn draft(hook: &PortableHook, event: &'static EventRow, script: String, tools: Tools) -> Draft {
    Draft {
        name: hook.name.clone(),
        event,
        tools,
        argument: hook.argument.clone(),
        script,
        environment: hook.environment.clone(),
        cwd: hook.cwd.clone(),
        timeout: hook.timeout,
        closed: hook.fails_closed(),
        policy: hook.policy.clone(),
        conditions: hook.conditions.clone(),
        description: hook.description.clone(),
        enabled: hook.enabled,
        priority: hook.priority,
    }
}

/// Why an expression can not be used that the platform takes without running the hook.
fn unreadable(from: Dialect, hook: &PortableHook) -> Option<String> {
    let (Dialect::ClaudeCode, Tools::Regex(expression)) = (from, &hook.tools) else { return None };
    expression::compile(expression, &mut RegexCompiler::new(1 << 20)).err()
}

/// A moment that comes close.
fn near(moment: &str) -> &'static str {
    match moment {
        "tool_call_starting" => "tool_batch_starting",
        "tool_batch_starting" => "tool_call_starting",
        "tool_call_ended" => "tool_batch_ended",
        "tool_batch_ended" => "tool_call_ended",
        "model_call_starting" => "turn_started",
        "turn_started" => "model_call_starting",
        "permission_requested" => "tool_call_starting",
        _ => "",
    }
}

/// How the near moment differs.
fn difference(moment: &str) -> &'static str {
    match moment {
        "tool_call_starting" | "tool_call_ended" => {
            "it comes once for all calls of a reply, without their names"
        }
        "tool_batch_starting" | "tool_batch_ended" => "it comes for each call, not once for all of a reply",
        "permission_requested" => {
            "it comes before every call, not only before those that the user is asked about"
        }
        _ => "it comes before each call of the model, or once a turn",
    }
}
