//! One hook (1.3 and 1.4 of the contract): types and values of its fields, the first fault is the one that is told.

use super::{Group, Loader, Spec};
use crate::document::{Node, NodeKind};
use crate::hook::dialect::docker_agent::builtin;
use crate::hook::dialect::docker_agent::bundle::{Action, Extra, OnError};
use crate::hook::dialect::docker_agent::evaluator::Evaluator;
use crate::hook::dialect::docker_agent::input::INPUT;
use crate::hook::dialect::docker_agent::output::Schema;
use crate::hook::field::{Fault, Fields};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::script::{Capture, Shell};
use crate::hook::template::Template;
use crate::hook::version::Part;
use std::time::Duration;

const DEFAULT_TIMEOUT: u64 = 60;
/// A century and some: "no maximum" that still adds up with a clock.
const MOST_SECONDS: u64 = 1 << 32;
/// The fields of a hook, with the types of hooks to which they mean something.
const FIELDS: [(&str, &[&str]); 17] = [
    ("type", ANY),
    ("name", ANY),
    ("command", &["command", "builtin"]),
    ("args", &["builtin"]),
    ("timeout", ANY),
    ("env", ANY),
    ("working_dir", ANY),
    ("on_error", ANY),
    ("model", &["model"]),
    ("prompt", &["model"]),
    ("schema", &["model"]),
    ("strict_output", &["command"]),
    ("description", ANY),
    ("system_prompt", &["model"]),
    ("evaluator", &["evaluator"]),
    ("evaluator_policy", &["evaluator"]),
    ("routing_policy", &["evaluator"]),
];
/// `env` and `working_dir` of a model hook are accepted in silence (R1).
const ANY: &[&str] = &["command", "builtin", "model", "evaluator"];

/// Texts with their places.
pub(super) type Warnings = Vec<(Option<usize>, String)>;

pub(super) struct SpecReader<'a> {
    pub(super) loader: &'a Loader<'a>,
    pub(super) group: &'a Group,
    pub(super) path: &'a str,
    pub(super) index: usize,
}

impl SpecReader<'_> {
    pub(super) fn read(&self, node: &Node) -> Result<(Spec, Warnings), Fault> {
        if !node.is_object() {
            return Err(Fault::wrong_type(node, "", "a mapping"));
        }
        let kind = string(node, "type")?.filter(|kind| !kind.is_empty());
        let kind = kind.ok_or_else(|| fault(node.at, ": type is required"))?;
        let name = string(node, "name")?.filter(|name| !name.is_empty());
        let command = string(node, "command")?.filter(|command| !command.trim().is_empty());
        let fields = Fields { node, prefix: "." };
        let args = fields.texts("args")?.unwrap_or_default();
        let environment = environment(node)?;
        let working_dir = string(node, "working_dir")?.filter(|path| !path.is_empty()).map(str::to_owned);
        let timeout = timeout(node, self.is_strict())?;
        let on_error = on_error(node)?;
        if on_error == OnError::Block && !self.group.event.can_block() && self.is_strict() {
            let at = node.get("on_error").and_then(|word| word.at);
            return Err(fault(at, ".on_error: block is not supported by this event"));
        }
        let strict = fields.boolean("strict_output")? == Some(true);
        let mut warnings = odd_fields(node, kind);
        let (action, handler) = match kind {
            "command" => {
                let command =
                    command.ok_or_else(|| fault(node.at, ": command is required for command hooks"))?;
                (Action::Command, Handler::script(command.to_owned(), Shell::Sh))
            }
            "builtin" => {
                let name =
                    command.ok_or_else(|| fault(node.at, ": command must name the builtin to invoke"))?;
                let warning = builtin::warning(name, self.group.event, self.loader.contract);
                warnings.extend(warning.map(|text| (node.at, text)));
                let script = builtin::script(name, &args);
                let handler =
                    script.map_or(Handler::Other("builtin"), |text| Handler::script(text, Shell::Sh));
                (Action::Builtin { name: name.into(), args: args.clone() }, handler)
            }
            "model" => {
                let action = self.model(node)?;
                if let Action::Model { template, .. } = &action {
                    let unknown = |field: &str| format!("there is no field `.{field}`");
                    let why = match template {
                        Ok(template) => template.unknown_field(&INPUT).map(unknown),
                        Err(why) => Some(why.clone()),
                    };
                    let at = node.get("prompt").and_then(|prompt| prompt.at);
                    warnings
                        .extend(why.map(|why| (at, format!("invalid prompt, the hook will fail: {why}"))));
                }
                (action, Handler::Other("model"))
            }
            "evaluator" if self.has(Part::Kind, "evaluator") => {
                let evaluator = Evaluator::read(
                    node,
                    self.group.event,
                    self.group.origin.default_route.clone(),
                    &self.loader.evaluators,
                )?;
                (Action::Evaluator(evaluator), Handler::Other("evaluator"))
            }
            other => {
                let more = if self.has(Part::Kind, "evaluator") { ", 'evaluator'" } else { "" };
                let message = format!(
                    ": unsupported hook type '{other}' (supported: 'command', 'builtin', 'model'{more})"
                );
                return Err(fault(node.get("type").and_then(|kind| kind.at), message));
            }
        };
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
        let capture = Capture {
            stdout: self.loader.settings.stdout_bytes,
            stderr: self.loader.settings.stderr_bytes,
            total: self.loader.settings.stdout_bytes.saturating_add(self.loader.settings.stderr_bytes),
            ..Capture::of_each(0)
        };
        let (event, time) = (self.group.event.name(), Duration::from_secs(timeout));
        let hook = Hook {
            description: string(node, "description")?.map(str::to_owned),
            ..Hook::new(self.id(name), event, handler, time, &self.loader.loading.limits, capture)
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
            raw("system_prompt"),
            raw("evaluator"),
            raw("evaluator_policy"),
            raw("routing_policy"),
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

impl SpecReader<'_> {
    fn has(&self, part: Part, name: &str) -> bool {
        self.loader.has(part, name)
    }

    /// Whether fields are held to what they can do on their event.
    fn is_strict(&self) -> bool {
        self.has(Part::Way, "strict_config")
    }

    fn model(&self, node: &Node) -> Result<Action, Fault> {
        let event = self.group.event;
        let required = |field: &str| {
            let text = string(node, field)?.filter(|text| !text.trim().is_empty());
            text.ok_or_else(|| fault(node.at, format!(": {field} is required for model hooks")))
        };
        let (model, prompt) = (required("model")?, required("prompt")?);
        // A prompt that can not be read fails its hook when it is due, not the config.
        let template = Template::parse(prompt);
        let at = node.get("schema").and_then(|schema| schema.at);
        let has_guards = self.has(Part::Schema, "guard_decision");
        let schema = match string(node, "schema")? {
            None | Some("") => Schema::Free,
            Some("pre_tool_use_decision") => Schema::Permission,
            Some("guard_decision") if has_guards => Schema::Guard,
            Some(other) => {
                let more = if has_guards { ", 'guard_decision'" } else { "" };
                let message =
                    format!(": unsupported schema '{other}' (supported: 'pre_tool_use_decision'{more})");
                return Err(fault(at, message));
            }
        };
        let why = match schema {
            _ if event.is_guard() && schema != Schema::Guard => {
                "model hooks of this event need guard_decision"
            }
            Schema::Guard if !event.can_block() => "guard_decision needs an event that can be blocked",
            Schema::Permission if self.is_strict() && !event.takes_permission() => {
                "pre_tool_use_decision needs an event that takes a permission"
            }
            _ => {
                let system = string(node, "system_prompt")?.filter(|text| !text.is_empty());
                return Ok(Action::Model {
                    model: model.to_owned(),
                    template,
                    system: system.map(str::to_owned),
                    schema,
                });
            }
        };
        Err(fault(at.or(node.at), format!(".schema: {why}")))
    }
}

/// Pairs of name and text; a name is there once, for a mapping has it once.
fn environment(node: &Node) -> Result<Vec<(String, String)>, Fault> {
    let Some(variables) = node.get("env") else { return Ok(Vec::new()) };
    if !variables.is_object() {
        return Err(Fault::wrong_type(variables, ".env", "a mapping of strings"));
    }
    let mut all: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for member in variables.members() {
        let path = format!(".env.{}", member.name);
        let value =
            member.value.as_str().ok_or_else(|| Fault::wrong_type(&member.value, &path, "a string"))?;
        if member.name.is_empty() || member.name.contains(['=', '\0']) || value.contains('\0') {
            return Err(fault(member.at, format!("{path}: not a variable of an environment")));
        }
        all.insert(member.name.clone(), value.to_owned());
    }
    Ok(all.into_iter().collect())
}

/// In seconds; zero and less are the default.
fn timeout(node: &Node, is_strict: bool) -> Result<u64, Fault> {
    let Some(node) = node.get("timeout") else { return Ok(DEFAULT_TIMEOUT) };
    let NodeKind::Number(number) = &node.kind else {
        return Err(Fault::wrong_type(node, ".timeout", "a whole number of seconds"));
    };
    match (number.as_u64(), number.as_i64()) {
        (None, Some(_)) if is_strict => Err(fault(node.at, ".timeout: must not be negative")),
        (Some(0), _) | (None, Some(_)) => Ok(DEFAULT_TIMEOUT),
        (Some(seconds), _) => Ok(seconds.min(MOST_SECONDS)),
        (None, None) => {
            Err(fault(node.at, format!(".timeout: expected a whole number of seconds, found {number}")))
        }
    }
}

fn on_error(node: &Node) -> Result<OnError, Fault> {
    let fields = Fields { node, prefix: "." };
    let unknown = |found: &str| {
        let message = format!(": unsupported on_error '{found}' (supported: 'warn', 'ignore', 'block')");
        Fault::new(fields.at("on_error"), message)
    };
    match fields.text("on_error")? {
        None | Some("") => Ok(OnError::Warn),
        Some(_) => Ok(fields.word("on_error", unknown)?.unwrap_or(OnError::Warn)),
    }
}

/// Fields that nobody knows, and those that mean nothing to this type of hook.
fn odd_fields(node: &Node, kind: &str) -> Warnings {
    let is_known = |name: &str| FIELDS.iter().any(|(known, _)| *known == name);
    let unknown = node.members().iter().filter(|member| !is_known(&member.name));
    let unknown = unknown.map(|member| (member.at, format!("unknown field `{}` is ignored", member.name)));
    let misplaced = FIELDS.iter().filter(|(name, kinds)| !kinds.contains(&kind) && node.get(name).is_some());
    let misplaced = misplaced.map(|(name, _)| (node.at, format!("`{name}` means nothing to a {kind} hook")));
    unknown.chain(misplaced).collect()
}

fn fault(at: Option<usize>, message: impl Into<String>) -> Fault {
    Fault::new(at, message)
}

fn string<'n>(node: &'n Node, field: &str) -> Result<Option<&'n str>, Fault> {
    Fields { node, prefix: "." }.text(field)
}
