//! What a host may set.

use crate::hook::setting::settings;
use crate::hook::word::words;

words! {
    /// Which build of the platform the hooks run in (R50).
    pub(in crate::hook::dialect::goclaw) enum Edition {
        Lite "lite",
        Standard "standard",
    }
}

words! {
    /// What a tripped hook does (R34).
    pub(in crate::hook::dialect::goclaw) enum BreakerMode {
        Open "open",
        Hold "hold",
    }
}

words! {
    /// What a condition without a value does to its hook (R9).
    pub(in crate::hook::dialect::goclaw) enum ConditionErrors {
        Skip "skip",
        Run "run",
    }
}

words! {
    /// Who runs the handlers in JavaScript.
    pub(in crate::hook::dialect::goclaw) enum ScriptEngine {
        Host "host",
        Off "off",
    }
}

settings! {
    /// What a host set.
    pub(in crate::hook::dialect::goclaw) struct GoclawSettings {
        edition: Edition = Edition::Lite, "lite", "which build of the platform: `command` runs on `lite` only (R50)";
        tenant_id: Option<String> = None, "none", "the caller's tenant: that of rows without one";
        sentinel_tenant_id: String = NIL.to_owned(), "the nil UUID", "the tenant of global rows (R3)";
        environment: Vec<(String, String)> = Vec::new(), "{}", "what `allowed_env_vars` may pick from (R12)";
        allow_http_mutation: bool = false, "false", "apply `updatedInput` of an HTTP answer (R18)";
        allow_loopback: bool = false, "false", "the SSRF guard lets loopback addresses through";
        breaker_mode: BreakerMode = BreakerMode::Open, "open", "whether a tripped hook lets through or goes on blocking (R34)";
        condition_errors: ConditionErrors = ConditionErrors::Skip, "skip",
            "what a condition without a value does, for one whose cost the tool's input drives past its bound (R9): the product skips the hook, and the call proceeds; `run` fails closed";
        script: ScriptEngine = ScriptEngine::Host, "host", "`off` rejects `script` rows (R22)";
        monthly_tokens: Option<u64> = Some(1_000_000), "1000000", "budget of a tenant in a month; null is without bound (R40)";
        builtins: bool = true, "true", "adds the rows that ship with the platform, disabled (R55)";
    }
}

/// The tenant of global rows, unless the host says otherwise.
const NIL: &str = "00000000-0000-0000-0000-000000000000";

impl GoclawSettings {
    /// Whether a tenant is one of the platform's customers.
    pub(super) fn is_real_tenant(&self, tenant: &str) -> bool {
        !tenant.is_empty() && tenant != NIL && tenant != self.sentinel_tenant_id
    }
}
