//! What audit rows must not show (7 of the contract): e-mail addresses, bearer tokens, keys that start with `sk-`.

use regex::Regex;
use std::sync::LazyLock;

/// What stands in its place.
const MARK: &str = "[REDACTED]";

/// The shipped script and audit rows redact alike; this is the expression of both.
pub(super) const SECRETS: &str =
    r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}|Bearer\s+[A-Za-z0-9._~+/=-]{8,}|sk-[A-Za-z0-9_-]{8,}";

static PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SECRETS).ok());

/// `text` without secrets.
pub(super) fn redact(text: &str) -> String {
    match &*PATTERN {
        Some(pattern) => pattern.replace_all(text, MARK).into_owned(),
        None => MARK.to_owned(),
    }
}
