//! One record (1.1 and 1.2 of the contract): types first, then the conditions of the table in their order; the first fault is
//! the one that is told.

use super::builtin;
use super::raw::{Checked, Raw, fault};
use super::settings::{Edition, GoclawSettings, ScriptEngine};
use crate::document::Node;
use crate::hook::cel;
use crate::hook::contract::Purpose;
use crate::hook::dialect::goclaw::event::EventName;
use crate::hook::dialect::goclaw::filter;
use crate::hook::dialect::goclaw::handler_kind::HandlerKind;
use crate::hook::field::{Fault, Faults};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::matcher::Regex;
use crate::hook::re2;
use crate::hook::script::{Capture, Shell};
use crate::hook::word::{Word, words};
use crate::text::Text;
use std::sync::Arc;
use std::time::Duration;

/// Command output, each stream, in bytes (5 of the contract).
const OUTPUT_CAP: u64 = 1 << 20;
const LONGEST_MATCHER: usize = 256;
const LONGEST_SCRIPT: usize = 32_768;
const DEFAULT_MODEL: &str = "haiku";

words! {
    /// Whose hook it is (1.3).
    pub(in crate::hook::dialect::goclaw) enum Scope {
        Global "global",
        Tenant "tenant",
        Agent "agent",
    }
}

words! {
    /// What a timeout on a blocking event does.
    pub(in crate::hook::dialect::goclaw) enum OnTimeout {
        Block "block",
        Allow "allow",
    }
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
    pub(in crate::hook::dialect::goclaw) shipped: bool,
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
        url: Arc<str>,
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

pub(super) struct HookRecordReader<'a> {
    pub(super) settings: &'a GoclawSettings,
    pub(super) loading: Loading<'a>,
}

impl HookRecordReader<'_> {
    /// # Errors
    /// All faults, in the order in which the platform looks for them.
    pub(super) fn read(&mut self, index: usize, node: &Node) -> Result<(Hook, Row, Vec<String>), Vec<Fault>> {
        if !node.is_object() {
            let message = format!("hook: expected a record, found {}", node.describe());
            return Err(vec![Fault::new(node.at, message)]);
        }
        let raw = Raw::read(node)?;
        let mut faults = Faults::default();
        let names = faults.keep_some(raw.names());
        let tenant = names.map(|(_, scope)| faults.keep(self.tenant(&raw, scope)));
        let kind = Some(self.kind(&raw)).filter(|_| !raw.handler.is_empty());
        let kind = kind.and_then(|kind| faults.keep_some(kind));
        let timeout = faults.keep(raw.timeout());
        let on_timeout = names.and_then(|(event, _)| faults.keep_some(raw.on_timeout(event)));
        let matcher = faults.keep(self.matcher(&raw));
        let condition = faults.keep(self.condition(&raw));
        let handler = kind.and_then(|kind| Some((kind, faults.keep_some(self.handler(&raw, kind))?)));
        faults.none()?;
        let (Some((event, scope)), Some(tenant), Some(on_timeout), Some((kind, handler))) =
            (names, tenant, on_timeout, handler)
        else {
            return Err(vec![Fault::new(node.at, "hook: the record can not be read")]);
        };
        let id = raw.id(index, event);
        let hook = self.hook(&raw, kind, id, event, timeout);
        let warnings = raw.warnings(self.loading.options.purpose);
        let is_builtin = raw.source == "builtin" && self.loading.options.purpose == Purpose::Run;
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
            mutable: if is_builtin { raw.mutable } else { Vec::new() },
            shipped: false,
            priority: raw.priority,
            created_at: raw.created_at.parse().ok(),
            agents: raw.agents,
        };
        Ok((hook, row, warnings))
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
            HandlerKind::Command => Handler::script(raw.text("command").to_owned(), Shell::Sh),
            other => Handler::Other(other.name()),
        };
        let cwd = raw.text("cwd");
        Hook {
            cwd: (kind == HandlerKind::Command && !cwd.is_empty()).then(|| Text::from(cwd)),
            inherit_environment: false,
            description: (!raw.name.is_empty()).then(|| raw.name.to_owned()),
            ..Hook::new(
                id,
                event.name(),
                handler,
                timeout,
                &self.loading.limits,
                Capture::of_each(OUTPUT_CAP),
            )
        }
    }

    /// Scope, tenant and agents (R3 to R5).
    fn tenant(&self, raw: &Raw<'_>, scope: Scope) -> Checked<Option<String>> {
        // On creation the tenant is the caller's, whatever the request says.
        let given = match self.loading.options.purpose {
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
                if self.loading.options.purpose == Purpose::Save && !self.loading.options.may_assign_high_risk
                {
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
                if self.settings.edition == Edition::Standard
                    && self.loading.options.purpose == Purpose::Save =>
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
            HandlerKind::Script if self.settings.script == ScriptEngine::Off => return unknown(),
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
        match re2::compile(raw.matcher, &mut self.loading.regexes) {
            Ok(regex) => Ok(Some(regex)),
            Err(why) => fault(raw.at("matcher"), format!("hook: matcher invalid: {why}")),
        }
    }

    fn condition(&mut self, raw: &Raw<'_>) -> Checked<Option<cel::Program>> {
        if raw.condition.is_empty() {
            return Ok(None);
        }
        match cel::Program::compile(raw.condition, &filter::VARIABLES, &mut self.loading.regexes) {
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
            HandlerKind::Http => {
                HandlerConfig::Http { url: required("url")?.into(), headers: raw.headers()? }
            }
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
        let names = raw.config_fields().map(|config| config.texts("allowed_env_vars")).transpose()?;
        for name in names.flatten().unwrap_or_default() {
            if let Some((_, value)) = self.settings.environment.iter().find(|(known, _)| *known == name) {
                let name = Text::from(name.as_str());
                all.retain(|(known, _)| *known != name);
                all.push((name, Text::from(value.as_str())));
            }
        }
        Ok(all)
    }
}

/// `PWD` is the shell's own.
const MINIMUM: [(&[u8], &[u8]); 2] = [(b"PATH", b"/usr/local/bin:/usr/bin:/bin"), (b"HOME", b"/home/agent")];
