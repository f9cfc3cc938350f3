//! What a host may set.

use crate::hook::setting::{Setting, SettingKind, setting};

/// What a host may set: fields of [`LoadOptions`](crate::hook::LoadOptions).
pub const SETTINGS: &[Setting] = &[
    setting(
        "may_assign_high_risk",
        SettingKind::Boolean,
        "true",
        "whether who assigns the config may assign what is of high risk",
    ),
    setting(
        "declarative_bundles",
        SettingKind::Boolean,
        "true",
        "whether hooks of a declarative bundle are taken, or ignored with a notice",
    ),
    setting(
        "variable_prefix",
        SettingKind::Text,
        "EVERRUNS",
        "prefix of the variables that carry the payload, for a host's own brand",
    ),
];
