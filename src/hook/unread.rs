//! What a hook printed and its dialect does not read: a member by a wrong name, a word outside its set, a value of the wrong type.
//!
//! The contracts let such output pass as no opinion, so that a guard with a misspelt word stops nothing. It goes on, as
//! the contract says; the outcome has a notice. Only outputs of hooks that stop nothing are looked at, and only those
//! that are meant as JSON: text is output too.

use super::decision::Verdict;
use super::event_table::EventRow;
use super::hooks::Handler;
use super::record::RunRecord;
use super::script::Ended;
use serde_json::{Map, Value};

/// What a member of an output must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Whatever it is, it is read.
    Any,
    Bool,
    Text,
    /// A list of texts.
    Texts,
    /// An object, whatever its members are.
    Map,
    /// One of these words.
    Word(&'static [&'static str]),
    /// An object with these members.
    Object(Members),
}

impl Shape {
    /// Whether a value is of this shape, but for the members of an object; `null` stands for an absent one.
    pub(crate) fn takes(self, value: &Value) -> bool {
        value.is_null()
            || match self {
                Self::Any => true,
                Self::Bool => value.is_boolean(),
                Self::Text => value.is_string(),
                Self::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
                Self::Map | Self::Object(_) => value.is_object(),
                Self::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            }
    }

    /// In words, for messages.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::Texts => "a list of strings".to_owned(),
            Self::Map | Self::Object(_) => "an object".to_owned(),
            Self::Word(words) => format!("one of: {}", words.join(", ")),
        }
    }
}

/// The members of an object.
pub(crate) type Members = &'static [(&'static str, Shape)];

/// Bytes of an output that is looked at.
const MOST_BYTES: usize = 64 << 10;
/// Faults of one output that are told.
const MOST_FAULTS: usize = 8;

/// Whether outputs of this kind are looked at: those of scripts, and answers of servers, which are objects of the same members.
pub(super) fn is_asked_of(handler: &Handler) -> bool {
    !matches!(handler, Handler::Other(kind) if *kind != "http")
}

/// What is not read of a run's output, a line each, by the output that the event's row has.
pub(super) fn faults(run: &RunRecord, events: &'static [EventRow], event: &str) -> Vec<String> {
    let row = events.iter().find(|row| row.name == event).filter(|row| !row.output.is_empty());
    let unread = |object: &Map<String, Value>| {
        row.map_or_else(Vec::new, |row| check(object, row.output, row.any_case))
    };
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

/// The names in a table, at any depth.
pub(crate) fn names(members: Members, all: &mut Vec<&'static str>) {
    for (name, shape) in members {
        if !all.contains(name) {
            all.push(name);
        }
        if let Shape::Object(members) = shape {
            names(members, all);
        }
    }
}

/// The first member of the wrong shape; `path` stands before the names.
pub(crate) fn misfit(object: &Map<String, Value>, members: Members, path: &str) -> Option<String> {
    members.iter().find_map(|(name, shape)| {
        let value = object.get(*name)?;
        match (shape, value) {
            _ if !shape.takes(value) => Some(format!("{path}{name} must be {}", shape.describe())),
            (Shape::Object(below), Value::Object(object)) => misfit(object, below, &format!("{path}{name}.")),
            _ => None,
        }
    })
}

/// Takes members of the wrong shape out, one by one.
pub(crate) fn drop_misfits(object: &mut Map<String, Value>, members: Members) {
    for (name, shape) in members {
        match object.get_mut(*name) {
            Some(value) if !shape.takes(value) => {
                object.shift_remove(*name);
            }
            Some(Value::Object(object)) => {
                if let Shape::Object(below) = shape {
                    drop_misfits(object, below);
                }
            }
            _ => {}
        }
    }
}

/// What of an object does not fit its table; with `any_case`, names are read without regard to case.
fn check(object: &Map<String, Value>, members: Members, any_case: bool) -> Vec<String> {
    let mut faults = Vec::new();
    check_below(object, members, any_case, "", &mut faults);
    faults
}

/// The line about a member of a name that is not known.
fn unknown(path: &str, name: &str) -> String {
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
        match (shape, value) {
            _ if !shape.takes(value) => {
                faults.push(format!("{}: it must be {}", unknown(path, name), shape.describe()));
            }
            (Shape::Object(members), Value::Object(object)) => {
                check_below(object, members, any_case, &format!("{path}{name}."), faults);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::decision::Reading;
    use crate::hook::script::ScriptOutcome;

    static EVENTS: [EventRow; 2] =
        [EventRow::new("e", "").output(MEMBERS), EventRow::new("e", "").output_in_any_case(MEMBERS)];

    const MEMBERS: Members = &[
        ("decision", Shape::Word(&["block", "allow"])),
        ("continue", Shape::Bool),
        ("reason", Shape::Text),
        ("own", Shape::Object(&[("x", Shape::Any)])),
    ];

    fn of(stdout: &str, verdict: Verdict, any_case: bool) -> Vec<String> {
        let run = RunRecord::new(ScriptOutcome::exited(0, stdout, ""), Reading::of(verdict, ""));
        faults(&run, if any_case { &EVENTS[1..] } else { &EVENTS[..1] }, "e")
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
