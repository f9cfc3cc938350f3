//! Coverage in the format of LCOV (`geninfo`(1)), by line and branch of the files of the host: scripts, and configs that have
//! the text of a script in them. A script in a file of cases has no lines of its own and is left out.

use super::coverage::{Coverage, ScriptCoverage};
use crate::hook::lint::lines_in_config;
use crate::trace::Point;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One file.
#[derive(Default)]
struct Lines {
    /// How often the commands of a line ran: the one that ran most.
    hits: BTreeMap<usize, u64>,
    /// Line, block, branch, and how often it was taken; `None`: nobody came so far.
    branches: Vec<(usize, usize, usize, Option<u64>)>,
    blocks: usize,
}

impl Coverage {
    /// The whole file.
    pub(super) fn lcov(&self) -> String {
        let mut files: BTreeMap<String, Lines> = BTreeMap::new();
        for script in &self.scripts {
            let Some((file, lines)) = script.file.as_ref().zip(script.lines()) else { continue };
            files.entry(file.display().to_string()).or_default().add(script, &lines);
        }
        let mut text = String::new();
        for (name, lines) in files {
            let _ = writeln!(text, "TN:\nSF:{}", name.replace('\n', " "));
            for (line, block, branch, taken) in &lines.branches {
                let taken = taken.map_or_else(|| "-".to_owned(), |taken| taken.to_string());
                let _ = writeln!(text, "BRDA:{line},{block},{branch},{taken}");
            }
            let taken =
                lines.branches.iter().filter(|branch| branch.3.is_some_and(|taken| taken > 0)).count();
            let _ = writeln!(text, "BRF:{}\nBRH:{taken}", lines.branches.len());
            for (line, hits) in &lines.hits {
                let _ = writeln!(text, "DA:{line},{hits}");
            }
            let hit = lines.hits.values().filter(|hits| **hits > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.hits.len());
        }
        text
    }
}

impl ScriptCoverage {
    /// The line of each point in its file.
    fn lines(&self) -> Option<Vec<usize>> {
        let offsets: Vec<u32> = self.points.iter().map(|((at, _), _)| *at).collect();
        match &self.config {
            None => Some(offsets.into_iter().map(|at| self.place(at).0).collect()),
            Some((dialect, config)) => {
                let script = std::str::from_utf8(&self.text).ok()?;
                lines_in_config(*dialect, config.as_bytes(), script, &offsets)
            }
        }
    }
}

impl Lines {
    fn add(&mut self, script: &ScriptCoverage, lines: &[usize]) {
        // All arms of a `case` are branches of one block; a condition is a block of its own.
        let mut arms: Option<(usize, usize)> = None;
        for (((_, point), [yes, no]), line) in script.points.iter().zip(lines) {
            let all = yes.saturating_add(*no);
            match point {
                Point::Command => {
                    let hits = self.hits.entry(*line).or_default();
                    *hits = all.max(*hits);
                }
                Point::Condition => {
                    let seen = |count: u64| (all > 0).then_some(count);
                    self.branches.push((*line, self.blocks, 0, seen(*yes)));
                    self.branches.push((*line, self.blocks, 1, seen(*no)));
                    self.blocks += 1;
                }
                Point::Arm | Point::NoArm => {
                    let (block, next) = arms.unwrap_or((self.blocks, 0));
                    self.branches.push((*line, block, next, Some(all)));
                    if arms.is_none() {
                        self.blocks += 1;
                    }
                    arms = Some((block, next + 1));
                }
            }
        }
    }
}
