//! Reading configs (1 of the contract): the user's hooks, then those of plug-ins in their order.
//!
//! A file's text is expanded (R3), read as YAML, and checked, first problem first (1.2). A fault of the user's file is an error
//! whether hooks are on or not; a faulty plug-in is left out with a warning (R9).

mod expansion;

use super::allow_list::AllowList;
use super::bundle::{Extra, InferBundle};
use super::event::Point;
use super::settings::InferSettings;
use super::{guard, reminder};
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{LoadOptions, Loaded};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::fault_list::FaultList;
use crate::hook::field::whole;
use crate::hook::hooks::{Due, Handler, Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::matcher::RegexCompiler;
use crate::hook::notice::{Notice, NoticeKind};
use crate::hook::script::{Capture, Excess, Shell};
use crate::limit::Limits;
use expansion::{Expanded, expand};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

const PARSE_FAILED: &str = "failed to parse hooks config: ";
/// Seconds (R9, R23).
const DEFAULT_TIMEOUT: u64 = 30;
/// Some thirty years: longer is not told apart from it.
const LONGEST_TIMEOUT: u64 = 1_000_000_000;
/// Bytes of both streams together (R24).
const CAPTURED_BYTES: u64 = 1 << 20;

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let problem = |why: String| source.problem(None, why);
    let settings = InferSettings::read(&options.settings).map_err(problem)?;
    let plugins = match &settings.plugins {
        None => &[][..],
        Some(Value::Array(list)) => list,
        Some(_) => return Err(problem("settings: `plugins` must be a list of objects".to_owned()).into()),
    };
    let reminders = reminder::read(settings.reminders.as_ref(), settings.default_reminders.as_ref())?;
    let known = |name: &str| settings.environment.iter().find(|(known, _)| known == name);
    let variable = |name: &str| known(name).map(|(_, value)| value.as_str());
    let limits = Arc::new(options.limits.clone().unwrap_or_else(Limits::hook));
    let mut regexes = RegexCompiler::new(limits.regex_bytes);
    let flag = settings.tools_bash_allow_append.as_deref();
    let append = variable("INFER_TOOLS_BASH_ALLOW_APPEND").or(flag);
    let (allow_list, warnings) = AllowList::compile(settings.tools.as_ref(), append, &mut regexes)
        .map_err(|why| problem(format!("settings: {why}")))?;
    let mut loader = Loader {
        settings: &settings,
        switch_at: 0,
        limits: &limits,
        hooks: Vec::new(),
        notices: FaultList::default(),
    };
    for warning in warnings {
        loader.notice(source.problem(None, warning), None);
    }
    let mut enabled = loader.file(source, None)?;
    if let Some(value) = variable("INFER_HOOKS_ENABLED") {
        match boolean(value) {
            Some(value) => enabled = value,
            None => {
                let message =
                    format!("INFER_HOOKS_ENABLED is neither true nor false: `{value}`; it is ignored");
                loader.notice(source.problem(None, message), None);
            }
        }
    }
    for contribution in &options.contributions {
        let hooks = Value::Array(contribution.hooks.clone());
        let node = Node::from_value(&serde_json::json!({"hooks": hooks}));
        let read =
            loader.document(&Source::new(&contribution.origin, b""), None, &node, Some(&contribution.origin));
        loader.left_out(&contribution.origin, read.err());
    }
    for plugin in plugins {
        loader.plugin(source, plugin)?;
    }
    if enabled && !loader.hooks.is_empty() && allow_list.is_unrestricted(&settings.mode) {
        let message = format!(
            "hooks are enabled and the allow-list of mode `{}` is unrestricted: every hook command runs",
            settings.mode
        );
        loader.notice(source.problem(None, message), None);
    }
    if !enabled && !loader.hooks.is_empty() {
        let text = "hooks are disabled: `enabled` is not true, nothing runs";
        loader.notice(source.problem(Some(loader.switch_at), text), None);
    }
    let Loader { hooks, notices, .. } = loader;
    let hooks = Hooks::new(hooks);
    let hooks = if enabled { hooks } else { hooks.with_due(Due::default()) };
    let bundle = InferBundle { hooks, allow_list, mode: settings.mode, reminders };
    Ok(Loaded { bundle: Box::new(bundle), notices })
}

struct Loader<'a> {
    settings: &'a InferSettings,
    /// Where the user's file says whether hooks are enabled; its beginning where it does not.
    switch_at: usize,
    limits: &'a Arc<Limits>,
    hooks: Vec<(Hook, Extra)>,
    notices: FaultList<Notice>,
}

/// A file being read: its text, and the expansion that it was read after.
struct File<'a> {
    source: &'a Source<'a>,
    expanded: Option<&'a Expanded<'a>>,
}

impl File<'_> {
    fn problem(&self, at: Option<usize>, message: impl Into<String>) -> ConfigProblem {
        self.source.problem(at.map(|at| self.original(at)), message)
    }

    /// The place in the text as it is written.
    fn original(&self, at: usize) -> usize {
        self.expanded.map_or(at, |expanded| expanded.original(at))
    }

    fn wrong_type(&self, node: &Node, path: &str, expected: &str) -> ConfigProblem {
        let why = format!("{PARSE_FAILED}{path}: expected {expected}, found {}", node.describe());
        self.problem(node.at, why)
    }
}

impl Loader<'_> {
    fn notice(&mut self, problem: ConfigProblem, hook: Option<HookId>) {
        self.notices.push(Notice::new(NoticeKind::Warning, hook, problem));
    }

    /// A file's hooks; whether it says that hooks are enabled.
    fn file(&mut self, source: &Source<'_>, plugin: Option<&str>) -> Result<bool, ConfigProblem> {
        let expanded = expand(source.text, &self.settings.environment, self.settings.expand_unset_to_empty)
            .ok_or_else(|| {
            source.problem(None, format!("{PARSE_FAILED}the text is too large after expansion"))
        })?;
        let node = Source::new(source.name, &expanded.text).yaml(PARSE_FAILED)?;
        self.document(source, Some(&expanded), &node, plugin)
    }

    /// R6: an entry of the registry.
    fn plugin(&mut self, source: &Source<'_>, entry: &Value) -> Result<(), ConfigProblem> {
        let wrong = |what: &str| source.problem(None, format!("settings: `plugins`: {what}"));
        let flag = |name: &str| match entry.get(name) {
            None | Some(Value::Null) => Ok(true),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(wrong(&format!("`{name}` must be true or false"))),
        };
        let name =
            entry.get("name").and_then(Value::as_str).ok_or_else(|| wrong("an entry has no `name`"))?;
        let counts = flag("enabled")? && flag("hooks_enabled")?;
        if !counts {
            return Ok(());
        }
        let read = match entry.get("hooks") {
            None | Some(Value::Null) => return Ok(()),
            Some(Value::String(text)) => self.file(&Source::new(name, text.as_bytes()), Some(name)),
            Some(content) => {
                self.document(&Source::new(name, b""), None, &Node::from_value(content), Some(name))
            }
        };
        self.left_out(name, read.err());
        Ok(())
    }

    /// R9.
    fn left_out(&mut self, plugin: &str, problem: Option<ConfigProblem>) {
        let Some(problem) = problem else { return };
        let message = format!("plugin {plugin} is left out: {}", problem.message);
        let problem = ConfigProblem { message, ..problem };
        self.notices.push(Notice::new(NoticeKind::Dropped, None, problem));
    }

    fn document(
        &mut self,
        source: &Source<'_>,
        expanded: Option<&Expanded<'_>>,
        node: &Node,
        plugin: Option<&str>,
    ) -> Result<bool, ConfigProblem> {
        let file = File { source, expanded };
        if matches!(node.kind, NodeKind::Null) {
            return Ok(false);
        }
        if !node.is_object() {
            return Err(file.wrong_type(node, "config", "a mapping"));
        }
        let enabled = match node.get("enabled") {
            None => false,
            Some(Node { kind: NodeKind::Bool(enabled), .. }) => *enabled,
            Some(other) => return Err(file.wrong_type(other, "enabled", "a boolean")),
        };
        if let (None, Some(switch)) = (plugin, node.get("enabled")) {
            self.switch_at = switch.at.map_or(0, |at| file.original(at));
        }
        let Some(list) = node.get("hooks") else { return Ok(enabled) };
        let entries = list.as_array().ok_or_else(|| file.wrong_type(list, "hooks", "a list"))?;
        let entries: Vec<_> = entries
            .iter()
            .enumerate()
            .map(|(index, entry)| Entry::read(&file, index, entry))
            .collect::<Result<_, _>>()?;
        for (index, entry) in entries.iter().enumerate() {
            entry.check(&file, index)?;
        }
        for entry in entries {
            self.add(entry, plugin);
        }
        Ok(enabled)
    }

    fn add(&mut self, entry: Entry, plugin: Option<&str>) {
        let Some(point) = Point::from_name(&entry.hook) else { return };
        let name = match plugin {
            Some(plugin) => format!("{plugin}:{}", entry.name),
            None => entry.name,
        };
        let seconds =
            u64::try_from(entry.timeout).ok().filter(|seconds| *seconds > 0).unwrap_or(DEFAULT_TIMEOUT);
        let timeout = Duration::from_secs(seconds.min(LONGEST_TIMEOUT));
        let handler = Handler::script(entry.command.clone(), Shell::Bash);
        let capture = Capture {
            total: CAPTURED_BYTES,
            merge: true,
            excess: Excess::Discard,
            ..Capture::of_each(CAPTURED_BYTES)
        };
        let id = HookId::from(name.as_str());
        let hook = Hook::new(id, point.name(), handler, timeout, self.limits, capture);
        let extra = Extra { name, verdict: guard::judge(&entry.command), command: entry.command };
        self.hooks.push((hook, extra));
    }
}

/// A hook whose types are right.
struct Entry {
    at: Option<usize>,
    name: String,
    command: String,
    hook: String,
    hook_at: Option<usize>,
    timeout: i128,
    timeout_at: Option<usize>,
}

impl Entry {
    fn read(file: &File<'_>, index: usize, node: &Node) -> Result<Self, ConfigProblem> {
        if !node.is_object() {
            return Err(file.wrong_type(node, &format!("hooks[{index}]"), "a mapping"));
        }
        let text = |field: &str| {
            scalar_text(node.get(field))
                .map_err(|other| file.wrong_type(other, &format!("hooks[{index}].{field}"), "a string"))
        };
        let at = |field: &str| node.get(field).and_then(|value| value.at).or(node.at);
        let timeout = match node.get("timeout") {
            None => 0,
            Some(value) => whole(value).ok_or_else(|| {
                let path = format!("hooks[{index}].timeout");
                match &value.kind {
                    NodeKind::Number(number) => {
                        let why = format!("{PARSE_FAILED}{path}: expected a whole number, found {number}");
                        file.problem(value.at, why)
                    }
                    _ => file.wrong_type(value, &path, "a whole number"),
                }
            })?,
        };
        Ok(Self {
            at: node.at,
            name: text("name")?,
            command: text("command")?,
            hook: text("hook")?,
            hook_at: at("hook"),
            timeout,
            timeout_at: at("timeout"),
        })
    }

    /// 1.2, in its order.
    fn check(&self, file: &File<'_>, index: usize) -> Result<(), ConfigProblem> {
        let Self { name, hook, .. } = self;
        let of = format!("hooks[{index}] ({name})");
        let all = Point::all_names().replace(", ", " ");
        let (at, message) = if name.trim().is_empty() {
            (self.at, format!("hooks[{index}]: name is required"))
        } else if self.command.trim().is_empty() {
            (self.at, format!("{of}: command is required"))
        } else if hook.trim().is_empty() {
            (self.hook_at, format!("{of}: hook is required (valid: [{all}])"))
        } else if Point::from_name(hook).is_none() {
            (self.hook_at, format!("{of}: unknown hook \"{hook}\" (valid: [{all}])"))
        } else if self.timeout < 0 {
            (self.timeout_at, format!("{of}: timeout must be >= 0"))
        } else {
            return Ok(());
        };
        Err(file.problem(at, message))
    }
}

/// A scalar's text; empty when there is none. The error is what is not a scalar.
fn scalar_text(node: Option<&Node>) -> Result<String, &Node> {
    let Some(node) = node else { return Ok(String::new()) };
    match &node.kind {
        NodeKind::Null => Ok(String::new()),
        NodeKind::String(text) => Ok(text.clone()),
        NodeKind::Bool(_) | NodeKind::Number(_) => Ok(node.to_value().to_string()),
        NodeKind::Array(_) | NodeKind::Object(_) => Err(node),
    }
}

/// R2.
fn boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "1" | "t" | "T" | "true" | "True" | "TRUE" => Some(true),
        "0" | "f" | "F" | "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
