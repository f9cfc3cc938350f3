//! `tests/hostile/known_failures.txt`: what fails today, a line `CRITERION ROW` for each failure. Any other failure fails the
//! test, and lines that hold no longer are named. With `MEASURE_UPDATE` set, the lines of what was run are written anew.

use std::collections::BTreeSet;
use std::path::PathBuf;

/// What can be wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Criterion {
    /// The process died or hung, or the run ended otherwise than wanted.
    End,
    /// The heap's peak is above what was charged for.
    Heap,
    /// The session keeps too much after the run.
    Kept,
    /// One poll, or the start or drop of the run, took too long.
    Poll,
    /// Loading a config took too long.
    Load,
    /// The run ended too long after its time limit.
    Late,
    /// Two runs of a deterministic sandbox gave different results.
    Differs,
    /// A task beside the run waited too long.
    Wait,
}

impl Criterion {
    const fn name(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Heap => "heap",
            Self::Kept => "kept",
            Self::Poll => "poll",
            Self::Load => "load",
            Self::Late => "late",
            Self::Differs => "differs",
            Self::Wait => "wait",
        }
    }
}

/// One thing that is wrong.
pub(crate) struct Failure {
    pub(crate) criterion: Criterion,
    pub(crate) row: String,
    pub(crate) detail: String,
}

impl Failure {
    fn line(&self) -> String {
        format!("{} {}", self.criterion.name(), self.row)
    }
}

/// The list.
pub(crate) struct Known {
    lines: BTreeSet<String>,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/known_failures.txt")
}

impl Known {
    pub(crate) fn load() -> Self {
        let text = std::fs::read_to_string(file()).unwrap_or_default();
        Self { lines: text.lines().map(str::to_owned).collect() }
    }

    /// Whether the list has any failure of these criteria for the row.
    pub(crate) fn has(&self, criterion: Criterion, row: &str) -> bool {
        self.lines.contains(&format!("{} {row}", criterion.name()))
    }

    /// Those that are not in the list, in lines to show. `rows` were run and judged by `criteria`.
    pub(crate) fn unknown(&self, criteria: &[Criterion], rows: &[&str], failures: &[Failure]) -> Vec<String> {
        let failing: BTreeSet<String> = failures.iter().map(Failure::line).collect();
        let judged: BTreeSet<String> = rows
            .iter()
            .flat_map(|row| criteria.iter().map(move |criterion| format!("{} {row}", criterion.name())))
            .collect();
        if std::env::var_os("MEASURE_UPDATE").is_some() {
            let lines: BTreeSet<&String> = self.lines.difference(&judged).chain(&failing).collect();
            let text: Vec<&str> = lines.into_iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            std::fs::write(file(), text.concat()).expect("the list of known failures");
            return Vec::new();
        }
        // What takes long, or dies, in a release build may end in time in another.
        if !cfg!(debug_assertions) {
            for line in self.lines.iter().filter(|line| judged.contains(*line) && !failing.contains(*line)) {
                println!("passes now, take it off tests/hostile/known_failures.txt: {line}");
            }
        }
        failures
            .iter()
            .filter(|failure| !self.lines.contains(&failure.line()))
            .map(|failure| format!("{}: {}", failure.line(), failure.detail))
            .collect()
    }
}
