//! `-B` and `-I`: changes whose lines are all blank, or all match an expression, are left out.

use super::Opt;
use super::format::{self, Change};
use super::lines::File;
use crate::limit::Meter;
use crate::memory::{ToMeteredString, Vec, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::{regex_options, search_error, stopped};
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, Syntax};
use std::sync::Arc;

/// Which lines do not count.
pub(super) struct Ignored {
    blank: bool,
    matching: Vec<Regex>,
}

impl Ignored {
    pub(super) fn of(options: &Options<Opt>, meter: &Arc<Meter>) -> Result<Self, UtilityError> {
        let mut matching = Vec::new();
        for source in options.values(Opt::IgnoreMatchingLines) {
            let regex = Regex::new(source, Syntax::Basic, &regex_options(meter));
            matching.push(regex.map_err(|error| match error {
                RegexError::Stopped(_) => stopped(meter).into(),
                error => UtilityError::Failed {
                    message: format!("{source}: {}", error.to_metered_string()),
                    status: super::TROUBLE.0,
                },
            })?);
        }
        Ok(Self { blank: options.has(Opt::IgnoreBlankLines), matching })
    }

    /// The changes without those that do not count.
    pub(super) async fn leave_out(
        &self,
        ctx: &mut Context,
        changes: Vec<Change>,
        [left, right]: [&File; 2],
        context: usize,
    ) -> Result<Vec<Change>, UtilityError> {
        if !self.blank && self.matching.is_empty() {
            return Ok(changes);
        }
        let mut ignorable = Vec::new();
        for change in &changes {
            ignorable.push(
                self.has_all(ctx, left, change.left, change.deleted).await?
                    && self.has_all(ctx, right, change.right, change.inserted).await?,
            );
        }
        Ok(format::without_ignorable(&changes, &ignorable, context))
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
            let mut has = self.blank && line.is_empty();
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
