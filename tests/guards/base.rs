//! Where the faults begin: every case of `vfs-fixtures/` in which a hook stops something, with its config, its event, its files
//! and what its host answers.

use hookbox::hook::answer::Answers;
use hookbox::hook::case::{SessionSetup, SessionSource as _};
use hookbox::hook::{
    ContractVersion, Dialect, HookFuture, HookRunner, HookSet, LoadOptions, Outcome, ScriptOutcome,
    ScriptRequest, SessionState,
};
use hookbox::internal::document::Source;
use hookbox::sandbox::SandboxSource;
use hookbox::text::Text;
use hookbox::vfs::FsError;
use hookbox::vfs::fixture::Fixture;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A case in which the hooks do what they are for.
pub(crate) struct Base {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    pub(crate) contract: ContractVersion,
    pub(crate) config: Value,
    pub(crate) event: Value,
    settings: Map<String, Value>,
    answers: Vec<Value>,
    fixture: Fixture,
}

/// How a config and an event went.
pub(crate) enum Ran {
    Refused(hookbox::hook::ConfigError),
    NoEvent,
    Fired(Box<Outcome>),
}

impl Base {
    /// The hooks that do their work: in a dialect that stops nothing those that run, else the one that blocks.
    pub(crate) fn guards(&self, outcome: &Outcome) -> bool {
        match self.dialect {
            Dialect::Infer => outcome.records.iter().any(|record| record.run.is_some()),
            _ => !outcome.decision.proceeds(),
        }
    }

    /// Whether all its hooks are scripts and programs.
    pub(crate) fn is_scripted(&self) -> bool {
        self.answers.is_empty() && !self.config.to_string().contains("builtin")
    }

    pub(crate) fn load(&self, config: &str) -> Result<HookSet, hookbox::hook::ConfigError> {
        let mut options = LoadOptions::default().contract(self.contract);
        options.settings.clone_from(&self.settings);
        HookSet::load(self.dialect, config.as_bytes(), &options)
    }

    /// Fires the event at this config instead.
    pub(crate) fn fire(&self, config: &str) -> Ran {
        let mut setup = SessionSetup::fixed(&self.fixture, SandboxSource.base()).unwrap();
        let answers = Answers::parse(&Value::Array(self.answers.clone()).to_string()).unwrap();
        setup.hook_host = Some(Arc::new(answers));
        let session = SandboxSource.session(setup).unwrap();
        self.fire_in(config, session.as_ref())
    }

    pub(crate) fn fire_in(&self, config: &str, session: &dyn HookRunner) -> Ran {
        let hooks = match self.load(config) {
            Ok(hooks) => hooks,
            Err(error) => return Ran::Refused(error),
        };
        let Ok(event) = hooks.read_event(&self.event) else { return Ran::NoEvent };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Ran::Fired(Box::new(runtime.block_on(hooks.fire(session, &event))))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures")
}

/// The config of a case, whichever way it is given; `None` is one that is not whole.
fn config(dialect: Dialect, fixture: &Fixture, file: &Value, case: &Value) -> Option<Value> {
    let given = ["hooks", "hooks_text", "hooks_file"];
    let from = [case, file].into_iter().find(|from| given.iter().any(|name| !from[*name].is_null()))?;
    if !from["hooks"].is_null() {
        return Some(from["hooks"].clone());
    }
    let text = match from["hooks_file"].as_str() {
        None => from["hooks_text"].as_str()?.to_owned(),
        Some(name) => {
            let files = SessionSetup::fixed(fixture, SandboxSource.base()).unwrap().files;
            let content = files.read(format!("/workspace/{name}").as_bytes()).unwrap();
            String::from_utf8_lossy(&content).into_owned()
        }
    };
    match dialect {
        Dialect::DockerAgent | Dialect::Infer => {
            Some(Source::new("", text.as_bytes()).yaml("").ok()?.to_value())
        }
        _ => serde_json::from_str(&text).ok(),
    }
}

/// A member of a case, else of its file.
fn own<'v>(case: &'v Value, file: &'v Value, name: &str) -> &'v Value {
    if case[name].is_null() { &file[name] } else { &case[name] }
}

fn base(folder: &Path, file: &Value, case: &Value) -> Option<Base> {
    let expected = &case["expect"];
    let contract: ContractVersion = own(case, file, "dialect").as_str()?.parse().unwrap();
    let dialect = contract.dialect();
    let runs = expected["ran"].as_array().is_some_and(|ran| !ran.is_empty());
    if expected["decision"] != "blocked" && !(dialect == Dialect::Infer && runs) {
        return None;
    }
    let options = own(case, file, "options").as_object();
    let is_plain = options.is_none_or(|options| options.keys().all(|name| name == "settings"));
    let mut fixture = match own(case, file, "fixture").as_str() {
        Some(name) => Fixture::load_beside(folder, name).unwrap(),
        None => Fixture::load(folder).unwrap(),
    };
    for (from, to, mode) in [("commands", "/usr/local/bin", 0o755), ("files", "/workspace", 0o644)] {
        for given in [file, case] {
            for (name, text) in given[from].as_object().into_iter().flatten() {
                let path = format!("{to}/{name}");
                fixture.add_file(path.as_bytes(), text.as_str().unwrap().as_bytes(), mode);
            }
        }
    }
    let config = config(dialect, &fixture, file, case)?;
    if !is_plain {
        return None;
    }
    let answers = [&case["answers"], &file["answers"]];
    Some(Base {
        name: format!("{} {}", file["id"].as_str().unwrap(), case["name"].as_str().unwrap()),
        dialect,
        contract,
        config,
        event: case["event"].clone(),
        settings: options
            .and_then(|options| options.get("settings")?.as_object().cloned())
            .unwrap_or_default(),
        answers: answers.into_iter().filter_map(Value::as_array).flatten().cloned().collect(),
        fixture,
    })
}

/// All of a dialect, each config and event once.
pub(crate) fn all(dialect: Dialect) -> Vec<Base> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    let folder = folder().join(dialect.name());
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("cases")).unwrap().map(|item| item.unwrap().path()).collect();
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = Source::new("", text.as_bytes()).yaml("").unwrap().to_value();
        for case in file["cases"].as_array().unwrap() {
            let Some(base) = base(&folder, &file, case) else { continue };
            if seen.insert(format!("{} {}", base.config, base.event)) {
                all.push(base);
            }
        }
    }
    all
}

/// A session in which every script prints the same, and ends with 0.
pub(crate) struct Printing {
    text: String,
    state: SessionState,
}

impl Printing {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), state: SessionState::default() }
    }
}

impl HookRunner for Printing {
    fn run<'a>(&'a self, _: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
        Box::pin(std::future::ready(ScriptOutcome::exited(0, self.text.as_str(), "")))
    }

    fn write_file(&self, _: &[u8], _: &Text) -> Result<(), FsError> {
        Ok(())
    }

    fn remove_file(&self, _: &[u8]) -> Result<(), FsError> {
        Ok(())
    }

    fn now(&self) -> Duration {
        Duration::from_secs(1_779_971_696)
    }

    fn random_u64(&self) -> u64 {
        7
    }

    fn state(&self) -> &SessionState {
        &self.state
    }
}
