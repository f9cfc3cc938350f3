//! A record with its types checked, and those conditions of the table (1.2 of the contract) that need nothing else.

use super::record::{OnTimeout, Scope};
use crate::document::Node;
use crate::hook::contract::Purpose;
use crate::hook::dialect::goclaw::event::EventName;
use crate::hook::field::{Fault, Faults, Fields};
use crate::hook::id::HookId;
use crate::hook::word::Word;
use std::time::Duration;

const LONGEST_TIMEOUT_MS: i128 = 10_000;
const DEFAULT_TIMEOUT_MS: i128 = 5_000;
const DEFAULT_PROMPTS: u64 = 5;

const FIELDS: &[&str] = &[
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
const CONFIG: &[&str] = &[
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

/// What a create request cannot say (1.1).
const STORED: [&str; 7] = ["id", "tenant_id", "version", "source", "created_by", "created_at", "updated_at"];

pub(super) type Checked<T> = Result<T, Fault>;

pub(super) fn fault<T>(at: Option<usize>, message: impl Into<String>) -> Checked<T> {
    Err(Fault::new(at, message))
}

fn saturating(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

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
    pub(super) fn read(node: &'n Node) -> Result<Self, Vec<Fault>> {
        let fields = Fields { node, prefix: "hook: " };
        let mut faults = Faults::default();
        let mut agents = faults.keep(fields.texts("agent_ids")).unwrap_or_default();
        let legacy = faults.keep(fields.text("agent_id")).unwrap_or_default();
        if agents.is_empty() && !legacy.is_empty() {
            agents.push(legacy.to_owned());
        }
        let metadata = faults.keep(fields.object("metadata"));
        let metadata = metadata.filter(|metadata| metadata.get("mutable_fields").is_some());
        let prefix = "hook: metadata.";
        let mutable = metadata.map_or(fields, |node| Fields { node, prefix }).texts("mutable_fields");
        let mutable = faults.keep(mutable).unwrap_or_default();
        let config = faults.keep(fields.object("config"));
        for name in ["command", "cwd", "url", "prompt_template", "model", "source"] {
            faults.keep(config.map_or(Ok(None), |node| Fields { node, ..fields }.text(name)));
        }
        let tenant = faults.keep(fields.text("tenant_id"));
        let timeout_ms = faults.keep(fields.integer("timeout_ms")).unwrap_or(0);
        let priority = saturating(faults.keep(fields.integer("priority")).unwrap_or(0));
        let version = faults.keep(fields.integer("version")).unwrap_or(1);
        let enabled = faults.keep(fields.boolean("enabled")).unwrap_or(true);
        let mut text = |name: &str| faults.keep(fields.text(name)).unwrap_or_default();
        let raw = Self {
            node,
            event: text("event"),
            handler: text("handler_type"),
            scope: text("scope"),
            name: text("name"),
            matcher: text("matcher"),
            condition: text("if_expr"),
            on_timeout: text("on_timeout"),
            source: text("source"),
            created_at: text("created_at"),
            tenant,
            timeout_ms,
            priority,
            version: u64::try_from(version).unwrap_or(1),
            enabled,
            agents,
            mutable,
            config,
        };
        faults.none().map(|()| raw)
    }

    pub(super) fn at(&self, name: &str) -> Option<usize> {
        Fields { node: self.node, prefix: "" }.at(name)
    }

    pub(super) fn config_at(&self) -> Option<usize> {
        self.at("config")
    }

    /// The members of `config`.
    pub(super) fn config_fields(&self) -> Option<Fields<'n, 'static>> {
        self.config.map(|node| Fields { node, prefix: "hook: config." })
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
        let Some(scope) = Scope::from_name(self.scope) else {
            return fault(self.at("scope"), format!("hook: unknown scope \"{}\"", self.scope));
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
        match OnTimeout::from_name(self.on_timeout) {
            Some(policy) => Ok(policy),
            None if self.on_timeout.is_empty() && event.row().blocks => Ok(OnTimeout::Block),
            None if self.on_timeout.is_empty() => Ok(OnTimeout::Allow),
            None => {
                let given = self.on_timeout;
                let message =
                    format!("hook: on_timeout=\"{given}\" not supported (use \"block\" or \"allow\")");
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
        let Some(config) = self.config_fields() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for (member, value) in config.text_members("headers")? {
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
        let Some(node) = self.config else { return Ok(DEFAULT_PROMPTS) };
        let fields = Fields { node, prefix: "hook: " };
        let wanted = fields.integer("max_invocations_per_turn")?.unwrap_or(0);
        if wanted < 0 {
            let message = format!("hook: max_invocations_per_turn must be >= 0, got {wanted}");
            return fault(self.config_at(), message);
        }
        Ok(if wanted == 0 { DEFAULT_PROMPTS } else { u64::try_from(wanted).unwrap_or(u64::MAX) })
    }

    pub(super) fn warnings(&self, purpose: Purpose) -> Vec<String> {
        let unknown = |prefix, node: Option<&'n Node>, known| {
            let told = move |name: &str| format!("{prefix}unknown field \"{name}\" is ignored");
            let members = node.into_iter().flat_map(move |node| Fields { node, prefix }.unknown(known));
            members.map(move |member| told(&member.name))
        };
        let mut all: Vec<_> = unknown("hook: ", Some(self.node), FIELDS).collect();
        all.extend(unknown("hook: config: ", self.config, CONFIG));
        if purpose == Purpose::Save {
            let set = STORED.into_iter().filter(|name| self.node.get(name).is_some());
            all.extend(set.map(|name| format!("hook: {name} is set by the store; what is given is ignored")));
        }
        all
    }
}
