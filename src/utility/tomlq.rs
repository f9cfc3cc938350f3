//! `tomlq`: `yq` over TOML; see `yq/`.

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "tomlq",
    summary: "apply a jq filter to TOML",
    usage: "tomlq [options] <jq filter> [input file...]",
    options: super::yq::OPTIONS,
    examples: &[example("printf '[package]\\nname = \"x\"\\n' | tomlq -r .package.name", "x\n")],
    usage_status: 2,
    run: start!(super::yq::start_tomlq),
    ..Utility::BASE
};
