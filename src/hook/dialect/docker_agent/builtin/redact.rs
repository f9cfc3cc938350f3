//! `redact_secrets`: replaces what looks like a secret in arguments, messages and tool output.
//!
//! Two kinds of findings: texts of a known form (keys of well-known services, tokens, private keys), and values that are
//! given to a name like `PASSWORD` or `api_key` and look random (letters and digits, 12 characters or more). One scan with
//! all expressions tells whether there is anything to do; a text without findings is not copied.

use super::BuiltinCall;
use crate::hook::dialect::docker_agent::event::EventName;
use regex::{Captures, Regex, RegexSet};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

const MARK: &str = "[REDACTED]";

/// In each, group 1 is what is replaced.
const KNOWN: [&str; 12] = [
    // AWS
    r"\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b",
    // GitHub
    r"\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b",
    // GitLab, npm, PyPI, Hugging Face, Docker Hub
    r"\b(glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|hf_[A-Za-z0-9]{30,}|dckr_pat_[A-Za-z0-9_-]{20,})",
    // OpenAI, Anthropic
    r"\b(sk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,})",
    // Slack
    r"\b(xox[abeoprs]-[A-Za-z0-9-]{10,})",
    r"(https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,})",
    // Google
    r"\b(AIza[A-Za-z0-9_-]{35})",
    // Stripe
    r"\b((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,})",
    // Signed tokens
    r"\b(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    // Private keys
    r"(-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*-----END [A-Z ]*PRIVATE KEY-----)",
    // A password in an address
    r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:([^\s:/@]+)@",
    // The header of HTTP
    r"(?i)\bauthorization:\s*(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,})",
];

/// Group 1 is the value.
const NAMED: &str = r#"(?i)(?:password|passwd|secret|token|api_?key|access_?key|private_?key|credential)[a-z0-9_]*["']?\s*[=:]\s*["']?([A-Za-z0-9+/_.~=-]{12,})"#;

/// The compiled expressions.
#[derive(Debug)]
pub(in super::super) struct Redactor {
    all: RegexSet,
    known: Vec<Regex>,
    named: Option<Regex>,
}

impl Redactor {
    pub(in super::super) fn new() -> Self {
        let texts: Vec<&str> = KNOWN.iter().copied().chain([NAMED]).collect();
        Self {
            // The expressions are constants that a test compiles: there is no error to pass on.
            all: RegexSet::new(&texts).unwrap_or_default(),
            known: KNOWN.iter().filter_map(|text| Regex::new(text).ok()).collect(),
            named: Regex::new(NAMED).ok(),
        }
    }

    /// The text without secrets; borrowed when there are none.
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let found = self.all.matches(text);
        let mut result = Cow::Borrowed(text);
        for index in &found {
            let replaced = match self.known.get(index) {
                Some(regex) => regex.replace_all(&result, |found: &Captures<'_>| replaced(found, |_| true)),
                None => match &self.named {
                    Some(regex) => {
                        regex.replace_all(&result, |found: &Captures<'_>| replaced(found, looks_random))
                    }
                    None => continue,
                },
            };
            if let Cow::Owned(replaced) = replaced {
                result = Cow::Owned(replaced);
            }
        }
        if result == text { Cow::Borrowed(text) } else { result }
    }

    /// Redacts all texts of a value in place; whether there was anything. Depth is that of a parsed payload.
    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.text(text) {
                Cow::Borrowed(_) => false,
                Cow::Owned(redacted) => {
                    *text = redacted;
                    true
                }
            },
            Value::Array(items) => items.iter_mut().fold(false, |found, item| self.value(item) | found),
            Value::Object(members) => {
                members.values_mut().fold(false, |found, member| self.value(member) | found)
            }
            _ => false,
        }
    }
}

/// The whole match with its group 1 replaced, if `wanted`.
fn replaced(found: &Captures<'_>, wanted: impl Fn(&str) -> bool) -> String {
    let whole = found.get(0).map_or("", |whole| whole.as_str());
    let start = found.get(0).map_or(0, |whole| whole.start());
    match found.get(1) {
        Some(secret) if wanted(secret.as_str()) => {
            let before = whole.get(..secret.start().saturating_sub(start)).unwrap_or_default();
            let after = whole.get(secret.end().saturating_sub(start)..).unwrap_or_default();
            format!("{before}{MARK}{after}")
        }
        _ => whole.to_owned(),
    }
}

fn looks_random(value: &str) -> bool {
    let has = |wanted: fn(char) -> bool| value.chars().any(wanted);
    has(|character| character.is_ascii_digit()) && has(|character| character.is_ascii_alphabetic())
}

pub(super) fn run(call: &BuiltinCall<'_>) -> Result<Option<Value>, String> {
    let redactor = call.redactor.ok_or("redact_secrets is not ready")?;
    let field = match call.event {
        EventName::PreToolUse | EventName::ToolInputTransform => "tool_input",
        EventName::BeforeLlmCall => "messages",
        _ => "tool_response",
    };
    let Some(mut value) = call.payload.get(field).cloned() else { return Ok(None) };
    if !redactor.value(&mut value) {
        return Ok(None);
    }
    let (name, value) = match call.event {
        EventName::PreToolUse | EventName::ToolInputTransform => ("updated_input", value),
        EventName::BeforeLlmCall => ("updated_messages", value),
        _ => ("updated_tool_response", value),
    };
    let specific = Map::from_iter([(name.to_owned(), value)]);
    Ok(Some(json!({"hook_specific_output": specific})))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        let redactor = Redactor::new();
        assert_eq!((redactor.known.len(), redactor.all.len()), (KNOWN.len(), KNOWN.len() + 1));
        assert!(redactor.named.is_some());
    }

    #[test]
    fn secrets_go_and_the_rest_stays() {
        let redactor = Redactor::new();
        for (text, expected) in [
            ("id AKIAIOSFODNN7EXAMPLE.", "id [REDACTED]."),
            ("export API_KEY=\"a1b2c3d4e5f6g7\"; ls", "export API_KEY=\"[REDACTED]\"; ls"),
            ("DB_PASSWORD: hunter2hunter2", "DB_PASSWORD: [REDACTED]"),
            ("{\"token\": \"abc123abc123abc\"}", "{\"token\": \"[REDACTED]\"}"),
            ("postgres://me:pw@host/db", "postgres://me:[REDACTED]@host/db"),
            ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [REDACTED]"),
        ] {
            assert_eq!(redactor.text(text), expected);
            assert_eq!(redactor.text(expected), expected);
        }
        let key =
            format!("a {}\nMIIB\n{} b", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        assert_eq!(redactor.text(&key), "a [REDACTED] b");
        for plain in ["TOKEN=abc", "TOKEN=$(cat token-file-1)", "secret: do-not-tell-anyone", "a:b@c", "skip"]
        {
            assert!(matches!(redactor.text(plain), Cow::Borrowed(_)), "{plain}");
        }
        let mut value = json!({"a": ["AKIAIOSFODNN7EXAMPLE", 1], "b": {"c": "x"}});
        assert!(redactor.value(&mut value));
        assert_eq!(value, json!({"a": [MARK, 1], "b": {"c": "x"}}));
    }
}
