//! Every rule that code, cases and fixtures of a dialect cite stands in its contract, `src/hook/dialect/NAME/CONTRACT.md`.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::hook::Dialect;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The texts of all files below a folder whose names end so.
fn texts(folder: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(texts(&path, endings));
        } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
            let text = std::fs::read_to_string(&path).unwrap();
            all.push((path, text));
        }
    }
    all
}

/// The numbers of rules in a text: the letter and one or two digits, as a word.
fn rules(text: &str, letter: char) -> BTreeSet<u32> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let numbers = words.filter_map(|word| word.strip_prefix(letter));
    numbers
        .filter(|number| (1..=2).contains(&number.len()))
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[test]
fn what_is_cited_stands_in_the_contract() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for dialect in Dialect::ALL {
        let code = dialect.name().replace('-', "_");
        let folder = root.join("src/hook/dialect").join(&code);
        let contract = std::fs::read_to_string(folder.join("CONTRACT.md")).unwrap();
        // The contracts' rules have one letter each.
        let first = contract.lines().find_map(|line| line.strip_prefix("- **")?.chars().next());
        let letter = first.unwrap_or_else(|| panic!("{code}: no rule"));
        let heads: Vec<u32> = contract
            .lines()
            .filter_map(|line| line.strip_prefix("- **")?.split_once("** "))
            .filter_map(|(rule, _)| rule.strip_prefix(letter)?.parse().ok())
            .collect();
        assert!(heads.is_sorted_by(|a, b| a < b), "{code}: rules stand in order, each once");
        let mut cited = texts(&folder, &[".rs"]);
        cited.extend(texts(&root.join("vfs-fixtures").join(dialect.name()), &[".yaml"]));
        for (path, text) in cited {
            for rule in rules(&text, letter) {
                if !heads.contains(&rule) {
                    missing.push(format!("{}: {letter}{rule}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "not in their contracts:\n{}", missing.join("\n"));
}

#[test]
fn a_rule_is_a_letter_and_a_number() {
    assert_eq!(rules("R1, R22: (R3) R4b OR5 R600 G7", 'R'), BTreeSet::from([1, 22, 3]));
}
