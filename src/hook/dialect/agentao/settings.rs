//! What a host may set; see the table in the dialect's module.

use crate::hook::setting::{Setting, SettingKind, setting};

pub(super) const SETTINGS: &[Setting] = &[
    setting(
        "flat_superset",
        SettingKind::Boolean,
        "true",
        "Claude Code's flat keys stand beside `event` and `data` (G9)",
    ),
    setting(
        "strict_agentao",
        SettingKind::Boolean,
        "false",
        "Claude Code's output shape and exit status 2 mean nothing, but on `Stop` (G12, G14)",
    ),
    setting("stop_reentry_cap", SettingKind::Count, "3", "forced turns in a row (G18)"),
    setting(
        "capture_plugin_hook_output_full",
        SettingKind::Boolean,
        "false",
        "the replay's `output_preview` is not cut (G21)",
    ),
    setting("files", SettingKind::TextMembers, "{}", "path → text of the hook files that plug-ins name"),
];
