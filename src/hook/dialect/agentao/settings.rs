//! What a host may set.

use crate::hook::setting::settings;

settings! {
    /// What a host set.
    pub(super) struct AgentaoSettings {
        flat_superset: bool = true, "true", "Claude Code's flat keys stand beside `event` and `data` (G9)";
        strict_agentao: bool = false, "false",
            "Claude Code's output shape and exit status 2 mean nothing, but on `Stop` (G12, G14)";
        stop_reentry_cap: u64 = 3, "3", "forced turns in a row (G18)";
        capture_plugin_hook_output_full: bool = false, "false", "the replay's `output_preview` is not cut (G21)";
        files: Vec<(String, String)> = Vec::new(), "{}", "path → text of the hook files that plug-ins name";
    }
}
