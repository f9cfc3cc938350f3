//! Which files a recursive search takes: `--include`, `--exclude`, `--exclude-dir`.

use crate::limit::LimitError;
use crate::memory::Vec;
use crate::pattern::{Pattern, PatternOptions};
use crate::utility::context::ticker::{MeterTicker, stopped};
use crate::utility::prelude::*;

/// File name patterns in the order given; the last that matches decides.
#[derive(Debug, Default)]
pub(super) struct Selection {
    patterns: Vec<(Pattern, bool)>,
}

impl Selection {
    pub(super) fn push(&mut self, pattern: &[u8], is_included: bool) {
        self.patterns.push((Pattern::parse(pattern, PatternOptions::default()), is_included));
    }

    /// Whether a file is left out. An operand is matched whole and from each component on, a name in a directory as it is.
    pub(super) fn excludes(&self, ctx: &Context, name: &[u8], is_operand: bool) -> Result<bool, LimitError> {
        for (pattern, is_included) in self.patterns.iter().rev() {
            let starts = std::iter::once(0)
                .chain(memchr::memchr_iter(b'/', name).map(|at| at + 1).take_while(|_| is_operand));
            for start in starts {
                let text = name.get(start..).unwrap_or(&[]);
                if pattern
                    .matches(text, &mut MeterTicker::new(&ctx.meter))
                    .map_err(|_| stopped(&ctx.meter))?
                {
                    return Ok(!is_included);
                }
            }
        }
        // When none matches, the first one tells whether the list names what is wanted or what is not.
        Ok(self.patterns.first().is_some_and(|(_, is_included)| *is_included))
    }
}
