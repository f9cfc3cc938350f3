//! Replaces what looks like a secret: in what docker-agent's `redact_secrets` sees, and in what `hookbox record` writes.
//!
//! Two kinds of findings: texts of a known form (keys of well-known services, tokens, private keys), and values that are
//! given to a name like `PASSWORD` or `api_key` and look random (letters and digits, 12 characters or more). One scan with
//! all expressions tells whether there is anything to do; a text without findings is not copied.

use regex::{Captures, Regex, RegexSet};
use serde_json::Value;
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

/// Names of members whose whole value is a secret.
#[cfg(feature = "cli")]
const SECRET_NAME: &str = r"(?i)^(?:.*[_-])?(?:password|passwd|secret|api_?key|access_?key|private_?key|client_?secret|authorization|credentials?|(?:access|auth|refresh|id|bearer|session)_?token)$";

/// The compiled expressions.
#[derive(Debug)]
pub(crate) struct Redactor {
    all: RegexSet,
    known: Vec<Regex>,
    named: Option<Regex>,
}

impl Redactor {
    pub(crate) fn new() -> Self {
        let texts: Vec<&str> = KNOWN.iter().copied().chain([NAMED]).collect();
        Self {
            // The expressions are constants that a test compiles: there is no error to pass on.
            all: RegexSet::new(&texts).unwrap_or_default(),
            known: KNOWN.iter().filter_map(|text| Regex::new(text).ok()).collect(),
            named: Regex::new(NAMED).ok(),
        }
    }

    /// The text without secrets; borrowed when there are none.
    pub(crate) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
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
    pub(crate) fn value(&self, value: &mut Value) -> bool {
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

/// As [`Redactor::value`], and texts that stand under a name like `password`, whatever they look like. Depth is that of a
/// parsed document.
#[cfg(feature = "cli")]
pub(crate) fn redact_members(redactor: &Redactor, value: &mut Value) -> bool {
    let Ok(secret) = Regex::new(SECRET_NAME) else { return redactor.value(value) };
    let mut found = redactor.value(value);
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::String(text) if secret.is_match(name) && !text.is_empty() && text != MARK => {
                            MARK.clone_into(text);
                            found = true;
                        }
                        member => waiting.push(member),
                    }
                }
            }
            _ => {}
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    #[cfg(feature = "cli")]
    fn what_stands_under_the_name_of_a_secret_goes() {
        let mut value =
            json!({"db_password": "x", "token_count": "7", "env": [{"auth_token": "y", "a": "b"}]});
        assert!(redact_members(&Redactor::new(), &mut value));
        assert_eq!(
            value,
            json!({"db_password": MARK, "token_count": "7", "env": [{"auth_token": MARK, "a": "b"}]})
        );
    }
}
