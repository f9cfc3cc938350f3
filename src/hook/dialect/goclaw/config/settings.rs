//! The dialect's settings (see the table in `goclaw/mod.rs`).

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
                if NAMES.contains(&name.as_str()) {
                    format!("goclaw: setting {name:?} can not be {value}")
                } else {
                    format!("goclaw: unknown setting {name:?} (known: {})", NAMES.join(", "))
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

const NAMES: [&str; 11] = [
    "edition",
    "tenant_id",
    "sentinel_tenant_id",
    "environment",
    "allow_http_mutation",
    "allow_loopback",
    "breaker_mode",
    "condition_errors",
    "script",
    "monthly_tokens",
    "builtins",
];
