//! Lists of file names that end in NUL: `--files0-from=F` of `wc` and `du`.

use super::operands::split_delimiter;
use crate::memory::format;
use crate::text::Text;
use crate::utility::format::quote::{quote_name, quote_operand};
use crate::utility::{Context, ExitStatus, Input, UtilityError};
use crate::vfs::FsError;

/// A list that is being read.
pub(in crate::utility) struct NameList {
    input: Input,
    list: Text,
    /// Names so far.
    number: u64,
}

impl NameList {
    /// Opens the list; `-` is standard input.
    pub(in crate::utility) fn open(ctx: &mut Context, list: &Text) -> Result<Self, UtilityError> {
        let opened = ctx.open_input(list);
        let what = || format!("cannot open {} for reading", quote_name(list));
        let input = opened.map_err(|error| unreadable(error, &what()))?;
        Ok(Self { input, list: list.clone(), number: 0 })
    }

    /// The next name. An empty one is reported, and so is `-` in a list on standard input.
    pub(in crate::utility) async fn next(
        &mut self,
        ctx: &mut Context,
        status: &mut ExitStatus,
    ) -> Result<Option<Text>, UtilityError> {
        loop {
            ctx.tick().await?;
            let read_error = || format!("{}: read error", quote_operand(&self.list));
            let line = self.input.next_line(0).await;
            let Some(name) = line.map_err(|error| unreadable(error, &read_error()))? else {
                return Ok(None);
            };
            self.number += 1;
            let (name, _) = split_delimiter(name, 0);
            if name.is_empty() {
                let (list, number) = (quote_operand(&self.list), self.number);
                *status = ctx.warn(format_args!("{list}:{number}: invalid zero-length file name"));
            } else if name == b"-" && self.list.as_bytes() == b"-" {
                let shown = quote_name(name);
                *status = ctx.warn(format_args!(
                    "when reading file names from stdin, no file name of {shown} allowed"
                ));
            } else {
                return Ok(Some(Text::from(name)));
            }
        }
    }
}

fn unreadable(error: FsError, what: &str) -> UtilityError {
    match error {
        FsError::Errno(errno) => UtilityError::failed(format!("{what}: {}", errno.message())),
        FsError::Limit(limit) => limit.into(),
    }
}
