//! What a dialect is to the engine.
//!
//! - [`Contract`]: recognises and loads a config, reads an event in the dialect's own shape.
//! - [`Bundle`]: a loaded config, immutable and shared.
//! - [`Chain`]: one firing. It holds what hooks may change on the way (arguments, message, result, verdicts so far) and says,
//!   hook by hook, *select* → *deliver* → *read* → *absorb*, and at the end what it came to.
//!
//! A handler beside the shell (a request, a question to a model) is a variant of [`Handler`](super::hooks::Handler) and, like
//! a script, ends as a [`ScriptOutcome`]: status, output, how it ended.

use super::background::Late;
use super::chain::{Fired, Firing};
use super::decision::{Decision, Reading};
use super::error::{ConfigError, ConfigProblem, EventError};
use super::event::Event;
use super::event_table::EventRow;
use super::fault_list::FaultList;
use super::hooks::{Hook, HookOf};
use super::id::HookId;
use super::matcher::Mismatch;
use super::notice::Notice;
use super::record::{Effect, HookRecord, LogRecord, Phase};
use super::request::Request;
use super::runner::HookFuture;
use super::running::Pace;
use super::script::{Ended, ScriptOutcome};
use super::setting::Setting;
use super::version::{ContractVersion, VersionRow};
use crate::document::{Node, Source};
use crate::hook::dialect::result::DialectResult;
use crate::limit::Limits;
use crate::text::Text;
use crate::utility::Environment;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// What a host has to say when a config is loaded.
///
/// ```
/// use hookbox::hook::{LoadOptions, Purpose};
/// use serde_json::json;
///
/// let options = LoadOptions::new("settings.json")
///     .purpose(Purpose::Save)
///     .fail_closed(true)
///     .setting("project_dir", json!("/workspace"));
/// assert_eq!(options.name, "settings.json");
/// ```
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
    /// What one run may use; `None` is the dialect's profile. A bundle cannot raise it.
    pub limits: Option<Limits>,
    /// Prefix of the variables that carry the payload, for a host's own brand; `None` is the dialect's.
    pub variable_prefix: Option<String>,
    /// Whether what is not a clear answer blocks an event that can be blocked, whatever the dialect and the config say: a hook that
    /// crashed, ran out of time or was ended by a limit, an output that is not read, a command or a file that is missing, a
    /// condition without a value, an entry that was left out of the config. The record and the block say which.
    pub fail_closed: bool,
    /// The same for the hooks with these ids alone. An id that no hook has is an error.
    pub fail_closed_hooks: Vec<String>,
    /// The version of the contract that holds; `None` is the newest. A version sets some of [`LoadOptions::settings`] where the host
    /// does not.
    pub contract: Option<ContractVersion>,
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
            fail_closed: false,
            fail_closed_hooks: Vec::new(),
            contract: None,
            settings: Map::new(),
        }
    }
}

impl LoadOptions {
    /// The defaults, with the config's name in messages.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Says what it is loaded for.
    #[must_use]
    pub fn purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// Says what one run of a hook may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Says whether what is not a clear answer blocks.
    #[must_use]
    pub fn fail_closed(mut self, fails_closed: bool) -> Self {
        self.fail_closed = fails_closed;
        self
    }

    /// Says that whatever is not a clear answer of this hook blocks.
    #[must_use]
    pub fn fail_closed_hook(mut self, id: impl Into<String>) -> Self {
        self.fail_closed_hooks.push(id.into());
        self
    }

    /// Says which version of the contract holds.
    #[must_use]
    pub fn contract(mut self, version: ContractVersion) -> Self {
        self.contract = Some(version);
        self
    }

    /// Sets one of [`LoadOptions::settings`], by its name. [`LoadOptions::set`] takes names and values as texts.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
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
pub(crate) struct Contract {
    /// Whether a config's content shows this dialect.
    pub(crate) recognises: fn(&Node) -> bool,
    /// Loads a config; an error says why it cannot be used for [`LoadOptions::purpose`].
    pub(crate) load: fn(&Source<'_>, &LoadOptions) -> Result<Loaded, ConfigError>,
    /// The config as a tree, for the paths of places; an error where the text is in none of the dialect's languages.
    pub(crate) tree: fn(&Source<'_>) -> Result<Node, ConfigProblem>,
    /// Reads an event from a payload in the dialect's own shape; an error where it is not one.
    pub(crate) read_event: fn(&Value) -> Result<Event, EventError>,
    /// Its events.
    pub(crate) events: &'static [EventRow],
    /// What a host may set when it loads a config.
    pub(crate) settings: &'static [Setting],
    /// Its versions, the oldest first; at least one.
    pub(crate) versions: &'static [VersionRow],
}

/// [`Contract::tree`] of a dialect whose configs are JSON or YAML.
pub(crate) fn json_or_yaml(source: &Source<'_>) -> Result<Node, ConfigProblem> {
    source.json_or_yaml("")
}

/// What loading gives.
pub(crate) struct Loaded {
    /// The hooks.
    pub(crate) bundle: Box<dyn Bundle>,
    /// What was noticed, in order.
    pub(crate) notices: FaultList<Notice>,
}

/// A loaded config of one dialect.
pub(crate) trait Bundle: Send + Sync {
    /// All hooks, in chain order.
    fn hooks(&self) -> &[Hook];

    /// Whether the config brings no hook of its own.
    fn is_empty(&self) -> bool {
        self.hooks().is_empty()
    }

    /// Hooks of the event that its firing does not even look at, each with why. They leave no record; this is for who asks
    /// why his hook did not run.
    fn absent(&self, _: &Event) -> Vec<(HookId, &'static str)> {
        Vec::new()
    }

    /// Opens the chain of the firing's event and lets the engine run it ([`Firing::run`]); `None` when the dialect has no such
    /// event.
    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>>;

    /// The dialect's log events for a record at `phase`.
    fn log(&self, _: Phase, _: &HookRecord) -> Vec<LogRecord> {
        Vec::new()
    }
}

/// One firing, as its dialect sees it. The engine owns each hook's turn: it asks whether the hook is to run, has it delivered,
/// runs it, has its output read and hands the reading over.
pub(crate) trait Chain<'a>: Send {
    /// How often the tree of an output is held at most while an output is read and taken in: the tree itself, and copies of its
    /// parts that a record shows. The hook's run is charged for that before the output is read.
    const TREES: u64 = 2;
    /// What the dialect keeps of a hook.
    type Extra: Sync + 'a;
    /// What reading an output depends on beside the output. It borrows nothing, for a long output is read on another thread.
    type Terms: Send + 'static;
    /// What an output means to this dialect.
    type Answer: Send + 'static;

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
    /// [`Hooks::due`](super::hooks::Hooks::due).
    fn due(&self) -> Option<Vec<usize>> {
        None
    }

    /// Settles, before the first hook is looked at, what does not change during the firing. A config may have thousands of
    /// hooks: a look at the pace after each lets others come first.
    fn prepare(&mut self, _: &mut Pace) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Whether the hook is to run, by its matcher and by what earlier hooks changed.
    ///
    /// # Errors
    /// Why it is not.
    fn select(&mut self, of: HookOf<'a, Self::Extra>) -> Result<(), Mismatch>;

    /// What the hook gets.
    ///
    /// # Errors
    /// It cannot be started; this is how it ended.
    fn deliver(&mut self, of: HookOf<'a, Self::Extra>) -> Result<Delivery, Ended>;

    /// On what reading this hook's output depends, asked for when it has ended.
    fn terms(&self, of: HookOf<'a, Self::Extra>) -> Self::Terms;

    /// What the outcome means. A pure function: everything that looks at each byte of an output is done here.
    fn read(terms: Self::Terms, outcome: &ScriptOutcome) -> Self::Answer;

    /// Takes the meaning in. What the answer holds is moved, not copied: it can be as large as an output.
    fn absorb(
        &mut self,
        of: HookOf<'a, Self::Extra>,
        outcome: &ScriptOutcome,
        answer: Self::Answer,
    ) -> Absorbed;

    /// Blocks the event on behalf of the engine, where the host fails closed; what that does to the hooks after it, or `None`
    /// where the event cannot be blocked. The block of another hook stands.
    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow>;

    /// Why an effect of a hook came to nothing, for what other hooks of the firing said. Asked of each hook that ran beside the
    /// others, when all have answered.
    fn undone(&mut self, _: &HookId, _: &Effect) -> Option<&'static str> {
        None
    }

    /// The dialect's log events about the firing as a whole; asked for once, after the last hook.
    fn logs(&mut self) -> Vec<LogRecord> {
        Vec::new()
    }

    /// What it all came to.
    fn finish(self) -> (Decision, DialectResult);
}

/// How the hooks of an event run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after another; a later one sees what earlier ones changed.
    Sequential,
    /// All together, each with the same payload.
    Parallel,
}

/// What a hook gets beside what is fixed at load.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    /// Variables, all of them; names are unique.
    pub(crate) environment: Environment,
    /// Standard input.
    pub(crate) stdin: Text,
    /// A file of the session that has the bytes of `stdin` while the hook runs.
    pub(crate) payload_file: Option<Text>,
    /// A shorter time than the hook's own, where the chain has a budget.
    pub(crate) timeout: Option<Duration>,
    /// Working directory of this run, before [`Hook::cwd`].
    pub(crate) cwd: Option<Text>,
    /// Prefixes of names of the session's environment that the hook does not see.
    pub(crate) hidden: &'static [&'static [u8]],
    /// What is done with all this.
    pub(crate) work: Work,
}

/// How a hook comes to its outcome.
#[derive(Clone, Debug, Default)]
pub(crate) enum Work {
    /// Its script or program runs ([`Handler`](super::hooks::Handler)).
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
pub(crate) struct Absorbed {
    /// The verdict in the engine's words, for the record.
    pub(crate) reading: Reading,
    /// To the chain, in words.
    pub(crate) effect: Effect,
    /// To the hooks after it; parallel chains do not look.
    pub(crate) flow: Flow,
    /// What to warn of.
    pub(crate) warnings: Vec<String>,
}

/// Whether the chain goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It does.
    Continue,
    /// No further hook runs.
    Stop,
}
