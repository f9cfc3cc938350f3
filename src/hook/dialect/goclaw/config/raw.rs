//! A record with its types checked, and those conditions of the table (1.2 of the contract) that need nothing else.

use super::field::{Checked, boolean, fault, integer, object, saturating, strings, text, wrong_type};
use super::record::{OnTimeout, Scope};
use crate::hook::contract::Purpose;
use crate::hook::dialect::goclaw::event::EventName;
use crate::hook::document::Node;
use crate::hook::id::HookId;
use std::time::Duration;

const LONGEST_TIMEOUT_MS: i128 = 10_000;
const DEFAULT_TIMEOUT_MS: i128 = 5_000;
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

/// Fields of `config`, of all handlers together.
const CONFIG: [&str; 9] = [
    "command",
    "allowed_env_vars",
    "cwd",
    "url",
    "headers",
    "prompt_template",
    "model",
    "max_invocations_per_turn",
    "source",
];

/// What a create request can not say (1.1).
const STORED: [&str; 7] = ["id", "tenant_id", "version", "source", "created_by", "created_at", "updated_at"];

/// A record whose types are right.
pub(super) struct Raw<'n> {
    pub(super) node: &'n Node,
    pub(super) event: &'n str,
    pub(super) handler: &'n str,
    pub(super) scope: &'n str,
    pub(super) name: &'n str,
    pub(super) matcher: &'n str,
    pub(super) condition: &'n str,
    pub(super) on_timeout: &'n str,
    pub(super) source: &'n str,
    pub(super) created_at: &'n str,
    pub(super) tenant: Option<&'n str>,
    pub(super) timeout_ms: i128,
    pub(super) priority: i64,
    pub(super) version: u64,
    pub(super) enabled: bool,
    pub(super) agents: Vec<String>,
    pub(super) mutable: Vec<String>,
    pub(super) config: Option<&'n Node>,
}

impl<'n> Raw<'n> {
    pub(super) fn read(node: &'n Node) -> Checked<Self> {
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

    pub(super) fn at(&self, name: &str) -> Option<usize> {
        self.node.get(name).map_or(self.node.at, |value| value.at)
    }

    pub(super) fn config_at(&self) -> Option<usize> {
        self.at("config")
    }

    /// A text of `config`; its type was checked.
    pub(super) fn text(&self, name: &str) -> &'n str {
        self.config.and_then(|config| config.get(name)).and_then(Node::as_str).unwrap_or("")
    }

    pub(super) fn names(&self) -> Checked<(EventName, Scope)> {
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

    pub(super) fn timeout(&self) -> Checked<Duration> {
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

    pub(super) fn on_timeout(&self, event: EventName) -> Checked<OnTimeout> {
        match self.on_timeout {
            "block" => Ok(OnTimeout::Block),
            "allow" => Ok(OnTimeout::Allow),
            "" if event.row().blocks => Ok(OnTimeout::Block),
            "" => Ok(OnTimeout::Allow),
            other => {
                let message =
                    format!("hook: on_timeout=\"{other}\" not supported (use \"block\" or \"allow\")");
                fault(self.at("on_timeout"), message)
            }
        }
    }

    pub(super) fn id(&self, index: usize, event: EventName) -> HookId {
        match (self.node.get("id").and_then(Node::as_str), self.name) {
            (Some(id), _) if !id.is_empty() => HookId::from(id),
            (_, "") => HookId::from(format!("{}_{index}", event.name())),
            (_, name) => HookId::from(name),
        }
    }

    pub(super) fn headers(&self) -> Checked<Vec<(String, String)>> {
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

    pub(super) fn most_in_turn(&self) -> Checked<u64> {
        let Some(config) = self.config else { return Ok(DEFAULT_PROMPTS) };
        let wanted = integer(config, "max_invocations_per_turn")?.unwrap_or(0);
        if wanted < 0 {
            let message = format!("hook: max_invocations_per_turn must be >= 0, got {wanted}");
            return fault(self.config_at(), message);
        }
        Ok(if wanted == 0 { DEFAULT_PROMPTS } else { u64::try_from(wanted).unwrap_or(u64::MAX) })
    }

    pub(super) fn warnings(&self, purpose: Purpose) -> Vec<String> {
        let unknown = self.node.members().iter().filter(|member| !FIELDS.contains(&member.name.as_str()));
        let of_config = self.config.map_or(&[][..], Node::members).iter();
        let unknown_there = of_config.filter(|member| !CONFIG.contains(&member.name.as_str()));
        let mut all: Vec<_> =
            unknown.map(|member| format!("hook: unknown field \"{}\" is ignored", member.name)).collect();
        all.extend(
            unknown_there.map(|member| format!("hook: config: unknown field \"{}\" is ignored", member.name)),
        );
        if purpose == Purpose::Save {
            let set = STORED.into_iter().filter(|name| self.node.get(name).is_some());
            all.extend(set.map(|name| format!("hook: {name} is set by the store; what is given is ignored")));
        }
        all
    }
}
