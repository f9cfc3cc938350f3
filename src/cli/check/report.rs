//! The findings for people, and as one JSON document.

use super::Checked;
use crate::hook::ConfigProblem;
use crate::hook::lint::{Finding, RULES};
use crate::visible;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) fn rules() -> String {
    let mut text = String::new();
    for rule in RULES {
        let _ = writeln!(
            text,
            "{:<20} {:<8} {}\n{:30}{}",
            rule.id,
            rule.severity.name(),
            rule.summary,
            "",
            rule.hint
        );
    }
    text
}

/// The findings, and for each file a line with its dialect and how many there are; a file that was refused has none.
pub(super) fn to_text(files: &[(String, Checked)]) -> String {
    let mut text = String::new();
    let checked = files.iter().filter_map(|(name, checked)| Some((name, checked.as_ref().ok()?)));
    let (mut all, mut looked_at) = ([0_usize; 3], 0_usize);
    for (name, (dialect, findings)) in checked {
        let mut counts = [0_usize; 3];
        for same in grouped(findings) {
            let _ = writeln!(text, "{}\n", show_group(&same));
        }
        for finding in findings {
            for counts in [&mut counts, &mut all] {
                if let Some(count) = counts.get_mut(finding.rule.severity as usize) {
                    *count = count.saturating_add(1);
                }
            }
        }
        looked_at = looked_at.saturating_add(1);
        let _ = writeln!(text, "{}: {dialect}: {}", visible::line(name), show_counts(counts));
    }
    if looked_at > 1 {
        let _ = writeln!(text, "{looked_at} files: {}", show_counts(all));
    }
    text
}

fn show_counts([notes, warnings, errors]: [usize; 3]) -> String {
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts = vec![plural(errors, "error"), plural(warnings, "warning")];
    if notes > 0 {
        parts.push(plural(notes, "note"));
    }
    parts.join(", ")
}

/// Findings of the same rule with the same words in the same file are told once when they are more than this.
const MOST_ALIKE: usize = 3;

/// What is alike where there is much of it, each at the place of its first; the others one by one.
fn grouped(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let key = |finding: &'_ Finding| {
        let ConfigProblem { file, message, .. } = &finding.problem;
        (finding.rule.id, file.clone(), message.clone())
    };
    let mut alike: FxHashMap<_, Vec<&Finding>> = FxHashMap::default();
    for finding in findings {
        alike.entry(key(finding)).or_default().push(finding);
    }
    let mut groups = Vec::new();
    for finding in findings {
        let many = alike.get_mut(&key(finding)).filter(|same| same.len() > MOST_ALIKE || same.is_empty());
        match many.map(std::mem::take) {
            None => groups.push(vec![finding]),
            Some(same) if same.is_empty() => {}
            Some(same) => groups.push(same),
        }
    }
    groups
}

/// One finding as it is; many as the first of them, without its hook, how many, and the places.
fn show_group(group: &[&Finding]) -> String {
    let Some(first) = group.first() else { return String::new() };
    if group.len() <= MOST_ALIKE {
        return first.show();
    }
    let places: Vec<String> = group
        .iter()
        .filter_map(|finding| finding.problem.place.as_ref())
        .map(|place| format!("{}:{}", place.line, place.column))
        .collect();
    let text = Finding { hook: None, ..(*first).clone() }.show();
    let count = format!("\n  = {} times: {}", group.len(), places.join(", "));
    text + &count
}

pub(super) fn to_json(files: &[(String, Checked)]) -> Value {
    let files: Vec<Value> = files
        .iter()
        .map(|(name, checked)| match checked {
            Ok((dialect, findings)) => {
                let findings: Vec<Value> = findings.iter().map(Finding::to_json).collect();
                json!({"file": name, "dialect": dialect.name(), "findings": findings})
            }
            Err(refused) => json!({"file": name, "error": refused.message}),
        })
        .collect();
    json!({"files": files})
}

/// For a terminal: the severity of a finding in its colour, what stands in the file and the hint less loud. The text has no
/// control characters of its own.
pub(super) fn coloured(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for line in text.lines() {
        if line.starts_with("  | ") || line.starts_with("  = ") {
            let _ = writeln!(out, "\x1b[2m{line}\x1b[0m");
            continue;
        }
        let severities = [(": error: ", "31"), (": warning: ", "33"), (": note: ", "36")];
        let first = severities
            .into_iter()
            .filter_map(|(word, colour)| Some((line.find(word)?, word, colour)))
            .min_by_key(|(at, ..)| *at);
        match first.and_then(|(at, word, colour)| Some((line.split_at_checked(at)?, word, colour))) {
            Some(((place, rest), word, colour)) => {
                let message = rest.strip_prefix(word).unwrap_or(rest);
                let word = word.trim_matches([':', ' ']);
                let _ = writeln!(out, "\x1b[1m{place}\x1b[0m: \x1b[1;{colour}m{word}\x1b[0m: {message}");
            }
            None => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn severities_have_colours() {
        let text = super::coloured("a:1:2: error: x: note: y [r]\n  | text\na: infer: 0 errors\n");
        let expected = "\x1b[1ma:1:2\x1b[0m: \x1b[1;31merror\x1b[0m: x: note: y [r]\n\x1b[2m  | text\x1b[0m\na: infer: 0 errors\n";
        assert_eq!(text, expected);
    }
}
