//! Configs of platforms that are no dialects, though they look like ones: told by where they lie, by the events and members that only
//! those platforms have, and by the variables that their hooks are given.

use crate::document::Node;

/// Events of Cursor, whose `hooks.json` looks like an event map of a dialect.
const CURSOR_EVENTS: [&str; 12] = [
    "afterAgentResponse",
    "afterAgentThought",
    "afterFileEdit",
    "afterMCPExecution",
    "afterShellExecution",
    "afterTabFileEdit",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeShellExecution",
    "beforeSubmitPrompt",
    "beforeTabFileRead",
    "preCompact",
];

/// Events of Gemini CLI that no dialect has.
const GEMINI_EVENTS: [&str; 8] = [
    "AfterAgent",
    "AfterModel",
    "AfterTool",
    "BeforeAgent",
    "BeforeModel",
    "BeforeTool",
    "BeforeToolSelection",
    "PreCompress",
];

/// Its events of which Claude Code has the names, too.
const GEMINI_SHARED: [&str; 3] = ["Notification", "SessionEnd", "SessionStart"];

/// Folders in which platforms that are no dialects have a `hooks.json` or a `settings.json`, some of them in Claude Code's form.
const FOLDERS: [(&str, &str); 17] = [
    (".augment", "Augment"),
    (".codebuddy", "CodeBuddy"),
    (".codex", "Codex"),
    (".copilot", "Copilot"),
    (".cursor", "Cursor"),
    (".devin", "Devin"),
    (".factory", "Factory"),
    (".gemini", "Gemini CLI"),
    (".goose", "goose"),
    (".grok", "Grok"),
    (".iflow", "iFlow CLI"),
    (".kimi", "Kimi Code CLI"),
    (".kiro", "Kiro"),
    (".qoder", "Qoder"),
    (".qwen", "Qwen Code"),
    (".windsurf", "Windsurf"),
    (".yolop", "Yolop"),
];

/// Hidden folders that are no tool's of agents, or a dialect's.
const NEUTRAL: [&str; 17] = [
    ".agentao",
    ".cache",
    ".cagent",
    ".config",
    ".devcontainer",
    ".docker",
    ".dotfiles",
    ".everruns",
    ".git",
    ".github",
    ".goclaw",
    ".hooks",
    ".infer",
    ".local",
    ".plugin",
    ".plugins",
    ".vscode",
];

/// What stands between a tool's hidden folder and its hooks: `.codex/plugins/x/hooks/hooks.json`.
const PARTS: [&str; 5] = ["extensions", "hooks", "plugin", "plugins", "skills"];
/// Folders of that kind that are looked through.
const MOST_PARTS: usize = 4;

/// Ends of the variables by which a platform tells its hooks where things are, after its name.
const PLACES: [&str; 3] = ["_PLUGIN_ROOT", "_PROJECT_DIR", "_WORKSPACE_ROOT"];

/// Folders in which projects keep what they bring for several platforms, each in a folder of its name.
const SEVERAL: [&str; 8] =
    ["adapter", "harness", "hook", "host", "integration", "platform", "target", "template"];

/// Members of Copilot's hooks, whose lists have Agentao's form.
const COPILOT_MEMBERS: [&str; 8] =
    ["bash", "cwd", "env", "linux", "osx", "powershell", "timeoutSec", "windows"];

/// What is said of a config of a platform that is no dialect; `None`: nothing shows that it is one.
pub(super) fn message(name: &str, text: &[u8], node: &Node, names_claudes: bool) -> Option<String> {
    if let Some(owner) = owner(name, node, names_claudes) {
        return Some(format!(
            "a file of this name is {owner}: a config of no dialect; name one to have it looked at as that"
        ));
    }
    let told = event(node).or_else(|| member(node));
    if let Some((what, whose)) = told {
        return Some(format!("`{what}` is {whose}: a config of no dialect"));
    }
    if names_claudes || node.get("hooks").is_none() {
        return None;
    }
    let told = variable(text).map(|(variable, platform)| format!("`{variable}` is a variable of {platform}"));
    let told = told.or_else(|| has_bare_root(text).then(|| "no dialect sets `PLUGIN_ROOT`".to_owned()))?;
    Some(format!("{told}: a config of no dialect"))
}

/// Whose a file of this name is.
fn owner(name: &str, node: &Node, names_claudes: bool) -> Option<String> {
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let (file, folders) = parts.split_last()?;
    if folders.ends_with(&[".github", "hooks"]) {
        return Some("Copilot's".to_owned());
    }
    if let Some(platform) = platform(file, folders) {
        return Some(format!("{platform}'s"));
    }
    let is_manifest =
        *file == "plugin.json" && folders.last().is_some_and(|folder| !folder.ends_with("-plugin"));
    let is_path = |hooks: &Node| hooks.as_str().is_some();
    let hooks = node.get("hooks");
    if is_manifest
        && hooks.is_some_and(|hooks| {
            is_path(hooks) || hooks.as_array().is_some_and(|all| all.iter().all(is_path))
        })
    {
        return Some("not Claude Code's, which has it in `.claude-plugin`".to_owned());
    }
    // Any other tool's hidden folder.
    let (hidden, below) = hidden(folders)?;
    let is_neutral = NEUTRAL.contains(&hidden) || hidden.contains("claude") || hidden.starts_with(".tmp");
    let is_theirs = below.is_empty() && (is_config(file) || *file == "config.json") || is_part(file, below);
    let is_map = hooks.is_some_and(|hooks| !hooks.members().is_empty() || hooks.as_array().is_some());
    (!is_neutral && is_theirs && is_map && !names_claudes)
        .then(|| format!("that of the tool which has `{hidden}`"))
}

/// The last hidden folder, and those below it.
fn hidden<'f>(folders: &'f [&'f str]) -> Option<(&'f str, &'f [&'f str])> {
    let at = folders.iter().rposition(|folder| folder.starts_with('.'))?;
    Some((folders.get(at)?, folders.get(at + 1..)?))
}

fn is_config(file: &str) -> bool {
    matches!(file, "hooks.json" | "settings.json" | "settings.local.json")
}

/// Whether it is a file of JSON with this word in its name: `hooks-codex.json`, `cursor-hooks.json`.
fn is_of(file: &str, word: &str) -> bool {
    let words = || file.split(['-', '_', '.']);
    words().next_back() == Some("json") && words().any(|one| one == word)
}

/// Whether it is a file of hooks, or a manifest, some folders below a tool's own.
fn is_part(file: &str, below: &[&str]) -> bool {
    below.first().is_some_and(|first| PARTS.contains(first))
        && below.len() <= MOST_PARTS
        && (is_of(file, "hooks") || file == "plugin.json")
}

/// The platform that has a file of this name.
fn platform(file: &str, folders: &[&str]) -> Option<&'static str> {
    let is_of_hooks = is_of(file, "hooks");
    // `qwen-extension.json`, `kimi.plugin.json`
    let is_named = is_of_hooks || is_of(file, "extension") || is_of(file, "plugin");
    let has_word = |bare: &str| is_named && file.split(['-', '_', '.']).any(|word| word == bare);
    let manifest = folders.last().and_then(|folder| folder.strip_suffix("-plugin"));
    let hidden = hidden(folders);
    let holds = |own: &str| {
        hidden.is_some_and(|(folder, below)| {
            folder == own && (below.is_empty() && (is_config(file) || is_of_hooks) || is_part(file, below))
        })
    };
    // `adapters/codex/hooks/hooks.json`: what a project brings for one of several.
    let brings = |bare: &str| {
        folders.windows(2).enumerate().any(|(at, pair)| {
            let below = folders.get(at + 2..).unwrap_or(&[]);
            let is_for_claude = below.iter().any(|folder| folder.contains("claude"));
            let is_among = pair.first().is_some_and(|above| is_of_several(above));
            let is_file = is_of_hooks || file == "plugin.json" || below.is_empty() && is_of(file, "settings");
            is_among && pair.get(1) == Some(&bare) && below.len() <= MOST_PARTS && !is_for_claude && is_file
        })
    };
    let named = |own: &str| {
        let bare = own.strip_prefix('.').unwrap_or(own);
        holds(own) || has_word(bare) || brings(bare) || file == "plugin.json" && manifest == Some(own)
    };
    FOLDERS.iter().find(|(own, _)| named(own)).map(|(_, platform)| *platform)
}

/// Whether a folder has such for several platforms: `adapters`, `platform-contracts`.
fn is_of_several(folder: &str) -> bool {
    let mut words = folder.split(['-', '_']);
    words.any(|word| {
        let one = |ending: &str| word.strip_suffix(ending).is_some_and(|word| SEVERAL.contains(&word));
        SEVERAL.contains(&word) || one("s") || one("es")
    })
}

/// An event that the config names and only a platform has that is no dialect.
fn event(node: &Node) -> Option<(&str, &'static str)> {
    let members = node.get("hooks").map_or(&[][..], Node::members);
    let events = || members.iter().map(|member| member.name.as_str());
    if let Some(name) = events().find(|name| CURSOR_EVENTS.contains(name)) {
        return Some((name, "an event of Cursor"));
    }
    // One among Claude Code's own is a mistake in a config of that; its linter tells it.
    let all_are_its = events().all(|name| GEMINI_EVENTS.contains(&name) || GEMINI_SHARED.contains(&name));
    let own = events().find(|name| GEMINI_EVENTS.contains(name))?;
    all_are_its.then_some((own, "an event of Gemini CLI"))
}

/// A member that hooks of a platform have which is no dialect, in a list without groups; Yolop's `disabled` beside Everruns' hooks.
fn member(node: &Node) -> Option<(&str, &'static str)> {
    let hooks = node.get("hooks")?;
    let mut listed = hooks.as_array().unwrap_or_default().iter();
    if listed.any(|hook| hook.get("executor").is_some()) && node.get("disabled").is_some() {
        return Some(("disabled", "a member of Yolop's files"));
    }
    // docker-agent's lists are flat, too.
    let events = hooks
        .members()
        .iter()
        .filter(|event| event.name.contains(|letter: char| letter.is_ascii_uppercase()));
    let entries = events.flat_map(|event| event.value.as_array().unwrap_or_default());
    let flat = entries.filter(|entry| entry.get("hooks").is_none() && entry.get("type").is_some());
    let mut names = flat.flat_map(|entry| entry.members().iter().map(|member| member.name.as_str()));
    names.find(|name| COPILOT_MEMBERS.contains(name)).map(|name| (name, "of a hook of Copilot"))
}

/// A variable that only a platform gives its hooks that is no dialect: `$GEMINI_PROJECT_DIR`.
fn variable(text: &[u8]) -> Option<(String, &'static str)> {
    PLACES.iter().find_map(|end| {
        memchr::memmem::find_iter(text, end.as_bytes()).find_map(|at| {
            let before = text.get(..at)?;
            let length = before.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).take(20).count();
            let name = std::str::from_utf8(before.get(before.len().checked_sub(length)?..)?).ok()?;
            let is_its = |own: &str| own.strip_prefix('.').is_some_and(|own| own.eq_ignore_ascii_case(name));
            let (_, platform) = FOLDERS.iter().find(|(own, _)| is_its(own))?;
            Some((format!("{name}{end}"), *platform))
        })
    })
}

/// Whether hooks begin a path with `$PLUGIN_ROOT`, as several platforms have it and no dialect, and do not set it themselves.
fn has_bare_root(text: &[u8]) -> bool {
    let is_there = |word: &[u8]| memchr::memmem::find(text, word).is_some();
    (is_there(b"$PLUGIN_ROOT/") || is_there(b"${PLUGIN_ROOT}")) && !is_there(b"PLUGIN_ROOT=")
}
