//! One hook (1.3 and 1.4 of the contract): types and values of its fields, the first fault is the one that is told.

use super::{Group, Spec};
use crate::hook::dialect::docker_agent::builtin;
use crate::hook::dialect::docker_agent::bundle::{Action, Extra, OnError};
use crate::hook::dialect::docker_agent::settings::DockerAgentSettings;
use crate::hook::dialect::docker_agent::template::Template;
use crate::hook::document::{Node, NodeKind};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::script::{Capture, Excess, HookScript, Shell};
use crate::limit::Limits;
use std::time::Duration;

const DEFAULT_TIMEOUT: u64 = 60;
/// A century and some: "no maximum" that still adds up with a clock.
const MOST_SECONDS: u64 = 1 << 32;
const FIELDS: [&str; 13] = [
    "type",
    "name",
    "command",
    "args",
    "timeout",
    "env",
    "working_dir",
    "on_error",
    "model",
    "prompt",
    "schema",
    "strict_output",
    "description",
];

/// What is wrong with a hook; the message follows the hook's path.
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

/// Texts with their places.
pub(super) type Warnings = Vec<(Option<usize>, String)>;

/// The strings of a list; `None` when it is no list of strings.
pub(super) fn strings(node: &Node) -> Option<Vec<String>> {
    node.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

pub(super) struct Reader<'a> {
    pub(super) group: &'a Group,
    pub(super) path: &'a str,
    pub(super) index: usize,
    pub(super) limits: &'a Limits,
    pub(super) settings: &'a DockerAgentSettings,
}

impl Reader<'_> {
    pub(super) fn read(&self, node: &Node) -> Result<(Spec, Warnings), Fault> {
        if !node.is_object() {
            return Err(wrong_type(node, "", "a mapping"));
        }
        let kind = string(node, "type")?.filter(|kind| !kind.is_empty());
        let kind = kind.ok_or_else(|| fault(node.at, ": type is required"))?;
        let name = string(node, "name")?.filter(|name| !name.is_empty());
        let command = string(node, "command")?.filter(|command| !command.trim().is_empty());
        let args = match node.get("args") {
            None => Vec::new(),
            Some(args) => strings(args).ok_or_else(|| wrong_type(args, ".args", "a list of strings"))?,
        };
        let environment = environment(node)?;
        let working_dir = string(node, "working_dir")?.filter(|path| !path.is_empty()).map(str::to_owned);
        let timeout = timeout(node)?;
        let on_error = on_error(node)?;
        let strict = match node.get("strict_output") {
            None => false,
            Some(Node { kind: NodeKind::Bool(strict), .. }) => *strict,
            Some(other) => return Err(wrong_type(other, ".strict_output", "a boolean")),
        };
        let mut warnings = unknown_fields(node);
        let (action, handler) = match kind {
            "command" => {
                let command =
                    command.ok_or_else(|| fault(node.at, ": command is required for command hooks"))?;
                let script = HookScript::new(command.to_owned());
                (Action::Command, Handler::Script { script, shell: Shell::Sh })
            }
            "builtin" => {
                let name =
                    command.ok_or_else(|| fault(node.at, ": command must name the builtin to invoke"))?;
                warnings.extend(builtin::warning(name, self.group.event).map(|text| (node.at, text)));
                let script = builtin::script(name, &args).map(HookScript::new);
                let handler = script
                    .map_or(Handler::Other("builtin"), |script| Handler::Script { script, shell: Shell::Sh });
                (Action::Builtin { name: name.into(), args: args.clone() }, handler)
            }
            "model" => {
                let action = model(node)?;
                if let Action::Model { template: Err(why), .. } = &action {
                    let at = node.get("prompt").and_then(|prompt| prompt.at);
                    warnings.push((at, format!("invalid prompt, the hook will fail: {why}")));
                }
                (action, Handler::Other("model"))
            }
            other => {
                let message =
                    format!(": unsupported hook type '{other}' (supported: 'command', 'builtin', 'model')");
                return Err(fault(node.get("type").and_then(|kind| kind.at), message));
            }
        };
        warnings.extend(misplaced(node, kind).into_iter().map(|text| (node.at, text)));
        let display = name.or(command).unwrap_or(kind).to_owned();
        let extra = Extra {
            agent: self.group.origin.agent.clone(),
            matcher: self.group.matcher.clone(),
            preempt: self.group.preempt,
            display: display.as_str().into(),
            environment,
            working_dir,
            on_error,
            strict: strict && kind == "command",
            twin: 0,
            action,
        };
        let hook = Hook {
            id: self.id(name),
            event: self.group.event.name(),
            handler,
            timeout: Duration::from_secs(timeout),
            limits: self.limits.clone(),
            capture: Capture {
                stdout: self.settings.stdout_bytes,
                stderr: self.settings.stderr_bytes,
                total: self.settings.stdout_bytes.saturating_add(self.settings.stderr_bytes),
                merge: false,
                excess: Excess::Fail,
            },
            cwd: None,
            inherit_environment: true,
            identity: None,
            description: string(node, "description")?.map(str::to_owned),
        };
        let raw = |field: &str| node.get(field).map(Node::to_value);
        let fingerprint = serde_json::json!([
            kind,
            name,
            command,
            args,
            // As it is written: zero is not sixty, though both mean the same.
            raw("timeout").unwrap_or_else(|| 0.into()),
            extra.environment,
            extra.working_dir,
            raw("on_error").unwrap_or_else(|| "".into()),
            raw("model"),
            raw("prompt"),
            raw("schema"),
            extra.strict,
        ]);
        Ok((Spec { hook, extra, fingerprint: fingerprint.to_string() }, warnings))
    }

    /// The hook's name, else its place.
    fn id(&self, name: Option<&str>) -> HookId {
        let prefix = &self.group.origin.prefix;
        match name.or(self.group.id.as_deref()) {
            Some(name) => format!("{prefix}{name}").into(),
            None => format!("{prefix}{}[{}]", self.path, self.index).into(),
        }
    }
}

fn model(node: &Node) -> Result<Action, Fault> {
    let required = |field: &str| {
        let text = string(node, field)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| fault(node.at, format!(": {field} is required for model hooks")))
    };
    let (model, prompt) = (required("model")?, required("prompt")?);
    // A prompt that can not be read fails its hook when it is due, not the config.
    let template = Template::parse(prompt);
    let judges = match string(node, "schema")? {
        None | Some("") => false,
        Some("pre_tool_use_decision") => true,
        Some(other) => {
            let message = format!(": unsupported schema '{other}' (supported: 'pre_tool_use_decision')");
            return Err(fault(node.get("schema").and_then(|schema| schema.at), message));
        }
    };
    Ok(Action::Model { model: model.to_owned(), template, judges })
}

/// Pairs of name and text; a name is there once, for a mapping has it once.
fn environment(node: &Node) -> Result<Vec<(String, String)>, Fault> {
    let Some(variables) = node.get("env") else { return Ok(Vec::new()) };
    if !variables.is_object() {
        return Err(wrong_type(variables, ".env", "a mapping of strings"));
    }
    let mut all: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for member in variables.members() {
        let path = format!(".env.{}", member.name);
        let value = member.value.as_str().ok_or_else(|| wrong_type(&member.value, &path, "a string"))?;
        if member.name.is_empty() || member.name.contains(['=', '\0']) || value.contains('\0') {
            return Err(fault(member.at, format!("{path}: not a variable of an environment")));
        }
        all.insert(member.name.clone(), value.to_owned());
    }
    Ok(all.into_iter().collect())
}

/// In seconds; zero and less are the default.
fn timeout(node: &Node) -> Result<u64, Fault> {
    let Some(node) = node.get("timeout") else { return Ok(DEFAULT_TIMEOUT) };
    let NodeKind::Number(number) = &node.kind else {
        return Err(wrong_type(node, ".timeout", "a whole number of seconds"));
    };
    match (number.as_u64(), number.as_i64()) {
        (Some(0), _) | (None, Some(_)) => Ok(DEFAULT_TIMEOUT),
        (Some(seconds), _) => Ok(seconds.min(MOST_SECONDS)),
        (None, None) => {
            Err(fault(node.at, format!(".timeout: expected a whole number of seconds, found {number}")))
        }
    }
}

fn on_error(node: &Node) -> Result<OnError, Fault> {
    match string(node, "on_error")? {
        None | Some("" | "warn") => Ok(OnError::Warn),
        Some("ignore") => Ok(OnError::Ignore),
        Some("block") => Ok(OnError::Block),
        Some(other) => {
            let message = format!(": unsupported on_error '{other}' (supported: 'warn', 'ignore', 'block')");
            Err(fault(node.get("on_error").and_then(|policy| policy.at), message))
        }
    }
}

fn unknown_fields(node: &Node) -> Warnings {
    let unknown = node.members().iter().filter(|member| !FIELDS.contains(&member.name.as_str()));
    unknown.map(|member| (member.at, format!("unknown field `{}` is ignored", member.name))).collect()
}

/// Fields that mean nothing to this type of hook. `env` and `working_dir` of a model hook are accepted in silence (R1).
fn misplaced(node: &Node, kind: &str) -> Vec<String> {
    let fields: &[&str] = match kind {
        "command" => &["args", "model", "prompt", "schema"],
        "builtin" => &["model", "prompt", "schema", "strict_output"],
        _ => &["command", "args", "strict_output"],
    };
    let there = fields.iter().filter(|field| node.get(field).is_some());
    there.map(|field| format!("`{field}` means nothing to a {kind} hook")).collect()
}

fn fault(at: Option<usize>, message: impl Into<String>) -> Fault {
    Fault { at, message: message.into() }
}

fn wrong_type(node: &Node, path: &str, expected: &str) -> Fault {
    fault(node.at, format!("{path}: expected {expected}, found {}", node.describe()))
}

fn string<'n>(node: &'n Node, field: &str) -> Result<Option<&'n str>, Fault> {
    let Some(value) = node.get(field) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| wrong_type(value, &format!(".{field}"), "a string"))
}
