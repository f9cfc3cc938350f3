//! Long texts (R51, R52): what is over the cap goes to a file of the session, and its path with the start of the text takes
//! its place.

use super::state::KeptState;
use crate::hook::runner::HookRunner;
use crate::text::Text;

/// Characters of a text that goes on as it is.
const CAP: usize = 10_000;
/// Characters of a text that are shown when it does not.
const PREVIEW: usize = 2_000;
/// Characters of `classifierContext` for one call, over all hooks.
pub(super) const CLASSIFIER_CAP: usize = 2_000;

/// The text as it goes on. When the file cannot be written, only the start is left; the second value says why.
pub(super) fn text(text: String, host: &dyn HookRunner) -> (String, Option<String>) {
    if text.len() <= CAP || text.chars().nth(CAP).is_none() {
        return (text, None);
    }
    let start = first(&text, PREVIEW).to_owned();
    let number = host.state().with(|state: &mut KeptState| {
        state.files = state.files.saturating_add(1);
        state.files
    });
    let path = format!("/tmp/claude-hook-output/{number}.txt");
    match host.write_file(path.as_bytes(), &Text::from(text)) {
        Ok(()) => (format!("{path}\n{start}"), None),
        Err(error) => (start, Some(format!("{path} could not be written: {error}"))),
    }
}

/// The first `count` characters.
pub(super) fn first(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}
