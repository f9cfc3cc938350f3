//! Reading configs (1 of the contract): the user's hooks, then those of plug-ins in their order.
//!
//! A file's text is expanded (R3), read as YAML, and checked, first problem first (1.2). A fault of the user's file is an error
//! whether hooks are on or not; a faulty plug-in is left out with a warning (R9).

mod expansion;

use super::bundle::{Extra, InferBundle};
use super::event::Point;
use super::gate::{self, AllowList};
use super::reminder;
use super::settings::InferSettings;
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{LoadOptions, Loaded};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::field::{Fault, Fields, whole};
use crate::hook::hooks::{Due, Handler, Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::notice::NoticeKind;
use crate::hook::script::{Capture, Excess, Shell};
use crate::limit::Limits;
use expansion::{Expanded, expand};
use serde_json::Value;
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
    let mut loading = Loading::new(options, Limits::hook);
    let flag = settings.tools_bash_allow_append.as_deref();
    let append = variable("INFER_TOOLS_BASH_ALLOW_APPEND").or(flag);
    let (allow_list, warnings) = AllowList::compile(settings.tools.as_ref(), append, &mut loading.regexes)
        .map_err(|why| problem(format!("settings: {why}")))?;
    let mut loader = Loader { settings: &settings, switch_at: 0, loading, hooks: Vec::new() };
    for warning in warnings {
        loader.warn(problem(warning));
    }
    let mut enabled = loader.file(source, None)?;
    if let Some(value) = variable("INFER_HOOKS_ENABLED") {
        match boolean(value) {
            Some(value) => enabled = value,
            None => {
                let message =
                    format!("INFER_HOOKS_ENABLED is neither true nor false: `{value}`; it is ignored");
                loader.warn(problem(message));
            }
        }
    }
    for contribution in &options.contributions {
        loader.brought(&contribution.origin, &serde_json::json!({"hooks": contribution.hooks}));
    }
    for plugin in plugins {
        loader.plugin(source, plugin)?;
    }
    if enabled && !loader.hooks.is_empty() && allow_list.is_unrestricted(&settings.mode) {
        let message = format!(
            "hooks are enabled and the allow-list of mode `{}` is unrestricted: every hook command runs",
            settings.mode
        );
        loader.warn(problem(message));
    }
    if !enabled && !loader.hooks.is_empty() {
        let text = "hooks are disabled: `enabled` is not true, nothing runs";
        loader.warn(source.problem(Some(loader.switch_at), text));
    }
    let Loader { hooks, loading, .. } = loader;
    let hooks = Hooks::new(hooks);
    let hooks = if enabled { hooks } else { hooks.with_due(Due::default()) };
    loading.loaded(InferBundle { hooks, allow_list, mode: settings.mode, reminders })
}

struct Loader<'a, 'o> {
    settings: &'a InferSettings,
    loading: Loading<'o>,
    /// Where the user's file says whether hooks are enabled; its beginning where it does not.
    switch_at: usize,
    hooks: Vec<(Hook, Extra)>,
}

impl Loader<'_, '_> {
    fn warn(&mut self, problem: ConfigProblem) {
        self.loading.notice(NoticeKind::Warning, None, problem);
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
        if let Some(content) = entry.get("hooks").filter(|content| !content.is_null()) {
            self.brought(name, content);
        }
        Ok(())
    }

    /// A plug-in's document, as the text of a file or as its content; a faulty one is left out (R9).
    fn brought(&mut self, plugin: &str, content: &Value) {
        let read = match content {
            Value::String(text) => self.file(&Source::new(plugin, text.as_bytes()), Some(plugin)),
            content => {
                self.document(&Source::new(plugin, b""), None, &Node::from_value(content), Some(plugin))
            }
        };
        if let Err(problem) = read {
            let message = format!("plugin {plugin} is left out: {}", problem.message);
            self.loading.notice(NoticeKind::Dropped, None, ConfigProblem { message, ..problem });
        }
    }

    /// A document's hooks; whether it says that hooks are enabled. `expanded` is what its text became before it was read.
    fn document(
        &mut self,
        source: &Source<'_>,
        expanded: Option<&Expanded<'_>>,
        node: &Node,
        plugin: Option<&str>,
    ) -> Result<bool, ConfigProblem> {
        let original = |at| expanded.map_or(at, |expanded| expanded.original(at));
        if let (None, Some(switch)) = (plugin, node.get("enabled")) {
            self.switch_at = switch.at.map_or(0, original);
        }
        let (enabled, entries) =
            read(node).map_err(|fault| source.problem(fault.at.map(original), fault.message))?;
        for entry in entries {
            self.add(entry, plugin);
        }
        Ok(enabled)
    }

    fn add(&mut self, entry: Entry<'_>, plugin: Option<&str>) {
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
        let hook = Hook::new(id, point.name(), handler, timeout, &self.loading.limits, capture);
        let extra = Extra { name, verdict: gate::judge(&entry.command), command: entry.command };
        self.hooks.push((hook, extra));
    }
}

/// Whether hooks are enabled, and the hooks; places of faults are those of the text that was read.
fn read(node: &Node) -> Result<(bool, Vec<Entry<'_>>), Fault> {
    if matches!(node.kind, NodeKind::Null) {
        return Ok((false, Vec::new()));
    }
    if !node.is_object() {
        return Err(Fault::wrong_type(node, &format!("{PARSE_FAILED}config"), "a mapping"));
    }
    let fields = Fields { node, prefix: PARSE_FAILED };
    let enabled = fields.boolean("enabled")?.unwrap_or(false);
    let list = fields.list("hooks", "a list")?;
    let entries: Vec<_> =
        list.iter().enumerate().map(|(index, node)| Entry::read(index, node)).collect::<Result<_, _>>()?;
    entries.iter().enumerate().try_for_each(|(index, entry)| entry.check(index))?;
    Ok((enabled, entries))
}

/// A hook whose types are right.
struct Entry<'n> {
    node: &'n Node,
    name: String,
    command: String,
    hook: String,
    timeout: i128,
}

impl<'n> Entry<'n> {
    fn read(index: usize, node: &'n Node) -> Result<Self, Fault> {
        let place = format!("{PARSE_FAILED}hooks[{index}]");
        if !node.is_object() {
            return Err(Fault::wrong_type(node, &place, "a mapping"));
        }
        let fields = Fields { node, prefix: &format!("{place}.") };
        let text = |field: &str| {
            scalar_text(node.get(field)).map_err(|other| fields.wrong_type(other, field, "a string"))
        };
        let wrong = |value: &Node| match &value.kind {
            NodeKind::Number(number) => {
                fields.fault("timeout", &format!("expected a whole number, found {number}"))
            }
            _ => fields.wrong_type(value, "timeout", "a whole number"),
        };
        let whole = |value| whole(value).ok_or_else(|| wrong(value));
        let timeout = node.get("timeout").map_or(Ok(0), whole)?;
        Ok(Self { node, name: text("name")?, command: text("command")?, hook: text("hook")?, timeout })
    }

    /// 1.2, in its order.
    fn check(&self, index: usize) -> Result<(), Fault> {
        let Self { node, name, hook, .. } = self;
        let of = format!("hooks[{index}] ({name})");
        let all = Point::all_names().replace(", ", " ");
        let (field, message) = if name.trim().is_empty() {
            ("", format!("hooks[{index}]: name is required"))
        } else if self.command.trim().is_empty() {
            ("", format!("{of}: command is required"))
        } else if hook.trim().is_empty() {
            ("hook", format!("{of}: hook is required (valid: [{all}])"))
        } else if Point::from_name(hook).is_none() {
            ("hook", format!("{of}: unknown hook \"{hook}\" (valid: [{all}])"))
        } else if self.timeout < 0 {
            ("timeout", format!("{of}: timeout must be >= 0"))
        } else {
            return Ok(());
        };
        Err(Fault::new(Fields { node, prefix: "" }.at(field), message))
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
