//! Every option of a utility stands in a case of its file in `tests/cases/utility`. Those that do not are in
//! `options_without_case.txt`, a line `FILE VARIANT` each, which only gets shorter: `CASES_UPDATE=1` writes it anew.

use super::utility_options::{Variant, tables};
use std::collections::BTreeSet;
use std::path::Path;

/// Whether a text has an option, by a letter among others after a dash, or by its whole name.
fn is_used(variant: &Variant, text: &str) -> bool {
    let ends_word = |letter: char| letter.is_whitespace() || "'\"`();|&<>=".contains(letter);
    let mut words = text.split(ends_word).filter_map(|word| word.strip_prefix('-'));
    let is_letter = |word: &str| {
        let cluster: String = word.chars().take_while(char::is_ascii_alphanumeric).collect();
        variant.letters.iter().any(|letter| word.starts_with(*letter) || cluster.contains(*letter))
    };
    // A row without a letter and with a name in capitals or digits is for numbers: `-5`.
    let is_number = variant.letters.is_empty()
        && variant
            .words
            .iter()
            .any(|word| !word.is_empty() && !word.contains(|letter: char| letter.is_ascii_lowercase()));
    words.any(|word| {
        !word.starts_with('-')
            && (is_letter(word) || (is_number && word.starts_with(|digit: char| digit.is_ascii_digit())))
    }) || variant.words.iter().any(|word| !word.is_empty() && text.contains(&format!("--{word}")))
}

/// The names of the case files that may use the table of a source.
fn case_files(source: &str) -> Vec<String> {
    // Tables that utilities share.
    match source {
        "file/ownership.rs" => return ["chown", "chgrp"].map(str::to_owned).into(),
        "file/backup.rs" => return ["cp", "mv", "ln", "install"].map(str::to_owned).into(),
        "format/block_size.rs" => return ["df", "du"].map(str::to_owned).into(),
        _ => {}
    }
    let base = source.split('/').next().unwrap_or(source).trim_end_matches(".rs").trim_end_matches('_');
    match base {
        "digest" => ["b2sum", "md5sum", "sha1sum", "sha256sum"].map(str::to_owned).into(),
        "shell_commands" => vec!["shell-commands".to_owned()],
        name => vec![name.to_owned()],
    }
}

/// What the case files of `git` have of the subcommands that use the table of a source.
fn git_cases(source: &str, commands: &[String]) -> String {
    let names: Vec<String> = match source.strip_prefix("git/").unwrap_or_default() {
        "history/options.rs" => ["log", "show", "rev-list"].map(str::to_owned).into(),
        "diff/options.rs" => {
            ["diff", "log", "show", "diff-tree", "diff-files", "diff-index"].map(str::to_owned).into()
        }
        file => {
            let name = file.trim_start_matches("command/").split(['/', '.']).next().unwrap_or_default();
            vec![name.replace('_', "-")]
        }
    };
    let uses = |command: &&String| {
        let mut words = command.split_whitespace().skip_while(|word| !word.ends_with("git")).skip(1);
        words.any(|word| names.iter().any(|name| name == word))
    };
    commands.iter().filter(uses).map(|command| command.clone() + "\n").collect()
}

/// The commands with `git` of its case files.
fn git_commands(root: &Path) -> Vec<String> {
    let mut commands = Vec::new();
    for entry in std::fs::read_dir(root.join("tests/cases/utility")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("git")) {
            let text = std::fs::read_to_string(path).unwrap();
            let parts = text.split(['\n', ';', '|', '&', '`', ')']);
            commands.extend(parts.filter(|part| part.contains("git ")).map(str::to_owned));
        }
    }
    commands
}

#[test]
fn every_option_has_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = root.join("tests/house/options_without_case.txt");
    let git_commands = git_commands(root);
    let mut missing = BTreeSet::new();
    for (source, text) in super::sources(&root.join("src/utility")) {
        let variants: Vec<Variant> = tables(&text).0.into_iter().flat_map(|table| table.variants).collect();
        if variants.is_empty() || source.starts_with("context/") {
            continue;
        }
        let mut cases = String::new();
        if source.starts_with("git/") {
            cases = git_cases(&source, &git_commands);
        }
        for name in case_files(&source) {
            let file = root.join(format!("tests/cases/utility/{name}.test"));
            cases += &std::fs::read_to_string(file).unwrap_or_default();
        }
        if source.starts_with("curl/") || source.starts_with("wget/") {
            for entry in std::fs::read_dir(root.join("tests/network")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "test") {
                    cases += &std::fs::read_to_string(path).unwrap();
                }
            }
        }
        missing.extend(
            variants
                .iter()
                .filter(|variant| !is_used(variant, &cases))
                .map(|variant| format!("{source} {}", variant.name)),
        );
    }
    if std::env::var_os("CASES_UPDATE").is_some() {
        let text = missing.iter().fold(String::new(), |text, line| text + line + "\n");
        std::fs::write(&list, text).unwrap();
    }
    let text = std::fs::read_to_string(&list).unwrap();
    let known: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let new: Vec<_> = missing.difference(&known).collect();
    let old: Vec<_> = known.difference(&missing).collect();
    assert!(new.is_empty(), "options without a case: {new:?}");
    assert!(old.is_empty(), "these have cases by now: {old:?}");
}
