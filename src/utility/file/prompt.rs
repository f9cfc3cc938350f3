//! Questions to the user: `rm -i`, `mv -i`.

use crate::memory::format;
use crate::utility::{Context, Input, UtilityError};

/// Asks on standard error and reads the answers, a line each, from standard input.
#[derive(Debug, Default)]
pub(crate) struct Prompt {
    input: Option<Input>,
}

impl Prompt {
    /// Prints `name: question ` and reads the answer; only one that starts with `y` or `Y` is a yes.
    pub(crate) async fn ask(&mut self, ctx: &mut Context, question: &str) -> Result<bool, UtilityError> {
        ctx.stdout.flush().await?;
        let text = format!("{}: {question} ", ctx.name);
        ctx.stderr.push(text.as_bytes());
        ctx.stderr.flush_now();
        let input = self.input.get_or_insert_with(|| ctx.standard_input());
        match input.next_line(b'\n').await {
            Ok(Some(line)) => Ok(matches!(line.first(), Some(b'y' | b'Y'))),
            Ok(None) | Err(crate::vfs::FsError::Errno(_)) => Ok(false),
            Err(crate::vfs::FsError::Limit(limit)) => Err(limit.into()),
        }
    }
}
