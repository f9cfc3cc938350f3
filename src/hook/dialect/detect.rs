//! Which dialect a config is in, by its content and its name ([`Dialect::detect`]).
//!
//! 1. A text that is neither JSON nor YAML, nor Markdown with hooks in its frontmatter, is told as that.
//! 2. The name of a platform's own file decides: `.claude/settings.json` is Claude Code's, whatever shape it has;
//!    `.codex/hooks.json` is that of a platform which is no dialect, though it looks like one (`foreign.rs`).
//! 3. Content that one dialect recognises is that dialect's.
//! 4. Where two fit, the host has to say which. Where none fits, the problems are those of the likeliest: the dialect of which the
//!    most events are named.

use super::foreign;
use super::list::Dialect;
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{LoadOptions, Purpose};
use crate::hook::error::ConfigError;
use crate::hook::portable;

/// What hooks of Claude Code alone are given.
const CLAUDE_VARIABLES: [&str; 2] = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR"];

impl Dialect {
    /// The dialect that a config's content and name show.
    ///
    /// # Errors
    /// The text is neither JSON nor YAML; or more than one dialect fits, and the message names them; or none does, and the problems
    /// are those that the text has as a config of the likeliest.
    pub fn detect(name: &str, text: &[u8]) -> Result<Self, ConfigError> {
        let source = Source::new(name, text);
        let node = match source.json_or_yaml("not a hook config: ") {
            Ok(node) => node,
            // A Markdown file with hooks in its frontmatter is neither.
            Err(error) => {
                let tree = (Self::ClaudeCode.contract().tree)(&source).ok();
                let node = tree.filter(|node| node.get("hooks").is_some());
                return node.map(|_| Self::ClaudeCode).ok_or_else(|| error.into());
            }
        };
        let is_of_folder = is_in_claudes_folder(name) && has_capital_event(&node);
        if is_claudes(name) && node.is_object() || is_of_folder || has_no_hooks_yet(name, &node) {
            return Ok(Self::ClaudeCode);
        }
        let names_claudes =
            CLAUDE_VARIABLES.iter().any(|name| memchr::memmem::find(text, name.as_bytes()).is_some());
        if let Some(message) = foreign::message(name, text, &node, names_claudes) {
            return Err(source.problem(node.at, message).into());
        }
        let is_json = source.json("").is_ok();
        let fits =
            |dialect: &Self| (is_json || dialect.reads_yaml()) && (dialect.contract().recognises)(&node);
        let mut fitting: Vec<_> = Self::ALL.iter().filter(|dialect| fits(dialect)).copied().collect();
        let handlers = handlers(&node);
        // A tool's own file with types of its own looks like one of a platform whose lists of hooks are flat.
        // And one whose hooks name what Claude Code gives them is written for that.
        let is_agentaos = handlers.knows_a_type && !names_claudes && !handlers.is_foreign;
        fitting.retain(|dialect| *dialect != Self::Agentao || is_agentaos);
        // Of Claude Code's and Agentao's files, which name the same events, those of the first have groups.
        if handlers.has_groups && fitting == [Self::ClaudeCode, Self::Agentao] {
            fitting.truncate(1);
        }
        match fitting.as_slice() {
            [dialect] => Ok(*dialect),
            [] => Err(of_none(&source, &node)),
            several => {
                let names: Vec<_> = several.iter().map(|dialect| dialect.name()).collect();
                let names = names.join(", ");
                let message = format!("the dialect is not clear from the content; name one of: {names}");
                Err(source.problem(node.at, message).into())
            }
        }
    }
}

impl Dialect {
    /// Whether its platform takes a config that is YAML and not JSON.
    const fn reads_yaml(self) -> bool {
        matches!(self, Self::DockerAgent | Self::Infer | Self::ClaudeCode)
    }
}

/// What the lists of an event map hold.
struct Handlers {
    /// One has groups: entries with a list of hooks.
    has_groups: bool,
    /// One of the entries that are hooks themselves is of a type that platforms have, or there is none.
    knows_a_type: bool,
    /// One of those is as Agentao leaves it out: a matcher that is a text, an event that it does not have.
    is_foreign: bool,
}

fn handlers(node: &Node) -> Handlers {
    let events = || node.get("hooks").map_or(&[][..], Node::members).iter();
    let entries: Vec<&Node> = events().flat_map(|event| event.value.as_array().unwrap_or_default()).collect();
    let has_hooks = |entry: &Node| entry.get("hooks").is_some_and(|hooks| hooks.as_array().is_some());
    let has_groups = entries.iter().any(|entry| has_hooks(entry));
    let mut types = entries.iter().filter_map(|entry| entry.get("type")?.as_str()).peekable();
    let knows_a_type = types.peek().is_none()
        || types.any(|kind| matches!(kind, "command" | "prompt" | "http" | "agent" | "mcp_tool"));
    let is_flat = |entry: &Node| entry.get("type").is_some() && entry.get("hooks").is_none();
    let matchers = || entries.iter().filter(|entry| is_flat(entry)).filter_map(|entry| entry.get("matcher"));
    let is_prompt = |entry: &&Node| entry.get("type").and_then(Node::as_str) == Some("prompt");
    // As Agentao alone has it: a matcher that is an object, a prompt, no list around it, or no `hooks` around all.
    let is_agentaos = node.get("hooks").is_none()
        || events().any(|event| is_flat(&event.value))
        || matchers().any(Node::is_object)
        || entries.iter().filter(|entry| is_flat(entry)).any(is_prompt);
    let own = portable::facts(Dialect::Agentao).events;
    let is_foreign = matchers().any(|matcher| matcher.as_str().is_some())
        || events().any(|event| {
            let is_own = own.iter().any(|one| one.name == event.name);
            !is_own && event.value.as_array().unwrap_or_default().iter().any(is_flat)
        });
    Handlers { has_groups, knows_a_type, is_foreign: is_foreign && !is_agentaos }
}

/// Whether a file of this name is Claude Code's.
fn is_claudes(name: &str) -> bool {
    let mut parts = name.rsplit(['/', '\\']);
    matches!(
        (parts.next(), parts.next()),
        (Some("settings.json" | "settings.local.json"), Some(".claude"))
            | (Some("plugin.json"), Some(".claude-plugin"))
    )
}

/// Whether it is a file of hooks somewhere in a project's `.claude`, by its name.
fn is_in_claudes_folder(name: &str) -> bool {
    let mut parts = name.rsplit(['/', '\\']);
    parts.next().is_some_and(|file| file.ends_with("hooks.json"))
        && parts.take(2).any(|part| part == ".claude")
}

/// Whether the config has a map of hooks, and Claude Code's way to write the name of an event in it.
fn has_capital_event(node: &Node) -> bool {
    let events = node.get("hooks").map_or(&[][..], Node::members);
    events.iter().any(|event| event.name.starts_with(|letter: char| letter.is_ascii_uppercase()))
}

/// Whether it is a plug-in's file, or settings by their permissions, and has no hooks yet.
fn has_no_hooks_yet(name: &str, node: &Node) -> bool {
    let mut parts = name.rsplit(['/', '\\']);
    let is_named = (parts.next(), parts.next()) == (Some("hooks.json"), Some("hooks"));
    let rules = node.get("permissions").map_or(&[][..], Node::members);
    let has_rules = rules.iter().any(|rule| matches!(rule.name.as_str(), "allow" | "deny" | "ask"));
    (is_named || has_rules)
        && node.get("hooks").is_some_and(|hooks| hooks.is_object() && hooks.members().is_empty())
}

/// What is wrong where no dialect recognises the content.
fn of_none(source: &Source<'_>, node: &Node) -> ConfigError {
    let Some(likeliest) = likeliest(node) else {
        let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        let names = names.join(", ");
        let is_empty = |hooks: &Node| match &hooks.kind {
            NodeKind::Object(members) => members.is_empty(),
            NodeKind::Array(items) => items.is_empty(),
            kind => matches!(kind, NodeKind::Null),
        };
        let message = if is_empty(node.get("hooks").unwrap_or(node)) {
            format!("the config has no hooks: nothing shows its dialect; name one of: {names}")
        } else {
            format!("a config of no dialect; if it is one, name it: {names}")
        };
        return source.problem(node.at, message).into();
    };
    let options =
        LoadOptions { name: source.name.to_owned(), purpose: Purpose::Save, ..LoadOptions::default() };
    let options = super::version::settle(likeliest, &options).unwrap_or(options);
    let mut error = match (likeliest.contract().load)(source, &options) {
        Err(error) => error,
        Ok(_) => source.problem(node.at, "it has no hooks").into(),
    };
    for problem in &mut error.problems {
        problem.message = format!("as a config of {likeliest}, the likeliest: {}", problem.message);
    }
    error
}

/// The dialect of which the most events are named, as keys of an event map or as values of a hook's `event` or `hook`.
fn likeliest(node: &Node) -> Option<Dialect> {
    let hooks = node.get("hooks").unwrap_or(node);
    let listed = hooks.as_array().unwrap_or_default().iter();
    let events =
        listed.flat_map(|hook| [hook.get("event"), hook.get("hook")]).flatten().filter_map(Node::as_str);
    let named: Vec<&str> = hooks.members().iter().map(|member| member.name.as_str()).chain(events).collect();
    let known = |dialect: Dialect| {
        let events = portable::facts(dialect).events;
        named.iter().filter(|name| events.iter().any(|event| event.name == **name)).count()
    };
    // The first of those that are as likely.
    let mut best = None;
    for &dialect in Dialect::ALL {
        let count = known(dialect);
        if count > best.map_or(0, |(most, _)| most) {
            best = Some((count, dialect));
        }
    }
    best.map(|(_, dialect)| dialect)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(name: &str, text: &str) -> Result<Dialect, String> {
        Dialect::detect(name, text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_platforms_own_file_is_its_own() {
        let flat = r#"{"hooks": {"SessionStart": [{"type": "command", "command": "x"}]}}"#;
        for name in [".claude/settings.json", "/home/x/.claude/settings.local.json"] {
            assert_eq!(detect(name, flat), Ok(Dialect::ClaudeCode), "{name}");
        }
        assert_eq!(detect("hooks.json", flat), Ok(Dialect::Agentao));
        assert_eq!(detect("x.claude/settings.json", flat), Ok(Dialect::Agentao));
        assert_eq!(detect("p/.claude-plugin/plugin.json", r#"{"name": "p"}"#), Ok(Dialect::ClaudeCode));
        // A file in its folder is looked at as its own, though it has Agentao's form, or events that nobody has.
        let of_git = r#"{"hooks": {"PreCommit": [{"matcher": "*", "command": "x"}]}}"#;
        for name in ["p/.claude/hooks.json", ".claude/hooks/hooks.json"] {
            assert_eq!(detect(name, flat), Ok(Dialect::ClaudeCode), "{name}");
            assert_eq!(detect(name, of_git), Ok(Dialect::ClaudeCode), "{name}");
        }
        // Lists of another tool are none of its, wherever they lie; nor is what names no file of hooks.
        let scripts = r#"{"name": "strict", "hooks": ["a.js", "b.js"]}"#;
        for name in ["p/.claude/hooks/profiles/strict.json", "p/.claude/hooks.json"] {
            assert!(detect(name, scripts).unwrap_err().contains("a config of no dialect"), "{name}");
        }
        assert_eq!(
            detect("p/manifest.json", r#"{"name": "p", "hooks": "./h.json"}"#),
            Ok(Dialect::ClaudeCode)
        );
    }

    #[test]
    fn flat_lists_are_agentaos_where_nothing_shows_another() {
        let flat = |event: &str, entry: &str| format!(r#"{{"hooks": {{"{event}": {entry}}}}}"#);
        let command = r#"[{"type": "command", "command": "x"}]"#;
        for (name, text) in [
            (
                "h",
                flat(
                    "PreToolUse",
                    r#"[{"type": "command", "command": "x", "matcher": {"tool_name": "Bash"}}]"#,
                ),
            ),
            ("h", flat("UserPromptSubmit", r#"[{"type": "prompt", "prompt": "x"}]"#)),
            ("h", flat("Stop", r#"{"type": "command", "command": "x"}"#)),
            ("h", format!(r#"{{"Stop": {command}}}"#)),
            (".agentao/plugins/p/hooks.json", flat("Stop", command)),
            ("hooks/hooks.json", flat("SessionStart", command)),
        ] {
            assert_eq!(detect(name, &text), Ok(Dialect::Agentao), "{text}");
        }
        // Agentao leaves out a matcher that is a text, and an event that it does not have.
        for text in [
            flat("PreToolUse", r#"[{"type": "command", "command": "x", "matcher": "Bash"}]"#),
            flat("SubagentStop", command),
        ] {
            let error = detect("hooks/hooks.json", &text).unwrap_err();
            assert!(error.contains("as a config of claude-code, the likeliest: "), "{error}");
        }
    }

    #[test]
    fn what_looks_like_two_platforms_is_told_by_what_only_one_has() {
        let mixed = r#"{"hooks": {"Stop": [{"type": "command", "command": "x"}],
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
        assert_eq!(detect("h", mixed), Ok(Dialect::ClaudeCode));
        let of_a_tool = r#"{"hooks": {"Stop": [{"type": "powershell", "script": "x"}]}}"#;
        assert!(detect("h", of_a_tool).is_err());
        // An agent of another tool, in YAML, with hooks of its own.
        assert!(
            detect(
                "a.yaml",
                "name: a\nhooks:\n  - event: pre_tool_use\n    executor: { type: bash, command: x }\n"
            )
            .is_err()
        );
    }

    #[test]
    fn a_frontmatter_is_claude_codes() {
        let agent =
            "---\nname: a\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: x }]\n---\nRead `x`: {\n";
        assert_eq!(detect("agents/a.md", agent), Ok(Dialect::ClaudeCode));
        // Events that it does not know are for its loader to tell.
        assert_eq!(
            detect("a.md", "---\nname: a\nhooks:\n  pre: |\n    x\n---\nRead `x`: {\n"),
            Ok(Dialect::ClaudeCode)
        );
        assert!(detect("a.md", "---\nname: a\n---\nRead `x`: {\n").is_err());
        // Values that YAML does not take as they are, and the platform does.
        let plain = "---\ndescription: Use it so. Example: <x>y</x>\npaths: **/*.ts\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: x }]\n---\n";
        assert_eq!(detect("agents/a.md", plain), Ok(Dialect::ClaudeCode));
        // A list is a fault that its loader tells.
        let listed = "---\nname: a\nhooks:\n  - type: PreToolUse\n---\nRead `x`: {\n";
        assert_eq!(detect("skills/a/SKILL.md", listed), Ok(Dialect::ClaudeCode));
        assert!(detect("agents/a.md", "---\ndescription: x: y\nhooks:\n\t- x\n---\n").is_err());
    }

    #[test]
    fn a_config_of_cursor_is_none() {
        let cursor = r#"{"version": 1, "hooks": {"stop": [{"command": "x"}], "afterFileEdit": [{"command": "./f.sh"}]}}"#;
        let message = "h:1:1: `afterFileEdit` is an event of Cursor: a config of no dialect";
        assert_eq!(detect("h", cursor), Err(message.to_owned()));
        let stop = r#"{"version": 1, "hooks": {"stop": [{"command": "x"}]}}"#;
        assert_eq!(
            detect("h", stop),
            Err("h:1:35: as a config of docker-agent, the likeliest: hooks.stop[0]: type is required"
                .to_owned())
        );
    }

    #[test]
    fn a_config_of_gemini_is_none() {
        let gemini = r#"{"hooks": {"SessionStart": [{"hooks": []}], "BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
        let message = "h:1:1: `BeforeTool` is an event of Gemini CLI: a config of no dialect";
        assert_eq!(detect("h", gemini), Err(message.to_owned()));
        // Copied into a config of Claude Code it is a fault of that.
        let copied =
            r#"{"hooks": {"BeforeTool": [], "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
        assert_eq!(detect("h", copied), Ok(Dialect::ClaudeCode));
    }

    #[test]
    fn files_of_other_platforms_are_told_by_their_names() {
        let hooks = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
        for name in [
            ".codex/hooks.json",
            "/home/x/.gemini/settings.json",
            "p/.github/hooks/guard.json",
            "p/.cursor-plugin/plugin.json",
            "hooks/hooks-codex.json",
            "hooks/cursor-hooks.json",
            "p/.cursor/hooks.windows.json",
        ] {
            let error = detect(name, hooks).unwrap_err();
            assert!(error.contains(": a file of this name is "), "{error}");
        }
        for (name, platform) in [
            ("a/adapters/codex/hooks.json", "Codex"),
            ("a/adapters/qwen/settings-block.json", "Qwen Code"),
            ("a/qwen-extension.json", "Qwen Code"),
            ("a/kimi.plugin.json", "Kimi Code CLI"),
            ("a/.codebuddy/settings.json", "CodeBuddy"),
            ("a/.grok/plugins/p/hooks/hooks.json", "Grok"),
            ("a/.devin/hooks.json", "Devin"),
            ("adapters/codex/hooks/hooks.json", "Codex"),
            ("src/integrations/grok/plugin/p/hooks/hooks.json", "Grok"),
            ("tests/platform-contracts/factory/hooks.json", "Factory"),
        ] {
            let error = detect(name, hooks).unwrap_err();
            assert!(error.contains(&format!(": a file of this name is {platform}'s")), "{error}");
        }
        for name in [
            "codex/hooks.json",
            "codex/hooks/hooks.json",
            ".codex/other.json",
            "hooks/guard.json",
            "adapters/codex/x.json",
        ] {
            assert_eq!(detect(name, hooks), Ok(Dialect::ClaudeCode), "{name}");
        }
        for name in [".tool/hooks.json", "a/.agents/plugins/p/hooks/hooks.json", ".tool/config.json"] {
            let error = detect(name, hooks).unwrap_err();
            assert!(error.contains(": a file of this name is that of the tool which has `."), "{error}");
        }
        // What names Claude Code's variables is for that, wherever it lies.
        let of_claude = hooks.replace('x', "$CLAUDE_PROJECT_DIR/x");
        assert_eq!(detect(".tool/hooks.json", &of_claude), Ok(Dialect::ClaudeCode));
        for name in [
            ".config/hooks.json",
            ".tool/x/hooks.json",
            ".my-claude/settings.json",
            "adapters/codex/claude/hooks.json",
            ".cursor/worktrees/p/hooks/hooks.json",
        ] {
            assert_eq!(detect(name, hooks), Ok(Dialect::ClaudeCode), "{name}");
        }
        for name in [".plugin/plugin.json", ".github/plugin/plugin.json"] {
            for paths in [r#""hooks.json""#, r#"["a.json", "b.json"]"#] {
                let error = detect(name, &format!(r#"{{"name": "p", "hooks": {paths}}}"#)).unwrap_err();
                assert!(error.contains(": a file of this name is not Claude Code's"), "{error}");
            }
        }
        let inline = format!(r#"{{"name": "p", {}"#, hooks.trim_start_matches('{'));
        assert_eq!(detect("plugin.json", &inline), Ok(Dialect::ClaudeCode));
        let of_gemini = hooks.replace('x', "$GEMINI_PROJECT_DIR/x");
        let error = detect("h.json", &of_gemini).unwrap_err();
        assert!(error.contains("`GEMINI_PROJECT_DIR` is a variable of Gemini CLI"), "{error}");
        for text in
            [of_gemini.replace("$G", "$CLAUDE_PROJECT_DIR:$G"), hooks.replace('x', "$MY_PROJECT_DIR/x")]
        {
            assert_eq!(detect("h.json", &text), Ok(Dialect::ClaudeCode), "{text}");
        }
        let bare = hooks.replace('x', "node ${PLUGIN_ROOT}/x.js");
        assert!(detect("h.json", &bare).unwrap_err().contains("no dialect sets `PLUGIN_ROOT`"));
        let set = hooks.replace('x', "PLUGIN_ROOT=$PWD; ${PLUGIN_ROOT}/x");
        assert_eq!(detect("h.json", &set), Ok(Dialect::ClaudeCode));
        let of_yolop = r#"{"hooks": [{"event": "turn_end", "executor": {"type": "bash", "command": "x"}}], "disabled": ["a"]}"#;
        assert!(detect("h.json", of_yolop).unwrap_err().contains("`disabled` is a member of Yolop's files"));
        assert_eq!(
            detect("h.json", &of_yolop.replace("disabled", "disabled_contributions")),
            Ok(Dialect::Everruns)
        );
        assert_eq!(detect("p/hooks/hooks.json", r#"{"hooks": {}}"#), Ok(Dialect::ClaudeCode));
        let settings = r#"{"permissions": {"allow": ["Bash(ls:*)"]}, "hooks": {}}"#;
        assert_eq!(detect("templates/settings.json", settings), Ok(Dialect::ClaudeCode));
    }

    #[test]
    fn flat_lists_of_copilot_are_none_and_those_for_claude_code_are_its() {
        for member in [
            r#""windows": "x.ps1""#,
            r#""bash": "x.sh""#,
            r#""timeoutSec": 5"#,
            r#""cwd": "a""#,
            r#""env": {}"#,
        ] {
            let copilot =
                format!(r#"{{"hooks": {{"Stop": [{{"type": "command", "command": "x", {member}}}]}}}}"#);
            let error = detect("h", &copilot).unwrap_err();
            assert!(error.ends_with("is of a hook of Copilot: a config of no dialect"), "{error}");
        }
        let flat = r#"{"hooks": {"Stop": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}]}}"#;
        let error = detect("h", flat).unwrap_err();
        assert!(
            error.contains("as a config of claude-code, the likeliest: hooks.Stop[0].hooks: missing"),
            "{error}"
        );
    }

    #[test]
    fn what_no_dialect_recognises_has_the_faults_of_the_likeliest() {
        let error = detect("h", r#"{"hooks": {"PreToolUse": {"command": "x"}, "Stop": []}}"#).unwrap_err();
        assert!(error.starts_with("h:1:26: as a config of claude-code, the likeliest: "), "{error}");
        let error = detect("h", "hooks:\n  - { hook: pre_tool }\n").unwrap_err();
        assert!(error.contains("as a config of infer, the likeliest: "), "{error}");
        let error = detect("h", r#"{"a": 1}"#).unwrap_err();
        assert!(
            error.starts_with("h:1:1: a config of no dialect; if it is one, name it: everruns, "),
            "{error}"
        );
        let of_a_tool = r#"{"name": "x", "capabilities": ["routing"], "hooks": ["a"]}"#;
        assert!(detect("h.json", of_a_tool).unwrap_err().contains("a config of no dialect"));
        for text in [r#"{"hooks": {}}"#, "hooks: []", "{}", "# nothing"] {
            let error = detect("h", text).unwrap_err();
            let empty = "h:1:1: the config has no hooks: nothing shows its dialect; name one of: everruns, ";
            assert!(error.starts_with(empty), "{error}");
        }
        let error = detect("h", "{\"hooks\": [").unwrap_err();
        assert!(error.starts_with("h:1:11: not a hook config: "), "{error}");
    }
}
