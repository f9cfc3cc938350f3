//! Configs that their platform never reads. Claude Code has the hooks of a project in its settings, those of a plug-in where its manifest
//! says: a `hooks.json` in the project's `.claude` looks right and does nothing.

use crate::cli::script_files::{LIST, MANIFESTS, plugin_of};
use crate::hook::Dialect;
use crate::hook::lint::{CONFIG_UNREAD, Finding};
use crate::vfs::fixture::host::{self, MOST_TEXT};
use std::path::Path;

/// What is to be said of a config's place.
pub(super) fn finding(dialect: Dialect, config: &Path, name: &str) -> Option<Finding> {
    if dialect != Dialect::ClaudeCode || config.file_name()? != "hooks.json" {
        return None;
    }
    let folder = config.parent()?;
    let in_claude = |folder: &Path| folder.file_name().is_some_and(|name| name == ".claude");
    let is_there = in_claude(folder) || folder.ends_with("hooks") && folder.parent().is_some_and(in_claude);
    if !is_there || is_named(config) {
        return None;
    }
    let message = "Claude Code reads no hooks from a file of this name in `.claude`: none of these runs";
    Some(Finding::about_file(&CONFIG_UNREAD, name, None, message.to_owned()))
}

/// Whether a plug-in has the config, or may have it: what a list of plug-ins says of hooks itself is not looked at.
fn is_named(config: &Path) -> bool {
    let lists = config.ancestors().skip(1).take(3);
    if lists.map(|folder| folder.join(MANIFESTS).join(LIST)).any(|list| {
        host::read_named(&list, MOST_TEXT)
            .is_ok_and(|text| memchr::memmem::find(&text, b"\"hooks\"").is_some())
    }) {
        return true;
    }
    plugin_of(config).is_some()
}
