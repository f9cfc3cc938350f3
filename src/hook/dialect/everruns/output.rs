//! What a script's output means (4 of the contract): four rows over standard output and exit status, then the JSON decision.
//!
//! Everything that is not a decision is an executor error, whose message is the reading's reason.

use crate::hook::decision::{Reading, Verdict};
use crate::hook::json::{Json, cut};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::limit::Limit;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Unknown keys are ignored (R31); a known key of the wrong type is an error (R32); null is absent.
#[derive(Deserialize)]
struct Output {
    decision: Option<String>,
    reason: Option<String>,
    user_message: Option<String>,
    patch: Option<Value>,
}

/// Reads an outcome; `timeout` and `cap` (bytes) are those of the run, for messages.
pub(super) fn read(outcome: &ScriptOutcome, timeout: Duration, cap: u64) -> Reading {
    if let Some(error) = interruption(&outcome.end, timeout, cap) {
        return error;
    }
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    let stdout = stdout.trim_start();
    match stdout.as_bytes().first() {
        None if outcome.status == 0 => Reading::of(Verdict::Allow, "4 row 1: no output, exit status 0"),
        None => {
            let reason = message_of(&outcome.stderr).unwrap_or_else(|| "hook exited non-zero".to_owned());
            Reading::because(Verdict::Block, reason, "4 row 2, R28: no output, exit status not 0")
        }
        Some(b'{') => decision(stdout, &outcome.stderr),
        Some(_) => {
            let shown = cut(stdout, 80).trim_end();
            error(
                format!("hook stdout is not JSON (first 80 bytes: {shown})"),
                "4 row 4: output that is not a JSON object",
            )
        }
    }
}

fn error(message: impl Into<String>, rule: &'static str) -> Reading {
    Reading::because(Verdict::Error, message, rule)
}

/// The executor error of a script that did not end by itself (5.2).
fn interruption(end: &Ended, timeout: Duration, cap: u64) -> Option<Reading> {
    let timed_out = || error(format!("hook timed out after {} ms", timeout.as_millis()), "5.2: timeout");
    let exceeded = || {
        error(
            format!("hook output exceeded {cap} bytes (stdout and stderr together)"),
            "5.2, R46: output cap",
        )
    };
    Some(match end {
        Ended::Exited => return None,
        Ended::TimedOut => timed_out(),
        Ended::OutputExceeded => exceeded(),
        Ended::Limit(limit) if limit.limit == Limit::WallTime => timed_out(),
        Ended::Limit(limit) if limit.limit == Limit::OutputBytes => exceeded(),
        Ended::Limit(limit) => error(format!("hook execution error: {limit}"), "5.2: interpreter limit"),
        Ended::Syntax(message) => {
            error(format!("hook execution error: {message}"), "4.4: script is not valid")
        }
        Ended::NotStarted(message) => error(format!("hook execution error: {message}"), "4.4: not started"),
    })
}

/// A message from standard error, if it is not blank (4.3).
fn message_of(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Row 3: the whole text is one JSON value, whatever the exit status (R29, R30).
fn decision(stdout: &str, stderr: &[u8]) -> Reading {
    let output: Output = match serde_json::from_str(stdout) {
        Ok(output) => output,
        Err(why) => {
            return error(
                format!("hook stdout JSON parse failed: {why}"),
                "R32: not one JSON object of known types",
            );
        }
    };
    let Output { decision, reason, user_message, patch } = output;
    let (verdict, rule, reason) = match decision.as_deref() {
        None | Some("allow") if patch.is_some() => (Verdict::Allow, "4.1, R36: allow, patch ignored", reason),
        None | Some("allow") => (Verdict::Allow, "4.1: decision allow", reason),
        Some("mutate") if patch.is_none() => {
            return error("hook decision `mutate` missing `patch`", "R34: mutate needs a patch");
        }
        Some("mutate") => (Verdict::Mutate, "4.1: decision mutate", reason),
        Some("block") => {
            let reason = reason.or_else(|| message_of(stderr)).unwrap_or_else(|| "hook blocked".to_owned());
            (Verdict::Block, "4.1, R35: decision block", Some(reason))
        }
        Some(other) => return error(format!("unknown hook decision `{other}`"), "R33: unknown decision"),
    };
    Reading { verdict, reason, user_message, specific: patch.map(Json::from), rule }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitError;

    fn of(status: i32, stdout: &str, stderr: &str) -> Reading {
        read(&ScriptOutcome::exited(status, stdout, stderr), Duration::from_millis(100), 65_536)
    }

    #[test]
    fn the_first_bytes_are_cut_at_a_character() {
        let reading = of(0, &format!("{}é", "a".repeat(79)), "");
        assert_eq!(
            reading.reason.unwrap(),
            format!("hook stdout is not JSON (first 80 bytes: {})", "a".repeat(79))
        );
        let outcome = ScriptOutcome::exited(0, b"\xff\xfe".as_slice(), "");
        let reading = read(&outcome, Duration::ZERO, 0);
        assert_eq!(reading.reason.unwrap(), "hook stdout is not JSON (first 80 bytes: \u{fffd}\u{fffd})");
    }

    #[test]
    fn interruptions() {
        let limit = |limit| Ended::Limit(LimitError { limit, allowed: 200, line: Some(3) });
        let cases = [
            (limit(Limit::WallTime), "hook timed out after 100 ms"),
            (limit(Limit::Commands), "hook execution error: commands limit of 200 reached at line 3"),
        ];
        for (end, message) in cases {
            let mut outcome = ScriptOutcome::ended(end);
            outcome.stdout = b"{\"decision\":\"allow\"}".to_vec();
            let reading = read(&outcome, Duration::from_millis(100), 65_536);
            assert_eq!((reading.verdict, reading.reason.as_deref()), (Verdict::Error, Some(message)));
        }
    }
}
