//! `hookbox test`: runs the cases of fixtures and shows a readable difference for each failure.
//!
//! A path is a file of cases, a folder `cases`, a fixture, or a folder of fixtures. Cases run on as many threads as the
//! host has processors; each has a session of its own, so their order does not matter, and the report is in file order.
//!
//! 1. `place.rs` finds and reads the files of cases.
//! 2. `run_all` runs the cases; with `--update` the files are edited.
//! 3. `report.rs` tells how it went; `ci.rs` tells it in the formats of others, `coverage.rs` what no case came to.
//!
//! Exit status: 0 all passed, 1 a case failed or could not be run.

mod ci;
mod coverage;
mod lcov;
mod place;
mod report;
mod watch;

pub(in crate::cli) use place::{Loaded, load};

use super::contract::ContractArguments;
use super::host::HostArguments;
use super::stub::Stub;
use super::{CommandFailure, Streams, finish};
use crate::clock::real_monotonic;
use crate::hook::case::update;
use crate::hook::case::{Case, CaseError, CaseHost, CaseResult, Difference, SessionSource};
use crate::trace::{Noted, Trace};
use crate::vfs::fixture::Fixture;
use crate::vfs::fixture::host::write_named;
use coverage::Coverage;
use place::{ASTRAY, Place, at, is_astray};
use report::Report;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Mode of a file of cases that went away meanwhile.
const NEW_FILE: u32 = 0o644;

/// Arguments of `hookbox test`.
#[derive(Clone, Debug, clap::Args)]
pub struct TestArguments {
    /// Files of cases, fixtures, or folders of fixtures
    #[arg(required_unless_present = "contract", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The contract.
    #[command(flatten)]
    pub contract: ContractArguments,
    /// Whom sessions may ask, and who answers what neither a case nor its file answers.
    #[command(flatten)]
    pub host: HostArguments,
    /// Run only cases whose id, title or name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// A command that every session has (repeatable): the script in FILE, or one that does nothing and succeeds
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
    /// Write what came out into the files, in the place of what was expected, and show what changed
    #[arg(long)]
    pub update: bool,
    /// Cases that run at the same time; as many as the host has processors when not given
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Run again whenever one of the files changes, until interrupted
    #[arg(long, conflicts_with_all = ["update", "json", "tap"])]
    pub watch: bool,
    /// Tell which hooks no case ran, and which commands and branches of their scripts no case took
    #[arg(long, conflicts_with = "tap")]
    pub coverage: bool,
    /// Write the coverage of scripts to FILE, for tools that read LCOV
    #[arg(long, value_name = "FILE")]
    pub lcov: Option<PathBuf>,
    /// Write the report to FILE as `JUnit` XML, too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print the report in the Test Anything Protocol
    #[arg(long, conflicts_with = "json")]
    pub tap: bool,
    /// Print the report as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(arguments: &TestArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = if arguments.watch {
        watch::watch(arguments, sessions, streams)
    } else {
        test(arguments, sessions, streams)
    };
    finish(result, streams)
}

/// A case that was run, or could not be.
pub(in crate::cli) struct Ran {
    /// How it went, or why it could not be run.
    pub(in crate::cli) result: Result<CaseResult, String>,
    /// How long it took.
    seconds: f64,
    /// What its scripts did, where that was wanted.
    pub(in crate::cli) noted: Noted,
}

/// A file that was updated, with what changed in which case.
struct Updated {
    path: PathBuf,
    changes: Vec<(String, Vec<Difference>)>,
}

fn test(
    arguments: &TestArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    if let Some(help) = arguments.contract.help() {
        streams.print(&help)?;
        return Ok(0);
    }
    let started = real_monotonic();
    let files = load(&arguments.paths)?;
    if files.is_empty() {
        let message = "no file of cases is there: they are FIXTURE/cases/NAME.yaml; name such a file, a fixture, or a folder of fixtures";
        return Err(CommandFailure::Other(message.to_owned()));
    }
    let jobs: Vec<(&Loaded, &Case)> = jobs_of(&files)
        .into_iter()
        .filter(|(loaded, case)| is_wanted(arguments.filter.as_deref(), loaded, case))
        .collect();
    if jobs.is_empty() {
        let message = match &arguments.filter {
            Some(filter) => format!(
                "no case has `{filter}` in its id, title, name or path: --filter TEXT wants a part of one"
            ),
            None => "the files have no cases: `cases:` is a list of them".to_owned(),
        };
        return Err(CommandFailure::Other(message));
    }
    let host = arguments.host.open()?.for_cases(arguments.contract.version());
    let stubs = Stub::parse_all(&arguments.stub)?;
    let given = Given { stubs: &stubs, host: &host };
    let traces = arguments.coverage || arguments.lcov.is_some();
    let mut results = run_all(&jobs, sessions, given, arguments.jobs, traces);
    let coverage = traces.then(|| Coverage::of(&jobs, &mut results));
    let updated = if arguments.update { update_files(&files, &jobs, &mut results)? } else { Vec::new() };
    let elapsed = real_monotonic().saturating_sub(started);
    let report = Report { jobs: &jobs, results: &results, updated: &updated, seconds: elapsed.as_secs_f64() };
    let write = |path: &PathBuf, text: String| write_named(path, text.as_bytes()).map_err(at(path));
    if let Some(path) = &arguments.junit {
        write(path, report.junit())?;
    }
    if let (Some(path), Some(coverage)) = (&arguments.lcov, &coverage) {
        write(path, coverage.lcov())?;
    }
    let shown = coverage.filter(|_| arguments.coverage);
    if arguments.json {
        let mut document = report.json();
        if let Some(coverage) = shown {
            document["coverage"] = coverage.json();
        }
        streams.print_json(&document)?;
    } else if arguments.tap {
        streams.print(&report.tap())?;
    } else {
        streams.print(&report.text())?;
        if let Some(coverage) = shown {
            streams.print(&coverage.text())?;
        }
    }
    Ok(u8::from(report.passed() < jobs.len()))
}

fn is_wanted(filter: Option<&str>, loaded: &Loaded, case: &Case) -> bool {
    let Some(filter) = filter else { return true };
    let file = &loaded.file;
    format!("{} {}: {}", file.id, file.title, case.name).contains(filter)
        || loaded.path.to_string_lossy().contains(filter)
}

/// All cases of the files, in order.
pub(in crate::cli) fn jobs_of(files: &[Loaded]) -> Vec<(&Loaded, &Case)> {
    files.iter().flat_map(|loaded| loaded.file.cases.iter().map(move |case| (loaded, case))).collect()
}

/// What every case is given beside its own.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Given<'a> {
    pub(in crate::cli) stubs: &'a [Stub],
    pub(in crate::cli) host: &'a CaseHost,
}

/// Runs every job; results are in the order of the jobs. `traces`: what scripts do is noted.
pub(in crate::cli) fn run_all(
    jobs: &[(&Loaded, &Case)],
    sessions: &dyn SessionSource,
    given: Given<'_>,
    threads: Option<u16>,
    traces: bool,
) -> Vec<Ran> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.map_or_else(processors, usize::from).min(jobs.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((loaded, case)) = jobs.get(index) else { return };
                    let started = real_monotonic();
                    let trace = traces.then(Arc::<Trace>::default);
                    let result = run_one(loaded, case, sessions, given, trace.clone());
                    let seconds = real_monotonic().saturating_sub(started).as_secs_f64();
                    let noted = trace.map(|trace| trace.take()).unwrap_or_default();
                    crate::clock::lock(&results).push((index, Ran { result, seconds, noted }));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_one(
    loaded: &Loaded,
    case: &Case,
    sessions: &dyn SessionSource,
    given: Given<'_>,
    trace: Option<Arc<Trace>>,
) -> Result<CaseResult, String> {
    let own = &loaded.place.fixture;
    let fixture = |name: Option<&str>| {
        let mut fixture = match name {
            None => Fixture::read_own(own),
            Some(name) => Fixture::read_beside(own, name),
        }?;
        // A case's own commands come after these.
        for stub in given.stubs {
            stub.add(&mut fixture);
        }
        Ok(fixture)
    };
    let runtime = super::runtime().map_err(|error| error.to_string())?;
    let ran = runtime.block_on(loaded.file.run_with(case, sessions, &fixture, given.host, trace));
    ran.map_err(|error| match error {
        CaseError::Fixture(_) if is_astray(&loaded.place) => ASTRAY.to_owned(),
        error => error.to_string(),
    })
}

/// Updates the files of failed cases; what the update mends counts as passed.
fn update_files(
    files: &[Loaded],
    jobs: &[(&Loaded, &Case)],
    results: &mut [Ran],
) -> Result<Vec<Updated>, CommandFailure> {
    let mut updated: Vec<Updated> = Vec::new();
    for loaded in files {
        let result_of = |case: &Case| {
            let index = jobs.iter().position(|(_, other)| std::ptr::eq(*other, case))?;
            results.get(index)?.result.as_ref().ok().cloned()
        };
        let own: Vec<_> = loaded.file.cases.iter().map(result_of).collect();
        if own.iter().flatten().all(|result| result.differences.is_empty()) {
            continue;
        }
        let name = loaded.path.display().to_string();
        let text = update::update(&loaded.text, &loaded.file, &own)
            .map_err(|error| CommandFailure::Other(format!("{name}: {error}")))?;
        if text != loaded.text {
            let Place { folder, name, .. } = &loaded.place;
            folder.replace(name, text.as_bytes(), NEW_FILE).map_err(at(&loaded.path))?;
            updated.push(Updated { path: loaded.path.clone(), changes: Vec::new() });
        }
    }
    for ((loaded, case), ran) in jobs.iter().zip(results.iter_mut()) {
        let file = updated.iter_mut().find(|updated| updated.path == loaded.path);
        if let (Some(file), Ok(result)) = (file, &mut ran.result) {
            let stays = |found: &Difference| found.place == "load" || found.actual.is_none();
            let (left, mended) = std::mem::take(&mut result.differences).into_iter().partition(stays);
            result.differences = left;
            if !mended.is_empty() {
                file.changes.push((format!("{}: {}", loaded.file.id, case.name), mended));
            }
        }
    }
    Ok(updated)
}
