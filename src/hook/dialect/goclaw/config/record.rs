//! One record (1.1 and 1.2 of the contract): types first, then the conditions of the table in their order; the first fault is
//! the one that is told.

use super::builtin;
use super::settings::{Edition, Settings};
use crate::hook::dialect::goclaw::{EventName, HandlerKind, cel, filter};
use crate::hook::dialect::{Handler, Hook, LoadOptions, Purpose};
use crate::hook::document::{Node, NodeKind};
use crate::hook::matcher::{Regex, RegexCompiler};
use crate::hook::record::HookId;
use crate::hook::runner::{Capture, Excess, Script, Shell};
use crate::limit::Limits;
use crate::text::Text;
use std::time::Duration;

/// Command output, each stream, in bytes (5 of the contract).
const OUTPUT_CAP: u64 = 1 << 20;
const LONGEST_MATCHER: usize = 256;
const LONGEST_SCRIPT: usize = 32_768;
const DEFAULT_TIMEOUT_MS: i128 = 5_000;
const LONGEST_TIMEOUT_MS: i128 = 10_000;
const DEFAULT_MODEL: &str = "haiku";
const DEFAULT_PROMPTS: u64 = 5;

const FIELDS: [&str; 22] = [
    "id",
    "tenant_id",
    "version",
    "source",
    "created_by",
    "created_at",
    "updated_at",
    "event",
    "handler_type",
    "scope",
    "name",
    "matcher",
    "if_expr",
    "timeout_ms",
    "on_timeout",
    "priority",
    "enabled",
    "config",
    "agent_ids",
    "agent_id",
    "metadata",
    "mutable_fields",
];

/// What is wrong with a record.
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

type Checked<T> = Result<T, Fault>;

fn fault<T>(at: Option<usize>, message: impl Into<String>) -> Checked<T> {
    Err(Fault { at, message: message.into() })
}

/// Whose hook it is (1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook::dialect::goclaw) enum Scope {
    Global,
    Tenant,
    Agent,
}

/// What a timeout on a blocking event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook::dialect::goclaw) enum OnTimeout {
    Block,
    Allow,
}

/// What this dialect keeps of a record beside the engine's [`Hook`].
#[derive(Debug)]
pub(in crate::hook::dialect::goclaw) struct Row {
    pub(in crate::hook::dialect::goclaw) scope: Scope,
    /// `None` is the caller's, whoever that is.
    pub(in crate::hook::dialect::goclaw) tenant: Option<String>,
    pub(in crate::hook::dialect::goclaw) agents: Vec<String>,
    pub(in crate::hook::dialect::goclaw) matcher: Option<Regex>,
    pub(in crate::hook::dialect::goclaw) condition: Option<cel::Program>,
    pub(in crate::hook::dialect::goclaw) on_timeout: OnTimeout,
    pub(in crate::hook::dialect::goclaw) kind: HandlerKind,
    pub(in crate::hook::dialect::goclaw) handler: HandlerConfig,
    pub(in crate::hook::dialect::goclaw) version: u64,
    pub(in crate::hook::dialect::goclaw) enabled: bool,
    /// Fields that the hook may rewrite; only builtin rows have any (R21).
    pub(in crate::hook::dialect::goclaw) mutable: Vec<String>,
    /// Comes with this crate and not from the document.
    pub(super) shipped: bool,
    pub(super) priority: i64,
    pub(super) created_at: Option<jiff::Timestamp>,
}

/// The record's `config`.
#[derive(Debug)]
pub(in crate::hook::dialect::goclaw) enum HandlerConfig {
    Command {
        environment: Vec<(Text, Text)>,
    },
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
    Prompt {
        template: String,
        model: String,
        most_in_turn: u64,
    },
    Script {
        source: String,
        /// Done here and not by a script engine.
        native: Option<Native>,
    },
}

/// Shipped scripts that this crate does itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook::dialect::goclaw) enum Native {
    Redactor,
}

pub(super) struct Reader<'a> {
    pub(super) options: &'a LoadOptions,
    pub(super) settings: &'a Settings,
    pub(super) limits: &'a Limits,
    pub(super) regexes: &'a mut RegexCompiler,
}

impl Reader<'_> {
    pub(super) fn read(&mut self, index: usize, node: &Node) -> Checked<(Hook, Row, Vec<String>)> {
        if !node.is_object() {
            return fault(node.at, format!("hook: expected a record, found {}", node.describe()));
        }
        let raw = Raw::read(node)?;
        let (event, scope) = raw.names()?;
        let tenant = self.tenant(&raw, scope)?;
        let kind = self.kind(&raw)?;
        let timeout = raw.timeout()?;
        let on_timeout = raw.on_timeout(event)?;
        let matcher = self.matcher(&raw)?;
        let condition = self.condition(&raw)?;
        let handler = self.handler(&raw, kind)?;
        let id = raw.id(index, event);
        let builtin = raw.source == "builtin" && self.options.purpose == Purpose::Run;
        let row = Row {
            scope,
            tenant,
            matcher,
            condition,
            on_timeout,
            kind,
            handler,
            version: raw.version,
            enabled: raw.enabled,
            mutable: if builtin { raw.mutable.clone() } else { Vec::new() },
            shipped: false,
            priority: raw.priority,
            created_at: raw.created_at.parse().ok(),
            agents: raw.agents.clone(),
        };
        let hook = self.hook(&raw, kind, id, event, timeout);
        Ok((hook, row, raw.warnings(self.options.purpose)))
    }

    fn hook(
        &self,
        raw: &Raw<'_>,
        kind: HandlerKind,
        id: HookId,
        event: EventName,
        timeout: Duration,
    ) -> Hook {
        let handler = match kind {
            HandlerKind::Command => {
                Handler::Script { script: Script::new(raw.text("command").to_owned()), shell: Shell::Sh }
            }
            other => Handler::Other(other.name()),
        };
        let cwd = raw.text("cwd");
        Hook {
            id,
            event: event.name(),
            handler,
            timeout,
            limits: self.limits.clone(),
            capture: Capture {
                stdout: OUTPUT_CAP,
                stderr: OUTPUT_CAP,
                total: OUTPUT_CAP * 2,
                merge: false,
                excess: Excess::Fail,
            },
            cwd: (kind == HandlerKind::Command && !cwd.is_empty()).then(|| Text::from(cwd)),
            inherit_environment: false,
            identity: None,
            description: (!raw.name.is_empty()).then(|| raw.name.to_owned()),
        }
    }

    /// Scope, tenant and agents (R3 to R5).
    fn tenant(&self, raw: &Raw<'_>, scope: Scope) -> Checked<Option<String>> {
        // On creation the tenant is the caller's, whatever the request says.
        let given = match self.options.purpose {
            Purpose::Save if self.settings.tenant_id.is_some() && scope != Scope::Global => None,
            _ => raw.tenant,
        };
        let given = given.or(if scope == Scope::Global { None } else { self.settings.tenant_id.as_deref() });
        let is_real = given.is_none_or(|tenant| self.settings.is_real_tenant(tenant));
        match scope {
            Scope::Global => {
                let tenant = given.unwrap_or(&self.settings.sentinel_tenant_id);
                if tenant != self.settings.sentinel_tenant_id {
                    let message = format!("hook: global scope requires sentinel tenant_id, got {tenant}");
                    return fault(raw.at("tenant_id"), message);
                }
                if self.options.purpose == Purpose::Save && !self.options.may_assign_high_risk {
                    return fault(raw.at("scope"), "hook: global scope requires master scope");
                }
                return Ok(None);
            }
            Scope::Tenant if !is_real => {
                return fault(raw.at("tenant_id"), "hook: tenant scope requires a real tenant_id");
            }
            Scope::Agent if !is_real => {
                return fault(raw.at("tenant_id"), "hook: agent scope requires a real tenant_id");
            }
            Scope::Agent if raw.agents.is_empty() => {
                return fault(raw.at("scope"), "hook: agent scope requires at least one agent_id");
            }
            _ => {}
        }
        Ok(given.map(str::to_owned))
    }

    /// Edition and what the handlers of models and scripts need.
    fn kind(&self, raw: &Raw<'_>) -> Checked<HandlerKind> {
        let unknown =
            || fault(raw.at("handler_type"), format!("hook: unknown handler_type \"{}\"", raw.handler));
        let Some(kind) = HandlerKind::from_name(raw.handler) else { return unknown() };
        match kind {
            HandlerKind::Command
                if self.settings.edition == Edition::Standard && self.options.purpose == Purpose::Save =>
            {
                let message = "hook: command handler not allowed: hook.command_disabled_standard";
                return fault(raw.at("handler_type"), message);
            }
            HandlerKind::Prompt if raw.matcher.is_empty() && raw.condition.is_empty() => {
                let message = "hook: prompt handler requires a matcher or if_expr (runaway-cost guard)";
                return fault(raw.at("handler_type"), message);
            }
            HandlerKind::Prompt if raw.text("prompt_template").trim().is_empty() => {
                let message = "hook: prompt handler requires non-empty prompt_template";
                return fault(raw.config_at(), message);
            }
            HandlerKind::Script if !self.settings.script => return unknown(),
            HandlerKind::Script => {
                let source = raw.text("source");
                if source.trim().is_empty() {
                    return fault(raw.config_at(), "hook: script handler requires non-empty config.source");
                }
                if source.len() > LONGEST_SCRIPT {
                    let message =
                        format!("hook: script source exceeds {LONGEST_SCRIPT} bytes (got {})", source.len());
                    return fault(raw.config_at(), message);
                }
            }
            _ => {}
        }
        Ok(kind)
    }

    fn matcher(&mut self, raw: &Raw<'_>) -> Checked<Option<Regex>> {
        if raw.matcher.is_empty() {
            return Ok(None);
        }
        if raw.matcher.chars().count() > LONGEST_MATCHER {
            let message = format!("hook: matcher invalid: longer than {LONGEST_MATCHER} characters");
            return fault(raw.at("matcher"), message);
        }
        match self.regexes.compile(raw.matcher) {
            Ok(regex) => Ok(Some(regex)),
            Err(why) => fault(raw.at("matcher"), format!("hook: matcher invalid: {why}")),
        }
    }

    fn condition(&mut self, raw: &Raw<'_>) -> Checked<Option<cel::Program>> {
        if raw.condition.is_empty() {
            return Ok(None);
        }
        match cel::Program::compile(raw.condition, &filter::VARIABLES, self.regexes) {
            Ok(program) => Ok(Some(program)),
            Err(why) => fault(raw.at("if_expr"), format!("hook: if_expr invalid: {why}")),
        }
    }

    fn handler(&self, raw: &Raw<'_>, kind: HandlerKind) -> Checked<HandlerConfig> {
        let required = |name: &str| {
            let text = raw.text(name);
            if text.trim().is_empty() {
                return fault(
                    raw.config_at(),
                    format!("hook: {} handler requires non-empty {name}", kind.name()),
                );
            }
            Ok(text.to_owned())
        };
        Ok(match kind {
            HandlerKind::Command => {
                required("command")?;
                HandlerConfig::Command { environment: self.environment(raw)? }
            }
            HandlerKind::Http => HandlerConfig::Http { url: required("url")?, headers: raw.headers()? },
            HandlerKind::Prompt => HandlerConfig::Prompt {
                template: raw.text("prompt_template").trim().to_owned(),
                model: match raw.text("model") {
                    "" => DEFAULT_MODEL.to_owned(),
                    model => model.to_owned(),
                },
                most_in_turn: raw.most_in_turn()?,
            },
            HandlerKind::Script => {
                let source = raw.text("source").to_owned();
                let native = (source == builtin::REDACTOR).then_some(Native::Redactor);
                HandlerConfig::Script { source, native }
            }
        })
    }

    /// R12: what the shell needs, and what the record names of what the host has.
    fn environment(&self, raw: &Raw<'_>) -> Checked<Vec<(Text, Text)>> {
        let mut all: Vec<_> =
            MINIMUM.map(|(name, value)| (Text::from_static(name), Text::from_static(value))).into();
        let Some(names) = raw.config.and_then(|config| config.get("allowed_env_vars")) else {
            return Ok(all);
        };
        for name in strings(names, "config.allowed_env_vars")? {
            if let Some((_, value)) = self.settings.environment.iter().find(|(known, _)| *known == name) {
                let name = Text::from(name.as_str());
                all.retain(|(known, _)| *known != name);
                all.push((name, value.clone()));
            }
        }
        Ok(all)
    }
}

/// `PWD` is the shell's own.
const MINIMUM: [(&[u8], &[u8]); 2] = [(b"PATH", b"/usr/local/bin:/usr/bin:/bin"), (b"HOME", b"/home/agent")];

/// A record whose types are right.
struct Raw<'n> {
    node: &'n Node,
    event: &'n str,
    handler: &'n str,
    scope: &'n str,
    name: &'n str,
    matcher: &'n str,
    condition: &'n str,
    on_timeout: &'n str,
    source: &'n str,
    created_at: &'n str,
    tenant: Option<&'n str>,
    timeout_ms: i128,
    priority: i64,
    version: u64,
    enabled: bool,
    agents: Vec<String>,
    mutable: Vec<String>,
    config: Option<&'n Node>,
}

impl<'n> Raw<'n> {
    fn read(node: &'n Node) -> Checked<Self> {
        let text = |name: &str| text(node, name);
        let list = |name: &str| node.get(name).map_or_else(|| Ok(Vec::new()), |list| strings(list, name));
        let mut agents = list("agent_ids")?;
        let legacy = text("agent_id")?;
        if agents.is_empty() && !legacy.is_empty() {
            agents.push(legacy.to_owned());
        }
        let metadata = object(node, "metadata")?;
        let mutable = match metadata.and_then(|metadata| metadata.get("mutable_fields")) {
            Some(fields) => strings(fields, "metadata.mutable_fields")?,
            None => list("mutable_fields")?,
        };
        let config = object(node, "config")?;
        for name in ["command", "cwd", "url", "prompt_template", "model", "source"] {
            if let Some(config) = config {
                self::text(config, name)?;
            }
        }
        Ok(Self {
            node,
            event: text("event")?,
            handler: text("handler_type")?,
            scope: text("scope")?,
            name: text("name")?,
            matcher: text("matcher")?,
            condition: text("if_expr")?,
            on_timeout: text("on_timeout")?,
            source: text("source")?,
            created_at: text("created_at")?,
            tenant: node.get("tenant_id").map(|_| text("tenant_id")).transpose()?,
            timeout_ms: integer(node, "timeout_ms")?.unwrap_or(0),
            priority: saturating(integer(node, "priority")?.unwrap_or(0)),
            version: u64::try_from(integer(node, "version")?.unwrap_or(1)).unwrap_or(1),
            enabled: boolean(node, "enabled")?.unwrap_or(true),
            agents,
            mutable,
            config,
        })
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.node.get(name).map_or(self.node.at, |value| value.at)
    }

    fn config_at(&self) -> Option<usize> {
        self.at("config")
    }

    /// A text of `config`; its type was checked.
    fn text(&self, name: &str) -> &'n str {
        self.config.and_then(|config| config.get(name)).and_then(Node::as_str).unwrap_or("")
    }

    fn names(&self) -> Checked<(EventName, Scope)> {
        if self.handler.is_empty() || self.event.is_empty() || self.scope.is_empty() {
            return fault(self.node.at, "handler_type, event, and scope are required");
        }
        let Some(event) = EventName::from_name(self.event) else {
            return fault(self.at("event"), format!("hook: unknown event \"{}\"", self.event));
        };
        let scope = match self.scope {
            "global" => Scope::Global,
            "tenant" => Scope::Tenant,
            "agent" => Scope::Agent,
            other => return fault(self.at("scope"), format!("hook: unknown scope \"{other}\"")),
        };
        Ok((event, scope))
    }

    fn timeout(&self) -> Checked<Duration> {
        let wanted = self.timeout_ms;
        if wanted < 0 {
            return fault(self.at("timeout_ms"), format!("hook: timeout_ms must be >= 0, got {wanted}"));
        }
        if wanted > LONGEST_TIMEOUT_MS {
            let message = format!("hook: timeout_ms {wanted} exceeds max {LONGEST_TIMEOUT_MS}");
            return fault(self.at("timeout_ms"), message);
        }
        let wanted = if wanted == 0 { DEFAULT_TIMEOUT_MS } else { wanted };
        Ok(Duration::from_millis(u64::try_from(wanted).unwrap_or(0)))
    }

    fn on_timeout(&self, event: EventName) -> Checked<OnTimeout> {
        match self.on_timeout {
            "block" => Ok(OnTimeout::Block),
            "allow" => Ok(OnTimeout::Allow),
            "" if event.blocks() => Ok(OnTimeout::Block),
            "" => Ok(OnTimeout::Allow),
            other => {
                let message =
                    format!("hook: on_timeout=\"{other}\" not supported (use \"block\" or \"allow\")");
                fault(self.at("on_timeout"), message)
            }
        }
    }

    fn id(&self, index: usize, event: EventName) -> HookId {
        match (self.node.get("id").and_then(Node::as_str), self.name) {
            (Some(id), _) if !id.is_empty() => HookId::from(id),
            (_, "") => HookId::from(format!("{}_{index}", event.name())),
            (_, name) => HookId::from(name),
        }
    }

    fn headers(&self) -> Checked<Vec<(String, String)>> {
        let Some(headers) = self.config.and_then(|config| config.get("headers")) else {
            return Ok(Vec::new());
        };
        if !headers.is_object() {
            return wrong_type(headers, "config.headers", "an object");
        }
        let mut all = Vec::new();
        for member in headers.members() {
            let Some(value) = member.value.as_str() else {
                return wrong_type(&member.value, &format!("config.headers.{}", member.name), "a string");
            };
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            let is_name = !member.name.is_empty() && member.name.bytes().all(is_token);
            if !is_name || value.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f) {
                return fault(member.at, format!("hook: config.headers: invalid header \"{}\"", member.name));
            }
            all.push((member.name.clone(), value.to_owned()));
        }
        Ok(all)
    }

    fn most_in_turn(&self) -> Checked<u64> {
        let Some(config) = self.config else { return Ok(DEFAULT_PROMPTS) };
        let wanted = integer(config, "max_invocations_per_turn")?.unwrap_or(0);
        if wanted < 0 {
            let message = format!("hook: max_invocations_per_turn must be >= 0, got {wanted}");
            return fault(self.config_at(), message);
        }
        Ok(if wanted == 0 { DEFAULT_PROMPTS } else { u64::try_from(wanted).unwrap_or(u64::MAX) })
    }

    fn warnings(&self, purpose: Purpose) -> Vec<String> {
        let unknown = self.node.members().iter().filter(|member| !FIELDS.contains(&member.name.as_str()));
        let mut all: Vec<_> =
            unknown.map(|member| format!("hook: unknown field \"{}\" is ignored", member.name)).collect();
        if purpose == Purpose::Save {
            let set = STORED.into_iter().filter(|name| self.node.get(name).is_some());
            all.extend(set.map(|name| format!("hook: {name} is set by the store; what is given is ignored")));
        }
        all
    }
}

/// What a create request can not say (1.1).
const STORED: [&str; 7] = ["id", "tenant_id", "version", "source", "created_by", "created_at", "updated_at"];

fn wrong_type<T>(node: &Node, name: &str, expected: &str) -> Checked<T> {
    fault(node.at, format!("hook: {name}: expected {expected}, found {}", node.describe()))
}

/// Absent and null are empty.
fn text<'n>(node: &'n Node, name: &str) -> Checked<&'n str> {
    match node.get(name) {
        None => Ok(""),
        Some(value) => match value.as_str() {
            Some(text) => Ok(text),
            None => wrong_type(value, name, "a string"),
        },
    }
}

fn strings(node: &Node, name: &str) -> Checked<Vec<String>> {
    let Some(items) = node.as_array() else { return wrong_type(node, name, "a list of strings") };
    let text = |item: &Node| match item.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => wrong_type(item, name, "a list of strings"),
    };
    items.iter().map(text).collect()
}

fn object<'n>(node: &'n Node, name: &str) -> Checked<Option<&'n Node>> {
    match node.get(name) {
        Some(value) if !value.is_object() => wrong_type(value, name, "an object"),
        other => Ok(other),
    }
}

fn boolean(node: &Node, name: &str) -> Checked<Option<bool>> {
    match node.get(name).map(|value| (value, &value.kind)) {
        None => Ok(None),
        Some((_, NodeKind::Bool(value))) => Ok(Some(*value)),
        Some((value, _)) => wrong_type(value, name, "a boolean"),
    }
}

fn integer(node: &Node, name: &str) -> Checked<Option<i128>> {
    let Some(value) = node.get(name) else { return Ok(None) };
    let NodeKind::Number(number) = &value.kind else { return wrong_type(value, name, "an integer") };
    let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match whole {
        Some(whole) => Ok(Some(whole)),
        None => fault(value.at, format!("hook: {name}: expected an integer, found {number}")),
    }
}

fn saturating(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}
