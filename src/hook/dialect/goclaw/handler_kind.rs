//! The types of handlers.

use crate::hook::word::words;

words! {
    /// The four handlers.
    pub(super) enum HandlerKind {
        Command "command",
        Http "http",
        Prompt "prompt",
        Script "script",
    }
}
