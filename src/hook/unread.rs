//! What a hook printed and its dialect does not read: a member by a wrong name, a word outside its set, a value of the wrong type.
//!
//! The contracts let such output pass as no opinion, so that a guard with a misspelt word stops nothing. It goes on, as
//! the contract says; the outcome has a notice. Only outputs of hooks that stop nothing are looked at, and only those
//! that are meant as JSON: text is output too.

use super::decision::Verdict;
use super::event_table::{EventRow, Mark};
use super::hooks::Handler;
use super::record::RunRecord;
use super::script::Ended;
use crate::document::BYTE_ORDER_MARK;
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
/// Faults of one output that are told, and names in one of them.
const MOST_FAULTS: usize = 8;
/// Places in a text where an object may begin that are looked at.
const MOST_STARTS: usize = 16;

/// Whether outputs of this kind are looked at: those of scripts, and answers of servers, which are objects of the same members.
pub(super) fn is_asked_of(handler: &Handler) -> bool {
    !matches!(handler, Handler::Other(kind) if *kind != "http")
}

/// What is not read of a run's output, a line each, by the output that the event's row has.
pub(super) fn faults(run: &RunRecord, events: &'static [EventRow], event: &str) -> Vec<String> {
    let opens = matches!(run.reading.verdict, Verdict::NoOpinion | Verdict::Allow);
    let text = run.stdout.trim_ascii();
    if !opens || run.end != Ended::Exited || text.len() > MOST_BYTES {
        return Vec::new();
    }
    let Some(row) = events.iter().find(|row| row.name == event) else { return Vec::new() };
    if row.output.is_empty() {
        return unasked(text, events, event).into_iter().collect();
    }
    let (is_marked, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (!row.has(Mark::BlankBom), rest.trim_ascii_start()),
        None => (false, text),
    };
    match text.first() {
        Some(b'{') if is_marked => {
            let why = "a byte order mark (U+FEFF) stands before the output's JSON, so it is not read as JSON";
            vec![why.to_owned()]
        }
        Some(b'{') => match serde_json::from_slice(text) {
            Ok(object) => check(&object, row.output, row.any_case),
            Err(why) => vec![format!("the output is read as text, for it is not valid JSON: {why}")],
        },
        Some(b'[')
            if serde_json::from_slice::<Vec<Map<String, Value>>>(text).is_ok_and(|all| !all.is_empty()) =>
        {
            vec!["the output is a list, and only an object is read".to_owned()]
        }
        _ => behind_text(text, row).into_iter().collect(),
    }
}

/// Members in the output of an event that reads none, where other events read them.
fn unasked(text: &[u8], events: &'static [EventRow], event: &str) -> Option<String> {
    let object: Map<String, Value> = serde_json::from_slice(text).ok()?;
    let is_read = |name: &&String| events.iter().any(|row| has_member(row, name));
    let names: Vec<_> = object.keys().filter(is_read).cloned().collect();
    (!names.is_empty()).then(|| format!("{}: `{event}` reads no output", unknown(&names, names.len())))
}

/// An object that would be read, had the output no text before it: a profile that greets, a line that says what is done.
fn behind_text(text: &[u8], row: &EventRow) -> Option<String> {
    let mut from = 0_usize;
    for _ in 0..MOST_STARTS {
        let start = from.saturating_add(memchr::memchr(b'{', text.get(from..)?)?);
        let mut objects =
            serde_json::Deserializer::from_slice(text.get(start..)?).into_iter::<Map<String, Value>>();
        match objects.next() {
            Some(Ok(object)) => {
                if let Some(name) = object.keys().find(|name| has_member(row, name)) {
                    return Some(format!(
                        "text stands before the output's JSON, so its member `{name}` is not read"
                    ));
                }
                from = start.saturating_add(objects.byte_offset().max(1));
            }
            _ => from = start.saturating_add(1),
        }
    }
    None
}

/// Whether outputs of an event have a member of this name.
fn has_member(row: &EventRow, name: &str) -> bool {
    let is_it = |known: &str| if row.any_case { known.eq_ignore_ascii_case(name) } else { known == name };
    row.output.iter().any(|(known, _)| is_it(known))
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
    let mut found = Misread::default();
    found.check(object, members, any_case, "");
    let Misread { names, unknown: count, mut faults } = found;
    if count > 0 {
        faults.insert(0, unknown(&names, count));
    }
    faults
}

/// The line about members of names that are not known, `count` in all.
fn unknown(names: &[String], count: usize) -> String {
    let shown = |name: &String| format!("`{name}`");
    match names {
        [one] if count == 1 => format!("the output's member `{one}` is not read"),
        all => {
            let shown: Vec<_> = all.iter().take(MOST_FAULTS).map(shown).collect();
            let more = match count.saturating_sub(shown.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("the output's members {}{more} are not read", shown.join(", "))
        }
    }
}

/// What of an output is not read: names that are not known, in one line however many there are (a hook may print its input),
/// and members of the wrong shape.
#[derive(Default)]
struct Misread {
    /// The first of them.
    names: Vec<String>,
    unknown: usize,
    faults: Vec<String>,
}

impl Misread {
    fn check(&mut self, object: &Map<String, Value>, members: Members, any_case: bool, path: &str) {
        for (name, value) in object {
            let is_it = |known: &str| if any_case { known.eq_ignore_ascii_case(name) } else { known == name };
            let shown = || format!("{path}{}", super::json::cut(name, 80));
            let Some((_, shape)) = members.iter().find(|(known, _)| is_it(known)) else {
                self.unknown = self.unknown.saturating_add(1);
                if self.names.len() < MOST_FAULTS {
                    self.names.push(shown());
                }
                continue;
            };
            match (shape, value) {
                _ if !shape.takes(value) && self.faults.len() < MOST_FAULTS => {
                    let line = unknown(&[shown()], 1);
                    self.faults.push(format!("{line}: it must be {}", shape.describe()));
                }
                _ if !shape.takes(value) => {}
                (Shape::Object(members), Value::Object(object)) => {
                    self.check(object, members, any_case, &format!("{path}{name}."));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::decision::Reading;
    use crate::hook::script::ScriptOutcome;

    static EVENTS: [EventRow; 4] = [
        EventRow::new("e", "").output(MEMBERS),
        EventRow::new("e", "").output_in_any_case(MEMBERS),
        EventRow::new("e", "").output(MEMBERS).marks([Mark::BlankBom]),
        EventRow::new("mute", ""),
    ];

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

    fn told(stdout: &str, events: &'static [EventRow], event: &str) -> Vec<String> {
        let run = RunRecord::new(ScriptOutcome::exited(0, stdout, ""), Reading::of(Verdict::NoOpinion, ""));
        faults(&run, events, event)
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
            (r#"{"a": 1, "own": {"y": 1}}"#, Some("the output's members `a`, `own.y` are not read")),
            ("checking\n{\n  \"decision\": \"block\"\n}", Some("text stands before the output's JSON")),
            ("a {} {b} {\"c\": {}} {\"decision\": \"block\"} c", Some("its member `decision` is not read")),
            ("checking {\"other\": {\"decision\": \"block\"}}", None),
            ("checking {x}", None),
            ("\u{feff}{\"decision\": \"block\"}", Some("a byte order mark (U+FEFF) stands before")),
            ("\u{feff}text", None),
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
        let found = of(&many, Verdict::Allow, false);
        assert!(found.len() == 1 && found[0].ends_with(" and 92 more are not read"), "{found:?}");
    }

    #[test]
    fn a_byte_order_mark_is_no_fault_where_it_is_white_space() {
        assert!(told("\u{feff} {\"decision\": \"block\"}", &EVENTS[2..], "e").is_empty());
        assert_eq!(
            told("\u{feff}{\"Decision\": 1}", &EVENTS[2..], "e"),
            ["the output's member `Decision` is not read"]
        );
    }

    #[test]
    fn an_event_that_reads_no_output_says_so_of_what_others_read() {
        let mute = |stdout: &str| told(stdout, &EVENTS, "mute");
        let wanted = "the output's members `decision`, `reason` are not read: `mute` reads no output";
        assert_eq!(mute(r#"{"decision": "block", "x": 1, "reason": "r"}"#), [wanted]);
        for stdout in ["{oops", "{\"x\": 1}", "[{}]", "text", ""] {
            assert!(mute(stdout).is_empty(), "{stdout}");
        }
    }
}
