//! The findings as the reviews of others show them: SARIF 2.1.0 (OASIS), and the workflow commands of GitHub.

use super::Checked;
use crate::hook::lint::{Finding, RULES, Severity};
use serde_json::{Value, json};
use std::fmt::Write as _;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run, with all rules and a result for each finding; a file that was refused is a notification of the run.
pub(super) fn sarif(files: &[(String, Checked)]) -> Value {
    let rules = RULES.iter().map(|rule| {
        json!({
            "id": rule.id,
            "shortDescription": {"text": rule.summary},
            "help": {"text": rule.hint},
            "defaultConfiguration": {"level": level(rule.severity)},
        })
    });
    let findings =
        files.iter().filter_map(|(_, checked)| checked.as_ref().ok()).flat_map(|(_, findings)| findings);
    let refused = files.iter().filter_map(|(name, checked)| Some((name, checked.as_ref().err()?)));
    let notifications: Vec<Value> = refused
        .map(|(name, refused)| {
            json!({
                "level": "error",
                "message": {"text": refused.message},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(name)}}}],
            })
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "hookbox",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": findings.map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let problem = &finding.problem;
    let mut location = json!({"artifactLocation": {"uri": uri(&problem.file)}});
    if let Some(place) = &problem.place {
        location["region"] = json!({"startLine": place.line, "startColumn": place.column});
    }
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule.id),
        "level": level(finding.rule.severity),
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": location}],
    })
}

const fn level(severity: Severity) -> &'static str {
    severity.name()
}

fn message(finding: &Finding) -> String {
    let hook = finding.hook.as_ref().map(|hook| format!("{hook}: ")).unwrap_or_default();
    format!("{hook}{}; {}", finding.problem.message, finding.rule.hint)
}

/// A path as a relative reference (RFC 3986): what is not a letter, a digit or a mark of a path is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

/// A line for each finding and each file that was refused: `::error file=...,line=...,col=...,title=RULE::MESSAGE`.
pub(super) fn annotations(files: &[(String, Checked)]) -> String {
    let mut text = String::new();
    for (name, checked) in files {
        match checked {
            Ok((_, findings)) => {
                for finding in findings {
                    let level = match finding.rule.severity {
                        Severity::Note => "notice",
                        severity => severity.name(),
                    };
                    let place = finding.problem.place.as_ref();
                    let place = place.map(|place| format!(",line={},col={}", place.line, place.column));
                    let _ = writeln!(
                        text,
                        "::{level} file={}{},title={}::{}",
                        property(&finding.problem.file),
                        place.unwrap_or_default(),
                        finding.rule.id,
                        data(&message(finding)),
                    );
                }
            }
            Err(refused) => {
                let _ = writeln!(text, "::error file={}::{}", property(name), data(&refused.message));
            }
        }
    }
    text
}

/// What a message may not hold as it is.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(uri("a b/ü#.json"), "a%20b/%C3%BC%23.json");
        assert_eq!(property("c:\\x,1%\n"), "c%3A\\x%2C1%25%0A");
    }
}
