//! `rg --stats`, and the last message of `--json`.

use super::Rg;
use super::json;
use super::search::Search;
use super::settings::Report;
use crate::memory::{String, format};
use crate::utility::prelude::*;
use std::time::Duration;

/// What was searched, and what was found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    pub(super) took: Duration,
    pub(super) searches: u64,
    pub(super) searches_with_match: u64,
    pub(super) bytes_searched: u64,
    pub(super) bytes_printed: u64,
    pub(super) matched_lines: u64,
    pub(super) matches: u64,
}

impl Statistics {
    /// Those of one input.
    pub(super) fn of(search: &Search) -> Self {
        Self {
            took: search.took,
            searches: 1,
            searches_with_match: u64::from(search.count > 0),
            bytes_searched: search.bytes_searched,
            bytes_printed: search.bytes_printed,
            matched_lines: search.matched_lines,
            matches: search.matches,
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.took += other.took;
        self.searches += other.searches;
        self.searches_with_match += other.searches_with_match;
        self.bytes_searched += other.bytes_searched;
        self.bytes_printed += other.bytes_printed;
        self.matched_lines += other.matched_lines;
        self.matches += other.matches;
    }
}

/// A time in seconds, as it is printed.
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.6}", time.as_secs_f64())
}

/// Tells the statistics of all inputs, where they are asked for.
pub(super) async fn finish(ctx: &mut Context, rg: &Rg, started: Duration) -> Result<(), UtilityError> {
    let total = ctx.session.clock.monotonic().saturating_sub(started);
    let statistics = &rg.statistics;
    if rg.settings.report == Report::Json {
        return json::summary(ctx, statistics, total).await;
    }
    if !rg.settings.stats || rg.walk.only_names {
        return Ok(());
    }
    let text = format!(
        "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes searched\n{} seconds spent searching\n{} seconds\n",
        statistics.matches,
        statistics.matched_lines,
        statistics.searches_with_match,
        statistics.searches,
        statistics.bytes_printed,
        statistics.bytes_searched,
        seconds(statistics.took),
        seconds(total),
    );
    ctx.stdout.write(text.as_bytes()).await
}
