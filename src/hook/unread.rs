//! What a hook printed and its dialect does not read: a member by a wrong name, a word outside its set, a value of the wrong type.
//!
//! The contracts let such output pass as no opinion, so that a guard with a misspelt word stops nothing. It goes on, as
//! the contract says; the outcome has a notice. Only outputs of hooks that stop nothing are looked at, and only those
//! that are meant as JSON: text is output too.

use super::decision::Verdict;
use super::hooks::Handler;
use super::record::RunRecord;
use super::script::Ended;
use serde_json::{Map, Value};

/// What a member of an output must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Whatever it is, it is read.
    Any,
    Bool,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An object with these members.
    Object(Members),
}

/// The members of an object.
pub(crate) type Members = &'static [(&'static str, Shape)];

/// Bytes of an output that is looked at.
const MOST_BYTES: usize = 64 << 10;
/// Faults of one output that are told.
pub(crate) const MOST_FAULTS: usize = 8;

/// Whether outputs of this kind are looked at: those of scripts, and answers of servers, which are objects of the same members.
pub(super) fn is_asked_of(handler: &Handler) -> bool {
    !matches!(handler, Handler::Other(kind) if *kind != "http")
}

/// What is not read of a run's output, a line each; `unread` looks at it as an object.
pub(super) fn faults(
    run: &RunRecord,
    unread: impl FnOnce(&Map<String, Value>) -> Vec<String>,
) -> Vec<String> {
    let opens = matches!(run.reading.verdict, Verdict::NoOpinion | Verdict::Allow);
    let text = run.stdout.trim_ascii();
    if !opens || run.end != Ended::Exited || text.len() > MOST_BYTES {
        return Vec::new();
    }
    match text.first() {
        Some(b'{') => match serde_json::from_slice(text) {
            Ok(object) => unread(&object),
            Err(why) => vec![format!("the output is read as text, for it is not valid JSON: {why}")],
        },
        Some(b'[')
            if serde_json::from_slice::<Vec<Map<String, Value>>>(text).is_ok_and(|all| !all.is_empty()) =>
        {
            vec!["the output is a list, and only an object is read".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// What of an object does not fit its table; with `any_case`, names are read without regard to case.
pub(crate) fn check(object: &Map<String, Value>, members: Members, any_case: bool) -> Vec<String> {
    let mut faults = Vec::new();
    check_below(object, members, any_case, "", &mut faults);
    faults
}

/// The line about a member of a name that is not known.
pub(crate) fn unknown(path: &str, name: &str) -> String {
    format!("the output's member `{path}{}` is not read", super::json::cut(name, 80))
}

fn check_below(
    object: &Map<String, Value>,
    members: Members,
    any_case: bool,
    path: &str,
    faults: &mut Vec<String>,
) {
    for (name, value) in object {
        if faults.len() >= MOST_FAULTS {
            return;
        }
        let is_it = |known: &str| if any_case { known.eq_ignore_ascii_case(name) } else { known == name };
        let Some((_, shape)) = members.iter().find(|(known, _)| is_it(known)) else {
            faults.push(unknown(path, name));
            continue;
        };
        let expected = match shape {
            _ if value.is_null() => continue,
            Shape::Any => continue,
            Shape::Object(members) => {
                if let Value::Object(object) = value {
                    check_below(object, members, any_case, &format!("{path}{name}."), faults);
                    continue;
                }
                "an object".to_owned()
            }
            Shape::Bool if value.is_boolean() => continue,
            Shape::Bool => "true or false".to_owned(),
            Shape::Text if value.is_string() => continue,
            Shape::Text => "a string".to_owned(),
            Shape::Word(words) if value.as_str().is_some_and(|word| words.contains(&word)) => continue,
            Shape::Word(words) => format!("one of: {}", words.join(", ")),
        };
        faults.push(format!("{}: it must be {expected}", unknown(path, name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::decision::Reading;
    use crate::hook::script::ScriptOutcome;

    const MEMBERS: Members = &[
        ("decision", Shape::Word(&["block", "allow"])),
        ("continue", Shape::Bool),
        ("reason", Shape::Text),
        ("own", Shape::Object(&[("x", Shape::Any)])),
    ];

    fn of(stdout: &str, verdict: Verdict, any_case: bool) -> Vec<String> {
        let run = RunRecord::new(ScriptOutcome::exited(0, stdout, ""), Reading::of(verdict, ""));
        faults(&run, |object| check(object, MEMBERS, any_case))
    }

    #[test]
    fn what_is_not_read_is_told() {
        for (stdout, wanted) in [
            (r#"{"decision": "block", "continue": false, "reason": null, "own": {"x": 7}}"#, None),
            ("plain", None),
            ("7", None),
            ("[1]", None),
            ("[{\"a\": 1}]", Some("the output is a list, and only an object is read")),
            ("{\"decision\": \"block\",}", Some("the output is read as text")),
            (r#"{"Decision": "block"}"#, Some("the output's member `Decision` is not read")),
            (r#"{"decision": "deny"}"#, Some("`decision` is not read: it must be one of: block, allow")),
            (r#"{"continue": "no"}"#, Some("`continue` is not read: it must be true or false")),
            (r#"{"reason": 5}"#, Some("`reason` is not read: it must be a string")),
            (r#"{"own": []}"#, Some("`own` is not read: it must be an object")),
            (r#"{"own": {"y": 1}}"#, Some("the output's member `own.y` is not read")),
        ] {
            let found = of(stdout, Verdict::NoOpinion, false);
            assert_eq!(found.len(), usize::from(wanted.is_some()), "{stdout}: {found:?}");
            assert!(found.iter().zip(wanted).all(|(found, wanted)| found.contains(wanted)), "{found:?}");
            assert!(
                of(stdout, Verdict::Block, false).is_empty() && of(stdout, Verdict::Error, false).is_empty()
            );
        }
        assert!(of(r#"{"DECISION": "block"}"#, Verdict::Allow, true).is_empty());
        let many = format!("{{{}}}", (0..100).map(|n| format!("\"m{n}\":1")).collect::<Vec<_>>().join(","));
        assert_eq!(of(&many, Verdict::Allow, false).len(), MOST_FAULTS);
    }
}
