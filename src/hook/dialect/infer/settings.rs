//! What a host may set; see the table in the dialect's module.

use crate::hook::setting::{Setting, SettingKind, setting};

pub(super) const SETTINGS: &[Setting] = &[
    setting(
        "environment",
        SettingKind::TextMembers,
        "{}",
        "the loader's variables: for `$NAME` in the file, INFER_HOOKS_ENABLED, INFER_TOOLS_BASH_ALLOW_APPEND (R2, R3, R11)",
    ),
    setting(
        "expand_unset_to_empty",
        SettingKind::Boolean,
        "false",
        "a name that is not in `environment` becomes empty in place of staying (R3)",
    ),
    setting(
        "mode",
        SettingKind::Text,
        "standard",
        "`standard`, `plan`, `auto`, `readonly` or a name of its own (R10)",
    ),
    setting(
        "tools",
        SettingKind::Any,
        "the contract's lists",
        "the allow-list: `tools.bash.mode.NAME.allow` is a list of expressions; `all` is every mode (1.4)",
    ),
    setting(
        "tools_bash_allow_append",
        SettingKind::Text,
        "none",
        "the flag of that name: more entries, by commas and lines (R11)",
    ),
    setting(
        "plugins",
        SettingKind::Any,
        "[]",
        "objects `name`, `enabled`, `hooks_enabled`, `hooks` (a file's text, or its content) (R6)",
    ),
    setting("reminders", SettingKind::Any, "none", "the text of `reminders.yaml`, or its content (9.1)"),
    setting(
        "default_reminders",
        SettingKind::Any,
        "[]",
        "the reminders that the host ships, for a file with `merge`",
    ),
];
