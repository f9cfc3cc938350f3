//! The config that `hookbox fire` loads: its dialect, what a host would set (`--set`, the flags of docker-agent), and the
//! folder of a plug-in.

use super::CommandFailure;
use super::contract::ContractArguments;
use super::dialect_parser::DialectParser;
use super::plugin::Plugin;
use crate::hook::dialect::docker_agent::append_cli_hook;
use crate::hook::{Dialect, HookSet, LoadOptions, assignment};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Which config is loaded, and how.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConfigArguments {
    /// The hook config; with --plugin-root the plug-in's own when not given
    #[arg(long, value_name = "FILE", required_unless_present_any = ["set", "plugin_root", "contract"])]
    pub hooks: Option<PathBuf>,
    /// The config's dialect; found from its content when not given
    #[arg(long, value_name = "NAME", value_parser = DialectParser)]
    pub dialect: Option<Dialect>,
    /// Its contract.
    #[command(flatten)]
    pub contract: ContractArguments,
    /// Set what a host would set (repeatable); `--set help` lists the dialect's settings
    ///
    /// KEY is a setting of the dialect (`mode=plan`), a member of one (`tools.bash.mode.all.allow=[git .*]`), or a variable of its
    /// environment in capitals (`INFER_TOOLS_BASH_ALLOW_APPEND=jq`). `@FILE` as the value is a file's content.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// claude-code: the folder of a plug-in, copied in; its hooks run as the plug-in's, with `CLAUDE_PLUGIN_ROOT`
    ///
    /// The folder becomes `~/.claude/plugins/NAME`, which is `CLAUDE_PLUGIN_ROOT`. Its hooks are those of `hooks/hooks.json`, `hooks` of
    /// `.claude-plugin/plugin.json`, or --hooks FILE. `--set plugins.NAME.options.KEY=VALUE` are the user's options.
    #[arg(long, value_name = "DIR")]
    pub plugin_root: Option<PathBuf>,
    /// Block what can be blocked wherever a hook gives no clear answer: it crashed, ran out of time, lacked a command, ...
    ///
    /// The record says why.
    #[arg(long)]
    pub fail_closed: bool,
    /// The same for this hook alone, by its id (repeatable)
    #[arg(long, value_name = "ID")]
    pub fail_closed_hook: Vec<String>,
    /// Flags of docker-agent.
    #[command(flatten)]
    pub flags: HookFlags,
}

/// Above them in the help.
const FLAGS: &str = "Flags of docker-agent (each a command, repeatable)";

/// The flags by which docker-agent's command adds hooks.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HookFlags {
    /// Before each call of a tool
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_pre_tool_use: Vec<String>,
    /// After each call of a tool
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_post_tool_use: Vec<String>,
    /// When a session starts
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_session_start: Vec<String>,
    /// When a session ends
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_session_end: Vec<String>,
    /// When the agent waits for its user
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_on_user_input: Vec<String>,
    /// When the model has answered
    #[arg(long, value_name = "COMMAND", help_heading = FLAGS)]
    pub hook_stop: Vec<String>,
}

impl HookFlags {
    /// Event and command, in the order of the table.
    fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let lists = [
            ("pre_tool_use", &self.hook_pre_tool_use),
            ("post_tool_use", &self.hook_post_tool_use),
            ("session_start", &self.hook_session_start),
            ("session_end", &self.hook_session_end),
            ("on_user_input", &self.hook_on_user_input),
            ("stop", &self.hook_stop),
        ];
        lists.into_iter().flat_map(|(event, list)| list.iter().map(move |command| (event, command.as_str())))
    }
}

/// What was loaded.
pub(super) struct LoadedConfig {
    pub(super) hooks: HookSet,
    /// The plug-in whose folder the session needs.
    pub(super) plugin: Option<Plugin>,
}

impl ConfigArguments {
    /// The list of settings, where that is all that is asked for.
    ///
    /// # Errors
    /// The dialect is not clear.
    pub(super) fn help(&self) -> Result<Option<String>, CommandFailure> {
        if let Some(help) = self.contract.help() {
            return Ok(Some(help));
        }
        if !self.set.iter().any(|set| set == "help") {
            return Ok(None);
        }
        if self.dialect.is_some() || self.plugin_root.is_some() || self.hooks.is_some() {
            let text = self.hooks.as_deref().map(super::read_text).transpose()?;
            let dialect = self.dialect(text.as_deref().unwrap_or_default())?;
            return Ok(Some(format!("Settings of {dialect}:\n\n{}", assignment::list(dialect))));
        }
        let mut all = String::new();
        for &dialect in Dialect::ALL {
            let _ = writeln!(all, "Settings of {dialect}:\n\n{}", assignment::list(dialect));
        }
        Ok(Some(all))
    }

    fn name(&self) -> String {
        self.hooks.as_deref().map_or_else(String::new, |path| path.display().to_string())
    }

    fn dialect(&self, text: &[u8]) -> Result<Dialect, CommandFailure> {
        let of_contract = self.contract.version().map(|contract| contract.dialect());
        if let (Some(dialect), Some(of)) = (self.dialect, of_contract)
            && dialect != of
        {
            return Err(CommandFailure::Other(format!(
                "--contract is one of {of}, --dialect says {dialect}"
            )));
        }
        match (self.dialect.or(of_contract), &self.plugin_root) {
            (Some(Dialect::ClaudeCode) | None, Some(_)) => Ok(Dialect::ClaudeCode),
            (Some(dialect), Some(_)) => Err(CommandFailure::Other(format!(
                "--plugin-root is for plug-ins of claude-code, the dialect is {dialect}: name its config with --hooks"
            ))),
            (Some(dialect), None) => Ok(dialect),
            (None, None) => Ok(Dialect::detect(&self.name(), text)?),
        }
    }

    /// Loads the config.
    pub(super) fn load(&self) -> Result<LoadedConfig, CommandFailure> {
        let given = self.hooks.as_deref().map(super::read_text).transpose()?;
        if given.is_none() && self.plugin_root.is_none() {
            return Err(CommandFailure::Other("--hooks FILE is wanted: the config of the hooks (`hookbox init DIALECT` writes one to begin with)".to_owned()));
        }
        let dialect = self.dialect(given.as_deref().unwrap_or_default())?;
        let mut options = LoadOptions {
            name: self.name(),
            fail_closed: self.fail_closed,
            fail_closed_hooks: self.fail_closed_hook.clone(),
            contract: self.contract.version(),
            ..LoadOptions::default()
        };
        apply(dialect, &mut options, &self.set)?;
        for (event, command) in self.flags.all() {
            if dialect != Dialect::DockerAgent {
                let flag = event.replace('_', "-");
                let message = format!(
                    "--hook-{flag} is a flag of docker-agent, the dialect is {dialect}: add the hook to the config"
                );
                return Err(CommandFailure::Other(message));
            }
            append_cli_hook(&mut options, event, command)
                .map_err(|error| CommandFailure::Other(error.to_string()))?;
        }
        let plugin = self.plugin_root.as_deref().map(|folder| Plugin::open(folder, &options)).transpose()?;
        let text = match (&plugin, given) {
            (Some(plugin), given) => plugin.declare(given, &mut options)?,
            (None, given) => given.unwrap_or_default(),
        };
        Ok(LoadedConfig { hooks: HookSet::load(dialect, &text, &options)?, plugin })
    }
}

/// Sets what `KEY=VALUE` say.
pub(super) fn apply(
    dialect: Dialect,
    options: &mut LoadOptions,
    assignments: &[String],
) -> Result<(), CommandFailure> {
    let failure = |message: String| CommandFailure::Other(message);
    for assignment in assignments {
        let Some((key, value)) = assignment.split_once('=') else {
            let message =
                format!("--set {assignment}: KEY=VALUE is wanted; the settings of {dialect} are:\n\n");
            return Err(failure(message + &assignment::list(dialect)));
        };
        let content = value.strip_prefix('@').map(|name| read_utf8(Path::new(name))).transpose()?;
        let value = content.as_deref().unwrap_or(value);
        options.set(dialect, key, value).map_err(|error| match error {
            crate::hook::SettingError::UnknownName { name, .. } => {
                let settings = assignment::list(dialect);
                failure(format!("--set: {dialect} has no setting `{name}`; its settings are:\n\n{settings}"))
            }
            error => failure(format!("--set: {error}")),
        })?;
    }
    Ok(())
}

fn read_utf8(path: &Path) -> Result<String, CommandFailure> {
    String::from_utf8(super::read_text(path)?)
        .map_err(|error| CommandFailure::Other(format!("{}: {}", path.display(), error.utf8_error())))
}
