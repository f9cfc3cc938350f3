//! What a subcommand of git asks for by name is an option of a row of git's: its options are texts, which several rows and
//! several tables share, so the compiler does not see a name that is misspelt.

use std::collections::BTreeSet;
use std::path::Path;

const ROWS: &[&str] = &["flag(", "value(", "optional(", "number("];
const QUESTIONS: &[&str] = &[".has(\"", ".truth(\"", ".count(\"", ".value(\"", ".values(\"", ".number(\""];

/// The text up to the next quotation mark.
fn quoted(text: &str) -> &str {
    text.split('"').next().unwrap_or_default()
}

#[test]
fn git_asks_for_options_that_it_has() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/utility/git");
    let mut known = BTreeSet::new();
    let mut asked = Vec::new();
    for (name, text) in super::sources(&folder) {
        for row in ROWS {
            for call in text.split(row).skip(1) {
                let mut parts = call.trim_start().split(", ");
                if let Some(letter) = parts.next().and_then(|part| part.strip_prefix('\'')) {
                    known.insert(letter.trim_end_matches('\'').to_owned());
                    let long = parts.next().and_then(|part| part.trim_start().strip_prefix('"'));
                    known.insert(long.map(quoted).unwrap_or_default().to_owned());
                }
            }
        }
        for question in QUESTIONS {
            asked.extend(text.split(question).skip(1).map(|call| (name.clone(), quoted(call).to_owned())));
        }
    }
    assert!(known.len() > 100 && asked.len() > 200, "{} known, {} asked", known.len(), asked.len());
    // A name with a dot is one of the configuration.
    let wrong: Vec<_> =
        asked.iter().filter(|(_, option)| !option.contains('.') && !known.contains(option)).collect();
    assert!(wrong.is_empty(), "no row of git has these: {wrong:?}");
}
