//! The report of `hookbox test` for people, and as one JSON document.

use super::place::Loaded;
use super::{Ran, Updated};
use crate::hook::case::{Case, Difference};
use crate::visible;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What came of a run of all cases.
pub(super) struct Report<'a> {
    pub(super) jobs: &'a [(&'a Loaded, &'a Case)],
    pub(super) results: &'a [Ran],
    pub(super) updated: &'a [Updated],
    pub(super) seconds: f64,
}

impl Report<'_> {
    pub(super) fn passed(&self) -> usize {
        self.results.iter().filter(|ran| ran.passed()).count()
    }

    /// Each job with how it went.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Loaded, &Case, &Ran)> {
        self.jobs.iter().zip(self.results).map(|((loaded, case), ran)| (*loaded, *case, ran))
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (loaded, case, ran) in self.all().filter(|(_, _, ran)| !ran.passed()) {
            let (id, title) = (visible::line(&loaded.file.id), visible::line(&loaded.file.title));
            let (name, file) = (visible::line(&case.name), loaded.place_of(case));
            let _ = writeln!(text, "FAIL {id} {title}: {name}\n  {}", visible::line(&file));
            text.push_str(&ran.told());
            text.push('\n');
        }
        for updated in self.updated {
            for (case, differences) in &updated.changes {
                let _ = writeln!(text, "{}", visible::line(case));
                text.push_str(&told(differences));
            }
            let _ = writeln!(text, "updated {}", visible::line(&updated.path.display().to_string()));
        }
        let (passed, broken) = (self.passed(), self.results.iter().filter(|ran| ran.result.is_err()).count());
        let failed = self.jobs.len() - passed - broken;
        let broken = if broken == 0 { String::new() } else { format!(", {broken} could not be run") };
        let _ = writeln!(text, "{passed} passed, {failed} failed{broken} in {:.2} s", self.seconds);
        text
    }

    pub(super) fn json(&self) -> Value {
        let cases = self.all().map(|(loaded, case, ran)| {
            let differences = ran.differences().iter().map(|found| {
                json!({"place": found.place, "key": found.key, "expected": found.expected, "actual": found.actual})
            });
            json!({
                "id": loaded.file.id, "title": loaded.file.title, "name": case.name,
                "file": loaded.path.display().to_string(),
                "passed": ran.passed(),
                "seconds": ran.seconds,
                "differences": differences.collect::<Vec<_>>(),
                "error": ran.result.as_ref().err(),
            })
        });
        let updated: Vec<_> = self.updated.iter().map(|updated| updated.path.display().to_string()).collect();
        json!({
            "passed": self.passed(), "total": self.jobs.len(), "seconds": self.seconds, "updated": updated,
            "cases": cases.collect::<Vec<_>>(),
        })
    }
}

impl Ran {
    pub(in crate::cli) fn passed(&self) -> bool {
        self.result.as_ref().is_ok_and(|result| result.differences.is_empty())
    }

    pub(super) fn differences(&self) -> &[Difference] {
        self.result.as_ref().map_or(&[], |result| result.differences.as_slice())
    }

    /// What is wrong, for people: some lines.
    pub(in crate::cli) fn told(&self) -> String {
        match &self.result {
            Ok(result) => told(&result.differences),
            Err(why) => format!("  could not be run: {}\n", visible::block(why, "    ")),
        }
    }
}

fn told(differences: &[Difference]) -> String {
    differences.iter().map(|difference| format!("  {difference}")).collect::<Vec<_>>().concat()
}
