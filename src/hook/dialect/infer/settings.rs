//! What a host may set.

use crate::hook::setting::settings;
use serde_json::Value;

settings! {
    /// What a host set.
    pub(super) struct InferSettings {
        environment: Vec<(String, String)> = Vec::new(), "{}",
            "the loader's variables: for `$NAME` in the file, INFER_HOOKS_ENABLED, INFER_TOOLS_BASH_ALLOW_APPEND (R2, R3, R11)";
        expand_unset_to_empty: bool = false, "false",
            "a name that is not in `environment` becomes empty in place of staying (R3)";
        mode: String = "standard".to_owned(), "standard", "`standard`, `plan`, `auto`, `readonly` or a name of its own (R10)";
        tools: Option<Value> = None, "the contract's lists",
            "the allow-list: `tools.bash.mode.NAME.allow` is a list of expressions; `all` is every mode (1.4)";
        tools_bash_allow_append: Option<String> = None, "none",
            "the flag of that name: more entries, by commas and lines (R11)";
        plugins: Option<Value> = None, "[]",
            "objects `name`, `enabled`, `hooks_enabled` (both true unless said), `hooks` (a file's text, or its content) (R6)";
        reminders: Option<Value> = None, "none", "the text of `reminders.yaml`, or its content (9.1)";
        default_reminders: Option<Value> = None, "[]", "the reminders that the host ships, for a file with `merge`";
    }
}
