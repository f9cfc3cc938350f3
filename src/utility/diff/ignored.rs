//! `-B` and `-I`: changes whose lines are all blank, or all match an expression, do not count.

use super::Opt;
use super::change::Change;
use super::lines::{File, is_space};
use super::settings::expressions;
use crate::limit::Meter;
use crate::memory::Vec;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Regex;
use std::sync::Arc;

/// Which lines are blank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    None,
    Empty,
    /// With blanks alone, where those at the end of lines are ignored.
    Spaces,
}

/// Which lines do not count.
pub(super) struct Ignored {
    blank: Blank,
    matching: Vec<Regex>,
}

impl Ignored {
    pub(super) fn of(options: &Options<Opt>, meter: &Arc<Meter>) -> Result<Self, UtilityError> {
        let matching = expressions(options.values(Opt::IgnoreMatchingLines), meter)?;
        let ignores_spaces =
            options.has_any([Opt::IgnoreTrailingSpace, Opt::IgnoreSpaceChange, Opt::IgnoreAllSpace]);
        let blank = match (options.has(Opt::IgnoreBlankLines), ignores_spaces) {
            (false, _) => Blank::None,
            (true, false) => Blank::Empty,
            (true, true) => Blank::Spaces,
        };
        Ok(Self { blank, matching })
    }

    /// Whether every line counts.
    pub(super) fn is_empty(&self) -> bool {
        self.blank == Blank::None && self.matching.is_empty()
    }

    /// Marks the changes that do not count.
    pub(super) async fn mark(
        &self,
        ctx: &mut Context,
        changes: &mut [Change],
        [left, right]: [&File; 2],
    ) -> Result<(), UtilityError> {
        if self.is_empty() {
            return Ok(());
        }
        for change in changes {
            change.is_ignored = self.has_all(ctx, left, change.left, change.deleted).await?
                && self.has_all(ctx, right, change.right, change.inserted).await?;
        }
        Ok(())
    }

    /// Whether none of these lines counts.
    async fn has_all(
        &self,
        ctx: &mut Context,
        file: &File,
        from: usize,
        count: usize,
    ) -> Result<bool, UtilityError> {
        for index in from..from + count {
            ctx.tick().await?;
            let line = file.line(index);
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            ctx.tick_many((line.len() / 64) as u32);
            let mut has = match self.blank {
                Blank::None => false,
                Blank::Empty => line.is_empty(),
                Blank::Spaces => line.iter().all(|byte| is_space(*byte)),
            };
            for regex in &self.matching {
                has = has
                    || regex
                        .is_match(line, &mut Pace::Shared(&ctx.meter))
                        .await
                        .map_err(|error| search_error(&ctx.meter, &error, super::TROUBLE.0))?;
            }
            if !has {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
