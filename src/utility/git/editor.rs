//! The editor of messages, which is not run.

use super::Git;
use super::error::{GitError, Result, fatal};
use crate::text::Text;

impl Git {
    /// The editor that is configured; without a terminal there is no other.
    pub(crate) fn editor(&self) -> Option<Text> {
        let is_dumb = self.variable("TERM").is_none_or(|kind| **kind == *b"dumb");
        self.variable("GIT_EDITOR")
            .cloned()
            .or_else(|| self.config.get("core.editor").map(Text::from))
            .or_else(|| self.variable("VISUAL").filter(|_| !is_dumb).cloned())
            .or_else(|| self.variable("EDITOR").cloned())
    }

    /// Stands where a message would be edited: an editor may be named that leaves it as it is.
    pub(crate) fn edit_message(&self) -> Result<()> {
        match self.editor().as_ref().map(Text::as_bytes) {
            Some(b":" | b"true" | b"/bin/true" | b"/usr/bin/true") => Ok(()),
            Some(_) => Err(fatal!("an editor for messages is not supported")),
            None => Err(GitError::Plain(
                "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.\n"
                    .into(),
                1,
            )),
        }
    }
}
