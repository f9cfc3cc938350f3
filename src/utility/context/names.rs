//! Lists of file names that end in NUL: `--files0-from=F` of `wc`, `du` and `sort`.

use super::operands::split_delimiter;
use crate::memory::{String, format};
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

/// What a list has next.
pub(in crate::utility) enum Listed {
    Name(Text),
    /// An empty name; where that stands, as messages tell it.
    Empty(String),
}

impl NameList {
    /// The list that can be read from `input` and is called `list`.
    pub(in crate::utility) fn new(input: Input, list: &Text) -> Self {
        Self { input, list: list.clone(), number: 0 }
    }

    /// Opens the list; `-` is standard input.
    pub(in crate::utility) fn open(ctx: &mut Context, list: &Text) -> Result<Self, UtilityError> {
        let opened = ctx.open_input(list);
        let what = || format!("cannot open {} for reading", quote_name(list));
        Ok(Self::new(opened.map_err(|error| unreadable(error, &what()))?, list))
    }

    /// What comes next.
    pub(in crate::utility) async fn entry(&mut self) -> Result<Option<Listed>, FsError> {
        let Some(line) = self.input.next_line(0).await? else { return Ok(None) };
        self.number += 1;
        let (name, _) = split_delimiter(line, 0);
        Ok(Some(if name.is_empty() {
            Listed::Empty(format!("{}:{}", quote_operand(&self.list), self.number))
        } else {
            Listed::Name(Text::from(name))
        }))
    }

    /// The next name. An empty one is reported, and so is `-` in a list on standard input.
    pub(in crate::utility) async fn next(
        &mut self,
        ctx: &mut Context,
        status: &mut ExitStatus,
    ) -> Result<Option<Text>, UtilityError> {
        loop {
            ctx.tick().await?;
            let entry = self.entry().await;
            let read_error = || format!("{}: read error", quote_operand(&self.list));
            match entry.map_err(|error| unreadable(error, &read_error()))? {
                None => return Ok(None),
                Some(Listed::Empty(place)) => {
                    *status = ctx.warn(format_args!("{place}: invalid zero-length file name"));
                }
                Some(Listed::Name(name)) if name.as_bytes() == b"-" && self.list.as_bytes() == b"-" => {
                    let shown = quote_name(&name);
                    *status = ctx.warn(format_args!(
                        "when reading file names from stdin, no file name of {shown} allowed"
                    ));
                }
                Some(Listed::Name(name)) => return Ok(Some(name)),
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
