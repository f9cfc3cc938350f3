//! Writes what came out into a file of cases, in the place of what was expected.
//!
//! The file is edited, not written anew, so that comments and scripts stay as they are: each block `expect:` is found by
//! its indentation and replaced, key for key. Only keys that were expected stay expected.

use super::{CaseFile, CaseResult};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::ops::Range;

/// A file that cannot be updated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// Something in the file looks like an expectation and is none, or the other way round.
    #[error("{found} blocks `expect:` for {wanted} expectations; update it by hand")]
    Blocks {
        /// Lines that begin with `expect:`.
        found: usize,
        /// Expectations of the cases.
        wanted: usize,
    },
}

/// The text of `file` with the results of its cases; `results` are in the order of the cases, `None` for one that was not
/// run and stays.
///
/// # Errors
/// See [`UpdateError`].
pub fn update(text: &str, file: &CaseFile, results: &[Option<CaseResult>]) -> Result<String, UpdateError> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let blocks = blocks(&lines);
    let expectations = expectations(file, results);
    if blocks.len() != expectations.len() {
        return Err(UpdateError::Blocks { found: blocks.len(), wanted: expectations.len() });
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (block, new) in blocks.into_iter().zip(expectations) {
        let Some(new) = new else { continue };
        let kept = lines.get(done..block.lines.start).unwrap_or_default();
        out.extend(kept.iter().copied());
        let indent = " ".repeat(block.indent);
        let _ = writeln!(out, "{}expect:", block.lead);
        for (key, value) in &new {
            let _ = writeln!(out, "{indent}  {key}: {value}");
        }
        done = block.lines.end;
    }
    out.extend(lines.get(done..).unwrap_or_default().iter().copied());
    Ok(out)
}

/// For each expectation in the file's order the new one, or `None` where it stays.
fn expectations(file: &CaseFile, results: &[Option<CaseResult>]) -> Vec<Option<Map<String, Value>>> {
    let mut all = Vec::new();
    for (case, result) in file.cases.iter().zip(results) {
        let first = (!case.expect.is_empty()).then_some((0, &case.expect));
        let offset = usize::from(case.event.is_some());
        let steps = case.steps.iter().enumerate().map(|(index, step)| (index + offset, &step.expect));
        for (index, expected) in first.into_iter().chain(steps.filter(|(_, expected)| !expected.is_empty())) {
            let actual = result.as_ref().and_then(|result| result.actual.get(index));
            all.push(actual.map(|actual| replaced(expected, actual)).filter(|new| new != expected));
        }
    }
    all
}

/// What still holds stays as it was written, with its liberties.
fn replaced(expected: &Map<String, Value>, actual: &Value) -> Map<String, Value> {
    let new = |(key, old): (&String, &Value)| {
        let differs = super::compare::difference("", key, old, actual.get(key)).is_some();
        let value = if differs { actual.get(key).cloned().unwrap_or(Value::Null) } else { old.clone() };
        (key.clone(), value)
    };
    expected.iter().map(new).collect()
}

struct Block {
    lines: Range<usize>,
    /// What stands before `expect:` on its line: blanks, perhaps a dash.
    lead: String,
    /// The column of `expect:`.
    indent: usize,
}

/// Lines of a block are those after its first that are indented deeper, or blank.
fn blocks(lines: &[&str]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((lead, _)) = line.split_once("expect:") else { continue };
        let is_key = lead.chars().all(|character| matches!(character, ' ' | '-'));
        if !is_key || blocks.last().is_some_and(|block| block.lines.contains(&index)) {
            continue;
        }
        let indent = lead.len();
        let deeper = |line: &&&str| {
            let text = line.trim_start_matches(' ');
            text.trim().is_empty() || line.len() - text.len() > indent
        };
        let rest = lines.get(index + 1..).unwrap_or_default();
        let mut length = rest.iter().take_while(deeper).count();
        while length > 0 && rest.get(length - 1).is_some_and(|line| line.trim().is_empty()) {
            length -= 1;
        }
        blocks.push(Block { lines: index..index + 1 + length, lead: lead.to_owned(), indent });
    }
    blocks
}
