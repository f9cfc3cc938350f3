//! `hookbox test`: runs the cases of fixtures and shows a readable difference for each failure.
//!
//! A path is a file of cases, a folder `cases`, a fixture, or a folder of fixtures. Cases run on as many threads as the
//! host has processors; each has a session of its own, so their order does not matter, and the report is in file order.
//!
//! Exit status: 0 all passed, 1 a case failed or could not be run.

use super::stub::Stub;
use super::{CommandFailure, Streams, finish};
use crate::clock::real_monotonic;
use crate::hook::case::update::update;
use crate::hook::case::{Case, CaseError, CaseFile, CaseResult, SessionSource};
use crate::vfs::fixture::Fixture;
use crate::vfs::fixture::host::{HostFolder, HostKind, MOST_TEXT, kind_named};
use crate::visible;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Names that are looked at in one folder.
const MOST_NAMES: u64 = 100_000;
/// Mode of a file of cases that went away meanwhile.
const NEW_FILE: u32 = 0o644;

/// Arguments of `hookbox test`.
#[derive(Clone, Debug, clap::Args)]
pub struct TestArguments {
    /// Files of cases, fixtures, or folders of fixtures
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Run only cases whose id, title or name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// A command that every session has (repeatable): the script in FILE, or one that does nothing and succeeds
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
    /// Write what came out into the files, in the place of what was expected
    #[arg(long)]
    pub update: bool,
    /// Print the report as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(arguments: &TestArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = test(arguments, sessions, streams);
    finish(result, streams)
}

/// A file of cases on the host.
struct Place {
    folder: Arc<HostFolder>,
    name: OsString,
    /// The folder above: the fixture that the cases lie in.
    fixture: Arc<HostFolder>,
}

struct Loaded {
    path: PathBuf,
    place: Place,
    text: String,
    file: CaseFile,
}

/// What is said of a file that lies in no fixture.
const ASTRAY: &str = "the file lies in no fixture: a file of cases is FIXTURE/cases/NAME.yaml, and beside `cases` lies the session's \
folder `tree` or a `fixture.yaml`, which may be empty (`hookbox init` makes one)";

/// Whether a file of cases that wants the fixture it lies in lies in none.
fn is_astray(place: &Place) -> bool {
    let has = |name: &str| matches!(place.fixture.kind(name), Ok(Some(_)));
    !has("tree") && !has("fixture.yaml")
}

/// A case that was run, or could not be.
type Ran = Result<CaseResult, String>;

fn test(
    arguments: &TestArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    let started = real_monotonic();
    let files = load(&arguments.paths)?;
    if files.is_empty() {
        let message = "no file of cases is there: they are FIXTURE/cases/NAME.yaml; name such a file, a fixture, or a folder of fixtures";
        return Err(CommandFailure::Other(message.to_owned()));
    }
    let jobs: Vec<(&Loaded, &Case)> = files
        .iter()
        .flat_map(|loaded| loaded.file.cases.iter().map(move |case| (loaded, case)))
        .filter(|(loaded, case)| is_wanted(arguments.filter.as_deref(), loaded, case))
        .collect();
    if jobs.is_empty() {
        return Err(CommandFailure::Other("no case is there to run".to_owned()));
    }
    let stubs = Stub::parse_all(&arguments.stub)?;
    let mut results = run_all(&jobs, sessions, &stubs);
    let updated = if arguments.update { update_files(&files, &jobs, &mut results)? } else { Vec::new() };
    let elapsed = real_monotonic().saturating_sub(started);
    let report = Report { jobs: &jobs, results: &results, updated: &updated, seconds: elapsed.as_secs_f64() };
    if arguments.json {
        streams.print_json(&report.json())?;
    } else {
        streams.print(&report.text())?;
    }
    Ok(u8::from(report.passed() < jobs.len()))
}

fn is_wanted(filter: Option<&str>, loaded: &Loaded, case: &Case) -> bool {
    let Some(filter) = filter else { return true };
    let file = &loaded.file;
    format!("{} {}: {}", file.id, file.title, case.name).contains(filter)
        || loaded.path.to_string_lossy().contains(filter)
}

/// Reads all files of cases below the paths, sorted within each path.
fn load(paths: &[PathBuf]) -> Result<Vec<Loaded>, CommandFailure> {
    let mut files = Vec::new();
    for path in paths {
        for place in case_files(path)? {
            let path = place.folder.path(&place.name);
            let name = path.display().to_string();
            let read = place.folder.read(&place.name, MOST_TEXT).and_then(|read| {
                String::from_utf8(read.content)
                    .map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error()))
            });
            let text = read.map_err(CommandFailure::host(name.as_str()))?;
            let file =
                CaseFile::parse(&text).map_err(|error| CommandFailure::Other(format!("{name}: {error}")))?;
            files.push(Loaded { path, place, text, file });
        }
    }
    Ok(files)
}

/// The files of cases that a path stands for. What the user named may be reached through links; what lies in it may not.
fn case_files(path: &Path) -> Result<Vec<Place>, CommandFailure> {
    if kind_named(path) != Some(HostKind::Folder) {
        let folder = HostFolder::open(path.parent().unwrap_or(Path::new(""))).map_err(at(path))?;
        let name = path.file_name().unwrap_or(OsStr::new(".")).to_owned();
        let fixture = Arc::new(folder.above().map_err(at(path))?);
        return Ok(vec![Place { folder: Arc::new(folder), name, fixture }]);
    }
    let folder = HostFolder::open(path).map_err(at(path))?;
    if path.file_name().is_some_and(|name| name == "cases") {
        let fixture = folder.above().map_err(at(path))?;
        return yaml_files(folder, fixture);
    }
    if let Some(cases) = cases_of(&folder)? {
        return yaml_files(cases, folder);
    }
    let mut files = Vec::new();
    for name in folder.names(MOST_NAMES).map_err(at(path))? {
        let below = folder.path(&name);
        // A link to a folder may be meant as a fixture, one to a file not.
        let is_fixture = match folder.kind(&name).map_err(at(&below))? {
            Some(HostKind::Folder) => true,
            Some(HostKind::Link) => kind_named(&below) == Some(HostKind::Folder),
            _ => false,
        };
        if is_fixture {
            let fixture = folder.folder(&name).map_err(at(&below))?;
            if let Some(cases) = cases_of(&fixture)? {
                files.extend(yaml_files(cases, fixture)?);
            }
        }
    }
    Ok(files)
}

/// The folder `cases` of a fixture, if it has one.
fn cases_of(fixture: &HostFolder) -> Result<Option<HostFolder>, CommandFailure> {
    let failed = |cause| at(&fixture.path("cases"))(cause);
    match fixture.kind("cases").map_err(failed)? {
        Some(HostKind::Folder | HostKind::Link) => fixture.folder("cases").map(Some).map_err(failed),
        _ => Ok(None),
    }
}

fn yaml_files(cases: HostFolder, fixture: HostFolder) -> Result<Vec<Place>, CommandFailure> {
    let names = cases.names(MOST_NAMES).map_err(at(cases.own_path()))?;
    let (folder, fixture) = (Arc::new(cases), Arc::new(fixture));
    let is_yaml =
        |name: &OsString| Path::new(name).extension().is_some_and(|end| end == "yaml" || end == "yml");
    let place = |name| Place { folder: Arc::clone(&folder), name, fixture: Arc::clone(&fixture) };
    Ok(names.into_iter().filter(is_yaml).map(place).collect())
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> CommandFailure {
    CommandFailure::host(path.display().to_string())
}

/// Runs every job; results are in the order of the jobs.
fn run_all(jobs: &[(&Loaded, &Case)], sessions: &dyn SessionSource, stubs: &[Stub]) -> Vec<Ran> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((loaded, case)) = jobs.get(index) else { return };
                    let result = run_one(loaded, case, sessions, stubs);
                    crate::clock::lock(&results).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_one(loaded: &Loaded, case: &Case, sessions: &dyn SessionSource, stubs: &[Stub]) -> Ran {
    let own = &loaded.place.fixture;
    let fixture = |name: Option<&str>| {
        let mut fixture = match name {
            None => Fixture::read_own(own),
            Some(name) => Fixture::read_beside(own, name),
        }?;
        // A case's own commands come after these.
        for stub in stubs {
            stub.add(&mut fixture);
        }
        Ok(fixture)
    };
    let runtime = super::runtime().map_err(|error| error.to_string())?;
    let ran = runtime.block_on(loaded.file.run(case, sessions, &fixture));
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
) -> Result<Vec<PathBuf>, CommandFailure> {
    let mut updated = Vec::new();
    for loaded in files {
        let result_of = |case: &Case| {
            let index = jobs.iter().position(|(_, other)| std::ptr::eq(*other, case))?;
            results.get(index)?.as_ref().ok().cloned()
        };
        let own: Vec<_> = loaded.file.cases.iter().map(result_of).collect();
        if own.iter().flatten().all(|result| result.differences.is_empty()) {
            continue;
        }
        let name = loaded.path.display().to_string();
        let text = update(&loaded.text, &loaded.file, &own)
            .map_err(|error| CommandFailure::Other(format!("{name}: {error}")))?;
        if text != loaded.text {
            let Place { folder, name, .. } = &loaded.place;
            folder.replace(name, text.as_bytes(), NEW_FILE).map_err(at(&loaded.path))?;
            updated.push(loaded.path.clone());
        }
    }
    for ((loaded, _), result) in jobs.iter().zip(results.iter_mut()) {
        if let (true, Ok(result)) = (updated.contains(&loaded.path), result) {
            result.differences.retain(|difference| difference.place == "load" || difference.actual.is_none());
        }
    }
    Ok(updated)
}

struct Report<'a> {
    jobs: &'a [(&'a Loaded, &'a Case)],
    results: &'a [Ran],
    updated: &'a [PathBuf],
    seconds: f64,
}

impl Report<'_> {
    fn passed(&self) -> usize {
        self.results.iter().flatten().filter(|result| result.differences.is_empty()).count()
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for ((loaded, case), result) in self.jobs.iter().zip(self.results) {
            if result.as_ref().is_ok_and(|result| result.differences.is_empty()) {
                continue;
            }
            let (id, title) = (visible::line(&loaded.file.id), visible::line(&loaded.file.title));
            let (name, file) = (visible::line(&case.name), loaded.path.display().to_string());
            let _ = writeln!(text, "FAIL {id} {title}: {name}\n  {}", visible::line(&file));
            match result {
                Ok(result) => {
                    for difference in &result.differences {
                        let _ = write!(text, "  {difference}");
                    }
                }
                Err(why) => {
                    let _ = writeln!(text, "  could not be run: {}", visible::block(why, "    "));
                }
            }
            text.push('\n');
        }
        for path in self.updated {
            let _ = writeln!(text, "updated {}", visible::line(&path.display().to_string()));
        }
        let (passed, broken) = (self.passed(), self.results.iter().filter(|result| result.is_err()).count());
        let failed = self.jobs.len() - passed - broken;
        let broken = if broken == 0 { String::new() } else { format!(", {broken} could not be run") };
        let _ = writeln!(text, "{passed} passed, {failed} failed{broken} in {:.2} s", self.seconds);
        text
    }

    fn json(&self) -> Value {
        let cases = self.jobs.iter().zip(self.results).map(|((loaded, case), result)| {
            let differences = result.as_ref().map_or(&[][..], |result| result.differences.as_slice());
            let differences = differences.iter().map(|found| {
                json!({"place": found.place, "key": found.key, "expected": found.expected, "actual": found.actual})
            });
            json!({
                "id": loaded.file.id, "title": loaded.file.title, "name": case.name,
                "file": loaded.path.display().to_string(),
                "passed": result.as_ref().is_ok_and(|result| result.differences.is_empty()),
                "differences": differences.collect::<Vec<_>>(),
                "error": result.as_ref().err(),
            })
        });
        let updated: Vec<_> = self.updated.iter().map(|path| path.display().to_string()).collect();
        json!({
            "passed": self.passed(), "total": self.jobs.len(), "seconds": self.seconds, "updated": updated,
            "cases": cases.collect::<Vec<_>>(),
        })
    }
}
