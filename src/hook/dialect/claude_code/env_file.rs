//! `CLAUDE_ENV_FILE` (R22): a file of the session that a hook may write to; its text is for the host.

use crate::hook::runner::HookRunner;
use crate::text::Text;

/// Longest text that is taken, in bytes.
const MOST: usize = 1 << 20;

/// The file; it is removed when its text is taken, or when the firing is dropped.
pub(super) struct EnvFile<'a> {
    host: &'a dyn HookRunner,
    pub(super) path: Text,
}

impl<'a> EnvFile<'a> {
    /// Makes an empty file; `None` when the session has no room for one.
    pub(super) fn new(host: &'a dyn HookRunner) -> Option<Self> {
        let path = Text::from(format!("/tmp/claude-env-{:016x}.sh", host.random_u64()));
        host.write_file(&path, &Text::EMPTY).ok()?;
        Some(Self { host, path })
    }

    /// What the hook wrote, ending in a newline; nothing when it removed the file.
    pub(super) fn take(self) -> String {
        let content = self.host.files().and_then(|files| files.read(&self.path).ok());
        let mut text = content.map_or_else(String::new, |content| {
            let bytes: &[u8] = &content;
            String::from_utf8_lossy(bytes.get(..MOST).unwrap_or(bytes)).into_owned()
        });
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

impl Drop for EnvFile<'_> {
    fn drop(&mut self) {
        // A hook may have removed it.
        let _ = self.host.remove_file(&self.path);
    }
}
