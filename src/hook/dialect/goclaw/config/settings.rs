//! The dialect's settings (see the table in `goclaw/mod.rs`).

use crate::hook::setting::{Setting, SettingKind, setting};
use crate::text::Text;
use serde_json::{Map, Value};

/// Which build of the platform the hooks run in (R50).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::hook::dialect::goclaw) enum Edition {
    Lite,
    Standard,
}

/// See the table.
#[derive(Clone, Debug)]
pub(in crate::hook::dialect::goclaw) struct GoclawSettings {
    pub(in crate::hook::dialect::goclaw) edition: Edition,
    pub(super) tenant_id: Option<String>,
    pub(super) sentinel_tenant_id: String,
    pub(super) environment: Vec<(String, Text)>,
    pub(in crate::hook::dialect::goclaw) allow_http_mutation: bool,
    pub(in crate::hook::dialect::goclaw) allow_loopback: bool,
    /// `breaker_mode: hold`
    pub(in crate::hook::dialect::goclaw) breaker_holds: bool,
    /// `condition_errors: run`
    pub(in crate::hook::dialect::goclaw) undecided_run: bool,
    pub(super) script: bool,
    pub(in crate::hook::dialect::goclaw) monthly_tokens: Option<u64>,
    pub(super) builtins: bool,
}

/// R40.
const MONTHLY_TOKENS: u64 = 1_000_000;
const NIL: &str = "00000000-0000-0000-0000-000000000000";

impl Default for GoclawSettings {
    fn default() -> Self {
        Self {
            edition: Edition::Lite,
            tenant_id: None,
            sentinel_tenant_id: NIL.to_owned(),
            environment: Vec::new(),
            allow_http_mutation: false,
            allow_loopback: false,
            breaker_holds: false,
            undecided_run: false,
            script: true,
            monthly_tokens: Some(MONTHLY_TOKENS),
            builtins: true,
        }
    }
}

impl GoclawSettings {
    pub(super) fn read(given: &Map<String, Value>) -> Result<Self, String> {
        let mut settings = Self::default();
        for (name, value) in given {
            settings.set(name, value).ok_or_else(|| {
                match SETTINGS.iter().find(|setting| setting.name == name) {
                    Some(setting) => {
                        let right = setting.kind.describe();
                        format!("goclaw: setting {name:?} can not be {value}: it must be {right}")
                    }
                    None => {
                        let names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
                        format!("goclaw: unknown setting {name:?} (known: {})", names.join(", "))
                    }
                }
            })?;
        }
        Ok(settings)
    }

    fn set(&mut self, name: &str, value: &Value) -> Option<()> {
        match name {
            "edition" => {
                self.edition = match value.as_str()? {
                    "lite" => Edition::Lite,
                    "standard" => Edition::Standard,
                    _ => return None,
                }
            }
            "tenant_id" => self.tenant_id = Some(value.as_str()?.to_owned()),
            "sentinel_tenant_id" => value.as_str()?.clone_into(&mut self.sentinel_tenant_id),
            "environment" => {
                let pairs = value.as_object()?.iter();
                let pairs = pairs.map(|(name, value)| Some((name.clone(), Text::from(value.as_str()?))));
                self.environment = pairs.collect::<Option<_>>()?;
            }
            "allow_http_mutation" => self.allow_http_mutation = value.as_bool()?,
            "allow_loopback" => self.allow_loopback = value.as_bool()?,
            "breaker_mode" => {
                self.breaker_holds = match value.as_str()? {
                    "open" => false,
                    "hold" => true,
                    _ => return None,
                }
            }
            "condition_errors" => {
                self.undecided_run = match value.as_str()? {
                    "skip" => false,
                    "run" => true,
                    _ => return None,
                }
            }
            "script" => {
                self.script = match value.as_str()? {
                    "host" => true,
                    "off" => false,
                    _ => return None,
                }
            }
            "monthly_tokens" if value.is_null() => self.monthly_tokens = None,
            "monthly_tokens" => self.monthly_tokens = Some(value.as_u64()?),
            "builtins" => self.builtins = value.as_bool()?,
            _ => return None,
        }
        Some(())
    }

    /// Whether a tenant is one of the platform's customers.
    pub(super) fn is_real_tenant(&self, tenant: &str) -> bool {
        !tenant.is_empty() && tenant != NIL && tenant != self.sentinel_tenant_id
    }
}

/// The table in the dialect's module, for lists and messages.
pub(in crate::hook::dialect::goclaw) const SETTINGS: &[Setting] = &[
    setting(
        "edition",
        SettingKind::Choice(&["lite", "standard"]),
        "lite",
        "which build of the platform: `command` runs on `lite` only (R50)",
    ),
    setting("tenant_id", SettingKind::Text, "none", "the caller's tenant: that of rows without one"),
    setting("sentinel_tenant_id", SettingKind::Text, "the nil UUID", "the tenant of global rows (R3)"),
    setting("environment", SettingKind::TextMembers, "{}", "what `allowed_env_vars` may pick from (R12)"),
    setting(
        "allow_http_mutation",
        SettingKind::Boolean,
        "false",
        "apply `updatedInput` of an HTTP answer (R18)",
    ),
    setting(
        "allow_loopback",
        SettingKind::Boolean,
        "false",
        "the SSRF guard lets loopback addresses through",
    ),
    setting(
        "breaker_mode",
        SettingKind::Choice(&["open", "hold"]),
        "open",
        "whether a tripped hook lets through or goes on blocking (R34)",
    ),
    setting(
        "condition_errors",
        SettingKind::Choice(&["skip", "run"]),
        "skip",
        "what a condition without a value does: the hook is skipped, or runs (R9)",
    ),
    setting("script", SettingKind::Choice(&["host", "off"]), "host", "`off` rejects `script` rows (R22)"),
    setting(
        "monthly_tokens",
        SettingKind::CountOrNull,
        "1000000",
        "budget of a tenant in a month; null is without bound (R40)",
    ),
    setting(
        "builtins",
        SettingKind::Boolean,
        "true",
        "adds the rows that ship with the platform, disabled (R55)",
    ),
];
