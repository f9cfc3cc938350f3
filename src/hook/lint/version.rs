//! What a config uses and a version of its contract does not know: events, types and members of hooks, built-ins, schemas.

use super::{Finding, rule};
use crate::document::{Node, Source};
use crate::hook::dialect::list::Dialect;
use crate::hook::version::{ContractVersion, Part};

/// Findings for each thing that came after the version.
pub(super) fn unknown(
    target: ContractVersion,
    dialect: Dialect,
    source: &Source<'_>,
    config: &Node,
) -> Vec<Finding> {
    let events = dialect.contract().events;
    let is_event = |name: &str| events.iter().any(|row| row.name == name);
    let mut findings = Vec::new();
    let mut finding = |part: Part, name: &str, at: Option<usize>| {
        if let Some(since) = target.since(part, name) {
            let message = format!("{target} has no {} `{name}`: it came with {since}", part.word());
            let problem = source.problem(at, message);
            findings.push(Finding {
                rule: &rule::VERSION_UNKNOWN,
                hook: None,
                problem,
                script_line: None,
                fix: None,
            });
        }
    };
    // What is still to be looked at, and whether it stands below an event.
    let mut rest = vec![(config, false)];
    while let Some((node, is_below)) = rest.pop() {
        let kind = node.get("type").and_then(Node::as_str).filter(|_| is_below);
        if let Some(kind) = kind {
            finding(Part::Kind, kind, node.get("type").and_then(|kind| kind.at));
            for member in node.members() {
                finding(Part::Field, &member.name, member.at);
            }
            for (part, name) in [(Part::Builtin, "command"), (Part::Schema, "schema")] {
                let word = node.get(name).filter(|_| part != Part::Builtin || kind == "builtin");
                if let Some((word, at)) = word.and_then(|word| Some((word.as_str()?, word.at))) {
                    finding(part, word, at);
                }
            }
            continue;
        }
        for member in node.members() {
            let names_event = is_event(&member.name);
            if names_event {
                finding(Part::Event, &member.name, member.at);
            }
            rest.push((&member.value, is_below || names_event));
        }
        rest.extend(node.as_array().unwrap_or_default().iter().map(|item| (item, is_below)));
    }
    findings
}
