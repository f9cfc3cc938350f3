//! Dialects: the contracts of the agent systems whose hooks run here. Each is one file (or folder) that implements three
//! traits; everything else is the engine's.
//!
//! - [`Contract`]: recognises and loads a config, reads an event in the dialect's own shape.
//! - [`Bundle`]: a loaded config, immutable and shared; which hooks an event has, how records look.
//! - [`Chain`]: one firing. Holds what hooks may change on the way (arguments, message, result, verdicts so far) and says,
//!   hook by hook, *select* → *deliver* → *read* → *absorb*, and at the end what it came to.
//!
//! How the six fit, so that none needs another engine:
//!
//! | | config | select | deliver | order | absorb |
//! |---|---|---|---|---|---|
//! | everruns | JSON, three shapes | name and argument tests on the arguments so far | variables, file, stdin | sequence | first block stops; arguments merge |
//! | docker-agent | YAML, event map | anchored expression; equal hooks dropped in `open` | stdin, session's variables | rewrite events in sequence, others parallel | never stops; folded in `finish`; failure denies by event |
//! | claude-code | JSON, groups | exact list or expression, `if` rule | stdin, placeholders, env file | parallel | never stops; precedence in `finish`; one shared time budget by `Delivery::timeout` |
//! | agentao | JSON, flat rules | glob, aliases | stdin | sequence | stops on deny, refusal or forced turn |
//! | infer | YAML list | allow-list gate is a mismatch with a hint | stdin; streams merged, excess dropped | sequence | nothing changes |
//! | goclaw | records | expression, CEL; breaker and depth in `open` | stdin, allow-listed variables | sequence, or parallel where it can not block | fail-closed; chain budget by `Delivery::timeout` |
//!
//! A handler beside the shell (a request, a question to a model) is a variant of [`Handler`] and, like a script, ends as a
//! [`ScriptOutcome`]: status, output, how it ended. A moment that a dialect does not know opens no chain.

pub mod agentao;
pub mod claude_code;
pub mod docker_agent;
mod due;
pub mod everruns;
pub mod goclaw;
pub mod infer;
mod settings;

pub use super::background::Late;
use super::decision::{Decision, DialectResult, Reading};
use super::document::{Node, Source};
use super::error::{ConfigError, ConfigProblem, EventError};
use super::event::Event;
use super::matcher::Mismatch;
pub use super::notice::{Notice, NoticeKind};
use super::record::{Effect, HookId, HookRecord, LogRecord, Phase};
use super::request::Request;
use super::runner::{Capture, Ended, HookIdentity, HookRunner, Script, ScriptOutcome, Shell};
use crate::environment::Environment;
use crate::limit::Limits;
use crate::text::Text;
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// An agent system whose hooks run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Everruns user hooks.
    Everruns,
    /// docker-agent hooks.
    DockerAgent,
    /// Claude Code settings and plug-in hooks.
    ClaudeCode,
    /// Agentao plug-in hooks.
    Agentao,
    /// inference-gateway CLI command hooks.
    Infer,
    /// GoClaw hooks.
    Goclaw,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &'static [Self] =
        &[Self::Everruns, Self::DockerAgent, Self::ClaudeCode, Self::Agentao, Self::Infer, Self::Goclaw];

    /// Its id, as files and options spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Everruns => "everruns",
            Self::DockerAgent => "docker-agent",
            Self::ClaudeCode => "claude-code",
            Self::Agentao => "agentao",
            Self::Infer => "infer",
            Self::Goclaw => "goclaw",
        }
    }

    /// Its contract.
    pub const fn contract(self) -> &'static dyn Contract {
        match self {
            Self::Everruns => &everruns::Everruns,
            Self::DockerAgent => &docker_agent::DockerAgent,
            Self::ClaudeCode => &claude_code::ClaudeCode,
            Self::Agentao => &agentao::Agentao,
            Self::Infer => &infer::Infer,
            Self::Goclaw => &goclaw::Goclaw,
        }
    }

    /// The dialect that a config's content, JSON or YAML, shows (`dialects/README.md` 6).
    ///
    /// # Errors
    /// The text is neither JSON nor YAML, or no dialect or more than one fits; the message lists the candidates.
    pub fn detect(name: &str, text: &[u8]) -> Result<Self, ConfigError> {
        let source = Source::new(name, text);
        let node = source.json_or_yaml("not a hook config: ")?;
        let fitting: Vec<_> =
            Self::ALL.iter().filter(|dialect| dialect.contract().recognises(&node)).copied().collect();
        if let [dialect] = fitting.as_slice() {
            return Ok(*dialect);
        }
        let candidates = if fitting.is_empty() { Self::ALL } else { fitting.as_slice() };
        let names: Vec<_> = candidates.iter().map(|dialect| dialect.name()).collect();
        let message = format!("the dialect is not clear from the content; name one of: {}", names.join(", "));
        Err(source.problem(node.at, message).into())
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;
    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let known = Self::ALL.iter().copied().find(|dialect| dialect.name() == name);
        known.ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// No dialect has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown dialect `{0}` (known: {known})", known = Dialect::ALL.iter().map(|dialect| dialect.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownDialect(String);

/// What a host has to say when a config is loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The config's name in messages, usually its file name.
    pub name: String,
    /// What it is loaded for.
    pub purpose: Purpose,
    /// Hooks that other parts of the agent ship, in resolved order.
    pub contributions: Vec<Contribution>,
    /// Whether who assigns the config may assign what is of high risk.
    pub may_assign_high_risk: bool,
    /// Whether hooks of a declarative bundle (`{"definition": ...}`) are taken or ignored with a notice.
    pub declarative_bundles: bool,
    /// What one run may use; `None` is the dialect's profile. A bundle can not raise it.
    pub limits: Option<Limits>,
    /// Prefix of the variables that carry the payload, for a host's own brand; `None` is the dialect's.
    pub variable_prefix: Option<String>,
    /// The dialect's named switches and what it asks of its host (folders, editions, allow-lists), by the names that the
    /// dialect's module documents. An unknown name is an error.
    pub settings: Map<String, Value>,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            name: "hooks".to_owned(),
            purpose: Purpose::Run,
            contributions: Vec::new(),
            may_assign_high_risk: true,
            declarative_bundles: true,
            limits: None,
            variable_prefix: None,
            settings: Map::new(),
        }
    }
}

/// What a config is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be checked before it is saved: every fault is an error.
    Save,
    /// To run: a faulty hook is dropped with a warning, the others run.
    Run,
}

/// Hooks that come with a part of the agent and not from the user's config.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The part's id (a capability, a plug-in).
    pub origin: String,
    /// Its hook specs, in the dialect's shape.
    pub hooks: Vec<Value>,
}

/// A dialect: how its configs and events are read.
pub trait Contract: Send + Sync {
    /// Whether the content shows this dialect.
    fn recognises(&self, config: &Node) -> bool;

    /// Loads a config.
    ///
    /// # Errors
    /// The config can not be used for [`LoadOptions::purpose`].
    fn load(&self, source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError>;

    /// The config as a tree, for the paths of places.
    ///
    /// # Errors
    /// The text is neither JSON nor YAML.
    fn tree(&self, source: &Source<'_>) -> Result<Node, ConfigProblem> {
        source.json_or_yaml("")
    }

    /// Reads an event from a payload in the dialect's own shape.
    ///
    /// # Errors
    /// It is not one of the dialect's payloads.
    fn read_event(&self, payload: &Value) -> Result<Event, EventError>;
}

/// What loading gives.
pub struct Loaded {
    /// The hooks.
    pub bundle: Box<dyn Bundle>,
    /// What was noticed, in order.
    pub notices: Vec<Notice>,
}

/// A loaded config of one dialect.
pub trait Bundle: Send + Sync {
    /// All hooks, in chain order.
    fn hooks(&self) -> &[Hook];

    /// Whether the config brings no hook of its own.
    fn is_empty(&self) -> bool {
        self.hooks().is_empty()
    }

    /// The hook at `index`.
    fn hook(&self, index: usize) -> Option<&Hook> {
        self.hooks().get(index)
    }

    /// Indexes of the hooks of an event, in chain order.
    fn due(&self, event: &str) -> &[usize];

    /// What the dialect does not read of an object that a script printed on an event of this name, a line each. Asked for hooks
    /// that stopped nothing only.
    fn unread(&self, event: &str, output: &Map<String, Value>) -> Vec<String> {
        let _ = (event, output);
        Vec::new()
    }

    /// Starts a firing; `None` when the dialect has no such event. `now` is the event's time since the Unix epoch.
    fn open<'a>(
        &'a self,
        event: &'a Event,
        now: Duration,
        host: &'a dyn HookRunner,
    ) -> Option<Box<dyn Chain + 'a>>;

    /// The dialect's log events for a record at `phase`.
    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord>;
}

/// One firing.
pub trait Chain: Send {
    /// The event's name in the dialect.
    fn event_name(&self) -> &'static str;

    /// What records call the hooks of this firing, where that is not their ids.
    fn label(&self) -> Option<Arc<str>> {
        None
    }

    /// How the hooks run.
    fn order(&self) -> Order {
        Order::Sequential
    }

    /// The hooks of this firing, where more than the event's name tells (tenants, hooks that are off); `None` is
    /// [`Bundle::due`].
    fn due(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether the hook is to run, by its matcher and by what earlier hooks changed.
    ///
    /// # Errors
    /// Why it is not.
    fn select(&mut self, hook: usize) -> Result<(), Mismatch>;

    /// What the hook gets.
    ///
    /// # Errors
    /// It can not be started; this is how it ended.
    fn deliver(&mut self, hook: usize, host: &dyn HookRunner) -> Result<Delivery, Ended>;

    /// What the outcome means.
    fn read(&self, hook: usize, outcome: &ScriptOutcome) -> Reading;

    /// Takes the meaning in.
    fn absorb(&mut self, hook: usize, reading: &Reading) -> Absorbed;

    /// The dialect's log events about the firing as a whole; asked for once, after the last hook.
    fn logs(&mut self) -> Vec<LogRecord> {
        Vec::new()
    }

    /// What it all came to.
    fn finish(self: Box<Self>) -> (Decision, DialectResult);
}

/// How the hooks of an event run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One after another; a later one sees what earlier ones changed.
    Sequential,
    /// All together, each with the same payload.
    Parallel,
}

/// What a hook gets beside what is fixed at load.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Variables, all of them; names are unique.
    pub environment: Environment,
    /// Standard input.
    pub stdin: Text,
    /// A file of the session that has the bytes of `stdin` while the hook runs.
    pub payload_file: Option<Text>,
    /// A shorter time than the hook's own, where the chain has a budget.
    pub timeout: Option<Duration>,
    /// Working directory of this run, before [`Hook::cwd`].
    pub cwd: Option<Text>,
    /// Prefixes of names of the session's environment that the hook does not see.
    pub hidden: &'static [&'static [u8]],
    /// What is done with all this.
    pub work: Work,
}

/// How a hook comes to its outcome.
#[derive(Clone, Debug, Default)]
pub enum Work {
    /// Its [`Handler::Script`] or [`Handler::Program`] runs.
    #[default]
    Run,
    /// The same, but nobody waits: the chain reads an empty success, and what came of it is said to [`Late`].
    Start(Late),
    /// The host is asked.
    Ask(Request),
    /// The outcome is known already: a built-in, a cached answer.
    Known(Box<ScriptOutcome>),
}

/// What a verdict did.
#[derive(Clone, Debug)]
pub struct Absorbed {
    /// To the chain, in words.
    pub effect: Effect,
    /// To the hooks after it; parallel chains do not look.
    pub flow: Flow,
    /// What to warn of.
    pub warning: Option<String>,
}

/// Whether the chain goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// No further hook runs.
    Stop,
}

/// A hook, as far as all dialects agree.
#[derive(Debug)]
pub struct Hook {
    /// Its resolved name.
    pub id: HookId,
    /// The event, by its name in the dialect.
    pub event: &'static str,
    /// What it runs.
    pub handler: Handler,
    /// Wall time of one run.
    pub timeout: Duration,
    /// The other bounds of one run.
    pub limits: Limits,
    /// How much of its output is kept.
    pub capture: Capture,
    /// Working directory; `None` is the session's.
    pub cwd: Option<Text>,
    /// Whether the session's environment is below the hook's.
    pub inherit_environment: bool,
    /// User and host names; `None` is the session's.
    pub identity: Option<HookIdentity>,
    /// For display.
    pub description: Option<String>,
}

/// What a hook runs.
#[derive(Debug)]
#[non_exhaustive]
pub enum Handler {
    /// A script in the built-in shell.
    Script {
        /// Its text, and its compiled form once there is one.
        script: Script,
        /// Which shell.
        shell: Shell,
    },
    /// A program by name or path, without a shell between.
    Program {
        /// Name or path.
        name: Text,
        /// Without the name.
        arguments: Vec<Text>,
    },
    /// A request, a question to a model, a tool, a built-in: [`Delivery::work`] has it, made when the event is known. The
    /// text is the dialect's word for it.
    Other(&'static str),
}
