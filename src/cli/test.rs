//! `hookbox test`: runs the cases of fixtures and shows a readable difference for each failure.
//!
//! A path is a file of cases, a folder `cases`, a fixture, or a folder of fixtures. Cases run on as many threads as the
//! host has processors; each has a session of its own, so their order does not matter, and the report is in file order.
//!
//! Exit status: 0 all passed, 1 a case failed or could not be run.

use super::{CommandFailure, Streams, finish};
use crate::clock::real_monotonic;
use crate::hook::case::{Case, CaseFile, CaseResult, SessionSource, update};
use crate::vfs::fixture::Fixture;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arguments of `hookbox test`.
#[derive(Clone, Debug, clap::Args)]
pub struct TestArguments {
    /// Files of cases, fixtures, or folders of fixtures
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Run only cases whose id, title or name contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
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

struct Loaded {
    path: PathBuf,
    text: String,
    file: CaseFile,
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
    let jobs: Vec<(&Loaded, &Case)> = files
        .iter()
        .flat_map(|loaded| loaded.file.cases.iter().map(move |case| (loaded, case)))
        .filter(|(loaded, case)| is_wanted(arguments.filter.as_deref(), loaded, case))
        .collect();
    if jobs.is_empty() {
        return Err(CommandFailure::Other("no case is there to run".to_owned()));
    }
    let mut results = run_all(&jobs, sessions);
    let updated = if arguments.update { update_files(&files, &jobs, &mut results)? } else { Vec::new() };
    let elapsed = real_monotonic().saturating_sub(started);
    let report = Report { jobs: &jobs, results: &results, updated: &updated, seconds: elapsed.as_secs_f64() };
    let text = if arguments.json { format!("{:#}\n", report.json()) } else { report.text() };
    streams.stdout.write_all(text.as_bytes()).map_err(CommandFailure::Write)?;
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
        for path in case_files(path)? {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path).map_err(CommandFailure::host(name.as_str()))?;
            let file =
                CaseFile::parse(&text).map_err(|error| CommandFailure::Other(format!("{name}: {error}")))?;
            files.push(Loaded { path, text, file });
        }
    }
    Ok(files)
}

fn case_files(path: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut folders = vec![path.to_owned()];
    if path.file_name().is_none_or(|name| name != "cases") {
        folders = if path.join("cases").is_dir() {
            vec![path.join("cases")]
        } else {
            let below = list(path)?.into_iter().map(|folder| folder.join("cases"));
            below.filter(|folder| folder.is_dir()).collect()
        };
    }
    let mut files = Vec::new();
    for folder in folders {
        let is_yaml = |file: &PathBuf| file.extension().is_some_and(|name| name == "yaml" || name == "yml");
        files.extend(list(&folder)?.into_iter().filter(is_yaml));
    }
    Ok(files)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, CommandFailure> {
    let name = folder.display().to_string();
    let items = std::fs::read_dir(folder).map_err(CommandFailure::host(name.as_str()))?;
    let paths: Result<Vec<_>, _> = items.map(|item| item.map(|item| item.path())).collect();
    let mut paths = paths.map_err(CommandFailure::host(name.as_str()))?;
    paths.sort();
    Ok(paths)
}

/// Runs every job; results are in the order of the jobs.
fn run_all(jobs: &[(&Loaded, &Case)], sessions: &dyn SessionSource) -> Vec<Ran> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((loaded, case)) = jobs.get(index) else { return };
                    let result = run_one(loaded, case, sessions);
                    crate::clock::lock(&results).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn run_one(loaded: &Loaded, case: &Case, sessions: &dyn SessionSource) -> Ran {
    let path = std::fs::canonicalize(&loaded.path).map_err(|error| error.to_string())?;
    let own = path.parent().and_then(Path::parent).unwrap_or(&path);
    let fixture = |name: Option<&str>| match name {
        None => Fixture::load(own),
        Some(name) => Fixture::load(&own.parent().unwrap_or(own).join(name)),
    };
    let runtime = super::runtime().map_err(|error| error.to_string())?;
    runtime.block_on(loaded.file.run(case, sessions, &fixture)).map_err(|error| error.to_string())
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
            std::fs::write(&loaded.path, text).map_err(CommandFailure::host(name.as_str()))?;
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
            let (id, title, file) = (&loaded.file.id, &loaded.file.title, loaded.path.display());
            let _ = writeln!(text, "FAIL {id} {title}: {}\n  {file}", case.name);
            match result {
                Ok(result) => {
                    for difference in &result.differences {
                        let _ = write!(text, "  {difference}");
                    }
                }
                Err(why) => {
                    let _ = writeln!(text, "  could not be run: {why}");
                }
            }
            text.push('\n');
        }
        for path in self.updated {
            let _ = writeln!(text, "updated {}", path.display());
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
