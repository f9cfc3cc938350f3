//! A loaded config ([`HookSet`]): loaded within a bound of memory, shared between sessions, fired event by event. Above the
//! engine and the dialects; below it nothing imports it.

use super::contract::{Bundle, LoadOptions, Loaded, Purpose};
use super::error::{ConfigError, EventError};
use super::event::{self, Event};
use super::fail_closed::FailClosed;
use super::fault_list;
use super::hooks::Hook;
use super::id::HookId;
use super::notice::{Notice, NoticeKind};
use super::outcome::Outcome;
use super::record::{HookRecord, LogRecord, Phase, Selection};
use super::runner::{HookFuture, HookRunner};
use super::version::{ContractVersion, Part};
use super::warning::{self, Warnings};
use super::{background, chain, json, shadow, weight};
use crate::clock::Clock;
use crate::document::Source;
use crate::hook::dialect::list::Dialect;
use crate::hook::dialect::version;
use crate::limit::{Limits, Meter};
use serde_json::Value;
use std::sync::Arc;

/// A loaded, validated config: immutable, shared between sessions, with the compiled scripts of its hooks.
pub struct HookSet {
    pub(super) dialect: Dialect,
    pub(super) contract: ContractVersion,
    pub(super) bundle: Box<dyn Bundle>,
    pub(super) notices: Vec<Notice>,
    pub(super) warnings: Warnings,
    pub(super) shadow: bool,
    pub(super) fail_closed: Option<FailClosed>,
    pub(super) memory: u64,
}

/// Most memory that a config or an event may take, in bytes.
pub(super) const MOST_BYTES: u64 = 256 << 20;

impl HookSet {
    /// Loads a config.
    ///
    /// # Errors
    /// The config cannot be used; with [`Purpose::Save`] also when one of its hooks cannot.
    pub fn load(dialect: Dialect, config: &[u8], options: &LoadOptions) -> Result<Self, ConfigError> {
        let source = Source::new(&options.name, config);
        let limits = Limits { live_bytes: MOST_BYTES, wall_time_ms: u64::MAX, ..Limits::default() };
        let meter = Meter::new(limits, Arc::new(Clock::system()));
        let loaded = {
            let _entered = meter.enter();
            // Settings and contributions are documents too.
            let settings = options.settings.values();
            let contributed = options.contributions.iter().flat_map(|contribution| &contribution.hooks);
            let others = settings.chain(contributed).map(json::text_length);
            let bytes = others.fold(config.len(), usize::saturating_add);
            weight::charge_text(bytes).then(|| Self::load_located(dialect, &source, options))
        };
        match loaded {
            Some(loaded) if meter.failure().is_none() => {
                let set = Self::of(dialect, loaded?, options);
                Ok(Self { memory: meter.usage().peak_live_bytes, ..set })
            }
            _ => Err(source
                .problem(None, format!("the config takes more than {MOST_BYTES} bytes of memory"))
                .into()),
        }
    }

    /// Loads, and tells everything that is noticed or wrong its path in the config.
    pub(super) fn load_located(
        dialect: Dialect,
        source: &Source<'_>,
        options: &LoadOptions,
    ) -> Result<Loaded, ConfigError> {
        let settled = version::settle(dialect, options).map_err(|why| source.problem(None, why))?;
        let mut loaded = (dialect.contract().load)(source, &settled);
        if loaded.as_ref().is_ok_and(|loaded| loaded.notices.has_more()) {
            let message = format!("more than {} of its entries are faulty or doubtful", fault_list::MOST);
            return Err(source.problem(None, message).into());
        }
        if let Ok(Loaded { bundle, notices }) = &loaded {
            let unknown = FailClosed::unknown(&options.fail_closed_hooks, bundle.as_ref(), notices);
            if let Some(id) = unknown {
                return Err(source
                    .problem(None, format!("fail_closed: the config has no hook `{id}`"))
                    .into());
            }
        }
        // What says why there are none is enough.
        let explains = |notice: &Notice| notice.kind != NoticeKind::Warning || notice.problem.place.is_some();
        if let Ok(Loaded { bundle, notices }) = &mut loaded
            && options.purpose == Purpose::Run
            && !source.text.trim_ascii().is_empty()
            && bundle.is_empty()
            && !notices.iter().any(explains)
        {
            let problem = source.problem(Some(0), "the config has no hooks: nothing runs");
            notices.push(Notice::new(NoticeKind::Warning, None, problem));
        }
        let mut problems: Vec<_> = match &mut loaded {
            Ok(loaded) => loaded.notices.iter_mut().map(|notice| &mut notice.problem).collect(),
            Err(error) => error.problems.iter_mut().collect(),
        };
        problems.retain(|problem| problem.place.is_some() && problem.file == source.name);
        // Only a config with faults is read once more.
        if !problems.is_empty()
            && let Ok(tree) = (dialect.contract().tree)(source)
        {
            warning::locate(&tree, problems);
        }
        loaded
    }

    /// Bytes of memory that loading took at most, as far as they were charged: for each byte of the text, of settings
    /// and of contributions what the smallest hooks that can be written in it take, and what its regular expressions take.
    pub const fn memory(&self) -> u64 {
        self.memory
    }

    pub(crate) fn of(dialect: Dialect, loaded: Loaded, options: &LoadOptions) -> Self {
        for notice in loaded.notices.iter() {
            tracing::warn!(target: "hookbox::hook", hook = notice.hook.as_ref().map(HookId::as_str), "{notice}");
        }
        let warnings = Warnings::of(&loaded.notices);
        let closes = options.fail_closed || !options.fail_closed_hooks.is_empty();
        let only = (!options.fail_closed).then_some(&*options.fail_closed_hooks);
        let fail_closed = closes.then(|| FailClosed::of(dialect.contract().events, &loaded.notices, only));
        let Loaded { bundle, notices } = loaded;
        let notices = notices.into_kept();
        let contract = options.contract.unwrap_or_else(|| ContractVersion::newest(dialect));
        Self { dialect, contract, bundle, notices, warnings, shadow: false, fail_closed, memory: 0 }
    }

    /// The same hooks in shadow mode: each firing is one of [`HookSet::fire_shadow`].
    #[must_use]
    pub fn shadow(self) -> Self {
        Self { shadow: true, ..self }
    }

    /// Whether the hooks are only watched.
    pub const fn is_shadow(&self) -> bool {
        self.shadow
    }

    /// Fires an event: runs the hooks that it selects and says what they came to. Nothing happens before the future is
    /// polled; it is boxed, so that a loop which awaits it stays small.
    pub fn fire<'a>(&'a self, host: &'a dyn HookRunner, event: &'a Event) -> HookFuture<'a, Outcome> {
        if self.shadow {
            return self.fire_shadow(host, event);
        }
        chain::fire(self.config(), host, event)
    }

    /// Fires an event and enforces nothing: the hooks run and leave their records, and [`Outcome::shadow`] has what they
    /// would have come to. [`Outcome::decision`] lets everything go on as it is, and what hooks say late is dropped. What
    /// scripts do to the session's files, and what they ask of the host, is done.
    pub fn fire_shadow<'a>(&'a self, host: &'a dyn HookRunner, event: &'a Event) -> HookFuture<'a, Outcome> {
        chain::fire_shadow(self.config(), host, event)
    }

    fn config(&self) -> chain::FiredConfig<'_> {
        let Self { bundle, warnings, fail_closed, .. } = self;
        let events = self.dialect.contract().events;
        chain::FiredConfig { bundle: bundle.as_ref(), events, warnings, fail_closed: fail_closed.as_ref() }
    }

    /// Lets the hooks that nobody waited for run to their end. A host does this beside its own work; else they only go on
    /// while other hooks of the session run. What they say comes to [`HookRunner::deliver_late`].
    pub async fn settle(host: &dyn HookRunner) {
        background::settle(host).await;
    }

    /// The dialect.
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The version of its contract.
    pub const fn contract(&self) -> ContractVersion {
        self.contract
    }

    /// The hooks, in chain order.
    pub fn hooks(&self) -> &[Hook] {
        self.bundle.hooks()
    }

    /// Hooks of an event that its firing does not look at, each with why: those that are off, or of others.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command line explains with it"))]
    pub(crate) fn absent(&self, event: &Event) -> Vec<(HookId, &'static str)> {
        self.bundle.absent(event)
    }

    /// What was noticed while loading: dropped and muted hooks, warnings, what the host must do.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The dialect's log events of a finished record, in their order.
    pub fn log_records(&self, record: &HookRecord) -> Vec<LogRecord> {
        let mut all = Vec::new();
        if record.selection != Selection::NotReached {
            all.extend(self.bundle.log(Phase::Considered, record));
        }
        if record.run.is_some() {
            all.extend(self.bundle.log(Phase::Finished, record));
        }
        if record.shadow {
            all.iter_mut().for_each(shadow::mark);
        }
        all
    }

    /// Reads an event: a payload in the dialect's own shape, or the neutral form (an object with `moment`).
    ///
    /// # Errors
    /// It is neither.
    pub fn read_event(&self, event: &Value) -> Result<Event, EventError> {
        if event.get("moment").is_some() {
            return self.take_event(event.clone());
        }
        admit_event(event)?;
        let name = event.get("hook_event_name").and_then(Value::as_str);
        if let Some(name) = name.filter(|name| self.contract.since(Part::Event, name).is_some()) {
            let events = self.dialect.contract().events.iter().map(|row| row.name);
            let known: Vec<_> =
                events.filter(|name| self.contract.since(Part::Event, name).is_none()).collect();
            return Err(EventError::Unknown { name: name.to_owned(), known: known.join(", ") });
        }
        (self.dialect.contract().read_event)(event)
    }

    /// As [`HookSet::read_event`], of a value that is not needed any more: in the neutral form nothing of it is copied.
    ///
    /// # Errors
    /// Those of [`HookSet::read_event`].
    pub fn take_event(&self, event: Value) -> Result<Event, EventError> {
        if event.get("moment").is_none() {
            return self.read_event(&event);
        }
        admit_event(&event)?;
        event::read_neutral(event).map_err(|error| EventError::Neutral(error.to_string()))
    }
}

impl std::fmt::Debug for HookSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookSet")
            .field("dialect", &self.dialect)
            .field("hooks", &self.hooks())
            .finish_non_exhaustive()
    }
}

/// Refuses an event that takes more memory than a session may.
pub(super) fn admit_event(event: &Value) -> Result<(), EventError> {
    let bytes = json::memory(event);
    if bytes > MOST_BYTES { Err(EventError::TooLarge { bytes, allowed: MOST_BYTES }) } else { Ok(()) }
}
