//! `hookbox fire`: fires one event through the hooks of a config and shows what they decided.
//!
//! Without a fixture the session has the host's clock; with one, its fixed clock. The outcome is JSON on standard output:
//! `proceed`, `decision`, `result`, `notices`, and `late` where hooks that nobody waits for said something; `--json` adds `records`, `log` and `requests`, `--diff` adds `changes`. `--explain`
//! prints it for people instead, or, beside `--json`, on standard error. Without it, what was left out of the config and what
//! hooks lacked is told on standard error too.
//!
//! Exit status: 0 proceed (in shadow mode always), 2 blocked, 1 the run could not be done.

use super::bundle::Bundle;
use super::config::{ConfigArguments, LoadedConfig};
use super::host::HostArguments;
use super::stub::Stub;
use super::{CommandFailure, Streams, finish};
use crate::clock::{Clock, Random};
use crate::document::not_json;
use crate::hook::answer::Asked;
use crate::hook::case::{SessionSetup, SessionSource, change_lines};
use crate::hook::dialect::claude_code::take_late;
use crate::hook::{HookId, HookRecord, HookSet, LateOutput, LogRecord, Notice, Outcome};
use crate::missing::MissingKind;
use crate::vfs::diff;
use crate::vfs::fixture::host::{HostKind, kind_named};
use crate::vfs::fixture::{Fixture, Skipped, seed_anywhere};
use crate::visible;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `hookbox fire`.
#[derive(Clone, Debug, clap::Args)]
pub struct FireArguments {
    /// The config.
    #[command(flatten)]
    pub config: ConfigArguments,
    /// The event: a payload in the dialect's own shape, or our neutral form; - is standard input
    #[arg(long, value_name = "FILE", required_unless_present = "set")]
    pub event: Option<String>,
    /// Copy a folder of the host into the session, to /workspace unless told otherwise (repeatable); `~` is /home/agent there
    #[arg(long, value_name = "HOSTDIR[:VPATH]")]
    pub seed: Vec<String>,
    /// Start from a fixture: a folder, or a name below vfs-fixtures
    #[arg(long, value_name = "NAME|DIR", conflicts_with = "seed")]
    pub fixture: Option<String>,
    /// A command that the session has (repeatable): the script in FILE, or one that does nothing and succeeds
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
    /// Whom it may ask, and who answers.
    #[command(flatten)]
    pub host: HostArguments,
    /// Refuse a config whose bundle is not what `hookbox lock` wrote down; say what changed and what that does
    #[arg(long)]
    pub locked: bool,
    /// Say in which dialect, and for each hook whether it was selected, what ran, what was asked, who answered and which rule decided
    #[arg(long)]
    pub explain: bool,
    /// Shadow mode: run and record everything, enforce nothing; `shadow` in the outcome is what would have been done
    #[arg(long)]
    pub shadow: bool,
    /// Report files added (+), removed (-) and changed (~)
    #[arg(long)]
    pub diff: bool,
    /// Print everything as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(arguments: &FireArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = fire(arguments, sessions, streams);
    finish(result, streams)
}

fn fire(
    arguments: &FireArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    if let Some(help) = arguments.config.help()? {
        streams.print(&help)?;
        return Ok(0);
    }
    let LoadedConfig { hooks, plugin } = arguments.config.load()?;
    look_at_bundle(arguments, sessions, streams)?;
    let hooks = if arguments.shadow { hooks.shadow() } else { hooks };
    let event = read_event(arguments, &hooks, streams)?;
    let mut setup = setup(arguments, sessions, streams)?;
    let host = arguments.host.open()?;
    let answers = Arc::new(host.answers(&setup.files));
    setup.network = host.network;
    setup.hook_host = Some(Arc::clone(&answers) as _);
    if let Some(plugin) = plugin {
        report_skipped(&plugin.seed(&setup.files)?, streams)?;
    }
    let files = Arc::clone(&setup.files);
    let before = files.snapshot();
    let session = sessions.session(setup).map_err(CommandFailure::Other)?;
    let runtime = super::runtime()?;
    let outcome = runtime.block_on(async {
        let outcome = hooks.fire(session.as_ref(), &event).await;
        HookSet::settle(session.as_ref()).await;
        outcome
    });
    let changes = arguments.diff.then(|| change_lines(&diff(&before, &files.snapshot())));
    let asked = answers.take_asked();
    let (absent, late) = (hooks.absent(&event), take_late(session.as_ref()));
    let changes = changes.as_deref();
    let of =
        Explained { hooks: &hooks, outcome: &outcome, absent: &absent, late: &late, asked: &asked, changes };
    let explanation = arguments.explain.then(|| explain(&of));
    let json = || to_json(arguments, &of);
    match explanation {
        Some(text) if arguments.json => {
            streams.print_json(&json())?;
            streams.report(&text)?;
        }
        Some(text) => streams.print(&text)?,
        None => {
            streams.print_json(&json())?;
            for notice in outcome.warnings() {
                streams.report(&format!("hookbox: warning: {}\n", notice.show()))?;
            }
            if arguments.seed.is_empty() && arguments.fixture.is_none() && lacks_a_file(&outcome) {
                let hint = "the session has no files of yours: --seed FOLDER copies the project in";
                streams.report(&format!("hookbox: {hint}\n"))?;
            }
            for asked in asked.iter().filter(|asked| asked.row.is_none() && !asked.live) {
                streams.report(&format!("hookbox: warning: {}\n", show_asked(asked)))?;
            }
        }
    }
    Ok(if outcome.decision.proceeds() { 0 } else { 2 })
}

/// Whether a hook wanted a file that is not there.
fn lacks_a_file(outcome: &Outcome) -> bool {
    let runs = outcome.records.iter().filter_map(|record| record.run.as_ref());
    runs.flat_map(|run| &run.missing).any(|missing| missing.kind == MissingKind::File)
}

/// Holds the config to the lock of its bundle, and runs the bundle's canaries: a guard that does not guard is an error here.
fn look_at_bundle(
    arguments: &FireArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<(), CommandFailure> {
    let Some(config) = arguments.config.hooks.as_deref() else {
        let message = "--locked is about the config of a bundle: --hooks FILE is wanted".to_owned();
        return if arguments.locked { Err(CommandFailure::Other(message)) } else { Ok(()) };
    };
    let stubs = Stub::parse_all(&arguments.stub)?;
    if arguments.locked {
        return super::lock::verify(config, &stubs, sessions);
    }
    let Some(folder) = Bundle::around(config) else { return Ok(()) };
    match Bundle::open(&folder) {
        Ok(bundle) => bundle.canaries(sessions, &stubs),
        // The config is not to blame for a file of cases that is being written.
        Err(failure) => streams.report(&format!("hookbox: warning: canaries not run: {failure}\n")),
    }
}

/// What was asked of the host, in a line.
fn show_asked(asked: &Asked) -> String {
    match asked.row {
        Some(row) => {
            format!("asked {}: answered by row {}", visible::line(&asked.summary), row.saturating_add(1))
        }
        None if asked.live => format!("asked {}: asked live", visible::line(&asked.summary)),
        None => format!("asked {}: nobody answered (--answer FILE can)", visible::line(&asked.summary)),
    }
}

fn read_event(
    arguments: &FireArguments,
    hooks: &HookSet,
    streams: &mut Streams<'_>,
) -> Result<crate::hook::Event, CommandFailure> {
    let (name, text) = match arguments.event.as_deref() {
        None => return Err(CommandFailure::Other("--event FILE is wanted: a payload as the platform sends it (`hookbox schema NAME --kind payload` describes it); - is standard input".to_owned())),
        Some("-") => ("standard input", streams.read_stdin()?),
        Some(name) => (name, super::read_text(Path::new(name))?),
    };
    let wrong = |why: String| CommandFailure::Other(format!("{name}: {why}"));
    let value: Value = serde_json::from_slice(&text).map_err(|error| wrong(not_json(&text, &error)))?;
    hooks.read_event(&value).map_err(|error| {
        let dialect = hooks.dialect();
        wrong(format!("{error}\n  `hookbox schema {dialect} --kind payload` describes what {dialect} sends"))
    })
}

fn setup(
    arguments: &FireArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<SessionSetup, CommandFailure> {
    let stubs = Stub::parse_all(&arguments.stub)?;
    let with_stubs = |mut fixture: Fixture| {
        for stub in &stubs {
            stub.add(&mut fixture);
        }
        fixture
    };
    if let Some(name) = &arguments.fixture {
        let fixture = with_stubs(Fixture::load(&fixture_folder(name))?);
        return Ok(SessionSetup::fixed(&fixture, sessions.base())?);
    }
    let (clock, random) = (Clock::system(), Random::from_host());
    let setup = SessionSetup::new(&with_stubs(Fixture::default()), sessions.base(), clock, random)?;
    for text in &arguments.seed {
        let (folder, path) = split_seed(text);
        let skipped = seed_anywhere(&setup.files, Path::new(folder), path.as_bytes())?;
        report_skipped(&skipped, streams)?;
    }
    Ok(setup)
}

/// Says what a seed left out.
pub(super) fn report_skipped(skipped: &[Skipped], streams: &mut Streams<'_>) -> Result<(), CommandFailure> {
    skipped.iter().try_for_each(|skipped| {
        streams.report(&format!("hookbox: {}\n", visible::line(&skipped.to_string())))
    })
}

/// A folder as it is, a name below `vfs-fixtures`.
pub fn fixture_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(name);
    if kind_named(&folder) == Some(HostKind::Folder) { folder } else { Path::new("vfs-fixtures").join(name) }
}

/// `HOSTDIR[:VPATH]`; the path in the session is absolute, so that a colon in a folder's name does no harm.
pub fn split_seed(text: &str) -> (&str, &str) {
    match text.rsplit_once(':') {
        Some((folder, path)) if path.starts_with('/') && !folder.is_empty() => (folder, path),
        _ => (text, "/workspace"),
    }
}

fn to_json(arguments: &FireArguments, of: &Explained<'_>) -> Value {
    let Explained { hooks, outcome, late, asked, changes, .. } = *of;
    let mut value = outcome.to_json();
    if let Some(object) = value.as_object_mut() {
        if !late.is_empty() {
            object.insert("late".to_owned(), late.iter().map(late_json).collect());
        }
        if arguments.json {
            let of_hooks = outcome.records.iter().flat_map(|record| hooks.log_records(record));
            let logs = of_hooks.chain(outcome.logs.iter().cloned());
            object.insert("log".to_owned(), logs.map(|log: LogRecord| log.to_json()).collect());
            let notices = hooks.notices().iter().chain(&outcome.notices).map(Notice::to_json);
            object.insert("notices".to_owned(), notices.collect());
            let requests = asked.iter().map(|asked| {
                let by = match asked.row {
                    Some(row) => Value::from(row.saturating_add(1)),
                    None if asked.live => Value::from("live"),
                    None => Value::Null,
                };
                serde_json::json!({"request": asked.request, "answered_by": by})
            });
            object.insert("requests".to_owned(), requests.collect());
        } else {
            object.shift_remove("records");
        }
        if let Some(changes) = changes {
            object.insert("changes".to_owned(), changes.into());
        }
    }
    value
}

fn late_json(late: &LateOutput) -> Value {
    let LateOutput { hook, contexts, system_messages, wake } = late;
    serde_json::json!({
        "hook": hook, "contexts": contexts, "system_messages": system_messages, "wakes": wake,
    })
}

/// What a hook said that nobody waited for.
fn explain_late(late: &LateOutput, text: &mut String) {
    let when = if late.wake { "wakes the agent" } else { "on the next turn" };
    let _ = writeln!(text, "{} after the firing, {when}", visible::line(&late.hook));
    for (name, said) in [("context", &late.contexts), ("message", &late.system_messages)] {
        for said in said {
            let _ = writeln!(text, "  {name}   {}", visible::block(said, "            "));
        }
    }
}

/// What came of a firing, for people.
struct Explained<'a> {
    hooks: &'a HookSet,
    outcome: &'a Outcome,
    /// Hooks of the event that were not looked at.
    absent: &'a [(HookId, &'static str)],
    late: &'a [LateOutput],
    asked: &'a [Asked],
    changes: Option<&'a [String]>,
}

fn explain(of: &Explained<'_>) -> String {
    let Explained { hooks, outcome, absent, late, asked, changes } = *of;
    let mut text = format!("dialect {}\n", hooks.dialect());
    for notice in hooks.notices() {
        let _ = writeln!(text, "note: {}", notice.show());
    }
    for record in &outcome.records {
        text.push_str(&HookRecord::explain(record));
    }
    for (hook, why) in absent {
        let _ = writeln!(text, "{}\n  not asked {why}", visible::line(hook.as_str()));
    }
    for late in late {
        explain_late(late, &mut text);
    }
    for asked in asked {
        let _ = writeln!(text, "{}", show_asked(asked));
    }
    let (decision, result) = match &outcome.shadow {
        Some(shadow) => (&shadow.decision, &shadow.dialect_result),
        None => (&outcome.decision, &outcome.dialect_result),
    };
    if result.is_none() {
        let _ = writeln!(text, "{} has no such event: nothing ran", hooks.dialect());
    } else if outcome.records.is_empty() && absent.is_empty() {
        text.push_str("no hook is registered for this event\n");
    }
    for notice in &outcome.notices {
        let _ = writeln!(text, "warning: {}", notice.show());
    }
    if outcome.shadow.is_some() {
        text.push_str("proceed: shadow mode enforces nothing; it would have been:\n");
    }
    match &decision.blocked {
        None => text.push_str("proceed\n"),
        Some(block) => {
            let (hook, reason) = (visible::line(block.hook.as_str()), visible::block(&block.reason, "  "));
            let _ = writeln!(text, "blocked by {hook}: {reason}");
            if let Some(message) = &block.user_message {
                let _ = writeln!(text, "  for the user: {}", visible::block(message, "    "));
            }
        }
    }
    let rewrites = [
        ("arguments", decision.arguments.as_ref().map(|value| value.to_string())),
        ("message", decision.message.as_ref().map(|message| Value::from(message.as_str()).to_string())),
        ("result", decision.result.as_ref().map(|value| value.to_string())),
        ("error", decision.error.as_ref().map(|error| Value::from(error.as_str()).to_string())),
    ];
    for (name, value) in rewrites {
        if let Some(value) = value {
            let _ = writeln!(text, "  {name} now: {value}");
        }
    }
    for change in changes.unwrap_or_default() {
        let _ = writeln!(text, "{}", visible::line(change));
    }
    text
}
