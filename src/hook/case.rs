//! Cases: a config, events and what must come out, in a YAML file. `vfs-fixtures/NAME/cases/*.yaml` are such files, and a
//! test suite of an embedder may bring its own. `hookbox test` runs them.
//!
//! ```
//! use hookbox::hook::case::CaseFile;
//! use hookbox::sandbox::SandboxSource;
//! use hookbox::vfs::fixture::Fixture;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = CaseFile::parse(r#"
//! id: notes
//! hooks: { hooks: [{ event: user_prompt_submit, executor: { type: bash, command: "exit 2" } }] }
//! cases:
//!   - name: exit status 2 blocks the message
//!     event: { event: user_prompt_submit, data: { message: hi } }
//!     expect: { decision: blocked }
//! "#)?;
//! let fixtures = |_: Option<&str>| Ok(Fixture::default());
//! for case in &file.cases {
//!     let result = file.run(case, &SandboxSource, &fixtures).await?;
//!     assert!(result.differences.is_empty(), "{}", result.differences[0]);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`CaseFile`] is parsed once. Each [`Case`] gets a session of its own with a fixed clock and seeded random numbers, from a
//! [`SessionSource`] and the [`Fixture`] that it names. What differs is in [`CaseResult::differences`], empty for a success; a
//! [`CaseError`] is a case that could not be run at all.
//!
//! # The file
//!
//! ```yaml
//! id: EV-8
//! title: prepend_style_note
//! dialect: everruns              # or a version of its contract: docker-agent@manual; the newest without one
//! fixture: empty                 # a fixture beside this one; default: the one these cases lie in
//! hooks: { hooks: [ ... ] }      # the config, or `hooks_text: |` with its bytes, or `hooks_file: hooks.json` of the session
//! options: { purpose: save }     # what the host says when the config is loaded; `shadow: true` enforces nothing,
//!                                # `fail_closed: true` blocks where a hook gives no clear answer, `fail_closed: [ID]` where that one does
//! commands: { cargo: "#!/bin/bash\nexit 0\n" }   # stubs in /usr/local/bin
//! files: { src/a.rs: "..." }     # more files
//! answers:                       # what the host says to requests, see the module `answer`; a case's own come before these
//!   - { kind: model, body: '{"ok":true}' }
//! cases:
//!   - name: a note goes before the message
//!     event: { event: user_prompt_submit, data: { message: hi } }
//!     expect: { decision: proceed, message: "[reminder]\nhi", ran: [ "user:note" ] }
//! ```
//!
//! All but `id` and `cases` may also be set in a case. A case has `event` and `expect`, or `steps` of those, fired one
//! after another in one session, or only `load`. `canary: true` marks a case that is run whenever the config of its bundle is
//! loaded (`hookbox fire`, `check --locked`). What can be expected is in `report.rs`, how values are compared in
//! `compare.rs`.

mod compare;
mod host;
mod report;
pub(crate) mod update;

pub use compare::Difference;
pub(crate) use host::CaseHost;
#[cfg(feature = "cli")]
pub(crate) use report::change_lines;

use super::answer::Answer;
use super::contract::{Contribution, LoadOptions, Purpose};
use super::hook_set::HookSet;
use super::hooks::{Handler, Hook};
use super::runner::{HookHost, HookRunner};
use super::version::ContractVersion;
use crate::clock::{Clock, Random};
use crate::document::from_yaml;
use crate::hook::dialect::list::Dialect;
use crate::limit::{Limit, Limits};
use crate::text::Text;
use crate::trace::Trace;
use crate::vfs::fixture::{Fixture, FixtureError};
use crate::vfs::{Base, FileSystem, Options, path};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file of cases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The example's id, for example `EV-8`.
    pub id: String,
    /// A few words.
    #[serde(default)]
    pub title: String,
    /// For all cases.
    #[serde(default)]
    dialect: Option<String>,
    #[serde(default)]
    fixture: Option<String>,
    #[serde(default)]
    hooks: Option<Value>,
    #[serde(default)]
    hooks_text: Option<String>,
    #[serde(default)]
    hooks_file: Option<String>,
    #[serde(default)]
    options: Option<CaseOptions>,
    #[serde(default)]
    commands: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    answers: Vec<Answer>,
    /// In order.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub name: String,
    #[serde(default)]
    dialect: Option<String>,
    #[serde(default)]
    fixture: Option<String>,
    #[serde(default)]
    hooks: Option<Value>,
    #[serde(default)]
    hooks_text: Option<String>,
    #[serde(default)]
    hooks_file: Option<String>,
    #[serde(default)]
    options: Option<CaseOptions>,
    #[serde(default)]
    commands: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    answers: Vec<Answer>,
    /// Run whenever the config of its bundle is loaded: a guard that must guard.
    #[serde(default)]
    pub canary: bool,
    #[serde(default)]
    load: Map<String, Value>,
    #[serde(default)]
    event: Option<Value>,
    #[serde(default)]
    expect: Map<String, Value>,
    #[serde(default)]
    steps: Vec<CaseStep>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseStep {
    event: Value,
    #[serde(default)]
    expect: Map<String, Value>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CaseOptions {
    purpose: Option<CasePurpose>,
    contributions: Vec<CaseContribution>,
    may_assign_high_risk: Option<bool>,
    declarative_bundles: Option<bool>,
    variable_prefix: Option<String>,
    limits: BTreeMap<String, u64>,
    shadow: bool,
    fail_closed: CaseFailClosed,
    settings: Map<String, Value>,
}

/// For all hooks, or for those with these ids.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum CaseFailClosed {
    All(bool),
    Of(Vec<String>),
}

impl Default for CaseFailClosed {
    fn default() -> Self {
        Self::All(false)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CasePurpose {
    Save,
    Run,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseContribution {
    origin: String,
    hooks: Vec<Value>,
}

/// A case that cannot be run; not the same as one that fails.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The file is not a file of cases; the message has line and column.
    #[error("{0}")]
    Parse(String),
    /// Its fixture.
    #[error(transparent)]
    Fixture(#[from] FixtureError),
    /// Something in it contradicts the rest.
    #[error("{0}")]
    Case(String),
}

/// Where sessions come from.
pub trait SessionSource: Sync {
    /// The tree that sessions start with.
    fn base(&self) -> &Base;

    /// A session.
    ///
    /// # Errors
    /// Why there is none, in a line.
    fn session(&self, setup: SessionSetup) -> Result<Box<dyn HookRunner>, String>;
}

/// Finds a case's fixture; `None` is the one that the cases lie in.
pub type Fixtures<'a> = dyn Fn(Option<&str>) -> Result<Fixture, FixtureError> + Sync + 'a;

/// What a case's session is made of.
#[derive(Clone)]
pub struct SessionSetup {
    /// Its files.
    pub files: Arc<FileSystem>,
    /// Its clock.
    pub clock: Arc<Clock>,
    /// Its random numbers.
    pub random: Arc<Random>,
    /// Login name.
    pub user: Text,
    /// Numeric user id.
    pub uid: u32,
    /// Numeric group id.
    pub gid: u32,
    /// Host name.
    pub host: Text,
    /// Exported variables, sorted.
    pub environment: Vec<(Text, Text)>,
    /// Working directory.
    pub cwd: Text,
    /// Who answers what hooks ask for beside scripts.
    pub hook_host: Option<Arc<dyn HookHost>>,
    /// Who is told what the session's scripts do.
    pub(crate) trace: Option<Arc<Trace>>,
    /// Whom it may ask over the network.
    pub network: Option<crate::network::Network>,
}

impl SessionSetup {
    /// The session that a fixture describes, with its fixed clock and seeded random numbers.
    ///
    /// # Errors
    /// The fixture contradicts itself.
    pub fn fixed(fixture: &Fixture, base: &Base) -> Result<Self, FixtureError> {
        let specification = fixture.specification();
        let random = Random::seeded(specification.seed());
        Self::new(fixture, base, Clock::fixed(specification.clock()), random)
    }

    /// A session with the fixture's files and the given clock and random numbers.
    ///
    /// # Errors
    /// The fixture contradicts itself.
    pub(crate) fn new(
        fixture: &Fixture,
        base: &Base,
        clock: Clock,
        random: Random,
    ) -> Result<Self, FixtureError> {
        let specification = fixture.specification();
        let clock = Arc::new(clock);
        let (name, uid, gid, host) = specification
            .user
            .as_ref()
            .map_or(("agent", 1000, 1000, "hookbox"), |user| (&user.name, user.uid, user.gid, &user.host));
        let options = Options { clock: Arc::clone(&clock), uid, gid, ..Options::default() };
        let pairs = specification.environment.iter();
        Ok(Self {
            files: Arc::new(fixture.file_system(base, options)?),
            clock,
            random: Arc::new(random),
            user: Text::from(name),
            uid,
            gid,
            host: Text::from(host),
            environment: pairs
                .map(|(name, value)| (Text::from(name.as_str()), Text::from(value.as_str())))
                .collect(),
            cwd: Text::from(specification.cwd()),
            hook_host: None,
            trace: None,
            network: None,
        })
    }
}

/// A config as a case gives it: its content, its text, or a file of the session.
#[derive(Clone, Copy)]
struct Given<'a>(&'a Option<Value>, &'a Option<String>, &'a Option<String>);

impl Given<'_> {
    const fn is_given(self) -> bool {
        !matches!(self, Given(None, None, None))
    }

    fn text(&self, files: &FileSystem) -> Result<Option<String>, CaseError> {
        match self {
            Given(None, None, None) => Ok(None),
            Given(Some(hooks), None, None) => Ok(Some(hooks.to_string())),
            Given(None, Some(text), None) => Ok(Some(text.clone())),
            Given(None, None, Some(name)) => {
                let content = files.read(&path::join(b"/workspace", name.as_bytes()));
                let content = content.map_err(|error| CaseError::Case(format!("{name}: {error}")))?;
                Ok(Some(String::from_utf8_lossy(&content).into_owned()))
            }
            _ => Err(CaseError::Case("hooks, hooks_text and hooks_file exclude each other".to_owned())),
        }
    }
}

impl CaseFile {
    /// Reads a file of cases.
    ///
    /// # Errors
    /// With line and column.
    pub fn parse(text: &str) -> Result<Self, CaseError> {
        from_yaml(text).map_err(CaseError::Parse)
    }

    /// Runs one of the file's cases.
    ///
    /// # Errors
    /// It could not be run.
    pub async fn run(
        &self,
        case: &Case,
        sessions: &dyn SessionSource,
        fixtures: &Fixtures<'_>,
    ) -> Result<CaseResult, CaseError> {
        self.run_with(case, sessions, fixtures, &CaseHost::default(), None).await
    }

    /// As [`CaseFile::run`], with what a host adds; `trace` is told what the scripts do.
    pub(crate) async fn run_with(
        &self,
        case: &Case,
        sessions: &dyn SessionSource,
        fixtures: &Fixtures<'_>,
        host: &CaseHost,
        trace: Option<Arc<Trace>>,
    ) -> Result<CaseResult, CaseError> {
        let mut result = CaseResult::default();
        let mut setup = SessionSetup::fixed(&self.fixture(case, fixtures)?, sessions.base())?;
        setup.trace = trace;
        setup.network.clone_from(&host.network);
        let (contract, config) = self.config(case, &setup.files)?;
        let contract = host.contract(contract);
        let dialect = contract.dialect();
        let options = self.load_options(case)?.contract(contract);
        let loaded = HookSet::load(dialect, config.as_bytes(), &options);
        result.compare("load", &case.load, &report::of_load(&loaded));
        let hooks = match loaded {
            Ok(hooks) => hooks,
            Err(_) if case.load.contains_key("error") => return Ok(result),
            Err(error) => return Err(CaseError::Case(error.to_string())),
        };
        let shadow = case.options.as_ref().or(self.options.as_ref()).is_some_and(|options| options.shadow);
        let hooks = if shadow { hooks.shadow() } else { hooks };
        let answers = Arc::new(host.answers(case.answers.iter().chain(&self.answers), &setup.files));
        setup.hook_host = Some(Arc::clone(&answers) as _);
        let files = Arc::clone(&setup.files);
        let before = files.snapshot();
        let place = self.place_of_config(case);
        let mut seen = SeenConfig { dialect, text: config, place, hooks: SeenHook::all(&hooks) };
        let session = sessions.session(setup).map_err(CaseError::Case)?;
        let first = case.event.as_ref().map(|event| (event, &case.expect));
        let steps = first.into_iter().chain(case.steps.iter().map(|step| (&step.event, &step.expect)));
        for (index, (event, expected)) in steps.enumerate() {
            let event = hooks.read_event(event).map_err(|error| CaseError::Case(error.to_string()))?;
            let outcome = hooks.fire(session.as_ref(), &event).await;
            HookSet::settle(session.as_ref()).await;
            for record in outcome.records.iter().filter(|record| record.run.is_some()) {
                if let Some(hook) = seen.hooks.get_mut(record.index) {
                    hook.ran = true;
                }
            }
            let mut actual = report::of_step(&hooks, &event, &outcome, (&files, &before), expected);
            let asked = answers.take_asked();
            result.asked.extend(asked.iter().map(|asked| asked.summary.clone()));
            actual["requests"] = asked.into_iter().map(|asked| asked.request).collect();
            let place =
                if case.steps.is_empty() { "expect".to_owned() } else { format!("step {}", index + 1) };
            result.compare(&place, expected, &actual);
            result.actual.push(actual);
        }
        result.seen = Some(seen);
        Ok(result)
    }

    fn place_of_config(&self, case: &Case) -> ConfigPlace {
        let own = Given(&case.hooks, &case.hooks_text, &case.hooks_file);
        let of_all = Given(&self.hooks, &self.hooks_text, &self.hooks_file);
        let in_file = if own.is_given() { own } else { of_all };
        let fixture = case.fixture.as_ref().or(self.fixture.as_ref()).cloned();
        match in_file {
            Given(_, _, Some(name)) => ConfigPlace::Session { name: name.clone(), fixture },
            _ if own.is_given() => ConfigPlace::Case,
            _ => ConfigPlace::CaseFile,
        }
    }

    fn config(&self, case: &Case, files: &FileSystem) -> Result<(ContractVersion, String), CaseError> {
        let own = Given(&case.hooks, &case.hooks_text, &case.hooks_file).text(files)?;
        let text = match own {
            Some(text) => text,
            None => Given(&self.hooks, &self.hooks_text, &self.hooks_file)
                .text(files)?
                .ok_or_else(|| CaseError::Case("no hooks".to_owned()))?,
        };
        let contract = match case.dialect.as_ref().or(self.dialect.as_ref()) {
            Some(name) => name.parse().map_err(|error| CaseError::Case(format!("{error}")))?,
            None => Dialect::detect("hooks", text.as_bytes())
                .map(ContractVersion::newest)
                .map_err(|error| CaseError::Case(error.to_string()))?,
        };
        Ok((contract, text))
    }

    fn load_options(&self, case: &Case) -> Result<LoadOptions, CaseError> {
        let mut options = LoadOptions::default();
        let Some(given) = case.options.as_ref().or(self.options.as_ref()) else { return Ok(options) };
        options.purpose = match given.purpose {
            Some(CasePurpose::Save) => Purpose::Save,
            Some(CasePurpose::Run) | None => Purpose::Run,
        };
        let contribution = |given: &CaseContribution| Contribution {
            origin: given.origin.clone(),
            hooks: given.hooks.clone(),
        };
        options.contributions = given.contributions.iter().map(contribution).collect();
        options.may_assign_high_risk = given.may_assign_high_risk.unwrap_or(options.may_assign_high_risk);
        options.declarative_bundles = given.declarative_bundles.unwrap_or(options.declarative_bundles);
        options.variable_prefix.clone_from(&given.variable_prefix);
        match &given.fail_closed {
            CaseFailClosed::Of(ids) => options.fail_closed_hooks.clone_from(ids),
            CaseFailClosed::All(all) => options.fail_closed = *all,
        }
        options.settings.clone_from(&given.settings);
        if !given.limits.is_empty() {
            let mut limits = Limits::everruns();
            for (name, value) in &given.limits {
                let limit = Limit::from_name(name);
                let limit =
                    limit.ok_or_else(|| CaseError::Case(format!("limits: no limit is named `{name}`")))?;
                limits.set(limit, *value);
            }
            options.limits = Some(limits);
        }
        Ok(options)
    }

    fn fixture(&self, case: &Case, fixtures: &Fixtures<'_>) -> Result<Fixture, CaseError> {
        let mut fixture = fixtures(case.fixture.as_deref().or(self.fixture.as_deref()))?;
        for (name, script) in self.commands.iter().chain(&case.commands) {
            fixture.add_file(&path::join(b"/usr/local/bin", name.as_bytes()), script.as_bytes(), 0o755);
        }
        for (name, text) in self.files.iter().chain(&case.files) {
            fixture.add_file(&path::join(b"/workspace", name.as_bytes()), text.as_bytes(), 0o644);
        }
        Ok(fixture)
    }
}

/// How a case went.
#[derive(Clone, Debug, Default)]
pub struct CaseResult {
    /// What was not as expected; empty is a success.
    pub differences: Vec<Difference>,
    /// For each step, all that could have been expected.
    pub(crate) actual: Vec<Value>,
    /// The config, once it was loaded.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
    pub(crate) seen: Option<SeenConfig>,
    /// What was asked of the host, each in a few words.
    #[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
    pub(crate) asked: Vec<String>,
}

/// Where a case's config stands.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfigPlace {
    /// In the case itself.
    Case,
    /// In the file of cases.
    CaseFile,
    /// In a file of the session; `fixture` is the name of the fixture that it comes from, where it is not the cases' own.
    Session { name: String, fixture: Option<String> },
}

/// A config that a case has loaded.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
#[derive(Clone, Debug)]
pub(crate) struct SeenConfig {
    pub(crate) dialect: Dialect,
    pub(crate) text: String,
    pub(crate) place: ConfigPlace,
    pub(crate) hooks: Vec<SeenHook>,
}

/// A hook of such a config.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
#[derive(Clone, Debug)]
pub(crate) struct SeenHook {
    pub(crate) id: String,
    pub(crate) event: &'static str,
    /// Its script, where it has one.
    pub(crate) script: Option<Vec<u8>>,
    /// Whether the case ran it.
    pub(crate) ran: bool,
}

impl SeenHook {
    fn all(hooks: &HookSet) -> Vec<Self> {
        let of = |hook: &Hook| Self {
            id: hook.id.to_string(),
            event: hook.event,
            script: match &hook.handler {
                Handler::Script { script, .. } => Some(script.source().to_vec()),
                _ => None,
            },
            ran: false,
        };
        hooks.hooks().iter().map(of).collect()
    }
}

impl CaseResult {
    fn compare(&mut self, place: &str, expected: &Map<String, Value>, actual: &Value) {
        for (key, expected) in expected {
            self.differences.extend(compare::difference(place, key, expected, actual.get(key)));
        }
    }
}

#[cfg(test)]
mod tests;
