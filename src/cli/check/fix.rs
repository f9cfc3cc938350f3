//! `--fix`: writes what mends a finding, where there is one safe answer. A file is replaced as a whole, keeps its permissions,
//! and a link in its place is left alone.

use crate::cli::CommandFailure;
use crate::hook::lint::{Finding, Fix};
use crate::vfs::fixture::host::{HostFolder, MOST_TEXT};
use crate::visible;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// Mode of a file that went away meanwhile.
const MODE: u32 = 0o644;

/// What is to be done with one file.
#[derive(Default)]
struct Work {
    replacements: Vec<(Range<usize>, String)>,
    newlines: bool,
    executable: bool,
    /// What is told of it.
    told: Vec<String>,
}

/// Mends the files that the findings are in; a line for each thing that was done.
pub(super) fn mend(config: &Path, findings: &[Finding]) -> Result<Vec<String>, CommandFailure> {
    let mut files: BTreeMap<String, Work> = BTreeMap::new();
    let own = config.display().to_string();
    for finding in findings {
        let name = finding.problem.file.clone();
        let Some(fix) = &finding.fix else { continue };
        let (name, done) = match fix {
            Fix::Executable { file } => (file.clone(), "made executable".to_owned()),
            Fix::Newlines => (name, "carriage returns removed".to_owned()),
            Fix::Replace { text, .. } => (name, format!("{}, now {text}", finding.problem.message)),
        };
        let work = files.entry(name).or_default();
        match fix {
            Fix::Replace { at, text } => {
                let change = (at.clone(), text.clone());
                if work.replacements.contains(&change) {
                    continue;
                }
                work.replacements.push(change);
            }
            Fix::Newlines => work.newlines = true,
            Fix::Executable { .. } => work.executable = true,
        }
        if !work.told.contains(&done) {
            work.told.push(done);
        }
    }
    let mut lines = Vec::new();
    for (name, mut work) in files {
        let path = if name == own { config.to_owned() } else { Path::new(&name).to_owned() };
        let failed = |error| CommandFailure::host(name.clone())(error);
        let folder = HostFolder::open(path.parent().unwrap_or(Path::new(""))).map_err(failed)?;
        let Some(file) = path.file_name() else { continue };
        let old = folder.read(file, MOST_TEXT).map_err(failed)?;
        let mut content = old.content.clone();
        work.replacements.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
        for (at, text) in work.replacements {
            if at.end <= content.len() {
                content.splice(at, text.into_bytes());
            }
        }
        if work.newlines {
            content = without_returns(&content);
        }
        if content != old.content {
            folder.replace(file, &content, MODE).map_err(failed)?;
        }
        if work.executable {
            folder.make_executable(file).map_err(failed)?;
        }
        lines.extend(
            work.told.iter().map(|told| format!("fixed: {}: {}", visible::line(&name), visible::line(told))),
        );
    }
    Ok(lines)
}

fn without_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}
