//! One fault at a time: all the ways in which a value of a config can be another one than was meant.

use serde_json::{Map, Value, json};

/// A changed value, and what was done to it.
pub(crate) struct Fault {
    pub(crate) what: String,
    pub(crate) value: Value,
}

/// Names of members that are expressions or patterns.
const EXPRESSIONS: [&str; 9] = [
    "matcher",
    "if",
    "if_expr",
    "tool_name",
    "toolName",
    "tool_name_glob",
    "args_jsonpath",
    "match_regex",
    "deny_regex",
];

/// What no engine takes, or what only some do.
const BAD_EXPRESSIONS: [&str; 11] =
    ["(", "[", "*(x", "a{2,1}", "(?<n", "\\", "x)|(y", "^(x$", "Bash(", "[a-", "{x}["];

/// Commands whose script, or whose tool, is not there; each hides it.
const BAD_COMMANDS: [&str; 9] = [
    "bash /workspace/none/guard.sh 2>/dev/null || true",
    "/workspace/none/guard.sh 2>/dev/null || exit 0",
    ". /workspace/none/lib.sh 2>/dev/null; exit 0",
    "gitleaks detect >/dev/null 2>&1 || exit 0",
    "if gitleaks 2>/dev/null; then exit 2; fi",
    "x=$(cat | gitleaks 2>/dev/null); [ -z \"$x\" ] || exit 2",
    "python3 guard.py 2>/dev/null; exit 0",
    "env node guard.js 2>/dev/null; true",
    "cat | xargs gitleaks >/dev/null 2>&1; exit 0",
];

/// Values of every type.
fn others(value: &Value) -> Vec<Value> {
    let all = [
        json!(null),
        json!(true),
        json!(7),
        json!("text"),
        json!(""),
        json!([]),
        json!({}),
        json!(["text"]),
        json!([[7]]),
        json!({"x": "text"}),
    ];
    let kind = |value: &Value| std::mem::discriminant(value);
    let mut others: Vec<_> = all.into_iter().filter(|other| kind(other) != kind(value)).collect();
    if let Some([only]) = value.as_array().map(Vec::as_slice) {
        others.push(only.clone());
    }
    if !value.is_array() {
        others.push(json!([value]));
    }
    others
}

/// A name that is not the one that was meant.
fn misspelt(name: &str) -> Vec<String> {
    let mut names = vec![format!("{name}x")];
    names.extend(name.get(..name.len() - 1).filter(|rest| !rest.is_empty()).map(str::to_owned));
    let mut letters: Vec<char> = name.chars().collect();
    if let Some(first) = letters.first_mut() {
        *first =
            if first.is_ascii_uppercase() { first.to_ascii_lowercase() } else { first.to_ascii_uppercase() };
    }
    names.push(letters.into_iter().collect());
    names.push(format!("// {name}"));
    names
}

/// All faults of a value, those of its parts included. `path` is where it is.
pub(crate) fn all(value: &Value, path: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut add = |what: String, value: Value| faults.push(Fault { what, value });
    for other in others(value) {
        add(format!("{path} is {other}"), other);
    }
    match value {
        Value::Array(items) => {
            for place in 0..=items.len() {
                for more in [json!(7), json!("text"), json!([]), json!({}), json!(null)] {
                    let mut items = items.clone();
                    items.insert(place, more.clone());
                    add(format!("{path} has {more} at {place}"), items.into());
                }
            }
            for (index, item) in items.iter().enumerate() {
                for fault in all(item, &format!("{path}[{index}]")) {
                    let mut items = items.clone();
                    items[index] = fault.value;
                    add(fault.what, items.into());
                }
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let renamed = |to: Option<&str>, value: &Value| {
                    let pairs = members.iter().filter_map(|(other, old)| match to {
                        _ if other != name => Some((other.clone(), old.clone())),
                        Some(to) => Some((to.to_owned(), value.clone())),
                        None => None,
                    });
                    Value::Object(pairs.collect::<Map<_, _>>())
                };
                for wrong in misspelt(name) {
                    add(format!("{path}.{name} is called {wrong}"), renamed(Some(&wrong), value));
                }
                add(format!("{path}.{name} is not there"), renamed(None, value));
                let mut parts = all(value, &format!("{path}.{name}"));
                let bad: &[&str] = match name.as_str() {
                    "command" => &BAD_COMMANDS,
                    name if EXPRESSIONS.contains(&name) => &BAD_EXPRESSIONS,
                    _ => &[],
                };
                parts.extend(
                    bad.iter().filter(|_| value.is_string()).map(|&text| Fault {
                        what: format!("{path}.{name} is {text:?}"),
                        value: text.into(),
                    }),
                );
                for fault in parts {
                    add(fault.what, renamed(Some(name), &fault.value));
                }
            }
        }
        _ => {}
    }
    faults
}
