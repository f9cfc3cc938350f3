//! What the host says when a config is loaded: the dialect's settings, and where a file comes from.

use crate::document::Node;
use crate::hook::contract::LoadOptions;
use crate::hook::setting::{SettingKind, SettingValue, settings};
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

settings! {
    /// What a host set.
    pub(super) struct ClaudeSettings {
        source: HookSource = HookSource::User, "user",
            "where the config comes from: `user`, `project`, `local`, `flag`, `managed`, `plugin:NAME`, `skill:NAME`, `agent:NAME`; contributions say so by their origin";
        trusted: bool = true, "true", "whether hooks of project files run (R4)";
        interactive: bool = false, "false", "whether a person is there; `defer` needs that nobody is (R40)";
        project_dir: String = "/workspace".to_owned(), "/workspace", "CLAUDE_PROJECT_DIR";
        start_dir: String = String::new(), "project_dir", "where the session started (R23)";
        home: String = "/home/agent".to_owned(), "/home/agent", "the home directory, for paths of `if` rules (R14) and R23";
        transcript_path: String = String::new(), "PROJECT/.claude/transcript.jsonl", "for events that do not say it";
        environment: Environment = Environment::default(), "{}",
            "the host's variables: for headers (R25), `CLAUDE_CODE_REMOTE`, `CLAUDE_CODE_BRIDGE_SESSION_ID`, `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` (R58), `CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS` (5.3)";
        plugins: Plugins = Plugins::default(), "{}", "by name `{root, data, options}`: folders and options of plug-ins (R20)";
        max_timeout_seconds: LongestTimeout = LongestTimeout(None), "none", "cap of all timeouts (5.3)";
    }
}

/// Variables of the host.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment(FxHashMap<String, String>);

impl SettingValue for Environment {
    const KIND: SettingKind = SettingKind::TextMembers;
    fn read(value: &Value) -> Option<Self> {
        scalars(value).map(Self)
    }
}

/// What the host knows of plug-ins, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Plugins(FxHashMap<String, Plugin>);

impl SettingValue for Plugins {
    const KIND: SettingKind = SettingKind::Any;
    fn read(value: &Value) -> Option<Self> {
        let all = value.as_object()?.iter();
        all.map(|(name, given)| Some((name.clone(), Plugin::read(given)?))).collect::<Option<_>>().map(Self)
    }
    fn expected() -> String {
        "an object of `{root, data, options}`, of which the first are texts".to_owned()
    }
}

/// The longest time of a handler, where there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongestTimeout(pub(super) Option<Duration>);

impl SettingValue for LongestTimeout {
    const KIND: SettingKind = SettingKind::Number;
    fn read(value: &Value) -> Option<Self> {
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0)?;
        Duration::try_from_secs_f64(seconds).ok().map(|time| Self(Some(time)))
    }
    fn expected() -> String {
        "a number above 0".to_owned()
    }
}

impl SettingValue for HookSource {
    const KIND: SettingKind = SettingKind::Text;
    fn read(value: &Value) -> Option<Self> {
        value.as_str().map(Self::parse)
    }
}

/// What the host knows of a plug-in.
#[derive(Clone, Debug, Default)]
pub(super) struct Plugin {
    pub(super) root: Option<String>,
    pub(super) data: Option<String>,
    /// Its options, as text.
    pub(super) options: Vec<(String, String)>,
}

/// Where hooks come from (1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HookSource {
    User,
    Project,
    Local,
    /// Given when the agent was started.
    Flag,
    Managed,
    Plugin(Arc<str>),
    Skill(Arc<str>),
    /// A subagent's frontmatter.
    Agent(Arc<str>),
}

/// Whether a file has a name and hooks in other files, as only the manifest of a plug-in does.
fn names_files(content: &Node) -> bool {
    let hooks =
        content.get("hooks").filter(|_| content.get("name").is_some_and(|name| name.as_str().is_some()));
    let parts = hooks.map(|hooks| hooks.as_array().unwrap_or(std::slice::from_ref(hooks)));
    parts.is_some_and(|parts| parts.iter().any(|part| part.as_str().is_some()))
}

impl HookSource {
    /// `user`, `project`, `local`, `flag`, `managed`, `plugin:NAME`, `skill:NAME`, `agent:NAME`; any other text is the name
    /// of a plug-in.
    pub(super) fn parse(text: &str) -> Self {
        match text {
            "user" => Self::User,
            "project" => Self::Project,
            "local" => Self::Local,
            "flag" => Self::Flag,
            "managed" => Self::Managed,
            _ => match text.split_once(':') {
                Some(("skill", name)) => Self::Skill(name.into()),
                Some(("agent", name)) => Self::Agent(name.into()),
                Some(("plugin", name)) => Self::Plugin(name.into()),
                _ => Self::Plugin(text.into()),
            },
        }
    }

    /// What the name of a file tells: the manifest of a plug-in, a skill or command, a subagent. Their own name is in the
    /// file, else it is the file's, or its folder's.
    pub(super) fn of_file(file: &str, content: &Node) -> Option<Self> {
        let mut steps = file.rsplit('/');
        let last = steps.next()?;
        let folders: Vec<_> = steps.collect();
        let stem = match last {
            "SKILL.md" => folders.first().copied(),
            _ => last.strip_suffix(".md"),
        };
        let own = content.get("name").and_then(Node::as_str);
        let name = own.or(stem).unwrap_or_default();
        match folders.iter().find(|folder| ["skills", "commands", "agents"].contains(folder)) {
            _ if last == "plugin.json" || names_files(content) => Some(Self::Plugin(name.into())),
            _ if last == "SKILL.md" => Some(Self::Skill(name.into())),
            _ if stem.is_none() => None,
            Some(&"agents") => Some(Self::Agent(name.into())),
            Some(_) => Some(Self::Skill(name.into())),
            None => None,
        }
    }

    /// The text that [`HookSource::parse`] reads.
    pub(super) fn name(&self) -> String {
        match self {
            Self::User => "user".to_owned(),
            Self::Project => "project".to_owned(),
            Self::Local => "local".to_owned(),
            Self::Flag => "flag".to_owned(),
            Self::Managed => "managed".to_owned(),
            Self::Plugin(name) => format!("plugin:{name}"),
            Self::Skill(name) => format!("skill:{name}"),
            Self::Agent(name) => format!("agent:{name}"),
        }
    }

    /// As the record `hook_registered` has it. The contract has no word for frontmatter.
    pub(super) const fn record_name(&self) -> &'static str {
        match self {
            Self::User => "userSettings",
            Self::Project => "projectSettings",
            Self::Local => "localSettings",
            Self::Flag => "flagSettings",
            Self::Managed => "policySettings",
            Self::Plugin(_) => "pluginHook",
            Self::Skill(_) | Self::Agent(_) => "frontmatter",
        }
    }

    /// A settings file, in contrast to what comes with a plug-in, a skill or an agent.
    pub(super) const fn is_settings(&self) -> bool {
        self.rank() > 0
    }

    /// Which settings file wins where two say the same thing; 0 is not a settings file.
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::User => 1,
            Self::Project => 2,
            Self::Local => 3,
            Self::Flag => 4,
            Self::Managed => 5,
            Self::Plugin(_) | Self::Skill(_) | Self::Agent(_) => 0,
        }
    }
}

impl ClaudeSettings {
    /// With what follows from the other settings.
    ///
    /// # Errors
    /// An unknown name, or a value of the wrong type.
    pub(super) fn of(options: &LoadOptions) -> Result<Self, String> {
        let mut all = Self::read(&options.settings)?;
        if all.start_dir.is_empty() {
            all.start_dir.clone_from(&all.project_dir);
        }
        if all.transcript_path.is_empty() {
            all.transcript_path = format!("{}/.claude/transcript.jsonl", all.project_dir);
        }
        Ok(all)
    }

    /// A variable of the host's environment.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.0.get(name).map(String::as_str)
    }

    /// A variable that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.variable(name)?.trim().parse().ok()
    }

    pub(super) fn plugin(&self, source: &HookSource) -> Option<&Plugin> {
        match source {
            HookSource::Plugin(name) => self.plugins.0.get(name.as_ref()),
            _ => None,
        }
    }
}

impl Plugin {
    fn read(given: &Value) -> Option<Self> {
        let mut plugin = Self::default();
        for (name, value) in given.as_object()? {
            match name.as_str() {
                "root" => plugin.root = Some(value.as_str()?.to_owned()),
                "data" => plugin.data = Some(value.as_str()?.to_owned()),
                "options" => plugin.options = scalars(value)?,
                _ => return None,
            }
        }
        Some(plugin)
    }
}

/// An object of strings, numbers and booleans, as texts.
fn scalars<C: FromIterator<(String, String)>>(value: &Value) -> Option<C> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    value.as_object()?.iter().map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}
