//! `ncal`: `cal` with weeks in columns, and the date of Easter; see `cal/`.

use super::cal::Opt;
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "ncal",
    summary: "display a calendar with weeks in columns, or the date of Easter",
    usage: "ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]",
    options: Opt::TABLE,
    examples: &[example("ncal -o 2024", "05/05/24\n")],
    usage_status: 64,
    run: start!(super::cal::start_ncal),
    ..Utility::BASE
};
