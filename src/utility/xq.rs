//! `xq`: `yq` over XML; see `yq/`.

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "xq",
    summary: "apply a jq filter to XML",
    usage: "xq [options] <jq filter> [input file...]",
    options: super::yq::OPTIONS,
    examples: &[example("echo '<a b=\"1\"><c>x</c></a>' | xq -c .", "{\"a\":{\"@b\":\"1\",\"c\":\"x\"}}\n")],
    usage_status: 2,
    run: start!(super::yq::start_xq),
    ..Utility::BASE
};
