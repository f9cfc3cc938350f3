//! How large the parts of the machine may grow. No type has more than [`METHODS`] methods or [`FIELDS`] fields, no file more
//! than [`LINES`] lines, no function more than [`FUNCTION`].
//!
//! The rules are those of the formatted text: an item starts in the first column and ends with `}` there, a method four
//! columns to the right. What exceeds a measure is named below with the measure that it keeps instead, and an exception
//! that is needed no longer is an error: the numbers go down only.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "house/imports.rs"]
mod imports;
#[path = "house/option_cases.rs"]
mod option_cases;
#[path = "house/utility_options.rs"]
mod utility_options;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const METHODS: usize = 100;
const FIELDS: usize = 25;
const LINES: usize = 600;
const FUNCTION: usize = 100;

/// Each with the measure that it keeps.
const EXCEPTIONS: &[(&str, usize)] = &[
    // Flat matches over operations.
    ("function expand/arithmetic/steps.rs steps", 122),
    ("function operate.rs operate", 449),
];

/// The files below a folder, with their paths in it.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut pending = vec![PathBuf::from(folder)];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A line without the words that may stand before `fn` or `struct`.
fn bare(line: &str) -> &str {
    let mut rest = line.trim_start();
    if let Some(visible) = rest.strip_prefix("pub") {
        rest = visible.trim_start();
        if rest.starts_with('(') {
            rest = rest.split_once(')').map_or(rest, |(_, rest)| rest.trim_start());
        }
    }
    for word in ["const ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest
}

/// The name that a text starts with.
fn name(text: &str) -> &str {
    text.split(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or("")
}

/// The type of `impl Type {` and `impl Trait for Type {`.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?.trim_end().strip_suffix('{')?;
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest };
    let full = rest.rsplit_once(" for ").map_or(rest, |(_, name)| name);
    Some(name(full.trim().rsplit("::").next()?))
}

/// Everything that has a measure.
fn measure(files: &[(String, String)]) -> (BTreeMap<String, usize>, BTreeMap<String, usize>) {
    let (mut sizes, mut limits) = (BTreeMap::new(), BTreeMap::new());
    let mut count = |what: String, by: usize, limit: usize| {
        *sizes.entry(what.clone()).or_insert(0) += by;
        limits.insert(what, limit);
    };
    for (file, text) in files {
        let lines: Vec<&str> = text.lines().collect();
        count(format!("file {file}"), lines.len(), LINES);
        let (mut of, mut fields) = (None, None);
        for (at, line) in lines.iter().enumerate() {
            if *line == "}" {
                (of, fields) = (None, None);
            }
            of = implemented(line).or(of);
            if let Some(rest) = bare(line).strip_prefix("struct ")
                && line.ends_with('{')
                && !line.starts_with(' ')
            {
                fields = Some(name(rest));
            }
            let indent = line.len() - line.trim_start().len();
            if let Some(owner) = fields
                && indent == 4
                && bare(line).split_once(": ").is_some_and(|(field, _)| name(field) == field)
            {
                count(format!("fields of {owner}"), 1, FIELDS);
            }
            let Some(function) = bare(line).strip_prefix("fn ").map(name) else { continue };
            if let Some(owner) = of
                && indent == 4
            {
                count(format!("methods of {owner}"), 1, METHODS);
            }
            let end = format!("{}}}", " ".repeat(indent));
            let length = lines[at..].iter().position(|line| *line == end).map_or(1, |length| length + 1);
            if length > FUNCTION {
                count(format!("function {file} {function}"), length, FUNCTION);
            }
        }
    }
    (sizes, limits)
}

#[test]
fn the_machine_keeps_its_measures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/machine");
    let (sizes, limits) = measure(&sources(&folder));
    let mut faults = Vec::new();
    for (what, size) in &sizes {
        let exception = EXCEPTIONS.iter().find(|(known, _)| known == what).map(|(_, size)| *size);
        let limit = exception.unwrap_or(limits[what]);
        if *size > limit {
            faults.push(format!("{what}: {size}, more than {limit}"));
        }
    }
    for (what, _) in EXCEPTIONS {
        if sizes.get(*what).is_none_or(|size| *size <= limits[*what]) {
            faults.push(format!("{what}: no exception is needed any more"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_exceeds_a_measure_is_found() {
    let many = |line: &str, count: usize| line.repeat(count);
    let text = format!(
        "struct Large {{\n{}}}\n\nimpl Large {{\n{}}}\n\nfn long() {{\n{}}}\n",
        many("    pub(crate) field: u8,\n", 26),
        many("    pub(crate) fn method(&self) {}\n", 101),
        many("    call();\n", 500),
    );
    let (sizes, limits) = measure(&[("file.rs".to_owned(), text)]);
    let over: Vec<&str> =
        sizes.iter().filter(|(what, size)| **size > limits[*what]).map(|(what, _)| what.as_str()).collect();
    assert_eq!(over, ["fields of Large", "file file.rs", "function file.rs long", "methods of Large"]);
}
