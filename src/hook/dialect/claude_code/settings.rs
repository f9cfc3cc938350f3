//! What the host says when a config is loaded: the dialect's settings (see the module's table) and where a file comes from.

use crate::hook::contract::LoadOptions;
use crate::hook::document::Node;
use crate::hook::setting::{Setting, SettingKind, setting};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The table in the module's documentation, for lists and messages.
pub(super) const SETTINGS: &[Setting] = &[
    setting(
        "source",
        SettingKind::Text,
        "user",
        "where the config comes from: `user`, `project`, `local`, `flag`, `managed`, `plugin:NAME`, `skill:NAME`, `agent:NAME`",
    ),
    setting("trusted", SettingKind::Boolean, "true", "whether hooks of project files run (R4)"),
    setting(
        "interactive",
        SettingKind::Boolean,
        "false",
        "whether a person is there; `defer` needs that nobody is (R40)",
    ),
    setting("project_dir", SettingKind::Text, "/workspace", "CLAUDE_PROJECT_DIR"),
    setting("start_dir", SettingKind::Text, "project_dir", "where the session started (R23)"),
    setting(
        "home",
        SettingKind::Text,
        "/home/agent",
        "the home directory, for paths of `if` rules (R14) and R23",
    ),
    setting(
        "transcript_path",
        SettingKind::Text,
        "PROJECT/.claude/transcript.jsonl",
        "for events that do not say it",
    ),
    setting(
        "environment",
        SettingKind::TextMembers,
        "{}",
        "the host's variables: for headers (R25) and CLAUDE_CODE_* switches (R21, R58, 5.3)",
    ),
    setting(
        "plugins",
        SettingKind::Any,
        "{}",
        "by name `{root, data, options}`: folders and options of plug-ins (R20)",
    ),
    setting("max_timeout_seconds", SettingKind::Number, "none", "cap of all timeouts (5.3)"),
];

/// See the table in the module's documentation.
#[derive(Debug)]
pub(super) struct ClaudeSettings {
    pub(super) source: Source,
    pub(super) trusted: bool,
    pub(super) interactive: bool,
    pub(super) project_dir: String,
    pub(super) start_dir: String,
    pub(super) home: String,
    pub(super) transcript_path: String,
    pub(super) environment: FxHashMap<String, String>,
    pub(super) plugins: FxHashMap<String, Plugin>,
    pub(super) longest_timeout: Option<Duration>,
}

/// What the host knows of a plug-in.
#[derive(Debug, Default)]
pub(super) struct Plugin {
    pub(super) root: Option<String>,
    pub(super) data: Option<String>,
    /// Its options, as text.
    pub(super) options: Vec<(String, String)>,
}

/// Where hooks come from (1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
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

impl Source {
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
            _ if last == "plugin.json" => Some(Self::Plugin(name.into())),
            _ if last == "SKILL.md" => Some(Self::Skill(name.into())),
            _ if stem.is_none() => None,
            Some(&"agents") => Some(Self::Agent(name.into())),
            Some(_) => Some(Self::Skill(name.into())),
            None => None,
        }
    }

    /// The text that [`Source::parse`] reads.
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

    /// Which settings file wins where two say the same thing; 0 is no settings file.
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
    /// # Errors
    /// An unknown name, or a value of the wrong type.
    pub(super) fn read(options: &LoadOptions) -> Result<Self, String> {
        let mut all = Self {
            source: Source::User,
            trusted: true,
            interactive: false,
            project_dir: "/workspace".to_owned(),
            start_dir: String::new(),
            home: "/home/agent".to_owned(),
            transcript_path: String::new(),
            environment: FxHashMap::default(),
            plugins: FxHashMap::default(),
            longest_timeout: None,
        };
        for (name, value) in &options.settings {
            all.set(name, value)?;
        }
        if all.start_dir.is_empty() {
            all.start_dir.clone_from(&all.project_dir);
        }
        if all.transcript_path.is_empty() {
            all.transcript_path = format!("{}/.claude/transcript.jsonl", all.project_dir);
        }
        Ok(all)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match name {
            "source" => self.source = Source::parse(&text(name, value)?),
            "trusted" => self.trusted = boolean(name, value)?,
            "interactive" => self.interactive = boolean(name, value)?,
            "project_dir" => self.project_dir = text(name, value)?,
            "start_dir" => self.start_dir = text(name, value)?,
            "home" => self.home = text(name, value)?,
            "transcript_path" => self.transcript_path = text(name, value)?,
            "max_timeout_seconds" => {
                let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
                let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.longest_timeout = Some(time.ok_or_else(|| wrong(name, "a number above 0"))?);
            }
            "environment" => {
                for (variable, value) in object(name, value)? {
                    self.environment.insert(variable.clone(), scalar(&format!("{name}.{variable}"), value)?);
                }
            }
            "plugins" => {
                for (plugin, value) in object(name, value)? {
                    let path = format!("{name}.{plugin}");
                    self.plugins.insert(plugin.clone(), Plugin::read(&path, object(&path, value)?)?);
                }
            }
            _ => {
                let known: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
                return Err(format!("claude-code has no setting `{name}` (known: {})", known.join(", ")));
            }
        }
        Ok(())
    }

    /// A variable of the host's environment.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(String::as_str)
    }

    /// A variable that is a whole number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.variable(name)?.trim().parse().ok()
    }

    pub(super) fn plugin(&self, source: &Source) -> Option<&Plugin> {
        match source {
            Source::Plugin(name) => self.plugins.get(name.as_ref()),
            _ => None,
        }
    }
}

impl Plugin {
    fn read(path: &str, given: &Map<String, Value>) -> Result<Self, String> {
        let mut plugin = Self::default();
        for (name, value) in given {
            let path = format!("{path}.{name}");
            match name.as_str() {
                "root" => plugin.root = Some(text(&path, value)?),
                "data" => plugin.data = Some(text(&path, value)?),
                "options" => {
                    for (key, value) in object(&path, value)? {
                        plugin.options.push((key.clone(), scalar(&format!("{path}.{key}"), value)?));
                    }
                }
                _ => return Err(format!("claude-code has no setting `{path}`")),
            }
        }
        Ok(plugin)
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("setting `{name}` must be {expected}")
}

fn text(name: &str, value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| wrong(name, "a string"))
}

fn boolean(name: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| wrong(name, "true or false"))
}

fn object<'v>(name: &str, value: &'v Value) -> Result<&'v Map<String, Value>, String> {
    value.as_object().ok_or_else(|| wrong(name, "an object"))
}

/// A string, number or boolean, as text.
fn scalar(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(wrong(name, "a string, a number or a boolean")),
    }
}
